//! Pyramids of web map tiles in one file (PMTiles 3): a header, a list of tiles, and the tiles along a Hilbert curve, so that
//! a plain file server can show a map.
//!
//! Written here, in 200 lines, and not with the crate `pmtiles`, which brings a reader over HTTP and its own runtime; all that
//! is needed is tiles in order, and a list of them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{Cause, Error, atomic};

/// A tile, counted from the north-west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TileId(u64);

impl TileId {
    /// The deepest zoom whose tiles have numbers here.
    pub const MAX_ZOOM: u8 = 26;

    /// The number of a tile: those of lower zooms come first, those of one zoom along a Hilbert curve. `None` if there is no
    /// such tile.
    ///
    /// ```
    /// use formats::pmtiles::TileId;
    /// let number = |z, x, y| TileId::of(z, x, y).map(TileId::number);
    /// assert_eq!([number(0, 0, 0), number(1, 0, 0), number(1, 0, 1), number(1, 1, 1)], [Some(0), Some(1), Some(2), Some(3)]);
    /// assert_eq!(number(1, 2, 0), None);
    /// ```
    pub fn of(zoom: u8, x: u32, y: u32) -> Option<Self> {
        let side = 1u64.checked_shl(u32::from(zoom)).filter(|_| zoom <= Self::MAX_ZOOM)?;
        let (mut x, mut y) = (u64::from(x), u64::from(y));
        if x >= side || y >= side {
            return None;
        }
        let before = ((1u64 << (2 * u32::from(zoom))) - 1) / 3;
        let (mut along, mut half) = (0, side / 2);
        while half > 0 {
            let (east, south) = (u64::from(x & half > 0), u64::from(y & half > 0));
            along += half * half * ((3 * east) ^ south);
            // each quarter of the curve is turned so that it joins the next
            if south == 0 {
                if east == 1 {
                    (x, y) = (side - 1 - x, side - 1 - y);
                }
                (x, y) = (y, x);
            }
            half /= 2;
        }
        Some(Self(before + along))
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// What a file says of its tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    /// The least and the greatest zoom.
    pub zooms: (u8, u8),
    /// West, south, east and north in degrees, the west not above the east.
    pub bounds: [f64; 4],
    /// Longitude and latitude in degrees where a reader begins to look.
    pub middle: [f64; 2],
    /// Name, attribution, encoding and what else there is to say.
    pub metadata: serde_json::Value,
}

/// Tiles of PNG.
const PNG: u8 = 2;
/// Bytes as they are.
const PLAIN: u8 = 1;
/// Packed by gzip.
const GZIP: u8 = 2;
const HEADER_BYTES: u64 = 127;
/// The header and the first list lie within so many bytes.
const ROOM: u64 = 16_384;
/// Tiles with more bytes are not compared with others.
const SMALL: usize = 2048;
/// Small tiles that are remembered.
const REMEMBERED: usize = 4096;

/// Equal tiles in a row.
#[derive(Clone, Copy, Debug)]
struct Entry {
    first: u64,
    run: u32,
    offset: u64,
    length: u32,
}

/// Writes tiles of PNG in the order of their numbers: `next` gives one after the other, and none at the end.
///
/// Equal tiles are written once. Memory: 32 bytes a tile.
///
/// # Errors
/// [`Error::Write`]: no tile, tiles out of order, the disk, or what `next` says.
pub fn write(
    path: &Path,
    about: &Pyramid,
    mut next: impl FnMut() -> Result<Option<(TileId, Vec<u8>)>, Cause>,
) -> Result<(), Error> {
    atomic(path, |out| {
        out.write_all(&[0; ROOM as usize])?;
        let mut tiles = Tiles::default();
        while let Some((tile, bytes)) = next()? {
            tiles.add(out, tile, &bytes)?;
        }
        if tiles.entries.is_empty() {
            return Err("there is no tile".into());
        }
        let metadata = packed(about.metadata.to_string().as_bytes())?;
        let (root, leaves) = lists(&tiles.entries)?;
        out.write_all(&metadata)?;
        out.write_all(&leaves)?;
        let metadata_at = ROOM + tiles.bytes;
        let parts = [
            (HEADER_BYTES, root.len() as u64),
            (metadata_at, metadata.len() as u64),
            (metadata_at + metadata.len() as u64, leaves.len() as u64),
            (ROOM, tiles.bytes),
        ];
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header(about, parts, &tiles))?;
        out.write_all(&root)?;
        out.seek(SeekFrom::End(0))?;
        Ok(())
    })
}

/// Tiles that were written.
#[derive(Default)]
struct Tiles {
    entries: Vec<Entry>,
    bytes: u64,
    addressed: u64,
    contents: u64,
    small: BTreeMap<Vec<u8>, u64>,
}

impl Tiles {
    fn add(&mut self, out: &mut BufWriter<File>, tile: TileId, bytes: &[u8]) -> Result<(), Cause> {
        let length = u32::try_from(bytes.len())?;
        let next = self.entries.last().map_or(0, |e| e.first + u64::from(e.run));
        if tile.0 < next {
            return Err(format!("tile {} comes after tile {next}", tile.0).into());
        }
        self.addressed += 1;
        let known = self.small.get(bytes).copied();
        let offset = known.unwrap_or(self.bytes);
        if known.is_none() {
            out.write_all(bytes)?;
            self.bytes += u64::from(length);
            self.contents += 1;
            if bytes.len() <= SMALL && self.small.len() < REMEMBERED {
                self.small.insert(bytes.to_vec(), offset);
            }
        }
        match self.entries.last_mut() {
            Some(last) if tile.0 == next && last.offset == offset && last.length == length => last.run += 1,
            _ => self.entries.push(Entry { first: tile.0, run: 1, offset, length }),
        }
        Ok(())
    }
}

/// The first list and, where it would be too long, the lists that it then names.
fn lists(entries: &[Entry]) -> Result<(Vec<u8>, Vec<u8>), Cause> {
    let root = packed(&list(entries))?;
    if root.len() as u64 <= ROOM - HEADER_BYTES {
        return Ok((root, Vec::new()));
    }
    let mut of_leaf = 4096;
    loop {
        let (mut leaves, mut names) = (Vec::new(), Vec::new());
        for some in entries.chunks(of_leaf) {
            let leaf = packed(&list(some))?;
            let (offset, length) = (leaves.len() as u64, u32::try_from(leaf.len())?);
            names.push(Entry { first: some[0].first, run: 0, offset, length });
            leaves.extend(leaf);
        }
        let root = packed(&list(&names))?;
        if root.len() as u64 <= ROOM - HEADER_BYTES {
            return Ok((root, leaves));
        }
        of_leaf *= 2;
    }
}

/// A list: how many, the steps between numbers, the runs, the lengths, the places (0: right behind the one before).
fn list(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint(&mut bytes, entries.len() as u64);
    let mut last = 0;
    for entry in entries {
        varint(&mut bytes, entry.first - last);
        last = entry.first;
    }
    entries.iter().for_each(|e| varint(&mut bytes, u64::from(e.run)));
    entries.iter().for_each(|e| varint(&mut bytes, u64::from(e.length)));
    for (i, entry) in entries.iter().enumerate() {
        let behind = i.checked_sub(1).map(|i| entries[i].offset + u64::from(entries[i].length));
        varint(&mut bytes, if behind == Some(entry.offset) { 0 } else { entry.offset + 1 });
    }
    bytes
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The first 127 bytes. `parts` are place and length of the first list, the metadata, the other lists, the tiles.
fn header(about: &Pyramid, parts: [(u64, u64); 4], tiles: &Tiles) -> Vec<u8> {
    let mut bytes = b"PMTiles\x03".to_vec();
    let counts = [tiles.addressed, tiles.entries.len() as u64, tiles.contents];
    let numbers = parts.into_iter().flat_map(|(place, length)| [place, length]).chain(counts);
    bytes.extend(numbers.flat_map(u64::to_le_bytes));
    const IN_ORDER: u8 = 1;
    bytes.extend([IN_ORDER, GZIP, PLAIN, PNG, about.zooms.0, about.zooms.1]);
    let [west, south, east, north] = about.bounds;
    let degrees = |v: f64| ((v * 1e7).round() as i32).to_le_bytes();
    bytes.extend([west, south, east, north].into_iter().flat_map(degrees));
    bytes.push(about.zooms.0.max(about.zooms.1.saturating_sub(2)));
    bytes.extend(about.middle.into_iter().flat_map(degrees));
    bytes
}
