//! Ways over flats: towards lower ground and away from higher ground (Garbrecht & Martz 1997, in the form of
//! Barnes, Lehman & Mulla 2014).
//!
//! A *flat cell* of a filled surface has data, is no outlet and has no lower neighbour; all other cells with data
//! are *drained*. In steps along links through flat cells of one level:
//!
//! - toward(c): to the nearest drained cell of that level; a flat cell beside one has 1.
//! - away(c): from the nearest flat cell beside higher ground, which has 1; 0 where there is none.
//! - mask(c) = 2 toward(c) - away(c).
//!
//! The receiver of a flat cell is a drained neighbour of its level, else the flat neighbour of that level with the
//! lowest mask; of equal ones a side before a corner, then the first clockwise from north. A neighbour one step
//! nearer has toward less by 1 and away less by at most 1, so the mask falls by 1 or more along every receiver:
//! there is no circle. All of it is local, given the two distances.
//!
//! Scheme: each flat on its own, three times breadth first, so that what is touched stays in the caches; bands of
//! rows in parallel, and after them the flats that lie in more than one. Cost: linear, 10 bytes for each cell of
//! which 8 are touched on flats only.

mod distances;
mod ways;

pub use distances::{FlatDistances, flat_distances};

use crate::flow::NONE;
use crate::stencil::{Stencil, assert_shape};
use crate::{Links, Outlets, d8};
use grid::{Cell, Field, Grid};
use rayon::prelude::*;

/// Receivers of a filled surface: the steepest descent ([`d8()`]), and over flats the ways of this module.
///
/// An outlet without a lower neighbour has [`NONE`], as have cells without data; on a surface that is not filled
/// so have the flats that nothing of their level drains.
pub fn directions(grid: &impl Grid, links: &Links, filled: &Field<f32>, outlets: &Outlets) -> Field<u8> {
    let mut receiver = d8(grid, links, filled);
    drain_flats(grid, links, filled, outlets, &mut receiver);
    receiver
}

/// Gives each flat cell a receiver. `receiver` as [`d8()`] gives it, with [`NONE`] at flat cells.
pub fn drain_flats(
    grid: &impl Grid,
    links: &Links,
    filled: &Field<f32>,
    outlets: &Outlets,
    receiver: &mut Field<u8>,
) {
    assert_shape(grid, receiver, "the receivers");
    assert_shape(grid, outlets.field(), "the outlets");
    let is_flat = flat_cells(filled, outlets, receiver);
    let level = Level::new(grid, links, filled, &is_flat);
    *receiver = ways::over_flats(&level, receiver);
}

/// The flat cells, given the steepest descent from each cell.
fn flat_cells(filled: &Field<f32>, outlets: &Outlets, receiver: &Field<u8>) -> Field<bool> {
    const AT_ONCE: usize = 1 << 12;
    let (z, outlet, receiver) = (filled.as_slice(), outlets.field().as_slice(), receiver.as_slice());
    let mut is_flat = vec![false; z.len()];
    is_flat.par_chunks_mut(AT_ONCE).enumerate().for_each(|(k, part)| {
        let cells = k * AT_ONCE..k * AT_ONCE + part.len();
        let given = z[cells.clone()].iter().zip(&outlet[cells.clone()]).zip(&receiver[cells]);
        for (to, ((z, outlet), receiver)) in part.iter_mut().zip(given) {
            *to = (*receiver == NONE) & !outlet & !z.is_nan();
        }
    });
    Field::from_vec(filled.shape(), is_flat).expect("one for each cell")
}

/// A surface, and which of its cells are flat.
struct Level<'a, G> {
    grid: &'a G,
    links: &'a Links,
    stencil: Stencil,
    /// Elevations in metres, by address.
    z: &'a [f32],
    is_flat: &'a [bool],
}

/// What a flat cell sees around it: bytes of directions.
#[derive(Clone, Copy, Default)]
struct Around {
    /// Flat cells of the same level.
    flat: u8,
    /// Drained cells of the same level.
    drained: u8,
    /// Higher ground.
    higher: u8,
}

impl<'a, G: Grid> Level<'a, G> {
    fn new(grid: &'a G, links: &'a Links, z: &'a Field<f32>, is_flat: &'a Field<bool>) -> Self {
        assert_shape(grid, z, "the surface");
        assert_shape(grid, is_flat, "the flats");
        let (z, is_flat) = (z.as_slice(), is_flat.as_slice());
        Self { grid, links, stencil: Stencil::new(grid.shape()), z, is_flat }
    }

    /// Calls `visit` for each flat cell of a row, with its column; `line` counts rows through all faces.
    fn line(&self, line: usize, mut visit: impl FnMut(usize, Around)) {
        let shape = self.grid.shape();
        let (row, cols) = (line as u32 % shape.rows, shape.cols as usize);
        let first = line * cols;
        let is_rim = row == 0 || row + 1 == shape.rows || cols < 3;
        for (col, _) in self.is_flat[first..first + cols].iter().enumerate().filter(|(_, is_flat)| **is_flat)
        {
            let i = first + col;
            if is_rim || col == 0 || col + 1 == cols {
                visit(col, self.around(Cell::from_index(i)));
            } else {
                let rows = [i - cols - 1, i - 1, i + cols - 1];
                visit(col, self.around_inner(Cell::from_index(i), rows));
            }
        }
    }

    /// As `around`, of a cell that touches no border of its face; `rows` are the addresses to its north-west, west
    /// and south-west.
    #[inline(always)]
    fn around_inner(&self, cell: Cell, rows: [usize; 3]) -> Around {
        let [up, here, down] = rows.map(|i| &self.z[i..i + 3]);
        let [f_up, f_here, f_down] = rows.map(|i| &self.is_flat[i..i + 3]);
        let level = here[1];
        let z = [up[1], up[2], here[2], down[2], down[1], down[0], here[0], up[0]];
        let is_flat = [f_up[1], f_up[2], f_here[2], f_down[2], f_down[1], f_down[0], f_here[0], f_up[0]];
        let (mut higher, mut same, mut flat) = (0, 0, 0);
        for d in 0..8 {
            higher |= u8::from(z[d] > level) << d;
            same |= u8::from(z[d] == level) << d;
            flat |= u8::from(is_flat[d]) << d;
        }
        let links = self.links.mask(cell);
        same &= links;
        Around { higher: higher & links, flat: flat & same, drained: same & !flat }
    }

    fn around(&self, cell: Cell) -> Around {
        let mut around = Around::default();
        let level = self.z[cell.index()];
        self.stencil.visit(self.grid, self.links.mask(cell), cell, |d, _, n| {
            let (z, is_flat) = (self.z[n.index()], self.is_flat[n.index()]);
            around.higher |= u8::from(z > level) << d;
            around.flat |= u8::from(z == level && is_flat) << d;
            around.drained |= u8::from(z == level && !is_flat) << d;
        });
        around
    }
}

/// The order in which equal ways over a flat are taken: N, E, S, W, then NE, SE, SW, NW.
pub(crate) const SIDES_FIRST: [u8; 8] = [0, 2, 4, 6, 1, 3, 5, 7];

/// Which of the directions in a byte has the least value, of equal ones a side before a corner, then the first
/// clockwise; [`NONE`] if there is none.
fn least_of(byte: u8, value: impl Fn(u8) -> i64) -> u8 {
    let (mut best, mut least) = (NONE, i64::MAX);
    for d in SIDES_FIRST.into_iter().filter(|d| byte >> d & 1 == 1) {
        let value = value(d);
        if value < least {
            (best, least) = (d, value);
        }
    }
    best
}
