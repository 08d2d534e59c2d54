//! Which channels can matter within a circle, and at a place.
//!
//! Of every channel a lower and an upper bound of its value (height of its envelope, or distance from its water)
//! over the circle is taken; the least upper bound U is one that no minimum over all channels exceeds, so a channel
//! whose lower bound is above U is nobody's minimum. **Leaving it out changes no bit**: the minimum is a choice
//! among values, not a sum of them, and those that stay are computed alike, in `f64`. Where slopes are mixed (see
//! [`super::crest`]) the lower bound is that of the mix.
//!
//! Bounds are taken in `f32`, which is twice as fast. They hold nevertheless: a channel's value never falls with the
//! distance, with its gradient, its bed or the noise; circles are widened and U raised by [`slack`], and heights by
//! [`DOUBT`] of their climb. That covers rounding: coordinates of a tile are below 20 spacings s, and 2^-24 of that
//! four times over is 5e-6 s; heights below 10^4 m round by 5e-4 m; and 1 - x^8, never below 0.008, by 2e-6 / 0.008
//! = 3e-4 of itself. At the end of the reach lower bounds end later and upper bounds sooner than values do.

use super::Style;
use super::profile::{CUT, Climb, Scale, Segment};
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

/// What bounds need of eight channels, one column each. Pairs are the least and the greatest of a channel.
#[derive(Clone, Debug)]
struct Pack {
    a: [Lanes; 2],
    e: [Lanes; 2],
    u: [Lanes; 2],
    rise: [Lanes; 2],
    edge: [Lanes; 2],
    water: [Lanes; 2],
    /// Bed at a, what it falls by to b and what it would rise by beyond a, and the greatest depth of the water.
    top: Lanes,
    fall: Lanes,
    back: Lanes,
    deep: Lanes,
    /// Of fall lines: the lean, where it begins, and how much longer they are for it.
    lean: Lanes,
    upright: Lanes,
    longer: Lanes,
    length: Lanes,
    base: Lanes,
    ice: Lanes,
    toe: Lanes,
}

/// A circle on the plane with the range of the slope noise within.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle {
    x: f32,
    y: f32,
    r: f32,
    noise: [f32; 2],
}

/// Lengths by which bounds are taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caution {
    /// For lower and for upper bounds.
    scales: [Scale<f32>; 2],
    /// Metres, of places and of heights.
    pub slack: f32,
    /// Share of its climb by which a channel may stand above the lowest and still count.
    share: f32,
}

impl Caution {
    pub fn new(style: &Style, share: f64) -> Self {
        let scales = [Scale::new(style, CUT + 5e-4), Scale::new(style, CUT - 5e-4)];
        Self { scales, slack: slack(style), share: share as f32 + DOUBT }
    }

    /// For values in `f32`, which end no sooner than those in `f64`.
    pub fn late(&self) -> &Scale<f32> {
        &self.scales[0]
    }

    /// A climb below this is not within a hair of the end of the reach, where the blow-up alone is 124 times the base
    /// gradient times the spacing.
    #[inline(always)]
    pub fn trusted(&self, base: f32) -> f32 {
        90.0 * base * self.scales[0].site
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
    /// A circle around points, with the range of their noise.
    pub fn around(points: impl Iterator<Item = [f32; 3]> + Clone, slack: f32) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for p in points.clone() {
            for k in 0..3 {
                low[k] = least(p[k], low[k]);
                high[k] = most(p[k], high[k]);
            }
        }
        let (x, y) = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]));
        let r2 = points.map(|p| (p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y)).fold(0.0, most);
        Self { x, y, r: r2.sqrt() + slack, noise: [low[2], high[2]] }
    }
}

/// Channels in the order of their numbers, packed for bounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Packs {
    packs: Vec<Pack>,
    /// Positions in the list of all segments.
    pub ids: Vec<u32>,
    lows: Vec<Lanes>,
}

impl Packs {
    pub fn fill(&mut self, ids: impl Iterator<Item = u32>, segments: &[Segment<f32>]) {
        self.packs.clear();
        self.ids.clear();
        for id in ids {
            let lane = self.ids.len() % PACK;
            if lane == 0 {
                self.packs.push(Pack::EMPTY);
            }
            self.ids.push(id);
            if let Some(pack) = self.packs.last_mut() {
                pack.set(lane, &segments[id as usize]);
            }
        }
    }

    /// Lower bounds of all over the circle; gives what no minimum there exceeds.
    fn bound(&mut self, circle: &Circle, by: &Caution) -> f32 {
        self.lows.clear();
        let mut limit = f32::INFINITY;
        for pack in &self.packs {
            let (low, high) = pack.heights(circle, by);
            self.lows.push(low);
            limit = high.into_iter().fold(limit, least);
        }
        limit
    }

    /// Those of `from` that somewhere in the circle can be the lowest, or count beside it.
    pub fn lowest(&mut self, from: &mut Self, circle: &Circle, by: &Caution) {
        let limit = from.bound(circle, by);
        self.take(from, limit);
    }

    /// The same as a list with their lower bounds.
    pub fn list(&mut self, circle: &Circle, by: &Caution, out: &mut Vec<(f32, u32)>) {
        let limit = self.bound(circle, by);
        out.clear();
        let lows = self.lows.as_flattened().iter().zip(&self.ids);
        out.extend(lows.filter(|(low, _)| **low <= limit).map(|(low, id)| (*low, *id)));
    }

    /// Those of `from` whose water can be the nearest somewhere in the circle, or can reach into it.
    pub fn nearest(&mut self, from: &mut Self, circle: &Circle, by: &Caution) {
        let Self { packs, lows, .. } = from;
        lows.clear();
        let mut limit = f32::INFINITY;
        for pack in packs.iter() {
            let (low, high) = pack.clearances(circle);
            lows.push(low);
            limit = high.into_iter().fold(limit, least);
        }
        self.take(from, most(limit, 0.0) + by.slack);
    }

    /// Those whose lower bound is not above the limit.
    fn take(&mut self, from: &Self, limit: f32) {
        self.packs.clear();
        self.ids.clear();
        for (k, id) in from.ids.iter().enumerate() {
            let (pack, lane) = (k / PACK, k % PACK);
            if from.lows[pack][lane] <= limit {
                let to = self.ids.len() % PACK;
                if to == 0 {
                    self.packs.push(Pack::EMPTY);
                }
                self.ids.push(*id);
                if let Some(into) = self.packs.last_mut() {
                    into.copy(to, &from.packs[pack], lane);
                }
            }
        }
    }
}

/// What is known of a channel at all points of a circle. Pairs are the least and the greatest.
struct Reach {
    /// Distance from the foot.
    d: [f32; 2],
    bed: [f32; 2],
}

impl Pack {
    /// Unfilled places have no bed: their bounds are infinite.
    const EMPTY: Self = {
        let (zero, one) = ([0.0; PACK], [1.0; PACK]);
        let (top, water) = ([f32::INFINITY; PACK], [[f32::NEG_INFINITY; PACK]; 2]);
        let (pair, deep) = ([zero; 2], zero);
        let (a, e, u, rise, edge) = (pair, pair, pair, pair, pair);
        let (fall, back, lean, upright, longer) = (zero, zero, zero, zero, one);
        let (length, base, ice, toe) = (zero, zero, zero, one);
        Self {
            a,
            e,
            u,
            rise,
            edge,
            water,
            top,
            fall,
            back,
            deep,
            lean,
            upright,
            longer,
            length,
            base,
            ice,
            toe,
        }
    };

    fn set(&mut self, lane: usize, of: &Segment<f32>) {
        let range = |pair: [f32; 2]| {
            let end = pair[0] + pair[1];
            [least(pair[0], end), most(pair[0], end)]
        };
        let length = of.e[0] * of.n[0] + of.e[1] * of.n[1];
        let lean = of.lean * length;
        let pairs = [
            (&mut self.a, of.a),
            (&mut self.e, of.e),
            (&mut self.u, of.u),
            (&mut self.rise, range(of.rise)),
            (&mut self.edge, range(of.floor)),
            (&mut self.water, range(of.half_width)),
        ];
        for (column, pair) in pairs {
            (column[0][lane], column[1][lane]) = (pair[0], pair[1]);
        }
        let singles = [
            (&mut self.top, of.bed[0]),
            (&mut self.fall, most(-of.bed[1], 0.0)),
            (&mut self.back, of.back),
            (&mut self.deep, range(of.depth)[1]),
            (&mut self.lean, of.lean),
            (&mut self.upright, of.upright),
            (&mut self.longer, (1.0 + lean * lean).sqrt()),
            (&mut self.length, length),
            (&mut self.base, of.base),
            (&mut self.ice, of.ice),
            (&mut self.toe, of.toe),
        ];
        singles.into_iter().for_each(|(column, value)| column[lane] = value);
    }

    fn copy(&mut self, lane: usize, from: &Self, at: usize) {
        for k in 0..2 {
            self.a[k][lane] = from.a[k][at];
            self.e[k][lane] = from.e[k][at];
            self.u[k][lane] = from.u[k][at];
            self.rise[k][lane] = from.rise[k][at];
            self.edge[k][lane] = from.edge[k][at];
            self.water[k][lane] = from.water[k][at];
        }
        self.top[lane] = from.top[at];
        self.fall[lane] = from.fall[at];
        self.deep[lane] = from.deep[at];
        self.back[lane] = from.back[at];
        self.lean[lane] = from.lean[at];
        self.upright[lane] = from.upright[at];
        self.longer[lane] = from.longer[at];
        self.length[lane] = from.length[at];
        self.base[lane] = from.base[at];
        self.ice[lane] = from.ice[at];
        self.toe[lane] = from.toe[at];
    }

    fn clearances(&self, circle: &Circle) -> (Lanes, Lanes) {
        let (mut low, mut high) = ([0.0; PACK], [0.0; PACK]);
        for k in 0..PACK {
            let (px, py) = (circle.x - self.a[0][k], circle.y - self.a[1][k]);
            let t = least(most(px * self.u[0][k] + py * self.u[1][k], 0.0), 1.0);
            let (qx, qy) = (px - t * self.e[0][k], py - t * self.e[1][k]);
            let d = (qx * qx + qy * qy).sqrt();
            low[k] = most(d - circle.r, 0.0) - self.water[1][k];
            high[k] = d + circle.r - self.water[0][k];
        }
        (low, high)
    }

    /// Feet of fall lines and distances from them, over the circle: a foot moves `longer` times as far as its place,
    /// and so does the distance, which is that of a place from a line through the foot's lean, or from an end.
    #[inline(always)]
    fn reach(&self, circle: &Circle, k: usize) -> Reach {
        let (px, py) = (circle.x - self.a[0][k], circle.y - self.a[1][k]);
        let across = (px * self.u[1][k] - py * self.u[0][k]).abs() * self.length[k];
        let along = px * self.u[0][k] + py * self.u[1][k];
        let t = along + self.lean[k] * most(across - self.upright[k], 0.0);
        let beyond = least(t, 0.0);
        let t = least(most(t, 0.0), 1.0);
        let (qx, qy) = (px - t * self.e[0][k], py - t * self.e[1][k]);
        let (d, far) = ((qx * qx + qy * qy).sqrt(), self.longer[k] * circle.r);
        // shares of the way
        let share = far / most(self.length[k], 1e-3);
        let (middle, fall) = (self.top[k] - t * self.fall[k], share * self.fall[k]);
        let high = least(middle + fall, self.top[k]) + self.deep[k];
        Reach {
            d: [most(d - far, 0.0), d + far],
            bed: [
                most(middle - fall, self.top[k] - self.fall[k]),
                high + most(share - beyond, 0.0) * self.back[k],
            ],
        }
    }

    #[inline(always)]
    fn climb(&self, k: usize, d: f32, [edge, bank]: [f32; 2], by: (f32, f32, &Scale<f32>)) -> f32 {
        let of = Climb { base: self.base[k], ice: self.ice[k], toe: self.toe[k] };
        let gradient = by.2.gradient(by.0, of.base, by.1);
        by.2.climb(of, most(d - edge, 0.0), most(bank, 0.0), gradient)
    }

    fn heights(&self, circle: &Circle, by: &Caution) -> (Lanes, Lanes) {
        let (mut low, mut high) = ([0.0; PACK], [0.0; PACK]);
        for k in 0..PACK {
            let Reach { d: [near, far], bed } = self.reach(circle, k);
            let (narrow, wide) = (self.edge[0][k], self.edge[1][k]);
            let banks = [least(near, narrow) - self.water[1][k], least(far, wide) - self.water[0][k]];
            let ease = (self.rise[0][k], circle.noise[0], &by.scales[0]);
            low[k] = by.low(bed[0], self.climb(k, near, [wide, banks[0]], ease));
            let ease = (self.rise[1][k], circle.noise[1], &by.scales[1]);
            high[k] = by.high(bed[1], self.climb(k, far, [narrow, banks[1]], ease));
        }
        (low, high)
    }
}
