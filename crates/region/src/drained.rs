//! The method `drainage`: samples in tiles, from channels of the level that suits their spacing.
//!
//! Tiles of [`TILE`] x [`TILE`] samples are aligned to the lattice's own numbers, so that a tile is a function of its
//! address and of the world. For each the channels within reach are gathered from blocks ([`crate::drainage`]), the
//! land between them is shaped ([`crate::envelope`]), and coasts, lakes and the sea are put in ([`crate::terrain`]).

mod banks;
mod fields;
mod outline;
mod rivers;
#[cfg(test)]
mod tests;
mod window;

use crate::bend::Bend;
use crate::derived::{NO_BASIN, is_sea};
use crate::drainage::block::{Block, Rect};
use crate::drainage::channels::{self, Channels, Link};
use crate::drainage::coarse::Cells;
use crate::drainage::funnel;
use crate::drainage::levels::{Drainage, Guides, Levels};
use crate::drainage::plan::Planner;
use crate::drainage::{Aim, Guide, drawn_level};
use crate::envelope::{Channel, Envelope, Frame, Lists, RiverHere, Shaped, Style};
use crate::lattice::{Lattice, Window};
use crate::moisture::Floor;
use crate::patch::Patch;
use crate::primitives::Ball;
use crate::refine::widened;
use crate::request::{Method, Request, Sampled};
use crate::sample::Sample;
use crate::terrain::{self, Carved, Near, Site, Terrain};
use grid::{Cell, Grid, Level, Part, Purpose, Seed, Topology, Vec3};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use world::{CellSource, GatherError, Mouth, Waters, channel_discharge_m3_s, channel_width_m};

pub(crate) use rivers::{ArmAddress, Point, RiverLink, Rivers};
pub(crate) use window::Plan;
use window::{Widest, cells_under};

/// Samples along a side of a tile.
pub(crate) const TILE: i64 = 32;
/// Generations of buttresses that sites see.
const GENERATIONS: u8 = 2;
/// Channels bend away from the straight link by less than this, in spacings of sites.
const COURSE: f64 = 0.6;

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

    /// The rows that a tile shares with a window, from the north: their samples' numbers in the tile and in the window.
    pub fn rows_within(self, window: Window) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let (west, north) = (self.column * TILE - window.west, window.north - self.row * TILE - TILE + 1);
        let (width, height) = (window.width as i64, window.height as i64);
        let (first, end) = ((-west).clamp(0, TILE), (width - west).clamp(0, TILE));
        let rows = (-north).clamp(0, TILE)..(height - north).clamp(0, TILE);
        rows.filter(move |_| first < end).map(move |row| {
            let (own, there) = (row * TILE, (north + row) * width + west);
            let of = |start: i64| (start + first) as usize..(start + end) as usize;
            (of(own), of(there))
        })
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

/// The style of a request's samples.
fn style(grid: &Topology, seed: Seed, request: &Request) -> Style {
    let spacing_m = request.lattice.spacing_m();
    let level = drawn_level(grid.cell_m(), spacing_m).expect("what draws channels has a level");
    Style::new(seed, spacing_m, level.size(grid.cell_m()), request.texture)
}

/// Whether a request's samples are drawn from channels.
pub(crate) fn draws_channels(grid: &Topology, request: &Request) -> bool {
    request.method == Method::Drainage && drawn_level(grid.cell_m(), request.lattice.spacing_m()).is_some()
}

/// What a window is drawn from: the world's cells, what is needed of them, and salt lakes and mouths.
pub(crate) type Known<'a> = (Patch<'a>, Plan, Waters);

/// Everything that the tiles of a request share.
pub(crate) struct Work<'a> {
    grid: &'a Topology,
    request: &'a Request,
    lands: Lands<'a>,
    style: Style,
    squares: Vec<Square>,
    /// The links of all squares.
    links: Vec<Link>,
    /// For each link the cell that owns it, and the number of the world's basin, where that is asked for.
    owners: Vec<Option<Cell>>,
    basins: Vec<Option<u32>>,
    /// The same for the last cells of rivers that links carry on through cells of the sea, by cell.
    mouth_basins: BTreeMap<Cell, Option<u32>>,
    patch: &'a Patch<'a>,
    /// The cells under the window, sorted.
    under: &'a [Cell],
    spacing_m: f64,
    /// Whether a layer shows one kind of feature alone.
    alone: bool,
}

/// The channels of a square of sites that are drawn.
struct Square {
    block: Block,
    /// A ball around all channels, kept here: most tiles ask no more of a square.
    ball: Option<Ball>,
    channels: Arc<Channels>,
    /// Number of its first link among those of all squares; [`Channel::id`] counts on from there.
    first: u32,
}

impl Square {
    /// The channels of the links whose floors come within a distance of a place, and perhaps some more, each with the number of its link
    /// among those of all squares.
    fn within(&self, center: Vec3, reach_m: f64) -> impl Iterator<Item = (u32, &Channel)> {
        let near = self.ball.as_ref().filter(|ball| ball.near(center, reach_m));
        near.into_iter()
            .flat_map(move |_| self.channels.within(center, reach_m))
            .map(|channel| (self.first + channel.id, channel))
    }

    /// The pieces of each link, with its number among those of all squares.
    fn runs(&self) -> impl Iterator<Item = (u32, &[Channel])> {
        let runs = self.channels.channels.chunk_by(|a, b| a.id == b.id);
        runs.map(|run| (self.first + run[0].id, run))
    }
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
        let waters = source.waters()?;
        let around = widened(grid, &under, funnel::RINGS);
        let sees = |mouth: &&Mouth| around.binary_search(&mouth.cell).is_ok();
        let wider = waters.mouths.iter().filter(sees).map(|m| funnel::most(grid, m)).fold(1.0, f64::max);
        let widest = Widest::of(0.5 * channel_width_m(greatest_m3_s), wider);
        let style = style(grid, Seed(source.recipe().seed), request);
        let plan = Plan::of(grid, &bend, (request, under), (&style, widest));
        let patch = Patch::fetch(source, plan.cells(grid))?;
        Ok((patch, plan, waters))
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
            style: style(grid, seed, request),
            squares: Vec::new(),
            links: Vec::new(),
            owners: Vec::new(),
            basins: Vec::new(),
            mouth_basins: BTreeMap::new(),
            patch,
            under: &plan.under,
            spacing_m,
            alone,
        };
        let level = plan.level;
        let coarse = Cells::new(patch, seed).with_apexes(&work.lands.terrain.apexes());
        let drainage = Drainage::new(work.lands.planner(seed), &coarse, &work.lands, level, levels.clone());
        let funnels = work.lands.terrain.funnels(waters);
        let bend = Bend::broad(grid, seed);
        let drawn = plan.squares((&work.style, &bend), (&drainage, &funnels));
        let divisions = work.lands.terrain.divisions(spacing_m);
        let show = channels::Show {
            grid,
            bend: &bend,
            courses: seed.key(COURSES),
            divisions: &divisions,
            funnels: &funnels,
            spacing_m,
        };
        let wants_owners = request.rivers || request.layers.contains(&Sampled::Basin);
        work.take(channels::drawn(&drainage, (&drawn, wants_owners), &show));
        work
    }

    /// Takes the channels of squares, and counts their links.
    fn take(&mut self, squares: Vec<(Block, Arc<Channels>)>) {
        for (block, channels) in squares {
            let first = self.links.len() as u32;
            self.links.extend_from_slice(&channels.links);
            self.owners.extend_from_slice(channels.owners());
            self.squares.push(Square { block, ball: channels.all, channels, first });
        }
    }

    /// Asks the world for the basins of all links, where they are wanted.
    ///
    /// # Errors
    /// A world that cannot be read.
    pub fn find_basins(&mut self, source: &impl CellSource) -> Result<(), GatherError> {
        let mut cells: Vec<Cell> = self.owners.iter().flatten().copied().collect();
        if cells.is_empty() {
            return Ok(());
        }
        let sea: BTreeSet<Cell> = cells.iter().copied().filter(|&cell| self.is_sea(cell)).collect();
        let mouths: Vec<Cell> =
            sea.into_iter().flat_map(|cell| self.patch.inflows(cell)).map(|of| of.1).collect();
        cells.extend(&mouths);
        cells.par_sort_unstable();
        cells.dedup();
        let basins = source.basins(&cells)?;
        let basin = |cell: &Cell| basins[cells.binary_search(cell).ok()?];
        self.basins = self.owners.par_iter().map(|owner| basin(owner.as_ref()?)).collect();
        self.mouth_basins = mouths.iter().map(|cell| (*cell, basin(cell))).collect();
        Ok(())
    }

    fn is_sea(&self, cell: Cell) -> bool {
        self.patch.get(cell).is_some_and(|state| !state.is_land())
    }

    /// The basin of a link: one in a cell of the sea has that of the greatest river that it can carry.
    fn basin_of_link(&self, id: u32) -> Option<u32> {
        let known = self.basins.get(id as usize).copied().flatten();
        let owner = (*self.owners.get(id as usize)?).filter(|&owner| known.is_none() && self.is_sea(owner));
        let Some(owner) = owner else { return known };
        let drains_m2 = |cell: &Cell| self.patch.get(*cell).map_or(0.0, |state| state.drainage_km2 * 1e6);
        let most_m2 = self.links[id as usize].area_m2 * (1.0 + HAIR);
        let carried =
            self.patch.inflows(owner).map(|(_, from)| from).filter(|from| drains_m2(from) <= most_m2);
        let greatest = carried.max_by(|a, b| drains_m2(a).total_cmp(&drains_m2(b)))?;
        self.mouth_basins.get(&greatest).copied().flatten()
    }

    /// Gives the samples of a tile, row by row from the north; none outside the window.
    pub fn tile(&self, tile: Tile, lists: &mut Lists, mut give: impl FnMut(Option<&Sample>)) {
        let all = tile.positions(self.grid, &self.request.lattice);
        let Some(ball) = ball(&all) else {
            all.iter().for_each(|_| give(None));
            return;
        };
        let within = tile.within(self.request.window);
        let wants = |(column, row): &(usize, usize)| self.request.wants(*column, *row);
        let wanted = all.iter().zip(within).map(|(p, at)| p.filter(|_| at.as_ref().is_some_and(wants)));
        let places: Vec<Option<Vec3>> = wanted.collect();
        let near = self.lands.terrain.within(ball, self.spacing_m);
        let formed = self.form(ball.center, &places, lists);
        let fields = self.fields(tile, &near);
        for (k, p) in places.iter().enumerate() {
            if k % TILE as usize == 0 {
                fields.begin(&places[k..k + TILE as usize], &near);
            }
            let sample = p.map(|p| {
                let shaped = &formed.shaped[k];
                let sample = fields.compose(k, &near, &carved(shaped));
                let high = if self.alone { near.high_ground(p) } else { sample.high };
                let hand_m = hand_m(&sample, shaped);
                let moisture_mm = formed.moisture_mm(shaped, hand_m, &sample).max(sample.moisture_mm);
                let sample = Sample { high, hand_m, moisture_mm, ..sample };
                with_basin(sample, self.basin(&formed, shaped))
            });
            give(sample.as_ref());
        }
    }

    /// What channels make of places on the tile around a middle.
    fn form(&self, middle: Vec3, places: &[Option<Vec3>], lists: &mut Lists) -> Formed {
        let style = &self.style;
        let at: Vec<Vec3> = places.iter().map(|p| p.unwrap_or(NOWHERE)).collect();
        let mut shaped = vec![Shaped::NOTHING; at.len()];
        let Some(ball) = ball(places) else {
            return Formed { shaped, links: Vec::new(), floors: Vec::new() };
        };
        let reach_m = ball.radius_m + style.gather_m();
        let near = self.squares.iter().flat_map(|square| square.within(ball.center, reach_m));
        let (links, near): (Vec<u32>, Vec<&Channel>) = near.unzip();
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
        let floors = self.floors(&links, &near);
        Formed { shaped, links, floors }
    }

    /// The floors of the valleys of some channels, given with their links, where a layer asks how moist they are.
    fn floors(&self, links: &[u32], channels: &[&Channel]) -> Vec<Floor> {
        if !self.request.layers.contains(&Sampled::Moisture) {
            return Vec::new();
        }
        let site_m = self.site_m();
        let floor = |(link, channel): (&u32, &&Channel)| {
            let Link { area_m2, plain, .. } = self.links[*link as usize];
            let divide_m = HALF_WAY * site_m * channel.base_rise;
            Floor::of(channel.discharge_m3_s, area_m2 / (site_m * site_m), (self.spacing_m, divide_m))
                .on_plain(f64::from(plain.share), channel_discharge_m3_s(f64::from(plain.width_m)))
        };
        links.iter().zip(channels).map(floor).collect()
    }

    /// The basin of a sample, where that is asked for.
    fn basin(&self, formed: &Formed, shaped: &Shaped) -> Option<u32> {
        if self.basins.is_empty() {
            return None;
        }
        let channel = shaped.river.map(|river| river.channel).or(shaped.nearest)?;
        self.basins.get(formed.links[channel as usize] as usize).copied().flatten()
    }
}

/// Areas are trusted up to this share.
const HAIR: f64 = 1e-6;

/// Spacings of sites from a channel to a usual divide.
const HALF_WAY: f64 = 0.5;

/// What channels make of the places of a tile; the links that channels are pieces of, and the floors of their valleys where that is asked
/// for.
struct Formed {
    shaped: Vec<Shaped>,
    links: Vec<u32>,
    floors: Vec<Floor>,
}

impl Formed {
    /// How much more rain a sample so high over its channel looks as if it had, in mm a year.
    fn moisture_mm(&self, shaped: &Shaped, hand_m: Option<f64>, sample: &Sample) -> f64 {
        let floor = shaped.nearest.and_then(|channel| self.floors.get(channel as usize));
        floor.zip(hand_m).map_or(0.0, |(floor, hand_m)| floor.moisture_mm(hand_m, &sample.air))
    }
}

/// Height of a sample over the channel that it drains to, in metres; none where no channel is in reach.
fn hand_m(sample: &Sample, shaped: &Shaped) -> Option<f64> {
    let is_wet = sample.water_surface_m > sample.elevation_m;
    let dry_m = || shaped.nearest.map(|_| (sample.elevation_m - shaped.foot_m).max(0.0));
    if is_wet { Some(0.0) } else { dry_m() }
}

/// A ball around places of a tile: where all are there, those at its rim tell.
fn ball(places: &[Option<Vec3>]) -> Option<Ball> {
    let side = TILE as usize;
    if places.iter().any(Option::is_none) {
        return Ball::around(places.iter().flatten().copied());
    }
    let sides = (1..side - 1).flat_map(|row| [row * side, row * side + side - 1]);
    let rim = (0..side).chain(sides).chain(places.len() - side..places.len());
    Ball::around(rim.filter_map(|k| places[k]))
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
    Carved { elevation_m: shaped.elevation_m, foot_m: shaped.foot_m, river }
}

impl<'a> Lands<'a> {
    /// The land of a patch's cells but for those at its rim.
    pub fn new(patch: &'a Patch<'a>, seed: Seed, waters: &Waters) -> Self {
        let terrain = Terrain::new(patch, seed, GENERATIONS).with_waters(waters);
        Self { grid: patch.grid, terrain }
    }

    /// Where rivers divide into the arms of deltas.
    #[cfg(test)]
    pub fn apexes(&self) -> Vec<crate::drainage::Apex> {
        self.terrain.apexes()
    }

    /// What plans the drainage of this land.
    pub fn planner(&self, seed: Seed) -> Planner<'a> {
        Planner::new(self.grid, seed).with_apexes(self.terrain.apexes()).with_lakes(self.terrain.lake_cells())
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

/// A site as the drainage sees it.
fn aim(site: Site) -> Aim {
    let wet = site.shore < 0.0;
    Aim {
        top_m: site.top_m,
        rise: site.rise,
        shore: site.shore,
        sea: wet && site.lake.is_none(),
        lake_m: site.lake.filter(|_| wet).map(|l| l.1),
        lake_cells: site.lake_cells,
        ice: site.ice,
        runoff_m3_s: site.runoff_m3_s,
    }
}

impl Guide for Near<'_> {
    fn aims(&self, places: &[Vec3]) -> Vec<Aim> {
        self.sites_at_bent(places).map(aim).collect()
    }

    fn lowest(&self, places: &[Vec3], tries: usize) -> Vec<(Vec3, Aim)> {
        if tries == 1 {
            return places.iter().copied().zip(self.sites_at_bent(places).map(aim)).collect();
        }
        self.lowest_sites(places, tries).into_iter().map(|(place, site)| (place, aim(site))).collect()
    }
}
