//! Lengths along the flow: down to its end, and up to the farthest cell.

use super::steps::{Steps, step_m};
use crate::Flow;
use crate::stencil::assert_shape;
use grid::{Cell, Field, Grid};

/// Length in metres of the way of each cell's water to its end, 0 there. Cost: linear.
pub fn downstream_m(grid: &impl Grid, flow: &Flow) -> Field<f64> {
    assert_shape(grid, &flow.receiver, "the flow");
    let steps = Steps::of(grid, flow);
    let mut length_m = Field::filled(grid.shape(), 0.0f64);
    let values = length_m.as_mut_slice();
    for &cell in flow.order() {
        if let Some(below) = flow.target(cell) {
            values[cell.index()] = values[below.index()] + steps.length_m(grid, cell, below);
        }
    }
    length_m
}

/// Length in metres of the longest flow path that ends in each cell, from the centre of its farthest cell. Only cells
/// with a positive area count. Cost: linear.
pub fn longest_path_m(grid: &impl Grid, flow: &Flow, area_m2: &Field<f64>) -> Field<f64> {
    assert_shape(grid, area_m2, "the area");
    let steps = Steps::of(grid, flow);
    let mut longest_m = Field::filled(grid.shape(), 0.0f64);
    let (values, area) = (longest_m.as_mut_slice(), area_m2.as_slice());
    let counts = |cell: &Cell| area[cell.index()] > 0.0;
    for &cell in flow.order().iter().rev().filter(|c| counts(c)) {
        if let Some(below) = flow.target(cell).filter(counts) {
            let length_m = values[cell.index()] + steps.length_m(grid, cell, below);
            values[below.index()] = values[below.index()].max(length_m);
        }
    }
    longest_m
}

/// The longest flow path that ends in a cell, from its farthest cell down to it; of equal ones, at each junction that from
/// the inflow of the lowest address.
///
/// `path_m` as [`longest_path_m`] gives it. Cost: the number of cells of the path.
pub fn longest_path(grid: &impl Grid, flow: &Flow, path_m: &Field<f64>, end: Cell) -> Vec<Cell> {
    assert_shape(grid, path_m, "the path");
    let mut cells = vec![end];
    let mut at = end;
    while path_m[at] > 0.0 {
        let through = |&n: &Cell| path_m[n] + step_m(grid, flow, n, at) == path_m[at];
        // the maximum was taken over these very sums
        at = flow.inflows(grid, at).filter(through).min().expect("the longest path comes from an inflow");
        cells.push(at);
    }
    cells.reverse();
    cells
}
