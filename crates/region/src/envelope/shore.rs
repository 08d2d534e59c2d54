//! What the banks of wide rivers ([`crate::banks`]) make of a sample.

use super::RiverHere;
use super::real::{least, most};
use crate::banks::{Banks, Room};
use grid::Vec3;

/// Where a sample lies in the room of wide rivers, and what that makes of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shore {
    /// The room in which it lies farthest from the edge, that of no river has no width; and its water and depth, in metres.
    room: Room,
    surface_m: f64,
    depth_m: f64,
    /// The greatest of such rivers.
    river: Option<RiverHere>,
    /// How far it lies from land, in metres: negative on it.
    off_land_m: f64,
}

/// Dry ground in a river's room stands over its water by this share of how far it lies from it, or from the edge of the room, by no more
/// than this, in metres, and by no more than this share of what its water stands over the sea: levees end before the sea does, which
/// would drown what lies behind them.
const LEVEE: f64 = 0.02;
const HIGHEST_M: f64 = 1.5;
const OVER_SEA: f64 = 0.2;
/// Rivers of so many times the discharge of another do not end in it.
const GREATER: f64 = 2.0;

impl Shore {
    /// In no room.
    pub const NONE: Self = Self {
        room: Room { half_m: 0.0, uneven: 0.0, within_m: 0.0 },
        surface_m: f64::NEG_INFINITY,
        depth_m: 0.0,
        river: None,
        off_land_m: 0.0,
    };

    /// Adds the room of a river and what the river is there.
    pub fn add(&mut self, room: Room, river: RiverHere) {
        if self.room.deeper(room) != self.room {
            (self.room, self.surface_m) = (room, river.surface_m);
            self.depth_m = river.surface_m - river.bed_m;
        }
        if self.river.is_none_or(|old| river.discharge_m3_s > old.discharge_m3_s) {
            self.river = Some(river);
        }
    }

    /// Finds out how far its place lies from land, when all rooms are there; gives the river over it, where another may be: brooks do not run
    /// on over islands in a river that they have come to, and behind its bank they are as high as its water.
    pub fn settle(&mut self, p: Vec3, banks: &Banks, other: Option<RiverHere>) -> Option<RiverHere> {
        let Some(river) = self.river else { return other };
        let off = banks.off_m(p, self.room);
        self.off_land_m = off.land_m();
        let of_other_m3_s = other.map_or(0.0, |other| other.discharge_m3_s);
        let is_lesser = river.discharge_m3_s > GREATER * of_other_m3_s;
        match self.off_land_m > 0.0 {
            true if river.discharge_m3_s > of_other_m3_s => Some(river),
            false if is_lesser && off.bank_m > 0.0 => None,
            false if is_lesser => other.map(|other| self.backed_up(other)),
            _ => other,
        }
    }

    /// A brook that is no lower than the water that it comes to.
    fn backed_up(&self, brook: RiverHere) -> RiverHere {
        let up_m = most(self.surface_m - brook.surface_m, 0.0);
        RiverHere { bed_m: brook.bed_m + up_m, surface_m: brook.surface_m + up_m, ..brook }
    }

    /// A river on ground that channels make so high: a brook beside a wide river has cut down to that river's valley, and through its banks.
    pub fn cut_down(&self, river: RiverHere, height_m: f64) -> RiverHere {
        let is_brook = self.river.is_some_and(|wide| wide.discharge_m3_s > GREATER * river.discharge_m3_s);
        let down_m = river.surface_m - most(height_m, self.surface_m);
        if !is_brook || down_m <= 0.0 {
            return river;
        }
        RiverHere { bed_m: river.bed_m - down_m, surface_m: river.surface_m - down_m, ..river }
    }

    /// A river with its bed where it is so far from land: shallow near it.
    pub fn shallow(&self, river: RiverHere) -> RiverHere {
        let share = self.room.deep(self.off_land_m);
        let is_shallow = self.river.is_some() && self.off_land_m > 0.0 && share < 1.0;
        let least_m = river.surface_m - (river.surface_m - river.bed_m) * share;
        if is_shallow { RiverHere { bed_m: most(river.bed_m, least_m), ..river } } else { river }
    }

    /// The height of the ground under a river or none, where channels make it so high. Dry ground is raised by no more than the wide river is deep
    /// and what it stands over that, no bed is lower than that of its river: what a lower valley has cut away beside stays so.
    pub fn ground_m(&self, height_m: f64, river: Option<&RiverHere>) -> f64 {
        match river {
            None => {
                let highest_m = least(OVER_SEA * self.surface_m, HIGHEST_M);
                let up_m = most(least(LEVEE * least(-self.off_land_m, self.room.within_m), highest_m), 0.0);
                most(height_m, least(self.surface_m + up_m, height_m + self.depth_m + up_m))
            }
            Some(river) if self.river.is_some() && self.room.deep(self.off_land_m) < 1.0 => {
                let bed_m = least(river.bed_m, height_m + self.depth_m);
                least(most(height_m, bed_m), river.surface_m)
            }
            Some(river) => least(height_m, river.surface_m),
        }
    }
}
