//! Lines and signs of a map: rivers, ridges, faults, the motion of plates, volcanoes.

use super::sheet::{Place, Sheet};
use super::{RIDGE, RIVER};
use crate::args::MapLayer;
use anyhow::{Context, Result};
use grid::{Cell, Grid, RidgeDirections, Table, Topology, Vec3};
use region::features_of;
use region::river_lines::{RiverLines, coordinates};
use serve::draw::furniture::round_down;
use serve::draw::{Canvas, Rgba, Stroke};
use world::World;

fn draw_line(sheet: &Sheet, canvas: &mut Canvas, points: &[[f64; 2]], width_px: f32, rgba: Rgba) {
    for part in sheet.lines(points) {
        canvas.line(&part, width_px, rgba);
    }
}

/// Rivers as the curves that regions are cut by, from small to great.
pub fn draw_rivers(world: &World, layer: MapLayer, sheet: &Sheet, canvas: &mut Canvas) -> Result<()> {
    let least = if layer == MapLayer::Rivers { sheet.least_river / 6.0 } else { sheet.least_river };
    let shown = |&cell: &Cell| world.discharge_m3_s[cell] >= least;
    let mut cells: Vec<Cell> = world.grid.cells().filter(shown).collect();
    let on_land = |c: &Cell| world.continentality[*c] > 0.0;
    cells.extend(cells.clone().iter().filter_map(|&c| world.receiver_of(c)).filter(on_land));
    let lines = RiverLines::new(world, &cells)?;
    let ordered = each_once(cells, |cell| world.discharge_m3_s[cell]);
    for cell in ordered.into_iter().filter(|&c| world.lake[c] == world::NO_LAKE) {
        for river in lines.in_cell(cell).iter().filter(|r| r.discharge_m3_s >= least) {
            let points: Vec<[f64; 2]> = river.points_m.iter().map(|&p| lines.coordinates(p)).collect();
            draw_line(sheet, canvas, &points, river_width_px(river.discharge_m3_s, sheet), RIVER);
        }
    }
    Ok(())
}

/// Each cell once, from little discharge to much, equals by address: a line drawn twice is darker than its own, and the
/// last one drawn lies on top.
fn each_once(mut cells: Vec<Cell>, discharge_m3_s: impl Fn(Cell) -> f64) -> Vec<Cell> {
    cells.sort_unstable();
    cells.dedup();
    cells.sort_by(|a, b| discharge_m3_s(*a).total_cmp(&discharge_m3_s(*b)));
    cells
}

/// Width of a river's line: it grows with the root of the discharge, like the river itself.
pub fn river_width_px(discharge_m3_s: f64, sheet: &Sheet) -> f32 {
    let scale = (sheet.window.width as f64 / 4096.0).sqrt();
    ((0.7 + (discharge_m3_s / sheet.least_river).sqrt() * 0.2) * scale).clamp(0.5, 9.0) as f32
}

/// Strokes of a line of places, in as many parts as the sheet shows it in.
fn strokes(sheet: &Sheet, points: &[[f64; 2]], width: f32, ink: Rgba) -> impl Iterator<Item = Stroke> {
    sheet.lines(points).into_iter().map(move |points| Stroke::Line { points, width, ink })
}

/// Ridge lines, as regions have them.
pub fn ridges(world: &World, sheet: &Sheet, width: f32) -> Result<Vec<Stroke>> {
    let with_ridge = |&c: &Cell| !RidgeDirections::from_bits_retain(world.ridge_directions[c]).is_empty();
    let cells: Vec<Cell> = world.grid.cells().filter(with_ridge).collect();
    let mut drawn = Vec::new();
    for features in features_of(world, &cells, 1)? {
        for ridge in features.ridges {
            let points: Vec<[f64; 2]> = ridge.points_m.iter().map(|&p| place_of(world, p)).collect();
            drawn.extend(strokes(sheet, &points, width, RIDGE));
        }
    }
    Ok(drawn)
}

/// Longitude and latitude in degrees of a place in metres; metres on a flat map.
fn place_of(world: &World, p_m: Vec3) -> [f64; 2] {
    coordinates(&world.grid, p_m / world.grid.metres_per_unit())
}

/// The table of a name.
pub fn table<'a>(world: &'a World, name: &str) -> Option<&'a Table> {
    world.tables.iter().find(|t| t.name == name)
}

/// The vectors in three columns of a table.
fn vectors(table: &Table, names: [&str; 3]) -> Option<Vec<Vec3>> {
    let [x, y, z] = names.map(|name| table.f64s(name));
    let (x, y, z) = (x?, y?, z?);
    Some((0..table.rows()).map(|i| Vec3::new(x[i], y[i], z[i])).collect())
}

/// Triangles where volcanoes are, if the world has any.
pub fn volcano_signs(world: &World, sheet: &Sheet, size: f32) -> Vec<Stroke> {
    let feet = volcanoes(world).into_iter().filter_map(|(place, _)| sheet.place(place));
    feet.map(|at| volcano_sign(at, size)).collect()
}

/// The triangle of a volcano, about a place.
pub fn volcano_sign((x, y): Place, size: f32) -> Stroke {
    let ring = [(x, y - 0.62 * size), (x + 0.5 * size, y + 0.3 * size), (x - 0.5 * size, y + 0.3 * size)];
    Stroke::area(&ring, VOLCANO)
}

/// Colour of volcanoes.
pub const VOLCANO: Rgba = [150, 40, 20, 255];

/// Volcanoes with their heights in metres, from the table that has them.
pub fn volcanoes(world: &World) -> Vec<([f64; 2], f64)> {
    let Some(table) = table(world, "volcanoes") else { return Vec::new() };
    let places = vectors(table, ["x", "y", "z"]).unwrap_or_default();
    let heights = table.f64s("height");
    let height = |i: usize| heights.and_then(|h| h.get(i)).copied().unwrap_or(2000.0);
    places.into_iter().enumerate().map(|(i, p)| (place_of(world, p), height(i))).collect()
}

/// Faults by kind: convergent red, divergent blue, transform grey.
pub fn faults(world: &World, sheet: &Sheet, width: f32) -> Result<Vec<Stroke>> {
    let faults = table(world, "faults").context("the world has no faults")?;
    let points = table(world, "fault_points").context("the world has no faults")?;
    let points = vectors(points, ["x", "y", "z"]).context("the table of faults has no coordinates")?;
    let counts = faults.u32s("points").context("the table of faults has no counts")?;
    let kinds = faults.texts("kind").context("the table of faults has no kinds")?;
    let (mut drawn, mut start) = (Vec::new(), 0);
    for (&count, kind) in counts.iter().zip(kinds) {
        let end = (start + count as usize).min(points.len());
        let line: Vec<[f64; 2]> = points[start..end].iter().map(|&p| place_of(world, p)).collect();
        drawn.extend(strokes(sheet, &line, width, fault_colour(kind)));
        start = end;
    }
    Ok(drawn)
}

/// Colour of faults of a kind.
pub fn fault_colour(kind: &str) -> Rgba {
    match kind {
        "convergent" => [190, 40, 40, 255],
        "divergent" => [40, 70, 170, 255],
        _ => [80, 80, 80, 255],
    }
}

/// Colour of the arrows that show how plates move.
pub const MOTION: Rgba = [52, 50, 60, 235];
/// Arrows on a map.
const ARROWS: usize = 160;

/// Where arrows stand, in metres, and how plates move there, in mm/yr.
fn moves(world: &World) -> Result<Vec<(Vec3, Vec3)>> {
    let plates = table(world, "plates").context("the world has no plates")?;
    let motions = vectors(plates, ["motion_x", "motion_y", "motion_z"]).unwrap_or_default();
    let at = |cell: Cell| {
        let from_m = world.grid.center(cell) * world.grid.metres_per_unit();
        let motion = *motions.get(usize::from(world.plate[cell]))?;
        let velocity = match world.grid {
            Topology::Globe(_) => motion.cross(from_m),
            Topology::Flat(_) => motion,
        };
        Some((from_m, velocity))
    };
    Ok(arrow_places(world).into_iter().filter_map(at).collect())
}

/// An arrow is as long as the way of so many million years, a round number: the longest of them reaches about to the next arrow.
pub fn motion_million_years(world: &World) -> Result<f64> {
    /// Of the way from arrow to arrow.
    const LONGEST: f64 = 0.9;
    let all_m2: f64 = world.grid.cells().map(|cell| world.grid.area_m2(cell)).sum();
    let apart_km = (all_m2 / ARROWS as f64).sqrt() / 1000.0;
    let fastest = moves(world)?.iter().map(|(_, velocity)| velocity.length()).fold(0.0, f64::max);
    // a kilometre a million years for each mm/yr
    Ok(round_down(LONGEST * apart_km / fastest.max(1e-3)))
}

/// Arrows at some places of every plate.
pub fn motions(world: &World, sheet: &Sheet, width: f32) -> Result<Vec<Stroke>> {
    let years = motion_million_years(world)?;
    let mut drawn = Vec::new();
    for (from_m, velocity) in moves(world)? {
        let way = velocity * (years * 1000.0);
        // half before the place, half behind it
        let at = |t: f64| place_of(world, world.grid.on_surface_m(from_m + way * (t - 0.5)));
        let points: Vec<[f64; 2]> = (0..=12).map(|i| at(f64::from(i) / 12.0)).collect();
        for part in sheet.lines(&points) {
            drawn.push(Stroke::line(&part, width, MOTION));
            if sheet.place(points[12]) == part.last().copied() {
                drawn.extend(arrow_head(&part, width));
            }
        }
    }
    Ok(drawn)
}

/// Cells spread evenly, each far from the others: those nearest to the points of a spiral on a globe (Swinbank and
/// Purser 2006), or of a square pattern.
fn arrow_places(world: &World) -> Vec<Cell> {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let place = |i: usize| {
        let share = (i as f64 + 0.5) / ARROWS as f64;
        match &world.grid {
            Topology::Globe(_) => {
                let lat = grid::math::asin(2.0 * share - 1.0).to_degrees();
                grid::math::from_lon_lat(360.0 * golden * i as f64 % 360.0, lat)
            }
            Topology::Flat(flat) => {
                let (w, h) = flat.extent_m();
                Vec3::new(w * (golden * i as f64).fract(), h * share, 0.0)
            }
        }
    };
    (0..ARROWS).filter_map(|i| world.grid.locate(place(i))).collect()
}

/// The head of an arrow at the end of its line; none of a line that goes nowhere.
pub fn arrow_head(points: &[Place], width: f32) -> Option<Stroke> {
    let [.., a, b] = points else { return None };
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length < 1e-3 {
        return None;
    }
    let (dx, dy) = (dx / length * 4.5 * width, dy / length * 4.5 * width);
    let wing = |side: f32| (b.0 - dx + side * 0.5 * dy, b.1 - dy - side * 0.5 * dx);
    Some(Stroke::area(&[(b.0 + 0.3 * dx, b.1 + 0.3 * dy), wing(1.0), wing(-1.0)], MOTION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_rivers_come_once_from_little_to_much() {
        let grid = Topology::Flat(grid::Flat::new(8, 8, 1000.0).expect("a sound grid"));
        let all: Vec<Cell> = grid.cells().collect();
        let discharge = |cell: Cell| (all.iter().position(|&c| c == cell).expect("of the grid") % 3) as f64;
        // 0 and 1 again, apart from the first by cells of equal discharge
        let found = each_once([4, 0, 3, 1, 0, 6, 1, 2].map(|i| all[i]).to_vec(), discharge);
        assert_eq!(found, [0, 3, 6, 1, 4, 2].map(|i| all[i]));
    }
}
