//! The fast fill against its definition, and against the flood on maps of many tiles.

use crate::common::{Case, case, minimax};
use grid::{Cell, Direction, Draw, Field, Flat, Globe, Grid, Nth, Purpose, Seed, Topology};
use hydro::fill::{Open, Pass};
use hydro::{Links, Outlets};

const WIDE: Purpose = Purpose::new("hydro/tests/wide");

fn outlets(case: &Case) -> Outlets {
    Outlets::of(&case.grid, &case.links, &case.elevation, |c| case.outlets[c])
}

fn fill(case: &Case) -> Field<f32> {
    hydro::fill(&case.grid, &case.links, &case.elevation, &outlets(case))
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

/// The least value above, counting -0 and 0 as one.
fn next(value: f32) -> f32 {
    if value == 0.0 { f32::from_bits(1) } else { value.next_up() }
}

/// w = z at outlets, max(z, next(least neighbour)) elsewhere: from above, until nothing changes.
fn stepped(case: &Case) -> Vec<f32> {
    let (z, ends) = (&case.elevation, case.ends());
    let start = |c: Cell| if ends[c.index()] || z[c].is_nan() { z[c] } else { f32::INFINITY };
    let mut w: Vec<f32> = case.grid.cells().map(start).collect();
    loop {
        let mut changed = false;
        let forth = case.grid.cells();
        let back = (0..case.grid.len()).rev().map(Cell::from_index);
        for c in forth.chain(back).filter(|&c| !z[c].is_nan() && !ends[c.index()]) {
            let around = case.links.neighbors(&case.grid, c).map(|(_, n)| w[n.index()]);
            let now = next(around.fold(f32::INFINITY, f32::min)).max(z[c]);
            changed |= now != w[c.index()];
            w[c.index()] = now;
        }
        if !changed {
            return w;
        }
    }
}

/// Heights of which many are few steps of `f32` apart, so that flats rise above the land around them.
fn squeeze(case: &mut Case) {
    let base = [0.0f32, 1.0, -1e-44, 1000.0, -3.0][case.draw.below(5) as usize];
    let start = if base < 0.0 { -(base.abs().to_bits() as i32) } else { base.to_bits() as i32 };
    case.elevation = case.elevation.map(|z| {
        let rank = start + *z as i32;
        let bits = rank.unsigned_abs() | if rank < 0 { 1 << 31 } else { 0 };
        if z.is_nan() { *z } else { f32::from_bits(bits) }
    });
}

fn fill_epsilon(case: &Case) -> Field<f32> {
    hydro::fill_epsilon(&case.grid, &case.links, &case.elevation, &outlets(case))
}

#[test]
fn small_maps_get_the_least_surface_that_falls_everywhere() {
    for number in 0..6000 {
        let mut case = case(number);
        if number % 2 == 0 {
            squeeze(&mut case);
        }
        let ours = fill_epsilon(&case);
        same(ours.as_slice(), &stepped(&case), &format!("case {number}"));
        let (ends, filled) = (case.ends(), fill(&case));
        for c in case.grid.cells().filter(|&c| !case.elevation[c].is_nan()) {
            assert!(ours[c] >= filled[c], "case {number}: {c:?}");
            let falls = case.links.neighbors(&case.grid, c).any(|(_, n)| ours[n] < ours[c]);
            assert!(ends[c.index()] || falls, "case {number}: {c:?}");
        }
    }
}

#[test]
fn wide_maps_get_the_least_surface_that_falls_everywhere() {
    let mut overtaken = 0;
    for number in 0..40 {
        let mut case = wide_case(number);
        if number % 2 == 0 {
            squeeze(&mut case);
        }
        let (ours, filled) = (fill_epsilon(&case), fill(&case));
        same(ours.as_slice(), &stepped(&case), &format!("wide case {number}"));
        let ends = case.ends();
        let drained = |c: Cell| {
            !ends[c.index()] && case.links.neighbors(&case.grid, c).any(|(_, n)| filled[n] < filled[c])
        };
        overtaken += case.grid.cells().filter(|&c| ours[c] > filled[c] && drained(c)).count();
    }
    assert!(overtaken > 1000, "flats that rise above the land are tested: {overtaken} cells");
}

#[test]
fn infinite_land_stays_level() {
    let map = Flat::new(5, 5, 1.0).expect("in range");
    let mut walls = Field::filled(map.shape(), f32::INFINITY);
    walls[Cell(12)] = f32::NEG_INFINITY;
    let links = Links::all(&map);
    let outlets = Outlets::at_border(&map, &links, &walls);
    for filled in [hydro::fill, hydro::fill_epsilon].map(|f| f(&map, &links, &walls, &outlets)) {
        assert!(filled.as_slice().iter().all(|&z| z == f32::INFINITY));
    }
}

#[test]
fn outlets_at_the_border_are_those_asked_for_one_by_one() {
    for number in 0..3000 {
        let case = if number < 2800 { case(number) } else { wide_case(number) };
        let border = Outlets::at_border(&case.grid, &case.links, &case.elevation);
        let asked = Outlets::of(&case.grid, &case.links, &case.elevation, |c| case.grid.at_border(c));
        assert!(border == asked, "case {number}");
        let ends = case.ends();
        let outlets = outlets(&case);
        assert!(case.grid.cells().all(|c| outlets.has(c) == ends[c.index()]), "case {number}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let bits = |field: Field<f32>| field.as_slice().iter().map(|z| z.to_bits()).collect::<Vec<u32>>();
    for number in 0..30 {
        let case = wide_case(number);
        let with = |threads| {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
            pool.install(|| (bits(fill(&case)), bits(fill_epsilon(&case))))
        };
        let one = with(1);
        assert!([2, 8].into_iter().all(|threads| with(threads) == one), "wide case {number}");
    }
}

/// Rows of a field as a field of their own.
fn rows<T: Clone>(field: &Field<T>, from: u32, to: u32) -> Field<T> {
    let shape = grid::Shape { rows: to - from, ..field.shape() };
    let cells = from as usize * shape.cols as usize..to as usize * shape.cols as usize;
    Field::from_vec(shape, field.as_slice()[cells].to_vec()).expect("as many as cells")
}

/// Fills a map strip by strip, with the passes over the edges between them.
fn fill_in_strips(map: &Flat, elevation: &Field<f32>, outlets: &Outlets, edges: &[u32]) -> Vec<f32> {
    let (mut passes, mut nodes) = (Vec::new(), 0);
    let (mut label, mut local) = (Vec::new(), Vec::new());
    for (&from, &to) in edges.iter().zip(&edges[1..]) {
        let part = Flat::new(map.shape().cols, to - from, 30.0).expect("in range");
        let open = Open { top: from > 0, bottom: to < map.shape().rows };
        let (z, ends) = (rows(elevation, from, to), rows(outlets.field(), from, to));
        let strip = hydro::fill::strip(&part, &Links::all(&part), &z, &ends, open);
        assert!(strip.passes.len() < strip.labels as usize, "a forest");
        let own = |n: u32| if n == 0 { 0 } else { n + nodes };
        passes.extend(strip.passes.iter().map(|p| Pass { a: own(p.a), b: own(p.b), level: p.level }));
        label.extend(strip.label.as_slice().iter().map(|&n| own(n)));
        local.extend_from_slice(strip.local.as_slice());
        nodes += strip.labels - 1;
    }
    for c in map.cells().filter(|c| edges.contains(&(map.shape().split(*c).1 + 1))) {
        for (_, n) in [Direction::SE, Direction::S, Direction::SW].map(|d| (d, map.neighbor(c, d))) {
            let Some(n) = n.filter(|&n| !elevation[c].is_nan() && !elevation[n].is_nan()) else { continue };
            let level = elevation[c].max(elevation[n]);
            passes.push(Pass { a: label[c.index()], b: label[n.index()], level });
        }
    }
    let levels = hydro::fill::levels(&mut passes, nodes as usize + 1);
    let raised = |(z, n): (&f32, &u32)| if levels[*n as usize] > *z { levels[*n as usize] } else { *z };
    local.iter().zip(&label).map(raised).collect()
}

#[test]
fn strips_filled_one_by_one_make_the_whole() {
    for number in 0..3000 {
        let mut case = if number < 2800 { case(number) } else { wide_case(number) };
        let Topology::Flat(map) = &case.grid else { continue };
        let mut edges = vec![0];
        while edges.last() < Some(&map.shape().rows) {
            let last = edges[edges.len() - 1];
            edges.push((last + 1 + case.draw.below(map.shape().rows)).min(map.shape().rows));
        }
        let links = Links::all(map);
        let outlets = Outlets::of(map, &links, &case.elevation, |c| case.outlets[c]);
        let whole = hydro::fill(map, &links, &case.elevation, &outlets);
        let strips = fill_in_strips(map, &case.elevation, &outlets, &edges);
        same(&strips, whole.as_slice(), &format!("case {number}"));
    }
}
