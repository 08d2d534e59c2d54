//! Distances over a grid, from some cells outwards.

use grid::{Cell, Field, Grid};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cells by the shortest way from some, counted in metres over the centres of neighbours.
pub(crate) struct Spread {
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// Whole metres of the shortest way known; `u32::MAX` beyond.
    pub way_m: Field<u32>,
}

impl Spread {
    pub fn new(grid: &impl Grid) -> Self {
        Self { queue: BinaryHeap::new(), way_m: Field::filled(grid.shape(), u32::MAX) }
    }

    /// Makes a cell a beginning of ways.
    pub fn start(&mut self, cell: Cell) {
        self.way_m[cell] = 0;
        self.queue.push(Reverse((0, cell.0)));
    }

    /// The next cell by its way, those of equal ways by address; its neighbours are in line then, as far as `most_m`.
    pub fn next(&mut self, grid: &impl Grid, most_m: f64) -> Option<Cell> {
        loop {
            let Reverse((way_m, cell)) = self.queue.pop()?;
            let cell = Cell(cell);
            if way_m > self.way_m[cell] {
                continue;
            }
            for (_, neighbor) in grid.neighbors(cell) {
                let longer_m = f64::from(way_m) + grid.cell_distance_m(cell, neighbor).max(1.0);
                if longer_m <= most_m && (longer_m as u32) < self.way_m[neighbor] {
                    self.way_m[neighbor] = longer_m as u32;
                    self.queue.push(Reverse((longer_m as u32, neighbor.0)));
                }
            }
            return Some(cell);
        }
    }
}
