//! Ridges as the drainage sees them: lines that rivers should not cross, with broad flanks that rivers leave.

use crate::curve::nearest;
use crate::features::{CellFeatures, Crest, Maker, RIDGE_SLOPE};
use crate::primitives::Ball;
use grid::{Cell, Vec3};
use std::sync::OnceLock;

/// A cell with mountains, and a ball around its ridges.
pub(super) struct Range {
    cell: Cell,
    pub ridges: Vec<Crest>,
    pub center_m: Vec3,
    radius_m: f64,
    pub broad: Vec<Broad>,
    /// Made when first asked for: large things see ridges alone.
    features: OnceLock<CellFeatures>,
}

impl Range {
    pub fn new(ridges: Vec<Crest>, cell: Cell, center_m: Vec3) -> Self {
        let points = ridges.iter().flat_map(|r| &r.points_m);
        let radius_m = points.map(|p| p.distance(center_m)).fold(0.0, f64::max);
        let broad = ridges.iter().flat_map(pieces).collect();
        Self { cell, ridges, center_m, radius_m, broad, features: OnceLock::new() }
    }

    /// Ridges, hills, peaks and buttresses.
    pub fn features(&self, maker: &Maker) -> &CellFeatures {
        self.features.get_or_init(|| maker.raised(self.cell, &self.ridges))
    }
}

/// A straight piece of a ridge's flank.
#[derive(Clone, Copy)]
pub(super) struct Broad {
    a: Vec3,
    b: Vec3,
    height_m: (f64, f64),
}

/// Pieces that a ridge's line is simplified to.
const PIECES: usize = 3;
/// Flanks end this far from their crest, in metres; half way out they are a quarter as high.
const FLANK_M: f64 = 17_000.0;

fn pieces(ridge: &Crest) -> impl Iterator<Item = Broad> + '_ {
    let last = ridge.points_m.len() - 1;
    let step = last.div_ceil(PIECES).max(1);
    (0..last).step_by(step).map(move |from| {
        let to = (from + step).min(last);
        let height_m = (ridge.heights_m[from], ridge.heights_m[to]);
        Broad { a: ridge.points_m[from], b: ridge.points_m[to], height_m }
    })
}

impl Broad {
    pub fn meets(&self, ball: &Ball) -> bool {
        let reach = FLANK_M + ball.radius_m;
        nearest(ball.center, self.a, self.b).1 < reach * reach
    }

    /// Heights at a place in metres: of an even side that falls as ridges do, and of the flank of a crest that stands
    /// `above_m` metres higher than its own height.
    pub fn at(&self, q: Vec3, above_m: f64) -> (f64, f64) {
        let (t, d2) = nearest(q, self.a, self.b);
        if d2 >= FLANK_M * FLANK_M {
            return (0.0, 0.0);
        }
        let (d, crest_m) = (d2.sqrt(), self.height_m.0 + (self.height_m.1 - self.height_m.0) * t);
        let left = 1.0 - d / FLANK_M;
        (crest_m - RIDGE_SLOPE * d, (above_m + crest_m).max(0.0) * left * left)
    }
}

/// Ridge lines lie within this of their cell's centre, in cells.
pub(super) const REACH_CELLS: f64 = 1.6;

/// The ridge lines near a ball.
pub(super) struct Crests {
    pieces: Vec<(Vec3, Vec3)>,
}

impl Crests {
    pub fn new<'r>(ranges: impl Iterator<Item = &'r Range>, ball: &Ball) -> Self {
        let mut pieces = Vec::new();
        for range in ranges {
            if range.center_m.distance(ball.center) <= range.radius_m + ball.radius_m {
                for ridge in &range.ridges {
                    let near =
                        |p: &&[Vec3]| nearest(ball.center, p[0], p[1]).1 <= ball.radius_m * ball.radius_m;
                    pieces.extend(ridge.points_m.windows(2).filter(near).map(|p| (p[0], p[1])));
                }
            }
        }
        Self { pieces }
    }

    pub fn into_pieces(self) -> Vec<(Vec3, Vec3)> {
        self.pieces
    }

    /// How many lines the straight way from `a` to `b` crosses, both within the ball; `up` is at right angles to the
    /// surface there.
    ///
    /// A point on a line counts as on its left, so that a way through a point of a ridge crosses one of its two pieces.
    pub fn between(&self, a: Vec3, b: Vec3, up: Vec3) -> u32 {
        let (middle, half) = (a.lerp(b, 0.5), 0.5 * a.distance(b));
        let left = |from: Vec3, to: Vec3, p: Vec3| up.dot((to - from).cross(p - from)) >= 0.0;
        let crosses = |&&(c, d): &&(Vec3, Vec3)| {
            let near = half + c.distance(d);
            (c - middle).length_squared() <= near * near
                && left(a, b, c) != left(a, b, d)
                && left(c, d, a) != left(c, d, b)
        };
        self.pieces.iter().filter(crosses).count() as u32
    }
}
