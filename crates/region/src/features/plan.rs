//! Lines on the plane that touches the surface at a cell: where two of them cross.

use super::Maker;
use grid::{Cell, Vec3};

/// The plane that touches the surface at a place.
pub(super) struct Plane {
    origin: Vec3,
    axes: (Vec3, Vec3),
}

/// A line on a plane with the box around it.
pub(super) struct Course {
    points: Vec<[f64; 2]>,
    low: [f64; 2],
    high: [f64; 2],
}

impl Plane {
    /// The plane at the centre of a cell.
    pub fn of(maker: &Maker, cell: Cell) -> Self {
        let origin = maker.patch.center_m(cell);
        Self { origin, axes: maker.grid().tangents(origin) }
    }

    /// A line seen on the plane.
    pub fn course(&self, line: &[Vec3]) -> Course {
        let seen = |p: &Vec3| [(*p - self.origin).dot(self.axes.0), (*p - self.origin).dot(self.axes.1)];
        let points: Vec<[f64; 2]> = line.iter().map(seen).collect();
        let extent = |pick: fn(f64, f64) -> f64, start: f64| {
            points.iter().fold([start; 2], |e, p| [pick(e[0], p[0]), pick(e[1], p[1])])
        };
        let (low, high) = (extent(f64::min, f64::INFINITY), extent(f64::max, f64::NEG_INFINITY));
        Course { points, low, high }
    }
}

impl Course {
    /// The way from the start to a point: the whole number counts pieces, the rest is the share of the next.
    pub fn along_m(&self, at: f64) -> f64 {
        let pieces = self.points.windows(2).map(|w| length(less(w[1], w[0])));
        pieces.enumerate().map(|(n, length_m)| length_m * (at - n as f64).clamp(0.0, 1.0)).sum()
    }

    /// Where another line crosses this one: the places on this one, as the number of the piece and the share of it.
    ///
    /// A piece holds its start but not its end, so that a crossing at a joint counts once.
    pub fn crossed_by(&self, other: &Self) -> Vec<(usize, f64)> {
        let mut found = Vec::new();
        if (0..2).any(|k| self.low[k] > other.high[k] || self.high[k] < other.low[k]) {
            return found;
        }
        for (n, own) in self.points.windows(2).enumerate() {
            for w in other.points.windows(2) {
                found.extend(crossing(own[0], own[1], w[0], w[1]).map(|share| (n, share)));
            }
        }
        found
    }
}

/// The share of the way from `a` to `b` at which `c` to `d` crosses it.
fn crossing(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> Option<f64> {
    let (ab, cd, ac) = (less(b, a), less(d, c), less(c, a));
    let area = cross(ab, cd);
    let (t, s) = (cross(ac, cd) / area, cross(ac, ab) / area);
    // where both run alike neither share is a number within range
    ((0.0..1.0).contains(&t) && (0.0..1.0).contains(&s)).then_some(t)
}

fn length(a: [f64; 2]) -> f64 {
    (a[0] * a[0] + a[1] * a[1]).sqrt()
}

fn less(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(points: &[(f64, f64)]) -> Course {
        let plane =
            Plane { origin: Vec3::default(), axes: (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)) };
        plane.course(&points.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect::<Vec<_>>())
    }

    #[test]
    fn crossings_by_hand() {
        let level = course(&[(0.0, 0.0), (4.0, 0.0), (8.0, 0.0)]);
        assert_eq!(level.crossed_by(&course(&[(1.0, -1.0), (1.0, 1.0)])), [(0, 0.25)]);
        assert_eq!(level.crossed_by(&course(&[(4.0, -1.0), (4.0, 1.0)])), [(1, 0.0)], "a joint counts once");
        assert_eq!(level.crossed_by(&course(&[(5.0, -1.0), (5.0, 1.0), (6.0, -2.0)])).len(), 2);
        assert_eq!(level.crossed_by(&course(&[(5.0, 1.0), (6.0, 2.0)])), []);
        assert_eq!(level.crossed_by(&course(&[(0.0, 1.0), (8.0, 1.0)])), [], "side by side");
        assert_eq!(level.crossed_by(&course(&[(1.0, 0.0), (3.0, 0.0)])), [], "one upon the other");
    }
}
