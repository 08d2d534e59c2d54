//! The order of the stages, once, from top to bottom: the land ([`make_land`]), and what runs over it.

use crate::climate::settle_climate;
use crate::given::{Given, GivenError};
use crate::land::{Land, make_land};
use crate::recipe::Recipe;
use crate::ridges::{Courses, crossing_table, yield_to_rivers};
use crate::rivers::{Ground, find_rivers};
use crate::state::World;
use crate::water::{lake_table, run_water};
use grid::{Field, GridError, Seed, Topology};

/// Why a recipe does not become a world.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The recipe's grid cannot be made.
    #[error("the grid cannot be made: {0}")]
    Grid(#[from] GridError),
    /// What is given makes no world, or is not what the recipe says.
    #[error(transparent)]
    Given(#[from] GivenError),
    /// The recipe of an imported world, whose land no recipe makes.
    #[error(
        "this is the recipe of a world that was imported from {source_name:?} (BLAKE3 {digest}): give that raster to terrane import, or take the section [import] out to make land of its own"
    )]
    Imported {
        /// Name of the raster's file.
        source_name: String,
        /// Digest of its bytes.
        digest: String,
    },
}

/// Makes the world of a recipe. `progress` is told the stage that begins and the share of the work done.
///
/// The result depends on the recipe alone: not on the number of threads, nor on the machine.
///
/// # Errors
/// A grid that cannot be made; the recipe of an imported world, or of one that needs what was given to it.
pub fn simulate(
    recipe: &Recipe,
    progress: &(dyn Fn(&'static str, f64) + Sync),
) -> Result<World, SimulateError> {
    simulate_given(recipe, &Given::default(), progress)
}

/// The same with what is given: where land is, how high mountains are, where crests and rivers run.
///
/// The result depends on the recipe and on what is given, of which the recipe's section `[given]` holds digests.
///
/// # Errors
/// Those of [`simulate`]; a mask without land, or without sea on a globe; something given that the recipe does not mention,
/// or the other way round.
pub fn simulate_given(
    recipe: &Recipe,
    given: &Given,
    progress: &(dyn Fn(&'static str, f64) + Sync),
) -> Result<World, SimulateError> {
    if let Some(import) = &recipe.import {
        let (source_name, digest) = (import.source.clone(), import.digest.clone());
        return Err(SimulateError::Imported { source_name, digest });
    }
    let grid = recipe.topology()?;
    given.check(recipe)?;
    let land = make_land(&grid, recipe, given, progress)?;
    Ok(run_over(recipe, grid, land, progress))
}

/// Lets air and water move over a land: climate, water, rivers, and the ridges that yield to them.
pub(crate) fn run_over(
    recipe: &Recipe,
    grid: Topology,
    land: Land,
    progress: &(dyn Fn(&'static str, f64) + Sync),
) -> World {
    let seed = Seed(recipe.seed);
    let Land { continentality, plate, mountain_height_m, mut ridge_directions, base_m, kept_rivers, .. } =
        land;

    progress("climate", 0.5);
    let surface_m = add(&base_m, &mountain_height_m);
    let climate = settle_climate(&grid, recipe, &continentality, &surface_m, seed);

    progress("water", 0.8);
    let water = run_water(&grid, recipe, &continentality, (base_m, &kept_rivers), &climate);

    progress("rivers", 0.95);
    let ground = Ground {
        flow: &water.flow,
        discharge_m3_s: &water.discharge_m3_s,
        drainage_km2: &water.drainage_km2,
        level_m: &water.river_level_m,
        lake: &water.lake,
        land: &continentality,
        base_m: &water.base_elevation_m,
        surface_m: &surface_m,
        temperature_c: &climate.temperature_c,
        plate: &plate,
    };
    let (network, river_order) = find_rivers(&grid, &recipe.water, &ground, seed);

    let courses = Courses {
        receiver: &water.flow.receiver,
        discharge_m3_s: &water.discharge_m3_s,
        least_m3_s: recipe.water.river_min_m3_s,
    };
    let crossings = yield_to_rivers(&grid, &mut ridge_directions, courses);

    progress("done", 1.0);
    let mut tables = vec![lake_table(&water.lakes), land.plates, land.volcanoes, crossing_table(&crossings)];
    tables.extend(land.faults);
    World {
        recipe: recipe.clone(),
        grid,
        continentality,
        plate,
        mountain_height_m,
        ridge_directions,
        base_elevation_m: water.base_elevation_m,
        water_level_m: water.water_level_m,
        river_level_m: water.river_level_m,
        channel_depth_m: water.channel_depth_m,
        temperature_c: climate.temperature_c,
        rain_mm: climate.rain_mm,
        temperature_months_c: climate.temperature_months_c,
        rain_months_mm: climate.rain_months_mm,
        evaporation_mm: water.evaporation_mm,
        koppen: climate.koppen,
        ice_months: climate.ice_months,
        receiver: water.flow.receiver,
        runoff_m3_s: water.runoff_m3_s,
        discharge_months_m3_s: water.discharge_months_m3_s,
        discharge_m3_s: water.discharge_m3_s,
        drainage_km2: water.drainage_km2,
        lake: water.lake,
        river_order,
        network,
        tables,
    }
}

fn add(a: &Field<f32>, b: &Field<f32>) -> Field<f32> {
    Field::from_fn(a.shape(), |cell| a[cell] + b[cell])
}
