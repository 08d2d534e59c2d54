//! The built program: a newcomer's first five minutes.

use crate::cli_support::{Desk, Said};

const PLACES: [&str; 5] = ["range", "coast", "mouth", "lake", "corner"];

fn pictures_are_there(desk: &Desk) {
    let (width, height, bits, _) = desk.png("first/look/map.png");
    assert_eq!((width, height, bits), (4096, 2048, 8));
    for place in PLACES {
        let (width, height, _, pixels) = desk.png(&format!("first/look/zoom-{place}.png"));
        assert!((800..=1000).contains(&width) && (800..=1000).contains(&height), "{place} {width} {height}");
        let first = pixels[..4].to_vec();
        let others = pixels.chunks_exact(4).filter(|p| *p != first).count();
        assert!(others > pixels.len() / 16, "{place} is blank");
    }
    let files = std::fs::read_dir(desk.path("first/look")).unwrap().count();
    assert_eq!(files, 2 + PLACES.len(), "a world, a map and five zooms, nothing else");
}

fn ten_rivers_are_listed(desk: &Desk, said: &Said) {
    let rows: Vec<&str> = said
        .out
        .lines()
        .filter(|l| l.split_whitespace().next().is_some_and(|w| w.parse::<u8>().is_ok()))
        .collect();
    assert_eq!(rows.len(), 10, "{}", said.out);
    let table = desk.does("rivers first/look/world.terrane --top 10");
    assert_eq!(rows, table.lines().skip(2).collect::<Vec<_>>());
}

fn what_it_wrote_is_told(said: &Said) {
    for name in ["world.terrane", "map.png"]
        .map(String::from)
        .into_iter()
        .chain(PLACES.map(|p| format!("zoom-{p}.png")))
    {
        assert!(said.err.contains(&format!("first/look/{name}")), "{name} in\n{}", said.err);
    }
}

#[test]
fn a_folder_with_other_things_in_it_is_left_alone() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("mine")).unwrap();
    for name in ["world.terrane", "notes.txt"] {
        std::fs::write(desk.path(&format!("mine/{name}")), "precious").unwrap();
        let said = desk.refused("demo mine --cells 16", 2);
        assert!(said.contains(name), "{said}");
        assert_eq!(desk.bytes(&format!("mine/{name}")), b"precious");
    }
}

/// Runs the commands that the demo ends with; worlds and maps of full size would take too long here.
fn what_it_suggests_works(desk: &Desk, said: &Said) {
    let suggested: Vec<&str> = said.err.lines().filter_map(|l| l.strip_prefix("  terrane ")).collect();
    for command in ["region", "map", "rivers", "info", "generate", "--help"] {
        assert!(suggested.iter().any(|line| line.starts_with(command)), "{command} in\n{}", said.err);
    }
    let world = desk.bytes("first/look/world.terrane");
    let mut zoomed = 0;
    for line in suggested {
        let before = desk.inventory().len();
        match line.split_whitespace().next().unwrap() {
            "map" => desk.does(&format!("{line} --width 256")),
            "generate" => desk.does(&format!("{line} --cells 16")),
            _ => desk.does(line),
        };
        let written = line.split_whitespace().skip_while(|w| *w != "-o").nth(1);
        if let Some(name) = written {
            assert!(desk.path(name).is_file(), "{line}");
            zoomed += usize::from(line.starts_with("region"));
        }
        assert!(desk.inventory().len() <= before + 1, "{line} writes one file");
    }
    assert!(zoomed > 0);
    assert!(desk.bytes("first/look/world.terrane") == world, "looking changes no world");
}

#[test]
fn a_newcomer_sees_a_world_in_one_command() {
    let desk = Desk::new();
    let said = desk.run("demo first/look --cells 48 --seed 7".split_whitespace());
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(desk.info("first/look/world.terrane")["seed"], 7);
    pictures_are_there(&desk);
    ten_rivers_are_listed(&desk, &said);
    what_it_wrote_is_told(&said);
    what_it_suggests_works(&desk, &said);
}

#[test]
fn a_file_is_no_folder_for_it() {
    let desk = Desk::new();
    desk.put("file", "of mine");
    assert!(desk.refused("demo file --cells 8", 1).contains("file"));
    assert!(desk.refused("demo file/in --cells 8", 1).contains("file/in"));
    assert_eq!(desk.bytes("file"), b"of mine");
}
