//! What the tests of several laws share: worlds, places to look at, windows, a world read from its file.

use grid::{Cell, Draw, Grid, Nth, Purpose, Seed, Topology, math};
use region::{Lattice, Method, Region, Request, Sampled, Window, refine};
use std::sync::OnceLock;
use world::{CellSource, Recipe, World, simulate};

pub mod source;
pub mod sources;

/// The world of a recipe.
pub fn made(recipe: &Recipe) -> World {
    simulate(recipe, &|_, _| {}).expect("the recipe is sound")
}

/// The recipe `small`: a globe with 64 cells along a side of a face.
pub fn small_recipe() -> Recipe {
    Recipe::preset("small").expect("built in")
}

/// The recipe `island`, a flat map, with 96 cells of 12.5 km along its longer side.
pub fn island_recipe() -> Recipe {
    let mut recipe = Recipe::preset("island").expect("built in");
    recipe.grid.cells = 96;
    recipe
}

/// A small planet of 37 km cells with many high ranges: ten times the ridges of `small`, and broad lakes.
pub fn rugged_recipe() -> Recipe {
    let mut recipe = small_recipe();
    recipe.name = "rugged".into();
    recipe.grid.radius_km = 1500.0;
    recipe.plates.warp_km = 150.0;
    recipe.mountains.old_ranges = 40;
    recipe.mountains.height_m = 8000.0;
    recipe.mountains.min_height_m = 100.0;
    recipe
}

/// A globe of few, large cells.
pub fn coarse_recipe(seed: u64, cells: u32) -> Recipe {
    let mut recipe = Recipe::preset("earthlike").expect("built in");
    recipe.seed = seed;
    recipe.grid.cells = cells;
    recipe
}

/// The world of [`small_recipe`], made once for each test program.
pub fn small() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| made(&small_recipe()))
}

/// The world of [`rugged_recipe`], made once for each test program.
pub fn rugged() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| made(&rugged_recipe()))
}

/// The world of [`island_recipe`], made once for each test program.
pub fn island() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| made(&island_recipe()))
}

/// The value below which such a share of all lies; sorts them.
pub fn quantile(values: &mut [f64], fraction: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * fraction).round() as usize]
}

/// Random numbers for a test, the same at every run.
pub fn draws(number: u32) -> Draw {
    const LAWS: Purpose = Purpose::new("test/laws");
    Seed(1).key(LAWS).at(Nth(number))
}

/// Runs something on a pool of so many threads.
pub fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
    pool.install(work)
}

/// Layers of a window by a method.
pub fn refined_by(
    method: Method,
    source: &impl CellSource,
    lattice: &Lattice,
    (window, layers): (Window, &[Sampled]),
) -> Region {
    let request = Request::new(lattice.clone(), window, layers.to_vec(), method).expect("not too large");
    refine(source, &request, &|_| {}).expect("the world can be read")
}

/// All layers of a window, by the method `classic`.
pub fn refined(source: &impl CellSource, lattice: &Lattice, window: Window) -> Region {
    refined_by(Method::Classic, source, lattice, (window, &Sampled::ALL))
}

/// A layer that [`refined`] has made.
pub fn layer(region: &Region, layer: Sampled) -> &[f32] {
    region.layer(layer).expect("asked for")
}

/// The bits of all layers of one sample of a region.
pub fn bits(region: &Region, column: usize, row: usize) -> [u32; Sampled::ALL.len()] {
    let at = row * region.window.width + column;
    Sampled::ALL.map(|l| layer(region, l)[at].to_bits())
}

/// Whether the cell is land.
pub fn is_land(world: &World, cell: Cell) -> bool {
    world.continentality[cell] > 0.0
}

/// Whether this holds for a cell and for all that it meets.
pub fn all_around(world: &World, cell: Cell, holds: impl Fn(Cell) -> bool) -> bool {
    world.grid.halo(cell, 1).into_iter().all(holds)
}

/// Of the cells for which it is a number, the one with the greatest value.
pub fn greatest(world: &World, value: impl Fn(Cell) -> Option<f64>) -> Option<Cell> {
    let valued = world.grid.cells().filter_map(|c| Some((c, value(c)?)));
    valued.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(c, _)| c)
}

/// Longitude and latitude on a globe, metres on a flat map: what [`Lattice::project`] takes.
pub fn coordinates(world: &World, cell: Cell) -> (f64, f64) {
    let p = world.grid.center(cell);
    match world.grid {
        Topology::Globe(_) => math::to_lon_lat(p),
        Topology::Flat(_) => (p.x, p.y),
    }
}

/// The lattice of metres that suits a world, around a place on a globe.
pub fn metric_lattice(world: &World, place: (f64, f64), step_m: f64) -> Lattice {
    Lattice::of_metres(&world.grid, place, step_m)
}

/// The window of so many samples around a place.
pub fn window_around(lattice: &Lattice, place: (f64, f64), width: usize, height: usize) -> Window {
    let (x, y) = lattice.project(place.0, place.1);
    let (column, row) = ((x / lattice.step()).round() as i64, (y / lattice.step()).round() as i64);
    Window { west: column - width as i64 / 2, north: row + height as i64 / 2, width, height }
}

/// Cells of every kind a view may meet, each with what it is.
pub fn places(world: &World) -> Vec<(&'static str, Cell)> {
    let land = |c: Cell| is_land(world, c);
    let inland = |c: Cell| all_around(world, c, land);
    let dry = |c: Cell| world.lake[c] == world::NO_LAKE;
    let lakes = |c: Cell| world.grid.halo(c, 1).into_iter().filter(|&n| !dry(n)).count() as f64;
    let mouth = |c: Cell| world.receiver_of(c).is_some_and(|r| !land(r));
    let coast = |c: Cell| land(c) && !inland(c);
    let some = [
        ("mountains", greatest(world, |c| Some(world.mountain_height_m[c].into()))),
        ("mouth", greatest(world, |c| mouth(c).then(|| world.discharge_m3_s[c]))),
        ("river", greatest(world, |c| (inland(c) && dry(c)).then(|| world.discharge_m3_s[c]))),
        ("lake", greatest(world, |c| (!dry(c)).then(|| lakes(c)))),
        ("coast", greatest(world, |c| coast(c).then(|| world.mountain_height_m[c].into()))),
        ("plain", greatest(world, |c| inland(c).then(|| -f64::from(world.base_elevation_m[c])))),
        ("sea", greatest(world, |c| Some(-f64::from(world.continentality[c])))),
    ];
    some.into_iter().filter_map(|(name, cell)| Some((name, cell?))).collect()
}

/// The cells at which the cube's corners lie: a diagonal is missing there. None on a flat map.
pub fn cube_corners(world: &World) -> Vec<Cell> {
    let count = |c: &Cell| world.grid.neighbors(*c).count();
    world.grid.cells().filter(|c| matches!(world.grid, Topology::Globe(_)) && count(c) == 7).collect()
}

/// A place on each of the cube's twelve edges: the middle of a cell whose neighbour is on another face.
pub fn edges_of_the_cube(world: &World) -> Vec<(String, (f64, f64))> {
    let shape = world.grid.shape();
    let face = |c| shape.split(c).0;
    let mut found = std::collections::BTreeMap::new();
    for cell in world.grid.cells() {
        for side in grid::Direction::SIDES {
            let Some(there) = world.grid.neighbor(cell, side) else { continue };
            let faces = (face(cell).min(face(there)), face(cell).max(face(there)));
            let land = is_land(world, cell) && is_land(world, there);
            if faces.0 != faces.1 && (land || !found.contains_key(&faces)) {
                found.insert(faces, cell);
            }
        }
    }
    assert_eq!(found.len(), 12, "a cube has twelve edges");
    let named = |((a, b), c)| (format!("edge of faces {a} and {b}"), coordinates(world, c));
    found.into_iter().map(named).collect()
}

/// Names and coordinates of what windows should lie over.
pub fn views(world: &World) -> Vec<(String, (f64, f64))> {
    let named = |(name, cell): (&str, _)| (name.to_string(), coordinates(world, cell));
    let mut views: Vec<_> = places(world).into_iter().map(named).collect();
    match &world.grid {
        Topology::Globe(_) => {
            let corner = |c| (format!("corner of the cube at {c:?}"), coordinates(world, c));
            let one_of_three = cube_corners(world).into_iter().step_by(3);
            views.extend(one_of_three.map(corner));
            let fixed = [
                ("north pole", (12.0, 89.9)),
                ("south pole", (-77.0, -90.0)),
                ("antimeridian", (180.0, -31.0)),
                ("antimeridian from the west", (-179.99, 8.0)),
            ];
            views.extend(fixed.map(|(name, place)| (name.to_string(), place)));
            views.extend(edges_of_the_cube(world));
        }
        Topology::Flat(flat) => {
            let (width, height) = flat.extent_m();
            let fixed = [
                ("south-west corner", (0.0, 0.0)),
                ("eastern border", (width, 0.4 * height)),
                ("northern border", (0.7 * width, height)),
            ];
            views.extend(fixed.map(|(name, place)| (name.to_string(), place)));
        }
    }
    views
}
