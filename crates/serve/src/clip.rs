//! Lines and areas cut at a box, in any coordinates.

/// A place.
pub type Point = [f64; 2];

/// A box: least and greatest of each coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least.
    pub low: Point,
    /// Greatest.
    pub high: Point,
}

impl Bounds {
    /// Whether any part of the box around some places can lie in it.
    pub fn may_hold(&self, points: &[Point]) -> bool {
        (0..2).all(|k| {
            points.iter().any(|p| p[k] <= self.high[k]) && points.iter().any(|p| p[k] >= self.low[k])
        })
    }

    /// Whether any part of a step lies in it; its borders are inside.
    pub fn meets(&self, a: Point, b: Point) -> bool {
        self.within(a, b).is_some()
    }

    /// The part of a step that lies in it, as shares of its length (Liang and Barsky 1984).
    fn within(&self, a: Point, b: Point) -> Option<(f64, f64)> {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for k in 0..2 {
            let way = b[k] - a[k];
            for (towards, room) in [(-way, a[k] - self.low[k]), (way, self.high[k] - a[k])] {
                if towards == 0.0 && room < 0.0 {
                    return None;
                }
                let share = room / towards;
                if towards < 0.0 {
                    from = from.max(share);
                } else if towards > 0.0 {
                    to = to.min(share);
                }
            }
        }
        (from <= to).then_some((from, to))
    }
}

/// The pieces of a line that lie in a box.
pub fn line(points: &[Point], bounds: &Bounds) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    let mut goes_on = false;
    for step in points.windows(2) {
        let (a, b) = (step[0], step[1]);
        let Some((from, to)) = bounds.within(a, b) else {
            goes_on = false;
            continue;
        };
        let at = |t: f64| [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
        if !(goes_on && from == 0.0) {
            pieces.push(vec![at(from)]);
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(at(to));
        }
        goes_on = to == 1.0;
    }
    pieces
}

/// The part of a ring that lies in a box (Sutherland and Hodgman 1974); empty if none does.
pub fn ring(points: &[Point], bounds: &Bounds) -> Vec<Point> {
    let mut ring = points.to_vec();
    for (k, limit, sign) in [
        (0, bounds.low[0], 1.0),
        (0, bounds.high[0], -1.0),
        (1, bounds.low[1], 1.0),
        (1, bounds.high[1], -1.0),
    ] {
        let room = |p: &Point| sign * (p[k] - limit);
        let mut kept = Vec::with_capacity(ring.len() + 4);
        for (i, b) in ring.iter().enumerate() {
            let a = ring[(i + ring.len() - 1) % ring.len()];
            let (before, here) = (room(&a), room(b));
            if (before < 0.0) != (here < 0.0) {
                let t = before / (before - here);
                kept.push([a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]);
            }
            if here >= 0.0 {
                kept.push(*b);
            }
        }
        ring = kept;
    }
    ring
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Bounds = Bounds { low: [0.0, 0.0], high: [1.0, 1.0] };

    #[test]
    fn a_line_that_leaves_and_comes_back_is_two() {
        let points = [[0.5, 0.5], [1.5, 0.5], [1.5, 0.8], [0.5, 0.8], [0.2, 0.8]];
        let pieces = line(&points, &UNIT);
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces[0], [[0.5, 0.5], [1.0, 0.5]]);
        assert_eq!(pieces[1], [[1.0, 0.8], [0.5, 0.8], [0.2, 0.8]]);
        assert!(line(&[[2.0, 2.0], [3.0, 2.0]], &UNIT).is_empty());
    }

    #[test]
    fn a_ring_around_the_box_becomes_the_box() {
        let wide = [[-1.0, -1.0], [2.0, -1.0], [2.0, 2.0], [-1.0, 2.0]];
        let cut = ring(&wide, &UNIT);
        let area: f64 = (0..cut.len())
            .map(|i| (cut[i], cut[(i + 1) % cut.len()]))
            .map(|(a, b)| 0.5 * (a[0] * b[1] - b[0] * a[1]))
            .sum();
        assert!((area - 1.0).abs() < 1e-12, "{cut:?}");
        assert!(ring(&[[2.0, 2.0], [3.0, 2.0], [3.0, 3.0]], &UNIT).is_empty());
    }
}
