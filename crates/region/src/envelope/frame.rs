//! The plane on which a tile is worked.

use grid::{Vec3, math};

/// A plane that touches the globe at a tile's centre: places in metres become pairs of metres, and back.
///
/// On a globe of radius R a place at the distance r from the centre is projected straight onto the plane, then
/// moved out by the factor 1 + r^2 / (8 R^2). Lengths there are off by at most r^2 / (8 R^2) along and across: 3e-9
/// at 1 km, 3e-5 at 100 km on an Earth. By so much may two tiles differ about one distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    origin: Vec3,
    east: Vec3,
    north: Vec3,
    up: Vec3,
    /// 1 / (8 R^2) in 1/m2, 0 on a flat map.
    stretch: f64,
    /// 1 / R in 1/m, 0 on a flat map.
    bow: f64,
}

impl Frame {
    /// The frame of a globe's tile around a place: a vector from the globe's centre, in metres.
    pub fn globe(center_m: Vec3) -> Self {
        let up = center_m.normalized();
        let (east, north) = math::tangent_frame(up);
        let bow = 1.0 / center_m.length();
        Self { origin: center_m, east, north, up, stretch: 0.125 * bow * bow, bow }
    }

    /// The frame of a flat map's tile around a place in metres.
    pub fn flat(center_m: Vec3) -> Self {
        let axis = |x, y, z| Vec3::new(x, y, z);
        let (east, north, up) = (axis(1.0, 0.0, 0.0), axis(0.0, 1.0, 0.0), axis(0.0, 0.0, 1.0));
        Self { origin: center_m, east, north, up, stretch: 0.0, bow: 0.0 }
    }

    /// Position on the plane, in metres from the centre.
    #[inline]
    pub fn project(&self, p: Vec3) -> [f64; 2] {
        let off = p - self.origin;
        let (x, y) = (off.dot(self.east), off.dot(self.north));
        let out = 1.0 + (x * x + y * y) * self.stretch;
        [x * out, y * out]
    }

    /// A displacement at a point of the plane, without its part along the globe's own vertical there.
    #[inline]
    pub fn along(&self, v: Vec3, [x, y]: [f64; 2]) -> [f64; 2] {
        let up = v.dot(self.up) * self.bow;
        [v.dot(self.east) - up * x, v.dot(self.north) - up * y]
    }

    /// The place below a point of the plane, to about r^3 / R^2.
    #[inline]
    pub fn lift(&self, [x, y]: [f64; 2]) -> Vec3 {
        let r2 = x * x + y * y;
        let inward = 1.0 - r2 * self.stretch;
        let down = 0.5 * r2 * self.bow; // a sphere falls off by r^2 / (2 R)
        self.origin + self.east * (x * inward) + self.north * (y * inward) - self.up * down
    }
}
