//! Levels nest: what a parent carries, its children carry on.

use super::support::*;
use crate::drainage::block::Block;
use grid::{Grid, Level, Part, Vec3};
use world::NO_LAKE;

/// Every parent's water leaves by one child: with the same area, discharge and depth, to a child of the parent's receiver, or to
/// nowhere where the parent's goes nowhere. Its surface is the parent's, or lower where it would hang over the parent's
/// receiver: never under that, and over a river that drains 256 sites no higher than hillslopes climb.
#[test]
fn exits_carry_on_what_parents_carry() {
    let (mut exits, mut ends, mut held, mut over_rivers) = (0, 0, 0, 0);
    for View { study, level, name, known: blocks, drainage, .. } in views() {
        let (level, above) = (*level, Level(level.0 - 1));
        let (spots, waters) = (drainage.spots(level), drainage.waters(level));
        let (parents, over) = (drainage.spots(above), drainage.waters(above));
        let mut quads: Vec<Part> = study.parts(blocks).into_iter().map(|p| p.parent()).collect();
        quads.sort_unstable();
        quads.dedup();
        for parent in quads {
            let to = study.receiver(parent, &parents(parent));
            let leaves = |c: &Part| {
                let spot = spots(*c);
                spot.trunk && study.receiver(*c, &spot).is_none_or(|r| r.parent() != parent)
            };
            let out: Vec<Part> = parent.children().into_iter().filter(leaves).collect();
            assert_eq!(out.len(), 1, "{name}: {parent:?} has {} exits", out.len());
            let (exit, from) = (waters(out[0]), over(parent));
            let led = study.receiver(out[0], &spots(out[0])).map(|r| r.parent());
            assert_eq!(led, to, "{name}: {parent:?}");
            let of = |w: &crate::drainage::flow::Water| (w.area_m2, w.discharge_m3_s, w.depth_m, w.order);
            assert_eq!(of(&exit), of(&from), "{name}: {parent:?}");
            let has_lake = study.world.lake[study.grid.cell_of(parent)] != NO_LAKE;
            match to.map(&over) {
                Some(below) if above > Level(0) && !has_lake => {
                    let (least_m, size_m) =
                        (below.surface_m.min(from.surface_m), level.size(study.grid.cell_m()));
                    let within = least_m <= exit.surface_m && exit.surface_m <= from.surface_m;
                    assert!(within, "{name}: {parent:?}: {exit:?} of {from:?} over {below:?}");
                    held += usize::from(exit.surface_m < from.surface_m);
                    if below.area_m2 >= 256.0 * size_m * size_m {
                        let climb_m = 1.1 * f64::from(spots(out[0]).rise).max(0.25) * size_m;
                        let most_m = least_m + climb_m;
                        assert!(
                            exit.surface_m <= most_m + 1e-6,
                            "{name}: {parent:?}: {exit:?} over {below:?}"
                        );
                        over_rivers += 1;
                    }
                }
                _ => assert_eq!(exit.surface_m, from.surface_m, "{name}: {parent:?}"),
            }
            exits += 1;
            ends += usize::from(to.is_none());
        }
    }
    println!("{exits} exits, {held} held, {over_rivers} over rivers");
    assert!(held > 200 && over_rivers > 500, "{held} held, {over_rivers} over rivers");
    assert!(exits > 10_000 && ends > 500 && exits - ends > 5_000, "{exits} exits, {ends} ends");
}

fn distance_to_segment(p: Vec3, (a, b): (Vec3, Vec3)) -> f64 {
    let ab = b - a;
    let t = ((p - a).dot(ab) / ab.dot(ab).max(1e-9)).clamp(0.0, 1.0);
    p.distance(a + ab * t)
}

/// Rivers keep to those of the level above: within one of its spacings, measured from its links.
#[test]
fn rivers_keep_to_those_of_the_level_above() {
    /// Area that makes a river, in parts of the level above.
    const RIVER_PARTS: f64 = 30.0;
    let mut off = Vec::new();
    for View { study, level, known: blocks, drainage, .. } in views().iter().filter(|v| v.level > Level(1)) {
        let (level, above) = (*level, Level(level.0 - 1));
        let (spots, waters, parents) = (drainage.spots(level), drainage.waters(level), drainage.spots(above));
        let over = drainage.waters(above);
        let size_m = above.size(study.grid.cell_m());
        let known: Vec<Block> = blocks
            .iter()
            .map(|b| Block::of(b.rect(study.grid).parts(level).next().expect("parts").parent()))
            .collect();
        for part in study.parts(blocks) {
            let (spot, water) = (spots(part), waters(part));
            if spot.sea || water.area_m2 < RIVER_PARTS * size_m * size_m {
                continue;
            }
            let own = part.parent();
            let near = study.neighbours(own).chain([own]);
            let near = near.filter(|p| known.contains(&Block::of(*p)));
            let rivers = near.filter(|p| over(*p).area_m2 >= 0.5 * RIVER_PARTS * size_m * size_m);
            let links = rivers.map(|p| {
                let spot = parents(p);
                let to = study.receiver(p, &spot).filter(|r| known.contains(&Block::of(*r)));
                (spot.at, to.map_or(spot.at, |r| parents(r).at))
            });
            let least = links.map(|link| distance_to_segment(spot.at, link)).fold(f64::INFINITY, f64::min);
            off.push(least / size_m);
        }
    }
    let (count, median) = (off.len(), quantile(&mut off, 0.5));
    let (p95, most) = (quantile(&mut off, 0.95), quantile(&mut off, 1.0));
    println!("{count} river sites, {median:.3} {p95:.3} {most:.3} coarse spacings off");
    assert!(count > 1_000, "{count}");
    assert!(median < 0.5 && p95 < 0.8 && most <= 1.0, "{median} {p95} {most}");
}
