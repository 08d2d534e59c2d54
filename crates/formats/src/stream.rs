//! Rasters that are read in pieces: what a writer needs of one, whether it is in memory or made of blocks on the disk.

use crate::raster::check_sizes;
use crate::{BandValues, Cause, Georeference, Raster, RasterError};

/// Samples along the side of the squares that writers read, which begin at the north-west corner. A [`Source`] that is kept
/// in such blocks unpacks each once for a pass.
pub const BLOCK: usize = 1024;

/// A raster without its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Samples from west to east.
    pub width: usize,
    /// Samples from north to south.
    pub height: usize,
    /// Where it lies.
    pub georeference: Georeference,
    /// What its bands are.
    pub bands: Vec<Title>,
}

/// What a band is.
#[derive(Clone, Debug, PartialEq)]
pub struct Title {
    /// In one word if possible: `elevation`.
    pub name: String,
    /// Its unit: `m`, `m3/s`; empty for ids and classes.
    pub unit: String,
    /// What its numbers are.
    pub kind: Kind,
}

/// What numbers are, and so what stands for several of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Quantities: their mean.
    Quantity,
    /// Names of classes, directions, owners: one of them.
    Class,
}

/// A rectangle of samples, counted from the north-west corner of a raster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// First column.
    pub column: usize,
    /// First row, the northernmost.
    pub row: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// Where writers read samples from. Asked from several threads at once.
pub trait Source: Sync {
    /// What there is to read.
    fn frame(&self) -> &Frame;

    /// The samples of a band within a rectangle, row by row; not a number where there is no data.
    ///
    /// # Errors
    /// The place where they are kept cannot be read.
    fn read(&self, band: usize, at: Rect) -> Result<Vec<f32>, Cause>;
}

impl Frame {
    /// Checks sizes and georeference; every writer does so first.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), RasterError> {
        check_sizes((self.width, self.height), self.bands.len())?;
        self.georeference.check()
    }

    /// Bytes of all samples as `f32`.
    pub fn bytes(&self) -> usize {
        self.width.saturating_mul(self.height).saturating_mul(4 * self.bands.len())
    }

    /// The squares of [`BLOCK`] samples, those at the borders cut, row by row from the north.
    pub fn blocks(&self) -> Vec<Rect> {
        let (width, height) = (self.width, self.height);
        let of_row = |row| {
            (0..width).step_by(BLOCK).map(move |column| Rect {
                column,
                row,
                width: BLOCK.min(width - column),
                height: BLOCK.min(height - row),
            })
        };
        (0..height).step_by(BLOCK).flat_map(of_row).collect()
    }
}

impl Title {
    /// A band of quantities.
    pub fn quantity(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into(), kind: Kind::Quantity }
    }
}

/// A raster in memory as a source: bands of real numbers.
///
/// ```
/// use formats::stream::{Frame, Memory, Rect, Source, Title};
/// use formats::{Crs, Georeference};
///
/// let georeference = Georeference { crs: Crs::Metres, west: 0.0, north: 20.0, step_x: 10.0, step_y: 10.0 };
/// let frame = Frame { width: 3, height: 2, georeference, bands: vec![Title::quantity("elevation", "m")] };
/// let source = Memory::new(frame, vec![vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])?;
/// let right = Rect { column: 1, row: 0, width: 2, height: 2 };
/// assert_eq!(source.read(0, right).expect("in memory"), [2.0, 3.0, 5.0, 6.0]);
/// # Ok::<(), formats::RasterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    frame: Frame,
    values: Vec<Vec<f32>>,
}

impl Memory {
    /// Bands with their values, row-major, north first.
    ///
    /// # Errors
    /// A frame that makes no sense, or bands of another length.
    pub fn new(frame: Frame, values: Vec<Vec<f32>>) -> Result<Self, RasterError> {
        frame.check()?;
        if values.len() != frame.bands.len() {
            return Err(RasterError::BandCount(values.len()));
        }
        let expected = frame.width * frame.height;
        for (title, values) in frame.bands.iter().zip(&values) {
            if values.len() != expected {
                let (band, found) = (title.name.clone(), values.len());
                return Err(RasterError::BandLength { band, found, expected });
            }
        }
        Ok(Self { frame, values })
    }

    /// A raster whose bands are all of real numbers, with what the numbers are; `None` for others.
    pub fn of(raster: Raster, kind: impl Fn(&str) -> Kind) -> Option<Result<Self, RasterError>> {
        let Raster { width, height, georeference, bands } = raster;
        let mut titles = Vec::with_capacity(bands.len());
        let mut values = Vec::with_capacity(bands.len());
        for band in bands {
            let BandValues::F32(of_band) = band.values else { return None };
            let kind = kind(&band.name);
            titles.push(Title { name: band.name, unit: band.unit, kind });
            values.push(of_band);
        }
        Some(Self::new(Frame { width, height, georeference, bands: titles }, values))
    }
}

impl Source for Memory {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn read(&self, band: usize, at: Rect) -> Result<Vec<f32>, Cause> {
        let rows = at.row..at.row + at.height;
        let row = |row: usize| &self.values[band][row * self.frame.width + at.column..][..at.width];
        Ok(rows.flat_map(row).copied().collect())
    }
}
