//! Lines of a GeoJSON file: `--ridge-lines`, `--rivers-to-keep`.

use super::rasters::Place;
use crate::geojson;
use crate::output::misuse;
use anyhow::Result;
use grid::{Vec3, math};
use serde_json::Value;
use std::path::Path;

/// Longest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 28;
/// All lines together are not longer than this many times the globe's radius, or the sides of the map.
const MOST_LENGTHS: f64 = 5000.0;

/// The lines of a file as positions of the grid: on a globe from degrees, on a flat map from the raster's metres.
pub fn read(path: &Path, option: &str, place: &Place) -> Result<Vec<Vec<Vec3>>> {
    let refuse = |why: String| misuse(format!("{option} {}: {why}", path.display()));
    let json = geojson::read(path, option, MOST_BYTES)?;
    let mut lines = Vec::new();
    collect(&json, &mut lines).map_err(refuse)?;
    if lines.is_empty() {
        return Err(refuse("it holds no line".into()));
    }
    let place_line = |line: Vec<[f64; 2]>| line.into_iter().map(|p| position(p, place)).collect();
    let placed: Vec<Vec<Vec3>> =
        lines.into_iter().map(place_line).collect::<Result<_, String>>().map_err(refuse)?;
    let unit = match place {
        Place::Globe { .. } => 1.0,
        Place::Flat { width_m, height_m, .. } => width_m.max(*height_m),
    };
    let length: f64 = placed.iter().flat_map(|l| l.windows(2)).map(|w| w[0].distance(w[1])).sum();
    if length > MOST_LENGTHS * unit {
        let times = (length / unit).round();
        return Err(refuse(format!(
            "its lines are {times} times as long as the world is wide; at most {MOST_LENGTHS}"
        )));
    }
    Ok(placed)
}

fn position([x, y]: [f64; 2], place: &Place) -> Result<Vec3, String> {
    match place {
        Place::Globe { .. } if x.abs() > 360.0 || y.abs() > 90.0 => {
            Err(format!("{x},{y} is no longitude and latitude in degrees"))
        }
        Place::Globe { .. } => Ok(math::from_lon_lat(x, y)),
        Place::Flat { corner_m: [west_m, south_m], width_m, height_m } => {
            let (x_m, y_m) = (x - west_m, y - south_m);
            let near = |v: f64, side_m: f64| (-side_m..=2.0 * side_m).contains(&v);
            if near(x_m, *width_m) && near(y_m, *height_m) {
                return Ok(Vec3::new(x_m, y_m, 0.0));
            }
            Err(format!(
                "{x},{y} lies far from the map, which begins at {west_m},{south_m} and is {width_m} x {height_m} m wide"
            ))
        }
    }
}

/// Adds all lines of a GeoJSON object.
fn collect(json: &Value, lines: &mut Vec<Vec<[f64; 2]>>) -> Result<(), String> {
    geojson::each_geometry(json, &mut |kind, geometry| match kind {
        "LineString" => {
            lines.push(line(geojson::list(geometry, "coordinates")?)?);
            Ok(())
        }
        "MultiLineString" => geojson::list(geometry, "coordinates")?.iter().try_for_each(|part| {
            lines.push(line(part.as_array().ok_or("a line of it is not a list of places")?)?);
            Ok(())
        }),
        other => Err(format!("it holds a {other:?}; lines are wanted")),
    })
}

fn line(places: &[Value]) -> Result<Vec<[f64; 2]>, String> {
    if places.len() < 2 {
        return Err(format!("a line of it has {} places; a line has at least 2", places.len()));
    }
    places.iter().map(place).collect()
}

fn place(json: &Value) -> Result<[f64; 2], String> {
    let number = |i: usize| json.get(i).and_then(Value::as_f64).filter(|v| v.is_finite());
    number(0)
        .zip(number(1))
        .map(|(x, y)| [x, y])
        .ok_or_else(|| format!("a place of it is not a pair of numbers: {:.60}", json.to_string()))
}
