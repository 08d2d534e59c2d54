//! Pressure at sea level and surface winds by month.
//!
//! ```text
//! p = belts(psi) - kappa (s - <s>) (T_land - T_sea)                                              [hPa]
//! 0 = -grad(p) / rho - f k x u - r u,   f = 2 Omega sin(phi), so  u = (r G + f G x k) / (r^2 + f^2)   [m/s]
//! ```
//!
//! psi: latitude counted from the thermal equator, which follows the sun, and stretched so that the poles stay at 90
//! degrees. The belts are Earth's: low at the thermal equator and at 62, high at 30 and at the poles. s: smoothed share
//! of land, `<s>` its mean along the latitude: ground warmer than the sea makes a low, colder a high, hence the
//! monsoons. G = -grad(p) / rho. f: Coriolis parameter, of the other sign on a planet that spins the other way. r: friction. The balance is the
//! oldest one of surface winds (Guldberg & Mohn 1876); it needs no exception at the equator. Neglects: weather, the
//! winds' own inertia, waves that mountains make. Slopes turn the wind along themselves.

use super::coarse::{Coarse, EARTH_M};
use super::transport::Flow;
use super::zonal::{BANDS, Zonal, band_latitude};
use crate::recipe::ClimateParams;
use grid::math::{self, Vec3, mix, smoothstep};
use std::f64::consts::{FRAC_PI_2, PI};

/// Pressure in hPa above the mean by latitude from the thermal equator in degrees; level at the knots.
const BELTS: [(f64, f64); 4] = [(0.0, -4.0), (31.0, 6.5), (63.0, -11.0), (90.0, 1.0)];
/// hPa for each degree that land is warmer than the sea.
const HEAT_LOW: f64 = 0.38;
/// hPa by which the highs are stronger off west coasts and weaker off east coasts, and where they lie.
const SHORE_HIGH: f64 = 3.0;
const HIGHS_DEG: f64 = 31.0;
const HIGHS_WIDTH_DEG: f64 = 14.0;
/// How far a coast is felt at sea, in m.
const COAST_M: f64 = 1.5e6;
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
    /// The meanders alone, in radians.
    meander: Vec<f64>,
    /// Smoothed share of land less its mean along the latitude.
    pub heating: Vec<f64>,
    /// From 1 off west coasts to -1 off east coasts, as seen by the gyres of the sea.
    pub shores: Vec<f64>,
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
        let meander = latitude.iter().zip(&coarse.latitude).map(|(bent, l)| bent - l).collect();
        let (heating, shores) = (heating(coarse), shores(coarse, sense(params)));
        Self {
            coarse,
            zonal,
            sense: sense(params),
            latitude,
            meander,
            heating,
            shores,
            contrast: params.continentality,
            land,
        }
    }

    /// Wind of a month in m/s, and the pressure at sea level in hPa above the mean.
    pub fn blow(&self, month: usize) -> (Vec<Vec3>, Vec<f64>) {
        let equator = self.thermal_equator(month);
        let more = |i: usize| {
            let warmer = self.zonal.contrast_at(self.coarse.latitude[i], month) * self.contrast;
            self.shore_high(i, equator) - HEAT_LOW * self.heating[i] * warmer
        };
        let more: Vec<f64> = (0..self.coarse.len()).map(more).collect();
        let all = |(i, m): (usize, &f64)| m + belts_hpa(degrees_away(self.latitude[i], equator));
        (self.winds(equator, &more), more.iter().enumerate().map(all).collect())
    }

    /// Latitude in radians around which a month's warmth gathers.
    pub fn thermal_equator(&self, month: usize) -> f64 {
        thermal_equator(self.zonal, month, self.land * self.contrast)
    }

    /// Wind of the yearly mean of the belts alone.
    pub fn prevail(&self) -> Vec<Vec3> {
        let more: Vec<f64> = (0..self.coarse.len()).map(|i| self.shore_high(i, 0.0)).collect();
        self.winds(0.0, &more)
    }

    /// What the highs have more off west coasts, in hPa.
    fn shore_high(&self, cell: usize, equator: f64) -> f64 {
        let high = (degrees_away(self.latitude[cell], equator) - HIGHS_DEG) / HIGHS_WIDTH_DEG;
        SHORE_HIGH * self.shores[cell] * math::exp(-high * high)
    }

    /// Winds of a field of pressure that comes on top of the belts, both in hPa.
    ///
    /// The belts' slope along the meridian is taken from their formula, that of their meanders and of the rest from
    /// the grid, whose lines bend where faces meet: so strong a gradient would show the bend.
    fn winds(&self, equator: f64, more_hpa: &[f64]) -> Vec<Vec3> {
        const STEP: f64 = 0.01;
        let rough: Vec<Vec3> = (0..self.coarse.len())
            .map(|i| {
                let belts = |l: f64| belts_hpa(degrees_away(l, equator));
                let steepness =
                    (belts(self.latitude[i] + STEP) - belts(self.latitude[i] - STEP)) / (2.0 * STEP);
                let meridian = self.coarse.north[i] / EARTH_M + self.coarse.gradient(&self.meander, i);
                let slope = meridian * steepness + self.coarse.gradient(more_hpa, i);
                let push = slope * (-100.0 / AIR_KG_M3);
                let wind = self.balance(i, push);
                self.turned_aside(i, wind)
            })
            .collect();
        (0..rough.len()).map(|i| self.coarse.smoothed(&rough, i)).collect()
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
    let land = land.clamp(0.0, 1.0);
    let t: Vec<f64> = (0..BANDS).map(|b| zonal.month_at(band_latitude(b), land, month)).collect();
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

/// Degrees from the thermal equator, at most 90.
fn degrees_away(latitude: f64, equator: f64) -> f64 {
    (from_equator(latitude, equator).abs() * 180.0 / PI).min(90.0)
}

/// Pressure by degrees from the thermal equator.
fn belts_hpa(psi: f64) -> f64 {
    let next = BELTS.iter().position(|b| b.0 >= psi).unwrap_or(BELTS.len() - 1).max(1);
    let (low, high) = (BELTS[next - 1], BELTS[next]);
    mix(low.1, high.1, smoothstep(low.0, high.0, psi))
}

/// From 1 off west coasts to -1 off east coasts, the other way round where the planet spins so.
fn shores(coarse: &Coarse, sense: f64) -> Vec<f64> {
    // A wind from the west brings what lies in the west: land there makes this an east coast.
    let felt = |speed: f64| {
        let wind: Vec<Vec3> = coarse.east.iter().map(|e| *e * speed).collect();
        let flow = Flow::new(coarse, &wind, |_| 1.0e5).of_property();
        flow.relax(coarse, coarse.land.clone(), 12, |i| {
            let land = coarse.land[i];
            (smoothstep(0.2, 0.8, land), (1.0 + 4.0 * land) / COAST_M)
        })
    };
    let (east_coast, west_coast) = (felt(1.0), felt(-1.0));
    west_coast.iter().zip(&east_coast).map(|(w, e)| (w - e) * sense).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Lab, flat, globe};
    use super::*;

    /// Easterlies at 15 degrees, westerlies at 45, both blowing out of the high between them; the other
    /// way round on a planet that spins the other way.
    #[test]
    fn belts_blow_as_on_earth_and_mirrored_on_a_retrograde_planet() {
        let lab = Lab::new(&globe(32), &[], |_| -1.0, |_| 0.0);
        let mirrored = Lab::new(&globe(32), &["climate.rotation=retrograde"], |_| -1.0, |_| 0.0);
        let (wind, _) = lab.airs(&lab.coarse.latitude).blow(2);
        let (other, _) = mirrored.airs(&mirrored.coarse.latitude).blow(2);
        for i in 0..lab.coarse.len() {
            let (east, north) = (wind[i].dot(lab.coarse.east[i]), wind[i].dot(lab.coarse.north[i]));
            let pole_wards = north * lab.coarse.latitude[i].signum();
            let degrees = lab.coarse.latitude[i].to_degrees().abs();
            if (10.0..22.0).contains(&degrees) {
                assert!(east < -2.0 && pole_wards < 0.0, "trades at {degrees}: {east} {pole_wards}");
            } else if (42.0..52.0).contains(&degrees) {
                assert!(east > 3.0 && pole_wards > 0.0, "westerlies at {degrees}: {east} {pole_wards}");
            }
            let (east_too, north_too) = (other[i].dot(lab.coarse.east[i]), other[i].dot(lab.coarse.north[i]));
            assert!((east + east_too).abs() < 0.2 && (north - north_too).abs() < 0.2);
        }
    }

    /// f v = 1/rho dp/dx and friction, solved by hand at 45 degrees: 1 hPa in 100 km.
    #[test]
    fn the_balance_is_that_of_pressure_turning_and_friction() {
        let lab = Lab::new(&flat(40), &["grid.latitude_deg=45"], |_| -1.0, |_| 0.0);
        let airs = lab.airs(&lab.coarse.latitude);
        let middle = lab.coarse.len() / 2;
        let (push, f) = (8.333_333e-4, 2.0 * SPIN * math::sin(lab.coarse.latitude[middle]));
        let wind = airs.balance(middle, Vec3::new(push, 0.0, 0.0));
        // r u - f v = G, r v + f u = 0, before the speed levels off
        let size = (wind.x * wind.x + wind.y * wind.y).sqrt();
        assert!((wind.y / wind.x + f / FRICTION).abs() < 1e-9);
        let free = push / (f * f + FRICTION * FRICTION).sqrt();
        assert!((size - free / (1.0 + free * free / (GREATEST_M_S * GREATEST_M_S)).sqrt()).abs() < 1e-6);
    }

    /// In July air flows into a northern continent, in January out of it.
    #[test]
    fn monsoons_turn_with_the_season() {
        let inside = |d: Vec3| math::angle(d, math::from_lon_lat(20.0, 30.0)) < 0.4;
        let lab = Lab::new(&globe(48), &[], |p| if inside(p) { 1.0 } else { -1.0 }, |_| 100.0);
        let airs = lab.airs(&lab.coarse.latitude);
        let gathers = |month: usize| {
            let (wind, _) = airs.blow(month);
            let of = |i: usize| -lab.coarse.divergence(&wind, i) * lab.coarse.land[i] * lab.coarse.area_m2[i];
            (0..lab.coarse.len()).map(of).sum::<f64>()
        };
        assert!(gathers(6) > 0.0 && gathers(0) < 0.0, "{} {}", gathers(6), gathers(0));
    }
}
