//! Everything about a place.

use super::planet::Shown;
use crate::basins::NO_BASIN;
use crate::river_layers::areas;
use crate::way::{land_beside, nearest_sample, way_from};
use anyhow::{Context, Result};
use grid::{Cell, Direction, Grid, Topology};
use region::river_lines::coordinates;
use region::{Method, Request, Sampled};
use serde_json::{Value, json};
use serve::draw::classes::{BIOMES, KOPPEN, biome};
use world::{CellSource, CellState, channel_width_m};

/// Most places of a line or an outline that a page is sent.
const MOST_PLACES: usize = 4000;

/// All that is known of a place in a cell: what is there comes from the land that is drawn, the rest from the cell.
pub fn describe(shown: &Shown, place: [f64; 2], cell: Cell) -> Result<Value> {
    let view = &shown.view;
    let state = view.gather(&[cell])?.remove(0);
    let here = Here::of(shown, place)?;
    let kind = here.kind(&state);
    let mut climate = view.climates(&[cell])?.remove(0);
    // months as the world has them for the cell's height, at the height of the place
    climate.temperature_c.iter_mut().for_each(|t| *t += here.temperature_c - state.temperature_c as f32);
    let one = |name: &str| -> Result<f64> {
        Ok(view.file.gather(name, &[cell])?.to_f64().first().copied().unwrap_or_default())
    };
    let months: Vec<f64> = (1..=12).map(|m| one(&format!("discharge_{m:02}"))).collect::<Result<_>>()?;
    let directions: Vec<String> = state.ridges.directions().map(|d: Direction| format!("{d:?}")).collect();
    let center = coordinates(view.grid(), view.grid().center(cell));
    let is_sea = kind == "sea";
    let basin = match here.basin() {
        _ if is_sea => NO_BASIN,
        Some(number) => number,
        None => basin_of(shown, drains_to(shown, place, (cell, &state))?)?,
    };
    Ok(json!({
        "place": place,
        "kind": kind,
        "elevation_m": here.elevation_m,
        "base_m": here.base_m,
        "mountains_m": here.mountains_m,
        "water_surface_m": here.surface_m,
        "water_depth_m": here.depth_m,
        "cell": {
            "number": cell.0,
            "center": center,
            "base_m": state.base_elevation_m,
            "mountain_height_m": state.mountain_height_m,
            "ridge_byte": state.ridges.bits(),
            "ridges": directions,
            "temperature_c": state.temperature_c,
            "rain_mm": state.rain_mm,
        },
        "climate": {
            "mean_c": here.temperature_c,
            "year_mm": here.rain_mm,
            "temperature_c": climate.temperature_c,
            "rain_mm": climate.rain_mm,
            "class": class(here.class),
            "biome": (!is_sea).then(|| BIOMES[biome(here.temperature_c, here.rain_mm)].name),
            "ice_months": one("ice")?,
        },
        "river_here": here.river(),
        "river": if is_sea { Value::Null } else { river(shown, (cell, &state), &months)? },
        "lake": if kind == "lake" { lake(shown, (cell, &state), here.surface_m)? } else { Value::Null },
        "basin": about_basin(shown, basin)?,
        "way": if is_sea { None } else { way_from(view, place, &shown.drainage)?.map(thinned) },
    }))
}

/// The sample nearest to a place, as summits are found: one is as high here as its label says.
struct Here {
    elevation_m: f32,
    base_m: f32,
    mountains_m: f32,
    surface_m: f32,
    depth_m: f32,
    discharge_m3_s: f32,
    order: f32,
    /// Of the year, at its own height.
    temperature_c: f32,
    rain_mm: f32,
    /// Koeppen's class, from 1; 0 in the sea.
    class: f32,
    /// Number of the world's basin; negative where water reaches no river's outlet.
    basin: f32,
}

impl Here {
    fn of(shown: &Shown, place: [f64; 2]) -> Result<Self> {
        let (lattice, window) = nearest_sample(shown.view.grid(), place);
        let layers = vec![
            Sampled::Elevation,
            Sampled::Base,
            Sampled::Mountains,
            Sampled::WaterSurface,
            Sampled::WaterDepth,
            Sampled::Discharge,
            Sampled::Order,
            Sampled::Temperature,
            Sampled::Rain,
            Sampled::LandCover,
            Sampled::Basin,
        ];
        let request = Request::new(lattice, window, layers, Method::Drainage)?.with_cache(&shown.drainage);
        let region = region::refine(&shown.view, &request, &|_| {})?;
        let value =
            |layer| region.layer(layer).and_then(|values| values.first().copied()).unwrap_or(f32::NAN);
        Ok(Self {
            elevation_m: value(Sampled::Elevation),
            base_m: value(Sampled::Base),
            mountains_m: value(Sampled::Mountains),
            surface_m: value(Sampled::WaterSurface),
            depth_m: value(Sampled::WaterDepth),
            discharge_m3_s: value(Sampled::Discharge),
            order: value(Sampled::Order),
            temperature_c: value(Sampled::Temperature),
            rain_mm: value(Sampled::Rain),
            class: value(Sampled::LandCover),
            basin: value(Sampled::Basin),
        })
    }

    /// What is there: standing water is the sea's where it is level with that and the cell has no lake.
    fn kind(&self, state: &CellState) -> &'static str {
        match self.depth_m > 0.0 && self.discharge_m3_s == 0.0 {
            true if self.surface_m <= 0.0 && state.lake.is_none() => "sea",
            true => "lake",
            false => "land",
        }
    }

    /// The number of the basin that the place drains to, as the land is drawn.
    fn basin(&self) -> Option<u32> {
        (self.basin >= 0.0).then_some(self.basin as u32)
    }

    /// The river that covers the place.
    fn river(&self) -> Value {
        if self.discharge_m3_s > 0.0 {
            json!({
                "discharge_m3_s": self.discharge_m3_s,
                "order": self.order,
                "width_m": channel_width_m(f64::from(self.discharge_m3_s)),
            })
        } else {
            Value::Null
        }
    }
}

fn class(code: f32) -> Value {
    KOPPEN.get((code as usize).wrapping_sub(1)).map_or(Value::Null, |class| json!(class.name))
}

/// What runs out of the cell, if it is land, and the name of the river that it comes to.
fn river(shown: &Shown, (cell, state): (Cell, &CellState), months: &[f64]) -> Result<Value> {
    if !state.is_land() {
        return Ok(Value::Null);
    }
    let outlet = shown.view.network()?.outlets.get(basin_of(shown, cell)? as usize);
    Ok(json!({
        "comes_to": outlet.map(|outlet| &outlet.name),
        "discharge_m3_s": state.discharge_m3_s,
        "months_m3_s": months,
        "order": state.river_order,
        "drainage_km2": state.drainage_km2,
        "width_m": channel_width_m(state.discharge_m3_s),
        "level_m": state.river_level_m,
        "is_river": state.river_order > 0,
    }))
}

/// The lake of a cell, or the one around it whose level is nearest to a height.
fn lake(shown: &Shown, (cell, state): (Cell, &CellState), surface_m: f32) -> Result<Value> {
    let table = shown.view.file.table("lakes").context("the world has no lakes")?;
    let number = |name: &str, lake: usize| table.f64s(name).and_then(|values| values.get(lake)).copied();
    let off_m = |lake: &usize| (number("level", *lake).unwrap_or(f64::INFINITY) - f64::from(surface_m)).abs();
    let nearest = match state.lake {
        Some(own) => Some(own as usize),
        None => {
            let around = shown.view.gather(&shown.view.grid().halo(cell, 1))?;
            let all = around.iter().filter_map(|state| state.lake).map(|k| k as usize);
            all.min_by(|a, b| off_m(a).total_cmp(&off_m(b)))
        }
    };
    let Some(lake) = nearest else { return Ok(Value::Null) };
    let is_closed = table.u32s("closed").and_then(|values| values.get(lake)).is_some_and(|&c| c != 0);
    Ok(json!({
        "level_m": number("level", lake),
        "area_km2": number("area", lake).map(|m2| m2 / 1e6),
        "greatest_depth_m": number("greatest_depth", lake),
        "is_salt": is_closed,
    }))
}

/// The cell that a place in a cell drains to, as far as cells tell: land in a cell of the sea has that of the nearest land.
fn drains_to(shown: &Shown, place: [f64; 2], (cell, state): (Cell, &CellState)) -> Result<Cell> {
    match shown.locate(place).filter(|_| !state.is_land()) {
        Some((at, _)) => Ok(land_beside(&shown.view, at, cell)?.unwrap_or(cell)),
        None => Ok(cell),
    }
}

/// The number of the basin that a cell belongs to.
fn basin_of(shown: &Shown, cell: Cell) -> Result<u32> {
    Ok(shown.basins()?.of_cell[cell])
}

/// A basin by its number, with its outline; nothing where there is none.
fn about_basin(shown: &Shown, number: u32) -> Result<Value> {
    let basins = shown.basins()?;
    if number == NO_BASIN {
        return Ok(Value::Null);
    }
    let grid = shown.view.grid();
    let outlet = &shown.view.network()?.outlets[number as usize];
    let about = &basins.all[number as usize];
    let mut found = areas(grid, basins, &[number]);
    let polygons = found.remove(&number).unwrap_or_default();
    // where a basin is cut at the antimeridian, its parts meet
    let is_cut = |place: &[f64; 2]| matches!(grid, Topology::Globe(_)) && place[0].abs() >= 180.0;
    let rings = |polygon: &formats::features::Polygon| {
        std::iter::once(&polygon.outer)
            .chain(&polygon.holes)
            .map(|ring| few(&smooth(ring, &is_cut)))
            .collect::<Vec<_>>()
    };
    Ok(json!({
        "name": outlet.name,
        "ends_in": outlet.kind.name(),
        "mouth": coordinates(grid, grid.center(outlet.cell)),
        "area_km2": about.area_km2,
        "longest_km": about.longest_km,
        "discharge_m3_s": outlet.discharge_m3_s,
        "polygons": polygons.iter().map(rings).collect::<Vec<_>>(),
    }))
}

/// At most [`MOST_PLACES`] of a ring's places, evenly chosen.
fn few(ring: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let step = ring.len().div_ceil(MOST_PLACES).max(1);
    let last = ring.len().saturating_sub(1);
    ring.iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last).map(|(_, p)| *p).collect()
}

/// A closed ring along cells' sides with its corners cut off (Chaikin 1974), so that it shows less of the grid; those that
/// `stay` are kept. A line that two rings share is cut alike in both.
fn smooth(ring: &[[f64; 2]], stays: &dyn Fn(&[f64; 2]) -> bool) -> Vec<[f64; 2]> {
    let cut = |ring: &[[f64; 2]], share: f64| -> Vec<[f64; 2]> {
        let mut found = Vec::with_capacity(2 * ring.len());
        for (a, b) in ring.windows(2).map(|side| (side[0], side[1])) {
            let between = |t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
            found.push(if stays(&a) { a } else { between(share) });
            found.push(if stays(&b) { b } else { between(1.0 - share) });
        }
        found.dedup();
        if found.first() != found.last() {
            found.extend(found.first().copied());
        }
        found
    };
    // the first cut leaves the middles of the sides: stairs become slopes
    cut(&cut(&cut(ring, 0.5), 0.25), 0.25)
}

/// A way with at most [`MOST_PLACES`] places of its line.
fn thinned(mut way: Value) -> Value {
    let places: Option<Vec<[f64; 2]>> = serde_json::from_value(way["line"].take()).ok();
    way["line"] = json!(few(&places.unwrap_or_default()));
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stairs_become_slopes_and_what_is_cut_stays() {
        // a stair from the antimeridian down and back along it
        let stair = [
            [178.0, 0.0],
            [178.0, 1.0],
            [179.0, 1.0],
            [179.0, 2.0],
            [180.0, 2.0],
            [180.0, 0.0],
            [178.0, 0.0],
        ];
        let smooth = smooth(&stair, &|p| p[0] >= 180.0);
        assert_eq!(smooth.first(), smooth.last(), "it is closed");
        let twice = |ring: &[[f64; 2]]| ring.windows(2).filter(|side| side[0] == side[1]).count();
        assert_eq!(twice(&smooth), 0, "once");
        let from_cut: Vec<_> = [&stair[5..], &stair[1..6]].concat();
        assert_eq!(twice(&super::smooth(&from_cut, &|p| p[0] >= 180.0)), 0, "wherever it begins");
        assert!(smooth.contains(&[180.0, 2.0]) && smooth.contains(&[180.0, 0.0]));
        assert!(!smooth.contains(&[178.0, 1.0]) && !smooth.contains(&[179.0, 1.0]));
        // the middles of the sides of the stair lie on one slope, and so does what is between them
        let off = |p: &[f64; 2]| ((p[1] - 0.5) - (p[0] - 178.0)).abs();
        let on_slope = smooth.iter().filter(|p| (0.5..=1.5).contains(&p[1]) && p[0] < 180.0);
        assert!(on_slope.clone().count() >= 4 && on_slope.map(off).all(|off| off < 0.13), "{smooth:?}");
    }
}
