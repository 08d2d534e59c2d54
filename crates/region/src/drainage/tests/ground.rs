//! Ground: rivers have about the area that really drains to them, and water runs below the land.

use super::support::*;
use grid::{Cell, Grid, Level, Part};
use world::NO_LAKE;

/// Most sites that are followed up from one.
const MOST_SITES: usize = 300;

/// The area that sites of a level on land claim, over that of the parts of the next level that drain to them and to all upstream;
/// those with more than [`MOST_SITES`] sites upstream are left out.
fn claims(study: &'static Study, level: Level) -> Vec<f64> {
    let is_land = |c: Cell| study.world.continentality[c] > 0.0;
    let inland: Vec<Cell> =
        study.grid.cells().filter(|&c| study.grid.halo(c, 3).into_iter().all(is_land)).collect();
    let drainage = study.drainage(Level(level.0 + 1));
    let (spots, waters, parts) = (drainage.spots(level), drainage.waters(level), drainage.planned_parts());
    let side = 1 << level.0;
    let ground_m2 = |site: Part| {
        let mut all = vec![site];
        let mut next = 0;
        while next < all.len() && next < MOST_SITES {
            let to = all[next];
            all.extend(study.neighbours(to).filter(|n| study.receiver(*n, &spots(*n)) == Some(to)));
            next += 1;
        }
        let part_m2 = |part: &Part| {
            study.grid.area_m2(study.grid.cell_of(*part)) / f64::from(side * side) * f64::from(parts(*part))
                / 4.0
        };
        (all.len() < MOST_SITES).then(|| all.iter().map(part_m2).sum::<f64>())
    };
    let mut draw = draws(11);
    let mut all = Vec::new();
    for _ in 0..1_600 {
        let cell = inland[draw.below(inland.len() as u32) as usize];
        let (face, row, col) = study.grid.shape().split(cell);
        let (row, col) = (row * side + draw.below(side), col * side + draw.below(side));
        let site = Part { level, face, row, col };
        all.extend(ground_m2(site).map(|ground_m2| waters(site).area_m2 / ground_m2));
    }
    all
}

/// Measured: 2.5, 7.0, 2.3 and 12.4 % are off by more than a factor of two, and quartiles lie between 0.73 and 1.03. Where a river that
/// nothing runs into begins at its exit, 4.2, 8.7, 4.7 and 12.8 %, and 0.70 to 1.00; where all sites of a basin share in what its area and
/// its ground differ by, 7 to 21 %, and 0.64 to 1.30.
#[test]
#[ignore = "slow"]
fn rivers_have_the_area_that_drains_to_them() {
    for (name, study, most_off) in [("small", small(), 0.09), ("rugged", rugged(), 0.13)] {
        for level in [2, 6].map(Level) {
            let mut all = claims(study, level);
            let off =
                all.iter().filter(|claim| !(0.5..2.0).contains(*claim)).count() as f64 / all.len() as f64;
            let quartiles = (quantile(&mut all, 0.25), quantile(&mut all, 0.75));
            println!("{name}, {level:?}: {} sites, {off:.3} off, quartiles {quartiles:.2?}", all.len());
            assert!(all.len() > 400, "{}", all.len());
            assert!(off < if level == Level(2) { 0.04 } else { most_off }, "{name}, {level:?}: {off}");
            assert!(quartiles.0 > 0.7 && quartiles.1 < 1.1, "{name}, {level:?}: {quartiles:?}");
        }
    }
}

/// Sites whose water would stand far over their land are tables as high as the river they drain to: flat, and as large as cells.
/// Measured: 0.01 and 0.07 % of sites. Where nothing is paid for joining a trunk above the land, and rivers leave cells at any
/// height between those of both, 2.0 and 1.3 %.
#[test]
fn water_hardly_ever_stands_over_the_land() {
    const OVER_M: f32 = 10.0;
    const MOST: f64 = 0.002;
    let level = Level(4);
    for (name, study) in [("small", small()), ("island", island())] {
        let world = study.world;
        let is_dry = |c: Cell| world.continentality[c] > 0.0 && world.lake[c] == NO_LAKE;
        let inland: Vec<Cell> =
            study.grid.cells().filter(|&c| study.grid.halo(c, 2).into_iter().all(is_dry)).collect();
        let drainage = study.drainage(level);
        let (spots, waters) = (drainage.spots(level), drainage.waters(level));
        let (mut all, mut over) = (0, 0);
        for &cell in inland.iter().step_by(inland.len().div_ceil(60)) {
            for site in study.parts(&[study.block(level, cell)]) {
                all += 1;
                over += usize::from(waters(site).surface_m as f32 > spots(site).top_m + OVER_M);
            }
        }
        let share = over as f64 / all as f64;
        println!("{name}: water stands over the land at {over} of {all} sites, {share:.5}");
        assert!(all > 5_000 && share < MOST, "{name}: {over} of {all}");
    }
}
