//! Depressions filled so that water finds its way over the lakes: each cell a step above a neighbour.
//!
//! With `next(x)` the least `f32` above `x`, the surface is the only one for which
//!
//! ```text
//! w(c) = z(c) at outlets,   w(c) = max(z(c), next(min of w over the linked neighbours)) elsewhere:
//! ```
//!
//! the least that lies nowhere below the ground, with a strictly lower neighbour for each cell that is no outlet. (Only
//! one, because following the lowest neighbour down always ends at an outlet, along which values are given one after
//! the other.) It is that of Priority-Flood with epsilon (Barnes, Lehman & Mulla 2014) where that is done in the order
//! of heights throughout.
//!
//! It differs from the exact fill only on flats, and where a flat's steps rise above the land around it. So the exact
//! fill comes first; the flats are then crossed breadth first from where they drain, a step of `f32` each; at last
//! the equation is tried in every cell. Where it fails, which is where steps have overtaken the land, a region is
//! solved in the order of heights (Dijkstra 1959) and grows until the equation holds everywhere. So the result is the
//! one that the equation names, whatever the input.
//!
//! A step is 2^-24 of the height: 0.06 mm at 1000 m, and a lake 2000 cells across rises by as much as 6 cm to its middle.
//! That may well overtake flat land beside it (Barnes's warning): the water finds an outlet from everywhere, but its
//! ways are then not those of the land. Above plus infinity there is nothing: cells at that height stay level.

use super::fill;
use crate::flood::{cell_of, key};
use crate::stencil::Stencil;
use crate::{Links, Outlets};
use grid::{Cell, Field, Grid};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Steps of a flat cell that has not been reached yet.
const UNREACHED: u32 = u32::MAX;

/// Rings of fewer cells are crossed by one thread.
const CHUNK: usize = 4096;

/// The least surface over `elevation` (metres) on which each cell that is no outlet has a strictly lower neighbour.
///
/// Inputs as for [`crate::fill()`]. Cells at plus infinity are excepted; NaN stays NaN. Cost: that of the fill, linear in
/// the cells of flats, and n log n in the cells of regions where steps overtake the land.
pub fn fill_epsilon(
    grid: &impl Grid,
    links: &Links,
    elevation: &Field<f32>,
    outlets: &Outlets,
) -> Field<f32> {
    let filled = fill(grid, links, elevation, outlets);
    let mut work = Work {
        grid,
        links,
        stencil: Stencil::new(grid.shape()),
        z: elevation.as_slice(),
        outlets: outlets.field().as_slice(),
        w: filled.into_vec(),
    };
    let steps = work.steps();
    let steps = steps.into_par_iter().map(AtomicU32::into_inner);
    // What has not been reached lies at plus infinity, where no step leads higher.
    work.w.par_iter_mut().zip(steps).filter(|(_, steps)| *steps > 0).for_each(|(w, steps)| {
        *w = of_rank(rank(*w).saturating_add_unsigned(steps));
    });
    work.repair();
    Field::from_vec(grid.shape(), work.w).expect("one value was computed for each cell")
}

/// The surface on its way.
struct Work<'a, G> {
    grid: &'a G,
    links: &'a Links,
    stencil: Stencil,
    z: &'a [f32],
    outlets: &'a [bool],
    w: Vec<f32>,
}

impl<G: Grid> Work<'_, G> {
    /// For each flat cell the steps to where it drains, through cells of its level; 0 for the others.
    ///
    /// The cells of a ring are the same in whatever order threads find them.
    fn steps(&self) -> Vec<AtomicU32> {
        let steps = self.flats();
        let mut ring = self.first_ring(&steps);
        for &cell in &ring {
            steps[cell as usize].store(1, Relaxed);
        }
        for step in 2.. {
            let parts = ring.par_chunks(CHUNK).map(|ring| self.next_ring(ring, &steps, step));
            ring = parts.collect::<Vec<_>>().concat();
            if ring.is_empty() {
                break;
            }
        }
        steps
    }

    /// [`UNREACHED`] for the cells that lie no higher than any neighbour, outlets excepted.
    fn flats(&self) -> Vec<AtomicU32> {
        let cols = self.cols();
        let mut steps = Vec::new();
        steps.resize_with(self.w.len(), AtomicU32::default);
        let of_line = |least: &mut Vec<f32>, (line, steps): (usize, &mut [AtomicU32])| {
            self.least_of_line(line, least);
            let cells = line * cols..(line + 1) * cols;
            let own = self.w[cells.clone()].iter().zip(&self.outlets[cells]);
            for ((steps, (w, is_outlet)), least) in steps.iter_mut().zip(own).zip(&*least) {
                *steps.get_mut() = u32::from(!is_outlet & (least >= w)) * UNREACHED;
            }
        };
        steps.par_chunks_mut(cols).enumerate().for_each_init(|| vec![0.0; cols], of_line);
        steps
    }

    /// The flat cells beside a cell of their level that drains.
    fn first_ring(&self, steps: &[AtomicU32]) -> Vec<u32> {
        let cols = self.cols();
        let drains = |cell: &usize| {
            let (own, mut drains) = (Cell::from_index(*cell), false);
            self.stencil.visit(self.grid, self.links.mask(own), own, |_, _, n| {
                drains |= (steps[n.index()].load(Relaxed) == 0) & (self.w[n.index()] == self.w[*cell]);
            });
            drains
        };
        let of_line = |line: usize| {
            let flats = (line * cols..(line + 1) * cols).filter(|&c| steps[c].load(Relaxed) == UNREACHED);
            flats.filter(drains).map(|cell| cell as u32)
        };
        (0..self.w.len() / cols).into_par_iter().flat_map_iter(of_line).collect()
    }

    /// The flat cells beside a ring that have not been reached yet. They are now.
    fn next_ring(&self, ring: &[u32], steps: &[AtomicU32], step: u32) -> Vec<u32> {
        let mut next = Vec::with_capacity(ring.len());
        for cell in ring.iter().map(|&cell| Cell(cell)) {
            self.stencil.visit(self.grid, self.links.mask(cell), cell, |_, _, n| {
                let (i, reached) = (n.index(), &steps[n.index()]);
                // Read first: to take it from other threads costs more.
                let is_next = reached.load(Relaxed) == UNREACHED && self.w[i] == self.w[cell.index()];
                if is_next && reached.compare_exchange(UNREACHED, step, Relaxed, Relaxed).is_ok() {
                    next.push(n.0);
                }
            });
        }
        next
    }

    /// Solves regions around the cells in which the equation fails, until there is none.
    fn repair(&mut self) {
        let mut wrong = self.all_wrong();
        let mut region = Region { cells: Vec::new(), has: Vec::new() };
        let mut reach = 1;
        while !wrong.is_empty() {
            let before = region.cells.len();
            self.open(wrong, reach, &mut region);
            debug_assert!(
                region.cells.len() > before,
                "what is solved is right while nothing around it changes"
            );
            self.solve(&region);
            wrong = self.wrong_around(&region);
            reach *= 2; // so the regions solved in all rounds are few times as large as the last
        }
    }

    /// The cells in which the equation fails.
    fn all_wrong(&self) -> Vec<u32> {
        let cols = self.cols();
        let of_line = |least: &mut Vec<f32>, line: usize| {
            self.least_of_line(line, least);
            let first = line * cols;
            let is_wrong = |i: &usize| self.is_wrong(first + i, least[*i]);
            (0..cols).filter(is_wrong).map(|i| (first + i) as u32).collect::<Vec<u32>>()
        };
        let lines = (0..self.w.len() / cols).into_par_iter();
        lines.map_init(|| vec![0.0; cols], of_line).flatten_iter().collect()
    }

    /// Whether the equation fails in a cell, given the least of its neighbours.
    #[inline(always)]
    fn is_wrong(&self, cell: usize, least: f32) -> bool {
        let (w, z) = (self.w[cell], self.z[cell]);
        let stepped = of_rank(rank(least) + 1);
        (w != if z > stepped { z } else { stepped }) & !w.is_nan() & !self.outlets[cell]
    }

    /// Adds cells to the region, with all that lies within `reach` steps.
    fn open(&self, cells: Vec<u32>, reach: usize, region: &mut Region) {
        region.has.resize(self.w.len(), false);
        let mut ring = cells;
        for _ in 0..=reach {
            let start = region.cells.len();
            for cell in ring {
                let i = cell as usize;
                if !region.has[i] && !self.z[i].is_nan() && !self.outlets[i] {
                    region.has[i] = true;
                    region.cells.push(cell);
                }
            }
            ring = self.around(&region.cells[start..], &region.has);
        }
    }

    /// The neighbours of cells that are not in the region. Some may come several times.
    fn around(&self, cells: &[u32], has: &[bool]) -> Vec<u32> {
        let mut found = Vec::new();
        for cell in cells.iter().map(|&cell| Cell(cell)) {
            self.stencil.visit(self.grid, self.links.mask(cell), cell, |_, _, n| {
                if !has[n.index()] {
                    found.push(n.0);
                }
            });
        }
        found
    }

    /// The cells beside the region in which the equation fails.
    fn wrong_around(&self, region: &Region) -> Vec<u32> {
        let mut around = self.around(&region.cells, &region.has);
        around.retain(|&cell| self.is_wrong(cell as usize, self.least(cell as usize)));
        around
    }

    /// Solves the equation in the region, as the surface around it is.
    fn solve(&mut self, region: &Region) {
        for &cell in &region.cells {
            self.w[cell as usize] = f32::INFINITY;
        }
        let mut heap = BinaryHeap::new();
        let from_around = |&c: &u32| (c, self.least(c as usize));
        let first: Vec<(u32, f32)> =
            region.cells.iter().map(from_around).filter(|&(_, least)| least < f32::INFINITY).collect();
        for (cell, least) in first {
            self.offer(Cell(cell), least, &mut heap);
        }
        while let Some(Reverse(next)) = heap.pop() {
            let cell = cell_of(next);
            let level = self.w[cell.index()];
            if next != key(level, cell) {
                continue; // it has become lower since
            }
            let mut open = [cell; 9];
            let mut count = 0;
            self.stencil.visit(self.grid, self.links.mask(cell), cell, |_, _, n| {
                open[count] = n;
                count += usize::from(region.has[n.index()]);
            });
            for &n in &open[..count] {
                self.offer(n, level, &mut heap);
            }
        }
    }

    /// Lowers a cell to what it is by a neighbour at `level`, if that is lower than so far.
    fn offer(&mut self, cell: Cell, level: f32, heap: &mut BinaryHeap<Reverse<u64>>) {
        let w = of_rank(rank(level) + 1).max(self.z[cell.index()]);
        if w < self.w[cell.index()] {
            self.w[cell.index()] = w;
            heap.push(Reverse(key(w, cell)));
        }
    }

    fn cols(&self) -> usize {
        self.grid.shape().cols as usize
    }

    /// The least value of the neighbours that have data; infinity if there is none.
    fn least(&self, cell: usize) -> f32 {
        let (cell, mut least) = (Cell::from_index(cell), f32::INFINITY);
        let links = self.links.mask(cell);
        self.stencil.visit(self.grid, links, cell, |_, _, n| least = lower(self.w[n.index()], least));
        least
    }

    /// As [`Work::least`], for a line of cells. Away from the border of a face it runs over three rows.
    fn least_of_line(&self, line: usize, least: &mut [f32]) {
        let (cols, rows) = (self.cols(), self.grid.shape().rows as usize);
        let at_rim = line.is_multiple_of(rows) || (line + 1).is_multiple_of(rows);
        let first = line * cols;
        if at_rim || cols < 3 || !self.links.is_all() {
            (0..cols).for_each(|i| least[i] = self.least(first + i));
            return;
        }
        let [up, here, down] = [first - cols, first, first + cols].map(|start| &self.w[start..][..cols]);
        (least[0], least[cols - 1]) = (self.least(first), self.least(first + cols - 1));
        let inner = &mut least[1..cols - 1];
        for i in 0..inner.len() {
            let side = |i: usize| lower(here[i], lower(up[i], lower(down[i], f32::INFINITY)));
            inner[i] = lower(up[i + 1], lower(down[i + 1], lower(side(i), side(i + 2))));
        }
    }
}

/// Cells that are solved anew.
struct Region {
    cells: Vec<u32>,
    /// Whether a cell is one of them.
    has: Vec<bool>,
}

/// The lower of two, of which the first may be no number.
#[inline(always)]
fn lower(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The place of a value among all: a step of `f32` is 1; -0 and 0 are one value.
#[inline(always)]
fn rank(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    if bits < 0 { -(bits & i32::MAX) } else { bits }
}

/// The value at a place. There is none above infinity.
#[inline(always)]
fn of_rank(rank: i32) -> f32 {
    let bits = rank.unsigned_abs().min(f32::INFINITY.to_bits());
    f32::from_bits(if rank < 0 { bits | 1 << 31 } else { bits })
}
