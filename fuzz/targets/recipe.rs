//! Recipes: what is taken prints to itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use world::Recipe;

fuzz_target!(|text: &str| {
    if let Ok(recipe) = Recipe::parse(text) {
        let again = Recipe::parse(&recipe.to_toml()).expect("what was printed is a recipe");
        assert_eq!(again.to_toml(), recipe.to_toml());
    }
});
