//! Ways of the water among the children of a piece of the level above, by least cost, and what of them is certain.

use super::crests::Crests;
use super::great::{self, Trunk};
use super::guide::Aim;
use super::mesh::{self, Children, Mesh, NONE};
use super::plan::{JITTER, MOST_RINGS, NOWHERE, Placed, Planner, RINGS, Spot};
use super::trunk;
use grid::{Direction, math};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a ridge line in the way costs, in parts.
const CREST: f64 = 2.5;
/// What a way costs for its length: on a lake, and on land but for the link's own number.
const LEVEL: f64 = 0.1;
const LAND: f64 = 0.2;
/// Leaving the own parent costs so much, in parts: basins keep near the size of a part.
const ABROAD: f64 = 0.35;
/// Climbing by the relief of a hillslope costs so much, in parts; and the most that climbing can cost.
const CLIMB: f64 = 1.4;
const MOST_CLIMB: f64 = 2.5;

/// What a great river gives for leaving its parent a part's side from the straight way.
const STRAIGHT: f64 = 3.0;

/// Ways that water can take among the children of a mesh.
pub(super) struct Ways<'a> {
    pub planner: &'a Planner<'a>,
    pub crests: Crests<'a>,
    pub mesh: &'a Mesh,
    pub children: &'a Children,
    pub links: &'a [u8],
    pub sites: &'a [Placed],
    pub parents: &'a [Spot],
    pub size_m: f64,
}

/// What a piece says of the parents at its rim, some of whose neighbours it does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rim {
    /// Water might reach anything there at no cost: what is joined elsewhere all the same is so in the whole level.
    Open,
    /// It is as it seems from the piece; no more is known.
    Taken,
}

/// Who drains to whom.
pub(super) struct Joined {
    pub receiver: Vec<u32>,
    pub trunk: Vec<bool>,
    /// The parent by which each child's water leaves, and whether it reaches no trunk.
    pub outlet: Vec<u32>,
    pub creek: Vec<bool>,
    pub basin_parts: Vec<u16>,
    /// For each parent the child by which its water leaves, and the child of another that it comes to.
    exits: Vec<(u32, u32)>,
    /// Parents, and children, of whom all is certain.
    basins_settled: Vec<bool>,
    settled: Vec<bool>,
}

impl Joined {
    /// Whether all is certain of the children of a parent, and of its basin.
    pub fn settles(&self, p: usize) -> bool {
        self.basins_settled[p] && self.settled[4 * p..4 * p + 4].iter().all(|&s| s)
    }

    /// The children by which rivers enter a parent, each with the parent that it comes from.
    fn entries(&self, mesh: &Mesh, p: usize) -> Vec<(u32, usize)> {
        let mut near = mesh.near[p];
        near.sort_unstable();
        let enters = |from: &usize| self.exits[*from].1 != NONE && self.exits[*from].1 as usize / 4 == p;
        let from = near.iter().filter(|&&n| n != NONE).map(|&n| n as usize).filter(enters);
        from.map(|from| (self.exits[from].1 % 4, from)).collect()
    }
}

/// The least ways to trunks and to the sea.
struct Spread {
    receiver: Vec<u32>,
    /// The parent by which the water of each child leaves, and whether it reaches no trunk.
    outlet: Vec<u32>,
    creek: Vec<bool>,
    /// What the way costs in parts, and its steps.
    cost: Vec<f64>,
    steps: Vec<u8>,
    /// Whether the way might come from beyond the rim.
    unknown: Vec<bool>,
}

impl Spread {
    /// Whether a child at most so many steps away from those of a parent drains where it seems to, in whatever piece
    /// holds the parent and [`MOST_RINGS`] around it: a way from the rim of such a piece costs more.
    fn is_certain(&self, i: usize, steps: u8) -> bool {
        !self.unknown[i] && steps <= MOST_STEPS && self.cost[i] < least_cost(FAR - u32::from(steps))
    }
}

/// Steps from the rim of a piece with [`MOST_RINGS`] to the children of the parent in its middle.
const FAR: u32 = 2 * MOST_RINGS - 1;

/// What a way of so many steps that leads straight on costs at the least, in parts: each step is one abroad but those in
/// the part of one parent, and parts are not narrower than this.
fn least_cost(steps: u32) -> f64 {
    const HOME: f64 = 4.0;
    const NARROWEST: f64 = 0.6;
    let steps = f64::from(steps);
    ABROAD * (steps - HOME) + LEVEL * NARROWEST * (steps - 2.0 * JITTER)
}

/// Basins reach so many steps from their trunk, but where a parent is planned alone.
const MOST_STEPS: u8 = 2 * RINGS as u8;

impl<'a> Ways<'a> {
    /// The trunk of a parent through which a river runs that may be a great one.
    pub fn trunk(&self, joined: &Joined, p: usize) -> Option<Trunk<'a>> {
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
            receiver: self.receiver(p).unwrap_or(NONE),
            entries: joined.entries(self.mesh, p),
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
        self.climb.map_or(LEVEL * self.length, |climb| self.length * (LAND + 1.6 * chance) + climb)
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

    /// The receiver of a parent: none if it has none, [`NONE`] if the piece does not hold it.
    fn receiver(&self, p: usize) -> Option<u32> {
        match self.parents[p].receiver {
            NOWHERE => None,
            d => Some(self.mesh.near[p][usize::from(d)]),
        }
    }

    /// Joins all children.
    pub fn join(&self, rim: Rim) -> Joined {
        let count = self.children.parts.len();
        let exits: Vec<(u32, u32)> = (0..self.parents.len()).map(|p| self.exit(p)).collect();
        let mut entries = vec![0u8; self.parents.len()];
        for &(_, into) in exits.iter().filter(|e| e.1 != NONE) {
            entries[into as usize / 4] |= 1 << (into % 4);
        }
        let mut receiver = vec![NONE; count];
        let mut trunk = vec![false; count];
        for (p, &(exit, into)) in exits.iter().enumerate().filter(|e| e.1.0 != NONE) {
            for (k, to) in trunk::find(self, p, exit % 4, entries[p]) {
                trunk[4 * p + k as usize] = true;
                receiver[4 * p + k as usize] = to.map_or(into, |to| 4 * p as u32 + to);
            }
        }
        let at_rim = |p: usize| rim == Rim::Open && self.mesh.is_at_rim(self.planner.grid, p);
        let open: Vec<bool> = (0..self.parents.len()).map(at_rim).collect();
        let spread = self.spread(&trunk, receiver, &open);
        let mut basin_parts = vec![0u16; self.parents.len()];
        for (&p, _) in spread.outlet.iter().zip(&spread.creek).filter(|c| !c.1) {
            basin_parts[p as usize] += 1;
        }
        let (basins_settled, settled) = match rim {
            Rim::Open => self.settled(&spread, &open),
            Rim::Taken => (vec![true; open.len()], vec![true; count]),
        };
        let Spread { receiver, outlet, creek, .. } = spread;
        Joined { receiver, trunk, outlet, creek, basin_parts, exits, basins_settled, settled }
    }

    /// The parents of whose basins all is certain, and the children. A basin is all that drains to a trunk: it is
    /// certain where all of it is, and all that is linked to it.
    fn settled(&self, spread: &Spread, open: &[bool]) -> (Vec<bool>, Vec<bool>) {
        let mut basins: Vec<bool> = open.iter().map(|open| !open).collect();
        for i in (0..spread.cost.len()).filter(|&i| !spread.unknown[i] && !spread.creek[i]) {
            let steps = spread.steps[i];
            let beside = self.linked(i).all(|n| spread.is_certain(n, steps + 1));
            basins[spread.outlet[i] as usize] &= beside && spread.is_certain(i, steps);
        }
        (basins, (0..spread.cost.len()).map(|i| spread.is_certain(i, 0)).collect())
    }

    /// The neighbours that a child is linked to.
    fn linked(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let near = self.children.near[i].iter().enumerate();
        near.filter(move |&(d, &n)| n != NONE && self.is_linked(i, d)).map(|(_, &n)| n as usize)
    }

    /// The link between children that carries on the link of parent `p`: from its child, to its receiver's. A parent
    /// without a receiver has a seat, where its water ends.
    fn exit(&self, p: usize) -> (u32, u32) {
        let child = |q: usize, k: u32| 4 * q as u32 + k;
        let Some(q) = self.receiver(p) else { return (child(p, self.seat(p)), NONE) };
        let d = Direction::from_index(self.parents[p].receiver);
        if q == NONE {
            return (NONE, NONE); // at the rim of the mesh, too far out to matter
        }
        let (first, second) = Mesh::at_side(d);
        let mut best = (f64::INFINITY, (NONE, NONE));
        let own = [Some(first), Some(second).filter(|&k| k != first)];
        for from in own.into_iter().flatten().map(|k| child(p, k)) {
            for (d, &to) in self.children.near[from as usize].iter().enumerate() {
                if to != NONE && to / 4 == q && self.is_linked(from as usize, d) {
                    let cost = self.exit_cost(
                        from as usize,
                        to as usize,
                        (&self.parents[p], &self.parents[q as usize]),
                    );
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

    /// Lets every child that is on no trunk join one, or the sea; what is open counts as joined.
    fn spread(&self, on_trunk: &[bool], receiver: Vec<u32>, open: &[bool]) -> Spread {
        let count = on_trunk.len();
        let unknown: Vec<bool> = (0..count).map(|i| open[i / 4]).collect();
        let mut done: Vec<bool> =
            (0..count).map(|i| on_trunk[i] || self.sites[i].aim.sea || unknown[i]).collect();
        let ends: Vec<usize> = (0..count).filter(|&i| done[i]).collect();
        let mut spread = Spread {
            receiver,
            outlet: (0..count as u32).map(|i| i / 4).collect(),
            creek: on_trunk.iter().map(|&on| !on).collect(),
            cost: done.iter().map(|&done| if done { 0.0 } else { f64::INFINITY }).collect(),
            steps: vec![0; count],
            unknown,
        };
        let mut queue = BinaryHeap::new();
        ends.iter().for_each(|&i| self.reach(i, &done, &mut spread, &mut queue));
        while let Some(Reverse((_, i))) = queue.pop() {
            if !std::mem::replace(&mut done[i as usize], true) {
                self.reach(i as usize, &done, &mut spread, &mut queue);
            }
        }
        spread
    }

    /// Offers the way through a child to those linked to it.
    fn reach(
        &self,
        i: usize,
        done: &[bool],
        spread: &mut Spread,
        queue: &mut BinaryHeap<Reverse<(u64, u32)>>,
    ) {
        for (d, &n) in self.children.near[i].iter().enumerate() {
            if n == NONE || !self.is_linked(i, d) || done[n as usize] {
                continue;
            }
            let n = n as usize;
            let at_home = spread.outlet[i] == n as u32 / 4 && !spread.creek[i];
            let abroad = if at_home { 0.0 } else { ABROAD };
            let through = |parts: f64| spread.cost[i] + parts.max(1e-6) + abroad;
            let way = self.way(n, i);
            if through(way.least()) >= spread.cost[n] {
                continue;
            }
            let through = through(self.cost_of(&way, n, i));
            if through < spread.cost[n] {
                (spread.cost[n], spread.receiver[n]) = (through, i as u32);
                (spread.outlet[n], spread.creek[n]) = (spread.outlet[i], spread.creek[i]);
                (spread.steps[n], spread.unknown[n]) = (spread.steps[i].saturating_add(1), spread.unknown[i]);
                queue.push(Reverse((through.to_bits(), n as u32)));
            }
        }
    }
}
