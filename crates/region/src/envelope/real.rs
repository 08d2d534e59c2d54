//! One formula in two precisions.

use std::ops::{Add, Div, Mul, Sub};

/// What the envelope's formulas need of a number: `f64` to give values, `f32` to leave out what cannot count.
pub(super) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + std::fmt::Debug
{
    /// The nearest number to this one.
    fn of(x: f64) -> Self;
    /// Square root.
    fn root(self) -> Self;
    /// Absolute value.
    fn size(self) -> Self;
}

impl Real for f64 {
    #[inline(always)]
    fn of(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn size(self) -> Self {
        self.abs()
    }
}

impl Real for f32 {
    #[inline(always)]
    fn of(x: f64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn size(self) -> Self {
        self.abs()
    }
}

/// The lesser; the second where they cannot be compared. A plain choice, which vectors have as one instruction.
#[inline(always)]
pub(super) fn least<R: Real>(a: R, b: R) -> R {
    if a < b { a } else { b }
}

/// The greater; the second where they cannot be compared.
#[inline(always)]
pub(super) fn most<R: Real>(a: R, b: R) -> R {
    if a > b { a } else { b }
}
