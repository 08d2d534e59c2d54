//! What of each level a request is sure to ask for, and in which pieces it is planned.
//!
//! The channels of a level ask for plans around them, and each plan for those of its parents and some rings around. Nothing
//! here changes a bit of what is found: what is not planned ahead is planned when it is asked for, only slower.

use super::block::{Block, Rect, SIDE, SQUARE};
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
const MOST_SIDE: u32 = 64;

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
    in_tiles(squares, least_side(level))
}

/// Blocks of a level by the pieces whose channels are made together.
pub(crate) fn drawn_together(grid: &Topology, blocks: &[Block]) -> Vec<Vec<Block>> {
    let rects: Vec<Rect> = blocks.iter().map(|block| block.rect(grid)).collect();
    let block = |rect: Rect| blocks.first().map(|any| Block::of(rect.first(any.level)));
    let pieces = in_tiles(&rects, SIDE).into_iter();
    pieces.map(|rects| rects.into_iter().filter_map(block).collect()).collect()
}

/// Squares by the largest tiles, of sides from [`MOST_SIDE`] down to the least, whose squares leave no holes: no tile of the
/// least side between them is without any.
fn in_tiles(squares: &[Rect], least: u32) -> Vec<Vec<Rect>> {
    let mut all = Vec::new();
    let mut open = vec![(MOST_SIDE, squares.to_vec())];
    while let Some((side, mut squares)) = open.pop() {
        squares.sort_unstable_by_key(|square| (tile(square, side), *square));
        for piece in squares.chunk_by(|a, b| tile(a, side) == tile(b, side)) {
            if side <= least || fills(piece, least) {
                all.push(piece.to_vec());
            } else {
                open.push((side / 2, piece.to_vec()));
            }
        }
    }
    all
}

/// The tile of a side that a square lies in: face, row and column.
fn tile(square: &Rect, side: u32) -> (u32, u32, u32) {
    (square.face, square.row / side, square.col / side)
}

/// Whether every tile of a side within the rectangle around squares of a face has one of them.
fn fills(squares: &[Rect], side: u32) -> bool {
    let mut tiles: Vec<(u32, u32, u32)> = squares.iter().map(|square| tile(square, side)).collect();
    tiles.sort_unstable();
    tiles.dedup();
    let extent = |of: fn(&(u32, u32, u32)) -> u32| {
        let all = || tiles.iter().map(of);
        all().max().zip(all().min()).map_or(0, |(last, first)| (last - first + 1) as usize)
    };
    tiles.len() == extent(|tile| tile.1) * extent(|tile| tile.2)
}
