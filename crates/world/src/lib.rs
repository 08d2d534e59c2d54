//! The global simulation: a [`Recipe`] becomes a [`World`].
//!
//! ```
//! use world::{Recipe, simulate};
//!
//! let mut recipe = Recipe::preset("earthlike").expect("a built-in recipe");
//! recipe.grid.cells = 16; // a toy planet with cells of 600 km
//! let world = simulate(&recipe, &|_stage, _share| {}).expect("the recipe is sound");
//! let land = world.continentality.as_slice().iter().filter(|&&c| c > 0.0).count();
//! assert!(land > 0);
//! ```
//!
//! Modules, in the order in which a world is made:

pub mod recipe;

mod fields;

mod smooth;

pub mod crust;

pub mod mountains;

pub mod ridges;

pub mod climate;

pub mod water;

pub mod names;

pub mod rivers;

pub mod given;

mod land;

mod simulate;

pub mod imported;

mod state;

mod waters;

pub mod score;

pub use fields::YEAR_S;
pub use given::{Given, GivenError};
pub use imported::{ImportError, import};
pub use recipe::{FieldError, Recipe, RecipeError};
pub use rivers::{
    Network, Outlet, OutletKind, River, RiverReach, basins_of, channel_depth_m, channel_discharge_m3_s,
    channel_incision_m, channel_width_m,
};
pub use simulate::{SimulateError, simulate, simulate_given};
pub use state::{
    CellClimate, CellSource, CellState, GatherError, LoadError, Months, NO_LAKE, NO_RECEIVER, World,
    receiver_direction,
};
pub use water::evenness;
pub use waters::{Mouth, Waters};
