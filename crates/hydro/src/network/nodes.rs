//! Which cells are streams, and where streams begin, meet and end.

use crate::Flow;
use crate::stencil::assert_shape;
use grid::{Cell, Field, Grid};

/// The cells where a quantity that comes together along the flow (cells, area in square metres, discharge) is at least so
/// much. What is not a number is no stream. Cost: linear, in parallel.
pub fn streams_above<T: PartialOrd + Copy + Sync>(quantity: &Field<T>, least: T) -> Field<bool> {
    quantity.map(|q| *q >= least)
}

/// As [`streams_above`], with a threshold for each cell: one that rises with dryness, or falls with slope.
///
/// Where the threshold rises downstream, a stream may end on land.
pub fn streams_above_each<T: PartialOrd + Copy + Sync>(quantity: &Field<T>, least: &Field<T>) -> Field<bool> {
    assert_eq!(quantity.shape(), least.shape(), "the shape of the thresholds must be that of the quantity");
    Field::from_fn(quantity.shape(), |cell| quantity[cell] >= least[cell])
}

/// The nodes of a network: where streams begin, meet and end. A cell can be more than one of these.
pub struct Nodes<'a> {
    flow: &'a Flow,
    is_stream: &'a Field<bool>,
    inflows: Field<u8>,
}

impl<'a> Nodes<'a> {
    /// The nodes of these streams. Cost: linear.
    pub fn of(grid: &impl Grid, flow: &'a Flow, is_stream: &'a Field<bool>) -> Self {
        assert_shape(grid, &flow.receiver, "the flow");
        assert_shape(grid, is_stream, "the streams");
        let mut inflows = Field::filled(grid.shape(), 0u8);
        let counts = inflows.as_mut_slice();
        let streams = is_stream.as_slice().iter().enumerate().filter(|(_, s)| **s);
        for target in streams.filter_map(|(index, _)| flow.target(Cell::from_index(index))) {
            counts[target.index()] += 1;
        }
        Self { flow, is_stream, inflows }
    }

    /// Number of stream cells whose receiver a cell is.
    pub fn inflows(&self, cell: Cell) -> u8 {
        self.inflows[cell]
    }

    /// The stream cells into which no stream flows, by address.
    pub fn heads(&self) -> impl Iterator<Item = Cell> + '_ {
        self.streams().filter(|&c| self.inflows[c] == 0)
    }

    /// The stream cells into which two streams flow or more, by address.
    pub fn junctions(&self) -> impl Iterator<Item = Cell> + '_ {
        self.streams().filter(|&c| self.inflows[c] > 1)
    }

    /// The stream cells whose water goes to no stream cell, by address.
    pub fn mouths(&self) -> impl Iterator<Item = Cell> + '_ {
        self.streams().filter(|&c| self.flow.target(c).is_none_or(|t| !self.is_stream[t]))
    }

    fn streams(&self) -> impl Iterator<Item = Cell> + '_ {
        let marks = self.is_stream.as_slice().iter().enumerate();
        marks.filter(|(_, s)| **s).map(|(index, _)| Cell::from_index(index))
    }
}
