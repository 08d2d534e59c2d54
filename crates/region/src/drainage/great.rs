//! Great rivers: those that are wide for the spacing of sites keep the course that the level above has given them.
//!
//! The turns of a small river come from the numbers of its links, at every level anew. A river bends over about eleven of
//! its widths (Leopold & Wolman 1960), not over less: where sites lie no more than [`ALL`] widths apart, exits lie where the
//! straight way from parent to receiver crosses the border, and sites are drawn to a smooth curve through the
//! middles between parents (a quadratic B-spline), as far as their discs let them. From [`NONE`] widths on nothing of
//! this is seen.

use super::mesh::NONE as NOBODY;
use super::plan::{JITTER, Spot};
use grid::{Vec3, math};

/// Spacings of sites, in widths, from which on nothing is a great river, and up to which it is one altogether.
const NONE: f64 = 4.5;
const ALL: f64 = 2.0;

/// How much a river is great among sites so far apart: 0 to 1.
pub(super) fn greatness(width_m: f32, size_m: f64) -> f64 {
    math::smoothstep(1.0 / NONE, 1.0 / ALL, f64::from(width_m) / size_m)
}

/// How far the sites of a river may lie from the middles of their parts, in metres: a little out of their discs where it is
/// great, and [`AFIELD`] widths of the river where its parts are narrower than it: these zigzag around the curve, which its
/// sites follow.
pub(super) fn leeway_m(width_m: f32, size_m: f64) -> f64 {
    let disc_m = 0.95 * JITTER * size_m * (1.0 + BEYOND * greatness(width_m, size_m));
    disc_m.max(AFIELD * f64::from(width_m))
}

/// Whether the sites of a river lie off their parts' discs, on its curve.
pub(crate) fn leaves_parts(width_m: f64, size_m: f64) -> bool {
    AFIELD * width_m > 0.95 * JITTER * size_m
}

/// Share of their disc that sites of great rivers may lie beyond it.
const BEYOND: f64 = 0.8;
/// Widths of a river that its sites may lie off the middles of their parts.
pub(crate) const AFIELD: f64 = 1.0;

/// A place, or that on the way to it from a middle that lies no farther off than `most_m`.
pub(super) fn within(middle: Vec3, place: Vec3, most_m: f64) -> Vec3 {
    let off = place - middle;
    let far_m = off.length();
    middle + if far_m > most_m { off * (most_m / far_m) } else { off }
}

/// What a river makes of a site: of one that is not of a trunk nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bed {
    /// Where the site lies, if it is moved.
    pub at: Option<Vec3>,
    pub width_m: f32,
}

/// The trunk of one parent.
pub(super) struct Trunk<'a> {
    /// The parents, and which is this.
    pub parents: &'a [Spot],
    pub parent: usize,
    /// Index of the parent's receiver, or [`NOBODY`].
    pub receiver: u32,
    /// Children by which rivers enter, each with the parent that it comes from.
    pub entries: Vec<(u32, usize)>,
    /// For each of the four children the next on its way to the exit.
    pub next: [Option<u32>; 4],
    pub exit: u32,
    /// Places of the children, and the spacing of sites.
    pub at: [Vec3; 4],
    pub size_m: f64,
}

impl Trunk<'_> {
    /// The beds of the four children, which lie around these middles.
    pub fn beds(&self, middle: impl Fn(usize) -> Vec3 + Copy) -> [Bed; 4] {
        let own = &self.parents[self.parent];
        let mut beds = [Bed::default(); 4];
        let main = self.main();
        let way = self.way(main.map_or(self.exit, |entry| entry.0));
        for &(entry, from) in &self.entries {
            let width_m = self.parents[from].width_m.min(own.width_m);
            for k in self.way(entry) {
                let bed = &mut beds[k as usize];
                bed.width_m = bed.width_m.max(width_m);
            }
        }
        let great = greatness(own.width_m, self.size_m);
        for (i, &k) in way.iter().enumerate() {
            let t = (i as f64 + 0.5) / way.len() as f64;
            let k = k as usize;
            let curve = || self.curve(main.map(|entry| entry.1), t);
            let most_m = leeway_m(own.width_m, self.size_m);
            let at = (great > 0.0).then(|| within(middle(k), self.at[k].lerp(curve(), great), most_m));
            beds[k] = Bed { at, width_m: own.width_m };
        }
        self.lead_in(&mut beds, &way, middle);
        beds
    }

    /// Puts the sites of other great rivers, the widest first, on the way from where each enters the parent to where it
    /// meets the main one, or another.
    fn lead_in(&self, beds: &mut [Bed; 4], main: &[u32], middle: impl Fn(usize) -> Vec3) {
        let own = &self.parents[self.parent];
        let mut settled: [bool; 4] = std::array::from_fn(|k| main.contains(&(k as u32)));
        let mut entries = self.entries.clone();
        entries.sort_by(|a, b| self.parents[b.1].width_m.total_cmp(&self.parents[a.1].width_m));
        for (entry, from) in entries {
            let width_m = self.parents[from].width_m.min(own.width_m);
            let (great, most_m) = (greatness(width_m, self.size_m), leeway_m(width_m, self.size_m));
            let way = self.way(entry);
            let aside = way.iter().take_while(|&&k| !settled[k as usize]).count();
            let Some(&meets) = way.get(aside).filter(|_| great > 0.0) else { continue };
            let start = (self.parents[from].at + own.at) * 0.5;
            let end = beds[meets as usize].at.unwrap_or(self.at[meets as usize]);
            for (i, &k) in way[..aside].iter().enumerate() {
                let k = k as usize;
                let to = start.lerp(end, (i as f64 + 0.5) / (aside as f64 + 0.5));
                beds[k].at = Some(within(middle(k), self.at[k].lerp(to, great), most_m));
                settled[k] = true;
            }
        }
    }

    /// The entry of the widest river; of equal ones the first.
    fn main(&self) -> Option<(u32, usize)> {
        let wider = |a: (u32, usize), b: (u32, usize)| {
            if self.parents[b.1].width_m > self.parents[a.1].width_m { b } else { a }
        };
        self.entries.iter().copied().reduce(wider)
    }

    /// The children from one to the exit.
    fn way(&self, from: u32) -> Vec<u32> {
        std::iter::successors(Some(from), |&k| self.next[k as usize].filter(|_| k != self.exit))
            .take(4)
            .collect()
    }

    /// The curve from where the river enters the parent to where it leaves.
    fn curve(&self, above: Option<usize>, t: f64) -> Vec3 {
        let own = self.parents[self.parent].at;
        let below = (self.receiver != NOBODY).then(|| self.parents[self.receiver as usize].at);
        let above = above.map(|p| self.parents[p].at);
        let (above, below) = match (above, below) {
            (Some(above), Some(below)) => (above, below),
            (Some(above), None) => (above, own + (own - above)),
            (None, Some(below)) => (own + (own - below), below),
            (None, None) => return own,
        };
        let (early, late) = ((1.0 - t) * (1.0 - t), t * t);
        above * (0.5 * early) + own * (1.0 - 0.5 * (early + late)) + below * (0.5 * late)
    }
}
