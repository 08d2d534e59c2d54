//! The long profile of a river.

use super::steps::step_m;
use crate::Flow;
use grid::{Cell, Field, Grid};

/// What is met along a river, cell by cell from its upper end down; all lists are equally long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The cells, each the receiver of the one before.
    pub cells: Vec<Cell>,
    /// Length of the way from the first cell, in metres.
    pub distance_m: Vec<f64>,
    /// Elevation, or level of the water, in metres.
    pub elevation_m: Vec<f32>,
    /// Drainage area in square metres.
    pub area_m2: Vec<f64>,
    /// Discharge in cubic metres per second.
    pub discharge_m3_s: Vec<f64>,
}

impl Profile {
    /// The profile along cells that follow each other downstream. Cost: their number.
    ///
    /// The main stem above a mouth, from its head: `stems.up(mouth)`, reversed; a river from a point down:
    /// [`downstream`](super::downstream).
    ///
    /// # Panics
    /// If a cell is not the receiver of the one before.
    pub fn along(
        grid: &impl Grid,
        flow: &Flow,
        cells: Vec<Cell>,
        elevation_m: &Field<f32>,
        (area_m2, discharge_m3_s): (&Field<f64>, &Field<f64>),
    ) -> Self {
        let mut way_m = 0.0;
        let mut distance_m = Vec::with_capacity(cells.len());
        for (place, &cell) in cells.iter().enumerate() {
            if place > 0 {
                let above = cells[place - 1];
                assert_eq!(flow.target(above), Some(cell), "a profile goes from each cell to its receiver");
                way_m += step_m(grid, flow, above, cell);
            }
            distance_m.push(way_m);
        }
        Self {
            distance_m,
            elevation_m: cells.iter().map(|&c| elevation_m[c]).collect(),
            area_m2: cells.iter().map(|&c| area_m2[c]).collect(),
            discharge_m3_s: cells.iter().map(|&c| discharge_m3_s[c]).collect(),
            cells,
        }
    }
}
