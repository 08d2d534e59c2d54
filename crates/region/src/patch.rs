//! The part of a world that a region needs: the states of some cells and where they lie.

use grid::{Cell, Direction, Grid, Topology, Vec3};
use world::{CellSource, CellState, GatherError};

/// States of a set of cells, in the order of addresses.
pub(crate) struct Patch<'a> {
    pub grid: &'a Topology,
    cells: Vec<Cell>,
    states: Vec<CellState>,
}

impl<'a> Patch<'a> {
    /// Fetches the states of cells, which must be sorted and without repeats.
    pub fn fetch(source: &'a impl CellSource, cells: Vec<Cell>) -> Result<Self, GatherError> {
        let states = source.gather(&cells)?;
        Ok(Self { grid: source.grid(), cells, states })
    }

    /// The cells in the order of addresses.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The place of a cell among all, if it was fetched.
    pub fn index(&self, cell: Cell) -> Option<usize> {
        self.cells.binary_search(&cell).ok()
    }

    /// The state of a cell, if it was fetched.
    pub fn get(&self, cell: Cell) -> Option<&CellState> {
        self.index(cell).map(|i| &self.states[i])
    }

    /// Position of a cell's centre in metres.
    pub fn center_m(&self, cell: Cell) -> Vec3 {
        self.grid.center(cell) * self.grid.metres_per_unit()
    }

    /// Where a cell's water goes, with the direction.
    pub fn receiver(&self, cell: Cell) -> Option<(Direction, Cell)> {
        let direction = self.get(cell)?.receiver?;
        Some((direction, self.grid.neighbor(cell, direction)?))
    }

    /// The neighbours whose water comes here, each with its direction seen from here.
    pub fn inflows(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> + '_ {
        self.grid.neighbors(cell).filter(move |&(_, n)| self.receiver(n).is_some_and(|(_, r)| r == cell))
    }
}
