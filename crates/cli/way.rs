//! `terrane rivers --from`: the way of the water from a place to the sea, or to a closed lake.

use crate::args;
use crate::chart;
use crate::output::{Session, emit, ending, misuse, numbers};
use crate::profile::Profile;
use crate::region::{check_degrees, check_on_map};
use crate::river_layers::{crs, write_layers};
use anyhow::{Result, bail};
use archive::WorldView;
use formats::features::{FieldKind, Geometry, GeometryKind, Layer};
use grid::{Cell, Grid, Topology, Vec3, math};
use region::river_lines::RiverLines;
use region::summits::SPACING_M;
use region::{Lattice, Method, Request, Sampled, Window};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use world::{CellSource, CellState};

/// Endings of files that a way's profile goes to.
pub const PROFILES: [&str; 2] = ["csv", "png"];

/// Follows the water from a place downstream, and tells or writes its way.
pub fn follow(view: &WorldView, text: &str, args: &args::Rivers, session: Session) -> Result<()> {
    let (from, at, cell) = start(view.grid(), text)?;
    let found = match course(view, cell)? {
        None if is_dry(view, from)? => course(view, land_beside(view, at, cell)?.unwrap_or(cell))?,
        found => found,
    };
    let Some((cells, states)) = found else {
        bail!("--from {text}: the place lies in the sea");
    };
    let way = Way::new(view, from, &cells, &states)?;
    match args.output.as_deref().map(|path| (path, ending(path))) {
        Some((path, ending)) if ending == "csv" => {
            let names = match view.grid() {
                Topology::Globe(_) => ["lon", "lat"],
                Topology::Flat(_) => ["x", "y"],
            };
            formats::atomic(path, |out| Ok(out.write_all(way.profile.as_csv(names).as_bytes())?))?;
            session.say(&format!("{}: {} places", path.display(), way.profile.stations.len()));
            Ok(())
        }
        Some((path, ending)) if ending == "png" => {
            chart::write(path, &way.profile, &way.title())?;
            session.say(&format!("{}: a profile of {:.0} km", path.display(), way.length_m / 1000.0));
            Ok(())
        }
        Some((path, _)) => way.write(view, path, session),
        None if args.json => emit(&format!("{:#}\n", way.as_json())),
        None => emit(&format!("{}\n{}", way.in_words(), way.profile.table())),
    }
}

/// What there is to say of the way of the water from a place in a cell, its line and profile with it; `None` in the sea.
pub fn way_from(view: &WorldView, place: [f64; 2], cell: Cell) -> Result<Option<Value>> {
    let Some((cells, states)) = course(view, cell)? else { return Ok(None) };
    let way = Way::new(view, place, &cells, &states)?;
    let mut about = way.as_json();
    about["line"] = json!(way.line);
    Ok(Some(about))
}

/// The cell that land in a cell of the sea drains to: the nearest of the land around, where there is any.
pub fn land_beside(view: &WorldView, at: Vec3, cell: Cell) -> Result<Option<Cell>> {
    let grid = view.grid();
    let around: Vec<Cell> = grid.halo(cell, 1);
    let states = view.gather(&around)?;
    let land = around.iter().zip(&states).filter(|(_, state)| state.is_land()).map(|(cell, _)| *cell);
    let far = |cell: &Cell| grid.distance_m(at, grid.center(*cell));
    Ok(land.min_by(|a, b| far(a).total_cmp(&far(b))))
}

/// The sample nearest to a place; samples are those that summits are found with.
pub fn nearest_sample(grid: &Topology, [x, y]: [f64; 2]) -> (Lattice, Window) {
    let lattice = Lattice::of_metres(grid, (x, y), SPACING_M);
    let (east, north) = lattice.project(x, y);
    let number = |v: f64| (v / lattice.step()).round() as i64;
    let window = Window { west: number(east), north: number(north), width: 1, height: 1 };
    (lattice, window)
}

/// Whether there is land at a place.
fn is_dry(view: &WorldView, place: [f64; 2]) -> Result<bool> {
    let (lattice, window) = nearest_sample(view.grid(), place);
    let request = Request::new(lattice, window, vec![Sampled::WaterSurface], Method::Drainage)?;
    let region = region::refine(view, &request, &|_| {})?;
    Ok(region.layer(Sampled::WaterSurface).is_some_and(|surface_m| surface_m[0] > 0.0))
}

/// The place that a text names, on the map and on the grid, and the cell around it.
fn start(grid: &Topology, text: &str) -> Result<([f64; 2], Vec3, Cell)> {
    let [x, y] = numbers("--from", text, "LON,LAT")?;
    let position = match grid {
        Topology::Globe(_) => {
            check_degrees("--from", &[x], &[y])?;
            math::from_lon_lat(x, y)
        }
        Topology::Flat(_) => Vec3::new(x, y, 0.0),
    };
    check_on_map("--from", text, grid, [x, y, x, y])?;
    let outside = || misuse(format!("--from {text}: the place lies outside the map"));
    Ok(([x, y], position, grid.locate(position).ok_or_else(outside)?))
}

/// The cells from `start` to where the water ends, each with its state; `None` in the sea.
fn course(view: &WorldView, start: Cell) -> Result<Option<(Vec<Cell>, Vec<CellState>)>> {
    let grid = view.grid();
    let (mut cells, mut states) = (Vec::new(), Vec::new());
    let mut next = Some(start);
    while let Some(cell) = next {
        if cells.len() > grid.len() {
            bail!("{}: its rivers run in a circle; the file is damaged", view.path().display());
        }
        let state = view.gather(&[cell])?.remove(0);
        if cells.is_empty() && !state.is_land() {
            return Ok(None);
        }
        next = state.receiver.and_then(|direction| grid.neighbor(cell, direction));
        cells.push(cell);
        states.push(state);
    }
    Ok(Some((cells, states)))
}

/// The name of the river whose outlet lies on a way.
fn river_name(view: &WorldView, cells: &[Cell]) -> Result<String> {
    let network = view.network()?;
    let on_way: BTreeSet<Cell> = cells.iter().copied().collect();
    let outlet = network.outlets.iter().find(|outlet| on_way.contains(&outlet.cell));
    Ok(outlet.map_or_else(String::new, |outlet| outlet.name.clone()))
}

/// Where a way ends.
#[derive(Clone, Copy)]
enum End {
    Sea,
    /// A salt lake, by its number.
    ClosedLake(u32),
    Border,
}

impl End {
    fn of(last: &CellState) -> Self {
        match last.lake {
            _ if !last.is_land() => Self::Sea,
            Some(lake) if last.receiver.is_none() => Self::ClosedLake(lake),
            _ => Self::Border,
        }
    }

    fn lake(self) -> Option<u32> {
        match self {
            Self::ClosedLake(lake) => Some(lake),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sea => "sea",
            Self::ClosedLake(_) => "closed lake",
            Self::Border => "border of the map",
        }
    }
}

/// What there is to say of a way to where it ends.
struct Way {
    from: [f64; 2],
    end: End,
    line: Vec<[f64; 2]>,
    length_m: f64,
    drop_m: f64,
    start_m3_s: f64,
    mouth_m3_s: f64,
    cells: usize,
    /// Name of the river whose outlet it reaches; empty if that has none.
    name: String,
    profile: Profile,
}

impl Way {
    fn new(view: &WorldView, from: [f64; 2], cells: &[Cell], states: &[CellState]) -> Result<Self> {
        let lines = RiverLines::new(view, cells)?;
        let (line, length_m) = lines.line(cells);
        let start = &states[0];
        let end = End::of(states.last().unwrap_or(start));
        // nothing leaves the last cell of a closed lake: what counts is what comes to it
        let is_mouth =
            |s: &&CellState| s.is_land() && (s.receiver.is_some() || !matches!(end, End::ClosedLake(_)));
        let mouth = states.iter().rfind(is_mouth).unwrap_or(start);
        Ok(Self {
            from,
            end,
            line,
            length_m,
            drop_m: start.river_level_m - mouth.river_level_m,
            start_m3_s: start.discharge_m3_s,
            mouth_m3_s: mouth.discharge_m3_s,
            cells: cells.len(),
            name: river_name(view, cells)?,
            profile: Profile::of(&lines, cells, states),
        })
    }

    /// What stands over its profile.
    fn title(&self) -> String {
        let [x, y] = self.from;
        if self.name.is_empty() {
            format!("From {x:.2}, {y:.2}")
        } else {
            format!("{}, from {x:.2}, {y:.2}", self.name)
        }
    }

    fn as_json(&self) -> Value {
        json!({
            "from": self.from,
            "river": self.name,
            "mouth": self.line.last(),
            "ends_in": self.end.name(),
            "lake": self.end.lake(),
            "length_km": self.length_m / 1000.0,
            "drop_m": self.drop_m,
            "discharge_at_start_m3_s": self.start_m3_s,
            "discharge_at_mouth_m3_s": self.mouth_m3_s,
            "cells": self.cells,
            "profile": self.profile.as_json(),
        })
    }

    fn in_words(&self) -> String {
        let [x, y] = self.from;
        let place = self.line.last().map_or(String::new(), |c| format!(" at {:.3},{:.3}", c[0], c[1]));
        let end = match self.end {
            End::Sea => format!("the sea{place}"),
            End::ClosedLake(_) => format!("a closed lake{place}, where it evaporates"),
            End::Border => format!("the border of the map{place}"),
        };
        if self.cells < 2 {
            return format!("From {x},{y} the water goes nowhere: this is {end}.\n");
        }
        format!(
            "From {x},{y} the water runs {:.0} km{}, falls {:.0} m, and reaches {end}.\n\
             It starts with {:.2} m3/s and ends with {:.0} m3/s.\n",
            self.length_m / 1000.0,
            if self.name.is_empty() { String::new() } else { format!(" to the mouth of the {}", self.name) },
            self.drop_m,
            self.start_m3_s,
            self.mouth_m3_s
        )
    }

    /// Writes the line, with the figures as its properties.
    fn write(self, view: &WorldView, path: &Path, session: Session) -> Result<()> {
        if self.line.len() < 2 {
            let [x, y] = self.from;
            bail!("--from {x},{y}: the water ends here, so there is no line to write");
        }
        let fields = [
            ("river", FieldKind::Text),
            ("ends_in", FieldKind::Text),
            ("lake", FieldKind::Int),
            ("length_km", FieldKind::Real),
            ("drop_m", FieldKind::Real),
            ("discharge_at_start_m3_s", FieldKind::Real),
            ("discharge_at_mouth_m3_s", FieldKind::Real),
            ("cells", FieldKind::Int),
        ];
        let values = vec![
            Some(self.name.into()),
            Some(self.end.name().into()),
            self.end.lake().map(Into::into),
            Some((self.length_m / 1000.0).into()),
            Some(self.drop_m.into()),
            Some(self.start_m3_s.into()),
            Some(self.mouth_m3_s.into()),
            Some((self.cells as i64).into()),
        ];
        let mut layer = Layer::new("way of the water", GeometryKind::Lines, crs(view.grid()), &fields);
        layer.push(Geometry::line(self.line), values);
        write_layers(path, vec![layer], view)?;
        session.say(&format!("{}: 1 line", path.display()));
        Ok(())
    }
}
