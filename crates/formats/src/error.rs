//! What can go wrong when a file is written.

use std::path::PathBuf;

/// Any error of a format's own encoder, or of the disk, under a file's name.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A file could not be written. The old file, if there was one, is untouched.
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
}
