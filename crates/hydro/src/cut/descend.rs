//! The surface filled for good, and the steepest way down it.
//!
//! `filled(c) = max(surface(c), level of its anchor)`; then the direction of the greatest slope
//! `(filled(c) - filled(n)) / distance(d)` in `f64` over the strictly lower neighbours n, of equal ones the first
//! clockwise from north. What has none, has data and is no outlet belongs to a flat.

use super::catchments::{NO_DATA as BARE, OUTLET, mark_outlets};
use super::codes::{FLAT, NO_DATA};
use super::spill::{Levels, RAISED, units};
use super::strip::{Strip, around, without_ring};
use crate::flow::NONE;

/// A band filled for good.
pub(super) struct Descended {
    pub filled: Vec<f32>,
    /// See [`super::codes`].
    pub directions: Vec<u8>,
    /// Number of cells that filling has raised, and of cells in flats.
    pub raised_cells: u64,
    pub flat_cells: u64,
    /// Of each row: sum of what cells were raised by here, in units.
    pub raised: Vec<i128>,
}

/// Fills a band, given with its ring as it was filled on its own; `spacing_m` of the first row and of those after.
pub(super) fn descend(
    strip: Strip,
    (mut surface, labels): (Vec<f32>, Vec<u32>),
    levels: &Levels,
    spacing_m: impl Fn(u32) -> [f64; 8],
) -> Descended {
    let (raised_cells, raised) = fill(strip, &mut surface, &labels, levels);
    drop(labels);
    let mut directions = vec![NONE; strip.rows * strip.cols];
    let mut marks = vec![0; strip.cols];
    for (row, out) in directions.chunks_mut(strip.cols).enumerate() {
        let rows = around(strip, &surface, row);
        steepest(&spacing_m(strip.first + row as u32), rows, out);
        marks.fill(0);
        mark_outlets(rows, &mut marks);
        for (code, &mark) in out.iter_mut().zip(&marks) {
            let is_flat = (*code == NONE) & (mark != OUTLET);
            *code = if is_flat { FLAT } else { *code };
            *code = if mark == BARE { NO_DATA } else { *code };
        }
    }
    let flat_cells = directions.iter().filter(|&&d| d == FLAT).count() as u64;
    Descended { filled: without_ring(strip, surface), directions, raised_cells, flat_cells, raised }
}

/// Raises the band and the rows beside it, which may be raised already: to do it twice changes nothing.
fn fill(strip: Strip, surface: &mut [f32], labels: &[u32], levels: &Levels) -> (u64, Vec<i128>) {
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

/// The steepest way down from each cell of a row, or [`NONE`]; rows with both columns of the ring.
fn steepest(spacing_m: &[f64; 8], [up, own, down]: [&[f32]; 3], out: &mut [u8]) {
    let cols = out.len();
    let (up, own, down) = (&up[..cols + 2], &own[..cols + 2], &down[..cols + 2]);
    for c in 0..cols {
        let z = f64::from(own[c + 1]);
        let around = [up[c + 1], up[c + 2], own[c + 2], down[c + 2], down[c + 1], down[c], own[c], up[c]];
        let (mut best, mut best_slope) = (u64::from(NONE), 0.0);
        for d in 0..8 {
            let slope = (z - f64::from(around[d])) / spacing_m[d];
            let take = slope > best_slope;
            best_slope = if take { slope } else { best_slope };
            best = if take { d as u64 } else { best };
        }
        out[c] = best as u8;
    }
}
