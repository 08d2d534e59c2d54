//! Gorges that are narrower than a cell, and rivers that are to be kept.
//!
//! In cells of tens of kilometres many a river's way out is closed: the Iron Gates and the Three Gorges are narrower than
//! a sample. What dams a hollow is cut through where that is possible within `import.breach_km` and `import.breach_m`, the
//! least ground moved first ([`hydro::breach()`]); other hollows stay, for lakes. Ground far below the sea's level is left
//! alone: water ends there, as in the sea.
//!
//! A river that is given is laid before that: from its head down each of its cells is put below the one before and
//! below all beside it, by an eighth of a metre.

use super::LEAST_M;
use crate::recipe::Import;
use grid::{Cell, Field, Grid, Topology};
use hydro::{Breaching, Links, Outlets};

/// Ground as low as this, in metres, is a basin that no cut drains.
const BASIN_M: f32 = -10.0;
/// A cut changes which diagonals are links, which can close it again: so many times they are chosen anew.
const ROUNDS: usize = 3;
/// Cells that a search for a way out looks at before it gives up.
const MOST_CELLS: usize = 200_000;
/// By how much a cell of a kept river lies below what is around it, in metres.
const STEP_M: f32 = 0.125;

/// Cuts the mountain-free map (metres). `kept`: cells of rivers from their heads down. At sea nothing changes.
pub(super) fn dig(
    grid: &Topology,
    land: &Field<f32>,
    mut base_m: Field<f32>,
    kept: &[Vec<Cell>],
    params: &Import,
) -> Field<f32> {
    for river in kept {
        lay(grid, land, &mut base_m, river);
    }
    let limits = Breaching {
        reach_m: Some(params.breach_km * 1000.0),
        deepest_m: Some(params.breach_m),
        most_cells: Some(MOST_CELLS),
        ..Breaching::default()
    };
    for _ in 0..ROUNDS {
        let links = Links::planar(grid, &base_m);
        let ends = |c: Cell| land[c] <= 0.0 || base_m[c] <= BASIN_M || grid.at_border(c);
        let outlets = Outlets::of(grid, &links, &base_m, ends);
        let cut = hydro::breach(grid, &links, &base_m, &outlets, &limits);
        let surface = cut.surface;
        base_m = Field::from_fn(grid.shape(), |c| if land[c] > 0.0 { surface[c] } else { base_m[c] });
        if cut.cells_dug == 0 {
            break;
        }
    }
    base_m
}

/// Lays one river.
fn lay(grid: &Topology, land: &Field<f32>, base_m: &mut Field<f32>, river: &[Cell]) {
    let mut above = f32::INFINITY;
    for &cell in river.iter().filter(|&&c| land[c] > 0.0) {
        let beside = grid.neighbors(cell).filter(|(_, n)| land[*n] > 0.0 && !river.contains(n));
        let lowest = beside.map(|(_, n)| base_m[n]).fold(above, f32::min);
        let bed = base_m[cell].min(lowest - STEP_M);
        base_m[cell] = if base_m[cell] >= LEAST_M { bed.max(STEP_M) } else { bed };
        above = base_m[cell];
    }
}
