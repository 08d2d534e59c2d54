//! Breaching: depressions are drained by cutting through what dams them, instead of being filled.
//!
//! In coarse data a valley is often closed by a cell or two: a bridge, a gorge narrower than a cell, a wall that nothing
//! has eroded. A cut lowers the cells of a way from a pit to lower ground to the level z of the pit, where they are
//! higher: surface'(c) = min(surface(c), z). All elevations in metres. Nothing is ever raised by breaching, and a pit
//! keeps its height unless it lies on the way of a lower one.
//!
//! - [`breach_all`]: every pit along its way out over the lowest passes, as in Soille (2004) and the complete breaching
//!   of Lindsay (2016); about as fast as filling.
//! - [`breach`]: the cheapest way of each pit within limits (Lindsay & Dhun 2015): the sum of depth x cell area over the
//!   cells dug, which is the volume of ground moved. What cannot be breached within the limits stays.
//! - [`hybrid`]: that, then what is left is filled (Lindsay 2016).
//! - [`least_change`]: each depression is breached or filled, whichever moves less ground (after Lindsay & Dhun 2015 and
//!   Schwanghart & Scherler 2017).
//!
//! Cuts are level, made of heights of the input only, so they are exact, but they are flats: directions over them come from
//! the rule for flats. Who wants a fall everywhere fills the result with epsilon, which then only meets flats.
//!
//! A pit here is a flat (of one cell or more) with data, without outlet and without a lower neighbour; its cell of the
//! lowest address stands for it. Pits are taken from the lowest up, of equal ones by address. So a cut ends at the first
//! cell as low as itself, no cell is dug twice, and each cut is the last word on its cells. Serial, but for the search
//! for pits: the same bits with any number of threads.
//!
//! Neglected: a cut is one cell wide whatever the cell's size, and what is dug vanishes.

mod hybrid;
mod passes;
mod pits;
mod search;

use crate::flow::NONE;
use crate::stencil::{Stencil, assert_shape};
use crate::{Links, Outlets};
use grid::{Cell, Field, Grid};
pub use hybrid::{hybrid, least_change};
use pits::Ground;
use search::Search;

/// What a cut may be. `None` is no limit; the default has none at all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Breaching {
    /// How far from its pit a cut may go: the greatest straight distance in metres (on a globe through the ground)
    /// from the pit's centre to that of a cell dug or passed.
    pub reach_m: Option<f64>,
    /// The most that a cell may be lowered, in metres.
    pub deepest_m: Option<f64>,
    /// The most ground that a cut may move, in cubic metres.
    pub largest_m3: Option<f64>,
    /// Number of cells after which the search from a pit gives up.
    ///
    /// Bounds the time: without it and without a reach, the pit of a wide lake walks over all that is cheaper to dig
    /// through than its way out, and a map of such pits takes pits x cells.
    pub most_cells: Option<usize>,
}

/// A surface with cuts, and what they took.
#[derive(Clone, Debug, PartialEq)]
pub struct Breached {
    /// Elevation in metres. Not a number where the input is not.
    pub surface: Field<f32>,
    /// Number of pits for which something was dug.
    pub cuts: usize,
    /// Number of cells lower than in the input.
    pub cells_dug: usize,
    /// The ground that these lost: the sum of depth x cell area.
    pub dug_m3: f64,
    /// Number of cells higher than in the input: 0 unless filling was asked for.
    pub cells_filled: usize,
    /// What these gained.
    pub filled_m3: f64,
    /// The pits that no cut drains, from the lowest up: still there after [`breach`], under fill after the others.
    pub left: Vec<Cell>,
}

/// A surface on which cuts are made.
struct Cutting<'a, G> {
    grid: &'a G,
    surface: Field<f32>,
    cuts: usize,
}

impl<G: Grid> Cutting<'_, G> {
    /// Lowers a cell to a level; whether there was anything to dig.
    fn lower(&mut self, cell: Cell, level_m: f32) -> bool {
        let is_higher = self.surface[cell] > level_m;
        if is_higher {
            self.surface[cell] = level_m;
        }
        is_higher
    }

    /// Cuts the way from a pit out, as far as the first cell that is not higher; whether there was anything to dig.
    ///
    /// A way is forgotten where it has been gone, so no cell is passed twice: who comes to one later finds it as low.
    fn carve(
        &mut self,
        stencil: &Stencil,
        next: &mut Field<u8>,
        (pit, level_m): (Cell, f32),
        elevation: &Field<f32>,
    ) -> bool {
        let (mut cell, mut has_dug) = (pit, false);
        while let Some(there) =
            stencil.neighbor_along(self.grid, cell, std::mem::replace(&mut next[cell], NONE))
        {
            let is_dug = self.lower(there, level_m);
            // within the pit's own flat there is nothing to dig, but its end is not reached either
            if !is_dug && (has_dug || elevation[there] != level_m) {
                break;
            }
            has_dug |= is_dug;
            cell = there;
        }
        has_dug
    }

    /// What became of `elevation`.
    fn finish(self, elevation: &Field<f32>, left: Vec<Cell>) -> Breached {
        let Self { grid, surface, cuts } = self;
        let (mut cells, mut volume_m3) = ([0; 2], [0.0; 2]);
        for (i, (&before, &after)) in elevation.as_slice().iter().zip(surface.as_slice()).enumerate() {
            let rise_m = f64::from(after) - f64::from(before);
            if rise_m.abs() > 0.0 {
                let way = usize::from(rise_m > 0.0);
                cells[way] += 1;
                volume_m3[way] += rise_m.abs() * grid.area_m2(Cell::from_index(i));
            }
        }
        let ([cells_dug, cells_filled], [dug_m3, filled_m3]) = (cells, volume_m3);
        Breached { surface, cuts, cells_dug, dug_m3, cells_filled, filled_m3, left }
    }
}

fn check(grid: &impl Grid, links: &Links, elevation: &Field<f32>, outlets: &Outlets) {
    assert_shape(grid, elevation, "the elevation");
    assert_shape(grid, links.bytes(), "the links");
    assert_shape(grid, outlets.field(), "the outlets");
}

/// Cuts every pit of `elevation` (metres) down to lower ground, so that no depression is left.
///
/// The way goes over the lowest passes between basins (of equal ones that of the lowest address), as far as the first
/// cell that is not higher than the pit, at most to an outlet: the way by which a flood comes from the outlets. It has
/// the least highest point of all ways from the pit to an outlet, and between passes it follows the lowest neighbours. An
/// outlet on it is lowered like any cell.
///
/// Cost: linear, and a sort of the passes. 5 bytes a cell, and 24 for each of the passes, of which there is about one for
/// eight cells of rough ground.
pub fn breach_all(grid: &impl Grid, links: &Links, elevation: &Field<f32>, outlets: &Outlets) -> Breached {
    check(grid, links, elevation, outlets);
    let stencil = Stencil::new(grid.shape());
    let ground = Ground { grid, links, stencil: &stencil, outlets };
    let passes::Ways { mut next, bottoms } = passes::ways(ground, elevation);
    let mut cutting = Cutting { grid, surface: elevation.clone(), cuts: 0 };
    for pit in bottoms {
        cutting.cuts += usize::from(cutting.carve(&stencil, &mut next, (pit, elevation[pit]), elevation));
    }
    cutting.finish(elevation, Vec::new())
}

/// Cuts the pits of `elevation` (metres) down to lower ground on the cheapest ways, where `limits` allow it.
///
/// A way may lead over any cells with data, and ends at the first cell of least cost that is lower than the pit, an
/// outlet, or level with the pit and on a way already cut. Its cost is the ground dug on it, in m3; of equal ways that of
/// the fewest steps, then that whose end has the lowest address, and so on back to the pit. Lower ground may lie in a
/// depression that stays. A pit is tried once, on the surface as the pits before it have left it; one that these have
/// drained needs no cut.
///
/// Cost: n, and for each pit s log s with s cells that are cheaper to reach than its way out; see
/// [`Breaching::most_cells`]. 6 bytes a cell.
pub fn breach(
    grid: &impl Grid,
    links: &Links,
    elevation: &Field<f32>,
    outlets: &Outlets,
    limits: &Breaching,
) -> Breached {
    check(grid, links, elevation, outlets);
    let stencil = Stencil::new(grid.shape());
    let ground = Ground { grid, links, stencil: &stencil, outlets };
    let mut search = Search::new(ground, limits);
    let mut cutting = Cutting { grid, surface: elevation.clone(), cuts: 0 };
    let mut left = ground.pits(elevation);
    left.retain(|&pit| !search.breach(&mut cutting, pit, elevation[pit], f64::MAX));
    // of equal pits a later one may have drained an earlier
    let left = ground.pits_among(&cutting.surface, left);
    cutting.finish(elevation, left)
}
