//! `terrane score`: worlds beside Earth.

mod regions;

use crate::args;
use crate::output::{Session, emit, printable};
use anyhow::{Context, Result};
use grid::{Grid, Topology};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use world::World;
use world::score::{Figure, Measured, Reading, RidgeStatistics, Score, medians, score, tally};

/// A world with its score.
struct Scored {
    /// File, recipe and grid in a line.
    title: String,
    about: Value,
    score: Score,
}

/// Runs the command.
pub fn run(args: &args::Score, session: Session) -> Result<()> {
    if args.regions {
        return regions::run(args, session);
    }
    let mut all = Vec::with_capacity(args.worlds.len());
    for path in &args.worlds {
        session.detail(&format!("measuring {}", path.display()));
        all.push(measure(path)?);
    }
    if args.json { emit(&format!("{:#}\n", as_json(&all))) } else { emit(&as_text(&all)) }
}

fn measure(path: &Path) -> Result<Scored> {
    let world = archive::load(path)?;
    let inconsistent = || format!("{} is inconsistent", path.display());
    Ok(Scored {
        title: title(path, &world),
        about: about(path, &world),
        score: score(&world).with_context(inconsistent)?,
    })
}

fn title(path: &Path, world: &World) -> String {
    let shape = world.grid.shape();
    format!(
        "{}: {}, seed {}, {} x {} x {} cells of {:.3} km",
        printable(&path.display().to_string()),
        printable(&world.recipe.name),
        world.recipe.seed,
        shape.faces,
        shape.cols,
        shape.rows,
        world.grid.cell_m() / 1000.0
    )
}

fn about(path: &Path, world: &World) -> Value {
    let topology = if matches!(world.grid, Topology::Globe(_)) { "globe" } else { "flat" };
    json!({
        "world": path.display().to_string(),
        "name": world.recipe.name,
        "seed": world.recipe.seed,
        "topology": topology,
        "cells": world.recipe.grid.cells,
        "cell_km": world.grid.cell_m() / 1000.0,
    })
}

fn as_text(all: &[Scored]) -> String {
    let mut parts: Vec<String> = all
        .iter()
        .map(|s| {
            format!("{}\n\n{}\n{}", s.title, table(&s.score.figures, "this world"), lines(&s.score.ridges))
        })
        .collect();
    if all.len() > 1 {
        let title = format!("median of {} worlds", all.len());
        parts.push(format!("{title}\n\n{}", table(&median_of(all), "median")));
    }
    parts.join("\n\n")
}

fn median_of(all: &[Scored]) -> Vec<Measured> {
    medians(&all.iter().map(|s| s.score.clone()).collect::<Vec<_>>())
}

/// The figures section by section under a heading for their values, and how many pass.
fn table(figures: &[Measured], values: &str) -> String {
    let mut text = String::new();
    let mut section = "";
    for measured in figures {
        let Figure { name, earth, low, high, .. } = &measured.figure;
        if section != measured.figure.section {
            section = measured.figure.section;
            let _ = writeln!(text, "{section:<29} {values:>11} {:>11}   band", "Earth");
        }
        let value = measured.reading.value().map_or("-".into(), number);
        let band = format!("{} to {}", number(*low), number(*high));
        let earth = number(*earth);
        let _ = writeln!(text, "  {name:<27} {value:>11} {earth:>11}   {band:<20} {}", verdict(measured));
    }
    let (passed, counted) = tally(figures);
    let left_out = match figures.len() - counted {
        0 => String::new(),
        n => format!("; {n} not measured"),
    };
    let _ = writeln!(text, "\n{passed} of {counted} figures within Earth's band{left_out}");
    text
}

fn verdict(measured: &Measured) -> String {
    match (&measured.reading, measured.passes()) {
        (Reading::NotHere(why), _) => format!("not measured: {why}"),
        (Reading::Absent(why), _) => format!("FAIL: {why}"),
        (_, Some(true)) => "pass".into(),
        (Reading::Value(v), _) if *v < measured.figure.low => "FAIL: too low".into(),
        _ => "FAIL: too high".into(),
    }
}

/// About four figures, without powers of ten.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

fn lines(ridges: &RidgeStatistics) -> String {
    if ridges.lines == 0 {
        return "ridge lines: none\n".into();
    }
    let mut text = format!(
        "ridge lines: {}, {:.0} km in all; mean {:.0} km, median {:.0} km, longest {:.0} km\n\
         junctions: {}, {:.1} per 1000 km\n\
         cells: {}, of which {} in flat land\n",
        ridges.lines,
        ridges.total_km,
        ridges.mean_km,
        ridges.median_km,
        ridges.longest_km,
        ridges.junctions,
        ridges.junctions_per_1000_km,
        ridges.cells,
        ridges.flat_cells
    );
    let _ = match ridges.abreast {
        Some([low, middle, high]) => {
            writeln!(text, "abreast across belts of 150 km or more: median {middle}, deciles {low} to {high}")
        }
        None => writeln!(text, "abreast: no belt is 150 km wide"),
    };
    if let Some(crossings) = ridges.crossings {
        let _ = writeln!(text, "crossed by rivers: {crossings} times");
    }
    text
}

fn as_json(all: &[Scored]) -> Value {
    let worlds: Vec<Value> = all.iter().map(world_json).collect();
    if all.len() == 1 {
        return worlds.into_iter().next().unwrap_or_default();
    }
    json!({ "worlds": worlds, "median": figures_json(&median_of(all)) })
}

fn world_json(scored: &Scored) -> Value {
    let mut value = scored.about.clone();
    for part in [figures_json(&scored.score.figures), json!({ "ridges": ridges_json(&scored.score.ridges) })]
    {
        if let (Some(all), Value::Object(more)) = (value.as_object_mut(), part) {
            all.extend(more);
        }
    }
    value
}

fn figures_json(figures: &[Measured]) -> Value {
    let (passed, counted) = tally(figures);
    let figure = |m: &Measured| {
        json!({
            "section": m.figure.section,
            "name": m.figure.name,
            "value": m.reading.value(),
            "earth": m.figure.earth,
            "band": [m.figure.low, m.figure.high],
            "pass": m.passes(),
            "note": m.reading.reason(),
            "source": m.figure.source,
        })
    };
    json!({ "passed": passed, "counted": counted, "figures": figures.iter().map(figure).collect::<Vec<_>>() })
}

fn ridges_json(ridges: &RidgeStatistics) -> Value {
    let abreast =
        ridges.abreast.map(|[p10, median, p90]| json!({ "p10": p10, "median": median, "p90": p90 }));
    json!({
        "cells": ridges.cells,
        "flat_cells": ridges.flat_cells,
        "lines": ridges.lines,
        "total_km": ridges.total_km,
        "mean_km": ridges.mean_km,
        "median_km": ridges.median_km,
        "longest_km": ridges.longest_km,
        "junctions": ridges.junctions,
        "junctions_per_1000_km": ridges.junctions_per_1000_km,
        "abreast": abreast,
        "crossings": ridges.crossings,
    })
}
