//! Worlds in files: saving one, loading one whole, and a view that reads only what is asked for.
//!
//! [`store`] knows what a file is and [`world`] what a world is; here they meet, for the program and for Python alike.
//!
//! ```
//! use archive::WorldView;
//! use world::{CellSource, Recipe, simulate};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("world.terrane");
//! let mut recipe = Recipe::preset("earthlike").expect("a built-in recipe");
//! recipe.grid.cells = 16;
//! let world = simulate(&recipe, &|_, _| {})?;
//! archive::save(&world, &path, &|_share| {})?;
//!
//! let view = WorldView::open(&path)?; // reads the header only
//! assert_eq!(view.recipe(), &recipe);
//! assert_eq!(archive::load(&path)?.base_elevation_m, world.base_elevation_m);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Modules, in reading order:

mod error;

mod save;

mod view;

pub use error::FileError;
pub use save::{load, save, save_and_drop};
pub use view::WorldView;

/// The version of the simulation that worlds are made by.
pub const ENGINE: &str = concat!("terrane ", env!("CARGO_PKG_VERSION"));
