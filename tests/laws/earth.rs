//! Statistics: worlds of the default recipe are like Earth. Ten fixed seeds at a reduced size; the median of each
//! figure must lie in Earth's band, which is that of `data/earth.toml`.

use crate::support::{coarse_recipe, is_land, made, quantile};
use grid::{Cell, Grid};
use rayon::prelude::*;
use std::sync::OnceLock;
use world::World;
use world::score::{Score, medians, score};

/// Cells along a side of a face: 72 km, with which degree 100 of the relief has five cells to a wave.
const CELLS: u32 = 128;

/// Figures whose median may lie outside its band at this size, each with the reason. All others must pass.
const EXCEPT: &[(&str, &str)] = &[
    (
        "area_exceedance",
        "0.59: a basin of 512 cells of 72 km is a fifth of a continent; 0.53 with cells of 18 km",
    ),
    (
        "horton_length",
        "1.47: streams of the highest orders have few cells of 72 km; 1.5 to 1.6 with cells of 18 km",
    ),
];

fn worlds() -> &'static [World] {
    static WORLDS: OnceLock<Vec<World>> = OnceLock::new();
    let of = |seed| made(&coarse_recipe(seed, CELLS));
    WORLDS.get_or_init(|| (1..=10u64).into_par_iter().map(of).collect())
}

fn scores() -> &'static [Score] {
    static SCORES: OnceLock<Vec<Score>> = OnceLock::new();
    let of = |world| score(world).expect("receivers that this program made");
    SCORES.get_or_init(|| worlds().par_iter().map(of).collect())
}

#[test]
fn ten_worlds_are_like_earth_in_the_median() {
    let medians = medians(scores());
    for (name, reason) in EXCEPT {
        assert!(medians.iter().any(|m| m.figure.name == *name), "{name} is no figure: {reason}");
    }
    let must = medians.iter().filter(|m| EXCEPT.iter().all(|e| e.0 != m.figure.name));
    let fails = must.filter(|m| m.passes() == Some(false));
    let told: Vec<String> = fails
        .map(|m| format!("{}: {:?}, not {} to {}", m.figure.name, m.reading, m.figure.low, m.figure.high))
        .collect();
    assert!(told.is_empty(), "{told:#?}");
    let measured = medians.iter().filter(|m| m.passes().is_some()).count();
    assert!(measured >= 33, "only {measured} figures are measured");
}

/// Ridges lie in mountains, and are joined into lines longer than their cells. Where ranges are as wide as three of
/// these cells, a line meets another only now and then.
#[test]
fn ridge_lines_are_lines() {
    for score in scores() {
        let r = &score.ridges;
        assert_eq!(r.flat_cells, 0, "{r:?}");
        assert!(r.lines > 50 && r.longest_km > 1000.0, "{r:?}");
        assert!(r.median_km <= r.longest_km && r.mean_km <= r.longest_km, "{r:?}");
        assert!((r.mean_km * r.lines as f64 - r.total_km).abs() < 1e-6 * r.total_km, "{r:?}");
    }
    let junctions: usize = scores().iter().map(|score| score.ridges.junctions).sum();
    assert!(junctions > 25, "{junctions} on ten worlds");
}

/// Great rivers come to the sea as slowly as Earth's, which are a few metres high 100 km from it (the Amazon has some 10 m 800 km
/// from it, the Congo 270 m 350 km from it); three of each world.
#[test]
fn great_rivers_are_low_near_the_sea() {
    let mut levels_m: Vec<f64> = worlds().iter().flat_map(|world| near_the_sea_m(world, 3)).collect();
    let [low, median, high] = [0.1, 0.5, 0.9].map(|share| quantile(&mut levels_m, share));
    assert!((2.0..12.0).contains(&median), "{median} m in the median: {levels_m:?}");
    assert!(low > 0.5 && high > 1.5 * low, "all alike: {levels_m:?}");
}

/// Levels 100 km from the sea of the rivers with the most water, in metres, between those of the cells above and below.
fn near_the_sea_m(world: &World, rivers: usize) -> Vec<f64> {
    let at_the_sea =
        |&c: &Cell| is_land(world, c) && world.receiver_of(c).is_some_and(|below| !is_land(world, below));
    let mut mouths: Vec<Cell> = world.grid.cells().filter(at_the_sea).collect();
    mouths.sort_by(|&a, &b| world.discharge_m3_s[b].total_cmp(&world.discharge_m3_s[a]));
    mouths.truncate(rivers);
    mouths.into_iter().map(|mouth| level_above_m(world, mouth, 100e3)).collect()
}

/// The level of a river so far (m) from the sea, up from its mouth along the greatest inflows.
fn level_above_m(world: &World, mouth: Cell, far_m: f64) -> f64 {
    let level_m = |c: Cell| f64::from(world.river_level_m[c]);
    let mut from = (0.0, 0.0);
    let (mut at, mut way_m) = (mouth, 0.5 * world.grid.cell_m());
    while way_m < far_m {
        from = (way_m, level_m(at));
        let inflows = world.grid.neighbors(at).map(|(_, n)| n).filter(|&n| world.receiver_of(n) == Some(at));
        let Some(above) =
            inflows.max_by(|&a, &b| world.discharge_m3_s[a].total_cmp(&world.discharge_m3_s[b]))
        else {
            break;
        };
        way_m += world.grid.cell_distance_m(at, above);
        at = above;
    }
    from.1 + (level_m(at) - from.1) * ((far_m - from.0) / (way_m - from.0)).min(1.0)
}
