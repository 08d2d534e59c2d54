//! Clocks and memory of this process, as far as the system tells.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a benchmark reads clocks")]

use std::fs;
use std::time::Instant;

/// Runs some work and says how many seconds it took: of the processor, of this thread alone, where the system counts them; by
/// the clock elsewhere. The work must not hand anything to other threads.
pub fn seconds_of<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (start, processor_ns) = (Instant::now(), thread_ns());
    let done = work();
    let by_clock = start.elapsed().as_secs_f64();
    let of_processor = processor_ns.zip(thread_ns()).map(|(from, to)| to.saturating_sub(from) as f64 * 1e-9);
    (done, of_processor.unwrap_or(by_clock))
}

/// Runs some work and says how many seconds passed.
pub fn seconds_by_clock<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64())
}

/// What [`seconds_of`] counts here.
pub fn clock_name() -> &'static str {
    if thread_ns().is_some() { "processor" } else { "wall" }
}

/// Nanoseconds that the processor has worked on this thread (Linux).
fn thread_ns() -> Option<u64> {
    fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// The machine in words: processor, cores, system.
pub fn machine() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|m| m.1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {cores} threads, {} {}",
        model.unwrap_or("unknown processor"),
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

/// The middle of some numbers; of an even number of them the greater of the two in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
