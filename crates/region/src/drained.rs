//! The method `drainage`: samples in tiles, from channels of the level that suits their spacing.
//!
//! Tiles of [`TILE`] x [`TILE`] samples are aligned to the lattice's own numbers, so that a tile is a function of its
//! address and of the world. For each the channels within reach are gathered from blocks ([`crate::drainage`]), the
//! land between them is shaped ([`crate::envelope`]), and coasts, lakes and the sea are put in ([`crate::terrain`]).

mod inland;
mod rivers;

use crate::bend::Bend;
use crate::derived::{NO_BASIN, is_sea};
use crate::drainage::block::{Block, Rect};
use crate::drainage::channels::{self, Channels, Link};
use crate::drainage::coarse::Cells;
use crate::drainage::levels::{self, Drainage, Guides, Levels};
use crate::drainage::owner::owners;
use crate::drainage::plan::Planner;
use crate::drainage::{Aim, Guide};
use crate::envelope::{Channel, Envelope, Frame, Lists, RiverHere, Shaped, Style};
use crate::lattice::{Lattice, Window};
use crate::patch::Patch;
use crate::primitives::Ball;
use crate::refine::widened;
use crate::request::{Method, Request, Sampled};
use crate::sample::Sample;
use crate::terrain::{self, Carved, Near, Terrain};
use grid::{Cell, Grid, Level, Part, Purpose, Seed, Topology, Vec3};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use world::{CellSource, GatherError, Waters, channel_width_m};

pub(crate) use rivers::{Point, RiverLink, Rivers};

/// Samples along a side of a tile.
pub(crate) const TILE: i64 = 32;
/// Sites lie at least so many samples apart.
pub(crate) const SAMPLES_PER_SITE: f64 = 3.4;
/// The deepest level of channels: 78 m where cells have 20 km.
const DEEPEST: Level = Level(8);
/// Generations of buttresses that sites see.
const GENERATIONS: u8 = 2;
/// Channels bend away from the straight link by less than this, in spacings of sites.
const COURSE: f64 = 0.6;

/// The level whose channels are drawn for a spacing of samples; none where even cells are smaller than samples need.
pub(crate) fn level(grid: &Topology, spacing_m: f64) -> Option<Level> {
    let fits = |&l: &Level| l.size(grid.cell_m()) >= SAMPLES_PER_SITE * spacing_m;
    (0..=DEEPEST.0).rev().map(Level).find(fits)
}

/// Meanders of links.
const COURSES: Purpose = Purpose::new("region/drainage/course");

/// A tile by its column and row among the tiles of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub column: i64,
    pub row: i64,
}

impl Tile {
    /// All tiles that a window touches, row by row from the north.
    pub fn of_window(window: &Window) -> Vec<Self> {
        let (west, north) = (window.west, window.north);
        let (east, south) = (west + window.width as i64 - 1, north - window.height as i64 + 1);
        let rows = south.div_euclid(TILE)..=north.div_euclid(TILE);
        let columns = west.div_euclid(TILE)..=east.div_euclid(TILE);
        rows.rev().flat_map(|row| columns.clone().map(move |column| Self { column, row })).collect()
    }

    /// Positions of the tile's samples in metres, row by row from the north; none beyond a pole or a border.
    fn positions(self, grid: &Topology, lattice: &Lattice) -> Vec<Option<Vec3>> {
        let (west, south) = (self.column * TILE, self.row * TILE);
        let mut places = lattice.positions(west..west + TILE, south..south + TILE);
        for place in &mut places {
            *place = place.filter(|at| is_on(grid, *at)).map(|at| at * grid.metres_per_unit());
        }
        places
    }

    /// Columns and rows of the tile's samples in a window, row by row from the north; none where they lie outside.
    pub fn within(self, window: Window) -> impl Iterator<Item = Option<(usize, usize)>> {
        let (west, north) = (self.column * TILE - window.west, window.north - self.row * TILE - TILE + 1);
        (0..TILE * TILE).map(move |k| {
            let (column, row) =
                (usize::try_from(west + k % TILE).ok()?, usize::try_from(north + k / TILE).ok()?);
            (column < window.width && row < window.height).then_some((column, row))
        })
    }
}

/// Whether a place is on the grid, in its units.
fn is_on(grid: &Topology, at: Vec3) -> bool {
    match grid {
        Topology::Globe(_) => true,
        Topology::Flat(flat) => flat.locate(at).is_some(),
    }
}

/// Whether a request's samples are drawn from channels.
pub(crate) fn draws_channels(grid: &Topology, request: &Request) -> bool {
    request.method == Method::Drainage && level(grid, request.lattice.spacing_m()).is_some()
}

/// What a window is drawn from: the world's cells, what is needed of them, and salt lakes and mouths.
pub(crate) type Known<'a> = (Patch<'a>, Plan, Waters);

/// Everything that the tiles of a request share.
pub(crate) struct Work<'a> {
    grid: &'a Topology,
    request: &'a Request,
    lands: Lands<'a>,
    style: Style,
    blocks: Vec<Channels>,
    /// The links of all blocks; [`Channel::id`] counts them.
    links: Vec<Link>,
    /// For each link the cell that owns it, and the number of the world's basin, where that is asked for.
    owners: Vec<Option<Cell>>,
    basins: Vec<Option<u32>>,
    /// The cells under the window, sorted.
    under: &'a [Cell],
    spacing_m: f64,
    /// Whether a layer shows one kind of feature alone.
    alone: bool,
}

/// The land under the sites of every level.
pub(crate) struct Lands<'a> {
    grid: &'a Topology,
    terrain: Terrain<'a>,
}

impl<'a> Work<'a> {
    /// The world's cells that a window needs, and what is drawn from them.
    pub fn patch(source: &'a impl CellSource, request: &Request) -> Result<Known<'a>, GatherError> {
        let grid = source.grid();
        let under = cells_under(grid, request);
        let bend = Bend::broad(grid, Seed(source.recipe().seed));
        let states = source.gather(&widened(grid, &under, 1))?;
        let greatest_m3_s = states.iter().map(|s| s.discharge_m3_s).fold(0.0, f64::max);
        let widest_m = 0.5 * channel_width_m(greatest_m3_s);
        let plan = Plan::of(grid, &bend, (request, under), widest_m);
        let patch = Patch::fetch(source, plan.cells(grid))?;
        Ok((patch, plan, source.waters()?))
    }

    /// Prepares the tiles of a window.
    pub fn new(
        (patch, plan, waters): &'a Known<'a>,
        seed: Seed,
        (request, levels): (&'a Request, &Arc<Levels>),
    ) -> Self {
        let grid = patch.grid;
        let spacing_m = request.lattice.spacing_m();
        let lands = Lands::new(patch, seed, waters);
        let alone = request.layers.iter().any(|l| l.is_alone());
        let mut work = Self {
            grid,
            request,
            lands,
            style: Style::new(seed, spacing_m, plan.level.size(grid.cell_m()), request.texture),
            blocks: Vec::new(),
            links: Vec::new(),
            owners: Vec::new(),
            basins: Vec::new(),
            under: &plan.under,
            spacing_m,
            alone,
        };
        let level = plan.level;
        let coarse = Cells::new(patch, seed);
        let drainage = Drainage::new(Planner::new(grid, seed), &coarse, &work.lands, level, levels.clone());
        let bend = Bend::broad(grid, seed);
        let show = channels::Show { grid, bend: &bend, courses: seed.key(COURSES), spacing_m };
        let channels = |&b: &Block| channels::channels(&drainage, b, &show);
        let blocks: Vec<Channels> = plan.blocks.par_iter().map(channels).collect();
        let wants_owners = request.rivers || request.layers.contains(&Sampled::Basin);
        let owners = |links: &[Link]| {
            let owners = owners(grid, &drainage, level);
            links.iter().map(|link| owners.of(link.from)).collect::<Vec<_>>()
        };
        let of_blocks = |blocks: &[Channels]| -> Vec<Option<Cell>> {
            blocks.par_iter().flat_map_iter(|block| owners(&block.links)).collect()
        };
        let owners = if wants_owners { of_blocks(&blocks) } else { Vec::new() };
        work.owners = owners;
        work.take(blocks);
        work
    }

    /// Takes the channels of blocks, and counts their links.
    fn take(&mut self, mut blocks: Vec<Channels>) {
        for block in &mut blocks {
            let first = self.links.len() as u32;
            block.channels.iter_mut().for_each(|channel| channel.id += first);
            self.links.append(&mut block.links);
        }
        self.blocks = blocks;
    }

    /// Asks the world for the basins of all links, where they are wanted.
    ///
    /// # Errors
    /// A world that cannot be read.
    pub fn find_basins(&mut self, source: &impl CellSource) -> Result<(), GatherError> {
        let mut cells: Vec<Cell> = self.owners.iter().flatten().copied().collect();
        cells.par_sort_unstable();
        cells.dedup();
        let basins = if cells.is_empty() { Vec::new() } else { source.basins(&cells)? };
        let basin = |owner: &Option<Cell>| basins[cells.binary_search(owner.as_ref()?).ok()?];
        self.basins = self.owners.par_iter().map(basin).collect();
        Ok(())
    }

    /// The samples of a tile, row by row from the north; none outside the window.
    pub fn tile(&self, tile: Tile, lists: &mut Lists) -> Vec<Option<Sample>> {
        let all = tile.positions(self.grid, &self.request.lattice);
        let Some(ball) = Ball::around(all.iter().flatten().copied()) else {
            return vec![None; all.len()];
        };
        let within = tile.within(self.request.window);
        let wanted = within.map(|at| at.filter(|(column, row)| self.request.wants(*column, *row)));
        let places: Vec<Option<Vec3>> = all.into_iter().zip(wanted).map(|(p, at)| at.and(p)).collect();
        let near = self.lands.terrain.within(ball, self.spacing_m);
        let shaped = self.shape(ball.center, &places, lists);
        let means = self.inland(tile, &near);
        let sample = |k: usize, p: Vec3, (shaped, basin): (Shaped, Option<u32>)| {
            let carved = carved(&shaped);
            let sample = match &means {
                Some(means) => means.at(k).compose(&carved),
                None => near.compose(p, &carved),
            };
            with_basin(sample, basin)
        };
        let all = places.iter().zip(shaped).enumerate();
        let mut samples: Vec<Option<Sample>> =
            all.map(|(k, (p, shaped))| p.map(|p| sample(k, p, shaped))).collect();
        if self.alone {
            for (p, sample) in places.iter().zip(&mut samples) {
                if let (Some(p), Some(sample)) = (p, sample) {
                    sample.high = near.high_ground(*p);
                }
            }
        }
        samples
    }

    /// What channels make of places on the tile around a middle, and the basins of those.
    fn shape(&self, middle: Vec3, places: &[Option<Vec3>], lists: &mut Lists) -> Vec<(Shaped, Option<u32>)> {
        let style = &self.style;
        let at: Vec<Vec3> = places.iter().map(|p| p.unwrap_or(NOWHERE)).collect();
        let mut shaped = vec![Shaped::NOTHING; at.len()];
        let Some(ball) = Ball::around(places.iter().flatten().copied()) else {
            return vec![(Shaped::NOTHING, None); at.len()];
        };
        let reach_m = ball.radius_m + style.gather_m();
        let near: Vec<&Channel> = self.blocks.iter().flat_map(|b| b.within(ball.center, reach_m)).collect();
        let center = self.grid.on_surface_m(middle);
        let frame = match self.grid {
            Topology::Globe(_) => Frame::globe(center),
            Topology::Flat(_) => Frame::flat(center),
        };
        Envelope::new(style, frame, near.iter().copied()).shape(&at, TILE as usize, lists, &mut shaped);
        // what a lower valley has cut away so deep beside a river is that valley's
        let deep_m = DEEP_CUT * self.spacing_m;
        for shaped in &mut shaped {
            let is_wide = |river: &RiverHere| channel_width_m(river.discharge_m3_s) > self.spacing_m;
            let holds = |river: &RiverHere| is_wide(river) || river.bed_m - shaped.elevation_m < deep_m;
            shaped.river = shaped.river.filter(holds);
        }
        let basin = |shaped: &Shaped| {
            let channel = shaped.river.map(|river| river.channel).or(shaped.nearest)?;
            self.basins.get(near[channel as usize].id as usize).copied().flatten()
        };
        shaped.into_iter().map(|shaped| (shaped, basin(&shaped))).collect()
    }
}

/// The sea has no basin.
fn with_basin(sample: Sample, basin: Option<u32>) -> Sample {
    let depth_m = sample.water_surface_m - sample.elevation_m;
    let sea = is_sea(sample.water_surface_m as f32, depth_m as f32);
    Sample { basin: basin.filter(|_| !sea).map_or(NO_BASIN, |number| number as f32), ..sample }
}

/// Samples that lie so many spacings under the bed of a river narrower than a spacing are not of it.
const DEEP_CUT: f64 = 0.5;

const NOWHERE: Vec3 = Vec3 { x: f64::NAN, y: f64::NAN, z: f64::NAN };

fn carved(shaped: &Shaped) -> Carved {
    let river = shaped.river.map(|r| terrain::Channel {
        bed_m: r.bed_m,
        surface_m: r.surface_m,
        discharge_m3_s: r.discharge_m3_s,
        order: r.order,
    });
    Carved { elevation_m: shaped.elevation_m, river }
}

impl<'a> Lands<'a> {
    /// The land of a patch's cells but for those at its rim.
    pub fn new(patch: &'a Patch<'a>, seed: Seed, waters: &Waters) -> Self {
        let terrain = Terrain::new(patch, seed, GENERATIONS).with_waters(waters);
        Self { grid: patch.grid, terrain }
    }
}

impl Guides for Lands<'_> {
    type Near<'b>
        = Near<'b>
    where
        Self: 'b;

    fn around(&self, level: Level, rect: Rect, rings: u32) -> Near<'_> {
        self.terrain.within_bent(self.ball(level, rect, rings), level.size(self.grid.cell_m()))
    }

    fn lines(&self, level: Level, rect: Rect, rings: u32) -> Vec<(Vec3, Vec3)> {
        self.terrain.ridge_lines(&self.ball(level, rect, rings))
    }
}

impl Lands<'_> {
    /// A ball of bent space around so many rings around a rectangle of parts.
    fn ball(&self, level: Level, rect: Rect, rings: u32) -> Ball {
        let part = |row, col| Part { level, face: rect.face, row, col };
        let scale = self.grid.metres_per_unit();
        let center =
            self.grid.within_part(part(rect.row + rect.rows / 2, rect.col + rect.cols / 2), 0.0, 0.0) * scale;
        let (south, east) = (rect.row + rect.rows - 1, rect.col + rect.cols - 1);
        let corners = [
            (part(rect.row, rect.col), 0.0, 0.0),
            (part(rect.row, east), 1.0, 0.0),
            (part(south, rect.col), 0.0, 1.0),
            (part(south, east), 1.0, 1.0),
        ];
        let far = corners.map(|(p, x, y)| (self.grid.within_part(p, x, y) * scale).distance(center));
        let ring_m = f64::from(rings) * level.size(self.grid.cell_m()) * 1.8;
        Ball { center, radius_m: far.into_iter().fold(0.0, f64::max) * 1.05 + ring_m }
    }
}

impl Guide for Near<'_> {
    fn aim(&self, q: Vec3) -> Aim {
        let site = self.site_at_bent(q);
        let wet = site.shore < 0.0;
        Aim {
            top_m: site.top_m,
            rise: site.rise,
            shore: site.shore,
            sea: wet && site.lake.is_none(),
            lake_m: site.lake.filter(|_| wet).map(|l| l.1),
            ice: site.ice,
        }
    }
}

/// What a window needs.
pub(crate) struct Plan {
    level: Level,
    /// Cells under the window, sorted.
    under: Vec<Cell>,
    /// Blocks whose channels are drawn.
    blocks: Vec<Block>,
}

impl Plan {
    /// What a window over some cells needs where no river is wider to each side than `widest_m`.
    fn of(grid: &Topology, bend: &Bend, (request, under): (&Request, Vec<Cell>), widest_m: f64) -> Self {
        let level = level(grid, request.lattice.spacing_m()).expect("what draws channels has a level");
        Self { level, under, blocks: blocks_around(grid, bend, level, (request, widest_m)) }
    }

    /// All cells whose states anything may ask for, sorted.
    fn cells(&self, grid: &Topology) -> Vec<Cell> {
        let rings = levels::rings(self.level, channels::RINGS) + terrain::PATCH_RINGS as u32;
        let of_block = |block: &Block| {
            let part = |row, col| Part { level: self.level, face: block.face, row, col };
            let rect = block.rect(grid);
            let last = part(rect.row + rect.rows - 1, rect.col + rect.cols - 1);
            [grid.cell_of(part(rect.row, rect.col)), grid.cell_of(last)]
        };
        let cells: Vec<Cell> =
            self.blocks.iter().flat_map(of_block).chain(self.under.iter().copied()).collect();
        levels::cells_around(grid, &cells, rings)
    }
}

impl Tile {
    /// Some places of the tile, its corners among them: samples at most [`MARKS_CELLS`] apart, or all.
    fn marks(self, grid: &Topology, lattice: &Lattice) -> Vec<Vec3> {
        let (columns, rows) =
            (self.column * TILE..(self.column + 1) * TILE, self.row * TILE..(self.row + 1) * TILE);
        marks_of(grid, lattice, columns, rows)
    }

    /// The same of what lies in a window.
    fn marks_within(self, grid: &Topology, lattice: &Lattice, window: &Window) -> Vec<Vec3> {
        let (east, south) = (window.west + window.width as i64, window.north + 1 - window.height as i64);
        let columns = (self.column * TILE).max(window.west)..((self.column + 1) * TILE).min(east);
        let rows = (self.row * TILE).max(south)..((self.row + 1) * TILE).min(window.north + 1);
        marks_of(grid, lattice, columns, rows)
    }
}

/// Some places of a rectangle no larger than a tile.
fn marks_of(grid: &Topology, lattice: &Lattice, columns: Range<i64>, rows: Range<i64>) -> Vec<Vec3> {
    let apart = (MARKS_CELLS * grid.cell_m() / lattice.spacing_m()).clamp(1.0, TILE as f64 / 4.0) as usize;
    let at = |numbers: Range<i64>| numbers.clone().step_by(apart).chain(numbers.last());
    let place = |(row, column)| lattice.position(column, row);
    let all = at(rows).flat_map(|row| at(columns.clone()).map(move |column| (row, column)));
    all.filter_map(place).map(|p| p * grid.metres_per_unit()).collect()
}

/// Cells between two marks of a tile, at most: half as many as are widened.
const MARKS_CELLS: f64 = 4.0;

/// The cells under a window, sorted.
fn cells_under(grid: &Topology, request: &Request) -> Vec<Cell> {
    let locate = |p: Vec3| grid.locate(p / grid.metres_per_unit());
    let of_tile = |tile: &Tile| tile.marks(grid, &request.lattice).into_iter().filter_map(locate);
    let mut under: Vec<Cell> = Tile::of_window(&request.window).par_iter().flat_map_iter(of_tile).collect();
    under.par_sort_unstable();
    under.dedup();
    under
}

/// The blocks of a level whose channels can reach samples of a window, where no river is wider to each side than
/// `widest_m`.
fn blocks_around(
    grid: &Topology,
    bend: &Bend,
    level: Level,
    (request, widest_m): (&Request, f64),
) -> Vec<Block> {
    let (site_m, tile_m) = (level.size(grid.cell_m()), TILE as f64 * request.lattice.spacing_m());
    // from a mark half way to the next, a quarter of a tile from it; then the reach beyond the widest floor, and the
    // course of a link
    let reach = 0.2 * tile_m / site_m + 4.5 + (1.1 * widest_m / site_m).max(1.2) + COURSE + 1.5;
    // parts may be narrower than the mean, and the bend stretches
    let rings = (reach * 1.3 * 1.3).ceil() as u32;
    let bent = |p: Vec3| grid.nearest_inside(bend.bend(p) / grid.metres_per_unit());
    let part = |p: Vec3| grid.locate_part(level, bent(p));
    let Request { lattice, window, .. } = request;
    let of_tile = |tile: &Tile| tile.marks_within(grid, lattice, window).into_iter().filter_map(part);
    let mut parts: Vec<Part> = Tile::of_window(window).par_iter().flat_map_iter(of_tile).collect();
    parts.par_sort_unstable();
    parts.dedup();
    levels::blocks_near(grid, &parts, rings)
}
