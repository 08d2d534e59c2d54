//! How arrays are cut into chunks: layers into square tiles of each face, columns into strips.

use grid::{Cell, Shape};

/// Bytes of a full strip of a column.
pub(crate) const STRIP_BYTES: u64 = 64 << 10;

/// A layer's cells cut into squares, face by face, row of squares by row of squares; those at the east and
/// south of a face may be smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    pub shape: Shape,
    pub side: u32,
}

/// One row of tiles: a run of cells that lie side by side in memory, and of chunks in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    /// Its first cell.
    pub first_cell: usize,
    /// Rows of cells.
    pub rows: usize,
    /// Its first tile, counted within the layer.
    pub first_tile: usize,
}

/// The columns of cells that a tile takes from its band.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub from: usize,
    pub cols: usize,
}

impl Tiling {
    fn down(self) -> usize {
        self.shape.rows.div_ceil(self.side) as usize
    }

    /// Tiles of a band.
    pub fn across(self) -> usize {
        self.shape.cols.div_ceil(self.side) as usize
    }

    /// Bands of the whole layer.
    pub fn bands(self) -> usize {
        self.shape.faces as usize * self.down()
    }

    /// Tiles of the whole layer.
    pub fn count(self) -> u64 {
        self.bands() as u64 * self.across() as u64
    }

    pub fn band(self, index: usize) -> Band {
        let (face, down) = (index / self.down(), index % self.down());
        let (top, side, rows) = (down * self.side as usize, self.side as usize, self.shape.rows as usize);
        Band {
            first_cell: (face * rows + top) * self.shape.cols as usize,
            rows: side.min(rows - top),
            first_tile: index * self.across(),
        }
    }

    /// Columns of the tile that comes `nth` in its band.
    pub fn span(self, nth: usize) -> Span {
        let from = nth * self.side as usize;
        Span { from, cols: (self.side as usize).min(self.shape.cols as usize - from) }
    }

    /// Cells of a tile.
    pub fn tile_len(self, tile: usize) -> usize {
        self.band(tile / self.across()).rows * self.span(tile % self.across()).cols
    }

    /// The tile that holds a cell, and the cell's index in it.
    pub fn find(self, cell: Cell) -> (usize, usize) {
        let (face, row, col) = self.shape.split(cell);
        let band = face as usize * self.down() + (row / self.side) as usize;
        let nth = (col / self.side) as usize;
        let within = (row % self.side) as usize * self.span(nth).cols + (col % self.side) as usize;
        (band * self.across() + nth, within)
    }
}

/// A list of values cut into pieces of [`STRIP_BYTES`]; the last one may be smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strip {
    pub len: u64,
    pub width: usize,
}

impl Strip {
    pub fn count(self) -> u64 {
        self.len.div_ceil(STRIP_BYTES / self.width as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_hold_every_cell_once() {
        for (faces, rows, cols, side) in
            [(1, 1, 1, 8), (6, 16, 16, 8), (2, 9, 17, 8), (3, 7, 5, 64), (1, 100, 8, 8)]
        {
            let tiling = Tiling { shape: Shape { faces, rows, cols }, side };
            let mut seen: Vec<Vec<u32>> =
                (0..tiling.count() as usize).map(|tile| vec![u32::MAX; tiling.tile_len(tile)]).collect();
            for cell in 0..tiling.shape.len() as u32 {
                let (tile, within) = tiling.find(Cell(cell));
                assert_eq!(std::mem::replace(&mut seen[tile][within], cell), u32::MAX);
            }
            assert!(seen.iter().flatten().all(|&cell| cell != u32::MAX));
            assert_eq!(seen[0][0], 0);
            for band in (0..tiling.bands()).map(|b| tiling.band(b)) {
                assert_eq!(seen[band.first_tile][0] as usize, band.first_cell);
            }
        }
    }

    #[test]
    fn strips_are_cut_every_64_kib() {
        let cuts = [(0, 8, 0), (1, 4, 1), (8_192, 8, 1), (8_193, 8, 2), (65_536, 1, 1), (100_000, 4, 7)];
        for (len, width, count) in cuts {
            assert_eq!(Strip { len, width }.count(), count);
        }
    }
}
