//! Depressions as a tree: pits are its leaves; where two depressions meet they become the children of a third.
//!
//! A depression is the set of cells lower than its spill that hang together (along links) with its pit. Filling up,
//! it overflows at the spill into its sibling; if that is full too, both are one depression from there on, up to the
//! parent's spill. The spill of a root is where the flood came in: what overflows there leaves for good. The tree is
//! that of Barnes, Callaghan & Wickert (2020); it is made in one upward sweep over the cells that the flood covered
//! (a join tree: Carr, Snoeyink & Axen 2003), so dry slopes cost nothing.
//!
//! Every cell of a depression also gets its way down on the bare ground, to a pit: what water does before there is
//! any lake.

mod sweep;

use crate::Flood;
use crate::flow::NONE;
use crate::links::Links;
use crate::stencil::assert_shape;
use grid::{Cell, Field, Grid};
use std::ops::Range;

/// Stands for "no depression".
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A place where water stands until it overflows.
#[derive(Clone, Debug, PartialEq)]
pub struct Depression {
    /// Its lowest cell; of equal ones that of the lowest address among the pits below it.
    pub pit: Cell,
    /// Ground at the pit in metres.
    pub pit_m: f32,
    /// The cell over which it overflows. It is not part of the depression.
    pub spill: Cell,
    /// Ground at the spill, in metres: the level at which it is full.
    pub spill_m: f32,
    /// The neighbour of the spill to which the overflow goes, on the sibling's side; `None` for a root.
    pub into: Option<Cell>,
    /// For a root the cell of it that the flood reached first, next to the spill; `None` for others.
    pub gate: Option<Cell>,
    /// The depression that it and its sibling become together.
    pub parent: Option<u32>,
    /// What it is made of; `None` for a pit.
    pub children: Option<[u32; 2]>,
    /// Area of the water when it is full.
    pub area_m2: f64,
    /// Volume of the water when it is full.
    pub volume_m3: f64,
    /// Its cells: those of both children, then its own.
    range: Range<usize>,
    /// Where its own begin.
    own: usize,
}

/// All depressions under a flood. A child's number is lower than its parent's.
#[derive(Clone, Debug, PartialEq)]
pub struct Depressions {
    all: Vec<Depression>,
    roots: Vec<u32>,
    cells: Vec<Cell>,
    heights_m: Vec<f32>,
    leaf: Field<u32>,
    down: Field<u8>,
}

impl Depressions {
    /// The depressions of `elevation` (metres) under its flood, with the links of that flood.
    ///
    /// `elevation` may also be a surface between the ground and the flood of it, such as [`Depressions::silted`] gives.
    /// Cost: a sort of the flooded cells, then nearly linear in them.
    pub fn of(grid: &impl Grid, links: &Links, elevation: &Field<f32>, flood: &Flood) -> Self {
        assert_shape(grid, elevation, "the elevation");
        assert_shape(grid, &flood.filled, "the flood");
        sweep::run(grid, links, elevation, flood)
    }

    /// Number of depressions.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All depressions by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Depression> {
        self.all.iter()
    }

    /// A depression.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn get(&self, number: u32) -> &Depression {
        &self.all[number as usize]
    }

    /// The depressions that are part of no other. What one overflows with can only reach roots before it in the list.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// Cells of a depression: those of its children, then its own.
    pub fn cells(&self, number: u32) -> &[Cell] {
        &self.cells[self.get(number).range.clone()]
    }

    /// Cells of a depression that no child has, from the lowest up. They lie at or above the children's spill.
    pub fn own_cells(&self, number: u32) -> &[Cell] {
        let depression = self.get(number);
        &self.cells[depression.own..depression.range.end]
    }

    /// Ground of [`Depressions::own_cells`] in metres, never falling.
    pub fn own_heights_m(&self, number: u32) -> &[f32] {
        let depression = self.get(number);
        &self.heights_m[depression.own..depression.range.end]
    }

    /// The pit (a depression without children) that a cell's water runs to while all is dry; `None` outside of all
    /// depressions.
    pub fn leaf(&self, cell: Cell) -> Option<u32> {
        Some(self.leaf[cell]).filter(|&leaf| leaf != NOWHERE)
    }

    /// Index of the direction in which a cell's water runs on bare ground, or [`NONE`] at pits and outside of all
    /// depressions: to the steepest lower neighbour (a diagonal counted as the square root of 2), over flats the
    /// shortest way down.
    pub fn way_down(&self, cell: Cell) -> u8 {
        self.down[cell]
    }

    /// Whether a depression is another, or a part of it.
    pub fn has(&self, number: u32, part: u32) -> bool {
        self.get(number).range.contains(&self.get(part).range.start)
    }

    /// The depression that this one overflows into; `None` for a root.
    pub fn neighbor(&self, number: u32) -> Option<u32> {
        let [a, b] = self.get(self.get(number).parent?).children.expect("a parent has children");
        Some(if a == number { b } else { a })
    }

    /// Area (m2) and volume (m3) of water that stands at a level (m) in a depression; at most those at its spill.
    ///
    /// Cost: linear in the depression's cells.
    pub fn extent(&self, grid: &impl Grid, number: u32, level_m: f32) -> (f64, f64) {
        let depression = self.get(number);
        let level_m = level_m.min(depression.spill_m);
        let cells = depression.range.clone().map(|i| (self.cells[i], self.heights_m[i]));
        cells.filter(|c| c.1 < level_m).fold((0.0, 0.0), |(area, volume), (cell, z)| {
            let of_cell = grid.area_m2(cell);
            (area + of_cell, volume + of_cell * (f64::from(level_m) - f64::from(z)))
        })
    }

    /// The ground with all shallow depressions filled to their spill, as sediment does.
    ///
    /// A root goes if it is less than `least_root_m` deep. Within those that stay, of two depressions that meet the one
    /// with the higher pit (of equals, the one met later) goes if it is less than `least_side_m` deep. The flood over
    /// the result is that over the ground.
    pub fn silted(&self, elevation: &Field<f32>, least_root_m: f32, least_side_m: f32) -> Field<f32> {
        let mut ground = elevation.clone();
        let depth_m = |number: u32| self.get(number).spill_m - self.get(number).pit_m;
        let root = |&root: &u32| (root, depth_m(root) < least_root_m);
        let mut rest: Vec<(u32, bool)> = self.roots.iter().map(root).collect();
        while let Some((number, goes)) = rest.pop() {
            if goes {
                for &cell in self.cells(number) {
                    ground[cell] = self.get(number).spill_m;
                }
            } else if let Some([a, b]) = self.get(number).children {
                let first = self.get(a).pit_m <= self.get(b).pit_m;
                let (lower, higher) = if first { (a, b) } else { (b, a) };
                rest.push((lower, false));
                rest.push((higher, depth_m(higher) < least_side_m));
            }
        }
        ground
    }

    /// A cell's own number of the pit its water reaches, or [`NOWHERE`].
    pub(crate) fn leaves(&self) -> &Field<u32> {
        &self.leaf
    }

    /// The cells next to a depression at just the level of its spill which drain into it.
    pub(crate) fn brim(&self, number: u32) -> impl Iterator<Item = Cell> {
        let level_m = self.get(number).spill_m;
        let ancestors = std::iter::successors(self.get(number).parent, move |&p| {
            let parent = self.get(p);
            parent.parent.filter(|_| parent.spill_m == level_m)
        });
        let level_cells = ancestors.flat_map(move |p| {
            let level = self.own_heights_m(p).iter().take_while(|&&z| z == level_m).count();
            self.own_cells(p)[..level].iter().copied()
        });
        level_cells.filter(move |&c| self.leaf(c).is_some_and(|leaf| self.has(number, leaf)))
    }
}

/// [`NONE`] for fields of ways down.
pub(crate) fn nowhere_down(grid: &impl Grid) -> Field<u8> {
    Field::filled(grid.shape(), NONE)
}
