//! What a window needs: the blocks whose channels are drawn, and the world's cells.

use super::{COURSE, TILE, Tile, level};
use crate::bend::Bend;
use crate::drainage::block::Block;
use crate::drainage::channels;
use crate::drainage::great;
use crate::drainage::levels;
use crate::drainage::plan::JITTER;
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
    /// Blocks whose channels are drawn.
    pub blocks: Vec<Block>,
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
        let blocks = blocks.into_par_iter().filter(|block| reach.reaches(*block, &tiles)).collect();
        Self { level, under, blocks }
    }

    /// All cells whose states anything may ask for, sorted.
    pub fn cells(&self, grid: &Topology) -> Vec<Cell> {
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
    style.gather_m() + (channels::WIDEST_FLOOR * level.size(grid.cell_m())).max(river_m)
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

/// Tells blocks whose channels reach a window from others.
struct Reach<'a> {
    grid: &'a Topology,
    bend: &'a Bend,
    level: Level,
    /// From a channel's course to a sample.
    reach_m: f64,
}

/// Parts from one of the rim that is looked at to the next.
const APART: usize = 5;

/// The course of a link lies within so many parts of the part that it leaves, in bent space: a site lies within its
/// disc, a receiver's beside it, and a course within [`COURSE`] of the straight way.
const LINK: f64 = 1.42 + 2.0 * JITTER + COURSE;
/// The bend stretches parts at most by so much more than between the middles of neighbours at the rim of their block.
const STRETCH: f64 = 1.5;
/// Unbending moves no place farther than this, in cells.
const SHIFT_CELLS: f64 = 0.47;

impl Reach<'_> {
    /// Whether channels of a block can matter to a sample of some tiles. Where a block has tiles all around it, one of
    /// them holds its rim.
    fn reaches(&self, block: Block, tiles: &[Marked]) -> bool {
        let rim = self.rim(block);
        let bent: Vec<Vec3> = rim.iter().map(|place| place.0).collect();
        let plain: Vec<Vec3> = rim.iter().map(|place| place.1).collect();
        // of links at the rim, and of those between two places of it that are looked at
        let link = LINK + 0.5 * (APART - 1) as f64;
        let longest = |places: &[Vec3]| {
            let beside = places.iter().zip(places.iter().cycle().skip(1)).zip(&rim);
            let steps = beside.map(|((a, b), place)| a.distance(*b) / place.2);
            steps.fold(0.0, f64::max)
        };
        let stretched = STRETCH * link * longest(&plain);
        let shifted = link * longest(&bent) + 2.0 * SHIFT_CELLS * self.grid.cell_m();
        let reach_m = self.reach_m + stretched.min(shifted);
        let Some(ball) = Ball::around(plain.iter().copied()) else { return false };
        let near = |tile: &&Marked| ball.near(tile.ball.center, reach_m + tile.ball.radius_m);
        tiles.iter().filter(near).any(|tile| {
            let reach2 = (reach_m + tile.apart_m) * (reach_m + tile.apart_m);
            let close = |m: &Vec3| plain.iter().any(|p| (*p - *m).length_squared() <= reach2);
            tile.marks.iter().any(close)
        })
    }

    /// The middles of parts at the rim of a block, clockwise, its corners among them: in bent and in plain space, and how
    /// many parts it is to the next.
    fn rim(&self, block: Block) -> Vec<(Vec3, Vec3, f64)> {
        let rect = block.rect(self.grid);
        let (rows, cols) = (rect.rows - 1, rect.cols - 1);
        let along = |length: u32| (0..length).step_by(APART);
        let top = along(cols).map(|c| (0, c));
        let east = along(rows).map(|r| (r, cols));
        let south = along(cols).map(|c| (rows, cols - c));
        let west = along(rows).map(|r| (rows - r, 0));
        let mut rim: Vec<(u32, u32)> = top.chain(east).chain(south).chain(west).collect();
        if rim.is_empty() {
            rim.push((0, 0));
        }
        let next = rim.iter().cycle().skip(1);
        let place = |(&(r, c), next): (&(u32, u32), &(u32, u32))| {
            let part = Part { level: self.level, face: rect.face, row: rect.row + r, col: rect.col + c };
            let bent = self.grid.within_part(part, 0.5, 0.5) * self.grid.metres_per_unit();
            let steps = r.abs_diff(next.0).max(c.abs_diff(next.1)).max(1);
            (bent, self.bend.unbend_roughly(bent), f64::from(steps))
        };
        rim.iter().zip(next).map(place).collect()
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
    use grid::{Nth, Purpose, Seed};
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

    /// How many channels of some blocks are near enough to samples to be asked.
    fn near(work: &Work, blocks: impl Fn(usize) -> bool) -> usize {
        let Request { lattice, window, .. } = work.request;
        let samples = (0..window.height).flat_map(|r| (0..window.width).map(move |c| (c, r)));
        let places: Vec<Vec3> = samples.filter_map(|(c, r)| lattice.position_in(window, c, r)).collect();
        let scale = work.grid.metres_per_unit();
        let some = work.blocks.iter().enumerate().filter(|(k, _)| blocks(*k));
        let of_block = |(_, block): (usize, &Channels)| {
            places.iter().map(|p| block.within(*p * scale, work.style.gather_m()).count()).sum::<usize>()
        };
        some.map(of_block).sum()
    }

    fn request(world: &World, place: (f64, f64), spacing_m: f64, side: usize) -> Request {
        let lattice = Lattice::around(world.grid.metres_per_unit(), place, spacing_m);
        let (x, y) = lattice.project(place.0, place.1);
        let at = |x: f64| (x / lattice.step()) as i64;
        let window = Window { west: at(x), north: at(y), width: side, height: 9 };
        Request::new(lattice, window, vec![Sampled::Elevation], Method::Drainage).expect("sound")
    }

    #[test]
    fn blocks_that_are_left_out_change_nothing() {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 48;
        recipe.grid.radius_km = 600.0;
        let world = simulate(&recipe, &|_, _| {}).expect("sound");
        let (grid, seed) = (&world.grid, Seed(world.recipe.seed));
        let bend = Bend::broad(grid, seed);
        let mut draw = Seed(11).key(Purpose::new("test/window")).at(Nth(0));
        let (mut few, mut many, mut asked) = (0, 0, 0);
        // of all levels, at random and at corners of the cube
        for k in 0..36u32 {
            let spacing_m = 20.0 * grid::math::pow(2.0, f64::from(k % 9));
            let place = match k % 4 {
                0 => (45.0, 35.26),
                _ => (draw.range(-180.0, 180.0), draw.range(-80.0, 80.0)),
            };
            let request = request(&world, place, spacing_m, 3 + 17 * (k % 5) as usize);
            let known = Work::patch(&world, &request).expect("in memory");
            let level = known.1.level;
            let widest_m = 0.5
                * world::channel_width_m(grid.cells().map(|c| world.discharge_m3_s[c]).fold(0.0, f64::max));
            let blocks = blocks_around(grid, &bend, level, (&request, &marked(grid, &request), widest_m));
            let plan = Plan { level, under: known.1.under.clone(), blocks };
            let patch = Patch::fetch(&world, plan.cells(grid)).expect("in memory");
            let all = (patch, plan, world.waters().expect("in memory"));
            let levels = Arc::default();
            let work = Work::new(&known, seed, (&request, &levels));
            let whole = Work::new(&all, seed, (&request, &levels));
            assert!(elevations(&work) == elevations(&whole), "{place:?} {spacing_m}");
            let left_out = near(&whole, |k| !known.1.blocks.contains(&all.1.blocks[k]));
            assert_eq!(left_out, 0, "{place:?} {spacing_m}");
            asked += near(&work, |_| true);
            (few, many) = (few + known.1.blocks.len(), many + all.1.blocks.len());
        }
        assert!(asked > 10_000 && few * 10 < many * 9, "{few} of {many} blocks, {asked} channels");
    }
}
