//! A process that is killed while it writes leaves the old file or the new one, whole.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

mod common;

use common::{World, assert_same, read_everything};
use grid::{Nth, Purpose, Seed, Shape};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PATH: &str = "STORE_TEST_CRASH_PATH";
const KILLS: u32 = 25;

fn worlds() -> [World; 2] {
    [1, 2].map(|number| World::random(number, Shape { faces: 6, rows: 120, cols: 120 }))
}

/// Not a test by itself: what the test below starts and kills.
#[test]
fn writes_until_it_is_killed() {
    let Ok(path) = std::env::var(PATH) else { return };
    let worlds = worlds();
    println!("\nwriting");
    loop {
        for world in &worlds {
            world.write(Path::new(&path));
        }
    }
}

#[test]
fn a_killed_writer_leaves_a_whole_file() {
    const DELAY: Purpose = Purpose::new("test/crash");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let worlds = worlds();
    let mut found = [0; 2];
    let mut struck = 0;
    worlds[1].write(&path);
    for kill in 0..KILLS {
        let delay_us = Seed(3).key(DELAY).at(Nth(kill)).below(60_000);
        write_and_kill(&path, Duration::from_micros(delay_us.into()));
        struck += usize::from(std::fs::read_dir(folder.path()).unwrap().count() > 1);
        let now = read_everything(&path).unwrap();
        let which = usize::from(now.meta != worlds[0].meta);
        assert_same(&now, &worlds[which]);
        found[which] += 1;
    }
    let left: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    // of all kills that struck while a file was being written the last one's temporary is left
    assert!(left.len() <= 2, "what is left grows: {left:?}");
    assert!(struck > 0, "no kill struck in the middle of writing");
    worlds[0].write(&path);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "who writes next cleans up");
    assert_eq!(found.iter().sum::<u32>(), KILLS);
}

fn write_and_kill(path: &Path, delay: Duration) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writes_until_it_is_killed", "--nocapture"])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "writing"));
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
}
