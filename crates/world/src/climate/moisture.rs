//! Water in the air: taken up from the sea, carried by the wind, rained out.
//!
//! ```text
//! div(u W) - div(K grad W) = E - P
//! E = k (1 - land) max(W* - W, 0) + eps land P,    W* = 11 exp(0.062 T)
//! P = [(ascent / tau + fronts) g(W / W*) + 0.3 rise / H] W,    rise = max(u . grad(h), 0), levelling off at 0.15 m/s
//! ```
//!
//! W: water above a place in mm. W*: what the air can hold, by the law of Clausius and Clapeyron. k: 0.26 a day. eps: share of
//! rain that land gives back. ascent: more than 1 where the wind comes together, less where it parts and air sinks. tau: 13
//! days. fronts: storms where it gets colder fast towards the pole. h: height, H = 2500 m the scale height of
//! water in air: what rises over a mountain rains out, and what comes down behind it is dry. g: moist air
//! rains, dry air does not. The balance is that of Smith & Barstad (2004) with a reservoir instead of delays;
//! months are steady states.

use super::coarse::Coarse;
use super::transport::Flow;
use super::winds::{Airs, from_equator};
use crate::recipe::ClimateParams;
use grid::math::{self, Vec3, mix, smoothstep};

const DAY_S: f64 = 86_400.0;
/// What air of 0 deg C can hold, in mm, and its growth for each degree.
const HOLD_MM: f64 = 11.0;
const HOLD_PER_C: f64 = 0.062;
/// How fast the sea moistens the air, in 1/s.
const UPTAKE: f64 = 0.26 / DAY_S;
/// Rain of air that neither rises nor sinks, in 1/s.
const CALM: f64 = 0.075 / DAY_S;
/// Convergence that doubles it, in 1/s.
const CONVERGENCE: f64 = 0.15 / DAY_S;
/// Rain of the strongest fronts, in 1/s.
const FRONTS: f64 = 0.18 / DAY_S;
/// Share of water that rains out of air that is lifted.
const LIFTED: f64 = 0.3;
/// Air rises over steep slopes no faster than this, in m/s: it goes around them.
const FASTEST_RISE_M_S: f64 = 0.15;
/// Over land rain falls less readily by this share: its air is drier below; in cold and in
/// hot air (there it rises by itself).
const DRIER: [f64; 2] = [0.64, 0.60];
/// The same of fronts, which bring their own rise.
const DRIER_FRONTS: f64 = 0.3;
/// Scale height of water in the air, in m.
const SCALE_M: f64 = 2500.0;
/// Speed of sinking air that halves its rain, in m/s.
const SINKING_M_S: f64 = 0.01;
/// Mixing by weather, in m2/s: everywhere, and more where there are fronts.
const MIXING_M2_S: [f64; 2] = [4.0e5, 1.6e6];
/// Bound on mixing over one cell, in m/s, so that small cells settle in as few sweeps as large ones.
const MIXING_M_S: f64 = 20.0;
/// Share of the rain that land gives back to the air where there is little of it.
const GIVEN_BACK: f64 = 0.8;
/// How fast the water of the tropics moves, as a share of the wind at sea level.
const TRADES: f64 = 0.27;
/// Humidity of air that comes from beyond a flat map's border.
const OUTSIDE: f64 = 0.75;
/// Bound on the humidity of air while the sweeps look for it.
const MOST_HELD: f64 = 4.0;
const SWEEPS: usize = 18;

/// Rain and evaporation of a month.
#[derive(Clone, Debug)]
pub(crate) struct Wet {
    /// Rain in mm/day.
    pub rain: Vec<f64>,
    /// Evaporation from open water in mm/day.
    pub from_sea: Vec<f64>,
    /// What the sweeps left undone: rain kept over water taken up, less 1; 0 on a flat map, whose border is open.
    pub unbalanced: f64,
    /// Share of rain that land gave back.
    pub given_back: Vec<f64>,
}

/// What a month's ground does to the air.
#[derive(Clone, Debug)]
pub(crate) struct Warmth {
    /// Temperature at the mean height in deg C.
    pub temperature_c: Vec<f64>,
    /// What wet ground evaporates, in mm/day.
    pub potential_mm_day: Vec<f64>,
}

/// Speed of the air that carries water, as a share of the wind at sea level: trade winds are shallow.
fn column_share(latitude: f64) -> f64 {
    TRADES + (1.0 - TRADES) * smoothstep(0.2, 0.6, latitude.abs())
}

/// What the air can hold in mm.
pub(crate) fn hold_mm(temperature_c: f64) -> f64 {
    HOLD_MM * math::exp(HOLD_PER_C * temperature_c.clamp(-70.0, 55.0))
}

/// How readily air rains, by its relative humidity; 1 at 75 %.
fn readiness(humidity: f64) -> f64 {
    let h = humidity / 0.75;
    h * h + 12.0 * (humidity - 1.0).max(0.0)
}

/// Its derivative.
fn readiness_slope(humidity: f64) -> f64 {
    humidity * (2.0 / (0.75 * 0.75)) + if humidity > 1.0 { 12.0 } else { 0.0 }
}

/// The rates at which a month's air loses its water, in 1/s: by fronts and in calm air, and over slopes.
struct Rates {
    calm: Vec<f64>,
    lifted: Vec<f64>,
}

fn rates(coarse: &Coarse, wind: &[Vec3], fronts: &[f64], temperature_c: &[f64]) -> Rates {
    let (mut calm, mut lifted) = (Vec::with_capacity(wind.len()), Vec::with_capacity(wind.len()));
    let divergence: Vec<f64> = (0..wind.len()).map(|i| coarse.divergence(wind, i)).collect();
    let gathered: Vec<f64> = (0..wind.len()).map(|i| coarse.averaged(&divergence, i)).collect();
    for i in 0..wind.len() {
        let rise = wind[i].dot(coarse.gradient(&coarse.height_m, i));
        let ascent = (1.0 - gathered[i] / CONVERGENCE).clamp(0.25, 3.0);
        let drier = mix(DRIER[0], DRIER[1], smoothstep(12.0, 26.0, temperature_c[i]));
        let lee = 1.0 / (1.0 + (-rise).max(0.0) / SINKING_M_S);
        let still = CALM * ascent * (1.0 - drier * coarse.land[i]);
        let stormy = FRONTS * fronts[i] * ascent.min(1.0) * (1.0 - DRIER_FRONTS * coarse.land[i]);
        calm.push((still + stormy) * lee);
        lifted.push(LIFTED * rise.max(0.0) / (1.0 + rise.max(0.0) / FASTEST_RISE_M_S) / SCALE_M);
    }
    Rates { calm, lifted }
}

/// How stormy each place is in a month, from 0 to about 1.3: by the cooling towards the pole, away from the equator.
pub(crate) fn fronts(airs: &Airs, month: usize) -> Vec<f64> {
    const STEP: f64 = 0.2; // radians: 11 degrees to either side
    const TYPICAL_C: f64 = 18.0; // what it cools over twice that in the storm tracks of Earth
    let share = airs.land * airs.contrast;
    let equator = airs.thermal_equator(month);
    let storm = |latitude: f64| {
        let at = |l: f64| airs.zonal.month_at(l, share, month);
        let cooling = (at(latitude + STEP) - at(latitude - STEP)).abs() / TYPICAL_C;
        cooling.min(1.3) * smoothstep(0.50, 0.85, from_equator(latitude, equator).abs())
    };
    airs.latitude.iter().map(|&l| storm(l)).collect()
}

/// Rain and evaporation of a month with this wind, over ground of this temperature.
pub(crate) fn rain_out(
    airs: &Airs,
    params: &ClimateParams,
    wind: &[Vec3],
    fronts: &[f64],
    ground: &Warmth,
    sweeps: usize,
) -> Wet {
    let coarse = airs.coarse;
    let carrying: Vec<Vec3> = (0..coarse.len()).map(|i| wind[i] * column_share(airs.latitude[i])).collect();
    let flow = Flow::new(coarse, &carrying, |i| {
        let most = MIXING_M_S * coarse.area_m2[i].sqrt();
        (MIXING_M2_S[0] + MIXING_M2_S[1] * fronts[i]).min(most)
    });
    let rates = rates(coarse, wind, fronts, &ground.temperature_c);
    let hold: Vec<f64> = ground.temperature_c.iter().map(|&t| hold_mm(t)).collect();
    let most = math::exp(math::log(GIVEN_BACK) * params.continentality).min(0.95);
    let back = |i: usize, rain: f64| {
        let ratio = rain / ground.potential_mm_day[i].max(0.05);
        most * coarse.land[i] / (1.0 + ratio * ratio).sqrt()
    };
    let loss = |i: usize, humidity: f64| rates.calm[i] * readiness(humidity) + rates.lifted[i];
    let uptake = |i: usize, humidity: f64| if humidity < 1.0 { UPTAKE * (1.0 - coarse.land[i]) } else { 0.0 };
    let mut water: Vec<f64> = hold.iter().map(|h| 0.6 * h).collect();
    flow.sweep(coarse, &mut water, sweeps, |i, incoming, old| {
        // One step of Newton's method for the balance of the cell; its rain grows faster than its water.
        let humidity = old / hold[i];
        let area = coarse.area_m2[i];
        let up = uptake(i, humidity) * area;
        let rate = loss(i, humidity);
        let kept = (1.0 - back(i, rate * old * DAY_S)) * area;
        let steeper = rates.calm[i] * readiness_slope(humidity) * humidity;
        let gained = incoming + (flow.from_outside[i] * OUTSIDE + up) * hold[i] + steeper * kept * old;
        (gained / (flow.outgoing[i] + up + (rate + steeper) * kept)).min(MOST_HELD * hold[i])
    });
    let rain = |i: usize| loss(i, water[i] / hold[i]) * water[i] * DAY_S;
    let sea = |i: usize| uptake(i, water[i] / hold[i]) * (hold[i] - water[i]) * DAY_S;
    let rain: Vec<f64> = (0..coarse.len()).map(rain).collect();
    let mut wet = Wet {
        unbalanced: 0.0,
        given_back: (0..coarse.len()).map(|i| back(i, rain[i])).collect(),
        from_sea: (0..coarse.len()).map(sea).collect(),
        rain,
    };
    wet.balance(coarse);
    wet
}

impl Wet {
    /// On a globe what rains is what evaporates: rain is scaled by what the sweeps left undone.
    fn balance(&mut self, coarse: &Coarse) {
        if !matches!(coarse.grid, grid::Topology::Globe(_)) {
            return;
        }
        let (mut taken, mut kept) = (0.0, 0.0);
        for i in 0..self.rain.len() {
            taken += self.from_sea[i] * coarse.area_m2[i];
            kept += self.rain[i] * (1.0 - self.given_back[i]) * coarse.area_m2[i];
        }
        if kept > 0.0 && taken > 0.0 {
            self.unbalanced = kept / taken - 1.0;
            self.rain.iter_mut().for_each(|r| *r *= taken / kept);
        }
    }
}

/// Sweeps of a month in a world.
pub(crate) const fn usual_sweeps() -> usize {
    SWEEPS
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Lab, flat, globe};
    use super::*;
    use grid::Grid;

    fn ground(lab: &Lab, t: f64) -> Warmth {
        Warmth { temperature_c: vec![t; lab.coarse.len()], potential_mm_day: vec![3.0; lab.coarse.len()] }
    }

    /// Given enough sweeps, all that is taken up rains out, with no help from the final scaling.
    #[test]
    fn what_evaporates_rains() {
        let inside = |d: Vec3| d.x + 0.5 * d.y > 0.3;
        let lab =
            Lab::new(&globe(16), &[], |p| if inside(p) { 1.0 } else { -1.0 }, |p| 3000.0 * p.y.max(0.0));
        let airs = lab.airs(&lab.coarse.latitude);
        let (wind, _) = airs.blow(6);
        let wet = rain_out(&airs, &lab.recipe.climate, &wind, &fronts(&airs, 6), &ground(&lab, 15.0), 3000);
        assert!(wet.unbalanced.abs() < 1e-9, "{}", wet.unbalanced);
        let few = rain_out(&airs, &lab.recipe.climate, &wind, &fronts(&airs, 6), &ground(&lab, 15.0), SWEEPS);
        assert!(few.unbalanced.abs() < 0.05, "{}", few.unbalanced);
        let sum = |of: &dyn Fn(usize) -> f64| {
            (0..lab.coarse.len()).map(|i| of(i) * lab.coarse.area_m2[i]).sum::<f64>()
        };
        let (fell, rose) = (sum(&|i| few.rain[i] * (1.0 - few.given_back[i])), sum(&|i| few.from_sea[i]));
        assert!((fell / rose - 1.0).abs() < 1e-12);
    }

    /// A wall across a steady wind from the west: wet on the side it comes from, dry behind, and dry for longer than the
    /// wall is wide.
    #[test]
    fn behind_a_wall_of_mountains_it_is_dry() {
        let wall = |p: Vec3| 3000.0 * smoothstep(300e3, 0.0, (p.x - 2000e3).abs());
        let lab = Lab::new(&flat(120), &[], |p| p.x - 1200e3, wall);
        let flat_lab = Lab::new(&flat(120), &[], |p| p.x - 1200e3, |_| 100.0);
        let rain = |lab: &Lab| {
            let airs = lab.airs(&lab.coarse.latitude);
            let wind = vec![Vec3::new(8.0, 0.0, 0.0); lab.coarse.len()];
            let calm = vec![0.3; lab.coarse.len()];
            let wet = rain_out(&airs, &lab.recipe.climate, &wind, &calm, &ground(lab, 12.0), 800);
            let middle = lab.coarse.grid.shape().rows / 2;
            let cols = lab.coarse.grid.shape().cols;
            (0..cols).map(|c| wet.rain[(middle * cols + c) as usize]).collect::<Vec<f64>>()
        };
        let (with, without) = (rain(&lab), rain(&flat_lab));
        let col = |km: f64| (km / 4000.0 * with.len() as f64) as usize;
        assert!(
            with[col(1850.0)] > 2.0 * without[col(1850.0)],
            "{} {}",
            with[col(1850.0)],
            without[col(1850.0)]
        );
        for (km, most) in [(2150.0, 0.2), (2500.0, 0.75), (3000.0, 0.75)] {
            assert!(with[col(km)] < most * without[col(km)], "{km}: {} {}", with[col(km)], without[col(km)]);
        }
        assert!(
            (with[col(600.0)] / without[col(600.0)] - 1.0).abs() < 0.02,
            "what lies upwind does not know"
        );
    }

    #[test]
    fn warm_air_holds_more() {
        assert!((hold_mm(0.0) - HOLD_MM).abs() < 1e-12);
        // Clausius-Clapeyron: 6 to 7 % for each degree
        let growth = hold_mm(16.0) / hold_mm(15.0) - 1.0;
        assert!((0.06..0.07).contains(&growth), "{growth}");
        assert!((readiness(0.75) - 1.0).abs() < 1e-12 && readiness(0.3) < 0.2);
    }
}
