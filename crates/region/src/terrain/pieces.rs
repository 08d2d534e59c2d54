//! The straight pieces that lakes are made of, looked at side by side.

use crate::primitives::Ball;
use grid::{Vec3, math};

/// A straight piece: its ends, and the lake's half width at each, in metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub ends: (Vec3, Vec3),
    pub half_m: (f64, f64),
}

/// Pieces, kept so that their distances are found side by side.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    fours: Vec<Four>,
    count: usize,
    /// What they cover lies within.
    ball: Ball,
}

/// Pieces that are looked at side by side.
const LANES: usize = 4;
type Lanes = [f64; LANES];

/// Some pieces; where there are fewer, the last one again.
#[derive(Clone, Debug)]
struct Four {
    from_m: [Lanes; 3],
    /// From end to end, and the square of its length; of a piece without any, infinity.
    along_m: [Lanes; 3],
    length2: Lanes,
    half_m: [Lanes; 2],
}

/// A hair by which balls are wider than what lies in them, in metres.
const HAIR_M: f64 = 1e-3;

impl Pieces {
    /// Of at least one piece.
    pub fn new(pieces: &[Piece]) -> Self {
        let ends = || pieces.iter().flat_map(|piece| [piece.ends.0, piece.ends.1]);
        let widest_m = pieces.iter().map(|piece| piece.half_m.0.max(piece.half_m.1)).fold(0.0, f64::max);
        let ball = Ball::around(ends()).expect("a lake has pieces");
        let ball = Ball { radius_m: ball.radius_m + widest_m + HAIR_M, ..ball };
        Self { fours: pieces.chunks(LANES).map(Four::of).collect(), count: pieces.len(), ball }
    }

    /// Whether a place may lie within so many metres of the shore, or in the lake.
    pub fn are_near(&self, q: Vec3, reach_m: f64) -> bool {
        self.ball.near(q, reach_m)
    }

    /// How far a place is from the nearest shore, in metres: negative in the lake.
    pub fn shore_m(&self, q: Vec3) -> f64 {
        nearest_m(&self.fours, q)
    }

    /// How far a place is from the shore of each, and the half width there, in metres.
    pub fn each(&self, q: Vec3) -> impl Iterator<Item = (f64, f64)> {
        let all = self.fours.iter().flat_map(move |four| {
            let [shore_m, half_m] = four.at(q);
            (0..LANES).map(move |k| (shore_m[k], half_m[k]))
        });
        all.take(self.count)
    }
}

impl Four {
    fn of(pieces: &[Piece]) -> Self {
        let lane = |k: usize| pieces[k.min(pieces.len() - 1)];
        let each = |of: &dyn Fn(&Piece) -> f64| -> Lanes { std::array::from_fn(|k| of(&lane(k))) };
        let axes = |of: &dyn Fn(&Piece) -> Vec3| -> [Lanes; 3] {
            [each(&|piece| of(piece).x), each(&|piece| of(piece).y), each(&|piece| of(piece).z)]
        };
        let along = |piece: &Piece| piece.ends.1 - piece.ends.0;
        let length2 = |piece: &Piece| along(piece).length_squared();
        Self {
            from_m: axes(&|piece| piece.ends.0),
            along_m: axes(&along),
            length2: each(&|piece| if length2(piece) > 0.0 { length2(piece) } else { f64::INFINITY }),
            half_m: [each(&|piece| piece.half_m.0), each(&|piece| piece.half_m.1)],
        }
    }

    /// The distances of a place from their shores, and the half widths there.
    #[inline(always)]
    fn at(&self, q: Vec3) -> [Lanes; 2] {
        let ([ax, ay, az], [ex, ey, ez]) = (&self.from_m, &self.along_m);
        let (mut shore_m, mut half_m) = ([0.0; LANES], [0.0; LANES]);
        for k in 0..LANES {
            let dot = (q.x - ax[k]) * ex[k] + (q.y - ay[k]) * ey[k] + (q.z - az[k]) * ez[k];
            let t = (dot / self.length2[k]).clamp(0.0, 1.0);
            let x = q.x - (ax[k] + ex[k] * t);
            let y = q.y - (ay[k] + ey[k] * t);
            let z = q.z - (az[k] + ez[k] * t);
            half_m[k] = math::mix(self.half_m[0][k], self.half_m[1][k], t);
            shore_m[k] = (x * x + y * y + z * z).sqrt() - half_m[k];
        }
        [shore_m, half_m]
    }
}

/// How far a place is from the nearest shore of some pieces. The bits are the same on every processor, as no operation is left
/// out, fused or put in another order.
///
/// The attribute writes the one unsafe call there is: of the copies for AVX2 and AVX-512, and only where the processor was asked and has
/// it; the copy itself is safe code.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
#[allow(unsafe_code)]
fn nearest_m(fours: &[Four], q: Vec3) -> f64 {
    let mut least_m = [f64::INFINITY; LANES];
    for four in fours {
        let [shore_m, _] = four.at(q);
        for k in 0..LANES {
            least_m[k] = if shore_m[k] < least_m[k] { shore_m[k] } else { least_m[k] };
        }
    }
    least_m.into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::nearest;
    use grid::{Nth, Purpose, Seed};

    /// Side by side or one by one, distances are the same bits; and no place within reach is left out.
    #[test]
    fn pieces_are_what_they_are_one_by_one() {
        let mut draw = Seed(3).key(Purpose::new("test/lake/pieces")).at(Nth(0));
        let mut near = 0;
        for round in 0..2_000 {
            let mut place = |size_m: f64| {
                Vec3::new(
                    draw.range(-size_m, size_m),
                    draw.range(-size_m, size_m),
                    draw.range(-size_m, size_m),
                )
            };
            let count = 1 + round % 11;
            let ends: Vec<(Vec3, Vec3)> = (0..count)
                .map(|k| {
                    let from = place(5e3);
                    (from, if k % 7 == 6 { from } else { place(5e3) })
                })
                .collect();
            let q = place(2e4);
            let pieces: Vec<Piece> = ends
                .into_iter()
                .map(|ends| Piece { ends, half_m: (draw.range(0.0, 2e3), draw.range(0.0, 2e3)) })
                .collect();
            let slow: Vec<(f64, f64)> = pieces
                .iter()
                .map(|piece| {
                    let (t, d2) = nearest(q, piece.ends.0, piece.ends.1);
                    let half_m = math::mix(piece.half_m.0, piece.half_m.1, t);
                    (d2.sqrt() - half_m, half_m)
                })
                .collect();
            let all = Pieces::new(&pieces);
            assert_eq!(all.each(q).collect::<Vec<_>>(), slow);
            let least_m = slow.iter().map(|of| of.0).fold(f64::INFINITY, f64::min);
            assert_eq!(all.shore_m(q), least_m);
            assert!(all.are_near(q, least_m.max(0.0)), "{round}");
            near += usize::from(all.are_near(q, 1e3));
        }
        assert!((100..1_900).contains(&near), "{near}");
    }
}
