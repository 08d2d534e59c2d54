//! Links: what was planned is a planar tree, and water runs down along it, also as it is drawn.

use super::support::*;
use crate::bend::Bend;
use crate::drainage::ahead;
use crate::drainage::block::{Block, Rect};
use crate::drainage::channels::{self, Show};
use grid::{Grid, Level, Part, Purpose, Seed, Vec3};
use std::collections::BTreeMap;

/// Places on a plane, through the middle of the globe where there is one: straight pieces stay straight.
struct Plane {
    middle: Option<(Vec3, Vec3, Vec3)>,
}

impl Plane {
    fn at(study: &Study, p: Vec3) -> Self {
        let globe = matches!(study.grid, grid::Topology::Globe(_));
        let up = p.normalized();
        let east = if up.z.abs() < 0.9 { Vec3::new(0.0, 0.0, 1.0) } else { Vec3::new(1.0, 0.0, 0.0) };
        let east = east.cross(up).normalized();
        Self { middle: globe.then(|| (up, east, up.cross(east))) }
    }

    fn place(&self, p: Vec3) -> (f64, f64) {
        let Some((up, east, north)) = self.middle else { return (p.x, p.y) };
        (p.dot(east) / p.dot(up), p.dot(north) / p.dot(up))
    }
}

type Segment = ((f64, f64), (f64, f64));

/// Whether the insides of two segments cross.
fn cross((a, b): Segment, (c, d): Segment) -> bool {
    let left = |p: (f64, f64), q: (f64, f64), r: (f64, f64)| {
        let turn = (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
        if turn == 0.0 {
            0
        } else if turn > 0.0 {
            1
        } else {
            -1
        }
    };
    left(a, b, c) * left(a, b, d) < 0 && left(c, d, a) * left(c, d, b) < 0
}

/// How many pairs of segments cross that do not meet at an end and are not of one owner.
fn crossings(segments: &mut [(Segment, Part)]) -> (usize, Option<(Part, Part)>) {
    let span = |s: &Segment| (s.0.0.min(s.1.0), s.0.0.max(s.1.0));
    segments.sort_by(|a, b| span(&a.0).0.total_cmp(&span(&b.0).0));
    let (mut count, mut example) = (0, None);
    for (i, (s, p)) in segments.iter().enumerate() {
        let beside = segments[i + 1..].iter().take_while(|t| span(&t.0).0 <= span(s).1);
        for (t, q) in beside.filter(|t| t.1 != *p) {
            let meet = s.0 == t.0 || s.0 == t.1 || s.1 == t.0 || s.1 == t.1;
            if !meet && cross(*s, *t) {
                count += 1;
                example = example.or(Some((*p, *q)));
            }
        }
    }
    (count, example)
}

#[test]
fn no_two_links_cross() {
    let (mut links, mut wrong) = (0, Vec::new());
    for view in views() {
        let View { study, level, ref name, ref drainage, ref known, .. } = *view;
        let spots = drainage.spots(level);
        let plane = Plane::at(study, study.grid.center(view.cell));
        let inside = |p: &Part| view.is_known(*p);
        let link = |part: Part| {
            let spot = spots(part);
            let to = study.receiver(part, &spot).filter(inside)?;
            Some(((plane.place(spot.at), plane.place(spots(to).at)), part))
        };
        let mut segments: Vec<(Segment, Part)> = study.parts(known).into_iter().filter_map(link).collect();
        links += segments.len();
        let found = crossings(&mut segments);
        if found.0 > 0 {
            wrong.push(format!("{level:?} {name}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(links > 40_000, "{links}");
}

/// As they are drawn: smoothed, curved, with meanders, no longer bent. Also: along every one the bed never rises, and
/// where one ends the next begins no higher; but for a few gullies without water.
#[test]
fn drawn_channels_hardly_cross_and_fall() {
    let (mut links, mut crossed, mut risen, mut dry, mut uphill, mut joints) = (0, 0, 0, 0, 0, 0);
    for View { study, level, name, cell, inner, drainage, .. } in views() {
        let level = *level;
        let seed = Seed(study.world.recipe.seed);
        let bend = Bend::broad(study.grid, seed);
        let spacing_m = level.size(study.grid.cell_m()) / 4.0;
        let show = Show {
            grid: study.grid,
            bend: &bend,
            courses: seed.key(Purpose::new("test")),
            divisions: &[],
            funnels: &[],
            spacing_m,
        };
        let of_piece = |piece: &Vec<Rect>| channels::channels(drainage, (level, piece), &show);
        let drawn: Vec<_> = ahead::drawn_together(&study.squares(inner)).iter().flat_map(of_piece).collect();
        let plane = Plane::at(study, study.grid.center(*cell));
        let mut segments = Vec::new();
        let mut begin: BTreeMap<[u64; 3], f64> = BTreeMap::new();
        let bits = |p: Vec3| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()];
        for (block, of_block) in &drawn {
            for c in &of_block.channels {
                // links by block and number
                let owner = Part { level, face: block.face, row: block.row, col: block.col << 12 | c.id };
                segments.push(((plane.place(c.a), plane.place(c.b)), owner));
                let rises = c.bed_m.1 > c.bed_m.0;
                *(if c.discharge_m3_s > 0.0 { &mut uphill } else { &mut dry }) += usize::from(rises);
                begin.insert(bits(c.a), c.bed_m.0);
            }
        }
        for c in drawn.iter().flat_map(|(_, of_block)| &of_block.channels) {
            if let Some(&next) = begin.get(&bits(c.b)) {
                joints += 1;
                let rises = next - c.bed_m.1 > 1e-9;
                *(if c.discharge_m3_s > 0.0 { &mut risen } else { &mut dry }) += usize::from(rises);
            }
        }
        links += segments.len();
        let found = crossings(&mut segments);
        if found.0 > 0 {
            println!("{level:?} {name}: {} of {}, {found:?}", found.0, segments.len());
        }
        crossed += found.0;
    }
    println!(
        "{links} pieces, {crossed} crossings, {uphill} rise; of {joints} joints {risen} rise; {dry} dry"
    );
    assert!(links > 30_000 && joints > 30_000, "{links} {joints}");
    assert_eq!((uphill, risen), (0, 0), "a bed with water rises");
    assert!(dry as f64 <= MOST_DRY * links as f64, "{dry} of {links} dry beds rise");
    assert!(crossed as f64 <= MOST_CROSSED * links as f64, "{crossed} of {links} cross");
}

/// On low coasts gullies whose part of the level above is sea drain no area, however long they are, and all of one are lifted.
/// A bed that must be lowered to one farther upstream than the rings around its square are wide stays too high. Measured: one
/// joint of 38 435.
const MOST_DRY: f64 = 1e-4;

/// Splines and what is left of the bend cross now and then. Measured: 4 of 38 176.
const MOST_CROSSED: f64 = 5e-4;

/// Whether a site carries on the water of a cell, which the world has led where it goes.
fn is_worlds(drainage: &Drained, mut part: Part) -> bool {
    while part.level > Level(0) {
        if !drainage.spots(part.level)(part).trunk {
            return false;
        }
        part = part.parent();
    }
    true
}

/// How many of some ridge lines the world's own links cross, from cell to cell.
fn gorges_of_world(
    study: &Study,
    drainage: &Drained,
    (blocks, plane): (&[Block], &Plane),
    lines: &[Segment],
) -> usize {
    let mut cells: Vec<Part> = study.parts(blocks).into_iter().collect();
    while cells[0].level > Level(0) {
        cells = cells.into_iter().map(|part| part.parent()).collect();
        cells.dedup();
    }
    cells.sort_unstable();
    cells.dedup();
    let spots = drainage.spots(Level(0));
    let link = |part: Part| {
        let spot = spots(part);
        let to = study.receiver(part, &spot)?;
        Some((plane.place(spot.at), plane.place(spots(to).at)))
    };
    let links = cells.into_iter().filter_map(link);
    links.map(|link| lines.iter().filter(|l| cross(link, **l)).count()).sum()
}

/// Ridge lines are divides unless the world has a gorge there: how many times links that drain over 100 km2 cross them, for
/// each 100 km of line, but for those of rivers that the world's cells have led over it.
#[test]
fn great_rivers_keep_off_ridge_lines() {
    let study = rugged();
    let level = Level(5);
    let (mut crossed, mut of_world, mut gorges, mut length_m, mut rivers, mut rivers_m) =
        (0, 0, 0, 0.0, 0, [0.0; 2]);
    for cell in study.ranges(6) {
        let blocks = study.blocks(level, cell, 17);
        let drainage = study.drainage(level);
        let (spots, waters) = (drainage.spots(level), drainage.waters(level));
        let plane = Plane::at(study, study.grid.center(cell));
        let mut lines: Vec<(Vec3, Vec3)> =
            blocks.iter().flat_map(|b| study.lines(level, b.rect(study.grid))).collect();
        // lines within the blocks, each once
        let inside = |p: Vec3| {
            let part =
                study.grid.locate_part(level, study.grid.on_surface_m(p) / study.grid.metres_per_unit());
            part.is_some_and(|p| blocks.contains(&Block::of(p)))
        };
        lines.retain(|&(a, b)| inside(a) && inside(b));
        let bits = |l: &(Vec3, Vec3)| [l.0, l.1].map(|p| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()]);
        lines.sort_by_key(bits);
        lines.dedup_by_key(|l| bits(l));
        length_m += lines.iter().map(|l| l.0.distance(l.1)).sum::<f64>();
        let lines: Vec<Segment> = lines.iter().map(|l| (plane.place(l.0), plane.place(l.1))).collect();
        gorges += gorges_of_world(study, &drainage, (&blocks, &plane), &lines);
        for part in study.parts(&blocks).into_iter().filter(|&p| waters(p).area_m2 >= 100e6) {
            let spot = spots(part);
            let to = study.receiver(part, &spot).filter(|p| blocks.contains(&Block::of(*p)));
            let Some(to) = to else { continue };
            let link = (plane.place(spot.at), plane.place(spots(to).at));
            rivers += 1;
            let worlds = is_worlds(&drainage, part);
            let crossings = lines.iter().filter(|l| cross(link, **l)).count();
            rivers_m[usize::from(worlds)] += spot.at.distance(spots(to).at);
            of_world += if worlds { crossings } else { 0 };
            crossed += crossings;
        }
    }
    let per_100_km = (crossed - of_world) as f64 / (length_m / 1e5);
    println!(
        "{crossed} crossings, {of_world} by the world's own ({gorges} say its cells), by {rivers} links, {rivers_m:?} m, of \
         {:.0} km of ridge lines: {per_100_km:.3} per 100 km",
        length_m / 1e3
    );
    assert!(rivers > 1_000 && length_m > 3e5, "{rivers} links, {length_m} m of ridge lines");
    assert!(per_100_km < MOST_CROSSINGS, "{per_100_km}");
}

/// For each 100 km of ridge lines, by rivers that the world has not led over them itself. Measured: 0.14; 2.1 with those.
const MOST_CROSSINGS: f64 = 0.3;
