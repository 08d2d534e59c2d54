//! Names along rivers: where their letters stand.

use grid::math;

/// A place on a map or a sheet, or a direction.
type Point = [f64; 2];

/// Letters of a name.
pub struct Letters<'a> {
    /// Their size.
    pub size: f64,
    /// How far above the line they stand; below it where it is negative.
    pub above: f64,
    /// Room between two.
    pub tracking: f64,
    /// How wide each is.
    pub wide: &'a dyn Fn(char) -> f64,
}

/// Where the letters of a name stand along a line, and in which direction each is read: from left to right, in the middle
/// of the line. None where the line turns so sharply that letters would touch or stand apart, or lie upon one another.
pub fn letters(words: &str, line: &[Point], how: &Letters) -> Option<Vec<(Point, Point)>> {
    let (first, last) = (line.first()?, line.last()?);
    let line: Vec<Point> =
        if last[0] >= first[0] { line.to_vec() } else { line.iter().rev().copied().collect() };
    let count = words.chars().count();
    let wide = words.chars().map(how.wide).sum::<f64>() + how.tracking * (count as f64 - 1.0);
    let length: f64 = line.windows(2).map(|w| distance(w[0], w[1])).sum();
    let mut way = (0.5 * (length - wide)).max(0.0);
    let mut places = Vec::with_capacity(count);
    for letter in words.chars() {
        let step = (how.wide)(letter);
        let (start, end) = (at(&line, way)?, at(&line, way + step)?);
        let whole = distance(start, end).max(1e-9);
        let along = [(end[0] - start[0]) / whole, (end[1] - start[1]) / whole];
        places.push(([start[0] + how.above * along[1], start[1] - how.above * along[0]], along));
        way += step + how.tracking;
    }
    const SHARP: f64 = 0.3;
    let turn = |w: &[(Point, Point)]| (w[0].1[0] * w[1].1[1] - w[0].1[1] * w[1].1[0]).abs();
    if places.windows(2).any(|w| turn(w) > SHARP) {
        return None;
    }
    // a short line that is smoothed shrinks to a place
    const APART: f64 = 0.1;
    let is_close = |w: &[(Point, Point)]| distance(w[0].0, w[1].0) < APART * how.size;
    (!places.windows(2).any(is_close)).then_some(places)
}

/// A line in even steps, its small bends smoothed away, so that letters of a size do not dance.
pub fn calm(line: &[Point], step: f64, size: f64) -> Vec<Point> {
    let even = even(line, step);
    let reach = ((2.4 * size / step) as usize).max(2);
    let mean = |n: usize| {
        let part = &even[n.saturating_sub(reach)..(n + reach + 1).min(even.len())];
        let sum = part.iter().fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
        sum.map(|v| v / part.len() as f64)
    };
    (0..even.len()).map(mean).collect()
}

/// How much a line turns in all, in radians.
pub fn bend(line: &[Point]) -> f64 {
    let turn = |w: &[Point]| {
        let (a, b) = ([w[1][0] - w[0][0], w[1][1] - w[0][1]], [w[2][0] - w[1][0], w[2][1] - w[1][1]]);
        math::atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]).abs()
    };
    line.windows(3).map(turn).sum()
}

/// Points of a line at even steps.
fn even(line: &[Point], step: f64) -> Vec<Point> {
    let mut found = Vec::new();
    let mut due = 0.0;
    for pair in line.windows(2) {
        let whole = distance(pair[0], pair[1]);
        while due < whole {
            found.push(between(pair, due / whole));
            due += step;
        }
        due -= whole;
    }
    found
}

/// The place at a distance along a line; beyond its end, on as it ended.
fn at(line: &[Point], mut way: f64) -> Option<Point> {
    let mut last = None;
    for pair in line.windows(2) {
        let whole = distance(pair[0], pair[1]);
        if way <= whole {
            return Some(between(pair, way / whole.max(1e-9)));
        }
        way -= whole;
        last = Some(between(pair, (whole + way) / whole.max(1e-9)));
    }
    last
}

fn between(pair: &[Point], t: f64) -> Point {
    [0, 1].map(|k| pair[0][k] + t * (pair[1][k] - pair[0][k]))
}

fn distance(a: Point, b: Point) -> f64 {
    let [x, y] = [a[0] - b[0], a[1] - b[1]];
    (x * x + y * y).sqrt()
}
