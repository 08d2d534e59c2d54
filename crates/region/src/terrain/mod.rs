//! Terrain: what the land is like before water shapes it, and the sample that is put together afterwards.
//!
//! [`Terrain`] makes a world's cells and features around a request when they are first asked for; [`Near`] is what of it
//! can matter within a ball.
//! Everything is a pure function of place: the smooth means of cells around it in bent space ([`cells`]), noise, and the
//! nearest features.

mod around;
mod canyons;
mod ceiling;
mod cells;
mod coast;
mod compose;
mod country;
mod delta;
mod estuary;
mod floor;
mod lakes;
mod near;
mod noise;
mod pieces;
mod ranges;
#[cfg(test)]
mod tests;

pub(crate) use compose::{Carved, Channel, Inland, Waterside};

pub(crate) use delta::{ArmPiece, ArmPlace};
pub(crate) use near::Near;

use crate::bend::Bend;
use crate::drainage::funnel::Funnel;
use crate::drainage::{Apex, Division};
use crate::features::{self, Maker};
use crate::patch::Patch;
use crate::primitives::Ball;
use around::Around;
use cells::Known;
use country::Kinds;
use delta::Delta;
use estuary::Estuary;
use floor::Mount;
use grid::{Cell, Grid, Seed, Topology, Vec3};
use lakes::LakeCell;
use ranges::Range;
use std::sync::{Arc, OnceLock};
use world::Waters;

/// Rings of cells around those under a ball that matter: three for the kernel or the features, one for the bend.
pub(crate) const RINGS: usize = 4;
/// Rings around a cell that its own values are made from.
const OWN_RINGS: usize = features::RINGS;
/// Rings around a cell in which the coast's kernel lies.
const COAST_RINGS: usize = 3;
/// Rings around the cells under a ball that the patch must hold: as far as a delta and the ends of its arms may lie, and what makes
/// the coast there.
pub(crate) const PATCH_RINGS: usize = 5 + COAST_RINGS + OWN_RINGS;
const _: () = assert!(PATCH_RINGS >= RINGS + OWN_RINGS, "the patch holds what cells are made from");

/// What the coast at the ends of arms leaves out is smaller than this, in cells: so it is the same for all samples.
const COAST_SHARE: f64 = 0.03;

/// Levels of sites whose surroundings are kept with the cells.
const LEVELS: usize = 9;

/// What the land is like at a place before water shapes it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Site {
    /// Height that divides reach, in metres: no more than there is room for behind a coast.
    pub top_m: f64,
    /// Gradient of hillslopes.
    pub rise: f64,
    /// About the distance to the nearest shore in cells, -1 to 1: positive on land.
    pub shore: f64,
    /// Number and level of the lake, where the water is one.
    pub lake: Option<(u32, f64)>,
    /// About the distance to the shore of a lake in cells, at most 1: that where none is near.
    pub lake_cells: f64,
    /// How much glaciers have shaped valleys, 0 to 1.
    pub ice: f64,
    /// About what runs off a cell of land here, in m3/s.
    pub runoff_m3_s: f64,
}

/// Cells and features around a request, of one world.
pub(crate) struct Terrain<'a> {
    grid: &'a Topology,
    seed: Seed,
    bend: Bend,
    patch: &'a Patch<'a>,
    /// One for each cell of the patch, in the same order; and their centres.
    slots: Vec<Slot>,
    centers_m: Vec<Vec3>,
    kinds: Kinds,
    mounts: Vec<Mount>,
    estuaries: Vec<Estuary>,
    /// Where rivers divide into the arms of deltas, by cell; and the deltas whose surroundings the patch holds.
    apexes: Vec<Apex>,
    deltas: Vec<Delta>,
    /// Numbers of the lakes without outflow, rising.
    closed: Vec<u32>,
    /// Generations of buttresses that are shown where they are long enough; more only of sites as small as those.
    generations: u8,
    cell_m: f64,
}

/// What is made of a cell when it is first asked for; none where the patch lacks surroundings of it.
#[derive(Default)]
struct Slot {
    distance: OnceLock<f64>,
    known: OnceLock<Option<Box<Known>>>,
    lake: OnceLock<Option<Arc<LakeCell>>>,
    around: OnceLock<Option<Box<Around>>>,
    /// Of the square of two by two cells that this one is the first of.
    around_four: OnceLock<Box<Around>>,
    range: OnceLock<Option<Box<Range>>>,
    canyons: OnceLock<Box<canyons::Kept>>,
    deep: OnceLock<Box<around::Deep>>,
}

impl<'a> Terrain<'a> {
    /// The terrain of the cells of a patch but for those at its rim, with so many generations of buttresses.
    pub fn new(patch: &'a Patch<'a>, seed: Seed, generations: u8) -> Self {
        let grid = patch.grid;
        Self {
            grid,
            seed,
            bend: Bend::broad(grid, seed),
            patch,
            slots: patch.cells().iter().map(|_| Slot::default()).collect(),
            centers_m: patch.cells().iter().map(|&c| patch.center_m(c)).collect(),
            kinds: Kinds::new(seed),
            mounts: patch.cells().iter().filter_map(|&c| Mount::of(patch, seed, c)).collect(),
            estuaries: Vec::new(),
            apexes: Vec::new(),
            deltas: Vec::new(),
            closed: Vec::new(),
            generations,
            cell_m: grid.cell_m(),
        }
    }

    /// The same with deltas, estuaries and salt lakes.
    pub fn with_waters(mut self, waters: &Waters) -> Self {
        self.estuaries = waters.mouths.iter().filter_map(|m| Estuary::of(self.patch, m)).collect();
        self.apexes = waters.mouths.iter().filter_map(|m| delta::apex(self.patch, self.seed, m)).collect();
        self.deltas = self.apexes.iter().filter_map(|apex| self.delta(apex)).collect();
        self.closed = waters.closed_lakes.clone();
        self
    }

    /// The delta of an apex, if the patch holds all that it is made from.
    fn delta(&self, apex: &Apex) -> Option<Delta> {
        let radius_m = delta::MOST_CELLS * self.cell_m;
        let near = self.within_bent(Ball { center: apex.at, radius_m }, COAST_SHARE * self.cell_m);
        let is_sea = |q: Vec3| {
            // beyond the border of a flat map there is sea
            let Some(cell) = self.grid.locate(q / self.grid.metres_per_unit()) else { return Some(true) };
            self.patch.holds_halo(cell, COAST_RINGS + OWN_RINGS).then(|| near.shore_at(q).free < 0.0)
        };
        let near_m = delta::RIVALS_CELLS * self.cell_m;
        let is_rival = |other: &&Apex| other.cells != apex.cells && other.at.distance(apex.at) < near_m;
        let rivals: Vec<Apex> = self.apexes.iter().filter(is_rival).copied().collect();
        Delta::of((self.patch, &self.kinds), self.seed, apex, is_sea, &rivals)
    }

    /// Where rivers divide into the arms of deltas, by the river's last cell.
    pub fn apexes(&self) -> Vec<Apex> {
        self.apexes.clone()
    }

    /// The cells of lakes in the patch, rising.
    pub fn lake_cells(&self) -> Vec<Cell> {
        self.patch
            .cells()
            .iter()
            .copied()
            .filter(|&cell| self.patch.get(cell).is_some_and(|s| s.lake.is_some()))
            .collect()
    }

    /// The pieces of the lines of all arms of deltas that samples of a spacing show, delta by delta, each from its apex to the sea.
    pub fn arms(&self, spacing_m: f64) -> Vec<ArmPiece> {
        self.deltas.iter().flat_map(|delta| delta.lines(spacing_m, |q| self.unbent(q))).collect()
    }

    /// Where rivers end in deltas, by cell, and whether samples of a spacing show their arms.
    pub fn divisions(&self, spacing_m: f64) -> Vec<Division> {
        let shown = self.deltas.iter().filter(|delta| delta.shows_arms(spacing_m));
        let shown: Vec<Cell> = shown.map(|delta| delta.apex.cells.0).collect();
        let division = |&apex: &Apex| {
            let is_sea = |cell: &Cell| self.patch.get(*cell).is_some_and(|state| !state.is_land());
            let sea = apex.cells.1;
            let around = self.grid.neighbors(sea).map(|(_, cell)| cell).filter(is_sea);
            let mut behind: Vec<Cell> = around.chain([sea]).collect();
            behind.sort_unstable();
            let is_shown = shown.binary_search(&apex.cells.0).is_ok();
            Division { apex, is_shown, at: self.unbent(apex.at), behind }
        };
        self.apexes.iter().map(division).collect()
    }

    /// The rivers that widen towards the sea, with waters.
    pub fn funnels(&self, waters: &Waters) -> Vec<Funnel> {
        waters.mouths.iter().filter_map(|mouth| Funnel::of((self.patch, &self.bend), mouth)).collect()
    }

    /// The apex at which the line of a river of so much discharge, on its way from a cell, ends or has ended, and those of arms
    /// begin: the cells on both sides, and the place.
    pub fn line_end(&self, river: (Cell, f64), spacing_m: f64) -> Option<((Cell, Cell), ArmPlace)> {
        let delta = self.deltas.iter().find(|delta| delta.divides(river, spacing_m))?;
        Some((delta.apex.cells, delta.head(|q| self.unbent(q))))
    }

    fn unbent(&self, q: Vec3) -> Vec3 {
        self.bend.unbend(self.grid.on_surface_m(q))
    }

    /// What the cell at a place in the patch adds to the means around it.
    fn known(&self, place: usize) -> Option<&Known> {
        let cell = self.patch.cells()[place];
        let make = || {
            let known = || Known::of(self.patch, place, &self.kinds, |place| self.distance(place));
            self.is_surrounded(cell).then(known).map(Box::new)
        };
        self.slots[place].known.get_or_init(make).as_deref()
    }

    /// The part of a lake that is the cell's at a place in the patch.
    fn lake(&self, place: usize) -> Option<&Arc<LakeCell>> {
        self.patch.at(place).lake?;
        let make = || {
            let cell = self.patch.cells()[place];
            let lake = || LakeCell::of((self.patch, &self.kinds), self.seed, cell).map(Arc::new);
            self.is_surrounded(cell).then(lake).flatten()
        };
        self.slots[place].lake.get_or_init(make).as_ref()
    }

    /// The distance of the cell at a place in the patch from the coast.
    fn distance(&self, place: usize) -> f64 {
        *self.slots[place].distance.get_or_init(|| cells::distance(self.patch, place))
    }

    /// The floor of the cell at a place in the patch, in metres, where it is sea.
    fn sea_m(&self, place: usize) -> Option<f64> {
        Some(self.patch.at(place)).filter(|state| !state.is_land()).map(|state| state.base_elevation_m)
    }

    /// The cell of a place in bent space, or beside the border of a flat map the one nearest to it.
    fn cell_at(&self, q: Vec3) -> Option<Cell> {
        self.grid.locate(self.grid.nearest_inside(q / self.grid.metres_per_unit()))
    }

    /// What is around a cell.
    fn around(&self, cell: Cell) -> Option<&Around> {
        let place = self.patch.index(cell)?;
        let make = || {
            let known = self.known(place)?;
            let ball = Ball { center: known.center_m, radius_m: known.radius_m };
            let mut around = Around::new(self, ball);
            around.place = Some(place);
            Some(Box::new(around))
        };
        self.slots[place].around.get_or_init(make).as_deref()
    }

    /// What is around the square of two by two cells that one lies in. Places of the cell have the same values by it as by what is
    /// around the cell alone. None where the patch lacks the square's first cell.
    fn around_four(&self, cell: Cell) -> Option<&Around> {
        let shape = self.grid.shape();
        let (face, row, col) = shape.split(cell);
        let first = shape.join(face, row & !1, col & !1);
        let make = || {
            let center = self.grid.within(first, 1.0, 1.0) * self.grid.metres_per_unit();
            let rows = (row & !1)..(row | 1).min(shape.rows - 1) + 1;
            let cols = (col & !1)..(col | 1).min(shape.cols - 1) + 1;
            let four = rows.flat_map(|row| cols.clone().map(move |col| shape.join(face, row, col)));
            let reach = |k: &Known| k.center_m.distance(center) + k.radius_m;
            let known = four.filter_map(|cell| self.known(self.patch.index(cell)?));
            Box::new(Around::new(self, Ball { center, radius_m: known.map(reach).fold(0.0, f64::max) }))
        };
        let slot = &self.slots[self.patch.index(first)?];
        self.known(self.patch.index(cell)?)?;
        Some(slot.around_four.get_or_init(make))
    }

    /// The mountains of the cell at a place in the patch.
    fn range(&self, place: usize) -> Option<&Range> {
        let make = || {
            let cell = self.patch.cells()[place];
            let high = self.patch.get(cell)?.mountain_height_m > 0.0;
            let range = || Box::new(Range::new(self.maker().ridge_lines(cell), cell, self.centers_m[place]));
            (high && self.is_surrounded(cell)).then(range)
        };
        self.slots[place].range.get_or_init(make).as_deref()
    }

    /// Whether the patch holds all that a cell's own values are made from.
    fn is_surrounded(&self, cell: Cell) -> bool {
        self.patch.holds_halo(cell, OWN_RINGS)
    }

    fn maker(&self) -> Maker<'_> {
        // buttresses are grown for each level
        Maker { patch: self.patch, seed: self.seed, cell_m: self.cell_m, generations: 0 }
    }
}

/// Saturates at `most` as `x` grows; as good as `x` far below it.
fn at_most(x: f64, most: f64) -> f64 {
    x / (1.0 + (x / most) * (x / most)).sqrt()
}
