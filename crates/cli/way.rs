//! `terrane rivers --from`: the way of the water from a place to the sea, or to a closed lake.

use crate::args;
use crate::chart;
use crate::named::{Map, decimals, fine_decimals};
use crate::output::{Session, emit, ending, misuse};
use crate::profile::{Profile, Station};
use crate::river_layers::{crs, write_layers};
use anyhow::{Result, bail};
use archive::WorldView;
use formats::features::{FieldKind, Geometry, GeometryKind, Layer};
use grid::{Cell, Grid, Topology, Vec3, math};
use region::descent::{Descent, Ending};
use region::river_lines::RiverLines;
use region::summits::SPACING_M;
use region::{Cache, Lattice, Window};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use world::{CellSource, CellState, Outlet, channel_width_m};

/// Endings of files that a way's profile goes to.
pub const PROFILES: [&str; 2] = ["csv", "png"];

/// Follows the water from a place downstream, and tells or writes its way.
pub fn follow(view: &WorldView, text: &str, args: &args::Rivers, session: Session) -> Result<()> {
    let map = Map::of(view);
    let from = start(&map, text)?;
    let Some(way) = Way::new(view, from, &Cache::default())? else {
        bail!("--from {text}: the place lies in the sea");
    };
    let told = |way: Way| way.told(|place| map.told(place));
    match args.output.as_deref().map(|path| (path, ending(path))) {
        Some((path, ending)) if ending == "csv" => {
            let names = match view.grid() {
                Topology::Globe(_) => ["lon", "lat"],
                Topology::Flat(_) => ["x", "y"],
            };
            let way = told(way);
            formats::atomic(path, |out| Ok(out.write_all(way.profile.as_csv(names).as_bytes())?))?;
            session.say(&format!("{}: {} places", path.display(), way.profile.stations.len()));
            Ok(())
        }
        Some((path, ending)) if ending == "png" => {
            let way = told(way);
            chart::write(path, &way.profile, &way.title(decimals(map.grid)))?;
            session.say(&format!("{}: a profile of {:.0} km", path.display(), way.length_m / 1000.0));
            Ok(())
        }
        Some(_) if way.line.len() < 2 => {
            bail!("--from {text}: the water ends here, so there is no line to write")
        }
        Some((path, _)) => way.write(view, path, session),
        None if args.json => emit(&format!("{:#}\n", told(way).as_json())),
        None => {
            let way = told(way);
            let (words, table) =
                (way.in_words(fine_decimals(map.grid)), way.profile.table(decimals(map.grid)));
            emit(&format!("{words}\n{table}"))
        }
    }
}

/// What there is to say of the way of the water from a place, its line and profile with it; `None` in the sea.
pub fn way_from(view: &WorldView, place: [f64; 2], cache: &Cache) -> Result<Option<Value>> {
    let Some(way) = Way::new(view, place, cache)? else { return Ok(None) };
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
    Lattice::around_place(grid, (x, y), (SPACING_M, 0))
}

/// The place that a text names.
fn start(map: &Map, text: &str) -> Result<[f64; 2]> {
    let place = map.place("--from", text)?;
    match map.grid.locate(position(map.grid, place)) {
        Some(_) => Ok(place),
        None => Err(misuse(format!("--from {text}: the place lies outside the map"))),
    }
}

/// Where a place of the map lies on the grid.
fn position(grid: &Topology, [x, y]: [f64; 2]) -> Vec3 {
    match grid {
        Topology::Globe(_) => math::from_lon_lat(x, y),
        Topology::Flat(_) => Vec3::new(x, y, 0.0),
    }
}

/// The cells from one of land to where the water ends, each with its state.
fn course(view: &WorldView, start: Cell) -> Result<(Vec<Cell>, Vec<CellState>)> {
    let grid = view.grid();
    let (mut cells, mut states) = (Vec::new(), Vec::new());
    let mut next = Some(start);
    while let Some(cell) = next {
        if cells.len() > grid.len() {
            bail!("{}: its rivers run in a circle; the file is damaged", view.path().display());
        }
        let state = view.gather(&[cell])?.remove(0);
        next = state.receiver.and_then(|direction| grid.neighbor(cell, direction));
        cells.push(cell);
        states.push(state);
    }
    Ok((cells, states))
}

/// The outlet on a way, or, where none of its cells is known, that of a basin.
fn outlet(view: &WorldView, cells: &[Cell], basin: Option<u32>) -> Result<Option<Outlet>> {
    let outlets = &view.network()?.outlets;
    let on_way: BTreeSet<Cell> = cells.iter().copied().collect();
    let of_basin = || outlets.get(basin? as usize).filter(|_| cells.is_empty());
    Ok(outlets.iter().find(|outlet| on_way.contains(&outlet.cell)).or_else(of_basin).cloned())
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
    /// Of the world's, along which it goes on beyond what is drawn around the place.
    cells: usize,
    /// Name of the river whose outlet it reaches; empty if that has none.
    name: String,
    profile: Profile,
}

impl Way {
    /// The way from a place: as the land is drawn around it, and on along the world's cells; `None` in the sea.
    fn new(view: &WorldView, from: [f64; 2], cache: &Cache) -> Result<Option<Self>> {
        let Some(near) = Descent::from(view, from, cache)? else { return Ok(None) };
        let (cells, states) = match near.goes_on {
            Some(cell) => course(view, cell)?,
            None => (Vec::new(), Vec::new()),
        };
        let outlet = outlet(view, &cells, near.basin)?;
        let end = match near.ends {
            Some(Ending::ClosedLake(lake)) => End::ClosedLake(lake),
            Some(Ending::Sea) => End::Sea,
            None => states.last().map_or(End::Border, End::of),
        };
        // nothing leaves the last cell of a closed lake: what counts is what comes to it
        let is_mouth =
            |s: &&CellState| s.is_land() && (s.receiver.is_some() || !matches!(end, End::ClosedLake(_)));
        let mouth = states.iter().rfind(is_mouth).or(states.first());
        let mouth_m3_s = match (mouth, &outlet, near.steps.last()) {
            (_, None, Some(last)) if end.lake().is_some() => last.discharge_m3_s,
            (Some(state), ..) => state.discharge_m3_s,
            (None, Some(outlet), _) => outlet.discharge_m3_s,
            (None, None, last) => last.map_or(0.0, |step| step.discharge_m3_s),
        };
        let (mut line, mut profile) = drawn(view, &near)?;
        if near.ends.is_none() {
            let lines = RiverLines::new(view, &cells)?;
            let (rest, beyond_km) = beyond(view.grid(), lines.line(&cells).0, line.last());
            line.extend(rest);
            profile = Profile::of(&lines, &cells, &states).after(profile, beyond_km);
        }
        let stations = &profile.stations;
        let level_m = |station: Option<&Station>| station.map_or(0.0, |station| station.level_m);
        Ok(Some(Self {
            from,
            end,
            line,
            length_m: 1000.0 * stations.last().map_or(0.0, |station| station.distance_km),
            drop_m: level_m(stations.first()) - level_m(stations.last()),
            start_m3_s: stations.iter().find_map(|station| station.discharge_m3_s).unwrap_or(0.0),
            mouth_m3_s,
            cells: if near.ends.is_some() { 0 } else { cells.len() },
            name: outlet.map_or_else(String::new, |outlet| outlet.name),
            profile,
        }))
    }

    /// The same with its places as they are called.
    fn told(mut self, told: impl Fn([f64; 2]) -> [f64; 2]) -> Self {
        let stations = self.profile.stations.iter_mut().map(|station| &mut station.place);
        for place in std::iter::once(&mut self.from).chain(&mut self.line).chain(stations) {
            *place = told(*place);
        }
        self
    }

    /// What stands over its profile.
    fn title(&self, decimals: usize) -> String {
        let [x, y] = self.from;
        if self.name.is_empty() {
            format!("From {x:.decimals$}, {y:.decimals$}")
        } else {
            format!("{}, from {x:.decimals$}, {y:.decimals$}", self.name)
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

    fn in_words(&self, decimals: usize) -> String {
        let [x, y] = self.from;
        let place = |c: &[f64; 2]| format!(" at {:.decimals$},{:.decimals$}", c[0], c[1]);
        let place = self.line.last().map_or(String::new(), place);
        let end = match self.end {
            End::Sea => format!("the sea{place}"),
            End::ClosedLake(_) => format!("a closed lake{place}, where it evaporates"),
            End::Border => format!("the border of the map{place}"),
        };
        if self.line.len() < 2 {
            return format!("From {x},{y} the water goes nowhere: this is {end}.\n");
        }
        format!(
            "From {x},{y} the water runs {:.0} km{}, falls {:.0} m, and reaches {end}.\n\
             It starts with {:.2} m3/s and ends with {:.*} m3/s.\n",
            self.length_m / 1000.0,
            if self.name.is_empty() { String::new() } else { format!(" to the mouth of the {}", self.name) },
            self.drop_m,
            self.start_m3_s,
            if self.mouth_m3_s < 10.0 { 2 } else { 0 },
            self.mouth_m3_s
        )
    }

    /// Writes the line, with the figures as its properties.
    fn write(self, view: &WorldView, path: &Path, session: Session) -> Result<()> {
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

/// The line of a way as it is drawn, with its profile.
fn drawn(view: &WorldView, near: &Descent) -> Result<(Vec<[f64; 2]>, Profile)> {
    let grid = view.grid();
    let mut steps = near.steps.clone();
    steps.dedup_by_key(|step| step.place);
    let cells: Vec<Option<Cell>> = steps.iter().map(|step| grid.locate(position(grid, step.place))).collect();
    let under: Vec<Cell> = cells.iter().flatten().copied().collect::<BTreeSet<Cell>>().into_iter().collect();
    let states = view.gather(&under)?;
    let mut stations: Vec<Station> = Vec::with_capacity(steps.len());
    for (step, cell) in steps.iter().zip(cells) {
        let state = cell.and_then(|cell| under.binary_search(&cell).ok()).map(|at| &states[at]);
        let lake = state.filter(|state| (state.water_level_m - step.surface_m).abs() <= LEVEL_M);
        let lake = lake.and_then(|state| Some((state.lake?, state.base_elevation_m)));
        let way_m = stations.last().map_or(0.0, |before: &Station| {
            grid.distance_m(position(grid, before.place), position(grid, step.place))
        });
        let distance_km = stations.last().map_or(0.0, |before| before.distance_km) + way_m / 1000.0;
        let runs = step.discharge_m3_s > 0.0;
        stations.push(Station {
            place: step.place,
            distance_km,
            ground_m: lake.map_or(step.bed_m, |(_, floor_m)| floor_m.min(step.bed_m)),
            level_m: step.surface_m,
            bed_m: runs.then_some(step.bed_m),
            discharge_m3_s: runs.then_some(step.discharge_m3_s),
            width_m: (runs && lake.is_none()).then(|| channel_width_m(step.discharge_m3_s)),
            lake: lake.map(|(number, _)| number),
        });
    }
    Ok((stations.iter().map(|station| station.place).collect(), Profile { stations }))
}

/// A river whose water stands so near to the level of the lake that its cell lies in is in that lake, in metres.
const LEVEL_M: f64 = 0.5;

/// What of a line along cells lies beyond its place that is nearest to another, and how far along it that is, in km.
fn beyond(grid: &Topology, line: Vec<[f64; 2]>, from: Option<&[f64; 2]>) -> (Vec<[f64; 2]>, f64) {
    let Some(&from) = from else { return (line, 0.0) };
    let away_m = |place: &[f64; 2]| grid.distance_m(position(grid, from), position(grid, *place));
    let nearest = (0..line.len()).min_by(|a, b| away_m(&line[*a]).total_cmp(&away_m(&line[*b])));
    let Some(nearest) = nearest else { return (line, 0.0) };
    let apart_m = |w: &[[f64; 2]]| grid.distance_m(position(grid, w[0]), position(grid, w[1]));
    let along_m: f64 = line[..=nearest].windows(2).map(apart_m).sum();
    (line.into_iter().skip(nearest + 1).collect(), along_m / 1000.0)
}
