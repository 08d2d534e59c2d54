//! What a store says of itself: the JSON texts of its groups and arrays, and the coordinates, which are small.

use serde_json::{Map, Value, json};

use super::pyramid;
use super::{CHUNK, LEVEL, packed};
use crate::reference::{Reference, in_degrees};
use crate::stream::{Frame, Kind};
use crate::{Cause, Crs, RasterError, cf};

/// A file of a store, or an object of a store that is no folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its path in the store, with strokes: `elevation/c/0/3`.
    pub key: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The key of a shard of a band, by its row and column; level 0 is the raster, level k its overview at 1/2^k of the size.
pub fn key(level: usize, band: &str, (row, column): (usize, usize)) -> String {
    format!("{}{band}/c/{row}/{column}", pyramid::prefix(level))
}

/// All of a store but its shards, which have a side of `side` samples: coordinates, reference system, what each array is. Of
/// several levels (see [`super::overviews`]) the first is the store's own arrays, the others are groups in it, named by their number.
///
/// `attributes` are those of the store as a whole. Its own `zarr.json` is the last object: a store that has it has all.
///
/// # Errors
/// A frame that makes no sense, or a side that is no multiple of [`CHUNK`].
pub fn template(
    levels: &[Frame],
    side: usize,
    attributes: &Map<String, Value>,
) -> Result<Vec<Object>, Cause> {
    if side == 0 || !side.is_multiple_of(CHUNK) {
        return Err(format!("a shard has a side of a multiple of {CHUNK} samples, not of {side}").into());
    }
    let first = levels.first().ok_or(RasterError::Size { width: 0, height: 0 })?;
    let mut objects = Vec::new();
    let mut all = Map::new();
    for (level, frame) in levels.iter().enumerate().rev() {
        frame.check()?;
        let prefix = pyramid::prefix(level);
        let members = members(frame, side);
        for (name, about) in &members {
            objects.push(text(format!("{prefix}{name}/zarr.json"), about)?);
        }
        for (name, step, count, first) in axes(frame) {
            let bytes: Vec<u8> = middles(first, step, count).flat_map(f64::to_le_bytes).collect();
            objects.push(Object { key: format!("{prefix}{name}/c/0"), bytes: packed(&bytes)? });
        }
        objects.push(Object { key: format!("{prefix}spatial_ref/c"), bytes: packed(&0_i32.to_le_bytes())? });
        if level > 0 {
            let about = group(conventions(Map::new()), members.clone());
            objects.push(text(format!("{prefix}zarr.json"), &about)?);
            all.insert(level.to_string(), group(conventions(Map::new()), Map::new()));
        }
        all.extend(members.into_iter().map(|(name, about)| (format!("{prefix}{name}"), about)));
    }
    let mut attributes = conventions(attributes.clone());
    if levels.len() > 1 {
        attributes.extend(pyramid::about(levels, names(first)));
    }
    objects.push(text("zarr.json".into(), &group(attributes, all))?);
    Ok(objects)
}

fn text(key: String, about: &Value) -> serde_json::Result<Object> {
    Ok(Object { key, bytes: serde_json::to_vec_pretty(about)? })
}

fn conventions(mut attributes: Map<String, Value>) -> Map<String, Value> {
    attributes.insert("Conventions".into(), "CF-1.11".into());
    attributes
}

/// The arrays of a level by name.
fn members(frame: &Frame, side: usize) -> Map<String, Value> {
    let mut arrays = Map::new();
    for (name, _, count, _) in axes(frame) {
        arrays.insert(name.into(), axis(name, count, &frame.georeference.crs));
    }
    for (band, title) in frame.bands.iter().enumerate() {
        arrays.insert(title.name.clone(), about_band(frame, band, side));
    }
    arrays.insert("spatial_ref".into(), spatial_ref(frame));
    arrays
}

/// Names of rows and of columns.
fn names(frame: &Frame) -> [&'static str; 2] {
    if in_degrees(&frame.georeference.crs) { ["lat", "lon"] } else { ["y", "x"] }
}

/// Name, step, number and border of rows and of columns.
fn axes(frame: &Frame) -> [(&'static str, f64, usize, f64); 2] {
    let at = &frame.georeference;
    let [rows, columns] = names(frame);
    [(rows, -at.step_y, frame.height, at.north), (columns, at.step_x, frame.width, at.west)]
}

/// The middles of so many steps from a border on.
///
/// Samples of a lattice lie at multiples of its step; where the first does, or half a step beside, they are computed as that, so that
/// they are the same bits in every raster of the lattice.
fn middles(border: f64, step: f64, count: usize) -> impl Iterator<Item = f64> {
    let first = border / step + 0.5;
    let halves = (2.0 * first).round();
    let on_lattice = (2.0 * first - halves).abs() < 1e-6 && halves.abs() < (1_i64 << 50) as f64;
    (0..count).map(move |i| match on_lattice {
        true => (halves / 2.0 + i as f64) * step,
        false => border + (i as f64 + 0.5) * step,
    })
}

/// How numbers become the bytes of a chunk.
fn codecs() -> Value {
    json!([
        { "name": "bytes", "configuration": { "endian": "little" } },
        { "name": "gzip", "configuration": { "level": LEVEL } },
    ])
}

/// What the store says of an array.
fn array(
    shape: &[usize],
    chunk: &[usize],
    (kind, fill): (&str, Value),
    names: &[&str],
    attributes: Value,
) -> Value {
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": kind,
        "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": chunk } },
        "chunk_key_encoding": { "name": "default", "configuration": { "separator": "/" } },
        "fill_value": fill,
        "codecs": codecs(),
        "attributes": attributes,
        "dimension_names": names,
    })
}

/// The codec of chunks that stand in shards.
fn sharded() -> Value {
    json!([{
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [CHUNK, CHUNK],
            "codecs": codecs(),
            "index_codecs": [{ "name": "bytes", "configuration": { "endian": "little" } }, { "name": "crc32c" }],
            "index_location": "end",
        },
    }])
}

fn about_band(frame: &Frame, band: usize, side: usize) -> Value {
    let title = &frame.bands[band];
    let unit = cf::unit(&title.unit);
    let mut attributes =
        json!({ "long_name": title.name.replace('_', " "), "units": unit, "coordinates": "spatial_ref" });
    if Reference::of(&frame.georeference.crs).is_known() {
        attributes["grid_mapping"] = "spatial_ref".into();
    }
    if unit == "1" && !matches!(title.unit.as_str(), "" | "1") {
        attributes["comment"] = title.unit.clone().into();
    }
    if title.kind == Kind::Class {
        attributes["kind"] = "class".into();
    }
    let (shape, shard) = ([frame.height, frame.width], [side, side]);
    let mut about = array(&shape, &shard, ("float32", "NaN".into()), &names(frame), attributes);
    about["codecs"] = sharded();
    about
}

/// Coordinates of rows or columns, in the words of the climate and forecast conventions.
fn axis(name: &str, count: usize, crs: &Crs) -> Value {
    let north = matches!(name, "lat" | "y");
    let unit = cf::length_unit(crs);
    let attributes = match (in_degrees(crs), north) {
        (true, true) => json!({ "standard_name": "latitude", "units": "degrees_north", "axis": "Y" }),
        (true, false) => json!({ "standard_name": "longitude", "units": "degrees_east", "axis": "X" }),
        (false, true) => json!({ "standard_name": "projection_y_coordinate", "units": unit, "axis": "Y" }),
        (false, false) => json!({ "standard_name": "projection_x_coordinate", "units": unit, "axis": "X" }),
    };
    array(&[count], &[count], ("float64", "NaN".into()), &[name], attributes)
}

/// The reference system, on an array without dimensions: in the words of the conventions, and as text where rioxarray and GDAL look
/// for it.
fn spatial_ref(frame: &Frame) -> Value {
    let at = &frame.georeference;
    let reference = Reference::of(&at.crs);
    let mut attributes = cf::grid_mapping(&at.crs);
    attributes.insert("long_name".into(), reference.name.into());
    let affine = format!("{} {} 0 {} 0 {}", at.west, at.step_x, at.north, -at.step_y);
    attributes.insert("GeoTransform".into(), affine.into());
    if let Some(wkt) = reference.wkt {
        attributes.insert("crs_wkt".into(), wkt.clone().into());
        attributes.insert("spatial_ref".into(), wkt.into());
    }
    if let Some(code) = reference.epsg {
        // a system of somebody else's is known by its number alone
        attributes.entry("spatial_ref").or_insert_with(|| format!("EPSG:{code}").into());
        attributes.insert("epsg".into(), code.into());
    }
    array(&[], &[], ("int32", 0.into()), &[], attributes.into())
}

/// A group. It repeats what is in it, so that one request tells everything.
fn group(attributes: Map<String, Value>, members: Map<String, Value>) -> Value {
    json!({
        "zarr_format": 3,
        "node_type": "group",
        "attributes": attributes,
        "consolidated_metadata": { "kind": "inline", "must_understand": false, "metadata": members },
    })
}

#[cfg(test)]
mod tests {
    use super::middles;

    #[test]
    fn coordinates_of_a_lattice_are_multiples_of_its_step() {
        let step = 0.017_986_432_118;
        for west in [-9007_i64, -1, 0, 3, 20_014] {
            let (border, north) = ((west as f64 - 0.5) * step, (west as f64 + 0.5) * step);
            for (i, x) in middles(border, step, 500).enumerate() {
                assert_eq!(x, (west + i as i64) as f64 * step);
            }
            for (i, y) in middles(north, -step, 500).enumerate() {
                assert_eq!(y, (west - i as i64) as f64 * step);
            }
        }
        // anywhere else from the border on
        let found: Vec<f64> = middles(10.3, 2.0, 3).collect();
        assert_eq!(found, [11.3, 13.3, 15.3]);
    }
}
