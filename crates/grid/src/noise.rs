//! Lattice noise in `f64` that never repeats: gradient noise (Perlin 1985, 2002) over hashed coordinates.
//!
//! Perlin's permutation table repeats after 256 lattice steps, 15 km of 60 m noise. Here the three integer
//! coordinates go through a 64-bit hash, so the pattern does not repeat within 2^51 steps, and the fraction
//! within a lattice cell keeps the full precision of `f64` anywhere on a planet. Each octave has a key of its
//! own and its own offset, so octaves share neither zeros nor lattice.
//!
//! The gradients are the 32 vertices of an icosahedron and of a dodecahedron together. Both are spherical
//! designs of strength 5, so no axis is favoured in any moment up to the fifth; Perlin's twelve edges, four of
//! them taken twice, favour one axis in the second moment and all diagonals in the fourth.
//!
//! The code is laid out for plain x86-64 too, where `floor` is a call into a library and a vector of 64-bit
//! products is slow: lattice coordinates come from adding a power of two, hashes from the upper half of a
//! 128-bit product, which compilers leave scalar. It contains no choice that a platform could make otherwise.

mod rows;

use crate::key::{Key, finalise};
use crate::{Nth, Vec3};

/// Gradient noise of one key: mean 0, deviation 0.27, 99.9 % within -0.75 to 0.75, all within -1.23 to 1.23;
/// 0 at lattice points.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    hash: u64,
    offset: Vec3,
}

impl Noise {
    /// The noise of a key. The lattice is shifted by a fraction of a step that the key draws.
    pub fn new(key: Key) -> Self {
        let mut draw = key.at(Nth(0));
        let offset = Vec3::new(draw.unit(), draw.unit(), draw.unit());
        Self { hash: finalise(key.0), offset }
    }

    /// Noise of three dimensions, wavelength about 1.
    ///
    /// Coordinates up to 2^51 in size; the value at others is unspecified but finite for finite input.
    #[inline]
    pub fn at(&self, p: Vec3) -> f64 {
        self.value(p.x, p.y, p.z)
    }

    /// Takes numbers, not a vector: they travel in registers, and a vector just written in pieces of another
    /// width could not be read back without a stall that costs as much as the noise itself.
    #[inline(never)]
    fn value(&self, x: f64, y: f64, z: f64) -> f64 {
        let (ix, fx) = split(x + self.offset.x);
        let (iy, fy) = split(y + self.offset.y);
        let (iz, fz) = split(z + self.offset.z);
        let (u, v, w) = (fade(fx), fade(fy), fade(fz));
        let hashes = self.hashes(ix, iy, iz);
        let row = |hashes: [u64; 2], y: f64, z: f64| {
            let (a, b) = (&GRADIENTS[(hashes[0] & 31) as usize], &GRADIENTS[(hashes[1] & 31) as usize]);
            lerp(a[0] * fx + a[1] * y + a[2] * z, b[0] * (fx - 1.0) + b[1] * y + b[2] * z, u)
        };
        let near = lerp(row(hashes[0], fy, fz), row(hashes[1], fy - 1.0, fz), v);
        let far = lerp(row(hashes[2], fy, fz - 1.0), row(hashes[3], fy - 1.0, fz - 1.0), v);
        lerp(near, far, w)
    }

    /// Four fields at once, for about the price of one: each as [`Noise::at`] but in `f32`, and none tells of another.
    ///
    /// Where three of them are a displacement, no direction is favoured: at every lattice point their gradients are
    /// the rows of a rotation.
    #[inline]
    pub fn four(&self, p: Vec3) -> [f32; 4] {
        self.values(p.x, p.y, p.z)
    }

    #[inline(never)]
    fn values(&self, x: f64, y: f64, z: f64) -> [f32; 4] {
        let (ix, fx) = split(x + self.offset.x);
        let (iy, fy) = split(y + self.offset.y);
        let (iz, fz) = split(z + self.offset.z);
        four_between([fx, fy, fz], &turned(self.hashes(ix, iy, iz)))
    }

    /// Hashes of a lattice cell's corners: pairs along x, for (y, z), (y+1, z), (y, z+1), (y+1, z+1). The lowest
    /// five bits are good.
    ///
    /// y and z are added: an exclusive or of two products is the same for (y, z) and for (-y, -z) where both are
    /// odd. x turns both factors of the last product: with one factor fixed, columns two apart are related.
    #[inline(always)]
    fn hashes(&self, ix: u64, iy: u64, iz: u64) -> [[u64; 2]; 4] {
        let x0 = ix.wrapping_mul(SPREAD[0]);
        let y0 = iy.wrapping_mul(SPREAD[1]);
        let z0 = iz.wrapping_mul(SPREAD[2]);
        let [x1, y1, z1] =
            [x0.wrapping_add(SPREAD[0]), y0.wrapping_add(SPREAD[1]), z0.wrapping_add(SPREAD[2])];
        let (near, far) = (z0.wrapping_add(self.hash), z1.wrapping_add(self.hash));
        let (m0, m1) = ((x0 ^ MIX) | 1, (x1 ^ MIX) | 1);
        let pair = |yz: u64| {
            let (low, high) = product(yz, MIX);
            let column = low ^ high;
            [product(column ^ x0, m0).1, product(column ^ x1, m1).1]
        };
        [
            pair(y0.wrapping_add(near)),
            pair(y1.wrapping_add(near)),
            pair(y0.wrapping_add(far)),
            pair(y1.wrapping_add(far)),
        ]
    }
}

/// The gradients of four fields at the corners of a lattice cell, from the corners' hashes.
#[inline(always)]
fn turned(hashes: [[u64; 2]; 4]) -> [[&'static [[f32; 4]; 3]; 2]; 4] {
    hashes.map(|pair| pair.map(|hash| &ROTATIONS[(((hash & 0xffff) * 120) >> 16) as usize]))
}

/// Four fields at a place within a lattice cell, from the gradients at its corners.
#[inline(always)]
fn four_between([fx, fy, fz]: [f64; 3], gradients: &[[&[[f32; 4]; 3]; 2]; 4]) -> [f32; 4] {
    let (u, v, w) = (fade(fx) as f32, fade(fy) as f32, fade(fz) as f32);
    let (fx, fy, fz) = (fx as f32, fy as f32, fz as f32);
    let row = |[a, b]: &[&[[f32; 4]; 3]; 2], y: f32, z: f32| {
        let corner = |[gx, gy, gz]: &[[f32; 4]; 3], x: f32| four(|i| gx[i] * x + gy[i] * y + gz[i] * z);
        lerp4(corner(a, fx), corner(b, fx - 1.0), u)
    };
    let near = lerp4(row(&gradients[0], fy, fz), row(&gradients[1], fy - 1.0, fz), v);
    let far = lerp4(row(&gradients[2], fy, fz - 1.0), row(&gradients[3], fy - 1.0, fz - 1.0), v);
    lerp4(near, far, w)
}

/// Odd multipliers that spread lattice coordinates over 64 bits before they are mixed.
const SPREAD: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9];

const MIX: u64 = 0xd6e8_feb8_6659_fd93;

/// Both halves of a product. The lowest bits of the upper half depend on all bits of `h`.
#[inline(always)]
fn product(h: u64, odd: u64) -> (u64, u64) {
    let wide = u128::from(h) * u128::from(odd);
    (wide as u64, (wide >> 64) as u64)
}

/// The lattice coordinate below `x`, counted modulo 2^64 from a fixed origin, and the rest, from 0 to 1.
#[inline(always)]
fn split(x: f64) -> (u64, f64) {
    /// 1.5 x 2^52: a number of this size has no binary places left, so adding it rounds to whole numbers,
    /// which then stand in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = x + ROUND;
    let rest = x - (shifted - ROUND);
    let borrow = ((rest.to_bits() as i64) >> 63) as u64;
    (shifted.to_bits().wrapping_add(borrow), rest + f64::from_bits(borrow & 1.0f64.to_bits()))
}

/// Perlin's quintic, level and without curvature at both ends.
#[inline(always)]
fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[inline(always)]
fn lerp(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

static GRADIENTS: [[f64; 3]; 32] = gradients();

/// Vertices of an icosahedron (12) and of the dodecahedron on its faces (20), of length sqrt 2 like the edges
/// of Perlin's cube, so that the noise has the same deviation as his.
const fn gradients() -> [[f64; 3]; 32] {
    const PHI: f64 = 1.618_033_988_749_895;
    /// sqrt 2 / sqrt(1 + phi^2): the short half edge of the icosahedron's golden rectangles.
    const SHORT: f64 = 0.743_496_068_920_368_9;
    const LONG: f64 = SHORT * PHI;
    /// sqrt(2 / 3): the cube among the dodecahedron's vertices.
    const CUBE: f64 = 0.816_496_580_927_726;
    const SIGNS: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];
    let mut all = [[0.0; 3]; 32];
    let mut i = 0;
    while i < 4 {
        let [s, t] = SIGNS[i];
        all[i] = [0.0, s * SHORT, t * LONG];
        all[i + 4] = [t * LONG, 0.0, s * SHORT];
        all[i + 8] = [s * SHORT, t * LONG, 0.0];
        all[i + 12] = [0.0, t * CUBE * PHI, s * CUBE / PHI];
        all[i + 16] = [s * CUBE / PHI, 0.0, t * CUBE * PHI];
        all[i + 20] = [t * CUBE * PHI, s * CUBE / PHI, 0.0];
        all[i + 24] = [s * CUBE, t * CUBE, CUBE];
        all[i + 28] = [s * CUBE, t * CUBE, -CUBE];
        i += 1;
    }
    all
}

/// Four numbers side by side.
#[inline(always)]
fn four(f: impl Fn(usize) -> f32) -> [f32; 4] {
    [f(0), f(1), f(2), f(3)]
}

#[inline(always)]
fn lerp4(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    four(|i| a[i] + (b[i] - a[i]) * t)
}

/// x, y and z parts of four gradients of length sqrt 2, for each of 120 quaternions.
static ROTATIONS: [[[f32; 4]; 3]; 120] = rotations();

/// The 60 rotations of an icosahedron, each by both of its unit quaternions. The first three gradients are the
/// rows of the rotation; the fourth is a turned diagonal whose sign is the quaternion's, so that its products with
/// the others vanish in the mean.
const fn rotations() -> [[[f32; 4]; 3]; 120] {
    const ROOT2: f64 = std::f64::consts::SQRT_2;
    /// sqrt(2 / 3).
    const DIAGONAL: f64 = 0.816_496_580_927_726;
    let quaternions = icosians();
    let mut all = [[[0.0; 4]; 3]; 120];
    let mut i = 0;
    while i < 120 {
        let [w, x, y, z] = quaternions[i];
        let r = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        // the first part that is not zero tells a quaternion from its opposite
        let lead = if w != 0.0 {
            w
        } else if x != 0.0 {
            x
        } else if y != 0.0 {
            y
        } else {
            z
        };
        let sign = if lead > 0.0 { 1.0 } else { -1.0 };
        let mut axis = 0;
        while axis < 3 {
            let turned = (r[0][axis] + r[1][axis] + r[2][axis]) * DIAGONAL * sign;
            let of_row = [r[0][axis] * ROOT2, r[1][axis] * ROOT2, r[2][axis] * ROOT2];
            all[i][axis] = [of_row[0] as f32, of_row[1] as f32, of_row[2] as f32, turned as f32];
            axis += 1;
        }
        i += 1;
    }
    all
}

/// The 120 unit quaternions of the binary icosahedral group: 8 along the axes, 16 of halves, and 96 from the even
/// permutations of (phi, 1, 1 / phi, 0) / 2 with all signs.
const fn icosians() -> [[f64; 4]; 120] {
    const EVEN: [[usize; 4]; 12] = [
        [0, 1, 2, 3],
        [0, 2, 3, 1],
        [0, 3, 1, 2],
        [1, 0, 3, 2],
        [1, 2, 0, 3],
        [1, 3, 2, 0],
        [2, 0, 1, 3],
        [2, 1, 3, 0],
        [2, 3, 0, 1],
        [3, 0, 2, 1],
        [3, 1, 0, 2],
        [3, 2, 1, 0],
    ];
    const HALF_PHI: f64 = 0.809_016_994_374_947_4;
    const HALF_INVERSE: f64 = 0.309_016_994_374_947_4;
    let mut all = [[0.0; 4]; 120];
    let mut i = 0;
    while i < 16 {
        let mut k = 0;
        while k < 4 {
            all[i][k] = if i >> k & 1 == 0 { 0.5 } else { -0.5 };
            k += 1;
        }
        i += 1;
    }
    while i < 24 {
        all[i][(i - 16) / 2] = if i % 2 == 0 { 1.0 } else { -1.0 };
        i += 1;
    }
    while i < 120 {
        let (order, signs) = (EVEN[(i - 24) / 8], (i - 24) % 8);
        all[i][order[0]] = if signs & 1 == 0 { HALF_PHI } else { -HALF_PHI };
        all[i][order[1]] = if signs & 2 == 0 { 0.5 } else { -0.5 };
        all[i][order[2]] = if signs & 4 == 0 { HALF_INVERSE } else { -HALF_INVERSE };
        i += 1;
    }
    all
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

    /// What the octaves from number `first` on add to [`Fractal::fbm`]: with the first `first` alone it makes the whole.
    pub fn fbm_rest(&self, p: Vec3, first: usize) -> f64 {
        let (mut sum, mut weight, mut amplitude, mut scale) = (0.0, 0.0, 1.0, 1.0);
        for (k, octave) in self.octaves.iter().enumerate() {
            if k >= first {
                sum += octave.at(p * scale) * amplitude;
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
        self.vector_partial(p, self.octaves.len() as f64)
    }

    /// The same with the first `count` octaves only, as [`Fractal::fbm_partial`].
    pub fn vector_partial(&self, p: Vec3, count: f64) -> Vec3 {
        let [x, y, z] = far_copies(p);
        Vec3::new(self.fbm_partial(x, count), self.fbm_partial(y, count), self.fbm_partial(z, count))
    }

    /// What the octaves from number `first` on add to [`Fractal::vector`], as [`Fractal::fbm_rest`].
    pub fn vector_rest(&self, p: Vec3, first: usize) -> Vec3 {
        let [x, y, z] = far_copies(p);
        Vec3::new(self.fbm_rest(x, first), self.fbm_rest(y, first), self.fbm_rest(z, first))
    }
}

/// A place and two others so far off that their noise has nothing to do with its own.
fn far_copies(p: Vec3) -> [Vec3; 3] {
    const FAR: f64 = 7_919.37;
    [p, Vec3::new(p.x + FAR, p.y - FAR, p.z), Vec3::new(p.x, p.y + 2.0 * FAR, p.z - FAR)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Seed, math};

    fn noise() -> Noise {
        Noise::new(Seed(3).key(Purpose::new("test/lattice")))
    }

    #[test]
    fn it_is_zero_at_lattice_points() {
        let noise = Noise { offset: Vec3::default(), ..noise() };
        for i in -300..300 {
            let i = f64::from(i);
            assert_eq!(noise.at(Vec3::new(i, 3.0 * i - 7.0, 1e9 - i)), 0.0);
        }
    }

    #[test]
    fn coordinates_split_as_floor_does() {
        let (origin, zero) = split(0.0);
        assert_eq!(zero, 0.0);
        let wholes = [0.0, 1.0, 2.0, -1.0, -2.0, 1e7, -1e7, 1e15, -1e15, 2_251_799_813_685_247.0];
        for x in wholes.into_iter().flat_map(|w| [w, w + 0.25, w + 0.5, w + 0.75, w - 1e-7, w + 1e-7]) {
            let (lattice, rest) = split(x);
            assert_eq!(lattice.wrapping_sub(origin) as i64, x.floor() as i64, "{x}");
            assert_eq!(rest, x - x.floor(), "{x}");
        }
        assert_eq!(split(-1e-300), (origin.wrapping_sub(1), 1.0));
    }

    #[test]
    fn gradients_are_isotropic_to_the_fifth_moment() {
        let mean = |f: &dyn Fn(&[f64; 3]) -> f64| GRADIENTS.iter().map(f).sum::<f64>() / 32.0;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-14;
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8], [0.48, -0.64, 0.6]];
        for axis in axes {
            let along = |g: &[f64; 3]| g[0] * axis[0] + g[1] * axis[1] + g[2] * axis[2];
            // Means of powers of one coordinate over a sphere of radius sqrt 2: 2/3 and 4/5; odd ones vanish.
            assert!(near(mean(&|g| along(g)), 0.0) && near(mean(&|g| along(g) * along(g)), 2.0 / 3.0));
            assert!(near(mean(&|g| along(g) * along(g) * along(g)), 0.0));
            assert!(near(mean(&|g| along(g) * along(g) * along(g) * along(g)), 0.8));
        }
        for (i, a) in GRADIENTS.iter().enumerate() {
            let dot = |b: &[f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            assert!(near(dot(a), 2.0));
            assert!(GRADIENTS.iter().skip(i + 1).all(|b| dot(b) < 1.6), "{a:?} has a twin");
        }
    }

    /// The gradient at a lattice point.
    fn index(noise: &Noise, x: i64, y: i64, z: i64) -> usize {
        (noise.hashes(x as u64, y as u64, z as u64)[0][0] & 31) as usize
    }

    /// Chi-square over 32 x 32 pairs, in deviations from what chance gives.
    fn dependence(pairs: impl Iterator<Item = (usize, usize)>) -> f64 {
        let mut counts = [0.0f64; 1_024];
        pairs.for_each(|(a, b)| counts[a * 32 + b] += 1.0);
        let expected = counts.iter().sum::<f64>() / 1_024.0;
        let chi2: f64 = counts.iter().map(|c| (c - expected) * (c - expected) / expected).sum();
        (chi2 - 1_023.0) / f64::sqrt(2.0 * 1_023.0)
    }

    #[test]
    fn gradients_of_neighbours_are_independent() {
        let noise = noise();
        let places = || (0..1i64 << 21).map(|i| (i % 128 - 64, i / 128 % 128 - 64, i / 16_384 - 64));
        for (dx, dy, dz) in
            [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (2, 0, 0), (0, 1, -1), (64, 0, 0)]
        {
            let pairs =
                places().map(|(x, y, z)| (index(&noise, x, y, z), index(&noise, x + dx, y + dy, z + dz)));
            let d = dependence(pairs);
            assert!(d.abs() < 5.0, "({dx}, {dy}, {dz}): {d} deviations");
        }
    }

    /// Coordinates enter by sums and exclusive or; nothing of that may be left in the gradients around a square.
    #[test]
    fn gradients_around_a_square_are_independent() {
        let noise = noise();
        let places = || (0..1i64 << 21).map(|i| (i % 128 - 64, i / 128 % 128 - 64, i / 16_384 - 64));
        for (a, b) in [([1, 0, 0], [0, 1, 0]), ([1, 0, 0], [0, 0, 1]), ([0, 1, 0], [0, 0, 1])] {
            let corner = |p: (i64, i64, i64), s: i64, t: i64| {
                index(&noise, p.0 + s * a[0] + t * b[0], p.1 + s * a[1] + t * b[1], p.2 + s * a[2] + t * b[2])
            };
            let xors =
                places().map(|p| (corner(p, 0, 0) ^ corner(p, 1, 0), corner(p, 0, 1) ^ corner(p, 1, 1)));
            assert!(dependence(xors).abs() < 5.0, "{a:?} {b:?}");
            let sums = places().map(|p| {
                let (one, two) =
                    (corner(p, 0, 0) + 32 - corner(p, 1, 0), corner(p, 0, 1) + 32 - corner(p, 1, 1));
                (one % 32, two % 32)
            });
            assert!(dependence(sums).abs() < 5.0, "{a:?} {b:?}");
        }
    }

    /// Products of two quaternions are again among the 120: what was listed is the group.
    #[test]
    fn icosians_are_a_group() {
        let all = icosians();
        let product = |a: &[f64; 4], b: &[f64; 4]| {
            [
                a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
            ]
        };
        let dot = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for (i, a) in all.iter().enumerate() {
            assert_eq!(all.iter().filter(|b| dot(a, b) > 1.0 - 1e-12).count(), 1, "{i} has a twin");
            for b in &all {
                let c = product(a, b);
                assert!(all.iter().any(|d| dot(&c, d) > 1.0 - 1e-12), "{c:?} is missing");
            }
        }
    }

    #[test]
    fn the_four_gradients_are_isotropic_and_tell_nothing_of_each_other() {
        let part = |rotation: &[[f32; 4]; 3], field: usize, axis: &[f64; 3]| {
            (0..3).map(|k| f64::from(rotation[k][field]) * axis[k]).sum::<f64>()
        };
        let mean = |f: &dyn Fn(&[[f32; 4]; 3]) -> f64| ROTATIONS.iter().map(f).sum::<f64>() / 120.0;
        // the table is in f32
        let near = |a: f64, b: f64| (a - b).abs() < 1e-7;
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8], [0.48, -0.64, 0.6]];
        for (field, axis) in (0..4).flat_map(|f| axes.iter().map(move |a| (f, a))) {
            assert!(near(mean(&|r| part(r, field, axis)), 0.0));
            assert!(near(mean(&|r| math::pow(part(r, field, axis), 2.0)), 2.0 / 3.0));
            assert!(near(mean(&|r| math::pow(part(r, field, axis), 4.0)), 0.8));
            for (other, along) in (0..field).flat_map(|f| axes.iter().map(move |a| (f, a))) {
                assert!(
                    near(mean(&|r| part(r, field, axis) * part(r, other, along)), 0.0),
                    "{field} {other}"
                );
            }
        }
    }

    #[test]
    fn the_four_are_smooth_and_of_the_size_of_one() {
        let noise = noise();
        let place =
            |i: u32| Vec3::new(f64::from(i) * 0.377, f64::from(i % 611) * 0.59, f64::from(i % 97) * 1.13);
        let mut squares = [[0.0; 4]; 4];
        let n = 200_000;
        for p in (0..n).map(place) {
            let [here, there] = [p, p + Vec3::new(1e-6, -1e-6, 1e-6)].map(|p| noise.four(p).map(f64::from));
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                squares[a][b] += here[a] * here[b] / f64::from(n);
            }
            assert!(here.iter().zip(there).all(|(a, b)| a.abs() < 1.23 && (a - b).abs() < 2e-5));
        }
        for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
            let expected = if a == b { 0.27 * 0.27 } else { 0.0 };
            assert!((squares[a][b] - expected).abs() < 0.004, "{a} {b}: {}", squares[a][b]);
        }
    }

    #[test]
    fn the_corners_of_a_cell_are_those_of_its_neighbours() {
        let noise = noise();
        for i in 0..1_000u64 {
            let (x, y, z) = (i, i.wrapping_mul(7).wrapping_sub(500), 9_000 - i);
            let here = noise.hashes(x, y, z);
            let base = |x, y, z| noise.hashes(x, y, z)[0][0];
            let y1 = y.wrapping_add(1);
            assert_eq!(here[0], [base(x, y, z), base(x + 1, y, z)]);
            assert_eq!(here[1], [base(x, y1, z), base(x + 1, y1, z)]);
            assert_eq!(here[2], [base(x, y, z + 1), base(x + 1, y, z + 1)]);
            assert_eq!(here[3], [base(x, y1, z + 1), base(x + 1, y1, z + 1)]);
        }
    }
}
