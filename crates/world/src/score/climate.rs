//! Climate on land, by area.

use super::planet::Weighted;
use super::reading::{Reading, absent};
use super::survey::Survey;
use crate::fields::YEAR_S;
use grid::{Cell, Field, Grid};

/// Main groups and the last code of each, in the order of Peel et al. (2007): Af to Aw, BWh to BSk, Csa to Cfc, Dsa to
/// Dfd, ET and EF.
const GROUPS: [(&str, u8); 5] =
    [("koeppen_A", 3), ("koeppen_B", 7), ("koeppen_C", 16), ("koeppen_D", 28), ("koeppen_E", 30)];

/// All figures of the section `climate`.
pub(super) fn measure(survey: &Survey) -> Vec<(&'static str, Reading)> {
    let rain_of = |c: Cell| f64::from(survey.world.rain_mm[c]);
    let rain = Weighted::new(survey.land().map(|c| (rain_of(c), survey.area_m2[c])));
    let mut readings = vec![
        ("rain_land_mean_mm", absent(rain.mean(), "no land")),
        ("rain_land_median_mm", absent(rain.quantile(0.5), "no land")),
        ("rain_land_p90_mm", absent(rain.quantile(0.9), "no land")),
        ("runoff_share_of_rain", absent(runoff_share(survey), "no rain on land")),
        ("endorheic_land_share", absent(endorheic_share(survey), "no land")),
    ];
    let shares = group_shares(survey);
    let share = |k: usize| absent(shares.map(|s| s[k]), "no classes of climate");
    readings.extend(GROUPS.iter().enumerate().map(|(k, group)| (group.0, share(k))));
    readings
}

/// River water that reaches the sea, as a share of the rain on land.
fn runoff_share(survey: &Survey) -> Option<f64> {
    let world = survey.world;
    let rain_m3_yr: f64 =
        survey.land().map(|c| f64::from(world.rain_mm[c]) / 1000.0 * survey.area_m2[c]).sum();
    let mouths = survey.land().filter(|&c| survey.is_mouth(c));
    let discharge_m3_yr = mouths.map(|c| world.discharge_m3_s[c]).sum::<f64>() * YEAR_S;
    (rain_m3_yr > 0.0).then(|| discharge_m3_yr / rain_m3_yr)
}

/// The share of the land whose water ends on land.
fn endorheic_share(survey: &Survey) -> Option<f64> {
    let mut closed = Field::filled(survey.grid().shape(), false);
    let (mut closed_m2, mut land_m2) = (0.0, 0.0);
    for &cell in survey.flow.order().iter().filter(|&&c| survey.is_land(c)) {
        let below = survey.flow.receiver_of(survey.grid(), cell);
        closed[cell] = below.map_or(!survey.grid().at_border(cell), |b| closed[b]); // false at sea
        land_m2 += survey.area_m2[cell];
        closed_m2 += if closed[cell] { survey.area_m2[cell] } else { 0.0 };
    }
    (land_m2 > 0.0).then(|| closed_m2 / land_m2)
}

/// Shares of the classified land of the five groups. `None` if no land is classified.
fn group_shares(survey: &Survey) -> Option<[f64; 5]> {
    let mut sums = [0.0; 5];
    for cell in survey.land() {
        let code = survey.world.koppen[cell];
        if let Some(group) = GROUPS.iter().position(|g| code <= g.1).filter(|_| code > 0) {
            sums[group] += survey.area_m2[cell];
        }
    }
    let total: f64 = sums.iter().sum();
    (total > 0.0).then(|| sums.map(|s| s / total))
}
