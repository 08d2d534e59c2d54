//! Tiles of samples: cut out, predicted, deflated on all threads, written in order.

use std::io::{Seek, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;

use super::directory::TiffFile;
use crate::{Band, BandValues, Cause};

/// Samples along a tile's side: what GDAL reads as one block.
pub(super) const SIDE: usize = 256;

/// Tiles compressed between two writes: enough for any number of threads, 32 MB of `f64` at most.
const BATCH: usize = 64;

/// zlib level 4 takes four to five times the time of level 1 for 3 to 5 % of the size of heights.
const LEVEL: u32 = 1;

/// A type of number that GeoTIFFs are written in.
pub trait Sample: Stored {}

impl<T: Stored> Sample for T {}

/// How a type is stored. It is sealed: what it says is part of the file.
pub trait Stored: Copy + Default + PartialEq + Send + Sync + 'static {
    /// Bytes of one number.
    const BYTES: usize;
    /// TIFF's `SampleFormat`: 1 is unsigned, 2 signed, 3 IEEE.
    const FORMAT: u16;
    /// Its name as GDAL gives it.
    const NAME: &'static str;
    /// The number of this type; whole numbers are cut off at the type's ends.
    fn from_f64(value: f64) -> Self;
    /// The same number.
    fn to_f64(self) -> f64;
    #[doc(hidden)]
    fn predict(row: &[Self], bytes: &mut Vec<u8>);
}

macro_rules! stored {
    ($($kind:ty, $format:literal, $name:literal, $predict:expr;)*) => {$(
        impl Stored for $kind {
            const BYTES: usize = size_of::<$kind>();
            const FORMAT: u16 = $format;
            const NAME: &'static str = $name;
            fn from_f64(value: f64) -> Self {
                value as $kind
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn predict(row: &[Self], bytes: &mut Vec<u8>) {
                let predict: fn(&[$kind], &mut Vec<u8>) = $predict;
                predict(row, bytes);
            }
        }
    )*};
}

stored! {
    u8, 1, "Byte", |row, bytes| differences(row, |a, b| a.wrapping_sub(b), |d| bytes.push(d));
    u16, 1, "UInt16", |row, bytes| differences(row, |a, b| a.wrapping_sub(b), |d| bytes.extend(d.to_ne_bytes()));
    u32, 1, "UInt32", |row, bytes| differences(row, |a, b| a.wrapping_sub(b), |d| bytes.extend(d.to_ne_bytes()));
    i32, 2, "Int32", |row, bytes| differences(row, |a, b| a.wrapping_sub(b), |d| bytes.extend(d.to_ne_bytes()));
    f32, 3, "Float32", |row, bytes| byte_planes(row, f32::to_be_bytes, bytes);
    f64, 3, "Float64", |row, bytes| byte_planes(row, f64::to_be_bytes, bytes);
}

/// TIFF's `Predictor`: 2 is the difference of neighbours, 3 that of the bytes of neighbours.
pub(super) fn predictor<T: Stored>() -> u16 {
    if T::FORMAT == 3 { 3 } else { 2 }
}

/// The smallest type that holds every value of every band exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Common {
    U8,
    U16,
    U32,
    F32,
    F64,
}

impl Common {
    pub fn of(bands: &[Band]) -> Self {
        let real = bands.iter().any(|b| matches!(b.values, BandValues::F32(_)));
        let widest = bands.iter().map(|b| b.values.integer_bytes()).max().unwrap_or(0);
        match (real, widest) {
            (false, 0 | 1) => Self::U8,
            (false, 2) => Self::U16,
            (false, _) => Self::U32,
            (true, 4) if bands.iter().any(beyond_f32) => Self::F64,
            (true, _) => Self::F32,
        }
    }
}

/// Whether an id of the band needs more than the 24 bits of an `f32`.
fn beyond_f32(band: &Band) -> bool {
    matches!(&band.values, BandValues::U32(v) if v.iter().any(|&x| f64::from(x as f32) != f64::from(x)))
}

impl BandValues {
    fn integer_bytes(&self) -> usize {
        match self {
            Self::F32(_) => 0,
            Self::U8(_) => 1,
            Self::U16(_) => 2,
            Self::U32(_) => 4,
        }
    }

    /// A run of values as another type that holds them.
    pub(super) fn run<T: Stored>(&self, range: std::ops::Range<usize>) -> Vec<T> {
        fn each<S: Stored, T: Stored>(values: &[S]) -> Vec<T> {
            values.par_iter().map(|v| T::from_f64(v.to_f64())).collect()
        }
        match self {
            Self::F32(v) => each(&v[range]),
            Self::U8(v) => each(&v[range]),
            Self::U16(v) => each(&v[range]),
            Self::U32(v) => each(&v[range]),
        }
    }
}

/// Where the tiles of a file lie in it.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub offsets: Vec<u64>,
    pub lengths: Vec<u32>,
}

impl Blocks {
    /// Writes one row of tiles from at most [`SIDE`] rows of samples. Beyond the raster's border the last column
    /// and row go on, which compresses best; readers never show those samples.
    pub fn write_row<T: Stored, W: Write + Seek>(
        &mut self,
        file: &mut TiffFile<W>,
        rows: &[T],
        width: usize,
    ) -> Result<(), Cause> {
        let columns: Vec<usize> = (0..width).step_by(SIDE).collect();
        for batch in columns.chunks(BATCH) {
            let packed: Result<Vec<_>, _> =
                batch.par_iter().map(|&column| deflated(&predicted(rows, width, column))).collect();
            for bytes in packed? {
                self.lengths.push(u32::try_from(bytes.len())?);
                self.offsets.push(file.data(&bytes)?);
            }
        }
        Ok(())
    }
}

pub(super) fn deflated(bytes: &[u8]) -> Result<Vec<u8>, std::io::Error> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::new(LEVEL));
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// A whole tile's bytes after the predictor.
pub(super) fn predicted<T: Stored>(rows: &[T], width: usize, column: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SIDE * SIDE * T::BYTES);
    let mut tile_row = [T::default(); SIDE];
    let inside = SIDE.min(width - column);
    for y in 0..SIDE {
        let start = y.min(rows.len() / width - 1) * width + column;
        let row = &rows[start..start + inside];
        tile_row[..inside].copy_from_slice(row);
        tile_row[inside..].fill(row[inside - 1]);
        T::predict(&tile_row, &mut bytes);
    }
    bytes
}

/// Predictor 2: each sample less the one to its left.
fn differences<T: Copy + Default>(row: &[T], minus: impl Fn(T, T) -> T, mut put: impl FnMut(T)) {
    let mut left = T::default();
    for &value in row {
        put(minus(value, left));
        left = value;
    }
}

/// Predictor 3 (Adobe's technical note 3, 2005): the row's first bytes, then all second bytes and so on, most
/// significant first; then each byte less the one to its left.
fn byte_planes<T: Copy, const N: usize>(row: &[T], stored: impl Fn(T) -> [u8; N], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + row.len() * N, 0);
    let planes = &mut bytes[start..];
    for (i, &value) in row.iter().enumerate() {
        for (plane, byte) in stored(value).into_iter().enumerate() {
            planes[plane * row.len() + i] = byte;
        }
    }
    for i in (1..planes.len()).rev() {
        planes[i] = planes[i].wrapping_sub(planes[i - 1]);
    }
}
