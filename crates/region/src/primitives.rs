//! Primitives: the straight pieces of the features near a tile, in the order of cells, and what they say of a
//! place. Pieces that cannot reach the tile are left out; since each has no effect at all beyond its reach,
//! the answer does not depend on the tile.

use crate::curve::nearest;
use crate::features::{CellFeatures, River};
use crate::high::{High, HighGround};
use grid::{Vec3, math};
use world::channel_width_m;

/// Valleys of rivers end this far from them, in cells.
pub(crate) const VALLEY_CELLS: f64 = 0.6;

/// A ball around the samples of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub center: Vec3,
    pub radius_m: f64,
}

impl Ball {
    /// The smallest ball around the middle of the extent of some points.
    pub fn around(points: impl Iterator<Item = Vec3> + Clone) -> Option<Self> {
        let (mut low, mut high) = (points.clone().next()?, points.clone().next()?);
        for p in points.clone() {
            low = Vec3::new(low.x.min(p.x), low.y.min(p.y), low.z.min(p.z));
            high = Vec3::new(high.x.max(p.x), high.y.max(p.y), high.z.max(p.z));
        }
        let center = low.lerp(high, 0.5);
        Some(Self { center, radius_m: points.map(|p| p.distance(center)).fold(0.0, f64::max) })
    }

    /// Whether a place lies in it.
    pub fn holds(&self, a: Vec3) -> bool {
        (a - self.center).length_squared() <= self.radius_m * self.radius_m
    }

    /// Whether something around `a` that reaches `reach_m` metres can matter here.
    pub fn near(&self, a: Vec3, reach_m: f64) -> bool {
        let reach = reach_m + self.radius_m;
        (a - self.center).length_squared() <= reach * reach
    }

    /// Whether something between `a` and `b` that reaches `reach_m` metres can matter here.
    pub fn meets(&self, a: Vec3, b: Vec3, reach_m: f64) -> bool {
        let reach = reach_m + self.radius_m;
        nearest(self.center, a, b).1 <= reach * reach
    }
}

/// A straight piece of a river.
struct RiverPiece {
    a: Vec3,
    b: Vec3,
    surface: (f64, f64),
    bed: (f64, f64),
    half_width_m: (f64, f64),
    side_slope: f64,
    discharge_m3_s: f64,
    order: u8,
    on_land: bool,
    /// How much land the river builds up: 0 for brooks and out at sea, 1 for great rivers.
    load: f64,
}

/// A river at a place in its channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    pub bed_m: f64,
    pub surface_m: f64,
    pub discharge_m3_s: f64,
    pub order: u8,
    /// Whether the cell is land.
    pub on_land: bool,
}

/// What rivers say of a place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Channel {
    /// The greatest river whose channel covers it.
    pub here: Option<Stream>,
    /// The ground stands no higher than this, in metres.
    pub envelope_m: Option<f64>,
    /// How much of the land beside it a river on land has built up: 1 at its bank, 0 where none is near.
    pub levee: f64,
}

/// The pieces near a tile.
pub(crate) struct Primitives {
    high: High,
    rivers: Vec<RiverPiece>,
}

impl Primitives {
    /// None yet; each kind of high ground alone can be asked for where `alone`.
    pub fn new(alone: bool) -> Self {
        Self { high: if alone { High::of_each() } else { High::default() }, rivers: Vec::new() }
    }

    /// Adds what a cell's features can do within the ball, for samples `spacing_m` apart.
    pub fn add(&mut self, features: &CellFeatures, ball: &Ball, spacing_m: f64, valley_m: f64) {
        self.high.add(features, ball, spacing_m);
        for river in &features.rivers {
            self.add_river(river, ball, spacing_m, valley_m);
        }
    }

    fn add_river(&mut self, river: &River, ball: &Ball, spacing_m: f64, valley_m: f64) {
        if channel_width_m(river.discharge_m3_s) < LEAST_WIDTH * spacing_m {
            return;
        }
        // channels stay connected from sample to sample, and all stay within reach of their cell
        let half_width_m = (0.5 * channel_width_m(river.discharge_m3_s)).max(0.6 * spacing_m);
        let last = (river.points_m.len() - 1) as f64;
        let half_at = |k: usize| {
            let flare = math::mix(river.flare.0, river.flare.1, k as f64 / last);
            (half_width_m * flare).min(WIDEST * valley_m)
        };
        let great = math::smoothstep(1.3, 3.3, math::log10(river.discharge_m3_s.max(1.0)));
        let load = if river.on_land { great } else { 0.0 };
        let pieces = river.points_m.windows(2).zip(river.surface_m.windows(2)).zip(river.bed_m.windows(2));
        for (k, ((p, s), b)) in pieces.enumerate() {
            let half_width_m = (half_at(k), half_at(k + 1));
            if ball.meets(p[0], p[1], valley_m + half_width_m.0.max(half_width_m.1)) {
                self.rivers.push(RiverPiece {
                    a: p[0],
                    b: p[1],
                    surface: (s[0], s[1]),
                    bed: (b[0], b[1]),
                    half_width_m,
                    side_slope: river.side_slope,
                    discharge_m3_s: river.discharge_m3_s,
                    order: river.order,
                    on_land: river.on_land,
                    load,
                });
            }
        }
    }

    /// Height of ridges, buttresses and peaks above the massif at a place, in metres.
    pub fn high_ground_m(&self, q: Vec3) -> f64 {
        self.high.highest_m(q)
    }

    /// Heights of ridges, peaks and buttresses above the massif at a place, each alone.
    pub fn high_ground(&self, q: Vec3) -> HighGround {
        self.high.each(q)
    }

    /// What the rivers do to a place. Valleys end at `valley_m` metres; their sides are `rough()` times as steep
    /// as they are on the mean, which is asked once and only beside a river.
    pub fn channel(&self, q: Vec3, valley_m: f64, rough: impl Fn() -> f64) -> Channel {
        let rough = std::cell::LazyCell::new(rough);
        let mut channel = Channel::default();
        for river in &self.rivers {
            let (t, d2) = nearest(q, river.a, river.b);
            let at = |ends: (f64, f64)| ends.0 + (ends.1 - ends.0) * t;
            let half_width_m = at(river.half_width_m);
            let reach = valley_m + half_width_m;
            if d2 >= reach * reach {
                continue;
            }
            let beside = d2.sqrt() - half_width_m;
            channel.levee = channel.levee.max(river.load * (1.0 - beside.max(0.0) / (LEVEE * valley_m)));
            let (bed_m, surface_m) = (at(river.bed), at(river.surface));
            let ground = if beside <= 0.0 {
                let (discharge_m3_s, order, on_land) = (river.discharge_m3_s, river.order, river.on_land);
                let new = Stream { bed_m, surface_m, discharge_m3_s, order, on_land };
                channel.here = Some(channel.here.map_or(new, |old| greater(old, new)));
                bed_m
            } else {
                // the sides steepen without bound towards the end of the valley, so that nothing ends in a step
                let x = beside / valley_m;
                let rise = beside * beside / (beside + FLOODPLAIN_M + 2.0 * half_width_m);
                surface_m + BANK_M + rise * *rough * river.side_slope / (1.0 - x * x * x * x)
            };
            channel.envelope_m = Some(channel.envelope_m.map_or(ground, |e| e.min(ground)));
        }
        channel
    }
}

/// Within about this distance of a river, and a width of it, the valley floor is flat.
const FLOODPLAIN_M: f64 = 250.0;

/// No channel is wider than this share of its valley to each side.
const WIDEST: f64 = 0.7;

/// Rivers narrower than this share of the distance between samples are left out: a brook is not on a map of a
/// continent.
pub(crate) const LEAST_WIDTH: f64 = 1.0 / 40.0;

/// Rivers keep the sea away from this share of their valley.
const LEVEE: f64 = 0.3;

/// Banks stand this high above the water, in metres.
const BANK_M: f64 = 1.0;

/// Of two rivers at one place the greater counts; of two equal ones the lower, then the one on land.
fn greater(old: Stream, new: Stream) -> Stream {
    let by_size = new.discharge_m3_s.total_cmp(&old.discharge_m3_s);
    let by_height = old.bed_m.total_cmp(&new.bed_m).then(old.surface_m.total_cmp(&new.surface_m));
    let order = by_size.then(by_height).then(new.on_land.cmp(&old.on_land));
    if order.is_gt() { new } else { old }
}
