//! The vocabulary of Terrane: where things are, what they are called, and what chance decides there.
//!
//! Everything else stands on this crate, and this crate knows nothing of terrain.
//!
//! ```
//! use grid::{Direction, Globe, Grid, Purpose, Seed};
//!
//! let globe = Globe::new(64, 6_371_000.0).expect("64 cells a side is in range");
//! let cell = globe.locate(globe.at_lon_lat(11.6, 48.1)).expect("the globe has no border");
//! let east = globe.step(cell, Direction::E).expect("sides are never missing on a globe");
//! assert_eq!(globe.neighbor(east.cell, east.back), Some(cell));
//!
//! const CROSSING: Purpose = Purpose::new("docs/crossing");
//! let edge = globe.edge(cell, Direction::E).expect("E is a side");
//! let here = Seed(42).key(CROSSING).at(edge).unit();
//! let there = Seed(42).key(CROSSING).at(globe.edge(east.cell, east.back).expect("a side")).unit();
//! assert_eq!(here, there); // a border belongs to the edge, not to either cell
//! ```
//!
//! Modules, in reading order:

pub mod math;

pub mod direction;

pub mod address;

pub mod topology;

pub mod globe;

pub mod flat;

pub mod lonlat;

pub mod parts;

pub mod field;

pub mod table;

pub mod key;

pub mod noise;

pub mod projection;

pub use address::{Cell, Edge, Level, Nth, Part, Vertex};
pub use direction::{Direction, RidgeDirections};
pub use field::{Field, Layer, Values};
pub use flat::Flat;
pub use globe::Globe;
pub use key::{Draw, Key, Purpose, Seed};
pub use lonlat::LonLat;
pub use math::Vec3;
pub use projection::Projection;
pub use table::{Column, Table};
pub use topology::{Grid, GridError, Shape, Step, Topology};
