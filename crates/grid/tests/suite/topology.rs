//! Neighbours and addresses agree from every side.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{RADIUS_M, any_cell, flats, globe, globes, place_of};
use grid::{Cell, Direction, Edge, Flat, Globe, Grid, GridError, Topology, Vec3, Vertex};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Face, row and column from the index alone.
fn split(globe: &Globe, cell: Cell) -> (u32, u32, u32) {
    let n = globe.side();
    (cell.0 / (n * n), cell.0 / n % n, cell.0 % n)
}

fn face(globe: &Globe, cell: Cell) -> u32 {
    split(globe, cell).0
}

fn assert_symmetric(grid: &impl Grid) {
    for cell in grid.cells() {
        let mut seen = BTreeSet::new();
        for direction in Direction::ALL {
            let Some(step) = grid.step(cell, direction) else { continue };
            assert!(step.cell.index() < grid.len() && step.cell != cell);
            assert_eq!(step.back.is_side(), direction.is_side());
            let home = grid.step(step.cell, step.back).unwrap();
            assert_eq!((home.cell, home.back), (cell, direction), "{cell:?} {direction:?}");
            assert!(seen.insert(step.cell), "{cell:?} reaches {:?} twice", step.cell);
        }
    }
}

#[test]
fn stepping_back_returns_on_globes() {
    globes().for_each(|g| assert_symmetric(&g));
}

#[test]
fn stepping_back_returns_on_maps() {
    flats().for_each(|g| assert_symmetric(&g));
}

#[test]
fn on_a_globe_24_cells_have_seven_neighbours_and_all_others_eight() {
    for globe in globes() {
        let seven: Vec<Cell> = globe.cells().filter(|&c| globe.neighbors(c).count() == 7).collect();
        assert_eq!(seven.len(), 24);
        assert!(globe.cells().all(|c| globe.neighbors(c).count() >= 7 && !globe.at_border(c)));
        let last = globe.side() - 1;
        for (_, row, col) in seven.into_iter().map(|c| split(&globe, c)) {
            assert!((row == 0 || row == last) && (col == 0 || col == last));
        }
    }
}

#[test]
fn on_a_map_the_border_is_open() {
    for map in flats() {
        let (cols, rows) = (map.shape().cols, map.shape().rows);
        for cell in map.cells() {
            let (row, col) = (cell.0 / cols, cell.0 % cols);
            let tall = 1 + u32::from(row > 0) + u32::from(row + 1 < rows);
            let wide = 1 + u32::from(col > 0) + u32::from(col + 1 < cols);
            assert_eq!(map.neighbors(cell).count() as u32, tall * wide - 1);
            assert_eq!(map.at_border(cell), tall < 3 || wide < 3);
        }
    }
}

#[test]
fn each_of_twelve_cube_edges_joins_two_faces_along_n_sides() {
    for globe in globes() {
        let mut pairs: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for cell in globe.cells() {
            for side in Direction::SIDES {
                let here = face(&globe, cell);
                let there = face(&globe, globe.neighbor(cell, side).unwrap());
                if here < there {
                    *pairs.entry((here, there)).or_default() += 1;
                }
            }
        }
        assert_eq!(pairs.len(), 12);
        assert!(pairs.values().all(|&count| count == globe.side()), "{pairs:?}");
    }
}

/// Neighbours are what lies there: a cell across a side shares that side, one over a corner shares that corner.
fn assert_addresses_agree(grid: &impl Grid) {
    for cell in grid.cells() {
        for direction in Direction::ALL {
            let Some(step) = grid.step(cell, direction) else { continue };
            if direction.is_side() {
                assert_eq!(grid.edge(cell, direction), grid.edge(step.cell, step.back));
                assert_eq!(grid.vertex(cell, direction), None);
            } else {
                assert_eq!(grid.vertex(cell, direction), grid.vertex(step.cell, step.back));
                assert_eq!(grid.edge(cell, direction), None);
            }
        }
    }
}

/// How many cells have each vertex, and how many each edge.
fn shared(grid: &impl Grid) -> (BTreeMap<Vertex, u32>, BTreeMap<Edge, u32>) {
    let (mut vertices, mut edges) = (BTreeMap::new(), BTreeMap::new());
    for cell in grid.cells() {
        for corner in Direction::CORNERS {
            *vertices.entry(grid.vertex(cell, corner).unwrap()).or_default() += 1;
        }
        for side in Direction::SIDES {
            *edges.entry(grid.edge(cell, side).unwrap()).or_default() += 1;
        }
    }
    (vertices, edges)
}

#[test]
fn addresses_on_globes_are_shared_and_euler_holds() {
    for globe in globes() {
        assert_addresses_agree(&globe);
        let n = globe.side() as usize;
        let (vertices, edges) = shared(&globe);
        assert_eq!(edges.len(), 12 * n * n);
        assert!(edges.values().all(|&cells| cells == 2));
        assert_eq!(vertices.len(), 6 * n * n + 2);
        assert_eq!(vertices.values().filter(|&&cells| cells == 3).count(), 8);
        assert_eq!(vertices.values().filter(|&&cells| cells == 4).count(), vertices.len() - 8);
    }
}

#[test]
fn addresses_on_maps_are_shared() {
    for map in flats() {
        assert_addresses_agree(&map);
        let (cols, rows) = (map.shape().cols as usize, map.shape().rows as usize);
        let (vertices, edges) = shared(&map);
        assert_eq!(vertices.len(), (cols + 1) * (rows + 1));
        assert_eq!(edges.len(), cols * (rows + 1) + rows * (cols + 1));
    }
}

#[test]
fn diagonals_are_two_side_steps_inside_a_face() {
    for globe in globes() {
        for cell in globe.cells() {
            for corner in Direction::CORNERS {
                let (first, second) = (corner.turned(7), corner.turned(1));
                let middle = globe.neighbor(cell, first).unwrap();
                let diagonal = globe.neighbor(cell, corner);
                let Some(end) = globe.neighbor(middle, second) else { continue };
                if face(&globe, middle) == face(&globe, cell) && diagonal.is_some() {
                    assert_eq!(diagonal, Some(end), "{cell:?} {corner:?}");
                }
            }
        }
    }
}

/// Cells within `rings` king's moves, from the number of moves to each (breadth first).
fn halo_by_distance(grid: &impl Grid, cell: Cell, rings: usize) -> Vec<Cell> {
    let mut moves = BTreeMap::from([(cell, 0)]);
    let mut queue = VecDeque::from([cell]);
    while let Some(next) = queue.pop_front() {
        let count = moves[&next];
        if count == rings {
            continue;
        }
        for (_, n) in grid.neighbors(next) {
            moves.entry(n).or_insert_with(|| {
                queue.push_back(n);
                count + 1
            });
        }
    }
    moves.into_keys().collect()
}

#[test]
fn halos_hold_the_cells_that_few_moves_reach() {
    for rings in [0, 1, 2, 3, 7] {
        // on the smaller, rings reach round the cube; on the others, over one border or around a corner
        for side in [5, 15, 16] {
            let globe = globe(side);
            for cell in globe.cells() {
                assert_eq!(globe.halo(cell, rings), halo_by_distance(&globe, cell, rings));
            }
        }
        let map = Flat::new(7, 4, 1.0).unwrap();
        for cell in map.cells() {
            assert_eq!(map.halo(cell, rings), halo_by_distance(&map, cell, rings));
        }
    }
}

#[test]
fn constructors_reject_what_cannot_be() {
    for n in [0, 1, Globe::MAX_SIDE + 1, u32::MAX] {
        assert!(matches!(Globe::new(n, RADIUS_M), Err(GridError::Side { cols, .. }) if cols == n));
    }
    for radius in [0.0, -1.0, 999.0, 1.1e9, f64::NAN, f64::INFINITY] {
        assert!(matches!(Globe::new(8, radius), Err(GridError::Length { .. })), "{radius}");
    }
    for (cols, rows) in [(0, 5), (5, 0), (65_536, 1), (1, u32::MAX)] {
        assert!(matches!(Flat::new(cols, rows, 1.0), Err(GridError::Side { .. })), "{cols} {rows}");
    }
    for cell_m in [0.0, -25.0, 1e8, f64::NAN, f64::INFINITY] {
        assert!(matches!(Flat::new(5, 5, cell_m), Err(GridError::Length { .. })), "{cell_m}");
    }
    assert_eq!(globe(Globe::MAX_SIDE).len(), 6 * 8_192 * 8_192);
    assert_eq!(Flat::new(65_535, 65_535, 1.0).unwrap().len(), 65_535 * 65_535);
}

/// Addresses at the very ends of the largest grids stay within their bits.
#[test]
fn the_largest_grids_keep_their_addresses_apart() {
    let globe = globe(Globe::MAX_SIDE);
    let last = Cell::from_index(globe.len() - 1);
    for cell in [Cell(0), last, Cell(globe.side() - 1)] {
        assert_eq!(globe.locate(globe.center(cell)), Some(cell));
        let (along, down) = place_of(Direction::SE);
        let corner = globe.vertex_position(globe.vertex(cell, Direction::SE).unwrap());
        assert!(corner.distance(globe.within(cell, along, down)) < 1e-12);
    }
    let map = Flat::new(65_535, 65_535, 1.0).unwrap();
    let last = Cell::from_index(map.len() - 1);
    assert_eq!(map.locate(map.center(last)), Some(last));
    assert_eq!(map.vertex_position(map.vertex(last, Direction::SE).unwrap()), Vec3::new(65_535.0, 0.0, 0.0));
}

/// A globe and a cell near the border of a face, where stepping is hard.
fn any_border_cell() -> impl Strategy<Value = (Globe, Cell)> {
    (2u32..2_000).prop_flat_map(|n| {
        let near = prop_oneof![0..n.min(2), n.saturating_sub(2)..n];
        (Just(globe(n)), 0u32..6, near, 0..n, any::<bool>()).prop_map(move |(g, f, near, any, turned)| {
            let (row, col) = if turned { (near, any) } else { (any, near) };
            (g, Cell((f * n + row) * n + col))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn steps_near_face_borders_come_back((globe, cell) in any_border_cell()) {
        for direction in Direction::ALL {
            if let Some(step) = globe.step(cell, direction) {
                let home = globe.step(step.cell, step.back).unwrap();
                prop_assert_eq!((home.cell, home.back), (cell, direction));
                if direction.is_side() {
                    prop_assert_eq!(globe.edge(cell, direction), globe.edge(step.cell, step.back));
                }
                let reach = globe.cell_distance_m(cell, step.cell) / globe.cell_m();
                prop_assert!((0.5..2.2).contains(&reach), "{} cells away", reach);
            }
        }
    }

    #[test]
    fn the_enum_answers_as_its_parts_do((grid, cell) in any_cell(), a in 0.0..1.0, d in 0.0..1.0) {
        let same = match &grid {
            Topology::Globe(g) => answers(g, cell, a, d),
            Topology::Flat(g) => answers(g, cell, a, d),
        };
        prop_assert_eq!(answers(&grid, cell, a, d), same);
    }
}

/// Every answer of a grid at a place, as text.
fn answers(grid: &impl Grid, cell: Cell, along: f64, down: f64) -> String {
    let steps = Direction::ALL.map(|d| (grid.step(cell, d), grid.vertex(cell, d), grid.edge(cell, d)));
    let p = grid.within(cell, along, down);
    let on_edge = grid.along_edge(grid.edge(cell, Direction::S).unwrap(), along);
    let far = grid.distance_m(p, grid.center(Cell(0)));
    let sizes = (grid.shape(), grid.metres_per_unit(), grid.cell_m(), grid.area_m2(cell));
    format!("{steps:?} {p:?} {on_edge:?} {:?} {far} {sizes:?}", grid.locate(p))
}
