//! One receiver for each cell: the steepest way down the filled surface (D8; O'Callaghan & Mark 1984), and over
//! flats and through lakes the way that the flood came.

use crate::flow::NONE;
use crate::stencil::{Centers, Stencil, assert_shape};
use crate::{Flood, Flow, Links};
use grid::{Cell, Field, Grid};

/// Finds the receiver of each cell.
///
/// Where an allowed neighbour is strictly lower on the filled surface, it is the one with the greatest drop per
/// distance, of equal ones the first clockwise from north; where none is, the flood's parent. Outlets and cells
/// without data have none. `links` are those of the flood. Cost: linear, receivers in parallel.
pub fn route(grid: &impl Grid, links: &Links, flood: &Flood) -> Flow {
    // No circles: along receivers the filled level never rises. It falls by a step of `steepest`. A step to the
    // parent keeps it (a parent is never higher, and here no neighbour is lower) and goes back in the order of
    // the flood. So the pair (level, place in that order) falls at every step.
    Flow::from_receivers(grid, receivers(grid, links, flood))
        .expect("level and flood order fall along receivers")
}

/// The directions of [`route()`], before they are put in order: what else decides where water goes may change them.
pub fn receivers(grid: &impl Grid, links: &Links, flood: &Flood) -> Field<u8> {
    assert_shape(grid, &flood.filled, "the flood");
    assert_shape(grid, links.bytes(), "the links");
    let stencil = Stencil::new(grid.shape());
    let centers = Centers::of(grid);
    Field::from_fn(grid.shape(), |cell| match flood.parent[cell] {
        NONE => NONE,
        parent => steepest(grid, links, &stencil, &centers, &flood.filled, cell).unwrap_or(parent),
    })
}

/// The direction of the greatest slope downwards, if there is any.
fn steepest(
    grid: &impl Grid,
    links: &Links,
    stencil: &Stencil,
    centers: &Centers,
    filled: &Field<f32>,
    cell: Cell,
) -> Option<u8> {
    let level = f64::from(filled[cell]);
    let (mut best, mut best_drop, mut best_distance) = (None, 0.0, 1.0);
    stencil.visit(grid, links.mask(cell), cell, |direction, _, n| {
        let drop = level - f64::from(filled[n]);
        if drop > 0.0 {
            // Slopes compared crosswise, so that equal ones are found equal.
            let distance = centers.distance(cell, n);
            if drop * best_distance > best_drop * distance {
                (best, best_drop, best_distance) = (Some(direction), drop, distance);
            }
        }
    });
    best
}
