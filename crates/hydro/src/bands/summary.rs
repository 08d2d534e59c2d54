//! Figures of the whole map, and its basins.

use super::Network;
use crate::cut::areas::Areas;
use crate::cut::spill::Tally;
use grid::{Cell, Grid};

/// What was found beside the rasters.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Figures of the whole map.
    pub summary: Summary,
    /// The streams.
    pub network: Network,
    /// The basins: number n at index n - 1.
    pub basins: Vec<Basin>,
}

/// A basin: all cells whose water ends at one.
#[derive(Clone, Debug, PartialEq)]
pub struct Basin {
    /// Where its water ends.
    pub root: Cell,
    /// Number of its cells.
    pub cells: u32,
    /// Its area in square metres.
    pub area_m2: f64,
}

/// Figures of a whole map.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// All cells.
    pub cells: u64,
    /// Cells with data.
    pub data_cells: u64,
    /// Area of the cells with data in square metres.
    pub area_m2: f64,
    /// Least elevation in metres; not a number where there is no data.
    pub lowest_m: f32,
    /// Greatest elevation in metres; not a number where there is no data.
    pub highest_m: f32,
    /// Cells at which water may leave: at the border or beside a cell without data.
    pub outlets: u64,
    /// Cells lower than all eight neighbours, outlets not counted.
    pub pits: u64,
    /// Cells raised by filling.
    pub filled_cells: u64,
    /// Volume filled, levels taken to 2^-20 m (about a micrometre).
    pub filled_volume_m3: f64,
    /// Cells of the filled surface, outlets not counted, without a lower neighbour.
    pub flat_cells: u64,
    /// Cells of streams.
    pub stream_cells: u64,
    /// Greatest accumulation, in cells.
    pub greatest_accumulation: u32,
}

impl Summary {
    /// Nothing counted yet.
    pub(super) fn of(grid: &impl Grid) -> Self {
        Self {
            cells: grid.len() as u64,
            data_cells: 0,
            area_m2: 0.0,
            lowest_m: f32::NAN,
            highest_m: f32::NAN,
            outlets: 0,
            pits: 0,
            filled_cells: 0,
            filled_volume_m3: 0.0,
            flat_cells: 0,
            stream_cells: 0,
            greatest_accumulation: 0,
        }
    }

    /// Counts the next band to the south.
    pub(super) fn count(&mut self, tally: &Tally, first_row: u32, areas: &Areas) {
        for (row, &data) in (first_row..).zip(&tally.data) {
            self.data_cells += u64::from(data);
            self.area_m2 += f64::from(data) * areas.of_row_m2(row);
        }
        self.outlets += tally.outlets;
        self.pits += tally.pits;
        if let Some((low, high)) = tally.range {
            self.lowest_m = self.lowest_m.min(low);
            self.highest_m = self.highest_m.max(high);
        }
    }
}
