//! What of each level a request is sure to ask for, and in which pieces it is planned.
//!
//! The channels of a level ask for plans around them, and each plan for those of its parents and some rings around. Nothing
//! here changes a bit of what is found: what is not planned ahead is planned when it is asked for, only slower.

use super::block::{Rect, SIDE, SQUARE};
use super::mesh;
use super::plan::RINGS;
use grid::{Level, Topology};

/// Basins of sites in a window reach so many sites out of it, but for a few.
pub(super) const BASINS: u32 = SQUARE;

/// The squares of each level, from the first on, that channels within some rectangles of a level will ask for when they
/// look at so many rings of sites around. Cost: some 100 ns for each square.
pub(super) fn squares(
    grid: &Topology,
    level: Level,
    rects: impl Iterator<Item = Rect>,
    rings: u32,
) -> Vec<(Level, Vec<Rect>)> {
    let mut all = Vec::new();
    let mut needed = around(grid, level, rects, rings);
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

/// Sites along a side of the largest pieces: the larger, the less lies around them.
const MOST_SIDE: u32 = 80;

/// Sites along a side of the smallest pieces. Larger ones have something that is asked for in every square of this side, so
/// that nothing that is planned lies farther than this from what is asked for: cells farther away are not known.
pub(super) fn least_side(level: Level) -> u32 {
    match level.0 {
        0..=2 => 2 * SQUARE,
        3..=4 => 4 * SQUARE,
        5 => 8 * SQUARE,
        _ => 16 * SQUARE,
    }
}

/// Squares by the pieces that they are planned in.
pub(super) fn pieces(level: Level, squares: &[Rect]) -> Vec<Vec<Rect>> {
    parted(squares, (least_side(level), SQUARE))
}

/// Squares of a level by the pieces whose channels are made together: those of a block in one.
pub(crate) fn drawn_together(squares: &[Rect]) -> Vec<Vec<Rect>> {
    parted(squares, (SIDE, SIDE))
}

/// Squares parted, at multiples of `step`, until the rectangles around the parts are no larger than [`MOST_SIDE`] without a hole
/// of `least` x `least`, or no larger than that.
fn parted(squares: &[Rect], (least, step): (u32, u32)) -> Vec<Vec<Rect>> {
    let mut squares = squares.to_vec();
    squares.sort_unstable();
    let faces = squares.chunk_by(|a, b| a.face == b.face).map(<[Rect]>::to_vec);
    let mut open: Vec<Vec<Rect>> = faces.collect();
    let mut all = Vec::new();
    while let Some(piece) = open.pop() {
        let Some(rect) = piece.iter().copied().reduce(Rect::with) else { continue };
        let side = rect.rows.max(rect.cols);
        if side <= least || side <= MOST_SIDE && fills(&piece, rect, least) {
            all.push(piece);
            continue;
        }
        let is_row = rect.rows >= rect.cols;
        let place = |of: &Rect| if is_row { of.row } else { of.col };
        // the multiple of the step next to the middle, which lies within: the side is longer than a step
        let middle = (place(&rect) + side / 2 + step / 2) / step * step;
        let (before, behind) = piece.into_iter().partition(|square| place(square) < middle);
        open.extend([before, behind]);
    }
    all
}

/// Whether every tile of a side in the rectangle around squares has one of them.
fn fills(squares: &[Rect], around: Rect, side: u32) -> bool {
    let tile = |of: &Rect| ((of.row - around.row) / side, (of.col - around.col) / side);
    let mut tiles: Vec<(u32, u32)> = squares.iter().map(tile).collect();
    tiles.sort_unstable();
    tiles.dedup();
    tiles.len() == (around.rows.div_ceil(side) * around.cols.div_ceil(side)) as usize
}
