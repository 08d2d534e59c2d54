//! The built program: files for engines, web maps, Python and 3D, and what they refuse. What they hold is compared by other
//! people's readers in `tests/readers`.

use crate::cli_support::Desk;
use std::collections::BTreeSet;

/// Tiles with one range have the same numbers where they overlap; each with its own has others.
#[test]
fn tiles_with_one_range_match() {
    let desk = Desk::with_globe();
    let rows = |name: &str, width: usize| -> Vec<Vec<u16>> {
        let bytes = desk.bytes(&format!("{name}.r16"));
        let numbers: Vec<u16> = bytes.as_chunks().0.iter().map(|&b| u16::from_le_bytes(b)).collect();
        numbers.chunks(width).map(<[u16]>::to_vec).collect()
    };
    let edges = |range: &str| {
        let told = [("west", "10,10,20,20"), ("east", "18,10,30,20")].map(|(name, bbox)| {
            desk.does(&format!(
                "region globe.terrane -o {name}.r16 --bbox {bbox} --resolution 50000 {range}"
            ));
            let about = desk.json(&format!("{name}.r16.json"));
            let at = &about["georeference"];
            let number = |of: &serde_json::Value| of.as_f64().expect("a number");
            (number(&at["west"]) / number(&at["step_x"]), number(&about["width"]) as usize)
        });
        let [(west, width), (east, beside)] = told;
        let shift = (east - west).round() as usize;
        let pairs = rows("west", width).into_iter().zip(rows("east", beside));
        let shared: Vec<(Vec<u16>, Vec<u16>)> =
            pairs.map(|(a, b)| (a[shift..].to_vec(), b[..width - shift].to_vec())).collect();
        assert!(shared.len() > 10 && width - shift > 2, "{shared:?}");
        shared.iter().all(|(a, b)| a == b)
    };
    assert!(edges("--range=-12000,9000"));
    assert_eq!(desk.json("west.r16.json")["max"], 9000.0);
    assert!(!edges(""));
    let place = "region globe.terrane --bbox 10,10,20,20 --resolution 50000";
    for (asked, why) in [
        ("-o a.r16 --range 5", "two numbers that rise, such as"),
        ("-o a.r16 --range 9,5", "two numbers that rise"),
        ("-o a.tif --range 5,9", "only .r16 files and heightmaps"),
        ("-o a.r16 --layers elevation,rain --range 0,9", "a range is that of one layer"),
    ] {
        let said = desk.refused(&format!("{place} {asked}"), 2);
        assert!(said.contains(why), "{asked}: {said}");
    }
    let said = desk.refused(&format!("{place} -o a.r16 --range 0,1"), 1);
    assert!(said.contains("more than the range 0 to 1"), "{said}");
}

#[test]
fn two_of_size_span_and_resolution_give_the_third() {
    let desk = Desk::with_globe();
    let place = "region globe.terrane -o a.r16 --at 30,20 --method classic";
    for (asked, size, step) in [
        ("--size 65 --span 128", 65, 2000.0),
        ("--size 100 --resolution 1500", 100, 1500.0),
        ("--engine unreal --span 40 --resolution 300", 253, 300.0),
        ("--engine unreal --span 75.6 --resolution 300", 253, 300.0),
        ("--engine unreal --span 75.7 --resolution 300", 505, 300.0),
        ("--engine unity --size 257 --span 64", 257, 250.0),
        ("--engine unity --span 64 --resolution 1000", 65, 1000.0),
        ("--engine godot --span 200 --resolution 500", 513, 500.0),
    ] {
        desk.does(&format!("{place} {asked}"));
        let about = desk.json("a.r16.json");
        assert_eq!((&about["width"], &about["height"]), (&size.into(), &size.into()), "{asked}");
        assert_eq!(about["georeference"]["step_x"].as_f64(), Some(step), "{asked}");
        assert_eq!(desk.bytes("a.r16").len(), 2 * size * size, "{asked}");
        // the place lies in the middle
        let west = about["georeference"]["west"].as_f64().unwrap();
        assert!((west + size as f64 / 2.0 * step).abs() <= step, "{asked}: {west}");
    }
    for (asked, why) in [
        ("--size 65", "--span KM, or --resolution"),
        ("--size 65 --span 10 --resolution 100", "leave one out"),
        ("--size 66 --engine unity --span 10", "33, 65, 129"),
        ("--engine unity --span 100 --resolution 10", "24.41 m or more"),
        ("--engine unity --span 100,50", "one number"),
        ("--resolution 100", "--span"),
    ] {
        let said = desk.refused(&format!("{place} {asked}"), 2);
        assert!(said.contains(why), "{asked}: {said}");
    }
}

#[test]
fn an_engine_s_png_is_a_heightmap() {
    let desk = Desk::with_globe();
    desk.does("region globe.terrane -o a.png --at 30,20 --engine unreal --size 127 --resolution 900");
    let (width, height, bits, _) = desk.png("a.png");
    assert_eq!((width, height, bits), (127, 127, 16));
    let engines = &desk.json("a.png.json")["engines"];
    let range_m = engines["range_m"].as_f64().unwrap();
    // numbers of JSON are read to the last bit but one
    let scale_z = engines["unreal"]["scale_z"].as_f64().unwrap();
    assert!((scale_z / (range_m * 100.0 / 512.0) - 1.0).abs() < 1e-12, "{scale_z} for {range_m}");
}

#[test]
fn stores_replace_stores_and_nothing_else() {
    let desk = Desk::with_globe();
    let line = "region globe.terrane -o a.zarr --at 30,20 --span 40 --resolution 1000 --method classic";
    desk.does(line);
    desk.does(&format!("{line} --layers rain"));
    assert!(desk.path("a.zarr/rain/c/0/0").is_file() && !desk.path("a.zarr/elevation").exists());
    let left: Vec<_> = desk.inventory().into_keys().collect();
    assert_eq!(left.len(), 2, "{left:?}");
    std::fs::create_dir(desk.path("mine.zarr")).unwrap();
    std::fs::write(desk.path("mine.zarr/text"), "mine").unwrap();
    let said = desk.refused(&line.replace("a.zarr", "mine.zarr"), 2);
    assert!(said.contains("mine.zarr") && said.contains("no Zarr store"), "{said}");
    assert_eq!(desk.bytes("mine.zarr/text"), b"mine");
    // nor a store that holds something of somebody's
    std::fs::write(desk.path("a.zarr/note.txt"), "mine").unwrap();
    assert!(desk.refused(line, 2).contains("other files"));
    assert_eq!(desk.bytes("a.zarr/note.txt"), b"mine");
}

#[test]
fn pyramids_go_on_to_the_same_bits() {
    let desk = Desk::with_globe();
    let line = "region globe.terrane -o a.pmtiles --bbox 10,10,60,50 --max-zoom 5 --method classic";
    desk.does(line);
    let whole = desk.bytes("a.pmtiles");
    std::fs::remove_file(desk.path("a.pmtiles")).unwrap();
    // killed when some tiles are there
    let mut child = desk.command().args(line.split_whitespace()).spawn().unwrap();
    let grown = || std::fs::metadata(desk.path("a.pmtiles.part")).map_or(0, |about| about.len());
    while grown() < 300_000 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!desk.path("a.pmtiles").exists());
    let said = desk.refused(&format!("{line} --resume --encoding mapbox"), 2);
    assert!(said.contains("encoding") && said.contains("mapbox"), "{said}");
    desk.does(&format!("{line} --resume"));
    assert!(desk.bytes("a.pmtiles") == whole && !desk.path("a.pmtiles.part").exists());
}

/// A pyramid over the antimeridian has the tiles on both sides of it; its header says what readers understand.
#[test]
fn pyramids_cross_the_antimeridian() {
    let desk = Desk::with_globe();
    let made = |name: &str, bbox: &str| {
        let asked = "--min-zoom 3 --max-zoom 5 --method classic --quiet";
        desk.does(&format!("region globe.terrane -o {name}.pmtiles --bbox={bbox} {asked}"));
        desk.bytes(&format!("{name}.pmtiles"))
    };
    let both = made("both", "165,-20,-155,10");
    let sides = [made("east", "165,-20,180,10"), made("west", "-180,-20,-155,10")];
    let count = |bytes: &[u8]| u64::from_le_bytes(bytes[72..80].try_into().unwrap());
    assert_eq!(count(&both), sides.iter().map(|side| count(side)).sum::<u64>());
    let degrees = |places: [usize; 6]| {
        places.map(|p| i32::from_le_bytes(both[p..p + 4].try_into().unwrap()) / 10_000_000)
    };
    assert_eq!(degrees([102, 106, 110, 114, 119, 123]), [-180, -20, 180, 10, -175, -5]);
    let tiles = |side: &[u8]| -> BTreeSet<Vec<u8>> {
        let [at, length] = [56, 64].map(|p| u64::from_le_bytes(side[p..p + 8].try_into().unwrap()) as usize);
        let (mut left, mut found) = (&side[at..at + length], BTreeSet::new());
        while !left.is_empty() {
            let end = left.windows(8).position(|w| w == b"IEND\xae\x42\x60\x82").unwrap() + 8;
            found.insert(left[..end].to_vec());
            left = &left[end..];
        }
        found
    };
    let halves: BTreeSet<Vec<u8>> = sides.iter().flat_map(|side| tiles(side)).collect();
    assert!(tiles(&both) == halves && halves.len() > 20, "{} tiles", halves.len());
}

#[test]
fn what_makes_no_pyramid_or_mesh_is_refused() {
    let desk = Desk::with_globe();
    for (asked, why) in [
        ("-o a.pmtiles --bbox 10,10,20,20", "--max-zoom"),
        ("-o a.pmtiles --bbox 10,10,20,20 --max-zoom 3 --min-zoom 4", "--min-zoom 4"),
        ("-o a.pmtiles --at 10,10 --span 20 --max-zoom 3", "--bbox"),
        ("-o a.pmtiles --bbox 180,10,-180,20 --max-zoom 3", "meridians"),
        ("-o a.pmtiles --bbox 0,86,20,89 --max-zoom 3", "85.05"),
        ("-o a.pmtiles --bbox=-180,-80,180,80 --max-zoom 14", "tiles"),
        ("-o a.pmtiles --bbox 10,10,20,20 --max-zoom 3 --layers rain", "heights"),
        ("-o a.pmtiles -o a.tif --bbox 10,10,20,20 --max-zoom 3", "by itself"),
        ("-o a.tif --bbox 10,10,20,20 --resolution 10000 --min-zoom 3", ".pmtiles"),
        ("-o a.glb --at 10,10 --span 600 --resolution 100", "2049"),
        ("-o a.glb --at 10,10 --span 0.1 --resolution 1000", "at least 2 x 2"),
    ] {
        let said = desk.run(format!("region globe.terrane {asked}").split_whitespace());
        assert_eq!(said.status, Some(2), "{asked}: {}", said.err);
        assert!(said.err.contains(why), "{asked}: {}", said.err);
    }
    let isle = Desk::with_isle();
    let said = isle.refused("region isle.terrane -o a.pmtiles --bbox 0,0,9,9 --max-zoom 3", 2);
    assert!(said.contains("flat map"), "{said}");
}

/// A mesh, and a store, of each kind of lattice.
#[test]
fn flat_maps_and_boxes_have_meshes_and_stores_too() {
    let desk = Desk::with_isle();
    desk.does("region isle.terrane -o a.glb -o a.zarr --bbox 300000,300000,400000,380000 --resolution 2000");
    let mesh = desk.bytes("a.glb");
    assert_eq!(&mesh[..4], b"glTF");
    assert_eq!(u32::from_le_bytes([mesh[8], mesh[9], mesh[10], mesh[11]]) as usize, mesh.len());
    assert!(desk.path("a.zarr/x/zarr.json").is_file() && desk.path("a.zarr/y/zarr.json").is_file());
    let globe = Desk::with_globe();
    globe.does("region globe.terrane -o a.glb --bbox 10,40,14,44 --resolution 8000 --style atlas");
}
