//! Grids for somebody's raster: oblong cells in metres, and cells of longitude and latitude.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use grid::math::{asin, cos, sin};
use grid::{Cell, Direction, Flat, Grid, GridError, LonLat, Vec3};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::f64::consts::PI;

const RADIUS_M: f64 = 6_371_000.0;

fn whole_sphere(cols: u32, rows: u32, west_deg: f64) -> LonLat {
    let (x, y) = (360.0 / f64::from(cols), 180.0 / f64::from(rows));
    LonLat::new(cols, rows, west_deg, 90.0, x, y, RADIUS_M).unwrap()
}

/// Rasters that go around and that do not, that touch a pole, both, or none, down to single cells.
fn rasters() -> Vec<LonLat> {
    let part = |cols, rows, west, north, x, y| LonLat::new(cols, rows, west, north, x, y, RADIUS_M).unwrap();
    vec![
        whole_sphere(1, 1, -180.0),
        whole_sphere(2, 3, -180.0),
        whole_sphere(3, 1, 0.0),
        whole_sphere(3, 4, 17.0),
        whole_sphere(36, 18, -180.0),
        whole_sphere(7, 11, 0.0),
        part(9, 5, 5.0, 48.0, 0.01, 0.02),
        part(13, 6, 170.0, -80.0, 2.0, 5.0 / 3.0),
        part(1, 8, -10.0, 4.0, 1.0, 1.0),
        part(8, 1, -10.0, 90.0, 45.0, 1.0),
        part(12, 20, 11.0, 47.0, 1.0 / 3600.0, 1.0 / 3600.0),
    ]
}

fn oblongs() -> Vec<Flat> {
    let sizes = [(1, 1), (1, 6), (7, 1), (5, 9), (12, 4)];
    sizes.into_iter().map(|(c, r)| Flat::oblong(c, r, 20.0, 31.0).unwrap()).collect()
}

fn assert_neighbours_are_symmetric(grid: &impl Grid) {
    for cell in grid.cells() {
        let mut seen = BTreeSet::from([cell]);
        for direction in Direction::ALL {
            let Some(step) = grid.step(cell, direction) else { continue };
            assert!(step.cell.index() < grid.len());
            let home = grid.step(step.cell, step.back).unwrap();
            assert_eq!((home.cell, home.back), (cell, direction), "{cell:?} {direction:?}");
            assert!(seen.insert(step.cell), "{cell:?} reaches {:?} twice", step.cell);
            if direction.is_side() {
                assert_eq!(grid.edge(cell, direction), grid.edge(step.cell, step.back));
            } else {
                assert_eq!(grid.vertex(cell, direction), grid.vertex(step.cell, step.back));
            }
        }
    }
}

/// Distance by the haversine formula, from longitudes and latitudes.
fn haversine_m(a: (f64, f64), b: (f64, f64)) -> f64 {
    let half = |degrees: f64| sin(degrees * PI / 360.0) * sin(degrees * PI / 360.0);
    let across = cos(a.1 * PI / 180.0) * cos(b.1 * PI / 180.0) * half(b.0 - a.0);
    2.0 * RADIUS_M * asin((half(b.1 - a.1) + across).sqrt().min(1.0))
}

/// The spacing of rows is what lies between centres, and one number for both ends.
fn assert_spacings_are_distances(grid: &impl Grid) {
    let row = |c: Cell| grid.shape().split(c).1;
    for cell in grid.cells() {
        let here = grid.row_spacing_m(row(cell)).unwrap();
        assert!(here.iter().all(|d| d.is_finite() && *d > 0.0));
        for direction in Direction::ALL {
            let Some(step) = grid.step(cell, direction) else { continue };
            let spacing = here[direction.index()];
            let back = grid.row_spacing_m(row(step.cell)).unwrap()[step.back.index()];
            assert_eq!(spacing.to_bits(), back.to_bits(), "{cell:?} {direction:?}");
            let distance = grid.cell_distance_m(cell, step.cell);
            assert!((spacing / distance - 1.0).abs() < 1e-9, "{cell:?} {direction:?}: {spacing} {distance}");
        }
    }
}

fn assert_places_are_found(grid: &impl Grid, scale: f64) {
    for cell in grid.cells() {
        assert_eq!(grid.center(cell), grid.within(cell, 0.5, 0.5));
        assert_eq!(grid.locate(grid.center(cell)), Some(cell));
        for (along, down) in [(0.01, 0.01), (0.99, 0.02), (0.3, 0.98)] {
            assert_eq!(grid.locate(grid.within(cell, along, down)), Some(cell), "{cell:?} {along} {down}");
        }
        for corner in Direction::CORNERS {
            let (dr, dc) = corner.offset();
            let place = grid.within(cell, (dc + 1) as f64 / 2.0, (dr + 1) as f64 / 2.0);
            let vertex = grid.vertex_position(grid.vertex(cell, corner).unwrap());
            assert!(vertex.distance(place) <= 1e-12 * scale, "{cell:?} {corner:?}");
        }
        for (side, along, down) in [
            (Direction::N, 0.5, 0.0),
            (Direction::E, 1.0, 0.5),
            (Direction::S, 0.5, 1.0),
            (Direction::W, 0.0, 0.5),
        ] {
            let middle = grid.along_edge(grid.edge(cell, side).unwrap(), 0.5);
            assert!(middle.distance(grid.within(cell, along, down)) <= 1e-12 * scale, "{cell:?} {side:?}");
        }
    }
}

#[test]
fn neighbours_are_symmetric() {
    rasters().iter().for_each(assert_neighbours_are_symmetric);
    oblongs().iter().for_each(assert_neighbours_are_symmetric);
}

#[test]
fn spacings_are_distances_and_equal_from_both_ends() {
    rasters().iter().for_each(assert_spacings_are_distances);
    oblongs().iter().for_each(assert_spacings_are_distances);
    assert_spacings_are_distances(&Flat::new(4, 5, 30.0).unwrap());
}

#[test]
fn places_are_found_again() {
    rasters().iter().for_each(|g| assert_places_are_found(g, 1.0));
    oblongs().iter().for_each(|g| assert_places_are_found(g, 300.0));
}

#[test]
fn spacings_are_great_circles_by_the_haversine() {
    let grid = LonLat::new(10, 170, 5.0, 85.0, 0.5, 1.0, RADIUS_M).unwrap();
    let place = |row: i64, col: i64| (5.25 + 0.5 * col as f64, 84.5 - row as f64);
    for row in 1..169 {
        let spacing = grid.row_spacing_m(row).unwrap();
        for direction in Direction::ALL {
            let (dr, dc) = direction.offset();
            let expected = haversine_m(place(i64::from(row), 4), place(i64::from(row) + dr, 4 + dc));
            assert!((spacing[direction.index()] / expected - 1.0).abs() < 1e-11, "row {row} {direction:?}");
        }
    }
    let degree = grid.row_spacing_m(3).unwrap()[0];
    assert!((degree - 111_194.926_644_6).abs() < 1e-6, "a degree of a meridian: {degree}");
}

#[test]
fn oblong_cells_have_their_sides() {
    let grid = Flat::oblong(4, 3, 30.0, 40.0).unwrap();
    assert_eq!(grid.row_spacing_m(1), Some([40.0, 50.0, 30.0, 50.0, 40.0, 50.0, 30.0, 50.0]));
    assert_eq!((grid.area_m2(Cell(5)), grid.extent_m()), (1200.0, (120.0, 120.0)));
    assert_eq!(grid.center(Cell(5)), Vec3::new(45.0, 60.0, 0.0));
    assert!((grid.cell_m() * grid.cell_m() - 1200.0).abs() < 1e-9);
    assert_eq!(grid.locate(Vec3::new(119.0, 1.0, 0.0)), Some(Cell(11)));
    assert_eq!(grid.locate(Vec3::new(31.0, 119.0, 0.0)), Some(Cell(1)));
    assert_eq!(grid.locate(Vec3::new(31.0, 121.0, 0.0)), None);
}

#[test]
fn square_cells_are_as_before() {
    for cell_m in [30.0, 25.3, 0.1, 19_987.654_321] {
        let (square, oblong) =
            (Flat::new(7, 5, cell_m).unwrap(), Flat::oblong(7, 5, cell_m, cell_m).unwrap());
        assert_eq!(square, oblong);
        let diagonal = cell_m * std::f64::consts::SQRT_2;
        let spacing = [cell_m, diagonal, cell_m, diagonal, cell_m, diagonal, cell_m, diagonal];
        assert_eq!(square.row_spacing_m(2), Some(spacing));
        assert_eq!((square.cell_m(), square.area_m2(Cell(3))), (cell_m, cell_m * cell_m));
    }
}

#[test]
fn areas_sum_to_the_sphere() {
    for (cols, rows) in [(1, 1), (2, 3), (3, 1), (36, 18), (7, 11), (360, 180), (1440, 721)] {
        let grid = whole_sphere(cols, rows, -180.0);
        let sphere = 4.0 * PI * RADIUS_M * RADIUS_M;
        let sum: f64 = grid.cells().map(|c| grid.area_m2(c)).sum();
        assert!((sum / sphere - 1.0).abs() < 1e-12, "{cols} x {rows}: {sum}");
        assert!((grid.cell_m() * grid.cell_m() * grid.len() as f64 / sphere - 1.0).abs() < 1e-12);
    }
}

#[test]
fn areas_are_those_between_parallels() {
    for grid in rasters() {
        for cell in grid.cells() {
            let [(west, north), (east, south)] =
                [(0.1, 0.0), (0.9, 1.0)].map(|(a, d)| grid::math::to_lon_lat(grid.within(cell, a, d)));
            let rad = PI / 180.0;
            let dlon = (east - west).rem_euclid(360.0) / 0.8 * rad;
            let expected = RADIUS_M * RADIUS_M * dlon * (sin(north * rad) - sin(south * rad));
            assert!((grid.area_m2(cell) / expected - 1.0).abs() < 1e-9, "{cell:?}");
        }
    }
}

#[test]
fn east_continues_in_the_west_where_the_circle_is_full() {
    let cells = |cols: u32, step: f64| LonLat::new(cols, 4, -180.0, 60.0, step, 1.0, RADIUS_M).unwrap();
    let full = cells(36, 10.0);
    assert!(full.goes_around());
    assert_eq!(full.neighbor(Cell(36 + 35), Direction::E), Some(Cell(36)));
    assert_eq!(full.neighbor(Cell(36), Direction::NW), Some(Cell(35)));
    assert!(!full.at_border(Cell(36)) && full.at_border(Cell(0)) && full.at_border(Cell(3 * 36)));
    // A header's rounding does not open it, a missing column does.
    assert!(cells(36, 10.0 - 1e-5).goes_around() && cells(36, 10.0 + 1e-5).goes_around());
    assert!(cells(43_200, 0.008_333_333_333).goes_around());
    for open in [cells(35, 10.0), cells(36, 9.999)] {
        assert!(
            !open.goes_around() && open.neighbor(Cell(2 * open.shape().cols - 1), Direction::E).is_none()
        );
    }
    // With two columns one cell would lie on both sides.
    assert!(cells(3, 120.0).goes_around() && !cells(2, 180.0).goes_around());
    assert_eq!(full.locate(full.at_lon_lat(180.0, 59.5)), Some(Cell(0)));
    assert_eq!(full.locate(full.at_lon_lat(-180.0 - 1e-9, 59.5)), Some(Cell(35)));
}

#[test]
fn poles_are_borders() {
    let grid = whole_sphere(36, 18, -180.0);
    for col in 0..36 {
        let (north, south) = (Cell(col), Cell(17 * 36 + col));
        for turned in [7, 0, 1] {
            assert_eq!(grid.neighbor(north, Direction::N.turned(turned)), None);
            assert_eq!(grid.neighbor(south, Direction::S.turned(turned)), None);
        }
        assert!(grid.at_border(north) && grid.at_border(south) && !grid.at_border(Cell(36 + col)));
    }
    for pole in [90.0, -90.0] {
        let row = grid.locate(grid.at_lon_lat(33.0, pole)).map(|c| grid.shape().split(c).1);
        assert_eq!(row, Some(if pole > 0.0 { 0 } else { 17 }));
    }
}

#[test]
fn places_outside_have_no_cell() {
    let grid = LonLat::new(9, 5, 5.0, 48.0, 1.0, 2.0, RADIUS_M).unwrap();
    for (lon, lat) in
        [(4.999, 45.0), (14.001, 45.0), (-170.0, 45.0), (8.0, 48.001), (8.0, 37.999), (8.0, 90.0)]
    {
        assert_eq!(grid.locate(grid.at_lon_lat(lon, lat)), None, "{lon} {lat}");
    }
    assert_eq!(grid.locate(grid.at_lon_lat(5.0, 48.0)), Some(Cell(0)));
    assert_eq!(grid.locate(grid.at_lon_lat(14.0, 38.0)), Some(Cell(44)));
    for bad in [0.0, f64::NAN, f64::INFINITY] {
        assert_eq!(grid.locate(Vec3::new(bad, 0.0, 0.0)), None);
    }
}

#[test]
fn rasters_that_cannot_be_are_refused_with_what_would_be_right() {
    let message =
        |west, north, x, y| LonLat::new(36, 18, west, north, x, y, RADIUS_M).unwrap_err().to_string();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    assert_eq!(
        message(-180.0, 95.0, 10.0, 5.0),
        "the northern side is 95 degrees; it must be a number from 0 to 90"
    );
    assert_eq!(
        message(-180.0, -1.0, 10.0, 5.0),
        "the northern side is -1 degrees; it must be a number from 0 to 90"
    );
    assert_eq!(
        message(-180.0, 90.0, 11.0, 5.0),
        "the width of a cell is 11 degrees; it must be a number from 0.00000001 to 10"
    );
    assert_eq!(
        message(-180.0, 90.0, 10.0, 10.5),
        "the height of a cell is 10.5 degrees; it must be a number from 0.00000001 to 10"
    );
    for (west, north, x, y) in [
        (nan, 90.0, 1.0, 1.0),
        (inf, 90.0, 1.0, 1.0),
        (361.0, 90.0, 1.0, 1.0),
        (0.0, nan, 1.0, 1.0),
        (0.0, inf, 1.0, 1.0),
        (0.0, 90.0, nan, 1.0),
        (0.0, 90.0, -1.0, 1.0),
        (0.0, 90.0, 0.0, 1.0),
        (0.0, 90.0, 1.0, inf),
        (0.0, 90.0, 1.0, -1.0),
    ] {
        let refused = LonLat::new(36, 18, west, north, x, y, RADIUS_M).unwrap_err();
        assert!(matches!(refused, GridError::Degrees { .. }), "{refused}");
    }
    for radius in [0.0, -1.0, nan, inf] {
        let refused = LonLat::new(36, 18, 0.0, 90.0, 1.0, 1.0, radius).unwrap_err();
        assert!(matches!(refused, GridError::Length { .. }), "{refused}");
    }
    for (cols, rows) in [(0, 1), (1, 0), (65_536, 1), (1, u32::MAX)] {
        let refused = LonLat::new(cols, rows, 0.0, 10.0, 1e-4, 1e-4, RADIUS_M).unwrap_err();
        assert!(matches!(refused, GridError::Side { .. }), "{refused}");
    }
    for (w, h) in [(0.0, 1.0), (1.0, 0.0), (nan, 1.0), (1.0, inf), (1e8, 1.0), (1.0, -2.0)] {
        assert!(matches!(Flat::oblong(3, 3, w, h), Err(GridError::Length { .. })), "{w} {h}");
    }
    assert!(matches!(Flat::oblong(0, 3, 1.0, 1.0), Err(GridError::Side { .. })));
}

#[test]
fn the_largest_rasters_have_fewer_than_all_addresses() {
    let side = Flat::MAX_SIDE;
    let (x, y) = (360.0 / f64::from(side), 180.0 / f64::from(side));
    let grid = LonLat::new(side, side, -180.0, 90.0, x, y, RADIUS_M).unwrap();
    assert!(grid.len() < u32::MAX as usize && grid.goes_around());
    let last = Cell::from_index(grid.len() - 1);
    assert_eq!(grid.locate(grid.center(last)), Some(last));
    assert_eq!(grid.neighbor(last, Direction::E), Some(Cell(last.0 - (side - 1))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn places_are_found_in_their_cells(
        cols in 1u32..5_000, rows in 1u32..5_000, share in 0.01f64..1.0, west in -360.0..360.0f64,
        at in (0.0..1.0f64, 0.0..1.0f64), within in (1e-3..0.999f64, 1e-3..0.999f64),
    ) {
        let (x, y) = (share * 360.0 / f64::from(cols), share * 180.0 / f64::from(rows));
        let grid = LonLat::new(cols, rows, west, 90.0 * share, x, y, RADIUS_M).unwrap();
        let cell = grid.shape().join(0, (at.0 * f64::from(rows)) as u32, (at.1 * f64::from(cols)) as u32);
        prop_assert_eq!(grid.locate(grid.within(cell, within.0, within.1)), Some(cell));
    }
}
