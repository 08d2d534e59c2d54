//! Links: mutual, complete or planar, on every vertex of every small grid.

use crate::common::{any_elevation, any_grid};
use grid::{Cell, Direction, Field, Grid, Nth, Purpose, Seed, Topology};
use hydro::Links;
use std::collections::BTreeMap;

/// For each vertex the cells around it, with the corner that each turns to it.
fn quads(grid: &Topology) -> Vec<Vec<(Cell, Direction)>> {
    let mut quads = BTreeMap::new();
    for cell in grid.cells() {
        for corner in Direction::CORNERS {
            let vertex = grid.vertex(cell, corner).expect("a corner");
            quads.entry(vertex).or_insert_with(Vec::new).push((cell, corner));
        }
    }
    quads.into_values().collect()
}

fn check_mutual(grid: &Topology, links: &Links) {
    for cell in grid.cells() {
        for d in Direction::ALL {
            let step = grid.step(cell, d);
            assert!(step.is_some() || !links.allows(cell, d), "a link from {cell:?} into nothing");
            assert!(!d.is_side() || links.allows(cell, d) == step.is_some(), "a side of {cell:?} is no link");
            if let Some(step) = step {
                assert_eq!(links.allows(cell, d), links.allows(step.cell, step.back), "{cell:?} {d:?}");
            }
        }
        let listed: Vec<_> = links.neighbors(grid, cell).collect();
        let expected: Vec<_> = grid.neighbors(cell).filter(|&(d, _)| links.allows(cell, d)).collect();
        assert_eq!(listed, expected);
    }
}

/// The two diagonals of a quad; of each its ends, of which the first is that of the lower address.
fn diagonals(grid: &Topology, quad: &[(Cell, Direction)]) -> [(Cell, Cell); 2] {
    let across = |i: usize| grid.neighbor(quad[i].0, quad[i].1).expect("four cells meet here");
    let first = (quad[0].0, across(0));
    let rest: Vec<Cell> = quad.iter().map(|q| q.0).filter(|&c| c != first.0 && c != first.1).collect();
    [first, (rest[0], rest[1])].map(|(a, b)| (a.min(b), a.max(b)))
}

#[test]
fn no_two_planar_links_cross_and_the_steeper_is_kept() {
    const PLANAR: Purpose = Purpose::new("hydro/tests/planar");
    for number in 0..2000 {
        let mut draw = Seed(2).key(PLANAR).at(Nth(number));
        let grid = any_grid(&mut draw);
        let z = any_elevation(&grid, &mut draw);
        let links = Links::planar(&grid, &z);
        check_mutual(&grid, &links);
        for quad in quads(&grid) {
            let linked: Vec<Cell> = quad.iter().filter(|q| links.allows(q.0, q.1)).map(|q| q.0).collect();
            if quad.len() < 4 {
                assert!(linked.is_empty(), "case {number}: a diagonal where {} cells meet", quad.len());
                continue;
            }
            assert_eq!(linked.len(), 2, "case {number}: both ends of one diagonal");
            let mut pair = diagonals(&grid, &quad);
            if pair[1] == (linked[0], linked[1]) {
                pair.swap(0, 1);
            }
            assert_eq!(pair[0], (linked[0], linked[1]), "case {number}");
            check_kept(&grid, &z, pair, number);
        }
    }
}

fn check_kept(grid: &Topology, z: &Field<f32>, [kept, other]: [(Cell, Cell); 2], number: u32) {
    let slope = |(a, b): (Cell, Cell)| {
        let rise = (f64::from(z[a]) - f64::from(z[b])).abs();
        if rise.is_nan() { -1.0 } else { rise / grid.center(a).distance(grid.center(b)) }
    };
    let (s, o) = (slope(kept), slope(other));
    assert!(s >= o - 1e-6 * o.abs(), "case {number}: kept {s}, gave up {o}");
    if s == o && (s == 0.0 || s == -1.0) {
        assert!(kept.0 < other.0, "case {number}: a tie goes to the lowest address");
    }
}

#[test]
fn all_links_are_all_neighbours() {
    for number in 0..200 {
        let grid = any_grid(&mut Seed(3).key(Purpose::new("hydro/tests/all")).at(Nth(number)));
        let links = Links::all(&grid);
        check_mutual(&grid, &links);
        for cell in grid.cells() {
            assert!(links.neighbors(&grid, cell).eq(grid.neighbors(cell)));
        }
    }
}
