//! Which of the streams that meet is the river: main stems.

use super::NOWHERE;
use super::steps::Steps;
use crate::Flow;
use crate::stencil::assert_shape;
use grid::{Cell, Field, Grid};

/// The main inflow of each stream cell, and with it the main stem up from anywhere.
///
/// It is the stream cell flowing in with the greatest area; of equal ones the one with the longest flow path down to the
/// junction (over all cells, stream or not, so that the choice does not depend on where streams begin); of equal ones the
/// one of the lowest address. Path lengths are compared as rounded sums from the head down.
#[derive(Clone, Debug, PartialEq)]
pub struct Stems {
    /// For each cell.
    main: Vec<u32>,
}

impl Stems {
    /// Finds the main inflows. `area_m2` is what has come together at each cell: drainage area, number of cells or
    /// discharge, not negative. Cost: linear; 12 bytes a cell.
    pub fn of(grid: &impl Grid, flow: &Flow, area_m2: &Field<f64>, is_stream: &Field<bool>) -> Self {
        assert_shape(grid, area_m2, "the area");
        assert_shape(grid, is_stream, "the streams");
        assert_shape(grid, &flow.receiver, "the flow");
        let steps = Steps::of(grid, flow);
        let (area, is_stream) = (area_m2.as_slice(), is_stream.as_slice());
        let mut longest_m = vec![0.0f64; grid.len()];
        let mut main = vec![NOWHERE; grid.len()];
        for &cell in flow.order().iter().rev() {
            let Some(below) = flow.target(cell) else { continue };
            let length_m = longest_m[cell.index()] + steps.length_m(grid, cell, below);
            longest_m[below.index()] = longest_m[below.index()].max(length_m);
            if !(is_stream[cell.index()] && is_stream[below.index()]) {
                continue;
            }
            let rival = main[below.index()];
            let rival_m = || longest_m[rival as usize] + steps.length_m(grid, Cell(rival), below);
            let wins = rival == NOWHERE || {
                let (own, other) = (area[cell.index()], area[rival as usize]);
                own > other || (own == other && is_longer((length_m, cell.0), (rival_m(), rival)))
            };
            if wins {
                main[below.index()] = cell.0;
            }
        }
        Self { main }
    }

    /// The main inflow of a cell; `None` at heads and where there is no stream.
    #[inline]
    pub fn above(&self, cell: Cell) -> Option<Cell> {
        let main = self.main[cell.index()];
        (main != NOWHERE).then_some(Cell(main))
    }

    /// A cell and the main stem above it, up to its head.
    pub fn up(&self, from: Cell) -> impl Iterator<Item = Cell> + '_ {
        std::iter::successors(Some(from), |&cell| self.above(cell))
    }

    /// Whether a cell is the main inflow of this one.
    #[inline]
    pub(super) fn continues(&self, below: Cell, cell: Cell) -> bool {
        self.main[below.index()] == cell.0
    }
}

/// Lengths with the addresses of their cells: longer, or as long and of the lower address.
fn is_longer(own: (f64, u32), other: (f64, u32)) -> bool {
    own.0 > other.0 || (own.0 == other.0 && own.1 < other.1)
}
