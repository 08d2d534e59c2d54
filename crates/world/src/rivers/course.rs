//! The course of a reach as a curve.
//!
//! Sinuosity is the length of a river over the straight distance of its ends. It has two parts here, multiplied:
//! the bends that span cells, from the cells' centres once the staircase of the eight directions has been averaged
//! away; and meanders within cells, which grow as the slope S falls below the one at which rivers of discharge
//! Q (m3/s) begin to braid (Leopold & Wolman 1957):
//!
//! ```text
//! meanders = 1 + 0.3 share / (1 + S / Sb)      Sb = 0.012 Q^-0.44; share: of the course outside lakes
//! ```
//!
//! The 0.3 is set so that reaches over 50 km come to Earth's median of about 1.2 on maps that show what is larger
//! than a kilometre. Neglects: what the banks are made of, the kind of load.

use crate::fields::position_m;
use grid::{Cell, Topology, Vec3, math};

/// How often the cells' centres are averaged. Over a staircase of single steps the waves of two and four cells are
/// gone then (left: 0 and 1/16), while bends of ten cells keep two thirds.
const PASSES: usize = 4;

/// What meanders within cells add to a river's length, at most.
const MEANDERS: f64 = 0.3;

/// By how much meanders within cells lengthen a river of a discharge in m3/s and a slope, of which a share runs
/// outside lakes.
pub(super) fn meanders(discharge_m3_s: f64, slope: f64, share: f64) -> f64 {
    let braids = 0.012 * math::pow(discharge_m3_s.max(1e-3), -0.44);
    1.0 + MEANDERS * share / (1.0 + slope.max(0.0) / braids)
}

/// Length of a course over its smoothed cells, divided by the straight distance of its ends; at least 1.
///
/// Each pass puts a point at a quarter of the one before, half its own and a quarter of the one after; the ends stay.
/// So the eight directions of cells are not taken for bends: a straight line at any angle has 1.00 to 1.02.
pub(super) fn bends(grid: &Topology, path: &[Cell]) -> f64 {
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
        bends(&grid, &cells)
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
            ((100.0 - 80.0 * math::cos(angle)).round(), (100.0 + 80.0 * math::sin(angle)).round())
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
                    (20.0 + 0.2 * length * math::sin(std::f64::consts::TAU * f64::from(x) / length)).round(),
                )
            }))
        };
        assert!(wave(60.0) > 1.2, "{}", wave(60.0));
        let steps =
            of((0..100).flat_map(|x| [(f64::from(x), f64::from(x)), (f64::from(x + 1), f64::from(x))]));
        assert!(steps < 1.02, "{steps}");
    }

    #[test]
    fn gentle_rivers_meander_and_lakes_do_not() {
        // at the slope where rivers of 100 m3/s braid
        let braids = 0.012 * math::pow(100.0, -0.44);
        assert!((meanders(100.0, braids, 1.0) - (1.0 + MEANDERS / 2.0)).abs() < 1e-12);
        assert!(meanders(100.0, 1e-5, 1.0) > 1.29 && meanders(100.0, 0.03, 1.0) < 1.02);
        assert!(meanders(1000.0, 1e-3, 1.0) < meanders(100.0, 1e-3, 1.0));
        assert_eq!(meanders(100.0, 0.0, 0.0), 1.0);
    }
}
