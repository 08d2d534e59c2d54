//! Windows of a world for statistics: inside ranges, among hills, on plains.
//!
//! They are chosen by the world's coarse fields alone, before anything is refined: every cell whose centre lies within half
//! the diagonals of a window and of a wide cell from the middle (all that the window touches, and a few more) must be land
//! without a lake, and
//!
//! | country | mountains of each of these cells |
//! |---|---|
//! | range | at least 700 m high |
//! | hills | 100 to 500 m high |
//! | plain | at most 10 m high, on a base that varies by at most 150 m |
//!
//! Of the middles that qualify, in the order of a draw from each cell's key, those are taken that lie at least an eighth of the
//! way around the planet (a third of a map's longer side) from all taken before; while there are not enough, half that distance is tried, down
//! to twice the window. So the same world always has the same windows, and they are spread over it.

use super::directions::Axis;
use crate::lattice::{Lattice, Window};
use grid::{Cell, Grid, Purpose, Seed, Topology, math};
use rayon::prelude::*;
use std::f64::consts::{FRAC_PI_4, SQRT_2};
use world::{NO_LAKE, World};

const PLACE: Purpose = Purpose::new("region/survey/place");
/// Side of a window in metres: 512 samples of 90 m.
pub const WINDOW_SIDE_M: f64 = 46_080.0;
/// Width of the narrowest and of the widest cells in widths of the mean cell.
const NARROW: f64 = 0.77;
const WIDE: f64 = 1.2;
/// Heights of mountains that make a country, in metres.
const RANGE_LEAST_M: f32 = 700.0;
const HILLS_M: std::ops::RangeInclusive<f32> = 100.0..=500.0;
const PLAIN_MOST_M: f32 = 10.0;
/// Greatest difference of base elevation on a plain, in metres.
const PLAIN_BASE_M: f32 = 150.0;

/// What a window lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Country {
    /// High mountains all around.
    Range,
    /// Low mountains all around.
    Hills,
    /// No mountains.
    Plain,
}

impl Country {
    /// All of them, from high to low.
    pub const ALL: [Self; 3] = [Self::Range, Self::Hills, Self::Plain];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Hills => "hills",
            Self::Plain => "plain",
        }
    }
}

/// A window to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// What it lies in.
    pub country: Country,
    /// The cell in its middle.
    pub cell: Cell,
    /// Longitude and latitude of the middle in degrees; metres on a flat map.
    pub middle: (f64, f64),
    /// The lattice of its samples.
    pub lattice: Lattice,
    /// Which of them.
    pub window: Window,
    /// The direction of the world's cells.
    pub axis: Axis,
}

/// At most so many windows of each country, with samples `spacing_m` metres apart. Cost: one pass over the world.
pub fn places(world: &World, each: usize, spacing_m: f64) -> Vec<Place> {
    let of = |country| {
        let cells = spread(&world.grid, in_draw_order(world, country), each);
        cells.into_iter().map(move |cell| place(&world.grid, country, cell, spacing_m))
    };
    Country::ALL.into_iter().flat_map(of).collect()
}

/// The cells that can be the middle of a window, in the order of their draws.
fn in_draw_order(world: &World, country: Country) -> Vec<Cell> {
    let grid = &world.grid;
    let key = Seed(world.recipe.seed).key(PLACE);
    let mut found: Vec<(u64, Cell)> = (0..grid.len())
        .into_par_iter()
        .map(Cell::from_index)
        .filter(|&cell| is_country(world, country, cell) && all_around(world, country, cell))
        .map(|cell| (key.at(cell).bits(), cell))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|f| f.1).collect()
}

/// Whether a cell by itself is of a country.
fn is_country(world: &World, country: Country, cell: Cell) -> bool {
    let high_m = world.mountain_height_m[cell];
    let fits = match country {
        Country::Range => high_m >= RANGE_LEAST_M,
        Country::Hills => HILLS_M.contains(&high_m),
        Country::Plain => high_m <= PLAIN_MOST_M,
    };
    fits && world.continentality[cell] > 0.0 && world.lake[cell] == NO_LAKE
}

/// Whether all cells that a window around a cell touches are of a country, and on the map.
fn all_around(world: &World, country: Country, cell: Cell) -> bool {
    let grid = &world.grid;
    let reach_m = 0.5 * SQRT_2 * (WINDOW_SIDE_M + WIDE * grid.cell_m());
    if !is_on_map(grid, cell) {
        return false;
    }
    let rings = (reach_m / (NARROW * grid.cell_m())).ceil() as usize;
    let near = |c: &Cell| grid.cell_distance_m(cell, *c) <= reach_m;
    let cells: Vec<Cell> = grid.halo(cell, rings).into_iter().filter(near).collect();
    let (low, high) = cells.iter().fold((f32::MAX, f32::MIN), |(low, high), &c| {
        let base_m = world.base_elevation_m[c];
        (low.min(base_m), high.max(base_m))
    });
    let is_level = country != Country::Plain || high - low <= PLAIN_BASE_M;
    is_level && cells.into_iter().all(|c| is_country(world, country, c))
}

/// Whether a window around a cell lies on the map.
fn is_on_map(grid: &Topology, cell: Cell) -> bool {
    let Topology::Flat(flat) = grid else { return true };
    let (middle, (width, height)) = (grid.center(cell), flat.extent_m());
    let fits = |at: f64, extent: f64| at >= 0.5 * WINDOW_SIDE_M && at + 0.5 * WINDOW_SIDE_M <= extent;
    fits(middle.x, width) && fits(middle.y, height)
}

/// The first cells, so many, that lie far apart.
fn spread(grid: &Topology, cells: Vec<Cell>, count: usize) -> Vec<Cell> {
    let mut apart_m = match grid {
        Topology::Globe(globe) => FRAC_PI_4 * globe.radius_m(),
        Topology::Flat(flat) => flat.extent_m().0.max(flat.extent_m().1) / 3.0,
    };
    let mut taken: Vec<Cell> = Vec::new();
    while apart_m >= 2.0 * WINDOW_SIDE_M {
        for &cell in &cells {
            if taken.len() < count && taken.iter().all(|&t| grid.cell_distance_m(t, cell) >= apart_m) {
                taken.push(cell);
            }
        }
        apart_m *= 0.5;
    }
    taken
}

fn place(grid: &Topology, country: Country, cell: Cell, spacing_m: f64) -> Place {
    let at = |p| match grid {
        Topology::Globe(_) => math::to_lon_lat(p),
        Topology::Flat(_) => (p.x, p.y),
    };
    let middle = at(grid.center(cell));
    let lattice = Lattice::of_metres(grid, middle, spacing_m);
    let on_plane = |(x, y)| lattice.project(x, y);
    let (x, y) = on_plane(middle);
    let side = (WINDOW_SIDE_M / spacing_m).round() as usize;
    let half = (side / 2) as i64;
    let window = Window {
        west: (x / spacing_m).round() as i64 - half,
        north: (y / spacing_m).round() as i64 + half - 1,
        width: side,
        height: side,
    };
    let (west, east) = (on_plane(at(grid.within(cell, 0.0, 0.5))), on_plane(at(grid.within(cell, 1.0, 0.5))));
    let axis = Axis::along(east.0 - west.0, east.1 - west.1);
    Place { country, cell, middle, lattice, window, axis }
}
