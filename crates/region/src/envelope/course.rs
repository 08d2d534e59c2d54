//! The course of a link: a smooth curve with meanders, cut into straight pieces.
//!
//! A cubic Hermite spline through the link's ends (Catmull & Rom 1974), whose tangents point from the neighbour
//! before to the receiver and from the site to the neighbour after: where two links meet on a main stem they have
//! one tangent. Tangents are shortened until the spline leaves the straight link by no more than half of
//! [`CORRIDOR`] spacings; meanders get the other half. So courses of links that do not meet stay apart where links are more
//! than two corridors apart. Where links meet, each course keeps to its [`Wedge`], up to the lines half way between its link
//! and the next ones: so courses that meet never cross either. A course depends on the links that it meets, and on no other.
//!
//! Meanders: three sines across the spline, of unlike length, so that no two bends are alike; together of wavelength 11
//! widths of the river itself (Leopold & Wolman 1960), however wide it is drawn, and amplitude 2.5 widths on gradients
//! below 0.001, none above 0.005, none at the ends. Bends of a few samples are left to nearer views.
//!
//! Wander: seen from near no brook is as smooth as a spline. Three weak sines in proportion to the spacing of sites, of which
//! those are drawn that samples can show.

use super::Channel;
use crate::curve::{hermite, nearest};
use grid::{Key, Vec3, math};
use std::f64::consts::TAU;

/// A course leaves its link by no more than this share of the spacing of sites.
const CORRIDOR: f64 = 0.3;
/// Wavelength and amplitude of meanders, in widths of the water.
const WAVELENGTH: f64 = 11.0;
const AMPLITUDE: f64 = 2.5;
/// Gradients of the bed with full meanders, and with none.
const FLAT: f64 = 0.001;
const STEEP: f64 = 0.005;
/// Meanders grow and end over this share of a link.
const ENDS: f64 = 0.25;
/// Pieces keep to the curve by this share of the spacing of samples; so many at most without meanders.
const COARSE: f64 = 0.5;
const MOST_SMOOTH: f64 = 10.0;
/// The sines: how many waves each has where one of the mean length has one, and its share of the amplitude.
const SINES: [(f64, f64); 3] = [(0.62, 0.42), (1.0, 0.6), (1.5, 0.24)];
const ALL_SHARES: f64 = SINES[0].1 + SINES[1].1 + SINES[2].1;
/// Samples to a wave where meanders begin to be drawn, and where they are all there.
const SEEN: (f64, f64) = (5.0, 11.0);
/// How links wander, each sine: waves to a link, amplitude in spacings of sites.
const WANDER: [(f64, f64); 3] = [(1.3, 0.035), (2.9, 0.015), (6.3, 0.007)];
/// Amplitudes of fewer samples are not drawn.
const LEAST: f64 = 0.5;
/// Pieces to a wave of meanders and to one of wander, and at most.
const TO_A_WAVE: f64 = 10.0;
const TO_A_WANDER: f64 = 6.0;
const MOST_PIECES: usize = 64;
/// Pieces of a course that is bent to a place, at least.
const BENT_PIECES: usize = 8;

/// A link to be drawn: its channel and what lies around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course<'a> {
    /// The straight link.
    pub channel: &'a Channel,
    /// Width of its water, which may be drawn wider, in metres.
    pub width_m: f64,
    /// The site that the main inflow of `a` comes from, if any.
    pub before: Option<Vec3>,
    /// The receiver of `b`, if any.
    pub after: Option<Vec3>,
    /// Beds at equal shares of the way from the first end of the channel to the last, if they do not run evenly.
    pub beds_m: Option<&'a [f64]>,
    /// Between which links it lies at `a`, and at `b`.
    pub wedges: [Wedge; 2],
    /// A place beside it that it passes, if any.
    pub by: Option<Vec3>,
    /// Unit vector away from the ground.
    pub up: Vec3,
    /// The link's own key.
    pub key: Key,
}

/// Room that a link has at one of its ends: tangents of half the angles between it and the next links to the left and to the
/// right, as one looks from `a` to `b`; less a little, so that courses that keep to the lines between them stay apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wedge {
    left: f64,
    right: f64,
}

/// Of the room up to the line half way to the next link.
const OWN_SIDE: f64 = 0.95;

impl Wedge {
    /// Of a link alone.
    pub const FREE: Self = Self { left: f64::MAX, right: f64::MAX };

    /// Where other links lead from an end to some places.
    pub fn at_a((a, b): (Vec3, Vec3), up: Vec3, others: impl Iterator<Item = Vec3>) -> Self {
        Self::between(a, (b - a).normalized(), up.cross(b - a).normalized(), others)
    }

    /// The same at the other end.
    pub fn at_b((a, b): (Vec3, Vec3), up: Vec3, others: impl Iterator<Item = Vec3>) -> Self {
        Self::between(b, (a - b).normalized(), up.cross(b - a).normalized(), others)
    }

    fn between(end: Vec3, along: Vec3, across: Vec3, others: impl Iterator<Item = Vec3>) -> Self {
        others.fold(Self::FREE, |wedge, other| {
            let off = other - end;
            let (x, y) = (off.dot(along), off.dot(across));
            let far = (x * x + y * y).sqrt();
            // the tangent of half the angle, where it is acute and where it is not
            let half = if x > 0.0 { y.abs() / (far + x) } else { (far - x) / y.abs() };
            let half = (OWN_SIDE * half).min(f64::MAX);
            match y < 0.0 {
                true => Self { right: wedge.right.min(half), ..wedge },
                false => Self { left: wedge.left.min(half), ..wedge },
            }
        })
    }

    /// A distance to the left so far from the end, no farther than there is room; both in metres.
    fn keep(&self, aside: f64, along: f64) -> f64 {
        aside.min(self.left * along).max(-self.right * along)
    }
}

/// Appends the pieces of a course from upstream to downstream. Only what samples `spacing_m` apart can show of sites
/// `site_m` apart is drawn; ends stay exactly where they are.
pub(crate) fn course(link: &Course, (site_m, spacing_m): (f64, f64), out: &mut Vec<Channel>) {
    let (a, b) = (link.channel.a, link.channel.b);
    let ab = b - a;
    let length = ab.length();
    if length <= 0.0 {
        out.push(*link.channel);
        return;
    }
    let across = link.up.cross(ab / length).normalized();
    let half = 0.5 * CORRIDOR * site_m;
    let meander = Meander::new(link, (length, half), spacing_m);
    let (ta, tb) = tangents(link, across, half);
    let bow = 0.25 * (ta.dot(across).abs()).max(tb.dot(across).abs());
    // straight pieces of a bow cut off a share of it that goes with the square of their number
    let smooth = (bow / (COARSE * spacing_m)).sqrt().ceil().clamp(1.0, MOST_SMOOTH) as usize;
    let least = if link.by.is_some() { BENT_PIECES } else { link.beds_m.map_or(1, |beds| beds.len() - 1) };
    // within what the spline leaves of its room; rivers that meander in full wander no more
    let room = (half - bow) * (1.0 - meander.map_or(0.0, |m| m.strength));
    let wander = Wander::new(link, (site_m, room), spacing_m);
    let pieces = meander.map_or(smooth, |m| m.pieces().max(smooth)).max(wander.pieces()).max(least);
    let mut points = hermite(a, ta, b, tb, pieces);
    for (k, point) in points.iter_mut().enumerate().take(pieces).skip(1) {
        let t = k as f64 / pieces as f64;
        let ends = math::smoothstep(0.0, ENDS, t) * math::smoothstep(0.0, ENDS, 1.0 - t);
        *point += across * (ends * (meander.map_or(0.0, |m| m.at(t)) + wander.at(t)));
    }
    let [at_a, at_b] = link.wedges;
    for point in &mut points[1..pieces] {
        let off = *point - a;
        let (x, y) = (off.dot(ab) / length, off.dot(across));
        let kept = at_b.keep(at_a.keep(y, x.max(0.0)), (length - x).max(0.0));
        *point += across * (kept - y);
    }
    if let Some(place) = link.by {
        bend_to(place, &mut points);
    }
    pieces_of((link.channel, link.beds_m), &points, out);
}

/// Bends a line so that it passes a place: where it comes nearest to that it goes there, and its ends stay where they are.
fn bend_to(place: Vec3, points: &mut Vec<Vec3>) {
    let piece = |(k, ends): (usize, &[Vec3])| {
        let (t, distance2) = nearest(place, ends[0], ends[1]);
        (distance2, k, t)
    };
    let all = points.windows(2).enumerate().map(piece);
    let Some((_, k, t)) = all.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
    let (at, end) = (k as f64 + t, points.len() as f64 - 1.0);
    let off = place - points[k].lerp(points[k + 1], t);
    for (i, point) in points.iter_mut().enumerate() {
        let i = i as f64;
        let share = if i <= at { i / at.max(f64::MIN_POSITIVE) } else { (end - i) / (end - at) };
        *point += off * math::smoothstep(0.0, 1.0, share);
    }
    points.insert(k + 1, place);
}

/// Tangents at both ends: never backwards, no longer than the link, and short enough to leave it by no more than
/// `half` metres.
fn tangents(link: &Course, across: Vec3, half: f64) -> (Vec3, Vec3) {
    let (a, b) = (link.channel.a, link.channel.b);
    let (ahead, length) = ((b - a).normalized(), a.distance(b));
    let fit = |t: Vec3| {
        let along = t.dot(ahead);
        let t = if along < 0.0 { t + ahead * -along } else { t };
        // both ends together bow a spline out by at most a quarter of its tangents' greatest cross part
        let aside = 0.25 * t.dot(across).abs();
        let long = if t.length() > length { length / t.length() } else { 1.0 };
        t * if aside * long > half { half / aside } else { long }
    };
    let ta = link.before.map_or(b - a, |before| (b - before) * 0.5);
    let tb = link.after.map_or(b - a, |after| (after - a) * 0.5);
    (fit(ta), fit(tb))
}

/// Meanders of one link.
#[derive(Clone, Copy, Debug)]
struct Meander {
    amplitude: f64,
    /// Of what the water's width would make, 0 to 1.
    strength: f64,
    /// Waves of the mean length along the link.
    waves: f64,
    /// Where each sine begins, in radians.
    phases: [f64; SINES.len()],
}

impl Meander {
    /// Of a link so long that bends by at most half its corridor; none where samples could not show them.
    fn new(link: &Course, (length, half): (f64, f64), spacing_m: f64) -> Option<Self> {
        let gradient = (link.channel.bed_m.0 - link.channel.bed_m.1) / length;
        let flat = 1.0 - math::smoothstep(FLAT, STEEP, gradient);
        if link.width_m <= 0.0 || flat <= 0.0 {
            return None;
        }
        let mut draw = link.key.at(grid::Nth(0));
        let wave_m = WAVELENGTH * link.width_m * draw.range(0.85, 1.15);
        let waves = length / wave_m;
        // a bend longer than the link is the business of coarser sites
        let room = math::smoothstep(0.4, 0.9, waves) * math::smoothstep(SEEN.0, SEEN.1, wave_m / spacing_m);
        let strength = flat * room;
        let free = AMPLITUDE * link.width_m * draw.range(0.7, 1.0);
        let amplitude = strength * free.min(half / ALL_SHARES);
        let phases = SINES.map(|_| draw.range(0.0, TAU));
        (amplitude > LEAST * spacing_m).then_some(Self { amplitude, strength, waves, phases })
    }

    fn pieces(&self) -> usize {
        ((self.waves * TO_A_WAVE).ceil() as usize).clamp(4, MOST_PIECES)
    }

    /// Metres aside at the share `t` of the way.
    fn at(&self, t: f64) -> f64 {
        let angle = TAU * self.waves * t;
        let sine = |((often, share), phase): (&(f64, f64), &f64)| share * math::sin(phase + often * angle);
        self.amplitude * SINES.iter().zip(&self.phases).map(sine).sum::<f64>()
    }
}

/// How a link wanders: waves, amplitude in metres and phase of each sine; an amplitude of 0 where it is not drawn.
#[derive(Clone, Copy, Debug)]
struct Wander([(f64, f64, f64); WANDER.len()]);

impl Wander {
    /// Of a link between sites so far apart that has so much room to either side.
    fn new(link: &Course, (site_m, room_m): (f64, f64), spacing_m: f64) -> Self {
        let all: f64 = WANDER.iter().map(|(_, share)| share).sum();
        let full_m = site_m.min(room_m.max(0.0) / all);
        if WANDER[0].1 * full_m < LEAST * spacing_m {
            return Self([(0.0, 0.0, 0.0); WANDER.len()]);
        }
        let mut draw = link.key.at(grid::Nth(1));
        Self(WANDER.map(|(waves, share)| {
            let amplitude = share * full_m * draw.range(0.5, 1.0);
            let seen = if amplitude < LEAST * spacing_m { 0.0 } else { amplitude };
            (waves * draw.range(0.8, 1.25), seen, draw.range(0.0, TAU))
        }))
    }

    fn pieces(&self) -> usize {
        let seen = self.0.iter().filter(|(_, amplitude, _)| *amplitude > 0.0);
        seen.fold(1, |pieces, (waves, ..)| pieces.max((waves * TO_A_WANDER).ceil() as usize))
    }

    /// Metres aside at the share `t` of the way.
    fn at(&self, t: f64) -> f64 {
        let sine = |(waves, amplitude, phase): &(f64, f64, f64)| match *amplitude > 0.0 {
            true => amplitude * math::sin(phase + TAU * waves * t),
            false => 0.0,
        };
        self.0.iter().map(sine).sum()
    }
}

/// Straight pieces through points; values run evenly with the length of the way, beds as given, and meet the ends exactly.
fn pieces_of((channel, beds_m): (&Channel, Option<&[f64]>), points: &[Vec3], out: &mut Vec<Channel>) {
    let whole: f64 = points.windows(2).map(|p| p[0].distance(p[1])).sum();
    let (mut way, mut from) = (0.0, 0.0);
    for (k, p) in points.windows(2).enumerate() {
        way += p[0].distance(p[1]);
        let to = if k + 2 == points.len() { 1.0 } else { (way / whole).min(1.0) };
        let part = |pair: (f64, f64)| (between(pair, from), between(pair, to));
        out.push(Channel {
            a: p[0],
            b: p[1],
            bed_m: beds_m.map_or(part(channel.bed_m), |beds| (at(beds, from), at(beds, to))),
            rise: part(channel.rise),
            floor_m: part(channel.floor_m),
            half_width_m: part(channel.half_width_m),
            depth_m: part(channel.depth_m),
            head: channel.head && k == 0,
            ..*channel
        });
        from = to;
    }
}

/// The value at `t` of the way through some, which run evenly between.
fn at(values: &[f64], t: f64) -> f64 {
    let pieces = values.len() - 1;
    let k = ((t * pieces as f64) as usize).min(pieces - 1);
    between((values[k], values[k + 1]), t * pieces as f64 - k as f64)
}

/// The value at `t` of the way, exact at the ends and never beyond them.
fn between((a, b): (f64, f64), t: f64) -> f64 {
    if t >= 1.0 { b } else { (a + (b - a) * t).clamp(a.min(b), a.max(b)) }
}
