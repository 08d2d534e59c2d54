//! Map projections of the sphere, forward and inverse.
//!
//! A projection takes a longitude and a latitude to a place on a plane measured in radii of the globe, x to the
//! east and y to the north of the centre of the map.
//!
//! | projection | x | y |
//! |---|---|---|
//! | equirectangular | l | f |
//! | Mollweide | 2 sqrt 2 / pi l cos t | sqrt 2 sin t, where 2 t + sin 2 t = pi sin f |
//! | Equal Earth | 2 sqrt 3 l cos t / (3 P'(t)) | P(t), where sin t = sqrt 3 / 2 sin f |
//! | orthographic | cos f sin l | cos f0 sin f - sin f0 cos f cos l |
//!
//! with the longitude l from the central meridian and the latitude f in radians, and the latitude f0 of the centre.
//! Mollweide and Equal Earth keep areas; the orthographic view is a globe seen from far away. Snyder (1987), Map
//! projections: a working manual, p. 90, 145, 249; Savric, Patterson and Jenny (2018) for Equal Earth.
//!
//! It stands in this crate because regions need the inverse (where does a sample lie?) and pictures the forward
//! (where does a river run?), and neither knows the other.

use crate::math::{asin, cos, from_lon_lat, sin, to_lon_lat};
use crate::{Vec3, math};
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// A way to lay the sphere on a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Longitude and latitude as they are.
    Equirectangular {
        /// Longitude of the central meridian in degrees.
        lon0_deg: f64,
    },
    /// An ellipse that keeps areas.
    Mollweide {
        /// Longitude of the central meridian in degrees.
        lon0_deg: f64,
    },
    /// Keeps areas; the poles are lines, and shapes are truer than on an ellipse.
    EqualEarth {
        /// Longitude of the central meridian in degrees.
        lon0_deg: f64,
    },
    /// One side of the globe, from far away.
    Orthographic {
        /// Longitude of the centre in degrees.
        lon0_deg: f64,
        /// Latitude of the centre in degrees.
        lat0_deg: f64,
    },
}

/// Coefficients of the polynomial P of Equal Earth: of t, t^3, t^7, t^9.
const EQUAL_EARTH: [f64; 4] = [1.340_264, -0.081_106, 0.000_893, 0.003_796];
/// Sine of the parametric latitude of Equal Earth over that of the latitude.
const HALF_ROOT_3: f64 = 0.866_025_403_784_438_6;
/// Newton's steps, at most; from the starts below four to six are enough but at the very poles.
const STEPS: usize = 60;
/// Longitudes this little beyond the border, in radians, are on it.
const HAIR: f64 = 1e-9;

impl Projection {
    /// Place on the plane, in radii, of a longitude and a latitude in degrees; `None` on the far side of a globe.
    pub fn forward(&self, lon_deg: f64, lat_deg: f64) -> Option<(f64, f64)> {
        let (l, f) = (wrapped_deg(lon_deg - self.center_deg().0).to_radians(), lat_deg.to_radians());
        match *self {
            Self::Equirectangular { .. } => Some((l, f)),
            Self::Mollweide { .. } => {
                let t = mollweide_angle(f);
                Some((2.0 * SQRT_2 / PI * l * cos(t), SQRT_2 * sin(t)))
            }
            Self::EqualEarth { .. } => {
                let t = asin(HALF_ROOT_3 * sin(f));
                let (y, slope) = equal_earth(t);
                Some((l * cos(t) / (HALF_ROOT_3 * slope), y))
            }
            Self::Orthographic { lat0_deg, .. } => {
                let (sin0, cos0) = (sin(lat0_deg.to_radians()), cos(lat0_deg.to_radians()));
                let (sin_f, cos_f) = (sin(f), cos(f));
                let towards = sin0 * sin_f + cos0 * cos_f * cos(l);
                (towards >= 0.0).then(|| (cos_f * sin(l), cos0 * sin_f - sin0 * cos_f * cos(l)))
            }
        }
    }

    /// Longitude (-180 to 180) and latitude in degrees of a place on the plane; `None` off the globe.
    pub fn inverse(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        if let Self::Orthographic { .. } = self {
            return self.position(x, y).map(to_lon_lat);
        }
        let (l, f) = self.angles(x, y)?;
        Some((wrapped_deg(l.to_degrees() + self.center_deg().0), f.to_degrees()))
    }

    /// Unit vector of a place on the plane; `None` off the globe.
    pub fn position(&self, x: f64, y: f64) -> Option<Vec3> {
        let Self::Orthographic { lon0_deg, lat0_deg } = *self else {
            let (l, f) = self.angles(x, y)?;
            return Some(from_lon_lat(l.to_degrees() + self.center_deg().0, f.to_degrees()));
        };
        let beyond = 1.0 - x * x - y * y;
        if beyond < 0.0 {
            return None;
        }
        let (lon0, lat0) = (lon0_deg.to_radians(), lat0_deg.to_radians());
        let up = from_lon_lat(lon0_deg, lat0_deg);
        let east = Vec3::new(-sin(lon0), cos(lon0), 0.0);
        let north = Vec3::new(-sin(lat0) * cos(lon0), -sin(lat0) * sin(lon0), cos(lat0));
        Some(east * x + north * y + up * beyond.sqrt())
    }

    /// Longitude from the central meridian and latitude in radians, of all but the orthographic view.
    fn angles(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let (l, f) = match *self {
            Self::Equirectangular { .. } => (x, y),
            Self::Mollweide { .. } => {
                let t = (y.abs() <= SQRT_2).then(|| asin(y / SQRT_2))?;
                (PI * x / (2.0 * SQRT_2 * cos(t)), asin(((2.0 * t + sin(2.0 * t)) / PI).clamp(-1.0, 1.0)))
            }
            Self::EqualEarth { .. } => {
                let t = newton(y / EQUAL_EARTH[0], |t| (equal_earth(t).0 - y, equal_earth(t).1));
                let sine = sin(t) / HALF_ROOT_3;
                let f = (sine.abs() <= 1.0 + HAIR).then(|| asin(sine.clamp(-1.0, 1.0)))?;
                (x * HALF_ROOT_3 * equal_earth(t).1 / cos(t), f)
            }
            Self::Orthographic { .. } => return None,
        };
        (l.abs() <= PI + HAIR && f.abs() <= FRAC_PI_2 + HAIR)
            .then(|| (l.clamp(-PI, PI), f.clamp(-FRAC_PI_2, FRAC_PI_2)))
    }

    /// Longitude and latitude of the centre of the map, in degrees.
    pub fn center_deg(&self) -> (f64, f64) {
        match *self {
            Self::Equirectangular { lon0_deg }
            | Self::Mollweide { lon0_deg }
            | Self::EqualEarth { lon0_deg } => (lon0_deg, 0.0),
            Self::Orthographic { lon0_deg, lat0_deg } => (lon0_deg, lat0_deg),
        }
    }

    /// Half the width and half the height of the whole map, in radii.
    pub fn half_size(&self) -> (f64, f64) {
        match self {
            Self::Equirectangular { .. } => (PI, FRAC_PI_2),
            Self::Mollweide { .. } => (2.0 * SQRT_2, SQRT_2),
            Self::EqualEarth { .. } => {
                let pole = equal_earth(asin(HALF_ROOT_3)).0;
                (PI / (HALF_ROOT_3 * EQUAL_EARTH[0]), pole)
            }
            Self::Orthographic { .. } => (1.0, 1.0),
        }
    }

    /// The border of the map as a closed ring of about four times `points` places, in radii.
    pub fn outline(&self, points: usize) -> Vec<(f64, f64)> {
        let share = |i: usize| i as f64 / points as f64;
        if let Self::Orthographic { .. } = self {
            let turn = |i: usize| 0.5 * PI * share(i);
            return (0..=4 * points).map(|i| (cos(turn(i)), sin(turn(i)))).collect();
        }
        let lon0 = self.center_deg().0;
        let east: Vec<(f64, f64)> = (0..=2 * points)
            .filter_map(|i| self.forward(lon0, -90.0 + 90.0 * share(i)).zip(Some(i)))
            .map(|((_, y), i)| (self.half_width_at(-90.0 + 90.0 * share(i)), y))
            .collect();
        let west = east.iter().rev().map(|&(x, y)| (-x, y));
        east.iter().copied().chain(west).chain(east.first().copied()).collect()
    }

    /// Distance of the border meridian from the central one at a latitude, in radii.
    fn half_width_at(&self, lat_deg: f64) -> f64 {
        // twice what half of it is: the projections are linear along a parallel
        self.forward(self.center_deg().0 + 90.0, lat_deg).map_or(0.0, |(x, _)| 2.0 * x)
    }

    /// A line of longitudes and latitudes as lines on the plane: cut in two where it crosses the border meridian,
    /// and without what lies on the far side.
    pub fn line(&self, points: &[[f64; 2]]) -> Vec<Vec<(f64, f64)>> {
        let mut lines = vec![Vec::new()];
        for (i, &[lon, lat]) in points.iter().enumerate() {
            let crossed = i.checked_sub(1).and_then(|before| self.crossing(points[before], [lon, lat]));
            if let Some((side, y)) = crossed {
                let x = side * self.half_width_at(y);
                let height = self.forward(self.center_deg().0, y).map_or(0.0, |p| p.1);
                lines.last_mut().expect("there is always one").push((x, height));
                lines.push(vec![(-x, height)]);
            }
            match self.forward(lon, lat) {
                Some(place) => lines.last_mut().expect("there is always one").push(place),
                None => lines.push(Vec::new()),
            }
        }
        lines.retain(|line| line.len() > 1);
        lines
    }

    /// Where a short segment crosses the border meridian: on which side (1 east, -1 west) it leaves the map, and at
    /// which latitude.
    fn crossing(&self, a: [f64; 2], b: [f64; 2]) -> Option<(f64, f64)> {
        if matches!(self, Self::Orthographic { .. }) {
            return None;
        }
        let from = wrapped_deg(a[0] - self.center_deg().0);
        let way = wrapped_deg(b[0] - a[0]);
        let side = if way > 0.0 { 1.0 } else { -1.0 };
        let share = (side * 180.0 - from) / way;
        (share.is_finite() && (0.0..1.0).contains(&share) && (from + way).abs() > 180.0)
            .then(|| (side, math::mix(a[1], b[1], share)))
    }
}

/// An angle as the same one from -180 to 180.
fn wrapped_deg(degrees: f64) -> f64 {
    if (-180.0..=180.0).contains(&degrees) { degrees } else { (degrees + 180.0).rem_euclid(360.0) - 180.0 }
}

/// The polynomial P of Equal Earth and its slope.
fn equal_earth(t: f64) -> (f64, f64) {
    let [a, b, c, d] = EQUAL_EARTH;
    let t2 = t * t;
    let t6 = t2 * t2 * t2;
    (t * (a + b * t2 + t6 * (c + d * t2)), a + 3.0 * b * t2 + t6 * (7.0 * c + 9.0 * d * t2))
}

/// The t of 2 t + sin 2 t = pi sin f.
fn mollweide_angle(f: f64) -> f64 {
    let wanted = PI * sin(f).abs();
    // near the pole, with e = pi / 2 - t, the left side is pi - 4/3 e^3: a start from which Newton is quick
    let near_pole = FRAC_PI_2 - math::cbrt(0.75 * (PI - wanted).max(0.0));
    let start = if wanted < 2.0 { wanted / 4.0 } else { near_pole };
    let t = newton(start, |t| (2.0 * t + sin(2.0 * t) - wanted, 2.0 + 2.0 * cos(2.0 * t)));
    t.clamp(0.0, FRAC_PI_2) * f.signum()
}

/// A zero of a function that is given with its slope.
fn newton(start: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut t = start;
    for _ in 0..STEPS {
        let (value, slope) = function(t);
        if slope.abs() < 1e-12 {
            break;
        }
        let step = value / slope;
        t -= step;
        if step.abs() < 1e-14 {
            break;
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Nth, Purpose, Seed};

    fn all(lon0_deg: f64, lat0_deg: f64) -> [Projection; 4] {
        [
            Projection::Equirectangular { lon0_deg },
            Projection::Mollweide { lon0_deg },
            Projection::EqualEarth { lon0_deg },
            Projection::Orthographic { lon0_deg, lat0_deg },
        ]
    }

    fn assert_near(found: Option<(f64, f64)>, expected: (f64, f64), within: f64) {
        let (x, y) = found.expect("on the map");
        assert!((x - expected.0).abs() < within && (y - expected.1).abs() < within, "{x} {y}, {expected:?}");
    }

    #[test]
    fn published_examples() {
        // Snyder (1987), numerical examples of appendix A
        let p = Projection::Mollweide { lon0_deg: -90.0 };
        assert_near(p.forward(-75.0, -50.0), (0.178_884_5, -0.920_875_8), 6e-8);
        let p = Projection::Orthographic { lon0_deg: -100.0, lat0_deg: 40.0 };
        assert_near(p.forward(-110.0, 30.0), (-0.150_383_7, -0.165_191_1), 6e-8);
        // Savric, Patterson and Jenny (2018): the pole line is 0.59247 as long as the equator; PROJ puts the end of
        // the equator at 17243959.06 m and the pole at 8392927.60 m on a sphere of 6371007.181 m
        let p = Projection::EqualEarth { lon0_deg: 0.0 };
        let (width, height) = p.half_size();
        assert_near(
            Some((width, height)),
            (17_243_959.06 / 6_371_007.181, 8_392_927.60 / 6_371_007.181),
            1e-8,
        );
        assert!((p.forward(180.0, 90.0).expect("on the map").0 / width - 0.592_47).abs() < 5e-6);
    }

    #[test]
    fn places_come_back() {
        let mut draw = Seed(3).key(Purpose::new("test")).at(Nth(0));
        for i in 0..4000 {
            let (lon0, lat0) = (draw.range(-180.0, 180.0), draw.range(-90.0, 90.0));
            let (lon, lat) = match i % 40 {
                0 => (lon0 + 179.999_999, -89.999_9),
                1 => (lon0, 89.999_999),
                _ => to_lon_lat(draw.direction()),
            };
            for p in all(lon0, lat0) {
                let Some((x, y)) = p.forward(lon, lat) else { continue };
                let (half_w, half_h) = p.half_size();
                assert!(x.abs() <= half_w + 1e-9 && y.abs() <= half_h + 1e-9);
                let back = p.position(x, y).expect("what is on the map is on the globe");
                // at the limb and on the poles of the ellipse many places fall together: compare on the map too
                let apart = math::angle(back, from_lon_lat(lon, lat));
                let (lon1, lat1) = p.inverse(x, y).expect("the same place");
                let again = p.forward(lon1, lat1).unwrap_or((x, y));
                let moved = (again.0 - x).abs().min((again.0 + x).abs()) + (again.1 - y).abs();
                assert!(apart < 1e-7 && moved < 1e-7, "{p:?} {lon} {lat}: {apart} {moved}");
            }
        }
    }

    #[test]
    fn equal_area_projections_keep_areas() {
        // x is linear in longitude: dx/dl dy/df = cos f means that areas are kept
        for p in [Projection::Mollweide { lon0_deg: 0.0 }, Projection::EqualEarth { lon0_deg: 0.0 }] {
            for lat in [0.0, 15.0, 40.0, 66.0, 85.0_f64] {
                let x = p.forward(1.0, lat).expect("on the map").0 / 1.0_f64.to_radians();
                let y = |lat: f64| p.forward(0.0, lat).expect("on the map").1;
                let per_latitude = (y(lat + 1e-3) - y(lat - 1e-3)) / 2e-3_f64.to_radians();
                assert!((x * per_latitude - cos(lat.to_radians())).abs() < 1e-6, "{p:?} {lat}");
            }
        }
    }

    #[test]
    fn off_the_globe_is_nothing() {
        for p in all(20.0, 50.0) {
            let (w, h) = p.half_size();
            assert!(p.inverse(w * 1.001, 0.0).is_none() && p.inverse(0.0, -h * 1.001).is_none(), "{p:?}");
            assert_eq!(
                p.inverse(0.97 * w, 0.97 * h).is_some(),
                matches!(p, Projection::Equirectangular { .. })
            );
            assert!(p.outline(32).iter().all(|&(x, y)| p.inverse(0.999 * x, 0.999 * y).is_some()), "{p:?}");
        }
        let far = Projection::Orthographic { lon0_deg: 0.0, lat0_deg: 0.0 };
        assert!(far.forward(91.0, 0.0).is_none());
    }

    #[test]
    fn lines_are_cut_at_the_border_meridian() {
        for p in &all(30.0, 0.0)[..3] {
            let lines = p.line(&[[-160.0, 0.0], [-148.0, 10.0], [-152.0, 20.0], [-170.0, 40.0]]);
            assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [2, 3, 3], "{p:?}");
            // -160 is 170 east of the centre; the border is at -150
            let sides: Vec<bool> = lines.iter().map(|l| l[0].0 > 0.0).collect();
            assert_eq!(sides, [true, false, true]);
            let (end, start) = (lines[0][1], lines[1][0]);
            assert!((end.0 + start.0).abs() < 1e-12 && (end.1 - start.1).abs() < 1e-12);
            assert_near(Some(end), p.forward(30.0 + 179.999_999, 10.0 * 10.0 / 12.0).expect("on it"), 1e-6);
        }
        let globe = Projection::Orthographic { lon0_deg: 0.0, lat0_deg: 0.0 };
        let around: Vec<[f64; 2]> = (-180..=180).map(|lon| [f64::from(lon), 0.0]).collect();
        assert_eq!(globe.line(&around).len(), 1);
    }
}
