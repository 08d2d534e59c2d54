//! The built program, and what reads texts, fed with seeded nonsense: it refuses in a line, never panics, never hangs.
//!
//! `TERRANE_LONG=N` tries N times as many cases. What else is covered, and where, stands in `docs/STRENGTH.md`.

use crate::cases::cases;
use crate::cli_support::Desk;
use grid::{Draw, Nth, Purpose, Seed};
use std::process::{Command, Stdio};
use std::time::Duration;
use world::Recipe;
use world::recipe::PRESETS;

const NONSENSE: Purpose = Purpose::new("cli/nonsense");
/// Nothing that is asked here takes long.
const MOST: Duration = Duration::from_secs(60);

fn draws(number: usize) -> Draw {
    Seed(11).key(NONSENSE).at(Nth(number as u32))
}

fn pick<'a>(draw: &mut Draw, list: &[&'a str]) -> &'a str {
    list[draw.below(list.len() as u32) as usize]
}

/// Runs the program and ends it if it hangs. Returns its status and what it said on standard error.
pub fn ends_well(mut command: Command, what: &str) -> (i32, String) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut waited = Duration::ZERO;
    while child.try_wait().expect("it runs").is_none() {
        let step = Duration::from_millis(4);
        std::thread::sleep(step);
        waited += step;
        if waited > MOST {
            child.kill().expect("it is ended");
            panic!("{what}: it hangs");
        }
    }
    let output = child.wait_with_output().expect("it ended");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked") && !said.contains("RUST_BACKTRACE"), "{what}: {said}");
    let status = output.status.code().unwrap_or_else(|| panic!("{what}: ended by a signal: {said}"));
    assert!((0..=2).contains(&status), "{what}: {status} {said}");
    let is_told = said.lines().all(|line| line.starts_with("terrane: ")) && said.lines().count() > 0;
    assert!(status == 0 || is_told || said.contains("Usage: terrane"), "{what}: {said}");
    (status, said)
}

/// Values that no option can mean, or hardly any.
const ODD: [&str; 26] = [
    "",
    " ",
    "-",
    "--",
    "=",
    "0",
    "-0",
    "-1",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "1e-400",
    "99999999999999999999",
    ",",
    ",,",
    "1,",
    "1,2,3,4,5",
    "0/0/0/0",
    "-1/0/0",
    "٣",
    "\u{1b}[31m",
    "a\nb",
    "../../..",
    "%s%n",
];

/// Options with values that mean something and take no time.
type Option = (&'static str, &'static [&'static str]);
const REGION: [Option; 16] = [
    ("--at", &["20,20", "0,0", "-180,-90", "180,90"]),
    ("--span", &["100", "3,5", "0.001"]),
    ("--bbox", &["0,0,3,3", "179,-1,-179,1", "-180,80,180,90"]),
    ("--resolution", &["30000", "100000"]),
    ("--tile", &["0/0/0", "3/1/2", "22/0/4194303", "1/1/1"]),
    ("--tile-size", &["256", "512"]),
    ("--cell", &["0/0/0", "5/31/31"]),
    ("--cell-at", &["10,10"]),
    ("--level", &["0", "3"]),
    ("--size", &["2", "33"]),
    ("--engine", &["unity", "godot"]),
    ("--layers", &["elevation", "rivers", "elevation,order", "lakes,basins,peaks"]),
    ("--method", &["classic", "drainage"]),
    ("--style", &["terrain", "atlas", "height"]),
    ("--max-zoom", &["0", "1"]),
    ("--polygon", &["globe.terrane", "missing.geojson"]),
];
/// Of these options, how many say where a region is.
const PLACES: usize = 11;
const OTHERS: [Option; 12] = [
    ("--layer", &["climate", "relief", "basins"]),
    ("--width", &["64", "80"]),
    ("--projection", &["mollweide", "orthographic"]),
    ("--center", &["20", "20,30"]),
    ("--month", &["1", "12"]),
    ("--top", &["1", "3"]),
    ("--from", &["10,10", "0,0"]),
    ("--min-discharge", &["0", "1e9"]),
    ("--bbox", &["0,0,30,30"]),
    ("--seed", &["1", "9223372036854775807"]),
    ("--set", &["sea.level=1", "plates.count=5", "climate.mean_c=4"]),
    ("--threads", &["1", "3"]),
];
const FLAGS: [&str; 9] =
    ["--json", "--quiet", "-v", "--no-texture", "--resume", "--basins", "--help", "--nonsense", "--list"];
const FILES: [&str; 14] = [
    "a.tif",
    "a.png",
    "a.r32",
    "a.r16",
    "a.zarr",
    "a.geojson",
    "a.fgb",
    "a.gpkg",
    "a.pmtiles",
    "a.svg",
    "a.glb",
    "a",
    ".",
    "no/such/a.tif",
];
/// What takes no more than a moment whatever is said of it.
const COMMANDS: [&str; 10] = [
    "region globe.terrane",
    "region globe.terrane",
    "region globe.terrane",
    "region",
    "map globe.terrane --width 64",
    "rivers globe.terrane",
    "info globe.terrane",
    "generate --cells 8",
    "recipe",
    "nonsense",
];

/// A command line that may or may not make sense.
fn line(draw: &mut Draw) -> Vec<String> {
    let command = pick(draw, &COMMANDS);
    let mut words: Vec<String> = command.split(' ').map(Into::into).collect();
    let fitting = match words[0].as_str() {
        "region" => "a.tif",
        "map" => "a.png",
        "rivers" => "a.geojson",
        "generate" => "a.terrane",
        _ => "",
    };
    if !fitting.is_empty() && draw.below(8) > 0 {
        let name = if draw.below(2) == 0 { fitting } else { pick(draw, &FILES) };
        words.extend(["-o".into(), name.into()]);
    }
    let options: &[Option] = match words[0].as_str() {
        // most of what follows is looked at only where there is a place, and one
        "region" if draw.below(4) > 0 => {
            words.extend(["--at", "20,20", "--span", "300", "--resolution", "30000"].map(String::from));
            &REGION[PLACES..]
        }
        "region" => &REGION,
        _ => &OTHERS,
    };
    for _ in 0..draw.below(3) {
        let (name, values) = options[draw.below(options.len() as u32) as usize];
        let value = if draw.below(4) == 0 { pick(draw, &ODD) } else { pick(draw, values) };
        words.push(format!("{name}={value}"));
    }
    if draw.below(5) == 0 {
        words.push(pick(draw, &FLAGS).into());
    }
    if draw.below(10) == 0 {
        let at = draw.below(words.len() as u32 + 1) as usize;
        words.insert(at, pick(draw, &ODD).into());
    }
    words
}

#[test]
fn random_command_lines() {
    const LINES: usize = 250;
    let desk = Desk::with_globe();
    let mut seen = [0; 3];
    for number in 0..cases(LINES) {
        let words = line(&mut draws(number));
        let mut command = desk.command();
        command.args(&words);
        let (status, _) = ends_well(command, &format!("{words:?}"));
        seen[status as usize] += 1;
    }
    assert!(seen[0] > LINES / 20 && seen[2] > LINES / 4, "too plain or too odd: {seen:?}");
}

/// A text with something done to it.
fn mutated(text: &str, draw: &mut Draw) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + draw.below(4) {
        let at = draw.below(bytes.len().max(1) as u32) as usize;
        let until = (at + 1 + draw.below(30) as usize).min(bytes.len());
        match draw.below(7) {
            0 if at < bytes.len() => bytes[at] = draw.below(256) as u8,
            1 => drop(bytes.drain(at.min(until)..until)),
            2 => bytes.truncate(at),
            3 => {
                let copy = bytes[at.min(until)..until].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => {
                let odd = [
                    "1e400",
                    "-1",
                    "nan",
                    "[[[[",
                    "{{{{",
                    "\"",
                    "null",
                    "99999999999999999999",
                    "\u{0}",
                    "= =",
                    "[1e308,-1e308]",
                    "0.1e-320",
                    "[[]]",
                    "true",
                    "\\u0000",
                    "#",
                    "'''",
                ];
                let word = pick(draw, &odd).as_bytes().to_vec();
                bytes.splice(at..at, word);
            }
            5 => {
                // another number in the place of one
                let digit =
                    bytes.iter().enumerate().skip(at).find(|(_, b)| b.is_ascii_digit()).map(|(i, _)| i);
                let Some(from) = digit else { continue };
                let length = bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
                let number = pick(draw, &ODD).as_bytes().to_vec();
                bytes.splice(from..from + length, number);
            }
            _ => bytes.splice(at..at, b"[".repeat(1 + draw.below(3000) as usize)).for_each(drop),
        }
    }
    bytes
}

/// Recipes are read back as they were written, or refused with a reason for each error.
#[test]
fn random_recipes_as_texts() {
    const TEXTS: usize = 4000;
    let mut good = 0;
    for number in 0..cases(TEXTS) {
        let mut draw = draws(100_000 + number);
        let preset = PRESETS[draw.below(PRESETS.len() as u32) as usize].0;
        let text = Recipe::preset(preset).expect("built in").to_toml();
        let Ok(text) = String::from_utf8(mutated(&text, &mut draw)) else { continue };
        match Recipe::parse(&text) {
            Ok(recipe) => {
                good += 1;
                assert_eq!(
                    Recipe::parse(&recipe.to_toml()).ok().as_ref(),
                    Some(&recipe),
                    "text {number}:\n{text}"
                );
                let _ = recipe.topology();
            }
            Err(errors) => {
                assert!(!errors.0.is_empty(), "text {number}");
                assert!(errors.0.iter().all(|e| e.to_string().len() > 8), "text {number}: {errors:?}");
            }
        }
    }
    assert!(good > TEXTS / 50, "only {good} made sense");
}

/// GeoJSON of polygons and of ridge lines, damaged.
#[test]
fn random_geojson() {
    const TEXTS: usize = 60;
    let desk = Desk::with_globe();
    desk.does("region globe.terrane -o dem.tif --at 20,20 --span 300 --resolution 6000 --quiet");
    let polygons = r#"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":{"type":"MultiPolygon",
        "coordinates":[[[[20,20],[26,20],[20,26],[20,20]],[[21,21],[22,21],[21,22],[21,21]]],[[[170,0],[-170,0],[180,10],[170,0]]]]}}]}"#;
    let lines = r#"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":{"type":"LineString",
        "coordinates":[[0,0],[20000,30000,5],[90000,-40000]]}},{"type":"Feature","properties":null,"geometry":null}]}"#;
    let mut seen = [0; 3];
    for number in 0..cases(TEXTS) {
        let mut draw = draws(200_000 + number);
        let (text, line) = match number % 2 {
            0 => (polygons, "region globe.terrane -o a.tif --polygon a.geojson --resolution 200000 --quiet"),
            _ => (lines, "import dem.tif -o i.terrane --ridge-lines a.geojson --quiet"),
        };
        let text = mutated(text, &mut draw);
        desk.put("a.geojson", &text);
        let mut command = desk.command();
        command.args(line.split_whitespace());
        let (status, _) = ends_well(command, &format!("{line}: {}", String::from_utf8_lossy(&text)));
        seen[status as usize] += 1;
    }
    assert!(seen[1] + seen[2] > TEXTS / 4, "hardly anything was refused: {seen:?}");
}
