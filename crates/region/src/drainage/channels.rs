//! Channels: the links of the level that is drawn, with all that their valleys are made from.

use super::ahead;
use super::block::{Block, Rect};
use super::coarse::SEA_DEPTH_M;
use super::funnel::{self, Funnel};
use super::levels::{Coarse, Drainage, Guides};
use super::mesh::NONE;
use super::owner::owners;
use super::plain::Plain;
use super::plan::Division;
use super::surroundings::{self, Beds, Drawn, Surroundings};
use super::valley::Detail;
use crate::banks;
use crate::bend::Bend;
use crate::curve::nearest;
use crate::envelope::{Channel, Course, Wedge, course};
use crate::primitives::Ball;
use grid::{Cell, Grid, Key, Level, Part, Topology, Vec3, math};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use world::{channel_depth_m, channel_width_m};

/// The channels of a square.
pub(crate) struct Channels {
    pub channels: Vec<Channel>,
    /// The links that the channels are pieces of; [`Channel::id`] counts them.
    pub links: Vec<Link>,
    /// For each link the cell that owns it, once that was asked for.
    owners: OnceLock<Vec<Option<Cell>>>,
    /// A ball around all channels, and one around those of each link.
    pub all: Option<Ball>,
    runs: Vec<(Ball, Range<usize>)>,
}

/// A link from a site to its receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub from: Part,
    pub to: Part,
    /// What drains through it, in m2.
    pub area_m2: f64,
    /// The floodplain that it runs over.
    pub plain: Plain,
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
        Self { all: ball(&channels), channels, links, runs, owners: OnceLock::new() }
    }

    /// For each link the cell that owns it.
    pub fn owners(&self) -> &[Option<Cell>] {
        self.owners.get().map_or(&[], |owners| owners)
    }

    /// About how many bytes it owns.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.channels[..])
            + size_of_val(&self.links[..])
            + size_of_val(&self.runs[..])
            + self.links.len() * size_of::<Option<Cell>>()
    }

    /// The channels of the links whose floors come within a distance of a place, and perhaps some more.
    pub fn within(&self, center: Vec3, reach_m: f64) -> impl Iterator<Item = &Channel> {
        let close = move |ball: &Ball| ball.near(center, reach_m);
        self.runs.iter().filter(move |run| close(&run.0)).flat_map(|run| &self.channels[run.1.clone()])
    }
}

/// How channels are shown.
pub(crate) struct Show<'a> {
    pub grid: &'a Topology,
    /// Sites lie in bent space, channels in plain space.
    pub bend: &'a Bend,
    /// Meanders of links.
    pub courses: Key,
    /// Where rivers end in deltas, by cell.
    pub divisions: &'a [Division],
    /// Where rivers widen towards the sea.
    pub funnels: &'a [Funnel],
    /// Distance between samples, in metres.
    pub spacing_m: f64,
}

/// A link that comes by an apex is that of the delta's river if it has at least this share of its discharge, and bends to it from
/// no farther than so many spacings of sites: no window misses it then.
const OWN_RIVER: f64 = 0.9;
const BESIDE: f64 = 0.9;
/// So many rivers that end in deltas around one cell of the sea are looked at; sums of their discharges are trusted up to this share.
const MOST_RIVERS: u32 = 8;
const HAIR: f64 = 1e-9;

/// Brooks run over the floor of the valley that they come to where sites lie farther apart than so many samples, and where they would
/// hang so far above it, in spacings of samples.
const UNEVEN: f64 = 7.0;
const SEEN: f64 = 0.2;

/// Rivers are drawn at least so many samples wide to each side, so that they stay connected.
pub(crate) const CONNECTED: f64 = 0.6;

/// The channels that leave the sites of some squares of the level that is drawn, in the order of blocks and squares: those that earlier
/// requests have made are taken from them, the others are planned ahead and made, many at a time. With the owners of links, if they are
/// wanted.
pub(crate) fn drawn<C: Coarse, G: Guides>(
    drainage: &Drainage<C, G>,
    (squares, wants_owners): (&[Rect], bool),
    show: &Show,
) -> Vec<(Block, Arc<Channels>)> {
    let level = drainage.level();
    let kept = |square: &Rect| (*square, drainage.kept(show.spacing_m, *square));
    let (known, lacking): (Vec<_>, Vec<_>) = squares.iter().map(kept).partition(|square| square.1.is_some());
    let lacking: Vec<Rect> = lacking.into_iter().map(|square| square.0).collect();
    drainage.prepare(&lacking, surroundings::RINGS);
    let pieces = ahead::drawn_together(&lacking);
    let is_wide = |piece: &&Vec<Rect>| {
        let rect = piece.iter().copied().reduce(Rect::with);
        rect.is_some_and(|rect| {
            surroundings::rings(drainage, (level, rect), level.size(show.grid.cell_m())) > surroundings::RINGS
        })
    };
    let wide: Vec<Rect> = pieces.par_iter().filter(is_wide).flatten_iter().copied().collect();
    drainage.prepare(&wide, surroundings::WIDE_RINGS);
    let of_piece = |piece: &Vec<Rect>| channels(drainage, (level, piece), show);
    let made: Vec<(Rect, Channels)> = pieces.par_iter().flat_map_iter(of_piece).collect();
    let made = made.into_iter().map(|(square, channels)| (square, Arc::new(channels)));
    let keep = |(square, channels): &(Rect, Arc<Channels>)| {
        drainage.keep(show.spacing_m, *square, channels.clone());
    };
    let known = known.into_iter().filter_map(|(square, channels)| Some((square, channels?)));
    let known: Vec<(Rect, Arc<Channels>)> = known.collect();
    if wants_owners {
        // what those that are kept were made from may have been dropped since
        let is_unknown = |(_, of): &&(Rect, Arc<Channels>)| of.owners.get().is_none();
        let unknown: Vec<Rect> = known.iter().filter(is_unknown).map(|(square, _)| *square).collect();
        drainage.prepare(&unknown, 0);
    }
    let mut all: Vec<(Rect, Arc<Channels>)> = made.inspect(keep).chain(known).collect();
    let block = |square: &Rect| Block::of(square.first(level));
    all.sort_unstable_by_key(|(square, _)| (block(square), *square));
    let all: Vec<_> = all.into_iter().map(|(square, channels)| (block(&square), channels)).collect();
    if wants_owners {
        find_owners(drainage, &all);
    }
    all
}

/// Finds the owners of the links of some squares, where they are not known.
fn find_owners<C: Coarse, G: Guides>(drainage: &Drainage<C, G>, all: &[(Block, Arc<Channels>)]) {
    let level = drainage.level();
    all.par_iter().for_each(|(_, of)| {
        of.owners.get_or_init(|| {
            let owners = owners(drainage.grid(), drainage, level);
            of.links.iter().map(|link| owners.of(link.from)).collect()
        });
    });
}

/// The channels that leave the sites of some squares of one level and face, square by square, as samples `spacing_m` apart show
/// them. Each link is a function of its square alone; cost grows with the rectangle around all squares.
pub(crate) fn channels<C: Coarse, G: Guides>(
    drainage: &Drainage<C, G>,
    (level, squares): (Level, &[Rect]),
    show: &Show,
) -> Vec<(Rect, Channels)> {
    let grid = show.grid;
    let detail = Detail::of(level.size(grid.cell_m()), show.spacing_m, grid.cell_m());
    let Some(around) = Surroundings::of(drainage, (level, squares), detail) else { return Vec::new() };
    let places = Places::of_links(show, &around, squares);
    let mut beds = around.beds();
    squares.iter().map(|square| (*square, of_square(*square, detail, (&places, &mut beds)))).collect()
}

/// Where sites lie in plain space, as far as links ask for them.
struct Places<'a> {
    show: &'a Show<'a>,
    around: &'a Surroundings,
    shown: Vec<Vec3>,
}

impl<'a> Places<'a> {
    /// What the links that leave the sites of some squares ask for.
    fn of_links(show: &'a Show<'a>, around: &'a Surroundings, squares: &[Rect]) -> Self {
        let sites = &around.sites;
        let mut asked = vec![false; sites.len()];
        for i in squares.iter().flat_map(|square| around.of_square(*square)) {
            let to = sites[i].receiver;
            if to != NONE {
                let all = [i as u32, to, sites[to as usize].receiver].into_iter();
                let all = all.chain(around.inflows(i)).chain(around.inflows(to as usize));
                all.filter(|&n| n != NONE).for_each(|n| asked[n as usize] = true);
            }
        }
        let asked: Vec<usize> = (0..sites.len()).filter(|&i| asked[i]).collect();
        let bent: Vec<Vec3> = asked.iter().map(|&i| sites[i].at).collect();
        let mut shown = vec![Vec3::default(); sites.len()];
        let plain = show.bend.unbend_row_roughly(&bent);
        asked.into_iter().zip(plain).for_each(|(i, p)| shown[i] = p);
        Self { show, around, shown }
    }

    /// Of a site that there is.
    fn of(&self, i: u32) -> Option<Vec3> {
        (i != NONE).then(|| self.shown[i as usize])
    }
}

/// The channels of a square.
fn of_square(square: Rect, detail: Detail, (places, beds): (&Places, &mut Beds)) -> Channels {
    let mut drawn = (Vec::with_capacity(2 * square.len()), Vec::with_capacity(square.len()));
    places.around.lower_beds(places.show.grid, square, beds);
    for i in places.around.of_square(square) {
        if !places.around.hangs(i, beds) {
            add_link(i, detail, (places, beds), &mut drawn);
        }
    }
    drawn.0.shrink_to_fit();
    Channels::new(drawn.0, drawn.1)
}

/// Adds the link that leaves a site, and the channels that it is drawn as.
fn add_link(
    i: usize,
    detail: Detail,
    (places, beds): (&Places, &Beds),
    (pieces, links): &mut (Vec<Channel>, Vec<Link>),
) {
    let Places { show, around, .. } = *places;
    let site = &around.sites[i];
    let (Some(a), Some(b)) = (places.of(i as u32), places.of(site.receiver)) else { return };
    let to = &around.sites[site.receiver as usize];
    let link = channel((around, beds), i, detail);
    let link = if to.main == i as u32 { link } else { tributary(link) };
    let link = left(&link, gone_m3_s(show, site));
    let width_m = link.half_width_m.0 + link.half_width_m.1;
    let id = links.len() as u32;
    links.push(Link { from: site.part, to: to.part, area_m2: site.water.area_m2, plain: site.spot.plain });
    let link = drawn_wide(Channel { head: site.main == NONE, a, b, id, ..link }, (detail, show.spacing_m));
    let link = with_room(link, width_m / detail.size_m);
    let (before, after) = (places.of(site.main), places.of(to.receiver));
    let up = match show.grid {
        Topology::Globe(_) => link.a.normalized(),
        Topology::Flat(_) => Vec3::new(0.0, 0.0, 1.0),
    };
    let key = show.courses.within(site.part);
    let ends = (link.a, link.b);
    let others = |at: usize| around.inflows(at).filter(|&n| n as usize != i).filter_map(|n| places.of(n));
    let wedges = [
        Wedge::at_a(ends, up, others(i)),
        Wedge::at_b(ends, up, others(site.receiver as usize).chain(after)),
    ];
    let division = division(show, (site.part, to.part), &link, detail.size_m);
    let by = division.map(|division| division.at);
    let is_near = detail.size_m > UNEVEN * show.spacing_m;
    let beds_m = is_near.then(|| around.beds_along(i, link.bed_m)).flatten();
    let beds_m = beds_m.as_ref().filter(|beds| is_uneven(&beds[..], show.spacing_m)).map(|beds| &beds[..]);
    let course_of = Course { channel: &link, width_m, before, after, beds_m, wedges, by, up, key };
    let first = pieces.len();
    course(&course_of, (detail.size_m, show.spacing_m), pieces);
    if !show.funnels.is_empty() {
        pieces[first..].iter_mut().for_each(|piece| widen(piece, show.funnels));
    }
    if let Some(Division { apex, at, .. }) = division {
        let behind = pieces[first..].iter_mut().skip_while(|piece| piece.a != *at);
        behind.for_each(|piece| *piece = left(piece, apex.discharge_m3_s));
    }
}

/// Whether beds lie so far below those that would run evenly from the first to the last that samples show it.
fn is_uneven(beds_m: &[f64], spacing_m: f64) -> bool {
    let (first, pieces) = (beds_m[0], beds_m.len() - 1);
    let even_m = |k: usize| first + (beds_m[pieces] - first) * k as f64 / pieces as f64;
    (1..pieces).any(|k| even_m(k) - beds_m[k] > SEEN * spacing_m)
}

/// Where a link's river divides on its way, if that is shown.
fn division<'a>(
    show: &Show<'a>,
    (from, to): (Part, Part),
    link: &Channel,
    size_m: f64,
) -> Option<&'a Division> {
    if show.divisions.is_empty() {
        return None;
    }
    let cells = (show.grid.cell_of(from), show.grid.cell_of(to));
    let found = show.divisions.binary_search_by_key(&cells.0, |division| division.apex.cells.0).ok()?;
    let division = &show.divisions[found];
    let divides = division.is_shown
        && division.apex.cells == cells
        && link.discharge_m3_s >= OWN_RIVER * division.apex.discharge_m3_s;
    (divides && nearest(division.at, link.a, link.b).1.sqrt() < BESIDE * size_m).then_some(division)
}

/// What of the discharge at a site is that of rivers that have divided into arms that are shown, in m3/s: of the rivers that end in
/// deltas around those that together are all that divides.
fn gone_m3_s(show: &Show, site: &Drawn) -> f64 {
    let divided_m3_s = site.water.divided_m3_s;
    if divided_m3_s <= 0.0 || show.divisions.iter().all(|division| !division.is_shown) {
        return 0.0;
    }
    let cell = show.grid.cell_of(site.part);
    let is_behind = |division: &&Division| division.behind.binary_search(&cell).is_ok();
    let around: Vec<&Division> = show.divisions.iter().filter(is_behind).take(MOST_RIVERS as usize).collect();
    let sum_m3_s = |some: u32, of: &dyn Fn(&Division) -> f64| -> f64 {
        let of_some = around.iter().enumerate().filter(|(k, _)| some >> k & 1 == 1);
        of_some.map(|(_, division)| of(division)).sum()
    };
    let discharge = |division: &Division| division.apex.discharge_m3_s;
    let shown = |division: &Division| if division.is_shown { discharge(division) } else { 0.0 };
    let is_all = |&some: &u32| (sum_m3_s(some, &discharge) - divided_m3_s).abs() < HAIR * divided_m3_s;
    (1..1u32 << around.len()).find(is_all).map_or(0.0, |some| sum_m3_s(some, &shown))
}

/// A channel without so much of its discharge, in m3/s: narrower and less deep, with its water where it was.
fn left(link: &Channel, gone_m3_s: f64) -> Channel {
    if gone_m3_s == 0.0 {
        return *link;
    }
    let discharge_m3_s = (link.discharge_m3_s - gone_m3_s).max(0.0);
    let half_m = 0.5 * channel_width_m(discharge_m3_s);
    // no less deep than what comes there from other cells of the sea
    let least_m = channel_depth_m(discharge_m3_s).max(SEA_DEPTH_M);
    let depth_m = (link.depth_m.0.min(least_m), link.depth_m.1.min(least_m));
    let bed_m = (link.bed_m.0 + link.depth_m.0 - depth_m.0, link.bed_m.1 + link.depth_m.1 - depth_m.1);
    Channel { bed_m, depth_m, half_width_m: (half_m, half_m), discharge_m3_s, ..*link }
}

/// The channel that leaves a site for its receiver.
fn channel((around, beds): (&Surroundings, &Beds), i: usize, detail: Detail) -> Channel {
    let from = &around.sites[i];
    let receiver = from.receiver as usize;
    let to = &around.sites[receiver];
    let half = |site: &Drawn| 0.5 * channel_width_m(site.water.discharge_m3_s);
    let (half_a, half_b) = (half(from), half(to));
    let floor_m = |i: usize| around.slopes(i).floor_m;
    Channel {
        a: from.at,
        b: to.at,
        bed_m: (around.bed_m(i, beds), around.bed_m(receiver, beds)),
        rise: (around.rise(i), around.rise(receiver)),
        base_rise: around.slopes(i).rise,
        floor_m: (floor_m(i).max(BESIDE_WATER * half_a), floor_m(receiver).max(BESIDE_WATER * half_b)),
        ice: detail.trough(from),
        half_width_m: (half_a, half_b.max(half_a)),
        uneven: 0.0,
        level_m: 0.0,
        depth_m: (from.water.depth_m, to.water.depth_m),
        discharge_m3_s: from.water.discharge_m3_s.max(0.0),
        order: from.water.order.max(1),
        head: false,
        id: i as u32,
    }
}

/// Makes a piece of a river as wide as the tide has made it there.
fn widen(piece: &mut Channel, funnels: &[Funnel]) {
    let wider = [piece.a, piece.b].map(|place| funnel::wider(funnels, place, piece.discharge_m3_s));
    if wider.iter().any(|&wider| wider > 1.0) {
        let (a, b) = piece.half_width_m;
        *piece = as_wide(*piece, (a * wider[0], b * wider[1]));
    }
}

/// A channel so wide to each side, on a floor that has room for it.
fn as_wide(link: Channel, half_width_m: (f64, f64)) -> Channel {
    let floor_m = (
        link.floor_m.0.max(BESIDE_WATER * half_width_m.0),
        link.floor_m.1.max(BESIDE_WATER * half_width_m.1),
    );
    Channel { half_width_m, floor_m, ..link }
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

/// Rivers that are drawn at all are wide enough to stay connected from sample to sample, and so are the beds of others
/// that fall less from one sample to the next than hillslopes climb.
fn drawn_wide(link: Channel, (detail, spacing_m): (Detail, f64)) -> Channel {
    let (a, b) = link.half_width_m;
    if a.max(b) < LEAST_WIDTH * spacing_m {
        let gradient = (link.bed_m.0 - link.bed_m.1) / link.a.distance(link.b).max(1.0);
        let gentle = math::smoothstep(STEEP_BED, LEVEL_BED, gradient / link.base_rise.max(1e-6));
        let level_m = CONNECTED * detail.spacing_m * gentle;
        // the hillslopes beside still reach the tops
        let steeper = 1.0 / (1.0 - (HALFWAY * level_m / detail.size_m).min(0.5));
        let rise = (link.rise.0 * steeper, link.rise.1 * steeper);
        return Channel { level_m, rise, base_rise: link.base_rise * steeper, ..link };
    }
    let least = CONNECTED * spacing_m;
    Channel { half_width_m: (a.max(least), b.max(least)), ..link }
}

/// A river so many times as wide as sites lie apart has room for banks that are uneven.
fn with_room(link: Channel, wide: f64) -> Channel {
    let uneven = banks::UNEVEN * math::smoothstep(WIDE.0, WIDE.1, wide);
    if uneven == 0.0 {
        return link;
    }
    let (a, b) = link.half_width_m;
    Channel { uneven, ..as_wide(link, (a * (1.0 + uneven), b * (1.0 + uneven))) }
}

/// Spacings of sites that rivers are wide up to which their banks are even, and from which on they are uneven in full.
const WIDE: (f64, f64) = (0.4, 1.0);
/// Floors are this much wider than the river, or its room.
pub(crate) const BESIDE_WATER: f64 = 1.1;

/// Beside such beds hillslopes reach the tops at one over this many spacings.
const HALFWAY: f64 = 1.6;

/// Gradients of beds over those of hillslopes: samples need no room beside beds of the first, and from the second down
/// they need all of it.
const STEEP_BED: f64 = 0.5;
const LEVEL_BED: f64 = 0.25;

/// Rivers of a half width under this share of the spacing of samples are left out.
const LEAST_WIDTH: f64 = 1.0 / 80.0;
