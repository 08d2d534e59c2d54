//! The floor of the sea: shelf, slope, rise and plain as the world has them, with faint hills; canyons in the slope, and
//! seamounts too small for the world.
//!
//! Canyons run down the slope: each cell of the slope has a noise of its own that is drawn out along its fall, and the
//! mean of those near, weighted as always, is cut where it changes its sign:
//!
//! ```text
//! n = sum w_i n_i / sqrt(sum w_i^2)          z = even - depth (1 - |n| / 0.16)^2  where |n| < 0.16
//! ```
//!
//! Neglects: what rivers bring, fans at the canyons' feet, the grain of spreading ridges.

use super::cells::{Known, Means};
use super::noise::{At, Rows};
use crate::patch::Patch;
use crate::primitives::Ball;
use grid::noise::Noise;
use grid::{Cell, Grid, Purpose, Seed, Vec3, math};
use std::rc::Rc;

const FLOOR: Purpose = Purpose::new("region/sea floor");
const CANYON: Purpose = Purpose::new("region/sea floor/canyon");
const MOUNT: Purpose = Purpose::new("region/sea floor/seamount");

/// How the floor falls through a cell of the slope, and how deep canyons are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fall {
    noise: Noise,
    down: Vec3,
    across: Vec3,
    depth_m: f64,
}

/// A cell belongs to the slope if its floor falls by this over a cell, in metres; from the second on in full.
const SLOPE_M: (f64, f64) = (250.0, 900.0);
/// Canyons end above and below these depths, in metres.
const UPPER_M: (f64, f64) = (-120.0, -700.0);
const LOWER_M: (f64, f64) = (-3800.0, -2200.0);
/// Depth of canyons as a share of the fall over a cell, and at most, in metres.
const CANYON_DEPTH: f64 = 0.35;
const MOST_CANYON_M: f64 = 550.0;
/// Wavelengths of the noise across the fall and along it, in metres.
const ACROSS_M: f64 = 15_000.0;
const ALONG_M: f64 = 70_000.0;
/// A canyon is cut where the noise is nearer to 0 than this.
const CANYON_WIDTH: f64 = 0.16;
/// Radius within which a cell's fall counts, in cells.
const FALL_CELLS: f64 = 1.4;

impl Fall {
    /// The fall of a sea cell of the slope.
    pub fn of(patch: &Patch, seed: Seed, cell: Cell) -> Option<Self> {
        let own_m = patch.get(cell).filter(|s| !s.is_land())?.base_elevation_m;
        let center = patch.center_m(cell);
        let mut gradient = Vec3::default();
        for (_, neighbor) in patch.grid.neighbors(cell) {
            let Some(state) = patch.get(neighbor).filter(|s| !s.is_land()) else { continue };
            let to = patch.center_m(neighbor) - center;
            gradient += to * ((state.base_elevation_m - own_m) / (3.0 * to.length_squared()));
        }
        let fall_m = gradient.length() * patch.grid.cell_m();
        let share = math::smoothstep(SLOPE_M.0, SLOPE_M.1, fall_m);
        if share <= 0.0 {
            return None;
        }
        let key = seed.key(CANYON).within(cell);
        let often = key.at(grid::Nth(1)).unit();
        let (u, v) = patch.grid.tangents(center);
        let down = (u * gradient.dot(u) + v * gradient.dot(v)).normalized() * -1.0;
        let across = u * -down.dot(v) + v * down.dot(u);
        let depth_m = (CANYON_DEPTH * fall_m).min(MOST_CANYON_M) * share * often;
        Some(Self { noise: Noise::new(key), down, across, depth_m })
    }
}

/// A mountain on the floor.
pub(super) struct Mount {
    center_m: Vec3,
    height_m: f64,
    radius_m: f64,
}

/// Share of deep cells with a seamount, the depth from which on they stand, height in metres, and steepness.
const MOUNTS: f64 = 0.012;
const MOUNT_DEPTH_M: f64 = -2800.0;
const MOUNT_HEIGHT_M: (f64, f64) = (250.0, 1500.0);
const MOUNT_STEEPNESS: (f64, f64) = (0.1, 0.2);

impl Mount {
    /// The seamount of a deep cell that has one.
    pub fn of(patch: &Patch, seed: Seed, cell: Cell) -> Option<Self> {
        patch.get(cell).filter(|s| !s.is_land() && s.base_elevation_m < MOUNT_DEPTH_M)?;
        let mut draw = seed.key(MOUNT).at(cell);
        if draw.unit() >= MOUNTS {
            return None;
        }
        let u = draw.unit();
        let height_m = MOUNT_HEIGHT_M.0 + (MOUNT_HEIGHT_M.1 - MOUNT_HEIGHT_M.0) * u * u;
        let radius_m = height_m / draw.range(MOUNT_STEEPNESS.0, MOUNT_STEEPNESS.1);
        let center_m = patch.grid.within(cell, draw.unit(), draw.unit()) * patch.grid.metres_per_unit();
        Some(Self { center_m, height_m, radius_m })
    }

    pub fn meets(&self, ball: &Ball) -> bool {
        self.center_m.distance(ball.center) < 2.0 * self.radius_m + ball.radius_m
    }

    fn at(&self, q: Vec3, noise: f64) -> f64 {
        let x = q.distance(self.center_m) / self.radius_m * (1.0 + 1.2 * noise).max(0.5);
        if x < 1.0 { self.height_m * (1.0 - x) * (1.0 - x) * (1.0 + x) } else { 0.0 }
    }
}

/// The floor within a ball.
pub(super) struct Floor<'a> {
    hills: Rows,
    mounts: Vec<&'a Mount>,
}

/// Broadest wavelength of the hills, and the shortest, in metres.
const HILLS_M: f64 = 14_000.0;
const LEAST_HILLS_M: f64 = 600.0;
/// Strength of hills on shelves and on deep floors, in metres.
const SHELF_HILLS_M: f64 = 10.0;
const DEEP_HILLS_M: f64 = 100.0;
/// Fall of the floor right before worn and rocky coasts, in metres over a tenth of a cell.
const FORESHORE_M: (f64, f64) = (6.0, 30.0);

/// A place on the floor.
pub(super) struct Bottom<'a> {
    pub at: At,
    pub means: &'a Means,
    /// The cells around, how the floor falls in each, and a cell's side in metres.
    pub known: &'a [Known],
    pub falls: &'a [Option<Fall>],
    pub cell_m: f64,
}

impl<'a> Floor<'a> {
    pub fn new(seed: Seed, size_m: f64, mounts: impl Iterator<Item = &'a Mount>) -> Self {
        Self { hills: Rows::new((seed, FLOOR), HILLS_M, LEAST_HILLS_M, size_m), mounts: mounts.collect() }
    }

    /// Begins a row of places in bent space, which may then be asked for by their columns.
    pub fn begin(&self, row: &Rc<[Vec3]>) {
        self.hills.begin(row);
    }

    /// Noise of the hills.
    pub fn noise(&self, at: At) -> f64 {
        self.hills.sum(at, 0.45)
    }

    /// Elevation of the sea floor at a distance from the coast in cells (negative at sea), in metres, below 0.
    pub fn at(&self, bottom: &Bottom, coast: f64, rocky: f64) -> f64 {
        let out = math::smoothstep(0.0, 1.0, -coast);
        let deep_m = bottom.means.sea_m.min(-1.0);
        let deep = math::smoothstep(-300.0, -2500.0, deep_m);
        let noise = self.noise(bottom.at);
        let hills_m = math::mix(SHELF_HILLS_M, DEEP_HILLS_M, deep).min(-0.3 * deep_m) * noise;
        let mount_m = self.mounts.iter().map(|m| m.at(bottom.at.q, noise)).fold(0.0, f64::max);
        let foreshore_m = math::mix(FORESHORE_M.0, FORESHORE_M.1, rocky).min(-0.5 * deep_m);
        let even_m = (deep_m + hills_m + mount_m - bottom.cut_m()).min(0.2 * deep_m);
        even_m * out - foreshore_m * (1.0 - out) * math::smoothstep(0.0, 0.1, -coast)
    }
}

impl Bottom<'_> {
    /// Depth of a canyon here, in metres.
    fn cut_m(&self) -> f64 {
        let deep_m = self.means.sea_m;
        let here =
            math::smoothstep(UPPER_M.0, UPPER_M.1, deep_m) * math::smoothstep(LOWER_M.0, LOWER_M.1, deep_m);
        if here <= 0.0 {
            return 0.0;
        }
        let inverse = 1.0 / (FALL_CELLS * self.cell_m * (FALL_CELLS * self.cell_m));
        let (mut all, mut squares, mut noise, mut depth_m) = (0.0, 0.0, 0.0, 0.0);
        for (known, fall) in self.known.iter().zip(self.falls) {
            let off = self.at.q - known.center_m;
            let left = 1.0 - off.length_squared() * inverse;
            if left <= 0.0 {
                continue;
            }
            let w = left * left * left;
            all += w;
            if let Some(fall) = fall {
                let drawn = Vec3::new(off.dot(fall.across) / ACROSS_M, off.dot(fall.down) / ALONG_M, 0.0);
                noise += w * fall.noise.at(drawn);
                squares += w * w;
                depth_m += w * fall.depth_m;
            }
        }
        if squares <= 0.0 {
            return 0.0;
        }
        let left = (1.0 - (noise / squares.sqrt()).abs() / CANYON_WIDTH).max(0.0);
        here * depth_m / all * left * left
    }
}
