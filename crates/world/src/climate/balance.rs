//! Snow, ice and water of one place through the year.
//!
//! ```text
//! E0 = days R (T + 5) / (100 lambda),  T > -5                                  [mm/month]
//! E = P / sqrt(1 + (P / E0)^2),  q = P - E                                      [mm/yr]
//! snow' = s(T) P - min(snow, ddf days n(T))
//! ```
//!
//! E0: what could evaporate, from sunlight R at the top of the air and temperature (Oudin et al. 2005); lambda = 2.45 MJ/kg.
//! E: what does (Turc 1954, Pike 1964). q: runoff. s(T): share of snow, falling from 1 at -3 to 0 at 5 deg C. n(T): mean
//! degrees above 0 in a month whose days scatter about T; ddf = 4 mm/K a day, the usual melt factor (Hock 2003). Snow that
//! outlives the year's melt makes a glacier. Runoff is spread over the months by a soil of 120 mm that fills
//! with rain and melt, gives to evaporation, spills, and drains by a third each month.

use crate::fields::each;
use grid::math;

/// Days in a month.
pub(crate) const DAYS: f32 = 30.4375;
/// Melt in mm a day for each degree above 0.
const MELT_MM_DAY_C: f32 = 4.0;
/// Half the range over which the temperature of a month's days scatters, in degrees.
const SCATTER_C: f32 = 6.0;
/// Heat that evaporates a kg of water, in MJ.
const LATENT_MJ_KG: f32 = 2.45;
const SOIL_MM: f32 = 120.0;
/// Share of the soil's water that drains in a month.
const DRAINED: f32 = 0.35;
/// Years until snow and soil have forgotten how they began.
const YEARS: usize = 3;
/// Months' shares of runoff are multiples of this, so that twelve of them add up to 1 exactly.
const SHARE_STEP: f32 = 1.0 / 4096.0;

/// Places that are worked side by side: one vector of `f32` where vectors are of 256 bits.
pub(crate) const PLACES: usize = 8;
/// A value of each place.
pub(crate) type Lanes = [f32; PLACES];

/// The water of some places on land.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Balance {
    /// What a wide wet surface could evaporate in a year, in mm.
    pub potential_mm: Lanes,
    /// What evaporates, in mm/yr.
    pub evaporation_mm: Lanes,
    /// Share of each month in the year's runoff.
    pub shares: [Lanes; 12],
    /// Whether snow outlives the year.
    pub glacier: [bool; PLACES],
}

/// What could evaporate in a month in mm; `sun` in W/m2.
#[inline(always)]
pub(crate) fn potential_mm(sun_w_m2: f32, temperature_c: f32) -> f32 {
    let sun_mj_day = sun_w_m2 * 0.0864;
    DAYS * sun_mj_day * (temperature_c + 5.0).max(0.0) / (100.0 * LATENT_MJ_KG)
}

/// What evaporates of a year's rain.
#[inline(always)]
pub(crate) fn actual_mm(rain_mm: f32, potential_mm: f32) -> f32 {
    if potential_mm <= 0.0 {
        return 0.0;
    }
    let ratio = rain_mm / potential_mm;
    rain_mm / (1.0 + ratio * ratio).sqrt()
}

/// What a lake evaporates: more than wide wet land does where the air around it is dry (Bouchet 1963).
#[inline(always)]
pub(crate) fn lake_mm(potential_mm: f32, actual_mm: f32) -> f32 {
    1.05 * potential_mm + 0.4 * (potential_mm - actual_mm).max(0.0)
}

#[inline(always)]
fn snow_share(temperature_c: f32) -> f32 {
    ((5.0 - temperature_c) / 8.0).clamp(0.0, 1.0)
}

/// What a month could melt in mm.
#[inline(always)]
fn melt_mm(temperature_c: f32) -> f32 {
    let t = temperature_c + SCATTER_C;
    let degrees =
        if t >= 2.0 * SCATTER_C { temperature_c } else { t.max(0.0) * t.max(0.0) / (4.0 * SCATTER_C) };
    MELT_MM_DAY_C * DAYS * degrees
}

impl Balance {
    /// The balance of places by the temperature (deg C), rain (mm) and sunlight (W/m2) of each month.
    #[inline(always)]
    pub fn new(temperature_c: &[Lanes; 12], rain_mm: &[Lanes; 12], sun_w_m2: &[Lanes; 12]) -> Self {
        let potential = monthly(|m, l| potential_mm(sun_w_m2[m][l], temperature_c[m][l]));
        let snowfall = monthly(|m, l| rain_mm[m][l] * snow_share(temperature_c[m][l]));
        let melt = monthly(|m, l| melt_mm(temperature_c[m][l]));
        let (year_mm, yearly_melt, yearly_snow) = (sum(&potential), sum(&melt), sum(&snowfall));
        let glacier = std::array::from_fn(|l| yearly_snow[l] > yearly_melt[l]);
        let mut snow: Lanes = each(|l| if glacier[l] { yearly_melt[l] } else { 0.0 });
        let mut soil = [0.5 * SOIL_MM; PLACES];
        let mut runoff = [[0.0; PLACES]; 12];
        for m in (0..12 * YEARS).map(|k| k % 12) {
            for l in 0..PLACES {
                let fallen = snow[l] + snowfall[m][l];
                let melted = melt[m][l].min(fallen);
                snow[l] = fallen - melted;
                let wet = soil[l] + (rain_mm[m][l] - snowfall[m][l] + melted);
                let left = wet - (potential[m][l] * (wet / SOIL_MM).min(1.0)).min(wet);
                let spilled = (left - SOIL_MM).max(0.0);
                runoff[m][l] = spilled + DRAINED * (left - spilled);
                soil[l] = left - runoff[m][l];
            }
        }
        let rain = sum(rain_mm);
        Self {
            evaporation_mm: each(|l| actual_mm(rain[l], year_mm[l])),
            potential_mm: year_mm,
            shares: shares(&runoff),
            glacier,
        }
    }
}

/// A value of each month and place.
#[inline(always)]
fn monthly(value: impl Fn(usize, usize) -> f32) -> [Lanes; 12] {
    let mut months = [[0.0; PLACES]; 12];
    for (m, lanes) in months.iter_mut().enumerate() {
        *lanes = each(|l| value(m, l));
    }
    months
}

/// The sum of the months.
#[inline(always)]
fn sum(months: &[Lanes; 12]) -> Lanes {
    months[1..].iter().fold(months[0], |sum, month| each(|l| sum[l] + month[l]))
}

/// Shares of a sum that add up to 1 exactly; the same for all where there is nothing to share.
#[inline(always)]
fn shares(parts: &[Lanes; 12]) -> [Lanes; 12] {
    let total = sum(parts);
    let share = |l: usize, part: f32| if total[l] > 1e-6 { part / total[l] } else { 1.0 / 12.0 };
    let mut shares = [[0.0; PLACES]; 12];
    for (shares, parts) in shares.iter_mut().zip(parts) {
        *shares = each(|l| math::floor_f32(share(l, parts[l]) / SHARE_STEP) * SHARE_STEP);
    }
    let sum = sum(&shares);
    let greatest = shares[1..]
        .iter()
        .fold(shares[0], |most, month| each(|l| if month[l] > most[l] { month[l] } else { most[l] }));
    // to the first of the greatest goes what is left
    let mut rest: Lanes = each(|l| 1.0 - sum[l]);
    for shares in &mut shares {
        for l in 0..PLACES {
            let first = shares[l] == greatest[l];
            shares[l] = if first { shares[l] + rest[l] } else { shares[l] };
            rest[l] = if first { 0.0 } else { rest[l] };
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUN: [f32; 12] =
        [100.0, 160.0, 250.0, 340.0, 420.0, 450.0, 430.0, 370.0, 280.0, 180.0, 110.0, 80.0];

    #[test]
    fn potential_evaporation_is_that_of_the_formula() {
        // 400 W/m2 = 34.56 MJ/m2/day; 20 deg C: 34.56 / 2.45 x 25 / 100 = 3.527 mm/day
        assert!((potential_mm(400.0, 20.0) - 3.5265 * DAYS).abs() < 0.01);
        assert_eq!(potential_mm(400.0, -5.0), 0.0);
        // Turc-Pike by hand: P = E0 gives P / sqrt 2
        assert!((actual_mm(500.0, 500.0) - 353.553).abs() < 0.01);
        assert_eq!(actual_mm(500.0, 0.0), 0.0);
    }

    #[test]
    fn snow_falls_in_the_cold_and_melts_in_the_warm() {
        assert_eq!((snow_share(-3.0), snow_share(5.0), snow_share(1.0)), (1.0, 0.0, 0.5));
        assert!((melt_mm(10.0) - 40.0 * DAYS).abs() < 0.01);
        assert_eq!(melt_mm(-6.0), 0.0);
        assert!((melt_mm(6.0) - melt_mm(5.999)).abs() < 0.2, "no step where the curve begins");
    }

    /// A place's shares, evaporation (mm/yr) and glacier, worked beside places of other climates.
    fn one(temperature: &[f32; 12], rain: &[f32; 12], sun: &[f32; 12]) -> ([f32; 12], f32, bool) {
        const LANE: usize = 3;
        let beside = |of: &[f32; 12]| of.map(|v| each(|l| if l == LANE { v } else { v + 9.0 * l as f32 }));
        let all = Balance::new(&beside(temperature), &beside(rain), &beside(sun));
        (all.shares.map(|lanes| lanes[LANE]), all.evaporation_mm[LANE], all.glacier[LANE])
    }

    /// Cold winters hold the water back until spring; without frost it runs off when it rains.
    #[test]
    fn snow_moves_runoff_to_spring() {
        let cold = std::array::from_fn(|m| SUN[(m + 11) % 12] / 12.0 - 24.0);
        let (snowy, _, glacier) = one(&cold, &[60.0; 12], &SUN);
        let spring: f32 = snowy[3..7].iter().sum();
        assert!(spring > 0.6 && !glacier, "{snowy:?}");
        let (mild, ..) =
            one(&[12.0; 12], &[200.0, 200.0, 200.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 200.0], &SUN);
        assert!(mild[0..3].iter().sum::<f32>() > 0.6, "{mild:?}");
    }

    #[test]
    fn shares_add_up_and_glaciers_keep_their_snow() {
        for t in -60..50 {
            for rain in [0.0, 0.3, 20.0, 400.0] {
                let temperature = std::array::from_fn(|m| t as f32 + SUN[m] / 20.0);
                let (shares, evaporation_mm, glacier) = one(&temperature, &[rain; 12], &SUN);
                assert_eq!(shares.iter().sum::<f32>(), 1.0);
                assert!(shares.iter().all(|s| *s >= 0.0));
                assert!(evaporation_mm <= 12.0 * rain + 1e-3 && evaporation_mm >= 0.0);
                assert_eq!(glacier, rain > 0.0 && t <= -15 && glacier);
            }
        }
        assert!(one(&[-12.0; 12], &[30.0; 12], &SUN).2);
        assert!(!one(&[4.0; 12], &[30.0; 12], &SUN).2);
    }
}
