//! Lines made lighter, and rivers strung together.

use super::Point;
use super::ground::Ground;
use std::collections::BTreeMap;
use std::ops::Range;

/// A piece of a river.
#[derive(Clone, Debug, PartialEq)]
pub struct River {
    /// Its places downstream, in degrees or metres.
    pub places: Vec<[f64; 2]>,
    /// Discharge where it begins and where it ends, in m3/s.
    pub discharge_m3_s: [f64; 2],
    /// Width of the channel where it ends, in metres.
    pub width_m: f64,
    /// Number of the basin, if that is known.
    pub basin: Option<u32>,
}

/// A river from one of its heads on, as far as it is the larger one at each junction.
#[derive(Clone, Debug, PartialEq)]
pub struct Stem {
    /// Its points downstream.
    pub points: Vec<Point>,
    /// Discharge at each point, in m3/s.
    pub discharge_m3_s: Vec<f64>,
    /// Width of the channel at each point, in metres.
    pub width_m: Vec<f64>,
    /// Number of the basin, if that is known.
    pub basin: Option<u32>,
}

/// Length of a line.
pub fn length(points: &[Point]) -> f64 {
    points.windows(2).map(|w| distance(w[0], w[1])).sum()
}

/// Distance of two points.
pub fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

/// Numbers of those points of a line that it needs so as to stay within a distance of itself (Douglas and Peucker 1973).
pub fn needed(points: &[Point], tolerance: f64) -> Vec<usize> {
    let Some(last) = points.len().checked_sub(1) else { return Vec::new() };
    let mut keep = vec![false; points.len()];
    keep[0] = true;
    keep[last] = true;
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let off = |n: usize| from_segment(points[n], points[from], points[to]);
        let farthest = (from + 1..to).map(|n| (n, off(n))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((n, off)) = farthest.filter(|(_, off)| *off > tolerance) {
            debug_assert!(off.is_finite());
            keep[n] = true;
            open.extend([(from, n), (n, to)]);
        }
    }
    (0..points.len()).filter(|&n| keep[n]).collect()
}

/// The points that a line needs.
pub fn lighter(points: &[Point], tolerance: f64) -> Vec<Point> {
    // a ring has no ends to hold on to: it is cut at the point farthest from where it begins
    let last = points.len().saturating_sub(1);
    if last > 2 && points[0] == points[last] {
        let far = (0..last)
            .max_by(|&a, &b| distance(points[0], points[a]).total_cmp(&distance(points[0], points[b])));
        let far = far.unwrap_or(0);
        let mut ring: Vec<Point> =
            needed(&points[..=far], tolerance).into_iter().map(|n| points[n]).collect();
        ring.extend(needed(&points[far..], tolerance).into_iter().skip(1).map(|n| points[far + n]));
        return ring;
    }
    needed(points, tolerance).into_iter().map(|n| points[n]).collect()
}

fn from_segment(p: Point, a: Point, b: Point) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let squared = dx * dx + dy * dy;
    let t = if squared > 0.0 {
        (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    distance(p, [a[0] + t * dx, a[1] + t * dy])
}

/// Pieces of rivers as stems on the paper, the greatest at their ends first.
pub fn stems(rivers: &[River], ground: &Ground) -> Vec<Stem> {
    let pieces: Vec<Stem> = rivers.iter().flat_map(|river| on_paper(river, ground)).collect();
    let key = |p: Point| p.map(|v| (v * 20.0).round() as i64);
    let ends = |n: usize| pieces[n].points.last().map(|&p| key(p));
    let starts = |n: usize| pieces[n].points.first().map(|&p| key(p));
    let discharge = |n: usize| pieces[n].discharge_m3_s.last().copied().unwrap_or(0.0);
    // the greatest piece that ends at a place is the one that goes on in the piece that begins there
    let mut into: BTreeMap<[i64; 2], usize> = BTreeMap::new();
    for (n, end) in (0..pieces.len()).filter_map(|n| Some((n, ends(n)?))) {
        let best = into.entry(end).or_insert(n);
        if discharge(n) > discharge(*best) {
            *best = n;
        }
    }
    let mut from: BTreeMap<[i64; 2], usize> = BTreeMap::new();
    for (n, start) in (0..pieces.len()).filter_map(|n| Some((n, starts(n)?))) {
        let best = from.entry(start).or_insert(n);
        if discharge(n) > discharge(*best) {
            *best = n;
        }
    }
    let before = |n: usize| starts(n).filter(|s| from.get(s) == Some(&n)).and_then(|s| into.get(&s)).copied();
    let after = |n: usize| ends(n).filter(|e| into.get(e) == Some(&n)).and_then(|e| from.get(&e)).copied();
    let mut used = vec![false; pieces.len()];
    let mut stems = Vec::new();
    // heads first; what is left then goes in a circle, which no river does, but a file may say so
    let heads = (0..pieces.len()).filter(|&n| before(n).is_none());
    for head in heads.chain(0..pieces.len()).collect::<Vec<_>>() {
        if used[head] {
            continue;
        }
        let mut stem = Stem::new(None);
        let mut next = Some(head);
        while let Some(n) = next.filter(|&n| !std::mem::replace(&mut used[n], true)) {
            stem.add(&pieces[n]);
            next = after(n);
        }
        stems.push(stem);
    }
    let end = |stem: &Stem| stem.discharge_m3_s.last().copied().unwrap_or(0.0);
    stems.sort_by(|a, b| end(b).total_cmp(&end(a)));
    stems
}

impl Stem {
    fn new(basin: Option<u32>) -> Self {
        Self { points: Vec::new(), discharge_m3_s: Vec::new(), width_m: Vec::new(), basin }
    }

    fn push(&mut self, (point, discharge_m3_s, width_m): (Point, f64, f64)) {
        self.points.push(point);
        self.discharge_m3_s.push(discharge_m3_s);
        self.width_m.push(width_m);
    }

    fn at(&self, n: usize) -> (Point, f64, f64) {
        (self.points[n], self.discharge_m3_s[n], self.width_m[n])
    }

    /// A share of the way from one of its points to the next.
    fn between(&self, n: usize, t: f64) -> (Point, f64, f64) {
        let mix = |a: f64, b: f64| a + t * (b - a);
        let (a, b) = (self.points[n], self.points[n + 1]);
        let [q, width] = [&self.discharge_m3_s, &self.width_m].map(|v| mix(v[n], v[n + 1]));
        ([mix(a[0], b[0]), mix(a[1], b[1])], q, width)
    }

    /// Those parts of some of its points that lie beside the water, each up to its shores: lines of two points and more.
    pub fn where_dry(&self, some: Range<usize>, is_wet: &dyn Fn(Point) -> bool) -> Vec<Self> {
        let (mut parts, mut open) = (Vec::new(), Self::new(self.basin));
        let mut was_wet = None;
        for n in some {
            let wet = is_wet(self.points[n]);
            if was_wet.is_some_and(|was| was != wet) {
                open.push(self.shore(n - 1, is_wet));
            }
            if wet {
                parts.push(std::mem::replace(&mut open, Self::new(self.basin)));
            } else {
                open.push(self.at(n));
            }
            was_wet = Some(wet);
        }
        parts.push(open);
        parts.retain(|part| part.points.len() > 1);
        parts
    }

    /// The shore between one of its points and the next, one of which is in the water.
    fn shore(&self, n: usize, is_wet: &dyn Fn(Point) -> bool) -> (Point, f64, f64) {
        let begins_wet = is_wet(self.points[n]);
        let (mut near, mut far) = (0.0, 1.0);
        for _ in 0..12 {
            let middle = 0.5 * (near + far);
            *(if is_wet(self.between(n, middle).0) == begins_wet { &mut near } else { &mut far }) = middle;
        }
        self.between(n, near)
    }

    fn add(&mut self, piece: &Self) {
        let skip = usize::from(!self.points.is_empty());
        self.points.extend(piece.points.iter().skip(skip));
        self.discharge_m3_s.extend(piece.discharge_m3_s.iter().skip(skip));
        self.width_m.extend(piece.width_m.iter().skip(skip));
        self.basin = piece.basin.or(self.basin);
    }
}

/// A piece of a river on the paper: its discharge grows evenly along it, its width as the root of that.
fn on_paper(river: &River, ground: &Ground) -> Vec<Stem> {
    let [from, to] = river.discharge_m3_s;
    let lines = ground.lines(&river.places);
    let stem = |points: Vec<Point>| {
        let whole = length(&points).max(1e-9);
        let mut gone = 0.0;
        let mut last = points[0];
        let discharge_m3_s: Vec<f64> = points
            .iter()
            .map(|&p| {
                gone += distance(last, p);
                last = p;
                from + (to - from) * gone / whole
            })
            .collect();
        let width = |q: &f64| river.width_m * (q / to.max(1e-9)).max(0.0).sqrt();
        let width_m = discharge_m3_s.iter().map(width).collect();
        Stem { points, discharge_m3_s, width_m, basin: river.basin }
    };
    lines.into_iter().map(stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use region::{Lattice, Window};

    #[test]
    fn a_line_keeps_what_it_needs() {
        let wave: Vec<Point> =
            (0..200).map(|i| [f64::from(i), grid::math::sin(f64::from(i) * 0.1) * 10.0]).collect();
        let light = lighter(&wave, 0.2);
        assert!(light.len() < 60 && light[0] == wave[0] && light.last() == wave.last(), "{}", light.len());
        for p in &wave {
            let off = light.windows(2).map(|w| from_segment(*p, w[0], w[1])).fold(f64::MAX, f64::min);
            assert!(off <= 0.2);
        }
        let ring: Vec<Point> = (0..=90)
            .map(|i| (f64::from(i % 90) * 4.0).to_radians())
            .map(|angle| [grid::math::cos(angle) * 9.0, grid::math::sin(angle) * 9.0])
            .collect();
        let light = lighter(&ring, 0.1);
        assert!(light.len() > 8 && light.len() < 40 && light.first() == light.last(), "{}", light.len());
    }

    #[test]
    fn the_greater_branch_goes_on() {
        let lattice = Lattice::Plane { step_m: 1.0 };
        let window = Window { west: 0, north: 100, width: 100, height: 100 };
        let ground = Ground { lattice: &lattice, window, at: [0.0; 2], size: [100.0; 2] };
        let river = |places: Vec<[f64; 2]>, discharge_m3_s| River {
            places,
            discharge_m3_s,
            width_m: 4.0,
            basin: Some(7),
        };
        let rivers = [
            river(vec![[50.0, 50.0], [50.0, 10.0]], [30.0, 40.0]),
            river(vec![[10.0, 90.0], [50.0, 50.0]], [1.0, 20.0]),
            river(vec![[90.0, 90.0], [50.0, 50.0]], [1.0, 10.0]),
        ];
        let stems = stems(&rivers, &ground);
        assert_eq!(stems.len(), 2);
        assert_eq!(stems[0].discharge_m3_s, [1.0, 20.0, 40.0]);
        assert_eq!(stems[1].discharge_m3_s, [1.0, 10.0]);
        assert!((stems[0].points[2][1] - 90.5).abs() < 1e-9, "{:?}", stems[0].points);
    }

    #[test]
    fn rivers_in_a_circle_end() {
        let lattice = Lattice::Plane { step_m: 1.0 };
        let window = Window { west: 0, north: 100, width: 100, height: 100 };
        let ground = Ground { lattice: &lattice, window, at: [0.0; 2], size: [100.0; 2] };
        let river = |places| River { places, discharge_m3_s: [1.0, 1.0], width_m: 1.0, basin: None };
        let circle = [river(vec![[1.0, 1.0], [9.0, 9.0]]), river(vec![[9.0, 9.0], [1.0, 1.0]])];
        assert_eq!(stems(&circle, &ground).len(), 1);
    }
}
