//! The part of a world that a region needs: the states of some cells and where they lie.

use grid::{Cell, Direction, Grid, Topology, Vec3};
use world::{CellSource, CellState, GatherError};

/// States of a set of cells, in the order of addresses.
pub(crate) struct Patch<'a> {
    pub grid: &'a Topology,
    cells: Vec<Cell>,
    states: Vec<CellState>,
    places: Vec<Places>,
}

/// The places of a face's cells among all.
struct Places {
    face: u32,
    /// The first row and column of a box around the cells, and how many columns it has.
    first: (u32, u32),
    cols: u32,
    /// Row by row; [`NONE`] of cells that are not there.
    index: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Places {
    /// For each face that has some of the cells.
    fn of(grid: &Topology, cells: &[Cell]) -> Vec<Self> {
        let shape = grid.shape();
        let mut all = Vec::new();
        let mut from = 0;
        for face in cells.chunk_by(|a, b| shape.split(*a).0 == shape.split(*b).0) {
            let at = || face.iter().map(|&c| shape.split(c));
            let (rows, cols) = (at().map(|p| p.1), at().map(|p| p.2));
            let (low, high) = (cols.clone().min().unwrap_or(0), cols.max().unwrap_or(0));
            let (top, bottom) = (rows.clone().min().unwrap_or(0), rows.max().unwrap_or(0));
            let cols = high - low + 1;
            let mut index = vec![NONE; ((bottom - top + 1) * cols) as usize];
            for (k, (_, row, col)) in (from..).zip(at()) {
                index[((row - top) * cols + col - low) as usize] = k;
            }
            from += face.len() as u32;
            all.push(Self { face: shape.split(face[0]).0, first: (top, low), cols, index });
        }
        all
    }

    fn at(&self, row: u32, col: u32) -> Option<usize> {
        let (row, col) = (row.checked_sub(self.first.0)?, col.checked_sub(self.first.1)?);
        let k = if col < self.cols { *self.index.get((row * self.cols + col) as usize)? } else { NONE };
        (k != NONE).then_some(k as usize)
    }
}

impl<'a> Patch<'a> {
    /// Fetches the states of cells, which must be sorted and without repeats.
    pub fn fetch(source: &'a impl CellSource, cells: Vec<Cell>) -> Result<Self, GatherError> {
        let states = source.gather(&cells)?;
        let places = Places::of(source.grid(), &cells);
        Ok(Self { grid: source.grid(), cells, states, places })
    }

    /// The cells in the order of addresses.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The place of a cell among all, if it was fetched.
    pub fn index(&self, cell: Cell) -> Option<usize> {
        let (face, row, col) = self.grid.shape().split(cell);
        self.places.iter().find(|p| p.face == face)?.at(row, col)
    }

    /// The places of the cells at most so many king's moves from one, as far as they were fetched, in the order of
    /// addresses.
    pub fn halo(&self, cell: Cell, rings: usize) -> Vec<usize> {
        match self.rows_around(cell, rings) {
            Some(rows) => rows.flatten().filter(|&&k| k != NONE).map(|&k| k as usize).collect(),
            None => self.grid.halo(cell, rings).into_iter().filter_map(|c| self.index(c)).collect(),
        }
    }

    /// Whether all cells at most so many king's moves from one were fetched.
    pub fn holds_halo(&self, cell: Cell, rings: usize) -> bool {
        match self.rows_around(cell, rings) {
            Some(mut rows) => rows.all(|row| !row.contains(&NONE)),
            None => self.grid.halo(cell, rings).into_iter().all(|c| self.index(c).is_some()),
        }
    }

    /// The places of a square of cells row by row, where it lies within the box of one face.
    fn rows_around(&self, cell: Cell, rings: usize) -> Option<impl Iterator<Item = &[u32]>> {
        let (face, row, col) = self.grid.shape().split(cell);
        let of = self.places.iter().find(|p| p.face == face)?;
        let (rings, cols) = (u32::try_from(rings).ok()?, of.cols);
        let first = row.checked_sub(of.first.0)?.checked_sub(rings)?;
        let from = col.checked_sub(of.first.1)?.checked_sub(rings)?;
        let side = 2 * rings + 1;
        let fits = from + side <= cols && ((first + side) * cols) as usize <= of.index.len();
        let row = move |r: u32| &of.index[((first + r) * cols + from) as usize..][..side as usize];
        fits.then(|| (0..side).map(row))
    }

    /// The state of a cell, if it was fetched.
    pub fn get(&self, cell: Cell) -> Option<&CellState> {
        self.index(cell).map(|i| &self.states[i])
    }

    /// The state of the cell at a place among all.
    pub fn at(&self, place: usize) -> &CellState {
        &self.states[place]
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
