//! Side branches by looking at each junction; trees with side branching by construction; Scheidegger's random network.

use super::{River, river};
use grid::{Cell, Direction, Draw, Field, Flat, Grid, Nth, Purpose, Seed};
use hydro::statistics::{SideBranches, area_exceedance, hack, horton_ratios, longest_path_m, stream_orders};
use hydro::{Flow, NONE, strahler};

/// N_ij by the definition, junction by junction.
fn joining(river: &River, order: &Field<u8>) -> Vec<Vec<usize>> {
    let greatest = usize::from(order.as_slice().iter().copied().max().unwrap_or(0));
    let mut count = vec![vec![0; greatest]; greatest];
    for c in river.streams() {
        let own = usize::from(order[c]);
        let mut inflows: Vec<usize> =
            river.stream_inflows(c).iter().map(|&n| usize::from(order[n])).collect();
        inflows.sort_unstable();
        match inflows.iter().rposition(|&o| o == own) {
            // the stream itself comes in, and the others join it
            Some(itself) => drop(inflows.remove(itself)),
            // the last two have formed it
            None => inflows.truncate(inflows.len().saturating_sub(2)),
        }
        inflows.iter().for_each(|&i| count[i - 1][own - 1] += 1);
    }
    count
}

#[test]
fn side_branches_are_those_at_the_junctions() {
    let mut most = 0;
    for number in 0..3000 {
        let river = river(number);
        let order = strahler(&river.grid, &river.flow, &river.is_stream);
        let found = SideBranches::of(&river.grid, &river.flow, &order);
        assert_eq!(found.joining, joining(&river, &order), "river {number}");
        let is_end = |c: Cell| river.stream_below(c).is_none_or(|t| order[t] != order[c]);
        for (streams, w) in found.streams.iter().zip(1u8..) {
            let expected = river.streams().into_iter().filter(|&c| order[c] == w && is_end(c)).count();
            assert_eq!(*streams, expected, "river {number}");
        }
        most = most.max(found.streams.len());
    }
    assert!(most >= 4, "only order {most} was met");
}

/// A tree of streams drawn on a map: each stream runs south in its column, and goes west to the one that it joins.
struct Tree<'a> {
    branches: &'a dyn Fn(u32) -> u32,
    /// Row, column, direction.
    cells: Vec<(u32, u32, Direction)>,
}

impl Tree<'_> {
    /// Draws a stream of an order with its western column at `col`; the columns it takes, and the row it has come to.
    fn grow(&mut self, order: u32, col: u32) -> (u32, u32) {
        if order == 1 {
            return (1, 0);
        }
        let (mut width, mut row) = self.grow(order - 1, col);
        let sides = (1..order).flat_map(|i| std::iter::repeat_n(i, (self.branches)(order - i) as usize));
        for branch in [order - 1].into_iter().chain(sides.collect::<Vec<_>>()) {
            let at = col + width;
            let (columns, its_row) = self.grow(branch, at);
            let junction = its_row.max(row + 1);
            self.cells.extend((its_row..junction).map(|r| (r, at, Direction::S)));
            self.cells.extend((col + 1..=at).map(|c| (junction, c, Direction::W)));
            self.cells.extend((row..junction).map(|r| (r, col, Direction::S)));
            (width, row) = (width + columns, junction);
        }
        (width, row)
    }
}

/// The flow of a tree in which T_k = a c^(k - 1), of so many orders; and where its streams are.
fn tree(a: u32, c: u32, orders: u32) -> (Flat, Flow, Field<bool>) {
    let mut tree = Tree { branches: &|k| a * c.pow(k - 1), cells: Vec::new() };
    let (width, height) = tree.grow(orders, 0);
    let map = Flat::new(width, height + 1, 1.0).expect("in range");
    let mut receiver = Field::filled(map.shape(), NONE);
    let mut is_stream = Field::filled(map.shape(), false);
    for &(row, col, direction) in &tree.cells {
        let cell = map.shape().join(0, row, col);
        assert!(!is_stream[cell], "streams lie on each other at row {row}, column {col}");
        (receiver[cell], is_stream[cell]) = (direction as u8, true);
    }
    is_stream[map.shape().join(0, height, 0)] = true; // the mouth
    (map.clone(), Flow::from_receivers(&map, receiver).expect("a tree"), is_stream)
}

/// Rb by the formula of Tokunaga (1978). a = 1, c = 2: (5 + sqrt(25 - 16)) / 2 = 4. a = 2, c = 3: (7 + sqrt(49 - 24)) / 2 = 6.
/// a = 1, c = 3: 3 + sqrt(3). a = 3, c = 1: 3 + sqrt(7).
#[test]
fn trees_made_with_side_branches_give_them_back() {
    let cases = [(1, 2, 7, 4.0), (2, 3, 5, 6.0), (1, 3, 6, 3.0 + 3f64.sqrt()), (3, 1, 6, 3.0 + 7f64.sqrt())];
    for (a, c, orders, bifurcation) in cases {
        let (map, flow, is_stream) = tree(a, c, orders);
        let order = strahler(&map, &flow, &is_stream);
        let found = SideBranches::of(&map, &flow, &order);
        assert_eq!(found.streams.len(), orders as usize, "a = {a}, c = {c}");
        for i in 1..orders as usize {
            for j in i + 1..=orders as usize {
                let made = f64::from(a * c.pow((j - i) as u32 - 1));
                assert_eq!(found.ratio(i, j), Some(made), "a = {a}, c = {c}: T_{i}{j}");
                assert_eq!(found.mean(j - i), Some(made));
            }
        }
        // two streams form one of the next order, the others are its side branches or those of higher ones
        let n = |i: usize| found.streams[i - 1];
        for i in 1..orders as usize {
            let sides: usize =
                (i + 1..=orders as usize).map(|j| n(j) * (a * c.pow((j - i) as u32 - 1)) as usize).sum();
            assert_eq!(n(i), 2 * n(i + 1) + sides, "a = {a}, c = {c}");
        }
        let law = found.law(1).expect("many orders");
        assert!((law.a - f64::from(a)).abs() < 1e-9 && (law.c - f64::from(c)).abs() < 1e-9, "{law:?}");
        assert!((law.bifurcation() - bifurcation).abs() < 1e-9, "{law:?}");
        // Horton's law of numbers sets in with depth
        let ratio = n(1) as f64 / n(2) as f64;
        assert!((ratio / bifurcation - 1.0).abs() < 0.02, "a = {a}, c = {c}: {ratio}");
        let area = hydro::accumulate(&map, &flow, &is_stream.map(|&s| f64::from(u8::from(s))));
        let ratios = horton_ratios(&stream_orders(&map, &flow, &order, &area), 4).expect("many orders");
        assert!((ratios.bifurcation / bifurcation - 1.0).abs() < 0.06, "a = {a}, c = {c}: {ratios:?}");
    }
}

#[test]
fn nothing_has_no_side_branches() {
    let map = Flat::new(3, 1, 1.0).expect("in range");
    let flow = Flow::from_receivers(&map, Field::filled(map.shape(), NONE)).expect("no circles");
    let nothing = SideBranches::of(&map, &flow, &Field::filled(map.shape(), 0));
    assert!(nothing.streams.is_empty() && nothing.mean(1).is_none() && nothing.law(1).is_none());
    let heads = SideBranches::of(&map, &flow, &Field::filled(map.shape(), 1));
    assert_eq!((heads.streams, heads.joining), (vec![3], vec![vec![0]]));
    assert_eq!(nothing.ratio(0, 1), None);
}

/// Scheidegger's random directed network (1967): each cell's water goes to the south-west or the south-east by a toss. The
/// borders of a river's basin are random walks that meet, so that its length has P(L > l) ~ l^-1/2, its width is l^1/2, its
/// area a = l^3/2: P(A > a) ~ a^-1/3, and L ~ A^2/3 (Huber 1991; Takayasu, Nishikawa & Tasaki 1988).
#[test]
fn scheideggers_network_has_its_exponents() {
    const TOSS: Purpose = Purpose::new("hydro/tests/scheidegger");
    let map = Flat::new(6000, 1000, 1.0).expect("in range");
    let mut draw: Draw = Seed(1967).key(TOSS).at(Nth(0));
    let toss = |c: Cell| {
        let to = if draw.below(2) == 0 { Direction::SW } else { Direction::SE };
        map.neighbor(c, to).map_or(NONE, |_| to as u8)
    };
    let receiver = Field::from_vec(map.shape(), map.cells().map(toss).collect()).expect("one for each cell");
    let flow = Flow::from_receivers(&map, receiver).expect("south only");
    let area = hydro::accumulate(&map, &flow, &Field::filled(map.shape(), 1.0));
    let path = longest_path_m(&map, &flow, &area);
    let law = hack(&path, &area, 30.0..3000.0).expect("many nodes");
    assert!((law.exponent - 2.0 / 3.0).abs() < 0.02, "{law:?}");
    // only where basins of 3000 cells, some 200 long, have had room to grow
    let low = Field::from_fn(map.shape(), |c| if map.shape().split(c).1 >= 900 { area[c] } else { 0.0 });
    let law = area_exceedance(&low, 30.0..3000.0).expect("many cells");
    assert!((law.exponent + 1.0 / 3.0).abs() < 0.02, "{law:?}");
}
