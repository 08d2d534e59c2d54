//! Sums along the flow within a band, from the heads down.

use super::codes::{NO_DATA, plain};
use super::strip::Strip;
use std::ops::AddAssign;

/// The directions of a band with its ring, as far as they count within it.
pub(super) struct Inside {
    strip: Strip,
    /// Below 8 a direction; the ring has none.
    pub directions: Vec<u8>,
    pub offsets: [isize; 8],
}

/// A cell from which all has been passed on.
const DONE: u8 = u8::MAX;

/// Inflows still to come of the cells around the band: never all.
const ENDLESS: u8 = 128;

impl Inside {
    /// Of stored codes.
    pub fn new(strip: Strip, mut codes: Vec<u8>) -> Self {
        codes.iter_mut().for_each(|code| *code = plain(*code));
        for row in [0, strip.rows + 1] {
            codes[row * strip.stride()..(row + 1) * strip.stride()].fill(NO_DATA);
        }
        Self { strip, directions: codes, offsets: strip.offsets() }
    }

    /// Whether a place lies in the rows of the band.
    pub fn holds(&self, at: usize) -> bool {
        self.strip.holds(at)
    }

    /// Where the water of a cell goes, also out of the band.
    #[inline]
    pub fn below(&self, at: usize) -> Option<usize> {
        let offset = self.offsets.get(usize::from(self.directions[at]))?;
        Some(at.wrapping_add_signed(*offset))
    }

    /// The sum of `weights` over all cells of the band whose water passes each cell.
    pub fn gather<W: Copy + AddAssign>(&self, mut sums: Vec<W>) -> Vec<W> {
        let mut awaited = self.inflows();
        for row in 0..self.strip.rows {
            for head in self.strip.row(row)..self.strip.row(row) + self.strip.cols {
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

    /// Number of neighbours in the band whose water comes to each cell.
    fn inflows(&self) -> Vec<u8> {
        let (stride, cols) = (self.strip.stride(), self.strip.cols);
        let mut inflows = vec![ENDLESS; self.strip.padded_len()];
        for row in 0..self.strip.rows {
            let [up, own, down] = [0, 1, 2].map(|k| &self.directions[(row + k) * stride..][..cols + 2]);
            let from = self.strip.row(row);
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

    /// The places where water ends within the band, by address.
    pub fn roots(&self) -> Vec<u32> {
        let inside = self.strip.stride()..(self.strip.rows + 1) * self.strip.stride();
        let ends = |&at: &usize| self.directions[at] == crate::NONE;
        inside.filter(ends).map(|at| at as u32).collect()
    }
}
