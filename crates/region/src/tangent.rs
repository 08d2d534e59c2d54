//! The plane that touches the surface over the middle of a ball.

use crate::features::Surface;
use crate::primitives::Ball;
use grid::Vec3;

/// Bounds are trusted up to this, in metres.
const HAIR_M: f64 = 1e-3;

/// A plane that touches the surface over the middle of a ball, which itself may lie deep below.
pub(crate) struct Tangent {
    origin: Vec3,
    half_m: f64,
    axes: (Vec3, Vec3),
    /// The surface within the ball lies at most so far below the plane, in metres.
    off_m: f64,
}

impl Tangent {
    pub fn new(ball: &Ball, surface: &Surface) -> Self {
        let origin = surface.put(ball.center);
        // the end of a chord c lies c^2 / 2R below the plane where it begins
        let chord_m = ball.radius_m + ball.center.distance(origin);
        let off_m = surface.radius_m.map_or(0.0, |radius_m| 0.5 * chord_m * chord_m / radius_m);
        Self { origin, half_m: ball.radius_m, axes: surface.tangents(origin), off_m }
    }

    /// Half the side of a square around the ball, in metres.
    pub fn half_m(&self) -> f64 {
        self.half_m
    }

    /// Where a place lies from the middle, in metres along both axes.
    pub fn on(&self, q: Vec3) -> (f64, f64) {
        let off = q - self.origin;
        (off.dot(self.axes.0), off.dot(self.axes.1))
    }

    /// A ball around all of the surface over a square.
    pub fn over(&self, (x, y): (f64, f64), half_m: f64) -> Ball {
        let center = self.origin + self.axes.0 * x + self.axes.1 * y;
        Ball { center, radius_m: std::f64::consts::SQRT_2 * half_m + self.off_m + HAIR_M }
    }
}
