//! Plans: which way the water of each site goes, from the ways at the level above.
//!
//! For a block of sites: the surroundings of its parents are looked at, [`RINGS`] of them, and
//! 1. every child gets its position, drawn within a disc of [`JITTER`] of a part around the part's middle: four discs at
//!    a vertex form a convex quadrilateral wherever their sites lie, so that links on sides and one diagonal of each
//!    quadrilateral never cross;
//! 2. every parent's link is carried on by one link between children, its exit;
//! 3. the trunk of each parent is found ([`super::trunk`]);
//! 4. the other children join trunks by least cost: `length (0.2 + 1.6 u) + climb + crests`, where u is the link's own
//!    number, climb the rise of the tops towards the trunk over the relief of a hillslope, and crests [`CREST`] for every
//!    ridge line between, and [`ABROAD`] is added for leaving the own parent (Dijkstra's algorithm from all trunks and the sea at once).
//!
//! Nothing here depends on areas or heights of the drainage.

use super::block::{Block, Rect};
use super::crests::Crests;
use super::great::{self, Bed, Trunk};
use super::guide::{Aim, Guide};
use super::mesh::{self, Children, Mesh, NONE, links};
use super::trunk;
use grid::{Direction, Grid, Key, Level, Part, Purpose, Seed, Topology, Vec3, math};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rings of parents around a block's own that are looked at: ways to a trunk are shorter than twice as many steps.
pub(crate) const RINGS: u32 = 3;
/// Radius of the disc in which a site lies, in parts. Half the diagonal is 0.707: below half of that no
/// quadrilateral of four sites around a vertex is folded.
pub(crate) const JITTER: f64 = 0.35;
/// Levels at which a site takes the lowest of some candidates, and how many: there valleys find their ways
/// between ridges.
const CANDIDATE_LEVEL: Level = Level(2);
const CANDIDATES: u32 = 3;
/// The deepest level at which ridge lines are looked for in the way; below, the tops say it all.
pub(crate) const CREST_LEVEL: Level = Level(5);
/// What a ridge line in the way costs, in parts.
const CREST: f64 = 2.5;
/// Leaving the own parent costs so much, in parts: basins keep near the size of a part.
const ABROAD: f64 = 0.35;
/// Climbing by the relief of a hillslope costs so much, in parts; and the most that climbing can cost.
const CLIMB: f64 = 1.4;
const MOST_CLIMB: f64 = 2.5;

/// What a great river gives for leaving its parent a part's side from the straight way.
const STRAIGHT: f64 = 3.0;

const SITE: Purpose = Purpose::new("region/drainage/site");
const LINK: Purpose = Purpose::new("region/drainage/link");
const EXIT: Purpose = Purpose::new("region/drainage/exit");

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
    /// About the width of the river that runs through from the level above, in metres; 0 for a smaller one.
    pub width_m: f32,
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

/// The plan of a block.
pub(crate) struct Plan {
    /// Row by row.
    pub spots: Vec<Spot>,
    /// How many children drain to the trunk of each of the block's parents, row by row; of a cell at level 0 no use is
    /// made.
    pub basin_parts: Vec<u16>,
}

/// What planning needs to know of a world.
pub(crate) struct Planner<'a> {
    pub grid: &'a Topology,
    sites: Key,
    links: Key,
    exits: Key,
}

impl<'a> Planner<'a> {
    pub fn new(grid: &'a Topology, seed: Seed) -> Self {
        Self { grid, sites: seed.key(SITE), links: seed.key(LINK), exits: seed.key(EXIT) }
    }

    /// Where the sites of a rectangle lie, row by row.
    pub fn sites(&self, level: Level, rect: Rect, guide: &impl Guide) -> Vec<Placed> {
        rect.parts(level).map(|part| self.site(part, guide)).collect()
    }

    /// Where a site lies: the lowest of some places that its key draws within the disc around its part's middle.
    fn site(&self, part: Part, guide: &impl Guide) -> Placed {
        let mut draw = self.sites.at(part);
        let tries = if part.level <= CANDIDATE_LEVEL { CANDIDATES } else { 1 };
        let mut best: Option<(Vec3, Aim)> = None;
        for _ in 0..tries {
            let (r, angle) = (JITTER * draw.unit().sqrt(), draw.range(0.0, std::f64::consts::TAU));
            let (along, down) = (0.5 + r * math::cos(angle), 0.5 + r * math::sin(angle));
            let at = self.grid.within_part(part, along, down) * self.grid.metres_per_unit();
            let aim = guide.aim(at);
            if best.as_ref().is_none_or(|b| aim.top_m < b.1.top_m) {
                best = Some((at, aim));
            }
        }
        let (at, aim) = best.expect("at least one was tried");
        Placed { at, aim }
    }

    /// The plan of a block of level 1 or deeper, from the plans of its parents, the sites of its level, and ridge lines
    /// around it in bent space.
    pub fn plan(
        &self,
        block: Block,
        parent: impl Fn(Part) -> Spot,
        site: impl Fn(Part) -> Placed,
        lines: &[(Vec3, Vec3)],
    ) -> Plan {
        let rect = block.rect(self.grid);
        let above = Level(block.level.0 - 1);
        let mesh = Mesh::around(self.grid, above, rect.parents(), RINGS);
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
        let links = links(&children, |i| sites[i].at, forced);
        let ways = Ways {
            planner: self,
            crests: Crests::new(self.grid, &mesh, lines),
            children: &children,
            links: &links,
            sites: &sites,
            parents: &parents,
            size_m: block.level.size(self.grid.cell_m()),
        };
        let joined = ways.join(&mesh, &parents);
        let beds = |part: Part| {
            let p = mesh.find(part).expect("the block's parents are in the mesh");
            let middle = |k: usize| {
                self.grid.within_part(children.parts[4 * p + k], 0.5, 0.5) * self.grid.metres_per_unit()
            };
            ways.trunk(&joined, p, receiver(p)).map_or_else(Default::default, |trunk| trunk.beds(middle))
        };
        let beds: Vec<[Bed; 4]> = rect.parents().parts(above).map(beds).collect();
        let spots = rect.parts(block.level).map(|part| {
            let child = (part.row % 2 * 2 + part.col % 2) as usize;
            let i = mesh.find(part.parent()).expect("the block's parents are in the mesh") * 4 + child;
            let Placed { at, aim, .. } = sites[i];
            let own = rect.parents().index(part.parent()).expect("a parent of the block");
            let bed = beds[own][child];
            Spot {
                at: bed.at.unwrap_or(at),
                width_m: bed.width_m,
                top_m: aim.top_m as f32,
                rise: aim.rise as f32,
                ice: aim.ice as f32,
                receiver: direction_to(&children, i, joined.receiver[i]),
                trunk: joined.trunk[i],
                sea: aim.sea,
                outlet: mesh.parts[joined.outlet[i] as usize],
                creek: joined.creek[i],
            }
        });
        let spots = spots.collect();
        let of_parent = |part| joined.basin_parts[mesh.find(part).expect("in the mesh")];
        let basin_parts = rect.parents().parts(above).map(of_parent).collect();
        Plan { spots, basin_parts }
    }
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

/// Ways that water can take among the children of a mesh.
pub(super) struct Ways<'a> {
    planner: &'a Planner<'a>,
    crests: Crests<'a>,
    children: &'a Children,
    links: &'a [u8],
    sites: &'a [Placed],
    parents: &'a [Spot],
    size_m: f64,
}

/// Who drains to whom.
struct Joined {
    receiver: Vec<u32>,
    trunk: Vec<bool>,
    /// The parent by which each child's water leaves, and whether it reaches no trunk.
    outlet: Vec<u32>,
    creek: Vec<bool>,
    basin_parts: Vec<u16>,
    /// For each parent the child by which its water leaves, and the child of another that it comes to.
    exits: Vec<(u32, u32)>,
}

impl Joined {
    /// The children by which rivers enter a parent, each with the parent that it comes from.
    fn entries(&self, p: usize) -> Vec<(u32, usize)> {
        let enters = |e: &(usize, &(u32, u32))| e.1.1 != NONE && e.1.1 as usize / 4 == p;
        self.exits.iter().enumerate().filter(enters).map(|(from, exit)| (exit.1 % 4, from)).collect()
    }
}

impl<'a> Ways<'a> {
    /// The trunk of a parent through which a river runs that may be a great one.
    fn trunk(&self, joined: &Joined, p: usize, receiver: u32) -> Option<Trunk<'a>> {
        let exit = joined.exits[p].0;
        if exit == NONE || self.parents[p].width_m <= 0.0 {
            return None;
        }
        let next = |k: usize| {
            let to = joined.receiver[4 * p + k];
            (joined.trunk[4 * p + k] && to != NONE && to as usize / 4 == p).then_some(to % 4)
        };
        Some(Trunk {
            parents: self.parents,
            parent: p,
            receiver,
            entries: joined.entries(p),
            next: std::array::from_fn(next),
            exit: exit % 4,
            at: std::array::from_fn(|k| self.sites[4 * p + k].at),
            size_m: self.size_m,
        })
    }
}

/// A way from a child to a neighbour: its length in parts, and the cost of climbing; a lake costs little to cross.
struct Way {
    length: f64,
    climb: Option<f64>,
}

impl Way {
    /// The cost but for ridge lines, where the link's own number is known.
    fn with(&self, chance: f64) -> f64 {
        self.climb.map_or(0.1 * self.length, |climb| self.length * (0.2 + 1.6 * chance) + climb)
    }

    /// The way costs no less.
    fn least(&self) -> f64 {
        self.with(0.0)
    }
}

impl Ways<'_> {
    /// What a way from a child to a neighbour costs by its length and its climb.
    fn way(&self, from: usize, to: usize) -> Way {
        let length = self.sites[from].at.distance(self.sites[to].at) / self.size_m;
        let (here, there) = (&self.sites[from].aim, &self.sites[to].aim);
        if here.lake_m.is_some() && there.lake_m.is_some() {
            return Way { length, climb: None };
        }
        let relief_m = here.rise * self.size_m + 2.0;
        let climb = (CLIMB * (there.top_m - here.top_m).max(0.0) / relief_m).min(MOST_CLIMB);
        Way { length, climb: Some(climb) }
    }

    /// What it costs in all, in parts: with the link's own number, and ridge lines in the way.
    fn cost_of(&self, way: &Way, from: usize, to: usize) -> f64 {
        if way.climb.is_none() {
            return way.least();
        }
        let (a, b) = (self.children.parts[from], self.children.parts[to]);
        let chance = self.planner.links.unit_at((a.min(b), a.max(b)));
        way.with(chance) + CREST * self.crests(from, to)
    }

    /// How many ridge lines a way crosses.
    fn crests(&self, from: usize, to: usize) -> f64 {
        let bent = |i: usize| (self.sites[i].at, i / 4);
        f64::from(self.crests.between(bent(from), bent(to)))
    }

    /// Whether a child is linked to its neighbour in a direction.
    fn is_linked(&self, from: usize, direction: usize) -> bool {
        self.links[from] >> direction & 1 == 1
    }

    /// Costs of the ways from each child of parent `p` to each other, in parts: along a great river their length alone;
    /// infinite where there is none.
    pub fn within(&self, p: usize) -> [[f64; 4]; 4] {
        let great = great::greatness(self.parents[p].width_m, self.size_m);
        let cost = |from: usize, to: usize| {
            let (i, j) = (4 * p + from, 4 * p + to);
            if !mesh::DIRECTION_WITHIN[from][to].is_some_and(|d| self.is_linked(i, d)) {
                return f64::INFINITY;
            }
            let way = self.way(i, j);
            math::mix(self.cost_of(&way, i, j), way.length, great).max(1e-6)
        };
        std::array::from_fn(|from| std::array::from_fn(|to| cost(from, to)))
    }

    fn join(&self, mesh: &Mesh, parents: &[Spot]) -> Joined {
        let count = self.children.parts.len();
        let exits: Vec<(u32, u32)> = (0..parents.len()).map(|p| self.exit(mesh, parents, p)).collect();
        let mut entries = vec![0u8; parents.len()];
        for &(_, into) in exits.iter().filter(|e| e.1 != NONE) {
            entries[into as usize / 4] |= 1 << (into % 4);
        }
        let mut receiver = vec![NONE; count];
        let mut on_trunk = vec![false; count];
        for (p, &(exit, into)) in exits.iter().enumerate().filter(|e| e.1.0 != NONE) {
            for (k, to) in trunk::find(self, p, exit % 4, entries[p]) {
                on_trunk[4 * p + k as usize] = true;
                receiver[4 * p + k as usize] = to.map_or(into, |to| 4 * p as u32 + to);
            }
        }
        let (outlet, creek) = self.spread(&on_trunk, &mut receiver);
        let mut basin_parts = vec![0u16; parents.len()];
        for (&p, _) in outlet.iter().zip(&creek).filter(|c| !c.1) {
            basin_parts[p as usize] += 1;
        }
        Joined { receiver, trunk: on_trunk, outlet, creek, basin_parts, exits }
    }

    /// The link between children that carries on the link of parent `p`: from its child, to its receiver's. A parent
    /// without a receiver has a seat, where its water ends.
    fn exit(&self, mesh: &Mesh, parents: &[Spot], p: usize) -> (u32, u32) {
        let child = |q: usize, k: u32| 4 * q as u32 + k;
        if parents[p].receiver == NOWHERE {
            return (child(p, self.seat(p)), NONE);
        }
        let d = Direction::from_index(parents[p].receiver);
        let q = mesh.near[p][usize::from(parents[p].receiver)];
        if q == NONE {
            return (NONE, NONE); // at the rim of the mesh, too far out to matter
        }
        let (first, second) = Mesh::at_side(d);
        let mut best = (f64::INFINITY, (NONE, NONE));
        let own = [Some(first), Some(second).filter(|&k| k != first)];
        for from in own.into_iter().flatten().map(|k| child(p, k)) {
            for (d, &to) in self.children.near[from as usize].iter().enumerate() {
                if to != NONE && to / 4 == q && self.is_linked(from as usize, d) {
                    let cost =
                        self.exit_cost(from as usize, to as usize, (&parents[p], &parents[q as usize]));
                    if cost < best.0 {
                        best = (cost, (from, to));
                    }
                }
            }
        }
        best.1
    }

    fn exit_cost(&self, from: usize, to: usize, (own, below): (&Spot, &Spot)) -> f64 {
        let (a, b) = (self.children.parts[from], self.children.parts[to]);
        let chance = self.planner.exits.unit_at((a.min(b), a.max(b)));
        let (here, there) = (&self.sites[from].aim, &self.sites[to].aim);
        let high = here.top_m.max(there.top_m) / (0.5 * (here.rise + there.rise) * self.size_m + 5.0);
        let crests = self.crests(from, to);
        // rivers keep out of bays, and end at sea
        let wet = |aim: &Aim| f64::from(u8::from(aim.sea));
        let bay = if below.sea { wet(here) + 1.0 - wet(there) } else { wet(here) + wet(there) };
        // great rivers take the straight way
        let great = great::greatness(own.width_m, self.size_m);
        let aside_m = (self.sites[from].at + self.sites[to].at).distance(own.at + below.at) * 0.5;
        let free = chance + 0.8 * high;
        free + (STRAIGHT * aside_m / self.size_m - free) * great + CREST * crests + bay
    }

    /// The child where the water of a parent without a receiver ends: at sea or in a lake if there is one, the lowest.
    fn seat(&self, p: usize) -> u32 {
        let rank = |k: u32| {
            let i = 4 * p + k as usize;
            let aim = &self.sites[i].aim;
            let open = self.children.near[i].contains(&NONE);
            let dry = !(aim.sea || aim.lake_m.is_some());
            (dry && !open, if dry { aim.top_m } else { aim.shore })
        };
        let order = |a: &u32, b: &u32| {
            let ((dry_a, top_a), (dry_b, top_b)) = (rank(*a), rank(*b));
            dry_a.cmp(&dry_b).then(top_a.total_cmp(&top_b))
        };
        (0..4).min_by(order).expect("four children")
    }

    /// Lets every child that is on no trunk join one, or the sea. Returns the parent by which the water of each leaves,
    /// and whether it reaches no trunk.
    fn spread(&self, on_trunk: &[bool], receiver: &mut [u32]) -> (Vec<u32>, Vec<bool>) {
        let count = on_trunk.len();
        let mut cost = vec![f64::INFINITY; count];
        let mut outlet: Vec<u32> = (0..count as u32).map(|i| i / 4).collect();
        let mut creek: Vec<bool> = on_trunk.iter().map(|&on| !on).collect();
        let mut done: Vec<bool> = (0..count).map(|i| on_trunk[i] || self.sites[i].aim.sea).collect();
        let ends: Vec<usize> = (0..count).filter(|&i| done[i]).collect();
        ends.iter().for_each(|&i| cost[i] = 0.0);
        let mut queue = BinaryHeap::new();
        let mut reach = |i: usize, done: &[bool], queue: &mut BinaryHeap<Reverse<(u64, u32)>>| {
            for (d, &n) in self.children.near[i].iter().enumerate() {
                if n == NONE || !self.is_linked(i, d) || done[n as usize] {
                    continue;
                }
                let n = n as usize;
                let at_home = outlet[i] == n as u32 / 4 && !creek[i];
                let abroad = if at_home { 0.0 } else { ABROAD };
                let through = |parts: f64| cost[i] + parts.max(1e-6) + abroad;
                let way = self.way(n, i);
                if through(way.least()) >= cost[n] {
                    continue;
                }
                let through = through(self.cost_of(&way, n, i));
                if through < cost[n] {
                    (cost[n], receiver[n]) = (through, i as u32);
                    (outlet[n], creek[n]) = (outlet[i], creek[i]);
                    queue.push(Reverse((through.to_bits(), n as u32)));
                }
            }
        };
        ends.iter().for_each(|&i| reach(i, &done, &mut queue));
        while let Some(Reverse((_, i))) = queue.pop() {
            if !std::mem::replace(&mut done[i as usize], true) {
                reach(i as usize, &done, &mut queue);
            }
        }
        (outlet, creek)
    }
}
