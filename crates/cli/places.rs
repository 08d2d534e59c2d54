//! Places worth a look, found in a world by themselves.

use grid::{Cell, Field, Grid};
use std::cmp::Ordering;
use world::{NO_LAKE, World};

/// A place and why it is worth a look.
pub struct Place {
    /// Short name, good for a file: `range`.
    pub name: &'static str,
    /// In words.
    pub about: String,
    /// Its cell.
    pub cell: Cell,
}

/// A high range, a coast, the mouth of the greatest river, a lake and a corner of the cube, as far as the world
/// has them.
pub fn find(world: &World) -> Vec<Place> {
    [range(world), coast(world), mouth(world), lake(world), corner(world)].into_iter().flatten().collect()
}

/// The cell with the greatest score above 0; the lowest address among equals.
fn best(world: &World, score: impl Fn(Cell) -> f64) -> Option<Cell> {
    let scored = world.grid.cells().map(|c| (score(c), c)).filter(|s| s.0 > 0.0);
    scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|s| s.1)
}

/// Mean of a field over the cells within `rings` of a cell.
fn mean(world: &World, field: &Field<f32>, cell: Cell, rings: usize) -> f64 {
    let halo = world.grid.halo(cell, rings);
    halo.iter().map(|&c| f64::from(field[c])).sum::<f64>() / halo.len() as f64
}

fn range(world: &World) -> Option<Place> {
    let high = best(world, |c| f64::from(world.mountain_height_m[c]))?;
    let cell = world
        .grid
        .halo(high, 3)
        .into_iter()
        .map(|c| (mean(world, &world.mountain_height_m, c, 2), c))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?
        .1;
    let about = format!("the highest range, summits of {:.0} m", world.surface_m(high));
    Some(Place { name: "range", about, cell })
}

fn coast(world: &World) -> Option<Place> {
    let score = |cell: Cell| {
        if world.continentality[cell] <= 0.0
            || !world.grid.neighbors(cell).any(|(_, n)| world.continentality[n] < 0.0)
        {
            return 0.0;
        }
        let halo = world.grid.halo(cell, 3);
        let land = halo.iter().filter(|&&c| world.continentality[c] > 0.0).count() as f64 / halo.len() as f64;
        let relief = mean(world, &world.mountain_height_m, cell, 2);
        (1.0 - (2.0 * land - 1.0).abs()) * (100.0 + relief.min(2500.0))
    };
    let cell = best(world, score)?;
    Some(Place { name: "coast", about: "a coast under mountains".into(), cell })
}

fn mouth(world: &World) -> Option<Place> {
    let river = world.network.rivers().into_iter().next()?;
    let about = format!("the mouth of the greatest river, {:.0} m3/s", river.discharge_m3_s);
    Some(Place { name: "mouth", about, cell: river.mouth })
}

/// A lake that fits into a picture, with a great river through it.
fn lake(world: &World) -> Option<Place> {
    let score = |cell: Cell| {
        if world.lake[cell] == NO_LAKE {
            return 0.0;
        }
        let halo = world.grid.halo(cell, 3);
        let wet =
            halo.iter().filter(|&&c| world.lake[c] == world.lake[cell]).count() as f64 / halo.len() as f64;
        if wet > 0.45 { 0.0 } else { wet * (1.0 + world.discharge_m3_s[cell].sqrt()) }
    };
    let cell = best(world, score)?;
    let about = format!("a lake at {:.0} m", world.water_level_m[cell]);
    Some(Place { name: "lake", about, cell })
}

/// Where three faces of the cube meet, on land if any corner is.
fn corner(world: &World) -> Option<Place> {
    let corners =
        world.grid.cells().filter(|&c| !world.grid.at_border(c) && world.grid.neighbors(c).count() == 7);
    let drier = |a: &Cell, b: &Cell| -> Ordering {
        world.continentality[*a].total_cmp(&world.continentality[*b]).then(b.cmp(a))
    };
    let cell = corners.max_by(drier)?;
    let about = if world.continentality[cell] > 0.0 { "on land" } else { "at sea" };
    Some(Place { name: "corner", about: format!("a corner of the cube, {about}: no seam"), cell })
}
