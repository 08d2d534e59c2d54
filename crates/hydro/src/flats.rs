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
    let is_flat = |c: Cell| receiver[c] == NONE && !outlets.has(c) && !filled[c].is_nan();
    let level = Level::new(grid, links, filled, &is_flat);
    *receiver = ways::over_flats(&level, receiver);
}

/// A surface, and which of its cells are flat.
struct Level<'a, G, F> {
    grid: &'a G,
    links: &'a Links,
    stencil: Stencil,
    z: &'a Field<f32>,
    is_flat: &'a F,
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

impl<'a, G: Grid, F: Fn(Cell) -> bool + Sync> Level<'a, G, F> {
    fn new(grid: &'a G, links: &'a Links, z: &'a Field<f32>, is_flat: &'a F) -> Self {
        assert_shape(grid, z, "the surface");
        Self { grid, links, stencil: Stencil::new(grid.shape()), z, is_flat }
    }

    fn around(&self, cell: Cell) -> Around {
        let mut around = Around::default();
        let level = self.z[cell];
        self.stencil.visit(self.grid, self.links.byte(cell), cell, |d, _, n| {
            let z = self.z[n];
            around.higher |= u8::from(z > level) << d;
            if z == level {
                let is_flat = (self.is_flat)(n);
                around.flat |= u8::from(is_flat) << d;
                around.drained |= u8::from(!is_flat) << d;
            }
        });
        around
    }
}

/// N, E, S, W, then NE, SE, SW, NW.
const SIDES_FIRST: [u8; 8] = [0, 2, 4, 6, 1, 3, 5, 7];

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
