//! Heights as the colours of web map tiles, which browsers turn back into metres.

use crate::{Cause, png};

/// Which colours stand for which height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `metres = red * 256 + green + blue / 256 - 32768`: steps of 1/256 m.
    Terrarium,
    /// `metres = (red * 65536 + green * 256 + blue) / 10 - 10000`: steps of 0.1 m. Also called Terrain-RGB.
    Mapbox,
}

impl Encoding {
    /// Its name in style files of web maps.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terrarium => "terrarium",
            Self::Mapbox => "mapbox",
        }
    }

    /// Three bytes of a height; of no number, those of the sea's level.
    ///
    /// ```
    /// use formats::terrain_rgb::Encoding;
    /// let [r, g, b] = Encoding::Terrarium.encode(8848.5).map(f64::from);
    /// assert_eq!(r * 256.0 + g + b / 256.0 - 32_768.0, 8848.5);
    /// ```
    pub fn encode(self, height_m: f32) -> [u8; 3] {
        const MOST: f32 = 16_777_215.0;
        let height_m = if height_m.is_nan() { 0.0 } else { height_m };
        let steps = match self {
            Self::Terrarium => (height_m + 32_768.0) * 256.0,
            Self::Mapbox => (height_m + 10_000.0) * 10.0,
        };
        let [_, red, green, blue] = (steps.round().clamp(0.0, MOST) as u32).to_be_bytes();
        [red, green, blue]
    }
}

/// A tile as the bytes of a PNG: heights row by row from the north, `side` of them in a row.
///
/// # Errors
/// Another number of heights than `side * side`.
pub fn tile(heights_m: &[f32], side: usize, encoding: Encoding) -> Result<Vec<u8>, Cause> {
    let pixels: Vec<u8> = heights_m.iter().flat_map(|&h| encoding.encode(h)).collect();
    if heights_m.len() != side * side {
        return Err(format!("a tile of {side} x {side} heights has {}", heights_m.len()).into());
    }
    png::rgb8_bytes(side, side, &pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_come_back_to_half_a_step() {
        for height in [-9_034.5, -0.25, 0.0, 0.1, 1.0, 8848.86, 30_000.0] {
            let [r, g, b] = Encoding::Terrarium.encode(height).map(f64::from);
            let back = r * 256.0 + g + b / 256.0 - 32_768.0;
            assert!((back - f64::from(height)).abs() <= 0.5 / 256.0 + 1e-3, "{height} {back}");
            let [r, g, b] = Encoding::Mapbox.encode(height).map(f64::from);
            let back = (r * 65_536.0 + g * 256.0 + b) / 10.0 - 10_000.0;
            assert!((back - f64::from(height)).abs() <= 0.05 + 2e-3, "{height} {back}");
        }
        assert_eq!(Encoding::Terrarium.encode(f32::NAN), [128, 0, 0]);
        assert_eq!(Encoding::Mapbox.encode(f32::NAN), [1, 134, 160]);
        assert_eq!(Encoding::Terrarium.encode(-1e9), [0, 0, 0]);
        assert_eq!(Encoding::Mapbox.encode(1e9), [255, 255, 255]);
    }

    #[test]
    fn another_number_of_heights_is_refused() {
        assert!(tile(&[0.0; 15], 4, Encoding::Terrarium).is_err());
        assert!(tile(&[0.0; 16], 4, Encoding::Terrarium).is_ok());
    }
}
