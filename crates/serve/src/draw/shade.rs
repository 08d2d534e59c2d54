//! Hill shading: how bright each sample is under a soft light from the upper left.
//!
//! Lambert's law for several distant lights: `sum of w_i * max(0, n . l_i)`, where `n` is the surface's unit
//! normal and the weights `w` add up to 1. Most light comes from the north-west at 45 degrees, as on printed maps
//! (Imhof 1965); the rest fills the shadows from the sides and from above.

use std::f64::consts::PI;

use grid::math::{cos, sin};
use rayon::prelude::*;

/// How far apart samples lie.
#[derive(Clone, Debug, PartialEq)]
pub enum Spacing {
    /// The same everywhere, in metres.
    Uniform {
        /// From a sample to its eastern neighbour.
        x_m: f64,
        /// From a sample to its southern neighbour.
        y_m: f64,
    },
    /// Equal steps of longitude and latitude.
    Equirectangular {
        /// Latitude of the first row's middle, in degrees.
        north_deg: f64,
        /// The step in degrees.
        step_deg: f64,
        /// The planet's radius in metres.
        radius_m: f64,
    },
    /// Row by row, in metres; rows beyond the lists are like their last.
    Rows {
        /// To the eastern neighbour.
        x_m: Vec<f64>,
        /// To the southern neighbour.
        y_m: Vec<f64>,
    },
}

/// Rows of a lon/lat map are as narrow as those at 84 degrees from there on: nearer the pole, neighbours are so close
/// that slopes along a row mean nothing.
const NARROWEST_ROW: f64 = 0.1;

impl Spacing {
    /// Metres to the eastern and to the southern neighbour in a row.
    pub fn at(&self, row: usize) -> (f64, f64) {
        match self {
            Self::Uniform { x_m, y_m } => (*x_m, *y_m),
            Self::Equirectangular { north_deg, step_deg, radius_m } => {
                let step_m = step_deg * PI / 180.0 * radius_m;
                let lat = (north_deg - row as f64 * step_deg) * PI / 180.0;
                (step_m * cos(lat).max(NARROWEST_ROW), step_m)
            }
            Self::Rows { x_m, y_m } => (nth_or_last(x_m, row), nth_or_last(y_m, row)),
        }
    }
}

fn nth_or_last(list: &[f64], i: usize) -> f64 {
    list.get(i).or(list.last()).copied().unwrap_or(1.0)
}

/// A distant light: the direction it comes from and its share.
struct Light {
    azimuth_deg: f64,
    altitude_deg: f64,
    weight: f64,
}

/// The main light, two from the sides, one from above.
const LIGHTS: [Light; 4] = [
    Light { azimuth_deg: 315.0, altitude_deg: 45.0, weight: 0.70 },
    Light { azimuth_deg: 270.0, altitude_deg: 50.0, weight: 0.08 },
    Light { azimuth_deg: 0.0, altitude_deg: 50.0, weight: 0.08 },
    Light { azimuth_deg: 0.0, altitude_deg: 90.0, weight: 0.14 },
];

/// Weighted unit vectors (east, south, up) towards the lights.
fn lights() -> [[f32; 4]; LIGHTS.len()] {
    std::array::from_fn(|i| {
        let Light { azimuth_deg, altitude_deg, weight } = LIGHTS[i];
        let (azimuth, altitude) = (azimuth_deg * PI / 180.0, altitude_deg * PI / 180.0);
        let level = cos(altitude);
        [level * sin(azimuth), -level * cos(azimuth), sin(altitude), weight].map(|v| v as f32)
    })
}

/// Brightness of level ground, to which [`hillshade`] compares.
pub fn flat_brightness() -> f32 {
    lights().iter().map(|[_, _, up, weight]| up * weight).sum()
}

/// Brightness of every sample, 0 to 1; row 0 is north.
///
/// `exaggeration` multiplies heights. Slopes are central differences over both neighbours, one-sided at the
/// border, so a plane is even to its edge; beside samples that are not a number ground counts as level. Runs on all threads. Values are those of the empty picture if
/// `elevation` is not `width * height` long.
pub fn hillshade(
    elevation: &[f32],
    width: usize,
    height: usize,
    spacing: &Spacing,
    exaggeration: f64,
) -> Vec<f32> {
    if width == 0 || elevation.len() != width * height {
        return Vec::new();
    }
    let lights = lights();
    let mut shade = vec![0.0; elevation.len()];
    shade.par_chunks_exact_mut(width).enumerate().for_each(|(y, out)| {
        let (x_m, y_m) = spacing.at(y);
        let (up, down) = (y.saturating_sub(1), (y + 1).min(height - 1));
        let row = |y: usize| &elevation[y * width..(y + 1) * width];
        let (north, here, south) = (row(up), row(y), row(down));
        let per_y = slope_factor(down - up, y_m, exaggeration);
        for (x, value) in out.iter_mut().enumerate() {
            let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
            let per_x = slope_factor(right - left, x_m, exaggeration);
            let (east, south) = ((here[right] - here[left]) * per_x, (south[x] - north[x]) * per_y);
            // beside what is no ground at all, such as the space around a globe, ground counts as level
            let level = |slope: f32| if slope.is_nan() { 0.0 } else { slope };
            *value = lambert(level(east), level(south), &lights);
        }
    });
    shade
}

/// What turns a difference of heights over `steps` samples into a slope; 0 where there is no neighbour.
fn slope_factor(steps: usize, step_m: f64, exaggeration: f64) -> f32 {
    if steps == 0 { 0.0 } else { (exaggeration / (steps as f64 * step_m)) as f32 }
}

/// Light on a surface that rises by `east` and `south` per metre in those directions.
fn lambert(east: f32, south: f32, lights: &[[f32; 4]]) -> f32 {
    let length = (1.0 + east * east + south * south).sqrt();
    let one = |[x, y, up, weight]: &[f32; 4]| weight * ((up - x * east - y * south) / length).max(0.0);
    lights.iter().map(one).sum()
}

/// By how much heights are multiplied so that relief shows at this spacing: 1 at 60 m and finer, as the square
/// root beyond, because mean slopes fall about so as samples move apart; 20 at most.
pub fn natural_exaggeration(spacing_m: f64) -> f64 {
    (spacing_m / 60.0).sqrt().clamp(1.0, 20.0)
}
