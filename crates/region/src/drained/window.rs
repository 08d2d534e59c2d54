//! What a window needs: the squares of sites whose channels are drawn, and the world's cells.
//!
//! A square is drawn if one of its channels might come within reach of a sample. The reach grows with the width of rivers:
//! first no more is known of these than how wide any near the window is, and later, from coarser levels, how wide those
//! of each block and of each square are, and where the wide ones run.

use super::outline::{Candidate, LINK, Marked, Nodes, Reach, Run, SHEARED, STRETCH};
use super::{COURSE, TILE, Tile};
use crate::banks;
use crate::bend::Bend;
use crate::drainage::block::{Block, Rect, SIDE, SQUARE, above};
use crate::drainage::channels::BESIDE_WATER;
use crate::drainage::funnel::{self, Funnel};
use crate::drainage::great;
use crate::drainage::levels::{self, Coarse, Drainage, Guides, RiverOver, RiversOver};
use crate::drainage::meander::{self, Meanders};
use crate::drainage::{drawn_level, surroundings, valley};
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
    /// Blocks of which squares may be drawn, if their rivers are wide enough for that, or move them near.
    pub blocks: Vec<Block>,
    /// What the window shows.
    tiles: Vec<Marked>,
    /// Half the width of the widest river in any of the cells, by its discharge.
    widest_half_m: f64,
}

impl Plan {
    /// What a window over some cells needs where no river is wider than the widest.
    pub fn of(
        grid: &Topology,
        bend: &Bend,
        (request, under): (&Request, Vec<Cell>),
        (style, widest): (&Style, Widest),
    ) -> Self {
        let level =
            drawn_level(grid.cell_m(), request.lattice.spacing_m()).expect("what draws channels has a level");
        let tiles = marked(grid, request);
        let blocks = blocks_around(grid, bend, level, (request, &tiles, widest));
        let (reach, reach_m) = (Reach { grid, bend, level }, reach_m(style, level, grid, widest));
        let blocks = blocks.into_par_iter().filter(|block| reach.is_near(*block, &tiles, reach_m)).collect();
        Self { level, under, blocks, tiles, widest_half_m: widest.half_m }
    }

    /// The squares whose channels are drawn: candidates that no wide river brings near are left out.
    pub fn squares<C: Coarse, G: Guides>(
        &self,
        (style, bend): (&Style, &Bend),
        (drainage, funnels): (&Drainage<C, G>, &[Funnel]),
    ) -> Vec<Rect> {
        let (level, grid) = (self.level, drainage.grid());
        let reach_m = |widest: Widest| reach_m(style, level, grid, widest);
        let least_m = reach_m(Widest::NONE);
        let widths = Widths { drainage, funnels, level, all_half_m: self.widest_half_m };
        let reach = Reach { grid, bend, level };
        let mut far = widths.blocks(&self.blocks, reach_m);
        // those that are near whatever their rivers, and what is left of each block
        let near_of = |far: &mut Far| {
            let all = reach.candidates(far.block, (&self.tiles, far.unmoved_reach_m));
            let (near, others) = all.into_iter().partition::<Vec<_>, _>(|c| c.near_m <= least_m);
            far.candidates = others;
            near
        };
        let near: Vec<Candidate> = far.par_iter_mut().flat_map_iter(near_of).collect();
        far.retain(|far| !far.candidates.is_empty());
        // where squares lie, and how near that is
        let of_face = far.chunk_by(|a, b| a.block.face == b.block.face);
        let wide = of_face.flat_map(|blocks| {
            let placing = Placing::of(&reach, drainage, blocks);
            let placed = placing.candidates(blocks, &self.tiles);
            widths.near(&placed, &placing, (&self.tiles, &reach_m))
        });
        near.into_iter().map(|c| c.square).chain(wide).collect()
    }

    /// All cells whose states anything may ask for, sorted.
    pub fn cells(&self, grid: &Topology) -> Vec<Cell> {
        let rings = levels::rings(self.level, surroundings::WIDE_RINGS) + terrain::PATCH_RINGS as u32;
        let of_block = |block: &Block| {
            let parts = block.rect(grid).over(self.level, Level(0)).parts(Level(0));
            parts.map(|part| grid.cell_of(part)).collect::<Vec<_>>()
        };
        let mut cells: Vec<Cell> =
            self.blocks.iter().flat_map(of_block).chain(self.under.iter().copied()).collect();
        cells.sort_unstable();
        cells.dedup();
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

    /// The same of what lies in a window, and how far its samples may lie from the nearest of them, in metres, where none lacks.
    fn marks_within(self, grid: &Topology, lattice: &Lattice, window: &Window) -> (Vec<Vec3>, Option<f64>) {
        let (east, south) = (window.west + window.width as i64, window.north + 1 - window.height as i64);
        let columns = (self.column * TILE).max(window.west)..((self.column + 1) * TILE).min(east);
        let rows = (self.row * TILE).max(south)..((self.row + 1) * TILE).min(window.north + 1);
        let count = |samples: &Range<i64>| numbers(samples.clone(), apart(grid, lattice)).count();
        let counts = (count(&columns), count(&rows));
        let marks = marks_of(grid, lattice, columns, rows);
        let apart_m = (marks.len() == counts.0 * counts.1).then(|| apart_m(&marks, counts.0));
        (marks, apart_m)
    }
}

/// Half the longest diagonal of the squares of marks, so many in a row, and a little more for those that are bent.
fn apart_m(marks: &[Vec3], in_a_row: usize) -> f64 {
    const BENT: f64 = 1.1;
    let rows: Vec<&[Vec3]> = marks.chunks(in_a_row.max(1)).collect();
    let of_square = |a: &[Vec3], b: &[Vec3]| a[0].distance(b[1]).max(a[1].distance(b[0]));
    let of_rows = |w: &[&[Vec3]]| {
        w[0].windows(2).zip(w[1].windows(2)).map(|(a, b)| of_square(a, b)).fold(0.0, f64::max)
    };
    0.5 * BENT * rows.windows(2).map(of_rows).fold(0.0, f64::max)
}

/// Samples from one mark of a tile to the next.
fn apart(grid: &Topology, lattice: &Lattice) -> usize {
    (MARKS_CELLS * grid.cell_m() / lattice.spacing_m()).clamp(1.0, TILE as f64 / 4.0) as usize
}

/// Numbers of marks in a row or column of samples.
fn numbers(samples: Range<i64>, apart: usize) -> impl Iterator<Item = i64> + Clone {
    samples.clone().step_by(apart).chain(samples.last())
}

/// Some places of a rectangle no larger than a tile.
fn marks_of(grid: &Topology, lattice: &Lattice, columns: Range<i64>, rows: Range<i64>) -> Vec<Vec3> {
    let apart = apart(grid, lattice);
    let place = |(row, column)| lattice.position(column, row);
    let columns = numbers(columns, apart);
    let all = numbers(rows, apart).flat_map(|row| columns.clone().map(move |column| (row, column)));
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
/// the widest: all that can, and many that cannot.
fn blocks_around(
    grid: &Topology,
    bend: &Bend,
    level: Level,
    (request, tiles, widest): (&Request, &[Marked], Widest),
) -> Vec<Block> {
    let (site_m, tile_m) = (level.size(grid.cell_m()), TILE as f64 * request.lattice.spacing_m());
    // from a mark half way to the next, a quarter of a tile from it; then the reach beyond the widest floor, and the
    // course of a link
    let river_m = widest.floor_m() + widest.afield_m + widest.moved_m;
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

/// A river that none is wider than.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widest {
    /// How wide it is to each side by its discharge, in metres.
    pub half_m: f64,
    /// How many times as wide as that the tide makes it.
    pub wider: f64,
    /// How far its meanders move what lies around, in metres.
    pub moved_m: f64,
    /// How far from their discs its sites may lie, in metres.
    pub afield_m: f64,
}

impl Widest {
    const NONE: Self = Self { half_m: 0.0, wider: 1.0, moved_m: 0.0, afield_m: 0.0 };

    /// A river so wide to each side that the tide makes so many times as wide.
    pub fn of(half_m: f64, wider: f64) -> Self {
        let width_m = 2.0 * half_m;
        Self { half_m, wider, moved_m: meander::most_of_m(width_m), afield_m: great::AFIELD * width_m }
    }

    /// Half width of the floor that it has for itself, with room for uneven banks.
    fn floor_m(self) -> f64 {
        BESIDE_WATER * (1.0 + banks::UNEVEN) * self.half_m * self.wider
    }
}

/// A channel whose course would come no nearer to a sample than this, if no river left the discs of its sites, has no say
/// in it: the reach beyond the widest floor.
fn reach_m(style: &Style, level: Level, grid: &Topology, widest: Widest) -> f64 {
    let river_m = widest.floor_m() + STRETCH * SHEARED * widest.afield_m;
    let floor_m = (valley::WIDEST_FLOOR * level.size(grid.cell_m())).max(river_m);
    style.gather_m() + floor_m + STRETCH * widest.moved_m
}

/// The tiles of a window.
fn marked(grid: &Topology, request: &Request) -> Vec<Marked> {
    let Request { lattice, window, .. } = request;
    let of_tile = |tile: Tile| {
        let (marks, apart_m) = tile.marks_within(grid, lattice, window);
        let ball = Ball::around(marks.iter().copied())?;
        // where marks lack, the whole tile says it
        let least_m = 0.25 * TILE as f64 * lattice.spacing_m();
        let apart_m = apart_m.unwrap_or(least_m.max(0.5 * ball.radius_m));
        let ball = Ball { radius_m: ball.radius_m + apart_m, ..ball };
        Some(Marked { ball, marks, apart_m })
    };
    Tile::of_window(window).into_par_iter().filter_map(of_tile).collect()
}

/// The squares of a block that may be drawn, where no river there and beside is wider than some.
struct Far {
    block: Block,
    candidates: Vec<Candidate>,
    /// How near its channels must come to have a say where they lie, and before the pulls of wide rivers have moved them, in metres.
    reach_m: f64,
    unmoved_reach_m: f64,
}

impl Far {
    /// Whether pulls of wide rivers may move it.
    fn moves(&self) -> bool {
        self.unmoved_reach_m > self.reach_m
    }
}

/// Tells how wide the rivers in blocks and squares are.
struct Widths<'a, C, G> {
    drainage: &'a Drainage<'a, C, G>,
    funnels: &'a [Funnel],
    level: Level,
    /// No river is wider to each side, in metres.
    all_half_m: f64,
}

impl<C: Coarse, G: Guides> Widths<'_, C, G> {
    /// The widest of some rivers, so much wider by the tide.
    fn widest(&self, rivers: &RiversOver, wider: f64) -> Widest {
        let lesser_m = meander::LESSER * self.level.size(self.drainage.grid().cell_m());
        let lesser = |width_m: f64| if width_m <= lesser_m { width_m } else { 0.0 };
        Widest {
            half_m: rivers.half_m(|width_m| width_m, self.all_half_m),
            wider,
            moved_m: meander::most_of_m(lesser_m.min(2.0 * rivers.half_m(lesser, self.all_half_m))),
            afield_m: great::AFIELD * rivers.width_m(),
        }
    }

    /// How much wider the tide makes rivers in a block, at the most.
    fn wider(&self, block: Block) -> f64 {
        let grid = self.drainage.grid();
        // the bend moves a block by less than a cell
        let ball = block.ball(grid);
        funnel::widest(self.funnels, ball.center, ball.radius_m + grid.cell_m())
    }

    /// How near the channels of blocks must come to have a say, by the rivers in and around each.
    fn blocks(&self, all: &[Block], reach_m: impl Fn(Widest) -> f64) -> Vec<Far> {
        let (grid, over) = (self.drainage.grid(), above(self.level, SIDE));
        let rects: Vec<Rect> = all.iter().map(|block| block.above(grid).1).collect();
        self.drainage.prepare_over(over, &rects, meander::RINGS);
        let (rivers, most_m) = (self.drainage.rivers_over(over), meander::most_m(self.drainage));
        let far = |(&block, &rect): (&Block, &Rect)| {
            let widest = self.widest(&rivers(rect), self.wider(block));
            let moved_m = widest.moved_m.max(most_m(block, 2.0 * widest.half_m));
            let unmoved_reach_m = reach_m(Widest { moved_m, ..widest });
            Far { block, candidates: Vec::new(), reach_m: reach_m(widest), unmoved_reach_m }
        };
        all.iter().zip(&rects).map(far).collect()
    }

    /// Of some squares those whose channels come near enough to some tiles to have a say, by the rivers in and beside each.
    fn near(
        &self,
        all: &[Candidate],
        placing: &Placing,
        (tiles, reach_m): (&[Marked], impl Fn(Widest) -> f64),
    ) -> Vec<Rect> {
        let over = above(self.level, SQUARE);
        let rects: Vec<Rect> = all.iter().map(|c| c.square.over(self.level, over)).collect();
        self.drainage.prepare_over(over, &rects, 1);
        let (rivers, limit_m) =
            (self.drainage.rivers_over(over), WIDE * self.level.size(self.drainage.grid().cell_m()));
        let is_near = |(c, rect): &(&Candidate, &Rect)| {
            let mut rivers = rivers(**rect);
            let widest = self.widest(&rivers, self.wider(Block::of(c.square.first(self.level))));
            if c.near_m > reach_m(widest) {
                return false;
            }
            // sites of narrower rivers lie near their parts, those of wider ones also near those of the level over them
            let half_m = rivers.half_m(|width_m| width_m.min(limit_m), self.all_half_m);
            let narrow = Widest { half_m, afield_m: widest.afield_m.min(great::AFIELD * limit_m), ..widest };
            rivers.sites.retain(|site| site.width_m > limit_m);
            c.near_m <= reach_m(narrow)
                || placing.runs(c, &rivers.sites).iter().any(|run| {
                    let wider = widest.wider.min(run.wider(self.funnels));
                    run.is_near(tiles, reach_m(Widest { wider, afield_m: 0.0, ..widest }))
                })
        };
        all.iter().zip(&rects).filter(is_near).map(|(c, _)| c.square).collect()
    }
}

/// Rivers of more spacings of sites than these are wide: the sites of wide ones two levels above leave their parts at the next, and what
/// pulls they have move whole squares, so that meanders are known around them.
const WIDE: f64 = meander::LESSER;

/// Tells where what lies at a place in bent space lies in plain space, once wide rivers have moved it.
struct Placing<'a> {
    reach: &'a Reach<'a>,
    /// Of what moves squares of the blocks.
    meanders: Option<Meanders>,
}

impl<'a> Placing<'a> {
    /// For the candidates of blocks of one face.
    fn of<C: Coarse, G: Guides>(reach: &'a Reach<'a>, drainage: &Drainage<C, G>, blocks: &[Far]) -> Self {
        let squares = blocks.iter().filter(|far| far.moves()).flat_map(|far| &far.candidates);
        let meanders = squares
            .map(|c| c.square)
            .reduce(Rect::with)
            .map(|all| Meanders::of_squares(drainage, (reach.level, all)))
            .filter(Meanders::moves);
        Self { reach, meanders }
    }

    /// The candidates of some blocks that come within reach of some tiles as their blocks' rivers let them, and how near, where meanders
    /// have put them.
    fn candidates(&self, blocks: &[Far], tiles: &[Marked]) -> Vec<Candidate> {
        let tiles: Vec<&Marked> = tiles.iter().collect();
        let Reach { grid, level, .. } = *self.reach;
        let of_block = |far: &Far| -> Vec<Candidate> {
            let Some(meanders) = self.meanders.as_ref().filter(|_| far.moves()) else {
                return far.candidates.clone();
            };
            let moved = |bent: Vec3| {
                let place = grid.nearest_inside(bent / grid.metres_per_unit());
                let part = grid.locate_part(level, place);
                part.map_or(bent, |part| meanders.moved(grid, part, bent))
            };
            let rect = far.block.rect(grid);
            let nodes = Nodes::of(self.reach, rect, moved);
            let near =
                |c: &Candidate| nodes.around(rect, c.square).candidate(c.square, (&tiles, far.reach_m));
            far.candidates.iter().filter_map(near).collect()
        };
        blocks.iter().flat_map(of_block).collect()
    }

    /// Where channels of a square may run that wide rivers in and beside it have or receive, by their sites two levels above: from its part
    /// or from its river to any of the rivers.
    fn runs(&self, c: &Candidate, rivers: &[RiverOver]) -> Vec<Run> {
        let Reach { grid, bend, level } = *self.reach;
        let size_m = level.size(grid.cell_m());
        let stretch = STRETCH * if self.meanders.is_some() { SHEARED } else { 1.0 };
        let around =
            Ball { radius_m: c.around.radius_m + stretch * great::AFIELD * WIDE * size_m, ..c.around };
        let river = |site: &RiverOver| {
            let at = self.meanders.as_ref().map_or(site.at, |m| m.moved(grid, site.part, site.at));
            let radius_m = (stretch * great::OFF_GRANDPARENT + STRETCH * LINK) * size_m;
            Ball { center: bend.unbend_roughly(at), radius_m }
        };
        let balls: Vec<Ball> = rivers.iter().map(river).collect();
        let own = rivers.iter().zip(&balls).filter(|(site, _)| site.is_within).map(|(_, ball)| *ball);
        let begins = own.chain([around]);
        begins
            .flat_map(|a| {
                balls
                    .iter()
                    .map(move |b| Run { ends: [a.center, b.center], within_m: a.radius_m.max(b.radius_m) })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::nearest;
    use crate::drainage::channels::Channels;
    use crate::drained::Work;
    use crate::envelope::{Channel, Lists};
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

    /// How many channels are near enough to samples to have a say.
    fn near(work: &Work) -> usize {
        let Request { lattice, window, .. } = work.request;
        let samples = (0..window.height).flat_map(|r| (0..window.width).map(move |c| (c, r)));
        let places: Vec<Vec3> = samples.filter_map(|(c, r)| lattice.position_in(window, c, r)).collect();
        let scale = work.grid.metres_per_unit();
        let reach_m = work.style.gather_m();
        let is_near = |p: Vec3, c: &Channel| {
            let edge_m = c.floor_m.0.max(c.floor_m.1).max(c.level_m);
            nearest(p, c.a, c.b).1.sqrt() <= reach_m + edge_m
        };
        let at = |square: &Channels, p: Vec3| square.within(p, reach_m).filter(|c| is_near(p, c)).count();
        let of_square = |square: &Channels| places.iter().map(|p| at(square, *p * scale)).sum::<usize>();
        work.squares.iter().map(|square| of_square(&square.channels)).sum()
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
        let channels = work.squares.iter().flat_map(|square| &square.channels.channels);
        let widest = channels.max_by(|a, b| a.half_width_m.0.total_cmp(&b.half_width_m.0)).expect("a river");
        let far_m = 2.0 * widest.half_width_m.0 * draw.unit() + 50.0;
        grid::math::to_lon_lat((widest.a + draw.direction() * far_m).normalized())
    }

    #[test]
    #[ignore = "slow"]
    fn squares_that_are_left_out_change_nothing() {
        let mut recipe = Recipe::preset("earthlike").expect("built in");
        recipe.grid.cells = 48;
        recipe.grid.radius_km = 600.0;
        // so much water that rivers are wide beside sites, and where places lie beside them very wide
        let of_waters = |times: f64| {
            let mut world = simulate(&recipe, &|_, _| {}).expect("sound");
            for cell in world.grid.cells() {
                world.discharge_m3_s[cell] *= times;
                world.runoff_m3_s[cell] *= times;
            }
            world
        };
        let (wide, widest) = (of_waters(100.0), of_waters(2_500.0));
        let (grid, seed) = (&wide.grid, Seed(wide.recipe.seed));
        let bend = Bend::broad(grid, seed);
        let mut draw = Seed(11).key(Purpose::new("test/window")).at(Nth(0));
        let (mut few, mut many, mut asked) = (0, 0, 0);
        let discharge = |c: &Cell| wide.discharge_m3_s[*c];
        let mut rivers: Vec<Cell> = grid.cells().filter(|c| wide.continentality[*c] > 0.0).collect();
        rivers.sort_by(|a, b| discharge(b).total_cmp(&discharge(a)));
        // of all levels, at random and at corners of the cube; and of the deepest beside wide rivers
        for k in 0..72u32 {
            let world = if k % 8 == 1 { &widest } else { &wide };
            let (spacing_m, place) = match k % 8 {
                0 => (20.0 * grid::math::pow(2.0, f64::from(k % 9)), (45.0, 35.26)),
                1..4 => (15.0, beside_river(world, rivers[k as usize], &mut draw)),
                _ => (
                    20.0 * grid::math::pow(2.0, f64::from(k % 9)),
                    (draw.range(-180.0, 180.0), draw.range(-80.0, 80.0)),
                ),
            };
            let request = request(world, place, spacing_m, 3 + 17 * (k % 5) as usize);
            let known = Work::patch(world, &request).expect("in memory");
            let level = known.1.level;
            let greatest_m3_s = grid.cells().map(|c| world.discharge_m3_s[c]).fold(0.0, f64::max);
            let mouths = world.waters().expect("in memory").mouths;
            let wider = mouths.iter().map(|mouth| funnel::most(grid, mouth)).fold(1.0, f64::max);
            let widest = Widest::of(0.5 * world::channel_width_m(greatest_m3_s), wider);
            let blocks = blocks_around(grid, &bend, level, (&request, &marked(grid, &request), widest));
            // one tile that is everywhere: all squares of all blocks are drawn
            let everywhere = Ball { center: Vec3::default(), radius_m: f64::INFINITY };
            let tile = Marked { ball: everywhere, marks: vec![Vec3::default()], apart_m: f64::INFINITY };
            let under = known.1.under.clone();
            let plan = Plan { level, under, blocks, tiles: vec![tile], widest_half_m: widest.half_m };
            let patch = Patch::fetch(world, plan.cells(grid)).expect("in memory");
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
            (few, many) = (few + work.links.len(), many + whole.links.len());
        }
        assert!(asked > 10_000 && few * 10 < many * 6, "{few} of {many} links, {asked} channels");
    }
}
