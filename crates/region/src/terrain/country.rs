//! Country: how hilly, steep, icy or level the land is.

use super::at_most;
use super::cells::Means;
use super::noise::{At, Octaves, Rows};
use grid::{Purpose, Seed, Vec3, math};
use std::rc::Rc;

const KIND: Purpose = Purpose::new("region/country/kind");
const STEEP: Purpose = Purpose::new("region/country/steep");
const HILLS: Purpose = Purpose::new("region/country/hills");

/// What the country is like at a place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Here {
    /// Height of the hills, in metres: at the place, and of the highest around.
    pub hills_m: f64,
    pub relief_m: f64,
    /// The hills' noise: 0.5 on the mean.
    pub rolling: f64,
    pub rise: f64,
    pub ice: f64,
    /// How much coasts are of rock, and of sand, 0 to 1.
    pub rocky: f64,
    pub sandy: f64,
    /// How far the sea has risen in valleys, 0 to 1.
    pub drowned: f64,
}

impl Here {
    /// At the share `t` of the way to another place.
    pub fn lerp(&self, other: &Self, t: f64) -> Self {
        let mix = |of: fn(&Self) -> f64| math::mix(of(self), of(other), t);
        Self {
            hills_m: mix(|h| h.hills_m),
            relief_m: mix(|h| h.relief_m),
            rolling: mix(|h| h.rolling),
            rise: mix(|h| h.rise),
            ice: mix(|h| h.ice),
            rocky: mix(|h| h.rocky),
            sandy: mix(|h| h.sandy),
            drowned: mix(|h| h.drowned),
        }
    }

    /// How far hills push a shore out, or hollows draw it in, in cells.
    pub fn headland(&self) -> f64 {
        0.35 * self.rocky * (self.rolling - 0.5)
    }
}

/// The hills at a place: see [`Here`].
#[derive(Clone, Copy)]
pub(super) struct Hills {
    pub height_m: f64,
    relief_m: f64,
    rolling: f64,
}

/// The noises of hills and slopes.
pub(super) struct Country {
    steep: Rows,
    hills: Rows,
    /// Side of a cell, in metres.
    cell_m: f64,
}

/// Wavelengths, in metres: of kinds of country, of steepness, of hills.
const KIND_M: f64 = 180_000.0;
const STEEP_M: f64 = 40_000.0;
const HILLS_M: f64 = 9_000.0;
/// Greatest relief of hills, in metres.
const MOST_HILLS_M: f64 = 150.0;
/// Gradient of hillslopes: least, for each metre of hills and of mountains, and the greatest.
const PLAIN_RISE: f64 = 0.026;
const HILL_RISE: f64 = 1.0 / 577.0;
const MOUNTAIN_RISE: f64 = 2.7e-4;
const MOST_RISE: f64 = 0.66;
/// Hillslopes are so many times as steep as the land falls from cell to cell, at the most as steep as the second, where that is more:
/// streams climb half as steeply as they ([`crate::drainage`]), and must keep up with the land.
const STEEPER: f64 = 2.5;
const MOST_CLIMB: f64 = 1.0;
/// Standard deviation of places by their weight in the kernel, in cells: heights on a slope differ by as much times its gradient.
const DEVIATION_CELLS: f64 = 0.54;

/// Height of the highest hills around, in metres, where cells differ by so much.
pub(super) fn hills_m(kind: f64, rough_m: f64) -> f64 {
    at_most(math::exp(2.6 * kind) * (6.0 + 0.9 * rough_m), MOST_HILLS_M)
}

/// Noise that says what kind of country it is, for the cells: deviation 0.34.
pub(super) struct Kinds(Octaves);

impl Kinds {
    pub fn new(seed: Seed) -> Self {
        Self(Octaves::new((seed, KIND), KIND_M, 30_000.0, 0.0))
    }

    pub fn at(&self, q: Vec3) -> f64 {
        self.0.sum(q, 0.6)
    }
}

impl Country {
    pub fn new(seed: Seed, size_m: f64, cell_m: f64) -> Self {
        Self {
            steep: Rows::new((seed, STEEP), STEEP_M, 15_000.0, size_m),
            hills: Rows::new((seed, HILLS), HILLS_M, 1_500.0, size_m),
            cell_m,
        }
    }

    /// Begins a row of places in bent space, which may then be asked for by their columns.
    pub fn begin(&self, row: &Rc<[Vec3]>) {
        [&self.steep, &self.hills].into_iter().for_each(|noise| noise.begin(row));
    }

    /// Height of the hills at a place, in metres; the greatest around, and the share of that: see [`Here`].
    pub fn hills(&self, at: impl Into<At>, means: &Means) -> Hills {
        let relief_m = hills_m(means.kind, means.rough_m);
        let rolling = (0.5 + 0.9 * self.hills.sum(at.into(), 0.45)).clamp(0.0, 1.3);
        Hills { height_m: relief_m * rolling, relief_m, rolling }
    }

    pub fn at(&self, at: impl Into<At>, means: &Means) -> Here {
        let at = at.into();
        self.with_hills(at, means, self.hills(at, means))
    }

    /// The country at a place whose hills are known.
    pub fn with_hills(&self, at: At, means: &Means, hills: Hills) -> Here {
        let (Hills { height_m, relief_m, rolling }, kind) = (hills, means.kind);
        // elsewhere nothing asks for it
        let steep = if means.mountain_m > 0.0 || means.mixed > 0.0 { self.steep.sum(at, 0.6) } else { 0.0 };
        let slope = PLAIN_RISE * math::exp(1.6 * kind)
            + HILL_RISE * relief_m
            + MOUNTAIN_RISE * means.mountain_m * math::exp(0.9 * steep);
        // the ice of a cold time: annual means some seven degrees lower
        let ice = math::smoothstep(8.0, 2.0, means.air.temperature_c)
            * math::smoothstep(80.0, 300.0, means.air.rain_mm);
        let rocky = math::smoothstep(10.0, 110.0, relief_m + 0.25 * means.mountain_m);
        let sandy = (1.0 - ice) * (1.0 - rocky) * math::smoothstep(-1000.0, -150.0, means.sea_m);
        let drowned = math::smoothstep(-0.45, 0.25, steep);
        Here {
            drowned,
            rolling,
            rocky,
            sandy,
            hills_m: height_m,
            relief_m,
            rise: at_most(slope, MOST_RISE).max(self.least_rise(means)),
            ice,
        }
    }

    /// The least gradient of hillslopes where cells are small: the land itself is steep from cell to cell, and mountains have
    /// half a cell to rise in.
    fn least_rise(&self, means: &Means) -> f64 {
        let land = STEEPER * means.rough_m / (DEVIATION_CELLS * self.cell_m);
        let mountains = means.mountain_m / (0.5 * self.cell_m);
        land.min(MOST_CLIMB).max(mountains.min(MOST_RISE))
    }
}
