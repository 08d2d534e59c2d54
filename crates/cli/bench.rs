//! `terrane bench`: how long refinement takes, what it reads and keeps, and whether it agrees with itself, at fixed places of a
//! fixed world and at fixed levels. `docs/BENCHMARK.md` says what each figure means.
//!
//! The world is made by another process, so that memory that simulating took is none of refinement's.

mod figures;
mod measure;
mod meter;
mod places;
mod scaling;
mod tables;

use crate::args::{self, BenchPlace};
use crate::output::{Session, advance, emit};
use anyhow::{Context, Result, bail};
use archive::{ENGINE, WorldView};
use figures::{Bench, Row};
use measure::Measurer;
use places::chosen;
use scaling::scaling;
use std::path::Path;
use std::process::{Command, Stdio};
use world::CellSource;

/// The world's seed.
const SEED: u64 = 42;
/// Levels at which tiles are measured, and fewer of them for a quick look.
const LEVELS: &[u8] = &[2, 4, 6, 8, 10, 12];
const QUICK_LEVELS: &[u8] = &[2, 6, 10];
/// How often times are taken; the median counts.
const TIMES: usize = 3;
const QUICK_TIMES: usize = 1;

/// Runs the command.
pub fn run(args: &args::Bench, session: Session) -> Result<()> {
    let temporary = std::env::temp_dir();
    let (folder, _lock) = formats::temporary_folder(&temporary.join("terrane-bench"), &temporary)
        .with_context(|| format!("making a folder for the world in {}", temporary.display()))?;
    let path = folder.path().join("earthlike.terrane");
    session.say(&format!(
        "making the world: earthlike, seed {SEED}, {} cells along a side of a face",
        args.cells
    ));
    make_world(&path, args.cells)?;
    let bench = measure(&path, args, session)?;
    emit(&if args.json { format!("{:#}\n", bench.to_json()) } else { tables::text(&bench) })?;
    match bench.broken().as_slice() {
        [] => Ok(()),
        broken => bail!("what must be 0 is not: {}", broken.join("; ")),
    }
}

fn make_world(path: &Path, cells: u32) -> Result<()> {
    let program = std::env::current_exe().context("finding this program's own file")?;
    let mut command = Command::new(program);
    command.args(["generate", "--quiet", "--recipe", "earthlike"]).arg("-o").arg(path);
    command.args(["--seed", &SEED.to_string(), "--cells", &cells.to_string()]);
    command.args(["--threads", &rayon::current_num_threads().to_string()]);
    let output = command.stdin(Stdio::null()).output().context("starting this program again")?;
    if !output.status.success() {
        bail!("the world could not be made: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(())
}

fn measure(path: &Path, args: &args::Bench, session: Session) -> Result<Bench> {
    let (levels, times) = if args.quick { (QUICK_LEVELS, QUICK_TIMES) } else { (LEVELS, TIMES) };
    let levels = if args.levels.is_empty() { levels } else { &args.levels };
    let places = chosen(&args.places);
    let measurer = Measurer::new(path, times)?;
    let bar = session.bar("measuring");
    let mut rows: Vec<Row> = Vec::with_capacity(places.len() * levels.len());
    for place in &places {
        for &level in levels {
            bar.set_message(format!("{}, level {level}", place.name));
            rows.push(measurer.row(place, level)?);
            advance(&bar, rows.len() as f64 / (places.len() * levels.len()) as f64);
        }
    }
    bar.set_message("threads");
    let range = places.iter().find(|spot| spot.place == BenchPlace::Range);
    let threads = range.map_or(Ok(Vec::new()), |range| scaling(path, range, times))?;
    bar.finish_and_clear();
    let view = WorldView::open(path)?;
    Ok(Bench {
        engine: ENGINE,
        machine: meter::machine(),
        clock: meter::clock_name(),
        quick: args.quick,
        world: view.recipe().name.clone(),
        seed: SEED,
        cells: view.recipe().grid.cells,
        digest: view.file.digest().to_string(),
        rows,
        threads,
    })
}
