//! Worlds with their drainage, and places in them.

use crate::drainage::Apex;
use crate::drainage::block::{Block, Rect};
use crate::drainage::coarse::Cells;
use crate::drainage::levels::{self, Drainage, Guides};
use crate::drainage::plan::{NOWHERE, Spot};
use crate::drained::Lands;
use crate::patch::Patch;
use grid::{Cell, Direction, Draw, Grid, Level, Nth, Part, Purpose, Seed, Topology, Vec3};
use std::sync::{Arc, OnceLock};
use world::{CellSource, NO_LAKE, Recipe, World, simulate};

/// The drainage of a study.
pub type Drained = Drainage<'static, Cells<'static>, Lands<'static>>;

/// A world and all that its drainage is computed from.
pub struct Study {
    pub world: &'static World,
    pub grid: &'static Topology,
    lands: Lands<'static>,
    coarse: Cells<'static>,
}

impl Study {
    fn new(recipe: &Recipe) -> Self {
        Self::of(simulate(recipe, &|_, _| {}).expect("the recipe is sound"))
    }

    /// The same world with so many times as much water.
    pub fn wetter(&self, times: f64) -> &'static Self {
        let mut world = self.world.clone();
        for cell in world.grid.cells() {
            world.discharge_m3_s[cell] *= times;
            world.runoff_m3_s[cell] *= times;
        }
        Box::leak(Box::new(Self::of(world)))
    }

    fn of(world: World) -> Self {
        let world: &'static World = Box::leak(Box::new(world));
        let patch: &'static Patch =
            Box::leak(Box::new(Patch::fetch(world, world.grid.cells().collect()).expect("in memory")));
        let seed = Seed(world.recipe.seed);
        let lands = Lands::new(patch, seed, &world.waters().expect("in memory"));
        Self { world, grid: &world.grid, lands, coarse: Cells::new(patch, seed) }
    }

    /// The drainage of a level of which nothing is known yet.
    pub fn drainage(&'static self, level: Level) -> Drained {
        Drainage::new(
            self.lands.planner(Seed(self.world.recipe.seed)),
            &self.coarse,
            &self.lands,
            level,
            Arc::default(),
        )
    }

    /// Where the world's rivers divide into the arms of deltas.
    pub fn apexes(&self) -> Vec<Apex> {
        self.lands.apexes()
    }

    /// The block of a level at a cell's north-western corner and all that lie within so many sites of it.
    pub fn blocks(&self, level: Level, cell: Cell, rings: u32) -> Vec<Block> {
        let block = self.block(level, cell);
        let parts: Vec<Part> = block.rect(self.grid).parts(level).collect();
        levels::blocks_near(self.grid, &parts, rings)
    }

    /// The block of a level at a cell's north-western corner.
    pub fn block(&self, level: Level, cell: Cell) -> Block {
        let (face, row, col) = self.grid.shape().split(cell);
        Block::of(Part { level, face, row: row << level.0, col: col << level.0 })
    }

    /// The squares of blocks.
    pub fn squares(&self, blocks: &[Block]) -> Vec<Rect> {
        let of = |b: &Block| b.rect(self.grid).squares(self.grid.part_rows_cols(b.level)).collect::<Vec<_>>();
        blocks.iter().flat_map(of).collect()
    }

    /// The parts of blocks.
    pub fn parts(&self, blocks: &[Block]) -> Vec<Part> {
        blocks.iter().flat_map(|b| b.rect(self.grid).parts(b.level)).collect()
    }

    /// Where the water of a site goes.
    pub fn receiver(&self, part: Part, spot: &Spot) -> Option<Part> {
        let direction = (spot.receiver != NOWHERE).then(|| Direction::from_index(spot.receiver))?;
        Some(self.grid.step_part(part, direction).expect("receivers exist").0)
    }

    /// All neighbours of a part.
    pub fn neighbours(&self, part: Part) -> impl Iterator<Item = Part> + '_ {
        Direction::ALL.into_iter().filter_map(move |d| Some(self.grid.step_part(part, d)?.0))
    }

    fn greatest(&self, value: impl Fn(Cell) -> Option<f64>) -> Option<Cell> {
        let valued = self.grid.cells().filter_map(|c| Some((c, value(c)?)));
        valued.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(c, _)| c)
    }

    /// Cells of every kind, each with its name; the odd ones of a globe or a map's border are among them.
    pub fn places(&self) -> Vec<(String, Cell)> {
        let world = self.world;
        let land = |c: Cell| world.continentality[c] > 0.0;
        let inland = |c: Cell| self.grid.halo(c, 2).into_iter().all(land);
        let coast = |c: Cell| land(c) && self.grid.neighbors(c).any(|(_, n)| !land(n));
        let mouth = |c: Cell| world.receiver_of(c).is_some_and(|r| !land(r));
        let lake = |c: Cell| world.lake[c] != NO_LAKE;
        let closed = |c: Cell| lake(c) && world.receiver_of(c).is_none();
        let some = [
            ("mountains", self.greatest(|c| inland(c).then(|| world.mountain_height_m[c].into()))),
            ("mountains at sea", self.greatest(|c| coast(c).then(|| world.mountain_height_m[c].into()))),
            ("mouth", self.greatest(|c| mouth(c).then(|| world.discharge_m3_s[c]))),
            ("river", self.greatest(|c| (inland(c) && !lake(c)).then(|| world.discharge_m3_s[c]))),
            ("lake", self.greatest(|c| lake(c).then(|| world.discharge_m3_s[c]))),
            ("closed lake", self.greatest(|c| closed(c).then(|| world.discharge_m3_s[c]))),
            ("low coast", self.greatest(|c| coast(c).then(|| -f64::from(world.base_elevation_m[c])))),
            ("plain", self.greatest(|c| inland(c).then(|| -f64::from(world.base_elevation_m[c])))),
        ];
        let mut places: Vec<(String, Cell)> =
            some.into_iter().filter_map(|(name, c)| Some((name.to_string(), c?))).collect();
        match self.grid {
            Topology::Globe(_) => places.extend(self.odd_places()),
            Topology::Flat(_) => {
                let shape = self.grid.shape();
                let corner = |r, c| shape.join(0, r, c);
                places.push(("north-western corner".into(), corner(0, 0)));
                places.push(("south-eastern corner".into(), corner(shape.rows - 1, shape.cols - 1)));
                places.push(("northern border".into(), corner(0, shape.cols / 2)));
            }
        }
        places
    }

    /// Three corners of the cube, four of its edges, the poles.
    fn odd_places(&self) -> Vec<(String, Cell)> {
        let land = |c: &Cell| self.world.continentality[*c] > 0.0;
        let face = |c: Cell| self.grid.shape().split(c).0;
        let mut corners: Vec<Cell> =
            self.grid.cells().filter(|&c| self.grid.neighbors(c).count() == 7).collect();
        corners.sort_by_key(|c| !land(c));
        let edge = |c: &Cell| {
            self.grid.neighbors(*c).count() == 8 && self.grid.neighbors(*c).any(|(_, n)| face(n) != face(*c))
        };
        let edges: Vec<Cell> = self.grid.cells().filter(|c| edge(c) && land(c)).collect();
        let named = |name: &str, c: Cell| (format!("{name} at {c:?}"), c);
        let mut all: Vec<_> = corners.into_iter().take(3).map(|c| named("corner of the cube", c)).collect();
        all.extend(edges.iter().step_by(edges.len() / 4).map(|&c| named("edge of the cube", c)));
        let at = |x, y, z| self.grid.locate(Vec3::new(x, y, z).normalized());
        let poles = [at(0.001, 0.002, 1.0), at(0.001, 0.002, -1.0), at(-1.0, 1e-9, -0.3)];
        all.extend(poles.into_iter().flatten().map(|c| named("pole or antimeridian", c)));
        all
    }

    /// Pieces of ridge lines around a rectangle of parts, in bent space.
    pub fn lines(&self, level: Level, rect: Rect) -> Vec<(Vec3, Vec3)> {
        self.lands.lines(level, rect, 0)
    }

    /// Cells of ranges, drawn at random.
    pub fn ranges(&self, count: usize) -> Vec<Cell> {
        let high: Vec<Cell> =
            self.grid.cells().filter(|&c| self.world.ridge_directions[c].count_ones() > 1).collect();
        let mut draw = draws(7);
        (0..count).map(|_| high[draw.below(high.len() as u32) as usize]).collect()
    }

    /// Land cells drawn at random.
    pub fn some_land(&self, count: usize, number: u32) -> Vec<Cell> {
        let land: Vec<Cell> = self.grid.cells().filter(|&c| self.world.continentality[c] > 0.0).collect();
        let mut draw = draws(number);
        (0..count).map(|_| land[draw.below(land.len() as u32) as usize]).collect()
    }
}

/// Random numbers for a test, the same at every run.
pub fn draws(number: u32) -> Draw {
    Seed(1).key(Purpose::new("test/drainage")).at(Nth(number))
}

/// The share of `values` up to which a fraction of them lies; they are sorted.
pub fn quantile(values: &mut [f64], fraction: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * fraction).round() as usize]
}

/// The recipe `small`: a globe with 64 cells along a side of a face.
pub fn small() -> &'static Study {
    static STUDY: OnceLock<Study> = OnceLock::new();
    STUDY.get_or_init(|| Study::new(&Recipe::preset("small").expect("built in")))
}

/// A small planet of 37 km cells with many high ranges.
pub fn rugged() -> &'static Study {
    static STUDY: OnceLock<Study> = OnceLock::new();
    STUDY.get_or_init(|| {
        let mut recipe = Recipe::preset("small").expect("built in");
        recipe.grid.radius_km = 1500.0;
        recipe.plates.warp_km = 150.0;
        recipe.mountains.old_ranges = 40;
        recipe.mountains.height_m = 8000.0;
        recipe.mountains.min_height_m = 100.0;
        Study::new(&recipe)
    })
}

/// A flat map.
pub fn island() -> &'static Study {
    static STUDY: OnceLock<Study> = OnceLock::new();
    STUDY.get_or_init(|| {
        let mut recipe = Recipe::preset("island").expect("built in");
        recipe.grid.cells = 96;
        Study::new(&recipe)
    })
}

/// A globe, a rugged globe, a flat map.
pub fn studies() -> [&'static Study; 3] {
    [small(), rugged(), island()]
}

/// The drainage around a place, at one level.
pub struct View {
    pub study: &'static Study,
    pub level: Level,
    pub name: String,
    pub cell: Cell,
    /// The blocks whose waters are known: one, its neighbours, and theirs.
    pub known: Vec<Block>,
    /// One block and its neighbours.
    pub inner: Vec<Block>,
    pub drainage: Drained,
}

impl View {
    fn new(study: &'static Study, level: Level, (name, cell): (String, Cell)) -> Self {
        let known = study.blocks(level, cell, 17);
        let drainage = study.drainage(level);
        drainage.prepare(&study.squares(&known), 0);
        Self { study, level, name, cell, known, inner: study.blocks(level, cell, 1), drainage }
    }

    pub fn is_known(&self, part: Part) -> bool {
        self.known.contains(&Block::of(part))
    }
}

/// Of the places, one of so many is looked at; all of them take minutes.
const EVERY: usize = 3;

/// Places of all kinds, each at one level from 1 to 8; levels change from place to place.
pub fn views() -> &'static [View] {
    static VIEWS: OnceLock<Vec<View>> = OnceLock::new();
    VIEWS.get_or_init(|| {
        let mut places = Vec::new();
        for (k, study) in (0u32..).zip(studies()) {
            places.extend(study.places().into_iter().map(|p| (study, p)));
            let land = study.some_land(3, k).into_iter();
            places.extend(land.map(|c| (study, (format!("land at {c:?}"), c))));
        }
        let chosen = places.into_iter().step_by(EVERY).enumerate();
        chosen.map(|(n, (study, p))| View::new(study, Level((n * 3 % 8 + 1) as u8), p)).collect()
    })
}
