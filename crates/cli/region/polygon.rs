//! Polygons of a GeoJSON file (RFC 7946): `--polygon`.
//!
//! All polygons of the file count together, wherever they stand: alone, in features, in collections. Longitudes from -360
//! to 360 are taken. A side that spans more than 180 degrees of longitude, but not the whole circle, goes the other,
//! shorter way, over the antimeridian, as programs write polygons that were not cut there. Polygons that were cut and lie
//! on both sides of it are put side by side again: the gap of longitudes that holds none of them is left out, if it is the
//! greatest.

use crate::geojson;
use crate::named::Map;
use crate::output::misuse;
use anyhow::Result;
use grid::Topology;
use region::Area;
use region::mask::Ring;
use serde_json::Value;
use std::path::Path;

/// Longest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// The polygons of a file in the world's own degrees or metres, and the box around them.
pub fn read(path: &Path, map: &Map) -> Result<(Area, [f64; 4])> {
    let refuse = |why: String| misuse(format!("--polygon {}: {why}", path.display()));
    let json = geojson::read(path, "--polygon", MOST_BYTES)?;
    let globe = matches!(map.grid, Topology::Globe(_));
    if globe && let Some(crs) = foreign_crs(&json) {
        return Err(refuse(format!("its coordinates are in {crs}; longitudes and latitudes are wanted")));
    }
    let mut polygons = Vec::new();
    collect(&json, &mut polygons).map_err(refuse)?;
    if polygons.is_empty() {
        return Err(refuse("it holds no polygon".into()));
    }
    if globe {
        polygons.iter_mut().try_for_each(|rings| unroll(rings)).map_err(refuse)?;
        gather(&mut polygons);
    } else {
        polygons.iter_mut().flatten().flatten().for_each(|place| *place = map.own(*place));
    }
    let area = Area { polygons };
    let bounds = area.bounds().ok_or_else(|| refuse("it holds no polygon".into()))?;
    map.check("--polygon", &path.display().to_string(), bounds)?;
    Ok((area, bounds))
}

/// The name of a reference system that is not longitude and latitude, of GeoJSON 2008.
fn foreign_crs(json: &Value) -> Option<String> {
    let crs = json.get("crs").filter(|crs| !crs.is_null())?;
    let name = crs.get("properties").and_then(|p| p.get("name")).and_then(Value::as_str).unwrap_or("another");
    let usual = ["CRS84", "EPSG::4326", "EPSG:4326", "GEOGCS"];
    (!usual.iter().any(|known| name.contains(known))).then(|| name.chars().take(80).collect())
}

/// Adds all polygons of a GeoJSON object.
fn collect(json: &Value, polygons: &mut Vec<Vec<Ring>>) -> Result<(), String> {
    geojson::each_geometry(json, &mut |kind, geometry| match kind {
        "Polygon" => {
            polygons.push(rings(geojson::list(geometry, "coordinates")?)?);
            Ok(())
        }
        "MultiPolygon" => geojson::list(geometry, "coordinates")?.iter().try_for_each(|polygon| {
            let of_polygon = polygon.as_array().ok_or("a polygon of it is not a list of rings")?;
            polygons.push(rings(of_polygon)?);
            Ok(())
        }),
        other => Err(format!("it holds a {other:?}; polygons are wanted")),
    })
}

fn rings(json: &[Value]) -> Result<Vec<Ring>, String> {
    if json.is_empty() {
        return Err("a polygon of it has no ring".into());
    }
    json.iter().map(ring).collect()
}

fn ring(json: &Value) -> Result<Ring, String> {
    let places = json.as_array().ok_or("a ring of it is not a list of places")?;
    let mut ring: Ring = places.iter().map(place).collect::<Result<_, _>>()?;
    if ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    if ring.len() < 3 {
        return Err(format!("a ring of it has {} corners; a ring has at least 3", ring.len()));
    }
    Ok(ring)
}

fn place(json: &Value) -> Result<[f64; 2], String> {
    let number = |i: usize| json.get(i).and_then(Value::as_f64).filter(|v| v.is_finite());
    number(0)
        .zip(number(1))
        .map(|(x, y)| [x, y])
        .ok_or_else(|| format!("a place of it is not a pair of numbers: {:.60}", json.to_string()))
}

/// Makes longitudes of rings run on over the antimeridian.
fn unroll(rings: &mut [Ring]) -> Result<(), String> {
    for ring in rings.iter_mut() {
        for &[lon, lat] in ring.iter() {
            if lon.abs() > 360.0 || lat.abs() > 90.0 {
                return Err(format!("{lon},{lat} is no longitude and latitude in degrees"));
            }
        }
        // how far the places before have been turned altogether
        let mut turned = 0.0;
        let mut before = ring[0][0];
        for place in ring.iter_mut() {
            turned += turn(place[0] - before);
            before = place[0];
            place[0] += turned;
        }
        if turned + turn(ring[0][0] - before) != 0.0 {
            return Err(
                "a ring of it goes around a pole: cut it along the antimeridian, and close it along the \
                        pole (180,90 to -180,90)"
                    .into(),
            );
        }
    }
    // holes beside their outline
    let first = rings[0][0][0];
    for ring in &mut rings[1..] {
        let shift = 360.0 * ((first - ring[0][0]) / 360.0).round();
        ring.iter_mut().for_each(|place| place[0] += shift);
    }
    Ok(())
}

/// What is to be added to a step of longitude so that it goes the shorter way round; a whole circle stays.
fn turn(step: f64) -> f64 {
    if step.abs() > 180.0 && step.abs() < 360.0 { -360.0f64.copysign(step) } else { 0.0 }
}

/// Turns polygons by whole circles so that they span as few degrees of longitude as can be, from -180 on.
fn gather(polygons: &mut [Vec<Ring>]) {
    let span = |rings: &[Ring]| {
        let lons = rings.iter().flatten().map(|place| place[0]);
        lons.fold((f64::MAX, f64::MIN), |(west, east), lon| (west.min(lon), east.max(lon)))
    };
    let mut spans: Vec<(f64, f64)> = Vec::new();
    for rings in polygons.iter_mut() {
        let (west, east) = span(rings);
        let shift = -360.0 * ((west + 180.0) / 360.0).floor();
        shift_by(rings, shift);
        spans.push((west + shift, east + shift));
    }
    let begin = after_greatest_gap(&spans);
    for (rings, (west, _)) in polygons.iter_mut().zip(spans) {
        if west < begin {
            shift_by(rings, 360.0);
        }
    }
}

fn shift_by(rings: &mut [Ring], shift: f64) {
    rings.iter_mut().flatten().for_each(|place| place[0] += shift);
}

/// The western end of the span after the greatest gap on the circle; of equal gaps the one over the antimeridian.
fn after_greatest_gap(spans: &[(f64, f64)]) -> f64 {
    let mut sorted = spans.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = sorted.first().map_or(-180.0, |span| span.0);
    let last = sorted.iter().map(|span| span.1).fold(f64::MIN, f64::max);
    let (mut greatest, mut begin, mut reached) = ((first + 360.0 - last).max(0.0), first, f64::MIN);
    for &(west, east) in &sorted {
        if reached > f64::MIN && west - reached > greatest {
            (greatest, begin) = (west - reached, west);
        }
        reached = reached.max(east);
    }
    begin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn box_of(text: &str) -> Result<[f64; 4], String> {
        let mut polygons = Vec::new();
        collect(&serde_json::from_str(text).expect("JSON"), &mut polygons)?;
        polygons.iter_mut().try_for_each(|rings| unroll(rings))?;
        gather(&mut polygons);
        Ok(Area { polygons }.bounds().expect("corners"))
    }

    #[test]
    fn polygons_are_put_together_over_the_antimeridian() {
        for (coordinates, expected) in [
            (
                "[[[[170,-10],[180,-10],[180,10],[170,10]]],[[[-180,-10],[-170,-10],[-170,10],[-180,10]]]]",
                [170.0, -10.0, 190.0, 10.0],
            ),
            ("[[[[170,-10],[-170,-10],[-170,10],[170,10]]]]", [170.0, -10.0, 190.0, 10.0]),
            ("[[[[170,-10],[190,-10],[190,10],[170,10]]]]", [170.0, -10.0, 190.0, 10.0]),
            ("[[[[-190,-10],[-170,-10],[-170,10],[-190,10]]]]", [170.0, -10.0, 190.0, 10.0]),
            ("[[[[10,1],[20,1],[20,9]]],[[[-30,5],[-20,5],[-20,6]]]]", [-30.0, 1.0, 20.0, 9.0]),
            ("[[[[-180,-90],[180,-90],[180,90],[-180,90]]]]", [-180.0, -90.0, 180.0, 90.0]),
            ("[[[[-100,0],[0,0],[100,0],[100,9],[0,9],[-100,9]]]]", [-100.0, 0.0, 100.0, 9.0]),
            (
                "[[[[160,0],[-160,0],[-150,20],[170,50]],[[175,5],[-175,5],[-175,9],[175,9]]]]",
                [160.0, 0.0, 210.0, 50.0],
            ),
            // a hole on the other side of the antimeridian belongs to its outline
            (
                "[[[[170,0],[-160,0],[-160,30],[170,30]],[[-175,5],[-170,5],[-170,9]]]]",
                [170.0, 0.0, 200.0, 30.0],
            ),
        ] {
            let found = box_of(&format!("{{\"type\":\"MultiPolygon\",\"coordinates\":{coordinates}}}"));
            assert_eq!(found, Ok(expected), "{coordinates}");
        }
    }

    #[test]
    fn rings_around_a_pole_are_refused() {
        let around = "{\"type\":\"Polygon\",\"coordinates\":[[[0,80],[90,80],[179,80],[-90,80]]]}";
        assert!(box_of(around).is_err_and(|why| why.contains("pole")));
    }
}
