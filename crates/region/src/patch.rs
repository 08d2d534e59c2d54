//! The part of a world that a region needs: the states of some cells and where they lie.

use grid::{Cell, Direction, Grid, Topology, Vec3};
use std::ops::Range;
use world::{CellSource, CellState, GatherError, Recipe, evenness};

/// States of a set of cells, in the order of addresses.
pub(crate) struct Patch<'a> {
    pub grid: &'a Topology,
    cells: Vec<Cell>,
    states: Vec<CellState>,
    places: Vec<Places>,
    /// How even the world is from cell to cell: see [`world::evenness`].
    pub evenness: f64,
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

/// Mean height of mountains as a share of their summits', as refinement makes them: 0.37 to 0.46 in ranges of made worlds.
const MEAN_SHARE: f64 = 0.4;

/// Mean height and summits of the land of a cell as refinement makes it, in metres, from its base and the height of mountains that a world
/// of such a recipe holds: their summits', or, of an imported world, their mean height.
///
/// # Examples
/// ```
/// let recipe = world::Recipe::preset("small").expect("built in");
/// assert_eq!(region::mean_and_summit_m(&recipe, (500.0, 2000.0)), (1300.0, 2500.0));
/// ```
pub fn mean_and_summit_m(recipe: &Recipe, (base_m, mountain_m): (f64, f64)) -> (f64, f64) {
    let mountain_m = mountain_m.max(0.0);
    let (mean_m, summit_m) = match recipe.import {
        Some(_) => (mountain_m, mountain_m / MEAN_SHARE),
        None => (MEAN_SHARE * mountain_m, mountain_m),
    };
    (base_m + mean_m, base_m + summit_m)
}

/// The states of cells as refinement takes them: mountains as high as their summits, with the temperatures there. Imported worlds
/// hold the mean heights of a raster, above which summits rise.
pub(crate) fn gather(source: &impl CellSource, cells: &[Cell]) -> Result<Vec<CellState>, GatherError> {
    let mut states = source.gather(cells)?;
    let recipe = source.recipe();
    if recipe.import.is_some() {
        let lapse_c_m = recipe.climate.lapse_c_m();
        for state in &mut states {
            let mean_m = state.mountain_height_m;
            state.mountain_height_m = mean_m / MEAN_SHARE;
            state.temperature_c -= lapse_c_m * (state.mountain_height_m - mean_m);
        }
    }
    Ok(states)
}

/// What is there of a square of cells of one face: rows and columns of the box around that face's cells.
struct RowsAround<'a> {
    of: &'a Places,
    rows: Range<u32>,
    cols: Range<u32>,
    /// Whether the whole square lies within the box.
    whole: bool,
}

impl<'a> RowsAround<'a> {
    fn rows(&self) -> impl Iterator<Item = &'a [u32]> + use<'a> {
        let (of, cols) = (self.of, self.cols.clone());
        self.rows.clone().map(move |r| {
            let first = (r * of.cols) as usize;
            &of.index[first + cols.start as usize..first + cols.end as usize]
        })
    }
}

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
        let (grid, states) = (source.grid(), gather(source, &cells)?);
        let places = Places::of(grid, &cells);
        Ok(Self { grid, cells, states, places, evenness: evenness(grid, source.recipe()) })
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
        self.halo_where(cell, rings, |_| true)
    }

    /// Those of them that are wanted.
    pub fn halo_where(&self, cell: Cell, rings: usize, wants: impl Fn(usize) -> bool) -> Vec<usize> {
        let Some(around) = self.rows_around(cell, rings) else {
            let all = self.grid.halo(cell, rings).into_iter().filter_map(|c| self.index(c));
            return all.filter(|&k| wants(k)).collect();
        };
        let mut all = Vec::with_capacity((2 * rings + 1).pow(2) / 2);
        for row in around.rows() {
            all.extend(row.iter().filter(|&&k| k != NONE).map(|&k| k as usize).filter(|&k| wants(k)));
        }
        all
    }

    /// Whether all cells at most so many king's moves from one were fetched.
    pub fn holds_halo(&self, cell: Cell, rings: usize) -> bool {
        match self.rows_around(cell, rings) {
            Some(around) => around.whole && around.rows().all(|row| !row.contains(&NONE)),
            None => self.grid.halo(cell, rings).into_iter().all(|c| self.index(c).is_some()),
        }
    }

    /// The places of a square of cells row by row, where it lies on one face that some were fetched of.
    fn rows_around(&self, cell: Cell, rings: usize) -> Option<RowsAround<'_>> {
        let shape = self.grid.shape();
        let (face, row, col) = shape.split(cell);
        let rings = u32::try_from(rings).ok()?;
        let (top, left) = (row.checked_sub(rings)?, col.checked_sub(rings)?);
        let (bottom, right) = (row + rings + 1, col + rings + 1);
        if bottom > shape.rows || right > shape.cols {
            return None;
        }
        let of = self.places.iter().find(|p| p.face == face)?;
        let held = |from: u32, end: u32, first: u32, count: u32| {
            from.max(first) - first..end.clamp(first, first + count) - first
        };
        let rows = held(top, bottom, of.first.0, of.index.len() as u32 / of.cols);
        let cols = held(left, right, of.first.1, of.cols);
        let side = 2 * rings as usize + 1;
        Some(RowsAround { of, whole: rows.len() == side && cols.len() == side, rows, cols })
    }

    /// The places of a cell's neighbours, clockwise from north; [`NONE`] where there is none or it was not fetched.
    fn around(&self, cell: Cell) -> [u32; 8] {
        let shape = self.grid.shape();
        let (face, row, col) = shape.split(cell);
        if row == 0 || col == 0 || row + 1 >= shape.rows || col + 1 >= shape.cols {
            let place = |d| self.index(self.grid.neighbor(cell, d)?);
            return Direction::ALL.map(|d| place(d).map_or(NONE, |k| k as u32));
        }
        let Some(of) = self.places.iter().find(|p| p.face == face) else { return [NONE; 8] };
        Direction::ALL.map(|d| {
            let (dr, dc) = d.offset();
            let (row, col) = ((i64::from(row) + dr) as u32, (i64::from(col) + dc) as u32);
            of.at(row, col).map_or(NONE, |k| k as u32)
        })
    }

    /// The places of the neighbours of a cell that were fetched, clockwise from north, each with its direction.
    pub fn beside(&self, cell: Cell) -> impl Iterator<Item = (Direction, usize)> + use<> {
        let around = Direction::ALL.into_iter().zip(self.around(cell));
        around.filter(|&(_, k)| k != NONE).map(|(d, k)| (d, k as usize))
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

    /// The place of the cell that the water of the one at a place goes to, if that was fetched.
    pub fn receiver_of(&self, place: usize) -> Option<usize> {
        let (cell, direction) = (self.cells[place], self.states[place].receiver?);
        let shape = self.grid.shape();
        let (face, row, col) = shape.split(cell);
        if row == 0 || col == 0 || row + 1 >= shape.rows || col + 1 >= shape.cols {
            return self.index(self.grid.neighbor(cell, direction)?);
        }
        let (dr, dc) = direction.offset();
        let of = self.places.iter().find(|p| p.face == face)?;
        of.at((i64::from(row) + dr) as u32, (i64::from(col) + dc) as u32)
    }

    /// The neighbours whose water comes here, each with its direction seen from here.
    pub fn inflows(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> + '_ {
        let own = self.index(cell);
        let drains = move |&(_, n): &(Direction, usize)| match own {
            Some(own) => self.receiver_of(n) == Some(own),
            None => self.receiver(self.cells[n]).is_some_and(|(_, r)| r == cell),
        };
        self.beside(cell).filter(drains).map(|(d, n)| (d, self.cells[n]))
    }
}
