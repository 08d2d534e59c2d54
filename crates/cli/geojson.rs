//! GeoJSON files that are given (RFC 7946).

use crate::output::misuse;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

/// The file that an option names, of at most so many bytes.
pub fn read(path: &Path, option: &str, most_bytes: u64) -> Result<Value> {
    let refuse = |why: String| misuse(format!("{option} {}: {why}", path.display()));
    let about = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    if !about.is_file() {
        return Err(refuse("it is not a file".into()));
    }
    if about.len() > most_bytes {
        return Err(refuse(format!("it has {} bytes; at most {most_bytes} are read", about.len())));
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).map_err(|e| refuse(format!("it is not JSON: {e}")))
}

/// Calls for each geometry of an object, wherever it stands: alone, in features, in collections; with its type.
pub fn each_geometry(
    json: &Value,
    visit: &mut dyn FnMut(&str, &Value) -> Result<(), String>,
) -> Result<(), String> {
    match json.get("type").and_then(Value::as_str) {
        Some("FeatureCollection") => list(json, "features")?.iter().try_for_each(|f| each_geometry(f, visit)),
        Some("GeometryCollection") => {
            list(json, "geometries")?.iter().try_for_each(|g| each_geometry(g, visit))
        }
        Some("Feature") => match json.get("geometry") {
            None | Some(Value::Null) => Ok(()),
            Some(geometry) => each_geometry(geometry, visit),
        },
        Some(kind) => visit(kind, json),
        None => Err("it is not GeoJSON: an object of it has no \"type\"".into()),
    }
}

/// A member that must be a list.
pub fn list<'a>(json: &'a Value, name: &str) -> Result<&'a Vec<Value>, String> {
    let members = json.get(name).and_then(Value::as_array);
    members.ok_or_else(|| format!("an object of it has no list {name:?}"))
}
