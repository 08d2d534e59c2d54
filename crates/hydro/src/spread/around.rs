//! Lengths around a cell: to its eight neighbours, and between those that follow each other.

use crate::stencil::{Centers, Stencil};
use grid::{Cell, Grid, Shape};

/// Lengths in metres, clockwise from north. Not a number where an end is missing and the grid's rows differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    /// From the centre to each neighbour.
    pub(crate) to: [f64; 8],
    /// From each neighbour to the next.
    pub(crate) ring: [f64; 8],
    /// Whether rows and columns count as being at right angles.
    pub(crate) is_square: bool,
}

/// The lengths of a whole grid: by rows where all cells of a row have the same, else from the centres.
pub(crate) enum Lengths {
    Rows(Shape, Vec<Around>),
    /// With the metres in a unit of position.
    Centers(Centers, f64),
}

impl Lengths {
    pub(crate) fn of(grid: &impl Grid) -> Self {
        let shape = grid.shape();
        let spacings: Option<Vec<[f64; 8]>> = (0..shape.rows).map(|row| grid.row_spacing_m(row)).collect();
        let Some(spacings) = spacings else {
            return Self::Centers(Centers::of(grid), grid.metres_per_unit());
        };
        // The third sides of the triangles are steps to the east or north in a row nearby.
        let around = |row: usize| {
            let (to, last) = (spacings[row], spacings.len() - 1);
            let above = spacings[row.saturating_sub(1)][2];
            let below = spacings[(row + 1).min(last)][2];
            Around { to, ring: [above, to[0], to[4], below, below, to[4], to[0], above], is_square: true }
        };
        Self::Rows(shape, (0..spacings.len()).map(around).collect())
    }

    /// The lengths around the cells of a row, if they are all the same.
    pub(crate) fn of_row(&self, row: usize) -> Option<&Around> {
        match self {
            Self::Rows(_, rows) => Some(&rows[row]),
            Self::Centers(..) => None,
        }
    }

    /// The lengths around a cell.
    #[inline]
    pub(crate) fn around(&self, grid: &impl Grid, stencil: &Stencil, cell: Cell) -> Around {
        match self {
            Self::Rows(shape, rows) => rows[shape.split(cell).1 as usize],
            Self::Centers(centers, unit_m) => {
                let mut cells = [None; 8];
                stencil.visit(grid, u8::MAX, cell, |d, _, n| cells[d as usize] = Some(n));
                let length = |a: Option<Cell>, b: Option<Cell>| match (a, b) {
                    (Some(a), Some(b)) => centers.distance(a, b) * unit_m,
                    _ => f64::NAN,
                };
                Around {
                    to: cells.map(|n| length(Some(cell), n)),
                    ring: std::array::from_fn(|i| length(cells[i], cells[(i + 1) & 7])),
                    is_square: false,
                }
            }
        }
    }
    /// The length from a cell to its neighbour in a direction. A number wherever there is one.
    #[inline]
    pub(crate) fn to(&self, grid: &impl Grid, stencil: &Stencil, cell: Cell, direction: u8) -> f64 {
        match self {
            Self::Rows(shape, rows) => rows[shape.split(cell).1 as usize].to[usize::from(direction)],
            Self::Centers(centers, unit_m) => {
                let there = stencil.neighbor(grid, cell, direction);
                there.map_or(f64::NAN, |there| centers.distance(cell, there) * unit_m)
            }
        }
    }
}
