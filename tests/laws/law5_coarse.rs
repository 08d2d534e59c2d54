//! Law 5: coarse is law. What the world says of a cell holds in its region: land stays land, sea stays sea, heights
//! stay close, the same river leaves by the same edge with the same discharge, lakes lie at their level.

use crate::support::*;
use grid::{Cell, Direction, Grid, Topology, Vec3, math};
use region::{Lattice, Region, Sampled, Window, features_of};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use world::{NO_LAKE, World};

fn worlds() -> [&'static World; 3] {
    [small(), rugged(), island()]
}

/// Samples to a cell's side.
const PER_CELL: f64 = 8.0;
/// A cell is judged by at least as many samples.
const LEAST_SAMPLES: usize = 32;

/// What the samples of one cell say.
#[derive(Clone, Debug, Default)]
struct Tally {
    samples: usize,
    sea: usize,
    sum_m: f64,
    high_m: f32,
}

/// All samples of windows over many places, cell by cell; made once for each world.
fn tallies(world: &'static World) -> &'static BTreeMap<Cell, Tally> {
    static ALL: [OnceLock<BTreeMap<Cell, Tally>>; 3] = [const { OnceLock::new() }; 3];
    let which = worlds().iter().position(|w| std::ptr::eq(*w, world)).expect("one of the three");
    ALL[which].get_or_init(|| make_tallies(world))
}

fn make_tallies(world: &World) -> BTreeMap<Cell, Tally> {
    const SIDE: usize = 144;
    let lands: Vec<Cell> =
        world.grid.cells().filter(|&c| all_around(world, c, |n| is_land(world, n))).collect();
    let mut draw = draws(50);
    let mut all = BTreeMap::new();
    let mut cells: Vec<Cell> = (0..8).map(|_| lands[draw.below(lands.len() as u32) as usize]).collect();
    cells.extend(greatest(world, |c| Some(f64::from(world.mountain_height_m[c])))); // not without a range
    for cell in cells {
        let place = coordinates(world, cell);
        let lattice = metric_lattice(world, place, world.grid.cell_m() / PER_CELL);
        let region = refined(world, &lattice, window_around(&lattice, place, SIDE, SIDE));
        let mut own = BTreeMap::new();
        for row in 0..SIDE {
            for column in 0..SIDE {
                let p = lattice.position_in(&region.window, column, row).expect("metres are everywhere");
                let Some(cell) = world.grid.locate(p) else { continue };
                add(own.entry(cell).or_default(), &region, row * SIDE + column);
            }
        }
        all.extend(own.into_iter().filter(|(_, t): &(Cell, Tally)| t.samples >= LEAST_SAMPLES));
    }
    all
}

fn add(tally: &mut Tally, region: &Region, at: usize) {
    let (z, discharge) = (layer(region, Sampled::Elevation)[at], layer(region, Sampled::Discharge)[at]);
    let first = tally.samples == 0;
    tally.samples += 1;
    tally.sea += usize::from(z < 0.0 && discharge == 0.0);
    tally.sum_m += f64::from(z);
    tally.high_m = if first { z } else { tally.high_m.max(z) };
}

/// Land whose neighbours are all land is land in its region, sea within sea is sea.
///
/// Measured: 99.97 % of the samples of such land cells, and of the worst single cell 88 %: there the continental
/// field just reaches land, and the noise that breaks up coasts reaches over a neighbour. Of such sea, all.
#[test]
fn land_stays_land_and_sea_stays_sea() {
    for world in worlds() {
        let all = tallies(world);
        let shares = |land: bool| -> Vec<f64> {
            let inner = all.iter().filter(|(c, _)| all_around(world, **c, |n| is_land(world, n) == land));
            inner.map(|(_, t)| t.sea as f64 / t.samples as f64).collect()
        };
        let (mut wet, mut sea) = (shares(true), shares(false));
        assert!(wet.len() > 500 && sea.len() > 200, "{} and {} cells", wet.len(), sea.len());
        let mean = wet.iter().sum::<f64>() / wet.len() as f64;
        assert!(mean < 0.002, "{} of the samples of inland cells are sea", mean);
        assert!(quantile(&mut wet, 0.99) <= 0.03, "one cell of 100 has {} sea", quantile(&mut wet, 0.99));
        assert!(quantile(&mut wet, 1.0) < 0.25, "a cell has {} sea", quantile(&mut wet, 1.0));
        assert!(quantile(&mut sea, 0.01) > 0.99, "one cell of 100 has {} sea", quantile(&mut sea, 0.01));
    }
}

/// Whether the cell and its neighbours are land without lakes.
fn is_dry(world: &World, cell: Cell) -> bool {
    all_around(world, cell, |n| is_land(world, n) && world.lake[n] == NO_LAKE)
}

/// Greatest minus least ground among a cell and its neighbours, in metres.
fn relief_m(world: &World, cell: Cell) -> f64 {
    let heights = world.grid.halo(cell, 1).into_iter().map(|c| f64::from(world.surface_m(c)));
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
    high - low
}

/// Without mountains near, the mean of a cell's samples is the cell's ground: to a quarter of the relief around
/// it and 25 m of texture for most cells, and never off by more than both relief and texture could explain.
/// (Valleys are cut into it and smooth interpolation blunts single cells: measured 0.1 and 0.3.)
#[test]
fn plains_keep_their_height() {
    for world in worlds() {
        let flat = |c: Cell| all_around(world, c, |n| world.mountain_height_m[n] == 0.0) && is_dry(world, c);
        let mut off: Vec<f64> = tallies(world)
            .iter()
            .filter(|(c, _)| flat(**c))
            .map(|(&c, t)| {
                let ground = f64::from(world.water_level_m[c]);
                (t.sum_m / t.samples as f64 - ground).abs() / (relief_m(world, c) + 25.0)
            })
            .collect();
        assert!(off.len() > 100, "{}", off.len());
        let (half, most) = (quantile(&mut off, 0.5), quantile(&mut off, 0.95));
        assert!(half < 0.25 && most < 0.7, "off by {half} and {most} of the relief");
    }
}

/// Mountains stand: the mean of a cell's samples lies above its ground by a share of its mountains, and nothing
/// stands much higher than base and mountains together. Valleys of the rivers take most of a range's mass at this
/// resolution: the median share is 0.29 to 0.38 on these three worlds.
#[test]
fn mountains_stand_on_their_ground() {
    for world in worlds() {
        let (mut shares, mut tops) = (Vec::new(), Vec::new());
        for (&cell, tally) in tallies(world) {
            let mountain = f64::from(world.mountain_height_m[cell]);
            if mountain > 300.0 && is_dry(world, cell) {
                let ground = f64::from(world.water_level_m[cell]);
                shares.push((tally.sum_m / tally.samples as f64 - ground) / mountain);
                let around = world.grid.halo(cell, 2).into_iter().map(|c| world.surface_m(c));
                let highest = f64::from(around.fold(0.0f32, f32::max));
                tops.push(f64::from(tally.high_m) / highest);
            }
        }
        assert!(shares.len() >= 8, "{}: only {} cells", world.recipe.name, shares.len());
        let (half, top) = (quantile(&mut shares, 0.5), quantile(&mut tops, 1.0));
        assert!((0.2..0.9).contains(&half), "half of the cells stand lower than {half} of their mountains");
        assert!(top < 1.5, "a sample stands {top} times as high as the highest cell near");
    }
}

/// A range keeps its mass from one zoom to the next: the mean height of the mountains over a high range, seen too
/// far for ridges (3 samples to a cell) and near (4 to 24). Between neighbouring zooms it changes by less than half,
/// over all by less than a factor of two; a mean share of summits set wrong by that much would fail.
#[test]
fn ranges_keep_their_mass_at_every_zoom() {
    for world in [rugged(), island()] {
        let high = |c: Cell| {
            f64::from(world.grid.halo(c, 2).iter().map(|&n| world.mountain_height_m[n]).sum::<f32>())
        };
        let place = coordinates(world, greatest(world, |c| Some(high(c))).expect("there are cells"));
        let mean = |per_cell: f64| {
            let lattice = metric_lattice(world, place, world.grid.cell_m() / per_cell);
            let side = (5.0 * per_cell) as usize;
            let region = refined(world, &lattice, window_around(&lattice, place, side, side));
            let heights = layer(&region, Sampled::Mountains);
            heights.iter().map(|&h| f64::from(h)).sum::<f64>() / heights.len() as f64
        };
        let means = [3.0, 4.0, 8.0, 24.0].map(mean);
        for pair in means.windows(2) {
            assert!((0.67..1.5).contains(&(pair[1] / pair[0])), "{}: {means:?}", world.recipe.name);
        }
        assert!((0.5..2.0).contains(&(means[3] / means[0])), "{}: {means:?}", world.recipe.name);
    }
}

/// Where no cell of the sea is near there is no sea, whatever noise does to coasts: not in basins that lie low, not
/// beside lakes, not on plains.
#[test]
fn there_is_no_sea_where_no_sea_is_near() {
    for world in worlds() {
        for (&cell, tally) in tallies(world) {
            if world.grid.halo(cell, 2).into_iter().all(|c| is_land(world, c)) {
                assert_eq!(tally.sea, 0, "{cell:?} of {}", world.recipe.name);
            }
        }
    }
}

/// Every river leaves its cell by the edge (or the corner) to the cell that the world says. What is left of the
/// distance is the bend of space: at most a fifth of a cell; measured 0.14.
#[test]
fn rivers_leave_by_the_edge_to_their_receiver() {
    for world in worlds() {
        let grid = &world.grid;
        let cells: Vec<Cell> = grid.cells().filter(|&c| world.receiver_of(c).is_some()).collect();
        let mut off = Vec::new();
        for (&cell, features) in cells.iter().zip(&features_of(world, &cells, 0).expect("in memory")) {
            let river = features.rivers.iter().find(|r| r.from == cell).expect("a river leaves");
            let end = river.points_m[river.points_m.len() - 1];
            off.push(from_border_m(world, cell, end) / grid.cell_m());
            assert_eq!(river.discharge_m3_s, world.discharge_m3_s[cell]);
        }
        assert!(quantile(&mut off, 1.0) < 0.2, "{} cells from its edge", quantile(&mut off, 1.0));
        assert!(quantile(&mut off, 0.9) < 0.1, "{}", quantile(&mut off, 0.9));
    }
}

/// Distance from the edge or corner that a cell shares with its receiver.
fn from_border_m(world: &World, cell: Cell, at: Vec3) -> f64 {
    let (grid, metres) = (&world.grid, world.grid.metres_per_unit());
    let direction = Direction::from_index(world.receiver[cell]);
    if let Some(edge) = grid.edge(cell, direction) {
        let place = |k: u32| grid.along_edge(edge, f64::from(k) / 128.0) * metres;
        return (0..=128).map(|k| place(k).distance(at)).fold(f64::INFINITY, f64::min);
    }
    let corner = grid.vertex(cell, direction).expect("a corner");
    (grid.vertex_position(corner) * metres).distance(at)
}

/// A few samples around a point of the world, `step_m` apart.
fn around_point(world: &World, p: Vec3, step_m: f64, side: usize) -> Region {
    let (lattice, place) = match &world.grid {
        Topology::Globe(globe) => (Lattice::lon_lat(globe.radius_m(), step_m), math::to_lon_lat(p)),
        Topology::Flat(_) => (Lattice::Plane { step_m }, (p.x, p.y)),
    };
    refined(world, &lattice, window_around(&lattice, place, side, side))
}

/// On the channel of a river, samples carry the world's discharge, to the last bit of an `f32`. Where another
/// river runs in the same channel the greater counts; where sea or a lake lies there is none.
#[test]
fn channels_carry_the_worlds_discharge() {
    let mut draw = draws(51);
    for world in worlds() {
        let cells: Vec<Cell> = world.grid.cells().filter(|&c| world.discharge_m3_s[c] > 1.0).collect();
        let chosen: Vec<Cell> = (0..250).map(|_| cells[draw.below(cells.len() as u32) as usize]).collect();
        let (mut own, mut greater, mut none) = (0, 0, 0);
        for (&cell, features) in chosen.iter().zip(&features_of(world, &chosen, 0).expect("in memory")) {
            let Some(river) = features.rivers.iter().find(|r| r.from == cell) else { continue };
            let point = river.points_m[river.points_m.len() / 2];
            let region = around_point(world, point, world.grid.cell_m() / 2000.0, 1);
            let (found, expected) = (layer(&region, Sampled::Discharge)[0], river.discharge_m3_s as f32);
            match found {
                q if q == expected => own += 1,
                0.0 => none += 1,
                q if q > expected => greater += 1,
                q => panic!("{cell:?}: {q} m3/s instead of {expected}"),
            }
        }
        assert!(own >= 150, "{own} own, {greater} greater, {none} none");
    }
}

/// No sample carries water that no cell near it has.
#[test]
fn no_discharge_is_made_up() {
    for world in worlds() {
        let mut channels = 0;
        for (name, cell) in places(world) {
            let place = coordinates(world, cell);
            let lattice = metric_lattice(world, place, world.grid.cell_m() / 24.0);
            let region = refined(world, &lattice, window_around(&lattice, place, 90, 90));
            for (i, &q) in layer(&region, Sampled::Discharge).iter().enumerate().filter(|(_, q)| **q > 0.0) {
                let Window { width, .. } = region.window;
                let p = lattice.position_in(&region.window, i % width, i / width).expect("on the ground");
                let here = world.grid.locate(p).expect("on the map");
                let near = world.grid.halo(here, 2);
                assert!(near.iter().any(|&c| world.discharge_m3_s[c] as f32 == q), "{name}: {q} m3/s");
                channels += 1;
            }
        }
        assert!(channels > 300, "{channels}");
    }
}

/// In the middle of a lake there is water at the lake's level.
#[test]
fn lakes_lie_at_their_level() {
    let mut samples = 0;
    for world in worlds() {
        let lake = |c: Cell| world.lake[c];
        let inner = |c: &Cell| lake(*c) != NO_LAKE && all_around(world, *c, |n| lake(n) == lake(*c));
        for cell in world.grid.cells().filter(inner).take(60) {
            let center = world.grid.center(cell);
            let region = around_point(world, center, world.grid.cell_m() / 20.0, 3);
            let (surface, depth) =
                (layer(&region, Sampled::WaterSurface), layer(&region, Sampled::WaterDepth));
            for (&s, &d) in surface.iter().zip(depth) {
                assert!(s == world.water_level_m[cell] && d > 0.0, "{cell:?}: {s} m, {d} m deep");
                samples += 1;
            }
        }
    }
    assert!(samples >= 90, "only {samples} samples of lakes");
}
