//! The eight triangles around a cell, and the steepest way down them, for many cells of a row at a time.

use super::around::Around;
use grid::math::atan;

/// The side and the diagonal of the facet between a direction and the next.
pub(super) const fn legs(facet: usize) -> (usize, usize) {
    if facet.is_multiple_of(2) { (facet, facet + 1) } else { ((facet + 1) & 7, facet) }
}

/// A facet laid out with its side along an axis: how far the diagonal neighbour lies along that and beside it.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    along: f64,
    beside: f64,
}

impl Triangle {
    pub(super) fn of(around: &Around, facet: usize) -> Self {
        let (side, diagonal) = legs(facet);
        let (a, b, c) = (around.to[side], around.to[diagonal], around.ring[facet]);
        if around.is_square {
            return Self { along: a, beside: c };
        }
        // A cell's corner is never so skew that a facet opens by a right angle; not a number if an end is missing.
        let along = (a * a + b * b - c * c) / (2.0 * a);
        Self { along, beside: (b * b - along * along).sqrt() }
    }

    /// The angle at the centre, in radians.
    pub(super) fn opening(self) -> f64 {
        atan(self.beside / self.along)
    }
}

/// Cells that are looked at together: few enough to stay in the fastest cache.
pub(super) const BLOCK: usize = 64;

/// Levels of some cells of a row and around them, and the steepest way down each.
pub(super) struct Block {
    pub(super) level: [f32; BLOCK],
    /// By direction; not a number where there is no neighbour to go to.
    pub(super) around: [[f32; BLOCK]; 8],
    /// Square of the steepest slope; 0 where there is no way down.
    squared: [f64; BLOCK],
    /// Twice the direction of the steepest way, plus one where it is between that and the next. A whole number, of
    /// the type of the slopes so that both are chosen by one comparison of vectors.
    place: [f64; BLOCK],
}

impl Block {
    /// One of the cells, as the first of another block.
    pub(super) fn only(&self, lane: usize) -> Self {
        let mut block = Self::default();
        block.level[0] = self.level[lane];
        (0..8).for_each(|d| block.around[d][0] = self.around[d][lane]);
        block
    }
}

impl Default for Block {
    fn default() -> Self {
        let none = [f32::NAN; BLOCK];
        Self { level: none, around: [none; 8], squared: [0.0; BLOCK], place: [0.0; BLOCK] }
    }
}

/// What the facets of a cell, or of all cells of a row, have in common.
pub(super) struct Facets {
    per_to: [f64; 8],
    along: [f64; 8],
    beside: [f64; 8],
    per_beside: [f64; 8],
    /// Part of the drop to the side that is to be added to the rise beside it: 0 for a square corner.
    lean: [f64; 8],
    /// 1 / opening, where the facets are those of a whole row.
    per_opening: Option<[f64; 8]>,
}

impl Facets {
    pub(super) fn of(around: &Around) -> Self {
        let triangles: [Triangle; 8] = std::array::from_fn(|facet| Triangle::of(around, facet));
        Self {
            per_to: around.to.map(|d| 1.0 / d),
            along: triangles.map(|t| t.along),
            beside: triangles.map(|t| t.beside),
            per_beside: triangles.map(|t| 1.0 / t.beside),
            lean: std::array::from_fn(|facet| 1.0 - triangles[facet].along / around.to[legs(facet).0]),
            per_opening: around.is_square.then(|| triangles.map(|t| 1.0 / t.opening())),
        }
    }

    /// Slope towards the side of a facet and at right angles to that.
    #[inline(always)]
    fn slopes(&self, facet: usize, level: f64, side: f64, diagonal: f64) -> (f64, f64) {
        let drop = level - side;
        let beside = (side - diagonal) + drop * self.lean[facet];
        (drop * self.per_to[legs(facet).0], beside * self.per_beside[facet])
    }

    /// The steepest ways down the first cells of a block. Levels that are not numbers compare as no way.
    pub(super) fn steepest_of(&self, block: &mut Block, count: usize) {
        block.squared = [0.0; BLOCK];
        for direction in 0..8 {
            self.consider(direction, block, count.min(BLOCK));
        }
    }

    /// Compares the way in a direction, and the one inside the facet that follows, with the best so far.
    ///
    /// A direction at a time, so that the compiler takes several cells at once.
    #[inline(always)]
    fn consider(&self, direction: usize, block: &mut Block, count: usize) {
        let (side, diagonal) = legs(direction);
        let (level, way) = (&block.level[..count], &block.around[direction][..count]);
        let (side, diagonal) = (&block.around[side][..count], &block.around[diagonal][..count]);
        let (squared, place) = (&mut block.squared[..count], &mut block.place[..count]);
        let (per_to, along, beside) = (self.per_to[direction], self.along[direction], self.beside[direction]);
        let (here, between) = (2.0 * direction as f64, 2.0 * direction as f64 + 1.0);
        for lane in 0..count {
            let (level, side, diagonal) =
                (f64::from(level[lane]), f64::from(side[lane]), f64::from(diagonal[lane]));
            let (best, at) = (squared[lane], place[lane]);
            let slope = (level - f64::from(way[lane])) * per_to;
            let single = if slope > 0.0 { slope * slope } else { 0.0 };
            let (best, at) =
                (if single > best { single } else { best }, if single > best { here } else { at });
            let (s1, s2) = self.slopes(direction, level, side, diagonal);
            // Both ends are lower by comparison, whatever rounding makes of the slopes.
            let is_lower = (s1 > 0.0) & (diagonal < level);
            let is_inside = (s2 > 0.0) & (s2 * along < s1 * beside);
            let inside = if is_lower & is_inside { s1 * s1 + s2 * s2 } else { 0.0 };
            squared[lane] = if inside > best { inside } else { best };
            place[lane] = if inside > best { between } else { at };
        }
    }

    /// Direction in eighths and slope of the steepest way down a cell, or its receiver and 0.
    #[inline(always)]
    pub(super) fn way_down(&self, block: &Block, lane: usize, receiver: u8) -> (f32, f32) {
        let (squared, place) = (block.squared[lane], block.place[lane] as usize);
        if squared > 0.0 {
            (self.toward(block, lane, place), squared.sqrt() as f32)
        } else {
            (f32::from(receiver), 0.0)
        }
    }

    #[inline(always)]
    fn toward(&self, block: &Block, lane: usize, place: usize) -> f32 {
        let facet = (place / 2) & 7;
        if place.is_multiple_of(2) {
            return facet as f32;
        }
        let (side, diagonal) = legs(facet);
        let level = |levels: &[f32; BLOCK]| f64::from(levels[lane]);
        let (side, diagonal) = (level(&block.around[side]), level(&block.around[diagonal]));
        let (s1, s2) = self.slopes(facet, level(&block.level), side, diagonal);
        let per_opening = match &self.per_opening {
            Some(all) => all[facet],
            None => 1.0 / Triangle { along: self.along[facet], beside: self.beside[facet] }.opening(),
        };
        let from_side = atan(s2 / s1) * per_opening;
        let share = if facet.is_multiple_of(2) { from_side } else { 1.0 - from_side };
        let toward = (facet as f64 + share.clamp(0.0, 1.0)) as f32;
        if toward < 8.0 { toward } else { 0.0 }
    }
}
