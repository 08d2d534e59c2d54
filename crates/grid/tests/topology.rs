//! The grid itself: neighbours, addresses, positions and areas agree from every side.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use grid::math::{acos, angle};
use grid::{Cell, Direction, Edge, Flat, Globe, Grid, GridError, Topology, Vec3, Vertex};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

const RADIUS_M: f64 = 6_371_000.0;
const SIDES: [u32; 7] = [2, 3, 4, 5, 8, 16, 17];
const MAPS: [(u32, u32); 7] = [(1, 1), (1, 7), (9, 1), (2, 2), (3, 5), (17, 4), (13, 31)];

fn globe(n: u32) -> Globe {
    Globe::new(n, RADIUS_M).unwrap()
}

fn globes() -> impl Iterator<Item = Globe> {
    SIDES.into_iter().map(globe)
}

fn flats() -> impl Iterator<Item = Flat> {
    MAPS.into_iter().map(|(cols, rows)| Flat::new(cols, rows, 25.0).unwrap())
}

/// Face, row and column from the index alone.
fn split(globe: &Globe, cell: Cell) -> (u32, u32, u32) {
    let n = globe.side();
    (cell.0 / (n * n), cell.0 / n % n, cell.0 % n)
}

fn face(globe: &Globe, cell: Cell) -> u32 {
    split(globe, cell).0
}

/// Where the corner of a cell lies, as `along` and `down`.
fn place_of(corner: Direction) -> (f64, f64) {
    let (dr, dc) = corner.offset();
    ((dc + 1) as f64 / 2.0, (dr + 1) as f64 / 2.0)
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

/// `scale`: the size of positions on this grid.
fn assert_positions_agree(grid: &impl Grid, scale: f64) {
    for cell in grid.cells() {
        for corner in Direction::CORNERS {
            let (along, down) = place_of(corner);
            let vertex = grid.vertex_position(grid.vertex(cell, corner).unwrap());
            assert!(vertex.distance(grid.within(cell, along, down)) <= 1e-12 * scale, "{cell:?} {corner:?}");
        }
        for side in Direction::SIDES {
            let edge = grid.edge(cell, side).unwrap();
            let ends = [side.turned(7), side.turned(1)].map(|c| grid.vertex(cell, c).unwrap());
            let (low, high) = edge.ends();
            assert!(low < high && (ends == [low, high] || ends == [high, low]));
            assert!(grid.along_edge(edge, 0.0).distance(grid.vertex_position(low)) <= 1e-15 * scale);
            assert!(grid.along_edge(edge, 1.0).distance(grid.vertex_position(high)) <= 1e-15 * scale);
            let parts = [0.0, 0.25, 0.5, 0.75, 1.0].map(|t| grid.along_edge(edge, t));
            let whole = grid.distance_m(parts[0], parts[4]);
            let sum: f64 = parts.windows(2).map(|p| grid.distance_m(p[0], p[1])).sum();
            assert!((sum / whole - 1.0).abs() < 1e-12, "the edge is not straight");
        }
    }
}

#[test]
fn vertices_lie_on_the_corners_of_their_cells() {
    globes().for_each(|g| assert_positions_agree(&g, 1.0));
    flats().for_each(|g| assert_positions_agree(&g, 1000.0));
}

#[test]
fn every_position_of_a_globe_is_a_unit_vector() {
    for globe in globes() {
        for cell in globe.cells() {
            assert!((globe.center(cell).length() - 1.0).abs() < 1e-15);
            assert!((globe.within(cell, 0.1, 0.9).length() - 1.0).abs() < 1e-15);
            for edge in Direction::SIDES.map(|side| globe.edge(cell, side).unwrap()) {
                assert!((globe.along_edge(edge, 0.4).length() - 1.0).abs() < 1e-15);
            }
        }
    }
}

fn assert_centers_are_located(grid: &impl Grid) {
    for cell in grid.cells() {
        assert_eq!(grid.locate(grid.center(cell)), Some(cell));
        assert_eq!(grid.center(cell), grid.within(cell, 0.5, 0.5));
    }
}

#[test]
fn centers_are_located() {
    globes().for_each(|g| assert_centers_are_located(&g));
    flats().for_each(|g| assert_centers_are_located(&g));
    assert_centers_are_located(&globe(128));
}

#[test]
fn directions_run_clockwise_seen_from_outside() {
    for globe in globes() {
        for cell in globe.cells() {
            let here = globe.center(cell);
            let towards = |d| globe.neighbor(cell, d).map(|c| globe.center(c) - here);
            for direction in Direction::ALL {
                if let (Some(a), Some(b)) = (towards(direction), towards(direction.turned(1))) {
                    assert!(a.cross(b).dot(here) < 0.0, "{cell:?} {direction:?}");
                }
            }
        }
    }
}

#[test]
fn north_is_up_and_east_is_right_on_the_equator() {
    let globe = globe(8);
    for lon in [2.0, 92.0, -178.0, -88.0] {
        let here = globe.locate(globe.at_lon_lat(lon, 2.0)).unwrap();
        let lon_lat = |d| grid::math::to_lon_lat(globe.center(globe.neighbor(here, d).unwrap()));
        assert!(lon_lat(Direction::N).1 > 10.0 && lon_lat(Direction::S).1 < -5.0);
        assert!(
            lon_lat(Direction::E).0 > lon + 10.0 && (lon_lat(Direction::W).0 - lon + 360.0) % 360.0 > 350.0
        );
    }
}

#[test]
fn places_that_are_nowhere_have_no_cell() {
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for globe in globes() {
        assert_eq!(globe.locate(Vec3::default()), None);
        assert_eq!(globe.locate(Vec3::new(-0.0, 0.0, -0.0)), None);
        for b in bad {
            for p in [Vec3::new(b, 0.0, 1.0), Vec3::new(0.5, b, 0.0), Vec3::new(1.0, 1.0, b)] {
                assert_eq!(globe.locate(p), None, "{p:?}");
            }
        }
    }
    let map = Flat::new(3, 5, 25.0).unwrap();
    for b in bad.into_iter().chain([-1e-9, 125.0 + 1e-9]) {
        assert_eq!(map.locate(Vec3::new(b, 10.0, 0.0)), None);
        assert_eq!(map.locate(Vec3::new(10.0, b, 0.0)), None);
    }
    assert_eq!(map.locate(Vec3::new(0.0, 0.0, 0.0)), Some(Cell(12)));
    assert_eq!(map.locate(Vec3::new(75.0, 125.0, 0.0)), Some(Cell(2)));
}

/// Area of a triangle of great circles on the unit sphere: its angles' excess over pi (Girard 1629).
fn triangle(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    let corner = |p: Vec3, q: Vec3, r: Vec3| {
        let (u, v) = (p.cross(q).normalized(), p.cross(r).normalized());
        angle(u, v)
    };
    corner(a, b, c) + corner(b, c, a) + corner(c, a, b) - PI
}

#[test]
fn areas_are_those_of_two_triangles_of_great_circles() {
    for globe in globes() {
        for cell in globe.cells() {
            let [nw, ne, se, sw] =
                [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(a, d)| globe.within(cell, a, d));
            let expected = (triangle(nw, ne, se) + triangle(nw, se, sw)) * RADIUS_M * RADIUS_M;
            assert!((globe.area_m2(cell) / expected - 1.0).abs() < 1e-10, "{cell:?}");
        }
    }
}

#[test]
fn areas_sum_to_the_sphere_and_differ_little() {
    let sphere = 4.0 * PI * RADIUS_M * RADIUS_M;
    for n in SIDES.into_iter().chain([33, 128, 512]) {
        let globe = globe(n);
        let areas: Vec<f64> = globe.cells().map(|c| globe.area_m2(c)).collect();
        assert!((areas.iter().sum::<f64>() / sphere - 1.0).abs() < 1e-9, "N = {n}");
        let (least, most) = areas.iter().fold((f64::MAX, 0.0f64), |(l, m), &a| (l.min(a), m.max(a)));
        assert!(most / least < 1.42, "N = {n}: {}", most / least);
        let mean = sphere / areas.len() as f64;
        assert!((globe.cell_m() * globe.cell_m() / mean - 1.0).abs() < 1e-12);
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

/// Cells within `rings` king's moves, from the number of moves to every cell (breadth first).
fn halo_by_distance(grid: &impl Grid, cell: Cell, rings: usize) -> Vec<Cell> {
    let mut moves = BTreeMap::from([(cell, 0)]);
    let mut queue = std::collections::VecDeque::from([cell]);
    while let Some(next) = queue.pop_front() {
        let count = moves[&next];
        for (_, n) in grid.neighbors(next) {
            moves.entry(n).or_insert_with(|| {
                queue.push_back(n);
                count + 1
            });
        }
    }
    moves.into_iter().filter(|&(_, count)| count <= rings).map(|(c, _)| c).collect()
}

#[test]
fn halos_hold_the_cells_that_few_moves_reach() {
    for rings in [0, 1, 2, 3, 7] {
        let globe = globe(5);
        for cell in globe.cells() {
            assert_eq!(globe.halo(cell, rings), halo_by_distance(&globe, cell, rings));
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

fn any_topology() -> impl Strategy<Value = Topology> {
    prop_oneof![
        (2u32..600).prop_map(|n| Topology::Globe(globe(n))),
        (1u32..300, 1u32..300, 0.5f64..5e4).prop_map(|(c, r, m)| Topology::Flat(Flat::new(c, r, m).unwrap())),
    ]
}

/// A topology and the index of a cell of it.
fn any_cell() -> impl Strategy<Value = (Topology, Cell)> {
    any_topology().prop_flat_map(|t| {
        let len = t.len();
        (Just(t), (0..len).prop_map(Cell::from_index))
    })
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

/// Longitude and latitude of a place, all places equally likely.
fn any_place() -> impl Strategy<Value = (f64, f64)> {
    (-180.0..180.0f64, -1.0..1.0f64).prop_map(|(lon, z)| (lon, grid::math::asin(z) * 180.0 / PI))
}

/// Great-circle distance by the haversine formula, in radians.
fn haversine(a: (f64, f64), b: (f64, f64)) -> f64 {
    let rad = PI / 180.0;
    let half = |x: f64| grid::math::pow(grid::math::sin(x / 2.0), 2.0);
    let (la, lb) = (a.1 * rad, b.1 * rad);
    let h = half(lb - la) + grid::math::cos(la) * grid::math::cos(lb) * half((b.0 - a.0) * rad);
    2.0 * grid::math::asin(h.min(1.0).sqrt())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn places_within_a_cell_are_located_in_it((grid, cell) in any_cell(), a in 1e-6..0.999_999, d in 1e-6..0.999_999) {
        prop_assert_eq!(grid.locate(grid.within(cell, a, d)), Some(cell));
    }

    #[test]
    fn the_length_of_a_position_does_not_move_it((lon, lat) in any_place(), n in 2u32..600, size in -300i32..300) {
        let globe = globe(n);
        let p = globe.at_lon_lat(lon, lat);
        let scale = grid::math::pow(2.0, f64::from(size));
        prop_assert_eq!(globe.locate(p), globe.locate(p * scale));
    }

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
    fn distances_are_great_circles(a in any_place(), b in any_place()) {
        let globe = globe(8);
        let [p, q] = [a, b].map(|(lon, lat)| globe.at_lon_lat(lon, lat));
        prop_assert_eq!(globe.distance_m(p, q), globe.distance_m(q, p));
        let radians = globe.distance_m(p, q) / RADIUS_M;
        // Neither formula is sharp everywhere: the haversine loses half its digits at the antipodes.
        let tolerance = if radians < 3.0 { 1e-14 } else { 1e-7 };
        prop_assert!((radians - haversine(a, b)).abs() < tolerance, "{radians} {}", haversine(a, b));
        if (0.1..3.0).contains(&radians) {
            prop_assert!((radians - acos(p.dot(q))).abs() < 1e-14);
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
