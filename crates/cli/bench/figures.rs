//! What was measured, and what of it must be 0.

use region::survey::{AcrossLevels, Astray, Beds, Seam};
use serde_json::{Value, json};

/// Seconds of a window.
#[derive(Clone, Copy)]
pub struct Times {
    /// Its samples.
    pub samples: usize,
    /// From opening the file, with nothing known.
    pub cold_s: f64,
    /// Once more, with all that the first time found out and read.
    pub warm_s: f64,
}

impl Times {
    /// Nanoseconds of a sample, cold and warm.
    pub fn ns_per_sample(self) -> [f64; 2] {
        [self.cold_s, self.warm_s].map(|s| s * 1e9 / self.samples as f64)
    }
}

/// A place at a level.
pub struct Row {
    pub place: &'static str,
    pub at: (f64, f64),
    pub level: u8,
    pub spacing_m: f64,
    pub tile: Times,
    pub window: Times,
    /// Rivers, ridges, buttresses and peaks with a part in the tile.
    pub features: usize,
    /// The same over the tile's area in cells of the world.
    pub features_per_cell: f64,
    pub bytes_read: u64,
    pub peak_bytes: Option<u64>,
    pub seam: Seam,
    pub across: AcrossLevels,
    pub astray: Astray,
    pub beds: Beds,
}

/// A window with a number of threads.
pub struct Threads {
    pub threads: usize,
    pub seconds: f64,
}

/// All figures.
pub struct Bench {
    pub engine: &'static str,
    pub machine: String,
    pub clock: &'static str,
    pub quick: bool,
    pub world: String,
    pub seed: u64,
    pub cells: u32,
    pub digest: String,
    pub rows: Vec<Row>,
    pub threads: Vec<Threads>,
}

impl Bench {
    /// What must be 0 and is not, in words.
    pub fn broken(&self) -> Vec<String> {
        self.rows.iter().flat_map(Row::broken).collect()
    }

    /// For machines; the names are those of `docs/BENCHMARK.md`.
    pub fn to_json(&self) -> Value {
        let first = self.threads.first().map_or(f64::NAN, |t| t.seconds);
        let threads = self
            .threads
            .iter()
            .map(|t| json!({ "threads": t.threads, "seconds": t.seconds, "speedup": first / t.seconds }));
        json!({
            "benchmark": "terrane refinement 1",
            "engine": self.engine,
            "machine": self.machine,
            "clock": self.clock,
            "quick": self.quick,
            "world": { "name": self.world, "seed": self.seed, "cells": self.cells, "digest": self.digest },
            "rows": self.rows.iter().map(Row::to_json).collect::<Vec<_>>(),
            "thread_scaling": threads.collect::<Vec<_>>(),
            "passed": self.broken().is_empty(),
        })
    }
}

impl Row {
    fn broken(&self) -> Vec<String> {
        let at = |what: String| format!("{} at level {}: {what}", self.place, self.level);
        let mut broken = Vec::new();
        if self.seam.unequal > 0 {
            broken.push(at(format!("{} values of a seam differ", self.seam.unequal)));
        }
        if self.beds.rising > 0 {
            let Beds { rising, greatest_m, .. } = self.beds;
            broken.push(at(format!("{rising} beds rise, by up to {greatest_m:.3} m")));
        }
        broken
    }

    fn to_json(&self) -> Value {
        let times = |t: Times| {
            let [cold, warm] = t.ns_per_sample();
            json!({ "samples": t.samples, "cold_ms": t.cold_s * 1e3, "warm_ms": t.warm_s * 1e3,
                "cold_ns_per_sample": cold, "warm_ns_per_sample": warm })
        };
        json!({
            "place": self.place,
            "longitude": self.at.0,
            "latitude": self.at.1,
            "level": self.level,
            "spacing_m": self.spacing_m,
            "tile": times(self.tile),
            "window": times(self.window),
            "features": self.features,
            "features_per_cell": self.features_per_cell,
            "bytes_read": self.bytes_read,
            "peak_bytes": self.peak_bytes,
            "seam": { "compared": self.seam.compared, "unequal": self.seam.unequal, "greatest_m": self.seam.greatest_m },
            "across_levels": { "samples": self.across.samples, "mean_m": self.across.mean_m, "rms_m": self.across.rms_m },
            "rivers_astray": { "places": self.astray.places, "lost": self.astray.lost, "near": self.astray.near,
                "median_m": self.astray.median_m, "p95_m": self.astray.p95_m },
            "beds": { "steps": self.beds.steps, "rising": self.beds.rising, "greatest_m": self.beds.greatest_m },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_0_is_held_to_it() {
        let times = Times { samples: 1000, cold_s: 2e-3, warm_s: 1e-3 };
        assert_eq!(times.ns_per_sample(), [2000.0, 1000.0]);
        let row = |unequal, rising| Row {
            place: "range",
            at: (0.0, 0.0),
            level: 4,
            spacing_m: 1.0,
            tile: times,
            window: times,
            features: 3,
            features_per_cell: 1.5,
            bytes_read: 7,
            peak_bytes: None,
            seam: Seam { compared: 10, unequal, greatest_m: 0.0 },
            across: AcrossLevels::default(),
            astray: Astray { places: 0, lost: 0, near: 0, median_m: None, p95_m: None },
            beds: Beds { steps: 9, rising, greatest_m: 0.5 },
        };
        assert!(row(0, 0).broken().is_empty());
        assert_eq!(row(2, 0).broken(), ["range at level 4: 2 values of a seam differ"]);
        assert_eq!(row(0, 3).broken(), ["range at level 4: 3 beds rise, by up to 0.500 m"]);
    }
}
