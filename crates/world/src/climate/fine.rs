//! From the coarse grid to the cells of the world: smooth interpolation, the true height, the balance of each
//! cell.
//!
//! Between coarse cells everything is a quadratic B-spline: weights (1/2 - t)^2 / 2, 3/4 - t^2, (1/2 + t)^2 / 2 along each
//! axis for a place t cells (-1/2 to 1/2) from the middle. It is smooth, and across the faces of a globe it meets
//! itself on the border; at the corners of the cube the missing fourth cell is the mean of the three.

use super::Climate;
use super::balance::{Balance, lake_mm, potential_mm};
use super::coarse::{Coarse, coarse_index};
use super::koppen::koppen_class;
use crate::fields::{YEAR_S, each, exact_step, quantise};
use crate::state::Months;
use grid::{Cell, Direction, Field, Grid, Topology};
use rayon::prelude::*;

/// Values of a coarse cell: temperature, rain, sunlight by month, height, evaporation from the sea.
pub(crate) const LANES: usize = 40;
pub(crate) const RAIN: usize = 12;
pub(crate) const SUN: usize = 24;
pub(crate) const HEIGHT: usize = 36;
pub(crate) const FROM_SEA: usize = 37;
/// Values of a coarse cell, in the order of the constants above.
pub(crate) type Record = [f32; LANES];

/// Growth of rain for each km above the mean height of the coarse cell.
const RAIN_PER_KM: f32 = 0.4;
/// The sea freezes at this temperature of the air's monthly mean.
const FREEZING_C: f32 = -1.8;
/// Rain of a month, in mm, that is approached but never reached.
const MOST_RAIN_MM: f32 = 1300.0;
/// Runoff of a place neither wet nor dry, in mm/yr; it sets how finely runoff is rounded.
const TYPICAL_RUNOFF_MM: f64 = 300.0;

/// The coarse cells around each, row by row from the north-west, and values for those that do not exist.
struct Rings {
    around: Vec<[u32; 9]>,
    values: Vec<Record>,
}

impl Rings {
    fn new(coarse: &Coarse, mut values: Vec<Record>) -> Self {
        let grid = &coarse.grid;
        let shape = grid.shape();
        let mut around = Vec::with_capacity(values.len());
        for cell in grid.cells() {
            if let Topology::Flat(_) = grid {
                let (face, row, col) = shape.split(cell);
                let place = |k: u32| {
                    let r = (row + k / 3).saturating_sub(1).min(shape.rows - 1);
                    let c = (col + k % 3).saturating_sub(1).min(shape.cols - 1);
                    shape.join(face, r, c).0
                };
                around.push(std::array::from_fn(|k| place(k as u32)));
                continue;
            }
            let side = |d: Direction| grid.neighbor(cell, d).map_or(cell.0, |c| c.0);
            let mut corner = |d: Direction| {
                grid.neighbor(cell, d).map_or_else(
                    || {
                        let three =
                            [cell.0, side(d.turned(7)), side(d.turned(1))].map(|i| values[i as usize]);
                        values.push(std::array::from_fn(|k| three.iter().map(|t| t[k]).sum::<f32>() / 3.0));
                        values.len() as u32 - 1
                    },
                    |c| c.0,
                )
            };
            use Direction::{E, N, NE, NW, S, SE, SW, W};
            let corners = [NW, NE, SW, SE].map(&mut corner);
            let [nw, ne, sw, se] = corners;
            around.push([nw, side(N), ne, side(W), cell.0, side(E), sw, side(S), se]);
        }
        Self { around, values }
    }

    /// The three columns west, at and east of a coarse cell, at a place `t` cells south of its middle.
    fn columns(&self, cell: Cell, t: f32) -> [Record; 3] {
        let weights = spline(t);
        let ring = &self.around[cell.index()];
        let at = |k: usize| &self.values[ring[k] as usize];
        [0, 1, 2].map(|c| blend([at(c), at(c + 3), at(c + 6)], weights))
    }
}

fn spline(t: f32) -> [f32; 3] {
    [0.5 * (0.5 - t) * (0.5 - t), 0.75 - t * t, 0.5 * (0.5 + t) * (0.5 + t)]
}

fn blend(three: [&Record; 3], weights: [f32; 3]) -> Record {
    each(|k| three[0][k] * weights[0] + three[1][k] * weights[1] + three[2][k] * weights[2])
}

/// One row of all fields of a climate.
struct Row<'a> {
    temperature: [&'a mut [f32]; 12],
    rain: [&'a mut [f32]; 12],
    shares: [&'a mut [f32]; 12],
    /// Temperature, rain, evaporation, evaporation of a lake.
    yearly: [&'a mut [f32]; 4],
    koppen: &'a mut [u8],
    ice: &'a mut [u8],
    runoff: &'a mut [f64],
}

impl Climate {
    fn empty(grid: &Topology) -> Self {
        let shape = grid.shape();
        let zeros = || Field::filled(shape, 0.0f32);
        let months = || -> Months { std::array::from_fn(|_| zeros()) };
        Self {
            temperature_c: zeros(),
            rain_mm: zeros(),
            temperature_months_c: months(),
            rain_months_mm: months(),
            evaporation_mm: zeros(),
            lake_evaporation_mm: zeros(),
            koppen: Field::filled(shape, 0),
            ice_months: Field::filled(shape, 0),
            runoff_shares: months(),
            runoff_m3_s: Field::filled(shape, 0.0),
        }
    }

    fn rows(&mut self, cols: usize) -> Vec<Row<'_>> {
        let mut temperature = self.temperature_months_c.each_mut().map(|f| f.as_mut_slice().chunks_mut(cols));
        let mut rain = self.rain_months_mm.each_mut().map(|f| f.as_mut_slice().chunks_mut(cols));
        let mut shares = self.runoff_shares.each_mut().map(|f| f.as_mut_slice().chunks_mut(cols));
        let yearly = [
            &mut self.temperature_c,
            &mut self.rain_mm,
            &mut self.evaporation_mm,
            &mut self.lake_evaporation_mm,
        ];
        let mut yearly = yearly.map(|f| f.as_mut_slice().chunks_mut(cols));
        let koppen = self.koppen.as_mut_slice().chunks_mut(cols);
        let ice = self.ice_months.as_mut_slice().chunks_mut(cols);
        let runoff = self.runoff_m3_s.as_mut_slice().chunks_mut(cols);
        const EQUAL: &str = "all fields have as many rows";
        koppen
            .zip(ice)
            .zip(runoff)
            .map(|((koppen, ice), runoff)| Row {
                temperature: temperature.each_mut().map(|rows| rows.next().expect(EQUAL)),
                rain: rain.each_mut().map(|rows| rows.next().expect(EQUAL)),
                shares: shares.each_mut().map(|rows| rows.next().expect(EQUAL)),
                yearly: yearly.each_mut().map(|rows| rows.next().expect(EQUAL)),
                koppen,
                ice,
                runoff,
            })
            .collect()
    }
}

/// What the cells of the world add to the coarse climate.
pub(crate) struct Ground<'a> {
    pub grid: &'a Topology,
    pub land: &'a Field<f32>,
    pub surface_m: &'a Field<f32>,
    /// Cooling with height in deg C per m.
    pub lapse_c_m: f32,
}

/// The climate of every cell from that of the coarse ones. Cost: linear, about half a microsecond a cell.
pub(crate) fn settle_cells(ground: &Ground, coarse: &Coarse, values: Vec<Record>) -> Climate {
    let rings = Rings::new(coarse, values);
    let shape = ground.grid.shape();
    let to = coarse.grid.shape();
    let place = |fine: u32, count: u32| {
        let index = coarse_index(fine, coarse.fineness, count);
        let at = (f64::from(fine) + 0.5) / coarse.fineness - 0.5 - f64::from(index);
        (index, at.clamp(-0.5, 0.5) as f32)
    };
    let across: Vec<(u32, [f32; 3])> = (0..shape.cols)
        .map(|c| {
            let (index, t) = place(c, to.cols);
            (index, spline(t))
        })
        .collect();
    let mut climate = Climate::empty(ground.grid);
    let rows = climate.rows(shape.cols as usize);
    rows.into_par_iter().enumerate().for_each(|(number, mut row)| {
        let (face, fine_row) = (number as u32 / shape.rows, number as u32 % shape.rows);
        let (coarse_row, t) = place(fine_row, to.rows);
        let mut columns = rings.columns(to.join(face, coarse_row, 0), t);
        let mut last = 0;
        for (col, &(coarse_col, weights)) in across.iter().enumerate() {
            if coarse_col != last {
                columns = rings.columns(to.join(face, coarse_row, coarse_col), t);
                last = coarse_col;
            }
            let [west, here, east] = &columns;
            let cell = shape.join(face, fine_row, col as u32);
            ground.settle(cell, &blend([west, here, east], weights), &mut row, col);
        }
    });
    climate
}

impl Ground<'_> {
    /// Fills one cell of a row.
    fn settle(&self, cell: Cell, record: &Record, row: &mut Row, col: usize) {
        let land = self.land[cell] > 0.0;
        let height_m = if land { self.surface_m[cell].max(0.0) } else { 0.0 };
        let lift = (1.0 + RAIN_PER_KM * (height_m - record[HEIGHT]) / 1000.0).clamp(0.5, 2.0);
        let lift = if land { lift } else { 1.0 };
        let sea_level: [f32; 12] = each(|m| record[m]);
        let frozen = if land { 0.0 } else { pack(&sea_level) };
        let above_ice = |t: f32| if t > 0.0 { t * (1.0 - 0.9 * frozen) } else { t };
        let temperature = each(|m| round(above_ice(sea_level[m]) - self.lapse_c_m * height_m, 8.0));
        let rain = each(|m| round(bounded((record[RAIN + m] * lift).max(0.0)), 2.0));
        let sun = each(|m| record[SUN + m]);
        for m in 0..12 {
            row.temperature[m][col] = temperature[m];
            row.rain[m][col] = rain[m];
        }
        row.yearly[0][col] = round(temperature.iter().sum::<f32>() / 12.0, 16.0);
        row.yearly[1][col] = rain.iter().sum();
        if land {
            self.settle_land(cell, [&temperature, &rain, &sun], row, col);
        } else {
            settle_sea(&temperature, &sun, record[FROM_SEA], row, col);
        }
    }

    fn settle_land(&self, cell: Cell, [temperature, rain, sun]: [&[f32; 12]; 3], row: &mut Row, col: usize) {
        let balance = Balance::new(temperature, rain, sun);
        let evaporation = round(balance.evaporation_mm, 4.0).min(row.yearly[1][col]);
        row.yearly[2][col] = evaporation;
        row.yearly[3][col] = round(lake_mm(balance.potential_mm, evaporation), 4.0);
        for m in 0..12 {
            row.shares[m][col] = balance.shares[m];
        }
        row.koppen[col] = koppen_class(temperature, rain);
        row.ice[col] = if balance.glacier { 12 } else { 0 };
        let metres = f64::from(row.yearly[1][col] - evaporation) / 1000.0;
        let step = exact_step(TYPICAL_RUNOFF_MM / 1000.0 * self.grid.cell_m() * self.grid.cell_m() / YEAR_S);
        row.runoff[col] = (metres * self.grid.area_m2(cell) / YEAR_S / step).round() * step;
    }
}

fn settle_sea(temperature: &[f32; 12], sun: &[f32; 12], evaporation_mm: f32, row: &mut Row, col: usize) {
    let potential = (0..12).map(|m| potential_mm(sun[m], temperature[m])).sum();
    row.yearly[2][col] = round(evaporation_mm.max(0.0), 4.0);
    row.yearly[3][col] = round(lake_mm(potential, potential), 4.0);
    for shares in &mut row.shares {
        shares[col] = 1.0 / 12.0;
    }
    row.ice[col] = temperature.iter().filter(|t| **t < FREEZING_C).count() as u8;
}

/// Share of the pack that lasts through the summer, by the yearly mean (deg C): melting ice keeps the air near 0.
fn pack(temperature: &[f32; 12]) -> f32 {
    let mean = temperature.iter().sum::<f32>() / 12.0;
    ((-3.0 - mean) / 8.0).clamp(0.0, 1.0)
}

/// Rain of a month in mm that stays below what the wettest places of Earth have: 1 % less at 180 mm, a third less at
/// 1450 mm.
fn bounded(rain_mm: f32) -> f32 {
    let share = rain_mm / MOST_RAIN_MM;
    rain_mm / (1.0 + share * share).sqrt()
}

/// Rounds to a share of one, a power of two, so that files compress and sums stay exact in `f32`.
fn round(value: f32, parts: f64) -> f32 {
    quantise(f64::from(value), 1.0 / parts)
}
