//! Multiple flow directions: a share for each lower neighbour, the greater the steeper the way.
//!
//! p(i) = L(i) S(i)^x / sum over j of L(j) S(j)^x, where S is the drop to the neighbour over its distance and x the
//! exponent. Freeman (1991): L = 1, x = 1.1. Quinn et al. (1991): L is the length of contour that faces the
//! neighbour, on square cells of side a 0.5 a at sides and sqrt(2)/4 a = 0.354 a at diagonals, and x = 1. Here on any
//! cell: half the mean spacing at right angles to a side, and a quarter of the distance to a diagonal neighbour.
//!
//! The greater x, the more goes the steepest way. Nothing is kept: shares are computed from the surface when they are
//! asked for.

use super::around::{Around, Lengths};
use super::{Spread, SpreadError, check_receivers};
use crate::Links;
use crate::flow::NONE;
use crate::stencil::{Stencil, assert_shape};
use grid::{Cell, Direction, Field, Grid};

/// How lower neighbours share the water of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// By slope to the power of the exponent (Freeman 1991).
    Freeman {
        /// 1.1 is Freeman's.
        exponent: f64,
    },
    /// By length of contour times slope to the power of the exponent (Quinn et al. 1991).
    Quinn {
        /// 1 is Quinn's.
        exponent: f64,
    },
}

impl Default for Rule {
    fn default() -> Self {
        Self::Freeman { exponent: 1.1 }
    }
}

impl Rule {
    /// Greatest exponent. All but the steepest way, and its equals, get nothing long before.
    pub const MAX_EXPONENT: f64 = 1000.0;

    fn exponent(self) -> f64 {
        match self {
            Self::Freeman { exponent } | Self::Quinn { exponent } => exponent,
        }
    }
}

/// What slopes and shares need of the lengths around a cell, by direction.
#[derive(Clone, Copy)]
struct Ways {
    /// 1 / distance, in 1/m.
    per_to: [f64; 8],
    /// What a share is in proportion to, beside the slope: 1, or the length of contour in metres.
    facing: [f64; 8],
}

impl Ways {
    fn of(around: &Around, rule: Rule) -> Self {
        let facing = match rule {
            Rule::Freeman { .. } => [1.0; 8],
            Rule::Quinn { .. } => std::array::from_fn(|direction| contour_m(around, direction)),
        };
        Self { per_to: around.to.map(|d| 1.0 / d), facing }
    }
}

/// Length of contour that faces a direction, in metres.
fn contour_m(around: &Around, direction: usize) -> f64 {
    if direction.is_multiple_of(2) {
        0.25 * (around.to[(direction + 2) & 7] + around.to[(direction + 6) & 7])
    } else {
        0.25 * around.to[direction]
    }
}

/// Shares for all lower neighbours on a filled surface.
pub struct Multiple<'a, G> {
    grid: &'a G,
    // Slices: these are read many times a cell.
    links: &'a Links,
    surface: &'a [f32],
    receivers: &'a [u8],
    rule: Rule,
    stencil: Stencil,
    lengths: Lengths,
    /// By row, where all cells of a row have the same.
    rows: Option<Vec<Ways>>,
}

impl<'a, G: Grid> Multiple<'a, G> {
    /// Water that spreads over a filled `surface` (metres) along `links`.
    ///
    /// A cell without a lower neighbour gives all to its receiver of `receivers` (directions, [`NONE`] where water
    /// ends, and there it does in any case).
    ///
    /// # Errors
    /// A receiver that is no direction or has no cell behind it; an exponent that is not above 0 and at most
    /// [`Rule::MAX_EXPONENT`].
    pub fn new(
        grid: &'a G,
        links: &'a Links,
        surface: &'a Field<f32>,
        receivers: &'a Field<u8>,
        rule: Rule,
    ) -> Result<Self, SpreadError> {
        assert_shape(grid, surface, "the surface");
        assert_shape(grid, links.bytes(), "the links");
        assert_shape(grid, receivers, "the receivers");
        check_receivers(grid, receivers)?;
        let (value, max) = (rule.exponent(), Rule::MAX_EXPONENT);
        if !(value > 0.0 && value <= max) {
            return Err(SpreadError::Exponent { value, max });
        }
        let (stencil, lengths) = (Stencil::new(grid.shape()), Lengths::of(grid));
        let of_row = |row| lengths.of_row(row).map(|around| Ways::of(around, rule));
        let rows = (0..grid.shape().rows as usize).map(of_row).collect();
        let surface = surface.as_slice();
        let receivers = receivers.as_slice();
        Ok(Self { grid, links, surface, receivers, rule, stencil, lengths, rows })
    }

    /// Levels of the linked neighbours; the others are not numbers.
    #[inline(always)]
    fn levels(&self, cell: Cell, links: u8, is_inner: bool) -> [f32; 8] {
        if is_inner && links == u8::MAX {
            return Direction::ALL.map(|d| self.surface[self.stencil.inner_neighbor(cell, d).index()]);
        }
        let mut levels = [f32::NAN; 8];
        self.stencil.visit(self.grid, links, cell, |d, _, n| levels[d as usize] = self.surface[n.index()]);
        levels
    }

    /// Row within the face, and whether all neighbours are at fixed offsets.
    #[inline(always)]
    fn place(&self, cell: Cell) -> (usize, bool) {
        let shape = self.grid.shape();
        let (of_all, row) = (cell.0 / shape.cols, cell.0 / shape.cols % shape.rows);
        let col = cell.0 - of_all * shape.cols;
        let is_inner = row > 0 && row + 1 < shape.rows && col > 0 && col + 1 < shape.cols;
        (row as usize, is_inner)
    }

    /// What the water in each direction is in proportion to: 0 where there is no way down.
    #[inline(always)]
    fn weights(&self, level: f32, levels: &[f32; 8], ways: &Ways) -> [f64; 8] {
        let mut slopes = [0.0f64; 8];
        let mut most = 0.0;
        for direction in 0..8 {
            let slope = (f64::from(level) - f64::from(levels[direction])) * ways.per_to[direction];
            slopes[direction] = if slope > 0.0 { slope } else { 0.0 };
            most = if slope > most { slope } else { most };
        }
        let exponent = self.rule.exponent();
        let mut weights = [0.0; 8];
        for direction in (0..8).filter(|&d| slopes[d] > 0.0) {
            // As a part of the steepest, so that powers stay in range; that is 1 even where it is infinite.
            let slope = slopes[direction];
            let part = if slope == most { 1.0 } else { slope / most };
            let raised = if part == 1.0 || exponent == 1.0 { part } else { power(part, exponent) };
            weights[direction] = raised * ways.facing[direction];
        }
        weights
    }
}

/// The bits of the directions whose levels are lower.
#[inline(always)]
fn lower(level: f32, levels: &[f32; 8]) -> u8 {
    (0..8).fold(0, |bits, d| bits | u8::from(levels[d] < level) << d)
}

impl<G: Grid> Spread for Multiple<'_, G> {
    #[inline]
    fn directions(&self, cell: Cell) -> u8 {
        let (receiver, level) = (self.receivers[cell.index()], self.surface[cell.index()]);
        if receiver == NONE || level.is_nan() {
            return 0;
        }
        let (_, is_inner) = self.place(cell);
        match lower(level, &self.levels(cell, self.links.byte(cell), is_inner)) {
            0 => 1 << receiver,
            lower => lower,
        }
    }

    #[inline]
    fn shares(&self, cell: Cell, mut visit: impl FnMut(u8, f64)) {
        let (receiver, level) = (self.receivers[cell.index()], self.surface[cell.index()]);
        if receiver == NONE || level.is_nan() {
            return;
        }
        let (row, is_inner) = self.place(cell);
        let levels = self.levels(cell, self.links.byte(cell), is_inner);
        let mut rest = lower(level, &levels);
        if rest == 0 {
            return visit(receiver, 1.0);
        }
        if rest.is_power_of_two() {
            return visit(rest.trailing_zeros() as u8, 1.0);
        }
        let weights = match &self.rows {
            Some(rows) => self.weights(level, &levels, &rows[row]),
            None => {
                let around = self.lengths.around(self.grid, &self.stencil, cell);
                self.weights(level, &levels, &Ways::of(&around, self.rule))
            }
        };
        let per_sum = 1.0 / weights.iter().sum::<f64>();
        while rest != 0 {
            let direction = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            visit(direction, weights[direction as usize] * per_sum);
        }
    }
}

/// x to the power of p, for x from 0 to 1 and p up to [`Rule::MAX_EXPONENT`], to 12 digits of p log x.
///
/// 2^(p log2 x) by series, with the same bits everywhere: a fifth of the time of the exact function, which gives
/// digits that no elevation has.
fn power(x: f64, p: f64) -> f64 {
    const LEAST: f64 = f64::MIN_POSITIVE;
    if x < LEAST {
        return 0.0;
    }
    let y = p * log2(x);
    if y < -1000.0 { 0.0 } else { exp2(y) }
}

/// Of a positive normal number: ln m = 2 artanh((m - 1) / (m + 1)), with m from sqrt(1/2) to sqrt(2).
#[inline(always)]
fn log2(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    // Half a unit of the logarithm is taken off by subtracting the fraction of sqrt(2) from the bits.
    const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let shifted = x.to_bits().wrapping_sub(ROOT) as i64;
    let exponent = shifted >> 52;
    let m = f64::from_bits((shifted as u64 & FRACTION).wrapping_add(ROOT));
    let s = (m - 1.0) / (m + 1.0);
    let q = s * s;
    let series = 1.0
        + q * (1.0 / 3.0
            + q * (1.0 / 5.0
                + q * (1.0 / 7.0 + q * (1.0 / 9.0 + q * (1.0 / 11.0 + q * (1.0 / 13.0 + q / 15.0))))));
    exponent as f64 + 2.0 * std::f64::consts::LOG2_E * s * series
}

/// Of a number from -1000 to 0: the whole part goes to the exponent, the rest, at most a half, to the series of exp.
#[inline(always)]
fn exp2(y: f64) -> f64 {
    // Adding and taking off 1.5 * 2^52 rounds to a whole number.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const PER: [f64; 12] = {
        let mut per = [0.0; 12];
        let mut k = 1;
        while k < per.len() {
            per[k] = 1.0 / k as f64;
            k += 1;
        }
        per
    };
    let whole = (y + ROUND) - ROUND;
    let t = (y - whole) * std::f64::consts::LN_2;
    let mut series = 1.0;
    for k in (1..PER.len()).rev() {
        series = 1.0 + series * t * PER[k];
    }
    series * f64::from_bits(((whole as i64 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_exact_function() {
        for k in 1..=20_000u32 {
            for scale in [1.0, 1e-3, 1e-12, 1e-80] {
                let x = f64::from(k) / 20_000.0 * scale;
                for p in [0.1, 0.5, 1.0, 1.1, 2.0, 4.7, 8.0, 60.0, 1000.0] {
                    let (found, exact) = (power(x, p), grid::math::pow(x, p));
                    let tolerance = 1e-12 * (1.0 + p * (1.0 - grid::math::log(x)));
                    assert!((found - exact).abs() <= tolerance * exact + 1e-300, "{x} {p}: {found} {exact}");
                }
            }
        }
        assert_eq!([power(0.0, 1.1), power(1e-310, 2.0), power(1.0, 3.0)], [0.0, 0.0, 1.0]);
    }
}
