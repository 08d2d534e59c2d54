//! Straight lines through logarithms.

use grid::math;
use std::ops::Range;

/// A power law `y ~ x^exponent`, as fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// Slope of log y on log x.
    pub exponent: f64,
    /// Points (bins, orders) the line goes through.
    pub points: usize,
    /// Share of the variance of log y that the line explains, 0 to 1.
    pub r2: f64,
}

/// Slope of y on x by least squares, and the share of the variance explained. `None` below two different x.
pub fn line(points: &[(f64, f64)]) -> Option<PowerLaw> {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
    let [sxx, sxy, syy] = points.iter().fold([0.0; 3], |s, p| {
        let (dx, dy) = (p.0 - mx, p.1 - my);
        [s[0] + dx * dx, s[1] + dx * dy, s[2] + dy * dy]
    });
    let r2 = if syy > 0.0 { sxy * sxy / (sxx * syy) } else { 1.0 };
    (sxx > 0.0).then(|| PowerLaw { exponent: sxy / sxx, points: points.len(), r2 })
}

/// The law through points of positive coordinates.
pub(super) fn power_law(points: &[(f64, f64)]) -> Option<PowerLaw> {
    line(&points.iter().map(|p| (math::log(p.0), math::log(p.1))).collect::<Vec<_>>())
}

/// Means of a quantity in bins of x, each twice as wide as the one below.
pub(super) struct Bins {
    range: Range<f64>,
    /// Sum of log x, sum of the quantity, count.
    sums: Vec<(f64, f64, usize)>,
}

impl Bins {
    /// Bins over a range of x, its start positive; the last may reach beyond the end, where nothing is counted.
    pub(super) fn new(range: Range<f64>) -> Self {
        let octaves = math::log2((range.end / range.start).max(1.0)).ceil() as usize;
        Self { range, sums: vec![(0.0, 0.0, 0); octaves] }
    }

    pub(super) fn add(&mut self, x: f64, y: f64) {
        if self.range.contains(&x) {
            // rounding may put an x just below the end into a bin that is not there
            let bin = (math::log2(x / self.range.start) as usize).min(self.sums.len() - 1);
            let sum = &mut self.sums[bin];
            *sum = (sum.0 + math::log(x), sum.1 + y, sum.2 + 1);
        }
    }

    /// Mean log x and mean y of the bins that hold at least so many.
    pub(super) fn means(&self, least: usize) -> Vec<(f64, f64)> {
        let filled = self.sums.iter().filter(|s| s.2 >= least.max(1));
        filled.map(|s| (s.0 / s.2 as f64, s.1 / s.2 as f64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let law = line(&[(0.0, 1.0), (1.0, 3.0), (4.0, 9.0)]).expect("three points");
        assert_eq!((law.exponent, law.points, law.r2), (2.0, 3, 1.0));
        // by hand: mean (1, 1), sxx 2, sxy 1, syy 2
        let law = line(&[(0.0, 0.0), (1.0, 2.0), (2.0, 1.0)]).expect("three points");
        assert!((law.exponent - 0.5).abs() < 1e-15 && (law.r2 - 0.25).abs() < 1e-15);
        assert_eq!(line(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(line(&[]), None);
    }

    #[test]
    fn bins_double() {
        let mut bins = Bins::new(2.0..16.0);
        for (x, y) in [(1.9, 100.0), (2.0, 1.0), (3.9, 3.0), (4.0, 5.0), (15.9, 7.0), (16.0, 100.0)] {
            bins.add(x, y);
        }
        let means: Vec<f64> = bins.means(1).iter().map(|m| m.1).collect();
        assert_eq!(means, [2.0, 5.0, 7.0]);
        assert_eq!(bins.means(2).len(), 1);
    }
}
