//! The rivers that the samples of a window show, link by link.
//!
//! A link is shown where a sample on its line would show it: not under a lake or the sea, nor under a great river
//! ([`super::banks`]). Whether it is, is asked at places no farther apart than samples, and where the answer changes the end
//! is found by halving.
//!
//! A link is a function of its address alone, so windows and strips of one lattice agree on it. Arms of deltas are links too,
//! one for each of their straight pieces; the river's own link across the apex ends there.

use super::banks::GreatRivers;
use super::{Square, Work};
use crate::curve::nearest;
use crate::drainage::channels::Link;
use crate::drainage::drawn_level;
use crate::envelope;
use crate::primitives::Ball;
use crate::refine::widened;
use crate::terrain::{ArmPiece, ArmPlace, Carved, Channel, Near};
use grid::{Cell, Grid, Level, Part, Vec3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What is known around a link: of two windows the one that knows more is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// Too little: it is taken to be shown everywhere.
    Little,
    /// Lakes and the sea; great rivers outside the window may be missing.
    Lakes,
    /// A great river that it ends in, or lies under.
    Great,
}

/// A link of a river, downstream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RiverLink {
    /// The site that it leaves, and the one that it comes to.
    pub from: Part,
    pub to: Part,
    /// Area in m2 that drains through it, and discharge.
    pub area_m2: f64,
    pub discharge_m3_s: f64,
    pub order: u8,
    /// Number of the world's basin.
    pub basin: Option<u32>,
    pub points: Vec<Point>,
    /// Where it is shown: from and to, counted in points.
    pub shown: Vec<(f64, f64)>,
    /// What was known around it when that was found out.
    known: Known,
}

impl RiverLink {
    /// The place that comes nearest to another, counted in points.
    fn nearest(&self, place: Vec3) -> f64 {
        let piece = |(k, ends): (usize, &[Point])| {
            let (t, distance2) = nearest(place, ends[0].at, ends[1].at);
            (distance2, k as f64 + t)
        };
        let all = self.points.windows(2).enumerate().map(piece);
        all.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |nearest| nearest.1)
    }

    /// A place on the link, counted in points.
    fn at(&self, t: f64) -> Point {
        let k = (t as usize).min(self.points.len() - 2);
        self.points[k].lerp(&self.points[k + 1], t - k as f64)
    }

    /// Ends the link at a place, counted in points: from there it goes straight to a site, and does not rise.
    fn end_at(&mut self, t: f64, (to, site): (Part, Point)) {
        let bank = self.at(t);
        self.points.truncate(t.ceil() as usize);
        self.points.push(bank);
        let surface_m = site.surface_m.min(bank.surface_m);
        self.points.push(Point { at: site.at, bed_m: site.bed_m.min(bank.bed_m), surface_m });
        self.to = to;
        self.shown.retain(|run| run.0 < t);
        if let Some(run) = self.shown.last_mut() {
            run.1 = self.points.len() as f64 - 1.0;
        }
    }
}

#[cfg(test)]
impl RiverLink {
    /// A link that is shown all along.
    pub fn for_test((from, to): (Part, Part), discharge_m3_s: f64, points: Vec<Point>) -> Self {
        let shown = vec![(0.0, points.len() as f64 - 1.0)];
        Self {
            from,
            to,
            area_m2: 1e6,
            discharge_m3_s,
            order: 1,
            basin: None,
            points,
            shown,
            known: Known::Lakes,
        }
    }
}

/// A place on a river's line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// In metres.
    pub at: Vec3,
    pub bed_m: f64,
    pub surface_m: f64,
}

impl Point {
    /// Between this and another.
    pub fn lerp(&self, other: &Self, t: f64) -> Self {
        let between = |a: f64, b: f64| a + (b - a) * t;
        Self {
            at: self.at.lerp(other.at, t),
            bed_m: between(self.bed_m, other.bed_m),
            surface_m: between(self.surface_m, other.surface_m),
        }
    }
}

/// A piece of an arm of a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArmAddress {
    /// The river's last cell; the number of its arm, and that of the piece among all of the delta's.
    pub cell: Cell,
    pub arm: u32,
    pub piece: u32,
}

/// The links of rivers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rivers {
    /// By the sites that they leave.
    pub links: BTreeMap<Part, RiverLink>,
    /// The pieces of arms of deltas.
    pub arms: BTreeMap<ArmAddress, RiverLink>,
}

impl Rivers {
    /// Adds those of another window.
    pub fn merge(&mut self, other: Self) {
        merge(&mut self.links, other.links);
        merge(&mut self.arms, other.arms);
    }

    /// Shows links wherever their water stands higher than this, in metres: through lakes, and under greater rivers.
    pub fn show_above(&mut self, surface_m: f64) {
        let ends_above = |link: &&mut RiverLink| link.points.last().is_some_and(|p| p.surface_m > surface_m);
        for link in self.links.values_mut().filter(ends_above) {
            link.shown = vec![(0.0, link.points.len() as f64 - 1.0)];
        }
    }
}

fn merge<A: Ord>(all: &mut BTreeMap<A, RiverLink>, others: BTreeMap<A, RiverLink>) {
    for (address, link) in others {
        match all.get(&address) {
            Some(own) if own.known >= link.known => {}
            _ => {
                all.insert(address, link);
            }
        }
    }
}

/// Places between which the end of a river is looked for are halved so often.
const HALVINGS: usize = 12;

impl Work<'_> {
    /// The links of rivers in and around the window.
    pub fn rivers(&self) -> Rivers {
        let inside = widened(self.grid, self.under, 1);
        let great = GreatRivers::new(self);
        let of_block = |squares: &[Square]| -> Vec<RiverLink> {
            let runs = squares.iter().flat_map(Square::runs).filter(|(_, run)| self.draws(&run[0]));
            let mut found: Vec<RiverLink> = runs.map(|(id, run)| self.link(id, run)).collect();
            let places = found.iter().flat_map(|l| l.points.iter().map(|p| p.at));
            let Some(ball) = Ball::around(places) else { return found };
            let near = self.lands.terrain.within(ball, self.spacing_m);
            let great = great.near(&ball);
            for link in &mut found {
                self.show(link, (&near, &great), &inside);
            }
            found
        };
        let blocks: Vec<&[Square]> = self.squares.chunk_by(|a, b| a.block == b.block).collect();
        let all = blocks.into_par_iter().flat_map_iter(of_block).map(|link| (link.from, link));
        let links = all.collect::<Vec<_>>().into_iter().collect();
        Rivers { links, arms: self.arms(&inside) }
    }

    /// The arms of deltas in and around the window, of which these cells are known.
    fn arms(&self, inside: &[Cell]) -> BTreeMap<ArmAddress, RiverLink> {
        let pieces = self.lands.terrain.arms(self.spacing_m);
        let same_arm = |a: &ArmPiece, b: &ArmPiece| (a.cells, a.arm) == (b.cells, b.arm);
        let mut all = BTreeMap::new();
        for arm in pieces.chunk_by(same_arm) {
            let ends = |p: &ArmPiece| p.ends.map(|end| end.at);
            let is_known = |p: &&ArmPiece| ends(p).iter().all(|at| self.lies_in(*at, inside));
            let Some(ball) = Ball::around(arm.iter().filter(is_known).flat_map(ends)) else { continue };
            let near = self.lands.terrain.within(ball, self.spacing_m);
            for piece in arm.iter().filter(is_known) {
                let (cell, number) = (piece.cells.0, piece.number);
                let address = ArmAddress { cell, arm: piece.arm, piece: number };
                all.insert(address, self.arm(piece, &near));
            }
        }
        all
    }

    /// A piece of an arm, where samples show it.
    fn arm(&self, piece: &ArmPiece, near: &Near) -> RiverLink {
        let [from, to] = [piece.cells.0, piece.cells.1].map(|cell| self.part_of(cell));
        let points = piece.ends.map(|ArmPlace { at, bed_m, surface_m }| Point { at, bed_m, surface_m });
        let is_known = points.iter().all(|p| self.lies_in(p.at, self.under));
        let mut link = RiverLink {
            from,
            to,
            area_m2: piece.area_m2,
            discharge_m3_s: piece.discharge_m3_s,
            order: piece.order,
            basin: self.mouth_basins.get(&piece.cells.0).copied().flatten(),
            points: points.to_vec(),
            shown: Vec::new(),
            known: if is_known { Known::Lakes } else { Known::Little },
        };
        // samples show them whatever other rivers have made of the ground
        let bare = Carved::land(f64::INFINITY);
        link.shown =
            self.shown(&link, |t| near.compose(link.at(t).at, &bare).discharge_m3_s > 0.0, |_, _| {});
        link
    }

    /// The spacing of sites, in metres.
    pub(super) fn site_m(&self) -> f64 {
        drawn_level(self.grid.cell_m(), self.spacing_m).map_or(f64::INFINITY, |l| l.size(self.grid.cell_m()))
    }

    /// A cell as a part.
    fn part_of(&self, cell: Cell) -> Part {
        let (face, row, col) = self.grid.shape().split(cell);
        Part { level: Level(0), face, row, col }
    }

    /// Whether a place lies in one of some cells, sorted.
    fn lies_in(&self, p: Vec3, cells: &[Cell]) -> bool {
        let cell = self.grid.locate(p / self.grid.metres_per_unit());
        cell.is_some_and(|cell| cells.binary_search(&cell).is_ok())
    }

    fn draws(&self, channel: &envelope::Channel) -> bool {
        self.style.draws(channel)
    }

    /// A link by its number and pieces.
    pub(super) fn link(&self, id: u32, run: &[envelope::Channel]) -> RiverLink {
        let (first, last) = (&run[0], &run[run.len() - 1]);
        let Link { from, to, area_m2, .. } = self.links[id as usize];
        let point = |at: Vec3, bed_m: f64, depth_m: f64| Point { at, bed_m, surface_m: bed_m + depth_m };
        let mut points: Vec<Point> = run.iter().map(|c| point(c.a, c.bed_m.0, c.depth_m.0)).collect();
        points.push(point(last.b, last.bed_m.1, last.depth_m.1));
        RiverLink {
            from,
            to,
            area_m2,
            discharge_m3_s: first.discharge_m3_s,
            order: first.order,
            basin: self.basin_of_link(id),
            shown: vec![(0.0, points.len() as f64 - 1.0)],
            points,
            known: Known::Little,
        }
    }

    /// Finds out where a link is shown; one away from the window is taken to be shown everywhere.
    fn show(&self, link: &mut RiverLink, (near, great): (&Near, &GreatRivers), inside: &[Cell]) {
        let within = |cells: &[Cell]| link.points.iter().all(|p| self.lies_in(p.at, cells));
        if !within(inside) {
            return;
        }
        let known = if within(self.under) { Known::Lakes } else { Known::Little };
        let wet = |t: f64| {
            let p = link.at(t);
            !great.cover(link, p.at) && self.covers(near, link, &p)
        };
        let mut bank = None;
        let shown = self.shown(link, wet, |end, beyond| {
            if bank.is_none() && great.cover(link, link.at(beyond).at) {
                bank = Some(end);
            }
        });
        let covered = shown.is_empty() && great.cover(link, link.points[0].at);
        (link.shown, link.known) = (shown, if covered { Known::Great } else { known });
        if let Some((bank, site)) =
            bank.and_then(|bank| Some((bank, great.nearest_site(link, &link.at(bank))?)))
        {
            link.end_at(bank, site);
            link.known = Known::Great;
        }
        self.end_at_apex(link);
    }

    /// Ends the link of a river that divides into the arms of a delta at the apex, where their lines begin.
    fn end_at_apex(&self, link: &mut RiverLink) {
        let cells = (self.grid.cell_of(link.from), self.grid.cell_of(link.to));
        let river = (cells.0, link.discharge_m3_s);
        let Some((border, apex)) = self.lands.terrain.line_end(river, self.spacing_m) else { return };
        if cells != border {
            return;
        }
        // its course passes there
        let t = link.nearest(apex.at);
        let Point { bed_m, surface_m, .. } = link.at(t);
        link.points.truncate(t.ceil() as usize);
        link.points.push(Point { at: apex.at, bed_m, surface_m });
        let last = link.points.len() as f64 - 1.0;
        for point in &mut link.points {
            // no arm begins higher
            point.bed_m = point.bed_m.max(apex.bed_m);
            point.surface_m = point.surface_m.max(apex.surface_m);
        }
        link.shown.retain(|run| run.0 < last);
        if let Some(run) = link.shown.last_mut() {
            run.1 = last;
        }
    }

    /// Where a link is shown, from and to, counted in points: `wet` says it of a place. `dries` is told where it ceases to be, and
    /// of a place behind that.
    fn shown(
        &self,
        link: &RiverLink,
        wet: impl Fn(f64) -> bool,
        mut dries: impl FnMut(f64, f64),
    ) -> Vec<(f64, f64)> {
        let mut shown: Vec<(f64, f64)> = Vec::new();
        let (mut last, mut was) = (0.0, wet(0.0));
        if was {
            shown.push((0.0, 0.0));
        }
        for k in 0..link.points.len() - 1 {
            let steps =
                (link.points[k].at.distance(link.points[k + 1].at) / self.spacing_m).ceil().max(1.0) as usize;
            for step in 1..=steps {
                let t = k as f64 + step as f64 / steps as f64;
                let is = wet(t);
                if is != was {
                    let end = turn(&wet, was, last, t);
                    if was {
                        dries(end, t);
                    }
                    match shown.last_mut().filter(|_| was) {
                        Some(run) => run.1 = end,
                        None => shown.push((end, end)),
                    }
                }
                (last, was) = (t, is);
            }
        }
        if let Some(run) = shown.last_mut().filter(|_| was) {
            run.1 = last;
        }
        shown
    }

    /// Whether a sample at a place of a link shows the river, not an arm of a delta.
    fn covers(&self, near: &Near, link: &RiverLink, p: &Point) -> bool {
        let RiverLink { discharge_m3_s, order, .. } = *link;
        let river = Channel { bed_m: p.bed_m, surface_m: p.surface_m, discharge_m3_s, order };
        let sample =
            near.compose(p.at, &Carved { elevation_m: p.bed_m, foot_m: p.bed_m, river: Some(river) });
        discharge_m3_s > 0.0 && sample.discharge_m3_s == discharge_m3_s
    }
}

/// Where a line that is `was` at `a` and not at `b` turns.
fn turn(wet: impl Fn(f64) -> bool, was: bool, a: f64, b: f64) -> f64 {
    let (mut a, mut b) = (a, b);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (a + b);
        if wet(middle) == was { a = middle } else { b = middle }
    }
    if was { a } else { b }
}
