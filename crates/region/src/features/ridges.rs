//! Ridges: for each bit of the cell's ridge byte a spline from the border to the junction.
//!
//! N, E, S and W ridges come in at a point of the side that the edge draws, the others at the corner. All meet
//! at a junction off the centre, each by way of a middle point moved sideways. Heights run from the mean of
//! both cells on the border to the cell's own at the junction, and rise and fall at random on the way.
//! Source: "Making mountains" (Undiscovered Worlds, 2019).

use super::{Crest, Maker, RIDGE_SLOPE};
use crate::curve::through;
use grid::{Cell, Direction, Nth, Purpose};
use world::CellState;

const ENTRY: Purpose = Purpose::new("region/ridge/entry");
const JUNCTION: Purpose = Purpose::new("region/ridge/junction");
const WAY: Purpose = Purpose::new("region/ridge/way");

/// Straight pieces of each half of a ridge.
const PIECES: usize = 5;
/// A ridge on a border stands this high, as shares of the mean of both cells: passes are lower than summits.
const SADDLE: (f64, f64) = (0.62, 1.0);
/// A junction stands this high, as shares of the cell's own height.
const SUMMIT: (f64, f64) = (0.85, 1.1);
/// Points in between rise and fall by up to this share.
const RISE: f64 = 0.13;

impl Maker<'_> {
    pub(super) fn ridges(&self, cell: Cell, state: &CellState) -> Vec<Crest> {
        if state.mountain_height_m <= 0.0 {
            return Vec::new();
        }
        state.ridges.directions().filter_map(|d| self.ridge(cell, state, d)).collect()
    }

    fn ridge(&self, cell: Cell, state: &CellState, direction: Direction) -> Option<Crest> {
        let mut entry = self.crossing(self.seed.key(ENTRY), cell, direction)?;
        let own = self.prominence(state);
        let other = self.prominence(self.patch.get(entry.neighbor)?);
        let saddle = 0.5 * (own + other) * entry.draw.range(SADDLE.0, SADDLE.1);

        let junction_key = self.seed.key(JUNCTION);
        let junction = self.junction(junction_key, cell);
        let summit = own * junction_key.within(cell).at(Nth(0)).range(SUMMIT.0, SUMMIT.1);

        let mut draw = self.seed.key(WAY).at((cell, Nth(direction as u32)));
        let middle = self.middle(entry.at, junction, 0.22, &mut draw);
        let inward = -entry.outward * (0.5 * entry.at.distance(junction));
        let onward = (junction - middle) * 0.8;
        let points_m = through(&[entry.at, middle, junction], inward, onward, PIECES);

        let last = points_m.len() - 1;
        let heights_m = (0..=last).map(|k| {
            let t = k as f64 / last as f64;
            let even = saddle + (summit - saddle) * t;
            let free = if k == 0 || k == last { 0.0 } else { draw.range(-RISE, RISE) };
            even * (1.0 + free)
        });
        Some(Crest {
            heights_m: heights_m.collect(),
            points_m,
            slope: self.slope_for(own.max(saddle)),
            generation: 0,
        })
    }

    /// Low ridges are flatter, so that hills are not thin walls.
    pub(super) fn slope_for(&self, prominence_m: f64) -> f64 {
        (prominence_m / (0.22 * self.cell_m)).clamp(0.12, RIDGE_SLOPE)
    }
}
