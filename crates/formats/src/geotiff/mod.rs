//! One GeoTIFF for all bands of a raster, as GDAL and QGIS like it: 256 x 256 tiles, bands apart, deflate with
//! a predictor, names and units of bands, the reference system.
//!
//! A TIFF has one sample type. Bands of several types are stored in the smallest one that holds every value
//! exactly, so what is read back equals what was written. `NaN` marks missing values.

use std::io::{Seek, Write};
use std::path::Path;

use tiff::encoder::{DirectoryEncoder, TiffEncoder, TiffKind, TiffKindBig, TiffKindStandard};
use tiff::tags::Tag;

use crate::{BandValues, Cause, Error, Raster, atomic};

mod keys;
mod metadata;
mod tiles;

use keys::GeoKeys;
use tiles::{Blocks, Sample};

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
    atomic(path, |out| encode(out, raster, meta))
}

/// The same to any writer that can seek.
fn encode<W: Write + Seek>(out: W, raster: &Raster, meta: &[(String, String)]) -> Result<(), Cause> {
    let sample = Sample::for_bands(&raster.bands);
    let bytes = raster.width * raster.height * raster.bands.len() * sample.bytes();
    if bytes < CLASSIC_LIMIT_BYTES {
        let mut file = TiffEncoder::<W, TiffKindStandard>::new_generic(out)?;
        fill(file.image_directory()?, raster, sample, meta)
    } else {
        let mut file = TiffEncoder::<W, TiffKindBig>::new_generic(out)?;
        fill(file.image_directory()?, raster, sample, meta)
    }
}

fn fill<W: Write + Seek, K: TiffKind>(
    mut file: DirectoryEncoder<'_, W, K>,
    raster: &Raster,
    sample: Sample,
    meta: &[(String, String)],
) -> Result<(), Cause> {
    let blocks = tiles::write(&mut file, raster, sample)?;
    describe_image(&mut file, raster, sample)?;
    describe_tiles(&mut file, &blocks, sample)?;
    place(&mut file, raster)?;
    file.write_tag(Tag::Unknown(metadata::GDAL_METADATA), metadata::xml(&raster.bands, meta).as_str())?;
    if has_nan(raster) {
        file.write_tag(Tag::GdalNodata, "nan")?;
    }
    file.finish()?;
    Ok(())
}

fn describe_image<W: Write + Seek, K: TiffKind>(
    file: &mut DirectoryEncoder<'_, W, K>,
    raster: &Raster,
    sample: Sample,
) -> Result<(), Cause> {
    const DEFLATE: u16 = 8;
    const MIN_IS_BLACK: u16 = 1;
    const BANDS_APART: u16 = 2;
    let bands = raster.bands.len();
    file.write_tag(Tag::ImageWidth, u32::try_from(raster.width)?)?;
    file.write_tag(Tag::ImageLength, u32::try_from(raster.height)?)?;
    file.write_tag(Tag::BitsPerSample, &vec![8 * sample.bytes() as u16; bands][..])?;
    file.write_tag(Tag::SampleFormat, &vec![sample.format(); bands][..])?;
    file.write_tag(Tag::SamplesPerPixel, u16::try_from(bands)?)?;
    file.write_tag(Tag::Compression, DEFLATE)?;
    file.write_tag(Tag::PhotometricInterpretation, MIN_IS_BLACK)?;
    file.write_tag(Tag::PlanarConfiguration, BANDS_APART)?;
    file.write_tag(Tag::Predictor, sample.predictor())?;
    file.write_tag(Tag::Software, concat!("terrane ", env!("CARGO_PKG_VERSION")))?;
    if bands > 1 {
        // Every band after the first is "unspecified": none is opacity.
        file.write_tag(Tag::ExtraSamples, &vec![0_u16; bands - 1][..])?;
    }
    Ok(())
}

fn describe_tiles<W: Write + Seek, K: TiffKind>(
    file: &mut DirectoryEncoder<'_, W, K>,
    blocks: &Blocks,
    sample: Sample,
) -> Result<(), Cause> {
    let _ = sample;
    file.write_tag(Tag::TileWidth, tiles::SIDE as u32)?;
    file.write_tag(Tag::TileLength, tiles::SIDE as u32)?;
    let offsets: Result<Vec<K::OffsetType>, _> =
        blocks.offsets.iter().map(|&o| K::convert_offset(o)).collect();
    file.write_tag(Tag::TileOffsets, K::convert_slice(&offsets?))?;
    file.write_tag(Tag::TileByteCounts, &blocks.lengths[..])?;
    Ok(())
}

fn place<W: Write + Seek, K: TiffKind>(
    file: &mut DirectoryEncoder<'_, W, K>,
    raster: &Raster,
) -> Result<(), Cause> {
    let at = &raster.georeference;
    let keys = GeoKeys::of(&at.crs);
    file.write_tag(Tag::ModelPixelScaleTag, &[at.step_x, at.step_y, 0.0][..])?;
    file.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, at.west, at.north, 0.0][..])?;
    file.write_tag(Tag::GeoKeyDirectoryTag, &keys.directory()[..])?;
    if !keys.doubles().is_empty() {
        file.write_tag(Tag::GeoDoubleParamsTag, keys.doubles())?;
    }
    file.write_tag(Tag::GeoAsciiParamsTag, keys.ascii())?;
    Ok(())
}

fn has_nan(raster: &Raster) -> bool {
    raster.bands.iter().any(|band| match &band.values {
        BandValues::F32(v) => v.iter().any(|x| x.is_nan()),
        _ => false,
    })
}
