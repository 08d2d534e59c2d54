//! What the set of a cell's lower neighbours says about it.

use grid::Direction;
use std::sync::LazyLock;

/// Neighbours that come before a cell in the order of rows: N, NE, W and NW.
const BEFORE: u8 = 0b1100_0011;

/// Which of them gives its label, in this order: W last, because it has only just been written.
const FIRST: [Direction; 4] = [Direction::N, Direction::NW, Direction::NE, Direction::W];

/// Likewise of those that come after.
const SECOND: [Direction; 4] = [Direction::S, Direction::SE, Direction::SW, Direction::E];

/// No direction.
pub(super) const NO: u8 = u8::MAX;

/// All diagonals connect the two sides beside them.
pub(super) const ALL_CROSS: u16 = 0b1111;

/// What to do with a cell, by the byte of its lower neighbours.
#[derive(Clone, Copy, Default)]
pub(super) struct Choice {
    /// Way in memory to the lower neighbour before the cell that gives its label; 0 if there is none.
    pub before: i16,
    /// Way in memory to the lower neighbour after the cell that a new label leads to; 0 if there is none.
    pub after: i16,
    /// 1 if the cell begins a label.
    pub is_new: u16,
    /// 1 if its lower neighbours hang together in several pieces.
    pub is_saddle: u16,
}

/// The choices for labels that lie in rows of `stride`, where all neighbours are linked.
pub(super) fn choices(stride: i16) -> [Choice; 256] {
    let way = |from: [Direction; 4], lower: u8| {
        let found = from.into_iter().find(|d| lower >> d.index() & 1 == 1);
        found.map_or(0, |d| d.offset().0 as i16 * stride + d.offset().1 as i16)
    };
    std::array::from_fn(|lower| {
        let byte = lower as u8;
        Choice {
            before: way(FIRST, byte),
            after: way(SECOND, byte),
            is_new: u16::from(byte & BEFORE == 0),
            is_saddle: u16::from(pieces(ALL_CROSS << 8 | u16::from(byte))[1] != NO),
        }
    })
}

/// A member of each piece of the lower neighbours that hang together among themselves, then [`NO`].
///
/// `code`: the byte of lower neighbours, and in the next four bits for NE, SE, SW, NW whether the two sides beside that
/// corner are linked. A corner hangs together with a side beside it, because sides are always links.
pub(super) fn pieces(code: u16) -> [u8; 4] {
    static PIECES: LazyLock<Vec<[u8; 4]>> = LazyLock::new(|| (0..4096).map(find_pieces).collect());
    PIECES[usize::from(code)]
}

fn find_pieces(code: u16) -> [u8; 4] {
    let lower = |d: usize| code >> (d & 7) & 1 == 1;
    let mut name: [usize; 8] = std::array::from_fn(|d| d);
    let mut join = |a: usize, b: usize| {
        if lower(a) && lower(b) {
            let (keep, drop) = (name[a & 7].min(name[b & 7]), name[a & 7].max(name[b & 7]));
            name.iter_mut().filter(|n| **n == drop).for_each(|n| *n = keep);
        }
    };
    for d in 0..8 {
        join(d, d + 1);
    }
    for corner in (0..4).filter(|corner| code >> (8 + corner) & 1 == 1) {
        join(2 * corner, 2 * corner + 2);
    }
    let mut found = [NO; 4];
    let members = (0..8).filter(|&d| lower(d) && name[d] == d);
    found.iter_mut().zip(members).for_each(|(slot, d)| *slot = d as u8);
    found
}

/// The four bits of [`pieces`] for a cell with these links.
///
/// Where a diagonal is no link, the other one of that corner is. Where it is one, the other may or may not be.
pub(super) fn crossings(links: u8) -> u16 {
    let free = !links;
    u16::from(free >> 1 & 1 | free >> 2 & 2 | free >> 3 & 4 | free >> 4 & 8)
}
