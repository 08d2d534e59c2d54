//! Law 4: nothing is random except a key at a place. What is made first or last, alone or together with others,
//! does not matter; neighbouring seeds give unrelated worlds; and the sources of the simulation name no other
//! source of chance.

use crate::support::sources::{SIMULATION, code_lines};
use crate::support::*;
use grid::{Cell, Field, Grid};
use region::features_of;
use world::World;

#[test]
fn features_do_not_depend_on_order() {
    let mut draw = draws(40);
    for world in [rugged(), island()] {
        let cells: Vec<Cell> = (0..400).map(|_| Cell(draw.below(world.grid.len() as u32))).collect();
        let together = features_of(world, &cells, 3).unwrap();
        let backwards: Vec<Cell> = cells.iter().rev().copied().collect();
        let mut again = features_of(world, &backwards, 3).unwrap();
        again.reverse();
        assert!(together == again);
        for (&cell, features) in cells.iter().zip(&together) {
            assert_eq!(features_of(world, &[cell], 3).unwrap(), std::slice::from_ref(features), "{cell:?}");
        }
        assert!(together.iter().filter(|f| !f.rivers.is_empty()).count() > 50);
    }
}

/// Deeper zooms add buttresses and points of rivers, and change nothing else.
#[test]
fn generations_only_add() {
    let world = rugged();
    let cells: Vec<Cell> = world.grid.cells().filter(|&c| world.ridge_directions[c] != 0).take(200).collect();
    let [one, three] = [1, 3].map(|generations| features_of(world, &cells, generations).unwrap());
    for (few, many) in one.iter().zip(&three) {
        assert_eq!((&few.ridges, &few.peaks), (&many.ridges, &many.peaks));
        assert_eq!(few.rivers.len(), many.rivers.len());
        for (coarse, fine) in few.rivers.iter().zip(&many.rivers) {
            // twice as many points on the same curve
            let every_second = |values: &[f64]| values.iter().copied().step_by(2).collect::<Vec<f64>>();
            let points: Vec<_> = fine.points_m.iter().copied().step_by(2).collect();
            assert_eq!(coarse.points_m, points);
            assert_eq!(coarse.bed_m, every_second(&fine.bed_m));
            assert_eq!(coarse.surface_m, every_second(&fine.surface_m));
        }
        assert_eq!(few.buttresses, many.buttresses[..few.buttresses.len()]);
        assert!(many.buttresses.len() > few.buttresses.len());
    }
}

#[test]
fn worlds_do_not_depend_on_those_before() {
    let (a, b) = (coarse_recipe(11, 24), coarse_recipe(12, 24));
    let (first, between) = (made(&a), made(&b));
    assert!(made(&a) == first && made(&b) == between && first != between);
}

const SEEDS: u64 = 24;
const SIDE: u32 = 20;

/// What a world of few cells has, apart from what latitude decides (climate) and what rounding does.
type Property = fn(&World) -> Field<f32>;

fn properties() -> [(&'static str, Property); 4] {
    [
        ("continentality", |w| w.continentality.clone()),
        ("base elevation", |w| w.base_elevation_m.map(|z| z.clamp(-6_000.0, 3_000.0))),
        ("mountains", |w| w.mountain_height_m.clone()),
        ("elevation of land", |w| {
            let z = |c| if w.continentality[c] > 0.0 { w.base_elevation_m[c] } else { 0.0 };
            Field::from_fn(w.grid.shape(), z)
        }),
    ]
}

/// Pearson's correlation.
fn correlation(a: &Field<f32>, b: &Field<f32>) -> f64 {
    let n = a.as_slice().len() as f64;
    let mean = |f: &Field<f32>| f.as_slice().iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let (ma, mb) = (mean(a), mean(b));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (&x, &y) in a.as_slice().iter().zip(b.as_slice()) {
        let (x, y) = (f64::from(x) - ma, f64::from(y) - mb);
        (ab, aa, bb) = (ab + x * y, aa + x * x, bb + y * y);
    }
    ab / (aa * bb).sqrt()
}

/// Fields are smooth, so that two unrelated ones still correlate a little by chance; how much, the scatter of
/// the pairs themselves tells. Neighbouring seeds: the mean over all pairs must lie within four of its own
/// standard errors of zero (one in 16 000 by chance), and no pair be alike. (The seeds are fixed.)
#[test]
fn neighbouring_seeds_are_unrelated() {
    for base in [0, 1 << 40] {
        let worlds: Vec<World> = (0..SEEDS).map(|k| made(&coarse_recipe(base + k, SIDE))).collect();
        for (name, property) in properties() {
            let fields: Vec<Field<f32>> = worlds.iter().map(property).collect();
            let pairs: Vec<f64> = fields.windows(2).map(|w| correlation(&w[0], &w[1])).collect();
            judge(&format!("{name}, seeds from {base}"), &pairs);
        }
    }
}

/// Seeds that differ in one bit, whichever it is, are as unrelated as any.
#[test]
fn seeds_that_differ_in_a_bit_are_unrelated() {
    let first = made(&coarse_recipe(77, SIDE));
    let bits = [0, 1, 2, 7, 8, 15, 16, 24, 31, 32, 33, 40, 48, 55, 61, 62];
    let others: Vec<World> = bits.map(|bit| made(&coarse_recipe(77 ^ 1 << bit, SIDE))).into();
    for (name, property) in properties() {
        let own = property(&first);
        let pairs: Vec<f64> = others.iter().map(|other| correlation(&own, &property(other))).collect();
        let most = pairs.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        assert!(most < 0.6, "{name}: correlation {most}");
    }
}

fn judge(what: &str, pairs: &[f64]) {
    let n = pairs.len() as f64;
    let mean = pairs.iter().sum::<f64>() / n;
    let deviation = (pairs.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / (n - 1.0)).sqrt();
    let most = pairs.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
    assert!(
        mean.abs() < 4.0 * deviation / n.sqrt(),
        "{what}: mean correlation {mean}, deviation {deviation}"
    );
    assert!(most < 0.6, "{what}: correlation {most}");
}

#[test]
fn simulation_has_no_other_source_of_chance() {
    let forbidden = [
        "rand::",
        "rand_xoshiro",
        "thread_rng",
        "SystemTime",
        "Instant",
        "HashMap",
        "HashSet",
        "RandomState",
    ];
    let mut lines = 0;
    for line in code_lines(SIMULATION).filter(|l| !l.path.ends_with("grid/src/key.rs")) {
        for word in forbidden {
            assert!(!line.code.contains(word), "{line}: `{word}`");
        }
        lines += 1;
    }
    assert!(lines > 1_500, "only {lines} lines were read");
}

/// No seed is made from another by arithmetic, and none from anything but a recipe.
#[test]
fn seeds_come_from_recipes_alone() {
    let arithmetic = ["seed +", "seed.0", "seed ^", "seed *", "seed -", "+ seed", "^ seed"];
    let mut made = 0;
    for line in code_lines(SIMULATION).filter(|l| !l.path.ends_with("grid/src/key.rs")) {
        for word in arithmetic {
            assert!(!line.code.contains(word), "{line}: `{word}`");
        }
        assert!(!(line.code.contains("seed") && line.code.contains("wrapping_")), "{line}");
        for made_from in line.code.split("Seed(").skip(1) {
            assert!(made_from.contains("recipe"), "{line}: a seed that is not a recipe's");
            made += 1;
        }
    }
    assert!(made >= 2, "the search finds no seed at all");
}
