//! The program `terrane`: makes worlds, looks at them, and takes parts of them home.
//!
//! One file per command; each reads its arguments, calls the libraries, and writes. Data goes to standard
//! output, messages and progress to standard error. Exit status: 0 done, 1 failed, 2 misused.

mod args;
mod demo;
mod generate;
mod info;
mod map;
mod output;
mod picture;
mod places;
mod recipe;
mod region;
mod river_lines;
mod rivers;
mod world_file;

use anyhow::Result;
use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use output::{Misuse, Session};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::from(if error.is::<Misuse>() { 2 } else { 1 })
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let session = Session { quiet: cli.quiet, verbose: cli.verbose };
    match cli.command {
        Command::Demo(args) => demo::run(&args, session),
        Command::Generate(args) => generate::run(&args, session),
        Command::Info(args) => info::run(&args),
        Command::Map(args) => map::run(&args, session),
        Command::Region(args) => region::run(&args, session),
        Command::Rivers(args) => rivers::run(&args, session),
        Command::Recipe(args) => recipe::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "terrane", &mut script);
            output::emit(&String::from_utf8_lossy(&script))
        }
    }
}
