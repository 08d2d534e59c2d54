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
use arrayvec::ArrayVec;
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
    parents: Vec<Origin>,
}

/// A parent that sites of a basin lie in.
struct Origin {
    part: Part,
    /// Whether its own water counts: that of the basin, of exits, and where creeks run.
    counts: bool,
}

/// Rivers around a parent: where they are, and their surfaces in metres.
type Rivers = ArrayVec<(Vec3, f64), 8>;

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
        parents.push(Origin { part: parent, counts: true });
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
                let own = self.parents[0].part;
                let enters = there.trunk && from.parent() != own;
                if enters || there.outlet == own {
                    self.add(from, there, at as u32, !enters);
                }
            }
        }
    }

    fn add(&mut self, part: Part, spot: Spot, receiver: u32, own: bool) {
        let above = part.parent();
        let number = self.parents.iter().position(|p| p.part == above);
        let number = number.unwrap_or_else(|| {
            self.parents.push(Origin { part: above, counts: false });
            self.parents.len() - 1
        });
        let exit = spot.trunk && (receiver == NONE || !own);
        self.parents[number].counts |= !own || spot.creek;
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
            if (above.has_lake)(self.parents[number].part) {
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
        let own = self.parents[0].part;
        receiver(above.grid, own, &(above.over)(own)).map(above.water)
    }

    /// The rivers of the level above around the parent of that number.
    fn rivers_around(&self, number: usize, above: &Above) -> Rivers {
        let part = self.parents[number].part;
        let near = Direction::ALL.into_iter().filter_map(|d| above.grid.step_part(part, d));
        near.map(|(part, _)| ((above.over)(part).at, (above.water)(part).surface_m)).collect()
    }

    /// What these rivers leave for the height of a site.
    fn bounds(&self, i: usize, rivers: &[(Vec3, f64)]) -> Bounds {
        let site = &self.all[i].spot;
        Bounds::around(site, rivers.iter().map(|&(river, surface_m)| (surface_m, river.distance(site.at))))
    }

    /// Finds the sites of the basin along its main river: from the exit up to where most comes from, be it from the basin or from
    /// beyond.
    fn find_stem(&self, over: &[Water], grounds: &mut [Ground]) {
        for (site, ground) in self.all.iter().zip(&mut *grounds) {
            let comes_m2 = over[site.parent as usize].area_m2;
            ground.drained_m2 = if site.own { ground.whole_m2 } else { comes_m2 };
        }
        for i in (0..self.len()).rev().filter(|&i| self.all[i].receiver != NONE) {
            let (to, drained_m2) = (self.all[i].receiver as usize, grounds[i].drained_m2);
            grounds[to].drained_m2 += drained_m2;
            let main = grounds[to].main;
            if main == NONE || grounds[main as usize].drained_m2 < drained_m2 {
                grounds[to].main = i as u32;
            }
        }
        let mut next = self.all.iter().position(|site| site.own && site.exit);
        while let Some(at) = next.filter(|&at| self.all[at].own) {
            let ground = &mut grounds[at];
            ground.on_stem = true;
            next = (ground.main != NONE).then_some(ground.main as usize);
        }
    }

    /// Whether the site drains to the trunk of the basin's parent.
    fn is_drained(&self, i: usize) -> bool {
        self.all[i].own && !self.all[i].spot.creek
    }
}

/// The ground of a site.
struct Ground {
    /// The area of its part, in m2.
    part_m2: f64,
    /// What it drains itself as far as the next level tells, in m2; nothing where it does not drain to the trunk.
    whole_m2: f64,
    /// With all upstream.
    drained_m2: f64,
    /// Which site brings most to it; [`NONE`] where none does.
    main: u32,
    /// Whether the main river of the basin runs there.
    on_stem: bool,
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
    let water = |of: &Origin| if of.counts { (above.water)(of.part) } else { Water::default() };
    let mut over: Vec<Water> = sites.parents.iter().map(water).collect();
    let mut waters = shares(&sites, &over, above);
    gather(&sites, &over, &mut waters);
    let level = Level(parent.level.0 + 1);
    let size_m = level.size(above.grid.cell_m());
    if parent.level > Level(0) {
        sites.hold_exits(above, size_m, &mut over);
    }
    let mut around: Vec<Option<Rivers>> = vec![None; sites.parents.len()];
    let bounds = |i: usize| {
        let number = sites.all[i].parent as usize;
        let rivers = around[number].get_or_insert_with(|| sites.rivers_around(number, above));
        sites.bounds(i, rivers)
    };
    heights::surfaces(&sites, &over, size_m, bounds, &mut waters);
    let own = || sites.all.iter().zip(&waters).filter(|site| site.0.own);
    let mut basin = Vec::with_capacity(own().count());
    basin.extend(own().map(|(site, water)| (site.part, *water)));
    basin
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
    let unknown =
        |part_m2: f64| Ground { part_m2, whole_m2: 0.0, drained_m2: 0.0, main: NONE, on_stem: false };
    let mut grounds: Vec<Ground> = (0..sites.len()).map(|i| unknown(part_m2(i))).collect();
    if let Some(planned_ahead) = above.planned_ahead {
        let drained = (0..sites.len()).filter(|&i| sites.is_drained(i));
        planned_ahead(drained.map(|i| sites.all[i].part).collect());
    }
    for (i, ground) in grounds.iter_mut().enumerate().filter(|ground| sites.is_drained(ground.0)) {
        ground.whole_m2 = ground.part_m2 * (above.basin_parts)(sites.all[i].part) / 4.0;
    }
    sites.find_stem(over, &mut grounds);
    let whole = &over[0];
    let balance = Balance::of(whole.own_area_m2, &grounds);
    let own_m2 = |i: usize| balance.own_m2(&grounds[i]);
    let wet = |i: usize| own_m2(i) * (f64::from(sites.all[i].spot.runoff_m3_s) + LEAST_RUNOFF_M3_S);
    let wet_sum: f64 = (0..sites.len()).map(wet).sum();
    let share = |i: usize| {
        let mut water = Water::default();
        if sites.is_drained(i) {
            water.own_area_m2 = own_m2(i);
            water.own_runoff_m3_s = match whole.own_runoff_m3_s {
                takes if takes < 0.0 => f64::from(u8::from(sites.all[i].exit)) * takes,
                gives => gives * (wet(i) / wet_sum),
            };
        } else if sites.all[i].own {
            let whole = &over[sites.all[i].parent as usize];
            water.own_area_m2 = grounds[i].part_m2;
            water.own_runoff_m3_s = whole.own_runoff_m3_s.max(0.0) * 0.25;
        }
        water
    };
    (0..sites.len()).map(share).collect()
}

/// How sites share an area: brooks have their ground, as far as that may be, and the main river what is left.
struct Balance {
    /// Shares of their ground that all have, and those of the main river beside.
    all: f64,
    on_stem: f64,
}

impl Balance {
    fn of(whole_m2: f64, grounds: &[Ground]) -> Self {
        let stem_m2: f64 = grounds.iter().filter(|ground| ground.on_stem).map(|ground| ground.whole_m2).sum();
        let sum_m2: f64 = grounds.iter().map(|ground| ground.whole_m2).sum();
        let on_stem = 1.0 + ((whole_m2 - sum_m2) / stem_m2).max(-MOST_TAKEN);
        Self { all: whole_m2 / (sum_m2 + (on_stem - 1.0) * stem_m2), on_stem }
    }

    /// What a site adds to the area, in m2.
    fn own_m2(&self, ground: &Ground) -> f64 {
        ground.whole_m2 * self.all * if ground.on_stem { self.on_stem } else { 1.0 }
    }
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
