//! What the program says: results on standard output, the rest on standard error.

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How talkative the program is.
#[derive(Clone, Copy)]
pub struct Session {
    /// Nothing but results and errors.
    pub quiet: bool,
    /// More than usual.
    pub verbose: bool,
}

/// Something the user asked for that cannot be meant; the program ends with status 2.
///
/// Each text is told in a line of its own.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct Misuse(Vec<String>);

/// A misuse as an error of any kind.
pub fn misuse(message: impl Into<String>) -> anyhow::Error {
    misuses(vec![message.into()])
}

/// All that is wrong at once.
pub fn misuses(messages: Vec<String>) -> anyhow::Error {
    Misuse(messages).into()
}

impl Session {
    /// A message for people.
    pub fn say(self, message: &str) {
        if !self.quiet {
            tell(&printable(message));
        }
    }

    /// A message for people who want to know more.
    pub fn detail(self, message: &str) {
        if self.verbose {
            tell(&printable(message));
        }
    }

    /// A progress bar that counts to 1000; hidden where nobody watches.
    pub fn bar(self, what: &str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(1000);
        let style = ProgressStyle::with_template("{prefix:>12} [{bar:40}] {percent:>3} % {msg}")
            .expect("the template is a literal that parses")
            .progress_chars("=> ");
        bar.set_style(style);
        bar.set_prefix(what.to_string());
        bar
    }
}

/// Writes to standard error. Where nobody can hear it, the work goes on.
fn tell(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// Moves a bar to a share from 0 to 1.
pub fn advance(bar: &ProgressBar, share: f64) {
    bar.set_position((share * 1000.0) as u64);
}

/// Writes a result to standard output.
///
/// # Errors
/// A closed pipe or a full disk behind it.
pub fn emit(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("writing to standard output")
}

/// Whether an error is only that nobody reads on: `terrane info W | head -1`.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|e| e.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe))
}

/// Says what went wrong, in one go.
pub fn complain(error: &anyhow::Error) {
    for line in complaint(error) {
        tell(&line);
    }
}

/// What went wrong, with its causes; each line begins with the program's name.
pub fn complaint(error: &anyhow::Error) -> Vec<String> {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    let mut lines = match error.downcast_ref::<Misuse>() {
        Some(Misuse(messages)) if messages.len() > 1 => messages.clone(),
        _ => vec![message],
    };
    if let Some(more) = lines.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
        lines.truncate(MOST_LINES);
        lines.push(format!("{more} more of this kind"));
    }
    lines.iter().map(|line| format!("terrane: {}", shortened(&printable(line)))).collect()
}

/// Most lines of a complaint; a file may have more wrong with it than anybody reads.
const MOST_LINES: usize = 100;
/// Letters that a line of a complaint keeps at its beginning and at its end, where it says what would be right.
const KEPT: [usize; 2] = [1400, 600];

/// A text without its middle, if it is long: it may hold a word of a file that has millions of letters.
fn shortened(text: &str) -> String {
    let letters: Vec<char> = text.chars().take(KEPT[0] + KEPT[1] + 1).collect();
    if letters.len() <= KEPT[0] + KEPT[1] {
        return text.into();
    }
    let end: Vec<char> = text.chars().rev().take(KEPT[1]).collect();
    letters[..KEPT[0]].iter().chain(&[' ', '\u{2026}', ' ']).chain(end.iter().rev()).collect()
}

/// A text from a file, safe to show: no line breaks, and nothing that a terminal would obey.
pub fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Makes sure, before long work, that a file can be written where it shall go.
///
/// # Errors
/// A folder that is not there, a folder where a file should be, or a device: output is written beside its place
/// and renamed, which would replace the device by a file.
pub fn check_place(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Err(misuse(format!("{} is a folder; name a file in it", path.display())));
    }
    if path.exists() && !path.is_file() {
        return Err(misuse(format!("{} is not a regular file and will not be replaced", path.display())));
    }
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(misuse(format!("the folder {} is not there; make it first", folder.display())));
    }
    check_length(path)
}

/// Makes sure that a name leaves room for those of the files that stand beside it for a while.
fn check_length(path: &Path) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part.12345678");
    match Path::new(&beside).symlink_metadata() {
        Err(e) if e.kind() == ErrorKind::InvalidFilename => Err(misuse(format!(
            "{}: the name is too long for its disk; choose a shorter one",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// A path by which two names of one file in one folder are equal, be it there or not.
pub fn whereabouts(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.into(),
    }
}

/// Endings of other kinds of files than worlds.
pub const OTHERS: [&str; 19] = [
    "tif", "tiff", "png", "jpg", "zarr", "r16", "r32", "glb", "pdf", "svg", "pmtiles", "json", "geojson",
    "gpkg", "fgb", "toml", "nc", "html", "txt",
];

/// Makes sure that no other program would take a world of this name for a file of its own.
///
/// # Errors
/// An ending of another kind of file.
pub fn check_world_name(path: &Path) -> Result<()> {
    let ending = ending(path);
    if OTHERS.contains(&ending.as_str()) {
        let name = path.with_extension("terrane");
        return Err(misuse(format!(
            "{}: a world ends in .terrane, as {} does; `terrane region` and `terrane map` make .{ending} files and others of it",
            path.display(),
            name.display()
        )));
    }
    Ok(())
}

/// Makes sure that an output is not the file that is read, which it would replace.
///
/// # Errors
/// Both are one file, by whatever names.
pub fn check_apart(output: &Path, input: &Path) -> Result<()> {
    match (output.canonicalize(), input.canonicalize()) {
        (Ok(a), Ok(b)) if a == b => Err(misuse(format!(
            "{} would replace {}, which it is made from; name another output",
            output.display(),
            input.display()
        ))),
        _ => Ok(()),
    }
}

/// The ending of a file's name in lower case, without the dot.
pub fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Numbers separated by commas.
///
/// # Errors
/// Another count than `N`, or something that is not a finite number.
pub fn numbers<const N: usize>(option: &str, text: &str, form: &str) -> Result<[f64; N]> {
    let wrong = || misuse(format!("{option} {text}: expected {form}, such as {}", example(N)));
    let parsed: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse::<f64>().ok().filter(|v| v.is_finite()))
        .collect::<Option<_>>()
        .ok_or_else(wrong)?;
    parsed.try_into().map_err(|_| wrong())
}

fn example(count: usize) -> &'static str {
    match count {
        1 => "11.5",
        2 => "80.6,-13.8",
        _ => "80,-15,82,-13",
    }
}
