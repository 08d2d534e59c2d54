//! Floodplains: beside great rivers in low land the ground is nearly level.

use super::great::{course, greatest, within};
use super::support::*;
use crate::drainage::levels::blocks_near;
use grid::{Cell, Grid, Level, math};
use std::ops::Range;

/// Distances from a river in its widths: on its plain, and well beyond it.
const ON: Range<f64> = 2.0..4.0;
const BEYOND: Range<f64> = 18.0..24.0;
/// Where tops stand no higher over a river than this land is low, in metres.
const LOW_M: f64 = 30.0;
/// Lower land is a plain of itself, in metres.
const HIGH_M: f64 = 5.0;
/// Rivers of this discharge are looked at, in m3/s.
const LEAST_M3_S: f64 = 30.0;
/// So far around a place is looked, in sites.
const RINGS: u32 = 24;

/// Gradients of hillslopes at the sites of low land on the plain of the river of a cell, and beyond it, at a level.
fn beside(study: &'static Study, cell: Cell, level: Level) -> [Vec<f64>; 2] {
    let drainage = study.drainage(level);
    let from = within(study, &drainage, cell, level);
    let river = course(study, &drainage, from);
    let (spots, waters) = (drainage.spots(level), drainage.waters(level));
    let width_m = f64::from(spots(from).width_m);
    let mut all = [Vec::new(), Vec::new()];
    for part in study.parts(&blocks_near(study.grid, &[from], RINGS)) {
        let spot = spots(part);
        let off = river.iter().map(|(on, at)| (at.distance(spot.at), *on));
        let Some((off_m, on)) = off.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        let river_m = waters(on).surface_m;
        if spot.sea || !(HIGH_M..LOW_M).contains(&(f64::from(spot.top_m) - river_m)) {
            continue;
        }
        for (found, _) in
            all.iter_mut().zip([ON, BEYOND]).filter(|(_, range)| range.contains(&(off_m / width_m)))
        {
            found.push(spot.rise.into());
        }
    }
    all
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
                let width_m = world::channel_width_m(study.world.discharge_m3_s[cell]);
                let level = math::log2(study.grid.cell_m() / width_m).round() as u8 + deeper;
                for (all, own) in all.iter_mut().zip(beside(study, cell, Level(level))) {
                    all.extend(own);
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
