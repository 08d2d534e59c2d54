//! Ground: the world's cell values as smooth functions of place.
//!
//! Around a place the cells are weighted by a bump of compact support, `w = (1 - (d / r)^2)^3`, and each value
//! is the weighted mean. No direction of the grid is preferred, edges and corners of the cube need no special
//! case, and the result has continuous second derivatives. Land is averaged over land cells only, sea over
//! sea cells only, so that neither pulls the other across the coast.

use crate::features::prominence_m;
use crate::patch::Patch;
use crate::sample::Air;
use grid::{Cell, Grid, Vec3, math};
use world::CellState;

/// Radius of the bump, in cells: two rings around a place reach it everywhere.
pub(crate) const RADIUS_CELLS: f64 = 1.7;
/// Rings of cells that can weigh at a place within a cell.
pub(crate) const RINGS: usize = 2;
/// The continental field is cut off here, so that coasts depend on nearby cells alone.
const COAST_RANGE: f64 = 0.05;
/// A cell's own share in the coast is at least this, so that it lies on its own side.
const COAST_LEAST: f64 = 0.15;

/// Where land or sea weigh less than this share, the coast fades into the other.
const MIXED_SHARE: f64 = 0.15;

/// A cell near a place, with what interpolation needs of it.
struct Near {
    center_m: Vec3,
    state: CellState,
    coast: f64,
    massif_m: f64,
}

/// The cells that can weigh at places within one cell.
pub(crate) struct Neighborhood {
    near: Vec<Near>,
    inverse_radius2: f64,
}

/// Interpolated values at a place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ground {
    /// From -1 (sea all around) to 1 (land all around).
    pub coast: f64,
    /// Mountain-free land in metres.
    pub land_m: f64,
    /// Standard deviation of the land nearby, in metres.
    pub rough_m: f64,
    /// Sea floor in metres; 0 where no sea is near.
    pub sea_m: f64,
    /// Mountains that are not ridges, in metres.
    pub massif_m: f64,
    /// Mountains altogether, in metres.
    pub mountain_m: f64,
    pub air: Air,
    /// The lake that covers most of the surroundings.
    pub lake: Option<LakeNear>,
}

/// A lake near a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LakeNear {
    pub level_m: f64,
    /// Mean floor of its cells nearby, in metres.
    pub floor_m: f64,
    /// Weighted share of its cells, 0 to 1.
    pub share: f64,
    /// By how much that exceeds the share of any other lake.
    pub lead: f64,
}

impl Neighborhood {
    /// The neighbourhood of a cell; cells that the patch lacks are left out.
    pub fn of(patch: &Patch, cell: Cell) -> Self {
        let cell_m = patch.grid.cell_m();
        let radius = RADIUS_CELLS * cell_m;
        let near = |c: Cell| {
            let state = *patch.get(c)?;
            let coast = (state.continentality / COAST_RANGE).clamp(-1.0, 1.0);
            let height = state.mountain_height_m;
            Some(Near {
                center_m: patch.center_m(c),
                coast: if coast > 0.0 { coast.max(COAST_LEAST) } else { coast.min(-COAST_LEAST) },
                massif_m: height - prominence_m(height, cell_m),
                state,
            })
        };
        let near = patch.grid.halo(cell, RINGS).into_iter().filter_map(near).collect();
        Self { near, inverse_radius2: 1.0 / (radius * radius) }
    }

    /// Values at a place within the cell, in metres of bent space.
    pub fn at(&self, q: Vec3) -> Ground {
        let mut sum = Sums::default();
        let mut lakes = Lakes::default();
        for near in &self.near {
            let left = 1.0 - (q - near.center_m).length_squared() * self.inverse_radius2;
            if left > 0.0 {
                let w = left * left * left;
                sum.add(w, near);
                lakes.add(w, &near.state);
            }
        }
        let mut ground = sum.means();
        ground.lake = lakes.greatest(sum.all);
        ground
    }
}

/// Weighted sums over the cells near a place.
#[derive(Default)]
struct Sums {
    all: f64,
    coast: f64,
    mountain: f64,
    massif: f64,
    temperature: f64,
    rain: f64,
    land: f64,
    land_m: f64,
    land_m2: f64,
    sea: f64,
    sea_m: f64,
}

impl Sums {
    fn add(&mut self, w: f64, near: &Near) {
        let s = &near.state;
        self.all += w;
        self.coast += w * near.coast;
        self.mountain += w * s.mountain_height_m;
        self.massif += w * near.massif_m;
        self.temperature += w * s.temperature_c;
        self.rain += w * s.rain_mm;
        if s.is_land() {
            let z = s.water_level_m;
            self.land += w;
            self.land_m += w * z;
            self.land_m2 += w * z * z;
        } else {
            self.sea += w;
            self.sea_m += w * s.base_elevation_m;
        }
    }

    fn means(&self) -> Ground {
        let mean = |sum: f64, weight: f64| if weight > 0.0 { sum / weight } else { 0.0 };
        let land_m = mean(self.land_m, self.land);
        // where one side hardly weighs, the other has it all: noise cannot put sea where no sea cell is near
        let own = if self.land > self.sea { 1.0 } else { -1.0 };
        let mixed = math::smoothstep(0.0, MIXED_SHARE, mean(self.land.min(self.sea), self.all));
        Ground {
            coast: math::mix(own, mean(self.coast, self.all), mixed),
            land_m,
            rough_m: (mean(self.land_m2, self.land) - land_m * land_m).max(0.0).sqrt(),
            sea_m: mean(self.sea_m, self.sea),
            massif_m: mean(self.massif, self.all),
            mountain_m: mean(self.mountain, self.all),
            air: Air {
                temperature_c: mean(self.temperature, self.all),
                surface_m: mean(self.land_m + self.mountain, self.all),
                rain_mm: mean(self.rain, self.all),
            },
            lake: None,
        }
    }
}

/// Weights of the few lakes near a place.
#[derive(Default)]
struct Lakes {
    /// Number, level, weight, weighted floor.
    found: [Option<(u32, f64, f64, f64)>; 8],
}

impl Lakes {
    fn add(&mut self, w: f64, state: &CellState) {
        let Some(number) = state.lake else { return };
        let slot = self.found.iter_mut().find(|s| s.is_none_or(|l| l.0 == number));
        if let Some(slot) = slot {
            let (_, level, weight, floor) = slot.unwrap_or((number, state.water_level_m, 0.0, 0.0));
            *slot = Some((number, level, weight + w, floor + w * state.base_elevation_m));
        }
    }

    fn greatest(&self, all: f64) -> Option<LakeNear> {
        let best = self.found.iter().flatten().max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0)))?;
        let &(number, level_m, weight, floor) = best;
        let others = self.found.iter().flatten().filter(|l| l.0 != number);
        let second = others.map(|l| l.2).fold(0.0, f64::max);
        Some(LakeNear {
            level_m,
            floor_m: floor / weight,
            share: weight / all,
            lead: (weight - second) / all,
        })
    }
}
