//! How the area of a basin is spread over its heights (Strahler 1952).
//!
//! With the relative height y = (z - z_min) / (z_max - z_min), the hypsometric curve is x(y), the share of the area that
//! lies at least as high, from 1 at y = 0 to 0 above y = 1. Its integral over y is high for young, uncut land and
//! low for worn land. The curve of cells is a staircase, so the integral is exact from sorted heights; and it is the same
//! number as (mean - min) / (max - min), which needs no curve (Pike & Wilson 1971): the mean weighted by areas.

use crate::network::NOWHERE;
use crate::stencil::assert_shape;
use grid::{Cell, Field, Grid};

/// The hypsometric curve of a set of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypsometry {
    /// Heights in metres, each once, from the lowest up. At least two.
    pub height_m: Vec<f64>,
    /// Area in square metres that lies at least as high as each.
    pub area_above_m2: Vec<f64>,
}

impl Hypsometry {
    /// The curve of these cells; those whose elevation (metres) is not a number do not count. `None` without two different
    /// heights. Cost: n log n.
    pub fn of(
        grid: &impl Grid,
        elevation: &Field<f32>,
        cells: impl IntoIterator<Item = Cell>,
    ) -> Option<Self> {
        assert_shape(grid, elevation, "the elevation");
        let known = cells.into_iter().filter(|&c| !elevation[c].is_nan());
        let mut sorted: Vec<(f32, Cell)> = known.map(|c| (elevation[c] + 0.0, c)).collect();
        // from the top down; addresses, so that the sums have one order
        sorted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (mut height_m, mut area_above_m2) = (Vec::new(), Vec::new());
        let mut area_m2 = 0.0;
        for level in sorted.chunk_by(|a, b| a.0 == b.0) {
            area_m2 += level.iter().map(|&(_, c)| grid.area_m2(c)).sum::<f64>();
            height_m.push(f64::from(level[0].0));
            area_above_m2.push(area_m2);
        }
        height_m.reverse();
        area_above_m2.reverse();
        (height_m.len() > 1).then_some(Self { height_m, area_above_m2 })
    }

    /// The hypsometric integral, 0 to 1.
    pub fn integral(&self) -> f64 {
        let (low, high) = (self.height_m[0], self.height_m[self.height_m.len() - 1]);
        // between two heights the area above is that of the upper one
        let steps = self.height_m.windows(2).zip(&self.area_above_m2[1..]);
        let volume_m3: f64 = steps.map(|(h, area_m2)| (h[1] - h[0]) * area_m2).sum();
        volume_m3 / (self.area_above_m2[0] * (high - low))
    }

    /// Share of the area that lies at least as high as a relative height (0 the lowest, 1 the highest).
    pub fn share_above(&self, relative_height: f64) -> f64 {
        let (low, high) = (self.height_m[0], self.height_m[self.height_m.len() - 1]);
        let level_m = low + relative_height * (high - low);
        let place = self.height_m.partition_point(|&h| h < level_m);
        self.area_above_m2.get(place).map_or(0.0, |area_m2| area_m2 / self.area_above_m2[0])
    }
}

/// (mean - min) / (max - min) of the elevation of each of so many basins (Pike & Wilson 1971), the mean weighted by area: the
/// hypsometric integral of all basins at once. `None` for basins without two different heights.
///
/// `basin` is the index of each cell's basin, [`NOWHERE`] outside. Cells without data do not count. Cost: linear.
pub fn elevation_relief_ratios(
    grid: &impl Grid,
    elevation: &Field<f32>,
    basin: &Field<u32>,
    basins: usize,
) -> Vec<Option<f64>> {
    assert_shape(grid, elevation, "the elevation");
    assert_shape(grid, basin, "the basins");
    // least and greatest height, area, and area times height above the first cell met, which keeps the sum small
    let mut sums = vec![(f64::INFINITY, f64::NEG_INFINITY, 0.0, 0.0, 0.0); basins];
    for cell in (0..grid.len()).map(Cell::from_index).filter(|&c| basin[c] != NOWHERE) {
        let height_m = f64::from(elevation[cell]);
        if height_m.is_nan() {
            continue;
        }
        let (low, high, base, area_m2, volume_m3) = &mut sums[basin[cell] as usize];
        if *area_m2 == 0.0 {
            *base = height_m;
        }
        (*low, *high) = (low.min(height_m), high.max(height_m));
        let own_m2 = grid.area_m2(cell);
        *area_m2 += own_m2;
        *volume_m3 += own_m2 * (height_m - *base);
    }
    let ratio = |(low, high, base, area_m2, volume_m3): (f64, f64, f64, f64, f64)| {
        (high > low).then(|| (base - low + volume_m3 / area_m2) / (high - low))
    };
    sums.into_iter().map(ratio).collect()
}
