//! What a byte of the stored directions says.
//!
//! Below 8: the direction of a drained cell. From 8 to 15: a cell of a flat, with its direction in the lower three bits.

use crate::flow::NONE;

/// A cell of a flat whose direction is not known yet.
pub(crate) const FLAT: u8 = 16;

/// A cell without data.
pub(crate) const NO_DATA: u8 = 254;

/// While flats are measured: a cell of a flat in the ring.
pub(crate) const BESIDE: u8 = FLAT + 1;

const IN_FLAT: u8 = 8;

/// A cell of a flat with its direction.
pub(crate) fn in_flat(direction: u8) -> u8 {
    IN_FLAT | direction
}

/// Whether a cell has data, is no outlet and has no lower neighbour.
#[inline]
pub(crate) fn is_flat(code: u8) -> bool {
    code.wrapping_sub(IN_FLAT) <= FLAT - IN_FLAT
}

/// Whether a cell belongs to a flat, be it in the ring ([`BESIDE`]).
#[inline]
pub(crate) fn is_any_flat(code: u8) -> bool {
    code.wrapping_sub(IN_FLAT) <= BESIDE - IN_FLAT
}

/// The direction alone, [`NONE`] or [`NO_DATA`].
#[inline]
pub(crate) fn plain(code: u8) -> u8 {
    if code < FLAT { code & 7 } else { code }
}

/// As it is handed out.
pub(crate) fn handed_out(code: u8) -> u8 {
    if code < 8 { code } else { NONE }
}
