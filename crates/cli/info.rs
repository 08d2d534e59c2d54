//! `terrane info`: what a world file holds.

use crate::args;
use crate::named::Map;
use crate::output::{Session, emit, printable};
use anyhow::{Context, Result};
use archive::WorldView;
use grid::{Grid, Topology};
use serde_json::json;
use std::fmt::Write;
use store::{Dtype, LayerInfo};
use world::CellSource;

/// Runs the command.
pub fn run(args: &args::Info, session: Session) -> Result<()> {
    let view = WorldView::open(&args.world)?;
    if args.check {
        let broken =
            || format!("{}: the file is damaged; make it anew from its recipe", args.world.display());
        view.file.verify().with_context(broken)?;
        session.say(&format!("{}: every byte is as it was written", args.world.display()));
    }
    if args.json { emit(&format!("{:#}\n", as_json(&view))) } else { emit(&as_text(&view)) }
}

fn topology(view: &WorldView) -> &'static str {
    match view.grid() {
        Topology::Globe(_) => "globe",
        Topology::Flat(_) => "flat",
    }
}

fn as_json(view: &WorldView) -> serde_json::Value {
    let shape = view.grid().shape();
    let layer = |l: &LayerInfo| {
        json!({
            "name": l.name,
            "unit": l.unit,
            "dtype": l.dtype.name(),
            "shape": [shape.faces, shape.rows, shape.cols],
            "min": l.min,
            "max": l.max,
        })
    };
    let map = Map::of(view);
    json!({
        "name": view.recipe().name,
        "seed": view.recipe().seed,
        "topology": topology(view),
        "cells": view.recipe().grid.cells,
        "cell_km": view.grid().cell_m() / 1000.0,
        "bounds": map.extent().map(|(bounds, _)| bounds),
        "reference": map.reference(),
        "engine": view.file.meta().engine,
        "digest": view.file.digest(),
        "bytes": view.file.file_bytes(),
        "layers": view.file.layers().iter().map(layer).collect::<Vec<_>>(),
        "tables": view.file.tables().iter().map(|t| json!({"name": t.name, "rows": t.rows})).collect::<Vec<_>>(),
    })
}

fn as_text(view: &WorldView) -> String {
    let shape = view.grid().shape();
    let extent = Map::of(view).extent().map_or(String::new(), |([west, south, east, north], units)| {
        format!("extent    {west},{south} to {east},{north} {}\n", printable(&units))
    });
    let mut text = format!(
        "name      {}\nseed      {}\ntopology  {}, {} x {} x {} cells of {:.3} km\n{extent}engine    {}\ndigest    {}\nsize      {:.1} MB\n\n",
        printable(&view.recipe().name),
        view.recipe().seed,
        topology(view),
        shape.faces,
        shape.cols,
        shape.rows,
        view.grid().cell_m() / 1000.0,
        printable(&view.file.meta().engine),
        view.file.digest(),
        view.file.file_bytes() as f64 / 1e6,
    );
    let _ = writeln!(text, "{:<18} {:<10} {:<5} {:>14} {:>14}", "layer", "unit", "type", "least", "greatest");
    for l in view.file.layers() {
        let (low, high) = (number(l.dtype, l.min), number(l.dtype, l.max));
        let (name, unit) = (printable(&l.name), printable(&l.unit));
        let _ = writeln!(text, "{name:<18} {unit:<10} {:<5} {low:>14} {high:>14}", l.dtype.name());
    }
    let _ = writeln!(text, "\n{:<18} {:>10}", "table", "rows");
    for t in view.file.tables() {
        let _ = writeln!(text, "{:<18} {:>10}", printable(&t.name), t.rows);
    }
    text
}

/// A value of a layer: whole numbers as such, and the one that stands for no row of a table in a word.
fn number(dtype: Dtype, value: Option<f64>) -> String {
    match (dtype, value) {
        (_, None) => "-".into(),
        (Dtype::U32, Some(v)) if v == f64::from(u32::MAX) => "none".into(),
        (Dtype::U8 | Dtype::U16 | Dtype::U32, Some(v)) => format!("{v:.0}"),
        (Dtype::F32 | Dtype::F64, Some(v)) => format!("{v:.3}"),
    }
}
