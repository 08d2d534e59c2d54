//! `terrane hydro`: where water goes on somebody's elevation raster.
//!
//! A raster that fits into `--max-memory` is analysed at once, by one function of the library after the other
//! ([`core`]); a larger one in bands of rows ([`banded`]), with the same results. Then streams, basins, summary and
//! picture are made from what was found ([`found`]).

mod arguments;
mod banded;
mod core;
mod folder;
mod found;
mod input;
mod laws;
mod layers;
mod picture;
mod points;
mod rasters;
mod scratch;
mod summary;
mod threshold;
mod thumbnail;
mod vectors;

pub use arguments::Hydro;

use crate::memory;
use crate::output::{Session, advance, check_apart, emit, ending, misuse};
use ::core::cell::RefCell;
use anyhow::{Result, bail};
use arguments::{Depressions, HydroLayer};
use folder::Folder;
use formats::Georeference;
use found::Found;
use grid::{Field, Grid, Shape};
use hydro::Breaching;
use hydro::bands::{Error::Memory, Plan};
use hydro::spread::Rule;
use input::{Input, Surface};
use rasters::{NO_DATA_DIRECTION, esri};
use std::path::{Path, PathBuf};
use summary::About;
use threshold::Threshold;
use thumbnail::Thumbnail;
use vectors::Frame;

/// Runs the command.
pub fn run(args: &Hydro, session: Session) -> Result<()> {
    check(args)?;
    let mut input = Input::open(args)?;
    match input.surface()? {
        Surface::Flat(flat) => analyse(&flat, &mut input, args, session),
        Surface::LonLat(lon_lat) => analyse(&lon_lat, &mut input, args, session),
    }
}

/// Refuses what cannot be meant, before anything is read.
fn check(args: &Hydro) -> Result<()> {
    let positive = [
        ("--breach-length", args.breach_length),
        ("--breach-depth", args.breach_depth),
        ("--exponent", args.exponent),
        ("--concavity", Some(args.concavity)),
    ];
    for (option, value) in positive.into_iter().filter_map(|(o, v)| Some((o, v?))) {
        if !(value > 0.0 && value.is_finite()) {
            return Err(misuse(format!("{option} {value}: expected a positive number")));
        }
    }
    if let Some(snap) = args.snap.filter(|snap| !(*snap >= 0.0 && snap.is_finite())) {
        return Err(misuse(format!("--snap {snap}: expected metres from 0 on")));
    }
    memory::limit(args.memory)?;
    const MOST_SEA_M: f64 = 100_000.0;
    if let Some(sea) = args.sea.filter(|sea| !(-MOST_SEA_M..=MOST_SEA_M).contains(sea)) {
        return Err(misuse(format!("--sea {sea}: expected metres from -{MOST_SEA_M} to {MOST_SEA_M}")));
    }
    if let Some(exponent) = args.exponent.filter(|&p| p > Rule::MAX_EXPONENT) {
        return Err(misuse(format!("--exponent {exponent:e}: expected at most {}", Rule::MAX_EXPONENT)));
    }
    let limits = args.breach_length.is_some() || args.breach_depth.is_some();
    if limits && !matches!(args.depressions, Depressions::Hybrid | Depressions::Least) {
        return Err(misuse("--breach-length and --breach-depth belong to --depressions hybrid or least"));
    }
    if matches!(args.threshold, Some(Threshold::DischargeM3S(_))) && args.runoff.is_none() {
        return Err(misuse("--threshold in m3/s needs --runoff"));
    }
    if args.layers.contains(&HydroLayer::Discharge) && args.runoff.is_none() {
        return Err(misuse("--layers discharge needs --runoff"));
    }
    if args.output.exists() && !args.output.is_dir() {
        return Err(misuse(format!("{} is a file; name a folder", args.output.display())));
    }
    check_inputs_stay(args)
}

/// Refuses a folder in which an output would replace what is read.
fn check_inputs_stay(args: &Hydro) -> Result<()> {
    let runoff = args.runoff.as_ref().map(PathBuf::from);
    let inputs = [Some(&args.dem), args.threshold_raster.as_ref(), runoff.as_ref()];
    let layers = layers::wanted(args).into_iter().map(layers::name);
    let rasters =
        rasters::CORE.into_iter().chain(layers).chain(["watersheds"]).map(|name| format!("{name}.tif"));
    let others = ["summary.json", "map.png"].map(String::from);
    for name in rasters.chain(vectors::files(args)).chain(others) {
        for input in inputs.into_iter().flatten() {
            check_apart(&args.output.join(&name), input)?;
        }
    }
    Ok(())
}

/// The limits of cuts.
fn breaching(args: &Hydro, cell_m: f64) -> Breaching {
    const USUAL_CELLS: f64 = 50.0;
    const MOST_CELLS: usize = 100_000;
    Breaching {
        reach_m: Some(args.breach_length.unwrap_or(USUAL_CELLS * cell_m)),
        deepest_m: args.breach_depth,
        largest_m3: None,
        most_cells: Some(MOST_CELLS),
    }
}

fn analyse<G: Grid>(grid: &G, input: &mut Input, args: &Hydro, session: Session) -> Result<()> {
    let frame = Frame { georeference: input.georeference.clone(), shape: grid.shape() };
    let folder = Folder::make(&args.output)?;
    let budget = (args.memory * 1e9) as u64;
    let (found, thumbnail, basins) = if grid.len() as u64 * core::BYTES_PER_CELL <= budget {
        let (found, thumbnail, basins) = whole(grid, input, &frame, args, session)?;
        (found, thumbnail, Some(basins))
    } else {
        let (found, thumbnail) = in_bands(grid, input, &frame, args, session)?;
        (found, thumbnail, None)
    };
    let is_banded = basins.is_none();
    let basins = match basins {
        None if grid.len() as u64 * vectors::BYTES_PER_CELL <= budget
            && found.basins.len() < input::MOST_NUMBERS =>
        {
            Some(input::numbers(&args.output.join("basins.tif"), frame.shape)?)
        }
        basins => basins,
    };
    vectors::write_all(&found, basins.as_ref(), &frame, args)?;
    if is_banded {
        session.say(
            "worked in bands: the laws of the network (Horton, Hack, Tokunaga ...) need the raster in memory",
        );
    }
    if basins.is_none() {
        session.say("basins as polygons need more memory (--max-memory): only basins.tif was written");
    }
    for warning in input.warnings() {
        session.say(&format!("note: {warning}"));
    }
    let about = about(grid, input, args, is_banded);
    draw(grid, &found, &thumbnail, &frame, &about, &args.output)?;
    folder.keep();
    let json = summary::json(&about, &found, &frame);
    formats::atomic(&args.output.join("summary.json"), |out| {
        use std::io::Write;
        Ok(writeln!(out, "{json:#}")?)
    })?;
    if args.json {
        return emit(&format!("{json:#}\n"));
    }
    emit(&summary::text(&about, &found, &frame))
}

/// In memory: everything that can be asked for.
fn whole<G: Grid>(
    grid: &G,
    input: &mut Input,
    frame: &Frame,
    args: &Hydro,
    session: Session,
) -> Result<(Found, Thumbnail, Field<u32>)> {
    let bar = session.bar("hydro");
    const STEPS: f64 = 8.0;
    let done = RefCell::new(0.0);
    let step = |what: &str| {
        advance(&bar, *done.borrow() / STEPS);
        bar.set_message(what.to_string());
        *done.borrow_mut() += 1.0;
    };
    step("reading");
    let ground = input.whole()?;
    if ground.as_slice().iter().all(|z| z.is_nan()) {
        bail!(without_data(args));
    }
    let own = (frame.shape, &input.info().georeference);
    let beside = core::Beside {
        threshold: args.threshold,
        threshold_each: match &args.threshold_raster {
            Some(path) => Some(input::beside(path, "--threshold-raster", own)?),
            None => None,
        },
        runoff_mm: runoff(args, own)?,
    };
    let outlets = points::places(&ground, frame, args)?;
    let core = core::analyse(grid, ground, args, beside, &step)?;
    step("writing");
    write_core(&core, frame, &args.output)?;
    for layer in layers::wanted(args) {
        bar.set_message(layers::name(layer));
        rasters::write_layer(&args.output, &layers::compute(grid, &core, layer, args)?, frame)?;
    }
    points::watersheds(grid, (&core, &outlets), frame, args, session)?;
    let found = core.found(grid);
    let mut thumbnail = Thumbnail::new(frame.shape.cols as usize, frame.shape.rows as usize);
    let cols = frame.shape.cols as usize;
    for row in 0..frame.shape.rows as usize {
        let cells = row * cols..(row + 1) * cols;
        thumbnail.add_heights(
            row,
            &core.ground.as_slice()[cells.clone()],
            &core.surface.as_slice()[cells.clone()],
        );
        thumbnail.add_basins(row, &core.basins.as_slice()[cells]);
    }
    bar.finish_and_clear();
    Ok((found, thumbnail, core.basins))
}

/// Runoff in millimetres a year, the same everywhere or of a raster.
fn runoff(args: &Hydro, own: (Shape, &Georeference)) -> Result<Option<Field<f32>>> {
    const EXPECTED: &str = "expected millimetres a year, 0 or more, or a GeoTIFF of them";
    let Some(text) = &args.runoff else { return Ok(None) };
    match text.parse::<f32>() {
        Ok(mm) if mm >= 0.0 && mm.is_finite() => Ok(Some(Field::filled(own.0, mm))),
        Err(_) if Path::new(text).exists() || ending(Path::new(text)).starts_with("tif") => {
            let mm = input::beside(Path::new(text), "--runoff", own)?;
            match mm.as_slice().iter().find(|mm| **mm < 0.0) {
                Some(least) => Err(misuse(format!("--runoff {text}: it holds {least}; {EXPECTED}"))),
                None => Ok(Some(mm)),
            }
        }
        _ => Err(misuse(format!("--runoff {text}: {EXPECTED}"))),
    }
}

fn write_core(core: &core::Core, frame: &Frame, folder: &Path) -> Result<()> {
    let surface = core.surface.as_slice();
    rasters::write(folder, ("filled", "m"), f32::NAN, surface, frame)?;
    let coded = |(&d, &n): (&u8, &u32)| if n == 0 { NO_DATA_DIRECTION } else { esri(d) };
    let directions: Vec<u8> =
        core.flow.receiver.as_slice().iter().zip(core.cells.as_slice()).map(coded).collect();
    rasters::write(folder, ("direction", ""), NO_DATA_DIRECTION, &directions, frame)?;
    rasters::write(folder, ("accumulation", "cells"), 0, core.cells.as_slice(), frame)?;
    rasters::write(folder, ("order", ""), 0, core.order.as_slice(), frame)?;
    rasters::write(folder, ("basins", ""), 0, core.basins.as_slice(), frame)?;
    Ok(())
}

/// In bands: the rasters, the network, the summary.
fn in_bands<G: Grid>(
    grid: &G,
    input: &mut Input,
    frame: &Frame,
    args: &Hydro,
    session: Session,
) -> Result<(Found, Thumbnail)> {
    let needed = format!(
        "needs the raster in memory: --max-memory {}",
        gigabytes(grid.len() as u64 * core::BYTES_PER_CELL)
    );
    let for_memory = [
        ("--depressions other than fill", args.depressions != Depressions::Fill),
        ("--layers", !args.layers.is_empty()),
        ("--runoff", args.runoff.is_some()),
        ("--threshold-raster", args.threshold_raster.is_some()),
        ("--outlet", !args.outlet.is_empty()),
    ];
    if let Some((option, _)) = for_memory.iter().find(|(_, asked)| *asked) {
        return Err(misuse(format!("{option} {needed}")));
    }
    let plan = plan(frame, args)?;
    let threshold = args.threshold.unwrap_or_else(|| Threshold::usual(grid.len() as u64));
    let bar = session.bar("hydro");
    let progress = |what: &str, share: f64| {
        bar.set_message(what.to_string());
        advance(&bar, share);
    };
    let mut again = Input::open(args)?;
    let (found, thumbnail) =
        banded::analyse(grid, (input, &mut again), &args.output, frame, (&plan, threshold), &progress)?;
    bar.finish_and_clear();
    if found.facts.data_cells == 0 {
        bail!(without_data(args));
    }
    Ok((found, thumbnail))
}

/// What is wrong with a raster of which nothing is left.
fn without_data(args: &Hydro) -> String {
    let above = args.sea.map_or_else(|| "anywhere".into(), |sea| format!("anywhere above --sea {sea}"));
    format!("{}: band {} has no data {above}", args.dem.display(), args.band)
}

/// Bands that stay within --max-memory.
fn plan(frame: &Frame, args: &Hydro) -> Result<Plan> {
    let threads = rayon::current_num_threads();
    let given = (args.memory * 1e9) as usize;
    let planned = Plan::for_memory(frame.shape, threads, given);
    let Err(Memory { mut needed, .. }) = planned else { return Ok(planned?) };
    // part of the memory is for streams, the more the more there is: what is said to be needed grows a few times
    while let Err(Memory { needed: more, .. }) = Plan::for_memory(frame.shape, threads, needed) {
        needed = more.max(needed + 1);
    }
    let enough = gigabytes(needed as u64);
    Err(misuse(format!("--max-memory {}: this raster needs {enough} GB or more, even in bands", args.memory)))
}

/// What to say after --max-memory for so many bytes: rounded up.
fn gigabytes(bytes: u64) -> f64 {
    (bytes as f64 / 1e5).ceil() / 1e4
}

fn about<G: Grid>(grid: &G, input: &Input, args: &Hydro, in_bands: bool) -> About {
    let middle = grid.row_spacing_m(grid.shape().rows / 2).unwrap_or([grid.cell_m(); 8]);
    let cut = breaching(args, grid.cell_m());
    About {
        file: args.dem.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        band: args.band,
        crs: input.georeference.crs.describe(),
        cell_m: (middle[2], middle[4]),
        depressions: match args.depressions {
            Depressions::Fill => "filled".into(),
            Depressions::Epsilon => "filled with epsilon".into(),
            Depressions::Breach => "breached".into(),
            Depressions::Hybrid => format!("breached {}, the rest filled", limits(&cut)),
            Depressions::Least => format!("breached {} or filled, whichever moves less", limits(&cut)),
        },
        warnings: input.warnings(),
        in_bands,
    }
}

/// The limits of cuts in words.
fn limits(cut: &Breaching) -> String {
    let reach_m = cut.reach_m.unwrap_or(f64::INFINITY).round();
    let depth = cut.deepest_m.map(|d| format!(" and {d} m deep")).unwrap_or_default();
    format!("within {reach_m} m{depth}")
}

/// Draws `map.png`.
fn draw<G: Grid>(
    grid: &G,
    found: &Found,
    thumbnail: &Thumbnail,
    frame: &Frame,
    about: &About,
    folder: &Path,
) -> Result<()> {
    let middle = |&cell: &grid::Cell| {
        let (_, row, col) = frame.shape.split(cell);
        (col as f32 + 0.5, row as f32 + 0.5)
    };
    let line =
        |s: &found::Stream| picture::Line { points: s.cells.iter().map(middle).collect(), order: s.order };
    let lines: Vec<picture::Line> = found.streams.iter().map(line).collect();
    let by = thumbnail.block as f64;
    let rows = (0..thumbnail.height).map(|row| {
        let middle = ((row * thumbnail.block + thumbnail.block / 2) as u32).min(frame.shape.rows - 1);
        grid.row_spacing_m(middle).unwrap_or([grid.cell_m(); 8])
    });
    let (x_m, y_m): (Vec<f64>, Vec<f64>) = rows.map(|spacing| (spacing[2] * by, spacing[4] * by)).unzip();
    let is_even = x_m.iter().all(|&m| m == x_m[0]);
    let spacing = picture::BlockSpacing { x_m, y_m, is_even };
    let words = picture::Words {
        title: about.file.clone(),
        notes: vec![
            format!("{} x {} cells", frame.shape.cols, frame.shape.rows),
            about.crs.clone(),
            format!("streams from {}", found.facts.threshold),
        ],
    };
    let canvas = picture::draw(thumbnail, &lines, &spacing, &words)?;
    crate::picture::save(&canvas, &folder.join("map.png"))
}
