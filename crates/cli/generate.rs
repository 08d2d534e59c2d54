//! `terrane generate`: a recipe becomes a world file.

use crate::args;
use crate::output::{Session, advance, check_apart, check_place, misuse};
use crate::world_file::save;
use anyhow::{Context, Result};
use grid::Grid;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use world::recipe::{PRESETS, RecipeError};
use world::{Recipe, World, simulate};

/// Recipes are a few thousand bytes; a file beyond this is something else.
const MAX_RECIPE_BYTES: u64 = 1 << 20;

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
    let mut recipe = match args.recipe.to_str().and_then(Recipe::preset) {
        Some(recipe) => recipe,
        None => {
            check_apart(&args.output, &args.recipe)?;
            read(&args.recipe)?
        }
    };
    if let Some(cells) = args.cells {
        recipe.grid.cells = cells;
    }
    recipe.set(&args.set).map_err(|e| each("--set", &e))?;
    if let Some(seed) = args.seed {
        recipe.seed = seed;
    }
    recipe.topology().map_err(|e| misuse(format!("the recipe's grid: {e}")))?;
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
fn each(place: &str, errors: &RecipeError) -> anyhow::Error {
    misuse(errors.0.iter().map(|e| format!("{place}: {e}")).collect::<Vec<_>>().join("\n"))
}
