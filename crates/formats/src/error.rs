//! What can go wrong when a file is written or read.

use std::path::PathBuf;

use crate::geotiff::Tag;

/// Any error of a format's own encoder, or of the disk, under a file's name.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A file could not be read or written. An old file that was to be replaced is untouched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder, the disk or the encoder refused.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file that was asked for.
        path: PathBuf,
        /// What refused, in its own words.
        #[source]
        cause: Cause,
    },
    /// What was to be written is no raster.
    #[error("cannot write {}: {error}", path.display())]
    Raster {
        /// The file that was asked for.
        path: PathBuf,
        /// What is wrong with the raster.
        #[source]
        error: RasterError,
    },
    /// What was to be read is no file, no TIFF, or one that is broken or holds something else.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file that was asked for.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        error: ReadError,
    },
}

/// Why a GeoTIFF or a PNG cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] std::io::Error),
    /// A folder, a pipe, a device.
    #[error("it is a {0}, not a file")]
    NoFile(&'static str),
    /// A file of no bytes.
    #[error("the file is empty")]
    Empty,
    /// Another kind of file.
    #[error(
        "it is no TIFF: it begins with the bytes {found}not with \"II\" or \"MM\" and 42 or 43 (gdal_translate makes TIFFs)"
    )]
    NotTiff {
        /// Its first bytes, in hexadecimal.
        found: String,
    },
    /// A picture that does not unpack.
    #[error("it is no PNG, or a broken one: {0}")]
    Png(String),
    /// A place beyond the end of the file.
    #[error(
        "it is cut short: {what} runs to byte {end}, but the file ends at {file_bytes}; fetch or write it anew"
    )]
    Cut {
        /// What should be there.
        what: String,
        /// Where it would end.
        end: u64,
        /// Where the file ends.
        file_bytes: u64,
    },
    /// A list of tags that is none.
    #[error("at byte {place} there should be the list of its tags, but it would have {count} (1 to 4096)")]
    Directory {
        /// Where the list should be.
        place: u64,
        /// Tags it claims to have.
        count: u64,
    },
    /// A tag whose value makes no sense.
    #[error("tag {tag} ({name}) is {found}: it must be {rule}")]
    Tag {
        /// The tag's number.
        tag: u16,
        /// Its name in the specification.
        name: String,
        /// Its value.
        found: String,
        /// What would be right.
        rule: String,
    },
    /// A sound file of a kind that is not read.
    #[error("{what}; {remedy}")]
    Unsupported {
        /// What it is.
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// A band that is not there.
    #[error("there is no band {asked}: it has {bands}, counted from 1")]
    Band {
        /// The band asked for.
        asked: usize,
        /// Bands in the file.
        bands: usize,
    },
    /// Rows that are not there.
    #[error("rows {first} to {end} were asked for, but it has {height}")]
    Rows {
        /// First row asked for, from 0.
        first: usize,
        /// The row after the last.
        end: usize,
        /// Rows in the file.
        height: usize,
    },
    /// A place for another number of samples than asked for.
    #[error("{expected} samples were asked for, into a place for {found}")]
    Places {
        /// Samples asked for.
        expected: usize,
        /// Places given.
        found: usize,
    },
    /// A strip or a tile that does not unpack.
    #[error(
        "the block of rows {first_row} to {last_row} and columns from {first_column} (byte {offset}) is broken: {cause}; fetch or write it anew"
    )]
    Block {
        /// First row in it.
        first_row: u64,
        /// Last row in it.
        last_row: u64,
        /// First column in it.
        first_column: u64,
        /// Where it is in the file.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
}

impl ReadError {
    pub(crate) fn tag(tag: Tag, found: impl ToString, rule: impl Into<String>) -> Self {
        Self::Tag { tag: tag as u16, name: format!("{tag:?}"), found: found.to_string(), rule: rule.into() }
    }

    pub(crate) fn unsupported(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into(), remedy: remedy.into() }
    }
}

/// A raster that no format can hold.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RasterError {
    /// A side of zero samples, or one beyond what the formats count (2^31 - 1).
    #[error("a raster of {width} x {height} samples: each side must be 1 to 2147483647")]
    Size {
        /// Samples from west to east.
        width: usize,
        /// Samples from north to south.
        height: usize,
    },
    /// No bands, or more than a GeoTIFF counts.
    #[error("a raster of {0} bands: there must be 1 to 65535")]
    BandCount(usize),
    /// A band of another length than the raster.
    #[error("band {band:?} has {found} values, its raster {expected} samples")]
    BandLength {
        /// The band's name.
        band: String,
        /// Values in it.
        found: usize,
        /// Width times height.
        expected: usize,
    },
    /// A georeference that places nothing.
    #[error("georeference {name} is {value}: it must be {rule}")]
    Georeference {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What would be right.
        rule: &'static str,
    },
    /// A value that a scaled integer cannot stand for.
    #[error("band {band:?} holds {value} at sample {index}: 16-bit heights need finite values")]
    NotFinite {
        /// The band's name.
        band: String,
        /// Row-major index of the first such sample.
        index: usize,
        /// The value.
        value: f32,
    },
    /// Values beyond the range that integers are to stand for.
    #[error(
        "band {band:?} holds {least} to {greatest}, more than the range {low} to {high} that 0 and 65535 are to stand for"
    )]
    OutOfRange {
        /// The band's name.
        band: String,
        /// Its least value.
        least: f64,
        /// Its greatest.
        greatest: f64,
        /// What 0 is to stand for.
        low: f64,
        /// What 65535 is to stand for.
        high: f64,
    },
    /// A picture of another length than its size says.
    #[error("a picture of {width} x {height} pixels has {found} bytes, not {expected}")]
    PictureLength {
        /// Pixels from left to right.
        width: usize,
        /// Pixels from top to bottom.
        height: usize,
        /// Bytes given.
        found: usize,
        /// Bytes that size has.
        expected: usize,
    },
    /// A file that is written by rows got too many, too few, or part of one.
    #[error("{given} values were written to a raster of {width} x {height} samples")]
    Rows {
        /// Values given so far.
        given: usize,
        /// Samples from west to east.
        width: usize,
        /// Samples from north to south.
        height: usize,
    },
    /// A mark for missing values that the samples cannot hold.
    #[error("no data as {value} does not fit into samples of type {sample}")]
    Nodata {
        /// The mark.
        value: f64,
        /// The samples' type.
        sample: &'static str,
    },
}
