//! How high and how far the land lies above the streams that it drains to.
//!
//! ```text
//! HAND(c) = z(c) - z(d(c))        d(c) the first stream cell on the way of c's water
//! ```
//!
//! in metres (Renno et al. 2008; Nobre et al. 2011): near 0 where a small flood arrives, large where groundwater is deep.
//! On a surface with depressions, or over one that was filled, it may be negative: z is what the caller gives.

use super::NOWHERE;
use super::steps::Steps;
use crate::Flow;
use crate::stencil::assert_shape;
use grid::{Cell, Field, Grid};

/// What a cell is measured against whose water meets no stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undrained {
    /// The cell where its water ends.
    End,
    /// Nothing: heights and lengths are not a number there.
    Nothing,
}

/// Address of the stream cell that each cell's water meets first, its own on a stream. Cost: linear.
pub fn first_stream(
    grid: &impl Grid,
    flow: &Flow,
    is_stream: &Field<bool>,
    undrained: Undrained,
) -> Field<u32> {
    assert_shape(grid, &flow.receiver, "the flow");
    assert_shape(grid, is_stream, "the streams");
    let is_stream = is_stream.as_slice();
    let mut drainage = Field::filled(grid.shape(), NOWHERE);
    let values = drainage.as_mut_slice();
    for &cell in flow.order() {
        values[cell.index()] = match flow.target(cell) {
            _ if is_stream[cell.index()] => cell.0,
            Some(below) => values[below.index()],
            None if undrained == Undrained::End => cell.0,
            None => NOWHERE,
        };
    }
    drainage
}

/// Height in metres of each cell above the cell that `drainage` names for it; not a number where it names none, or where
/// either elevation is none. `drainage` as [`first_stream`] gives it. Cost: linear, in parallel.
pub fn height_above_m(elevation: &Field<f32>, drainage: &Field<u32>) -> Field<f32> {
    assert_eq!(
        elevation.shape(),
        drainage.shape(),
        "the shape of the drainage must be that of the elevation"
    );
    Field::from_fn(elevation.shape(), |cell| match drainage[cell] {
        NOWHERE => f32::NAN,
        stream => elevation[cell] - elevation[Cell(stream)],
    })
}

/// Length in metres of each cell's way along the flow to the cell that `drainage` names for it; not a number where it
/// names none. `drainage` as [`first_stream`] gives it. Cost: linear.
pub fn way_to_m(grid: &impl Grid, flow: &Flow, drainage: &Field<u32>) -> Field<f64> {
    assert_shape(grid, drainage, "the drainage");
    let steps = Steps::of(grid, flow);
    let mut way_m = Field::filled(grid.shape(), f64::NAN);
    let (values, drainage) = (way_m.as_mut_slice(), drainage.as_slice());
    for &cell in flow.order() {
        if drainage[cell.index()] == cell.0 {
            values[cell.index()] = 0.0;
        } else if let Some(below) = flow.target(cell) {
            values[cell.index()] = values[below.index()] + steps.length_m(grid, cell, below);
        }
    }
    way_m
}
