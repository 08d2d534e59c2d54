//! Pictures as bytes.

use super::planet::Failure;
use png::{BitDepth, ColorType, Compression, Encoder};

/// An opaque picture of three bytes a pixel.
///
/// # Errors
/// The bytes are not as many as the pixels.
pub fn rgb(width: usize, height: usize, pixels: &[u8]) -> Result<Vec<u8>, Failure> {
    encode((width, height), ColorType::Rgb, pixels)
        .map_err(|e| Failure(format!("the picture cannot be packed: {e}")))
}

/// The same with opacity, four bytes a pixel.
///
/// # Errors
/// The bytes are not as many as the pixels.
pub fn rgba(width: usize, height: usize, pixels: &[u8]) -> Result<Vec<u8>, Failure> {
    encode((width, height), ColorType::Rgba, pixels)
        .map_err(|e| Failure(format!("the picture cannot be packed: {e}")))
}

fn encode(
    (width, height): (usize, usize),
    colour: ColorType,
    pixels: &[u8],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(colour);
    encoder.set_depth(BitDepth::Eight);
    // a browser on the same machine: time counts more than length
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}
