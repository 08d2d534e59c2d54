//! What is gathered along the flow, against one plain walk, with any number of threads.

use crate::common::any_grid;
use crate::raster::Raster;
use grid::{Cell, Direction, Draw, Field, Grid, Nth, Purpose, Seed};
use hydro::{Flow, FlowError, NONE};

/// Receivers that follow a random height down where they can, with some that go anywhere.
fn any_receivers(grid: &impl Grid, draw: &mut Draw) -> Field<u8> {
    let ends = [0.0, 0.02, 0.3][draw.below(3) as usize];
    let wild = [0.0, 0.0, 0.01, 0.5][draw.below(4) as usize];
    let z: Vec<f64> = grid.cells().map(|c| draw.unit() + 0.1 * f64::from(c.0 % 13)).collect();
    let mut any = |c: Cell| {
        let around: Vec<_> = grid.neighbors(c).collect();
        if draw.unit() < ends || around.is_empty() {
            return NONE;
        }
        if draw.unit() < wild {
            return around[draw.below(around.len() as u32) as usize].0 as u8;
        }
        let lower = around.iter().filter(|(_, n)| z[n.index()] < z[c.index()]);
        lower.min_by(|a, b| z[a.1.index()].total_cmp(&z[b.1.index()])).map_or(NONE, |(d, _)| *d as u8)
    };
    Field::from_vec(grid.shape(), grid.cells().map(&mut any).collect()).expect("one for each cell")
}

/// Everything by one walk from each head, in the order of addresses.
struct Plain {
    order: Vec<Cell>,
    sum: Vec<f64>,
    count: Vec<u32>,
    root: Vec<u32>,
}

fn plain(grid: &impl Grid, receiver: &Field<u8>, weight: &Field<f64>) -> Option<Plain> {
    let next = |c: Cell| grid.neighbor(c, Direction::from_index(receiver[c])).filter(|_| receiver[c] != NONE);
    let mut to_come = vec![0; grid.len()];
    grid.cells().filter_map(next).for_each(|t| to_come[t.index()] += 1);
    let heads: Vec<Cell> = grid.cells().filter(|c| to_come[c.index()] == 0).collect();
    let (mut order, mut sum, mut count) = (Vec::new(), weight.as_slice().to_vec(), vec![1; grid.len()]);
    for head in heads {
        let mut cell = head;
        loop {
            order.push(cell);
            let Some(below) = next(cell) else { break };
            sum[below.index()] += sum[cell.index()];
            count[below.index()] += count[cell.index()];
            to_come[below.index()] -= 1;
            if to_come[below.index()] > 0 {
                break;
            }
            cell = below;
        }
    }
    order.reverse();
    let mut root = vec![0; grid.len()];
    for &c in &order {
        root[c.index()] = next(c).map_or(c.0, |t| root[t.index()]);
    }
    (order.len() == grid.len()).then_some(Plain { order, sum, count, root })
}

/// Weights of many sizes, so that another order of the sums shows.
fn any_weights(grid: &impl Grid, draw: &mut Draw) -> Field<f64> {
    let weight = |_| (draw.unit() - 0.3) * f64::from(1u32 << draw.below(31));
    Field::from_vec(grid.shape(), grid.cells().map(weight).collect()).expect("one for each cell")
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Whether there was a circle.
fn check(grid: &impl Grid, draw: &mut Draw, what: &str) -> bool {
    let (receiver, weight) = (any_receivers(grid, draw), any_weights(grid, draw));
    let flow = Flow::from_receivers(grid, receiver.clone());
    let count = hydro::accumulate_cells(grid, &receiver);
    let Some(expected) = plain(grid, &receiver, &weight) else {
        let error = flow.expect_err("there is a circle");
        assert_eq!(count, Err(error.clone()), "{what}");
        assert!(matches!(error, FlowError::Cycle { .. }), "{what}");
        return true;
    };
    let flow = flow.expect("no circles");
    assert_eq!(flow.order(), expected.order, "{what}");
    let sum = hydro::accumulate(grid, &flow, &weight);
    assert_eq!(bits(sum.as_slice()), bits(&expected.sum), "{what}");
    assert_eq!(count.expect("no circles").as_slice(), expected.count, "{what}");
    assert_eq!(hydro::basins(grid, &flow).as_slice(), expected.root, "{what}");
    let is_stream = Field::from_vec(grid.shape(), grid.cells().map(|_| draw.below(4) > 0).collect());
    let is_stream = is_stream.expect("one for each cell");
    let order = hydro::strahler(grid, &flow, &is_stream);
    for c in grid.cells() {
        let inflows = flow.inflows(grid, c).filter(|&n| is_stream[n]).map(|n| order[n]);
        let inflows: Vec<u8> = inflows.collect();
        let most = inflows.iter().copied().max().unwrap_or(0);
        let twice = inflows.iter().filter(|&&o| o == most).count() > 1;
        let own = if is_stream[c] { (most + u8::from(twice)).max(1) } else { 0 };
        assert_eq!(order[c], own, "{what}, {c:?}");
    }
    false
}

#[test]
fn one_walk_and_many_bands_agree() {
    const DESCENT: Purpose = Purpose::new("hydro/tests/descent");
    for threads in [1, 2, 3, 4, 9] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        let circles: usize = pool.install(|| {
            let run = |number| {
                let mut draw = Seed(31).key(DESCENT).at(Nth(number));
                let what = format!("case {number}, {threads} threads");
                let circle = if number % 3 > 0 {
                    check(&any_grid(&mut draw), &mut draw, &what)
                } else {
                    let (cols, rows) = (3 + draw.below(50), 1 + draw.below(30));
                    check(&Raster::any(cols, rows, &mut draw), &mut draw, &what)
                };
                usize::from(circle)
            };
            (0..2000).map(run).sum()
        });
        assert!((200..1800).contains(&circles), "{circles} of 2000 had circles");
    }
}

#[test]
fn the_first_bad_receiver_is_named() {
    const BAD: Purpose = Purpose::new("hydro/tests/descent/bad");
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        pool.install(|| {
            for number in 0..500 {
                let mut draw = Seed(32).key(BAD).at(Nth(number));
                let grid = any_grid(&mut draw);
                let rate = [0.02, 0.3][draw.below(2) as usize];
                let any = |_| if draw.unit() < rate { draw.below(256) as u8 } else { NONE };
                let receiver = Field::from_vec(grid.shape(), grid.cells().map(any).collect()).expect("all");
                let expected = grid.cells().find_map(|cell| match receiver[cell] {
                    NONE => None,
                    value @ 8.. => Some(FlowError::NotADirection { cell, value }),
                    d if grid.neighbor(cell, Direction::from_index(d)).is_some() => None,
                    d => Some(FlowError::NoNeighbor { cell, direction: Direction::from_index(d) }),
                });
                if let Some(error) = expected {
                    assert_eq!(Flow::from_receivers(&grid, receiver), Err(error), "case {number}");
                }
            }
        });
    }
}

#[test]
fn what_comes_down_is_what_was_there() {
    const TOTAL: Purpose = Purpose::new("hydro/tests/descent/total");
    let mut draw = Seed(33).key(TOTAL).at(Nth(0));
    let (globe, elevation) = crate::common::fractal_globe(96, 7);
    let links = hydro::Links::all(&globe);
    let filled = hydro::flood(&globe, &links, &elevation, |c| elevation[c] < 0.0).filled;
    let outlets = hydro::Outlets::of(&globe, &links, &elevation, |c| elevation[c] < 0.0);
    let receiver = hydro::directions(&globe, &links, &filled, &outlets);
    let flow = Flow::from_receivers(&globe, receiver.clone()).expect("no circles");
    let weight = Field::from_vec(globe.shape(), globe.cells().map(|_| draw.unit()).collect()).expect("all");
    let sum = hydro::accumulate(&globe, &flow, &weight);
    let count = hydro::accumulate_cells(&globe, &receiver).expect("no circles");
    let roots = || globe.cells().filter(|&c| receiver[c] == NONE);
    let (total, out) = (weight.as_slice().iter().sum::<f64>(), roots().map(|c| sum[c]).sum::<f64>());
    assert!((total - out).abs() <= 1e-12 * total, "{total} fell, {out} ran off");
    assert_eq!(roots().map(|c| count[c] as usize).sum::<usize>(), globe.len());
}
