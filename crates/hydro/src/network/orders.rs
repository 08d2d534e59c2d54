//! Ranks of streams beside Strahler's: Shreve's, Hack's and Horton's.

use super::Stems;
use crate::Flow;
use crate::stencil::assert_shape;
use grid::{Cell, Field, Grid};

/// Shreve's magnitude (Shreve 1966) of each stream cell: the number of heads whose water passes it; 0 where there is no
/// stream. Cost: linear.
pub fn shreve(grid: &impl Grid, flow: &Flow, is_stream: &Field<bool>) -> Field<u32> {
    assert_shape(grid, is_stream, "the streams");
    let mut magnitude = Field::filled(grid.shape(), 0u32);
    let (values, is_stream) = (magnitude.as_mut_slice(), is_stream.as_slice());
    for &cell in flow.order().iter().rev().filter(|c| is_stream[c.index()]) {
        // heads have received nothing until their turn comes
        let own = values[cell.index()].max(1);
        values[cell.index()] = own;
        if let Some(below) = flow.target(cell).filter(|t| is_stream[t.index()]) {
            values[below.index()] += own;
        }
    }
    magnitude
}

/// Hack's order (Hack 1957; also Gravelius') of each stream cell: 1 along the main stem from a mouth up to its head, one
/// more along each tributary; 0 where there is no stream. Stops counting at 65,535. Cost: linear.
///
/// `stems` of the same streams.
pub fn hack_order(grid: &impl Grid, flow: &Flow, is_stream: &Field<bool>, stems: &Stems) -> Field<u16> {
    assert_shape(grid, is_stream, "the streams");
    let mut order = Field::filled(grid.shape(), 0u16);
    let (values, is_stream) = (order.as_mut_slice(), is_stream.as_slice());
    for &cell in flow.order().iter().filter(|c| is_stream[c.index()]) {
        values[cell.index()] = match flow.target(cell).filter(|t| is_stream[t.index()]) {
            None => 1,
            Some(below) => values[below.index()].saturating_add(u16::from(!stems.continues(below, cell))),
        };
    }
    order
}

/// Horton's order (Horton 1945) of each stream cell: a stream has Strahler's order of its lowest cell all the way up to its
/// head; 0 where there is no stream. Cost: linear.
///
/// Above a junction a stream goes on in the inflow of the greatest Strahler order; of several, in the main inflow of
/// `stems` if that is one of them, else in the one of the lowest address. `strahler` and `stems` of the same streams.
pub fn horton_order(grid: &impl Grid, flow: &Flow, strahler: &Field<u8>, stems: &Stems) -> Field<u8> {
    assert_shape(grid, strahler, "the order");
    let strahler = strahler.as_slice();
    let rank = |below: Cell, cell: Cell| {
        (strahler[cell.index()], stems.continues(below, cell), std::cmp::Reverse(cell))
    };
    let mut next = vec![super::NOWHERE; grid.len()];
    for &cell in flow.order().iter().filter(|c| strahler[c.index()] > 0) {
        if let Some(below) = flow.target(cell) {
            let rival = next[below.index()];
            if rival == super::NOWHERE || rank(below, cell) > rank(below, Cell(rival)) {
                next[below.index()] = cell.0;
            }
        }
    }
    let mut order = Field::filled(grid.shape(), 0u8);
    let values = order.as_mut_slice();
    for &cell in flow.order().iter().filter(|c| strahler[c.index()] > 0) {
        let below = flow.target(cell).filter(|t| next[t.index()] == cell.0);
        let continued = below.map_or(0, |t| values[t.index()]);
        values[cell.index()] = if continued > 0 { continued } else { strahler[cell.index()] };
    }
    order
}
