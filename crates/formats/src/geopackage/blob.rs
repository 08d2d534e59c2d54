//! A geometry as bytes: a GeoPackage's header, then well-known binary (OGC 06-103r4), little-endian.

use crate::features::{Geometry, Polygon, Position};

const WKB_POINT: u32 = 1;
const WKB_LINE: u32 = 2;
const WKB_POLYGON: u32 = 3;
const WKB_MULTI_LINE: u32 = 5;
const WKB_MULTI_POLYGON: u32 = 6;

/// The bytes of a geometry, and its box: west, south, east, north.
pub(super) fn encode(geometry: &Geometry, srs_id: i32) -> (Vec<u8>, [f64; 4]) {
    let bounds = geometry.bounds().unwrap_or([f64::NAN; 4]);
    let is_point = matches!(geometry, Geometry::Point(_));
    let mut out = b"GP\0".to_vec();
    // bit 0: little-endian; bits 1 to 3: a box of x and y, which a point does without
    out.push(if is_point { 0b001 } else { 0b011 });
    out.extend(srs_id.to_le_bytes());
    if !is_point {
        let [west, south, east, north] = bounds;
        [west, east, south, north].iter().for_each(|v| out.extend(v.to_le_bytes()));
    }
    shape(&mut out, geometry);
    (out, bounds)
}

fn shape(out: &mut Vec<u8>, geometry: &Geometry) {
    match geometry {
        Geometry::Point(p) => {
            begin(out, WKB_POINT);
            place(out, *p);
        }
        Geometry::Lines(lines) => {
            begin(out, WKB_MULTI_LINE);
            count(out, lines.len());
            for line in lines {
                begin(out, WKB_LINE);
                places(out, line);
            }
        }
        Geometry::Polygons(areas) => {
            begin(out, WKB_MULTI_POLYGON);
            count(out, areas.len());
            areas.iter().for_each(|area| polygon(out, area));
        }
    }
}

fn polygon(out: &mut Vec<u8>, area: &Polygon) {
    begin(out, WKB_POLYGON);
    count(out, 1 + area.holes.len());
    area.rings().for_each(|ring| places(out, ring));
}

fn begin(out: &mut Vec<u8>, kind: u32) {
    out.push(1); // little-endian
    out.extend(kind.to_le_bytes());
}

/// SQLite's longest blob, a thousand million bytes, is far shorter than 2^32 places.
fn count(out: &mut Vec<u8>, number: usize) {
    out.extend((number as u32).to_le_bytes());
}

fn place(out: &mut Vec<u8>, [x, y]: Position) {
    out.extend(x.to_le_bytes());
    out.extend(y.to_le_bytes());
}

fn places(out: &mut Vec<u8>, line: &[Position]) {
    count(out, line.len());
    line.iter().for_each(|&p| place(out, p));
}
