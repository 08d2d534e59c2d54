//! Grey pictures as numbers, row by row.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use ::png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Reader};

use crate::Error;
use crate::error::ReadError;

/// Memory that the decoder may take: a row of the widest picture, and what unpacking needs.
const MOST_BYTES: usize = 64 << 20;

/// Longest side that is read, in pixels: a row stays within megabytes.
const MOST_SIDE: u32 = 1 << 20;

/// An open grey PNG of 8 or 16 bits.
pub struct GreyReader {
    path: PathBuf,
    reader: Reader<BufReader<File>>,
    row: u32,
}

impl GreyReader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`Error::Read`] for what is no file, no PNG, not grey, of other depths, or interlaced.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let refuse = |error| Error::Read { path: path.into(), error };
        let reader = decoder(path).map_err(refuse)?;
        Ok(Self { path: path.into(), reader, row: 0 })
    }

    /// Pixels from left to right, and rows.
    pub fn size(&self) -> (usize, usize) {
        let info = self.reader.info();
        (info.width as usize, info.height as usize)
    }

    /// The greatest number a pixel can hold: 255 or 65535.
    pub fn most(&self) -> u16 {
        if self.reader.info().bit_depth == BitDepth::Sixteen { u16::MAX } else { u8::MAX.into() }
    }

    /// Reads the next row from the top; numbers as they stand in the file.
    ///
    /// # Errors
    /// [`ReadError::Places`] for a place of another width, [`ReadError::Png`] for a file that breaks off or does not
    /// unpack, [`ReadError::Rows`] after the last row.
    pub fn next_row(&mut self, into: &mut [u16]) -> Result<(), Error> {
        self.read_row(into).map_err(|error| Error::Read { path: self.path.clone(), error })
    }

    fn read_row(&mut self, into: &mut [u16]) -> Result<(), ReadError> {
        let ((width, height), wide) = (self.size(), self.most() > 255);
        if into.len() != width {
            return Err(ReadError::Places { expected: width, found: into.len() });
        }
        let at = self.row as usize;
        let row = self.reader.next_row().map_err(broken)?;
        let row = row.ok_or(ReadError::Rows { first: at, end: at + 1, height })?;
        self.row += 1;
        if wide {
            for (value, bytes) in into.iter_mut().zip(row.data().chunks_exact(2)) {
                *value = u16::from_be_bytes([bytes[0], bytes[1]]);
            }
        } else {
            into.iter_mut().zip(row.data()).for_each(|(value, &byte)| *value = byte.into());
        }
        Ok(())
    }
}

fn decoder(path: &Path) -> Result<Reader<BufReader<File>>, ReadError> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(ReadError::NoFile(if about.is_dir() { "folder" } else { "device" }));
    }
    if about.len() == 0 {
        return Err(ReadError::Empty);
    }
    let input = BufReader::new(File::open(path)?);
    let reader = Decoder::new_with_limits(input, Limits { bytes: MOST_BYTES }).read_info().map_err(broken)?;
    let info = reader.info();
    let remedy =
        "make it grey, of 16 bits, not interlaced: magick IN -colorspace Gray -depth 16 -interlace none OUT";
    if info.color_type != ColorType::Grayscale
        || !matches!(info.bit_depth, BitDepth::Eight | BitDepth::Sixteen)
        || info.interlaced
    {
        let (kind, bits) = (info.color_type, info.bit_depth as u8);
        let woven = if info.interlaced { ", interlaced" } else { "" };
        return Err(ReadError::unsupported(
            format!("it is a PNG of the kind {kind:?}, {bits} bits{woven}"),
            remedy,
        ));
    }
    if info.width > MOST_SIDE || info.height > MOST_SIDE {
        let what = format!("it has {} x {} pixels; a side has at most {MOST_SIDE}", info.width, info.height);
        return Err(ReadError::unsupported(what, "cut or shrink it first"));
    }
    Ok(reader)
}

fn broken(error: DecodingError) -> ReadError {
    match error {
        DecodingError::IoError(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            ReadError::Disk(error)
        }
        other => ReadError::Png(other.to_string()),
    }
}
