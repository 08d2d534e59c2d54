//! Fills a GeoPackage.

use std::path::Path;

use rusqlite::types::{Null, ToSqlOutput};
use rusqlite::{Connection, params, params_from_iter};

use super::{blob, schema};
use crate::features::{Feature, Layer, Value};
use crate::reference::{Reference, WGS84_WKT, in_degrees};
use crate::{Cause, Crs, Error, atomic, beside};

/// The date of every change: files do not depend on the clock.
const LAST_CHANGE: &str = "2000-01-01T00:00:00.000Z";
/// The first number of a reference system of ours; EPSG's own are below.
const FIRST_OWN_SRS: i32 = 900_001;
/// The standard's number for a plane that lies nowhere.
const UNDEFINED_CARTESIAN: i32 = -1;
/// The standard's number for a globe that nothing is known of.
const UNDEFINED_GEOGRAPHIC: i32 = 0;

/// Writes layers, of different names, as tables of one file.
///
/// # Errors
/// [`Error::Write`]: a layer that contradicts itself ([`Layer::check`]), a name twice, SQLite, the disk.
pub fn write(path: &Path, layers: &[&Layer]) -> Result<(), Error> {
    atomic(path, |out| {
        // SQLite opens files by name, so it gets one of its own beside the one that is to appear
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut draft = beside::file(path, folder)?;
        let mut database = Connection::open(draft.path())?;
        fill(&mut database, layers)?;
        database.close().map_err(|(_, error)| error)?;
        std::io::copy(draft.as_file_mut(), out)?;
        Ok(())
    })
}

fn fill(database: &mut Connection, layers: &[&Layer]) -> Result<(), Cause> {
    // nobody else sees the file before it is whole, so it needs no journal
    database.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
    database.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
    database.pragma_update(None, "user_version", schema::VERSION)?;
    let all = database.transaction()?;
    all.execute_batch(schema::CORE)?;
    put_required_srs(&all)?;
    let mut systems: Vec<Crs> = Vec::new();
    for (i, layer) in layers.iter().enumerate() {
        layer.check()?;
        check_name(layer, &layers[..i])?;
        let srs_id = srs_id(&all, &mut systems, &layer.crs)?;
        put_layer(&all, layer, srs_id)?;
    }
    Ok(all.commit()?)
}

/// A table's name must be its own, and none of those that SQLite and the standard keep.
fn check_name(layer: &Layer, before: &[&Layer]) -> Result<(), Cause> {
    let name = layer.name.to_lowercase();
    let is_kept = ["gpkg_", "rtree_", "sqlite_"].iter().any(|prefix| name.starts_with(prefix));
    if is_kept || before.iter().any(|other| other.name.to_lowercase() == name) {
        return Err(format!("a GeoPackage cannot have a layer {:?}: the name is taken", layer.name).into());
    }
    Ok(())
}

fn put_srs(
    database: &Connection,
    srs_id: i32,
    (organization, code): (&str, i32),
    (name, definition): (&str, &str),
) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO gpkg_spatial_ref_sys VALUES (?1, ?2, ?3, ?4, ?5, NULL)";
    database.execute(sql, params![name, srs_id, organization, code, definition]).map(|_| ())
}

/// The three systems that the standard asks for.
fn put_required_srs(database: &Connection) -> rusqlite::Result<()> {
    put_srs(database, UNDEFINED_CARTESIAN, ("NONE", -1), ("Undefined Cartesian SRS", "undefined"))?;
    put_srs(database, UNDEFINED_GEOGRAPHIC, ("NONE", 0), ("Undefined geographic SRS", "undefined"))?;
    put_srs(database, 4326, ("EPSG", 4326), ("WGS 84", WGS84_WKT))
}

/// The number of a reference system in this file, which gets a row if it needs one.
fn srs_id(database: &Connection, systems: &mut Vec<Crs>, crs: &Crs) -> rusqlite::Result<i32> {
    let reference = Reference::of(crs);
    match (reference.epsg, reference.wkt) {
        (Some(4326), _) => Ok(4326),
        (Some(code), wkt) => {
            if !systems.contains(crs) {
                systems.push(crs.clone());
                let definition = wkt.as_deref().unwrap_or("undefined");
                put_srs(database, code, ("EPSG", code), (&reference.name, definition))?;
            }
            Ok(code)
        }
        (None, None) => Ok(if in_degrees(crs) { UNDEFINED_GEOGRAPHIC } else { UNDEFINED_CARTESIAN }),
        (None, Some(wkt)) => {
            let known = systems.iter().position(|other| other == crs);
            let at = known.unwrap_or(systems.len());
            let srs_id = FIRST_OWN_SRS + at as i32;
            if known.is_none() {
                systems.push(crs.clone());
                put_srs(database, srs_id, ("NONE", srs_id), (&reference.name, &wkt))?;
            }
            Ok(srs_id)
        }
    }
}

fn put_layer(database: &Connection, layer: &Layer, srs_id: i32) -> Result<(), Cause> {
    let [west, south, east, north] = match layer.bounds() {
        Some(bounds) => bounds.map(Some),
        None => [None; 4],
    };
    database.execute(
        "INSERT INTO gpkg_contents VALUES (?1, 'features', ?1, '', ?2, ?3, ?4, ?5, ?6, ?7)",
        params![layer.name, LAST_CHANGE, west, south, east, north, srs_id],
    )?;
    database.execute(
        "INSERT INTO gpkg_geometry_columns VALUES (?1, 'geom', ?2, ?3, 0, 0)",
        params![layer.name, schema::geometry_type(layer.kind), srs_id],
    )?;
    database.execute(
        "INSERT INTO gpkg_extensions VALUES (?1, 'geom', 'gpkg_rtree_index', \
         'http://www.geopackage.org/spec120/#extension_rtree', 'write-only')",
        params![layer.name],
    )?;
    database.execute_batch(&schema::feature_table(layer))?;
    database.execute_batch(&schema::tree(layer))?;
    put_features(database, layer, srs_id)?;
    Ok(database.execute_batch(&schema::triggers(layer))?)
}

/// Rows are numbered from 1, in the layer's order.
fn put_features(database: &Connection, layer: &Layer, srs_id: i32) -> Result<(), Cause> {
    let mut row = database.prepare(&schema::insertion(layer))?;
    let tree = schema::quoted(&schema::tree_name(layer));
    let mut leaf = database.prepare(&format!("INSERT INTO {tree} VALUES (?1, ?2, ?3, ?4, ?5)"))?;
    for (fid, feature) in (1i64..).zip(&layer.features) {
        let (bytes, [west, south, east, north]) = blob::encode(&feature.geometry.placed(&layer.crs), srs_id);
        row.execute(params_from_iter(columns(fid, &bytes, feature, layer)))?;
        leaf.execute(params![fid, west, east, south, north])?;
    }
    Ok(())
}

fn columns<'a>(
    fid: i64,
    geometry: &'a [u8],
    feature: &'a Feature,
    layer: &'a Layer,
) -> impl Iterator<Item = ToSqlOutput<'a>> {
    let value = |(_, value): (_, Option<&'a Value>)| value.map_or(ToSqlOutput::from(Null), column);
    [ToSqlOutput::from(fid), ToSqlOutput::from(geometry)]
        .into_iter()
        .chain(feature.written(&layer.fields).map(value))
}

fn column(value: &Value) -> ToSqlOutput<'_> {
    match value {
        Value::Int(v) => ToSqlOutput::from(*v),
        Value::Real(v) => ToSqlOutput::from(*v),
        Value::Text(v) => ToSqlOutput::from(v.as_str()),
        Value::Bool(v) => ToSqlOutput::from(*v),
    }
}
