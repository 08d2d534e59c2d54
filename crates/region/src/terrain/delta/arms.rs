//! Arms of a delta: where they end, where they divide, and the way between.

use super::{LOBES, outline};
use crate::curve::{nearest, through};
use grid::{Draw, Vec3, math};
use world::{channel_depth_m, channel_width_m};

/// All arms carry this share of the river.
pub(in crate::terrain) const CARRIED: f64 = 0.5;
/// Least height of an arm's lobe over that of the greatest; half its width over the angle between two arms.
const LEAST_LOBE: f64 = 0.25;
const LOBE: (f64, f64) = (0.5, 1.1);
/// Shares of the radius at which arms divide, the first time, the second and so on; they differ by a tenth of it.
const DIVIDES: [f64; 5] = [0.0, 0.3, 0.52, 0.68, 0.8];
const DIFFER: f64 = 0.05;
/// Arms end this far beyond the land that the delta has built, in radii: in the sea, where others end.
const ENDS: f64 = 0.15;
/// Pieces of an arm between two places where arms divide, and how far it bends aside over its length.
const PIECES: usize = 4;
const BENDS: usize = 3;
const ASIDE: f64 = 0.1;
/// Share of the angle up to other arms' ways that bends may take.
const WITHIN: f64 = 0.5;
/// Beside the outermost arms there is so much, in radians.
const SPARE: f64 = 0.3;

/// Where an arm ends: angle, height and half width of its lobe.
#[derive(Clone, Copy, Debug)]
pub(in crate::terrain) struct End {
    pub phi: f64,
    pub height: f64,
    pub width: f64,
}

/// A straight piece of an arm, in metres out to sea and across.
#[derive(Clone, Copy, Debug)]
pub(in crate::terrain) struct Piece {
    pub a: Vec3,
    pub b: Vec3,
    pub half_m: f64,
    pub discharge_m3_s: f64,
    /// In its middle.
    depth_m: f64,
}

impl Piece {
    /// The same, at least so wide to each side.
    pub fn widened(self, least_m: f64) -> Self {
        Self { half_m: self.half_m.max(least_m), ..self }
    }

    /// Depth at a place on the plane that it covers, in metres.
    pub fn depth_m(&self, p: Vec3) -> Option<f64> {
        let share = nearest(p, self.a, self.b).1 / (self.half_m * self.half_m);
        (share < 1.0).then_some(self.depth_m * (1.0 - share))
    }
}

/// So many ends of arms between two angles.
pub(super) fn ends((left, right): (f64, f64), count: usize, draw: &mut Draw) -> Vec<End> {
    let step = (right - left) / count as f64;
    let end = |k: usize, draw: &mut Draw| End {
        phi: left + step * (k as f64 + 0.5 + draw.range(-0.3, 0.3)),
        height: draw.range(LEAST_LOBE, 1.0),
        width: step * draw.range(LOBE.0, LOBE.1),
    };
    (0..count).map(|k| end(k, draw)).collect()
}

/// Arms as they are made.
pub(super) struct Fan<'a> {
    pub ends: &'a [End],
    /// Its middle, as an angle.
    pub middle: f64,
    pub radius_m: f64,
    pub discharge_m3_s: f64,
    pub arms: Vec<Piece>,
}

impl Fan<'_> {
    /// All arms.
    pub fn all(mut self, draw: &mut Draw) -> Vec<Piece> {
        self.divide((0.0, 0.0), (0, self.ends.len()), draw);
        self.arms
    }

    /// Divides an arm at a radius (in radii) and an angle into those that lead to some ends.
    fn divide(&mut self, from: (f64, f64), (first, end): (usize, usize), draw: &mut Draw) {
        if end - first == 1 {
            return;
        }
        let middle = middle(first, end);
        for (first, end) in [(first, middle), (middle, end)] {
            let to = self.place((first, end), draw);
            self.lead((from, to), (first, end), draw);
            self.divide(to, (first, end), draw);
        }
    }

    /// The angle half way between two ends; beyond the outermost some way off.
    fn border(&self, k: usize) -> f64 {
        match (k.checked_sub(1).and_then(|k| self.ends.get(k)), self.ends.get(k)) {
            (Some(left), Some(right)) => 0.5 * (left.phi + right.phi),
            (Some(left), None) => left.phi + SPARE,
            (None, right) => right.map_or(0.0, |right| right.phi - SPARE),
        }
    }

    /// Where the arm that leads to some ends divides, or ends: radius and angle. It divides on the border of its halves, so
    /// that either keeps to its own side.
    fn place(&self, (first, end): (usize, usize), draw: &mut Draw) -> (f64, f64) {
        if end - first == 1 {
            let End { phi, height, .. } = self.ends[first];
            return (outline(phi - self.middle) + LOBES * height + ENDS, phi);
        }
        let depth = math::log2(self.ends.len() as f64 / (end - first) as f64).round().max(1.0) as usize;
        let r = DIVIDES[depth.min(DIVIDES.len() - 1)] + draw.range(-DIFFER, DIFFER);
        (r, self.border(middle(first, end)))
    }

    /// Adds the arm between two places that leads to some ends.
    fn lead(&mut self, (from, to): ((f64, f64), (f64, f64)), (first, end): (usize, usize), draw: &mut Draw) {
        let own_m3_s = CARRIED * self.discharge_m3_s * (end - first) as f64 / self.ends.len() as f64;
        let (half_m, depth_m) = (0.5 * channel_width_m(own_m3_s), channel_depth_m(own_m3_s));
        let (left, right) = (self.border(first), self.border(end));
        let inner = |k: usize, draw: &mut Draw| {
            let t = k as f64 / (BENDS + 1) as f64;
            let (r, phi) = (math::mix(from.0, to.0, t), turned(from, to, t));
            let room = WITHIN * (phi - left).min(right - phi);
            let aside = (ASIDE * (to.0 - from.0) / r.max(0.1)).min(room);
            self.at(r, phi + aside * draw.range(-1.0, 1.0))
        };
        let mut points = vec![self.at(from.0, from.1)];
        points.extend((1..=BENDS).map(|k| inner(k, draw)));
        points.push(self.at(to.0, to.1));
        let (start, last) = (points[1] - points[0], points[BENDS + 1] - points[BENDS]);
        let line = through(&points, start, last, PIECES);
        let piece =
            |ends: &[Vec3]| Piece { a: ends[0], b: ends[1], half_m, depth_m, discharge_m3_s: own_m3_s };
        self.arms.extend(line.windows(2).map(piece));
    }

    /// In metres out to sea and across.
    fn at(&self, r: f64, phi: f64) -> Vec3 {
        Vec3::new(self.radius_m * r * math::cos(phi), self.radius_m * r * math::sin(phi), 0.0)
    }
}

/// Where a range of ends is divided.
fn middle(first: usize, end: usize) -> usize {
    (first + end).div_ceil(2).min(end - 1)
}

/// The angle of an arm on its way between two places: from the apex it goes straight.
fn turned((r, from): (f64, f64), (_, to): (f64, f64), t: f64) -> f64 {
    if r <= 0.0 { to } else { math::mix(from, to, t) }
}
