//! `terrane generate`: a recipe becomes a world file.

use crate::args;
use crate::given::rasters::Place;
use crate::memory;
use crate::output::{Session, advance, check_apart, check_place, check_world_name, misuse, misuses};
use anyhow::{Context, Result};
use archive::save_and_drop;
use grid::Grid;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use world::recipe::{PRESETS, RecipeError};
use world::{Recipe, World, simulate, simulate_given};

/// Recipes are a few thousand bytes; a file beyond this is something else.
const MAX_RECIPE_BYTES: u64 = 1 << 20;

/// Runs the command.
pub fn run(args: &args::Generate, session: Session) -> Result<()> {
    check_place(&args.output)?;
    args.given.check_apart(&args.output)?;
    let recipe = recipe(args)?;
    check_world_name(&args.output)?;
    check_memory(args.max_memory, (&recipe, args.given.lines_bytes()))?;
    let grid = recipe.topology().context("the recipe's grid")?;
    let files = args.given.read(&Place::of_grid(&grid), &grid, session)?;
    let world = watched(&recipe, session, |progress| Ok(simulate_given(&recipe, &files.given(), progress)?))?;
    keep(world, &args.output, session)
}

/// Makes sure that a world fits into the memory that may be taken, with more for what it is made of.
pub fn check_memory(max_memory_gb: Option<f64>, (recipe, more_bytes): (&Recipe, f64)) -> Result<()> {
    let cells = recipe.topology().context("the recipe's grid")?.len() as f64;
    let side = f64::from(recipe.grid.cells);
    let needed = needed_bytes(cells) + more_bytes;
    memory::check(max_memory_gb, (&format!("a world of {cells} cells"), needed), |limit| {
        let fit = (limit - memory::PROGRAM_BYTES - more_bytes).max(0.0) / BYTES_PER_CELL;
        let fitting = (side * (fit / cells).sqrt()).floor();
        if fitting >= FEWEST_CELLS {
            return format!("--cells {fitting} would fit");
        }
        let share = FEWEST_CELLS / side;
        let smallest = needed_bytes(cells * share * share) + more_bytes;
        format!("the smallest, --cells {FEWEST_CELLS}, takes {} GB", (smallest / 1e7).ceil() / 100.0)
    })
}

fn needed_bytes(cells: f64) -> f64 {
    memory::PROGRAM_BYTES + cells * BYTES_PER_CELL
}

/// Fewest cells along a side of a world.
const FEWEST_CELLS: f64 = 8.0;

/// Saves a finished world, and says so.
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the program tells how long it took")]
pub fn keep(world: World, output: &Path, session: Session) -> Result<()> {
    let (cells, cell_km) = (world.grid.len(), world.grid.cell_m() / 1000.0);
    let start = std::time::Instant::now();
    let bar = session.bar("saving");
    let bytes = save_and_drop(world, output, &|share| advance(&bar, share))?;
    bar.finish_and_clear();
    session.detail(&stage_line("saving", start.elapsed()));
    let (file, megabytes) = (output.display(), bytes as f64 / 1e6);
    session.say(&format!("{file}: {cells} cells of {cell_km:.3} km, {megabytes:.1} MB"));
    Ok(())
}

/// Simulates with a progress bar; says before a large world what it will take.
pub fn make(recipe: &Recipe, session: Session) -> Result<World> {
    watched(recipe, session, |progress| Ok(simulate(recipe, progress)?))
}

/// Told the stage that begins and the share of the work done.
pub type Progress<'a> = &'a (dyn Fn(&'static str, f64) + Sync);

/// Makes a world by `work` with a progress bar; says before a large one what it will take.
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the program tells how long it took")]
pub fn watched(
    recipe: &Recipe,
    session: Session,
    work: impl FnOnce(Progress) -> Result<World>,
) -> Result<World> {
    let cells = recipe.topology().context("the recipe's grid")?.len();
    if let Some(warning) = warning(cells as f64, rayon::current_num_threads() as f64) {
        session.say(&warning);
    }
    let bar = session.bar("simulating");
    let stages = Mutex::new(Vec::new());
    let world = work(&|stage, share| {
        bar.set_message(stage);
        advance(&bar, share);
        stages.lock().expect("nothing panics while it is held").push((stage, std::time::Instant::now()));
    })?;
    bar.finish_and_clear();
    let stages = stages.into_inner().expect("nothing panics while it is held");
    for pair in stages.windows(2) {
        session.detail(&stage_line(pair[0].0, pair[1].1 - pair[0].1));
    }
    Ok(world)
}

/// A stage and the time it took, for `-v`.
fn stage_line(stage: &str, time: Duration) -> String {
    format!("{stage:>20} {:>7.2} s", time.as_secs_f64())
}

/// Peak memory of a simulation beside the program: measured in all 90, 252 and 671 MB on globes of 128, 300 and 512, and 385
/// bytes a cell on one of 2048, most of it the months; with a margin.
const BYTES_PER_CELL: f64 = 430.0;
/// Time of one core, and the share of it that runs on one core only: measured on the same globes, on a machine of
/// 2026. Other machines and recipes differ by a factor of two or so.
const SECONDS_PER_CELL: f64 = 3.2e-6;
const ALONE: f64 = 0.2;
/// A world that needs less than this is made without a word.
const MUCH_MEMORY_BYTES: f64 = 2e9;

/// What a large world will take, for people to think again.
fn warning(cells: f64, threads: f64) -> Option<String> {
    let bytes = needed_bytes(cells);
    if bytes < MUCH_MEMORY_BYTES {
        return None;
    }
    let seconds = cells * SECONDS_PER_CELL * (ALONE + (1.0 - ALONE) / threads);
    let minutes = (seconds / 60.0).round().max(1.0);
    let plural = if minutes > 1.0 { "s" } else { "" };
    Some(format!(
        "{:.0} million cells: this takes about {:.0} GB of memory and roughly {minutes} minute{plural}",
        cells / 1e6,
        bytes / 1e9
    ))
}

/// A built-in recipe, or one from a file, which `output` must not replace.
pub fn named(name: &Path, output: &Path) -> Result<Recipe> {
    if let Some(recipe) = name.to_str().and_then(Recipe::preset) {
        return Ok(recipe);
    }
    check_apart(output, name)?;
    read(name)
}

/// The recipe that the arguments describe.
fn recipe(args: &args::Generate) -> Result<Recipe> {
    let mut recipe = named(&args.recipe, &args.output)?;
    if let Some(cells) = args.cells {
        recipe.grid.cells = cells;
    }
    recipe.set(&args.set).map_err(|e| each("--set", &e))?;
    if let Some(seed) = args.seed {
        recipe.seed = seed;
    }
    recipe.topology().map_err(|e| misuse(format!("the recipe's grid: {e}")))?;
    if recipe.import.is_none() {
        args.given.sign(&mut recipe)?;
    }
    Ok(recipe)
}

fn read(path: &Path) -> Result<Recipe> {
    if !path.exists() {
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
        let message = format!(
            "there is no file {} and no built-in recipe of that name; built in are: {}",
            path.display(),
            names.join(", ")
        );
        return Err(misuse(message));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    file.take(MAX_RECIPE_BYTES + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > MAX_RECIPE_BYTES {
        return Err(misuse(format!(
            "{} is not a recipe: it is over {MAX_RECIPE_BYTES} bytes",
            path.display()
        )));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| misuse(format!("{} is not a recipe: it is not text", path.display())))?;
    Recipe::parse(&text).map_err(|e| each(&path.display().to_string(), &e))
}

/// All that is wrong with a recipe, a line for each.
pub fn each(place: &str, errors: &RecipeError) -> anyhow::Error {
    misuses(errors.0.iter().map(|e| format!("{place}: {e}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_worlds_are_announced() {
        let said = |side: f64, threads: f64| warning(6.0 * side * side, threads);
        assert_eq!(said(512.0, 2.0), None);
        assert_eq!(said(868.0, 2.0), None, "1.994 GB");
        assert!(said(872.0, 2.0).is_some(), "2.012 GB");
        let text = said(4096.0, 2.0).unwrap();
        assert_eq!(text, "101 million cells: this takes about 43 GB of memory and roughly 3 minutes");
        assert!(said(4096.0, 1.0).unwrap().ends_with("roughly 5 minutes"), "a core alone");
        assert!(said(1610.0, 64.0).unwrap().ends_with("roughly 1 minute"));
    }
}
