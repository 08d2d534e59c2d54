//! Where a file says its raster lies (OGC 19-008r4, section 7.2).

use std::fs::File;

use super::directory::Directory;
use super::foreign::ForeignCrs;
use super::keys::{self, GeoKeys};
use super::layout::Layout;
use super::tags::Tag;
use crate::error::ReadError;
use crate::{Axis, Crs, Georeference};

/// Most 16-bit words of keys, and most doubles and letters behind them: what a key can point at.
const MOST_KEYS: u64 = 4 * 65_536;
const MOST_VALUES: u64 = 2 * 65_536;

/// A rotation that moves the far corner by less than this part of a pixel is none.
const STRAIGHT: f64 = 1e-3;

/// Where the raster lies once its rows run southwards.
#[derive(Debug)]
pub(super) struct Place {
    pub georeference: Georeference,
    /// Whether the file's rows run northwards.
    pub south_up: bool,
    pub warnings: Vec<String>,
}

/// The affine map from columns and rows to coordinates, without rotation.
struct Affine {
    west: f64,
    step_x: f64,
    /// Coordinate of the first row's first border, and how it grows by rows.
    start_y: f64,
    step_y: f64,
}

impl Place {
    /// Reads the tags that say so.
    pub fn read(file: &mut File, tags: &Directory, layout: &Layout) -> Result<Self, ReadError> {
        let mut warnings = Vec::new();
        let keys = read_keys(file, tags, &mut warnings)?;
        let points = keys.are_of_points();
        let crs = if keys.is_empty() { ForeignCrs::none() } else { ForeignCrs::read(keys, &mut warnings)? };
        let affine = affine(file, tags, layout, &mut warnings)?;
        if crs.is_none() {
            warnings.push("it has no reference system: its coordinates are taken as metres".into());
        }
        let mut affine = affine.unwrap_or_else(|| {
            warnings.push("it does not say where it lies: cells of 1 x 1 are assumed, from 0, 0".into());
            Affine { west: 0.0, step_x: 1.0, start_y: 0.0, step_y: -1.0 }
        });
        if points {
            affine.west -= 0.5 * affine.step_x;
            affine.start_y -= 0.5 * affine.step_y;
        }
        affine.check()?;
        let south_up = affine.step_y > 0.0;
        let rows_north = if south_up { layout.height as f64 } else { 0.0 };
        let georeference = Georeference {
            crs: Crs::Foreign(crs),
            west: affine.west,
            north: affine.start_y + rows_north * affine.step_y,
            step_x: affine.step_x,
            step_y: affine.step_y.abs(),
        };
        check_latitudes(&georeference, layout.height, &mut warnings)?;
        Ok(Self { georeference, south_up, warnings })
    }
}

impl Affine {
    fn check(&self) -> Result<(), ReadError> {
        if self.step_x < 0.0 {
            return Err(ReadError::unsupported("its columns run from east to west", NORTH_UP));
        }
        let sound = self.step_x > 0.0 && self.step_y != 0.0;
        let finite = [self.west, self.step_x, self.start_y, self.step_y].iter().all(|v| v.is_finite());
        if sound && finite {
            return Ok(());
        }
        Err(ReadError::unsupported(
            format!(
                "its first corner is ({}, {}) and its pixels are {} x {}",
                self.west, self.start_y, self.step_x, -self.step_y
            ),
            "corners must be finite, sides positive: gdal_edit.py -a_ullr WEST NORTH EAST SOUTH FILE",
        ))
    }
}

/// What to do about a raster that is turned.
const NORTH_UP: &str = "rasters must be north up: gdalwarp IN OUT makes them so";

fn affine(
    file: &mut File,
    tags: &Directory,
    layout: &Layout,
    warnings: &mut Vec<String>,
) -> Result<Option<Affine>, ReadError> {
    let scale = tags.reals(file, Tag::ModelPixelScale, 3)?;
    let tie = tags.reals(file, Tag::ModelTiepoint, 6)?;
    let matrix = tags.reals(file, Tag::ModelTransformation, 16)?;
    match (&scale[..], &tie[..], &matrix[..]) {
        ([step_x, step_y, ..], [column, row, _, x, y, _], _) => {
            if *step_y < 0.0 {
                warnings.push(
                    "its pixels have a negative height, which is taken as positive, as GDAL does".into(),
                );
            }
            let step_y = -step_y.abs();
            Ok(Some(Affine { west: x - column * step_x, step_x: *step_x, start_y: y - row * step_y, step_y }))
        }
        (_, _, &[a, b, _, west, d, e, _, start_y, ..]) => {
            let (width, height) = (layout.width as f64, layout.height as f64);
            if (b * height).abs() > STRAIGHT * a.abs() || (d * width).abs() > STRAIGHT * e.abs() {
                return Err(ReadError::unsupported("it is rotated", NORTH_UP));
            }
            Ok(Some(Affine { west, step_x: a, start_y, step_y: e }))
        }
        (_, [_, ..], _) => {
            Err(ReadError::unsupported("it is placed by ground control points only", NORTH_UP))
        }
        _ => Ok(None),
    }
}

fn read_keys(file: &mut File, tags: &Directory, warnings: &mut Vec<String>) -> Result<GeoKeys, ReadError> {
    let words = tags.numbers(file, Tag::GeoKeyDirectory, MOST_KEYS)?;
    let words: Vec<u16> = words.into_iter().map(|w| w as u16).collect();
    let doubles = tags.reals(file, Tag::GeoDoubleParams, MOST_VALUES)?;
    let ascii = tags.text(file, Tag::GeoAsciiParams, MOST_VALUES)?.unwrap_or_default();
    // Keys count bytes, so that each byte must stay one letter.
    let ascii = ascii.into_iter().map(|b| if b.is_ascii() { char::from(b) } else { '?' }).collect();
    let (keys, broken) = GeoKeys::read(&words, doubles, ascii);
    if !broken.is_empty() {
        warnings.push(format!("its GeoTIFF keys {broken:?} point nowhere and are left out"));
    }
    if let Some(unit) = keys.number(keys::VERTICAL_UNITS).filter(|&u| u != keys::EPSG_METRE) {
        warnings.push(format!("its heights are in unit EPSG:{unit}, not metres (9002 and 9003 are feet)"));
    }
    Ok(keys)
}

/// Refuses latitudes that are none: metres taken for degrees, most often.
fn check_latitudes(place: &Georeference, height: u64, warnings: &mut Vec<String>) -> Result<(), ReadError> {
    let Axis::Angular { degrees_per_unit, .. } = place.crs.axis() else { return Ok(()) };
    let north = place.north * degrees_per_unit;
    let south = (place.north - height as f64 * place.step_y) * degrees_per_unit;
    let half = 0.5 * place.step_y * degrees_per_unit;
    let beyond = (north - 90.0).max(-90.0 - south);
    // Rows centred on a pole reach half a pixel beyond it.
    if beyond > half * 1.01 {
        return Err(ReadError::unsupported(
            format!("its latitudes run from {south} to {north} degrees"),
            "they must be within -90 to 90; if these are metres: gdal_edit.py -a_srs EPSG:CODE FILE",
        ));
    }
    if beyond > half * 0.01 {
        warnings.push(format!("its rows reach {beyond} degrees beyond a pole"));
    }
    Ok(())
}
