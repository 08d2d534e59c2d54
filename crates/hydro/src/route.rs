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
    receivers_by(grid, links, flood, |_, _| 1.0)
}

/// The same where each slope counts as so many times as steep as it is, by its cell and direction; factors are above 0. Water runs down all the
/// same, only not by the steepest way. With random factors it does not keep to the eight directions on even slopes, where all would run side by
/// side (Fairfield & Leymarie 1991 draw them for diagonals).
pub fn receivers_by(
    grid: &impl Grid,
    links: &Links,
    flood: &Flood,
    factor: impl Fn(Cell, u8) -> f64 + Sync,
) -> Field<u8> {
    assert_shape(grid, &flood.filled, "the flood");
    assert_shape(grid, links.bytes(), "the links");
    let stencil = Stencil::new(grid.shape());
    let centers = Centers::of(grid);
    Field::from_fn(grid.shape(), |cell| match flood.parent[cell] {
        NONE => NONE,
        parent => {
            let ways = (links, &stencil, &centers, &flood.filled);
            steepest(grid, ways, cell, |direction| factor(cell, direction)).unwrap_or(parent)
        }
    })
}

/// The direction of the greatest slope downwards, each times a factor, if there is any.
fn steepest(
    grid: &impl Grid,
    (links, stencil, centers, filled): (&Links, &Stencil, &Centers, &Field<f32>),
    cell: Cell,
    factor: impl Fn(u8) -> f64,
) -> Option<u8> {
    let level = f64::from(filled[cell]);
    let (mut best, mut best_drop, mut best_distance) = (None, 0.0, 1.0);
    stencil.visit(grid, links.mask(cell), cell, |direction, _, n| {
        let drop = level - f64::from(filled[n]);
        if drop > 0.0 {
            let drop = drop * factor(direction);
            // Slopes compared crosswise, so that equal ones are found equal.
            let distance = centers.distance(cell, n);
            if drop * best_distance > best_drop * distance {
                (best, best_drop, best_distance) = (Some(direction), drop, distance);
            }
        }
    });
    best
}
