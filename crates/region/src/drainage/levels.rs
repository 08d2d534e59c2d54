//! From the world's cells to the level that is drawn: which blocks are needed, and their plans and flows.
//!
//! A block is a function of its address alone. Blocks are computed level by level from above, those of a level in
//! parallel.

use super::block::{Block, Blocks, Rect};
use super::flow::{self, Above, Water};
use super::guide::Guide;
use super::mesh::Mesh;
use super::plan::{self, Placed, Plan, Planner, Spot};
use grid::{Cell, Level, Part, Topology, Vec3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What the world says of its own cells: level 0.
pub(crate) trait Coarse: Sync {
    /// Where a cell's water goes.
    fn spot(&self, cell: Part) -> Spot;
    /// How much there is of it.
    fn water(&self, cell: Part) -> Water;
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

/// Which blocks are needed at each level.
struct Needs {
    sites: Vec<Vec<Block>>,
    plans: Vec<Vec<Block>>,
    flows: Vec<Vec<Block>>,
}

/// The drainage of some blocks of a level, and of everything above that it comes from.
pub(crate) struct Drainage<'a, C: Coarse> {
    grid: &'a Topology,
    coarse: &'a C,
    level: Level,
    plans: Vec<Blocks<Spot>>,
    /// How many parts drain to the trunks of the parents in each block, by the block of the parents' children.
    basins: Vec<BTreeMap<Block, Vec<u16>>>,
    flows: Vec<Blocks<Water>>,
}

impl<'a, C: Coarse> Drainage<'a, C> {
    /// Computes the waters of some blocks of a level.
    pub fn of(
        planner: &Planner<'a>,
        coarse: &'a C,
        guides: &impl Guides,
        level: Level,
        blocks: &[Block],
    ) -> Self {
        let grid = planner.grid;
        let needs = Needs::of(grid, level, blocks);
        let mut all = Self {
            grid,
            coarse,
            level,
            plans: vec![Blocks::none()],
            basins: vec![BTreeMap::new()],
            flows: vec![Blocks::none()],
        };
        for l in 1..=usize::from(level.0) {
            let sites = |&block: &Block| {
                (block, planner.sites(block, &guides.around(block.level, block.rect(grid), 0)))
            };
            let sites = Blocks(needs.sites[l].par_iter().map(sites).collect());
            let made: Vec<(Block, Plan)> =
                needs.plans[l].par_iter().map(|&b| (b, all.plan(planner, guides, &sites, b))).collect();
            let (mut plans, mut basins) = (BTreeMap::new(), BTreeMap::new());
            for (block, plan) in made {
                plans.insert(block, plan.spots);
                basins.insert(block, plan.basin_parts);
            }
            all.plans.push(Blocks(plans));
            all.basins.push(basins);
        }
        for of_level in &needs.flows[1..] {
            let made = of_level.par_iter().map(|&b| (b, all.flow(b))).collect();
            all.flows.push(Blocks(made));
        }
        all
    }

    fn plan(&self, planner: &Planner, guides: &impl Guides, sites: &Blocks<Placed>, block: Block) -> Plan {
        let above = Level(block.level.0 - 1);
        let lines = match block.level <= plan::CREST_LEVEL {
            true => guides.lines(above, block.rect(self.grid).parents(), plan::RINGS),
            false => Vec::new(),
        };
        let spots = self.spots(above);
        let sites = sites.reader(self.grid);
        planner.plan(block, spots, |p| *sites.get(p), &lines)
    }

    fn flow(&self, block: Block) -> Vec<Water> {
        let (spots, waters) = (self.spots(block.level), self.waters(Level(block.level.0 - 1)));
        let basin_parts =
            |p: Part| if block.level == self.level { 4.0 } else { f64::from(self.basin_parts(p)) };
        flow::flow(block, &Above { grid: self.grid, spot: &spots, water: &waters, basin_parts: &basin_parts })
    }

    /// Where the water of sites of a level goes.
    pub fn spots(&self, level: Level) -> impl Fn(Part) -> Spot + '_ {
        let reader = self.plans[usize::from(level.0)].reader(self.grid);
        move |part| if level == Level(0) { self.coarse.spot(part) } else { *reader.get(part) }
    }

    /// The waters of sites of a level.
    pub fn waters(&self, level: Level) -> impl Fn(Part) -> Water + '_ {
        let reader = self.flows[usize::from(level.0)].reader(self.grid);
        move |part| if level == Level(0) { self.coarse.water(part) } else { *reader.get(part) }
    }

    /// How many parts of the next level drain to a site's trunk.
    pub(super) fn basin_parts(&self, part: Part) -> u16 {
        let child = Part { level: Level(part.level.0 + 1), row: 2 * part.row, col: 2 * part.col, ..part };
        let block = Block::of(child);
        let parts = &self.basins[usize::from(child.level.0)][&block];
        parts[block.rect(self.grid).parents().index(part).expect("a block holds its parents")]
    }

    /// The mesh of a block's surroundings.
    pub fn mesh(&self, block: Block, rings: u32) -> Mesh {
        Mesh::around(self.grid, block.level, block.rect(self.grid), rings)
    }
}

impl Needs {
    /// What the waters of some blocks of a level need.
    fn of(grid: &Topology, level: Level, blocks: &[Block]) -> Self {
        let depth = usize::from(level.0);
        let none = || vec![Vec::new(); depth + 1];
        let mut needs = Self { sites: none(), plans: none(), flows: none() };
        needs.flows[depth] = blocks.to_vec();
        for l in (1..=depth).rev() {
            let around = parts_around(grid, &needs.flows[l], flow::RINGS, false);
            needs.plans[l] = blocks_of(around.iter().copied());
            needs.flows[l - 1] = blocks_of(around.iter().map(|p| p.parent()));
        }
        for l in (1..=depth).rev() {
            // the children of all sites whose basins are asked for
            let ahead = needs.flows[l - 1].iter().flat_map(|&b| children_around(grid, b, flow::RINGS));
            let ahead = if l > 1 { blocks_of(ahead) } else { Vec::new() };
            needs.plans[l].extend(ahead);
            tidy(&mut needs.plans[l]);
            let parents = parts_around(grid, &needs.plans[l], plan::RINGS, true);
            needs.plans[l - 1].extend(blocks_of(parents.into_iter()));
            tidy(&mut needs.plans[l - 1]);
            needs.sites[l] = blocks_around(grid, &needs.plans[l], 2 * plan::RINGS + 1);
        }
        needs
    }
}

/// The blocks that all parts at most so many rings around some blocks of a level lie in.
pub(crate) fn blocks_around(grid: &Topology, blocks: &[Block], rings: u32) -> Vec<Block> {
    blocks_of(parts_around(grid, blocks, rings, false).into_iter())
}

/// The blocks that all parts at most so many rings around some parts of a level lie in.
pub(crate) fn blocks_near(grid: &Topology, parts: &[Part], rings: u32) -> Vec<Block> {
    let around = |part: &Part| {
        let rect = Rect { face: part.face, row: part.row, col: part.col, rows: 1, cols: 1 };
        let mut blocks: Vec<Block> =
            Mesh::around(grid, part.level, rect, rings).marks().into_iter().map(Block::of).collect();
        tidy(&mut blocks);
        blocks
    };
    let mut blocks: Vec<Block> = parts.par_iter().flat_map_iter(around).collect();
    tidy(&mut blocks);
    blocks
}

/// The world's cells that the waters of some blocks of a level come from: those of level 0 and under all sites, and
/// those under the sites from a level on.
pub(crate) fn cells(grid: &Topology, level: Level, blocks: &[Block], fine: Level) -> (Vec<Cell>, Vec<Cell>) {
    let needs = Needs::of(grid, level, blocks);
    let under = |block: &Block| {
        let (rect, above) = (block.rect(grid).parents(), Level(block.level.0 - 1));
        let parts = Mesh::around(grid, above, rect, plan::RINGS + 1).parts;
        let mut cells: Vec<Cell> = parts.into_iter().map(|p| grid.cell_of(p)).collect();
        cells.dedup();
        cells
    };
    let under_levels = |from: usize| {
        let plans: Vec<Block> = needs.plans.iter().skip(from.max(1)).flatten().copied().collect();
        let mut cells: Vec<Cell> = plans.par_iter().flat_map_iter(under).collect();
        let flows = needs.flows.iter().skip(from.max(1)).flatten();
        cells.extend(
            flows.flat_map(|&b| parts_around(grid, &[b], flow::RINGS, false)).map(|p| grid.cell_of(p)),
        );
        cells.par_sort_unstable();
        cells.dedup();
        cells
    };
    let mut coarse = under_levels(1);
    if level == Level(0) {
        coarse.extend(blocks.iter().flat_map(|b| b.rect(grid).parts(level)).map(|p| grid.cell_of(p)));
        coarse.sort_unstable();
    }
    (coarse, under_levels(usize::from(fine.0)))
}

/// The corner parts of all that lies around blocks, or around their parents, enough to name the blocks they lie in.
fn parts_around(grid: &Topology, blocks: &[Block], rings: u32, parents: bool) -> Vec<Part> {
    let of_block = |&block: &Block| {
        let (rect, level) = match parents {
            true => (block.rect(grid).parents(), Level(block.level.0 - 1)),
            false => (block.rect(grid), block.level),
        };
        Mesh::around(grid, level, rect, rings).marks()
    };
    let mut all: Vec<Part> = blocks.iter().flat_map(of_block).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn children_around(grid: &Topology, block: Block, rings: u32) -> Vec<Part> {
    let marks = Mesh::around(grid, block.level, block.rect(grid), rings).marks();
    let child = |p: Part| Part { level: Level(p.level.0 + 1), row: 2 * p.row, col: 2 * p.col, ..p };
    marks.into_iter().map(child).collect()
}

fn blocks_of(parts: impl Iterator<Item = Part>) -> Vec<Block> {
    let mut blocks: Vec<Block> = parts.map(Block::of).collect();
    tidy(&mut blocks);
    blocks
}

fn tidy(blocks: &mut Vec<Block>) {
    blocks.sort_unstable();
    blocks.dedup();
}
