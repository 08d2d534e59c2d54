//! Lines and the borders of areas.

use super::Point;

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Begins a line.
    Move(Point),
    /// Straight to a place.
    Line(Point),
    /// A cubic Bezier curve: two control points and its end.
    Curve(Point, Point, Point),
    /// Back to where the line began.
    Close,
}

/// Lines one after another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// Straight from place to place.
    pub fn line(points: &[Point]) -> Self {
        let mut path = Self::default();
        path.add_line(points);
        path
    }

    /// A closed ring.
    pub fn ring(points: &[Point]) -> Self {
        let mut path = Self::line(points);
        path.0.push(Step::Close);
        path
    }

    /// A rectangle by its upper left corner and its size.
    pub fn rect([x, y]: Point, [width, height]: Point) -> Self {
        Self::ring(&[[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
    }

    /// Adds a line.
    pub fn add_line(&mut self, points: &[Point]) {
        for (n, &point) in points.iter().enumerate() {
            self.0.push(if n == 0 { Step::Move(point) } else { Step::Line(point) });
        }
    }

    /// Adds a smooth line through places (Catmull and Rom 1974), which ends where they end; a ring if its ends are one place.
    pub fn add_smooth(&mut self, points: &[Point]) {
        let last = points.len().saturating_sub(1);
        let is_ring = last > 2 && points[0] == points[last];
        let at = |n: isize| {
            if is_ring {
                points[n.rem_euclid(last as isize) as usize]
            } else {
                points[n.clamp(0, last as isize) as usize]
            }
        };
        let Some(&first) = points.first() else { return };
        self.0.push(Step::Move(first));
        for n in 0..last as isize {
            let [before, from, to, after] = [at(n - 1), at(n), at(n + 1), at(n + 2)];
            // a tangent is a sixth of the way between the neighbours, but no longer than a third of its own piece
            let own = distance(from, to);
            let tangent = |a: Point, b: Point| {
                let whole = distance(a, b).max(1e-12);
                let length = (whole / 6.0).min(own / 3.0);
                [(b[0] - a[0]) / whole * length, (b[1] - a[1]) / whole * length]
            };
            let (out, into) = (tangent(before, to), tangent(from, after));
            self.0.push(Step::Curve(
                [from[0] + out[0], from[1] + out[1]],
                [to[0] - into[0], to[1] - into[1]],
                to,
            ));
        }
        if is_ring {
            self.0.push(Step::Close);
        }
    }

    /// Whether all its numbers are finite: others would make a file that nobody can read.
    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|step| match step {
            Step::Move(p) | Step::Line(p) => finite(p),
            Step::Curve(a, b, c) => finite(a) && finite(b) && finite(c),
            Step::Close => true,
        })
    }
}

fn finite(p: &Point) -> bool {
    p.iter().all(|v| v.is_finite() && v.abs() < 1e6)
}

fn distance(a: Point, b: Point) -> f64 {
    let (dx, dy) = (a[0] - b[0], a[1] - b[1]);
    (dx * dx + dy * dy).sqrt()
}
