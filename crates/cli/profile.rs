//! The long profile of a river: what is met along its course, from cell to cell.

use grid::Cell;
use region::river_lines::RiverLines;
use serde_json::{Value, json};
use std::fmt::Write;
use world::{CellState, channel_width_m};

/// A place of a course: of a river as it is drawn, or the junction of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Longitude and latitude, or metres on a flat map.
    pub place: [f64; 2],
    /// Along the course from its start.
    pub distance_km: f64,
    /// The ground under the water where rivers are drawn; of a cell the ground without mountains, at sea and in lakes the floor.
    pub ground_m: f64,
    /// Surface of the river or lake.
    pub level_m: f64,
    /// Bed of the river; none at sea and on hillsides.
    pub bed_m: Option<f64>,
    /// Of the river, or what leaves the cell; none at sea and on hillsides.
    pub discharge_m3_s: Option<f64>,
    /// Width of the channel; none at sea, in lakes and on hillsides.
    pub width_m: Option<f64>,
    /// Number of the lake that covers the cell.
    pub lake: Option<u32>,
}

/// Places along a course.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// From its start down.
    pub stations: Vec<Station>,
}

/// Rows of a table for people.
const ROWS: usize = 24;

impl Profile {
    /// The profile of a course of cells, given their states.
    pub fn of(lines: &RiverLines, cells: &[Cell], states: &[CellState]) -> Self {
        let steps: Vec<(Vec<[f64; 2]>, f64)> = cells.windows(2).map(|pair| lines.line(pair)).collect();
        let begins = steps.first().and_then(|(points, _)| points.first().copied());
        let ends = steps.iter().map(|(points, _)| points.last().copied());
        let places = std::iter::once(begins).chain(ends);
        let mut distance_m = 0.0;
        let mut stations = Vec::with_capacity(cells.len());
        for (i, (place, state)) in places.zip(states).enumerate() {
            distance_m += if i > 0 { steps[i - 1].1 } else { 0.0 };
            let place = place.unwrap_or_else(|| lines.center(cells[i]));
            stations.push(station(place, distance_m / 1000.0, state));
        }
        Self { stations }
    }

    /// The same with a way before it: from where that ends, `beyond_km` along the course, the course goes on.
    pub fn after(mut self, way: Self, beyond_km: f64) -> Self {
        let Some(last) = way.stations.last().copied() else { return self };
        self.stations.retain(|station| station.distance_km > beyond_km);
        for station in &mut self.stations {
            station.distance_km += last.distance_km - beyond_km;
            station.level_m = station.level_m.min(last.level_m);
            station.bed_m = station.bed_m.map(|bed_m| bed_m.min(last.bed_m.unwrap_or(bed_m)));
        }
        Self { stations: [way.stations, self.stations].concat() }
    }

    /// A table of at most some two dozen places, the first and the last among them, told with so many decimals.
    pub fn table(&self, decimals: usize) -> String {
        let mut text = format!(
            "{:>9} {:>8} {:>8} {:>8} {:>11} {:>8} {:>6} {:<18}\n{:>9} {:>8} {:>8} {:>8} {:>11} {:>8}\n",
            "distance",
            "ground",
            "level",
            "bed",
            "discharge",
            "width",
            "lake",
            "place",
            "km",
            "m",
            "m",
            "m",
            "m3/s",
            "m"
        );
        let last = self.stations.len().saturating_sub(1);
        let apart_km = self.stations.last().map_or(0.0, |s| s.distance_km) / ROWS as f64;
        let mut due_km = 0.0;
        for (i, s) in self.stations.iter().enumerate() {
            if s.distance_km < due_km && i != last {
                continue;
            }
            due_km = s.distance_km + apart_km;
            let discharge = s.discharge_m3_s.map_or("-".into(), |q| format!("{q:.2}"));
            let width = s.width_m.map_or("-".into(), |w| format!("{w:.0}"));
            let lake = s.lake.map_or("-".into(), |lake| lake.to_string());
            let bed = s.bed_m.map_or("-".into(), |bed| format!("{bed:.1}"));
            let place = format!("{:.decimals$},{:.decimals$}", s.place[0], s.place[1]);
            let end = if i == last { "" } else { "\n" };
            let _ = write!(
                text,
                "{:>9.1} {:>8.0} {:>8.1} {bed:>8} {discharge:>11} {width:>8} {lake:>6} {place:<18}{end}",
                s.distance_km, s.ground_m, s.level_m
            );
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// All places, comma-separated, with a head in which their coordinates have these names; what is not known is empty.
    pub fn as_csv(&self, [x, y]: [&str; 2]) -> String {
        let mut text = format!("distance_km,{x},{y},ground_m,level_m,bed_m,discharge_m3_s,width_m,lake\n");
        for s in &self.stations {
            let real = |v: Option<f64>| v.map_or(String::new(), |v| v.to_string());
            let lake = s.lake.map_or(String::new(), |lake| lake.to_string());
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{lake}",
                s.distance_km,
                s.place[0],
                s.place[1],
                s.ground_m,
                s.level_m,
                real(s.bed_m),
                real(s.discharge_m3_s),
                real(s.width_m)
            );
        }
        text
    }

    /// All places for machines.
    pub fn as_json(&self) -> Value {
        let place = |s: &Station| {
            json!({
                "distance_km": s.distance_km,
                "place": s.place,
                "ground_m": s.ground_m,
                "level_m": s.level_m,
                "bed_m": s.bed_m,
                "discharge_m3_s": s.discharge_m3_s,
                "width_m": s.width_m,
                "lake": s.lake,
            })
        };
        self.stations.iter().map(place).collect()
    }
}

fn station(place: [f64; 2], distance_km: f64, state: &CellState) -> Station {
    let discharge_m3_s = state.is_land().then_some(state.discharge_m3_s);
    Station {
        place,
        distance_km,
        ground_m: state.base_elevation_m,
        level_m: state.river_level_m,
        bed_m: state.is_land().then_some(state.river_level_m - state.channel_depth_m),
        discharge_m3_s,
        width_m: discharge_m3_s.filter(|_| state.lake.is_none()).map(channel_width_m),
        lake: state.lake,
    }
}
