//! Buttresses: sub-ridges that leave ridges in random directions and run down; buttresses of those, and so on with
//! every generation of zoom.
//!
//! A buttress begins and ends on its parent's side and stands out of it in between; its own sides are steeper. It has
//! no effect at all beyond its reach, a share of its length,
//! and its own buttresses are at most half as long: so whatever grows on it stays within twice its length of where
//! it leaves, and a place far from there need not know of any of it.
//!
//! What grows on a crest is drawn from the crest's own key: deeper generations only add. The first few are made with
//! the cell, deeper ones only where a place asks for them.

use super::{Crest, Maker, Profile};
use crate::curve::nearest;
use crate::primitives::Ball;
use grid::{Draw, Grid, Key, Level, Nth, Topology, Vec3, math};

/// Buttresses of each ridge or hill, and of each buttress.
const PER_RIDGE: (u32, u32) = (6, 9);
const PER_BUTTRESS: (u32, u32) = (2, 4);
/// Straight pieces of a buttress of the first two generations, and of the others.
const PIECES: [usize; 2] = [5, 4];
/// Length of a buttress of a ridge, as shares of the reach of the ridge's side there; at most so many cells.
const LENGTH: (f64, f64) = (0.7, 1.6);
const MOST_CELLS: f64 = 0.55;
/// Length of all others, as shares of the parent's.
const SHORTER: (f64, f64) = (0.3, 0.5);
/// How far a buttress stands out of its parent's side half way along, as shares of what that falls over its length:
/// of ridges and hills, and of buttresses. Each point by so much more or less.
const OUT: [(f64, f64); 2] = [(0.3, 0.55), (0.12, 0.3)];
const UNEVEN: f64 = 0.15;
/// Its own sides are steeper than its parent's by this factor, up to a slope.
const STEEPER: f64 = 1.2;
const STEEPEST: f64 = 0.85;
/// Its height, as shares of its parent's where it leaves.
const LEAST: f64 = 0.02;
const MOST: f64 = 0.97;
/// Reach of a side, in lengths of the buttress.
pub(super) const REACH: f64 = 0.8;
/// Everything on a buttress stays within so many of its lengths of where it leaves: its own length, and another one
/// for its reach (0.8) or its buttresses (0.5, and as much again for theirs).
pub(super) const WITHIN: f64 = 2.0;
/// Turn from piece to piece, in radians.
const TURN: f64 = 0.4;

/// The surface that features lie on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Surface {
    /// Radius of the globe in metres; `None` on a flat map.
    pub radius_m: Option<f64>,
    pub cell_m: f64,
}

impl Surface {
    pub fn of(grid: &Topology) -> Self {
        let radius_m = match grid {
            Topology::Globe(globe) => Some(globe.radius_m()),
            Topology::Flat(_) => None,
        };
        Self { radius_m, cell_m: grid.cell_m() }
    }

    /// The place on the surface under or over a position.
    pub fn put(&self, p: Vec3) -> Vec3 {
        self.radius_m.map_or(p, |radius_m| p.normalized() * radius_m)
    }

    /// Two unit vectors along the surface, at right angles, at a place.
    pub fn tangents(&self, p: Vec3) -> (Vec3, Vec3) {
        match self.radius_m {
            Some(_) => math::tangent_frame(p.normalized()),
            None => (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)),
        }
    }

    /// A line that starts in a direction and turns a little at each piece.
    pub fn wander(
        &self,
        start: Vec3,
        heading: f64,
        (step_m, turn): (f64, f64),
        (pieces, draw): (usize, &mut Draw),
    ) -> Vec<Vec3> {
        let (u, v) = self.tangents(start);
        let mut heading = heading;
        let mut last = start;
        let mut points = Vec::with_capacity(pieces + 1);
        points.push(start);
        for _ in 0..pieces {
            heading += draw.range(-turn, turn);
            let step = u * math::cos(heading) + v * math::sin(heading);
            last = self.put(last + step * step_m);
            points.push(last);
        }
        points
    }
}

/// The beginning of a buttress: enough to know where it can matter.
pub(crate) struct Sprout {
    start: Vec3,
    parent_m: f64,
    length_m: f64,
    draw: Draw,
    key: Key,
}

impl Sprout {
    /// Whether it, or anything that grows on it, can matter in a ball.
    pub fn matters(&self, ball: &Ball) -> bool {
        within(ball, self.start, self.length_m)
    }

    /// Its length in metres.
    pub fn length_m(&self) -> f64 {
        self.length_m
    }
}

fn within(ball: &Ball, start: Vec3, length_m: f64) -> bool {
    let far = WITHIN * length_m + ball.radius_m;
    (start - ball.center).length_squared() <= far * far
}

impl Crest {
    /// Length in metres of a buttress, as it was drawn.
    pub(crate) fn length_m(&self) -> f64 {
        match self.profile {
            Profile::Spur { reach_m } => reach_m / REACH,
            _ => self.points_m.windows(2).map(|w| w[0].distance(w[1])).sum(),
        }
    }

    /// Whether a buttress, or anything that grows on it, can matter in a ball.
    pub(crate) fn matters(&self, ball: &Ball) -> bool {
        within(ball, self.points_m[0], self.length_m())
    }

    /// The beginnings of what grows on a crest.
    pub(crate) fn sprouts(&self, surface: &Surface) -> impl Iterator<Item = Sprout> {
        let (least, most) = if self.generation == 0 { PER_RIDGE } else { PER_BUTTRESS };
        let number = least + self.key.at(Nth(u32::MAX)).below(most - least + 1);
        let longest_m = match self.profile {
            Profile::Spur { reach_m } => Err(reach_m / REACH),
            _ => Ok(MOST_CELLS * surface.cell_m),
        };
        (0..number).map(move |n| {
            let key = self.key.within(Nth(n));
            let mut draw = key.at(Nth(0));
            let pieces = self.points_m.len() - 1;
            let along = draw.range(0.05, 0.97) * pieces as f64;
            let (k, t) = (along as usize, along.fract());
            let start = self.points_m[k].lerp(self.points_m[k + 1], t);
            let parent_m = math::mix(self.heights_m[k], self.heights_m[k + 1], t);
            let length_m = match longest_m {
                Ok(longest_m) => (draw.range(LENGTH.0, LENGTH.1) * parent_m / self.slope).min(longest_m),
                Err(own_m) => draw.range(SHORTER.0, SHORTER.1) * own_m,
            };
            Sprout { start, parent_m, length_m, draw, key }
        })
    }

    /// Height of a crest's side at a place, as if no reach ended it.
    fn side_m(&self, p: Vec3) -> f64 {
        let lines = self.points_m.windows(2).zip(self.heights_m.windows(2));
        let side = |(w, h): (&[Vec3], &[f64])| {
            let (t, distance2) = nearest(p, w[0], w[1]);
            let profile = if self.generation > 0 { Profile::Linear } else { self.profile };
            profile.side_m(math::mix(h[0], h[1], t), self.slope, distance2.sqrt())
        };
        lines.map(side).fold(0.0, f64::max)
    }

    /// A buttress from its beginning on.
    pub(crate) fn grown(&self, surface: &Surface, sprout: Sprout) -> Self {
        let Sprout { start, parent_m, length_m, mut draw, key } = sprout;
        let generation = self.generation + 1;
        let pieces = PIECES[usize::from(generation > 2)];
        let heading = draw.range(0.0, std::f64::consts::TAU);
        let step_m = length_m / pieces as f64;
        let points_m = surface.wander(surface.put(start), heading, (step_m, TURN), (pieces, &mut draw));
        let (least, most) = OUT[usize::from(generation > 1)];
        let out_m = draw.range(least, most) * self.slope * length_m;
        let mut height_m = |k: usize| {
            let t = k as f64 / pieces as f64;
            let bump = 4.0 * t * (1.0 - t) * draw.range(1.0 - UNEVEN, 1.0 + UNEVEN);
            (self.side_m(points_m[k]) + bump * out_m).clamp(LEAST * parent_m, MOST * parent_m)
        };
        let heights_m = (0..=pieces).map(&mut height_m).collect();
        Self {
            heights_m,
            points_m,
            slope: (self.profile.steepness(self.slope) * STEEPER).min(STEEPEST),
            generation,
            profile: Profile::Spur { reach_m: REACH * length_m },
            key,
        }
    }
}

/// Buttresses in the order of their generations, and which of them grow on each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tree {
    /// Buttresses of ridges and hills are the first so many.
    pub roots: usize,
    /// Of each buttress the first and the end of those that grow on it.
    pub children: Vec<(u32, u32)>,
    pub surface: Surface,
}

impl Maker<'_> {
    /// Buttresses of some generations of lines.
    pub(super) fn buttresses(&self, lines: &[&[Crest]]) -> (Vec<Crest>, Tree) {
        let surface = self.surface();
        let mut tree = Tree { surface, ..Tree::default() };
        let mut all: Vec<Crest> = Vec::new();
        if self.generations > 0 {
            for parent in lines.iter().copied().flatten() {
                all.extend(parent.sprouts(&surface).map(|s| parent.grown(&surface, s)));
            }
        }
        tree.roots = all.len();
        let mut next = 0;
        while next < all.len() {
            let first = all.len() as u32;
            if all[next].generation < self.generations {
                let parent = all[next].clone();
                all.extend(parent.sprouts(&surface).map(|s| parent.grown(&surface, s)));
            }
            tree.children.push((first, all.len() as u32));
            next += 1;
        }
        (all, tree)
    }

    pub(super) fn surface(&self) -> Surface {
        Surface::of(self.grid())
    }
}

/// Generations of buttresses that samples so far apart can show: one more with every level of zoom.
pub(crate) fn generations(cell_m: f64, spacing_m: f64) -> u8 {
    match Level::for_spacing(cell_m, spacing_m) {
        Level(0..=4) => 1,
        Level(5..=6) => 2,
        Level(level) => level - 4,
    }
}
