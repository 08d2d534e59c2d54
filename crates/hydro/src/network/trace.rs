//! Following the water from a point.

use super::steps::step_m;
use crate::Flow;
use grid::{Cell, Grid};

/// The cells that a cell's water passes, itself first, to its end; each with the length of the way to it in metres.
///
/// Cost: the number of cells of the way.
pub fn downstream(grid: &impl Grid, flow: &Flow, from: Cell) -> Vec<(Cell, f64)> {
    let next = |&(cell, way_m): &(Cell, f64)| {
        let below = flow.target(cell)?;
        Some((below, way_m + step_m(grid, flow, cell, below)))
    };
    std::iter::successors(Some((from, 0.0)), next).collect()
}

/// All cells whose water passes a cell, itself included, by address. Cost: n log n for the n cells found.
///
/// The main stem alone: [`Stems::up`](super::Stems::up).
pub fn upstream(grid: &impl Grid, flow: &Flow, from: Cell) -> Vec<Cell> {
    let mut cells = vec![from];
    let mut next = 0;
    while let Some(&cell) = cells.get(next) {
        next += 1;
        cells.extend(flow.inflows(grid, cell));
    }
    cells.sort_unstable();
    cells
}
