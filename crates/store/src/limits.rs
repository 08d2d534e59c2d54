//! How much a file may claim. Everything is compared with these before memory is taken for it.

use crate::error::Flaw;

/// Bytes of the encoded header.
pub(crate) const HEADER_BYTES: u64 = 2 << 20;
/// Entries of the chunk table: 16 bytes of memory each, so 32 MiB.
pub(crate) const CHUNKS: u64 = 2 << 20;
/// Cells of a grid: an address has 32 bits.
pub(crate) const CELLS: u64 = u32::MAX as u64;
/// Faces of a grid. A cube has 6.
pub(crate) const FACES: u64 = 64;
/// Cells along the side of a chunk; the least is [`CHUNK_SIDE_MIN`]. 256 x 256 `f64` are 512 KiB.
pub(crate) const CHUNK_SIDE: u64 = 256;
/// Shorter chunks would make the chunk table larger than the data.
pub(crate) const CHUNK_SIDE_MIN: u64 = 8;
/// Layers of a file.
pub(crate) const LAYERS: u64 = 1_024;
/// Tables of a file.
pub(crate) const TABLES: u64 = 1_024;
/// Columns of a table.
pub(crate) const COLUMNS: u64 = 256;
/// Rows of a table.
pub(crate) const ROWS: u64 = u32::MAX as u64;
/// Bytes of all texts of a column together.
pub(crate) const TEXT_BYTES: u64 = 1 << 32;
/// Bytes of the name of a layer, table or column; none may be empty.
pub(crate) const NAME_BYTES: u64 = 256;
/// Bytes of a unit.
pub(crate) const UNIT_BYTES: u64 = 64;
/// Bytes of the engine version and of the world's name.
pub(crate) const LABEL_BYTES: u64 = 1_024;
/// Bytes of the recipe.
pub(crate) const RECIPE_BYTES: u64 = 1 << 20;
/// Bytes of decoded chunks that an open file keeps. With the chunk table of the largest file, the header and
/// scratch memory this stays below the 64 MiB that a reader may take.
pub(crate) const CACHE_BYTES: usize = 16 << 20;
/// Bytes of chunks that are unpacked at a time for cells asked one by one; one chunk at least.
pub(crate) const BATCH_BYTES: usize = 2 << 20;

/// An error if `value` is above `max`.
pub(crate) fn at_most(what: impl Into<String>, value: u64, max: u64) -> Result<(), Flaw> {
    if value > max { Err(Flaw::Limit { what: what.into(), value, max }) } else { Ok(()) }
}
