//! The folder that is written to: made before the work, and gone again if the work comes to nothing.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that were made, which vanish when this is dropped, unless something lies in them.
pub struct Folder {
    made: Vec<PathBuf>,
}

impl Folder {
    /// Makes a folder with all that it lies in, and sees whether it can be written to.
    pub fn make(path: &Path) -> Result<Self> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = path.ancestors().take_while(is_missing).map(Into::into).collect();
        let folder = Self { made };
        fs::create_dir_all(path).with_context(|| format!("making the folder {}", path.display()))?;
        tempfile::tempfile_in(path).with_context(|| format!("writing into the folder {}", path.display()))?;
        Ok(folder)
    }

    /// The work is done: everything stays.
    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for folder in &self.made {
            // fails where something lies in it, which is meant to stay
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_goes() {
        let desk = tempfile::tempdir().expect("a folder");
        let [outer, inner] = ["a", "a/b"].map(|name| desk.path().join(name));
        drop(Folder::make(&inner).expect("made"));
        assert!(!outer.exists() && desk.path().exists());
        fs::create_dir(&outer).expect("made");
        drop(Folder::make(&inner).expect("made"));
        assert!(outer.exists() && !inner.exists(), "what was there before stays");
        let folder = Folder::make(&inner).expect("made");
        fs::write(inner.join("file"), "").expect("written");
        drop(folder);
        assert!(inner.exists());
        Folder::make(&outer.join("c")).expect("made").keep();
        assert!(outer.join("c").exists());
    }
}
