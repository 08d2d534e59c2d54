//! Chi, the horizontal coordinate in which rivers in balance are straight lines.
//!
//! ```text
//! chi(x) = integral from the mouth to x of (A0 / A)^theta dx         z = z(mouth) + ks A0^-theta chi
//! ```
//!
//! A drainage area and A0 a reference in square metres, theta the concavity m/n, x and chi in metres (Perron & Royden 2013).
//! Where uplift and rock are even, z over chi is a line, and its slope times A0^theta is the steepness ks (Wobus et al.
//! 2006), in m^(2 theta). By trapezoids from cell to cell, from the mouths up.

use super::slope::course;
use super::steps::Steps;
use crate::statistics::{PowerLaw, line};
use crate::stencil::assert_shape;
use crate::{Flow, Reach};
use grid::{Field, Grid, math};

/// Chi: the integral of (A0 / A)^theta along a river from its mouth up, in metres (Perron & Royden 2013).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chi {
    /// A0 in square metres; 1 makes the slope of z over chi the steepness itself.
    pub reference_m2: f64,
    /// theta = m/n; 0.45 by custom.
    pub concavity: f64,
}

impl Default for Chi {
    fn default() -> Self {
        Self { reference_m2: 1.0, concavity: 0.45 }
    }
}

impl Chi {
    /// Chi of each stream cell in metres, 0 at mouths; not a number where there is no stream or no area.
    ///
    /// A mouth is a stream cell whose water goes to no stream cell. Cost: linear and a power for each cell, these in
    /// parallel; 8 bytes a cell.
    pub fn of(
        &self,
        grid: &impl Grid,
        flow: &Flow,
        area_m2: &Field<f64>,
        is_stream: &Field<bool>,
    ) -> Field<f64> {
        assert_shape(grid, area_m2, "the area");
        assert_shape(grid, is_stream, "the streams");
        let steps = Steps::of(grid, flow);
        let rate = Field::from_fn(grid.shape(), |cell| {
            let counts = is_stream[cell] && area_m2[cell] > 0.0;
            if counts { math::pow(self.reference_m2 / area_m2[cell], self.concavity) } else { f64::NAN }
        });
        let mut chi = Field::filled(grid.shape(), f64::NAN);
        let (values, rate) = (chi.as_mut_slice(), rate.as_slice());
        for &cell in flow.order().iter().filter(|c| !rate[c.index()].is_nan()) {
            values[cell.index()] = match flow.target(cell).filter(|t| !rate[t.index()].is_nan()) {
                None => 0.0,
                Some(below) => {
                    let mean = (rate[cell.index()] + rate[below.index()]) / 2.0;
                    values[below.index()] + mean * steps.length_m(grid, cell, below)
                }
            };
        }
        chi
    }

    /// From the slope of height over chi to the steepness ks, in m^(2 theta).
    pub fn steepness_of(&self, slope: f64) -> f64 {
        slope * math::pow(self.reference_m2, self.concavity)
    }
}

/// Slope of `level_m` over `chi` along a reach and the junction below, by least squares (`exponent` is the slope); `None` if
/// the reach is a single cell without a junction below. [`Chi::steepness_of`] makes it the steepness.
pub fn steepness(
    reaches: &[Reach],
    index: usize,
    level_m: &Field<f32>,
    chi: &Field<f64>,
) -> Option<PowerLaw> {
    let points: Vec<_> = course(reaches, index).map(|c| (chi[c], f64::from(level_m[c]))).collect();
    line(&points)
}
