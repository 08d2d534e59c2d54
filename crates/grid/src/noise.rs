//! Lattice noise in `f64` that never repeats: gradient noise (Perlin 1985, 2002) over hashed coordinates.
//!
//! Perlin's permutation table repeats after 256 lattice steps, 15 km of 60 m noise. Here the three integer
//! coordinates go through a 64-bit hash, so the pattern does not repeat within 2^53 steps, and the fraction
//! within a lattice cell keeps the full precision of `f64` anywhere on a planet. Each octave has a key of its
//! own and its own offset, so octaves share neither zeros nor lattice.

use crate::key::{Key, finalise};
use crate::{Nth, Vec3};

/// Gradient noise of one key: mean 0, deviation about 0.26, within -1.1 to 1.1; 0 at lattice points.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    hash: u64,
    offset: Vec3,
}

/// Odd multipliers that spread lattice coordinates over 64 bits before they are mixed.
const SPREAD: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9];

impl Noise {
    /// The noise of a key. The lattice is shifted by a fraction of a step that the key draws.
    pub fn new(key: Key) -> Self {
        let mut draw = key.at(Nth(0));
        let offset = Vec3::new(draw.unit(), draw.unit(), draw.unit());
        Self { hash: finalise(key.0), offset }
    }

    /// Noise of three dimensions, wavelength about 1.
    ///
    /// Coordinates up to 2^52 in size; the value at others is unspecified but finite for finite input.
    pub fn at(&self, p: Vec3) -> f64 {
        let p = p + self.offset;
        let (x, y, z) = (p.x.floor(), p.y.floor(), p.z.floor());
        let (fx, fy, fz) = (p.x - x, p.y - y, p.z - z);
        let [hx, hy, hz] = [axis(x, 0), axis(y, 1), axis(z, 2)];
        let (u, v, w) = (fade(fx), fade(fy), fade(fz));
        let corner = |i: usize, j: usize, k: usize| {
            let hash = mix_hash(self.hash ^ hx[i] ^ hy[j] ^ hz[k]);
            gradient(hash, fx - i as f64, fy - j as f64, fz - k as f64)
        };
        let row = |j, k| lerp(corner(0, j, k), corner(1, j, k), u);
        let plane = |k| lerp(row(0, k), row(1, k), v);
        lerp(plane(0), plane(1), w)
    }
}

/// The spread hashes of a lattice coordinate and of the next one.
fn axis(coordinate: f64, dimension: usize) -> [u64; 2] {
    let i = coordinate as i64 as u64;
    [i.wrapping_mul(SPREAD[dimension]), i.wrapping_add(1).wrapping_mul(SPREAD[dimension])]
}

/// One multiply-and-shift round over the joined coordinates: enough for picking one of 16 gradients.
fn mix_hash(mut h: u64) -> u64 {
    h = (h ^ (h >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    h ^= h >> 32;
    h.wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Perlin's quintic, level and without curvature at both ends.
fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn lerp(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// Scalar product with one of the twelve edge directions of a cube (four of them twice), by the top bits.
fn gradient(hash: u64, x: f64, y: f64, z: f64) -> f64 {
    const EDGES: [[f64; 3]; 16] = [
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
        [1.0, -1.0, 0.0],
        [-1.0, -1.0, 0.0],
        [1.0, 0.0, 1.0],
        [-1.0, 0.0, 1.0],
        [1.0, 0.0, -1.0],
        [-1.0, 0.0, -1.0],
        [0.0, 1.0, 1.0],
        [0.0, -1.0, 1.0],
        [0.0, 1.0, -1.0],
        [0.0, -1.0, -1.0],
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
        [0.0, -1.0, 1.0],
        [0.0, -1.0, -1.0],
    ];
    let g = &EDGES[(hash >> 60) as usize];
    g[0] * x + g[1] * y + g[2] * z
}

/// Noise summed over octaves, each half as long as the one before.
#[derive(Clone, Debug)]
pub struct Fractal {
    octaves: Vec<Noise>,
    /// Amplitude of an octave relative to the one before it.
    gain: f64,
}

impl Fractal {
    /// `octaves` octaves under a key, each `gain` times as strong as the one before.
    pub fn new(key: Key, octaves: u32, gain: f64) -> Self {
        Self { octaves: (0..octaves).map(|k| Noise::new(key.within(Nth(k)))).collect(), gain }
    }

    /// Number of octaves.
    pub fn octaves(&self) -> usize {
        self.octaves.len()
    }

    /// Fractional Brownian motion (Musgrave 1994): the weighted mean of the octaves, so of the size of one.
    pub fn fbm(&self, p: Vec3) -> f64 {
        self.fbm_partial(p, self.octaves.len() as f64)
    }

    /// The same with the first `count` octaves only; a fraction fades the last one in. Normalised as if all
    /// were there, so that adding octaves adds detail and changes nothing else.
    pub fn fbm_partial(&self, p: Vec3, count: f64) -> f64 {
        let (mut sum, mut weight, mut amplitude, mut scale) = (0.0, 0.0, 1.0, 1.0);
        for (k, octave) in self.octaves.iter().enumerate() {
            let share = (count - k as f64).clamp(0.0, 1.0);
            if share > 0.0 {
                sum += octave.at(p * scale) * (amplitude * share);
            }
            weight += amplitude;
            amplitude *= self.gain;
            scale *= 2.0;
        }
        if weight > 0.0 { sum / weight } else { 0.0 }
    }

    /// Ridged multifractal (Musgrave 1994), from 0 to about 1: sharp crests where octaves cross zero, and
    /// detail that grows with height.
    pub fn ridged(&self, p: Vec3) -> f64 {
        let (mut sum, mut total, mut amplitude, mut scale, mut weight) = (0.0, 0.0, 1.0, 1.0, 1.0);
        for octave in &self.octaves {
            let crest = 1.0 - octave.at(p * scale).abs() * 1.6;
            let signal = crest.max(0.0) * crest.max(0.0) * weight;
            sum += signal * amplitude;
            total += amplitude;
            weight = (signal * 2.0).clamp(0.0, 1.0);
            amplitude *= self.gain;
            scale *= 2.0;
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// Three independent fields as a vector, for bending space: x from `p`, y and z from far-off copies.
    pub fn vector(&self, p: Vec3) -> Vec3 {
        const FAR: f64 = 7_919.37;
        Vec3::new(
            self.fbm(p),
            self.fbm(Vec3::new(p.x + FAR, p.y - FAR, p.z)),
            self.fbm(Vec3::new(p.x, p.y + 2.0 * FAR, p.z - FAR)),
        )
    }
}
