//! The grids that the tests walk over: all small sizes, odd and even, and maps of odd shapes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use grid::{Cell, Direction, Flat, Globe, Grid, Topology};
use proptest::prelude::*;

pub const RADIUS_M: f64 = 6_371_000.0;
pub const SIDES: [u32; 7] = [2, 3, 4, 5, 8, 16, 17];
pub const MAPS: [(u32, u32); 7] = [(1, 1), (1, 7), (9, 1), (2, 2), (3, 5), (17, 4), (13, 31)];

pub fn globe(n: u32) -> Globe {
    Globe::new(n, RADIUS_M).unwrap()
}

pub fn globes() -> impl Iterator<Item = Globe> {
    SIDES.into_iter().map(globe)
}

pub fn flats() -> impl Iterator<Item = Flat> {
    MAPS.into_iter().map(|(cols, rows)| Flat::new(cols, rows, 25.0).unwrap())
}

/// Where the corner of a cell lies, as `along` and `down`.
pub fn place_of(corner: Direction) -> (f64, f64) {
    let (dr, dc) = corner.offset();
    ((dc + 1) as f64 / 2.0, (dr + 1) as f64 / 2.0)
}

pub fn any_topology() -> impl Strategy<Value = Topology> {
    prop_oneof![
        (2u32..600).prop_map(|n| Topology::Globe(globe(n))),
        (1u32..300, 1u32..300, 0.5f64..5e4).prop_map(|(c, r, m)| Topology::Flat(Flat::new(c, r, m).unwrap())),
    ]
}

/// A topology and the index of a cell of it.
pub fn any_cell() -> impl Strategy<Value = (Topology, Cell)> {
    any_topology().prop_flat_map(|t| {
        let len = t.len();
        (Just(t), (0..len).prop_map(Cell::from_index))
    })
}
