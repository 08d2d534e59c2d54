//! Terrain: what the land is like before water shapes it, and the sample that is put together afterwards.
//!
//! [`Terrain`] holds a world's cells and features around a request; [`Near`] what of it can matter within a ball.
//! Everything is a pure function of place: the smooth means of cells around it in bent space ([`cells`]), noise, and the
//! nearest features.
#![allow(dead_code)]

mod cells;
mod coast;
mod compose;
mod country;
mod floor;
mod mouths;
mod near;
mod noise;
mod ranges;
#[cfg(test)]
mod tests;

#[allow(unused_imports)]
pub(crate) use compose::{Carved, Channel};

#[allow(unused_imports)]
pub(crate) use near::Near;

use crate::bend::Bend;
use crate::features::Maker;
use crate::patch::Patch;
use cells::Known;
use floor::Mount;
use grid::{Cell, Grid, Seed, Topology};
use mouths::Shape;
use ranges::Range;
use rayon::prelude::*;
use world::{Mouth, Waters};

/// Rings of cells around those under a ball that a [`Terrain`] must be given: three for the kernel or the features,
/// one for the bend.
pub(crate) const RINGS: usize = 4;
/// Rings around those that the patch must hold: what a cell's own values are made from.
pub(crate) const PATCH_RINGS: usize = RINGS + 2;

/// What the land is like at a place before water shapes it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Site {
    /// Height that divides reach, in metres.
    pub top_m: f64,
    /// Mountain-free ground, in metres.
    pub base_m: f64,
    /// Gradient of hillslopes.
    pub rise: f64,
    /// About the distance to the nearest shore in cells, -1 to 1: positive on land.
    pub shore: f64,
    /// Number and level of the lake, where the water is one.
    pub lake: Option<(u32, f64)>,
    /// How much glaciers have shaped valleys, 0 to 1.
    pub ice: f64,
    /// How much a floodplain is wide and level, 0 to 1.
    pub flat: f64,
    pub temperature_c: f64,
    pub rain_mm: f64,
}

/// Cells and features around a request, of one world.
pub(crate) struct Terrain<'a> {
    grid: &'a Topology,
    seed: Seed,
    bend: Bend,
    /// By address.
    known: Vec<Known>,
    /// By address.
    ranges: Vec<(Cell, Range)>,
    mounts: Vec<Mount>,
    mouths: Vec<Shape>,
    /// Numbers of the lakes without outflow, rising.
    closed: Vec<u32>,
    patch: &'a Patch<'a>,
    cell_m: f64,
}

impl<'a> Terrain<'a> {
    /// The terrain of some cells, sorted, with so many generations of buttresses; ridge lines alone
    /// for none. Cells whose surroundings the patch
    /// lacks are left out.
    pub fn new(patch: &'a Patch<'a>, seed: Seed, cells: &[Cell], generations: u8) -> Self {
        let grid = patch.grid;
        let maker = Maker { patch, seed, cell_m: grid.cell_m(), generations };
        let kinds = country::kinds(seed);
        let known = cells.par_iter().filter_map(|&c| Known::of(patch, seed, c, &kinds)).collect();
        let ranges = cells.par_iter().filter_map(|&c| {
            let high = patch.get(c)?.mountain_height_m > 0.0;
            let made = |c| if generations == 0 { maker.lines(c) } else { maker.features(c) };
            high.then(|| (c, Range::new(made(c), patch.center_m(c))))
        });
        Self {
            grid,
            seed,
            mouths: Vec::new(),
            closed: Vec::new(),
            patch,
            mounts: cells.iter().filter_map(|&c| Mount::of(patch, seed, c)).collect(),
            bend: Bend::broad(grid, seed),
            known,
            ranges: ranges.collect(),
            cell_m: grid.cell_m(),
        }
    }

    /// The same with deltas, estuaries and salt lakes.
    pub fn with_waters(mut self, waters: &Waters) -> Self {
        let near = |m: &&Mouth| self.known.binary_search_by_key(&m.cell, |k| k.cell).is_ok();
        self.mouths = waters.mouths.iter().filter(near).filter_map(|m| Shape::of(self.patch, m)).collect();
        self.closed = waters.closed_lakes.clone();
        self
    }
}

/// Saturates at `most` as `x` grows; as good as `x` far below it.
fn at_most(x: f64, most: f64) -> f64 {
    x / (1.0 + (x / most) * (x / most)).sqrt()
}
