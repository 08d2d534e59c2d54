//! Base elevation: the mountain-free map.
//!
//! Heights are dealt out by rank, so that the share of the surface at each height is Earth's whatever the shape
//! of the continents: on land a score (the continental field, bent up and down by broad fractal noise) is
//! ranked by area and read off a hypsometric curve of land without its mountains; at sea the same gives shelf,
//! slope and abyss. Added to that are the swell of the ground under mountains, mid-ocean ridges along divergent
//! faults, and trenches along convergent ones.
//!
//! ```text
//! land:  z = curve_land(rank(sqrt(c) * (0.8 + 0.85 n + 0.06 n'))) + swell
//! sea:   z = curve_sea(rank(c + 0.05 n)) + 2100 exp(-(d_div / 450 km)^0.7) - 3500 exp(-(d_con / 45 km)^2)
//! ```
//!
//! with the continental field c, noise n and n' and the distances d to faults; what faults add fades out on shelves
//! and towards their ends. The curves are shaped by hand after Earth's shares (see `data/SOURCES.md`). Neglects: isostasy, sediment, the age of the sea floor beyond that distance.

use crate::crust::faults::{Fault, FaultKind};
use crate::crust::polyline::{NearIndex, Polyline};
use crate::fields::{Ranking, curve, position_m, quantise};
use crate::recipe::BaseParams;
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Purpose, Seed, Topology, Vec3, math};

const BROAD: Purpose = Purpose::new("world/base/broad");
const ROUGH: Purpose = Purpose::new("world/base/rough");
const GRAIN: Purpose = Purpose::new("world/base/grain");

/// Height of land without mountains (m) by the share of land that is lower.
const LAND_CURVE: &[(f64, f64)] = &[
    (0.0, 1.0),
    (0.02, 12.0),
    (0.10, 60.0),
    (0.28, 165.0),
    (0.50, 330.0),
    (0.70, 560.0),
    (0.85, 900.0),
    (0.94, 1350.0),
    (0.98, 1900.0),
    (1.0, 2600.0),
];

/// Elevation of the sea floor (m) by the share of the sea that is deeper.
const SEA_CURVE: &[(f64, f64)] = &[
    (0.0, -5900.0),
    (0.10, -5400.0),
    (0.35, -4750.0),
    (0.60, -4350.0),
    (0.78, -3700.0),
    (0.86, -2300.0),
    (0.90, -900.0),
    (0.92, -200.0),
    (0.97, -90.0),
    (1.0, -4.0),
];

const SPREADING_RISE_M: f64 = 2100.0;
const SPREADING_WIDTH_M: f64 = 450_000.0;
const TRENCH_DEPTH_M: f64 = 3500.0;
const TRENCH_WIDTH_M: f64 = 45_000.0;
/// Trenches run out over this length at both ends.
const TRENCH_TAPER_M: f64 = 250_000.0;
/// Plates that close faster than this (mm/yr) make a trench of full depth.
const TRENCH_RATE_MM_YR: f64 = 70.0;
/// Beyond this, faults no longer shape the sea floor.
const FAULT_REACH_M: f64 = 1_500_000.0;
/// Planets of a smaller radius, and smaller maps, have all these lengths in proportion.
const FULL_SIZE_M: f64 = 6_000_000.0;
/// How far a land cell is moved, as a share of its greatest difference from a neighbour.
const GRAIN_SHARE: f64 = 0.5;
/// On land the mountain-free map lies at least this high, at sea as deep.
const LEAST_M: f64 = 1.0;

/// The mountain-free elevation in metres, positive on land and negative at sea. Cost: a sort of all cells.
pub fn shape_base(
    grid: &Topology,
    params: &BaseParams,
    land: &Field<f32>,
    swell_m: &Field<f32>,
    faults: &[Fault],
    seed: Seed,
) -> Field<f32> {
    let score = score(grid, params, land, seed);
    let land_ranking = Ranking::of(grid, &score, |c| land[c] > 0.0);
    let sea_ranking = Ranking::of(grid, &score, |c| land[c] <= 0.0);
    let floor = SeaFloor::new(grid, faults);
    let smooth = Field::from_fn(grid.shape(), |cell| {
        let z = match land[cell] > 0.0 {
            true => {
                let plain = curve(LAND_CURVE, land_ranking.share_below(score[cell])) * params.land_scale;
                (plain + f64::from(swell_m[cell])).max(LEAST_M)
            }
            false => {
                let depth = curve(SEA_CURVE, sea_ranking.share_below(score[cell]));
                let deep = math::smoothstep(-200.0, -3000.0, depth);
                ((depth + deep * floor.relief_m(position_m(grid, cell))) * params.ocean_scale).min(-LEAST_M)
            }
        };
        quantise(z, 0.125)
    });
    Field::from_fn(grid.shape(), |cell| roughen(grid, &smooth, cell, seed))
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

/// What land and sea are ranked by.
fn score(grid: &Topology, params: &BaseParams, land: &Field<f32>, seed: Seed) -> Field<f32> {
    let broad = Fractal::new(seed.key(BROAD), 5, 0.45);
    let rough = Fractal::new(seed.key(ROUGH), 4, 0.6);
    let relief_m = params.relief_km * 1000.0;
    Field::from_fn(grid.shape(), |cell| {
        let p = position_m(grid, cell);
        let c = f64::from(land[cell]);
        let n = 1.5 * broad.fbm(p / relief_m);
        let score = if c > 0.0 {
            // steep near the coast, so that shores are low everywhere
            let inland = c.sqrt();
            inland * (0.8 + 0.85 * n) + 0.06 * inland * rough.fbm(p / (0.06 * relief_m))
        } else {
            c + 0.05 * n
        };
        score as f32
    })
}

/// Mid-ocean ridges and trenches.
struct SeaFloor {
    lines: Vec<Polyline>,
    /// Kind and rate of the fault of each line.
    motion: Vec<(FaultKind, f64)>,
    index: NearIndex,
    /// Lengths of this sea floor relative to Earth's: less than 1 on small planets and maps.
    scale: f64,
}

impl SeaFloor {
    fn new(grid: &Topology, faults: &[Fault]) -> Self {
        let chosen = || faults.iter().filter(|f| f.kind != FaultKind::Transform && f.points_m.len() > 1);
        let lines: Vec<Polyline> = chosen().map(|f| Polyline::new(f.points_m.clone())).collect();
        let size_m = match grid {
            Topology::Globe(globe) => globe.radius_m(),
            Topology::Flat(flat) => flat.extent_m().0.max(flat.extent_m().1),
        };
        let scale = (size_m / FULL_SIZE_M).min(1.0);
        let index = NearIndex::new(grid, &lines, FAULT_REACH_M * scale);
        Self { motion: chosen().map(|f| (f.kind, f.rate_mm_yr)).collect(), lines, index, scale }
    }

    /// What is added to the depth of the abyss at a position in metres.
    fn relief_m(&self, p: Vec3) -> f64 {
        let (mut ridge, mut trench) = (0.0f64, 0.0f64);
        for (line, beside) in self.index.beside(&self.lines, p) {
            let d = beside.d_m.abs() / self.scale;
            let fade = 1.0 - math::smoothstep(0.6 * FAULT_REACH_M, FAULT_REACH_M, d);
            match self.motion[line] {
                (FaultKind::Divergent, _) => {
                    ridge = ridge.max(math::exp(-math::pow(d / SPREADING_WIDTH_M, 0.7)) * fade);
                }
                (_, rate) => {
                    let from_end = beside.s_m.min(self.lines[line].length_m() - beside.s_m) / self.scale;
                    let full = (rate / TRENCH_RATE_MM_YR).min(1.0) * (from_end / TRENCH_TAPER_M).min(1.0);
                    trench = trench.max(full * math::exp(-(d / TRENCH_WIDTH_M) * (d / TRENCH_WIDTH_M)));
                }
            }
        }
        SPREADING_RISE_M * ridge - TRENCH_DEPTH_M * trench
    }
}
