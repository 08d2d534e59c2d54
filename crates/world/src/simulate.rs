//! The order of the stages, once, from top to bottom.

use crate::climate::settle_climate;
use crate::crust::base::{Surface, shape_base};
use crate::crust::continents::raise_continents;
use crate::crust::faults::{Fault, trace_faults};
use crate::crust::plates::{Plates, divide_into_plates, land_share};
use crate::crust::sea_floor::{Tectonics, add_islands, lay_sea_floor};
use crate::fields::quantise;
use crate::mountains::volcanoes::{Volcano, place_volcanoes};
use crate::mountains::{Uplift, raise_mountains};
use crate::recipe::Recipe;
use crate::ridges::{Courses, crossing_table, trace_ridges, yield_to_rivers};
use crate::rivers::{Ground, find_rivers};
use crate::state::World;
use crate::water::{lake_table, run_water};
use grid::table::ColumnValues;
use grid::{Field, GridError, Seed, Table, Vec3};

/// Why a recipe does not become a world.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The recipe's grid cannot be made.
    #[error("the grid cannot be made: {0}")]
    Grid(#[from] GridError),
}

/// Makes the world of a recipe. `progress` is told the stage that begins and the share of the work done.
///
/// The result depends on the recipe alone: not on the number of threads, nor on the machine.
///
/// # Errors
/// A grid that cannot be made.
pub fn simulate(
    recipe: &Recipe,
    progress: &(dyn Fn(&'static str, f64) + Sync),
) -> Result<World, SimulateError> {
    let grid = recipe.topology()?;
    let seed = Seed(recipe.seed);

    progress("continents", 0.0);
    let crust = raise_continents(&grid, &recipe.continents, seed);

    progress("plates and faults", 0.15);
    let land_share = land_share(&grid, &crust);
    let plates = divide_into_plates(&grid, &recipe.plates, &land_share, seed);
    let faults = trace_faults(&grid, &plates, &land_share, seed);
    let volcanoes = place_volcanoes(&grid, &recipe.volcanoes, &plates, &faults, seed);

    progress("sea floor", 0.25);
    let tectonics = Tectonics { plates: &plates, faults: &faults, volcanoes: &volcanoes };
    let floor_m = lay_sea_floor(&grid, &recipe.base, &crust, &tectonics, seed);
    let continentality = add_islands(&crust, &floor_m).map(|&c| quantise_signed(c));

    progress("mountains", 0.35);
    let uplift = Uplift { faults: &faults, volcanoes: &volcanoes };
    let mut mountains = raise_mountains(&grid, recipe, &crust, &uplift, seed);
    mountains.add_islands(&floor_m);

    progress("ridges", 0.42);
    let mut ridge_directions = trace_ridges(&grid, &recipe.mountains, &mountains.height_m);

    progress("mountain-free map", 0.45);
    let surface = Surface { crust: &crust, floor_m: &floor_m, mountains: &mountains };
    let base_m = shape_base(&grid, &recipe.base, &surface, &faults, seed);

    progress("climate", 0.5);
    let surface_m = add(&base_m, &mountains.height_m);
    let climate = settle_climate(&grid, recipe, &continentality, &surface_m, seed);

    progress("water", 0.8);
    let water = run_water(&grid, &recipe.water, &continentality, base_m, &climate);

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
        plate: &plates.id,
    };
    let (network, river_order) = find_rivers(&grid, &recipe.water, &ground, seed);

    let courses = Courses {
        receiver: &water.flow.receiver,
        discharge_m3_s: &water.discharge_m3_s,
        least_m3_s: recipe.water.river_min_m3_s,
    };
    let crossings = yield_to_rivers(&grid, &mut ridge_directions, courses);

    progress("done", 1.0);
    let mut tables = vec![lake_table(&water.lakes), plate_table(&plates)];
    tables.extend([volcano_table(&volcanoes), crossing_table(&crossings)]);
    tables.extend(fault_tables(&faults));
    Ok(World {
        recipe: recipe.clone(),
        grid,
        continentality,
        plate: plates.id,
        mountain_height_m: mountains.height_m,
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
    })
}

/// Rounds to multiples of 1/4096, at least -1, without moving a cell across the coast.
fn quantise_signed(c: f32) -> f32 {
    let rounded = quantise(f64::from(c.max(-1.0)), 1.0 / 4096.0);
    if rounded == 0.0 { c.signum() / 4096.0 } else { rounded }
}

fn add(a: &Field<f32>, b: &Field<f32>) -> Field<f32> {
    Field::from_fn(a.shape(), |cell| a[cell] + b[cell])
}

fn components(points: &[Vec3]) -> [ColumnValues; 3] {
    let each = |f: fn(&Vec3) -> f64| ColumnValues::F64(points.iter().map(f).collect());
    [each(|p| p.x), each(|p| p.y), each(|p| p.z)]
}

/// Sites of the plates in metres, and their motion: rotation in mm/yr per m on a globe, mm/yr on a flat map.
fn plate_table(plates: &Plates) -> Table {
    let sites: Vec<Vec3> = plates.plates.iter().map(|p| p.site_m).collect();
    let motions: Vec<Vec3> = plates.plates.iter().map(|p| p.motion).collect();
    let [x, y, z] = components(&sites);
    let [mx, my, mz] = components(&motions);
    let columns = [("x", "m", x), ("y", "m", y), ("z", "m", z)];
    let motion = [("motion_x", "mm/yr", mx), ("motion_y", "mm/yr", my), ("motion_z", "mm/yr", mz)];
    table("plates", columns.into_iter().chain(motion))
}

/// Places of volcanoes in metres, their heights and what feeds them.
fn volcano_table(volcanoes: &[Volcano]) -> Table {
    let places: Vec<Vec3> = volcanoes.iter().map(|v| v.place_m).collect();
    let [x, y, z] = components(&places);
    let height = ColumnValues::F64(volcanoes.iter().map(|v| v.height_m).collect());
    let kind = ColumnValues::Text(volcanoes.iter().map(|v| v.kind.name().to_string()).collect());
    let columns =
        [("x", "m", x), ("y", "m", y), ("z", "m", z), ("height", "m", height), ("kind", "word", kind)];
    table("volcanoes", columns.into_iter())
}

/// `faults`, a row a fault, and `fault_points`, the points of all in turn.
fn fault_tables(faults: &[Fault]) -> [Table; 2] {
    let count = |f: fn(&Fault) -> u32| ColumnValues::U32(faults.iter().map(f).collect());
    let kinds = faults.iter().map(|f| f.kind.name().to_string()).collect();
    let rates = faults.iter().map(|f| f.rate_mm_yr).collect();
    let points: Vec<Vec3> = faults.iter().flat_map(|f| f.points_m.iter().copied()).collect();
    let [x, y, z] = components(&points);
    let of_faults = [
        ("points", "1", count(|f| f.points_m.len() as u32)),
        ("kind", "word", ColumnValues::Text(kinds)),
        ("rate", "mm/yr", ColumnValues::F64(rates)),
        ("plate_a", "1", count(|f| u32::from(f.plates.0))),
        ("plate_b", "1", count(|f| u32::from(f.plates.1))),
    ];
    [
        table("faults", of_faults.into_iter()),
        table("fault_points", [("x", "m", x), ("y", "m", y), ("z", "m", z)].into_iter()),
    ]
}

fn table<'a>(name: &str, columns: impl Iterator<Item = (&'a str, &'a str, ColumnValues)>) -> Table {
    columns.fold(Table::new(name), |table, (column, unit, values)| {
        table.with(column, unit, values).expect("all columns of a table list the same things")
    })
}
