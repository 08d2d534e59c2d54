//! Terrain as a picture: colour times light, water, and a fine line along the coast.

use rayon::prelude::*;
use std::borrow::Cow;

use super::canvas::{Canvas, DrawError};
use super::colour::{Lab, Linear, Rgb, from_lab, mix, smoothstep, to_linear, to_rgb};
use super::palette::{FRESH_WATER, Ramp, SNOW_LAB, atlas_sea, hypsometric, natural_lab, ocean, snow};
use super::shade::{Spacing, flat_brightness, hillshade, natural_exaggeration};
use super::water_lines;

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
    /// Where fresh water is a river, how deep that is in its middle, in metres, else 0: where the sea dams rivers up they look more and
    /// more as it does.
    pub river_m: Option<&'a [f32]>,
    /// Mean temperature of the year in degrees Celsius.
    pub temperature_c: Option<&'a [f32]>,
    /// Rain in millimetres a year.
    pub rain_mm: Option<&'a [f32]>,
    /// How much more rain each sample looks as if it had, in millimetres a year: floors of valleys are moist.
    pub moisture_mm: Option<&'a [f32]>,
    /// How far apart samples lie.
    pub spacing: Spacing,
    /// By how much heights are multiplied for the light; `None` for what suits the spacing.
    pub exaggeration: Option<f64>,
    /// Which kind of map.
    pub style: Style,
    /// Colours of land and sea instead of those of the style: a map of some quantity. Lakes are not drawn then.
    pub tints: Option<&'a [Rgb]>,
    /// Multiplies what shows of light and shadow.
    pub light: f32,
    /// Share of each sample that lies under ice, 0 to 1: glaciers on land, pack ice at sea.
    pub ice: Option<&'a [f32]>,
    /// Which samples of fresh water are salt lakes instead.
    pub salt: Option<&'a [bool]>,
    /// Distance in pixels of the fine lines that follow the coast out at sea; none without it.
    pub water_lines_px: Option<f32>,
    /// Colour of samples whose elevation is not a number: what lies off the map.
    pub background: Rgb,
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
            river_m: None,
            temperature_c: None,
            rain_mm: None,
            moisture_mm: None,
            spacing,
            exaggeration: None,
            style: Style::default(),
            tints: None,
            light: 1.0,
            ice: None,
            salt: None,
            water_lines_px: None,
            background: [255, 255, 255],
        }
    }

    fn check(&self) -> Result<(), DrawError> {
        let expected = self.width.saturating_mul(self.height);
        let layers = [
            ("elevation", Some(self.elevation.len())),
            ("sea", self.sea.map(<[bool]>::len)),
            ("water_depth", self.water_depth.map(<[f32]>::len)),
            ("river_m", self.river_m.map(<[f32]>::len)),
            ("temperature_c", self.temperature_c.map(<[f32]>::len)),
            ("rain_mm", self.rain_mm.map(<[f32]>::len)),
            ("moisture_mm", self.moisture_mm.map(<[f32]>::len)),
            ("tints", self.tints.map(<[Rgb]>::len)),
            ("ice", self.ice.map(<[f32]>::len)),
            ("salt", self.salt.map(<[bool]>::len)),
        ];
        match layers.into_iter().find(|(_, found)| found.is_some_and(|n| n != expected)) {
            Some((layer, Some(found))) => Err(DrawError::Length { layer, found, expected }),
            _ => Ok(()),
        }
    }

    pub(super) fn is_sea(&self, i: usize) -> bool {
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
    Canvas::from_rgb(input.width, input.height, &terrain_rgb(input)?)
}

/// How many rows above and below a row have a part in its colours: a part of a map that has so many more rows than
/// are kept looks as it does in the whole.
pub fn reach_rows(water_lines_px: Option<f32>) -> usize {
    2 + water_lines_px.map_or(0, water_lines::reach_rows)
}

/// The pixels of [`terrain`].
///
/// # Errors
/// [`DrawError`] for a layer of a wrong length.
pub fn terrain_rgb(input: &ReliefInput<'_>) -> Result<Vec<Rgb>, DrawError> {
    input.check()?;
    let mut rgb: Vec<Rgb> = vec![[0; 3]; input.elevation.len()];
    let look = Look::of(input.style);
    let exaggeration = input
        .exaggeration
        .unwrap_or_else(|| natural_exaggeration(input.spacing.at(input.height / 2).1) * look.exaggeration);
    let under_light = under_light(input);
    let shade = hillshade(&under_light, input.width, input.height, &input.spacing, exaggeration);
    let lines = input.water_lines_px.map(|px| water_lines::strengths(input, px));
    rgb.par_chunks_mut(input.width.max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let line = lines.as_ref().map_or(0.0, |strength| strength[y * input.width + x]);
            *pixel = match input.elevation[y * input.width + x] {
                z if z.is_nan() => input.background,
                _ => to_rgb(mix(sample(input, &look, (x, y), &shade), look.coast, line)),
            };
        }
    });
    Ok(rgb)
}

/// The heights that are shaded: water is level, but the floor of the sea shows, and so does the bed of a river as far as it looks as the sea
/// does, so that there is no step from one to the other.
fn under_light<'a>(input: &ReliefInput<'a>) -> Cow<'a, [f32]> {
    let (Some(depth_m), Some(_)) = (input.water_depth, input.river_m) else { return input.elevation.into() };
    let height_m = |(i, (&height_m, &depth_m)): (usize, (&f32, &f32))| {
        let is_fresh = depth_m > 0.0 && !input.is_sea(i);
        if is_fresh { height_m - depth_m * tidal(input, i) } else { height_m }
    };
    input.elevation.par_iter().zip(depth_m).enumerate().map(height_m).collect::<Vec<_>>().into()
}

/// The colour of shallow lakes and rivers in a style.
pub fn lake_colour(style: Style) -> Rgb {
    match style {
        Style::Terrain => FRESH_WATER,
        Style::Atlas => [156, 190, 211],
    }
}

/// The colour of salt lakes.
pub fn salt_lake_colour() -> Rgb {
    [150, 190, 178]
}

/// What legends call pack ice, and its colour over deep sea.
pub fn sea_ice() -> (&'static str, Rgb) {
    let over_sea = mix(ocean().linear_at(-2500.0), to_linear(PACK_ICE), PACK_ICE_OPACITY);
    ("Sea ice, half the year", to_rgb(over_sea))
}

/// Pack ice, and how much it hides of the sea.
const PACK_ICE: Rgb = [232, 239, 243];
const PACK_ICE_OPACITY: f32 = 0.7;

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
        let bank =
            if on_bank(input, (x, y)) { 0.5 * look.coast_strength * (1.0 - frozen(input, i)) } else { 0.0 };
        return mix(colour, look.coast, bank);
    };
    let colour = mix(colour, surface(input, look, neighbour, shade), (0.5 - px).max(0.0));
    mix(colour, look.coast, look.coast_strength * (1.0 - smoothstep(0.1, 1.1, px)))
}

fn surface(input: &ReliefInput<'_>, look: &Look, i: usize, shade: &[f32]) -> Linear {
    let light = 1.0 + (shade[i] / look.level - 1.0) * input.light;
    let ice = input.ice.map_or(0.0, |ice| ice[i]);
    if let Some(tints) = input.tints {
        let relief = if input.is_sea(i) { look.sea_relief } else { look.land_relief };
        lit(to_linear(tints[i]), light, relief)
    } else if input.is_sea(i) {
        let water = look.sea.linear_at(input.elevation[i].min(0.0));
        // the floor does not show through pack ice
        mix(lit(water, light, look.sea_relief), to_linear(PACK_ICE), PACK_ICE_OPACITY * ice)
    } else {
        land(input, look, i, light)
    }
}

fn land(input: &ReliefInput<'_>, look: &Look, i: usize, light: f32) -> Linear {
    let white = snowy(input, i);
    let ground = lit(from_lab(mix(ground(input, i), *SNOW_LAB, white)), light, look.land_relief);
    match input.water_depth.map(|depth| depth[i]) {
        Some(depth) if depth > 0.0 => {
            let fresh = mix(look.shallow, look.deep, smoothstep(0.0, 400.0, depth));
            let fresh = mix(fresh, look.sea.linear_at(-depth), tidal(input, i));
            let salt = input.salt.is_some_and(|salt| salt[i]);
            let water = if salt { to_linear(salt_lake_colour()) } else { fresh };
            let water = match frozen(input, i) {
                0.0 => water,
                // brooks of ice lie in the shadow of their valleys, ice over deep water is level
                frozen => {
                    let relief = look.land_relief * smoothstep(2.5, 0.5, depth);
                    mix(water, lit(to_linear(PACK_ICE), light, relief), FROZEN_OPACITY * frozen)
                }
            };
            // A trace of the bank shows through where water is shallow.
            mix(ground, water, smoothstep(-0.6, 0.4, depth))
        }
        _ => ground,
    }
}

/// How much a sample of fresh water looks as the sea does: rivers turn into it little by little, from where a third of their
/// depth stands above it. Lakes below the sea's level are fresh.
fn tidal(input: &ReliefInput<'_>, i: usize) -> f32 {
    tide(input.elevation[i], input.river_m.map_or(0.0, |river_m| river_m[i]))
}

/// How much a river with its surface at such a height and so deep, in metres, looks as the sea does: from 0 where [`ABOVE_SEA`] of its
/// depth or more stands above the sea to 1. Great rivers have their beds below the sea for hundreds of kilometres (the backwater), but
/// look as the sea does for tens.
pub(crate) fn tide(surface_m: f32, depth_m: f32) -> f32 {
    if surface_m < 0.0 {
        0.0
    } else {
        smoothstep((ABOVE_SEA * depth_m).max(POOL_M), 0.25 * POOL_M, surface_m)
    }
}

/// A river of which this share of its depth stands above the sea looks as a river does.
const ABOVE_SEA: f32 = 0.33;

/// Lakes, and water of which it is not known that it flows, look as the sea does below this height in metres.
const POOL_M: f32 = 0.12;

/// How much of the year's water is ice at a sample: where the mean of the year is very low, and brooks where the land is white.
fn frozen(input: &ReliefInput<'_>, i: usize) -> f32 {
    let by_cold =
        input.temperature_c.map_or(0.0, |temperature_c| smoothstep(FROZEN_C.0, FROZEN_C.1, temperature_c[i]));
    let runs = input.river_m.is_some_and(|river_m| river_m[i] > 0.0);
    if runs && input.style == Style::Terrain { by_cold.max(snowy(input, i)) } else { by_cold }
}

/// Means of the year from which on water is ice for part of the year, and for all of it, in degrees; `map.js` has them too.
pub(crate) const FROZEN_C: (f32, f32) = (-9.0, -15.0);

/// A little of the water shows through its ice.
const FROZEN_OPACITY: f32 = 0.85;

/// How white a sample of land is with snow and ice: by its own temperature where that is known, else as far as the country lies under
/// ice. An atlas shows ice alone.
fn snowy(input: &ReliefInput<'_>, i: usize) -> f32 {
    let ice = input.ice.map_or(0.0, |ice| ice[i]);
    match (input.style, input.temperature_c, input.rain_mm) {
        (Style::Terrain, Some(temperature), Some(rain)) => snow(temperature[i], rain[i], ice),
        (Style::Atlas, Some(temperature), Some(rain)) => ice * snow(temperature[i], rain[i], ice),
        _ => ice,
    }
}

fn ground(input: &ReliefInput<'_>, i: usize) -> Lab {
    let height_m = input.elevation[i];
    match (input.style, input.temperature_c, input.rain_mm) {
        (Style::Terrain, Some(temperature), Some(rain)) => {
            let moisture_mm = input.moisture_mm.map_or(0.0, |moisture| moisture[i]);
            natural_lab(height_m, temperature[i], rain[i] + moisture_mm)
        }
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
    let Some(depth) = input.water_depth.filter(|_| input.tints.is_none()) else { return false };
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
    all.into_iter().flatten().filter(|&n| !input.elevation[n].is_nan())
}

/// The neighbour across the coast to which the coast is nearest, and how far it is from the sample in pixels, 0 to 1:
/// where the heights on both sides say that the water's edge lies.
fn nearest_coast(input: &ReliefInput<'_>, at: (usize, usize)) -> Option<(usize, f32)> {
    let i = at.1 * input.width + at.0;
    let here = input.is_sea(i);
    // where a river runs out into the sea there is none
    let is_mouth = |k: usize| {
        let is_wet = input.water_depth.is_some_and(|depth| depth[k] > 0.0);
        is_wet && tidal(input, k) > 0.5
    };
    let across =
        beside(input, at).filter(|&n| input.is_sea(n) != here && !is_mouth(if here { n } else { i }));
    across.map(|n| (n, crossing(input.elevation[i], input.elevation[n]))).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Where a straight slope between two samples meets the sea, as a share of the way.
fn crossing(here_m: f32, there_m: f32) -> f32 {
    let (here, there) = (here_m.abs(), there_m.abs());
    if here + there > 0.0 { here / (here + there) } else { 0.5 }
}
