//! Other ways to hold a world.

use grid::{Cell, Topology};
use world::{CellClimate, CellSource, CellState, GatherError, Recipe, Waters};

/// A world that is asked for its cells one by one, the last first, some of them twice.
pub struct Backwards<'a, S>(pub &'a S);

impl<S: CellSource> CellSource for Backwards<'_, S> {
    fn grid(&self) -> &Topology {
        self.0.grid()
    }

    fn recipe(&self) -> &Recipe {
        self.0.recipe()
    }

    fn gather(&self, cells: &[Cell]) -> Result<Vec<CellState>, GatherError> {
        let mut states = Vec::with_capacity(cells.len());
        for &cell in cells.iter().rev() {
            states.extend(self.0.gather(&[cell, cell])?.pop());
        }
        states.reverse();
        Ok(states)
    }

    fn climates(&self, cells: &[Cell]) -> Result<Vec<CellClimate>, GatherError> {
        let mut climates = Vec::with_capacity(cells.len());
        for &cell in cells.iter().rev() {
            climates.extend(self.0.climates(&[cell, cell])?.pop());
        }
        climates.reverse();
        Ok(climates)
    }

    fn basins(&self, cells: &[Cell]) -> Result<Vec<Option<u32>>, GatherError> {
        let mut basins = Vec::with_capacity(cells.len());
        for &cell in cells.iter().rev() {
            basins.extend(self.0.basins(&[cell, cell])?.pop());
        }
        basins.reverse();
        Ok(basins)
    }

    fn waters(&self) -> Result<Waters, GatherError> {
        self.0.waters()
    }
}
