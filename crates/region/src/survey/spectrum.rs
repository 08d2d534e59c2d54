//! How the power of relief falls with wavelength.
//!
//! Each row and each column is freed of its straight line, tapered by Hann's window 0.5 - 0.5 cos(2 pi i / (n - 1)), made
//! longer by zeros and transformed (Cooley & Tukey 1965). The squares of the moduli are summed over all of them; beta is the slope of
//! -log P on log k, every wave number k with a wavelength between 6 and 60 samples counting once. Of a surface whose
//! spectrum over the plane falls with the power beta + 1, that of its profiles falls with beta.

use super::heights::Heights;
use grid::math;
use hydro::statistics::line;
use std::f64::consts::PI;

/// Wavelengths that count, in samples, both ends excluded.
const WAVELENGTHS: (f64, f64) = (6.0, 60.0);
/// Least length of a transformed profile: zeros make the spectrum finer than a short profile's own.
const LEAST_LENGTH: usize = 1024;

/// The exponent beta of the spectra of rows and columns. `None` of straight profiles, and below 60 samples along a side:
/// the longest wave must fit.
pub fn psd_beta(heights: &Heights) -> Option<f64> {
    let (columns, rows) = (heights.columns(), heights.rows());
    if (columns.min(rows) as f64) < WAVELENGTHS.1 {
        return None;
    }
    let transform = Transform::new(columns.max(rows).next_power_of_two().max(LEAST_LENGTH));
    let mut power = vec![0.0; transform.length / 2 + 1];
    for row in 0..rows {
        let profile = (0..columns).map(|c| heights.at(c, row)).collect();
        add_power(&transform, profile, &mut power);
    }
    for column in 0..columns {
        let profile = (0..rows).map(|r| heights.at(column, r)).collect();
        add_power(&transform, profile, &mut power);
    }
    let length = transform.length as f64;
    let counts = |k: usize| (WAVELENGTHS.0 < length / k as f64) && (length / k as f64) < WAVELENGTHS.1;
    let waves = (1..power.len()).filter(|&k| counts(k));
    let points: Vec<(f64, f64)> = waves.map(|k| (math::log(k as f64), math::log(power[k]))).collect();
    // without power its logarithm is infinite, and there is no line
    line(&points).map(|law| -law.exponent).filter(|beta| beta.is_finite())
}

/// Adds the spectrum of a profile.
fn add_power(transform: &Transform, mut profile: Vec<f64>, power: &mut [f64]) {
    straighten(&mut profile);
    let last = (profile.len() - 1) as f64;
    for (i, z) in profile.iter_mut().enumerate() {
        *z *= 0.5 - 0.5 * math::cos(2.0 * PI * i as f64 / last);
    }
    profile.resize(transform.length, 0.0);
    let mut imaginary = vec![0.0; transform.length];
    transform.run(&mut profile, &mut imaginary);
    for (sum, (re, im)) in power.iter_mut().zip(profile.iter().zip(&imaginary)) {
        *sum += re * re + im * im;
    }
}

/// Takes the straight line of least squares away.
fn straighten(profile: &mut [f64]) {
    let n = profile.len() as f64;
    let middle = 0.5 * (n - 1.0);
    let mean = profile.iter().sum::<f64>() / n;
    let moment: f64 = profile.iter().enumerate().map(|(i, z)| (i as f64 - middle) * (z - mean)).sum();
    let slope = moment * 12.0 / (n * (n * n - 1.0));
    for (i, z) in profile.iter_mut().enumerate() {
        *z -= mean + slope * (i as f64 - middle);
    }
}

/// The discrete Fourier transform of one length, a power of two.
struct Transform {
    length: usize,
    /// Cosine and minus sine of 2 pi k / length, for the first half.
    turns: Vec<(f64, f64)>,
}

impl Transform {
    fn new(length: usize) -> Self {
        let turn = |k: usize| {
            let angle = 2.0 * PI * k as f64 / length as f64;
            (math::cos(angle), -math::sin(angle))
        };
        Self { length, turns: (0..length / 2).map(turn).collect() }
    }

    /// Transforms in place: X_k = sum of x_j exp(-2 pi i j k / n).
    fn run(&self, re: &mut [f64], im: &mut [f64]) {
        let n = self.length;
        for i in 0..n {
            let j = i.reverse_bits() >> (usize::BITS - n.trailing_zeros());
            if i < j {
                re.swap(i, j);
                im.swap(i, j);
            }
        }
        let mut half = 1;
        while half < n {
            for start in (0..n).step_by(2 * half) {
                for k in 0..half {
                    let (a, b) = (start + k, start + k + half);
                    let (c, s) = self.turns[k * (n / (2 * half))];
                    let (x, y) = (re[b] * c - im[b] * s, re[b] * s + im[b] * c);
                    (re[b], im[b]) = (re[a] - x, im[a] - y);
                    (re[a], im[a]) = (re[a] + x, im[a] + y);
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::tests::{fractal, made};
    use grid::{Nth, Purpose, Seed};

    #[test]
    fn the_transform_is_the_sum_it_stands_for() {
        let mut draw = Seed(3).key(Purpose::new("test/transform")).at(Nth(0));
        for length in [2usize, 4, 32, 128] {
            let x: Vec<(f64, f64)> =
                (0..length).map(|_| (draw.range(-1.0, 1.0), draw.range(-1.0, 1.0))).collect();
            let (mut re, mut im): (Vec<f64>, Vec<f64>) = x.iter().copied().unzip();
            Transform::new(length).run(&mut re, &mut im);
            for k in 0..length {
                let sum = x.iter().enumerate().fold((0.0, 0.0), |sum, (j, (a, b))| {
                    let angle = -2.0 * PI * (j * k) as f64 / length as f64;
                    let (c, s) = (math::cos(angle), math::sin(angle));
                    (sum.0 + a * c - b * s, sum.1 + a * s + b * c)
                });
                assert!((re[k] - sum.0).abs() < 1e-12 && (im[k] - sum.1).abs() < 1e-12, "{length} {k}");
            }
        }
    }

    #[test]
    fn straight_lines_have_no_power() {
        let mut profile: Vec<f64> = (0..77).map(|i| 3.0 - 0.7 * f64::from(i)).collect();
        straighten(&mut profile);
        assert!(profile.iter().all(|z| z.abs() < 1e-12));
        assert_eq!(psd_beta(&made(64, 64, 1.0, |_, _| 5.0)), None);
        assert_eq!(psd_beta(&made(59, 200, 1.0, |x, y| x * y)), None);
    }

    #[test]
    fn surfaces_with_a_known_exponent_have_it() {
        for beta in [2.0, 2.6, 3.2, 3.8] {
            let mean =
                (0..4).map(|seed| psd_beta(&fractal(seed, 256, beta)).expect("large enough")).sum::<f64>()
                    / 4.0;
            assert!((mean - beta).abs() < 0.12, "{mean} for {beta}");
        }
    }

    /// The exponent is one of wavelengths in samples: neither the spacing nor the unit of height matters.
    #[test]
    fn units_do_not_matter() {
        let a = fractal(1, 128, 3.0);
        let values = a.values_m().iter().map(|z| z * 8.0).collect();
        let b = Heights::new(values, 128, 2.0).expect("as before");
        let [a, b] = [a, b].map(|h| psd_beta(&h).expect("large enough"));
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}
