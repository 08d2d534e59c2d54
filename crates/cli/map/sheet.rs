//! The sheet of a map: where its samples lie, and where places of the world lie on it.

use super::Wish;
use grid::{Projection, Topology, math};
use region::{Lattice, Window};
use std::f64::consts::PI;

/// The lattice of a map and what it shows.
pub struct Sheet {
    /// Where samples lie.
    pub lattice: Lattice,
    /// The part of the lattice that is the map.
    pub window: Window,
    /// How a globe lies on the sheet; none of a flat map.
    pub projection: Option<Projection>,
    /// Least discharge of rivers that are drawn, in m3/s.
    pub least_river: f64,
    /// Pixels of a radius of the globe, or of a metre of a flat map.
    px_per_unit: f64,
    /// Where the middle of the projection, or the corner of a flat map, lies, in pixels.
    origin: (f64, f64),
}

/// A place on the sheet in pixels.
pub type Place = (f32, f32);

/// Room around a map that does not fill its sheet, as a share of the width.
const MARGIN: f64 = 0.02;

impl Sheet {
    /// The sheet of a world for a wish.
    pub fn of(world: &world::World, wish: &Wish) -> Self {
        let sheet = match (&world.grid, wish.projection) {
            (Topology::Globe(globe), Projection::Equirectangular { lon0_deg }) => {
                Self::equirectangular(globe.radius_m(), lon0_deg, wish.width)
            }
            (Topology::Globe(globe), projection) => Self::projected(globe.radius_m(), projection, wish.width),
            (Topology::Flat(flat), _) => Self::flat(flat.extent_m(), wish.width),
        };
        // a map 4096 pixels round an Earth shows rivers from 300 m3/s
        let least_river = math::pow(sheet.lattice.spacing_m() / 9_800.0, 1.5) * 300.0;
        Self { least_river, ..sheet }
    }

    fn equirectangular(radius_m: f64, lon0_deg: f64, width: usize) -> Self {
        let step_deg = 360.0 / width as f64;
        let rows = width as i64 / 2;
        let middle = (lon0_deg / step_deg).round();
        let west = middle as i64 - width as i64 / 2;
        Self {
            lattice: Lattice::LonLat { radius_m, step_deg },
            window: Window { west, north: rows / 2, width, height: rows as usize },
            projection: Some(Projection::Equirectangular { lon0_deg: middle * step_deg }),
            least_river: 0.0,
            px_per_unit: 180.0 / PI / step_deg,
            origin: ((width / 2) as f64 + 0.5, (rows / 2) as f64 + 0.5),
        }
    }

    fn projected(radius_m: f64, projection: Projection, width: usize) -> Self {
        let (half_w, half_h) = projection.half_size();
        let margin = (MARGIN * width as f64).max(2.0);
        let px_per_unit = (width as f64 / 2.0 - margin) / half_w;
        let rows = (half_h * px_per_unit + margin).round() as i64;
        let west = -(width as i64) / 2;
        Self {
            lattice: Lattice::Projected { radius_m, projection, step_m: radius_m / px_per_unit },
            window: Window { west, north: rows, width, height: 2 * rows as usize },
            projection: Some(projection),
            least_river: 0.0,
            px_per_unit,
            origin: (0.5 - west as f64, rows as f64 + 0.5),
        }
    }

    fn flat((w, h): (f64, f64), width: usize) -> Self {
        let step_m = w / width as f64;
        let height = (h / step_m).floor().max(1.0) as usize;
        Self {
            lattice: Lattice::Plane { step_m },
            window: Window { west: 0, north: height as i64, width, height },
            projection: None,
            least_river: 0.0,
            px_per_unit: 1.0 / step_m,
            origin: (0.5, height as f64 + 0.5),
        }
    }

    /// The pixel of a place on the projection's plane in radii, or on a flat map in metres.
    pub fn on_sheet(&self, (x, y): (f64, f64)) -> Place {
        ((self.origin.0 + x * self.px_per_unit) as f32, (self.origin.1 - y * self.px_per_unit) as f32)
    }

    /// The pixel of a place in degrees or metres; none on the far side of a globe.
    pub fn place(&self, [x, y]: [f64; 2]) -> Option<Place> {
        let on_plane = self.projection.map_or(Some((x, y)), |p| p.forward(x, y))?;
        Some(self.on_sheet(on_plane))
    }

    /// A line of places in degrees or metres as lines on the sheet, cut where it leaves the map on one side and comes
    /// back on the other.
    pub fn lines(&self, points: &[[f64; 2]]) -> Vec<Vec<Place>> {
        let parts = match self.projection {
            Some(projection) => projection.line(points),
            None => vec![points.iter().map(|&[x, y]| (x, y)).collect()],
        };
        parts.iter().map(|part| part.iter().map(|&p| self.on_sheet(p)).collect()).collect()
    }

    /// Metres of a pixel along the equator, or where an orthographic view is looked at straight on.
    pub fn metres_per_px(&self) -> f64 {
        let Some(projection) = self.projection else { return self.lattice.spacing_m() };
        let (lon, lat) = projection.center_deg();
        let beside = match projection {
            Projection::Orthographic { .. } => {
                projection.forward(lon, lat + if lat > 0.0 { -0.01 } else { 0.01 })
            }
            _ => projection.forward(lon + 0.01, lat),
        };
        let (x, y) = beside.unwrap_or((1.0, 0.0));
        let stretch = (x * x + y * y).sqrt() / 0.01_f64.to_radians();
        self.radius_m() / (self.px_per_unit * stretch)
    }

    fn radius_m(&self) -> f64 {
        match self.lattice {
            Lattice::LonLat { radius_m, .. } | Lattice::Projected { radius_m, .. } => radius_m,
            _ => 1.0,
        }
    }

    /// Whether the map leaves room around it on the sheet.
    pub fn has_margin(&self) -> bool {
        matches!(self.lattice, Lattice::Projected { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_at_the_middles_of_their_pixels() {
        let radius_m = 6.371e6;
        let center = (33.0, 20.0);
        let sheets = [
            Sheet::equirectangular(radius_m, 33.0, 500),
            Sheet::projected(radius_m, Projection::Mollweide { lon0_deg: center.0 }, 501),
            Sheet::projected(radius_m, Projection::EqualEarth { lon0_deg: center.0 }, 500),
            Sheet::projected(
                radius_m,
                Projection::Orthographic { lon0_deg: center.0, lat0_deg: center.1 },
                500,
            ),
        ];
        for sheet in sheets {
            for (column, row) in [(250, 125), (130, 90), (320, 160)] {
                let p = sheet.lattice.position_in(&sheet.window, column, row).expect("on the globe");
                let (x, y) = sheet.place(math::to_lon_lat(p).into()).expect("on this side");
                let expected = (column as f32 + 0.5, row as f32 + 0.5);
                assert!(
                    (x - expected.0).abs() < 1e-3 && (y - expected.1).abs() < 1e-3,
                    "{x} {y} {expected:?}"
                );
            }
        }
    }

    #[test]
    fn the_scale_is_that_of_the_projection() {
        let around_m = 2.0 * PI * 6.371e6;
        let scale = |p| Sheet::projected(6.371e6, p, 1000).metres_per_px() * 960.0;
        assert!(
            (Sheet::equirectangular(6.371e6, 0.0, 1000).metres_per_px() * 1000.0 / around_m - 1.0).abs()
                < 1e-9
        );
        // the equator of these fills the width of the map, and parallels are evenly divided
        assert!((scale(Projection::Mollweide { lon0_deg: 9.0 }) / around_m - 1.0).abs() < 1e-6);
        assert!((scale(Projection::EqualEarth { lon0_deg: 9.0 }) / around_m - 1.0).abs() < 1e-6);
        let globe = Projection::Orthographic { lon0_deg: 9.0, lat0_deg: 90.0 };
        assert!((scale(globe) / (2.0 * 6.371e6) - 1.0).abs() < 1e-6);
    }
}
