//! The analysis of a raster in memory: one pass after the other, each a function of the library.

use super::arguments::{Depressions, Hydro};
use super::found::{Basin, Facts, Found, Stream};
use super::threshold::Threshold;
use anyhow::{Result, bail};
use grid::{Cell, Field, Grid};
use hydro::network::{self, NOWHERE};
use hydro::{Flow, Links, NONE, Outlets, Reach};
use world::YEAR_S;

/// Water over one raster, from the ground to the network.
pub struct Core {
    /// Ground in metres, as it was read.
    pub ground: Field<f32>,
    /// The surface that water runs over: without depressions.
    pub surface: Field<f32>,
    /// Where water goes.
    pub flow: Flow,
    /// Cells that drain through each, itself included; 0 without data.
    pub cells: Field<u32>,
    /// Their area in square metres.
    pub area_m2: Field<f64>,
    /// Their runoff in cubic metres a second.
    pub discharge_m3_s: Option<Field<f64>>,
    /// Where streams are.
    pub is_stream: Field<bool>,
    /// Strahler's order; 0 where there is no stream.
    pub order: Field<u8>,
    /// Streams between junctions.
    pub reaches: Vec<Reach>,
    /// Numbers of basins from 1; 0 without data.
    pub basins: Field<u32>,
    /// Where each basin's water ends.
    pub roots: Vec<Cell>,
    /// Where streams begin.
    pub threshold_in_words: String,
    outlets: u64,
}

/// What beside the ground goes into the analysis.
pub struct Beside {
    /// Where streams begin.
    pub threshold: Option<Threshold>,
    /// The same for each cell.
    pub threshold_each: Option<Field<f32>>,
    /// Runoff of each cell in millimetres a year.
    pub runoff_mm: Option<Field<f32>>,
}

/// Bytes a cell that the analysis takes at most, further layers included.
pub const BYTES_PER_CELL: u64 = 104;

/// Analyses a raster. `step` is told the name of each step as it begins.
pub fn analyse<G: Grid>(
    grid: &G,
    ground: Field<f32>,
    args: &Hydro,
    beside: Beside,
    step: &dyn Fn(&str),
) -> Result<Core> {
    step("finding outlets");
    let links = Links::all(grid);
    let outlets = Outlets::at_border(grid, &links, &ground);
    let outlet_count = outlets.field().as_slice().iter().filter(|&&o| o).count() as u64;
    step("leading water out of depressions");
    let surface = drained(grid, &links, &ground, &outlets, args);
    step("finding where water goes");
    let receivers = hydro::directions(grid, &links, &surface, &outlets);
    drop((links, outlets));
    step("gathering");
    let mut cells = hydro::accumulate_cells(grid, &receivers)?;
    for (n, z) in cells.as_mut_slice().iter_mut().zip(ground.as_slice()) {
        *n = if z.is_nan() { 0 } else { *n };
    }
    let flow = Flow::from_receivers(grid, receivers)?;
    let own_m2 = Field::from_fn(grid.shape(), |c| if ground[c].is_nan() { 0.0 } else { grid.area_m2(c) });
    let area_m2 = hydro::accumulate(grid, &flow, &own_m2);
    let runoff = |mm: &Field<f32>| {
        let flow_of = |c| if mm[c].is_nan() { 0.0 } else { f64::from(mm[c]) * 1e-3 * own_m2[c] / YEAR_S };
        hydro::accumulate(grid, &flow, &Field::from_fn(grid.shape(), flow_of))
    };
    let discharge_m3_s = beside.runoff_mm.as_ref().map(runoff);
    drop(own_m2);
    step("finding streams");
    let threshold = beside.threshold.unwrap_or_else(|| Threshold::usual(grid.len() as u64));
    let gathered = Gathered { cells: &cells, area_m2: &area_m2, discharge_m3_s: discharge_m3_s.as_ref() };
    let threshold_in_words = match beside.threshold_each {
        Some(_) => "a raster of thresholds".into(),
        None => threshold.describe(),
    };
    let is_stream = gathered.streams(threshold, beside.threshold_each.as_ref())?;
    let order = hydro::strahler(grid, &flow, &is_stream);
    let reaches = hydro::reaches(grid, &flow, &is_stream, &order);
    let (basins, roots) = numbered(grid, &flow, &ground);
    Ok(Core {
        ground,
        surface,
        flow,
        cells,
        area_m2,
        discharge_m3_s,
        is_stream,
        order,
        reaches,
        basins,
        roots,
        threshold_in_words,
        outlets: outlet_count,
    })
}

/// The surface after what was asked for is done to its depressions.
fn drained<G: Grid>(
    grid: &G,
    links: &Links,
    ground: &Field<f32>,
    outlets: &Outlets,
    args: &Hydro,
) -> Field<f32> {
    match args.depressions {
        Depressions::Fill => hydro::fill(grid, links, ground, outlets),
        Depressions::Epsilon => hydro::fill_epsilon(grid, links, ground, outlets),
        Depressions::Breach => hydro::breach_all(grid, links, ground, outlets).surface,
        Depressions::Least => {
            hydro::least_change(grid, links, ground, outlets, &super::breaching(args, grid.cell_m())).surface
        }
        Depressions::Hybrid => {
            hydro::hybrid(grid, links, ground, outlets, &super::breaching(args, grid.cell_m())).surface
        }
    }
}

/// What has come together at each cell.
struct Gathered<'a> {
    cells: &'a Field<u32>,
    area_m2: &'a Field<f64>,
    discharge_m3_s: Option<&'a Field<f64>>,
}

impl Gathered<'_> {
    /// Cells at which the quantity that the threshold is of reaches it. Cells without data are never streams.
    fn streams(&self, threshold: Threshold, each: Option<&Field<f32>>) -> Result<Field<bool>> {
        let least =
            |c: Cell| each.map_or(threshold.value(), |each| threshold.in_its_unit(f64::from(each[c])));
        let quantity: &(dyn Fn(Cell) -> f64 + Sync) = match (threshold, self.discharge_m3_s) {
            (Threshold::Cells(_), _) => &|c| f64::from(self.cells[c]),
            (Threshold::Area { .. }, _) => &|c| self.area_m2[c],
            (Threshold::DischargeM3S(_), Some(discharge)) => &|c| discharge[c],
            (Threshold::DischargeM3S(_), None) => bail!("a threshold in m3/s needs --runoff"),
        };
        Ok(Field::from_fn(self.cells.shape(), |c| self.cells[c] > 0 && quantity(c) >= least(c)))
    }
}

/// Numbers of basins, from 1 by the address of their ends, and these ends; 0 without data.
fn numbered<G: Grid>(grid: &G, flow: &Flow, ground: &Field<f32>) -> (Field<u32>, Vec<Cell>) {
    let is_root = |c: &Cell| flow.receiver[*c] == NONE && !ground[*c].is_nan();
    let roots: Vec<Cell> = grid.cells().filter(is_root).collect();
    let mut numbers = hydro::basins(grid, flow);
    let mut number_of = Field::filled(grid.shape(), 0u32);
    for (&root, number) in roots.iter().zip(1..) {
        number_of[root] = number;
    }
    // a cell without data is its own root, which has no number
    numbers.as_mut_slice().iter_mut().for_each(|root| *root = number_of[Cell(*root)]);
    (numbers, roots)
}

impl Core {
    /// What tables, lines and pictures are made from.
    pub fn found<G: Grid>(&self, grid: &G) -> Found {
        let magnitude = network::shreve(grid, &self.flow, &self.is_stream);
        let stream = |index: usize| self.stream(grid, index, &magnitude);
        let basin =
            |&outlet: &Cell| Basin { outlet, cells: self.cells[outlet], area_m2: self.area_m2[outlet] };
        Found {
            streams: (0..self.reaches.len()).map(stream).collect(),
            basins: self.roots.iter().map(basin).collect(),
            facts: self.facts(grid),
            laws: super::laws::of(grid, self),
        }
    }

    fn stream<G: Grid>(&self, grid: &G, index: usize, magnitude: &Field<u32>) -> Stream {
        let reach = &self.reaches[index];
        let last = *reach.cells.last().expect("a reach has a cell");
        let below = self.flow.receiver_of(grid, last);
        let cells: Vec<Cell> = reach.cells.iter().copied().chain(below).collect();
        let end = below.unwrap_or(last);
        let drop_m = f64::from(self.surface[reach.cells[0]]) - f64::from(self.surface[end]);
        Stream {
            length_m: cells
                .windows(2)
                .map(|w| self.step_m(grid, w[0], w[1]))
                .fold(0.0, |sum, step| sum + step),
            order: reach.order,
            magnitude: magnitude[last],
            downstream: reach.downstream,
            drop_m,
            accumulation: self.cells[last],
            area_m2: self.area_m2[last],
            discharge_m3_s: self.discharge_m3_s.as_ref().map(|q| q[last]),
            basin: self.basins[last],
            cells,
        }
    }

    /// Metres from a cell to the one that it drains to, by the same table as in bands.
    fn step_m<G: Grid>(&self, grid: &G, from: Cell, to: Cell) -> f64 {
        let (_, row, _) = grid.shape().split(from);
        match grid.row_spacing_m(row) {
            Some(spacing_m) => spacing_m[usize::from(self.flow.receiver[from])],
            None => grid.cell_distance_m(from, to),
        }
    }

    fn facts<G: Grid>(&self, grid: &G) -> Facts {
        let mut facts = Facts {
            data_cells: 0,
            area_m2: 0.0,
            lowest_m: f32::NAN,
            highest_m: f32::NAN,
            outlets: self.outlets,
            raised_cells: 0,
            raised_m3: 0.0,
            cut_cells: 0,
            cut_m3: 0.0,
            greatest_accumulation: self.cells.as_slice().iter().copied().max().unwrap_or(0),
            stream_cells: self.is_stream.as_slice().iter().filter(|&&s| s).count() as u64,
            threshold: self.threshold_in_words.clone(),
        };
        for cell in grid.cells().filter(|&c| !self.ground[c].is_nan()) {
            let (z, change_m) =
                (self.ground[cell], f64::from(self.surface[cell]) - f64::from(self.ground[cell]));
            let area_m2 = grid.area_m2(cell);
            facts.data_cells += 1;
            facts.area_m2 += area_m2;
            // `min` and `max` pass over what is not a number
            (facts.lowest_m, facts.highest_m) = (facts.lowest_m.min(z), facts.highest_m.max(z));
            if change_m > 0.0 {
                facts.raised_cells += 1;
                facts.raised_m3 += change_m * area_m2;
            } else if change_m < 0.0 {
                facts.cut_cells += 1;
                facts.cut_m3 -= change_m * area_m2;
            }
        }
        facts
    }

    /// The index of the reach of each stream cell's basin, plus 1; 0 outside of all.
    pub fn subbasins<G: Grid>(&self, grid: &G) -> Field<u32> {
        network::reach_basins(grid, &self.flow, &self.reaches).map(|&i| if i == NOWHERE { 0 } else { i + 1 })
    }
}
