//! Pressure at sea level and surface winds by month.
//!
//! ```text
//! p = belts(psi) - kappa (s - <s>) (T_land - T_sea)                                              [hPa]
//! 0 = -grad(p) / rho - f k x u - r u,   f = 2 Omega sin(phi), so  u = (r G + f G x k) / (r^2 + f^2)   [m/s]
//! ```
//!
//! psi: latitude counted from the thermal equator, which follows the sun, and stretched so that the poles stay at 90
//! degrees. The belts are Earth's: low at the thermal equator and at 62, high at 30 and at the poles. s: smoothed share
//! of land, <s> its mean along the latitude: ground warmer than the sea makes a low, colder a high, hence the
//! monsoons. G = -grad(p) / rho. f: Coriolis parameter, of the other sign on a planet that spins the other way. r: friction. The balance is the
//! oldest one of surface winds (Guldberg & Mohn 1876); it needs no exception at the equator. Neglects: weather, the
//! winds' own inertia, waves that mountains make. Slopes turn the wind along themselves.

use super::coarse::Coarse;
use super::transport::Flow;
use super::zonal::{BANDS, Zonal, band_latitude};
use crate::recipe::ClimateParams;
use grid::math::{self, Vec3, mix, smoothstep};
use std::f64::consts::{FRAC_PI_2, PI};

/// Pressure in hPa above the mean by latitude from the thermal equator in degrees; level at the knots.
const BELTS: [(f64, f64); 4] = [(0.0, -4.0), (31.0, 6.5), (63.0, -11.0), (90.0, 1.0)];
/// hPa for each degree that land is warmer than the sea.
const HEAT_LOW: f64 = 0.35;
/// How far the warmth of land spreads, in m, and the bands in which means along the latitude are taken.
const SPREAD_M: f64 = 4.0e5;
const MEAN_BANDS: usize = 24;
/// Friction in 1/s.
const FRICTION: f64 = 2.6e-5;
/// Turning of Earth in 1/s.
const SPIN: f64 = 7.292e-5;
const AIR_KG_M3: f64 = 1.2;
/// Slope at which half of the wind across it is turned aside.
const STEEP: f64 = 0.012;
/// Winds level off towards this speed in m/s.
const GREATEST_M_S: f64 = 18.0;
/// Latitude that the thermal equator does not leave, in degrees.
const GREATEST_SHIFT_DEG: f64 = 40.0;

/// What the winds of all months have in common.
#[derive(Clone, Debug)]
pub(crate) struct Airs<'a> {
    pub coarse: &'a Coarse,
    pub zonal: &'a Zonal,
    /// 1, or -1 where the planet spins the other way.
    pub sense: f64,
    /// Latitude in radians as the belts see it: with meanders.
    pub latitude: Vec<f64>,
    /// Smoothed share of land less its mean along the latitude.
    pub heating: Vec<f64>,
    /// Multiplies the difference between land and sea.
    pub contrast: f64,
    /// Share of land of the whole grid.
    pub land: f64,
}

/// 1, or -1 where the planet spins the other way.
pub(crate) fn sense(params: &ClimateParams) -> f64 {
    if params.rotation == "retrograde" { -1.0 } else { 1.0 }
}

impl<'a> Airs<'a> {
    /// What the winds need to know; `latitude` in radians as the belts see it.
    pub fn new(coarse: &'a Coarse, zonal: &'a Zonal, params: &ClimateParams, latitude: Vec<f64>) -> Self {
        let total: f64 = coarse.area_m2.iter().sum();
        let land = coarse.land.iter().zip(&coarse.area_m2).map(|(l, a)| l * a).sum::<f64>() / total;
        let heating = heating(coarse);
        Self { coarse, zonal, sense: sense(params), latitude, heating, contrast: params.continentality, land }
    }

    /// Wind of a month in m/s, and the pressure at sea level in hPa above the mean.
    pub fn blow(&self, month: usize) -> (Vec<Vec3>, Vec<f64>) {
        let equator = thermal_equator(self.zonal, month, self.land * self.contrast);
        let pressure = |i: usize| {
            let warmer = self.zonal.contrast_at(self.coarse.latitude[i], month) * self.contrast;
            belts_hpa(self.latitude[i], equator) - HEAT_LOW * self.heating[i] * warmer
        };
        let pressure: Vec<f64> = (0..self.coarse.len()).map(pressure).collect();
        (self.winds(&pressure), pressure)
    }

    /// Wind of the yearly mean of the belts alone.
    pub fn prevail(&self) -> Vec<Vec3> {
        let pressure: Vec<f64> = self.latitude.iter().map(|&l| belts_hpa(l, 0.0)).collect();
        self.winds(&pressure)
    }

    fn winds(&self, pressure_hpa: &[f64]) -> Vec<Vec3> {
        (0..self.coarse.len())
            .map(|i| {
                let push = self.coarse.gradient(pressure_hpa, i) * (-100.0 / AIR_KG_M3);
                let wind = self.balance(i, push);
                self.turned_aside(i, wind)
            })
            .collect()
    }

    /// The wind that pressure, turning and friction agree on.
    fn balance(&self, cell: usize, push: Vec3) -> Vec3 {
        let coriolis = self.sense * 2.0 * SPIN * math::sin(self.coarse.latitude[cell]);
        let (east, north) = (push.dot(self.coarse.east[cell]), push.dot(self.coarse.north[cell]));
        let size = FRICTION * FRICTION + coriolis * coriolis;
        let u = (FRICTION * east + coriolis * north) / size;
        let v = (FRICTION * north - coriolis * east) / size;
        let slower = 1.0 / (1.0 + (u * u + v * v) / (GREATEST_M_S * GREATEST_M_S)).sqrt();
        (self.coarse.east[cell] * u + self.coarse.north[cell] * v) * slower
    }

    /// Wind that meets a slope goes over it in part and along it for the rest.
    fn turned_aside(&self, cell: usize, wind: Vec3) -> Vec3 {
        let slope = self.coarse.gradient(&self.coarse.height_m, cell);
        let size2 = slope.length_squared();
        let steep = size2 / (size2 + STEEP * STEEP);
        if size2 > 0.0 { wind - slope * (0.5 * steep * wind.dot(slope) / size2) } else { wind }
    }
}

/// Land smoothed over some hundred km, less its mean along the latitude.
fn heating(coarse: &Coarse) -> Vec<f64> {
    let still = vec![Vec3::default(); coarse.len()];
    let flow = Flow::new(coarse, &still, |_| 1.0).of_property();
    let smooth =
        flow.relax(coarse, coarse.land.clone(), 8, |i| (coarse.land[i], 1.0 / (SPREAD_M * SPREAD_M)));
    let means = coarse.zonal_mean(&smooth, MEAN_BANDS);
    let global = matches!(coarse.grid, grid::Topology::Globe(_));
    let mean = |i: usize| {
        let at = (coarse.latitude[i] / PI + 0.5) * MEAN_BANDS as f64 - 0.5;
        let low = (at.max(0.0) as usize).min(MEAN_BANDS - 2);
        mix(means[low], means[low + 1], (at - low as f64).clamp(0.0, 1.0))
    };
    // A flat map lies in a sea: all of its land is more than there is around it.
    (0..coarse.len()).map(|i| smooth[i] - if global { mean(i) } else { 0.0 }).collect()
}

/// Latitude in radians around which a month's warmth gathers; `land`: share of land.
fn thermal_equator(zonal: &Zonal, month: usize, land: f64) -> f64 {
    let t: Vec<f64> =
        (0..BANDS).map(|b| zonal.months_at(band_latitude(b), land.clamp(0.0, 1.0))[month]).collect();
    let warmest = t.iter().copied().fold(f64::MIN, f64::max);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (band, t) in t.iter().enumerate() {
        let latitude = band_latitude(band);
        let w = math::exp((t - warmest) / 1.5) * math::cos(latitude);
        sum += w * latitude;
        weight += w;
    }
    let most = GREATEST_SHIFT_DEG.to_radians();
    (sum / weight).clamp(-most, most)
}

/// Latitude from the thermal equator, stretched so that poles stay poles; radians.
pub(crate) fn from_equator(latitude: f64, equator: f64) -> f64 {
    let away = latitude - equator;
    let room = if away > 0.0 { FRAC_PI_2 - equator } else { FRAC_PI_2 + equator };
    away * FRAC_PI_2 / room
}

fn belts_hpa(latitude: f64, equator: f64) -> f64 {
    let psi = (from_equator(latitude, equator).abs() * 180.0 / PI).min(90.0);
    let next = BELTS.iter().position(|b| b.0 >= psi).unwrap_or(BELTS.len() - 1).max(1);
    let (low, high) = (BELTS[next - 1], BELTS[next]);
    mix(low.1, high.1, smoothstep(low.0, high.0, psi))
}
