//! A rectangle of heights on a plane: all that the statistics of terrain need.

use grid::{Flat, Grid, GridError};

/// Heights at the points of a square lattice, row by row from the north, every one of them known.
#[derive(Clone, Debug, PartialEq)]
pub struct Heights {
    values_m: Vec<f32>,
    columns: usize,
    rows: usize,
    grid: Flat,
}

/// Why numbers are no heights that can be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HeightsError {
    /// They do not fill a rectangle, or too small a one.
    #[error(
        "{values} heights are no rows of {columns}; expected a rectangle of at least {least} x {least}",
        least = Heights::LEAST_SIDE
    )]
    Size {
        /// How many there are.
        values: usize,
        /// Columns they should have.
        columns: usize,
    },
    /// Too many of them along a side, or too small or large a distance between them.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A sample without data.
    #[error("the sample in column {column} of row {row} has no height; measure a window without gaps")]
    Gap {
        /// Its column.
        column: usize,
        /// Its row.
        row: usize,
    },
}

impl Heights {
    /// Fewest samples along a side: a difference needs two, a curvature three.
    pub const LEAST_SIDE: usize = 3;

    /// Heights in metres, `spacing_m` metres apart in both directions.
    ///
    /// # Errors
    /// Numbers that fill no rectangle, or with one that is not finite among them; a spacing that no grid has.
    pub fn new(values_m: Vec<f32>, columns: usize, spacing_m: f64) -> Result<Self, HeightsError> {
        let values = values_m.len();
        let rows = values.checked_div(columns).unwrap_or(0);
        if rows * columns != values || rows.min(columns) < Self::LEAST_SIDE {
            return Err(HeightsError::Size { values, columns });
        }
        let side = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let grid = Flat::new(side(columns), side(rows), spacing_m)?;
        if let Some(at) = values_m.iter().position(|v| !v.is_finite()) {
            return Err(HeightsError::Gap { column: at % columns, row: at / columns });
        }
        Ok(Self { values_m, columns, rows, grid })
    }

    /// The heights in metres, row by row from the north.
    pub fn values_m(&self) -> &[f32] {
        &self.values_m
    }

    /// Samples from west to east.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Samples from north to south.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Distance between neighbouring samples in metres.
    pub fn spacing_m(&self) -> f64 {
        self.grid.cell_m()
    }

    /// The samples as cells of a flat map.
    pub fn grid(&self) -> &Flat {
        &self.grid
    }

    /// Area in square kilometres: each sample stands for a square of one spacing.
    pub fn area_km2(&self) -> f64 {
        self.values_m.len() as f64 * self.spacing_m() * self.spacing_m() * 1e-6
    }

    /// The height in metres in a column and a row.
    #[inline]
    pub(super) fn at(&self, column: usize, row: usize) -> f64 {
        f64::from(self.values_m[row * self.columns + column])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let size = |values, columns| Err(HeightsError::Size { values, columns });
        assert_eq!(Heights::new(vec![0.0; 10], 3, 90.0), size(10, 3));
        assert_eq!(Heights::new(vec![0.0; 6], 3, 90.0), size(6, 3));
        assert_eq!(Heights::new(vec![0.0; 9], 0, 90.0), size(9, 0));
        assert!(matches!(Heights::new(vec![0.0; 9], 3, 0.0), Err(HeightsError::Grid(_))));
        let mut values = vec![0.0; 12];
        values[7] = f32::NAN;
        assert_eq!(Heights::new(values, 4, 1.0), Err(HeightsError::Gap { column: 3, row: 1 }));
        let heights = Heights::new(vec![0.0; 12], 4, 500.0).expect("3 rows of 4");
        assert_eq!((heights.rows(), heights.area_km2()), (3, 3.0));
    }
}
