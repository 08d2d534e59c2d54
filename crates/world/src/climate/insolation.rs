//! Sunlight at the top of the air, by latitude and season.
//!
//! ```text
//! sin(delta) = sin(tilt) sin(lambda)
//! Q = S / pi (H sin(phi) sin(delta) + cos(phi) cos(delta) sin(H)),  cos(H) = -tan(phi) tan(delta)   [W/m2]
//! ```
//!
//! delta: declination of the sun. lambda: longitude of the sun, 0 at the March equinox, which falls on day 20 of the third
//! month. phi: latitude. H: half the length of the day as an angle, pi in the polar day and 0 in the polar
//! night. S: 1361 W/m2. The daily mean is exact for a circular orbit (Milankovitch 1941); eccentricity is neglected.

use grid::math;
use std::f64::consts::{PI, TAU};

/// Sunlight on a plane that faces the sun, in W/m2.
const SOLAR_W_M2: f64 = 1361.0;
/// Months from the first of January to the equinox of March.
const EQUINOX_MONTHS: f64 = 2.63;
/// Days looked at in each month.
const DAYS: [f64; 3] = [1.0 / 6.0, 0.5, 5.0 / 6.0];

/// Declination of the sun in radians, `time` months after the first of January.
pub(crate) fn declination(tilt: f64, time_months: f64) -> f64 {
    let longitude = TAU * (time_months - EQUINOX_MONTHS) / 12.0;
    math::asin(math::sin(tilt) * math::sin(longitude))
}

/// Sine and cosine of an angle in radians.
fn sine_and_cosine(angle: f64) -> [f64; 2] {
    [math::sin(angle), math::cos(angle)]
}

/// Mean sunlight of a day in W/m2, by sines and cosines of latitude and declination.
fn of_day_w_m2(latitude: [f64; 2], declination: [f64; 2]) -> f64 {
    let up = latitude[0] * declination[0];
    let across = latitude[1] * declination[1];
    let half_day = if up >= across {
        PI
    } else if up <= -across {
        0.0
    } else {
        math::acos(-up / across)
    };
    SOLAR_W_M2 / PI * (half_day * up + across * math::sin(half_day)).max(0.0)
}

/// The days that are looked at, by sine and cosine of the sun's declination.
pub(crate) struct Year([[[f64; 2]; DAYS.len()]; 12]);

impl Year {
    /// The year of an axis whose tilt is in radians.
    pub fn new(tilt: f64) -> Self {
        let day = |month: usize, at: f64| sine_and_cosine(declination(tilt, month as f64 + at));
        Self(std::array::from_fn(|month| DAYS.map(|at| day(month, at))))
    }

    /// Mean sunlight of each month in W/m2 at a latitude in radians.
    pub fn monthly_w_m2(&self, latitude: f64) -> [f64; 12] {
        let latitude = sine_and_cosine(latitude);
        self.0.map(|days| days.map(|day| of_day_w_m2(latitude, day)).iter().sum::<f64>() / DAYS.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn daily_w_m2(latitude: f64, declination: f64) -> f64 {
        of_day_w_m2(sine_and_cosine(latitude), sine_and_cosine(declination))
    }

    #[test]
    fn known_days_come_out() {
        let tilt = 23.44f64.to_radians();
        // equinox on the equator: S / pi; at 60 degrees half of it
        assert!((daily_w_m2(0.0, 0.0) - 433.22).abs() < 0.01);
        assert!((daily_w_m2(60f64.to_radians(), 0.0) - 216.61).abs() < 0.01);
        // solstice at the pole: S sin(tilt) all day long, and night at the other pole
        assert!((daily_w_m2(PI / 2.0, tilt) - 1361.0 * 0.397_788).abs() < 0.01);
        assert_eq!(daily_w_m2(-PI / 2.0, tilt), 0.0);
        // solstice on the equator: S / pi cos(tilt)
        assert!((daily_w_m2(0.0, tilt) - 433.22 * 0.917_477).abs() < 0.01);
        // solstice on the tropic: H = 1.7599, 433.22 (1.7599 x 0.15824 + 0.84176 x 0.98217) = 478.8
        assert!((daily_w_m2(tilt, tilt) - 478.8).abs() < 0.1);
    }

    #[test]
    fn the_daily_mean_is_the_mean_of_the_day() {
        for (lat, dec) in [(0.3, 0.2), (1.0, 0.4), (1.3, 0.4), (-1.2, 0.35), (0.9, -0.6)] {
            let steps = 100_000;
            let sun = |k: i32| {
                let hour = TAU * (f64::from(k) + 0.5) / f64::from(steps);
                (math::sin(lat) * math::sin(dec) + math::cos(lat) * math::cos(dec) * math::cos(hour)).max(0.0)
            };
            let mean = SOLAR_W_M2 * (0..steps).map(sun).sum::<f64>() / f64::from(steps);
            assert!((daily_w_m2(lat, dec) - mean).abs() < 1e-4, "{lat} {dec}");
        }
    }

    #[test]
    fn seasons_follow_the_calendar() {
        let months = Year::new(23.44f64.to_radians()).monthly_w_m2(50f64.to_radians());
        let best = (0..12).max_by(|&a, &b| months[a].total_cmp(&months[b])).expect("twelve months");
        assert_eq!(best, 5);
        let pole = Year::new(0.0).monthly_w_m2(PI / 2.0);
        assert!(pole.iter().all(|q| q.abs() < 1e-9));
    }
}
