//! All of hydro on shapes and heights that nobody means, and what must hold on any of them.

use grid::{Cell, Field, Flat, Globe, Grid, Topology};
use hydro::statistics::{
    area_exceedance, concavity, drainage_density_per_m, hack, horton_ratios, longest_path_m, stream_orders,
};
use hydro::{Breaching, Budget, Depressions, Flow, Links, NONE, Outlets, network, spread, terrain};

fn grids() -> Vec<Topology> {
    let flat = |cols, rows| Topology::Flat(Flat::new(cols, rows, 0.5).expect("in range"));
    let globe = |n| Topology::Globe(Globe::new(n, 1e3).expect("in range"));
    assert!(Globe::new(1, 1e3).is_err(), "the least globe has two cells a side");
    vec![
        flat(1, 1),
        flat(2, 1),
        flat(1, 2),
        flat(9, 1),
        flat(1, 9),
        flat(2, 2),
        flat(3, 3),
        flat(7, 5),
        globe(2),
        globe(3),
    ]
}

fn heights(grid: &Topology) -> Vec<(&'static str, Field<f32>)> {
    let (shape, last) = (grid.shape(), grid.len() - 1);
    let of = |f: &(dyn Fn(usize) -> f32 + Sync)| Field::from_fn(shape, |c| f(c.index()));
    let checker = |c: usize| {
        let (_, row, col) = shape.split(Cell::from_index(c));
        (row + col) % 2 == 0
    };
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    vec![
        ("no data", of(&|_| nan)),
        ("flat", of(&|_| 3.0)),
        ("zeros of both signs", of(&|c| if c % 2 == 0 { 0.0 } else { -0.0 })),
        ("one cell of data, the first", of(&|c| if c == 0 { 1.0 } else { nan })),
        ("one cell of data, the last", of(&|c| if c == last { 1.0 } else { nan })),
        ("one cell of data in the middle", of(&|c| if c == last / 2 { -1.0 } else { nan })),
        ("one gap", of(&|c| if c == last / 2 { nan } else { c as f32 })),
        ("infinitely high", of(&|_| inf)),
        ("infinitely deep", of(&|_| -inf)),
        ("a bottomless pit", of(&|c| if c == last / 2 { -inf } else { 5.0 })),
        ("a bottomless pit in an endless wall", of(&|c| if c == last / 2 { -inf } else { inf })),
        ("a checkerboard of gaps", of(&|c| if checker(c) { nan } else { c as f32 })),
        ("a checkerboard of walls", of(&|c| if checker(c) { inf } else { 0.0 })),
        ("the ends of the number line", of(&|c| if checker(c) { f32::MAX } else { f32::MIN })),
        ("the least steps there are", of(&|c| f32::from_bits((c % 3) as u32))),
        ("falling by address", of(&|c| -(c as f32))),
    ]
}

fn same(a: &Field<f32>, b: &Field<f32>) -> bool {
    a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

/// Each grid, heights, kind of links and kind of outlets.
fn each(check: impl Fn(&str, &Topology, &Links, &Field<f32>, &Outlets)) {
    for grid in grids() {
        for (name, z) in heights(&grid) {
            for (links, of) in [(Links::all(&grid), "all"), (Links::planar(&grid, &z), "planar")] {
                for (way_out, outlets) in [
                    ("none", Outlets::of(&grid, &links, &z, |_| false)),
                    ("border", Outlets::at_border(&grid, &links, &z)),
                    ("first", Outlets::of(&grid, &links, &z, |c| c.0 == 0)),
                    ("everywhere", Outlets::of(&grid, &links, &z, |_| true)),
                ] {
                    let what = format!("{name}, {:?}, {of} links, outlets {way_out}", grid.shape());
                    check(&what, &grid, &links, &z, &outlets);
                }
            }
        }
    }
}

#[test]
fn outlets_have_data_and_there_is_one() {
    each(|what, grid, links, z, outlets| {
        let has_data = grid.cells().any(|c| !z[c].is_nan());
        assert_eq!(grid.cells().any(|c| outlets.has(c)), has_data, "{what}");
        assert!(grid.cells().all(|c| !outlets.has(c) || !z[c].is_nan()), "{what}");
        for c in grid.cells() {
            for (d, n) in links.neighbors(grid, c) {
                let back = grid.step(c, d).expect("a link leads somewhere").back;
                assert!(links.allows(n, back), "{what}: one way from {c:?}");
            }
        }
    });
}

#[test]
fn water_leaves_from_everywhere() {
    each(|what, grid, links, z, outlets| {
        let flood = hydro::flood(grid, links, z, |c| outlets.has(c));
        let again = hydro::flood(grid, links, &flood.filled, |c| outlets.has(c));
        assert!(same(&again.filled, &flood.filled), "{what}");
        assert!(
            grid.cells()
                .all(|c| z[c].is_nan() == flood.filled[c].is_nan()
                    && (z[c].is_nan() || flood.filled[c] >= z[c]))
        );
        let flow = hydro::route(grid, links, &flood);
        let sum = hydro::accumulate(grid, &flow, &Field::filled(grid.shape(), 1.0));
        let ends: Vec<Cell> = grid.cells().filter(|&c| flow.receiver_of(grid, c).is_none()).collect();
        assert_eq!(ends.iter().map(|&c| sum[c]).sum::<f64>(), grid.len() as f64, "{what}");
        assert!(ends.iter().all(|&c| z[c].is_nan() || outlets.has(c)), "{what}");
        let basins = hydro::basins(grid, &flow);
        assert!(ends.iter().all(|&c| basins[c] == c.0), "{what}");
        assert_eq!(hydro::receivers(grid, links, &flood), flow.receiver);
        assert!(Flow::from_receivers(grid, flow.receiver.clone()).is_ok());
    });
}

#[test]
fn a_filled_surface_drains() {
    each(|what, grid, links, z, outlets| {
        let filled = hydro::fill(grid, links, z, outlets);
        assert!(same(&filled, &hydro::flood(grid, links, z, |c| outlets.has(c)).filled), "{what}");
        let raised = hydro::fill_epsilon(grid, links, z, outlets);
        assert!(
            grid.cells()
                .all(|c| z[c].is_nan() == raised[c].is_nan() && (z[c].is_nan() || raised[c] >= filled[c])),
            "{what}"
        );
        let receiver = hydro::directions(grid, links, &filled, outlets);
        for c in grid.cells() {
            let is_end = receiver[c] == NONE;
            assert!(!is_end || z[c].is_nan() || outlets.has(c), "{what}: {c:?} ends nowhere");
        }
        let flow = Flow::from_receivers(grid, receiver).unwrap_or_else(|e| panic!("{what}: {e}"));
        let count = hydro::accumulate_cells(grid, &flow.receiver).unwrap_or_else(|e| panic!("{what}: {e}"));
        let ends = grid.cells().filter(|&c| flow.receiver_of(grid, c).is_none());
        assert_eq!(ends.map(|c| count[c] as usize).sum::<usize>(), grid.len(), "{what}");
        let even = Field::filled(grid.shape(), 1.0);
        let spread = spread::d_infinity(grid, links, &filled, &flow.receiver);
        let spread = spread.unwrap_or_else(|e| panic!("{what}: {e}"));
        let gathered = spread::accumulate(grid, &spread, &even).unwrap_or_else(|e| panic!("{what}: {e}"));
        let ends = grid.cells().filter(|&c| flow.receiver_of(grid, c).is_none());
        let sum: f64 = ends.map(|c| gathered[c]).sum();
        assert!((sum - grid.len() as f64).abs() < 1e-9, "{what}: {sum}");
    });
}

#[test]
fn networks_and_terrain_bear_it() {
    each(|what, grid, links, z, outlets| {
        let filled = hydro::fill(grid, links, z, outlets);
        let receiver = hydro::directions(grid, links, &filled, outlets);
        let flow = Flow::from_receivers(grid, receiver).unwrap_or_else(|e| panic!("{what}: {e}"));
        let area_m2 = hydro::accumulate(grid, &flow, &Field::from_fn(grid.shape(), |c| grid.area_m2(c)));
        let is_stream = network::streams_above(&area_m2, 0.0);
        let stems = network::Stems::of(grid, &flow, &area_m2, &is_stream);
        let order = hydro::strahler(grid, &flow, &is_stream);
        assert!(network::shreve(grid, &flow, &is_stream).as_slice().iter().all(|&o| o >= 1), "{what}");
        assert!(network::hack_order(grid, &flow, &is_stream, &stems).as_slice().iter().all(|&o| o >= 1));
        assert!(network::horton_order(grid, &flow, &order, &stems).as_slice().iter().all(|&o| o >= 1));
        network::pfafstetter(grid, &flow, &stems, (&area_m2, &is_stream), 9);
        let (rank, ends) = network::rank_basins(grid, &flow, &area_m2);
        assert!(rank.as_slice().iter().all(|&r| (1..=ends.len() as u32).contains(&r)), "{what}");
        assert!(network::downstream_m(grid, &flow).as_slice().iter().all(|m| m.is_finite()), "{what}");
        network::slope(grid, &flow, &filled);
        let of = |a: &Field<f32>| a.as_slice().iter().all(|a| a.is_nan() || *a >= 0.0);
        assert!(of(&terrain::slope(grid, z)) || has_infinite(z), "{what}");
        terrain::aspect_rad(grid, z);
        terrain::downslope(grid, &filled, &flow.receiver);
    });
}

#[test]
fn streams_lakes_and_statistics_bear_it() {
    each(|what, grid, links, z, outlets| {
        let flood = hydro::flood(grid, links, z, |c| outlets.has(c));
        let flow = hydro::route(grid, links, &flood);
        let area_m2 = Field::from_fn(grid.shape(), |c| grid.area_m2(c));
        let gathered_m2 = hydro::accumulate(grid, &flow, &area_m2);
        let is_stream = Field::filled(grid.shape(), true);
        let order = hydro::strahler(grid, &flow, &is_stream);
        assert!(order.as_slice().iter().all(|&o| o >= 1), "{what}");
        let reaches = hydro::reaches(grid, &flow, &is_stream, &order);
        assert_eq!(reaches.iter().map(|r| r.cells.len()).sum::<usize>(), grid.len(), "{what}");
        let lakes = hydro::lakes(grid, z, &flood, &flow, 0.0, 1);
        let wet = grid.cells().filter(|&c| flood.filled[c] > z[c]).count();
        assert_eq!(lakes.iter().map(|l| l.cells.len()).sum::<usize>(), wet, "{what}");
        let orders = stream_orders(grid, &flow, &order, &gathered_m2);
        let path_m = longest_path_m(grid, &flow, &gathered_m2);
        assert!(path_m.as_slice().iter().all(|m| m.is_finite()), "{what}");
        assert!(drainage_density_per_m(grid, &flow, &area_m2, &is_stream).is_finite(), "{what}");
        let few = [
            horton_ratios(&orders, 1).is_some(),
            hack(&path_m, &gathered_m2, 1.0..1e9).is_some(),
            area_exceedance(&gathered_m2, 1.0..1e9).is_some(),
            concavity(grid, &flow, &flood.filled, &gathered_m2, &is_stream, (3, 1.0..1e9)).is_some(),
        ];
        assert!(grid.len() > 12 || few == [false; 4], "{what}: a law from {} cells", grid.len());
    });
}

#[test]
fn depressions_and_their_water_bear_it() {
    each(|what, grid, links, z, outlets| {
        let flood = hydro::flood(grid, links, z, |c| outlets.has(c));
        let depressions = Depressions::of(grid, links, z, &flood);
        let wet = grid.cells().filter(|&c| flood.filled[c] > z[c]).count();
        let roots = depressions.roots().iter();
        assert_eq!(roots.map(|&r| depressions.cells(r).len()).sum::<usize>(), wet, "{what}");
        assert!(same(&depressions.silted(z, f32::INFINITY, 0.0), &flood.filled) || is_too_deep(z), "{what}");
        let mut receiver = hydro::receivers(grid, links, &flood);
        let (rain, demand) = (Field::filled(grid.shape(), 1.0), Field::filled(grid.shape(), 2.0));
        let budget = Budget { runoff_m3_s: &rain, demand_m3_s: &demand, least_depth_m: 0.0 };
        let waters = hydro::balance(grid, &flood, &receiver, &depressions, budget);
        let ends = hydro::lead_to_lakes(grid, links, &depressions, &waters, &mut receiver);
        assert_eq!(ends.len(), waters.len(), "{what}");
        assert!(Flow::from_receivers(grid, receiver).is_ok(), "{what}: water runs in a circle");
    });
}

/// Whether a depth may be beyond the numbers of `f32`.
fn is_too_deep(z: &Field<f32>) -> bool {
    z.as_slice().iter().any(|z| z.abs() > 1e38)
}

fn has_infinite(z: &Field<f32>) -> bool {
    z.as_slice().iter().any(|z| z.is_infinite())
}

#[test]
fn breaching_bears_it() {
    each(|what, grid, links, z, outlets| {
        let filled = |z: &Field<f32>| hydro::flood(grid, links, z, |c| outlets.has(c)).filled;
        let lower = |a: &Field<f32>, b: &Field<f32>| grid.cells().all(|c| z[c].is_nan() || a[c] <= b[c]);
        let all = hydro::breach_all(grid, links, z, outlets);
        assert!(same(&filled(&all.surface), &all.surface) && lower(&all.surface, z), "{what}");
        for limits in [
            Breaching::default(),
            Breaching {
                reach_m: Some(0.0),
                deepest_m: Some(0.0),
                largest_m3: Some(0.0),
                most_cells: Some(0),
            },
            Breaching { reach_m: Some(f64::NAN), ..Breaching::default() },
            Breaching { deepest_m: Some(-1.0), ..Breaching::default() },
            Breaching { largest_m3: Some(f64::INFINITY), ..Breaching::default() },
        ] {
            let some = hydro::breach(grid, links, z, outlets, &limits);
            assert!(lower(&some.surface, z), "{what}");
            assert!(has_infinite(z) || some.left.is_empty() || limits != Breaching::default(), "{what}");
            let both = hydro::hybrid(grid, links, z, outlets, &limits);
            assert!(same(&both.surface, &filled(&some.surface)), "{what}");
            let least = hydro::least_change(grid, links, z, outlets, &limits);
            assert!(same(&least.surface, &filled(&least.surface)), "{what}");
            assert!(lower(&least.surface, &filled(z)), "{what}");
        }
    });
}
