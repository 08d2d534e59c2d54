//! Ridges: the crest lines of the mountains, as one byte of directions per cell.
//!
//! A cell lies on a crest that runs in a direction if the ground falls to both sides of it, by more than a trifle,
//! and not merely as the side of a nose that falls along the line as well:
//!
//! ```text
//! h >= left, h >= right, fall = h - (left + right) / 2 >= max(0.35 |h - before|, 0.04 h)
//! ```
//!
//! all in metres per width of a cell, of heights from which the smallest wrinkles have been smoothed. Lines are
//! followed from the highest crest cell first, both ways, each step to the best of the three cells ahead, over
//! gaps of two cells that are no crests, until the crest ends or touches another line: there the two are joined,
//! unless that closed a ring. No cell beside a line belongs to another one, so that lines neither run side by side
//! nor cross. Branches of fewer than five cells and lone lines of fewer than six (spurs, single mountains) are dropped.
//! A bit towards a neighbour is set back from it.
//!
//! Crests found by their two sides: Peucker & Douglas 1975; the following of lines is ours. Neglects: crests that
//! close into rings; crests less than three cells apart.

mod gorges;
mod lines;
mod trace;

pub use gorges::{Courses, Crossing, crossing_table, yield_to_rivers};
pub use lines::{RidgeLines, lines};

use crate::recipe::MountainParams;
use grid::{Field, Topology};

/// The directions in which ridges leave each cell: bits of [`grid::RidgeDirections`], 0 where there is none.
///
/// `height_m`: mountains above the land under them. Cost: a pass over all cells; the rest takes part in mountains
/// only.
pub fn trace_ridges(grid: &Topology, params: &MountainParams, height_m: &Field<f32>) -> Field<u8> {
    trace::trace(grid, height_m, params.min_height_m as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Cell, Direction, Flat, Globe, Grid, Purpose, RidgeDirections, Seed, math, noise::Fractal};

    fn traced(grid: &Topology, height: impl Fn(f64, f64) -> f64 + Sync) -> Field<u8> {
        let field = Field::from_fn(grid.shape(), |c| {
            let (_, row, col) = grid.shape().split(c);
            height(f64::from(col), f64::from(row)) as f32
        });
        trace_ridges(grid, &MountainParams::default(), &field)
    }

    fn map() -> Topology {
        Topology::Flat(Flat::new(60, 40, 18_000.0).expect("a small map"))
    }

    /// The height of a wall of 3000 m that falls to 0 within five cells.
    fn wall(distance: f64) -> f64 {
        3000.0 - 600.0 * distance.abs()
    }

    fn length(x: f64, y: f64) -> f64 {
        (x * x + y * y).sqrt()
    }

    fn to_segment(p: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let t = (((p.0 - a.0) * dx + (p.1 - a.1) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
        length(p.0 - a.0 - t * dx, p.1 - a.1 - t * dy)
    }

    #[test]
    fn two_straight_crests_are_two_lines() {
        let grid = map();
        for lean in [0.0, 0.2, -0.45, 0.9] {
            let a = |x: f64| 10.0 + lean * (x - 30.0) * 0.4;
            let bits = traced(&grid, |x, y| wall(y - a(x)).max(wall(y - a(x) - 14.0)).max(0.0));
            let found = lines(&grid, &bits);
            assert_eq!((found.lines.len(), found.junctions), (2, 0), "lean {lean}");
            for cell in found.lines.iter().flatten() {
                let (_, row, col) = grid.shape().split(*cell);
                let off = (f64::from(row) - a(f64::from(col))).abs();
                assert!(off.min((off - 14.0).abs()) <= 1.0, "lean {lean}: {cell:?} lies {off} off");
            }
            assert!(found.lines.iter().all(|line| line.len() >= 55), "lean {lean}");
        }
    }

    #[test]
    fn three_crests_meet_in_a_junction() {
        let grid = map();
        let arms = [(5.0, 20.0), (50.0, 4.0), (50.0, 36.0)];
        let nearest =
            |p| arms.iter().map(|&end| to_segment(p, (30.0, 20.0), end)).fold(f64::INFINITY, f64::min);
        let bits = traced(&grid, |x, y| (wall(nearest((x, y))) - 10.0 * (x - 30.0).abs()).max(0.0));
        let found = lines(&grid, &bits);
        assert_eq!((found.lines.len(), found.junctions), (2, 1));
        for cell in found.lines.iter().flatten() {
            let (_, row, col) = grid.shape().split(*cell);
            assert!(nearest((f64::from(col), f64::from(row))) <= 1.5, "{cell:?}");
        }
    }

    #[test]
    fn cones_have_next_to_none_and_domes_and_plains_none() {
        let grid = map();
        let none = Field::filled(grid.shape(), 0u8);
        let short = |bits: &Field<u8>| {
            let found = lines(&grid, bits);
            found.junctions == 0 && found.lines.len() <= 1 && found.lines.iter().all(|line| line.len() <= 7)
        };
        let r = |x: f64, y: f64| length(x - 30.2, y - 19.7);
        for radius in [1.2, 2.5, 5.0, 9.0, 16.0] {
            let cone = traced(&grid, |x, y| 4000.0 * (1.0 - r(x, y) / radius).max(0.0));
            assert!(
                short(&cone) && (radius > 3.0 || cone == none),
                "cone of {radius}: {:?}",
                lines(&grid, &cone)
            );
            let dome = |x: f64, y: f64| 4000.0 * (1.0 - r(x, y) * r(x, y) / (radius * radius)).max(0.0);
            assert!(traced(&grid, dome) == none, "dome of {radius}");
        }
        assert_eq!(traced(&grid, |x, y| 2000.0 + 40.0 * x + 13.0 * y), none);
        assert_eq!(traced(&grid, |_, y| 0.08 * wall(y - 20.0)), none, "too low");
    }

    #[test]
    fn a_spur_is_left_out() {
        let grid = map();
        let height =
            |x: f64, y: f64| wall(y - 20.0).max(wall(to_segment((x, y), (30.0, 20.0), (30.0, 22.0))) - 100.0);
        let found = lines(&grid, &traced(&grid, |x, y| height(x, y).max(0.0)));
        assert_eq!((found.lines.len(), found.junctions), (1, 0), "{:?}", found.lines);
    }

    /// A range as the mountains make them: a tent with wandering crests on it, a known distance apart.
    #[test]
    fn a_wide_belt_has_a_line_for_each_crest() {
        let grid = Topology::Flat(Flat::new(120, 60, 18_000.0).expect("a small map"));
        let noise = Fractal::new(Seed(5).key(Purpose::new("test/belt")), 3, 0.5);
        let (mut sections, mut as_many) = (0, 0);
        for crests in [2.0, 3.0, 4.0] {
            let half = crests * 2.5;
            let at = |x: f64, y: f64| {
                let wander = 3.0 * noise.fbm(grid::Vec3::new(x / 40.0, 0.0, crests));
                let d = y - 30.0 - wander;
                let crest = math::cos(std::f64::consts::PI * (d / 5.0 + 0.5 * (crests + 1.0))).abs();
                (4000.0 * (1.0 - d * d / ((half + 2.0) * (half + 2.0))).max(0.0)) * (0.25 + 0.75 * crest)
            };
            let bits = traced(&grid, at);
            for col in 5..115 {
                let across = |row: &u32| {
                    let b = RidgeDirections::from_bits_retain(bits[grid.shape().join(0, *row, col)]);
                    b.intersects(RidgeDirections::E | RidgeDirections::NE | RidgeDirections::SE)
                };
                as_many += usize::from((0..60).filter(across).count() == crests as usize);
                sections += 1;
            }
            assert!(lines(&grid, &bits).longest_m() > 100.0 * 18_000.0, "{crests} crests");
        }
        assert!(as_many * 10 >= sections * 9, "{as_many} of {sections}");
    }

    /// Whether two cells that share a vertex only are linked.
    fn over_corner(grid: &Topology, bits: &Field<u8>, a: Cell, b: Cell) -> bool {
        let to = |d: &Direction| grid.neighbor(a, *d) == Some(b) && !d.is_side();
        RidgeDirections::from_bits_retain(bits[a]).directions().any(|d| to(&d))
    }

    /// Random mountains of several sizes over a whole globe: cube edges and corners are among them.
    #[test]
    fn lines_are_mutual_do_not_cross_and_keep_apart() {
        let (mut links, mut far) = (0, 0);
        for seed in 0..12 {
            let grid = Topology::Globe(Globe::new(20 + 3 * seed as u32, 6.371e6).expect("a small globe"));
            let noise = Fractal::new(Seed(seed).key(Purpose::new("test/lines")), 3, 0.5);
            let fineness = 2.0 + seed as f64 * 0.5;
            let height = Field::from_fn(grid.shape(), |c| {
                (5000.0 * noise.ridged(grid.center(c) * fineness) - 1000.0) as f32
            });
            let bits = trace_ridges(&grid, &MountainParams::default(), &height);
            for cell in grid.cells() {
                let out = RidgeDirections::from_bits_retain(bits[cell]);
                assert!(out.is_empty() || height[cell] >= 250.0);
                for direction in out.directions() {
                    let step = grid.step(cell, direction).expect("ridges lead to cells that exist");
                    assert!(RidgeDirections::from_bits_retain(bits[step.cell]).has(step.back));
                    links += 1;
                    far += usize::from(grid.shape().split(cell).0 != grid.shape().split(step.cell).0);
                    if !direction.is_side() {
                        let beside = [7, 1].map(|t| grid.neighbor(cell, direction.turned(t)));
                        let [Some(a), Some(b)] = beside else { panic!("a corner has sides") };
                        assert!(!over_corner(&grid, &bits, a, b), "crossing at {cell:?}");
                    }
                }
                keeps_apart(&grid, &bits, cell);
            }
        }
        assert!(links > 5_000 && far > 100, "{links} links, {far} between faces");
    }

    /// Ridge cells that touch are near each other along the ridges too, and never fill four cells around a vertex.
    fn keeps_apart(grid: &Topology, bits: &Field<u8>, cell: Cell) {
        if bits[cell] == 0 {
            return;
        }
        let linked = |c: Cell| RidgeDirections::from_bits_retain(bits[c]).directions();
        let mut near = vec![cell];
        for _ in 0..3 {
            let next: Vec<Cell> =
                near.iter().flat_map(|&c| linked(c).filter_map(move |d| grid.neighbor(c, d))).collect();
            near.extend(next);
        }
        for (direction, neighbor) in grid.neighbors(cell).filter(|&(_, n)| bits[n] != 0) {
            assert!(near.contains(&neighbor), "{cell:?} and {neighbor:?} lie side by side");
            let around = [7, 1].map(|t| grid.neighbor(cell, direction.turned(t)));
            let full = !direction.is_side() && around.iter().all(|n| n.is_some_and(|n| bits[n] != 0));
            assert!(!full, "a filled block at {cell:?}");
        }
    }
}
