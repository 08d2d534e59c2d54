//! Base elevation: the mountain-free map.
//!
//! Heights of land are dealt out by rank, so that the share of the land at each height is Earth's whatever the shape
//! of the continents: a score (the continental field, bent up and down by broad fractal noise) is ranked by area and
//! read off a hypsometric curve of land without its mountains. Added to that are the swell of the ground under
//! mountains, and rifts where a continent parts: a valley between raised shoulders.
//!
//! ```text
//! z = curve(rank(sqrt(c) (0.8 + 1.3 n + 0.06 n'))) + swell + 0.12 H + rift(d)
//! rift(d) = rift_m v w (-exp(-(d / 30 km)^2) + 0.5 exp(-((d - 80 km) / 45 km)^2))
//! ```
//!
//! with the continental field c, noise n and n', mountains of height H, the distance d to a divergent fault on land, bent by noise, the share v
//! of the full rate at which it parts, and noise w from 0 to 1 that lets the valley come and go along it. The curve is shaped
//! by hand after Earth's shares (see `data/SOURCES.md`). The sea floor comes from [`crate::crust::sea_floor`]; islands
//! that stand out of it are mountains on a low base. Neglects: isostasy, sediment.

use crate::crust::faults::{Fault, FaultKind};
use crate::crust::polyline::{NearIndex, Polyline, Search};
use crate::fields::{Ranking, curve, position_m, quantise, size_scale};
use crate::mountains::Mountains;
use crate::recipe::BaseParams;
use crate::smooth;
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Purpose, Seed, Topology, math};

const BROAD: Purpose = Purpose::new("world/base/broad");
const ROUGH: Purpose = Purpose::new("world/base/rough");
const GRAIN: Purpose = Purpose::new("world/base/grain");
const RIFT: Purpose = Purpose::new("world/base/rift");

/// Height of land without mountains (m) by the share of land that is lower.
const LAND_CURVE: &[(f64, f64)] = &[
    (0.0, 1.0),
    (0.02, 12.0),
    (0.10, 60.0),
    (0.28, 165.0),
    (0.50, 340.0),
    (0.70, 610.0),
    (0.85, 1000.0),
    (0.94, 1500.0),
    (0.98, 2100.0),
    (1.0, 2800.0),
];

/// The ground under mountains rises with their crests by this share of their height, so that divides lie there.
const CREST_SHARE: f32 = 0.12;

/// How far a land cell is moved, as a share of its greatest difference from a neighbour.
const GRAIN_SHARE: f64 = 0.5;
/// On land the mountain-free map lies at least this high.
const LEAST_M: f64 = 1.0;

/// Half width of a rift's valley, distance and half width of its shoulders, and where it ends, on an Earth-sized planet.
const VALLEY_M: f64 = 30_000.0;
const SHOULDER_M: f64 = 80_000.0;
const SHOULDER_WIDTH_M: f64 = 45_000.0;
const RIFT_REACH_M: f64 = 220_000.0;
/// Height of the shoulders relative to the depth of the valley.
const SHOULDER_SHARE: f64 = 0.5;
/// Plates that part faster than this (mm/yr) make valleys of full depth.
const RIFT_RATE_MM_YR: f64 = 60.0;
/// How far noise bends rifts, and its wavelength.
const RIFT_BEND_M: f64 = 45_000.0;
const RIFT_WAVE_M: f64 = 380_000.0;
/// Rifts run out over this length at both ends.
const RIFT_TAPER_M: f64 = 300_000.0;

/// An island's base: this high on the beach, and this share of its height inland.
const BEACH_M: f32 = 15.0;
const ISLAND_SHARE: f32 = 0.12;

/// The base of the island that stands `island_m` metres out of the sea; the rest of it is mountain.
pub(crate) fn island_base_m(island_m: f32) -> f32 {
    quantise(f64::from(island_m.min(BEACH_M + ISLAND_SHARE * island_m)), 0.125).max(LEAST_M as f32)
}

/// Land and sea floor before the mountain-free map.
pub struct Surface<'a> {
    /// The continental field without islands: positive on land.
    pub crust: &'a Field<f32>,
    /// Sea floor and islands in metres, where the crust is not land.
    pub floor_m: &'a Field<f32>,
    /// Mountains on the land.
    pub mountains: &'a Mountains,
}

/// The mountain-free elevation in metres, positive on land and negative at sea. Cost: two passes, one noise a cell.
pub fn shape_base(
    grid: &Topology,
    params: &BaseParams,
    surface: &Surface,
    faults: &[Fault],
    seed: Seed,
) -> Field<f32> {
    let Surface { crust, floor_m, mountains } = *surface;
    let score = score(grid, params, crust, seed);
    let ranking = Ranking::of(grid, &score, |c| crust[c] > 0.0);
    let rifts = Rifts::of(grid, params, faults, seed);
    let plain = |cell: Cell, rift_m: f64| {
        let plain = curve(LAND_CURVE, ranking.share_below(score[cell])) * params.land_scale;
        let raised = mountains.swell_m[cell] + CREST_SHARE * mountains.height_m[cell];
        quantise((plain + f64::from(raised) + rift_m).max(LEAST_M), 0.125)
    };
    let smooth = Field::from_rows(grid.shape(), |first, row| {
        let mut search = rifts.index.search(&rifts.lines);
        for (k, height) in row.iter_mut().enumerate() {
            let cell = Cell(first.0 + k as u32);
            *height = match crust[cell] > 0.0 {
                true => plain(cell, rifts.at(grid, cell, &mut search)),
                false if floor_m[cell] > 0.0 => island_base_m(floor_m[cell]),
                false => floor_m[cell].min(-LEAST_M as f32),
            };
        }
    });
    Field::from_fn(grid.shape(), |cell| roughen(grid, &smooth, cell, seed))
}

/// Valleys where a continent parts.
struct Rifts {
    lines: Vec<Polyline>,
    /// Depth of each in metres.
    depths_m: Vec<f64>,
    index: NearIndex,
    bend: Fractal,
    scale: f64,
}

impl Rifts {
    fn of(grid: &Topology, params: &BaseParams, faults: &[Fault], seed: Seed) -> Self {
        let parting = || faults.iter().filter(|f| f.kind == FaultKind::Divergent && f.is_inland());
        let lines: Vec<Polyline> = parting().map(|f| Polyline::new(f.points_m.clone())).collect();
        let depth_m = |f: &Fault| params.rift_m * (f.rate_mm_yr / RIFT_RATE_MM_YR).min(1.0);
        let depths_m = parting().map(depth_m).collect();
        let scale = size_scale(grid);
        let index = NearIndex::new(grid, &lines, (RIFT_REACH_M + 3.0 * RIFT_BEND_M) * scale);
        Self { lines, depths_m, index, bend: Fractal::new(seed.key(RIFT), 3, 0.5), scale }
    }

    /// What a rift adds to the ground at a cell, in metres: the shoulders of the nearest, the deepest valley.
    fn at<'a>(&'a self, grid: &Topology, cell: Cell, search: &mut Search<'a>) -> f64 {
        let near = self.index.near(grid, cell);
        if near.is_empty() {
            return 0.0;
        }
        search.among(near);
        let p = position_m(grid, cell);
        let noise = self.bend.vector(p / (RIFT_WAVE_M * self.scale));
        let bent = p + noise * (3.0 * RIFT_BEND_M * self.scale);
        let along = math::smoothstep(-0.25, 0.2, noise.z + noise.x);
        let (mut valley, mut shoulder) = (0.0f64, 0.0f64);
        for (line, beside) in search.beside(bent, |_| RIFT_REACH_M * self.scale) {
            let d = beside.d_m.abs() / self.scale;
            let from_end = self.lines[line].to_nearer_end_m(beside) / self.scale;
            let taper = math::smoothstep(0.0, RIFT_TAPER_M, from_end)
                * math::smoothstep(RIFT_REACH_M, 0.7 * RIFT_REACH_M, d);
            let depth_m = self.depths_m[line] * taper * along;
            let (x, y) = (d / VALLEY_M, (d - SHOULDER_M) / SHOULDER_WIDTH_M);
            valley = valley.max(depth_m * math::exp(-x * x));
            shoulder = shoulder.max(depth_m * math::exp(-y * y));
        }
        SHOULDER_SHARE * shoulder - valley
    }
}

/// Moves a land cell up or down by a draw of its own, by up to half of what its neighbours differ from it, so
/// that water on even slopes gathers in branches and does not run in parallel along the grid.
fn roughen(grid: &Topology, smooth: &Field<f32>, cell: Cell, seed: Seed) -> f32 {
    let z = smooth[cell];
    if z < 0.0 {
        return z;
    }
    let land = grid.neighbors(cell).map(|(_, n)| smooth[n]).filter(|&n| n > 0.0);
    let relief = land.map(|n| (n - z).abs()).fold(0.0, f32::max);
    let moved = f64::from(z) + f64::from(relief) * seed.key(GRAIN).at(cell).range(-GRAIN_SHARE, GRAIN_SHARE);
    quantise(moved.max(LEAST_M), 0.125)
}

/// What land is ranked by.
fn score(grid: &Topology, params: &BaseParams, crust: &Field<f32>, seed: Seed) -> Field<f32> {
    let relief_m = params.relief_km * 1000.0;
    let is_land = |c: Cell| crust[c] > 0.0;
    let broad = smooth::fbm_where(grid, &Fractal::new(seed.key(BROAD), 5, 0.45), relief_m, is_land);
    let rough = smooth::fbm_where(grid, &Fractal::new(seed.key(ROUGH), 4, 0.6), 0.06 * relief_m, is_land);
    Field::from_fn(grid.shape(), |cell| {
        // steep near the coast, so that shores are low everywhere
        let inland = crust[cell].max(0.0).sqrt();
        inland * (0.8 + 1.3 * broad[cell] + 0.06 * rough[cell])
    })
}
