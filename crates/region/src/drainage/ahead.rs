//! What of each level a request is sure to ask for, and in which pieces it is planned.
//!
//! The channels of a level ask for plans around them, and each plan for those of its parents and some rings around. Nothing
//! here changes a bit of what is found: what is not planned ahead is planned when it is asked for, only slower.

use super::block::{Rect, SQUARE};
use super::mesh;
use super::plan::RINGS;
use grid::{Level, Topology};

/// Basins of sites in a window reach so many sites out of it, but for a few.
const BASINS: u32 = SQUARE;

/// The squares of each level, from the first on, that channels within some rectangles of a level will ask for when they
/// look at so many rings of sites around. Cost: some 100 ns for each square.
pub(super) fn squares(
    grid: &Topology,
    level: Level,
    rects: impl Iterator<Item = Rect>,
    rings: u32,
) -> Vec<(Level, Vec<Rect>)> {
    let mut all = Vec::new();
    let mut needed = around(grid, level, rects, rings + BASINS);
    for l in (1..=level.0).rev() {
        let above = Level(l - 1);
        let parents = needed.iter().map(|square| square.parents());
        // four squares share that of their parents
        let over =
            if l > 1 { around(grid, above, tidy(parents.collect()).into_iter(), RINGS) } else { Vec::new() };
        all.push((Level(l), std::mem::replace(&mut needed, over)));
    }
    all.reverse();
    all
}

/// The squares of a level within so many rings of some rectangles.
fn around(grid: &Topology, level: Level, rects: impl Iterator<Item = Rect>, rings: u32) -> Vec<Rect> {
    let size = grid.part_rows_cols(level);
    let all = rects.flat_map(|rect| mesh::widened(grid, level, rect, rings));
    tidy(all.flat_map(|rect| rect.squares(size)).collect())
}

fn tidy(mut rects: Vec<Rect>) -> Vec<Rect> {
    rects.sort_unstable();
    rects.dedup();
    rects
}

/// Sites along a side of what is planned together: the more the better, but nothing of it may lie far from what is
/// asked for, in cells.
pub(super) fn piece_side(level: Level) -> u32 {
    match level.0 {
        0..=2 => 2 * SQUARE,
        3..=4 => 4 * SQUARE,
        5 => 8 * SQUARE,
        _ => 16 * SQUARE,
    }
}

/// Squares by the pieces that they lie in.
pub(super) fn pieces(level: Level, squares: &[Rect]) -> Vec<Vec<Rect>> {
    let side = piece_side(level);
    let piece = |square: &Rect| (square.face, square.row / side, square.col / side);
    let mut sorted = squares.to_vec();
    sorted.sort_unstable_by_key(|square| (piece(square), *square));
    sorted.chunk_by(|a, b| piece(a) == piece(b)).map(<[Rect]>::to_vec).collect()
}
