//! Refining a tile: samples of a range, a plain and the open sea, cold, on one thread, beside the floor.
//!
//! The floor is one octave of lattice noise a sample: a region computes some forty of them, so that the ratio
//! says how much is spent on anything else. Throughput is in samples; both sizes are those of map tiles.
//! Run with `cargo bench --bench region`.
#![allow(missing_docs, reason = "criterion's macros make items without documentation")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use grid::noise::Noise;
use grid::{Cell, Grid, Purpose, Seed, Vec3, math};
use region::{Lattice, Method, Request, Sampled, Window, refine};
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

/// A square tile of level 5 (32 samples to a cell) around a cell.
fn tile(world: &World, cell: Cell, side: usize) -> Request {
    let radius_m = world.grid.metres_per_unit();
    let place = math::to_lon_lat(world.grid.center(cell));
    let lattice = Lattice::around(radius_m, place, world.grid.cell_m() / 32.0);
    let (x, y) = lattice.project(place.0, place.1);
    let (column, row) = ((x / lattice.step()) as i64, (y / lattice.step()) as i64);
    let half = side as i64 / 2;
    let window = Window { west: column - half, north: row + half, width: side, height: side };
    Request::new(lattice, window, vec![Sampled::Elevation], Method::Classic).expect("a tile is not too large")
}

fn regions(criterion: &mut Criterion) {
    let world = world();
    let land = |c: Cell| f64::from(world.continentality[c]);
    let places = [
        ("range", greatest(&world, |c| f64::from(world.mountain_height_m[c]))),
        ("plain", greatest(&world, |c| if world.mountain_height_m[c] > 0.0 { -1.0 } else { land(c) })),
        ("sea", greatest(&world, |c| -f64::from(world.base_elevation_m[c]))),
    ];
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be had");
    let noise = Noise::new(Seed(1).key(Purpose::new("bench/region")));
    let mut group = criterion.benchmark_group("region");
    for side in [256, 512] {
        group.throughput(Throughput::Elements((side * side) as u64));
        for (name, cell) in places {
            let request = tile(&world, cell, side);
            group.bench_function(BenchmarkId::new(name, side), |bencher| {
                bencher.iter(|| one_thread.install(|| refine(&world, &request, &|_| {}).expect("in memory")));
            });
        }
        group.bench_function(BenchmarkId::new("floor, one octave of noise", side), |bencher| {
            let at = |i: usize| Vec3::new((i % side) as f64 * 0.03, (i / side) as f64 * 0.03, 0.5);
            bencher.iter(|| (0..side * side).map(|i| noise.at(black_box(at(i)))).sum::<f64>());
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(3));
    targets = regions
}
criterion_main!(benches);
