//! What of a terrain can matter within a ball, and the fields there.

use super::cells::{self, Known, LakeNear, Means, Sides, means};
use super::coast::{Coasts, Shore};
use super::country::{Country, Here};
use super::floor::Floor;
use super::mouths::{self, Shape};
use super::ranges::{self, Broad, Crests};
use super::{Site, Terrain};
use crate::high::HighGround;
use crate::primitives::{Ball, Primitives};
use grid::{Cell, Grid, Topology, Vec3};
use std::cell::OnceCell;

/// A ball that is bent lies within one around its bent centre that is so much wider.
const STRETCH: f64 = 2.0;
/// Balls up to this radius keep one list of what is around; larger ones keep one for each cell.
const SMALL_CELLS: f64 = 0.8;

/// What of a terrain can matter within a ball.
pub(crate) struct Near<'a> {
    pub(super) terrain: &'a Terrain<'a>,
    size_m: f64,
    ball: Ball,
    /// Made when first asked for: most large balls are asked cell by cell.
    whole: OnceCell<Around<'a>>,
    /// By address; none where the ball is small.
    buckets: Vec<(Cell, OnceCell<Around<'a>>)>,
    crests: OnceCell<Crests>,
    coasts: Coasts,
    pub(super) mouths: Vec<&'a Shape>,
    country: Country,
    pub(super) floor: Floor<'a>,
}

/// What is around a small ball of bent space.
pub(super) struct Around<'a> {
    ball: Ball,
    pub known: Vec<&'a Known>,
    sides: Sides,
    /// Made when first asked for: most of a range's neighbourhood is plains.
    high: OnceCell<High<'a>>,
}

/// The high ground of a small ball.
struct High<'a> {
    primitives: Primitives<'a>,
    broad: Vec<Broad>,
}

impl<'a> Around<'a> {
    /// Of the cells given, in the order of addresses, those that can matter.
    fn new(cells: impl Iterator<Item = &'a Known>, ball: Ball, cell_m: f64) -> Self {
        let within = |radius: f64| {
            let reach = radius * cell_m + ball.radius_m;
            move |k: &&Known| k.center_m.distance(ball.center) <= reach
        };
        let mut known: Vec<&Known> = cells.filter(within(cells::COAST_RADIUS_CELLS)).collect();
        let sides = Sides::of(&known);
        if sides != Sides::Both {
            known.retain(within(cells::RADIUS_CELLS));
        }
        Self { ball, known, sides, high: OnceCell::new() }
    }
}

impl Terrain<'_> {
    /// What can matter within a ball of plain space (metres), to things of `size_m`: smaller ones are left out.
    pub fn within(&self, ball: Ball, size_m: f64) -> Near<'_> {
        let bent = Ball { center: self.bend.bend(ball.center), radius_m: STRETCH * ball.radius_m + 1.0 };
        let buckets =
            if bent.radius_m < SMALL_CELLS * self.cell_m { Vec::new() } else { self.buckets(&bent) };
        Near {
            terrain: self,
            size_m,
            whole: OnceCell::new(),
            ball: bent,
            buckets,
            crests: OnceCell::new(),
            mouths: self.mouths.iter().filter(|m| m.meets(&bent)).collect(),
            coasts: Coasts::new(self.seed, self.cell_m, size_m),
            country: Country::new(self.seed, size_m),
            floor: Floor::new(self.seed, size_m, self.mounts.iter().filter(|m| m.meets(&bent))),
        }
    }

    /// Pieces of the ridge lines near a ball of plain space, in bent space.
    pub fn ridge_lines(&self, ball: &Ball) -> Vec<(Vec3, Vec3)> {
        let bent = Ball { center: self.bend.bend(ball.center), radius_m: STRETCH * ball.radius_m + 1.0 };
        self.crests(&bent).into_pieces()
    }

    fn crests(&self, bent: &Ball) -> Crests {
        Crests::new(self.around(bent, ranges::REACH_CELLS).filter_map(|c| self.range(c)), bent)
    }

    /// The cells whose centres lie within so many cells of a ball, in the order of addresses.
    fn around(&self, ball: &Ball, cells: f64) -> impl Iterator<Item = Cell> {
        /// The narrowest cells and the shortest way between neighbours, in cells.
        const NARROWEST: f64 = 0.65;
        let at = self.grid.nearest_inside(ball.center / self.grid.metres_per_unit());
        let rings = ((ball.radius_m / self.cell_m + cells) / NARROWEST).ceil() + 1.0;
        let reach_m = ball.radius_m + cells * self.cell_m;
        // fewer cells than a list of all there are, or that list
        let few = 4.0 * rings * rings < self.slots.len() as f64;
        let near = self.grid.locate(at).filter(|_| few).map(|cell| self.grid.halo(cell, rings as usize));
        let all = near.unwrap_or_else(|| self.patch.cells().to_vec());
        all.into_iter().filter(move |&c| self.patch.center_m(c).distance(ball.center) <= reach_m)
    }

    /// The cells under the ball, with room for what is around each.
    fn buckets(&self, ball: &Ball) -> Vec<(Cell, OnceCell<Around<'_>>)> {
        let under = |k: &&Known| k.center_m.distance(ball.center) <= ball.radius_m + k.radius_m;
        let near = self.around(ball, 1.0).filter_map(|c| self.known(c));
        near.filter(under).map(|k| (k.cell, OnceCell::new())).collect()
    }

    /// What is around a cell.
    fn bucket(&self, cell: Cell) -> Around<'_> {
        let known = self.known(cell).expect("a bucket is of a cell that is known");
        let around = self.grid.halo(cell, BUCKET_RINGS);
        let ball = Ball { center: known.center_m, radius_m: known.radius_m };
        Around::new(around.iter().filter_map(|c| self.known(*c)), ball, self.cell_m)
    }
}

/// Rings of cells that can weigh at places within a cell: narrow cells are 0.77 of the mean.
const BUCKET_RINGS: usize = 3;

impl<'a> Near<'a> {
    fn whole(&self) -> &Around<'a> {
        self.whole.get_or_init(|| {
            let terrain = self.terrain;
            let near = terrain.around(&self.ball, cells::COAST_RADIUS_CELLS);
            Around::new(near.filter_map(|c| terrain.known(c)), self.ball, terrain.cell_m)
        })
    }

    /// What a place in bent space has around it.
    pub(super) fn around(&self, q: Vec3) -> &Around<'a> {
        if self.buckets.is_empty() {
            return self.whole();
        }
        let grid = self.terrain.grid;
        let own = grid.locate(grid.nearest_inside(q / grid.metres_per_unit()));
        let at = own.and_then(|cell| self.buckets.binary_search_by_key(&cell, |b| b.0).ok());
        at.map_or_else(
            || self.whole(),
            |i| {
                let (cell, around) = &self.buckets[i];
                around.get_or_init(|| self.terrain.bucket(*cell))
            },
        )
    }

    pub(super) fn means(&self, q: Vec3, around: &Around) -> Means {
        means((&around.known, around.sides), q, self.terrain.cell_m)
    }

    pub(super) fn shore(&self, q: Vec3, means: &Means) -> (Here, Shore) {
        let here = self.country.at(q, means);
        let built = mouths::built(&self.mouths, q);
        let mut shore = self.coasts.at(q, means, (&here, built));
        let closed = |l: &LakeNear| self.terrain.closed.binary_search(&l.number).is_ok();
        shore.is_salt = shore.near.as_ref().is_some_and(closed);
        (here, shore)
    }

    /// The fields at a place in plain space, in metres.
    pub fn site(&self, p: Vec3) -> Site {
        self.site_at_bent(self.terrain.bend.bend(p))
    }

    /// The fields at a place in bent space, in metres.
    pub fn site_at_bent(&self, q: Vec3) -> Site {
        let around = self.around(q);
        let means = self.means(q, around);
        let (here, shore) = self.shore(q, &means);
        let base_m = means.land_m.max(0.0);
        Site {
            top_m: base_m + self.mountains_m(q, around, &means) + here.hills_m,
            base_m,
            rise: here.rise,
            shore: shore.shore.clamp(-1.0, 1.0),
            lake: shore.lake.map(|l| (l.number, l.level_m)),
            ice: here.ice,
            flat: here.flat,
            temperature_c: means.temperature_c,
            rain_mm: means.rain_mm,
        }
    }

    /// Height of the mountains that divide reach, in metres: ridges as they are drawn, broad flanks beside them, and half
    /// the range's height away from them.
    fn mountains_m(&self, q: Vec3, around: &Around<'a>, means: &Means) -> f64 {
        if means.mountain_m <= 0.0 {
            return 0.0;
        }
        let high = around.high.get_or_init(|| self.high(&around.ball));
        let away_m = AWAY_FROM_CRESTS * means.mountain_m;
        let above_m = means.massif_m - away_m;
        let broad = high.broad.iter().map(|b| b.at(q, above_m));
        let (crest_m, flank_m) = broad.fold((0.0f64, 0.0f64), |h, b| (h.0.max(b.0), h.1.max(b.1)));
        let high_m = if self.is_coarse() { crest_m } else { high.primitives.high_ground_m(q) };
        (means.massif_m + high_m).max(away_m + flank_m)
    }

    /// Whether things are so large that only the broad shape of ridges matters to them.
    fn is_coarse(&self) -> bool {
        self.size_m >= SPURS_FROM_CELLS * self.terrain.cell_m
    }

    fn high(&self, ball: &Ball) -> High<'a> {
        let terrain = self.terrain;
        let ranges = terrain.around(ball, REACH_CELLS).filter_map(|c| terrain.range(c));
        let mut high = High { primitives: Primitives::default(), broad: Vec::new() };
        for range in ranges {
            if !self.is_coarse() {
                high.primitives.add(range.features(&terrain.maker()), ball, self.size_m, 0.0);
            }
            high.broad.extend(range.broad.iter().filter(|b| b.meets(ball)));
        }
        high
    }

    /// Ridges, peaks and buttresses each alone at a place in plain space, in metres.
    pub fn high_ground(&self, p: Vec3) -> HighGround {
        let q = self.terrain.bend.bend(p);
        let around = self.around(q);
        around.high.get_or_init(|| self.high(&around.ball)).primitives.high_ground(q)
    }

    /// Where a place in plain space (metres) lies in bent space.
    pub fn bent(&self, p: Vec3) -> Vec3 {
        self.terrain.bend.bend(p)
    }

    /// How many ridges the straight way from `a` to `b` (plain space, metres) crosses.
    pub fn crests_between(&self, a: Vec3, b: Vec3) -> u32 {
        let (a, b) = (self.terrain.bend.bend(a), self.terrain.bend.bend(b));
        let up = match self.terrain.grid {
            Topology::Globe(_) => a.lerp(b, 0.5).normalized(),
            Topology::Flat(_) => Vec3::new(0.0, 0.0, 1.0),
        };
        self.crests.get_or_init(|| self.terrain.crests(&self.ball)).between(a, b, up)
    }
}

/// Ridges are seen by things of any size, other features by those that are smaller than this share of a cell.
const SPURS_FROM_CELLS: f64 = 0.08;
/// Features lie within this of their cell's centre, with all that they raise, in cells.
const REACH_CELLS: f64 = 2.2;
/// Height away from crests, as a share of the mountains'.
const AWAY_FROM_CRESTS: f64 = 0.5;
