//! Depressions filled to their spill: the least surface over the land from which all water reaches an outlet.
//!
//! `filled(c)` is the least, over all paths along links from `c` to an outlet, of the highest elevation on the
//! path. Cells are visited from the outlets inwards in the order of that level, from a priority queue
//! (Barnes, Lehman & Mulla 2014); cells below the present level need no priority and go through a plain queue.
//! Only comparisons of the input are made, so the surface is exact.

use crate::flow::NONE;
use crate::stencil::{Stencil, assert_shape};
use crate::{Links, Outlets};
use grid::{Cell, Direction, Field, Grid};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Not reached by the flood yet. Neither a direction nor [`NONE`].
const DRY: u8 = 254;

/// A surface without depressions, and how the flood came over it.
#[derive(Clone, Debug, PartialEq)]
pub struct Flood {
    /// Level of the filled surface in metres. Not a number where the elevation is not.
    pub filled: Field<f32>,
    /// Index of the direction to the cell from which each cell was flooded; [`NONE`] at outlets.
    pub parent: Field<u8>,
    order: Vec<Cell>,
}

impl Flood {
    /// All cells: outlets and cells without data by address, then the others in the order in which they were
    /// flooded. The filled level never falls along the others, and a parent comes before its children.
    pub fn order(&self) -> &[Cell] {
        &self.order
    }

    /// The cell from which this one was flooded.
    pub fn parent_of(&self, grid: &impl Grid, cell: Cell) -> Option<Cell> {
        let direction = self.parent[cell];
        if direction == NONE { None } else { grid.neighbor(cell, Direction::from_index(direction)) }
    }
}

/// Outlets for a map with an open border: the cells that lie at it.
pub fn border_outlets(grid: &impl Grid) -> impl Fn(Cell) -> bool + Sync {
    move |cell| grid.at_border(cell)
}

/// Fills the depressions of `elevation` (metres) so that water reaches an outlet from everywhere.
///
/// Cells whose elevation is not a number have no data: water that gets next to one (along a link) leaves the
/// map there, so their neighbours are outlets too. Where there is no outlet at all, the lowest cell is one
/// (the lowest address of equals), on any grid. Cells of equal level are taken by address. The cells of a
/// depression are flooded from one of them, through which the lake overflows.
///
/// Cost: n log n, in one thread.
pub fn flood(
    grid: &impl Grid,
    links: &Links,
    elevation: &Field<f32>,
    outlet: impl Fn(Cell) -> bool + Sync,
) -> Flood {
    assert_shape(grid, elevation, "the elevation");
    assert_shape(grid, links.bytes(), "the links");
    let parent = shores(grid, links, elevation, outlet);
    let mut front = Front {
        grid,
        links,
        stencil: Stencil::new(grid.shape()),
        filled: elevation.clone(),
        parent,
        order: Vec::with_capacity(grid.len()),
        heap: BinaryHeap::new(),
        level_cells: VecDeque::new(),
        below: VecDeque::new(),
    };
    front.start();
    front.run();
    debug_assert_eq!(front.order.len(), grid.len(), "sides are always links, so every cell is reached");
    Flood { filled: front.filled, parent: front.parent, order: front.order }
}

/// [`NONE`] at outlets and cells without data, [`DRY`] elsewhere.
fn shores(
    grid: &impl Grid,
    links: &Links,
    elevation: &Field<f32>,
    outlet: impl Fn(Cell) -> bool + Sync,
) -> Field<u8> {
    let outlets = Outlets::of(grid, links, elevation, outlet);
    let is_end = |cell| elevation[cell].is_nan() || outlets.has(cell);
    Field::from_fn(grid.shape(), |cell| if is_end(cell) { NONE } else { DRY })
}

/// A key that sorts by level, then by address. -0 and 0 are one level. `level` is a number.
pub(crate) fn key(level: f32, cell: Cell) -> u64 {
    let bits = (level + 0.0).to_bits();
    let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(ordered) << 32 | u64::from(cell.0)
}

pub(crate) fn cell_of(key: u64) -> Cell {
    Cell(key as u32)
}

/// The flood on its way.
struct Front<'a, G> {
    grid: &'a G,
    links: &'a Links,
    stencil: Stencil,
    filled: Field<f32>,
    parent: Field<u8>,
    order: Vec<Cell>,
    /// Cells above the present level, by level and address.
    heap: BinaryHeap<Reverse<u64>>,
    /// Cells at the present level, first come first served: flats are crossed on short ways.
    level_cells: VecDeque<Cell>,
    /// Cells of the depression that is being filled.
    below: VecDeque<Cell>,
}

impl<G: Grid> Front<'_, G> {
    /// Puts the ends first in the order, and those beside a dry cell on the heap.
    fn start(&mut self) {
        let mut shore = Vec::new();
        for cell in (0..self.grid.len()).map(Cell::from_index) {
            if self.parent[cell] != NONE {
                continue;
            }
            self.order.push(cell);
            let (mut has_dry, parent) = (false, &self.parent);
            self.stencil.visit(self.grid, self.links.mask(cell), cell, |_, _, n| has_dry |= parent[n] == DRY);
            if has_dry && !self.filled[cell].is_nan() {
                shore.push(Reverse(key(self.filled[cell], cell)));
            }
        }
        self.heap = BinaryHeap::from(shore);
    }

    /// Floods everything, level by level.
    fn run(&mut self) {
        while let Some(Reverse(key)) = self.heap.pop() {
            let cell = cell_of(key);
            if self.parent[cell] != NONE {
                self.order.push(cell);
            }
            self.spread(cell);
            while let Some(cell) = self.level_cells.pop_front() {
                self.order.push(cell);
                self.spread(cell);
            }
        }
    }

    /// Floods the dry neighbours of a cell: lower ones at once, with all their depression.
    fn spread(&mut self, cell: Cell) {
        let level = self.filled[cell];
        let mut lower = [(Cell(0), 0); 8];
        let mut count = 0;
        self.stencil.visit(self.grid, self.links.mask(cell), cell, |_, back, n| {
            if self.parent[n] != DRY {
                return;
            }
            let z = self.filled[n];
            if z < level {
                lower[count] = (n, back);
                count += 1;
            } else {
                self.parent[n] = back;
                if z == level {
                    self.level_cells.push_back(n);
                } else {
                    self.heap.push(Reverse(key(z, n)));
                }
            }
        });
        for &(n, back) in &lower[..count] {
            // Another of them may have drawn it into its depression meanwhile.
            if self.parent[n] == DRY {
                self.parent[n] = back;
                self.fill(n, level);
            }
        }
    }

    /// Floods the cells below `level` that hang together with `first`, breadth first, all from `first`.
    fn fill(&mut self, first: Cell, level: f32) {
        self.filled[first] = level;
        self.below.push_back(first);
        while let Some(cell) = self.below.pop_front() {
            self.order.push(cell);
            self.stencil.visit(self.grid, self.links.mask(cell), cell, |_, back, n| {
                if self.parent[n] != DRY {
                    return;
                }
                self.parent[n] = back;
                let z = self.filled[n];
                if z < level {
                    self.filled[n] = level;
                    self.below.push_back(n);
                } else if z == level {
                    self.level_cells.push_back(n);
                } else {
                    self.heap.push(Reverse(key(z, n)));
                }
            });
        }
    }
}
