//! The SQL of a GeoPackage: its own tables, and what belongs to a table of features.

use crate::features::{FieldKind, GeometryKind, Layer};

/// "GPKG", in the header of the database.
pub(super) const APPLICATION_ID: i32 = 0x4750_4B47;
/// Version 1.4.0.
pub(super) const VERSION: i32 = 10_400;

/// The tables that every GeoPackage with features has (annex C of the standard).
pub(super) const CORE: &str = "
CREATE TABLE gpkg_spatial_ref_sys (
  srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
CREATE TABLE gpkg_contents (
  table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
  description TEXT DEFAULT '',
  last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
  min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
  CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
CREATE TABLE gpkg_geometry_columns (
  table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
  srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
  CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
  CONSTRAINT uk_gc_table_name UNIQUE (table_name),
  CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
  CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
CREATE TABLE gpkg_extensions (
  table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL,
  scope TEXT NOT NULL, CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));";

/// Any name as SQL may hold it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The name of a layer's R-tree.
pub(super) fn tree_name(layer: &Layer) -> String {
    format!("rtree_{}_geom", layer.name)
}

/// The standard's name of a kind of geometry.
pub(super) fn geometry_type(kind: GeometryKind) -> &'static str {
    match kind {
        GeometryKind::Points => "POINT",
        GeometryKind::Lines => "MULTILINESTRING",
        GeometryKind::Polygons => "MULTIPOLYGON",
    }
}

fn column_type(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Int => "INTEGER",
        FieldKind::Real => "DOUBLE",
        FieldKind::Text => "TEXT",
        FieldKind::Bool => "BOOLEAN",
    }
}

/// The statement that makes a layer's table.
pub(super) fn feature_table(layer: &Layer) -> String {
    let column = |f: &crate::features::Field| format!(", {} {}", quoted(&f.name), column_type(f.kind));
    let columns: String = layer.fields.iter().map(column).collect();
    let (table, geometry) = (quoted(&layer.name), geometry_type(layer.kind));
    format!("CREATE TABLE {table} (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom {geometry}{columns})")
}

/// The statement that puts a row into a layer's table; parameters are `fid`, `geom`, the fields.
pub(super) fn insertion(layer: &Layer) -> String {
    let names: String = layer.fields.iter().map(|f| format!(", {}", quoted(&f.name))).collect();
    let values: String = (0..layer.fields.len()).map(|k| format!(", ?{}", k + 3)).collect();
    format!("INSERT INTO {} (fid, geom{names}) VALUES (?1, ?2{values})", quoted(&layer.name))
}

/// The statement that makes a layer's R-tree.
pub(super) fn tree(layer: &Layer) -> String {
    format!("CREATE VIRTUAL TABLE {} USING rtree(id, minx, maxx, miny, maxy)", quoted(&tree_name(layer)))
}

/// The triggers that keep an R-tree true when the table changes (annex F.3; the functions are the editor's own).
pub(super) fn triggers(layer: &Layer) -> String {
    let (table, tree) = (quoted(&layer.name), quoted(&tree_name(layer)));
    let name = |suffix: &str| quoted(&format!("{}_{suffix}", tree_name(layer)));
    let has = |row: &str| format!("({row}.geom NOTNULL AND NOT ST_IsEmpty({row}.geom))");
    let lacks = |row: &str| format!("({row}.geom ISNULL OR ST_IsEmpty({row}.geom))");
    let row = "(NEW.fid, ST_MinX(NEW.geom), ST_MaxX(NEW.geom), ST_MinY(NEW.geom), ST_MaxY(NEW.geom))";
    let put = format!("INSERT OR REPLACE INTO {tree} VALUES {row};");
    let update = format!(
        "UPDATE {tree} SET minx = ST_MinX(NEW.geom), maxx = ST_MaxX(NEW.geom), miny = ST_MinY(NEW.geom), \
         maxy = ST_MaxY(NEW.geom) WHERE id = NEW.fid;"
    );
    let drop = format!("DELETE FROM {tree} WHERE id = OLD.fid;");
    let drop_both = format!("DELETE FROM {tree} WHERE id IN (OLD.fid, NEW.fid);");
    let of_geom = "UPDATE OF geom";
    let (same, moved) = ("OLD.fid = NEW.fid", "OLD.fid != NEW.fid");
    [
        ("insert", "INSERT", has("NEW"), put.clone()),
        ("update6", of_geom, format!("{same} AND {} AND {}", has("NEW"), has("OLD")), update),
        ("update7", of_geom, format!("{same} AND {} AND {}", has("NEW"), lacks("OLD")), put.clone()),
        ("update2", of_geom, format!("{same} AND {}", lacks("NEW")), drop.clone()),
        ("update5", "UPDATE", format!("{moved} AND {}", has("NEW")), format!("{drop} {put}")),
        ("update4", "UPDATE", format!("{moved} AND {}", lacks("NEW")), drop_both),
        ("delete", "DELETE", "OLD.geom NOTNULL".to_string(), drop.clone()),
    ]
    .map(|(suffix, event, when, body)| {
        format!("CREATE TRIGGER {} AFTER {event} ON {table} WHEN {when} BEGIN {body} END;\n", name(suffix))
    })
    .concat()
}
