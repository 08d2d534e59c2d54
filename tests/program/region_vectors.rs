//! The built program: regions as lines, points and areas, and several files of one call.

use crate::cli_support::{Desk, Grid};
use grid::math;
use serde_json::Value;

fn features(desk: &Desk, name: &str) -> Vec<Value> {
    desk.json(name)["features"].as_array().unwrap().clone()
}

/// All places of a geometry, however deep.
fn places(geometry: &Value) -> Vec<[f64; 2]> {
    fn dig(value: &Value, found: &mut Vec<[f64; 2]>) {
        match value.get(0) {
            Some(first) if first.is_number() => {
                found.push([first.as_f64().unwrap(), value[1].as_f64().unwrap()]);
            }
            _ => value.as_array().into_iter().flatten().for_each(|v| dig(v, found)),
        }
    }
    let mut found = Vec::new();
    dig(&geometry["coordinates"], &mut found);
    found
}

fn number(feature: &Value, name: &str) -> f64 {
    feature["properties"][name].as_f64().unwrap_or_else(|| panic!("{name}: {feature}"))
}

/// The value of the sample around a place.
fn sample(grid: &Grid, [x, y]: [f64; 2]) -> Option<f32> {
    let (column, row) = ((x - grid.west) / grid.step, (grid.north - y) / grid.step);
    let inside = column >= 0.0 && row >= 0.0 && column < grid.width as f64 && row < grid.height as f64;
    inside.then(|| grid.values[row as usize * grid.width + column as usize])
}

/// A box with rivers, mountains and lakes on the globe.
const PLACE: &str = "--bbox=-60,-50,60,50 --resolution 20000";

#[test]
fn rivers_run_in_their_channels_and_down() {
    let desk = Desk::with_globe();
    let classic = "--method classic --layers discharge,rivers";
    desk.does(&format!("region globe.terrane -o q.tif -o q.geojson {PLACE} {classic}"));
    let (grid, rivers) = (desk.geotiff("q.tif"), features(&desk, "q.geojson"));
    assert!(rivers.len() > 30, "{}", rivers.len());
    let (mut on, mut all) = (0, 0);
    for river in &rivers {
        let line = places(&river["geometry"]);
        for name in ["discharge_m3_s", "width_m", "length_km"] {
            assert!(number(river, name) > 0.0, "{name}");
        }
        assert!(number(river, "surface_from_m") >= number(river, "surface_to_m") - 1e-9);
        assert!(number(river, "bed_from_m") >= number(river, "bed_to_m") - 1e-9);
        for &place in &line {
            assert!((-60.2..=60.2).contains(&place[0]) && (-50.2..=50.2).contains(&place[1]), "{place:?}");
            on += usize::from(sample(&grid, place).is_some_and(|q| q > 0.0));
            all += 1;
        }
    }
    // mouths lie at sea, where no channel is drawn, and lakes have none
    assert!(on * 10 > all * 6, "{on} of {all}");
    let named = rivers.iter().filter(|r| r["properties"]["river"].as_str().is_some_and(|n| !n.is_empty()));
    assert!(named.count() > 0);
}

#[test]
fn lines_are_the_same_lines_in_every_region() {
    let desk = Desk::with_globe();
    let ask = |name: &str, bbox: &str, layers: &str| {
        desk.does(&format!(
            "region globe.terrane -o {name} --bbox={bbox} --resolution 12000 --layers {layers}"
        ));
        features(&desk, name)
    };
    for layer in ["rivers", "ridges", "buttresses", "peaks"] {
        let whole = ask("whole.geojson", "-60,-50,60,50", layer);
        let part = ask("part.geojson", "-10,-35,55,20", layer);
        let inside = |place: &[f64; 2]| (-9.9..54.9).contains(&place[0]) && (-34.9..19.9).contains(&place[1]);
        let keep = |features: &[Value]| -> Vec<String> {
            let lines = features.iter().map(|f| places(&f["geometry"]));
            lines.filter(|line| line.iter().all(inside)).map(|line| format!("{line:?}")).collect()
        };
        let (a, b) = (keep(&whole), keep(&part));
        assert!(!a.is_empty(), "{layer}");
        assert_eq!(a, b, "{layer}");
    }
}

#[test]
fn peaks_stand_on_samples() {
    let desk = Desk::with_globe();
    let line = "--bbox=-60,-50,60,50 --resolution 12000 --layers elevation,peaks,ridges";
    desk.does(&format!("region globe.terrane -o e.tif -o e.gpkg -o p.geojson {line}"));
    // a GeoJSON file holds one layer: of several each has its own
    let peaks = features(&desk, "p.peaks.geojson");
    assert!(!features(&desk, "p.ridges.geojson").is_empty());
    desk.does("region globe.terrane -o e1.tif --bbox=-60,-50,60,50 --resolution 12000");
    let grid = desk.geotiff("e1.tif");
    for peak in &peaks {
        assert!(number(peak, "height_m") > 0.0);
        let place = places(&peak["geometry"])[0];
        let expected = sample(&grid, place).unwrap();
        assert!((number(peak, "elevation_m") - f64::from(expected)).abs() < 1e-9, "{place:?}");
    }
    assert!(peaks.len() > 20, "{}", peaks.len());
}

/// Area by the shoelace formula, in square degrees.
fn area(geometry: &Value) -> f64 {
    let ring = |ring: &Value| -> f64 {
        let corners = places(&serde_json::json!({ "coordinates": ring }));
        corners.windows(2).map(|w| w[0][0] * w[1][1] - w[1][0] * w[0][1]).sum::<f64>() / 2.0
    };
    let polygon = |rings: &Value| rings.as_array().unwrap().iter().map(ring).sum::<f64>();
    match geometry["type"].as_str() {
        Some("Polygon") => polygon(&geometry["coordinates"]),
        _ => geometry["coordinates"].as_array().unwrap().iter().map(polygon).sum(),
    }
}

/// The size of a sample in a row of a raster of degrees on a globe with such a radius, or of metres.
fn sample_km2(grid: &Grid, row: usize, radius_km: Option<f64>) -> f64 {
    let north = grid.north - row as f64 * grid.step;
    match radius_km {
        Some(radius) => {
            let sine = |degrees: f64| math::sin(degrees.to_radians());
            radius * radius * grid.step.to_radians() * (sine(north) - sine(north - grid.step))
        }
        None => grid.step * grid.step * 1e-6,
    }
}

/// Each sample's square belongs to the polygon of its value, and nothing else does.
fn assert_areas(desk: &Desk, world: &str, place: &str, steps: f64) {
    let radius_km = if world.starts_with("globe") { Some(6371.0) } else { None };
    desk.does(&format!("region {world} -o basin.tif -o basins.geojson {place} --layers basin,basins"));
    let (grid, basins) = (desk.geotiff("basin.tif"), features(desk, "basins.geojson"));
    assert!(basins.len() > 5);
    for basin in &basins {
        let value = number(basin, "basin") as f32;
        let samples = grid.values.iter().filter(|v| **v == value).count() as f64;
        let squares = area(&basin["geometry"]) / (grid.step * grid.step);
        assert!((squares - samples).abs() < steps + 1e-6 * samples, "basin {value}: {squares} {samples}");
        if steps < 1.0 {
            let rows = grid.values.chunks(grid.width).enumerate();
            let counts =
                rows.map(|(row, values)| (row, values.iter().filter(|v| **v == value).count() as f64));
            let km2: f64 = counts.map(|(row, count)| count * sample_km2(&grid, row, radius_km)).sum();
            let said = number(basin, "area_km2");
            assert!((said - km2).abs() < 1e-6 * km2, "basin {value}: {said} {km2}");
        }
    }
    let numbers: std::collections::BTreeSet<i64> =
        grid.values.iter().filter(|v| **v >= 0.0).map(|v| *v as i64).collect();
    assert_eq!(basins.len(), numbers.len());
}

#[test]
fn basins_cover_their_samples() {
    let desk = Desk::with_globe();
    assert_areas(&desk, "globe.terrane", "--bbox=-60,-50,60,50 --resolution 50000", 0.001);
    // half a column on the antimeridian at each end belongs to nobody
    assert_areas(&desk, "globe.terrane", "--bbox=-180,-90,180,90 --resolution 100000", 40.0);
    assert_areas(&desk, "globe.terrane", "--bbox=100,-60,-60,60 --resolution 50000", 0.001);
    let desk = Desk::with_isle();
    assert_areas(&desk, "isle.terrane", "--bbox=0,0,1200000,900000 --resolution 10000", 0.001);
}

#[test]
fn lakes_are_level_and_hold_their_samples() {
    let desk = Desk::with_globe();
    let line = "--bbox=-180,-60,179,80 --resolution 40000 --layers water_depth,lakes";
    desk.does(&format!("region globe.terrane -o lakes.tif {line}"));
    let lakes = features(&desk, "lakes.lakes.geojson");
    assert!(lakes.len() > 3, "{}", lakes.len());
    let depth = desk.geotiff("lakes.tif");
    let mut levels: Vec<f64> = Vec::new();
    for lake in &lakes {
        levels.push(number(lake, "level_m"));
        assert!(number(lake, "depth_max_m") > 0.0 && area(&lake["geometry"]) > 0.0);
        // somewhere between 60 degrees south and 80 degrees north
        let equatorial_km2 = area(&lake["geometry"]) * 111.195 * 111.195;
        let share = number(lake, "area_km2") / equatorial_km2;
        assert!((0.17..=1.001).contains(&share), "{share}");
        assert!(lake["properties"]["salt"].is_boolean(), "{}", lake["properties"]);
        // a corner of samples touches at least one that is wet
        let [x, y] = places(&lake["geometry"])[0];
        let h = depth.step / 2.0;
        let beside = [[x - h, y - h], [x + h, y - h], [x - h, y + h], [x + h, y + h]];
        assert!(beside.iter().any(|&p| sample(&depth, p).is_some_and(|d| d > 0.0)), "{x} {y}");
    }
    assert!(levels.is_sorted() && levels.windows(2).all(|w| w[0] < w[1]), "one lake a level");
}

#[test]
fn lines_are_cut_at_polygons() {
    let desk = Desk::with_globe();
    desk.put("d.geojson", "{\"type\":\"Polygon\",\"coordinates\":[[[-60,0],[0,-50],[60,0],[0,50]]]}");
    desk.does("region globe.terrane -o cut.geojson --polygon d.geojson --resolution 20000 --layers rivers");
    desk.does(&format!("region globe.terrane -o all.geojson {PLACE} --layers rivers"));
    let (cut, all) = (features(&desk, "cut.geojson"), features(&desk, "all.geojson"));
    let inside = |place: &[f64; 2], slack: f64| place[0].abs() / 60.0 + place[1].abs() / 50.0 <= 1.0 + slack;
    // files hold ten-millionths of a degree
    assert!(cut.iter().flat_map(|f| places(&f["geometry"])).all(|p| inside(&p, 4e-9)));
    let count = |features: &[Value]| {
        features.iter().filter(|f| places(&f["geometry"]).iter().all(|p| inside(p, -1e-9))).count()
    };
    assert!(count(&cut) >= count(&all) && count(&all) > 5, "{} {}", count(&cut), count(&all));
}

#[test]
fn regions_over_the_antimeridian_have_lines_on_both_sides() {
    let desk = Desk::with_globe();
    for place in ["--bbox=120,-80,-120,60 --resolution 12000", "--at=180,0 --span 9000 --resolution 12000"] {
        desk.does(&format!("region globe.terrane -o a.geojson {place} --layers rivers"));
        let all: Vec<[f64; 2]> =
            features(&desk, "a.geojson").iter().flat_map(|f| places(&f["geometry"])).collect();
        let east = all.iter().filter(|p| p[0] > 0.0).count();
        assert!(east > 0 && east < all.len(), "{place}: {east} of {}", all.len());
        assert!(all.iter().all(|p| p[0].abs() <= 180.0 && p[0].abs() > 100.0));
    }
}

#[test]
fn one_call_writes_several_files() {
    let desk = Desk::with_globe();
    let layers = "--layers elevation,rivers,lakes,discharge";
    desk.does(&format!("region globe.terrane -o one.tif {PLACE} {layers}"));
    desk.does(&format!("region globe.terrane -o two.png -o two.r32 -o two.gpkg {PLACE} {layers}"));
    desk.does(&format!("region globe.terrane -o three.fgb {PLACE} --layers rivers,lakes"));
    desk.does(&format!("region globe.terrane -o four.fgb {PLACE}"));
    let names = |stem: &str| -> Vec<String> {
        let all = desk.inventory().into_keys().map(|p| p.file_name().unwrap().to_string_lossy().into_owned());
        all.filter(|name| name.starts_with(stem)).collect()
    };
    assert_eq!(names("one"), ["one.lakes.geojson", "one.rivers.geojson", "one.tif"]);
    assert_eq!(names("two"), ["two.gpkg", "two.png", "two.r32", "two.r32.json"]);
    assert_eq!(names("three"), ["three.lakes.fgb", "three.rivers.fgb"]);
    assert_eq!(names("four"), ["four.fgb"], "rivers, if nothing is said");
    let raw = desk.raw("two.r32");
    desk.does(&format!("region globe.terrane -o alone.tif {PLACE}"));
    let alone = desk.geotiff("alone.tif");
    assert_eq!(raw.len(), 2 * alone.values.len());
    assert_eq!(raw[..alone.values.len()], alone.values);
    desk.does(&format!("region globe.terrane -o alone.geojson {PLACE} --layers rivers"));
    assert_eq!(desk.json("alone.geojson")["features"], desk.json("one.rivers.geojson")["features"]);
}

#[test]
fn a_flat_map_has_lines_in_metres() {
    let desk = Desk::with_isle();
    desk.does(
        "region isle.terrane -o m.geojson --bbox 0,0,1200000,900000 --resolution 3000 --layers rivers,ridges",
    );
    for layer in ["rivers", "ridges"] {
        let all = features(&desk, &format!("m.{layer}.geojson"));
        assert!(all.len() > 10, "{layer}: {}", all.len());
        let places: Vec<[f64; 2]> = all.iter().flat_map(|f| places(&f["geometry"])).collect();
        assert!(places.iter().all(|p| (-1500.0..=1_201_500.0).contains(&p[0])), "{layer}");
        assert!(places.iter().any(|p| p[0] > 1000.0 && p[1] > 1000.0));
    }
}

#[test]
fn files_and_layers_that_do_not_fit_are_refused() {
    let desk = Desk::with_globe();
    let place = "--at 0,0 --span 900 --resolution 30000";
    for (args, why) in [
        ("-o out.xyz", ".gpkg"),
        ("-o out", ".gpkg"),
        ("-o out.geojson --layers elevation", "elevation is sampled"),
        ("-o out.gpkg --layers rivers,order", "order is sampled"),
        ("-o out.tif --layers rivers", "add elevation"),
        ("-o out.tif -o out.gpkg --layers elevation", "add rivers"),
        ("-o out.tif -o out.tif", "twice"),
        ("-o out.tif -o ./out.tif", "./out.tif: it would be written twice"),
        ("-o out.r32 -o out.r32.json --layers elevation,rivers", "twice"),
        ("-o out.png -o out.gpkg --layers rain,rivers", "a picture shows terrain"),
        ("-o out.tif --layers elevation,river", "\"river\""),
        ("-o nowhere/out.tif", "nowhere"),
        ("-o globe.terrane", "must end in"),
        ("-o out.tif --memory 0", "--max-memory"),
        ("-o out.tif --memory nan", "--max-memory"),
        ("-o out.tif --memory 0.01", "at least"),
        ("-o out.geojson --style atlas", "only a .png"),
    ] {
        let said = desk.refused(&format!("region globe.terrane {place} {args}"), 2);
        assert!(said.contains(why), "{args}: {said}");
    }
    for (args, why) in [
        ("--tile 1/2/3/4", "Z/X/Y"),
        ("--tile 1/-1/0", "Z/X/Y"),
        ("--tile a/b/c", "Z/X/Y"),
        ("--tile 3/8/0", "from 0 to 7"),
        ("--tile 3/0/8", "from 0 to 7"),
        ("--tile 23/0/0", "zoom 23"),
        ("--tile 3/0/0 --resolution 100", "--resolution"),
        ("--tile 3/0/0 --level 3", "--level"),
        ("--tile 3/0/0 --tile-size 300", "256, 512"),
        ("--at 0,0 --span 9 --resolution 900 --tile-size 512", "--tile-size"),
        ("--cell 6/0/0", "faces 0 to 5"),
        ("--cell 0/32/0", "rows 0 to 31"),
        ("--cell 0/0/32", "columns 0 to 31"),
        ("--cell 0/0", "FACE/ROW/COLUMN"),
        ("--cell 0/0/0 --level 21", "from 0 to 20"),
        ("--cell 0/0/0 --level 20", "samples"),
        ("--cell-at 181,0", "181"),
        ("--cell-at 1", "LON,LAT"),
        ("--at 0,0 --span 100,0 --resolution 1000", "--span"),
        ("--at 0,0 --span 100,100,100 --resolution 1000", "--span"),
    ] {
        let said = desk.refused(&format!("region globe.terrane -o out.tif {args}"), 2);
        assert!(said.contains(why), "{args}: {said}");
    }
    let isle = Desk::with_isle();
    let said = isle.refused("region isle.terrane -o out.tif --tile 3/1/1", 2);
    assert!(said.contains("no web tiles"), "{said}");
    for args in ["--cell 1/0/0", "--cell-at=-5,10"] {
        isle.refused(&format!("region isle.terrane -o out.tif {args}"), 2);
    }
}

/// What a refusal says would fit, fits.
#[test]
fn what_would_fit_is_said() {
    let desk = Desk::with_globe();
    // a GeoTIFF would be written piece by piece
    let line =
        "region globe.terrane -o out.png --style height --at 0,0 --span 400 --resolution 20 --memory 1";
    let said = desk.refused(line, 2);
    assert!(said.contains("20001 x 20001 samples") && said.contains("GB"), "{said}");
    let resolution = said.split("resolution of ").nth(1).unwrap().split(' ').next().unwrap();
    let metres: f64 = resolution.parse().unwrap();
    assert!((50.0..80.0).contains(&metres), "{said}");
    let side: f64 = said.split("at most ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let samples = 400_000.0 / metres;
    assert!(samples <= side * 1.01 && samples > side * 0.85, "{said}");
}
