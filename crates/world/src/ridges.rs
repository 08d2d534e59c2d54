//! Ridges: the crest lines of the mountains, as one byte of directions per cell.
//!
//! A crest line is a river of the mountains turned upside down. Each connected mass of mountains is turned
//! over and flooded from its highest cell; every cell then "drains" uphill, over passes too, towards that
//! summit, and where the courses of several cells have joined there is a crest. Lines meet and divide, never
//! cross (one diagonal per quad of cells), and a bit towards a neighbour is set back from it.
//!
//! Method: crests as channels of the inverted surface; flooding after Barnes, Lehman & Mulla 2014. Neglects:
//! crests that close into rings (the lines form trees).

use crate::fields::spread_over;
use crate::recipe::MountainParams;
use grid::{Cell, Direction, Field, Grid, RidgeDirections, Topology};
use hydro::{Flow, Links};

/// Cells that must have joined for a course to be a crest line.
const LEAST_CELLS: f64 = 4.0;

/// Stands for what is no mountain once the mountains are turned over: higher than anything.
const WALL_M: f32 = 1e6;

/// The directions in which ridges leave each cell. Cost: one flooding of the grid.
pub fn trace_ridges(grid: &Topology, params: &MountainParams, height_m: &Field<f32>) -> Field<u8> {
    let least = params.min_height_m as f32;
    let inverted = height_m.map(|&h| if h >= least { -h } else { WALL_M });
    let summits = summits(grid, height_m, least);
    let links = Links::planar(grid, &inverted);
    let flood = hydro::flood(grid, &links, &inverted, |cell| summits[cell]);
    let flow = hydro::route(grid, &links, &flood);
    let weight = height_m.map(|&h| if h >= least { 1.0 } else { 0.0 });
    let joined = hydro::accumulate(grid, &flow, &weight);
    connect(grid, &flow, &joined)
}

/// The highest cell of each connected mass of mountains (the first that is met where several are highest).
fn summits(grid: &Topology, height_m: &Field<f32>, least: f32) -> Field<bool> {
    let mut summit = Field::filled(grid.shape(), false);
    let mut seen = height_m.map(|&h| h < least);
    for start in grid.cells() {
        if seen[start] {
            continue;
        }
        let mass = spread_over(grid, &mut seen, start, &Direction::ALL);
        let higher = |best: Cell, cell: Cell| if height_m[cell] > height_m[best] { cell } else { best };
        summit[mass.into_iter().fold(start, higher)] = true;
    }
    summit
}

/// Sets the bits of both cells of every link between two crest cells.
fn connect(grid: &Topology, flow: &Flow, joined: &Field<f64>) -> Field<u8> {
    let mut bits = Field::filled(grid.shape(), RidgeDirections::empty());
    for cell in grid.cells().filter(|&c| joined[c] >= LEAST_CELLS) {
        if let Some(direction) = towards(flow, cell)
            && let Some(step) = grid.step(cell, direction)
        {
            bits[cell] |= direction.into();
            bits[step.cell] |= step.back.into();
        }
    }
    bits.map(|b| b.bits())
}

fn towards(flow: &Flow, cell: Cell) -> Option<Direction> {
    let index = flow.receiver[cell];
    (index < 8).then(|| Direction::from_index(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Flat, Globe, Purpose, Seed, noise::Fractal};

    #[test]
    fn a_straight_crest_becomes_one_line() {
        let grid = Topology::Flat(Flat::new(30, 15, 1000.0).expect("a small map"));
        let height = Field::from_fn(grid.shape(), |c| {
            let (_, row, col) = grid.shape().split(c);
            2000.0 - 250.0 * (f64::from(row) - 7.0).abs() as f32 - 3.0 * (f64::from(col) - 20.0).abs() as f32
        });
        let bits = trace_ridges(&grid, &MountainParams::default(), &height);
        for cell in grid.cells() {
            let (_, row, col) = grid.shape().split(cell);
            let along = RidgeDirections::E | RidgeDirections::W;
            if row == 7 && (5..25).contains(&col) {
                assert_eq!(bits[cell] & along.bits(), along.bits(), "column {col}");
            }
        }
    }

    #[test]
    fn bits_are_set_back_and_lines_do_not_cross() {
        let grid = Topology::Globe(Globe::new(24, 6.371e6).expect("a small globe"));
        let noise = Fractal::new(Seed(3).key(Purpose::new("test")), 4, 0.5);
        let height = Field::from_fn(grid.shape(), |c| (6000.0 * noise.fbm(grid.center(c) * 3.0)) as f32);
        let bits = trace_ridges(&grid, &MountainParams::default(), &height);
        let has = |cell: Cell, d: Direction| RidgeDirections::from_bits_retain(bits[cell]).has(d);
        let mut lines = 0;
        for cell in grid.cells() {
            for direction in Direction::ALL.into_iter().filter(|&d| has(cell, d)) {
                let step = grid.step(cell, direction).expect("ridges lead to cells that exist");
                assert!(has(step.cell, step.back));
                lines += 1;
            }
            // the two diagonals of the quad to the south-east
            if let (Some(e), true) = (grid.step(cell, Direction::E), has(cell, Direction::SE)) {
                let (_, row, col) = grid.shape().split(cell);
                let inside = row + 1 < grid.shape().rows && col + 1 < grid.shape().cols;
                assert!(!inside || !has(e.cell, Direction::SW), "crossing at {cell:?}");
            }
        }
        assert!(lines > 200);
    }
}
