//! Water over any grid: depressions, flow, rivers, basins, lakes.
//!
//! Nothing here knows whether it stands on a planet or on somebody's raster: everything is asked of a
//! [`grid::Grid`]. The core is two arrays, the receiver of each cell and an order from the outlets up;
//! the rest is a pass over them. Shapes must agree: a field of another shape than the grid's is a mistake
//! of the program, and functions that take one panic.
//!
//! ```
//! use grid::{Field, Flat, Grid};
//! use hydro::Links;
//!
//! let map = Flat::new(4, 1, 30.0).expect("four cells in a row");
//! let elevation = Field::from_vec(map.shape(), vec![2.0, 1.0, 3.0, 0.0]).expect("one for each cell");
//! let links = Links::planar(&map, &elevation);
//! let flood = hydro::flood(&map, &links, &elevation, |cell| cell.0 == 3);
//! assert_eq!(flood.filled.as_slice(), [3.0, 3.0, 3.0, 0.0]);
//!
//! let flow = hydro::route(&map, &links, &flood);
//! let gathered = hydro::accumulate(&map, &flow, &Field::filled(map.shape(), 1.0));
//! assert_eq!(gathered.as_slice(), [1.0, 2.0, 3.0, 4.0]);
//! ```
//!
//! Modules, in reading order:

mod stencil;

mod neighbors;

mod descent;

pub mod links;

pub mod outlets;

pub mod flood;

pub mod fill;

pub mod flow;

pub mod d8;

pub mod flats;

pub mod route;

pub mod gather;

pub mod spread;

pub mod terrain;

pub mod streams;

pub mod network;

pub mod outline;

pub mod lakes;

pub mod depressions;

pub mod breach;

pub mod balance;

pub mod terminal;

pub mod statistics;

pub mod bands;

pub use balance::{Budget, Fill, Standing, balance};
pub use breach::{Breached, Breaching, breach, breach_all, hybrid, least_change};
pub use d8::d8;
pub use depressions::{Depression, Depressions};
pub use fill::{fill, fill_epsilon};
pub use flats::{FlatDistances, directions, drain_flats, flat_distances};
pub use flood::{Flood, border_outlets, flood};
pub use flow::{Flow, FlowError, NONE};
pub use gather::{accumulate, accumulate_cells, basins};
pub use lakes::{Lake, lakes};
pub use links::Links;
pub use outlets::Outlets;
pub use outline::{Outline, Part, Patch, outlines, patches};
pub use route::{receivers, route};
pub use streams::{Reach, reaches, strahler};
pub use terminal::lead_to_lakes;
