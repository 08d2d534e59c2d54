//! `terrane import`: somebody's own elevation becomes a world.

mod arguments;
mod lines;
mod rasters;

pub use arguments::Import;

use crate::generate::{check_memory, each, keep, named, watched};
use crate::output::{Session, advance, check_apart, check_place, misuse};
use anyhow::{Context, Result};
use grid::Topology;
use rasters::{Kind, Place, Samples};
use std::path::{Path, PathBuf};
use world::imported::{Raster, Source, side_for};
use world::recipe;

/// Rows of a raster that are read together, unpacked: measured 113 and 264 MiB in all for 128 and 300 cells along a side.
const ROWS_BYTES: f64 = 40e6;

/// Runs the command.
pub fn run(args: &Import, session: Session) -> Result<()> {
    check_place(&args.output)?;
    inputs(args).try_for_each(|(_, path)| check_apart(&args.output, path))?;
    let elevation = Samples::open(&args.dem, &Kind::of_elevation(args)?)?;
    elevation
        .warnings()
        .iter()
        .for_each(|warning| session.say(&format!("{}: {warning}", args.dem.display())));
    let recipe = recipe(args, &elevation)?;
    let grid = recipe.topology().map_err(|e| misuse(format!("the grid of this raster: {e}")))?;
    check_memory(args.max_memory, (&recipe, ROWS_BYTES))?;
    let place = elevation.place;
    let gathered = gather(elevation, (&grid, sea_level_m(&recipe)), session)?;
    let mask = |path: &Option<PathBuf>, option| -> Result<Option<Raster>> {
        let Some(path) = path else { return Ok(None) };
        let samples = Samples::open(path, &Kind::of_mask(&place))?;
        samples.check_lies_like(&place, option)?;
        Ok(Some(gather(samples, (&grid, 0.0), session)?))
    };
    let (land, mountain_height) =
        (mask(&args.land, "--land")?, mask(&args.mountain_height, "--mountain-height")?);
    let lines = |path: &Option<PathBuf>, option| match path {
        Some(path) => lines::read(path, option, &place),
        None => Ok(Vec::new()),
    };
    let ridge_lines = lines(&args.ridge_lines, "--ridge-lines")?;
    let rivers = lines(&args.rivers_to_keep, "--rivers-to-keep")?;
    let source = Source {
        elevation: &gathered,
        land: land.as_ref(),
        mountain_height: mountain_height.as_ref(),
        ridge_lines: &ridge_lines,
        rivers: &rivers,
    };
    let world = watched(&recipe, session, |progress| {
        world::import(&recipe, &source, progress).with_context(|| args.dem.display().to_string())
    })?;
    keep(world, &args.output, session)
}

/// All files that are read, with the options that named them.
fn inputs(args: &Import) -> impl Iterator<Item = (&'static str, &Path)> {
    let others = [
        ("--land", &args.land),
        ("--mountain-height", &args.mountain_height),
        ("--ridge-lines", &args.ridge_lines),
        ("--rivers-to-keep", &args.rivers_to_keep),
    ];
    let given = others.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
    std::iter::once(("", args.dem.as_path())).chain(given)
}

fn gather(samples: Samples, (grid, sea_level_m): (&Topology, f64), session: Session) -> Result<Raster> {
    let bar = session.bar("reading");
    let raster = samples.gather(grid, sea_level_m, |share| advance(&bar, share))?;
    bar.finish_and_clear();
    Ok(raster)
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
    recipe.import = Some(import);
    recipe.set(&args.set).map_err(|e| each("--set", &e))?;
    recipe.seed = args.seed.unwrap_or(recipe.seed);
    let stem = args.dem.file_stem().map(|s| s.to_string_lossy().into_owned());
    recipe.name = args.name.clone().or(stem).unwrap_or(recipe.name);
    let import = recipe.import.get_or_insert_default();
    import.sea_level_m = args.sea_level.unwrap_or(import.sea_level_m);
    import.source = file_name(&args.dem);
    import.digest = digest(&args.dem)?;
    let others: Vec<String> = inputs(args)
        .skip(1)
        .map(|(option, path)| Ok(format!("{option} {} {}", file_name(path), digest(path)?)))
        .collect::<Result<_>>()?;
    import.with = others.join(", ");
    lay_out(args, elevation, &mut recipe)?;
    // what the arguments brought in must be what a recipe may hold
    recipe::Recipe::parse(&recipe.to_toml()).map_err(|e| each("the recipe of this raster", &e))
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
        Place::Flat { width_m, height_m, .. } => {
            if args.radius.is_some() {
                return Err(misuse("--radius: this raster is a flat map in metres, not a globe"));
            }
            grid.topology = "flat".into();
            (grid.width_km, grid.height_km) = (width_m / 1000.0, height_m / 1000.0);
            let samples = elevation.cols.max(elevation.rows).min(1024);
            grid.cells = args.cells.unwrap_or(samples.max(8) as u32);
        }
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    name.chars().take(60).collect()
}

fn digest(path: &Path) -> Result<String> {
    store::digest_of_file(path).with_context(|| format!("cannot read {}", path.display()))
}
