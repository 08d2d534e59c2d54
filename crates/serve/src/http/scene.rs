//! What drawing needs: the world, the map it lies on, and terrain that several drawings of one tile share.

use super::address::{Address, MAX_ZOOM, Tile};
use super::planet::{About, Failure, Planet};
use super::refusal::Refusal;
use super::sheet::{PIXELS, Sheet};
use super::{export, lines, polar, terrarium};
use crate::draw::palette::snow;
use crate::draw::relief::FROZEN_C;
use crate::print;
use grid::math;
use moka::sync::Cache;
use region::vectors::RiverLine;
use region::{Lattice, Method, Region, Request, Sampled, Window};
use std::borrow::Cow;
use std::sync::Arc;

/// The layers that heights, pictures and lakes are made from.
pub const LAYERS: [Sampled; 7] = [
    Sampled::Elevation,
    Sampled::WaterSurface,
    Sampled::WaterDepth,
    Sampled::Temperature,
    Sampled::Rain,
    Sampled::Discharge,
    Sampled::Moisture,
];

/// Terrain that is kept for the next drawing of the same tile, in bytes.
const GROUNDS: u64 = 64 << 20;

/// Samples beyond each side of a tile that is seen from far: lines along the coast reach so far.
pub const MARGIN: usize = 24;

/// From far samples lie more than so many cells apart.
const FAR_CELLS: f64 = 0.6;

/// Whether samples so far apart, on cells of a width in metres, are drawn without channels of their own: with them, every cell
/// under a tile would have to be made. Terrain with channels is made in blocks, and a margin would cost whole blocks.
fn is_far(spacing_m: f64, cell_m: f64) -> bool {
    spacing_m > FAR_CELLS * cell_m
}

/// The last zoom of lines of a world's map at which rivers are those of the world: nearer, samples have channels of
/// their own. Tiles of lines lie on coloured ones of the next zoom.
pub fn last_far_zoom(about: &About) -> u8 {
    let sheet = Sheet(about.surface);
    let spacing_m = |zoom| sheet.tile(Tile { zoom: zoom + 1, x: 0, y: 0 }, 0).0.spacing_m();
    (0..MAX_ZOOM).take_while(|&zoom| is_far(spacing_m(zoom), about.cell_m)).last().unwrap_or(0)
}

/// What an answer holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Type of its contents.
    pub kind: &'static str,
    /// Its contents.
    pub bytes: axum::body::Bytes,
    /// The name under which a browser should save it, if it should.
    pub file: Option<&'static str>,
}

impl Answer {
    /// An answer that a page shows.
    pub fn new(kind: &'static str, bytes: Vec<u8>) -> Self {
        Self { kind, bytes: bytes.into(), file: None }
    }

    /// The same to be saved under a name.
    pub fn saved_as(self, file: &'static str) -> Self {
        Self { file: Some(file), ..self }
    }
}

/// A world ready to be drawn.
#[derive(Clone)]
pub struct Scene {
    /// The world.
    pub planet: Arc<dyn Planet>,
    /// How it lies on the page's map.
    pub sheet: Sheet,
    grounds: Cache<Tile, Arc<Ground>>,
}

/// Terrain of a tile.
pub struct Ground {
    /// What was asked of the world.
    pub request: Request,
    /// Its samples, more than the tile's where there is a margin, and its rivers.
    pub region: Region,
    /// Samples beyond each side.
    pub margin: usize,
}

impl Scene {
    /// A world with nothing drawn yet.
    pub fn new(planet: Arc<dyn Planet>) -> Self {
        let sheet = Sheet(planet.about().surface);
        let weight = |_: &Tile, ground: &Arc<Ground>| {
            let samples = ground.region.window.width * ground.region.window.height;
            (4 * LAYERS.len() * samples) as u32
        };
        let grounds = Cache::builder().weigher(weight).max_capacity(GROUNDS).build();
        Self { planet, sheet, grounds }
    }

    /// Draws what is asked for.
    ///
    /// # Errors
    /// The world cannot be read, or does not reach so far.
    pub fn draw(&self, address: &Address) -> Result<Answer, Refusal> {
        match *address {
            Address::Heights(heights, tile) => terrarium::tile(self, heights, tile),
            Address::Picture(picture, tile) => super::colours::tile(self, picture, tile),
            Address::Lines(lines, tile) => lines::tile(self, lines, tile),
            Address::Polar(pole, picture, over, view) => polar::view(self, pole, (picture, over), view),
            Address::Export(export, picture, frame) => export::view(self, export, picture, frame),
            Address::About => Ok(json(&self.about())),
            Address::Sights => Ok(json(&self.planet.sights()?)),
            Address::Place(place) => Ok(json(&self.planet.place(place)?)),
        }
    }

    fn about(&self) -> serde_json::Value {
        let about = self.planet.about();
        let surface = match about.surface {
            super::Surface::Globe { radius_m } => {
                serde_json::json!({ "kind": "globe", "radius_m": radius_m })
            }
            super::Surface::Flat { width_m, height_m } => serde_json::json!({
                "kind": "flat",
                "width_m": width_m,
                "height_m": height_m,
                "corner_m": about.eastings.corner_m,
                "stretch": about.eastings.stretch,
                "reference": about.reference,
                "degrees": [super::sheet::page_degrees(width_m), super::sheet::page_degrees(height_m)],
            }),
        };
        serde_json::json!({
            "name": about.name,
            "digest": about.digest,
            "engine": about.engine,
            "surface": surface,
            "cell_m": about.cell_m,
            "max_zoom": MAX_ZOOM,
            "last_far_zoom": last_far_zoom(about),
            "notes": about.notes,
            "classes": super::colours::classes(),
        })
    }

    /// Whether samples so far apart are made one by one, so that a margin costs little.
    pub fn is_far(&self, lattice: &Lattice) -> bool {
        is_far(lattice.spacing_m(), self.planet.about().cell_m)
    }

    /// Terrain of a tile: made once for all that is drawn of it.
    ///
    /// # Errors
    /// The world cannot be read.
    pub fn ground(&self, tile: Tile) -> Result<Arc<Ground>, Failure> {
        let make = || {
            let margin = if self.is_far(&self.sheet.tile(tile, 0).0) { MARGIN } else { 0 };
            let (lattice, window) = self.sheet.tile(tile, margin);
            let request = self.request(lattice, window)?.with_rivers(true);
            let region = self.planet.refine(&request)?;
            Ok::<_, Failure>(Arc::new(Ground { request, region, margin }))
        };
        self.grounds.try_get_with(tile, make).map_err(|failure| (*failure).clone())
    }

    /// A request that shares what earlier ones found out.
    ///
    /// # Errors
    /// A window without samples, or with too many.
    pub fn request(&self, lattice: Lattice, window: Window) -> Result<Request, Failure> {
        let method = if self.is_far(&lattice) { Method::Classic } else { Method::Drainage };
        // the discharge of a whole planet would take the features of all its cells, and nobody sees it from there
        let layers = LAYERS.into_iter().filter(|l| !(self.is_far(&lattice) && *l == Sampled::Discharge));
        let request = Request::new(lattice.clone(), window, layers.collect(), method);
        Ok(request.map_err(|e| Failure(e.to_string()))?.with_cache(self.planet.drainage()))
    }
}

impl Ground {
    /// The samples of a layer within the tile.
    pub fn cropped(&self, layer: Sampled) -> Vec<f32> {
        let values = self.region.layer(layer).unwrap_or_default();
        crop(values, self.region.window.width, self.margin)
    }
}

/// The value of a layer of a region at the sample nearest to a place (longitude and latitude, or metres), if a number is there.
pub fn nearest(region: &Region, layer: Sampled, place: [f64; 2]) -> Option<f32> {
    let Window { width, height, .. } = region.window;
    let [x, y] = print::Ground::of_pixels(region).point(place)?;
    let is_inside = x >= 0.0 && y >= 0.0 && (x as usize) < width && (y as usize) < height;
    let values = region.layer(layer).filter(|_| is_inside)?;
    values.get(y as usize * width + x as usize).copied().filter(|v| v.is_finite())
}

/// The mean of the year in degrees by which a brook at a place is water or ice: in lasting snow it is ice, as in the coldest land.
pub fn brook_c(region: &Region, place: [f64; 2]) -> Option<f32> {
    let temperature_c = nearest(region, Sampled::Temperature, place)?;
    let white =
        nearest(region, Sampled::Rain, place).map_or(0.0, |rain_mm| snow(temperature_c, rain_mm, SOME_ICE));
    Some(temperature_c.min(temperature_c + white * (FROZEN_C.1 - temperature_c)))
}

/// Where snow lasts there are glaciers as a rule; how much of the country they cover is not asked for each line.
const SOME_ICE: f32 = 0.7;

/// The places of a river's line up to where its last piece comes under a much greater river's water, and goes on to the middle, where
/// that one's own line runs: on a map the bank is the end. None of a line that lies under it as a whole.
pub fn up_to_the_bank<'a>(region: &Region, river: &'a RiverLine) -> Cow<'a, [[f64; 2]]> {
    let places = &river.places;
    let [.., from, end] = places.as_slice() else { return Cow::Borrowed(places) };
    let at = |step: u8| {
        let share = f64::from(step) / f64::from(BANK_STEPS);
        std::array::from_fn(|k| math::mix(from[k], end[k], share))
    };
    let is_under = |step: u8| {
        let there_m3_s = nearest(region, Sampled::Discharge, at(step));
        there_m3_s.is_some_and(|q| f64::from(q) > GREATER * river.discharge_m3_s)
    };
    if !is_under(BANK_STEPS - 1) {
        return Cow::Borrowed(places);
    }
    // the last of its steps on land, seen from the middle: islands and bars lie on this side
    match ((0..BANK_STEPS).rev().find(|&step| !is_under(step)), places.len()) {
        (None, 2) => Cow::Borrowed(&[]),
        (None, count) => Cow::Borrowed(&places[..count - 1]),
        (Some(step), count) => {
            let mut cut = places[..count - 1].to_vec();
            cut.push(at(step + 1));
            Cow::Owned(cut)
        }
    }
}

/// Places along a last piece that are looked at.
const BANK_STEPS: u8 = 24;
/// A river is much greater than another that has less than its discharge by this factor.
const GREATER: f64 = 2.0;

/// What is left of a square of samples without a margin.
pub fn crop<T: Copy>(values: &[T], width: usize, margin: usize) -> Vec<T> {
    let rows = values.chunks(width.max(1)).skip(margin).take(PIXELS);
    rows.flat_map(|row| row.iter().skip(margin).take(PIXELS).copied()).collect()
}

fn json(value: &serde_json::Value) -> Answer {
    Answer::new("application/json", value.to_string().into_bytes())
}
