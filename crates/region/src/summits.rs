//! Summits of the land that is drawn.
//!
//! Peaks of a world's cells ([`crate::vectors::Summit`]) are what the land is made from: where a template was set, before water
//! shaped the ground. The summits that one sees stand elsewhere, and samples that lie far apart miss them. Here they are
//! looked for in the refined land itself, always with the same distances between samples: so a summit has one place and one
//! height, whoever asks, from however far.
//!
//! [`climb`] goes up from a rough place; [`within`] finds the summits of a window that are worth naming, [`highest`] that
//! of a world. Rough places come from the world's own cells, or, where a window is too small for that, from samples whose
//! distance follows from how far summits shall be apart, not from how finely the window is drawn.
//!
//! What it neglects: a summit so narrow that coarse samples miss it, on the side of a mountain that they find higher.

mod ground;

use crate::cache::Cache;
use crate::lattice::{Lattice, Window};
use crate::patch;
use crate::refine::{self, RefineError, refine};
use crate::request::{Method, Request, RequestError, Sampled};
use crate::vectors::{Border, Place, place};
use grid::{Cell, Grid, Topology, Vec3, math};
use ground::Ground;
use rayon::prelude::*;
use world::CellSource;

/// Distance between the samples that a summit is one of, in metres.
pub const SPACING_M: f64 = 30.0;

/// Coarser samples, from which one comes near, are so many times as far apart.
const COARSER: f64 = 6.0;
/// Samples from a place to the sides of the window that is looked at around it, at most.
const HALF: f64 = 48.0;
/// From farther than this, in metres, nobody climbs: the other side of a planet is reached.
const FARTHEST_M: f64 = 1e7;
/// Windows that are looked at with one distance between samples, at most: each is around the highest place of the last.
const MOST_STEPS: usize = 40;
/// Samples of rough places, at most, and the part of the distance between summits that they are apart.
const ROUGH_SAMPLES: f64 = 65_536.0;
const ROUGH_SHARE: f64 = 0.125;
/// They are higher than all so many samples around.
const RINGS: usize = 2;
/// Their lattice begins at a place whose coordinates are whole numbers of so many of their distances.
const SNAP: f64 = 8.0;
/// Rough places that are samples are farther apart than so many cells nowhere: cells tell as much.
const ROUGH_CELLS: f64 = 0.25;
/// Cells read at a time.
const BATCH: usize = 65_536;
/// Rough places that are climbed from for the highest summit of all, and cells between two of them.
const CANDIDATES: usize = 32;
const NEAR_CELLS: f64 = 1.5;

/// Around the highest summit one looks once more, with samples of the second distance: so many cells to all sides, and at most so many
/// samples. Where water has cut the ground, a higher one may stand in a cell that is lower.
const AROUND_CELLS: f64 = 1.5;
const AROUND: f64 = 200.0;
/// From so many of the highest of those one climbs.
const AROUND_FEW: usize = 8;

/// Of summits that coarse samples show, those are looked at closely that have no higher one in this part of the distance wanted, and
/// those of this share of the height of the highest.
const LOOSELY: f64 = 0.75;
const GREAT: f64 = 0.9;

/// A summit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Top {
    /// Where it is.
    pub place: Place,
    /// Height of the ground there in metres.
    pub height_m: f64,
}

/// Which summits are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Least distance between two, in metres.
    pub apart_m: f64,
    /// At most how many are climbed to, beside up to 32 of the highest.
    pub most: usize,
    /// Least height above the lowest ground nearby, in metres.
    pub relief_m: f64,
    /// Least height as a share of the highest one's; rough places of two thirds of that are not climbed from.
    pub least_share: f64,
}

/// Why summits cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum SummitError {
    /// A place or a distance out of range.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The world cannot be read.
    #[error(transparent)]
    Refine(#[from] RefineError),
}

/// Climbs from a rough place to the summit of the land around it: the highest sample of windows that reach `reach_m` metres
/// (at least a sample, with the finest samples at most 1.4 km) to all sides, each around the highest place of the
/// last, until that is the highest itself; first with coarse samples, then with those of [`SPACING_M`]. None off the world.
///
/// # Errors
/// A world that cannot be read; a place that is none.
pub fn climb(
    source: &impl CellSource,
    cache: &Cache,
    from: Place,
    reach_m: f64,
) -> Result<Option<Top>, SummitError> {
    let mut ground = Ground::new(source, cache);
    let mut top = None;
    let mut at = from;
    for spacing_m in spacings(reach_m) {
        top = climb_with(&mut ground, &[at], (spacing_m, reach_m))?.pop();
        let Some(found) = top else { return Ok(None) };
        at = found.place;
    }
    Ok(top)
}

/// Climbs with samples of one distance: the highest of windows around each place, each around the highest place of the last.
/// Without those off the world.
fn climb_with(
    ground: &mut Ground<impl CellSource>,
    from: &[Place],
    (spacing_m, reach_m): (f64, f64),
) -> Result<Vec<Top>, SummitError> {
    let grid = ground.source.grid();
    let half = (reach_m / spacing_m).clamp(1.0, HALF);
    let around = |place: Place| window_around(grid, place, (spacing_m, half));
    let mut climbing = from.to_vec();
    let (mut arrived, mut late) = (Vec::new(), Vec::new());
    for _ in 0..MOST_STEPS {
        let windows: Vec<_> = climbing.iter().map(|&at| around(at)).collect();
        ground.find(&windows)?;
        let higher = |(at, (lattice, window)): (Place, &(Lattice, Window))| {
            Some((at, highest_in(grid, lattice, window, &ground.heights(lattice, window))?))
        };
        let next: Vec<(Place, Top)> = climbing.into_iter().zip(&windows).filter_map(higher).collect();
        let (there, on): (Vec<_>, Vec<_>) = next.into_iter().partition(|(at, top)| top.place == *at);
        arrived.extend(there.into_iter().map(|(_, top)| top));
        climbing = on.iter().map(|(_, top)| top.place).collect();
        if climbing.is_empty() {
            return Ok(arrived);
        }
        late = on;
    }
    arrived.extend(late.into_iter().map(|(_, top)| top));
    Ok(arrived)
}

/// The highest of some summits, or of those that are higher still and stand around it, beyond where it was climbed from.
fn with_higher(ground: &mut Ground<impl CellSource>, mut tops: Vec<Top>) -> Result<Vec<Top>, SummitError> {
    let grid = ground.source.grid();
    let spacing_m = COARSER * SPACING_M;
    let half = (AROUND_CELLS * grid.cell_m() / spacing_m).clamp(HALF, AROUND);
    for _ in 0..MOST_STEPS {
        let highest = tops.iter().copied().max_by(|a, b| a.height_m.total_cmp(&b.height_m));
        let Some(highest) = highest else { break };
        let (lattice, window) = window_around(grid, highest.place, (spacing_m, half));
        ground.find(&[(lattice.clone(), window)])?;
        let rough = highest_few(grid, (&lattice, &window), &ground.heights(&lattice, &window));
        let found = climb_with(ground, &rough, (SPACING_M, HALF * SPACING_M))?;
        let higher = found.into_iter().filter(|top| top.height_m > highest.height_m);
        let before = tops.len();
        tops.extend(higher);
        if tops.len() == before {
            break;
        }
    }
    Ok(tops)
}

/// The highest samples of a window, as far apart as climbs with the finest samples reach.
fn highest_few(grid: &Topology, (lattice, window): (&Lattice, &Window), heights: &[f32]) -> Vec<Place> {
    let apart = (HALF * SPACING_M / lattice.step()).ceil() as usize;
    let mut order: Vec<usize> = (0..heights.len()).filter(|&i| !heights[i].is_nan()).collect();
    order.sort_by(|&a, &b| heights[b].total_cmp(&heights[a]).then(a.cmp(&b)));
    let mut few: Vec<(usize, usize)> = Vec::new();
    for (column, row) in order.into_iter().map(|i| (i % window.width, i / window.width)) {
        let is_near = |&(c, r): &(usize, usize)| c.abs_diff(column).max(r.abs_diff(row)) < apart;
        if few.len() < AROUND_FEW && !few.iter().any(is_near) {
            few.push((column, row));
        }
    }
    let position = |(column, row)| lattice.position_in(window, column, row);
    few.into_iter().filter_map(position).map(|position| place(grid, position)).collect()
}

/// Distances between samples with which one comes nearer from so far, the greatest first.
fn spacings(reach_m: f64) -> Vec<f64> {
    let reach_m = reach_m.clamp(SPACING_M, FARTHEST_M);
    let mut all = vec![SPACING_M];
    while let Some(last) = all.last().copied().filter(|last| HALF * last < reach_m) {
        all.push(COARSER * last);
    }
    all.reverse();
    all
}

/// The lattice and the window around a place that reaches so many samples to all sides.
fn window_around(grid: &Topology, [x, y]: Place, (spacing_m, half): (f64, f64)) -> (Lattice, Window) {
    Lattice::around_place(grid, (x, y), (spacing_m, half as u32))
}

/// The highest sample of a window: the middle one, if none is higher.
fn highest_in(grid: &Topology, lattice: &Lattice, window: &Window, heights: &[f32]) -> Option<Top> {
    let side = window.width;
    let middle = heights.len() / 2;
    let mut best: Option<usize> = (heights.get(middle).is_some_and(|z| !z.is_nan())).then_some(middle);
    for (i, &z) in heights.iter().enumerate().filter(|(_, z)| !z.is_nan()) {
        if best.is_none_or(|b| z > heights[b]) {
            best = Some(i);
        }
    }
    let best = best?;
    let position = lattice.position_in(window, best % side, best / side)?;
    Some(Top { place: place(grid, position), height_m: f64::from(heights[best]) })
}

/// The summits of a window that are so far apart, the highest first. They depend on the window's extent, not on its samples.
///
/// # Errors
/// A world that cannot be read; a window out of range.
pub fn within(
    source: &impl CellSource,
    cache: &Cache,
    (lattice, window): (&Lattice, &Window),
    wanted: &Wanted,
) -> Result<Vec<Top>, SummitError> {
    let grid = source.grid();
    let layers = vec![Sampled::WaterSurface, Sampled::WaterDepth];
    let request = Request::of_any_size(lattice.clone(), *window, layers.clone(), Method::Drainage)?;
    if !lattice.suits(grid) {
        return Err(RefineError::Lattice.into());
    }
    let border = Border::new(&request, None);
    let mut spacing_m = SPACING_M;
    while spacing_m < ROUGH_SHARE * wanted.apart_m && spacing_m <= ROUGH_CELLS * grid.cell_m() {
        spacing_m *= 2.0;
    }
    let (rough, reach_m) = if spacing_m > ROUGH_CELLS * grid.cell_m() {
        (of_cells(source, &refine::cells_near(grid, &request), wanted.relief_m)?, 0.5 * grid.cell_m())
    } else {
        let (lattice, window) = rough_window(grid, (lattice, window), spacing_m);
        let request = Request::new(lattice, window, layers, Method::Drainage)?.with_cache(cache);
        let reach_m = (0.25 * wanted.apart_m).clamp(5.0 * SPACING_M, 0.5 * grid.cell_m());
        (of_samples(source, &request, wanted.relief_m)?, reach_m)
    };
    let holds = |top: &Top| border.holds(border.on_plane(top.place));
    let rough = high_enough(rough.into_iter().filter(holds).collect(), 0.67 * wanted.least_share);
    let rough = [
        spread(grid, rough.clone(), 0.75 * wanted.apart_m, wanted.most),
        // of places as high as the highest, another may have the higher summit
        spread(
            grid,
            rough,
            (0.5 * wanted.apart_m).min(NEAR_CELLS * grid.cell_m()),
            CANDIDATES.min(wanted.most),
        ),
    ];
    let rough = spread(grid, rough.concat(), 0.0, usize::MAX);
    let tops =
        climb_all(source, cache, rough, (reach_m, wanted.apart_m))?.into_iter().filter(holds).collect();
    let tops = high_enough(tops, wanted.least_share);
    Ok(spread(grid, tops, wanted.apart_m, usize::MAX))
}

/// Those that are at least a share as high as the highest, if any is above 0.
fn high_enough(tops: Vec<Top>, share: f64) -> Vec<Top> {
    let highest = tops.iter().map(|top| top.height_m).fold(0.0, f64::max);
    tops.into_iter().filter(|top| share <= 0.0 || top.height_m >= share * highest).collect()
}

/// The highest summit of a world, as far as its cells tell where to climb; none of a world without land.
///
/// # Errors
/// A world that cannot be read.
pub fn highest(source: &impl CellSource, cache: &Cache) -> Result<Option<Top>, SummitError> {
    let grid = source.grid();
    let cells: Vec<Cell> = grid.cells().collect();
    let rough = of_cells(source, &cells, 0.0)?;
    let rough = spread(grid, rough, NEAR_CELLS * grid.cell_m(), CANDIDATES);
    let tops = climb_all(source, cache, rough, (0.5 * grid.cell_m(), grid.cell_m()))?;
    Ok(spread(grid, tops, 0.0, 1).pop())
}

/// The summits that are reached from rough places, but for those that have a higher one beside them already as coarse samples show them.
fn climb_all(
    source: &impl CellSource,
    cache: &Cache,
    rough: Vec<Top>,
    (reach_m, apart_m): (f64, f64),
) -> Result<Vec<Top>, SummitError> {
    let mut ground = Ground::new(source, cache);
    let grid = source.grid();
    let mut tops = rough;
    for spacing_m in spacings(reach_m) {
        let places: Vec<Place> = tops.iter().map(|top| top.place).collect();
        let up = climb_with(&mut ground, &places, (spacing_m, reach_m))?;
        // what may be the highest stays
        let great = high_enough(up.clone(), GREAT);
        let others = spread(grid, up, LOOSELY * apart_m, usize::MAX);
        tops = spread(grid, [great, others].concat(), 0.0, usize::MAX);
    }
    // neither cells nor samples that lie far apart tell of every summit
    with_higher(&mut ground, tops)
}

/// The highest of some places that are farther from each other than a distance, the highest first.
fn spread(grid: &Topology, mut tops: Vec<Top>, apart_m: f64, most: usize) -> Vec<Top> {
    let order = |a: &Top, b: &Top| {
        let places = a.place.iter().zip(&b.place);
        let places = places.map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne());
        b.height_m.total_cmp(&a.height_m).then(places.unwrap_or(std::cmp::Ordering::Equal))
    };
    tops.sort_by(order);
    let mut kept: Vec<(Top, Vec3)> = Vec::new();
    for top in tops {
        if kept.len() >= most {
            break;
        }
        let at = position_m(grid, top.place);
        // two ways to one summit are one
        if kept.iter().all(|(_, other)| other.distance(at) >= apart_m.max(SPACING_M)) {
            kept.push((top, at));
        }
    }
    kept.into_iter().map(|(top, _)| top).collect()
}

/// A place as grids use it, in metres.
fn position_m(grid: &Topology, [x, y]: Place) -> Vec3 {
    match grid {
        Topology::Globe(globe) => math::from_lon_lat(x, y) * globe.radius_m(),
        Topology::Flat(_) => Vec3::new(x, y, 0.0),
    }
}

/// Dry cells that are higher than all beside them, and by some metres than the lowest of those.
fn of_cells(source: &impl CellSource, cells: &[Cell], relief_m: f64) -> Result<Vec<Top>, SummitError> {
    let grid = source.grid();
    let mut heights = vec![f32::NAN; grid.shape().len()];
    let mut dry = vec![false; heights.len()];
    for batch in cells.chunks(BATCH) {
        for (cell, state) in batch.iter().zip(patch::gather(source, batch).map_err(RefineError::from)?) {
            let is_dry = state.is_land() && state.lake.is_none();
            dry[cell.index()] = is_dry;
            heights[cell.index()] = match (is_dry, state.is_land()) {
                (true, _) => (state.base_elevation_m + state.mountain_height_m) as f32,
                (false, true) => state.water_level_m as f32,
                (false, false) => 0.0,
            };
        }
    }
    let height = |c: Cell| heights[c.index()];
    let stands_out = |c: Cell| {
        let around = grid.neighbors(c).map(|(_, n)| height(n)).filter(|z| !z.is_nan());
        f64::from(height(c) - around.fold(height(c), f32::min)) >= relief_m
    };
    let is_lower = |n: Cell, c: Cell| height(n).is_nan() || (height(n), n) < (height(c), c);
    let is_top =
        |&c: &Cell| dry[c.index()] && grid.neighbors(c).all(|(_, n)| is_lower(n, c)) && stands_out(c);
    let top = |&c: &Cell| Top { place: place(grid, grid.center(c)), height_m: f64::from(height(c)) };
    Ok(cells.par_iter().filter(|c| is_top(c)).map(top).collect())
}

/// The window of metres that covers another, with samples farther apart where those would be too many.
fn rough_window(
    grid: &Topology,
    (lattice, window): (&Lattice, &Window),
    mut spacing_m: f64,
) -> (Lattice, Window) {
    const PROBES: usize = 16;
    let along = |k: usize, side: usize| (side as f64 + 1.0) * k as f64 / PROBES as f64 - 1.0;
    let probe = |k: usize| {
        let (column, row) = (along(k % (PROBES + 1), window.width), along(k / (PROBES + 1), window.height));
        lattice.between(window.west as f64 + column, window.north as f64 - row)
    };
    let middle = (PROBES + 1) * (PROBES + 1) / 2;
    let places: Vec<Place> =
        (0..(PROBES + 1) * (PROBES + 1)).filter_map(probe).map(|p| place(grid, p)).collect();
    let origin = probe(middle).map(|p| place(grid, p)).or(places.first().copied()).unwrap_or_default();
    let origin = snapped(grid, origin, SNAP * spacing_m);
    loop {
        let rough = Lattice::of_metres(grid, origin.into(), spacing_m);
        let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
        for &[x, y] in &places {
            let (x, y) = rough.project(x, y);
            (low, high) = ([low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)]);
        }
        let count = (0..2).map(|k| ((high[k] - low[k]) / spacing_m).max(1.0)).product::<f64>();
        if count <= ROUGH_SAMPLES || spacing_m > FARTHEST_M {
            let window = rough.window(low[0], low[1], high[0], high[1]);
            // what is the highest around is known of samples at the rim too
            let (rim, width, height) = (RINGS as i64, window.width.max(1), window.height.max(1));
            let wider = |side: usize| side + 2 * RINGS;
            let (west, north) = (window.west - rim, window.north + rim);
            return (rough, Window { west, north, width: wider(width), height: wider(height) });
        }
        spacing_m *= 2.0;
    }
}

/// The nearest place whose coordinates are whole numbers of a length, in metres: windows that are nearly the same have the same rough samples.
fn snapped(grid: &Topology, [x, y]: Place, step_m: f64) -> Place {
    let step = match grid {
        Topology::Globe(globe) => (step_m / globe.radius_m()).to_degrees(),
        Topology::Flat(_) => step_m,
    };
    let [x, y] = [x, y].map(|v| math::round(v / step) * step);
    match grid {
        Topology::Globe(_) => [x, y.clamp(-90.0, 90.0)],
        Topology::Flat(_) => [x, y],
    }
}

/// Dry samples that are higher than all around, and by some metres than the lowest of those.
fn of_samples(source: &impl CellSource, request: &Request, relief_m: f64) -> Result<Vec<Top>, SummitError> {
    let region = refine(source, request, &|_| {})?;
    let layer = |l| region.layer(l).unwrap_or_default();
    let (heights, depths) = (layer(Sampled::WaterSurface), layer(Sampled::WaterDepth));
    let Window { width, height, .. } = region.window;
    let around = |i: usize| {
        let near = |at: usize, side: usize| at.saturating_sub(RINGS)..(at + RINGS + 1).min(side);
        near(i / width, height).flat_map(move |r| near(i % width, width).map(move |c| r * width + c))
    };
    let is_top = |&i: &usize| {
        let z = heights[i];
        let is_lower = |n: usize| n == i || heights[n].is_nan() || (heights[n], n) < (z, i);
        let lowest = || around(i).map(|n| heights[n]).fold(z, f32::min);
        !z.is_nan() && depths[i] <= 0.0 && around(i).all(is_lower) && f64::from(z - lowest()) >= relief_m
    };
    let top = |i: usize| {
        let position = region.lattice.position_in(&region.window, i % width, i / width)?;
        Some(Top { place: place(source.grid(), position), height_m: f64::from(heights[i]) })
    };
    Ok((0..heights.len()).filter(is_top).filter_map(top).collect())
}

#[cfg(test)]
mod tests;
