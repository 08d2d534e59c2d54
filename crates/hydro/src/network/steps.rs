//! How long a step to the receiver is.

use crate::Flow;
use grid::{Cell, Grid};

/// Lengths of single steps: by row where a grid has one for all cells of a row, else from centre to centre.
///
/// Both ends of a step give the same length, and equal steps of a map are equal bit for bit, so that ties of lengths are
/// found where rounding allows it.
pub(crate) struct Steps<'a> {
    receiver: &'a [u8],
    spacing: Spacing,
}

enum Spacing {
    /// The same for all cells, clockwise from north.
    Same([f64; 8]),
    /// For each row of a face.
    Rows(Vec<Option<[f64; 8]>>),
}

impl<'a> Steps<'a> {
    pub(crate) fn of(grid: &impl Grid, flow: &'a Flow) -> Self {
        let rows: Vec<_> = (0..grid.shape().rows).map(|row| grid.row_spacing_m(row)).collect();
        let spacing = match rows.first() {
            Some(&Some(first)) if rows.iter().all(|row| *row == Some(first)) => Spacing::Same(first),
            _ => Spacing::Rows(rows),
        };
        Self { receiver: flow.receiver.as_slice(), spacing }
    }

    /// Metres from a cell to `target`, the cell that its water goes to.
    #[inline]
    pub(crate) fn length_m(&self, grid: &impl Grid, cell: Cell, target: Cell) -> f64 {
        let of_row = match &self.spacing {
            Spacing::Same(spacing) => Some(spacing),
            Spacing::Rows(rows) => rows[grid.shape().split(cell).1 as usize].as_ref(),
        };
        let direction = usize::from(self.receiver[cell.index()]);
        of_row.map_or_else(|| grid.cell_distance_m(cell, target), |spacing| spacing[direction])
    }
}

/// As [`Steps::length_m`] for a few steps: the grid is asked for each.
pub(crate) fn step_m(grid: &impl Grid, flow: &Flow, cell: Cell, target: Cell) -> f64 {
    let spacing = grid.row_spacing_m(grid.shape().split(cell).1);
    let direction = usize::from(flow.receiver[cell]);
    spacing.map_or_else(|| grid.cell_distance_m(cell, target), |spacing| spacing[direction])
}
