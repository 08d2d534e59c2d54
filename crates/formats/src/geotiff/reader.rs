//! Any GeoTIFF, by rows, as `f32`.
//!
//! Opening reads tags only. Rows are put together from the strips or tiles they lie in; each is unpacked once,
//! on all threads, and the last ones of a call are kept for the next, so that a pass over the raster in bands of
//! rows with a halo unpacks no tile twice.
//!
//! Memory: the rows of blocks that a batch unpacks (one row of tiles, or as many rows of strips as make
//! [`BATCH_BYTES`]) and those that are kept ([`KEPT_ROWS`]), 4 bytes a sample, beside the caller's rows.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::directory::Directory;
use super::layout::{Layout, SampleType};
use super::metadata::{self, BandNotes};
use super::place::Place;
use super::samples::{Meaning, Missing, samples};
use super::tags::Tag;
use crate::error::ReadError;
use crate::{Error, Georeference};

/// Unpacked samples between two copies into the caller's rows.
const BATCH_BYTES: u64 = 32 << 20;

/// Rows that are kept at least for the next call, if the last call read as many; two rows of tiles in any case.
const KEPT_ROWS: u64 = 64;

/// Longest text of notes that is read.
const MOST_NOTES: u64 = 1 << 20;

/// Pictures in a file beyond which none is looked at: overviews halve, so there are few.
const MOST_PICTURES: usize = 64;

/// What a GeoTIFF holds, before any sample is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// Samples from west to east.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bands; the first is number 1.
    pub bands: usize,
    /// What the stored numbers are.
    pub sample: SampleType,
    /// The stored number that stands for no data.
    pub nodata: Option<f64>,
    /// Where it lies, north up. Its reference system is the file's own, whatever it is.
    pub georeference: Georeference,
    /// Width and height of a strip or tile: rows are read fastest by multiples of the height.
    pub block: [usize; 2],
    /// Unit of the selected band, as the file gives it.
    pub unit: String,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// An open GeoTIFF.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: Mutex<File>,
    layout: Layout,
    south_up: bool,
    notes: Vec<BandNotes>,
    band: usize,
    meaning: Meaning,
    info: Info,
    /// Rows of blocks kept from the last call, with their number.
    kept: Vec<(u64, BlockRow)>,
    /// Rows whose infinities are counted already, one bit each.
    counted: Vec<u64>,
    infinities: u64,
}

/// The unpacked blocks of one row of blocks, from west to east; `None` for one that was never written.
type BlockRow = Arc<Vec<Option<Vec<f32>>>>;

impl Reader {
    /// Opens a file and reads its tags. The first band is selected.
    ///
    /// # Errors
    /// [`Error::Read`] for what is no file, no TIFF, broken, or of a kind that is not read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::of(path).map_err(|error| Error::Read { path: path.into(), error })
    }

    fn of(path: &Path) -> Result<Self, ReadError> {
        let about = std::fs::metadata(path)?;
        if !about.is_file() {
            return Err(ReadError::NoFile(if about.is_dir() { "folder" } else { "device" }));
        }
        let mut file = File::open(path)?;
        let tags = Directory::first(&mut file)?;
        let layout = Layout::read(&mut file, &tags)?;
        let Place { georeference, south_up, mut warnings } = Place::read(&mut file, &tags, &layout)?;
        let notes = tags.text(&mut file, Tag::GdalMetadata, MOST_NOTES)?.unwrap_or_default();
        let missing = missing(&mut file, &tags, &layout, &mut warnings)?;
        warn_of_layout(&layout, missing, &mut warnings);
        warn_of_pictures(&mut file, &tags, &mut warnings)?;
        let info = Info {
            width: layout.width as usize,
            height: layout.height as usize,
            bands: layout.bands as usize,
            sample: layout.sample,
            nodata: missing.map(Missing::value),
            georeference,
            block: [layout.block_width as usize, layout.block_height as usize],
            unit: String::new(),
            warnings,
        };
        let mut reader = Self {
            path: path.into(),
            file: Mutex::new(file),
            counted: Vec::new(),
            kept: Vec::new(),
            infinities: 0,
            south_up,
            notes: metadata::band_notes(&String::from_utf8_lossy(&notes), info.bands),
            band: 0,
            meaning: Meaning { missing, scale: None },
            layout,
            info,
        };
        reader.mean_band(0);
        Ok(reader)
    }

    /// What the file holds.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// What a user should know, with what was found while reading.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.info.warnings.clone();
        if let Some((scale, offset)) = self.meaning.scale {
            warnings.push(format!("its values are stored numbers times {scale} plus {offset}, as it says"));
        }
        if self.infinities > 0 {
            warnings.push(format!("{} of its samples are infinite and count as no data", self.infinities));
        }
        warnings
    }

    /// Infinite samples in the rows read so far, each row counted once.
    pub fn infinities(&self) -> u64 {
        self.infinities
    }

    /// Selects a band, counted from 1.
    ///
    /// # Errors
    /// [`ReadError::Band`] where there is none.
    pub fn select_band(&mut self, band: usize) -> Result<(), Error> {
        if !(1..=self.info.bands).contains(&band) {
            return Err(self.error(ReadError::Band { asked: band, bands: self.info.bands }));
        }
        self.mean_band(band - 1);
        Ok(())
    }

    fn mean_band(&mut self, band: usize) {
        let notes = self.notes.get(band).cloned().unwrap_or_default();
        let (scale, offset) = (notes.scale.unwrap_or(1.0), notes.offset.unwrap_or(0.0));
        self.meaning.scale = ((scale, offset) != (1.0, 0.0)).then_some((scale, offset));
        self.info.unit = notes.unit;
        self.band = band;
        self.kept.clear();
        self.counted.clear();
        self.infinities = 0;
    }

    /// Reads rows of the selected band, from the north, into `values`, row by row. No data, `NaN` and infinities
    /// become `NaN`.
    ///
    /// # Errors
    /// [`ReadError::Rows`] and [`ReadError::Places`] for rows that are not there and a place of another size;
    /// [`ReadError::Block`] for a strip or tile that does not unpack.
    pub fn read_rows(&mut self, first_row: usize, rows: usize, values: &mut [f32]) -> Result<(), Error> {
        self.check(first_row, rows, values.len())?;
        if rows == 0 {
            return Ok(());
        }
        if self.counted.is_empty() {
            self.counted = vec![0; self.info.height.div_ceil(64)];
        }
        let first = if self.south_up { self.info.height - first_row - rows } else { first_row };
        let (wanted, height) = (first as u64..(first + rows) as u64, self.layout.block_height);
        let blocks = wanted.start / height..wanted.end.div_ceil(height);
        let batch = self.batch();
        let mut kept = std::mem::take(&mut self.kept);
        let mut fresh = Vec::new();
        for start in blocks.clone().step_by(batch as usize) {
            let numbers: Vec<u64> = (start..(start + batch).min(blocks.end)).collect();
            let unpacked = self.unpack(&numbers, &kept).map_err(|e| self.error(e))?;
            self.copy(&unpacked, wanted.start, values);
            fresh.extend(unpacked.into_iter().filter(|(number, _)| self.keeps(*number, &blocks)));
            kept.retain(|(number, _)| *number >= start + batch);
        }
        self.kept = fresh;
        self.count_infinities(first_row, values);
        Ok(())
    }

    fn check(&self, first: usize, rows: usize, found: usize) -> Result<(), Error> {
        let height = self.info.height;
        let end = first.saturating_add(rows);
        if end > height {
            return Err(self.error(ReadError::Rows { first, end, height }));
        }
        let expected = rows.saturating_mul(self.info.width);
        if expected != found {
            return Err(self.error(ReadError::Places { expected, found }));
        }
        Ok(())
    }

    fn error(&self, error: ReadError) -> Error {
        Error::Read { path: self.path.clone(), error }
    }

    /// Rows of blocks unpacked at once: strips are few bytes and one across, so that threads need many of them.
    fn batch(&self) -> u64 {
        let bytes = self.layout.row_bytes().saturating_mul(self.layout.block_height);
        (BATCH_BYTES / bytes.saturating_mul(self.layout.across()).max(1)).clamp(1, 1024)
    }

    /// Whether a row of blocks is kept for the next call, which will most likely go on southwards.
    fn keeps(&self, number: u64, blocks: &std::ops::Range<u64>) -> bool {
        let most = KEPT_ROWS.div_ceil(self.layout.block_height).max(2);
        if self.south_up { number < blocks.start + most } else { number + most >= blocks.end }
    }

    /// Unpacks rows of blocks but those that are kept.
    fn unpack(&self, numbers: &[u64], kept: &[(u64, BlockRow)]) -> Result<Vec<(u64, BlockRow)>, ReadError> {
        let across = self.layout.across();
        let known = |number: u64| kept.iter().find(|(k, _)| *k == number).map(|(_, row)| Arc::clone(row));
        let missing: Vec<u64> = numbers.iter().copied().filter(|&n| known(n).is_none()).collect();
        let places = missing.len() as u64 * across;
        let block = |i: u64| self.block(missing[(i / across) as usize], i % across);
        let blocks: Result<Vec<_>, _> = (0..places).into_par_iter().map(block).collect();
        let mut blocks = blocks?.into_iter();
        let mut row = |number| {
            known(number).unwrap_or_else(|| Arc::new(blocks.by_ref().take(across as usize).collect()))
        };
        Ok(numbers.iter().map(|&number| (number, row(number))).collect())
    }

    /// Reads and unpacks one block.
    fn block(&self, row: u64, column: u64) -> Result<Option<Vec<f32>>, ReadError> {
        let extent = self.layout.extent(self.band as u64, row, column);
        if extent.length == 0 {
            return Ok(None);
        }
        let first_row = row * self.layout.block_height;
        let broken = |cause: String| ReadError::Block {
            first_row: if self.south_up { self.layout.height - first_row - extent.rows } else { first_row },
            last_row: if self.south_up { self.layout.height - first_row } else { first_row + extent.rows }
                - 1,
            first_column: column * self.layout.block_width,
            offset: extent.offset,
            cause,
        };
        let needed = (self.layout.row_bytes() * extent.rows) as usize;
        // No packing makes samples twice as long; what follows is not read.
        let packed = self.read(extent.offset, extent.length.min(2 * needed as u64 + 65_536))?;
        let mut bytes = self.layout.packing.unpack(packed, needed).map_err(broken)?;
        bytes.truncate(needed);
        Ok(Some(samples(&mut bytes, &self.layout, self.band, &self.meaning)))
    }

    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = vec![0; length as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Copies what rows of blocks have of the rows that are wanted, the first of which in the file is `first`.
    fn copy(&self, unpacked: &[(u64, BlockRow)], first: u64, values: &mut [f32]) {
        let width = self.info.width;
        let (height, rows) = (self.layout.block_height, (values.len() / width) as u64);
        // GDAL reads what was never written as no data where that is declared, else as 0.
        let absent = if self.meaning.missing.is_some() { f32::NAN } else { 0.0 };
        values.par_chunks_mut(width).enumerate().for_each(|(i, out)| {
            let row = first + if self.south_up { rows - 1 - i as u64 } else { i as u64 };
            let Some(nth) = (row / height).checked_sub(unpacked[0].0) else { return };
            let Some((_, blocks)) = unpacked.get(nth as usize) else { return };
            for (block, out) in blocks.iter().zip(out.chunks_mut(self.info.block[0])) {
                match block {
                    None => out.fill(absent),
                    Some(samples) => {
                        let start = (row % height) as usize * self.info.block[0];
                        out.copy_from_slice(&samples[start..start + out.len()]);
                    }
                }
            }
        });
    }

    /// Turns infinities into `NaN` and counts them, in rows that were not counted before.
    fn count_infinities(&mut self, first_row: usize, values: &mut [f32]) {
        let clear = |row: &mut [f32]| {
            let mut found = 0;
            for value in row {
                if value.is_infinite() {
                    *value = f32::NAN;
                    found += 1;
                }
            }
            found
        };
        let found: Vec<u64> = values.par_chunks_mut(self.info.width).map(clear).collect();
        for (row, found) in (first_row..).zip(found) {
            let (word, bit) = (&mut self.counted[row / 64], 1 << (row % 64));
            self.infinities += if *word & bit == 0 { found } else { 0 };
            *word |= bit;
        }
    }
}

/// GDAL's mark of no data; a mark that no sample can have is left out.
fn missing(
    file: &mut File,
    tags: &Directory,
    layout: &Layout,
    warnings: &mut Vec<String>,
) -> Result<Option<Missing>, ReadError> {
    let Some(text) = tags.text(file, Tag::GdalNodata, 256)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&text);
    let Some(mark) = Missing::parse(&text) else {
        warnings.push(format!("its mark of no data, {text:?}, is no number: no sample counts as missing"));
        return Ok(None);
    };
    if !mark.fits(layout.sample) {
        let name = layout.sample.name();
        warnings.push(format!(
            "its mark of no data, {text}, does not fit into samples of type {name}: none is missing"
        ));
        return Ok(None);
    }
    Ok(Some(mark))
}

fn warn_of_layout(layout: &Layout, missing: Option<Missing>, warnings: &mut Vec<String>) {
    match layout.sample {
        SampleType::F64 => warnings.push("its 64-bit samples are rounded to 32 bits, about 7 digits".into()),
        SampleType::U32 | SampleType::I32 | SampleType::U64 | SampleType::I64 => warnings.push(format!(
            "its samples are {}: those beyond 16777216 are rounded to 24 bits",
            layout.sample.name()
        )),
        _ => {}
    }
    let absent = layout.absent();
    if absent > 0 && missing.is_none() {
        warnings.push(format!(
            "{absent} of its blocks were never written and it has no mark of no data: they are 0"
        ));
    }
}

/// Says what else is in the file and not read: masks and turned pictures.
fn warn_of_pictures(file: &mut File, tags: &Directory, warnings: &mut Vec<String>) -> Result<(), ReadError> {
    const MASK: u64 = 4;
    if tags.number(file, Tag::Orientation)?.is_some_and(|o| o != 1) {
        warnings.push(
            "it says that it is turned (tag Orientation), which GIS programs and this one ignore".into(),
        );
    }
    let mut next = tags.following(file);
    for _ in 0..MOST_PICTURES {
        let Some(Ok(picture)) = next else { break };
        if picture.number(file, Tag::NewSubfileType)?.is_some_and(|t| t & MASK != 0) {
            warnings.push("it has a mask picture, which is not read: masked samples count as data".into());
            break;
        }
        next = picture.following(file);
    }
    Ok(())
}
