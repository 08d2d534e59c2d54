//! Floodplains: beside great rivers in low land the ground is nearly level.

use super::great::{course, greatest, within};
use super::support::*;
use crate::drainage::levels::blocks_near;
use grid::{Cell, Grid, Level, math};
use std::ops::Range;

/// Distances from a river in its widths: on its plain, and well beyond it.
const ON: Range<f64> = 2.0..4.0;
const BEYOND: Range<f64> = 18.0..24.0;
/// Beside its banks.
const NEAR: Range<f64> = 0.75..2.0;
/// Tops of land in which rivers could cut trenches, over the river, in metres.
const HILLY_M: Range<f64> = 30.0..90.0;
/// Where tops stand no higher over a river than this land is low, in metres.
const LOW_M: f64 = 30.0;
/// Lower land is a plain of itself, in metres.
const HIGH_M: f64 = 5.0;
/// Rivers of this discharge are looked at, in m3/s.
const LEAST_M3_S: f64 = 30.0;
/// So far around a place is looked, in sites.
const RINGS: u32 = 24;

/// A site of land beside a river.
struct Site {
    /// How far it lies off, in widths of the river.
    off: f64,
    /// How high its tops, and its water, stand over the river, in metres.
    top_m: f64,
    water_m: f64,
    rise: f64,
}

/// The sites of a level beside the river of a cell.
fn beside(study: &'static Study, cell: Cell, level: Level) -> Vec<Site> {
    let drainage = study.drainage(level);
    let from = within(study, &drainage, cell, level);
    let river = course(study, &drainage, from);
    let (spots, waters) = (drainage.spots(level), drainage.waters(level));
    let width_m = f64::from(spots(from).width_m);
    let site = |part| {
        let spot = spots(part);
        let off = river.iter().map(|(on, at)| (at.distance(spot.at), *on));
        let (off_m, on) = off.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|_| !spot.sea)?;
        let river_m = waters(on).surface_m;
        Some(Site {
            off: off_m / width_m,
            top_m: f64::from(spot.top_m) - river_m,
            water_m: waters(part).surface_m - river_m,
            rise: spot.rise.into(),
        })
    };
    study.parts(&blocks_near(study.grid, &[from], RINGS)).into_iter().filter_map(site).collect()
}

/// The level so many deeper than that at which sites lie about as far apart as the river of a cell is wide.
fn level(study: &Study, cell: Cell, deeper: u8) -> Level {
    let width_m = world::channel_width_m(study.world.discharge_m3_s[cell]);
    Level(math::log2(study.grid.cell_m() / width_m).round() as u8 + deeper)
}

/// Whether a cell's river is one of these, and falls by no more to the next cell than land is low: others cut valleys.
fn is_gentle(study: &Study, cell: Cell) -> bool {
    let world = study.world;
    let level_m = |c: Cell| f64::from(world.water_level_m[c]).max(0.0);
    let gentle = world.receiver_of(cell).is_none_or(|to| level_m(cell) - level_m(to) < LOW_M);
    world.discharge_m3_s[cell] >= LEAST_M3_S && gentle
}

/// Measured: hillslopes of 0.003 in the median on plains, and of 0.044 beyond them; without floodplains 0.043 and 0.062.
#[test]
#[ignore = "slow"]
fn great_rivers_have_floodplains() {
    for (deeper, rivers) in [(1, 160), (3, 50)] {
        let mut all = [Vec::new(), Vec::new()];
        for study in studies() {
            for cell in greatest(study, rivers).filter(|&cell| is_gentle(study, cell)) {
                let sites = beside(study, cell, level(study, cell, deeper));
                for site in sites.into_iter().filter(|site| (HIGH_M..LOW_M).contains(&site.top_m)) {
                    let of_range =
                        all.iter_mut().zip([ON, BEYOND]).filter(|(_, range)| range.contains(&site.off));
                    of_range.for_each(|(found, _)| found.push(site.rise));
                }
            }
        }
        let [on, beyond] = &mut all;
        println!("{} sites of plains, {} beyond, {deeper} levels deeper", on.len(), beyond.len());
        let rise = quantile(on, 0.5);
        println!("hillslopes of {rise:.4}");
        assert!(on.len() > 1000 && rise < 0.01, "{rise}");
        // so deep the sites beyond lie too far off to be looked at
        if deeper < 2 {
            let rise = quantile(beyond, 0.5);
            println!("hillslopes of {rise:.4} beyond");
            assert!(beyond.len() > 1000 && rise > 0.02, "{rise}");
        }
    }
}

/// Great rivers run on their plains, not in trenches: beside them, where tops stand 30 to 90 m over the river, water stands little over it, and
/// farther off it does.
#[test]
fn great_rivers_run_in_no_trenches() {
    let mut all = [Vec::new(), Vec::new()];
    for study in studies() {
        for cell in greatest(study, 40).filter(|&cell| is_gentle(study, cell)) {
            let sites = beside(study, cell, level(study, cell, 1));
            for site in sites.into_iter().filter(|site| HILLY_M.contains(&site.top_m)) {
                let of_range =
                    all.iter_mut().zip([NEAR, BEYOND]).filter(|(_, range)| range.contains(&site.off));
                of_range.for_each(|(found, _)| found.push(site.water_m));
            }
        }
    }
    let [near_m, beyond_m] = all.map(|mut all| (all.len(), quantile(&mut all, 0.5)));
    println!("water over the river, in metres: {near_m:?} near, {beyond_m:?} beyond");
    assert!(near_m.0 > 200 && near_m.1 < 8.0, "{near_m:?}");
    assert!(beyond_m.0 > 200 && beyond_m.1 > 15.0, "{beyond_m:?}");
}
