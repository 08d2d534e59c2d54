//! A raster and the tiles that it is cut into.

use super::ground::OfGrid;
use super::{Error, Ground};
use crate::cut::Tile;
use crate::cut::areas::{self, Areas};
use crate::cut::joints::Numbering;
use grid::Grid;

/// A raster cut into tiles, numbered row by row from the north-west.
pub struct Raster {
    pub(super) rows: u32,
    pub(super) cols: u32,
    tile_rows: u32,
    tile_cols: u32,
    pub(super) ground: Box<dyn Ground>,
    pub(super) areas: Areas,
}

/// Where a tile lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its first row.
    pub row: u32,
    /// Its first column.
    pub col: u32,
    /// Number of its rows.
    pub rows: u32,
    /// Number of its columns.
    pub cols: u32,
}

/// Rows and columns of a step in each direction, 0 for north and on clockwise.
pub(super) const OFFSETS: [(isize, isize); 8] =
    [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)];

/// Most cells of a tile with its ring: a bit of a label is taken.
const MOST: u64 = (u32::MAX >> 1) as u64;

impl Raster {
    /// A raster of any size on some ground; tiles of that many rows and columns, those in the east and in the south
    /// may be smaller.
    ///
    /// # Errors
    /// A raster or tiles without a cell, and tiles that cannot be numbered.
    pub fn new(
        (rows, cols): (u32, u32),
        (tile_rows, tile_cols): (u32, u32),
        ground: impl Ground + 'static,
    ) -> Result<Self, Error> {
        if rows == 0 || cols == 0 {
            return Err(Error::Grid("it has no cell"));
        }
        let (tile_rows, tile_cols) = (tile_rows.min(rows), tile_cols.min(cols));
        let error = Error::Tiles { rows: tile_rows, cols: tile_cols };
        if tile_rows == 0 || tile_cols == 0 {
            return Err(error);
        }
        let tiles = u64::from(rows.div_ceil(tile_rows)) * u64::from(cols.div_ceil(tile_cols));
        let (height, width) = (u64::from(tile_rows), u64::from(tile_cols));
        if (height + 2) * (width + 2) >= MOST
            || u128::from(tiles) * u128::from(2 * (height + width)) >= MOST.into()
        {
            return Err(error);
        }
        let areas = Areas::of_rows((0..rows).map(|row| ground.area_m2(row)).collect(), u64::from(cols));
        Ok(Self { rows, cols, tile_rows, tile_cols, ground: Box::new(ground), areas })
    }

    /// The raster of a grid.
    ///
    /// # Errors
    /// As [`Raster::new`], and a grid that is not one open face.
    pub fn of_grid<G: Grid + Send + Sync + 'static>(
        grid: G,
        tile_rows: u32,
        tile_cols: u32,
    ) -> Result<Self, Error> {
        if let Some(reason) = areas::refusal(&grid) {
            return Err(Error::Grid(reason));
        }
        let shape = grid.shape();
        Self::new((shape.rows, shape.cols), (tile_rows, tile_cols), OfGrid(grid))
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.across() as usize * self.rows.div_ceil(self.tile_rows) as usize
    }

    /// Where a tile lies.
    ///
    /// # Errors
    /// A number that no tile has.
    pub fn place(&self, tile: usize) -> Result<Place, Error> {
        let tile = self.tile(tile)?;
        Ok(Place { row: tile.first, col: tile.left, rows: tile.rows as u32, cols: tile.cols as u32 })
    }

    /// Tiles from west to east.
    pub(super) fn across(&self) -> u32 {
        self.cols.div_ceil(self.tile_cols)
    }

    pub(super) fn numbering(&self) -> Numbering {
        Numbering::of_tiles(self.tile_rows, self.tile_cols, self.across())
    }

    /// Numbers that cells beside joints may have.
    pub(super) fn numbers(&self) -> usize {
        self.numbering().per_tile() * self.tiles()
    }

    pub(super) fn tile(&self, index: usize) -> Result<Tile, Error> {
        if index >= self.tiles() {
            return Err(Error::NoTile { tile: index, tiles: self.tiles() });
        }
        let across = self.across() as usize;
        let (first, left) =
            ((index / across) as u32 * self.tile_rows, (index % across) as u32 * self.tile_cols);
        let (rows, cols) = (self.tile_rows.min(self.rows - first), self.tile_cols.min(self.cols - left));
        Ok(Tile {
            index,
            first,
            left,
            rows: rows as usize,
            cols: cols as usize,
            above: first > 0,
            below: first + rows < self.rows,
            west: left > 0,
            east: left + cols < self.cols,
        })
    }

    /// All tiles.
    pub(super) fn all(&self) -> impl Iterator<Item = Tile> {
        (0..self.tiles()).filter_map(|index| self.tile(index).ok())
    }

    /// The tile beside one in a direction, 0 for north and on clockwise.
    pub(super) fn beside(&self, tile: Tile, direction: usize) -> Option<Tile> {
        let (down, along) = OFFSETS[direction];
        let across = self.across() as isize;
        let col = tile.index as isize % across + along;
        let index = tile.index as isize + down * across + along;
        if !(0..across).contains(&col) || index < 0 {
            return None;
        }
        self.tile(index as usize).ok()
    }

    /// The numbers of the cells of the border of a tile.
    pub(super) fn border(&self, tile: Tile) -> impl Iterator<Item = usize> {
        let numbering = self.numbering();
        tile.border().map(move |at| numbering.of(tile, at) as usize)
    }

    /// What is known of the cells of the ring of a tile, `nothing` of those beyond the border of the raster.
    pub(super) fn ring<T: Copy>(&self, tile: Tile, values: &[T], nothing: T) -> impl Iterator<Item = T> {
        let numbering = self.numbering();
        let of = move |at| if tile.goes_on(at) { values[numbering.of(tile, at) as usize] } else { nothing };
        tile.ring().map(of)
    }
}
