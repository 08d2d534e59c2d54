//! The two distances on flats, also for a piece of a map whose neighbours' distances are known.

use super::{Level, least_of};
use crate::Links;
use crate::stencil::assert_shape;
use grid::{Cell, Direction, Field, Grid};
use std::collections::VecDeque;

/// Steps towards drained cells and away from higher ground, as defined in [`crate::flats`].
#[derive(Clone, Debug, PartialEq)]
pub struct FlatDistances {
    /// Steps to the nearest drained cell of the same level; 0 where none is reached, and off flats.
    pub toward: Field<u32>,
    /// Steps from the nearest flat cell beside higher ground, which has 1; 0 where none is reached, and off flats.
    pub away: Field<u32>,
}

/// The distances of all flat cells.
///
/// `is_flat` names the flat cells; all others with data are drained. `given` cells hold the distances that stand
/// beside them (toward, away; 0 for none) whatever lies around them: those of a neighbouring piece of the map. Pieces
/// whose rims are given by turns, from 0, until nothing changes have the distances of the whole. Cost: linear.
pub fn flat_distances(
    grid: &impl Grid,
    links: &Links,
    surface: &Field<f32>,
    is_flat: &Field<bool>,
    given: &[(Cell, u32, u32)],
) -> FlatDistances {
    assert_shape(grid, is_flat, "the flats");
    let level = Level::new(grid, links, surface, is_flat);
    let shape = grid.shape();
    let mut found = FlatDistances { toward: Field::filled(shape, 0u32), away: Field::filled(shape, 0) };
    let mut is_given = Field::filled(shape, false);
    given.iter().for_each(|(c, ..)| is_given[*c] = true);
    let (mut toward, mut away) = (Vec::new(), Vec::new());
    for cell in grid.cells().filter(|&c| is_flat[c] && !is_given[c]) {
        let around = level.around(cell);
        toward.extend((around.drained != 0).then_some((1, cell)));
        away.extend((around.higher != 0).then_some((1, cell)));
    }
    toward.extend(given.iter().map(|g| (g.1, g.0)));
    away.extend(given.iter().map(|g| (g.2, g.0)));
    spread(&level, &is_given, toward, &mut found.toward);
    spread(&level, &is_given, away, &mut found.away);
    found
}

/// Steps from given cells at given distances through all others of their flats.
fn spread(
    level: &Level<'_, impl Grid>,
    is_given: &Field<bool>,
    mut starts: Vec<(u32, Cell)>,
    steps: &mut Field<u32>,
) {
    starts.retain(|&(step, _)| step != 0);
    starts.sort_unstable();
    starts.iter().for_each(|&(step, cell)| steps[cell] = step);
    let (mut starts, mut queue) = (starts.into_iter().peekable(), VecDeque::new());
    // Two rows of cells by distance: those that begin, and those that were reached.
    loop {
        let begins = starts.next_if(|start| queue.front().is_none_or(|next| start <= next));
        let Some((step, cell)) = begins.or_else(|| queue.pop_front()) else { break };
        if steps[cell] != step {
            continue;
        }
        let (grid, links, z) = (level.grid, level.links, level.z);
        let is_same = |n: Cell| level.is_flat[n.index()] && z[n.index()] == z[cell.index()];
        for (_, n) in links.neighbors(grid, cell).filter(|&(_, n)| is_same(n)) {
            let is_longer = steps[n] == 0 || steps[n] > step + 1;
            if !is_given[n] && is_longer {
                steps[n] = step + 1;
                queue.push_back((step + 1, n));
            }
        }
    }
}

impl FlatDistances {
    /// The receiver of a flat cell among its drained and flat neighbours; `NONE` where nothing drains it.
    pub fn receiver(
        &self,
        grid: &impl Grid,
        links: &Links,
        surface: &Field<f32>,
        is_flat: &Field<bool>,
        cell: Cell,
    ) -> u8 {
        let level = Level::new(grid, links, surface, is_flat);
        let around = level.around(cell);
        if around.drained != 0 {
            return least_of(around.drained, |_| 0);
        }
        let mask = |d| {
            let there = grid.neighbor(cell, Direction::from_index(d)).expect("links lead to neighbours");
            2 * i64::from(self.toward[there]) - i64::from(self.away[there])
        };
        least_of(if self.toward[cell] == 0 { 0 } else { around.flat }, mask)
    }
}
