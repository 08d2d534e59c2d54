//! One layer in every format, read back by readers that are not ours.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test stops at what goes wrong")]

use crate::samples::{EARTH, areas, lines, points};
use flatgeobuf::{FallibleStreamingIterator, FeatureProperties, FgbReader, GeometryType};
use formats::features::{FieldKind, Geometry, GeometryKind, Layer, VectorFormat, write};
use formats::{Crs, Error, flatgeobuf as fgb, geojson};
use serde_json::{Value as Json, json};
use std::io::Cursor;
use std::path::Path;

fn as_json(layer: &Layer) -> Json {
    let mut bytes = Vec::new();
    geojson::write_to(&mut bytes, layer).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn endings_name_formats() {
    let format = |name: &str| VectorFormat::of(Path::new(name));
    assert_eq!(format("a.GeoJSON"), Some(VectorFormat::GeoJson));
    assert_eq!(format("a.b.json"), Some(VectorFormat::GeoJson));
    assert_eq!(format("x/a.fgb"), Some(VectorFormat::FlatGeobuf));
    assert_eq!(format("a.gpkg"), Some(VectorFormat::GeoPackage));
    for name in ["a.shp", "a", "gpkg", ".fgb", "a.fgb/b"] {
        assert_eq!(format(name), None, "{name}");
    }
}

#[test]
fn geojson_keeps_values_and_their_types() {
    let layer = lines(EARTH);
    let json = as_json(&layer);
    assert_eq!(json["name"], "rivers");
    assert_eq!(json["features"].as_array().unwrap().len(), 2);
    let expected = json!({ "number": -3, "length_km": 12.5, "name": "Ån \"river\"", "great": true });
    assert_eq!(json["features"][0]["properties"], expected);
    let empty = json!({ "number": null, "length_km": null, "name": null, "great": null });
    assert_eq!(json["features"][1]["properties"], empty, "what is not finite is no value");
    assert_eq!(json["features"][1]["geometry"]["type"], "MultiLineString");
    assert_eq!(
        as_json(&points(EARTH))["features"][0]["geometry"],
        json!({ "type": "Point", "coordinates": [11.5, 47.0] })
    );
}

#[test]
fn geojson_says_where_metres_lie() {
    assert_eq!(as_json(&lines(EARTH)).get("crs"), None);
    let name = |crs| as_json(&lines(crs))["crs"]["properties"]["name"].as_str().unwrap().to_string();
    assert!(name(Crs::Metres).starts_with("LOCAL_CS[\"a flat map"));
    let mars = name(Crs::Geographic { radius_m: 3.39e6 });
    assert!(mars.starts_with("GEOGCS[") && mars.contains("3390000,0]"), "{mars}");
}

/// RFC 7946, section 3.1.6: outer rings counterclockwise, holes clockwise, all closed.
#[test]
fn rings_follow_the_right_hand() {
    let json = as_json(&areas(EARTH));
    let rings = |v: &Json| serde_json::from_value::<Vec<Vec<[f64; 2]>>>(v.clone()).unwrap();
    let geometry = &json["features"][0]["geometry"];
    assert_eq!(geometry["type"], "MultiPolygon");
    let first = rings(&geometry["coordinates"][0]);
    assert_eq!(first[0], [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 0.0]]);
    assert_eq!(first[1], [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0]]);
    for ring in rings(&geometry["coordinates"][1]) {
        assert_eq!(ring.first(), ring.last());
    }
    assert_eq!(json["features"][1]["geometry"]["type"], "Polygon");
}

fn as_fgb(layer: &Layer) -> Vec<u8> {
    let mut bytes = Vec::new();
    fgb::write_to(&mut bytes, layer).unwrap();
    bytes
}

#[test]
fn flatgeobuf_comes_back() {
    for (layer, kind) in [
        (points(EARTH), GeometryType::Point),
        (lines(EARTH), GeometryType::MultiLineString),
        (areas(EARTH), GeometryType::MultiPolygon),
    ] {
        let bytes = as_fgb(&layer);
        let reader = FgbReader::open(Cursor::new(&bytes)).unwrap();
        let header = reader.header();
        assert_eq!((header.geometry_type(), header.name()), (kind, Some(layer.name.as_str())));
        assert_eq!(header.features_count(), layer.features.len() as u64);
        assert_eq!(header.crs().unwrap().code(), 4326);
        let names: Vec<&str> = header.columns().unwrap().iter().map(|c| c.name()).collect();
        assert_eq!(names, layer.fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>());
        let mut features = reader.select_all().unwrap();
        let (mut count, mut full) = (0, 0);
        while let Some(feature) = features.next().unwrap() {
            count += 1;
            let properties = feature.properties().unwrap();
            if let Some(name) = properties.get("name") {
                assert_eq!(name, "Ån \"river\"");
                let values = ["number", "length_km", "great"].map(|key| properties[key].as_str());
                assert_eq!(values, ["-3", "12.5", "true"]);
                full += 1;
            }
        }
        assert_eq!((count, full), (layer.features.len(), 1));
    }
}

#[test]
fn flatgeobuf_finds_features_in_a_box() {
    let bytes = as_fgb(&areas(EARTH));
    let hits = |west, south, east, north| {
        let reader = FgbReader::open(Cursor::new(&bytes)).unwrap();
        reader.select_bbox(west, south, east, north).unwrap().features_count().unwrap()
    };
    assert_eq!(
        [hits(-1.0, -1.0, 0.5, 0.5), hits(49.0, 49.0, 51.0, 51.0), hits(30.0, 30.0, 40.0, 40.0)],
        [1, 1, 0]
    );
}

#[test]
fn no_features_are_a_file_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut layer = lines(EARTH);
    layer.features.clear();
    for name in ["a.geojson", "a.fgb"] {
        write(&dir.path().join(name), &[&layer]).unwrap();
    }
    assert_eq!(as_json(&layer)["features"], json!([]));
    let bytes = as_fgb(&layer);
    let reader = FgbReader::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(reader.header().features_count(), 0);
    assert_eq!(reader.header().columns().unwrap().len(), 4);
    assert!(reader.select_all().unwrap().next().unwrap().is_none());
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let refusal = |name: &str, layers: &[&Layer]| match write(&dir.path().join(name), layers) {
        Err(Error::Write { path, cause }) => {
            assert!(path.ends_with(name));
            cause.to_string()
        }
        other => panic!("{other:?}"),
    };
    let good = lines(EARTH);
    assert!(refusal("a.shp", &[&good]).contains(".gpkg"));
    assert!(refusal("a.fgb", &[&good, &good]).contains("one layer, not 2"));
    assert!(refusal("a.geojson", &[]).contains("not 0"));
    assert!(refusal("no/a.fgb", &[&good]).contains("no folder"));
    let with = |geometry: Geometry| {
        let mut layer = good.clone();
        layer.push(geometry, vec![None; 4]);
        layer
    };
    for (bad, words) in [
        (with(Geometry::Point([0.0, 0.0])), "Points in a layer of Lines"),
        (with(Geometry::line(vec![[0.0, 0.0]])), "at least 2"),
        (with(Geometry::line(vec![[0.0, f64::NAN], [1.0, 1.0]])), "finite"),
        (with(Geometry::Lines(vec![])), "no line"),
    ] {
        let said = refusal("a.geojson", &[&bad]);
        assert!(said.contains("feature 2 of layer \"rivers\"") && said.contains(words), "{said}");
    }
    let mut short = good.clone();
    short.features[0].values.pop();
    assert!(refusal("a.fgb", &[&short]).contains("3 values for 4 fields"));
    let mut typed = good.clone();
    typed.features[0].values[0] = Some("three".into());
    assert!(refusal("a.fgb", &[&typed]).contains("which holds Int"));
    let fields = [("Name", FieldKind::Text), ("name", FieldKind::Text)];
    assert!(refusal("a.fgb", &[&Layer::new("x", GeometryKind::Lines, EARTH, &fields)]).contains("\"name\""));
    let fields = [("FID", FieldKind::Int)];
    assert!(refusal("a.fgb", &[&Layer::new("x", GeometryKind::Lines, EARTH, &fields)]).contains("\"FID\""));
    let thin = formats::features::Polygon::new(vec![[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]);
    let mut area = areas(EARTH);
    area.features[0].geometry = Geometry::Polygons(vec![thin]);
    assert!(refusal("a.json", &[&area]).contains("2 corners"));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[cfg(not(feature = "gpkg"))]
#[test]
fn a_build_without_geopackages_says_so() {
    assert!(!VectorFormat::GeoPackage.is_available());
    let dir = tempfile::tempdir().unwrap();
    let said = write(&dir.path().join("a.gpkg"), &[&lines(EARTH)]).unwrap_err().to_string();
    assert!(said.contains("feature gpkg"), "{said}");
}
