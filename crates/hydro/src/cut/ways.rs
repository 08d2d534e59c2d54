//! The steepest way down a filled surface.
//!
//! The direction of the greatest slope `(filled(c) - filled(n)) / distance(d)` in `f64` over the strictly lower
//! neighbours n, of equal ones the first clockwise from north. What has none, has data and is no outlet belongs to a flat.

use super::catchments::{NO_DATA as BARE, OUTLET, mark_outlets};
use super::codes::{FLAT, NO_DATA};
use super::{Tile, around};
use crate::flow::NONE;

/// Codes of the cells of a tile without its ring, see [`super::codes`]; `surface` with its ring, `spacing_m` by row.
pub(crate) fn ways_down(tile: Tile, surface: &[f32], spacing_m: impl Fn(u32) -> [f64; 8]) -> Vec<u8> {
    let mut directions = vec![NONE; tile.rows * tile.cols];
    let mut marks = vec![0; tile.cols];
    for (row, out) in directions.chunks_mut(tile.cols).enumerate() {
        let rows = around(tile, surface, row);
        steepest(&spacing_m(tile.first + row as u32), rows, out);
        marks.fill(0);
        mark_outlets(rows, &mut marks);
        for (code, &mark) in out.iter_mut().zip(&marks) {
            let is_flat = (*code == NONE) & (mark != OUTLET);
            *code = if is_flat { FLAT } else { *code };
            *code = if mark == BARE { NO_DATA } else { *code };
        }
    }
    directions
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
