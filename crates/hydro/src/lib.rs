//! Water over any grid: depressions, flow, rivers, basins, lakes.
//!
//! Nothing here knows whether it stands on a planet or on somebody's raster: everything is asked of a
//! [`grid::Grid`], and nothing is read or written. The core is two arrays, the receiver of each cell and an order
//! from the outlets up; the rest is a pass over them. Results are the same bits with any number of threads, because
//! every tie has a rule; rasters larger than memory give the same bits too ([`bands`]). Shapes must agree: a field of
//! another shape than the grid's is a mistake of the program, and functions that take one panic.
//!
//! ```
//! use grid::{Cell, Field, Flat, Grid};
//! use hydro::{Flow, Links, Outlets, network};
//!
//! let map = Flat::new(5, 4, 30.0)?;
//! #[rustfmt::skip]
//! let heights_m = vec![
//!     9.0, 9.0, 9.0, 9.0, 9.0,
//!     9.0, 5.0, 3.0, 6.0, 9.0, // a hollow ...
//!     9.0, 7.0, 4.0, 5.0, 2.0, // ... and a gap to the east
//!     9.0, 9.0, 9.0, 9.0, 9.0,
//! ];
//! let elevation = Field::from_vec(map.shape(), heights_m).expect("one for each cell");
//! let links = Links::all(&map);
//! let outlets = Outlets::at_border(&map, &links, &elevation);
//!
//! let filled = hydro::fill(&map, &links, &elevation, &outlets);
//! assert_eq!(filled[Cell(7)], 5.0);
//!
//! let flow = Flow::from_receivers(&map, hydro::directions(&map, &links, &filled, &outlets))?;
//! let cells = hydro::accumulate_cells(&map, &flow.receiver)?;
//! assert_eq!(cells[Cell(14)], 20); // everything runs out through the gap
//!
//! let streams = network::streams_above(&cells, 3);
//! let order = hydro::strahler(&map, &flow, &streams);
//! assert_eq!(order[Cell(14)], 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Two roads lead to a [`Flow`]. That of the example is the fast one. A world takes the other, [`flood()`] and
//! [`route()`], which also says from where each lake was flooded: what depressions with a water balance need.
//!
//! Modules, in reading order:

mod stencil;

mod neighbors;

pub mod links;

pub mod outlets;

pub mod fill;

pub mod breach;

pub mod d8;

pub mod flats;

pub mod flow;

mod descent;

pub mod gather;

pub mod streams;

pub mod network;

pub mod spread;

pub mod terrain;

pub mod outline;

pub mod statistics;

mod cut;

pub mod bands;

pub mod tiles;

pub mod flood;

pub mod route;

pub mod lakes;

pub mod depressions;

pub mod balance;

pub mod terminal;

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
pub use route::{receivers, receivers_by, route};
pub use streams::{Reach, reaches, strahler};
pub use terminal::lead_to_lakes;
