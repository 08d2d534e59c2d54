//! The global simulation: a recipe becomes a world
