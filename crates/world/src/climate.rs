//! Climate: yearly means of temperature and rain, and what runs off.
//!
//! ```text
//! T = equator - (equator - pole) * sin(lat)^2 - lapse * height                               [deg C]
//! P = belts(lat) * exp(-continentality * c) * exp(0.045 min(T, 0)) * (1 + 0.7 n) * (1 + height / 6000 m)  [mm/yr]
//! E0 = 300 exp(0.057 T)                                                                      [mm/yr]
//! runoff = P - P / sqrt(1 + (P / E0)^2)                                                      [mm/yr]
//! ```
//!
//! with the continental field c (0 on the coast, 1 far inland) and noise n, which also moves the latitude by 6 n
//! degrees. The belts are the zonal means of Earth: wet at
//! the equator, dry at 25 degrees, wet at 48, dry at the poles. Potential evaporation E0 is an exponential
//! through Earth's means; runoff is the balance of Turc (1954) and Pike (1964). Neglects: winds, seasons,
//! currents; so there is no rain shadow yet.

use crate::fields::{exact_step, position_m, quantise};
use crate::recipe::Recipe;
use crate::state::Months;
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Purpose, Seed, Topology, math};

const RAIN: Purpose = Purpose::new("world/climate/rain");

/// Rain of a latitude belt: centre and width in degrees, height in mm/yr.
const BELTS: &[(f64, f64, f64)] = &[(2.0, 11.0, 2300.0), (48.0, 15.0, 1000.0)];
/// Rain between the belts, in mm/yr.
const BETWEEN_BELTS_MM: f64 = 230.0;
/// Runoff of a place neither wet nor dry, in mm/yr; it sets how finely runoff is rounded.
const TYPICAL_RUNOFF_MM: f64 = 300.0;
/// Cold air holds little water: rain falls by this share for each degree below freezing.
const COLD_DRYNESS: f64 = 0.045;
const SECONDS_PER_YEAR: f64 = 365.25 * 86_400.0;

/// Yearly means of every cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Climate {
    /// Mean temperature at the true surface, in deg C.
    pub temperature_c: Field<f32>,
    /// Rain in mm per year.
    pub rain_mm: Field<f32>,
    /// Mean temperature of each month in deg C.
    pub temperature_months_c: Months,
    /// Rain of each month in mm.
    pub rain_months_mm: Months,
    /// Water that evaporates from the ground, or from the surface at sea, in mm/yr.
    pub evaporation_mm: Field<f32>,
    /// What a lake there would lose by evaporation, in mm/yr.
    pub lake_evaporation_mm: Field<f32>,
    /// Code of the Koeppen-Geiger class; 0 at sea.
    pub koppen: Field<u8>,
    /// At sea the months with ice, 0 to 12; on land 12 under glaciers and ice sheets, else 0.
    pub ice_months: Field<u8>,
    /// Share of the year's runoff in each month; the twelve add up to 1.
    pub runoff_shares: Months,
    /// What each cell adds to its river in m3/s, a multiple of a power of two, so that sums are exact; 0 at sea.
    pub runoff_m3_s: Field<f64>,
}

/// The climate over a surface. Cost: one noise per cell.
pub fn settle_climate(
    grid: &Topology,
    recipe: &Recipe,
    land: &Field<f32>,
    surface_m: &Field<f32>,
    seed: Seed,
) -> Climate {
    let params = &recipe.climate;
    let noise = Fractal::new(seed.key(RAIN), 5, 0.5);
    let scale_m = 0.25 * grid.metres_per_unit().max((grid.len() as f64).sqrt() * grid.cell_m() / 4.0);
    let both = Field::from_fn(grid.shape(), |cell| {
        let height_m = f64::from(surface_m[cell]).max(0.0);
        let n = 1.5 * noise.fbm(position_m(grid, cell) / scale_m);
        let latitude = latitude_deg(grid, recipe, cell) + 6.0 * n;
        let sine = math::sin(latitude.to_radians());
        let t = params.equator_c
            - (params.equator_c - params.pole_c) * sine * sine
            - params.lapse_c_km * height_m / 1000.0;
        let inland = math::exp(-params.continentality * f64::from(land[cell]).max(0.0));
        let cold = math::exp(COLD_DRYNESS * t.min(0.0));
        let rain = belts_mm(latitude) * cold * inland * (1.0 + 0.7 * n).max(0.15) * (1.0 + height_m / 6000.0);
        (quantise(t, 0.0625), quantise(rain * params.rain_scale, 0.25))
    });
    let step = exact_step(TYPICAL_RUNOFF_MM / 1000.0 * grid.cell_m() * grid.cell_m() / SECONDS_PER_YEAR);
    let runoff_m3_s = Field::from_fn(grid.shape(), |cell| {
        let (t, rain) = both[cell];
        let metres = runoff_mm(f64::from(t), f64::from(rain)) / 1000.0;
        let flow = if land[cell] > 0.0 { metres * grid.area_m2(cell) / SECONDS_PER_YEAR } else { 0.0 };
        (flow / step).round() * step
    });
    let even = |scale: f32, of: fn(&(f32, f32)) -> f32| std::array::from_fn(|_| both.map(|b| of(b) * scale));
    Climate {
        temperature_c: both.map(|b| b.0),
        rain_mm: both.map(|b| b.1),
        temperature_months_c: even(1.0, |b| b.0),
        rain_months_mm: even(1.0 / 12.0, |b| b.1),
        evaporation_mm: both.map(|b| (f64::from(b.1) - runoff_mm(b.0.into(), b.1.into())) as f32),
        lake_evaporation_mm: both.map(|b| potential_mm(b.0.into()) as f32),
        koppen: Field::filled(grid.shape(), 0),
        ice_months: Field::filled(grid.shape(), 0),
        runoff_shares: std::array::from_fn(|_| Field::filled(grid.shape(), 1.0 / 12.0)),
        runoff_m3_s,
    }
}

/// Latitude of a cell in degrees; a flat map lies around the latitude of its recipe.
fn latitude_deg(grid: &Topology, recipe: &Recipe, cell: Cell) -> f64 {
    match grid {
        Topology::Globe(_) => math::to_lon_lat(grid.center(cell)).1,
        Topology::Flat(flat) => {
            let north_m = grid.center(cell).y - flat.extent_m().1 / 2.0;
            (recipe.grid.latitude_deg + north_m / 111_195.0).clamp(-90.0, 90.0)
        }
    }
}

fn belts_mm(latitude_deg: f64) -> f64 {
    let belt = |&(center, width, height): &(f64, f64, f64)| {
        let x = (latitude_deg.abs() - center) / width;
        height * math::exp(-x * x)
    };
    BETWEEN_BELTS_MM + BELTS.iter().map(belt).sum::<f64>()
}

/// What could evaporate in a year, in mm.
fn potential_mm(temperature_c: f64) -> f64 {
    300.0 * math::exp(0.057 * temperature_c)
}

/// What is left of rain after evaporation, in mm per year.
fn runoff_mm(temperature_c: f64, rain_mm: f64) -> f64 {
    let ratio = rain_mm / potential_mm(temperature_c);
    rain_mm - rain_mm / (1.0 + ratio * ratio).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn belts_are_those_of_earth() {
        assert!(belts_mm(0.0) > 2000.0 && belts_mm(25.0) < 500.0);
        assert!(belts_mm(48.0) > 900.0 && belts_mm(88.0) < 300.0);
        assert_eq!(belts_mm(-33.0), belts_mm(33.0));
    }

    #[test]
    fn runoff_is_less_than_rain_and_grows_with_it() {
        let mut last = 0.0;
        for rain in [0.0, 100.0, 500.0, 1000.0, 3000.0] {
            let runoff = runoff_mm(15.0, rain);
            assert!(runoff <= rain && runoff >= last);
            last = runoff;
        }
        // Turc-Pike by hand: P = E0 gives P (1 - 1 / sqrt 2)
        assert!((runoff_mm(0.0, 300.0) - 300.0 * (1.0 - 0.5f64.sqrt())).abs() < 1e-9);
    }
}
