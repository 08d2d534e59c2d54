//! Slopes, relief and hypsometry of a window.
//!
//! ```text
//! slope = atan |grad z|                          grad by central differences, one-sided at the border
//! relief = max z - min z                         in squares of 5 km
//! (mean z - min z) / (max z - min z)             hypsometric integral (Pike & Wilson 1971, Strahler 1952)
//! ```

use super::heights::Heights;
use super::median;
use grid::math;

/// Side of the squares in which relief is measured, in metres.
const RELIEF_SIDE_M: f64 = 5000.0;
/// Slopes above this are cliffs, in degrees.
const CLIFF_DEG: f64 = 45.0;

/// How steep the ground is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slopes {
    /// Mean slope in degrees.
    pub mean_deg: f64,
    /// The slope in degrees that a tenth of the samples exceed.
    pub p90_deg: f64,
    /// Share of samples steeper than 45 degrees.
    pub above_45_share: f64,
}

/// The slopes of all samples. Cost: a sort.
pub fn slopes(heights: &Heights) -> Slopes {
    let mut all_deg = Vec::with_capacity(heights.values_m().len());
    for row in 0..heights.rows() {
        for column in 0..heights.columns() {
            let (x, y) = gradient(heights, column, row);
            all_deg.push(math::atan((x * x + y * y).sqrt()).to_degrees());
        }
    }
    let count = all_deg.len() as f64;
    let mean_deg = all_deg.iter().sum::<f64>() / count;
    let above = all_deg.iter().filter(|&&s| s > CLIFF_DEG).count();
    all_deg.sort_unstable_by(f64::total_cmp);
    Slopes { mean_deg, p90_deg: quantile(&all_deg, 0.9), above_45_share: above as f64 / count }
}

/// The gradient towards east and south, in metres per metre.
fn gradient(heights: &Heights, column: usize, row: usize) -> (f64, f64) {
    let between = |low: usize, high: usize, z: &dyn Fn(usize) -> f64| {
        (z(high) - z(low)) / ((high - low) as f64 * heights.spacing_m())
    };
    let beside = |at: usize, count: usize| (at.saturating_sub(1), (at + 1).min(count - 1));
    let (west, east) = beside(column, heights.columns());
    let (north, south) = beside(row, heights.rows());
    (between(west, east, &|c| heights.at(c, row)), between(north, south, &|r| heights.at(column, r)))
}

/// The value below which a share of sorted values lies, between two of them in proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let low = place as usize;
    let high = (low + 1).min(sorted.len() - 1);
    math::mix(sorted[low], sorted[high], place - low as f64)
}

/// The median relief in metres of squares of 5 km side by side from the north-west corner, of which only those count that
/// do not touch the far borders. `None` where no square fits.
pub fn relief_5km_m(heights: &Heights) -> Option<f64> {
    let side = (RELIEF_SIDE_M / heights.spacing_m()) as usize;
    let starts = |count: usize| (0..count.saturating_sub(side)).step_by(side.max(1));
    let mut all_m = Vec::new();
    for row in starts(heights.rows()) {
        for column in starts(heights.columns()) {
            let square =
                (row..row + side).flat_map(|r| &heights.values_m()[r * heights.columns() + column..][..side]);
            let (low, high) = square.fold((f32::MAX, f32::MIN), |(l, h), &z| (l.min(z), h.max(z)));
            all_m.push(f64::from(high) - f64::from(low));
        }
    }
    median(all_m.into_iter().filter(|_| side > 1))
}

/// The hypsometric integral, 0 to 1; `None` of level ground.
pub fn hypsometric_integral(heights: &Heights) -> Option<f64> {
    let values = || heights.values_m().iter().map(|&z| f64::from(z));
    let (low, high) = values().fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(z), h.max(z)));
    let above = values().map(|z| z - low).sum::<f64>() / heights.values_m().len() as f64;
    (high > low).then(|| above / (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::tests::made;

    #[test]
    fn a_plane_has_one_slope() {
        let plane = made(40, 30, 50.0, |x, y| 300.0 + 0.3 * x - 0.4 * y);
        let s = slopes(&plane);
        let deg = math::atan(0.5).to_degrees();
        assert!((s.mean_deg - deg).abs() < 1e-3 && (s.p90_deg - deg).abs() < 1e-2, "{s:?}");
        assert_eq!(s.above_45_share, 0.0);
    }

    /// Slope of x^2 / 2c is x / c: even in its tangent from 0 to 1.2; a sixth exceeds 1.
    #[test]
    fn a_bowl_has_all_slopes_in_proportion() {
        let (side, step) = (601, 2.0);
        let bowl = made(side, 5, step, |x, _| x * x / 2000.0);
        let s = slopes(&bowl);
        // mean of atan over 0 to t: atan t - log(1 + t^2) / 2t
        let t = 1.2;
        let mean = (math::atan(t) - math::log(1.0 + t * t) / (2.0 * t)).to_degrees();
        assert!((s.mean_deg - mean).abs() < 0.05, "{s:?} {mean}");
        assert!((s.p90_deg - math::atan(0.9 * t).to_degrees()).abs() < 0.05, "{s:?}");
        assert!((s.above_45_share - (1.0 - 1.0 / t)).abs() < 0.01, "{s:?}");
    }

    #[test]
    fn relief_is_that_of_the_middle_square() {
        // 3 x 2 squares of 10 samples that count; each rises by its number from west to east
        let height = |x: f64, y: f64| {
            let (column, row) = ((x / 5000.0) as usize, (y / 5000.0) as usize);
            (column + 3 * row + 1) as f64 * 100.0 * (x / 500.0 % 10.0) / 9.0
        };
        let heights = made(31, 21, 500.0, height);
        assert!((relief_5km_m(&heights).expect("squares fit") - 350.0).abs() < 1e-3);
        assert_eq!(relief_5km_m(&made(10, 10, 500.0, |x, _| x)), None);
        assert_eq!(relief_5km_m(&made(10, 10, 9000.0, |x, _| x)), None);
    }

    #[test]
    fn half_of_a_slope_lies_above_its_middle() {
        assert!(
            (hypsometric_integral(&made(101, 5, 1.0, |x, _| 7.0 - x)).expect("a slope") - 0.5).abs() < 1e-6
        );
        // a square pyramid: a third; its top is a sample
        let pyramid = made(401, 401, 1.0, |x, y| 200.0 - (x - 200.0).abs().max((y - 200.0).abs()));
        assert!((hypsometric_integral(&pyramid).expect("a slope") - 1.0 / 3.0).abs() < 2e-3);
        assert_eq!(hypsometric_integral(&made(5, 5, 1.0, |_, _| 3.0)), None);
    }
}
