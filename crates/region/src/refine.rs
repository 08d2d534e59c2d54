//! Refinement: the samples of a request, tile by tile.

use crate::bend::Bend;
use crate::features::{CellFeatures, Maker};
use crate::ground::{Neighborhood, RINGS};
use crate::lattice::{Lattice, Window};
use crate::patch::Patch;
use crate::primitives::{Ball, Primitives};
use crate::request::{Request, Sampled};
use crate::sample::{Sample, Sampler};
use grid::{Cell, Grid, Level, Seed, Topology, Vec3};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use world::{CellSource, GatherError};

/// Samples along a side of a tile.
const TILE: usize = 16;
/// Features reach at most this many rings beyond their own cell: narrow cells are 0.77 of the mean, and no
/// feature reaches farther than one mean cell.
const FEATURE_RINGS: usize = 2;

/// Why a region could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RefineError {
    /// The world could not be read.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// The lattice is one of another kind of world.
    #[error("a lattice of longitudes and latitudes needs a globe, one of metres a flat map")]
    Lattice,
}

/// Sampled layers of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Where the samples lie.
    pub lattice: Lattice,
    /// Which of them these are.
    pub window: Window,
    layers: Vec<(Sampled, Vec<f32>)>,
}

impl Region {
    /// The samples of a layer that was asked for, row by row from the north. Samples beyond a pole or beyond
    /// the border of a flat map are not a number.
    pub fn layer(&self, layer: Sampled) -> Option<&[f32]> {
        self.layers.iter().find(|(l, _)| *l == layer).map(|(_, values)| values.as_slice())
    }

    /// All layers, in the order asked.
    pub fn layers(&self) -> impl Iterator<Item = (Sampled, &[f32])> {
        self.layers.iter().map(|(layer, values)| (*layer, values.as_slice()))
    }

    /// Takes the layers out.
    pub fn into_layers(self) -> Vec<(Sampled, Vec<f32>)> {
        self.layers
    }
}

/// Refines a world over a window. `progress` is told the share of the samples that is done.
///
/// Each sample depends on the world, its own position and the spacing, never on the window. Cost: in
/// proportion to the number of samples and of cells under them.
///
/// # Errors
/// A world that cannot be read; a lattice of another kind of world.
pub fn refine(
    source: &impl CellSource,
    request: &Request,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Region, RefineError> {
    let grid = source.grid();
    let flat = matches!(request.lattice, Lattice::Plane { .. });
    if flat != matches!(grid, Topology::Flat(_)) {
        return Err(RefineError::Lattice);
    }
    let Window { width, height, .. } = request.window;
    let mut layers: Vec<(Sampled, Vec<f32>)> =
        request.layers.iter().map(|&layer| (layer, vec![0.0; width * height])).collect();
    let rows = (STRIP_SAMPLES / width).max(1).next_multiple_of(TILE);
    for top in (0..height).step_by(rows) {
        let strip = strip(request, top, rows.min(height - top));
        let share = |part: f64| progress((top as f64 + part * strip.window.height as f64) / height as f64);
        fill(source, &strip, &mut layers, top * width, &share)?;
    }
    Ok(Region { lattice: request.lattice.clone(), window: request.window, layers })
}

/// Samples prepared at a time, so that the features of a whole planet are never in memory together.
const STRIP_SAMPLES: usize = 4_000_000;

/// Some rows of a request.
fn strip(request: &Request, top: usize, height: usize) -> Request {
    let window = Window { north: request.window.north - top as i64, height, ..request.window };
    Request { window, ..request.clone() }
}

/// Computes a strip and writes it into the layers from an index on, band by band in parallel.
fn fill(
    source: &impl CellSource,
    strip: &Request,
    layers: &mut [(Sampled, Vec<f32>)],
    from: usize,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<(), RefineError> {
    let work = Work::prepare(source, strip)?;
    let Window { width, height, .. } = strip.window;
    let mut bands: Vec<Vec<(Sampled, &mut [f32])>> = (0..height.div_ceil(TILE)).map(|_| Vec::new()).collect();
    for (layer, values) in layers {
        let rows = &mut values[from..from + width * height];
        for (band, rows) in bands.iter_mut().zip(rows.chunks_mut(TILE * width)) {
            band.push((*layer, rows));
        }
    }
    let done = AtomicUsize::new(0);
    let count = bands.len() as f64;
    bands.par_iter_mut().enumerate().for_each(|(band, rows)| {
        for column in (0..width).step_by(TILE) {
            work.tile(band * TILE, column, rows);
        }
        progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / count);
    });
    Ok(())
}

/// What all tiles of a request share.
struct Work<'a> {
    request: &'a Request,
    patch: Patch<'a>,
    bend: Bend,
    sampler: Sampler,
    spacing_m: f64,
    /// Cells with features, sorted, and their features.
    featured: Vec<Cell>,
    features: Vec<CellFeatures>,
}

impl<'a> Work<'a> {
    fn prepare(source: &'a impl CellSource, request: &'a Request) -> Result<Self, GatherError> {
        let grid = source.grid();
        let seed = Seed(source.recipe().seed);
        let spacing_m = request.lattice.spacing_m();
        let bend = Bend::new(grid, seed, spacing_m);
        let sampler = Sampler::new(grid, seed, spacing_m);
        let (touched, slack) = touched_cells(grid, request);
        let wants_rivers = request.layers.iter().any(|l| matches!(l, Sampled::Discharge | Sampled::Order));
        let featured = if sampler.near || wants_rivers {
            widened(grid, &touched, FEATURE_RINGS + slack)
        } else {
            Vec::new()
        };
        let rings = if featured.is_empty() { RINGS } else { FEATURE_RINGS + 1 };
        let patch = Patch::fetch(source, widened(grid, &touched, rings + slack))?;
        let maker =
            Maker { patch: &patch, seed, cell_m: grid.cell_m(), generations: generations(grid, spacing_m) };
        let make = |&cell: &Cell| if sampler.near { maker.features(cell) } else { maker.rivers_only(cell) };
        let features = featured.par_iter().map(make).collect();
        Ok(Self { request, bend, sampler, spacing_m, featured, features, patch })
    }

    /// Computes one tile and writes it to the rows of its band.
    fn tile(&self, top: usize, left: usize, rows: &mut [(Sampled, &mut [f32])]) {
        let Window { width, height, .. } = self.request.window;
        let (bottom, right) = ((top + TILE).min(height), (left + TILE).min(width));
        let places: Vec<Option<Place>> = (top..bottom)
            .flat_map(|row| (left..right).map(move |column| (row, column)))
            .map(|(row, column)| self.place(row, column))
            .collect();
        let mut cells: Vec<Cell> = places.iter().flatten().map(|p| p.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let around: Vec<Neighborhood> = cells.iter().map(|&c| Neighborhood::of(&self.patch, c)).collect();
        let primitives = self.primitives(&places, &cells);
        for (i, place) in places.iter().enumerate() {
            let at = i / (right - left) * width + left + i % (right - left);
            let sample = place.as_ref().and_then(|place| {
                let cell = cells.binary_search(&place.cell).ok()?;
                Some(self.sampler.at(place.bent, &around[cell], &primitives))
            });
            for (layer, values) in rows.iter_mut() {
                values[at] = sample.as_ref().map_or(f32::NAN, |s| value(s, *layer));
            }
        }
    }

    fn place(&self, row: usize, column: usize) -> Option<Place> {
        place(self.patch.grid, self.request, &self.bend, row, column)
    }

    /// The pieces of features that can matter to a tile.
    fn primitives(&self, places: &[Option<Place>], cells: &[Cell]) -> Primitives<'_> {
        let mut primitives = Primitives::default();
        let points = places.iter().flatten().map(|p| p.bent);
        let Some(mut ball) = Ball::around(points) else { return primitives };
        ball.radius_m += self.sampler.twist_reach_m();
        for cell in widened(self.patch.grid, cells, FEATURE_RINGS) {
            if let Ok(i) = self.featured.binary_search(&cell) {
                primitives.add(&self.features[i], &ball, self.spacing_m, self.sampler.valley_m);
            }
        }
        primitives
    }
}

/// A sample's place in bent space.
struct Place {
    bent: Vec3,
    cell: Cell,
}

fn place(grid: &Topology, request: &Request, bend: &Bend, row: usize, column: usize) -> Option<Place> {
    let position = request.lattice.position_in(&request.window, column, row)?;
    grid.locate(position)?; // outside a flat map there is nothing
    let bent = bend.bend(position * grid.metres_per_unit());
    // a flat map's border bends too; beyond it the nearest place inside counts for the lookup
    let cell = grid.locate(grid.nearest_inside(bent / grid.metres_per_unit()))?;
    Some(Place { bent, cell })
}

/// The cells under a window, found from samples about a quarter of a cell apart, and how many rings around them
/// may have been missed: one for the bend, which moves no place by as much as a cell, and one for the gaps.
fn touched_cells(grid: &Topology, request: &Request) -> (Vec<Cell>, usize) {
    let Window { width, height, .. } = request.window;
    let stride = ((0.25 * grid.cell_m() / request.lattice.spacing_m()) as usize).max(1);
    let columns = strided(width, stride);
    let cell = |row, column| grid.locate(request.lattice.position_in(&request.window, column, row)?);
    let mut cells: Vec<Cell> = strided(height, stride)
        .par_iter()
        .flat_map_iter(|&row| {
            let mut of_row: Vec<Cell> = columns.iter().filter_map(|&column| cell(row, column)).collect();
            of_row.dedup();
            of_row
        })
        .collect();
    cells.par_sort_unstable();
    cells.dedup();
    (cells, 1 + usize::from(stride > 1))
}

/// 0, `stride`, twice that, and so on below `n`, and always the last.
fn strided(n: usize, stride: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).step_by(stride).collect();
    if let Some(last) = n.checked_sub(1)
        && all.last() != Some(&last)
    {
        all.push(last);
    }
    all
}

/// The cells at most `rings` away from any of some sorted cells, sorted.
fn widened(grid: &Topology, cells: &[Cell], rings: usize) -> Vec<Cell> {
    let mut wide = cells.to_vec();
    let mut frontier = cells.to_vec();
    for _ in 0..rings {
        let mut next: Vec<Cell> = frontier.iter().flat_map(|&c| grid.neighbors(c).map(|(_, n)| n)).collect();
        next.par_sort_unstable();
        next.dedup();
        next.retain(|c| wide.binary_search(c).is_err());
        wide.extend_from_slice(&next);
        wide.par_sort_unstable();
        frontier = next;
    }
    wide
}

/// Generations of buttresses worth drawing: those of a generation are half as long as their parents'.
fn generations(grid: &Topology, spacing_m: f64) -> u8 {
    match Level::for_spacing(grid.cell_m(), spacing_m) {
        Level(0..=4) => 1,
        Level(5..=6) => 2,
        _ => 3,
    }
}

fn value(sample: &Sample, layer: Sampled) -> f32 {
    match layer {
        Sampled::Elevation => sample.elevation_m as f32,
        Sampled::Base => sample.base_m as f32,
        Sampled::Mountains => sample.mountains_m as f32,
        Sampled::WaterSurface => sample.water_surface_m as f32,
        Sampled::WaterDepth => (sample.water_surface_m - sample.elevation_m).max(0.0) as f32,
        Sampled::Discharge => sample.discharge_m3_s as f32,
        Sampled::Order => f32::from(sample.order),
        Sampled::Temperature => sample.temperature_c as f32,
        Sampled::Rain => sample.rain_mm as f32,
    }
}
