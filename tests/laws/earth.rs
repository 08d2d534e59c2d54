//! Statistics: worlds of the default recipe are like Earth. Ten fixed seeds at a reduced size; the median of each
//! figure must lie in Earth's band, which is that of `data/earth.toml`.

use crate::support::{coarse_recipe, made};
use rayon::prelude::*;
use std::sync::OnceLock;
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

fn scores() -> &'static [Score] {
    static SCORES: OnceLock<Vec<Score>> = OnceLock::new();
    let of = |seed| score(&made(&coarse_recipe(seed, CELLS))).expect("receivers that this program made");
    SCORES.get_or_init(|| (1..=10u64).into_par_iter().map(of).collect())
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
