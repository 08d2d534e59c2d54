//! Ways of the water among the children of a piece of the level above: exits, and what each link costs.

use super::crests::Crests;
use super::great::{self, Trunk};
use super::guide::Aim;
use super::mesh::{self, Children, Mesh, NONE};
use super::passage::{self, Entries, Entry, Gate, Passage};
use super::plan::{NOWHERE, Placed, Planner, Spot};
use super::spread::Spread;
use super::trunk;
use grid::{Direction, Vec3, math};
use std::cell::Cell;

/// What a ridge line in the way costs, in parts.
const CREST: f64 = 2.5;
/// What a way costs for its length: on a lake, and on land but for the link's own number.
const LEVEL: f64 = 0.1;
const LAND: f64 = 0.2;
/// Climbing by the relief of a hillslope costs so much, in parts; and the most that climbing can cost.
const CLIMB: f64 = 1.4;
const MOST_CLIMB: f64 = 2.5;

/// By how much a way beside a lake costs less.
const DOWNHILL: f64 = 0.8;
/// What a river gives for leaving its parent a part's side farther from a lake, at each end of the link.
const TO_LAKE: f64 = 1.5;
/// Rivers are led to apexes of deltas as long as they are less great than this.
const LED: f64 = 0.5;
/// Leaving over a corner costs so much there, in parts: more than any side is away.
const OVER_CORNER: f64 = 4.0;
/// What a great river gives for leaving its parent a part's side from where it should, and another.
const STRAIGHT: f64 = 3.0;
const ASIDE: f64 = 3.0;
/// What it costs a river to leave, or to run through a child, a part's side farther from its curve than sites may move.
const OFF_CURVE: f64 = 5.0;

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
    /// The middle of each child's part, in metres.
    pub middles: Vec<Vec3>,
    /// Of each child: see [`relief_m`], and [`beside_lake`].
    pub relief_m: Vec<f64>,
    pub beside_lake: Vec<f64>,
    /// What ways from each child to its neighbours cost, as far as that was asked for; else not a number.
    pub costs: Vec<[Cell<f64>; 8]>,
}

/// What a hillslope climbs over a spacing, in metres.
pub(super) fn relief_m(aim: &Aim, size_m: f64) -> f64 {
    aim.rise * size_m + 2.0
}

/// How near a lake is, as parts of a size see it, in cells of a size: 1 in it and on its shore, 0 a part's side away.
pub(super) fn beside_lake(aim: &Aim, size_m: f64, cell_m: f64) -> f64 {
    (1.0 - aim.lake_cells * cell_m / size_m).clamp(0.0, 1.0)
}

/// What a piece says of the parents at its rim, some of whose neighbours it does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rim {
    /// Water might reach anything there at no cost: what is joined elsewhere all the same is so in the whole level.
    Open,
    /// It is as it seems from the piece; no more is known.
    Taken,
}

/// How the water of a parent leaves it: by a child, for a child of another, through a gate. [`NONE`] and no gate where it does not,
/// or the piece does not say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    pub from: u32,
    pub into: u32,
    gate: Option<Gate>,
}

impl Exit {
    /// Where the piece does not say how.
    const UNKNOWN: Self = Self { from: NONE, into: NONE, gate: None };
}

/// Who drains to whom.
pub(super) struct Joined {
    pub receiver: Vec<u32>,
    pub trunk: Vec<bool>,
    /// The parent by which each child's water leaves, and whether it reaches no trunk.
    pub outlet: Vec<u32>,
    pub creek: Vec<bool>,
    pub basin_parts: Vec<u16>,
    /// About how high the water runs, in metres.
    pub valley_m: Vec<f32>,
    /// Of each parent.
    exits: Vec<Exit>,
    /// Parents, and children, of whom all is certain.
    basins_settled: Vec<bool>,
    settled: Vec<bool>,
}

impl Joined {
    /// Whether all is certain of the children of a parent, and of its basin.
    pub fn settles(&self, p: usize) -> bool {
        self.basins_settled[p] && self.settled[4 * p..4 * p + 4].iter().all(|&s| s)
    }
}

impl<'a> Ways<'a> {
    /// How the river of a parent passes through it.
    fn passage(&self, exits: &[Exit], p: usize) -> Option<Passage<'a>> {
        let Exit { from: exit, gate, .. } = exits[p];
        if exit == NONE {
            return None;
        }
        Some(Passage {
            parents: self.parents,
            parent: p,
            entries: self.entries(exits, p),
            head: self.head(p, exits[p]),
            exit: exit % 4,
            gate,
            size_m: self.size_m,
        })
    }

    /// Where the water of parent `p` passes to `q` by a link: as near to its aim as sites of the link may lie.
    fn gate(&self, (p, q): (usize, usize), (from, to): (usize, usize), aim: Vec3) -> Gate {
        let (own, below) = (&self.parents[p], &self.parents[q]);
        let most_m = great::leeway_m(own.width_m.min(below.width_m), self.size_m);
        let at = great::within(self.half_way(from, to), aim, most_m);
        Gate { at, ahead: passage::ahead(own, below) }
    }

    /// Where the river of a parent should pass to the next where no delta begins: half way between the parents, more or less to a side.
    fn aimed(&self, p: usize, q: usize) -> Vec3 {
        let (own, below) = (&self.parents[p], &self.parents[q]);
        let wander_m = passage::wander_m(self.planner.gates.unit_at(self.mesh.parts[p]), self.size_m);
        let left = self.planner.grid.left_of(own.at, (below.at - own.at).normalized());
        (own.at + below.at) * 0.5 + left * wander_m
    }

    /// The trunk of a parent.
    pub fn trunk(&self, joined: &Joined, p: usize) -> Option<Trunk<'a>> {
        let passage = self.passage(&joined.exits, p)?;
        let next = |k: usize| {
            let to = joined.receiver[4 * p + k];
            (joined.trunk[4 * p + k] && to != NONE && to as usize / 4 == p).then_some(to % 4)
        };
        let at = std::array::from_fn(|k| self.sites[4 * p + k].at);
        Some(Trunk { passage, next: std::array::from_fn(next), at })
    }

    /// Where rivers enter a parent, in the order of the addresses they come from: numbers in the mesh depend on the piece.
    fn entries(&self, exits: &[Exit], p: usize) -> Entries {
        let entry = |from: usize| {
            let Exit { into, gate, .. } = exits[from];
            let enters = into != NONE && into as usize / 4 == p;
            enters.then_some(Entry { child: into % 4, from, gate: gate? })
        };
        let near = self.mesh.near[p].into_iter().filter(|&n| n != NONE);
        let mut all: Entries = near.filter_map(|n| entry(n as usize)).collect();
        all.sort_unstable_by_key(|entry| self.mesh.parts[entry.from]);
        all
    }

    /// The place half way between the middles of two children's parts.
    fn half_way(&self, i: usize, j: usize) -> Vec3 {
        (self.middles[i] + self.middles[j]) * 0.5
    }
}

/// A way from a child to a neighbour: its length in parts, and the cost of climbing; a lake costs little to cross.
pub(super) struct Way {
    length: f64,
    climb: Option<f64>,
}

impl Way {
    /// The cost but for ridge lines, where the link's own number is known.
    fn with(&self, chance: f64) -> f64 {
        self.climb.map_or(LEVEL * self.length, |climb| self.length * (LAND + 1.6 * chance) + climb)
    }

    /// The way costs no less.
    pub fn least(&self) -> f64 {
        self.with(0.0)
    }
}

impl Ways<'_> {
    /// What a way from a child to a neighbour costs by its length and its climb.
    pub fn way(&self, from: usize, to: usize) -> Way {
        let length = self.sites[from].at.distance(self.sites[to].at) / self.size_m;
        let (here, there) = (&self.sites[from].aim, &self.sites[to].aim);
        if here.lake_m.is_some() && there.lake_m.is_some() {
            return Way { length, climb: None };
        }
        let climb = (CLIMB * (there.top_m - here.top_m).max(0.0) / self.relief_m[from]).min(MOST_CLIMB);
        // towards a lake it is downhill
        let down = 1.0 - DOWNHILL * self.beside_lake[from].min(self.beside_lake[to]);
        Way { length: length * down, climb: Some(climb * down) }
    }

    /// What it costs that a link leads to or from a cell of a lake aside of that lake.
    fn off_lake(&self, from: usize, to: usize) -> f64 {
        let of_lake = |i: usize| self.planner.has_lake(self.mesh.parts[i / 4]);
        if !of_lake(from) && !of_lake(to) {
            return 0.0;
        }
        TO_LAKE * (2.0 - self.beside_lake[from] - self.beside_lake[to])
    }

    /// What it costs in all, in parts: with the link's own number, and ridge lines in the way.
    pub fn cost_of(&self, way: &Way, from: usize, to: usize) -> f64 {
        if way.climb.is_none() {
            return way.least();
        }
        let (a, b) = (self.children.parts[from], self.children.parts[to]);
        let chance = self.planner.links.unit_at((a.min(b), a.max(b)));
        way.with(chance) + CREST * self.crests(from, to)
    }

    /// The same of the way from a child in a direction, found once.
    pub fn cost_towards(&self, way: &Way, (from, direction): (usize, usize), to: usize) -> f64 {
        let kept = &self.costs[from][direction];
        if kept.get().is_nan() {
            kept.set(self.cost_of(way, from, to));
        }
        kept.get()
    }

    /// How many ridge lines a way crosses.
    fn crests(&self, from: usize, to: usize) -> f64 {
        let bent = |i: usize| (self.sites[i].at, i / 4);
        f64::from(self.crests.between(bent(from), bent(to)))
    }

    /// Whether a child is linked to its neighbour in a direction.
    pub fn is_linked(&self, from: usize, direction: usize) -> bool {
        self.links[from] >> direction & 1 == 1
    }

    /// Costs of the ways from each child of parent `p` but its exit to each other, in parts: along a great river their length
    /// alone, and where sites cannot reach the river's curve more; infinite where there is none.
    pub fn within(&self, (p, exits): (usize, &[Exit]), exit: usize) -> [[f64; 4]; 4] {
        let width_m = self.parents[p].width_m;
        let (great, eased) = (great::greatness(width_m, self.size_m), great::eased(width_m, self.size_m));
        let passage = self.passage(exits, p);
        let off = passage.map_or([0.0; 4], |passage| passage.off(|k| self.middles[4 * p + k]));
        let cost = |from: usize, to: usize| {
            let (i, j) = (4 * p + from, 4 * p + to);
            let linked = mesh::DIRECTION_WITHIN[from][to].filter(|&d| from != exit && self.is_linked(i, d));
            let Some(d) = linked else { return f64::INFINITY };
            let way = self.way(i, j);
            let own = self.cost_towards(&way, (i, d), j);
            (math::mix(own, way.length, great) + OFF_CURVE * eased * off[to]).max(1e-6)
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
        let exits: Vec<Exit> = (0..self.parents.len()).map(|p| self.exit(p)).collect();
        let mut entries = vec![0u8; self.parents.len()];
        for into in exits.iter().map(|exit| exit.into).filter(|&into| into != NONE) {
            entries[into as usize / 4] |= 1 << (into % 4);
        }
        let has_head = |(p, entry): &(usize, &mut u8)| **entry == 0 && exits[*p].from != NONE;
        for (p, entry) in entries.iter_mut().enumerate().filter(has_head) {
            *entry = 1 << self.head(p, exits[p]);
        }
        let mut receiver = vec![NONE; count];
        let mut trunk = vec![false; count];
        for (p, &Exit { from, into, .. }) in exits.iter().enumerate().filter(|exit| exit.1.from != NONE) {
            for (k, to) in trunk::find(self, (p, &exits), from % 4, entries[p]) {
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
        let valley_m = self.valleys(&exits, &spread);
        let Spread { receiver, outlet, creek, .. } = spread;
        Joined { receiver, trunk, outlet, creek, basin_parts, valley_m, exits, basins_settled, settled }
    }

    /// The neighbours that a child is linked to.
    pub fn linked(&self, i: usize) -> impl Iterator<Item = usize> {
        self.linked_towards(i).map(|(_, n)| n)
    }

    /// The same with the numbers of their directions, clockwise from north.
    pub fn linked_towards(&self, i: usize) -> impl Iterator<Item = (usize, usize)> {
        let (near, mut left) = (&self.children.near[i], self.links[i]);
        std::iter::from_fn(move || {
            let d = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            // links lead to neighbours only
            near.get(d).map(|&n| (d, n as usize))
        })
    }

    /// The link between children that carries on the link of parent `p`: from its child, to its receiver's. A parent
    /// without a receiver has a seat, where its water ends.
    fn exit(&self, p: usize) -> Exit {
        let child = |q: usize, k: u32| 4 * q as u32 + k;
        let Some(q) = self.receiver(p) else { return Exit { from: child(p, self.seat(p)), ..Exit::UNKNOWN } };
        let d = Direction::from_index(self.parents[p].receiver);
        if q == NONE {
            return Exit::UNKNOWN; // at the rim of the mesh, too far out to matter
        }
        let parents = (&self.parents[p], &self.parents[q as usize]);
        let apex = self.apex(p, q as usize);
        // one that keeps its course already is drawn to the apex as to any gate
        let led = apex.filter(|_| great::greatness(parents.0.width_m, self.size_m) < LED);
        let aim = apex.unwrap_or_else(|| self.aimed(p, q as usize));
        let (first, second) = Mesh::at_side(d);
        let mut best = (f64::INFINITY, Exit::UNKNOWN);
        let own = [Some(first), Some(second).filter(|&k| k != first)];
        for from in own.into_iter().flatten().map(|k| child(p, k)) {
            for (d, &to) in self.children.near[from as usize].iter().enumerate() {
                if to != NONE && to / 4 == q && self.is_linked(from as usize, d) {
                    let link = (from as usize, to as usize);
                    let cost = match led {
                        Some(apex) => self.off_apex(apex, link, d),
                        None => self.exit_cost(link, parents, aim),
                    };
                    if cost < best.0 {
                        best = (cost, Exit { from, into: to, gate: None });
                    }
                }
            }
        }
        let Exit { from, into, .. } = best.1;
        let gate = (into != NONE).then(|| self.gate((p, q as usize), (from as usize, into as usize), aim));
        Exit { gate, ..best.1 }
    }

    /// The child of parent `p` in which its river begins if none enters: the one nearest to the parent's place. Where that is water, or the
    /// parent is, the river is no more than its exit.
    fn head(&self, p: usize, exit: Exit) -> u32 {
        let away = |k: &u32| (self.middles[4 * p + *k as usize] - self.parents[p].at).length_squared();
        let nearest = (0..4).min_by(|a, b| away(a).total_cmp(&away(b))).expect("four children");
        let aim = &self.sites[4 * p + nearest as usize].aim;
        let is_wet = self.parents[p].sea || aim.sea || aim.lake_m.is_some();
        if is_wet || exit.into == NONE { exit.from % 4 } else { nearest }
    }

    /// The apex of a delta through which a river leaves parent `p` for `q`.
    fn apex(&self, p: usize, q: usize) -> Option<Vec3> {
        let has_river = self.parents[p].width_m > 0.0;
        has_river.then(|| self.planner.apex(self.mesh.parts[p], self.mesh.parts[q])).flatten()
    }

    /// How far the border that a link crosses lies from an apex, in parts. Links over sides come first: from a corner there is no
    /// way to the apex at deeper levels.
    fn off_apex(&self, apex: Vec3, (from, to): (usize, usize), direction: usize) -> f64 {
        let off_m = self.half_way(from, to).distance(apex);
        let over_corner = f64::from(u8::from(!Direction::ALL[direction].is_side()));
        off_m / self.size_m + OVER_CORNER * over_corner
    }

    /// What it costs to leave by a link, in parts, where the river should pass at `aim`.
    fn exit_cost(&self, (from, to): (usize, usize), (own, below): (&Spot, &Spot), aim: Vec3) -> f64 {
        let (a, b) = (self.children.parts[from], self.children.parts[to]);
        let chance = self.planner.exits.unit_at((a.min(b), a.max(b)));
        let (here, there) = (&self.sites[from].aim, &self.sites[to].aim);
        let high = here.top_m.max(there.top_m) / (0.5 * (here.rise + there.rise) * self.size_m + 5.0);
        let crests = self.crests(from, to);
        // rivers keep out of bays, and end at sea
        let wet = |aim: &Aim| f64::from(u8::from(aim.sea));
        let bay = if below.sea { wet(here) + 1.0 - wet(there) } else { wet(here) + wet(there) };
        let kept = self.kept(chance + 0.8 * high, (from, to), (own, below), aim);
        kept + CREST * crests + bay + self.off_lake(from, to)
    }

    /// What an exit costs that would cost so much by itself: great rivers leave where they should, and others near it.
    fn kept(&self, free: f64, (from, to): (usize, usize), (own, below): (&Spot, &Spot), aim: Vec3) -> f64 {
        let eased = great::eased(own.width_m, self.size_m);
        let off = |place: Vec3| place.distance(aim) / self.size_m;
        let aside = off((self.sites[from].at + self.sites[to].at) * 0.5);
        let reach = great::leeway_m(own.width_m.min(below.width_m), self.size_m) / self.size_m;
        let beyond = (off(self.half_way(from, to)) - reach).max(0.0);
        // the curve is about straight near the border
        let ahead = passage::ahead(own, below);
        let off_line = |i: usize| {
            let way = self.middles[i] - aim;
            ((way - ahead * way.dot(ahead)).length() / self.size_m - reach).max(0.0)
        };
        let off_curve = beyond + off_line(from) + off_line(to);
        let middling = free + eased * (ASIDE * aside + OFF_CURVE * off_curve);
        math::mix(middling, STRAIGHT * aside, great::greatness(own.width_m, self.size_m))
    }

    /// The child where the water of a parent without a receiver ends: at sea or in a lake if there is one, else beside it, else
    /// the lowest.
    fn seat(&self, p: usize) -> u32 {
        let rank = |k: u32| {
            let i = 4 * p + k as usize;
            let aim = &self.sites[i].aim;
            let open = self.children.near[i].contains(&NONE);
            let wet = aim.sea || aim.lake_m.is_some();
            let (rank, value) = match self.beside_lake[i] {
                _ if wet => (0, aim.shore),
                near if near > 0.0 => (1, aim.lake_cells),
                _ => (2, aim.top_m),
            };
            (if open { 0 } else { rank }, value)
        };
        let order = |a: &u32, b: &u32| {
            let ((rank_a, value_a), (rank_b, value_b)) = (rank(*a), rank(*b));
            rank_a.cmp(&rank_b).then(value_a.total_cmp(&value_b))
        };
        (0..4).min_by(order).expect("four children")
    }
}
