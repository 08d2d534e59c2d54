//! The flats of a whole grid, one after the other.

use super::{Level, least_of};
use crate::flow::NONE;
use crate::neighbors::Neighbors;
use grid::{Cell, Field, Grid};
use rayon::prelude::*;

/// Not reached yet. Distances are below it: no way is longer than the number of cells of a flat.
const FAR: u32 = u32::MAX >> 1;
/// Set in `away` once a cell has been met; a second meeting takes it away again.
const MET: u32 = 1 << 31;
const TOWARD: usize = 0;
const AWAY: usize = 1;

/// The receivers, with those of flat cells.
pub(super) fn over_flats<G: Grid, F: Fn(Cell) -> bool + Sync>(
    level: &Level<'_, G, F>,
    receiver: &Field<u8>,
) -> Field<u8> {
    let shape = level.grid.shape();
    let line = (shape.cols as usize).max(1);
    let (mut flat, mut steps, mut out) =
        (vec![0u8; shape.len()], vec![[0u32; 2]; shape.len()], vec![0u8; shape.len()]);
    let lines = flat.par_chunks_mut(line).zip(steps.par_chunks_mut(line)).zip(out.par_chunks_mut(line));
    lines.enumerate().for_each(|(row, ((flat, steps), out))| {
        let first = row * line;
        out.copy_from_slice(&receiver.as_slice()[first..first + line]);
        for i in (0..line).filter(|&i| out[i] == NONE).collect::<Vec<_>>() {
            let cell = Cell::from_index(first + i);
            if (level.is_flat)(cell) {
                let around = level.around(cell);
                flat[i] = around.flat;
                out[i] = least_of(around.drained, |_| 0);
                let beside = |byte| if byte == 0 { FAR } else { 1 };
                steps[i] = [beside(around.drained), beside(around.higher)];
            }
        }
    });
    let ways = Ways { flat: &flat, to: Neighbors::of(level.grid) };
    let band = shape.len().div_ceil(line).div_ceil(rayon::current_num_threads()).max(1) * line;
    let bands = steps.par_chunks_mut(band).zip(out.par_chunks_mut(band)).enumerate();
    let crossing: Vec<Vec<u32>> =
        bands.map(|(i, (steps, out))| Part::new(&ways, i * band, steps, out).drain_all()).collect();
    let mut whole = Part::new(&ways, 0, &mut steps, &mut out);
    crossing.iter().flatten().for_each(|&seed| whole.drain_again(seed));
    Field::from_vec(shape, out).expect("one for each cell")
}

/// The flats of a grid.
struct Ways<'a, G> {
    /// Directions from each flat cell to those of the same flat.
    flat: &'a [u8],
    to: Neighbors<'a, G>,
}

/// A run of cells with their distances and receivers.
struct Part<'a, G> {
    ways: &'a Ways<'a, G>,
    first: usize,
    /// Steps toward drained cells and away from higher ground, of flat cells.
    steps: &'a mut [[u32; 2]],
    out: &'a mut [u8],
    /// The cells of the present flat.
    cells: Vec<u32>,
    queue: Vec<u32>,
}

impl<'a, G: Grid> Part<'a, G> {
    fn new(ways: &'a Ways<'a, G>, first: usize, steps: &'a mut [[u32; 2]], out: &'a mut [u8]) -> Self {
        Self { ways, first, steps, out, cells: Vec::new(), queue: Vec::new() }
    }

    /// Drains all flats that lie in this part; gives back a cell of each piece of a flat that lies in others too.
    fn drain_all(mut self) -> Vec<u32> {
        let mut crossing = Vec::new();
        for i in 0..self.out.len() {
            let seed = self.first + i;
            if self.ways.flat[seed] != 0 && self.steps[i][AWAY] & MET == 0 {
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
        self.cells.clear();
        self.cells.push(seed);
        self.steps[seed as usize - self.first][AWAY] ^= MET;
        let (mut i, mut is_whole) = (0, true);
        while let Some(&cell) = self.cells.get(i) {
            i += 1;
            for_each(self.ways.flat[cell as usize], |d| {
                let n = self.ways.to.step(cell, d);
                match self.steps.get_mut((n as usize).wrapping_sub(self.first)) {
                    None => is_whole = false,
                    Some(step) if step[AWAY] & MET == before => {
                        step[AWAY] ^= MET;
                        self.cells.push(n);
                    }
                    Some(_) => {}
                }
            });
        }
        is_whole
    }

    /// Receivers of the flat that was met.
    fn drain(&mut self) {
        self.spread(TOWARD);
        self.spread(AWAY);
        let mask = |step: [u32; 2]| {
            let away = step[AWAY] & !MET;
            2 * i64::from(step[TOWARD]) - if away == FAR { 0 } else { i64::from(away) }
        };
        for &cell in &self.cells {
            let i = cell as usize - self.first;
            if (2..FAR).contains(&self.steps[i][TOWARD]) {
                let mask_at = |d| mask(self.steps[self.ways.to.step(cell, d) as usize - self.first]);
                self.out[i] = least_of(self.ways.flat[cell as usize], mask_at);
            }
        }
    }

    /// Steps from the cells of the flat that have 1.
    fn spread(&mut self, which: usize) {
        let (first, steps) = (self.first, &mut *self.steps);
        self.queue.clear();
        let begins = |c: &&u32| steps[**c as usize - first][which] & !MET == 1;
        self.queue.extend(self.cells.iter().filter(begins));
        let mut i = 0;
        while let Some(&cell) = self.queue.get(i) {
            i += 1;
            let next = (steps[cell as usize - first][which] & !MET) + 1;
            for_each(self.ways.flat[cell as usize], |d| {
                let n = self.ways.to.step(cell, d);
                let step = &mut steps[n as usize - first][which];
                if *step & !MET == FAR {
                    *step = *step & MET | next;
                    self.queue.push(n);
                }
            });
        }
    }
}

/// Calls `visit` for each direction in a byte.
#[inline(always)]
fn for_each(byte: u8, mut visit: impl FnMut(u8)) {
    let mut rest = byte;
    while rest != 0 {
        visit(rest.trailing_zeros() as u8);
        rest &= rest - 1;
    }
}
