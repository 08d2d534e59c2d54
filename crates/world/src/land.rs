//! The land of a generated world: everything that stands before air and water move over it.

use crate::crust::base::{Surface, shape_base};
use crate::crust::continents::{raise_continents, waters_behind_islands};
use crate::crust::faults::{Fault, trace_faults};
use crate::crust::plates::{Plates, divide_into_plates, land_share};
use crate::crust::sea_floor::{Tectonics, add_islands, lay_sea_floor};
use crate::fields::quantise;
use crate::given::{Given, GivenError, coast, heights, lines, rivers};
use crate::mountains::volcanoes::{Volcano, place_volcanoes};
use crate::mountains::{Uplift, raise_mountains, raise_volcanoes};
use crate::recipe::Recipe;
use crate::ridges::trace_ridges;
use grid::table::ColumnValues;
use grid::{Cell, Field, Seed, Table, Topology, Vec3};

/// What climate, water and rivers are computed on.
pub(crate) struct Land {
    /// Positive on land, negative at sea, -1 to 1.
    pub continentality: Field<f32>,
    /// Number of the plate.
    pub plate: Field<u16>,
    /// Mountains above the land under them, in metres.
    pub mountain_height_m: Field<f32>,
    /// Bits of [`grid::RidgeDirections`].
    pub ridge_directions: Field<u8>,
    /// The mountain-free map in metres, negative at sea.
    pub base_m: Field<f32>,
    /// Rivers that are given and laid into that map, from their heads down.
    pub kept_rivers: Vec<Vec<Cell>>,
    /// `plates`, a row a plate.
    pub plates: Table,
    /// `volcanoes`, a row a volcano.
    pub volcanoes: Table,
    /// `faults` and `fault_points`.
    pub faults: [Table; 2],
}

/// Makes the land of a recipe, around what is given.
///
/// # Errors
/// A mask that leaves no land, or no sea on a globe.
pub(crate) fn make_land(
    grid: &Topology,
    recipe: &Recipe,
    given: &Given,
    progress: &(dyn Fn(&'static str, f64) + Sync),
) -> Result<Land, GivenError> {
    let seed = Seed(recipe.seed);

    progress("continents", 0.0);
    let crust = match given.land {
        Some(mask) => coast::draw_coast(grid, mask, seed)?,
        None => raise_continents(grid, &recipe.continents, seed),
    };

    progress("plates and faults", 0.15);
    let land_share = land_share(grid, &crust);
    let plates = divide_into_plates(grid, &recipe.plates, &land_share, seed);
    let faults = trace_faults(grid, &plates, &land_share, seed);
    let volcanoes = place_volcanoes(grid, &recipe.volcanoes, &plates, &faults, seed);

    progress("sea floor", 0.25);
    let tectonics =
        Tectonics { plates: &plates, faults: &faults, volcanoes: &volcanoes, islands: given.land.is_none() };
    let mut floor_m = lay_sea_floor(grid, &recipe.base, &crust, &tectonics, seed);
    if tectonics.islands {
        for cell in waters_behind_islands(grid, &recipe.continents, &crust, &floor_m) {
            floor_m[cell] = FILLED_M;
        }
    }
    let continentality = add_islands(&crust, &floor_m).map(|&c| quantise_signed(c));

    progress("mountains", 0.35);
    let uplift = Uplift { faults: &faults, volcanoes: &volcanoes };
    let crests = lines::courses(grid, given.ridge_lines);
    let mut mountains = match given.mountain_height {
        Some(raster) => heights::take_heights(grid, recipe, &continentality, raster),
        None if crests.is_empty() => raise_mountains(grid, recipe, &crust, &uplift, seed),
        None => {
            let mut mountains = heights::raise_along(grid, recipe, &crust, &crests, seed);
            mountains.raise_to(&raise_volcanoes(grid, recipe, &crust, &volcanoes, seed));
            mountains
        }
    };
    if given.mountain_height.is_none() {
        mountains.add_islands(&floor_m);
    }

    progress("ridges", 0.42);
    let ridge_directions = match crests.is_empty() {
        true => trace_ridges(grid, &recipe.mountains, &mountains.height_m),
        false => lines::ridges(grid, &continentality, &crests),
    };

    progress("mountain-free map", 0.45);
    let surface = Surface { crust: &crust, floor_m: &floor_m, mountains: &mountains };
    let mut base_m = shape_base(grid, &recipe.base, &surface, &faults, seed);
    let kept_rivers = lines::courses(grid, given.rivers);
    rivers::lead(grid, &continentality, &mut base_m, &kept_rivers);

    Ok(Land {
        continentality,
        plates: plate_table(&plates),
        plate: plates.id,
        mountain_height_m: mountains.height_m,
        ridge_directions,
        base_m,
        kept_rivers,
        volcanoes: volcano_table(&volcanoes),
        faults: fault_tables(&faults),
    })
}

/// Rounds to multiples of 1/4096, at least -1, without moving a cell across the coast.
pub(crate) fn quantise_signed(c: f32) -> f32 {
    let rounded = quantise(f64::from(c.max(-1.0)), 1.0 / 4096.0);
    if rounded == 0.0 { c.signum() / 4096.0 } else { rounded }
}

/// Land in the place of a water behind islands stands so high, in metres: a beach.
const FILLED_M: f32 = 2.0;

fn components(points: &[Vec3]) -> [ColumnValues; 3] {
    let each = |f: fn(&Vec3) -> f64| ColumnValues::F64(points.iter().map(f).collect());
    [each(|p| p.x), each(|p| p.y), each(|p| p.z)]
}

/// Sites of the plates in metres, and their motion: rotation in mm/yr per m on a globe, mm/yr on a flat map.
pub(crate) fn plate_table(plates: &Plates) -> Table {
    let sites: Vec<Vec3> = plates.plates.iter().map(|p| p.site_m).collect();
    let motions: Vec<Vec3> = plates.plates.iter().map(|p| p.motion).collect();
    let [x, y, z] = components(&sites);
    let [mx, my, mz] = components(&motions);
    let columns = [("x", "m", x), ("y", "m", y), ("z", "m", z)];
    let motion = [("motion_x", "mm/yr", mx), ("motion_y", "mm/yr", my), ("motion_z", "mm/yr", mz)];
    table("plates", columns.into_iter().chain(motion))
}

/// Places of volcanoes in metres, their heights and what feeds them.
pub(crate) fn volcano_table(volcanoes: &[Volcano]) -> Table {
    let places: Vec<Vec3> = volcanoes.iter().map(|v| v.place_m).collect();
    let [x, y, z] = components(&places);
    let height = ColumnValues::F64(volcanoes.iter().map(|v| v.height_m).collect());
    let kind = ColumnValues::Text(volcanoes.iter().map(|v| v.kind.name().to_string()).collect());
    let columns =
        [("x", "m", x), ("y", "m", y), ("z", "m", z), ("height", "m", height), ("kind", "word", kind)];
    table("volcanoes", columns.into_iter())
}

/// `faults`, a row a fault, and `fault_points`, the points of all in turn.
pub(crate) fn fault_tables(faults: &[Fault]) -> [Table; 2] {
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
