//! The surface filled for good: `filled(c) = max(surface(c), level of its anchor)`; and the ways down it.

use super::anchors::Levels;
use crate::cut::codes::FLAT;
use crate::cut::spill::{RAISED, units};
use crate::cut::ways::ways_down;
use crate::cut::{Tile, without_ring};

/// A band filled for good.
pub(super) struct Descended {
    pub filled: Vec<f32>,
    /// See [`crate::cut::codes`].
    pub directions: Vec<u8>,
    /// Number of cells that filling has raised, and of cells in flats.
    pub raised_cells: u64,
    pub flat_cells: u64,
    /// Of each row: sum of what cells were raised by here, in units.
    pub raised: Vec<i128>,
}

/// Fills a band, given with its ring as it was filled on its own; `spacing_m` of the first row and of those after.
pub(super) fn descend(
    strip: Tile,
    (mut surface, labels): (Vec<f32>, Vec<u32>),
    levels: &Levels,
    spacing_m: impl Fn(u32) -> [f64; 8],
) -> Descended {
    let (raised_cells, raised) = fill(strip, &mut surface, &labels, levels);
    drop(labels);
    let directions = ways_down(strip, &surface, spacing_m);
    let flat_cells = directions.iter().filter(|&&d| d == FLAT).count() as u64;
    Descended { filled: without_ring(strip, surface), directions, raised_cells, flat_cells, raised }
}

/// Raises the band and the rows beside it, which may be raised already: to do it twice changes nothing.
fn fill(strip: Tile, surface: &mut [f32], labels: &[u32], levels: &Levels) -> (u64, Vec<i128>) {
    let stride = strip.stride();
    let mut cells = 0;
    let mut by_row = Vec::with_capacity(strip.rows);
    for row in 0..strip.rows + 2 {
        let band = (strip.index + usize::from(row > strip.rows)).saturating_sub(usize::from(row == 0));
        let mut sum = 0;
        for at in row * stride..(row + 1) * stride {
            let (z, label) = (surface[at], labels[at]);
            if label == 0 {
                continue;
            }
            let level = levels.of(band, label);
            if level > z {
                sum += units(level) - units(z);
                surface[at] = level;
            }
            if row > 0 && row <= strip.rows {
                cells += u64::from(level > z || label & RAISED != 0);
            }
        }
        if row > 0 && row <= strip.rows {
            by_row.push(sum);
        }
    }
    (cells, by_row)
}
