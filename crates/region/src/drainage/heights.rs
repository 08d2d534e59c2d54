//! Heights: how high the water runs.
//!
//! The surface at an exit is the parent's, but hangs over no river that the parent leads to ([`held_m`]). Along a trunk it
//! rises from there to every inflow, in proportion to `chi = sum of ds A^-theta` (Perron & Royden 2013): of all inflows
//! above a site the one that is reached at the least gradient decides, so that each is met from below. Any other site
//! stands above its receiver by
//!
//! `dz = x^2 / (x + r)`, `x = top - z(receiver)`, `r = k rise sqrt(A)`:
//!
//! far below the tops it keeps below them by the relief `r` of a valley that drains its area A, and where tops are near it
//! hardly climbs; never less than [`LEAST`] of the way, and no more than [`GULLY`] of what hillslopes climb. The rivers of the
//! level above around it bound all that ([`Bounds`]).

use super::flow::{Sites, Water};
use super::mesh::NONE;
use super::plan::Spot;
use grid::math;

/// Exponent of area in the slope of channels (concavity); Earth's median is 0.42 (Gailleton et al. 2021).
pub(crate) const CONCAVITY: f64 = 0.45;
/// Relief of a valley over the side of its area at the hillslopes' gradient.
const RELIEF: f64 = 1.15;
/// Least gradient of a stream off the trunks.
const LEAST: f64 = 2e-5;
/// Greatest gradient of a stream off the trunks over that of the hillslopes. A gully starts about a spacing from its trunk,
/// where the level above has its divide; between gullies a hillslope climbs half a spacing more. So at a half crests, and
/// the mean of the ground, would be as high as without gullies; the rest makes up for exits that are held.
const GULLY: f64 = 0.53;
/// An exit stands no higher over the river that its parent leads to than where a hillslope of this share of the land's
/// gradient climbs over a spacing. Ways to a river are half as long at every level: exits that kept their height would hang
/// over it, and no brook would reach the walls beside it.
const HANGING: f64 = 1.1;
/// However gentle the land is, it may climb as steeply as this.
const HANGING_RISE: f64 = 0.25;
/// Over brooks exits may hang: so many times as high as over rivers. Held there as well they would lower the land by
/// 20 m a level.
const OVER_BROOKS: f64 = 2.0;
/// Brooks drain so many sites, as powers of two, and rivers so many.
const BROOK_TO_RIVER: (f64, f64) = (4.0, 8.0);
/// A site off the trunks stands no higher than where a hillslope of this share of the land's gradient climbs from a river of the
/// level above around its parent. Without this and [`RAISED`], rivers on two sides of a divide would differ in height by as
/// much at each level, and the divide would be a wall, the steeper the closer one looks.
const HELD: f64 = 1.0;
/// Nor lower than where a hillslope of this share falls from one of them, as far as a stream as steep as hillslopes takes it
/// there.
const RAISED: f64 = 0.5;
/// On a floodplain the land falls by no less than this from what stands higher beside it: with the gentle slopes of the plain itself it would
/// be as high as that up to the river, which would run in a trench.
const BLUFF: f64 = 0.08;
/// There water climbs as steeply as this up to what bounds it below, however gentle hillslopes are.
const FILLED: f64 = 0.15;
/// Beside great rivers the ground is level for so many times the root of their area.
const BOTTOM: f64 = 0.01;
/// Such bottoms end where hillslopes are steeper than this.
const BOTTOM_RISE: f64 = 0.15;

/// Puts surfaces into waters whose areas are known.
pub(super) fn surfaces(
    sites: &Sites,
    over: &[Water],
    size_m: f64,
    mut bounds: impl FnMut(usize) -> Bounds,
    waters: &mut [Water],
) {
    let runs = runs(sites, waters);
    let inflows = inflows(sites, over, &runs, waters);
    for i in 0..sites.len() {
        let to = sites.of_number(i).receiver;
        waters[i].surface_m = if sites.of_number(i).exit {
            over[sites.of_number(i).parent as usize].surface_m
        } else if to == NONE {
            SEA_LEVEL_M
        } else {
            let (to, below) = (to as usize, waters[to as usize]);
            let way_m = sites.of_number(i).spot.at.distance(sites.of_number(to).spot.at);
            let own = inflows.iter().filter(|inflow| inflow.site == i as u32);
            let gradient = own
                .map(|&Inflow { surface_m, at, .. }| (surface_m - below.surface_m) / (at - runs[to].chi))
                .fold(f64::INFINITY, f64::min);
            if runs[i].drowned {
                below.surface_m
            } else if gradient.is_finite() {
                below.surface_m + gradient.max(0.0) * (runs[i].chi - runs[to].chi)
            } else {
                let site = (&sites.of_number(i).spot, waters[i].area_m2);
                below.surface_m + climb(site, &below, (way_m, size_m), &bounds(i))
            }
        };
    }
}

/// Where a creek meets the sea.
const SEA_LEVEL_M: f64 = 0.0;

/// Heights in metres between which a site stands as far as ways allow it.
pub(super) struct Bounds {
    least_m: f64,
    most_m: f64,
}

impl Bounds {
    /// What rivers around leave for a site: each by its surface, and by how far it lies from there, in metres.
    pub fn around(site: &Spot, rivers: impl Iterator<Item = (f64, f64)>) -> Self {
        let (rise, plain) = (f64::from(site.rise), f64::from(site.plain.share));
        let (down, up) = ((RAISED * rise).max(BLUFF * plain), HELD * rise);
        let free = Self { least_m: f64::NEG_INFINITY, most_m: f64::INFINITY };
        rivers.fold(free, |bounds, (surface_m, off_m)| Self {
            least_m: bounds.least_m.max(surface_m - down * off_m),
            most_m: bounds.most_m.min(surface_m + up * off_m),
        })
    }
}

/// How high the water runs at the exit of a parent, where sites lie so far apart; `own_m` is the parent's surface, `below`
/// what the parent leads to. In metres, and between these two, so that no bed rises.
pub(super) fn held_m(exit: &Spot, own_m: f64, below: &Water, size_m: f64) -> f64 {
    let sites = math::log2(below.area_m2.max(1.0) / (size_m * size_m));
    let river = math::smoothstep(BROOK_TO_RIVER.0, BROOK_TO_RIVER.1, sites);
    let steepest =
        HANGING * f64::from(exit.rise).max(HANGING_RISE) * (OVER_BROOKS + (1.0 - OVER_BROOKS) * river);
    own_m.min(below.surface_m + steepest * size_m)
}

/// How much higher than its receiver a site off the trunk stands that drains so much, in metres.
fn climb((spot, area_m2): (&Spot, f64), below: &Water, (way_m, size_m): (f64, f64), bounds: &Bounds) -> f64 {
    let (top_m, rise) = (f64::from(spot.top_m), f64::from(spot.rise));
    let room_m = (top_m - below.surface_m).max(0.0);
    let relief_m = RELIEF * rise * area_m2.max(size_m * size_m).sqrt() + 0.1;
    let bottom_m = (BOTTOM * below.area_m2.max(0.0).sqrt()).min(2.0 * size_m);
    let dry = math::smoothstep(0.5 * bottom_m, bottom_m + 1.0, way_m).max(math::smoothstep(
        0.3 * BOTTOM_RISE,
        BOTTOM_RISE,
        rise,
    ));
    let free_m = room_m * room_m / (room_m + relief_m) * dry;
    let filled = rise.max(FILLED * f64::from(spot.plain.share));
    let raised_m = (bounds.least_m - below.surface_m).min(filled * way_m) * dry;
    let held_m = free_m.min(GULLY * rise * way_m).min(bounds.most_m - below.surface_m);
    held_m.max(LEAST * way_m).max(raised_m)
}

/// About the same before areas are known: how far a stream climbs over a way, between sites so far apart, to a place with so
/// much room up to the tops; all in metres.
pub(super) fn gully_m(room_m: f64, rise: f64, (way_m, size_m): (f64, f64)) -> f64 {
    let (room_m, relief_m) = (room_m.max(0.0), RELIEF * rise * size_m + 0.1);
    (room_m * room_m / (room_m + relief_m)).min(GULLY * rise * way_m).max(LEAST * way_m)
}

/// How the river of a site runs.
struct Run {
    /// Distance up from the exit of the parent, weighted by the steepness that areas ask for.
    chi: f64,
    /// Whether it is on a trunk and the sea covers it, or any site above: from there on a river is level as far as the exit. Else it would
    /// cross the bays of a cell of the sea at the height at which it left the land, and end hanging over the shore.
    drowned: bool,
}

fn runs(sites: &Sites, waters: &[Water]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::with_capacity(sites.len());
    for (i, water) in waters.iter().enumerate() {
        let site = sites.of_number(i);
        let chi = match site.receiver {
            to if to == NONE || site.exit => 0.0,
            to => runs[to as usize].chi + step(sites, i, to as usize, water.area_m2),
        };
        runs.push(Run { chi, drowned: site.spot.trunk && site.spot.sea });
    }
    for i in (0..sites.len()).rev().filter(|&i| !sites.of_number(i).exit) {
        let to = sites.of_number(i).receiver;
        if runs[i].drowned && to != NONE {
            runs[to as usize].drowned = true;
        }
    }
    runs
}

fn step(sites: &Sites, i: usize, to: usize, area_m2: f64) -> f64 {
    sites.of_number(i).spot.at.distance(sites.of_number(to).spot.at) * math::pow(area_m2.max(1.0), -CONCAVITY)
}

/// A river of another parent that passes a site: its surface, and where on the scale of chi it enters.
struct Inflow {
    site: u32,
    surface_m: f64,
    at: f64,
}

/// The inflows of all sites that they pass; there are few.
fn inflows(sites: &Sites, over: &[Water], runs: &[Run], waters: &[Water]) -> Vec<Inflow> {
    let mut passing = Vec::new();
    for i in (0..sites.len()).rev().filter(|&i| sites.of_number(i).exit) {
        let mut site = sites.of_number(i).receiver;
        if site == NONE {
            continue;
        }
        let surface_m = over[sites.of_number(i).parent as usize].surface_m;
        let at = runs[site as usize].chi + step(sites, i, site as usize, waters[i].area_m2);
        while site != NONE {
            passing.push(Inflow { site, surface_m, at });
            site = sites.of_number(site as usize).receiver;
        }
    }
    passing
}
