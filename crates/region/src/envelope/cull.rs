//! Which channels can matter within a circle, and at a place.
//!
//! Of every channel a lower bound of its value (height of its envelope, or distance from its water) over the circle is
//! taken; one that is above what some channels known to be near reach at the most is nobody's minimum. **Leaving it out
//! changes no bit**: the minimum is a choice among values, not a sum of them, and those that stay are computed alike.
//! Where slopes are mixed (see [`super::crest`]) the lower bound is that of the mix.
//!
//! A lower bound of heights takes off - toe for off^2 / (off + toe), and leaves out what is never negative: the floor,
//! the trough of ice, the blow-up.
//!
//! Bounds are taken in `f32`, which is twice as fast. They hold nevertheless: a channel's value never falls with the
//! distance, with its gradient, its bed or the noise; circles are widened and limits raised by [`slack`], and heights by
//! [`DOUBT`] of their climb. That covers rounding: coordinates of a tile are below 20 spacings s, and 2^-24 of that
//! four times over is 5e-6 s; heights below 10^4 m round by 5e-4 m; and 1 - x^8, never below 0.008, by 2e-6 / 0.008
//! = 3e-4 of itself. At the end of the reach lower bounds end later than values do.

use super::Style;
use super::profile::{CUT, Eased, GENTLEST, Scale, Segment};
use super::real::{least, most};

/// Share of its climb by which a height may be off in `f32`.
pub(super) const DOUBT: f32 = 1e-3;

/// Metres by which distances and heights may be off in `f32`.
pub(super) fn slack(style: &Style) -> f32 {
    0.01 + 1e-5 * style.site_m as f32
}

/// Channels side by side.
const PACK: usize = 8;
type Lanes = [f32; PACK];

/// A circle on the plane with the least slope noise within.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle {
    x: f32,
    y: f32,
    r: f32,
    /// The least noise.
    noise: f32,
}

/// Lengths by which bounds are taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caution {
    late: Scale<f32>,
    /// Metres, of places and of heights.
    pub slack: f32,
    /// Share of its climb by which a channel may stand above the lowest and still count.
    share: f32,
}

impl Caution {
    pub fn new(style: &Style, share: f64) -> Self {
        Self { late: Scale::new(style, CUT + 5e-4), slack: slack(style), share: share as f32 + DOUBT }
    }

    /// For values in `f32`, which end no sooner than those in `f64`.
    pub fn late(&self) -> &Scale<f32> {
        &self.late
    }

    /// A climb below this is not within a hair of the end of the reach, where the blow-up alone is 124 times the base
    /// gradient times the spacing.
    #[inline(always)]
    pub fn trusted(&self, base: f32) -> f32 {
        90.0 * base * self.late.site
    }

    /// The height, with its climb, that a channel's value does not fall below, as far as it counts, nor exceed.
    #[inline(always)]
    pub fn low(&self, bed: f32, climb: f32) -> f32 {
        bed + (1.0 - self.share) * climb - self.slack
    }

    #[inline(always)]
    pub fn high(&self, bed: f32, climb: f32) -> f32 {
        bed + (1.0 + DOUBT) * climb + self.slack
    }
}

impl Circle {
    /// A circle around places: x, y and noise of some at a time.
    #[inline(always)]
    pub fn around<'a, const N: usize>(
        places: impl Iterator<Item = [&'a [f32; N]; 3]> + Clone,
        slack: f32,
    ) -> Self {
        let (mut low, mut high) = ([[f32::INFINITY; N]; 3], [[f32::NEG_INFINITY; N]; 3]);
        for numbers in places.clone() {
            for k in 0..3 {
                for lane in 0..N {
                    low[k][lane] = least(numbers[k][lane], low[k][lane]);
                    high[k][lane] = most(numbers[k][lane], high[k][lane]);
                }
            }
        }
        let low = low.map(|lanes| lanes.into_iter().fold(f32::INFINITY, least));
        let high = high.map(|lanes| lanes.into_iter().fold(f32::NEG_INFINITY, most));
        let (x, y) = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]));
        let mut r2 = [0.0; N];
        for [px, py, _] in places {
            for lane in 0..N {
                let (dx, dy) = (px[lane] - x, py[lane] - y);
                r2[lane] = most(dx * dx + dy * dy, r2[lane]);
            }
        }
        let r = r2.into_iter().fold(0.0, most).sqrt();
        Self { x, y, r: r + slack, noise: low[2] }
    }
}

/// Numbers of channels, packed for bounds: a column each, in the order in which channels come.
#[derive(Clone, Debug)]
pub(super) struct Packs<const COLUMNS: usize> {
    packs: Vec<[Lanes; COLUMNS]>,
    /// Positions in the list of all segments.
    pub ids: Vec<u32>,
    lows: Vec<Lanes>,
}

impl<const COLUMNS: usize> Default for Packs<COLUMNS> {
    fn default() -> Self {
        Self { packs: Vec::new(), ids: Vec::new(), lows: Vec::new() }
    }
}

impl<const COLUMNS: usize> Packs<COLUMNS> {
    fn clear(&mut self) {
        self.packs.clear();
        self.ids.clear();
    }

    /// The next channel's place: its pack and lane. The first of a pack fills all lanes.
    #[inline(always)]
    fn push(&mut self, id: u32, number: impl Fn(usize) -> f32) {
        let lane = self.ids.len() % PACK;
        if lane == 0 {
            let mut pack = [[0.0; PACK]; COLUMNS];
            for (column, lanes) in pack.iter_mut().enumerate() {
                *lanes = [number(column); PACK];
            }
            self.packs.push(pack);
        } else if let Some(pack) = self.packs.last_mut() {
            for (column, lanes) in pack.iter_mut().enumerate() {
                lanes[lane] = number(column);
            }
        }
        self.ids.push(id);
    }

    /// Those of `from` whose lower bound is not above the limit.
    #[inline(always)]
    fn take(&mut self, from: &Self, limit: f32) {
        self.clear();
        for (k, (low, id)) in from.lows.as_flattened().iter().zip(&from.ids).enumerate() {
            if *low <= limit {
                let pack = &from.packs[k / PACK];
                self.push(*id, |column| pack[column][k % PACK]);
            }
        }
    }
}

/// Where the water of channels lies: numbers of a course, and the least and the greatest half width.
pub(super) type Waters = Packs<8>;

impl Waters {
    #[inline(always)]
    pub fn fill(&mut self, segments: &[Segment<f32>]) {
        self.clear();
        for (id, of) in (0..).zip(segments) {
            let ([ax, ay], [ex, ey], [ux, uy], [narrow, wide]) = (of.a, of.e, of.u, range(of.half_width));
            let numbers = [ax, ay, ex, ey, ux, uy, narrow, wide];
            self.push(id, |column| numbers[column]);
        }
    }

    /// Those of `from` whose water can be the nearest somewhere in the circle, or can reach into it.
    #[inline(always)]
    pub fn nearest(&mut self, from: &mut Self, circle: &Circle, by: &Caution) {
        let Self { packs, lows, .. } = from;
        lows.clear();
        let mut limits = [f32::INFINITY; PACK];
        for [ax, ay, ex, ey, ux, uy, narrow, wide] in packs.iter() {
            let mut low = [0.0; PACK];
            for k in 0..PACK {
                let (px, py) = (circle.x - ax[k], circle.y - ay[k]);
                let t = least(most(px * ux[k] + py * uy[k], 0.0), 1.0);
                let (qx, qy) = (px - t * ex[k], py - t * ey[k]);
                let d = (qx * qx + qy * qy).sqrt();
                low[k] = most(d - circle.r, 0.0) - wide[k];
                limits[k] = least(d + circle.r - narrow[k], limits[k]);
            }
            lows.push(low);
        }
        let limit = limits.into_iter().fold(f32::INFINITY, least);
        self.take(from, most(limit, 0.0) + by.slack);
    }
}

/// The hillslopes of channels: their courses, how their fall lines lean, and how gently they climb at the least.
pub(super) type Slopes = Packs<18>;

impl Slopes {
    #[inline(always)]
    pub fn fill(&mut self, segments: &[Segment<f32>]) {
        self.clear();
        for (id, of) in (0..).zip(segments) {
            let length = of.e[0] * of.n[0] + of.e[1] * of.n[1];
            let lean = of.lean * length;
            let longer = (1.0 + lean * lean).sqrt();
            let rise = range(of.rise)[0];
            let needed = least(rise, rise + rise - (2.0 - GENTLEST as f32) * of.base);
            let fall = most(-of.bed[1], 0.0);
            let ([ax, ay], [ex, ey], [ux, uy]) = (of.a, of.e, of.u);
            let Eased { floor, ramp, .. } = of.eased;
            let course = [ax, ay, ex, ey, ux, uy, length, of.lean, floor, ramp, longer];
            let foot = range(of.floor)[1] + of.toe;
            let slide = longer / most(length, 1e-3) * fall;
            let rise = [of.bed[0], fall, slide, foot, of.base, needed, 1.0 - of.ice];
            self.push(id, |column| if column < 11 { course[column] } else { rise[column - 11] });
        }
    }

    /// Those of `from` that somewhere in the circle can be as low as the limit.
    #[inline(always)]
    pub fn lowest(&mut self, from: &mut Self, (circle, limit): (&Circle, f32), by: &Caution) {
        from.bound(circle, by);
        self.take(from, limit);
    }

    /// The same as a list with their lower bounds.
    #[inline(always)]
    pub fn list(&mut self, (circle, limit): (&Circle, f32), by: &Caution, out: &mut Vec<(f32, u32)>) {
        self.bound(circle, by);
        out.clear();
        let lows = self.lows.as_flattened().iter().zip(&self.ids);
        out.extend(lows.filter(|(low, _)| **low <= limit).map(|(low, id)| (*low, *id)));
    }

    /// Lower bounds of all over the circle; infinite beyond the reach.
    ///
    /// A foot of a fall line moves `longer` times as far as its place, and so does the distance, which is that of a
    /// place from a line through the foot's lean, or from an end.
    #[inline(always)]
    fn bound(&mut self, circle: &Circle, by: &Caution) {
        let (scale, counts) = (&by.late, 1.0 - by.share);
        self.lows.clear();
        for pack in &self.packs {
            let [ax, ay, ex, ey, ux, uy, length, lean, floor, ramp, longer, ..] = pack;
            let [.., top, fall, slide, foot, base, needed, water] = pack;
            let mut low = [0.0; PACK];
            for k in 0..PACK {
                let (px, py) = (circle.x - ax[k], circle.y - ay[k]);
                let across = (px * uy[k] - py * ux[k]).abs() * length[k];
                let eased = Eased { floor: floor[k], ramp: ramp[k], inv: 0.5 / ramp[k] };
                let along = px * ux[k] + py * uy[k] + lean[k] * eased.of(across);
                let t = least(most(along, 0.0), 1.0);
                let (qx, qy) = (px - t * ex[k], py - t * ey[k]);
                let d = (qx * qx + qy * qy).sqrt();
                let off = most(d - longer[k] * circle.r - foot[k], 0.0);
                let bed = most(top[k] - t * fall[k] - slide[k] * circle.r, top[k] - fall[k]);
                let gradient = most(least(base[k] * circle.noise, scale.limit), needed[k]);
                let height = bed + counts * water[k] * gradient * off - by.slack;
                // the toe is within the foot
                low[k] = if off * off * scale.reach_inv2 < scale.cut { height } else { f32::INFINITY };
            }
            self.lows.push(low);
        }
    }
}

/// The least and the greatest of a pair.
fn range(pair: [f32; 2]) -> [f32; 2] {
    let end = pair[0] + pair[1];
    [least(pair[0], end), most(pair[0], end)]
}
