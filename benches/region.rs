//! Refining a tile by both methods: samples of a range, a plain, a coast and the open sea, cold, on one thread, beside the
//! floor; and by `drainage` once more from a cache that knows the place.
//!
//! The floor is one octave of lattice noise a sample: the method `classic` computes some forty of them, so that the ratio
//! says how much is spent on anything else. Throughput is in samples; 256 is the side of a map tile, and in 1024 what is
//! prepared for a window weighs little.
//! Run with `cargo bench --bench region`.
#![allow(missing_docs, reason = "criterion's macros make items without documentation")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use grid::noise::Noise;
use grid::{Cell, Grid, Purpose, Seed, Vec3, math};
use region::{Cache, Lattice, Method, Request, Sampled, Window, refine};
use std::hint::black_box;
use std::time::Duration;
use world::{Recipe, World, simulate};

/// The default planet at a quarter of its size, so that making it takes no time to speak of.
fn world() -> World {
    let mut recipe = Recipe::preset("earthlike").expect("a built-in recipe");
    recipe.grid.cells = 128;
    simulate(&recipe, &|_, _| {}).expect("the recipe is sound")
}

/// The cell with the greatest value.
fn greatest(world: &World, value: impl Fn(Cell) -> f64) -> Cell {
    let cells = world.grid.cells();
    cells.max_by(|a, b| value(*a).total_cmp(&value(*b))).expect("a grid has cells")
}

/// A square tile around a cell, of so many samples to a cell: 222 of them are 90 m where cells have 20 km.
fn tile(world: &World, (cell, per_cell): (Cell, f64), side: usize, method: Method) -> Request {
    let radius_m = world.grid.metres_per_unit();
    let place = math::to_lon_lat(world.grid.center(cell));
    let lattice = Lattice::around(radius_m, place, world.grid.cell_m() / per_cell);
    let (x, y) = lattice.project(place.0, place.1);
    let (column, row) = ((x / lattice.step()) as i64, (y / lattice.step()) as i64);
    let half = side as i64 / 2;
    let window = Window { west: column - half, north: row + half, width: side, height: side };
    Request::new(lattice, window, vec![Sampled::Elevation], method).expect("a tile is not too large")
}

fn regions(criterion: &mut Criterion) {
    let world = world();
    let land = |c: Cell| f64::from(world.continentality[c]);
    let mouth = |c: Cell| land(c) > 0.0 && world.receiver_of(c).is_some_and(|r| land(r) <= 0.0);
    let places = [
        ("range", greatest(&world, |c| f64::from(world.mountain_height_m[c]))),
        ("plain", greatest(&world, |c| if world.mountain_height_m[c] > 0.0 { -1.0 } else { land(c) })),
        ("mouth", greatest(&world, |c| if mouth(c) { world.discharge_m3_s[c] } else { -1.0 })),
        ("sea", greatest(&world, |c| -f64::from(world.base_elevation_m[c]))),
    ];
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be had");
    let noise = Noise::new(Seed(1).key(Purpose::new("bench/region")));
    let run = |request: &Request| {
        one_thread.install(|| refine(&world, request, &|_| {}).expect("in memory"));
    };
    let mut group = criterion.benchmark_group("region");
    for side in [256, 1024] {
        group.throughput(Throughput::Elements((side * side) as u64));
        for (name, cell) in places {
            let at = (cell, PER_CELL);
            let request = tile(&world, at, side, Method::Classic);
            group.bench_function(BenchmarkId::new(format!("classic, {name}"), side), |b| {
                b.iter(|| run(&request));
            });
            let request = tile(&world, at, side, Method::Drainage);
            group.bench_function(BenchmarkId::new(format!("drainage, {name}"), side), |b| {
                b.iter(|| run(&request));
            });
            let known = tile(&world, at, side, Method::Drainage).with_cache(&Cache::new(CACHE_BYTES));
            group.bench_function(BenchmarkId::new(format!("drainage, {name}, known"), side), |b| {
                b.iter(|| run(&known));
            });
        }
        group.bench_function(BenchmarkId::new("floor, one octave of noise", side), |b| {
            let at = |i: usize| Vec3::new((i % side) as f64 * 0.03, (i / side) as f64 * 0.03, 0.5);
            b.iter(|| (0..side * side).map(|i| noise.at(black_box(at(i)))).sum::<f64>());
        });
    }
    group.finish();
}

/// Samples to a cell: 352 m where cells have 78 km, as on the planet of the bench; channels of level 6.
const PER_CELL: f64 = 222.0;
const CACHE_BYTES: u64 = 1 << 30;

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(3));
    targets = regions
}
criterion_main!(benches);
