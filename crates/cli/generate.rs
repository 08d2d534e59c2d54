//! `terrane generate`: a recipe becomes a world file.

use crate::args;
use crate::output::{Session, advance, check_place, misuse};
use crate::world_file::save;
use anyhow::{Context, Result};
use grid::Grid;
use std::path::Path;
use world::{Recipe, World, recipe::PRESETS, simulate};

/// Runs the command.
pub fn run(args: &args::Generate, session: Session) -> Result<()> {
    check_place(&args.output)?;
    let world = make(&recipe(args)?, session)?;
    let bytes = save(&world, &args.output, session)?;
    let megabytes = bytes as f64 / 1e6;
    session.say(&format!(
        "{}: {} cells of {:.3} km, {megabytes:.1} MB",
        args.output.display(),
        world.grid.len(),
        world.grid.cell_m() / 1000.0
    ));
    Ok(())
}

/// Simulates with a progress bar.
pub fn make(recipe: &Recipe, session: Session) -> Result<World> {
    let bar = session.bar("simulating");
    let world = simulate(recipe, &|stage, share| {
        bar.set_message(stage);
        advance(&bar, share);
    })?;
    bar.finish_and_clear();
    Ok(world)
}

/// The recipe that the arguments describe.
fn recipe(args: &args::Generate) -> Result<Recipe> {
    let mut recipe = match Recipe::preset(&args.recipe) {
        Some(recipe) => recipe,
        None => read(Path::new(&args.recipe))?,
    };
    if let Some(cells) = args.cells {
        recipe.grid.cells = cells;
    }
    recipe.set(&args.set).map_err(|e| misuse(format!("--set: {e}")))?;
    if let Some(seed) = args.seed {
        recipe.seed = seed;
    }
    recipe.topology().map_err(|e| misuse(e.to_string()))?;
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
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    Recipe::parse(&text).map_err(|e| misuse(format!("{}:\n{e}", path.display())))
}
