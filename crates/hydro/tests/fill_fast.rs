//! The fast fill against its definition, and against the flood on maps of many tiles.

mod common;

use common::{Case, case};
use grid::{Cell, Draw, Field, Flat, Globe, Grid, Nth, Purpose, Seed, Topology};
use hydro::{Links, Outlets};

const WIDE: Purpose = Purpose::new("hydro/tests/wide");

fn outlets(case: &Case) -> Outlets {
    Outlets::of(&case.grid, &case.links, &case.elevation, |c| case.outlets[c])
}

fn fill(case: &Case) -> Field<f32> {
    hydro::fill(&case.grid, &case.links, &case.elevation, &outlets(case))
}

/// Least over all paths to an outlet of the highest elevation on the path, by repeating until nothing changes.
fn minimax(case: &Case) -> Vec<f32> {
    let (z, ends) = (&case.elevation, case.ends());
    let start = |c: Cell| if ends[c.index()] { z[c] } else { f32::INFINITY };
    let mut level: Vec<f32> = case.grid.cells().map(start).collect();
    loop {
        let before = level.clone();
        for c in case.grid.cells().filter(|&c| !z[c].is_nan() && !ends[c.index()]) {
            let around = case.links.neighbors(&case.grid, c).filter(|(_, n)| !z[*n].is_nan());
            let least = around.map(|(_, n)| level[n.index()]).fold(f32::INFINITY, f32::min);
            level[c.index()] = least.max(z[c]);
        }
        if level == before {
            return level;
        }
    }
}

/// Equal, NaN for NaN; 0 and -0 are one level.
fn same(ours: &[f32], expected: &[f32], what: &str) {
    for (i, (a, b)) in ours.iter().zip(expected).enumerate() {
        assert!(a == b || (a.is_nan() && b.is_nan()), "{what}: cell {i} is {a}, not {b}");
    }
}

#[test]
fn small_maps_are_filled_by_the_definition() {
    for number in 0..6000 {
        let mut case = case(number);
        if number % 3 == 0 {
            let high = case.draw.range(-1.0, 100.0) as f32;
            case.elevation = case.elevation.map(|&z| match z {
                _ if z > high => f32::INFINITY,
                _ if z < -high => f32::NEG_INFINITY,
                _ => z,
            });
        }
        let expected: Vec<f32> = minimax(&case)
            .into_iter()
            .zip(case.elevation.as_slice())
            .map(|(w, z)| if z.is_nan() { f32::NAN } else { w })
            .collect();
        same(fill(&case).as_slice(), &expected, &format!("case {number}"));
    }
}

/// A map with seams: flat or a globe, with rough or smooth ground, steps, gaps, walls, any links and outlets.
fn wide_case(number: u32) -> Case {
    let mut draw = Seed(3).key(WIDE).at(Nth(number));
    let grid = if draw.below(4) == 0 {
        Topology::Globe(Globe::new(120 + draw.below(60), 6.4e6).expect("in range"))
    } else {
        Topology::Flat(Flat::new(1 + draw.below(300), 1 + draw.below(300), 30.0).expect("in range"))
    };
    let elevation = wide_elevation(&grid, &mut draw);
    let links = if draw.below(2) == 0 { Links::all(&grid) } else { Links::planar(&grid, &elevation) };
    let share = [0.0, 0.0001, 0.01, 0.3][draw.below(4) as usize];
    let border = draw.below(2) == 0;
    let is_outlet = |c| draw.unit() < share || (border && grid.at_border(c));
    let outlets = Field::from_vec(grid.shape(), grid.cells().map(is_outlet).collect()).expect("one each");
    Case { grid, elevation, links, outlets, draw }
}

fn wide_elevation(grid: &Topology, draw: &mut Draw) -> Field<f32> {
    let fbm = grid::noise::Fractal::new(Seed(draw.bits()).key(WIDE), 8, 0.5);
    let scale = if matches!(grid, Topology::Globe(_)) { 3.0 } else { draw.range(1e-4, 3e-2) };
    let step = [0.0, 0.0, 5.0, 40.0][draw.below(4) as usize];
    let (rough, gaps) =
        ([0.0, 3.0, 300.0][draw.below(3) as usize], [0.0, 0.0, 0.001, 0.2][draw.below(4) as usize]);
    let walls = [0.0, 0.0, 0.3][draw.below(3) as usize];
    let mut height = |c: Cell| {
        let z = fbm.fbm(grid.center(c) * scale) * 300.0 + draw.unit() * rough;
        let z = if step > 0.0 { (z / step).round() * step } else { z };
        let (gap, wall) = (draw.unit() < gaps, draw.unit() < walls);
        if gap {
            f32::NAN
        } else if wall {
            1000.0
        } else {
            z as f32
        }
    };
    Field::from_vec(grid.shape(), grid.cells().map(&mut height).collect()).expect("one each")
}

#[test]
fn wide_maps_are_filled_as_by_the_flood() {
    for number in 0..400 {
        let case = wide_case(number);
        let flood = case.flood();
        same(fill(&case).as_slice(), flood.filled.as_slice(), &format!("wide case {number}"));
    }
}
