//! GeoPackages are opened as databases again, and as the standard asks.

#![cfg(feature = "gpkg")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test stops at what goes wrong")]

use crate::samples::{EARTH, areas, lines, points};
use formats::Crs;
use formats::features::{Layer, VectorFormat, write};
use rusqlite::{Connection, OpenFlags};
use std::path::PathBuf;

fn written(dir: &tempfile::TempDir, layers: &[&Layer]) -> (PathBuf, Connection) {
    let path = dir.path().join("a.gpkg");
    write(&path, layers).unwrap();
    let database = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    (path, database)
}

fn rows(database: &Connection, sql: &str) -> Vec<String> {
    let mut query = database.prepare(sql).unwrap();
    let columns = query.column_count();
    let text = |row: &rusqlite::Row| {
        let value = |k| format!("{:?}", row.get_ref(k).unwrap()).replace("Text(", "").replace(')', "");
        Ok((0..columns).map(value).collect::<Vec<_>>().join(" "))
    };
    query.query_map([], text).unwrap().map(Result::unwrap).collect()
}

fn number(database: &Connection, sql: &str) -> i64 {
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_file_of_three_layers_is_what_the_standard_asks() {
    assert!(VectorFormat::GeoPackage.is_available() && VectorFormat::GeoPackage.holds_several());
    let dir = tempfile::tempdir().unwrap();
    let (path, database) = written(&dir, &[&points(EARTH), &lines(EARTH), &areas(EARTH)]);
    assert_eq!(number(&database, "PRAGMA application_id"), i64::from(u32::from_be_bytes(*b"GPKG")));
    assert_eq!(number(&database, "PRAGMA user_version"), 10_400);
    assert_eq!(database.query_row("PRAGMA integrity_check", [], |r| r.get::<_, String>(0)).unwrap(), "ok");
    assert!(rows(&database, "PRAGMA foreign_key_check").is_empty());
    assert_eq!(
        number(&database, "SELECT count(*) FROM gpkg_spatial_ref_sys WHERE srs_id IN (-1, 0, 4326)"),
        3
    );
    assert_eq!(
        number(
            &database,
            "SELECT count(*) FROM gpkg_contents WHERE data_type = 'features' AND srs_id = 4326"
        ),
        3
    );
    let kinds = "SELECT geometry_type_name FROM gpkg_geometry_columns ORDER BY table_name";
    let kinds: Vec<String> =
        database.prepare(kinds).unwrap().query_map([], |r| r.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(kinds, ["MULTIPOLYGON", "POINT", "MULTILINESTRING"]);
    assert_eq!(number(&database, "SELECT count(*) FROM gpkg_extensions"), 3);
    assert_eq!(number(&database, "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"), 21);
    let extent = database.query_row(
        "SELECT min_x, min_y, max_x, max_y FROM gpkg_contents WHERE table_name = 'basins'",
        [],
        |r| Ok([r.get::<_, f64>(0)?, r.get(1)?, r.get(2)?, r.get(3)?]),
    );
    assert_eq!(extent.unwrap(), [0.0, 0.0, 51.0, 51.0]);
    let again = dir.path().join("b.gpkg");
    write(&again, &[&points(EARTH), &lines(EARTH), &areas(EARTH)]).unwrap();
    assert_eq!(
        std::fs::read(path).unwrap(),
        std::fs::read(again).unwrap(),
        "the same layers, the same bytes"
    );
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn values_come_back_with_their_types() {
    let dir = tempfile::tempdir().unwrap();
    let (_, database) = written(&dir, &[&lines(EARTH)]);
    let found = rows(
        &database,
        "SELECT fid, number, typeof(number), typeof(length_km), great, typeof(name) FROM rivers",
    );
    assert_eq!(found.len(), 2);
    let types = "SELECT fid FROM rivers WHERE number = -3 AND length_km = 12.5 AND great = 1 AND name = 'Ån \"river\"'";
    assert_eq!(number(&database, types), 1);
    let empty =
        "SELECT fid FROM rivers WHERE number ISNULL AND length_km ISNULL AND great ISNULL AND name ISNULL";
    assert_eq!(number(&database, empty), 2);
}

/// The header and the well-known binary, read byte by byte.
#[test]
fn a_geometry_is_a_box_and_its_places() {
    let dir = tempfile::tempdir().unwrap();
    let (_, database) = written(&dir, &[&lines(EARTH), &points(EARTH)]);
    let blob = |sql: &str| database.query_row(sql, [], |r| r.get::<_, Vec<u8>>(0)).unwrap();
    let line = blob("SELECT geom FROM rivers WHERE fid = 1");
    assert_eq!(&line[..4], [b'G', b'P', 0, 3]);
    let int = |b: &[u8], at: usize| u32::from_le_bytes(b[at..at + 4].try_into().unwrap());
    let real = |b: &[u8], at: usize| f64::from_le_bytes(b[at..at + 8].try_into().unwrap());
    assert_eq!(int(&line, 4), 4326);
    assert_eq!(
        [8, 16, 24, 32].map(|at| real(&line, at)),
        [11.6, 12.5, 48.1, 48.25],
        "west, east, south, north"
    );
    assert_eq!((line[40], int(&line, 41), int(&line, 45)), (1, 5, 1), "a multi line of one");
    assert_eq!((line[49], int(&line, 50), int(&line, 54)), (1, 2, 2), "a line of two places");
    assert_eq!([58, 66, 74, 82].map(|at| real(&line, at)), [11.6, 48.1, 12.5, 48.25]);
    assert_eq!(line.len(), 90);
    let point = blob("SELECT geom FROM outlets WHERE fid = 1");
    assert_eq!((point[3], point[8], int(&point, 9)), (1, 1, 1));
    assert_eq!([real(&point, 13), real(&point, 21), point.len() as f64], [11.5, 47.0, 29.0]);
}

#[test]
fn the_tree_finds_features_in_a_box() {
    let dir = tempfile::tempdir().unwrap();
    let (_, database) = written(&dir, &[&areas(EARTH)]);
    let hits = |x: f64, y: f64| {
        let sql = format!(
            "SELECT id FROM rtree_basins_geom WHERE minx <= {x} AND maxx >= {x} AND miny <= {y} AND maxy >= {y}"
        );
        rows(&database, &sql)
    };
    assert_eq!(hits(50.5, 50.5), ["Integer(2"]);
    assert_eq!(hits(3.0, 3.0), ["Integer(1"]);
    assert!(hits(30.0, 30.0).is_empty());
}

#[test]
fn other_planets_and_flat_maps_have_their_own_systems() {
    let dir = tempfile::tempdir().unwrap();
    let mars = Crs::Geographic { radius_m: 3.39e6 };
    let near = Crs::TransverseMercator { lon0_deg: 11.0, lat0_deg: 47.0, radius_m: 3.39e6 };
    let mut also = areas(mars.clone());
    also.name = "more \"areas\"".into();
    let mut local = lines(near);
    local.name = "near".into();
    let (_, database) = written(&dir, &[&lines(Crs::Metres), &points(mars), &also, &local]);
    let srs = |table: &str| {
        number(&database, &format!("SELECT srs_id FROM gpkg_contents WHERE table_name = '{table}'"))
    };
    assert_eq!([srs("rivers"), srs("outlets"), srs("near")], [-1, 900_001, 900_002]);
    assert_eq!(srs("more \"areas\""), 900_001);
    let wkt = "SELECT count(*) FROM gpkg_spatial_ref_sys WHERE definition LIKE '%3390000,0%'";
    assert_eq!(number(&database, wkt), 2);
}

#[test]
fn a_layer_twice_or_with_a_kept_name_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.gpkg");
    let mut kept = lines(EARTH);
    kept.name = "GPKG_contents".into();
    for layers in [&[&lines(EARTH), &lines(EARTH)][..], &[&kept][..]] {
        let said = write(&path, layers).unwrap_err().to_string();
        assert!(said.contains("a.gpkg") && said.contains("taken"), "{said}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn no_layers_and_no_features_are_files_too() {
    let dir = tempfile::tempdir().unwrap();
    let (_, database) = written(&dir, &[]);
    assert_eq!(number(&database, "SELECT count(*) FROM gpkg_contents"), 0);
    let mut empty = areas(EARTH);
    empty.features.clear();
    let (_, database) = written(&dir, &[&empty]);
    assert_eq!(number(&database, "SELECT count(*) FROM gpkg_contents WHERE min_x ISNULL"), 1);
    assert_eq!(number(&database, "SELECT count(*) FROM basins"), 0);
}
