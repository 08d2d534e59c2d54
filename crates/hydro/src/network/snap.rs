//! Putting a point on the network: outlets from maps and gauges lie beside the streams of an elevation model.
//!
//! Distances are true ones between centres of cells, compared as `f32`: so those that are equal on a map are equal in spite of
//! rounded coordinates.

use grid::{Cell, Field, Grid};
use std::collections::BTreeSet;

/// The nearest stream cell whose centre is at most `within_m` metres from that of a cell, as in Jenson's snap (Lindsay,
/// Rothwell & Davies 2008); of equally near ones that of the lowest address. `None` if there is none.
///
/// Cost: n log n for the n cells within the distance.
pub fn snap_to_stream(grid: &impl Grid, is_stream: &Field<bool>, from: Cell, within_m: f64) -> Option<Cell> {
    let streams = disc(grid, from, within_m).into_iter().filter(|(c, _)| is_stream[*c]);
    streams.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))).map(|(cell, _)| cell)
}

/// The cell of the greatest `quantity` (drainage area, discharge) whose centre is at most `within_m` metres from that of a
/// cell; of equal ones the nearest, then that of the lowest address. `None` if no quantity there is a number.
///
/// Cost: n log n for the n cells within the distance.
pub fn snap_to_greatest(grid: &impl Grid, quantity: &Field<f64>, from: Cell, within_m: f64) -> Option<Cell> {
    let numbers = disc(grid, from, within_m).into_iter().filter(|(c, _)| !quantity[*c].is_nan());
    let greatest_first = |a: &(Cell, f32), b: &(Cell, f32)| {
        let quantities = (quantity[a.0] + 0.0).total_cmp(&(quantity[b.0] + 0.0)).reverse();
        quantities.then(a.1.total_cmp(&b.1)).then(a.0.cmp(&b.0))
    };
    numbers.min_by(greatest_first).map(|(cell, _)| cell)
}

/// The cells whose centres are at most so far from that of a cell, with their distances in metres; none if the distance is
/// negative or not a number.
///
/// Found from neighbour to neighbour. None is missed: of the neighbours of any cell one is nearer to a given goal.
fn disc(grid: &impl Grid, from: Cell, within_m: f64) -> Vec<(Cell, f32)> {
    let within_m = within_m as f32;
    let mut seen = BTreeSet::from([from]);
    let mut found = Vec::from_iter((within_m >= 0.0).then_some((from, 0.0)));
    let mut next = 0;
    while let Some(&(cell, _)) = found.get(next) {
        next += 1;
        for (_, neighbor) in grid.neighbors(cell) {
            if seen.insert(neighbor) {
                let distance_m = grid.cell_distance_m(from, neighbor) as f32;
                if distance_m <= within_m {
                    found.push((neighbor, distance_m));
                }
            }
        }
    }
    found
}
