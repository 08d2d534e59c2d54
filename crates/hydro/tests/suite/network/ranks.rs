//! Nodes, main stems and the orders of streams.

use super::{River, drawn, river};
use grid::{Cell, Field, Grid};
use hydro::network::{Nodes, Stems, hack_order, horton_order, shreve, streams_above, streams_above_each};
use hydro::strahler;

#[test]
fn streams_are_where_enough_comes_together() {
    for number in 0..500 {
        let River { grid, area, mut draw, .. } = river(number);
        let least = f64::from(draw.below(8));
        let several = Field::from_fn(grid.shape(), |c| f64::from(c.0 % 7));
        let (constant, each) = (streams_above(&area, least), streams_above_each(&area, &several));
        for c in grid.cells() {
            assert_eq!(constant[c], area[c] >= least);
            assert_eq!(each[c], area[c] >= several[c]);
        }
    }
    let unknown = Field::filled(river(0).grid.shape(), f64::NAN);
    assert!(!streams_above(&unknown, f64::NEG_INFINITY).as_slice().contains(&true));
    assert!(!streams_above_each(&unknown, &unknown).as_slice().contains(&true));
}

#[test]
fn nodes_are_where_streams_begin_meet_and_end() {
    for number in 0..2000 {
        let river = river(number);
        let nodes = Nodes::of(&river.grid, &river.flow, &river.is_stream);
        let those = |is: &dyn Fn(Cell) -> bool| -> Vec<Cell> {
            river.streams().into_iter().filter(|&c| is(c)).collect()
        };
        assert!(nodes.heads().eq(those(&|c| river.stream_inflows(c).is_empty())), "river {number}");
        assert!(nodes.junctions().eq(those(&|c| river.stream_inflows(c).len() > 1)), "river {number}");
        assert!(nodes.mouths().eq(those(&|c| river.stream_below(c).is_none())), "river {number}");
        assert!(river.grid.cells().all(|c| usize::from(nodes.inflows(c)) == river.stream_inflows(c).len()));
    }
}

/// The longest way down to a cell, of all cells.
fn longest_m(river: &River, cell: Cell) -> f64 {
    let above = river.flow.inflows(&river.grid, cell);
    above.map(|n| longest_m(river, n) + step_m(river, n, cell)).fold(0.0, f64::max)
}

/// Steps of a map are equal bit for bit by its spacing, and from centre to centre nearly so.
fn step_m(river: &River, from: Cell, to: Cell) -> f64 {
    let direction = usize::from(river.flow.receiver[from]);
    let spacing = river.grid.row_spacing_m(river.grid.shape().split(from).1);
    spacing.map_or_else(|| river.step_m(from, to), |s| s[direction])
}

/// The main inflow by its definition.
pub fn main_inflow(river: &River, cell: Cell) -> Option<Cell> {
    let rank = |n: Cell| (river.area[n], longest_m(river, n) + step_m(river, n, cell));
    let mut inflows = river.stream_inflows(cell);
    inflows.sort_by(|&a, &b| rank(b).partial_cmp(&rank(a)).expect("numbers").then(a.cmp(&b)));
    inflows.first().copied()
}

#[test]
fn the_main_stem_follows_the_greatest_area() {
    let (mut by_length, mut by_address) = (0, 0);
    for number in 0..3000 {
        let river = river(number);
        let stems = Stems::of(&river.grid, &river.flow, &river.area, &river.is_stream);
        for c in river.grid.cells() {
            let expected = if river.is_stream[c] { main_inflow(&river, c) } else { None };
            assert_eq!(stems.above(c), expected, "river {number}, {c:?}");
            let Some(main) = expected else { continue };
            let equals = || {
                river
                    .stream_inflows(c)
                    .into_iter()
                    .filter(|&n| n != main && river.area[n] == river.area[main])
            };
            let way = |n| longest_m(&river, n) + step_m(&river, n, c);
            by_length += usize::from(equals().any(|n| way(n) < way(main)));
            by_address += usize::from(equals().any(|n| way(n) == way(main)));
        }
        for c in river.streams() {
            let up: Vec<Cell> = stems.up(c).collect();
            assert!(up[0] == c && up.windows(2).all(|w| main_inflow(&river, w[0]) == Some(w[1])));
            assert!(river.stream_inflows(up[up.len() - 1]).is_empty());
        }
    }
    assert!(by_length > 2000 && by_address > 300, "{by_length} ties by length, {by_address} by address");
}

fn heads_above(river: &River, cell: Cell) -> u32 {
    let above = river.stream_inflows(cell);
    if above.is_empty() { 1 } else { above.into_iter().map(|n| heads_above(river, n)).sum() }
}

#[test]
fn shreve_counts_heads() {
    for number in 0..2000 {
        let river = river(number);
        let magnitude = shreve(&river.grid, &river.flow, &river.is_stream);
        for c in river.grid.cells() {
            let expected = if river.is_stream[c] { heads_above(&river, c) } else { 0 };
            assert_eq!(magnitude[c], expected, "river {number}, {c:?}");
        }
    }
}

#[test]
fn hack_counts_the_turns_off_the_main_stem() {
    let mut most = 0;
    for number in 0..2000 {
        let river = river(number);
        let stems = Stems::of(&river.grid, &river.flow, &river.area, &river.is_stream);
        let order = hack_order(&river.grid, &river.flow, &river.is_stream, &stems);
        let mains: Vec<_> = river.grid.cells().map(|c| main_inflow(&river, c)).collect();
        for c in river.grid.cells() {
            if !river.is_stream[c] {
                assert_eq!(order[c], 0);
                continue;
            }
            let way: Vec<Cell> = std::iter::successors(Some(c), |&c| river.stream_below(c)).collect();
            let turns = way.windows(2).filter(|w| mains[w[1].index()] != Some(w[0])).count();
            assert_eq!(usize::from(order[c]), 1 + turns, "river {number}, {c:?}");
            most = most.max(order[c]);
        }
    }
    assert!(most >= 5, "only order {most} was met");
}

/// From each mouth and each inflow that is left aside, up the stream with its order.
fn horton_by_walking(river: &River, strahler: &Field<u8>) -> Vec<u8> {
    let mut order = vec![0; river.grid.len()];
    let mut begins: Vec<Cell> =
        river.streams().into_iter().filter(|&c| river.stream_below(c).is_none()).collect();
    while let Some(bottom) = begins.pop() {
        let (mut cell, own) = (bottom, strahler[bottom]);
        loop {
            order[cell.index()] = own;
            let mut above = river.stream_inflows(cell);
            let Some(greatest) = above.iter().map(|&n| strahler[n]).max() else { break };
            let main = main_inflow(river, cell).filter(|&n| strahler[n] == greatest);
            let next = main.or_else(|| above.iter().copied().filter(|&n| strahler[n] == greatest).min());
            let next = next.expect("one has the greatest order");
            above.retain(|&n| n != next);
            begins.extend(above);
            cell = next;
        }
    }
    order
}

#[test]
fn hortons_streams_keep_their_order_to_the_head() {
    let mut others = 0;
    for number in 0..2000 {
        let river = river(number);
        let stems = Stems::of(&river.grid, &river.flow, &river.area, &river.is_stream);
        let ranks = strahler(&river.grid, &river.flow, &river.is_stream);
        let order = horton_order(&river.grid, &river.flow, &ranks, &stems);
        assert_eq!(order.as_slice(), horton_by_walking(&river, &ranks), "river {number}");
        let is_lower = |c: Cell, n: Cell| river.stream_inflows(c).iter().any(|&m| ranks[m] > ranks[n]);
        let turns = |c: &&Cell| stems.above(**c).is_some_and(|n| is_lower(**c, n));
        others += river.streams().iter().filter(turns).count();
    }
    assert!(others > 100, "the main stem is of a lower order than another inflow {others} times only");
}

/// Two heads meet, then a third joins the stream of order 2.
#[test]
fn a_drawn_network_has_the_orders_of_the_textbook() {
    let river = drawn(&[
        "v...v", //
        "c.z.v", // the two meet in the middle of the third row
        ".v..v", //
        ".>>>v", //
        "....o",
    ]);
    let stems = Stems::of(&river.grid, &river.flow, &river.area, &river.is_stream);
    let magnitude = shreve(&river.grid, &river.flow, &river.is_stream);
    let hack = hack_order(&river.grid, &river.flow, &river.is_stream, &stems);
    let ranks = strahler(&river.grid, &river.flow, &river.is_stream);
    let horton = horton_order(&river.grid, &river.flow, &ranks, &stems);
    // mouth; the western arm of 7 cells is the main stem, the eastern one has 3
    assert_eq!((magnitude[Cell(24)], hack[Cell(24)], ranks[Cell(24)], horton[Cell(24)]), (3, 1, 2, 2));
    assert_eq!((magnitude[Cell(4)], hack[Cell(4)], ranks[Cell(4)], horton[Cell(4)]), (1, 2, 1, 1));
    // above the inner junction the arm of two cells goes on: order 2 by Horton, 1 by Strahler
    assert_eq!((hack[Cell(0)], ranks[Cell(0)], horton[Cell(0)]), (1, 1, 2));
    assert_eq!((hack[Cell(7)], ranks[Cell(7)], horton[Cell(7)]), (2, 1, 1));
}
