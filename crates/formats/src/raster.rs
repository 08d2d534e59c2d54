//! Values on a north-up lattice of square-cornered pixels, and where that lattice lies.

use serde::Serialize;

use crate::RasterError;

/// Mean radius of the Earth in metres (IUGG): the sphere of the same mean as the WGS 84 ellipsoid.
pub const EARTH_RADIUS_M: f64 = 6_371_008.8;

/// Bands of values on one lattice. Row 0 is the northernmost; within a row, from west to east.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// Samples from west to east.
    pub width: usize,
    /// Samples from north to south.
    pub height: usize,
    /// Where the lattice lies.
    pub georeference: Georeference,
    /// The bands, each of `width * height` values.
    pub bands: Vec<Band>,
}

/// One quantity over a raster.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// What it is, in one word if possible: `elevation`.
    pub name: String,
    /// Its unit: `m`, `m3/s`; empty for ids and classes.
    pub unit: String,
    /// Its values, row-major, north first.
    pub values: BandValues,
}

/// The values of a band.
#[derive(Clone, Debug, PartialEq)]
pub enum BandValues {
    /// Measured quantities.
    F32(Vec<f32>),
    /// Classes and bit sets.
    U8(Vec<u8>),
    /// Small counts.
    U16(Vec<u16>),
    /// Ids and large counts.
    U32(Vec<u32>),
}

/// Where a raster lies: the outer corner of its upper-left pixel, and the size of a pixel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Georeference {
    /// What the coordinates mean.
    pub crs: Crs,
    /// West border of the first column, in degrees or metres.
    pub west: f64,
    /// North border of the first row, in degrees or metres.
    pub north: f64,
    /// Width of a pixel, positive.
    pub step_x: f64,
    /// Height of a pixel, positive although rows run southwards.
    pub step_y: f64,
}

/// A coordinate reference system.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Crs {
    /// Longitude and latitude in degrees: EPSG:4326 on a planet of Earth's size, else on a sphere of its own.
    Geographic {
        /// Radius of the planet in metres.
        radius_m: f64,
    },
    /// Transverse Mercator on the planet's sphere: metres east and north of a centre, true to scale along its
    /// meridian.
    TransverseMercator {
        /// Longitude of the centre in degrees.
        lon0_deg: f64,
        /// Latitude of the centre in degrees.
        lat0_deg: f64,
        /// Radius of the planet in metres.
        radius_m: f64,
    },
    /// A flat map in metres, on no planet.
    Metres,
}

impl Raster {
    /// Checks sizes and georeference; every writer does so first.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), RasterError> {
        let sides = 1..=i32::MAX as usize;
        if !sides.contains(&self.width) || !sides.contains(&self.height) {
            return Err(RasterError::Size { width: self.width, height: self.height });
        }
        if !(1..=usize::from(u16::MAX)).contains(&self.bands.len()) {
            return Err(RasterError::BandCount(self.bands.len()));
        }
        let expected = self.width * self.height;
        for band in &self.bands {
            let found = band.values.len();
            if found != expected {
                return Err(RasterError::BandLength { band: band.name.clone(), found, expected });
            }
        }
        self.georeference.check()
    }
}

impl Band {
    /// A band of this name and unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, values: BandValues) -> Self {
        Self { name: name.into(), unit: unit.into(), values }
    }

    /// Least and greatest of the values that are numbers; `None` if none is.
    pub fn range(&self) -> Option<(f64, f64)> {
        match &self.values {
            BandValues::F32(v) => range(v.iter().map(|&x| f64::from(x))),
            BandValues::U8(v) => range(v.iter().map(|&x| f64::from(x))),
            BandValues::U16(v) => range(v.iter().map(|&x| f64::from(x))),
            BandValues::U32(v) => range(v.iter().map(|&x| f64::from(x))),
        }
    }
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|v| !v.is_nan()).fold(None, |seen, v| match seen {
        None => Some((v, v)),
        Some((low, high)) => Some((low.min(v), high.max(v))),
    })
}

impl BandValues {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(v) => v.len(),
            Self::U8(v) => v.len(),
            Self::U16(v) => v.len(),
            Self::U32(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Georeference {
    fn check(&self) -> Result<(), RasterError> {
        let wrong = |name, value, rule| Err(RasterError::Georeference { name, value, rule });
        for (name, value) in [("west", self.west), ("north", self.north)] {
            if !value.is_finite() {
                return wrong(name, value, "finite");
            }
        }
        for (name, value) in [("step_x", self.step_x), ("step_y", self.step_y)] {
            if !(value.is_finite() && value > 0.0) {
                return wrong(name, value, "finite and positive");
            }
        }
        match self.crs.radius_m() {
            Some(value) if !(value.is_finite() && value > 0.0) => {
                wrong("radius_m", value, "finite and positive")
            }
            _ => Ok(()),
        }
    }
}

impl Crs {
    /// Radius of the planet in metres; `None` for a flat map.
    pub fn radius_m(&self) -> Option<f64> {
        match *self {
            Self::Geographic { radius_m } | Self::TransverseMercator { radius_m, .. } => Some(radius_m),
            Self::Metres => None,
        }
    }

    /// Whether the planet is so close to Earth's size (0.1 %) that longitude and latitude are EPSG:4326.
    pub fn is_wgs84(&self) -> bool {
        matches!(*self, Self::Geographic { radius_m } if (radius_m / EARTH_RADIUS_M - 1.0).abs() <= 1e-3)
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        match *self {
            Self::Geographic { .. } if self.is_wgs84() => "EPSG:4326".into(),
            Self::Geographic { radius_m } => {
                format!("longitude and latitude on a sphere of radius {radius_m} m")
            }
            Self::TransverseMercator { lon0_deg, lat0_deg, radius_m } => format!(
                "transverse Mercator centred on {lon0_deg}, {lat0_deg} (degrees) of a sphere of radius {radius_m} m"
            ),
            Self::Metres => "a flat map, metres east and north".into(),
        }
    }
}
