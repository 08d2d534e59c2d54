//! A raster in blocks on the disk, in any order of making: what long exports are read from when all blocks are there.

use rayon::prelude::*;

use crate::part::PartFile;
use crate::stream::{BLOCK, Frame, Rect, Source};
use crate::{Cause, Error};

/// zstd's level: what is read again in a minute is packed fast.
const LEVEL: i32 = 1;

/// The bytes of a block, to be appended to a [`PartFile`]: the lengths of its packed bands, then these.
///
/// # Errors
/// [`Error::Write`], if packing fails.
pub fn packed(bands: &[Vec<f32>]) -> Result<Vec<u8>, Cause> {
    let packed: Result<Vec<Vec<u8>>, std::io::Error> =
        bands.par_iter().map(|values| zstd::bulk::compress(&planes(values), LEVEL)).collect();
    let packed = packed?;
    let mut bytes: Vec<u8> = packed.iter().flat_map(|b| (b.len() as u64).to_le_bytes()).collect();
    packed.iter().for_each(|b| bytes.extend_from_slice(b));
    Ok(bytes)
}

/// All first bytes of the numbers, then all second ones and so on, which packs better.
fn planes(values: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * values.len());
    for byte in 0..4 {
        bytes.extend(values.iter().map(|v| v.to_le_bytes()[byte]));
    }
    bytes
}

/// The numbers of such bytes.
fn numbers(planes: &[u8]) -> Vec<f32> {
    let count = planes.len() / 4;
    (0..count).map(|i| f32::from_le_bytes(std::array::from_fn(|byte| planes[byte * count + i]))).collect()
}

/// The blocks of a raster in a [`PartFile`], numbered as [`Frame::blocks`], each holding all bands of `kept`; a source of some
/// of them.
#[derive(Debug)]
pub struct Blocks<'a> {
    part: &'a PartFile,
    frame: Frame,
    /// For each band of the frame its number in the blocks.
    bands: Vec<usize>,
    kept: usize,
}

impl<'a> Blocks<'a> {
    /// A source of the bands with these numbers, of blocks that hold `kept` bands.
    pub fn new(part: &'a PartFile, frame: Frame, bands: Vec<usize>, kept: usize) -> Self {
        Self { part, frame, bands, kept }
    }

    /// The samples of a band of a block.
    fn block(&self, number: usize, band: usize, samples: usize) -> Result<Vec<f32>, Cause> {
        let number = number as u64;
        let lengths = self.part.read(number, 0, 8 * self.kept as u64)?;
        let lengths: Vec<u64> = lengths.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        let before: u64 = lengths[..band].iter().sum();
        let packed = self.part.read(number, 8 * self.kept as u64 + before, lengths[band])?;
        let values = numbers(&zstd::bulk::decompress(&packed, 4 * samples)?);
        if values.len() != samples {
            return Err(format!("block {number} has {} samples, not {samples}", values.len()).into());
        }
        Ok(values)
    }
}

impl Source for Blocks<'_> {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn read(&self, band: usize, at: Rect) -> Result<Vec<f32>, Cause> {
        let across = self.frame.width.div_ceil(BLOCK);
        let mut values = vec![0.0; at.width * at.height];
        let (last_row, last_column) = ((at.row + at.height - 1) / BLOCK, (at.column + at.width - 1) / BLOCK);
        for (y, x) in
            (at.row / BLOCK..=last_row).flat_map(|y| (at.column / BLOCK..=last_column).map(move |x| (y, x)))
        {
            let (top, left) = (y * BLOCK, x * BLOCK);
            let (height, width) = (BLOCK.min(self.frame.height - top), BLOCK.min(self.frame.width - left));
            let block = self.block(y * across + x, self.bands[band], width * height)?;
            if (left, top, width, height) == (at.column, at.row, at.width, at.height) {
                return Ok(block);
            }
            let columns = at.column.max(left)..(at.column + at.width).min(left + width);
            for row in at.row.max(top)..(at.row + at.height).min(top + height) {
                let from = &block[(row - top) * width..][columns.start - left..columns.end - left];
                let to = (row - at.row) * at.width + columns.start - at.column;
                values[to..to + from.len()].copy_from_slice(from);
            }
        }
        Ok(values)
    }
}

/// Appends a block.
///
/// # Errors
/// [`Error::Write`].
pub fn append(part: &mut PartFile, number: usize, bands: &[Vec<f32>]) -> Result<(), Error> {
    let bytes = packed(bands).map_err(|cause| Error::Write { path: part.path().into(), cause })?;
    part.append(number as u64, &bytes)
}
