//! The analysis in bands against slow and obvious versions on the whole raster, and against itself in other bands.

use crate::cutting::{Obvious, Widening, around, floats, fractal, heights};
use grid::{Cell, Direction, Field, Flat, Grid, Nth, Purpose, Seed, Shape};
use hydro::bands::{
    Analysis, Error, Files, Kept, Memory, Plan, Rows, Stage, Store, StoreError, Threshold, analyse,
};
use hydro::{Flow, Links, NONE};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

fn run<G: Grid>(grid: &G, z: &[f32], plan: &Plan, threshold: Threshold) -> Result<(Kept, Analysis), Error> {
    let mut products = Kept::default();
    let files = Files {
        source: &mut Memory::of(grid.shape().cols, z.to_vec()),
        surface: &mut Memory::new(grid.shape()),
        labels: &mut Memory::new(grid.shape()),
        directions: &mut Memory::new(grid.shape()),
        products: &mut products,
    };
    let analysis = analyse(grid, files, plan, threshold, &|_, _| ControlFlow::Continue(()))?;
    Ok((products, analysis))
}

fn in_bands(band_rows: u32, at_once: usize) -> Plan {
    Plan { band_rows, at_once, stream_bytes: 1 << 24 }
}

/// Everything that the analysis says, against the definitions.
fn check<G: Grid>(grid: &G, z: &[f32], plan: &Plan, threshold: Threshold, name: &str) {
    let (products, analysis) = run(grid, z, plan, threshold).expect("nothing to refuse");
    let obvious = Obvious::of(grid, z);
    let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
    assert!(products.filled.iter().zip(&obvious.filled).all(same), "{name}: filled");
    assert_eq!(products.direction, obvious.receiver, "{name}: directions {z:?}");
    let has_data = |c: Cell| !z[c.index()].is_nan();
    let field = |values: Vec<u8>| Field::from_vec(grid.shape(), values).expect("one for each cell");
    let flow = Flow::from_receivers(grid, field(obvious.receiver.clone())).expect("no circles");
    let cells = hydro::accumulate(grid, &flow, &Field::filled(grid.shape(), 1.0));
    let area_m2 = hydro::accumulate(grid, &flow, &Field::from_fn(grid.shape(), |c| grid.area_m2(c)));
    let counts: Vec<u32> = grid.cells().map(|c| if has_data(c) { cells[c] as u32 } else { 0 }).collect();
    assert_eq!(products.accumulation, counts, "{name}: accumulation");
    check_basins(grid, &flow, &products, &analysis, &area_m2, name);
    let is_stream = Field::from_fn(grid.shape(), |c| {
        has_data(c)
            && match threshold {
                Threshold::Cells(least) => counts[c.index()] >= least,
                Threshold::AreaM2(least) => area_m2[c] >= least,
            }
    });
    check_streams(grid, &flow, &is_stream, (&products, &analysis), &area_m2, name);
    check_summary(grid, z, &obvious, &analysis, name);
}

fn check_basins<G: Grid>(
    grid: &G,
    flow: &Flow,
    products: &Kept,
    analysis: &Analysis,
    area_m2: &Field<f64>,
    name: &str,
) {
    let of = hydro::basins(grid, flow);
    let has_data = |c: &Cell| products.accumulation[c.index()] > 0;
    let roots: Vec<Cell> = grid.cells().filter(has_data).filter(|&c| flow.receiver[c] == NONE).collect();
    let number = |c: Cell| {
        let root = roots.binary_search(&Cell(of[c])).map(|i| i as u32 + 1);
        if has_data(&c) { root.expect("a root") } else { 0 }
    };
    let numbers: Vec<u32> = grid.cells().map(number).collect();
    assert_eq!(products.basin, numbers, "{name}: basins");
    assert_eq!(analysis.basins.iter().map(|b| b.root).collect::<Vec<_>>(), roots, "{name}: roots");
    for basin in &analysis.basins {
        assert_eq!(basin.cells, products.accumulation[basin.root.index()], "{name}");
        assert_eq!(basin.area_m2, area_m2[basin.root], "{name}: area of a basin");
    }
}

fn check_streams<G: Grid>(
    grid: &G,
    flow: &Flow,
    is_stream: &Field<bool>,
    (products, analysis): (&Kept, &Analysis),
    area_m2: &Field<f64>,
    name: &str,
) {
    let order = hydro::strahler(grid, flow, is_stream);
    assert_eq!(products.order, order.as_slice(), "{name}: orders");
    let expected = hydro::reaches(grid, flow, is_stream, &order);
    let network = &analysis.network;
    assert_eq!(network.reaches.len(), expected.len(), "{name}: number of reaches");
    for (i, (ours, reach)) in network.reaches.iter().zip(&expected).enumerate() {
        let last = *reach.cells.last().expect("never empty");
        assert_eq!(network.cells(i).collect::<Vec<_>>(), reach.cells, "{name}: reach {i}");
        let below: Option<Cell> = reach.downstream.map(|r| expected[r as usize].cells[0]);
        let line: Vec<Cell> = reach.cells.iter().copied().chain(below).collect();
        assert_eq!(network.line(i).collect::<Vec<_>>(), line, "{name}: line {i}");
        assert_eq!((ours.first, ours.last), (reach.cells[0], last), "{name}");
        assert_eq!(ours.cell_count as usize, reach.cells.len(), "{name}");
        assert_eq!((ours.downstream, ours.order), (reach.downstream, reach.order), "{name}");
        let upstream = expected.iter().filter(|r| r.downstream == Some(i as u32)).count();
        assert_eq!(usize::from(ours.upstream_count), upstream, "{name}");
        let magnitude: u32 =
            network.reaches.iter().filter(|r| r.downstream == Some(i as u32)).map(|r| r.magnitude).sum();
        assert_eq!(ours.magnitude, magnitude.max(1), "{name}: magnitude");
        assert_eq!(ours.accumulation, products.accumulation[last.index()], "{name}");
        assert_eq!(ours.area_m2, area_m2[last], "{name}: area");
        assert_eq!(ours.basin, products.basin[last.index()], "{name}");
        let mut length_m = 0.0;
        for cell in &line[..line.len() - 1] {
            let (_, row, _) = grid.shape().split(*cell);
            length_m += grid.row_spacing_m(row).expect("it has")[usize::from(flow.receiver[*cell])];
        }
        assert_eq!(ours.length_m, length_m, "{name}: length");
        let level = |c: &Cell| f64::from(products.filled[c.index()]);
        let drop_m = level(&line[0]) - level(line.last().expect("never empty"));
        assert!(ours.drop_m == drop_m || (ours.drop_m.is_nan() && drop_m.is_nan()), "{name}: drop");
    }
}

fn check_summary<G: Grid>(grid: &G, z: &[f32], obvious: &Obvious, analysis: &Analysis, name: &str) {
    let summary = &analysis.summary;
    let data: Vec<usize> = (0..z.len()).filter(|&c| !z[c].is_nan()).collect();
    assert_eq!(summary.cells, z.len() as u64);
    assert_eq!(summary.data_cells, data.len() as u64, "{name}");
    let area = |c: usize| grid.area_m2(Cell(c as u32));
    assert_eq!(summary.area_m2, data.iter().map(|&c| area(c)).sum::<f64>(), "{name}");
    let least = data.iter().map(|&c| z[c]).fold(f32::NAN, f32::min);
    let greatest = data.iter().map(|&c| z[c]).fold(f32::NAN, f32::max);
    assert!(summary.lowest_m == least || data.is_empty(), "{name}");
    assert!(summary.highest_m == greatest || data.is_empty(), "{name}");
    assert_eq!(summary.outlets, obvious.outlet.iter().filter(|&&o| o).count() as u64, "{name}");
    let is_pit = |c: &&usize| !obvious.outlet[**c] && around(grid, **c).iter().all(|&(_, n)| z[n] > z[**c]);
    assert_eq!(summary.pits, data.iter().filter(is_pit).count() as u64, "{name}: pits");
    let raised: Vec<usize> = data.iter().copied().filter(|&c| obvious.filled[c] > z[c]).collect();
    assert_eq!(summary.filled_cells, raised.len() as u64, "{name}: filled cells");
    let volume: f64 = raised.iter().map(|&c| f64::from(obvious.filled[c] - z[c]) * area(c)).sum();
    let error = (summary.filled_volume_m3 - volume).abs();
    assert!(error <= 1e-4 * raised.len() as f64, "{name}: volume {volume}, off by {error}");
    assert_eq!(summary.flat_cells, obvious.flat.iter().filter(|&&f| f).count() as u64, "{name}: flats");
    let streams: u64 = analysis.network.reaches.iter().map(|r| u64::from(r.cell_count)).sum();
    assert_eq!(summary.stream_cells, streams, "{name}");
    let greatest = analysis.basins.iter().map(|b| b.cells).max().unwrap_or(0);
    assert_eq!(summary.greatest_accumulation, greatest, "{name}");
}

const CASE: Purpose = Purpose::new("hydro/tests/bands");

#[test]
fn bands_are_the_whole() {
    for number in 0..3000 {
        let mut draw = Seed(7).key(CASE).at(Nth(number));
        let most = if number % 50 == 0 { 28 } else { 12 };
        let (cols, rows) = (1 + draw.below(most), 1 + draw.below(most));
        let z = heights(&mut draw, cols, rows);
        let flat = Flat::new(cols, rows, 2.0).expect("in range");
        let band_rows = [1, 1, 2, 2, 3, 5, 7, 100][draw.below(8) as usize];
        let plan = in_bands(band_rows, 1 + draw.below(3) as usize);
        let name = format!("case {number}: {cols} x {rows}, bands of {band_rows}");
        let least = 1 + draw.below(8);
        if draw.below(2) == 0 {
            let threshold = match draw.below(2) {
                0 => Threshold::Cells(least),
                _ => Threshold::AreaM2(f64::from(least) * 4.0 - draw.unit()),
            };
            check(&flat, &z, &plan, threshold, &name);
        } else {
            let grid = Widening { flat, wraps: false };
            let threshold = match draw.below(2) {
                0 => Threshold::Cells(least),
                _ => Threshold::AreaM2(f64::from(least) * 2.5),
            };
            check(&grid, &z, &plan, threshold, &name);
        }
    }
}

#[test]
fn filled_surfaces_are_those_of_other_programs() {
    let map = Flat::new(512, 512, 30.0).expect("in range");
    for (dem, filled) in [("dem_512", "filled_512"), ("dem_quantised20m_512", "filled_quantised20m_512")] {
        let z = floats(dem);
        let whole = run(&map, &z, &in_bands(512, 1), Threshold::Cells(100)).expect("nothing to refuse");
        assert!(whole.0.filled == floats(filled), "{dem}");
        for band_rows in [1, 7, 64, 300] {
            let parts = run(&map, &z, &in_bands(band_rows, 2), Threshold::Cells(100));
            let parts = parts.expect("nothing to refuse");
            assert!(parts.0 == whole.0, "{dem}: bands of {band_rows}");
            assert!(parts.1.summary == whole.1.summary && parts.1.basins == whole.1.basins);
            let lines = |a: &Analysis| -> Vec<Vec<Cell>> {
                (0..a.network.reaches.len()).map(|i| a.network.line(i).collect()).collect()
            };
            assert!(lines(&parts.1) == lines(&whole.1), "{dem}: streams, bands of {band_rows}");
        }
    }
}

#[test]
fn gaps_are_outlets() {
    let map = Flat::new(417, 300, 30.0).expect("in range");
    let gap = |z: f32| if z == -9999.0 { f32::NAN } else { z };
    let z: Vec<f32> = floats("dem_nodata_300x417").into_iter().map(gap).collect();
    let expected: Vec<f32> = floats("filled_nodata_300x417").into_iter().map(gap).collect();
    for band_rows in [11, 100] {
        let (products, _) =
            run(&map, &z, &in_bands(band_rows, 2), Threshold::Cells(100)).expect("nothing to refuse");
        let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
        assert!(products.filled.iter().zip(&expected).all(same), "bands of {band_rows}");
    }
}

#[test]
fn directions_and_sums_are_those_of_the_whole_map_on_real_ground() {
    let map = Flat::new(512, 512, 30.0).expect("in range");
    let z = floats("dem_quantised20m_512");
    check(&map, &z, &in_bands(37, 2), Threshold::AreaM2(90_000.0), "quantised");
}

#[test]
fn larger_maps_are_as_in_memory() {
    for number in 0..40 {
        let mut draw = Seed(8).key(CASE).at(Nth(number));
        let (map, z) = fractal(&mut draw, Seed(u64::from(number)).key(CASE));
        let links = Links::all(&map);
        let outlets = hydro::Outlets::at_border(&map, &links, &z);
        let filled = hydro::fill(&map, &links, &z, &outlets);
        let receiver = hydro::directions(&map, &links, &filled, &outlets);
        let plan = in_bands(1 + draw.below(50), 2);
        let (products, _) = run(&map, z.as_slice(), &plan, Threshold::Cells(50)).expect("nothing to refuse");
        let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
        assert!(products.filled.iter().zip(filled.as_slice()).all(same), "{number}: filled");
        assert!(products.direction == receiver.as_slice(), "{number}: directions");
        let cells = hydro::accumulate_cells(&map, &receiver).expect("no circles");
        let flow = Flow::from_receivers(&map, receiver).expect("no circles");
        let data = z.as_slice().iter().zip(cells.as_slice());
        let counts: Vec<u32> = data.map(|(z, &count)| if z.is_nan() { 0 } else { count }).collect();
        assert!(products.accumulation == counts, "{number}: accumulation");
        let is_stream = Field::from_vec(map.shape(), counts.iter().map(|&n| n >= 50).collect());
        let order = hydro::strahler(&map, &flow, &is_stream.expect("one for each cell"));
        assert!(products.order == order.as_slice(), "{number}: orders");
    }
}

#[test]
fn a_lake_over_all_bands_drains_through_its_only_outlet() {
    // A plain with a wall around it, open at one cell in the middle of the south side.
    let (cols, rows) = (31, 60);
    let map = Flat::new(cols, rows, 10.0).expect("in range");
    let level = |c: Cell| {
        let (_, row, col) = map.shape().split(c);
        let inside = row > 0 && row + 1 < rows && col > 0 && col + 1 < cols;
        if inside || (row + 1 == rows && col == 15) { 5.0 } else { 9.0 }
    };
    let z: Vec<f32> = map.cells().map(level).collect();
    for band_rows in [1, 4, 13] {
        check(&map, &z, &in_bands(band_rows, 3), Threshold::Cells(20), "lake");
    }
}

#[test]
fn odd_rasters_have_clear_answers() {
    let one = Flat::new(1, 1, 1.0).expect("in range");
    check(&one, &[3.0], &in_bands(1, 1), Threshold::Cells(1), "one cell");
    check(&one, &[f32::NAN], &in_bands(1, 1), Threshold::Cells(1), "no data");
    let map = Flat::new(5, 4, 1.0).expect("in range");
    for (name, z) in [("nothing", f32::NAN), ("level", 7.0), ("infinite", f32::INFINITY)] {
        check(&map, &[z; 20], &in_bands(2, 1), Threshold::Cells(2), name);
    }
    let mut z = [1.0; 20];
    (z[6], z[7], z[12]) = (f32::NEG_INFINITY, f32::INFINITY, f32::MAX);
    let (products, _) = run(&map, &z, &in_bands(1, 1), Threshold::Cells(2)).expect("nothing to refuse");
    assert_eq!(products.filled[6], 1.0);
    assert_eq!(products.filled[7], f32::INFINITY);
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let flat = Flat::new(6, 6, 1.0).expect("in range");
    let z = [1.0; 36];
    let text = |result: Result<(Kept, Analysis), Error>| result.expect_err("refused").to_string();
    let wraps = Widening { flat: flat.clone(), wraps: true };
    assert!(text(run(&wraps, &z, &in_bands(2, 1), Threshold::Cells(1))).contains("wraps"));
    let globe = grid::Globe::new(4, 6.4e6).expect("in range");
    assert!(text(run(&globe, &[1.0; 96], &in_bands(2, 1), Threshold::Cells(1))).contains("face"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(text(run(&flat, &z, &in_bands(2, 1), Threshold::AreaM2(bad))).contains("above 0"));
    }
    let narrow = Plan { stream_bytes: 100, ..in_bands(2, 1) };
    assert!(text(run(&flat, &z, &narrow, Threshold::Cells(1))).contains("greater area"));
    assert!(text(Plan::for_memory(flat.shape(), 2, 1000).map(|_| unreachable!())).contains("too few"));
}

#[test]
fn plans_keep_to_their_memory() {
    let shape = |side| Shape { faces: 1, rows: side, cols: side };
    for (side, bytes) in [(40_000, 4 << 30), (40_000, 2 << 30), (16_384, 1 << 30), (100, 1 << 30)] {
        for threads in [1, 2, 8] {
            let plan = Plan::for_memory(shape(side), threads, bytes).expect("enough");
            assert!(plan.bytes(shape(side)) <= bytes, "{side} {threads}: {plan:?}");
            assert!(plan.band_rows >= 64.min(side.div_ceil(threads as u32)), "{side} {threads}: {plan:?}");
        }
    }
}

/// Memory that fails when a row is written again.
struct Failing(Memory<u8>);

impl Store<u8> for Failing {
    fn read(&mut self, first_row: u32, rows: &mut [u8]) -> Result<(), StoreError> {
        self.0.read(first_row, rows)
    }
    fn write(&mut self, _: u32, _: &[u8]) -> Result<(), StoreError> {
        Err("the disk is full".into())
    }
}

#[test]
fn failures_of_files_and_cancelling_come_back() {
    let map = Flat::new(8, 9, 1.0).expect("in range");
    let shape = map.shape();
    let mut products = Kept::default();
    let files = Files {
        source: &mut Memory::of(8, vec![1.0; 72]),
        surface: &mut Memory::new(shape),
        labels: &mut Memory::new(shape),
        directions: &mut Failing(Memory::new(shape)),
        products: &mut products,
    };
    let go_on = |_, _| ControlFlow::Continue(());
    let error = analyse(&map, files, &in_bands(3, 1), Threshold::Cells(1), &go_on).expect_err("a full disk");
    assert_eq!(error.to_string(), "the disk is full");
    for stop in [Stage::Fill, Stage::Flats, Stage::Streams, Stage::Orders] {
        let calls = AtomicUsize::new(0);
        let progress = |stage, done: f64| {
            assert!((0.0..=1.0).contains(&done));
            calls.fetch_add(1, Ordering::Relaxed);
            if stage == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let files = Files {
            source: &mut Memory::of(8, vec![1.0; 72]),
            surface: &mut Memory::new(shape),
            labels: &mut Memory::new(shape),
            directions: &mut Memory::new(shape),
            products: &mut Kept::default(),
        };
        let result = analyse(&map, files, &in_bands(3, 1), Threshold::Cells(1), &progress);
        assert!(matches!(result, Err(Error::Cancelled)), "{stop}");
        assert!(calls.into_inner() > 0);
    }
}

#[test]
fn products_come_from_north_to_south_without_gaps() {
    struct InOrder([u32; 5]);
    impl hydro::bands::Products for InOrder {
        fn write(&mut self, first_row: u32, rows: Rows<'_>) -> Result<(), StoreError> {
            let (kind, len) = match rows {
                Rows::Filled(r) => (0, r.len()),
                Rows::Direction(r) => (1, r.len()),
                Rows::Accumulation(r) => (2, r.len()),
                Rows::Basin(r) => (3, r.len()),
                Rows::Order(r) => (4, r.len()),
            };
            assert_eq!(first_row, self.0[kind]);
            self.0[kind] += len as u32 / 8;
            Ok(())
        }
    }
    let map = Flat::new(8, 19, 1.0).expect("in range");
    let mut products = InOrder([0; 5]);
    let files = Files {
        source: &mut Memory::of(8, vec![1.0; 152]),
        surface: &mut Memory::new(map.shape()),
        labels: &mut Memory::new(map.shape()),
        directions: &mut Memory::new(map.shape()),
        products: &mut products,
    };
    let go_on = |_, _| ControlFlow::Continue(());
    analyse(&map, files, &in_bands(4, 3), Threshold::Cells(1), &go_on).expect("nothing to refuse");
    assert_eq!(products.0, [19; 5]);
}

#[test]
fn planar_links_are_not_asked_for() {
    // All eight directions count: a diagonal way out is taken.
    let map = Flat::new(4, 4, 1.0).expect("in range");
    let mut z = [9.0; 16];
    (z[5], z[10], z[15]) = (3.0, 2.0, 1.0);
    let (products, _) = run(&map, &z, &in_bands(1, 1), Threshold::Cells(1)).expect("nothing to refuse");
    assert_eq!(products.filled, z);
    assert!(Links::all(&map).allows(Cell(5), Direction::SE));
    assert_eq!(products.direction[5], Direction::SE as u8);
}
