//! Heights as colours, in the encoding called terrarium.

use super::address::{Heights, Tile};
use super::png;
use super::refusal::Refusal;
use super::scene::{Answer, Scene};
use super::sheet::PIXELS;
use formats::terrain_rgb::Encoding;
use region::Sampled;

/// A tile of heights.
///
/// # Errors
/// The world cannot be read.
pub fn tile(scene: &Scene, heights: Heights, tile: Tile) -> Result<Answer, Refusal> {
    let ground = scene.ground(tile)?;
    let layer = match heights {
        Heights::Ground => Sampled::Elevation,
        Heights::Surface => Sampled::WaterSurface,
    };
    let pixels: Vec<u8> =
        ground.cropped(layer).into_iter().flat_map(|h| Encoding::Terrarium.encode(h)).collect();
    Ok(Answer::new("image/png", png::rgb(PIXELS, PIXELS, &pixels)?))
}
