//! Where places of the world lie on a printed map.

use super::Point;
use grid::{Projection, math};
use region::{Lattice, Region, Window};
use std::f64::consts::TAU;

/// A window of a lattice, stretched over a rectangle of paper.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// Where samples may lie.
    pub lattice: &'a Lattice,
    /// Those of the map.
    pub window: Window,
    /// Upper left corner of the map, in points.
    pub at: Point,
    /// Width and height of the map, in points.
    pub size: Point,
}

/// Width over height of a window on paper: a box of degrees is true at its middle.
pub fn shape(lattice: &Lattice, window: &Window) -> f64 {
    let plain = window.width.max(1) as f64 / window.height.max(1) as f64;
    plain * narrowing(lattice, window)
}

/// Length of a step eastwards in the middle of a box of degrees, as a share of one northwards; of the whole globe 1, for
/// its map is one of the equator.
fn narrowing(lattice: &Lattice, window: &Window) -> f64 {
    let Lattice::LonLat { step_deg, .. } = lattice else { return 1.0 };
    let middle = (window.north as f64 - 0.5 * (window.height as f64 - 1.0)) * step_deg;
    if window.width as f64 * step_deg > 180.0 { 1.0 } else { math::cos(middle.to_radians()).max(0.05) }
}

impl<'a> Ground<'a> {
    /// A region as a sheet whose points are its samples: a picture of it, with a pixel to each.
    pub fn of_pixels(region: &'a Region) -> Self {
        let Window { width, height, .. } = region.window;
        let size = [width, height].map(|side| side as f64);
        Self { lattice: &region.lattice, window: region.window, at: [0.0; 2], size }
    }

    /// Points of a sample from west to east, and from north to south.
    pub fn step(&self) -> Point {
        [self.size[0] / self.window.width.max(1) as f64, self.size[1] / self.window.height.max(1) as f64]
    }

    /// The point of a place between samples, by its columns from the west and rows from the north.
    pub fn of_sample(&self, [column, row]: Point) -> Point {
        let step = self.step();
        [self.at[0] + (column + 0.5) * step[0], self.at[1] + (row + 0.5) * step[1]]
    }

    /// Columns and rows of a point, from the middle of the north-western sample.
    pub fn sample_at(&self, point: Point) -> Point {
        let step = self.step();
        [0, 1].map(|k| (point[k] - self.at[k]) / step[k] - 0.5)
    }

    /// Columns that go once around the globe, where the lattice does.
    fn around(&self) -> Option<f64> {
        match *self.lattice {
            Lattice::LonLat { step_deg, .. } => Some(360.0 / step_deg),
            Lattice::WebMercator { radius_m, .. } => Some(TAU * radius_m / self.lattice.step()),
            _ => None,
        }
    }

    /// Columns and rows of a place in degrees or metres: columns are near `near`, where the lattice goes around.
    fn sample(&self, [x, y]: [f64; 2], near: f64) -> Point {
        let (x, y) = self.lattice.project(x, y);
        let (step, offset) = (self.lattice.step(), self.lattice.offset());
        let column = x / step - offset - self.window.west as f64;
        let row = self.window.north as f64 - (y / step - offset);
        match self.around() {
            Some(round) => [column - round * ((column - near) / round).round(), row],
            None => [column, row],
        }
    }

    /// A line of places as lines on the paper: broken where the map is, twice where it shows a place twice.
    pub fn lines(&self, places: &[[f64; 2]]) -> Vec<Vec<Point>> {
        let middle = 0.5 * self.window.width as f64;
        let mut near = middle;
        let mut parts: Vec<Vec<Point>> = vec![Vec::new()];
        for &place in places {
            let sample = self.sample(place, near);
            near = sample[0];
            let point = self.of_sample(sample);
            let last = parts.last().and_then(|part| part.last());
            let jumps = last.is_some_and(|last| (last[0] - point[0]).abs() > 0.3 * self.size[0])
                && self.is_projected();
            if !point.iter().all(|v| v.is_finite()) || jumps {
                parts.push(Vec::new());
            }
            if let (true, Some(part)) = (point.iter().all(|v| v.is_finite()), parts.last_mut()) {
                part.push(point);
            }
        }
        parts.retain(|part| part.len() > 1);
        self.repeated(parts)
    }

    /// Lines with those copies of them, once around the globe away, that the map shows too.
    fn repeated(&self, parts: Vec<Vec<Point>>) -> Vec<Vec<Point>> {
        let Some(round) = self.around().map(|columns| columns * self.step()[0]) else { return parts };
        // a hair more than the map: what ends on its border is there
        let (west, east) = (self.at[0] - 0.01, self.at[0] + self.size[0] + 0.01);
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            for shift in [-round, 0.0, round] {
                let shows = part.iter().any(|p| (west..=east).contains(&(p[0] + shift)));
                if shows {
                    all.push(part.iter().map(|p| [p[0] + shift, p[1]]).collect());
                }
            }
        }
        all
    }

    /// The point of a place in degrees or metres; none of one that the map's projection does not show.
    pub fn point(&self, place: [f64; 2]) -> Option<Point> {
        let point = self.of_sample(self.sample(place, 0.5 * self.window.width as f64));
        point.iter().all(|v| v.is_finite()).then_some(point)
    }

    /// The place, in degrees or metres, at a point of the map; none off the globe.
    pub fn place(&self, point: Point) -> Option<[f64; 2]> {
        let [column, row] = self.sample_at(point);
        let position =
            self.lattice.between(self.window.west as f64 + column, self.window.north as f64 - row)?;
        Some(match self.lattice {
            Lattice::Plane { .. } => [position.x, position.y],
            _ => math::to_lon_lat(position).into(),
        })
    }

    /// Whether places are degrees.
    pub fn is_globe(&self) -> bool {
        !matches!(self.lattice, Lattice::Plane { .. })
    }

    /// Whether a whole globe is projected, so that the map's border is not the paper's.
    pub fn is_projected(&self) -> bool {
        matches!(self.lattice, Lattice::Projected { .. })
    }

    /// Metres of a point in the middle of the map.
    pub fn metres_per_pt(&self) -> f64 {
        let along = self.lattice.spacing_m() / self.step()[1];
        match self.lattice {
            Lattice::WebMercator { .. } => {
                let middle = [self.at[0] + 0.5 * self.size[0], self.at[1] + 0.5 * self.size[1]];
                along * self.place(middle).map_or(1.0, |[_, lat]| math::cos(lat.to_radians()).max(0.05))
            }
            // along the equator, or where an orthographic view is looked at straight on
            Lattice::Projected { projection, .. } => {
                const APART_DEG: f64 = 0.01;
                let (lon, lat) = projection.center_deg();
                let beside = match projection {
                    Projection::Orthographic { .. } => (lon, lat - APART_DEG.copysign(lat)),
                    _ => (lon + APART_DEG, lat),
                };
                let (x, y) = projection.forward(beside.0, beside.1).unwrap_or((APART_DEG.to_radians(), 0.0));
                along * APART_DEG.to_radians() / (x * x + y * y).sqrt()
            }
            _ => along,
        }
    }

    /// Whether a point lies on the map, at least so far from its border.
    pub fn holds(&self, point: Point, margin: f64) -> bool {
        (0..2).all(|k| point[k] >= self.at[k] + margin && point[k] <= self.at[k] + self.size[k] - margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ground(lattice: &Lattice, window: Window) -> Ground<'_> {
        Ground { lattice, window, at: [50.0, 60.0], size: [500.0, 400.0] }
    }

    #[test]
    fn places_and_points_are_each_others_inverse() {
        let radius_m = 6.371e6;
        let window = Window { west: 100, north: 4000, width: 500, height: 400 };
        for lattice in [
            Lattice::LonLat { radius_m, step_deg: 0.01 },
            Lattice::around(radius_m, (12.0, 46.0), 100.0),
            Lattice::WebMercator { radius_m, zoom: 6, pixels: 256 },
            Lattice::Plane { step_m: 10.0 },
        ] {
            let ground = ground(&lattice, window);
            for point in [[50.0, 60.0], [300.0, 222.0], [549.0, 459.0]] {
                let place = ground.place(point).expect("on the globe");
                let line = ground.lines(&[place, place]);
                let back = line[0][0];
                assert!((0..2).all(|k| (back[k] - point[k]).abs() < 1e-6), "{lattice:?} {back:?} {point:?}");
            }
        }
    }

    /// The equator of an ellipse of equal areas is as long as it is, though the ellipse is narrower than the globe is round.
    #[test]
    fn scales_of_projected_globes_are_those_of_their_equators() {
        let radius_m = 6.371e6;
        let window = Window { west: -250, north: 200, width: 500, height: 400 };
        for projection in
            [Projection::Mollweide { lon0_deg: 20.0 }, Projection::EqualEarth { lon0_deg: 20.0 }]
        {
            let half = projection.half_size().0;
            let lattice = Lattice::Projected { radius_m, projection, step_m: radius_m * half / 250.0 };
            let equator_m = ground(&lattice, window).metres_per_pt() * 500.0;
            assert!((equator_m / (TAU * radius_m) - 1.0).abs() < 1e-6, "{projection:?} {equator_m}");
        }
    }

    #[test]
    fn a_line_over_the_antimeridian_goes_on() {
        let lattice = Lattice::LonLat { radius_m: 6.371e6, step_deg: 0.1 };
        let ground = ground(&lattice, Window { west: 1750, north: 100, width: 100, height: 80 });
        let lines = ground.lines(&[[179.0, 5.0], [-179.0, 5.0]]);
        assert_eq!(lines.len(), 1);
        assert!((lines[0][1][0] - lines[0][0][0] - 100.0).abs() < 1e-6, "{lines:?}");
    }

    #[test]
    fn the_whole_world_shows_both_ends_of_a_line_at_its_border() {
        let lattice = Lattice::LonLat { radius_m: 6.371e6, step_deg: 1.0 };
        let ground = ground(&lattice, Window { west: -180, north: 90, width: 360, height: 180 });
        let lines = ground.lines(&[[179.0, 5.0], [-179.0, 5.0]]);
        assert_eq!(lines.len(), 2, "{lines:?}");
    }
}
