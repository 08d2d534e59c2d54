//! The eight directions from a cell to its neighbours, and the byte that holds a set of them.

use serde::{Deserialize, Serialize};

/// One of the eight directions, clockwise from north. North is towards row 0 of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Up the rows.
    N = 0,
    /// Over the north-east corner.
    NE = 1,
    /// Along the columns.
    E = 2,
    /// Over the south-east corner.
    SE = 3,
    /// Down the rows.
    S = 4,
    /// Over the south-west corner.
    SW = 5,
    /// Against the columns.
    W = 6,
    /// Over the north-west corner.
    NW = 7,
}

impl Direction {
    /// All eight, clockwise from north.
    pub const ALL: [Self; 8] = [Self::N, Self::NE, Self::E, Self::SE, Self::S, Self::SW, Self::W, Self::NW];
    /// The four across a side.
    pub const SIDES: [Self; 4] = [Self::N, Self::E, Self::S, Self::W];
    /// The four over a corner.
    pub const CORNERS: [Self; 4] = [Self::NE, Self::SE, Self::SW, Self::NW];

    /// The direction with this index, counted clockwise from north; the index is taken modulo 8.
    pub const fn from_index(index: u8) -> Self {
        Self::ALL[(index & 7) as usize]
    }

    /// 0 for north to 7 for north-west.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether it leads across a side (N, E, S, W), not over a corner.
    pub const fn is_side(self) -> bool {
        (self as u8).is_multiple_of(2)
    }

    /// This direction turned clockwise by `eighths` of a full turn.
    pub const fn turned(self, eighths: u8) -> Self {
        Self::from_index(self as u8 + eighths)
    }

    /// The opposite direction within one face.
    pub const fn opposite(self) -> Self {
        self.turned(4)
    }

    /// Change of row and of column, within one face.
    pub const fn offset(self) -> (i64, i64) {
        match self {
            Self::N => (-1, 0),
            Self::NE => (-1, 1),
            Self::E => (0, 1),
            Self::SE => (1, 1),
            Self::S => (1, 0),
            Self::SW => (1, -1),
            Self::W => (0, -1),
            Self::NW => (-1, -1),
        }
    }

    /// The code of ESRI's D8 rasters: 1 = E, 2 = SE, 4 = S, and so on clockwise to 128 = NE.
    pub const fn esri(self) -> u8 {
        1 << ((self as u8 + 6) & 7)
    }
}

bitflags::bitflags! {
    /// The directions in which ridges leave a cell: one byte, one bit per [`Direction`] (bit 0 = N).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct RidgeDirections: u8 {
        /// North.
        const N = 1;
        /// North-east.
        const NE = 1 << 1;
        /// East.
        const E = 1 << 2;
        /// South-east.
        const SE = 1 << 3;
        /// South.
        const S = 1 << 4;
        /// South-west.
        const SW = 1 << 5;
        /// West.
        const W = 1 << 6;
        /// North-west.
        const NW = 1 << 7;
    }
}

impl From<Direction> for RidgeDirections {
    fn from(direction: Direction) -> Self {
        Self::from_bits_retain(1 << direction as u8)
    }
}

impl RidgeDirections {
    /// Whether the bit of this direction is set.
    pub fn has(self, direction: Direction) -> bool {
        self.contains(direction.into())
    }

    /// The directions whose bits are set, clockwise from north.
    pub fn directions(self) -> impl Iterator<Item = Direction> {
        Direction::ALL.into_iter().filter(move |&d| self.has(d))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn esri_codes() {
        let codes: Vec<u8> = Direction::ALL.iter().map(|d| d.esri()).collect();
        assert_eq!(codes, [64, 128, 1, 2, 4, 8, 16, 32]);
    }

    #[test]
    fn offsets_of_opposites_cancel() {
        for d in Direction::ALL {
            let ((a, b), (c, e)) = (d.offset(), d.opposite().offset());
            assert_eq!((a + c, b + e), (0, 0));
        }
    }

    #[test]
    fn a_byte_holds_what_was_put_in() {
        for bits in 0..=255u8 {
            let set = RidgeDirections::from_bits_retain(bits);
            let again: RidgeDirections = set.directions().map(RidgeDirections::from).collect();
            assert_eq!(set, again);
        }
    }
}
