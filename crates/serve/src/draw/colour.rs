//! Colours, and the spaces in which they may be mixed.
//!
//! Screens want sRGB bytes (IEC 61966-2-1). Light adds up in linear light, so shading happens there. Steps look
//! even in OKLab (Ottosson 2020), so ramps are interpolated there.

use std::sync::LazyLock;

use grid::math::{cbrt, pow};

/// Red, green and blue as sRGB bytes.
pub type Rgb = [u8; 3];

/// Red, green, blue and opacity (0 clear, 255 solid) as sRGB bytes, not premultiplied.
pub type Rgba = [u8; 4];

/// Red, green and blue in linear light, 0 to 1.
pub(crate) type Linear = [f32; 3];

/// Lightness and two opponent hues of OKLab.
pub(crate) type Lab = [f32; 3];

static DECODED: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|i| decode(i as f64 / 255.0) as f32));

/// Steps of the table that encodes linear light: fine enough that every byte of sRGB is met.
const STEPS: usize = 8192;

static ENCODED: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..=STEPS).map(|i| (encode(i as f64 / STEPS as f64) * 255.0).round() as u8).collect());

fn decode(s: f64) -> f64 {
    if s <= 0.040_45 { s / 12.92 } else { pow((s + 0.055) / 1.055, 2.4) }
}

fn encode(l: f64) -> f64 {
    if l <= 0.003_130_8 { l * 12.92 } else { 1.055 * pow(l, 1.0 / 2.4) - 0.055 }
}

/// Bytes to light.
pub(crate) fn to_linear(c: Rgb) -> Linear {
    c.map(|byte| DECODED[usize::from(byte)])
}

/// Light to the nearest bytes; what is too dark or too bright becomes black or white.
pub(crate) fn to_rgb(c: Linear) -> Rgb {
    c.map(|l| ENCODED[(l.clamp(0.0, 1.0) * STEPS as f32 + 0.5) as usize])
}

/// Light to OKLab, by the matrices of Ottosson (2020).
pub(crate) fn to_lab([r, g, b]: Linear) -> Lab {
    let l = 0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b;
    let m = 0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b;
    let s = 0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b;
    let [l, m, s] = [l, m, s].map(|x| cbrt(f64::from(x)) as f32);
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

/// OKLab to light; colours outside sRGB come out below 0 or above 1.
pub(crate) fn from_lab([light, a, b]: Lab) -> Linear {
    let l = light + 0.396_337_78 * a + 0.215_803_76 * b;
    let m = light - 0.105_561_346 * a - 0.063_854_17 * b;
    let s = light - 0.089_484_18 * a - 1.291_485_5 * b;
    let [l, m, s] = [l, m, s].map(|x| x * x * x);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_38 * s,
        -0.004_196_086 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ]
}

/// The mixture with `t` of `b`, component by component.
pub(crate) fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

/// Cubic step with level ends, in `f32`.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grey_and_primary_survives_linear_light_and_oklab() {
        for i in 0..=255_u8 {
            for c in [[i, i, i], [i, 0, 0], [0, i, 0], [0, 0, i], [i, 255, 0], [255 - i, i, 128]] {
                assert_eq!(to_rgb(to_linear(c)), c);
                assert_eq!(to_rgb(from_lab(to_lab(to_linear(c)))), c);
            }
        }
    }

    #[test]
    fn oklab_knows_white_black_and_published_red() {
        // Ottosson's reference pairs: white is (1, 0, 0); sRGB red is (0.628, 0.225, 0.126).
        for (c, lab) in [([255, 255, 255], [1.0, 0.0, 0.0]), ([255, 0, 0], [0.628, 0.225, 0.126])] {
            for (got, want) in to_lab(to_linear(c)).iter().zip(lab) {
                assert!((got - want).abs() < 1e-3, "{c:?}: {got} {want}");
            }
        }
    }
}
