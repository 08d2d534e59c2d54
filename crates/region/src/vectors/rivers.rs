//! Rivers of the method `drainage` as lines: links joined into reaches.
//!
//! A reach runs from a head or a junction of rivers that are drawn to the next junction or the river's end. It is cut
//! where a lake or the sea covers it, and at the border of the region. Along a reach brooks too small to be drawn join,
//! so its discharge grows from link to link; that of a line is the one of the last link that it has a part of. Arms of deltas are
//! reaches from the apex or a division to the next or to the sea.
//!
//! Heights are those of the links; where two links differ by the lift of small gullies, the line keeps to the lower, so
//! that neither bed nor water rises.

use super::clip::{Border, Part};
use super::{Place, RiverLine};
use crate::drained::{ArmAddress, Point, RiverLink, Rivers};
use grid::Vec3;
use std::collections::BTreeMap;
use world::channel_width_m;

/// A part of a reach without a lake or the sea in between.
struct Line<'a> {
    points: Vec<Point>,
    /// Of each piece between two points the link that it is of.
    links: Vec<&'a RiverLink>,
}

/// The rivers within a border, in the order of their heads' addresses, then arms of deltas.
pub(super) fn lines(rivers: &Rivers, border: &Border, place: impl Fn(Vec3) -> Place) -> Vec<RiverLine> {
    let mut found = Vec::new();
    for reach in reaches(rivers).into_iter().chain(arms(rivers)) {
        for line in drawn(&reach) {
            let places: Vec<Place> = line.points.iter().map(|p| place(p.at)).collect();
            found.extend(border.cut(&places).into_iter().map(|part| line.within(part)));
        }
    }
    found
}

/// Links from head or junction to junction or end. Links that are nowhere shown count for nothing.
fn reaches(rivers: &Rivers) -> Vec<Vec<&RiverLink>> {
    let shown: BTreeMap<grid::Part, &RiverLink> = rivers
        .links
        .iter()
        .filter(|(_, link)| !link.shown.is_empty())
        .map(|(from, link)| (*from, link))
        .collect();
    let mut inflows: BTreeMap<grid::Part, u32> = BTreeMap::new();
    shown.values().for_each(|link| *inflows.entry(link.to).or_insert(0) += 1);
    let goes_on = |link: &RiverLink| inflows.get(&link.to) == Some(&1);
    let mut reaches = Vec::new();
    for &head in shown.values().filter(|link| inflows.get(&link.from) != Some(&1)) {
        let mut links = vec![head];
        let mut last = head;
        while let Some(&next) = shown.get(&last.to).filter(|_| goes_on(last)) {
            links.push(next);
            last = next;
        }
        reaches.push(links);
    }
    reaches
}

/// The pieces of each arm of a delta, as far as they follow one another.
fn arms(rivers: &Rivers) -> Vec<Vec<&RiverLink>> {
    let pieces: Vec<(&ArmAddress, &RiverLink)> = rivers.arms.iter().collect();
    let follows = |a: &(&ArmAddress, &RiverLink), b: &(&ArmAddress, &RiverLink)| {
        *b.0 == ArmAddress { piece: a.0.piece + 1, ..*a.0 }
    };
    pieces.chunk_by(follows).map(|arm| arm.iter().map(|piece| piece.1).collect()).collect()
}

/// Where a link has less than this share of the one before, the river has divided: there another line begins.
const DIVIDED: f64 = 0.75;

/// The parts of a reach that samples show.
fn drawn<'a>(reach: &[&'a RiverLink]) -> Vec<Line<'a>> {
    let mut lines: Vec<Line> = Vec::new();
    let mut goes_on = false;
    let mut before_m3_s = 0.0;
    for &link in reach {
        goes_on &= link.discharge_m3_s >= DIVIDED * before_m3_s;
        before_m3_s = link.discharge_m3_s;
        let last = link.points.len() as f64 - 1.0;
        for &(from, to) in link.shown.iter().filter(|(from, to)| from < to) {
            if !(goes_on && from == 0.0) {
                lines.push(Line { points: Vec::new(), links: Vec::new() });
            }
            if let Some(line) = lines.last_mut() {
                line.add(link, from, to);
            }
            goes_on = to == last;
        }
        goes_on &= link.shown.last().is_some_and(|run| run.1 == last);
    }
    lines
}

impl<'a> Line<'a> {
    /// Adds a link from one place to another, counted in its points.
    fn add(&mut self, link: &'a RiverLink, from: f64, to: f64) {
        let at = |t: f64| {
            let k = (t as usize).min(link.points.len() - 2);
            link.points[k].lerp(&link.points[k + 1], t - k as f64)
        };
        let inner = (from.floor() as usize + 1)..(to.ceil() as usize);
        let all = std::iter::once(at(from)).chain(inner.map(|k| link.points[k])).chain([at(to)]);
        for mut point in all {
            if let Some(before) = self.points.last() {
                if before.at == point.at {
                    continue;
                }
                point.bed_m = point.bed_m.min(before.bed_m);
                point.surface_m = point.surface_m.min(before.surface_m);
                self.links.push(link);
            }
            self.points.push(point);
        }
    }

    /// The line of a part of it.
    fn within(&self, part: Part) -> RiverLine {
        let of_points = |value: fn(&Point) -> f64| -> Vec<f64> { self.points.iter().map(value).collect() };
        let (first, last) = part.pieces();
        let links = &self.links[first..=last];
        let (first, last) = (links[0], links[links.len() - 1]);
        RiverLine {
            surface_m: part.values(&of_points(|p| p.surface_m)),
            bed_m: part.values(&of_points(|p| p.bed_m)),
            places: part.places,
            discharge_from_m3_s: first.discharge_m3_s,
            discharge_m3_s: last.discharge_m3_s,
            drainage_km2: Some(last.area_m2 * 1e-6),
            width_m: channel_width_m(last.discharge_m3_s),
            order: last.order,
            basin: basin(links),
        }
    }
}

/// The basin of links that follow one another: those over cells of the sea belong to nobody.
fn basin(links: &[&RiverLink]) -> Option<u32> {
    links.iter().rev().find_map(|link| link.basin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drained::RiverLink;
    use grid::Level;

    fn part(k: u32) -> grid::Part {
        grid::Part { level: Level(1), face: 0, row: 0, col: k }
    }

    /// A link along the x axis from site `from` to `to`, a hundred metres apart for each number.
    fn link(from: u32, to: u32, discharge_m3_s: f64) -> (grid::Part, RiverLink) {
        let point = |x: f64| Point { at: Vec3::new(100.0 * x, 0.0, 0.0), bed_m: -x, surface_m: 1.0 - x };
        let (a, b) = (f64::from(from), f64::from(to));
        let points = vec![point(a), point(0.5 * (a + b)), point(b)];
        (part(from), RiverLink::for_test((part(from), part(to)), discharge_m3_s, points))
    }

    fn of<const N: usize>(links: [(grid::Part, RiverLink); N]) -> Rivers {
        Rivers { links: links.into(), ..Rivers::default() }
    }

    fn shown(mut link: (grid::Part, RiverLink), shown: &[(f64, f64)]) -> (grid::Part, RiverLink) {
        link.1.shown = shown.to_vec();
        link
    }

    fn heads(rivers: &Rivers) -> Vec<Vec<u32>> {
        reaches(rivers).iter().map(|r| r.iter().map(|l| l.from.col).collect()).collect()
    }

    #[test]
    fn reaches_run_from_junction_to_junction() {
        let rivers =
            of([link(1, 2, 1.0), link(2, 5, 1.5), link(4, 5, 1.0), link(5, 6, 3.0), link(6, 9, 4.0)]);
        assert_eq!(heads(&rivers), [vec![1, 2], vec![4], vec![5, 6]]);
        // what a lake covers makes no junction
        let hidden = shown(link(4, 5, 1.0), &[]);
        let rivers = of([link(1, 2, 1.0), link(2, 5, 1.5), hidden, link(5, 6, 3.0), link(6, 9, 4.0)]);
        assert_eq!(heads(&rivers), [vec![1, 2, 5, 6]]);
    }

    #[test]
    fn lines_out_to_sea_keep_their_basin() {
        let (mut river, sea) = (link(1, 2, 1.0).1, link(2, 3, 1.0).1);
        river.basin = Some(4);
        assert_eq!(basin(&[&river, &river, &sea, &sea]), Some(4));
        assert_eq!(basin(&[&sea]), None);
    }

    #[test]
    fn arms_are_strung_together() {
        let piece = |arm: u32, piece: u32| {
            let address = ArmAddress { cell: grid::Cell(7), arm, piece };
            (address, link(piece, piece + 1, f64::from(1 + arm)).1)
        };
        let arms = [piece(0, 0), piece(0, 1), piece(1, 2), piece(1, 3), piece(1, 5)];
        let rivers = Rivers { arms: arms.into(), ..Rivers::default() };
        let counts: Vec<usize> = super::arms(&rivers).iter().map(Vec::len).collect();
        assert_eq!(counts, [2, 2, 1], "an arm ends where a piece is missing, and where another begins");
        assert_eq!(drawn(&super::arms(&rivers)[1])[0].points.len(), 5);
    }

    #[test]
    fn lakes_part_lines() {
        let rivers =
            of([link(1, 2, 1.0), shown(link(2, 3, 2.0), &[(0.0, 0.5), (1.5, 2.0)]), link(3, 4, 3.0)]);
        let reach = &reaches(&rivers)[0];
        let ends: Vec<(f64, f64, usize)> = drawn(reach)
            .iter()
            .map(|l| (l.points[0].at.x, l.points[l.points.len() - 1].at.x, l.links.len()))
            .collect();
        assert_eq!(ends, [(100.0, 225.0, 3), (275.0, 400.0, 3)]);
        let line = &drawn(reach)[0];
        assert!(line.points.windows(2).all(|p| p[1].bed_m <= p[0].bed_m));
        let gap = of([link(1, 2, 1.0), shown(link(2, 3, 2.0), &[(0.0, 1.0)]), link(3, 4, 3.0)]);
        assert_eq!(drawn(&reaches(&gap)[0]).len(), 2, "a river that begins again is another line");
    }
}
