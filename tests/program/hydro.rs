//! The built program over elevations of other people: its rasters, lines, areas and tables against what other programs
//! found (`data/hydro`), formulas, and slow ways over its own directions.

#![allow(clippy::disallowed_methods, reason = "a second computation, by the means of another library")]

use crate::cli_support::Desk;
use crate::hydro_desk::{Place, Ways, bits, codes, corner_of_dem, get, npy, npy_bytes, put};
use serde_json::Value;

const RASTERS: [&str; 5] = ["filled", "direction", "accumulation", "order", "basins"];

/// A desk with `dem.tif`: an elevation whose numbers of columns and cells are given, at a place.
fn desk(place: Place, cols: usize, values: &[f32]) -> Desk {
    let desk = Desk::new();
    put(&desk, "dem.tif", place, cols, values, None);
    desk
}

fn numbers(desk: &Desk, name: &str) -> Vec<f32> {
    get(desk, name).0
}

fn gap(values: Vec<f32>) -> Vec<f32> {
    values.into_iter().map(|z| if z == -9999.0 { f32::NAN } else { z }).collect()
}

/// Accumulation, order and basins are what follows from directions; all water ends at an outlet.
fn rasters_agree(desk: &Desk, folder: &str, cols: usize, threshold: u32) {
    let ways = Ways::of(desk, folder, cols);
    let accumulation = ways.accumulation();
    assert!(codes(desk, &format!("{folder}/accumulation.tif")) == accumulation, "accumulation");
    let is_stream: Vec<bool> = accumulation.iter().map(|&n| n >= threshold).collect();
    assert!(is_stream.contains(&true) && is_stream.contains(&false));
    let orders = ways.strahler(&is_stream, &accumulation);
    assert!(codes(desk, &format!("{folder}/order.tif")) == orders, "order");
    let ends = ways.ends();
    let mut roots: Vec<usize> = ends.iter().flatten().copied().collect();
    roots.sort_unstable();
    roots.dedup();
    assert!(roots.iter().all(|&root| ways.is_outlet(root)), "water ends inside");
    let number = |end: &Option<usize>| end.map_or(0, |end| 1 + roots.binary_search(&end).unwrap() as u32);
    let expected: Vec<u32> = ends.iter().map(number).collect();
    assert!(codes(desk, &format!("{folder}/basins.tif")) == expected, "basins");
    let summary = desk.json(&format!("{folder}/summary.json"));
    assert_eq!(summary["flow"]["basins"], roots.len());
    assert_eq!(summary["streams"]["cells"], is_stream.iter().filter(|&&s| s).count());
    assert_eq!(summary["flow"]["greatest_accumulation_cells"], *accumulation.iter().max().unwrap());
    let filled = numbers(desk, &format!("{folder}/filled.tif"));
    for (cell, z) in filled.iter().enumerate() {
        assert_eq!(z.is_nan(), !ways.has_data(cell));
        assert!(ways.below(cell).is_none_or(|below| filled[below] <= *z), "water runs up");
    }
}

#[test]
fn rasters_are_those_of_other_programs() {
    let desk = desk(Place::Utm, 512, &npy("dem_512"));
    desk.does("hydro dem.tif -o w --threshold 100");
    assert!(bits(&numbers(&desk, "w/filled.tif")) == bits(&npy("filled_512")));
    let directions = codes(&desk, "w/direction.tif");
    let expected = npy_bytes("d8_steepest_unambiguous_512");
    let compared = expected.iter().zip(&directions).filter(|(e, _)| **e != 0);
    assert!(compared.clone().count() > 512 * 512 * 2 / 3);
    compared.for_each(|(e, d)| assert_eq!(u32::from(*e), *d));
    rasters_agree(&desk, "w", 512, 100);
}

#[test]
fn gaps_and_steps_are_those_of_other_programs() {
    let desk = Desk::new();
    // no data as the file says, as the option says, and as numbers that are none
    let holed = npy("dem_nodata_300x417");
    put(&desk, "said.tif", Place::Utm, 417, &holed, Some("-9999"));
    put(&desk, "unsaid.tif", Place::Utm, 417, &holed, None);
    put(&desk, "nan.tif", Place::Utm, 417, &gap(holed), None);
    desk.does("hydro said.tif -o said");
    desk.does("hydro unsaid.tif -o unsaid --nodata -9999");
    desk.does("hydro nan.tif -o nan");
    assert!(bits(&numbers(&desk, "said/filled.tif")) == bits(&gap(npy("filled_nodata_300x417"))));
    rasters_agree(&desk, "said", 417, 626); // a 200th of 125 100 cells
    for raster in RASTERS {
        for other in ["unsaid", "nan"] {
            let [a, b] = ["said", other].map(|folder| desk.bytes(&format!("{folder}/{raster}.tif")));
            assert!(a == b, "{other}/{raster}");
        }
    }
    put(&desk, "steps.tif", Place::Oblong, 512, &npy("dem_quantised20m_512"), None);
    desk.does("hydro steps.tif -o steps");
    assert!(numbers(&desk, "steps/filled.tif") == npy("filled_quantised20m_512"));
    rasters_agree(&desk, "steps", 512, 1000);
}

/// The same but for what the page says: laws need the whole raster, and areas and volumes are summed in another order.
fn same_but_for_sums(key: &str, whole: &Value, bands: &Value) {
    const LAWS: [&str; 9] = [
        "orders",
        "horton_ratios",
        "tokunaga",
        "hack",
        "area_exceedance",
        "concavity",
        "drainage_density_km_per_km2",
        "longest_path_km",
        "hypsometry",
    ];
    match (whole, bands) {
        (Value::Object(a), Value::Object(b)) => {
            assert!(b.keys().all(|k| a.contains_key(k)), "{bands} {whole}");
            for (k, value) in a.iter().filter(|(k, _)| b.contains_key(*k) || !LAWS.contains(&k.as_str())) {
                same_but_for_sums(k, value, &bands[k]);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{key}");
            a.iter().zip(b).for_each(|(a, b)| same_but_for_sums(key, a, b));
        }
        (Value::Number(a), Value::Number(b)) if ["area_km2", "raised_km3"].contains(&key) => {
            assert!(near(a.as_f64().unwrap(), b.as_f64().unwrap(), 1e-9), "{key}: {a} {b}");
        }
        (Value::Bool(false), Value::Bool(true)) if key == "in_bands" => {}
        _ => assert_eq!(whole, bands, "{key}"),
    }
}

/// Areas of cells that are not all equal are summed in another order.
fn same_stream(a: Value, mut b: Value, is_equal: bool) {
    let area = |stream: &Value| stream["properties"]["area_km2"].as_f64().unwrap();
    if !is_equal {
        assert!(near(area(&a), area(&b), 1e-12), "{a} {b}");
        b["properties"]["area_km2"] = a["properties"]["area_km2"].clone();
    }
    assert_eq!(a, b);
}

#[test]
fn bands_find_the_same() {
    let desk = Desk::new();
    put(&desk, "map.tif", Place::Utm, 512, &npy("dem_512"), None);
    put(&desk, "steps.tif", Place::Degrees, 512, &npy("dem_quantised20m_512"), None);
    put(&desk, "holed.tif", Place::Oblong, 417, &npy("dem_nodata_300x417"), Some("-9999"));
    let mut areas_compared = 0;
    for (name, least) in [("map", "500"), ("steps", "0.3km2"), ("holed", "500")] {
        desk.does(&format!("hydro {name}.tif -o whole --threshold {least}"));
        let budgets = if name == "map" { &["0.02", "0.005", "0.0033"][..] } else { &["0.0033"] };
        for memory in budgets {
            desk.does(&format!("hydro {name}.tif -o bands --threshold {least} --memory {memory}"));
            for raster in RASTERS {
                let [a, b] = ["whole", "bands"].map(|folder| desk.bytes(&format!("{folder}/{raster}.tif")));
                assert!(a == b, "{name} --memory {memory}: {raster}");
            }
            let [a, b] =
                ["whole", "bands"].map(|folder| features(&desk, &format!("{folder}/streams.geojson")));
            assert!(a.len() == b.len() && a.len() > 50);
            a.into_iter().zip(b).for_each(|(a, b)| same_stream(a, b, name != "steps"));
            if desk.path("bands/basins.geojson").exists() {
                let [a, b] = ["whole", "bands"].map(|folder| desk.json(&format!("{folder}/basins.geojson")));
                same_but_for_sums("", &a, &b);
                std::fs::remove_file(desk.path("bands/basins.geojson")).unwrap();
                areas_compared += 1;
            }
            let [a, b] = ["whole", "bands"].map(|folder| desk.json(&format!("{folder}/summary.json")));
            same_but_for_sums("", &a, &b);
        }
    }
    assert!(areas_compared > 0, "memory was enough for areas at least once");
}

#[test]
fn the_least_memory_is_said() {
    let desk = desk(Place::Utm, 512, &npy("dem_512"));
    for memory in ["1e-9", "0.003"] {
        let said = desk.refused(&format!("hydro dem.tif -o w --memory {memory}"), 2);
        assert!(said.contains("--max-memory") && said.contains(" GB "), "{said}");
        let needs = said.split_once("needs ").unwrap().1.split_whitespace().next().unwrap();
        assert!((0.003..0.004).contains(&needs.parse::<f64>().unwrap()), "{said}");
        desk.does(&format!("hydro dem.tif -o w --threshold 1000 --memory {needs}"));
        std::fs::remove_dir_all(desk.path("w")).unwrap();
    }
    for option in ["--layers hand", "--depressions breach", "--runoff 3", "--outlet 1,2"] {
        let said = desk.refused(&format!("hydro dem.tif -o w --memory 0.01 {option}"), 2);
        assert!(
            said.contains("--max-memory 0.0273") && said.contains(option.split(' ').next().unwrap()),
            "{said}"
        );
    }
}

fn features(desk: &Desk, name: &str) -> Vec<Value> {
    let collection = desk.json(name);
    assert_eq!(collection["type"], "FeatureCollection");
    collection["features"].as_array().unwrap().clone()
}

fn line(value: &Value) -> Vec<[f64; 2]> {
    let point = |v: &Value| [v[0].as_f64().unwrap(), v[1].as_f64().unwrap()];
    value.as_array().unwrap().iter().map(point).collect()
}

/// All rings of a polygon or several.
fn rings(feature: &Value) -> Vec<Vec<[f64; 2]>> {
    let (kind, coordinates) =
        (&feature["geometry"]["type"], feature["geometry"]["coordinates"].as_array().unwrap());
    match kind.as_str().unwrap() {
        "Polygon" => coordinates.iter().map(line).collect(),
        "MultiPolygon" => coordinates.iter().flat_map(|p| p.as_array().unwrap()).map(line).collect(),
        other => panic!("{other} is no area"),
    }
}

fn near(a: f64, b: f64, share: f64) -> bool {
    (a - b).abs() <= share * a.abs().max(b.abs())
}

/// Streams follow the directions from their heads to the stream below or to the end of the water.
fn streams_agree(desk: &Desk, place: Place, cols: usize) {
    let (ways, order) = (Ways::of(desk, "w", cols), codes(desk, "w/order.tif"));
    let streams = features(desk, "w/streams.geojson");
    assert!(streams.len() > 50, "{}", streams.len());
    let cells_of = |stream: &Value| -> Vec<usize> {
        let at = |p: &[f64; 2]| place.cell(*p);
        let line = line(&stream["geometry"]["coordinates"]);
        // a single cell is a line of half a cell, out of the map
        let is_stub = stream["properties"]["length_km"] == 0.0;
        assert!(!is_stub || line.len() == 2);
        let shown = if is_stub { &line[..1] } else { &line[..] };
        shown.iter().map(at).map(|(c, r)| r * cols + c).collect()
    };
    let mut on_lines = vec![0; order.len()];
    for stream in &streams {
        let (cells, about) = (cells_of(stream), &stream["properties"]);
        let last = *cells.last().unwrap();
        cells.windows(2).for_each(|w| assert_eq!(ways.below(w[0]), Some(w[1])));
        cells[..cells.len() - 1].iter().for_each(|&c| {
            assert_eq!(about["order"], order[c]);
            on_lines[c] += 1;
        });
        match about["downstream"].as_u64() {
            Some(below) => {
                let lower = streams.iter().find(|s| s["properties"]["stream"].as_u64() == Some(below));
                assert_eq!(
                    cells_of(lower.unwrap())[0],
                    last,
                    "the stream below is there, and begins where this ends"
                );
            }
            None => assert!(ways.below(last).is_none()),
        }
        // coordinates of degrees are rounded to a centimetre: middles of cells are not
        let middle = |at: usize| place.middle(at % cols, at / cols);
        let length_m: f64 = cells.windows(2).map(|w| place.distance_m(middle(w[0]), middle(w[1]))).sum();
        let said_m = about["length_km"].as_f64().unwrap() * 1000.0;
        assert!(near(length_m, said_m, 1e-9), "{length_m} {said_m}");
    }
    for cell in 0..order.len() {
        let is_on = order[cell] > 0 && ways.below(cell).is_some();
        assert_eq!(on_lines[cell], u32::from(is_on), "each stream cell lies on one line");
    }
}

/// Areas are those of their cells, and together that of the raster.
fn basins_agree(desk: &Desk, place: Place, cols: usize) {
    let labels = codes(desk, "w/basins.tif");
    let cell_m2 = |at: usize| {
        let ([x, y], [dx, dy]) = (place.middle(at % cols, at / cols), place.step());
        let (w, e, s, n) = (x - dx / 2.0, x + dx / 2.0, y - dy / 2.0, y + dy / 2.0);
        place.area_m2(std::iter::once(&vec![[w, s], [e, s], [e, n], [w, n], [w, s]]))
    };
    let mut expected = vec![(0u32, 0.0); *labels.iter().max().unwrap() as usize + 1];
    for (at, &label) in labels.iter().enumerate() {
        expected[label as usize].0 += 1;
        expected[label as usize].1 += cell_m2(at);
    }
    let basins = features(desk, "w/basins.geojson");
    assert_eq!(basins.len(), expected.len() - 1);
    let mut total_m2 = 0.0;
    for basin in &basins {
        let about = &basin["properties"];
        let (cells, area_m2) = expected[about["basin"].as_u64().unwrap() as usize];
        let exact = |ring: Vec<[f64; 2]>| ring.into_iter().map(|p| place.exact_corner(p)).collect::<Vec<_>>();
        let outlined: Vec<_> = rings(basin).into_iter().map(exact).collect();
        let outlined_m2 = place.area_m2(outlined.iter());
        assert!(near(outlined_m2, area_m2, 1e-8), "{outlined_m2} {area_m2}");
        assert!(near(about["area_km2"].as_f64().unwrap() * 1e6, area_m2, 1e-8), "{about} {area_m2}");
        assert_eq!(about["cells"], cells);
        total_m2 += outlined_m2;
    }
    let raster_m2: f64 = expected[1..].iter().map(|e| e.1).sum();
    let said = desk.json("w/summary.json")["ground"]["area_km2"].as_f64().unwrap() * 1e6;
    assert!(near(total_m2, raster_m2, 1e-8) && near(said, raster_m2, 1e-8), "{total_m2} {said} {raster_m2}");
}

#[test]
fn lines_and_areas_lie_where_the_rasters_are() {
    for place in [Place::Utm, Place::Oblong, Place::Degrees] {
        let desk = desk(place, 300, &corner_of_dem(300, 200));
        desk.does("hydro dem.tif -o w --threshold 60");
        streams_agree(&desk, place, 300);
        basins_agree(&desk, place, 300);
        for raster in RASTERS {
            let info = get(&desk, &format!("w/{raster}.tif")).1;
            let formats::Crs::Foreign(crs) = &info.georeference.crs else { panic!("{place:?}: {info:?}") };
            assert_eq!(crs.epsg(), place.epsg(), "{raster}");
            assert_eq!([info.georeference.west, info.georeference.north], place.corner());
            assert_eq!([info.georeference.step_x, info.georeference.step_y], place.step());
        }
    }
    let desk = desk(Place::Utm, 60, &corner_of_dem(60, 50));
    desk.does("hydro dem.tif -o f --vectors fgb");
    desk.does("hydro dem.tif -o g --vectors gpkg");
    for (file, starts) in [
        ("f/streams.fgb", &b"fgb\x03fgb"[..]),
        ("f/basins.fgb", b"fgb\x03fgb"),
        ("g/hydro.gpkg", b"SQLite format 3\0"),
    ] {
        assert!(desk.bytes(file).starts_with(starts), "{file}");
    }
    assert!(!desk.path("g/streams.geojson").exists() && !desk.path("f/streams.geojson").exists());
}

/// A plane with a gap of one cell: water runs round it, so the only basin has a hole.
#[test]
fn a_basin_may_have_a_hole() {
    let (cols, gap) = (20, 10 * 20 + 7);
    let z = |c: usize| if c == gap { f32::NAN } else { (3 * (14 - c / cols) + c % cols) as f32 };
    for place in [Place::Oblong, Place::Degrees] {
        let desk = desk(place, cols, &(0..cols * 15).map(z).collect::<Vec<_>>());
        desk.does("hydro dem.tif -o w");
        let basins = features(&desk, "w/basins.geojson");
        assert_eq!((basins.len(), rings(&basins[0]).len()), (1, 2));
        basins_agree(&desk, place, cols);
    }
}

#[test]
fn the_threads_make_no_difference() {
    let desk = desk(Place::Degrees, 300, &corner_of_dem(300, 200));
    for memory in ["4", "0.005"] {
        let more = if memory == "4" { "--layers all --runoff 400 --outlet 11.3,47.48" } else { "" };
        for threads in [1, 4] {
            desk.does(&format!("hydro dem.tif -o t{threads} --memory {memory} --threads {threads} {more}"));
        }
        let names: Vec<_> =
            std::fs::read_dir(desk.path("t1")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(names.len() > if memory == "4" { 25 } else { 7 }, "{names:?}");
        for name in names.iter().map(|n| n.to_str().unwrap()) {
            let [a, b] = ["t1", "t4"].map(|f| desk.bytes(&format!("{f}/{name}")));
            assert!(a == b, "--memory {memory}: {name}");
        }
        ["t1", "t4"].iter().for_each(|f| std::fs::remove_dir_all(desk.path(f)).unwrap());
    }
}

#[test]
fn the_summary_is_printed_for_machines() {
    let desk = desk(Place::Utm, 100, &corner_of_dem(100, 90));
    let printed: Value = serde_json::from_str(&desk.does("hydro dem.tif -o w --json")).unwrap();
    assert_eq!(printed, desk.json("w/summary.json"));
    assert_eq!(printed["input"]["cell_width_m"], 30.0);
    assert_eq!(printed["ground"]["data_cells"], 9000);
    let (width, height, ..) = desk.png("w/map.png");
    assert!(width > 100 && height > 90);
}
