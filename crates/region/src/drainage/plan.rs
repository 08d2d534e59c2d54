//! Plans: which way the water of each site goes, from the ways at the level above.
//!
//! For some parents the surroundings are looked at, and
//! 1. every child gets its position, drawn within a disc of [`JITTER`] of a part around the part's middle: four discs at
//!    a vertex form a convex quadrilateral wherever their sites lie, so that links on sides and one diagonal of each
//!    quadrilateral never cross;
//! 2. every parent's link is carried on by one link between children, its exit, near the gate of its river ([`super::passage`]);
//! 3. the trunk of each parent is found ([`super::trunk`]), and its sites move towards the river's curve ([`super::great`]);
//! 4. the other children join trunks by least cost ([`super::spread`]): `length (0.2 + 1.6 u) + climb + crests`, where u is
//!    the link's own number, climb the rise of the tops towards the trunk over the relief of a hillslope, and crests a cost for
//!    every ridge line between; to that comes what leaving the own parent costs, and what a trunk costs that lies high.
//!
//! Nothing here depends on areas, nor on heights but those that ways alone tell of.
//!
//! **A plan is of the whole level, whatever piece of it is looked at.** Where water goes in a piece could depend on what lies
//! beyond its rim. So everything at the rim counts as a place that water would reach at no cost: what is joined to a trunk
//! all the same is joined to it in the whole level. Where that leaves something open, the parent is looked at alone with
//! [`MOST_RINGS`] around it: what drains to it, and what lies beside that, joins nothing from farther away.

use super::block::Rect;
use super::crests::Crests;
use super::great::Bed;
use super::guide::{Aim, Guide};
use super::mesh::{Children, Mesh, NONE, links};
use super::passage;
use super::plain::{self, Plain, Plains};
use super::ways::{self, Joined, Rim, Ways};
use grid::{Cell, Draw, Grid, Key, Level, Part, Purpose, Seed, Topology, Vec3, math};

/// Rings of parents that are looked at around those whose children are planned together; and around one that this does not
/// settle.
pub(crate) const RINGS: u32 = 3;
pub(crate) const MOST_RINGS: u32 = 6;
/// Radius of the disc in which a site lies, in parts. Half the diagonal is 0.707: below half of that no
/// quadrilateral of four sites around a vertex is folded.
pub(crate) const JITTER: f64 = 0.35;
/// Levels at which a site takes the lowest of some candidates, and how many: there valleys find their ways
/// between ridges.
const CANDIDATE_LEVEL: Level = Level(2);
const CANDIDATES: usize = 3;
/// The deepest level at which ridge lines are looked for in the way; below, the tops say it all.
pub(crate) const CREST_LEVEL: Level = Level(5);
const SITE: Purpose = Purpose::new("region/drainage/site");
const LINK: Purpose = Purpose::new("region/drainage/link");
const EXIT: Purpose = Purpose::new("region/drainage/exit");
const GATE: Purpose = Purpose::new("region/drainage/swing");
const MEANDER: Purpose = Purpose::new("region/drainage/meander");

/// The water of this site goes nowhere.
pub(crate) const NOWHERE: u8 = u8::MAX;

/// What a plan knows of one site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Position in bent space, in metres.
    pub at: Vec3,
    pub top_m: f32,
    pub rise: f32,
    /// How much glaciers have shaped valleys, 0 to 1.
    pub ice: f32,
    /// The floodplain of a great river that it is on.
    pub plain: Plain,
    /// About what runs off a cell here, in m3/s.
    pub runoff_m3_s: f32,
    /// About the width of the river that runs through from the level above, in metres; 0 for a smaller one.
    pub width_m: f32,
    /// The direction in which the river of a trunk runs on, a unit vector; nothing off the trunks, and where a river neither enters nor leaves.
    pub ahead: Vec3,
    /// About how high the water runs, in metres, as far as ways alone tell.
    pub valley_m: f32,
    /// Index of the direction of the receiver, or [`NOWHERE`].
    pub receiver: u8,
    /// Whether the site carries on its parent's water.
    pub trunk: bool,
    /// Whether the sea covers it.
    pub sea: bool,
    /// The parent by which its water leaves: whose trunk it reaches, or where it ends in the sea.
    pub outlet: Part,
    /// Whether its water reaches the sea without any trunk.
    pub creek: bool,
}

impl Spot {
    /// A part of the sea at a place, without a river.
    pub fn nowhere(part: Part, at: Vec3) -> Self {
        Self {
            at,
            top_m: 0.0,
            rise: 0.1,
            ice: 0.0,
            plain: Plain::default(),
            runoff_m3_s: 0.0,
            width_m: 0.0,
            ahead: Vec3::default(),
            valley_m: 0.0,
            receiver: NOWHERE,
            trunk: true,
            sea: true,
            outlet: part,
            creek: false,
        }
    }
}

/// The plan of the children of a parent.
#[derive(Debug)]
pub(crate) struct Plan {
    pub spots: [Spot; 4],
    /// How many children, its own or of others, drain to the parent's trunk; of a cell at level 0 no use is made.
    pub basin_parts: u16,
}

/// What planning needs to know of a world.
pub(crate) struct Planner<'a> {
    pub grid: &'a Topology,
    sites: Key,
    pub(super) links: Key,
    pub(super) exits: Key,
    pub(super) gates: Key,
    pub(super) meanders: Key,
    apexes: Vec<Apex>,
    /// Cells of lakes, rising.
    lakes: Vec<Cell>,
}

/// Where a river divides into the arms of a delta.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apex {
    /// The river's last cell, and that of the sea: it lies on the border of both.
    pub cells: (Cell, Cell),
    /// In bent space, in metres.
    pub at: Vec3,
    /// Of the river that comes there, in m3/s.
    pub discharge_m3_s: f64,
    /// How high it runs at the last site before, at every level, and how deep it is, in metres.
    pub surface_m: f64,
    pub depth_m: f64,
}

/// Where a river divides into arms, if they are shown.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    pub apex: Apex,
    pub is_shown: bool,
    /// The apex in plain space, in metres.
    pub at: Vec3,
    /// The cells behind it, rising: what the drainage leads on there is without the river.
    pub behind: Vec<Cell>,
}

impl<'a> Planner<'a> {
    pub fn new(grid: &'a Topology, seed: Seed) -> Self {
        Self {
            grid,
            sites: seed.key(SITE),
            links: seed.key(LINK),
            exits: seed.key(EXIT),
            gates: seed.key(GATE),
            meanders: seed.key(MEANDER),
            apexes: Vec::new(),
            lakes: Vec::new(),
        }
    }

    /// The same with rivers led to the apexes of deltas, given by cell.
    pub fn with_apexes(self, apexes: Vec<Apex>) -> Self {
        Self { apexes, ..self }
    }

    /// The same with rivers led to the lakes of their cells, given rising.
    pub fn with_lakes(self, lakes: Vec<Cell>) -> Self {
        Self { lakes, ..self }
    }

    /// Whether a part lies in a cell of a lake.
    pub(super) fn has_lake(&self, part: Part) -> bool {
        self.lakes.binary_search(&self.grid.cell_of(part)).is_ok()
    }

    /// How far a place is from the nearest apex of a delta, in metres.
    pub(super) fn to_apex_m(&self, place: Vec3) -> f64 {
        self.apexes.iter().map(|apex| apex.at.distance(place)).fold(f64::INFINITY, f64::min)
    }

    /// The apex at which a river leaves a parent for its receiver, if a delta begins between them.
    pub(super) fn apex(&self, from: Part, to: Part) -> Option<Vec3> {
        if self.apexes.is_empty() {
            return None;
        }
        let cells = (self.grid.cell_of(from), self.grid.cell_of(to));
        let found = self.apexes.binary_search_by_key(&cells.0, |apex| apex.cells.0).ok()?;
        Some(&self.apexes[found]).filter(|apex| apex.cells == cells).map(|apex| apex.at)
    }

    /// Where the sites of a rectangle lie, row by row: each at the lowest of some places that its key draws within the disc
    /// around its part's middle.
    pub fn sites(&self, level: Level, rect: Rect, guide: &impl Guide) -> Vec<Placed> {
        let tries = if level <= CANDIDATE_LEVEL { CANDIDATES } else { 1 };
        let places: Vec<Vec3> = rect.parts(level).flat_map(|part| self.candidates(part, tries)).collect();
        guide.lowest(&places, tries).into_iter().map(|(at, aim)| Placed { at, aim }).collect()
    }

    /// So many places for the site of a part, in metres.
    fn candidates(&self, part: Part, tries: usize) -> impl Iterator<Item = Vec3> {
        let mut draw = self.sites.at(part);
        (0..tries).map(move |_| {
            let (along, down) = aside(&mut draw, JITTER);
            self.grid.within_part(part, along, down) * self.grid.metres_per_unit()
        })
    }

    /// The plans of the children of those parents of a mesh that are wanted, where it settles them, from the plans of these, the children's sites,
    /// and ridge lines around in bent space.
    pub fn plans(
        &self,
        mesh: &Mesh,
        (rim, wants): (Rim, impl Fn(&Part) -> bool),
        (parent, site): (impl Fn(Part) -> Spot, impl Fn(Part) -> Placed),
        lines: &[(Vec3, Vec3)],
    ) -> Vec<(Part, Plan)> {
        let parents: Vec<Spot> = mesh.parts.iter().map(|&p| parent(p)).collect();
        let children = mesh.children();
        let sites: Vec<Placed> = children.parts.iter().map(|&part| site(part)).collect();
        let receiver = |p: usize| match parents[p].receiver {
            NOWHERE => NONE,
            d => mesh.near[p][usize::from(d)],
        };
        let forced = |i: usize, j: usize| {
            let (p, q) = (i / 4, j / 4);
            // only diagonals of parents: over a side that two parents share there is always a straight link, and both
            // diagonals of the children there would be forced
            let diagonally = |a: usize, b: usize| receiver(a) == b as u32 && parents[a].receiver % 2 == 1;
            p != q && (diagonally(p, q) || diagonally(q, p))
        };
        let size_m = Level(mesh.level.0 + 1).size(self.grid.cell_m());
        let scale = self.grid.metres_per_unit();
        let middles: Vec<Vec3> = mesh.child_middles(self.grid).into_iter().map(|p| p * scale).collect();
        // over a side, the one along which a river runs
        let runs_along = |i: usize, j: usize| {
            let (p, q) = (i / 4, j / 4);
            receiver(p) == q as u32 && {
                let way = (middles[j] - middles[i]).normalized();
                way.dot(passage::ahead(&parents[p], &parents[q])) > RUNS_ALONG
            }
        };
        let forced =
            |i: usize, j: usize| forced(i, j) || i / 4 != j / 4 && (runs_along(i, j) || runs_along(j, i));
        let links = links(&children, |i| sites[i].at, forced);
        let cell_m = self.grid.cell_m();
        let ways = Ways {
            planner: self,
            crests: Crests::new(self.grid, mesh, lines),
            mesh,
            children: &children,
            links: &links,
            sites: &sites,
            parents: &parents,
            size_m,
            middles,
            relief_m: sites.iter().map(|site| ways::relief_m(&site.aim, size_m)).collect(),
            beside_lake: sites.iter().map(|site| ways::beside_lake(&site.aim, size_m, cell_m)).collect(),
            costs: vec![[const { std::cell::Cell::new(f64::NAN) }; 8]; sites.len()],
        };
        let joined = ways.join(rim);
        let settled = (0..parents.len()).filter(|&p| joined.settles(p) && wants(&mesh.parts[p]));
        settled.map(|p| (mesh.parts[p], self.plan(&ways, &joined, p))).collect()
    }

    /// The plan of a parent, as its ways are joined.
    fn plan(&self, ways: &Ways, joined: &Joined, p: usize) -> Plan {
        let Ways { mesh, children, sites, parents, size_m, .. } = *ways;
        let plains = Plains { mesh, parents, size_m };
        let plains = (!plains.none_in(p)).then_some(plains);
        let middle = |k: usize| ways.middles[4 * p + k];
        let beds: [Bed; 4] = ways.trunk(joined, p).map_or_else(Default::default, |trunk| trunk.beds(middle));
        let spot = |k: usize| {
            let i = 4 * p + k;
            let Placed { at, aim, .. } = sites[i];
            let bed = beds[k];
            let at = bed.at.unwrap_or(at);
            let known = (&aim, f64::from(joined.valley_m[i]));
            let plain = plains.as_ref().map_or(Plain::default(), |plains| plains.at(p, at, known));
            Spot {
                at,
                width_m: bed.width_m,
                ahead: bed.ahead,
                top_m: aim.top_m as f32,
                rise: plain::rise(aim.rise, f64::from(plain.share)) as f32,
                ice: aim.ice as f32,
                plain,
                runoff_m3_s: aim.runoff_m3_s as f32,
                valley_m: joined.valley_m[i],
                receiver: direction_to(children, i, joined.receiver[i]),
                trunk: joined.trunk[i],
                sea: aim.sea,
                outlet: mesh.parts[joined.outlet[i] as usize],
                creek: joined.creek[i],
            }
        };
        Plan { spots: std::array::from_fn(spot), basin_parts: joined.basin_parts[p] }
    }
}

/// Rivers cross a side along a diagonal where the cosine of the angle to that is more than this.
const RUNS_ALONG: f64 = 0.9;

/// A place that is drawn evenly within a disc around the middle of a part: how far along and down the part, its side being 1.
pub(super) fn aside(draw: &mut Draw, radius: f64) -> (f64, f64) {
    let (r, angle) = (radius * draw.unit().sqrt(), draw.range(0.0, std::f64::consts::TAU));
    (0.5 + r * math::cos(angle), 0.5 + r * math::sin(angle))
}

/// Where a site lies, and what its place is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Position in bent space, in metres.
    pub at: Vec3,
    pub aim: Aim,
}

/// The direction of a neighbour.
fn direction_to(children: &Children, i: usize, to: u32) -> u8 {
    if to == NONE {
        return NOWHERE;
    }
    let found = children.near[i].iter().position(|&n| n == to);
    found.map_or(NOWHERE, |d| d as u8)
}
