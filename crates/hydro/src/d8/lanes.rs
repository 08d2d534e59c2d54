//! The steepest descent in single precision, for a row of cells at once; it knows where it is in doubt.
//!
//! Written as plain loops without branches, which compilers turn into vector instructions.

use crate::flow::NONE;

/// Neither a direction nor [`NONE`]: single precision cannot say which is the steepest.
pub(super) const DOUBT: u8 = 254;

/// Directions of the cells of a row but the first and the last. `around`: the elevations of the rows above, here
/// and below, two longer than `out`. `spacing_m` to the eight neighbours.
pub(super) fn steepest(spacing_m: &[f64; 8], around: [&[f32]; 3], out: &mut [u8]) {
    let is_square = (0..8).all(|d| {
        let expected_m = spacing_m[0] * if d % 2 == 0 { 1.0 } else { std::f64::consts::SQRT_2 };
        (spacing_m[d] - expected_m).abs() <= expected_m * 1e-9
    });
    let factor = factors(spacing_m);
    // The kernels write whole words: compilers would narrow every comparison to bytes one by one.
    let mut words = [0u32; AT_ONCE];
    for (k, part) in out.chunks_mut(AT_ONCE).enumerate() {
        let (first, words) = (k * AT_ONCE, &mut words[..part.len()]);
        let around = around.map(|row| &row[first..first + part.len() + 2]);
        let table = if is_square {
            of_squares(around, words);
            &FIRST
        } else {
            of_rectangles(around, &factor, words);
            &SINGLE
        };
        part.iter_mut().zip(&*words).for_each(|(to, &word)| *to = table[(word & 255) as usize]);
    }
}

/// Cells whose words stay in the nearest cache.
const AT_ONCE: usize = 256;

/// The first direction of a byte of equally steep ones, [`NONE`] of 0. Sides and corners never are: [`DOUBT`].
const FIRST: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut byte = 1;
    while byte < 256 {
        let is_mixed = byte & SIDES != 0 && byte & !SIDES != 0;
        table[byte] = if is_mixed { DOUBT } else { byte.trailing_zeros() as u8 };
        byte += 1;
    }
    table
};

/// Products below 2^-126 are rounded more coarsely than to 2^-24 of themselves.
const TINY: f32 = 1e-36;

/// Sides and corners.
const UNDECIDED: u32 = 255;

/// N, E, S and W.
const SIDES: usize = 0b0101_0101;

/// For each cell of a row of squares but the first and the last: the directions that are equally steep, and steeper
/// than all others; [`UNDECIDED`] where that is in doubt; 0 where no neighbour is lower.
///
/// Among the four sides, and among the four corners, the lowest is the steepest. Between them single precision
/// decides if the slopes differ by 2^-20 of themselves: a drop, the factor and their product are each rounded by
/// at most 2^-24. Two levels that differ could have equal slopes in `f64` if both are less than 2^-27 of the drop.
fn of_squares([up, here, down]: [&[f32]; 3], out: &mut [u32]) {
    const MORE: f32 = 1.0 + 1.0 / 1_048_576.0;
    const LEAST_OF_DROP: f32 = 1.0 / 67_108_864.0;
    let n = out.len();
    let [nw, no, ne] = [0, 1, 2].map(|i| &up[i..i + n]);
    let [we, z, ea] = [0, 1, 2].map(|i| &here[i..i + n]);
    let [sw, so, se] = [0, 1, 2].map(|i| &down[i..i + n]);
    let lowest = |around: [f32; 4]| {
        let mut low = f32::INFINITY;
        for z in around {
            low = if z < low { z } else { low };
        }
        let mut bits = 0;
        for (k, z) in around.into_iter().enumerate() {
            bits |= u32::from(z == low) << (2 * k);
        }
        (low, bits)
    };
    for i in 0..n {
        let z = z[i];
        let (side, sides) = lowest([no[i], ea[i], so[i], we[i]]);
        let (corner, corners) = lowest([ne[i], se[i], sw[i], nw[i]]);
        let corners = corners << 1;
        let (to_side, to_corner) = (z - side, z - corner);
        let slope = to_side * std::f32::consts::SQRT_2;
        let by_side = slope > to_corner * MORE + TINY && side.abs() > to_side * LEAST_OF_DROP;
        let by_corner = to_corner > slope * MORE + TINY && corner.abs() > to_corner * LEAST_OF_DROP;
        let keep_sides = if by_corner { 0 } else { sides };
        let keep_corners = if by_side { 0 } else { corners };
        let equals = keep_sides | keep_corners | if by_side || by_corner { 0 } else { UNDECIDED };
        let is_lower = to_side > 0.0 || to_corner > 0.0;
        out[i] = if is_lower { equals } else { 0 };
    }
}

/// The direction of a byte with one bit, [`NONE`] of 0, else [`DOUBT`].
const SINGLE: [u8; 256] = {
    let mut table = [DOUBT; 256];
    table[0] = NONE;
    let mut d = 0;
    while d < 8 {
        table[1 << d] = d as u8;
        d += 1;
    }
    table
};

/// Greatest spacing over each spacing: at least 1, so that no product with a drop vanishes.
fn factors(spacing_m: &[f64; 8]) -> [f32; 8] {
    let most_m = spacing_m.iter().fold(0.0, |most: f64, &s| most.max(s));
    spacing_m.map(|s| (most_m / s) as f32)
}

/// The directions whose slope comes within 2^-20 of the greatest, the steepest among them; 0 where no neighbour is
/// lower.
fn of_rectangles([up, here, down]: [&[f32]; 3], factor: &[f32; 8], out: &mut [u32]) {
    const NEAR: f32 = 1.0 - 1.0 / 1_048_576.0;
    let n = out.len();
    let [nw, no, ne] = [0, 1, 2].map(|i| &up[i..i + n]);
    let [we, z, ea] = [0, 1, 2].map(|i| &here[i..i + n]);
    let [sw, so, se] = [0, 1, 2].map(|i| &down[i..i + n]);
    for i in 0..n {
        let z = z[i];
        let around = [no[i], ne[i], ea[i], se[i], so[i], sw[i], we[i], nw[i]];
        let slope: [f32; 8] = std::array::from_fn(|d| (z - around[d]) * factor[d]);
        let most = slope.iter().fold(0.0, |most, &s| if s > most { s } else { most });
        let least = most * NEAR - TINY;
        let bits = slope.iter().enumerate().fold(0, |bits, (d, &s)| bits | u32::from(s >= least) << d);
        out[i] = if most > 0.0 { bits } else { 0 };
    }
}
