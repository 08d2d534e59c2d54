//! Positions, areas and distances are those of the sphere and of the plane.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{RADIUS_M, SIDES, any_cell, flats, globe, globes, place_of};
use grid::math::{acos, angle};
use grid::{Cell, Direction, Flat, Grid, Vec3};
use proptest::prelude::*;
use std::f64::consts::PI;

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
}
