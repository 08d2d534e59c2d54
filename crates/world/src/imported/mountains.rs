//! Mountains apart from the land under them.
//!
//! The lower envelope of the valleys' heights is their opening: an erosion (the least height within a distance r) and
//! then a dilation (the greatest of those). What is wider than 2 r, as a plateau, comes back as it was; what is narrower,
//! as a range, is cut off at the height of its foot. Distances are counted in steps to neighbours, by turns over the sides
//! alone and over corners too, which makes octagons. The sea counts as 0. A share `kept` of what was cut off stays, so
//! that divides lie under crests and valleys between them still lead down.
//!
//! ```text
//! base = open(l) + kept (l - open(l))
//! ```
//!
//! Source of the operators: J. Serra, "Image Analysis and Mathematical Morphology", 1982. Neglects: how wide a range
//! is in other directions than across.

use super::cells::Cells;
use super::{LEAST_M, rounded_m};
use crate::given::places::means;
use crate::given::raster::Raster;
use crate::recipe::Import;
use grid::{Cell, Direction, Field, Grid, Topology};

/// The mountain-free map of an elevation, in metres; the sea's floor at sea. Cost: a pass over the cells for each step.
pub(super) fn envelope(grid: &Topology, cells: &Cells, params: &Import) -> Field<f32> {
    let valley_m = |c: Cell| if cells.is_land(c) { cells.valley_m[c] } else { 0.0 };
    let steps = steps(grid, params.range_km * 1000.0);
    let mut open = Field::from_fn(grid.shape(), valley_m);
    for &directions in &steps {
        open = pick(grid, &open, directions, f32::min);
    }
    for &directions in &steps {
        open = pick(grid, &open, directions, f32::max);
    }
    Field::from_fn(grid.shape(), |cell| {
        if !cells.is_land(cell) {
            return cells.elevation_m[cell].min(-LEAST_M);
        }
        let (low, foot) = (f64::from(cells.valley_m[cell]), f64::from(open[cell]));
        at_least(rounded_m(foot + params.kept * (low - foot)), cells.valley_m[cell])
    })
}

/// The map under mountains of a given height: the elevation without them.
pub(super) fn below(grid: &Topology, cells: &Cells, given: &Raster) -> Field<f32> {
    let height_m = means(grid, given);
    Field::from_fn(grid.shape(), |cell| {
        let z = cells.elevation_m[cell];
        if !cells.is_land(cell) {
            return z.min(-LEAST_M);
        }
        at_least(rounded_m(f64::from(z) - f64::from(height_m[cell].max(0.0))), z)
    })
}

/// Keeps land above the sea where it is no basin.
fn at_least(base_m: f32, ground_m: f32) -> f32 {
    if ground_m >= LEAST_M { base_m.max(LEAST_M) } else { base_m }
}

/// The directions of each step as far as a distance.
fn steps(grid: &Topology, reach_m: f64) -> Vec<&'static [Direction]> {
    let shape = grid.shape();
    let most = f64::from(shape.rows.max(shape.cols));
    let count = (reach_m / grid.cell_m()).round().clamp(1.0, most) as usize;
    (0..count).map(|k| if k % 2 == 0 { &Direction::ALL[..] } else { &Direction::SIDES[..] }).collect()
}

fn pick(
    grid: &Topology,
    field: &Field<f32>,
    directions: &[Direction],
    of: fn(f32, f32) -> f32,
) -> Field<f32> {
    Field::from_fn(grid.shape(), |cell| {
        let near = directions.iter().filter_map(|&d| grid.neighbor(cell, d));
        near.fold(field[cell], |best, n| of(best, field[n]))
    })
}
