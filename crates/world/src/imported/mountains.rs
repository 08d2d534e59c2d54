//! Mountains apart from the land under them.
//!
//! The lower envelope of the valleys' heights is their opening: an erosion (the least height within a distance r) and
//! then a dilation (the greatest of those). What is wider than 2 r, as a plateau, comes back as it was; what is narrower,
//! as a range, is cut off at the height of its foot. Distances are counted in steps to neighbours, by turns over the sides
//! alone and over corners too, which makes octagons. The sea counts as 0. A share `kept` of what was cut off stays, so
//! that divides lie under crests and valleys between them still lead down.
//!
//! ```text
//! envelope = open(l) + kept (l - open(l))
//! ```
//!
//! In cells of some kilometres and less the raster's own valleys are seen, and mountains are what is finer: the map under them is
//! nowhere lower than a share of a cell under the land's height.
//!
//! Source of the operators: J. Serra, "Image Analysis and Mathematical Morphology", 1982. Neglects: how wide a range
//! is in other directions than across.

use super::cells::Cells;
use super::{LEAST_M, rounded_m};
use crate::given::places::means;
use crate::given::raster::Raster;
use crate::recipe::Import;
use grid::{Cell, Direction, Field, Grid, Topology};

/// Mountains have a mean height of at most this share of a cell's side: refinement lets summits rise to 2.5 times that, 0.3 of the way
/// from the middle of a cell to its border. Where cells are small the rest of a range is high land.
const STANDS: f64 = 0.06;

/// The lower envelope of an elevation, in metres; the sea's floor at sea. Cost: a pass over the cells for each step.
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

/// The mountain-free map over an envelope: so high that what stands on it fits into cells.
pub(super) fn under_what_fits(grid: &Topology, cells: &Cells, mut envelope_m: Field<f32>) -> Field<f32> {
    let most_m = STANDS * grid.cell_m();
    for cell in grid.cells().filter(|&c| cells.is_land(c)) {
        let least_m = rounded_m(f64::from(cells.elevation_m[cell]) - most_m).min(cells.floor_m[cell]);
        envelope_m[cell] = envelope_m[cell].max(least_m);
    }
    envelope_m
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
