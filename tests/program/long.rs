//! The built program: long exports go on after they were killed, and end in the same bits.

use crate::cli_support::Desk;
use std::process::Stdio;
use std::time::Duration;

/// Six blocks of samples, of which two are large: the second is at work for a while after the first is there.
const AREA: &str = "--bbox 20,-10,48.5,45 --resolution 2900 --method classic --layers elevation,land_cover";

/// Where the whole blocks of an unfinished export begin, and where the last of them ends: after a head of 20 bytes, whose bytes 8
/// to 15 are the length of the text that follows, come records with a head of 24, whose bytes 8 to 15 are the length of theirs.
fn whole_blocks(part: &[u8]) -> Vec<usize> {
    let length = |at: usize| {
        let word = part.get(at + 8..at + 16)?;
        Some(u64::from_le_bytes(word.try_into().ok()?) as usize)
    };
    let first = length(0).map(|text| 20 + text);
    let after = |&at: &usize| length(at).map(|bytes| at + 24 + bytes);
    std::iter::successors(first, after).take_while(|&at| at <= part.len()).collect()
}

/// Starts an export and kills it when one more of its blocks is there.
fn killed(desk: &Desk, line: &str, part: &str) {
    let blocks = || whole_blocks(&std::fs::read(desk.path(part)).unwrap_or_default()).len().saturating_sub(1);
    let before = blocks();
    let mut command = desk.command();
    let mut child = command.args(line.split_whitespace()).stderr(Stdio::null()).spawn().expect("it starts");
    while blocks() <= before {
        assert!(child.try_wait().expect("it runs").is_none(), "it ended before it was killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
}

#[test]
fn a_killed_export_goes_on_to_the_same_bits() {
    let desk = Desk::with_globe();
    desk.does(&format!("region globe.terrane -o whole.tif -o whole.r32 {AREA}"));
    for name in ["whole.tif.part", "whole.r32.part"] {
        assert!(!desk.path(name).exists(), "{name}");
    }
    let line = format!("region globe.terrane -o box.tif -o box.r32 {AREA}");
    let resumed = format!("{line} --resume --threads 1");
    killed(&desk, &resumed, "box.tif.part");
    assert!(!desk.path("box.tif").exists() && !desk.path("box.r32").exists());
    // as if it had been killed in the middle of the second block, whenever it was; and killed once more
    let mut part = desk.bytes("box.tif.part");
    let [first, second, ..] = whole_blocks(&part)[..] else { panic!("a block is there") };
    part.truncate(second);
    part.extend_from_within(first..(first + second) / 2);
    desk.put("box.tif.part", part);
    killed(&desk, &resumed, "box.tif.part");
    assert!(!desk.path("box.tif").exists() && !desk.path("box.r32").exists());

    // without being told to, it goes on with nothing; and what is another export is not continued at all
    let said = desk.refused(&line, 2);
    assert!(said.contains("box.tif.part") && said.contains("--resume"), "{said}");
    for (change, name) in [
        ("--bbox 20,-10,48.5,45", "--bbox 20,-10,48.5,44"),
        ("--resolution 2900", "--resolution 2901"),
        ("elevation,land_cover", "elevation,rain"),
        ("--method classic", "--method drainage"),
        ("globe.terrane", "globe.terrane --no-texture"),
    ] {
        let other = format!("{line} --resume").replace(change, name);
        let said = desk.refused(&other, 2);
        assert!(said.contains("box.tif.part") && said.contains("another export"), "{said}");
    }
    desk.does("generate -o other.terrane --cells 32 --seed 7 --quiet");
    let said = desk.refused(&format!("{line} --resume").replace("globe.terrane", "other.terrane"), 2);
    assert!(said.contains("world"), "{said}");

    desk.does(&format!("{line} --resume"));
    assert!(desk.bytes("box.tif") == desk.bytes("whole.tif"), "the same GeoTIFF");
    assert!(desk.bytes("box.r32") == desk.bytes("whole.r32"), "the same numbers");
    assert!(!desk.path("box.tif.part").exists());
}

/// Regions made in blocks are those made at once.
#[test]
fn blocks_and_windows_agree() {
    let desk = Desk::with_globe();
    for (layers, area) in [
        ("elevation,flow_direction,basin,discharge", "--bbox 30,20,34,22.5 --resolution 400"),
        ("elevation,rain", "--at 45,35 --span 640,450 --resolution 600"),
    ] {
        let line = format!("{area} --layers {layers}");
        desk.does(&format!("region globe.terrane -o once.r32 -o once.tif {line}"));
        desk.does(&format!("region globe.terrane -o blocks.r32 -o blocks.tif {line} --resume"));
        assert!(desk.bytes("once.r32") == desk.bytes("blocks.r32"), "{line}");
        assert!(desk.bytes("once.tif") == desk.bytes("blocks.tif"), "{line}");
        let [a, b] = ["once.r32.json", "blocks.r32.json"].map(|name| desk.json(name));
        assert_eq!(a, b, "{line}");
    }
}

#[test]
fn an_area_has_no_data_outside_in_blocks_too() {
    let desk = Desk::with_globe();
    let ring = "[[30,20],[36,20],[30,26],[30,20]]";
    desk.put("area.geojson", format!(r#"{{"type":"Polygon","coordinates":[{ring}]}}"#));
    let line = "--polygon area.geojson --resolution 600 --method classic";
    desk.does(&format!("region globe.terrane -o once.tif -o once.r32 -o once.geojson {line} --memory 8"));
    desk.does(&format!("region globe.terrane -o blocks.tif -o blocks.r32 {line} --resume"));
    let (a, b) = (desk.raw("once.r32"), desk.raw("blocks.r32"));
    assert!(a.iter().zip(&b).all(|(a, b)| a.to_bits() == b.to_bits()) && a.len() == b.len());
    let gaps = a.iter().filter(|v| v.is_nan()).count();
    assert!(gaps > a.len() / 3 && gaps < 2 * a.len() / 3, "{gaps} of {}", a.len());
    assert!(desk.bytes("once.tif") == desk.bytes("blocks.tif"));
}

#[test]
fn what_cannot_go_on_says_so() {
    let desk = Desk::with_globe();
    let said =
        desk.refused("region globe.terrane -o a.png --at 20,20 --span 100 --resolution 500 --resume", 2);
    assert!(said.contains("--resume") && said.contains(".tif"), "{said}");
    desk.put("a.tif.part", "something of mine");
    let said =
        desk.refused("region globe.terrane -o a.tif --at 20,20 --span 100 --resolution 500 --resume", 2);
    assert!(said.contains("a.tif.part") && said.contains("no unfinished export"), "{said}");
}
