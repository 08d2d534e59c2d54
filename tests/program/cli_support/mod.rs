//! What the tests of the built program share: a desk with worlds on it, runs of the program, decoded outputs.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

/// A folder of its own, in which the program runs.
pub struct Desk(TempDir);

/// What a run of the program said.
#[derive(Debug)]
pub struct Said {
    /// Exit status; none if a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Desk {
    /// An empty desk.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A desk with `globe.terrane`, of 6 x 32 x 32 cells.
    pub fn with_globe() -> Self {
        static MADE: OnceLock<Vec<u8>> = OnceLock::new();
        Self::with(&MADE, "globe.terrane", "--cells 32")
    }

    /// A desk with `isle.terrane`, a flat map of 96 x 72 cells of 12.5 km.
    pub fn with_isle() -> Self {
        static MADE: OnceLock<Vec<u8>> = OnceLock::new();
        Self::with(&MADE, "isle.terrane", "--recipe island --cells 96")
    }

    /// A desk with a world that is made once.
    fn with(made: &OnceLock<Vec<u8>>, name: &str, recipe: &str) -> Self {
        let desk = Self::new();
        let make = || {
            desk.does(&format!("generate -o {name} {recipe} --quiet"));
            desk.bytes(name)
        };
        desk.put(name, made.get_or_init(make));
        desk
    }

    /// A file on the desk.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The bytes of a file on the desk.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Puts a file on the desk.
    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).expect("the desk can be written to");
    }

    /// The names on the desk with their lengths and times of change.
    pub fn inventory(&self) -> BTreeMap<PathBuf, (u64, std::time::Duration)> {
        let entries = std::fs::read_dir(self.0.path()).expect("the desk is there");
        let note = |entry: std::io::Result<std::fs::DirEntry>| {
            let entry = entry.expect("readable");
            let about = entry.metadata().expect("readable");
            let changed = about.modified().expect("a time of change");
            let since = changed.duration_since(std::time::UNIX_EPOCH).expect("after 1970");
            (entry.path(), (about.len(), since))
        };
        entries.map(note).collect()
    }

    /// The program, about to run on the desk.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_terrane"));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs the program with arguments of any kind.
    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Said {
        let output = self.command().args(args).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let said = Said { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!said.err.contains("panicked"), "{said:?}");
        said
    }

    /// Runs a command line that must succeed, and returns its standard output.
    pub fn does(&self, line: &str) -> String {
        let said = self.run(line.split_whitespace());
        assert_eq!(said.status, Some(0), "terrane {line}\n{}", said.err);
        said.out
    }

    /// Runs a command line that must be refused in one line, with this status, and leave everything as it was.
    pub fn refused(&self, line: &str, status: i32) -> String {
        self.refuses(line.split_whitespace(), status)
    }

    /// The same for arguments of any kind.
    pub fn refuses<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>, status: i32) -> String {
        let args: Vec<S> = args.into_iter().collect();
        let lines = self.refuses_in_lines(&args, status);
        assert_eq!(lines.len(), 1, "{:?} is refused in one line: {lines:#?}", shown(&args));
        lines.into_iter().next().unwrap_or_default()
    }

    /// The same for what may be wrong in several ways, a line for each.
    pub fn refuses_in_lines<S: AsRef<OsStr>>(&self, args: &[S], status: i32) -> Vec<String> {
        let before = self.inventory();
        let said = self.run(args);
        let shown = shown(args);
        assert_eq!(said.status, Some(status), "{shown:?}\n{}{}", said.out, said.err);
        assert_eq!(said.out, "", "{shown:?} has no result");
        assert_eq!(self.inventory(), before, "{shown:?} leaves the desk as it was");
        let lines: Vec<String> = said.err.lines().map(Into::into).collect();
        assert!(!lines.is_empty(), "{shown:?} is refused without a word");
        for line in &lines {
            assert!(line.starts_with("terrane: ") && line.len() > 20, "{shown:?}: {line}");
        }
        lines
    }

    /// `info --json` of a world.
    pub fn info(&self, world: &str) -> serde_json::Value {
        serde_json::from_str(&self.does(&format!("info {world} --json"))).expect("JSON")
    }

    /// The digest of a world.
    pub fn digest(&self, world: &str) -> String {
        self.info(world)["digest"].as_str().expect("a text").into()
    }

    /// A JSON file.
    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_slice(&self.bytes(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The numbers of an `.r32` file.
    pub fn raw(&self, name: &str) -> Vec<f32> {
        let bytes = self.bytes(name);
        assert_eq!(bytes.len() % 4, 0, "{name} holds 32-bit numbers");
        let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        bytes.chunks_exact(4).map(number).collect()
    }

    /// The first page of a GeoTIFF, read by another library than the program writes it with.
    pub fn geotiff(&self, name: &str) -> Grid {
        let file = File::open(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut decoder = Decoder::new(BufReader::new(file)).expect("a TIFF");
        let (width, height) = decoder.dimensions().expect("dimensions");
        let scale = decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).expect("a pixel scale");
        let tie = decoder.get_tag_f64_vec(Tag::ModelTiepointTag).expect("a tie point");
        let DecodingResult::F32(values) = decoder.read_image().expect("readable values") else {
            panic!("{name} holds no float32 values")
        };
        assert_eq!(values.len(), (width * height) as usize, "{name}");
        Grid {
            width: width as usize,
            height: height as usize,
            west: tie[3],
            north: tie[4],
            step: scale[0],
            values,
        }
    }

    /// Width, height, bits of a channel, and the pixels of a PNG.
    pub fn png(&self, name: &str) -> (u32, u32, u8, Vec<u8>) {
        let file = File::open(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut reader = png::Decoder::new(BufReader::new(file)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let frame = reader.next_frame(&mut pixels).expect("a whole PNG");
        (frame.width, frame.height, frame.bit_depth as u8, pixels)
    }
}

fn shown<S: AsRef<OsStr>>(args: &[S]) -> Vec<&OsStr> {
    args.iter().map(AsRef::as_ref).collect()
}

/// A raster with its place: `west` and `north` are outer edges, `step` the side of a sample.
#[derive(Debug)]
pub struct Grid {
    pub width: usize,
    pub height: usize,
    pub west: f64,
    pub north: f64,
    pub step: f64,
    pub values: Vec<f32>,
}

impl Grid {
    /// Compares two rasters of one lattice where they overlap, bit for bit; returns the number of samples there.
    pub fn assert_same_overlap(&self, other: &Self) -> usize {
        assert!((self.step - other.step).abs() < 1e-12 * self.step, "{} {}", self.step, other.step);
        let shift = |a: f64, b: f64| {
            let samples = (a - b) / self.step;
            assert!((samples - samples.round()).abs() < 1e-6, "one lattice: {samples}");
            samples.round() as i64
        };
        let (dx, dy) = (shift(other.west, self.west), shift(self.north, other.north));
        let mut count = 0;
        for row in 0..self.height as i64 {
            for column in 0..self.width as i64 {
                let (x, y) = (column - dx, row - dy);
                if x < 0 || y < 0 || x >= other.width as i64 || y >= other.height as i64 {
                    continue;
                }
                let mine = self.values[row as usize * self.width + column as usize];
                let theirs = other.values[y as usize * other.width + x as usize];
                assert_eq!(mine.to_bits(), theirs.to_bits(), "row {row}, column {column}: {mine} {theirs}");
                count += 1;
            }
        }
        count
    }
}
