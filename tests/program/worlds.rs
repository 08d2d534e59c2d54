//! The built program: worlds are made, told about and drawn.

use crate::cli_support::Desk;
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn info_tells_what_was_made() {
    let desk = Desk::with_globe();
    let info = desk.info("globe.terrane");
    for key in ["name", "seed", "topology", "cells", "cell_km", "engine", "digest", "layers"] {
        assert!(keys(&info).contains(&key), "{key}");
    }
    assert_eq!((&info["name"], &info["topology"]), (&"earthlike".into(), &"globe".into()));
    assert_eq!((&info["seed"], &info["cells"]), (&42.into(), &32.into()));
    assert_eq!(info["digest"].as_str().unwrap().len(), 64);
    assert!(info["engine"].as_str().unwrap().contains(env!("CARGO_PKG_VERSION")));
    // 6 x 32 x 32 cells share the sphere: the root of the mean area
    let mean_km = (4.0 * std::f64::consts::PI * 6371.0 * 6371.0 / 6144.0_f64).sqrt();
    assert!((info["cell_km"].as_f64().unwrap() / mean_km - 1.0).abs() < 1e-6, "{info}");
}

#[test]
fn info_tells_of_every_layer() {
    let desk = Desk::with_globe();
    let info = desk.info("globe.terrane");
    let layers = info["layers"].as_array().unwrap();
    for layer in layers {
        for key in ["name", "unit", "dtype", "shape", "min", "max"] {
            assert!(keys(layer).contains(&key), "{key} of {layer}");
        }
        assert_eq!(layer["shape"], serde_json::json!([6, 32, 32]));
        assert!(layer["min"].as_f64().unwrap() <= layer["max"].as_f64().unwrap(), "{layer}");
    }
    let named = |name: &str| layers.iter().find(|l| l["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    assert!(named("base_elevation")["min"].as_f64().unwrap() < -1000.0, "the sea is below zero");
    assert!(named("base_elevation")["max"].as_f64().unwrap() > 0.0);
    assert_eq!(named("mountain_height")["unit"], "m");
    assert_eq!(named("ridge_directions")["dtype"], "u8");
}

#[test]
fn info_of_a_flat_map() {
    let desk = Desk::with_isle();
    let info = desk.info("isle.terrane");
    assert_eq!((&info["topology"], &info["cells"]), (&"flat".into(), &96.into()));
    assert_eq!(info["cell_km"].as_f64(), Some(12.5));
    assert_eq!(info["layers"][0]["shape"], serde_json::json!([1, 72, 96]));
    let text = desk.does("info isle.terrane");
    assert!(text.contains(info["digest"].as_str().unwrap()) && text.contains("base_elevation"), "{text}");
    let lakes = text.lines().find(|line| line.starts_with("lake ")).unwrap();
    assert!(lakes.ends_with(" none"), "cells without a lake have no number: {lakes}");
}

#[test]
fn threads_change_no_byte() {
    let desk = Desk::new();
    for threads in [1, 2, 8] {
        desk.does(&format!("generate --cells 48 --threads {threads} -o {threads}.terrane"));
    }
    assert_eq!(desk.digest("1.terrane"), desk.digest("2.terrane"));
    assert_eq!(desk.digest("1.terrane"), desk.digest("8.terrane"));
    assert!(desk.bytes("1.terrane") == desk.bytes("8.terrane"), "the files are equal");
}

#[test]
fn seeds_and_fields_change_the_world() {
    let desk = Desk::with_globe();
    let made = |args: &str| {
        desk.does(&format!("generate -o other.terrane {args}"));
        desk.digest("other.terrane")
    };
    let first = desk.digest("globe.terrane");
    assert_eq!(made("--cells 32"), first);
    assert_eq!(made("--set grid.cells=32"), first);
    assert_ne!(made("--cells 32 --seed 43"), first);
    assert_eq!(made("--cells 32 --seed 43"), made("--cells 32 --set seed=43"));
    assert_ne!(made("--cells 32 --set climate.mean_c=4"), first);
    let both = made("--cells 32 --set climate.mean_c=4 --set continents.land_fraction=0.5");
    assert_ne!(both, made("--cells 32 --set climate.mean_c=4"));
    assert_eq!(both, made("--cells 32 --set continents.land_fraction=0.5 --set climate.mean_c=4"));
    assert_eq!(made("--cells 32 --seed 9223372036854775807").len(), 64);
}

#[test]
fn a_printed_recipe_makes_the_same_world() {
    let desk = Desk::new();
    let list = desk.does("recipe --list");
    let names: Vec<&str> = list.lines().filter_map(|l| l.split_whitespace().next()).collect();
    assert!(names.contains(&"earthlike") && names.contains(&"island"), "{names:?}");
    for name in names {
        desk.put("my.toml", desk.does(&format!("recipe {name}")));
        desk.does("generate --recipe my.toml --cells 24 -o mine.terrane");
        desk.does(&format!("generate --recipe {name} --cells 24 -o theirs.terrane"));
        assert_eq!(desk.digest("mine.terrane"), desk.digest("theirs.terrane"), "{name}");
        assert_eq!(desk.info("mine.terrane")["name"], name);
    }
}

#[test]
fn a_recipe_of_a_few_fields_keeps_the_defaults() {
    let desk = Desk::new();
    desk.put("my.toml", "name = \"Tide\"\nseed = 7\n[grid]\ncells = 16\n[climate]\nmean_c = 9\n");
    desk.does("generate --recipe my.toml -o mine.terrane");
    desk.does("generate --cells 16 --seed 7 --set climate.mean_c=9 -o set.terrane");
    let info = desk.info("mine.terrane");
    assert_eq!((&info["name"], &info["seed"], &info["cells"]), (&"Tide".into(), &7.into(), &16.into()));
    assert_eq!(desk.digest("mine.terrane"), desk.digest("set.terrane"));
}

#[test]
fn every_field_of_a_recipe_is_explained() {
    let text = Desk::new().does("recipe");
    let mut comment = "";
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('[')) {
        if !line.starts_with('#') {
            assert!(comment.len() > 10, "{line} has no comment");
            let within_section = !(line.starts_with("name =") || line.starts_with("seed ="));
            assert!(!within_section || comment.contains('['), "{line}: {comment}");
        }
        comment = if line.starts_with('#') { line } else { "" };
    }
}

#[test]
fn maps_of_every_layer_are_pictures_of_the_asked_width() {
    let desk = Desk::with_globe();
    let mut pictures = Vec::new();
    for layer in [
        "relief",
        "elevation",
        "mountains",
        "ridges",
        "rivers",
        "lakes",
        "climate",
        "biomes",
        "plates",
        "temperature",
        "rain",
    ] {
        desk.does(&format!("map globe.terrane -o {layer}.png --layer {layer} --width 320"));
        let (width, height, bits, pixels) = desk.png(&format!("{layer}.png"));
        assert_eq!((width, height, bits), (320, 160, 8), "{layer}");
        let first = pixels[..3].to_vec();
        assert!(pixels.chunks_exact(3).filter(|p| *p != first).count() > 1000, "{layer} is blank");
        assert!(!pictures.contains(&pixels), "{layer} looks like another layer");
        pictures.push(pixels);
    }
    desk.does("map globe.terrane -o atlas.png --style atlas --width 320");
    assert!(!pictures.contains(&desk.png("atlas.png").3), "the atlas has colours of its own");
}

#[test]
fn maps_of_every_projection_show_the_world_on_paper() {
    let desk = Desk::with_globe();
    let corner = |name: &str, (width, height): (u32, u32)| {
        let (w, h, _, pixels) = desk.png(name);
        assert_eq!((w, h), (width, height), "{name}");
        let middle = (height as usize / 2 * width as usize + width as usize / 2) * 3;
        (pixels[..3].to_vec(), pixels[middle..middle + 3].to_vec(), pixels)
    };
    let mut pictures = Vec::new();
    for (projection, size) in [
        ("equirectangular", (300, 150)),
        ("mollweide", (300, 156)),
        ("equal-earth", (300, 152)),
        ("orthographic", (300, 300)),
    ] {
        for center in ["0", "-100"] {
            let name = format!("{projection}{center}.png");
            let layer = "map globe.terrane --layer temperature --width 300";
            desk.does(&format!("{layer} -o {name} --projection {projection} --center={center}"));
            let (outer, middle, pixels) = corner(&name, size);
            assert_eq!(
                outer == [250, 248, 242],
                projection != "equirectangular",
                "{name}: paper around a globe"
            );
            assert_ne!(middle, [250, 248, 242], "{name}");
            assert!(!pictures.contains(&pixels), "{name} is as another");
            pictures.push(pixels);
        }
    }
}

#[test]
fn a_map_turned_by_half_the_globe_has_its_halves_exchanged() {
    let desk = Desk::with_globe();
    // small enough that no boxes stand on it; graticule and its numbers turn with it
    for center in [0, 180] {
        let options = "--layer elevation --width 64 --projection equirectangular";
        desk.does(&format!("map globe.terrane -o {center}.png {options} --center {center}"));
    }
    let [a, b] = [desk.png("0.png").3, desk.png("180.png").3];
    let same = (0..32 * 64).filter(|i| {
        let (row, column) = (i / 64, i % 64);
        let turned = row * 64 + (column + 32) % 64;
        a[i * 3..i * 3 + 3] == b[turned * 3..turned * 3 + 3]
    });
    assert!(same.count() > 32 * 64 * 9 / 10);
}

#[test]
fn small_maps_are_not_hidden_by_what_stands_on_them() {
    let desk = Desk::with_globe();
    // the plates have no colours as light as the ground of the boxes
    let boxes = |width: usize| {
        desk.does(&format!("map globe.terrane -o plates.png --layer plates --width {width}"));
        let pixels = desk.png("plates.png").3;
        pixels.chunks_exact(3).filter(|p| p.iter().all(|&c| c > 225)).count()
    };
    let found = [64, 128, 400, 500, 800].map(|width| {
        let covered = boxes(width);
        assert!(covered * 100 <= 15 * width * width / 2, "{covered} pixels of a map {width} wide");
        covered
    });
    // letters keep their size on maps below 1200, so a box is as large on all of them
    let [nothing, still_nothing, title, and_scale, and_legend] = found;
    assert!(nothing + still_nothing < 20, "{found:?}");
    assert!(title > 5000 && and_scale > title + 3000 && and_legend > and_scale + 3000, "{found:?}");
}

#[test]
fn a_flat_map_keeps_its_proportions() {
    let desk = Desk::with_isle();
    desk.does("map isle.terrane -o isle.png --width 400");
    let (width, height, ..) = desk.png("isle.png");
    assert_eq!((width, height), (400, 300), "1200 km x 900 km");
}

#[test]
fn maps_do_not_depend_on_threads() {
    let desk = Desk::with_globe();
    desk.does("map globe.terrane -o one.png --width 256 --threads 1");
    desk.does("map globe.terrane -o eight.png --width 256 --threads 8");
    assert!(desk.bytes("one.png") == desk.bytes("eight.png"));
}

#[test]
fn a_new_world_replaces_an_old_one_whole() {
    let desk = Desk::with_globe();
    let before = desk.digest("globe.terrane");
    desk.does("generate --cells 16 --seed 3 -o globe.terrane");
    assert_ne!(desk.digest("globe.terrane"), before);
    assert_eq!(desk.info("globe.terrane")["cells"], 16);
    assert_eq!(desk.inventory().len(), 1, "nothing is left beside it: {:?}", desk.inventory());
}

#[test]
fn the_default_output_is_world_terrane() {
    let desk = Desk::new();
    desk.does("generate --cells 8");
    assert_eq!(desk.info("world.terrane")["cells"], 8);
}

#[test]
fn a_large_world_is_announced_before_it_is_made() {
    use std::io::{BufRead, BufReader};
    let desk = Desk::new();
    let mut command = desk.command();
    command.args("generate --cells 2048 -o large.terrane".split_whitespace());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said.starts_with("25 million cells") && said.contains("about 11 GB of memory"), "{said}");
    assert!(desk.inventory().is_empty(), "nothing is made yet: {:?}", desk.inventory());
}

#[test]
fn quiet_says_only_results() {
    let desk = Desk::with_globe();
    for line in [
        "generate --cells 8 -o q.terrane --quiet",
        "map globe.terrane -o q.png --width 128 -q",
        "-q region globe.terrane -o q.tif --at 10,10 --span 500 --resolution 20000",
        "rivers globe.terrane -o q.geojson -q",
    ] {
        let said = desk.run(line.split_whitespace());
        assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (Some(0), "", ""), "{line}");
    }
    let said = desk.run(["info", "globe.terrane", "-q"]);
    assert!(said.err.is_empty() && said.out.contains("digest"));
}

#[test]
fn messages_say_what_was_written_and_keep_to_standard_error() {
    let desk = Desk::with_globe();
    for (line, name) in [
        ("generate --cells 8 -o a.terrane", "a.terrane"),
        ("map globe.terrane -o a.png --width 128", "a.png"),
        ("region globe.terrane -o a.tif --at 10,10 --span 500 --resolution 20000", "a.tif"),
        ("rivers globe.terrane -o a.geojson", "a.geojson"),
    ] {
        let said = desk.run(line.split_whitespace());
        assert_eq!((said.status, said.out.as_str()), (Some(0), ""), "{line}");
        assert!(said.err.lines().count() == 1 && said.err.contains(name), "{line}: {}", said.err);
        assert!(!said.err.contains('\r') && !said.err.contains('\x1b'), "no bars without a terminal");
    }
}

#[test]
fn a_name_cannot_command_the_terminal() {
    let desk = Desk::new();
    desk.put("my.toml", "name = \"a\\u001b[31mb\\nc\"\n[grid]\ncells = 8\n");
    desk.does("generate --recipe my.toml -o odd.terrane");
    let text = desk.does("info odd.terrane");
    assert!(!text.contains('\x1b') && text.starts_with("name      a\\u{1b}[31mb\\nc\n"), "{text:?}");
    assert_eq!(desk.info("odd.terrane")["name"], "a\u{1b}[31mb\nc");
}
