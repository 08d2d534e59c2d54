//! How high features stand: mountain height of the world, less the massif they stand on.
//!
//! `height above the massif = target - massif(place)`, where the massif is what [ground](crate::ground) puts there: the
//! mean over the cells around. A narrow range has a low massif under its crest, a broad one a high massif, and the
//! summits of both come out at the height that the world gives them.

use super::crossing::Crossing;
use super::{Maker, sound_m};
use crate::ground::Neighborhood;
use grid::{Cell, Vec3};
use world::CellState;

/// Features stand out of the massif by at least this share of the height they are to reach.
const LEAST: f64 = 0.2;
/// And by no more than this, in cells: no side reaches farther than a cell.
const MOST_CELLS: f64 = 0.45;

/// Heights at places within a cell and on its border.
pub(super) struct Heights {
    around: Neighborhood,
    /// Mountain height of the cell in metres.
    pub own_m: f64,
    most_m: f64,
}

impl Heights {
    /// Heights of a cell; cells up to two rings away count.
    pub fn of(maker: &Maker, cell: Cell, state: &CellState) -> Self {
        let around = Neighborhood::of(maker.patch, cell);
        Self { around, own_m: sound_m(state.mountain_height_m), most_m: MOST_CELLS * maker.cell_m }
    }

    /// Height above the massif of something that reaches `target_m` above the base.
    pub fn above(&self, p: Vec3, target_m: f64) -> f64 {
        let above_m = target_m - self.massif_m(p);
        // of what is no number the other counts
        above_m.max(LEAST * target_m).min(self.most_m).max(0.0)
    }

    /// Height above the base of something that stands `above_m` on the massif.
    pub fn top_m(&self, p: Vec3, above_m: f64) -> f64 {
        self.massif_m(p) + above_m
    }

    /// Height above the massif of a ridge on the border: both cells say the same. The lower of both has more weight, so
    /// that a ridge comes down to low country before it enters it.
    pub fn entry(&self, maker: &Maker, entry: &Crossing, at: Vec3, other_m: f64, saddle: f64) -> f64 {
        let sum_m = self.own_m + other_m;
        if sum_m <= 0.0 {
            return 0.0;
        }
        debug_assert!(maker.patch.get(entry.neighbor).is_some(), "the neighbour is in the patch");
        self.above(at, saddle * (2.0 * self.own_m * other_m / sum_m))
    }

    fn massif_m(&self, p: Vec3) -> f64 {
        sound_m(self.around.at(p).massif_m)
    }
}

impl Maker<'_> {
    /// Mountain height of a cell in metres.
    pub(super) fn mountains_m(&self, cell: Cell) -> f64 {
        self.patch.get(cell).map_or(0.0, |s| sound_m(s.mountain_height_m))
    }
}
