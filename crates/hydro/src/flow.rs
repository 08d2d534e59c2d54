//! Where the water of each cell goes: receivers, and an order from the outlets up.

use crate::descent;
use crate::neighbors::Neighbors;
use crate::stencil::assert_shape;
use grid::{Cell, Direction, Field, Grid};
use rayon::prelude::*;

/// In a field of directions: none.
pub const NONE: u8 = 255;

/// Why receivers are not a flow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FlowError {
    /// A value that is no direction.
    #[error("cell {}: receiver {value} is no direction; it must be 0 (north) to 7 (north-west), or 255 for none", cell.0)]
    NotADirection {
        /// The first such cell.
        cell: Cell,
        /// The offending value.
        value: u8,
    },
    /// A direction in which the grid has no cell.
    #[error("cell {}: there is no cell to its {direction:?}; water that leaves the grid must have receiver 255", cell.0)]
    NoNeighbor {
        /// The first such cell.
        cell: Cell,
        /// The direction of its receiver.
        direction: Direction,
    },
    /// Water that never reaches an outlet.
    #[error("cell {}: its water runs in a circle; following receivers must end at a cell without one", cell.0)]
    Cycle {
        /// The lowest address on a circle.
        cell: Cell,
    },
}

/// The receiver of each cell, and an order from the outlets up. Without circles.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Index of the direction to each cell's receiver; [`NONE`] where the water ends. To be read: the order
    /// belongs to it.
    pub receiver: Field<u8>,
    /// Address of the receiver, `NO_CELL` where there is none.
    targets: Vec<u32>,
    order: Vec<Cell>,
}

/// An address that no cell has: grids hold fewer than 2^32 cells.
pub(crate) const NO_CELL: u32 = u32::MAX;

impl Flow {
    /// The flow along given receivers (indices of directions, or [`NONE`]).
    ///
    /// # Errors
    /// A value that is neither, a direction without a cell behind it, or receivers that form a circle.
    pub fn from_receivers(grid: &impl Grid, receiver: Field<u8>) -> Result<Self, FlowError> {
        assert_shape(grid, &receiver, "the receivers");
        let mut order = descent::walk(grid, &receiver)?;
        order.reverse();
        let targets = targets(grid, receiver.as_slice());
        Ok(Self { receiver, targets, order })
    }

    /// The cell that a cell's water goes to.
    pub fn receiver_of(&self, _grid: &impl Grid, cell: Cell) -> Option<Cell> {
        self.target(cell)
    }

    /// As [`Flow::receiver_of`]; the address is kept, so the grid need not be asked.
    #[inline]
    pub(crate) fn target(&self, cell: Cell) -> Option<Cell> {
        let target = self.targets[cell.index()];
        (target != NO_CELL).then_some(Cell(target))
    }

    /// Address of each cell's receiver, [`NO_CELL`] where there is none.
    pub(crate) fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// All cells, each after its receiver; rivers lie in one piece as far as possible.
    pub fn order(&self) -> &[Cell] {
        &self.order
    }

    /// The neighbours whose receiver is this cell, clockwise from north.
    pub fn inflows(&self, grid: &impl Grid, cell: Cell) -> impl Iterator<Item = Cell> {
        grid.neighbors(cell).map(|(_, n)| n).filter(move |&n| self.target(n) == Some(cell))
    }
}

/// The addresses of the receivers, which are known to exist.
fn targets(grid: &impl Grid, receiver: &[u8]) -> Vec<u32> {
    let cols = (grid.shape().cols as usize).max(1);
    let to = Neighbors::of(grid);
    let mut targets = vec![0; receiver.len()];
    targets.par_chunks_mut(cols).enumerate().for_each(|(line, out)| {
        let first = line * cols;
        for (i, (out, &d)) in out.iter_mut().zip(&receiver[first..first + cols]).enumerate() {
            *out = if d == NONE { NO_CELL } else { to.step((first + i) as u32, d) };
        }
    });
    targets
}
