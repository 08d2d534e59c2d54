//! Filling, routing and gathering water on globes of 98 thousand and 1.57 million cells (N = 128 and 512).
//!
//! Beside them stand a plain Priority-Flood in which every cell goes through the heap (Barnes, Lehman & Mulla
//! 2014, algorithm 1), as the peer, and a copy of the elevation, as the floor. The throughput that is printed is
//! in cells: 10 Melem/s are 100 ns for a cell.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use grid::noise::Fractal;
use grid::{Cell, Field, Globe, Grid, Purpose, Seed};
use hydro::Links;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

/// Fractal land over about half of the globe; the sea, below 0, takes the water.
fn land(globe: &Globe) -> Field<f32> {
    const LAND: Purpose = Purpose::new("benches/fill/land");
    let noise = Fractal::new(Seed(1).key(LAND), 12, 0.6);
    Field::from_fn(globe.shape(), |c| (noise.fbm(globe.center(c) * 2.0) * 4000.0) as f32)
}

/// The filled surface by the heap alone.
fn plain_flood(globe: &Globe, links: &Links, elevation: &Field<f32>) -> Field<f32> {
    let key = |z: f32, cell: Cell| {
        let bits = z.to_bits();
        let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
        Reverse(u64::from(ordered) << 32 | u64::from(cell.0))
    };
    let mut filled = elevation.clone();
    let mut closed = elevation.map(|&z| z < 0.0);
    let sea = globe.cells().filter(|&c| elevation[c] < 0.0);
    let mut heap: BinaryHeap<_> = sea.map(|c| key(elevation[c], c)).collect();
    while let Some(Reverse(next)) = heap.pop() {
        let cell = Cell(next as u32);
        for (_, n) in links.neighbors(globe, cell) {
            if !std::mem::replace(&mut closed[n], true) {
                filled[n] = elevation[n].max(filled[cell]);
                heap.push(key(filled[n], n));
            }
        }
    }
    filled
}

fn water(criterion: &mut Criterion) {
    for n in [128, 512] {
        let globe = Globe::new(n, 6.371e6).expect("in range");
        let elevation = land(&globe);
        let links = Links::planar(&globe, &elevation);
        let sea = |c: Cell| elevation[c] < 0.0;
        let flood = hydro::flood(&globe, &links, &elevation, sea);
        let flow = hydro::route(&globe, &links, &flood);
        let area_m2 = Field::from_fn(globe.shape(), |c| globe.area_m2(c));
        assert_eq!(plain_flood(&globe, &links, &elevation), flood.filled, "one filled surface");

        let mut group = criterion.benchmark_group("fill");
        group.throughput(Throughput::Elements(globe.len() as u64)).sample_size(10);
        let mut bench = |name: &str, run: &mut dyn FnMut()| {
            group.bench_function(BenchmarkId::new(name, n), |b| b.iter(&mut *run));
        };
        bench("copy", &mut || drop(black_box(elevation.clone())));
        bench("links", &mut || drop(black_box(Links::planar(&globe, &elevation))));
        bench("plain_flood", &mut || drop(black_box(plain_flood(&globe, &links, &elevation))));
        bench("flood", &mut || drop(black_box(hydro::flood(&globe, &links, &elevation, sea))));
        bench("flood_one_outlet", &mut || {
            drop(black_box(hydro::flood(&globe, &links, &elevation, |_| false)))
        });
        bench("route", &mut || drop(black_box(hydro::route(&globe, &links, &flood))));
        bench("accumulate", &mut || drop(black_box(hydro::accumulate(&globe, &flow, &area_m2))));
        group.finish();
    }
}

criterion_group!(benches, water);
criterion_main!(benches);
