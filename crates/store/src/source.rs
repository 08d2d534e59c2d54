//! Reading at a place, from any number of threads, and counting what was read.

use crate::error::ReadError;
use std::fmt::Display;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// An open file.
#[derive(Debug)]
pub(crate) struct Source {
    file: Positioned,
    path: PathBuf,
    bytes: u64,
    bytes_read: AtomicU64,
}

impl Source {
    /// Opens a regular file. Anything else (a folder, a pipe that would never end) is refused unopened.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let io = |source| ReadError::Io { path: path.into(), source };
        let is_file = std::fs::metadata(path).map_err(io)?.is_file();
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if !is_file || !metadata.is_file() {
            let what = if metadata.is_dir() { "it is a folder" } else { "it is not a regular file" };
            return Err(ReadError::NotAWorld { path: path.into(), reason: what.into() });
        }
        let bytes = metadata.len();
        Ok(Self { file: Positioned::new(file), path: path.into(), bytes, bytes_read: AtomicU64::new(0) })
    }

    /// Length of the file when it was opened.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// Fills `buffer` from byte `at` on; `what` is named if that fails.
    pub fn read_at(&self, what: &dyn Display, at: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        match self.file.read_exact_at(buffer, at) {
            Ok(()) => {
                self.bytes_read.fetch_add(buffer.len() as u64, Ordering::Relaxed);
                Ok(())
            }
            Err(end) if end.kind() == io::ErrorKind::UnexpectedEof => Err(ReadError::Truncated {
                what: what.to_string(),
                at: self.file.length().unwrap_or(self.bytes),
                needed: at.saturating_add(buffer.len() as u64),
            }),
            Err(source) => Err(ReadError::Io { path: self.path.clone(), source }),
        }
    }
}

/// A file that is read at a position without moving a cursor.
#[cfg(unix)]
#[derive(Debug)]
struct Positioned(File);

#[cfg(unix)]
impl Positioned {
    fn new(file: File) -> Self {
        Self(file)
    }

    fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, at)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }
}

/// A file whose cursor one thread at a time moves and reads from.
#[cfg(not(unix))]
#[derive(Debug)]
struct Positioned(std::sync::Mutex<File>);

#[cfg(not(unix))]
impl Positioned {
    fn new(file: File) -> Self {
        Self(std::sync::Mutex::new(file))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, File> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.lock();
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(buffer)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.lock().metadata()?.len())
    }
}
