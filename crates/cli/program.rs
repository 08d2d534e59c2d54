//! A command line from its words to the status that the program ends with.

use crate::args::{Cli, Command};
use crate::output::{self, Misuse, Session, misuse};
use crate::{bench, demo, generate, hydro, import, info, map, recipe, refine, region, rivers, score, serve};
use anyhow::{Context, Result};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;

/// Does what the words say, the program's name first, and returns the exit status.
pub fn answer(words: impl IntoIterator<Item = OsString>) -> u8 {
    match Cli::try_parse_from(words) {
        Ok(cli) => end(run(cli)),
        Err(refusal) => explain(&refusal),
    }
}

/// The exit status, after an error is told.
fn end(result: Result<()>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(error) if output::is_closed_pipe(&error) => 0,
        Err(error) => {
            output::complain(&error);
            status(&error)
        }
    }
}

/// The exit status for an error.
pub fn status(error: &anyhow::Error) -> u8 {
    if error.is::<Misuse>() { 2 } else { 1 }
}

/// Prints help where it was asked for or nothing else was said; tells what is wrong with a command line in a line.
fn explain(refusal: &clap::Error) -> u8 {
    match refusal.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            end(refusal.print().context("writing to standard output"))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = refusal.print();
            2
        }
        _ => end(Err(refused(refusal))),
    }
}

/// What is wrong with a command line, as a misuse.
pub fn refused(refusal: &clap::Error) -> anyhow::Error {
    misuse(in_one_line(&refusal.render().to_string()))
}

/// The parser's message without its paragraphs about usage.
fn in_one_line(message: &str) -> String {
    let about_error = |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    let lines = message.lines().map(str::trim).take_while(about_error).filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    format!("{}; see --help", line.trim_start_matches("error: "))
}

/// Runs the command that was parsed.
///
/// # Errors
/// Whatever goes wrong, be it said or met.
pub fn run(cli: Cli) -> Result<()> {
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let session = Session { quiet: cli.quiet, verbose: cli.verbose };
    match cli.command {
        Command::Demo(args) => demo::run(&args, session),
        Command::Generate(args) => generate::run(&args, session),
        Command::Import(args) => import::run(&args, session),
        Command::Info(args) => info::run(&args, session),
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
