//! Water: depressions, lakes, flow directions and discharge on the mountain-free map.
//!
//! Every depression is filled to its spill. Those deep enough become lakes; the rest fill with sediment, so
//! that the base elevation itself is raised to the spill. Water goes to one of eight neighbours, no two links
//! crossing; what each cell adds to its river is summed from the heads down, exactly, since each share is a
//! multiple of one power of two. Neglects: evaporation from lakes (every lake overflows), seasons.

use crate::fields::{exact_step, quantise};
use crate::recipe::WaterParams;
use crate::rivers::channel_incision_m;
use crate::state::NO_LAKE;
use grid::{Cell, Field, Grid, Topology};
use hydro::{Flow, Lake, Links};

/// The waters of a world.
#[derive(Clone, Debug)]
pub struct Water {
    /// The mountain-free map after sedimentation: the ground on land, the floor in lakes and at sea, in metres.
    pub base_elevation_m: Field<f32>,
    /// Surface of standing water where there is any (0 at sea), else the ground, in metres.
    pub water_level_m: Field<f32>,
    /// Surface of the running or standing water of each cell in metres; never rises downstream; 0 at sea.
    pub river_level_m: Field<f32>,
    /// Where each cell's water goes.
    pub flow: Flow,
    /// Discharge that leaves each cell in m3/s; 0 at sea.
    pub discharge_m3_s: Field<f64>,
    /// Area that drains through each cell in km2, itself included; 0 at sea.
    pub drainage_km2: Field<f64>,
    /// Number of the lake that covers a cell, or [`NO_LAKE`].
    pub lake: Field<u32>,
    /// All lakes, in the order of their numbers.
    pub lakes: Vec<Lake>,
}

/// Lets water run over the mountain-free map. Cost: one flooding of the grid.
pub fn run_water(
    grid: &Topology,
    params: &WaterParams,
    land: &Field<f32>,
    base_m: Field<f32>,
    runoff_m3_s: &Field<f64>,
) -> Water {
    let drain = |cell: Cell| land[cell] <= 0.0 || grid.at_border(cell);
    let links = Links::planar(grid, &base_m);
    let flood = hydro::flood(grid, &links, &base_m, drain);
    let flow = hydro::route(grid, &links, &flood);
    let lakes = hydro::lakes(grid, &base_m, &flood, &flow, params.lake_min_depth_m as f32, 1);

    let mut lake = Field::filled(grid.shape(), NO_LAKE);
    for (number, body) in (0u32..).zip(&lakes) {
        for &cell in &body.cells {
            lake[cell] = number;
        }
    }
    let base_elevation_m =
        Field::from_fn(
            grid.shape(),
            |cell| {
                if lake[cell] == NO_LAKE { flood.filled[cell] } else { base_m[cell] }
            },
        );
    let level = |cell: Cell| if land[cell] > 0.0 { flood.filled[cell] } else { 0.0 };
    let step = exact_step(grid.cell_m() * grid.cell_m() / 1e6);
    let own_km2 = Field::from_fn(grid.shape(), |cell| {
        let km2 = if land[cell] > 0.0 { grid.area_m2(cell) / 1e6 } else { 0.0 };
        (km2 / step).round() * step
    });
    let discharge_m3_s = land_only(land, hydro::accumulate(grid, &flow, runoff_m3_s));
    Water {
        base_elevation_m,
        river_level_m: river_level(grid, land, &flood.filled, &lake, &flow, &discharge_m3_s),
        water_level_m: Field::from_fn(grid.shape(), level),
        discharge_m3_s,
        drainage_km2: land_only(land, hydro::accumulate(grid, &flow, &own_km2)),
        flow,
        lake,
        lakes,
    }
}

/// The surface of each cell's water: cut into the ground, deeper where more runs, but never below the surface
/// of the water it flows into, and not below half its height above the sea.
fn river_level(
    grid: &Topology,
    land: &Field<f32>,
    filled_m: &Field<f32>,
    lake: &Field<u32>,
    flow: &Flow,
    discharge_m3_s: &Field<f64>,
) -> Field<f32> {
    let mut level = Field::filled(grid.shape(), 0.0f32);
    for &cell in flow.order().iter().filter(|&&c| land[c] > 0.0) {
        let ground = f64::from(filled_m[cell]);
        let cut = (ground - channel_incision_m(discharge_m3_s[cell])).max(0.5 * ground);
        let own = if lake[cell] == NO_LAKE { quantise(cut, 0.125) } else { filled_m[cell] };
        let below = flow.receiver_of(grid, cell).map_or(f32::NEG_INFINITY, |r| level[r]);
        level[cell] = own.max(below);
    }
    level
}

/// Zero at sea: what flows into the sea is counted where it leaves the land.
fn land_only(land: &Field<f32>, mut field: Field<f64>) -> Field<f64> {
    for (value, land) in field.as_mut_slice().iter_mut().zip(land.as_slice()) {
        if *land <= 0.0 {
            *value = 0.0;
        }
    }
    field
}
