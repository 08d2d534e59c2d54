//! The built program where a disk is full or too small, where a folder is closed to it, where files shrink while they are
//! read, or are folders or links in a circle: one clear line, status 1 or 2, and no half file.
#![cfg(unix)]

use crate::cli_support::{Desk, Said};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PLACE: &str = "--at 10,-20 --span 400 --resolution 1500";

/// A desk with a world and a raster made of it.
fn desk() -> Desk {
    let desk = Desk::with_globe();
    desk.does(&format!("region globe.terrane -o dem.tif {PLACE} --quiet"));
    desk
}

/// Commands of each kind that write, into a folder `to`.
fn writers(to: &str) -> Vec<String> {
    let region = |name: &str| format!("region globe.terrane -o {to}/{name} {PLACE} --quiet");
    let mut lines: Vec<String> = ["a.tif", "a.r32", "a.r16", "a.zarr", "a.png", "a.glb", "a.svg", "a.pdf"]
        .iter()
        .map(|n| region(n))
        .collect();
    lines.extend([
        format!("{} --layers rivers", region("a.gpkg")),
        format!("{} --layers ridges", region("a.geojson")),
        format!("{} --layers ridges", region("a.fgb")),
        format!("{} --style height", region("h.png")),
        format!("{} --resume", region("long.tif")),
        format!("region globe.terrane -o {to}/a.pmtiles --bbox 10,10,30,30 --max-zoom 3 --quiet"),
        format!("generate -o {to}/w.terrane --cells 24 --quiet"),
        format!("map globe.terrane -o {to}/map.png --width 512 --quiet"),
        format!("rivers globe.terrane -o {to}/r.geojson --quiet"),
        format!("hydro dem.tif -o {to}/water --quiet"),
        format!("import dem.tif -o {to}/i.terrane --quiet"),
        format!("demo {to}/demo --cells 16 --quiet"),
        format!("refine globe.terrane -o {to}/store.zarr --resolution 30000 --side 512 --quiet"),
    ]);
    lines
}

/// Holds a run to one line with one of some reasons, status 1 and no half file in a folder.
fn failed_well(said: &Said, (line, folder): (&str, &Path), reasons: &[&str]) {
    assert_eq!(said.status, Some(1), "{line}: {said:?}");
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines.len(), 1, "{line}: {lines:#?}");
    assert!(
        lines[0].starts_with("terrane: ") && reasons.iter().any(|why| lines[0].contains(why)),
        "{line}: {lines:?}"
    );
    for path in files(folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // of exports that go on later, and of commands that fill a folder, whole files stay
        let is_whole = name == "long.tif.part" || name == "a.pmtiles.part" || path.parent() != Some(folder);
        assert!(is_whole && !name.starts_with('.'), "{line} leaves {name}");
    }
}

/// All files in a folder and below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Runs a line through a shell that says something first.
fn through_shell(desk: &Desk, before: &str, line: &str) -> Said {
    let mut command = Command::new("sh");
    command.current_dir(desk.path("")).stdin(Stdio::null());
    command.arg("-c").arg(format!("{before}; exec \"$@\"")).arg("sh").arg(env!("CARGO_BIN_EXE_terrane"));
    let output = command.args(line.split_whitespace()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Files may have 8 or 16 KiB: whoever writes more is refused in the middle of it. A shell's `ulimit` needs no rights.
#[test]
fn files_that_may_not_grow() {
    let desk = desk();
    for line in writers("out") {
        std::fs::create_dir(desk.path("out")).unwrap();
        let said = through_shell(&desk, "trap '' XFSZ; ulimit -f 16", &line);
        if said.status == Some(0) {
            // what it writes is that small
            let largest = files(&desk.path("out")).iter().map(|p| p.metadata().unwrap().len()).max();
            assert!(largest < Some(16 * 1024), "{line}: {largest:?}");
        } else {
            failed_well(&said, (&line, &desk.path("out")), &["File too large", "full", "disk I/O error"]);
        }
        std::fs::remove_dir_all(desk.path("out")).unwrap();
    }
}

/// A small disk of its own, taken away when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mounted(at: PathBuf) -> Option<Self> {
        std::fs::create_dir(&at).unwrap();
        let options = ["-t", "tmpfs", "-o", "size=16k", "tmpfs"];
        let done = Command::new("mount").args(options).arg(&at).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success()).then_some(Self(at))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_is_full() {
    let desk = desk();
    let Some(disk) = SmallDisk::mounted(desk.path("disk")) else {
        println!("left out: only root may mount a small disk");
        return;
    };
    let mut refused = 0;
    for line in writers("disk") {
        let said = desk.run(line.split_whitespace());
        if said.status != Some(0) {
            refused += 1;
            failed_well(&said, (&line, &disk.0), &["No space left on device", "full"]);
        }
        for entry in std::fs::read_dir(&disk.0).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
        }
    }
    assert!(refused >= writers("").len() - 3, "{refused} writers met the end of the disk");
}

/// What runs the program as somebody without rights, where the tests have them.
fn as_nobody(desk: &Desk) -> Option<Vec<String>> {
    std::fs::create_dir(desk.path("probe")).unwrap();
    std::fs::set_permissions(desk.path("probe"), std::fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = std::fs::write(desk.path("probe/file"), "").is_ok();
    if !is_root {
        return Some(vec![env!("CARGO_BIN_EXE_terrane").into()]);
    }
    std::fs::copy(env!("CARGO_BIN_EXE_terrane"), desk.path("terrane")).unwrap();
    std::fs::set_permissions(desk.path(""), std::fs::Permissions::from_mode(0o777)).unwrap();
    let words =
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "./terrane"].map(String::from);
    let tried =
        Command::new(&words[0]).args(&words[1..]).arg("--version").current_dir(desk.path("")).output();
    tried.is_ok_and(|t| t.status.success()).then(|| words.to_vec())
}

#[test]
fn folders_and_files_that_are_closed() {
    let desk = desk();
    let Some(words) = as_nobody(&desk) else {
        println!("left out: nobody else to be");
        return;
    };
    let run = |line: &str| {
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .args(line.split_whitespace())
            .current_dir(desk.path(""))
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Said { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    };
    std::fs::create_dir(desk.path("closed")).unwrap();
    std::fs::set_permissions(desk.path("closed"), std::fs::Permissions::from_mode(0o555)).unwrap();
    for line in writers("closed") {
        failed_well(&run(&line), (&line, &desk.path("closed")), &["ermission denied"]);
    }
    for name in ["globe.terrane", "dem.tif"] {
        std::fs::set_permissions(desk.path(name), std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    desk.put("my.toml", "seed = 1\n");
    std::fs::set_permissions(desk.path("my.toml"), std::fs::Permissions::from_mode(0o000)).unwrap();
    std::fs::create_dir(desk.path("open")).unwrap();
    std::fs::set_permissions(desk.path("open"), std::fs::Permissions::from_mode(0o777)).unwrap();
    let readers =
        writers("open").into_iter().filter(|l| !l.starts_with("generate") && !l.starts_with("demo"));
    let more =
        ["info globe.terrane", "serve globe.terrane --port 0", "generate --recipe my.toml -o open/w.terrane"];
    for line in readers.chain(more.map(String::from)) {
        failed_well(&run(&line), (&line, &desk.path("open")), &["ermission denied"]);
    }
}

/// What reads `name` while it is cut to half its length after ever longer times either fails in a line or was done.
fn survives_cuts(desk: &Desk, name: &str, line: &str) {
    let whole = desk.bytes(name);
    let mut failed = 0;
    for ms in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256] {
        desk.put(name, &whole);
        let mut command = desk.command();
        command.args(line.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(ms));
        std::fs::File::options()
            .write(true)
            .open(desk.path(name))
            .unwrap()
            .set_len(whole.len() as u64 / 2)
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => {}
            Some(1 | 2) => {
                failed += 1;
                assert!(
                    said.starts_with("terrane: ") && said.lines().count() == 1,
                    "{line}, {ms} ms: {said}"
                );
                assert!(said.contains(name), "{line}, {ms} ms, without the file's name: {said}");
            }
            other => panic!("{line}, {ms} ms: {other:?} {said}"),
        }
    }
    desk.put(name, &whole);
    assert!(failed > 0, "{line}: no cut was seen");
}

#[test]
#[ignore = "slow"]
fn files_that_shrink_while_they_are_read() {
    let desk = desk();
    desk.does("region globe.terrane -o large.tif --at 10,-20 --span 3000 --resolution 2500 --method classic --quiet");
    desk.does(
        "region globe.terrane -o plain.png --at 10,-20 --span 400 --resolution 1500 --style height --quiet",
    );
    for (name, line) in [
        ("globe.terrane", "region globe.terrane -o a.tif --at 10,-20 --span 2000 --resolution 9000 --quiet"),
        ("globe.terrane", "map globe.terrane -o a.png --width 64 --quiet"),
        ("globe.terrane", "rivers globe.terrane -o a.geojson --quiet"),
        ("large.tif", "hydro large.tif -o water --quiet"),
        ("large.tif", "hydro large.tif -o banded --quiet --memory 0.1"),
        ("large.tif", "import large.tif -o i.terrane --quiet"),
        ("plain.png", "import plain.png -o i.terrane --range 0,4000 --pixel-size 1500 --quiet"),
    ] {
        survives_cuts(&desk, name, line);
    }
}

#[test]
fn folders_and_circles_of_links_as_inputs_and_outputs() {
    let desk = desk();
    std::fs::create_dir(desk.path("folder.tif")).unwrap();
    symlink(desk.path("b.tif"), desk.path("a.tif")).unwrap();
    symlink(desk.path("a.tif"), desk.path("b.tif")).unwrap();
    symlink(desk.path("loop"), desk.path("loop")).unwrap();
    desk.put("line.geojson", r#"{"type":"LineString","coordinates":[[1,1],[2,2]]}"#);
    for (name, why) in
        [("folder.tif", "folder"), ("a.tif", "symbolic links"), ("loop/in.tif", "symbolic links")]
    {
        for line in [
            format!("info {name}"),
            format!("map {name} -o out.png"),
            format!("region {name} -o out.tif {PLACE}"),
            format!("region globe.terrane -o out.tif --polygon {name} --resolution 500"),
            format!("rivers {name}"),
            format!("score {name}"),
            format!("serve {name} --port 0"),
            format!("hydro {name} -o out"),
            format!("import {name} -o out.terrane"),
            format!("import dem.tif -o out.terrane --ridge-lines {name}"),
            format!("import dem.tif -o out.terrane --land {name}"),
            format!("generate --recipe {name} -o out.terrane"),
        ] {
            let before = desk.inventory();
            let said = desk.run(line.split_whitespace());
            assert!(matches!(said.status, Some(1 | 2)), "{line}: {said:?}");
            assert_eq!(said.err.lines().count(), 1, "{line}: {said:?}");
            assert!(said.err.starts_with("terrane: ") && said.err.contains(name), "{line}: {said:?}");
            let about = said.err.to_lowercase();
            let is_clear =
                about.contains(why) || about.contains("director") || about.contains("no such file");
            assert!(is_clear || about.contains("there is no file"), "{line}: {said:?}");
            assert_eq!(desk.inventory(), before, "{line}");
        }
    }
    // as outputs: a circle is no place, and a folder none for a file
    for (line, why) in [
        (format!("region globe.terrane -o loop/out.tif {PLACE}"), "loop"),
        (format!("region globe.terrane -o folder.tif {PLACE}"), "is a folder"),
        ("generate --cells 8 -o loop/w.terrane".into(), "loop"),
        ("hydro dem.tif -o loop".into(), "loop"),
        ("demo loop --cells 8".into(), "loop"),
    ] {
        let said = desk.run(line.split_whitespace());
        assert!(matches!(said.status, Some(1 | 2)) && said.err.lines().count() == 1, "{line}: {said:?}");
        assert!(said.err.contains(why), "{line}: {said:?}");
    }
}
