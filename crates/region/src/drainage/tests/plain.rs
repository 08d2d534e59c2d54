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
/// So far around a place is looked, in sites.
const RINGS: u32 = 24;

/// Sites of low land at some distance from a river.
#[derive(Default)]
struct Beside {
    /// How high their water runs over that of the river, in metres.
    over_m: Vec<f64>,
    /// The gradient of their hillslopes.
    rise: Vec<f64>,
}

/// The low land on the plain of the river of a cell, and beyond it, at a level.
fn beside(study: &'static Study, cell: Cell, level: Level) -> [Beside; 2] {
    let drainage = study.drainage(level);
    let from = within(study, &drainage, cell, level);
    let river = course(study, &drainage, from);
    let (spots, waters) = (drainage.spots(level), drainage.waters(level));
    let width_m = f64::from(spots(from).width_m);
    let mut all = [Beside::default(), Beside::default()];
    for part in study.parts(&blocks_near(study.grid, &[from], RINGS)) {
        let spot = spots(part);
        let off = river.iter().map(|(on, at)| (at.distance(spot.at), *on));
        let Some((off_m, on)) = off.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        let river_m = waters(on).surface_m;
        if spot.sea || f64::from(spot.top_m) - river_m > LOW_M {
            continue;
        }
        for (found, _) in
            all.iter_mut().zip([ON, BEYOND]).filter(|(_, range)| range.contains(&(off_m / width_m)))
        {
            found.over_m.push(waters(part).surface_m - river_m);
            found.rise.push(spot.rise.into());
        }
    }
    all
}

/// Measured on plains: hillslopes of 0.003 in the median, and nine sites in ten within 10.2 and 6.6 m of the river; beyond them
/// hillslopes of 0.04. Without floodplains 0.05 everywhere, and 11.8 and 15.2 m.
#[test]
fn great_rivers_have_floodplains() {
    for (deeper, most_m) in [(1, 11.0), (3, 9.0)] {
        let mut all = [Beside::default(), Beside::default()];
        for study in studies() {
            for cell in greatest(study, 12) {
                let width_m = world::channel_width_m(study.world.discharge_m3_s[cell]);
                let level = math::log2(study.grid.cell_m() / width_m).round() as u8 + deeper;
                for (all, own) in all.iter_mut().zip(beside(study, cell, Level(level))) {
                    all.over_m.extend(own.over_m);
                    all.rise.extend(own.rise);
                }
            }
        }
        let [on, beyond] = &mut all;
        println!("{} sites of plains, {} beyond, {deeper} levels deeper", on.rise.len(), beyond.rise.len());
        let (rise, over_m) = (quantile(&mut on.rise, 0.5), quantile(&mut on.over_m, 0.9));
        println!("hillslopes of {rise:.4}, {over_m:.1} m over the river");
        assert!(on.rise.len() > 500 && rise < 0.01 && over_m < most_m, "{rise} {over_m}");
        // so deep the sites beyond lie too far off to be looked at
        if deeper < 2 {
            let rise = quantile(&mut beyond.rise, 0.5);
            println!("hillslopes of {rise:.4} beyond");
            assert!(beyond.rise.len() > 500 && rise > 0.02, "{rise}");
        }
    }
}
