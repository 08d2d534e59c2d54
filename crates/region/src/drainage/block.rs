//! Blocks: squares of sites that are computed and kept together.

use grid::{Level, Part, Topology};

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

    /// Whether a part of the rectangle lies at its rim.
    pub fn is_rim(&self, part: Part) -> bool {
        let ends = |at: u32, from: u32, count: u32| at == from || at + 1 == from + count;
        ends(part.row, self.row, self.rows) || ends(part.col, self.col, self.cols)
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

    /// The blocks that the rectangle touches at a level.
    pub fn blocks(self, level: Level) -> impl Iterator<Item = Block> {
        let span = |from: u32, count: u32| from / SIDE..=(from + count - 1) / SIDE;
        let (rows, cols) = (span(self.row, self.rows), span(self.col, self.cols));
        let face = self.face;
        rows.flat_map(move |row| cols.clone().map(move |col| Block { level, face, row, col }))
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
