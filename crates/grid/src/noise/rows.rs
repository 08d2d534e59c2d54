//! Noise at many places, one after the other: a lattice cell's gradients are found once for all that follow one another
//! within it, and places are worked side by side. The bits are those of [`Noise::at`] and [`Noise::four`].

use super::{Fractal, GRADIENTS, Noise, fade, far_copies, four_between, split, turned};
use crate::Vec3;
use std::ops::{Add, Mul, Range, Sub};

/// Places that are prepared together.
const ROW: usize = 32;
/// Places worked side by side: two vectors of `f64`, or one of `f32`, where vectors are of 256 bits.
const LANES: usize = 8;
/// Four fields of fewer places are worked place by place, each field in its lane.
const FEW: usize = 4;

impl Noise {
    /// [`Noise::at`] of every place times `scale`. Where places that follow one another mostly share a lattice cell this takes
    /// a third of the time; where none do, nine tenths.
    ///
    /// # Panics
    /// If there is not a value for each place.
    pub fn row(&self, at: &[Vec3], scale: f64, out: &mut [f64]) {
        assert_eq!(at.len(), out.len(), "a value for each place");
        values(self, at, scale, out);
    }

    /// [`Noise::four`] of every place times `scale`, as [`Noise::row`].
    ///
    /// # Panics
    /// If there are not values for each place.
    pub fn row_of_fours(&self, at: &[Vec3], scale: f64, out: &mut [[f32; 4]]) {
        assert_eq!(at.len(), out.len(), "values for each place");
        fours(self, at, scale, out);
    }
}

/// Places of a fractal that are summed before the next.
const SUMMED: usize = 64;

impl Fractal {
    /// [`Fractal::fbm_partial`] of every place, as [`Noise::row`].
    ///
    /// # Panics
    /// If there is not a value for each place.
    pub fn fbm_partial_row(&self, at: &[Vec3], count: f64, out: &mut [f64]) {
        self.sums(at, partial(count), out);
    }

    /// [`Fractal::fbm_rest`] of every place, as [`Noise::row`].
    ///
    /// # Panics
    /// If there is not a value for each place.
    pub fn fbm_rest_row(&self, at: &[Vec3], first: usize, out: &mut [f64]) {
        self.sums(at, rest(first), out);
    }

    /// [`Fractal::vector_partial`] of every place, as [`Noise::row`].
    ///
    /// # Panics
    /// If there is not a value for each place.
    pub fn vector_partial_row(&self, at: &[Vec3], count: f64, out: &mut [Vec3]) {
        self.vectors(at, partial(count), out);
    }

    /// [`Fractal::vector_rest`] of every place, as [`Noise::row`].
    ///
    /// # Panics
    /// If there is not a value for each place.
    pub fn vector_rest_row(&self, at: &[Vec3], first: usize, out: &mut [Vec3]) {
        self.vectors(at, rest(first), out);
    }

    /// The weighted mean of the octaves, of each so much as its share (0 to 1) says.
    fn sums(&self, at: &[Vec3], share: impl Fn(usize) -> f64, out: &mut [f64]) {
        assert_eq!(at.len(), out.len(), "a value for each place");
        for (at, out) in at.chunks(SUMMED).zip(out.chunks_mut(SUMMED)) {
            let mut found = [0.0; SUMMED];
            let found = &mut found[..at.len()];
            out.fill(0.0);
            let (mut weight, mut amplitude, mut scale) = (0.0, 1.0, 1.0);
            for (k, octave) in self.octaves.iter().enumerate() {
                let share = share(k);
                if share > 0.0 {
                    octave.row(at, scale, found);
                    out.iter_mut().zip(&*found).for_each(|(sum, value)| *sum += value * (amplitude * share));
                }
                weight += amplitude;
                amplitude *= self.gain;
                scale *= 2.0;
            }
            out.iter_mut().for_each(|sum| *sum = if weight > 0.0 { *sum / weight } else { 0.0 });
        }
    }

    fn vectors(&self, at: &[Vec3], share: impl Fn(usize) -> f64, out: &mut [Vec3]) {
        assert_eq!(at.len(), out.len(), "a vector for each place");
        for (at, out) in at.chunks(SUMMED).zip(out.chunks_mut(SUMMED)) {
            let mut parts = [[0.0; SUMMED]; 3];
            for (axis, part) in parts.iter_mut().enumerate() {
                let mut copies = [Vec3::default(); SUMMED];
                copies.iter_mut().zip(at).for_each(|(copy, p)| *copy = far_copies(*p)[axis]);
                self.sums(&copies[..at.len()], &share, &mut part[..at.len()]);
            }
            for (k, out) in out.iter_mut().enumerate() {
                *out = Vec3::new(parts[0][k], parts[1][k], parts[2][k]);
            }
        }
    }
}

/// Shares of octaves of which the first `count` are there; a fraction fades the last one in.
fn partial(count: f64) -> impl Fn(usize) -> f64 {
    move |octave| (count - octave as f64).clamp(0.0, 1.0)
}

/// Shares of octaves that are there from number `first` on.
fn rest(first: usize) -> impl Fn(usize) -> f64 {
    move |octave| f64::from(u8::from(octave >= first))
}

/// As wide as the processor's vectors are; no operation is left out, fused or put in another order.
///
/// The attribute writes the one unsafe call there is: of the copies for AVX2 and AVX-512, and only where the processor was asked and has
/// it; the copy itself is safe code.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
#[allow(unsafe_code)]
fn values(noise: &Noise, at: &[Vec3], scale: f64, out: &mut [f64]) {
    for (at, out) in at.chunks(ROW).zip(out.chunks_mut(ROW)) {
        let row = Row::new(noise, at, scale);
        let mut found = [0.0; ROW + LANES];
        let mut start = 0;
        while let Some((run, hashes)) = row.run(noise, start) {
            let gradients = hashes.map(|pair| pair.map(|hash| GRADIENTS[(hash & 31) as usize]));
            for first in run.clone().step_by(LANES) {
                let [x, y, z] = row.lanes(first);
                // what stands over the end of the run is written again by the next
                let found = &mut found[first..first + LANES];
                for lane in 0..LANES {
                    let within = [x[lane], y[lane], z[lane]];
                    found[lane] = between(within, within.map(fade), &gradients);
                }
            }
            start = run.end;
        }
        out.copy_from_slice(&found[..at.len()]);
    }
}

/// See [`values`].
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
#[allow(unsafe_code)]
fn fours(noise: &Noise, at: &[Vec3], scale: f64, out: &mut [[f32; 4]]) {
    for (at, out) in at.chunks(ROW).zip(out.chunks_mut(ROW)) {
        let row = Row::new(noise, at, scale);
        let mut start = 0;
        while let Some((run, hashes)) = row.run(noise, start) {
            let gradients = turned(hashes);
            if run.len() < FEW {
                for k in run.clone() {
                    let [x, y, z] = &row.within;
                    out[k] = four_between([x[k], y[k], z[k]], &gradients);
                }
                start = run.end;
                continue;
            }
            for first in run.clone().step_by(LANES) {
                let within = row.lanes(first);
                let fades = within.map(|f| f.map(|f| fade(f) as f32));
                let within = within.map(|f| f.map(|f| f as f32));
                let mut found = [[0.0; LANES]; 4];
                for (field, found) in found.iter_mut().enumerate() {
                    let own = gradients.map(|pair| pair.map(|g| [g[0][field], g[1][field], g[2][field]]));
                    for lane in 0..LANES {
                        let [x, y, z] = [within[0][lane], within[1][lane], within[2][lane]];
                        found[lane] =
                            between([x, y, z], [fades[0][lane], fades[1][lane], fades[2][lane]], &own);
                    }
                }
                for (lane, out) in out[first..run.end].iter_mut().take(LANES).enumerate() {
                    *out = [found[0][lane], found[1][lane], found[2][lane], found[3][lane]];
                }
            }
            start = run.end;
        }
    }
}

/// Where places lie in the lattice.
struct Row {
    count: usize,
    cells: [[u64; 3]; ROW],
    /// From 0 to 1 within the cell, on each axis, with room for the lanes that stand over the end.
    within: [[f64; ROW + LANES]; 3],
}

impl Row {
    #[inline(always)]
    fn new(noise: &Noise, at: &[Vec3], scale: f64) -> Self {
        let mut row = Self { count: at.len(), cells: [[0; 3]; ROW], within: [[0.0; ROW + LANES]; 3] };
        for (k, at) in at.iter().enumerate() {
            let p = *at * scale + noise.offset;
            let [(ix, x), (iy, y), (iz, z)] = [split(p.x), split(p.y), split(p.z)];
            row.cells[k] = [ix, iy, iz];
            (row.within[0][k], row.within[1][k], row.within[2][k]) = (x, y, z);
        }
        row
    }

    /// The places from one on that share its cell, and the hashes of the cell's corners.
    #[inline(always)]
    fn run(&self, noise: &Noise, start: usize) -> Option<(Range<usize>, [[u64; 2]; 4])> {
        let cells = &self.cells[..self.count];
        let cell = cells.get(start)?;
        let others = cells[start..].iter().position(|other| other != cell);
        let run = start..others.map_or(self.count, |k| start + k);
        Some((run, noise.hashes(cell[0], cell[1], cell[2])))
    }

    #[inline(always)]
    fn lanes(&self, first: usize) -> [[f64; LANES]; 3] {
        let mut lanes = [[0.0; LANES]; 3];
        for (lanes, within) in lanes.iter_mut().zip(&self.within) {
            lanes.copy_from_slice(&within[first..first + LANES]);
        }
        lanes
    }
}

/// Noise at a place within a cell, from the gradients at its corners.
#[inline(always)]
fn between<T>([x, y, z]: [T; 3], [u, v, w]: [T; 3], gradients: &[[[T; 3]; 2]; 4]) -> T
where
    T: Copy + From<f32> + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    let one = T::from(1.0f32);
    let lerp = |a: T, b: T, t: T| a + (b - a) * t;
    let row = |[a, b]: &[[T; 3]; 2], y: T, z: T| {
        lerp(a[0] * x + a[1] * y + a[2] * z, b[0] * (x - one) + b[1] * y + b[2] * z, u)
    };
    let near = lerp(row(&gradients[0], y, z), row(&gradients[1], y - one, z), v);
    let far = lerp(row(&gradients[2], y, z - one), row(&gradients[3], y - one, z - one), v);
    lerp(near, far, w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Nth, Purpose, Seed};

    #[test]
    fn rows_of_fractals_have_the_bits_of_single_places() {
        let key = Seed(12).key(Purpose::new("test/fractal rows"));
        let mut draw = key.at(Nth(0));
        for case in 0..200u32 {
            let fractal = Fractal::new(key.within(Nth(case)), case % 7, draw.unit());
            let at: Vec<Vec3> =
                (0..case % 150).map(|k| draw.direction() * 9.0 + Vec3::new(f64::from(k), 0.0, 0.0)).collect();
            let (count, first) = (draw.range(0.0, 7.0), (case % 5) as usize);
            let mut found = [vec![0.0; at.len()], vec![0.0; at.len()]];
            fractal.fbm_partial_row(&at, count, &mut found[0]);
            fractal.fbm_rest_row(&at, first, &mut found[1]);
            let mut bent = [vec![Vec3::default(); at.len()], vec![Vec3::default(); at.len()]];
            fractal.vector_partial_row(&at, count, &mut bent[0]);
            fractal.vector_rest_row(&at, first, &mut bent[1]);
            let bits = |v: Vec3| [v.x, v.y, v.z].map(f64::to_bits);
            for (k, &p) in at.iter().enumerate() {
                assert_eq!(found[0][k].to_bits(), fractal.fbm_partial(p, count).to_bits(), "case {case}");
                assert_eq!(found[1][k].to_bits(), fractal.fbm_rest(p, first).to_bits(), "case {case}");
                assert_eq!(bits(bent[0][k]), bits(fractal.vector_partial(p, count)), "case {case}");
                assert_eq!(bits(bent[1][k]), bits(fractal.vector_rest(p, first)), "case {case}");
            }
        }
    }

    /// Rows of places at all distances, that turn where they like, with gaps that are nowhere.
    #[test]
    fn rows_have_the_bits_of_single_places() {
        let key = Seed(11).key(Purpose::new("test/rows"));
        let mut draw = key.at(Nth(0));
        for case in 0..2000u32 {
            let noise = Noise::new(key.within(Nth(case)));
            let scale = crate::math::pow(10.0, draw.range(-4.0, 1.0));
            let mut vector = |size: f64| {
                Vec3::new(draw.range(-size, size), draw.range(-size, size), draw.range(-size, size))
            };
            let (mut p, step) = (vector(1e7), vector(1.0));
            let count = (case % 71) as usize;
            let at: Vec<Vec3> = (0..count)
                .map(|k| {
                    p += step + vector(0.3);
                    if (case as usize + k) % 97 == 5 { Vec3 { y: f64::NAN, ..p } } else { p }
                })
                .collect();
            let (mut row, mut fours) = (vec![0.0; count], vec![[0.0; 4]; count]);
            noise.row(&at, scale, &mut row);
            noise.row_of_fours(&at, scale, &mut fours);
            for ((p, value), four) in at.iter().zip(row).zip(fours).filter(|of| of.0.0.y.is_finite()) {
                assert_eq!(value.to_bits(), noise.at(*p * scale).to_bits(), "case {case}");
                assert_eq!(four.map(f32::to_bits), noise.four(*p * scale).map(f32::to_bits), "case {case}");
            }
        }
    }
}
