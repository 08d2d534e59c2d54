//! Heights as colours: `metres = red * 256 + green + blue / 256 - 32768`, the encoding called terrarium.

use super::address::{Heights, Tile};
use super::png;
use super::refusal::Refusal;
use super::scene::{Answer, Scene};
use super::sheet::PIXELS;
use region::Sampled;

/// Steps of a metre.
const STEPS: f32 = 256.0;
/// Added to heights, so that none is below 0.
const BASE_M: f32 = 32_768.0;

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
    let pixels: Vec<u8> = ground.cropped(layer).into_iter().flat_map(encode).collect();
    Ok(Answer::new("image/png", png::rgb(PIXELS, PIXELS, &pixels)?))
}

/// Three bytes of a height; of no number, those of the sea's level.
fn encode(height_m: f32) -> [u8; 3] {
    let height_m = if height_m.is_nan() { 0.0 } else { height_m };
    let steps = ((height_m + BASE_M) * STEPS).round().clamp(0.0, 16_777_215.0) as u32;
    let [_, red, green, blue] = steps.to_be_bytes();
    [red, green, blue]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_come_back_to_a_256th_of_a_metre() {
        for height in [-11_034.5, -0.25, 0.0, 0.1, 1.0, 8848.86, 32_767.0] {
            let [r, g, b] = encode(height).map(f64::from);
            let back = r * 256.0 + g + b / 256.0 - 32_768.0;
            assert!((back - f64::from(height)).abs() <= 0.5 / 256.0 + 1e-3, "{height} {back}");
        }
        assert_eq!(encode(f32::NAN), [128, 0, 0]);
        assert_eq!(encode(-1e9), [0, 0, 0]);
    }
}
