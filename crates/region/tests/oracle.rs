//! Samples against slow and obvious ways to have them: each alone, with nothing left out for the tile it is in.
//! And the rims: limits of requests, what lies beyond a pole or a border, worlds that make no sense.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use grid::{Cell, Draw, Grid, Nth, Purpose, Seed, Topology, Vec3, math};
use region::{Lattice, Method, Region, Request, RequestError, River, Sampled, Window, features_of, refine};
use std::sync::OnceLock;
use world::{Recipe, World, channel_width_m, simulate};

fn made(name: &str, cells: u32) -> World {
    let mut recipe = Recipe::preset(name).expect("built in");
    recipe.grid.cells = cells;
    simulate(&recipe, &|_, _| {}).expect("the recipe is sound")
}

/// A globe with 32 cells along a side of a face; small, so that its ranges are many cells wide.
fn globe() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let mut recipe = Recipe::preset("small").expect("built in");
        recipe.grid.cells = 32;
        recipe.grid.radius_km = 800.0;
        recipe.plates.warp_km = 80.0;
        recipe.mountains.min_height_m = 100.0;
        simulate(&recipe, &|_, _| {}).expect("the recipe is sound")
    })
}

fn island() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| made("island", 64))
}

fn draws(number: u32) -> Draw {
    const ORACLE: Purpose = Purpose::new("test/region/oracle");
    Seed(1).key(ORACLE).at(Nth(number))
}

/// All layers that this method has.
fn refined(world: &World, lattice: &Lattice, window: Window) -> Region {
    let layers = Sampled::ALL.into_iter().filter(|layer| *layer != Sampled::Hand).collect();
    let request = Request::new(lattice.clone(), window, layers, Method::Classic).unwrap();
    refine(world, &request, &|_| {}).unwrap()
}

fn alone(world: &World, lattice: &Lattice, west: i64, north: i64) -> Vec<u32> {
    let region = refined(world, lattice, Window { west, north, width: 1, height: 1 });
    region.layers().map(|(_, v)| v[0].to_bits()).collect()
}

fn in_window(region: &Region, at: usize) -> Vec<u32> {
    region.layers().map(|(_, v)| v[at].to_bits()).collect()
}

fn lattice(world: &World, per_cell: f64) -> Lattice {
    let step_m = world.grid.cell_m() / per_cell;
    match &world.grid {
        Topology::Globe(globe) => Lattice::lon_lat(globe.radius_m(), step_m),
        Topology::Flat(_) => Lattice::Plane { step_m },
    }
}

/// A random place where there is something to see: three of four are on land.
fn place(world: &World, draw: &mut Draw) -> Vec3 {
    loop {
        let cell = Cell(draw.below(world.grid.len() as u32));
        if world.continentality[cell] > 0.0 || draw.below(4) == 0 {
            return world.grid.within(cell, draw.unit(), draw.unit());
        }
    }
}

fn sample_number(world: &World, lattice: &Lattice, p: Vec3) -> (i64, i64) {
    let (x, y) = match world.grid {
        Topology::Globe(_) => math::to_lon_lat(p),
        Topology::Flat(_) => (p.x, p.y),
    };
    ((x / lattice.step()).round() as i64, (y / lattice.step()).round() as i64)
}

/// A tile leaves out every piece of a feature that cannot reach it; a large tile leaves out fewer. Random places
/// are sampled in windows of 40 x 40, and again one by one.
fn samples_do_not_change_when_asked_alone(world: &World, number: u32) {
    let mut draw = draws(number);
    let mut checked = 0;
    for round in 0..72u32 {
        let per_cell = [1.5, 4.5, 6.0, 11.0, 30.0, 170.0][round as usize % 6];
        let lattice = lattice(world, per_cell);
        let (column, row) = sample_number(world, &lattice, place(world, &mut draw));
        let window = Window { west: column - 20, north: row + 20, width: 40, height: 40 };
        let region = refined(world, &lattice, window);
        for _ in 0..16 {
            let (right, down) = (draw.below(40) as usize, draw.below(40) as usize);
            let (west, north) = (window.west + right as i64, window.north - down as i64);
            let (together, one) =
                (in_window(&region, down * 40 + right), alone(world, &lattice, west, north));
            assert_eq!(together, one, "{per_cell} samples to a cell, {right} and {down} in {window:?}");
            checked += 1;
        }
    }
    assert!(checked >= 1_100);
}

/// Tiles of web maps and cells of the world, each sample again alone, over the borders of neighbouring windows too.
#[test]
fn samples_of_tiles_and_cells_do_not_change_when_asked_alone() {
    let mut draw = draws(9);
    for world in [globe(), island()] {
        for round in 0..24u32 {
            let cell = world.grid.locate(place(world, &mut draw)).unwrap();
            let (lattice, window) = match (&world.grid, round % 3) {
                (Topology::Globe(globe), 0) => {
                    let tile = (4, u64::from(draw.below(16)), u64::from(draw.below(16)));
                    Lattice::web_tile(globe.radius_m(), tile, 256).unwrap()
                }
                _ => Lattice::native(&world.grid, cell, 1 + (round % 5) as u8),
            };
            let window = Window { west: window.west - 3, width: window.width.min(37) + 6, ..window };
            let window = Window { height: window.height.min(33), ..window };
            let region = refined(world, &lattice, window);
            for _ in 0..12 {
                let (right, down) =
                    (draw.below(window.width as u32) as usize, draw.below(window.height as u32) as usize);
                let (west, north) = (window.west + right as i64, window.north - down as i64);
                let together = in_window(&region, down * window.width + right);
                assert_eq!(together, alone(world, &lattice, west, north), "{right} {down} of {window:?}");
            }
        }
    }
}

#[test]
fn samples_of_a_globe_do_not_change_when_asked_alone() {
    samples_do_not_change_when_asked_alone(globe(), 1);
}

#[test]
fn samples_of_a_flat_map_do_not_change_when_asked_alone() {
    samples_do_not_change_when_asked_alone(island(), 2);
}

/// A tile of a large window holds 16 x 16 samples and reaches far; one of a window of a single row or column
/// reaches less and leaves out more. On the flanks of ranges, where features end, nothing may come of that.
#[test]
fn samples_of_flanks_do_not_change_with_the_tile() {
    const SIDE: usize = 40;
    let mut draw = draws(7);
    let high = |c: &Cell| globe().ridge_directions[*c] != 0;
    let cells: Vec<Cell> = globe().grid.cells().filter(high).collect();
    assert!(cells.len() > 50, "{} cells have ridges", cells.len());
    let mut flanks = 0;
    for per_cell in [4.5, 6.0, 9.0, 14.0, 20.0, 30.0] {
        let lattice = lattice(globe(), per_cell);
        let cell = cells[draw.below(cells.len() as u32) as usize];
        let (column, row) = sample_number(globe(), &lattice, globe().grid.center(cell));
        let side = SIDE as i64;
        let whole = Window { west: column - side / 2, north: row + side / 2, width: SIDE, height: SIDE };
        let all = refined(globe(), &lattice, whole);
        for k in 0..SIDE {
            let across = Window { north: whole.north - k as i64, height: 1, ..whole };
            let down = Window { west: whole.west + k as i64, width: 1, ..whole };
            let (across, down) = (refined(globe(), &lattice, across), refined(globe(), &lattice, down));
            for i in 0..SIDE {
                let what = format!("{per_cell} samples to a cell, {i} and {k} in {whole:?}");
                assert_eq!(in_window(&all, k * SIDE + i), in_window(&across, i), "{what}");
                assert_eq!(in_window(&all, i * SIDE + k), in_window(&down, i), "{what}");
            }
        }
        let mountains = all.layer(Sampled::Mountains).unwrap();
        flanks += mountains.iter().filter(|m| (1.0..200.0).contains(*m)).count();
    }
    assert!(flanks > 500, "{flanks} samples lie on flanks");
}

/// Whether a river runs at a place, found from the rivers of the whole world, one by one. Features are given
/// where they are seen, so that distances are those of the bent space only to some percent; places that are
/// neither well within nor well outside of every channel are not judged. Nor are those near brooks narrower than a
/// thirtieth of the spacing, which a region may leave out.
fn expected_discharge(world: &World, rivers: &[River], p: Vec3, spacing_m: f64) -> Option<f64> {
    let p = p * world.grid.metres_per_unit();
    let mut found = 0.0f64;
    for river in rivers {
        let width_m = channel_width_m(river.discharge_m3_s);
        let half_m = (0.5 * width_m).max(0.6 * spacing_m);
        let near_m =
            river.points_m.windows(2).map(|w| distance_m(p, w[0], w[1])).fold(f64::INFINITY, f64::min);
        if near_m < 3.0 * half_m && width_m < spacing_m / 30.0 {
            return None;
        } else if near_m < 0.5 * half_m {
            found = found.max(river.discharge_m3_s);
        } else if near_m < 3.0 * half_m {
            return None;
        }
    }
    Some(found)
}

/// A point of a random river: many of them run through mountains and plains alike.
fn a_point(rivers: &[River], draw: &mut Draw) -> Vec3 {
    let river = &rivers[draw.below(rivers.len() as u32) as usize];
    river.points_m[draw.below(river.points_m.len() as u32) as usize]
}

fn distance_m(p: Vec3, a: Vec3, b: Vec3) -> f64 {
    let ab = b - a;
    let t = ((p - a).dot(ab) / ab.length_squared().max(1e-9)).clamp(0.0, 1.0);
    (p - (a + ab * t)).length()
}

/// No river is lost or invented on the way from features to samples.
fn channels_are_where_rivers_are(world: &World, number: u32) {
    let cells: Vec<Cell> = world.grid.cells().collect();
    let all = features_of(world, &cells, 0).unwrap();
    let rivers: Vec<River> = all.into_iter().flat_map(|f| f.rivers).collect();
    let lattice = lattice(world, 300.0);
    let mut draw = draws(number);
    let (mut wet, mut dry) = (0, 0);
    for round in 0..500 {
        let chosen = match round % 2 {
            0 => place(world, &mut draw),
            _ => a_point(&rivers, &mut draw) / world.grid.metres_per_unit(),
        };
        let (column, row) = sample_number(world, &lattice, chosen);
        let Some(p) = lattice.position(column, row) else { continue };
        let Some(here) = world.grid.locate(p) else { continue };
        let inland = world.grid.halo(here, 1).into_iter().all(|c| world.continentality[c] > 0.0);
        let lakes = world.grid.halo(here, 2).into_iter().any(|c| world.lake[c] != world::NO_LAKE);
        let Some(expected) = expected_discharge(world, &rivers, p, lattice.spacing_m()) else { continue };
        let region = refined(world, &lattice, Window { west: column, north: row, width: 1, height: 1 });
        let found = region.layer(Sampled::Discharge).unwrap()[0];
        if expected == 0.0 {
            assert_eq!(found, 0.0, "a river where there is none, at {p:?}");
            dry += 1;
        } else if inland && !lakes && region.layer(Sampled::Elevation).unwrap()[0] > 0.0 {
            assert_eq!(found, expected as f32, "at {p:?}");
            wet += 1;
        }
    }
    assert!(wet > 5 && dry > 40, "{wet} places in rivers, {dry} outside");
}

#[test]
fn channels_of_a_globe_are_where_rivers_are() {
    channels_are_where_rivers_are(globe(), 3);
}

#[test]
fn channels_of_a_flat_map_are_where_rivers_are() {
    channels_are_where_rivers_are(island(), 4);
}

#[test]
fn what_layers_say_of_each_other_holds() {
    for (world, number) in [(globe(), 5), (island(), 6)] {
        let mut draw = draws(number);
        for per_cell in [1.0, 5.0, 25.0] {
            let lattice = lattice(world, per_cell);
            let (column, row) = sample_number(world, &lattice, place(world, &mut draw));
            let window = Window { west: column - 60, north: row + 60, width: 120, height: 120 };
            let region = refined(world, &lattice, window);
            let of = |l| region.layer(l).unwrap();
            for i in (0..120 * 120).filter(|&i| !of(Sampled::Elevation)[i].is_nan()) {
                let (z, depth) = (of(Sampled::Elevation)[i], of(Sampled::WaterDepth)[i]);
                let (surface, base) = (of(Sampled::WaterSurface)[i], of(Sampled::Base)[i]);
                let (mountains, q) = (of(Sampled::Mountains)[i], of(Sampled::Discharge)[i]);
                assert!(depth >= 0.0 && mountains >= 0.0 && q >= 0.0 && base.is_finite());
                assert!((surface - z - depth).abs() < 0.01, "{surface} {z} {depth}");
                assert!(q > 0.0 || of(Sampled::Order)[i] == 0.0, "an order without a river");
                assert!((-90.0..60.0).contains(&of(Sampled::Temperature)[i]) && of(Sampled::Rain)[i] >= 0.0);
            }
        }
    }
}

/// Only what lies beyond a pole is not a number.
#[test]
fn there_is_nothing_beyond_the_poles() {
    let lattice = lattice(globe(), 2.0);
    for sign in [1.0, -1.0] {
        let pole = (sign * 90.0 / lattice.step()).round() as i64;
        let window = Window { west: -40, north: pole + 15, width: 50, height: 30 };
        let region = refined(globe(), &lattice, window);
        let (mut nothing, mut something) = (0, 0);
        for (_, values) in region.layers() {
            for (i, v) in values.iter().enumerate() {
                let y = (window.north - (i / 50) as i64) as f64 * lattice.step();
                assert_eq!(v.is_nan(), y.abs() > 90.0, "at latitude {y}");
                if v.is_nan() { nothing += 1 } else { something += 1 }
            }
        }
        assert!(nothing > 1_000 && something > 1_000);
    }
}

/// Where no channels are drawn nobody knows how high over them the ground is.
#[test]
fn no_height_over_channels_is_known() {
    let window = Window { west: -9, north: 9, width: 20, height: 20 };
    let request = Request::new(lattice(globe(), 2.0), window, vec![Sampled::Hand], Method::Classic).unwrap();
    let region = refine(globe(), &request, &|_| {}).unwrap();
    assert!(region.layer(Sampled::Hand).unwrap().iter().all(|v| v.is_nan()));
}

/// Metres cover the whole globe, its far side too.
#[test]
fn metres_are_somewhere_everywhere() {
    let Topology::Globe(sphere) = &globe().grid else { panic!("a globe") };
    for place in [(0.0, 0.0), (180.0, 89.0), (-33.0, -90.0)] {
        let lattice = Lattice::around(sphere.radius_m(), place, 90_000.0);
        let region = refined(globe(), &lattice, Window { west: -40, north: 40, width: 80, height: 80 });
        assert!(region.layers().all(|(_, v)| v.iter().all(|x| x.is_finite())));
    }
}

/// Only what lies outside a flat map is not a number.
#[test]
fn there_is_nothing_beyond_a_border() {
    let Topology::Flat(flat) = &island().grid else { panic!("a flat map") };
    let (width_m, height_m) = flat.extent_m();
    let lattice = Lattice::Plane { step_m: 0.7 * flat.cell_m() };
    let window = Window { west: -9, north: 90, width: 120, height: 110 };
    let region = refined(island(), &lattice, window);
    let mut inside = 0;
    for (_, values) in region.layers() {
        for (i, v) in values.iter().enumerate() {
            let (x, y) = ((window.west + (i % 120) as i64) as f64, (window.north - (i / 120) as i64) as f64);
            let (x, y) = (x * lattice.step(), y * lattice.step());
            let is_inside = (0.0..=width_m).contains(&x) && (0.0..=height_m).contains(&y);
            assert_eq!(v.is_nan(), !is_inside, "at {x}, {y}");
            inside += usize::from(is_inside);
        }
    }
    assert!(inside > 10_000);
}

#[test]
fn lattices_of_another_kind_of_world_are_refused() {
    let window = Window { west: 0, north: 0, width: 2, height: 2 };
    let ask = |world: &World, lattice: Lattice| {
        let request = Request::new(lattice, window, vec![Sampled::Elevation], Method::Classic).unwrap();
        refine(world, &request, &|_| {})
    };
    assert!(ask(globe(), Lattice::Plane { step_m: 100.0 }).is_err());
    assert!(ask(island(), Lattice::lon_lat(6.371e6, 100.0)).is_err());
    assert!(ask(island(), Lattice::around(6.371e6, (0.0, 0.0), 100.0)).is_err());
}

#[test]
fn requests_have_limits() {
    let ask = |step_m: f64, width: usize, height: usize| {
        let window = Window { west: 0, north: 0, width, height };
        Request::new(Lattice::Plane { step_m }, window, vec![Sampled::Elevation], Method::Classic)
    };
    assert!(ask(100.0, 1, 1).is_ok());
    assert!(ask(Request::MIN_SPACING_M, 1, 1).is_ok() && ask(Request::MAX_SPACING_M, 1, 1).is_ok());
    for step_m in [0.0, -5.0, 0.009, 1.1e7, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(ask(step_m, 1, 1), Err(RequestError::Spacing { .. })), "{step_m}");
    }
    for (width, height) in [(0, 1), (1, 0), (0, 0), (0, usize::MAX)] {
        assert!(matches!(ask(100.0, width, height), Err(RequestError::Empty { .. })), "{width} {height}");
    }
    assert!(ask(100.0, 10_000, 10_000).is_ok(), "{}", Request::MAX_SAMPLES);
    let most = Request::MAX_SAMPLES as usize;
    for (width, height) in [(100_001, 100_000), (most + 1, 1), (usize::MAX, usize::MAX)] {
        let Err(RequestError::TooLarge { spacing_m, .. }) = ask(100.0, width, height) else {
            panic!("{width} {height}")
        };
        // the same area at the resolution that it names
        let fewer = |side: usize| (side as f64 * 100.0 / spacing_m) as usize + 1;
        let coarser = (fewer(width) as u64).checked_mul(fewer(height) as u64);
        let is_large = (width as u64).checked_mul(height as u64).is_none();
        let most = if is_large { u64::MAX } else { Request::MAX_SAMPLES };
        assert!(coarser.is_some_and(|n| n <= most), "{width} {height}: {spacing_m}");
    }
}

/// The share of samples that is done grows to all of them.
#[test]
fn progress_comes_to_an_end() {
    use std::sync::Mutex;
    let told = Mutex::new(Vec::new());
    let lattice = lattice(island(), 3.0);
    let window = Window { west: 10, north: 80, width: 70, height: 70 };
    let request = Request::new(lattice, window, vec![Sampled::Base], Method::Classic).unwrap();
    refine(island(), &request, &|share| told.lock().unwrap().push(share)).unwrap();
    let mut told = told.into_inner().unwrap();
    told.sort_by(f64::total_cmp);
    assert_eq!(told.last(), Some(&1.0));
    assert!(told.windows(2).all(|w| w[0] < w[1]) && told[0] > 0.0);
}
