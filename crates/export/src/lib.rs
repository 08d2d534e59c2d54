//! Regions in other people's files: where refinement and formats meet, for the program and for Python alike.
//!
//! [`region`] knows lattices and layers, [`formats`] rasters and stores; neither knows the other. A window of a lattice becomes a
//! [`formats::stream::Frame`], and a region larger than any memory a [`Plan`]: a Zarr store whose shards are made one by one, on
//! one machine or on many, in any order, each twice if need be.
//!
//! ```
//! use export::Plan;
//! use region::{Lattice, Method, Request, Sampled};
//! use world::{CellSource, Recipe, simulate};
//!
//! let mut recipe = Recipe::preset("island").expect("a built-in recipe");
//! recipe.grid.cells = 32;
//! let world = simulate(&recipe, &|_, _| {})?;
//! let lattice = Lattice::Plane { step_m: 1000.0 };
//! let window = lattice.window(300_000.0, 300_000.0, 800_000.0, 800_000.0);
//! let request = Request::new(lattice, window, vec![Sampled::Elevation], Method::Classic)?;
//!
//! let plan = Plan::new(&world, request, 512, "digest of the world")?;
//! assert_eq!(plan.shards(0), 1);
//! let template = plan.template(1, None)?;
//! assert_eq!(template.last().expect("at least one").key, "zarr.json");
//! let made = plan.refine(&world, 0, &|_| {})?;
//! assert_eq!(made[0].key, "elevation/c/0/0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod frame;

mod home;

mod plan;

pub use home::{Coordinates, Home, placed};
pub use plan::{Plan, PlanError, ShardError};
