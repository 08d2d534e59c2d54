//! `terrane import`: somebody's own elevation becomes a world.

mod arguments;

pub use arguments::Import;

use crate::generate::{check_memory, each, keep, named, watched};
use crate::given::rasters::{Kind, Place, PngPlace, Samples};
use crate::given::{digest, file_name, gather, signature};
use crate::output::{Session, check_apart, check_place, check_world_name, ending, misuse, numbers};
use anyhow::{Context, Result};
use std::path::Path;
use world::given::side_for;
use world::imported::Source;
use world::recipe;

/// Rows of a raster that are read together, unpacked: measured 113 and 264 MiB in all for 128 and 300 cells along a side.
const ROWS_BYTES: f64 = 40e6;
/// Black and white of a PNG lie no farther apart, in metres.
const MOST_RANGE_M: f64 = 1e6;

/// Runs the command.
pub fn run(args: &Import, session: Session) -> Result<()> {
    check_place(&args.output)?;
    check_apart(&args.output, &args.dem)?;
    args.given.check_apart(&args.output)?;
    check_world_name(&args.output)?;
    let elevation = Samples::open(&args.dem, &kind(args)?)?;
    elevation
        .warnings()
        .iter()
        .for_each(|warning| session.say(&format!("{}: {warning}", args.dem.display())));
    let recipe = recipe(args, &elevation)?;
    let grid = recipe.topology().map_err(|e| misuse(format!("the grid of this raster: {e}")))?;
    check_memory(args.max_memory, (&recipe, ROWS_BYTES + args.given.lines_bytes()))?;
    let (place, home) = (elevation.place, home(&recipe, &elevation));
    let gathered = gather(elevation, (&grid, sea_level_m(&recipe)), session)?;
    let files = args.given.read(&place, &grid, session)?;
    let source = Source { elevation: &gathered, given: files.given() };
    let world = watched(&recipe, session, |progress| {
        world::import(&recipe, &source, progress).with_context(|| args.dem.display().to_string())
    })?;
    keep(world, &args.output, session)?;
    home.iter().for_each(|home| session.say(home));
    Ok(())
}

/// How the elevation is to be read, as the arguments describe it.
fn kind(args: &Import) -> Result<Kind> {
    let is_png = ending(&args.dem) == "png";
    let range = match &args.range {
        None if is_png => {
            return Err(misuse("a PNG needs --range MIN,MAX: the metres of black and white"));
        }
        None => None,
        Some(_) if !is_png => return Err(misuse("--range is for a PNG; a GeoTIFF holds metres")),
        Some(text) => Some(numbers::<2>("--range", text, "two heights in metres")?),
    };
    if let Some([low, high]) = range.filter(|[low, high]| !(high > low && high - low <= MOST_RANGE_M)) {
        let expected = if high > low { "heights at most 1000000 m apart" } else { "the lower height first" };
        return Err(misuse(format!("--range {low},{high}: expected {expected}")));
    }
    let of_png = match args.pixel_size {
        Some(size) if !(1e-3..=1e7).contains(&size) => {
            return Err(misuse(format!("--pixel-size {size}: expected metres, 0.001 to 10000000")));
        }
        Some(size) => Some(PngPlace::Pixels(size)),
        None => args.globe.then_some(PngPlace::Globe),
    };
    match (&of_png, is_png) {
        (None, true) => {
            Err(misuse("a PNG needs --globe or --pixel-size METRES: it does not say where it lies"))
        }
        (Some(_), false) => {
            Err(misuse("--globe and --pixel-size are for a PNG; a GeoTIFF says where it lies"))
        }
        _ => Ok(Kind { range, of_png, band: args.band, nodata: nodata(args, is_png)? }),
    }
}

/// The number that means that there is no data.
fn nodata(args: &Import, is_png: bool) -> Result<Option<f64>> {
    let Some(number) = args.nodata else { return Ok(None) };
    if is_png && !(number.fract() == 0.0 && (0.0..=65_535.0).contains(&number)) {
        return Err(misuse(format!(
            "--nodata {number}: of a PNG it is a grey, a whole number from 0 to 65535, and no height"
        )));
    }
    if !number.is_finite() {
        return Err(misuse(format!("--nodata {number}: expected a number; what is none has no data anyway")));
    }
    Ok(Some(number))
}

fn sea_level_m(recipe: &recipe::Recipe) -> f64 {
    recipe.import.as_ref().map_or(0.0, |import| import.sea_level_m)
}

/// The recipe of the world: that of the arguments, on the raster's grid.
fn recipe(args: &Import, elevation: &Samples) -> Result<recipe::Recipe> {
    let is_globe = matches!(elevation.place, Place::Globe { .. });
    let preset = Path::new(if is_globe { "earthlike" } else { "continent" });
    let mut recipe = named(args.recipe.as_deref().unwrap_or(preset), &args.output)?;
    let mut import = recipe::Import::default();
    if let Place::Flat { width_m, height_m, .. } = elevation.place {
        fit(&mut import, width_m.min(height_m) / 1000.0);
        if args.recipe.is_none() {
            recipe.water.river_min_m3_s = recipe.water.river_min_m3_s.min(2.0);
        }
    }
    (recipe.import, recipe.given) = (Some(import), None);
    recipe.set(&args.set).map_err(|e| each("--set", &e))?;
    recipe.seed = args.seed.unwrap_or(recipe.seed);
    let stem = args.dem.file_stem().map(|s| s.to_string_lossy().into_owned());
    recipe.name = args.name.clone().or(stem).unwrap_or(recipe.name);
    let import = recipe.import.get_or_insert_default();
    import.sea_level_m = args.sea_level.unwrap_or(import.sea_level_m);
    import.source = file_name(&args.dem);
    import.digest = digest(&args.dem)?;
    let with = |(option, path)| Ok(format!("{option} {}", signature(path)?));
    let others: Vec<String> = args.given.files().map(with).collect::<Result<_>>()?;
    import.with = others.join(", ");
    lay_out(args, elevation, &mut recipe)?;
    // what the arguments brought in must be what a recipe may hold
    recipe::Recipe::parse(&recipe.to_toml()).map_err(|e| each("the recipe of this raster", &e))
}

/// Where a flat map will lie in the files that are made of it, in words.
fn home(recipe: &recipe::Recipe, elevation: &Samples) -> Option<String> {
    let (Place::Flat { corner_m: [x, y], .. }, Some(import)) = (elevation.place, &recipe.import) else {
        return None;
    };
    let crs = elevation.reference.as_ref()?.name();
    let corner = format!("the south-western corner is {x},{y} m");
    Some(match import.reference.as_str() {
        "" => {
            format!("{crs}: its definition is too long to be kept, but places keep its coordinates; {corner}")
        }
        _ => format!(
            "places of this world are those of {crs}, as they are named and as they are written; {corner}"
        ),
    })
}

/// Lengths that suit Earth, for a map of which the shorter side has these kilometres.
fn fit(import: &mut recipe::Import, side_km: f64) {
    import.range_km = import.range_km.min(side_km / 8.0).max(0.001);
    import.strait_km = import.strait_km.min(side_km / 50.0);
    import.estuary_km = import.estuary_km.min(side_km / 50.0);
    import.inland_sea_km2 = import.inland_sea_km2.min(side_km * side_km / 20.0);
}

/// The grid that a raster needs.
fn lay_out(args: &Import, elevation: &Samples, recipe: &mut recipe::Recipe) -> Result<()> {
    let grid = &mut recipe.grid;
    match elevation.place {
        Place::Globe { radius_m, .. } => {
            grid.topology = "globe".into();
            grid.radius_km = args.radius.unwrap_or((radius_m / 100.0).round() / 10.0);
            grid.cells = args.cells.unwrap_or(side_for(elevation.cols));
        }
        Place::Flat { width_m, height_m, corner_m } => {
            if args.radius.is_some() {
                return Err(misuse("--radius: this raster is a flat map in metres, not a globe"));
            }
            grid.topology = "flat".into();
            let import = recipe.import.get_or_insert_default();
            [import.west_m, import.south_m] = corner_m;
            let text = elevation.reference.as_ref().and_then(|crs| crs.to_text(recipe::MOST_TEXT));
            import.reference = text.unwrap_or_default();
            (grid.width_km, grid.height_km) = (width_m / 1000.0, height_m / 1000.0);
            let samples = elevation.cols.max(elevation.rows).min(1024);
            grid.cells = args.cells.unwrap_or(samples.max(8) as u32);
        }
    }
    Ok(())
}
