//! GeoJSON is parsed again, and lines over the antimeridian keep to their side.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test stops at what goes wrong")]

use ::geojson::{FeatureCollection, GeoJson, GeometryValue};
use formats::antimeridian::split_line;
use formats::features::{FieldKind, Geometry, GeometryKind, Layer};
use formats::{Crs, geojson};
use serde_json::Value;

const EARTH: Crs = Crs::Geographic { radius_m: 6_371_008.8 };

fn parsed(crs: &Crs, lines: &[&[[f64; 2]]]) -> FeatureCollection {
    let mut layer = Layer::new("rivers", GeometryKind::Lines, crs.clone(), &[("name", FieldKind::Text)]);
    for line in lines {
        layer.push(Geometry::line(line.to_vec()), vec![Some("Ån \"river\"".into())]);
    }
    let mut bytes = Vec::new();
    geojson::write_to(&mut bytes, &layer).unwrap();
    match String::from_utf8(bytes).unwrap().parse().unwrap() {
        GeoJson::FeatureCollection(collection) => collection,
        other => panic!("{other}"),
    }
}

fn value(collection: &FeatureCollection, i: usize) -> GeometryValue {
    collection.features[i].geometry.clone().unwrap().value
}

#[test]
fn lines_and_properties_come_back() {
    let collection = parsed(&EARTH, &[&[[11.6, 48.1], [12.5, 48.25]], &[[0.0, 0.0], [-1.0, 1.0]]]);
    assert_eq!(collection.features.len(), 2);
    let GeometryValue::LineString { coordinates } = value(&collection, 0) else { panic!("not one line") };
    let points: Vec<&[f64]> = coordinates.iter().map(|p| p.as_slice()).collect();
    assert_eq!(points, [&[11.6, 48.1], &[12.5, 48.25]]);
    assert_eq!(collection.features[1].property("name"), Some(&Value::from("Ån \"river\"")));
    let members = collection.foreign_members.unwrap();
    assert_eq!([&members["name"], &members["coordinate_system"]], ["rivers", "EPSG:4326"]);
}

#[test]
fn no_lines_are_still_a_collection() {
    assert!(parsed(&Crs::Metres, &[]).features.is_empty());
}

#[test]
fn a_crossing_line_becomes_two_that_meet_the_antimeridian_at_one_latitude() {
    let collection = parsed(&EARTH, &[&[[170.0, 10.0], [-170.0, 20.0], [-160.0, 20.0]]]);
    let GeometryValue::MultiLineString { coordinates } = value(&collection, 0) else { panic!("not cut") };
    let parts: Vec<Vec<&[f64]>> =
        coordinates.iter().map(|part| part.iter().map(|p| p.as_slice()).collect()).collect();
    assert_eq!(parts[0], [[170.0, 10.0], [180.0, 15.0]]);
    assert_eq!(parts[1], [[-180.0, 15.0], [-170.0, 20.0], [-160.0, 20.0]]);
}

#[test]
fn a_flat_map_knows_no_antimeridian() {
    let collection = parsed(&Crs::Metres, &[&[[-400.0, 0.0004], [400.0, 1.0]]]);
    let GeometryValue::LineString { coordinates } = value(&collection, 0) else { panic!("cut") };
    assert_eq!(coordinates[0].as_slice(), [-400.0, 0.0]);
}

#[test]
fn splitting_keeps_length_and_stays_in_range() {
    // A zigzag over the antimeridian, there and back, points on it, and longitudes beyond 180.
    let cases: [&[[f64; 2]]; 5] = [
        &[[179.0, 0.0], [-179.0, 2.0], [179.5, 3.0], [-179.5, 3.0]],
        &[[175.0, 0.0], [180.0, 1.0], [-175.0, 2.0]],
        &[[-175.0, 0.0], [-180.0, 1.0], [175.0, 2.0]],
        &[[178.0, 0.0], [181.0, 1.0], [185.0, 2.0]],
        &[[175.0, 0.0], [180.0, 1.0], [175.0, 2.0]],
    ];
    let counts = [4, 2, 2, 2, 1];
    for (case, count) in cases.iter().zip(counts) {
        let parts = split_line(case);
        assert_eq!(parts.len(), count, "{case:?} -> {parts:?}");
        assert!(parts.iter().all(|part| part.len() > 1));
        assert!(parts.iter().flatten().all(|p| (-180.0..=180.0).contains(&p[0])), "{parts:?}");
        assert!((length(parts.iter().map(Vec::as_slice)) - short_way_length(case)).abs() < 1e-9, "{parts:?}");
        assert!(parts.iter().all(|part| part.windows(2).all(|s| (s[1][0] - s[0][0]).abs() <= 180.0)));
    }
}

fn length<'a>(parts: impl Iterator<Item = &'a [[f64; 2]]>) -> f64 {
    let step = |s: &[[f64; 2]]| (s[1][0] - s[0][0]).hypot(s[1][1] - s[0][1]);
    parts.flat_map(|part| part.windows(2).map(step).collect::<Vec<_>>()).sum()
}

fn short_way_length(line: &[[f64; 2]]) -> f64 {
    let step = |s: &[[f64; 2]]| {
        let turn = (s[1][0] - s[0][0] + 540.0).rem_euclid(360.0) - 180.0;
        turn.hypot(s[1][1] - s[0][1])
    };
    line.windows(2).map(step).sum()
}
