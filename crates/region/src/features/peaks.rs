//! Peaks: templates pasted over some of the points of ridges and hills.
//!
//! One of them is the summit of its cell and reaches the mountain height that the world gives it; all others stay lower.

use super::heights::Heights;
use super::{Crest, Maker, Peak};
use crate::template::TEMPLATES;
use grid::{Draw, Nth, Purpose, Vec3};

const PEAK: Purpose = Purpose::new("region/peak");

/// Share of a ridge's points that carry a peak.
const DENSITY: f64 = 0.5;
/// A peak stands this high above the base, as shares of the ridge under it.
const HEIGHT: (f64, f64) = (1.03, 1.22);
/// The summit stands this high, as shares of the cell's mountain height; other peaks lower than the least of it.
const SUMMIT: (f64, f64) = (0.96, 1.05);
/// Half the side of a template is its height divided by this.
const STEEPNESS: (f64, f64) = (0.45, 0.75);
/// Half the side of a template, in cells.
const RADIUS_CELLS: (f64, f64) = (0.05, 0.45);

/// A point of a ridge that may carry a peak.
#[derive(Clone, Copy)]
struct Place {
    at: Vec3,
    /// Height of the ridge above the base.
    top_m: f64,
}

impl Maker<'_> {
    /// Peaks over the points of lines; the line's end is another's point as well and carries none but the first's.
    pub(super) fn peaks(&self, cell: grid::Cell, heights: &Heights, lines: &[Crest]) -> Vec<Peak> {
        let mut places = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            let end = line.points_m.len() - usize::from(n > 0);
            let points = line.points_m[1..end].iter().zip(&line.heights_m[1..end]);
            places
                .push(points.map(|(&at, &m)| Place { at, top_m: heights.top_m(at, m) }).collect::<Vec<_>>());
        }
        let highest = places.iter().flatten().map(|p| p.top_m).fold(f64::NEG_INFINITY, f64::max);
        let mut summit = false;
        let mut peaks = Vec::new();
        for (n, line) in (0u32..).zip(&places) {
            let mut draw = self.seed.key(PEAK).at((cell, Nth(n)));
            for place in line {
                let chosen = draw.unit() < DENSITY;
                // of equal ones the first is the summit
                let first = !summit && place.top_m == highest;
                let peak = self.peak(*place, heights, first, &mut draw);
                if chosen || first {
                    peaks.push(peak);
                }
                summit |= first;
            }
        }
        peaks
    }

    /// A template of random shape, turned, mirrored and scaled.
    fn peak(&self, place: Place, heights: &Heights, summit: bool, draw: &mut Draw) -> Peak {
        let (over, share) = (draw.range(HEIGHT.0, HEIGHT.1), draw.range(SUMMIT.0, SUMMIT.1));
        let most_m = SUMMIT.0 * heights.own_m;
        let target_m = if summit { share * heights.own_m } else { (over * place.top_m).min(most_m) };
        // a ridge from higher country is no lower than its own peaks
        let height_m = heights.above(place.at, target_m.max(HEIGHT.0 * place.top_m));
        let steep = draw.range(STEEPNESS.0, STEEPNESS.1);
        let (least, most) = RADIUS_CELLS;
        let radius_m = (height_m / steep).clamp(least * self.cell_m, most * self.cell_m);
        let template = draw.below(TEMPLATES.len() as u32) as u8;
        let angle = draw.range(0.0, std::f64::consts::TAU);
        let mirror = if draw.unit() < 0.5 { 1.0 } else { -1.0 };
        let east = self.heading(place.at, angle);
        let north = self.heading(place.at, angle + std::f64::consts::FRAC_PI_2) * mirror;
        Peak { center_m: place.at, height_m, radius_m, template, axes: [east, north] }
    }
}
