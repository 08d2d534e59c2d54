//! Replacing a file in one step: whoever looks sees the old one or the new one, whole.

use std::fs::File;
use std::io;
use std::path::Path;

/// Puts what `fill` writes in the place of the file at `path`.
///
/// It is written to a temporary file beside it, synced, renamed, and the folder is synced. If anything fails
/// before the renaming, the temporary is removed and the file at `path` is as it was. A process that is
/// killed leaves the temporary behind: `.NAME.` + six letters + `.tmp`.
pub(crate) fn replace<T>(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    readable_by_others(&mut builder);
    let mut temporary = builder.tempfile_in(folder)?;
    let made = fill(temporary.as_file_mut())?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|failure| failure.error)?;
    sync_folder(folder)?;
    Ok(made)
}

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
