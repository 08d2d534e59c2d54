//! `summary.json`, and the same in a few lines for people.

use super::found::Found;
use super::picture::count;
use super::vectors::Frame;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Basins that the summary lists, largest first.
const BASINS_LISTED: usize = 20;

/// What is known of the raster beside what was found in it.
pub struct About {
    /// The file's name.
    pub file: String,
    /// Its band.
    pub band: u16,
    /// Its coordinate system in words.
    pub crs: String,
    /// Width and height of a cell in the middle of the raster, in metres.
    pub cell_m: (f64, f64),
    /// What was done to depressions.
    pub depressions: String,
    /// What was peculiar about the input.
    pub warnings: Vec<String>,
    /// Whether it was worked in bands of rows.
    pub in_bands: bool,
}

/// The summary as JSON. Lengths in metres or kilometres, areas in km2, as the names say.
pub fn json(about: &About, found: &Found, frame: &Frame) -> Value {
    let facts = &found.facts;
    let heads = found.streams.iter().filter(|s| s.magnitude == 1).count();
    let length_km = length_km(found);
    let mut streams = Map::new();
    streams.insert("threshold".into(), json!(facts.threshold));
    streams.insert("cells".into(), json!(facts.stream_cells));
    streams.insert("reaches".into(), json!(found.streams.len()));
    streams.insert("heads".into(), json!(heads));
    streams.insert("mouths".into(), json!(found.streams.iter().filter(|s| s.downstream.is_none()).count()));
    streams.insert("length_km".into(), json!(length_km));
    streams.insert("greatest_order".into(), json!(found.streams.iter().map(|s| s.order).max().unwrap_or(0)));
    streams.extend(found.laws.clone());
    json!({
        "input": {
            "file": about.file,
            "band": about.band,
            "width": frame.shape.cols,
            "height": frame.shape.rows,
            "crs": about.crs,
            "cell_width_m": about.cell_m.0,
            "cell_height_m": about.cell_m.1,
            "warnings": about.warnings,
        },
        "ground": {
            "data_cells": facts.data_cells,
            "no_data_cells": frame.shape.len() as u64 - facts.data_cells,
            "area_km2": facts.area_m2 / 1e6,
            "lowest_m": finite(facts.lowest_m),
            "highest_m": finite(facts.highest_m),
        },
        "depressions": {
            "treatment": about.depressions,
            "raised_cells": facts.raised_cells,
            "raised_share": facts.raised_cells as f64 / (facts.data_cells.max(1)) as f64,
            "raised_km3": facts.raised_m3 / 1e9,
            "cut_cells": facts.cut_cells,
            "cut_km3": facts.cut_m3 / 1e9,
        },
        "flow": {
            "outlet_cells": facts.outlets,
            "basins": found.basins.len(),
            "greatest_accumulation_cells": facts.greatest_accumulation,
            "in_bands": about.in_bands,
        },
        "streams": streams,
        "largest_basins": largest(found, frame),
    })
}

fn finite(value: f32) -> Value {
    if value.is_finite() { json!(value) } else { Value::Null }
}

fn largest(found: &Found, frame: &Frame) -> Vec<Value> {
    let mut order: Vec<usize> = (0..found.basins.len()).collect();
    order.sort_by(|&a, &b| found.basins[b].area_m2.total_cmp(&found.basins[a].area_m2).then(a.cmp(&b)));
    let row = |&i: &usize| {
        let basin = &found.basins[i];
        json!({"basin": i + 1, "outlet": frame.middle(basin.outlet), "cells": basin.cells, "area_km2": basin.area_m2 / 1e6})
    };
    order.iter().take(BASINS_LISTED).map(row).collect()
}

/// Length of all streams. An empty sum is -0.
fn length_km(found: &Found) -> f64 {
    found.streams.iter().map(|s| s.length_m).sum::<f64>() / 1000.0 + 0.0
}

/// A few lines for people.
pub fn text(about: &About, found: &Found, frame: &Frame) -> String {
    let facts = &found.facts;
    let mut text = String::new();
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "{what:<14}{value}");
    };
    let (cols, rows) = (frame.shape.cols, frame.shape.rows);
    line("raster", format!("{cols} x {rows} cells of {} m, {}", cell(about.cell_m), about.crs));
    let area = format!("{:.3} km2", facts.area_m2 / 1e6);
    line(
        "ground",
        format!(
            "{} cells with data, {area}, {} to {} m",
            count(facts.data_cells),
            facts.lowest_m,
            facts.highest_m
        ),
    );
    let share = |cells: u64| 100.0 * cells as f64 / facts.data_cells.max(1) as f64;
    line(
        "depressions",
        format!(
            "{}: {:.1} % of the cells raised ({:.4} km3), {:.1} % cut ({:.4} km3)",
            about.depressions,
            share(facts.raised_cells),
            facts.raised_m3 / 1e9,
            share(facts.cut_cells),
            facts.cut_m3 / 1e9
        ),
    );
    line(
        "basins",
        format!(
            "{}, the largest of {} cells",
            count(found.basins.len() as u64),
            count(facts.greatest_accumulation.into())
        ),
    );
    let length_km = length_km(found);
    let order = found.streams.iter().map(|s| s.order).max().unwrap_or(0);
    line(
        "streams",
        format!(
            "{} reaches from {} on, {length_km:.1} km, up to order {order}",
            count(found.streams.len() as u64),
            facts.threshold
        ),
    );
    laws(found, &mut line);
    text
}

fn laws(found: &Found, line: &mut dyn FnMut(&str, String)) {
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64);
    let Some(laws) = Some(&found.laws).filter(|laws| !laws.is_empty()) else { return };
    if let Some(horton) = laws.get("horton_ratios").filter(|h| !h.is_null()) {
        let [b, l, a] = ["bifurcation", "length", "area"].map(|key| number(horton, key).unwrap_or(f64::NAN));
        line("Horton", format!("bifurcation {b:.2}, length {l:.2}, area {a:.2}"));
    }
    let exponents = [("Hack", "hack"), ("exceedance", "area_exceedance"), ("concavity", "concavity")];
    let shown = exponents
        .iter()
        .filter_map(|(name, key)| Some(format!("{name} {:.3}", number(laws.get(*key)?, "exponent")?)));
    let shown: Vec<String> = shown.collect();
    if !shown.is_empty() {
        line("exponents", shown.join(", "));
    }
    if let Some(density) = laws.get("drainage_density_km_per_km2").and_then(Value::as_f64) {
        line("density", format!("{density:.3} km of streams per km2"));
    }
}

fn cell((width, height): (f64, f64)) -> String {
    let round = |m: f64| (m * 1000.0).round() / 1000.0;
    if round(width) == round(height) {
        round(width).to_string()
    } else {
        format!("{} x {}", round(width), round(height))
    }
}
