//! The built program: rivers as a table, for machines, as lines, and the way to the sea.

use crate::cli_support::Desk;
use grid::math;
use serde_json::Value;
use std::collections::BTreeSet;

fn listed(desk: &Desk, line: &str) -> Vec<Value> {
    let text = desk.does(line);
    serde_json::from_str::<Value>(&text).unwrap().as_array().unwrap().clone()
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn point(value: &Value) -> [f64; 2] {
    [value[0].as_f64().unwrap(), value[1].as_f64().unwrap()]
}

/// The lines of a feature, one or more.
fn lines(feature: &Value) -> Vec<Vec<[f64; 2]>> {
    let geometry = &feature["geometry"];
    let line = |v: &Value| v.as_array().unwrap().iter().map(point).collect::<Vec<_>>();
    match geometry["type"].as_str().unwrap() {
        "LineString" => vec![line(&geometry["coordinates"])],
        "MultiLineString" => geometry["coordinates"].as_array().unwrap().iter().map(line).collect(),
        other => panic!("a river is no {other}"),
    }
}

#[test]
fn rivers_are_listed_from_the_greatest_down() {
    let desk = Desk::with_globe();
    let all = listed(&desk, "rivers globe.terrane --json --top 100000");
    assert!(all.len() > 100, "{}", all.len());
    for pair in all.windows(2) {
        assert!(number(&pair[0], "discharge_m3_s") >= number(&pair[1], "discharge_m3_s"));
    }
    for river in &all {
        assert!(number(river, "length_km") > 0.0 && number(river, "drainage_km2") > 0.0);
        assert!((1.0..4.0).contains(&number(river, "sinuosity")), "{river}");
        let width = 7.2 * number(river, "discharge_m3_s").sqrt();
        assert!((number(river, "width_m") / width - 1.0).abs() < 1e-9, "{river}");
        assert!(["delta", "estuary", "mouth", "lake", "dry"].contains(&word(river, "ends_in")), "{river}");
        let (sediment, tide) = (number(river, "sediment_kg_s"), number(river, "tide_m"));
        assert!(sediment >= 0.0 && (0.0..=15.0).contains(&tide), "{river}");
        assert_eq!(river["great"], number(river, "discharge_m3_s") >= 5000.0);
        assert_eq!(word(river, "name").is_empty(), number(river, "drainage_km2") < 10_000.0, "{river}");
        for end in ["mouth", "source"] {
            let [lon, lat] = point(&river[end]);
            assert!((-180.0..=180.0).contains(&lon) && (-90.0..=90.0).contains(&lat), "{river}");
        }
    }
    let names: Vec<&str> = all.iter().map(|r| word(r, "name")).filter(|n| !n.is_empty()).collect();
    assert!(names.len() > 30, "{}", names.len());
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "no name twice");
    assert_eq!(listed(&desk, "rivers globe.terrane --json").len(), 20);
    assert_eq!(listed(&desk, "rivers globe.terrane --json --top 3"), all[..3]);
}

#[test]
fn the_table_says_the_same() {
    let desk = Desk::with_globe();
    let rivers = listed(&desk, "rivers globe.terrane --json --top 5");
    let table = desk.does("rivers globe.terrane --top 5");
    let rows: Vec<&str> = table.lines().skip(2).collect();
    assert_eq!(rows.len(), 5, "{table}");
    for (row, river) in rows.iter().zip(&rivers) {
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words[1], word(river, "name"), "{row}");
        assert_eq!(words[2], format!("{:.0}", number(river, "discharge_m3_s")), "{row}");
        assert!(words.contains(&word(river, "ends_in")), "{row}");
        let mouth = point(&river["mouth"]);
        assert!(words.contains(&format!("{:.2},{:.2}", mouth[0], mouth[1]).as_str()), "{row} {river}");
    }
    assert!(table.contains("m3/s") && table.contains("km2"), "{table}");
}

#[test]
fn small_rivers_are_left_out() {
    let desk = Desk::with_globe();
    let all = listed(&desk, "rivers globe.terrane --json --top 100000");
    let least = number(&all[10], "discharge_m3_s");
    let great = listed(&desk, &format!("rivers globe.terrane --json --top 100000 --min-discharge {least}"));
    assert_eq!(great, all[..11]);
    assert!(listed(&desk, "rivers globe.terrane --json --min-discharge 1e9").is_empty());
}

/// Whether a place lies in a box from 30 south to 50 north.
fn is_between(west: f64, east: f64, [lon, lat]: [f64; 2]) -> bool {
    let across = if west > east { lon >= west || lon <= east } else { lon >= west && lon <= east };
    (-30.0..=50.0).contains(&lat) && across
}

/// The reaches of a river's main stem, by the numbers and ends that the lines carry: from the mouth up, at every
/// junction along the inflow with more discharge.
fn stem<'a>(mouth: &'a Value, features: &'a [Value]) -> Vec<&'a Value> {
    let above = |lower: &&'a Value| {
        let number_of = lower["properties"]["reach"].as_u64();
        let inflows = features.iter().filter(|f| f["properties"]["downstream"].as_u64() == number_of);
        let q = |f: &Value| number(&f["properties"], "discharge_m3_s");
        inflows.max_by(|a, b| q(a).total_cmp(&q(b)))
    };
    std::iter::successors(Some(mouth), above).collect()
}

#[test]
fn a_box_means_the_same_for_rivers_and_for_their_reaches() {
    let desk = Desk::with_globe();
    desk.does("rivers globe.terrane -o all.geojson");
    let all = desk.json("all.geojson")["features"].as_array().unwrap().clone();
    let mouths: Vec<&Value> = all.iter().filter(|f| f["properties"]["downstream"].is_null()).collect();
    for (west, east) in [(-60.0, 40.0), (150.0, -120.0)] {
        let place = format!("--bbox {west},-30,{east},50");
        desk.does(&format!("rivers globe.terrane -o near.geojson {place}"));
        let near = desk.json("near.geojson")["features"].as_array().unwrap().clone();
        // a river counts as soon as one of its reaches does
        let mut expected: Vec<f64> = mouths
            .iter()
            .filter(|mouth| stem(mouth, &all).iter().any(|reach| near.contains(reach)))
            .map(|mouth| number(&mouth["properties"], "discharge_m3_s"))
            .collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        let rivers = listed(&desk, &format!("rivers globe.terrane --json --top 100000 {place}"));
        let found: Vec<f64> = rivers.iter().map(|r| number(r, "discharge_m3_s")).collect();
        assert_eq!(found, expected);
        let ends = |river: &Value| ["mouth", "source"].map(|end| is_between(west, east, point(&river[end])));
        assert!(rivers.iter().any(|r| ends(r) == [false, true]), "some rivers flow out of the box");
        let everywhere = listed(&desk, "rivers globe.terrane --json --top 100000");
        assert!(everywhere.iter().all(|r| ends(r) == [false, false] || rivers.contains(r)));
        assert!(rivers.len() < everywhere.len() && near.len() < all.len());
    }
}

#[test]
fn reaches_are_written_as_lines() {
    let desk = Desk::with_globe();
    desk.does("rivers globe.terrane -o all.geojson");
    let collection = desk.json("all.geojson");
    assert_eq!(collection["type"], "FeatureCollection");
    let features = collection["features"].as_array().unwrap();
    assert!(features.len() > 300, "{}", features.len());
    // basins are numbered as rivers are listed
    let rivers = listed(&desk, "rivers globe.terrane --json --top 100000");
    for feature in features {
        assert_eq!(feature["type"], "Feature");
        let properties = &feature["properties"];
        assert!(number(properties, "discharge_m3_s") > 0.0 && number(properties, "order") >= 1.0);
        assert!(number(properties, "width_m") > 0.0 && number(properties, "sinuosity") >= 1.0);
        let outlet = &rivers[number(properties, "basin") as usize];
        assert_eq!((&properties["river"], &properties["ends_in"]), (&outlet["name"], &outlet["ends_in"]));
        assert!(number(properties, "drainage_km2") <= number(outlet, "drainage_km2") * 1.000_001);
        for line in lines(feature) {
            assert!(line.len() >= 2);
            for [lon, lat] in &line {
                assert!((-180.0..=180.0).contains(lon) && (-90.0..=90.0).contains(lat), "{lon} {lat}");
            }
            for pair in line.windows(2) {
                assert!((pair[0][0] - pair[1][0]).abs() <= 180.0, "no line runs round the globe");
            }
        }
    }
}

/// Drainage grows down every river; discharge too, where lakes lose none of it.
#[test]
fn a_reach_ends_where_the_next_begins_and_carries_no_more() {
    let desk = Desk::with_globe();
    reaches_join(&desk, "globe.terrane", "drainage_km2");
    desk.does("generate -o wet.terrane --cells 32 --set water.evaporation=0 --quiet");
    reaches_join(&desk, "wet.terrane", "drainage_km2");
    reaches_join(&desk, "wet.terrane", "discharge_m3_s");
}

fn reaches_join(desk: &Desk, world: &str, grows: &str) {
    desk.does(&format!("rivers {world} -o all.geojson"));
    let collection = desk.json("all.geojson");
    let features = collection["features"].as_array().unwrap();
    let mut joined = 0;
    for upper in features {
        let Some(below) = upper["properties"]["downstream"].as_u64() else { continue };
        let lower = features.iter().find(|f| f["properties"]["reach"].as_u64() == Some(below));
        let Some(lower) = lower else { continue };
        let [above, below] = [upper, lower].map(|reach| number(&reach["properties"], grows));
        assert!(above <= below * 1.000_001, "{grows} of {above} into {below}");
        let (end, start) = (*lines(upper).last().unwrap().last().unwrap(), lines(lower)[0][0]);
        assert!((end[0] - start[0]).abs() < 1e-6 && (end[1] - start[1]).abs() < 1e-6, "{end:?} {start:?}");
        joined += 1;
    }
    assert!(joined > 100, "{joined}");
}

#[test]
fn lines_of_great_rivers_in_a_box() {
    let desk = Desk::with_globe();
    desk.does("rivers globe.terrane -o all.geojson");
    desk.does("rivers globe.terrane -o some.geojson --min-discharge 2000 --bbox -60,-30,40,50");
    let (all, some) = (desk.json("all.geojson"), desk.json("some.geojson"));
    let (all, some) = (all["features"].as_array().unwrap(), some["features"].as_array().unwrap());
    assert!(!some.is_empty() && some.len() < all.len());
    for feature in some {
        assert!(number(&feature["properties"], "discharge_m3_s") >= 2000.0);
        assert!(all.contains(feature), "a reach is the same reach in every selection");
    }
}

#[test]
fn lines_of_a_flat_map_are_in_metres() {
    let desk = Desk::with_isle();
    desk.does("rivers isle.terrane -o isle.geojson");
    let collection = desk.json("isle.geojson");
    let features = collection["features"].as_array().unwrap();
    assert!(features.len() > 20, "{}", features.len());
    for [x, y] in features.iter().flat_map(lines).flatten() {
        assert!((0.0..=1.2e6).contains(&x) && (0.0..=0.9e6).contains(&y), "{x} {y}");
    }
    let first = &listed(&desk, "rivers isle.terrane --json")[0];
    assert!(point(&first["source"])[0] > 1000.0, "metres: {first}");
}

/// A line that runs through a box between the middles of two cells is in it all the same.
#[test]
fn a_box_around_any_part_of_a_river_finds_it() {
    let desk = Desk::with_globe();
    desk.does("rivers globe.terrane -o rivers.geojson --min-discharge 500");
    let written = desk.json("rivers.geojson");
    let reaches = written["features"].as_array().unwrap();
    assert!(reaches.len() > 20, "{}", reaches.len());
    for reach in reaches.iter().step_by(reaches.len() / 12) {
        let line = &lines(reach)[0];
        let [x, y] = line[line.len() / 2];
        let (west, east, turn) = (x - 0.01, x + 0.01, |x: f64| (x + 540.0) % 360.0 - 180.0);
        let area = format!("{},{},{},{}", turn(west), y - 0.01, turn(east), y + 0.01);
        desk.does(&format!("rivers globe.terrane -o found.geojson --bbox={area}"));
        let found = desk.json("found.geojson");
        let is_own = |other: &Value| other["properties"]["reach"] == reach["properties"]["reach"];
        assert!(found["features"].as_array().unwrap().iter().any(is_own), "{reach} in {area}");
    }
    desk.does("rivers globe.terrane -o found.geojson --bbox=-180,-89.9,180,-89.8");
    assert!(
        desk.json("found.geojson")["features"].as_array().unwrap().is_empty(),
        "nothing runs at the pole"
    );
}

/// The table's mean heights are those of the ground that regions show.
#[test]
fn heights_of_basins_are_those_of_the_land_that_is_drawn() {
    let desk = Desk::with_globe();
    let mut rows = listed(&desk, "rivers globe.terrane --basins --json --top 100000");
    let volume = |row: &Value| number(row, "area_km2") * number(row, "mean_height_m");
    rows.sort_by(|a, b| volume(b).total_cmp(&volume(a)));
    desk.does("rivers globe.terrane -o basins.geojson --layer basins");
    let areas = desk.json("basins.geojson");
    for row in &rows[..3] {
        let is_own = |area: &&Value| area["properties"]["basin"] == row["basin"];
        let area = areas["features"].as_array().unwrap().iter().find(is_own).unwrap();
        desk.put("basin.geojson", area.to_string());
        desk.does(
            "region globe.terrane --polygon basin.geojson --resolution 1500 --layers elevation -o heights.tif",
        );
        let heights = desk.geotiff("heights.tif").values;
        let heights: Vec<f64> = heights.into_iter().filter(|z| z.is_finite()).map(f64::from).collect();
        let mean_m = heights.iter().sum::<f64>() / heights.len() as f64;
        let (told_m, relief_m) = (number(row, "mean_height_m"), number(row, "relief_m"));
        let drawn_m =
            heights.iter().fold(f64::MIN, |a, b| a.max(*b)) - heights.iter().fold(f64::MAX, |a, b| a.min(*b));
        println!("{row}: mean {mean_m}, relief {drawn_m}");
        assert!((told_m / mean_m - 1.0).abs() < 0.1, "{row}: {mean_m}");
        assert!((relief_m / drawn_m - 1.0).abs() < 0.2, "{row}: {drawn_m}");
    }
}

#[test]
fn water_runs_from_a_source_to_its_mouth() {
    let mut same = 0;
    for (desk, world) in [(Desk::with_globe(), "globe.terrane"), (Desk::with_isle(), "isle.terrane")] {
        let basins = listed(&desk, &format!("rivers {world} --basins --json --top 100000"));
        for river in listed(&desk, &format!("rivers {world} --json --top 5")) {
            let [x, y] = point(&river["source"]);
            let text = desk.does(&format!("rivers {world} --from {x},{y} --json"));
            let way: Value = serde_json::from_str(&text).unwrap();
            assert!(number(&way, "drop_m") >= 0.0, "{way}");
            assert!(number(&way, "discharge_at_mouth_m3_s") >= number(&way, "discharge_at_start_m3_s"));
            // divides of the land that is drawn run a little otherwise than the world's cells: what counts is the basin there
            let own = basin_at(&desk, world, [x, y]);
            let basin = basins.iter().find(|basin| basin["basin"] == own).unwrap();
            assert_eq!(way["river"], basin["name"], "{river}");
            let (a, b) = (number(&way, "discharge_at_mouth_m3_s"), number(basin, "discharge_m3_s"));
            assert!((a / b - 1.0).abs() < 1e-6, "the mouth is the river's: {a} {b}");
            same += usize::from(way["river"] == river["name"]);
            assert!(number(&way, "length_km") > 0.0 && point(&way["mouth"])[0].is_finite());
            let (end, words) = match way["ends_in"].as_str().unwrap() {
                "closed lake" => (way["lake"].is_u64(), "reaches a closed lake"),
                "sea" => (way["lake"].is_null(), "reaches the sea"),
                other => panic!("the river ends in: {other}"),
            };
            let in_lakes =
                way["profile"].as_array().unwrap().iter().filter(|station| station["lake"].is_u64());
            in_lakes.for_each(|station| assert!(station["width_m"].is_null(), "{station}"));
            let told = desk.does(&format!("rivers {world} --from {x},{y}"));
            assert!(end && told.contains(words), "{told}");
            desk.does(&format!("rivers {world} --from {x},{y} -o way.geojson"));
            let written = desk.json("way.geojson");
            let features = written["features"].as_array().unwrap();
            assert_eq!(features.len(), 1);
            let end = *lines(&features[0]).last().unwrap().last().unwrap();
            let mouth = point(&way["mouth"]);
            assert!((end[0] - mouth[0]).abs() < 0.01 && (end[1] - mouth[1]).abs() < 0.01, "{end:?}");
        }
    }
    assert!(same >= 7, "{same} of ten sources lie in the basins of their rivers");
}

/// The number of the basin that a place lies in, as the land is drawn.
fn basin_at(desk: &Desk, world: &str, [x, y]: [f64; 2]) -> f64 {
    desk.does(&format!("region {world} --at={x},{y} --size 2 --resolution 30 --layers basin -o basin.tif"));
    desk.geotiff("basin.tif").values[0].into()
}

#[test]
fn in_the_sea_there_is_no_way_to_follow() {
    let desk = Desk::with_isle();
    assert!(desk.refused("rivers isle.terrane --from 2000,2000", 1).contains("sea"));
    // what is land on a near map has a way, also where the world's cell is one of the sea
    let place = "--bbox=700000,400000,900000,600000 --resolution 500";
    desk.does(&format!("region isle.terrane -o surface.tif {place} --layers water_surface"));
    let (grid, mut count) = (desk.geotiff("surface.tif"), 0);
    let is_coast = |k: &usize| grid.values[*k] > 20.0 && grid.values[k - 8].min(grid.values[k + 8]) <= 0.0;
    for k in (8..grid.values.len() - 8).filter(is_coast).step_by(60) {
        let x = grid.west + ((k % grid.width) as f64 + 0.5) * grid.step;
        let y = grid.north - ((k / grid.width) as f64 + 0.5) * grid.step;
        desk.does(&format!("rivers isle.terrane --from {x},{y} --json"));
        count += 1;
    }
    assert!(count > 10, "{count}");
    assert!(desk.refused("rivers isle.terrane --from 2000,2000 -o way.geojson", 1).contains("sea"));
}

#[test]
fn a_way_has_no_least_discharge() {
    let desk = Desk::with_isle();
    let refusal = desk.refused("rivers isle.terrane --from 600000,450000 --min-discharge 10", 2);
    assert!(refusal.contains("--min-discharge") && refusal.contains("--from"), "{refusal}");
}

/// The areas of a feature, each a list of closed rings.
fn areas(feature: &Value) -> Vec<Vec<Vec<[f64; 2]>>> {
    let geometry = &feature["geometry"];
    let ring = |v: &Value| v.as_array().unwrap().iter().map(point).collect::<Vec<_>>();
    let area = |v: &Value| v.as_array().unwrap().iter().map(ring).collect::<Vec<_>>();
    match word(geometry, "type") {
        "Polygon" => vec![area(&geometry["coordinates"])],
        "MultiPolygon" => geometry["coordinates"].as_array().unwrap().iter().map(area).collect(),
        other => panic!("a basin is no {other}"),
    }
}

fn twice_area(ring: &[[f64; 2]]) -> f64 {
    ring.windows(2).map(|s| s[0][0] * s[1][1] - s[1][0] * s[0][1]).sum()
}

fn is_in(areas: &[Vec<Vec<[f64; 2]>>], [x, y]: [f64; 2]) -> bool {
    let crosses = |s: &[[f64; 2]]| {
        let ([ax, ay], [bx, by]) = (s[0], s[1]);
        (ay > y) != (by > y) && ax + (bx - ax) * (y - ay) / (by - ay) < x
    };
    areas.iter().flatten().flat_map(|ring| ring.windows(2)).filter(|s| crosses(s)).count() % 2 == 1
}

/// Area of what rings of longitudes and latitudes hold, on a sphere, in km2: sides of cells are short, so a mean
/// latitude is good to a few parts in a hundred.
fn area_km2(areas: &[Vec<Vec<[f64; 2]>>]) -> f64 {
    let side = |s: &[[f64; 2]]| {
        let [sin_a, sin_b] = [s[0][1], s[1][1]].map(|deg| math::sin(deg.to_radians()));
        -(s[1][0] - s[0][0]).to_radians() * (sin_a + sin_b) / 2.0
    };
    6371.0088 * 6371.0088 * areas.iter().flatten().flat_map(|r| r.windows(2)).map(side).sum::<f64>()
}

#[test]
fn choices_are_known_whatever_their_case() {
    let desk = Desk::with_globe();
    desk.does("rivers globe.terrane -o small.geojson --layer outlets");
    desk.does("rivers globe.terrane -o large.geojson --layer OUTLETS");
    assert_eq!(desk.json("small.geojson"), desk.json("large.geojson"));
}

/// On a globe of an even and of an odd number of cells a side: the antimeridian runs along sides, or through cells.
#[test]
fn basins_are_areas_that_hold_their_outlets_and_have_their_size() {
    let desk = Desk::with_globe();
    desk.does("generate -o odd.terrane --cells 31 --quiet");
    for world in ["globe.terrane", "odd.terrane"] {
        desk.does(&format!("rivers {world} -o basins.geojson --layer basins"));
        desk.does(&format!("rivers {world} -o outlets.geojson --layer outlets"));
        let (basins, outlets) = (desk.json("basins.geojson"), desk.json("outlets.geojson"));
        let (basins, outlets) =
            (basins["features"].as_array().unwrap(), outlets["features"].as_array().unwrap());
        let table = listed(&desk, &format!("rivers {world} --basins --json --top 100000"));
        assert!(basins.len() > 100 && basins.len() == outlets.len() && basins.len() == table.len());
        let (mut found, mut expected) = (0.0, 0.0);
        for ((basin, outlet), row) in basins.iter().zip(outlets).zip(&table) {
            let areas = areas(basin);
            assert_eq!(basin["properties"]["basin"], outlet["properties"]["basin"]);
            let place = point(&outlet["geometry"]["coordinates"]);
            assert!(is_in(&areas, place), "{place:?} {basin}");
            for area in &areas {
                assert!(twice_area(&area[0]) > 0.0 && area[1..].iter().all(|hole| twice_area(hole) < 0.0));
                for ring in area {
                    assert_eq!(ring.first(), ring.last());
                    assert!(ring.iter().all(|p| p[0].abs() <= 180.0 && p[1].abs() <= 90.0));
                }
            }
            let drains = number(&outlet["properties"], "drainage_km2");
            assert!((number(row, "area_km2") / drains - 1.0).abs() < 1e-6, "{row} {outlet}");
            (found, expected) = (found + area_km2(&areas), expected + drains);
            let integral = row["hypsometric_integral"].as_f64();
            assert!(integral.is_none_or(|share| (0.0..=1.0).contains(&share)), "{row}");
            assert!(number(row, "longest_km") >= 0.999_999 * number(row, "length_km"), "{row}");
            let runoff_mm = number(row, "discharge_m3_s") * 31_557_600.0 / number(row, "area_km2") / 1000.0;
            assert!((number(row, "runoff_mm") - runoff_mm).abs() <= 1e-6 * runoff_mm, "{row}");
        }
        assert!((found / expected - 1.0).abs() < 0.02, "{world}: {found} {expected}");
    }
}

#[test]
fn basins_of_a_flat_map_have_their_area_to_the_cell() {
    let desk = Desk::with_isle();
    desk.does("rivers isle.terrane -o basins.geojson --layer basins");
    let basins = desk.json("basins.geojson");
    for basin in basins["features"].as_array().unwrap() {
        let twice: f64 = areas(basin).iter().flatten().map(|ring| twice_area(ring)).sum();
        let km2 = number(&basin["properties"], "area_km2");
        assert!((twice / 2e6 / km2 - 1.0).abs() < 1e-9, "{twice} {km2}");
    }
}

#[test]
fn a_table_of_basins_has_a_row_for_each() {
    let desk = Desk::with_isle();
    let rows = listed(&desk, "rivers isle.terrane --basins --json --top 5");
    let table = desk.does("rivers isle.terrane --basins --top 5");
    assert_eq!((rows.len(), table.lines().count()), (5, 7), "{table}");
    for (line, row) in table.lines().skip(2).zip(&rows) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(words.contains(&word(row, "ends_in")), "{line}");
        assert_eq!(
            words[words.len() - 2..],
            [row["reaches"].to_string(), row["order"].to_string()],
            "{line}"
        );
    }
}

/// Every format says the same number of features; a GeoPackage holds all three layers.
#[test]
fn other_formats_are_written_and_what_is_empty_is_a_file_too() {
    let desk = Desk::with_isle();
    for layer in ["rivers", "basins", "outlets"] {
        desk.does(&format!("rivers isle.terrane -o {layer}.fgb --layer {layer}"));
        assert_eq!(&desk.bytes(&format!("{layer}.fgb"))[..4], b"fgb\x03");
        desk.does(&format!("rivers isle.terrane -o none.geojson --layer {layer} --min-discharge 1e9"));
        assert!(desk.json("none.geojson")["features"].as_array().unwrap().is_empty());
        desk.does(&format!("rivers isle.terrane -o none.fgb --layer {layer} --min-discharge 1e9"));
    }
    if cfg!(feature = "gpkg") {
        desk.does("rivers isle.terrane -o all.gpkg");
        let bytes = desk.bytes("all.gpkg");
        assert_eq!(&bytes[..15], b"SQLite format 3");
        for layer in ["rivers", "basins", "outlets"] {
            let name = format!("rtree_{layer}_geom");
            assert!(bytes.windows(name.len()).any(|w| w == name.as_bytes()), "{layer}");
        }
        desk.does("rivers isle.terrane -o none.gpkg --min-discharge 1e9");
    } else {
        assert!(desk.refused("rivers isle.terrane -o all.gpkg", 2).contains("without GeoPackages"));
    }
    assert!(desk.refused("rivers isle.terrane --layer basins", 2).contains("--output"));
    assert!(desk.refused("rivers isle.terrane --basins -o b.fgb", 2).contains("--basins"));
    assert!(desk.refused("rivers isle.terrane -o b.fgb --layer lakes", 2).contains("outlets"));
}

#[test]
fn a_profile_runs_down_from_its_start_to_the_mouth() {
    let desk = Desk::with_globe();
    let river = &listed(&desk, "rivers globe.terrane --json --top 1")[0];
    let [x, y] = point(&river["source"]);
    let way: Value =
        serde_json::from_str(&desk.does(&format!("rivers globe.terrane --from {x},{y} --json"))).unwrap();
    assert_eq!(way["river"], river["name"]);
    let profile = way["profile"].as_array().unwrap();
    let cells = way["cells"].as_u64().unwrap();
    assert!(cells > 0 && profile.len() as u64 > cells, "{cells} cells beyond what is drawn near the place");
    for pair in profile.windows(2) {
        assert!(number(&pair[1], "level_m") <= number(&pair[0], "level_m"), "{pair:?}");
        let beds = pair.iter().map(|station| station["bed_m"].as_f64());
        assert!(beds.collect::<Option<Vec<f64>>>().is_none_or(|beds| beds[1] <= beds[0]), "{pair:?}");
        assert!(number(&pair[1], "distance_km") > number(&pair[0], "distance_km"), "{pair:?}");
    }
    let (first, last) = (&profile[0], &profile[profile.len() - 1]);
    assert_eq!(number(first, "distance_km"), 0.0);
    assert!((number(last, "distance_km") / number(&way, "length_km") - 1.0).abs() < 1e-9, "{last}");
    assert_eq!(
        (&last["discharge_m3_s"], &last["width_m"]),
        (&Value::Null, &Value::Null),
        "the sea is no river"
    );
    desk.does(&format!("rivers globe.terrane --from {x},{y} -o way.csv"));
    let csv = String::from_utf8(desk.bytes("way.csv")).unwrap();
    assert!(csv.starts_with("distance_km,lon,lat,ground_m,"), "{csv}");
    assert_eq!(csv.lines().count(), profile.len() + 1);
    for (line, station) in csv.lines().skip(1).zip(profile) {
        let values: Vec<&str> = line.split(',').collect();
        assert_eq!(values.len(), csv.lines().next().unwrap().split(',').count());
        // numbers of JSON are read to the last bit but one
        let (level_m, in_json_m) = (values[4].parse::<f64>().unwrap(), number(station, "level_m"));
        assert!((level_m - in_json_m).abs() <= 1e-12 * level_m.abs(), "{level_m} {in_json_m}");
    }
    desk.does(&format!("rivers globe.terrane --from {x},{y} -o way.png"));
    let (width, height, bits, pixels) = desk.png("way.png");
    assert_eq!((width, height, bits), (1400, 900, 8));
    assert!(pixels.chunks_exact(4).filter(|p| p[..3] == [46, 105, 168]).count() > 1000, "a blue line");
    let told = desk.does(&format!("rivers globe.terrane --from {x},{y}"));
    assert!(
        told.contains(word(river, "name")) && told.contains("m3/s") && told.lines().count() < 32,
        "{told}"
    );
    assert!(desk.refused("rivers globe.terrane -o way.csv", 2).contains(".geojson"));
}
