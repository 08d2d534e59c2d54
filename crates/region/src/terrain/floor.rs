//! The floor of the sea: shelf, slope, rise and plain as the world has them, with faint hills; canyons in the slope, and
//! seamounts too small for the world.
//!
//! Canyons and gullies in the slope are [`super::canyons`].
//!
//! Neglects: the grain of spreading ridges.

use super::canyons::{self, Canyons, MOST_KINDS, Winding};
use super::cells::Means;
use super::noise::{At, Rows};
use crate::patch::Patch;
use crate::primitives::Ball;
use grid::{Cell, Grid, Purpose, Seed, Vec3, math};
use std::rc::Rc;

const FLOOR: Purpose = Purpose::new("region/sea floor");
const MOUNT: Purpose = Purpose::new("region/sea floor/seamount");

/// A mountain on the floor.
pub(super) struct Mount {
    center_m: Vec3,
    height_m: f64,
    radius_m: f64,
}

/// Square kilometres of deep floor for each seamount, the depth from which on they stand, height in metres, and steepness.
const MOUNT_KM2: f64 = 27_000.0;
const MOUNT_DEPTH_M: f64 = -2800.0;
const MOUNT_HEIGHT_M: (f64, f64) = (250.0, 1500.0);
const MOUNT_STEEPNESS: (f64, f64) = (0.1, 0.2);
/// None is broader to each side than so many cells: noise makes it twice as broad at most, and so far off cells are known.
const MOUNT_CELLS: f64 = 1.5;
const _: () =
    assert!(2.0 * MOUNT_CELLS + 1.0 <= super::RINGS as f64, "windows know all seamounts that reach them");

impl Mount {
    /// The seamount of a deep cell that has one: as many on an area, however large cells are, but one of a cell at most.
    pub fn of(patch: &Patch, seed: Seed, cell: Cell) -> Option<Self> {
        patch.get(cell).filter(|s| !s.is_land() && s.base_elevation_m < MOUNT_DEPTH_M)?;
        let mut draw = seed.key(MOUNT).at(cell);
        let cell_km = patch.grid.cell_m() / 1000.0;
        if draw.unit() >= cell_km * cell_km / MOUNT_KM2 {
            return None;
        }
        let u = draw.unit();
        let height_m = MOUNT_HEIGHT_M.0 + (MOUNT_HEIGHT_M.1 - MOUNT_HEIGHT_M.0) * u * u;
        let steepness = draw.range(MOUNT_STEEPNESS.0, MOUNT_STEEPNESS.1);
        let radius_m = (height_m / steepness).min(MOUNT_CELLS * patch.grid.cell_m());
        let height_m = height_m.min(radius_m * steepness);
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
    /// How much of each kind of canyons is shown.
    canyons: [f64; MOST_KINDS],
    winding: Winding,
}

/// Broadest wavelength of the hills, and the shortest, in metres.
const HILLS_M: f64 = 14_000.0;
const LEAST_HILLS_M: f64 = 600.0;
/// Hills shorter than so many samples would be specks.
const SPECK: f64 = 3.0;
/// Strength of hills on shelves and on deep floors, in metres.
const SHELF_HILLS_M: f64 = 10.0;
const DEEP_HILLS_M: f64 = 100.0;
/// In canyons so deep, in metres, half of the hills is left.
const SMOOTHED_M: f64 = 30.0;
/// Fall of the floor right before worn and rocky coasts, in metres over a tenth of a cell.
const FORESHORE_M: (f64, f64) = (6.0, 30.0);

/// A place on the floor.
pub(super) struct Bottom<'a> {
    pub at: At,
    pub means: &'a Means,
    /// The canyons near, if any are.
    pub canyons: Option<&'a Canyons<'a>>,
}

impl<'a> Floor<'a> {
    pub fn new(seed: Seed, (cell_m, size_m): (f64, f64), mounts: impl Iterator<Item = &'a Mount>) -> Self {
        Self {
            hills: Rows::new((seed, FLOOR), HILLS_M, LEAST_HILLS_M.max(SPECK * size_m), size_m),
            mounts: mounts.collect(),
            canyons: canyons::shown(cell_m, size_m),
            winding: Winding::new(seed, (cell_m, size_m)),
        }
    }

    /// How many kinds of canyons are shown over an even floor of a depth.
    pub fn canyons_shown(&self, even_m: f64) -> usize {
        if canyons::there(even_m) > 0.0 {
            self.canyons.iter().take_while(|&&share| share > 0.0).count()
        } else {
            0
        }
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
        let shown = (&self.winding, &self.canyons);
        let cut_m = bottom.canyons.map_or(0.0, |c| c.cut_m(bottom.at.q, bottom.means.sea_m, shown));
        let hills_m = math::mix(SHELF_HILLS_M, DEEP_HILLS_M, deep).min(-0.3 * deep_m) * noise;
        let hills_m = hills_m / (1.0 + (cut_m / SMOOTHED_M) * (cut_m / SMOOTHED_M));
        let mount_m = self.mounts.iter().map(|m| m.at(bottom.at.q, noise)).fold(0.0, f64::max);
        let foreshore_m = math::mix(FORESHORE_M.0, FORESHORE_M.1, rocky).min(-0.5 * deep_m);
        let even_m = (deep_m + hills_m + mount_m - cut_m).min(0.2 * deep_m);
        even_m * out - foreshore_m * (1.0 - out) * math::smoothstep(0.0, 0.1, -coast)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forged::{Forged, plain};
    use grid::{Flat, Topology};
    use world::{CellState, Recipe};

    /// As many on an area, and none so broad that a window would miss it, on cells of any width.
    #[test]
    fn seamounts_are_as_many_whatever_the_size_of_cells() {
        const SIDE_M: f64 = 1_440_000.0;
        for cell_m in [3_000.0, 6_000.0, 18_000.0] {
            let side = (SIDE_M / cell_m) as u32;
            let grid = Topology::Flat(Flat::new(side, side, cell_m).expect("in range"));
            let deep = CellState { continentality: -0.5, base_elevation_m: -5000.0, ..plain() };
            let recipe = Recipe::preset("island").expect("built in");
            let states = vec![deep; grid.len()];
            let world = Forged { grid, recipe, states };
            let patch = Patch::fetch(&world, world.grid.cells().collect()).expect("in memory");
            let mounts: Vec<Mount> =
                patch.cells().iter().filter_map(|&cell| Mount::of(&patch, Seed(7), cell)).collect();
            let expected = SIDE_M * SIDE_M / 1e6 / MOUNT_KM2;
            let off = (mounts.len() as f64 - expected) / expected.sqrt();
            assert!(off.abs() < 3.0, "{} of {expected} on cells of {cell_m} m", mounts.len());
            let is_small = |m: &Mount| {
                m.radius_m <= MOUNT_CELLS * cell_m && m.height_m <= MOUNT_STEEPNESS.1 * m.radius_m + 1e-9
            };
            assert!(mounts.iter().all(is_small));
        }
    }
}
