//! The network of streams, put together from the pieces of all bands.

use super::Error;
use crate::cut::areas::Areas;
use crate::cut::joints::Load;
use grid::{Cell, Direction, Grid, Shape};

/// In place of an address or of an index.
pub(super) const NOTHING: u32 = u32::MAX;

/// A piece of a stream within one band.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub first: u32,
    /// Streams that come into its first cell: with one of them it goes on from a piece of another band.
    pub inflows: u8,
    /// Where its steps begin among all.
    pub steps_from: u64,
    pub last: u32,
    /// The cell that its last step leads to; [`NOTHING`] where the water ends.
    pub to: u32,
    /// What passes its last cell.
    pub load: Load,
    /// Level of the filled surface.
    pub first_m: f32,
    pub last_m: f32,
    pub basin: u32,
}

/// A stream from a head or a junction to the next junction, or to where the water ends.
///
/// A junction, a stream cell with two inflows or more, is the first cell of the reach below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// A head or a junction.
    pub first: Cell,
    /// The cell before the next junction, or the mouth.
    pub last: Cell,
    /// Number of cells from the first to the last.
    pub cell_count: u32,
    /// Strahler's order.
    pub order: u8,
    /// Number of heads upstream (Shreve 1966), itself counted if it begins at one.
    pub magnitude: u32,
    /// Index of the reach below; `None` at a mouth.
    pub downstream: Option<u32>,
    /// Number of reaches that flow in at its first cell.
    pub upstream_count: u8,
    /// Metres along its cells, as far as the first cell of the reach below.
    pub length_m: f64,
    /// Fall of the filled surface between the same ends, in metres.
    pub drop_m: f64,
    /// Number of cells drained at its last cell.
    pub accumulation: u32,
    /// Area drained at its last cell in square metres.
    pub area_m2: f64,
    /// Number of its basin, from 1.
    pub basin: u32,
    /// Its first piece.
    piece: u32,
}

impl Reach {
    /// Fall per length; 0 for a reach of one cell that ends there.
    pub fn slope(&self) -> f64 {
        if self.length_m > 0.0 { self.drop_m / self.length_m } else { 0.0 }
    }
}

/// All streams of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// By the address of their first cells.
    pub reaches: Vec<Reach>,
    shape: Shape,
    pieces: Vec<Piece>,
    /// Of each piece: that which goes on from it, or [`NOTHING`].
    next: Vec<u32>,
    steps: Vec<u8>,
}

/// Pieces as they come from the bands, from north to south.
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    steps: Vec<u8>,
    limit: usize,
}

/// Bytes that each piece takes at most: itself twice while the list of pieces grows, where it goes on, and its reach.
pub(super) const PIECE_BYTES: usize = 2 * size_of::<Piece>() + 4 + size_of::<Reach>();

impl Pieces {
    /// `limit` in bytes of all that the network will take.
    pub fn new(limit: usize) -> Self {
        Self { pieces: Vec::new(), steps: Vec::new(), limit }
    }

    /// Takes the pieces of the next band to the south.
    pub fn take(&mut self, pieces: Vec<Piece>, steps: &[u8], row: u32) -> Result<(), Error> {
        let before = self.steps.len() as u64;
        let count = self.pieces.len() + pieces.len();
        // Lists that grow are up to twice as long as they must be.
        let bytes = count * PIECE_BYTES + 2 * (self.steps.len() + steps.len());
        if bytes > self.limit {
            return Err(Error::TooManyStreams { row, bytes, limit: self.limit });
        }
        self.pieces.extend(pieces.into_iter().map(|p| Piece { steps_from: p.steps_from + before, ..p }));
        self.steps.extend_from_slice(steps);
        Ok(())
    }

    /// Puts the pieces together.
    pub fn join(self, grid: &impl Grid, areas: &Areas) -> Network {
        let find = |address: u32| self.pieces.binary_search_by_key(&address, |p| p.first).ok();
        let goes_on = |p: &Piece| match find(p.to) {
            Some(to) if self.pieces[to].inflows == 1 => to as u32,
            _ => NOTHING,
        };
        let next = self.pieces.iter().map(goes_on).collect();
        let mut network = Network {
            reaches: Vec::new(),
            shape: grid.shape(),
            pieces: self.pieces,
            next,
            steps: self.steps,
        };
        network.make_reaches(grid, areas);
        network.link();
        network.put_in_order();
        network
    }
}

impl Network {
    /// The cells of a reach, from its first to its last.
    pub fn cells(&self, reach: usize) -> impl Iterator<Item = Cell> {
        self.line(reach).take(self.reaches[reach].cell_count as usize)
    }

    /// The cells of a reach, and after them the first of the reach below if there is one.
    pub fn line(&self, reach: usize) -> impl Iterator<Item = Cell> {
        let mut at = self.reaches[reach].first;
        let steps = self.steps_of(self.reaches[reach].piece).map(move |step| {
            at = self.after(at, step);
            at
        });
        std::iter::once(self.reaches[reach].first).chain(steps)
    }

    /// The steps of a reach, by its first piece.
    fn steps_of(&self, first: u32) -> impl Iterator<Item = u8> {
        let pieces = std::iter::successors(Some(first), |&piece| {
            Some(self.next[piece as usize]).filter(|&next| next != NOTHING)
        });
        pieces.flat_map(|piece| self.steps_of_piece(piece as usize).iter().copied())
    }

    fn steps_of_piece(&self, piece: usize) -> &[u8] {
        let end = self.pieces.get(piece + 1).map_or(self.steps.len(), |p| p.steps_from as usize);
        &self.steps[self.pieces[piece].steps_from as usize..end]
    }

    fn after(&self, cell: Cell, step: u8) -> Cell {
        let (rows, cols) = Direction::from_index(step).offset();
        Cell((i64::from(cell.0) + rows * i64::from(self.shape.cols) + cols) as u32)
    }

    /// A reach for each piece that begins at a head or a junction; without what depends on others.
    fn make_reaches(&mut self, grid: &impl Grid, areas: &Areas) {
        let heads = (0..self.pieces.len() as u32).filter(|&p| self.pieces[p as usize].inflows != 1);
        self.reaches = heads.map(|piece| self.reach(piece, grid, areas)).collect();
    }

    fn reach(&self, piece: u32, grid: &impl Grid, areas: &Areas) -> Reach {
        let head = &self.pieces[piece as usize];
        let (mut length_m, mut steps, mut cell) = (0.0, 0, Cell(head.first));
        for step in self.steps_of(piece) {
            let (_, row, _) = self.shape.split(cell);
            length_m += super::areas::spacing_m(grid, row)[usize::from(step)];
            steps += 1;
            cell = self.after(cell, step);
        }
        let mut last = piece;
        while self.next[last as usize] != NOTHING {
            last = self.next[last as usize];
        }
        let end = &self.pieces[last as usize];
        let is_mouth = end.to == NOTHING;
        Reach {
            first: Cell(head.first),
            last: Cell(end.last),
            cell_count: steps + u32::from(is_mouth),
            order: 1,
            magnitude: u32::from(head.inflows == 0),
            // The cell, until all reaches are there.
            downstream: (!is_mouth).then_some(end.to),
            upstream_count: head.inflows,
            length_m,
            drop_m: f64::from(head.first_m) - f64::from(end.last_m),
            accumulation: end.load.cells,
            area_m2: areas.of_load_m2(end.load),
            basin: end.basin,
            piece,
        }
    }

    /// Turns the cells below into reaches, and lets the fall end there.
    fn link(&mut self) {
        for i in 0..self.reaches.len() {
            let Some(cell) = self.reaches[i].downstream else { continue };
            let below = self.reaches.binary_search_by_key(&cell, |r| r.first.0);
            let below = below.expect("a stream ends at a junction or where the water ends");
            let first_m = |reach: &Reach| f64::from(self.pieces[reach.piece as usize].first_m);
            let drop_m = first_m(&self.reaches[i]) - first_m(&self.reaches[below]);
            self.reaches[i].downstream = Some(below as u32);
            self.reaches[i].drop_m = drop_m;
        }
    }

    /// Orders and magnitudes, from the heads down.
    fn put_in_order(&mut self) {
        let mut awaited: Vec<u8> = self.reaches.iter().map(|r| r.upstream_count).collect();
        // The greatest order that flowed in, and whether it came twice.
        let mut met = vec![(0u8, false); self.reaches.len()];
        for head in 0..self.reaches.len() {
            let mut at = head;
            // Heads have order 1 and await nothing; others are reached from the last of their inflows.
            let mut is_ready = self.reaches[head].upstream_count == 0;
            while is_ready {
                let (greatest, twice) = met[at];
                self.reaches[at].order = (greatest + u8::from(twice)).max(1);
                let (order, magnitude) = (self.reaches[at].order, self.reaches[at].magnitude);
                let Some(below) = self.reaches[at].downstream.map(|r| r as usize) else { break };
                self.reaches[below].magnitude += magnitude;
                met[below] = match met[below] {
                    (greatest, _) if order > greatest => (order, false),
                    (greatest, _) if order == greatest => (order, true),
                    other => other,
                };
                awaited[below] -= 1;
                is_ready = awaited[below] == 0;
                at = below;
            }
        }
    }

    /// Writes each stream cell's order into rows of zeros, from `first_row` on: whole bands.
    pub(super) fn paint(&self, first_row: u32, reach_of: &[u32], rows: &mut [u8]) {
        let first = first_row * self.shape.cols;
        let end = u64::from(first) + rows.len() as u64;
        let from = self.pieces.partition_point(|p| p.first < first);
        let to = self.pieces.partition_point(|p| u64::from(p.first) < end);
        for (i, piece) in self.pieces[from..to].iter().enumerate() {
            let order = self.reaches[reach_of[from + i] as usize].order;
            let mut cell = Cell(piece.first);
            let steps = self.steps_of_piece(from + i);
            let is_mouth = piece.to == NOTHING;
            for &step in &steps[..steps.len() - usize::from(!is_mouth)] {
                rows[(cell.0 - first) as usize] = order;
                cell = self.after(cell, step);
            }
            rows[(cell.0 - first) as usize] = order;
        }
    }

    /// The reach of each piece.
    pub(super) fn reach_of_pieces(&self) -> Vec<u32> {
        let mut reach_of = vec![NOTHING; self.pieces.len()];
        for (i, reach) in self.reaches.iter().enumerate() {
            let mut piece = reach.piece;
            while piece != NOTHING {
                reach_of[piece as usize] = i as u32;
                piece = self.next[piece as usize];
            }
        }
        reach_of
    }
}
