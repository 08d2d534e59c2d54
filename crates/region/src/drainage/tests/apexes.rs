//! Rivers are led to the apexes of their deltas.

use super::support::*;
use crate::drainage::great;
use grid::{Grid, Level, Part};

/// At every level the river comes by its apex within a part, as long as it does not keep a course of its own.
#[test]
fn rivers_pass_by_their_apexes() {
    let (mut links, mut far) = (0, 0.0f64);
    for study in studies() {
        for apex in study.apexes().iter().take(20) {
            let (cell, sea) = apex.cells;
            let (face, row, col) = study.grid.shape().split(cell);
            for level in (1..=5).map(Level) {
                let (drainage, size_m) = (study.drainage(level), level.size(study.grid.cell_m()));
                let spots = drainage.spots(level);
                let side = 1 << level.0;
                let parts = (0..side * side).map(|k| Part {
                    level,
                    face,
                    row: (row << level.0) + k / side,
                    col: (col << level.0) + k % side,
                });
                for part in parts {
                    let spot = spots(part);
                    let to = study.receiver(part, &spot).filter(|to| study.grid.cell_of(*to) == sea);
                    let Some(to) = to.filter(|_| spot.trunk && spot.width_m > 0.0) else { continue };
                    if great::greatness(spot.width_m, size_m) < 0.5 {
                        let middle = (spot.at + spots(to).at) * 0.5;
                        links += 1;
                        far = far.max(middle.distance(apex.at) / size_m);
                    }
                }
            }
        }
    }
    assert!(links > 100, "{links} links");
    assert!(far < 1.0, "a river leaves its last cell {far} parts from the apex");
}
