//! The steepest way down from each cell to one of its neighbours (D8; O'Callaghan & Mark 1984).
//!
//! slope(d) = (z(c) - z(n)) / distance(d), in `f64`, over the linked neighbours n with z(n) < z(c); the direction d
//! of the greatest, of equal ones the first clockwise from north. Cells with no lower neighbour and cells without
//! data have none.
//!
//! Scheme: where all cells of a row have the same spacings and all eight links, `f32` decides, one lane for each
//! cell, wherever it decides as `f64` would; the rest, about one cell in a thousand, is done again in `f64`. So the
//! answer is always that of the definition. Flats stay without direction: see [`crate::flats`]. Cost: linear, rows
//! in parallel.

mod lanes;

use crate::Links;
use crate::flow::NONE;
use crate::stencil::{Centers, Stencil, assert_shape};
use grid::{Cell, Field, Grid};
use rayon::prelude::*;

/// The direction of the steepest descent from each cell, or [`NONE`].
///
/// `surface` in metres, not a number where there is no data. Distances are [`Grid::row_spacing_m`] where the grid
/// has it, else straight lines between centres. Outlets flow too, if a neighbour is lower.
pub fn d8(grid: &impl Grid, links: &Links, surface: &Field<f32>) -> Field<u8> {
    assert_shape(grid, surface, "the surface");
    let slopes = Slopes::new(grid, links, surface);
    let cols = grid.shape().cols as usize;
    let mut receiver = vec![0; grid.len()];
    receiver.par_chunks_mut(cols.max(1)).enumerate().for_each(|(line, out)| slopes.line(line, out));
    Field::from_vec(grid.shape(), receiver).expect("one for each cell")
}

/// What is needed to compare slopes.
struct Slopes<'a, G> {
    grid: &'a G,
    links: &'a Links,
    stencil: Stencil,
    z: &'a Field<f32>,
    /// Where the rows of the grid have no spacing of their own.
    centers: Option<Centers>,
}

impl<'a, G: Grid> Slopes<'a, G> {
    fn new(grid: &'a G, links: &'a Links, z: &'a Field<f32>) -> Self {
        let is_regular = (0..grid.shape().rows).all(|row| grid.row_spacing_m(row).is_some());
        let centers = if is_regular { None } else { Some(Centers::of(grid)) };
        Self { grid, links, stencil: Stencil::new(grid.shape()), z, centers }
    }

    /// Directions of a row; `line` counts rows through all faces.
    fn line(&self, line: usize, out: &mut [u8]) {
        let shape = self.grid.shape();
        let (first, cols) = (line * shape.cols as usize, shape.cols as usize);
        let row = line as u32 % shape.rows;
        let spacing_m = self.grid.row_spacing_m(row);
        let at = |col: usize| Cell::from_index(first + col);
        match spacing_m {
            Some(spacing_m) if self.is_open(row, at(0)) => {
                let z = self.z.as_slice();
                let around = [first - cols, first, first + cols].map(|start| &z[start..start + cols]);
                let inner = &mut out[1..cols - 1];
                lanes::steepest(&spacing_m, around, inner);
                for (i, to) in inner.iter_mut().enumerate().filter(|(_, d)| **d == lanes::DOUBT) {
                    *to = self.steepest(at(i + 1), &spacing_m);
                }
                [0, cols - 1].into_iter().for_each(|col| out[col] = self.steepest(at(col), &spacing_m));
            }
            _ => {
                let none = [0.0; 8];
                let spacing_m = spacing_m.as_ref().unwrap_or(&none);
                out.iter_mut().enumerate().for_each(|(col, to)| *to = self.steepest(at(col), spacing_m));
            }
        }
    }

    /// Whether all cells of a row but the first and the last have eight linked neighbours on their face.
    fn is_open(&self, row: u32, first: Cell) -> bool {
        let shape = self.grid.shape();
        let inside = row > 0 && row + 1 < shape.rows && shape.cols > 2;
        let start = first.index() + 1;
        inside
            && self.links.chosen().is_none_or(|bytes| {
                let row = &bytes[start..start + shape.cols as usize - 2];
                row.iter().fold(u8::MAX, |all, byte| all & byte) == u8::MAX
            })
    }

    /// The definition.
    fn steepest(&self, cell: Cell, spacing_m: &[f64; 8]) -> u8 {
        let level = f64::from(self.z[cell]);
        let (mut best, mut best_slope) = (NONE, 0.0);
        self.stencil.visit(self.grid, self.links.mask(cell), cell, |direction, _, n| {
            let drop_m = level - f64::from(self.z[n]);
            if drop_m > 0.0 {
                let distance =
                    self.centers.as_ref().map_or(spacing_m[direction as usize], |c| c.distance(cell, n));
                let slope = drop_m / distance;
                if slope > best_slope {
                    (best, best_slope) = (direction, slope);
                }
            }
        });
        best
    }
}
