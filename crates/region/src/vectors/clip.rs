//! Lines cut at the border of a region.
//!
//! The border is a polygon on the lattice's own plane: the rectangle of the window, half a step beyond its outermost
//! samples, or an area that was asked for. Each straight piece of a line is cut where it crosses a side of it; the parts
//! whose middles lie inside are kept and strung together. So a line that runs along the border belongs to the side that
//! the rules of [`crate::mask`] give it to.
//!
//! Cost: pieces times sides; sides away from a piece are passed over.

use super::{Place, goes_around};
use crate::lattice::{Lattice, Window};
use crate::mask::Area;
use crate::request::Request;

/// The border of a region.
pub(crate) struct Border {
    lattice: Lattice,
    area: Area,
    sides: Vec<[Place; 2]>,
    bounds: [f64; 4],
}

/// A part of a line.
pub(crate) struct Part {
    /// Its places.
    pub places: Vec<Place>,
    /// For each place how many points of the whole line lie before it, with the share of the way to the next.
    numbers: Vec<f64>,
}

impl Part {
    /// The first and the last piece of the whole line that this has a part of.
    pub fn pieces(&self) -> (usize, usize) {
        let first = self.numbers.first().map_or(0, |n| *n as usize);
        let last = self.numbers.last().map_or(0, |n| n.ceil() as usize);
        (first, last.saturating_sub(1).max(first))
    }

    /// What the points of the whole line have, at the places of this part.
    pub fn values(&self, of_line: &[f64]) -> Vec<f64> {
        let at = |&number: &f64| {
            let k = (number as usize).min(of_line.len() - 1);
            let next = (k + 1).min(of_line.len() - 1);
            of_line[k] + (of_line[next] - of_line[k]) * (number - k as f64)
        };
        self.numbers.iter().map(at).collect()
    }
}

impl Border {
    pub fn new(request: &Request, area: Option<&Area>) -> Self {
        let Window { west, north, width, height } = request.window;
        let lattice = &request.lattice;
        let side = |number: i64| (number as f64 + lattice.offset() - 0.5) * lattice.step();
        let rectangle =
            [side(west), side(north - height as i64 + 1), side(west + width as i64), side(north + 1)];
        let area = area.cloned().unwrap_or_else(|| Area::rectangle(rectangle));
        let bounds = area.bounds().unwrap_or(rectangle);
        Self { lattice: lattice.clone(), sides: area.sides().collect(), area, bounds }
    }

    /// Coordinates of a place on the lattice's plane; where that goes around, those nearest to the region.
    pub fn on_plane(&self, [x, y]: Place) -> Place {
        let (x, y) = self.lattice.project(x, y);
        let Some(round) = goes_around(&self.lattice) else { return [x, y] };
        let middle = 0.5 * (self.bounds[0] + self.bounds[2]);
        [x + round * ((middle - x) / round).round(), y]
    }

    /// Whether a place on the plane lies inside.
    pub fn holds(&self, place: Place) -> bool {
        self.area.holds(place)
    }

    /// The parts of a line that lie inside.
    pub fn cut(&self, line: &[Place]) -> Vec<Part> {
        let plane: Vec<Place> = line.iter().map(|&place| self.on_plane(place)).collect();
        let mut parts: Vec<Part> = Vec::new();
        let mut cuts = Vec::new();
        for k in 1..line.len() {
            let (a, b) = (plane[k - 1], plane[k]);
            if !self.may_meet(a, b) {
                continue;
            }
            self.crossings(a, b, &mut cuts);
            for pair in cuts.windows(2).filter(|pair| pair[0] < pair[1]) {
                if self.holds(along(a, b, 0.5 * (pair[0] + pair[1]))) {
                    add(&mut parts, line, k - 1, (pair[0], pair[1]));
                }
            }
        }
        parts
    }

    /// Whether a piece can have a part inside. One that goes around the plane cannot; nor one that leaves it.
    fn may_meet(&self, a: Place, b: Place) -> bool {
        let [west, south, east, north] = self.bounds;
        let beside = a[0].max(b[0]) < west || a[0].min(b[0]) > east;
        let above = a[1].max(b[1]) < south || a[1].min(b[1]) > north;
        let around = goes_around(&self.lattice).is_some_and(|round| (a[0] - b[0]).abs() > 0.5 * round);
        let finite = a.iter().chain(&b).all(|v| v.is_finite());
        finite && !beside && !above && !around
    }

    /// 0, where the piece crosses a side of the border, and 1, in order.
    fn crossings(&self, a: Place, b: Place, cuts: &mut Vec<f64>) {
        cuts.clear();
        cuts.extend([0.0, 1.0]);
        let (low, high) = ([a[0].min(b[0]), a[1].min(b[1])], [a[0].max(b[0]), a[1].max(b[1])]);
        for &[c, d] in &self.sides {
            let apart = (0..2).any(|i| c[i].max(d[i]) < low[i] || c[i].min(d[i]) > high[i]);
            if !apart && let Some(t) = crossing([a, b], [c, d]) {
                cuts.push(t);
            }
        }
        cuts.sort_by(f64::total_cmp);
    }
}

fn along(a: Place, b: Place, t: f64) -> Place {
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
}

/// Where the first of two straight pieces crosses the second, as a share of its own length.
fn crossing([a, b]: [Place; 2], [c, d]: [Place; 2]) -> Option<f64> {
    let cross = |u: Place, v: Place| u[0] * v[1] - u[1] * v[0];
    let (ab, cd, ac) = ([b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]], [c[0] - a[0], c[1] - a[1]]);
    let across = cross(ab, cd);
    if across == 0.0 {
        return None;
    }
    let (t, u) = (cross(ac, cd) / across, cross(ac, ab) / across);
    ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u)).then_some(t)
}

/// Adds the part of a line's `k`-th piece from one share of its length to another.
fn add(parts: &mut Vec<Part>, line: &[Place], k: usize, (from, to): (f64, f64)) {
    let start = k as f64 + from;
    let goes_on = parts.last().is_some_and(|part| part.numbers.last() == Some(&start));
    if !goes_on {
        let places = vec![between(line[k], line[k + 1], from)];
        parts.push(Part { places, numbers: vec![start] });
    }
    if let Some(part) = parts.last_mut() {
        part.places.push(between(line[k], line[k + 1], to));
        part.numbers.push(k as f64 + to);
    }
}

/// A place between two others, over the antimeridian if that is shorter.
fn between(a: Place, b: Place, t: f64) -> Place {
    match t {
        0.0 => a,
        1.0 => b,
        _ if (b[0] - a[0]).abs() > 180.0 && a[0].abs() <= 180.0 && b[0].abs() <= 180.0 => {
            let b = [b[0] + 360.0f64.copysign(a[0] - b[0]), b[1]];
            let [lon, lat] = along(a, b, t);
            [if lon.abs() > 180.0 { lon - 360.0f64.copysign(lon) } else { lon }, lat]
        }
        _ => along(a, b, t),
    }
}
