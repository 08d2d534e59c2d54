//! A raster in longitude and latitude: one face of W x H cells on a sphere, each between two meridians and two
//! parallels.
//!
//! Cells have equal angles, not equal sizes: with latitude phi of the centre, radius R and steps in radians, the
//! area is R^2 dlon (sin n - sin s) = 2 R^2 dlon cos(phi) sin(dlat / 2), and distances are great circles by the
//! haversine formula. All of that depends on the row only. A raster that goes all the way around continues from its
//! eastern side to its western; the poles are borders, since nothing lies beyond them.
//!
//! It neglects that planets are flattened: on the Earth lengths are wrong by up to 0.6 % (Snyder 1987).

use crate::flat::check_sides;
use crate::math::{self, angle, asin, cos, sin};
use crate::{Cell, Direction, Edge, Grid, GridError, Shape, Step, Vec3, Vertex};
use std::f64::consts::PI;
use std::sync::Arc;

/// A raster of equal steps in longitude and latitude. Positions are unit vectors, as on a [`Globe`](crate::Globe).
#[derive(Clone, Debug, PartialEq)]
pub struct LonLat {
    rows: u32,
    cols: u32,
    around: bool,
    west_deg: f64,
    north_deg: f64,
    step_lon_deg: f64,
    step_lat_deg: f64,
    radius_m: f64,
    tables: Arc<Tables>,
}

/// What all cells of a row or of a column share.
#[derive(Debug, PartialEq)]
struct Tables {
    rows: Vec<Row>,
    /// Cosine and sine of the longitude of each column's centre.
    cols: Vec<(f64, f64)>,
}

#[derive(Debug, PartialEq)]
struct Row {
    cos_lat: f64,
    sin_lat: f64,
    area_m2: f64,
    spacing_m: [f64; 8],
}

/// Part of a cell by which a raster may miss the full circle, or reach beyond a pole, and still be taken to meet it:
/// what a header with eleven digits leaves.
const SLACK: f64 = 5e-4;

/// Rounding of a longitude or latitude that went through a position, in degrees: a tenth of a micrometre on Earth.
const ROUNDING_DEG: f64 = 1e-12;

const DEGREE: f64 = PI / 180.0;

impl LonLat {
    /// Least step, in degrees: a millimetre on Earth.
    pub const MIN_STEP_DEG: f64 = 1e-8;
    /// Fewest columns that can go around: with fewer, one neighbour would lie both in the east and in the west.
    const MIN_AROUND: u32 = 3;

    /// A raster of `cols` x `rows` cells of `step_lon_deg` x `step_lat_deg` degrees on a sphere of `radius_m` metres;
    /// its north-western corner (of the cell, not the centre of it) is at `west_deg`, `north_deg`.
    ///
    /// It wraps around where `cols` steps are 360 degrees, within half a thousandth of a cell, and there are at
    /// least three columns; a side within that of a pole, or beyond it by no more, is put on the pole.
    ///
    /// # Errors
    /// A side that a [`Flat`](crate::Flat) could not have; a step below [`LonLat::MIN_STEP_DEG`]; more than 360
    /// degrees of longitude; latitudes beyond 90 degrees; a western side outside -360 to 360; a radius outside 1 km
    /// to 10^9 m. What is not finite is outside all of these.
    #[allow(clippy::too_many_arguments, reason = "the numbers of a raster's header, and the planet's size")]
    pub fn new(
        cols: u32,
        rows: u32,
        west_deg: f64,
        north_deg: f64,
        step_lon_deg: f64,
        step_lat_deg: f64,
        radius_m: f64,
    ) -> Result<Self, GridError> {
        check_sides(cols, rows)?;
        let (w, h) = (f64::from(cols), f64::from(rows));
        let least = Self::MIN_STEP_DEG;
        check(
            "the width of a cell",
            step_lon_deg,
            [least, 360.0 / w],
            [0.0, 360.0 / (w - SLACK) - 360.0 / w],
        )?;
        check(
            "the height of a cell",
            step_lat_deg,
            [least, 180.0 / h],
            [0.0, 180.0 / (h - SLACK) - 180.0 / h],
        )?;
        check("the western side", west_deg, [-360.0, 360.0], [0.0; 2])?;
        let lowest = (step_lat_deg * h - 90.0).min(90.0);
        check("the northern side", north_deg, [lowest, 90.0], [SLACK * step_lat_deg; 2])?;
        if !(1e3..=1e9).contains(&radius_m) {
            return Err(GridError::Length { what: "the radius", value: radius_m, min: 1e3, max: 1e9 });
        }
        let closed = (w * step_lon_deg - 360.0).abs() <= SLACK * step_lon_deg;
        let step_lon_deg = if closed { 360.0 / w } else { step_lon_deg };
        let around = closed && cols >= Self::MIN_AROUND;
        let (north_deg, step_lat_deg) = snapped_to_poles(h, north_deg, step_lat_deg);
        let tables = Arc::new(Tables { rows: Vec::new(), cols: Vec::new() });
        let bare =
            Self { rows, cols, around, west_deg, north_deg, step_lon_deg, step_lat_deg, radius_m, tables };
        Ok(Self { tables: Arc::new(Tables::of(&bare)), ..bare })
    }
    /// Whether the eastern side continues in the west.
    pub fn goes_around(&self) -> bool {
        self.around
    }

    /// Radius in metres.
    pub fn radius_m(&self) -> f64 {
        self.radius_m
    }

    /// The position at a longitude and latitude in degrees.
    pub fn at_lon_lat(&self, lon_deg: f64, lat_deg: f64) -> Vec3 {
        math::from_lon_lat(lon_deg, lat_deg)
    }

    /// Longitude that many columns east of the western side, in degrees.
    fn lon_deg(&self, cols: f64) -> f64 {
        self.west_deg + cols * self.step_lon_deg
    }

    /// Latitude that many rows south of the northern side, in degrees.
    fn lat_deg(&self, rows: f64) -> f64 {
        (self.north_deg - rows * self.step_lat_deg).clamp(-90.0, 90.0)
    }

    fn row(&self, cell: Cell) -> &Row {
        &self.tables.rows[self.shape().split(cell).1 as usize]
    }
}

/// The northern side and the height of a cell, of a raster whose sides are at a pole if they nearly are.
fn snapped_to_poles(rows: f64, north_deg: f64, step_deg: f64) -> (f64, f64) {
    let slack = SLACK * step_deg;
    let at_north = (north_deg - 90.0).abs() <= slack;
    let at_south = (north_deg - rows * step_deg + 90.0).abs() <= 2.0 * slack;
    match (at_north, at_south) {
        (true, true) => (90.0, 180.0 / rows),
        (true, false) => (90.0, step_deg),
        (false, true) => (rows * step_deg - 90.0, step_deg),
        (false, false) => (north_deg, step_deg),
    }
}

/// # Errors
/// A value outside `range`, widened by `slack` at its two ends.
fn check(what: &'static str, value: f64, range: [f64; 2], slack: [f64; 2]) -> Result<(), GridError> {
    let [min, max] = range;
    let accepted = min - slack[0]..=max + slack[1];
    if accepted.contains(&value) { Ok(()) } else { Err(GridError::Degrees { what, value, min, max }) }
}

impl Tables {
    fn of(raster: &LonLat) -> Self {
        let (dlon, dlat) = (raster.step_lon_deg * DEGREE, raster.step_lat_deg * DEGREE);
        let half = |angle: f64| sin(angle / 2.0);
        let lat = |row: u32| raster.lat_deg(f64::from(row) + 0.5) * DEGREE;
        let to_m = |haversine: f64| 2.0 * raster.radius_m * asin(haversine.sqrt().min(1.0));
        // Between the rows above and below a parallel: one number for both, so both rows see the same.
        let diagonal_m = |lower: u32| {
            let (above, below) = (lat(lower.max(1) - 1), lat(lower.min(raster.rows - 1)));
            to_m(half(dlat) * half(dlat) + cos(above) * cos(below) * half(dlon) * half(dlon))
        };
        let of_row = |row: u32| {
            let (cos_lat, sin_lat) = (cos(lat(row)), sin(lat(row)));
            let area_m2 = raster.radius_m * raster.radius_m * dlon * 2.0 * cos_lat * half(dlat);
            let (y, x) = (raster.radius_m * dlat, to_m(cos_lat * cos_lat * half(dlon) * half(dlon)));
            let (up, down) = (diagonal_m(row), diagonal_m(row + 1));
            Row { cos_lat, sin_lat, area_m2, spacing_m: [y, up, x, down, y, down, x, up] }
        };
        let of_col = |col: u32| {
            let lon = raster.lon_deg(f64::from(col) + 0.5) * DEGREE;
            (cos(lon), sin(lon))
        };
        Self { rows: (0..raster.rows).map(of_row).collect(), cols: (0..raster.cols).map(of_col).collect() }
    }
}

impl Grid for LonLat {
    fn shape(&self) -> Shape {
        Shape { faces: 1, rows: self.rows, cols: self.cols }
    }

    fn step(&self, cell: Cell, direction: Direction) -> Option<Step> {
        let (_, row, col) = self.shape().split(cell);
        let (dr, dc) = direction.offset();
        let (r, c) = (i64::from(row) + dr, i64::from(col) + dc);
        let width = i64::from(self.cols);
        let c = if self.around { c.rem_euclid(width) } else { c };
        let inside = (0..i64::from(self.rows)).contains(&r) && (0..width).contains(&c);
        inside.then(|| Step { cell: self.shape().join(0, r as u32, c as u32), back: direction.opposite() })
    }

    fn vertex(&self, cell: Cell, corner: Direction) -> Option<Vertex> {
        if corner.is_side() {
            return None;
        }
        let (_, row, col) = self.shape().split(cell);
        let (dr, dc) = corner.offset();
        let x = i64::from(col) + (dc + 1) / 2;
        let x = if self.around && x == i64::from(self.cols) { 0 } else { x };
        Some(Vertex::pack(x, i64::from(row) + (dr + 1) / 2, 0))
    }

    fn vertex_position(&self, vertex: Vertex) -> Vec3 {
        let (col, row, _) = vertex.unpack();
        math::from_lon_lat(self.lon_deg(col as f64), self.lat_deg(row as f64))
    }

    fn center(&self, cell: Cell) -> Vec3 {
        let (_, row, col) = self.shape().split(cell);
        let (Row { cos_lat, sin_lat, .. }, (x, y)) =
            (&self.tables.rows[row as usize], self.tables.cols[col as usize]);
        Vec3::new(cos_lat * x, cos_lat * y, *sin_lat)
    }

    fn within(&self, cell: Cell, along: f64, down: f64) -> Vec3 {
        let (_, row, col) = self.shape().split(cell);
        math::from_lon_lat(self.lon_deg(f64::from(col) + along), self.lat_deg(f64::from(row) + down))
    }

    fn locate(&self, p: Vec3) -> Option<Cell> {
        let size = p.x.abs() + p.y.abs() + p.z.abs();
        if !size.is_finite() || size <= 0.0 {
            return None;
        }
        let (lon_deg, lat_deg) = math::to_lon_lat(p);
        // Degrees east of the western side and south of the northern; just outside of either is still on it.
        let east = (lon_deg - self.west_deg + ROUNDING_DEG).rem_euclid(360.0) - ROUNDING_DEG;
        let south = self.north_deg - lat_deg;
        let (width, height) =
            (f64::from(self.cols) * self.step_lon_deg, f64::from(self.rows) * self.step_lat_deg);
        let inside = |at: f64, side: f64| (-ROUNDING_DEG..=side + ROUNDING_DEG).contains(&at);
        (inside(east, width) && inside(south, height)).then(|| {
            let col = ((east / self.step_lon_deg) as u32).min(self.cols - 1);
            let row = ((south / self.step_lat_deg) as u32).min(self.rows - 1);
            self.shape().join(0, row, col)
        })
    }

    fn area_m2(&self, cell: Cell) -> f64 {
        self.row(cell).area_m2
    }

    fn distance_m(&self, a: Vec3, b: Vec3) -> f64 {
        angle(a, b) * self.radius_m
    }

    fn along_edge(&self, edge: Edge, t: f64) -> Vec3 {
        let (low, high) = edge.ends();
        let ((x0, y0, _), (x1, y1, _)) = (low.unpack(), high.unpack());
        // Only the edge in the north or south of the last column has ends that far apart, and begins in the west.
        let x0 = if x1 - x0 > 1 { i64::from(self.cols) } else { x0 };
        let (col, row) = (math::mix(x0 as f64, x1 as f64, t), math::mix(y0 as f64, y1 as f64, t));
        math::from_lon_lat(self.lon_deg(col), self.lat_deg(row))
    }

    fn metres_per_unit(&self) -> f64 {
        self.radius_m
    }

    fn cell_m(&self) -> f64 {
        let of_column: f64 = self.tables.rows.iter().map(|row| row.area_m2).sum();
        (of_column / f64::from(self.rows)).sqrt()
    }

    fn row_spacing_m(&self, row: u32) -> Option<[f64; 8]> {
        self.tables.rows.get(row as usize).map(|row| row.spacing_m)
    }
}
