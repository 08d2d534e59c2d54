//! Slopes and indices where the answer is known.

use grid::math::{atan2, cos, log, pow, sin, to_lon_lat};
use grid::{Cell, Direction, Draw, Field, Flat, Globe, Grid, LonLat, Nth, Purpose, Seed};
use hydro::{NONE, terrain};
use std::f64::consts::{PI, TAU};

fn sheet(map: &impl Grid, height: impl Fn(f64, f64) -> f64 + Sync) -> Field<f32> {
    Field::from_fn(map.shape(), |c| height(map.center(c).x, map.center(c).y) as f32)
}

fn turn(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

#[test]
fn a_plane_has_its_slope_and_aspect_everywhere() {
    for (width, height) in [(1.0, 1.0), (30.0, 30.0), (30.0, 47.0)] {
        let map = Flat::oblong(4, 5, width, height).expect("in range");
        for k in 0..360 {
            let azimuth = f64::from(k) * TAU / 360.0;
            let z = sheet(&map, |x, y| -0.25 * (x * sin(azimuth) + y * cos(azimuth)));
            let (slope, aspect) = (terrain::slope(&map, &z), terrain::aspect_rad(&map, &z));
            for cell in map.cells() {
                assert!((f64::from(slope[cell]) - 0.25).abs() < 1e-6, "{cell:?}: {}", slope[cell]);
                let error = turn(f64::from(aspect[cell]) - azimuth);
                assert!(error.abs() < 5e-6, "{cell:?}: {azimuth} {}", aspect[cell]);
                assert!((0.0..TAU as f32 + 1e-6).contains(&aspect[cell]));
            }
        }
    }
}

/// Gaps, borders and corners do not bend a plane; with neighbours on one line only that line is known.
#[test]
fn a_plane_with_gaps_is_still_a_plane() {
    const GAPS: Purpose = Purpose::new("hydro/tests/terrain-gaps");
    let map = Flat::oblong(6, 6, 10.0, 14.0).expect("in range");
    let whole = sheet(&map, |x, y| 0.3 * x - 0.4 * y);
    for number in 0..500 {
        let mut draw: Draw = Seed(3).key(GAPS).at(Nth(number));
        let mut z = whole.clone();
        map.cells().filter(|_| draw.unit() < 0.5).for_each(|c| z[c] = f32::NAN);
        let slope = terrain::slope(&map, &z);
        for cell in map.cells() {
            let known: Vec<Direction> =
                map.neighbors(cell).filter(|&(_, n)| !z[n].is_nan()).map(|(d, _)| d).collect();
            let spans = known.iter().any(|d| *d != known[0] && *d != known[0].opposite());
            if z[cell].is_nan() || known.is_empty() {
                assert!(slope[cell].is_nan());
            } else if spans {
                assert!((slope[cell] - 0.5).abs() < 1e-5, "{number} {cell:?}: {}", slope[cell]);
            } else {
                let next = map.neighbor(cell, known[0]).expect("known");
                let expected = f64::from(z[next] - z[cell]).abs() / map.cell_distance_m(cell, next);
                assert!((f64::from(slope[cell]) - expected).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn inside_a_map_the_slope_is_that_of_horn() {
    const ROUGH: Purpose = Purpose::new("hydro/tests/terrain-rough");
    let (dx, dy) = (20.0, 35.0);
    let map = Flat::oblong(40, 30, dx, dy).expect("in range");
    let mut draw = Seed(1).key(ROUGH).at(Nth(0));
    let heights = map.cells().map(|_| draw.range(0.0, 100.0) as f32).collect();
    let z = Field::from_vec(map.shape(), heights).expect("one for each cell");
    let (slope, aspect) = (terrain::slope(&map, &z), terrain::aspect_rad(&map, &z));
    for cell in map.cells().filter(|&c| !map.at_border(c)) {
        let at = |d| f64::from(z[map.neighbor(cell, d).expect("inside")]);
        use Direction::{E, N, NE, NW, S, SE, SW, W};
        let x = ((at(NE) + 2.0 * at(E) + at(SE)) - (at(NW) + 2.0 * at(W) + at(SW))) / (8.0 * dx);
        let y = ((at(NW) + 2.0 * at(N) + at(NE)) - (at(SW) + 2.0 * at(S) + at(SE))) / (8.0 * dy);
        assert!((f64::from(slope[cell]) / (x * x + y * y).sqrt() - 1.0).abs() < 1e-6);
        assert!(turn(f64::from(aspect[cell]) - atan2(-x, -y)).abs() < 1e-6);
    }
}

/// Slope, aspect, and the longitude and latitude of each cell.
type Answers = (Field<f32>, Field<f32>, Vec<(f64, f64)>);

/// Height in proportion to latitude: the slope is the same everywhere, towards the equator or the pole.
#[test]
fn on_spheres_slopes_are_metres_per_metre() {
    let radius_m = 6.4e6;
    let per_m = 0.02;
    let check = |(slope, aspect, places): Answers, tolerance: f64| {
        for (i, &(_, lat)) in places.iter().enumerate() {
            if lat.abs() < 75.0 {
                let (slope, aspect) = (f64::from(slope.as_slice()[i]), f64::from(aspect.as_slice()[i]));
                assert!((slope / per_m - 1.0).abs() < tolerance, "{lat}: {slope}");
                assert!(turn(aspect - PI).abs() < tolerance, "{lat}: {aspect}");
            }
        }
    };
    fn answers(grid: &impl Grid, per_m: f64) -> Answers {
        let lat = |c| to_lon_lat(grid.center(c)).1;
        let z =
            Field::from_fn(grid.shape(), |c| (lat(c) * PI / 180.0 * grid.metres_per_unit() * per_m) as f32);
        let places = grid.cells().map(|c| to_lon_lat(grid.center(c))).collect();
        (terrain::slope(grid, &z), terrain::aspect_rad(grid, &z), places)
    }
    let globe = Globe::new(256, radius_m).expect("in range");
    check(answers(&globe, per_m), 2e-3);
    let raster = LonLat::new(720, 360, -180.0, 90.0, 0.5, 0.5, radius_m).expect("in range");
    check(answers(&raster, per_m), 1e-4);
    // To the east the length of a degree shrinks with the latitude.
    let raster = LonLat::new(60, 160, 0.0, 80.0, 0.5, 1.0, radius_m).expect("in range");
    let z = Field::from_fn(raster.shape(), |c| to_lon_lat(raster.center(c)).0 as f32 * 1000.0);
    let (slope, aspect) = (terrain::slope(&raster, &z), terrain::aspect_rad(&raster, &z));
    for cell in raster.cells().filter(|&c| !raster.at_border(c)) {
        let (_, lat) = to_lon_lat(raster.center(cell));
        let expected = 1000.0 / (radius_m * cos(lat * PI / 180.0) * PI / 180.0);
        assert!((f64::from(slope[cell]) / expected - 1.0).abs() < 4e-3, "{lat}");
        assert!(turn(f64::from(aspect[cell]) - 1.5 * PI).abs() < 1e-3);
    }
}

#[test]
fn level_ground_and_single_cells_have_no_aspect() {
    let map = Flat::new(3, 3, 1.0).expect("in range");
    let level = Field::filled(map.shape(), 7.0f32);
    assert!(terrain::slope(&map, &level).as_slice().iter().all(|&s| s == 0.0));
    assert!(terrain::aspect_rad(&map, &level).as_slice().iter().all(|a| a.is_nan()));
    let single = Flat::new(1, 1, 1.0).expect("in range");
    assert!(terrain::slope(&single, &Field::filled(single.shape(), 7.0))[Cell(0)].is_nan());
}

#[test]
fn slopes_along_receivers_are_drops_over_distances() {
    for number in 0..600 {
        let case = crate::common::case(number);
        let (flood, flow) = case.route();
        let (grid, z) = (&case.grid, &flood.filled);
        let slope = terrain::downslope(grid, z, &flow.receiver);
        for cell in grid.cells() {
            match flow.receiver_of(grid, cell) {
                None => assert!(slope[cell] == 0.0 || z[cell].is_nan() && slope[cell].is_nan()),
                Some(below) => {
                    let straight = grid.center(cell).distance(grid.center(below)) * grid.metres_per_unit();
                    let expected = (f64::from(z[cell]) - f64::from(z[below])) / straight;
                    assert!(
                        (f64::from(slope[cell]) - expected).abs() <= 1e-6 * expected.abs(),
                        "case {number}"
                    );
                }
            }
        }
    }
}

#[test]
fn indices_are_their_formulas() {
    let map = Flat::oblong(4, 1, 20.0, 5.0).expect("in range");
    let drainage = Field::from_vec(map.shape(), vec![100.0, 1000.0, 1e6, 400.0]).expect("four");
    let slope = Field::from_vec(map.shape(), vec![0.1, 0.0, 0.02, f32::NAN]).expect("four");
    let a = terrain::specific_area_m(&map, &drainage);
    assert_eq!(a.as_slice(), [10.0, 100.0, 1e5, 40.0]);
    let close = |found: &Field<f32>, expected: [f64; 3]| {
        assert!(found[Cell(3)].is_nan());
        for (&found, expected) in found.as_slice().iter().zip(expected) {
            assert!((f64::from(found) - expected).abs() <= 1e-6 * expected.abs(), "{found} {expected}");
        }
    };
    let wetness = terrain::wetness_index(&a, &slope, terrain::LEAST_SLOPE);
    close(&wetness, [log(100.0), log(1e5), log(5e6)]);
    close(&terrain::stream_power_index_m(&a, &slope), [1.0, 0.0, 2000.0]);
    // A cubic metre a second down 2 %: 196 watts on each metre.
    let discharge = Field::from_vec(map.shape(), vec![1.0, 5.0, 1.0, 1.0]).expect("four");
    close(&terrain::stream_power_w_m(&discharge, &slope), [980.665, 0.0, 196.133]);
    let factor = |a: f64, t: f64| pow(a / 22.13, 0.4) * pow(t / (1.0 + t * t).sqrt() / 0.0896, 1.3);
    close(&terrain::length_slope_factor(&a, &slope), [factor(10.0, 0.1), 0.0, factor(1e5, 0.02)]);
    // The plot of the universal equation itself has factor 1: 22.13 m at 9 %, whose sine is 0.0896.
    let plot = Field::filled(map.shape(), 22.13);
    let of_plot = terrain::length_slope_factor(&plot, &Field::filled(map.shape(), 0.09));
    assert!((of_plot[Cell(0)] - 1.0).abs() < 2e-3, "{}", of_plot[Cell(0)]);
}

/// On a plane along an axis the specific area is the length of slope above, so the index follows.
#[test]
fn on_a_plane_the_wetness_index_grows_with_the_length_above() {
    let map = Flat::new(5, 40, 10.0).expect("in range");
    let z = sheet(&map, |_, y| 0.05 * y);
    let mut receivers = Field::filled(map.shape(), Direction::S as u8);
    (0..5).for_each(|col| receivers[map.shape().join(0, 39, col)] = NONE);
    let links = hydro::Links::all(&map);
    let found = hydro::spread::d_infinity(&map, &links, &z, &receivers).expect("receivers lead to cells");
    let area = Field::from_fn(map.shape(), |c| map.area_m2(c));
    let drainage = hydro::spread::accumulate(&map, &found, &area).expect("no circle");
    let wetness = terrain::wetness_index(
        &terrain::specific_area_m(&map, &drainage),
        &terrain::slope(&map, &z),
        terrain::LEAST_SLOPE,
    );
    for cell in map.cells() {
        let row = map.shape().split(cell).1;
        let expected = log(10.0 * f64::from(row + 1) / 0.05);
        assert!((f64::from(wetness[cell]) - expected).abs() < 1e-5, "row {row}");
    }
}
