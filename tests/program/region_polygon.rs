//! The built program: regions within polygons of a GeoJSON file.

use crate::cli_support::{Desk, Grid};

/// A file with one geometry.
fn put(desk: &Desk, name: &str, kind: &str, coordinates: &str) {
    desk.put(name, format!("{{\"type\":\"{kind}\",\"coordinates\":{coordinates}}}"));
}

/// Middle of a sample.
fn place(grid: &Grid, index: usize) -> (f64, f64) {
    let (row, column) = (index / grid.width, index % grid.width);
    (grid.west + (column as f64 + 0.5) * grid.step, grid.north - (row as f64 + 0.5) * grid.step)
}

/// Samples inside are those of the box around; outside there are none.
fn assert_masked(grid: &Grid, whole: &Grid, inside: impl Fn(f64, f64) -> bool) -> usize {
    let mut count = 0;
    for (index, value) in grid.values.iter().enumerate() {
        let (x, y) = place(grid, index);
        assert_eq!(!value.is_nan(), inside(x, y), "at {x}, {y}");
        if value.is_nan() {
            continue;
        }
        let column = ((x - whole.west) / whole.step) as usize;
        let row = ((whole.north - y) / whole.step) as usize;
        assert_eq!(value.to_bits(), whole.values[row * whole.width + column].to_bits(), "at {x}, {y}");
        count += 1;
    }
    count
}

#[test]
fn what_lies_in_a_polygon_is_what_its_box_holds() {
    let desk = Desk::with_globe();
    put(
        &desk,
        "hole.geojson",
        "Polygon",
        "[[[20,5],[40,5],[40,25],[20,25],[20,5]],[[25,10],[35,10],[30,20],[25,10]]]",
    );
    desk.does("region globe.terrane -o hole.tif --polygon hole.geojson --resolution 20000");
    desk.does("region globe.terrane -o box.tif --bbox 20,5,40,25 --resolution 20000");
    let (hole, whole) = (desk.geotiff("hole.tif"), desk.geotiff("box.tif"));
    assert_eq!((hole.width, hole.height), (whole.width, whole.height));
    let in_triangle =
        |x: f64, y: f64| y >= 10.0 && x >= 25.0 + (y - 10.0) / 2.0 && x < 35.0 - (y - 10.0) / 2.0;
    let count = assert_masked(&hole, &whole, |x, y| !in_triangle(x, y));
    assert!(count > 8000, "{count}");
    let text = String::from_utf8_lossy(&desk.bytes("hole.tif")).into_owned();
    assert!(text.contains("nan"), "the file says what has no data");
}

#[test]
fn layers_of_all_kinds_are_cut_alike() {
    let desk = Desk::with_globe();
    put(&desk, "a.geojson", "Polygon", "[[[20,5],[40,8],[33,25],[20,5]]]");
    let layers = "elevation,temperature,flow_direction,basin,land_cover,ridges";
    desk.does(&format!(
        "region globe.terrane -o a.r32 --polygon a.geojson --resolution 30000 --layers {layers}"
    ));
    let values = desk.raw("a.r32");
    let each = values.len() / 6;
    let gaps = |k: usize| -> Vec<bool> { values[k * each..][..each].iter().map(|v| v.is_nan()).collect() };
    assert!(gaps(0).contains(&true) && gaps(0).contains(&false));
    assert!((1..6).all(|k| gaps(k) == gaps(0)));
}

#[test]
fn several_polygons_over_the_antimeridian_come_together() {
    let desk = Desk::with_globe();
    let cut = "[[[[170,-10],[180,-10],[180,10],[170,10]]],[[[-180,-10],[-170,-10],[-170,10],[-180,10]]]]";
    put(&desk, "cut.geojson", "MultiPolygon", cut);
    put(&desk, "short.geojson", "Polygon", "[[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]]");
    desk.put(
        "features.geojson",
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{},\"geometry\":\
         {\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Polygon\",\"coordinates\":\
         [[[170,-10],[190,-10],[190,10],[170,10],[170,-10]]]}]}},{\"type\":\"Feature\",\"geometry\":null}]}",
    );
    desk.does("region globe.terrane -o box.tif --bbox 170,-10,-170,10 --resolution 25000");
    let whole = desk.geotiff("box.tif");
    for name in ["cut", "short", "features"] {
        desk.does(&format!("region globe.terrane -o {name}.tif --polygon {name}.geojson --resolution 25000"));
        let grid = desk.geotiff(&format!("{name}.tif"));
        assert_eq!(assert_masked(&grid, &whole, |_, _| true), whole.values.len(), "{name}");
    }
}

#[test]
fn polygons_of_a_flat_map_are_in_metres() {
    let desk = Desk::with_isle();
    put(&desk, "m.geojson", "Polygon", "[[[100000,100000],[500000,100000],[300000,400000]]]");
    desk.does("region isle.terrane -o m.tif --polygon m.geojson --resolution 5000");
    desk.does("region isle.terrane -o box.tif --bbox 100000,100000,500000,400000 --resolution 5000");
    let (grid, whole) = (desk.geotiff("m.tif"), desk.geotiff("box.tif"));
    let inside = |x: f64, y: f64| {
        let across = (y - 100_000.0) / 1.5;
        x >= 100_000.0 + across && x < 500_000.0 - across
    };
    assert!(assert_masked(&grid, &whole, inside) > 2000);
}

#[test]
fn files_that_hold_no_polygon_are_refused() {
    let desk = Desk::with_globe();
    let line = "region globe.terrane -o out.tif --resolution 20000 --polygon";
    for (text, why) in [
        ("", "not JSON"),
        ("{\"type\":\"Polygon\"", "not JSON"),
        ("[1,2,3]", "not GeoJSON"),
        ("{\"kind\":\"Polygon\"}", "no \"type\""),
        ("{\"type\":\"Polygon\"}", "\"coordinates\""),
        ("{\"type\":\"FeatureCollection\",\"features\":7}", "\"features\""),
        ("{\"type\":\"FeatureCollection\",\"features\":[]}", "holds no polygon"),
        ("{\"type\":\"Feature\",\"geometry\":null}", "holds no polygon"),
        ("{\"type\":\"LineString\",\"coordinates\":[[0,0],[1,1]]}", "\"LineString\""),
        ("{\"type\":\"Polygon\",\"coordinates\":[]}", "no ring"),
        ("{\"type\":\"Polygon\",\"coordinates\":[5]}", "not a list"),
        ("{\"type\":\"MultiPolygon\",\"coordinates\":[5]}", "not a list"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,1],[0,0]]]}", "2 corners"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,\"a\"],[0,1]]]}", "pair of numbers"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1],[0,1]]]}", "pair of numbers"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,91],[0,1]]]}", "no longitude and latitude"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[500000,0],[500001,9],[500000,1]]]}", "no longitude"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[0,80],[90,80],[179,80],[-90,80]]]}", "around a pole"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[0.01,0.01],[0.02,0.01],[0.02,0.02]]]}", "no sample"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[0.01,0.01],[9,0.02],[5,0.03]]]}", "no sample"),
        (
            "{\"type\":\"Polygon\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}},\
             \"coordinates\":[[[0,0],[1,1],[0,1]]]}",
            "EPSG:3857",
        ),
    ] {
        desk.put("bad.geojson", text);
        let said = desk.refused(&format!("{line} bad.geojson"), 2);
        assert!(said.contains(why), "{text}: {said}");
    }
    assert!(desk.refused(&format!("{line} nowhere.geojson"), 1).contains("nowhere.geojson"));
    assert!(desk.refused(&format!("{line} ."), 2).contains("not a file"));
    desk.put("out.tif", "{}");
    assert!(desk.refused(&format!("{line} out.tif"), 2).contains("would replace"));
    put(&desk, "good.geojson", "Polygon", "[[[0,0],[9,0],[9,9]]]");
    for output in ["out.r16", "out.png --style height"] {
        let line = format!("region globe.terrane -o {output} --resolution 20000 --polygon good.geojson");
        assert!(desk.refused(&line, 2).contains("no data"), "{output}");
    }
}

#[test]
fn polygons_off_a_flat_map_are_refused() {
    let desk = Desk::with_isle();
    put(&desk, "off.geojson", "Polygon", "[[[-9000,0],[-5000,0],[-5000,9000]]]");
    let said = desk.refused("region isle.terrane -o out.tif --resolution 500 --polygon off.geojson", 2);
    assert!(said.contains("outside the map"), "{said}");
}
