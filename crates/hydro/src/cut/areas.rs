//! Areas of cells, added up exactly.
//!
//! Where all cells have the same area, the area of a basin is that times its number of cells. Else areas are taken in
//! whole *quanta*, a power of two of square metres of which all cells together hold fewer than 2^62: sums of whole
//! numbers are the same in any order. A cell's area is off by half a quantum at most, 2^-63 of that of the map.

use super::Tile;
use super::joints::{Count, Load};
use grid::Grid;

/// All cells together hold fewer quanta.
pub(crate) const MOST_QUANTA: u64 = 1 << 62;

/// The areas of all cells, which depend on the row only.
pub(crate) enum Areas {
    /// In square metres, of every cell.
    Equal(f64),
    /// Quanta of a cell of each row, and how many there are in a square metre.
    ByRow(Vec<u64>, f64),
}

impl Areas {
    pub fn of(grid: &impl Grid) -> Self {
        let shape = grid.shape();
        let of_row = |row| grid.area_m2(shape.join(0, row, 0));
        Self::of_rows((0..shape.rows).map(of_row).collect(), u64::from(shape.cols))
    }

    /// Areas of a cell of each row in square metres, and how many there are in a row.
    pub fn of_rows(areas_m2: Vec<f64>, cols: u64) -> Self {
        if areas_m2.iter().all(|&a| a == areas_m2[0]) {
            return Self::Equal(areas_m2.first().copied().unwrap_or(0.0));
        }
        let all_m2 = areas_m2.iter().sum::<f64>() * cols as f64;
        let limit = MOST_QUANTA as f64;
        let mut per_m2 = 1.0;
        while all_m2 * per_m2 * 2.0 < limit {
            per_m2 *= 2.0;
        }
        while all_m2 * per_m2 >= limit {
            per_m2 /= 2.0;
        }
        Self::ByRow(areas_m2.iter().map(|a| (a * per_m2).round() as u64).collect(), per_m2)
    }

    pub fn are_equal(&self) -> bool {
        matches!(self, Self::Equal(_))
    }

    /// Of a cell of a row, in square metres.
    pub fn of_row_m2(&self, row: u32) -> f64 {
        match self {
            Self::Equal(area_m2) => *area_m2,
            Self::ByRow(quanta, per_m2) => quanta[row as usize] as f64 / per_m2,
        }
    }

    /// Quanta of each cell of a tile with its ring, if they are needed.
    pub fn weights(&self, tile: Tile) -> Option<Vec<u64>> {
        let Self::ByRow(quanta, _) = self else { return None };
        let mut weights = vec![0; tile.padded_len()];
        for row in 0..tile.rows {
            weights[tile.row(row)..][..tile.cols].fill(quanta[tile.first as usize + row]);
        }
        Some(weights)
    }

    /// The area of what passes a cell, in square metres.
    pub fn of_load_m2<C: Count>(&self, load: Load<C>) -> f64 {
        match self {
            Self::Equal(area_m2) => load.cells.to_f64() * area_m2,
            Self::ByRow(_, per_m2) => load.quanta as f64 / per_m2,
        }
    }
}

/// Distances in metres to the eight neighbours of a cell of this row.
pub(crate) fn spacing_m(grid: &impl Grid, row: u32) -> [f64; 8] {
    grid.row_spacing_m(row).expect("refused before, where a row has none")
}

/// Whether the grid is one that bands or tiles can be cut of.
pub(crate) fn refusal(grid: &impl Grid) -> Option<&'static str> {
    use grid::Direction::{E, N, S, W};
    let shape = grid.shape();
    let leads = |row, col, d| grid.step(shape.join(0, row, col), d).is_some();
    if shape.faces != 1 {
        return Some("it has more than one face");
    }
    if shape.is_empty() {
        return Some("it has no cell");
    }
    if (0..shape.rows).any(|row| grid.row_spacing_m(row).is_none()) {
        return Some("its rows have no spacing of their own");
    }
    if (0..shape.rows).any(|row| leads(row, 0, W) || leads(row, shape.cols - 1, E)) {
        return Some("it wraps round from east to west");
    }
    if (0..shape.cols).any(|col| leads(0, col, N) || leads(shape.rows - 1, col, S)) {
        return Some("it goes on over a pole");
    }
    None
}
