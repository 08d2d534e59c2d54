//! The built program: a region as a store of shards, in parts, again, and with overviews. What readers see in it is compared by
//! other people's readers in `tests/readers`.

use crate::cli_support::Desk;
use std::collections::BTreeMap;
use std::path::Path;

/// 1157 x 889 samples in three by two shards, of land and sea.
const BOX: &str =
    "--bbox 20,10,72,50 --resolution 5000 --method classic --side 512 --layers elevation,land_cover";

/// All files of a store with what is in them.
pub fn store(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(at) = open.pop() {
        if at.is_dir() {
            open.extend(std::fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let name = at.strip_prefix(path).unwrap().to_string_lossy().into_owned();
            found.insert(name, std::fs::read(&at).unwrap());
        }
    }
    found
}

#[test]
fn parts_in_any_order_make_the_store_of_one_run() {
    let desk = Desk::with_globe();
    desk.does(&format!("refine globe.terrane --out whole.zarr {BOX}"));
    let whole = store(&desk.path("whole.zarr"));
    let shards = whole.keys().filter(|key| key.starts_with("elevation/c/")).count();
    assert_eq!(shards, 6, "{:?}", whole.keys());
    for (name, parts) in [("a.zarr", &["2/3", "0/3", "1/3", "1/3"][..]), ("b.zarr", &["6/7", "0/1"])] {
        for part in parts {
            desk.does(&format!("refine globe.terrane --out {name} {BOX} --shard {part} --threads 1"));
        }
        assert!(store(&desk.path(name)) == whole, "{name}");
    }
    // what is missing is made again, what is there is left alone
    let lost = desk.path("a.zarr/elevation/c/1/0");
    std::fs::remove_file(&lost).unwrap();
    std::fs::write(desk.path("a.zarr/elevation/c/0/0"), "mine").unwrap();
    desk.does(&format!("refine globe.terrane --out a.zarr {BOX}"));
    assert_eq!(desk.bytes("a.zarr/elevation/c/0/0"), b"mine");
    assert!(std::fs::read(lost).unwrap() == whole["elevation/c/1/0"]);
    desk.does(&format!("refine globe.terrane --out a.zarr {BOX} --overwrite"));
    assert!(store(&desk.path("a.zarr")) == whole);
}

#[test]
fn overviews_come_last_and_stay() {
    let desk = Desk::with_globe();
    desk.does(&format!("refine globe.terrane --out a.zarr {BOX} --shard 0/2"));
    desk.does(&format!("refine globe.terrane --out a.zarr {BOX} --overviews"));
    let whole = store(&desk.path("a.zarr"));
    for (level, width, height) in [(1, 579, 445), (2, 290, 223)] {
        let about = desk.json(&format!("a.zarr/{level}/elevation/zarr.json"));
        assert_eq!(about["shape"], serde_json::json!([height, width]), "level {level}");
    }
    assert!(!desk.path("a.zarr/3").exists());
    let about = desk.json("a.zarr/zarr.json");
    let layout = about["attributes"]["multiscales"]["layout"].as_array().unwrap();
    let assets: Vec<&str> = layout.iter().map(|a| a["asset"].as_str().unwrap()).collect();
    let of = |name: &str| vec![name.to_string(), format!("1/{name}"), format!("2/{name}")];
    assert_eq!(assets, [of("elevation"), of("land_cover")].concat());
    assert_eq!(layout[1]["resampling_method"], "average");
    assert_eq!(layout[4]["resampling_method"], "nearest");
    assert!(about["consolidated_metadata"]["metadata"]["2/elevation"].is_object());
    // to make it again changes nothing, with overviews or without
    desk.does(&format!("refine globe.terrane --out a.zarr {BOX} --overwrite"));
    desk.does(&format!("refine globe.terrane --out a.zarr {BOX} --overviews --overwrite"));
    assert!(store(&desk.path("a.zarr")) == whole);
    // a damaged shard is told
    std::fs::write(desk.path("a.zarr/elevation/c/0/1"), [0; 500]).unwrap();
    std::fs::remove_file(desk.path("a.zarr/1/elevation/c/0/0")).unwrap();
    let said = desk.refused(&format!("refine globe.terrane --out a.zarr {BOX} --overviews --quiet"), 1);
    assert!(said.contains("damaged") && said.contains("0/1") && said.contains("checksum"), "{said}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let desk = Desk::with_globe();
    let line =
        "refine globe.terrane --out a.zarr --bbox 20,10,30,20 --resolution 9000 --method classic --side 512";
    desk.does(line);
    let before = store(&desk.path("a.zarr"));
    for (changed, why) in [
        (line.replace("9000", "9001"), "lattice"),
        (line.replace("20,10,30,20", "20,10,30,21"), "window"),
        (line.replace("classic", "drainage"), "method"),
        (line.replace("512", "1024"), "shard"),
        (format!("{line} --no-texture"), "texture"),
        (format!("{line} --layers rain"), "layers"),
        (line.replace("512", "500"), "multiple of 512"),
        (format!("{line} --layers rain,rain"), "twice"),
        (format!("{line} --layers height"), "no such layer"),
        (line.replace("9000", "0"), "--resolution 0"),
        (format!("{line} --shard 2/2"), "1/2"),
        (format!("{line} --shard 1"), "0/100"),
        (format!("{line} --shard 0/2 --overviews"), "cannot be used with"),
        (line.replace("--bbox 20,10,30,20", "--at 1,2"), "--span"),
        (format!("{line} --at 1,2 --span 3"), "cannot be used with"),
        (line.replace("--bbox 20,10,30,20", "--at 1,2 --span 0"), "--span 0"),
        (format!("{line} --max-memory 0.01"), "for one shard"),
        (line.replace("a.zarr", "globe.terrane"), "a file"),
        (line.replace("a.zarr", "b.tif"), "a store is a folder"),
        (line.replace("a.zarr", "s3://bucket/a.zarr"), "written to folders"),
        (format!("{line} --shard 1/0"), "0/1"),
    ] {
        let said = desk.refused(&changed, 2);
        assert!(said.contains(why), "{changed}: {said}");
        assert!(!said.contains("LonLat"), "{said}");
    }
    assert!(store(&desk.path("a.zarr")) == before);
    // what is no store of ours stays as it is
    std::fs::create_dir(desk.path("mine")).unwrap();
    std::fs::write(desk.path("mine/text"), "mine").unwrap();
    let said = desk.refused(&line.replace("a.zarr", "mine"), 2);
    assert!(said.contains("holds text"), "{said}");
    for (name, why) in [(".zgroup", "holds .zgroup"), ("elevation/zarr.json", "another elevation/zarr.json")]
    {
        let path = desk.path("theirs").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "theirs").unwrap();
        let said = desk.refused(&line.replace("a.zarr", "theirs"), 2);
        assert!(said.contains(why), "{said}");
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        std::fs::remove_dir_all(desk.path("theirs")).unwrap();
    }
    // weeks of a cluster are not replaced by one run
    let said = desk.refused("region globe.terrane -o a.zarr --bbox 20,10,21,11 --resolution 9000", 2);
    assert!(said.contains("may be replaced"), "{said}");
    assert!(store(&desk.path("a.zarr")) == before);
    std::fs::write(desk.path("mine/zarr.json"), "{}").unwrap();
    assert!(desk.refused(&line.replace("a.zarr", "mine"), 2).contains("not written for a region"));
    assert_eq!(desk.bytes("mine/text"), b"mine");
    // another world
    desk.does("generate -o other.terrane --cells 24 --seed 7 -q");
    let said = desk.refused(&line.replace("globe.terrane", "other.terrane"), 2);
    assert!(said.contains("digest"), "{said}");
}

#[test]
fn a_plan_says_what_it_would_be_and_writes_nothing() {
    let desk = Desk::with_globe();
    let said = desk.does("refine globe.terrane --out planet.zarr --resolution 30 --plan");
    assert!(said.contains("shards    212552 of 2048 x 2048"), "{said}");
    assert!(!desk.path("planet.zarr").exists());
    // the meridian of 180 degrees once, and no pixel beyond a pole: 36 columns of 10 degrees and 17 rows
    let tenth = 6_371_000.0 * std::f64::consts::PI / 18.0;
    let said = desk.does(&format!("refine globe.terrane --out planet.zarr --resolution {tenth} --plan"));
    assert!(said.contains("36 x 17 = 612"), "{said}");
}

#[test]
fn a_store_ends_where_the_map_ends() {
    let desk = Desk::with_isle();
    let said =
        desk.refused("refine isle.terrane --out a.zarr --bbox 0,0,1e9,1e9 --resolution 1500 --plan", 2);
    assert!(said.contains("the map ends at"), "{said}");
    desk.does("refine isle.terrane --out a.zarr --resolution 20000 --plan");
}
