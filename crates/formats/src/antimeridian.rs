//! Lines and areas on a globe, cut where they cross longitude 180, so that a plane map of longitudes and latitudes
//! can hold them (RFC 7946, section 3.1.9).
//!
//! A step from place to place goes the shorter way round, so no step may span 180 degrees of longitude or more.
//!
//! **Areas.** The rectangle from -180 to 180 and from -90 to 90 is the globe cut open along the antimeridian, with
//! each pole drawn out to a side. Rings have the area on their left. Each is cut into pieces that cross nothing;
//! a piece that ends on the rectangle's border goes on along it, counterclockwise, to where the next piece begins
//! (Weiler & Atherton 1977, for a rectangle). So an area that holds a pole gets the pole's side as part of its
//! outline: `(180, 90)` to `(-180, 90)`. Pieces that meet the border at one place are taken in the order of the
//! angles at which they do. Cost: of a sort of the crossings.

use crate::features::{Polygon, Position, Ring, twice_area};

/// Cuts a line of longitudes and latitudes where it crosses longitude 180.
///
/// A step of more than 180 degrees of longitude is taken to go the other, shorter way round. Both sides get a
/// point on the antimeridian, at a latitude interpolated along the step.
pub fn split_line(line: &[Position]) -> Vec<Vec<Position>> {
    let mut parts = Vec::new();
    let mut part: Vec<Position> = Vec::new();
    for &point in line {
        let here = [wrapped(point[0]), point[1]];
        if let Some(&last) = part.last()
            && (here[0] - last[0]).abs() > 180.0
        {
            let (leave, enter) = crossing(last, here);
            push_distinct(&mut part, leave);
            if part.len() > 1 {
                parts.push(std::mem::take(&mut part));
            }
            part = vec![enter];
        }
        push_distinct(&mut part, here);
    }
    if part.len() > 1 || parts.is_empty() {
        parts.push(part);
    }
    parts
}

fn push_distinct(part: &mut Vec<Position>, point: Position) {
    if part.last() != Some(&point) {
        part.push(point);
    }
}

/// A longitude brought into -180 to 180; 180 itself stays.
fn wrapped(lon: f64) -> f64 {
    if (-180.0..=180.0).contains(&lon) { lon } else { (lon + 180.0).rem_euclid(360.0) - 180.0 }
}

/// The points on both faces of the antimeridian where the short way from `a` to `b` crosses it.
///
/// The latitude is counted from the place west of it, whichever way one goes, so that neighbours agree on it.
fn crossing(a: Position, b: Position) -> (Position, Position) {
    let (west, east) = if a[0] > 0.0 { (a, b) } else { (b, a) };
    let (before, after) = (180.0 - west[0], 180.0 + east[0]);
    let t = if before + after > 0.0 { before / (before + after) } else { 0.0 };
    let lat = west[1] + (east[1] - west[1]) * t;
    let side = if a[0] > 0.0 { 180.0 } else { -180.0 };
    ([side, lat], [-side, lat])
}

/// The whole rectangle, counterclockwise.
const WORLD: [Position; 5] =
    [[-180.0, -90.0], [180.0, -90.0], [180.0, 90.0], [-180.0, 90.0], [-180.0, -90.0]];

/// Cuts an area on a globe, given by rings that all have it on their left, into areas of the plane map.
///
/// The rings are those of one area in one piece, in any order; closed or not. A corner at a pole may have any
/// longitude. An area whose rings only run round what it lacks is the whole map with holes.
pub fn cut_polygon(rings: &[Ring]) -> Vec<Polygon> {
    let (mut closed, mut pieces) = (Vec::new(), Vec::new());
    for ring in rings {
        match cut_ring(ring) {
            Cut::Whole(ring) => closed.push(ring),
            Cut::Pieces(of_ring) => pieces.extend(of_ring),
        }
    }
    closed.extend(join(&pieces));
    let (mut outers, mut holes) = (Vec::new(), Vec::new());
    for ring in closed {
        match twice_area(&ring) {
            a if a > 0.0 => outers.push(ring),
            a if a < 0.0 => holes.push(ring),
            _ => {} // what only runs along the border and back
        }
    }
    if outers.is_empty() && !holes.is_empty() {
        outers.push(WORLD.to_vec());
    }
    assemble(outers, holes)
}

/// Gives each hole to the outline that it lies in.
fn assemble(outers: Vec<Ring>, holes: Vec<Ring>) -> Vec<Polygon> {
    let mut areas: Vec<Polygon> = outers.into_iter().map(Polygon::new).collect();
    for hole in holes {
        // the middle of a side: a corner may touch the outline
        let middle = [(hole[0][0] + hole[1][0]) / 2.0, (hole[0][1] + hole[1][1]) / 2.0];
        let home = areas.iter().position(|area| is_inside(&area.outer, middle)).unwrap_or(0);
        areas[home].holes.push(hole);
    }
    areas
}

/// Whether a place lies within a closed ring, by the number of sides west of it.
fn is_inside(ring: &[Position], [x, y]: Position) -> bool {
    let crosses = |s: &[Position]| {
        let ([ax, ay], [bx, by]) = (s[0], s[1]);
        (ay > y) != (by > y) && ax + (bx - ax) * (y - ay) / (by - ay) < x
    };
    ring.windows(2).filter(|side| crosses(side)).count() % 2 == 1
}

enum Cut {
    /// A ring that meets neither the antimeridian nor a pole, closed.
    Whole(Ring),
    /// Pieces with both ends on the border of the map.
    Pieces(Vec<Ring>),
}

/// What is nearer to the antimeridian or to a pole lies on it, in degrees: a tenth of a millimetre on Earth, far more
/// than what a way through unit vectors loses.
const SLACK_DEG: f64 = 1e-9;

/// Longitudes from -180 up to below 180: what lies on the antimeridian is taken to lie east of it.
fn folded([lon, lat]: Position) -> Position {
    let lon = (lon + 180.0).rem_euclid(360.0) - 180.0;
    let lon = if lon.abs() >= 180.0 - SLACK_DEG { -180.0 } else { lon };
    [lon, if lat.abs() >= 90.0 - SLACK_DEG { 90.0_f64.copysign(lat) } else { lat }]
}

fn is_pole(p: Position) -> bool {
    p[1].abs() >= 90.0
}

/// Whether a step runs along the border of the map, if along any: it has no place in a piece, for the way round
/// the border makes it again where it belongs.
fn is_along_border(a: Position, b: Position) -> bool {
    let on_border = |p: Position| p[0] <= -180.0 || is_pole(p);
    on_border(a) && on_border(b)
}

/// Cuts a ring at the antimeridian and at the poles.
fn cut_ring(ring: &[Position]) -> Cut {
    let mut corners: Vec<Position> = ring.iter().copied().map(folded).collect();
    corners.dedup();
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    let Some(start) = corners.iter().position(|&p| !is_pole(p)) else { return Cut::Pieces(Vec::new()) };
    corners.rotate_left(start);
    let mut pieces: Vec<Ring> = vec![vec![corners[0]]];
    for (i, &before) in corners.iter().enumerate() {
        step(&mut pieces, before, corners[(i + 1) % corners.len()]);
    }
    // the first piece began in the middle of the ring, where the last one ends: they are one
    let first = pieces.remove(0);
    let Some(last) = pieces.last_mut() else { return Cut::Whole(first) };
    last.extend(first.into_iter().skip(1));
    pieces.retain(|piece| piece.len() > 1);
    Cut::Pieces(pieces)
}

/// Adds a step of a ring to its pieces; a step over the border or along it begins a new piece.
fn step(pieces: &mut Vec<Ring>, before: Position, here: Position) {
    let last = pieces.last_mut().expect("a ring begins with a piece");
    if is_along_border(before, here) {
        pieces.push(if is_pole(here) { Vec::new() } else { vec![here] });
    } else if is_pole(here) {
        last.push([before[0], here[1]]);
    } else if is_pole(before) {
        pieces.push(vec![[here[0], before[1]], here]);
    } else if (here[0] - before[0]).abs() > 180.0 {
        let (leave, enter) = crossing(before, here);
        push_distinct(last, leave);
        let mut next = vec![enter];
        push_distinct(&mut next, here);
        pieces.push(next);
    } else {
        last.push(here);
    }
}

/// How far round the map's border a place on it is, counterclockwise from the south-east corner, in degrees.
fn along_border([lon, lat]: Position) -> f64 {
    match () {
        () if lat >= 90.0 => 180.0 + (180.0 - lon),
        () if lat <= -90.0 => 720.0 + (lon + 180.0),
        () if lon >= 180.0 => lat + 90.0,
        () => 540.0 + (90.0 - lat),
    }
}

/// All the way round, in degrees.
const ROUND: f64 = 1080.0;

/// The corners of the map, by their place on its border.
const CORNERS: [(f64, Position); 4] =
    [(180.0, [180.0, 90.0]), (540.0, [-180.0, 90.0]), (720.0, [-180.0, -90.0]), (ROUND, [180.0, -90.0])];

/// Joins pieces along the border of the map to closed rings.
fn join(pieces: &[Ring]) -> Vec<Ring> {
    let begins = |piece: usize| along_border(pieces[piece][0]);
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|&a, &b| begins(a).total_cmp(&begins(b)));
    let mut is_used = vec![false; pieces.len()];
    let mut rings = Vec::new();
    for first in 0..pieces.len() {
        let (mut ring, mut piece) = (Ring::new(), first);
        while !is_used[piece] {
            is_used[piece] = true;
            pieces[piece].iter().for_each(|&p| push_distinct(&mut ring, p));
            let from = along_border(pieces[piece][pieces[piece].len() - 1]);
            let next = order.partition_point(|&k| begins(k) < from) % order.len();
            piece = order[next];
            walk(&mut ring, from, begins(piece));
        }
        if let Some(&start) = ring.first() {
            push_distinct(&mut ring, start);
            rings.push(ring);
        }
    }
    rings
}

/// Adds the corners of the map between two places on its border, counterclockwise.
fn walk(ring: &mut Ring, from: f64, to: f64) {
    let to = if to < from { to + ROUND } else { to };
    for turn in [0.0, ROUND] {
        for (at, corner) in CORNERS.map(|(at, corner)| (at + turn, corner)) {
            if from < at && at < to {
                push_distinct(ring, corner);
            }
        }
    }
}
