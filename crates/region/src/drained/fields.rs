//! The smooth fields of a tile: known at the corners of squares of samples, and even between them.
//!
//! Squares are aligned to the lattice's own numbers, so that tiles agree where they meet and no window matters.

use super::{NOWHERE, TILE, Tile, Work, is_on};
use crate::sample::Sample;
use crate::terrain::{Carved, Inland, Near, Waterside};
use grid::{Grid, Vec3};

/// Samples along a side of the largest squares.
const WIDEST: usize = 8;
/// How large squares are at the most, in cells.
const CELLS: f64 = 0.05;
/// The same beside waters in metres, where hills of 1.5 km push shores out; but two samples may always share a square.
const WATERSIDE_M: f64 = 450.0;

/// Fields over a tile.
pub(super) enum Fields {
    /// Where neither sea nor lakes can matter.
    Inland(Squares<Inland>),
    Waterside(Squares<Waterside>),
    /// Samples lie too far apart: each is asked for its own.
    Each,
}

impl Work<'_> {
    /// The fields over a tile.
    pub(super) fn fields(&self, tile: Tile, near: &Near) -> Fields {
        let widest_m = CELLS * self.grid.cell_m();
        // no two samples may share a square: what is around the tile need not be gathered
        if widest_m < 2.0 * self.spacing_m {
            return Fields::Each;
        }
        let squares = if near.is_inland() {
            self.squares((tile, near), widest_m, |column| near.inland(column)).map(Fields::Inland)
        } else {
            let widest_m = WATERSIDE_M.max(2.0 * self.spacing_m).min(widest_m);
            self.squares((tile, near), widest_m, |column| near.waterside(column)).map(Fields::Waterside)
        };
        squares.unwrap_or(Fields::Each)
    }

    /// Squares of at most so many metres, with a field at the places of each row of corners; none where samples lie too far
    /// apart for any.
    fn squares<T>(
        &self,
        (tile, near): (Tile, &Near),
        widest_m: f64,
        field: impl Fn(usize) -> T,
    ) -> Option<Squares<T>> {
        let room = widest_m / self.spacing_m;
        let step = (1..=WIDEST.ilog2()).rev().map(|k| 1usize << k).find(|step| *step as f64 <= room)?;
        let (apart, side) = (step as i64, TILE / step as i64 + 1);
        let place = |row: i64, column: i64| {
            let at = self
                .request
                .lattice
                .position(tile.column * TILE + column * apart, tile.row * TILE + row * apart)?;
            is_on(self.grid, at).then(|| at * self.grid.metres_per_unit())
        };
        let mut corners = Vec::with_capacity((side * side) as usize);
        for row in 0..side {
            near.begin((0..side).map(|column| place(row, column)).collect::<Option<_>>()?);
            corners.extend((0..side as usize).map(&field));
        }
        Some(Squares { corners, step })
    }
}

impl Fields {
    /// Begins a row of the tile's samples: inland nothing asks for their places.
    pub fn begin(&self, row: &[Option<Vec3>], near: &Near) {
        if !matches!(self, Self::Inland(_)) {
            near.begin(row.iter().map(|p| p.unwrap_or(NOWHERE)).collect());
        }
    }

    /// The sample of this number, row by row from the north; its row must have begun.
    pub fn compose(&self, k: usize, near: &Near, carved: &Carved) -> Sample {
        let column = k % TILE as usize;
        match self {
            Self::Inland(squares) => {
                let ([a, b, c, d], (along, up)) = squares.around(k);
                a.lerp(b, along).lerp(&c.lerp(d, along), up).compose(carved, near.ceiling())
            }
            Self::Waterside(squares) => {
                let (corners, shares) = squares.around(k);
                match Waterside::between(corners, shares) {
                    Some(waterside) => near.compose_from(column, &waterside, carved),
                    None => near.compose_in_row(column, carved),
                }
            }
            Self::Each => near.compose_in_row(column, carved),
        }
    }
}

/// Values at the corners of squares, row by row from the south.
pub(super) struct Squares<T> {
    corners: Vec<T>,
    /// Samples along a side of a square.
    step: usize,
}

impl<T> Squares<T> {
    /// The corners around a sample, counted row by row from the north: two in the south, two in the north; and its shares of the
    /// way to the east and to the north.
    fn around(&self, k: usize) -> ([&T; 4], (f64, f64)) {
        let side = TILE as usize;
        let (r, c) = (side - 1 - k / side, k % side);
        let row = side / self.step + 1;
        let first = r / self.step * row + c / self.step;
        let share = |n: usize| (n % self.step) as f64 / self.step as f64;
        let at = |k: usize| &self.corners[k];
        ([at(first), at(first + 1), at(first + row), at(first + row + 1)], (share(c), share(r)))
    }
}
