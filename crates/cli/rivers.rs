//! `terrane rivers`: the largest rivers or basins as a table, or all of them as features.

use crate::area::Area;
use crate::args::{self, RiverLayer};
use crate::basins::{self, Basins};
use crate::named::{Map, decimals};
use crate::output::{Session, check_apart, check_place, emit, ending, misuse};
use crate::river_layers;
use crate::way;
use anyhow::Result;
use archive::WorldView;
use export::Coordinates;
use formats::features::{Layer, VectorFormat};
use grid::{Cell, Grid};
use region::river_lines::{RiverLines, coordinates, courses};
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
        (None, None) if args.basins => list_basins(&view, args),
        (None, None) => list(&view, args, session),
    }
}

fn check(args: &args::Rivers) -> Result<()> {
    if !(args.min_discharge >= 0.0 && args.min_discharge.is_finite()) {
        return Err(misuse(format!("--min-discharge {}: expected m3/s, 0 or more", args.min_discharge)));
    }
    let Some(path) = &args.output else { return Ok(()) };
    check_place(path)?;
    check_apart(path, &args.world)?;
    if args.from.is_some() && way::PROFILES.contains(&ending(path).as_str()) {
        return Ok(());
    }
    check_format(path, args.from.is_some())
}

/// Makes sure that features can be written to a file of this name.
fn check_format(path: &Path, is_way: bool) -> Result<()> {
    match VectorFormat::of(path) {
        None => {
            let profiles = if is_way { "; a profile in .csv or .png" } else { "" };
            let endings = VectorFormat::ENDINGS;
            Err(misuse(format!("{}: the name must end in {endings}{profiles}", path.display())))
        }
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

/// The main stems of a network of a world, greatest first.
pub fn rows(source: &impl CellSource, network: &Network) -> Vec<Row> {
    let (grid, named) = (source.grid(), Coordinates::of(source));
    let at = |cell: Cell| named.told(coordinates(grid, grid.center(cell)));
    let row = |river: River| Row {
        outlet: network.outlets[river.outlet as usize].clone(),
        source: at(river.source),
        mouth: at(river.mouth),
        river,
    };
    network.rivers().into_iter().map(row).collect()
}

/// The table of some rivers, their places told with so many decimals.
pub fn table(rows: &[Row], decimals: usize) -> String {
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
        let place = |p: [f64; 2]| format!("{:.decimals$},{:.decimals$}", p[0], p[1]);
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

fn list(view: &WorldView, args: &args::Rivers, session: Session) -> Result<()> {
    let network = view.network()?;
    let mut rows = chosen_rows(view, network, args)?;
    rows.truncate(args.top);
    if args.json {
        return emit(&format!("{:#}\n", Value::from(rows.iter().map(as_json).collect::<Vec<_>>())));
    }
    if rows.is_empty() {
        session.say("no river of this world is so large, or has a part of its main stem there");
    }
    emit(&table(&rows, decimals(view.grid())))
}

fn list_basins(view: &WorldView, args: &args::Rivers) -> Result<()> {
    let network = view.network()?;
    let mut chosen = chosen_basins(view, network, args)?;
    chosen.truncate(args.top);
    let basins = Basins::of(view, network)?;
    if args.json {
        return emit(&format!("{:#}\n", basins::as_json(network, &basins, &chosen)));
    }
    emit(&basins::table(network, &basins, &chosen))
}

/// The rivers with enough discharge and a reach inside the box, greatest first.
fn chosen_rows(view: &WorldView, network: &Network, args: &args::Rivers) -> Result<Vec<Row>> {
    let inside = inside(view, network, args.bbox.as_deref())?;
    let mut rows = rows(view, network);
    rows.retain(|Row { river, .. }| {
        river.discharge_m3_s >= args.min_discharge && river.reaches.iter().any(|&k| inside[k as usize])
    });
    Ok(rows)
}

/// The basins of those rivers.
fn chosen_basins(view: &WorldView, network: &Network, args: &args::Rivers) -> Result<Vec<u32>> {
    Ok(chosen_rows(view, network, args)?.iter().map(|row| row.river.outlet).collect())
}

fn export(view: &WorldView, args: &args::Rivers, path: &Path, session: Session) -> Result<()> {
    let network = view.network()?;
    let several = VectorFormat::of(path).is_some_and(VectorFormat::holds_several);
    let wanted = match args.layer {
        Some(layer) => vec![layer],
        None if several => vec![RiverLayer::Rivers, RiverLayer::Basins, RiverLayer::Outlets],
        None => vec![RiverLayer::Rivers],
    };
    let layers = wanted.into_iter().map(|which| layer(view, network, which, args, session));
    let layers: Vec<Layer> = layers.collect::<Result<_>>()?;
    let layers = river_layers::write_layers(path, layers, view)?;
    let counts = layers.iter().map(|layer| format!("{} {}", layer.features.len(), counted(&layer.name)));
    session.say(&format!("{}: {}", path.display(), counts.collect::<Vec<_>>().join(", ")));
    Ok(())
}

/// The word for the features of a layer.
fn counted(layer: &str) -> &str {
    if layer == "rivers" { "reaches" } else { layer }
}

fn layer(
    view: &WorldView,
    network: &Network,
    which: RiverLayer,
    args: &args::Rivers,
    session: Session,
) -> Result<Layer> {
    match which {
        RiverLayer::Rivers => {
            let inside = inside(view, network, args.bbox.as_deref())?;
            let enough = |&k: &usize| network.reaches[k].discharge_m3_s >= args.min_discharge;
            let all = 0..network.reaches.len();
            let chosen: Vec<usize> = all.filter(|&k| inside[k]).filter(enough).collect();
            let bar = session.bar("drawing");
            let layer = river_layers::rivers(view, network, &chosen, &bar)?;
            bar.finish_and_clear();
            Ok(layer)
        }
        RiverLayer::Basins => {
            let chosen = chosen_basins(view, network, args)?;
            Ok(river_layers::basins(view.grid(), network, &Basins::of(view, network)?, &chosen))
        }
        RiverLayer::Outlets => {
            Ok(river_layers::outlets(view.grid(), network, &chosen_basins(view, network, args)?))
        }
    }
}

/// Whether each reach has a part of its line, or the middle of one of its cells, inside the box, or anywhere if there is none.
fn inside(view: &WorldView, network: &Network, bbox: Option<&str>) -> Result<Vec<bool>> {
    let Some(text) = bbox else { return Ok(vec![true; network.reaches.len()]) };
    let grid = view.grid();
    let area = Area::parse(&Map::of(view), text)?;
    let holds = |area: &Area, k: usize| {
        let mut cells = network.reaches[k].cells.iter();
        cells.any(|&cell| area.contains(coordinates(grid, grid.center(cell))))
    };
    let all = 0..network.reaches.len();
    let mut inside: Vec<bool> = all.clone().map(|k| holds(&area, k)).collect();
    // of others beside the box the lines tell, which take longer
    let around = area.widened(grid, NEAR_CELLS * grid.cell_m());
    let beside: Vec<usize> = all.filter(|&k| !inside[k] && holds(&around, k)).collect();
    let courses = courses(view, network, &beside)?;
    let cells: Vec<Cell> = courses.iter().flatten().copied().collect();
    let lines = RiverLines::new(view, &cells)?;
    for (k, course) in beside.into_iter().zip(&courses) {
        inside[k] = lines.line(course).0.windows(2).any(|way| area.meets(grid, way[0], way[1]));
    }
    Ok(inside)
}

/// Cells from the middle of one that a line comes through to any of its places.
const NEAR_CELLS: f64 = 2.0;
