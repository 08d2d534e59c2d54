//! The list of tags of a TIFF's first picture (TIFF 6.0, section 2; BigTIFF, 2011), read and written.
//!
//! Reading trusts nothing: every place lies in the file or is refused by name, and no count takes more memory
//! than the file has bytes behind it. (The decoder of the crate `tiff` multiplies such counts unchecked and sets
//! aside up to 256 MiB for one; here it serves as the oracle of the tests.)

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use super::tags::Tag;
use crate::error::ReadError;

/// More tags than any writer has; a directory of more is no directory.
const MOST_TAGS: u64 = 4096;

/// Byte order of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::Big } else { Self::Little };

    fn unsigned(self, bytes: &[u8]) -> u64 {
        let next = |sum: u64, b: &u8| sum << 8 | u64::from(*b);
        match self {
            Self::Little => bytes.iter().rev().fold(0, next),
            Self::Big => bytes.iter().fold(0, next),
        }
    }
}

/// One tag: what its values are, how many, and the field that holds them or their place.
#[derive(Clone, Copy, Debug)]
struct Entry {
    tag: u16,
    kind: u16,
    count: u64,
    field: [u8; 8],
}

/// The tags of one picture.
#[derive(Debug)]
pub(super) struct Directory {
    pub order: Order,
    pub file_bytes: u64,
    big: bool,
    entries: Vec<Entry>,
    next: u64,
}

impl Directory {
    /// The first directory of a file.
    pub fn first(file: &mut File) -> Result<Self, ReadError> {
        let file_bytes = file.metadata()?.len();
        if file_bytes == 0 {
            return Err(ReadError::Empty);
        }
        let mut head = [0; 16];
        let found = read_some(file, &mut head)?;
        let (order, big) = signature(&head[..found])?;
        let place = if big { &head[8..16] } else { &head[4..8] };
        if found < if big { 16 } else { 8 } {
            return Err(cut("the header", 16, file_bytes));
        }
        Self::at(file, order.unsigned(place), Self { order, file_bytes, big, entries: Vec::new(), next: 0 })
    }

    /// The directory after this one, if there is one.
    pub fn following(&self, file: &mut File) -> Option<Result<Self, ReadError>> {
        let blank = Self {
            order: self.order,
            file_bytes: self.file_bytes,
            big: self.big,
            entries: Vec::new(),
            next: 0,
        };
        (self.next != 0).then(|| Self::at(file, self.next, blank))
    }

    fn at(file: &mut File, place: u64, blank: Self) -> Result<Self, ReadError> {
        let Self { order, file_bytes, big, .. } = blank;
        let (count_bytes, entry_bytes, next_bytes) = if big { (8, 20, 8) } else { (2, 12, 4) };
        let count = order.unsigned(&bytes_at(file, file_bytes, place, count_bytes, "the list of tags")?);
        if !(1..=MOST_TAGS).contains(&count) {
            return Err(ReadError::Directory { place, count });
        }
        let length = count * entry_bytes + next_bytes;
        let start = place.saturating_add(count_bytes);
        let bytes = bytes_at(file, file_bytes, start, length, "the list of tags")?;
        let (list, next) = bytes.split_at((count * entry_bytes) as usize);
        let entry = |b: &[u8]| {
            let (count, field) = b[4..].split_at(next_bytes as usize);
            let mut inline = [0; 8];
            inline[..field.len()].copy_from_slice(field);
            Entry {
                tag: order.unsigned(&b[..2]) as u16,
                kind: order.unsigned(&b[2..4]) as u16,
                count: order.unsigned(count),
                field: inline,
            }
        };
        let entries = list.chunks_exact(entry_bytes as usize).map(entry).collect();
        Ok(Self { entries, next: order.unsigned(next), ..blank })
    }

    /// Whether the tag is there with at least one value.
    pub fn has(&self, tag: Tag) -> bool {
        self.entry(tag).is_some_and(|e| e.count > 0)
    }

    /// How many values the tag has; 0 where it is missing.
    pub fn count(&self, tag: Tag) -> u64 {
        self.entry(tag).map_or(0, |e| e.count)
    }

    /// The first value of a tag of whole numbers.
    pub fn number(&self, file: &mut File, tag: Tag) -> Result<Option<u64>, ReadError> {
        Ok(self.numbers(file, tag, 1)?.first().copied())
    }

    /// Up to `most` values of a tag of whole numbers; none where it is missing.
    pub fn numbers(&self, file: &mut File, tag: Tag, most: u64) -> Result<Vec<u64>, ReadError> {
        let (kind, bytes) = self.bytes(file, tag, most)?;
        match kind {
            0 | 1 | 3 | 4 | 13 | 16 | 18 => {
                Ok(bytes.chunks_exact(size_of(kind)).map(|b| self.order.unsigned(b)).collect())
            }
            _ => Err(ReadError::tag(tag, format!("of type {kind}"), "of unsigned whole numbers")),
        }
    }

    /// Up to `most` values of a tag of reals.
    pub fn reals(&self, file: &mut File, tag: Tag, most: u64) -> Result<Vec<f64>, ReadError> {
        let (kind, bytes) = self.bytes(file, tag, most)?;
        let values = bytes.chunks_exact(size_of(kind)).map(|b| self.order.unsigned(b));
        match kind {
            0 | 12 => Ok(values.map(f64::from_bits).collect()),
            11 => Ok(values.map(|v| f64::from(f32::from_bits(v as u32))).collect()),
            _ => Err(ReadError::tag(tag, format!("of type {kind}"), "of real numbers")),
        }
    }

    /// A tag's text up to its first NUL, at most `most` bytes of it.
    pub fn text(&self, file: &mut File, tag: Tag, most: u64) -> Result<Option<Vec<u8>>, ReadError> {
        if !self.has(tag) {
            return Ok(None);
        }
        let (kind, mut bytes) = self.bytes(file, tag, most)?;
        if !matches!(kind, 1 | 2 | 7) {
            return Err(ReadError::tag(tag, format!("of type {kind}"), "text"));
        }
        bytes.truncate(bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len()));
        Ok(Some(bytes))
    }

    fn entry(&self, tag: Tag) -> Option<&Entry> {
        self.entries.iter().find(|e| e.tag == tag as u16)
    }

    /// A tag's type and the bytes of its first values; type 0 and no bytes where it is missing.
    fn bytes(&self, file: &mut File, tag: Tag, most: u64) -> Result<(u16, Vec<u8>), ReadError> {
        let Some(entry) = self.entry(tag) else { return Ok((0, Vec::new())) };
        let size = size_of(entry.kind) as u64;
        let whole = entry.count.saturating_mul(size);
        let wanted = entry.count.min(most).saturating_mul(size);
        let inline = if self.big { 8 } else { 4 };
        if whole <= inline {
            return Ok((entry.kind, entry.field[..wanted as usize].to_vec()));
        }
        let place = self.order.unsigned(&entry.field[..inline as usize]);
        let what = format!("tag {} ({tag:?})", tag as u16);
        Ok((entry.kind, bytes_at(file, self.file_bytes, place, wanted, &what)?))
    }
}

/// Bytes of one value of a type; types that no tag here may have count as bytes.
fn size_of(kind: u16) -> usize {
    match kind {
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 | 16..=18 => 8,
        _ => 1,
    }
}

fn signature(head: &[u8]) -> Result<(Order, bool), ReadError> {
    let no_tiff = || ReadError::NotTiff { found: head.iter().take(4).map(|b| format!("{b:02x} ")).collect() };
    let order = match head.get(..2) {
        Some(b"II") => Order::Little,
        Some(b"MM") => Order::Big,
        _ => return Err(no_tiff()),
    };
    match head.get(2..4).map(|b| order.unsigned(b)) {
        Some(42) => Ok((order, false)),
        Some(43) if head.len() < 8 || order.unsigned(&head[4..8]) == order_of_eight(order) => {
            Ok((order, true))
        }
        None => Err(cut("the header", 8, head.len() as u64)),
        _ => Err(no_tiff()),
    }
}

/// BigTIFF's second word, as four bytes: places have 8 bytes, and a zero.
fn order_of_eight(order: Order) -> u64 {
    order.unsigned(&match order {
        Order::Little => [8, 0, 0, 0],
        Order::Big => [0, 8, 0, 0],
    })
}

fn read_some(file: &mut File, into: &mut [u8]) -> Result<usize, ReadError> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(into.len() as u64).read_to_end(&mut bytes)?;
    into[..bytes.len()].copy_from_slice(&bytes);
    Ok(bytes.len())
}

fn cut(what: &str, end: u64, file_bytes: u64) -> ReadError {
    ReadError::Cut { what: what.into(), end, file_bytes }
}

/// Bytes of the file, all of them there.
fn bytes_at(
    file: &mut File,
    file_bytes: u64,
    place: u64,
    length: u64,
    what: &str,
) -> Result<Vec<u8>, ReadError> {
    let end = place.saturating_add(length);
    if end > file_bytes {
        return Err(cut(what, end, file_bytes));
    }
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file's data and then its tags, in the machine's own byte order.
#[derive(Debug)]
pub(super) struct TiffFile<W> {
    out: W,
    at: u64,
    big: bool,
    entries: Vec<Entry>,
}

/// The values of a tag that is written.
pub(super) enum Values<'a> {
    Text(&'a str),
    Shorts(&'a [u16]),
    Longs(&'a [u32]),
    Reals(&'a [f64]),
    /// Places in the file: of 8 bytes in a BigTIFF, else of 4.
    Places(&'a [u64]),
}

impl Values<'_> {
    /// The type of the values, their number, their bytes.
    pub fn encoded(&self, big: bool) -> std::io::Result<(u16, usize, Vec<u8>)> {
        Ok(match self {
            Self::Text(text) => (2, text.len() + 1, text.bytes().chain([0]).collect()),
            Self::Shorts(v) => (3, v.len(), v.iter().flat_map(|x| x.to_ne_bytes()).collect()),
            Self::Longs(v) => (4, v.len(), v.iter().flat_map(|x| x.to_ne_bytes()).collect()),
            Self::Reals(v) => (12, v.len(), v.iter().flat_map(|x| x.to_ne_bytes()).collect()),
            Self::Places(v) => (if big { 16 } else { 4 }, v.len(), places(v, big)?),
        })
    }
}

/// Places in a file as it counts them.
pub(super) fn places(places: &[u64], big: bool) -> std::io::Result<Vec<u8>> {
    if big {
        return Ok(places.iter().flat_map(|p| p.to_ne_bytes()).collect());
    }
    let small: Result<Vec<u32>, _> = places.iter().map(|&p| u32::try_from(p)).collect();
    let small = small.map_err(|_| std::io::Error::other("a classic TIFF ends at 4 GiB"))?;
    Ok(small.into_iter().flat_map(u32::to_ne_bytes).collect())
}

/// The first bytes of a file: byte order, kind, and the place of the first list of tags.
pub(super) fn header(place: u64, big: bool) -> std::io::Result<Vec<u8>> {
    let mut bytes = if cfg!(target_endian = "big") { b"MM".to_vec() } else { b"II".to_vec() };
    let words: &[u16] = if big { &[43, 8, 0] } else { &[42] };
    bytes.extend(words.iter().flat_map(|w| w.to_ne_bytes()));
    bytes.extend(places(&[place], big)?);
    Ok(bytes)
}

/// What takes the tags of a picture.
pub(super) trait TagList {
    /// Adds a tag.
    fn tag(&mut self, tag: Tag, values: &Values) -> std::io::Result<()>;

    /// Adds a tag of one small number.
    fn short(&mut self, tag: Tag, value: u16) -> std::io::Result<()> {
        self.tag(tag, &Values::Shorts(&[value]))
    }
}

impl<W: Write + Seek> TagList for TiffFile<W> {
    /// The values go into the file now unless they fit into the list of tags.
    fn tag(&mut self, tag: Tag, values: &Values) -> std::io::Result<()> {
        let (kind, count, bytes) = values.encoded(self.big)?;
        let mut field = [0; 8];
        if bytes.len() <= self.word() {
            field[..bytes.len()].copy_from_slice(&bytes);
        } else {
            let place = self.data(&bytes)?;
            let place = self.places(&[place])?;
            field[..place.len()].copy_from_slice(&place);
        }
        self.entries.push(Entry { tag: tag as u16, kind, count: count as u64, field });
        Ok(())
    }
}

impl<W: Write + Seek> TiffFile<W> {
    /// Begins a file: a classic TIFF counts its bytes in 32 bits, a big one in 64.
    pub fn new(mut out: W, big: bool) -> std::io::Result<Self> {
        out.write_all(&header(0, big)?)?;
        Ok(Self { out, at: if big { 16 } else { 8 }, big, entries: Vec::new() })
    }

    /// Appends data and returns its place.
    pub fn data(&mut self, bytes: &[u8]) -> std::io::Result<u64> {
        let place = self.at;
        self.out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(place)
    }

    fn word(&self) -> usize {
        if self.big { 8 } else { 4 }
    }

    fn places(&self, values: &[u64]) -> std::io::Result<Vec<u8>> {
        places(values, self.big)
    }

    /// Writes the list of tags, in ascending order as the standard demands, and its place into the header.
    pub fn finish(mut self) -> std::io::Result<W> {
        if self.at % 2 == 1 {
            self.data(&[0])?;
        }
        let word = self.word();
        let place = self.places(&[self.at])?;
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_by_key(|e| e.tag);
        let count = entries.len() as u64;
        let mut bytes =
            if self.big { count.to_ne_bytes().to_vec() } else { (count as u16).to_ne_bytes().to_vec() };
        for entry in &entries {
            bytes.extend_from_slice(&entry.tag.to_ne_bytes());
            bytes.extend_from_slice(&entry.kind.to_ne_bytes());
            bytes.extend_from_slice(&self.places(&[entry.count])?);
            bytes.extend_from_slice(&entry.field[..word]);
        }
        bytes.extend_from_slice(&[0; 8][..word]);
        self.data(&bytes)?;
        self.out.seek(SeekFrom::Start(word as u64))?;
        self.out.write_all(&place)?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(self.out)
    }
}
