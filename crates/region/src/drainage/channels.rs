//! Channels: the links of the level that is drawn, smoothed, with all that their valleys are made from.
//!
//! Sites move [`SMOOTHINGS`] times half way towards the middle between their receiver and their main inflow, but never out
//! of the disc in which sites may lie, so that links still do not cross. The gradient of the hillslopes beside a
//! channel is the land's; where a neighbour's channel is perched higher than that would reach, it is raised.

use super::block::Block;
use super::flow::Water;
use super::great;
use super::levels::{Coarse, Drainage, Guides};
use super::mesh::{Mesh, NONE};
use super::plan::{NOWHERE, Placed, Spot};
use crate::bend::Bend;
use crate::envelope::{Channel, Course, course};
use crate::primitives::Ball;
use grid::{Grid, Key, Level, Part, Topology, Vec3, math};
use std::cell::Cell;
use std::ops::Range;
use world::channel_width_m;

/// Rings of sites around a block that are looked at: smoothing, and neighbours that are perched.
pub(crate) const RINGS: u32 = 8;
const SMOOTHINGS: usize = 6;
/// Rivers narrower than this share of the spacing of sites keep more of their turns.
const NARROW: f64 = 0.2;
const NARROW_SMOOTHINGS: usize = 2;
/// Neighbours so many rings away are looked at for being perched.
const PERCHED: i64 = 3;
/// Greatest gradient of hillslopes that perched neighbours may ask for, and those of at least [`PERCHED_PARTS`].
const STEEP: f64 = 0.65;
const STEEPEST: f64 = 1.0;
const PERCHED_PARTS: f64 = 8.0;
/// Half width of the valley floor over the root of the drained area, where hillslopes are gentle.
const FLOOR: f64 = 0.012;
/// Greatest half width of a floor that no river is as wide as, in spacings of sites.
pub(crate) const WIDEST_FLOOR: f64 = 1.2;

/// The channels of one block.
pub(crate) struct Channels {
    pub channels: Vec<Channel>,
    /// The links that the channels are pieces of; [`Channel::id`] counts them.
    pub links: Vec<Link>,
    /// A ball around all channels, and one around those of each link.
    all: Option<Ball>,
    runs: Vec<(Ball, Range<usize>)>,
}

/// A link from a site to its receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub from: Part,
    pub to: Part,
    /// What drains through it, in m2.
    pub area_m2: f64,
}

impl Channels {
    fn new(channels: Vec<Channel>, links: Vec<Link>) -> Self {
        let ball = |run: &[Channel]| {
            let mut ball = Ball::around(run.iter().flat_map(|c| [c.a, c.b]))?;
            ball.radius_m +=
                run.iter().map(|c| c.floor_m.0.max(c.floor_m.1).max(c.level_m)).fold(0.0, f64::max);
            Some(ball)
        };
        let mut runs = Vec::with_capacity(links.len());
        let mut from = 0;
        for run in channels.chunk_by(|a, b| a.id == b.id) {
            runs.extend(ball(run).map(|ball| (ball, from..from + run.len())));
            from += run.len();
        }
        Self { all: ball(&channels), channels, links, runs }
    }

    /// The channels of the links whose floors come within a distance of a place, and perhaps some more.
    pub fn within(&self, center: Vec3, reach_m: f64) -> impl Iterator<Item = &Channel> {
        let close = move |ball: &Ball| ball.near(center, reach_m);
        let runs: &[_] = if self.all.as_ref().is_some_and(close) { &self.runs } else { &[] };
        runs.iter().filter(move |run| close(&run.0)).flat_map(|run| &self.channels[run.1.clone()])
    }
}

/// What is known of a site when channels are drawn.
struct Drawn {
    at: Vec3,
    spot: Spot,
    water: Water,
    receiver: u32,
}

/// How the valleys of a level stand for all that deeper levels would show between them.
#[derive(Clone, Copy)]
struct Detail {
    /// Spacing of sites.
    size_m: f64,
    /// Hillslopes reach the tops at one over this many spacings from the channel: beside the smallest gullies, and
    /// beside rivers that drain [`LARGE`] sites or more.
    to_tops: (f64, f64),
    /// Where ice was, they are steeper by this share.
    icy: f64,
    /// The smallest gullies lie less deep by this share of what a hillslope climbs over a spacing, and by no more than
    /// this share of the room up to the tops.
    lift: f64,
    most_lift: f64,
}

impl Detail {
    /// Between sites so far apart, as samples `spacing_m` apart show it.
    fn of(size_m: f64, spacing_m: f64) -> Self {
        let coarser = math::log2(size_m / FINEST_M).clamp(0.0, (DETAIL.len() - 1) as f64);
        let (finer, share) = (coarser.floor() as usize, coarser.fract());
        let (a, b) = (DETAIL[finer], DETAIL[(finer + 1).min(DETAIL.len() - 1)]);
        let [small, large, icy, lift, most_lift, wide] =
            std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share);
        let steeper = 1.0 + wide * (spacing_m / size_m - LEAST_SPACING);
        Self { size_m, to_tops: (small * steeper, large * steeper), icy, lift, most_lift }
    }

    /// 1 at the smallest gullies, 0 at rivers that drain [`LARGE`] sites or more.
    fn smallness(&self, site: &Drawn) -> f64 {
        (1.0 - site.water.area_m2 / (LARGE * self.size_m * self.size_m)).max(0.0)
    }
}

/// Rivers that drain so many sites keep their beds where they are.
const LARGE: f64 = 4.0;

/// To the tops (small, large), ice, lift and greatest lift where sites lie [`FINEST_M`] apart or less, and for every
/// doubling from there on. Fitted so that the mean height of mountains is what it is at 90 m a sample, in windows of 80
/// km in three worlds. In what a coarse level shows as the valley of a large river, deeper ones show brooks and ridges:
/// there hillslopes climb faster.
///
/// The last is by how much steeper hillslopes are for every spacing of sites by which samples lie farther apart than
/// [`LEAST_SPACING`]: beds are wider then, which would lower the land. Fitted to 96 other windows of 100 km.
const DETAIL: [[f64; 6]; 5] = [
    [1.6, 1.6, 0.0, 0.5, 1.0, 1.0],
    [1.25, 1.75, 0.1, 0.5, 1.0, 1.0],
    [0.8, 2.3, 0.08, 0.45, 1.0, 1.05],
    [0.9, 2.7, 0.06, 0.365, 1.0, 0.75],
    [0.9, 4.1, 0.04, 0.5, 0.5, 1.75],
];
/// Samples in spacings of sites where the next level of sites is about to be drawn.
const LEAST_SPACING: f64 = 0.16;
/// Spacing of sites of the first line, in metres.
const FINEST_M: f64 = 1126.0;

/// How channels are shown.
pub(crate) struct Show<'a> {
    pub grid: &'a Topology,
    /// Sites lie in bent space, channels in plain space.
    pub bend: &'a Bend,
    /// Meanders of links.
    pub courses: Key,
    /// Distance between samples, in metres.
    pub spacing_m: f64,
}

/// Rivers are drawn at least so many samples wide to each side, so that they stay connected.
const CONNECTED: f64 = 0.6;

/// The channels that leave the sites of a block, as samples `spacing_m` apart show them.
pub(crate) fn channels<C: Coarse, G: Guides>(
    drainage: &Drainage<C, G>,
    block: Block,
    show: &Show,
) -> Channels {
    let grid = show.grid;
    let mesh = drainage.mesh(block, RINGS);
    let (spots, waters) = (drainage.spots(block.level), drainage.waters(block.level));
    let drawn = |(i, &part): (usize, &Part)| {
        let (spot, water) = (spots(part), waters(part));
        let receiver = match spot.receiver {
            NOWHERE => NONE,
            d => mesh.near[i][usize::from(d)],
        };
        Drawn { at: spot.at, spot, water, receiver }
    };
    let mut sites: Vec<Drawn> = mesh.parts.iter().enumerate().map(drawn).collect();
    if block.level == Level(0) {
        see_land(&drainage.sites(), &mesh, &mut sites);
    }
    smooth(grid, &mesh, &mut sites);
    let detail = Detail::of(block.level.size(grid.cell_m()), show.spacing_m);
    let size_m = detail.size_m;
    let of = |part| mesh.find(part).expect("a block lies in its mesh");
    let inside: Vec<usize> = block.rect(grid).parts(block.level).map(of).collect();
    let mut head = vec![true; sites.len()];
    sites.iter().filter(|s| s.receiver != NONE).for_each(|s| head[s.receiver as usize] = false);
    let main = main_inflows(&sites);
    let beds_m = lifted_beds_m(&sites, detail);
    let rises = Rises { mesh: &mesh, sites: &sites, detail, known: vec![Cell::new(None); sites.len()] };
    let mut shown = vec![None; sites.len()];
    let mut place = |i: u32| -> Vec3 {
        *shown[i as usize].get_or_insert_with(|| show.bend.unbend_roughly(sites[i as usize].at))
    };
    let mut pieces = Vec::with_capacity(2 * inside.len());
    let mut links = Vec::with_capacity(inside.len());
    for &i in &inside {
        let Some(link) = channel((&sites, &rises), &beds_m, i, detail) else { continue };
        let joins = main[sites[i].receiver as usize] != i as u32;
        let link = if joins { tributary(link) } else { link };
        let receiver = sites[i].receiver;
        let (a, b) = (place(i as u32), place(receiver));
        let id = links.len() as u32;
        links.push(Link {
            from: mesh.parts[i],
            to: mesh.parts[receiver as usize],
            area_m2: sites[i].water.area_m2,
        });
        let link = drawn_wide(Channel { head: head[i], a, b, id, ..link }, (detail, show.spacing_m));
        let after = sites[receiver as usize].receiver;
        let mut other = |n: u32| (n != NONE).then(|| place(n));
        let up = match grid {
            Topology::Globe(_) => link.a.normalized(),
            Topology::Flat(_) => Vec3::new(0.0, 0.0, 1.0),
        };
        let (before, after) = (other(main[i]), other(after));
        let key = show.courses.within(mesh.parts[i]);
        course(&Course { channel: &link, before, after, up, key }, (size_m, show.spacing_m), &mut pieces);
    }
    Channels::new(pieces, links)
}

/// Lets the world's cells see the land as the sites of deeper levels do.
fn see_land(placed: &impl Fn(Part) -> Placed, mesh: &Mesh, sites: &mut [Drawn]) {
    for (site, part) in sites.iter_mut().zip(&mesh.parts).filter(|s| !s.0.spot.sea) {
        let aim = placed(*part).aim;
        (site.spot.top_m, site.spot.rise, site.spot.ice) =
            (aim.top_m as f32, aim.rise as f32, aim.ice as f32);
    }
}

/// Rivers that are drawn at all are wide enough to stay connected from sample to sample, and so are the beds of others
/// that fall less from one sample to the next than hillslopes climb.
fn drawn_wide(link: Channel, (detail, spacing_m): (Detail, f64)) -> Channel {
    let least = CONNECTED * spacing_m;
    let (a, b) = link.half_width_m;
    if a.max(b) < LEAST_WIDTH * spacing_m {
        let gradient = (link.bed_m.0 - link.bed_m.1) / link.a.distance(link.b).max(1.0);
        let level_m = least * math::smoothstep(STEEP_BED, LEVEL_BED, gradient / link.base_rise.max(1e-6));
        // the hillslopes beside still reach the tops
        let steeper = 1.0 / (1.0 - (HALFWAY * level_m / detail.size_m).min(0.5));
        let rise = (link.rise.0 * steeper, link.rise.1 * steeper);
        return Channel { level_m, rise, base_rise: link.base_rise * steeper, ..link };
    }
    Channel { half_width_m: (a.max(least), b.max(least)), ..link }
}

/// Beside such beds hillslopes reach the tops at one over this many spacings.
const HALFWAY: f64 = 1.6;
/// Gradients of beds over those of hillslopes: samples need no room beside beds of the first, and from the second down
/// they need all of it.
const STEEP_BED: f64 = 0.5;
const LEVEL_BED: f64 = 0.25;

/// Rivers of a half width under this share of the spacing of samples are left out.
const LEAST_WIDTH: f64 = 1.0 / 80.0;

/// Of each site the inflow of the greatest area.
fn main_inflows(sites: &[Drawn]) -> Vec<u32> {
    let mut main = vec![NONE; sites.len()];
    for (i, site) in sites.iter().enumerate().filter(|s| s.1.receiver != NONE) {
        let best = &mut main[site.receiver as usize];
        if *best == NONE || sites[*best as usize].water.area_m2 < site.water.area_m2 {
            *best = i as u32;
        }
    }
    main
}

fn smooth(grid: &Topology, mesh: &Mesh, sites: &mut [Drawn]) {
    let main = main_inflows(sites);
    let scale = grid.metres_per_unit();
    let middle: Vec<Vec3> = mesh.parts.iter().map(|&p| grid.within_part(p, 0.5, 0.5) * scale).collect();
    let size_m = mesh.level.size(grid.cell_m());
    let wide = |site: &Drawn| channel_width_m(site.water.discharge_m3_s) > NARROW * size_m;
    for round in 0..SMOOTHINGS {
        let at: Vec<Vec3> = sites.iter().map(|s| s.at).collect();
        for (i, site) in sites.iter_mut().enumerate() {
            let inflow = main[i];
            let still = round >= NARROW_SMOOTHINGS && !wide(site);
            if site.receiver == NONE || inflow == NONE || still {
                continue;
            }
            let target = (at[site.receiver as usize] + at[inflow as usize]) * 0.5;
            let most_m = great::leeway_m(site.spot.width_m, size_m);
            site.at = great::within(middle[i], at[i].lerp(target, 0.5), most_m);
        }
    }
}

/// Beds of sites with the lift of gullies, never higher than those upstream.
fn lifted_beds_m(sites: &[Drawn], detail: Detail) -> Vec<f64> {
    let bed_m = |site: &Drawn| site.water.surface_m - site.water.depth_m + lift_m(site, detail);
    let mut beds_m: Vec<f64> = sites.iter().map(bed_m).collect();
    // areas grow downstream, but for rounding and where rivers end
    let mut order: Vec<usize> = (0..sites.len()).filter(|&i| sites[i].receiver != NONE).collect();
    order.sort_by(|&i, &j| sites[i].water.area_m2.total_cmp(&sites[j].water.area_m2));
    let mut settled = false;
    while !std::mem::replace(&mut settled, true) {
        for &i in &order {
            let to = sites[i].receiver as usize;
            if beds_m[i] < beds_m[to] {
                (beds_m[to], settled) = (beds_m[i], false);
            }
        }
    }
    beds_m
}

/// The channel that leaves a site; none where its water ends.
fn channel((sites, rises): (&[Drawn], &Rises), beds_m: &[f64], i: usize, detail: Detail) -> Option<Channel> {
    let from = &sites[i];
    if from.receiver == NONE {
        return None;
    }
    let to = &sites[from.receiver as usize];
    let rise = (rises.at(i), rises.at(from.receiver as usize));
    let half = |site: &Drawn| 0.5 * channel_width_m(site.water.discharge_m3_s);
    Some(Channel {
        a: from.at,
        b: to.at,
        bed_m: (beds_m[i], beds_m[from.receiver as usize]),
        rise,
        base_rise: rise_of(from, detail),
        floor_m: (floor_m(from, detail).max(1.1 * half(from)), floor_m(to, detail).max(1.1 * half(to))),
        ice: trough(from, detail),
        half_width_m: (half(from), half(to).max(half(from))),
        level_m: 0.0,
        depth_m: (from.water.depth_m, to.water.depth_m),
        discharge_m3_s: from.water.discharge_m3_s.max(0.0),
        order: from.water.order.max(1),
        head: false,
        id: i as u32,
    })
}

/// A link that joins a greater river keeps its own width, depth and floor to the end.
fn tributary(link: Channel) -> Channel {
    Channel {
        floor_m: (link.floor_m.0, link.floor_m.0.min(link.floor_m.1)),
        half_width_m: (link.half_width_m.0, link.half_width_m.0),
        depth_m: (link.depth_m.0, link.depth_m.0),
        bed_m: (link.bed_m.0, (link.bed_m.1 + link.depth_m.1 - link.depth_m.0).min(link.bed_m.0)),
        ..link
    }
}

/// Gullies are shallower the smaller they are, so that they fade where the next level would begin.
fn lift_m(site: &Drawn, detail: Detail) -> f64 {
    let most_m = detail.most_lift * room_m(site);
    (detail.lift * rise_of(site, detail) * detail.size_m).min(most_m) * detail.smallness(site)
}

/// How much a valley is a trough of ice: glaciers gather in large valleys, and leave small ones to water.
fn trough(site: &Drawn, detail: Detail) -> f64 {
    let least_m2 = TROUGH_M2.max(detail.size_m * detail.size_m);
    let doublings = math::log2(site.water.area_m2.max(1.0) / least_m2);
    MOST_TROUGH * f64::from(site.spot.ice) * math::smoothstep(0.0, TROUGH_DOUBLINGS, doublings)
}

/// Sides of troughs keep something of the V they were: with none of it no gully would reach down them.
const MOST_TROUGH: f64 = 0.6;
/// How wide floors of troughs are, beside those of gentle land.
const WORN: f64 = 0.4;
/// Valleys that drain less than this, in m2, or than one site, are no troughs; those that drain so many times twice as
/// much are.
const TROUGH_M2: f64 = 2e6;
const TROUGH_DOUBLINGS: f64 = 5.0;

/// Half width of the flat floor of a valley: water fills it where the land is gentle, ice wears it down where it was.
fn floor_m(site: &Drawn, detail: Detail) -> f64 {
    let gentle = math::smoothstep(0.5, 0.05, f64::from(site.spot.rise));
    (FLOOR * site.water.area_m2.max(0.0).sqrt() * (0.15 + 1.5 * gentle.max(WORN * trough(site, detail))))
        .min(WIDEST_FLOOR * detail.size_m)
}

/// The gradient of hillslopes at a site: the land's, but no more than reaches its tops where the next valley is near.
fn rise_of(site: &Drawn, detail: Detail) -> f64 {
    let (small, large) = detail.to_tops;
    let by_area = large + (small - large) * detail.smallness(site);
    let to_tops = by_area * (1.0 + detail.icy * f64::from(site.spot.ice));
    f64::from(site.spot.rise).min(to_tops * room_m(site) / detail.size_m)
}

/// From the water of a site up to the tops.
fn room_m(site: &Drawn) -> f64 {
    (f64::from(site.spot.top_m) - site.water.surface_m).max(LEAST_ROOM_M)
}

/// Tops stand at least so high over a channel, in metres.
const LEAST_ROOM_M: f64 = 1.5;

/// The gradients of hillslopes at sites, raised to reach what is perched nearby; each is found once.
struct Rises<'a> {
    mesh: &'a Mesh,
    sites: &'a [Drawn],
    detail: Detail,
    known: Vec<Cell<Option<f64>>>,
}

impl Rises<'_> {
    fn at(&self, i: usize) -> f64 {
        let rise = self.known[i].get().unwrap_or_else(|| raised(self.mesh, self.sites, i, self.detail));
        self.known[i].set(Some(rise));
        rise
    }
}

/// The gradient of hillslopes at a site, raised to reach what is perched nearby.
fn raised(mesh: &Mesh, sites: &[Drawn], i: usize, detail: Detail) -> f64 {
    let size_m = detail.size_m;
    let site = &sites[i];
    let own = rise_of(site, detail);
    let (mut any, mut large) = (own, own);
    mesh.each_near(i, PERCHED, |n| {
        let other = &sites[n];
        let above_m = other.water.surface_m + 0.05 * size_m * own - site.water.surface_m;
        if above_m > 0.0 {
            let gradient = above_m / (0.85 * other.at.distance(site.at) + 1.0);
            any = any.max(gradient);
            if other.water.area_m2 >= PERCHED_PARTS * size_m * size_m {
                large = large.max(gradient);
            }
        }
    });
    own.max(any.min(STEEP)).max(large.min(STEEPEST))
}
