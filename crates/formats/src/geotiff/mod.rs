//! GeoTIFF: any of them read by rows, our own written whole or by rows.
//!
//! What is written is one file for all bands of a raster, as GDAL and QGIS like it: 256 x 256 tiles, bands apart,
//! deflate with a predictor, names and units of bands, the reference system. A TIFF has one sample type. Bands of
//! several types are stored in the smallest one that holds every value exactly, so what is read back equals what
//! was written. `NaN` marks missing values.
//!
//! [`Reader`] takes what other programs write: classic and BigTIFF of either byte order; strips, tiles and
//! missing ones; integers of 8 to 64 bits, reals of 32 and 64; unpacked, LZW, deflate, PackBits, zstd, with each
//! predictor; marks of no data, scales and offsets as GDAL writes them; any reference system, north up or south
//! up. It says what it does not take, and what to do about it.

use std::io::{Seek, Write};
use std::path::Path;

use rayon::prelude::*;

use crate::{BandValues, Cause, Error, Georeference, Raster, atomic};

mod cog;
mod directory;
mod foreign;
mod head;
mod keys;
mod layout;
mod metadata;
mod place;
mod pyramid;
mod reader;
mod rows;
mod samples;
mod tags;
mod tiles;
mod unpack;

pub use cog::write_cog;
pub use foreign::ForeignCrs;
pub use layout::SampleType;
pub use reader::{Info, Reader};
pub use rows::{Layer, RowWriter};
pub(crate) use tags::Tag;
pub use tiles::Sample;

use directory::{TagList, TiffFile, Values};
use keys::GeoKeys;
use tiles::{Blocks, Common, SIDE, Stored};

/// Files that might pass 4 GiB are BigTIFF. Deflate adds next to nothing to what it cannot shrink.
const CLASSIC_LIMIT_BYTES: usize = 4_000_000_000;

/// Writes a raster with notes (`meta`: names and values of the file as a whole).
///
/// Tiles are compressed on all threads, a few dozen at a time: memory beyond the raster stays under 100 MB.
///
/// # Errors
/// [`Error::Raster`] for a raster whose parts do not fit together, [`Error::Write`] for the rest.
pub fn write(path: &Path, raster: &Raster, meta: &[(String, String)]) -> Result<(), Error> {
    raster.check().map_err(|error| Error::Raster { path: path.into(), error })?;
    atomic(path, |out| match Common::of(&raster.bands) {
        Common::U8 => encode::<u8, _>(out, raster, meta),
        Common::U16 => encode::<u16, _>(out, raster, meta),
        Common::U32 => encode::<u32, _>(out, raster, meta),
        Common::F32 => encode::<f32, _>(out, raster, meta),
        Common::F64 => encode::<f64, _>(out, raster, meta),
    })
}

/// The same to any writer that can seek.
fn encode<T: Stored, W: Write + Seek>(
    out: W,
    raster: &Raster,
    meta: &[(String, String)],
) -> Result<(), Cause> {
    let Raster { width, height, ref georeference, ref bands } = *raster;
    let mut file = TiffFile::new(out, is_big(width, height, bands.len(), T::BYTES))?;
    let mut blocks = Blocks::default();
    for band in bands {
        for row in (0..height).step_by(SIDE) {
            let rows = band.values.run::<T>(row * width..height.min(row + SIDE) * width);
            blocks.write_row(&mut file, &rows, width)?;
        }
    }
    let names: Vec<_> = bands.iter().map(|b| (b.name.as_str(), b.unit.as_str())).collect();
    let nodata = has_nan(raster).then(|| "nan".into());
    describe::<T>(&mut file, &blocks, &Notes { width, height, georeference, bands: &names, meta, nodata })?;
    file.finish()?;
    Ok(())
}

fn is_big(width: usize, height: usize, bands: usize, sample_bytes: usize) -> bool {
    width.saturating_mul(height).saturating_mul(bands * sample_bytes) >= CLASSIC_LIMIT_BYTES
}

fn has_nan(raster: &Raster) -> bool {
    raster.bands.iter().any(|band| match &band.values {
        BandValues::F32(v) => v.par_iter().any(|x| x.is_nan()),
        _ => false,
    })
}

/// What a file says of its samples.
struct Notes<'a> {
    width: usize,
    height: usize,
    georeference: &'a Georeference,
    /// Names and units.
    bands: &'a [(&'a str, &'a str)],
    meta: &'a [(String, String)],
    nodata: Option<String>,
}

fn describe<T: Stored>(file: &mut impl TagList, blocks: &Blocks, about: &Notes) -> Result<(), Cause> {
    describe_image::<T>(file, about)?;
    tiles_at(file, blocks)?;
    place(file, about.georeference)?;
    file.tag(Tag::GdalMetadata, &Values::Text(&metadata::xml(about.bands, about.meta)))?;
    if let Some(mark) = &about.nodata {
        file.tag(Tag::GdalNodata, &Values::Text(mark))?;
    }
    Ok(())
}

fn tiles_at(file: &mut impl TagList, blocks: &Blocks) -> Result<(), Cause> {
    file.tag(Tag::TileWidth, &Values::Longs(&[SIDE as u32]))?;
    file.tag(Tag::TileLength, &Values::Longs(&[SIDE as u32]))?;
    file.tag(Tag::TileOffsets, &Values::Places(&blocks.offsets))?;
    file.tag(Tag::TileByteCounts, &Values::Longs(&blocks.lengths))?;
    Ok(())
}

fn describe_image<T: Stored>(file: &mut impl TagList, about: &Notes) -> Result<(), Cause> {
    const DEFLATE: u16 = 8;
    const MIN_IS_BLACK: u16 = 1;
    const BANDS_APART: u16 = 2;
    let bands = about.bands.len();
    file.tag(Tag::ImageWidth, &Values::Longs(&[u32::try_from(about.width)?]))?;
    file.tag(Tag::ImageLength, &Values::Longs(&[u32::try_from(about.height)?]))?;
    file.tag(Tag::BitsPerSample, &Values::Shorts(&vec![8 * T::BYTES as u16; bands]))?;
    file.tag(Tag::SampleFormat, &Values::Shorts(&vec![T::FORMAT; bands]))?;
    file.short(Tag::SamplesPerPixel, u16::try_from(bands)?)?;
    file.short(Tag::Compression, DEFLATE)?;
    file.short(Tag::PhotometricInterpretation, MIN_IS_BLACK)?;
    file.short(Tag::PlanarConfiguration, BANDS_APART)?;
    file.short(Tag::Predictor, tiles::predictor::<T>())?;
    file.tag(Tag::Software, &Values::Text(concat!("terrane ", env!("CARGO_PKG_VERSION"))))?;
    if bands > 1 {
        // Every band after the first is "unspecified": none is opacity.
        file.tag(Tag::ExtraSamples, &Values::Shorts(&vec![0; bands - 1]))?;
    }
    Ok(())
}

fn place(file: &mut impl TagList, at: &Georeference) -> Result<(), Cause> {
    file.tag(Tag::ModelPixelScale, &Values::Reals(&[at.step_x, at.step_y, 0.0]))?;
    file.tag(Tag::ModelTiepoint, &Values::Reals(&[0.0, 0.0, 0.0, at.west, at.north, 0.0]))?;
    let keys = GeoKeys::of(&at.crs);
    if keys.is_empty() {
        return Ok(());
    }
    file.tag(Tag::GeoKeyDirectory, &Values::Shorts(&keys.directory()))?;
    if !keys.doubles().is_empty() {
        file.tag(Tag::GeoDoubleParams, &Values::Reals(keys.doubles()))?;
    }
    if !keys.ascii().is_empty() {
        file.tag(Tag::GeoAsciiParams, &Values::Text(keys.ascii()))?;
    }
    Ok(())
}
