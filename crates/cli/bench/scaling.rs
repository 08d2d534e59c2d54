//! Whether more threads are faster.

use super::figures::Threads;
use super::measure::square;
use super::meter::{median, seconds_by_clock};
use super::places::Spot;
use anyhow::{Context, Result};
use archive::WorldView;
use rayon::ThreadPoolBuilder;
use region::{Cache, Sampled, refine};
use std::path::Path;
use world::CellSource;

/// The level, and the side of the window in samples.
pub const LEVEL: u8 = 8;
pub const SIDE: usize = 1024;
/// Drainage that is kept while a window is made, in bytes.
const KEPT: u64 = 1 << 30;

/// Times of one window with 1, 2, 4 ... threads up to all cores, cold.
pub fn scaling(path: &Path, place: &Spot, times: usize) -> Result<Vec<Threads>> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let doubled = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n < all);
    doubled.chain([all]).map(|threads| timed(path, place, (threads, times))).collect()
}

fn timed(path: &Path, place: &Spot, (threads, times): (usize, usize)) -> Result<Threads> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().context("threads")?;
    let mut seconds = Vec::with_capacity(times);
    for _ in 0..times {
        let cold = || -> Result<()> {
            let view = WorldView::open(path)?;
            let request = square(view.grid(), place, (LEVEL, SIDE, (0, 0)), &[Sampled::Elevation])?;
            refine(&view, &request.with_cache(&Cache::new(KEPT)), &|_| {})?;
            Ok(())
        };
        let (made, took) = seconds_by_clock(|| pool.install(cold));
        made?;
        seconds.push(took);
    }
    Ok(Threads { threads, seconds: median(seconds) })
}
