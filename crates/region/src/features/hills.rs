//! Hills: short ridges of mountain cells through which no ridge of the world leads: the flanks of ranges, and ranges
//! too low or too broad for a crest.
//!
//! Each leads down the fall of mountain heights, more or less, as spurs of a range do, and keeps away from rivers.

use super::heights::Heights;
use super::{Crest, Maker, River};
use grid::{Cell, Draw, Grid, Key, Nth, Purpose, Vec3};

const HILL: Purpose = Purpose::new("region/hill");

/// Number of hills.
const HILLS: (u32, u32) = (4, 7);
/// Straight pieces of one.
const PIECES: usize = 6;
/// Length in cells.
const LENGTH: (f64, f64) = (0.4, 0.9);
/// Its highest point, as shares of the cell's mountain height.
const HEIGHT: (f64, f64) = (0.55, 0.88);
/// Its ends, as shares of its highest point.
const ENDS: (f64, f64) = (0.15, 0.5);
/// Places that are tried; that farthest from rivers is taken.
const PLACES: u32 = 4;
/// Hills turn off the fall by up to this, in radians; each piece off the one before by up to the second.
const TURN: (f64, f64) = (0.9, 0.3);
/// Where mountain heights hardly differ, in metres for a cell's width, hills lead anywhere.
const LEVEL_M: f64 = 60.0;

impl Maker<'_> {
    pub(super) fn hills(&self, cell: Cell, heights: &Heights, rivers: &[River]) -> Vec<Crest> {
        if heights.own_m <= 0.0 {
            return Vec::new();
        }
        let fall = self.fall(cell);
        let key = self.seed.key(HILL).within(cell);
        let number = HILLS.0 + key.at(Nth(u32::MAX)).below(HILLS.1 - HILLS.0 + 1);
        (0..number).map(|n| self.hill(cell, heights, (fall, rivers), key.within(Nth(n)))).collect()
    }

    fn hill(&self, cell: Cell, heights: &Heights, (fall, rivers): (Vec3, &[River]), key: Key) -> Crest {
        let mut draw = key.at(Nth(0));
        let middle = self.away_from_rivers(cell, rivers, &mut draw);
        let length_m = draw.range(LENGTH.0, LENGTH.1) * self.cell_m;
        let points_m = self.spur(middle, fall, length_m, &mut draw);
        let top_m = heights.own_m * draw.range(HEIGHT.0, HEIGHT.1);
        let ends = [(); 2].map(|()| draw.range(ENDS.0, ENDS.1));
        let heights_m: Vec<f64> = points_m
            .iter()
            .enumerate()
            .map(|(k, &p)| {
                let t = 2.0 * k as f64 / PIECES as f64 - 1.0;
                let end = ends[usize::from(t > 0.0)];
                let share = 1.0 - (1.0 - end) * t * t;
                // ends lie on the massif, whatever the height over them
                heights.above(p, top_m) * share * draw.range(0.9, 1.0)
            })
            .collect();
        self.crest(points_m, heights_m, key)
    }

    /// The place, of a few, that is farthest from the rivers of the cell; of equal ones the first.
    fn away_from_rivers(&self, cell: Cell, rivers: &[River], draw: &mut Draw) -> Vec3 {
        let from_rivers = |p: Vec3| {
            let points = rivers.iter().flat_map(|r| self.coarse(r));
            points.map(|r| (r - p).length_squared()).fold(f64::INFINITY, f64::min)
        };
        let mut best: Option<(f64, Vec3)> = None;
        for _ in 0..PLACES {
            let p = self.off_center(cell, 0.5, draw);
            let distance2 = from_rivers(p);
            if best.is_none_or(|(most, _)| distance2 > most) {
                best = Some((distance2, p));
            }
        }
        best.map_or_else(|| self.patch.center_m(cell), |(_, p)| p)
    }

    /// A winding line through a place, along the fall of the mountains.
    fn spur(&self, middle: Vec3, fall: Vec3, length_m: f64, draw: &mut Draw) -> Vec<Vec3> {
        let (u, v) = self.grid().tangents(middle);
        let free = draw.range(0.0, std::f64::consts::TAU);
        let turn = draw.range(-TURN.0, TURN.0);
        let steep = fall.length() * self.cell_m > LEVEL_M;
        let first = if steep { grid::math::atan2(fall.dot(v), fall.dot(u)) + turn } else { free };
        let half = |heading: f64, draw: &mut Draw| {
            let step_m = length_m / PIECES as f64;
            self.surface().wander(middle, heading, (step_m, TURN.1), (PIECES / 2, draw))
        };
        let mut points = half(first + std::f64::consts::PI, draw);
        points.reverse();
        points.extend_from_slice(&half(first, draw)[1..]);
        points
    }

    /// Where mountain heights of the cells around fall to, in metres per metre.
    fn fall(&self, cell: Cell) -> Vec3 {
        let (center, own_m) = (self.patch.center_m(cell), self.mountains_m(cell));
        let slope = |n: Cell| {
            let to = self.patch.center_m(n) - center;
            to * ((own_m - self.mountains_m(n)) / to.length_squared())
        };
        let around: Vec<Vec3> = self.grid().neighbors(cell).map(|(_, n)| slope(n)).collect();
        let sum = around.iter().fold(Vec3::default(), |sum, &v| sum + v);
        sum * (2.0 / around.len().max(1) as f64)
    }
}
