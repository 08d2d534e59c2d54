//! How large the cells of each row are.

use super::Error;
use crate::cut::areas;
use grid::{Cell, Flat, Grid, LonLat};

/// How large the cells of each row are.
pub trait Ground: Send + Sync {
    /// Distances in metres to the eight neighbours, clockwise from north.
    fn spacing_m(&self, row: u32) -> [f64; 8];

    /// Area of a cell in square metres.
    fn area_m2(&self, row: u32) -> f64;
}

/// The rows of a grid of one face, which may have fewer columns than the raster.
pub(super) struct OfGrid<G>(pub G);

impl<G: Grid + Send + Sync> Ground for OfGrid<G> {
    fn spacing_m(&self, row: u32) -> [f64; 8] {
        areas::spacing_m(&self.0, row)
    }

    fn area_m2(&self, row: u32) -> f64 {
        self.0.area_m2(self.0.shape().join(0, row, 0))
    }
}

/// Cells of one size, on a plane of any size.
#[derive(Clone, Debug)]
pub struct Plane(Flat);

impl Plane {
    /// Of cells so many metres wide and high.
    ///
    /// # Errors
    /// As [`Flat::oblong`].
    pub fn new(cell_width_m: f64, cell_height_m: f64) -> Result<Self, Error> {
        Ok(Self(Flat::oblong(1, 1, cell_width_m, cell_height_m)?))
    }
}

impl Ground for Plane {
    fn spacing_m(&self, _row: u32) -> [f64; 8] {
        areas::spacing_m(&self.0, 0)
    }

    fn area_m2(&self, _row: u32) -> f64 {
        self.0.area_m2(Cell(0))
    }
}

/// Equal steps in longitude and latitude on a sphere, of any number of rows.
///
/// Of up to 65,535 rows it is a [`LonLat`], so that sizes are the same bits as in memory. Of more, it is several that
/// follow each other: sizes depend on the row alone, too.
#[derive(Clone, Debug)]
pub struct Sphere {
    parts: Vec<LonLat>,
}

/// Rows of which a part answers; it has one more on both sides.
const PART: u32 = Flat::MAX_SIDE - 2;

impl Sphere {
    /// As [`LonLat::new`], for any number of rows and columns.
    ///
    /// # Errors
    /// As [`LonLat::new`], and a raster that goes round.
    #[allow(clippy::too_many_arguments, reason = "as of the grid")]
    pub fn new(
        cols: u32,
        rows: u32,
        west_deg: f64,
        north_deg: f64,
        step_lon_deg: f64,
        step_lat_deg: f64,
        radius_m: f64,
    ) -> Result<Self, Error> {
        // A column of cells, made the wider the more there are, says whether they fit.
        let whole_deg = f64::from(cols) * step_lon_deg;
        if whole_deg > 360.0 - step_lon_deg / 2.0 {
            return Err(Error::Grid("it wraps round from east to west"));
        }
        let part = |first: u32, count: u32| {
            let north_deg = north_deg - f64::from(first) * step_lat_deg;
            let cols = cols.min(Flat::MAX_SIDE);
            LonLat::new(cols, count, west_deg, north_deg, step_lon_deg, step_lat_deg, radius_m)
        };
        if rows <= Flat::MAX_SIDE {
            return Ok(Self { parts: vec![part(0, rows)?] });
        }
        let parts = (0..rows).step_by(PART as usize).map(|from| {
            let first = from.saturating_sub(1);
            part(first, (from.saturating_add(PART + 1)).min(rows) - first)
        });
        Ok(Self { parts: parts.collect::<Result<_, _>>()? })
    }

    /// The part that answers for a row, and the row in it.
    fn at(&self, row: u32) -> (&LonLat, u32) {
        if let [all] = &self.parts[..] {
            return (all, row);
        }
        let part = row / PART;
        (&self.parts[part as usize], row - (part * PART).saturating_sub(1))
    }
}

impl Ground for Sphere {
    fn spacing_m(&self, row: u32) -> [f64; 8] {
        let (part, row) = self.at(row);
        areas::spacing_m(part, row)
    }

    fn area_m2(&self, row: u32) -> f64 {
        let (part, row) = self.at(row);
        part.area_m2(part.shape().join(0, row, 0))
    }
}
