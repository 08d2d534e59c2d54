//! The crust: where land is, the plates that carry it, the faults between them, and the ground and sea floor
//! without mountains.

pub mod continents;

pub mod plates;

pub mod faults;

pub(crate) mod polyline;

pub mod sea_floor;

pub mod base;
