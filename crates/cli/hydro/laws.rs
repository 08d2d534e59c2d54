//! Laws of the network: how numbers, lengths, areas and slopes of streams scale, each with its paper.

use super::core::Core;
use grid::{Field, Grid};
use hydro::statistics::{self, Hypsometry, PowerLaw, SideBranches};
use serde_json::{Map, Value, json};

/// Streams that an order must have to count in a regression.
const LEAST_STREAMS: usize = 3;
/// Cells over which a channel's slope is taken.
const SLOPE_CELLS: usize = 5;
/// Cells from which a cell's drainage counts as an area of many, not as a count of few.
const LEAST_CELLS: f64 = 20.0;
/// Share of the raster's area up to which laws of area are fitted: beyond it the border cuts basins off.
const GREATEST_SHARE: f64 = 0.02;

/// All that can be said of this network; what has too few streams is null.
pub fn of<G: Grid>(grid: &G, core: &Core) -> Map<String, Value> {
    let mut laws = Map::new();
    let orders = statistics::stream_orders(grid, &core.flow, &core.order, &core.area_m2);
    laws.insert("orders".into(), (1..).zip(&orders).map(|(order, o)| order_row(order, o)).collect());
    let horton = statistics::horton_ratios(&orders, LEAST_STREAMS);
    let horton = horton.map(
        |h| json!({"bifurcation": h.bifurcation, "length": h.length, "area": h.area, "orders": h.orders}),
    );
    laws.insert("horton_ratios".into(), json!(horton));
    let branches = SideBranches::of(grid, &core.flow, &core.order);
    let law = branches.law(LEAST_STREAMS);
    laws.insert(
        "tokunaga".into(),
        json!(law.map(|t| json!({"a": t.a, "c": t.c, "points": t.points, "r2": t.r2}))),
    );
    let cell_m2 = grid.cell_m() * grid.cell_m();
    let total_m2: f64 = core.roots.iter().map(|&r| core.area_m2[r]).sum();
    let range = LEAST_CELLS * cell_m2..(GREATEST_SHARE * total_m2).max(LEAST_CELLS * cell_m2);
    let path_m = hydro::network::longest_path_m(grid, &core.flow, &core.area_m2);
    laws.insert("hack".into(), power(statistics::hack(&path_m, &core.area_m2, range.clone())));
    laws.insert("area_exceedance".into(), falling(statistics::area_exceedance(&core.area_m2, range)));
    let least_m2 = core.least_stream_m2();
    let concavity = statistics::concavity(
        grid,
        &core.flow,
        &core.surface,
        &core.area_m2,
        &core.is_stream,
        (SLOPE_CELLS, least_m2..total_m2.max(least_m2)),
    );
    laws.insert("concavity".into(), falling(concavity));
    let density = statistics::drainage_density_per_m(grid, &core.flow, &core.area_m2, &core.is_stream);
    laws.insert("drainage_density_km_per_km2".into(), json!(density * 1000.0));
    let longest_m = path_m.as_slice().iter().copied().fold(0.0, f64::max);
    laws.insert("longest_path_km".into(), json!(longest_m / 1000.0));
    laws.insert("hypsometry".into(), hypsometry(grid, &core.ground));
    laws
}

impl Core {
    /// The least drainage area of a stream cell.
    fn least_stream_m2(&self) -> f64 {
        let streams = self.is_stream.as_slice().iter().zip(self.area_m2.as_slice()).filter(|(s, _)| **s);
        streams.map(|(_, &a)| a).fold(f64::INFINITY, f64::min).min(f64::MAX)
    }
}

fn order_row(order: usize, of: &statistics::StreamOrder) -> Value {
    json!({
        "order": order,
        "streams": of.streams,
        "mean_length_km": of.mean_length_m / 1000.0,
        "mean_area_km2": of.mean_area_m2 / 1e6,
    })
}

fn power(law: Option<PowerLaw>) -> Value {
    json!(law.map(|law| json!({"exponent": law.exponent, "r2": law.r2, "points": law.points})))
}

/// A law that is written with a minus, such as S ~ A^-theta: the exponent is what stands behind it.
fn falling(law: Option<PowerLaw>) -> Value {
    power(law.map(|law| PowerLaw { exponent: -law.exponent, ..law }))
}

/// Integral and curve: share of the area above each tenth of the relief.
fn hypsometry<G: Grid>(grid: &G, ground: &Field<f32>) -> Value {
    let Some(curve) = Hypsometry::of(grid, ground, grid.cells()) else { return Value::Null };
    let shares: Vec<f64> = (0..=10).map(|tenth| curve.share_above(f64::from(tenth) / 10.0)).collect();
    json!({"integral": curve.integral(), "share_of_area_above_each_tenth_of_relief": shares})
}
