//! The way out of every cell over the lowest passes, without a priority for each cell.
//!
//! The flood of [`crate::flood()`] in another order. A cell that water has reached gives the way to all neighbours that
//! are not lower, and they to theirs, from a plain queue: nothing can be reached lower than by climbing. What is left
//! are *passes*: reached cells with a lower neighbour that is not. Only they stand in the heap, by level. The lowest is
//! crossed: down to a lowest cell by way of the lowest neighbours, then up from there again. So basins join the drained
//! land in the order of Prim's algorithm, over the lowest pass that leads out of it (Barnes, Lehman & Mulla 2014 with
//! the slopes of Zhou, Sun & Fu 2016 taken to their end), and the way from any cell to an outlet has the least highest
//! point of all ways, also within depressions.

use super::pits::Ground;
use crate::flood::{cell_of, key};
use crate::flow::NONE;
use grid::{Cell, Field, Grid};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Not reached yet.
const DRY: u8 = 254;

/// The ways out, and where descents ended.
pub(super) struct Ways {
    /// Direction of the next cell on the way out; [`NONE`] at outlets and without data.
    pub(super) next: Field<u8>,
    /// Lowest cells of the descents from passes: each pit has exactly one of its cells here.
    pub(super) bottoms: Vec<Cell>,
}

struct Wave<'a, G> {
    ground: Ground<'a, G>,
    elevation: &'a Field<f32>,
    next: Field<u8>,
    bottoms: Vec<Cell>,
    /// Reached cells whose neighbours wait for their turn.
    queue: VecDeque<Cell>,
    passes: BinaryHeap<Reverse<u64>>,
}

/// Ways out of all cells. Of equal passes that of the lowest address is crossed first; a descent takes the lowest
/// neighbour, of equal ones the first clockwise from north; a climb is given by the cell whose turn comes first.
pub(super) fn ways<G: Grid>(ground: Ground<'_, G>, elevation: &Field<f32>) -> Ways {
    let is_end = |cell: Cell| elevation[cell].is_nan() || ground.outlets.has(cell);
    let next = Field::from_fn(ground.grid.shape(), |cell| if is_end(cell) { NONE } else { DRY });
    let ends = (0..ground.grid.len()).map(Cell::from_index).filter(|&c| ground.outlets.has(c));
    let queue = ends.collect();
    let mut wave =
        Wave { ground, elevation, next, bottoms: Vec::new(), queue, passes: BinaryHeap::new() };
    wave.climb();
    while let Some(Reverse(key)) = wave.passes.pop() {
        wave.cross(cell_of(key));
    }
    Ways { next: wave.next, bottoms: wave.bottoms }
}

impl<G: Grid> Wave<'_, G> {
    /// Reaches all that is not lower than what has been reached; those with a lower neighbour left are passes.
    fn climb(&mut self) {
        let Ground { grid, links, stencil, .. } = self.ground;
        while let Some(cell) = self.queue.pop_front() {
            let z = self.elevation[cell];
            let mut is_pass = false;
            stencil.visit(grid, links.byte(cell), cell, |_, back, n| {
                if self.next[n] == DRY {
                    if self.elevation[n] < z {
                        is_pass = true;
                    } else {
                        self.next[n] = back;
                        self.queue.push_back(n);
                    }
                }
            });
            if is_pass {
                self.passes.push(Reverse(key(z, cell)));
            }
        }
    }

    /// Goes down from a pass as far as there are lower cells that are dry, and climbs from there.
    fn cross(&mut self, pass: Cell) {
        let mut cell = pass;
        while let Some((back, lower)) = self.lowest_dry(cell) {
            self.next[lower] = back;
            self.queue.push_front(lower);
            cell = lower;
        }
        if cell != pass {
            self.bottoms.push(cell);
            self.queue.push_back(pass); // it may be a pass to another basin too
            self.climb();
        }
    }

    /// The lowest of the dry neighbours that are lower, and the way back from it.
    fn lowest_dry(&self, cell: Cell) -> Option<(u8, Cell)> {
        let Ground { grid, links, stencil, .. } = self.ground;
        let (mut best, mut lowest) = (None, self.elevation[cell]);
        stencil.visit(grid, links.byte(cell), cell, |_, back, n| {
            if self.next[n] == DRY && self.elevation[n] < lowest {
                (best, lowest) = (Some((back, n)), self.elevation[n]);
            }
        });
        best
    }
}
