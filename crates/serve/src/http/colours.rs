//! Terrain and quantities as coloured tiles.

use super::address::{Picture, Tile};
use super::planet::{Failure, Quantity, Votes};
use super::png;
use super::refusal::Refusal;
use super::scene::{Answer, Scene, crop};
use super::sheet::{PIXELS, Sheet};
use crate::draw::classes::{BIOMES, Class, KOPPEN, biome};
use crate::draw::palette::{self, Ramp};
use crate::draw::relief::{self, terrain_rgb};
use crate::draw::shade::natural_exaggeration;
use crate::draw::{ReliefInput, Rgb, Spacing, Style};
use crate::ground::Ground;
use crate::print::{Sign, Weather};
use grid::math;
use region::{Lattice, Region, Sampled, Window};
use serde_json::{Value, json};

/// Colour of the sea where a map is about land, and of lakes there.
const SEA: Rgb = [205, 219, 229];
const LAKE: Rgb = [176, 202, 220];
/// Land of no class, and what lies off the map.
const PLAIN: Rgb = [236, 230, 214];
pub(super) const PAPER: Rgb = [250, 248, 242];
/// Distance in pixels of the lines along the coast of an atlas.
const WATER_LINES_PX: f32 = 4.0;

/// A coloured tile.
///
/// # Errors
/// The world cannot be read.
pub fn tile(scene: &Scene, picture: Picture, tile: Tile) -> Result<Answer, Refusal> {
    let ground = scene.ground(tile)?;
    let spacing = rows(scene.sheet, tile, ground.margin);
    let drawing = if ground.margin > 0 {
        Drawing::of(&ground.region, spacing)
    } else {
        Drawing::of(&ground.region, spacing).padded()
    };
    let rgb = drawing.rgb(scene, picture)?;
    let pixels: Vec<u8> = crop(&rgb, drawing.width, drawing.margin.max(ground.margin)).concat();
    Ok(Answer::new("image/png", png::rgb(PIXELS, PIXELS, &pixels)?))
}

/// Metres between the samples of each row of a tile.
fn rows(sheet: Sheet, tile: Tile, margin: usize) -> Spacing {
    let first = f64::from(tile.y) * PIXELS as f64 - margin as f64 + 0.5;
    let metres: Vec<f64> =
        (0..PIXELS + 2 * margin).map(|row| sheet.row_m(tile.zoom, first + row as f64)).collect();
    Spacing::Rows { x_m: metres.clone(), y_m: metres }
}

/// Samples ready to be drawn.
pub struct Drawing {
    width: usize,
    height: usize,
    /// Samples added around by guessing.
    margin: usize,
    lattice: Lattice,
    window: Window,
    spacing: Spacing,
    ground: Ground,
    elevation: Vec<f32>,
    temperature: Vec<f32>,
    rain: Vec<f32>,
    moisture_mm: Vec<f32>,
}

impl Drawing {
    /// Of a region that has the layers of a scene.
    pub fn of(region: &Region, spacing: Spacing) -> Self {
        let layer = |l| region.layer(l).unwrap_or_default();
        Self {
            width: region.window.width,
            height: region.window.height,
            margin: 0,
            lattice: region.lattice.clone(),
            window: region.window,
            spacing,
            ground: Ground::of(region).unwrap_or_default(),
            elevation: layer(Sampled::Elevation).to_vec(),
            temperature: layer(Sampled::Temperature).to_vec(),
            rain: layer(Sampled::Rain).to_vec(),
            moisture_mm: layer(Sampled::Moisture).to_vec(),
        }
    }

    /// The same with less fresh water: what is drawn as lines is left out of the ground.
    pub fn with_fresh(self, fresh_m: Vec<f32>) -> Self {
        Self { ground: Ground { fresh_m, ..self.ground }, ..self }
    }

    /// The same with a margin that goes on as the border does, so that light falls on the border as on the rest.
    fn padded(mut self) -> Self {
        let margin = relief::reach_rows(None);
        let size = (self.width, self.height);
        let near = |values: &[f32]| pad(values, size, margin, |edge, _| edge);
        let same = |values: &[bool]| pad(values, size, margin, |edge, _| edge);
        self.ground = Ground {
            sea: same(&self.ground.sea),
            fresh_m: near(&self.ground.fresh_m),
            lit_m: pad(&self.ground.lit_m, size, margin, |edge, inner| 2.0 * edge - inner),
            river_m: near(&self.ground.river_m),
        };
        self.elevation = near(&self.elevation);
        self.temperature = near(&self.temperature);
        self.rain = near(&self.rain);
        self.moisture_mm = near(&self.moisture_mm);
        let m = margin as i64;
        let (width, height) = (self.width + 2 * margin, self.height + 2 * margin);
        self.window = Window { west: self.window.west - m, north: self.window.north + m, width, height };
        if let Spacing::Rows { x_m, y_m } = &mut self.spacing {
            for rows in [x_m, y_m] {
                let first = rows.first().copied().unwrap_or(1.0);
                rows.splice(0..0, std::iter::repeat_n(first, margin));
            }
        }
        Self { width, height, margin, ..self }
    }

    /// The colours of all samples.
    ///
    /// # Errors
    /// The world cannot be read.
    pub fn rgb(&self, scene: &Scene, picture: Picture) -> Result<Vec<Rgb>, Failure> {
        let tints = self.tints(scene, picture)?;
        let (style, light) = match picture {
            Picture::Relief => (Style::Terrain, 1.0),
            Picture::Atlas => (Style::Atlas, 0.45),
            Picture::Heights => (Style::Atlas, 0.3),
            _ => (Style::Atlas, 0.4),
        };
        let spacing_m = self.lattice.spacing_m();
        let is_far = scene.is_far(&self.lattice);
        let ice = self.ice(scene, picture)?;
        let salt = match picture {
            Picture::Relief | Picture::Atlas => self.salt(scene)?,
            _ => None,
        };
        let input = ReliefInput {
            sea: Some(&self.ground.sea),
            water_depth: Some(&self.ground.fresh_m),
            river_m: Some(&self.ground.river_m),
            temperature_c: Some(&self.temperature),
            rain_mm: Some(&self.rain),
            moisture_mm: Some(&self.moisture_mm),
            exaggeration: Some(natural_exaggeration(spacing_m) * emphasis(spacing_m, picture)),
            style,
            tints: tints.as_deref(),
            light,
            ice: ice.as_deref(),
            salt: salt.as_deref(),
            water_lines_px: (is_far && picture == Picture::Atlas).then_some(WATER_LINES_PX),
            background: PAPER,
            ..ReliefInput::new(self.width, self.height, &self.ground.lit_m, self.spacing.clone())
        };
        terrain_rgb(&input).map_err(|e| Failure(e.to_string()))
    }

    /// Share of each sample under ice, of pictures that show that.
    fn ice(&self, scene: &Scene, picture: Picture) -> Result<Option<Vec<f32>>, Failure> {
        match picture {
            Picture::Relief | Picture::Atlas => {
                scene.planet.ice((&self.lattice, &self.window), &self.ground.sea).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The sign of ice at sea, where a picture shows some.
    ///
    /// # Errors
    /// The world cannot be read.
    pub fn sign_of_ice(&self, scene: &Scene, picture: Picture) -> Result<Option<Sign>, Failure> {
        Ok(self.ice(scene, picture)?.and_then(|ice| Sign::of_sea_ice(&ice, &self.ground.sea)))
    }

    /// Which samples are salt lakes, if any can be.
    ///
    /// # Errors
    /// The world cannot be read.
    pub fn salt(&self, scene: &Scene) -> Result<Option<Vec<bool>>, Failure> {
        self.ground.salt_lakes(|| scene.planet.salt((&self.lattice, &self.window)))
    }

    /// What is known of the samples beside their heights and which of them are salt lakes.
    pub fn weather<'a>(&'a self, salt: Option<&'a [bool]>) -> Weather<'a> {
        let fresh_m = &self.ground.fresh_m;
        Weather { temperature_c: &self.temperature, rain_mm: &self.rain, fresh_m, salt }
    }

    /// The classes of climate or of vegetation on dry land, as indices; every so manieth row speaks for all.
    ///
    /// # Errors
    /// The world cannot be read.
    pub fn classes(&self, scene: &Scene, picture: Picture) -> Result<Vec<usize>, Failure> {
        const STEP: usize = 16;
        let mut found = Vec::new();
        for row in (0..self.height).step_by(STEP) {
            let window = Window { north: self.window.north - row as i64, height: 1, ..self.window };
            let at = (&self.lattice, &window);
            let samples = row * self.width..(row + 1) * self.width;
            let dry = samples.clone().filter(|&i| !self.ground.sea[i] && self.ground.fresh_m[i] <= 0.0);
            if picture == Picture::Climate {
                let codes = scene.planet.votes(Votes::Koppen, at)?;
                found.extend(dry.filter_map(|i| usize::from(codes[i - samples.start]).checked_sub(1)));
            } else {
                let ice = scene.planet.ice(at, &self.ground.sea[samples.clone()])?;
                let class = |i: usize| match ice[i - samples.start] > 0.5 {
                    true => 0,
                    false => biome(self.temperature[i], self.rain[i]),
                };
                found.extend(dry.map(class));
            }
        }
        Ok(found)
    }

    /// Colours that mean something else than terrain.
    fn tints(&self, scene: &Scene, picture: Picture) -> Result<Option<Vec<Rgb>>, Failure> {
        let at = (&self.lattice, &self.window);
        let planet = &scene.planet;
        let quantity = |what, ramp: &Ramp| -> Result<Vec<Rgb>, Failure> {
            Ok(planet.quantity(what, at)?.iter().map(|&v| ramp.at(v)).collect())
        };
        Ok(Some(match picture {
            Picture::Relief | Picture::Atlas => return Ok(None),
            Picture::Heights => self.elevation.iter().zip(&self.ground.sea).map(height_colour).collect(),
            Picture::Mountains => self.on_land(quantity(Quantity::Mountains, palette::mountains())?),
            Picture::Temperature(month) => quantity(Quantity::Temperature(month), palette::temperature())?,
            Picture::Rain(month) => self.on_land(quantity(Quantity::Rain(month), &rain_ramp(month))?),
            Picture::Climate => {
                let class =
                    |code: u16| KOPPEN.get(usize::from(code).wrapping_sub(1)).map_or(PLAIN, |c| c.colour);
                self.on_land(planet.votes(Votes::Koppen, at)?.into_iter().map(class).collect())
            }
            Picture::Biomes => {
                let ice = planet.ice(at, &self.ground.sea)?;
                let colour = |i: usize| match ice[i] > 0.5 {
                    true => BIOMES[0].colour,
                    false => BIOMES[biome(self.temperature[i], self.rain[i])].colour,
                };
                self.on_land((0..self.rain.len()).map(colour).collect())
            }
            Picture::Plates => {
                let shade = |(&id, &sea): (&u16, &bool)| {
                    let colour = palette::categorical(id.into());
                    if sea { colour } else { colour.map(|c| (f32::from(c) * 0.8) as u8) }
                };
                planet.votes(Votes::Plate, at)?.iter().zip(&self.ground.sea).map(shade).collect()
            }
        }))
    }

    /// Colours that mean something on land only.
    fn on_land(&self, colours: Vec<Rgb>) -> Vec<Rgb> {
        let colour = |(i, colour)| match (self.ground.sea[i], self.ground.fresh_m[i] > 0.0) {
            (true, _) => SEA,
            (false, true) => LAKE,
            _ => colour,
        };
        colours.into_iter().enumerate().map(colour).collect()
    }
}

fn height_colour((&height_m, &sea): (&f32, &bool)) -> Rgb {
    if sea { palette::ocean().at(height_m.min(0.0)) } else { palette::hypsometric().at(height_m) }
}

/// Relief seen from far is up to 2.2 times as strong as near, or only the highest ranges would show.
fn emphasis(spacing_m: f64, picture: Picture) -> f64 {
    match picture {
        Picture::Relief | Picture::Atlas => 1.0 + 1.2 * math::smoothstep(1_000.0, 8_000.0, spacing_m),
        _ => 1.0,
    }
}

/// The colours of rain in a year, or in a month: those of a year that were like it.
pub fn rain_ramp(month: Option<u8>) -> Ramp {
    let year = palette::rain();
    let (low, high) = year.range();
    match month {
        Some(_) => year.stretched(low, high / 12.0).unwrap_or_else(|_| year.clone()),
        None => year.clone(),
    }
}

/// Adds a margin around samples: `beyond` is told the sample at the border and the one as far inside.
fn pad<T: Copy>(
    values: &[T],
    (width, height): (usize, usize),
    margin: usize,
    beyond: impl Fn(T, T) -> T,
) -> Vec<T> {
    let line = |n: usize, length: usize| {
        let at = n as i64 - margin as i64;
        let edge = at.clamp(0, length as i64 - 1);
        (edge as usize, (2 * edge - at).clamp(0, length as i64 - 1) as usize)
    };
    let mut padded = Vec::with_capacity((width + 2 * margin) * (height + 2 * margin));
    for y in 0..height + 2 * margin {
        let (row, inner_row) = line(y, height);
        for x in 0..width + 2 * margin {
            let (column, inner_column) = line(x, width);
            let edge = values[row * width + column];
            let inner = values[inner_row * width + inner_column];
            let is_inside = (row, column) == (inner_row, inner_column);
            padded.push(if is_inside { edge } else { beyond(edge, inner) });
        }
    }
    padded
}

/// What the colours of maps mean, for a page's legend.
pub fn classes() -> Value {
    let list = |classes: &[Class]| -> Value {
        classes.iter().map(|c| json!({ "name": c.name, "colour": hex(c.colour) })).collect()
    };
    let ramp = |ramp: &Ramp| -> Value {
        let (low, high) = ramp.range();
        let at = |i: i32| low + (high - low) * i as f32 / 24.0;
        let colours: Vec<String> = (0..=24).map(|i| hex(ramp.at(at(i)))).collect();
        json!({ "low": low, "high": high, "colours": colours })
    };
    json!({
        "climate": list(&KOPPEN),
        "biomes": list(&BIOMES),
        "temperature": ramp(palette::temperature()),
        "rain": ramp(palette::rain()),
        "rain_month": ramp(&rain_ramp(Some(1))),
        "mountains": ramp(palette::mountains()),
        "land": ramp(palette::hypsometric()),
        "sea": ramp(palette::ocean()),
    })
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_goes_on_as_the_border_does() {
        let plane: Vec<f32> = (0..12).map(|i| (i % 4) as f32 + 10.0 * (i / 4) as f32).collect();
        let padded = pad(&plane, (4, 3), 2, |edge, inner| 2.0 * edge - inner);
        // a plane stays a plane, its corners too
        for (i, &value) in padded.iter().enumerate() {
            let (x, y) = ((i % 8) as f32 - 2.0, (i / 8) as f32 - 2.0);
            assert!((value - (x + 10.0 * y)).abs() < 1e-4, "{x} {y}: {value}");
        }
    }
}
