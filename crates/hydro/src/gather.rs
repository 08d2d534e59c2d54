//! What comes together along the flow: sums from above, and roots from below.

use crate::Flow;
use crate::stencil::assert_shape;
use grid::{Field, Grid};

/// Sum of `weight` over all cells whose water passes each cell, itself included, in the unit of the weight.
///
/// Areas give drainage area, runoff gives discharge, ones give the number of cells. Summed in an order that
/// depends on the flow only; exact for whole numbers up to 2^53. Cost: linear.
pub fn accumulate(grid: &impl Grid, flow: &Flow, weight: &Field<f64>) -> Field<f64> {
    assert_shape(grid, &flow.receiver, "the flow");
    assert_shape(grid, weight, "the weight");
    let mut sum = weight.clone();
    let values = sum.as_mut_slice();
    for &cell in flow.order().iter().rev() {
        if let Some(target) = flow.target(cell) {
            values[target.index()] += values[cell.index()];
        }
    }
    sum
}

/// Address of the cell where the water of each cell ends.
pub fn basins(grid: &impl Grid, flow: &Flow) -> Field<u32> {
    assert_shape(grid, &flow.receiver, "the flow");
    let mut root = Field::filled(grid.shape(), 0u32);
    let values = root.as_mut_slice();
    for &cell in flow.order() {
        values[cell.index()] = flow.target(cell).map_or(cell.0, |target| values[target.index()]);
    }
    root
}
