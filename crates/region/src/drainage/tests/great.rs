//! Great rivers: where they are wide for the spacing of sites they run smoothly.

use super::support::*;
use grid::{Cell, Grid, Level, Part, Vec3};
use world::NO_LAKE;

/// Sites down a river from one on, as far as it is a great one.
fn course(study: &'static Study, drainage: &Drained, from: Part) -> Vec<Vec3> {
    let spots = drainage.spots(from.level);
    let size_m = from.level.size(study.grid.cell_m());
    let mut places = Vec::new();
    let mut at = Some(from);
    while let Some(part) = at.filter(|_| places.len() < 60) {
        let spot = spots(part);
        if f64::from(spot.width_m) < 0.3 * size_m || spot.sea {
            break;
        }
        places.push(spot.at);
        at = study.receiver(part, &spot);
    }
    places
}

/// How much longer a way is than the straight one, over six links. Measured: 1.09 in the mean; 1.48 if great rivers ran as
/// small ones do, 1.12 if none left the discs of its sites.
fn detours(places: &[Vec3]) -> impl Iterator<Item = f64> {
    let way = |p: &[Vec3]| p.windows(2).map(|p| p[0].distance(p[1])).sum::<f64>();
    places.windows(7).map(move |p| way(p) / p[0].distance(p[6]).max(1.0))
}

/// The child at a level that the river of a cell runs through.
fn within(study: &'static Study, drainage: &Drained, cell: Cell, level: Level) -> Part {
    let (face, row, col) = study.grid.shape().split(cell);
    let mut part = Part { level: Level(0), face, row, col };
    while part.level < level {
        let spots = drainage.spots(Level(part.level.0 + 1));
        let wider = |a: &Part, b: &Part| spots(*a).width_m.total_cmp(&spots(*b).width_m);
        part = part.children().into_iter().max_by(wider).expect("four children");
    }
    part
}

#[test]
fn great_rivers_run_smoothly() {
    let (mut all, mut worst) = (Vec::new(), 0.0f64);
    for study in studies() {
        let world = study.world;
        let inland = |c: &Cell| world.continentality[*c] > 0.0 && world.lake[*c] == NO_LAKE;
        let mut cells: Vec<Cell> = study.grid.cells().filter(inland).collect();
        cells.sort_by(|a, b| world.discharge_m3_s[*b].total_cmp(&world.discharge_m3_s[*a]));
        for (k, cell) in (0u8..).zip(cells.into_iter().step_by(3).take(16)) {
            let level = Level(5 + k % 4);
            let drainage = study.drainage(level);
            let own: Vec<f64> =
                detours(&course(study, &drainage, within(study, &drainage, cell, level))).collect();
            worst = own.iter().copied().fold(worst, f64::max);
            all.extend(own);
        }
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    println!("{} stretches, {mean:.3} times the straight way in the mean, {worst:.2} at the most", all.len());
    assert!(all.len() > 300, "{}", all.len());
    assert!(mean < 1.105 && worst < 3.0, "{mean} {worst}");
}
