//! Pictures, and 16-bit heightmaps for game engines and image programs; grey ones are read back by rows.

mod grey;

pub use grey::GreyReader;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use ::png::{BitDepth, ColorType, Compression, Encoder, Writer};

use crate::raw::{Scale16, check};
use crate::sidecar::Sidecar;
use crate::{Cause, Error, Raster, RasterError, atomic};

/// Writes an 8-bit picture with opacity: four bytes a pixel, rows from the top.
///
/// # Errors
/// [`RasterError::PictureLength`] if the bytes are not `4 * width * height`, else [`Error::Write`].
pub fn write_rgba(path: &Path, width: usize, height: usize, pixels: &[u8]) -> Result<(), Error> {
    write_picture(path, (width, height), pixels, ColorType::Rgba)
}

/// Writes an 8-bit opaque picture: three bytes a pixel, rows from the top.
///
/// # Errors
/// [`RasterError::PictureLength`] if the bytes are not `3 * width * height`, else [`Error::Write`].
pub fn write_rgb8(path: &Path, width: usize, height: usize, pixels: &[u8]) -> Result<(), Error> {
    write_picture(path, (width, height), pixels, ColorType::Rgb)
}

/// Writes an 8-bit opaque picture row by row, so that it need not be in memory as bytes: `fill` is called for each row
/// from the top with three bytes a pixel to set.
///
/// # Errors
/// [`Error::Write`].
pub fn write_rgb8_rows(
    path: &Path,
    width: usize,
    height: usize,
    mut fill: impl FnMut(usize, &mut [u8]),
) -> Result<(), Error> {
    atomic(path, |out| {
        let mut writer = header(out, (width, height), (ColorType::Rgb, BitDepth::Eight), &[])?;
        let mut stream = writer.stream_writer()?;
        let mut row = vec![0; width * 3];
        for y in 0..height {
            fill(y, &mut row);
            stream.write_all(&row)?;
        }
        stream.finish()?;
        writer.finish()?;
        Ok(())
    })
}

/// An 8-bit opaque picture as the bytes of a PNG: three bytes a pixel, rows from the top.
///
/// # Errors
/// The bytes are not `3 * width * height`.
pub fn rgb8_bytes(width: usize, height: usize, pixels: &[u8]) -> Result<Vec<u8>, Cause> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, u32::try_from(width)?, u32::try_from(height)?);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// A picture's width and height.
type Size = (usize, usize);

fn write_picture(path: &Path, (width, height): Size, pixels: &[u8], colour: ColorType) -> Result<(), Error> {
    let expected = width.saturating_mul(height).saturating_mul(colour.samples());
    if pixels.len() != expected {
        let error = RasterError::PictureLength { width, height, found: pixels.len(), expected };
        return Err(Error::Raster { path: path.into(), error });
    }
    atomic(path, |out| {
        let mut writer = header(out, (width, height), (colour, BitDepth::Eight), &[])?;
        writer.write_image_data(pixels)?;
        writer.finish()?;
        Ok(())
    })
}

/// Writes a raster's first band as a 16-bit grey picture: 0 and 65535 stand for the ends of the range, if one is given, else for its least
/// and greatest value.
///
/// What those two are stands in the picture (`tEXt` chunks `min`, `max`, `unit`) and in `NAME.json` beside it.
///
/// # Errors
/// [`Error::Raster`] for parts that do not fit together, values that are not finite or beyond the range, else [`Error::Write`].
pub fn write_u16(
    path: &Path,
    raster: &Raster,
    range: Option<(f64, f64)>,
    notes: &[(String, String)],
) -> Result<(), Error> {
    check(path, raster)?;
    let band = &raster.bands[0];
    let scale = Scale16::of(band, range).map_err(|error| Error::Raster { path: path.into(), error })?;
    let texts = [
        ("Title", band.name.clone()),
        ("min", scale.min.to_string()),
        ("max", scale.max.to_string()),
        ("unit", band.unit.clone()),
    ];
    atomic(path, |out| {
        let size = (raster.width, raster.height);
        let mut writer = header(out, size, (ColorType::Grayscale, BitDepth::Sixteen), &texts)?;
        let mut stream = writer.stream_writer()?;
        scale.each(band, |n| stream.write_all(&n.to_be_bytes()))?;
        stream.finish()?;
        writer.finish()?;
        Ok(())
    })?;
    Sidecar::scaled(raster, &[scale], "big").with(notes).write_beside(path)
}

fn header<'w>(
    out: &'w mut BufWriter<File>,
    (width, height): Size,
    (colour, depth): (ColorType, BitDepth),
    texts: &[(&str, String)],
) -> Result<Writer<&'w mut BufWriter<File>>, Cause> {
    let mut encoder = Encoder::new(out, u32::try_from(width)?, u32::try_from(height)?);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.set_compression(Compression::Balanced);
    for (keyword, text) in texts {
        encoder.add_text_chunk((*keyword).into(), text.clone())?;
    }
    Ok(encoder.write_header()?)
}
