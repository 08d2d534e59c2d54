//! The filled surface against its definition, and the way the flood came.

use crate::common::{case, minimax};
use grid::{Cell, Direction, Field, Flat, Grid};
use hydro::{Links, NONE};

#[test]
fn the_filled_surface_is_the_minimax_surface() {
    for number in 0..4000 {
        let case = case(number);
        let (flood, ends, expected) = (case.flood(), case.ends(), minimax(&case));
        for c in case.grid.cells() {
            let what = format!("case {number}, {c:?}");
            if case.elevation[c].is_nan() {
                assert!(flood.filled[c].is_nan() && flood.parent[c] == NONE, "{what}");
            } else {
                assert_eq!(flood.filled[c], expected[c.index()], "{what}");
                assert_eq!(flood.parent[c] == NONE, ends[c.index()], "{what}");
            }
        }
    }
}

#[test]
fn the_flood_comes_from_a_neighbour_before_and_rises() {
    for number in 0..2000 {
        let case = case(number);
        let flood = case.flood();
        let mut place = vec![usize::MAX; case.grid.len()];
        let mut level = f32::NEG_INFINITY;
        for (i, &c) in flood.order().iter().enumerate() {
            assert_eq!(place[c.index()], usize::MAX, "case {number}: {c:?} twice");
            place[c.index()] = i;
            let Some(parent) = flood.parent_of(&case.grid, c) else { continue };
            let direction = Direction::from_index(flood.parent[c]);
            assert!(case.links.allows(c, direction), "case {number}: no link from {c:?} to {parent:?}");
            assert!(place[parent.index()] < i, "case {number}: {c:?} before its parent");
            assert!(flood.filled[c] >= level, "case {number}: the flood falls at {c:?}");
            level = flood.filled[c];
            assert_eq!(flood.filled[c], flood.filled[parent].max(case.elevation[c]), "case {number}");
        }
        assert_eq!(flood.order().len(), case.grid.len());
        assert!(flood.order().iter().take_while(|c| flood.parent[**c] == NONE).is_sorted());
        assert_eq!(
            flood.order().iter().take_while(|c| flood.parent[**c] == NONE).count(),
            flood.parent.as_slice().iter().filter(|&&p| p == NONE).count(),
            "ends come first"
        );
    }
}

#[test]
fn without_an_outlet_the_lowest_cell_is_one() {
    let map = Flat::new(3, 2, 1.0).expect("in range");
    let elevation = Field::from_vec(map.shape(), vec![5.0, 0.0, 7.0, 4.0, 9.0, -0.0]).expect("six cells");
    let flood = hydro::flood(&map, &Links::all(&map), &elevation, |_| false);
    assert_eq!(flood.parent.as_slice().iter().position(|&p| p == NONE), Some(1), "0 and -0 are one level");
    assert_eq!(flood.filled.as_slice(), [5.0, 0.0, 7.0, 4.0, 9.0, 0.0]);
}

#[test]
fn infinite_heights_and_empty_data_are_borne() {
    let map = Flat::new(5, 5, 1.0).expect("in range");
    let nothing = Field::filled(map.shape(), f32::NAN);
    let flood = hydro::flood(&map, &Links::planar(&map, &nothing), &nothing, hydro::border_outlets(&map));
    assert_eq!(flood.order().len(), 25);
    let mut walls = Field::filled(map.shape(), f32::INFINITY);
    walls[Cell(12)] = f32::NEG_INFINITY;
    let links = Links::planar(&map, &walls);
    let flood = hydro::flood(&map, &links, &walls, hydro::border_outlets(&map));
    assert_eq!(flood.filled[Cell(12)], f32::INFINITY);
    let flow = hydro::route(&map, &links, &flood);
    assert!(flow.receiver_of(&map, Cell(12)).is_some());
}

#[test]
fn a_flat_is_crossed_on_shortest_ways() {
    let map = Flat::new(31, 17, 1.0).expect("in range");
    let plain = Field::filled(map.shape(), 8.0);
    let mouth = Cell(5);
    let (links, outlet) = (Links::all(&map), |c| c == mouth);
    let flood = hydro::flood(&map, &links, &plain, outlet);
    for c in map.cells() {
        let (mut steps, mut at) = (0, c);
        while let Some(parent) = flood.parent_of(&map, at) {
            (steps, at) = (steps + 1, parent);
        }
        let (_, row, col) = map.shape().split(c);
        assert_eq!((at, steps), (mouth, row.max(col.abs_diff(5))), "king's moves from {c:?}");
    }
}
