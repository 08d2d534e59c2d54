//! Pieces: what is planned together is planned as each square alone.

use super::support::*;
use crate::drainage::block::Rect;
use crate::drainage::plan::{Plan, RINGS};
use grid::{Level, Part};

/// Some squares of the blocks that a view knows.
fn squares(view: &View, number: usize) -> impl Iterator<Item = Rect> {
    let size = view.study.grid.part_rows_cols(view.level);
    let all = view.known.iter().flat_map(move |block| block.rect(view.study.grid).squares(size));
    all.skip(number % 5).step_by(7)
}

fn text(plan: &Plan) -> String {
    format!("{:?} {:?}", plan.spots, plan.basin_parts)
}

/// A square is planned in a large piece as it is alone with all that can matter around it, bit for bit, at borders and
/// corners of the cube too; and in a small one wherever that is settled.
#[test]
fn pieces_agree_with_squares_alone() {
    let (mut all, mut odd, mut settled) = (0, 0, [0; 3]);
    for (k, view) in views().iter().enumerate() {
        let View { study, level, ref name, ref drainage, .. } = *view;
        let alone = study.drainage(level);
        let (spots, parts) = (drainage.spots(level), drainage.planned_parts());
        for square in squares(view, k) {
            let plan = alone.plan_alone(level, square);
            let parents = square.parents().parts(Level(level.0 - 1));
            let among = Plan {
                spots: square.parts(level).map(&spots).collect(),
                basin_parts: parents.map(&parts).collect(),
            };
            assert_eq!(text(&among), text(&plan), "{name} {square:?}");
            for (settled, rings) in settled.iter_mut().zip(1..) {
                if let Some(small) = alone.settled(level, square, rings) {
                    assert_eq!(text(&small), text(&plan), "{name} {square:?}, {rings} rings");
                    *settled += 1;
                }
            }
            all += 1;
            let is_odd = |p: Part| study.neighbours(p).any(|n| n.face != p.face);
            odd += usize::from(square.parts(level).any(is_odd));
        }
    }
    println!("{settled:?} of {all} squares are settled from 1, 2 and 3 rings");
    assert!(all > 1_000 && odd > 20, "{all} {odd}");
    // fewer rings leave more open, and those that are looked at hardly any
    assert!(settled[0] < settled[1] && settled[1] > 300 && settled[1] < settled[2], "{settled:?}");
    assert!(settled[RINGS as usize - 1] * 100 > all * 97, "{settled:?} of {all}");
}
