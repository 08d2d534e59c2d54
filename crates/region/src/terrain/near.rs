//! What of a terrain can matter within a ball, and the fields there.

use super::around::Around;
use super::canyons::Canyons;
use super::ceiling::Ceiling;
use super::cells::Means;
use super::coast::{Coasts, Shore};
use super::country::{Country, Here, Hills};
use super::delta::Deltas;
use super::estuary::Estuary;
use super::floor::Floor;
use super::lakes::LakeNear;
use super::noise::At;
use super::ranges::{self, Crests};
use super::{LEVELS, Site, Terrain};
use crate::high::{High, HighGround};
use crate::primitives::Ball;
use grid::{Grid, Level, Vec3};
use std::cell::{Cell as Kept, OnceCell, RefCell};
use std::rc::Rc;

/// A ball that is bent lies within one around its bent centre that is so much wider.
const STRETCH: f64 = 2.0;
/// Balls up to this radius have one list of what is around; in larger ones each cell has its own.
const SMALL_CELLS: f64 = 0.3;

/// What of a terrain can matter within a ball.
pub(crate) struct Near<'a> {
    pub(super) terrain: &'a Terrain<'a>,
    size_m: f64,
    /// The level whose sites are of this size: what matters to them is kept with the cells.
    pub(super) level: Option<Level>,
    ball: Ball,
    /// What is around the whole ball: few large balls are asked for it.
    whole: OnceCell<Around>,
    /// What is around the cell that was asked for last.
    last: Kept<Option<&'a Around>>,
    /// The high ground that a deep level was asked for last, with the ball that it serves.
    last_high: Kept<Option<&'a (Ball, High)>>,
    each: OnceCell<High>,
    row: RefCell<Row>,
    coasts: Coasts,
    /// Samples alone ask for these, sites do not.
    estuaries: OnceCell<Vec<&'a Estuary>>,
    floor: OnceCell<Floor<'a>>,
    pub(super) deltas: Deltas<'a>,
    pub(super) country: Country,
    pub(super) ceiling: Ceiling,
}

/// Height that divides reach at a place, in metres, and what tells it.
struct Top {
    height_m: f64,
    means: Means,
    hills: Hills,
}

/// Places of a tile that follow one another, in plain space; and in bent space once one of them was asked for.
#[derive(Default)]
struct Row {
    plain: Vec<Vec3>,
    bent: Rc<[Vec3]>,
}

impl Terrain<'_> {
    /// What can matter within a ball of plain space (metres), to things of `size_m`: smaller ones are left out.
    pub fn within(&self, ball: Ball, size_m: f64) -> Near<'_> {
        let bent = Ball { center: self.bend.bend(ball.center), radius_m: STRETCH * ball.radius_m + 1.0 };
        self.within_bent(bent, size_m)
    }

    /// The same for a ball of bent space.
    pub fn within_bent(&self, ball: Ball, size_m: f64) -> Near<'_> {
        let fits = |level: &Level| level.size(self.cell_m) == size_m;
        Near {
            terrain: self,
            size_m,
            level: (0..LEVELS as u8).map(Level).find(fits),
            whole: OnceCell::new(),
            last: Kept::new(None),
            last_high: Kept::new(None),
            each: OnceCell::new(),
            row: RefCell::default(),
            ball,
            estuaries: OnceCell::new(),
            floor: OnceCell::new(),
            deltas: Deltas::new(&self.deltas, &ball, size_m, self.seed),
            coasts: Coasts::new(self.seed, self.cell_m, size_m),
            country: Country::new(self.seed, size_m, self.cell_m),
            ceiling: Ceiling::of(size_m, self.cell_m),
        }
    }

    /// Pieces of the ridge lines near a ball of bent space.
    pub fn ridge_lines(&self, ball: &Ball) -> Vec<(Vec3, Vec3)> {
        self.crests(ball).into_pieces()
    }

    fn crests(&self, ball: &Ball) -> Crests {
        let near = self.near(ball, ranges::REACH_CELLS);
        Crests::new(near.into_iter().filter_map(|k| self.range(k)), ball)
    }

    /// The places of the cells whose centres lie within so many cells of a ball, in the order of addresses.
    pub(super) fn near(&self, ball: &Ball, cells: f64) -> Vec<usize> {
        /// The narrowest cells and the shortest way between neighbours, in cells.
        const NARROWEST: f64 = 0.65;
        let at = self.grid.nearest_inside(ball.center / self.grid.metres_per_unit());
        let rings = ((ball.radius_m / self.cell_m + cells) / NARROWEST).ceil() + 1.0;
        let reach_m = ball.radius_m + cells * self.cell_m;
        let is_near = |k: usize| (self.centers_m[k] - ball.center).length_squared() <= reach_m * reach_m;
        // fewer cells than a list of all there are, or that list
        let few = 4.0 * rings * rings < self.slots.len() as f64;
        match self.grid.locate(at).filter(|_| few) {
            Some(cell) => self.patch.halo_where(cell, rings as usize, is_near),
            None => (0..self.slots.len()).filter(|&k| is_near(k)).collect(),
        }
    }
}

impl<'a> Near<'a> {
    /// The ceiling of the land for things of this size.
    pub fn ceiling(&self) -> &Ceiling {
        &self.ceiling
    }

    pub(super) fn whole(&self) -> &Around {
        self.whole.get_or_init(|| Around::new(self.terrain, self.ball))
    }

    /// The estuaries that reach the ball.
    pub(super) fn estuaries(&self) -> &[&'a Estuary] {
        let all = &self.terrain.estuaries;
        self.estuaries.get_or_init(|| all.iter().filter(|m| m.meets(&self.ball)).collect())
    }

    pub(super) fn floor(&self) -> &Floor<'a> {
        let Terrain { seed, cell_m, mounts, .. } = self.terrain;
        let make =
            || Floor::new(*seed, (*cell_m, self.size_m), mounts.iter().filter(|m| m.meets(&self.ball)));
        self.floor.get_or_init(make)
    }

    /// What is around the cell of a place in bent space, if the patch holds that.
    fn around_cell(&self, q: Vec3) -> Option<&'a Around> {
        if let Some(last) = self.last.get().filter(|last| last.serves(q)) {
            return Some(last);
        }
        let cell = self.terrain.cell_at(q)?;
        let is_coarse = self.size_m >= FOUR_FROM_CELLS * self.terrain.cell_m;
        let four = if is_coarse { self.terrain.around_four(cell) } else { None };
        self.last.set(four.or_else(|| self.terrain.around(cell)));
        self.last.get()
    }

    /// What a place in bent space has around it.
    pub(super) fn around(&self, q: Vec3) -> &Around {
        if self.ball.radius_m < SMALL_CELLS * self.terrain.cell_m {
            return self.whole();
        }
        self.around_cell(q).unwrap_or_else(|| self.whole())
    }

    /// The first kinds of canyons around a place in bent space.
    pub(super) fn canyons(&self, q: Vec3, kinds: usize) -> Option<Canyons<'a>> {
        if kinds == 0 {
            return None;
        }
        let own = || self.terrain.patch.index(self.terrain.cell_at(q)?);
        let place = self.around_cell(q)?.place.or_else(own)?;
        Some(self.terrain.canyons(place, kinds))
    }

    pub(super) fn means(&self, q: Vec3, around: &Around) -> Means {
        around.known.means((self.terrain, &around.lakes), q)
    }

    /// Begins a row of places in plain space (metres) that follow one another; what is then asked for by their columns is
    /// found for all of them at once.
    pub fn begin(&self, row: Vec<Vec3>) {
        *self.row.borrow_mut() = Row { plain: row, bent: Rc::default() };
    }

    /// A place of the row that was begun, in bent space.
    pub(super) fn in_row(&self, column: usize) -> At {
        let Row { plain, bent } = &mut *self.row.borrow_mut();
        if bent.is_empty() {
            *bent = self.terrain.bend.bend_row(plain).into();
            self.coasts.begin(bent);
            self.country.begin(bent);
            self.floor().begin(bent);
        }
        At { q: bent[column], column: Some(column) }
    }

    /// The shores at a place that lies so many cells within the land of deltas.
    pub(super) fn shore(&self, at: impl Into<At>, means: &Means, (here, built): (&Here, f64)) -> Shore {
        let mut shore = self.coasts.at(at.into(), means, (here, built));
        let closed = |l: &LakeNear| self.terrain.closed.binary_search(&l.number).is_ok();
        shore.is_salt = shore.near.as_ref().is_some_and(closed);
        shore
    }

    /// The fields at a place in plain space, in metres.
    #[cfg(test)]
    pub fn site(&self, p: Vec3) -> Site {
        self.sites_at_bent(&[self.terrain.bend.bend(p)]).next().expect("one place, one site")
    }

    /// The shores at a place in bent space, in metres.
    pub(super) fn shore_at(&self, q: Vec3) -> Shore {
        let means = self.means(q, self.around(q));
        self.shore(q, &means, (&self.country.at(q, &means), self.deltas.beside(q).within_cells))
    }

    /// Whether a place in bent space is land of a bar.
    #[cfg(test)]
    pub(super) fn is_bar(&self, q: Vec3) -> bool {
        let means = self.means(q, self.around(q));
        self.coasts.is_bar(q.into(), &means, &self.country.at(q, &means))
    }

    /// The fields at places in bent space, in metres. What they have in common is found for all of them at once.
    pub fn sites_at_bent(&self, places: &[Vec3]) -> impl Iterator<Item = Site> {
        let row = Rc::from(places);
        self.coasts.begin(&row);
        self.country.begin(&row);
        places.iter().enumerate().map(|(column, &q)| self.site_at_bent(At { q, column: Some(column) }))
    }

    /// Of each so many places that follow one another the one with the lowest top, of equal ones the first, with its fields.
    pub fn lowest_sites(&self, places: &[Vec3], tries: usize) -> Vec<(Vec3, Site)> {
        self.country.begin(&Rc::from(places));
        let top = |(column, &q): (usize, &Vec3)| self.top_at(At { q, column: Some(column) });
        let tops: Vec<Top> = places.iter().enumerate().map(top).collect();
        let lower = |a: usize, b: usize| if tops[b].height_m < tops[a].height_m { b } else { a };
        let chosen = (0..tops.len()).step_by(tries).filter_map(|from| (from..from + tries).reduce(lower));
        let chosen: Vec<usize> = chosen.collect();
        // what else there is to say is found of these alone
        let row: Rc<[Vec3]> = chosen.iter().map(|&k| places[k]).collect();
        self.coasts.begin(&row);
        self.country.begin(&row);
        let site = |(column, k): (usize, usize)| {
            let at = At { q: places[k], column: Some(column) };
            (at.q, self.site_of(at, &tops[k]))
        };
        chosen.into_iter().enumerate().map(site).collect()
    }

    fn site_at_bent(&self, at: At) -> Site {
        self.site_of(at, &self.top_at(at))
    }

    /// The top at a place.
    fn top_at(&self, at: At) -> Top {
        let q = at.q;
        let of_cell = self.level.and_then(|level| Some((self.around_cell(q)?, level)));
        let (around, level) = match of_cell {
            Some((around, level)) => (around, Some(level)),
            None => (self.whole(), None),
        };
        let means = self.means(q, around);
        let hills = self.country.hills(at, &means);
        let base_m = means.land_m.max(0.0);
        let height_m = base_m + self.mountains_m(q, (around, level), &means) + hills.height_m;
        Top { height_m, means, hills }
    }

    /// The fields at a place whose top is known.
    fn site_of(&self, at: At, top: &Top) -> Site {
        let here = self.country.with_hills(at, &top.means, top.hills);
        let beside = self.deltas.beside(at.q);
        let shore = self.shore(at, &top.means, (&here, beside.within_cells));
        Site {
            top_m: self.top_m(top.height_m, at.q, (&top.means, &here, &shore), &beside),
            rise: here.rise,
            shore: shore.shore.clamp(-1.0, 1.0),
            lake: shore.lake.map(|l| (l.number, l.level_m)),
            lake_cells: shore.near.map_or(1.0, |l| l.shore.clamp(-1.0, 1.0)),
            ice: here.ice,
            runoff_m3_s: top.means.runoff_m3_s,
        }
    }

    /// Height of the mountains that divide reach, in metres: ridges as they are drawn, broad flanks beside them, and half
    /// the range's height away from them.
    fn mountains_m(&self, q: Vec3, (around, level): (&Around, Option<Level>), means: &Means) -> f64 {
        if means.mountain_m <= 0.0 {
            return 0.0;
        }
        let flanks = around.flanks(self.terrain);
        let away_m = AWAY_FROM_CRESTS * means.mountain_m;
        let above_m = means.massif_m - away_m;
        if self.is_coarse() {
            let (even_m, flank_m) = flanks.at(q, above_m, (0.0, 0.0));
            return (means.massif_m + even_m).max(away_m + flank_m);
        }
        let high = match level {
            Some(level) => {
                self.deep_high(q, level).unwrap_or_else(|| around.high(self.terrain, level, self.size_m))
            }
            None => around.high_for(self.terrain, self.size_m),
        };
        let high_m = means.massif_m + high.highest_m(q);
        // flanks that do not reach so high need no look
        let least_m = high_m - away_m - HAIR_M;
        high_m.max(away_m + flanks.at(q, above_m, (f64::INFINITY, least_m)).1)
    }

    /// The high ground around a place, for the sites of a deep level.
    fn deep_high(&self, q: Vec3, level: Level) -> Option<&'a High> {
        let last = self.last_high.get().filter(|last| last.0.holds(q));
        let found = last.or_else(|| self.terrain.deep_high(q, level, self.size_m))?;
        self.last_high.set(Some(found));
        Some(&found.1)
    }

    /// Whether things are so large that only the broad shape of ridges matters to them.
    fn is_coarse(&self) -> bool {
        self.size_m >= SPURS_FROM_CELLS * self.terrain.cell_m
    }

    /// Ridges, peaks and buttresses each alone at a place in plain space, in metres.
    pub fn high_ground(&self, p: Vec3) -> HighGround {
        let make = || self.terrain.high(High::of_each(), &self.ball, self.size_m);
        self.each.get_or_init(make).each(self.terrain.bend.bend(p))
    }
}

/// Heights are trusted up to this, in metres.
const HAIR_M: f64 = 1e-6;
/// Ridges are seen by things of any size, other features by those that are smaller than this share of a cell.
const SPURS_FROM_CELLS: f64 = 0.08;
/// Things of this size, in cells, look at four cells together: few of them lie in each.
const FOUR_FROM_CELLS: f64 = 0.12;
/// Height away from crests, as a share of the mountains'.
const AWAY_FROM_CRESTS: f64 = 0.5;
