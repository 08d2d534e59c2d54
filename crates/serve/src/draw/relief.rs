//! Terrain as a picture: colour times light, water, and a fine line along the coast.

use rayon::prelude::*;

use super::canvas::{Canvas, DrawError};
use super::colour::{Lab, Linear, Rgb, from_lab, mix, smoothstep, to_linear, to_rgb};
use super::palette::{FRESH_WATER, Ramp, atlas_sea, hypsometric, natural_lab, ocean};
use super::shade::{Spacing, flat_brightness, hillshade, natural_exaggeration};

/// Which kind of map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// As from above: colours of the ground by warmth and rain, a deep sea.
    #[default]
    Terrain,
    /// As in a printed atlas: tints by height, a softer light, a pale sea.
    Atlas,
}

/// What is to be drawn. Every layer is row-major, north first, `width * height` long.
#[derive(Clone, Debug)]
pub struct ReliefInput<'a> {
    /// Samples from west to east.
    pub width: usize,
    /// Samples from north to south.
    pub height: usize,
    /// Height of the ground over the sea in metres; sea floor below 0.
    pub elevation: &'a [f32],
    /// Which samples are sea; without it, those below 0. Land below the sea's level needs it.
    pub sea: Option<&'a [bool]>,
    /// Depth in metres of fresh water, lakes and rivers; 0 where there is none.
    pub water_depth: Option<&'a [f32]>,
    /// Mean temperature of the year in degrees Celsius.
    pub temperature_c: Option<&'a [f32]>,
    /// Rain in millimetres a year.
    pub rain_mm: Option<&'a [f32]>,
    /// How far apart samples lie.
    pub spacing: Spacing,
    /// By how much heights are multiplied for the light; `None` for what suits the spacing.
    pub exaggeration: Option<f64>,
    /// Which kind of map.
    pub style: Style,
}

impl<'a> ReliefInput<'a> {
    /// Elevation alone, in the style of a terrain map.
    pub fn new(width: usize, height: usize, elevation: &'a [f32], spacing: Spacing) -> Self {
        Self {
            width,
            height,
            elevation,
            sea: None,
            water_depth: None,
            temperature_c: None,
            rain_mm: None,
            spacing,
            exaggeration: None,
            style: Style::default(),
        }
    }

    fn check(&self) -> Result<(), DrawError> {
        let expected = self.width.saturating_mul(self.height);
        let layers = [
            ("elevation", Some(self.elevation.len())),
            ("sea", self.sea.map(<[bool]>::len)),
            ("water_depth", self.water_depth.map(<[f32]>::len)),
            ("temperature_c", self.temperature_c.map(<[f32]>::len)),
            ("rain_mm", self.rain_mm.map(<[f32]>::len)),
        ];
        match layers.into_iter().find(|(_, found)| found.is_some_and(|n| n != expected)) {
            Some((layer, Some(found))) => Err(DrawError::Length { layer, found, expected }),
            _ => Ok(()),
        }
    }

    fn is_sea(&self, i: usize) -> bool {
        self.sea.map_or(self.elevation[i] < 0.0, |sea| sea[i])
    }
}

/// Draws terrain.
///
/// Cost: one pass on all threads, about 0.1 s a million samples on one; memory a few bytes a sample.
///
/// # Errors
/// [`DrawError`] for a layer of a wrong length or a picture too large.
pub fn terrain(input: &ReliefInput<'_>) -> Result<Canvas, DrawError> {
    input.check()?;
    let mut rgb: Vec<Rgb> = vec![[0; 3]; input.elevation.len()];
    let look = Look::of(input.style);
    let exaggeration = input
        .exaggeration
        .unwrap_or_else(|| natural_exaggeration(input.spacing.at(input.height / 2).1) * look.exaggeration);
    let shade = hillshade(input.elevation, input.width, input.height, &input.spacing, exaggeration);
    rgb.par_chunks_mut(input.width.max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = to_rgb(sample(input, &look, (x, y), &shade));
        }
    });
    Canvas::from_rgb(input.width, input.height, &rgb)
}

/// The colour of shallow lakes and rivers in a style.
pub fn lake_colour(style: Style) -> Rgb {
    match style {
        Style::Terrain => FRESH_WATER,
        Style::Atlas => [156, 190, 211],
    }
}

/// What a style sets.
struct Look {
    sea: &'static Ramp,
    /// Multiplies the natural exaggeration.
    exaggeration: f64,
    /// How much of the light's variation shows on land and on the sea floor.
    land_relief: f32,
    sea_relief: f32,
    coast: Linear,
    coast_strength: f32,
    /// Brightness of level ground.
    level: f32,
    /// Fresh water at the bank, and 60 m deep.
    shallow: Linear,
    deep: Linear,
}

impl Look {
    fn of(style: Style) -> Self {
        match style {
            Style::Terrain => Self {
                sea: ocean(),
                exaggeration: 1.0,
                land_relief: 1.0,
                sea_relief: 0.35,
                coast: to_linear([48, 62, 78]),
                coast_strength: 0.40,
                level: flat_brightness(),
                shallow: to_linear(lake_colour(style)),
                deep: to_linear([76, 116, 152]),
            },
            Style::Atlas => Self {
                sea: atlas_sea(),
                exaggeration: 1.0,
                land_relief: 0.85,
                sea_relief: 0.12,
                coast: to_linear([70, 96, 118]),
                coast_strength: 0.75,
                level: flat_brightness(),
                shallow: to_linear(lake_colour(style)),
                deep: to_linear([128, 168, 198]),
            },
        }
    }
}

/// The colour of a pixel. Where the coast runs through it, the other side shows by its share.
fn sample(input: &ReliefInput<'_>, look: &Look, (x, y): (usize, usize), shade: &[f32]) -> Linear {
    let i = y * input.width + x;
    let colour = surface(input, look, i, shade);
    let Some((neighbour, px)) = nearest_coast(input, (x, y)) else {
        let bank = if on_bank(input, (x, y)) { 0.5 * look.coast_strength } else { 0.0 };
        return mix(colour, look.coast, bank);
    };
    let colour = mix(colour, surface(input, look, neighbour, shade), (0.5 - px).max(0.0));
    mix(colour, look.coast, look.coast_strength * (1.0 - smoothstep(0.1, 1.1, px)))
}

fn surface(input: &ReliefInput<'_>, look: &Look, i: usize, shade: &[f32]) -> Linear {
    let light = shade[i] / look.level;
    if input.is_sea(i) {
        lit(look.sea.linear_at(input.elevation[i].min(0.0)), light, look.sea_relief)
    } else {
        land(input, look, i, light)
    }
}

fn land(input: &ReliefInput<'_>, look: &Look, i: usize, light: f32) -> Linear {
    let ground = lit(from_lab(ground(input, i)), light, look.land_relief);
    match input.water_depth.map(|depth| depth[i]) {
        Some(depth) if depth > 0.0 => {
            let water = mix(look.shallow, look.deep, smoothstep(0.0, 400.0, depth));
            // A trace of the bank shows through where water is shallow.
            mix(ground, water, smoothstep(-0.6, 0.4, depth))
        }
        _ => ground,
    }
}

fn ground(input: &ReliefInput<'_>, i: usize) -> Lab {
    let height_m = input.elevation[i];
    match (input.style, input.temperature_c, input.rain_mm) {
        (Style::Terrain, Some(temperature), Some(rain)) => natural_lab(height_m, temperature[i], rain[i]),
        _ => hypsometric().lab_at(height_m),
    }
}

/// What the sky gives to the darkest shadow, as a share of full light: a map must stay readable there.
const SKYLIGHT: f32 = 0.18;

/// A colour under light: 1 leaves it as it is. Shadows are toned towards blue, as by the sky.
fn lit(colour: Linear, light: f32, strength: f32) -> Linear {
    let light = 1.0 + (light - 1.0) * strength;
    if light < 1.0 {
        // Squared, since sRGB bytes are about the square root of light and shading is judged by them.
        let shadow = light * light;
        let sky = [0.92, 0.97, 1.06];
        std::array::from_fn(|k| colour[k] * (shadow + (1.0 - shadow) * SKYLIGHT * sky[k]))
    } else {
        let gain = (light - 1.0) * 1.2;
        mix(colour, [1.0, 0.99, 0.95], gain.clamp(0.0, 0.6))
    }
}

/// Whether a sample is fresh water with dry land beside it.
fn on_bank(input: &ReliefInput<'_>, at: (usize, usize)) -> bool {
    let Some(depth) = input.water_depth else { return false };
    let here = at.1 * input.width + at.0;
    depth[here] > 0.0 && !input.is_sea(here) && beside(input, at).any(|n| depth[n] <= 0.0 && !input.is_sea(n))
}

/// The indices of the samples west, east, north and south of one.
fn beside(input: &ReliefInput<'_>, (x, y): (usize, usize)) -> impl Iterator<Item = usize> {
    let (width, i) = (input.width, y * input.width + x);
    let all = [
        (x > 0).then(|| i - 1),
        (x + 1 < width).then(|| i + 1),
        (y > 0).then(|| i - width),
        (y + 1 < input.height).then(|| i + width),
    ];
    all.into_iter().flatten()
}

/// The neighbour across the coast to which the coast is nearest, and how far it is from the sample in pixels, 0 to 1:
/// where the heights on both sides say that the water's edge lies.
fn nearest_coast(input: &ReliefInput<'_>, at: (usize, usize)) -> Option<(usize, f32)> {
    let i = at.1 * input.width + at.0;
    let here = input.is_sea(i);
    let across = beside(input, at).filter(|&n| input.is_sea(n) != here);
    across.map(|n| (n, crossing(input.elevation[i], input.elevation[n]))).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Where a straight slope between two samples meets the sea, as a share of the way.
fn crossing(here_m: f32, there_m: f32) -> f32 {
    let (here, there) = (here_m.abs(), there_m.abs());
    if here + there > 0.0 { here / (here + there) } else { 0.5 }
}
