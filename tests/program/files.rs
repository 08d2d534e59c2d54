//! The built program against files that are damaged, missing, in the way or full: one clear line, status 1 or 2, and
//! nothing changed on disk. [`Desk::refused`] holds it to that.

use crate::cli_support::Desk;
use grid::{Nth, Purpose, Seed};

/// A command of each kind that reads a world, without the world.
fn readers(world: &str) -> [String; 5] {
    [
        format!("info {world}"),
        format!("map {world} -o out.png --width 64"),
        format!("region {world} -o out.tif --bbox=-180,-90,180,90 --resolution 300000"),
        format!("rivers {world}"),
        format!("rivers {world} -o out.geojson"),
    ]
}

#[test]
fn files_that_are_no_worlds() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("folder")).unwrap();
    desk.put("empty.terrane", "");
    desk.put("text.terrane", "hello\n".repeat(100));
    desk.put("zeros.terrane", [0_u8; 5000]);
    for (name, why) in [
        ("nowhere.terrane", "No such file"),
        ("folder", "it is a folder"),
        ("empty.terrane", "it is empty"),
        ("text.terrane", "not a world file"),
        ("zeros.terrane", "not a world file"),
        ("text.terrane/in", "text.terrane/in"),
    ] {
        for line in readers(name) {
            let said = desk.refused(&line, 1);
            assert!(said.contains(why) && said.contains(name), "{line}: {said}");
        }
    }
}

#[test]
fn worlds_that_are_cut_short() {
    let desk = Desk::with_globe();
    let whole = desk.bytes("globe.terrane");
    for length in [1, 7, 8, 40, 64, 1000, 20_000, whole.len() / 2, whole.len() - 1] {
        desk.put("short.terrane", &whole[..length]);
        for line in readers("short.terrane") {
            let said = desk.refused(&line, 1);
            assert!(said.contains("short.terrane"), "{length} bytes: {said}");
        }
    }
    let mut longer = whole;
    longer.extend([0; 9]);
    desk.put("short.terrane", longer);
    for line in readers("short.terrane") {
        let said = desk.run(line.split_whitespace());
        assert!(matches!(said.status, Some(0 | 1)), "{line}: {said:?}");
    }
}

#[test]
fn worlds_damaged_at_random() {
    let desk = Desk::new();
    desk.does("generate --cells 16 -o whole.terrane");
    let whole = desk.bytes("whole.terrane");
    let lines = readers("broken.terrane");
    let sound: Vec<_> =
        readers("whole.terrane").iter().map(|line| desk.run(line.split_whitespace()).out).collect();
    let key = Seed(1).key(Purpose::new("cli/damage"));
    let mut refused = 0;
    for k in 0..60 {
        let mut draw = key.at(Nth(k));
        let mut bytes = whole.clone();
        for _ in 0..1 + draw.below(3) {
            let at = draw.below(bytes.len() as u32) as usize;
            bytes[at] ^= 1 << draw.below(8);
        }
        desk.put("broken.terrane", bytes);
        for (line, sound) in lines.iter().zip(&sound) {
            let said = desk.run(line.split_whitespace());
            match said.status {
                Some(0) => assert_eq!(&said.out, sound, "what is read is what was written"),
                Some(1) => {
                    assert!(said.err.starts_with("terrane: ") && said.err.lines().count() == 1, "{said:?}");
                    refused += 1;
                }
                _ => panic!("{line}: {said:?}"),
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// What no other command reads is read on demand.
#[test]
fn a_check_finds_every_damage() {
    let desk = Desk::new();
    desk.does("generate --cells 16 -o whole.terrane");
    assert!(desk.run(["info", "whole.terrane", "--check"]).err.contains("every byte"));
    let whole = desk.bytes("whole.terrane");
    let key = Seed(2).key(Purpose::new("cli/check"));
    for k in 0..60 {
        let mut draw = key.at(Nth(k));
        let mut bytes = whole.clone();
        let at = draw.below(bytes.len() as u32) as usize;
        bytes[at] ^= 1 << draw.below(8);
        desk.put("broken.terrane", bytes);
        let said = desk.run(["info", "broken.terrane", "--check"]);
        assert_eq!(said.status, Some(1), "byte {at}: {said:?}");
        assert!(said.err.contains("broken.terrane"), "{said:?}");
    }
}

#[test]
fn endings_folders_and_names_of_outputs() {
    let desk = Desk::with_globe();
    for name in ["folder.png", "folder.geojson"] {
        std::fs::create_dir(desk.path(name)).unwrap();
    }
    let outputs = [
        ("map globe.terrane --width 64 -o", [("map.jpg", ".png"), ("map", ".png")]),
        (
            "region globe.terrane --at 0,0 --span 900 --resolution 30000 -o",
            [("box.jpg", ".tif, .zarr, .png"), (".tif", ".tif, .zarr, .png")],
        ),
        ("rivers globe.terrane -o", [("r.txt", ".geojson"), ("r.csv", ".gpkg")]),
    ];
    for (line, wrong) in outputs {
        for (name, right) in wrong {
            let said = desk.refused(&format!("{line} {name}"), 2);
            assert!(said.contains(name) && said.contains(right), "{said}");
        }
    }
    for line in [
        "map globe.terrane --width 64 -o nowhere/out.png",
        "region globe.terrane --at 0,0 --span 900 --resolution 30000 -o nowhere/out.tif",
        "rivers globe.terrane -o nowhere/out.geojson",
        "generate --cells 8 -o nowhere/out.terrane",
    ] {
        assert!(desk.refused(line, 2).contains("nowhere"), "{line}");
    }
    for line in [
        "map globe.terrane --width 64 -o folder.png",
        "region globe.terrane --at 0,0 --span 900 --resolution 30000 -o folder.png",
        "rivers globe.terrane -o folder.geojson",
        "generate --cells 8 -o folder.png",
    ] {
        assert!(desk.refused(line, 2).contains("is a folder"), "{line}");
    }
}

#[test]
fn outputs_that_would_destroy_their_input() {
    let desk = Desk::with_globe();
    let world = desk.bytes("globe.terrane");
    for name in ["w.png", "w.tif", "w.r32.json", "w.geojson"] {
        desk.put(name, &world);
    }
    for line in [
        "map w.png -o w.png --width 64",
        "map w.png -o ./w.png --width 64",
        "region w.tif -o w.tif --at 0,0 --span 900 --resolution 30000",
        "region w.r32.json -o w.r32 --at 0,0 --span 900 --resolution 30000",
        "rivers w.geojson -o w.geojson",
    ] {
        assert!(desk.refused(line, 2).contains("would replace"), "{line}");
    }
    desk.put("my.toml", "seed = 4\n");
    assert!(desk.refused("generate --cells 8 --recipe my.toml -o my.toml", 2).contains("would replace"));
}

#[cfg(unix)]
#[test]
fn links_to_the_input_and_things_that_are_no_files() {
    let desk = Desk::with_globe();
    std::os::unix::fs::symlink(desk.path("globe.terrane"), desk.path("link.png")).unwrap();
    assert!(desk.refused("map globe.terrane -o link.png --width 64", 2).contains("would replace"));
    let _socket = std::os::unix::net::UnixListener::bind(desk.path("socket.png")).unwrap();
    assert!(desk.refused("map globe.terrane -o socket.png --width 64", 2).contains("not a regular file"));
    assert!(desk.refused("generate --cells 8 -o socket.png", 2).contains("not a regular file"));
    for line in readers("socket.png") {
        assert!(desk.refused(&line, 1).contains("not a regular file"), "{line}");
    }
}

#[test]
fn worlds_end_in_their_own_ending() {
    let desk = Desk::with_globe();
    for line in ["generate --cells 8 -o x.tif", "import none.tif -o x.tif"] {
        let said = desk.refused(line, 2);
        assert!(said.contains("a world ends in .terrane, as x.terrane does"), "{said}");
    }
}

/// The name that was asked for, not that of the file that was to become it.
#[cfg(target_os = "linux")]
#[test]
fn names_of_temporaries_are_not_shown() {
    let desk = Desk::with_globe();
    for (line, name) in [
        ("region globe.terrane --at 0,0 --span 900 --resolution 30000 -o /proc/x.tif", "/proc/x.tif"),
        ("region globe.terrane --at 0,0 --span 900 --resolution 30000 -o /proc/x.zarr", "/proc/x.zarr"),
        ("generate --cells 8 -o /proc/x.terrane", "/proc/x.terrane"),
    ] {
        let said = desk.refused(line, 1);
        assert!(said.contains(name) && !said.contains("/proc/."), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn folders_that_cannot_be_written_to() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with_globe();
    std::fs::create_dir(desk.path("closed")).unwrap();
    std::fs::set_permissions(desk.path("closed"), std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(desk.path("closed/probe"), "").is_ok() {
        return; // root may write everywhere
    }
    for line in [
        "map globe.terrane --width 64 -o closed/out.png",
        "region globe.terrane --at 0,0 --span 900 --resolution 30000 -o closed/out.tif",
        "rivers globe.terrane -o closed/out.geojson",
        "generate --cells 8 -o closed/out.terrane",
        "demo closed/in --cells 8",
    ] {
        assert!(desk.refused(line, 1).contains("ermission denied"), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::with_globe();
    let odd = OsStr::from_bytes(b"w\xff.terrane");
    std::fs::copy(desk.path("globe.terrane"), desk.path("").join(odd)).unwrap();
    assert!(desk.run([OsStr::new("info"), odd]).out.contains("digest"));
    for (args, name) in [
        (&["map", "globe.terrane", "--width", "64", "-o"][..], &b"m\xff.png"[..]),
        (&["rivers", "globe.terrane", "-o"], b"r\xff.geojson"),
        (
            &["region", "globe.terrane", "--at", "0,0", "--span", "900", "--resolution", "30000", "-o"],
            b"h\xff.r32",
        ),
        (&["generate", "--cells", "8", "-o"], b"g\xff.terrane"),
    ] {
        let name = OsStr::from_bytes(name);
        let said = desk.run(args.iter().map(OsStr::new).chain([name]));
        assert_eq!(said.status, Some(0), "{said:?}");
        assert!(desk.path("").join(name).is_file());
    }
    desk.refuses([OsStr::new("info"), OsStr::from_bytes(b"no\xff.terrane")], 1);
    desk.refuses([OsStr::new("generate"), OsStr::new("--recipe"), OsStr::from_bytes(b"no\xff.toml")], 2);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;
    let desk = Desk::with_globe();
    for line in [
        "recipe",
        "rivers globe.terrane --top 100000",
        "rivers globe.terrane --json --top 100000",
        "--help",
        "completions bash",
    ] {
        let mut command = desk.command();
        command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut first = String::new();
        let mut out = BufReader::with_capacity(64, child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        drop(out);
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""), "{line}");
        assert!(first.len() > 1, "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output() {
    let desk = Desk::with_globe();
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for line in [
        "info globe.terrane",
        "info globe.terrane --json",
        "rivers globe.terrane",
        "recipe",
        "recipe --list",
        "--help",
        "--version",
        "completions bash",
    ] {
        let output = desk.command().args(line.split_whitespace()).stdout(full()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(
            said.lines().count() == 1 && said.starts_with("terrane: writing to standard output"),
            "{said}"
        );
    }
    // nobody hears its messages, but the work is done and the status is right
    for (line, status) in [("generate --cells 8 -o out.terrane", 0), ("info nowhere", 1), ("fly", 2)] {
        let status_seen =
            desk.command().args(line.split_whitespace()).stderr(full()).status().unwrap().code();
        assert_eq!(status_seen, Some(status), "{line}");
    }
    assert_eq!(desk.info("out.terrane")["cells"], 8);
}
