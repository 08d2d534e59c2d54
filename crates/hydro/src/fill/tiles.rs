//! All tiles of a grid, and the graph that they make together.

use super::Ground;
use super::graph::{OUTSIDE, Pass};
use super::seams::Seams;
use super::tile::{self, Place, Tile, Worker};
use grid::{Direction, Grid, Shape};
use rayon::prelude::*;
use std::ops::Range;

/// The tiles in the order of faces, rows and columns.
pub(super) struct Tiles {
    pub shape: Shape,
    /// Tiles in a row and in a column of a face.
    across: usize,
    down: usize,
    all: Vec<Tile>,
    /// For each tile, the number of nodes before its first: node 0 is [`OUTSIDE`].
    base: Vec<u32>,
}

/// A cell by its place.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub face: u32,
    pub row: u32,
    pub col: u32,
}

impl Spot {
    /// The neighbour within the face. Past its border a row or column is out of range.
    pub(super) fn to(self, direction: Direction) -> Self {
        let (dr, dc) = direction.offset();
        let (row, col) = (self.row.wrapping_add_signed(dr as i32), self.col.wrapping_add_signed(dc as i32));
        Self { row, col, ..self }
    }
}

impl Tiles {
    pub(super) fn of(shape: Shape, ground: &Ground) -> Self {
        let across = (shape.cols as usize).div_ceil(tile::COLS);
        let down = (shape.rows as usize).div_ceil(tile::ROWS);
        let mut tiles = Self { shape, across, down, all: Vec::new(), base: Vec::new() };
        let all = 0..shape.faces as usize * across * down;
        let of_tile = |worker: &mut Worker, number| worker.tile(ground, tiles.place(number));
        let all: Vec<Tile> = all.into_par_iter().map_init(Worker::new, of_tile).collect();
        tiles.base = all
            .iter()
            .scan(0, |base, tile| {
                let own = *base;
                *base += tile.parts - 1;
                Some(own)
            })
            .collect();
        tiles.all = all;
        tiles
    }

    /// Face, rows and columns of a tile.
    pub(super) fn extent(&self, number: usize) -> (u32, Range<u32>, Range<u32>) {
        let (row, col) = (number / self.across % self.down * tile::ROWS, number % self.across * tile::COLS);
        let end = |start: usize, most: usize, side: u32| ((start + most) as u32).min(side);
        let rows = row as u32..end(row, tile::ROWS, self.shape.rows);
        let cols = col as u32..end(col, tile::COLS, self.shape.cols);
        ((number / self.across / self.down) as u32, rows, cols)
    }

    fn place(&self, number: usize) -> Place {
        let (face, rows, cols) = self.extent(number);
        let first = self.shape.join(face, rows.start, cols.start).index();
        Place { first, rows: rows.len(), cols: cols.len() }
    }

    /// The index of a cell.
    pub(super) fn index(&self, spot: Spot) -> usize {
        (spot.face as usize * self.shape.rows as usize + spot.row as usize) * self.shape.cols as usize
            + spot.col as usize
    }

    /// The node of a cell in the graph of all tiles.
    pub(super) fn node(&self, spot: Spot) -> u32 {
        let (row, col) = (spot.row as usize, spot.col as usize);
        let number = (spot.face as usize * self.down + row / tile::ROWS) * self.across + col / tile::COLS;
        let tile = &self.all[number];
        let label = tile.labels[row % tile::ROWS * tile::COLS + col % tile::COLS];
        node(self.base[number], u32::from(tile.part[usize::from(label)]))
    }

    /// The passes between nodes.
    pub(super) fn passes(&self, grid: &impl Grid, ground: &Ground) -> Vec<Pass> {
        let of_tile = |number: usize| {
            let (tile, base) = (&self.all[number], self.base[number]);
            let own = |p: &Pass| Pass { a: node(base, p.a), b: node(base, p.b), level: p.level };
            let mut seams = Seams { ground, tiles: self, passes: tile.passes.iter().map(own).collect() };
            seams.of_tile(grid, number);
            seams.passes
        };
        let passes: Vec<Vec<Pass>> = (0..self.all.len()).into_par_iter().map(of_tile).collect();
        passes.concat()
    }

    /// Number of nodes, [`OUTSIDE`] included.
    pub(super) fn nodes(&self) -> usize {
        1 + self.all.iter().map(|tile| tile.parts as usize - 1).sum::<usize>()
    }

    /// Raises a row of tiles to their levels; `filled` holds its rows of the map, which are the ground yet.
    pub(super) fn raise(&self, band: usize, levels: &[f32], z: &[f32], filled: &mut [f32]) {
        let numbers = band * self.across..(band + 1) * self.across;
        for number in numbers {
            let (tile, base) = (&self.all[number], self.base[number]);
            let (_, rows, cols) = self.extent(number);
            let of_label =
                |(&part, &rise): (&u16, &f32)| rise.max(levels[node(base, u32::from(part)) as usize]);
            let level: Vec<f32> = tile.part.iter().zip(&tile.rise).map(of_label).collect();
            for row in 0..rows.len() {
                let start = row * self.shape.cols as usize + cols.start as usize;
                let labels = &tile.labels[row * tile::COLS..][..cols.len()];
                let cells = filled[start..][..cols.len()].iter_mut().zip(&z[start..][..cols.len()]);
                for ((filled, &z), &label) in cells.zip(labels) {
                    let level = level[usize::from(label)];
                    *filled = if level > z { level } else { z };
                }
            }
        }
    }
}

fn node(base: u32, part: u32) -> u32 {
    if part == OUTSIDE { OUTSIDE } else { base + part }
}
