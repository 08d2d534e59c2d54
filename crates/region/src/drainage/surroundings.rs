//! What is known of the sites in and around some squares when their channels are drawn.
//!
//! Sites move [`SMOOTHINGS`] times half way towards the middle between their receiver and their main inflow, but never out
//! of the disc in which sites may lie, so that links still do not cross. Where a neighbour's channel is perched higher than
//! hillslopes would reach, they are steeper. Where the bed of a small brook would hang over the valley beside all the same it sinks
//! towards the ground there, as far as its own hillslopes still reach what is perched beside; brooks of which most would hang are left out.
//!
//! **What is said of a site is the same whatever squares are drawn together.** Each smoothing looks one ring farther; a site
//! that is drawn asks for places at most [`SEEN`] rings away. Who is perched, or hangs, is found among sites smoothed
//! [`NARROW_SMOOTHINGS`] times, at most [`PERCHED`] rings around a receiver: that is within [`RINGS`]. Where a river that is drawn
//! is wide, and smoothed [`SMOOTHINGS`] times, [`WIDE_RINGS`] are there. What could depend on any distance, beds that are
//! lowered to those upstream, is looked at in [`RINGS`] rings around each square alone.

use super::block::Rect;
use super::flow::Water;
use super::great;
use super::levels::{Coarse, Drainage, Guides};
use super::meander::Meanders;
use super::mesh::{self, Mesh, NONE};
use super::plan::{NOWHERE, Placed, Spot};
use super::valley::Detail;
use crate::curve::nearest;
use crate::envelope::toe_m;
use grid::{Grid, Level, Part, Topology, Vec3};
use std::cell::Cell;
use world::channel_width_m;

/// Rings of sites around squares that are looked at, and where a river is wide.
pub(crate) const RINGS: u32 = 1 + PERCHED + NARROW_SMOOTHINGS;
pub(crate) const WIDE_RINGS: u32 = SEEN + SMOOTHINGS;
/// The course of a link asks for the place of the receiver's receiver.
const SEEN: u32 = 2;
const SMOOTHINGS: u32 = 6;
/// Rivers narrower than this share of the spacing of sites keep more of their turns.
const NARROW: f64 = 0.2;
const NARROW_SMOOTHINGS: u32 = 1;
/// Neighbours so many rings away are looked at for being perched.
const PERCHED: u32 = 3;
/// Channels that begin at most so many rings away can leave a brook hanging: less than this share of its fall over its end. So for
/// the link itself, for those that run into it, and for those that run into these; a brook of more links is drawn.
const BESIDE: [u32; 3] = [2, 2, 1];
const HANGING: f64 = 0.5;
const _: () = assert!(
    1 + BESIDE[1] + 1 + NARROW_SMOOTHINGS <= RINGS && 2 + BESIDE[2] + 1 + NARROW_SMOOTHINGS <= RINGS,
    "channels beside brooks lie where they seem to lie"
);
const _: () = assert!(SEEN + NARROW_SMOOTHINGS <= RINGS, "sites of narrow rivers lie where they seem to lie");
/// Brooks of fewer parts than this sink to the ground. Where sites lie farther apart than the second, in metres, none do: mean heights of
/// far and near views would part. Nor beside hillslopes gentler than the third: no brook hangs far there, and narrow trenches would be
/// hollows between samples.
const BROOK_PARTS: f64 = 8.0;
const SINKING_M: f64 = 200.0;
const SINKING_RISE: f64 = 0.25;
/// What bends, noise and rills leave of a hillslope, as a rule.
const SAFE: f64 = 0.9;
/// Beds of brooks are looked at in so many places along a link.
pub(crate) const KNOTS: usize = 4;
/// Greatest gradient of hillslopes that perched neighbours may ask for, and those of at least [`PERCHED_PARTS`]. With 0.65 for the first
/// summits, slopes and spectra of ranges were farther from Earth's; from 0.85 on slopes are too steep.
const STEEP: f64 = 0.75;
const STEEPEST: f64 = 1.0;
const PERCHED_PARTS: f64 = 8.0;
/// They shall stand over a perched neighbour by this share of what they climb over a spacing of their own accord, at this share of its
/// distance: they are bent, and their feet are round. They begin where the floor of the valley ends, but have at least the last share of the
/// way.
const FOOT: f64 = 0.05;
const NEARER: f64 = 0.85;
const LEAST_WAY: f64 = 0.3;
/// What lies beside the lower end of a link hardly asks for a higher upper one: it counts as if it lay so far from that end.
const LEAST_SHARE: f64 = 0.25;

/// What is known of a site when channels are drawn.
pub(super) struct Drawn {
    pub part: Part,
    /// Where it is drawn, in bent space, in metres; and where it would be if its river were narrow.
    pub at: Vec3,
    narrow_at: Vec3,
    pub spot: Spot,
    pub water: Water,
    /// Index of the receiver; [`NONE`] where water ends, or that is not known.
    pub receiver: u32,
    /// Index of the inflow of the greatest area; [`NONE`] at heads.
    pub main: u32,
}

/// Beds with the lift of gullies, in and around a square never higher than those upstream.
pub(super) struct Beds {
    /// By the index of the site, in metres.
    pub metres: Vec<f64>,
    /// Indices of those that were lowered.
    lowered: Vec<usize>,
}

/// What the valley of a site is like of its own accord, whatever is perched nearby.
pub(super) struct Slopes {
    /// Gradient of its hillslopes.
    pub rise: f64,
    /// Half width of its floor, in metres.
    pub floor_m: f64,
}

/// The sites in and around some squares.
pub(super) struct Surroundings {
    mesh: Mesh,
    pub sites: Vec<Drawn>,
    detail: Detail,
    /// Beds with the lift of gullies, in metres, and whether each lies lower than that of its receiver.
    lifted_m: Vec<f64>,
    falls_short: Vec<bool>,
    slopes: Vec<Slopes>,
    /// Gradients of hillslopes that have been asked for, and beds that sink to the ground, in metres.
    rises: Vec<Cell<Option<f64>>>,
    sunk_m: Vec<Cell<Option<f64>>>,
}

impl Surroundings {
    /// Of some squares of one level and face; none where there are no squares.
    pub fn of<C: Coarse, G: Guides>(
        drainage: &Drainage<C, G>,
        (level, squares): (Level, &[Rect]),
        detail: Detail,
    ) -> Option<Self> {
        let rect = squares.iter().copied().reduce(Rect::with)?;
        let rings = rings(drainage, (level, rect), detail.size_m);
        let mesh = Mesh::around(drainage.grid(), level, rect, rings);
        let mut sites = sites(drainage, &mesh);
        find_main_inflows(&mut sites);
        smooth(drainage.grid(), detail.size_m, &mut sites);
        let meanders = Meanders::around(drainage, (level, rect), rings);
        for site in &mut sites {
            let moved = |at: Vec3| meanders.moved(drainage.grid(), site.part, at);
            (site.at, site.narrow_at) = (moved(site.at), moved(site.narrow_at));
        }
        let (rises, sunk_m) = (vec![Cell::new(None); sites.len()], vec![Cell::new(None); sites.len()]);
        let slopes_of = |site| Slopes { rise: detail.rise(site), floor_m: detail.floor_m(site) };
        let slopes: Vec<Slopes> = sites.iter().map(slopes_of).collect();
        let bed_m = |(site, slopes): (&Drawn, &Slopes)| {
            site.water.surface_m - site.water.depth_m + detail.lift_m(site, slopes.rise)
        };
        let lifted_m: Vec<f64> = sites.iter().zip(&slopes).map(bed_m).collect();
        let is_short = |(site, bed_m): (&Drawn, &f64)| {
            site.receiver != NONE && *bed_m < lifted_m[site.receiver as usize]
        };
        let falls_short = sites.iter().zip(&lifted_m).map(is_short).collect();
        Some(Self { mesh, sites, detail, lifted_m, falls_short, slopes, rises, sunk_m })
    }

    /// Indices of the sites of a square.
    pub fn of_square(&self, square: Rect) -> impl Iterator<Item = usize> {
        let parts = square.parts(self.mesh.level);
        parts.map(|part| self.mesh.find(part).expect("a square lies in its surroundings"))
    }

    /// Beds of which none is lowered yet.
    pub fn beds(&self) -> Beds {
        Beds { metres: self.lifted_m.clone(), lowered: Vec::new() }
    }

    /// Lowers beds in and around a square to those upstream; those of the square before are what they were.
    pub fn lower_beds(&self, grid: &Topology, square: Rect, beds: &mut Beds) {
        beds.lowered.drain(..).for_each(|i| beds.metres[i] = self.lifted_m[i]);
        let boxes = mesh::widened(grid, self.mesh.level, square, RINGS);
        let is_around = |i: usize| boxes.iter().any(|rect| rect.index(self.sites[i].part).is_some());
        for row in boxes.iter().flat_map(|rect| rect.each_row()) {
            // the mesh has what is around its own rectangle, and so all rows of this one
            let Some(first) = self.mesh.find(row.first(self.mesh.level)) else { continue };
            debug_assert_eq!(self.sites[first + row.len() - 1].part.col, row.col + row.cols - 1);
            for k in (first..first + row.len()).filter(|&k| self.falls_short[k]) {
                let mut from = k;
                while let Some(to) = self.receiver(from).filter(|&to| is_around(to)) {
                    if beds.metres[to] <= beds.metres[from] {
                        break;
                    }
                    beds.metres[to] = beds.metres[from];
                    beds.lowered.push(to);
                    from = to;
                }
            }
        }
    }

    /// Whether the link that leaves a site is left out: it would hang over the valley of another channel, and nothing that runs
    /// into it is drawn.
    pub fn hangs(&self, i: usize, beds: &Beds) -> bool {
        self.hangs_below(i, beds, 0)
    }

    /// The same of a link that lies so many links up from one that is looked at; none has more above it than [`BESIDE`] tells.
    fn hangs_below(&self, i: usize, beds: &Beds, up: usize) -> bool {
        BESIDE.get(up).is_some_and(|&rings| {
            self.hangs_alone(i, beds, rings)
                && self.inflows(i).all(|n| self.hangs_below(n as usize, beds, up + 1))
        })
    }

    /// Whether a link begins so far over the valley of another channel that most of it would hang there.
    fn hangs_alone(&self, i: usize, beds: &Beds, rings: u32) -> bool {
        self.receiver(i).is_some_and(|to| {
            let (high_m, low_m) = (beds.metres[i], beds.metres[to]);
            self.is_ground_under((i, rings), low_m + HANGING * (high_m - low_m))
        })
    }

    /// Whether the hillslopes of other channels nearby make the ground at a site lower than so many metres; its receiver's own and
    /// those that end there leave it where it is.
    fn is_ground_under(&self, (i, rings): (usize, u32), limit_m: f64) -> bool {
        let mut is_under = false;
        self.each_beside((i, rings), |n, to| {
            let may_be =
                n as u32 != self.sites[i].receiver && self.lifted_m[n].min(self.lifted_m[to]) < limit_m;
            if may_be && !is_under {
                let (bed_m, far_m) = self.foot((n, to), self.sites[i].narrow_at);
                // hillslopes climb from the bed
                if bed_m < limit_m {
                    let (rise, floor_m) = self.hillslope((n, to), i);
                    is_under = bed_m + rise * (far_m - floor_m).max(0.0) < limit_m;
                }
            }
        });
        is_under
    }

    /// Calls for each link that begins near a site, but for its own and those that end there: where it begins and ends.
    fn each_beside(&self, (i, rings): (usize, u32), mut call: impl FnMut(usize, usize)) {
        self.mesh.each_near(i, i64::from(rings), |n| {
            if let Some(to) = self.receiver(n).filter(|&to| to != i) {
                call(n, to);
            }
        });
    }

    /// The foot of a link's hillslope at a place beside it: how high the bed is there, and how far away, in metres.
    fn foot(&self, (n, to): (usize, usize), place: Vec3) -> (f64, f64) {
        let (t, squared) = nearest(place, self.sites[n].narrow_at, self.sites[to].narrow_at);
        (self.lifted_m[n] + t * (self.lifted_m[to] - self.lifted_m[n]), squared.sqrt())
    }

    /// The gradient of a link's hillslope where it is to reach a site, and half the width of the floor that it begins at.
    fn hillslope(&self, (n, to): (usize, usize), i: usize) -> (f64, f64) {
        let side = self.side(n);
        let rise = side.rise.max(side.perched(&self.sites[i]).min(STEEP));
        (rise, side.floor_m.min(self.slopes[to].floor_m))
    }

    /// The bed at a site, in metres: that of a brook lies no higher than the hillslopes beside let the ground be, and no lower than its
    /// receiver's.
    pub fn bed_m(&self, i: usize, beds: &Beds) -> f64 {
        let lowest_m = self.receiver(i).map_or(f64::NEG_INFINITY, |to| beds.metres[to]);
        beds.metres[i].min(self.sunk_m(i)).max(lowest_m)
    }

    /// The same with no bed lowered to one upstream; each is found once.
    fn sunk_m(&self, i: usize) -> f64 {
        let sunk_m = self.sunk_m[i].get().unwrap_or_else(|| self.sunk(i));
        self.sunk_m[i].set(Some(sunk_m));
        sunk_m
    }

    fn sunk(&self, i: usize) -> f64 {
        let own_m = self.lifted_m[i];
        let sinks = self.is_brook(i) && self.slopes[i].rise > SINKING_RISE;
        let Some(to) = self.receiver(i).filter(|_| sinks) else { return own_m };
        let ground_m = self.ground_at_m(i, (self.sites[i].narrow_at, own_m));
        if ground_m < own_m { self.kept_up_m(i, ground_m).max(self.lifted_m[to]) } else { own_m }
    }

    /// A bed that is to sink, but not below what its hillslopes need to reach perched neighbours, in metres.
    fn kept_up_m(&self, i: usize, sunk_m: f64) -> f64 {
        let side = self.side_of_bed(i, sunk_m);
        let mut up_m = 0.0f64;
        self.each_perched(i, &side, |other, steepest| up_m = up_m.max(side.short_m(other, steepest)));
        (sunk_m + up_m).min(self.lifted_m[i])
    }

    /// Beds of a brook at [`KNOTS`] equal shares of the way to the receiver, between those of its ends: in the valley that it comes to
    /// it runs over the floor there.
    pub fn beds_along(&self, i: usize, (from_m, to_m): (f64, f64)) -> Option<[f64; KNOTS + 1]> {
        let to = self.receiver(i).filter(|_| self.is_brook(i))?;
        let (a, b) = (self.sites[i].narrow_at, self.sites[to].narrow_at);
        let main = self.sites[to].main;
        let above = (main != i as u32 && main != NONE).then_some((main as usize, to));
        let below = self.receiver(to).map(|next| (to, next));
        let mut beds = [from_m; KNOTS + 1];
        for k in 1..KNOTS {
            let t = k as f64 / KNOTS as f64;
            let even_m = from_m + t * (to_m - from_m);
            let valleys = above.into_iter().chain(below);
            let least_m = valleys.fold(even_m, |m, link| m.min(self.hillside_m(link, (i, a.lerp(b, t)), m)));
            beds[k] = least_m.clamp(to_m, beds[k - 1]);
        }
        beds[KNOTS] = to_m;
        Some(beds)
    }

    /// Whether a site is that of a small brook, where beds may lie lower than valleys have them.
    fn is_brook(&self, i: usize) -> bool {
        let size_m = self.detail.size_m;
        size_m < SINKING_M && self.sites[i].water.area_m2 < BROOK_PARTS * size_m * size_m
    }

    /// The lower of a bed of a site's brook at a place and the ground that hillslopes of other channels make there, in metres.
    fn ground_at_m(&self, i: usize, (place, bed_m): (Vec3, f64)) -> f64 {
        let mut least_m = bed_m;
        self.each_beside((i, BESIDE[0]), |n, to| {
            if self.lifted_m[n].min(self.lifted_m[to]) < least_m {
                least_m = self.hillside_m((n, to), (i, place), least_m).min(least_m);
            }
        });
        least_m
    }

    /// The bed at which a site's brook would run on the hillslope of a link, at a place, in metres; anything higher than `most_m` is as
    /// good.
    fn hillside_m(&self, (n, to): (usize, usize), (i, place): (usize, Vec3), most_m: f64) -> f64 {
        let (bed_m, far_m) = self.foot((n, to), place);
        let low_m = bed_m + self.sites[n].water.depth_m - self.sites[i].water.depth_m;
        if low_m >= most_m {
            return low_m;
        }
        let (rise, floor_m) = self.hillslope((n, to), i);
        let way_m = (far_m - floor_m).max(0.0);
        low_m + SAFE * rise * way_m * way_m / (way_m + toe_m(rise, self.detail.size_m))
    }

    /// The valley of a site of its own accord.
    pub fn slopes(&self, i: usize) -> &Slopes {
        &self.slopes[i]
    }

    /// The sides of the valley of the channel that leaves a site.
    fn side(&self, i: usize) -> Side {
        let site = &self.sites[i];
        let to = self.receiver(i).map_or(site, |to| &self.sites[to]);
        Side {
            at: (site.narrow_at, to.narrow_at),
            surface_m: (site.water.surface_m, to.water.surface_m),
            rise: self.slopes[i].rise,
            floor_m: self.slopes[i].floor_m,
            size_m: self.detail.size_m,
        }
    }

    /// The sites that drain to one.
    pub fn inflows(&self, i: usize) -> impl Iterator<Item = u32> + '_ {
        let drains = move |&n: &u32| n != NONE && self.sites[n as usize].receiver == i as u32;
        self.mesh.near[i].into_iter().filter(drains)
    }

    fn receiver(&self, i: usize) -> Option<usize> {
        let to = self.sites[i].receiver;
        (to != NONE).then_some(to as usize)
    }

    /// The gradient of hillslopes at a site, raised to reach what is perched nearby; each is found once.
    pub fn rise(&self, i: usize) -> f64 {
        let rise = self.rises[i].get().unwrap_or_else(|| self.raised(i));
        self.rises[i].set(Some(rise));
        rise
    }

    fn raised(&self, i: usize) -> f64 {
        let side = self.side_of_bed(i, self.sunk_m(i));
        let mut rise = side.rise;
        self.each_perched(i, &side, |other, steepest| rise = rise.max(side.perched(other).min(steepest)));
        rise
    }

    /// The sides of a valley whose bed lies elsewhere than it would of its own accord.
    fn side_of_bed(&self, i: usize, bed_m: f64) -> Side {
        let mut side = self.side(i);
        side.surface_m.0 -= self.lifted_m[i] - bed_m;
        side
    }

    /// Calls for each site nearby that may be perched over the sides of a site's valley, and the greatest gradient that it may ask for.
    fn each_perched(&self, i: usize, side: &Side, mut call: impl FnMut(&Drawn, f64)) {
        let large_m2 = PERCHED_PARTS * self.detail.size_m * self.detail.size_m;
        self.mesh.each_near(i, i64::from(PERCHED), |n| {
            let other = &self.sites[n];
            if n as u32 != self.sites[i].receiver && side.is_under(other) {
                call(other, if other.water.area_m2 >= large_m2 { STEEPEST } else { STEEP });
            }
        });
    }
}

/// The sides of a channel's valley: its ends, in metres, and the surfaces of its water there; the gradient of its hillslopes of their own
/// accord, half the width of its floor, and the spacing of sites.
struct Side {
    at: (Vec3, Vec3),
    surface_m: (f64, f64),
    rise: f64,
    floor_m: f64,
    size_m: f64,
}

impl Side {
    /// Whether a site may stand higher than the channel.
    fn is_under(&self, other: &Drawn) -> bool {
        other.water.surface_m + self.foot_m() > self.surface_m.0.min(self.surface_m.1)
    }

    /// The gradient of hillslopes that reach a site; negative where it lies lower.
    fn perched(&self, other: &Drawn) -> f64 {
        let (_, above_m, way_m) = self.way_to(other);
        above_m / way_m
    }

    /// By how much the upper end would have to stand higher for hillslopes no steeper than this to reach a site, in metres.
    fn short_m(&self, other: &Drawn, steepest: f64) -> f64 {
        let (t, above_m, way_m) = self.way_to(other);
        (above_m - steepest * way_m) / (1.0 - t).max(LEAST_SHARE)
    }

    /// Where along the channel a site's foot is, how far it shall stand above that, and how far from the floor it lies, in metres.
    fn way_to(&self, other: &Drawn) -> (f64, f64, f64) {
        let (t, squared) = nearest(other.narrow_at, self.at.0, self.at.1);
        let below_m = self.surface_m.0 + t * (self.surface_m.1 - self.surface_m.0);
        let above_m = other.water.surface_m + self.foot_m() - below_m;
        let way_m = NEARER * squared.sqrt();
        (t, above_m, (way_m - self.floor_m).max(LEAST_WAY * way_m) + 1.0)
    }

    /// By how much they shall stand over it, in metres.
    fn foot_m(&self) -> f64 {
        FOOT * self.size_m * self.rise
    }
}

/// So many rings around a rectangle of a level have a say in its channels.
pub(crate) fn rings<C: Coarse, G: Guides>(
    drainage: &Drainage<C, G>,
    (level, rect): (Level, Rect),
    size_m: f64,
) -> u32 {
    let waters = drainage.waters(level);
    let seen = mesh::widened(drainage.grid(), level, rect, SEEN);
    let is_wide =
        seen.into_iter().flat_map(|rect| rect.parts(level)).any(|part| is_wide(&waters(part), size_m));
    if is_wide { WIDE_RINGS } else { RINGS }
}

/// The sites of a mesh, which lie where plans say.
fn sites<C: Coarse, G: Guides>(drainage: &Drainage<C, G>, mesh: &Mesh) -> Vec<Drawn> {
    let level = mesh.level;
    let (spots, waters) = (drainage.spots(level), drainage.waters(level));
    let drawn = |(i, &part): (usize, &Part)| {
        let (spot, water) = (spots(part), waters(part));
        let receiver = match spot.receiver {
            NOWHERE => NONE,
            d => mesh.near[i][usize::from(d)],
        };
        Drawn { part, at: spot.at, narrow_at: spot.at, spot, water, receiver, main: NONE }
    };
    let mut sites: Vec<Drawn> = mesh.parts.iter().enumerate().map(drawn).collect();
    if level == Level(0) {
        see_land(&drainage.sites(), &mut sites);
    }
    sites
}

/// Whether a river is so wide beside the spacing of sites that it keeps fewer of its turns.
fn is_wide(water: &Water, size_m: f64) -> bool {
    channel_width_m(water.discharge_m3_s) > NARROW * size_m
}

/// Lets the world's cells see the land as the sites of deeper levels do.
fn see_land(placed: &impl Fn(Part) -> Placed, sites: &mut [Drawn]) {
    for site in sites.iter_mut().filter(|site| !site.spot.sea) {
        let aim = placed(site.part).aim;
        (site.spot.top_m, site.spot.rise, site.spot.ice) =
            (aim.top_m as f32, aim.rise as f32, aim.ice as f32);
    }
}

/// Finds the inflow of the greatest area of each site; of equal ones the first by its address.
fn find_main_inflows(sites: &mut [Drawn]) {
    let is_greater = |a: &Drawn, b: &Drawn| {
        a.water.area_m2.total_cmp(&b.water.area_m2).then_with(|| b.part.cmp(&a.part)).is_gt()
    };
    for i in 0..sites.len() {
        if sites[i].receiver != NONE {
            let to = sites[i].receiver as usize;
            let best = sites[to].main;
            if best == NONE || is_greater(&sites[i], &sites[best as usize]) {
                sites[to].main = i as u32;
            }
        }
    }
}

/// Moves sites that have both towards the middle between receiver and main inflow.
fn smooth(grid: &Topology, size_m: f64, sites: &mut [Drawn]) {
    /// A site that moves, and the middle of its part.
    struct Moving(usize, Vec3);
    let scale = grid.metres_per_unit();
    let moving = |(i, site): (usize, &Drawn)| {
        let middle = || grid.within_part(site.part, 0.5, 0.5) * scale;
        let moves = site.receiver != NONE && site.main != NONE;
        moves.then(|| Moving(i, middle()))
    };
    let mut moving: Vec<Moving> = sites.iter().enumerate().filter_map(moving).collect();
    let mut moved = Vec::with_capacity(moving.len());
    let mut round = |moving: &[Moving], sites: &mut [Drawn]| {
        let to = |&Moving(i, middle): &Moving| {
            let Drawn { at, receiver, main, ref spot, .. } = sites[i];
            let target = (sites[receiver as usize].at + sites[main as usize].at) * 0.5;
            great::smoothed(spot, at.lerp(target, 0.5), middle, size_m)
        };
        moved.clear();
        moved.extend(moving.iter().map(to));
        moving.iter().zip(&moved).for_each(|(&Moving(i, ..), at)| sites[i].at = *at);
    };
    (0..NARROW_SMOOTHINGS).for_each(|_| round(&moving, sites));
    sites.iter_mut().for_each(|site| site.narrow_at = site.at);
    moving.retain(|&Moving(i, _)| is_wide(&sites[i].water, size_m));
    (NARROW_SMOOTHINGS..SMOOTHINGS).for_each(|_| round(&moving, sites));
}
