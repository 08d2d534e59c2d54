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
use grid::math::pow;
use grid::{Cell, Field, Grid};

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

/// Shares for all lower neighbours on a filled surface.
pub struct Multiple<'a, G> {
    grid: &'a G,
    links: &'a Links,
    surface: &'a Field<f32>,
    receivers: &'a Field<u8>,
    rule: Rule,
    stencil: Stencil,
    lengths: Lengths,
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
        Ok(Self { grid, links, surface, receivers, rule, stencil, lengths })
    }

    /// The directions of strictly lower linked neighbours.
    #[inline]
    fn lower(&self, cell: Cell) -> u8 {
        let level = self.surface[cell];
        let mut bits = 0;
        self.stencil.visit(self.grid, self.links.byte(cell), cell, |d, _, n| {
            bits |= u8::from(self.surface[n] < level) << d;
        });
        bits
    }

    /// Slope of the way in each of the directions of a byte, 0 in the others, as part of the steepest.
    #[inline]
    fn slopes(&self, cell: Cell, lower: u8, around: &Around) -> [f64; 8] {
        let level = f64::from(self.surface[cell]);
        let (mut slopes, mut most) = ([0.0f64; 8], 0.0);
        self.stencil.visit(self.grid, lower, cell, |d, _, n| {
            let slope = (level - f64::from(self.surface[n])) / around.to[d as usize];
            slopes[d as usize] = slope;
            most = f64::max(most, slope);
        });
        // The steepest is 1 even where it is infinite.
        slopes.map(|slope| if slope == most { 1.0 } else { slope / most })
    }

    /// What the water in each direction is in proportion to.
    #[inline]
    fn weights(&self, cell: Cell, lower: u8) -> [f64; 8] {
        let around = self.lengths.around(self.grid, &self.stencil, cell);
        let slopes = self.slopes(cell, lower, &around);
        let exponent = self.rule.exponent();
        let raised = |slope: f64| {
            if slope == 0.0 || slope == 1.0 || exponent == 1.0 { slope } else { pow(slope, exponent) }
        };
        let raised = slopes.map(raised);
        match self.rule {
            Rule::Freeman { .. } => raised,
            Rule::Quinn { .. } => {
                std::array::from_fn(|d| if raised[d] > 0.0 { raised[d] * contour_m(&around, d) } else { 0.0 })
            }
        }
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

impl<G: Grid> Spread for Multiple<'_, G> {
    #[inline]
    fn directions(&self, cell: Cell) -> u8 {
        match self.receivers[cell] {
            NONE => 0,
            receiver => match self.lower(cell) {
                0 if self.surface[cell].is_nan() => 0,
                0 => 1 << receiver,
                lower => lower,
            },
        }
    }

    #[inline]
    fn shares(&self, cell: Cell, mut visit: impl FnMut(u8, f64)) {
        let mut rest = self.directions(cell);
        match rest.count_ones() {
            0 => return,
            1 => return visit(rest.trailing_zeros() as u8, 1.0),
            _ => {}
        }
        let weights = self.weights(cell, rest);
        let sum: f64 = weights.iter().sum();
        while rest != 0 {
            let direction = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            visit(direction, weights[direction as usize] / sum);
        }
    }
}
