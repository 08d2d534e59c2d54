//! Curves through space: cubic Hermite splines, cut into straight pieces.

use grid::Vec3;

/// The points of a cubic Hermite spline from `a` to `b` with tangents `ta` and `tb`, `pieces + 1` of them.
/// The first is exactly `a` and the last exactly `b`.
pub(crate) fn hermite(a: Vec3, ta: Vec3, b: Vec3, tb: Vec3, pieces: usize) -> Vec<Vec3> {
    let at = |t: f64| {
        let (t2, t3) = (t * t, t * t * t);
        a * (2.0 * t3 - 3.0 * t2 + 1.0)
            + ta * (t3 - 2.0 * t2 + t)
            + b * (3.0 * t2 - 2.0 * t3)
            + tb * (t3 - t2)
    };
    let inner = (1..pieces).map(|k| at(k as f64 / pieces as f64));
    std::iter::once(a).chain(inner).chain(std::iter::once(b)).collect()
}

/// A smooth line through given points (Catmull & Rom 1974) with given tangents at its ends, each span cut into
/// `pieces`.
pub(crate) fn through(points: &[Vec3], first: Vec3, last: Vec3, pieces: usize) -> Vec<Vec3> {
    let tangent = |i: usize| match (i.checked_sub(1), points.get(i + 1)) {
        (None, _) => first,
        (_, None) => last,
        (Some(before), Some(after)) => (*after - points[before]) * 0.5,
    };
    let mut line = vec![points[0]];
    for i in 0..points.len() - 1 {
        let span = hermite(points[i], tangent(i), points[i + 1], tangent(i + 1), pieces);
        line.extend_from_slice(&span[1..]);
    }
    line
}

/// The nearest place of the segment from `a` to `b`: the share of the way (0 to 1) and the squared distance.
pub(crate) fn nearest(p: Vec3, a: Vec3, b: Vec3) -> (f64, f64) {
    let ab = b - a;
    let length2 = ab.length_squared();
    let t = if length2 > 0.0 { ((p - a).dot(ab) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (t, (p - (a + ab * t)).length_squared())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splines_pass_through_their_points() {
        let points = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 0.0), Vec3::new(3.0, 1.0, 1.0)];
        let line = through(&points, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), 5);
        assert_eq!((line[0], line[5], line[10], line.len()), (points[0], points[1], points[2], 11));
    }

    #[test]
    fn a_straight_spline_is_straight() {
        let step = Vec3::new(4.0, 0.0, 0.0);
        for (k, p) in hermite(Vec3::default(), step, step, step, 4).into_iter().enumerate() {
            assert!((p - Vec3::new(k as f64, 0.0, 0.0)).length() < 1e-12);
        }
    }

    #[test]
    fn nearest_by_hand() {
        let (a, b) = (Vec3::new(0.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0));
        assert_eq!(nearest(Vec3::new(1.0, 2.0, 0.0), a, b), (0.25, 4.0));
        assert_eq!(nearest(Vec3::new(7.0, 4.0, 0.0), a, b), (1.0, 25.0));
        assert_eq!(nearest(Vec3::new(3.0, 4.0, 0.0), a, a), (0.0, 25.0));
    }
}
