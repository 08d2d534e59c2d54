//! Exponents: path length, drainage area and slope against drainage area.

use super::fit::{Bins, PowerLaw, line, power_law};
use crate::Flow;
use grid::{Cell, Field, Grid, math};
use std::ops::Range;

/// Nodes that a bin of areas must hold to count.
const LEAST_IN_BIN: usize = 30;
/// Bins or points that a law must go through.
const LEAST_POINTS: usize = 4;

/// Hack's law: the exponent of the longest flow path on drainage area, over the nodes with areas in a range.
///
/// `path_m` as [`longest_path_m`](crate::network::longest_path_m) gives it. `None` where there are not enough nodes of enough sizes.
pub fn hack(path_m: &Field<f64>, area_m2: &Field<f64>, range_m2: Range<f64>) -> Option<PowerLaw> {
    let mut bins = Bins::new(range_m2);
    for (&path, &area) in path_m.as_slice().iter().zip(area_m2.as_slice()).filter(|(path, _)| **path > 0.0) {
        bins.add(area, math::log(path));
    }
    enough(line(&bins.means(LEAST_IN_BIN)))
}

/// The exponent of the probability that the drainage area of a cell exceeds an area, on that area, at two areas an
/// octave over a range. Negative. `None` where there are not enough cells of enough sizes.
///
/// Near the size of the largest basins the law must break down; the range should end well below it.
pub fn area_exceedance(area_m2: &Field<f64>, range_m2: Range<f64>) -> Option<PowerLaw> {
    let mut areas: Vec<f64> = area_m2.as_slice().iter().copied().filter(|&a| a > 0.0).collect();
    areas.sort_unstable_by(f64::total_cmp);
    let steps = std::iter::successors(Some(range_m2.start), |a| Some(a * std::f64::consts::SQRT_2));
    let exceeding = |a: f64| (areas.len() - areas.partition_point(|&x| x <= a)) as f64;
    let points: Vec<_> = steps.take_while(|&a| a < range_m2.end).map(|a| (a, exceeding(a))).collect();
    let sure: Vec<_> = points.into_iter().filter(|p| p.1 >= LEAST_IN_BIN as f64).collect();
    enough(power_law(&sure))
}

/// The exponent of a channel's slope on its drainage area, over the channel cells with areas in a range. Negative where
/// rivers are concave. `None` where there are not enough.
///
/// The slope of a cell is that of `level_m` over the next `steps` cells downstream; where the channel ends before, there
/// is none. Slopes are averaged within bins of area, level stretches too (Wobus et al. 2006).
pub fn concavity(
    grid: &impl Grid,
    flow: &Flow,
    level_m: &Field<f32>,
    area_m2: &Field<f64>,
    is_channel: &Field<bool>,
    (steps, range_m2): (usize, Range<f64>),
) -> Option<PowerLaw> {
    let mut bins = Bins::new(range_m2);
    for &cell in flow.order().iter().filter(|&&c| is_channel[c]) {
        if let Some((end, run_m)) = downstream(grid, flow, is_channel, cell, steps) {
            let drop_m = f64::from(level_m[cell]) - f64::from(level_m[end]);
            bins.add(area_m2[cell], drop_m / run_m);
        }
    }
    let falling = bins.means(LEAST_IN_BIN).into_iter().filter(|m| m.1 > 0.0);
    enough(line(&falling.map(|m| (m.0, math::log(m.1))).collect::<Vec<_>>()))
}

/// The channel cell so many steps downstream, and the length of the way in metres.
fn downstream(
    grid: &impl Grid,
    flow: &Flow,
    is_channel: &Field<bool>,
    cell: Cell,
    steps: usize,
) -> Option<(Cell, f64)> {
    (0..steps).try_fold((cell, 0.0), |(at, run_m), _| {
        let next = flow.target(at).filter(|&t| is_channel[t])?;
        Some((next, run_m + grid.cell_distance_m(at, next)))
    })
}

/// Length of all channels over the area of all cells that drain, in metres per square metre; 0 without channels.
pub fn drainage_density_per_m(
    grid: &impl Grid,
    flow: &Flow,
    area_m2: &Field<f64>,
    is_channel: &Field<bool>,
) -> f64 {
    let channels = flow.order().iter().filter(|&&c| is_channel[c]);
    let step_m = |&c: &Cell| flow.target(c).map_or(0.0, |t| grid.cell_distance_m(c, t));
    let length_m: f64 = channels.map(step_m).sum();
    let drained_m2: f64 = flow.order().iter().filter(|&&c| area_m2[c] > 0.0).map(|&c| grid.area_m2(c)).sum();
    if drained_m2 > 0.0 { length_m / drained_m2 } else { 0.0 }
}

fn enough(law: Option<PowerLaw>) -> Option<PowerLaw> {
    law.filter(|law| law.points >= LEAST_POINTS)
}
