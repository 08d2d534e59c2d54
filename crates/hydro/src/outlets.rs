//! Where water may leave the map.

use crate::Links;
use crate::flood::{cell_of, key};
use crate::stencil::{Stencil, assert_shape};
use grid::{Cell, Field, Grid};
use rayon::prelude::*;

/// Cells that are looked through at a time.
const CHUNK: usize = 1 << 14;

/// The cells at which water may leave: there is at least one on every grid that has data.
///
/// An outlet has data. Whatever reaches it is drained, however high the land around it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlets(Field<bool>);

impl Outlets {
    /// The cells with data for which `is_outlet` holds or that lie beside one without data (along a link); where
    /// there are none, the lowest cell, of equal ones that of the lowest address.
    ///
    /// Cells whose elevation (metres) is not a number have no data: water that gets next to one leaves the map
    /// there. Cost: linear, in parallel.
    pub fn of(
        grid: &impl Grid,
        links: &Links,
        elevation: &Field<f32>,
        is_outlet: impl Fn(Cell) -> bool + Sync,
    ) -> Self {
        assert_shape(grid, elevation, "the elevation");
        let flags = Field::from_fn(grid.shape(), |cell| !elevation[cell].is_nan() && is_outlet(cell));
        Self::complete(grid, links, elevation, flags)
    }

    /// The outlets of a map with an open border: the cells that lie at it or beside one without data.
    pub fn at_border(grid: &impl Grid, links: &Links, elevation: &Field<f32>) -> Self {
        assert_shape(grid, elevation, "the elevation");
        let shape = grid.shape();
        let mut flags = Field::filled(shape, false);
        let mut look = |face, row, col| {
            let cell = shape.join(face, row, col);
            flags[cell] = !elevation[cell].is_nan() && grid.at_border(cell);
        };
        for face in 0..shape.faces {
            (0..shape.cols)
                .for_each(|col| [0, shape.rows - 1].into_iter().for_each(|row| look(face, row, col)));
            (0..shape.rows)
                .for_each(|row| [0, shape.cols - 1].into_iter().for_each(|col| look(face, row, col)));
        }
        Self::complete(grid, links, elevation, flags)
    }

    /// Adds what lies beside gaps, and the lowest cell if there is no other.
    fn complete(grid: &impl Grid, links: &Links, elevation: &Field<f32>, mut flags: Field<bool>) -> Self {
        assert_shape(grid, links.bytes(), "the links");
        let z = elevation.as_slice();
        let has_gaps = z.par_chunks(CHUNK).any(any_nan);
        if has_gaps {
            add_shores(grid, links, elevation, &mut flags);
        }
        if !flags.as_slice().par_chunks(CHUNK).any(|flags| flags.contains(&true)) {
            let data = z.par_iter().enumerate().filter(|(_, z)| !z.is_nan());
            if let Some(lowest) = data.map(|(i, &z)| key(z, Cell::from_index(i))).min() {
                flags[cell_of(lowest)] = true;
            }
        }
        Self(flags)
    }

    /// Whether water may leave here.
    #[inline]
    pub fn has(&self, cell: Cell) -> bool {
        self.0[cell]
    }

    /// One for each cell.
    pub fn field(&self) -> &Field<bool> {
        &self.0
    }
}

/// Whether there is a gap among them; without a branch for each.
pub(crate) fn any_nan(values: &[f32]) -> bool {
    values.iter().fold(false, |any, value| any | value.is_nan())
}

/// Marks the cells with data that are linked to one without.
fn add_shores(grid: &impl Grid, links: &Links, elevation: &Field<f32>, flags: &mut Field<bool>) {
    let (shape, z) = (grid.shape(), elevation.as_slice());
    let (rows, cols) = (shape.rows as usize, shape.cols as usize);
    let stencil = Stencil::new(shape);
    let is_beside_gap = |cell| {
        let mut found = false;
        stencil.visit(grid, links.mask(cell), cell, |_, _, n| found |= elevation[n].is_nan());
        found
    };
    flags.as_mut_slice().par_chunks_mut(cols).enumerate().for_each(|(line, flags)| {
        let start = line * cols;
        let at_rim = line % rows == 0 || (line + 1) % rows == 0;
        let is_clear =
            |lines: std::ops::Range<usize>| !lines.into_iter().any(|l| any_nan(&z[l * cols..][..cols]));
        // Away from the rim of a face all neighbours lie in three rows.
        let inner = if at_rim || cols < 3 || is_clear(line - 1..line + 2) { 0..0 } else { 1..cols - 1 };
        let rim = if at_rim { 0..cols } else { 0..1 };
        for i in rim.chain(inner).chain([cols - 1]) {
            flags[i] = flags[i] || (!z[start + i].is_nan() && is_beside_gap(Cell::from_index(start + i)));
        }
    });
}
