//! Values on a north-up lattice of square-cornered pixels, and where that lattice lies.

use serde::Serialize;

use crate::RasterError;
use crate::geotiff::ForeignCrs;

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
    /// The Mercator map of web maps, on the planet's sphere: EPSG:3857, in that system's own metres, on a planet of
    /// Earth's size.
    WebMercator {
        /// Radius of the planet in metres.
        radius_m: f64,
    },
    /// A flat map in metres, on no planet.
    Metres,
    /// What a file said that was read; written again as it was.
    Foreign(ForeignCrs),
}

/// What coordinates count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Axis {
    /// Lengths on a map.
    Linear {
        /// Metres that a coordinate of 1 stands for.
        metres_per_unit: f64,
    },
    /// Longitudes and latitudes.
    Angular {
        /// Degrees that a coordinate of 1 stands for.
        degrees_per_unit: f64,
        /// Radius of the sphere with the planet's area, in metres.
        radius_m: f64,
    },
}

/// How a raster's cells lie on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// Equal rectangles in metres.
    Projected {
        /// From west to east.
        cell_width_m: f64,
        /// From north to south.
        cell_height_m: f64,
    },
    /// Equal steps of longitude and latitude on a sphere.
    Geographic {
        /// West border of the first column.
        west_deg: f64,
        /// North border of the first row.
        north_deg: f64,
        /// Width of a column.
        step_lon_deg: f64,
        /// Height of a row, positive although rows run southwards.
        step_lat_deg: f64,
        /// Radius of the sphere.
        radius_m: f64,
    },
}

impl Raster {
    /// Checks sizes and georeference; every writer does so first.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), RasterError> {
        check_sizes((self.width, self.height), self.bands.len())?;
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

/// Checks columns and rows, and the number of bands.
pub(crate) fn check_sizes((width, height): (usize, usize), bands: usize) -> Result<(), RasterError> {
    let sides = 1..=i32::MAX as usize;
    if !sides.contains(&width) || !sides.contains(&height) {
        return Err(RasterError::Size { width, height });
    }
    if !(1..=usize::from(u16::MAX)).contains(&bands) {
        return Err(RasterError::BandCount(bands));
    }
    Ok(())
}

impl Georeference {
    /// How the cells lie on the ground.
    pub fn ground(&self) -> Ground {
        match self.crs.axis() {
            Axis::Linear { metres_per_unit } => Ground::Projected {
                cell_width_m: self.step_x * metres_per_unit,
                cell_height_m: self.step_y * metres_per_unit,
            },
            Axis::Angular { degrees_per_unit, radius_m } => Ground::Geographic {
                west_deg: self.west * degrees_per_unit,
                north_deg: self.north * degrees_per_unit,
                step_lon_deg: self.step_x * degrees_per_unit,
                step_lat_deg: self.step_y * degrees_per_unit,
                radius_m,
            },
        }
    }

    /// Coordinates of the middle of the cell at this column and row, in the units of the reference system.
    pub fn center(&self, column: usize, row: usize) -> [f64; 2] {
        [self.west + (column as f64 + 0.5) * self.step_x, self.north - (row as f64 + 0.5) * self.step_y]
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
    pub(crate) fn check(&self) -> Result<(), RasterError> {
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

/// Whether a planet is close to Earth's size (0.1 %).
fn is_earth(radius_m: f64) -> bool {
    (radius_m / EARTH_RADIUS_M - 1.0).abs() <= 1e-3
}

/// Radius of the sphere of EPSG:3857 in metres: the equatorial radius of WGS 84.
const WEB_RADIUS_M: f64 = 6_378_137.0;

impl Crs {
    /// Metres on the plane of the web's Mercator map for each radius of the planet: EPSG:3857 counts in metres of the
    /// equatorial radius of the Earth, whatever the planet's own.
    pub fn web_mercator_radius_m(radius_m: f64) -> f64 {
        if is_earth(radius_m) { WEB_RADIUS_M } else { radius_m }
    }

    /// What coordinates in it count.
    pub fn axis(&self) -> Axis {
        match *self {
            Self::Geographic { radius_m } => Axis::Angular { degrees_per_unit: 1.0, radius_m },
            Self::TransverseMercator { .. } | Self::WebMercator { .. } | Self::Metres => {
                Axis::Linear { metres_per_unit: 1.0 }
            }
            Self::Foreign(ref foreign) => foreign.axis(),
        }
    }

    /// Radius of the planet in metres; `None` for a flat map, and for a foreign map that is not in degrees.
    pub fn radius_m(&self) -> Option<f64> {
        match *self {
            Self::TransverseMercator { radius_m, .. } | Self::WebMercator { radius_m } => Some(radius_m),
            _ => match self.axis() {
                Axis::Angular { radius_m, .. } => Some(radius_m),
                Axis::Linear { .. } => None,
            },
        }
    }

    /// Whether coordinates are longitudes and latitudes in degrees.
    pub fn is_geographic(&self) -> bool {
        matches!(self.axis(), Axis::Angular { degrees_per_unit, .. } if degrees_per_unit == 1.0)
    }

    /// Number in the EPSG register, where it has one.
    pub fn epsg(&self) -> Option<u16> {
        match self {
            Self::Geographic { .. } if self.is_wgs84() => Some(4326),
            Self::WebMercator { radius_m } if is_earth(*radius_m) => Some(3857),
            Self::Foreign(foreign) => foreign.epsg(),
            _ => None,
        }
    }

    /// Whether longitude and latitude are EPSG:4326: the file says so, or the planet is close to Earth's size
    /// (0.1 %).
    pub fn is_wgs84(&self) -> bool {
        match *self {
            Self::Geographic { radius_m } => is_earth(radius_m),
            Self::Foreign(ref foreign) => foreign.epsg() == Some(4326),
            _ => false,
        }
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
            Self::WebMercator { radius_m } if is_earth(radius_m) => "EPSG:3857".into(),
            Self::WebMercator { radius_m } => format!("Mercator map of a sphere of radius {radius_m} m"),
            Self::Metres => "a flat map, metres east and north".into(),
            Self::Foreign(ref foreign) => foreign.name().into(),
        }
    }
}
