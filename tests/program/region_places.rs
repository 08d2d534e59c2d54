//! The built program: the ways to say which part of a world is wanted. Each gives the samples that it should, where it
//! should, and neighbours fit.

use crate::cli_support::{Desk, Grid};

/// Samples of a raster, bit for bit.
fn bits(grid: &Grid) -> Vec<u32> {
    grid.values.iter().map(|v| v.to_bits()).collect()
}

fn range(values: &[f32]) -> f32 {
    let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), &v| (low.min(v), high.max(v)));
    high - low
}

#[test]
fn a_rectangle_has_two_sides() {
    let desk = Desk::with_globe();
    desk.does("region globe.terrane -o wide.tif --at 20.3,10.4 --span 900,300 --resolution 9000");
    desk.does("region globe.terrane -o square.tif --at 20.3,10.4 --span 900 --resolution 9000");
    let (wide, square) = (desk.geotiff("wide.tif"), desk.geotiff("square.tif"));
    assert!((wide.width, square.width) == (square.height, square.height), "{wide:?}");
    assert!(wide.height == 33 || wide.height == 34, "{}", wide.height);
    assert_eq!(wide.assert_same_overlap(&square), wide.values.len());
}

/// Columns and rows of raw numbers on the desk, and where they lie.
fn raw(desk: &Desk, place: &str) -> (u64, u64, Vec<f64>) {
    desk.does(&format!("region globe.terrane -o a.r32 --method classic --quiet {place}"));
    let about = desk.json("a.r32.json");
    let at = &about["georeference"];
    let [width, height] = ["width", "height"].map(|side| about[side].as_u64().unwrap());
    let [west, north, step] = ["west", "north", "step_x"].map(|name| at[name].as_f64().unwrap());
    (width, height, vec![west, north - height as f64 * step, west + width as f64 * step, north])
}

#[test]
fn a_square_span_is_a_square_of_samples() {
    let desk = Desk::with_globe();
    let mut grown = 0;
    for at in ["10,45", "10.01,45", "-71.3,8.2", "30.3,20.2"] {
        let (width, height, _) = raw(&desk, &format!("--at={at} --span 60 --resolution 90"));
        assert!(width == height && (666..=667).contains(&width), "{at}: {width} x {height}");
        assert_eq!(raw(&desk, &format!("--at={at} --span 60,60 --resolution 90")).1, height);
        grown += u32::from(width == 667);
        let (width, height, _) = raw(&desk, &format!("--at={at} --span 60,30 --resolution 90"));
        assert!((666..=667).contains(&width) && (333..=334).contains(&height), "{at}: {width} x {height}");
    }
    assert!(grown > 0);
}

#[test]
fn a_box_of_the_whole_globe_has_each_place_once() {
    let desk = Desk::with_globe();
    let (width, height, bounds) = raw(&desk, "--bbox=-180,-90,180,90 --resolution 111000");
    assert_eq!((width, height), (360, 179));
    assert!(bounds[1] >= -90.0 && bounds[3] <= 90.0 && bounds[2] - bounds[0] <= 360.0, "{bounds:?}");
    let line = "region globe.terrane -o b.r32 --method classic --bbox=-180,-90,180,90 --resolution 111000";
    let said = desk.run(line.split(' ')).err;
    let closing = said.split("--resolution ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();
    let (width, height, bounds) = raw(&desk, &format!("--bbox=-180,-90,180,90 --resolution {closing}"));
    assert_eq!((width, height), (362, 181), "{said}");
    assert!((bounds[1] + 90.0).abs() < 1e-9 && (bounds[3] - 90.0).abs() < 1e-9, "{bounds:?}");
    assert!((bounds[2] - bounds[0] - 360.0).abs() < 1e-9, "{bounds:?}");
    let line = format!(
        "region globe.terrane -o b.r32 --method classic --bbox=-180,-90,180,90 --resolution {closing}"
    );
    assert!(!desk.run(line.split(' ')).err.contains("open"), "nothing is left open");
}

/// 512 samples of a tile are those of its four quarters, a zoom deeper, of 256 each.
#[test]
fn tiles_are_made_of_the_tiles_below_them() {
    let desk = Desk::with_globe();
    for (z, x, y) in [(2, 2, 1), (3, 0, 3), (4, 15, 2)] {
        desk.does(&format!("region globe.terrane -o whole.tif --tile {z}/{x}/{y} --tile-size 512"));
        let whole = desk.geotiff("whole.tif");
        assert_eq!((whole.width, whole.height), (512, 512));
        let mut seen = 0;
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            desk.does(&format!(
                "region globe.terrane -o part.tif --tile {}/{}/{}",
                z + 1,
                2 * x + dx,
                2 * y + dy
            ));
            seen += desk.geotiff("part.tif").assert_same_overlap(&whole);
        }
        assert_eq!(seen, 512 * 512);
        assert!(range(&whole.values) > 100.0);
    }
}

/// Where the standard map of the web has its tiles, in its own metres.
#[test]
fn tiles_lie_where_web_maps_have_them() {
    let desk = Desk::with_globe();
    let half = std::f64::consts::PI * 6_378_137.0;
    for (z, x, y) in [(0, 0, 0), (1, 1, 0), (5, 17, 11)] {
        desk.does(&format!("region globe.terrane -o tile.tif --tile {z}/{x}/{y}"));
        let tile = desk.geotiff("tile.tif");
        let side = 2.0 * half / f64::from(1 << z);
        assert!((tile.west - (f64::from(x) * side - half)).abs() < 1e-6 * side, "{}", tile.west);
        assert!((tile.north - (half - f64::from(y) * side)).abs() < 1e-6 * side, "{}", tile.north);
        assert!((tile.step - side / 256.0).abs() < 1e-9 * side);
    }
    // the same ground as in degrees: at the equator both have nearly the same spacing
    desk.does("region globe.terrane -o tile.tif --tile 5/17/15");
    desk.does("region globe.terrane -o box.tif --bbox 11.25,0,22.5,11.2 --resolution 4886");
    let (tile, degrees) = (desk.geotiff("tile.tif"), desk.geotiff("box.tif"));
    let (mut near, mut all) = (0, 0);
    for row in (130..250).step_by(5) {
        for column in (10..250).step_by(5) {
            let x = (tile.west + (column as f64 + 0.5) * tile.step) / 6_378_137.0;
            let y = (tile.north - (row as f64 + 0.5) * tile.step) / 6_378_137.0;
            let (lon, lat) = (x.to_degrees(), grid::math::atan(grid::math::sinh(y)).to_degrees());
            let (c, r) = ((lon - degrees.west) / degrees.step, (degrees.north - lat) / degrees.step);
            let there = degrees.values[r as usize * degrees.width + c as usize];
            let here = tile.values[row * tile.width + column];
            near += usize::from((here - there).abs() < 0.05 * range(&degrees.values));
            all += 1;
        }
    }
    assert!(near * 100 > all * 90, "{near} of {all}");
}

#[test]
fn cells_are_named_or_found_and_say_where_they_lie() {
    let desk = Desk::with_globe();
    desk.does("region globe.terrane -o found.r32 --cell-at 45.5,-3 --level 4 --layers elevation,temperature");
    let about = desk.json("found.r32.json");
    let notes = &about["notes"];
    assert_eq!((about["width"].as_u64(), about["height"].as_u64()), (Some(16), Some(16)));
    assert_eq!((notes["level"].as_str(), notes["world"].as_str()), (Some("4"), Some("earthlike")));
    // 45.5 E lies half a degree inside face 1, whose western side is at 45 E
    let cell = notes["cell"].as_str().unwrap();
    assert!(cell.starts_with("1/") && cell.ends_with("/0"), "{cell}");
    let corner = |name: &str| -> Vec<f64> {
        notes[name].as_str().unwrap().split(',').map(|v| v.parse().unwrap()).collect()
    };
    let (nw, se) = (corner("corner_nw"), corner("corner_se"));
    assert!((nw[0] - 45.0).abs() < 1e-9 && se[0] > 45.5, "{nw:?} {se:?}");
    assert!(nw[1] > -3.0 && se[1] < -3.0, "{nw:?} {se:?}");
    desk.does(&format!(
        "region globe.terrane -o named.r32 --cell {cell} --level 4 --layers elevation,temperature"
    ));
    assert_eq!(desk.bytes("found.r32"), desk.bytes("named.r32"));
    desk.does(&format!("region globe.terrane -o named.tif --cell {cell} --level 4"));
    let tif = desk.geotiff("named.tif");
    assert_eq!(bits(&tif), desk.raw("named.r32")[..256].iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    let text = String::from_utf8_lossy(&desk.bytes("named.tif")).into_owned();
    assert!(text.contains("corner_sw") && text.contains(cell), "the GeoTIFF says which cell it is");
}

#[test]
fn neighbouring_cells_fit_on_a_face_and_over_an_edge() {
    let desk = Desk::with_globe();
    // 3 at the end of a row of face 0 continues in face 1; both are 16 x 16
    for (west, east) in [("0/12/9", "0/12/10"), ("0/12/31", "1/12/0"), ("3/20/31", "0/20/0")] {
        for (name, cell) in [("west", west), ("east", east)] {
            desk.does(&format!(
                "region globe.terrane -o {name}.tif --cell {cell} --level 4 --layers temperature"
            ));
        }
        let (a, b) = (desk.geotiff("west.tif"), desk.geotiff("east.tif"));
        let steps = |grid: &Grid, from: usize, to: usize| -> f32 {
            (0..16).map(|r| (grid.values[16 * r + from] - grid.values[16 * r + to]).abs()).sum()
        };
        let across: f32 = (0..16).map(|r| (a.values[16 * r + 15] - b.values[16 * r]).abs()).sum();
        let inside = steps(&a, 14, 15).max(steps(&b, 0, 1)).max(0.5);
        assert!(across < 3.0 * inside, "{west} and {east}: {across} beside {inside}");
    }
}

#[test]
fn cells_of_a_flat_map_lie_in_its_own_metres() {
    let desk = Desk::with_isle();
    desk.does("region isle.terrane -o cell.tif --cell 0/10/20 --level 3");
    let cell = desk.geotiff("cell.tif");
    assert_eq!((cell.width, cell.height, cell.step), (8, 8, 12_500.0 / 8.0));
    assert_eq!((cell.west, cell.north), (20.0 * 12_500.0, (72.0 - 10.0) * 12_500.0));
    desk.does("region isle.terrane -o found.tif --cell-at 251000,774000 --level 3");
    assert_eq!(cell.assert_same_overlap(&desk.geotiff("found.tif")), 64);
}

#[test]
fn a_cell_at_level_0_is_one_sample_and_levels_halve() {
    let desk = Desk::with_globe();
    let steps: Vec<f64> = (0..4)
        .map(|level| {
            desk.does(&format!("region globe.terrane -o cell.tif --cell 5/3/4 --level {level}"));
            let cell = desk.geotiff("cell.tif");
            assert_eq!((cell.width, cell.height), (1 << level, 1 << level));
            cell.step
        })
        .collect();
    assert!(steps.windows(2).all(|w| w[0] == 2.0 * w[1]), "{steps:?}");
}

#[test]
fn a_region_without_land_says_where_some_is() {
    let desk = Desk::with_globe();
    let said = |place: &str| {
        let line =
            format!("region globe.terrane -o a.r32 {place} --span 20 --resolution 500 --method classic");
        desk.run(line.split_whitespace()).err
    };
    let places = (0..12).map(|k| format!("--at={},{}", 30 * k - 170, 25 * (k % 3) - 25));
    let told: Vec<String> = places.map(|place| said(&place)).filter(|s| s.contains("is sea")).collect();
    assert!((3..12).contains(&told.len()), "most of a planet is sea, and not all: {told:?}");
    for told in told {
        let (_, place) = told.split_once("--at=").unwrap_or_else(|| panic!("{told}"));
        let there = said(&format!("--at={}", place.trim()));
        assert!(!there.contains("is sea"), "{place}: {there}");
    }
}
