//! Water on a raster of 4096 x 4096 cells (or `TERRANE_BENCH_SIDE`), operation by operation, beside other programs.
//!
//! Each line is the best of three runs: CPU-seconds with one thread, seconds of the clock with one and with two, million
//! cells a CPU-second, the ratio to the fastest peer, and the most memory taken beyond input and output, in bytes a cell. `benches/peers/peers.py` measures the peers on the same elevation and leaves it, and its figures,
//! in `target/peers`; without them the elevation is a like one of our own and there are no ratios. The floor is a copy
//! of the elevation; the bytes that an operation must move at least stand in `RESULTS.md`.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench measures and tells"
)]

#[path = "../crates/store/tests/hostile/allocator.rs"]
mod allocator;

use grid::noise::Fractal;
use grid::{Field, Flat, Grid, Purpose, Seed, Vec3};
use hydro::{Flow, Links, Outlets};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

/// Runs of which the best counts.
const RUNS: usize = 3;

/// Seconds of each peer for each operation.
type Peers = BTreeMap<String, BTreeMap<String, f64>>;

fn main() {
    // `cargo test --benches` and `cargo bench` with a filter for another bench pass arguments of their own.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let side: u32 = std::env::var("TERRANE_BENCH_SIDE").ok().and_then(|s| s.parse().ok()).unwrap_or(4096);
    let map = Flat::new(side, side, 30.0).expect("a side in range");
    let bench = Bench { peers: peers(side), cells: map.len() };
    run(&bench, &map, &elevation(&map));
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/peers")
}

fn peers(side: u32) -> Peers {
    let text = std::fs::read_to_string(folder().join(format!("peers_{side}.json"))).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// The peers' elevation if it is there, else a fractal island like it.
fn elevation(map: &Flat) -> Field<f32> {
    let side = map.shape().rows;
    let bytes = std::fs::read(folder().join(format!("dem_{side}.npy"))).unwrap_or_default();
    let values = 4 * map.len();
    if bytes.len() > values {
        let (_, body) = bytes.split_at(bytes.len() - values);
        let heights = body.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        return Field::from_vec(map.shape(), heights).expect("one value for each cell");
    }
    println!("target/peers has no elevation of this size: an own one, and no ratios\n");
    const LAND: Purpose = Purpose::new("benches/hydro/land");
    let noise = Fractal::new(Seed(42).key(LAND), 14, 0.7);
    Field::from_fn(map.shape(), |c| {
        let unit = |x: f64| 2.0 * x / (f64::from(side) * 30.0) - 1.0;
        let at = map.center(c);
        let (u, v) = (unit(at.x), unit(at.y));
        let bump = 2.0 * (1.0 - u * u) * (1.0 - v * v);
        (400.0 * (bump + 2.0 * noise.fbm(Vec3::new(u, v, 0.5)))) as f32
    })
}

struct Bench {
    peers: Peers,
    cells: usize,
}

impl Bench {
    fn heading(&self) {
        println!(
            "| operation | CPU-s | million cells/s | fastest peer | its CPU-s | times as fast | two threads |"
        );
        println!("|---|---:|---:|---|---:|---:|---:|");
    }

    /// Prints one operation's line. `peer` names the operation among the peers' figures, `result` is the size of what it
    /// gives in bytes a cell.
    fn line<T: Send>(&self, name: &str, peer: &str, result: usize, work: impl Fn() -> T + Sync) {
        let (cpu_s, one_s) = best(1, &work);
        let (_, two_s) = best(2, &work);
        let (_, peak) = allocator::peak(|| drop(black_box(work())));
        let bytes = (peak as f64 / self.cells as f64 - result as f64).max(0.0);
        let speed = self.cells as f64 / cpu_s / 1e6;
        let fastest = self.peers.get(peer).and_then(|p| p.iter().min_by(|a, b| a.1.total_cmp(b.1)));
        let versus = match fastest {
            Some((who, seconds)) => format!("{who} | {seconds:.3} | {:.1}", seconds / cpu_s),
            None => "| | ".into(),
        };
        println!(
            "| {name} | {cpu_s:.3} | {speed:.0} | {versus} | {two_s:.3} s, x {:.2} | {bytes:.1} |",
            one_s / two_s
        );
    }
}

/// Least CPU-seconds and least seconds of the clock of a few runs in a pool of so many threads.
fn best<T>(threads: usize, work: &(impl Fn() -> T + Sync)) -> (f64, f64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let once = |_| {
        pool.install(|| {
            let (start, before) = (Instant::now(), thread_seconds());
            black_box(work());
            let clock_s = start.elapsed().as_secs_f64();
            (before.and_then(|before| Some(thread_seconds()? - before)).unwrap_or(clock_s), clock_s)
        })
    };
    let least = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.min(b.1));
    (0..RUNS).map(once).fold((f64::INFINITY, f64::INFINITY), least)
}

/// Time that this thread was on a processor; `None` but on Linux.
fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

fn run(bench: &Bench, map: &Flat, land: &Field<f32>) {
    let links = Links::all(map);
    let outlets = Outlets::at_border(map, &links, land);
    let filled = hydro::fill(map, &links, land, &outlets);
    let sunk = land.as_slice().iter().zip(filled.as_slice()).filter(|(z, w)| w > z).count();
    println!("{} cells, {:.1} % of them in depressions\n", map.len(), 100.0 * sunk as f64 / map.len() as f64);
    let receivers = hydro::directions(map, &links, &filled, &outlets);
    let flow = Flow::from_receivers(map, receivers.clone()).expect("receivers without circles");
    let all = Field::filled(map.shape(), true);
    let ones = Field::filled(map.shape(), 1.0);

    bench.heading();
    bench.line("copy (the floor)", "", 4, || land.clone());
    bench.line("fill, exact", "fill", 4, || hydro::fill(map, &links, land, &outlets));
    bench.line("fill with epsilon", "fill_epsilon", 4, || hydro::fill_epsilon(map, &links, land, &outlets));
    bench.line("D8 alone", "d8", 1, || hydro::d8(map, &links, &filled));
    bench.line("D8 with flats", "d8_flats", 1, || hydro::directions(map, &links, &filled, &outlets));
    bench.line("fill and directions", "fill_and_directions", 1, || {
        hydro::directions(map, &links, &hydro::fill(map, &links, land, &outlets), &outlets)
    });
    bench
        .line("accumulation from directions", "accumulation", 4, || hydro::accumulate_cells(map, &receivers));
    bench.line("order of cells", "order", 9, || Flow::from_receivers(map, receivers.clone()));
    bench.line("accumulation, order given", "accumulation_ordered", 8, || {
        hydro::accumulate(map, &flow, &ones)
    });
    bench.line("Strahler, order given", "strahler", 1, || hydro::strahler(map, &flow, &all));
    bench.line("basins, order given", "basins", 4, || hydro::basins(map, &flow));
    bench.line("breaching, complete", "breach", 4, || hydro::breach_all(map, &links, land, &outlets));
    bench.line("whole pipeline", "pipeline", 13, || pipeline(map, land));
}

/// Elevation to filled surface, directions, number of cells above, orders and basins.
fn pipeline(map: &Flat, land: &Field<f32>) -> (Field<f32>, Field<u32>, Field<u8>, Field<u32>) {
    let links = Links::all(map);
    let outlets = Outlets::at_border(map, &links, land);
    let filled = hydro::fill(map, &links, land, &outlets);
    let receivers = hydro::directions(map, &links, &filled, &outlets);
    let cells = hydro::accumulate_cells(map, &receivers).expect("receivers without circles");
    let flow = Flow::from_receivers(map, receivers).expect("receivers without circles");
    let is_stream = cells.map(|&n| n >= 1000);
    let order = hydro::strahler(map, &flow, &is_stream);
    (filled, cells, order, hydro::basins(map, &flow))
}
