//! A raster cut into rectangles: what is done in each, whether it is a band of whole rows ([`crate::bands`]) or a tile
//! ([`crate::tiles`]).
//!
//! A [`Tile`] is held with a ring of one more cell on all sides. What is found here depends on the tile and its ring alone;
//! how tiles are put together is the business of those two modules.

pub(crate) mod areas;
pub(crate) mod catchments;
pub(crate) mod codes;
pub(crate) mod flats;
pub(crate) mod gather;
pub(crate) mod joints;
pub(crate) mod passes;
pub(crate) mod spill;
pub(crate) mod tile;
pub(crate) mod ways;

pub(crate) use tile::{Tile, around, without_ring};
