//! Rasters at half their size: what stands for two by two samples.

use crate::stream::Kind;

/// What stands for four samples, the north-western one first: of quantities the mean of those that are numbers, of classes the
/// first.
pub(crate) fn one_of(four: [f32; 4], kind: Kind) -> f32 {
    if kind == Kind::Class {
        return four[0];
    }
    let numbers = four.iter().filter(|v| !v.is_nan());
    let count = numbers.clone().count();
    let sum: f64 = numbers.map(|&v| f64::from(v)).sum();
    if count == 0 { f32::NAN } else { (sum / count as f64) as f32 }
}

/// Puts a square of samples at half its size into another of the same side, at a column and a row.
pub(crate) fn halve(
    from: &[f32],
    kind: Kind,
    (into, side): (&mut [f32], usize),
    (left, top): (usize, usize),
) {
    for y in 0..side / 2 {
        for x in 0..side / 2 {
            let at = 2 * y * side + 2 * x;
            let four = [from[at], from[at + 1], from[at + side], from[at + side + 1]];
            into[(top + y) * side + left + x] = one_of(four, kind);
        }
    }
}
