//! What is around a small ball of bent space: mostly of a cell, kept with it.

use super::cells::{self, Known, Sides, Weighed};
use super::lakes::{self, LakeCell};
use super::ranges::{Flanks, Range};
use super::{LEVELS, Terrain};
use crate::features::Surface;
use crate::high::{High, Pieces};
use crate::primitives::Ball;
use grid::{Grid, Level, Part, Vec3};
use std::sync::{Arc, OnceLock};

/// Features lie within this of their cell's centre, with all that they raise, in cells.
const REACH_CELLS: f64 = 2.2;

/// What is around a small ball of bent space.
pub(super) struct Around {
    ball: Ball,
    /// The place in the patch of the cell that this is around, if it is one.
    pub place: Option<usize>,
    /// What cells add to means, in the order of addresses.
    pub known: Weighed,
    /// Parts of lakes, in the same order.
    pub lakes: Vec<Arc<LakeCell>>,
    /// All below is made when it is first asked for: most of a range's neighbourhood is plains.
    flanks: OnceLock<Box<Flanks>>,
    /// Of each level.
    high: [OnceLock<Box<High>>; LEVELS],
    /// Of things of another size.
    high_for: OnceLock<Box<High>>,
}

impl Around {
    pub fn new(terrain: &Terrain, ball: Ball) -> Self {
        let near = terrain.near(&ball, cells::COAST_RADIUS_CELLS.max(lakes::REACH_CELLS));
        let mut near: Vec<(usize, &Known)> =
            near.into_iter().filter_map(|place| Some((place, terrain.known(place)?))).collect();
        let sides = Sides::of(near.iter().map(|of| of.1));
        let lakes = near.iter().filter_map(|of| terrain.lake(of.0)).cloned().collect();
        if sides != Sides::Both {
            let reach_m = ball.radius_m + cells::RADIUS_CELLS * terrain.cell_m;
            near.retain(|of| of.1.center_m.distance(ball.center) <= reach_m);
        }
        let known = Weighed::new(&near, sides);
        let (flanks, high, high_for) = Default::default();
        Self { ball, known, lakes, place: None, flanks, high, high_for }
    }

    /// Whether all cells that can matter are dry land.
    pub fn is_inland(&self) -> bool {
        self.known.sides == Sides::Land && self.lakes.is_empty()
    }

    /// Whether a place lies in the ball.
    pub fn serves(&self, q: Vec3) -> bool {
        self.ball.holds(q)
    }

    pub fn flanks(&self, terrain: &Terrain) -> &Flanks {
        self.flanks.get_or_init(|| {
            let ranges = terrain.ranges(&self.ball);
            let near = ranges.flat_map(|range| range.broad.iter().filter(|b| b.meets(&self.ball)));
            Box::new(Flanks::new(near.copied().collect(), &self.ball, &Surface::of(terrain.grid)))
        })
    }

    /// The high ground for the sites of a level, of `size_m`.
    pub fn high(&self, terrain: &Terrain, level: Level, size_m: f64) -> &High {
        self.high[usize::from(level.0)].get_or_init(|| {
            let mut high = High::default();
            for range in terrain.ranges(&self.ball) {
                let (maker, of_level) = (terrain.maker(), (level, size_m));
                let pieces = range.pieces(&maker, of_level, terrain.generations);
                high.add_pieces(range.raised(&maker), pieces, &self.ball, size_m);
            }
            Box::new(high)
        })
    }

    /// The same for things of a size that no level's sites have.
    pub fn high_for(&self, terrain: &Terrain, size_m: f64) -> &High {
        self.high_for.get_or_init(|| Box::new(terrain.high(High::default(), &self.ball, size_m)))
    }
}

/// Levels from this on see the high ground of a part of a cell by itself: what grows on crests is so short for them, and so much
/// of it, that most of a cell is not worth growing for a window. And the parts, of this level.
const DEEP: Level = Level(7);
const PART: Level = Level(2);
/// Parts along a side of a cell.
const PARTS: u32 = 1 << PART.0;
const DEEP_LEVELS: usize = LEVELS - DEEP.0 as usize;

/// The high ground of the parts of a cell, for each of the deepest levels, with the ball that it serves.
#[derive(Default)]
pub(super) struct Deep([OfParts; DEEP_LEVELS]);

type OfParts = [OnceLock<Box<(Ball, High)>>; (PARTS * PARTS) as usize];

impl Terrain<'_> {
    /// The high ground around a place in bent space for the sites of a deep level, of `size_m`, with the ball that it serves; none
    /// for levels that see whole cells.
    pub(super) fn deep_high(&self, q: Vec3, level: Level, size_m: f64) -> Option<&(Ball, High)> {
        let deep = level.0.checked_sub(DEEP.0)?;
        let at = self.grid.nearest_inside(q / self.grid.metres_per_unit());
        let part = self.grid.locate_part(PART, at)?;
        let slot = &self.slots[self.patch.index(self.grid.cell_of(part))?];
        let number = part.row % PARTS * PARTS + part.col % PARTS;
        let make = || {
            let ball = self.ball_of(part);
            let (mut high, maker) = (High::default(), self.maker());
            for range in self.ranges(&ball) {
                high.add_within(range.raised(&maker), self.generations, &ball, size_m);
            }
            Box::new((ball, high))
        };
        let found =
            slot.deep.get_or_init(Box::default).0[usize::from(deep)][number as usize].get_or_init(make);
        found.0.holds(q).then_some(&**found)
    }

    /// A ball around a part of a cell.
    fn ball_of(&self, part: Part) -> Ball {
        let place = |x, y| self.grid.within_part(part, x, y) * self.grid.metres_per_unit();
        let center = place(0.5, 0.5);
        let far = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)].map(|(x, y)| place(x, y).distance(center));
        Ball { center, radius_m: far.into_iter().fold(0.0, f64::max) * cells::BULGE }
    }

    /// The high ground near a ball for things of `size_m`.
    pub(super) fn high(&self, mut high: High, ball: &Ball, size_m: f64) -> High {
        let maker = self.maker();
        for range in self.ranges(ball) {
            let features = range.raised(&maker);
            high.add_pieces(features, &Pieces::new(features, (size_m, self.generations), None), ball, size_m);
        }
        high
    }

    /// Mountains of cells that can matter within a ball.
    fn ranges(&self, ball: &Ball) -> impl Iterator<Item = &Range> {
        self.near(ball, REACH_CELLS).into_iter().filter_map(|k| self.range(k))
    }
}
