//! Statistics of terrain, as Earth's were measured: slopes, relief, summits, spectrum, rivers, grain.
//!
//! A [`Heights`] is a window of any elevation, on a plane; [`Survey::of`] says all there is to say about it. Windows of
//! a world are chosen by [`places`], before anything of them is refined, made and measured by [`refined`], and
//! held against Earth by [`beside_earth`]. Whether regions agree with each other and with the level above: [`Seam`],
//! [`AcrossLevels`], [`Astray`], [`Beds`].
//!
//! Every measure is defined in the module of its name. Only the portable functions of `grid::math` are called: the same window gives the same
//! bits everywhere. Cost of a window of 512 x 512 samples: about a third of a second.

mod heights;

mod relief;

mod summits;

mod spectrum;

mod water;

mod directions;

mod channels;

mod places;

mod refined;

mod beside_earth;

mod agreement;

pub use agreement::{AcrossLevels, Astray, Beds, Seam};
pub use beside_earth::{Judged, beside_earth};
pub use channels::share_near;
pub use directions::{Axis, Directions, Grain, SECTORS, of_lines};
pub use heights::{Heights, HeightsError};
pub use places::{Country, Place, WINDOW_SIDE_M, places};
pub use refined::{RiverMatch, SurveyError, Surveyed, refined};
pub use relief::{Slopes, hypsometric_integral, relief_5km_m, slopes};
pub use spectrum::psd_beta;
pub use summits::{Summit, summits, summits_per_100km2};
pub use water::{CHANNEL_KM2, Networks, Routing, Water};

/// All statistics of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// Slopes.
    pub slopes: Slopes,
    /// Median of highest less lowest in squares of 5 km, in metres.
    pub relief_5km_m: Option<f64>,
    /// Summits with a prominence of 30 m or more, for each 100 square kilometres.
    pub summits_p30_per_100km2: f64,
    /// The same with 100 m or more.
    pub summits_p100_per_100km2: f64,
    /// Exponent of the spectrum of profiles.
    pub psd_beta: Option<f64>,
    /// Hypsometric integral.
    pub hypsometric_integral: Option<f64>,
    /// How channels scale.
    pub networks: Networks,
    /// Share of samples more than a centimetre below the spill of their depression.
    pub in_depressions_1cm_share: f64,
    /// Share of samples more than a metre below it.
    pub in_depressions_1m_share: f64,
    /// Directions.
    pub grain: Grain,
}

impl Survey {
    /// Measures a window. `axis` is that of the lattice whose grain is looked for. Cost: a few sorts.
    pub fn of(heights: &Heights, axis: Axis) -> Self {
        Self::with_water(heights, &Water::of(heights, Routing::Steepest), axis)
    }

    /// The same for a window whose water, routed the steepest way, is known already.
    pub fn with_water(heights: &Heights, steepest: &Water, axis: Axis) -> Self {
        let tops = summits(heights);
        let water = Water::of(heights, Routing::Lowest);
        Self {
            slopes: slopes(heights),
            relief_5km_m: relief_5km_m(heights),
            summits_p30_per_100km2: summits_per_100km2(heights, &tops, 30.0),
            summits_p100_per_100km2: summits_per_100km2(heights, &tops, 100.0),
            psd_beta: psd_beta(heights),
            hypsometric_integral: hypsometric_integral(heights),
            networks: water.networks(),
            in_depressions_1cm_share: water.share_deeper_than(0.01),
            in_depressions_1m_share: water.share_deeper_than(1.0),
            grain: Grain::of(heights, steepest, axis, CHANNEL_KM2),
        }
    }
}

/// The median, of an even number the mean of the two in the middle; `None` of nothing.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    (n > 0).then(|| 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]))
}

#[cfg(test)]
mod tests;
