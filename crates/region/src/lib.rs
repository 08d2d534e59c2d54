//! Refinement: a world answers at any place and at any resolution.
//!
//! A region is a pure function of the world, of each sample's own position, and of the resolution. It never
//! depends on the window that was asked for: two overlapping regions on one lattice are equal, bit for bit,
//! where they overlap.
//!
//! ```
//! use region::{Lattice, Method, Request, Sampled, Window};
//! use world::{Recipe, simulate};
//!
//! let mut recipe = Recipe::preset("earthlike").expect("a built-in recipe");
//! recipe.grid.cells = 16;
//! let world = simulate(&recipe, &|_, _| {}).expect("the recipe is sound");
//!
//! let lattice = Lattice::lon_lat(recipe.grid.radius_km * 1000.0, 20_000.0);
//! let window = Window { west: 50, north: 120, width: 40, height: 30 };
//! let request = Request::new(lattice, window, vec![Sampled::Elevation], Method::Classic).expect("not too large");
//! let region = region::refine(&world, &request, &|_share| {}).expect("the world is in memory");
//! assert_eq!(region.layer(Sampled::Elevation).expect("asked for").len(), 40 * 30);
//! ```
//!
//! Modules, in reading order:

pub mod lattice;

pub mod mask;

pub mod request;

mod banks;
mod bend;

mod cache;

mod patch;

mod curve;

mod tangent;
pub mod template;

pub mod features;

mod ground;

mod primitives;

mod terrain;

mod envelope;

mod high;

mod moisture;

mod sample;

mod refine;

mod blend;

mod drainage;

mod drained;

pub mod survey;

mod derived;

pub mod land_cover;

pub mod vectors;

pub mod summits;

pub mod river_lines;

pub mod descent;

pub use blend::{Share, blend};
pub use cache::Cache;
pub use features::{CellFeatures, Crest, CrestSegment, Peak, Profile, River, crest_lines_near, features_of};
pub use lattice::{Lattice, Window};
pub use mask::{Area, Mask};
pub use patch::mean_and_summit_m;
pub use refine::{RefineError, Region, refine};
pub use request::{Method, Request, RequestError, Sampled, channel_bytes};
pub use river_lines::RiverLines;
pub use vectors::{VectorLayer, Vectors, vectors};
pub use world::channel_depth_m;

/// Counts changes of what the regions of a world are like. What was begun with one is not gone on with by another.
pub const REVISION: u32 = 31;

#[cfg(test)]
mod forged;
