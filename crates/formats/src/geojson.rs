//! Lines with properties as an RFC 7946 feature collection.
//!
//! Longitudes stay within -180 to 180: a line over the antimeridian is cut there into a `MultiLineString`, as
//! the RFC asks (section 3.1.9). Features go out one by one, so memory does not grow with the file.

use std::io::Write;
use std::path::Path;

use ::geojson::{Feature, Geometry, GeometryValue, JsonObject, Position};
use serde_json::{Map, Value};

use crate::{Cause, Crs, Error, atomic};

/// A line and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LineFeature {
    /// Longitude and latitude in degrees, or metres east and north on a flat map; two points or more.
    pub coordinates: Vec<[f64; 2]>,
    /// Names and values, as a table of attributes shows them.
    pub properties: Map<String, Value>,
}

/// Writes lines to a file.
///
/// The collection carries two members of its own beside `features`: `name`, and `coordinate_system`, which says
/// in words what the coordinates mean ([`Crs::describe`]); the RFC knows no other planets and no flat maps.
///
/// # Errors
/// [`Error::Write`].
pub fn write_lines(path: &Path, name: &str, crs: &Crs, features: &[LineFeature]) -> Result<(), Error> {
    atomic(path, |out| write_lines_to(out, name, crs, features))
}

/// The same to any writer.
///
/// # Errors
/// What the writer says; a line of fewer than two points or with a coordinate that is not finite.
pub fn write_lines_to<W: Write>(
    out: &mut W,
    name: &str,
    crs: &Crs,
    features: &[LineFeature],
) -> Result<(), Cause> {
    let (name, note) = (serde_json::to_string(name)?, serde_json::to_string(&crs.describe())?);
    writeln!(
        out,
        "{{\"type\":\"FeatureCollection\",\"name\":{name},\"coordinate_system\":{note},\"features\":["
    )?;
    for (i, feature) in features.iter().enumerate() {
        if i > 0 {
            out.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut *out, &encode(i, feature, crs)?)?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(())
}

fn encode(index: usize, feature: &LineFeature, crs: &Crs) -> Result<Feature, Cause> {
    let line = &feature.coordinates;
    if line.len() < 2 {
        return Err(format!("line {index} has {} points: a line has at least 2", line.len()).into());
    }
    if let Some([x, y]) = line.iter().find(|p| !(p[0].is_finite() && p[1].is_finite())) {
        return Err(format!("line {index} goes through ({x}, {y}): coordinates must be finite").into());
    }
    let geographic = crs.is_geographic();
    let parts = if geographic { split_at_antimeridian(line) } else { vec![line.clone()] };
    let mut parts: Vec<Vec<Position>> =
        parts.iter().map(|part| part.iter().map(|&p| rounded(p, geographic)).collect()).collect();
    let value = match parts.len() {
        1 => GeometryValue::LineString { coordinates: parts.remove(0) },
        _ => GeometryValue::MultiLineString { coordinates: parts },
    };
    let properties: JsonObject = feature.properties.clone();
    Ok(Feature {
        bbox: None,
        geometry: Some(Geometry::new(value)),
        id: None,
        properties: Some(properties),
        foreign_members: None,
    })
}

/// Seven decimals of a degree are a centimetre; three of a metre a millimetre. More would be noise.
fn rounded([x, y]: [f64; 2], geographic: bool) -> Position {
    let scale = if geographic { 1e7 } else { 1e3 };
    // Adding zero turns -0 into 0.
    [(x * scale).round() / scale + 0.0, (y * scale).round() / scale + 0.0].into()
}

/// Cuts a line of longitudes and latitudes where it crosses longitude 180.
///
/// A step of more than 180 degrees of longitude is taken to go the other, shorter way round. Both sides get a
/// point on the antimeridian, at a latitude interpolated along the step.
pub fn split_at_antimeridian(line: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let mut parts = Vec::new();
    let mut part: Vec<[f64; 2]> = Vec::new();
    for &point in line {
        let here = [wrapped(point[0]), point[1]];
        if let Some(&last) = part.last()
            && (here[0] - last[0]).abs() > 180.0
        {
            let (leave, enter) = crossing(last, here);
            push_distinct(&mut part, leave);
            if part.len() > 1 {
                parts.push(std::mem::take(&mut part));
            }
            part = vec![enter];
        }
        push_distinct(&mut part, here);
    }
    if part.len() > 1 || parts.is_empty() {
        parts.push(part);
    }
    parts
}

fn push_distinct(part: &mut Vec<[f64; 2]>, point: [f64; 2]) {
    if part.last() != Some(&point) {
        part.push(point);
    }
}

/// A longitude brought into -180 to 180; 180 itself stays.
fn wrapped(lon: f64) -> f64 {
    if (-180.0..=180.0).contains(&lon) { lon } else { (lon + 180.0).rem_euclid(360.0) - 180.0 }
}

/// The points on both faces of the antimeridian where the short way from `a` to `b` crosses it.
fn crossing(a: [f64; 2], b: [f64; 2]) -> ([f64; 2], [f64; 2]) {
    let side = if a[0] > 0.0 { 180.0 } else { -180.0 };
    let (before, after) = ((side - a[0]).abs(), (side + b[0]).abs());
    let t = if before + after > 0.0 { before / (before + after) } else { 0.0 };
    let lat = a[1] + (b[1] - a[1]) * t;
    ([side, lat], [-side, lat])
}
