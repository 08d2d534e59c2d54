//! How long a step to the receiver is.

use crate::Flow;
use grid::{Cell, Grid};

/// Lengths of single steps: by row where a grid has one for all cells of a row, else from centre to centre.
///
/// Both ends of a step give the same length, and equal steps of a map are equal bit for bit, so that ties of lengths are
/// found where rounding allows it.
pub(crate) enum Steps {
    /// The same for all cells, clockwise from north.
    Same([f64; 8]),
    /// For each row of a face.
    Rows(Vec<Option<[f64; 8]>>),
}

impl Steps {
    pub(crate) fn of(grid: &impl Grid) -> Self {
        let rows: Vec<_> = (0..grid.shape().rows).map(|row| grid.row_spacing_m(row)).collect();
        match rows.first() {
            Some(&Some(first)) if rows.iter().all(|row| *row == Some(first)) => Self::Same(first),
            _ => Self::Rows(rows),
        }
    }

    /// Metres from a cell to the cell that its water goes to.
    #[inline]
    pub(crate) fn length_m(&self, grid: &impl Grid, flow: &Flow, cell: Cell, target: Cell) -> f64 {
        let direction = usize::from(flow.receiver[cell]);
        let of_row = match self {
            Self::Same(spacing) => Some(spacing),
            Self::Rows(rows) => rows[grid.shape().split(cell).1 as usize].as_ref(),
        };
        of_row.map_or_else(|| grid.cell_distance_m(cell, target), |spacing| spacing[direction])
    }
}
