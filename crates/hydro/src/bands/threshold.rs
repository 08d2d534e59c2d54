//! From where on there is a stream.

use crate::cut::areas::Areas;
use crate::cut::joints::Load;

/// From where on there is a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// That many cells drain through a cell, itself included.
    Cells(u32),
    /// That area drains through a cell, its own included, in square metres.
    AreaM2(f64),
}

impl Threshold {
    /// From how many cells and quanta on there is a stream.
    pub(super) fn least(self, areas: &Areas) -> Load {
        match (self, areas) {
            (Self::Cells(cells), _) => Load { cells: cells.max(1), quanta: 0 },
            (Self::AreaM2(least_m2), Areas::Equal(area_m2)) => {
                Load { cells: least_cells(least_m2, *area_m2), quanta: 0 }
            }
            // The scale is a power of two: the product is exact.
            (Self::AreaM2(least_m2), Areas::ByRow(_, per_m2)) => {
                Load { cells: 1, quanta: (least_m2 * per_m2).ceil() as u64 }
            }
        }
    }
}

/// The least number of cells with at least this area: as a product in `f64`, so that the division's rounding does
/// not decide.
fn least_cells(least_m2: f64, area_m2: f64) -> u32 {
    let mut cells = ((least_m2 / area_m2) as u32).saturating_sub(2).max(1);
    while f64::from(cells) * area_m2 < least_m2 && cells < u32::MAX {
        cells += 1;
    }
    cells
}
