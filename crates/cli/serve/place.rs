//! Everything about a place.

use super::planet::Shown;
use crate::basins::NO_BASIN;
use crate::river_layers::areas;
use crate::way::way_from;
use anyhow::{Context, Result};
use grid::{Cell, Direction, Grid, Topology};
use region::river_lines::coordinates;
use region::summits::SPACING_M;
use region::{Lattice, Method, Request, Sampled, Window};
use serde_json::{Value, json};
use serve::draw::classes::{BIOMES, KOPPEN, biome};
use world::{CellSource, CellState, channel_width_m};

/// Most places of a line or an outline that a page is sent.
const MOST_PLACES: usize = 4000;

/// All that is known of a place in a cell.
pub fn describe(shown: &Shown, place: [f64; 2], cell: Cell) -> Result<Value> {
    let view = &shown.view;
    let state = view.gather(&[cell])?.remove(0);
    let ground = ground(shown, place)?;
    let climate = view.climates(&[cell])?.remove(0);
    let one = |name: &str| -> Result<f64> {
        Ok(view.file.gather(name, &[cell])?.to_f64().first().copied().unwrap_or_default())
    };
    let months: Vec<f64> = (1..=12).map(|m| one(&format!("discharge_{m:02}"))).collect::<Result<_>>()?;
    let directions: Vec<String> = state.ridges.directions().map(|d: Direction| format!("{d:?}")).collect();
    let center = coordinates(view.grid(), view.grid().center(cell));
    Ok(json!({
        "place": place,
        "kind": kind(&state),
        "elevation_m": ground[0],
        "water_surface_m": ground[1],
        "water_depth_m": ground[2],
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
            "temperature_c": climate.temperature_c,
            "rain_mm": climate.rain_mm,
            "class": class(one("koppen")?),
            "biome": state.is_land().then(|| biome_of(&state)),
            "ice_months": one("ice")?,
        },
        "river": river(&state, &months),
        "lake": lake(shown, &state)?,
        "basin": basin(shown, cell)?,
        "way": way_from(view, place, cell)?.map(thinned),
    }))
}

fn kind(state: &CellState) -> &'static str {
    match state.lake {
        _ if !state.is_land() => "sea",
        Some(_) => "lake",
        None => "land",
    }
}

/// Ground, surface and depth of the water at the sample nearest to a place; samples are those that summits are found with, so
/// that a summit is as high here as its label says.
fn ground(shown: &Shown, [x, y]: [f64; 2]) -> Result<[f32; 3]> {
    let lattice = Lattice::of_metres(shown.view.grid(), (x, y), SPACING_M);
    let (east, north) = lattice.project(x, y);
    let number = |v: f64| (v / lattice.step()).round() as i64;
    let window = Window { west: number(east), north: number(north), width: 1, height: 1 };
    let layers = vec![Sampled::Elevation, Sampled::WaterSurface, Sampled::WaterDepth];
    let request =
        Request::new(lattice, window, layers.clone(), Method::Drainage)?.with_cache(&shown.drainage);
    let region = region::refine(&shown.view, &request, &|_| {})?;
    let value = |layer| region.layer(layer).and_then(|values| values.first().copied()).unwrap_or(f32::NAN);
    Ok([value(layers[0]), value(layers[1]), value(layers[2])])
}

fn class(code: f64) -> Value {
    KOPPEN.get((code as usize).wrapping_sub(1)).map_or(Value::Null, |class| json!(class.name))
}

fn biome_of(state: &CellState) -> &'static str {
    BIOMES[biome(state.temperature_c as f32, state.rain_mm as f32)].name
}

/// What runs out of the cell, if it is land.
fn river(state: &CellState, months: &[f64]) -> Value {
    if !state.is_land() {
        return Value::Null;
    }
    json!({
        "discharge_m3_s": state.discharge_m3_s,
        "months_m3_s": months,
        "order": state.river_order,
        "drainage_km2": state.drainage_km2,
        "width_m": channel_width_m(state.discharge_m3_s),
        "level_m": state.river_level_m,
        "is_river": state.river_order > 0,
    })
}

fn lake(shown: &Shown, state: &CellState) -> Result<Value> {
    let Some(lake) = state.lake.map(|k| k as usize) else { return Ok(Value::Null) };
    let table = shown.view.file.table("lakes").context("the world has no lakes")?;
    let number = |name| table.f64s(name).and_then(|values| values.get(lake)).copied();
    let is_closed = table.u32s("closed").and_then(|values| values.get(lake)).is_some_and(|&c| c != 0);
    Ok(json!({
        "level_m": number("level"),
        "area_km2": number("area").map(|m2| m2 / 1e6),
        "greatest_depth_m": number("greatest_depth"),
        "is_salt": is_closed,
    }))
}

/// The basin that a cell belongs to, with its outline.
fn basin(shown: &Shown, cell: Cell) -> Result<Value> {
    let basins = shown.basins()?;
    let number = basins.of_cell[cell];
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
