//! How a hillslope climbs from its channel: one piece of channel, prepared for a tile, and its height at a place.

use super::real::{Real, least, most};
use super::{Channel, Frame, Style};

/// Slope of a valley floor towards its channel: a flat floor would lose its river.
const FLOOR_SLOPE: f64 = 0.012;
/// Beyond this share (squared) of its reach a channel counts no more: the blow-up is at least 100 there.
pub(super) const CUT: f64 = 0.998;
/// Noise makes slopes gentler by no more than this.
pub(super) const GENTLEST: f64 = 0.75;
/// Greatest width over which a hillslope's foot is rounded, in metres, and as a share of the spacing of sites.
const TOE_M: f64 = 90.0;
const TOE: f64 = 0.29;
/// Where hillslopes are steep, valleys are young and sharp: their toes are shorter by up to this share.
const SHARP: f64 = 0.6;
/// Fall lines lean in full where a hillslope has climbed for so many toes. Much sooner, the ground beside a steep channel would
/// fall again, like a bench.
const EASED: f64 = 3.0;
/// Hillslopes climb across a channel by at least this share of its own gradient: enough for fall lines to part from
/// it where noise makes them gentlest.
const LEAST_ACROSS: f64 = 0.66;

/// A channel on a tile's plane, with everything that does not depend on the place. Pairs are the value at a and what
/// it changes by to b.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment<R> {
    pub a: [R; 2],
    /// From a to b.
    pub e: [R; 2],
    /// The same over its squared length, and over its length.
    pub u: [R; 2],
    pub n: [R; 2],
    pub bed: [R; 2],
    pub rise: [R; 2],
    pub floor: [R; 2],
    /// Of the water, or of what is as level as water.
    pub half_width: [R; 2],
    /// See [`Channel::uneven`].
    pub uneven: R,
    pub depth: [R; 2],
    pub base: R,
    pub ice: R,
    pub toe: R,
    /// Fall lines lean downstream: by this share of the segment for every metre across, but less where the foot is round.
    pub lean: R,
    pub eased: Eased<R>,
    /// How much the bed still rises beyond a, for a whole length of the segment; 0 at a head.
    pub back: R,
    /// One over the square of the lesser half width: from there on the bed is as high as the water.
    pub shore_inv2: R,
}

/// Lengths shared by all channels of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale<R> {
    /// Spacing of sites and one over it.
    pub site: R,
    pub site_inv: R,
    /// One over the squared reach, and the share of it (squared) where a channel ends.
    pub reach_inv2: R,
    pub cut: R,
    /// Steepest gradient that noise may give.
    pub limit: R,
}

/// Metres across a channel as they count for the lean of fall lines: none on its floor, more and more on the first metres of the
/// hillslope, whose foot is round, and all of those beyond. They never grow faster than metres do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eased<R> {
    pub floor: R,
    pub ramp: R,
    /// One over twice the ramp.
    pub inv: R,
}

impl<R: Real> Eased<R> {
    #[inline(always)]
    pub fn of(&self, across: R) -> R {
        let off = most(across - self.floor, R::of(0.0));
        let near = least(off, self.ramp);
        near * near * self.inv + (off - near)
    }
}

/// The climb of a hillslope: what its parts have in common for places and for bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Climb<R> {
    pub base: R,
    pub ice: R,
    pub toe: R,
}

/// A hillslope at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<R> {
    /// The bed, with the water's own cross-section, and what the hillslope adds; the surface is their sum.
    pub bed: R,
    pub climb: R,
    /// From the foot of the fall line to the place, and the distance.
    pub off: [R; 2],
    pub d: R,
}

/// Width over which the foot of a hillslope of such a gradient is rounded, between sites so far apart, in metres.
pub(crate) fn toe_m(gradient: f64, site_m: f64) -> f64 {
    let sharp = most(least((gradient - 0.2) * 2.5, 1.0), 0.0);
    least(TOE_M, TOE * site_m) * (1.0 - SHARP * sharp)
}

impl<R: Real> Scale<R> {
    pub fn new(style: &Style, cut: f64) -> Self {
        let reach = style.reach_m();
        Self {
            site: R::of(style.site_m),
            site_inv: R::of(1.0 / style.site_m),
            reach_inv2: R::of(1.0 / (reach * reach)),
            cut: R::of(cut),
            limit: R::of(style.threshold),
        }
    }

    /// Gradient of a hillslope: the channel's own, which noise changes up to the threshold; what a perched
    /// neighbour needs is neither changed nor bounded. Never falls with any of the three.
    #[inline(always)]
    pub fn gradient(&self, rise: R, base: R, noise: R) -> R {
        // what is needed: three quarters of the base where nothing was raised, all of it from a quarter more on
        let needed = least(rise, rise + rise - R::of(2.0 - GENTLEST) * base);
        most(least(base * noise, self.limit), needed)
    }

    /// Height above the bed at `off` metres beyond the floor's edge. Never falls with `off`, `floor` (metres of floor
    /// between) and `gradient`; infinite beyond the reach.
    #[inline(always)]
    pub fn climb(&self, of: Climb<R>, off: R, floor: R, gradient: R) -> R {
        let one = R::of(1.0);
        let off2 = off * off;
        let x2 = off2 * self.reach_inv2;
        let x4 = x2 * x2;
        let x8 = x4 * x4;
        let y = off * self.site_inv;
        let near = least(y, one);
        let trough = near * near * (R::of(2.5) - R::of(1.5) * near) + R::of(0.5) * (y - near);
        let den = off + of.toe;
        let flat = R::of(FLOOR_SLOPE) * floor + self.site * (of.ice * gradient * trough + of.base * x8);
        let v = ((one - of.ice) * gradient * off2 + den * flat) / (den * (one - x8));
        if x2 < self.cut { v } else { R::of(f64::INFINITY) }
    }
}

impl Segment<f64> {
    #[inline]
    pub fn new(channel: &Channel, frame: &Frame, style: &Style) -> Self {
        let (a, b) = (frame.project(channel.a), frame.project(channel.b));
        let e = [b[0] - a[0], b[1] - a[1]];
        let length = (e[0] * e[0] + e[1] * e[1]).sqrt();
        let inv = if length > 0.0 { 1.0 / length } else { 0.0 };
        let n = [e[0] * inv, e[1] * inv];
        let pair = |(a, b): (f64, f64)| [a, b - a];
        let (water, floor) = (channel.half_width_m, channel.floor_m);
        let shore = least(water.0, water.1);
        let water = (most(water.0, channel.level_m), most(water.1, channel.level_m));
        let edges = (most(floor.0, water.0), most(floor.1, water.1));
        let fall = most(channel.bed_m.0 - channel.bed_m.1, 0.0);
        let gradient = fall * inv;
        // what channels give is the gradient across; on the fall line the channel's own comes to it
        let least_across = LEAST_ACROSS * gradient;
        let across = most(channel.base_rise, most(least_across, 1e-6));
        let steepest = |across: f64| (across * across + gradient * gradient).sqrt();
        let base = steepest(across);
        let own = |rise| if rise == across { base } else { steepest(most(rise, least_across)) };
        let toe = toe_m(base, style.site_m);
        Self {
            a,
            e,
            u: [n[0] * inv, n[1] * inv],
            n,
            bed: pair(channel.bed_m),
            rise: pair((own(channel.rise.0), own(channel.rise.1))),
            floor: pair(edges),
            half_width: pair(water),
            uneven: channel.uneven,
            depth: pair(channel.depth_m),
            base,
            ice: channel.ice,
            toe,
            lean: gradient / across * inv,
            eased: Eased { floor: most(edges.0, edges.1), ramp: EASED * toe, inv: 0.5 / (EASED * toe) },
            back: if channel.head { 0.0 } else { fall },
            shore_inv2: 1.0 / most(shore * shore, 1e-6),
        }
    }

    /// The same in less precision.
    pub fn narrow(&self) -> Segment<f32> {
        let two = |v: [f64; 2]| [v[0] as f32, v[1] as f32];
        Segment {
            a: two(self.a),
            e: two(self.e),
            u: two(self.u),
            n: two(self.n),
            bed: two(self.bed),
            rise: two(self.rise),
            floor: two(self.floor),
            half_width: two(self.half_width),
            uneven: self.uneven as f32,
            depth: two(self.depth),
            base: self.base as f32,
            ice: self.ice as f32,
            toe: self.toe as f32,
            lean: self.lean as f32,
            eased: Eased {
                floor: self.eased.floor as f32,
                ramp: self.eased.ramp as f32,
                inv: self.eased.inv as f32,
            },
            back: self.back as f32,
            shore_inv2: self.shore_inv2 as f32,
        }
    }
}

impl<R: Real> Segment<R> {
    /// Share of the way to the nearest point, and the distance from the water's edge, negative within.
    #[inline(always)]
    pub fn clear(&self, x: R, y: R) -> (R, R) {
        let (zero, one) = (R::of(0.0), R::of(1.0));
        let (px, py) = (x - self.a[0], y - self.a[1]);
        let t = least(most(px * self.u[0] + py * self.u[1], zero), one);
        let off = [px - t * self.e[0], py - t * self.e[1]];
        let d = (off[0] * off[0] + off[1] * off[1]).root();
        (t, d - (self.half_width[0] + t * self.half_width[1]))
    }

    /// How far from its edge the water is that a place lies in, squared: 0 there, 1 in the middle.
    #[inline(always)]
    pub fn inside(&self, t: R, clear: R) -> R {
        let share = clear / (self.half_width[0] + t * self.half_width[1]);
        share * share
    }

    /// The hillslope at a place.
    ///
    /// On a plane that climbs from a falling channel the foot of a fall line is not the nearest point of the channel
    /// but lies downstream of it, and the plane is no steeper than its hillslope's gradient; with the nearest point
    /// for a foot every joint of a steep channel would cut a scallop into the side.
    #[inline(always)]
    pub fn part(&self, x: R, y: R, noise: R, scale: &Scale<R>) -> Part<R> {
        let (zero, one) = (R::of(0.0), R::of(1.0));
        let (px, py) = (x - self.a[0], y - self.a[1]);
        let across = (px * self.n[1] - py * self.n[0]).size();
        let t = px * self.u[0] + py * self.u[1] + self.lean * self.eased.of(across);
        let beyond = least(t, zero);
        let t = least(most(t, zero), one);
        let off = [px - t * self.e[0], py - t * self.e[1]];
        let d2 = off[0] * off[0] + off[1] * off[1];
        let d = d2.root();
        let ease = t * t * (R::of(3.0) - (t + t)); // level at both ends: no kink where pieces meet
        let water = self.half_width[0] + t * self.half_width[1];
        let edge = most(self.floor[0] + ease * self.floor[1], water);
        let gradient = scale.gradient(self.rise[0] + ease * self.rise[1], self.base, noise);
        let depth = (self.depth[0] + t * self.depth[1]) * least(d2 * self.shore_inv2, one);
        let of = Climb { base: self.base, ice: self.ice, toe: self.toe };
        let floor = most(least(d, edge) - water, zero);
        let climb = scale.climb(of, most(d - edge, zero), floor, gradient);
        // the bed goes on rising beyond a, or a piece's end would undercut the channel above it
        let bed = self.bed[0] + t * self.bed[1] - beyond * self.back;
        Part { bed: bed + depth, climb, off, d }
    }
}
