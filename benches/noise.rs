//! Our noise beside the `noise` crate's: one octave, fBm and ridged multifractal of eight.
//!
//! A sample is one value at a place of three dimensions. Places are a square lattice, row by row, with 16
//! samples to the longest wavelength of one octave and 256 to that of eight, so that the shortest has two.

#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

use ::noise::{Fbm, MultiFractal, NoiseFn, Perlin, RidgedMulti};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use grid::noise::{Fractal, Noise};
use grid::{Purpose, Seed, Vec3};
use std::hint::black_box;
use std::time::Duration;

const SIDES: [u32; 2] = [256, 1_024];
const OCTAVES: u32 = 8;
const PURPOSE: Purpose = Purpose::new("bench/noise");

/// A lattice of `side` x `side` places with `spacing` between them.
fn lattice(side: u32, spacing: f64) -> Vec<Vec3> {
    let place = |i: u32| Vec3::new(f64::from(i % side) * spacing, f64::from(i / side) * spacing, 0.4);
    (0..side * side).map(place).collect()
}

/// The sum of the noise over all places.
fn total(places: &[Vec3], noise: impl Fn(Vec3) -> f64) -> f64 {
    places.iter().map(|&p| noise(black_box(p))).sum()
}

fn one_octave(c: &mut Criterion) {
    let ours = Noise::new(Seed(1).key(PURPOSE));
    let theirs = Perlin::new(1);
    for side in SIDES {
        let places = lattice(side, 1.0 / 16.0);
        let mut group = c.benchmark_group(format!("one octave/{side}"));
        group.throughput(Throughput::Elements(places.len() as u64)).sampling_mode(SamplingMode::Flat);
        group.bench_function("grid", |b| b.iter(|| total(&places, |p| ours.at(p))));
        group.bench_function("noise", |b| b.iter(|| total(&places, |p| theirs.get([p.x, p.y, p.z]))));
    }
}

fn fbm(c: &mut Criterion) {
    let ours = Fractal::new(Seed(1).key(PURPOSE), OCTAVES, 0.5);
    let theirs = Fbm::<Perlin>::new(1).set_octaves(OCTAVES as usize).set_lacunarity(2.0);
    for side in SIDES {
        let places = lattice(side, 1.0 / 256.0);
        let mut group = c.benchmark_group(format!("fbm of 8/{side}"));
        group.throughput(Throughput::Elements(places.len() as u64)).sampling_mode(SamplingMode::Flat);
        group.bench_function("grid", |b| b.iter(|| total(&places, |p| ours.fbm(p))));
        group.bench_function("noise", |b| b.iter(|| total(&places, |p| theirs.get([p.x, p.y, p.z]))));
    }
}

fn ridged(c: &mut Criterion) {
    let ours = Fractal::new(Seed(1).key(PURPOSE), OCTAVES, 0.5);
    let theirs = RidgedMulti::<Perlin>::new(1).set_octaves(OCTAVES as usize).set_lacunarity(2.0);
    for side in SIDES {
        let places = lattice(side, 1.0 / 256.0);
        let mut group = c.benchmark_group(format!("ridged of 8/{side}"));
        group.throughput(Throughput::Elements(places.len() as u64)).sampling_mode(SamplingMode::Flat);
        group.bench_function("grid", |b| b.iter(|| total(&places, |p| ours.ridged(p))));
        group.bench_function("noise", |b| b.iter(|| total(&places, |p| theirs.get([p.x, p.y, p.z]))));
    }
}

/// Twelve measurements in under half a minute.
fn quick() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}

criterion_group! { name = benches; config = quick(); targets = one_octave, fbm, ridged }
criterion_main!(benches);
