//! Layers that are made from other layers, from neighbouring samples, or from more of the world than refinement reads:
//! flow direction, basin, land cover.
//!
//! They are made strip by strip from the layers they need, which are refined beside them and dropped again. Flow
//! direction sees one sample beyond the window on each side, so that it depends on the window as little as any other.

use crate::blend::{Share, blend_with};
use crate::drained::{self, Rivers};
use crate::land_cover::Climates;
use crate::lattice::{Lattice, Window};
use crate::refine::{self, RefineError, Region, STRIP_SAMPLES};
use crate::request::{Request, Sampled};
use grid::{Cell, Direction, Grid, Seed, Topology, Vec3};
use rayon::prelude::*;
use world::CellSource;

/// Samples beyond the window that a strip is refined with.
const HALO: usize = 1;

/// Whether a request asks for such a layer.
pub(crate) fn wanted(grid: &Topology, request: &Request) -> bool {
    request.layers.iter().any(|&layer| is_derived(grid, request, layer))
}

/// Channels know their basins.
fn is_derived(grid: &Topology, request: &Request, layer: Sampled) -> bool {
    let known = layer == Sampled::Basin && drained::draws_channels(grid, request);
    !known && !needs(layer).is_empty()
}

/// What a derived layer is made from.
fn needs(layer: Sampled) -> &'static [Sampled] {
    match layer {
        Sampled::FlowDirection => {
            &[Sampled::WaterSurface, Sampled::SurfaceRest, Sampled::WaterDepth, Sampled::Discharge]
        }
        Sampled::Basin | Sampled::LandCover => &[Sampled::WaterSurface, Sampled::WaterDepth],
        _ => &[],
    }
}

/// Refines the layers of a request of which some are derived.
pub(crate) fn refine(
    source: &impl CellSource,
    request: &Request,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Region, RefineError> {
    let Window { width, height, .. } = request.window;
    let mut layers: Vec<(Sampled, Vec<f32>)> =
        request.layers.iter().map(|&layer| (layer, Vec::with_capacity(width * height))).collect();
    let mut rivers = refine::keeps_rivers(source.grid(), request).then(Rivers::default);
    let rows = (STRIP_SAMPLES / width).max(1).next_multiple_of(TILE);
    for top in (0..height).step_by(rows) {
        let strip = refine::strip(request, top, rows.min(height - top));
        let share = |part: f64| progress((top as f64 + part * strip.window.height as f64) / height as f64);
        let made = Strip::refine(source, &strip, &share)?;
        for (layer, values) in &mut layers {
            values.extend(made.layer(source, *layer)?);
        }
        rivers.iter_mut().zip(made.wide.rivers).for_each(|(all, found)| all.merge(found));
    }
    Ok(Region::new(request, layers).with_rivers(rivers))
}

/// In the layer of basins: the sea, or water that reaches no river's outlet.
pub(crate) const NO_BASIN: f32 = -1.0;

/// Strips begin at whole tiles of the window.
const TILE: usize = 16;

/// A strip with what its layers are made from.
struct Strip<'a> {
    request: &'a Request,
    /// Refined with a halo where a layer needs one.
    wide: Region,
    halo: usize,
}

impl<'a> Strip<'a> {
    fn refine(
        source: &impl CellSource,
        request: &'a Request,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Self, RefineError> {
        let halo = if request.layers.contains(&Sampled::FlowDirection) { HALO } else { 0 };
        let derived = |layer: &Sampled| is_derived(source.grid(), request, *layer);
        let mut plain: Vec<Sampled> = request.layers.iter().copied().filter(|l| !derived(l)).collect();
        plain.extend(request.layers.iter().filter(|l| derived(l)).flat_map(|&layer| needs(layer)));
        plain.sort_unstable();
        plain.dedup();
        let Window { west, north, width, height } = request.window;
        let window = Window {
            west: west - halo as i64,
            north: north + halo as i64,
            width: width + 2 * halo,
            height: height + 2 * halo,
        };
        // beyond the mask there is ground too, which says where the outermost samples drain
        let mask = request.mask.clone().filter(|_| halo == 0);
        let wide = Request { window, layers: plain, mask, ..request.clone() };
        Ok(Self { request, wide: refine::refine(source, &wide, progress)?, halo })
    }

    /// The values of a layer over the strip itself.
    fn layer(&self, source: &impl CellSource, layer: Sampled) -> Result<Vec<f32>, RefineError> {
        let mut values = match layer {
            Sampled::FlowDirection => self.flow_direction(source.grid()),
            Sampled::Basin if is_derived(source.grid(), self.request, layer) => self.basin(source)?,
            Sampled::LandCover => self.land_cover(source)?,
            plain => self.inner(plain),
        };
        if self.request.mask.is_some() {
            let width = self.request.window.width;
            let outside = |i: usize| !self.request.wants(i % width, i / width);
            values.iter_mut().enumerate().filter(|(i, _)| outside(*i)).for_each(|(_, v)| *v = f32::NAN);
        }
        Ok(values)
    }

    /// A refined layer without its halo.
    fn inner(&self, layer: Sampled) -> Vec<f32> {
        let all = self.wide.layer(layer).unwrap_or_default();
        let columns = self.halo..self.halo + self.request.window.width;
        let rows = all.chunks_exact(self.wide.window.width).skip(self.halo);
        rows.take(self.request.window.height).flat_map(|row| &row[columns.clone()]).copied().collect()
    }

    /// Surface of the water or the ground, and whether that is the sea, of each sample.
    fn water(&self) -> Vec<(f32, bool)> {
        let (surface, depth) = (self.inner(Sampled::WaterSurface), self.inner(Sampled::WaterDepth));
        surface.into_iter().zip(depth).map(|(s, d)| (s, is_sea(s, d))).collect()
    }

    /// The number of the basin of the cell that is nearest in bent space; exact up to 2^24.
    fn basin(&self, source: &impl CellSource) -> Result<Vec<f32>, RefineError> {
        let cells = refine::cells_near(source.grid(), self.request);
        let basins = source.basins(&cells)?;
        let water = self.water();
        let of = |cell: Cell| cells.binary_search(&cell).ok().and_then(|i| basins[i]);
        Ok(self.blended(source, |i, shares| {
            let dry = shares.iter().filter(|_| !water[i].1);
            let nearest = dry.max_by(|a, b| a.share.total_cmp(&b.share).then(b.cell.cmp(&a.cell)));
            nearest.and_then(|share| of(share.cell)).map_or(NO_BASIN, |basin| basin as f32)
        }))
    }

    fn land_cover(&self, source: &impl CellSource) -> Result<Vec<f32>, RefineError> {
        let cells = refine::cells_near(source.grid(), self.request);
        let climates = Climates::fetch(source, cells)?;
        let water = self.water();
        Ok(self.blended(source, |i, shares| {
            let (surface_m, sea) = water[i];
            if sea { 0.0 } else { f32::from(climates.class(shares, surface_m)) }
        }))
    }

    fn blended(&self, source: &impl CellSource, value: impl Fn(usize, &[Share]) -> f32 + Sync) -> Vec<f32> {
        let at = (source.grid(), Seed(source.recipe().seed));
        blend_with(at, (&self.request.lattice, &self.request.window), f32::NAN, |_| true, value)
    }

    /// ESRI's code of the steepest way down over the surface, which is known more closely here than its layer tells; of equal ones the
    /// first clockwise from north. Standing water goes nowhere; rivers keep to water where any is lower.
    fn flow_direction(&self, grid: &Topology) -> Vec<f32> {
        let Window { width, height, .. } = self.request.window;
        let [surface, rest, depth, discharge] =
            [Sampled::WaterSurface, Sampled::SurfaceRest, Sampled::WaterDepth, Sampled::Discharge]
                .map(|layer| self.wide.layer(layer).unwrap_or_default());
        let mut codes = vec![f32::NAN; width * height];
        codes.par_chunks_mut(width).enumerate().for_each(|(row, out)| {
            let rows = [row, row + 1, row + 2].map(|r| positions(&self.wide.lattice, &self.wide.window, r));
            let index = |r: usize, c: usize| (row + r) * (width + 2) + c;
            let at = |r: usize, c: usize| {
                let z = f64::from(surface[index(r, c)]) + f64::from(rest[index(r, c)]);
                rows[r][c].filter(|_| !z.is_nan()).map(|p| (p * grid.metres_per_unit(), z))
            };
            for (column, code) in out.iter_mut().enumerate() {
                if let Some(here) = at(1, column + 1) {
                    let beside = |d: Direction| {
                        let (dr, dc) = d.offset();
                        ((1 + dr) as usize, (column as i64 + 1 + dc) as usize)
                    };
                    let there = |d: Direction| {
                        let (r, c) = beside(d);
                        at(r, c)
                    };
                    let water = |d: Direction| {
                        let (r, c) = beside(d);
                        at(r, c).filter(|_| depth[index(r, c)] > 0.0)
                    };
                    let (wet, runs) =
                        (depth[index(1, column + 1)] > 0.0, discharge[index(1, column + 1)] > 0.0);
                    let way = match (wet, runs) {
                        (true, false) => None,
                        (_, true) => steepest(here, water).or_else(|| steepest(here, there)),
                        (false, false) => steepest(here, there),
                    };
                    *code = way.map_or(0.0, |d| f32::from(d.esri()));
                }
            }
        });
        codes
    }
}

/// The sea stands at 0, and nothing else with water under it does.
pub(crate) fn is_sea(surface_m: f32, depth_m: f32) -> bool {
    depth_m > 0.0 && surface_m == 0.0
}

fn positions(lattice: &Lattice, window: &Window, row: usize) -> Vec<Option<Vec3>> {
    (0..window.width).map(|column| lattice.position_in(window, column, row)).collect()
}

/// The direction of the steepest descent; of equal ones the first clockwise from north.
fn steepest((place, z): (Vec3, f64), there: impl Fn(Direction) -> Option<(Vec3, f64)>) -> Option<Direction> {
    let mut best = (0.0, None);
    for direction in Direction::ALL {
        let Some((other, lower)) = there(direction).filter(|&(_, other)| other < z) else { continue };
        let slope = (z - lower) / place.distance(other);
        if slope > best.0 {
            best = (slope, Some(direction));
        }
    }
    best.1
}
