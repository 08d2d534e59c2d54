//! Estuaries: mouths of rivers that the tide keeps open.
//!
//! An estuary drowns the river's valley and the lowest of the creeks beside, as deep as the tide and the river ask for; the river
//! itself widens by [`crate::drainage::funnel`]. Neglects: mud flats.

use crate::curve::nearest;
use crate::patch::Patch;
use crate::primitives::Ball;
use grid::{Grid, Vec3, math};
use world::Mouth;

/// The funnel of a river.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estuary {
    /// From the middle of the last cell to that of the sea's.
    ends_m: (Vec3, Vec3),
    radius_m: f64,
    /// How deep the valley is drowned, in metres.
    deep_m: f64,
}

/// Radius in cells: of a mouth of 100 m3/s and what ten times as much adds.
const RADIUS_CELLS: (f64, f64) = (0.45, 0.3);
const LEAST_DISCHARGE_M3_S: f64 = 30.0;
/// Depth to which an estuary drowns its valley: as a share of the tide's range, and in metres for each factor of ten of discharge.
const DROWNED: f64 = 0.5;
const OPENED_M: f64 = 1.5;
/// The share of it at the inland end. As deep there as at the sea, where the land has less to drown, other valleys that begin
/// beside the river would fall towards that end, away from the sea.
const INLAND: f64 = 0.3;

impl Estuary {
    /// The estuary of a mouth whose cell and receiver are in the patch.
    pub fn of(patch: &Patch, mouth: &Mouth) -> Option<Self> {
        let (_, sea) = patch.receiver(mouth.cell)?;
        patch.get(sea).filter(|s| !mouth.is_delta && !s.is_land())?;
        let size = math::log10(mouth.discharge_m3_s.max(LEAST_DISCHARGE_M3_S));
        let radius = RADIUS_CELLS.0 + RADIUS_CELLS.1 * (size - 2.0);
        let ends_m = (patch.center_m(mouth.cell), patch.center_m(sea));
        let deep_m = DROWNED * mouth.tide_m + OPENED_M * size;
        Some(Self { ends_m, radius_m: radius * patch.grid.cell_m(), deep_m })
    }

    pub fn meets(&self, ball: &Ball) -> bool {
        let reach = self.radius_m + ball.radius_m;
        nearest(ball.center, self.ends_m.0, self.ends_m.1).1 < reach * reach
    }

    /// The share of its depth at a place.
    fn share(&self, q: Vec3) -> f64 {
        let (t, d2) = nearest(q, self.ends_m.0, self.ends_m.1);
        let left = (1.0 - d2 / (self.radius_m * self.radius_m)).max(0.0);
        math::mix(INLAND, 1.0, t) * left * left
    }
}

/// How deep estuaries drown valleys at a place, in metres.
pub(super) fn opened_m(estuaries: &[&Estuary], q: Vec3) -> f64 {
    estuaries.iter().map(|of| of.deep_m * of.share(q)).fold(0.0, f64::max)
}
