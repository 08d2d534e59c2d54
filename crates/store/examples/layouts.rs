//! Measures what chunk side and filter cost and give: the table of `docs/FORMAT.md`.
//!
//! `cargo run --release -p terrane-store --example layouts [CELLS]`

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "it measures time and prints"
)]

mod synthetic;

use grid::{Cell, Layer, Shape};
use std::error::Error;
use std::time::Instant;
use store::{Contents, Filter, Layout, Meta, WorldFile, write_with};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let side = std::env::args().nth(1).map_or(Ok(512), |text| text.parse())?;
    let world = synthetic::World::new(side);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("world.terrane");
    println!("| chunk side | filter | file MB | write ms | open ms | read all ms | gather us | gather KB |");
    println!("|---|---|---|---|---|---|---|---|");
    for chunk_side in [32, 64, 128] {
        for filter in [Filter::Plain, Filter::Shuffle] {
            let layout = Layout { chunk_side, filter };
            let (write_ms, bytes) = best(3, || Ok(write_with(&path, &world.contents(), layout, &|_| {})?))?;
            let (open_ms, _) = best(20, || Ok(WorldFile::open(&path)?))?;
            let (read_ms, _) = best(3, || read_all(&path))?;
            let (gather_ms, kilobytes) = best(20, || gather_patch(&path))?;
            let megabytes = bytes as f64 / 1e6;
            println!(
                "| {chunk_side} | {filter:?} | {megabytes:.2} | {write_ms:.0} | {open_ms:.2} | {read_ms:.0} | {:.0} | {kilobytes:.0} |",
                (gather_ms - open_ms) * 1e3
            );
        }
    }
    println!("\n| layer | raw MB | Plain | Shuffle |\n|---|---|---|---|");
    world.layers.iter().try_for_each(|layer| print_layer(layer, &path))
}

/// The least milliseconds of some runs, and what the last one gave.
fn best<T>(runs: usize, mut run: impl FnMut() -> Outcome<T>) -> Outcome<(f64, T)> {
    let mut least = f64::INFINITY;
    let mut last = None;
    for _ in 0..runs {
        let start = Instant::now();
        last = Some(run()?);
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok((least, last.ok_or("at least one run")?))
}

fn read_all(path: &std::path::Path) -> Outcome<()> {
    let file = WorldFile::open(path)?;
    for info in file.layers() {
        file.layer(&info.name)?;
    }
    Ok(())
}

/// Opens, and reads 6 x 6 cells of all layers across a corner of four chunks. Gives the kilobytes it took.
fn gather_patch(path: &std::path::Path) -> Outcome<f64> {
    let file = WorldFile::open(path)?;
    let opened = file.bytes_read();
    let Shape { rows, .. } = file.shape();
    let corner = rows / 2 - 3;
    let cells: Vec<Cell> = (0..36).map(|i| file.shape().join(2, corner + i / 6, corner + i % 6)).collect();
    for info in file.layers() {
        file.gather(&info.name, &cells)?;
    }
    Ok((file.bytes_read() - opened) as f64 / 1e3)
}

fn print_layer(layer: &Layer, path: &std::path::Path) -> Outcome<()> {
    let meta = Meta::default();
    let shape = layer.values.shape();
    let contents = Contents { meta: &meta, shape, layers: std::slice::from_ref(layer), tables: &[] };
    let mut row = format!("| {} {} |", layer.name, layer.values.dtype());
    let width = match layer.values.dtype() {
        "u8" => 1,
        "u16" => 2,
        "f64" => 8,
        _ => 4,
    };
    row += &format!(" {:.2} |", (shape.len() * width) as f64 / 1e6);
    for filter in [Filter::Plain, Filter::Shuffle] {
        let layout = Layout { filter, ..Layout::default() };
        row += &format!(" {:.2} |", write_with(path, &contents, layout, &|_| {})? as f64 / 1e6);
    }
    println!("{row}");
    Ok(())
}
