//! What a window needs: the blocks whose channels are drawn, and the world's cells.
//!
//! A block is drawn if one of its channels might come within reach of a sample. The reach grows with the width of rivers:
//! first no more is known of these than how wide any near the window is, and later, from a coarser level, how wide each
//! block's own are.

use super::{COURSE, TILE, Tile, level};
use crate::bend::Bend;
use crate::drainage::block::Block;
use crate::drainage::great;
use crate::drainage::levels::{self, Coarse, Drainage, Guides};
use crate::drainage::plan::JITTER;
use crate::drainage::{surroundings, valley};
use crate::envelope::Style;
use crate::lattice::{Lattice, Window};
use crate::primitives::Ball;
use crate::request::Request;
use crate::terrain;
use grid::{Cell, Grid, Level, Part, Topology, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// What a window needs.
pub(crate) struct Plan {
    pub level: Level,
    /// Cells under the window, sorted.
    pub under: Vec<Cell>,
    /// Blocks whose channels are drawn if their rivers are wide enough for that.
    pub candidates: Vec<Candidate>,
}

/// A block, and how near its channels may come to a sample of the window, in metres.
pub(crate) struct Candidate {
    pub block: Block,
    pub near_m: f64,
}

impl Plan {
    /// What a window over some cells needs where no river is wider to each side than `widest_m`.
    pub fn of(
        grid: &Topology,
        bend: &Bend,
        (request, under): (&Request, Vec<Cell>),
        (style, widest_m): (&Style, f64),
    ) -> Self {
        let level = level(grid, request.lattice.spacing_m()).expect("what draws channels has a level");
        let tiles = marked(grid, request);
        let blocks = blocks_around(grid, bend, level, (request, &tiles, widest_m));
        let reach = Reach { grid, bend, level, reach_m: reach_m(style, level, grid, widest_m) };
        let candidate = |block: Block| reach.near_m(block, &tiles).map(|near_m| Candidate { block, near_m });
        Self { level, under, candidates: blocks.into_par_iter().filter_map(candidate).collect() }
    }

    /// The blocks whose channels are drawn: candidates that no wide river brings near are left out.
    pub fn blocks<C: Coarse, G: Guides>(
        &self,
        grid: &Topology,
        style: &Style,
        drainage: &Drainage<C, G>,
    ) -> Vec<Block> {
        let reach_m = |widest_m: f64| reach_m(style, self.level, grid, widest_m);
        let is_far = |candidate: &&Candidate| candidate.near_m > reach_m(0.0);
        let far: Vec<Block> = self.candidates.iter().filter(is_far).map(|c| c.block).collect();
        drainage.prepare_widths(&far);
        let widest_m = drainage.widest_m();
        let is_drawn = |c: &&Candidate| !is_far(c) || c.near_m <= reach_m(widest_m(c.block));
        self.candidates.iter().filter(is_drawn).map(|c| c.block).collect()
    }

    /// All cells whose states anything may ask for, sorted.
    pub fn cells(&self, grid: &Topology) -> Vec<Cell> {
        let rings = levels::rings(self.level, surroundings::RINGS) + terrain::PATCH_RINGS as u32;
        let of_block = |block: &Block| {
            let part = |row, col| Part { level: self.level, face: block.face, row, col };
            let rect = block.rect(grid);
            let last = part(rect.row + rect.rows - 1, rect.col + rect.cols - 1);
            [grid.cell_of(part(rect.row, rect.col)), grid.cell_of(last)]
        };
        let cells: Vec<Cell> = self
            .candidates
            .iter()
            .flat_map(|c| of_block(&c.block))
            .chain(self.under.iter().copied())
            .collect();
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
pub(super) fn cells_under(grid: &Topology, request: &Request) -> Vec<Cell> {
    let locate = |p: Vec3| grid.locate(p / grid.metres_per_unit());
    let of_tile = |tile: &Tile| tile.marks(grid, &request.lattice).into_iter().filter_map(locate);
    let mut under: Vec<Cell> = Tile::of_window(&request.window).par_iter().flat_map_iter(of_tile).collect();
    under.par_sort_unstable();
    under.dedup();
    under
}

/// The blocks of a level whose channels might reach samples of a window, where no river is wider to each side than
/// `widest_m`: all that can, and many that cannot.
fn blocks_around(
    grid: &Topology,
    bend: &Bend,
    level: Level,
    (request, tiles, widest_m): (&Request, &[Marked], f64),
) -> Vec<Block> {
    let (site_m, tile_m) = (level.size(grid.cell_m()), TILE as f64 * request.lattice.spacing_m());
    // from a mark half way to the next, a quarter of a tile from it; then the reach beyond the widest floor, and the
    // course of a link
    let river_m = 1.1 * widest_m + afield_m(widest_m);
    let reach = 0.2 * tile_m / site_m + 4.5 + (river_m / site_m).max(1.2) + COURSE + 1.5;
    // parts may be narrower than the mean, and the bend stretches
    let rings = (reach * 1.3 * 1.3).ceil() as u32;
    let bent = |p: Vec3| grid.nearest_inside(bend.bend(p) / grid.metres_per_unit());
    let part = |p: Vec3| grid.locate_part(level, bent(p));
    let of_tile = |tile: &Marked| tile.marks.iter().copied().filter_map(part).collect::<Vec<_>>();
    let mut parts: Vec<Part> = tiles.par_iter().flat_map_iter(of_tile).collect();
    parts.par_sort_unstable();
    parts.dedup();
    levels::blocks_near(grid, &parts, rings)
}

/// How far from their discs the sites of rivers may lie that are so wide to each side.
fn afield_m(widest_m: f64) -> f64 {
    2.0 * great::AFIELD * widest_m
}

/// A channel whose course would come no nearer to a sample than this, if no river left the discs of its sites, has no say
/// in it: the reach beyond the widest floor.
fn reach_m(style: &Style, level: Level, grid: &Topology, widest_m: f64) -> f64 {
    let river_m = 1.1 * widest_m + STRETCH * afield_m(widest_m);
    style.gather_m() + (valley::WIDEST_FLOOR * level.size(grid.cell_m())).max(river_m)
}

/// Places of a tile of a window, and a ball around all its samples there.
struct Marked {
    ball: Ball,
    marks: Vec<Vec3>,
    /// Every sample lies within this of a mark.
    apart_m: f64,
}

/// The tiles of a window.
fn marked(grid: &Topology, request: &Request) -> Vec<Marked> {
    let Request { lattice, window, .. } = request;
    // more than half the diagonal of a square of marks: of the lattice's spacing, and of a whole tile's as it lies
    let least_m = 0.25 * TILE as f64 * lattice.spacing_m();
    let of_tile = |tile: Tile| {
        let marks = tile.marks_within(grid, lattice, window);
        let ball = Ball::around(marks.iter().copied())?;
        let apart_m = least_m.max(0.5 * ball.radius_m);
        let ball = Ball { radius_m: ball.radius_m + apart_m, ..ball };
        Some(Marked { ball, marks, apart_m })
    };
    Tile::of_window(window).into_par_iter().filter_map(of_tile).collect()
}

/// Tells how near the channels of blocks come to a window.
struct Reach<'a> {
    grid: &'a Topology,
    bend: &'a Bend,
    level: Level,
    /// From a channel's course to a sample, at the most.
    reach_m: f64,
}

/// The course of a link lies within so many rows and columns of the part that it leaves, in bent space: a receiver's site
/// within its disc around the middle of a part beside it, and a course within [`COURSE`] of the straight way. Where parts are
/// narrow a course takes more of them: the second disc is for that.
const LINK: f64 = 0.5 + 2.0 * JITTER + COURSE;
/// Parts from one place of the rim that is looked at to the next, at the most.
const APART: f64 = 3.0;
/// The bend stretches no part of the rim by so much more than the longest way between two places that are looked at.
const STRETCH: f64 = 1.5;

impl Reach<'_> {
    /// How near the channels of a block may come to a sample of some tiles, in metres; nothing where they do not matter.
    fn near_m(&self, block: Block, tiles: &[Marked]) -> Option<f64> {
        let (middle, rim) = self.rim(block);
        let next = rim.iter().cycle().skip(1);
        let apart_m = rim.iter().zip(next).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let slack_m = 0.5 * STRETCH * apart_m;
        let radius_m = rim.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
        let whole = Ball { center: middle, radius_m: radius_m + slack_m };
        let mut least_m = f64::INFINITY;
        for tile in
            tiles.iter().filter(|tile| whole.near(tile.ball.center, self.reach_m + tile.ball.radius_m))
        {
            for mark in &tile.marks {
                let off2 = rim.iter().map(|p| (*p - *mark).length_squared()).fold(f64::INFINITY, f64::min);
                let off_m = off2.sqrt() - slack_m;
                // inside the rim the way from the middle over the mark meets it no nearer than that
                let is_inside = mark.distance(middle) + off_m <= whole.radius_m;
                least_m = least_m.min(if is_inside { 0.0 } else { (off_m - tile.apart_m).max(0.0) });
            }
        }
        (least_m <= self.reach_m).then_some(least_m)
    }

    /// The middle of a block and, clockwise, places of a line around all courses of its links, in plain space.
    fn rim(&self, block: Block) -> (Vec3, Vec<Vec3>) {
        let rect = block.rect(self.grid);
        let first = rect.first(self.level);
        let place = |along: f64, down: f64| {
            let bent = self.grid.within_part(first, along, down) * self.grid.metres_per_unit();
            self.bend.unbend_roughly(bent)
        };
        let (rows, cols) = (f64::from(rect.rows), f64::from(rect.cols));
        let side = |length: f64| {
            let steps = ((length + 2.0 * LINK) / APART).ceil();
            (0..steps as u32).map(move |k| (length + 2.0 * LINK) * f64::from(k) / steps - LINK)
        };
        let north = side(cols).map(|x| (x, -LINK));
        let east = side(rows).map(|y| (cols + LINK, y));
        let south = side(cols).map(|x| (cols - x, rows + LINK));
        let west = side(rows).map(|y| (-LINK, rows - y));
        let rim = north.chain(east).chain(south).chain(west).map(|(x, y)| place(x, y)).collect();
        (place(0.5 * cols, 0.5 * rows), rim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drainage::channels::Channels;
    use crate::drained::Work;
    use crate::envelope::Lists;
    use crate::patch::Patch;
    use crate::request::{Method, Sampled};
    use grid::{Draw, Nth, Purpose, Seed};
    use std::sync::Arc;
    use world::{CellSource, Recipe, World, simulate};

    /// Elevations of all tiles.
    fn elevations(work: &Work) -> Vec<u64> {
        let (mut lists, mut all) = (Lists::default(), Vec::new());
        for tile in Tile::of_window(&work.request.window) {
            work.tile(tile, &mut lists, |s| all.extend(s.map(|s| s.elevation_m.to_bits())));
        }
        all
    }

    /// How many channels are near enough to samples to be asked.
    fn near(work: &Work) -> usize {
        let Request { lattice, window, .. } = work.request;
        let samples = (0..window.height).flat_map(|r| (0..window.width).map(move |c| (c, r)));
        let places: Vec<Vec3> = samples.filter_map(|(c, r)| lattice.position_in(window, c, r)).collect();
        let scale = work.grid.metres_per_unit();
        let of_block = |block: &Channels| {
            places.iter().map(|p| block.within(*p * scale, work.style.gather_m()).count()).sum::<usize>()
        };
        work.blocks.iter().map(of_block).sum()
    }

    fn request(world: &World, place: (f64, f64), spacing_m: f64, side: usize) -> Request {
        let lattice = Lattice::around(world.grid.metres_per_unit(), place, spacing_m);
        let (x, y) = lattice.project(place.0, place.1);
        let at = |x: f64| (x / lattice.step()) as i64;
        let window = Window { west: at(x), north: at(y), width: side, height: 9 };
        Request::new(lattice, window, vec![Sampled::Elevation], Method::Drainage).expect("sound")
    }

    /// A place beside the widest river of a cell, about as far from it as the river is wide.
    fn beside_river(world: &World, cell: Cell, draw: &mut Draw) -> (f64, f64) {
        let middle = grid::math::to_lon_lat(world.grid.center(cell));
        let coarse = request(world, middle, 150.0, 60);
        let known = Work::patch(world, &coarse).expect("in memory");
        let work = Work::new(&known, Seed(world.recipe.seed), (&coarse, &Arc::default()));
        let channels = work.blocks.iter().flat_map(|block| &block.channels);
        let widest = channels.max_by(|a, b| a.half_width_m.0.total_cmp(&b.half_width_m.0)).expect("a river");
        let far_m = widest.half_width_m.0 * (1.0 + 3.0 * draw.unit()) + 250.0;
        grid::math::to_lon_lat((widest.a + draw.direction() * far_m).normalized())
    }

    #[test]
    fn blocks_that_are_left_out_change_nothing() {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 48;
        recipe.grid.radius_km = 600.0;
        let mut world = simulate(&recipe, &|_, _| {}).expect("sound");
        // so much water that rivers are wide beside sites
        for cell in world.grid.cells() {
            world.discharge_m3_s[cell] *= 100.0;
            world.runoff_m3_s[cell] *= 100.0;
        }
        let (grid, seed) = (&world.grid, Seed(world.recipe.seed));
        let bend = Bend::broad(grid, seed);
        let mut draw = Seed(11).key(Purpose::new("test/window")).at(Nth(0));
        let (mut few, mut many, mut asked) = (0, 0, 0);
        let discharge = |c: &Cell| world.discharge_m3_s[*c];
        let mut rivers: Vec<Cell> = grid.cells().filter(|c| world.continentality[*c] > 0.0).collect();
        rivers.sort_by(|a, b| discharge(b).total_cmp(&discharge(a)));
        // of all levels, at random and at corners of the cube; and of the deepest beside wide rivers
        for k in 0..72u32 {
            let (spacing_m, place) = match k % 8 {
                0 => (20.0 * grid::math::pow(2.0, f64::from(k % 9)), (45.0, 35.26)),
                1..4 => (15.0, beside_river(&world, rivers[k as usize], &mut draw)),
                _ => (
                    20.0 * grid::math::pow(2.0, f64::from(k % 9)),
                    (draw.range(-180.0, 180.0), draw.range(-80.0, 80.0)),
                ),
            };
            let request = request(&world, place, spacing_m, 3 + 17 * (k % 5) as usize);
            let known = Work::patch(&world, &request).expect("in memory");
            let level = known.1.level;
            let widest_m = 0.5
                * world::channel_width_m(grid.cells().map(|c| world.discharge_m3_s[c]).fold(0.0, f64::max));
            let blocks = blocks_around(grid, &bend, level, (&request, &marked(grid, &request), widest_m));
            let candidates = blocks.into_iter().map(|block| Candidate { block, near_m: 0.0 }).collect();
            let plan = Plan { level, under: known.1.under.clone(), candidates };
            let patch = Patch::fetch(&world, plan.cells(grid)).expect("in memory");
            let all = (patch, plan, world.waters().expect("in memory"));
            let levels = Arc::default();
            let work = Work::new(&known, seed, (&request, &levels));
            let whole = Work::new(&all, seed, (&request, &levels));
            // all that the window's samples ask of all blocks is asked of the few
            let (own, of_all) = (near(&work), near(&whole));
            assert_eq!(own, of_all, "{place:?} {spacing_m}");
            if k % 3 == 0 {
                assert!(elevations(&work) == elevations(&whole), "{place:?} {spacing_m}");
            }
            asked += own;
            (few, many) = (few + work.blocks.len(), many + whole.blocks.len());
        }
        assert!(asked > 10_000 && few * 10 < many * 6, "{few} of {many} blocks, {asked} channels");
    }
}
