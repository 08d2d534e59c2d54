//! Surfaces that tests of statistics share, and the grain of lattices.

use super::*;
use grid::{Nth, Purpose, Seed, math};
use std::f64::consts::PI;

/// A window of a function of metres to the east and to the south.
pub(super) fn made(columns: usize, rows: usize, spacing_m: f64, z: impl Fn(f64, f64) -> f64) -> Heights {
    let at = |i: usize| z((i % columns) as f64 * spacing_m, (i / columns) as f64 * spacing_m) as f32;
    Heights::new((0..columns * rows).map(at).collect(), columns, spacing_m).expect("finite and large enough")
}

/// A square of 90 m samples without any preferred direction, whose profiles have the spectrum k^-beta: many plane waves
/// of wavelengths from 2.5 samples to twice the window.
pub(super) fn fractal(seed: u64, side: usize, beta: f64) -> Heights {
    let mut draw = Seed(seed).key(Purpose::new("test/fractal")).at(Nth(0));
    let mut z = vec![0.0f64; side * side];
    for _ in 0..1200 {
        let wavelength = 2.5 * math::pow(0.8 * side as f64, draw.unit());
        let (angle, phase) = (draw.range(0.0, 2.0 * PI), draw.range(0.0, 2.0 * PI));
        let k = 2.0 * PI / wavelength;
        let (kx, ky) = (k * math::cos(angle), k * math::sin(angle));
        let height = 20.0 * math::pow(k, 0.5 * (1.0 - beta));
        let (turn_c, turn_s) = (math::cos(kx), math::sin(kx));
        for (row, values) in z.chunks_mut(side).enumerate() {
            let start = phase + ky * row as f64;
            let (mut c, mut s) = (height * math::cos(start), height * math::sin(start));
            for value in values {
                *value += c;
                (c, s) = (c * turn_c - s * turn_s, c * turn_s + s * turn_c);
            }
        }
    }
    let values = z.into_iter().map(|z| z as f32).collect();
    Heights::new(values, side, 90.0).expect("finite and large enough")
}

/// The lower envelope of hillslopes over links between sites of a lattice of 8 samples, each site drained by the lowest of its
/// eight neighbours on a fractal; sites lie off their places by up to `jitter` of a spacing.
fn drained_lattice(seed: u64, side: usize, jitter: f64) -> Heights {
    const STEP: usize = 8;
    let target = fractal(seed, side, 3.2);
    let low = target.values_m().iter().copied().fold(f32::MAX, f32::min);
    let count = side / STEP + 1;
    let key = Seed(seed).key(Purpose::new("test/sites"));
    let site = |i: usize| {
        let mut draw = key.at(Nth(i as u32));
        let (column, row) = ((i % count) as f64, (i / count) as f64);
        let off = |draw: &mut grid::Draw| jitter * draw.range(-1.0, 1.0);
        (STEP as f64 * (column + off(&mut draw)), STEP as f64 * (row + off(&mut draw)))
    };
    let sites: Vec<(f64, f64)> = (0..count * count).map(site).collect();
    let z = |i: usize| {
        let inside = |v: f64| v.clamp(0.0, (side - 1) as f64) as usize;
        f64::from(target.values_m()[inside(sites[i].1) * side + inside(sites[i].0)] - low)
    };
    let near = |i: usize| {
        let (column, row) = (i % count, i / count);
        let around = move |at: usize| at.saturating_sub(1)..(at + 2).min(count);
        around(row).flat_map(move |r| around(column).map(move |c| r * count + c))
    };
    let lowest = |i: usize| near(i).min_by(|&a, &b| z(a).total_cmp(&z(b))).expect("itself at least");
    let links: Vec<(usize, usize)> = (0..sites.len()).map(|i| (i, lowest(i))).collect();
    let height = |x: f64, y: f64| {
        let cell = |v: f64| ((v / STEP as f64).round() as usize).min(count - 1);
        let home = cell(y) * count + cell(x);
        let mut best = f64::MAX;
        for link in near(home).flat_map(near).map(|i| links[i]) {
            let (a, b) = (sites[link.0], sites[link.1]);
            let (dx, dy) = (b.0 - a.0, b.1 - a.1);
            let length = (dx * dx + dy * dy).max(1e-9);
            let t = (((x - a.0) * dx + (y - a.1) * dy) / length).clamp(0.0, 1.0);
            let (ex, ey) = (x - a.0 - t * dx, y - a.1 - t * dy);
            best = best.min(math::mix(z(link.0), z(link.1), t) + 45.0 * (ex * ex + ey * ey).sqrt());
        }
        best
    };
    let heights = made(side, side, 1.0, height);
    Heights::new(heights.values_m().to_vec(), side, 90.0).expect("as before")
}

/// Amplitudes of gradients, valleys and channels over a few surfaces.
fn grain_of(surfaces: impl Iterator<Item = Heights>) -> [[f64; 3]; 3] {
    let grains: Vec<Grain> =
        surfaces.map(|h| Grain::of(&h, &Water::of(&h, Routing::Steepest), Axis::EAST, 0.5)).collect();
    let pooled = |of: fn(&Grain) -> &Directions| {
        Directions::pooled(grains.iter().map(of)).amplitudes().expect("directions")
    };
    [pooled(|g| &g.gradients), pooled(|g| &g.valleys), pooled(|g| &g.channels)]
}

#[test]
fn a_lattice_shows_and_an_isotropic_fractal_does_not() {
    let [gradients, valleys, channels] = grain_of((0..6).map(|seed| fractal(seed, 256, 3.2)));
    let fours_and_eights = |a: [f64; 3]| a[1].max(a[2]);
    // six windows are not many: strikes of hills remain; water adds the directions of D8
    assert!(gradients[0] < 0.12 && valleys[0] < 0.06, "{gradients:?} {valleys:?}");
    assert!(
        fours_and_eights(gradients) < 0.06 && fours_and_eights(valleys) < 0.03,
        "{gradients:?} {valleys:?}"
    );
    assert!(fours_and_eights(channels) < 0.12, "{channels:?}");
    // moved sites hide little where water prefers the diagonals
    for jitter in [0.0, 0.45] {
        let [gradients, valleys, channels] = grain_of((0..6).map(|seed| drained_lattice(seed, 256, jitter)));
        assert!(gradients[1] > 0.15 && valleys[1] > 0.5, "{gradients:?} {valleys:?}");
        assert!(fours_and_eights(channels) > 0.15, "{channels:?}");
    }
}
