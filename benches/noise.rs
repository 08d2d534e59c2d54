//! Our noise beside the `noise` crate's: one octave, fBm and ridged multifractal of eight. Rows of our noise beside single
//! places of it, at wavelengths of 2 to 128 distances between places.
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

/// Places as in tiles: rows of 32 that lie aslant in the lattice.
fn rows(c: &mut Criterion) {
    const ROW: usize = 32;
    let ours = Noise::new(Seed(1).key(PURPOSE));
    let step = Vec3::new(0.77, 0.33, -0.55);
    let places: Vec<Vec3> = (0..1 << 16).map(|k: u32| step * f64::from(k)).collect();
    let (mut values, mut fours) = ([0.0; ROW], [[0.0; 4]; ROW]);
    for wavelength in [2, 4, 8, 16, 128] {
        let scale = 1.0 / f64::from(wavelength);
        let mut group = c.benchmark_group(format!("rows/{wavelength}"));
        group.throughput(Throughput::Elements(places.len() as u64)).sampling_mode(SamplingMode::Flat);
        group.bench_function("single", |b| b.iter(|| total(&places, |p| ours.at(p * scale))));
        group.bench_function("row", |b| {
            b.iter(|| {
                places.chunks(ROW).for_each(|at| ours.row(black_box(at), scale, &mut values));
                values[0]
            });
        });
        group.bench_function("single four", |b| {
            b.iter(|| total(&places, |p| f64::from(ours.four(p * scale)[0])));
        });
        group.bench_function("row of fours", |b| {
            b.iter(|| {
                places.chunks(ROW).for_each(|at| ours.row_of_fours(black_box(at), scale, &mut fours));
                fours[0]
            });
        });
    }
}

/// Thirty-two measurements in about a minute.
fn quick() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}

criterion_group! { name = benches; config = quick(); targets = one_octave, fbm, ridged, rows }
criterion_main!(benches);
