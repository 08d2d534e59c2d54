//! `terrane rivers`: the largest rivers as a table, or all of them as lines.

use crate::area::Area;
use crate::args;
use crate::output::{Session, advance, check_apart, check_place, emit, misuse};
use crate::river_lines::{RiverLines, coordinates};
use crate::way;
use crate::world_file::WorldView;
use anyhow::Result;
use formats::Crs;
use formats::features::{FieldKind, Geometry, GeometryKind, Layer, VectorFormat, write};
use grid::{Cell, Grid, Topology};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use world::{CellSource, Network, Outlet, River, channel_width_m};

/// Runs the command.
pub fn run(args: &args::Rivers, session: Session) -> Result<()> {
    check(args)?;
    let view = WorldView::open(&args.world)?;
    match (&args.from, &args.output) {
        (Some(place), _) => way::follow(&view, place, args, session),
        (None, Some(path)) => export(&view, args, path, session),
        (None, None) => list(&view, args),
    }
}

fn check(args: &args::Rivers) -> Result<()> {
    if !(args.min_discharge >= 0.0 && args.min_discharge.is_finite()) {
        return Err(misuse(format!("--min-discharge {}: expected m3/s, 0 or more", args.min_discharge)));
    }
    let Some(path) = &args.output else { return Ok(()) };
    check_place(path)?;
    check_apart(path, &args.world)?;
    check_format(path)
}

/// Makes sure that features can be written to a file of this name.
fn check_format(path: &Path) -> Result<()> {
    match VectorFormat::of(path) {
        None => Err(misuse(format!("{}: the name must end in {}", path.display(), VectorFormat::ENDINGS))),
        Some(format) if !format.is_available() => {
            Err(misuse(format!("{}: this program was built without GeoPackages", path.display())))
        }
        Some(_) => Ok(()),
    }
}

/// A river with what a table shows of it.
pub struct Row {
    /// The main stem.
    pub river: River,
    /// Where it ends.
    outlet: Outlet,
    source: [f64; 2],
    mouth: [f64; 2],
}

/// The main stems of a network, greatest first.
pub fn rows(grid: &Topology, network: &Network) -> Vec<Row> {
    let at = |cell: Cell| coordinates(grid, grid.center(cell));
    let row = |river: River| Row {
        outlet: network.outlets[river.outlet as usize].clone(),
        source: at(river.source),
        mouth: at(river.mouth),
        river,
    };
    network.rivers().into_iter().map(row).collect()
}

/// The table of some rivers.
pub fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:>4} {:<14} {:>12} {:>9} {:>13} {:>6} {:>8} {:>5} {:<8} {:<18} {:<18}\n\
         {:>4} {:<14} {:>12} {:>9} {:>13} {:>6} {:>8}\n",
        "",
        "name",
        "discharge",
        "length",
        "basin",
        "order",
        "width",
        "bends",
        "ends in",
        "mouth",
        "source",
        "",
        "",
        "m3/s",
        "km",
        "km2",
        "",
        "m"
    );
    for (k, row) in rows.iter().enumerate() {
        let r = &row.river;
        let place = |p: [f64; 2]| format!("{:.2},{:.2}", p[0], p[1]);
        let _ = writeln!(
            text,
            "{:>4} {:<14} {:>12.0} {:>9.0} {:>13.0} {:>6} {:>8.0} {:>5.2} {:<8} {:<18} {:<18}",
            k + 1,
            if row.outlet.name.is_empty() { "-" } else { &row.outlet.name },
            r.discharge_m3_s,
            r.length_m / 1000.0,
            r.drainage_km2,
            r.order,
            channel_width_m(r.discharge_m3_s),
            r.sinuosity,
            row.outlet.kind.name(),
            place(row.mouth),
            place(row.source)
        );
    }
    text
}

fn as_json(row: &Row) -> Value {
    json!({
        "name": row.outlet.name,
        "discharge_m3_s": row.river.discharge_m3_s,
        "length_km": row.river.length_m / 1000.0,
        "drainage_km2": row.river.drainage_km2,
        "order": row.river.order,
        "width_m": channel_width_m(row.river.discharge_m3_s),
        "sinuosity": row.river.sinuosity,
        "ends_in": row.outlet.kind.name(),
        "sediment_kg_s": row.outlet.sediment_kg_s,
        "tide_m": row.outlet.tide_m,
        "great": row.outlet.is_great,
        "mouth": row.mouth,
        "source": row.source,
    })
}

fn list(view: &WorldView, args: &args::Rivers) -> Result<()> {
    let network = view.network()?;
    let inside = inside(view.grid(), &network, args.bbox.as_deref())?;
    let mut rows = rows(view.grid(), &network);
    rows.retain(|Row { river, .. }| {
        river.discharge_m3_s >= args.min_discharge && river.reaches.iter().any(|&k| inside[k as usize])
    });
    rows.truncate(args.top);
    if args.json {
        return emit(&format!("{:#}\n", Value::from(rows.iter().map(as_json).collect::<Vec<_>>())));
    }
    emit(&table(&rows))
}

fn export(view: &WorldView, args: &args::Rivers, path: &Path, session: Session) -> Result<()> {
    let network = view.network()?;
    let inside = inside(view.grid(), &network, args.bbox.as_deref())?;
    let enough = |&k: &usize| network.reaches[k].discharge_m3_s >= args.min_discharge;
    let chosen: Vec<usize> = (0..network.reaches.len()).filter(|&k| inside[k]).filter(enough).collect();
    let bar = session.bar("drawing");
    let layer = layer(view, &network, &chosen, &bar)?;
    bar.finish_and_clear();
    write(path, &[&layer])?;
    session.say(&format!("{}: {} reaches", path.display(), layer.features.len()));
    Ok(())
}

/// Whether each reach has a cell inside the box, or anywhere if there is none.
fn inside(grid: &Topology, network: &Network, bbox: Option<&str>) -> Result<Vec<bool>> {
    let Some(text) = bbox else { return Ok(vec![true; network.reaches.len()]) };
    let area = Area::parse(grid, text)?;
    let has = |&cell: &Cell| area.contains(coordinates(grid, grid.center(cell)));
    Ok(network.reaches.iter().map(|reach| reach.cells.iter().any(has)).collect())
}

/// What the coordinates of a world's lines mean.
pub fn crs(grid: &Topology) -> Crs {
    match grid {
        Topology::Globe(globe) => Crs::Geographic { radius_m: globe.radius_m() },
        Topology::Flat(_) => Crs::Metres,
    }
}

/// Reaches that are drawn between two steps of the progress bar.
const BATCH: usize = 500;

/// What is written of a reach.
const FIELDS: [(&str, FieldKind); 11] = [
    ("reach", FieldKind::Int),
    ("downstream", FieldKind::Int),
    ("order", FieldKind::Int),
    ("discharge_m3_s", FieldKind::Real),
    ("drainage_km2", FieldKind::Real),
    ("length_km", FieldKind::Real),
    ("width_m", FieldKind::Real),
    ("sinuosity", FieldKind::Real),
    ("basin", FieldKind::Int),
    ("river", FieldKind::Text),
    ("ends_in", FieldKind::Text),
];

/// A line for each chosen reach.
fn layer(view: &WorldView, network: &Network, chosen: &[usize], bar: &ProgressBar) -> Result<Layer> {
    let mut layer = Layer::new("rivers", GeometryKind::Lines, crs(view.grid()), &FIELDS);
    for (done, batch) in chosen.chunks(BATCH).enumerate() {
        advance(bar, (done * BATCH) as f64 / chosen.len() as f64);
        add_lines(&mut layer, view, network, batch)?;
    }
    Ok(layer)
}

fn add_lines(layer: &mut Layer, view: &WorldView, network: &Network, chosen: &[usize]) -> Result<()> {
    let courses = courses(view, network, chosen)?;
    let cells: Vec<Cell> = courses.iter().flatten().copied().collect();
    let lines = RiverLines::new(view, &cells)?;
    for (&k, course) in chosen.iter().zip(&courses) {
        let (line, length_m) = lines.line(course);
        if line.len() < 2 {
            continue;
        }
        let reach = &network.reaches[k];
        let outlet = &network.outlets[reach.basin as usize];
        let values = vec![
            Some((k as i64).into()),
            reach.downstream.map(Into::into),
            Some(reach.order.into()),
            Some(reach.discharge_m3_s.into()),
            Some(reach.drainage_km2.into()),
            Some((length_m / 1000.0).into()),
            Some(reach.width_m.into()),
            Some(reach.sinuosity.into()),
            Some(reach.basin.into()),
            Some(outlet.name.as_str().into()),
            Some(outlet.kind.name().into()),
        ];
        layer.push(Geometry::line(line), values);
    }
    Ok(())
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
