//! What the set of a cell's lower neighbours says about it.

use grid::Direction;

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
    PIECES[usize::from(code)]
}

static PIECES: [[u8; 4]; 4096] = all_pieces();

const fn all_pieces() -> [[u8; 4]; 4096] {
    let mut table = [[NO; 4]; 4096];
    let mut code = 0;
    while code < table.len() {
        table[code] = find_pieces(code as u16);
        code += 1;
    }
    table
}

const fn find_pieces(code: u16) -> [u8; 4] {
    // for each direction the byte of those that hang together with it
    let mut piece = [0u8; 8];
    let mut d = 0;
    while d < 8 {
        piece[d] = (code as u8) & (1 << d);
        d += 1;
    }
    d = 0;
    while d < 8 {
        join(&mut piece, d, (d + 1) & 7);
        if d % 2 == 0 && code >> (8 + d / 2) & 1 == 1 {
            join(&mut piece, d, (d + 2) & 7);
        }
        d += 1;
    }
    let mut found = [NO; 4];
    let (mut rest, mut count) = (code as u8, 0);
    while rest != 0 {
        let first = rest.trailing_zeros() as usize;
        found[count] = first as u8;
        rest &= !piece[first];
        count += 1;
    }
    found
}

/// Joins the pieces of two directions, if both are lower.
const fn join(piece: &mut [u8; 8], a: usize, b: usize) {
    if piece[a] == 0 || piece[b] == 0 {
        return;
    }
    let whole = piece[a] | piece[b];
    let mut rest = whole;
    while rest != 0 {
        piece[rest.trailing_zeros() as usize] = whole;
        rest &= rest - 1;
    }
}

/// The four bits of [`pieces`] for a cell with these links.
///
/// Where a diagonal is no link, the other one of that corner is. Where it is one, the other may or may not be.
pub(super) fn crossings(links: u8) -> u16 {
    let free = !links;
    u16::from(free >> 1 & 1 | free >> 2 & 2 | free >> 3 & 4 | free >> 4 & 8)
}
