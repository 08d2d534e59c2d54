//! Pieces: what is planned or drawn together is as each square alone.

use super::support::*;
use crate::bend::Bend;
use crate::drainage::ahead;
use crate::drainage::channels::{Channels, Link, Show, channels};
use crate::drainage::plan::{Plan, RINGS};
use crate::envelope::Channel;
use grid::{Grid, Level, Part, Purpose, Seed};
use std::collections::BTreeMap;

/// Some parents of the sites of a view's blocks.
fn parents(view: &View, number: usize) -> impl Iterator<Item = Part> {
    let above = Level(view.level.0 - 1);
    let all = view.known.iter().flat_map(move |block| block.rect(view.study.grid).parents().parts(above));
    all.skip(number % 5).step_by(23)
}

/// The children of a parent are planned in a large piece as they are alone with all that can matter around them, bit for bit, at
/// borders and corners of the cube too; and in a small one wherever that is settled.
#[test]
fn pieces_agree_with_parents_alone() {
    let (mut all, mut odd, mut settled) = (0, 0, [0; 3]);
    for (k, view) in views().iter().enumerate() {
        let View { study, level, ref name, ref drainage, .. } = *view;
        let alone = study.drainage(level);
        let (spots, parts) = (drainage.spots(level), drainage.planned_parts());
        for parent in parents(view, k) {
            let text = |plan: &Plan| format!("{plan:?}");
            let plan = text(&alone.plan_alone(parent));
            let among = Plan { spots: parent.children().map(&spots), basin_parts: parts(parent) };
            assert_eq!(text(&among), plan, "{name} {parent:?}");
            for (settled, rings) in settled.iter_mut().zip(1..) {
                for (near, small) in alone.settled(parent, rings) {
                    let is_own = near == parent;
                    let whole = if is_own { plan.clone() } else { text(&alone.plan_alone(near)) };
                    assert_eq!(text(&small), whole, "{name} {near:?}, {rings} rings around {parent:?}");
                    *settled += usize::from(is_own);
                }
            }
            all += 1;
            let is_odd = |p: Part| study.neighbours(p).any(|n| n.face != p.face);
            odd += usize::from(parent.children().into_iter().any(is_odd));
        }
    }
    println!("{settled:?} of {all} parents are settled from 1, 2 and 3 rings");
    assert!(all > 1_000 && odd > 20, "{all} {odd}");
    // fewer rings leave more open, and those that are looked at hardly any
    assert!(settled[0] < settled[1] && settled[1] > 300 && settled[1] < settled[2], "{settled:?}");
    assert!(settled[RINGS as usize - 1] * 100 > all * 97, "{settled:?} of {all}");
}

/// Each link of some channels with its pieces, whatever it is counted as.
fn links(of: &Channels) -> Vec<(Link, Vec<Channel>)> {
    let pieces = |id: usize| of.channels.iter().filter(move |c| c.id as usize == id);
    let own = |(id, link): (usize, &Link)| (*link, pieces(id).map(|c| Channel { id: 0, ..*c }).collect());
    of.links.iter().enumerate().map(own).collect()
}

/// Channels of squares that are drawn together are those of each square alone, bit for bit: at borders and corners of the cube,
/// and where rivers are so wide that they are smoothed from far.
#[test]
fn squares_are_drawn_together_as_alone() {
    let (mut squares, mut together, mut wide, mut odd) = (0, 0, 0, 0);
    for (k, view) in views().iter().enumerate() {
        let View { study, level, ref name, cell, ref drainage, .. } = *view;
        let seed = Seed(study.world.recipe.seed);
        let bend = Bend::broad(study.grid, seed);
        let size_m = level.size(study.grid.cell_m());
        let show = Show {
            grid: study.grid,
            bend: &bend,
            courses: seed.key(Purpose::new("test")),
            divisions: &[],
            funnels: &[],
            spacing_m: size_m / 4.0,
        };
        let drawn = study.squares(&study.blocks(level, cell, if k % 2 == 0 { 1 } else { 17 }));
        for piece in ahead::drawn_together(&drawn) {
            together = together.max(piece.len());
            let among: Vec<_> = channels(drainage, (level, &piece), &show);
            let among: BTreeMap<Part, String> = among
                .iter()
                .flat_map(|(_, of)| links(of))
                .map(|own| (own.0.from, format!("{own:?}")))
                .collect();
            for square in piece.iter().skip(k % 3).step_by(3) {
                for (_, alone) in channels(drainage, (level, &[*square]), &show) {
                    for own in links(&alone) {
                        assert_eq!(among[&own.0.from], format!("{own:?}"), "{name} {square:?}");
                    }
                    wide += alone.channels.iter().filter(|c| c.half_width_m.0 > 0.1 * size_m).count();
                }
                squares += 1;
                let borders = |p: Part| study.neighbours(p).any(|n| n.face != p.face);
                odd += usize::from(square.parts(level).any(borders));
            }
        }
    }
    println!(
        "{squares} squares, up to {together} together, {wide} pieces of wide rivers, {odd} squares at edges"
    );
    assert!(squares > 800 && together >= 144 && wide > 500 && odd > 30, "{squares} {together} {wide} {odd}");
}

/// No square is lost or drawn twice.
#[test]
fn squares_are_drawn_once() {
    let study = small();
    for (number, cell) in study.some_land(40, 5).into_iter().enumerate() {
        let level = Level((number % 7 + 1) as u8);
        let mut squares = study.squares(&study.blocks(level, cell, 20 + number as u32));
        let mut draw = draws(number as u32);
        squares.retain(|_| draw.unit() < 0.8);
        let mut drawn = ahead::drawn_together(&squares).concat();
        drawn.sort_unstable();
        squares.sort_unstable();
        assert_eq!(drawn, squares);
    }
}
