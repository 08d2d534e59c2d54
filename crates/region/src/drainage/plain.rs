//! Floodplains: level ground beside great rivers, which their floods have laid down.
//!
//! A river fills its valley for some [`WIDTHS`] of its own on both sides where the land is gentle and tops stand little above
//! it, and for [`CUT`] of them where it has cut into hills. Each level knows the courses of the level above: where one is near enough, a site is on the plain of that river. What
//! a level has found is handed on: farther down, where courses lie many sites away, a site is as much on a plain as the sites
//! of the level above around it are. So a plain has one outline at all levels, and bluffs where it ends.

use super::guide::Aim;
use super::mesh::{Mesh, NONE};
use super::plan::{NOWHERE, Spot};
use crate::curve;
use grid::{Vec3, math};

/// Half width of a plain in widths of its river, and the share of that within which it is level.
const WIDTHS: f64 = 12.0;
const LEVEL: f64 = 0.4;
/// A plain is as wide as that where tops stand no more than half of the first over the river, in metres, and hillslopes are as gentle as the
/// second; [`CUT`] widths to each side where tops stand as high as the first, or hillslopes are as steep as the third. There is none where
/// they are as steep as the last.
const HILLS_M: f64 = 120.0;
const GENTLE: f64 = 0.12;
const STEEP: f64 = 0.3;
const STEEPEST: f64 = 0.6;
const CUT: f64 = 2.5;
/// Half widths of plains, in spacings of sites, from which on they are seen, and from which on altogether.
const SEEN: (f64, f64) = (0.5, 1.0);
/// Gradient of the ground on a plain.
const RISE: f64 = 0.003;
/// Sites of the level above farther off than this hand nothing on, in their spacings: none counts that is no neighbour.
const NEAR: f64 = 1.2;

/// How much a place is on the floodplain of a river, 0 to 1, and how wide that river is, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plain {
    pub share: f32,
    pub width_m: f32,
}

/// The plains of a piece of a level, from the courses and the plains of the level above.
pub(super) struct Plains<'a> {
    pub mesh: &'a Mesh,
    /// The sites of the level above, one for each part of the mesh.
    pub parents: &'a [Spot],
    /// Spacing of the sites that are asked for, in metres.
    pub size_m: f64,
}

impl Plains<'_> {
    /// Whether there are no plains in a parent.
    pub fn none_in(&self, p: usize) -> bool {
        self.around(p).all(|n| self.parents[n].plain.share == 0.0 && self.seen(n, WIDTHS) == 0.0)
    }

    /// The plain that a place in a parent is on: from what it is like, and how high its water runs, in metres.
    pub fn at(&self, p: usize, place: Vec3, (aim, valley_m): (&Aim, f64)) -> Plain {
        if aim.sea {
            return Plain::default();
        }
        let known = self.inherited(p, place);
        let low = math::smoothstep(HILLS_M, 0.5 * HILLS_M, aim.top_m - valley_m)
            * math::smoothstep(STEEP, GENTLE, aim.rise);
        let widths = math::mix(CUT * math::smoothstep(STEEPEST, STEEP, aim.rise), WIDTHS, low);
        let own = if widths > 0.0 { self.own(p, place, widths) } else { Plain::default() };
        if own.share > known.share { own } else { known }
    }

    /// What the sites of the level above around a place say, in the mean.
    fn inherited(&self, p: usize, place: Vec3) -> Plain {
        let reach_m = NEAR * 2.0 * self.size_m;
        let (mut share, mut width_m, mut all) = (0.0, 0.0, 0.0);
        for n in self.around(p) {
            let Spot { at, plain, .. } = self.parents[n];
            let near = (1.0 - (at - place).length_squared() / (reach_m * reach_m)).max(0.0);
            let weight = near * near;
            let here = weight * f64::from(plain.share);
            (share, width_m, all) = (share + here, width_m + here * f64::from(plain.width_m), all + weight);
        }
        if all <= 0.0 {
            return self.parents[p].plain;
        }
        let width_m = if share > 0.0 { width_m / share } else { 0.0 };
        Plain { share: (share / all) as f32, width_m: width_m as f32 }
    }

    /// What the courses of the level above say where plains are so many widths wide to each side.
    fn own(&self, p: usize, place: Vec3, widths: f64) -> Plain {
        let mut plain = Plain::default();
        for n in self.around(p) {
            let (river, seen) = (&self.parents[n], self.seen(n, widths));
            if seen == 0.0 {
                continue;
            }
            let reach_m = widths * f64::from(river.width_m);
            let to = self.receiver(n).filter(|&to| self.is_around(p, to));
            let end = to.map_or(river.at, |to| self.parents[to].at);
            let off_m = curve::nearest(place, river.at, end).1.sqrt();
            let share = (seen * math::smoothstep(1.0, LEVEL, off_m / reach_m)) as f32;
            if share > plain.share {
                plain = Plain { share, width_m: river.width_m };
            }
        }
        plain
    }

    /// How much the plain of a river of the level above is seen, so many widths wide to each side, 0 to 1.
    fn seen(&self, n: usize, widths: f64) -> f64 {
        let river = &self.parents[n];
        let reach_m = widths * f64::from(river.width_m);
        if river.sea { 0.0 } else { math::smoothstep(SEEN.0, SEEN.1, reach_m / self.size_m) }
    }

    /// A parent and those around it: whatever piece holds a parent that is settled holds these too.
    fn around(&self, p: usize) -> impl Iterator<Item = usize> + '_ {
        let near = self.mesh.near[p].iter().filter(|&&n| n != NONE).map(|&n| n as usize);
        std::iter::once(p).chain(near)
    }

    fn is_around(&self, p: usize, n: usize) -> bool {
        n == p || self.mesh.near[p].contains(&(n as u32))
    }

    fn receiver(&self, n: usize) -> Option<usize> {
        match self.parents[n].receiver {
            NOWHERE => None,
            d => Some(self.mesh.near[n][usize::from(d)]).filter(|&to| to != NONE).map(|to| to as usize),
        }
    }
}

/// Gradient of hillslopes where land of a gradient is so much on a plain.
pub(super) fn rise(free: f64, plain: f64) -> f64 {
    math::mix(free, RISE.min(free), plain)
}
