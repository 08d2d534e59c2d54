//! Rasters by rows, whatever files they come from, and where they lie.

use crate::output::{ending, misuse};
use anyhow::{Result, anyhow};
use formats::Crs;
use formats::geotiff::{ForeignCrs, Reader};
use formats::png::GreyReader;
use formats::raster::{EARTH_RADIUS_M, Ground};
use grid::Topology;
use std::path::{Path, PathBuf};
use world::given::{Cover, Gatherer, Raster};

/// Where a raster lies: all of a globe, or a rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// From pole to pole.
    Globe {
        /// Western border of the first column, in degrees.
        west_deg: f64,
        /// Radius of the sphere in metres.
        radius_m: f64,
    },
    /// A flat map.
    Flat {
        /// West to east, in metres.
        width_m: f64,
        /// South to north.
        height_m: f64,
        /// Western and southern border in the raster's own coordinates, in metres.
        corner_m: [f64; 2],
    },
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Globe { .. } => write!(f, "a whole globe"),
            Self::Flat { width_m, height_m, corner_m: [x, y] } => {
                write!(f, "a map of {width_m} x {height_m} m from {x},{y}")
            }
        }
    }
}

impl Place {
    /// Where the grid of a made world lies.
    pub fn of_grid(grid: &Topology) -> Self {
        match grid {
            Topology::Globe(globe) => Self::Globe { west_deg: -180.0, radius_m: globe.radius_m() },
            Topology::Flat(flat) => {
                let (width_m, height_m) = flat.extent_m();
                Self::Flat { width_m, height_m, corner_m: [0.0; 2] }
            }
        }
    }
}

/// What a file is to be read as.
pub struct Kind {
    /// What the numbers 0 and the greatest of a PNG are; its numbers as they are if not given.
    pub range: Option<[f64; 2]>,
    /// Where a PNG lies; GeoTIFFs say it themselves.
    pub of_png: Option<PngPlace>,
    /// The band of a GeoTIFF, counted from 1.
    pub band: u16,
    /// The number of samples that have no data, beside what the file says: a height of a GeoTIFF, a grey of a PNG.
    pub nodata: Option<f64>,
}

/// Where a PNG lies.
pub enum PngPlace {
    /// All of a globe.
    Globe,
    /// A flat map with pixels of this side in metres.
    Pixels(f64),
    /// Where another raster, or the grid, lies.
    Like(Place),
}

impl Kind {
    /// A raster that covers a place: its numbers as they are.
    pub fn of_mask(place: &Place) -> Self {
        Self { range: None, of_png: Some(PngPlace::Like(*place)), band: 1, nodata: None }
    }
}

/// An open raster.
pub struct Samples {
    path: PathBuf,
    file: File,
    /// Samples from west to east.
    pub cols: usize,
    /// Rows.
    pub rows: usize,
    /// Where it lies.
    pub place: Place,
    /// The reference system of a GeoTIFF; none where the file has none.
    pub reference: Option<ForeignCrs>,
    nodata: Option<f64>,
}

enum File {
    Tiff(Box<Reader>),
    Png { reader: Box<GreyReader>, low: f64, step: f64 },
}

impl Samples {
    /// Opens a file; reads its header.
    pub fn open(path: &Path, kind: &Kind) -> Result<Self> {
        if ending(path) == "png" { Self::open_png(path, kind) } else { Self::open_tiff(path, kind) }
    }

    fn open_png(path: &Path, kind: &Kind) -> Result<Self> {
        let reader = GreyReader::open(path)?;
        let (cols, rows) = reader.size();
        if kind.range.is_some() && reader.most() < u16::MAX {
            return Err(anyhow!(
                "{}: it has 8 bits; heights in 256 steps make terraces, not land; give one of 16 bits",
                path.display()
            ));
        }
        let [low, high] = kind.range.unwrap_or([0.0, f64::from(reader.most())]);
        let step = (high - low) / f64::from(reader.most());
        let place = match kind.of_png {
            Some(PngPlace::Like(place)) => place,
            Some(PngPlace::Pixels(size)) => {
                Place::Flat { width_m: cols as f64 * size, height_m: rows as f64 * size, corner_m: [0.0; 2] }
            }
            _ => Place::Globe { west_deg: -180.0, radius_m: EARTH_RADIUS_M },
        };
        Ok(Self {
            path: path.into(),
            file: File::Png { reader: Box::new(reader), low, step },
            cols,
            rows,
            place,
            reference: None,
            nodata: kind.nodata,
        })
    }

    fn open_tiff(path: &Path, kind: &Kind) -> Result<Self> {
        let mut reader = Reader::open(path)?;
        reader.select_band(kind.band.into())?;
        let (cols, rows) = (reader.info().width, reader.info().height);
        let at = reader.info().georeference.clone();
        let place = match at.ground() {
            Ground::Projected { cell_width_m, cell_height_m } => {
                let (x, y) = (cell_width_m / at.step_x, cell_height_m / at.step_y);
                let height_m = cell_height_m * rows as f64;
                Place::Flat {
                    width_m: cell_width_m * cols as f64,
                    height_m,
                    corner_m: [at.west * x, at.north * y - height_m],
                }
            }
            ground => globe(path, ground, (cols, rows))?,
        };
        let reference = match at.crs {
            Crs::Foreign(crs) if !crs.is_none() => Some(crs),
            _ => None,
        };
        let file = File::Tiff(Box::new(reader));
        Ok(Self { path: path.into(), file, cols, rows, place, reference, nodata: kind.nodata })
    }

    /// What was peculiar.
    pub fn warnings(&self) -> Vec<String> {
        match &self.file {
            File::Tiff(reader) => reader.warnings(),
            File::Png { .. } => Vec::new(),
        }
    }

    /// Makes sure that this raster covers the place that is wanted.
    ///
    /// # Errors
    /// Another kind of place, or on a flat map one that is off by more than a hundredth of it; a PNG of another shape.
    pub fn check_lies_like(&self, wanted: &Place, option: &str) -> Result<()> {
        let refuse = |why: String| Err(misuse(format!("{option} {}: {why}", self.path.display())));
        let fits = match (self.place, *wanted) {
            (Place::Globe { .. }, Place::Globe { .. }) => true,
            (
                Place::Flat { width_m: w, height_m: h, corner_m: [x, y] },
                Place::Flat { width_m, height_m, corner_m },
            ) => {
                let near = |a: f64, b: f64| (a - b).abs() <= 0.01 * width_m.min(height_m);
                near(w, width_m) && near(h, height_m) && near(x, corner_m[0]) && near(y, corner_m[1])
            }
            _ => false,
        };
        if !fits {
            return refuse(format!("it covers another place: {}; wanted is {wanted}", self.place));
        }
        let (width, height) = match *wanted {
            Place::Globe { .. } => (2.0, 1.0),
            Place::Flat { width_m, height_m, .. } => (width_m, height_m),
        };
        let (cols, rows) = (self.cols as f64, self.rows as f64);
        let (few, many) = ((cols - 1.0) / (rows + 1.0), (cols + 1.0) / (rows - 1.0).max(0.5));
        if matches!(self.file, File::Png { .. }) && !(few / 1.02..=many * 1.02).contains(&(width / height)) {
            return refuse(format!(
                "it is {cols} x {rows} pixels, and {wanted} has {:.2} times its height in width",
                width / height
            ));
        }
        Ok(())
    }

    /// Reads it all onto a grid; the sea stands at `sea_level_m`. `progress` is told the share that is done.
    pub fn gather(mut self, grid: &Topology, sea_level_m: f64, progress: impl Fn(f64)) -> Result<Raster> {
        let cover = match self.place {
            Place::Globe { west_deg, .. } => Cover::Globe { west_deg },
            Place::Flat { .. } => Cover::Flat,
        };
        let mut gatherer = Gatherer::new(grid, cover, (self.cols, self.rows), sea_level_m)
            .map_err(|e| anyhow!("{}: {e}", self.path.display()))?;
        let at_once = self.rows_at_once();
        let mut values = vec![0.0; at_once * self.cols];
        let mut left = Left::default();
        for first in (0..self.rows).step_by(at_once) {
            let count = at_once.min(self.rows - first);
            let values = &mut values[..count * self.cols];
            self.read(first, values, &mut left)?;
            values.chunks(self.cols).for_each(|row| gatherer.push(row));
            progress((first + count) as f64 / self.rows as f64);
        }
        left.check(&self.path, self.nodata)?;
        Ok(gatherer.finish())
    }

    /// As many rows as the file holds together, within a few megabytes.
    fn rows_at_once(&self) -> usize {
        const MOST_SAMPLES: usize = 1 << 22;
        let together = match &self.file {
            File::Tiff(reader) => reader.info().block[1],
            File::Png { .. } => 1,
        };
        together.min(MOST_SAMPLES / self.cols.max(1)).clamp(1, self.rows.max(1))
    }

    fn read(&mut self, first: usize, values: &mut [f32], left: &mut Left) -> Result<()> {
        match &mut self.file {
            File::Tiff(reader) => {
                reader.read_rows(first, values.len() / self.cols, values)?;
                let void = self.nodata.map(|number| number as f32);
                for value in values.iter_mut().filter(|value| Some(**value) == void) {
                    *value = f32::NAN;
                    left.taken += 1;
                }
            }
            File::Png { reader, low, step } => {
                let mut row = vec![0; self.cols];
                for values in values.chunks_mut(self.cols) {
                    reader.next_row(&mut row)?;
                    for (value, &n) in values.iter_mut().zip(&row) {
                        let is_void = self.nodata == Some(f64::from(n));
                        *value = if is_void { f32::NAN } else { (*low + *step * f64::from(n)) as f32 };
                        left.taken += u64::from(is_void);
                    }
                }
            }
        }
        left.all += values.len() as u64;
        left.heights += values.iter().filter(|value| !value.is_nan()).count() as u64;
        Ok(())
    }
}

/// What a number that means "no data" has left of a raster.
#[derive(Default)]
struct Left {
    /// Samples that had the number.
    taken: u64,
    /// Samples that have a height.
    heights: u64,
    /// All samples.
    all: u64,
}

impl Left {
    /// Refuses a number that no sample has, of a raster without gaps, and one that leaves no sample.
    fn check(&self, path: &Path, nodata: Option<f64>) -> Result<()> {
        let Some(number) = nodata else { return Ok(()) };
        let why = match self {
            Self { taken: 0, heights, all } if heights == all => "no sample has this number".to_string(),
            Self { heights: 0, taken, .. } => {
                format!("it leaves nothing: {taken} samples have this number, and no other has a height")
            }
            _ => return Ok(()),
        };
        Err(misuse(format!("--nodata {number}: {}: {why}", path.display())))
    }
}

/// A raster in degrees as a whole globe: stretched by no more than a pixel.
fn globe(path: &Path, ground: Ground, (cols, rows): (usize, usize)) -> Result<Place> {
    let Ground::Geographic { west_deg, north_deg, step_lon_deg, step_lat_deg, radius_m } = ground else {
        return Err(anyhow!("{}: it lies neither in degrees nor in metres", path.display()));
    };
    let (east_deg, south_deg) =
        (west_deg + cols as f64 * step_lon_deg, north_deg - rows as f64 * step_lat_deg);
    let near = |a: f64, b: f64, step: f64| (a - b).abs() <= 1.01 * step;
    let whole = near(east_deg - west_deg, 360.0, step_lon_deg)
        && near(north_deg, 90.0, step_lat_deg)
        && near(south_deg, -90.0, step_lat_deg);
    if !whole || cols < 3 || !(-360.0..=360.0).contains(&west_deg) {
        return Err(misuse(format!(
            "{}: it covers longitudes {west_deg} to {east_deg} and latitudes {south_deg} to {north_deg}, not a whole \
             globe; warp a part of one to a map in metres: gdalwarp -t_srs EPSG:CODE IN OUT",
            path.display()
        )));
    }
    Ok(Place::Globe { west_deg, radius_m })
}
