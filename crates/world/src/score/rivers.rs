//! Rivers: the greatest, and how their networks scale.

use super::reading::{Reading, absent, not_here};
use super::survey::Survey;
use crate::rivers::{Network, channel_width_m};
use grid::{Cell, Field, Grid, math};
use hydro::statistics::{
    area_exceedance, concavity, drainage_density_per_m, hack, horton_ratios, line, longest_path_m,
    stream_orders,
};

/// Cells that a channel drains at least. Statistics of networks begin there.
const CHANNEL_CELLS: f64 = 16.0;
/// Cells of the least basin whose network counts. A smaller one ends at the shore before a law shows; counted together
/// with the rest, coastal streams would measure the coast and not the networks.
const BASIN_CELLS: f64 = 512.0;
/// Streams of an order that a regression on order counts.
const LEAST_STREAMS: usize = 4;
/// The law of exceedance breaks down near the size of a basin; it is fitted up to this share of the least basin.
const INNER_SHARE: f64 = 0.25;
/// Cells over which the slope of a channel is taken.
const SLOPE_CELLS: usize = 5;
/// Drainage area at which channels begin where drainage density is compared, in square metres.
const DENSITY_AREA_M2: f64 = 1e6;
/// Reaches shorter than this have no say in sinuosity, in metres.
const LEAST_REACH_M: f64 = 50_000.0;

const FEW: &str = "too few basins of 512 cells for a regression";

/// All figures of the section `rivers`.
pub(super) fn measure(survey: &Survey) -> Vec<(&'static str, Reading)> {
    let network = &survey.world.network;
    let largest = survey.land().map(|c| survey.world.discharge_m3_s[c]).reduce(f64::max);
    let mut readings = vec![
        ("largest_discharge_m3_s", absent(largest, "no land")),
        ("longest_km", absent(longest_km(network), "no rivers")),
    ];
    readings.extend(scaling(survey));
    readings.push(("width_vs_discharge", not_here(width_exponent(network), "too few reaches")));
    readings.push(("sinuosity_median", absent(sinuosity(network), "no reaches over 50 km")));
    readings
}

/// Drainage area in square metres of the cells of large basins; 0 elsewhere.
fn large_basins(survey: &Survey, least_m2: f64) -> Field<f64> {
    let area_m2 = |cell: Cell| survey.world.drainage_km2[cell] * 1e6;
    let mut large = Field::filled(survey.grid().shape(), false);
    let mut kept = Field::filled(survey.grid().shape(), 0.0);
    for &cell in survey.flow.order().iter().filter(|&&c| survey.is_land(c)) {
        let below = survey.flow.receiver_of(survey.grid(), cell).filter(|&b| survey.is_land(b));
        large[cell] = below.map_or(area_m2(cell) >= least_m2, |b| large[b]);
        kept[cell] = if large[cell] { area_m2(cell) } else { 0.0 };
    }
    kept
}

/// How the networks of large basins scale.
fn scaling(survey: &Survey) -> [(&'static str, Reading); 7] {
    let (grid, flow) = (survey.grid(), &survey.flow);
    let cell_m2 = grid.cell_m() * grid.cell_m();
    let area_m2 = large_basins(survey, BASIN_CELLS * cell_m2);
    let (least, most) = (CHANNEL_CELLS * cell_m2, area_m2.as_slice().iter().copied().fold(0.0, f64::max));
    let is_channel = area_m2.map(|&a| a >= least);
    let order = hydro::strahler(grid, flow, &is_channel);
    let ratios = horton_ratios(&stream_orders(grid, flow, &order, &area_m2), LEAST_STREAMS);
    let path_m = longest_path_m(grid, flow, &area_m2);
    let whole = least..most * 1.001; // the largest included
    let slope = concavity(
        grid,
        flow,
        &survey.world.river_level_m,
        &area_m2,
        &is_channel,
        (SLOPE_CELLS, whole.clone()),
    );
    let exceedance = area_exceedance(&area_m2, least..BASIN_CELLS * INNER_SHARE * cell_m2 * 1.001);
    [
        ("horton_bifurcation", not_here(ratios.map(|r| r.bifurcation), FEW)),
        ("horton_length", not_here(ratios.map(|r| r.length), FEW)),
        ("horton_area", not_here(ratios.map(|r| r.area), FEW)),
        ("hack_exponent", not_here(hack(&path_m, &area_m2, whole).map(|law| law.exponent), FEW)),
        ("area_exceedance", not_here(exceedance.map(|law| -law.exponent), FEW)),
        ("concavity", not_here(slope.map(|law| -law.exponent), FEW)),
        ("drainage_density_km_per_km2", density(survey)),
    ]
}

/// Channels of 1 km2 need cells that are much smaller.
fn density(survey: &Survey) -> Reading {
    let cell_m = survey.grid().cell_m();
    if CHANNEL_CELLS * cell_m * cell_m > DENSITY_AREA_M2 {
        return Reading::NotHere("channels of 1 km2 need cells of 250 m or less");
    }
    let area_m2 = survey.world.drainage_km2.map(|km2| km2 * 1e6);
    let is_channel = area_m2.map(|&a| a >= DENSITY_AREA_M2);
    Reading::Value(drainage_density_per_m(survey.grid(), &survey.flow, &area_m2, &is_channel) * 1000.0)
}

/// The longest way of river water, from any source to a mouth: what is called a river's length, which need not follow
/// the greater discharge.
fn longest_km(network: &Network) -> Option<f64> {
    // reaches are in no order of flow; lengths settle from the heads down
    let mut inflows = vec![0u32; network.reaches.len()];
    for below in network.reaches.iter().filter_map(|r| r.downstream) {
        inflows[below as usize] += 1;
    }
    let mut ready: Vec<usize> = (0..inflows.len()).filter(|&k| inflows[k] == 0).collect();
    let mut above_m = vec![0.0f64; inflows.len()];
    let mut longest_m: Option<f64> = None;
    while let Some(k) = ready.pop() {
        let reach = &network.reaches[k];
        let length_m = above_m[k] + reach.length_m;
        longest_m = Some(longest_m.unwrap_or(0.0).max(length_m));
        if let Some(below) = reach.downstream.map(|b| b as usize) {
            above_m[below] = above_m[below].max(length_m);
            inflows[below] -= 1;
            if inflows[below] == 0 {
                ready.push(below);
            }
        }
    }
    longest_m.map(|m| m / 1000.0)
}

/// The exponent of the width of channels on their discharge, over all reaches.
fn width_exponent(network: &Network) -> Option<f64> {
    let positive = network.reaches.iter().map(|r| r.discharge_m3_s).filter(|&q| q > 0.0);
    let points: Vec<_> = positive.map(|q| (math::log(q), math::log(channel_width_m(q)))).collect();
    line(&points).map(|law| law.exponent)
}

/// The median over long reaches of their sinuosity.
fn sinuosity(network: &Network) -> Option<f64> {
    let long = network.reaches.iter().filter(|r| r.length_m > LEAST_REACH_M);
    let mut all: Vec<f64> = long.map(|r| r.sinuosity).collect();
    all.sort_unstable_by(f64::total_cmp);
    (!all.is_empty()).then(|| all[all.len() / 2])
}
