//! The raster that is analysed, and others that lie on the same cells.

use super::arguments::Hydro;
use crate::output::misuse;
use anyhow::Result;
use formats::geotiff::{Info, Reader};
use formats::raster::Ground;
use formats::{Crs, Georeference};
use grid::{Field, Flat, LonLat, Shape};
use hydro::bands::{Source, StoreError};
use std::path::Path;

/// An open elevation raster.
pub struct Input {
    reader: Reader,
    /// Where it lies; of a raster without a reference system, with --cell-size, in metres from its south-west corner.
    pub georeference: Georeference,
    /// The side of its cells, where the command line says it.
    cell_m: Option<f64>,
    nodata: Option<f32>,
    sea_m: Option<f32>,
}

/// How its cells lie.
pub enum Surface {
    /// Equal rectangles.
    Flat(Flat),
    /// Degrees on a sphere.
    LonLat(LonLat),
}

/// The smallest cell, as of every flat map.
const LEAST_CELL_M: f64 = 1e-3;

impl Input {
    /// Opens what the command line names.
    pub fn open(args: &Hydro) -> Result<Self> {
        let mut reader = Reader::open(&args.dem)?;
        reader.select_band(args.band.into())?;
        let mut georeference = reader.info().georeference.clone();
        if let Some(cell_m) = args.cell_size {
            if matches!(georeference.ground(), Ground::Geographic { .. }) {
                return Err(misuse(
                    "--cell-size: this raster lies in degrees, so its cells have sizes of their own",
                ));
            }
            if !(cell_m >= LEAST_CELL_M && cell_m.is_finite()) {
                return Err(misuse(format!("--cell-size {cell_m}: expected metres, {LEAST_CELL_M} or more")));
            }
            if matches!(&georeference.crs, Crs::Foreign(crs) if crs.is_none()) {
                // rows and columns counted from the south-west corner, as on a flat map
                georeference = Georeference {
                    crs: Crs::Metres,
                    west: 0.0,
                    north: reader.info().height as f64 * cell_m,
                    step_x: cell_m,
                    step_y: cell_m,
                };
            }
        }
        Ok(Self {
            reader,
            georeference,
            cell_m: args.cell_size,
            nodata: args.nodata.map(|v| v as f32),
            sea_m: args.sea.map(|v| v as f32),
        })
    }

    /// What the file holds.
    pub fn info(&self) -> &Info {
        self.reader.info()
    }

    /// What was peculiar, as far as it has been read.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.reader.warnings();
        let unit = &self.info().unit;
        if !["", "m", "metre", "metres", "meter", "meters"].contains(&unit.to_lowercase().as_str()) {
            warnings.push(format!(
                "its heights are in {unit:?}, but are taken as metres, which makes slopes and volumes wrong"
            ));
        }
        if let Some(cell_m) = self.cell_m {
            let crs = &self.georeference.crs;
            let place = match crs {
                Crs::Metres => "places are counted in metres from the south-west corner".to_string(),
                _ => format!("what is written lies where the raster does, in {}", crs.describe()),
            };
            warnings.push(format!(
                "--cell-size: lengths, areas and slopes are those of cells of {cell_m} x {cell_m} m; {place}"
            ));
        }
        warnings
    }

    /// Rows and columns.
    pub fn shape(&self) -> Result<Shape> {
        let side = |n: usize| u32::try_from(n).ok().filter(|n| (1..=Flat::MAX_SIDE).contains(n));
        match (side(self.info().height), side(self.info().width)) {
            (Some(rows), Some(cols)) => Ok(Shape { faces: 1, rows, cols }),
            _ => Err(anyhow::anyhow!(
                "{} x {} cells are too many: a side has at most {}; cut the raster into parts",
                self.info().width,
                self.info().height,
                Flat::MAX_SIDE
            )),
        }
    }

    /// The grid of its cells.
    pub fn surface(&self) -> Result<Surface> {
        let Shape { rows, cols, .. } = self.shape()?;
        if let Some(cell_m) = self.cell_m {
            return Ok(Surface::Flat(Flat::new(cols, rows, cell_m)?));
        }
        Ok(match self.georeference.ground() {
            Ground::Projected { cell_width_m, cell_height_m } => {
                Surface::Flat(Flat::oblong(cols, rows, cell_width_m, cell_height_m)?)
            }
            Ground::Geographic { west_deg, north_deg, step_lon_deg, step_lat_deg, radius_m } => {
                let [across, down] = [f64::from(cols) * step_lon_deg, f64::from(rows) * step_lat_deg];
                let hair = 1e-3;
                if across > 360.0 + hair * step_lon_deg {
                    return Err(misuse(format!(
                        "its {cols} columns span {across} degrees, more than once round the globe: a raster shows each place once \
                         (gdal_translate -srcwin 0 0 {} {rows} IN OUT cuts off what is there twice)",
                        ((360.0 + hair * step_lon_deg) / step_lon_deg).floor()
                    )));
                }
                let beyond = (north_deg - 90.0).max(down - north_deg - 90.0);
                if beyond > hair * step_lat_deg {
                    return Err(misuse(format!(
                        "its rows reach {beyond} degrees beyond a pole: cut off those at the poles (gdal_translate -srcwin 0 1 {cols} \
                         {} IN OUT)",
                        rows.saturating_sub(2)
                    )));
                }
                Surface::LonLat(LonLat::new(
                    cols,
                    rows,
                    west_deg,
                    north_deg,
                    step_lon_deg,
                    step_lat_deg,
                    radius_m,
                )?)
            }
        })
    }

    /// All of it.
    pub fn whole(&mut self) -> Result<Field<f32>> {
        let shape = self.shape()?;
        let mut values = vec![0.0; shape.len()];
        self.rows(0, &mut values)?;
        Ok(Field::from_vec(shape, values).expect("as many values as cells"))
    }

    fn rows(&mut self, first: u32, into: &mut [f32]) -> Result<(), formats::Error> {
        let rows = into.len() / self.info().width;
        self.reader.read_rows(first as usize, rows, into)?;
        let (nodata, sea_m) = (self.nodata.unwrap_or(f32::NAN), self.sea_m.unwrap_or(f32::NEG_INFINITY));
        for value in into.iter_mut().filter(|v| **v == nodata || **v <= sea_m) {
            *value = f32::NAN;
        }
        Ok(())
    }
}

impl Source for Input {
    fn read(&mut self, first_row: u32, rows: &mut [f32]) -> Result<(), StoreError> {
        Ok(self.rows(first_row, rows)?)
    }
}

/// Whether cells lie on each other, to a hundredth of one, in the same reference system.
fn lies_like(a: &Georeference, b: &Georeference) -> bool {
    let near = |x: f64, y: f64, step: f64| (x - y).abs() <= 0.01 * step;
    let same_place = near(a.west, b.west, a.step_x) && near(a.north, b.north, a.step_y);
    let same_step = near(a.step_x, b.step_x, 1e-3 * a.step_x) && near(a.step_y, b.step_y, 1e-3 * a.step_y);
    same_place && same_step && a.crs.describe() == b.crs.describe()
}

/// Another raster on the same cells. `georeference`: that of the elevation as its file has it.
pub fn beside(
    path: &Path,
    option: &str,
    (shape, georeference): (Shape, &Georeference),
) -> Result<Field<f32>> {
    let mut reader = Reader::open(path)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if (width, height) != (shape.cols as usize, shape.rows as usize) {
        return Err(misuse(format!(
            "{option} {}: it has {width} x {height} cells, the elevation {} x {}; resample it to the elevation's cells",
            path.display(),
            shape.cols,
            shape.rows
        )));
    }
    let (ours, theirs) = (georeference, &reader.info().georeference);
    if !lies_like(ours, theirs) {
        return Err(misuse(format!(
            "{option} {}: it lies elsewhere than the elevation ({}, from {}, {} in steps of {}, {}); resample it to the elevation's cells",
            path.display(),
            theirs.crs.describe(),
            theirs.west,
            theirs.north,
            theirs.step_x,
            theirs.step_y
        )));
    }
    let mut values = vec![0.0; shape.len()];
    reader.read_rows(0, height, &mut values)?;
    Ok(Field::from_vec(shape, values).expect("as many values as cells"))
}

/// Numbers below which a raster read as `f32` gives each back.
pub const MOST_NUMBERS: usize = 1 << f32::MANTISSA_DIGITS;

/// A raster of numbers below [`MOST_NUMBERS`], 0 for none.
pub fn numbers(path: &Path, shape: Shape) -> Result<Field<u32>> {
    let mut reader = Reader::open(path)?;
    let mut numbers = Vec::with_capacity(shape.len());
    let mut row = vec![0.0; shape.cols as usize];
    for first in 0..shape.rows as usize {
        reader.read_rows(first, 1, &mut row)?;
        // no data is not a number, which is 0 as a whole one
        numbers.extend(row.iter().map(|&v| v as u32));
    }
    Ok(Field::from_vec(shape, numbers).expect("as many values as cells"))
}
