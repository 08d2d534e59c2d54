//! What the banks of wide rivers ([`crate::banks`]) make of a sample.

use super::RiverHere;
use super::real::{least, most};
use crate::banks::{Banks, Room, SHALLOW};
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

/// Dry ground in a river's room stands over its water by this share of how far it lies from it, or from the edge of the room, and by no more
/// than this, in metres.
const LEVEE: f64 = 0.02;
const HIGHEST_M: f64 = 1.5;
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

    /// The river over its place, when all rooms are there, and another that may be: brooks do not run on over islands in a river that they
    /// have come to.
    pub fn settle(&mut self, p: Vec3, banks: &Banks, other: Option<RiverHere>) -> Option<RiverHere> {
        let Some(river) = self.river else { return other };
        let off = banks.off_m(p, self.room);
        self.off_land_m = off.land_m();
        let of_other_m3_s = other.map_or(0.0, |other| other.discharge_m3_s);
        match self.off_land_m > 0.0 {
            true if river.discharge_m3_s > of_other_m3_s => Some(river),
            false if off.bank_m > 0.0 && river.discharge_m3_s > GREATER * of_other_m3_s => None,
            _ => other,
        }
    }

    /// The height of the ground under a river or none, where channels make it so high: raised by no more than the river is deep, and what
    /// dry ground stands over it. What a lower valley has cut away stays so.
    pub fn ground_m(&self, height_m: f64, river: Option<&RiverHere>) -> f64 {
        let Some(river) = river else {
            let up_m = most(least(LEVEE * least(-self.off_land_m, self.room.within_m), HIGHEST_M), 0.0);
            let dry_m = least(self.surface_m + up_m, height_m + self.depth_m + up_m);
            return most(height_m, dry_m);
        };
        let shallow = self.off_land_m / (SHALLOW * self.room.own_m());
        let up_m = match self.off_land_m > 0.0 && shallow < 1.0 {
            true => (river.surface_m - river.bed_m) * (1.0 - shallow),
            false => 0.0,
        };
        least(height_m + up_m, river.surface_m)
    }
}
