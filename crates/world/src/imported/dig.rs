//! Gorges that are narrower than a cell, and rivers that are to be kept.
//!
//! In cells of tens of kilometres many a river's way out is closed: the Iron Gates and the Three Gorges are narrower than
//! a sample. So the way of the water is found on the heights of the valleys, mountains and all: out of each pit it is the
//! one of the least digging ([`crate::given::breach`]). What no such way drains, a flood from the sea does over the lowest
//! passes ([`hydro::flood()`]): along the way no cell may be higher than the one before it, less a step. A hollow deeper than `import.breach_m` is a basin of its own, its lowest cell an end, and
//! so is ground far below the sea's level: whether a lake stands there, and whether it overflows, is left to the climate.
//!
//! The mountain-free map then lies on the envelope, but never above the floors of cells, cut as deep as the valleys and until they fall
//! along their water, nor below where that goes:
//!
//! ```text
//! base = min(floor - cut, max(envelope, base of the receiver + step))
//! ```
//!
//! so that taking the mountains away moves no divide by more than a cell. Links between neighbours go by their heights, and
//! the base has others than the valleys: pits that come of it are dug out of the base in the same way.
//!
//! A river that is given is laid before that, and again into the finished base ([`crate::given`]).

use crate::given::breach;
use crate::given::rivers::{self, STEP_M};
use crate::recipe::Import;
use crate::water::wander::{self, Wander};
use grid::{Cell, Field, Grid, Topology};
use hydro::{Depressions, Flow, Links};

/// Ground as low as this, in metres, is a basin that no cut drains.
const BASIN_M: f32 = -20.0;
/// Valleys with all dams cut, and where their water goes.
pub(super) struct Cut {
    /// How deep they were cut, in metres.
    cut_m: Field<f32>,
    flow: Flow,
    /// Where water may end: the sea, the border, deep basins.
    ends: Field<bool>,
    wander: Option<Wander>,
}

/// Cuts the valleys (metres; the floor at sea). `kept`: cells of rivers from their heads down. At sea nothing changes.
/// Cost: two floods of the grid, and a search around each pit.
pub(super) fn cut(
    grid: &Topology,
    land: &Field<f32>,
    mut valley_m: Field<f32>,
    kept: &[Vec<Cell>],
    (params, wander): (&Import, Option<Wander>),
) -> Cut {
    let uncut_m = valley_m.clone();
    rivers::keep(grid, land, &mut valley_m, kept);
    let links = Links::planar(grid, &valley_m);
    let mut ends =
        Field::from_fn(grid.shape(), |c| land[c] <= 0.0 || valley_m[c] <= BASIN_M || grid.at_border(c));
    let flood = hydro::flood(grid, &links, &valley_m, |c| ends[c]);
    let hollows = Depressions::of(grid, &links, &valley_m, &flood);
    for hollow in hollows.iter().filter(|h| f64::from(h.spill_m - h.pit_m) > params.breach_m) {
        ends[hollow.pit] = true;
    }
    drop(hollows);
    breach::breach(grid, &mut valley_m, &|c| ends[c], wander.as_ref());
    let links = wander::links(grid, &valley_m, wander.as_ref());
    let flood = hydro::flood(grid, &links, &valley_m, |c| ends[c]);
    let flow = Flow::from_receivers(grid, wander::receivers(grid, &links, &flood, wander.as_ref()))
        .expect("level and way left fall along receivers");
    fall(grid, land, (&flow, &ends), &mut valley_m);
    let cut_m = Field::from_fn(grid.shape(), |c| uncut_m[c] - valley_m[c]);
    Cut { cut_m, flow, ends, wander }
}

/// Lowers ground until water falls along its way from cell to cell.
fn fall(grid: &Topology, land: &Field<f32>, (flow, ends): (&Flow, &Field<bool>), ground_m: &mut Field<f32>) {
    for &cell in flow.order().iter().rev() {
        if let Some(below) = flow.receiver_of(grid, cell).filter(|&r| land[r] > 0.0 && !ends[r]) {
            // flat coasts stay above the sea
            let most_m = (ground_m[cell] - STEP_M).max(STEP_M);
            ground_m[below] = ground_m[below].min(most_m);
        }
    }
}

impl Cut {
    /// The mountain-free map, by the floors of cells before the cuts and the envelope of the land (metres).
    pub fn under(
        self,
        grid: &Topology,
        land: &Field<f32>,
        (floor_m, mut envelope_m): (&Field<f32>, Field<f32>),
    ) -> Field<f32> {
        let mut floor_m = Field::from_fn(grid.shape(), |c| floor_m[c] - self.cut_m[c]);
        fall(grid, land, (&self.flow, &self.ends), &mut floor_m);
        for &cell in self.flow.order().iter().filter(|&&c| land[c] > 0.0) {
            let below = self.flow.receiver_of(grid, cell).filter(|&r| land[r] > 0.0);
            let least_m = below.map_or(f32::NEG_INFINITY, |r| envelope_m[r] + STEP_M);
            envelope_m[cell] = floor_m[cell].min(envelope_m[cell].max(least_m));
        }
        breach::breach(grid, &mut envelope_m, &|c| self.ends[c], self.wander.as_ref());
        envelope_m
    }
}
