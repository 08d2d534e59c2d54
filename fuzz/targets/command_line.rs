//! Command lines (a module of the program, see `main.rs`): words made of bytes, parsed and run in this process, in a folder with a small world, a raster and lines.
//!
//! A byte below 128 is a letter, 0 ends a word; two from 128 on are a word that the parser itself knows, or one of
//! [`VALUES`]. What would take long by right (`serve`, `bench`, millions of samples) is parsed alone.

use crate::args::{Cli, Command as Asked};
use crate::output::{complaint, is_closed_pipe};
use crate::program::{refused, run, status};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use libfuzzer_sys::fuzz_target;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// Bytes that are looked at.
const MOST_BYTES: usize = 400;
/// Followed by a byte that is meant as it is.
const LITERAL: u8 = 1;
/// A byte from here on is the first half of a known word's number.
const KNOWN: u8 = 128;

/// Values of options and names of files, good and odd.
const VALUES: &[&str] = &[
    "globe.terrane",
    "isle.terrane",
    "dem.tif",
    "lines.geojson",
    "area.geojson",
    "my.toml",
    "out.tif",
    "out.png",
    "out.zarr",
    "out.r32",
    "out.r16",
    "out.pmtiles",
    "out.glb",
    "out.svg",
    "out.pdf",
    "out.gpkg",
    "out.geojson",
    "out.fgb",
    "out.csv",
    "out.terrane",
    "out",
    "0,0",
    "20,20",
    "180,90",
    "-180,-90",
    "100",
    "300,200",
    "0,0,9,9",
    "179,-1,-179,1",
    "-180,80,180,90",
    "0/0/0",
    "3/1/2",
    "22/4194303/0",
    "5/31/31",
    "1/3",
    "elevation",
    "rivers",
    "lakes",
    "basins",
    "ridges",
    "peaks",
    "order",
    "discharge",
    "land_cover",
    "flow_direction",
    "earthlike",
    "island",
    "continent",
    "grid.cells=8",
    "sea.level=1",
    "plates.count=5",
    "grid.kind=\"flat\"",
    "climate.mean_c=",
    "2km2",
    "0.5m3/s",
    "8",
    "16",
    "64",
    "512",
    "200000",
    "30000",
    "0.05",
    "1e300",
    "1e-300",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "-1",
    "-0",
    "0",
    "4294967296",
    "99999999999999999999",
    ".",
    "..",
    "no/such/out.tif",
    "=",
    ",",
    "-",
    "--",
    "-o",
    "-q",
    "\n",
    "\u{1b}[31m",
    "٣",
];

fuzz_target!(|bytes: &[u8]| {
    let words = words(&bytes[..bytes.len().min(MOST_BYTES)]);
    if !words.iter().all(|word| stays_here(word)) {
        return;
    }
    let all = std::iter::once(OsString::from("terrane")).chain(words.iter().cloned());
    let cli = match Cli::try_parse_from(all) {
        Ok(cli) => cli,
        Err(refusal) => return is_told_well(&refusal, &words),
    };
    let Some(cli) = light(cli) else { return };
    let desk = desk();
    match run(cli) {
        Ok(()) => {}
        Err(error) if is_closed_pipe(&error) => {}
        Err(error) => {
            hold(&error, &words);
            assert!(desk.litter().is_empty(), "{words:?} fails and leaves {:?}: {error:#}", desk.litter());
            assert!(desk.is_untouched(), "{words:?} fails and changes what was there: {error:#}");
        }
    }
    desk.tidy();
});

/// The words that bytes stand for.
fn words(bytes: &[u8]) -> Vec<OsString> {
    let (mut words, mut word) = (Vec::new(), Vec::new());
    let mut rest = bytes.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            0 => words.push(OsString::from_vec(std::mem::take(&mut word))),
            LITERAL => word.extend(rest.next()),
            KNOWN.. => {
                let number = usize::from(byte - KNOWN) << 8 | usize::from(rest.next().unwrap_or(0));
                word.extend_from_slice(known()[number % known().len()].as_bytes());
            }
            letter => word.push(letter),
        }
    }
    words.push(OsString::from_vec(word));
    // no system has them in an argument
    words.iter_mut().for_each(|word| {
        if word.as_bytes().contains(&0) {
            *word = OsString::new();
        }
    });
    words
}

/// The parser's own words (commands, options, values of options), and [`VALUES`].
fn known() -> &'static [String] {
    static KNOWN: OnceLock<Vec<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut found: BTreeSet<String> = VALUES.iter().map(|value| (*value).into()).collect();
        for command in Cli::command().get_subcommands() {
            found.insert(command.get_name().into());
            for argument in command.get_arguments() {
                found.extend(argument.get_long().map(|name| format!("--{name}=")));
                found.extend(argument.get_possible_values().iter().map(|value| value.get_name().into()));
            }
        }
        found.into_iter().collect()
    })
}

/// Whether a word, or what it gives to an option, can name no file outside of the folder.
fn stays_here(word: &OsStr) -> bool {
    let text = word.as_bytes();
    let is_short = text.starts_with(b"-") && !text.starts_with(b"--") && text.contains(&b'/');
    let is_below = |part: &[u8]| {
        Path::new(OsStr::from_bytes(part))
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
    };
    !is_short && text.split(|byte| *byte == b'=').all(is_below)
}

/// What was asked, if it takes no more than moments; with limits to what it may take.
fn light(mut cli: Cli) -> Option<Cli> {
    const SEED: f64 = 0.07;
    // a pool is made once for a process
    cli.threads = None;
    let is_light = match &mut cli.command {
        Asked::Demo(_) | Asked::Serve(_) | Asked::Bench(_) => false,
        Asked::Info(_) | Asked::Rivers(_) | Asked::Recipe(_) | Asked::Completions { .. } => true,
        Asked::Generate(args) => {
            args.max_memory = Some(args.max_memory.unwrap_or(SEED).min(SEED));
            true
        }
        Asked::Import(args) => {
            let most = SEED + 0.04;
            args.max_memory = Some(args.max_memory.unwrap_or(most).min(most));
            true
        }
        Asked::Map(args) => {
            let is_small = args.width <= 128 && args.printing.dpi.is_some_and(|dpi| dpi <= 40);
            is_small || args.output.extension() == Some(OsStr::new("png")) && args.width <= 128
        }
        Asked::Region(args) => {
            args.memory = args.memory.min(0.5);
            let is_coarse = args.resolution.is_none_or(|metres| !(metres < 30_000.0));
            let is_small =
                args.size.is_none_or(|side| side <= 64) && args.engine.is_none() && args.level <= 4;
            is_coarse && is_small && args.max_zoom.is_none_or(|zoom| zoom <= 1)
        }
        Asked::Refine(args) => args.plan || !(args.resolution < 100_000.0),
        Asked::Hydro(args) => {
            args.memory = args.memory.min(0.5);
            true
        }
        Asked::Score(args) => !args.regions,
    };
    is_light.then_some(cli)
}

/// Holds a refusal of the parser to what one of the program must be.
fn is_told_well(refusal: &clap::Error, words: &[OsString]) {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    match refusal.kind() {
        DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => {
            assert!(refusal.render().to_string().len() > 8, "{words:?}");
        }
        _ => hold(&refused(refusal), words),
    }
}

/// Holds an error to lines that say something and that no terminal obeys, and to a status that is documented.
fn hold(error: &anyhow::Error, words: &[OsString]) {
    let lines = complaint(error);
    assert!((1..=40).contains(&lines.len()), "{words:?}: {lines:?}");
    assert!((1..=2).contains(&status(error)));
    for line in &lines {
        let said = line.strip_prefix("terrane: ").unwrap_or_else(|| panic!("{words:?}: {line}"));
        assert!(said.trim().len() > 8 && !said.contains(char::is_control), "{words:?}: {line:?}");
        assert!(!said.contains("Os {") && !said.contains("Error("), "{words:?}: {line:?}");
    }
}

/// The folder in which everything runs, as it is between two cases.
struct Desk {
    folder: PathBuf,
    given: BTreeMap<PathBuf, Vec<u8>>,
}

impl Desk {
    /// Makes the folder, goes there, and lays out what can be read.
    fn laid() -> Self {
        let memory = Path::new("/dev/shm");
        let above = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let folder =
            tempfile::Builder::new().prefix("terrane-fuzz-").tempdir_in(above).expect("a folder").keep();
        std::env::set_current_dir(&folder).expect("it is there");
        for line in [
            "generate -q -o globe.terrane --cells 16",
            "generate -q -o isle.terrane --recipe island --cells 24",
            "region -q globe.terrane -o dem.tif --at 20,20 --span 1500 --resolution 60000",
        ] {
            let words = std::iter::once("terrane").chain(line.split(' '));
            run(Cli::try_parse_from(words).expect("it is right")).expect("it is done");
        }
        let ring = r#"{"type":"Polygon","coordinates":[[[0,0],[30,0],[0,30],[0,0]]]}"#;
        let lines = r#"{"type":"LineString","coordinates":[[1,1],[12,20],[25,22]]}"#;
        for (name, text) in [("area.geojson", ring), ("lines.geojson", lines), ("my.toml", "seed = 3\n")] {
            std::fs::write(name, text).expect("there is room");
        }
        let given =
            names(&folder).into_iter().map(|path| (path.clone(), std::fs::read(&path).expect("a file")));
        Self { given: given.collect(), folder }
    }

    /// What a command that fails may not leave: temporary files, and files under the names of outputs but parts to go on with.
    fn litter(&self) -> Vec<PathBuf> {
        let is_litter = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().as_bytes();
            !self.given.contains_key(path) && path.is_file() && !name.ends_with(b".part")
        };
        names(&self.folder).into_iter().filter(is_litter).collect()
    }

    /// Whether what was given is still what it was.
    fn is_untouched(&self) -> bool {
        self.given.iter().all(|(path, bytes)| std::fs::read(path).is_ok_and(|now| now == *bytes))
    }

    /// Makes everything as it was.
    fn tidy(&self) {
        for path in names(&self.folder) {
            match self.given.contains_key(&path) {
                true => {}
                false if path.is_dir() => std::fs::remove_dir_all(&path).expect("it is ours"),
                false => std::fs::remove_file(&path).expect("it is ours"),
            }
        }
        if !self.is_untouched() {
            self.given.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).expect("there is room"));
        }
    }
}

/// What lies in a folder.
fn names(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("readable").path()).collect()
}

fn desk() -> &'static Desk {
    static DESK: OnceLock<Desk> = OnceLock::new();
    DESK.get_or_init(Desk::laid)
}
