//! Pits: flats without a lower neighbour, from which water cannot run on.

use crate::flood::{cell_of, key};
use crate::stencil::Stencil;
use crate::{Links, Outlets};
use grid::{Cell, Field, Grid};
use rayon::prelude::*;

/// A surface on which pits are looked for.
pub(super) struct Ground<'a, G> {
    pub(super) grid: &'a G,
    pub(super) links: &'a Links,
    pub(super) stencil: &'a Stencil,
    pub(super) outlets: &'a Outlets,
}

impl<G> Clone for Ground<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Ground<'_, G> {}

impl<G: Grid> Ground<'_, G> {
    /// The pits of a surface from the lowest up, of equal ones by address.
    pub(super) fn pits(&self, surface: &Field<f32>) -> Vec<Cell> {
        let cells = (0..self.grid.len()).into_par_iter().map(Cell::from_index);
        let bottoms: Vec<Cell> = cells.filter(|&c| self.is_bottom(surface, c)).collect();
        self.pits_among(surface, bottoms)
    }

    /// The pits whose flat holds one of these cells, from the lowest up: of each its cell of the lowest address.
    ///
    /// Every flat is walked over once, however many of its cells are named.
    pub(super) fn pits_among(&self, surface: &Field<f32>, cells: Vec<Cell>) -> Vec<Cell> {
        let mut seen = Vec::new(); // cells of flats of more than one cell, only made if there are any
        let mut flat = Vec::new();
        let mut pits = Vec::new();
        for cell in cells.into_iter().filter(|&c| self.is_bottom(surface, c)) {
            if !self.has_level_neighbor(surface, cell) {
                pits.push(key(surface[cell], cell));
                continue;
            }
            if seen.is_empty() {
                seen = vec![false; self.grid.len()];
            }
            if !seen[cell.index()] {
                self.walk_flat(surface, cell, &mut seen, &mut flat);
                if flat.iter().all(|&c| self.is_bottom(surface, c)) {
                    let first = flat.iter().min().expect("it holds the cell it began with");
                    pits.push(key(surface[*first], *first));
                }
            }
        }
        pits.sort_unstable();
        pits.dedup();
        pits.into_iter().map(cell_of).collect()
    }

    /// Whether a cell has data, is no outlet and has no strictly lower neighbour.
    fn is_bottom(&self, surface: &Field<f32>, cell: Cell) -> bool {
        let z = surface[cell];
        if z.is_nan() || self.outlets.has(cell) {
            return false;
        }
        let mut has_lower = false;
        self.stencil.visit(self.grid, self.links.byte(cell), cell, |_, _, n| has_lower |= surface[n] < z);
        !has_lower
    }

    fn has_level_neighbor(&self, surface: &Field<f32>, cell: Cell) -> bool {
        let z = surface[cell];
        let mut found = false;
        self.stencil.visit(self.grid, self.links.byte(cell), cell, |_, _, n| found |= surface[n] == z);
        found
    }

    /// Lists the cells that hang together with `first` at its level, and marks them as seen.
    fn walk_flat(&self, surface: &Field<f32>, first: Cell, seen: &mut [bool], flat: &mut Vec<Cell>) {
        let z = surface[first];
        flat.clear();
        flat.push(first);
        seen[first.index()] = true;
        let mut next = 0;
        while let Some(&cell) = flat.get(next) {
            next += 1;
            self.stencil.visit(self.grid, self.links.byte(cell), cell, |_, _, n| {
                if surface[n] == z && !std::mem::replace(&mut seen[n.index()], true) {
                    flat.push(n);
                }
            });
        }
    }
}
