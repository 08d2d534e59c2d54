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
#[inline(always)]
fn readiness(humidity: f64) -> f64 {
    let h = humidity / 0.75;
    h * h + 12.0 * (humidity - 1.0).max(0.0)
}

/// Its derivative.
#[inline(always)]
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

/// What makes a month's rain.
#[derive(Clone, Debug)]
pub(crate) struct Month {
    /// Wind at sea level in m/s.
    pub wind: Vec<Vec3>,
    /// How stormy each place is, as [`fronts`] says.
    pub fronts: Vec<f64>,
    /// The ground under the air.
    pub ground: Warmth,
}

/// Months that are worked side by side: one vector of `f64` where vectors are of 256 bits.
pub(crate) const MONTHS: usize = 4;
/// A value of each of these months.
type Lanes = [f64; MONTHS];

/// Rain and evaporation of [`MONTHS`] months at the most.
pub(crate) fn rain_out(airs: &Airs, params: &ClimateParams, months: &[Month], sweeps: usize) -> Vec<Wet> {
    let coarse = airs.coarse;
    let most = math::exp(math::log(GIVEN_BACK) * params.continentality).min(0.95);
    let flows: Vec<Flow> = months.iter().map(|month| carried(airs, month)).collect();
    let rates: Vec<Rates> =
        months.iter().map(|m| rates(coarse, &m.wind, &m.fronts, &m.ground.temperature_c)).collect();
    let cells: Vec<Air> = (0..coarse.len())
        .map(|i| Air {
            incoming: [0, 1, 2, 3].map(|side| lanes(months, |m| flows[m].incoming[i][side])),
            outgoing: lanes(months, |m| flows[m].outgoing[i]),
            outside: lanes(months, |m| flows[m].from_outside[i] * OUTSIDE),
            hold: lanes(months, |m| hold_mm(months[m].ground.temperature_c[i])),
            calm: lanes(months, |m| rates[m].calm[i]),
            lifted: lanes(months, |m| rates[m].lifted[i]),
            potential: lanes(months, |m| months[m].ground.potential_mm_day[i].max(0.05)),
            area: coarse.area_m2[i],
            from_sea: UPTAKE * (1.0 - coarse.land[i]),
            given_back: most * coarse.land[i],
        })
        .collect();
    let mut water: Vec<Lanes> = cells.iter().map(|air| air.hold.map(|hold| 0.6 * hold)).collect();
    sweep(&cells, &coarse.to, &mut water, sweeps);
    (0..months.len()).map(|month| Wet::of(coarse, &cells, &water, month)).collect()
}

/// A value of each month; of the last one where there are fewer than lanes.
#[inline(always)]
fn lanes(months: &[Month], value: impl Fn(usize) -> f64) -> Lanes {
    std::array::from_fn(|lane| value(lane.min(months.len() - 1)))
}

/// What the wind and the weather of a month carry.
fn carried(airs: &Airs, month: &Month) -> Flow {
    let coarse = airs.coarse;
    let carrying: Vec<Vec3> =
        (0..coarse.len()).map(|i| month.wind[i] * column_share(airs.latitude[i])).collect();
    Flow::new(coarse, &carrying, |i| {
        let most = MIXING_M_S * coarse.area_m2[i].sqrt();
        (MIXING_M2_S[0] + MIXING_M2_S[1] * month.fronts[i]).min(most)
    })
}

/// The air over a cell.
struct Air {
    /// Comes in through each side for each unit in the neighbour, in m2/s.
    incoming: [Lanes; 4],
    /// Goes out for each unit in the cell, in m2/s.
    outgoing: Lanes,
    /// Comes in over the border of a flat map for each unit that the air could hold, in m2/s.
    outside: Lanes,
    /// What the air can hold, in mm.
    hold: Lanes,
    calm: Lanes,
    lifted: Lanes,
    /// What wet ground evaporates, in mm/day; a little at least.
    potential: Lanes,
    area: f64,
    /// How fast the open water moistens the air, in 1/s.
    from_sea: f64,
    /// The most of the rain that the land gives back.
    given_back: f64,
}

impl Air {
    #[inline(always)]
    fn back(&self, lane: usize, rain: f64) -> f64 {
        let ratio = rain / self.potential[lane];
        self.given_back / (1.0 + ratio * ratio).sqrt()
    }

    #[inline(always)]
    fn loss(&self, lane: usize, humidity: f64) -> f64 {
        self.calm[lane] * readiness(humidity) + self.lifted[lane]
    }

    #[inline(always)]
    fn uptake(&self, humidity: f64) -> f64 {
        if humidity < 1.0 { self.from_sea } else { 0.0 }
    }

    /// One step of Newton's method for the balance of the cell; its rain grows faster than its water.
    #[inline(always)]
    fn settle(&self, lane: usize, incoming: f64, old: f64) -> f64 {
        let hold = self.hold[lane];
        let humidity = old / hold;
        let up = self.uptake(humidity) * self.area;
        let rate = self.loss(lane, humidity);
        let kept = (1.0 - self.back(lane, rate * old * DAY_S)) * self.area;
        let steeper = self.calm[lane] * readiness_slope(humidity) * humidity;
        let gained = incoming + (self.outside[lane] + up) * hold + steeper * kept * old;
        (gained / (self.outgoing[lane] + up + (rate + steeper) * kept)).min(MOST_HELD * hold)
    }
}

/// Sweeps over the cells there and back, as [`Flow::sweep`] but of all months side by side, as wide as the processor's
/// vectors are; no operation is left out, fused or put in another order.
///
/// The attribute writes the one unsafe call there is: of the copy for AVX2, and only where the processor was asked and has
/// it; the copy itself is safe code.
#[multiversion::multiversion(targets("x86_64+avx2"))]
#[allow(unsafe_code)]
fn sweep(cells: &[Air], to: &[[u32; 4]], water: &mut [Lanes], sweeps: usize) {
    for sweep in 0..sweeps {
        for k in 0..cells.len() {
            let cell = if sweep % 2 == 0 { k } else { cells.len() - 1 - k };
            let air = &cells[cell];
            let mut incoming = [0.0; MONTHS];
            for (&to, share) in to[cell].iter().zip(&air.incoming) {
                if let Some(there) = water.get(to as usize) {
                    for lane in 0..MONTHS {
                        incoming[lane] += share[lane] * there[lane];
                    }
                }
            }
            let old = water[cell];
            for lane in 0..MONTHS {
                water[cell][lane] = air.settle(lane, incoming[lane], old[lane]);
            }
        }
    }
}

impl Wet {
    /// The month of a lane, when the water has settled.
    fn of(coarse: &Coarse, cells: &[Air], water: &[Lanes], lane: usize) -> Self {
        let all =
            || cells.iter().zip(water).map(|(air, water)| (air, water[lane], water[lane] / air.hold[lane]));
        let rain: Vec<f64> =
            all().map(|(air, water, humidity)| air.loss(lane, humidity) * water * DAY_S).collect();
        let sea = |(air, water, humidity): (&Air, f64, f64)| {
            air.uptake(humidity) * (air.hold[lane] - water) * DAY_S
        };
        let mut wet = Self {
            unbalanced: 0.0,
            given_back: cells.iter().zip(&rain).map(|(air, &rain)| air.back(lane, rain)).collect(),
            from_sea: all().map(sea).collect(),
            rain,
        };
        wet.balance(coarse);
        wet
    }

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
        let month = Month { wind, fronts: fronts(&airs, 6), ground: ground(&lab, 15.0) };
        let settled =
            |sweeps| rain_out(&airs, &lab.recipe.climate, std::slice::from_ref(&month), sweeps).remove(0);
        let wet = settled(3000);
        assert!(wet.unbalanced.abs() < 1e-9, "{}", wet.unbalanced);
        let few = settled(SWEEPS);
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
            let month = Month { wind, fronts: calm, ground: ground(lab, 12.0) };
            let wet = rain_out(&airs, &lab.recipe.climate, &[month], 800).remove(0);
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
