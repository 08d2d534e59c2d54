//! Mouths of rivers: deltas that build the coast out, estuaries that the tide keeps open.
//!
//! A delta pushes the coast out around the middle between the river's last cell and the sea, by up to its radius, before
//! noise breaks it up into lobes. An estuary drowns the river's valley, as deep as the tide and the river ask for, so that
//! it is a funnel as wide as the valley, and rises inland with its bed. Neglects: the arms of deltas, mud flats.

use crate::curve::nearest;
use crate::patch::Patch;
use crate::primitives::Ball;
use grid::{Grid, Vec3, math};
use world::Mouth;

/// A mouth with a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    is_delta: bool,
    /// From the middle of the last cell to that of the sea's.
    ends_m: (Vec3, Vec3),
    radius_m: f64,
    /// How far the coast moves out, in cells, or how deep the valley is drowned, in metres.
    strength: f64,
}

/// Radius in cells: of a mouth of 100 m3/s and what ten times as much adds.
const RADIUS_CELLS: (f64, f64) = (0.45, 0.3);
const LEAST_DISCHARGE_M3_S: f64 = 30.0;
/// How far out a delta of that radius moves the coast, as a share of it.
const BUILT: f64 = 1.1;
/// Depth to which an estuary drowns its valley, beside the tide's range: in metres, for each factor of ten of discharge.
const OPENED_M: f64 = 3.0;

impl Shape {
    /// The shape of a mouth whose cell and receiver are in the patch.
    pub fn of(patch: &Patch, mouth: &Mouth) -> Option<Self> {
        let (_, sea) = patch.receiver(mouth.cell)?;
        patch.get(sea).filter(|s| !s.is_land())?;
        let size = math::log10(mouth.discharge_m3_s.max(LEAST_DISCHARGE_M3_S));
        let radius = RADIUS_CELLS.0 + RADIUS_CELLS.1 * (size - 2.0);
        let strength = if mouth.is_delta { BUILT * radius } else { mouth.tide_m + OPENED_M * size };
        let ends_m = (patch.center_m(mouth.cell), patch.center_m(sea));
        Some(Self { is_delta: mouth.is_delta, ends_m, radius_m: radius * patch.grid.cell_m(), strength })
    }

    pub fn meets(&self, ball: &Ball) -> bool {
        let reach = self.radius_m + ball.radius_m;
        nearest(ball.center, self.ends_m.0, self.ends_m.1).1 < reach * reach
    }

    /// The share of its strength at a place.
    fn share(&self, q: Vec3) -> f64 {
        let (a, b) = self.ends_m;
        let d2 = if self.is_delta { (q - a.lerp(b, 0.6)).length_squared() } else { nearest(q, a, b).1 };
        let left = (1.0 - d2 / (self.radius_m * self.radius_m)).max(0.0);
        left * left
    }
}

/// How far deltas push the coast out at a place, in cells.
pub(super) fn built(mouths: &[&Shape], q: Vec3) -> f64 {
    mouths.iter().filter(|m| m.is_delta).map(|m| m.strength * m.share(q)).fold(0.0, f64::max)
}

/// How deep estuaries drown valleys at a place, in metres.
pub(super) fn opened_m(mouths: &[&Shape], q: Vec3) -> f64 {
    mouths.iter().filter(|m| !m.is_delta).map(|m| m.strength * m.share(q)).fold(0.0, f64::max)
}
