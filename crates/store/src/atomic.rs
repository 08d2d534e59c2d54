//! Replacing a file in one step: whoever looks sees the old one or the new one, whole.

use std::fs::File;
use std::io;
use std::path::Path;
#[cfg(unix)]
use std::{ffi::OsStr, fs::TryLockError};
use tempfile::NamedTempFile;

/// Puts what `fill` writes in the place of the file at `path`.
///
/// It is written to a temporary file beside it, synced, renamed, and the folder is synced. If anything fails
/// before the renaming, the temporary is removed and the file at `path` is as it was. A process that is
/// killed leaves the temporary behind: `.NAME.` + six letters + `.tmp`, which the next call for the same place removes.
pub(crate) fn replace<T>(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = beside(path, folder)?;
    let made = fill(temporary.as_file_mut())?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|failure| failure.error)?;
    sync_folder(folder)?;
    Ok(made)
}

/// What temporary files end in.
const ENDING: &str = ".tmp";
/// Letters that make a name unlike others.
const LETTERS: usize = 6;
/// Bytes of a name that are kept: with all else it stays below the 255 that file systems allow.
const NAME_BYTES: usize = 200;
/// How often a name is tried again that another process took for a left one before it was locked.
const TRIES: usize = 16;

/// A temporary file for what is to stand at `path`. It is locked; those of the same place that have no lock are left over
/// from killed processes and removed, where the system and the file system have locks.
fn beside(path: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = (0..=name.len().min(NAME_BYTES)).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
    let prefix = format!(".{}.", &name[..end]);
    sweep(folder, &prefix);
    for _ in 0..TRIES {
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(ENDING).rand_bytes(LETTERS);
        readable_by_others(&mut builder);
        let temporary = builder.tempfile_in(folder).map_err(unnamed)?;
        if is_ours(&temporary) {
            return Ok(temporary);
        }
    }
    Err(io::Error::other("temporary files disappear as soon as they are made"))
}

/// An error of the system without the name of the temporary that it could not make, which nobody asked for.
fn unnamed(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path \"") {
        Some((what, _)) => io::Error::new(error.kind(), what),
        None => error,
    }
}

/// Locks what was just made; false if another process was faster and takes it for a left one.
#[cfg(unix)]
fn is_ours(made: &NamedTempFile) -> bool {
    !matches!(made.as_file().try_lock(), Err(TryLockError::WouldBlock)) && made.path().exists()
}

#[cfg(not(unix))]
fn is_ours(_: &NamedTempFile) -> bool {
    true
}

/// Removes temporaries with a prefix that nobody works on any more; what cannot be removed stays.
#[cfg(unix)]
fn sweep(folder: &Path, prefix: &str) {
    let is_left = |name: &OsStr| {
        let letters = name.to_str().and_then(|n| n.strip_prefix(prefix)?.strip_suffix(ENDING));
        letters.is_some_and(|l| l.len() == LETTERS && l.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_left(&entry.file_name())) {
        let path = entry.path();
        // opening a pipe would wait for its other end
        if !path.symlink_metadata().is_ok_and(|about| about.is_file()) {
            continue;
        }
        let Ok(lock) = File::open(&path) else { continue };
        if lock.try_lock().is_ok() {
            let _ = std::fs::remove_file(&path);
        }
    }
}

#[cfg(not(unix))]
fn sweep(_: &Path, _: &str) {}

/// Temporary files are private by default; a world is as readable as any other new file of the user.
#[cfg(unix)]
fn readable_by_others(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn readable_by_others(_: &mut tempfile::Builder<'_, '_>) {}

/// Makes the renaming itself survive a power cut.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
