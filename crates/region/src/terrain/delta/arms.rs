//! Arms of a delta: where they end, where they divide, and the way between.

use super::{LOBES, outline};
use crate::banks::{Room, UNEVEN};
use crate::curve::{nearest, through};
use grid::{Draw, Vec3, math};
use world::channel_width_m;

/// Least height of an arm's lobe over that of the greatest; half its width over the angle between two arms.
const LEAST_LOBE: f64 = 0.25;
const LOBE: (f64, f64) = (0.5, 1.1);
/// Places where arms divide differ by so much to either side, in radii.
const DIFFER: f64 = 0.05;
/// Arms end this far beyond the land that the delta has built, in radii: in the sea, where others end.
pub(super) const ENDS: f64 = 0.15;
/// Places between two where arms divide at which an arm bends aside, pieces from one to the next, and how far over its length.
const PIECES: usize = 6;
const BENDS: usize = 3;
const ASIDE: f64 = 0.1;
/// Share of the angle up to other arms' ways that bends may take: a curve through the greatest goes beyond them by less than half.
const WITHIN: f64 = 0.66;
/// Beside the outermost arms there is so much, in radians.
const SPARE: f64 = 0.3;

/// Samples that an arm is wide up to which its banks are even, and from which on they are uneven in full.
const WIDE: (f64, f64) = (3.0, 7.0);

/// Where an arm ends: angle, height and half width of its lobe, and how far from the apex, in radii.
#[derive(Clone, Copy, Debug)]
pub(in crate::terrain) struct End {
    pub phi: f64,
    pub height: f64,
    pub width: f64,
    pub far: f64,
}

/// A straight piece of an arm, in metres out to sea and across.
#[derive(Clone, Copy, Debug)]
pub(in crate::terrain) struct Piece {
    pub a: Vec3,
    pub b: Vec3,
    /// Half of its width, or of its room.
    pub half_m: f64,
    pub uneven: f64,
    /// Its bed is level for so far to each side of its line.
    pub level_m: f64,
    pub discharge_m3_s: f64,
    /// In its middle.
    pub depth_m: f64,
    /// The arm that it is of, counted from the first.
    pub arm: u32,
}

impl Piece {
    /// The same with room for uneven banks, as samples so far apart show them.
    pub fn with_room(self, spacing_m: f64) -> Self {
        let wide = 2.0 * self.half_m / spacing_m;
        let uneven = UNEVEN * math::smoothstep(WIDE.0, WIDE.1, wide);
        Self { half_m: self.half_m * (1.0 + uneven), uneven, ..self }
    }

    /// The same, at least so wide to each side, and so far as deep as in its middle: samples find their way along it.
    pub fn widened(self, least_m: f64) -> Self {
        Self { half_m: self.half_m.max(least_m), level_m: least_m, ..self }
    }

    /// Where a place on the plane lies in its room.
    pub fn room(&self, p: Vec3) -> Room {
        let within_m = self.half_m - nearest(p, self.a, self.b).1.sqrt();
        Room { half_m: self.half_m, uneven: self.uneven, within_m }
    }

    /// Depth at a place in its room where no land is near, in metres.
    pub fn depth_at_m(&self, room: Room) -> f64 {
        let side_m = (self.half_m - self.level_m).max(f64::MIN_POSITIVE);
        let share = (1.0 - room.within_m / side_m).max(0.0);
        self.depth_m * (1.0 - share * share)
    }

    /// The same so far from land.
    pub fn shallow_m(&self, room: Room, off_land_m: f64) -> f64 {
        if self.uneven > 0.0 { self.depth_m * room.deep(off_land_m) } else { self.depth_m }
    }
}

/// So many ends of arms between two angles.
pub(in crate::terrain) fn ends((left, right): (f64, f64), count: usize, draw: &mut Draw) -> Vec<End> {
    let (step, fan) = ((right - left) / count as f64, 0.5 * (left + right));
    let end = |k: usize, draw: &mut Draw| {
        let phi = left + step * (k as f64 + 0.5 + draw.range(-0.3, 0.3));
        let height = draw.range(LEAST_LOBE, 1.0);
        let width = step * draw.range(LOBE.0, LOBE.1);
        End { phi, height, width, far: outline(phi - fan) + LOBES * height + ENDS }
    };
    (0..count).map(|k| end(k, draw)).collect()
}

/// Arms as they are made.
pub(super) struct Fan<'a> {
    pub ends: &'a [End],
    /// Its middle, as an angle.
    pub middle: f64,
    pub radius_m: f64,
    /// Discharge of the river, in m3/s, and its depth, in metres.
    pub river: (f64, f64),
    pub arms: Vec<Piece>,
}

impl Fan<'_> {
    /// All arms.
    pub fn all(mut self, draw: &mut Draw) -> Vec<Piece> {
        let count = self.ends.len();
        if let [end] = self.ends {
            // alone it leads straight out
            self.lead(((0.0, end.phi), (end.far, end.phi)), (0, 1), draw);
            return self.arms;
        }
        self.divide((0.0, self.border(middle(0, count))), (0, count), draw);
        self.arms
    }

    /// Divides an arm at a radius (in radii) and an angle into those that lead to some ends.
    fn divide(&mut self, from: (f64, f64), (first, end): (usize, usize), draw: &mut Draw) {
        if end - first == 1 {
            return;
        }
        let middle = middle(first, end);
        for (first, end) in [(first, middle), (middle, end)] {
            let to = self.place(from.0, (first, end), draw);
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

    /// Where the arm that leads from a radius to some ends divides, or ends: radius and angle. It divides on the border of its
    /// halves, so that either keeps to its own side; what is left of the way to the sea is about even among the divisions to come.
    fn place(&self, from: f64, (first, end): (usize, usize), draw: &mut Draw) -> (f64, f64) {
        if end - first == 1 {
            return (self.ends[first].far, self.ends[first].phi);
        }
        let phi = self.border(middle(first, end));
        let divisions = math::log2((end - first) as f64).ceil();
        let r = math::mix(from, outline(phi - self.middle), 1.0 / (divisions + 1.0));
        (r + draw.range(-DIFFER, DIFFER), phi)
    }

    /// Adds the arm between two places that leads to some ends. At both it runs straight away from the apex, so that it leaves
    /// a division as the arm above came there; and it keeps to the angles between its borders, as all its pieces then do.
    fn lead(&mut self, (from, to): ((f64, f64), (f64, f64)), (first, end): (usize, usize), draw: &mut Draw) {
        let own_m3_s = self.river.0 * (end - first) as f64 / self.ends.len() as f64;
        // as deep as the river: no bed rises where it divides
        let (half_m, depth_m) = (0.5 * channel_width_m(own_m3_s), self.river.1);
        let (left, right) = (self.border(first), self.border(end));
        let way = |t: f64| {
            let phi = math::mix(from.1, to.1, math::smoothstep(0.0, 1.0, t));
            let room = (phi - left) * (right - phi) / (right - left);
            (math::mix(from.0, to.0, t), phi, WITHIN * room.max(0.0))
        };
        // how far it is aside of its way, as a share of the room, by the share of the way
        let mut aside = vec![Vec3::default()];
        aside.extend((1..=BENDS).map(|k| {
            let t = k as f64 / (BENDS + 1) as f64;
            let (r, _, room) = way(t);
            let most = (ASIDE * (to.0 - from.0) / (r.max(0.1) * room.max(1e-9))).min(1.0);
            Vec3::new(t, most * draw.range(-1.0, 1.0), 0.0)
        }));
        aside.push(Vec3::new(1.0, 0.0, 0.0));
        let along = Vec3::new(1.0 / (BENDS + 1) as f64, 0.0, 0.0);
        let place = |Vec3 { x: t, y: aside, .. }: &Vec3| {
            let (r, phi, room) = way(*t);
            self.at(r, phi + room * aside)
        };
        let mut places: Vec<Vec3> = through(&aside, along, along, PIECES).iter().map(place).collect();
        // there the next ones begin
        places.pop();
        places.push(self.at(to.0, to.1));
        let arm = self.arms.last().map_or(0, |last| last.arm + 1);
        let piece = |ends: &[Vec3]| Piece {
            a: ends[0],
            b: ends[1],
            half_m,
            uneven: 0.0,
            level_m: 0.0,
            depth_m,
            discharge_m3_s: own_m3_s,
            arm,
        };
        self.arms.extend(places.windows(2).map(piece));
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
