//! What of each level a request is sure to ask for, and in which pieces it is planned.
//!
//! The channels of a level ask for plans around them, and each plan for those of its parents and some rings around. Nothing
//! here changes a bit of what is found: what is not planned ahead is planned when it is asked for, only slower.

use super::block::{Rect, SIDE};
use super::mesh;
use super::plan::RINGS;
use grid::{Level, Part, Topology};

/// Basins of sites in a window, and of the parents around theirs, reach so many sites out of it, but for a few.
pub(super) const BASINS: u32 = 6;

/// What plans channels within some rectangles of a level will ask for when they look at so many rings of sites around: the
/// parents of each level, from the cells on, those in one list whose children are planned together. Cost: some 100 ns for
/// each parent.
pub(super) fn parents(
    grid: &Topology,
    level: Level,
    rects: impl Iterator<Item = Rect>,
    rings: u32,
) -> Vec<Vec<Vec<Part>>> {
    let mut all = Vec::new();
    let (mut rects, mut rings) = (rects.collect::<Vec<_>>(), rings);
    for l in (1..=level.0).rev() {
        let near = runs(rects).into_iter().flat_map(|rect| mesh::widened(grid, Level(l), rect, rings));
        let parents = tidy(near.flat_map(|rect| rect.parents().parts(Level(l - 1))).collect());
        let (around, pieces): (Vec<Rect>, Vec<Vec<Part>>) = pieces(&parents).into_iter().unzip();
        // a piece asks for the plans of all parents around its rectangle
        (rects, rings) = (around, RINGS);
        all.push(pieces);
    }
    all.reverse();
    all
}

/// Rectangles, of which those beside one another in a row are made one.
fn runs(rects: Vec<Rect>) -> Vec<Rect> {
    let mut all: Vec<Rect> = Vec::new();
    for rect in tidy(rects) {
        match all.last_mut() {
            Some(Rect { face, row, col, rows, cols })
                if (*face, *row, *rows, *col + *cols) == (rect.face, rect.row, rect.rows, rect.col) =>
            {
                *cols += rect.cols;
            }
            _ => all.push(rect),
        }
    }
    all
}

fn tidy<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all.dedup();
    all
}

/// Sites along a side of the largest pieces: the larger, the less lies around them.
const MOST_SIDE: u32 = 80;

/// Sites along a side of the largest pieces whose channels are made together: of the rectangle around a piece waters are asked for
/// everywhere, and a window lies askew in it.
const MOST_DRAWN_SIDE: u32 = 48;

/// Sites along a side of the smallest pieces. Larger ones have something that is asked for in every square of this side, so
/// that nothing that is planned lies farther than this from what is asked for: cells farther away are not known.
pub(super) fn least_side(level: Level) -> u32 {
    match level.0 {
        0..=2 => 8,
        3..=4 => 16,
        5 => 32,
        _ => 64,
    }
}

/// Parents of one level by the pieces that their children are planned in, each with the rectangle around its own.
fn pieces(parents: &[Part]) -> Vec<(Rect, Vec<Part>)> {
    let Some(&Part { level, .. }) = parents.first() else { return Vec::new() };
    let rects: Vec<Rect> = parents.iter().copied().map(Rect::of).collect();
    let least = least_side(Level(level.0 + 1)) / 2;
    let part = |rect: Rect| rect.first(level);
    let piece = |(around, rects): (Rect, Vec<Rect>)| (around, rects.into_iter().map(part).collect());
    parted(&rects, MOST_SIDE / 2, (least, 1)).into_iter().map(piece).collect()
}

/// Rectangles around some parents of one level and face, each to be planned by itself: of those that are few and lie apart, not
/// one around all, but such that the fewest parents are looked at.
pub(super) fn apart(parents: &[Part]) -> Vec<Rect> {
    let cost = |rect: Rect| (rect.rows + 2 * RINGS) * (rect.cols + 2 * RINGS);
    let mut all: Vec<Rect> = Vec::new();
    for own in parents.iter().copied().map(Rect::of) {
        let more = |rect: Rect| i64::from(cost(rect.with(own))) - i64::from(cost(rect));
        match all.iter_mut().min_by_key(|rect| more(**rect)) {
            Some(rect) if more(*rect) <= i64::from(cost(own)) => *rect = rect.with(own),
            _ => all.push(own),
        }
    }
    all
}

/// Squares of a level by the pieces whose channels are made together: those of a block in one.
pub(crate) fn drawn_together(squares: &[Rect]) -> Vec<Vec<Rect>> {
    parted(squares, MOST_DRAWN_SIDE, (SIDE, SIDE)).into_iter().map(|piece| piece.1).collect()
}

/// Squares parted, at multiples of `step`, until the rectangles around the parts are no larger than `most` to a side without
/// a hole of `least` x `least`, or no larger than that; each part with its rectangle.
fn parted(squares: &[Rect], most: u32, (least, step): (u32, u32)) -> Vec<(Rect, Vec<Rect>)> {
    let mut squares = squares.to_vec();
    squares.sort_unstable();
    let faces = squares.chunk_by(|a, b| a.face == b.face).map(<[Rect]>::to_vec);
    let mut open: Vec<Vec<Rect>> = faces.collect();
    let mut all = Vec::new();
    while let Some(piece) = open.pop() {
        let Some(rect) = piece.iter().copied().reduce(Rect::with) else { continue };
        let side = rect.rows.max(rect.cols);
        if side <= least || side <= most && fills(&piece, rect, least) {
            all.push((rect, piece));
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
