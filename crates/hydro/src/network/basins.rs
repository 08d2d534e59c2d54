//! What drains to given cells.

use super::NOWHERE;
use crate::stencil::assert_shape;
use crate::{Flow, Reach};
use grid::{Cell, Field, Grid};

/// For each cell the index of the outlet that its water meets first, [`NOWHERE`] where it meets none.
///
/// Watersheds of outlets that lie above one another are nested: each cell belongs to the nearest one downstream. An outlet
/// belongs to its own watershed; where one cell is given twice, to the first. Cost: linear.
pub fn watersheds(grid: &impl Grid, flow: &Flow, outlets: &[Cell]) -> Field<u32> {
    let mut seeds = Field::filled(grid.shape(), NOWHERE);
    for (index, &outlet) in (0u32..).zip(outlets) {
        if seeds[outlet] == NOWHERE {
            seeds[outlet] = index;
        }
    }
    spread_up(flow, seeds)
}

/// For each cell the index of the reach that its water meets first, [`NOWHERE`] where it meets none: sub-basins, one for
/// each reach. Cost: linear.
pub fn reach_basins(grid: &impl Grid, flow: &Flow, reaches: &[Reach]) -> Field<u32> {
    let mut seeds = Field::filled(grid.shape(), NOWHERE);
    for (index, reach) in (0u32..).zip(reaches) {
        reach.cells.iter().for_each(|&cell| seeds[cell] = index);
    }
    spread_up(flow, seeds)
}

/// Basins by number: 1 for the one with the largest `area_m2` at its end, of equal ones that whose end has the lowest address,
/// and so on; and their ends in that order. 0 where no area has come together (sea, no data).
///
/// An end is a cell with a positive area whose water goes nowhere, or to a cell without area. Cost: linear, and n log n for n basins.
pub fn rank_basins(grid: &impl Grid, flow: &Flow, area_m2: &Field<f64>) -> (Field<u32>, Vec<Cell>) {
    assert_shape(grid, area_m2, "the area");
    let area = area_m2.as_slice();
    let counts = |c: &Cell| area[c.index()] > 0.0;
    let is_end = |c: &Cell| counts(c) && flow.target(*c).filter(counts).is_none();
    let mut ends: Vec<Cell> = (0..grid.len()).map(Cell::from_index).filter(is_end).collect();
    ends.sort_unstable_by(|a, b| area[b.index()].total_cmp(&area[a.index()]).then(a.cmp(b)));
    let mut numbers = Field::filled(grid.shape(), NOWHERE);
    for (number, &end) in (1u32..).zip(&ends) {
        numbers[end] = number;
    }
    let mut numbers = spread_up(flow, numbers);
    let values = numbers.as_mut_slice();
    for (value, area) in values.iter_mut().zip(area) {
        let belongs = *area > 0.0 && *value != NOWHERE;
        *value = if belongs { *value } else { 0 };
    }
    (numbers, ends)
}

/// Gives each cell without a value that of its receiver, from the outlets up.
pub(super) fn spread_up(flow: &Flow, mut seeds: Field<u32>) -> Field<u32> {
    let values = seeds.as_mut_slice();
    for &cell in flow.order() {
        match flow.target(cell) {
            Some(below) if values[cell.index()] == NOWHERE => values[cell.index()] = values[below.index()],
            _ => {}
        }
    }
    seeds
}
