//! Blocks: squares of sites that are kept together, and the smaller squares that are made at once.

use crate::primitives::Ball;
use grid::{Direction, Grid, Level, Part, Topology};

/// Sites along a side of a block.
pub(crate) const SIDE: u32 = 16;

/// Their parents along a side of a block.
const PARENTS: u32 = SIDE / 2;

/// Sites along a side of the squares of a block that are made at once.
pub(crate) const SQUARE: u32 = 4;

/// A block by its level, face, and row and column among the face's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Block {
    pub level: Level,
    pub face: u32,
    pub row: u32,
    pub col: u32,
}

/// A rectangle of parts on one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

    /// One part.
    pub fn of(part: Part) -> Self {
        Self { face: part.face, row: part.row, col: part.col, rows: 1, cols: 1 }
    }

    /// All parts of a face of so many rows and columns that are at most `rings` king's moves away.
    pub fn widened(self, rings: u32, (rows, cols): (u32, u32)) -> Self {
        let (row, col) = (self.row.saturating_sub(rings), self.col.saturating_sub(rings));
        Self {
            row,
            col,
            rows: (self.row + self.rows + rings).min(rows) - row,
            cols: (self.col + self.cols + rings).min(cols) - col,
            ..self
        }
    }

    /// The parts along one of the four sides.
    pub fn side(self, direction: Direction) -> Self {
        match direction.offset() {
            (-1, _) => Self { rows: 1, ..self },
            (1, _) => Self { row: self.row + self.rows - 1, rows: 1, ..self },
            (_, -1) => Self { cols: 1, ..self },
            _ => Self { col: self.col + self.cols - 1, cols: 1, ..self },
        }
    }

    /// The least rectangle around both, of one face.
    pub fn with(self, other: Self) -> Self {
        let (row, col) = (self.row.min(other.row), self.col.min(other.col));
        let rows = (self.row + self.rows).max(other.row + other.rows) - row;
        let cols = (self.col + self.cols).max(other.col + other.cols) - col;
        Self { row, col, rows, cols, ..self }
    }

    /// Its rows from the north.
    pub fn each_row(self) -> impl Iterator<Item = Self> {
        (0..self.rows).map(move |r| Self { row: self.row + r, rows: 1, ..self })
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

    /// The squares that the rectangle touches, on a face of so many rows and columns.
    pub fn squares(self, (rows, cols): (u32, u32)) -> impl Iterator<Item = Self> {
        let span = |from: u32, count: u32| from / SQUARE..=(from + count - 1) / SQUARE;
        let (down, along) = (span(self.row, self.rows), span(self.col, self.cols));
        let square = move |(r, c): (u32, u32)| {
            let (row, col) = (r * SQUARE, c * SQUARE);
            Self { row, col, rows: SQUARE.min(rows - row), cols: SQUARE.min(cols - col), ..self }
        };
        down.flat_map(move |r| along.clone().map(move |c| (r, c))).map(square)
    }

    /// The first part, of a level.
    pub fn first(self, level: Level) -> Part {
        Part { level, face: self.face, row: self.row, col: self.col }
    }

    /// Number of the square of a block that a part of it lies in, and that square.
    pub fn square(self, part: Part) -> (usize, Self) {
        let (r, c) = ((part.row - self.row) / SQUARE, (part.col - self.col) / SQUARE);
        let (row, col) = (self.row + r * SQUARE, self.col + c * SQUARE);
        let (rows, cols) = (SQUARE.min(self.row + self.rows - row), SQUARE.min(self.col + self.cols - col));
        ((r * (SIDE / SQUARE) + c) as usize, Self { row, col, rows, cols, ..self })
    }

    /// The rectangle of the parts of another level, no deeper than its own, over all of its parts.
    pub fn over(self, level: Level, above: Level) -> Self {
        (above.0..level.0).fold(self, |rect, _| rect.parents())
    }

    /// The rectangle of the parents of all parts.
    pub fn parents(self) -> Self {
        let (last_row, last_col) = ((self.row + self.rows - 1) / 2, (self.col + self.cols - 1) / 2);
        let (row, col) = (self.row / 2, self.col / 2);
        Self { face: self.face, row, col, rows: last_row - row + 1, cols: last_col - col + 1 }
    }
}

/// The level at which so many parts of another, a power of two, lie along the side of one part, or that of cells.
pub(crate) fn above(level: Level, side: u32) -> Level {
    Level(level.0.saturating_sub(side.ilog2() as u8))
}

impl Block {
    /// The block that a part lies in.
    pub fn of(part: Part) -> Self {
        Self { level: part.level, face: part.face, row: part.row / SIDE, col: part.col / SIDE }
    }

    /// The block that the children of a part lie in.
    pub fn of_children(parent: Part) -> Self {
        let level = Level(parent.level.0 + 1);
        Self { level, face: parent.face, row: parent.row / PARENTS, col: parent.col / PARENTS }
    }

    /// Place of a part among the parents of the block's parts, which lie in a rectangle, row by row.
    pub fn parent_index(self, rect: Rect, parent: Part) -> usize {
        let (row, col) = (parent.row - self.row * PARENTS, parent.col - self.col * PARENTS);
        (row * rect.cols.div_ceil(2) + col) as usize
    }

    /// The part of a coarser level that the block is, or of the first levels the cells that it touches, and that level.
    pub fn above(self, grid: &Topology) -> (Level, Rect) {
        let above = above(self.level, SIDE);
        (above, self.rect(grid).over(self.level, above))
    }

    /// The parts of the block; blocks at the end of a face may be smaller.
    pub fn rect(self, grid: &Topology) -> Rect {
        let (rows, cols) = grid.part_rows_cols(self.level);
        let (row, col) = (self.row * SIDE, self.col * SIDE);
        Rect { face: self.face, row, col, rows: SIDE.min(rows - row), cols: SIDE.min(cols - col) }
    }

    /// A ball around the middles of the block's parts, in metres.
    pub fn ball(self, grid: &Topology) -> Ball {
        let Rect { face, row, col, rows, cols } = self.rect(grid);
        let middle = Part { level: self.level, face, row: row + rows / 2, col: col + cols / 2 };
        let center = grid.within_part(middle, 0.5, 0.5) * grid.metres_per_unit();
        Ball { center, radius_m: f64::from(SIDE) * self.level.size(grid.cell_m()) }
    }
}
