//! Peaks: templates pasted over some of a ridge's points, and single hills where mountains have no ridge.

use super::{Crest, Maker, Peak};
use crate::template::TEMPLATES;
use grid::{Cell, Draw, Nth, Purpose, Vec3};
use world::CellState;

const PEAK: Purpose = Purpose::new("region/peak");
const HILL: Purpose = Purpose::new("region/hill");

/// Share of a ridge's points that carry a peak.
const DENSITY: f64 = 0.5;
/// A peak stands this high, as shares of the ridge under it.
const HEIGHT: (f64, f64) = (1.02, 1.32);
/// Half the side of a template is its height divided by this.
const STEEPNESS: (f64, f64) = (0.45, 0.75);
/// Hills of a mountain cell without a ridge.
const HILLS: u32 = 5;

impl Maker<'_> {
    pub(super) fn peaks(&self, cell: Cell, state: &CellState, ridges: &[Crest]) -> Vec<Peak> {
        if state.mountain_height_m <= 0.0 {
            return Vec::new();
        }
        if ridges.is_empty() { self.hills(cell, state) } else { self.summits(cell, ridges) }
    }

    /// Peaks over the ridges' points. The junction, the last point of each, carries only one.
    fn summits(&self, cell: Cell, ridges: &[Crest]) -> Vec<Peak> {
        let mut peaks = Vec::new();
        for (n, ridge) in (0u32..).zip(ridges) {
            let mut draw = self.seed.key(PEAK).at((cell, Nth(n)));
            let end = ridge.points_m.len() - usize::from(n > 0);
            for k in 1..end {
                let chosen = draw.unit() < DENSITY;
                let peak = self.peak(ridge.points_m[k], ridge.heights_m[k], &mut draw);
                if chosen {
                    peaks.push(peak);
                }
            }
        }
        peaks
    }

    fn hills(&self, cell: Cell, state: &CellState) -> Vec<Peak> {
        let mut draw = self.seed.key(HILL).at(cell);
        let hill = |_| {
            let place = self.within_m(cell, draw.unit(), draw.unit());
            let height = self.prominence(state) * draw.range(0.15, 0.45);
            let hill = self.peak(place, height, &mut draw);
            Peak { radius_m: self.cell_m * draw.range(0.2, 0.45), ..hill }
        };
        (0..HILLS).map(hill).collect()
    }

    /// A template of random shape, turned, mirrored and scaled.
    fn peak(&self, center_m: Vec3, ridge_m: f64, draw: &mut Draw) -> Peak {
        let height_m = ridge_m * draw.range(HEIGHT.0, HEIGHT.1);
        let steep = draw.range(STEEPNESS.0, STEEPNESS.1);
        let radius_m = (height_m / steep).clamp(0.05 * self.cell_m, 0.45 * self.cell_m);
        let template = draw.below(TEMPLATES.len() as u32) as u8;
        let angle = draw.range(0.0, std::f64::consts::TAU);
        let mirror = if draw.unit() < 0.5 { 1.0 } else { -1.0 };
        let east = self.heading(center_m, angle);
        let north = self.heading(center_m, angle + std::f64::consts::FRAC_PI_2) * mirror;
        Peak { center_m, height_m, radius_m, template, axes: [east, north] }
    }
}
