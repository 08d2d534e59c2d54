//! The built program over elevations of other people: thresholds, runoff, points, further layers, depressions, the sea.

#![allow(clippy::disallowed_methods, reason = "a second computation, by the means of another library")]

use crate::cli_support::Desk;
use crate::hydro_desk::{Place, Ways, bits, codes, corner_of_dem, get, put};
use serde_json::Value;

const COLS: usize = 150;
const ROWS: usize = 120;
const CELL_M2: f64 = 900.0;
/// A Julian year.
const YEAR_S: f64 = 365.25 * 86_400.0;

/// A desk with `dem.tif`, a piece of the elevation in cells of 30 m.
fn desk() -> Desk {
    let desk = Desk::new();
    put(&desk, "dem.tif", Place::Utm, COLS, &corner_of_dem(COLS, ROWS), None);
    desk
}

fn numbers(desk: &Desk, name: &str) -> Vec<f32> {
    get(desk, name).0
}

fn near(a: f64, b: f64, share: f64) -> bool {
    (a - b).abs() <= share * a.abs().max(b.abs())
}

#[test]
fn thresholds_have_units() {
    let desk = desk();
    // a cell gives q m3/s
    let q = 350e-3 * CELL_M2 / YEAR_S;
    let least = format!("{}m3/s --runoff 350", 99.5 * q);
    let mut expected = None;
    for amount in ["100", "0.09km2", "9ha", "99.5cells", &least] {
        desk.does(&format!("hydro dem.tif -o w --threshold {amount}"));
        let order = desk.bytes("w/order.tif");
        assert!(*expected.get_or_insert(order.clone()) == order, "{amount}");
    }
    desk.does("hydro dem.tif -o w --threshold 101");
    assert!(expected != Some(desk.bytes("w/order.tif")), "a cell more is another network");
    // without a threshold: a 200th of the raster
    desk.does("hydro dem.tif -o usual");
    desk.does("hydro dem.tif -o w --threshold 90");
    assert!(desk.bytes("usual/order.tif") == desk.bytes("w/order.tif"));
}

#[test]
fn each_place_may_have_its_threshold() {
    let desk = desk();
    put(&desk, "same.tif", Place::Utm, COLS, &[200.0; COLS * ROWS], None);
    desk.does("hydro dem.tif -o a --threshold-raster same.tif");
    desk.does("hydro dem.tif -o b --threshold 200");
    assert!(desk.bytes("a/order.tif") == desk.bytes("b/order.tif"));
    // nothing begins in the east, where no data stands for no threshold
    let least = |cell: usize| if cell % COLS < COLS / 2 { 0.05 } else { f32::NAN };
    put(&desk, "west.tif", Place::Utm, COLS, &(0..COLS * ROWS).map(least).collect::<Vec<_>>(), None);
    desk.does("hydro dem.tif -o c --threshold-raster west.tif --threshold 1km2");
    let ways = Ways::of(&desk, "c", COLS);
    let accumulation = ways.accumulation();
    let is_stream = |c: usize| accumulation[c] as f32 * 900.0 / 1e6 >= least(c);
    let is_stream: Vec<bool> = (0..COLS * ROWS).map(is_stream).collect();
    assert!(is_stream.contains(&true));
    let orders = codes(&desk, "c/order.tif");
    assert!((0..COLS * ROWS).all(|c| (orders[c] > 0) == is_stream[c]));
    assert!(orders == ways.strahler(&is_stream, &accumulation));
}

#[test]
fn runoff_comes_together() {
    let desk = desk();
    let runoff = |c: usize| if c / COLS < 60 { 200.0 } else { 1500.0f32 };
    put(&desk, "same.tif", Place::Utm, COLS, &[640.0; COLS * ROWS], None);
    put(&desk, "two.tif", Place::Utm, COLS, &(0..COLS * ROWS).map(runoff).collect::<Vec<_>>(), None);
    desk.does("hydro dem.tif -o number --runoff 640");
    desk.does("hydro dem.tif -o same --runoff same.tif");
    assert!(desk.bytes("number/discharge.tif") == desk.bytes("same/discharge.tif"));
    desk.does("hydro dem.tif -o two --runoff two.tif");
    let ways = Ways::of(&desk, "two", COLS);
    let m3_s = |mm: f32| f64::from(mm) * 1e-3 * CELL_M2 / YEAR_S;
    for (folder, expected) in
        [("two", ways.gather(|c| m3_s(runoff(c)))), ("number", ways.gather(|_| m3_s(640.0)))]
    {
        let discharge = numbers(&desk, &format!("{folder}/discharge.tif"));
        assert!(discharge.iter().zip(&expected).all(|(a, b)| near(f64::from(*a), *b, 1e-6)), "{folder}");
        let streams = desk.json(&format!("{folder}/streams.geojson"));
        let streams = streams["features"].as_array().unwrap();
        assert!(!streams.is_empty());
        for stream in streams {
            let points = stream["geometry"]["coordinates"].as_array().unwrap();
            // the last cell of its own: the one before the stream below; a single cell is a line out of the map
            let is_stub = stream["properties"]["length_km"] == 0.0;
            let own = points.len()
                - if !is_stub
                    && ways.below(cell_of(points.last().unwrap())).is_none()
                    && stream["properties"]["downstream"].is_null()
                {
                    1
                } else {
                    2
                };
            let said = stream["properties"]["discharge_m3_s"].as_f64().unwrap();
            assert!(near(said, expected[cell_of(&points[own])], 1e-9), "{stream}");
        }
    }
}

fn cell_of(point: &Value) -> usize {
    let (col, row) = Place::Utm.cell([point[0].as_f64().unwrap(), point[1].as_f64().unwrap()]);
    row * COLS + col
}

#[test]
fn points_have_watersheds() {
    let desk = desk();
    desk.does("hydro dem.tif -o w --threshold 100");
    let ways = Ways::of(&desk, "w", COLS);
    let accumulation = ways.accumulation();
    // the greatest river away from the border, a point beside it, and one above it on the same river
    let inner = |c: &usize| (10..COLS - 10).contains(&(c % COLS)) && (10..ROWS - 10).contains(&(c / COLS));
    let lower = (0..COLS * ROWS).filter(inner).max_by_key(|&c| accumulation[c]).unwrap();
    let upper = (0..COLS * ROWS)
        .filter(|&c| inner(&c) && c != lower && accumulation[c] > 50 && ways.path(c).any(|d| d == lower))
        .min_by_key(|&c| accumulation[c])
        .unwrap();
    let at = |c: usize| Place::Utm.middle(c % COLS, c / COLS).map(|v| v.to_string()).join(",");
    let greatest = |from: usize, cells: f64| {
        let distance = |c: usize| {
            ((c % COLS) as f64 - (from % COLS) as f64).hypot((c / COLS) as f64 - (from / COLS) as f64)
        };
        let near = (0..COLS * ROWS).filter(|&c| distance(c) <= cells);
        near.max_by(|&a, &b| {
            let nearer = distance(b).total_cmp(&distance(a)).then(b.cmp(&a));
            accumulation[a].cmp(&accumulation[b]).then(nearer)
        })
        .unwrap()
    };
    for (snap, cells) in [("0", 0.0), ("1", 0.0), ("100", 100.0 / 30.0), ("500", 500.0 / 30.0)] {
        let outlets = [lower, upper].map(|c| greatest(c, cells));
        if outlets[0] == outlets[1] {
            continue;
        }
        desk.does(&format!("hydro dem.tif -o w --snap {snap} --outlet {} --outlet {}", at(lower), at(upper)));
        // a cell belongs to the first outlet that its water passes
        let number = |c: usize| {
            let first = ways.path(c).find_map(|d| outlets.iter().position(|&o| o == d));
            first.map_or(0, |index| index as u32 + 1)
        };
        let expected: Vec<u32> = (0..COLS * ROWS).map(number).collect();
        assert!(codes(&desk, "w/watersheds.tif") == expected, "--snap {snap}");
        let collection = desk.json("w/watersheds.geojson");
        let areas = collection["features"].as_array().unwrap();
        assert_eq!(areas.len(), 2);
        for (area, outlet) in areas.iter().zip(outlets) {
            let about = &area["properties"];
            let drained = f64::from(accumulation[outlet]) * CELL_M2 / 1e6;
            assert!(near(about["drained_km2"].as_f64().unwrap(), drained, 1e-12), "{about}");
            let place = [about["outlet_x"].as_f64().unwrap(), about["outlet_y"].as_f64().unwrap()];
            assert_eq!(Place::Utm.cell(place), (outlet % COLS, outlet / COLS));
        }
    }
}

const LAYERS: [&str; 16] = [
    "change",
    "slope",
    "aspect",
    "area",
    "dinf",
    "mfd",
    "wetness",
    "power",
    "hand",
    "upstream",
    "downstream",
    "shreve",
    "hack",
    "pfafstetter",
    "subbasins",
    "chi",
];

/// A plane that falls by 3 m a cell to the south and 1 m to the west: all water runs south, then west along the border.
#[test]
fn layers_of_a_plane_are_formulas() {
    let (desk, cols, rows) = (Desk::new(), 40, 30);
    let z = |c: usize| (3 * (rows - 1 - c / cols) + c % cols) as f32;
    put(&desk, "dem.tif", Place::Utm, cols, &(0..cols * rows).map(z).collect::<Vec<_>>(), None);
    desk.does("hydro dem.tif -o w --threshold 100 --layers all --runoff 365.25");
    let layer = |name: &str| numbers(&desk, &format!("w/{name}.tif"));
    let order = codes(&desk, "w/order.tif");
    let (slope, aspect, area, hand) = (layer("slope"), layer("aspect"), layer("area"), layer("hand"));
    let (upstream, downstream, change, chi) =
        (layer("upstream"), layer("downstream"), layer("change"), layer("chi"));
    let (discharge, dinf, mfd, wetness) = (layer("discharge"), layer("dinf"), layer("mfd"), layer("wetness"));
    let power = layer("power");
    let tan = 10f64.sqrt() / 30.0;
    for c in 0..cols * rows {
        let (col, row) = (c % cols, c / cols);
        let is_last = row == rows - 1;
        let cells = if is_last { rows * (cols - col) } else { row + 1 };
        let is = |value: f32, expected: f64| {
            assert!(
                (f64::from(value) - expected).abs() <= 2e-5 * expected.abs(),
                "{value} {expected} at {col} {row}"
            );
        };
        is(slope[c], tan);
        is(aspect[c], 180.0 + (1f64 / 3.0).atan().to_degrees());
        is(area[c], cells as f64 * 900.0);
        is(discharge[c], cells as f64 * 900.0 * 0.36525 / YEAR_S);
        is(change[c], 0.0);
        is(downstream[c], 30.0 * (rows - 1 - row + col) as f64);
        // the way down the first column is shorter than that along the last row
        is(upstream[c], 30.0 * if is_last { rows - 1 + cols - 1 - col } else { row } as f64);
        assert_eq!(order[c], u32::from(is_last && cells >= 100));
        // down to the stream; from the east along the last row to its head
        let foot = if is_last && order[c] > 0 { z(c) } else { col.min(cols - 4) as f32 };
        is(hand[c], f64::from(z(c) - foot));
        assert_eq!(chi[c].is_nan(), order[c] == 0);
        assert!(dinf[c] >= 30.0 && mfd[c] >= 30.0 * 0.7);
        is(wetness[c], (f64::from(dinf[c]) / f64::from(slope[c])).ln());
        is(power[c], f64::from(dinf[c]) * f64::from(slope[c]));
    }
    let [shreve, hack, sub, pfafstetter] =
        ["shreve", "hack", "subbasins", "pfafstetter"].map(|name| codes(&desk, &format!("w/{name}.tif")));
    assert!(shreve == order && hack == order, "one stream");
    assert!(sub.iter().all(|&s| s <= 1) && sub.iter().filter(|&&s| s == 1).count() == rows * cols);
    assert!(pfafstetter.iter().all(|&p| p == 0), "a basin without tributaries is not divided");
}

#[test]
fn all_layers_are_there_and_know_what_they_must() {
    let desk = desk();
    desk.does("hydro dem.tif -o w --threshold 60 --layers all");
    assert!(!desk.path("w/discharge.tif").exists() && !desk.path("w/all.tif").exists());
    let (ways, order) = (Ways::of(&desk, "w", COLS), codes(&desk, "w/order.tif"));
    for name in LAYERS {
        let (values, info) = get(&desk, &format!("w/{name}.tif"));
        assert_eq!((info.width, info.height), (COLS, ROWS), "{name}");
        match name {
            "shreve" | "hack" | "pfafstetter" | "subbasins" => {}
            "chi" => assert!(values.iter().zip(&order).all(|(v, o)| v.is_finite() == (*o > 0)), "chi"),
            _ => assert!(values.iter().all(|v| v.is_finite()), "{name}"),
        }
    }
    let [hand, filled] = ["hand", "filled"].map(|name| numbers(&desk, &format!("w/{name}.tif")));
    let [upstream, downstream, area] =
        ["upstream", "downstream", "area"].map(|n| numbers(&desk, &format!("w/{n}.tif")));
    let [shreve, hack] = ["shreve", "hack"].map(|name| codes(&desk, &format!("w/{name}.tif")));
    let accumulation = ways.accumulation();
    let length_m = |a: usize, b: usize| {
        if a % COLS == b % COLS || a / COLS == b / COLS { 30.0 } else { 30.0 * 2f64.sqrt() }
    };
    let mut longest_m = vec![0.0f64; COLS * ROWS];
    let heads: Vec<f64> = {
        let is_head =
            |c: usize| order[c] > 0 && !(0..COLS * ROWS).any(|d| order[d] > 0 && ways.below(d) == Some(c));
        let heads: Vec<usize> = (0..COLS * ROWS).filter(|&c| order[c] > 0).filter(|&c| is_head(c)).collect();
        let mut sums = vec![0.0; COLS * ROWS];
        heads.iter().for_each(|&h| ways.path(h).for_each(|c| sums[c] += 1.0));
        sums
    };
    for c in 0..COLS * ROWS {
        let path: Vec<usize> = ways.path(c).collect();
        let mut way_m = 0.0;
        for step in path.windows(2) {
            way_m += length_m(step[0], step[1]);
            longest_m[step[1]] = longest_m[step[1]].max(way_m);
        }
        assert!(near(f64::from(downstream[c]), way_m, 1e-6));
        let foot = path.iter().copied().find(|&d| order[d] > 0).unwrap_or(*path.last().unwrap());
        assert_eq!(hand[c], filled[c] - filled[foot]);
        assert_eq!(f64::from(area[c]), f64::from(accumulation[c]) * 900.0);
        assert_eq!(f64::from(shreve[c]), heads[c], "magnitude");
        assert_eq!(hack[c] > 0, order[c] > 0);
    }
    assert!(upstream.iter().zip(&longest_m).all(|(a, b)| near(f64::from(*a), *b, 1e-6)));
}

#[test]
fn depressions_are_treated_as_asked() {
    let desk = desk();
    let ground = corner_of_dem(COLS, ROWS);
    let surface = |treatment: &str| {
        desk.does(&format!("hydro dem.tif -o w --depressions {treatment}"));
        let ways = Ways::of(&desk, "w", COLS);
        assert!(ways.ends().iter().all(|end| ways.is_outlet(end.unwrap())), "{treatment}: water ends inside");
        let surface = numbers(&desk, "w/filled.tif");
        // nothing is left to fill
        desk.does("hydro w/filled.tif -o again");
        assert!(bits(&numbers(&desk, "again/filled.tif")) == bits(&surface), "{treatment}");
        let depressions = desk.json("w/summary.json")["depressions"].clone();
        let changed =
            |is: &dyn Fn(f32, f32) -> bool| surface.iter().zip(&ground).filter(|(w, z)| is(**w, **z)).count();
        assert_eq!(depressions["raised_cells"], changed(&|w, z| w > z), "{treatment}");
        assert_eq!(depressions["cut_cells"], changed(&|w, z| w < z), "{treatment}");
        surface
    };
    let (fill, epsilon) = (surface("fill"), surface("epsilon"));
    assert!(fill.iter().zip(&ground).all(|(w, z)| w >= z) && fill.iter().zip(&ground).any(|(w, z)| w > z));
    let mut higher = 0;
    for c in 0..COLS * ROWS {
        let (col, row) = (c % COLS, c / COLS);
        assert!((fill[c]..fill[c] + 0.1).contains(&epsilon[c]));
        higher += usize::from(epsilon[c] > fill[c]);
        if (1..COLS - 1).contains(&col) && (1..ROWS - 1).contains(&row) {
            let around =
                [c - COLS - 1, c - COLS, c - COLS + 1, c - 1, c + 1, c + COLS - 1, c + COLS, c + COLS + 1];
            assert!(around.iter().any(|&d| epsilon[d] < epsilon[c]), "no way down");
        }
    }
    assert!(higher > 100, "{higher}");
    let breach = surface("breach");
    assert!(breach.iter().zip(&ground).all(|(w, z)| w <= z) && breach != ground);
    let hybrid = surface("hybrid --breach-depth 5 --breach-length 300");
    assert!(hybrid.iter().zip(&ground).all(|(w, z)| *w >= z - 5.001), "no deeper than allowed");
    assert!(hybrid.iter().zip(&ground).any(|(w, z)| w < z) && hybrid.iter().zip(&ground).any(|(w, z)| w > z));
    let least = surface("least --breach-depth 5 --breach-length 300");
    assert!(
        least.iter().zip(&ground).all(|(w, z)| *w >= z - 5.001)
            && least.iter().zip(&fill).all(|(w, f)| w <= f)
    );
    assert!(hybrid.iter().zip(&fill).all(|(w, f)| w <= f), "no higher than filled");
}

#[test]
fn the_sea_takes_water() {
    let desk = desk();
    let ground = corner_of_dem(COLS, ROWS);
    let mut heights = ground.clone();
    heights.sort_by(f32::total_cmp);
    let level = heights[COLS * ROWS / 4];
    desk.does(&format!("hydro dem.tif -o sea --sea {level}"));
    let gone = |z: f32| if z <= level { f32::NAN } else { z };
    put(&desk, "cut.tif", Place::Utm, COLS, &ground.iter().map(|&z| gone(z)).collect::<Vec<_>>(), None);
    desk.does("hydro cut.tif -o cut");
    for name in ["filled", "direction", "accumulation", "order", "basins"] {
        let [a, b] = ["sea", "cut"].map(|folder| desk.bytes(&format!("{folder}/{name}.tif")));
        assert!(a == b, "{name}");
    }
    let directions = codes(&desk, "sea/direction.tif");
    assert!(directions.iter().zip(&ground).all(|(d, z)| (*d == 255) == (*z <= level)));
    let land = ground.iter().filter(|z| **z > level).count();
    assert_eq!(desk.json("sea/summary.json")["ground"]["data_cells"], land);
    // a value that is the lowest of numbers leaves all
    desk.does("hydro dem.tif -o none --sea -99999 --nodata 123456");
    assert_eq!(desk.json("none/summary.json")["ground"]["no_data_cells"], 0);
}

#[test]
fn a_raster_without_a_system_has_cells_of_the_size_that_is_said() {
    let desk = desk();
    put(&desk, "bare.tif", Place::Nowhere, COLS, &corner_of_dem(COLS, ROWS), None);
    desk.does("hydro dem.tif -o utm");
    desk.does("hydro bare.tif -o sized --cell-size 30");
    desk.does("hydro bare.tif -o bare");
    let areas = ["utm", "sized", "bare"]
        .map(|f| desk.json(&format!("{f}/summary.json"))["ground"]["area_km2"].clone());
    assert_eq!(areas[0], areas[1]);
    assert_eq!(areas[2].as_f64().unwrap() * 900.0, areas[0].as_f64().unwrap());
    let lengths =
        ["utm", "sized"].map(|f| desk.json(&format!("{f}/summary.json"))["streams"]["length_km"].clone());
    assert_eq!(lengths[0], lengths[1]);
    for name in ["filled", "direction", "accumulation"] {
        assert!(
            bits(&numbers(&desk, &format!("utm/{name}.tif")))
                == bits(&numbers(&desk, &format!("sized/{name}.tif")))
        );
    }
    let said = desk.json("bare/summary.json")["input"].to_string();
    assert!(said.contains("metres"), "{said}");
    let said = desk.json("sized/summary.json")["input"].to_string();
    assert!(said.contains("from the south-west corner"), "{said}");
}

#[test]
fn a_raster_with_a_system_keeps_it_whatever_size_its_cells_are_said_to_have() {
    let desk = desk();
    desk.does("hydro dem.tif -o own");
    let said = desk.run("hydro dem.tif -o half --cell-size 15".split(' ')).err;
    assert!(said.contains("15 x 15 m") && said.contains("EPSG:32633"), "{said}");
    let lies = |folder: &str, name: &str| {
        let reader = formats::geotiff::Reader::open(&desk.path(&format!("{folder}/{name}.tif"))).unwrap();
        reader.info().georeference.clone()
    };
    assert_eq!(lies("half", "filled"), lies("own", "filled"));
    let area = |folder: &str| desk.json(&format!("{folder}/summary.json"))["ground"]["area_km2"].as_f64();
    assert_eq!(area("half").unwrap() * 4.0, area("own").unwrap());
    let crs = |folder: &str| desk.json(&format!("{folder}/summary.json"))["input"]["crs"].clone();
    assert_eq!(crs("half"), crs("own"));
    let lines = |folder: &str| {
        let all = desk.json(&format!("{folder}/streams.geojson"));
        (all["crs"].clone(), all["features"][0]["geometry"].clone())
    };
    assert_eq!(lines("half"), lines("own"));
}
