//! Runoff: what runs off a cell is spread over it as the cells beside ask for.

use super::support::*;
use grid::{Cell, Direction, Grid, Level, Part};
use world::NO_LAKE;

/// Level of sites that are looked at: 8 rows and columns of a cell.
const LEVEL: Level = Level(3);
const SIDE: u32 = 1 << LEVEL.0;

/// What runs off a cell's own sites in the two rows nearest to one of its sides, over their area, beside the same of the two
/// rows farthest from it; none where hardly any of them drain to a trunk.
fn near_over_far(study: &'static Study, drainage: &Drained, cell: Cell, side: Direction) -> Option<f64> {
    let (face, row, col) = study.grid.shape().split(cell);
    let waters = drainage.waters(LEVEL);
    let (mut near, mut far) = ((0.0, 0.0), (0.0, 0.0));
    for (r, c) in (0..SIDE).flat_map(|r| (0..SIDE).map(move |c| (r, c))) {
        let from_side = match side.offset() {
            (-1, _) => r,
            (1, _) => SIDE - 1 - r,
            (_, -1) => c,
            _ => SIDE - 1 - c,
        };
        let water = waters(Part { level: LEVEL, face, row: row * SIDE + r, col: col * SIDE + c });
        let sum = if from_side < 2 { &mut near } else { &mut far };
        if from_side < 2 || from_side + 2 >= SIDE {
            *sum = (sum.0 + water.own_runoff_m3_s, sum.1 + water.own_area_m2);
        }
    }
    (near.1 > 0.0 && far.1 > 0.0 && far.0 > 0.0).then(|| near.0 / near.1 / (far.0 / far.1))
}

/// Towards a dry cell brooks grow rarer; where cells are alike they do not. Measured, medians: 0.10 beside dry cells and 1.01
/// between equal ones; 0.55 and 1.00 if runoff is shared by area alone.
#[test]
fn runoff_fades_towards_dry_cells() {
    let study = small();
    let world = study.world;
    let drained = study.drainage(LEVEL);
    let (mut dry, mut even) = (Vec::new(), Vec::new());
    for cell in study.grid.cells() {
        let is_land = |c: Cell| world.continentality[c] > 0.0 && world.lake[c] == NO_LAKE;
        let own = world.runoff_m3_s[cell];
        if !is_land(cell) || own < 1.0 {
            continue;
        }
        for side in Direction::SIDES {
            let beside = |d: Direction| study.grid.neighbor(cell, d).filter(|&n| is_land(n));
            let Some((n, m)) = beside(side).zip(beside(side.opposite())) else { continue };
            let (there, behind) = (world.runoff_m3_s[n], world.runoff_m3_s[m]);
            let is_like = |other: f64| (other / own - 1.0).abs() < 0.05;
            if there < 0.01 * own && behind > 0.5 * own && dry.len() < 40 {
                dry.extend(near_over_far(study, &drained, cell, side));
            } else if is_like(there) && is_like(behind) && even.len() < 40 {
                even.extend(near_over_far(study, &drained, cell, side));
            }
        }
    }
    let pairs = (dry.len(), even.len());
    let (dry, even) = (quantile(&mut dry, 0.5), quantile(&mut even, 0.5));
    println!("{pairs:?} pairs: {dry:.2} beside dry cells, {even:.2} between equal ones");
    assert!(pairs.0 >= 20 && pairs.1 >= 20, "{pairs:?}");
    assert!(dry < 0.3 && (0.8..1.25).contains(&even), "{dry} {even}");
}
