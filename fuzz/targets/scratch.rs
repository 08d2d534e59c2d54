//! A file that is written anew for every case, in memory where the system has such a folder.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The path of this process's scratch file, with these bytes in it.
pub fn file(bytes: &[u8]) -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let path = PATH.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let kept = tempfile::Builder::new().prefix("terrane-fuzz-").tempfile_in(folder).expect("a file");
        kept.into_temp_path().keep().expect("it stays")
    });
    std::fs::write(path, bytes).expect("it can be written");
    path
}
