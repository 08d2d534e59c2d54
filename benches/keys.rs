//! What chance costs: asking a key at an address, and drawing from the generator it gives.

#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

use criterion::{Criterion, criterion_group, criterion_main};
use grid::{Cell, Direction, Globe, Grid, Nth, Purpose, Seed};
use std::hint::black_box;
use std::time::Duration;

const PURPOSE: Purpose = Purpose::new("bench/keys");

fn seeding(c: &mut Criterion) {
    let key = Seed(1).key(PURPOSE);
    let globe = Globe::new(64, 6_371_000.0).expect("64 cells a side is in range");
    let edge = globe.edge(Cell(100), Direction::E).expect("E is a side");
    let mut group = c.benchmark_group("seeding");
    group.bench_function("key", |b| b.iter(|| Seed(black_box(1)).key(PURPOSE)));
    group.bench_function("cell", |b| b.iter(|| key.at(Cell(black_box(12_345)))));
    group.bench_function("edge", |b| b.iter(|| key.at(black_box(edge))));
    group.bench_function("cell and nth", |b| b.iter(|| key.at((Cell(black_box(12_345)), Nth(3)))));
    group.bench_function("cell and one draw", |b| b.iter(|| key.at(Cell(black_box(12_345))).unit()));
}

fn drawing(c: &mut Criterion) {
    let mut draw = Seed(1).key(PURPOSE).at(Nth(0));
    let mut group = c.benchmark_group("drawing");
    group.bench_function("bits", |b| b.iter(|| draw.bits()));
    group.bench_function("unit", |b| b.iter(|| draw.unit()));
    group.bench_function("below", |b| b.iter(|| draw.below(black_box(1_000))));
    group.bench_function("normal", |b| b.iter(|| draw.normal()));
    group.bench_function("direction", |b| b.iter(|| draw.direction()));
}

/// Ten measurements in under half a minute.
fn quick() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}

criterion_group! { name = benches; config = quick(); targets = seeding, drawing }
criterion_main!(benches);
