//! Rivers come down to the sea where that begins, not only where the world's cells end.

use super::support::*;
use grid::{Cell, Grid, Level, Part};

/// The parts of a cell at a level.
fn parts_of(study: &Study, cell: Cell, level: Level) -> impl Iterator<Item = Part> {
    let (face, row, col) = study.grid.shape().split(cell);
    let side = 1 << level.0;
    (0..side * side).map(move |k| Part {
        level,
        face,
        row: (row << level.0) + k / side,
        col: (col << level.0) + k % side,
    })
}

/// Of the trunks' sites that the sea covers, in the cells in which rivers end, few stand over it: exits alone, which are as high at
/// every level as at the one above.
#[test]
fn rivers_are_level_from_the_shore_on() {
    let (mut all, mut high) = (0, 0);
    for study in studies() {
        let land = |c: Cell| study.world.continentality[c] > 0.0;
        let is_mouth = |c: &Cell| land(*c) && study.world.receiver_of(*c).is_some_and(|r| !land(r));
        let seas = study.grid.cells().filter(is_mouth).filter_map(|c| study.world.receiver_of(c)).step_by(7);
        for sea in seas.take(40) {
            for level in (1..=4).map(Level) {
                let drainage = study.drainage(level);
                let (spots, waters) = (drainage.spots(level), drainage.waters(level));
                for part in parts_of(study, sea, level) {
                    let spot = spots(part);
                    if spot.sea && spot.trunk {
                        all += 1;
                        high += usize::from(waters(part).surface_m > 1.0);
                    }
                }
            }
        }
    }
    assert!(all > 1000, "{all} sites");
    assert!(high * 100 < all * 3, "{high} of {all} stand over the sea");
}
