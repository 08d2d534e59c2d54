//! Climate by month: temperature, winds, rain, evaporation, snow and ice, Koeppen classes.
//!
//! Air moves on a coarse grid (`coarse`), at most about a hundred cells a side, whose months are steady states:
//!
//! 1. `insolation`: sunlight by latitude and month, for any tilt of the axis;
//! 2. `zonal`: an energy balance gives the mean temperature of each latitude, and the seasons of land and sea;
//! 3. `temperature`: how continental the air of each place is, and the sea's currents: temperature at sea level;
//! 4. `winds`: belts of pressure that follow the sun, lows over warm land and highs over cold land, and the wind that
//!    balances them;
//! 5. `moisture`: water taken up from the sea, carried by the wind (`transport`), rained out where air rises, and
//!    missing behind mountains.
//!
//! Then, cell by cell of the world, `fine` adds the true height, `balance` divides the rain into evaporation and runoff
//! by way of snow and soil, and `koppen` names the class.
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

use crate::recipe::{ClimateParams, Recipe};
use crate::state::Months;
use coarse::Coarse;
use fine::{FROM_SEA, Ground, HEIGHT, LANES, RAIN, Record, SUN, settle_cells};
use grid::noise::Fractal;
use grid::{Cell, Field, Grid, Purpose, Seed, Topology};
use moisture::{Warmth, Wet};
use rayon::prelude::*;
use winds::Airs;
use zonal::Zonal;

const MEANDERS: Purpose = Purpose::new("world/climate/meanders");
const GYRES: Purpose = Purpose::new("world/climate/gyres");

/// Warmth of gyres relative to that of the currents along coasts, where the noise is 1, and their size in radii of
/// Earth.
const GYRE_SHARE: f64 = 1.6;
const GYRE_LENGTH: f64 = 0.55;

/// How far belts of wind and warmth stray from their latitude, in degrees, where the noise is 1.
const MEANDER_DEG: f64 = 13.0;
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

/// The climate over a surface. `land`: positive on land. Cost: linear in the cells, and a few tenths of a second for
/// the air.
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
    let records = coarse_climate(&airs, recipe, &gyres_c(&coarse, params, seed));
    let lapse_c_m = params.lapse_c_m() as f32;
    settle_cells(&Ground { grid, land, surface_m, lapse_c_m }, &coarse, records)
}

/// Latitudes as belts of wind see them, in radians.
fn meanders(coarse: &Coarse, seed: Seed) -> Vec<f64> {
    let noise = Fractal::new(seed.key(MEANDERS), 2, 0.4);
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

/// Warmth of the open sea's gyres and eddies in deg C: the latitude alone would end the ice along a circle.
fn gyres_c(coarse: &Coarse, params: &ClimateParams, seed: Seed) -> Vec<f64> {
    let noise = Fractal::new(seed.key(GYRES), 4, 0.5);
    let scale = match coarse.grid {
        Topology::Globe(_) => 1.0 / GYRE_LENGTH,
        Topology::Flat(_) => 1.0 / (GYRE_LENGTH * coarse::EARTH_M),
    };
    let at = |c: Cell| GYRE_SHARE * params.currents_c * noise.fbm(coarse.grid.center(c) * scale);
    coarse.grid.cells().map(|c| at(c) * (1.0 - coarse.land[c.index()])).collect()
}

/// The values of each coarse cell that the fine ones are made from.
fn coarse_climate(airs: &Airs, recipe: &Recipe, gyres_c: &[f64]) -> Vec<Record> {
    let (coarse, params) = (airs.coarse, &recipe.climate);
    let inland = temperature::continentality(airs);
    let coasts = temperature::currents_c(airs, params);
    let currents: Vec<f64> = coasts.iter().zip(gyres_c).map(|(coast, gyre)| coast + gyre).collect();
    let sea_level = temperature::sea_level_c(airs, &inland, &currents);
    let tilt = params.tilt_deg.to_radians();
    let year = insolation::Year::new(tilt);
    let suns: Vec<[f64; 12]> = coarse.latitude.par_iter().map(|&l| year.monthly_w_m2(l)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use grid::math::{self, Vec3};
    use grid::{Flat, Globe};

    /// A made-up planet for the parts' tests.
    pub(super) struct Lab {
        pub recipe: Recipe,
        pub coarse: Coarse,
        zonal: Zonal,
    }

    impl Lab {
        /// With settings of the recipe, and land (where positive) and height by position.
        pub fn new(
            grid: &Topology,
            settings: &[&str],
            land: impl Fn(Vec3) -> f64 + Sync,
            height_m: impl Fn(Vec3) -> f64 + Sync,
        ) -> Self {
            let mut recipe = Recipe::default();
            recipe
                .set(&settings.iter().map(|s| (*s).to_string()).collect::<Vec<_>>())
                .expect("settings exist");
            let field = |of: &(dyn Fn(Vec3) -> f64 + Sync)| {
                Field::from_fn(grid.shape(), |c| of(grid.center(c)) as f32)
            };
            let coarse = Coarse::new(grid, recipe.grid.latitude_deg, &field(&land), &field(&height_m));
            Self { zonal: Zonal::new(&recipe.climate), coarse, recipe }
        }

        pub fn airs(&self, latitude: &[f64]) -> Airs<'_> {
            Airs::new(&self.coarse, &self.zonal, &self.recipe.climate, latitude.to_vec())
        }
    }

    pub(super) fn globe(side: u32) -> Topology {
        Topology::Globe(Globe::new(side, 6.371e6).expect("a globe"))
    }

    /// A square map of 4000 km.
    pub(super) fn flat(side: u32) -> Topology {
        Topology::Flat(Flat::new(side, side, 4.0e6 / f64::from(side)).expect("a map"))
    }

    fn settle(recipe: &Recipe, land: impl Fn(Vec3) -> f64 + Sync) -> (Topology, Climate) {
        let grid = recipe.topology().expect("a grid");
        let land = Field::from_fn(grid.shape(), |c| land(grid.center(c)) as f32);
        let surface = land.map(|l| if *l > 0.0 { 6000.0 * l * l } else { -3000.0 });
        let climate = settle_climate(&grid, recipe, &land, &surface, Seed(5));
        (grid, climate)
    }

    fn recipe(settings: &str) -> Recipe {
        let mut recipe = Recipe { seed: 3, ..Recipe::default() };
        recipe.set(&settings.split(' ').map(String::from).collect::<Vec<_>>()).expect("settings exist");
        recipe
    }

    /// Whatever the recipe, every number is finite and possible, and the water adds up.
    #[test]
    fn extreme_recipes_give_possible_climates() {
        const CLIMATES: [&str; 9] = [
            "climate.tilt_deg=90",
            "climate.tilt_deg=0",
            "climate.mean_c=60 climate.pole_contrast=2.5 climate.lapse_c_km=0",
            "climate.mean_c=-60 climate.pole_contrast=2.5 climate.lapse_c_km=12 climate.tilt_deg=90",
            "climate.rain_scale=0",
            "climate.rain_scale=5 climate.continentality=2.5 climate.currents_c=15",
            "climate.continentality=0 climate.pole_contrast=0 climate.currents_c=0",
            "climate.rotation=retrograde climate.tilt_deg=54",
            "climate.mean_c=30",
        ];
        const GRIDS: [&str; 6] = [
            "grid.cells=8 grid.radius_km=100",
            "grid.cells=9",
            "grid.topology=flat grid.cells=12 grid.latitude_deg=90",
            "grid.topology=flat grid.cells=16 grid.latitude_deg=-90 grid.width_km=20000 grid.height_km=20000",
            "grid.topology=flat grid.cells=40 grid.latitude_deg=0 grid.width_km=20000 grid.height_km=500",
            "grid.topology=flat grid.cells=8 grid.width_km=1 grid.height_km=1",
        ];
        let lands: [fn(Vec3) -> f64; 3] =
            [|_| 1.0, |_| -1.0, |p| math::sin(3.0 * p.x) * math::cos(5.0 * p.y)];
        for settings in CLIMATES {
            for grid in GRIDS {
                for land in lands {
                    check(&recipe(&format!("{settings} {grid}")), land, &format!("{settings} {grid}"));
                }
            }
        }
    }

    fn check(recipe: &Recipe, land: fn(Vec3) -> f64, what: &str) {
        let (grid, climate) = settle(recipe, land);
        for cell in grid.cells() {
            let on_land = land(grid.center(cell)) as f32 > 0.0;
            let t: [f32; 12] = std::array::from_fn(|m| climate.temperature_months_c[m][cell]);
            let rain: [f32; 12] = std::array::from_fn(|m| climate.rain_months_mm[m][cell]);
            assert!(t.iter().all(|t| (-280.0..250.0).contains(t)), "{what}: {t:?}");
            assert!(rain.iter().all(|r| (0.0..60_000.0).contains(r)), "{what}: {rain:?}");
            assert_eq!(climate.rain_mm[cell], rain.iter().sum::<f32>(), "{what}");
            let (evaporation, lake) = (climate.evaporation_mm[cell], climate.lake_evaporation_mm[cell]);
            assert!(
                evaporation >= 0.0 && evaporation.is_finite() && lake >= 0.0 && lake.is_finite(),
                "{what}"
            );
            let shares: f32 = climate.runoff_shares.iter().map(|s| s[cell]).sum();
            assert!((shares - 1.0).abs() < 1e-6, "{what}: {shares}");
            assert_eq!((1..=30).contains(&climate.koppen[cell]), on_land, "{what}");
            assert!(climate.ice_months[cell] <= 12);
            let runoff_mm = climate.runoff_m3_s[cell] * 365.25 * 86_400.0 * 1000.0 / grid.area_m2(cell);
            if on_land {
                let left = f64::from(climate.rain_mm[cell] - evaporation);
                assert!(left >= 0.0 && (runoff_mm - left).abs() < 0.2, "{what}: {runoff_mm} {left}");
            } else {
                assert_eq!(climate.runoff_m3_s[cell], 0.0);
            }
        }
    }

    /// A planet whose land is alike in east and west, spinning the other way, has the same climate with east and
    /// west exchanged.
    #[test]
    fn a_retrograde_planet_is_the_mirror_image() {
        let land = |p: Vec3| 0.3 - (p - math::from_lon_lat(45.0, 10.0)).length();
        let mirror = |p: Vec3| land(Vec3::new(p.y, p.x, p.z)); // longitude 45 - x becomes 45 + x
        let lab = |rotation: &str, land: &(dyn Fn(Vec3) -> f64 + Sync)| {
            let lab = Lab::new(&globe(32), &[rotation], land, |p| 6000.0 * land(p).max(0.0));
            let airs = lab.airs(&lab.coarse.latitude);
            coarse_climate(&airs, &lab.recipe, &vec![0.0; lab.coarse.len()])
        };
        let lopsided = |p: Vec3| land(p) + 0.2 * p.x;
        let lopsided_mirror = |p: Vec3| mirror(p) + 0.2 * p.y;
        let (here, there) = (
            lab("climate.rotation=prograde", &lopsided),
            lab("climate.rotation=retrograde", &lopsided_mirror),
        );
        let grid = globe(32);
        let mut largest = 0.0f32;
        for cell in grid.cells() {
            let p = grid.center(cell);
            let twin = grid.locate(Vec3::new(p.y, p.x, p.z)).expect("on the sphere");
            for k in 0..24 {
                let (a, b) = (here[cell.index()][k], there[twin.index()][k]);
                largest = largest.max((a - b).abs() / (5.0 + a.abs()));
            }
        }
        assert!(largest < 0.1, "{largest}");
    }

    /// Retrograde or not, the same world differs: the spin matters.
    #[test]
    fn rain_shadows_change_sides_with_the_spin() {
        let island = |p: Vec3| if math::angle(p, math::from_lon_lat(0.0, 47.0)) < 0.25 { 0.5 } else { -0.5 };
        let west_over_east = |rotation: &str| {
            let recipe = recipe(&format!("grid.cells=48 climate.rotation={rotation}"));
            let (grid, climate) = settle(&recipe, island);
            let side = |sign: f64| {
                let cells =
                    grid.cells().filter(|&c| island(grid.center(c)) > 0.0 && grid.center(c).y * sign > 0.08);
                let rain: Vec<f32> = cells.map(|c| climate.rain_mm[c]).collect();
                rain.iter().sum::<f32>() / rain.len() as f32
            };
            side(-1.0) / side(1.0)
        };
        assert!(west_over_east("prograde") > 1.1 && west_over_east("retrograde") < 0.9);
    }

    #[test]
    fn height_cools_by_the_lapse() {
        let recipe = recipe("grid.cells=16 climate.lapse_c_km=7");
        let grid = recipe.topology().expect("a grid");
        let land = Field::filled(grid.shape(), 1.0f32);
        let at = |height: f32| {
            settle_climate(&grid, &recipe, &land, &Field::filled(grid.shape(), height), Seed(1))
        };
        let (low, high) = (at(100.0), at(2100.0));
        for cell in grid.cells() {
            assert!((low.temperature_c[cell] - high.temperature_c[cell] - 14.0).abs() <= 0.13);
        }
    }
}
