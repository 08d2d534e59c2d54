//! An open world file: its header in memory, its chunks on the disk until they are asked for.

use crate::cache::Cache;
use crate::chunk::{Unpacker, packed_limit};
use crate::contents::{ColumnInfo, LayerInfo, Meta, TableInfo};
use crate::digest::hex;
use crate::error::{Flaw, ReadError};
use crate::filter::Filter;
use crate::header::{Header, Kind, LayerHead, TableHead};
use crate::limits::{self, at_most};
use crate::source::Source;
use crate::superblock::{ENTRY_BYTES, MAGIC, SUPERBLOCK_BYTES, Superblock};
use grid::Shape;
use std::fmt;
use std::path::Path;

/// A world file that is open for reading, from any number of threads.
#[derive(Debug)]
pub struct WorldFile {
    pub(crate) source: Source,
    pub(crate) header: Header,
    pub(crate) cache: Cache,
    chunks: Vec<Chunk>,
    meta: Meta,
    layers: Vec<LayerInfo>,
    tables: Vec<TableInfo>,
    digest: String,
}

/// Where a chunk lies in the file.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    at: u64,
    bytes: u32,
    crc: u32,
}

/// A chunk's place in the world, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub kind: &'static str,
    pub name: &'a str,
    pub index: usize,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "chunk {} of {} `{}`", self.index, self.kind, self.name)
    }
}

/// How a chunk's bytes are to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coding {
    pub filter: Filter,
    pub width: usize,
}

/// Memory that is used from chunk to chunk.
pub(crate) struct Scratch {
    packed: Vec<u8>,
    unpacker: Unpacker,
}

impl Scratch {
    pub fn new() -> Self {
        Self { packed: Vec::new(), unpacker: Unpacker::new() }
    }
}

impl WorldFile {
    /// Opens a world file: reads superblock, header and chunk table, and no value.
    ///
    /// # Errors
    ///
    /// Anything that is not a whole and intact front of a world file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let source = Source::open(path.as_ref())?;
        let superblock = read_superblock(&source)?;
        let header = read_header(&source, &superblock)?;
        let chunks = read_table(&source, &superblock)?;
        Ok(Self {
            meta: Meta {
                engine: header.engine.clone(),
                recipe: header.recipe.clone(),
                name: header.name.clone(),
            },
            layers: header.layers.iter().map(layer_info).collect(),
            tables: header.tables.iter().map(table_info).collect(),
            digest: hex(&header.digest),
            cache: Cache::new(limits::CACHE_BYTES),
            source,
            header,
            chunks,
        })
    }

    /// What the world is and where it comes from.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The grid on which all layers lie.
    pub fn shape(&self) -> Shape {
        self.header.shape()
    }

    /// All layers, in the order in which they were written.
    pub fn layers(&self) -> &[LayerInfo] {
        &self.layers
    }

    /// All tables, in the order in which they were written.
    pub fn tables(&self) -> &[TableInfo] {
        &self.tables
    }

    /// The [`digest`](crate::digest()) of all layers, computed when the file was written.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Length of the file.
    pub fn file_bytes(&self) -> u64 {
        self.source.bytes()
    }

    /// Bytes read from the file since it was opened, and for opening it.
    pub fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// Reads and unpacks a chunk into `raw`, whose length is that which the chunk must have.
    pub(crate) fn read_chunk(
        &self,
        id: usize,
        place: Place<'_>,
        coding: Coding,
        scratch: &mut Scratch,
        raw: &mut [u8],
    ) -> Result<(), ReadError> {
        let Chunk { at, bytes, crc } = self.chunks[id];
        at_most(format!("bytes of {place}"), u64::from(bytes), packed_limit(raw.len()) as u64)?;
        scratch.packed.resize(bytes as usize, 0);
        self.source.read_at(&place, at, &mut scratch.packed)?;
        check_crc(&place, at, &scratch.packed, crc)?;
        let Coding { filter, width } = coding;
        scratch
            .unpacker
            .unpack(filter, width, &scratch.packed, raw)
            .map_err(|reason| ReadError::Content { what: format!("{place} at byte {at}"), reason })
    }
}

fn check_crc(what: &dyn fmt::Display, at: u64, bytes: &[u8], expected: u32) -> Result<(), ReadError> {
    let found = crc32fast::hash(bytes);
    if found == expected {
        return Ok(());
    }
    Err(ReadError::Checksum { what: what.to_string(), at, found, expected })
}

fn wrong(reason: String) -> ReadError {
    Flaw::Reason(reason).into()
}

fn read_superblock(source: &Source) -> Result<Superblock, ReadError> {
    let mut block = [0; SUPERBLOCK_BYTES as usize];
    let there = source.bytes().min(SUPERBLOCK_BYTES) as usize;
    source.read_at(&"the superblock", 0, &mut block[..there])?;
    let mark = there.min(MAGIC.len());
    if there == 0 || block[..mark] != MAGIC[..mark] {
        let begin = block[..there.min(16)].escape_ascii();
        let reason = if there == 0 { "it is empty".into() } else { format!("it begins with \"{begin}\"") };
        return Err(ReadError::NotAWorld { path: source.path().into(), reason });
    }
    if there < block.len() {
        let (at, needed) = (source.bytes(), SUPERBLOCK_BYTES);
        return Err(ReadError::Truncated { what: "the superblock".into(), at, needed });
    }
    let superblock = Superblock::decode(&block)?;
    let (at, needed) = (source.bytes(), superblock.file_bytes);
    if at < needed {
        return Err(ReadError::Truncated { what: "the last chunk".into(), at, needed });
    }
    if at > needed {
        return Err(wrong(format!("the file has {at} bytes, it says {needed}")));
    }
    if superblock.front_bytes() > needed {
        let front = superblock.front_bytes();
        return Err(wrong(format!(
            "header and chunk table reach byte {front}, the file says it has {needed}"
        )));
    }
    Ok(superblock)
}

fn read_header(source: &Source, superblock: &Superblock) -> Result<Header, ReadError> {
    let mut bytes = vec![0; superblock.header_bytes as usize];
    source.read_at(&"the header", SUPERBLOCK_BYTES, &mut bytes)?;
    check_crc(&"the header", SUPERBLOCK_BYTES, &bytes, superblock.header_crc)?;
    let header = Header::decode(&bytes)?;
    let (found, expected) = (superblock.chunks, header.chunks());
    if found != expected {
        return Err(wrong(format!("layers and tables have {expected} chunks, the chunk table has {found}")));
    }
    Ok(header)
}

/// Reads the chunk table piece by piece; the chunks must fill the rest of the file exactly.
fn read_table(source: &Source, superblock: &Superblock) -> Result<Vec<Chunk>, ReadError> {
    const PIECE: u64 = 8_192;
    let begin = SUPERBLOCK_BYTES + superblock.header_bytes;
    let mut chunks = Vec::with_capacity(superblock.chunks as usize);
    let mut at = superblock.front_bytes();
    let mut hasher = crc32fast::Hasher::new();
    let mut bytes = Vec::new();
    for first in (0..superblock.chunks).step_by(PIECE as usize) {
        let entries = PIECE.min(superblock.chunks - first);
        bytes.resize((entries * ENTRY_BYTES) as usize, 0);
        source.read_at(&"the chunk table", begin + first * ENTRY_BYTES, &mut bytes)?;
        hasher.update(&bytes);
        for entry in bytes.chunks_exact(ENTRY_BYTES as usize) {
            let [a, b, c, d, e, f, g, h] = entry else { continue };
            let (bytes, crc) = (u32::from_le_bytes([*a, *b, *c, *d]), u32::from_le_bytes([*e, *f, *g, *h]));
            chunks.push(Chunk { at, bytes, crc });
            at += u64::from(bytes);
        }
    }
    let (found, expected) = (hasher.finalize(), superblock.table_crc);
    if found != expected {
        return Err(ReadError::Checksum { what: "the chunk table".into(), at: begin, found, expected });
    }
    if at != superblock.file_bytes {
        let end = superblock.file_bytes;
        return Err(wrong(format!("its chunks reach byte {at}, the file says it has {end}")));
    }
    Ok(chunks)
}

fn layer_info(head: &LayerHead) -> LayerInfo {
    LayerInfo {
        name: head.name.clone(),
        unit: head.unit.clone(),
        dtype: head.dtype,
        min: head.range.map(|(low, _)| low),
        max: head.range.map(|(_, high)| high),
    }
}

fn table_info(head: &TableHead) -> TableInfo {
    let columns = head.columns.iter().map(|column| ColumnInfo {
        name: column.name.clone(),
        unit: column.unit.clone(),
        dtype: match column.kind {
            Kind::U32 => "u32",
            Kind::F64 => "f64",
            Kind::Text { .. } => "text",
        },
    });
    TableInfo { name: head.name.clone(), rows: head.rows, columns: columns.collect() }
}
