//! The unfinished part of a long export: a file that only grows, and tells at any moment which pieces of the work are in it.
//!
//! It begins with a magic word and a text that says what is being made. Then come records: the number of a piece, its length,
//! the checksum of its bytes, the checksum of these three, the bytes. Whatever ends the program, what was appended before is
//! whole, and a last record that is not is cut off when the file is opened again. So the file is its own journal, and the
//! two cannot disagree. Little-endian.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{Cause, Error};

const MAGIC: &[u8; 8] = b"trnpart1";
/// Number, length, checksum of the bytes, checksum of these.
const HEAD_BYTES: u64 = 8 + 8 + 4 + 4;
/// No text that says what is made is longer.
const MOST_TEXT: u64 = 1 << 20;

/// Why an unfinished export is not continued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// It was begun for something else.
    #[error(
        "{} holds part of another export: {name} is {found:?} in it, and {wanted:?} is asked for; ask for the same again, or remove it",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        name: String,
        /// Its value in the file.
        found: String,
        /// Its value now.
        wanted: String,
    },
    /// It is there, and nobody said that it is to be continued.
    #[error(
        "{} holds {share:.0} % of an export that was not finished: continue it with --resume, or remove it",
        path.display()
    )]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// How much of it is there.
        share: f64,
    },
    /// Somebody is at work on it.
    #[error("{} is being written by another program", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// It is something else.
    #[error("{} is no unfinished export: remove it, or name another output", path.display())]
    NoPart {
        /// The file.
        path: PathBuf,
    },
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] Error),
}

/// What is made: names and values, by which a file that was begun for something else is known.
pub type Making = Vec<(String, String)>;

/// Pieces of an export that was begun.
#[derive(Debug)]
pub struct PartFile {
    path: PathBuf,
    file: Mutex<File>,
    /// Place and length of each piece.
    pieces: BTreeMap<u64, (u64, u64)>,
    end: u64,
}

/// Whether an export that was begun is to be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It is; if there is none, a new one begins.
    Continue,
    /// There should be none.
    Refuse,
}

impl PartFile {
    /// Opens the file at `path` for what is `making` in so many pieces, or begins it.
    ///
    /// # Errors
    /// The file is of another export, not to be continued, being written, no such file, or the disk refuses.
    pub fn open(path: &Path, making: &Making, pieces: u64, begun: Begun) -> Result<Self, PartError> {
        let disk = |e: std::io::Error| Error::Write { path: path.into(), cause: e.into() };
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(path).map_err(disk)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PartError::Busy { path: path.into() }),
            // a file system without locks
            Err(TryLockError::Error(_)) => {}
        }
        if file.metadata().map_err(disk)?.len() == 0 {
            let head = head(making);
            file.write_all(&head).map_err(disk)?;
            let (path, end) = (path.into(), head.len() as u64);
            return Ok(Self { path, file: Mutex::new(file), pieces: BTreeMap::new(), end });
        }
        let found = read_head(&mut file).map_err(disk)?;
        let Some((found, end)) = found else { return Err(PartError::NoPart { path: path.into() }) };
        let mut part = Self { path: path.into(), file: Mutex::new(file), pieces: BTreeMap::new(), end };
        compare(path, &found, making)?;
        part.find().map_err(disk)?;
        if begun == Begun::Refuse && !part.pieces.is_empty() {
            let share = 100.0 * part.pieces.len() as f64 / pieces.max(1) as f64;
            return Err(PartError::Unfinished { path: path.into(), share });
        }
        part.cut().map_err(disk)?;
        Ok(part)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a piece is there.
    pub fn has(&self, piece: u64) -> bool {
        self.pieces.contains_key(&piece)
    }

    /// Bytes of a piece; 0 of one that is not there.
    pub fn length(&self, piece: u64) -> u64 {
        self.pieces.get(&piece).map_or(0, |&(_, length)| length)
    }

    /// Adds a piece.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn append(&mut self, piece: u64, bytes: &[u8]) -> Result<(), Error> {
        let head = record_head(piece, bytes);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut write = || {
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(&head)?;
            file.write_all(bytes)
        };
        write().map_err(|e| Error::Write { path: self.path.clone(), cause: e.into() })?;
        self.pieces.insert(piece, (self.end + HEAD_BYTES, bytes.len() as u64));
        self.end += HEAD_BYTES + bytes.len() as u64;
        Ok(())
    }

    /// Some bytes of a piece.
    ///
    /// # Errors
    /// The piece is not there or shorter; the disk.
    pub fn read(&self, piece: u64, from: u64, length: u64) -> Result<Vec<u8>, Cause> {
        let &(place, all) = self.pieces.get(&piece).ok_or_else(|| format!("piece {piece} is missing"))?;
        if from.checked_add(length).is_none_or(|end| end > all) {
            return Err(format!("piece {piece} has {all} bytes, not {from} and {length} more").into());
        }
        let mut bytes = vec![0; length as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place + from))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Removes it, when what it was for is done.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn remove(self) -> Result<(), Error> {
        drop(self.file);
        std::fs::remove_file(&self.path)
            .map_err(|e| Error::Write { path: self.path.clone(), cause: e.into() })
    }

    /// Cuts off what follows the last whole record.
    fn cut(&mut self) -> std::io::Result<()> {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        if file.metadata()?.len() > self.end { file.set_len(self.end) } else { Ok(()) }
    }

    /// Finds whole records.
    fn find(&mut self) -> std::io::Result<()> {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        let bytes = file.metadata()?.len();
        while let Some((piece, length)) = whole_record(file, self.end, bytes)? {
            self.pieces.insert(piece, (self.end + HEAD_BYTES, length));
            self.end += HEAD_BYTES + length;
        }
        Ok(())
    }
}

/// The record at a place: its number and length; `None` where there is none, or not all of it.
fn whole_record(file: &mut File, at: u64, file_bytes: u64) -> std::io::Result<Option<(u64, u64)>> {
    if file_bytes.saturating_sub(at) < HEAD_BYTES {
        return Ok(None);
    }
    let mut head = [0; HEAD_BYTES as usize];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut head)?;
    let number = |from: usize| u64::from_le_bytes(std::array::from_fn(|i| head[from + i]));
    let word = |from: usize| u32::from_le_bytes(std::array::from_fn(|i| head[from + i]));
    let length = number(8);
    let fits =
        at.checked_add(HEAD_BYTES).and_then(|p| p.checked_add(length)).is_some_and(|e| e <= file_bytes);
    if word(20) != checksum(&head[..20]) || !fits {
        return Ok(None);
    }
    Ok((sum_of(file, length)? == word(16)).then_some((number(0), length)))
}

/// The checksum of the next bytes of a file.
fn sum_of(file: &mut File, length: u64) -> std::io::Result<u32> {
    let mut sum = flate2::Crc::new();
    let mut buffer = vec![0; 1 << 16];
    let mut left = length;
    while left > 0 {
        let now = left.min(buffer.len() as u64) as usize;
        file.read_exact(&mut buffer[..now])?;
        sum.update(&buffer[..now]);
        left -= now as u64;
    }
    Ok(sum.sum())
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

fn record_head(piece: u64, bytes: &[u8]) -> Vec<u8> {
    let mut head = piece.to_le_bytes().to_vec();
    head.extend((bytes.len() as u64).to_le_bytes());
    head.extend(checksum(bytes).to_le_bytes());
    head.extend(checksum(&head).to_le_bytes());
    head
}

/// A mark by which contents are known again: their length and checksum.
pub fn mark(bytes: &[u8]) -> String {
    format!("{} bytes, {:08x}", bytes.len(), checksum(bytes))
}

/// Magic word, length and checksum of the text, the text.
fn head(making: &Making) -> Vec<u8> {
    let lines: Vec<String> =
        making.iter().map(|(name, value)| format!("{name}\t{}\n", value.replace('\n', " "))).collect();
    let text = lines.concat();
    let mut head = MAGIC.to_vec();
    head.extend((text.len() as u64).to_le_bytes());
    head.extend(checksum(text.as_bytes()).to_le_bytes());
    head.extend(text.as_bytes());
    head
}

/// What a file is making and where its records begin; `None` of a file of another kind.
fn read_head(file: &mut File) -> std::io::Result<Option<(Making, u64)>> {
    let bytes = file.metadata()?.len();
    let mut start = [0; 20];
    if bytes < start.len() as u64 {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut start)?;
    let length = u64::from_le_bytes(std::array::from_fn(|i| start[8 + i]));
    let sum = u32::from_le_bytes(std::array::from_fn(|i| start[16 + i]));
    if &start[..8] != MAGIC || length > MOST_TEXT.min(bytes - start.len() as u64) {
        return Ok(None);
    }
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text)?;
    if checksum(&text) != sum {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let pair = |line: &str| line.split_once('\t').map(|(name, value)| (name.to_string(), value.to_string()));
    Ok(Some((text.lines().filter_map(pair).collect(), start.len() as u64 + length)))
}

fn compare(path: &Path, found: &Making, wanted: &Making) -> Result<(), PartError> {
    let value = |of: &Making, name: &str| {
        let entry = of.iter().find(|(n, _)| n == name);
        entry.map(|(_, value)| value.replace('\n', " ")).unwrap_or_default()
    };
    for (name, _) in wanted.iter().chain(found) {
        let (found, wanted) = (value(found, name), value(wanted, name));
        if found != wanted {
            return Err(PartError::Other { path: path.into(), name: name.clone(), found, wanted });
        }
    }
    Ok(())
}
