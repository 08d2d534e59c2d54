//! High ground: ridges, buttresses and peaks near a ball, and how high they stand at a place.
//!
//! Each straight piece of a crest gives `h(t) - s d` or less at the distance d from it ([`Profile`]); the highest of all
//! counts. The ball's surface is split into squares, and each square into four where something in it is asked for. A square
//! keeps the pieces that can be the highest somewhere in it, by a bound from above for each against the best bound from
//! below; the smallest keep them in the order of their bounds, so that a search ends where no later piece can be higher. All
//! this only leaves out what would not count, so that nothing depends on the ball. A root is taken only for a piece that may
//! be higher than what is known.

use crate::features::{CellFeatures, Crest, Peak, Profile, Sprout, Surface, generations};
use crate::primitives::Ball;
use crate::tangent::Tangent;
use crate::template::TEMPLATES;
use grid::Vec3;
use std::sync::{Arc, OnceLock};

/// Heights above the massif at a place, in metres; 0 where there is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HighGround {
    /// Ridges and hills.
    pub ridges_m: f64,
    /// Peaks.
    pub peaks_m: f64,
    /// Buttresses of all generations.
    pub buttresses_m: f64,
}

/// Features smaller than so many samples are left out.
const LEAST_SAMPLES: f64 = 2.0;
/// Bounds are trusted up to this, in metres.
const HAIR_M: f64 = 1e-3;
/// So much is allowed for rounding where a root is saved.
const BARELY: f64 = 1.0 - 1e-12;

/// A straight piece of a crest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    a: Vec3,
    /// From `a` to the other end.
    along: Vec3,
    /// One by the squared length; 0 for a point.
    inverse_length2: f64,
    height_m: f64,
    rise_m: f64,
    slope: f64,
    profile: Profile,
    buttress: bool,
}

impl Piece {
    fn new(crest: &Crest, k: usize) -> Self {
        let (a, along) = (crest.points_m[k], crest.points_m[k + 1] - crest.points_m[k]);
        let length2 = along.length_squared();
        Self {
            a,
            along,
            inverse_length2: if length2 > 0.0 { 1.0 / length2 } else { 0.0 },
            height_m: crest.heights_m[k],
            rise_m: crest.heights_m[k + 1] - crest.heights_m[k],
            slope: crest.slope,
            profile: crest.profile,
            buttress: crest.generation > 0,
        }
    }

    fn all(crest: &Crest) -> impl Iterator<Item = Self> {
        (0..crest.points_m.len() - 1).map(|k| Self::new(crest, k))
    }

    /// Height of the crest at its point nearest to a place, and the squared distance from there.
    #[inline]
    fn nearest(&self, q: Vec3) -> (f64, f64) {
        let off = q - self.a;
        let t = (off.dot(self.along) * self.inverse_length2).clamp(0.0, 1.0);
        (self.height_m + self.rise_m * t, (off - self.along * t).length_squared())
    }

    /// Height at a place if that is more than `least_m`, else `least_m`.
    #[inline]
    fn above_m(&self, q: Vec3, least_m: f64) -> f64 {
        let (crest_m, distance2) = self.nearest(q);
        let left_m = crest_m - least_m;
        // no profile lies above the linear one
        if left_m <= 0.0 || left_m * left_m <= self.slope * self.slope * distance2 * BARELY {
            return least_m;
        }
        least_m.max(self.profile.side_m(crest_m, self.slope, distance2.sqrt()))
    }

    /// The bounds from above and from below over a ball, where the piece can be higher than `least_m` in it; one from
    /// below that is less than `least_m` is not worth knowing.
    #[inline]
    fn bounds(&self, ball: &Ball, least_m: f64) -> Option<(f64, f64)> {
        let (crest_m, distance2) = self.nearest(ball.center);
        let highest_m = self.height_m.max(self.height_m + self.rise_m);
        let free_m = highest_m - least_m + 2.0 * HAIR_M;
        let far_m = free_m + self.slope * ball.radius_m;
        if free_m <= 0.0 || far_m * far_m < self.slope * self.slope * distance2 {
            return None;
        }
        let distance_m = distance2.sqrt();
        // the nearest point moves no farther than the place does
        let sway_m = self.rise_m.abs() * self.inverse_length2.sqrt() * ball.radius_m;
        let top_m = (crest_m + sway_m).min(highest_m);
        let near_m = (distance_m - ball.radius_m).max(0.0);
        if matches!(self.profile, Profile::Spur { reach_m } if near_m > reach_m + HAIR_M) {
            return None;
        }
        let most_m = self.profile.side_m(top_m, self.slope, near_m) + HAIR_M;
        let low_m = if crest_m - sway_m > least_m {
            self.profile.side_m(crest_m - sway_m, self.slope, distance_m + ball.radius_m) - HAIR_M
        } else {
            f64::NEG_INFINITY
        };
        (most_m > least_m).then_some((most_m, low_m))
    }
}

/// The pieces of a cell's features for samples of one spacing, for those that ask for them often.
#[derive(Default)]
pub(crate) struct Pieces {
    all: Vec<Piece>,
    /// Buttresses of all generations that are grown here, each before those on it.
    grown: Vec<Arc<Crest>>,
    /// Generations, and the spacing of samples.
    generations: u8,
    spacing_m: f64,
}

/// Buttresses that are known already, in the order in which they grow: those for samples farther apart.
struct Grown<'a> {
    crests: std::slice::Iter<'a, Arc<Crest>>,
    least_m: f64,
}

impl Grown<'_> {
    /// The next one, for a sprout of a crest that is known.
    fn of(&mut self, sprout: &Sprout) -> Option<Arc<Crest>> {
        if sprout.length_m() >= self.least_m { self.crests.next().cloned() } else { None }
    }
}

impl Pieces {
    /// Of the features of a cell, with so many generations of buttresses; its own are not looked at. The same with and without
    /// those for samples farther apart, at less cost with them.
    pub fn new(features: &CellFeatures, (spacing_m, generations): (f64, u8), coarser: Option<&Self>) -> Self {
        let mut pieces = Self { spacing_m, generations, ..Self::default() };
        let known = coarser.filter(|of| of.generations == generations && of.spacing_m >= spacing_m);
        let mut known = Grown {
            crests: known.map_or(&[][..], |of| &of.grown).iter(),
            least_m: known.map_or(f64::INFINITY, |of| LEAST_SAMPLES * of.spacing_m),
        };
        for crest in features.ridges.iter().chain(&features.hills) {
            if shown_m(crest) >= spacing_m {
                pieces.all.extend(Piece::all(crest));
            }
            pieces.grow(crest, &features.tree.surface, Some(&mut known));
        }
        pieces
    }

    /// Grows what is on a crest; `known` if that was grown before.
    fn grow(&mut self, parent: &Crest, surface: &Surface, mut known: Option<&mut Grown>) {
        if parent.generation >= self.generations {
            return;
        }
        let least_m = LEAST_SAMPLES * self.spacing_m;
        for sprout in parent.sprouts(surface).filter(|s| s.length_m() >= least_m) {
            let old = known.as_mut().and_then(|known| known.of(&sprout));
            let is_known = old.is_some();
            let crest = old.unwrap_or_else(|| Arc::new(parent.grown(surface, sprout)));
            self.all.extend(Piece::all(&crest));
            self.grown.push(crest.clone());
            self.grow(&crest, surface, known.as_deref_mut().filter(|_| is_known));
        }
    }

    /// What more may grow on: buttresses of the last generation, and crests if there is none of them.
    fn tips<'a>(&'a self, features: &'a CellFeatures) -> impl Iterator<Item = &'a Crest> {
        let roots = features.ridges.iter().chain(&features.hills).filter(|_| self.generations == 0);
        let last = self.grown.iter().filter(|crest| crest.generation >= self.generations);
        roots.chain(last.map(|crest| &**crest))
    }
}

/// The largest spacing of samples that show a crest: ridges by their height, buttresses by their length; those that grow
/// on one are shorter.
fn shown_m(crest: &Crest) -> f64 {
    if crest.generation > 0 {
        return crest.length_m() / LEAST_SAMPLES;
    }
    crest.heights_m.iter().copied().fold(0.0, f64::max) / crest.slope / LEAST_SAMPLES
}

/// Ridges, buttresses and peaks near a ball.
#[derive(Default)]
pub(crate) struct High {
    pieces: Vec<Piece>,
    peaks: Vec<Peak>,
    plane: Option<Tangent>,
    /// Squares shorter than this to each side of their middle are not split, in metres.
    least_half_m: f64,
    /// Whether kinds count each alone, or only the highest of all.
    alone: bool,
    root: OnceLock<Square>,
}

/// What can count within a square of the plane.
struct Square {
    middle: (f64, f64),
    half_m: f64,
    /// Numbers of pieces, and how high each is in the square at the most; highest first where there are no quarters.
    pieces: Vec<(f64, u32)>,
    peaks: Vec<u32>,
    quarters: Option<Box<[OnceLock<Square>; 4]>>,
}

/// Squares with fewer pieces than this are not split.
const FEW: usize = 12;
/// Squares of about so many samples to each side of their middle are not split.
const LEAST_HALF: f64 = 2.0;

impl High {
    /// High ground of which ridges, buttresses and peaks are asked for each alone.
    pub fn of_each() -> Self {
        Self { alone: true, ..Self::default() }
    }

    /// Adds what the features of a cell can do within the ball, for samples `spacing_m` apart. Both are the same
    /// for all cells.
    pub fn add(&mut self, features: &CellFeatures, ball: &Ball, spacing_m: f64) {
        if features.is_level() {
            return;
        }
        self.begin(&features.tree.surface, ball, spacing_m);
        self.add_peaks(features, ball, spacing_m);
        for crest in features.ridges.iter().chain(&features.hills) {
            if shown_m(crest) >= spacing_m {
                self.add_crest(crest, ball);
            }
        }
        let spurs = Spurs::new(features, ball, spacing_m);
        (0..features.tree.roots).for_each(|k| self.add_known(&spurs, k));
    }

    /// The same where the pieces for that spacing are at hand.
    pub fn add_pieces(&mut self, features: &CellFeatures, pieces: &Pieces, ball: &Ball, spacing_m: f64) {
        if features.is_level() {
            return;
        }
        self.begin(&features.tree.surface, ball, spacing_m);
        self.add_peaks(features, ball, spacing_m);
        self.pieces.extend(pieces.all.iter().filter(|piece| piece.bounds(ball, 0.0).is_some()));
        let spurs = Spurs::new(features, ball, spacing_m);
        pieces.tips(features).filter(|tip| tip.matters(ball)).for_each(|tip| self.grow(&spurs, tip));
    }

    /// The same where nothing is at hand: with at least so many generations of buttresses, of which only those are grown that can
    /// matter in the ball.
    pub fn add_within(&mut self, features: &CellFeatures, generations: u8, ball: &Ball, spacing_m: f64) {
        if features.is_level() {
            return;
        }
        self.begin(&features.tree.surface, ball, spacing_m);
        self.add_peaks(features, ball, spacing_m);
        let spurs = Spurs::new(features, ball, spacing_m);
        let spurs = Spurs { most: spurs.most.max(generations), ..spurs };
        for crest in features.ridges.iter().chain(&features.hills) {
            if shown_m(crest) >= spacing_m {
                self.add_crest(crest, ball);
            }
            self.grow(&spurs, crest);
        }
    }

    fn begin(&mut self, surface: &Surface, ball: &Ball, spacing_m: f64) {
        debug_assert!(self.root.get().is_none(), "all is added before the first question");
        if self.plane.is_none() {
            self.plane = Some(Tangent::new(ball, surface));
            self.least_half_m = LEAST_HALF * spacing_m;
        }
    }

    fn add_peaks(&mut self, features: &CellFeatures, ball: &Ball, spacing_m: f64) {
        let wide_enough = |p: &&Peak| p.radius_m >= LEAST_SAMPLES * spacing_m;
        let near = |p: &&Peak| ball.near(p.center_m, REACH * p.radius_m);
        self.peaks.extend(features.peaks.iter().filter(wide_enough).filter(near).cloned());
    }

    fn add_crest(&mut self, crest: &Crest, ball: &Ball) {
        self.pieces.extend(Piece::all(crest).filter(|piece| piece.bounds(ball, 0.0).is_some()));
    }

    /// Adds a buttress that was made with the cell, and what grows on it.
    fn add_known(&mut self, spurs: &Spurs, k: usize) {
        let crest = &spurs.features.buttresses[k];
        if !crest.matters(spurs.ball) || !spurs.shows(crest.length_m()) {
            return;
        }
        self.add_crest(crest, spurs.ball);
        let (first, end) = spurs.features.tree.children[k];
        if first < end {
            (first..end).for_each(|child| self.add_known(spurs, child as usize));
        } else {
            self.grow(spurs, crest);
        }
    }

    /// Makes and adds what grows on a buttress.
    fn grow(&mut self, spurs: &Spurs, parent: &Crest) {
        if parent.generation >= spurs.most {
            return;
        }
        let surface: &Surface = &spurs.features.tree.surface;
        for sprout in parent.sprouts(surface) {
            if sprout.matters(spurs.ball) && spurs.shows(sprout.length_m()) {
                let crest = parent.grown(surface, sprout);
                self.add_crest(&crest, spurs.ball);
                self.grow(spurs, &crest);
            }
        }
    }

    /// The smallest square around a place that lies in the ball.
    fn square(&self, q: Vec3) -> Option<&Square> {
        let plane = self.plane.as_ref()?;
        let (x, y) = plane.on(q);
        let mut square = self.root.get_or_init(|| {
            let all = ((0..self.pieces.len() as u32).collect(), (0..self.peaks.len() as u32).collect());
            self.bounded(plane, all, ((0.0, 0.0), plane.half_m()))
        });
        while let Some(quarters) = &square.quarters {
            let (east, north) = (x > square.middle.0, y > square.middle.1);
            square = quarters[usize::from(east) + 2 * usize::from(north)].get_or_init(|| {
                let half_m = 0.5 * square.half_m;
                let side = |middle: f64, beyond: bool| if beyond { middle + half_m } else { middle - half_m };
                let middle = (side(square.middle.0, east), side(square.middle.1, north));
                let pieces = square.pieces.iter().map(|p| p.1).collect();
                self.bounded(plane, (pieces, square.peaks.clone()), (middle, half_m))
            });
        }
        Some(square)
    }

    /// A square with those of some pieces and peaks that can be the highest of their kind in it.
    fn bounded(
        &self,
        plane: &Tangent,
        (pieces, mut peaks): (Vec<u32>, Vec<u32>),
        (middle, half_m): ((f64, f64), f64),
    ) -> Square {
        let ball = plane.over(middle, half_m);
        let mut least_m = [0.0f64; 2];
        let mut bounds: Vec<(f64, u32)> = Vec::with_capacity(pieces.len() / 2);
        for k in pieces {
            let least_m = &mut least_m[self.kind(k)];
            if let Some((most_m, low_m)) = self.pieces[k as usize].bounds(&ball, *least_m) {
                *least_m = least_m.max(low_m);
                bounds.push((most_m, k));
            }
        }
        bounds.retain(|&(most_m, k)| most_m > least_m[self.kind(k)]);
        peaks.retain(|&k| {
            let peak = &self.peaks[k as usize];
            let counts = self.alone || peak.height_m > least_m[0];
            counts && ball.near(peak.center_m, REACH * peak.radius_m)
        });
        let splits = bounds.len() + peaks.len() >= FEW && half_m > self.least_half_m;
        if !splits {
            bounds.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        let quarters = splits.then(Box::default);
        Square { middle, half_m, pieces: bounds, peaks, quarters }
    }

    fn kind(&self, k: u32) -> usize {
        usize::from(self.alone && self.pieces[k as usize].buttress)
    }

    /// The highest of all, in metres above the massif.
    pub fn highest_m(&self, q: Vec3) -> f64 {
        let Some(square) = self.square(q) else { return 0.0 };
        let mut height_m = 0.0;
        for &(most_m, k) in &square.pieces {
            if most_m <= height_m {
                break;
            }
            height_m = self.pieces[k as usize].above_m(q, height_m);
        }
        self.peaks_m(&square.peaks, q, height_m)
    }

    /// Ridges, peaks and buttresses, each alone.
    pub fn each(&self, q: Vec3) -> HighGround {
        debug_assert!(self.alone, "what is lower than another kind is left out");
        let Some(square) = self.square(q) else { return HighGround::default() };
        let mut heights_m = [0.0; 2];
        for &(most_m, k) in &square.pieces {
            let height_m = &mut heights_m[self.kind(k)];
            if most_m > *height_m {
                *height_m = self.pieces[k as usize].above_m(q, *height_m);
            }
        }
        let peaks_m = self.peaks_m(&square.peaks, q, 0.0);
        HighGround { ridges_m: heights_m[0], buttresses_m: heights_m[1], peaks_m }
    }

    /// The highest peak if that is higher than `least_m`, else `least_m`.
    fn peaks_m(&self, numbers: &[u32], q: Vec3, least_m: f64) -> f64 {
        let mut height_m = least_m;
        for peak in numbers.iter().map(|&k| &self.peaks[k as usize]).filter(|p| p.height_m > least_m) {
            let off = q - peak.center_m;
            if off.length_squared() < REACH * REACH * peak.radius_m * peak.radius_m {
                let (x, y) = (off.dot(peak.axes[0]) / peak.radius_m, off.dot(peak.axes[1]) / peak.radius_m);
                height_m = height_m.max(peak.height_m * TEMPLATES[usize::from(peak.template)].at(x, y));
            }
        }
        height_m
    }
}

/// Templates end so many of their radii from their middle: at their corners.
const REACH: f64 = 1.5;

/// What buttresses of a cell are asked for.
struct Spurs<'a> {
    features: &'a CellFeatures,
    ball: &'a Ball,
    spacing_m: f64,
    /// Generations that are shown.
    most: u8,
}

impl<'a> Spurs<'a> {
    fn new(features: &'a CellFeatures, ball: &'a Ball, spacing_m: f64) -> Self {
        Self { features, ball, spacing_m, most: generations(features.tree.surface.cell_m, spacing_m) }
    }

    /// Whether a buttress of a length is worth drawing; those that grow on it are shorter.
    fn shows(&self, length_m: f64) -> bool {
        length_m >= LEAST_SAMPLES * self.spacing_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Maker;
    use crate::forged::{Forged, draws, globe, map};
    use crate::patch::Patch;
    use grid::{Draw, Grid, Seed};

    impl HighGround {
        /// The highest of the three.
        pub fn highest_m(&self) -> f64 {
            self.ridges_m.max(self.peaks_m).max(self.buttresses_m)
        }
    }

    /// Everything that a cell's features can grow, and the height at a place with nothing left out.
    struct Slow<'a> {
        crests: Vec<Crest>,
        peaks: Vec<&'a Peak>,
    }

    fn grow_all(crest: &Crest, surface: &Surface, most: u8, spacing_m: f64, all: &mut Vec<Crest>) {
        all.push(crest.clone());
        if crest.generation < most {
            for sprout in crest.sprouts(surface).filter(|s| s.length_m() >= 2.0 * spacing_m) {
                grow_all(&crest.grown(surface, sprout), surface, most, spacing_m, all);
            }
        }
    }

    impl<'a> Slow<'a> {
        fn of(features: &'a [CellFeatures], surface: &Surface, spacing_m: f64) -> Self {
            let most = generations(surface.cell_m, spacing_m);
            let (mut crests, mut peaks) = (Vec::new(), Vec::new());
            for own in features {
                for line in own.ridges.iter().chain(&own.hills) {
                    let mut grown = Vec::new();
                    grow_all(line, surface, most, spacing_m, &mut grown);
                    let highest = |c: &Crest| c.heights_m.iter().copied().fold(0.0, f64::max);
                    // what is too small is left out, by height of ridges and by length of buttresses
                    crests.extend(
                        grown
                            .into_iter()
                            .filter(|c| c.generation > 0 || highest(c) / c.slope >= 2.0 * spacing_m),
                    );
                }
                peaks.extend(own.peaks.iter().filter(|p| p.radius_m >= 2.0 * spacing_m));
            }
            Self { crests, peaks }
        }

        fn at(&self, q: Vec3) -> HighGround {
            let mut high = HighGround::default();
            for crest in &self.crests {
                let best = if crest.generation > 0 { &mut high.buttresses_m } else { &mut high.ridges_m };
                for k in 0..crest.points_m.len() - 1 {
                    let (crest_m, distance2) = Piece::new(crest, k).nearest(q);
                    *best = best.max(crest.profile.side_m(crest_m, crest.slope, distance2.sqrt()));
                }
            }
            for peak in &self.peaks {
                let off = q - peak.center_m;
                let (x, y) = (off.dot(peak.axes[0]) / peak.radius_m, off.dot(peak.axes[1]) / peak.radius_m);
                if off.length() < 1.5 * peak.radius_m {
                    high.peaks_m =
                        high.peaks_m.max(peak.height_m * TEMPLATES[usize::from(peak.template)].at(x, y));
                }
            }
            high
        }
    }

    fn near(forged: &Forged, center: Vec3, radius_m: f64, draw: &mut Draw) -> Vec3 {
        let off = Vec3::new(draw.range(-1.0, 1.0), draw.range(-1.0, 1.0), draw.range(-1.0, 1.0));
        let p = forged.grid.on_surface_m(center + off * (0.35 * radius_m));
        if p.z == 0.0 || matches!(forged.grid, grid::Topology::Globe(_)) { p } else { Vec3 { z: 0.0, ..p } }
    }

    /// What a ball leaves out never counts within it, to the last bit, for balls from metres to cells.
    #[test]
    #[ignore = "slow"]
    fn nothing_that_counts_is_left_out() {
        let (mut high_places, mut deep, mut shared, mut grown) = (0, 0, 0, 0);
        for (grid, number) in [(map(), 1), (globe(), 2)] {
            let forged = Forged::random(grid, number);
            let cells: Vec<_> = forged.grid.cells().collect();
            let patch = Patch::fetch(&forged, cells.clone()).expect("in memory");
            let cell_m = forged.grid.cell_m();
            for (spacing_m, generations) in [(cell_m / 12.0, 1), (cell_m / 50.0, 2), (cell_m / 130.0, 3)] {
                let maker = Maker { patch: &patch, seed: Seed(9), cell_m, generations };
                let features: Vec<CellFeatures> = cells.iter().map(|&c| maker.features(c)).collect();
                let pieces: Vec<Pieces> = features
                    .iter()
                    .map(|own| {
                        // what coarser samples know already is the same
                        let [far, coarser] = [5.0, 2.0].map(|k| (k * spacing_m, generations));
                        let coarser = Pieces::new(own, coarser, Some(&Pieces::new(own, far, None)));
                        let alone = Pieces::new(own, (spacing_m, generations), None);
                        let pieces = Pieces::new(own, (spacing_m, generations), Some(&coarser));
                        assert!(pieces.all == alone.all && pieces.grown == alone.grown);
                        shared += pieces.grown.iter().filter(|crest| Arc::strong_count(crest) > 1).count();
                        grown += pieces.grown.len();
                        pieces
                    })
                    .collect();
                let slow = Slow::of(&features, &Surface::of(&forged.grid), spacing_m);
                deep = deep.max(slow.crests.iter().map(|c| c.generation).max().unwrap_or(0));
                let mut draw = draws(100 + number);
                for _ in 0..16 {
                    let radius_m = 8.0 * spacing_m;
                    // the middle of the extents of a slanting patch lies off the surface
                    let center = forged.place_m(&mut draw);
                    let off_m = draw.range(-0.3, 0.3) * radius_m;
                    let up = match forged.grid {
                        grid::Topology::Globe(_) => center.normalized(),
                        grid::Topology::Flat(_) => Vec3::new(0.0, 0.0, 0.0),
                    };
                    let ball = Ball { center: center + up * off_m, radius_m };
                    let (mut high, mut highest) = (High::of_each(), High::default());
                    let mut within = High::default();
                    // a cell without mountains knows nothing, not even what it lies on
                    high.add(&CellFeatures::default(), &ball, spacing_m);
                    highest.add_pieces(&CellFeatures::default(), &Pieces::default(), &ball, spacing_m);
                    for (own, pieces) in features.iter().zip(&pieces) {
                        high.add(own, &ball, spacing_m);
                        highest.add_pieces(own, pieces, &ball, spacing_m);
                        within.add_within(own, generations, &ball, spacing_m);
                    }
                    for _ in 0..8 {
                        let q = near(&forged, ball.center, radius_m, &mut draw);
                        let (expected, found) = (slow.at(q), high.each(q));
                        assert_eq!(found, expected);
                        assert_eq!(high.highest_m(q), expected.highest_m());
                        assert_eq!(highest.highest_m(q), expected.highest_m());
                        assert_eq!(within.highest_m(q), expected.highest_m());
                        high_places += usize::from(expected.highest_m() > 100.0);
                    }
                }
            }
        }
        assert!(high_places > 100, "{high_places}");
        assert!(deep >= 3, "generation {deep}");
        assert!(shared > 300 && grown > shared + 300, "{shared} of {grown} were known");
    }
}
