//! The catchments of a tile: from every cell down to a pit, and which cells are outlets.
//!
//! A cell leads to its lowest neighbour in the tile by (level, address), if that comes before it in this order; so
//! every path ends, no level rises along it, and plateaus need no care. A cell that leads nowhere is a pit.

use super::{Tile, around};

/// Codes of cells that lead to no neighbour; below 8 they are directions.
pub(crate) const PIT: u8 = 8;
pub(crate) const OUTLET: u8 = 9;
pub(crate) const NO_DATA: u8 = 10;

/// Where each cell of a tile leads. `z`, the answer too, with their ring: beyond the map `z` is not a number.
pub(crate) fn descents(tile: Tile, z: &[f32]) -> Vec<u8> {
    let mut codes = vec![NO_DATA; tile.padded_len()];
    let nothing = vec![f32::NAN; tile.stride()];
    for row in 0..tile.rows {
        let rows = around(tile, z, row);
        let from = tile.row(row);
        let out = &mut codes[from..from + tile.cols];
        lead(
            [
                if row == 0 { &nothing } else { rows[0] },
                rows[1],
                if row + 1 == tile.rows { &nothing } else { rows[2] },
            ],
            out,
        );
        if tile.west {
            lead_inside(tile, z, row, 0, out);
        }
        if tile.east {
            lead_inside(tile, z, row, tile.cols - 1, out);
        }
        mark_outlets(rows, out);
    }
    codes
}

/// Leads a cell beside another tile again, as if there were none.
fn lead_inside(tile: Tile, z: &[f32], row: usize, col: usize, out: &mut [u8]) {
    let mut near = [[f32::NAN; 3]; 3];
    for (r, near) in near.iter_mut().enumerate() {
        for (c, near) in near.iter_mut().enumerate() {
            let at = (row + r) * tile.stride() + col + c;
            *near = if tile.holds(at) { z[at] } else { f32::NAN };
        }
    }
    lead([&near[0], &near[1], &near[2]], &mut out[col..=col]);
}

/// The direction to the lowest neighbour by (level, address) that comes before the cell itself, or [`PIT`].
fn lead([up, own, down]: [&[f32]; 3], out: &mut [u8]) {
    let cols = out.len();
    let (up, own, down) = (&up[..cols + 2], &own[..cols + 2], &down[..cols + 2]);
    for c in 0..cols {
        let mut lowest = own[c + 1];
        let mut code = u32::from(PIT);
        // Of lower address: an equal one comes before the cell.
        for (z, direction) in [(up[c], 7), (up[c + 1], 0), (up[c + 2], 1), (own[c], 6)] {
            let take = (z < lowest) | ((z == lowest) & (code == u32::from(PIT)));
            lowest = if take { z } else { lowest };
            code = if take { direction } else { code };
        }
        for (z, direction) in [(own[c + 2], 2), (down[c], 5), (down[c + 1], 4), (down[c + 2], 3)] {
            let take = z < lowest;
            lowest = if take { z } else { lowest };
            code = if take { direction } else { code };
        }
        out[c] = code as u8;
    }
}

/// Marks cells without data, and outlets: cells with a neighbour without data, which beyond the map there is none.
pub(crate) fn mark_outlets(rows: [&[f32]; 3], out: &mut [u8]) {
    let cols = out.len();
    let [up, own, down] = rows.map(|row| &row[..cols + 2]);
    for c in 0..cols {
        let mut gap = false;
        for z in [up[c], up[c + 1], up[c + 2], own[c], own[c + 2], down[c], down[c + 1], down[c + 2]] {
            gap |= z.is_nan();
        }
        let code = if gap { OUTLET } else { out[c] };
        out[c] = if own[c + 1].is_nan() { NO_DATA } else { code };
    }
}

/// No label yet.
pub(crate) const UNSET: u32 = u32::MAX;

/// Gives each cell with a direction (a code below 8) the label of the cell that it leads to in the end.
///
/// All other cells have theirs; `labels` has the ring too, to which directions may lead. Linear: no cell is
/// walked over twice without a label.
pub(crate) fn spread_labels(tile: Tile, codes: &[u8], labels: &mut [u32]) {
    let offsets = tile.offsets();
    let mut path = Vec::new();
    for row in 0..tile.rows {
        for start in tile.row(row)..tile.row(row) + tile.cols {
            let mut at = start;
            while labels[at] == UNSET {
                assert!(path.len() < codes.len(), "directions lead in no circle");
                path.push(at as u32);
                at = at.wrapping_add_signed(offsets[usize::from(codes[at] & 7)]);
            }
            let label = labels[at];
            for at in path.drain(..) {
                labels[at as usize] = label;
            }
        }
    }
}
