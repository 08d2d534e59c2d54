//! Passes between catchments, and the lowest way over them.
//!
//! A pass joins two catchments at the height of the higher of two neighbouring cells. Of many passes only those of a
//! least spanning forest matter for the lowest way over (Kruskal 1956).

use rayon::prelude::*;

/// A pass between two catchments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pass {
    /// Rank of its height: see [`rank`].
    pub rank: u32,
    pub a: u32,
    pub b: u32,
}

/// A number that rises as the level does; 0 and -0 are one level.
#[inline]
pub(crate) fn rank(level: f32) -> u32 {
    let bits = (level + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// The level of a rank.
pub(crate) fn level(rank: u32) -> f32 {
    f32::from_bits(if rank >> 31 == 1 { rank & !(1 << 31) } else { !rank })
}

/// Sets of catchments that hang together.
pub(crate) struct Sets {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl Sets {
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect(), size: vec![1; count] }
    }

    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let next = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = next;
            x = next;
        }
        x
    }

    /// Joins two sets by their first members; `false` if they are one.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        if a == b {
            return false;
        }
        let (small, large) = if self.size[a as usize] < self.size[b as usize] { (a, b) } else { (b, a) };
        self.parent[small as usize] = large;
        self.size[large as usize] += self.size[small as usize];
        true
    }
}

/// Keeps the passes of a least spanning forest, lowest first.
pub(crate) fn keep_forest(passes: &mut Vec<Pass>, catchments: usize) {
    passes.sort_unstable_by_key(|p| p.rank);
    let mut sets = Sets::new(catchments);
    passes.retain(|p| {
        let (a, b) = (sets.find(p.a), sets.find(p.b));
        sets.join(a, b)
    });
}

/// Gathers passes; of those between the same two catchments that come soon after each other only the lowest.
pub(crate) struct Gatherer {
    passes: Vec<Pass>,
    recent: Vec<Pass>,
    /// As many are kept before the forest is taken out of them.
    limit: usize,
}

/// Sets of passes met lately; as many as there are between the catchments along one row of a wide raster.
const RECENT_BITS: u32 = 15;

impl Gatherer {
    /// `limit` bounds the memory; it must be at least twice the number of catchments to be of use.
    pub fn new(limit: usize) -> Self {
        let none = Pass { rank: u32::MAX, a: 0, b: 0 };
        Self { passes: Vec::new(), recent: vec![none; 1 << RECENT_BITS], limit }
    }

    /// Two different catchments and the rank of the pass.
    #[inline]
    pub fn add(&mut self, a: u32, b: u32, rank: u32, catchments: usize) {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let hash =
            (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - RECENT_BITS);
        let slot = &mut self.recent[hash as usize];
        if (slot.a, slot.b) == (a, b) {
            slot.rank = slot.rank.min(rank);
            return;
        }
        let old = std::mem::replace(slot, Pass { rank, a, b });
        if old.a != old.b {
            self.keep(old, catchments);
        }
    }

    fn keep(&mut self, pass: Pass, catchments: usize) {
        if self.passes.len() >= self.limit.max(2 * catchments) {
            keep_forest(&mut self.passes, catchments);
        }
        self.passes.push(pass);
    }

    /// All passes that may matter, lowest first.
    pub fn finish(mut self) -> Vec<Pass> {
        self.passes.extend(self.recent.iter().filter(|p| p.a != p.b));
        self.passes.sort_unstable_by_key(|p| p.rank);
        self.passes
    }
}

/// Adds the passes across a joint, along which two lines of cells lie beside each other: each cell of the one with the
/// three of the other. Of each cell its anchor, of which there are so many, and its elevation.
pub(crate) fn across(one: (&[u32], &[f32]), other: (&[u32], &[f32]), anchors: usize, found: &mut Gatherer) {
    for k in 0..one.0.len() {
        for n in k.saturating_sub(1)..=(k + 1).min(other.0.len() - 1) {
            let (a, b) = (one.0[k], other.0[n]);
            if a != FREE && b != FREE && a != b {
                let (x, y) = (one.1[k], other.1[n]);
                found.add(a, b, rank(if x > y { x } else { y }), anchors);
            }
        }
    }
}

/// The level at which each of so many anchors spills out of the map, which is anchor 0.
pub(crate) fn levels(passes: &mut [Pass], anchors: usize) -> Vec<f32> {
    passes.par_sort_unstable_by_key(|p| p.rank);
    let mut anchor = vec![FREE; anchors];
    anchor[0] = 0;
    let mut drained = Drained::new(anchor);
    drained.run(passes, 1);
    (0..anchors as u32).map(|a| drained.of(a).1).collect()
}

/// Catchments drained over their lowest passes towards others that are drained already, or will be from outside.
///
/// Two catchments with an anchor are never made one; a pass between them is left over.
pub(crate) struct Drained {
    sets: Sets,
    /// Of each set's first member: the anchor that it drains to, [`FREE`] where there is none yet.
    anchor: Vec<u32>,
    /// Of each set's first member with an anchor: rank of the way there; 0 if it holds the anchor itself.
    rank: Vec<u32>,
}

/// No anchor.
pub(crate) const FREE: u32 = u32::MAX;

impl Drained {
    /// `anchor` of each catchment, [`FREE`] where there is none.
    pub fn new(anchor: Vec<u32>) -> Self {
        Self { sets: Sets::new(anchor.len()), rank: vec![0; anchor.len()], anchor }
    }

    /// Takes passes from the lowest up. Returns those by which the anchors themselves hang together, lowest first:
    /// a least spanning forest of the anchors, of which there are so many.
    pub fn run(&mut self, passes: &[Pass], anchors: usize) -> Vec<Pass> {
        let (mut between, mut left_over) = (Sets::new(anchors), Vec::new());
        for pass in passes {
            let (a, b) = (self.sets.find(pass.a), self.sets.find(pass.b));
            match (self.anchor[a as usize], self.anchor[b as usize]) {
                (FREE, FREE) => {
                    self.sets.join(a, b);
                }
                (FREE, anchor) => self.drain(a, anchor, pass.rank),
                (anchor, FREE) => self.drain(b, anchor, pass.rank),
                (x, y) => {
                    let (from, to) = (between.find(x), between.find(y));
                    if between.join(from, to) {
                        left_over.push(Pass { rank: pass.rank, a: x, b: y });
                    }
                }
            }
        }
        left_over
    }

    fn drain(&mut self, set: u32, anchor: u32, rank: u32) {
        self.anchor[set as usize] = anchor;
        self.rank[set as usize] = rank;
    }

    /// The anchor of a catchment and the level at which it spills there.
    ///
    /// From every cell of the catchment the lowest way to any anchor goes over that level at least, and to this
    /// anchor not higher.
    pub fn of(&mut self, catchment: u32) -> (u32, f32) {
        let set = self.sets.find(catchment) as usize;
        let spill = if self.rank[set] == 0 { f32::NEG_INFINITY } else { level(self.rank[set]) };
        (self.anchor[set], spill)
    }
}
