//! From the coarse grid to the cells of the world: smooth interpolation, the true height, the balance of each
//! cell.
//!
//! Between coarse cells everything is a quadratic B-spline: weights (1/2 - t)^2 / 2, 3/4 - t^2, (1/2 + t)^2 / 2 along each
//! axis for a place t cells (-1/2 to 1/2) from the middle. It is smooth, and across the faces of a globe it meets
//! itself on the border; at the corners of the cube the missing fourth cell is the mean of the three.

use super::Climate;
use super::balance::{Balance, Lanes, PLACES, lake_mm, potential_mm};
use super::coarse::{Coarse, coarse_index};
use super::koppen::koppen_class;
use crate::fields::{YEAR_S, each, exact_step};
use crate::state::Months;
use grid::{Cell, Direction, Field, Grid, Topology, math};
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
    #[inline(always)]
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

#[inline(always)]
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

/// The climate of every cell from that of the coarse ones. Cost: linear.
pub(crate) fn settle_cells(ground: &Ground, coarse: &Coarse, values: Vec<Record>) -> Climate {
    let cell_m2 = ground.grid.cell_m() * ground.grid.cell_m();
    let way = Way {
        rings: Rings::new(coarse, values),
        coarse,
        across: columns_across(ground, coarse),
        runoff_step: exact_step(TYPICAL_RUNOFF_MM / 1000.0 * cell_m2 / YEAR_S),
    };
    let mut climate = Climate::empty(ground.grid);
    let rows = climate.rows(ground.grid.shape().cols as usize);
    rows.into_par_iter().enumerate().for_each(|(number, mut row)| settle_row(ground, &way, number, &mut row));
    climate
}

/// What all rows of cells need to know.
struct Way<'a> {
    rings: Rings,
    coarse: &'a Coarse,
    /// The coarse column of each fine one, and the weights of the columns around.
    across: Vec<(u32, [f32; 3])>,
    /// Runoff is a multiple of this, in m3/s.
    runoff_step: f64,
}

fn columns_across(ground: &Ground, coarse: &Coarse) -> Vec<(u32, [f32; 3])> {
    let place = |col: u32| {
        let (index, t) = coarse_place(coarse, col, coarse.grid.shape().cols);
        (index, spline(t))
    };
    (0..ground.grid.shape().cols).map(place).collect()
}

/// The coarse row or column of a fine one, and how many coarse cells that lies from its middle.
fn coarse_place(coarse: &Coarse, fine: u32, count: u32) -> (u32, f32) {
    let index = coarse_index(fine, coarse.fineness, count);
    let at = (f64::from(fine) + 0.5) / coarse.fineness - 0.5 - f64::from(index);
    (index, at.clamp(-0.5, 0.5) as f32)
}

/// Fills a row, as wide as the processor's vectors are; no operation is left out, fused or put in another order.
///
/// The attribute writes the one unsafe call there is: of the copy for AVX2, and only where the processor was asked and has
/// it; the copy itself is safe code.
#[multiversion::multiversion(targets("x86_64+avx2"))]
#[allow(unsafe_code)]
fn settle_row(ground: &Ground, way: &Way, number: usize, row: &mut Row) {
    let (shape, to) = (ground.grid.shape(), way.coarse.grid.shape());
    let (face, fine_row) = (number as u32 / shape.rows, number as u32 % shape.rows);
    let (coarse_row, t) = coarse_place(way.coarse, fine_row, to.rows);
    let first = shape.join(face, fine_row, 0);
    let mut columns = way.rings.columns(to.join(face, coarse_row, 0), t);
    let mut last = 0;
    let mut lands = Lands::default();
    for (col, &(coarse_col, weights)) in way.across.iter().enumerate() {
        if coarse_col != last {
            columns = way.rings.columns(to.join(face, coarse_row, coarse_col), t);
            last = coarse_col;
        }
        let [west, here, east] = &columns;
        let record = blend([west, here, east], weights);
        let cell = Cell(first.0 + col as u32);
        let year = ground.settle(cell, &record, row, col);
        if ground.land[cell] > 0.0 {
            lands.add(cell, col, &year);
            if lands.count == PLACES {
                lands.settle(ground, way, row);
            }
        } else {
            settle_sea(&year, record[FROM_SEA], row, col);
        }
    }
    lands.settle(ground, way, row);
}

/// Temperature, rain and sunlight of each month.
struct Year {
    temperature: [f32; 12],
    rain: [f32; 12],
    sun: [f32; 12],
}

impl Ground<'_> {
    /// Fills in the temperature and the rain of a cell.
    #[inline(always)]
    fn settle(&self, cell: Cell, record: &Record, row: &mut Row, col: usize) -> Year {
        let land = self.land[cell] > 0.0;
        let height_m = if land { self.surface_m[cell].max(0.0) } else { 0.0 };
        let lift = (1.0 + RAIN_PER_KM * (height_m - record[HEIGHT]) / 1000.0).clamp(0.5, 2.0);
        let lift = if land { lift } else { 1.0 };
        let sea_level: [f32; 12] = each(|m| record[m]);
        let frozen = if land { 0.0 } else { pack(&sea_level) };
        let above_ice = |t: f32| if t > 0.0 { t * (1.0 - 0.9 * frozen) } else { t };
        let temperature = each(|m| round(above_ice(sea_level[m]) - self.lapse_c_m * height_m, 8.0));
        let rain = each(|m| round(bounded((record[RAIN + m] * lift).max(0.0)), 2.0));
        for m in 0..12 {
            row.temperature[m][col] = temperature[m];
            row.rain[m][col] = rain[m];
        }
        row.yearly[0][col] = round(temperature.iter().sum::<f32>() / 12.0, 16.0);
        row.yearly[1][col] = rain.iter().sum();
        Year { temperature, rain, sun: each(|m| record[SUN + m]) }
    }
}

/// Cells on land of one row that are settled side by side.
#[derive(Default)]
struct Lands {
    count: usize,
    cells: [(Cell, usize); PLACES],
    temperature: [Lanes; 12],
    rain: [Lanes; 12],
    sun: [Lanes; 12],
}

impl Lands {
    #[inline(always)]
    fn add(&mut self, cell: Cell, col: usize, year: &Year) {
        self.cells[self.count] = (cell, col);
        for m in 0..12 {
            self.temperature[m][self.count] = year.temperature[m];
            self.rain[m][self.count] = year.rain[m];
            self.sun[m][self.count] = year.sun[m];
        }
        self.count += 1;
    }

    /// Fills in what the balance says of the cells that were added, and forgets them.
    #[inline(always)]
    fn settle(&mut self, ground: &Ground, way: &Way, row: &mut Row) {
        if self.count == 0 {
            return;
        }
        let balance = Balance::new(&self.temperature, &self.rain, &self.sun);
        for (lane, &(cell, col)) in self.cells[..self.count].iter().enumerate() {
            let evaporation = round(balance.evaporation_mm[lane], 4.0).min(row.yearly[1][col]);
            row.yearly[2][col] = evaporation;
            row.yearly[3][col] = round(lake_mm(balance.potential_mm[lane], evaporation), 4.0);
            for m in 0..12 {
                row.shares[m][col] = balance.shares[m][lane];
            }
            let year = [&self.temperature, &self.rain].map(|of| of.map(|lanes| lanes[lane]));
            row.koppen[col] = koppen_class(&year[0], &year[1]);
            row.ice[col] = if balance.glacier[lane] { 12 } else { 0 };
            let metres = f64::from(row.yearly[1][col] - evaporation) / 1000.0;
            let m3_s = metres * ground.grid.area_m2(cell) / YEAR_S;
            row.runoff[col] = math::round(m3_s / way.runoff_step) * way.runoff_step;
        }
        self.count = 0;
    }
}

#[inline(always)]
fn settle_sea(year: &Year, evaporation_mm: f32, row: &mut Row, col: usize) {
    let potential = (0..12).map(|m| potential_mm(year.sun[m], year.temperature[m])).sum();
    row.yearly[2][col] = round(evaporation_mm.max(0.0), 4.0);
    row.yearly[3][col] = round(lake_mm(potential, potential), 4.0);
    for shares in &mut row.shares {
        shares[col] = 1.0 / 12.0;
    }
    row.ice[col] = year.temperature.iter().filter(|t| **t < FREEZING_C).count() as u8;
}

/// Share of the pack that lasts through the summer, by the yearly mean (deg C): melting ice keeps the air near 0.
#[inline(always)]
fn pack(temperature: &[f32; 12]) -> f32 {
    let mean = temperature.iter().sum::<f32>() / 12.0;
    ((-3.0 - mean) / 8.0).clamp(0.0, 1.0)
}

/// Rain of a month in mm that stays below what the wettest places of Earth have: 1 % less at 180 mm, a third less at
/// 1450 mm.
#[inline(always)]
fn bounded(rain_mm: f32) -> f32 {
    let share = rain_mm / MOST_RAIN_MM;
    rain_mm / (1.0 + share * share).sqrt()
}

/// Rounds to a share of one, a power of two, so that files compress and sums stay exact in `f32`.
#[inline(always)]
fn round(value: f32, parts: f32) -> f32 {
    math::round_f32(value * parts) / parts
}
