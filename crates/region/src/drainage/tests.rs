//! The drainage of a simulated world, level by level.

mod apexes;
mod blocks;
mod divides;
mod great;
mod ground;
mod links;
mod mouths;
mod nesting;
mod pieces;
mod plain;
mod runoff;
mod support;

use super::block::Block;
use super::coarse::Cells;
use super::flow::Water;
use super::levels::Drainage;
use super::plan::{NOWHERE, Spot};
use crate::drained::Lands;
use crate::patch::Patch;
use grid::{Cell, Direction, Grid, Level, Part, Seed, Topology};
use std::sync::{Arc, OnceLock};
use world::{CellSource, Recipe, World, simulate};

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let recipe = Recipe::preset("small").expect("built in");
        simulate(&recipe, &|_, _| {}).expect("the recipe is sound")
    })
}

/// Runs something on the drainage of a level.
fn drained<R>(level: Level, run: impl FnOnce(&Drainage<Cells, Lands>) -> R) -> R {
    let world = world();
    let grid = world.grid();
    let patch = Patch::fetch(world, grid.cells().collect()).expect("in memory");
    let seed = Seed(world.recipe.seed);
    let waters = world.waters().expect("in memory");
    let lands = Lands::new(&patch, seed, &waters);
    let coarse = Cells::new(&patch, seed);
    run(&Drainage::new(lands.planner(seed), &coarse, &lands, level, Arc::default()))
}

/// A block of a level in which a cell lies.
fn block_at(grid: &Topology, level: Level, cell: Cell) -> Block {
    let (face, row, col) = grid.shape().split(cell);
    Block::of(Part { level, face, row: row << level.0, col: col << level.0 })
}

/// Land cells of many kinds: each a step apart in the order of addresses.
fn some_land(count: usize) -> Vec<Cell> {
    let land: Vec<Cell> = world().grid.cells().filter(|&c| world().continentality[c] > 0.0).collect();
    land.iter().copied().step_by(land.len() / count).collect()
}

fn receiver(grid: &Topology, part: Part, spot: &Spot) -> Option<Part> {
    let direction = (spot.receiver != NOWHERE).then(|| Direction::from_index(spot.receiver))?;
    Some(grid.step_part(part, direction).expect("receivers exist").0)
}

#[test]
fn everything_is_a_number_and_runs_down_and_adds_up() {
    let grid = world().grid();
    for level in [1, 2, 3, 5, 7].map(Level) {
        for cell in some_land(6) {
            let block = block_at(grid, level, cell);
            drained(level, |drainage| {
                let (spots, waters) = (drainage.spots(level), drainage.waters(level));
                let near = block.rect(grid).parts(level);
                for part in near {
                    let (spot, water) = (spots(part), waters(part));
                    let Water {
                        area_m2,
                        discharge_m3_s,
                        surface_m,
                        depth_m,
                        own_area_m2,
                        own_runoff_m3_s,
                        ..
                    } = water;
                    let all = [area_m2, discharge_m3_s, surface_m, depth_m, own_area_m2, own_runoff_m3_s];
                    assert!(all.iter().all(|v| v.is_finite()), "{part:?} {water:?} {spot:?}");
                    let Some(to) = receiver(grid, part, &spot) else {
                        assert!(spot.sea || spot.trunk, "{part:?} {spot:?}");
                        continue;
                    };
                    let below = waters(to);
                    assert!(below.surface_m <= surface_m, "{part:?} {surface_m} {}", below.surface_m);
                    assert!(below.depth_m >= depth_m, "{part:?} {depth_m} {}", below.depth_m);
                }
            });
        }
    }
}
