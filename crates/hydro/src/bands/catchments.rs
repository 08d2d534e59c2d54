//! The catchments of a band: from every cell down to a pit, and which cells are outlets.
//!
//! A cell leads to its lowest neighbour in the band by (level, address), if that comes before it in this order; so
//! every path ends, no level rises along it, and plateaus need no care. A cell that leads nowhere is a pit.

use super::strip::{Strip, around};

/// Codes of cells that lead to no neighbour; below 8 they are directions.
pub(super) const PIT: u8 = 8;
pub(super) const OUTLET: u8 = 9;
pub(super) const NO_DATA: u8 = 10;

/// Where each cell of a band leads. `z`, the answer too, with their ring: beyond the map `z` is not a number.
pub(super) fn descents(strip: Strip, z: &[f32]) -> Vec<u8> {
    let mut codes = vec![NO_DATA; strip.padded_len()];
    let nothing = vec![f32::NAN; strip.stride()];
    for row in 0..strip.rows {
        let rows = around(strip, z, row);
        let from = strip.row(row);
        let out = &mut codes[from..from + strip.cols];
        lead(
            [
                if row == 0 { &nothing } else { rows[0] },
                rows[1],
                if row + 1 == strip.rows { &nothing } else { rows[2] },
            ],
            out,
        );
        mark_outlets(rows, out);
    }
    codes
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
pub(super) fn mark_outlets(rows: [&[f32]; 3], out: &mut [u8]) {
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
pub(super) const UNSET: u32 = u32::MAX;

/// Gives each cell with a direction (a code below 8) the label of the cell that it leads to in the end.
///
/// All other cells have theirs; `labels` has the ring too, to which directions may lead. Linear: no cell is
/// walked over twice without a label.
pub(super) fn spread_labels(strip: Strip, codes: &[u8], labels: &mut [u32]) {
    let offsets = strip.offsets();
    let mut path = Vec::new();
    for row in 0..strip.rows {
        for start in strip.row(row)..strip.row(row) + strip.cols {
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
