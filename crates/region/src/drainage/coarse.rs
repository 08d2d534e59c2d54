//! Level 0: the world's own cells.

use super::flow::Water;
use super::levels::Coarse;
use super::plan::{self, Apex, JITTER, NOWHERE, Spot};
use crate::patch::Patch;
use grid::{Cell, Direction, Grid, Key, Part, Purpose, Seed, Vec3, math};
use std::sync::OnceLock;
use world::{CellState, channel_width_m};

/// Where on the way to its receiver a river crosses the border, for its height.
const SHARE: Purpose = Purpose::new("region/drainage/share");

const SEAT: Purpose = Purpose::new("region/drainage/seat");
/// How far aside of its middle the site of a cell may lie where ground is even, in cells: less than other sites may.
const ASIDE: f64 = 0.3;
const _: () = assert!(ASIDE <= JITTER, "links do not cross");

/// Rivers fall by this for every doubling of the area that they drain, in metres, beside what the world lets them fall.
const FALL_M: f64 = 0.02;
/// Least fall from cell to cell, in metres, and over how many cells.
const STEP_M: f64 = 0.02;
const STEPS: u32 = 8;
/// Rivers that run over the sea are known for so many cells.
const SEA_CELLS: u32 = 8;
/// Creeks in cells of the sea may be as deep as the greatest river that comes there, or this.
pub(super) const SEA_DEPTH_M: f64 = 2.0;

/// The drainage of a world's cells, as far as a patch holds them.
pub(crate) struct Cells<'a> {
    patch: &'a Patch<'a>,
    shares: Key,
    seats: Key,
    /// Last cells of rivers that end in deltas, rising.
    mouths: Vec<Cell>,
    /// One for each cell of the patch, in the same order.
    slots: Vec<Slot>,
}

/// What is made of a cell when it is first asked for.
#[derive(Default)]
struct Slot {
    open: OnceLock<bool>,
    way_out: OnceLock<Option<Direction>>,
    outward: OnceLock<Option<Direction>>,
    area_m2: OnceLock<f64>,
    spot: OnceLock<Spot>,
    water: OnceLock<Water>,
}

impl<'a> Cells<'a> {
    pub fn new(patch: &'a Patch<'a>, seed: Seed) -> Self {
        let slots = patch.cells().iter().map(|_| Slot::default()).collect();
        Self { patch, shares: seed.key(SHARE), seats: seed.key(SEAT), mouths: Vec::new(), slots }
    }

    /// The same where some rivers end in deltas, given by cell.
    pub fn with_apexes(self, apexes: &[Apex]) -> Self {
        Self { mouths: apexes.iter().map(|apex| apex.cells.0).collect(), ..self }
    }

    /// What of the discharge of a cell divides where it leaves that, in m3/s.
    fn divides_m3_s(&self, cell: Cell, state: &CellState) -> f64 {
        if self.mouths.binary_search(&cell).is_ok() { state.discharge_m3_s } else { 0.0 }
    }

    fn slot(&self, part: Part) -> Option<&Slot> {
        Some(&self.slots[self.patch.index(self.patch.grid.cell_of(part))?])
    }

    /// The place of a cell in the patch, and its state.
    fn state(&self, part: Part) -> Option<(usize, &CellState)> {
        let place = self.patch.index(self.patch.grid.cell_of(part))?;
        Some((place, self.patch.at(place)))
    }

    fn is_sea(&self, cell: Cell) -> bool {
        self.patch.get(cell).is_some_and(|state| !state.is_land())
    }

    /// Whether all around a cell is sea.
    fn is_open(&self, cell: Cell) -> bool {
        let all = || self.patch.grid.neighbors(cell).all(|(_, n)| self.is_sea(n));
        let known = |place: usize| *self.slots[place].open.get_or_init(|| self.is_sea(cell) && all());
        self.patch.index(cell).is_some_and(known)
    }

    /// Where rivers run on through a cell of the sea: as far as the first of the open sea and through that. The shore may
    /// lie anywhere in cells beside land, and deltas may fill them; no river shall end before it.
    fn outward(&self, cell: Cell) -> Option<Direction> {
        let passes = || !self.is_open(cell) || self.leads_out_to_sea(cell);
        let found = || if passes() { self.way_out(cell) } else { None };
        *self.slots[self.patch.index(cell)?].outward.get_or_init(found)
    }

    /// Whether rivers come to a cell over cells of the sea beside land.
    fn leads_out_to_sea(&self, cell: Cell) -> bool {
        self.beside(cell).any(|(back, n)| !self.is_open(n) && self.way_out(n) == Some(back))
    }

    /// The cells of the sea over the sides of a cell, each with the way back.
    fn beside(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> {
        let over = move |d: Direction| self.patch.grid.step(cell, d).map(|step| (step.back, step.cell));
        Direction::SIDES.into_iter().filter_map(over).filter(|&(_, n)| self.is_sea(n))
    }

    /// The side of a cell of the sea to one that is farther out: to the open sea if there is any.
    fn way_out(&self, cell: Cell) -> Option<Direction> {
        let place = self.patch.index(cell)?;
        *self.slots[place].way_out.get_or_init(|| self.new_way_out(place))
    }

    fn new_way_out(&self, place: usize) -> Option<Direction> {
        let (cell, own) = (self.patch.cells()[place], self.patch.at(place).continentality);
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
        let mut water = Water { own_area_m2, depth_m: SEA_DEPTH_M, ..Water::default() };
        self.arrive(cell, SEA_CELLS, &mut water);
        water
    }

    /// Adds a cell of the sea and the rivers that come to it, from land and over so many cells of the sea less one.
    fn arrive(&self, cell: Cell, over: u32, water: &mut Water) {
        water.area_m2 += rounded_m2(self.patch.grid.area_m2(cell));
        if over == 0 {
            return;
        }
        let inflow = |(_, from): (Direction, Cell)| Some((from, self.patch.get(from)?));
        for (from, state) in self.patch.inflows(cell).filter_map(inflow) {
            water.divided_m3_s += self.divides_m3_s(from, state);
            water.area_m2 += state.drainage_km2 * 1e6;
            water.discharge_m3_s += state.discharge_m3_s;
            water.order = water.order.max(state.river_order);
            water.depth_m = water.depth_m.max(state.channel_depth_m);
        }
        for (back, from) in self.beside(cell) {
            if self.outward(from) == Some(back) {
                self.arrive(from, over - 1, water);
            }
        }
    }
}

impl Coarse for Cells<'_> {
    fn spot(&self, part: Part) -> Spot {
        self.slot(part)
            .map_or_else(|| self.new_spot(part), |slot| *slot.spot.get_or_init(|| self.new_spot(part)))
    }

    fn water(&self, part: Part) -> Water {
        self.slot(part).map_or_else(Water::default, |slot| *slot.water.get_or_init(|| self.new_water(part)))
    }

    fn area_m2(&self, part: Part) -> f64 {
        let make = || self.patch.grid.area_m2(self.patch.grid.cell_of(part));
        self.slot(part).map_or_else(make, |slot| *slot.area_m2.get_or_init(make))
    }
}

impl Cells<'_> {
    fn new_spot(&self, part: Part) -> Spot {
        let at = self.seat(part);
        let nowhere = Spot::nowhere(part, at);
        let Some((place, state)) = self.state(part) else { return nowhere };
        if !state.is_land() {
            let out = self.outward(self.patch.cells()[place]);
            let width_m = channel_width_m(self.water(part).discharge_m3_s) as f32;
            return Spot { receiver: out.map_or(NOWHERE, |d| d.index() as u8), width_m, ..nowhere };
        }
        let receiver = state.receiver.map_or(NOWHERE, |d| d.index() as u8);
        let top_m = (state.base_elevation_m + state.mountain_height_m) as f32;
        let width_m = channel_width_m(state.discharge_m3_s) as f32;
        let valley_m = surface_m((self.patch, self.shares), place) as f32;
        let ahead = self.ahead(place).unwrap_or_default();
        Spot { top_m, receiver, width_m, ahead, valley_m, sea: false, ..nowhere }
    }

    /// Where the site of a cell lies, in metres: in its middle; aside of it where the ground is so even that samples would show the grid.
    fn seat(&self, part: Part) -> Vec3 {
        let (grid, radius) = (self.patch.grid, ASIDE * self.patch.evenness);
        let (along, down) = match radius > 0.0 {
            true => plan::aside(&mut self.seats.at(grid.cell_of(part)), radius),
            false => (0.5, 0.5),
        };
        grid.within_part(part, along, down) * grid.metres_per_unit()
    }

    /// The direction of the river of the cell at a place, a unit vector: from where its greatest inflow enters to where it leaves.
    /// None where it begins or ends.
    fn ahead(&self, place: usize) -> Option<Vec3> {
        let (cell, grid) = (self.patch.cells()[place], self.patch.grid);
        let inflow = |(_, from): (Direction, Cell)| Some((from, self.patch.get(from)?.discharge_m3_s));
        let inflows = self.patch.inflows(cell).filter_map(inflow);
        // of equal ones the one with the least address, whatever the order
        let above = inflows.min_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)))?.0;
        let below = self.patch.cells()[self.patch.receiver_of(place)?];
        let way = grid.center(below) - grid.center(above);
        (way.length_squared() > 0.0).then(|| way.normalized())
    }

    fn new_water(&self, part: Part) -> Water {
        let own_area_m2 = rounded_m2(self.area_m2(part));
        let Some((place, state)) = self.state(part) else { return Water::default() };
        if !state.is_land() {
            return self.mouth(self.patch.cells()[place], own_area_m2);
        }
        Water {
            area_m2: state.drainage_km2 * 1e6,
            discharge_m3_s: state.discharge_m3_s,
            divided_m3_s: self.divides_m3_s(self.patch.cells()[place], state),
            own_area_m2,
            own_runoff_m3_s: state.runoff_m3_s,
            surface_m: surface_m((self.patch, self.shares), place),
            depth_m: state.channel_depth_m,
            order: state.river_order,
        }
    }
}

/// Level of the river of the cell at a place: at least [`STEP_M`] for each cell down to any of the next [`STEPS`] above
/// theirs. So it never rises downstream, and falls where a river of the world is level over no more cells than that.
fn level_m(patch: &Patch, place: usize) -> f64 {
    let (mut at, mut level_m) = (place, patch.at(place).river_level_m);
    for step in 1..=STEPS {
        let Some(below) = patch.receiver_of(at) else { break };
        let below_m = patch.at(below).river_level_m;
        (at, level_m) = (below, level_m.max(below_m + STEP_M * f64::from(step)));
    }
    level_m
}

/// Surface of the river where it leaves the cell at a place, in metres: between those of both cells.
fn surface_m((patch, shares): (&Patch, Key), place: usize) -> f64 {
    let (cell, state) = (patch.cells()[place], patch.at(place));
    let own_m = level_m(patch, place);
    let level_m = match (patch.receiver_of(place), state.receiver) {
        // a lake keeps its level to the border of its last cell
        (Some(below), Some(out)) if state.lake.is_none() => {
            let below_m = level_m(patch, below);
            // the shore is about where the land's last cell ends
            let down = if patch.at(below).is_land() { 0.3 + 0.4 * shares.unit_at(cell) } else { TO_SEA };
            let between_m = own_m + (below_m - own_m).min(0.0) * down;
            // where a deep basin lies beside, land on the border is lower than both cells say
            let exit_m = between_m.min(border_m(patch, (place, below), out).max(below_m));
            // but never quite at the sea's level: there arms of deltas begin
            exit_m.max(own_m.min(LOW_M))
        }
        _ => own_m,
    };
    // areas grow downstream: what is level in the world falls all the same
    let fall_m = FALL_M * math::log2(state.drainage_km2.max(1.0));
    (level_m - fall_m).max(0.5 * level_m).min(level_m)
}

/// Share of its last cell's height that a river has fallen where it leaves it for the sea.
const TO_SEA: f64 = 0.92;
/// No river leaves a cell lower than this, if it runs no lower there, in metres.
const LOW_M: f64 = 0.25;

/// About how high land stands where a river leaves a cell for the next in a direction, in metres: the mean of the cells around the
/// middle of their border, weighted as a quadratic spline weights them: nearly as ground is, from neighbours alone.
fn border_m(patch: &Patch, (own, below): (usize, usize), out: Direction) -> f64 {
    let land_m = |place: usize| {
        let state = patch.at(place);
        state.base_elevation_m.max(0.0) + state.mountain_height_m
    };
    let pair_m = 0.5 * (land_m(own) + land_m(below));
    let mut around_m = [pair_m; 8];
    for (d, place) in patch.beside(patch.cells()[own]) {
        around_m[d.index()] = land_m(place);
    }
    let aside = |eighths: u8| around_m[out.turned(eighths).index()];
    if out.is_side() {
        0.75 * pair_m + 0.0625 * (aside(1) + aside(7) + aside(2) + aside(6))
    } else {
        0.5 * pair_m + 0.25 * (aside(1) + aside(7))
    }
}

/// How high the river runs at the last site before it leaves a cell, at every level, in metres; none where the patch lacks the cell.
pub(crate) fn leaves_at_m(patch: &Patch, seed: Seed, cell: Cell) -> Option<f64> {
    Some(surface_m((patch, seed.key(SHARE)), patch.index(cell)?))
}

/// An area as worlds add it up: in whole 1024ths of a km2, so that sums are exact.
fn rounded_m2(area_m2: f64) -> f64 {
    (area_m2 / 1e6 * 1024.0).round() / 1024.0 * 1e6
}
