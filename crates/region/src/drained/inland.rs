//! The smooth fields of a tile that lies inland: known at the corners of squares of samples, and even between them.
//!
//! Squares are aligned to the lattice's own numbers, so that tiles agree where they meet and no window matters.

use super::{TILE, Tile, Work, is_on};
use crate::terrain::{Inland, Near};
use grid::Grid;

/// Samples along a side of the largest squares, and how large they are at the most, in cells.
const WIDEST: usize = 8;
const CELLS: f64 = 0.05;

/// Fields over a tile.
pub(super) struct Fields {
    /// Row by row from the south.
    corners: Vec<Inland>,
    /// Samples along a side of a square.
    step: usize,
}

impl Work<'_> {
    /// The fields over a tile where neither sea nor lakes can matter; none elsewhere, nor where samples lie far apart.
    pub(super) fn inland(&self, tile: Tile, near: &Near) -> Option<Fields> {
        let room = CELLS * self.grid.cell_m() / self.spacing_m;
        let step = (1..=WIDEST.ilog2()).rev().map(|k| 1usize << k).find(|step| *step as f64 <= room)?;
        if !near.is_inland() {
            return None;
        }
        let (apart, side) = (step as i64, TILE / step as i64 + 1);
        let corner = |k: i64| {
            let (column, row) = (tile.column * TILE + k % side * apart, tile.row * TILE + k / side * apart);
            let at = self.request.lattice.position(column, row)?;
            is_on(self.grid, at).then(|| near.inland(at * self.grid.metres_per_unit()))
        };
        let corners = (0..side * side).map(corner).collect::<Option<_>>()?;
        Some(Fields { corners, step })
    }
}

impl Fields {
    /// At a sample, counted row by row from the north.
    pub fn at(&self, k: usize) -> Inland {
        let side = TILE as usize;
        let (r, c) = (side - 1 - k / side, k % side);
        let first = r / self.step * (side / self.step + 1) + c / self.step;
        let share = |n: usize| (n % self.step) as f64 / self.step as f64;
        let along = |k: usize| self.corners[k].lerp(&self.corners[k + 1], share(c));
        along(first).lerp(&along(first + side / self.step + 1), share(r))
    }
}
