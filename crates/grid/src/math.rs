//! Portable maths: the same bits on every machine.
//!
//! `f64::sin` and its kin call the platform's library, whose last bits differ between processors. The
//! functions here come from the `libm` crate, which is compiled with the program. Addition,
//! multiplication, division, `sqrt`, `floor` and comparison are exact by IEEE 754 and need no wrapper.

use std::f64::consts::PI;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

pub use libm::{
    acos, asin, atan, atan2, atanh, cbrt, cos, cosh, exp, ldexp, log, log2, log10, pow, sin, sinh, tan, tanh,
};

/// A vector of three `f64`: a position (a unit vector on a globe, metres on a flat map), or a displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    /// First component: towards longitude 0 on the equator, or east in metres.
    pub x: f64,
    /// Second component: towards longitude 90 on the equator, or north in metres.
    pub y: f64,
    /// Third component: towards the north pole; 0 on a flat map.
    pub z: f64,
}

impl Vec3 {
    /// The vector with these components.
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    /// Scalar product.
    #[inline]
    pub fn dot(self, o: Self) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Vector product.
    #[inline]
    pub fn cross(self, o: Self) -> Self {
        Self::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    /// Squared length.
    #[inline]
    pub fn length_squared(self) -> f64 {
        self.dot(self)
    }

    /// Length.
    #[inline]
    pub fn length(self) -> f64 {
        self.length_squared().sqrt()
    }

    /// Straight distance to another point.
    #[inline]
    pub fn distance(self, o: Self) -> f64 {
        (self - o).length()
    }

    /// The vector of length 1 in the same direction; the zero vector stays as it is.
    #[inline]
    pub fn normalized(self) -> Self {
        let length = self.length();
        if length > 0.0 { self / length } else { self }
    }

    /// The point at `t` of the way to `o`.
    #[inline]
    pub fn lerp(self, o: Self, t: f64) -> Self {
        self + (o - self) * t
    }
}

impl Add for Vec3 {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl AddAssign for Vec3 {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Sub for Vec3 {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl Mul<f64> for Vec3 {
    type Output = Self;
    #[inline]
    fn mul(self, k: f64) -> Self {
        Self::new(self.x * k, self.y * k, self.z * k)
    }
}

impl Div<f64> for Vec3 {
    type Output = Self;
    #[inline]
    fn div(self, k: f64) -> Self {
        Self::new(self.x / k, self.y / k, self.z / k)
    }
}

impl Neg for Vec3 {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

/// The angle between two unit vectors, in radians; accurate for small and for large angles.
pub fn angle(a: Vec3, b: Vec3) -> f64 {
    atan2(a.cross(b).length(), a.dot(b))
}

/// The unit vector at a longitude and a latitude in degrees.
pub fn from_lon_lat(lon_deg: f64, lat_deg: f64) -> Vec3 {
    let (lon, lat) = (lon_deg * (PI / 180.0), lat_deg * (PI / 180.0));
    let c = cos(lat);
    Vec3::new(c * cos(lon), c * sin(lon), sin(lat))
}

/// Longitude (-180 to 180) and latitude (-90 to 90), in degrees, of a vector of any length but zero.
pub fn to_lon_lat(p: Vec3) -> (f64, f64) {
    let lat = atan2(p.z, (p.x * p.x + p.y * p.y).sqrt());
    (atan2(p.y, p.x) * (180.0 / PI), lat * (180.0 / PI))
}

/// Two unit vectors that span the plane at right angles to the unit vector `n`.
///
/// The frame is continuous except at the poles, where the first vector changes over.
pub fn tangent_frame(n: Vec3) -> (Vec3, Vec3) {
    let pole = if n.z.abs() < 0.9 { Vec3::new(0.0, 0.0, 1.0) } else { Vec3::new(1.0, 0.0, 0.0) };
    let u = pole.cross(n).normalized();
    (u, n.cross(u))
}

/// The nearest whole number, halves away from zero: the bits of [`f64::round`], which on plain x86-64 is a call into a
/// library.
#[inline(always)]
pub fn round(x: f64) -> f64 {
    /// 2^52: numbers of this size have no binary places left.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let size = x.abs();
    let even = (size + WHOLE) - WHOLE;
    let near = if size - even == 0.5 { even + 1.0 } else { even };
    if size < WHOLE { near.copysign(x) } else { x }
}

/// [`round`] of `f32`.
#[inline(always)]
pub fn round_f32(x: f32) -> f32 {
    /// 2^23.
    const WHOLE: f32 = 8_388_608.0;
    let size = x.abs();
    let even = (size + WHOLE) - WHOLE;
    let near = if size - even == 0.5 { even + 1.0 } else { even };
    if size < WHOLE { near.copysign(x) } else { x }
}

/// The greatest whole number that is not greater: the bits of [`f32::floor`], likewise.
#[inline(always)]
pub fn floor_f32(x: f32) -> f32 {
    /// 2^23.
    const WHOLE: f32 = 8_388_608.0;
    let size = x.abs();
    let near = ((size + WHOLE) - WHOLE).copysign(x);
    let below = if near > x { near - 1.0 } else { near };
    if size < WHOLE { below } else { x }
}

/// 0 below `low`, 1 above `high`, and a cubic with level ends in between (the "smoothstep").
#[inline]
pub fn smoothstep(low: f64, high: f64, x: f64) -> f64 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The value at `t` of the way from `a` to `b`.
pub fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longitude_and_latitude_come_back() {
        for lon in [-179.0, -90.0, -0.5, 0.0, 33.3, 180.0] {
            for lat in [-89.0, -45.0, 0.0, 12.25, 89.9] {
                let (lo, la) = to_lon_lat(from_lon_lat(lon, lat));
                assert!((lo - lon).abs() < 1e-11 && (la - lat).abs() < 1e-11, "{lon} {lat} -> {lo} {la}");
            }
        }
    }

    #[test]
    fn rounding_has_the_bits_of_the_library() {
        let mut bits = 1u64;
        for k in 0..2_000_000u32 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (any, small) = (f64::from_bits(bits), f64::from(bits as i32) / f64::from(1 << (k % 31)));
            for x in [any, small, small + 0.5, f64::from(k) + 0.5, -f64::from(k) - 0.5, small.round()] {
                assert!(x.is_nan() || round(x).to_bits() == x.round().to_bits(), "{x}");
                let x = x as f32;
                assert!(x.is_nan() || round_f32(x).to_bits() == x.round().to_bits(), "{x}");
                assert!(x.is_nan() || floor_f32(x).to_bits() == x.floor().to_bits(), "{x}");
            }
        }
        for x in [0.0, 0.5, 0.499_999_999_999_999_94, 4_503_599_627_370_495.5, 9.1e15, f64::INFINITY] {
            for x in [x, -x] {
                assert_eq!(round(x).to_bits(), x.round().to_bits(), "{x}");
                assert_eq!(round_f32(x as f32).to_bits(), (x as f32).round().to_bits(), "{x}");
                assert_eq!(floor_f32(x as f32).to_bits(), (x as f32).floor().to_bits(), "{x}");
            }
        }
        assert!(round(f64::NAN).is_nan() && round_f32(f32::NAN).is_nan());
    }

    #[test]
    fn angle_is_exact_for_tiny_steps() {
        let a = from_lon_lat(10.0, 20.0);
        let b = from_lon_lat(10.0, 20.0 + 1e-7);
        assert!((angle(a, b) - 1e-7 * PI / 180.0).abs() < 1e-15);
    }

    #[test]
    fn tangent_frames_are_orthonormal() {
        for (lon, lat) in [(0.0, 0.0), (50.0, 63.0), (50.0, 65.0), (-120.0, 90.0), (7.0, -88.0)] {
            let n = from_lon_lat(lon, lat);
            let (u, v) = tangent_frame(n);
            assert!(u.dot(v).abs() < 1e-15 && u.dot(n).abs() < 1e-15 && v.dot(n).abs() < 1e-15);
            assert!((u.cross(v) - n).length() < 1e-14);
        }
    }
}
