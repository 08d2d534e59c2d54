//! The power of the relief at each degree of the spherical harmonics.
//!
//! ```text
//! a_lm = integral of z Y_lm over the sphere      S_l = sum over m of a_lm^2      S_l ~ l^-b
//! ```
//!
//! with real, orthonormal Y_lm. The relief z is sampled (nearest cell) on the nodes of a Gauss-Legendre quadrature in
//! latitude and evenly in longitude, about one sample a cell; that integrates harmonics of degree 100 against each other
//! exactly. Steps from cell to cell damp the power at degree l by sinc(pi l / 4 n)^2 at n cells along a side of a face
//! (0.99 at degree 100 for n = 512, 0.88 for n = 128); this is taken out again, since heights are known at the cells'
//! centres. Neglects: what is folded back from degrees above 2 n. Recursion: Holmes & Featherstone (2002), section 2.

use super::reading::{Reading, not_here};
use super::survey::Survey;
use grid::{Globe, Grid, Topology, Vec3, math};
use hydro::statistics::line;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};
use std::ops::RangeInclusive;

/// Degrees over which the slope is taken.
const DEGREES: RangeInclusive<usize> = 10..=100;
/// Cells along a side of a face with which the highest degree still has four cells to a wave.
const LEAST_SIDE: u32 = 100;
/// No more samples than this around the equator: many times what degree 100 needs.
const MOST_COLUMNS: usize = 2048;

/// The figure `spectrum_l10_100`.
pub(super) fn measure(survey: &Survey) -> Vec<(&'static str, Reading)> {
    let reading = match survey.grid() {
        Topology::Flat(_) => Reading::NotHere("a flat map has no spherical harmonics"),
        Topology::Globe(globe) if globe.side() < LEAST_SIDE => {
            Reading::NotHere("cells too large for degree 100: 100 along a side of a face at least")
        }
        Topology::Globe(globe) => {
            let height = |p| globe.locate(p).map_or(0.0, |cell| f64::from(survey.surface_m[cell]));
            let power = undamped(power(height, columns(globe), *DEGREES.end()), globe.side());
            not_here(exponent(&power, DEGREES), "no relief")
        }
    };
    vec![("spectrum_l10_100", reading)]
}

/// Samples around the equator: one a cell.
fn columns(globe: &Globe) -> usize {
    (4 * globe.side() as usize).clamp(512, MOST_COLUMNS)
}

/// Powers without the damping by cells.
fn undamped(power: Vec<f64>, side: u32) -> Vec<f64> {
    let sinc = |x: f64| if x > 0.0 { math::sin(x) / x } else { 1.0 };
    let damping = |l: usize| sinc(PI * l as f64 / (4.0 * f64::from(side)));
    power.into_iter().enumerate().map(|(l, s)| s / (damping(l) * damping(l))).collect()
}

/// b in S_l ~ l^-b, by regression of the logarithms over degrees. `None` where a power is 0.
fn exponent(power: &[f64], degrees: RangeInclusive<usize>) -> Option<f64> {
    let points: Vec<_> = degrees.map(|l| (math::log(l as f64), math::log(power[l]))).collect();
    let finite = points.iter().all(|p| p.1.is_finite());
    line(&points).filter(|_| finite).map(|law| -law.exponent)
}

/// S_l for l from 0 to `most`, of a function on the unit sphere sampled at so many longitudes, half as many latitudes.
fn power(z: impl Fn(Vec3) -> f64 + Sync, columns: usize, most: usize) -> Vec<f64> {
    let rows = gauss_legendre(columns / 2);
    let turns: Vec<(f64, f64)> = (0..columns)
        .map(|j| TAU * j as f64 / columns as f64)
        .map(|angle| (math::cos(angle), math::sin(angle)))
        .collect();
    let waves: Vec<Vec<(f64, f64)>> = rows.par_iter().map(|row| fourier(&z, row.0, &turns, most)).collect();
    // each order m on its own, rows in turn: the same sums for any number of threads
    let of_order = |m: usize| {
        let mut sums = vec![(0.0, 0.0); most + 1];
        for ((sine, weight), wave) in rows.iter().zip(&waves) {
            legendre(m, *sine, &mut sums, |sum, p| {
                *sum = (sum.0 + weight * p * wave[m].0, sum.1 + weight * p * wave[m].1);
            });
        }
        let factor = if m == 0 { 1.0 } else { 2.0 };
        sums.into_iter().map(|s| factor * (s.0 * s.0 + s.1 * s.1)).collect::<Vec<f64>>()
    };
    let orders: Vec<Vec<f64>> = (0..=most).into_par_iter().map(of_order).collect();
    (0..=most).map(|l| orders.iter().map(|of| of[l]).sum()).collect()
}

/// Integrals of a function times cos and sin of m longitude, along the circle at a sine of latitude, for m to `most`.
fn fourier(z: &impl Fn(Vec3) -> f64, sine: f64, turns: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let radius = (1.0 - sine * sine).sqrt();
    let values: Vec<f64> = turns.iter().map(|t| z(Vec3::new(radius * t.0, radius * t.1, sine))).collect();
    let n = values.len();
    let step = TAU / n as f64;
    let wave = |m: usize| {
        let mut sum = (0.0, 0.0);
        for (j, value) in values.iter().enumerate() {
            let turn = turns[(m * j) % n];
            sum = (sum.0 + value * turn.0, sum.1 + value * turn.1);
        }
        (sum.0 * step, sum.1 * step)
    };
    (0..=most).map(wave).collect()
}

/// Visits the sum of each degree l >= m with the normalised associated Legendre function of order m there.
fn legendre<T>(m: usize, sine: f64, sums: &mut [T], mut visit: impl FnMut(&mut T, f64)) {
    let cosine = (1.0 - sine * sine).sqrt();
    let sectoral = |p: f64, k: usize| p * cosine * ((2 * k + 1) as f64 / (2 * k) as f64).sqrt();
    let (mut before, mut here) = (0.0, (1..=m).fold((0.25 / PI).sqrt(), sectoral));
    for (l, sum) in sums.iter_mut().enumerate().skip(m) {
        visit(sum, here);
        let ratio = |l: usize| ((4 * l * l - 1) as f64 / (l * l - m * m) as f64).sqrt();
        let back = if l > m { before / ratio(l) } else { 0.0 };
        (before, here) = (here, ratio(l + 1) * (sine * here - back));
    }
}

/// Nodes (sines of latitude, from the north) and weights of the quadrature with `n` nodes, by Newton's method.
fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    const ROUNDS: usize = 6; // from guesses good to 1e-4 it converges in three
    let node = |i: usize| {
        let mut x = math::cos(PI * (i as f64 + 0.75) / (n as f64 + 0.5));
        let mut slope = 0.0;
        for _ in 0..ROUNDS {
            let (mut p, mut last) = (1.0, 0.0);
            for k in 1..=n {
                let k = k as f64;
                (p, last) = (((2.0 * k - 1.0) * x * p - (k - 1.0) * last) / k, p);
            }
            slope = n as f64 * (x * p - last) / (x * x - 1.0);
            x -= p / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Field, Nth, Purpose, Seed};

    #[test]
    fn quadrature_is_exact_for_polynomials() {
        let rows = gauss_legendre(20);
        for degree in 0..40 {
            let sum: f64 = rows.iter().map(|(x, w)| w * (0..degree).fold(1.0, |p, _| p * x)).sum();
            let exact = if degree % 2 == 0 { 2.0 / (f64::from(degree) + 1.0) } else { 0.0 };
            assert!((sum - exact).abs() < 1e-13, "degree {degree}: {sum}");
        }
    }

    /// Harmonics written out by hand, each with an integral of its square of 1.
    #[test]
    fn a_single_harmonic_has_its_degree_alone() {
        let norm = |x: f64| (x / PI).sqrt();
        type Harmonic = (usize, Box<dyn Fn(Vec3) -> f64 + Sync>);
        let harmonics: [Harmonic; 4] = [
            (0, Box::new(move |_| norm(0.25))),
            (1, Box::new(move |p| norm(0.75) * p.y)),
            (2, Box::new(move |p| norm(15.0 / 4.0) * p.x * p.z)),
            (3, Box::new(move |p| norm(35.0 / 32.0) * p.x * (p.x * p.x - 3.0 * p.y * p.y))),
        ];
        for (degree, harmonic) in harmonics {
            for (l, s) in power(harmonic, 64, 12).into_iter().enumerate() {
                let expected = if l == degree { 1.0 } else { 0.0 };
                assert!((s - expected).abs() < 1e-12, "degree {degree} at {l}: {s}");
            }
        }
    }

    /// Relief whose every coefficient of degree l is `l^(-b/2) / sqrt(2 l + 1)` with a random sign, at the cells of a globe.
    fn relief(globe: &Globe, b: f64, most: usize) -> Field<f64> {
        let mut draw = Seed(1).key(Purpose::new("world/tests/spectrum")).at(Nth(0));
        let mut sign = || if draw.below(2) == 0 { -1.0 } else { 1.0 };
        let signs: Vec<[f64; 2]> = (0..(most + 1) * (most + 1)).map(|_| [sign(), sign()]).collect();
        Field::from_fn(globe.shape(), |cell| {
            let p = globe.center(cell);
            let longitude = math::atan2(p.y, p.x);
            let mut height = 0.0;
            for m in 0..=most {
                let (c, s) = (math::cos(m as f64 * longitude), math::sin(m as f64 * longitude));
                let mut degrees: Vec<usize> = (0..=most).collect();
                legendre(m, p.z, &mut degrees, |l, y| {
                    let [a, b_] = signs[*l * (most + 1) + m];
                    let size = math::pow(*l as f64, -0.5 * b) / ((2 * *l + 1) as f64).sqrt();
                    let wave = if m == 0 { a } else { 2f64.sqrt() * (a * c + b_ * s) };
                    height += if *l > 0 { size * wave * y } else { 0.0 };
                });
            }
            height
        })
    }

    #[test]
    fn a_made_spectrum_is_found_on_cells() {
        let globe = Globe::new(96, 6.371e6).expect("in range");
        for b in [1.5, 2.0] {
            let relief = relief(&globe, b, 40);
            let height = |p| globe.locate(p).map_or(0.0, |cell| relief[cell]);
            let power = undamped(power(height, columns(&globe), 40), globe.side());
            for (l, s) in power.iter().enumerate().skip(10) {
                let made = math::pow(l as f64, -b);
                assert!((s / made - 1.0).abs() < 0.1, "degree {l}: {s} of {made}");
            }
            let found = exponent(&power, 10..=40).expect("powers are positive");
            assert!((found - b).abs() < 0.02, "{found} of {b}");
        }
    }
}
