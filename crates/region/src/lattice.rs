//! Lattices: where the samples of a region lie.
//!
//! A lattice is infinite and fixed by its spacing alone; a [`Window`] cuts a rectangle of sample numbers out of
//! it. Windows asked at one spacing therefore share their samples.

use grid::{Projection, Vec3, math};
use std::f64::consts::PI;

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

    /// Distance between neighbouring samples in metres, at the equator or the origin.
    pub fn spacing_m(&self) -> f64 {
        match *self {
            Self::LonLat { radius_m, step_deg } => step_deg * (PI * radius_m / 180.0),
            Self::TransverseMercator { step_m, .. }
            | Self::Projected { step_m, .. }
            | Self::Plane { step_m } => step_m,
        }
    }

    /// Length of a step in the lattice's own coordinates: degrees or metres.
    pub fn step(&self) -> f64 {
        match *self {
            Self::LonLat { step_deg, .. } => step_deg,
            Self::TransverseMercator { step_m, .. }
            | Self::Projected { step_m, .. }
            | Self::Plane { step_m } => step_m,
        }
    }

    /// Position of a sample, as grids use it; `None` beyond a pole or off the globe.
    pub fn position(&self, column: i64, row: i64) -> Option<Vec3> {
        let (x, y) = (column as f64 * self.step(), row as f64 * self.step());
        match *self {
            Self::LonLat { .. } => {
                (y.abs() <= 90.0 + HAIR).then(|| math::from_lon_lat(x, y.clamp(-90.0, 90.0)))
            }
            Self::TransverseMercator { radius_m, lon0_deg, lat0_deg, .. } => {
                Some(from_transverse_mercator(x / radius_m, y / radius_m, lon0_deg, lat0_deg))
            }
            Self::Projected { radius_m, projection, .. } => projection.position(x / radius_m, y / radius_m),
            Self::Plane { .. } => Some(Vec3::new(x, y, 0.0)),
        }
    }

    /// Position of a sample of a window, by its column and row within it.
    pub fn position_in(&self, window: &Window, column: usize, row: usize) -> Option<Vec3> {
        self.position(window.west + column as i64, window.north - row as i64)
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
        }
    }

    /// The window of all samples within a box in the lattice's own coordinates.
    ///
    /// A hair's breadth is allowed for, so that a box whose border lies on samples contains them.
    pub fn window(&self, west: f64, south: f64, east: f64, north: f64) -> Window {
        let first = |v: f64| (v / self.step() - HAIR).ceil() as i64;
        let last = |v: f64| (v / self.step() + HAIR).floor() as i64;
        let (w, e, s, n) = (first(west), last(east), first(south), last(north));
        let count = |first: i64, last: i64| last.saturating_sub(first).saturating_add(1).max(0) as usize;
        Window { west: w, north: n, width: count(w, e), height: count(s, n) }
    }
}

/// The point of the sphere at `x`, `y` radii east and north of the origin.
fn from_transverse_mercator(x: f64, y: f64, lon0_deg: f64, lat0_deg: f64) -> Vec3 {
    let d = y + lat0_deg.to_radians();
    // with cosh x = hypotenuse: a unit vector whose x axis points at the central meridian
    let (sinh, cosh) = (math::sinh(x), math::cosh(x));
    let (a, b, c) = (math::cos(d) / cosh, sinh / cosh, math::sin(d) / cosh);
    let lon0 = lon0_deg.to_radians();
    let (sin, cos) = (math::sin(lon0), math::cos(lon0));
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
            let Lattice::TransverseMercator { radius_m, lon0_deg, lat0_deg, .. } = lattice else {
                unreachable!()
            };
            let p = from_transverse_mercator(x / radius_m, y / radius_m, lon0_deg, lat0_deg);
            assert!((p - math::from_lon_lat(lon, lat)).length() < 1e-12, "{lon} {lat}");
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

    #[test]
    fn there_is_nothing_beyond_the_poles() {
        let lattice = Lattice::LonLat { radius_m: 6.371e6, step_deg: 10.0 };
        assert!(lattice.position(0, 9).is_some() && lattice.position(0, 10).is_none());
    }
}
