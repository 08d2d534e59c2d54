//! Neighbours that are known to exist, by address: on most grids at fixed offsets.

use crate::stencil::Stencil;
use grid::{Cell, Direction, Grid};

/// Steps to neighbours that exist.
pub(crate) struct Neighbors<'a, G> {
    grid: &'a G,
    stencil: Stencil,
    offsets: [i32; 8],
    /// Whether every neighbour lies at its offset: one face that does not close on itself.
    is_plain: bool,
}

impl<'a, G: Grid> Neighbors<'a, G> {
    pub(crate) fn of(grid: &'a G) -> Self {
        let shape = grid.shape();
        let cols = i64::from(shape.cols);
        let offsets = Direction::ALL.map(|d| {
            let (dr, dc) = d.offset();
            (dr * cols + dc) as i32
        });
        let mut it = Self { grid, stencil: Stencil::new(shape), offsets, is_plain: false };
        it.is_plain = shape.faces == 1 && rim(shape).all(|cell| it.has_offsets(cell));
        it
    }

    /// Where every neighbour of any cell lies, if they all lie alike: change of address by direction.
    pub(crate) fn plain_offsets(&self) -> Option<[i32; 8]> {
        self.is_plain.then_some(self.offsets)
    }

    /// Change of address by direction, within a face.
    pub(crate) fn offsets(&self) -> [i32; 8] {
        self.offsets
    }

    /// Whether all neighbours of a cell that exist lie at their offsets.
    fn has_offsets(&self, cell: Cell) -> bool {
        Direction::ALL.into_iter().all(|d| {
            self.grid
                .neighbor(cell, d)
                .is_none_or(|n| n.0 == cell.0.wrapping_add_signed(self.offsets[d.index()]))
        })
    }

    /// The neighbour in a direction in which there is one.
    #[inline(always)]
    pub(crate) fn step(&self, cell: u32, direction: u8) -> u32 {
        if self.is_plain || self.stencil.is_inner(Cell(cell)) {
            cell.wrapping_add_signed(self.offsets[usize::from(direction & 7)])
        } else {
            let there = self.grid.neighbor(Cell(cell), Direction::from_index(direction));
            there.expect("only directions with a neighbour are asked for").0
        }
    }
}

/// The cells at the rim of the faces.
fn rim(shape: grid::Shape) -> impl Iterator<Item = Cell> {
    let (rows, cols) = (shape.rows, shape.cols);
    (0..shape.faces).flat_map(move |face| {
        (0..rows).flat_map(move |row| {
            let step = if row == 0 || row + 1 == rows { 1 } else { cols.max(2) - 1 };
            (0..cols).step_by(step as usize).map(move |col| shape.join(face, row, col))
        })
    })
}
