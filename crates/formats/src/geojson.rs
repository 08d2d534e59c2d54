//! A layer as an RFC 7946 feature collection.
//!
//! The collection carries members of its own beside `features`: `name`; `coordinate_system`, which says in words
//! what the coordinates mean ([`crate::Crs::describe`]); and, where they are no longitudes and latitudes of Earth, `crs` of the
//! older GeoJSON 2008 with the EPSG code or well-known text as its name, so that readers do not take metres for degrees.
//! Features go out one by one, so memory does not grow with the file.

use std::io::Write;
use std::path::Path;

use ::geojson::{Feature as JsonFeature, Geometry as JsonGeometry, GeometryValue, JsonObject, Position};
use serde_json::{Value as Json, json};

use crate::features::{Feature, Geometry, Layer, Polygon, Value};
use crate::reference::{Reference, in_degrees};
use crate::{Axis, Cause, Error, atomic};

/// Writes a layer to a file.
///
/// # Errors
/// [`Error::Write`].
pub fn write(path: &Path, layer: &Layer) -> Result<(), Error> {
    atomic(path, |out| write_to(out, layer))
}

/// The same to any writer.
///
/// # Errors
/// What the writer says; a layer that contradicts itself ([`Layer::check`]).
pub fn write_to<W: Write>(out: &mut W, layer: &Layer) -> Result<(), Cause> {
    layer.check()?;
    let (name, note) = (json!(layer.name), json!(layer.crs.describe()));
    write!(out, "{{\"type\":\"FeatureCollection\",\"name\":{name},\"coordinate_system\":{note},")?;
    if let Some(crs) = crs_member(layer) {
        write!(out, "\"crs\":{crs},")?;
    }
    out.write_all(b"\"features\":[\n")?;
    for (i, feature) in layer.features.iter().enumerate() {
        if i > 0 {
            out.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut *out, &encode(feature, layer))?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(())
}

/// Nothing for longitudes and latitudes of Earth, which the RFC takes for granted; else a name that GDAL understands
/// (it takes what has none, or null, for degrees on Earth).
fn crs_member(layer: &Layer) -> Option<Json> {
    let reference = Reference::of(&layer.crs);
    let name = match (reference.epsg, reference.wkt) {
        (Some(4326), _) => return None,
        (Some(code), _) => format!("urn:ogc:def:crs:EPSG::{code}"),
        (None, Some(wkt)) => wkt,
        (None, None) => match layer.crs.axis() {
            Axis::Angular { .. } => return Some(Json::Null),
            Axis::Linear { metres_per_unit } => {
                let name = reference.name.replace('"', "'");
                format!("LOCAL_CS[\"{name}\",UNIT[\"{metres_per_unit} m\",{metres_per_unit}]]")
            }
        },
    };
    Some(json!({ "type": "name", "properties": { "name": name } }))
}

fn encode(feature: &Feature, layer: &Layer) -> JsonFeature {
    let scale = if in_degrees(&layer.crs) { 1e7 } else { 1e3 };
    let value = geometry(&feature.geometry.placed(&layer.crs), scale);
    let property =
        |(field, value): (&crate::features::Field, Option<&Value>)| (field.name.clone(), plain(value));
    let properties: JsonObject = feature.written(&layer.fields).map(property).collect();
    JsonFeature {
        bbox: None,
        geometry: Some(JsonGeometry::new(value)),
        id: None,
        properties: Some(properties),
        foreign_members: None,
    }
}

fn plain(value: Option<&Value>) -> Json {
    match value {
        None => Json::Null,
        Some(Value::Int(v)) => json!(v),
        Some(Value::Real(v)) => json!(v),
        Some(Value::Text(v)) => json!(v),
        Some(Value::Bool(v)) => json!(v),
    }
}

/// One part is written as a single geometry, several as a `Multi` one.
fn geometry(geometry: &Geometry, scale: f64) -> GeometryValue {
    let places = |line: &[[f64; 2]]| line.iter().map(|&p| rounded(p, scale)).collect::<Vec<Position>>();
    let rings = |area: &Polygon| area.rings().map(|ring| places(ring)).collect::<Vec<_>>();
    match geometry {
        Geometry::Point(p) => GeometryValue::Point { coordinates: rounded(*p, scale) },
        Geometry::Lines(lines) => match &lines[..] {
            [line] => GeometryValue::LineString { coordinates: places(line) },
            _ => GeometryValue::MultiLineString { coordinates: lines.iter().map(|l| places(l)).collect() },
        },
        Geometry::Polygons(areas) => match &areas[..] {
            [area] => GeometryValue::Polygon { coordinates: rings(area) },
            _ => GeometryValue::MultiPolygon { coordinates: areas.iter().map(rings).collect() },
        },
    }
}

/// Seven decimals of a degree are a centimetre; three of a metre a millimetre. More would be noise.
fn rounded([x, y]: [f64; 2], scale: f64) -> Position {
    // Adding zero turns -0 into 0.
    [(x * scale).round() / scale + 0.0, (y * scale).round() / scale + 0.0].into()
}
