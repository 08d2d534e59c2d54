//! Streams by Strahler's order, and Horton's ratios.

use super::fit::line;
use crate::Flow;
use crate::stencil::assert_shape;
use grid::{Field, Grid, math};

/// All streams of one Strahler order. A stream runs from where its order begins, at a head or a junction, to where a
/// greater one begins or the network ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StreamOrder {
    /// Number of streams.
    pub streams: usize,
    /// Mean length in metres, to the junction below; to the last channel cell where the network ends.
    pub mean_length_m: f64,
    /// Mean drainage area in square metres at the last cell.
    pub mean_area_m2: f64,
}

/// How streams of one order compare with those of the order below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HortonRatios {
    /// How many times fewer.
    pub bifurcation: f64,
    /// How many times longer.
    pub length: f64,
    /// How many times larger in drainage area.
    pub area: f64,
    /// Orders the regressions go through.
    pub orders: usize,
}

/// Streams of each order, the first order first.
///
/// `order` as [`strahler`](crate::strahler) gives it, `area_m2` the drainage area of each cell.
pub fn stream_orders(
    grid: &impl Grid,
    flow: &Flow,
    order: &Field<u8>,
    area_m2: &Field<f64>,
) -> Vec<StreamOrder> {
    assert_shape(grid, order, "the order");
    assert_shape(grid, area_m2, "the area");
    let greatest = order.as_slice().iter().copied().max().unwrap_or(0);
    let mut sums = vec![StreamOrder::default(); usize::from(greatest)];
    // length of the stream above each cell
    let mut above_m = Field::filled(grid.shape(), 0.0f64);
    for &cell in flow.order().iter().rev().filter(|&&c| order[c] > 0) {
        let below = flow.target(cell).filter(|&t| order[t] > 0);
        let length_m = above_m[cell] + below.map_or(0.0, |t| grid.cell_distance_m(cell, t));
        match below.filter(|&t| order[t] == order[cell]) {
            Some(same) => above_m[same] = length_m, // no other inflow of this order, or it would have risen
            None => {
                let sum = &mut sums[usize::from(order[cell]) - 1];
                sum.streams += 1;
                sum.mean_length_m += length_m;
                sum.mean_area_m2 += area_m2[cell];
            }
        }
    }
    for sum in &mut sums {
        sum.mean_length_m /= sum.streams as f64;
        sum.mean_area_m2 /= sum.streams as f64;
    }
    sums
}

/// Horton's ratios by regression of the logarithms on order, over the orders with at least `least_streams` streams:
/// the highest, of which there are one or two, say little. `None` below three such orders.
pub fn horton_ratios(orders: &[StreamOrder], least_streams: usize) -> Option<HortonRatios> {
    let sure: Vec<(f64, &StreamOrder)> =
        (1..).map(f64::from).zip(orders).filter(|(_, o)| o.streams >= least_streams.max(1)).collect();
    let factor = |of: fn(&StreamOrder) -> f64| {
        let points: Vec<_> = sure.iter().map(|(w, o)| (*w, math::log(of(o)))).collect();
        line(&points).map(|law| math::exp(law.exponent))
    };
    if sure.len() < 3 || sure.iter().any(|(_, o)| o.mean_length_m <= 0.0) {
        return None;
    }
    Some(HortonRatios {
        bifurcation: 1.0 / factor(|o| o.streams as f64)?,
        length: factor(|o| o.mean_length_m)?,
        area: factor(|o| o.mean_area_m2)?,
        orders: sure.len(),
    })
}
