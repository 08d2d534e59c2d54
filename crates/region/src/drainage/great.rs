//! Rivers keep the course that the level above has given them; those that are wide for the spacing of sites keep it altogether.
//!
//! A river is the same at every level: its exits are drawn towards the gates of a curve through its parents ([`super::passage`]), its trunk
//! towards the curve, and its sites move to it by [`KEPT`], as far as their discs let them. What is left of their draw, and where gates lie,
//! gives each level its own turns. A river bends over about eleven of its widths (Leopold & Wolman 1960), not over less: from [`EASED`]
//! widths between sites on it keeps to the curve more and more. Where sites lie no more than [`ALL`] widths apart, exits
//! lie nearest to that way, whatever else they cost; from [`NONE`] widths on nothing is made of that.

use super::passage::{Passage, along, bezier};
use super::plan::{JITTER, Spot};
use arrayvec::ArrayVec;
use grid::{Vec3, math};

/// Spacings of sites, in widths, from which on nothing is a great river, and up to which it is one altogether.
const NONE: f64 = 4.5;
const ALL: f64 = 2.0;
/// Spacings of sites, in widths, from which on sites keep to their curve by [`KEPT`] alone, and up to which they do altogether.
const EASED: (f64, f64) = (50.0, 15.0);
/// How much sites of all rivers keep to their curve.
const KEPT: f64 = 0.7;

/// How much a river is great among sites so far apart: 0 to 1.
pub(super) fn greatness(width_m: f32, size_m: f64) -> f64 {
    math::smoothstep(1.0 / NONE, 1.0 / ALL, f64::from(width_m) / size_m)
}

/// How much its sites keep to its curve: 0 to 1.
pub(super) fn eased(width_m: f32, size_m: f64) -> f64 {
    math::smoothstep(1.0 / EASED.0, 1.0 / EASED.1, f64::from(width_m) / size_m).max(KEPT)
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

/// Spacings of its sites that those of a river that leaves its parts may lie off its parent's site, and, once they are smoothed, off
/// where plans put them: so the level above tells where it runs. 99 in 100 lie within 1.2 of their parent's anyway.
pub(super) const OFF_PARENT: f64 = 1.3;
const SMOOTHED: f64 = 0.6;
/// How far the sites of a river that leaves its parts at the level above, too, lie from the site two levels above at most, in spacings.
pub(crate) const OFF_GRANDPARENT: f64 = 2.0 * OFF_PARENT + OFF_PARENT + SMOOTHED;

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

/// The place of a site of a river, smoothed, no farther than it may lie from the middle of its part and from where its plan puts it.
pub(super) fn smoothed(spot: &Spot, place: Vec3, middle: Vec3, size_m: f64) -> Vec3 {
    let place = within(middle, place, leeway_m(spot.width_m, size_m));
    let leaves = leaves_parts(f64::from(spot.width_m), size_m);
    if leaves { within(spot.at, place, SMOOTHED * size_m) } else { place }
}

/// What a river makes of a site: of one that is not of a trunk nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bed {
    /// Where the site lies, if it is moved.
    pub at: Option<Vec3>,
    pub width_m: f32,
    /// The direction of its curve there, a unit vector; nothing where it keeps to none.
    pub ahead: Vec3,
}

/// The trunk of one parent.
pub(super) struct Trunk<'a> {
    pub passage: Passage<'a>,
    /// For each of the four children the next on its way to the exit.
    pub next: [Option<u32>; 4],
    /// Places of the children.
    pub at: [Vec3; 4],
}

impl Trunk<'_> {
    /// The beds of the four children, which lie around these middles.
    pub fn beds(&self, middle: impl Fn(usize) -> Vec3 + Copy) -> [Bed; 4] {
        let Passage { parents, parent, size_m, .. } = self.passage;
        let own = &parents[parent];
        let mut beds = [Bed::default(); 4];
        let main = self.passage.main();
        let way = self.way(main.map_or(self.passage.head, |entry| entry.child));
        for entry in &self.passage.entries {
            let width_m = parents[entry.from].width_m.min(own.width_m);
            for k in self.way(entry.child) {
                let bed = &mut beds[k as usize];
                bed.width_m = bed.width_m.max(width_m);
            }
        }
        let eased = eased(own.width_m, size_m);
        let curve = self.passage.curve(main.as_ref());
        for (i, &k) in way.iter().enumerate() {
            let t = (i as f64 + 0.5) / way.len() as f64;
            let k = k as usize;
            let most_m = leeway_m(own.width_m, size_m);
            let at = curve.map(|curve| within(middle(k), self.at[k].lerp(bezier(curve, t), eased), most_m));
            let ahead = curve.map_or(Vec3::default(), |curve| along(curve, t));
            beds[k] = Bed { at, width_m: own.width_m, ahead };
        }
        self.lead_in(&mut beds, &way, middle);
        // so that the level above tells where wide rivers run
        for (bed, at) in beds.iter_mut().zip(self.at) {
            if leaves_parts(f64::from(bed.width_m), size_m) {
                bed.at = Some(within(own.at, bed.at.unwrap_or(at), OFF_PARENT * size_m));
            }
        }
        beds
    }

    /// Puts the sites of other rivers, the widest first, on the way from where each enters the parent to where it
    /// meets the main one, or another.
    fn lead_in(&self, beds: &mut [Bed; 4], main: &[u32], middle: impl Fn(usize) -> Vec3) {
        let Passage { parents, parent, size_m, .. } = self.passage;
        let own = &parents[parent];
        let mut settled: [bool; 4] = std::array::from_fn(|k| main.contains(&(k as u32)));
        let mut entries = self.passage.entries.clone();
        entries.sort_by(|a, b| parents[b.from].width_m.total_cmp(&parents[a.from].width_m));
        for entry in entries {
            let from = &parents[entry.from];
            let width_m = from.width_m.min(own.width_m);
            let (eased, most_m) = (eased(width_m, size_m), leeway_m(width_m, size_m));
            let way = self.way(entry.child);
            let aside = way.iter().take_while(|&&k| !settled[k as usize]).count();
            let Some(&meets) = way.get(aside) else { continue };
            let start = entry.gate.at;
            let end = beds[meets as usize].at.unwrap_or(self.at[meets as usize]);
            for (i, &k) in way[..aside].iter().enumerate() {
                let k = k as usize;
                let to = start.lerp(end, (i as f64 + 0.5) / (aside as f64 + 0.5));
                beds[k].at = Some(within(middle(k), self.at[k].lerp(to, eased), most_m));
                settled[k] = true;
            }
        }
    }

    /// The children from one to the exit.
    fn way(&self, from: u32) -> ArrayVec<u32, 4> {
        std::iter::successors(Some(from), |&k| self.next[k as usize].filter(|_| k != self.passage.exit))
            .take(4)
            .collect()
    }
}
