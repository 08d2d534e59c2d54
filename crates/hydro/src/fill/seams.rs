//! The passes between tiles.

use super::Ground;
use super::graph::Pass;
use super::tiles::{Spot, Tiles};
use grid::{Direction, Grid};

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
        let at = |row, col| Spot { face, row, col };
        if cols.end < shape.cols {
            for row in rows.clone() {
                self.side(at(row, cols.end - 1), Direction::E);
            }
            for row in (rows.start..rows.end).filter(|row| row + 1 < shape.rows) {
                self.corner(at(row, cols.end - 1), Direction::SE);
                self.corner(at(row, cols.end), Direction::SW);
            }
        }
        if rows.end < shape.rows {
            for col in cols.clone() {
                self.side(at(rows.end - 1, col), Direction::S);
            }
            // The corners of tiles have been met along the columns.
            for col in cols.start..cols.end - 1 {
                self.corner(at(rows.end - 1, col), Direction::SE);
                self.corner(at(rows.end - 1, col + 1), Direction::SW);
            }
        }
        for (row, _) in [(rows.start, 0), (rows.end - 1, shape.rows - 1)].iter().filter(|(at, rim)| at == rim)
        {
            cols.clone().for_each(|col| self.over_border(grid, at(*row, col)));
        }
        for (col, _) in [(cols.start, 0), (cols.end - 1, shape.cols - 1)].iter().filter(|(at, rim)| at == rim)
        {
            rows.clone().for_each(|row| self.over_border(grid, at(row, *col)));
        }
    }

    /// A side is always a link.
    fn side(&mut self, from: Spot, direction: Direction) {
        self.push(from, from.to(direction));
    }

    /// A corner counts only where no way over a side beside it is as low.
    fn corner(&mut self, from: Spot, direction: Direction) {
        let z = |spot: Spot| self.ground.z[self.tiles.index(spot)];
        let to = from.to(direction);
        let pass = z(from).max(z(to));
        let beside = [7, 1].map(|turn| z(from.to(direction.turned(turn))));
        if beside.iter().all(|&z| z.is_nan() || z > pass) && self.is_link(self.tiles.index(from), direction) {
            self.push(from, to);
        }
    }

    fn is_link(&self, index: usize, direction: Direction) -> bool {
        self.ground.links.is_none_or(|links| links[index] >> direction.index() & 1 == 1)
    }

    /// The links of a cell at the rim of its face that leave it there. Each is met from both ends.
    fn over_border(&mut self, grid: &impl Grid, from: Spot) {
        let shape = self.tiles.shape;
        let cell = shape.join(from.face, from.row, from.col);
        for direction in Direction::ALL {
            let to = from.to(direction);
            if (to.row < shape.rows && to.col < shape.cols) || !self.is_link(cell.index(), direction) {
                continue;
            }
            if let Some(other) = grid.neighbor(cell, direction).filter(|&other| cell < other) {
                let (face, row, col) = shape.split(other);
                self.push(from, Spot { face, row, col });
            }
        }
    }

    fn push(&mut self, from: Spot, to: Spot) {
        let [z, other] = [from, to].map(|spot| self.ground.z[self.tiles.index(spot)]);
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
