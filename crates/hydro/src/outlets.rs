//! Where water may leave the map.

use crate::Links;
use crate::flood::{cell_of, key};
use crate::stencil::{Stencil, assert_shape};
use grid::{Cell, Field, Grid};
use rayon::prelude::*;

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
        assert_shape(grid, links.bytes(), "the links");
        let stencil = Stencil::new(grid.shape());
        let has_gaps = elevation.as_slice().par_iter().any(|z| z.is_nan());
        let beside_gap = |cell| {
            let mut found = false;
            stencil.visit(grid, links.byte(cell), cell, |_, _, n| found |= elevation[n].is_nan());
            found
        };
        let mut outlets = Field::from_fn(grid.shape(), |cell| {
            !elevation[cell].is_nan() && (is_outlet(cell) || (has_gaps && beside_gap(cell)))
        });
        if !outlets.as_slice().par_iter().any(|&o| o) {
            let data = elevation.as_slice().par_iter().enumerate().filter(|(_, z)| !z.is_nan());
            if let Some(lowest) = data.map(|(i, &z)| key(z, Cell::from_index(i))).min() {
                outlets[cell_of(lowest)] = true;
            }
        }
        Self(outlets)
    }

    /// The outlets of a map with an open border: the cells that lie at it or beside one without data.
    pub fn at_border(grid: &impl Grid, links: &Links, elevation: &Field<f32>) -> Self {
        Self::of(grid, links, elevation, |cell| grid.at_border(cell))
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
