//! Where the water of each cell goes: receivers, and an order from the outlets up.

use crate::stencil::{Stencil, assert_shape};
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
const NO_CELL: u32 = u32::MAX;

impl Flow {
    /// The flow along given receivers (indices of directions, or [`NONE`]).
    ///
    /// # Errors
    /// A value that is neither, a direction without a cell behind it, or receivers that form a circle.
    pub fn from_receivers(grid: &impl Grid, receiver: Field<u8>) -> Result<Self, FlowError> {
        assert_shape(grid, &receiver, "the receivers");
        let stencil = Stencil::new(grid.shape());
        let cells = (0..grid.len()).into_par_iter().map(Cell::from_index);
        if let Some(error) = cells.clone().find_map_first(|c| refusal(grid, &stencil, c, receiver[c])) {
            return Err(error);
        }
        let target_of = |c| stencil_target(grid, &stencil, c, receiver[c]).map_or(NO_CELL, |t| t.0);
        let targets: Vec<u32> = cells.map(target_of).collect();
        let order = outlets_up(&targets)?;
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

    /// All cells, each after its receiver; rivers lie in one piece as far as possible.
    pub fn order(&self) -> &[Cell] {
        &self.order
    }

    /// The neighbours whose receiver is this cell, clockwise from north.
    pub fn inflows(&self, grid: &impl Grid, cell: Cell) -> impl Iterator<Item = Cell> {
        grid.neighbors(cell).map(|(_, n)| n).filter(move |&n| self.target(n) == Some(cell))
    }
}

fn stencil_target(grid: &impl Grid, stencil: &Stencil, cell: Cell, direction: u8) -> Option<Cell> {
    if direction == NONE { None } else { stencil.neighbor(grid, cell, direction) }
}

/// What is wrong with a cell's receiver.
fn refusal(grid: &impl Grid, stencil: &Stencil, cell: Cell, value: u8) -> Option<FlowError> {
    match value {
        NONE => None,
        8.. => Some(FlowError::NotADirection { cell, value }),
        _ if stencil.neighbor(grid, cell, value).is_some() => None,
        _ => Some(FlowError::NoNeighbor { cell, direction: Direction::from_index(value) }),
    }
}

/// Follows the water down from each head, by address, as far as all that flows in has been met; the reverse of
/// that order has each cell after its receiver. A cell on a circle is never free of inflow (Kahn 1962).
fn outlets_up(targets: &[u32]) -> Result<Vec<Cell>, FlowError> {
    let mut inflows = vec![0u8; targets.len()];
    for &target in targets.iter().filter(|&&t| t != NO_CELL) {
        inflows[target as usize] += 1;
    }
    const DONE: u8 = u8::MAX;
    let mut order = Vec::with_capacity(targets.len());
    for head in 0..targets.len() {
        let mut cell = head;
        while inflows[cell] == 0 {
            inflows[cell] = DONE;
            order.push(Cell::from_index(cell));
            if targets[cell] == NO_CELL {
                break;
            }
            cell = targets[cell] as usize;
            inflows[cell] -= 1;
        }
    }
    if let Some(cell) = inflows.iter().position(|&n| n != DONE) {
        return Err(FlowError::Cycle { cell: Cell::from_index(cell) });
    }
    order.reverse();
    Ok(order)
}
