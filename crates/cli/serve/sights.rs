//! Places worth going to: the highest, the longest, the largest, the deepest.

use super::fields::reals;
use super::planet::Shown;
use anyhow::{Context, Result};
use grid::{Cell, Grid, Values, Vec3};
use region::river_lines::coordinates;
use serde_json::{Value, json};
use serve::draw::furniture::number;
use world::CellSource;

/// Finds them, as far as the world has them.
pub fn find(shown: &Shown) -> Result<Value> {
    let found = [peak(shown)?, longest(shown)?, greatest(shown)?, lake(shown)?, deepest(shown)?];
    Ok(found.into_iter().flatten().collect())
}

fn sight(key: &str, title: &str, text: String, (place, zoom): ([f64; 2], f64)) -> Value {
    json!({ "key": key, "title": title, "text": text, "place": place, "zoom": zoom })
}

fn place(shown: &Shown, cell: Cell) -> [f64; 2] {
    coordinates(shown.view.grid(), shown.view.grid().center(cell))
}

/// The cell with the greatest score, the lowest address among equals.
fn best(shown: &Shown, score: impl Fn(Cell) -> f32) -> Option<Cell> {
    let scored = shown.view.grid().cells().map(|c| (score(c), c)).filter(|s| !s.0.is_nan());
    scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|s| s.1)
}

/// The highest summit.
fn peak(shown: &Shown) -> Result<Option<Value>> {
    let Some(top) = region::summits::highest(&shown.view, &shown.drainage)? else { return Ok(None) };
    Ok(Some(sight("peak", "Highest peak", format!("{:.0} m", top.height_m), (top.place, 10.5))))
}

fn longest(shown: &Shown) -> Result<Option<Value>> {
    let network = shown.view.network()?;
    let rivers = network.rivers();
    let Some(river) = rivers.iter().max_by(|a, b| a.length_m.total_cmp(&b.length_m)) else {
        return Ok(None);
    };
    let name = &network.outlets[river.outlet as usize].name;
    let text = format!("{name} {:.0} km", river.length_m / 1000.0);
    Ok(Some(sight("longest", "Longest river", text.trim().into(), (place(shown, river.source), 6.0))))
}

fn greatest(shown: &Shown) -> Result<Option<Value>> {
    let network = shown.view.network()?;
    let Some(river) = network.rivers().into_iter().next() else { return Ok(None) };
    let name = &network.outlets[river.outlet as usize].name;
    let text = format!("{name} {} m³/s", number(river.discharge_m3_s.round()));
    Ok(Some(sight(
        "mouth",
        "Mouth of the greatest river",
        text.trim().into(),
        (place(shown, river.mouth), 7.5),
    )))
}

/// The largest lake, at the cell of it that is nearest to its middle.
fn lake(shown: &Shown) -> Result<Option<Value>> {
    let table = shown.view.file.table("lakes").context("the world has no table of lakes")?;
    let areas = table.f64s("area").context("the table of lakes has no areas")?;
    let largest = areas.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    let Some((lake, &area_m2)) = largest else { return Ok(None) };
    let layer = shown.fields.layer(&shown.view, "lake")?;
    let Values::U32(of_cell) = &*layer else { return Ok(None) };
    let grid = shown.view.grid();
    let cells: Vec<Cell> = grid.cells().filter(|&c| of_cell[c] == lake as u32).collect();
    let sum = cells.iter().map(|&c| grid.center(c)).fold(Vec3::new(0.0, 0.0, 0.0), |a, b| a + b);
    let middle = sum / cells.len().max(1) as f64;
    let off = |c: &Cell| grid.center(*c).distance(middle);
    let Some(&cell) = cells.iter().min_by(|a, b| off(a).total_cmp(&off(b))) else { return Ok(None) };
    // so near that the lake fills a good part of a page
    let zoom = (8.0 - 0.5 * grid::math::log2((area_m2 / 1e9).max(0.1)) + 0.8).clamp(3.0, 10.0);
    let text = format!("{} km²", number((area_m2 / 1e6).round()));
    Ok(Some(sight("lake", "Largest lake", text, (place(shown, cell), zoom))))
}

fn deepest(shown: &Shown) -> Result<Option<Value>> {
    let layer = shown.fields.layer(&shown.view, "base_elevation")?;
    let floor = reals(&layer)?;
    let land = shown.fields.layer(&shown.view, "continentality")?;
    let land = reals(&land)?;
    let depth = |c: Cell| if land[c] < 0.0 { -floor[c] } else { f32::NAN };
    let Some(cell) = best(shown, depth) else { return Ok(None) };
    let text = format!("{:.0} m", floor[cell]);
    Ok(Some(sight("deep", "Deepest ocean", text, (place(shown, cell), 6.0))))
}
