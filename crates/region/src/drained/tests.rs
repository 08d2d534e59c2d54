//! Nothing tells where cells or the parts of coarse levels end; arms of deltas are lines.

use super::{RiverLink, Rivers, Work};
use crate::bend::Bend;
use crate::curve::nearest;
use crate::drainage::Division;
use crate::drainage::channels::Channels;
use crate::{Lattice, Method, Request, Sampled, Window, refine};
use grid::{Cell, Grid, Level, Nth, Part, Purpose, Seed, Vec3, math};
use std::sync::Arc;
use world::{NO_LAKE, Recipe, World, simulate};

const SPACING_M: f64 = 90.0;
const SIDE: usize = 512;

/// A small planet with cells of Earth's size.
fn planet() -> World {
    let mut recipe = Recipe::preset("earthlike").expect("built in");
    recipe.grid.cells = 72;
    recipe.grid.radius_km = 900.0;
    simulate(&recipe, &|_, _| {}).expect("sound")
}

/// Second differences across borders of parts, and between them: their sums and numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Bends {
    across: (f64, f64),
    inside: (f64, f64),
}

impl Bends {
    fn add(&mut self, is_across: bool, size: f64) {
        let sum = if is_across { &mut self.across } else { &mut self.inside };
        *sum = (sum.0 + size, sum.1 + 1.0);
    }

    /// How much more the ground bends across borders than between them.
    fn ratio(&self) -> f64 {
        (self.across.0 / self.across.1) / (self.inside.0 / self.inside.1)
    }
}

/// How much the ground of a window bends at borders of the parts of some levels.
fn bends(world: &World, cell: Cell, levels: [Level; 2]) -> [Bends; 2] {
    let bend = Bend::broad(&world.grid, Seed(world.recipe.seed));
    let scale = world.grid.metres_per_unit();
    let at = math::to_lon_lat(world.grid.center(cell));
    let lattice = Lattice::around(scale, at, SPACING_M);
    let (x, y) = lattice.project(at.0, at.1);
    let half = (SIDE / 2) as i64;
    let (west, north) = ((x / SPACING_M) as i64 - half, (y / SPACING_M) as i64 + half);
    let window = Window { west, north, width: SIDE, height: SIDE };
    let layers = vec![Sampled::Elevation];
    let request = Request::new(lattice.clone(), window, layers, Method::Drainage).expect("in range");
    let region = refine(world, &request, &|_| {}).expect("in memory");
    let z = region.layer(Sampled::Elevation).expect("asked for");
    let bent = |k: usize| bend.bend(lattice.position_in(&window, k % SIDE, k / SIDE).expect("there") * scale);
    let places: Vec<_> = (0..SIDE * SIDE).map(|k| world.grid.nearest_inside(bent(k) / scale)).collect();
    levels.map(|level| {
        let part = |p: &Vec3| -> Option<Part> { world.grid.locate_part(level, *p) };
        let parts: Vec<Option<Part>> = places.iter().map(part).collect();
        let mut bends = Bends::default();
        for k in SIDE..SIDE * (SIDE - 1) {
            for step in [1, SIDE].into_iter().filter(|step| *step > 1 || (1..SIDE - 1).contains(&(k % SIDE)))
            {
                let second = z[k - step] - 2.0 * z[k] + z[k + step];
                bends.add(parts[k - step] != parts[k + step], f64::from(second.abs()));
            }
        }
        bends
    })
}

/// Measured: 1.036 across borders of cells, 1.07 across those of parts of 2.4 km. Divides of coarse levels keep to such borders a
/// little.
#[test]
fn the_ground_bends_across_borders_of_cells_as_it_does_between_them() {
    let world = planet();
    let is_land = |c: Cell| world.continentality[c] > 0.0 && world.lake[c] == NO_LAKE;
    let inland = |c: &Cell| world.grid.halo(*c, 2).into_iter().all(is_land);
    let cells: Vec<Cell> = world.grid.cells().filter(inland).collect();
    let mut draw = Seed(5).key(Purpose::new("test/borders")).at(Nth(0));
    let mut ratios = [Vec::new(), Vec::new()];
    for _ in 0..12 {
        let cell = cells[draw.below(cells.len() as u32) as usize];
        for (ratios, bends) in ratios.iter_mut().zip(bends(&world, cell, [Level(0), Level(3)])) {
            ratios.push(bends.ratio());
        }
    }
    let means = ratios.map(|r| r.iter().sum::<f64>() / r.len() as f64);
    println!("bend across borders over bend between them: {means:.3?}");
    assert!(means.iter().all(|m| (m - 1.0).abs() < 0.15), "{means:?}");
}

/// The channels of a window around a place, with the discharge of samples.
fn reaches_around(world: &World, at: (f64, f64), (east, half): (i64, i64)) -> (Request, Vec<f32>, Rivers) {
    let lattice = Lattice::around(world.grid.metres_per_unit(), at, SPACING_M);
    let (x, y) = lattice.project(at.0, at.1);
    let (west, north) = ((x / SPACING_M) as i64 - half + east, (y / SPACING_M) as i64 + half);
    let window = Window { west, north, width: 2 * half as usize, height: 2 * half as usize };
    let layers = vec![Sampled::Discharge];
    let request =
        Request::new(lattice, window, layers, Method::Drainage).expect("in range").with_rivers(true);
    let region = refine(world, &request, &|_| {}).expect("in memory");
    let discharge = region.layer(Sampled::Discharge).expect("asked for").to_vec();
    (request, discharge, region.rivers.expect("kept"))
}

/// The mouths of a world's greatest rivers that end in deltas: longitude and latitude.
fn deltas(world: &World, count: usize) -> Vec<(f64, f64)> {
    let mut mouths = world::CellSource::waters(world).expect("in memory").mouths;
    mouths.retain(|mouth| mouth.is_delta);
    mouths.sort_by(|a, b| b.discharge_m3_s.total_cmp(&a.discharge_m3_s));
    mouths.iter().take(count).map(|mouth| math::to_lon_lat(world.grid.center(mouth.cell))).collect()
}

/// Samples around a place on the ground, in metres: those of the lattice's square that it lies in.
fn samples_around<'a>(
    (request, values, world): (&Request, &'a [f32], &World),
    p_m: Vec3,
) -> Option<impl Iterator<Item = f32> + 'a> {
    let (lon, lat) = math::to_lon_lat(p_m / world.grid.metres_per_unit());
    let (x, y) = request.lattice.project(lon, lat);
    let Window { west, north, width, height } = request.window;
    let (column, row) = ((x / SPACING_M).floor() as i64 - west, north - (y / SPACING_M).ceil() as i64);
    let (column, row) = (usize::try_from(column).ok()?, usize::try_from(row).ok()?);
    let inside = column + 1 < width && row + 1 < height;
    let first = row * width + column;
    inside.then(|| [0, 1, width, width + 1].into_iter().map(move |step| values[first + step]))
}

/// Where the line of an arm of a delta lies samples show its water, or beside a division that of another; arms begin where
/// the line of the river ends; and no two pieces of them cross.
#[test]
fn arms_of_deltas_are_lines() {
    let world = planet();
    let (mut places, mut wet, mut own, mut ends, mut begun) = (0, 0, 0, 0, 0);
    for at in deltas(&world, 24) {
        let (request, discharge, rivers) = reaches_around(&world, at, (0, 200));
        let mut pieces = Vec::new();
        for (address, arm) in &rivers.arms {
            pieces.extend((!arm.shown.is_empty()).then(|| (arm.points[0].at, arm.points[1].at)));
            for &(from, to) in &arm.shown {
                let p = arm.points[0].lerp(&arm.points[1], 0.5 * (from + to)).at;
                let Some(around) = samples_around((&request, &discharge, &world), p) else { continue };
                let around: Vec<f32> = around.collect();
                places += 1;
                wet += usize::from(around.iter().any(|q| *q > 0.0));
                own += usize::from(around.contains(&(arm.discharge_m3_s as f32)));
            }
            let apex = arm.points[0].at;
            if address.piece == 0 && samples_around((&request, &discharge, &world), apex).is_some() {
                begun += 1;
                let ends_there = |link: &RiverLink| link.points.last().is_some_and(|p| p.at == apex);
                ends += rivers.links.values().filter(|link| ends_there(link)).count();
            }
        }
        for (k, first) in pieces.iter().enumerate() {
            let crossed = pieces[..k].iter().find(|second| cross(*first, **second));
            assert!(crossed.is_none(), "{first:?} crosses {crossed:?}");
        }
    }
    println!(
        "{wet} of {places} places wet, {own} with the arm's own water; {ends} rivers end at {begun} apexes"
    );
    assert!(begun >= 3 && ends == begun, "{ends} rivers end at {begun} apexes");
    assert!(places > 150 && wet * 100 > places * 98, "{wet} of {places}");
    assert!(own * 100 > places * 95, "{own} of {places}");
}

/// At every level the course of a river passes the apex where its arms begin, as samples show both.
#[test]
fn rivers_run_to_their_apexes() {
    let world = planet();
    let seed = Seed(world.recipe.seed);
    let mut rivers = 0;
    for (at, spacing_m) in deltas(&world, 24).into_iter().flat_map(|at| [600.0, 150.0, 40.0].map(|m| (at, m)))
    {
        let lattice = Lattice::around(world.grid.metres_per_unit(), at, spacing_m);
        let (x, y) = lattice.project(at.0, at.1);
        let (half, at) = (200, |x: f64| (x / spacing_m) as i64);
        let window = Window { west: at(x) - half, north: at(y) + half, width: 400, height: 400 };
        let layers = vec![Sampled::Discharge];
        let request = Request::new(lattice, window, layers, Method::Drainage).expect("in range");
        let known = Work::patch(&world, &request).expect("in memory");
        let work = Work::new(&known, seed, (&request, &Arc::default()));
        let shown = work.lands.terrain.divisions(spacing_m).into_iter().filter(|division| division.is_shown);
        for Division { apex, at: place, .. } in shown {
            let near = work.squares.iter().flat_map(|square| square.within(place, 0.0)).map(|near| near.1);
            let own = near.filter(|c| c.discharge_m3_s >= 0.9 * apex.discharge_m3_s);
            let off_m = own.map(|c| nearest(place, c.a, c.b).1.sqrt()).fold(f64::INFINITY, f64::min);
            if off_m < 5.0 * world::channel_width_m(apex.discharge_m3_s) {
                assert!(off_m < 1e-6, "{apex:?}: {off_m} m off at {spacing_m} m");
                rivers += 1;
            }
        }
    }
    assert!(rivers >= 5, "{rivers} rivers at apexes");
}

/// Whether two pieces cross, looked at from above the first.
fn cross((a, b): (Vec3, Vec3), (c, d): (Vec3, Vec3)) -> bool {
    let turn = |a: Vec3, b: Vec3, c: Vec3| (b - a).cross(c - a).dot(a);
    turn(a, b, c) * turn(a, b, d) < 0.0 && turn(c, d, a) * turn(c, d, b) < 0.0
}

/// Two windows that overlap have the same arms where they do.
#[test]
fn windows_agree_on_arms() {
    let world = planet();
    let mut same = 0;
    for at in deltas(&world, 12) {
        let [one, other] = [0, 90].map(|east| reaches_around(&world, at, (east, 160)));
        let inside = |(request, values, _): &(Request, Vec<f32>, Rivers), link: &RiverLink| {
            link.points.iter().all(|p| samples_around((request, values, &world), p.at).is_some())
        };
        for (address, arm) in &one.2.arms {
            if inside(&one, arm) && inside(&other, arm) {
                let there = &other.2.arms[address];
                assert!(there.points == arm.points && there.shown == arm.shown, "{address:?}");
                same += 1;
            }
        }
    }
    assert!(same > 60, "{same}");
}

/// What one request has drawn the next one takes, where samples lie as far apart; and no square is kept as samples of another spacing show it.
#[test]
fn channels_are_made_once() {
    let world = planet();
    let seed = Seed(world.recipe.seed);
    let levels = Arc::default();
    let at = deltas(&world, 1)[0];
    let drawn = |(east, spacing_m): (i64, f64)| {
        let lattice = Lattice::around(world.grid.metres_per_unit(), at, spacing_m);
        let (x, y) = lattice.project(at.0, at.1);
        let (west, north) = ((x / spacing_m) as i64 + east, (y / spacing_m) as i64);
        let window = Window { west, north, width: 200, height: 200 };
        let request =
            Request::new(lattice, window, vec![Sampled::Basin], Method::Drainage).expect("in range");
        let known = Work::patch(&world, &request).expect("in memory");
        let work = Work::new(&known, seed, (&request, &levels));
        work.squares.iter().map(|square| square.channels.clone()).collect::<Vec<_>>()
    };
    let same = |a: &[Arc<Channels>], b: &[Arc<Channels>]| {
        a.iter().filter(|of| b.iter().any(|other| Arc::ptr_eq(of, other))).count()
    };
    let first = drawn((0, 90.0));
    let (again, beside, finer) = (drawn((0, 90.0)), drawn((150, 90.0)), drawn((0, 89.0)));
    assert_eq!((same(&first, &again), again.len()), (first.len(), first.len()));
    let shared = same(&first, &beside);
    assert!(shared > 50 && shared < beside.len(), "{shared} of {}", beside.len());
    assert_eq!(same(&first, &finer), 0);
    assert!(first.iter().all(|of| of.owners().len() == of.links.len()));
}
