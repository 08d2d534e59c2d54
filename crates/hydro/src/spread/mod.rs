//! Water that spreads: several receivers for each cell, each with a share of what comes together there.
//!
//! A(c) = w(c) + sum over n of p(n, c) A(n), with the weight w and the share p(n, c) of n's water that goes to its
//! neighbour c; the shares of a cell sum to 1. [`DInfinity`] shares between two neighbours by angle (Tarboton 1997),
//! [`Multiple`] among all lower ones by slope (Freeman 1991; Quinn et al. 1991).
//!
//! Both go down a filled surface. A cell gives only to neighbours that are strictly lower; one that has none, on a
//! flat or in a lake, gives all to its receiver of a given D8 map. *There is no circle*: along any way the level
//! never rises, and it stays only on steps along given receivers. A circle would be all of one level, so all its
//! steps were given receivers, and those form none.
//!
//! Cells are met from the heads down, each when all that flows in has been met (Kahn 1962), in an order that the
//! input decides. Cost: linear, one thread; 5 bytes a cell beside the sums.

pub(crate) mod around;
mod facets;
mod infinity;
mod multiple;

pub use infinity::{DInfinity, d_infinity};
pub use multiple::{Multiple, Rule};

use crate::flow::{FlowError, NONE};
use crate::stencil::{Stencil, assert_shape};
use grid::{Cell, Direction, Field, Grid};
use rayon::prelude::*;

/// Where the water of each cell goes, and how much of it.
pub trait Spread: Sync {
    /// The directions in which a cell gives, bit 0 = north; none where the water ends. A cell lies in each.
    fn directions(&self, cell: Cell) -> u8;

    /// Calls `visit(direction, share)` for each of those directions. Shares are positive or 0 and sum to 1, to
    /// rounding.
    fn shares(&self, cell: Cell, visit: impl FnMut(u8, f64));
}

/// Why water cannot be spread.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpreadError {
    /// Receivers that are none, or circles.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// An exponent that is not positive, or too great.
    #[error("the exponent of the slope is {value}; it must be above 0 and at most {max}")]
    Exponent {
        /// The offending value.
        value: f64,
        /// The greatest exponent.
        max: f64,
    },
}

/// Not met yet: the number of inflows that have not been met. Met: all four bits.
const WAITING: u8 = 0b1111;
const MET: u8 = WAITING;
/// Set where the neighbours are not at fixed offsets.
const RIM: u8 = 1 << 7;

/// Sum of `weight` over all water that passes each cell, its own included, in the unit of the weight.
///
/// What a cell gives is what it has: of its shares the greatest (the first clockwise from north) gets what the others
/// leave, so nothing is lost but by rounding of the sums. Where there are cells without directions, theirs add up to
/// the sum of the weight.
///
/// # Errors
/// A circle: receivers of flats that form one, or that lead up.
pub fn accumulate(
    grid: &impl Grid,
    spread: &impl Spread,
    weight: &Field<f64>,
) -> Result<Field<f64>, FlowError> {
    assert_shape(grid, weight, "the weight");
    let stencil = Stencil::new(grid.shape());
    let mut state = inflow_counts(grid, &stencil, spread);
    let mut sum = weight.clone();
    let (values, mut ready) = (sum.as_mut_slice(), Vec::new());
    for head in 0..grid.len() {
        if state[head] & WAITING != 0 {
            continue;
        }
        ready.push(Cell::from_index(head));
        while let Some(cell) = ready.pop() {
            let at_rim = state[cell.index()] & RIM != 0;
            state[cell.index()] |= MET;
            share_out(spread, cell, values[cell.index()], |direction, amount| {
                let target = neighbor(grid, &stencil, (cell, at_rim), direction).index();
                values[target] += amount;
                state[target] -= 1;
                if state[target] & WAITING == 0 {
                    ready.push(Cell::from_index(target));
                }
            });
        }
    }
    match state.iter().position(|s| s & WAITING != MET) {
        None => Ok(sum),
        Some(waiting) => Err(FlowError::Cycle { cell: Cell::from_index(waiting) }),
    }
}

/// Gives away an amount, all of it.
#[inline(always)]
fn share_out(spread: &impl Spread, cell: Cell, amount: f64, mut give: impl FnMut(u8, f64)) {
    let (mut shares, mut count, mut heir) = ([(0, 0.0); 8], 0, 0);
    spread.shares(cell, |direction, share| {
        shares[count & 7] = (direction, share);
        heir = if share > shares[heir].1 { count } else { heir };
        count += 1;
    });
    let mut rest = amount;
    for (at, &(direction, share)) in shares.iter().enumerate().take(count) {
        if at != heir {
            rest -= amount * share;
            give(direction, amount * share);
        }
    }
    if count > 0 {
        give(shares[heir].0, rest);
    }
}

#[inline(always)]
fn neighbor(grid: &impl Grid, stencil: &Stencil, (cell, at_rim): (Cell, bool), direction: u8) -> Cell {
    let direction = Direction::from_index(direction);
    if at_rim {
        grid.neighbor(cell, direction).expect("water is given only to cells")
    } else {
        stencil.inner_neighbor(cell, direction)
    }
}

/// How many cells give to each, and whether it is at the rim of its face.
fn inflow_counts(grid: &impl Grid, stencil: &Stencil, spread: &impl Spread) -> Vec<u8> {
    let rim = |i| if stencil.is_inner(Cell::from_index(i)) { 0 } else { RIM };
    let mut state: Vec<u8> = (0..grid.len()).into_par_iter().map(rim).collect();
    for cell in (0..grid.len()).map(Cell::from_index) {
        let at_rim = state[cell.index()] & RIM != 0;
        let mut rest = spread.directions(cell);
        while rest != 0 {
            let direction = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            state[neighbor(grid, stencil, (cell, at_rim), direction).index()] += 1;
        }
    }
    state
}

/// # Errors
/// The first receiver that is no direction, or that has no cell behind it.
fn check_receivers(grid: &impl Grid, receivers: &Field<u8>) -> Result<(), FlowError> {
    let stencil = Stencil::new(grid.shape());
    let refusal = |i| {
        let (cell, value) = (Cell::from_index(i), receivers.as_slice()[i]);
        match value {
            NONE => None,
            8.. => Some(FlowError::NotADirection { cell, value }),
            _ if stencil.neighbor(grid, cell, value).is_some() => None,
            _ => Some(FlowError::NoNeighbor { cell, direction: Direction::from_index(value) }),
        }
    };
    (0..grid.len()).into_par_iter().find_map_first(refusal).map_or(Ok(()), Err)
}
