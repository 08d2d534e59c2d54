//! `terrane rivers`: the largest rivers as a table, all of them as lines, and the way of the water to the sea.

use crate::args;
use crate::output::{Session, advance, check_apart, check_place, emit, ending, misuse, numbers};
use crate::region::{check_degrees, check_on_map};
use crate::river_lines::{RiverLines, coordinates};
use crate::world_file::WorldView;
use anyhow::{Result, bail};
use formats::Crs;
use formats::geojson::{LineFeature, write_lines};
use grid::{Cell, Grid, Topology, Vec3, math};
use indicatif::ProgressBar;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use world::{CellSource, Network, River};

/// Runs the command.
pub fn run(args: &args::Rivers, session: Session) -> Result<()> {
    check(args)?;
    let view = WorldView::open(&args.world)?;
    match &args.from {
        Some(place) => follow(&view, place, args, session),
        None => list(&view, args, session),
    }
}

fn check(args: &args::Rivers) -> Result<()> {
    if !(args.min_discharge >= 0.0 && args.min_discharge.is_finite()) {
        return Err(misuse(format!("--min-discharge {}: expected m3/s, 0 or more", args.min_discharge)));
    }
    let Some(path) = &args.output else { return Ok(()) };
    check_place(path)?;
    check_apart(path, &args.world)?;
    match ending(path).as_str() {
        "geojson" | "json" => Ok(()),
        _ => Err(misuse(format!("{}: the name must end in .geojson", path.display()))),
    }
}

/// A river with what a table shows of it.
pub struct Row {
    /// The main stem.
    pub river: River,
    source: [f64; 2],
    mouth: [f64; 2],
}

/// The main stems of a network, greatest first.
pub fn rows(grid: &Topology, network: &Network) -> Vec<Row> {
    let at = |cell: Cell| coordinates(grid, grid.center(cell));
    let rivers = network.rivers().into_iter();
    rivers.map(|river| Row { source: at(river.source), mouth: at(river.mouth), river }).collect()
}

/// The table of some rivers.
pub fn table(rows: &[Row]) -> String {
    let head = ("discharge", "length", "basin", "order", "mouth", "source");
    let mut text = format!(
        "{:>4} {:>12} {:>9} {:>13} {:>6}  {:<18} {:<18}\n{:>4} {:>12} {:>9} {:>13}\n",
        "", head.0, head.1, head.2, head.3, head.4, head.5, "", "m3/s", "km", "km2"
    );
    for (k, row) in rows.iter().enumerate() {
        let r = &row.river;
        let place = |p: [f64; 2]| format!("{:.2},{:.2}", p[0], p[1]);
        let _ = writeln!(
            text,
            "{:>4} {:>12.0} {:>9.0} {:>13.0} {:>6}  {:<18} {:<18}",
            k + 1,
            r.discharge_m3_s,
            r.length_m / 1000.0,
            r.drainage_km2,
            r.order,
            place(row.mouth),
            place(row.source)
        );
    }
    text
}

fn as_json(row: &Row) -> Value {
    json!({
        "discharge_m3_s": row.river.discharge_m3_s,
        "length_km": row.river.length_m / 1000.0,
        "drainage_km2": row.river.drainage_km2,
        "order": row.river.order,
        "mouth": row.mouth,
        "source": row.source,
    })
}

fn list(view: &WorldView, args: &args::Rivers, session: Session) -> Result<()> {
    let network = view.network()?;
    let area = args.bbox.as_deref().map(|text| Area::parse(view.grid(), text)).transpose()?;
    let inside = |p: [f64; 2]| area.as_ref().is_none_or(|a| a.contains(p));
    let mut rows = rows(view.grid(), &network);
    rows.retain(|row| row.river.discharge_m3_s >= args.min_discharge && inside(row.mouth));
    if let Some(path) = &args.output {
        let bar = session.bar("drawing");
        let features = features(view, &network, &chosen(view, &network, args.min_discharge, &inside), &bar)?;
        bar.finish_and_clear();
        write_lines(path, "rivers", &crs(view.grid()), &features)?;
        session.say(&format!("{}: {} reaches", path.display(), features.len()));
        return Ok(());
    }
    rows.truncate(args.top);
    if args.json {
        return emit(&format!("{:#}\n", Value::from(rows.iter().map(as_json).collect::<Vec<_>>())));
    }
    emit(&table(&rows))
}

/// A box on the map.
struct Area {
    low: [f64; 2],
    high: [f64; 2],
}

impl Area {
    fn parse(grid: &Topology, text: &str) -> Result<Self> {
        let [west, south, east, north] = numbers("--bbox", text, "W,S,E,N")?;
        if matches!(grid, Topology::Globe(_)) {
            check_degrees("--bbox", &[west, east], &[south, north])?;
        }
        if west == east || (west > east && matches!(grid, Topology::Flat(_))) {
            return Err(misuse(format!("--bbox {text}: the west {west} is not left of the east {east}")));
        }
        if south >= north {
            return Err(misuse(format!("--bbox {text}: the south {south} is not below the north {north}")));
        }
        check_on_map("--bbox", text, grid, [west, south, east, north])?;
        Ok(Self { low: [west, south], high: [east, north] })
    }

    fn contains(&self, [x, y]: [f64; 2]) -> bool {
        let over_antimeridian = self.low[0] > self.high[0];
        let east_west = if over_antimeridian {
            x >= self.low[0] || x <= self.high[0]
        } else {
            x >= self.low[0] && x <= self.high[0]
        };
        east_west && y >= self.low[1] && y <= self.high[1]
    }
}

/// What the coordinates of a world's lines mean.
fn crs(grid: &Topology) -> Crs {
    match grid {
        Topology::Globe(globe) => Crs::Geographic { radius_m: globe.radius_m() },
        Topology::Flat(_) => Crs::Metres,
    }
}

/// The reaches that carry enough and have a cell inside.
fn chosen(
    view: &WorldView,
    network: &Network,
    min_discharge: f64,
    inside: &dyn Fn([f64; 2]) -> bool,
) -> Vec<usize> {
    let grid = view.grid();
    let at = |cell: Cell| coordinates(grid, grid.center(cell));
    (0..network.reaches.len())
        .filter(|&k| network.reaches[k].discharge_m3_s >= min_discharge)
        .filter(|&k| network.reaches[k].cells.iter().any(|&c| inside(at(c))))
        .collect()
}

/// Reaches that are drawn between two steps of the progress bar.
const BATCH: usize = 500;

/// A line for each chosen reach.
fn features(
    view: &WorldView,
    network: &Network,
    chosen: &[usize],
    bar: &ProgressBar,
) -> Result<Vec<LineFeature>> {
    let mut features = Vec::new();
    for (done, batch) in chosen.chunks(BATCH).enumerate() {
        advance(bar, (done * BATCH) as f64 / chosen.len() as f64);
        features.extend(lines(view, network, batch)?);
    }
    Ok(features)
}

fn lines(view: &WorldView, network: &Network, chosen: &[usize]) -> Result<Vec<LineFeature>> {
    let courses = courses(view, network, chosen)?;
    let cells: Vec<Cell> = courses.iter().flatten().copied().collect();
    let lines = RiverLines::new(view, &cells)?;
    let feature = |(k, course): (&usize, &Vec<Cell>)| {
        let (coordinates, length_m) = lines.line(course);
        let reach = &network.reaches[*k];
        let mut properties = Map::new();
        properties.insert("reach".into(), json!(k));
        properties.insert("downstream".into(), json!(reach.downstream));
        properties.insert("order".into(), json!(reach.order));
        properties.insert("discharge_m3_s".into(), json!(reach.discharge_m3_s));
        properties.insert("drainage_km2".into(), json!(reach.drainage_km2));
        properties.insert("length_km".into(), json!(length_m / 1000.0));
        LineFeature { coordinates, properties }
    };
    let all = chosen.iter().zip(&courses).map(feature);
    Ok(all.filter(|f| f.coordinates.len() > 1).collect())
}

/// The cells of each reach, and the one it flows into.
fn courses(view: &WorldView, network: &Network, chosen: &[usize]) -> Result<Vec<Vec<Cell>>> {
    let last: Vec<Cell> = chosen.iter().filter_map(|&k| network.reaches[k].cells.last().copied()).collect();
    let states = view.gather(&last)?;
    let course = |((&k, &last), state): ((&usize, &Cell), &world::CellState)| {
        let below = state.receiver.and_then(|d| view.grid().neighbor(last, d));
        network.reaches[k].cells.iter().copied().chain(below).collect()
    };
    Ok(chosen.iter().zip(&last).zip(&states).map(course).collect())
}

/// Follows the water from a place downstream.
fn follow(view: &WorldView, text: &str, args: &args::Rivers, session: Session) -> Result<()> {
    let [x, y] = numbers("--from", text, "LON,LAT")?;
    let grid = view.grid();
    let position = match grid {
        Topology::Globe(_) => {
            check_degrees("--from", &[x], &[y])?;
            math::from_lon_lat(x, y)
        }
        Topology::Flat(_) => Vec3::new(x, y, 0.0),
    };
    check_on_map("--from", text, grid, [x, y, x, y])?;
    let Some(start) = grid.locate(position) else {
        return Err(misuse(format!("--from {text}: the place lies outside the map")));
    };
    let mut course = vec![start];
    let mut states = view.gather(&[start])?;
    if !states[0].is_land() {
        bail!("--from {text}: the place lies in the sea");
    }
    while let Some(next) =
        states[states.len() - 1].receiver.and_then(|d| grid.neighbor(course[course.len() - 1], d))
    {
        if course.len() > grid.len() {
            bail!("{}: its rivers run in a circle; the file is damaged", args.world.display());
        }
        course.push(next);
        states.extend(view.gather(&[next])?);
    }
    let lines = RiverLines::new(view, &course)?;
    let (coordinates, length_m) = lines.line(&course);
    let mouth = states.iter().rfind(|s| s.is_land()).unwrap_or(&states[0]);
    let drop_m = states[0].river_level_m - mouth.river_level_m;
    let summary = json!({
        "from": [x, y],
        "mouth": coordinates.last(),
        "length_km": length_m / 1000.0,
        "drop_m": drop_m,
        "discharge_at_start_m3_s": states[0].discharge_m3_s,
        "discharge_at_mouth_m3_s": mouth.discharge_m3_s,
        "cells": course.len(),
    });
    if let Some(path) = &args.output {
        let properties = summary.as_object().cloned().unwrap_or_default();
        if coordinates.len() < 2 {
            bail!("--from {text}: the water leaves the map at once, so there is no line to write");
        }
        write_lines(path, "way to the sea", &crs(grid), &[LineFeature { coordinates, properties }])?;
        session.say(&format!("{}: 1 line", path.display()));
    } else if args.json {
        emit(&format!("{summary:#}\n"))?;
    } else {
        let end = coordinates.last().map_or(String::new(), |c| format!(" at {:.3},{:.3}", c[0], c[1]));
        emit(&format!(
            "From {x},{y} the water runs {:.0} km, falls {drop_m:.0} m, and reaches the sea{end}.\n\
             It starts with {:.2} m3/s and ends with {:.0} m3/s.\n",
            length_m / 1000.0,
            states[0].discharge_m3_s,
            mouth.discharge_m3_s
        ))?;
    }
    Ok(())
}
