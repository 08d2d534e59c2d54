//! Temporary files and folders beside a final place, and what killed programs left of theirs.
//!
//! They are called `.NAME.` + six letters + an ending, and are locked while somebody works on them. A lock ends with its
//! process, so that one without a lock is left over; whoever begins the same output removes it. So at most one is left,
//! however often the program was killed. Where a file system has no locks, nothing is removed.

use std::fs::{self, File, Permissions};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile, TempDir};

/// What temporary files and folders end in.
const ENDING: &str = ".part";
/// Letters that make a name unlike others.
const LETTERS: usize = 6;
/// Bytes of a name that are kept: with all else it stays below the 255 that file systems allow.
const NAME_BYTES: usize = 200;
/// How often a name is tried again that another process took for a left one before it was locked.
const TRIES: usize = 16;

/// A temporary file in `folder` for what is to stand at `path`, locked; readable as any new file of the user.
pub(crate) fn file(path: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let prefix = prefix(path);
    sweep(folder, &prefix);
    for _ in 0..TRIES {
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(ENDING).rand_bytes(LETTERS);
        if let Some(permissions) = as_umask_allows() {
            builder.permissions(permissions);
        }
        let temporary = builder.tempfile_in(folder).map_err(unnamed)?;
        if is_ours(temporary.as_file(), temporary.path()) {
            return Ok(temporary);
        }
    }
    Err(io::Error::other("temporary files disappear as soon as they are made"))
}

/// A temporary folder in `folder` for what is to stand at `path`, and its lock, which must live as long. One that a killed
/// program left for the same path is removed.
///
/// # Errors
/// The system makes no folder there.
pub fn folder(path: &Path, folder: &Path) -> io::Result<(TempDir, Option<File>)> {
    let prefix = prefix(path);
    sweep(folder, &prefix);
    for _ in 0..TRIES {
        let temporary = Builder::new()
            .prefix(&prefix)
            .suffix(ENDING)
            .rand_bytes(LETTERS)
            .tempdir_in(folder)
            .map_err(unnamed)?;
        // folders cannot be opened on every system
        let Ok(lock) = File::open(temporary.path()) else { return Ok((temporary, None)) };
        if is_ours(&lock, temporary.path()) {
            return Ok((temporary, Some(lock)));
        }
    }
    Err(io::Error::other("temporary folders disappear as soon as they are made"))
}

/// An error of the system without the name of the temporary that it could not make, which nobody asked for.
fn unnamed(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path \"") {
        Some((what, _)) => io::Error::new(error.kind(), what),
        None => error,
    }
}

/// How the names of all temporaries of an output begin.
fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut end = name.len().min(NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!(".{}.", &name[..end])
}

/// Locks what was just made; false if another process was faster and takes it for a left one.
#[cfg(unix)]
fn is_ours(made: &File, path: &Path) -> bool {
    !matches!(made.try_lock(), Err(fs::TryLockError::WouldBlock)) && path.exists()
}

/// Elsewhere a lock would keep out whoever opens the file by its name, and nothing is swept.
#[cfg(not(unix))]
fn is_ours(_: &File, _: &Path) -> bool {
    true
}

/// Removes the temporaries of an output that nobody works on any more; what cannot be removed stays.
fn sweep(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let letters = name.to_str().and_then(|n| n.strip_prefix(prefix)?.strip_suffix(ENDING));
        if letters.is_some_and(|l| l.len() == LETTERS && l.bytes().all(|b| b.is_ascii_alphanumeric())) {
            remove_if_left(&entry.path());
        }
    }
}

#[cfg(unix)]
fn remove_if_left(path: &Path) {
    let Ok(about) = path.symlink_metadata() else { return };
    // opening a pipe would wait for its other end
    if !about.is_file() && !about.is_dir() {
        return;
    }
    let Ok(lock) = File::open(path) else { return };
    if lock.try_lock().is_ok() {
        let _ = if about.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

#[cfg(not(unix))]
fn remove_if_left(_: &Path) {}

/// Temporary files are private by default, but these become ordinary files: what the umask allows.
#[cfg(unix)]
fn as_umask_allows() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn as_umask_allows() -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    #[test]
    fn what_is_left_goes_and_what_is_in_work_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.tif");
        let at_work = file(&path, dir.path()).unwrap();
        let (store, _lock) = folder(&path, dir.path()).unwrap();
        let others = [".a.tif.abcdef", ".a.tif.abc.part", ".b.tif.abcdef.part", "a.tif", "a.tif.part"];
        others.iter().for_each(|name| fs::write(dir.path().join(name), "mine").unwrap());
        fs::write(dir.path().join(".a.tif.Left00.part"), "left").unwrap();
        fs::create_dir_all(dir.path().join(".a.tif.Left01.part/in")).unwrap();
        std::os::unix::fs::symlink(&path, dir.path().join(".a.tif.Link00.part")).unwrap();
        let second = file(&path, dir.path()).unwrap();
        let found = names(dir.path());
        assert!(!found.iter().any(|n| n.contains("Left")), "{found:?}");
        assert_eq!(found.len(), others.len() + 4, "the two at work, the new one, a link: {found:?}");
        assert!(at_work.path().exists() && store.path().exists() && second.path().exists());
        drop(at_work);
        assert_eq!(fs::read_to_string(path).unwrap(), "mine");
    }

    #[test]
    fn what_cannot_be_made_has_no_name() {
        let dir = tempfile::tempdir().unwrap();
        let nowhere = dir.path().join("nowhere");
        let (a, b) = (file(&nowhere.join("a.tif"), &nowhere), folder(&nowhere.join("a.zarr"), &nowhere));
        for said in [a.unwrap_err().to_string(), b.unwrap_err().to_string()] {
            assert!(said.contains("os error") && !said.contains("nowhere"), "{said}");
        }
    }

    #[test]
    fn long_names_have_room() {
        let dir = tempfile::tempdir().unwrap();
        let name = "ö".repeat(120) + ".tif";
        let made = file(&dir.path().join(&name), dir.path()).unwrap();
        assert!(made.path().file_name().unwrap().len() < 255);
    }
}
