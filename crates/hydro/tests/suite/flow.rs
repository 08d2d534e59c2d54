//! Receivers, sums, orders, basins and reaches against slow and obvious versions.

use crate::common::{Case, case};
use grid::{Cell, Direction, Draw, Field, Flat, Grid, Nth, Purpose, Seed, Topology};
use hydro::{Flow, FlowError, Links, NONE};

fn check_order(grid: &Topology, flow: &Flow) {
    let mut place = vec![usize::MAX; grid.len()];
    for (i, &c) in flow.order().iter().enumerate() {
        assert_eq!(place[c.index()], usize::MAX, "{c:?} twice");
        place[c.index()] = i;
        if let Some(receiver) = flow.receiver_of(grid, c) {
            assert!(place[receiver.index()] < i, "{c:?} before its receiver");
        }
    }
    assert_eq!(flow.order().len(), grid.len());
}

/// The cell itself and all cells that its water passes.
fn downstream(grid: &Topology, flow: &Flow, cell: Cell) -> Vec<Cell> {
    let mut path = vec![cell];
    while let Some(next) = flow.receiver_of(grid, path[path.len() - 1]) {
        assert!(path.len() <= grid.len(), "a circle");
        path.push(next);
    }
    path
}

#[test]
fn every_cell_drains_to_an_end_and_the_level_never_rises() {
    for number in 0..3000 {
        let case = case(number);
        let (flood, flow) = case.route();
        let ends = case.ends();
        check_order(&case.grid, &flow);
        for c in case.grid.cells().filter(|&c| !case.elevation[c].is_nan()) {
            let path = downstream(&case.grid, &flow, c);
            assert!(ends[path[path.len() - 1].index()], "case {number}: water of {c:?} ends inland");
            let levels: Vec<f32> = path.iter().map(|&p| flood.filled[p]).collect();
            assert!(levels.is_sorted_by(|a, b| a >= b), "case {number}: {levels:?}");
        }
    }
}

#[test]
fn the_receiver_is_the_steepest_lower_neighbour_or_the_parent() {
    for number in 0..3000 {
        let case = case(number);
        let (flood, flow) = case.route();
        let ends = case.ends();
        for c in case.grid.cells() {
            if case.elevation[c].is_nan() || ends[c.index()] {
                assert_eq!(flow.receiver[c], NONE);
                continue;
            }
            let slope = |n: Cell| {
                let drop = f64::from(flood.filled[c]) - f64::from(flood.filled[n]);
                drop / case.grid.center(c).distance(case.grid.center(n))
            };
            let steepest = case.links.neighbors(&case.grid, c).map(|(_, n)| slope(n)).fold(0.0, f64::max);
            let receiver = flow.receiver_of(&case.grid, c).expect("no end");
            if steepest > 0.0 {
                assert!(slope(receiver) >= steepest * (1.0 - 1e-6), "case {number}, {c:?}");
                assert!(case.links.allows(c, Direction::from_index(flow.receiver[c])));
            } else {
                assert_eq!(flow.receiver[c], flood.parent[c], "case {number}, {c:?}");
            }
        }
    }
}

/// On square cells with whole heights, squares of slopes are whole halves: ties are exact.
#[test]
fn equal_slopes_go_to_the_first_direction() {
    const TIES: Purpose = Purpose::new("hydro/tests/ties");
    let mut ties = 0;
    for number in 0..2000 {
        let mut draw = Seed(4).key(TIES).at(Nth(number));
        let map = Flat::new(7, 6, draw.range(0.1, 50.0)).expect("in range");
        let heights = map.cells().map(|_| draw.below(6) as f32).collect();
        let elevation = Field::from_vec(map.shape(), heights).expect("one for each cell");
        let links = Links::all(&map);
        let flood = hydro::flood(&map, &links, &elevation, hydro::border_outlets(&map));
        let flow = hydro::route(&map, &links, &flood);
        for c in map.cells().filter(|&c| !map.at_border(c)) {
            let slope = |(d, n): &(Direction, Cell)| {
                let drop = (flood.filled[c] - flood.filled[*n]).max(0.0) as u32;
                drop * drop * if d.is_side() { 2 } else { 1 }
            };
            let around: Vec<_> = map.neighbors(c).collect();
            let best = around.iter().map(slope).max().expect("inside");
            let first = around.iter().find(|n| slope(n) == best).expect("one of them");
            let expected = if best == 0 { flood.parent[c] } else { first.0 as u8 };
            assert_eq!(flow.receiver[c], expected, "map {number}, {c:?}");
            ties += usize::from(best > 0 && around.iter().filter(|n| slope(n) == best).count() > 1);
        }
    }
    assert!(ties > 1000, "only {ties} ties were met");
}

/// Receivers without rule: any direction or none.
fn wild_receivers(grid: &Topology, draw: &mut Draw, ends: f64) -> Field<u8> {
    let mut any = |c| {
        let d = Direction::from_index(draw.below(8) as u8);
        if draw.unit() < ends || grid.neighbor(c, d).is_none() { NONE } else { d as u8 }
    };
    Field::from_vec(grid.shape(), grid.cells().map(&mut any).collect()).expect("one for each cell")
}

#[test]
fn circles_are_found_and_nothing_else_is_refused() {
    const WILD: Purpose = Purpose::new("hydro/tests/wild");
    let mut counts = [0, 0];
    for number in 0..3000 {
        let mut draw = Seed(5).key(WILD).at(Nth(number));
        let grid = crate::common::any_grid(&mut draw);
        let ends = draw.unit();
        let receiver = wild_receivers(&grid, &mut draw, ends);
        let next = |c: Cell| match receiver[c] {
            NONE => None,
            d => grid.neighbor(c, Direction::from_index(d)),
        };
        let comes_back = |c: &Cell| {
            let mut at = next(*c);
            for _ in 0..grid.len() {
                if at == Some(*c) {
                    return true;
                }
                at = at.and_then(next);
            }
            false
        };
        let circle = grid.cells().find(comes_back);
        match (Flow::from_receivers(&grid, receiver.clone()), circle) {
            (Ok(flow), None) => check_order(&grid, &flow),
            (Err(error), Some(cell)) => assert_eq!(error, FlowError::Cycle { cell }),
            (got, expected) => panic!("case {number}: {got:?}, but {expected:?}"),
        }
        counts[usize::from(circle.is_some())] += 1;
    }
    assert!(counts.iter().all(|&n| n > 300), "{counts:?}");
}

#[test]
fn receivers_that_are_none_are_refused() {
    let map = Flat::new(3, 3, 1.0).expect("in range");
    let mut receiver = Field::filled(map.shape(), NONE);
    receiver[Cell(4)] = 8;
    let error = Flow::from_receivers(&map, receiver.clone()).expect_err("8 is no direction");
    assert_eq!(error, FlowError::NotADirection { cell: Cell(4), value: 8 });
    receiver[Cell(4)] = 0;
    receiver[Cell(2)] = Direction::E as u8;
    let error = Flow::from_receivers(&map, receiver).expect_err("nothing is east of there");
    assert_eq!(error, FlowError::NoNeighbor { cell: Cell(2), direction: Direction::E });
    assert!(error.to_string().contains("no cell to its E"), "{error}");
}

#[test]
fn sums_and_roots_agree_with_walking_down() {
    for number in 0..1500 {
        let Case { grid, mut draw, .. } = case(number);
        let (_, flow) = case(number).route();
        let ones = grid.cells().map(|_| f64::from(draw.below(1 << 20))).collect();
        let weight = Field::from_vec(grid.shape(), ones).expect("one for each cell");
        let (sum, roots) = (hydro::accumulate(&grid, &flow, &weight), hydro::basins(&grid, &flow));
        let mut expected = vec![0.0; grid.len()];
        for c in grid.cells() {
            let path = downstream(&grid, &flow, c);
            path.iter().for_each(|p| expected[p.index()] += weight[c]);
            assert_eq!(roots[c], path[path.len() - 1].0, "case {number}");
            let inflows: Vec<Cell> = flow.inflows(&grid, c).collect();
            let direct = grid.neighbors(c).map(|(_, n)| n);
            assert!(direct.filter(|&n| flow.receiver_of(&grid, n) == Some(c)).eq(inflows));
        }
        assert_eq!(sum.as_slice(), expected, "case {number}");
        let ends = grid.cells().filter(|&c| flow.receiver[c] == NONE).map(|c| sum[c]).sum::<f64>();
        assert_eq!(ends, weight.as_slice().iter().sum::<f64>(), "case {number}: nothing is lost");
    }
}

/// Streams where enough cells come together, or anywhere.
fn any_streams(grid: &Topology, flow: &Flow, draw: &mut Draw) -> Field<bool> {
    let cells = hydro::accumulate(grid, flow, &Field::filled(grid.shape(), 1.0));
    let (least, scattered) = (f64::from(1 + draw.below(5)), draw.below(3) == 0);
    let is_stream = |c| if scattered { draw.unit() < 0.7 } else { cells[c] >= least };
    Field::from_vec(grid.shape(), grid.cells().map(is_stream).collect()).expect("one for each cell")
}

fn strahler_of(grid: &Topology, flow: &Flow, is_stream: &Field<bool>, cell: Cell) -> u8 {
    let inflows = flow.inflows(grid, cell).filter(|&n| is_stream[n]);
    let orders: Vec<u8> = inflows.map(|n| strahler_of(grid, flow, is_stream, n)).collect();
    match orders.iter().max() {
        None => 1,
        Some(&m) => m + u8::from(orders.iter().filter(|&&o| o == m).count() >= 2),
    }
}

#[test]
fn strahler_follows_its_definition() {
    let mut most = 0;
    for number in 0..1500 {
        let mut case = case(number);
        let (_, flow) = case.route();
        let is_stream = any_streams(&case.grid, &flow, &mut case.draw);
        let order = hydro::strahler(&case.grid, &flow, &is_stream);
        for c in case.grid.cells() {
            let expected = if is_stream[c] { strahler_of(&case.grid, &flow, &is_stream, c) } else { 0 };
            assert_eq!(order[c], expected, "case {number}, {c:?}");
            most = most.max(order[c]);
        }
    }
    assert!(most >= 4, "only order {most} was met");
}

#[test]
fn reaches_share_out_the_streams() {
    for number in 0..1500 {
        let mut case = case(number);
        let (grid, (_, flow)) = (case.grid.clone(), case.route());
        let is_stream = any_streams(&grid, &flow, &mut case.draw);
        let order = hydro::strahler(&grid, &flow, &is_stream);
        let reaches = hydro::reaches(&grid, &flow, &is_stream, &order);
        assert!(reaches.is_sorted_by(|a, b| a.cells[0] < b.cells[0]));
        let inflows = |c| flow.inflows(&grid, c).filter(|&n| is_stream[n]).count();
        let mut held = vec![0; grid.len()];
        for reach in &reaches {
            reach.cells.iter().for_each(|c| held[c.index()] += 1);
            assert!(reach.cells.windows(2).all(|w| flow.receiver_of(&grid, w[0]) == Some(w[1])));
            assert!(reach.cells.iter().all(|&c| order[c] == reach.order), "case {number}");
            assert_ne!(inflows(reach.cells[0]), 1, "case {number}: begins at a head or a junction");
            assert!(reach.cells[1..].iter().all(|&c| inflows(c) == 1), "case {number}");
            let last = reach.cells[reach.cells.len() - 1];
            let below = flow.receiver_of(&grid, last).filter(|&c| is_stream[c]);
            let downstream = reach.downstream.map(|i| reaches[i as usize].cells[0]);
            assert_eq!(downstream, below, "case {number}");
        }
        let expected: Vec<i32> = is_stream.as_slice().iter().map(|&s| i32::from(s)).collect();
        assert_eq!(held, expected, "case {number}");
    }
}
