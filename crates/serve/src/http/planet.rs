//! What the server asks of a world.

use crate::Eastings;
use region::summits::{Top, Wanted};
use region::{Lattice, Region, Request, VectorLayer, Vectors, Window};
use serde_json::Value;
use std::sync::Arc;

/// What a world's map lies on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Surface {
    /// A globe of this radius in metres.
    Globe {
        /// Its radius.
        radius_m: f64,
    },
    /// A flat map of this size in metres.
    Flat {
        /// From west to east.
        width_m: f64,
        /// From south to north.
        height_m: f64,
    },
}

/// What is known of a world before anything is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Digest of all its values: equal digests, equal worlds.
    pub digest: String,
    /// The program and its version: the other half of what an answer depends on.
    pub engine: String,
    /// What its map lies on.
    pub surface: Surface,
    /// What places are called, where its map is flat.
    pub eastings: Eastings,
    /// The reference system that these are of, if it has a name.
    pub reference: Option<String>,
    /// Mean width of its cells in metres.
    pub cell_m: f64,
    /// What else a page tells of it.
    pub notes: Value,
}

/// Why a world did not answer; a line for people.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

/// Why nothing is told of a place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoPlace {
    /// It lies outside the world.
    #[error("{}, {} lies outside the world", .0[0], .0[1])]
    Outside([f64; 2]),
    /// The world cannot be read.
    #[error(transparent)]
    Failed(#[from] Failure),
}

/// A number that each cell has, for maps of one quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Mountains over the land under them, in metres.
    Mountains,
    /// Mean temperature in degrees Celsius, of a month (1 to 12) or of the year.
    Temperature(Option<u8>),
    /// Rain in mm, of a month or of the year.
    Rain(Option<u8>),
}

/// A class that each cell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Votes {
    /// Koeppen's class, 1 to 30; 0 at sea.
    Koppen,
    /// Number of the plate.
    Plate,
}

/// Things of the whole world that are drawn as lines, points and areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Rivers as the world knows them, greatest discharge first.
    Rivers,
    /// Where great rivers end, with their names.
    Outlets,
    /// Ranges as little mountains, greatest first.
    Ranges,
    /// Faults between plates.
    Faults,
    /// Volcanoes.
    Volcanoes,
}

/// Where a feature lies: longitude and latitude in degrees, or metres on a flat map.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A place.
    Point([f64; 2]),
    /// A line.
    Line(Vec<[f64; 2]>),
    /// An outline and what is missing inside.
    Area(Vec<Vec<[f64; 2]>>),
}

/// A value that is known of a feature.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// A word.
    Text(String),
    /// A number.
    Number(f64),
}

/// A river with a name, where its main stem runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Stem {
    /// The name.
    pub name: String,
    /// Discharge in m3/s at the end of that reach of the stem.
    pub discharge_m3_s: f64,
}

/// A thing on the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Where it is.
    pub shape: Shape,
    /// The least zoom at which it is worth drawing.
    pub from_zoom: u8,
    /// What is known of it.
    pub properties: Vec<(&'static str, Property)>,
}

impl Feature {
    /// The number of a name that is known of it.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.property(name)? {
            Property::Number(number) => Some(*number),
            Property::Text(_) => None,
        }
    }

    /// The word of a name that is known of it.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.property(name)? {
            Property::Text(text) => Some(text),
            Property::Number(_) => None,
        }
    }

    fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }
}

/// Drainage that a planet keeps, in bytes.
pub const DRAINAGE: u64 = 224 << 20;

/// A world that can be looked at, however it is kept. Asked from many threads at once; each answer is a function of the
/// world and of what is asked.
pub trait Planet: Send + Sync + 'static {
    /// What it is.
    fn about(&self) -> &About;

    /// What refining finds out: one cache for all that is asked of the world, of about [`DRAINAGE`].
    fn drainage(&self) -> &region::Cache;

    /// Terrain of a window.
    ///
    /// # Errors
    /// The world cannot be read, or the request does not suit it.
    fn refine(&self, request: &Request) -> Result<Region, Failure>;

    /// Lines and areas of a window that was refined.
    ///
    /// # Errors
    /// The world cannot be read.
    fn vectors(&self, request: &Request, region: &Region, wanted: &[VectorLayer])
    -> Result<Vectors, Failure>;

    /// The summits of a window, the highest first: see [`region::summits::within`].
    ///
    /// # Errors
    /// The world cannot be read.
    fn summits(&self, at: (&Lattice, &Window), wanted: &Wanted) -> Result<Vec<Top>, Failure>;

    /// A quantity at the samples of a window, blended from cells; not a number off the map.
    ///
    /// # Errors
    /// The world cannot be read.
    fn quantity(&self, what: Quantity, at: (&Lattice, &Window)) -> Result<Vec<f32>, Failure>;

    /// The class that has most of the neighbourhood, at the samples of a window.
    ///
    /// # Errors
    /// The world cannot be read.
    fn votes(&self, what: Votes, at: (&Lattice, &Window)) -> Result<Vec<u16>, Failure>;

    /// Share of each sample under ice, 0 to 1, for samples of which it is known whether they are sea.
    ///
    /// # Errors
    /// The world cannot be read.
    fn ice(&self, at: (&Lattice, &Window), sea: &[bool]) -> Result<Vec<f32>, Failure>;

    /// Whether each sample belongs to a salt lake, if it is one of a lake; none of a world without salt lakes.
    ///
    /// # Errors
    /// The world cannot be read.
    fn salt(&self, _at: (&Lattice, &Window)) -> Result<Option<Vec<bool>>, Failure> {
        Ok(None)
    }

    /// Things of the whole world; made on first use.
    ///
    /// # Errors
    /// The world cannot be read.
    fn features(&self, theme: Theme) -> Result<Arc<Vec<Feature>>, Failure>;

    /// The border of the world's cells that lie at the places given, each as a ring.
    fn cells_at(&self, places: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>>;

    /// Everything about a place: longitude and latitude, or metres.
    ///
    /// # Errors
    /// The place lies outside the world; the world cannot be read.
    fn place(&self, place: [f64; 2]) -> Result<Value, NoPlace>;

    /// Places worth going to.
    ///
    /// # Errors
    /// The world cannot be read.
    fn sights(&self) -> Result<Value, Failure>;

    /// The name of the river of a basin, as numbered in [`region::vectors::RiverLine::basin`]; none of small ones.
    ///
    /// # Errors
    /// The world cannot be read.
    fn river_name(&self, _basin: u32) -> Result<Option<String>, Failure> {
        Ok(None)
    }

    /// The river with a name whose main stem runs through the cell at a place.
    ///
    /// # Errors
    /// The world cannot be read.
    fn stem_at(&self, _place: [f64; 2]) -> Result<Option<Stem>, Failure> {
        Ok(None)
    }

    /// A region as the bytes of a GeoTIFF.
    ///
    /// # Errors
    /// It cannot be written.
    fn geotiff(&self, region: Region) -> Result<Vec<u8>, Failure>;
}
