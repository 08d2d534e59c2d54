//! `terrane map`: a map of a whole world.

use crate::args::{self, MapLayer};
use crate::furniture::furnish;
use crate::output::{Session, advance, check_apart, check_place, ending, misuse};
use crate::picture;
use crate::river_lines::{RiverLines, coordinates};
use crate::world_file::load;
use anyhow::{Context, Result};
use grid::{Cell, Grid, RidgeDirections, Topology, math};
use region::{Lattice, Region, Sampled, Window, features_of};
use serve::draw::palette::{self, Ramp};
use serve::draw::{Canvas, Style};
use std::path::Path;
use world::World;

/// Runs the command.
pub fn run(args: &args::Map, session: Session) -> Result<()> {
    check_place(&args.output)?;
    check_apart(&args.output, &args.world)?;
    if ending(&args.output) != "png" {
        return Err(misuse(format!("{}: the name must end in .png", args.output.display())));
    }
    let world = load(&args.world)?;
    let canvas = draw(&world, args.layer, args.width as usize, picture::style(args.style), session)?;
    write(&canvas, &args.output, session)?;
    session.say(&format!("{}: {} x {} pixels", args.output.display(), canvas.width(), canvas.height()));
    Ok(())
}

/// Writes a map; of a large one this takes seconds, in which a bar says so.
pub fn write(canvas: &Canvas, path: &Path, session: Session) -> Result<()> {
    let bar = session.bar("writing");
    bar.tick();
    picture::save(canvas, path)?;
    bar.finish_and_clear();
    Ok(())
}

/// Colour of rivers and of their samples in the legend.
pub const RIVER: [u8; 4] = [66, 110, 156, 255];
/// Colour of ridges.
pub const RIDGE: [u8; 4] = [120, 40, 20, 255];

/// A map of a layer, with title, legend, graticule and scale.
pub fn draw(world: &World, layer: MapLayer, width: usize, style: Style, session: Session) -> Result<Canvas> {
    let sheet = Sheet::of(world, width);
    let bar = session.bar("drawing");
    // sampling takes about two thirds of the time
    let progress = |share: f64| advance(&bar, 0.65 * share);
    let region = picture::refine(world, sheet.lattice.clone(), sheet.window, &progress)?;
    bar.set_message("ground");
    let mut canvas = ground(world, layer, &region, style)?;
    bar.set_message("lines");
    advance(&bar, 0.85);
    match layer {
        MapLayer::Relief | MapLayer::Rivers => draw_rivers(world, layer, &sheet, &mut canvas)?,
        MapLayer::Ridges => draw_ridges(world, &sheet, &mut canvas)?,
        MapLayer::Plates => draw_faults(world, &sheet, &mut canvas)?,
        _ => {}
    }
    bar.finish_and_clear();
    furnish(world, layer, style, &sheet, &mut canvas);
    Ok(canvas)
}

/// The lattice of a map and what it shows.
pub struct Sheet {
    /// Where samples lie.
    pub lattice: Lattice,
    /// The part of the lattice that is the map.
    pub window: Window,
    /// Least discharge of rivers that are drawn, in m3/s.
    pub least_river: f64,
}

impl Sheet {
    fn of(world: &World, width: usize) -> Self {
        let (lattice, window, pixel_m) = match &world.grid {
            Topology::Globe(globe) => {
                let step_deg = 360.0 / width as f64;
                let rows = width as i64 / 2;
                let window =
                    Window { west: -(width as i64) / 2, north: rows / 2, width, height: rows as usize };
                let lattice = Lattice::LonLat { radius_m: globe.radius_m(), step_deg };
                let pixel_m = lattice.spacing_m();
                (lattice, window, pixel_m)
            }
            Topology::Flat(flat) => {
                let (w, h) = flat.extent_m();
                let step_m = w / width as f64;
                let height = (h / step_m).floor().max(1.0) as usize;
                let window = Window { west: 0, north: height as i64, width, height };
                (Lattice::Plane { step_m }, window, step_m)
            }
        };
        // a map 4096 pixels round an Earth shows rivers from 300 m3/s
        let least_river = math::pow(pixel_m / 9_800.0, 1.5) * 300.0;
        Self { lattice, window, least_river }
    }

    /// The pixel of a place in degrees or metres.
    fn pixel(&self, [x, y]: [f64; 2]) -> (f32, f32) {
        let step = self.lattice.step();
        let column = x / step - self.window.west as f64 + 0.5;
        let row = self.window.north as f64 - y / step + 0.5;
        (column as f32, row as f32)
    }

    /// Draws a line, in two parts where it crosses the map's left and right border.
    fn line(&self, canvas: &mut Canvas, points: &[[f64; 2]], width_px: f32, rgba: [u8; 4]) {
        let globe = matches!(self.lattice, Lattice::LonLat { .. });
        let apart = |a: &[f64; 2], b: &[f64; 2]| globe && (a[0] - b[0]).abs() > 180.0;
        for part in points.chunk_by(|a, b| !apart(a, b)) {
            let part: Vec<(f32, f32)> = part.iter().map(|&p| self.pixel(p)).collect();
            canvas.line(&part, width_px, rgba);
        }
    }

    /// Metres from a pixel to the next along a column.
    pub fn pixel_m(&self) -> f64 {
        self.lattice.spacing_m()
    }
}

/// The ground of a map: relief, or a layer by colour.
fn ground(world: &World, layer: MapLayer, region: &Region, style: Style) -> Result<Canvas> {
    let Window { width, height, .. } = region.window;
    let coloured = |values: &[f32], ramp: &Ramp, land_only: bool| {
        let surface = region.layer(Sampled::Elevation).unwrap_or_default();
        let colour = |(&v, &z): (&f32, &f32)| if land_only && z < 0.0 { SEA } else { ramp.at(v) };
        Canvas::from_rgb(width, height, &values.iter().zip(surface).map(colour).collect::<Vec<_>>())
    };
    let of = |sampled| region.layer(sampled).context("the layer was asked for");
    Ok(match layer {
        MapLayer::Relief => picture::draw(region, style, emphasis(region.lattice.spacing_m()))?,
        MapLayer::Rivers | MapLayer::Ridges => picture::draw(region, Style::Atlas, 1.0)?,
        MapLayer::Elevation => {
            let values = of(Sampled::Elevation)?;
            let (land, sea) = (palette::hypsometric(), palette::ocean());
            let rgb: Vec<_> = values.iter().map(|&z| if z < 0.0 { sea.at(z) } else { land.at(z) }).collect();
            Canvas::from_rgb(width, height, &rgb)?
        }
        MapLayer::Temperature => coloured(of(Sampled::Temperature)?, palette::temperature(), false)?,
        MapLayer::Rain => coloured(of(Sampled::Rain)?, palette::rain(), true)?,
        MapLayer::Mountains => {
            let heights = by_cell(world, region, |cell| world.mountain_height_m[cell]);
            coloured(&heights, palette::mountains(), true)?
        }
        MapLayer::Plates => {
            let ids = by_cell(world, region, |cell| f32::from(world.plate[cell]));
            let land = of(Sampled::Elevation)?;
            let shade = |(&id, &z): (&f32, &f32)| {
                palette::categorical(id as u32).map(|c| if z < 0.0 { c } else { (f32::from(c) * 0.8) as u8 })
            };
            Canvas::from_rgb(width, height, &ids.iter().zip(land).map(shade).collect::<Vec<_>>())?
        }
    })
}

/// Relief on maps of whole planets is up to 2.2 times as strong as on regions, or only the highest ranges would
/// show.
fn emphasis(pixel_m: f64) -> f64 {
    1.0 + 1.2 * math::smoothstep(1_000.0, 8_000.0, pixel_m)
}

/// Colour of the sea where a layer is about land.
const SEA: [u8; 3] = [205, 219, 229];

/// The value of the cell under each sample.
fn by_cell(world: &World, region: &Region, value: impl Fn(Cell) -> f32 + Sync) -> Vec<f32> {
    use rayon::prelude::*;
    let Window { width, height, .. } = region.window;
    let at = |i: usize| {
        let position = region.lattice.position_in(&region.window, i % width, i / width)?;
        Some(value(world.grid.locate(position)?))
    };
    (0..width * height).into_par_iter().map(|i| at(i).unwrap_or(f32::NAN)).collect()
}

/// Rivers as the curves that regions are cut by, from small to great.
fn draw_rivers(world: &World, layer: MapLayer, sheet: &Sheet, canvas: &mut Canvas) -> Result<()> {
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
            sheet.line(canvas, &points, river_width_px(river.discharge_m3_s, sheet), RIVER);
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

fn draw_ridges(world: &World, sheet: &Sheet, canvas: &mut Canvas) -> Result<()> {
    let with_ridge = |&c: &Cell| !RidgeDirections::from_bits_retain(world.ridge_directions[c]).is_empty();
    let cells: Vec<Cell> = world.grid.cells().filter(with_ridge).collect();
    let width_px = (sheet.window.width as f32 / 3500.0).max(0.7);
    for features in features_of(world, &cells, 1)? {
        for ridge in features.ridges {
            let place = |p: &grid::Vec3| coordinates(&world.grid, *p / world.grid.metres_per_unit());
            let points: Vec<[f64; 2]> = ridge.points_m.iter().map(place).collect();
            sheet.line(canvas, &points, width_px, RIDGE);
        }
    }
    Ok(())
}

/// Faults by kind: convergent red, divergent blue, transform grey.
fn draw_faults(world: &World, sheet: &Sheet, canvas: &mut Canvas) -> Result<()> {
    let table = |name: &str| world.tables.iter().find(|t| t.name == name).context("the world has no faults");
    let (faults, points) = (table("faults")?, table("fault_points")?);
    let column = |name| points.f64s(name).context("the table of faults has no coordinates");
    let (x, y, z) = (column("x")?, column("y")?, column("z")?);
    let counts = faults.u32s("points").context("the table of faults has no counts")?;
    let kinds = faults.texts("kind").context("the table of faults has no kinds")?;
    let width_px = (sheet.window.width as f32 / 1400.0).max(1.0);
    let mut start = 0;
    for (&count, kind) in counts.iter().zip(kinds) {
        let end = (start + count as usize).min(x.len());
        let place = |i: usize| {
            coordinates(&world.grid, grid::Vec3::new(x[i], y[i], z[i]) / world.grid.metres_per_unit())
        };
        let line: Vec<[f64; 2]> = (start..end).map(place).collect();
        sheet.line(canvas, &line, width_px, fault_colour(kind));
        start = end;
    }
    Ok(())
}

/// Colour of faults of a kind.
pub fn fault_colour(kind: &str) -> [u8; 4] {
    match kind {
        "convergent" => [190, 40, 40, 255],
        "divergent" => [40, 70, 170, 255],
        _ => [80, 80, 80, 255],
    }
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
