//! Overviews: a raster at half its size, a quarter, and so on, made in pieces on the disk.
//!
//! A sample of an overview stands for two by two of the next larger: of quantities the mean of those that are numbers, of
//! classes the north-western one. Levels lie in an unnamed file as unpacked tiles, so that memory does not grow with them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use rayon::prelude::*;

use super::tiles::SIDE;
use crate::Cause;
use crate::halving::{halve, one_of};
use crate::stream::{BLOCK, Frame, Kind, Rect, Source};

/// Rasters with no longer side have no overviews.
const LEAST: usize = 511;

/// Blocks that are halved between two writes.
const TOGETHER: usize = 8;

const TILE_BYTES: usize = 4 * SIDE * SIDE;

/// A smaller picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level {
    pub width: usize,
    pub height: usize,
    /// Number of its first tile in the file.
    first: usize,
}

impl Level {
    pub fn across(&self) -> usize {
        self.width.div_ceil(SIDE)
    }

    pub fn down(&self) -> usize {
        self.height.div_ceil(SIDE)
    }
}

/// The overviews of a raster.
#[derive(Debug)]
pub(super) struct Pyramid {
    file: File,
    /// From the largest.
    pub levels: Vec<Level>,
    /// Whether a sample of the raster is no number.
    pub has_gaps: bool,
}

impl Pyramid {
    /// Makes all overviews; `progress` is told the share that is done.
    pub fn build(source: &dyn Source, folder: &Path, progress: &dyn Fn(f64)) -> Result<Self, Cause> {
        let frame = source.frame();
        let levels = levels(frame);
        let mut pyramid = Self { file: tempfile::tempfile_in(folder)?, levels, has_gaps: false };
        pyramid.first(source, progress)?;
        for level in 1..pyramid.levels.len() {
            for band in 0..frame.bands.len() {
                pyramid.next(level, (band, frame.bands[band].kind))?;
            }
        }
        Ok(pyramid)
    }

    /// Reads the whole raster: makes the largest overview, and finds gaps.
    fn first(&mut self, source: &dyn Source, progress: &dyn Fn(f64)) -> Result<(), Cause> {
        let blocks = source.frame().blocks();
        let bands = source.frame().bands.len();
        let mut done = 0;
        for (band, title) in source.frame().bands.iter().enumerate() {
            for some in blocks.chunks(TOGETHER) {
                let read = |at: &Rect| -> Result<_, Cause> {
                    let values = source.read(band, *at)?;
                    let gaps = values.iter().any(|v| v.is_nan());
                    let tiles =
                        if self.levels.is_empty() { Vec::new() } else { halved(&values, *at, title.kind) };
                    Ok((gaps, tiles))
                };
                let made: Result<Vec<_>, Cause> = some.par_iter().map(read).collect();
                for (gaps, tiles) in made? {
                    self.has_gaps |= gaps;
                    for ((x, y), tile) in tiles {
                        self.put(self.number(0, band, (x, y)), &tile)?;
                    }
                }
                done += some.len();
                progress(done as f64 / (blocks.len() * bands) as f64);
            }
        }
        Ok(())
    }

    /// Makes a band of an overview from the next larger one.
    fn next(&mut self, level: usize, (band, kind): (usize, Kind)) -> Result<(), Cause> {
        for y in 0..self.levels[level].down() {
            for x in 0..self.levels[level].across() {
                let mut tile = vec![f32::NAN; SIDE * SIDE];
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let (x, y) = (2 * x + dx, 2 * y + dy);
                    if x < self.levels[level - 1].across() && y < self.levels[level - 1].down() {
                        let from = self.tile(level - 1, band, (x, y))?;
                        halve(&from, kind, (&mut tile, SIDE), (dx * SIDE / 2, dy * SIDE / 2));
                    }
                }
                self.put(self.number(level, band, (x, y)), &tile)?;
            }
        }
        Ok(())
    }

    /// A tile of a level, by its column and row; beyond the raster's border no numbers.
    pub fn tile(&mut self, level: usize, band: usize, at: (usize, usize)) -> Result<Vec<f32>, Cause> {
        let number = self.number(level, band, at);
        let mut bytes = vec![0; TILE_BYTES];
        self.file.seek(SeekFrom::Start((number * TILE_BYTES) as u64))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_ne_bytes(*b)).collect())
    }

    fn number(&self, level: usize, band: usize, (x, y): (usize, usize)) -> usize {
        let of = self.levels[level];
        of.first + (band * of.down() + y) * of.across() + x
    }

    fn put(&mut self, number: usize, tile: &[f32]) -> Result<(), Cause> {
        let bytes: Vec<u8> = tile.iter().flat_map(|v| v.to_ne_bytes()).collect();
        self.file.seek(SeekFrom::Start((number * TILE_BYTES) as u64))?;
        self.file.write_all(&bytes)?;
        Ok(())
    }
}

/// The sizes of all overviews: the last is one tile.
fn levels(frame: &Frame) -> Vec<Level> {
    let (mut width, mut height) = (frame.width, frame.height);
    let mut levels: Vec<Level> = Vec::new();
    if width.max(height) <= LEAST {
        return levels;
    }
    let mut first = 0;
    while width.max(height) > SIDE {
        (width, height) = (width.div_ceil(2), height.div_ceil(2));
        let level = Level { width, height, first };
        first += level.across() * level.down() * frame.bands.len();
        levels.push(level);
    }
    levels
}

/// The tiles of the largest overview that a block makes, with their columns and rows.
fn halved(values: &[f32], at: Rect, kind: Kind) -> Vec<((usize, usize), Vec<f32>)> {
    // two tiles of the raster make a side of one
    let (left, top) = (at.column / (2 * SIDE), at.row / (2 * SIDE));
    let mut tiles = Vec::new();
    for row in (0..at.height).step_by(2 * SIDE) {
        for column in (0..at.width).step_by(2 * SIDE) {
            let mut tile = vec![f32::NAN; SIDE * SIDE];
            let (width, height) = ((2 * SIDE).min(at.width - column), (2 * SIDE).min(at.height - row));
            for y in 0..height.div_ceil(2) {
                for x in 0..width.div_ceil(2) {
                    let value = |dx: usize, dy: usize| {
                        let (x, y) = (2 * x + dx, 2 * y + dy);
                        let inside = x < width && y < height;
                        if inside { values[(row + y) * at.width + column + x] } else { f32::NAN }
                    };
                    tile[y * SIDE + x] = one_of([value(0, 0), value(1, 0), value(0, 1), value(1, 1)], kind);
                }
            }
            tiles.push(((left + column / (2 * SIDE), top + row / (2 * SIDE)), tile));
        }
    }
    tiles
}

const _: () = assert!(BLOCK.is_multiple_of(2 * SIDE), "tiles of overviews do not cross blocks");
