//! Who drains to whom: how all children that are on no trunk join one, or the sea, by least cost, within a few steps.
//!
//! In each of [`ROUNDS`] rounds every child looks at what its neighbours had found in the round before, and takes the best of
//! it (Bellman 1958). So where a child drains depends on what lies so many steps away from it and no farther, whatever piece of
//! the level is looked at. What a child had joined may find a better way in a later round, and so costs less than was thought:
//! along receivers costs fall, and there are no circles.
//!
//! **Perched trunks.** Whoever joins a trunk that lies higher than a valley nearby pays for it: by [`PERCHED`] for every time
//! that a hillslope would climb that far over a spacing. So divides lie nearer to the higher of two rivers, and brooks do not
//! leave the brink of a deep valley for a high one behind: that would leave a wall between them, the steeper the closer one
//! looks. How high rivers run is not known before areas are; [`Ways::valleys`] is what ways alone tell of it. Nor does water run up
//! to a trunk that lies higher than the land itself: that costs one for every [`UP_M`]. Land that joins one all the same is a table
//! as high as that river.
//!
//! **Long trunks.** A river that runs through its parent has a trunk of up to four children and would draw in far more of those
//! around than one that begins there, of one child: 1.3 and 0.65 of a parent's area, measured. So on coarse levels joining a
//! trunk costs [`LONG`] for each child of it beyond the first, and basins cover about the ground whose water they have. Beside a
//! lake it costs nothing: what lies there shall not be led away from it.

use super::heights;
use super::mesh::NONE;
use super::plan::{MOST_RINGS, RINGS};
use super::ways::{Exit, Ways};
use grid::math;

/// Children join what lies within so many steps.
const ROUNDS: usize = 3;
/// Leaving the own parent costs so much, in parts: basins keep near the size of a part.
const ABROAD: f64 = 0.35;
/// What a trunk costs for lying higher than the lowest valley nearby by what a hillslope climbs over a spacing, and the most
/// that this can cost, in parts.
const PERCHED: f64 = 1.0;
const MOST_PERCHED: f64 = 4.0;
/// A trunk that lies higher than the land of who joins it costs one for every so many metres.
const UP_M: f64 = 8.0;
/// What joining a trunk costs for each child of it beyond the first, in parts, where sites lie as far apart as the second of these,
/// in metres; nothing where they lie as near as the first: there the slopes of valleys say who drains to whom.
const LONG: f64 = 0.6;
const LONG_M: (f64, f64) = (3000.0, 6000.0);
/// Basins reach so many steps from their trunk, but where a parent is planned alone.
const MOST_STEPS: u8 = 2 * RINGS as u8;
/// Of a parent that is planned alone, what its basin and what is beside it joins is known in the piece.
const _: () =
    assert!(MOST_STEPS as u32 + 1 + (ROUNDS as u32) < 2 * MOST_RINGS, "basins end within the piece");

/// The least ways to trunks and to the sea.
pub(super) struct Spread {
    pub receiver: Vec<u32>,
    /// The parent by which the water of each child leaves, and whether it reaches no trunk.
    pub outlet: Vec<u32>,
    pub creek: Vec<bool>,
    /// What the way costs in parts, and its steps.
    cost: Vec<f64>,
    steps: Vec<u8>,
    /// Whether the way might come from beyond the rim.
    unknown: Vec<bool>,
}

/// What is known of the ways before they are looked for.
struct Given<'a> {
    /// Whether a child is on a trunk, in the sea, or open.
    ends: &'a [bool],
    /// The lowest valley at and around each parent, in metres.
    lowest_m: Vec<f64>,
}

impl Spread {
    /// Whether a child drains where it seems to, whatever piece holds it and a few steps around: nothing beyond the rim could
    /// offer it more, even at no cost.
    fn is_certain(&self, i: usize) -> bool {
        !self.unknown[i] && self.steps[i] <= MOST_STEPS
    }

    /// Follows the ways to their ends: what a child has joined may have found another way since.
    fn follow(&mut self, ends: &[bool]) {
        let mut known = ends.to_vec();
        let mut chain = Vec::new();
        for i in 0..ends.len() {
            let mut at = i;
            while !known[at] && self.receiver[at] != NONE {
                chain.push(at);
                at = self.receiver[at] as usize;
            }
            while let Some(at) = chain.pop() {
                let to = self.receiver[at] as usize;
                (self.outlet[at], self.creek[at]) = (self.outlet[to], self.creek[to]);
                // what came from beyond the rim when it was joined counts, even if it leads elsewhere now
                self.unknown[at] |= self.unknown[to];
                self.steps[at] = self.steps[to].saturating_add(1);
                known[at] = true;
            }
        }
    }
}

impl Ways<'_> {
    /// Lets every child that is on no trunk join one, or the sea; what is open counts as joined.
    pub fn spread(&self, on_trunk: &[bool], receiver: Vec<u32>, open: &[bool]) -> Spread {
        let count = on_trunk.len();
        let unknown: Vec<bool> = (0..count).map(|i| open[i / 4]).collect();
        let ends: Vec<bool> =
            (0..count).map(|i| on_trunk[i] || self.sites[i].aim.sea || unknown[i]).collect();
        let long = self.long();
        let start = |i: usize| match ends[i] {
            false => f64::INFINITY,
            true if unknown[i] || !on_trunk[i] => 0.0,
            true => {
                let on = on_trunk[i & !3..][..4].iter().filter(|on| **on).count();
                long * (on - 1) as f64 * self.sites[i].aim.lake_cells.clamp(0.0, 1.0)
            }
        };
        let mut spread = Spread {
            receiver,
            outlet: (0..count as u32).map(|i| i / 4).collect(),
            creek: on_trunk.iter().map(|&on| !on).collect(),
            cost: (0..count).map(start).collect(),
            steps: vec![0; count],
            unknown,
        };
        let given = Given { ends: &ends, lowest_m: self.lowest() };
        let mut fresh = ends.clone();
        for _ in 0..ROUNDS {
            let joins = |i: usize| Some((i, self.best(i, (&spread, &fresh), &given)?));
            let found: Vec<(usize, (u32, f64))> = (0..count).filter_map(joins).collect();
            let of = |&(_, (to, _)): &(usize, (u32, f64))| {
                let to = to as usize;
                (spread.outlet[to], spread.creek[to], spread.unknown[to])
            };
            let ways: Vec<(u32, bool, bool)> = found.iter().map(of).collect();
            fresh.fill(false);
            for ((i, (to, cost)), way) in found.into_iter().zip(ways) {
                (spread.receiver[i], spread.cost[i], fresh[i]) = (to, cost, true);
                (spread.outlet[i], spread.creek[i], spread.unknown[i]) = way;
            }
        }
        spread.follow(&ends);
        spread
    }

    /// What joining a trunk costs for each child of it beyond the first, in parts.
    fn long(&self) -> f64 {
        let (none_m, full_m) = LONG_M;
        LONG * (math::log2(self.size_m / none_m) / math::log2(full_m / none_m)).clamp(0.0, 1.0)
    }

    /// The best that neighbours who have just found something better offer a child, if it is better than what it has: the
    /// neighbour, and the cost in all.
    fn best(&self, i: usize, (spread, fresh): (&Spread, &[bool]), given: &Given) -> Option<(u32, f64)> {
        if given.ends[i] {
            return None;
        }
        let mut best = (NONE, spread.cost[i]);
        for (d, n) in self.linked_towards(i).filter(|&(_, n)| fresh[n]) {
            let at_home = spread.outlet[n] == i as u32 / 4 && !spread.creek[n];
            let abroad = if at_home { 0.0 } else { ABROAD };
            let through = |parts: f64, aside: f64| spread.cost[n] + parts.max(1e-6) + aside;
            // what costs too much whatever the way itself costs needs no look at that
            if through(0.0, abroad) >= best.1 {
                continue;
            }
            let aside = abroad + self.perched(i, n, (spread, &given.lowest_m));
            if through(0.0, aside) >= best.1 {
                continue;
            }
            let mut cost = self.costs[i][d].get();
            if cost.is_nan() {
                let way = self.way(i, n);
                if through(way.least(), aside) >= best.1 {
                    continue;
                }
                cost = self.cost_towards(&way, (i, d), n);
            }
            if through(cost, aside) < best.1 {
                best = (n as u32, through(cost, aside));
            }
        }
        (best.0 != NONE).then_some(best)
    }

    /// What it costs a child to join another whose trunk lies higher than valleys nearby, or than its own land, in parts.
    fn perched(&self, from: usize, to: usize, (spread, lowest_m): (&Spread, &[f64])) -> f64 {
        if spread.creek[to] {
            return 0.0;
        }
        let valley_m = f64::from(self.parents[spread.outlet[to] as usize].valley_m);
        let aim = &self.sites[from].aim;
        let (above_m, up_m) = (valley_m - lowest_m[from / 4], valley_m - aim.top_m);
        let perched = (PERCHED * above_m / self.relief_m[from]).max(0.0);
        // near a lake land is pressed down, whatever it drains to
        let up = (up_m / UP_M).max(0.0) * (2.0 * aim.lake_cells - 1.0).clamp(0.0, 1.0);
        (perched + up).min(MOST_PERCHED)
    }

    /// The lowest valley at and around each parent, in metres.
    fn lowest(&self) -> Vec<f64> {
        let own = |p: usize| f64::from(self.parents[p].valley_m);
        let near = |p: usize| self.mesh.near[p].iter().filter(|&&n| n != NONE).map(|&n| own(n as usize));
        (0..self.parents.len()).map(|p| near(p).fold(own(p), f64::min)).collect()
    }

    /// The parents of whose basins all is certain, and the children. A basin is all that drains to a trunk: it is
    /// certain where all of it is, and all that is linked to it.
    pub fn settled(&self, spread: &Spread, open: &[bool]) -> (Vec<bool>, Vec<bool>) {
        let mut basins: Vec<bool> = open.iter().map(|open| !open).collect();
        for i in (0..spread.cost.len()).filter(|&i| !spread.unknown[i] && !spread.creek[i]) {
            let beside = self.linked(i).all(|n| spread.is_certain(n));
            basins[spread.outlet[i] as usize] &= beside && spread.is_certain(i);
        }
        (basins, (0..spread.cost.len()).map(|i| spread.is_certain(i)).collect())
    }

    /// About how high the water of each child runs, in metres: at an exit as at its parent, along a trunk rising evenly to the
    /// lowest river that enters there, and elsewhere as far above its receiver as gullies climb.
    pub fn valleys(&self, exits: &[Exit], spread: &Spread) -> Vec<f32> {
        let mut valleys_m: Vec<Option<f32>> = vec![None; spread.cost.len()];
        let is_known = |into: u32| into != NONE && exits[into as usize / 4].from != NONE;
        for (q, &Exit { into, .. }) in exits.iter().enumerate().filter(|exit| is_known(exit.1.into)) {
            let p = into as usize / 4;
            let exit = exits[p].from;
            let down = |&at: &u32| (at != exit).then(|| spread.receiver[at as usize]);
            let way: Vec<u32> =
                std::iter::successors(Some(into), down).take_while(|&at| at != NONE).collect();
            let (low_m, high_m) = (self.parents[p].valley_m, self.parents[q].valley_m);
            for (k, &at) in way.iter().rev().enumerate() {
                let own_m = low_m + (high_m - low_m).max(0.0) * (k as f32 / way.len() as f32);
                let known_m = valleys_m[at as usize].get_or_insert(own_m);
                *known_m = known_m.min(own_m);
            }
        }
        let is_exit = |i: usize| exits[i / 4].from == i as u32;
        let mut chain = Vec::new();
        for i in 0..spread.cost.len() {
            let mut next = Some(i);
            while let Some(at) = next.filter(|&at| valleys_m[at].is_none()) {
                chain.push(at);
                let to = spread.receiver[at];
                next = (!is_exit(at) && to != NONE).then_some(to as usize);
            }
            while let Some(at) = chain.pop() {
                valleys_m[at] = Some(match spread.receiver[at] {
                    _ if is_exit(at) => self.parents[at / 4].valley_m,
                    NONE => 0.0,
                    to => self.up(at, to as usize, valleys_m[to as usize].unwrap_or(0.0)),
                });
            }
        }
        valleys_m.into_iter().map(|m| m.unwrap_or(0.0)).collect()
    }

    /// How high a child off the trunks stands, in metres, above a receiver whose height is known.
    fn up(&self, i: usize, to: usize, below_m: f32) -> f32 {
        let (below_m, aim) = (f64::from(below_m), &self.sites[i].aim);
        let way_m = self.sites[i].at.distance(self.sites[to].at);
        (below_m + heights::gully_m(aim.top_m - below_m, aim.rise, (way_m, self.size_m))) as f32
    }
}
