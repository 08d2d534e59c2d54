//! Deltas: arms that never cross and share what comes in, on land that ends where it should.

use super::*;
use crate::drainage::Apex;
use crate::terrain::delta::{Delta, Piece, ends, radius_m};

/// Deltas of rivers of 30 to 100,000 m3/s in fans of every width.
fn made_up() -> impl Iterator<Item = Delta> {
    (0..400).map(|number| {
        let mut draw = draws(1000 + number);
        let width = draw.range(0.7, 2.5);
        let left = draw.range(-1.25, 1.25 - width);
        let discharge_m3_s = grid::math::pow(10.0, draw.range(1.5, 5.0));
        let count = 2 + draw.below(9) as usize;
        let (cells, depth_m) = ((Cell(0), Cell(1)), world::channel_depth_m(discharge_m3_s));
        let apex = Apex { cells, at: Vec3::default(), discharge_m3_s, surface_m: 5.0, depth_m };
        let fan = (left, left + width);
        let axes = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
        Delta::bare(apex, axes, (15_000.0, 15_000.0)).with_arms(fan, ends(fan, count, &mut draw), &mut draw)
    })
}

/// Twice the area of a triangle on the plane, with its sign.
fn turn(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

fn cross((a, b): (Vec3, Vec3), (c, d): (Vec3, Vec3)) -> bool {
    turn(a, b, c) * turn(a, b, d) < 0.0 && turn(c, d, a) * turn(c, d, b) < 0.0
}

#[test]
fn arms_never_cross() {
    let (mut pieces, mut pairs) = (0, 0);
    for delta in made_up() {
        let arms: Vec<(Vec3, Vec3)> = delta.pieces().iter().map(|piece| (piece.a, piece.b)).collect();
        pieces += arms.len();
        for (k, first) in arms.iter().enumerate() {
            pairs += arms[..k].iter().filter(|second| cross(*first, **second)).count();
        }
    }
    assert!(pieces > 20_000 && pairs == 0, "{pairs} pairs of {pieces} pieces cross");
}

/// Arms leave a division as the arm above came there. Measured: 20.8 degrees at the most from a piece to the next.
#[test]
fn arms_divide_without_a_bend() {
    let (mut divisions, mut most) = (0, 0.0f64);
    for delta in made_up() {
        let pieces = delta.pieces();
        let way = |p: &Piece| (p.b - p.a).normalized();
        for above in pieces {
            for below in pieces.iter().filter(|p| p.a == above.b && p.arm != above.arm) {
                divisions += 1;
                most = most.max(grid::math::acos(way(above).dot(way(below)).min(1.0)).to_degrees());
            }
        }
    }
    println!("{most} degrees at the most, at {divisions} divisions");
    assert!(divisions > 1000 && most < 25.0, "{most} degrees at the most, at {divisions} divisions");
}

/// Through every circle around the apex goes all that arms carry together.
#[test]
fn arms_share_what_comes_in() {
    for delta in made_up() {
        let [first, last] = [0.02, 0.75].map(|share| share * delta.radius_m());
        for step in 0..20 {
            let r = first + (last - first) * f64::from(step) / 19.0;
            let out = |piece: &Piece| match (piece.a.length() < r, piece.b.length() < r) {
                (true, false) => piece.discharge_m3_s,
                (false, true) => -piece.discharge_m3_s,
                _ => 0.0,
            };
            let carried: f64 = delta.pieces().iter().map(out).sum();
            let share = carried / delta.apex.discharge_m3_s;
            assert!((share - 1.0).abs() < 1e-9, "{share} of it at {r} m");
        }
    }
}

/// Deltas of the small planet, each with its terrain and some places around it.
fn each_delta(mut work: impl FnMut(&Terrain, &Delta, &[Vec3])) -> usize {
    let world = planet();
    let waters = world::CellSource::waters(world).expect("in memory");
    let mut count = 0;
    for mouth in waters.mouths.iter().filter(|mouth| mouth.is_delta).take(12) {
        with_terrain(world, (mouth.cell, 4 + RINGS), |terrain| {
            let Some(delta) = terrain.deltas.iter().find(|d| d.apex.cells.0 == mouth.cell) else { return };
            let mut draw = draws(mouth.cell.0);
            let far_m = 2.2 * world.grid.cell_m();
            let near = |_| {
                let off = Vec3::new(draw.range(-1.0, 1.0), draw.range(-1.0, 1.0), draw.range(-1.0, 1.0));
                world.grid.on_surface_m(delta.apex.at + off * far_m)
            };
            let places: Vec<Vec3> = (0..4000).map(near).collect();
            work(terrain, delta, &places);
            count += 1;
        });
    }
    count
}

/// The land of a delta begins at its apex, and nothing is told of it beyond its reach, where balls do not meet it.
#[test]
fn deltas_are_land_and_end() {
    let (mut inside, mut outside, mut on_land) = (0, 0, 0);
    let count = each_delta(|terrain, delta, places| {
        let near = |q: Vec3| terrain.within_bent(ball(q, 100.0), 50.0).shore_at(q);
        assert!(near(delta.apex.at).coast > 0.0, "the sea covers an apex");
        for &q in places {
            let shore = near(q);
            if delta.meets(&ball(q, 1.0)) {
                inside += 1;
                on_land += usize::from(shore.coast > 0.0 && shore.free <= 0.0);
            } else if terrain.deltas.iter().all(|other| !other.meets(&ball(q, 1.0))) {
                outside += 1;
                assert_eq!(shore.broad.to_bits(), shore.free.to_bits());
            }
            // right before its reach it says nothing any more: so no ball matters
            let nearly = delta.meets(&ball(q, 1.0)) && !delta.meets(&ball(q, -0.02 * terrain.cell_m));
            let others = terrain.deltas.iter().filter(|other| other.meets(&ball(q, 1.0))).count();
            assert!(!nearly || others > 1 || shore.broad == shore.free);
        }
    });
    assert!(count >= 4 && inside > 4000 && outside > 4000, "{count} deltas, {inside} and {outside} places");
    assert!(on_land > 100, "{on_land} places of {inside} are new land");
}

/// The water of arms is fresh, a little over the sea, and its bed below; it lies on land.
#[test]
fn arms_are_rivers_on_land() {
    let (mut arms, mut own, mut places) = (0, 0, 0);
    each_delta(|terrain, delta, _| {
        for &Piece { a, b, discharge_m3_s, .. } in delta.pieces() {
            let q = terrain.grid.on_surface_m(delta.off_plane(a.lerp(b, 0.5)));
            let near = terrain.within_bent(ball(q, 100.0), 20.0);
            let sample = near.compose(terrain.bend.unbend(q), &Carved::land(30.0));
            places += 1;
            if sample.discharge_m3_s > 0.0 {
                arms += 1;
                assert!(near.shore_at(q).coast > -1e-3);
                own += usize::from(sample.discharge_m3_s == discharge_m3_s);
                let surface_m = sample.water_surface_m;
                assert!(surface_m > 0.0 && surface_m <= 4.0 && sample.elevation_m < surface_m, "{sample:?}");
            }
        }
    });
    assert!(arms > 100 && own > arms / 2, "{own} and {arms} of {places} places on arms");
}

/// Between arms a brook is taken up, the river itself is not.
#[test]
fn brooks_between_arms_are_taken_up() {
    let (mut brooks, mut rivers, mut places) = (0, 0, 0);
    each_delta(|terrain, delta, _| {
        let river_m3_s = delta.apex.discharge_m3_s;
        let arms: Vec<&[Piece]> = delta.pieces().chunk_by(|a, b| a.arm == b.arm).collect();
        let shares = [0.6, 0.7, 0.8];
        for (pair, share) in arms.windows(2).flat_map(|pair| shares.map(|share| (pair, share))) {
            // on the way to half way between the ends of two arms that follow one another
            let [one, other] = [pair[0], pair[1]].map(|arm| arm[arm.len() - 1].a);
            let p = one.lerp(other, 0.5) * share;
            // arms run on both sides of it, as far from the apex
            let beside = |piece: &&Piece| piece.a.length() <= p.length() && p.length() < piece.b.length();
            let side = |piece: &Piece| turn(Vec3::default(), p, piece.a.lerp(piece.b, 0.5)) > 0.0;
            let sides: Vec<bool> = delta.pieces().iter().filter(beside).map(side).collect();
            if !(sides.contains(&true) && sides.contains(&false)) {
                continue;
            }
            let q = terrain.grid.on_surface_m(delta.off_plane(p));
            let near = terrain.within_bent(ball(q, 100.0), 20.0);
            let with = |discharge_m3_s: f64| {
                let river = Channel { bed_m: -0.5, surface_m: 0.5, discharge_m3_s, order: 1 };
                let carved = Carved { elevation_m: -0.5, foot_m: -0.5, river: Some(river) };
                near.compose(terrain.bend.unbend(q), &carved)
            };
            let arm = near.compose(terrain.bend.unbend(q), &Carved::land(30.0)).discharge_m3_s > 0.0;
            if arm || near.shore_at(q).coast <= 0.01 {
                continue;
            }
            places += 1;
            brooks += usize::from(with(0.01 * river_m3_s).discharge_m3_s > 0.0);
            rivers += usize::from(with(0.5 * river_m3_s).discharge_m3_s > 0.0);
        }
    });
    assert!(places > 10 && brooks == 0, "{brooks} brooks at {places} places");
    assert!(rivers * 2 > places, "{rivers} rivers at {places} places");
}

/// Where two deltas share a plain the arms of one keep to its own side: of 400 pairs of rivers of 30 to 100,000 m3/s, a third of a cell to two apart.
#[test]
fn arms_of_two_deltas_hardly_ever_cross() {
    const CELL_M: f64 = 15_000.0;
    let (mut crossed, mut would_cross) = (0, 0);
    for number in 0..400 {
        let mut draw = draws(5000 + number);
        let mut apex = |cell: u32, at: Vec3| {
            let discharge_m3_s = grid::math::pow(10.0, draw.range(1.5, 5.0));
            let depth_m = world::channel_depth_m(discharge_m3_s);
            Apex { cells: (Cell(cell), Cell(cell + 1)), at, discharge_m3_s, surface_m: 5.0, depth_m }
        };
        let apexes = [apex(0, Vec3::default()), apex(2, Vec3::default())];
        let (far_m, aside) = (CELL_M * draw.range(0.33, 2.0), draw.range(-1.2, 1.2));
        let along = Vec3::new(grid::math::sin(aside), grid::math::cos(aside), 0.0);
        let apexes = [apexes[0], Apex { at: along * far_m, ..apexes[1] }];
        let made = |k: usize, keeps_apart: bool| {
            let mut draw = draws(6000 + 2 * number + k as u32);
            let turned = draw.range(-0.4, 0.4);
            let (sin, cos) = (grid::math::sin(turned), grid::math::cos(turned));
            let axes = (Vec3::new(cos, sin, 0.0), Vec3::new(-sin, cos, 0.0));
            let radius_m = radius_m(&apexes[k], CELL_M);
            let bare = Delta::bare(apexes[k], axes, (radius_m, CELL_M));
            let fan = (-1.2, 1.2);
            let ends = ends(fan, 2 + draw.below(7) as usize, &mut draw);
            let rivals = if keeps_apart { &apexes[1 - k..2 - k] } else { &[] };
            let ends = bare.own_ends(ends, rivals);
            bare.with_arms(fan, ends, &mut draw)
        };
        let cross_each_other = |keeps_apart: bool| {
            let (one, two) = (made(0, keeps_apart), made(1, keeps_apart));
            let lines = |delta: &Delta| -> Vec<(Vec3, Vec3)> {
                delta.pieces().iter().map(|p| (delta.off_plane(p.a), delta.off_plane(p.b))).collect()
            };
            let (ones, twos) = (lines(&one), lines(&two));
            ones.iter().any(|a| twos.iter().any(|b| cross(*a, *b)))
        };
        would_cross += usize::from(cross_each_other(false));
        crossed += usize::from(cross_each_other(true));
    }
    println!("{crossed} of 400 pairs cross, {would_cross} would");
    assert!(would_cross > 100 && crossed <= 4, "{crossed}, {would_cross}");
}

/// A brook that comes to the delta from the side runs on as far as the arm that takes it up.
#[test]
fn brooks_come_to_the_outermost_arms() {
    let (mut brooks, mut places) = (0, 0);
    each_delta(|terrain, delta, _| {
        for pair in delta.pieces().chunk_by(|a, b| a.arm == b.arm).flat_map(|arm| arm.windows(2)) {
            let on_line = pair[0].b;
            let off_m = 3.0 * pair[0].half_m + 100.0;
            for side in [-1.0, 1.0] {
                let aside = Vec3::new(-on_line.y, on_line.x, 0.0).normalized() * side;
                // nothing of the delta farther out on that side
                let is_beyond = |piece: &Piece| {
                    let aside_m = (piece.a - on_line).dot(aside).max((piece.b - on_line).dot(aside));
                    aside_m > 0.5 * off_m
                };
                if delta.pieces().iter().any(is_beyond) {
                    continue;
                }
                let q = terrain.grid.on_surface_m(delta.off_plane(on_line + aside * off_m));
                let near = terrain.within_bent(ball(q, 100.0), 20.0);
                if near.shore_at(q).coast <= 0.01 {
                    continue;
                }
                let discharge_m3_s = 0.01 * delta.apex.discharge_m3_s;
                let river = Channel { bed_m: 0.5, surface_m: 1.5, discharge_m3_s, order: 1 };
                let carved = Carved { elevation_m: 0.5, foot_m: 0.5, river: Some(river) };
                let sample = near.compose(terrain.bend.unbend(q), &carved);
                places += 1;
                brooks += usize::from(sample.discharge_m3_s == discharge_m3_s);
            }
        }
    });
    assert!(places > 10 && brooks == places, "{brooks} of {places}");
}

/// On its way to its apex, however low it runs there, the sea does not drown the river.
#[test]
fn rivers_come_to_their_apexes() {
    let (mut rivers, mut places) = (0, 0);
    each_delta(|terrain, delta, _| {
        let last = terrain.grid.center(delta.apex.cells.0) * terrain.grid.metres_per_unit();
        for step in 1..=20 {
            let q = terrain.grid.on_surface_m(delta.apex.at.lerp(last, 0.05 * f64::from(step)));
            let near = terrain.within_bent(ball(q, 100.0), 20.0);
            let discharge_m3_s = delta.apex.discharge_m3_s;
            let river = Channel { bed_m: -8.0, surface_m: 0.3, discharge_m3_s, order: 1 };
            let carved = Carved { elevation_m: -8.0, foot_m: -8.0, river: Some(river) };
            let sample = near.compose(terrain.bend.unbend(q), &carved);
            places += 1;
            rivers += usize::from(sample.discharge_m3_s == discharge_m3_s);
        }
    });
    println!("{rivers} of {places}");
    assert!(places >= 80 && rivers == places, "{rivers} of {places}");
}
