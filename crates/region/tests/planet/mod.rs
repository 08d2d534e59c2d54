//! The planet that tests of caches and of descents look at.

use world::{Recipe, World, simulate};

/// A small planet with cells of Earth's size.
pub fn planet() -> World {
    let mut recipe = Recipe::preset("earthlike").unwrap();
    recipe.grid.cells = 48;
    recipe.grid.radius_km = 600.0;
    simulate(&recipe, &|_, _| {}).unwrap()
}
