//! Temperature at sea level by latitude and month: an energy balance.
//!
//! The mean of the year is the balance of sunlight, heat lost to space and heat that wind and sea carry from
//! warm to cold latitudes (Budyko 1969, Sellers 1969; here the form of North 1975):
//!
//! ```text
//! a(T) Q(phi) - B T + 1/cos(phi) d/dphi (D cos(phi) dT/dphi) = constant,   a = 0.70 - 0.08 P2(sin(phi)) - ice
//! ```
//!
//! The constant is chosen so that the planet's mean is that of the recipe; snow and ice (below some degrees of
//! frost) reflect more, which makes cold planets steeper. The seasons are the linear response of two surfaces to the
//! sunlight's departure from its mean, harmonic by harmonic (North & Coakley 1979):
//!
//! ```text
//! C dT'/dt = a Q'(t) - L T'
//! ```
//!
//! T, T': deg C. Q: W/m2. D = 0.50 (more in the tropics), B = 2.1, L = 5.2 (land) or 9 (sea) W/m2/K. C: heat capacity, 1.5e7 J/m2/K on land,
//! 2e8 at sea; under sea ice the sea answers like land. Neglects: clouds that change, heat carried between land
//! and sea in the balance itself.

use super::insolation::Year;
use crate::fields::YEAR_S;
use crate::recipe::ClimateParams;
use grid::math::{self, mix, smoothstep};
use std::f64::consts::{PI, TAU};

/// Bands of two degrees.
pub(crate) const BANDS: usize = 90;
/// Heat carried towards the poles, in W/m2/K, and how much more within some 20 degrees of the equator, where the
/// trade winds' cells even out warmth (Lindzen & Farrell 1977).
const DIFFUSION: f64 = 0.50;
const TROPICS: f64 = 1.6;
const TROPICS_RAD: f64 = 0.4;
/// Growth of the heat lost to space with temperature, in W/m2/K.
const LOSS: f64 = 2.1;
/// Share of sunlight that ice and snow reflect beyond what open ground does.
const ICE_ALBEDO: f64 = 0.17;
/// Heat lost by a departure of temperature, in W/m2/K, over land and sea.
const DAMPING: [f64; 2] = [5.2, 9.0];
/// Heat capacity in J/m2/K of land and sea.
const CAPACITY: [f64; 2] = [1.5e7, 2.0e8];
/// Share of the seasons' heat that ground and sea frozen for most of the year reflect or spend on melting.
const FROZEN_LOSS: f64 = 0.45;
/// Departures level off towards this many degrees: hot ground loses more than in proportion.
const GREATEST_DEPARTURE_C: f64 = 75.0;

/// Temperature by latitude, in bands from the south pole to the north pole.
#[derive(Clone, Debug)]
pub(crate) struct Zonal {
    /// Mean of the year at sea level in deg C.
    pub annual_c: Vec<f64>,
    /// Departure of each month far inland.
    pub land_c: Vec<[f64; 12]>,
    /// Departure of each month on the open sea.
    pub sea_c: Vec<[f64; 12]>,
}

/// Latitude of a band's middle, in radians.
pub(crate) fn band_latitude(band: usize) -> f64 {
    PI * ((band as f64 + 0.5) / BANDS as f64 - 0.5)
}

/// The band below a latitude in radians, and the share of the way to the next.
pub(crate) fn between_bands(latitude: f64) -> (usize, usize, f64) {
    let at = ((latitude / PI + 0.5) * BANDS as f64 - 0.5).clamp(0.0, (BANDS - 1) as f64);
    let low = (at as usize).min(BANDS - 2);
    (low, low + 1, at - low as f64)
}

impl Zonal {
    /// The balance of a recipe.
    pub fn new(params: &ClimateParams) -> Self {
        let tilt = params.tilt_deg.to_radians();
        let year = Year::new(tilt);
        let sun: Vec<[f64; 12]> = (0..BANDS).map(|b| year.monthly_w_m2(band_latitude(b))).collect();
        let annual_c = annual(&sun, params);
        let seasons = |of_land: bool| -> Vec<[f64; 12]> {
            let band = |b: usize| {
                let frozen = smoothstep(1.0, -15.0, annual_c[b]);
                let land = if of_land { 1.0 } else { frozen };
                let [damping, capacity] = [DAMPING, CAPACITY].map(|of| of[1] * power(of[0] / of[1], land));
                let taken = absorbed(b, 0.0) * (1.0 - FROZEN_LOSS * frozen);
                let heat = sun[b].map(|q| (q - mean(&sun[b])) * taken);
                response(&heat, damping, capacity)
                    .map(|t| GREATEST_DEPARTURE_C * math::tanh(t / GREATEST_DEPARTURE_C))
            };
            (0..BANDS).map(band).collect()
        };
        Self { land_c: seasons(true), sea_c: seasons(false), annual_c }
    }

    /// Mean of each month at a latitude, for a place between sea (0) and the far inland (1).
    pub fn months_at(&self, latitude: f64, inland: f64) -> [f64; 12] {
        let place = between_bands(latitude);
        std::array::from_fn(|month| self.month_between(place, inland, month))
    }

    /// The same of one month.
    pub fn month_at(&self, latitude: f64, inland: f64, month: usize) -> f64 {
        self.month_between(between_bands(latitude), inland, month)
    }

    #[inline(always)]
    fn month_between(&self, (a, b, t): (usize, usize, f64), inland: f64, month: usize) -> f64 {
        let year = mix(self.annual_c[a], self.annual_c[b], t);
        let sea = mix(self.sea_c[a][month], self.sea_c[b][month], t);
        let land = mix(self.land_c[a][month], self.land_c[b][month], t);
        year + sea + (land - sea) * inland
    }

    /// How much warmer than the sea the far inland is in a month.
    pub fn contrast_at(&self, latitude: f64, month: usize) -> f64 {
        let (a, b, t) = between_bands(latitude);
        let of = |band: usize| self.land_c[band][month] - self.sea_c[band][month];
        mix(of(a), of(b), t)
    }
}

fn power(base: f64, exponent: f64) -> f64 {
    math::exp(exponent * math::log(base))
}

fn mean(months: &[f64; 12]) -> f64 {
    months.iter().sum::<f64>() / 12.0
}

/// Share of sunlight that a band takes up; `ice` from 0 to 1.
fn absorbed(band: usize, ice: f64) -> f64 {
    let x = math::sin(band_latitude(band));
    0.70 - 0.08 * (1.5 * x * x - 0.5) - ICE_ALBEDO * ice
}

/// Areas of the bands; their sum is 1.
fn band_areas() -> Vec<f64> {
    let edge = |b: usize| math::sin(PI * (b as f64 / BANDS as f64 - 0.5));
    (0..BANDS).map(|b| 0.5 * (edge(b + 1) - edge(b))).collect()
}

fn annual(sun: &[[f64; 12]], params: &ClimateParams) -> Vec<f64> {
    let areas = band_areas();
    let average = |values: &[f64]| values.iter().zip(&areas).map(|(v, a)| v * a).sum::<f64>();
    let mut t = vec![params.mean_c; BANDS];
    for _ in 0..12 {
        let ice = |b: usize| smoothstep(2.0, -14.0, t[b]);
        let heat: Vec<f64> = (0..BANDS).map(|b| absorbed(b, ice(b)) * mean(&sun[b])).collect();
        let base = average(&heat);
        let balanced = diffuse(&heat.iter().map(|h| h - base).collect::<Vec<_>>(), &areas);
        for (t, departure) in t.iter_mut().zip(balanced) {
            *t = 0.5 * (*t + params.mean_c + params.pole_contrast * departure);
        }
    }
    t
}

/// Solves `LOSS T - div(D grad T) = heat` over the bands (tridiagonal, Thomas 1949).
fn diffuse(heat: &[f64], areas: &[f64]) -> Vec<f64> {
    let step = PI / BANDS as f64;
    // Flux through the northern edge of a band, per degree of difference, in the areas' units.
    let flux = |b: usize| {
        let latitude = PI * ((b + 1) as f64 / BANDS as f64 - 0.5);
        let x = latitude / TROPICS_RAD;
        0.5 * DIFFUSION * (1.0 + TROPICS * math::exp(-x * x)) * math::cos(latitude) / step
    };
    let (mut above, mut value) = (vec![0.0; BANDS], vec![0.0; BANDS]);
    for b in 0..BANDS {
        let south = if b > 0 { flux(b - 1) } else { 0.0 };
        let north = if b + 1 < BANDS { flux(b) } else { 0.0 };
        let (carried, known) = if b > 0 { (above[b - 1], value[b - 1]) } else { (0.0, 0.0) };
        let diagonal = LOSS * areas[b] + south + north - south * carried;
        above[b] = north / diagonal;
        value[b] = (heat[b] * areas[b] + south * known) / diagonal;
    }
    for b in (0..BANDS - 1).rev() {
        value[b] += above[b] * value[b + 1];
    }
    value
}

/// The periodic answer of a surface to heat by month.
fn response(heat: &[f64; 12], damping: f64, capacity: f64) -> [f64; 12] {
    let mut t = [0.0; 12];
    for k in 1..=5 {
        let angle = |m: usize| TAU * (k * m) as f64 / 12.0;
        let [c, s] = [math::cos, math::sin]
            .map(|wave| heat.iter().enumerate().map(|(m, h)| h * wave(angle(m))).sum::<f64>() / 6.0);
        let slow = capacity * TAU * k as f64 / YEAR_S;
        let size = damping * damping + slow * slow;
        // (c - i s) / (damping + i slow), back to cosine and sine
        let (tc, ts) = ((c * damping - s * slow) / size, (s * damping + c * slow) / size);
        for (m, t) in t.iter_mut().enumerate() {
            *t += tc * math::cos(angle(m)) + ts * math::sin(angle(m));
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Zonal {
        fn annual_at(&self, latitude: f64) -> f64 {
            let (a, b, t) = between_bands(latitude);
            mix(self.annual_c[a], self.annual_c[b], t)
        }
    }

    fn earth() -> Zonal {
        Zonal::new(&ClimateParams::default())
    }

    #[test]
    fn the_mean_of_the_planet_is_that_of_the_recipe() {
        for (mean_c, tilt_deg) in [(15.0, 23.44), (-20.0, 0.0), (30.0, 90.0)] {
            let params = ClimateParams { mean_c, tilt_deg, ..ClimateParams::default() };
            let zonal = Zonal::new(&params);
            let found: f64 = zonal.annual_c.iter().zip(band_areas()).map(|(t, a)| t * a).sum();
            assert!((found - mean_c).abs() < 1e-9, "{found} {mean_c}");
        }
    }

    /// Sea-level means of Earth by latitude: equator 26, 45 degrees 9 to 12, 60 degrees -3 to 2, pole -15 to -25.
    #[test]
    fn latitudes_are_as_warm_as_on_earth() {
        let zonal = earth();
        for (latitude, low, high) in [
            (0.0f64, 25.0, 28.5),
            (30.0, 18.0, 22.0),
            (45.0, 8.0, 13.0),
            (60.0, -4.0, 3.0),
            (88.0, -26.0, -14.0),
        ] {
            let t = zonal.annual_at(latitude.to_radians());
            assert!((low..=high).contains(&t), "{latitude}: {t}");
            assert!((t - zonal.annual_at(-latitude.to_radians())).abs() < 0.2);
        }
    }

    /// Siberia swings by 42 to 60 degrees, inner continents at 45 by 35 to 42, open sea at 45 by 4 to 9.
    #[test]
    fn seasons_are_as_strong_as_on_earth() {
        let range = |latitude: f64, inland: f64| {
            let months = earth().months_at(latitude.to_radians(), inland);
            months.iter().copied().fold(f64::MIN, f64::max) - months.iter().copied().fold(f64::MAX, f64::min)
        };
        for (latitude, inland, low, high) in
            [(60.0, 1.0, 42.0, 60.0), (45.0, 1.0, 34.0, 42.0), (45.0, 0.0, 4.0, 9.0), (0.0, 1.0, 0.0, 6.0)]
        {
            let found = range(latitude, inland);
            assert!((low..=high).contains(&found), "{latitude} {inland}: {found}");
        }
    }

    #[test]
    fn a_steeply_tilted_planet_has_warm_poles() {
        let zonal = Zonal::new(&ClimateParams { tilt_deg: 90.0, ..ClimateParams::default() });
        assert!(zonal.annual_c[BANDS - 1] > zonal.annual_at(0.0));
    }

    /// C dT/dt + L T = cos: amplitude 1 / sqrt(L^2 + (C w)^2), late by atan(C w / L).
    #[test]
    fn a_surface_answers_a_wave_late_and_damped() {
        let heat = std::array::from_fn(|m| math::cos(TAU * m as f64 / 12.0));
        let slow = 3.0;
        let found = response(&heat, 4.0, slow * YEAR_S / TAU);
        for (m, t) in found.iter().enumerate() {
            let expected = math::cos(TAU * m as f64 / 12.0 - math::atan2(slow, 4.0)) / 5.0;
            assert!((t - expected).abs() < 1e-12, "{m}: {t} {expected}");
        }
    }

    #[test]
    fn heat_that_is_carried_is_not_lost() {
        let areas = band_areas();
        let heat: Vec<f64> = (0..BANDS).map(|b| f64::from(b as u32 % 7)).collect();
        let lost: f64 = diffuse(&heat, &areas).iter().zip(&areas).map(|(t, a)| LOSS * t * a).sum();
        let given: f64 = heat.iter().zip(&areas).map(|(h, a)| h * a).sum();
        assert!((lost - given).abs() < 1e-9);
    }
}
