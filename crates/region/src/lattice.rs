//! Lattices: where the samples of a region lie.
//!
//! A lattice is infinite and fixed by its spacing alone; a [`Window`] cuts a rectangle of sample numbers out of
//! it. Windows asked at one spacing therefore share their samples. Most lattices have a sample at their origin;
//! those of tiles have samples in the middles of pixels, so that neighbouring tiles share none.

use grid::{Grid, Level, Projection, Topology, Vec3, math};
use std::f64::consts::PI;
use std::ops::Range;

/// A family of sample positions, numbered by column (eastwards) and row (northwards) from an origin.
#[derive(Clone, Debug, PartialEq)]
pub enum Lattice {
    /// Equal steps of longitude and latitude from (0, 0).
    LonLat {
        /// Radius of the globe in metres.
        radius_m: f64,
        /// Step in degrees.
        step_deg: f64,
    },
    /// Square metres of a transverse Mercator projection of the sphere (Snyder 1987, p. 58), scale 1.
    TransverseMercator {
        /// Radius of the globe in metres.
        radius_m: f64,
        /// Longitude of the origin in degrees.
        lon0_deg: f64,
        /// Latitude of the origin in degrees.
        lat0_deg: f64,
        /// Step in metres.
        step_m: f64,
    },
    /// Square metres on the plane of a map of the whole globe, from the centre of the map.
    Projected {
        /// Radius of the globe in metres.
        radius_m: f64,
        /// How the globe lies on the plane.
        projection: Projection,
        /// Step in metres.
        step_m: f64,
    },
    /// Square metres of a flat map, from its south-west corner.
    Plane {
        /// Step in metres.
        step_m: f64,
    },
    /// The pixels of a web map (spherical Mercator of the square that ends at 85.05 degrees): samples are the middles
    /// of pixels, numbered from the centre of the map.
    WebMercator {
        /// Radius of the globe in metres.
        radius_m: f64,
        /// The whole map has 2^zoom tiles along a side.
        zoom: u8,
        /// Pixels along a side of a tile.
        pixels: u16,
    },
    /// The cells of a world, each split into 2^level parts along a side: samples are the middles of the parts,
    /// numbered from the south-west corner of a face.
    Native {
        /// The grid of the world.
        grid: Topology,
        /// Face of the cube; 0 on a flat map.
        face: u32,
        /// How often a cell's sides are halved.
        level: u8,
    },
}

impl std::fmt::Display for Lattice {
    /// What a lattice is in words; two of a world that differ have different words.
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::LonLat { radius_m, step_deg } => {
                write!(
                    f,
                    "longitudes and latitudes in steps of {step_deg} degrees on a globe of radius {radius_m} m"
                )
            }
            Self::TransverseMercator { radius_m, lon0_deg, lat0_deg, step_m } => {
                write!(
                    f,
                    "steps of {step_m} m around {lon0_deg},{lat0_deg} on a globe of radius {radius_m} m"
                )
            }
            Self::Projected { radius_m, projection, step_m } => {
                write!(f, "steps of {step_m} m on a map {projection:?} of a globe of radius {radius_m} m")
            }
            Self::Plane { step_m } => write!(f, "steps of {step_m} m on a flat map"),
            Self::WebMercator { radius_m, zoom, pixels } => {
                write!(f, "tiles of {pixels} pixels at zoom {zoom} of a globe of radius {radius_m} m")
            }
            Self::Native { face, level, .. } => write!(f, "cells of face {face}, halved {level} times"),
        }
    }
}

/// Rounding may put a sample that lies on a border beyond it by this, in steps or degrees.
const HAIR: f64 = 1e-9;

/// A rectangle of samples: columns `west .. west + width`, rows `north` down to `north - height + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Number of the first column.
    pub west: i64,
    /// Number of the first row, the northernmost.
    pub north: i64,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Lattice {
    /// The longitude/latitude lattice of a globe whose step at the equator is `spacing_m` metres.
    pub fn lon_lat(radius_m: f64, spacing_m: f64) -> Self {
        Self::LonLat { radius_m, step_deg: spacing_m / (PI * radius_m / 180.0) }
    }

    /// The metric lattice around a place: its origin is the place rounded to whole degrees, so that
    /// neighbouring requests share it.
    pub fn around(radius_m: f64, (lon_deg, lat_deg): (f64, f64), step_m: f64) -> Self {
        Self::TransverseMercator { radius_m, lon0_deg: lon_deg.round(), lat0_deg: lat_deg.round(), step_m }
    }

    /// The metric lattice of a world around a place (degrees, or metres of a flat map): on a globe that [`Lattice::around`] it.
    pub fn of_metres(grid: &Topology, place: (f64, f64), step_m: f64) -> Self {
        match grid {
            Topology::Globe(globe) => Self::around(globe.radius_m(), place, step_m),
            Topology::Flat(_) => Self::Plane { step_m },
        }
    }

    /// Distance between neighbouring samples in metres, at the equator or the origin.
    pub fn spacing_m(&self) -> f64 {
        match *self {
            Self::LonLat { radius_m, step_deg } => step_deg * (PI * radius_m / 180.0),
            _ => self.step(),
        }
    }

    /// Length of a step in the lattice's own coordinates: degrees or metres.
    pub fn step(&self) -> f64 {
        match *self {
            Self::LonLat { step_deg, .. } => step_deg,
            Self::TransverseMercator { step_m, .. }
            | Self::Projected { step_m, .. }
            | Self::Plane { step_m } => step_m,
            Self::WebMercator { radius_m, zoom, pixels } => {
                Level(zoom).size(2.0 * PI * radius_m / f64::from(pixels))
            }
            Self::Native { ref grid, level, .. } => Level(level).size(grid.cell_m()),
        }
    }

    /// Where sample 0 lies, in steps from the origin: 0, or half a step where samples are middles of pixels.
    pub fn offset(&self) -> f64 {
        match self {
            Self::WebMercator { .. } | Self::Native { .. } => 0.5,
            _ => 0.0,
        }
    }

    /// Whether the samples lie on a world with this grid.
    pub fn suits(&self, grid: &Topology) -> bool {
        match self {
            Self::Native { grid: own, .. } => own == grid,
            Self::Plane { .. } => matches!(grid, Topology::Flat(_)),
            _ => matches!(grid, Topology::Globe(_)),
        }
    }

    /// Position of a sample, as grids use it; `None` beyond a pole or off the globe.
    pub fn position(&self, column: i64, row: i64) -> Option<Vec3> {
        self.between(column as f64, row as f64)
    }

    /// Position of a place between samples, by its number of columns and rows; `None` beyond a pole or off the globe.
    pub fn between(&self, column: f64, row: f64) -> Option<Vec3> {
        let (x, y) = ((column + self.offset()) * self.step(), (row + self.offset()) * self.step());
        match *self {
            Self::WebMercator { radius_m, .. } => within_mercator(y, radius_m)
                .then(|| on_mercator(turn(x / radius_m), hyperbolic(y / radius_m))),
            Self::Native { ref grid, face, level } => {
                within_face(grid, face, level, (column + 0.5, row + 0.5))
            }
            Self::LonLat { .. } => {
                (y.abs() <= 90.0 + HAIR).then(|| math::from_lon_lat(x, y.clamp(-90.0, 90.0)))
            }
            Self::TransverseMercator { radius_m, lon0_deg, lat0_deg, .. } => {
                let d = turn(y / radius_m + lat0_deg.to_radians());
                let lon0 = turn(lon0_deg.to_radians());
                Some(on_transverse_mercator(hyperbolic(x / radius_m), d, lon0))
            }
            Self::Projected { radius_m, projection, .. } => projection.position(x / radius_m, y / radius_m),
            Self::Plane { .. } => Some(Vec3::new(x, y, 0.0)),
        }
    }

    /// Positions of the samples of a rectangle, row by row from the north, each as [`Lattice::position`]: columns and
    /// rows share their sines.
    pub fn positions(&self, columns: Range<i64>, rows: Range<i64>) -> Vec<Option<Vec3>> {
        let along = |n: i64| (n as f64 + self.offset()) * self.step();
        let (x, y) = (columns.clone().map(along), rows.clone().rev().map(along));
        match *self {
            Self::TransverseMercator { radius_m, lon0_deg, lat0_deg, .. } => {
                let x = x.map(|x| hyperbolic(x / radius_m));
                let y = y.map(|y| turn(y / radius_m + lat0_deg.to_radians()));
                let lon0 = turn(lon0_deg.to_radians());
                crossed(x, y, |x, y| Some(on_transverse_mercator(x, y, lon0)))
            }
            Self::WebMercator { radius_m, .. } => {
                let x = x.map(|x| turn(x / radius_m));
                let y = y.map(|y| within_mercator(y, radius_m).then(|| hyperbolic(y / radius_m)));
                crossed(x, y, |x, y| Some(on_mercator(x, y?)))
            }
            _ => {
                let at = |row: i64| columns.clone().map(move |column| self.position(column, row));
                rows.rev().flat_map(at).collect()
            }
        }
    }

    /// Position of a sample of a window, by its column and row within it.
    pub fn position_in(&self, window: &Window, column: usize, row: usize) -> Option<Vec3> {
        self.position(window.west + column as i64, window.north - row as i64)
    }

    /// The metric lattice around a place, and the window that reaches so many samples from the one nearest to it to all sides.
    pub fn around_place(grid: &Topology, place: (f64, f64), (step_m, half): (f64, u32)) -> (Self, Window) {
        let lattice = Self::of_metres(grid, place, step_m);
        let (column, row) = lattice.nearest(lattice.project(place.0, place.1));
        let side = 2 * half as usize + 1;
        let (west, north) = (column - i64::from(half), row + i64::from(half));
        (lattice, Window { west, north, width: side, height: side })
    }

    /// Column and row of the sample nearest to a place on the lattice's own plane.
    pub fn nearest(&self, (x, y): (f64, f64)) -> (i64, i64) {
        let number = |v: f64| (v / self.step() - self.offset()).round() as i64;
        (number(x), number(y))
    }

    /// Coordinates of a place (longitude and latitude in degrees, or metres on a flat map) on the lattice's
    /// own plane: degrees or metres. On the far side of a globe in an orthographic view these are not numbers.
    pub fn project(&self, x: f64, y: f64) -> (f64, f64) {
        match *self {
            Self::LonLat { .. } | Self::Plane { .. } => (x, y),
            Self::TransverseMercator { radius_m, lon0_deg, lat0_deg, .. } => {
                let (east, north) = to_transverse_mercator(x, y, lon0_deg, lat0_deg);
                (east * radius_m, north * radius_m)
            }
            Self::Projected { radius_m, projection, .. } => {
                let (x, y) = projection.forward(x, y).unwrap_or((f64::NAN, f64::NAN));
                (x * radius_m, y * radius_m)
            }
            Self::WebMercator { radius_m, .. } => {
                (x.to_radians() * radius_m, math::atanh(math::sin(y.to_radians())) * radius_m)
            }
            Self::Native { ref grid, face, level } => {
                let (along, down) = match grid {
                    Topology::Flat(flat) => {
                        let (width, height) = flat.extent_m();
                        let shape = grid.shape();
                        (x / width * f64::from(shape.cols), (1.0 - y / height) * f64::from(shape.rows))
                    }
                    Topology::Globe(globe) => {
                        globe.on_plane_of(face, math::from_lon_lat(x, y)).unwrap_or((f64::NAN, f64::NAN))
                    }
                };
                let cell = parts(level) * self.step();
                (along * cell, (f64::from(grid.shape().rows) - down) * cell)
            }
        }
    }

    /// The window of all samples within a box in the lattice's own coordinates.
    ///
    /// A hair's breadth is allowed for, so that a box whose border lies on samples contains them.
    pub fn window(&self, west: f64, south: f64, east: f64, north: f64) -> Window {
        let first = |v: f64| (v / self.step() - self.offset() - HAIR).ceil() as i64;
        let last = |v: f64| (v / self.step() - self.offset() + HAIR).floor() as i64;
        let (w, e, s, n) = (first(west), last(east), first(south), last(north));
        let count = |first: i64, last: i64| last.saturating_sub(first).saturating_add(1).max(0) as usize;
        Window { west: w, north: n, width: count(w, e), height: count(s, n) }
    }

    /// The window of all samples within so much to each side of a place; around a place with equal sides it has as many columns as
    /// rows: one more of them than lie within, where the other way one more does.
    pub fn centred(&self, [x, y]: [f64; 2], [half_x, half_y]: [f64; 2]) -> Window {
        let window = self.window(x - half_x, y - half_y, x + half_x, y + half_y);
        if half_x != half_y || window.width == window.height {
            return window;
        }
        let side = window.width.max(window.height);
        let half = (side.saturating_sub(1)) as f64 / 2.0;
        let number = |v: f64| v / self.step() - self.offset();
        if window.width < side {
            Window { west: (number(x) - half).round() as i64, width: side, ..window }
        } else {
            Window { north: (number(y) + half).round() as i64, height: side, ..window }
        }
    }
}

impl Lattice {
    /// The lattice and window of a web map's tile, counted from the north-west; `None` if there is no such tile.
    pub fn web_tile(radius_m: f64, (zoom, x, y): (u8, u64, u64), pixels: u16) -> Option<(Self, Window)> {
        let tiles = 1u64.checked_shl(u32::from(zoom))?;
        if zoom > Self::MAX_ZOOM || x >= tiles || y >= tiles {
            return None;
        }
        let (side, half) = (i64::from(pixels), tiles as i64 * i64::from(pixels) / 2);
        let (west, north) = (x as i64 * side - half, half - 1 - y as i64 * side);
        let window = Window { west, north, width: usize::from(pixels), height: usize::from(pixels) };
        Some((Self::WebMercator { radius_m, zoom, pixels }, window))
    }

    /// The deepest zoom of web maps: 4 cm a pixel on Earth, of 256 a tile.
    pub const MAX_ZOOM: u8 = 22;

    /// The lattice and window of a cell whose sides are split into 2^level parts.
    pub fn native(grid: &Topology, cell: grid::Cell, level: u8) -> (Self, Window) {
        let shape = grid.shape();
        let (face, row, col) = shape.split(cell);
        let parts = 1i64 << level.min(Level::MAX.0);
        let north = (i64::from(shape.rows) - i64::from(row)) * parts - 1;
        let window =
            Window { west: i64::from(col) * parts, north, width: parts as usize, height: parts as usize };
        (Self::Native { grid: grid.clone(), face, level }, window)
    }
}

/// Parts along a side of a cell.
fn parts(level: u8) -> f64 {
    (1u64 << level.min(Level::MAX.0)) as f64
}

/// The place `x` parts east and `y` parts north of a face's south-west corner; `None` beyond the face.
fn within_face(grid: &Topology, face: u32, level: u8, (x, y): (f64, f64)) -> Option<Vec3> {
    let (shape, parts) = (grid.shape(), parts(level));
    let (along, down) = (x / parts, f64::from(shape.rows) - y / parts);
    let (cols, rows) = (f64::from(shape.cols), f64::from(shape.rows));
    if face >= shape.faces || !(0.0..=cols).contains(&along) || !(0.0..=rows).contains(&down) {
        return None;
    }
    let (col, row) = ((along as u32).min(shape.cols - 1), (down as u32).min(shape.rows - 1));
    let cell = shape.join(face, row, col);
    Some(grid.within(cell, along - f64::from(col), down - f64::from(row)))
}

/// Every number of a row with every number of a column, row by row.
fn crossed<X: Copy, Y: Copy>(
    x: impl Iterator<Item = X>,
    y: impl Iterator<Item = Y>,
    at: impl Fn(X, Y) -> Option<Vec3>,
) -> Vec<Option<Vec3>> {
    let x: Vec<X> = x.collect();
    y.flat_map(|y| x.iter().map(move |&x| (x, y))).map(|(x, y)| at(x, y)).collect()
}

/// Sine and cosine.
fn turn(angle: f64) -> (f64, f64) {
    (math::sin(angle), math::cos(angle))
}

/// Hyperbolic sine and cosine.
fn hyperbolic(x: f64) -> (f64, f64) {
    (math::sinh(x), math::cosh(x))
}

/// Whether a place so far north, in metres, is on a Mercator map.
fn within_mercator(y: f64, radius_m: f64) -> bool {
    y.abs() <= PI * radius_m * (1.0 + HAIR)
}

/// The point of the sphere that lies east and north of the origin of a Mercator map, in radii: sine and cosine of the
/// one, hyperbolic ones of the other.
fn on_mercator((sin, cos): (f64, f64), (sinh, cosh): (f64, f64)) -> Vec3 {
    // sin lat = tanh y, cos lat = 1 / cosh y
    let across = 1.0 / cosh;
    Vec3::new(across * cos, across * sin, sinh / cosh)
}

/// The point of the sphere by the hyperbolic sine and cosine of its way east, the sine and cosine of that north with
/// the latitude of the origin, and those of its longitude.
fn on_transverse_mercator((sinh, cosh): (f64, f64), d: (f64, f64), (sin, cos): (f64, f64)) -> Vec3 {
    // with cosh x = hypotenuse: a unit vector whose x axis points at the central meridian
    let (a, b, c) = (d.1 / cosh, sinh / cosh, d.0 / cosh);
    Vec3::new(a * cos - b * sin, a * sin + b * cos, c)
}

/// Radii east and north of the origin, of a longitude and latitude in degrees.
fn to_transverse_mercator(lon_deg: f64, lat_deg: f64, lon0_deg: f64, lat0_deg: f64) -> (f64, f64) {
    let p = math::from_lon_lat(lon_deg - lon0_deg, lat_deg);
    (math::atanh(p.y), math::atan2(p.z, p.x) - lat0_deg.to_radians())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transverse_mercator_comes_back() {
        for (lon, lat) in [(11.3, 47.2), (-179.9, -33.0), (40.0, 89.5), (0.0, -90.0)] {
            let lattice = Lattice::around(6.371e6, (lon, lat), 1.0);
            let (x, y) = lattice.project(lon, lat);
            let p = lattice.between(x / lattice.step(), y / lattice.step()).expect("on the sphere");
            assert!((p - math::from_lon_lat(lon, lat)).length() < 1e-12, "{lon} {lat}");
        }
    }

    #[test]
    fn rectangles_have_the_positions_of_their_samples() {
        let [globe, _] = grids();
        let (radius_m, step_m) = (6.371e6, 90_000.0);
        for lattice in [
            Lattice::around(radius_m, (-66.0, 12.0), step_m),
            Lattice::WebMercator { radius_m, zoom: 0, pixels: 256 },
            Lattice::LonLat { radius_m, step_deg: 4.7 },
            Lattice::Plane { step_m },
            Lattice::Native { grid: globe, face: 2, level: 3 },
        ] {
            for west in [-50, -3, 20] {
                let expected: Vec<_> = (-130..-100)
                    .rev()
                    .flat_map(|row| (west..west + 30).map(move |column| (column, row)))
                    .map(|(column, row)| lattice.position(column, row))
                    .collect();
                assert_eq!(lattice.positions(west..west + 30, -130..-100), expected, "{lattice:?}");
            }
        }
    }

    #[test]
    fn transverse_mercator_keeps_lengths_near_its_meridian() {
        let lattice = Lattice::around(6.371e6, (12.0, 47.0), 1000.0);
        let a = lattice.position(20, 30).expect("on the sphere");
        for (i, j) in [(21, 30), (20, 31)] {
            let b = lattice.position(i, j).expect("on the sphere");
            let metres = math::angle(a, b) * 6.371e6;
            assert!((metres / 1000.0 - 1.0).abs() < 1e-4, "{metres}");
        }
    }

    #[test]
    fn windows_share_their_lattice() {
        let lattice = Lattice::lon_lat(6_371_000.0, 1000.0);
        let (a, b) = (lattice.window(0.0, 0.0, 1.0, 1.0), lattice.window(0.5, 0.5, 1.5, 1.5));
        assert_eq!((a.west, a.width, a.height), (0, 112, 112));
        let shift = (b.west - a.west) as usize;
        assert_eq!(lattice.position_in(&a, shift, 0), lattice.position(b.west, a.north));
    }

    #[test]
    fn a_square_has_as_many_columns_as_rows_and_all_samples_within() {
        let mut grown = 0;
        for (k, lattice) in (0..400).map(|k| (k, Lattice::Plane { step_m: 90.0 })) {
            let (at, half) =
                ([f64::from(k) * 37.3 - 5000.0, 8000.0 - f64::from(k) * 91.7], 30_000.0 + f64::from(k));
            let within = lattice.window(at[0] - half, at[1] - half, at[0] + half, at[1] + half);
            let square = lattice.centred(at, [half, half]);
            let side = within.width.max(within.height);
            assert_eq!((square.width, square.height), (side, side), "{at:?} {half}");
            let spare = [within.west - square.west, square.north - within.north];
            let grown_by = [square.width - within.width, square.height - within.height];
            for (spare, grown_by) in spare.into_iter().zip(grown_by) {
                assert!((0..=grown_by as i64).contains(&spare), "{at:?}: {square:?} holds {within:?}");
            }
            grown += grown_by.iter().sum::<usize>();
            // other shapes are what lies within
            let oblong = lattice.centred(at, [half, 0.5 * half]);
            assert_eq!(
                oblong,
                lattice.window(at[0] - half, at[1] - 0.5 * half, at[0] + half, at[1] + 0.5 * half)
            );
        }
        assert!(grown > 50, "{grown}");
    }

    #[test]
    fn a_box_on_samples_contains_its_border() {
        let lattice = Lattice::Plane { step_m: 0.1 };
        let w = lattice.window(0.3, 0.0, 0.7, 0.2);
        assert_eq!((w.west, w.north, w.width, w.height), (3, 2, 5, 3));
    }

    #[test]
    fn projected_samples_lie_where_the_projection_says() {
        let projection = Projection::Mollweide { lon0_deg: 30.0 };
        let lattice = Lattice::Projected { radius_m: 6.371e6, projection, step_m: 50_000.0 };
        let (x, y) = lattice.project(75.0, -40.0);
        let (column, row) = ((x / 50_000.0).round(), (y / 50_000.0).round());
        let p = lattice.position(column as i64, row as i64).expect("on the globe");
        assert!(math::angle(p, math::from_lon_lat(75.0, -40.0)) * 6.371e6 < 75_000.0);
        // a globe seen from afar is about 255 samples wide
        let projection = Projection::Orthographic { lon0_deg: 30.0, lat0_deg: 20.0 };
        let lattice = Lattice::Projected { radius_m: 6.371e6, projection, step_m: 50_000.0 };
        assert!(lattice.position(-127, 0).is_some() && lattice.position(-128, 0).is_none());
    }

    fn grids() -> [Topology; 2] {
        let globe = grid::Globe::new(6, 6.371e6).expect("a globe");
        [Topology::Globe(globe), Topology::Flat(grid::Flat::new(7, 5, 900.0).expect("a map"))]
    }

    #[test]
    fn native_samples_are_the_middles_of_the_parts_of_cells() {
        for (grid, level) in grids().into_iter().flat_map(|g| [(g.clone(), 0), (g.clone(), 1), (g, 3)]) {
            let parts = 1usize << level;
            for cell in grid.cells() {
                let (lattice, window) = Lattice::native(&grid, cell, level);
                assert!(lattice.suits(&grid) && (window.width, window.height) == (parts, parts));
                for (row, column) in (0..parts).flat_map(|r| (0..parts).map(move |c| (r, c))) {
                    let middle = |k: usize| (k as f64 + 0.5) / parts as f64;
                    let expected = grid.within(cell, middle(column), middle(row));
                    let found = lattice.position_in(&window, column, row).expect("in the face");
                    assert!(found.distance(expected) < 1e-9 * grid.cell_m() / grid.metres_per_unit());
                    assert_eq!(grid.locate(found), Some(cell));
                }
            }
        }
    }

    /// Beyond a face of a cube there is nothing, and the way to the plane and back is none.
    #[test]
    fn planes_of_faces_come_back() {
        for grid in grids() {
            let shape = grid.shape();
            for face in 0..shape.faces {
                let lattice = Lattice::Native { grid: grid.clone(), face, level: 2 };
                let (columns, rows) = (4 * i64::from(shape.cols), 4 * i64::from(shape.rows));
                assert!(lattice.position(columns, 0).is_none() && lattice.position(-1, 0).is_none());
                assert!(lattice.position(0, rows).is_none() && lattice.position(0, -1).is_none());
                for (column, row) in [(0, 0), (columns - 1, 3), (5, rows - 1), (columns / 2, rows / 2)] {
                    let p = lattice.position(column, row).expect("in the face");
                    let (x, y) = match grid {
                        Topology::Globe(_) => math::to_lon_lat(p),
                        Topology::Flat(_) => (p.x, p.y),
                    };
                    let (x, y) = lattice.project(x, y);
                    let near = |v: f64, n: i64| (v / lattice.step() - 0.5 - n as f64).abs() < 1e-6;
                    assert!(near(x, column) && near(y, row), "{face}: {column} {row} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn web_tiles_are_squares_of_the_mercator_map() {
        let radius_m = 6.371e6;
        for (tile, pixels, corner) in [
            ((0, 0, 0), 256u16, (-180.0, 85.051_128_779_806_6)),
            ((1, 1, 1), 512, (0.0, 0.0)),
            ((3, 7, 2), 256, (135.0, 66.513_260_443_111_86)),
        ] {
            let (lattice, window) = Lattice::web_tile(radius_m, tile, pixels).expect("a tile");
            let place =
                lattice.between(window.west as f64 - 0.5, window.north as f64 + 0.5).expect("on the map");
            assert!(math::angle(place, math::from_lon_lat(corner.0, corner.1)) < 1e-12, "{tile:?}");
            for (column, row) in [(0, 0), (200, 13)] {
                let p = lattice.position_in(&window, column, row).expect("on the map");
                let (x, y) = math::to_lon_lat(p);
                let (x, y) = lattice.project(x, y);
                let number = (x / lattice.step() - 0.5, y / lattice.step() - 0.5);
                let expected = (window.west + column as i64, window.north - row as i64);
                assert!(
                    (number.0 - expected.0 as f64).abs() < 1e-6
                        && (number.1 - expected.1 as f64).abs() < 1e-6
                );
            }
            let around = 2.0 * PI * radius_m / f64::from(1u32 << tile.0) / f64::from(pixels);
            assert!((lattice.spacing_m() / around - 1.0).abs() < 1e-12);
        }
        for tile in [(0, 1, 0), (3, 0, 8), (23, 0, 0), (200, 0, 0)] {
            assert!(Lattice::web_tile(radius_m, tile, 256).is_none(), "{tile:?}");
        }
        let (lattice, window) = Lattice::web_tile(radius_m, (0, 0, 0), 256).expect("a tile");
        assert!(lattice.position(0, window.north + 1).is_none(), "the map ends at 85 degrees");
    }

    #[test]
    fn there_is_nothing_beyond_the_poles() {
        let lattice = Lattice::LonLat { radius_m: 6.371e6, step_deg: 10.0 };
        assert!(lattice.position(0, 9).is_some() && lattice.position(0, 10).is_none());
    }
}
