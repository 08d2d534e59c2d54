//! The sources of the crates, line by line, without comments and without their tests.

use std::fmt;
use std::path::{Path, PathBuf};

/// The crates that make worlds and regions.
pub const SIMULATION: &[&str] = &["grid", "hydro", "world", "region"];

/// The folder of the whole workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A line of a source file.
pub struct Line {
    /// From the root of the workspace.
    pub path: String,
    /// Counted from one.
    pub number: usize,
    /// Without comments.
    pub code: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.number, self.code.trim())
    }
}

/// All files under a folder whose names end so, in order.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of the workspace")
        .map(|e| e.expect("readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found
}

/// The lines of code of some crates. Their tests are left out: a file's unit tests stand at its end, longer ones in a
/// folder `tests` or a file of that name.
pub fn code_lines(crates: &[&str]) -> impl Iterator<Item = Line> {
    let folders = crates.iter().map(|name| root().join("crates").join(name).join("src"));
    let all: Vec<PathBuf> = folders.flat_map(|folder| files(&folder, "rs")).collect();
    let tests = |path: &Path| {
        path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
    };
    all.into_iter()
        .filter(move |path| !tests(path.strip_prefix(root()).expect("within")))
        .flat_map(|path| lines_of(&path))
}

fn lines_of(path: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(path).expect("sources are text");
    let name = path.strip_prefix(root()).expect("within the workspace").display().to_string();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or("");
    let line = |(i, line): (usize, &str)| Line {
        path: name.clone(),
        number: i + 1,
        code: without_comment(line).to_string(),
    };
    code.lines().enumerate().map(line).filter(|l| !l.code.trim().is_empty()).collect()
}

/// Cuts a line at `//` outside of a text.
pub fn without_comment(line: &str) -> &str {
    let (mut in_text, mut escaped) = (false, false);
    let bytes = line.as_bytes();
    for (i, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' if !escaped && !line[..i].ends_with('\'') => in_text = !in_text,
            b'/' if !in_text && bytes.get(i + 1) == Some(&b'/') => return &line[..i],
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    line
}
