//! The passes between tiles.

use super::graph::Pass;
use super::tiles::Tiles;
use super::Ground;
use grid::{Cell, Direction, Grid, Shape};

/// Collects the passes of a tile over its seams.
pub(super) struct Seams<'a> {
    pub ground: &'a Ground<'a>,
    pub tiles: &'a Tiles,
    pub passes: Vec<Pass>,
}

impl Seams<'_> {
    /// The links of a tile to the tiles east and south of it in its face, and over the border of the face.
    pub(super) fn of_tile(&mut self, grid: &impl Grid, number: usize) {
        let shape = self.tiles.shape;
        let (face, rows, cols) = self.tiles.extent(number);
        if cols.end < shape.cols {
            for row in rows.clone() {
                self.side(face, (row, cols.end - 1), Direction::E);
                if row + 1 < shape.rows {
                    self.corner(face, (row, cols.end - 1), Direction::SE);
                    self.corner(face, (row, cols.end), Direction::SW);
                }
            }
        }
        if rows.end < shape.rows {
            for col in cols.clone() {
                self.side(face, (rows.end - 1, col), Direction::S);
                // The corners of a tile have been met along the column.
                if col + 1 < cols.end {
                    self.corner(face, (rows.end - 1, col), Direction::SE);
                    self.corner(face, (rows.end - 1, col + 1), Direction::SW);
                }
            }
        }
        for (at, is_rim) in [(rows.start, 0), (rows.end - 1, shape.rows - 1)] {
            if at == is_rim {
                cols.clone().for_each(|col| self.over_border(grid, shape.join(face, at, col)));
            }
        }
        for (at, is_rim) in [(cols.start, 0), (cols.end - 1, shape.cols - 1)] {
            if at == is_rim {
                rows.clone().for_each(|row| self.over_border(grid, shape.join(face, row, at)));
            }
        }
    }

    /// A side is always a link.
    fn side(&mut self, face: u32, (row, col): (u32, u32), direction: Direction) {
        let shape = self.tiles.shape;
        let from = shape.join(face, row, col);
        self.push(from, within(shape, from, direction));
    }

    /// A corner counts only where no way over a side beside it is as low.
    fn corner(&mut self, face: u32, (row, col): (u32, u32), direction: Direction) {
        let shape = self.tiles.shape;
        let from = shape.join(face, row, col);
        let to = within(shape, from, direction);
        let z = |cell: Cell| self.ground.z[cell.index()];
        let pass = z(from).max(z(to));
        let beside = [7, 1].map(|turn| z(within(shape, from, direction.turned(turn))));
        if beside.iter().all(|&z| z.is_nan() || z > pass) && self.is_link(from, direction) {
            self.push(from, to);
        }
    }

    fn is_link(&self, cell: Cell, direction: Direction) -> bool {
        self.ground.links.is_none_or(|links| links[cell.index()] >> direction.index() & 1 == 1)
    }

    /// The links of a cell at the rim of its face that leave it there. Each is met from both ends.
    fn over_border(&mut self, grid: &impl Grid, cell: Cell) {
        let Shape { rows, cols, .. } = self.tiles.shape;
        let (_, row, col) = self.tiles.shape.split(cell);
        for direction in Direction::ALL {
            let (dr, dc) = direction.offset();
            let stays = (0..i64::from(rows)).contains(&(i64::from(row) + dr))
                && (0..i64::from(cols)).contains(&(i64::from(col) + dc));
            if stays || !self.is_link(cell, direction) {
                continue;
            }
            if let Some(other) = grid.neighbor(cell, direction).filter(|&other| cell < other) {
                self.push(cell, other);
            }
        }
    }

    fn push(&mut self, from: Cell, to: Cell) {
        let (z, other) = (self.ground.z[from.index()], self.ground.z[to.index()]);
        if z.is_nan() || other.is_nan() {
            return;
        }
        let (a, b, level) = (self.tiles.node(from), self.tiles.node(to), z.max(other) + 0.0);
        match self.passes.last_mut() {
            _ if a == b => {}
            Some(last) if (last.a, last.b) == (a, b) => last.level = last.level.min(level),
            _ => self.passes.push(Pass { a, b, level }),
        }
    }
}

/// The neighbour within the face.
fn within(shape: Shape, cell: Cell, direction: Direction) -> Cell {
    let (dr, dc) = direction.offset();
    Cell(cell.0.wrapping_add_signed((dr * i64::from(shape.cols) + dc) as i32))
}
