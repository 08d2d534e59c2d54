//! From the world's cells to the level that is drawn: plans and flows, each made when it is first asked for.
//!
//! Sites are kept by blocks and made by squares, plans made by parents, waters by the basins of parents. Each is a function of
//! its address alone: of sites of its own level and of plans above, or of plans around and of waters above. Nothing is asked
//! for that would ask back, so threads that wait for one another never wait in a circle. What a request is sure to ask for is
//! planned ahead, in large pieces ([`super::ahead`]): a parent alone takes many times as long.

use super::ahead;
use super::block::{Block, Rect, SIDE, SQUARE};
use super::channels::Channels;
use super::flow::{self, Above, Water};
use super::guide::Guide;
use super::mesh::{self, Mesh};
use super::plan::{self, Placed, Plan, Planner, Spot};
use super::shelf::{Reader, Requests, Shelf, Shelves};
use super::ways::Rim;
use grid::{Cell, Grid, Level, Part, Topology, Vec3};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::fmt;
use std::sync::{Arc, OnceLock};
use world::channel_width_m;

/// What the world says of its own cells: level 0.
pub(crate) trait Coarse: Sync {
    /// Where a cell's water goes.
    fn spot(&self, cell: Part) -> Spot;
    /// How much there is of it.
    fn water(&self, cell: Part) -> Water;
    /// Its area in m2.
    fn area_m2(&self, cell: Part) -> f64;
}

/// Gives the guide of a block's surroundings.
pub(crate) trait Guides: Sync {
    /// The guide within some ball of sites.
    type Near<'a>: Guide
    where
        Self: 'a;
    /// The land within so many rings around a rectangle of parts, for sites of their size.
    fn around(&self, level: Level, rect: Rect, rings: u32) -> Self::Near<'_>;
    /// Pieces of ridge lines within so many rings around a rectangle of parts, in bent space.
    fn lines(&self, level: Level, rect: Rect, rings: u32) -> Vec<(Vec3, Vec3)>;
}

/// The sites of a basin with their waters.
type Basin = Vec<(Part, Water)>;

/// Something for each square of a block, or for the parent of each four of its sites.
type Each<T> = Vec<OnceLock<T>>;

/// Squares of a block of which nothing is known.
fn squares<T>(_: Block) -> Each<T> {
    (0..(SIDE / SQUARE).pow(2)).map(|_| OnceLock::new()).collect()
}

/// Parents of a block's sites of which nothing is known.
fn parents<T>(_: Block) -> Each<T> {
    (0..SIDE * SIDE / 4).map(|_| OnceLock::new()).collect()
}

/// What is known so far of a world's drainage; it may be kept from one request to the next.
#[derive(Default)]
pub(crate) struct Levels {
    sites: Shelf<Each<Vec<Placed>>>,
    /// By the block of the parents' children, parent by parent.
    plans: Shelf<Each<Plan>>,
    flows: Shelf<Each<Basin>>,
    /// The same for a level that is drawn itself, whose waters are shared by its own parts.
    drawn: Shelf<Each<Basin>>,
    /// Of the level that is drawn, square by square, by the bits of the distance between samples, which tells the level.
    channels: Shelves<Each<Arc<Channels>>>,
    requests: Requests,
}

/// A request that runs, by its number.
struct Running {
    known: Arc<Levels>,
    now: u64,
}

impl Running {
    fn begin(known: Arc<Levels>) -> Self {
        let now = known.requests.begin();
        Self { known, now }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.known.requests.end(self.now);
    }
}

impl fmt::Debug for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Levels({} bytes)", self.bytes())
    }
}

impl Levels {
    /// About how many bytes are kept.
    pub fn bytes(&self) -> u64 {
        self.weights().iter().map(|w| w.1).sum()
    }

    /// When blocks were last asked for, counted in requests, and how much they weigh.
    fn weights(&self) -> Vec<(u64, u64)> {
        let basin = |basin: &Basin| basin.capacity() * size_of::<(Part, Water)>();
        let mut all = self.sites.weights(weight(|square: &Vec<Placed>| size_of_val(&square[..])));
        all.extend(self.plans.weights(weight(|_| 0)));
        all.extend(self.flows.weights(weight(basin)));
        all.extend(self.drawn.weights(weight(basin)));
        all.extend(self.channels.weights(weight(|square: &Arc<Channels>| square.bytes())));
        all
    }

    /// Drops what has not been asked for for longest, until the rest weighs no more than a limit; but nothing that a request that still
    /// runs has asked for, or one after it: it may read that once more.
    pub fn trim(&self, limit: u64) {
        self.requests.hold(|oldest| {
            let mut weights = self.weights();
            weights.sort_unstable_by_key(|weight| Reverse(weight.0));
            let mut sum = 0;
            let over = weights.chunk_by(|a, b| a.0 == b.0).find(|same| {
                sum += same.iter().map(|w| w.1).sum::<u64>();
                sum > limit
            });
            if let Some(over) = over {
                let time = oldest.unwrap_or(u64::MAX).min(over[0].0 + 1);
                self.sites.forget_before(time);
                self.plans.forget_before(time);
                self.flows.forget_before(time);
                self.drawn.forget_before(time);
                self.channels.forget_before(time);
            }
        });
    }
}

/// What is kept of a block weighs in bytes, from what each thing owns.
fn weight<T>(each: impl Fn(&T) -> usize) -> impl Fn(&Each<T>) -> u64 {
    move |all| {
        let made = all.iter().filter_map(OnceLock::get).map(&each).sum::<usize>();
        (size_of_val(&all[..]) + made) as u64
    }
}

/// The drainage of a world down to a level.
pub(crate) struct Drainage<'a, C, G> {
    planner: Planner<'a>,
    coarse: &'a C,
    guides: &'a G,
    level: Level,
    running: Running,
}

impl<'a, C: Coarse, G: Guides> Drainage<'a, C, G> {
    /// The drainage of which a level is drawn. What is known must be of the same world.
    pub fn new(planner: Planner<'a>, coarse: &'a C, guides: &'a G, level: Level, known: Arc<Levels>) -> Self {
        Self { planner, coarse, guides, level, running: Running::begin(known) }
    }

    pub(super) fn planner(&self) -> &Planner<'a> {
        &self.planner
    }

    pub fn grid(&self) -> &'a Topology {
        self.planner.grid
    }

    /// The level that is drawn.
    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// Of a square of the level that is drawn the channels that samples so far apart show, where some request has made them.
    pub(super) fn kept(&self, spacing_m: f64, square: Rect) -> Option<Arc<Channels>> {
        self.of_square(spacing_m, square, |channels| channels.get().cloned())
    }

    /// Keeps the channels of a square for other requests; those that are kept already are the same.
    pub(super) fn keep(&self, spacing_m: f64, square: Rect, channels: Arc<Channels>) {
        self.of_square(spacing_m, square, |kept| _ = kept.set(channels));
    }

    fn of_square<R>(
        &self,
        spacing_m: f64,
        square: Rect,
        read: impl FnOnce(&OnceLock<Arc<Channels>>) -> R,
    ) -> R {
        let (shelf, part) = (self.running.known.channels.of(spacing_m.to_bits()), square.first(self.level));
        let reader = Reader::new(self.grid(), &shelf, self.running.now);
        reader.get(part, squares, |each, rect, _| read(&each[rect.square(part).0]))
    }

    /// Where the water of sites of a level goes.
    pub fn spots(&self, level: Level) -> impl Fn(Part) -> Spot + '_ {
        let reader = Reader::new(self.grid(), &self.running.known.plans, self.running.now);
        move |part| match level {
            Level(0) => self.coarse.spot(part),
            _ => self.of_plan(&reader, part.parent(), |plan| plan.spots[part.number()]),
        }
    }

    /// The waters of sites of a level.
    pub fn waters(&self, level: Level) -> impl Fn(Part) -> Water + '_ {
        let plans = Reader::new(self.grid(), &self.running.known.plans, self.running.now);
        let shelf = if level == self.level { &self.running.known.drawn } else { &self.running.known.flows };
        let reader = Reader::new(self.grid(), shelf, self.running.now);
        move |part| {
            if level == Level(0) {
                return self.coarse.water(part);
            }
            let outlet = self.of_plan(&plans, part.parent(), |plan| plan.spots[part.number()].outlet);
            let found = |basins: &Each<Basin>, at: usize| {
                let basin = basins[at].get_or_init(|| self.flow(outlet));
                // were blocks ever to disagree on a basin, its outlet's water would be the one to take
                let site = basin.iter().find(|site| site.0 == part).or(basin.first());
                site.map_or(Water::default(), |site| site.1)
            };
            reader.get_parent(outlet, parents, found)
        }
    }

    /// How many parts of the next level drain to a site's trunk.
    fn basin_parts(&self, level: Level) -> impl Fn(Part) -> f64 + '_ {
        let planned = self.planned_parts();
        let own = level == self.level;
        move |part| if own { 4.0 } else { f64::from(planned(part)) }
    }

    /// How many parts of the next level the plan of their parent says drain to its trunk.
    pub(super) fn planned_parts(&self) -> impl Fn(Part) -> u16 + '_ {
        let reader = Reader::new(self.grid(), &self.running.known.plans, self.running.now);
        move |part| self.of_plan(&reader, part, |plan| plan.basin_parts)
    }

    /// Plans ahead what the channels of some rectangles of the level that is drawn will be made from.
    pub fn prepare(&self, rects: &[Rect], rings: u32) {
        self.prepare_rects(self.level, rects.iter().copied(), rings + ahead::BASINS);
    }

    /// Plans ahead so many rings around some rectangles of a level.
    fn prepare_rects(&self, level: Level, rects: impl Iterator<Item = Rect>, rings: u32) {
        for all in ahead::parents(self.grid(), level, rects, rings) {
            all.par_iter().for_each(|parents| self.plan_all(parents));
        }
    }

    /// Plans ahead where sites are in and so many rings around some rectangles of a level over that which is drawn.
    pub fn prepare_over(&self, over: Level, rects: &[Rect], rings: u32) {
        self.prepare_rects(over, rects.iter().copied(), rings);
    }

    /// The rivers in and beside a rectangle of parts of a level over that which is drawn.
    pub fn rivers_over(&self, over: Level) -> impl Fn(Rect) -> RiversOver + '_ {
        let spots = self.spots(over);
        let own_m =
            move |part: Part| channel_width_m(self.coarse.water(part.over(Level(0))).own_runoff_m3_s.abs());
        move |rect| {
            let (mut sites, mut brooks_m) = (Vec::new(), 0.0f64);
            let boxes = mesh::widened(self.grid(), over, rect, 1);
            for part in boxes.into_iter().flat_map(|rect| rect.parts(over)) {
                let Spot { at, width_m, .. } = spots(part);
                brooks_m = brooks_m.max(own_m(part));
                if width_m > 0.0 {
                    let is_within = rect.index(part).is_some();
                    sites.push(RiverOver { part, at, width_m: f64::from(width_m), is_within });
                }
            }
            RiversOver { sites, brooks_m }
        }
    }

    /// Plans the children of some parents together, and of others around them as far as that is settled by the way.
    fn plan_all(&self, all: &[Part]) {
        let reader = Reader::new(self.grid(), &self.running.known.plans, self.running.now);
        let is_lacking =
            |part: &Part| reader.get_parent(*part, parents, |plans, at| plans[at].get().is_none());
        let lacking: Vec<Part> = all.iter().copied().filter(is_lacking).collect();
        // another thread may have planned some meanwhile, and found the same
        let keep = |part: Part, plan| reader.get_parent(part, parents, |plans, at| _ = plans[at].set(plan));
        let whole = lacking.iter().copied().map(Rect::of).reduce(Rect::with);
        let rects =
            if lacking.len() == all.len() { whole.into_iter().collect() } else { ahead::apart(&lacking) };
        let plan = |rect: Rect, rings: u32| {
            self.plans((all[0].level, rect), rings, (Rim::Open, &is_lacking))
                .into_iter()
                .for_each(|(part, plan)| keep(part, plan));
        };
        rects.into_iter().for_each(|rect| plan(rect, plan::RINGS));
        // a ring or two more settle nearly all, at far less cost than all that could have a say
        let mut left = lacking;
        for rings in plan::RINGS + 1..plan::MOST_RINGS {
            left.retain(is_lacking);
            ahead::apart(&left).into_iter().for_each(|rect| plan(rect, rings));
        }
        left.retain(is_lacking);
        left.into_iter().for_each(|part| keep(part, self.plan_alone(part)));
    }

    /// Plans the children of some parents of a level, which may lie on several faces.
    fn plan_together(&self, mut parents: Vec<Part>) {
        parents.sort_unstable();
        parents.chunk_by(|a, b| a.face == b.face).for_each(|of_face| self.plan_all(of_face));
    }

    /// Something of the plan of a parent's children.
    fn of_plan<R>(&self, reader: &Reader<Each<Plan>>, parent: Part, read: impl FnOnce(&Plan) -> R) -> R {
        reader.get_parent(parent, parents, |plans, at| {
            if plans[at].get().is_none() {
                self.plan_all(&[parent]);
            }
            read(plans[at].get().expect("it was planned"))
        })
    }

    /// What so many rings around a parent settle.
    #[cfg(test)]
    pub(super) fn settled(&self, parent: Part, rings: u32) -> Vec<(Part, Plan)> {
        self.plans((parent.level, Rect::of(parent)), rings, (Rim::Open, &|_: &Part| true))
    }

    /// The plan of a parent's children that no piece around it settles.
    pub(super) fn plan_alone(&self, parent: Part) -> Plan {
        let is_own = |part: &Part| *part == parent;
        let all = self.plans((parent.level, Rect::of(parent)), plan::MOST_RINGS, (Rim::Taken, &is_own));
        all.into_iter().next().expect("what is taken as it seems is settled").1
    }

    /// The plans that are settled and wanted of the children of parents in and so many rings around a rectangle of their level.
    fn plans(
        &self,
        (above, rect): (Level, Rect),
        rings: u32,
        wanted: (Rim, &dyn Fn(&Part) -> bool),
    ) -> Vec<(Part, Plan)> {
        let lines = match above < plan::CREST_LEVEL {
            true => self.guides.lines(above, rect, rings),
            false => Vec::new(),
        };
        let mesh = Mesh::around(self.grid(), above, rect, rings);
        self.planner.plans(&mesh, wanted, (self.spots(above), self.sites()), &lines)
    }

    /// Cells as sites see them.
    fn seats(&self, rect: Rect, land: &impl Guide) -> Vec<Placed> {
        let spots: Vec<Spot> = rect.parts(Level(0)).map(|part| self.coarse.spot(part)).collect();
        let places: Vec<Vec3> = spots.iter().filter(|spot| !spot.sea).map(|spot| spot.at).collect();
        let mut aims = land.aims(&places).into_iter();
        let placed = |spot: Spot| {
            let aim = if spot.sea { None } else { aims.next() };
            Placed { at: spot.at, aim: aim.unwrap_or_default() }
        };
        spots.into_iter().map(placed).collect()
    }

    /// Where sites lie; cells have theirs in their middle, or near it where ground is even.
    pub fn sites(&self) -> impl Fn(Part) -> Placed + '_ {
        let reader = Reader::new(self.grid(), &self.running.known.sites, self.running.now);
        move |part: Part| {
            reader.get(part, squares, |squares: &Each<Vec<Placed>>, rect, _| {
                let (number, square) = rect.square(part);
                let make = || {
                    let land = self.guides.around(part.level, square, 0);
                    match part.level {
                        Level(0) => self.seats(square, &land),
                        level => self.planner.sites(level, square, &land),
                    }
                };
                squares[number].get_or_init(make)[square.index(part).expect("a square holds its parts")]
            })
        }
    }

    fn flow(&self, parent: Part) -> Basin {
        let level = Level(parent.level.0 + 1);
        // one reader for both: what is asked for lies close together
        let plans = Reader::new(self.grid(), &self.running.known.plans, self.running.now);
        let spot = |part: Part| self.of_plan(&plans, part.parent(), |plan| plan.spots[part.number()]);
        let receiver =
            |part: Part| self.of_plan(&plans, part.parent(), |plan| plan.spots[part.number()].receiver);
        let (over, water) = (self.spots(parent.level), self.waters(parent.level));
        let (basin_parts, area_m2) = (self.basin_parts(level), |cell| self.coarse.area_m2(cell));
        let planned_ahead = |parts: Vec<Part>| self.plan_together(parts);
        flow::flow(
            parent,
            &Above {
                grid: self.grid(),
                spot: &spot,
                receiver: &receiver,
                over: &over,
                water: &water,
                has_lake: &|part| self.planner.has_lake(part),
                basin_parts: &basin_parts,
                area_m2: &area_m2,
                planned_ahead: (level < self.level).then_some(&planned_ahead),
            },
        )
    }
}

/// Cells around those under a window whose states its drainage may ask for, down to a level: whatever the window, the
/// waters of a level ask for plans at most so far away, and so on upwards.
pub(crate) fn rings(level: Level, window_rings: u32) -> u32 {
    // rings of sites around the window of which waters are asked for, from the drawn level up to the cells
    let mut waters = vec![window_rings];
    for _ in 0..level.0 {
        let last = waters[waters.len() - 1];
        waters.push((last + BASIN).div_ceil(2) + 2);
    }
    waters.reverse();
    let mut sites = 0;
    let mut spots = 0;
    for l in (1..=level.0).rev() {
        // those of the basins themselves; of plans ahead; and of the plan of the level below
        let ahead = 2 * (waters[usize::from(l) - 1] + BASIN) + 2;
        let ahead = if l > 1 { ahead } else { 0 };
        // what is planned together is made whole, and so are squares of sites
        let rounded = ahead::least_side(Level(l)) - 1;
        spots = (waters[usize::from(l)] + BASIN).max(ahead).max(spots) + rounded;
        sites = spots + 2 * plan::MOST_RINGS + 1 + SQUARE - 1;
        spots = spots.div_ceil(2) + plan::MOST_RINGS + 1;
    }
    // of level 1, in cells
    sites.div_ceil(2).max(spots).max(waters[0]) + CORNERS
}

/// The rivers in and beside a rectangle of parts, as a level over that which is drawn has them.
pub(crate) struct RiversOver {
    pub sites: Vec<RiverOver>,
    /// No brook that leads to no site of a river is wider, in metres: there no more runs than off a cell, and what ends in a closed lake is
    /// no more than that takes.
    brooks_m: f64,
}

/// A site of a river.
#[derive(Clone, Copy)]
pub(crate) struct RiverOver {
    pub part: Part,
    pub at: Vec3,
    /// No site of its river in its part is wider by its plan at any deeper level.
    pub width_m: f64,
    /// Whether it lies in the rectangle.
    pub is_within: bool,
}

impl RiversOver {
    /// How wide by its plan any site there is at most, at any deeper level, in metres.
    pub fn width_m(&self) -> f64 {
        self.sites.iter().map(|site| site.width_m).fold(0.0, f64::max)
    }

    /// Half the width of the widest river there that is drawn, in metres, where plans make it so wide as `counted` says: those that meet are
    /// wider than each, but not than the widest of all around.
    pub fn half_m(&self, counted: impl Fn(f64) -> f64, all_half_m: f64) -> f64 {
        let met_m = |width_m: f64| (MEETING * width_m).min(width_m.max(2.0 * all_half_m));
        0.5 * self.sites.iter().map(|site| met_m(counted(site.width_m))).fold(self.brooks_m, f64::max)
    }
}

/// How much wider than the wider of them rivers are that have met: four of a width make one of twice that.
const MEETING: f64 = 2.0;

/// At corners of the cube surroundings are rounded to rectangles on each face.
const CORNERS: u32 = 4;

/// What lies beside a site of a basin lies within so many rings of any other of its sites.
const BASIN: u32 = 2 * (2 * plan::RINGS + 1) + 1;

/// All cells at most so many rings around some cells, and perhaps some more, sorted.
pub(crate) fn cells_around(grid: &Topology, cells: &[Cell], rings: u32) -> Vec<Cell> {
    let at = |cell: &Cell| {
        let (face, row, col) = grid.shape().split(*cell);
        Part { level: Level(0), face, row, col }
    };
    let rects = mesh::around_parts(grid, Level(0), cells.iter().map(at), rings);
    let all = rects.into_iter().flat_map(|rect| rect.parts(Level(0)));
    let mut cells: Vec<Cell> = all.map(|part| grid.cell_of(part)).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// The blocks that all parts at most so many rings around some parts of a level lie in, and perhaps some more.
pub(crate) fn blocks_near(grid: &Topology, parts: &[Part], rings: u32) -> Vec<Block> {
    let around = |parts: &[Part]| {
        let level = parts[0].level;
        let rects = mesh::around_parts(grid, level, parts.iter().copied(), rings);
        rects.into_iter().flat_map(|rect| rect.blocks(level).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let mut own: Vec<(Block, Part)> = parts.iter().map(|&p| (Block::of(p), p)).collect();
    own.par_sort_unstable();
    let groups: Vec<Vec<Part>> =
        own.chunk_by(|a, b| a.0 == b.0).map(|group| group.iter().map(|g| g.1).collect()).collect();
    let mut blocks: Vec<Block> = groups.par_iter().flat_map_iter(|group| around(group)).collect();
    tidy(&mut blocks);
    blocks
}

fn tidy(blocks: &mut Vec<Block>) {
    blocks.sort_unstable();
    blocks.dedup();
}
