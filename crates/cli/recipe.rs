//! `terrane recipe`: built-in recipes, every field explained.

use crate::args;
use crate::output::{emit, misuse};
use anyhow::Result;
use world::{Recipe, recipe::PRESETS};

/// Runs the command.
pub fn run(args: &args::Recipe) -> Result<()> {
    if args.list {
        return emit(&PRESETS.iter().map(|(name, text)| line(name, text)).collect::<String>());
    }
    let recipe = Recipe::preset(&args.name).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
        misuse(format!("there is no recipe {}; built in are: {}", args.name, names.join(", ")))
    })?;
    emit(&recipe.to_toml())
}

/// A recipe's name and the comment it begins with, up to the first full stop.
fn line(name: &str, text: &str) -> String {
    let about: Vec<&str> = text.lines().map_while(|l| l.strip_prefix("# ")).collect();
    let about = about.join(" ");
    let first = about.split_inclusive('.').next().unwrap_or_default();
    format!("{name:<14} {first}\n")
}
