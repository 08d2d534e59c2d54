//! One band, written by rows from the north, for rasters that no memory holds.

use std::fmt;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use super::directory::TiffFile;
use super::tiles::{Blocks, SIDE, Sample};
use super::{Notes, describe, is_big};
use crate::write::Pending;
use crate::{Cause, Error, Georeference, RasterError};

/// What a file that is written by rows holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer<T> {
    /// Samples from west to east.
    pub width: usize,
    /// Samples from north to south.
    pub height: usize,
    /// Where it lies.
    pub georeference: Georeference,
    /// What it is, in one word if possible: `accumulation`.
    pub name: String,
    /// Its unit: `m`, `m3/s`; empty for ids and classes.
    pub unit: String,
    /// The number that stands for no data, if one does.
    pub nodata: Option<T>,
    /// Names and values of the file as a whole.
    pub notes: Vec<(String, String)>,
}

/// A GeoTIFF that takes rows from the north and appears at its path when it is finished.
///
/// Dropped unfinished, it leaves nothing behind, and the file that was there before stays. Memory: 256 rows, and
/// 64 tiles while they are compressed.
///
/// ```
/// use formats::geotiff::{Layer, Reader, RowWriter};
/// use formats::{Crs, Georeference};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("order.tif");
/// let georeference = Georeference { crs: Crs::Metres, west: 0.0, north: 600.0, step_x: 30.0, step_y: 30.0 };
/// let layer = Layer {
///     width: 4,
///     height: 20,
///     georeference,
///     name: "order".into(),
///     unit: String::new(),
///     nodata: Some(0_u8),
///     notes: Vec::new(),
/// };
/// let mut file = RowWriter::create(&path, layer)?;
/// for row in 0..20 {
///     file.write_rows(&[row, 1, 2, 3])?;
/// }
/// file.finish()?;
///
/// let mut values = [0.0; 4];
/// Reader::open(&path)?.read_rows(7, 1, &mut values)?;
/// assert_eq!(values, [7.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RowWriter<T: Sample> {
    path: PathBuf,
    layer: Layer<T>,
    pending: Pending,
    file: TiffFile<BufWriter<File>>,
    blocks: Blocks,
    /// Rows that do not fill a row of tiles yet.
    waiting: Vec<T>,
    given: usize,
}

impl<T: Sample> fmt::Debug for RowWriter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowWriter")
            .field("path", &self.path)
            .field("given", &self.given)
            .finish_non_exhaustive()
    }
}

impl<T: Sample> RowWriter<T> {
    /// Begins a file beside its final place.
    ///
    /// # Errors
    /// [`Error::Raster`] for a size or a georeference that makes no sense, [`Error::Write`] for the rest.
    pub fn create(path: &Path, layer: Layer<T>) -> Result<Self, Error> {
        check(&layer).map_err(|error| Error::Raster { path: path.into(), error })?;
        let begin = || -> Result<_, Cause> {
            let (pending, out) = Pending::beside(path)?;
            let big = is_big(layer.width, layer.height, 1, T::BYTES);
            Ok((pending, TiffFile::new(out, big)?))
        };
        let (pending, file) = begin().map_err(|cause| Error::Write { path: path.into(), cause })?;
        let (blocks, waiting) = (Blocks::default(), Vec::new());
        Ok(Self { path: path.into(), layer, pending, file, blocks, waiting, given: 0 })
    }

    /// Takes the next samples, row by row from the north and in each from west to east; any number of them.
    ///
    /// # Errors
    /// [`RasterError::Rows`] for more than the raster has, [`Error::Write`] for the disk.
    pub fn write_rows(&mut self, values: &[T]) -> Result<(), Error> {
        self.given = self.given.saturating_add(values.len());
        if self.given > self.layer.width * self.layer.height {
            return Err(self.amount());
        }
        let full = SIDE * self.layer.width;
        let mut rest = values;
        while self.waiting.len() + rest.len() >= full {
            let (now, later) = rest.split_at(full - self.waiting.len());
            rest = later;
            if self.waiting.is_empty() {
                self.tiles(now)?;
            } else {
                self.waiting.extend_from_slice(now);
                let rows = std::mem::take(&mut self.waiting);
                self.tiles(&rows)?;
                self.waiting = rows;
                self.waiting.clear();
            }
        }
        self.waiting.extend_from_slice(rest);
        Ok(())
    }

    fn tiles(&mut self, rows: &[T]) -> Result<(), Error> {
        let written = self.blocks.write_row(&mut self.file, rows, self.layer.width);
        written.map_err(|cause| Error::Write { path: self.path.clone(), cause })
    }

    fn amount(&self) -> Error {
        let Layer { width, height, .. } = self.layer;
        Error::Raster {
            path: self.path.clone(),
            error: RasterError::Rows { given: self.given, width, height },
        }
    }

    /// Completes the file and puts it into its place.
    ///
    /// # Errors
    /// [`RasterError::Rows`] if samples are missing, [`Error::Write`] for the disk.
    pub fn finish(mut self) -> Result<(), Error> {
        if self.given != self.layer.width * self.layer.height {
            return Err(self.amount());
        }
        if !self.waiting.is_empty() {
            let rows = std::mem::take(&mut self.waiting);
            self.tiles(&rows)?;
        }
        let path = self.path.clone();
        self.complete().map_err(|cause| Error::Write { path, cause })
    }

    fn complete(mut self) -> Result<(), Cause> {
        let Layer { width, height, georeference, name, unit, nodata, notes } = &self.layer;
        let about = Notes {
            width: *width,
            height: *height,
            georeference,
            bands: &[(name, unit)],
            meta: notes,
            nodata: nodata.map(|value| mark(value.to_f64())),
        };
        describe::<T>(&mut self.file, &self.blocks, &about)?;
        self.pending.finish(self.file.finish()?)
    }
}

fn check<T: Sample>(layer: &Layer<T>) -> Result<(), RasterError> {
    let sides = 1..=i32::MAX as usize;
    let Layer { width, height, .. } = *layer;
    if !sides.contains(&width) || !sides.contains(&height) {
        return Err(RasterError::Size { width, height });
    }
    layer.georeference.check()
}

/// GDAL's mark of no data. It reads numbers as C does.
fn mark(value: f64) -> String {
    match value {
        v if v.is_nan() => "nan".into(),
        v if v.is_infinite() => if v > 0.0 { "inf" } else { "-inf" }.into(),
        v if v.abs() < 1e15 => format!("{v}"),
        v => format!("{v:e}"),
    }
}
