//! Where in a cell a raster is asked: at places spread evenly over it.

use super::raster::Raster;
use grid::{Cell, Field, Grid, Topology, Vec3};

/// Places along a side of a cell.
pub(crate) const SIDE: usize = 5;

/// The positions of a cell that are asked, so many along a side.
pub(crate) fn places(grid: &Topology, cell: Cell, side: usize) -> impl Iterator<Item = Vec3> {
    let at = move |k: usize| (k as f64 + 0.5) / side as f64;
    (0..side * side).map(move |k| grid.within(cell, at(k % side), at(k / side)))
}

/// The mean of a raster over each cell; 0 where it is missing. Cost: 25 places a cell.
pub(crate) fn means(grid: &Topology, raster: &Raster) -> Field<f32> {
    Field::from_fn(grid.shape(), |cell| {
        let read = |p| raster.spot(grid, p).read(&raster.mean);
        let known = places(grid, cell, SIDE).map(read).map(|v| if v.is_nan() { 0.0 } else { v });
        known.sum::<f32>() / (SIDE * SIDE) as f32
    })
}
