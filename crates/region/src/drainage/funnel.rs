//! Funnels: rivers that the tide comes up widen towards the sea.
//!
//! Water that comes in with the tide goes out again, the more the nearer to the sea, so the channels of alluvial
//! estuaries are wider there (Savenije 2005). A river's own width is multiplied by
//!
//! ```text
//! 1 + (most - 1) (1 - d)^2      most = 1 + 0.6 per metre of tide, at most 5      d: from half a cell off the middle of the
//!                                                                               sea's cell (0) to two cells off (1)
//! ```
//!
//! It is a function of the place alone, so it is the same at every level. Neglects: that funnels narrow evenly along
//! the river, not by the distance from the sea; depth.

use crate::bend::Bend;
use crate::patch::Patch;
use grid::{Grid, Topology, Vec3};
use world::{Mouth, channel_width_m};

/// How much wider a river is at the sea for each metre of tide, and at most.
const PER_TIDE_M: f64 = 0.6;
const MOST: f64 = 5.0;
/// No funnel is wider than this, in cells.
const WIDEST_CELLS: f64 = 0.2;
/// Distances from the middle of the sea's cell, in cells, up to which a funnel is as wide as at the sea, and from which on there is none.
const SEAWARD_CELLS: f64 = 0.5;
const INLAND_CELLS: f64 = 2.0;
/// Whatever lies in cells so many rings around the river's last may see its funnel.
pub(crate) const RINGS: usize = 4;
/// Rivers of at least this share of the discharge at the mouth are the river itself.
const OWN_RIVER: f64 = 0.5;

/// The funnel of one mouth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Funnel {
    /// Middle of the sea's cell in plain space, in metres.
    end_m: Vec3,
    most: f64,
    least_m3_s: f64,
    cell_m: f64,
}

/// How many times as wide as its discharge says the river of a mouth is at the sea: 1 that of a delta.
pub(crate) fn most(grid: &Topology, mouth: &Mouth) -> f64 {
    if mouth.is_delta {
        return 1.0;
    }
    let widest = WIDEST_CELLS * grid.cell_m() / channel_width_m(mouth.discharge_m3_s).max(1.0);
    (1.0 + PER_TIDE_M * mouth.tide_m).min(MOST).min(widest).max(1.0)
}

impl Funnel {
    /// The funnel of a mouth whose cell and receiver are in the patch, if it has one.
    pub fn of((patch, bend): (&Patch, &Bend), mouth: &Mouth) -> Option<Self> {
        let most = most(patch.grid, mouth);
        let (_, sea) = patch.receiver(mouth.cell)?;
        patch.get(sea).filter(|s| !s.is_land() && most > 1.0)?;
        let end_m = bend.unbend(patch.grid.on_surface_m(patch.center_m(sea)));
        Some(Self { end_m, most, least_m3_s: OWN_RIVER * mouth.discharge_m3_s, cell_m: patch.grid.cell_m() })
    }

    /// How many times as wide as its discharge says a river is so far from the end, in metres.
    fn wider(&self, off_m: f64) -> f64 {
        let off_cells = off_m / self.cell_m;
        let inland = ((off_cells - SEAWARD_CELLS) / (INLAND_CELLS - SEAWARD_CELLS)).clamp(0.0, 1.0);
        1.0 + (self.most - 1.0) * (1.0 - inland) * (1.0 - inland)
    }
}

/// How many times as wide a river of a discharge is at a place, by all funnels.
pub(super) fn wider(funnels: &[Funnel], place: Vec3, discharge_m3_s: f64) -> f64 {
    let own = funnels.iter().filter(|funnel| discharge_m3_s >= funnel.least_m3_s);
    own.map(|funnel| funnel.wider(place.distance(funnel.end_m))).fold(1.0, f64::max)
}

/// How many times as wide rivers are at most within so many metres of a place in plain space.
pub(crate) fn widest(funnels: &[Funnel], place: Vec3, within_m: f64) -> f64 {
    let nearest_m = |funnel: &Funnel| (place.distance(funnel.end_m) - within_m).max(0.0);
    funnels.iter().map(|funnel| funnel.wider(nearest_m(funnel))).fold(1.0, f64::max)
}
