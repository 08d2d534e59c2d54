//! Where things lie on the page's map, which is a web Mercator map of an Earth, whatever the world is.
//!
//! A globe lies on it by longitude and latitude. A flat map lies around the middle, a metre on a metre of that Earth's
//! equator; its samples are whole steps from its corner, so that it may be shifted by half a pixel.

use super::address::Tile;
use super::planet::Surface;
use grid::math;
use region::{Lattice, Window};
use std::f64::consts::{PI, TAU};

/// Radius of the sphere that browsers draw web maps on, in metres.
const PAGE_RADIUS_M: f64 = 6_378_137.0;
/// Pixels along a side of a tile.
pub const PIXELS: usize = 256;

/// The page's map of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet(pub Surface);

impl Sheet {
    /// The samples of a tile with `margin` more on each side.
    pub fn tile(self, tile: Tile, margin: usize) -> (Lattice, Window) {
        let half = (PIXELS as i64) << tile.zoom >> 1;
        let m = margin as i64;
        let (west, north) = (tile.x as i64 * PIXELS as i64 - half, half - 1 - tile.y as i64 * PIXELS as i64);
        let side = PIXELS + 2 * margin;
        let window = Window { west: west - m, north: north + m, width: side, height: side };
        match self.0 {
            Surface::Globe { radius_m } => {
                (Lattice::WebMercator { radius_m, zoom: tile.zoom, pixels: PIXELS as u16 }, window)
            }
            Surface::Flat { width_m, height_m } => {
                let step_m = TAU * PAGE_RADIUS_M / (2 * half) as f64;
                let shift = |size_m: f64| (0.5 * size_m / step_m + 0.5).round() as i64;
                let window = Window {
                    west: window.west + shift(width_m),
                    north: window.north + shift(height_m),
                    ..window
                };
                (Lattice::Plane { step_m }, window)
            }
        }
    }

    /// Where a place of the world lies on the page's map, as shares of its width from the west and from the north.
    pub fn on_page(self, [x, y]: [f64; 2]) -> [f64; 2] {
        match self.0 {
            Surface::Globe { .. } => {
                let sine = math::sin(y.clamp(-MOST_LAT, MOST_LAT).to_radians());
                [(x + 180.0) / 360.0, 0.5 - math::atanh(sine) / TAU]
            }
            Surface::Flat { width_m, height_m } => {
                let around = TAU * PAGE_RADIUS_M;
                [0.5 + (x - 0.5 * width_m) / around, 0.5 - (y - 0.5 * height_m) / around]
            }
        }
    }

    /// The place of the world at a place of the page's map, as [`Sheet::on_page`].
    pub fn in_world(self, [u, v]: [f64; 2]) -> [f64; 2] {
        match self.0 {
            Surface::Globe { .. } => {
                let lat = math::atan2(math::sinh(TAU * (0.5 - v)), 1.0).to_degrees();
                [u * 360.0 - 180.0, lat]
            }
            Surface::Flat { width_m, height_m } => {
                let around = TAU * PAGE_RADIUS_M;
                [(u - 0.5) * around + 0.5 * width_m, (0.5 - v) * around + 0.5 * height_m]
            }
        }
    }

    /// Metres of the world that a pixel of a tile is, in its middle.
    pub fn pixel_m(self, tile: Tile) -> f64 {
        self.row_m(tile.zoom, (f64::from(tile.y) + 0.5) * PIXELS as f64)
    }

    /// Metres of the world that a pixel of a zoom is, so many rows from the north of the page's map; beyond its ends as near them.
    pub fn row_m(self, zoom: u8, rows: f64) -> f64 {
        const LEAST_SHARE: f64 = 0.05;
        let side = (PIXELS as f64) * (1u64 << zoom) as f64;
        match self.0 {
            Surface::Globe { radius_m } => {
                let lat = self.in_world([0.5, rows / side])[1];
                TAU * radius_m / side * math::cos(lat.to_radians()).max(LEAST_SHARE)
            }
            Surface::Flat { .. } => TAU * PAGE_RADIUS_M / side,
        }
    }
}

/// Where web maps end.
const MOST_LAT: f64 = 85.051_128_779_806_59;

/// The half of a circle in degrees of a metre of the page's equator.
pub fn page_degrees(metres: f64) -> f64 {
    metres / (PI * PAGE_RADIUS_M) * 180.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_the_world_are_each_others_inverse() {
        let globe = Sheet(Surface::Globe { radius_m: 3.0e6 });
        let flat = Sheet(Surface::Flat { width_m: 3.0e5, height_m: 2.0e5 });
        for (sheet, place) in [(globe, [12.0, -61.0]), (globe, [-170.0, 84.0]), (flat, [0.0, 2.0e5])] {
            let back = sheet.in_world(sheet.on_page(place));
            assert!((0..2).all(|k| (back[k] - place[k]).abs() < 1e-6 * place[k].abs().max(1.0)), "{back:?}");
        }
        assert!((globe.on_page([0.0, MOST_LAT])[1]).abs() < 1e-9);
    }

    #[test]
    fn tiles_of_a_flat_map_lie_where_their_corner_says() {
        let flat = Sheet(Surface::Flat { width_m: 3.0e5, height_m: 2.0e5 });
        for zoom in [5, 9, 13] {
            let (x, y) = (1u32 << (zoom - 1), 1u32 << (zoom - 1));
            let (lattice, window) = flat.tile(Tile { zoom, x, y }, 0);
            // the tile's north-west corner is the middle of the map
            let step = lattice.step();
            let (west, north) = ((window.west as f64 - 0.5) * step, (window.north as f64 + 0.5) * step);
            assert!((west - 1.5e5).abs() <= step && (north - 1.0e5).abs() <= step, "{west} {north} {step}");
        }
    }

    #[test]
    fn a_pixel_shrinks_towards_the_poles() {
        let globe = Sheet(Surface::Globe { radius_m: 6.371e6 });
        let equator = globe.pixel_m(Tile { zoom: 8, x: 0, y: 128 });
        let far = globe.pixel_m(Tile { zoom: 8, x: 0, y: 40 });
        assert!((equator / (TAU * 6.371e6 / 65536.0) - 1.0).abs() < 1e-3 && far < 0.5 * equator);
    }
}
