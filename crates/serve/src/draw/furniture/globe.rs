//! Degrees of the meridians and parallels of a whole globe, and where on its map each stands.

use super::degrees;
use grid::{Projection, Vec3, math};

/// The number of a meridian or of a parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct Degree {
    /// The number with its side: `30°S`.
    pub words: String,
    /// Where it stands on the projection's plane, in radii.
    pub at: (f64, f64),
    /// On which side of that place.
    pub side: Side,
}

/// Where a number stands, as seen from its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To the left of it.
    Left,
    /// To the right of it.
    Right,
    /// Over it.
    Above,
    /// Under it.
    Below,
    /// In the middle of it, on the map.
    On,
}

/// Numbers on a globe seen from far away stand no farther than this from its middle, in degrees.
const FARTHEST_DEG: f64 = 68.0;

/// The numbers of a map of a whole globe, of every so many degrees (a divisor of 90): around it where its border says which meridian
/// or parallel ends there, else along the equator, and in a view from far away along a parallel and a meridian near its middle. None
/// on an equirectangular map, which has a frame.
pub fn of_globe(projection: &Projection, step_deg: u32) -> Vec<Degree> {
    let step = f64::from(step_deg.max(1));
    let (lon0, lat0) = projection.center_deg();
    let multiples = |low: f64, high: f64| {
        let (first, last) = ((low / step).ceil() as i32, (high / step).floor() as i32);
        (first..=last).map(move |k| f64::from(k) * step)
    };
    let longitude = |lon: f64| degrees((lon + 180.0).rem_euclid(360.0) - 180.0, ["W", "E"]);
    let latitude = |lat: f64| degrees(lat, ["S", "N"]);
    let at = |lon: f64, lat: f64, side: Side, words: String| {
        projection.forward(lon, lat).map(|at| Degree { words, at, side })
    };
    // none where the map is cut
    let meridians = || multiples(lon0 - 179.0, lon0 + 179.0);
    let beside = || {
        let ends = [(lon0 - 179.9, Side::Left), (lon0 + 179.9, Side::Right)];
        let both = move |lat: f64| ends.map(|(lon, side)| at(lon, lat, side, latitude(lat)));
        multiples(-60.0, 60.0).flat_map(both).flatten()
    };
    match projection {
        Projection::Equirectangular { .. } => Vec::new(),
        Projection::Mollweide { .. } => {
            let along = meridians().filter_map(|lon| at(lon, 0.0, Side::On, longitude(lon)));
            beside().chain(along).collect()
        }
        Projection::EqualEarth { .. } => {
            let ends = [(90.0, Side::Above), (-90.0, Side::Below)];
            let end = |lon: f64| ends.map(|(lat, side)| at(lon, lat, side, longitude(lon)));
            beside().chain(meridians().flat_map(end).flatten()).collect()
        }
        Projection::Orthographic { .. } => {
            let middle = math::from_lon_lat(lon0, lat0);
            let nearest = math::cos(FARTHEST_DEG.to_radians());
            let is_near = |lon: f64, lat: f64| Vec3::dot(middle, math::from_lon_lat(lon, lat)) > nearest;
            let along = ((lat0 / step).round() * step).clamp(-60.0, 60.0);
            let up = (lon0 / step).round() * step;
            let meridians = multiples(lon0 - 179.9, lon0 + 180.0).filter(|lon| is_near(*lon, along));
            let parallels = multiples(-89.0, 89.0).filter(|lat| *lat != along && is_near(up, *lat));
            let meridians = meridians.filter_map(|lon| at(lon, along, Side::On, longitude(lon)));
            meridians.chain(parallels.filter_map(|lat| at(up, lat, Side::On, latitude(lat)))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(projection: Projection) -> Vec<String> {
        of_globe(&projection, 30).into_iter().map(|degree| degree.words).collect()
    }

    #[test]
    fn every_meridian_and_parallel_of_a_whole_world_has_its_number() {
        for lon0_deg in [0.0, 90.0, -137.0] {
            for (projection, times) in
                [(Projection::Mollweide { lon0_deg }, 1), (Projection::EqualEarth { lon0_deg }, 2)]
            {
                let all = words(projection);
                let count = |words: &str| all.iter().filter(|w| *w == words).count();
                for lat in ["60°N", "30°N", "30°S", "60°S"] {
                    assert_eq!(count(lat), 2, "{lat} {projection:?}");
                }
                for (k, lon) in (-5..=6).map(|k| (k, f64::from(30 * k))) {
                    let words = degrees(lon, ["W", "E"]);
                    // the equator has the number of the meridian 0
                    let expected = if k == 0 { times + 2 } else { times };
                    let cut = (lon - lon0_deg).rem_euclid(360.0) == 180.0;
                    assert_eq!(count(&words), if cut { 0 } else { expected }, "{words} {projection:?}");
                }
            }
        }
    }

    #[test]
    fn a_view_from_far_away_has_numbers_near_its_middle() {
        for (lon0_deg, lat0_deg) in [(30.0, 20.0), (0.0, 90.0), (-100.0, -47.0), (179.0, 0.0)] {
            let projection = Projection::Orthographic { lon0_deg, lat0_deg };
            let all = of_globe(&projection, 30);
            assert!((6..=16).contains(&all.len()), "{all:?}");
            let reach = math::sin(FARTHEST_DEG.to_radians());
            for Degree { at: (x, y), .. } in &all {
                assert!(x * x + y * y < reach * reach + 1e-9, "{all:?}");
            }
            let mut names: Vec<&String> = all.iter().map(|degree| &degree.words).collect();
            names.sort();
            names.dedup();
            assert!(names.len() + 1 >= all.len(), "{names:?}");
        }
        let polar = words(Projection::Orthographic { lon0_deg: 0.0, lat0_deg: 90.0 });
        assert_eq!(polar.iter().filter(|w| w.ends_with('W') || w.ends_with('E')).count(), 10, "{polar:?}");
        assert!(polar.contains(&"180°".into()), "{polar:?}");
    }
}
