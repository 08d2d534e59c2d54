//! Bands: strips of whole rows, each held with a ring of cells around it.

use super::files::{StoreError, store};
use super::{Error, Plan};
use grid::Shape;
use rayon::prelude::*;

/// A band: the rows from `first` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strip {
    pub index: usize,
    pub first: u32,
    pub rows: usize,
    pub cols: usize,
    /// Whether there are rows north of it.
    pub above: bool,
    /// Whether there are rows south of it.
    pub below: bool,
}

impl Strip {
    /// From one row to the next, in a band with its ring.
    pub fn stride(self) -> usize {
        self.cols + 2
    }

    /// Number of cells, the ring included.
    pub fn padded_len(self) -> usize {
        (self.rows + 2) * self.stride()
    }

    /// Where a row (0 for the first) begins in a band with its ring.
    pub fn row(self, row: usize) -> usize {
        (row + 1) * self.stride() + 1
    }

    /// Whether a place in a band with its ring lies in the rows of the band.
    #[inline]
    pub fn holds(self, at: usize) -> bool {
        (self.stride()..(self.rows + 1) * self.stride()).contains(&at)
    }

    /// Offsets of the eight neighbours, clockwise from north.
    pub fn offsets(self) -> [isize; 8] {
        let s = self.stride() as isize;
        [-s, 1 - s, 1, s + 1, s, s - 1, -1, -s - 1]
    }

    /// Address of the cell at a place; the ring's rows have theirs too.
    pub fn address(self, at: usize) -> u32 {
        let (row, col) = (at / self.stride(), at % self.stride() - 1);
        ((self.first as usize + row - 1) * self.cols + col) as u32
    }
}

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

    pub fn get(&self, index: usize) -> Strip {
        let first = index as u32 * self.band_rows;
        let rows = self.band_rows.min(self.rows - first);
        Strip {
            index,
            first,
            rows: rows as usize,
            cols: self.cols as usize,
            above: first > 0,
            below: first + rows < self.rows,
        }
    }

    /// Takes the bands in turn, as many at once as the plan says: `read` and `finish` one by one in order,
    /// `work` side by side. What is read and written goes through `files`.
    pub fn each<F, I: Send, O: Send>(
        &self,
        which: &[usize],
        files: &mut F,
        mut read: impl FnMut(&mut F, Strip) -> Result<I, Error>,
        work: impl Fn(Strip, I) -> O + Sync,
        mut finish: impl FnMut(&mut F, Strip, O) -> Result<(), Error>,
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

    /// All bands.
    pub fn all(&self) -> Vec<usize> {
        (0..self.len()).collect()
    }
}

/// Reads a band with the rows north and south of it into an array with a ring; where there is nothing, `outside`.
pub(super) fn read_padded<T: Copy>(
    strip: Strip,
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

/// The rows of the band alone.
pub(super) fn without_ring<T: Copy>(strip: Strip, mut values: Vec<T>) -> Vec<T> {
    for row in 0..strip.rows {
        let from = strip.row(row);
        values.copy_within(from..from + strip.cols, row * strip.cols);
    }
    values.truncate(strip.rows * strip.cols);
    values
}

/// Three rows around a row of a band with its ring, each with both its columns of the ring.
pub(super) fn around<T>(strip: Strip, values: &[T], row: usize) -> [&[T]; 3] {
    let stride = strip.stride();
    [0, 1, 2].map(|k| &values[(row + k) * stride..(row + k + 1) * stride])
}
