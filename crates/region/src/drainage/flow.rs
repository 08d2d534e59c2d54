//! Flow: drained area, discharge, order and bed of every site of a block, from those of the level above.
//!
//! A parent's own area and runoff are shared among the children that drain to its trunk, in proportion to the area that
//! *their* children will really drain where the next level is planned already (else to one part each). What comes in
//! from upstream comes in at the child that the exit leads to, exactly. So the exit's area and discharge are the
//! parent's, at every level. Children that reach the sea on their own (creeks) have the runoff of the part they lie in,
//! beside what the parent's river carries.
//!
//! Where a lake takes more than it gets, the parent's runoff is negative; all of that is taken at the exit.

use super::block::Block;
use super::heights;
use super::mesh::{Mesh, NONE};
use super::plan::{NOWHERE, Spot};
use grid::{Grid, Part, Topology};
use world::channel_depth_m;

/// Rings of sites around a block that are looked at: all that drains to a trunk lies within six of it.
pub(crate) const RINGS: u32 = 7;

/// What water does at one site.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Water {
    /// Drained area at the outlet, in m2.
    pub area_m2: f64,
    /// Discharge at the outlet, in m3/s.
    pub discharge_m3_s: f64,
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

/// The sites around a block, ordered from outlets up, with what they drain to.
pub(super) struct Sites<'a> {
    pub mesh: &'a Mesh,
    pub spots: &'a [Spot],
    /// Index of the receiver, or [`NONE`].
    pub receiver: Vec<u32>,
    /// Number, among `parents`, of the parent whose trunk the site drains to; [`NONE`] for creeks and the sea.
    pub basin: Vec<u32>,
    /// Sites from outlets up: a receiver within the mesh comes before those that drain to it.
    pub order: Vec<u32>,
    /// Distinct parents of all sites.
    pub parents: Vec<Part>,
    /// Number of each site's own parent.
    pub parent: Vec<u32>,
}

impl<'a> Sites<'a> {
    fn new(mesh: &'a Mesh, spots: &'a [Spot]) -> Self {
        let count = spots.len();
        let receiver: Vec<u32> = (0..count)
            .map(|i| match spots[i].receiver {
                NOWHERE => NONE,
                d => mesh.near[i][usize::from(d)],
            })
            .collect();
        let mut parents: Vec<Part> = mesh.parts.iter().map(|p| p.parent()).collect();
        parents.sort_unstable();
        parents.dedup();
        let number = |p: &Part| parents.binary_search(&p.parent()).expect("it was listed") as u32;
        let parent: Vec<u32> = mesh.parts.iter().map(number).collect();
        let mut sites =
            Self { mesh, spots, receiver, basin: vec![NONE; count], order: Vec::new(), parents, parent };
        sites.follow();
        sites
    }

    /// Follows every site down: finds an order from outlets up, and basins.
    fn follow(&mut self) {
        let count = self.spots.len();
        let mut done = vec![false; count];
        let mut way = Vec::new();
        for start in 0..count {
            let mut at = start as u32;
            while at != NONE && !done[at as usize] {
                done[at as usize] = true;
                way.push(at);
                at = self.receiver[at as usize];
            }
            while let Some(i) = way.pop() {
                let (i, to) = (i as usize, self.receiver[i as usize]);
                self.basin[i] = if self.spots[i].trunk {
                    self.parent[i]
                } else if to == NONE {
                    NONE
                } else {
                    self.basin[to as usize]
                };
                self.order.push(i as u32);
            }
        }
    }

    /// Whether water leaves the site's parent here.
    pub fn is_exit(&self, i: usize) -> bool {
        let to = self.receiver[i];
        self.spots[i].trunk && (to == NONE || self.parent[to as usize] != self.parent[i])
    }
}

/// What a flow is computed from.
pub(crate) struct Above<'a> {
    pub grid: &'a Topology,
    /// The plans of the block's own level.
    pub spot: &'a dyn Fn(Part) -> Spot,
    /// Waters of the level above.
    pub water: &'a dyn Fn(Part) -> Water,
    /// How many parts of the next level drain to a site; 4 where that is not planned.
    pub basin_parts: &'a dyn Fn(Part) -> f64,
}

/// The waters of a block of level 1 or deeper, row by row.
pub(crate) fn flow(block: Block, above: &Above) -> Vec<Water> {
    let rect = block.rect(above.grid);
    let mesh = Mesh::around(above.grid, block.level, rect, RINGS);
    let spots: Vec<Spot> = mesh.parts.iter().map(|&p| (above.spot)(p)).collect();
    let sites = Sites::new(&mesh, &spots);
    let over: Vec<Water> = sites.parents.iter().map(|&p| (above.water)(p)).collect();
    let mut waters = shares(&sites, &over, above);
    gather(&sites, &over, &mut waters);
    heights::surfaces(&sites, &over, block.level.size(above.grid.cell_m()), &mut waters);
    let own = rect.parts(block.level).map(|p| waters[mesh.find(p).expect("the block is in its mesh")]);
    own.collect()
}

/// What each site adds itself.
fn shares(sites: &Sites, over: &[Water], above: &Above) -> Vec<Water> {
    let parts: f64 = 1.0 / f64::from(1u32 << (2 * sites.mesh.level.0));
    let part_m2 = |i: usize| above.grid.area_m2(above.grid.cell_of(sites.mesh.parts[i])) * parts;
    let weight: Vec<f64> =
        (0..sites.spots.len()).map(|i| part_m2(i) * (above.basin_parts)(sites.mesh.parts[i])).collect();
    let mut sum = vec![0.0; over.len()];
    for (i, &b) in sites.basin.iter().enumerate().filter(|b| *b.1 != NONE) {
        sum[b as usize] += weight[i];
    }
    let share = |i: usize| {
        let mut water = Water::default();
        let basin = sites.basin[i];
        if basin != NONE {
            let (whole, part) = (&over[basin as usize], weight[i] / sum[basin as usize]);
            water.own_area_m2 = whole.own_area_m2 * part;
            water.own_runoff_m3_s = match whole.own_runoff_m3_s {
                takes if takes < 0.0 => f64::from(u8::from(sites.is_exit(i))) * takes,
                gives => gives * part,
            };
        } else if !sites.spots[i].sea {
            let whole = &over[sites.parent[i] as usize];
            water.own_area_m2 = part_m2(i);
            water.own_runoff_m3_s = whole.own_runoff_m3_s.max(0.0) * 0.25;
        }
        water
    };
    (0..sites.spots.len()).map(share).collect()
}

/// Adds everything up: areas, discharges, orders; depths follow.
fn gather(sites: &Sites, over: &[Water], waters: &mut [Water]) {
    for water in waters.iter_mut() {
        (water.area_m2, water.discharge_m3_s) = (water.own_area_m2, water.own_runoff_m3_s);
    }
    for i in sites.order.iter().rev().map(|&i| i as usize) {
        if sites.is_exit(i) {
            // exactly the parent's, whatever the sum of shares was rounded to
            let parent = over[sites.parent[i] as usize];
            let (own_area_m2, own_runoff_m3_s) = (waters[i].own_area_m2, waters[i].own_runoff_m3_s);
            waters[i] = Water { own_area_m2, own_runoff_m3_s, ..parent };
        } else {
            let deepest = over.get(sites.basin[i] as usize).map_or(f64::INFINITY, |parent| parent.depth_m);
            let depth_m = channel_depth_m(waters[i].discharge_m3_s).max(waters[i].depth_m);
            waters[i].depth_m = depth_m.min(deepest);
        }
        if sites.receiver[i] != NONE {
            let from = waters[i];
            let below = &mut waters[sites.receiver[i] as usize];
            below.area_m2 += from.area_m2;
            below.discharge_m3_s += from.discharge_m3_s;
            below.order = below.order.max(from.order);
            below.depth_m = below.depth_m.max(from.depth_m);
        }
    }
}
