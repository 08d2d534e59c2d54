//! Lakes: what stands in depressions, what they gather, and what they lose.

use crate::climate::Climate;
use crate::fields::YEAR_S;
use crate::state::NO_LAKE;
use grid::table::ColumnValues;
use grid::{Cell, Field, Grid, Table, Topology};
use hydro::{Depressions, Fill, Flow, Standing};

/// Levels are multiples of this, in metres, as heights are; no lake is shallower.
const LEVEL_STEP_M: f32 = 0.125;

/// A lake of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Lake {
    /// By address.
    pub cells: Vec<Cell>,
    /// Water level in metres.
    pub level_m: f32,
    /// Whether no river leaves it: a salt lake, which loses all that it gathers.
    pub closed: bool,
    /// The cell through which it overflows; of a closed lake the one at which its water ends.
    pub last: Cell,
    /// Area of the surface; cells that its balance covers in part count in part.
    pub area_m2: f64,
    /// Water in the lake: depth times covered area.
    pub volume_m3: f64,
    /// Greatest depth in metres.
    pub depth_max_m: f32,
    /// What comes in from the land around and from other lakes, in m3/s.
    pub inflow_m3_s: f64,
    /// What evaporates more than rains on it, in m3/s; of a closed lake its inflow.
    pub evaporation_m3_s: f64,
    /// The cells that are covered in part, by address, and which share.
    partly: (Vec<Cell>, f64),
    /// What it takes of what comes to `last`, in m3/s.
    taken_m3_s: f64,
}

impl Lake {
    /// Which share of a cell it covers.
    fn share(&self, cell: Cell) -> f64 {
        if self.partly.0.binary_search(&cell).is_ok() { self.partly.1 } else { 1.0 }
    }
}

/// The lakes of a balance, and the number of the lake that covers each cell.
pub(super) fn describe(
    grid: &Topology,
    ground_m: &Field<f32>,
    depressions: &Depressions,
    standing: &[Standing],
    ends: &[Cell],
) -> (Vec<Lake>, Field<u32>) {
    let body = |(water, &last): (&Standing, &Cell)| body(grid, ground_m, depressions, water, last);
    let wet = standing.iter().zip(ends).filter(|(water, _)| water.fill != Fill::Silted);
    let mut lakes: Vec<Lake> = wet.map(body).collect();
    lakes.sort_by_key(|lake| lake.cells[0]);
    let mut number = Field::filled(grid.shape(), NO_LAKE);
    for (k, lake) in (0u32..).zip(&lakes) {
        for &cell in &lake.cells {
            number[cell] = k;
        }
    }
    (lakes, number)
}

/// What stands in one depression. Covers at least its lowest cell, by at least a token depth.
fn body(
    grid: &Topology,
    ground_m: &Field<f32>,
    depressions: &Depressions,
    water: &Standing,
    last: Cell,
) -> Lake {
    let of = depressions.get(water.depression);
    let all = depressions.cells(water.depression);
    let own = depressions.own_cells(water.depression);
    let (level_m, partly) = match water.fill {
        Fill::Full | Fill::Silted => (of.spill_m, (Vec::new(), 1.0)),
        Fill::Closed { level_m, covered, partly, share } => {
            let rounded = (level_m / LEVEL_STEP_M).floor() * LEVEL_STEP_M;
            let mut partly = own[covered..covered + partly].to_vec();
            partly.sort_unstable();
            (rounded.max(of.pit_m + LEVEL_STEP_M), (partly, share))
        }
    };
    let mut cells: Vec<Cell> = all.iter().copied().filter(|&c| ground_m[c] < level_m).collect();
    cells.sort_unstable();
    let mut lake = Lake {
        cells,
        level_m,
        closed: matches!(water.fill, Fill::Closed { .. }),
        last,
        area_m2: 0.0,
        volume_m3: 0.0,
        depth_max_m: level_m - of.pit_m,
        inflow_m3_s: 0.0,
        evaporation_m3_s: 0.0,
        partly,
        taken_m3_s: 0.0,
    };
    for &cell in &lake.cells {
        let area_m2 = lake.share(cell) * grid.area_m2(cell);
        lake.area_m2 += area_m2;
        lake.volume_m3 += area_m2 * f64::from(level_m - ground_m[cell]);
    }
    lake
}

/// What lakes do to the rivers.
pub(super) struct Charges {
    /// What each cell adds to its river, in m3/s.
    pub runoff_m3_s: Field<f64>,
    /// Discharge that leaves each cell, in m3/s.
    pub discharge_m3_s: Field<f64>,
}

/// Sums runoff from the heads down. At its last cell a full lake takes its demand, a closed one all there is.
///
/// By the balance there is always as much as a full lake demands, save one case: a spill's own water, which the balance
/// gives to one side, goes to the other when the lake overflows there. Then the lake takes what there is, and what
/// leaves it is nothing.
pub(super) fn charge(
    grid: &Topology,
    flow: &Flow,
    runoff_m3_s: &Field<f64>,
    demand_m3_s: &Field<f64>,
    land: &Field<f32>,
    lakes: &mut [Lake],
) -> Charges {
    let mut ends = Field::filled(land.shape(), NO_LAKE);
    for (k, lake) in (0u32..).zip(lakes.iter()) {
        ends[lake.last] = k;
    }
    let (mut own, mut sum) = (runoff_m3_s.clone(), runoff_m3_s.clone());
    for &cell in flow.order().iter().rev().filter(|&&c| land[c] > 0.0) {
        if let Some(lake) = lakes.get_mut(ends[cell] as usize) {
            let demand: f64 = lake.cells.iter().map(|&c| demand_m3_s[c]).sum();
            lake.taken_m3_s = if lake.closed { sum[cell] } else { demand.min(sum[cell]) };
            let rain: f64 = lake.cells.iter().map(|&c| lake.share(c) * runoff_m3_s[c]).sum();
            lake.inflow_m3_s = sum[cell] - rain;
            lake.evaporation_m3_s = lake.taken_m3_s - rain;
            own[cell] -= lake.taken_m3_s;
            sum[cell] -= lake.taken_m3_s;
        }
        if let Some(below) = flow.receiver_of(grid, cell).filter(|&b| land[b] > 0.0) {
            sum[below] += sum[cell];
        }
    }
    Charges { runoff_m3_s: own, discharge_m3_s: sum }
}

/// Beside demand, so that a lake whose cells demand nothing loses evenly what it takes, in m3/s.
const LEAST_WEIGHT: f64 = 1e-12;

/// Rain less what runs off, in mm/yr; a lake's loss is spread over its cells by demand and share.
pub(super) fn evaporation_mm(
    grid: &Topology,
    climate: &Climate,
    land: &Field<f32>,
    demand_m3_s: &Field<f64>,
    (number, lakes): (&Field<u32>, &[Lake]),
) -> Field<f32> {
    let weight = |lake: &Lake, cell| lake.share(cell) * demand_m3_s[cell] + LEAST_WEIGHT;
    let weights = |lake: &Lake| lake.cells.iter().map(|&c| weight(lake, c)).sum::<f64>();
    let per_weight: Vec<f64> = lakes.iter().map(|lake| lake.taken_m3_s / weights(lake)).collect();
    Field::from_fn(grid.shape(), |cell| {
        if land[cell] <= 0.0 {
            return climate.evaporation_mm[cell];
        }
        let lake = number[cell] as usize;
        let lost = lakes.get(lake).map_or(0.0, |l| weight(l, cell) * per_weight[lake]);
        let left = (climate.runoff_m3_s[cell] - lost) * YEAR_S / grid.area_m2(cell) * 1000.0;
        (f64::from(climate.rain_mm[cell]) - left) as f32
    })
}

/// The lakes as a table: level, area, volume, greatest depth, the cell where the water leaves (none of a closed lake),
/// the first cell, whether it is closed (1: a salt lake), inflow, and net evaporation.
pub(crate) fn lake_table(lakes: &[Lake]) -> Table {
    let each = |f: &dyn Fn(&Lake) -> f64| ColumnValues::F64(lakes.iter().map(f).collect());
    let count = |f: &dyn Fn(&Lake) -> u32| ColumnValues::U32(lakes.iter().map(f).collect());
    Table::new("lakes")
        .with("level", "m", each(&|l| f64::from(l.level_m)))
        .and_then(|t| t.with("area", "m2", each(&|l| l.area_m2)))
        .and_then(|t| t.with("volume", "m3", each(&|l| l.volume_m3)))
        .and_then(|t| t.with("greatest_depth", "m", each(&|l| f64::from(l.depth_max_m))))
        .and_then(|t| t.with("outlet", "cell", count(&|l| if l.closed { u32::MAX } else { l.last.0 })))
        .and_then(|t| t.with("first_cell", "cell", count(&|l| l.cells[0].0)))
        .and_then(|t| t.with("closed", "1", count(&|l| u32::from(l.closed))))
        .and_then(|t| t.with("inflow", "m3/s", each(&|l| l.inflow_m3_s)))
        .and_then(|t| t.with("evaporation", "m3/s", each(&|l| l.evaporation_m3_s)))
        .expect("one row a lake")
}
