//! How much is held at once.

use super::Error;
use super::network::PIECE_BYTES;
use grid::Shape;

/// How a raster is cut into bands, and how much the streams may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Rows of a band; the last may have fewer.
    pub band_rows: u32,
    /// Bands worked on side by side.
    pub at_once: usize,
    /// Bytes that the network of streams may take.
    pub stream_bytes: usize,
}

/// Bytes for each cell of a band that is worked on, its ring included.
///
/// Filling: elevation 4, labels 4, catchments (at most one of four cells) 6, passes 7. Flats: surface 4, code 1,
/// distances 8, lists of cells up to 13. Streams: codes 3, surface, sums and basins 12, ways followed 4, areas by row 8.
pub const CELL_BYTES: usize = 28;

/// Bytes for each cell in the first and the last rows of all bands.
///
/// Passes (24, while the surface is filled), or distances over flats (8) and what is due (4), or what crosses joints
/// (25, and 16 more with areas by row).
pub const BORDER_BYTES: usize = 44;

/// Bytes for each row, for what is counted by rows.
pub const ROW_BYTES: usize = 64;

/// Bytes for each band at work beside its cells: the passes met lately.
const BAND_BYTES: usize = 1 << 20;

impl Plan {
    /// The highest bands with which [`Plan::bytes`] is at most `bytes`; a quarter of those are for the streams.
    ///
    /// # Errors
    /// When not even bands of one row fit.
    pub fn for_memory(shape: Shape, threads: usize, bytes: usize) -> Result<Self, Error> {
        let with = |band_rows, at_once| Self { band_rows, at_once, stream_bytes: bytes / 4 };
        let fits = |plan: &Self| plan.bytes(shape) <= bytes && plan.is_countable(shape);
        // Side by side where each still gets bands of a good height: work on joints is the less.
        for at_once in (1..=threads.max(1)).rev() {
            let most = shape.rows.div_ceil(at_once as u32).max(1);
            let low = if at_once == 1 { 1 } else { most.min(LEAST_ROWS) };
            // More rows take more memory for bands and less for joints: look from the highest down.
            let mut rows = most;
            while rows > low && !fits(&with(rows, at_once)) {
                rows = (rows - rows.div_ceil(16)).max(low);
            }
            if fits(&with(rows, at_once)) {
                return Ok(with(rows, at_once));
            }
        }
        Err(Error::Memory { bytes, needed: with(1, 1).bytes(shape).min(with(LEAST_ROWS, 1).bytes(shape)) })
    }

    /// The most bytes that the analysis holds, beside its own table of basins (48 bytes each) and what the caller's
    /// files keep.
    pub fn bytes(&self, shape: Shape) -> usize {
        let rows = self.band_rows.clamp(1, shape.rows.max(1)) as usize;
        let cols = shape.cols as usize;
        let bands = (shape.rows as usize).div_ceil(rows);
        let band = CELL_BYTES * (rows + 2) * (cols + 2) + BAND_BYTES;
        self.at_once.clamp(1, bands.max(1)) * band
            + BORDER_BYTES * 2 * cols * bands
            + ROW_BYTES * shape.rows as usize
            + self.stream_bytes
    }

    /// Whether the cells along joints, and those of a band, can be numbered.
    pub(super) fn is_countable(&self, shape: Shape) -> bool {
        let rows = u64::from(self.band_rows.clamp(1, shape.rows.max(1)));
        let bands = u64::from(shape.rows).div_ceil(rows);
        let limit = u64::from(u32::MAX >> 1);
        2 * bands * u64::from(shape.cols) < limit && (rows + 2) * (u64::from(shape.cols) + 2) < limit
    }
}

/// Bands lower than this are not worth working on side by side.
const LEAST_ROWS: u32 = 64;

const _: () = assert!(PIECE_BYTES <= 320, "the documentation says so");
