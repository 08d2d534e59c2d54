//! High ground: ridges, buttresses and peaks near a tile, and how high they stand at a place.
//!
//! Each straight piece of a crest gives `h(t) - s d` or less at the distance d from it ([`Profile`]); the highest of all
//! counts. Pieces that cannot be the highest anywhere within the tile's ball are left out, by a bound from above for
//! each against the best bound from below; the others stand in the order of their bounds, so that a search ends where
//! no later piece can be higher. The ball's parts do the same again, each on its first question. All this only leave out what would not count, so that nothing depends on the tile. A root
//! is taken only for a piece that may be higher than what is known.

use crate::features::{CellFeatures, Crest, Peak, Profile, Surface, generations};
use crate::primitives::Ball;
use crate::template::TEMPLATES;
use grid::Vec3;
use std::sync::OnceLock;

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

/// A straight piece of a crest.
#[derive(Clone, Copy)]
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
    /// It is nowhere in the ball higher than this.
    most_m: f64,
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
            most_m: f64::INFINITY,
        }
    }

    /// Height of the crest at its point nearest to a place, and the squared distance from there.
    fn nearest(&self, q: Vec3) -> (f64, f64) {
        let off = q - self.a;
        let t = (off.dot(self.along) * self.inverse_length2).clamp(0.0, 1.0);
        (self.height_m + self.rise_m * t, (off - self.along * t).length_squared())
    }

    /// Height at a place if that is more than `least_m`, else `least_m`.
    fn above_m(&self, q: Vec3, least_m: f64) -> f64 {
        let (crest_m, distance2) = self.nearest(q);
        let left_m = crest_m - least_m;
        // no profile lies above the linear one
        if left_m <= 0.0 || left_m * left_m <= self.slope * self.slope * distance2 {
            return least_m;
        }
        least_m.max(self.profile.side_m(crest_m, self.slope, distance2.sqrt()))
    }

    /// The bounds from above and from below over a ball.
    fn bounds(&self, ball: &Ball) -> (f64, f64) {
        let (crest_m, distance2) = self.nearest(ball.center);
        let distance_m = distance2.sqrt();
        // the nearest point moves no farther than the place does
        let sway_m = self.rise_m.abs() * self.inverse_length2.sqrt() * ball.radius_m;
        let top_m = (crest_m + sway_m).min(self.height_m.max(self.height_m + self.rise_m));
        let near_m = (distance_m - ball.radius_m).max(0.0);
        if matches!(self.profile, Profile::Spur { reach_m } if near_m > reach_m + HAIR_M) {
            return (f64::NEG_INFINITY, f64::NEG_INFINITY);
        }
        let low_m = self.profile.side_m(crest_m - sway_m, self.slope, distance_m + ball.radius_m);
        (self.profile.side_m(top_m, self.slope, near_m) + HAIR_M, low_m - HAIR_M)
    }
}

/// Ridges, buttresses and peaks near a ball.
pub(crate) struct High<'a> {
    found: Vec<Piece>,
    peaks: Vec<&'a Peak>,
    ball: Option<Ball>,
    /// Those that count, highest bound first.
    ordered: OnceLock<Vec<Piece>>,
    /// The same for each part of the ball, by their numbers there, made when a place in it is asked for.
    parts: [OnceLock<Vec<(f64, u32)>>; PARTS * PARTS * PARTS],
}

/// Parts of the ball's box along each axis; a tile lies flat and touches few of them.
const PARTS: usize = 4;

impl Default for High<'_> {
    fn default() -> Self {
        let parts = [const { OnceLock::new() }; PARTS * PARTS * PARTS];
        Self { found: Vec::new(), peaks: Vec::new(), ball: None, ordered: OnceLock::new(), parts }
    }
}

impl<'a> High<'a> {
    /// Adds what the features of a cell can do within the ball, for samples `spacing_m` apart. The ball is the same
    /// for all cells.
    pub fn add(&mut self, features: &'a CellFeatures, ball: &Ball, spacing_m: f64) {
        debug_assert!(self.ordered.get().is_none(), "all is added before the first question");
        self.ball = Some(*ball);
        let wide_enough = |p: &&Peak| p.radius_m >= LEAST_SAMPLES * spacing_m;
        let peaks = features.peaks.iter().filter(wide_enough);
        self.peaks.extend(peaks.filter(|p| ball.near(p.center_m, p.radius_m * 1.5)));
        for crest in features.ridges.iter().chain(&features.hills) {
            let highest_m = crest.heights_m.iter().copied().fold(0.0, f64::max);
            if highest_m / crest.slope >= LEAST_SAMPLES * spacing_m {
                self.add_crest(crest, ball);
            }
        }
        let surface = features.tree.surface;
        let spurs = Spurs { features, ball, spacing_m, most: generations(surface.cell_m, spacing_m) };
        (0..features.tree.roots).for_each(|k| self.add_known(&spurs, k));
    }

    fn add_crest(&mut self, crest: &Crest, ball: &Ball) {
        for k in 0..crest.points_m.len() - 1 {
            let (a, b) = (crest.points_m[k], crest.points_m[k + 1]);
            let reach_m = crest.heights_m[k].max(crest.heights_m[k + 1]) / crest.slope;
            let reach_m = match crest.profile {
                Profile::Spur { reach_m: cut_m } => reach_m.min(cut_m),
                _ => reach_m,
            };
            if ball.meets(a, b, reach_m) {
                self.found.push(Piece::new(crest, k));
            }
        }
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

    /// The pieces that can be the highest of their kind somewhere in the ball, highest bound first.
    fn ordered(&self) -> &[Piece] {
        self.ordered.get_or_init(|| {
            let Some(ball) = &self.ball else { return Vec::new() };
            let mut pieces = self.found.clone();
            let mut least_m = [0.0f64; 2];
            for piece in &mut pieces {
                let (most_m, low_m) = piece.bounds(ball);
                piece.most_m = most_m;
                let least_m = &mut least_m[usize::from(piece.buttress)];
                *least_m = least_m.max(low_m);
            }
            pieces.retain(|p| p.most_m > least_m[usize::from(p.buttress)]);
            pieces.sort_by(|a, b| b.most_m.total_cmp(&a.most_m));
            pieces
        })
    }

    /// The pieces that can be the highest of their kind in a part of the ball, highest bound first, for a place that
    /// lies in the ball.
    fn part(&self, q: Vec3) -> &[(f64, u32)] {
        let Some(ball) = &self.ball else { return &[] };
        let side_m = 2.0 * ball.radius_m / PARTS as f64;
        let off = q - ball.center;
        let number = |x: f64| (((x + ball.radius_m) / side_m) as usize).min(PARTS - 1);
        let at = [number(off.x), number(off.y), number(off.z)];
        self.parts[(at[0] * PARTS + at[1]) * PARTS + at[2]].get_or_init(|| {
            let middle = |n: usize| (n as f64 + 0.5) * side_m - ball.radius_m;
            let center = ball.center + Vec3::new(middle(at[0]), middle(at[1]), middle(at[2]));
            // half the diagonal of a cube, and a hair
            let part = Ball { center, radius_m: 0.8661 * side_m + HAIR_M };
            let mut least_m = [0.0f64; 2];
            let mut bounds: Vec<(f64, u32)> = Vec::new();
            for (k, piece) in (0..).zip(self.ordered()) {
                let (most_m, low_m) = piece.bounds(&part);
                let least_m = &mut least_m[usize::from(piece.buttress)];
                *least_m = least_m.max(low_m);
                if most_m > *least_m {
                    bounds.push((most_m, k));
                }
            }
            let kind = |k: u32| usize::from(self.ordered()[k as usize].buttress);
            bounds.retain(|&(most_m, k)| most_m > least_m[kind(k)]);
            bounds.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            bounds
        })
    }

    /// The highest of all, in metres above the massif.
    pub fn highest_m(&self, q: Vec3) -> f64 {
        let pieces = self.ordered();
        let mut height_m = 0.0;
        for &(most_m, k) in self.part(q) {
            if most_m <= height_m {
                break;
            }
            height_m = pieces[k as usize].above_m(q, height_m);
        }
        self.peaks_m(q, height_m)
    }

    /// Ridges, peaks and buttresses, each alone.
    pub fn each(&self, q: Vec3) -> HighGround {
        let pieces = self.ordered();
        let mut heights_m = [0.0; 2];
        for &(most_m, k) in self.part(q) {
            let piece = &pieces[k as usize];
            let height_m = &mut heights_m[usize::from(piece.buttress)];
            if most_m > *height_m {
                *height_m = piece.above_m(q, *height_m);
            }
        }
        HighGround { ridges_m: heights_m[0], buttresses_m: heights_m[1], peaks_m: self.peaks_m(q, 0.0) }
    }

    /// The highest peak if that is higher than `least_m`, else `least_m`.
    fn peaks_m(&self, q: Vec3, least_m: f64) -> f64 {
        let mut height_m = least_m;
        for peak in self.peaks.iter().filter(|p| p.height_m > least_m) {
            let off = q - peak.center_m;
            if off.length_squared() < 2.25 * peak.radius_m * peak.radius_m {
                let (x, y) = (off.dot(peak.axes[0]) / peak.radius_m, off.dot(peak.axes[1]) / peak.radius_m);
                height_m = height_m.max(peak.height_m * TEMPLATES[usize::from(peak.template)].at(x, y));
            }
        }
        height_m
    }
}

/// What buttresses of a cell are asked for.
struct Spurs<'a> {
    features: &'a CellFeatures,
    ball: &'a Ball,
    spacing_m: f64,
    /// Generations that are shown.
    most: u8,
}

impl Spurs<'_> {
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
        let p = forged.grid.on_surface_m(center + off * (0.55 * radius_m));
        if p.z == 0.0 || matches!(forged.grid, grid::Topology::Globe(_)) { p } else { Vec3 { z: 0.0, ..p } }
    }

    /// What a ball leaves out never counts within it, to the last bit, for balls from metres to cells.
    #[test]
    fn nothing_that_counts_is_left_out() {
        let (mut high_places, mut deep) = (0, 0);
        for (grid, number) in [(map(), 1), (globe(), 2)] {
            let forged = Forged::random(grid, number);
            let cells: Vec<_> = forged.grid.cells().collect();
            let patch = Patch::fetch(&forged, cells.clone()).expect("in memory");
            let cell_m = forged.grid.cell_m();
            for (spacing_m, generations) in [(cell_m / 12.0, 1), (cell_m / 50.0, 2), (cell_m / 130.0, 3)] {
                let maker = Maker { patch: &patch, seed: Seed(9), cell_m, generations };
                let features: Vec<CellFeatures> = cells.iter().map(|&c| maker.features(c)).collect();
                let slow = Slow::of(&features, &Surface::of(&forged.grid), spacing_m);
                deep = deep.max(slow.crests.iter().map(|c| c.generation).max().unwrap_or(0));
                let mut draw = draws(100 + number);
                for _ in 0..16 {
                    let radius_m = 8.0 * spacing_m;
                    let ball = Ball { center: forged.place_m(&mut draw), radius_m };
                    let mut high = High::default();
                    features.iter().for_each(|f| high.add(f, &ball, spacing_m));
                    for _ in 0..8 {
                        let q = near(&forged, ball.center, radius_m, &mut draw);
                        let (expected, found) = (slow.at(q), high.each(q));
                        assert_eq!(found, expected);
                        assert_eq!(high.highest_m(q), expected.highest_m());
                        high_places += usize::from(expected.highest_m() > 100.0);
                    }
                }
            }
        }
        assert!(high_places > 100, "{high_places}");
        assert!(deep >= 3, "generation {deep}");
    }
}
