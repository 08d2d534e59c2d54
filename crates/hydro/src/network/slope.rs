//! Slopes along the water's way.

use super::steps::{Steps, step_m};
use crate::stencil::assert_shape;
use crate::{Flow, Reach};
use grid::{Cell, Field, Grid};

/// Drop of `level_m` to each cell's receiver over the distance, in metres per metre; not a number where water ends or a
/// level is none. Negative where the level rises. Cost: linear, in parallel.
pub fn slope(grid: &impl Grid, flow: &Flow, level_m: &Field<f32>) -> Field<f32> {
    assert_shape(grid, level_m, "the level");
    let steps = Steps::of(grid, flow);
    Field::from_fn(grid.shape(), |cell| {
        flow.target(cell).map_or(f32::NAN, |below| {
            let drop_m = f64::from(level_m[cell]) - f64::from(level_m[below]);
            (drop_m / steps.length_m(grid, cell, below)) as f32
        })
    })
}

/// The cells of a reach, and the junction below, at which its last step arrives.
pub(super) fn course(reaches: &[Reach], index: usize) -> impl Iterator<Item = Cell> + Clone + '_ {
    let reach = &reaches[index];
    let junction = reach.downstream.map(|below| reaches[below as usize].cells[0]);
    reach.cells.iter().copied().chain(junction)
}

/// Length of a reach in metres, from its first cell to the junction below, or to its last cell at a mouth.
pub fn reach_length_m(grid: &impl Grid, flow: &Flow, reaches: &[Reach], index: usize) -> f64 {
    let cells = course(reaches, index);
    cells.clone().zip(cells.skip(1)).map(|(a, b)| step_m(grid, flow, a, b)).sum()
}

/// Drop of `level_m` along a reach over its [length](reach_length_m), in metres per metre; `None` if that is 0.
pub fn reach_slope(
    grid: &impl Grid,
    flow: &Flow,
    reaches: &[Reach],
    index: usize,
    level_m: &Field<f32>,
) -> Option<f64> {
    let length_m = reach_length_m(grid, flow, reaches, index);
    let first = reaches[index].cells[0];
    let last = course(reaches, index).last().unwrap_or(first);
    (length_m > 0.0).then(|| (f64::from(level_m[first]) - f64::from(level_m[last])) / length_m)
}
