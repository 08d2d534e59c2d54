//! Descents: the way of the water from a place, along the rivers as the land is drawn.
//!
//! A river of the drainage is drawn a little otherwise at every level, and the world's own cells know it to within a cell
//! only. So a way is followed in windows around the place, each with samples four times as far apart as in the one
//! before: at any distance it is the river that one sees on a map which shows that much. From a place on a hillside water
//! first runs from sample to sample, always down. Beyond the last window the way goes on along the world's cells
//! ([`crate::river_lines`]), from the cell that [`Descent::goes_on`] names.
//!
//! What it neglects: where one window ends and the next one goes on the line may jump to the side, by about a sample of the next.

use crate::cache::Cache;
use crate::derived::is_sea;
use crate::drained;
use crate::lattice::{Lattice, Window};
use crate::refine::{RefineError, refine};
use crate::request::{Method, Request, RequestError, Sampled};
use crate::vectors::{self, Place, RiverLine};
use grid::{Cell, Direction, Grid, Topology, Vec3, math};
use world::{CellSource, CellState, GatherError};

/// Samples along a side of a window, and how far those of the first lie apart, in metres.
const SIDE: i64 = 256;
const FINEST_M: f64 = 30.0;
/// The samples of a window lie so many times as far apart as those of the one before.
const COARSER: f64 = 4.0;
/// The last window has samples that lie no farther apart than so many cells.
const COARSEST_CELLS: f64 = 0.5;
/// Windows are no wider than this share of the planet's radius: farther out their lattice is bent.
const WIDEST: f64 = 0.5;
/// A river is found again within so many samples; one of twice or half the discharge counts as if it lay so many farther away.
const AWAY: f64 = 12.0;
const OTHER: f64 = 4.0;
/// From a hillside a river is reached that lies no farther away than so many samples.
const BESIDE: f64 = 3.0;
/// A line is joined at so many times the distance from it.
const SLANT: f64 = 1.5;
/// Lines that end so many samples from a window's rim go on beyond it.
const RIM: f64 = 2.0;
/// Rivers whose lines end with their water this high, or this low, end in the sea, in metres.
const SEA_M: f64 = 2.0;
/// A river of the world is looked for in the cells so near to a place: arms of deltas may end two cells from where they begin.
const RINGS: usize = 2;
/// A closed lake is one of so many cells around a place.
const NEAREST: usize = 5;

/// Why a way could not be followed.
#[derive(Debug, thiserror::Error)]
pub enum DescentError {
    /// The place lies so far from where a lattice begins that its samples cannot be counted.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The world could not be read.
    #[error(transparent)]
    Refine(#[from] RefineError),
}

impl From<GatherError> for DescentError {
    fn from(error: GatherError) -> Self {
        Self::Refine(error.into())
    }
}

/// A place of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Longitude and latitude, or metres on a flat map.
    pub place: Place,
    /// The bed of the river, or the ground on a hillside, in metres.
    pub bed_m: f64,
    /// The surface of the water there, in metres.
    pub surface_m: f64,
    /// Of the river in m3/s; 0 on a hillside.
    pub discharge_m3_s: f64,
}

/// What a way of the water ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The sea.
    Sea,
    /// A lake without outflow, by its number.
    ClosedLake(u32),
}

/// A way of the water, as far as windows show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Descent {
    /// From the place down: neither bed nor surface rises.
    pub steps: Vec<Step>,
    /// Number of the world's basin that the place lies in; none where water reaches no river's outlet.
    pub basin: Option<u32>,
    /// What the water comes to at the last one; none where it goes on.
    pub ends: Option<Ending>,
    /// The cell whose river it is at the last one: of the basin's cells there the one that about as much runs out of, else, but where the
    /// water has come to the sea, the nearest. Where it has come to a closed lake one of that lake.
    pub goes_on: Option<Cell>,
}

impl Descent {
    /// Follows the water from a place: longitude and latitude in degrees, or metres on a flat map; none in the sea.
    ///
    /// Cost: five windows, of which one with samples; some tenths of a second, less of places whose drainage the cache holds.
    ///
    /// # Errors
    /// See [`DescentError`].
    pub fn from(source: &impl CellSource, place: Place, cache: &Cache) -> Result<Option<Self>, DescentError> {
        let Some(basin) = basin(source, place, cache)? else { return Ok(None) };
        let mut way = Self { basin, ..Self::default() };
        let mut at = At { place, discharge_m3_s: None };
        for spacing_m in spacings(source.grid()) {
            let view = (place, spacing_m);
            // the middle of a lake may lie far from the line through it
            let mut within = AWAY;
            if at.discharge_m3_s.is_none() {
                let steps = hillside(source, view, at.place, cache)?;
                if let Some(last) = steps.last() {
                    (at.place, within) = (last.place, BESIDE);
                }
                way.steps.extend(steps);
            }
            let around = Around::new(source, view, cache)?;
            let Some(found) = around.follow(&at, within) else { continue };
            let last = found.steps[found.steps.len() - 1];
            way.steps.extend(&found.steps);
            at = At { place: last.place, discharge_m3_s: Some(last.discharge_m3_s) };
            way.ends = if found.leaves { None } else { ending(source, &last)? };
            if way.ends.is_some() {
                // before it divided into arms it was the river that the world knows
                let whole_m3_s = found.steps.iter().map(|step| step.discharge_m3_s).fold(0.0, f64::max);
                at.discharge_m3_s = Some(whole_m3_s);
                break;
            }
        }
        way.fall();
        way.goes_on = cell_of(source, &at, &way)?;
        Ok(Some(way))
    }

    /// Lets nothing rise: levels of detail do not agree to the last metre.
    fn fall(&mut self) {
        let (mut bed_m, mut surface_m) = (f64::INFINITY, f64::INFINITY);
        for step in &mut self.steps {
            (bed_m, surface_m) = (bed_m.min(step.bed_m), surface_m.min(step.surface_m));
            (step.bed_m, step.surface_m) = (bed_m, surface_m);
        }
    }
}

/// Where a way has come to, and how much water it carries where that is known.
#[derive(Clone, Copy)]
struct At {
    place: Place,
    discharge_m3_s: Option<f64>,
}

/// Distances between the samples of windows, in metres.
fn spacings(grid: &Topology) -> impl Iterator<Item = f64> {
    let widest_m = match grid {
        Topology::Globe(globe) => WIDEST * globe.radius_m(),
        Topology::Flat(_) => f64::INFINITY,
    };
    let most_m = (COARSEST_CELLS * grid.cell_m()).min(widest_m / SIDE as f64);
    std::iter::successors(Some(FINEST_M), |spacing_m| Some(spacing_m * COARSER))
        .take_while(move |m| *m <= most_m)
}

/// A window around a place.
fn window(grid: &Topology, place: Place, spacing_m: f64) -> (Lattice, Window) {
    let (lattice, window) = Lattice::around_place(grid, place.into(), (spacing_m, SIDE as u32 / 2));
    (lattice, Window { width: SIDE as usize, height: SIDE as usize, ..window })
}

/// The number of the world's basin that a place lies in, where it is one of a river's; none at all in the sea.
fn basin(source: &impl CellSource, place: Place, cache: &Cache) -> Result<Option<Option<u32>>, DescentError> {
    let (lattice, window) = Lattice::around_place(source.grid(), place.into(), (FINEST_M, 0));
    let layers = vec![Sampled::WaterSurface, Sampled::WaterDepth, Sampled::Discharge, Sampled::Basin];
    let request = Request::new(lattice, window, layers, Method::Drainage)?.with_cache(cache);
    let region = refine(source, &request, &|_| {})?;
    let value = |layer| region.layer(layer).map_or(f32::NAN, |values| values[0]);
    let is_sea = is_sea(value(Sampled::WaterSurface), value(Sampled::WaterDepth));
    let basin = value(Sampled::Basin);
    Ok((!is_sea || value(Sampled::Discharge) > 0.0).then_some((basin >= 0.0).then_some(basin as u32)))
}

/// The way from somewhere in a window around a place down over its samples, to the first river or lake, to where the ground rises all
/// around, or out of the window.
fn hillside(
    source: &impl CellSource,
    (middle, spacing_m): (Place, f64),
    from: Place,
    cache: &Cache,
) -> Result<Vec<Step>, DescentError> {
    let grid = source.grid();
    let (lattice, window) = window(grid, middle, spacing_m);
    let layers = vec![Sampled::WaterSurface, Sampled::WaterDepth, Sampled::FlowDirection];
    let request = Request::new(lattice.clone(), window, layers, Method::Drainage)?.with_cache(cache);
    let region = refine(source, &request, &|_| {})?;
    let layer = |layer| region.layer(layer).unwrap_or_default();
    let (surface, depth, flow) =
        (layer(Sampled::WaterSurface), layer(Sampled::WaterDepth), layer(Sampled::FlowDirection));
    let (column, row) = lattice.nearest(lattice.project(from[0], from[1]));
    let mut here = (window.north - row, column - window.west);
    let mut steps = Vec::new();
    let inside = |(row, column): (i64, i64)| (0..SIDE).contains(&row) && (0..SIDE).contains(&column);
    // every step leads down, so that none comes back
    while inside(here) {
        let k = (here.0 * SIDE + here.1) as usize;
        let at = lattice.position_in(&window, here.1 as usize, here.0 as usize);
        let (Some(at), true) = (at, depth[k] <= 0.0) else { break };
        let place = if steps.is_empty() { from } else { vectors::place(grid, at) };
        let height_m = f64::from(surface[k]);
        steps.push(Step { place, bed_m: height_m, surface_m: height_m, discharge_m3_s: 0.0 });
        let Some(way) = Direction::ALL.into_iter().find(|d| f32::from(d.esri()) == flow[k]) else { break };
        let (south, east) = way.offset();
        here = (here.0 + south, here.1 + east);
    }
    Ok(steps)
}

/// The rivers around a place, on a lattice's plane.
struct Around {
    lattice: Lattice,
    lines: Vec<(RiverLine, Vec<[f64; 2]>)>,
    /// The west, south, east and north of what lies within the rim.
    inside: [f64; 4],
}

/// A part of a way.
struct Part {
    steps: Vec<Step>,
    /// Whether it goes on beyond the window.
    leaves: bool,
}

impl Around {
    fn new(
        source: &impl CellSource,
        (place, spacing_m): (Place, f64),
        cache: &Cache,
    ) -> Result<Self, DescentError> {
        let (lattice, window) = window(source.grid(), place, spacing_m);
        let request = Request::new(lattice.clone(), window, vec![Sampled::Elevation], Method::Drainage)?
            .with_cache(cache);
        let draws = drained::draws_channels(source.grid(), &request);
        let rivers = if draws { vectors::river_lines(source, (&request, SEA_M))? } else { Vec::new() };
        let on_plane = |line: RiverLine| {
            let places = line.places.iter().map(|p| lattice.project(p[0], p[1]).into()).collect();
            (line, places)
        };
        let lines = rivers.into_iter().map(on_plane).collect();
        let side = |number: i64| (number as f64 + lattice.offset()) * lattice.step();
        let rim = RIM * lattice.step();
        let (west, north) = (side(window.west) + rim, side(window.north) - rim);
        let (east, south) = (side(window.west + SIDE - 1) - rim, side(window.north - SIDE + 1) + rim);
        Ok(Self { lattice, lines, inside: [west, south, east, north] })
    }

    /// The way on from where it has come to, along the river there; none where there is none like it within so many samples.
    fn follow(&self, at: &At, within: f64) -> Option<Part> {
        let (x, y) = self.lattice.project(at.place[0], at.place[1]);
        let (mut line, mut from, off) = self.nearest(([x, y], at.discharge_m3_s), within)?;
        // the way comes over to the line downstream, at no right angle
        let beside = |k: &usize| {
            distance([x, y], self.lines[line].1[*k], self.lines[line].1[*k])
                >= SLANT * off * self.lattice.step()
        };
        from = (from..self.lines[line].1.len()).find(beside).unwrap_or(from);
        let mut steps = Vec::new();
        // water comes along no line twice
        for _ in 0..=self.lines.len() {
            let (river, places) = &self.lines[line];
            for (k, place) in places.iter().enumerate().skip(from) {
                steps.push(step(river, k));
                if !self.holds(*place) {
                    return Some(Part { steps, leaves: true });
                }
            }
            let Some(next) = river.downstream else { break };
            (line, from) = (next as usize, 0);
        }
        (!steps.is_empty()).then_some(Part { steps, leaves: false })
    }

    fn holds(&self, [x, y]: [f64; 2]) -> bool {
        let [west, south, east, north] = self.inside;
        (west..=east).contains(&x) && (south..=north).contains(&y)
    }

    /// The line that a way is likely to be on, from a place on the plane and its discharge: its number, the first of its places downstream, and
    /// how many samples away it is.
    fn nearest(&self, (at, own): ([f64; 2], Option<f64>), within: f64) -> Option<(usize, usize, f64)> {
        let mut best = (within, None);
        for (number, (river, places)) in self.lines.iter().enumerate() {
            for k in 1..places.len() {
                let off = distance(at, places[k - 1], places[k]) / self.lattice.step();
                if off < best.0 {
                    let other = own.map_or(0.0, |own| unlike(own, step(river, k).discharge_m3_s));
                    let cost = off + OTHER * other;
                    best = if cost < best.0 { (cost, Some((number, k, off))) } else { best };
                }
            }
        }
        best.1
    }
}

/// A place of a river; discharge grows evenly along a line.
fn step(river: &RiverLine, k: usize) -> Step {
    let t = k as f64 / (river.places.len() - 1).max(1) as f64;
    let discharge_m3_s = river.discharge_from_m3_s + t * (river.discharge_m3_s - river.discharge_from_m3_s);
    Step { place: river.places[k], bed_m: river.bed_m[k], surface_m: river.surface_m[k], discharge_m3_s }
}

/// How often one discharge must be doubled or halved to be another.
fn unlike(a: f64, b: f64) -> f64 {
    let log = |v: f64| math::log2(v.max(1e-6));
    (log(a) - log(b)).abs()
}

/// How far a place on a plane lies from the way between two others.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let flat = |p: [f64; 2]| Vec3::new(p[0], p[1], 0.0);
    crate::curve::nearest(flat(p), flat(a), flat(b)).1.sqrt()
}

/// The cells around a place, the nearest first, with their states.
fn beside(source: &impl CellSource, place: Place) -> Result<Vec<(Cell, CellState)>, GatherError> {
    let grid = source.grid();
    let at = match grid {
        Topology::Globe(_) => math::from_lon_lat(place[0], place[1]),
        Topology::Flat(_) => Vec3::new(place[0], place[1], 0.0),
    };
    let Some(cell) = grid.locate(at) else { return Ok(Vec::new()) };
    let mut cells = grid.halo(cell, RINGS);
    cells.sort_by(|a, b| {
        grid.distance_m(at, grid.center(*a)).total_cmp(&grid.distance_m(at, grid.center(*b)))
    });
    let states = source.gather(&cells)?;
    Ok(cells.into_iter().zip(states).collect())
}

/// The cell whose river is the one that a way has come to ([`Descent::goes_on`]).
fn cell_of(source: &impl CellSource, at: &At, way: &Descent) -> Result<Option<Cell>, GatherError> {
    let cells = beside(source, at.place)?;
    if let Some(Ending::ClosedLake(lake)) = way.ends {
        return Ok(cells.iter().find(|(_, state)| state.lake == Some(lake)).map(|(cell, _)| *cell));
    }
    let numbers = source.basins(&cells.iter().map(|(cell, _)| *cell).collect::<Vec<_>>())?;
    let is_own = |number: &Option<u32>| way.basin.is_none() || *number == way.basin;
    let own = cells.iter().zip(&numbers).filter(|(_, number)| is_own(number)).map(|(cell, _)| cell);
    let land: Vec<&(Cell, CellState)> = own.filter(|(_, state)| state.is_land()).collect();
    let off = |state: &CellState| at.discharge_m3_s.map_or(0.0, |own| unlike(own, state.discharge_m3_s));
    let alike = land.iter().filter(|(_, state)| off(state) <= 1.0);
    let likest = alike.min_by(|a, b| off(&a.1).total_cmp(&off(&b.1)));
    // a basin may end in a lake that takes all of its water: what lies beyond is another's
    let nearest = || land.first().copied().or_else(|| cells.iter().find(|(_, state)| state.is_land()));
    let goes_on = likest.copied().or_else(|| if way.ends.is_none() { nearest() } else { None });
    Ok(goes_on.map(|(cell, _)| *cell))
}

/// What a river ends in whose line ends so: the sea where its water is level with that, else a closed lake beside, if there is one.
fn ending(source: &impl CellSource, last: &Step) -> Result<Option<Ending>, GatherError> {
    if last.surface_m.abs() <= SEA_M {
        return Ok(Some(Ending::Sea));
    }
    let closed = source.waters()?.closed_lakes;
    let beside = beside(source, last.place)?;
    let mut lakes = beside.iter().take(NEAREST).filter_map(|(_, state)| state.lake);
    Ok(lakes.find(|lake| closed.binary_search(lake).is_ok()).map(Ending::ClosedLake))
}
