//! The flats of a whole grid, one after the other.
//!
//! The inner loops are without branches: a direction that does not lead on leads to the cell itself, which has been
//! met already, and a queue grows by none or one.

use super::{Level, SIDES_FIRST};
use crate::flow::NONE;
use crate::neighbors::Neighbors;
use grid::{Field, Grid};
use rayon::prelude::*;

/// Not reached yet. Distances are below it: no way is longer than the number of cells of a flat.
const FAR: u32 = u32::MAX >> 1;
/// Set in `away` once a cell has been met; a second meeting takes it away again.
const MET: u32 = 1 << 31;
const TOWARD: usize = 0;
const AWAY: usize = 1;

/// The receivers, with those of flat cells.
pub(super) fn over_flats(level: &Level<'_, impl Grid>, receiver: &Field<u8>) -> Field<u8> {
    let shape = level.grid.shape();
    let (line, receiver) = ((shape.cols as usize).max(1), receiver.as_slice());
    let (mut flat, mut steps, mut out) =
        (vec![0u8; shape.len()], vec![[0u32; 2]; shape.len()], vec![0u8; shape.len()]);
    let lines = flat.par_chunks_mut(line).zip(steps.par_chunks_mut(line)).zip(out.par_chunks_mut(line));
    lines.enumerate().for_each(|(row, ((flat, steps), out))| {
        let first = row * line;
        out.copy_from_slice(&receiver[first..first + line]);
        level.line(row, |i, around| {
            flat[i] = around.flat;
            out[i] = FIRST_SIDE[usize::from(around.drained)];
            let beside = |byte| if byte == 0 { FAR } else { 1 };
            steps[i] = [beside(around.drained), beside(around.higher)];
        });
    });
    let to = Neighbors::of(level.grid);
    match to.plain_offsets() {
        // Bits as masks: 0 or all ones.
        Some(offsets) => drain(shape, &flat, &mut steps, &mut out, |cell, byte, d| {
            let is_way = -i32::from(byte >> d & 1);
            cell.wrapping_add_signed(offsets[d] & is_way)
        }),
        None => drain(shape, &flat, &mut steps, &mut out, |cell, byte, d| {
            if byte >> d & 1 == 1 { to.step(cell, d as u8) } else { cell }
        }),
    }
    Field::from_vec(shape, out).expect("one for each cell")
}

/// The direction of a byte that is first, sides before corners; [`NONE`] of 0.
const FIRST_SIDE: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut byte = 1;
    while byte < 256 {
        let sides = byte & 0b0101_0101;
        table[byte] = if sides == 0 { byte.trailing_zeros() } else { sides.trailing_zeros() } as u8;
        byte += 1;
    }
    table
};

/// Receivers of the flat cells. `to(cell, byte, d)` is the neighbour in direction `d` if the byte has it, else the
/// cell itself.
fn drain(
    shape: grid::Shape,
    flat: &[u8],
    steps: &mut [[u32; 2]],
    out: &mut [u8],
    to: impl Fn(u32, u8, usize) -> u32 + Sync,
) {
    let line = (shape.cols as usize).max(1);
    let band = shape.len().div_ceil(line).div_ceil(rayon::current_num_threads()).max(1) * line;
    let bands = steps.par_chunks_mut(band).zip(out.par_chunks_mut(band)).enumerate();
    let crossing: Vec<Vec<u32>> =
        bands.map(|(i, (steps, out))| Part::new(flat, i * band, steps, out, &to).drain_all()).collect();
    let mut whole = Part::new(flat, 0, steps, out, &to);
    crossing.iter().flatten().for_each(|&seed| whole.drain_again(seed));
}

/// A run of cells with their distances and receivers.
struct Part<'a, T> {
    /// Of all cells: directions from each flat cell to those of the same flat.
    flat: &'a [u8],
    first: usize,
    /// Steps toward drained cells and away from higher ground, of flat cells.
    steps: &'a mut [[u32; 2]],
    out: &'a mut [u8],
    to: &'a T,
    /// The cells of the present flat.
    cells: Queue,
    queue: Queue,
}

impl<'a, T: Fn(u32, u8, usize) -> u32> Part<'a, T> {
    fn new(flat: &'a [u8], first: usize, steps: &'a mut [[u32; 2]], out: &'a mut [u8], to: &'a T) -> Self {
        Self { flat, first, steps, out, to, cells: Queue::default(), queue: Queue::default() }
    }

    /// Drains all flats that lie in this part; gives back a cell of each piece of a flat that lies in others too.
    fn drain_all(mut self) -> Vec<u32> {
        let mut crossing = Vec::new();
        for i in 0..self.out.len() {
            let seed = self.first + i;
            if self.flat[seed] != 0 && self.steps[i][AWAY] & MET == 0 {
                if self.meet(seed as u32, 0) {
                    self.drain();
                } else {
                    crossing.push(seed as u32);
                }
            }
        }
        crossing
    }

    /// Drains a flat whose cells have been met once.
    fn drain_again(&mut self, seed: u32) {
        if self.steps[seed as usize - self.first][AWAY] & MET != 0 {
            self.meet(seed, MET);
            self.drain();
        }
    }

    /// Collects the cells of a flat; `before` is the mark of those that were not met. Whether all lie in this part.
    fn meet(&mut self, seed: u32, before: u32) -> bool {
        let (first, flat, to, steps) = (self.first, self.flat, self.to, &mut *self.steps);
        let mut is_whole = true;
        self.cells.clear();
        self.cells.put(seed, true);
        steps[seed as usize - first][AWAY] ^= MET;
        self.cells.follow(|cell, d| {
            let n = to(cell, flat[cell as usize], d);
            let Some(step) = steps.get_mut((n as usize).wrapping_sub(first)) else {
                is_whole = false;
                return (n, false);
            };
            let is_new = step[AWAY] & MET == before;
            step[AWAY] ^= u32::from(is_new) << 31;
            (n, is_new)
        });
        is_whole
    }

    /// Receivers of the flat that was met.
    ///
    /// Where there is no higher ground all have the same `away`, which makes no difference.
    fn drain(&mut self) {
        self.spread(TOWARD);
        self.spread(AWAY);
        for &cell in self.cells.all() {
            let i = cell as usize - self.first;
            if (2..FAR).contains(&self.steps[i][TOWARD]) {
                let byte = self.flat[cell as usize];
                let mut least = i64::MAX;
                for (rank, d) in SIDES_FIRST.into_iter().enumerate() {
                    let n = (self.to)(cell, byte, usize::from(d)) as usize - self.first;
                    let [toward, away] = self.steps[n];
                    let mask = 2 * i64::from(toward) - i64::from(away & !MET);
                    least = least.min(mask << 3 | rank as i64);
                }
                // A neighbour has a lower mask than the cell itself.
                self.out[i] = SIDES_FIRST[(least & 7) as usize];
            }
        }
    }

    /// Steps from the cells of the flat that have 1.
    fn spread(&mut self, which: usize) {
        let (first, flat, to, steps) = (self.first, self.flat, self.to, &mut *self.steps);
        self.queue.clear();
        for &cell in self.cells.all() {
            self.queue.put(cell, steps[cell as usize - first][which] & !MET == 1);
        }
        self.queue.follow(|cell, d| {
            let next = (steps[cell as usize - first][which] & !MET) + 1;
            let n = to(cell, flat[cell as usize], d);
            let step = &mut steps[n as usize - first][which];
            let is_new = *step & !MET == FAR;
            *step = if is_new { *step & MET | next } else { *step };
            (n, is_new)
        });
    }
}

/// Cells in the order in which they came.
#[derive(Default)]
struct Queue {
    cells: Vec<u32>,
    len: usize,
}

impl Queue {
    fn clear(&mut self) {
        self.len = 0;
    }

    /// Room for eight more.
    #[inline(always)]
    fn room(&mut self) -> &mut [u32; 8] {
        if self.cells.len() < self.len + 8 {
            self.cells.resize((2 * self.len).max(1 << 10), 0);
        }
        self.cells[self.len..].first_chunk_mut().expect("room was made")
    }

    /// Takes a cell, or does not.
    #[inline(always)]
    fn put(&mut self, cell: u32, is_taken: bool) {
        self.room()[0] = cell;
        self.len += usize::from(is_taken);
    }

    /// For each cell from the first to the last, calls `visit` for the eight directions, which names a cell and
    /// whether to take it.
    #[inline(always)]
    fn follow(&mut self, mut visit: impl FnMut(u32, usize) -> (u32, bool)) {
        let mut i = 0;
        while i < self.len {
            let cell = self.cells[i];
            i += 1;
            let room = self.room();
            let mut taken = 0;
            for d in 0..8 {
                let (n, is_taken) = visit(cell, d);
                room[taken & 7] = n;
                taken += usize::from(is_taken);
            }
            self.len += taken;
        }
    }

    fn all(&self) -> &[u32] {
        &self.cells[..self.len]
    }
}
