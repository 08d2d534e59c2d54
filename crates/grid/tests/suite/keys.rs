//! Draws are frozen, uniform, and independent of their neighbours in every part of a key.
//!
//! Bounds are five standard deviations of the statistic for true randomness, six where thousands are taken.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use grid::key::Address;
use grid::noise::Fractal;
use grid::{Cell, Direction, Draw, Globe, Grid, Nth, Purpose, Seed, Vec3};
use std::collections::BTreeSet;

const ENTRY: Purpose = Purpose::new("region/ridge/entry");
const EXIT: Purpose = Purpose::new("region/ridge/exit");
const COUNT: usize = 120_000;

fn draw(seed: u64, purpose: Purpose, address: impl Address) -> Draw {
    Seed(seed).key(purpose).at(address)
}

fn globe() -> Globe {
    Globe::new(150, 6_371_000.0).unwrap()
}

/// Pearson's correlation of pairs.
fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> (f64, usize) {
    let (mut n, mut x, mut y, mut xx, mut yy, mut xy) = (0usize, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (a, b) in pairs {
        n += 1;
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    let m = n as f64;
    let covariance = xy - x * y / m;
    (covariance / ((xx - x * x / m) * (yy - y * y / m)).sqrt(), n)
}

/// Compares the first four draws of two places, each with each.
fn assert_unrelated(what: &str, pair: impl Fn(u32) -> (Draw, Draw)) {
    let four = |mut d: Draw| std::array::from_fn::<f64, 4, _>(|_| d.unit());
    let draws: Vec<_> = (0..COUNT as u32).map(&pair).map(|(a, b)| (four(a), four(b))).collect();
    for (j, k) in (0..16).map(|jk| (jk / 4, jk % 4)) {
        let (r, n) = correlation(draws.iter().map(|(a, b)| (a[j], b[k])));
        assert!(r.abs() < 5.0 / (n as f64).sqrt(), "{what}: draws {j} and {k} correlate by {r}");
    }
}

#[test]
fn neighbouring_seeds_are_unrelated() {
    assert_unrelated("seed + 1", |i| {
        (draw(u64::from(i), ENTRY, Cell(7)), draw(u64::from(i) + 1, ENTRY, Cell(7)))
    });
    assert_unrelated("top bit of the seed", |i| {
        (draw(u64::from(i), ENTRY, Cell(7)), draw(u64::from(i) | 1 << 63, ENTRY, Cell(7)))
    });
    assert_unrelated("seed + 1 over cells", |i| (draw(42, ENTRY, Cell(i)), draw(43, ENTRY, Cell(i))));
    assert_unrelated("seed + 1 and cell - 1", |i| (draw(42, ENTRY, Cell(i + 1)), draw(43, ENTRY, Cell(i))));
}

#[test]
fn purposes_are_unrelated() {
    assert_unrelated("purpose", |i| (draw(42, ENTRY, Cell(i)), draw(42, EXIT, Cell(i))));
    let last_letter = Purpose::new("region/ridge/entrz");
    assert_unrelated("last letter", |i| (draw(42, ENTRY, Cell(i)), draw(42, last_letter, Cell(i))));
    let names = ["", "a", "b", "ab", "ba", "aa", "a/b", "ab/", "/ab"].map(Purpose::new);
    let firsts: BTreeSet<u64> = names.map(|p| draw(1, p, Nth(0)).bits()).into();
    assert_eq!(firsts.len(), names.len());
}

#[test]
fn neighbouring_cells_and_numbers_are_unrelated() {
    assert_unrelated("cell + 1", |i| (draw(42, ENTRY, Cell(i)), draw(42, ENTRY, Cell(i + 1))));
    assert_unrelated("next row", |i| (draw(42, ENTRY, Cell(i)), draw(42, ENTRY, Cell(i + 512))));
    assert_unrelated("nth + 1", |i| (draw(42, ENTRY, Nth(i)), draw(42, ENTRY, Nth(i + 1))));
    assert_unrelated("kind", |i| (draw(42, ENTRY, Cell(i)), draw(42, ENTRY, Nth(i))));
    assert_unrelated("second of a pair", |i| {
        (draw(42, ENTRY, (Cell(i), Nth(0))), draw(42, ENTRY, (Cell(i), Nth(1))))
    });
    assert_unrelated("sum of a pair", |i| {
        (draw(42, ENTRY, (Cell(i), Nth(1))), draw(42, ENTRY, (Cell(i + 1), Nth(0))))
    });
    assert_unrelated("order of a pair", |i| {
        (draw(42, ENTRY, (Nth(i), Nth(i + 1))), draw(42, ENTRY, (Nth(i + 1), Nth(i))))
    });
    assert_unrelated("pair and whole", |i| (draw(42, ENTRY, Cell(i)), draw(42, ENTRY, (Cell(i), Nth(0)))));
}

#[test]
fn edges_and_vertices_of_a_cell_are_unrelated() {
    let globe = globe();
    assert!(globe.len() > COUNT);
    let edge = |i, side| draw(42, ENTRY, globe.edge(Cell(i), side).unwrap());
    let vertex = |i, corner| draw(42, ENTRY, globe.vertex(Cell(i), corner).unwrap());
    assert_unrelated("N and S", |i| (edge(i, Direction::N), edge(i, Direction::S)));
    assert_unrelated("N and E", |i| (edge(i, Direction::N), edge(i, Direction::E)));
    assert_unrelated("NW and NE", |i| (vertex(i, Direction::NW), vertex(i, Direction::NE)));
    assert_unrelated("NW and SE", |i| (vertex(i, Direction::NW), vertex(i, Direction::SE)));
    assert_unrelated("edge and its end", |i| (edge(i, Direction::N), vertex(i, Direction::NW)));
}

/// Chi-square of counts that should all be equal, as standard deviations from what is expected.
fn excess(counts: &[u32]) -> f64 {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let chi2: f64 =
        counts.iter().map(|&c| (f64::from(c) - expected) * (f64::from(c) - expected) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    (chi2 - freedom) / (2.0 * freedom).sqrt()
}

/// Each byte of the first draw takes all values equally often.
fn assert_uniform(what: &str, draw: impl Fn(u32) -> Draw) {
    let mut counts = [[0; 256]; 8];
    for i in 0..COUNT as u32 {
        for (count, byte) in counts.iter_mut().zip(draw(i).bits().to_le_bytes()) {
            count[usize::from(byte)] += 1;
        }
    }
    for (byte, count) in counts.iter().enumerate() {
        assert!(excess(count).abs() < 5.0, "{what}, byte {byte}: {} deviations", excess(count));
    }
}

#[test]
fn first_draws_are_uniform_over_every_part_of_a_key() {
    let globe = globe();
    assert_uniform("seed", |i| draw(u64::from(i), ENTRY, Cell(7)));
    assert_uniform("high seed", |i| draw(u64::from(i) << 40, ENTRY, Cell(7)));
    assert_uniform("cell", |i| draw(42, ENTRY, Cell(i)));
    assert_uniform("nth", |i| draw(42, ENTRY, Nth(i)));
    assert_uniform("pair", |i| draw(42, ENTRY, (Cell(i / 300), Nth(i % 300))));
    assert_uniform("edge", |i| draw(42, ENTRY, globe.edge(Cell(i), Direction::N).unwrap()));
    assert_uniform("vertex", |i| draw(42, ENTRY, globe.vertex(Cell(i), Direction::NW).unwrap()));
    assert_uniform("purpose", |i| draw(42, Purpose::new(&format!("world/stage/{i}")), Cell(7)));
}

/// Turning any one bit of the input turns each bit of the first draw half of the time.
fn assert_avalanche(what: &str, bits: u32, draw: impl Fn(u64) -> Draw) {
    const TRIALS: u64 = 4_000;
    for bit in 0..bits {
        let mut turned = [0u32; 64];
        for trial in 0..TRIALS {
            let change = draw(trial).bits() ^ draw(trial ^ 1 << bit).bits();
            turned.iter_mut().enumerate().for_each(|(k, t)| *t += (change >> k & 1) as u32);
        }
        let deviation = (TRIALS as f64).sqrt() * 0.5;
        for (k, &t) in turned.iter().enumerate() {
            let sigmas = (f64::from(t) - TRIALS as f64 * 0.5) / deviation;
            assert!(sigmas.abs() < 6.0, "{what}: bit {bit} moves bit {k} by {sigmas} deviations");
        }
        let mean = f64::from(turned.iter().sum::<u32>()) / (64.0 * TRIALS as f64);
        assert!((mean - 0.5).abs() < 0.005, "{what}: bit {bit} moves {mean} of the bits");
    }
}

#[test]
fn every_bit_of_the_input_moves_half_of_the_output() {
    assert_avalanche("seed", 64, |w| draw(w, ENTRY, Cell(7)));
    assert_avalanche("cell", 32, |w| draw(42, ENTRY, Cell(w as u32)));
    assert_avalanche("nth", 32, |w| draw(42, ENTRY, (Cell(7), Nth(w as u32))));
    assert_avalanche("first of a pair", 32, |w| draw(42, ENTRY, (Cell(w as u32), Nth(7))));
}

#[test]
fn no_two_places_of_a_million_share_their_draws() {
    let globe = Globe::new(64, 6_371_000.0).unwrap();
    let mut seen = BTreeSet::new();
    let mut count = 0;
    let mut take = |mut d: Draw| {
        seen.insert(d.bits());
        count += 1;
    };
    for seed in 0..4 {
        for purpose in [ENTRY, EXIT] {
            for cell in globe.cells() {
                take(draw(seed, purpose, cell));
                take(draw(seed, purpose, Nth(cell.0)));
                take(draw(seed, purpose, (cell, Nth(0))));
                take(draw(seed, purpose, (Nth(0), cell)));
                take(draw(seed, purpose, globe.edge(cell, Direction::N).unwrap()));
                let end = globe.vertex(cell, Direction::NW).unwrap();
                take(draw(seed, purpose, (end, end)));
            }
        }
    }
    // Of the 8 x 24576 northern sides, those of two faces meet at some cube edges and are drawn twice.
    let sides: BTreeSet<_> = globe.cells().map(|c| globe.edge(c, Direction::N).unwrap()).collect();
    let ends: BTreeSet<_> = globe.cells().map(|c| globe.vertex(c, Direction::NW).unwrap()).collect();
    let shared = 8 * (2 * globe.len() - sides.len() - ends.len());
    assert_eq!(seen.len(), count - shared);
}

#[test]
fn a_key_within_a_place_is_the_key_of_the_pair() {
    let key = Seed(9).key(ENTRY);
    assert_eq!(key.within(Cell(5)).at(Nth(6)).bits(), key.at((Cell(5), Nth(6))).bits());
    let whole = key.within((Cell(5), Nth(6)));
    assert_eq!(whole.at(Nth(1)).bits(), key.at((Cell(5), (Nth(6), Nth(1)))).bits());
}

/// With seeds made by adding, octave k of seed s is octave k - 1 of seed s + 1.
#[test]
fn octaves_are_unrelated_to_each_other_and_to_those_of_the_next_seed() {
    let fractal = |seed| Fractal::new(Seed(seed).key(ENTRY), 6, 1.0);
    let octave = |f: &Fractal, k: i32, q: Vec3| {
        let p = q / grid::math::pow(2.0, f64::from(k));
        (f.fbm_partial(p, f64::from(k + 1)) - f.fbm_partial(p, f64::from(k))) * 6.0
    };
    let places = |i: u32| Vec3::new(f64::from(i % 300) * 0.71, f64::from(i / 300) * 0.83, 0.3);
    let (here, next) = (fractal(7), fractal(8));
    let octaves = |f: &Fractal, a: i32, g: &Fractal, b: i32, count: u32| {
        correlation((0..count).map(places).map(|q| (octave(f, a, q), octave(g, b, q))))
    };
    // Neighbouring samples are not independent: a wavelength holds about two.
    let chance = |n: usize| 5.0 * 2.0 / (n as f64).sqrt();
    for (a, b) in [(0, 0), (1, 0), (2, 1), (5, 4), (0, 1)] {
        let (r, n) = octaves(&here, a, &next, b, 30_000);
        assert!(r.abs() < chance(n), "octaves {a} and {b} of two seeds correlate by {r}");
        assert!(octaves(&here, a, &here, a, 300).0 > 0.999_999);
        if a != b {
            let (r, n) = octaves(&here, a, &here, b, 30_000);
            assert!(r.abs() < chance(n), "octaves {a} and {b} of one seed correlate by {r}");
        }
    }
}

#[test]
fn whole_numbers_below_a_bound_are_unbiased() {
    for n in [2u32, 3, 7, 10, 100, 1_000] {
        let mut counts = vec![0u32; n as usize];
        (0..COUNT as u32).for_each(|i| counts[draw(1, ENTRY, Cell(i)).below(n) as usize] += 1);
        assert!(excess(&counts).abs() < 5.0, "below {n}: {}", excess(&counts));
    }
    // A remainder of 32 bits would fall into the first third twice as often.
    let wide = 3 << 30;
    let mut thirds = [0u32; 3];
    (0..COUNT as u32).for_each(|i| thirds[(draw(2, ENTRY, Cell(i)).below(wide) >> 30) as usize] += 1);
    assert!(excess(&thirds).abs() < 5.0, "{thirds:?}");
    assert_eq!((draw(1, ENTRY, Nth(0)).below(0), draw(1, ENTRY, Nth(0)).below(1)), (0, 0));
}

#[test]
fn reals_stay_in_their_range() {
    let mut d = draw(5, ENTRY, Nth(0));
    let (mut low, mut high) = (1.0f64, 0.0f64);
    for _ in 0..COUNT {
        let u = d.unit();
        assert!((0.0..1.0).contains(&u));
        (low, high) = (low.min(u), high.max(u));
        assert!((-3.0..=9.0).contains(&d.range(-3.0, 9.0)));
    }
    assert!(low < 1e-4 && high > 1.0 - 1e-4);
    assert_eq!(d.range(4.0, 4.0), 4.0);
}

#[test]
fn normal_deviates_have_the_moments_and_tails_of_the_normal_law() {
    let values: Vec<f64> = (0..COUNT as u32)
        .flat_map(|i| {
            let mut d = draw(3, ENTRY, Cell(i));
            [d.normal(), d.normal()]
        })
        .collect();
    let n = values.len() as f64;
    let moment = |k: f64| values.iter().map(|&v| grid::math::pow(v, k)).sum::<f64>() / n;
    // Variances of the sample moments: mu_2k - mu_k^2.
    for (k, expected, variance) in [(1.0, 0.0, 1.0), (2.0, 1.0, 2.0), (3.0, 0.0, 15.0), (4.0, 3.0, 96.0)] {
        let tolerance = 5.0 * f64::sqrt(variance / n);
        assert!((moment(k) - expected).abs() < tolerance, "moment {k} is {}", moment(k));
    }
    for (sigmas, beyond) in [(1.0, 0.317_310_508), (2.0, 0.045_500_264), (3.0, 0.002_699_796)] {
        let share = values.iter().filter(|v| v.abs() > sigmas).count() as f64 / n;
        assert!((share - beyond).abs() < 5.0 * (beyond / n).sqrt(), "{share} beyond {sigmas}");
    }
    let (r, n) = correlation(values.chunks(2).map(|p| (p[0], p[1])));
    assert!(r.abs() < 5.0 / (n as f64).sqrt());
}

#[test]
fn directions_cover_the_sphere_evenly() {
    let all: Vec<Vec3> = (0..COUNT as u32).map(|i| draw(4, ENTRY, Cell(i)).direction()).collect();
    assert!(all.iter().all(|d| (d.length() - 1.0).abs() < 1e-15));
    // Bands of equal height have equal areas, whichever the axis (Archimedes).
    let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
    for axis in axes.into_iter().chain([Vec3::new(1.0, -2.0, 3.0).normalized()]) {
        let mut bands = [0u32; 100];
        all.iter().for_each(|d| bands[((d.dot(axis) + 1.0) * 50.0).min(99.0) as usize] += 1);
        assert!(excess(&bands).abs() < 5.0, "{axis:?}: {}", excess(&bands));
    }
    let mut octants = [0u32; 8];
    all.iter().for_each(|d| {
        octants[usize::from(d.x < 0.0) | usize::from(d.y < 0.0) << 1 | usize::from(d.z < 0.0) << 2] += 1
    });
    assert!(excess(&octants).abs() < 5.0);
}

/// The draws are part of every world: a change here makes other worlds of the same recipes.
#[test]
fn the_draws_are_frozen() {
    let globe = Globe::new(64, 6_371_000.0).unwrap();
    let edge = globe.edge(Cell(100), Direction::E).unwrap();
    let vertex = globe.vertex(Cell(100), Direction::SE).unwrap();
    let first = |mut d: Draw| -> [u64; 4] { std::array::from_fn(|_| d.bits()) };
    let draws = [
        first(draw(0, ENTRY, Cell(0))),
        first(draw(1, ENTRY, Cell(0))),
        first(draw(42, ENTRY, Cell(12_345))),
        first(draw(42, EXIT, Cell(12_345))),
        first(draw(42, Purpose::new("world/plates"), Nth(7))),
        first(draw(42, ENTRY, (Cell(3), Nth(2)))),
        first(draw(42, ENTRY, edge)),
        first(draw(42, ENTRY, vertex)),
        first(draw(u64::MAX, ENTRY, Cell(u32::MAX))),
    ];
    assert_eq!(draws, DRAWS, "{draws:#x?}");
}

/// From a second implementation, of the published SplitMix64, FNV-1a and xoshiro256++, in another language.
const DRAWS: [[u64; 4]; 9] = [
    [0x2ae7_3811_c730_d81f, 0x9133_5b3d_414c_4c6f, 0x6788_07f8_c552_b8f5, 0x0d93_bbdc_4486_68f8],
    [0xaf12_6ec3_9e0d_bd9f, 0x1dd3_87d1_38e0_5801, 0x2926_5d75_d0d5_73c9, 0xc696_eccb_8339_ace4],
    [0x10d5_6c45_7484_1750, 0xdb4e_8e09_ee07_d01a, 0x6453_9a84_9901_79eb, 0x79e6_3f9e_4743_1a67],
    [0xa208_62b0_094e_42e7, 0x79d1_d60c_17f9_fa0d, 0x9881_eb7b_89d7_4df8, 0x5003_1663_1c75_85ec],
    [0x6add_92c0_937b_68eb, 0x10f5_03e0_6f23_28cb, 0xc1f1_ed1e_12df_13a9, 0x98ac_74f8_a3b4_6f4e],
    [0xa823_d429_c573_0698, 0x1a24_ccc0_a15e_ac36, 0x41f4_a523_622b_8deb, 0x1a53_23e3_b44d_c3a6],
    [0x1485_cdaf_b855_6100, 0x3e67_1658_68e8_6757, 0xadf6_1d10_88ae_0485, 0xf24b_9717_524e_8d49],
    [0xee22_a3f2_82b0_101b, 0x617f_78fd_18c8_7ab1, 0x3d5a_1a48_1aa9_17ef, 0x797b_9a11_17a5_f7bf],
    [0xfbcb_fb21_e8c0_8f48, 0x22ee_fdca_508b_57a1, 0x8809_0a30_ea24_09fc, 0xe993_73b0_f384_2a4e],
];

#[test]
fn derived_draws_are_frozen() {
    let mut d = draw(42, ENTRY, Cell(12_345));
    let direction = d.direction();
    let values = [
        d.unit(),
        d.range(-5.0, 11.0),
        f64::from(d.below(1_000_003)),
        d.normal(),
        direction.x,
        direction.y,
        direction.z,
    ];
    let bits = values.map(f64::to_bits);
    assert_eq!(bits, DERIVED, "{values:?} {bits:#x?}");
}

const DERIVED: [u64; 7] = [
    0x3fd9_14e6_a126_405e,
    0x4004_f31f_cf23_a18c,
    0x4101_3410_0000_0000,
    0x3f85_4c22_d762_bdc7,
    0x3fd3_b4d5_ecea_fa6d,
    0xbfd8_dcf0_280b_cb78,
    0xbfeb_caa4_eea2_defc,
];
