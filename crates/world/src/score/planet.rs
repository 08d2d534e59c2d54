//! The shape of the planet: land and sea, heights and depths, by area.

use super::reading::{Reading, absent};
use super::survey::Survey;
use grid::Cell;

/// Least depth of the abyss and greatest of the continental slope, in metres.
const ABYSS_M: f64 = -2500.0;
/// Width of the bins in which modes are looked for, in metres.
const BIN_M: f64 = 100.0;
/// Above this height the mode of the land is looked for, below it that of the ocean, in metres.
const MODES_PART_M: f64 = -1000.0;

/// Values that each stand for an area.
pub(super) struct Weighted {
    /// Value and area, by value.
    sorted: Vec<(f64, f64)>,
    total: f64,
}

impl Weighted {
    /// Sorts them. Cost: a sort.
    pub(super) fn new(values: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut sorted: Vec<_> = values.collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable: the same order of additions always
        let total = sorted.iter().map(|v| v.1).sum();
        Self { sorted, total }
    }

    /// Mean by area. `None` without area, as below.
    pub(super) fn mean(&self) -> Option<f64> {
        let sum: f64 = self.sorted.iter().map(|v| v.0 * v.1).sum();
        (self.total > 0.0).then(|| sum / self.total)
    }

    /// The value below which a share of the area lies.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        let mut below = 0.0;
        let reached = |v: &&(f64, f64)| {
            below += v.1;
            below >= share * self.total
        };
        self.sorted.iter().find(reached).or(self.sorted.last()).map(|v| v.0)
    }

    /// The share of the area whose values lie above `low` and up to `high`.
    pub(super) fn share_within(&self, low: f64, high: f64) -> Option<f64> {
        let inside = self.sorted.iter().filter(|v| v.0 > low && v.0 <= high);
        (self.total > 0.0).then(|| inside.map(|v| v.1).sum::<f64>() / self.total)
    }
}

/// All figures of the section `planet` but the spectrum.
pub(super) fn measure(survey: &Survey) -> Vec<(&'static str, Reading)> {
    let heights = |chosen: &dyn Fn(Cell) -> bool| {
        let cells = survey.cells().filter(|&c| chosen(c));
        Weighted::new(cells.map(|c| (f64::from(survey.surface_m[c]), survey.area_m2[c])))
    };
    let land = heights(&|c| survey.is_land(c));
    let sea = heights(&|c| !survey.is_land(c));
    let planet_m2 = land.total + sea.total;
    let above = |m| absent(land.share_within(m, f64::INFINITY), "no land");
    // a share of the sea becomes one of the planet
    let depths =
        |low, high| Reading::Value(sea.share_within(low, high).unwrap_or(0.0) * sea.total / planet_m2);
    let mut readings = vec![
        ("land_fraction", Reading::Value(land.total / planet_m2)),
        ("land_mean_m", absent(land.mean(), "no land")),
        ("land_median_m", absent(land.quantile(0.5), "no land")),
        ("land_above_200_m", above(200.0)),
        ("land_above_1000_m", above(1000.0)),
        ("land_above_3000_m", above(3000.0)),
        ("ocean_mean_m", absent(sea.mean(), "no sea")),
        ("shelf_0_to_200_m", depths(-200.0, f64::INFINITY)),
        ("slope_200_to_2500_m", depths(ABYSS_M, -200.0)),
        ("abyss_2500_to_6000_m", depths(-6000.0, ABYSS_M)),
    ];
    let modes = two_modes(&histogram(survey));
    readings.push(("mode_land_m", absent(modes.map(|m| m.0), "no two modes with a low between them")));
    readings.push(("mode_ocean_m", absent(modes.map(|m| m.1), "no two modes with a low between them")));
    readings
}

/// Area by height: bin k covers `k * BIN_M` to `(k + 1) * BIN_M`, in order, without gaps.
fn histogram(survey: &Survey) -> Vec<(i32, f64)> {
    let bin = |c: Cell| (f64::from(survey.surface_m[c]) / BIN_M).floor() as i32;
    let (low, high) = survey.cells().map(bin).fold((0, 0), |(l, h), b| (l.min(b), h.max(b)));
    let mut bins: Vec<(i32, f64)> = (low..=high).map(|b| (b, 0.0)).collect();
    for cell in survey.cells() {
        bins[(bin(cell) - low) as usize].1 += survey.area_m2[cell];
    }
    bins
}

/// The middles of the fullest bins above and below [`MODES_PART_M`], land first, if some bin between them holds less
/// than half of either.
fn two_modes(bins: &[(i32, f64)]) -> Option<(f64, f64)> {
    let middle = |b: i32| (f64::from(b) + 0.5) * BIN_M;
    let fullest = |above: bool| {
        let side = bins.iter().filter(|b| (middle(b.0) > MODES_PART_M) == above);
        side.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|b| b.1 > 0.0)
    };
    let (land, ocean) = (fullest(true)?, fullest(false)?);
    let between = bins.iter().filter(|b| b.0 > ocean.0 && b.0 < land.0).map(|b| b.1);
    let low = between.fold(f64::INFINITY, f64::min);
    (2.0 * low < land.1.min(ocean.1)).then(|| (middle(land.0), middle(ocean.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_by_area() {
        let w = Weighted::new([(3.0, 1.0), (1.0, 2.0), (2.0, 5.0)].into_iter());
        assert_eq!(w.mean(), Some(15.0 / 8.0));
        assert_eq!(
            [0.0, 0.25, 0.26, 0.5, 0.9, 1.0].map(|s| w.quantile(s)),
            [1.0, 1.0, 2.0, 2.0, 3.0, 3.0].map(Some)
        );
        assert_eq!((w.share_within(1.0, 2.0), w.share_within(1.0, f64::INFINITY)), (Some(0.625), Some(0.75)));
        let none = Weighted::new(std::iter::empty());
        assert_eq!((none.mean(), none.quantile(0.5), none.share_within(0.0, 1.0)), (None, None, None));
    }

    #[test]
    fn modes_need_a_low_between_them() {
        let bins = |low: f64| -> Vec<(i32, f64)> {
            let area = |b: i32| match b {
                -46 => 9.0,
                0 => 5.0,
                1..=9 => 2.0,
                _ => low,
            };
            (-60..=9).map(|b| (b, area(b))).collect()
        };
        assert_eq!(two_modes(&bins(1.0)), Some((50.0, -4550.0)));
        assert_eq!(two_modes(&bins(2.5)), None);
    }
}
