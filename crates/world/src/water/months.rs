//! Discharge by month: each month's runoff gathered like the year's, evened out by lakes.
//!
//! A full lake is a linear store. Its outflow follows its level as a river's discharge follows its depth, Q ~ D^2.5
//! ([`channel_depth_m`]), so a lake of area A (m2) that gives Q (m3/s) on the average answers after
//!
//! ```text
//! T = A dD/dQ = 0.4 A D / Q        [s]
//! dx/dt = (in - x) / T             x: outflow, in: inflow, both in m3/s; the year repeats
//! ```
//!
//! What a month's outflow is on the average follows from the store's change, so the year's sum is kept. What a lake
//! takes is taken in proportion from all months. Neglects: the time that rivers need, and snow and ice that the runoff
//! does not know of. Values are rounded to nine significant bits (one part in 512), for small files.

use super::lakes::Lake;
use crate::climate::Climate;
use crate::fields::YEAR_S;
use crate::rivers::channel_depth_m;
use crate::state::{Months, NO_LAKE};
use grid::{Cell, Field, Topology, math};
use hydro::Flow;
use rayon::prelude::*;

const MONTH_S: f64 = YEAR_S / 12.0;
/// Exponent of depth over discharge.
const DEPTH_EXPONENT: f64 = 0.4;
/// A lake that answers more slowly than this (months) gives the same in all months.
const SLOWEST: f64 = 1e4;

/// Discharge that leaves each cell in each month, in m3/s; 0 at sea. Cost: one pass.
pub(super) fn by_month(
    grid: &Topology,
    flow: &Flow,
    land: &Field<f32>,
    climate: &Climate,
    (discharge_m3_s, lakes): (&Field<f64>, &[Lake]),
) -> Months {
    let shape = land.shape();
    let mut sum = Field::from_fn(shape, |cell| {
        let month = 12.0 * climate.runoff_m3_s[cell] as f32;
        if month == 0.0 {
            [0.0; 12]
        } else {
            climate.runoff_shares.each_ref().map(|share| month * share[cell])
        }
    });
    let mut ends = Field::filled(shape, NO_LAKE);
    for (k, lake) in (0u32..).zip(lakes) {
        ends[lake.last] = k;
    }
    for &cell in flow.order().iter().rev().filter(|&&c| land[c] > 0.0) {
        if let Some(lake) = lakes.get(ends[cell] as usize) {
            sum[cell] = through_lake(lake, sum[cell], discharge_m3_s[cell]);
        }
        if let Some(below) = flow.receiver_of(grid, cell).filter(|&b| land[b] > 0.0) {
            let passing = sum[cell];
            sum[below].iter_mut().zip(passing).for_each(|(to, from)| *to += from);
        }
    }
    shared_out(land, &sum, discharge_m3_s)
}

/// Discharge by month in the proportions of `sum`, the mean of the months that of the year: sums are rounded at every cell,
/// the year's is exact.
fn shared_out(land: &Field<f32>, sum: &Field<[f32; 12]>, discharge_m3_s: &Field<f64>) -> Months {
    let (len, cols) = (land.shape().len(), land.shape().cols as usize);
    let mut months: Months = std::array::from_fn(|_| Field::filled(land.shape(), 0.0));
    let mut rows = months.each_mut().map(|field| field.as_mut_slice().chunks_mut(cols));
    let rows: Vec<[&mut [f32]; 12]> = (0..len / cols)
        .map(|_| rows.each_mut().map(|rows| rows.next().expect("all fields have as many rows")))
        .collect();
    rows.into_par_iter().enumerate().for_each(|(row, mut months)| {
        for col in 0..cols {
            let cell = Cell::from_index(row * cols + col);
            let (passing, mean) = (&sum[cell], mean(&sum[cell]));
            if land[cell] <= 0.0 || mean <= 0.0 || discharge_m3_s[cell] == 0.0 {
                continue;
            }
            let factor = discharge_m3_s[cell] / mean;
            for (month, &passing) in months.iter_mut().zip(passing) {
                month[col] = rounded((factor * f64::from(passing)) as f32);
            }
        }
    });
    months
}

fn mean(months: &[f32; 12]) -> f64 {
    months.iter().map(|&q| f64::from(q)).sum::<f64>() / 12.0
}

/// What leaves a lake in each month, when this comes to its last cell and `out_m3_s` leaves it on the average.
fn through_lake(lake: &Lake, inflow: [f32; 12], out_m3_s: f64) -> [f32; 12] {
    let mean = mean(&inflow);
    if lake.closed || out_m3_s <= 0.0 || mean <= 0.0 {
        return [0.0; 12];
    }
    let delay_s = DEPTH_EXPONENT * lake.area_m2 * channel_depth_m(out_m3_s) / out_m3_s;
    let inflow = inflow.map(|q| f64::from(q) * out_m3_s / mean);
    delayed(&inflow, delay_s / MONTH_S).map(|q| q as f32)
}

/// Monthly means of what leaves a linear store with a delay in months, when the same year comes in again and again.
fn delayed(inflow: &[f64; 12], delay: f64) -> [f64; 12] {
    let delay = delay.min(SLOWEST);
    let kept = |months: f64| if delay > 0.0 { math::exp(-months / delay) } else { 0.0 };
    let keep = kept(1.0);
    let step = |before: f64, inflow: f64| keep * before + (1.0 - keep) * inflow;
    let after_year = inflow.iter().fold(0.0, |before, &q| step(before, q));
    let mut before = after_year / (1.0 - kept(12.0));
    inflow.map(|q| {
        let after = step(before, q);
        let stored = delay * (after - before);
        before = after;
        (q - stored).max(0.0)
    })
}

/// The nearest number with nine significant bits, halves upwards.
fn rounded(value: f32) -> f32 {
    const DROPPED: u32 = 15;
    f32::from_bits((value.to_bits() + (1 << (DROPPED - 1))) & !((1 << DROPPED) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_nine_bits() {
        assert_eq!(
            (rounded(0.0), rounded(1.0), rounded(511.0), rounded(1.0e5)),
            (0.0, 1.0, 511.0, 100_096.0)
        );
        assert_eq!((rounded(512.9), rounded(513.1)), (512.0, 514.0));
        let mut value = 1e-6f32;
        while value < 1e6 {
            assert!((rounded(value) / value - 1.0).abs() <= 1.0 / 512.0, "{value}");
            assert_eq!(rounded(rounded(value)), rounded(value));
            assert_eq!(rounded(value).to_bits() & 0x7fff, 0);
            value *= 1.0173;
        }
    }

    /// A store without delay passes everything on, a slow one evens it out, and none makes or loses water.
    #[test]
    fn stores_even_out_and_keep_the_sum() {
        let inflow: [f64; 12] = [0.0, 0.0, 5.0, 90.0, 40.0, 10.0, 8.0, 6.0, 3.0, 2.0, 1.0, 0.0];
        let total: f64 = inflow.iter().sum();
        assert_eq!(delayed(&inflow, 0.0), inflow);
        let mut last_peak = 90.0;
        for delay in [0.05, 0.3, 1.0, 4.0, 30.0, 5000.0, 1e9] {
            let out = delayed(&inflow, delay);
            let peak = out.iter().copied().fold(0.0, f64::max);
            assert!((out.iter().sum::<f64>() - total).abs() < 1e-9 * total, "{delay}");
            assert!(peak < last_peak && out.iter().all(|&q| q >= 0.0));
            last_peak = peak;
        }
        assert!((last_peak * 12.0 / total - 1.0).abs() < 1e-3);
    }

    /// A store of one month by small steps in time.
    #[test]
    fn a_store_is_that_of_its_equation() {
        let inflow: [f64; 12] = std::array::from_fn(|m| f64::from((m as u32 * 7) % 12));
        let (mut x, mut means) = (5.0, [0.0; 12]);
        const STEPS: usize = 20_000;
        for _year in 0..6 {
            for (m, mean) in means.iter_mut().enumerate() {
                *mean = 0.0;
                for _ in 0..STEPS {
                    *mean += x / STEPS as f64;
                    x += (inflow[m] - x) / (1.7 * STEPS as f64);
                }
            }
        }
        for (found, slow) in delayed(&inflow, 1.7).iter().zip(means) {
            assert!((found - slow).abs() < 1e-3, "{found} {slow}");
        }
    }
}
