//! Overviews: a store at half its size, a quarter and so on, so that it can be looked at. Each is a group in it, named by how
//! often it was halved, with arrays, coordinates and shards of its own.
//!
//! What belongs together is told by three conventions for attributes: `multiscales` (each array is derived from one of the next
//! larger level), `spatial:` (shape and place of each) and `proj:` (the reference system).

use serde_json::{Map, Value, json};

use super::{CHUNK, shard};
use crate::halving;
use crate::reference::wkt2;
use crate::stream::{Frame, Kind};
use crate::{Cause, Georeference, Reference};

/// Where the keys of a level begin.
pub(super) fn prefix(level: usize) -> String {
    if level == 0 { String::new() } else { format!("{level}/") }
}

/// The raster and its overviews, each half as large as the one before, down to one chunk.
pub fn overviews(frame: &Frame) -> Vec<Frame> {
    let mut levels = vec![frame.clone()];
    let mut last = frame;
    while last.width.max(last.height) > CHUNK {
        let at = &last.georeference;
        let next = Frame {
            width: last.width.div_ceil(2),
            height: last.height.div_ceil(2),
            georeference: Georeference { step_x: 2.0 * at.step_x, step_y: 2.0 * at.step_y, ..at.clone() },
            bands: last.bands.clone(),
        };
        levels.push(next);
        last = &levels[levels.len() - 1];
    }
    levels
}

/// A shard of an overview from the shards of the next larger level: north-west, north-east, south-west, south-east; none where
/// that level has ended. Returns its bytes.
///
/// # Errors
/// Bytes that are no shard of this side.
pub fn halve(
    level: &Frame,
    (band, side): (usize, usize),
    (row, column): (usize, usize),
    larger: [Option<Vec<u8>>; 4],
) -> Result<Vec<u8>, Cause> {
    let kind = level.bands[band].kind;
    let mut values = vec![f32::NAN; side * side];
    for (quarter, bytes) in larger.into_iter().enumerate() {
        let Some(bytes) = bytes else { continue };
        let from = shard::unpack(&bytes, side).map_err(|cause| -> Cause {
            let (row, column) = (2 * row + quarter / 2, 2 * column + quarter % 2);
            format!("{}, shard {row}/{column}: {cause}", level.bands[band].name).into()
        })?;
        let corner = (quarter % 2 * side / 2, quarter / 2 * side / 2);
        halving::halve(&from, kind, (&mut values, side), corner);
    }
    let width = side.min(level.width - column * side);
    let height = side.min(level.height - row * side);
    let rows = values.chunks_exact(side).take(height);
    let values: Vec<f32> = rows.flat_map(|row| &row[..width]).copied().collect();
    Ok(shard::pack(&values, (width, height), side)?)
}

/// What the store says of its levels.
pub(super) fn about(levels: &[Frame], names: [&str; 2]) -> Map<String, Value> {
    let crs = &levels[0].georeference.crs;
    let mut layout = Vec::new();
    for (band, title) in levels[0].bands.iter().enumerate() {
        for (level, frame) in levels.iter().enumerate() {
            layout.push(asset(level, frame, (band, &title.name)));
        }
    }
    let mut about = Map::new();
    let mut conventions = vec![
        convention("multiscales", "d35379db-88df-4056-af3a-620245f8e347", "multiscales"),
        convention("spatial", "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4", "spatial"),
    ];
    if let Some(code) = Reference::of(crs).epsg {
        about.insert("proj:code".into(), format!("EPSG:{code}").into());
    } else if let Some(wkt) = wkt2(crs) {
        about.insert("proj:wkt2".into(), wkt.into());
    }
    if about.len() == 1 {
        conventions.push(convention("geo-proj", "f17cb550-5864-4468-aeb7-f3180cfb622f", "proj:"));
    }
    about.insert("zarr_conventions".into(), conventions.into());
    about.insert("multiscales".into(), json!({ "layout": layout, "resampling_method": "average" }));
    about.insert("spatial:dimensions".into(), json!(names));
    about
}

/// An array of a level.
fn asset(level: usize, frame: &Frame, (band, name): (usize, &str)) -> Value {
    let at = &frame.georeference;
    let mut asset = json!({
        "asset": format!("{}{name}", prefix(level)),
        "transform": { "scale": [1.0, 1.0], "translation": [0.0, 0.0] },
        "spatial:shape": [frame.height, frame.width],
        "spatial:transform": [at.step_x, 0.0, at.west, 0.0, -at.step_y, at.north],
    });
    if level > 0 {
        asset["derived_from"] = format!("{}{name}", prefix(level - 1)).into();
        // the middle of two by two samples
        asset["transform"] = json!({ "scale": [2.0, 2.0], "translation": [0.5, 0.5] });
        let method = if frame.bands[band].kind == Kind::Class { "nearest" } else { "average" };
        asset["resampling_method"] = method.into();
    }
    asset
}

/// A convention by which attributes are to be read.
fn convention(repository: &str, uuid: &str, name: &str) -> Value {
    json!({
        "schema_url": format!("https://raw.githubusercontent.com/zarr-conventions/{repository}/refs/tags/v1/schema.json"),
        "spec_url": format!("https://github.com/zarr-conventions/{repository}/blob/v1/README.md"),
        "uuid": uuid,
        "name": name,
    })
}
