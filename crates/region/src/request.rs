//! What is asked of a world: a lattice, a window, layers, a method.

use crate::lattice::{Lattice, Window};

/// A layer that a region can be sampled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sampled {
    /// Ground, river bed or floor of sea and lakes, in metres.
    Elevation,
    /// The mountain-free ground before rivers are cut, in metres.
    Base,
    /// Mountains above the base, in metres.
    Mountains,
    /// Surface of the water where there is any, else the ground, in metres.
    WaterSurface,
    /// Depth of water, in metres; 0 on dry land.
    WaterDepth,
    /// Discharge of the river on its channel's samples in m3/s, 0 elsewhere.
    Discharge,
    /// Strahler order of the river on its channel's samples, 0 elsewhere.
    Order,
    /// Mean temperature in deg C.
    Temperature,
    /// Rain in mm/yr.
    Rain,
}

impl Sampled {
    /// All layers, in the order of their names here.
    pub const ALL: [Self; 9] = [
        Self::Elevation,
        Self::Base,
        Self::Mountains,
        Self::WaterSurface,
        Self::WaterDepth,
        Self::Discharge,
        Self::Order,
        Self::Temperature,
        Self::Rain,
    ];

    /// Name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elevation => "elevation",
            Self::Base => "base",
            Self::Mountains => "mountains",
            Self::WaterSurface => "water_surface",
            Self::WaterDepth => "water_depth",
            Self::Discharge => "discharge",
            Self::Order => "order",
            Self::Temperature => "temperature",
            Self::Rain => "rain",
        }
    }

    /// Unit of the values.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Discharge => "m3/s",
            Self::Order => "1",
            Self::Temperature => "deg C",
            Self::Rain => "mm/yr",
            _ => "m",
        }
    }

    /// The layer of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// How rivers are refined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One main river per cell, by splines from its entry points over a junction to its exit.
    Classic,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The window has no samples.
    #[error("the region has no sample: it is narrower than the resolution of {spacing_m} m")]
    Empty {
        /// Distance between samples in metres.
        spacing_m: f64,
    },
    /// The window has too many samples.
    #[error(
        "the region has {width} x {height} samples; at most {max} in all are made at once: ask for a smaller area or a coarser resolution"
    )]
    TooLarge {
        /// Columns asked for.
        width: usize,
        /// Rows asked for.
        height: usize,
        /// Most samples.
        max: usize,
    },
    /// The window lies farther out than any planet.
    #[error("the region begins at sample {column}, {row}; samples are numbered from {min} to {max}")]
    Far {
        /// First column asked for.
        column: i64,
        /// First row asked for.
        row: i64,
        /// Least number.
        min: i64,
        /// Greatest number.
        max: i64,
    },
    /// A spacing that is not a positive number of metres.
    #[error("the resolution is {spacing_m} m; it must be from {min} to {max} m")]
    Spacing {
        /// The offending value.
        spacing_m: f64,
        /// Least spacing in metres.
        min: f64,
        /// Greatest spacing in metres.
        max: f64,
    },
}

/// A region that was asked for, within limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Where samples may lie.
    pub lattice: Lattice,
    /// Which of them are wanted.
    pub window: Window,
    /// What is wanted of them.
    pub layers: Vec<Sampled>,
    /// How rivers are refined.
    pub method: Method,
}

impl Request {
    /// Most samples of one region: 4 bytes each and layer.
    pub const MAX_SAMPLES: usize = 100_000_000;
    /// Least distance between samples in metres.
    pub const MIN_SPACING_M: f64 = 0.01;
    /// Samples are numbered up to this, in both directions.
    pub const MAX_NUMBER: i64 = 1 << 40;
    /// Greatest distance between samples in metres.
    pub const MAX_SPACING_M: f64 = 1e7;

    /// A request, if it is neither empty nor too large.
    ///
    /// # Errors
    /// No sample or more than [`Request::MAX_SAMPLES`]; a spacing or a window out of range.
    pub fn new(
        lattice: Lattice,
        window: Window,
        layers: Vec<Sampled>,
        method: Method,
    ) -> Result<Self, RequestError> {
        let spacing_m = lattice.spacing_m();
        let (min, max) = (Self::MIN_SPACING_M, Self::MAX_SPACING_M);
        if !(min..=max).contains(&spacing_m) {
            return Err(RequestError::Spacing { spacing_m, min, max });
        }
        let Window { west, north, width, height } = window;
        let (least, most) = (-Self::MAX_NUMBER, Self::MAX_NUMBER);
        if !(least..=most).contains(&west) || !(least..=most).contains(&north) {
            return Err(RequestError::Far { column: west, row: north, min: least, max: most });
        }
        if width == 0 || height == 0 {
            return Err(RequestError::Empty { spacing_m });
        }
        if width.checked_mul(height).is_none_or(|n| n > Self::MAX_SAMPLES) {
            return Err(RequestError::TooLarge { width, height, max: Self::MAX_SAMPLES });
        }
        Ok(Self { lattice, window, layers, method })
    }
}
