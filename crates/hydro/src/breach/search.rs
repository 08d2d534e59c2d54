//! The cheapest way for a cut from a pit to where its water runs on.

use super::pits::Ground;
use super::{Breaching, Cutting};
use crate::flow::NONE;
use grid::{Cell, Field, Grid, Vec3};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Searches on a surface that changes between them. 6 bytes a cell, reused.
pub(super) struct Search<'a, G> {
    ground: Ground<'a, G>,
    limits: Limits,
    /// Of the search that reached a cell last its number.
    reached: Field<u32>,
    /// Way back to the cell from which that search reached it; [`NONE`] at its pit.
    back: Field<u8>,
    /// Cells from which water runs on along a cut or to one, all at the level of its pit.
    drained: Field<bool>,
    heap: BinaryHeap<Reverse<u128>>,
    number: u32,
}

/// [`Breaching`] with numbers in place of "none".
struct Limits {
    reach_m: f64,
    deepest_m: f64,
    largest_m3: f64,
    most_cells: usize,
}

/// Sorts by cost, then steps, then address. Costs are not negative, so their bits sort as they do.
fn entry(cost_m3: f64, steps: u32, cell: Cell) -> Reverse<u128> {
    Reverse(u128::from(cost_m3.to_bits()) << 64 | u128::from(steps) << 32 | u128::from(cell.0))
}

impl<'a, G: Grid> Search<'a, G> {
    pub(super) fn new(ground: Ground<'a, G>, limits: &Breaching) -> Self {
        let shape = ground.grid.shape();
        Self {
            ground,
            limits: Limits {
                reach_m: limits.reach_m.unwrap_or(f64::INFINITY),
                deepest_m: limits.deepest_m.unwrap_or(f64::MAX), // what is infinitely deep is never dug
                largest_m3: limits.largest_m3.unwrap_or(f64::MAX),
                most_cells: limits.most_cells.unwrap_or(usize::MAX),
            },
            reached: Field::filled(shape, 0),
            back: Field::filled(shape, NONE),
            drained: Field::filled(shape, false),
            heap: BinaryHeap::new(),
            number: 0,
        }
    }

    /// Cuts the cheapest way within the limits that moves at most `most_m3`, if there is one: whether a pit is drained.
    ///
    /// `level_m` is the pit's height before all cuts.
    pub(super) fn breach(
        &mut self,
        cutting: &mut Cutting<'_, G>,
        pit: Cell,
        level_m: f32,
        most_m3: f64,
    ) -> bool {
        if cutting.surface[pit] < level_m || self.drained[pit] {
            return true; // a cut leads through it
        }
        let Some(end) = self.cheapest(&cutting.surface, pit, most_m3) else { return false };
        let mut has_dug = false;
        self.trace(end, |cell| has_dug |= cutting.lower(cell, level_m));
        cutting.cuts += usize::from(has_dug);
        true
    }

    /// Whether water runs on from a cell at a pit's level.
    fn is_target(&self, surface: &Field<f32>, cell: Cell, level_m: f32) -> bool {
        let z = surface[cell];
        z < level_m || self.ground.outlets.has(cell) || (z == level_m && self.drained[cell])
    }

    /// The end of the cheapest cut from a pit within the limits, of at most `most_m3`.
    fn cheapest(&mut self, surface: &Field<f32>, pit: Cell, most_m3: f64) -> Option<Cell> {
        let Ground { grid, links, stencil, .. } = self.ground;
        let level_m = surface[pit];
        let most_m3 = most_m3.min(self.limits.largest_m3);
        let center = grid.center(pit);
        self.number += 1;
        self.heap.clear();
        self.heap.push(entry(0.0, 0, pit));
        self.reached[pit] = self.number;
        self.back[pit] = NONE;
        let mut visited = 0;
        while let Some(Reverse(next)) = self.heap.pop() {
            let (cost_m3, steps, cell) =
                (f64::from_bits((next >> 64) as u64), (next >> 32) as u32, Cell(next as u32));
            if cell != pit && self.is_target(surface, cell, level_m) {
                return Some(cell);
            }
            visited += 1;
            if visited > self.limits.most_cells {
                return None;
            }
            let (limits, number) = (&self.limits, self.number);
            let (reached, backs, heap) = (&mut self.reached, &mut self.back, &mut self.heap);
            stencil.visit(grid, links.byte(cell), cell, |_, back, n| {
                // The first to reach a cell is the cheapest, as what a cell costs does not depend on where one comes from.
                if std::mem::replace(&mut reached[n], number) == number {
                    return;
                }
                let Some(dig_m3) = limits.dig_m3(grid, surface[n], level_m, n) else { return };
                if cost_m3 + dig_m3 <= most_m3 && limits.is_near(grid, center, n) {
                    backs[n] = back;
                    heap.push(entry(cost_m3 + dig_m3, steps + 1, n));
                }
            });
        }
        None
    }

    /// Calls `visit` for the cells of the way just found, from its end to its pit.
    fn trace(&mut self, end: Cell, mut visit: impl FnMut(Cell)) {
        let mut at = Some(end);
        while let Some(cell) = at {
            visit(cell);
            self.drained[cell] = true;
            let back = self.back[cell];
            at = if back == NONE { None } else { self.ground.stencil.neighbor(self.ground.grid, cell, back) };
        }
    }
}

impl Limits {
    /// What it takes to lower a cell to a level; `None` if it must not or cannot be.
    fn dig_m3(&self, grid: &impl Grid, z: f32, level_m: f32, cell: Cell) -> Option<f64> {
        if z <= level_m {
            return Some(0.0);
        }
        let depth_m = f64::from(z) - f64::from(level_m);
        (depth_m <= self.deepest_m).then(|| depth_m * grid.area_m2(cell))
    }

    fn is_near(&self, grid: &impl Grid, center: Vec3, cell: Cell) -> bool {
        self.reach_m == f64::INFINITY
            || grid.center(cell).distance(center) * grid.metres_per_unit() <= self.reach_m
    }
}
