//! Flow: drained area, discharge, order and bed of every site, from those of the level above: basin by basin.
//!
//! The *basin* of a parent is all sites whose water leaves by it: those that drain to its trunk, and creeks that end in
//! the sea within it. It is found by following water up from the parent's own children, so that it is a function of the
//! parent's address, however far it reaches, and each site is in one basin.
//!
//! A parent's own area and runoff are shared among the children that drain to its trunk. Their *ground* is what their own children
//! will really drain where the next level is planned already (else one part each). Brooks have the area of their ground. What that and
//! the parent's area differ by is the main river's, from the exit up to where most comes from: it may have any more, and a quarter less
//! ([`MOST_TAKEN`]); what remains is taken from all alike. Shared by all alike from the beginning, errors of each level would multiply,
//! and brooks have half or twice their ground. Runoff goes with areas, and with what runs off the cells around, so that brooks grow
//! rarer towards dry ones. What comes in
//! from upstream comes in at the child that the exit leads to, exactly. So the exit's area and discharge are the
//! parent's, at every level. Children that reach the sea on their own (creeks), and those that lie in it, have the area and the
//! runoff of the part they lie in, beside what the parent's river carries: land of the level below may drain to them.
//!
//! Where a lake takes more than it gets, the parent's runoff is negative; all of that is taken at the exit.

use super::heights::{self, Bounds};
use super::mesh::NONE;
use super::plan::{NOWHERE, Spot};
use grid::{Direction, Grid, Level, Part, Topology, Vec3};
use world::channel_depth_m;

/// What water does at one site.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Water {
    /// Drained area at the outlet, in m2.
    pub area_m2: f64,
    /// Discharge at the outlet, in m3/s.
    pub discharge_m3_s: f64,
    /// What of that are rivers that end in deltas, from their last exit on, in m3/s.
    pub divided_m3_s: f64,
    /// The area and the runoff that the site adds itself.
    pub own_area_m2: f64,
    pub own_runoff_m3_s: f64,
    /// Surface of the water at the outlet, in metres; never rises downstream.
    pub surface_m: f64,
    /// Depth of the water, in metres; never falls downstream.
    pub depth_m: f64,
    /// Strahler order of the world's river that runs here; 0 for a smaller one.
    pub order: u8,
}

/// The sites of a basin and the exits of other parents that lead into it, ordered from outlets up.
pub(super) struct Sites {
    all: Vec<Member>,
    /// Distinct parents of all sites; the first is the basin's own.
    parents: Vec<Part>,
}

/// One of them.
pub(super) struct Member {
    part: Part,
    pub spot: Spot,
    /// Index of the receiver, which comes before; [`NONE`] where water ends or leaves the basin.
    pub receiver: u32,
    /// Number of the site's own parent.
    pub parent: u32,
    /// Whether it is of the basin itself, not an exit that leads into it.
    own: bool,
    /// Whether water leaves the site's parent there.
    pub exit: bool,
}

/// Few basins have more sites.
const USUAL: usize = 16;

impl Sites {
    /// Follows water up from the children of a parent.
    fn of(parent: Part, above: &Above) -> Self {
        let (grid, spot) = (above.grid, above.spot);
        let mut parents = Vec::with_capacity(USUAL);
        parents.push(parent);
        let mut sites = Self { all: Vec::with_capacity(USUAL), parents };
        for child in parent.children() {
            let here = spot(child);
            let ends = receiver(grid, child, &here).is_none_or(|to| here.trunk && to.parent() != parent);
            if ends && here.outlet == parent {
                sites.add(child, here, NONE, true);
            }
        }
        let mut next = 0;
        while next < sites.all.len() {
            if sites.all[next].own {
                sites.add_inflows(next, above);
            }
            next += 1;
        }
        sites
    }

    /// Adds what drains to a site: sites of the basin, and exits of other parents.
    fn add_inflows(&mut self, at: usize, above: &Above) {
        for direction in Direction::ALL {
            let Some((from, back)) = above.grid.step_part(self.all[at].part, direction) else { continue };
            if usize::from((above.receiver)(from)) == back.index() {
                let there = (above.spot)(from);
                let enters = there.trunk && from.parent() != self.parents[0];
                if enters || there.outlet == self.parents[0] {
                    self.add(from, there, at as u32, !enters);
                }
            }
        }
    }

    fn add(&mut self, part: Part, spot: Spot, receiver: u32, own: bool) {
        let above = part.parent();
        let number = self.parents.iter().position(|p| *p == above);
        let number = number.unwrap_or_else(|| {
            self.parents.push(above);
            self.parents.len() - 1
        });
        let exit = spot.trunk && (receiver == NONE || !own);
        self.all.push(Member { part, spot, receiver, parent: number as u32, own, exit });
    }

    /// Number of sites.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// A site by its number.
    pub fn of_number(&self, i: usize) -> &Member {
        &self.all[i]
    }

    /// Lowers the surfaces of parents whose exits would hang over the rivers that they lead to. A lake keeps its level up to
    /// where it ends.
    fn hold_exits(&self, above: &Above, size_m: f64, over: &mut [Water]) {
        let own = over[0];
        for exit in self.all.iter().filter(|site| site.exit) {
            let number = exit.parent as usize;
            if (above.has_lake)(self.parents[number]) {
                continue;
            }
            // what enters the basin comes to the river of its parent
            let below = if number == 0 { self.below(above) } else { Some(own) };
            if let Some(below) = below {
                over[number].surface_m = heights::held_m(&exit.spot, over[number].surface_m, &below, size_m);
            }
        }
    }

    /// The water that the basin's parent leads to; nothing where its own ends.
    fn below(&self, above: &Above) -> Option<Water> {
        let own = self.parents[0];
        receiver(above.grid, own, &(above.over)(own)).map(above.water)
    }

    /// The rivers of the level above around the parent of that number: where they are, and their surfaces in metres.
    fn rivers_around(&self, number: usize, above: &Above) -> Vec<(Vec3, f64)> {
        let near = Direction::ALL.into_iter().filter_map(|d| above.grid.step_part(self.parents[number], d));
        near.map(|(part, _)| ((above.over)(part).at, (above.water)(part).surface_m)).collect()
    }

    /// What these rivers leave for the height of a site.
    fn bounds(&self, i: usize, rivers: &[(Vec3, f64)]) -> Bounds {
        let site = &self.all[i].spot;
        Bounds::around(site, rivers.iter().map(|&(river, surface_m)| (surface_m, river.distance(site.at))))
    }

    /// The sites of the basin along its main river: from the exit up to where most comes from, be it from the basin or from beyond.
    fn stem(&self, over: &[Water], ground_m2: &[f64]) -> Vec<bool> {
        let mut drained_m2: Vec<f64> = (0..self.len())
            .map(|i| if self.all[i].own { ground_m2[i] } else { over[self.all[i].parent as usize].area_m2 })
            .collect();
        // of each site the one that brings most to it
        let mut main = vec![NONE; self.len()];
        for i in (0..self.len()).rev().filter(|&i| self.all[i].receiver != NONE) {
            let to = self.all[i].receiver as usize;
            drained_m2[to] += drained_m2[i];
            if main[to] == NONE || drained_m2[main[to] as usize] < drained_m2[i] {
                main[to] = i as u32;
            }
        }
        let mut stem = vec![false; self.len()];
        let mut next = self.all.iter().position(|site| site.own && site.exit);
        while let Some(at) = next.filter(|&at| self.all[at].own) {
            stem[at] = true;
            next = (main[at] != NONE).then_some(main[at] as usize);
        }
        stem
    }

    /// Whether the site drains to the trunk of the basin's parent.
    fn is_drained(&self, i: usize) -> bool {
        self.all[i].own && !self.all[i].spot.creek
    }
}

/// Where the water of a site goes; nothing where it ends.
fn receiver(grid: &Topology, part: Part, spot: &Spot) -> Option<Part> {
    let direction = (spot.receiver != NOWHERE).then(|| Direction::from_index(spot.receiver))?;
    grid.step_part(part, direction).map(|(to, _)| to)
}

/// What a flow is computed from.
pub(crate) struct Above<'a> {
    pub grid: &'a Topology,
    /// The plans of the basin's own level.
    pub spot: &'a dyn Fn(Part) -> Spot,
    /// The same as far as it says where the water goes.
    pub receiver: &'a dyn Fn(Part) -> u8,
    /// The plans, and the waters, of the level above.
    pub over: &'a dyn Fn(Part) -> Spot,
    pub water: &'a dyn Fn(Part) -> Water,
    /// Whether a parent lies in a cell of a lake.
    pub has_lake: &'a dyn Fn(Part) -> bool,
    /// How many parts of the next level drain to a site; 4 where that is not planned.
    pub basin_parts: &'a dyn Fn(Part) -> f64,
    /// Areas of cells, in m2.
    pub area_m2: &'a dyn Fn(Part) -> f64,
    /// Told of which sites that will be asked, so that what is lacking is planned together.
    pub planned_ahead: Option<&'a dyn Fn(Vec<Part>)>,
}

/// The sites of the basin of a parent, with their waters.
pub(crate) fn flow(parent: Part, above: &Above) -> Vec<(Part, Water)> {
    let sites = Sites::of(parent, above);
    // waters above are asked for where they count: of the basin itself, of exits, and where creeks run
    let mut counts = vec![false; sites.parents.len()];
    counts[0] = true;
    for i in (0..sites.len()).filter(|&i| !sites.is_drained(i)) {
        counts[sites.all[i].parent as usize] = true;
    }
    let water = |(part, counts): (&Part, bool)| if counts { (above.water)(*part) } else { Water::default() };
    let mut over: Vec<Water> = sites.parents.iter().zip(counts).map(water).collect();
    let mut waters = shares(&sites, &over, above);
    gather(&sites, &over, &mut waters);
    let level = Level(parent.level.0 + 1);
    let size_m = level.size(above.grid.cell_m());
    if parent.level > Level(0) {
        sites.hold_exits(above, size_m, &mut over);
    }
    let mut around: Vec<Option<Vec<(Vec3, f64)>>> = vec![None; sites.parents.len()];
    let bounds = |i: usize| {
        let number = sites.all[i].parent as usize;
        let rivers = around[number].get_or_insert_with(|| sites.rivers_around(number, above));
        sites.bounds(i, rivers)
    };
    heights::surfaces(&sites, &over, size_m, bounds, &mut waters);
    let own = (0..sites.len()).filter(|&i| sites.all[i].own);
    own.map(|i| (sites.all[i].part, waters[i])).collect()
}

/// What each site adds itself.
fn shares(sites: &Sites, over: &[Water], above: &Above) -> Vec<Water> {
    let parts: f64 = 1.0 / f64::from(1u32 << (2 * sites.all[0].part.level.0));
    let mut last = None;
    let mut part_m2 = |i: usize| {
        let Part { level, face, row, col } = sites.all[i].part;
        let cell = Part { level: Level(0), face, row: row >> level.0, col: col >> level.0 };
        let area_m2 = match last {
            Some((of, area_m2)) if of == cell => area_m2,
            _ => (above.area_m2)(cell) * parts,
        };
        last = Some((cell, area_m2));
        area_m2
    };
    let area_m2: Vec<f64> = (0..sites.len()).map(&mut part_m2).collect();
    if let Some(planned_ahead) = above.planned_ahead {
        let drained = (0..sites.len()).filter(|&i| sites.is_drained(i));
        planned_ahead(drained.map(|i| sites.all[i].part).collect());
    }
    let ground = |i: usize| match sites.is_drained(i) {
        true => area_m2[i] * (above.basin_parts)(sites.all[i].part) / 4.0,
        false => 0.0,
    };
    let ground_m2: Vec<f64> = (0..sites.len()).map(ground).collect();
    let whole = &over[0];
    let own_m2 = balanced(whole.own_area_m2, &ground_m2, &sites.stem(over, &ground_m2));
    let wet = |i: usize| own_m2[i] * (f64::from(sites.all[i].spot.runoff_m3_s) + LEAST_RUNOFF_M3_S);
    let wet_sum: f64 = (0..sites.len()).map(wet).sum();
    let share = |i: usize| {
        let mut water = Water::default();
        if sites.is_drained(i) {
            water.own_area_m2 = own_m2[i];
            water.own_runoff_m3_s = match whole.own_runoff_m3_s {
                takes if takes < 0.0 => f64::from(u8::from(sites.all[i].exit)) * takes,
                gives => gives * (wet(i) / wet_sum),
            };
        } else if sites.all[i].own {
            let whole = &over[sites.all[i].parent as usize];
            water.own_area_m2 = area_m2[i];
            water.own_runoff_m3_s = whole.own_runoff_m3_s.max(0.0) * 0.25;
        }
        water
    };
    (0..sites.len()).map(share).collect()
}

/// What sites add to an area, if they drain so much ground each, in m2: brooks theirs, as far as that may be, and the main river what
/// is left.
fn balanced(whole_m2: f64, ground_m2: &[f64], stem: &[bool]) -> Vec<f64> {
    let stem_m2: f64 = ground_m2.iter().zip(stem).filter(|site| *site.1).map(|site| site.0).sum();
    let sum_m2: f64 = ground_m2.iter().sum();
    let on_stem = 1.0 + ((whole_m2 - sum_m2) / stem_m2).max(-MOST_TAKEN);
    let all = whole_m2 / (sum_m2 + (on_stem - 1.0) * stem_m2);
    let own_m2 = |(ground_m2, stem): (&f64, &bool)| ground_m2 * all * if *stem { on_stem } else { 1.0 };
    ground_m2.iter().zip(stem).map(own_m2).collect()
}

/// Of what a main river drains itself, so much may be taken where a basin covers more ground than its area.
const MOST_TAKEN: f64 = 0.25;

/// The least that counts as running off a cell: with nothing around, all places count the same.
const LEAST_RUNOFF_M3_S: f64 = 1e-6;

/// Adds everything up: areas, discharges, orders; depths follow.
fn gather(sites: &Sites, over: &[Water], waters: &mut [Water]) {
    for water in waters.iter_mut() {
        (water.area_m2, water.discharge_m3_s) = (water.own_area_m2, water.own_runoff_m3_s);
    }
    for i in (0..sites.len()).rev() {
        if sites.all[i].exit {
            // exactly the parent's, whatever the sum of shares was rounded to
            let parent = over[sites.all[i].parent as usize];
            let (own_area_m2, own_runoff_m3_s) = (waters[i].own_area_m2, waters[i].own_runoff_m3_s);
            waters[i] = Water { own_area_m2, own_runoff_m3_s, ..parent };
        } else {
            let deepest = if sites.is_drained(i) { over[0].depth_m } else { f64::INFINITY };
            let depth_m = channel_depth_m(waters[i].discharge_m3_s).max(waters[i].depth_m);
            waters[i].depth_m = depth_m.min(deepest);
        }
        if sites.all[i].receiver != NONE {
            let from = waters[i];
            let below = &mut waters[sites.all[i].receiver as usize];
            below.area_m2 += from.area_m2;
            below.discharge_m3_s += from.discharge_m3_s;
            below.divided_m3_s += from.divided_m3_s;
            below.order = below.order.max(from.order);
            below.depth_m = below.depth_m.max(from.depth_m);
        }
    }
}
