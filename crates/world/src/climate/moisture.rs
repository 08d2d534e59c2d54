//! Water in the air: taken up from the sea, carried by the wind, rained out.
//!
//! ```text
//! div(u W) - div(K grad W) = E - P
//! E = k (1 - land) max(W* - W, 0) + eps land P,    W* = 11 exp(0.062 T)
//! P = [ascent / tau + fronts + 0.3 max(u . grad(h), 0) / H ] g(W / W*) W
//! ```
//!
//! W: water above a place in mm. W*: what the air can hold, by the law of Clausius and Clapeyron. k: 0.3 a day. eps: share of
//! rain that land gives back. ascent: more than 1 where the wind comes together, less where it parts and air sinks. tau: 16
//! days. fronts: storms where it gets colder fast towards the pole. h: height, H = 2500 m the scale height of
//! water in air: what rises over a mountain rains out, and what comes down behind it is dry. g: moist air
//! rains, dry air does not. The balance is that of Smith & Barstad (2004) with a reservoir instead of delays;
//! months are steady states.

use super::coarse::Coarse;
use super::transport::Flow;
use super::winds::Airs;
use crate::recipe::ClimateParams;
use grid::math::{self, Vec3, smoothstep};

const DAY_S: f64 = 86_400.0;
/// What air of 0 deg C can hold, in mm, and its growth for each degree.
const HOLD_MM: f64 = 11.0;
const HOLD_PER_C: f64 = 0.062;
/// How fast the sea moistens the air, in 1/s.
const UPTAKE: f64 = 0.26 / DAY_S;
/// Rain of air that neither rises nor sinks, in 1/s.
const CALM: f64 = 0.06 / DAY_S;
/// Convergence that doubles it, in 1/s.
const CONVERGENCE: f64 = 0.15 / DAY_S;
/// Rain of the strongest fronts, in 1/s.
const FRONTS: f64 = 0.18 / DAY_S;
/// Share of water that rains out of air that is lifted.
const LIFTED: f64 = 0.3;
/// Over land rain falls less readily by this share: its air is drier below and its rain evaporates on the way.
const DRIER: f64 = 0.5;
/// Scale height of water in the air, in m.
const SCALE_M: f64 = 2500.0;
/// Speed of sinking air that halves its rain, in m/s.
const SINKING_M_S: f64 = 0.01;
/// Mixing by weather, in m2/s: everywhere, and more where there are fronts.
const MIXING_M2_S: [f64; 2] = [4.0e5, 1.6e6];
/// Share of the rain that land gives back to the air where there is little of it.
const GIVEN_BACK: f64 = 0.7;
/// How fast the water of the tropics moves, as a share of the wind at sea level.
const TRADES: f64 = 0.35;
/// Humidity of air that comes from beyond a flat map's border.
const OUTSIDE: f64 = 0.75;
const SWEEPS: usize = 14;

/// Rain and evaporation of a month.
#[derive(Clone, Debug)]
pub(crate) struct Wet {
    /// Rain in mm/day.
    pub rain: Vec<f64>,
    /// Evaporation from open water in mm/day.
    pub from_sea: Vec<f64>,
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

/// The rates at which a month's air loses its water, in 1/s: by fronts and in calm air, and over slopes.
struct Rates {
    calm: Vec<f64>,
    lifted: Vec<f64>,
}

fn rates(coarse: &Coarse, wind: &[Vec3], fronts: &[f64]) -> Rates {
    let (mut calm, mut lifted) = (Vec::with_capacity(wind.len()), Vec::with_capacity(wind.len()));
    for i in 0..wind.len() {
        let rise = wind[i].dot(coarse.gradient(&coarse.height_m, i));
        let ascent = (1.0 - coarse.divergence(wind, i) / CONVERGENCE).clamp(0.15, 3.0);
        let lee = 1.0 / (1.0 + (-rise).max(0.0) / SINKING_M_S);
        calm.push((CALM * ascent + FRONTS * fronts[i]) * lee * (1.0 - DRIER * coarse.land[i]));
        lifted.push(LIFTED * rise.max(0.0) / SCALE_M);
    }
    Rates { calm, lifted }
}

/// How stormy each place is in a month, from 0 to about 1.3: by the cooling towards the pole, away from the equator.
pub(crate) fn fronts(airs: &Airs, month: usize) -> Vec<f64> {
    const STEP: f64 = 0.12; // radians: 7 degrees to either side
    const TYPICAL_C: f64 = 11.0; // what it cools over twice that in the storm tracks of Earth
    let share = airs.land * airs.contrast;
    let storm = |latitude: f64| {
        let at = |l: f64| airs.zonal.months_at(l, share)[month];
        let cooling = (at(latitude + STEP) - at(latitude - STEP)).abs() / TYPICAL_C;
        cooling.min(1.3) * smoothstep(0.42, 0.75, latitude.abs())
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
    let flow = Flow::new(coarse, &carrying, |i| MIXING_M2_S[0] + MIXING_M2_S[1] * fronts[i]);
    let rates = rates(coarse, wind, fronts);
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
        let humidity = old / hold[i];
        let area = coarse.area_m2[i];
        let up = uptake(i, humidity) * area;
        let rate = loss(i, humidity);
        let down = rate * (1.0 - back(i, rate * old * DAY_S)) * area;
        let new =
            (incoming + (flow.from_outside[i] * OUTSIDE + up) * hold[i]) / (flow.outgoing[i] + up + down);
        0.5 * (old + new)
    });
    let rain = |i: usize| loss(i, water[i] / hold[i]) * water[i] * DAY_S;
    let sea = |i: usize| uptake(i, water[i] / hold[i]) * (hold[i] - water[i]) * DAY_S;
    let rain: Vec<f64> = (0..coarse.len()).map(rain).collect();
    let mut wet = Wet {
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
        if kept > 0.0 {
            self.rain.iter_mut().for_each(|r| *r *= taken / kept);
        }
    }
}

/// Sweeps of a month in a world.
pub(crate) const fn usual_sweeps() -> usize {
    SWEEPS
}
