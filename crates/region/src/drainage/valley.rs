//! Valleys of a level: how they stand for all that deeper levels would show between them.

use super::SAMPLES_PER_SITE;
use super::surroundings::Drawn;
use grid::math;

/// How the valleys of a level are shaped so that they stand for those of deeper levels too.
#[derive(Clone, Copy)]
pub(super) struct Detail {
    /// Spacing of sites.
    pub size_m: f64,
    /// Spacing of the samples that show them, or the widest for which they make room.
    pub spacing_m: f64,
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

/// Rivers that drain so many sites keep their beds where they are.
const LARGE: f64 = 4.0;

/// To the tops (small, large), ice, lift and greatest lift where sites lie [`FINEST_M`] apart or less, and for every
/// doubling from there on. Fitted so that the mean height of mountains is what it is at 90 m a sample, in windows of
/// 92 km in six worlds, under the ceiling of the land (`terrain/ceiling.rs`). In what a coarse level shows as the valley of a
/// large river, deeper ones show brooks and ridges: there hillslopes climb faster.
///
/// The sixth is by how much steeper hillslopes are for every spacing of sites by which samples lie farther apart than
/// [`LEAST_SPACING`]: beds are wider then, which would lower the land.
///
/// The last is by how much gentler they are where cells are far larger than [`USUAL_CELL_M`], half of it where they are twice
/// as large: more levels lie above such sites then.
const DETAIL: [[f64; 7]; 8] = [
    [2.05, 1.6, 0.0, 0.92, 1.0, 1.0, 0.0],
    [1.9, 1.6, 0.0, 0.8, 1.0, 1.0, 0.0],
    [1.65, 1.6, 0.0, 0.59, 1.0, 1.0, 0.0],
    [1.5, 1.52, 0.0, 0.52, 1.0, 1.0, 0.2],
    [1.345, 1.90, 0.1, 0.495, 1.0, 1.0, 0.3],
    [0.93, 2.67, 0.08, 0.45, 1.0, 1.2, 0.1],
    [0.985, 2.95, 0.06, 0.39, 1.0, 1.05, 0.02],
    [0.965, 3.45, 0.04, 0.5, 0.92, 1.3, 0.07],
];
/// Width of the cells that the other columns were fitted for, in metres.
const USUAL_CELL_M: f64 = 18e3;
/// Samples in spacings of sites where the next level of sites is about to be drawn.
const LEAST_SPACING: f64 = 0.16;
/// Spacing of sites of the first line, in metres.
const FINEST_M: f64 = 141.0;

/// Half width of the valley floor over the root of the drained area, where hillslopes are gentle.
const FLOOR: f64 = 0.012;
/// Greatest half width of a floor that no river is as wide as, in spacings of sites.
pub(crate) const WIDEST_FLOOR: f64 = 1.2;

/// Sides of troughs keep something of the V they were: with none of it no gully would reach down them.
const MOST_TROUGH: f64 = 0.6;
/// How wide floors of troughs are, beside those of gentle land.
const WORN: f64 = 0.4;
/// Valleys that drain less than this, in m2, or than one site, are no troughs; those that drain so many times twice as
/// much are.
const TROUGH_M2: f64 = 2e6;
const TROUGH_DOUBLINGS: f64 = 5.0;

impl Detail {
    /// Between sites so far apart, as samples `spacing_m` apart show it, in a world of cells so wide.
    pub fn of(size_m: f64, spacing_m: f64, cell_m: f64) -> Self {
        let spacing_m = spacing_m.min(size_m / SAMPLES_PER_SITE);
        let coarser = math::log2(size_m / FINEST_M).clamp(0.0, (DETAIL.len() - 1) as f64);
        let (finer, share) = (coarser.floor() as usize, coarser.fract());
        let (a, b) = (DETAIL[finer], DETAIL[(finer + 1).min(DETAIL.len() - 1)]);
        let [small, large, icy, lift, most_lift, wide, deep] =
            std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share);
        let gentler = deep * (1.0 - USUAL_CELL_M / cell_m.max(USUAL_CELL_M));
        let steeper = (1.0 + wide * (spacing_m / size_m - LEAST_SPACING)) * (1.0 - gentler);
        Self { size_m, spacing_m, to_tops: (small * steeper, large * steeper), icy, lift, most_lift }
    }

    /// 1 at the smallest gullies, 0 at rivers that drain [`LARGE`] sites or more.
    fn smallness(&self, site: &Drawn) -> f64 {
        (1.0 - site.water.area_m2 / (LARGE * self.size_m * self.size_m)).max(0.0)
    }

    /// By how much a bed lies higher beside hillslopes of such a gradient: gullies are shallower the smaller they are, so that they
    /// fade where the next level would begin.
    pub fn lift_m(&self, site: &Drawn, rise: f64) -> f64 {
        let most_m = self.most_lift * room_m(site);
        (self.lift * rise * self.size_m).min(most_m) * self.smallness(site)
    }

    /// The gradient of hillslopes at a site: the land's, but no more than reaches its tops where the next valley is near.
    pub fn rise(&self, site: &Drawn) -> f64 {
        let (small, large) = self.to_tops;
        let by_area = large + (small - large) * self.smallness(site);
        let to_tops = by_area * (1.0 + self.icy * f64::from(site.spot.ice));
        f64::from(site.spot.rise).min(to_tops * room_m(site) / self.size_m)
    }

    /// How much a valley is a trough of ice: glaciers gather in large valleys, and leave small ones to water.
    pub fn trough(&self, site: &Drawn) -> f64 {
        let least_m2 = TROUGH_M2.max(self.size_m * self.size_m);
        let doublings = math::log2(site.water.area_m2.max(1.0) / least_m2);
        MOST_TROUGH * f64::from(site.spot.ice) * math::smoothstep(0.0, TROUGH_DOUBLINGS, doublings)
    }

    /// Half width of the flat floor of a valley: water fills it where the land is gentle, ice wears it down where it was.
    pub fn floor_m(&self, site: &Drawn) -> f64 {
        let gentle = math::smoothstep(0.5, 0.05, f64::from(site.spot.rise));
        let worn = gentle.max(WORN * self.trough(site));
        let free_m = FLOOR * site.water.area_m2.max(0.0).sqrt() * (0.15 + 1.5 * worn);
        free_m.min(WIDEST_FLOOR * self.size_m)
    }
}

/// From the water of a site up to the tops.
fn room_m(site: &Drawn) -> f64 {
    (f64::from(site.spot.top_m) - site.water.surface_m).max(LEAST_ROOM_M)
}

/// Tops stand at least so high over a channel, in metres.
const LEAST_ROOM_M: f64 = 1.5;
