//! Water: depressions, lakes, flow directions and discharge on the mountain-free map.
//!
//! Sediment fills depressions: the base elevation itself is raised to their spill. Of those that overflow, all that are
//! less deep than `lake_min_depth_m`, since their rivers carry sediment in and cut the outlet down; of those that water
//! never leaves only the shallowest, below `basin_min_depth_m`, but within them all side basins that are less deep than
//! `lake_min_depth_m`, as what is washed down stays there. The others hold water.
//! A lake loses what open water evaporates and gains rain; where it is dry, that balances what comes in before the
//! depression is full, and the lake is *closed*: a salt lake, at which its basin ends. Any other is full and overflows
//! ([`hydro::balance()`]). With E the potential loss of open water, e what evaporates from the land, both in mm/yr:
//!
//! ```text
//! demand = max(k E - e, 0) * area                        per cell of lake; k: recipe field water.evaporation
//! closed lake:  sum of runoff + overflow from above = sum of demand over its surface
//! full lake:    discharge below = discharge above - sum of demand
//! ```
//!
//! Water goes to one of eight neighbours, no two links crossing. What each cell adds to its river is summed from the
//! heads down, exactly, since each share is a multiple of one power of two; a lake's whole demand is charged at its last
//! cell, so inside a lake discharge only grows. Months: see [`months`]. Neglects: groundwater, and lakes that change
//! with the seasons.

mod lakes;

pub mod months;

mod valleys;

pub(crate) mod wander;

pub use lakes::Lake;

use crate::climate::Climate;
use crate::fields::{YEAR_S, exact_step, quantise};
use crate::recipe::{Recipe, WaterParams};
use crate::rivers::{channel_depth_m, channel_incision_m};
use crate::state::{Months, NO_LAKE};
use grid::{Cell, Field, Grid, Topology};
use hydro::{Budget, Depressions, Fill, Flood, Flow, Links};
use lakes::Charges;
pub(crate) use lakes::lake_table;
use wander::Wander;
pub use wander::evenness;

/// The waters of a world.
#[derive(Clone, Debug)]
pub struct Water {
    /// The mountain-free map after sedimentation: the ground on land, the floor in lakes and at sea, in metres.
    pub base_elevation_m: Field<f32>,
    /// Surface of standing water where there is any (0 at sea), else the ground, in metres.
    pub water_level_m: Field<f32>,
    /// Surface of the running or standing water of each cell in metres; never rises downstream; 0 at sea.
    pub river_level_m: Field<f32>,
    /// Depth of each cell's river in metres; never falls downstream, not even below a lake that loses water; 0 at sea.
    pub channel_depth_m: Field<f32>,
    /// Where each cell's water goes.
    pub flow: Flow,
    /// What each cell adds to its river in m3/s: what runs off its land; at the last cell of a lake less what the lake
    /// takes. A multiple of a power of two; 0 at sea.
    pub runoff_m3_s: Field<f64>,
    /// Rain less what runs off, in mm/yr: evaporation of land and lakes, so that rain, evaporation and discharge close.
    pub evaporation_mm: Field<f32>,
    /// Discharge that leaves each cell in m3/s; 0 at sea.
    pub discharge_m3_s: Field<f64>,
    /// The same by month; the mean of the twelve is that of the year.
    pub discharge_months_m3_s: Months,
    /// Area that drains through each cell in km2, itself included; 0 at sea.
    pub drainage_km2: Field<f64>,
    /// Number of the lake that covers a cell, or [`NO_LAKE`].
    pub lake: Field<u32>,
    /// All lakes, in the order of their numbers.
    pub lakes: Vec<Lake>,
}

/// What a lake cell may take, on the average, in mm/yr: it sets how finely demand is rounded.
const TYPICAL_DEMAND_MM: f64 = 300.0;

/// Where water runs on a ground, and what stands in its hollows.
struct Routed {
    /// The ground after sedimentation, in metres.
    base_elevation_m: Field<f32>,
    /// Surface of standing water where there is any (0 at sea), else the ground, in metres.
    water_level_m: Field<f32>,
    flow: Flow,
    lake: Field<u32>,
    lakes: Vec<Lake>,
    charges: Charges,
    /// What standing water may take from each cell, in m3/s.
    demand_m3_s: Field<f64>,
}

/// Lets water run over the mountain-free map. On made land twice: over the map as it was made, and over what its rivers
/// leave of it (module `valleys`), but for rivers that are kept, which stay where they are. Cost: a flooding of the grid each.
pub fn run_water(
    grid: &Topology,
    recipe: &Recipe,
    land: &Field<f32>,
    (base_m, kept_rivers): (Field<f32>, &[Vec<Cell>]),
    climate: &Climate,
) -> Water {
    let params = &recipe.water;
    let wander = Wander::of(grid, recipe);
    let links = wander::links(grid, &base_m, wander.as_ref());
    let ways = Ways { grid, links: &links, wander };
    let mut routed = route(&ways, params, land, base_m, climate);
    if params.valleys > 0.0 && recipe.import.is_none() {
        let mut cut_m = valleys::cut(grid, land, &routed, params.valleys);
        valleys::keep(grid, land, &mut cut_m, (&routed, kept_rivers));
        // links go by slopes, and the bed of a valley is the least steep: rivers keep those that they came by
        routed = route(&ways, params, land, cut_m, climate);
    }
    let Routed { base_elevation_m, water_level_m, flow, lake, lakes, charges, demand_m3_s } = routed;
    let step = exact_step(grid.cell_m() * grid.cell_m() / 1e6);
    let own_km2 = Field::from_fn(grid.shape(), |cell| {
        let km2 = if land[cell] > 0.0 { grid.area_m2(cell) / 1e6 } else { 0.0 };
        (km2 / step).round() * step
    });
    let Charges { runoff_m3_s, discharge_m3_s } = charges;
    Water {
        river_level_m: river_level(grid, land, &water_level_m, &lake, &flow, &discharge_m3_s),
        channel_depth_m: channel_depth(grid, land, &flow, &discharge_m3_s),
        evaporation_mm: lakes::evaporation_mm(grid, climate, land, &demand_m3_s, (&lake, &lakes)),
        discharge_months_m3_s: months::by_month(grid, &flow, land, climate, (&discharge_m3_s, &lakes)),
        drainage_km2: land_only(land, hydro::accumulate(grid, &flow, &own_km2)),
        base_elevation_m,
        water_level_m,
        flow,
        runoff_m3_s,
        discharge_m3_s,
        lake,
        lakes,
    }
}

/// Ways that water may take, and how it wanders on them.
struct Ways<'a> {
    grid: &'a Topology,
    links: &'a Links,
    wander: Option<Wander>,
}

fn route(
    ways: &Ways,
    params: &WaterParams,
    land: &Field<f32>,
    base_m: Field<f32>,
    climate: &Climate,
) -> Routed {
    let Ways { grid, links, wander } = *ways;
    let drain = |cell: Cell| land[cell] <= 0.0 || grid.at_border(cell);
    let flood = hydro::flood(grid, links, &base_m, drain);
    let (mut base_elevation_m, depressions) = silt(grid, links, base_m, &flood, params);
    let demand_m3_s = demand_m3_s(grid, params, climate, |cell| flood.filled[cell] > base_elevation_m[cell]);
    let mut receiver = wander::receivers(grid, links, &flood, wander.as_ref());
    let least_depth_m = params.lake_min_depth_m as f32;
    let budget = Budget { runoff_m3_s: &climate.runoff_m3_s, demand_m3_s: &demand_m3_s, least_depth_m };
    let standing = hydro::balance(grid, &flood, &receiver, &depressions, budget);
    let ends = hydro::lead_to_lakes(grid, links, &depressions, &standing, &mut receiver);
    // the ways over filled ground fall as in `hydro::route`; those in depressions that are not full lead down on bare
    // ground to lakes that drain to their ends, and overflow only into what is not full
    let flow = Flow::from_receivers(grid, receiver).expect("water runs down, and lakes overflow one way");

    for water in standing.iter().filter(|w| w.fill == Fill::Silted) {
        for &cell in depressions.cells(water.depression) {
            base_elevation_m[cell] = flood.filled[cell];
        }
    }
    let (mut lakes, lake) = lakes::describe(grid, &base_elevation_m, &depressions, &standing, &ends);
    let charges = lakes::charge(grid, &flow, &climate.runoff_m3_s, &demand_m3_s, land, &mut lakes);
    let level = |cell: Cell| match lake[cell] {
        _ if land[cell] <= 0.0 => 0.0,
        NO_LAKE => base_elevation_m[cell],
        number => lakes[number as usize].level_m,
    };
    let water_level_m = Field::from_fn(grid.shape(), level);
    Routed { base_elevation_m, water_level_m, flow, lake, lakes, charges, demand_m3_s }
}

/// The ground with the shallowest depressions filled by sediment, and the depressions that are left.
fn silt(
    grid: &Topology,
    links: &Links,
    base_m: Field<f32>,
    flood: &Flood,
    params: &WaterParams,
) -> (Field<f32>, Depressions) {
    let depressions = Depressions::of(grid, links, &base_m, flood);
    let ground = depressions.silted(&base_m, params.basin_min_depth_m as f32, params.lake_min_depth_m as f32);
    let left = Depressions::of(grid, links, &ground, flood);
    (ground, left)
}

/// What standing water takes from each cell that it may cover, in m3/s: what evaporates more than from the land.
fn demand_m3_s(
    grid: &Topology,
    params: &WaterParams,
    climate: &Climate,
    may_be_wet: impl Fn(Cell) -> bool + Sync,
) -> Field<f64> {
    let step = exact_step(TYPICAL_DEMAND_MM / 1000.0 * grid.cell_m() * grid.cell_m() / YEAR_S);
    Field::from_fn(grid.shape(), |cell| {
        if !may_be_wet(cell) {
            return 0.0;
        }
        let open_mm = params.evaporation * f64::from(climate.lake_evaporation_mm[cell]);
        let more_mm = (open_mm - f64::from(climate.evaporation_mm[cell])).max(0.0);
        (more_mm / 1000.0 * grid.area_m2(cell) / YEAR_S / step).round() * step
    })
}

/// The surface of each cell's water: cut into the ground, deeper where more runs, but never below the surface
/// of the water it flows into, and on ground above the sea not below half its height.
fn river_level(
    grid: &Topology,
    land: &Field<f32>,
    water_level_m: &Field<f32>,
    lake: &Field<u32>,
    flow: &Flow,
    discharge_m3_s: &Field<f64>,
) -> Field<f32> {
    let mut level = Field::from_fn(grid.shape(), |cell| {
        let ground = f64::from(water_level_m[cell]);
        if land[cell] <= 0.0 || lake[cell] != NO_LAKE {
            return water_level_m[cell];
        }
        quantise((ground - channel_incision_m(discharge_m3_s[cell])).max(ground.min(0.5 * ground)), 0.125)
    });
    for &cell in flow.order().iter().filter(|&&c| land[c] > 0.0) {
        let below = flow.receiver_of(grid, cell).map_or(f32::NEG_INFINITY, |r| level[r]);
        level[cell] = level[cell].max(below);
    }
    level
}

/// The depth of each cell's river by its discharge, but at least that of what flows in: a river that leaves a lake with
/// less than came in keeps a bed as deep, so that beds, like surfaces, never rise towards the mouth.
fn channel_depth(grid: &Topology, land: &Field<f32>, flow: &Flow, discharge_m3_s: &Field<f64>) -> Field<f32> {
    let mut depth = Field::from_fn(grid.shape(), |cell| {
        if land[cell] > 0.0 { quantise(channel_depth_m(discharge_m3_s[cell]), 0.0625) } else { 0.0 }
    });
    for &cell in flow.order().iter().rev().filter(|&&c| land[c] > 0.0) {
        if let Some(below) = flow.receiver_of(grid, cell).filter(|&r| land[r] > 0.0) {
            depth[below] = depth[below].max(depth[cell]);
        }
    }
    depth
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
