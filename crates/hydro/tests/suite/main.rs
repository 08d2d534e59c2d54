//! Water against slow and obvious ways, other programs' answers, and bad input.

mod bands;
mod breaching;
mod common;
mod cutting;
mod d8;
mod depressions;
mod descent;
mod fill;
mod fill_fast;
mod flats;
mod flow;
mod hostile;
mod lakes;
mod network;
mod outline;
mod planar;
mod raster;
mod reference;
mod spread;
mod statistics;
mod terrain;
mod threads;
mod tiles;
