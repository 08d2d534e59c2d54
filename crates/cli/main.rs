//! The program `terrane`: makes worlds, looks at them, and takes parts of them home.
//!
//! One file per command; each reads its arguments, calls the libraries, and writes. Data goes to standard
//! output, messages and progress to standard error. Exit status: 0 done, 1 failed, 2 misused.

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
mod output;
mod picture;
mod places;
mod print;
mod profile;
mod recipe;
mod refine;
mod region;
mod river_layers;
mod rivers;
mod score;
mod serve;
mod way;

use anyhow::{Context, Result};
use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use output::{Misuse, Session, misuse};
use std::process::ExitCode;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => end(run(cli)),
        Err(refusal) => explain(&refusal),
    }
}

/// The exit status, after an error is told.
fn end(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::from(if error.is::<Misuse>() { 2 } else { 1 })
        }
    }
}

/// Prints help where it was asked for or nothing else was said; tells what is wrong with a command line in a line.
fn explain(refusal: &clap::Error) -> ExitCode {
    match refusal.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            end(refusal.print().context("writing to standard output"))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = refusal.print();
            ExitCode::from(2)
        }
        _ => end(Err(misuse(in_one_line(&refusal.render().to_string())))),
    }
}

/// The parser's message without its paragraphs about usage.
fn in_one_line(message: &str) -> String {
    let about_error = |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    let lines = message.lines().map(str::trim).take_while(about_error).filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    format!("{}; see --help", line.trim_start_matches("error: "))
}

fn run(cli: Cli) -> Result<()> {
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let session = Session { quiet: cli.quiet, verbose: cli.verbose };
    match cli.command {
        Command::Demo(args) => demo::run(&args, session),
        Command::Generate(args) => generate::run(&args, session),
        Command::Import(args) => import::run(&args, session),
        Command::Info(args) => info::run(&args),
        Command::Map(args) => map::run(&args, session),
        Command::Region(args) => region::run(&args, session),
        Command::Refine(args) => refine::run(&args, session),
        Command::Rivers(args) => rivers::run(&args, session),
        Command::Hydro(args) => hydro::run(&args, session),
        Command::Serve(args) => serve::run(&args, session),
        Command::Score(args) => score::run(&args, session),
        Command::Bench(args) => bench::run(&args, session),
        Command::Recipe(args) => recipe::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "terrane", &mut script);
            output::emit(&String::from_utf8_lossy(&script))
        }
    }
}
