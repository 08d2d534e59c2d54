//! The noise is Perlin's in every statistic, without its period, its favoured axis or its shared octaves.
//!
//! The yardstick is the `noise` crate, whose tables are drawn anew (another seed) every few thousand samples:
//! 256 entries are too few for its own statistics to settle.

use ::noise::{Fbm, MultiFractal, NoiseFn, Perlin};
use grid::noise::{Fractal, Noise};
use grid::{Nth, Purpose, Seed, Vec3};
use proptest::prelude::*;

const PURPOSE: Purpose = Purpose::new("test/noise");
const BATCHES: u32 = 100;
const PER_BATCH: u32 = 4_000;

/// The `noise` crate scales its result by 2 / sqrt 3.
const PERLIN_SCALE: f64 = 1.154_700_538_379_251_5;

/// The variance of gradient noise averaged over a lattice cell: 2 S0^2 S2, where S0 and S2 are the means over t
/// of s^2 + (1 - s)^2 and of s^2 (1 - t)^2 + (1 - s)^2 t^2, with s the fade of t; 2 is the gradients' squared length.
fn variance() -> f64 {
    const STEPS: u32 = 10_000;
    let (mut s0, mut s2) = (0.0, 0.0);
    for t in (0..STEPS).map(|i| (f64::from(i) + 0.5) / f64::from(STEPS)) {
        let s = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        s0 += s * s + (1.0 - s) * (1.0 - s);
        s2 += s * s * (1.0 - t) * (1.0 - t) + (1.0 - s) * (1.0 - s) * t * t;
    }
    2.0 * s0 * s0 * s2 / f64::from(STEPS) / f64::from(STEPS) / f64::from(STEPS)
}

fn ours(batch: u32) -> impl Fn(Vec3) -> f64 {
    let noise = Noise::new(Seed(1).key(PURPOSE).within(Nth(batch)));
    move |p| noise.at(p)
}

fn perlins(batch: u32) -> impl Fn(Vec3) -> f64 {
    let perlin = Perlin::new(batch);
    move |p| perlin.get([p.x, p.y, p.z]) / PERLIN_SCALE
}

/// Random places of a batch, near and far, on all sides of the origin.
fn places(batch: u32) -> impl Iterator<Item = Vec3> {
    let mut d = Seed(2).key(PURPOSE).at(Nth(batch));
    (0..PER_BATCH)
        .map(move |_| Vec3::new(d.range(-120.0, 120.0), d.range(-120.0, 120.0), d.range(-120.0, 120.0)))
}

/// Mean of something over places of all batches, each with a noise of its own.
fn mean<F: Fn(Vec3) -> f64>(noise: impl Fn(u32) -> F, what: impl Fn(&F, Vec3) -> f64) -> f64 {
    let sum: f64 = (0..BATCHES)
        .map(|batch| {
            let f = noise(batch);
            places(batch).map(|p| what(&f, p)).sum::<f64>()
        })
        .sum();
    sum / f64::from(BATCHES * PER_BATCH)
}

/// Values in rising order.
fn sorted<F: Fn(Vec3) -> f64>(noise: impl Fn(u32) -> F) -> Vec<f64> {
    let mut all: Vec<f64> = (0..BATCHES).flat_map(|b| places(b).map(noise(b)).collect::<Vec<_>>()).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[(share * (sorted.len() - 1) as f64) as usize]
}

#[test]
fn mean_and_deviation_are_those_of_the_theory() {
    let n = f64::from(BATCHES * PER_BATCH);
    let (first, second) = (mean(ours, |f, p| f(p)), mean(ours, |f, p| f(p) * f(p)));
    assert!(first.abs() < 5.0 * (variance() / n).sqrt(), "mean {first}");
    // With a kurtosis of 2.5 the relative error of a variance is sqrt(1.5 / n).
    assert!((second / variance() - 1.0).abs() < 5.0 * (1.5 / n).sqrt(), "{second} {}", variance());
    assert!((variance().sqrt() - 0.27).abs() < 0.001, "the documentation states 0.27: {}", variance().sqrt());
}

#[test]
fn the_range_is_the_documented_one() {
    let all = sorted(ours);
    let within = all.iter().filter(|v| v.abs() < 0.75).count() as f64 / all.len() as f64;
    assert!((0.998_5..0.999_5).contains(&within), "{within} within 0.75");
    assert!(all[0] < -0.85 && all[0] > -1.23 && all[all.len() - 1] > 0.85 && all[all.len() - 1] < 1.23);
}

#[test]
fn values_are_distributed_as_perlins() {
    let (a, b) = (sorted(ours), sorted(perlins));
    for share in [0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999] {
        let (ours, theirs) = (quantile(&a, share), quantile(&b, share));
        assert!((ours - theirs).abs() < 0.012, "quantile {share}: {ours} and {theirs}");
    }
}

/// Correlation of values a distance apart, in a direction.
fn autocorrelation<F: Fn(Vec3) -> f64>(noise: impl Fn(u32) -> F, lag: Vec3) -> f64 {
    mean(noise, |f, p| f(p) * f(p + lag)) / variance()
}

#[test]
fn neighbours_correlate_as_perlins_do() {
    let diagonal = Vec3::new(1.0, 1.0, 1.0).normalized();
    for lag in [0.25, 0.5, 1.0, 2.0] {
        for direction in [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0), diagonal] {
            let (a, b) = (autocorrelation(ours, direction * lag), autocorrelation(perlins, direction * lag));
            assert!((a - b).abs() < 0.02, "lag {lag} {direction:?}: {a} and {b}");
        }
    }
}

/// Mean square of the derivative along a direction.
fn steepness<F: Fn(Vec3) -> f64>(noise: impl Fn(u32) -> F, direction: Vec3) -> f64 {
    const H: f64 = 1e-4;
    let slope = |f: &F, p: Vec3| (f(p + direction * H) - f(p - direction * H)) / (2.0 * H);
    mean(noise, |f, p| slope(f, p) * slope(f, p))
}

#[test]
fn no_direction_is_favoured() {
    let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
    let diagonals = [(1.0, 1.0, 0.0), (0.0, 1.0, -1.0), (1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (3.0, 1.0, 2.0)]
        .map(|(x, y, z)| Vec3::new(x, y, z).normalized());
    let all: Vec<f64> = axes.into_iter().chain(diagonals).map(|d| steepness(ours, d)).collect();
    let typical = all.iter().sum::<f64>() / all.len() as f64;
    assert!(all.iter().all(|s| (s / typical - 1.0).abs() < 0.015), "{all:?}");
    // Perlin's doubled gradients favour the second axis.
    let [x, y, z] = axes.map(|d| steepness(perlins, d));
    assert!(y / x > 1.05 && y / z > 1.05, "{x} {y} {z}");
}

#[test]
fn perlin_repeats_after_256_and_ours_does_not() {
    let (perlin, noise) = (perlins(5), ours(5));
    for p in places(0) {
        // Rounding of the shifted place is all that differs.
        assert!((perlin(p) - perlin(p + Vec3::new(256.0, 0.0, -256.0))).abs() < 1e-10);
    }
    for power in [1, 3, 7, 8, 9, 16, 20, 24, 31, 32, 33, 40] {
        let far = grid::math::pow(2.0, f64::from(power));
        for shift in [(far, 0.0, 0.0), (0.0, far, 0.0), (0.0, 0.0, far), (far, -far, 0.0), (far, far, far)] {
            let shift = Vec3::new(shift.0, shift.1, shift.2);
            let products: f64 = (0..5).flat_map(places).map(|p| noise(p) * noise(p + shift)).sum();
            let r = products / f64::from(5 * PER_BATCH) / variance();
            assert!(r.abs() < 5.0 / f64::from(5 * PER_BATCH).sqrt(), "{shift:?}: {r}");
        }
    }
}

/// Greatest first and second difference along a skew line, over the step and its square; and equal neighbours.
fn walk(noise: &Noise, start: Vec3) -> (f64, f64, usize) {
    const STEP: f64 = 1.0 / 1_024.0;
    let direction = Vec3::new(0.8, 0.5, -0.33);
    let values: Vec<f64> =
        (0..400_000).map(|i| noise.at(start + direction * (STEP * f64::from(i)))).collect();
    let greatest = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0f64, |m, v| m.max(v.abs()));
    let slope = greatest(&mut values.windows(2).map(|w| w[1] - w[0])) / STEP;
    let bend = greatest(&mut values.windows(3).map(|w| w[2] - 2.0 * w[1] + w[0])) / (STEP * STEP);
    (slope, bend, values.windows(2).filter(|w| w[0] == w[1]).count())
}

#[test]
fn it_is_smooth_across_lattice_planes_and_ten_million_steps_away() {
    let noise = Noise::new(Seed(1).key(PURPOSE));
    for start in [0.0, 1e7, -1e7, 1e9] {
        let (slope, bend, equal) = walk(&noise, Vec3::new(start, -start, start));
        // A jump of 0.01 in the value would be a slope of 10; one of 0.05 in the slope, a bend of 50.
        assert!((1.5..4.5).contains(&slope), "slope {slope} at {start}");
        assert!((8.0..35.0).contains(&bend), "bend {bend} at {start}");
        assert!(equal < 10, "{equal} steps without a change at {start}");
    }
}

/// Variance of fBm relative to that of one octave, when octaves are independent.
fn fbm_share(octaves: i32, gain: f64) -> f64 {
    let amplitudes = || (0..octaves).map(|k| grid::math::pow(gain, f64::from(k)));
    amplitudes().map(|a| a * a).sum::<f64>() / (amplitudes().sum::<f64>() * amplitudes().sum::<f64>())
}

fn our_fbm(batch: u32, gain: f64) -> impl Fn(Vec3) -> f64 {
    let fractal = Fractal::new(Seed(3).key(PURPOSE).within(Nth(batch)), 8, gain);
    move |p| fractal.fbm(p)
}

fn their_fbm(batch: u32, gain: f64) -> impl Fn(Vec3) -> f64 {
    let fbm = Fbm::<Perlin>::new(batch * 100).set_octaves(8).set_lacunarity(2.0).set_persistence(gain);
    move |p| fbm.get([p.x, p.y, p.z]) / PERLIN_SCALE
}

#[test]
fn fbm_has_the_deviation_of_independent_octaves_and_that_of_the_noise_crate() {
    for gain in [0.5, 0.7] {
        let expected = variance() * fbm_share(8, gain);
        let here = mean(|b| our_fbm(b, gain), |f, p| f(p) * f(p));
        let there = mean(|b| their_fbm(b, gain), |f, p| f(p) * f(p));
        assert!((here / expected - 1.0).abs() < 0.02, "gain {gain}: {here} for {expected}");
        assert!((here / there - 1.0).abs() < 0.04, "gain {gain}: {here} and {there}");
        assert!(mean(|b| our_fbm(b, gain), |f, p| f(p)).abs() < 0.002);
    }
}

/// Mean square of Haar wavelet coefficients along lines, for half widths of 1, 2, 4 ... samples.
fn wavelets<F: Fn(Vec3) -> f64>(noise: impl Fn(u32) -> F) -> Vec<f64> {
    const SAMPLES: usize = 1_024;
    let mut energy = vec![0.0; 10];
    for batch in 0..60 {
        let f = noise(batch);
        let along = Vec3::new(0.6, 0.64, 0.48) * (4.0 / SAMPLES as f64);
        let start = Vec3::new(f64::from(batch) * 1.7, 0.3, -9.2);
        let mut line: Vec<f64> = (0..SAMPLES).map(|i| f(start + along * i as f64)).collect();
        for scale in &mut energy {
            *scale +=
                line.chunks_exact(2).map(|w| (w[1] - w[0]) * (w[1] - w[0])).sum::<f64>() / line.len() as f64;
            line = line.chunks_exact(2).map(|w| (w[0] + w[1]) / 2.0).collect();
        }
    }
    energy
}

#[test]
fn fbm_has_the_spectrum_of_its_gain() {
    for gain in [0.6, 0.7, 0.8] {
        let (here, there) = (wavelets(|b| our_fbm(b, gain)), wavelets(|b| their_fbm(b, gain)));
        for scale in 1..8 {
            let ratio = here[scale] / there[scale];
            assert!((ratio - 1.0).abs() < 0.25, "gain {gain}, scale {scale}: {ratio}");
        }
        // Away from both ends, beyond which octaves are missing.
        let slope = grid::math::log2(here[4] / here[1]) / 3.0;
        let expected = -2.0 * grid::math::log2(gain);
        assert!((slope - expected).abs() < 0.15, "gain {gain}: {slope} for {expected}");
    }
}

#[test]
fn octaves_fade_in_one_after_the_other() {
    let fractal = Fractal::new(Seed(4).key(PURPOSE), 5, 0.5);
    for p in places(1).take(500) {
        assert_eq!(fractal.fbm_partial(p, 5.0), fractal.fbm(p));
        assert_eq!(fractal.fbm_partial(p, 9.0), fractal.fbm(p));
        assert_eq!(fractal.fbm_partial(p, 0.0), 0.0);
        assert_eq!(fractal.vector_partial(p, 5.0), fractal.vector(p));
        assert_eq!(fractal.vector_partial(p, 2.5).x, fractal.fbm_partial(p, 2.5));
        let [low, middle, high] = [2.0, 2.25, 3.0].map(|count| fractal.fbm_partial(p, count));
        assert!((low + (high - low) * 0.25 - middle).abs() < 1e-15);
        let longer = Fractal::new(Seed(4).key(PURPOSE), 9, 0.5);
        let weight = |n: i32| 2.0 - grid::math::pow(0.5, f64::from(n - 1));
        assert!((longer.fbm_partial(p, 5.0) * weight(9) - fractal.fbm(p) * weight(5)).abs() < 1e-14);
    }
    assert_eq!(Fractal::new(Seed(4).key(PURPOSE), 0, 0.5).fbm(Vec3::default()), 0.0);
}

/// Musgrave's ridged multifractal over any octaves, written from the book.
fn musgrave(octave: impl Fn(u32, Vec3) -> f64, octaves: u32, p: Vec3) -> f64 {
    let (mut result, mut weight, mut all) = (0.0, 1.0, 0.0);
    for k in 0..octaves {
        let frequency = f64::from(1 << k);
        let ridge = (1.0 - 1.6 * octave(k, p * frequency).abs()).max(0.0);
        let signal = ridge * ridge * weight;
        result += signal / frequency;
        all += 1.0 / frequency;
        weight = (2.0 * signal).min(1.0);
    }
    result / all
}

fn their_ridged(batch: u32) -> impl Fn(Vec3) -> f64 {
    let octaves: Vec<Perlin> = (0..8).map(|k| Perlin::new(batch * 100 + k)).collect();
    let far = Vec3::new(0.37, 0.61, 0.13);
    move |p| {
        let one = |k: u32, q: Vec3| {
            let q = q + far * f64::from(k);
            octaves[k as usize].get([q.x, q.y, q.z]) / PERLIN_SCALE
        };
        musgrave(one, 8, p)
    }
}

fn our_ridged(batch: u32) -> impl Fn(Vec3) -> f64 {
    let fractal = Fractal::new(Seed(5).key(PURPOSE).within(Nth(batch)), 8, 0.5);
    move |p| fractal.ridged(p)
}

#[test]
fn ridged_noise_is_musgraves_over_perlin() {
    let (a, b) = (sorted(our_ridged), sorted(their_ridged));
    for share in [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999] {
        let (ours, theirs) = (quantile(&a, share), quantile(&b, share));
        assert!((ours - theirs).abs() < 0.015, "quantile {share}: {ours} and {theirs}");
    }
    assert!(a[0] >= 0.0 && a[a.len() - 1] <= 1.0 && a[a.len() - 1] > 0.9);
    let (here, there) = (wavelets(our_ridged), wavelets(their_ridged));
    for scale in 0..8 {
        let ratio = here[scale] / there[scale];
        assert!((ratio - 1.0).abs() < 0.25, "scale {scale}: {ratio}");
    }
}

#[test]
fn the_parts_of_a_vector_are_unrelated() {
    let fractal = Fractal::new(Seed(6).key(PURPOSE), 4, 0.5);
    let all: Vec<Vec3> = (0..10).flat_map(places).map(|p| fractal.vector(p)).collect();
    let n = all.len() as f64;
    let products =
        |f: fn(&Vec3) -> f64| all.iter().map(f).sum::<f64>() / n / (variance() * fbm_share(4, 0.5));
    for r in [products(|v| v.x * v.y), products(|v| v.y * v.z), products(|v| v.z * v.x)] {
        assert!(r.abs() < 5.0 / n.sqrt(), "{r}");
    }
    for size in [products(|v| v.x * v.x), products(|v| v.y * v.y), products(|v| v.z * v.z)] {
        assert!((size - 1.0).abs() < 0.05, "{size}");
    }
}

proptest! {
    #[test]
    fn any_finite_place_has_a_finite_value(x in any::<f64>(), y in any::<f64>(), z in any::<f64>()) {
        prop_assume!(x.is_finite() && y.is_finite() && z.is_finite());
        let noise = Noise::new(Seed(7).key(PURPOSE));
        prop_assert!(noise.at(Vec3::new(x, y, z)).is_finite());
    }

    #[test]
    fn no_place_exceeds_the_bound(x in -1e12..1e12, y in -1e12..1e12, z in -1e12..1e12) {
        prop_assert!(Noise::new(Seed(7).key(PURPOSE)).at(Vec3::new(x, y, z)).abs() < 1.23);
    }
}

/// The noise is part of every world: a change here makes other worlds of the same recipes.
#[test]
fn the_noise_is_frozen() {
    let key = Seed(42).key(PURPOSE);
    let (noise, fractal) = (Noise::new(key), Fractal::new(key, 8, 0.5));
    let (near, far) = (Vec3::new(0.1, -2.7, 13.25), Vec3::new(1.0e7 + 0.3, -33_000.125, 0.6));
    let vector = fractal.vector(near);
    let values = [
        noise.at(Vec3::default()),
        noise.at(near),
        noise.at(far),
        fractal.fbm(near),
        fractal.fbm(far),
        fractal.fbm_partial(near, 3.5),
        fractal.ridged(near),
        vector.y,
        vector.z,
    ];
    let bits = values.map(f64::to_bits);
    assert_eq!(bits, FROZEN, "{values:?} {bits:#x?}");
}

/// The first three also from a second implementation, in another language.
const FROZEN: [u64; 9] = [
    0x3fd2_dbbb_c875_dc79,
    0xbfd7_b4cb_5e09_9c12,
    0xbfc3_9c95_36af_0314,
    0x3fc8_90bd_55b7_1493,
    0xbfb1_56f6_fb6f_f9aa,
    0x3fc9_01e0_47f5_cafd,
    0x3fc9_1c0b_3a7e_e7fa,
    0x3fa0_668b_9720_b8f1,
    0x3f9a_da43_d746_3adf,
];
