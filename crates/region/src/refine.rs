//! Refinement: the samples of a request, tile by tile.

use crate::bend::Bend;
use crate::derived;
use crate::drained::{self, Rivers, Tile};
use crate::envelope::Lists;
use crate::features::{self, CellFeatures, Maker};
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

/// Samples along a side of a tile of the method `classic`.
const SIDE: usize = 16;
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
    #[error(
        "a lattice of longitudes and latitudes needs a globe, one of metres a flat map, one of cells the same grid"
    )]
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
    /// Where the request keeps them.
    pub(crate) rivers: Option<Rivers>,
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

    pub(crate) fn new(request: &Request, layers: Vec<(Sampled, Vec<f32>)>) -> Self {
        Self { lattice: request.lattice.clone(), window: request.window, layers, rivers: None }
    }

    /// The same with the links of its rivers.
    pub(crate) fn with_rivers(self, rivers: Option<Rivers>) -> Self {
        Self { rivers, ..self }
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
    if !request.lattice.suits(grid) {
        return Err(RefineError::Lattice);
    }
    if request.layers.is_empty() {
        return Ok(Region::new(request, Vec::new()));
    }
    if derived::wanted(grid, request) {
        return derived::refine(source, request, progress);
    }
    let Window { width, height, .. } = request.window;
    let mut layers: Vec<(Sampled, Vec<f32>)> =
        request.layers.iter().map(|&layer| (layer, vec![0.0; width * height])).collect();
    let mut rivers = keeps_rivers(grid, request).then(Rivers::default);
    let rows = rows(grid, request);
    for top in (0..height).step_by(rows) {
        let strip = strip(request, top, rows.min(height - top));
        let share = |part: f64| progress((top as f64 + part * strip.window.height as f64) / height as f64);
        if drained::draws_channels(grid, request) {
            let found = drain(source, &strip, &mut layers, top * width, &share)?;
            rivers.iter_mut().zip(found).for_each(|(all, found)| all.merge(found));
        } else {
            fill(source, &strip, &mut layers, top * width, &share)?;
        }
    }
    Ok(Region::new(request, layers).with_rivers(rivers))
}

/// Samples prepared at a time, so that the features of a whole planet are never in memory together.
pub(crate) const STRIP_SAMPLES: usize = 4_000_000;

/// Cells whose channels are drawn at a time.
pub(crate) const STRIP_CELLS: usize = 120_000;

/// Rows prepared at a time.
fn rows(grid: &Topology, request: &Request) -> usize {
    let per_cell = grid.cell_m() / request.lattice.spacing_m();
    let samples = if drained::draws_channels(grid, request) {
        STRIP_SAMPLES.min((STRIP_CELLS as f64 * per_cell * per_cell) as usize)
    } else {
        STRIP_SAMPLES
    };
    (samples / request.window.width).max(1).next_multiple_of(SIDE)
}

/// Whether links of rivers are found along with samples.
pub(crate) fn keeps_rivers(grid: &Topology, request: &Request) -> bool {
    request.rivers && drained::draws_channels(grid, request)
}

/// The links of a window's rivers, for a method and a spacing that has them.
pub(crate) fn rivers(source: &impl CellSource, request: &Request) -> Result<Rivers, GatherError> {
    let (height, rows) = (request.window.height, rows(source.grid(), request));
    let mut all = Rivers::default();
    for top in (0..height).step_by(rows) {
        let strip = strip(request, top, rows.min(height - top)).with_rivers(true);
        let known = drained::Work::patch(source, &strip)?;
        all.merge(prepared(source, &known, &strip)?.rivers());
    }
    Ok(all)
}

/// The work on a window by the method `drainage`.
fn prepared<'a>(
    source: &impl CellSource,
    known: &'a drained::Known<'a>,
    request: &'a Request,
) -> Result<drained::Work<'a>, GatherError> {
    let levels = request.cache.levels(source.recipe());
    let mut work = drained::Work::new(known, Seed(source.recipe().seed), (request, &levels));
    request.cache.trim();
    work.find_basins(source)?;
    Ok(work)
}

/// Some rows of a request.
pub(crate) fn strip(request: &Request, top: usize, height: usize) -> Request {
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
    let mut bands: Vec<Vec<(Sampled, &mut [f32])>> = (0..height.div_ceil(SIDE)).map(|_| Vec::new()).collect();
    for (layer, values) in layers {
        let rows = &mut values[from..from + width * height];
        for (band, rows) in bands.iter_mut().zip(rows.chunks_mut(SIDE * width)) {
            band.push((*layer, rows));
        }
    }
    let done = AtomicUsize::new(0);
    let count = bands.len() as f64;
    bands.par_iter_mut().enumerate().for_each(|(band, rows)| {
        for column in (0..width).step_by(SIDE) {
            work.tile(band * SIDE, column, rows);
        }
        progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / count);
    });
    Ok(())
}

/// Computes a strip by the method `drainage` and writes it into the layers from an index on, tile by tile in parallel;
/// gives the links of rivers where they are kept.
fn drain(
    source: &impl CellSource,
    strip: &Request,
    layers: &mut [(Sampled, Vec<f32>)],
    from: usize,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Option<Rivers>, RefineError> {
    let known = drained::Work::patch(source, strip)?;
    let work = prepared(source, &known, strip)?;
    let tiles = Tile::of_window(&strip.window);
    let window = strip.window;
    let done = AtomicUsize::new(0);
    let lapse_c_m = source.recipe().climate.lapse_c_m();
    let of_layers: Vec<Sampled> = layers.iter().map(|(layer, _)| *layer).collect();
    for some in tiles.chunks(TOGETHER) {
        let made: Vec<(Tile, Vec<Vec<f32>>)> = some
            .par_iter()
            .map_init(Lists::default, |lists, &tile| {
                let samples = (drained::TILE * drained::TILE) as usize;
                let mut values: Vec<Vec<f32>> =
                    of_layers.iter().map(|_| Vec::with_capacity(samples)).collect();
                work.tile(tile, lists, |sample| {
                    for (values, layer) in values.iter_mut().zip(&of_layers) {
                        values.push(sample.map_or(f32::NAN, |sample| value(sample, *layer, lapse_c_m)));
                    }
                });
                (tile, values)
            })
            .collect();
        for (tile, values) in made {
            for ((_, layer), values) in layers.iter_mut().zip(values) {
                place_tile(tile, &values, window, &mut layer[from..from + window.width * window.height]);
            }
        }
        progress((done.fetch_add(some.len(), Ordering::Relaxed) + some.len()) as f64 / tiles.len() as f64);
    }
    Ok(keeps_rivers(source.grid(), strip).then(|| work.rivers()))
}

/// Tiles made between two reports.
const TOGETHER: usize = 128;

/// Copies what a window shares with a tile.
fn place_tile(tile: Tile, values: &[f32], window: Window, layer: &mut [f32]) {
    for (own, there) in tile.rows_within(window) {
        layer[there].copy_from_slice(&values[own]);
    }
}

/// What all tiles of a request share.
struct Work<'a> {
    request: &'a Request,
    patch: Patch<'a>,
    lapse_c_m: f64,
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
        let sampler = Sampler::new(grid, seed, spacing_m).with_texture(request.texture);
        let (touched, slack) = touched_cells(grid, request);
        let wants_rivers = request.layers.iter().any(|l| matches!(l, Sampled::Discharge | Sampled::Order));
        let featured = if sampler.near || wants_rivers {
            widened(grid, &touched, FEATURE_RINGS + slack)
        } else {
            Vec::new()
        };
        let rings = if featured.is_empty() { RINGS } else { FEATURE_RINGS + features::RINGS };
        let patch = Patch::fetch(source, widened(grid, &touched, rings + slack))?;
        let maker =
            Maker { patch: &patch, seed, cell_m: grid.cell_m(), generations: generations(grid, spacing_m) };
        let make = |&cell: &Cell| if sampler.near { maker.features(cell) } else { maker.rivers_only(cell) };
        let features = featured.par_iter().map(make).collect();
        let lapse_c_m = source.recipe().climate.lapse_c_m();
        Ok(Self { request, bend, sampler, spacing_m, featured, features, patch, lapse_c_m })
    }

    /// Computes one tile and writes it to the rows of its band.
    fn tile(&self, top: usize, left: usize, rows: &mut [(Sampled, &mut [f32])]) {
        let Window { width, height, .. } = self.request.window;
        let (bottom, right) = ((top + SIDE).min(height), (left + SIDE).min(width));
        let places: Vec<Option<Place>> = (top..bottom)
            .flat_map(|row| (left..right).map(move |column| (row, column)))
            .map(|(row, column)| self.place(row, column))
            .collect();
        let mut cells: Vec<Cell> = places.iter().flatten().map(|p| p.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let around: Vec<Neighborhood> = cells.iter().map(|&c| Neighborhood::of(&self.patch, c)).collect();
        let alone = rows.iter().any(|(layer, _)| layer.is_alone());
        let primitives = self.primitives(&places, &cells, alone);
        for (i, place) in places.iter().enumerate() {
            let at = i / (right - left) * width + left + i % (right - left);
            let sample = place.as_ref().and_then(|place| {
                let cell = cells.binary_search(&place.cell).ok()?;
                let mut sample = self.sampler.at(place.bent, &around[cell], &primitives);
                if alone {
                    sample.high = primitives.high_ground(place.bent);
                }
                Some(sample)
            });
            for (layer, values) in rows.iter_mut() {
                values[at] = sample.as_ref().map_or(f32::NAN, |s| value(s, *layer, self.lapse_c_m));
            }
        }
    }

    fn place(&self, row: usize, column: usize) -> Option<Place> {
        place(self.patch.grid, self.request, &self.bend, row, column)
    }

    /// The pieces of features that can matter to a tile.
    fn primitives(&self, places: &[Option<Place>], cells: &[Cell], alone: bool) -> Primitives {
        let mut primitives = Primitives::new(alone);
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
    if !request.wants(column, row) {
        return None;
    }
    let position = request.lattice.position_in(&request.window, column, row)?;
    grid.locate(position)?; // outside a flat map there is nothing
    let bent = bend.bend(position * grid.metres_per_unit());
    // a flat map's border bends too; beyond it the nearest place inside counts for the lookup
    let cell = grid.locate(grid.nearest_inside(bent / grid.metres_per_unit()))?;
    Some(Place { bent, cell })
}

/// The cells of a window and the rings around them that can weigh at its samples.
pub(crate) fn cells_near(grid: &Topology, request: &Request) -> Vec<Cell> {
    let (touched, slack) = touched_cells(grid, request);
    widened(grid, &touched, RINGS + slack)
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
pub(crate) fn widened(grid: &Topology, cells: &[Cell], rings: usize) -> Vec<Cell> {
    if cells.len() > grid.shape().len() / MANY {
        return many_widened(grid, cells, rings);
    }
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

/// From this share of all cells on, one over it, a mark for each of them is cheaper than sorting.
const MANY: usize = 64;

/// As [`widened`], by marks on all cells.
fn many_widened(grid: &Topology, cells: &[Cell], rings: usize) -> Vec<Cell> {
    let mut marked = vec![false; grid.shape().len()];
    cells.iter().for_each(|c| marked[c.index()] = true);
    let mut frontier = cells.to_vec();
    for _ in 0..rings {
        let around = frontier.iter().flat_map(|&c| grid.neighbors(c).map(|(_, n)| n));
        frontier = around.filter(|n| !std::mem::replace(&mut marked[n.index()], true)).collect();
    }
    grid.cells().filter(|c| marked[c.index()]).collect()
}

/// Generations of buttresses worth drawing: those of a generation are half as long as their parents'.
pub(crate) fn generations(grid: &Topology, spacing_m: f64) -> u8 {
    match Level::for_spacing(grid.cell_m(), spacing_m) {
        Level(0..=4) => 1,
        Level(5..=6) => 2,
        _ => 3,
    }
}

fn value(sample: &Sample, layer: Sampled, lapse_c_m: f64) -> f32 {
    match layer {
        Sampled::Elevation => sample.elevation_m as f32,
        Sampled::Base => sample.base_m as f32,
        Sampled::Mountains => sample.mountains_m as f32,
        Sampled::WaterSurface => sample.water_surface_m as f32,
        Sampled::WaterDepth => (sample.water_surface_m - sample.elevation_m).max(0.0) as f32,
        Sampled::Discharge => sample.discharge_m3_s as f32,
        Sampled::Order => f32::from(sample.order),
        Sampled::Temperature => sample.air.temperature_at_c(sample.water_surface_m, lapse_c_m) as f32,
        Sampled::Rain => sample.air.rain_mm as f32,
        Sampled::Basin => sample.basin,
        Sampled::Hand => sample.hand_m.map_or(f32::NAN, |hand_m| hand_m as f32),
        Sampled::Ridges => sample.high.ridges_m as f32,
        Sampled::Peaks => sample.high.peaks_m as f32,
        Sampled::Buttresses => sample.high.buttresses_m as f32,
        Sampled::Moisture => sample.moisture_mm as f32,
        Sampled::SurfaceRest => (sample.water_surface_m - f64::from(sample.water_surface_m as f32)) as f32,
        // filled by `derived`
        Sampled::FlowDirection | Sampled::LandCover => f32::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Globe, Nth, Purpose, Seed};

    #[test]
    fn marks_find_the_cells_around_that_sorting_finds() {
        let grid = Topology::Globe(Globe::new(24, 6.371e6).expect("in range"));
        let mut draw = Seed(8).key(Purpose::new("test/widened")).at(Nth(0));
        for rings in 0..4 {
            let few = grid.shape().len() / MANY;
            let mut cells: Vec<Cell> =
                (0..few).map(|_| Cell(draw.below(grid.shape().len() as u32))).collect();
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(widened(&grid, &cells, rings), many_widened(&grid, &cells, rings));
        }
    }
}
