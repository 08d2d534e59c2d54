//! Worlds made up for tests: cells whose states are whatever a test wants.

use grid::{Cell, Draw, Flat, Globe, Grid, Nth, Purpose, RidgeDirections, Seed, Topology, Vec3};
use world::{CellSource, CellState, GatherError, Recipe, Waters};

/// A world of made-up cells.
pub(crate) struct Forged {
    pub grid: Topology,
    pub recipe: Recipe,
    pub states: Vec<CellState>,
}

impl CellSource for Forged {
    fn grid(&self) -> &Topology {
        &self.grid
    }
    fn recipe(&self) -> &Recipe {
        &self.recipe
    }
    fn gather(&self, cells: &[Cell]) -> Result<Vec<CellState>, GatherError> {
        Ok(cells.iter().map(|c| self.states[c.index()]).collect())
    }
    fn waters(&self) -> Result<Waters, GatherError> {
        Ok(Waters::default())
    }
}

/// Random numbers for a test.
pub(crate) fn draws(number: u32) -> Draw {
    let recipe = Recipe::preset("earthlike").expect("built in");
    Seed(recipe.seed).key(Purpose::new("test/region/forged")).at(Nth(number))
}

pub(crate) fn globe() -> Topology {
    Topology::Globe(Globe::new(16, 280_000.0 / std::f64::consts::TAU * 4.0).expect("a small globe"))
}

pub(crate) fn map() -> Topology {
    Topology::Flat(Flat::new(24, 18, 18_000.0).expect("a small map"))
}

/// Land without mountains.
pub(crate) fn plain() -> CellState {
    CellState {
        continentality: 0.5,
        mountain_height_m: 0.0,
        ridges: RidgeDirections::empty(),
        base_elevation_m: 300.0,
        water_level_m: 300.0,
        river_level_m: 300.0,
        channel_depth_m: 1.0,
        temperature_c: 10.0,
        rain_mm: 800.0,
        receiver: None,
        discharge_m3_s: 5.0,
        runoff_m3_s: 5.0,
        drainage_km2: 300.0,
        lake: None,
        river_order: 1,
    }
}

impl Forged {
    /// A grid of cells that are all alike.
    pub fn of(grid: Topology, state: CellState) -> Self {
        let recipe = Recipe::preset("earthlike").expect("built in");
        Self { states: vec![state; grid.len()], recipe, grid }
    }

    /// Mountains of random heights, ridges with answers from the neighbours, water that goes anywhere.
    pub fn random(grid: Topology, number: u32) -> Self {
        let mut draw = draws(number);
        let mut forged = Self::of(grid, plain());
        for state in &mut forged.states {
            state.mountain_height_m = if draw.unit() < 0.2 { 0.0 } else { draw.range(50.0, 5000.0) };
            state.base_elevation_m = draw.range(0.0, 800.0);
            state.discharge_m3_s = draw.range(0.1, 500.0);
        }
        for cell in forged.grid.cells() {
            let neighbors: Vec<_> = forged.grid.neighbors(cell).collect();
            forged.states[cell.index()].receiver =
                neighbors.get(draw.below(9) as usize).map(|(direction, _)| *direction);
            for (direction, _) in neighbors {
                if draw.unit() < 0.12 {
                    forged.link(cell, direction);
                }
            }
        }
        forged
    }

    /// Sets a ridge between two cells, on both sides.
    pub fn link(&mut self, cell: Cell, direction: grid::Direction) {
        let Some(step) = self.grid.step(cell, direction) else { return };
        self.states[cell.index()].ridges |= direction.into();
        self.states[step.cell.index()].ridges |= step.back.into();
    }

    /// A random place on the surface, in metres.
    pub fn place_m(&self, draw: &mut Draw) -> Vec3 {
        let cell = Cell(draw.below(self.grid.len() as u32));
        self.grid.within(cell, draw.unit(), draw.unit()) * self.grid.metres_per_unit()
    }
}
