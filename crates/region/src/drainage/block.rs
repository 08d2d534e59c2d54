//! Blocks: squares of sites that are computed and kept together.

use grid::{Level, Part, Topology};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Sites along a side of a block.
pub(crate) const SIDE: u32 = 16;

/// A block by its level, face, and row and column among the face's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Block {
    pub level: Level,
    pub face: u32,
    pub row: u32,
    pub col: u32,
}

/// A rectangle of parts on one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub face: u32,
    pub row: u32,
    pub col: u32,
    pub rows: u32,
    pub cols: u32,
}

impl Rect {
    /// Place of a part in the rectangle, row by row.
    pub fn index(&self, part: Part) -> Option<usize> {
        let (r, c) = (part.row.wrapping_sub(self.row), part.col.wrapping_sub(self.col));
        (part.face == self.face && r < self.rows && c < self.cols).then(|| (r * self.cols + c) as usize)
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.rows as usize * self.cols as usize
    }

    /// The parts of a level, row by row.
    pub fn parts(self, level: Level) -> impl Iterator<Item = Part> {
        let part = move |r, c| Part { level, face: self.face, row: self.row + r, col: self.col + c };
        (0..self.rows).flat_map(move |r| (0..self.cols).map(move |c| part(r, c)))
    }

    /// The rectangle of the parents of all parts.
    pub fn parents(self) -> Self {
        let (last_row, last_col) = ((self.row + self.rows - 1) / 2, (self.col + self.cols - 1) / 2);
        let (row, col) = (self.row / 2, self.col / 2);
        Self { face: self.face, row, col, rows: last_row - row + 1, cols: last_col - col + 1 }
    }
}

impl Block {
    /// The block that a part lies in.
    pub fn of(part: Part) -> Self {
        Self { level: part.level, face: part.face, row: part.row / SIDE, col: part.col / SIDE }
    }

    /// The parts of the block; blocks at the end of a face may be smaller.
    pub fn rect(self, grid: &Topology) -> Rect {
        let (rows, cols) = grid.part_rows_cols(self.level);
        let (row, col) = (self.row * SIDE, self.col * SIDE);
        Rect { face: self.face, row, col, rows: SIDE.min(rows - row), cols: SIDE.min(cols - col) }
    }
}

/// Something for each part of some blocks of a level, row by row in each block.
pub(crate) struct Blocks<T>(pub BTreeMap<Block, Vec<T>>);

impl<T> Blocks<T> {
    /// Of no block.
    pub fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// A reader, quick where parts that are asked one after the other lie in one block.
    pub fn reader<'a>(&'a self, grid: &'a Topology) -> Reader<'a, T> {
        Reader { blocks: self, grid, last: Cell::new(None) }
    }
}

/// Reads what blocks hold.
pub(crate) struct Reader<'a, T> {
    blocks: &'a Blocks<T>,
    grid: &'a Topology,
    last: Cell<Option<(Block, Rect, &'a [T])>>,
}

impl<'a, T> Reader<'a, T> {
    /// What is held for a part, which must lie in one of the blocks.
    pub fn get(&self, part: Part) -> &'a T {
        let block = Block::of(part);
        let (rect, values) = match self.last.get() {
            Some((last, rect, values)) if last == block => (rect, values),
            _ => {
                let values = self.blocks.0.get(&block).expect("blocks are made before they are read");
                let rect = block.rect(self.grid);
                self.last.set(Some((block, rect, values)));
                (rect, values.as_slice())
            }
        };
        &values[rect.index(part).expect("a block holds its parts")]
    }
}
