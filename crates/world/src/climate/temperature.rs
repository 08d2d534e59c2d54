//! Temperature at sea level by month on the coarse grid: the energy balance of the latitude, how continental the air is,
//! and the sea's currents.
//!
//! ```text
//! u . grad(c) - K lap(c) = (land - c) / tau,      T = year(phi) + sea(phi, m) + c (land(phi, m) - sea(phi, m)) + current
//! ```
//!
//! c: how continental the air is, from 0 over the open sea to 1 far inland; the prevailing wind carries it, so that
//! west coasts in the westerlies are mild and east coasts are not. tau: 14 days over land, 2 over the sea.
//! Currents: gyres warm the east coasts of low latitudes and the west coasts of high ones, and cool the others
//! ([`Airs::shores`] says which coast a place is off).

use super::coarse::Coarse;
use super::transport::Flow;
use super::winds::Airs;
use crate::recipe::ClimateParams;
use grid::math;
use std::f64::consts::PI;

/// Seconds until air is like the ground under it: over land, over the sea.
const MEMORY_S: [f64; 2] = [14.0 * 86_400.0, 2.0 * 86_400.0];
/// Mixing of air by weather, in m2/s.
const MIXING_M2_S: f64 = 1.0e6;
/// Share of the ground right here in how continental a place is.
const LOCAL: f64 = 0.2;
/// Sweeps over the cells; each carries things along a row of cells and further.
const SWEEPS: usize = 12;

/// How continental each place is, from 0 (open sea) to 1 (far inland).
pub(crate) fn continentality(airs: &Airs) -> Vec<f64> {
    let coarse = airs.coarse;
    let flow = Flow::new(coarse, &airs.prevail(), |_| MIXING_M2_S).of_property();
    let carried = flow.relax(coarse, coarse.land.clone(), SWEEPS, |i| {
        let land = coarse.land[i];
        (land, land / MEMORY_S[0] + (1.0 - land) / MEMORY_S[1])
    });
    carried.iter().zip(&coarse.land).map(|(c, land)| c + LOCAL * (land - c)).collect()
}

/// By how many degrees currents warm the sea, and the air that comes from it.
pub(crate) fn currents_c(airs: &Airs, params: &ClimateParams) -> Vec<f64> {
    let coarse = airs.coarse;
    let sea: Vec<f64> =
        (0..coarse.len()).map(|i| params.currents_c * gyre(coarse.latitude[i]) * airs.shores[i]).collect();
    let flow = Flow::new(coarse, &airs.prevail(), |_| 0.5 * MIXING_M2_S).of_property();
    flow.relax(coarse, sea.clone(), SWEEPS, |i| {
        let land = coarse.land[i];
        (sea[i] * (1.0 - land), 1.0 / MEMORY_S[1])
    })
}

/// Warmth of the current off a west coast, from -1 to 1, by latitude in radians: cold at 22 degrees, warm at 58.
fn gyre(latitude: f64) -> f64 {
    let degrees = latitude.abs() * 180.0 / PI;
    let bump = |middle: f64, width: f64| {
        let x = (degrees - middle) / width;
        math::exp(-x * x)
    };
    1.2 * bump(60.0, 13.0) - bump(22.0, 13.0)
}

/// Mean temperature of each month at sea level, in deg C.
pub(crate) fn sea_level_c(airs: &Airs, inland: &[f64], currents_c: &[f64]) -> Vec<[f64; 12]> {
    let coarse: &Coarse = airs.coarse;
    (0..coarse.len())
        .map(|i| {
            // The belts' meanders, a third of them: warmth follows the sun, not the wind.
            let latitude = coarse.latitude[i] + (airs.latitude[i] - coarse.latitude[i]) / 3.0;
            let inland = (inland[i] * airs.contrast).min(1.6);
            airs.zonal.months_at(latitude, inland).map(|t| t + currents_c[i])
        })
        .collect()
}
