//! Statistics of networks whose answers are known: Peano's basin, a plane, slopes made by a power law; and by slow,
//! obvious counts on random cases.

use crate::common::{any_elevation, case, fractal_globe};
use grid::{Cell, Direction, Field, Flat, Globe, Grid, math};
use hydro::statistics::{
    SideBranches, area_exceedance, concavity, drainage_density_per_m, hack, horton_ratios, line,
    longest_path_m, stream_orders,
};
use hydro::{Flow, Links, NONE};

/// Peano's basin (Peano 1890; as a river network: Marani, Rigon & Rinaldo 1991) on a square of 2^k cells: three quarters
/// drain to the centre, and the fourth carries their water on along its diagonal. The outlet is in the south-east.
fn peano(k: u32) -> (Flat, Flow) {
    let n = 1u32 << k;
    let map = Flat::new(n, n, 1000.0).expect("in range");
    let mut receiver = Field::filled(map.shape(), NONE);
    quarter(&map, &mut receiver, (0, 0), n, (1, 1));
    (map.clone(), Flow::from_receivers(&map, receiver).expect("no circles"))
}

/// Lays out a square whose outlet is its corner towards `out`: 0 is north and west, 1 south and east.
fn quarter(map: &Flat, receiver: &mut Field<u8>, at: (u32, u32), side: u32, out: (u32, u32)) {
    let half = side / 2;
    if half == 0 {
        return;
    }
    // the middle's four cells: each corner cell of a quarter that touches the centre
    let middle = |y: u32, x: u32| map.shape().join(0, at.0 + half - 1 + y, at.1 + half - 1 + x);
    for (y, x) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let through = (y, x) == out;
        let towards = if through { out } else { (1 - y, 1 - x) };
        quarter(map, receiver, (at.0 + half * y, at.1 + half * x), half, towards);
    }
    for (y, x) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().filter(|&q| q != out) {
        let goal = middle(out.0, out.1);
        let to = Direction::ALL.into_iter().find(|&d| map.neighbor(middle(y, x), d) == Some(goal));
        receiver[middle(y, x)] = to.expect("the four cells touch") as u8;
    }
}

fn drained(grid: &impl Grid, flow: &Flow) -> Field<f64> {
    hydro::accumulate(grid, flow, &Field::from_fn(grid.shape(), |c| grid.area_m2(c)))
}

/// In a Peano basin of 4^k cells there are (2 4^(k + 1 - w) + 1) / 3 streams of order w <= k, each draining 4^(w - 1) cells;
/// one of order w is half a diagonal long: 2^(w - 2) cells.
#[test]
fn streams_of_peanos_basin_are_counted() {
    let (map, flow) = peano(8);
    let order = hydro::strahler(&map, &flow, &Field::filled(map.shape(), true));
    let area = drained(&map, &flow);
    let orders = stream_orders(&map, &flow, &order, &area);
    assert_eq!(orders.len(), 9);
    for (w, stream) in (1u32..).zip(&orders) {
        let expected = if w == 9 { 1 } else { (2 * 4usize.pow(8 + 1 - w) + 1) / 3 };
        assert_eq!(stream.streams, expected, "order {w}");
        assert_eq!(stream.mean_area_m2, f64::from(4u32.pow(w - 1)) * 1e6, "order {w}");
        // steps between the cells of the half diagonal, and a last step to the junction, straight or diagonal
        let steps = if w == 1 { 0.0 } else { f64::from(1u32 << (w - 2)) - 1.0 };
        let (shortest, longest) = (steps * 2f64.sqrt() + 1.0, (steps + 1.0) * 2f64.sqrt());
        let km = stream.mean_length_m / 1000.0;
        if w < 9 {
            assert!((shortest - 1e-9..=longest + 1e-9).contains(&km), "order {w}: {km} km");
        }
    }
}

#[test]
fn peanos_basin_has_its_ratios() {
    let (map, flow) = peano(8);
    let order = hydro::strahler(&map, &flow, &Field::filled(map.shape(), true));
    let orders = stream_orders(&map, &flow, &order, &drained(&map, &flow));
    let ratios = horton_ratios(&orders, 3).expect("many orders");
    assert_eq!(ratios.orders, 8);
    assert!((ratios.area - 4.0).abs() < 1e-9, "{ratios:?}");
    // (2 4^j + 1) / 3 is nearly a power of four
    assert!((ratios.bifurcation - 4.0).abs() < 0.1, "{ratios:?}");
    // first-order streams are one cell and the last step, of which half are straight
    assert!((ratios.length - 2.0).abs() < 0.12, "{ratios:?}");
    assert!(horton_ratios(&orders[..2], 1).is_none());
}

/// N_w = (2 4^j + 1) / 3 is what two forming streams and T_k = 2^(k - 1) side branches give: Peano's basin branches like
/// Shreve's random topology, a = 1 and c = 2, up to its last order but one (the outlet's stream is a single cell).
#[test]
fn peanos_basin_branches_like_random_topology() {
    let (map, flow) = peano(7);
    let order = hydro::strahler(&map, &flow, &Field::filled(map.shape(), true));
    let found = SideBranches::of(&map, &flow, &order);
    assert_eq!(found.streams.len(), 8);
    for i in 1..7 {
        for j in i + 1..8 {
            assert_eq!(found.ratio(i, j), Some(f64::from(1u32 << (j - i - 1))), "T_{i}{j}");
        }
    }
}

/// A block of 4^k cells is drained along a path of 2^k diagonals, and a share 2^-k of all cells drains more.
#[test]
fn peanos_basin_has_its_exponents() {
    let (map, flow) = peano(9);
    let area = drained(&map, &flow);
    let path = longest_path_m(&map, &flow, &area);
    let all = area.as_slice().iter().copied().fold(0.0, f64::max);
    let law = hack(&path, &area, 16e6..all).expect("many nodes");
    assert!((law.exponent - 0.5).abs() < 0.02, "{law:?}");
    let law = area_exceedance(&area, 4e6..all / 16.0).expect("many cells");
    assert!((law.exponent + 0.5).abs() < 0.02, "{law:?}");
}

/// Parallel rivers down a plane: paths as long as areas are large, no concentration, channels everywhere.
fn plane(rows: u32, cols: u32) -> (Flat, Flow, Field<f64>) {
    let map = Flat::new(cols, rows, 100.0).expect("in range");
    let south = |c: Cell| if map.neighbor(c, Direction::S).is_some() { Direction::S as u8 } else { NONE };
    let receiver = Field::from_fn(map.shape(), south);
    let flow = Flow::from_receivers(&map, receiver).expect("no circles");
    let area = drained(&map, &flow);
    (map, flow, area)
}

#[test]
fn a_plane_has_no_network() {
    let (map, flow, area) = plane(1000, 40);
    let path = longest_path_m(&map, &flow, &area);
    assert_eq!(path[Cell(999 * 40)], 99_900.0);
    let law = hack(&path, &area, 16e4..1e7).expect("many nodes");
    assert!((law.exponent - 1.0).abs() < 0.02, "{law:?}");
    let everywhere = Field::filled(map.shape(), true);
    assert!((drainage_density_per_m(&map, &flow, &area, &everywhere) - 999.0 / 1000.0 / 100.0).abs() < 1e-9);
    let order = hydro::strahler(&map, &flow, &everywhere);
    let orders = stream_orders(&map, &flow, &order, &area);
    assert_eq!((orders.len(), orders[0].streams), (1, 40));
    assert_eq!((orders[0].mean_length_m, orders[0].mean_area_m2), (99_900.0, 1e7));
    assert!(horton_ratios(&orders, 1).is_none());
    let level = Field::from_fn(map.shape(), |c| (40_000 - c.0 / 40) as f32);
    let law = concavity(&map, &flow, &level, &area, &everywhere, (5, 16e4..1e7)).expect("many cells");
    assert!(law.exponent.abs() < 1e-6, "{law:?}");
}

#[test]
fn the_concavity_of_a_made_profile_is_found() {
    let (map, flow, area) = plane(2000, 40);
    for theta in [0.3, 0.45, 0.6] {
        let mut level = Field::filled(map.shape(), 0.0f32);
        for &cell in flow.order() {
            if let Some(below) = flow.receiver_of(&map, cell) {
                level[cell] = level[below] + (1e4 * math::pow(area[cell], -theta) * 100.0) as f32;
            }
        }
        let everywhere = Field::filled(map.shape(), true);
        let law = concavity(&map, &flow, &level, &area, &everywhere, (5, 64e4..2e7)).expect("many cells");
        assert!((law.exponent + theta).abs() < 0.02, "{theta}: {law:?}");
    }
}

/// P(A > a) of areas that were made to follow a power law exactly.
#[test]
fn the_exceedance_of_made_areas_is_found() {
    let map = Flat::new(400, 400, 1.0).expect("in range");
    for b in [0.41, 0.45, 0.55] {
        let n = map.len() as f64;
        let area = Field::from_fn(map.shape(), |c| math::pow((f64::from(c.0) + 0.5) / n, -1.0 / b));
        let law = area_exceedance(&area, 4.0..2000.0).expect("many cells");
        assert!((law.exponent + b).abs() < 0.002, "{b}: {law:?}");
    }
}

/// What is sea, area 0, has no part in anything.
#[test]
fn the_sea_does_not_count() {
    let (globe, elevation) = fractal_globe(32, 4);
    let links = Links::planar(&globe, &elevation);
    let flood = hydro::flood(&globe, &links, &elevation, |c| elevation[c] <= 0.0);
    let flow = hydro::route(&globe, &links, &flood);
    let own = Field::from_fn(globe.shape(), |c| if elevation[c] > 0.0 { globe.area_m2(c) } else { 0.0 });
    let mut area = hydro::accumulate(&globe, &flow, &own);
    for cell in globe.cells().filter(|&c| elevation[c] <= 0.0) {
        area[cell] = 0.0;
    }
    let path = longest_path_m(&globe, &flow, &area);
    for cell in globe.cells() {
        let longest_above = climb(&globe, &flow, &area, cell);
        assert!((path[cell] - longest_above).abs() < 1e-6 * longest_above.max(1.0), "{cell:?}");
    }
}

/// The longest path by going up every branch.
fn climb(globe: &Globe, flow: &Flow, area: &Field<f64>, cell: Cell) -> f64 {
    if area[cell] <= 0.0 {
        return 0.0;
    }
    let above = flow.inflows(globe, cell).filter(|&c| area[c] > 0.0);
    above.map(|c| climb(globe, flow, area, c) + globe.cell_distance_m(c, cell)).fold(0.0, f64::max)
}

/// Streams, counted one by one from their upper ends.
#[test]
fn streams_are_those_of_a_walk_down_each() {
    for number in 0..400 {
        let mut case = case(number);
        let elevation = any_elevation(&case.grid, &mut case.draw);
        let flood = hydro::flood(&case.grid, &case.links, &elevation, |c| case.outlets[c]);
        let flow = hydro::route(&case.grid, &case.links, &flood);
        let area = drained(&case.grid, &flow);
        let share = case.draw.unit();
        let marks = case.grid.cells().map(|_| case.draw.unit() < share).collect();
        let is_stream = Field::from_vec(case.grid.shape(), marks).expect("one for each cell");
        let order = hydro::strahler(&case.grid, &flow, &is_stream);
        let found = stream_orders(&case.grid, &flow, &order, &area);
        let mut sums = vec![(0usize, 0.0, 0.0); found.len()];
        for head in case.grid.cells().filter(|&c| order[c] > 0) {
            if flow.inflows(&case.grid, head).any(|c| order[c] == order[head]) {
                continue;
            }
            let (mut cell, mut length_m) = (head, 0.0);
            while let Some(below) = flow.receiver_of(&case.grid, cell).filter(|&c| order[c] > 0) {
                length_m += case.grid.cell_distance_m(cell, below);
                if order[below] != order[head] {
                    break;
                }
                cell = below;
            }
            let sum = &mut sums[usize::from(order[head]) - 1];
            *sum = (sum.0 + 1, sum.1 + length_m, sum.2 + area[cell]);
        }
        for (stream, (count, length_m, area_m2)) in found.iter().zip(sums) {
            assert_eq!(stream.streams, count, "case {number}");
            let means = (length_m / count as f64, area_m2 / count as f64);
            assert!((stream.mean_length_m - means.0).abs() <= 1e-9 * means.0, "case {number}");
            assert!((stream.mean_area_m2 - means.1).abs() <= 1e-9 * means.1, "case {number}");
        }
    }
}

#[test]
fn lines_need_two_places() {
    assert!(line(&[(1.0, 2.0)]).is_none());
    let map = Flat::new(3, 3, 1.0).expect("in range");
    let nothing = Field::filled(map.shape(), 0.0);
    assert!(hack(&nothing, &nothing, 1.0..9.0).is_none() && area_exceedance(&nothing, 1.0..9.0).is_none());
}
