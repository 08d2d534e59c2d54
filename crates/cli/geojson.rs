//! GeoJSON files that are given (RFC 7946).

use crate::memory;
use crate::output::misuse;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

/// Bytes of memory that a byte of a file takes while it is read: measured 16 to 19 for coordinates of one digit.
const MEMORY_OF_A_BYTE: f64 = 20.0;

/// Memory that it takes to read a file.
pub fn needed_bytes(path: &Path) -> f64 {
    path.metadata().map_or(0.0, |about| about.len() as f64 * MEMORY_OF_A_BYTE)
}

/// Makes sure that the file that an option names can be read in so much memory.
///
/// # Errors
/// It takes more.
pub fn check_memory(path: &Path, option: &str, max_memory_gb: f64) -> Result<()> {
    let what = format!("{option} {}", path.display());
    memory::check(Some(max_memory_gb), (&what, needed_bytes(path)), |limit| {
        format!("a file of {:.3} MB would fit", limit / MEMORY_OF_A_BYTE / 1e6)
    })
}

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
