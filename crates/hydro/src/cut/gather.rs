//! Sums along the flow within a tile, from the heads down.

use super::Tile;
use super::codes::{NO_DATA, plain};
use std::ops::AddAssign;

/// The directions of a tile with its ring, as far as they count within it.
pub(crate) struct Inside {
    tile: Tile,
    /// Below 8 a direction; the ring has none.
    pub directions: Vec<u8>,
    pub offsets: [isize; 8],
}

/// A cell from which all has been passed on.
const DONE: u8 = u8::MAX;

/// Inflows still to come of the cells around the tile: never all.
const ENDLESS: u8 = 128;

impl Inside {
    /// Of stored codes.
    pub fn new(tile: Tile, mut codes: Vec<u8>) -> Self {
        codes.iter_mut().for_each(|code| *code = plain(*code));
        tile.ring().for_each(|at| codes[at] = NO_DATA);
        Self { tile, directions: codes, offsets: tile.offsets() }
    }

    /// Whether a place lies in the tile.
    pub fn holds(&self, at: usize) -> bool {
        self.tile.holds(at)
    }

    /// Where the water of a cell goes, also out of the tile.
    #[inline]
    pub fn below(&self, at: usize) -> Option<usize> {
        let offset = self.offsets.get(usize::from(self.directions[at]))?;
        Some(at.wrapping_add_signed(*offset))
    }

    /// The sum of `weights` over all cells of the tile whose water passes each cell.
    pub fn gather<W: Copy + AddAssign>(&self, mut sums: Vec<W>) -> Vec<W> {
        let mut awaited = self.inflows();
        for row in 0..self.tile.rows {
            for head in self.tile.row(row)..self.tile.row(row) + self.tile.cols {
                let mut at = head;
                while awaited[at] == 0 {
                    awaited[at] = DONE;
                    let Some(below) = self.below(at) else { break };
                    let sum = sums[at];
                    sums[below] += sum;
                    awaited[below] -= 1;
                    at = below;
                }
            }
        }
        sums
    }

    /// The sum of what passes the last cells of all ways in the tile: of all cells, unless directions lead in a circle.
    pub fn leaving<C: Copy + Into<u64>>(&self, cells: &[C]) -> u64 {
        let rows =
            (0..self.tile.rows).flat_map(|row| self.tile.row(row)..self.tile.row(row) + self.tile.cols);
        let ends = rows.filter(|&at| self.below(at).is_none_or(|below| !self.tile.holds(below)));
        ends.fold(0, |sum: u64, at| sum.wrapping_add(cells[at].into()))
    }

    /// Number of neighbours in the tile whose water comes to each cell.
    fn inflows(&self) -> Vec<u8> {
        let (stride, cols) = (self.tile.stride(), self.tile.cols);
        let mut inflows = vec![ENDLESS; self.tile.padded_len()];
        for row in 0..self.tile.rows {
            let [up, own, down] = [0, 1, 2].map(|k| &self.directions[(row + k) * stride..][..cols + 2]);
            let from = self.tile.row(row);
            let out = &mut inflows[from..from + cols];
            for c in 0..cols {
                out[c] = u8::from(up[c] == 3)
                    + u8::from(up[c + 1] == 4)
                    + u8::from(up[c + 2] == 5)
                    + u8::from(own[c] == 2)
                    + u8::from(own[c + 2] == 6)
                    + u8::from(down[c] == 1)
                    + u8::from(down[c + 1] == 0)
                    + u8::from(down[c + 2] == 7);
            }
        }
        inflows
    }

    /// The places where water ends within the tile, by address.
    pub fn roots(&self) -> Vec<u32> {
        let inside = self.tile.stride()..(self.tile.rows + 1) * self.tile.stride();
        let ends = |&at: &usize| self.directions[at] == crate::NONE;
        inside.filter(ends).map(|at| at as u32).collect()
    }
}
