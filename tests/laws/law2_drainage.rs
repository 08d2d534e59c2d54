//! Law 2 of the method `drainage`: on one lattice a sample is the same, bit for bit, in every window that holds it: large
//! or small, alone, of any layers, made by any number of threads. Lattices of longitudes and latitudes, of metres and of
//! web maps.

use crate::cases::cases;
use crate::support::*;
use grid::{Draw, Grid, Topology, math};
use region::{Lattice, Method, Region, Sampled, Window};
use world::World;

/// Samples to a cell's side: from a fifth, and ranges as symbols, over one on nearly each cell, to 1 m and less, with channels
/// of all levels between.
const RESOLUTIONS: [f64; 12] =
    [0.2, 0.9, 2.0, 5.0, 11.0, 23.0, 50.0, 130.0, 400.0, 1_800.0, 9_000.0, 100_000.0];
/// What is asked for: the rest is made from these.
const LAYERS: [Sampled; 10] = [
    Sampled::Elevation,
    Sampled::Base,
    Sampled::Mountains,
    Sampled::WaterSurface,
    Sampled::WaterDepth,
    Sampled::Discharge,
    Sampled::Order,
    Sampled::Hand,
    Sampled::Moisture,
    Sampled::Ridges,
];

/// A lattice around a place, of a kind that changes with the number.
fn lattice_of(world: &World, place: (f64, f64), per_cell: f64, number: usize) -> Lattice {
    let step_m = world.grid.cell_m() / per_cell;
    match &world.grid {
        Topology::Globe(globe) if number.is_multiple_of(3) => Lattice::lon_lat(globe.radius_m(), step_m),
        Topology::Globe(globe) if number % 3 == 1 && place.1.abs() < 80.0 => {
            let around_m = std::f64::consts::TAU * globe.radius_m();
            let zoom = math::log2(around_m / (256.0 * step_m)).round().clamp(0.0, 24.0) as u8;
            Lattice::web_tile(globe.radius_m(), (zoom, 0, 0), 256).expect("a tile").0
        }
        _ => metric_lattice(world, place, step_m),
    }
}

fn made_by(threads: usize, world: &World, lattice: &Lattice, window: Window) -> Region {
    with_threads(threads, || refined_by(Method::Drainage, world, lattice, (window, &LAYERS)))
}

/// A window of random size that shares samples with another.
fn overlapping(window: Window, draw: &mut Draw) -> Window {
    let (width, height) = (1 + draw.below(40) as usize, 1 + draw.below(40) as usize);
    let shift = |least: usize, most: usize, draw: &mut Draw| {
        i64::from(draw.below((least + most - 1) as u32)) - (least as i64 - 1)
    };
    let (right, down) = (shift(width, window.width, draw), shift(height, window.height, draw));
    Window { west: window.west + right, north: window.north - down, width, height }
}

/// Compares what two regions on one lattice share: how many samples, and how many differ.
fn compare(a: &Region, b: &Region) -> (usize, usize) {
    let (v, w) = (a.window, b.window);
    let bits = |r: &Region, x: usize, y: usize| LAYERS.map(|l| layer(r, l)[y * r.window.width + x].to_bits());
    let (mut shared, mut differ) = (0, 0);
    for row in 0..w.height {
        for column in 0..w.width {
            let (x, y) = (w.west + column as i64 - v.west, v.north - (w.north - row as i64));
            if (0..v.width as i64).contains(&x) && (0..v.height as i64).contains(&y) {
                shared += 1;
                differ += usize::from(bits(a, x as usize, y as usize) != bits(b, column, row));
            }
        }
    }
    (shared, differ)
}

/// Of the places of a world one of [`EVERY`], each at one resolution: at the next place another.
fn look_everywhere(world: &World, number: usize) {
    let mut draw = draws(number as u32);
    let (mut shared, mut wrong) = (0, Vec::new());
    let chosen = views(world).into_iter().skip(number % EVERY).step_by(EVERY);
    for (v, (name, place)) in chosen.enumerate() {
        let r = (5 * v + number) % RESOLUTIONS.len();
        let per_cell = RESOLUTIONS[r];
        let lattice = lattice_of(world, place, per_cell, v);
        let large = window_around(&lattice, place, 61, 53);
        let all = made_by(2, world, &lattice, large);
        let (right, down) = (i64::from(draw.below(61)), i64::from(draw.below(53)));
        let single = Window { west: large.west + right, north: large.north - down, width: 1, height: 1 };
        for (threads, window) in [(1, overlapping(large, &mut draw)), (8, single)] {
            let found = compare(&all, &made_by(threads, world, &lattice, window));
            shared += found.0;
            if found.1 > 0 {
                wrong.push(format!(
                    "{name} at {place:?}, {per_cell} samples to a cell, {window:?}, {lattice:?}: {} of {} differ",
                    found.1, found.0
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(shared > 300, "too little was compared: {shared}");
}

#[test]
fn windows_of_a_globe_agree() {
    look_everywhere(small(), 120);
}

#[test]
fn windows_of_a_flat_map_agree() {
    look_everywhere(island(), 121);
}

#[test]
fn windows_of_ranges_agree() {
    look_everywhere(rugged(), 122);
}

/// All places take minutes.
const EVERY: usize = 3;

/// A wide window of many tiles against small ones far apart in it: rivers of all sizes, also those that are wider than
/// sites are apart.
#[test]
fn a_wide_window_agrees_with_its_pieces() {
    let mut draw = draws(123);
    for (world, per_cell, name) in
        [(small(), 400.0, "lake"), (rugged(), 130.0, "mouth"), (island(), 60.0, "river")]
    {
        let (_, cell) =
            places(world).into_iter().find(|p| p.0 == name).expect("all worlds have rivers and lakes");
        let place = coordinates(world, cell);
        let lattice = metric_lattice(world, place, world.grid.cell_m() / per_cell);
        let wide = window_around(&lattice, place, 400, 300);
        let all = made_by(2, world, &lattice, wide);
        for _ in 0..3 {
            let window = overlapping(wide, &mut draw);
            let found = compare(&all, &made_by(1, world, &lattice, window));
            assert_eq!(found.1, 0, "{name} {place:?} {window:?}: of {}", found.0);
        }
    }
}

/// Rivers widen towards the sea where the tide comes up, far wider than their discharge says: windows at their shores, far
/// from the line that the river runs along, have their water too.
#[test]
fn windows_at_the_shores_of_estuaries_agree() {
    let mut draw = draws(125);
    let world = &made(&coarse_recipe(42, 128));
    let mut mouths = world::CellSource::waters(world).expect("in memory").mouths;
    mouths.retain(|mouth| !mouth.is_delta && mouth.tide_m > 2.0);
    mouths.sort_by(|a, b| b.discharge_m3_s.total_cmp(&a.discharge_m3_s));
    let (mut shared, mut at_shores) = (0, 0);
    for (k, mouth) in mouths.iter().take(cases(24)).enumerate() {
        let is_great = |region: &Region| -> Vec<bool> {
            let least_m3_s = 0.6 * mouth.discharge_m3_s;
            layer(region, Sampled::Discharge).iter().map(|&q| f64::from(q) > least_m3_s).collect()
        };
        let around = |place: (f64, f64), per_cell: f64, side: usize| {
            let lattice = metric_lattice(world, place, world.grid.cell_m() / per_cell);
            let window = window_around(&lattice, place, side, side);
            let all = made_by(2, world, &lattice, window);
            (lattice, all)
        };
        let (coarse, all) = around(coordinates(world, mouth.cell), 40.0, 120);
        let great: Vec<usize> =
            is_great(&all).iter().enumerate().filter(|(_, is)| **is).map(|(i, _)| i).collect();
        let Some(&any) = great.get(draw.below(great.len().max(1) as u32) as usize) else { continue };
        let on_river = coarse.position_in(&all.window, any % 120, any / 120).expect("on the globe");
        const SIDE: usize = 150;
        let (fine, all) = around(math::to_lon_lat(on_river), [400.0, 1_800.0, 6_000.0][k % 3], SIDE);
        let great = is_great(&all);
        let is_shore = |&i: &usize| i % SIDE > 0 && great[i] != great[i - 1];
        let shores: Vec<usize> = (0..great.len()).filter(is_shore).collect();
        for _ in 0..shores.len().min(5) {
            let i = shores[draw.below(shores.len() as u32) as usize];
            let (west, north) =
                (all.window.west + (i % SIDE) as i64 - 1, all.window.north - (i / SIDE) as i64);
            let window = Window { west, north, width: 2, height: 1 };
            let found = compare(&all, &made_by(1, world, &fine, window));
            assert_eq!(found.1, 0, "{fine:?} {window:?}: of {}", found.0);
            shared += found.0;
            at_shores += 1;
        }
    }
    assert!(shared == 2 * at_shores && at_shores > 40, "{shared} {at_shores}");
}

/// Samples several cells apart: a tile of them is wider than what is known around one of its samples.
#[test]
fn windows_of_a_whole_globe_agree() {
    let mut draw = draws(124);
    let Topology::Globe(globe) = &small().grid else { panic!("a globe") };
    for per_cell in [0.15, 0.25, 0.4] {
        let lattice = Lattice::lon_lat(globe.radius_m(), small().grid.cell_m() / per_cell);
        let everything = lattice.window(-180.0, -90.0, 180.0, 90.0);
        let all = made_by(2, small(), &lattice, everything);
        for _ in 0..12 {
            let window = overlapping(everything, &mut draw);
            let found = compare(&all, &made_by(1, small(), &lattice, window));
            assert_eq!(found.1, 0, "{per_cell} samples to a cell, {window:?}: of {}", found.0);
        }
    }
}
