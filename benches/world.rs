//! Making a world, stage by stage, beside the floor: one octave of noise at every cell.

#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "benches read the clock")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use grid::{Grid, Purpose, Seed, noise::Noise};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use world::{Recipe, simulate};

const CELLS: u32 = 256;
/// The stages that `simulate` tells of, in order.
const STAGES: [&str; 9] = [
    "continents",
    "plates and faults",
    "sea floor",
    "mountains",
    "ridges",
    "mountain-free map",
    "climate",
    "water",
    "rivers",
];

fn recipe() -> Recipe {
    let mut recipe = Recipe::preset("earthlike").expect("built in");
    recipe.grid.cells = CELLS;
    recipe
}

/// The time that one stage takes in the making of a world.
fn time_of(stage: &str, recipe: &Recipe) -> Duration {
    let marks: Mutex<Vec<(&'static str, Instant)>> = Mutex::new(Vec::new());
    let mark =
        |stage, _| marks.lock().expect("nothing panics while it is held").push((stage, Instant::now()));
    std::hint::black_box(simulate(recipe, &mark).expect("a sound recipe"));
    let marks = marks.into_inner().expect("nothing panics while it is held");
    let pair = marks.windows(2).find(|pair| pair[0].0 == stage).expect("the stages are those of `simulate`");
    pair[1].1 - pair[0].1
}

fn stages(c: &mut Criterion) {
    let recipe = recipe();
    let grid = recipe.topology().expect("a sound recipe");
    let mut group = c.benchmark_group("world");
    group.sample_size(10).throughput(Throughput::Elements(grid.len() as u64));
    group.bench_function("floor: one octave of noise", |b| {
        let noise = Noise::new(Seed(1).key(Purpose::new("bench/world")));
        b.iter(|| grid::Field::from_fn(grid.shape(), |cell| noise.at(grid.center(cell) * 40.0)));
    });
    group.bench_function("all", |b| b.iter(|| simulate(&recipe, &|_, _| {}).expect("a sound recipe")));
    for stage in STAGES {
        group.bench_function(stage, |b| b.iter_custom(|n| (0..n).map(|_| time_of(stage, &recipe)).sum()));
    }
    group.finish();
}

criterion_group!(benches, stages);
criterion_main!(benches);
