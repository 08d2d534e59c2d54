//! Law 2: a place looks the same whoever asks. On one lattice a sample is the same, bit for bit, in every
//! window that holds it: large or small, alone, of any layers.

use crate::support::*;
use grid::{Cell, Draw, Grid, Topology};
use region::{Lattice, Method, Region, Request, Sampled, Window, refine};
use world::World;

/// Samples to a cell's side, from less than one (ranges as symbols) to the finest buttresses.
const RESOLUTIONS: [f64; 6] = [0.6, 2.0, 5.0, 16.0, 40.0, 150.0];

/// A lattice around a place; of a globe, every other one of longitudes and latitudes.
fn lattice_of(world: &World, place: (f64, f64), per_cell: f64, number: usize) -> Lattice {
    let step_m = world.grid.cell_m() / per_cell;
    match &world.grid {
        Topology::Globe(globe) if number.is_multiple_of(2) => Lattice::lon_lat(globe.radius_m(), step_m),
        _ => metric_lattice(world, place, step_m),
    }
}

/// A window of random size that shares samples with another.
fn overlapping(window: Window, draw: &mut Draw) -> Window {
    let (width, height) = (1 + draw.below(23) as usize, 1 + draw.below(23) as usize);
    let shift = |least: usize, most: usize, draw: &mut Draw| {
        i64::from(draw.below((least + most - 1) as u32)) - (least as i64 - 1)
    };
    let (right, down) = (shift(width, window.width, draw), shift(height, window.height, draw));
    Window { west: window.west + right, north: window.north - down, width, height }
}

/// Compares what two regions on one lattice share, and tells how many samples those are.
fn compare(a: &Region, b: &Region, what: &str) -> usize {
    let (v, w) = (a.window, b.window);
    let mut shared = 0;
    for row in 0..w.height {
        for column in 0..w.width {
            let (x, y) = (w.west + column as i64 - v.west, v.north - (w.north - row as i64));
            if (0..v.width as i64).contains(&x) && (0..v.height as i64).contains(&y) {
                let (one, other) = (bits(a, x as usize, y as usize), bits(b, column, row));
                assert_eq!(one, other, "{what}: sample {column}, {row} of {w:?} and {x}, {y} of {v:?}");
                shared += 1;
            }
        }
    }
    shared
}

/// Windows over one place, on one lattice, against a large one.
fn look(world: &World, lattice: &Lattice, place: (f64, f64), what: &str, draw: &mut Draw) -> (usize, usize) {
    let large = window_around(lattice, place, 37, 41);
    let all = refined(world, lattice, large);
    let mut shared = 0;
    for _ in 0..3 {
        let found = compare(&all, &refined(world, lattice, overlapping(large, draw)), what);
        assert!(found > 0, "{what}: the windows do not overlap");
        shared += found;
    }
    let mut alone = 0;
    for _ in 0..4 {
        let (west, north) = (large.west + i64::from(draw.below(37)), large.north - i64::from(draw.below(41)));
        alone += compare(&all, &refined(world, lattice, Window { west, north, width: 1, height: 1 }), what);
    }
    (shared, alone)
}

fn look_everywhere(world: &World, views: Vec<(String, (f64, f64))>, number: u32) {
    let mut draw = draws(number);
    let (mut shared, mut alone) = (0, 0);
    for (v, (name, place)) in views.into_iter().enumerate() {
        for (r, per_cell) in RESOLUTIONS.into_iter().enumerate() {
            let lattice = lattice_of(world, place, per_cell, v + r);
            let what = format!("{name} at {place:?}, {per_cell} samples to a cell, {lattice:?}");
            let found = look(world, &lattice, place, &what, &mut draw);
            (shared, alone) = (shared + found.0, alone + found.1);
        }
    }
    assert!(shared > 8_000 && alone > 150, "too little was compared: {shared} and {alone}");
}

#[test]
fn windows_of_a_globe_agree() {
    look_everywhere(small(), views(small()), 20);
}

#[test]
fn windows_of_a_flat_map_agree() {
    look_everywhere(island(), views(island()), 21);
}

/// Where high ground is: the cells with the most ridges, and a few at random.
#[test]
fn windows_of_ranges_agree() {
    let world = rugged();
    let ridges = |c| world.ridge_directions[c].count_ones();
    let mut cells: Vec<Cell> = world.grid.cells().filter(|&c| ridges(c) > 0).collect();
    cells.sort_by_key(|&c| std::cmp::Reverse(ridges(c)));
    let mut draw = draws(23);
    let random: Vec<Cell> = (0..5).map(|_| cells[draw.below(cells.len() as u32) as usize]).collect();
    let chosen = cells.into_iter().take(3).chain(random);
    let views = chosen.map(|c| (format!("ridges of {c:?}"), coordinates(world, c))).collect();
    look_everywhere(world, views, 24);
}

/// A whole world in one window, and pieces of it that were asked alone.
#[test]
fn a_window_of_everything_agrees_with_its_pieces() {
    let world = small();
    let Topology::Globe(globe) = &world.grid else { panic!("a globe") };
    let lattice = Lattice::lon_lat(globe.radius_m(), 0.6 * world.grid.cell_m());
    let everything = lattice.window(-180.0, -90.0, 180.0, 90.0);
    let all = refined(world, &lattice, everything);
    let mut draw = draws(22);
    let mut shared = 0;
    for _ in 0..60 {
        shared += compare(&all, &refined(world, &lattice, overlapping(everything, &mut draw)), "everything");
    }
    assert!(shared > 4_000, "{shared}");
}

/// What is asked besides does not change a layer.
#[test]
fn layers_do_not_depend_on_the_others() {
    for world in [small(), island()] {
        for (name, cell) in places(world) {
            for per_cell in [2.0, 12.0] {
                let place = coordinates(world, cell);
                let lattice = metric_lattice(world, place, world.grid.cell_m() / per_cell);
                let window = window_around(&lattice, place, 33, 20);
                let all = refined(world, &lattice, window);
                for only in Sampled::ALL {
                    let request = Request::new(lattice.clone(), window, vec![only], Method::Classic).unwrap();
                    let alone = refine(world, &request, &|_| {}).unwrap();
                    let bits = |r: &Region| layer(r, only).iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                    assert!(bits(&all) == bits(&alone), "{name}, {per_cell} to a cell, {only:?}");
                }
            }
        }
    }
}

/// The views do lie over what their names say; else nothing above would mean much.
#[test]
fn views_show_what_there_is_to_see() {
    let mut seen = [false; 5];
    for (_, cell) in places(small()) {
        let place = coordinates(small(), cell);
        let lattice = metric_lattice(small(), place, small().grid.cell_m() / 16.0);
        let region = refined(small(), &lattice, window_around(&lattice, place, 41, 41));
        let any = |l, holds: fn(f32) -> bool| layer(&region, l).iter().any(|&v| holds(v));
        seen[0] |= any(Sampled::Mountains, |v| v > 1_000.0);
        seen[1] |= any(Sampled::Discharge, |v| v > 1_000.0);
        seen[2] |= any(Sampled::Elevation, |v| v < -1_000.0);
        seen[3] |= any(Sampled::Order, |v| v >= 3.0);
        let (surface, depth) = (layer(&region, Sampled::WaterSurface), layer(&region, Sampled::WaterDepth));
        seen[4] |= surface.iter().zip(depth).any(|(&s, &d)| s > 1.0 && d > 20.0); // a lake
    }
    assert_eq!(seen, [true; 5]);
    assert_eq!(cube_corners(small()).len(), 24, "three cells at each of eight corners");
}
