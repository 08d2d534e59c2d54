//! Drainage through the levels: the same rivers, wherever one looks and however closely.
//!
//! Each level has a *site* in every part of a cell (see [`grid::Part`]), jittered off its middle. Water runs from site
//! to neighbouring site: a planar tree. From one level to the next
//!
//! - every link from a site P to its receiver D is carried on by one link from a child of P to a child of D (its
//!   *exit*), so that a river leaves a cell by the same side at every level (module [`plan`]);
//! - the children that carry P's water on, and that of those upstream of it, are its *trunk*, and lie in its own part;
//!   all others join a trunk, of P or of another, by the way that costs least: so basins nest, but with irregular
//!   borders;
//! - drained area and discharge of P are shared among the children that drain to its trunk; what comes in from upstream
//!   comes in exactly (module [`flow`]);
//! - the bed at the exit is P's, beds along the trunk fall from every inflow to it, and the others climb towards the
//!   land that the [`Guide`] describes.
//!
//! Sites, plans and the waters of the basins of parents are functions of their address ([`levels`]): a plan is that of the
//! whole level, whatever piece of it is looked at ([`spread`]), so that no request can change a bit. What is drawn in the end
//! are straight pieces of channel ([`channels`]).
//!
//! The idea of drainage basins that nest from level to level follows our own experiments; Genevaux et al. (2013)
//! build terrain from a river network too, without levels. Area and slope: Flint (1974).

pub(crate) mod ahead;
pub(crate) mod block;
pub(crate) mod channels;
pub(crate) mod coarse;
mod crests;
pub(crate) mod flow;
pub(crate) mod funnel;
pub(crate) mod great;
pub(crate) mod guide;
pub(crate) mod heights;
pub(crate) mod levels;
pub(crate) mod meander;
pub(crate) mod mesh;
pub(crate) mod owner;
mod passage;
mod plain;
pub(crate) mod plan;
mod shelf;
mod spread;
pub(crate) mod surroundings;
pub(crate) mod trunk;
pub(crate) mod valley;
mod ways;

#[cfg(test)]
mod tests;

pub(crate) use guide::{Aim, Guide};
pub(crate) use plan::{Apex, Division};

use grid::Level;

/// Sites that are drawn lie at least so many samples apart, but for cells, the first of them: where samples are farther apart
/// than that, they show the same land as if they were not.
pub(crate) const SAMPLES_PER_SITE: f64 = 3.4;

/// Samples lie at most so many cells apart where they are drawn from channels.
const CELLS_PER_SAMPLE: f64 = 1.2;
/// The deepest level of channels: 78 m where cells have 20 km.
const DEEPEST: Level = Level(8);

/// The level whose channels are drawn for a spacing of samples; none where cells of such a width are too small for that, and the
/// method `drainage` draws as `classic` does.
pub(crate) fn drawn_level(cell_m: f64, spacing_m: f64) -> Option<Level> {
    let fits = |l: &Level| l.size(cell_m) >= SAMPLES_PER_SITE * spacing_m;
    let of_cells = (spacing_m <= CELLS_PER_SAMPLE * cell_m).then_some(Level(0));
    (1..=DEEPEST.0).rev().map(Level).find(fits).or(of_cells)
}
