//! How a file stores its samples: their type, and the blocks (strips or tiles) they are packed in.
//!
//! A [`Layout`] is checked when it is made: its sizes do not overflow, every block lies in the file, and no row
//! of them takes more memory unpacked than [`MOST_BLOCK_BYTES`] and [`MOST_ROW_BYTES`] allow.

use std::fs::File;

use super::directory::{Directory, Order};
use super::tags::Tag;
use crate::error::ReadError;

/// Unpacked bytes of the largest block that is read: one strip for a whole raster of 23,170 x 23,170 `f32`.
const MOST_BLOCK_BYTES: u64 = 1 << 31;

/// Bytes of a row of blocks as `f32`, which are held together.
const MOST_ROW_BYTES: u64 = 1 << 32;

/// Bytes that strips without compression are read by, however long they are.
const SLICE_BYTES: u64 = 1 << 20;

/// What the numbers of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleType {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 64 bits.
    I64,
    /// IEEE 754, 32 bits.
    F32,
    /// IEEE 754, 64 bits.
    F64,
}

impl SampleType {
    /// Bytes of one sample.
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Its name as GDAL gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "Byte",
            Self::I8 => "Int8",
            Self::U16 => "UInt16",
            Self::I16 => "Int16",
            Self::U32 => "UInt32",
            Self::I32 => "Int32",
            Self::U64 => "UInt64",
            Self::I64 => "Int64",
            Self::F32 => "Float32",
            Self::F64 => "Float64",
        }
    }
}

/// How the bytes of a block are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    Lzw,
    Deflate,
    PackBits,
    Zstd,
}

/// What stands in a block instead of the samples themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predictor {
    /// The samples.
    None,
    /// Each sample less the one to its left.
    Difference,
    /// Adobe's planes of bytes, each byte less the one to its left.
    BytePlanes,
}

/// Where samples lie in a file.
#[derive(Debug)]
pub(super) struct Layout {
    pub width: u64,
    pub height: u64,
    pub bands: u64,
    pub sample: SampleType,
    pub order: Order,
    pub packing: Packing,
    pub predictor: Predictor,
    pub bands_apart: bool,
    /// Samples from west to east in a block, those beyond the raster's border too.
    pub block_width: u64,
    /// Rows of a block.
    pub block_height: u64,
    /// Blocks that one strip in the file is read as; more than 1 only without compression.
    slices: u64,
    offsets: Vec<u64>,
    lengths: Vec<u64>,
}

/// One block: where its bytes are and what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub offset: u64,
    /// Bytes in the file; 0 for a block that was never written.
    pub length: u64,
    /// Rows in it that belong to the raster.
    pub rows: u64,
}

impl Layout {
    /// Reads the tags that say so.
    pub fn read(file: &mut File, tags: &Directory) -> Result<Self, ReadError> {
        let (width, height) = (side(file, tags, Tag::ImageWidth)?, side(file, tags, Tag::ImageLength)?);
        let bands = tags.number(file, Tag::SamplesPerPixel)?.unwrap_or(1);
        if !(1..=65_535).contains(&bands) {
            return Err(ReadError::tag(Tag::SamplesPerPixel, bands, "1 to 65535"));
        }
        refuse_pictures(file, tags)?;
        let packing = packing(file, tags)?;
        let mut layout = Self {
            width,
            height,
            bands,
            sample: sample_type(file, tags, bands)?,
            order: tags.order,
            packing,
            predictor: if packing == Packing::None { Predictor::None } else { predictor(file, tags)? },
            bands_apart: bands_apart(file, tags)?,
            block_width: width,
            block_height: height,
            slices: 1,
            offsets: Vec::new(),
            lengths: Vec::new(),
        };
        layout.check_predictor()?;
        layout.find_blocks(file, tags)?;
        Ok(layout)
    }

    fn check_predictor(&self) -> Result<(), ReadError> {
        let real = matches!(self.sample, SampleType::F32 | SampleType::F64);
        if self.predictor == Predictor::BytePlanes && !real {
            return Err(ReadError::tag(Tag::Predictor, 3, "1 or 2 for samples that are whole numbers"));
        }
        Ok(())
    }

    fn find_blocks(&mut self, file: &mut File, tags: &Directory) -> Result<(), ReadError> {
        let tiled = tags.has(Tag::TileOffsets) || tags.has(Tag::TileWidth);
        let (offsets, lengths) = if tiled {
            self.block_width = side(file, tags, Tag::TileWidth)?;
            self.block_height = side(file, tags, Tag::TileLength)?;
            (Tag::TileOffsets, Tag::TileByteCounts)
        } else {
            let rows = tags.number(file, Tag::RowsPerStrip)?.unwrap_or(self.height);
            if rows == 0 {
                return Err(ReadError::tag(Tag::RowsPerStrip, rows, "1 or more"));
            }
            self.block_height = rows.min(self.height);
            (Tag::StripOffsets, Tag::StripByteCounts)
        };
        let expected = self.blocks();
        for tag in [offsets, lengths] {
            let found = tags.count(tag);
            if found < expected && !(tag == lengths && found == 0 && self.packing == Packing::None) {
                let rule = format!("{expected} numbers, one for each block");
                return Err(ReadError::tag(tag, format!("{found} numbers"), rule));
            }
        }
        self.offsets = tags.numbers(file, offsets, expected)?;
        self.lengths = tags.numbers(file, lengths, expected)?;
        if self.lengths.is_empty() {
            self.lengths = vec![u64::MAX; self.offsets.len()];
        }
        if self.packing == Packing::None && !tiled {
            self.slice();
        }
        self.check_blocks(tags.file_bytes)
    }

    /// Strips without compression are read by slices, so that one strip for the whole raster needs no memory.
    fn slice(&mut self) {
        let most = (SLICE_BYTES / self.row_bytes().max(1)).max(1);
        let strip = self.block_height;
        if strip <= most {
            return;
        }
        // Slices of one strip have equal heights, but for the last slice of a strip that is the last.
        let fits = |rows: &u64| strip.is_multiple_of(*rows) || strip >= self.height;
        self.block_height = (1..=most).rev().find(fits).unwrap_or(1);
        self.slices = strip.div_ceil(self.block_height);
    }

    fn check_blocks(&self, file_bytes: u64) -> Result<(), ReadError> {
        let bytes = self.row_bytes().saturating_mul(self.block_height);
        let row = (4 * self.across() * self.block_width).saturating_mul(self.block_height);
        if bytes > MOST_BLOCK_BYTES || row > MOST_ROW_BYTES {
            let (width, height) = (self.block_width, self.block_height);
            return Err(ReadError::unsupported(
                format!(
                    "its blocks of {width} x {height} samples unpack to {bytes} bytes each, a row of them to {row}"
                ),
                format!(
                    "at most {MOST_BLOCK_BYTES} and {MOST_ROW_BYTES} are read at once: \
                     gdal_translate -co TILED=YES -co COMPRESS=DEFLATE IN OUT"
                ),
            ));
        }
        let strip = |i: usize| {
            let rows = if self.across() == 1 { self.strip_rows(i as u64) } else { self.block_height };
            if self.packing == Packing::None && self.lengths[i] > 0 {
                rows.saturating_mul(self.row_bytes()).min(self.lengths[i])
            } else {
                self.lengths[i]
            }
        };
        let end = |i: usize| self.offsets[i].saturating_add(strip(i));
        let beyond = |i: &usize| strip(*i) > 0 && end(*i) > file_bytes;
        let count = self.offsets.len();
        let Some(first) = (0..count).find(beyond) else { return Ok(()) };
        let missing = (first..count).filter(beyond).count();
        Err(ReadError::Cut {
            what: format!("block {first} of {count} ({missing} reach beyond the end)"),
            end: end(first),
            file_bytes,
        })
    }

    /// Rows of the raster in a strip as the file has it.
    fn strip_rows(&self, strip: u64) -> u64 {
        let rows = self.block_height.saturating_mul(self.slices);
        let first = (strip % self.strips_down()).saturating_mul(rows);
        rows.min(self.height.saturating_sub(first))
    }

    /// Samples of one pixel that lie together in a block.
    pub fn samples_together(&self) -> u64 {
        if self.bands_apart { 1 } else { self.bands }
    }

    /// Unpacked bytes of one row of a block.
    pub fn row_bytes(&self) -> u64 {
        self.block_width.saturating_mul(self.samples_together()).saturating_mul(self.sample.bytes() as u64)
    }

    /// Blocks from west to east.
    pub fn across(&self) -> u64 {
        self.width.div_ceil(self.block_width)
    }

    /// Rows of blocks as the file has them.
    fn strips_down(&self) -> u64 {
        self.height.div_ceil(self.block_height.saturating_mul(self.slices)).max(1)
    }

    /// Blocks of the file. Both factors are below 2^32, but a forged product may still pass 2^64.
    fn blocks(&self) -> u64 {
        let planes = if self.bands_apart { self.bands } else { 1 };
        self.across().saturating_mul(self.strips_down()).saturating_mul(planes)
    }

    /// The block of a band (from 0) at this row and column of blocks.
    pub fn extent(&self, band: u64, row: u64, column: u64) -> Extent {
        let plane = if self.bands_apart { band } else { 0 };
        let (strip, slice) = (row / self.slices, row % self.slices);
        let index = ((plane * self.strips_down() + strip) * self.across() + column) as usize;
        let rows = self.block_height.min(self.height - row * self.block_height);
        let (offset, length) = (self.offsets[index], self.lengths[index]);
        if self.packing != Packing::None || length == 0 {
            return Extent { offset, length, rows };
        }
        // What the size says counts more than the byte count, which some writers get wrong.
        let skipped = slice * self.block_height * self.row_bytes();
        let length = (rows * self.row_bytes()).min(length.saturating_sub(skipped));
        Extent { offset: offset.saturating_add(skipped), length, rows }
    }

    /// How many blocks were never written (GDAL's `SPARSE_OK`).
    pub fn absent(&self) -> usize {
        self.lengths.iter().filter(|&&length| length == 0).count()
    }
}

fn side(file: &mut File, tags: &Directory, tag: Tag) -> Result<u64, ReadError> {
    const RULE: &str = "1 to 2147483647";
    match tags.number(file, tag)? {
        Some(side) if (1..=i32::MAX as u64).contains(&side) => Ok(side),
        Some(side) => Err(ReadError::tag(tag, side, RULE)),
        None => Err(ReadError::tag(tag, "missing", RULE)),
    }
}

fn bands_apart(file: &mut File, tags: &Directory) -> Result<bool, ReadError> {
    match tags.number(file, Tag::PlanarConfiguration)?.unwrap_or(1) {
        1 => Ok(false),
        2 => Ok(true),
        other => Err(ReadError::tag(Tag::PlanarConfiguration, other, "1 or 2")),
    }
}

fn predictor(file: &mut File, tags: &Directory) -> Result<Predictor, ReadError> {
    match tags.number(file, Tag::Predictor)?.unwrap_or(1) {
        1 => Ok(Predictor::None),
        2 => Ok(Predictor::Difference),
        3 => Ok(Predictor::BytePlanes),
        other => Err(ReadError::tag(Tag::Predictor, other, "1, 2 or 3")),
    }
}

fn packing(file: &mut File, tags: &Directory) -> Result<Packing, ReadError> {
    let name = match tags.number(file, Tag::Compression)?.unwrap_or(1) {
        1 => return Ok(Packing::None),
        5 => return Ok(Packing::Lzw),
        8 | 32_946 => return Ok(Packing::Deflate),
        32_773 => return Ok(Packing::PackBits),
        50_000 => return Ok(Packing::Zstd),
        6 | 7 => "JPEG".to_string(),
        34_887 => "LERC".to_string(),
        34_925 => "LZMA".to_string(),
        50_001 => "WebP".to_string(),
        50_002 => "JPEG XL".to_string(),
        other => format!("method {other}"),
    };
    Err(ReadError::unsupported(
        format!("it is compressed by {name}"),
        "none, LZW, deflate, PackBits and zstd are read: gdal_translate -co COMPRESS=DEFLATE IN OUT",
    ))
}

/// Pictures whose samples are no quantities.
fn refuse_pictures(file: &mut File, tags: &Directory) -> Result<(), ReadError> {
    let what = match tags.number(file, Tag::PhotometricInterpretation)? {
        Some(3) => "it is a picture with a palette: its samples are numbers of colours",
        Some(4) => "it is a mask: its samples are yes or no",
        Some(6) => "it is a picture in YCbCr",
        _ if tags.number(file, Tag::FillOrder)? == Some(2) => "its bits run from low to high (FillOrder 2)",
        _ => return Ok(()),
    };
    Err(ReadError::unsupported(what, "give a raster of quantities, such as elevation in metres"))
}

fn sample_type(file: &mut File, tags: &Directory, bands: u64) -> Result<SampleType, ReadError> {
    let bits = same(file, tags, Tag::BitsPerSample, bands)?.unwrap_or(1);
    let format = same(file, tags, Tag::SampleFormat, bands)?.unwrap_or(1);
    Ok(match (format, bits) {
        (1 | 4, 8) => SampleType::U8,
        (1 | 4, 16) => SampleType::U16,
        (1 | 4, 32) => SampleType::U32,
        (1 | 4, 64) => SampleType::U64,
        (2, 8) => SampleType::I8,
        (2, 16) => SampleType::I16,
        (2, 32) => SampleType::I32,
        (2, 64) => SampleType::I64,
        (3, 32) => SampleType::F32,
        (3, 64) => SampleType::F64,
        (5 | 6, _) => {
            return Err(ReadError::unsupported(
                format!("its samples are complex numbers of {bits} bits"),
                "give real ones, such as the real part: gdal_translate -ot Float32 IN OUT",
            ));
        }
        _ => {
            return Err(ReadError::unsupported(
                format!("its samples have {bits} bits (SampleFormat {format})"),
                "integers of 8, 16, 32 or 64 bits and reals of 32 or 64 are read: gdal_translate -ot Float32 IN OUT",
            ));
        }
    })
}

/// The value that a tag has for every band.
fn same(file: &mut File, tags: &Directory, tag: Tag, bands: u64) -> Result<Option<u64>, ReadError> {
    let values = tags.numbers(file, tag, bands)?;
    match values.iter().find(|&v| *v != values[0]) {
        Some(other) => Err(ReadError::unsupported(
            format!("its bands differ in {tag:?} ({} and {other})", values[0]),
            "all bands of a TIFF are read as one type: gdal_translate -b 1 IN OUT",
        )),
        None => Ok(values.first().copied()),
    }
}
