//! Rivers of the method `drainage` as lines: links joined into reaches.
//!
//! A reach runs from a head or a junction of rivers that are drawn to the next junction or the river's end. It is cut
//! where a lake or the sea covers it, and at the border of the region. Along a reach brooks too small to be drawn join,
//! so its discharge grows from link to link; that of a line is the one of the last link that it has a part of. Arms of deltas are
//! reaches from the apex or a division to the next or to the sea.
//!
//! Heights are those of the links; where two links differ by the lift of small gullies, the line keeps to the lower, so
//! that neither bed nor water rises.
//!
//! Lines are a network: each knows the one that its water comes to next, past a junction, through a lake, or where the river
//! comes back over the border; where a river divides, the arm that takes most of it.

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
    let mut found = Network { rivers, lines: Vec::new(), ends: Vec::new(), of_link: BTreeMap::new() };
    let (reaches, arms) = (reaches(rivers), arms(rivers));
    let rivers_end = reaches.len();
    for (number, reach) in reaches.into_iter().chain(arms).enumerate() {
        for line in drawn(&reach) {
            let places: Vec<Place> = line.points.iter().map(|p| place(p.at)).collect();
            for part in border.cut(&places) {
                found.add(&line, part, (number, number < rivers_end));
            }
        }
    }
    found.strung()
}

/// Lines on their way to a network.
struct Network<'a> {
    rivers: &'a Rivers,
    lines: Vec<RiverLine>,
    ends: Vec<End<'a>>,
    /// For each link the first line that has a part of it, by the site that it leaves.
    of_link: BTreeMap<grid::Part, u32>,
}

/// What tells where the water of a line goes on.
struct End<'a> {
    /// Its last link.
    last: &'a RiverLink,
    /// The number of its reach.
    reach: usize,
    is_arm: bool,
}

impl<'a> Network<'a> {
    fn add(&mut self, line: &Line<'a>, part: Part, (reach, is_river): (usize, bool)) {
        let (first, last) = part.pieces();
        let links = &line.links[first..=last];
        let number = self.lines.len() as u32;
        if is_river {
            links.iter().for_each(|link| _ = self.of_link.entry(link.from).or_insert(number));
        }
        self.ends.push(End { last: links[links.len() - 1], reach, is_arm: !is_river });
        self.lines.push(line.within(part));
    }

    /// The lines, each with the one that its water comes to next.
    fn strung(mut self) -> Vec<RiverLine> {
        let begins = self.arms_by_place();
        for k in 0..self.lines.len() {
            self.lines[k].downstream = self.below(k, &begins);
        }
        self.lines
    }

    /// Of the arms that begin at a place the one with most water, by the bits of its coordinates.
    fn arms_by_place(&self) -> BTreeMap<[u64; 2], u32> {
        let mut begins: BTreeMap<[u64; 2], u32> = BTreeMap::new();
        for k in (0..self.lines.len()).filter(|&k| self.ends[k].is_arm) {
            let best = begins.entry(bits(self.lines[k].places[0])).or_insert(k as u32);
            if self.lines[k].discharge_m3_s > self.lines[*best as usize].discharge_m3_s {
                *best = k as u32;
            }
        }
        begins
    }

    fn below(&self, k: usize, begins: &BTreeMap<[u64; 2], u32>) -> Option<u32> {
        let places = &self.lines[k].places;
        let arm = begins.get(&bits(places[places.len() - 1])).filter(|arm| **arm != k as u32);
        let next = |k: usize| (k + 1 < self.lines.len()).then_some(k as u32 + 1);
        let goes_on = || next(k).filter(|&n| self.ends[n as usize].reach == self.ends[k].reach);
        let led_on = || if self.ends[k].is_arm { None } else { self.led_on(self.ends[k].last) };
        arm.copied().or_else(goes_on).or_else(led_on)
    }

    /// The first line beyond a link, through what lakes cover and what lies outside.
    fn led_on(&self, last: &RiverLink) -> Option<u32> {
        let mut to = last.to;
        // links go round in no circle, but what is not known to end shall end here
        for _ in 0..=self.rivers.links.len() {
            if let Some(line) = self.of_link.get(&to) {
                return Some(*line);
            }
            to = self.rivers.links.get(&to)?.to;
        }
        None
    }
}

fn bits(place: Place) -> [u64; 2] {
    place.map(f64::to_bits)
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
            downstream: None,
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
    use crate::lattice::{Lattice, Window};
    use crate::request::{Method, Request, Sampled};
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

    /// Lines within 0 to 1000 m from west to east, by where they begin and where they lead.
    fn network(rivers: &Rivers) -> Vec<(f64, Option<u32>)> {
        let window = Window { west: 0, north: 5, width: 10, height: 10 };
        let layers = vec![Sampled::Elevation];
        let request =
            Request::new(Lattice::Plane { step_m: 100.0 }, window, layers, Method::Drainage).expect("small");
        let found = lines(rivers, &Border::new(&request, None), |p| [p.x, p.y]);
        found.iter().map(|line| (line.places[0][0], line.downstream)).collect()
    }

    #[test]
    fn lines_lead_to_one_another() {
        let junction = of([link(1, 3, 1.0), link(2, 3, 1.0), link(3, 4, 2.0)]);
        assert_eq!(network(&junction), [(100.0, Some(2)), (200.0, Some(2)), (300.0, None)]);
        let lake = of([link(1, 2, 1.0), shown(link(2, 3, 2.0), &[(0.0, 0.5), (1.5, 2.0)]), link(3, 4, 3.0)]);
        assert_eq!(network(&lake), [(100.0, Some(1)), (275.0, None)], "through a lake within a link");
        let drowned = of([link(1, 2, 1.0), shown(link(2, 3, 2.0), &[]), link(3, 4, 3.0)]);
        assert_eq!(network(&drowned), [(100.0, Some(1)), (300.0, None)], "through one that covers a link");
        // out of the window, and back into it
        let mut abroad = link(2, 3, 1.0);
        abroad.1.points[1].at.y = 9e3;
        let bent = of([link(1, 2, 1.0), abroad, link(3, 4, 1.0)]);
        assert_eq!(network(&bent).iter().map(|line| line.1).collect::<Vec<_>>(), [Some(1), None]);
        let (mut out, mut beyond) = (link(1, 2, 1.0), link(20, 3, 1.0));
        out.1.to = part(20);
        beyond.1.points[0].at.x = 2000.0;
        beyond.1.points[1].at.x = 1900.0;
        let bent = of([out, beyond, link(2, 3, 1.0), link(3, 4, 1.0)]);
        let leads: Vec<Option<u32>> = network(&bent).iter().map(|line| line.1).collect();
        assert_eq!(
            leads,
            [Some(1), Some(3), Some(3), None],
            "the part behind the border, then past the junction"
        );
    }

    #[test]
    fn lines_that_divide_lead_to_the_greatest_arm() {
        let piece = |arm: u32, from: u32, discharge_m3_s: f64| {
            let address = ArmAddress { cell: grid::Cell(7), arm, piece: 10 * arm };
            (address, link(from, from + 1, discharge_m3_s).1)
        };
        let arms = [piece(0, 3, 0.5), piece(1, 3, 1.5), piece(2, 4, 0.7), piece(3, 4, 0.6)];
        let mut rivers = of([link(1, 2, 2.0), link(2, 3, 2.0)]);
        rivers.arms = arms.into();
        let leads: Vec<Option<u32>> = network(&rivers).iter().map(|line| line.1).collect();
        assert_eq!(leads, [Some(2), Some(3), Some(3), None, None]);
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
