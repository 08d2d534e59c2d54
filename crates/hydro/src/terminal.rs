//! Where water goes when some lakes are closed: down to their sinks, and over the spills of full lakes.

use crate::Links;
use crate::balance::{Fill, Standing};
use crate::depressions::Depressions;
use crate::flow::NONE;
use crate::stencil::{Stencil, assert_shape};
use grid::{Cell, Field, Grid};
use std::collections::VecDeque;

/// Turns the directions of [`receivers`](crate::receivers), which fill every depression, into those of a
/// [`balance`](crate::balance()), and returns for each water that stands its last cell: the *outlet* of a full lake,
/// through which all that overflows leaves it, or the *sink* of a closed one (its pit), which has no receiver.
///
/// Roots that are full stay as they are. In the others each dry cell drains on the bare ground; a closed lake's cells
/// to its pit, a full one's to its spill, both on shortest ways. Cells of a lake that touches another at just its level
/// are one lake with it. Links are those of the flood. Cost: linear in the depressions' cells.
pub fn lead_to_lakes(
    grid: &impl Grid,
    links: &Links,
    depressions: &Depressions,
    waters: &[Standing],
    receiver: &mut Field<u8>,
) -> Vec<Cell> {
    assert_shape(grid, receiver, "the receivers");
    let mut is_full = vec![false; depressions.len()];
    for water in waters.iter().filter(|w| !matches!(w.fill, Fill::Closed { .. })) {
        is_full[water.depression as usize] = true;
    }
    for &root in depressions.roots().iter().filter(|&&root| !is_full[root as usize]) {
        for &cell in depressions.cells(root) {
            receiver[cell] = depressions.way_down(cell);
        }
    }
    let mut turn = Turn {
        grid,
        links,
        depressions,
        stencil: Stencil::new(grid.shape()),
        receiver,
        state: Field::filled(grid.shape(), Place::Elsewhere),
        queue: VecDeque::new(),
        brims: VecDeque::new(),
    };
    waters.iter().map(|water| turn.water(water)).collect()
}

/// What a cell is to the lake that is being led to its end.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Elsewhere,
    /// In the lake.
    Wet,
    /// At just the level of its spill.
    Brim,
}

struct Turn<'a, G> {
    grid: &'a G,
    links: &'a Links,
    depressions: &'a Depressions,
    stencil: Stencil,
    receiver: &'a mut Field<u8>,
    /// All [`Place::Elsewhere`] between two lakes.
    state: Field<Place>,
    queue: VecDeque<Cell>,
    brims: VecDeque<Cell>,
}

impl<G: Grid> Turn<'_, G> {
    fn water(&mut self, water: &Standing) -> Cell {
        let number = water.depression;
        let depression = self.depressions.get(number);
        match (water.fill, depression.into) {
            (Fill::Closed { covered, partly, .. }, _) => {
                self.sink(number, covered + partly);
                depression.pit
            }
            (Fill::Full | Fill::Silted, Some(into)) => self.spill(number, into),
            (Fill::Full | Fill::Silted, None) => depression.gate.expect("roots have a gate"),
        }
    }

    /// Leads a closed lake's cells to its pit.
    fn sink(&mut self, number: u32, own: usize) {
        let depressions = self.depressions;
        let children = depressions.cells(number).len() - depressions.own_cells(number).len();
        for &cell in &depressions.cells(number)[..children + own] {
            self.state[cell] = Place::Wet;
        }
        let pit = depressions.get(number).pit;
        self.receiver[pit] = NONE;
        self.state[pit] = Place::Elsewhere;
        self.queue.push_back(pit);
        self.fill();
    }

    /// Leads a full lake's cells to its spill, and the spill to the other side. Returns the last cell of the lake.
    fn spill(&mut self, number: u32, into: Cell) -> Cell {
        let depressions = self.depressions;
        for &cell in depressions.cells(number) {
            self.state[cell] = Place::Wet;
        }
        for cell in depressions.brim(number) {
            self.state[cell] = Place::Brim;
        }
        let spill = depressions.get(number).spill;
        self.state[spill] = Place::Elsewhere;
        self.receiver[spill] = self.direction(spill, into);
        let mut outlet = None;
        self.brims.push_back(spill);
        while let Some(brim) = self.brims.pop_front() {
            for (cell, back) in self.around(brim).into_iter().flatten() {
                match self.state[cell] {
                    Place::Elsewhere => continue,
                    Place::Brim => self.brims.push_back(cell),
                    Place::Wet => self.queue.push_back(cell),
                }
                outlet = outlet.or((self.state[cell] == Place::Wet).then_some(cell));
                self.state[cell] = Place::Elsewhere;
                self.receiver[cell] = back;
                self.fill(); // so that each body of water leaves by one cell
            }
        }
        outlet.expect("a depression touches its spill, or what is level with it")
    }

    /// Spreads over the rest of a lake from the cells in the queue.
    fn fill(&mut self) {
        while let Some(cell) = self.queue.pop_front() {
            for (n, back) in self.around(cell).into_iter().flatten() {
                match self.state[n] {
                    Place::Elsewhere => continue,
                    Place::Wet => self.queue.push_back(n),
                    Place::Brim => self.brims.push_back(n),
                }
                self.state[n] = Place::Elsewhere;
                self.receiver[n] = back;
            }
        }
    }

    /// The linked neighbours, each with the way back from it.
    fn around(&self, cell: Cell) -> [Option<(Cell, u8)>; 8] {
        let mut around = [None; 8];
        let mut count = 0;
        self.stencil.visit(self.grid, self.links.byte(cell), cell, |_, back, n| {
            around[count] = Some((n, back));
            count += 1;
        });
        around
    }

    fn direction(&self, from: Cell, to: Cell) -> u8 {
        let mut found = NONE;
        self.stencil.visit(self.grid, self.links.byte(from), from, |d, _, n| {
            if n == to && found == NONE {
                found = d;
            }
        });
        debug_assert_ne!(found, NONE, "a spill touches what it overflows into");
        found
    }
}
