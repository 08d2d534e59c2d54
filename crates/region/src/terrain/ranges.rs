//! Ridges as the drainage sees them: lines that rivers should not cross, with broad flanks that rivers leave.

use super::LEVELS;
use crate::curve::nearest;
use crate::features::{CellFeatures, Crest, Maker, RIDGE_SLOPE, Surface};
use crate::high::Pieces;
use crate::primitives::Ball;
use crate::tangent::Tangent;
use grid::{Cell, Level, Vec3};
use std::sync::OnceLock;

/// A cell with mountains, and a ball around its ridges.
pub(super) struct Range {
    cell: Cell,
    pub ridges: Vec<Crest>,
    pub center_m: Vec3,
    radius_m: f64,
    pub broad: Vec<Broad>,
    /// Ridges, hills and peaks, made when first asked for: large things see ridges alone.
    raised: OnceLock<CellFeatures>,
    /// Ridges, hills and buttresses for the sites of each level.
    pieces: [OnceLock<Pieces>; LEVELS],
}

impl Range {
    pub fn new(ridges: Vec<Crest>, cell: Cell, center_m: Vec3) -> Self {
        let points = ridges.iter().flat_map(|r| &r.points_m);
        let radius_m = points.map(|p| p.distance(center_m)).fold(0.0, f64::max);
        let broad = ridges.iter().flat_map(pieces).collect();
        Self { cell, ridges, center_m, radius_m, broad, raised: OnceLock::new(), pieces: Default::default() }
    }

    /// Ridges, hills and peaks.
    pub fn raised(&self, maker: &Maker) -> &CellFeatures {
        self.raised.get_or_init(|| maker.raised(self.cell, &self.ridges))
    }

    /// Ridges, hills and so many generations of buttresses for the sites of a level, of `size_m`.
    pub fn pieces(&self, maker: &Maker, (level, size_m): (Level, f64), generations: u8) -> &Pieces {
        let number = usize::from(level.0);
        let coarser = || self.pieces[..number].iter().rev().find_map(OnceLock::get);
        let make = || Pieces::new(self.raised(maker), (size_m, generations), coarser());
        self.pieces[number].get_or_init(make)
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

/// The flanks near a ball.
pub(super) struct Flanks {
    tangent: Tangent,
    pieces: Vec<Broad>,
    /// What of them matters in each square of the ball's plane, made when a place in it is asked for.
    squares: [OnceLock<Vec<Bound>>; SQUARES * SQUARES],
}

/// Squares along a side of the ball's plane.
const SQUARES: usize = 4;

/// How high a piece can be within a square.
struct Bound {
    number: u32,
    /// The greatest share of the way from the flank's end to its crest.
    left: f64,
    /// The highest crest of this piece and of all after it, in metres.
    crest_m: f64,
}

/// Bounds are trusted up to this share, and to this in metres.
const HAIR: f64 = 1e-9;
const HAIR_M: f64 = 1e-6;

impl Flanks {
    pub fn new(pieces: Vec<Broad>, ball: &Ball, surface: &Surface) -> Self {
        Self { tangent: Tangent::new(ball, surface), pieces, squares: Default::default() }
    }

    /// The highest of [`Broad::at`] at a place that lies in the ball, at least 0; those that are neither higher than the
    /// least of both heights given may be left out.
    pub fn at(&self, q: Vec3, above_m: f64, least_m: (f64, f64)) -> (f64, f64) {
        let (mut even_m, mut flank_m) = (0.0, 0.0);
        for bound in self.square(q) {
            let most_m = (above_m + bound.crest_m).max(0.0) * bound.left * bound.left;
            let most_even_m = bound.crest_m - RIDGE_SLOPE * FLANK_M * (1.0 - bound.left);
            if most_m <= f64::max(flank_m, least_m.1) && most_even_m <= f64::max(even_m, least_m.0) {
                break;
            }
            let at = self.pieces[bound.number as usize].at(q, above_m);
            (even_m, flank_m) = (f64::max(even_m, at.0), f64::max(flank_m, at.1));
        }
        (even_m, flank_m)
    }

    /// Bounds in the square around a place, nearest first.
    fn square(&self, q: Vec3) -> &[Bound] {
        let (x, y) = self.tangent.on(q);
        let half_m = self.tangent.half_m();
        let side_m = 2.0 * half_m / SQUARES as f64;
        let number = |x: f64| (((x + half_m) / side_m) as usize).min(SQUARES - 1);
        let (column, row) = (number(x), number(y));
        self.squares[row * SQUARES + column].get_or_init(|| {
            let middle = |n: usize| (n as f64 + 0.5) * side_m - half_m;
            self.bounds(&self.tangent.over((middle(column), middle(row)), 0.5 * side_m))
        })
    }

    fn bounds(&self, ball: &Ball) -> Vec<Bound> {
        let bound = |(number, piece): (u32, &Broad)| {
            let near_m = nearest(ball.center, piece.a, piece.b).1.sqrt() - ball.radius_m;
            let left = (1.0 - near_m / FLANK_M).min(1.0) + HAIR;
            Bound { number, left, crest_m: piece.height_m.0.max(piece.height_m.1) + HAIR_M }
        };
        let mut bounds: Vec<Bound> =
            (0..).zip(&self.pieces).map(bound).filter(|bound| bound.left > 0.0).collect();
        bounds.sort_unstable_by(|a, b| b.left.total_cmp(&a.left).then(a.number.cmp(&b.number)));
        let mut crest_m = f64::NEG_INFINITY;
        for bound in bounds.iter_mut().rev() {
            crest_m = crest_m.max(bound.crest_m);
            bound.crest_m = crest_m;
        }
        bounds
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
}
