//! Climate by month: temperature, winds, rain, evaporation, snow and ice, Koeppen classes.
//!
//! Air moves on a [coarse grid](coarse), at most about a hundred cells a side, whose months are steady states:
//!
//! 1. [insolation]: sunlight by latitude and month, for any tilt of the axis;
//! 2. [zonal]: an energy balance gives the mean temperature of each latitude, and the seasons of land and sea;
//! 3. [temperature]: how continental the air of each place is, and the sea's currents: temperature at sea level;
//! 4. [winds]: belts of pressure that follow the sun, lows over warm land and highs over cold land, and the wind that
//!    balances them;
//! 5. [moisture]: water taken up from the sea, [carried](transport) by the wind, rained out where air rises, and missing
//!    behind mountains.
//!
//! Then, cell by cell of the world, [fine] adds the true height, [balance] divides the rain into evaporation and runoff
//! by way of snow and soil, and [koppen] names the class.
//!
//! Neglects: weather (it is diffusion here), what one month leaves to the next in air, ground and sea beyond the lag of
//! temperature, ice sheets that flow, clouds. Sources stand with each part.

mod balance;
mod coarse;
mod fine;
mod insolation;
mod koppen;
mod moisture;
mod temperature;
mod transport;
mod winds;
mod zonal;

pub use koppen::{KOPPEN, koppen_class};

use crate::recipe::Recipe;
use crate::state::Months;
use coarse::Coarse;
use fine::{FROM_SEA, Ground, HEIGHT, LANES, RAIN, Record, SUN, settle_cells};
use grid::noise::Fractal;
use grid::{Field, Grid, Purpose, Seed, Topology};
use moisture::{Warmth, Wet};
use rayon::prelude::*;
use winds::Airs;
use zonal::Zonal;

const MEANDERS: Purpose = Purpose::new("world/climate/meanders");
/// How far belts of wind and warmth stray from their latitude, in degrees, where the noise is 1.
const MEANDER_DEG: f64 = 14.0;
/// Wavelength of the meanders, in radii of Earth.
const MEANDER_LENGTH: f64 = 0.8;
const DAYS: f64 = 365.25 / 12.0;

/// The climate of every cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Climate {
    /// Mean temperature at the true surface, in deg C.
    pub temperature_c: Field<f32>,
    /// Rain in mm per year: the sum of the months.
    pub rain_mm: Field<f32>,
    /// Mean temperature of each month in deg C.
    pub temperature_months_c: Months,
    /// Rain of each month in mm.
    pub rain_months_mm: Months,
    /// Water that evaporates from the ground, or from the surface at sea, in mm/yr.
    pub evaporation_mm: Field<f32>,
    /// What a lake there would lose by evaporation, in mm/yr.
    pub lake_evaporation_mm: Field<f32>,
    /// Code of the Koeppen-Geiger class, an index into [`KOPPEN`]; 0 at sea.
    pub koppen: Field<u8>,
    /// At sea the months with ice, 0 to 12; on land 12 under glaciers and ice sheets, else 0.
    pub ice_months: Field<u8>,
    /// Share of the year's runoff in each month; the twelve add up to 1.
    pub runoff_shares: Months,
    /// What each cell adds to its river in m3/s, a multiple of a power of two, so that sums are exact; 0 at sea.
    pub runoff_m3_s: Field<f64>,
}

/// The climate over a surface. `land`: positive on land. Cost: about half a microsecond a cell, and a few tenths of a
/// second for the air.
pub fn settle_climate(
    grid: &Topology,
    recipe: &Recipe,
    land: &Field<f32>,
    surface_m: &Field<f32>,
    seed: Seed,
) -> Climate {
    let params = &recipe.climate;
    let coarse = Coarse::new(grid, recipe.grid.latitude_deg, land, surface_m);
    let zonal = Zonal::new(params);
    let airs = Airs::new(&coarse, &zonal, params, meanders(&coarse, seed));
    let records = coarse_climate(&airs, recipe);
    let lapse_c_m = (params.lapse_c_km / 1000.0) as f32;
    settle_cells(&Ground { grid, land, surface_m, lapse_c_m }, &coarse, records)
}

/// Latitudes as belts of wind see them, in radians.
fn meanders(coarse: &Coarse, seed: Seed) -> Vec<f64> {
    let noise = Fractal::new(seed.key(MEANDERS), 3, 0.5);
    let scale = match coarse.grid {
        Topology::Globe(_) => 1.0 / MEANDER_LENGTH,
        Topology::Flat(_) => 1.0 / (MEANDER_LENGTH * coarse::EARTH_M),
    };
    let cells: Vec<_> = coarse.grid.cells().collect();
    cells
        .par_iter()
        .map(|&c| {
            let away = noise.fbm(coarse.grid.center(c) * scale) * MEANDER_DEG.to_radians();
            // none at the poles, so that no latitude is beyond them
            let latitude = coarse.latitude[c.index()];
            (latitude + away * grid::math::cos(latitude)).clamp(-1.57, 1.57)
        })
        .collect()
}

/// The values of each coarse cell that the fine ones are made from.
fn coarse_climate(airs: &Airs, recipe: &Recipe) -> Vec<Record> {
    let (coarse, params) = (airs.coarse, &recipe.climate);
    let inland = temperature::continentality(airs);
    let currents = temperature::currents_c(airs, params);
    let sea_level = temperature::sea_level_c(airs, &inland, &currents);
    let tilt = params.tilt_deg.to_radians();
    let suns: Vec<[f64; 12]> =
        coarse.latitude.par_iter().map(|&l| insolation::monthly_w_m2(l, tilt)).collect();
    let months: Vec<Wet> = (0..12usize)
        .into_par_iter()
        .map(|month| {
            let ground = |i: usize| sea_level[i][month] - params.lapse_c_km * coarse.height_m[i] / 1000.0;
            let temperature_c: Vec<f64> = (0..coarse.len()).map(ground).collect();
            let potential = |(i, &t): (usize, &f64)| {
                f64::from(balance::potential_mm(suns[i][month] as f32, t as f32)) / DAYS
            };
            let potential_mm_day = temperature_c.iter().enumerate().map(potential).collect();
            let ground = Warmth { temperature_c, potential_mm_day };
            let (wind, _) = airs.blow(month);
            let fronts = moisture::fronts(airs, month);
            moisture::rain_out(airs, params, &wind, &fronts, &ground, moisture::usual_sweeps())
        })
        .collect();
    (0..coarse.len())
        .into_par_iter()
        .map(|i| {
            let mut record = [0.0; LANES];
            for m in 0..12 {
                record[m] = sea_level[i][m] as f32;
                record[RAIN + m] = (months[m].rain[i] * DAYS * params.rain_scale) as f32;
                record[SUN + m] = suns[i][m] as f32;
            }
            record[HEIGHT] = coarse.height_m[i] as f32;
            record[FROM_SEA] =
                (months.iter().map(|w| w.from_sea[i]).sum::<f64>() * DAYS * params.rain_scale) as f32;
            record
        })
        .collect()
}
