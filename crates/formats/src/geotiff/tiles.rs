//! Tiles of samples: cut out, predicted, deflated on all threads, written in order.

use std::io::{Seek, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
use tiff::encoder::{DirectoryEncoder, TiffKind};

use crate::{Band, BandValues, Cause, Raster};

/// Samples along a tile's side: what GDAL reads as one block.
pub(super) const SIDE: usize = 256;

/// Tiles compressed between two writes: enough for any number of threads, 32 MB of `f64` at most.
const BATCH: usize = 64;

/// zlib level 6 takes twice the time of level 4 for about 2 % of the size.
const LEVEL: u32 = 4;

/// The one sample type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sample {
    U8,
    U16,
    U32,
    F32,
    F64,
}

impl Sample {
    /// The smallest type that holds every value of every band exactly.
    pub fn for_bands(bands: &[Band]) -> Self {
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

    pub fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// TIFF's `SampleFormat`: 1 is unsigned, 3 is IEEE.
    pub fn format(self) -> u16 {
        if matches!(self, Self::F32 | Self::F64) { 3 } else { 1 }
    }

    /// TIFF's `Predictor`: 2 is the difference of neighbours, 3 that of the bytes of neighbours.
    pub fn predictor(self) -> u16 {
        if matches!(self, Self::F32 | Self::F64) { 3 } else { 2 }
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

    fn get(&self, i: usize) -> f64 {
        match self {
            Self::F32(v) => f64::from(v[i]),
            Self::U8(v) => f64::from(v[i]),
            Self::U16(v) => f64::from(v[i]),
            Self::U32(v) => f64::from(v[i]),
        }
    }
}

/// Where the tiles of a file lie in it.
pub(super) struct Blocks {
    pub offsets: Vec<u64>,
    pub lengths: Vec<u32>,
}

/// One tile's place: its band, and its first column and row.
struct Place {
    band: usize,
    x: usize,
    y: usize,
}

/// Writes all tiles: band by band, in each by rows from the north.
pub(super) fn write<W: Write + Seek, K: TiffKind>(
    file: &mut DirectoryEncoder<'_, W, K>,
    raster: &Raster,
    sample: Sample,
) -> Result<Blocks, Cause> {
    let places = places(raster);
    let mut blocks = Blocks { offsets: Vec::new(), lengths: Vec::new() };
    for batch in places.chunks(BATCH) {
        let packed: Result<Vec<Vec<u8>>, std::io::Error> =
            batch.par_iter().map(|place| deflated(&predicted(raster, place, sample))).collect();
        for bytes in packed? {
            blocks.lengths.push(u32::try_from(bytes.len())?);
            blocks.offsets.push(file.write_data(&bytes[..])?);
        }
    }
    Ok(blocks)
}

fn places(raster: &Raster) -> Vec<Place> {
    let (across, down) = (raster.width.div_ceil(SIDE), raster.height.div_ceil(SIDE));
    let of_band =
        |band| (0..down * across).map(move |i| Place { band, x: i % across * SIDE, y: i / across * SIDE });
    (0..raster.bands.len()).flat_map(of_band).collect()
}

fn deflated(bytes: &[u8]) -> Result<Vec<u8>, std::io::Error> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::new(LEVEL));
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// A whole tile's bytes after the predictor. Beyond the raster's border the last column and row go on, which
/// compresses best; readers never show those samples.
fn predicted(raster: &Raster, place: &Place, sample: Sample) -> Vec<u8> {
    let values = &raster.bands[place.band].values;
    let mut bytes = Vec::with_capacity(SIDE * SIDE * sample.bytes());
    let mut row = [0.0_f64; SIDE];
    for y in place.y..place.y + SIDE {
        let start = y.min(raster.height - 1) * raster.width;
        for (dx, value) in row.iter_mut().enumerate() {
            *value = values.get(start + (place.x + dx).min(raster.width - 1));
        }
        predict_row(&row, sample, &mut bytes);
    }
    bytes
}

fn predict_row(row: &[f64; SIDE], sample: Sample, bytes: &mut Vec<u8>) {
    match sample {
        Sample::U8 => differences(row, |v| v as u8, |a, b| a.wrapping_sub(b), |d| bytes.push(d)),
        Sample::U16 => differences(
            row,
            |v| v as u16,
            |a, b| a.wrapping_sub(b),
            |d| bytes.extend_from_slice(&d.to_ne_bytes()),
        ),
        Sample::U32 => differences(
            row,
            |v| v as u32,
            |a, b| a.wrapping_sub(b),
            |d| bytes.extend_from_slice(&d.to_ne_bytes()),
        ),
        Sample::F32 => byte_planes(row, |v| (v as f32).to_be_bytes(), bytes),
        Sample::F64 => byte_planes(row, f64::to_be_bytes, bytes),
    }
}

/// Predictor 2: each sample less the one to its left.
fn differences<T: Copy + Default>(
    row: &[f64; SIDE],
    stored: impl Fn(f64) -> T,
    minus: impl Fn(T, T) -> T,
    mut put: impl FnMut(T),
) {
    let mut left = T::default();
    for &value in row {
        let value = stored(value);
        put(minus(value, left));
        left = value;
    }
}

/// Predictor 3 (Adobe's technical note 3, 2005): the row's first bytes, then all second bytes and so on, most
/// significant first; then each byte less the one to its left.
fn byte_planes<const N: usize>(row: &[f64; SIDE], stored: impl Fn(f64) -> [u8; N], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + SIDE * N, 0);
    let planes = &mut bytes[start..];
    for (i, &value) in row.iter().enumerate() {
        for (plane, byte) in stored(value).into_iter().enumerate() {
            planes[plane * SIDE + i] = byte;
        }
    }
    for i in (1..planes.len()).rev() {
        planes[i] = planes[i].wrapping_sub(planes[i - 1]);
    }
}
