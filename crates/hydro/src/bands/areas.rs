//! Areas of cells, added up exactly.
//!
//! Where all cells have the same area, the area of a basin is that times its number of cells. Else areas are taken in
//! whole *quanta*, a power of two of square metres of which all cells together hold fewer than 2^62: sums of whole
//! numbers are the same in any order. A cell's area is off by half a quantum at most, 2^-63 of that of the map.

use super::Threshold;
use super::joints::Load;
use super::strip::Strip;
use grid::Grid;

/// The areas of all cells, which depend on the row only.
pub(super) enum Areas {
    /// In square metres, of every cell.
    Equal(f64),
    /// Quanta of a cell of each row, and how many there are in a square metre.
    ByRow(Vec<u64>, f64),
}

impl Areas {
    pub fn of(grid: &impl Grid) -> Self {
        let shape = grid.shape();
        let areas_m2: Vec<f64> = (0..shape.rows).map(|row| grid.area_m2(shape.join(0, row, 0))).collect();
        if areas_m2.iter().all(|&a| a == areas_m2[0]) {
            return Self::Equal(areas_m2.first().copied().unwrap_or(0.0));
        }
        let all_m2 = areas_m2.iter().sum::<f64>() * f64::from(shape.cols);
        let limit = (1u64 << 62) as f64;
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

    /// Quanta of each cell of a band with its ring, if they are needed.
    pub fn weights(&self, strip: Strip) -> Option<Vec<u64>> {
        let Self::ByRow(quanta, _) = self else { return None };
        let mut weights = vec![0; strip.padded_len()];
        for row in 0..strip.rows {
            weights[strip.row(row)..][..strip.cols].fill(quanta[strip.first as usize + row]);
        }
        Some(weights)
    }

    /// The area of what passes a cell, in square metres.
    pub fn of_load_m2(&self, load: Load) -> f64 {
        match self {
            Self::Equal(area_m2) => f64::from(load.cells) * area_m2,
            Self::ByRow(_, per_m2) => load.quanta as f64 / per_m2,
        }
    }

    /// From how many cells and quanta on there is a stream.
    pub fn least(&self, threshold: Threshold) -> Load {
        match (threshold, self) {
            (Threshold::Cells(cells), _) => Load { cells: cells.max(1), quanta: 0 },
            (Threshold::AreaM2(least_m2), Self::Equal(area_m2)) => {
                Load { cells: least_cells(least_m2, *area_m2), quanta: 0 }
            }
            // The scale is a power of two: the product is exact.
            (Threshold::AreaM2(least_m2), Self::ByRow(_, per_m2)) => {
                Load { cells: 1, quanta: (least_m2 * per_m2).ceil() as u64 }
            }
        }
    }
}

/// The least number of cells with at least this area: as a product in `f64`, so that the division's rounding does
/// not decide.
fn least_cells(least_m2: f64, area_m2: f64) -> u32 {
    let mut cells = ((least_m2 / area_m2) as u32).saturating_sub(2).max(1);
    while f64::from(cells) * area_m2 < least_m2 && cells < u32::MAX {
        cells += 1;
    }
    cells
}

/// Distances in metres to the eight neighbours of a cell of this row.
pub(super) fn spacing_m(grid: &impl Grid, row: u32) -> [f64; 8] {
    grid.row_spacing_m(row).expect("refused before, where a row has none")
}

/// Whether the grid is one that bands can be cut of.
pub(super) fn refusal(grid: &impl Grid) -> Option<&'static str> {
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
