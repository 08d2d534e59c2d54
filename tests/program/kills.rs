//! The built program, killed at random moments: what stood under a name stands there whole or is replaced whole, no litter
//! gathers, and a long export goes on to the bits of an unbroken run.
//!
//! Sixteen kills each time; `TERRANE_LONG=17` makes it 272.
#![cfg(unix)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test with a clock, whose long version says what it did"
)]

use crate::cases::cases;
use crate::cli_support::Desk;
use grid::{Draw, Nth, Purpose, Seed};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const KILLS: Purpose = Purpose::new("cli/kills");
/// Kills of each command in the ordinary tests.
const EACH: usize = 4;

/// How a run ended.
#[derive(PartialEq, Eq)]
enum End {
    Killed,
    Done,
}

/// Runs a command line and kills it after some time, unless it is done before.
fn run_for(desk: &Desk, line: &str, time: Duration) -> End {
    let mut command = desk.command();
    command.args(line.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    std::thread::sleep(time);
    child.kill().expect("it is killed, or was done");
    match child.wait().expect("it ended").code() {
        None => End::Killed,
        Some(status) => {
            assert_eq!(status, 0, "terrane {line}");
            End::Done
        }
    }
}

/// A moment within a run that takes so long unbroken; now and then a little after.
fn moment(draw: &mut Draw, whole: Duration) -> Duration {
    whole.mul_f64(f64::from(draw.below(1100)) / 1000.0)
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// All bytes under a name: of a folder those of its files, with their paths.
fn tree(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(at) = open.pop() {
        if at.is_dir() {
            open.extend(std::fs::read_dir(&at).expect("readable").map(|e| e.expect("readable").path()));
        } else if at.exists() {
            let name = at.strip_prefix(path).expect("it is below").to_string_lossy().into_owned();
            found.insert(name, std::fs::read(&at).expect("readable"));
        }
    }
    found
}

/// Names on the desk that begin with a dot: what a killed program left.
fn litter(desk: &Desk) -> Vec<String> {
    let names =
        desk.inventory().into_keys().filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()));
    names.filter(|name| name.starts_with('.')).collect()
}

/// Kills `line`, which replaces `names`, again and again: each of them holds what it did or what it shall, at any time.
fn replaced_whole(desk: &Desk, (first, second): (&str, &str), names: &[&str], number: u32) {
    let both = [first, second];
    desk.does(second);
    let fresh: Vec<_> = names.iter().map(|name| tree(&desk.path(name))).collect();
    let mut whole = timed(|| drop(desk.does(first)));
    let stale: Vec<_> = names.iter().map(|name| tree(&desk.path(name))).collect();
    for (name, (a, b)) in names.iter().zip(fresh.iter().zip(&stale)) {
        assert!(a != b && !a.is_empty(), "{name}: the two runs must differ, or nothing is seen");
    }
    let mut draw = Seed(5).key(KILLS).at(Nth(number));
    let (mut broken, mut kills, mut runs) = (0, 0, 0);
    while kills < cases(EACH) {
        let line = both[runs % 2];
        let end = run_for(desk, line, moment(&mut draw, whole));
        runs += 1;
        match end {
            End::Killed => kills += 1,
            // the machine has become faster: who is done cannot be killed
            End::Done => whole = whole * 4 / 5,
        }
        for (name, (a, b)) in names.iter().zip(fresh.iter().zip(&stale)) {
            let now = tree(&desk.path(name));
            assert!(
                now == *a || now == *b,
                "{name} is neither the old nor the new after kill {kills} of {line}"
            );
        }
        let left = litter(desk);
        broken += usize::from(!left.is_empty());
        assert!(left.len() <= names.len(), "more than one for each output: {left:?}");
    }
    desk.does(second);
    assert!(litter(desk).is_empty(), "who writes next cleans up: {:?}", litter(desk));
    if cases(1) > 1 {
        println!("{number}: {kills} kills, {broken} times something was left beside the outputs");
    }
}

#[test]
fn generate_killed() {
    let desk = Desk::new();
    let line = "generate -o w.terrane --cells 40 --seed";
    replaced_whole(&desk, (&format!("{line} 1"), &format!("{line} 2")), &["w.terrane"], 1);
}

#[test]
fn region_killed() {
    let desk = Desk::with_globe();
    let line = "region globe.terrane -o a.tif -o a.r32 -o a.zarr -o a.png -o a.gpkg --layers elevation,rivers --bbox";
    let lines = ["-30,-40,40,30", "-10,-20,30,15"].map(|place| format!("{line}={place} --resolution 20000"));
    let names = ["a.tif", "a.r32", "a.r32.json", "a.zarr", "a.png", "a.gpkg"];
    replaced_whole(&desk, (&lines[0], &lines[1]), &names, 2);
}

#[test]
fn resumed_export_killed() {
    let desk = Desk::with_globe();
    let area = "--bbox 20,10,75,38 --resolution 2900 --method classic --layers elevation,land_cover";
    let outputs =
        |stem: &str| format!("region globe.terrane -o {stem}.tif -o {stem}.zarr -o {stem}.r32 {area}");
    let mut time = timed(|| drop(desk.does(&outputs("whole")))) / 2;
    let names = ["tif", "zarr", "r32", "r32.json"];
    let whole = names.map(|ending| tree(&desk.path(&format!("whole.{ending}"))));
    let (line, mut draw) = (format!("{} --resume", outputs("box")), Seed(5).key(KILLS).at(Nth(3)));
    let (mut kills, mut ends) = (0, 0);
    while kills < cases(EACH) || ends == 0 {
        // an unbroken run is likely only after some kills, however fast the machine has become
        let end = run_for(&desk, &line, moment(&mut draw, time));
        match end {
            End::Killed => (kills, time) = (kills + 1, time * 9 / 8),
            End::Done => (ends, time) = (ends + 1, time / 2),
        }
        for (ending, whole) in names.iter().zip(&whole) {
            let now = tree(&desk.path(&format!("box.{ending}")));
            let absent = now.is_empty() && end == End::Killed;
            assert!(absent || now == *whole, "box.{ending} differs after {kills} kills");
        }
        assert!(litter(&desk).len() <= names.len(), "{:?}", litter(&desk));
        if end == End::Done {
            assert!(!desk.path("box.tif.part").exists() && litter(&desk).is_empty(), "{:?}", litter(&desk));
            for ending in ["tif", "r32", "r32.json"] {
                std::fs::remove_file(desk.path(&format!("box.{ending}"))).expect("there");
            }
            std::fs::remove_dir_all(desk.path("box.zarr")).expect("there");
        }
    }
    if cases(1) > 1 {
        println!("3: {kills} kills, {ends} exports came to their end");
    }
}

#[test]
fn refined_store_killed() {
    let desk = Desk::with_globe();
    let line = |name: &str| {
        let area = "--bbox 20,10,75,38 --resolution 2900 --method classic --layers elevation,land_cover";
        format!("refine globe.terrane --out {name} {area} --side 512 --overviews")
    };
    let mut time = timed(|| drop(desk.does(&line("whole.zarr")))) / 2;
    let whole = tree(&desk.path("whole.zarr"));
    let mut draw = Seed(5).key(KILLS).at(Nth(4));
    let (mut kills, mut ends) = (0, 0);
    while kills < cases(EACH) || ends == 0 {
        let end = run_for(&desk, &line("a.zarr"), moment(&mut draw, time));
        let now = tree(&desk.path("a.zarr"));
        let is_temporary =
            |name: &str| Path::new(name).file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        for (name, bytes) in now.iter().filter(|(name, _)| !is_temporary(name)) {
            // the store's own text changes when the overviews are there
            assert!(name == "zarr.json" || whole[name] == *bytes, "{name} differs after {kills} kills");
        }
        match end {
            End::Killed => (kills, time) = (kills + 1, time * 9 / 8),
            End::Done => {
                (ends, time) = (ends + 1, time / 2);
                let whole_names: Vec<_> = whole.keys().collect();
                let names: Vec<_> = now.keys().filter(|name| !is_temporary(name)).collect();
                assert_eq!(names, whole_names);
                assert!(now["zarr.json"] == whole["zarr.json"]);
                std::fs::remove_dir_all(desk.path("a.zarr")).expect("there");
            }
        }
    }
    if cases(1) > 1 {
        println!("4: {kills} kills, {ends} stores came to their end");
    }
}
