//! Somebody's own elevation becomes a world: land, mountains and ridges out of a raster, the rest as for any world.
//!
//! 1. [`crate::given::raster`]: rows of a raster of any size are gathered into one of about four samples to a cell, with means and
//!    valley floors;
//! 2. `sea`: what lies below the sea's level and hangs together with the ocean is sea, but for the wide lower ends of
//!    rivers (`estuary`);
//! 3. `cells`: each cell is asked at 5 x 5 places: land or sea, its mean height z, the height of its valleys l, and of its
//!    floor f, without the tilt of the cell;
//! 4. `mountains`: what stands out of the land's lower envelope is mountain, as far as it fits into cells, and the envelope the
//!    mountain-free map;
//! 5. `dig`: the way of the water over the valleys is found, gorges narrower than a cell are cut, rivers that are
//!    given are laid, and the envelope is bounded by both;
//! 6. ridge lines that are given, if any, instead of those that are traced in the mountains.
//!
//! ```text
//! base = max(open(l) + kept (l - open(l)), z - 0.06 cell), bounded by f less the cuts     mountains = z - base >= 0
//! ```
//!
//! all in metres. So base and mountains add up to the raster's mean height in every cell, exactly, until sediment fills
//! hollows of the base ([`crate::water`]). Plates are drawn as for made land, around the imported coasts: names of places
//! follow them. There are no faults and no volcanoes, for a raster does not tell of them.
//!
//! The world is a function of its recipe and the raster (and what else is given), whose digest the recipe holds.

mod sea;

mod estuary;

mod cells;

mod mountains;

mod dig;

use crate::crust::plates::{divide_into_plates, land_share};
use crate::fields::quantise;
use crate::given::raster::Raster;
use crate::given::{Given, lines, rivers};
use crate::land::{Land, fault_tables, plate_table, quantise_signed, volcano_table};
use crate::recipe::{Import, Recipe};
use crate::ridges::trace_ridges;
use crate::simulate::run_over;
use crate::state::World;
use crate::water::wander::Wander;
use cells::Cells;
use grid::{Cell, Field, Grid, GridError, Seed, Topology};

/// Land that is no basin below the sea's level lies at least this high, in metres; the sea at least as deep.
pub(crate) const LEAST_M: f32 = 1.0;

/// What a world is imported from. All rasters cover the whole globe or the whole map.
pub struct Source<'a> {
    /// Heights in metres.
    pub elevation: &'a Raster,
    /// What is given instead of what would be found in them.
    pub given: Given<'a>,
}

/// The lowest and the greatest height that a raster may have, in metres.
const LOWEST_M: f64 = -20e3;
const HIGHEST_M: f64 = 40e3;

/// Why a raster does not become a world.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The grid cannot be made.
    #[error("the grid cannot be made: {0}")]
    Grid(#[from] GridError),
    /// The recipe is one of made land.
    #[error("the recipe has no section [import]")]
    NotAnImport,
    /// A globe without sea: water would not know where to go.
    #[error(
        "the globe has no sea: no cell lies below {level_m} m; the lowest height is {lowest_m} m (--sea-level moves the sea, --land says where it is)"
    )]
    NoSea {
        /// Where the sea would stand in the raster.
        level_m: f64,
        /// The lowest height in the raster.
        lowest_m: f64,
    },
    /// Nothing but missing samples.
    #[error("no sample has a height: all are missing")]
    Empty,
    /// Heights that no world has: another unit, or numbers that mark missing samples.
    #[error(
        "heights run from {lowest_m} to {highest_m} m; a world has {LOWEST_M} to {HIGHEST_M} m (other units must be made metres, and a number that marks missing samples must be named by --nodata)"
    )]
    Range {
        /// The lowest height in the raster.
        lowest_m: f64,
        /// The greatest height in the raster.
        highest_m: f64,
    },
    /// No land at all.
    #[error("there is no land: no cell lies above {level_m} m; the greatest height is {highest_m} m")]
    NoLand {
        /// Where the sea stands in the raster.
        level_m: f64,
        /// The greatest height in the raster.
        highest_m: f64,
    },
}

/// Makes the world of a raster. `progress` is told the stage that begins and the share of the work done.
///
/// The result depends on the recipe and the source alone: not on the number of threads, nor on the machine. Cost: that of
/// [`crate::simulate()`], and of the search for cuts.
///
/// # Errors
/// A grid that cannot be made, a recipe without `import`, no heights or impossible ones, no sea on a globe, no land.
pub fn import(
    recipe: &Recipe,
    source: &Source,
    progress: &(dyn Fn(&'static str, f64) + Sync),
) -> Result<World, ImportError> {
    let params = recipe.import.as_ref().ok_or(ImportError::NotAnImport)?;
    let grid = recipe.topology()?;

    check_heights(source.elevation, params)?;

    progress("sea", 0.0);
    let ground = sea::find(source.elevation, params);

    progress("cells", 0.05);
    let cells = cells::sample(&grid, source, &ground);
    check(&grid, &cells, source.elevation, params)?;
    let land = take_land(&grid, recipe, params, (source, &cells), progress);
    Ok(run_over(recipe, grid, land, progress))
}

fn check_heights(elevation: &Raster, params: &Import) -> Result<(), ImportError> {
    let (lowest_m, highest_m) = elevation.range_m();
    let (lowest_m, highest_m) = (lowest_m + params.sea_level_m, highest_m + params.sea_level_m);
    if !lowest_m.is_finite() || !highest_m.is_finite() {
        return Err(ImportError::Empty);
    }
    if lowest_m < LOWEST_M || highest_m > HIGHEST_M {
        return Err(ImportError::Range { lowest_m, highest_m });
    }
    Ok(())
}

fn check(grid: &Topology, cells: &Cells, elevation: &Raster, params: &Import) -> Result<(), ImportError> {
    let level_m = params.sea_level_m;
    let (lowest, highest) = elevation.range_m();
    let any = |is_land: bool| grid.cells().any(|c| cells.is_land(c) == is_land);
    if matches!(grid, Topology::Globe(_)) && !any(false) {
        return Err(ImportError::NoSea { level_m, lowest_m: lowest + level_m });
    }
    if !any(true) {
        return Err(ImportError::NoLand { level_m, highest_m: highest + level_m });
    }
    Ok(())
}

/// Land out of the cells of a raster.
fn take_land(
    grid: &Topology,
    recipe: &Recipe,
    params: &Import,
    (source, cells): (&Source, &Cells),
    progress: &(dyn Fn(&'static str, f64) + Sync),
) -> Land {
    let seed = Seed(recipe.seed);
    let continentality = cells::continentality(grid, cells).map(|&c| quantise_signed(c));

    progress("plates", 0.1);
    let plates = divide_into_plates(grid, &recipe.plates, &land_share(grid, &continentality), seed);

    progress("mountains", 0.2);
    let is_land = |c: Cell| continentality[c] > 0.0;
    let base_m = match source.given.mountain_height {
        Some(given) => mountains::below(grid, cells, given),
        None => mountains::envelope(grid, cells, params),
    };
    let height_above = |base_m: &Field<f32>, c: Cell| {
        if is_land(c) { (cells.elevation_m[c] - base_m[c]).max(0.0) } else { 0.0 }
    };
    let standing_m = Field::from_fn(grid.shape(), |c| height_above(&base_m, c));

    progress("ridges", 0.3);
    let ridge_directions = if source.given.ridge_lines.is_empty() {
        trace_ridges(grid, &recipe.mountains, &standing_m)
    } else {
        lines::ridges(grid, &continentality, &lines::courses(grid, source.given.ridge_lines))
    };

    progress("gorges", 0.35);
    let kept = lines::courses(grid, source.given.rivers);
    let (valley_m, floor_m, base_m) = match source.given.mountain_height {
        Some(_) => (base_m.clone(), base_m.clone(), base_m),
        None => {
            let base_m = mountains::under_what_fits(grid, cells, base_m);
            (cells.valley_m.clone(), cells.floor_m.clone(), base_m)
        }
    };
    let cut = dig::cut(grid, &continentality, valley_m, &kept, (params, Wander::of(grid, recipe)));
    let mut base_m = cut.under(grid, &continentality, (&floor_m, base_m));
    rivers::keep(grid, &continentality, &mut base_m, &kept);
    let mountain_height_m = Field::from_fn(grid.shape(), |c| height_above(&base_m, c));
    Land {
        plates: plate_table(&plates),
        plate: plates.id,
        continentality,
        mountain_height_m,
        ridge_directions,
        base_m,
        kept_rivers: kept,
        volcanoes: volcano_table(&[]),
        faults: fault_tables(&[]),
    }
}

/// Heights are multiples of this, in metres.
const STEP_M: f64 = 0.125;

/// Rounds a height as all heights of worlds are.
pub(crate) fn rounded_m(height_m: f64) -> f32 {
    quantise(height_m, STEP_M)
}
