//! Bands: strips of whole rows, tiles of the raster's width.

use super::files::{StoreError, store};
use super::{Error, Plan};
use crate::cut::Tile;
use crate::cut::joints::Numbering;
use grid::Shape;
use rayon::prelude::*;

/// The bands of a raster, from north to south.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strips {
    pub rows: u32,
    pub cols: u32,
    band_rows: u32,
    pub at_once: usize,
}

impl Strips {
    pub fn new(shape: Shape, plan: &Plan) -> Self {
        let band_rows = plan.band_rows.clamp(1, shape.rows.max(1));
        Self { rows: shape.rows, cols: shape.cols, band_rows, at_once: plan.at_once.max(1) }
    }

    pub fn len(&self) -> usize {
        self.rows.div_ceil(self.band_rows) as usize
    }

    pub fn get(&self, index: usize) -> Tile {
        let first = index as u32 * self.band_rows;
        let rows = self.band_rows.min(self.rows - first);
        Tile {
            index,
            first,
            left: 0,
            rows: rows as usize,
            cols: self.cols as usize,
            above: first > 0,
            below: first + rows < self.rows,
            west: false,
            east: false,
        }
    }

    /// Takes the bands in turn, as many at once as the plan says: `read` and `finish` one by one in order,
    /// `work` side by side. What is read and written goes through `files`.
    pub fn each<F, I: Send, O: Send>(
        &self,
        which: &[usize],
        files: &mut F,
        mut read: impl FnMut(&mut F, Tile) -> Result<I, Error>,
        work: impl Fn(Tile, I) -> O + Sync,
        mut finish: impl FnMut(&mut F, Tile, O) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for batch in which.chunks(self.at_once) {
            let mut inputs = Vec::with_capacity(batch.len());
            for &index in batch {
                inputs.push((self.get(index), read(files, self.get(index))?));
            }
            let outputs: Vec<O> = inputs.into_par_iter().map(|(strip, input)| work(strip, input)).collect();
            for (&index, output) in batch.iter().zip(outputs) {
                finish(files, self.get(index), output)?;
            }
        }
        Ok(())
    }

    /// Numbers of the cells in the first and the last rows of all bands.
    pub fn numbering(&self) -> Numbering {
        Numbering::of_bands(self.get(0).rows, self.cols as usize)
    }

    /// All bands.
    pub fn all(&self) -> Vec<usize> {
        (0..self.len()).collect()
    }
}

/// Reads a band with the rows north and south of it into an array with a ring; where there is nothing, `outside`.
pub(super) fn read_padded<T: Copy>(
    strip: Tile,
    outside: T,
    read: impl FnOnce(u32, &mut [T]) -> Result<(), StoreError>,
) -> Result<Vec<T>, Error> {
    let (cols, stride) = (strip.cols, strip.stride());
    let mut values = vec![outside; strip.padded_len()];
    let above = usize::from(strip.above);
    let count = strip.rows + above + usize::from(strip.below);
    store(read(strip.first - above as u32, &mut values[..count * cols]))?;
    // From the last row on, so that none is overwritten before it is moved: each moves away from the beginning.
    for k in (0..count).rev() {
        let to = (k + 1 - above) * stride + 1;
        values.copy_within(k * cols..(k + 1) * cols, to);
        values[to - 1] = outside;
        values[to + cols] = outside;
    }
    if !strip.above {
        values[..stride].fill(outside);
    }
    Ok(values)
}

/// Address of the cell at a place; the ring's rows have theirs too.
pub(super) fn address(strip: Tile, at: usize) -> u32 {
    let (row, col) = strip.place(at);
    row * strip.cols as u32 + col
}
