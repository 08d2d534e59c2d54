//! The built program, end to end.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

mod bench;
mod browser;
#[path = "../shared/cases.rs"]
mod cases;
mod cli_support;
mod demo;
mod exports;
mod files;
mod full_disk;
mod given;
mod help;
mod hydro;
mod hydro_desk;
mod hydro_misuse;
mod hydro_more;
mod import;
mod kills;
mod long;
mod memory;
mod misuse;
mod printed;
mod random;
mod refine;
mod region;
mod region_layers;
mod region_places;
mod region_polygon;
mod region_reaches;
mod region_vectors;
mod rivers;
mod score;
mod serve;
mod worlds;
