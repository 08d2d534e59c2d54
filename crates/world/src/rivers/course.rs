//! The course of a reach as a curve.

use crate::fields::position_m;
use grid::{Cell, Topology, Vec3};

/// How often the cells' centres are averaged. Over a staircase of single steps the waves of two and four cells are
/// gone then (left: 0 and 1/16), while bends of ten cells keep two thirds.
const PASSES: usize = 4;

/// Length of a course over its smoothed cells, divided by the straight distance of its ends; at least 1.
///
/// Each pass puts a point at a quarter of the one before, half its own and a quarter of the one after; the ends stay.
/// So the eight directions of cells are not taken for bends: a straight line at any angle has 1.00 to 1.02.
pub(super) fn sinuosity(grid: &Topology, path: &[Cell]) -> f64 {
    let mut points: Vec<Vec3> = path.iter().map(|&cell| position_m(grid, cell)).collect();
    for _ in 0..PASSES {
        let mean = |w: &[Vec3]| (w[0] + w[2]) * 0.25 + w[1] * 0.5;
        let inner: Vec<Vec3> = points.windows(3).map(mean).collect();
        points.iter_mut().skip(1).zip(inner).for_each(|(point, mean)| *point = mean);
    }
    let along_m: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
    let straight_m = points.first().zip(points.last()).map_or(0.0, |(a, b)| a.distance(*b));
    if straight_m > 0.0 { (along_m / straight_m).max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Flat, Grid};

    fn of(path: impl Iterator<Item = (f64, f64)>) -> f64 {
        let grid = Topology::Flat(Flat::new(200, 200, 1.0).expect("a small map"));
        let at = |(x, y): (f64, f64)| grid.locate(Vec3::new(x + 0.5, y + 0.5, 0.0)).expect("on the map");
        let mut cells: Vec<Cell> = path.map(at).collect();
        cells.dedup();
        sinuosity(&grid, &cells)
    }

    #[test]
    fn straight_courses_at_any_angle_are_straight() {
        for k in 0..=40 {
            let slope = f64::from(k) / 40.0;
            let found = of((0..100).map(|x| (f64::from(x), (slope * f64::from(x)).round())));
            assert!((1.0..1.02).contains(&found), "slope {slope}: {found}");
        }
    }

    #[test]
    fn a_half_circle_is_longer_by_half_pi() {
        let round = |k: u32| {
            let angle = std::f64::consts::PI * f64::from(k) / 2000.0;
            ((100.0 - 80.0 * angle.cos()).round(), (100.0 + 80.0 * angle.sin()).round())
        };
        let found = of((0..=2000).map(round));
        assert!((found - std::f64::consts::FRAC_PI_2).abs() < 0.03, "{found}");
    }

    #[test]
    fn broad_bends_count_and_steps_do_not() {
        let wave = |length: f64| {
            of((0..150).map(|x| {
                (
                    f64::from(x),
                    (20.0 + 0.2 * length * (std::f64::consts::TAU * f64::from(x) / length).sin()).round(),
                )
            }))
        };
        assert!(wave(60.0) > 1.2, "{}", wave(60.0));
        let steps =
            of((0..100).flat_map(|x| [(f64::from(x), f64::from(x)), (f64::from(x + 1), f64::from(x))]));
        assert!(steps < 1.02, "{steps}");
    }
}
