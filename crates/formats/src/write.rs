//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::{Cause, Error, beside};

/// Writes a file beside its final place, syncs it and renames it.
///
/// `fill` writes the contents. If it or the disk fails, what stood at `path` before still stands there and
/// nothing is left beside it. A reader sees the old file or the new one, never part of one.
///
/// # Errors
/// [`Error::Write`] with the path and the cause.
pub fn atomic<F>(path: &Path, fill: F) -> Result<(), Error>
where
    F: FnOnce(&mut BufWriter<File>) -> Result<(), Cause>,
{
    replace(path, fill).map_err(|cause| Error::Write { path: path.into(), cause })
}

fn replace<F>(path: &Path, fill: F) -> Result<(), Cause>
where
    F: FnOnce(&mut BufWriter<File>) -> Result<(), Cause>,
{
    let (pending, mut out) = Pending::beside(path)?;
    fill(&mut out)?;
    pending.finish(out)
}

/// A file beside its final place. Dropped, it is removed.
pub(crate) struct Pending {
    path: PathBuf,
    folder: PathBuf,
    temporary: tempfile::TempPath,
}

impl Pending {
    /// Begins a file that is to stand at `path`.
    pub fn beside(path: &Path) -> Result<(Self, BufWriter<File>), Cause> {
        if path.is_dir() {
            return Err("it is a folder".into());
        }
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(format!("there is no folder {}", folder.display()).into());
        }
        let (file, temporary) = beside::file(path, &folder)?.into_parts();
        Ok((Self { path: path.into(), folder, temporary }, BufWriter::with_capacity(1 << 18, file)))
    }

    /// Puts the file, which `out` has written, into its place.
    pub fn finish(self, mut out: BufWriter<File>) -> Result<(), Cause> {
        out.flush()?;
        out.get_ref().sync_all()?;
        self.temporary.persist(&self.path).map_err(|e| e.error)?;
        sync_folder(&self.folder)?;
        Ok(())
    }
}

pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.into(),
        _ => PathBuf::from("."),
    }
}

/// A rename lasts through a power cut only when the folder itself is synced.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}
