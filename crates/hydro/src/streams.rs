//! The network of streams: Strahler's order, and reaches between junctions.

use crate::Flow;
use crate::descent::{Gather, gather_along};
use crate::stencil::assert_shape;
use grid::{Cell, Field, Grid};

/// Strahler's order (Strahler 1957) of each stream cell; 0 where there is no stream.
///
/// A head has order 1. Below a junction the order is the greatest that flows in, one more if at least two inflows
/// have it: {1, 1, 2} stays 2. Where a stream runs into a cell without stream it ends.
pub fn strahler(grid: &impl Grid, flow: &Flow, is_stream: &Field<bool>) -> Field<u8> {
    assert_shape(grid, &flow.receiver, "the flow");
    assert_shape(grid, is_stream, "the streams");
    let mut order = Field::filled(grid.shape(), 0u8);
    let rule = Strahler { is_stream: is_stream.as_slice() };
    gather_along(grid, flow, order.as_mut_slice(), &rule);
    order
}

/// Until a cell's turn comes it holds what flowed in: twice the greatest order, plus 1 if that came twice. Order m
/// needs 2^(m-1) cells, so 33 is the most.
struct Strahler<'a> {
    is_stream: &'a [bool],
}

impl Gather for Strahler<'_> {
    type Value = u8;
    #[inline(always)]
    fn has(&self, cell: usize) -> bool {
        self.is_stream[cell]
    }
    #[inline(always)]
    fn finish(&self, met: u8) -> u8 {
        (met / 2 + met % 2).max(1)
    }
    #[inline(always)]
    fn add(&self, below: &mut u8, above: u8) {
        // An order that came once is below twice the next one; a second time sets the last bit.
        let is_equal = above == *below / 2;
        *below = (*below).max(2 * above) | u8::from(is_equal);
    }
}

/// A stream between two junctions.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// From a head or a junction down, to the cell before the next junction or to the last stream cell. Never
    /// empty. A junction, a stream cell with two inflows or more, is the first cell of the reach below it.
    pub cells: Vec<Cell>,
    /// Index of the reach that begins at the junction below; `None` at a mouth.
    pub downstream: Option<u32>,
    /// Strahler's order.
    pub order: u8,
}

/// The reaches of a network, by the address of their first cells. Each stream cell is in exactly one.
///
/// `order` as [`strahler`] gives it for the same streams.
pub fn reaches(grid: &impl Grid, flow: &Flow, is_stream: &Field<bool>, order: &Field<u8>) -> Vec<Reach> {
    assert_shape(grid, order, "the order");
    let inflows = stream_inflows(grid, flow, is_stream);
    let begins = |cell: Cell| is_stream[cell] && inflows[cell] != 1;
    let heads: Vec<Cell> = (0..grid.len()).map(Cell::from_index).filter(|&c| begins(c)).collect();
    let next = |cell| flow.target(cell).filter(|&t| is_stream[t]);
    let reach = |&head: &Cell| {
        let mut cells = vec![head];
        let mut below = next(head);
        while let Some(cell) = below.filter(|&c| inflows[c] == 1) {
            cells.push(cell);
            below = next(cell);
        }
        let downstream = below.and_then(|junction| heads.binary_search(&junction).ok()).map(|i| i as u32);
        Reach { cells, downstream, order: order[head] }
    };
    heads.iter().map(reach).collect()
}

/// Number of stream cells whose receiver is each cell.
fn stream_inflows(grid: &impl Grid, flow: &Flow, is_stream: &Field<bool>) -> Field<u8> {
    assert_shape(grid, &flow.receiver, "the flow");
    assert_shape(grid, is_stream, "the streams");
    let mut inflows = Field::filled(grid.shape(), 0);
    for cell in (0..grid.len()).map(Cell::from_index).filter(|&c| is_stream[c]) {
        if let Some(target) = flow.target(cell) {
            inflows[target] += 1;
        }
    }
    inflows
}
