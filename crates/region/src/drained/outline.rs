//! How near the channels of squares of sites come to samples.
//!
//! The courses of a square's links lie within a line around it in bent space, but for those of wide rivers, which lie along ways of their own. The line is
//! unbent, and moved as meanders move it; marks among the samples of each tile tell how near it comes to them.

use super::COURSE;
use crate::bend::Bend;
use crate::curve::nearest;
use crate::drainage::block::{Block, Rect, SIDE, SQUARE};
use crate::drainage::funnel::{self, Funnel};
use crate::drainage::plan::JITTER;
use crate::primitives::Ball;
use grid::{Grid, Level, Topology, Vec3};

/// A square of sites, and how near its channels may come to a sample of the window, in metres, or less.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub square: Rect,
    pub near_m: f64,
    /// A ball around its channels, but for those of wide rivers.
    pub around: Ball,
}

/// Places of a tile of a window, and a ball around all its samples there.
pub(super) struct Marked {
    pub ball: Ball,
    pub marks: Vec<Vec3>,
    /// Every sample lies within this of a mark.
    pub apart_m: f64,
}

/// Tells how near the channels of squares come to a window.
pub(super) struct Reach<'a> {
    pub grid: &'a Topology,
    pub bend: &'a Bend,
    pub level: Level,
}

/// The course of a link lies within so many rows and columns of the part that it leaves, in bent space: a receiver's site
/// within its disc around the middle of a part beside it, and a course within [`COURSE`] of the straight way. Where parts are
/// narrow a course takes more of them: the second disc is for that.
pub(super) const LINK: f64 = 0.5 + 2.0 * JITTER + COURSE;
/// Distances are trusted up to this, in metres.
const HAIR_M: f64 = 1e-6;
/// What lies so far from its part as a wide river's sites do is moved otherwise than that: meanders make the way so many times as long.
pub(super) const SHEARED: f64 = 2.5;
/// The bend stretches what lies between two places by no more.
pub(super) const STRETCH: f64 = 1.5;

impl Reach<'_> {
    /// Whether channels of a block may come so near to samples of some tiles: where blocks are larger than cells, as far as a line around
    /// it tells, else a ball, which is sooner found and costs no more cells.
    pub fn is_near(&self, block: Block, tiles: &[Marked], reach_m: f64) -> bool {
        self.is_around(block, tiles, reach_m)
            && (block.level >= WITHIN_CELLS || {
                let whole = Nodes::of(self, block.rect(self.grid), |bent| bent).whole();
                tiles.iter().any(|tile| whole.is_near(tile, reach_m))
            })
    }

    /// The same as far as balls tell.
    fn is_around(&self, block: Block, tiles: &[Marked], reach_m: f64) -> bool {
        let Ball { center, radius_m } = self.around(block);
        tiles.iter().any(|tile| tile.ball.near(center, radius_m + reach_m + tile.ball.radius_m))
    }

    /// A ball in plain space around the courses of all links of a block.
    fn around(&self, block: Block) -> Ball {
        let rect = block.rect(self.grid);
        let first = rect.first(self.level);
        let scale = self.grid.metres_per_unit();
        let bent = |col: f64, row: f64| self.grid.within_part(first, col, row) * scale;
        let (rows, cols, beyond) = (f64::from(rect.rows), f64::from(rect.cols), 0.5 * f64::from(SQUARE));
        let middle = bent(0.5 * cols, 0.5 * rows);
        let ends = [
            (-beyond, -beyond),
            (cols + beyond, -beyond),
            (-beyond, rows + beyond),
            (cols + beyond, rows + beyond),
        ];
        let corners_m =
            ends.map(|(col, row)| bent(col, row).distance(middle)).into_iter().fold(0.0, f64::max);
        Ball { center: self.bend.unbend_roughly(middle), radius_m: STRETCH * corners_m }
    }

    /// The squares of a block whose channels may come so near to samples of some tiles that they matter.
    pub fn candidates(&self, block: Block, (tiles, reach_m): (&[Marked], f64)) -> Vec<Candidate> {
        if !self.is_around(block, tiles, reach_m) {
            return Vec::new();
        }
        let rect = block.rect(self.grid);
        let nodes = Nodes::of(self, rect, |bent| bent);
        let whole = nodes.whole();
        let near: Vec<&Marked> = tiles.iter().filter(|tile| whole.is_near(tile, reach_m)).collect();
        if near.is_empty() {
            return Vec::new();
        }
        let candidate = |square: Rect| nodes.around(rect, square).candidate(square, (&near, reach_m));
        rect.squares(self.grid.part_rows_cols(self.level)).filter_map(candidate).collect()
    }
}

/// From this level on blocks lie within a cell.
const WITHIN_CELLS: Level = Level(SIDE.ilog2() as u8);

/// What lies within so many metres of the way between two places in plain space.
pub(super) struct Run {
    pub ends: [Vec3; 2],
    pub within_m: f64,
}

impl Run {
    /// Whether it comes so near to a sample of some tiles.
    pub fn is_near(&self, tiles: &[Marked], reach_m: f64) -> bool {
        let [a, b] = self.ends;
        tiles.iter().any(|tile| tile.ball.meets(a, b, self.within_m + reach_m))
    }

    /// How much wider the tide makes rivers there, at the most.
    pub fn wider(&self, funnels: &[Funnel]) -> f64 {
        let [a, b] = self.ends;
        funnel::widest(funnels, a.lerp(b, 0.5), 0.5 * a.distance(b) + self.within_m)
    }
}

/// Places around the squares of a block in plain space: half a square beyond its sides, and every square from there. The
/// courses of a square's links lie between three rows and three columns of them.
pub(super) struct Nodes {
    places: Vec<Vec3>,
    rows: usize,
    cols: usize,
}

impl Nodes {
    /// Around the squares of a rectangle of a block; `moved` says where what lies at a place in bent space lies.
    pub fn of(reach: &Reach, rect: Rect, moved: impl Fn(Vec3) -> Vec3) -> Self {
        const { assert!(2.0 * LINK <= SQUARE as f64, "links end between nodes") }
        let first = rect.first(reach.level);
        let count = |length: u32| length.div_ceil(SQUARE) as usize + 2;
        let along = |k: usize| f64::from(SQUARE) * (k as f64 - 0.5);
        let place = |row: usize, col: usize| {
            let bent = reach.grid.within_part(first, along(col), along(row)) * reach.grid.metres_per_unit();
            reach.bend.unbend_roughly(moved(bent))
        };
        let (rows, cols) = (count(rect.rows), count(rect.cols));
        let places = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
        Self { places: places.map(|(row, col)| place(row, col)).collect(), rows, cols }
    }

    /// The line around a square of a rectangle of a block.
    pub fn around(&self, rect: Rect, square: Rect) -> Outline {
        let first = ((square.row - rect.row) / SQUARE, (square.col - rect.col) / SQUARE);
        self.outline((first.0 as usize, first.1 as usize), (2, 2))
    }

    /// The line around all squares.
    fn whole(&self) -> Outline {
        self.outline((0, 0), (self.rows - 1, self.cols - 1))
    }

    /// The line through nodes around so many rows and columns of squares, from a node on.
    fn outline(&self, (row, col): (usize, usize), (rows, cols): (usize, usize)) -> Outline {
        let node = |(r, c): (usize, usize)| self.places[(row + r) * self.cols + col + c];
        let north: Vec<Vec3> = (0..=cols).map(|c| node((0, c))).collect();
        let east: Vec<Vec3> = (0..=rows).map(|r| node((r, cols))).collect();
        let south: Vec<Vec3> = (0..=cols).map(|c| node((rows, cols - c))).collect();
        let west: Vec<Vec3> = (0..=rows).map(|r| node((rows - r, 0))).collect();
        Outline::through([north, east, south, west])
    }
}

/// A line around all courses of the links of some squares.
pub(super) struct Outline {
    /// Its straight pieces, one after the other.
    rim: Vec<Vec3>,
    /// No place of the line lies farther from a piece.
    slack_m: f64,
    /// A ball around all.
    whole: Ball,
}

impl Outline {
    /// The line along four sides.
    fn through(sides: [Vec<Vec3>; 4]) -> Self {
        let off_m = |w: &[Vec3]| ((w[0] + w[2]) * 0.5).distance(w[1]);
        // how far a node lies from the middle between the next ones; a side leaves the straight way from node to node by a
        // quarter of that, were it an arc
        let slack_m = sides.iter().flat_map(|side| side.windows(3).map(off_m)).fold(0.0, f64::max);
        let rim: Vec<Vec3> = sides.iter().flat_map(|side| side[..side.len() - 1].iter().copied()).collect();
        let middle = rim.iter().fold(Vec3::default(), |sum, p| sum + *p) * (1.0 / rim.len() as f64);
        let radius_m = rim.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        Self { rim, slack_m, whole: Ball { center: middle, radius_m: radius_m + slack_m } }
    }

    /// The square that it is around, if it comes within reach of some tiles.
    pub fn candidate(&self, square: Rect, (tiles, reach_m): (&[&Marked], f64)) -> Option<Candidate> {
        Some(Candidate { square, near_m: self.near_m(tiles, reach_m)?, around: self.whole })
    }

    /// Whether a sample of a tile may lie within reach.
    fn is_near(&self, tile: &Marked, reach_m: f64) -> bool {
        self.whole.near(tile.ball.center, reach_m + tile.ball.radius_m)
    }

    /// How near the line comes to a sample of some tiles, in metres; nothing where that is farther than `reach_m`.
    fn near_m(&self, tiles: &[&Marked], reach_m: f64) -> Option<f64> {
        let near = tiles.iter().filter(|tile| self.is_near(tile, reach_m));
        let mut near: Vec<(f64, &Marked)> = near.map(|tile| (self.least_off_m(&tile.ball), *tile)).collect();
        // from the nearest on, most others lie too far off to be looked at
        let nearest = (0..near.len()).min_by(|a, b| near[*a].0.total_cmp(&near[*b].0))?;
        near.swap(0, nearest);
        let lesser = |least_m: f64, (off_m, tile): (f64, &Marked)| {
            if off_m < least_m { self.off_tile_m(tile, least_m) } else { least_m }
        };
        let least_m = near.into_iter().fold(f64::INFINITY, lesser);
        (least_m <= reach_m).then_some(least_m)
    }

    /// How near the line comes to a sample of a tile, or `least_m` where that is less.
    fn off_tile_m(&self, tile: &Marked, mut least_m: f64) -> f64 {
        for &mark in &tile.marks {
            if self.least_off_m(&Ball { center: mark, radius_m: tile.apart_m }) < least_m {
                least_m = least_m.min(self.off_mark_m(mark, tile.apart_m));
            }
        }
        least_m
    }

    /// The line comes no nearer to a ball than this, in metres.
    fn least_off_m(&self, ball: &Ball) -> f64 {
        let off_m = ball.center.distance(self.whole.center) - ball.radius_m - self.whole.radius_m;
        (off_m - HAIR_M).max(0.0)
    }

    /// How near the line comes to a sample that lies within `apart_m` of a place; 0 inside.
    fn off_mark_m(&self, mark: Vec3, apart_m: f64) -> f64 {
        let next = self.rim.iter().cycle().skip(1);
        let off2 = self.rim.iter().zip(next).map(|(a, b)| nearest(mark, *a, *b).1).fold(f64::MAX, f64::min);
        let off_m = off2.sqrt() - self.slack_m;
        // inside the line the way from the middle over the mark meets it no nearer than that
        let is_inside = mark.distance(self.whole.center) + off_m <= self.whole.radius_m;
        if is_inside { 0.0 } else { (off_m - apart_m).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Nth, Purpose, Seed};

    /// How near a line comes to tiles does not depend on what is not looked at, to the last bit.
    #[test]
    fn tiles_and_marks_that_are_not_looked_at_are_farther() {
        let mut draw = Seed(12).key(Purpose::new("test/window/near")).at(Nth(0));
        let (mut found, mut beside) = (0, 0);
        for _ in 0..2_000 {
            let mut place = |size_m: f64| {
                Vec3::new(draw.range(-size_m, size_m), draw.range(-size_m, size_m), draw.range(-9.0, 9.0))
            };
            let corners: [Vec3; 4] = std::array::from_fn(|_| place(400.0));
            let side =
                |k: usize| vec![corners[k], corners[k].lerp(corners[(k + 1) % 4], 0.4), corners[(k + 1) % 4]];
            let outline = Outline::through(std::array::from_fn(side));
            let tile = |middle: Vec3, offs: [Vec3; 6]| {
                let marks: Vec<Vec3> = offs.into_iter().map(|off| middle + off).collect();
                let ball = Ball::around(marks.iter().copied()).expect("marks");
                Marked { ball: Ball { radius_m: ball.radius_m + 30.0, ..ball }, marks, apart_m: 30.0 }
            };
            let tiles: Vec<Marked> =
                (0..9).map(|_| tile(place(3_000.0), std::array::from_fn(|_| place(300.0)))).collect();
            let reach_m = 1_500.0;
            let marks =
                tiles.iter().filter(|tile| outline.is_near(tile, reach_m)).flat_map(|tile| &tile.marks);
            let least_m = marks.map(|mark| outline.off_mark_m(*mark, 30.0)).fold(f64::INFINITY, f64::min);
            let slow = (least_m <= reach_m).then_some(least_m);
            assert_eq!(outline.near_m(&tiles.iter().collect::<Vec<_>>(), reach_m), slow);
            found += usize::from(slow.is_some());
            beside += usize::from(slow.is_some_and(|near_m| near_m > 0.0));
        }
        assert!(found > 1_000 && beside > 500, "{found} {beside}");
    }
}
