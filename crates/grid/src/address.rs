//! Addresses: names for places that are the same from every side.

use serde::{Deserialize, Serialize};

/// One square of the global grid: its index, counted face by face, row by row from the north.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell(pub u32);

impl Cell {
    /// The index as a `usize`, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell with this index. Grids hold fewer than 2^32 cells, so that indices below `len` fit.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("grids are limited to 2^32 cells when they are made"))
    }
}

/// A corner that up to four cells share, by its place on the integer lattice of the whole grid.
///
/// Made by [`Grid::vertex`](crate::Grid::vertex); equal from whichever cell it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vertex(pub(crate) u64);

impl Vertex {
    const BITS: u32 = 21;

    /// Packs lattice coordinates, each from 0 to 2^21 - 1.
    pub(crate) fn pack(x: i64, y: i64, z: i64) -> Self {
        let ok = 0..1 << Self::BITS;
        debug_assert!(ok.contains(&x) && ok.contains(&y) && ok.contains(&z), "{x} {y} {z}");
        Self((x as u64) << (2 * Self::BITS) | (y as u64) << Self::BITS | z as u64)
    }

    /// The lattice coordinates that were packed.
    pub(crate) fn unpack(self) -> (i64, i64, i64) {
        let mask = (1 << Self::BITS) - 1;
        ((self.0 >> (2 * Self::BITS)) as i64, (self.0 >> Self::BITS & mask) as i64, (self.0 & mask) as i64)
    }
}

/// A side that two cells share, by its two ends, lower address first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    low: Vertex,
    high: Vertex,
}

impl Edge {
    /// The edge between two vertices, in either order.
    pub fn between(a: Vertex, b: Vertex) -> Self {
        Self { low: a.min(b), high: a.max(b) }
    }

    /// Both ends, the lower address first: the order in which a position along the edge is counted.
    pub fn ends(self) -> (Vertex, Vertex) {
        (self.low, self.high)
    }
}

/// A number within an address: the third peak of a cell, the second continent of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nth(pub u32);

/// One of the squares into which a level splits the cells of a grid; at level 0 a cell itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// Into how many parts cells are split.
    pub level: Level,
    /// The face it lies on.
    pub face: u32,
    /// Row among the parts of the face, from the north.
    pub row: u32,
    /// Column among the parts of the face.
    pub col: u32,
}

impl Part {
    /// The part of the level above that holds this one; a cell is its own parent.
    pub fn parent(self) -> Self {
        match self.level.0 {
            0 => self,
            level => Self { level: Level(level - 1), face: self.face, row: self.row / 2, col: self.col / 2 },
        }
    }

    /// The part of a level, no deeper than its own, that holds this one.
    pub fn over(self, level: Level) -> Self {
        (level.0..self.level.0).fold(self, |part, _| part.parent())
    }

    /// Which of the children of its parent this is.
    pub fn number(self) -> usize {
        (self.row % 2 * 2 + self.col % 2) as usize
    }

    /// The four parts of the next level within this one, row by row.
    pub fn children(self) -> [Self; 4] {
        let level = Level(self.level.0 + 1);
        [0, 1, 2, 3].map(|k| Self {
            level,
            face: self.face,
            row: 2 * self.row + k / 2,
            col: 2 * self.col + k % 2,
        })
    }
}

/// A scale: at level k a cell's side is split into 2^k parts. Level 0 is the world's own cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub u8);

impl Level {
    /// The deepest level there is: 20 km cells become 1.2 mm parts.
    pub const MAX: Self = Self(24);

    /// Length of one part's side, in the unit of `cell_size`.
    pub fn size(self, cell_size: f64) -> f64 {
        cell_size / (1u64 << self.0.min(Self::MAX.0)) as f64
    }

    /// The coarsest level whose parts are no larger than `spacing` (same unit as `cell_size`).
    ///
    /// Level 0 when `spacing` is at least the cell itself; never deeper than [`Level::MAX`].
    pub fn for_spacing(cell_size: f64, spacing: f64) -> Self {
        (0..=Self::MAX.0).map(Self).find(|level| level.size(cell_size) <= spacing).unwrap_or(Self::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_unpack_to_what_was_packed() {
        for v in [(0, 0, 0), (1, 2, 3), (2_097_151, 0, 2_097_151), (17, 2_000_000, 5)] {
            assert_eq!(Vertex::pack(v.0, v.1, v.2).unpack(), v);
        }
    }

    #[test]
    fn levels_halve() {
        assert_eq!(Level::for_spacing(20_000.0, 20_000.0), Level(0));
        assert_eq!(Level::for_spacing(20_000.0, 19_999.0), Level(1));
        assert_eq!(Level::for_spacing(20_000.0, 625.0), Level(5));
        assert_eq!(Level::for_spacing(20_000.0, 0.0), Level::MAX);
        assert_eq!(Level(5).size(20_000.0), 625.0);
    }
}
