//! The program `terrane`: makes worlds, looks at them, and takes parts of them home.
//!
//! One file per command; each reads its arguments, calls the libraries, and writes. Data goes to standard
//! output, messages and progress to standard error. Exit status: 0 done, 1 failed, 2 misused.

#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(dead_code, reason = "what only `main` calls"))]

mod area;
mod args;
mod basins;
mod bench;
mod chart;
mod demo;
mod generate;
mod geojson;
mod given;
mod hydro;
mod import;
mod info;
mod map;
mod memory;
mod named;
mod output;
mod picture;
mod places;
mod print;
mod profile;
mod program;
mod recipe;
mod refine;
mod region;
mod river_layers;
mod rivers;
mod score;
mod serve;
mod way;

/// The program as a target of cargo-fuzz, which has a `main` of its own.
#[cfg(fuzzing)]
#[path = "../../fuzz/targets/command_line.rs"]
mod fuzzed;

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(program::answer(std::env::args_os()))
}
