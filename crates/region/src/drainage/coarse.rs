//! Level 0: the world's own cells.

use super::flow::Water;
use super::levels::Coarse;
use super::plan::{NOWHERE, Spot};
use crate::patch::Patch;
use grid::{Cell, Direction, Grid, Key, Part, Purpose, Seed, Vec3, math};
use world::CellState;

/// Where on the way to its receiver a river crosses the border, for its height.
const SHARE: Purpose = Purpose::new("region/drainage/share");

/// Rivers fall by this for every doubling of the area that they drain, in metres, beside what the world lets them fall.
const FALL_M: f64 = 0.02;
/// Least fall from cell to cell, in metres, and over how many cells.
const STEP_M: f64 = 0.02;
const STEPS: u32 = 8;
/// Rivers run on over so many cells of the sea beside land.
const SHORE_CELLS: u32 = 3;
/// Creeks in cells of the sea that no river comes to are no deeper than this.
const SEA_DEPTH_M: f64 = 40.0;

/// The drainage of a world's cells, as far as a patch holds them.
pub(crate) struct Cells<'a> {
    patch: &'a Patch<'a>,
    shares: Key,
}

impl<'a> Cells<'a> {
    pub fn new(patch: &'a Patch<'a>, seed: Seed) -> Self {
        Self { patch, shares: seed.key(SHARE) }
    }

    fn state(&self, part: Part) -> Option<(Cell, &CellState)> {
        let cell = self.patch.grid.cell_of(part);
        Some((cell, self.patch.get(cell)?))
    }

    fn cell(&self, part: Part) -> Option<Cell> {
        self.state(part).map(|(cell, _)| cell)
    }

    fn is_sea(&self, cell: Cell) -> bool {
        self.patch.get(cell).is_some_and(|state| !state.is_land())
    }

    /// Whether all around a cell is sea.
    fn is_open(&self, cell: Cell) -> bool {
        self.is_sea(cell) && self.patch.grid.neighbors(cell).all(|(_, n)| self.is_sea(n))
    }

    /// Where rivers run on through a cell of the sea: as far as the first of the open sea and through that. The shore may
    /// lie anywhere in cells beside land, and deltas may fill them; no river shall end before it.
    fn outward(&self, cell: Cell) -> Option<Direction> {
        let passes = !self.is_open(cell) || self.from_shore(cell).next().is_some();
        if passes { self.way_out(cell) } else { None }
    }

    /// Cells of the sea beside land whose rivers run on into a cell.
    fn from_shore(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        let grid = self.patch.grid;
        let beside = Direction::SIDES.into_iter().filter_map(move |d| grid.neighbor(cell, d));
        let leads = move |&n: &Cell| {
            let out = || grid.neighbor(n, self.way_out(n)?);
            self.is_sea(n) && !self.is_open(n) && out() == Some(cell)
        };
        beside.filter(leads)
    }

    /// The side of a cell of the sea to one that is farther out: to the open sea if there is any.
    fn way_out(&self, cell: Cell) -> Option<Direction> {
        let own = self.patch.get(cell)?.continentality;
        let out = |d: Direction| {
            let there = self.patch.grid.neighbor(cell, d)?;
            let far = self.patch.get(there)?.continentality;
            (far < own.min(0.0)).then(|| (d, !self.is_open(there), far))
        };
        let ways = Direction::SIDES.into_iter().filter_map(out);
        ways.min_by(|a, b| a.1.cmp(&b.1).then(a.2.total_cmp(&b.2))).map(|way| way.0)
    }

    /// The waters of rivers that reach a cell of the sea.
    fn mouth(&self, cell: Cell, own_area_m2: f64) -> Water {
        let mut water = Water { own_area_m2, area_m2: own_area_m2, ..Water::default() };
        if self.outward(cell).is_some() {
            self.arrive(cell, SHORE_CELLS, &mut water);
        }
        if water.depth_m <= 0.0 {
            water.depth_m = SEA_DEPTH_M;
        }
        water
    }

    /// Adds the rivers that come to a cell of the sea, from land and over so many cells of the sea.
    fn arrive(&self, cell: Cell, over: u32, water: &mut Water) {
        for state in self.patch.inflows(cell).filter_map(|(_, from)| self.patch.get(from)) {
            water.area_m2 += state.drainage_km2 * 1e6;
            water.discharge_m3_s += state.discharge_m3_s;
            water.order = water.order.max(state.river_order);
            water.depth_m = water.depth_m.max(state.channel_depth_m);
        }
        if over > 0 {
            self.from_shore(cell).for_each(|shore| self.arrive(shore, over - 1, water));
        }
    }

    /// Level of a cell's river: at least [`STEP_M`] for each cell down to any of the next [`STEPS`] above theirs. So it
    /// never rises downstream, and falls where a river of the world is level over no more cells than that.
    fn level_m(&self, cell: Cell, state: &CellState) -> f64 {
        let (mut at, mut level_m) = (cell, state.river_level_m);
        for step in 1..=STEPS {
            let Some((_, below)) = self.patch.receiver(at) else { break };
            let Some(state) = self.patch.get(below) else { break };
            (at, level_m) = (below, level_m.max(state.river_level_m + STEP_M * f64::from(step)));
        }
        level_m
    }

    /// Surface of the river where it leaves a cell: between those of both cells.
    fn surface_m(&self, cell: Cell, state: &CellState) -> f64 {
        // a lake keeps its level to the border of its last cell
        let share = if state.lake.is_some() { 0.0 } else { 0.3 + 0.4 * self.shares.unit_at(cell) };
        let own_m = self.level_m(cell, state);
        let level_m = match self.patch.receiver(cell).and_then(|(_, at)| Some((at, self.patch.get(at)?))) {
            Some((at, below)) => own_m + (self.level_m(at, below) - own_m).min(0.0) * share,
            None => own_m,
        };
        // areas grow downstream: what is level in the world falls all the same
        let fall_m = FALL_M * math::log2(state.drainage_km2.max(1.0));
        (level_m - fall_m).max(0.5 * level_m).min(level_m)
    }
}

impl Coarse for Cells<'_> {
    fn spot(&self, part: Part) -> Spot {
        let grid = self.patch.grid;
        let at: Vec3 = grid.within_part(part, 0.5, 0.5) * grid.metres_per_unit();
        let nowhere = Spot {
            at,
            top_m: 0.0,
            rise: 0.1,
            receiver: NOWHERE,
            trunk: true,
            sea: true,
            lake_m: f32::NAN,
            outlet: part,
            creek: false,
        };
        let Some((_, state)) = self.state(part) else { return nowhere };
        if !state.is_land() {
            let out = self.cell(part).and_then(|cell| self.outward(cell));
            return Spot { receiver: out.map_or(NOWHERE, |d| d.index() as u8), ..nowhere };
        }
        let receiver = state.receiver.map_or(NOWHERE, |d| d.index() as u8);
        let lake_m = state.lake.map_or(f32::NAN, |_| state.water_level_m as f32);
        let top_m = (state.base_elevation_m + state.mountain_height_m) as f32;
        Spot { top_m, receiver, sea: false, lake_m, ..nowhere }
    }

    fn water(&self, part: Part) -> Water {
        let own_area_m2 = rounded_m2(self.patch.grid.area_m2(self.patch.grid.cell_of(part)));
        let Some((cell, state)) = self.state(part) else { return Water::default() };
        if !state.is_land() {
            return self.mouth(cell, own_area_m2);
        }
        Water {
            area_m2: state.drainage_km2 * 1e6,
            discharge_m3_s: state.discharge_m3_s,
            own_area_m2,
            own_runoff_m3_s: state.runoff_m3_s,
            surface_m: self.surface_m(cell, state),
            depth_m: state.channel_depth_m,
            order: state.river_order,
        }
    }
}

/// An area as worlds add it up: in whole 1024ths of a km2, so that sums are exact.
fn rounded_m2(area_m2: f64) -> f64 {
    (area_m2 / 1e6 * 1024.0).round() / 1024.0 * 1e6
}
