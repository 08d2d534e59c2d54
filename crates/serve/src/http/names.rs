//! Lines that names of rivers are written along.
//!
//! Rivers come in pieces from junction to junction, with every bend: no piece is long enough for a name, and letters would
//! stand on end. Pieces of one river are joined, and its small bends left out.

use crate::clip::Point;

/// Units between the places of a line that carries a name: 32 pixels.
const FAR_APART: f64 = 256.0;
/// Ends that are closer than this, in units, are one place: two pixels.
const TOGETHER: f64 = 16.0;
/// How often corners are cut.
const CUTS: usize = 2;

/// A part of a river that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Discharge in m3/s at its end.
    pub discharge_m3_s: f64,
    /// Its places on the tile, downstream.
    pub line: Vec<Point>,
}

/// The same rivers as lines that names can follow. Cost: for each piece a look at all others.
pub fn carriers(mut pieces: Vec<Named>) -> Vec<Named> {
    pieces.retain(|piece| piece.line.len() > 1);
    let mut found: Vec<Named> = Vec::new();
    while let Some(mut river) = pieces.pop() {
        while let Some(k) = pieces.iter().position(|p| p.name == river.name && meets(&river.line, &p.line)) {
            let below = pieces.swap_remove(k);
            river.line.extend_from_slice(&below.line[1..]);
            river.discharge_m3_s = below.discharge_m3_s;
        }
        while let Some(k) = pieces.iter().position(|p| p.name == river.name && meets(&p.line, &river.line)) {
            let mut above = pieces.swap_remove(k).line;
            above.extend_from_slice(&river.line[1..]);
            river.line = above;
        }
        river.line = smooth(&river.line);
        found.push(river);
    }
    found
}

/// Whether one line ends where another begins.
fn meets(above: &[Point], below: &[Point]) -> bool {
    above.last().zip(below.first()).is_some_and(|(a, b)| distance(*a, *b) < TOGETHER)
}

/// A line with fewer places, and rounded corners.
fn smooth(line: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(line.len());
    for (i, p) in line.iter().enumerate() {
        let is_close = kept.last().is_some_and(|last| distance(*last, *p) < FAR_APART);
        if !is_close {
            kept.push(*p);
        } else if i + 1 == line.len() {
            // the end stays; the last place before it makes room
            if kept.len() > 1 {
                kept.pop();
            }
            kept.push(*p);
        }
    }
    for _ in 0..CUTS {
        kept = with_cut_corners(&kept);
    }
    kept
}

/// Chaikin's corners (1974): each becomes two, a quarter of the way to its neighbours.
fn with_cut_corners(line: &[Point]) -> Vec<Point> {
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return Vec::new() };
    let between = |a: Point, b: Point, t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
    let cut = line.windows(2).flat_map(|w| [between(w[0], w[1], 0.25), between(w[0], w[1], 0.75)]);
    std::iter::once(*first).chain(cut).chain([*last]).collect()
}

fn distance(a: Point, b: Point) -> f64 {
    let [x, y] = [a[0] - b[0], a[1] - b[1]];
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(name: &str, discharge_m3_s: f64, line: &[Point]) -> Named {
        Named { name: name.into(), discharge_m3_s, line: line.to_vec() }
    }

    #[test]
    fn pieces_in_any_order_become_one_river() {
        let bend = |k: i32| [f64::from(k) * 300.0, if k % 2 == 0 { 0.0 } else { 100.0 }];
        let part = |from: i32, q: f64| piece("Orm", q, &[bend(from), bend(from + 1), bend(from + 2)]);
        let whole = carriers(vec![part(0, 1.0), part(2, 2.0), part(4, 3.0)]);
        assert_eq!(whole.len(), 1);
        assert_eq!((whole[0].discharge_m3_s, whole[0].line[0]), (3.0, bend(0)));
        assert_eq!(whole[0].line.last(), Some(&bend(6)));
        for order in [[2, 0, 4], [4, 2, 0], [0, 4, 2], [2, 4, 0]] {
            let pieces = order.map(|from| part(from, f64::from(from) / 2.0 + 1.0)).to_vec();
            assert_eq!(carriers(pieces), whole, "{order:?}");
        }
    }

    #[test]
    fn rivers_of_other_names_stay_apart_and_small_bends_are_left_out() {
        let wiggles: Vec<Point> =
            (0..200).map(|k| [f64::from(k) * 10.0, if k % 2 == 0 { 0.0 } else { 40.0 }]).collect();
        let found = carriers(vec![
            piece("Orm", 5.0, &wiggles),
            piece("Ask", 5.0, &[[1990.0, 40.0], [3000.0, 0.0]]),
            piece("Ask", 5.0, &[[1.0, 1.0]]),
        ]);
        assert_eq!(found.len(), 2);
        let orm = found.iter().find(|river| river.name == "Orm").expect("it is there");
        for w in orm.line.windows(3) {
            let [a, b] = [[w[0], w[1]], [w[1], w[2]]].map(|[p, q]| [q[0] - p[0], q[1] - p[1]]);
            let turn = (a[0] * b[1] - a[1] * b[0]) / (distance(w[0], w[1]) * distance(w[1], w[2]));
            assert!(turn.abs() < 0.2, "letters would stand on end: {turn}");
        }
    }
}
