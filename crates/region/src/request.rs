//! What is asked of a world: a lattice, a window, layers, a method.

use crate::cache::Cache;
use crate::derived;
use crate::drained::draws_channels;
use crate::lattice::{Lattice, Window};
use crate::mask::{Area, Mask};
use crate::refine::{STRIP_CELLS, STRIP_SAMPLES};
use grid::{Grid, Topology};
use std::sync::Arc;

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
    /// Mean temperature of the year in deg C, at the height of the sample's ground or water.
    Temperature,
    /// Rain in mm/yr.
    Rain,
    /// Where the surface falls most steeply, in ESRI's codes: 1 = E, 2 = SE, 4 = S and so on clockwise to 128 = NE;
    /// 0 where no neighbour is lower.
    FlowDirection,
    /// Number of the world's river basin, exact up to 2^24; -1 at sea and where the water reaches no river's outlet.
    Basin,
    /// Code of the Koeppen-Geiger class at the sample's own height, 1 to 30; 0 at sea.
    LandCover,
    /// Height over the channel that the ground drains to, in metres (HAND; Nobre et al. 2011): of the channels that samples of this
    /// spacing show. 0 on water; not a number where no channels are drawn.
    Hand,
    /// Ridges alone above the land under them, in metres.
    Ridges,
    /// Peaks alone above the land under them, in metres.
    Peaks,
    /// Buttresses alone above the land under them, in metres.
    Buttresses,
    /// What rounding takes from the surface of the water, in metres: rivers of plains fall by less from sample to sample. It is asked
    /// for by flow direction alone, and not in [`Sampled::ALL`].
    #[doc(hidden)]
    SurfaceRest,
    /// How much more rain ground low in the valley of a stream looks as if it had, in mm/yr; 0 where no channels are drawn. Pictures alone
    /// ask for it, and it is not in [`Sampled::ALL`].
    #[doc(hidden)]
    Moisture,
}

impl Sampled {
    /// All layers, in the order of their names here.
    pub const ALL: [Self; 16] = [
        Self::Elevation,
        Self::Base,
        Self::Mountains,
        Self::WaterSurface,
        Self::WaterDepth,
        Self::Discharge,
        Self::Order,
        Self::Temperature,
        Self::Rain,
        Self::FlowDirection,
        Self::Basin,
        Self::LandCover,
        Self::Hand,
        Self::Ridges,
        Self::Peaks,
        Self::Buttresses,
    ];

    /// Whether it shows one kind of feature alone.
    pub(crate) fn is_alone(self) -> bool {
        matches!(self, Self::Ridges | Self::Peaks | Self::Buttresses)
    }

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
            Self::FlowDirection => "flow_direction",
            Self::Basin => "basin",
            Self::LandCover => "land_cover",
            Self::Hand => "hand",
            Self::Ridges => "ridges",
            Self::Peaks => "peaks",
            Self::Buttresses => "buttresses",
            Self::SurfaceRest => "surface_rest",
            Self::Moisture => "moisture",
        }
    }

    /// Unit of the values.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Discharge => "m3/s",
            Self::Order => "1",
            Self::Temperature => "deg C",
            Self::Rain | Self::Moisture => "mm/yr",
            Self::FlowDirection => "ESRI code",
            Self::Basin => "number",
            Self::LandCover => "class",
            _ => "m",
        }
    }

    /// The layer of a name; words may be joined by `-` as well.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.replace('-', "_");
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// How rivers are refined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Drainage through the levels: tributaries fill what the coarse level left out.
    Drainage,
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
        "the region has {width} x {height} samples; at most {max} in all are made at once: ask for a smaller area or for a coarser resolution of {spacing_m} m or more"
    )]
    TooLarge {
        /// Columns asked for.
        width: usize,
        /// Rows asked for.
        height: usize,
        /// Most samples.
        max: u64,
        /// The resolution at which the same area has no more, in metres.
        spacing_m: f64,
    },
    /// The samples do not fit into the memory that may be used.
    #[error(
        "the region has {width} x {height} samples, for which {needed_gb} GB of memory are needed, and {limit_gb} may be used: ask for at most {side} x {side} samples, or for a coarser resolution of {spacing_m} m or more"
    )]
    Memory {
        /// Columns asked for.
        width: usize,
        /// Rows asked for.
        height: usize,
        /// What they need, in GB.
        needed_gb: f64,
        /// What may be used, in GB.
        limit_gb: f64,
        /// A square of so many samples along a side fits.
        side: u64,
        /// The same area fits at this distance between samples, in metres.
        spacing_m: f64,
    },
    /// So little memory that no sample fits.
    #[error("a region needs at least {least_gb} GB of memory, and {limit_gb} may be used")]
    NoMemory {
        /// What is needed before the first sample, in GB.
        least_gb: f64,
        /// What may be used, in GB.
        limit_gb: f64,
    },
    /// An area with no sample in it.
    #[error("no sample lies in the area: it is narrower than the resolution of {spacing_m} m")]
    Outside {
        /// Distance between samples in metres.
        spacing_m: f64,
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
#[derive(Clone, Debug)]
pub struct Request {
    /// Where samples may lie.
    pub lattice: Lattice,
    /// Which of them are wanted.
    pub window: Window,
    /// What is wanted of them.
    pub layers: Vec<Sampled>,
    /// How rivers are refined.
    pub method: Method,
    /// Whether fine texture is added; without it the shape that features give stands alone.
    pub texture: bool,
    /// Where samples are wanted; those outside are not a number. Everywhere if there is none.
    pub mask: Option<Arc<Mask>>,
    /// Whether the lines of rivers are kept beside the samples, for [`crate::vectors()`]; it finds them itself else.
    pub rivers: bool,
    /// What it shares with other requests of the same world.
    pub cache: Cache,
}

impl Request {
    /// Most samples of one region whose memory nobody has checked.
    pub const MAX_SAMPLES: u64 = 1 << 30;
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
        let request = Self::of_any_size(lattice, window, layers, method)?;
        if request.samples() > Self::MAX_SAMPLES {
            return Err(request.too_large(Self::MAX_SAMPLES));
        }
        Ok(request)
    }

    /// The refusal of a request that may have so many samples at most.
    pub fn too_large(&self, max: u64) -> RequestError {
        let Window { width, height, .. } = self.window;
        // a row and a column more than the area holds
        let longer = |side: usize| side as f64 + 1.0;
        let coarser = (longer(width) * longer(height) / max as f64).sqrt();
        RequestError::TooLarge { width, height, max, spacing_m: round_up(self.lattice.spacing_m() * coarser) }
    }

    /// The same without a limit to the number of samples: see [`Request::check_memory`].
    ///
    /// # Errors
    /// No sample, or more than 2^64; a spacing or a window out of range.
    pub fn of_any_size(
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
        let cache = Cache::default();
        let request =
            Self { lattice, window, layers, method, texture: true, mask: None, rivers: false, cache };
        match (width as u64).checked_mul(height as u64) {
            Some(_) => Ok(request),
            None => Err(request.too_large(u64::MAX)),
        }
    }

    /// The same with or without fine texture.
    #[must_use]
    pub fn with_texture(self, texture: bool) -> Self {
        Self { texture, ..self }
    }

    /// The same with the lines of rivers kept, or not.
    #[must_use]
    pub fn with_rivers(self, rivers: bool) -> Self {
        Self { rivers, ..self }
    }

    /// The same with a cache that other requests share.
    #[must_use]
    pub fn with_cache(self, cache: &Cache) -> Self {
        Self { cache: cache.clone(), ..self }
    }

    /// The same for the samples in an area, given in the lattice's own coordinates.
    ///
    /// # Errors
    /// No sample of the window lies in it.
    pub fn within(self, area: &Area) -> Result<Self, RequestError> {
        let mask = Mask::new(&self.lattice, &self.window, area);
        if mask.count() == 0 {
            return Err(RequestError::Outside { spacing_m: self.lattice.spacing_m() });
        }
        Ok(Self { mask: Some(Arc::new(mask)), ..self })
    }

    /// Whether a sample, by its column and row within the window, is wanted.
    pub(crate) fn wants(&self, column: usize, row: usize) -> bool {
        let Window { west, north, .. } = self.window;
        self.mask.as_ref().is_none_or(|mask| mask.holds(west + column as i64, north - row as i64))
    }

    /// Number of samples.
    pub fn samples(&self) -> u64 {
        self.window.width as u64 * self.window.height as u64
    }

    /// Makes sure that it can be refined on a grid, with `more` bytes for each sample that whoever asks will need,
    /// within some bytes of memory.
    ///
    /// Counted are the samples, what the cells under a strip of them take with their features, and the layers of a strip
    /// that others are made from; measured, with a margin.
    ///
    /// # Errors
    /// It cannot: says how many samples, or which spacing, would fit.
    pub fn check_memory(&self, grid: &Topology, more: u64, limit: u64) -> Result<(), RequestError> {
        let per_sample = 4 * self.layers.len() as u64 + more;
        let samples = u128::from(self.samples());
        let needed =
            samples * u128::from(per_sample) + u128::from(self.working_bytes(grid, STRIP_SAMPLES as u64));
        if needed <= u128::from(limit) {
            return Ok(());
        }
        // the same cells under fewer samples, in one strip
        let working = self.working_bytes(grid, u64::MAX);
        let fit = limit.saturating_sub(working) / per_sample.max(1);
        let limit_gb = limit as f64 / 1e9;
        if fit == 0 {
            return Err(RequestError::NoMemory { least_gb: gigabytes(working.into()), limit_gb });
        }
        let Window { width, height, .. } = self.window;
        let fit = fit.min(self.samples());
        let coarser = (self.samples() as f64 / fit as f64).sqrt();
        Err(RequestError::Memory {
            width,
            height,
            needed_gb: gigabytes(needed),
            limit_gb,
            side: fit.isqrt(),
            spacing_m: round_up(self.lattice.spacing_m() * coarser),
        })
    }

    /// Bytes that refining takes beside the samples asked for, in strips of so many samples.
    fn working_bytes(&self, grid: &Topology, strip: u64) -> u64 {
        const PROGRAM: u64 = 100_000_000;
        const PER_CELL: f64 = 1_300.0;
        const PER_DERIVED_SAMPLE: u64 = 40;
        // sites, plans and waters of the level that is drawn and of those above; of the world's cells mostly the land
        const PER_DRAWN_SAMPLE: u64 = 80;
        let strip = strip.min(self.samples());
        let cells_per_sample = self.lattice.spacing_m() / grid.cell_m();
        let cells = (strip as f64 * cells_per_sample * cells_per_sample).min(grid.len() as f64);
        let derived = if derived::wanted(grid, self) { PER_DERIVED_SAMPLE } else { 0 };
        let (drawn, of_cells) = if draws_channels(grid, self) {
            (PER_DRAWN_SAMPLE, channel_bytes(cells))
        } else {
            (0, PER_CELL * cells)
        };
        let kept = self.cache.limit().min(drawn.saturating_mul(self.samples()));
        PROGRAM + kept + of_cells as u64 + (derived + drawn) * strip.min(STRIP_SAMPLES as u64)
    }
}

/// Bytes that the channels of so many of a world's cells take, where they are drawn: in strips, of which one is in memory. Measured,
/// with a margin.
pub fn channel_bytes(cells: f64) -> f64 {
    const PER_CELL: f64 = 4_500.0;
    PER_CELL * cells.min(STRIP_CELLS as f64)
}

/// Gigabytes, rounded up to a tenth.
fn gigabytes(bytes: u128) -> f64 {
    bytes.div_ceil(100_000_000) as f64 / 10.0
}

/// A positive number rounded up to two digits.
fn round_up(value: f64) -> f64 {
    let (mut times, mut per) = (1.0, 1.0);
    while value / times >= 100.0 {
        times *= 10.0;
    }
    while value * per < 10.0 && per < 1e12 {
        per *= 10.0;
    }
    (value / times * per).ceil() * times / per
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: Method, (width, height): (usize, usize), spacing_m: f64) -> Request {
        let window = Window { west: 0, north: 0, width, height };
        let layers = vec![Sampled::Elevation, Sampled::Rain];
        Request::of_any_size(Lattice::Plane { step_m: spacing_m }, window, layers, method).expect("in range")
    }

    #[test]
    fn layers_are_named_by_words_joined_either_way() {
        for layer in Sampled::ALL {
            assert_eq!(Sampled::named(layer.name()), Some(layer));
            assert_eq!(Sampled::named(&layer.name().replace('_', "-")), Some(layer));
        }
        assert_eq!(Sampled::named("water surface"), None);
    }

    #[test]
    fn what_is_said_to_fit_fits() {
        let grid = Topology::Flat(grid::Flat::new(2000, 1000, 20_000.0).expect("a map"));
        let cases = [
            (40_000, 40_000, 90.0, 4, 4_000_000_000u64),
            (70_000, 9_000, 1.0, 60, 1_300_000_000),
            (20_000, 50_000, 5000.0, 0, 4_000_000_000),
            (30_000, 30_000, 0.013, 9, 2_500_000_000),
        ];
        let of_both = |case| [Method::Classic, Method::Drainage].map(|method| (case, method));
        for ((width, height, spacing_m, more, limit), method) in cases.into_iter().flat_map(of_both) {
            let large = request(method, (width, height), spacing_m);
            let refused = large.check_memory(&grid, more, limit);
            let Err(RequestError::Memory { side, spacing_m: coarser, needed_gb, .. }) = refused else {
                panic!("{width} x {height} does not fit into {limit} bytes: {refused:?}");
            };
            assert!(needed_gb * 1e9 > limit as f64);
            let fits = |w: f64, h: f64, spacing_m: f64| {
                request(method, (w as usize, h as usize), spacing_m).check_memory(&grid, more, limit).is_ok()
            };
            assert!(fits(side as f64, side as f64, spacing_m), "{side}");
            let share = spacing_m / coarser;
            assert!(fits(width as f64 * share, height as f64 * share, coarser), "{coarser}");
            if spacing_m < 1000.0 {
                // counted are the cells of the whole window, which take more where channels are drawn
                let room = if method == Method::Drainage { 1.03 } else { 1.01 };
                assert!(!fits(side as f64 * room, side as f64 * room, spacing_m), "{side} is all that fits");
                let finer = coarser / 1.11;
                let share = spacing_m / finer;
                assert!(
                    !fits(width as f64 * share, height as f64 * share, finer),
                    "{coarser} is not too coarse"
                );
            }
        }
        assert!(request(Method::Classic, (1000, 1000), 1.0).check_memory(&grid, 4, 1_000_000_000).is_ok());
        let none = request(Method::Classic, (9, 9), 1.0).check_memory(&grid, 4, 1000);
        assert!(matches!(none, Err(RequestError::NoMemory { .. })));
    }

    #[test]
    fn numbers_are_rounded_up_to_two_digits() {
        for (value, expected) in
            [(123.0, 130.0), (90.0, 90.0), (0.0131, 0.014), (9.91, 10.0), (20_001.0, 21_000.0)]
        {
            assert!((round_up(value) / expected - 1.0).abs() < 1e-12, "{value}: {}", round_up(value));
        }
    }
}
