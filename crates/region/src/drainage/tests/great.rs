//! Great rivers: where they are wide for the spacing of sites they run smoothly.

use super::support::*;
use crate::drainage::plan::Spot;
use grid::{Cell, Grid, Level, Part, Vec3};
use world::NO_LAKE;

/// Parts and sites down a river from one on, as far as it is a great one.
pub fn course(study: &'static Study, drainage: &Drained, from: Part) -> Vec<(Part, Vec3)> {
    let size_m = from.level.size(study.grid.cell_m());
    downstream(study, drainage, (from, 60), |spot| f64::from(spot.width_m) >= 0.5 * size_m)
}

/// Parts and sites down a river from one on, so many at most, to the sea or to where it is no more such a river.
fn downstream(
    study: &'static Study,
    drainage: &Drained,
    (from, most): (Part, usize),
    is_such: impl Fn(&Spot) -> bool,
) -> Vec<(Part, Vec3)> {
    let spots = drainage.spots(from.level);
    let mut places = Vec::new();
    let mut at = Some(from);
    while let Some(part) = at.filter(|_| places.len() < most) {
        let spot = spots(part);
        if spot.sea || !is_such(&spot) {
            break;
        }
        places.push((part, spot.at));
        at = study.receiver(part, &spot);
    }
    places
}

/// How much longer a way is than the straight one, over so many links.
fn detours(places: &[Vec3], links: usize) -> impl Iterator<Item = f64> {
    let way = |p: &[Vec3]| p.windows(2).map(|p| p[0].distance(p[1])).sum::<f64>();
    places.windows(links + 1).map(move |p| way(p) / p[0].distance(p[links]).max(1.0))
}

/// The child at a level that the river of a cell runs through.
pub fn within(study: &'static Study, drainage: &Drained, cell: Cell, level: Level) -> Part {
    let (face, row, col) = study.grid.shape().split(cell);
    let mut part = Part { level: Level(0), face, row, col };
    while part.level < level {
        let spots = drainage.spots(Level(part.level.0 + 1));
        let wider = |a: &Part, b: &Part| spots(*a).width_m.total_cmp(&spots(*b).width_m);
        part = part.children().into_iter().max_by(wider).expect("four children");
    }
    part
}

/// The cosines of the angles by which a way turns from so many links to the next so many.
fn turns(places: &[Vec3], links: usize) -> impl Iterator<Item = f64> {
    places
        .windows(2 * links + 1)
        .map(move |p| (p[links] - p[0]).normalized().dot((p[2 * links] - p[links]).normalized()))
}

/// Cells of a world that much water runs through, spread over its greatest rivers.
pub fn greatest(study: &Study, count: usize) -> impl Iterator<Item = Cell> {
    let world = study.world;
    let inland = |c: &Cell| world.continentality[*c] > 0.0 && world.lake[*c] == NO_LAKE;
    let mut cells: Vec<Cell> = study.grid.cells().filter(inland).collect();
    cells.sort_by(|a, b| world.discharge_m3_s[*b].total_cmp(&world.discharge_m3_s[*a]));
    cells.into_iter().step_by(3).take(count)
}

/// Ways between sites are little longer than the straight one over six links, so rivers run smoothly; over 25 of their widths
/// they are longer, so rivers bend. Measured: 1.09 in the mean, and 1.19; 1.48 over six links if great rivers ran as small ones
/// do; 1.14 over 25 widths if they were smooth as soon as they are a third as wide.
#[test]
fn great_rivers_run_smoothly_and_bend() {
    let (mut short, mut long, mut corners) = (Vec::new(), Vec::new(), Vec::new());
    for study in studies() {
        for (k, cell) in (0u8..).zip(greatest(study, 32)) {
            let level = Level(5 + k % 4);
            let drainage = study.drainage(level);
            let from = within(study, &drainage, cell, level);
            let widths = f64::from(drainage.spots(level)(from).width_m) / level.size(study.grid.cell_m());
            let places: Vec<Vec3> = course(study, &drainage, from).into_iter().map(|(_, at)| at).collect();
            short.extend(detours(&places, 6));
            long.extend(detours(&places, (25.0 * widths).ceil() as usize));
            corners.extend(turns(&places, (5.0 * widths).ceil() as usize));
        }
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let worst = short.iter().copied().fold(0.0, f64::max);
    let (smooth, bends) = (mean(&short), mean(&long));
    println!(
        "{} stretches {smooth:.3} times the straight way in the mean, {worst:.2} at the most",
        short.len()
    );
    let beyond = |cosine: f64| corners.iter().filter(|&&c| c < cosine).count() as f64 / corners.len() as f64;
    let (bent, sharp) = (beyond(0.5), beyond(0.0));
    println!("{} turns over 5 widths, {bent:.4} above 60 degrees, {sharp:.4} above 90", corners.len());
    println!("{} of 25 widths {bends:.3} times", long.len());
    assert!(short.len() > 1000 && long.len() > 1000, "{} {}", short.len(), long.len());
    assert!(smooth < 1.105 && worst < 3.0, "{smooth} {worst}");
    assert!((1.165..1.5).contains(&bends), "{bends}");
}

/// Where ways from cell to cell turn by right angles, rivers a twentieth as wide as cells do not, but cut the corners. Measured from four
/// links of an eighth of a cell to the next four: 10 % of turns are above 60 degrees; 13.4 % where rivers leave cells in the direction
/// from one to the next.
#[test]
fn rivers_cut_the_corners_of_cells() {
    let level = Level(3);
    let study = rugged().wetter(150.0);
    let drainage = study.drainage(level);
    let mut cosines = Vec::new();
    for cell in greatest(study, 180) {
        let from = within(study, &drainage, cell, level);
        let places: Vec<Vec3> =
            downstream(study, &drainage, (from, 48), |_| true).into_iter().map(|(_, at)| at).collect();
        cosines.extend(turns(&places, 4));
    }
    let beyond = |cosine: f64| cosines.iter().filter(|&&c| c < cosine).count() as f64 / cosines.len() as f64;
    println!("{} turns, {:.4} above 60 degrees", cosines.len(), beyond(0.5));
    assert!(cosines.len() > 1_000, "{}", cosines.len());
    assert!(beyond(0.5) < 0.11, "{}", beyond(0.5));
}
