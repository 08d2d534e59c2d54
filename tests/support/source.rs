//! Other ways to hold a world.

use grid::{Cell, Topology};
use world::{CellSource, CellState, GatherError, Recipe};

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
}
