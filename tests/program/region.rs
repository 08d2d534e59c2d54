//! The built program: zooming. Windows agree bit for bit, and every format holds what it says.

use crate::cli_support::Desk;

/// Cuts two windows and compares them where they overlap; returns the samples there.
fn overlap(desk: &Desk, first: &str, second: &str) -> usize {
    desk.does(&format!("region globe.terrane -o first.tif {first}"));
    desk.does(&format!("region globe.terrane -o second.tif {second} --threads 1"));
    desk.geotiff("first.tif").assert_same_overlap(&desk.geotiff("second.tif"))
}

/// How many multiples of a step lie between two bounds.
fn samples(low: f64, high: f64, step: f64) -> usize {
    ((high / step).floor() - (low / step).ceil()) as usize + 1
}

fn not_flat(values: &[f32]) -> bool {
    let range = values.iter().fold((f32::MAX, f32::MIN), |(low, high), &v| (low.min(v), high.max(v)));
    range.1 - range.0 > 100.0
}

#[test]
fn boxes_agree_where_they_overlap() {
    let desk = Desk::with_globe();
    let count = overlap(
        &desk,
        "--bbox 20,10,40,25 --resolution 20000",
        "--bbox 31.7,3.3,52.1,19.9 --resolution 20000",
    );
    assert!(count > 2000, "{count}");
    assert!(not_flat(&desk.geotiff("first.tif").values));
}

#[test]
fn boxes_agree_over_the_edge_and_the_corner_of_cube_faces() {
    let desk = Desk::with_globe();
    // faces meet along longitude 45 near the equator, and three of them at 45 E, 35.264 N
    for (first, second) in [
        ("38,-8,50,8", "44,-5,60,12"),
        ("38,30,50,40", "44.5,34.9,55,44"),
        ("30,33,46,37", "43,34,48,50"),
        ("-50,-40,-40,-30", "-46,-36,-30,-20"),
    ] {
        let count = overlap(
            &desk,
            &format!("--bbox {first} --resolution 15000"),
            &format!("--bbox {second} --resolution 15000"),
        );
        assert!(count > 60, "{first} and {second}: {count}");
    }
}

#[test]
fn boxes_agree_across_the_antimeridian_and_at_a_pole() {
    let desk = Desk::with_globe();
    let count = overlap(
        &desk,
        "--bbox 170,-10,-170,10 --resolution 25000",
        "--bbox 176,-4,-176,20 --resolution 25000",
    );
    assert!(count > 1000, "{count}");
    let one = desk.geotiff("first.tif");
    assert_eq!(one.width, samples(170.0, 190.0, one.step));
    let count =
        overlap(&desk, "--bbox 170,-10,-170,10 --resolution 25000", "--bbox 160,0,180,5 --resolution 25000");
    assert!(count > 800, "{count}");
    let count =
        overlap(&desk, "--bbox 0,80,60,90 --resolution 30000", "--bbox 40,85,140,90 --resolution 30000");
    assert!(count > 800, "{count}");
}

#[test]
fn squares_agree_where_they_overlap() {
    let desk = Desk::with_globe();
    // one origin: 45 E, 35 N, in sight of a corner of the cube; the other origin lies over an edge
    for (first, second) in [
        ("45.2,35.3 --span 900", "44.8,34.8 --span 1100"),
        ("45.4,-0.4 --span 700", "44.6,0.3 --span 900"),
        ("179.9,60.2 --span 800", "179.6,59.7 --span 800"),
    ] {
        let count = overlap(
            &desk,
            &format!("--at {first} --resolution 9000"),
            &format!("--at {second} --resolution 9000"),
        );
        assert!(count > 4000, "{first} and {second}: {count}");
    }
}

#[test]
fn windows_of_a_flat_map_agree() {
    let desk = Desk::with_isle();
    desk.does("region isle.terrane -o a.tif --bbox 100000,100000,700000,500000 --resolution 5000");
    desk.does("region isle.terrane -o b.tif --at 650000,420000 --span 300 --resolution 5000");
    let (a, b) = (desk.geotiff("a.tif"), desk.geotiff("b.tif"));
    assert_eq!((a.width, a.height, a.west, a.north), (121, 81, 97_500.0, 502_500.0));
    assert!(a.assert_same_overlap(&b) > 1500 && not_flat(&a.values));
}

#[test]
fn north_is_up_and_steps_are_degrees_at_the_equator() {
    let desk = Desk::with_globe();
    desk.does("region globe.terrane -o box.tif --bbox 10,-20,40,30 --resolution 50000");
    let grid = desk.geotiff("box.tif");
    let step = 50_000.0 / (std::f64::consts::PI * 6_371_000.0 / 180.0);
    assert!((grid.step / step - 1.0).abs() < 1e-12, "{} {step}", grid.step);
    assert!(grid.west >= 10.0 - step && grid.west <= 10.0 + step, "{}", grid.west);
    assert!(grid.north >= 30.0 - step && grid.north <= 30.0 + step, "{}", grid.north);
    assert_eq!((grid.width, grid.height), (samples(10.0, 40.0, step), samples(-20.0, 30.0, step)));
    // the same place asked for alone is the same sample
    let (row, column) = (17, 23);
    let lon = grid.west + (column as f64 + 0.5) * grid.step;
    let lat = grid.north - (row as f64 + 0.5) * grid.step;
    let sides = [lon - 0.1, lat - 0.1, lon + 0.1, lat + 0.1].map(|v| v.to_string()).join(",");
    desk.does(&format!("region globe.terrane -o one.tif --bbox {sides} --resolution 50000"));
    let one = desk.geotiff("one.tif");
    assert_eq!((one.width, one.height), (1, 1));
    assert_eq!(one.values[0].to_bits(), grid.values[row * grid.width + column].to_bits());
}

#[test]
fn threads_change_no_sample() {
    let desk = Desk::with_globe();
    for threads in [1, 2, 8] {
        desk.does(&format!(
            "region globe.terrane -o {threads}.tif --at 45,35 --span 2000 --resolution 20000 --threads {threads}"
        ));
    }
    assert!(desk.bytes("1.tif") == desk.bytes("2.tif") && desk.bytes("1.tif") == desk.bytes("8.tif"));
}

#[test]
fn layers_are_bands_with_elevation_first() {
    let desk = Desk::with_globe();
    let place = "--bbox 10,-20,40,20 --resolution 30000";
    desk.does(&format!("region globe.terrane -o one.tif {place}"));
    desk.does(&format!("region globe.terrane -o many.tif {place} --layers rain,discharge,elevation,base"));
    desk.does(&format!("region globe.terrane -o many.r32 {place} --layers rain,discharge,elevation,base"));
    desk.does(&format!("region globe.terrane -o rain.r32 {place} --layers rain"));
    let (one, many) = (desk.geotiff("one.tif"), desk.raw("many.r32"));
    let samples = one.width * one.height;
    let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(many.len(), 4 * samples);
    assert_eq!(bits(&one.values), bits(&many[..samples]), "the elevation is the same with other layers");
    assert_eq!(bits(&desk.raw("rain.r32")), bits(&many[3 * samples..]));
    let names: Vec<String> = desk.json("many.r32.json")["bands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| format!("{} {}", b["name"].as_str().unwrap(), b["unit"].as_str().unwrap()))
        .collect();
    assert_eq!(names, ["elevation m", "base m", "discharge m3/s", "rain mm/yr"]);
    let text = String::from_utf8_lossy(&desk.bytes("many.tif")).into_owned();
    for name in ["elevation", "base", "discharge", "rain", "m3/s", "mm/yr"] {
        assert!(text.contains(name), "{name} is described in the GeoTIFF");
    }
}

#[test]
fn all_layers_make_sense_together() {
    let desk = Desk::with_globe();
    let layers = "elevation,base,mountains,water_surface,water_depth,discharge,order,temperature,rain";
    desk.does(&format!(
        "region globe.terrane -o all.r32 --bbox -60,-50,60,60 --resolution 100000 --layers {layers}"
    ));
    let about = desk.json("all.r32.json");
    let samples = (about["width"].as_u64().unwrap() * about["height"].as_u64().unwrap()) as usize;
    let values = desk.raw("all.r32");
    let names: Vec<&str> =
        about["bands"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
    assert_eq!(names.join(","), layers, "in the order of the help");
    let layer = |name: &str| {
        let k = names.iter().position(|n| *n == name).unwrap();
        &values[k * samples..(k + 1) * samples]
    };
    let (elevation, surface, depth) = (layer("elevation"), layer("water_surface"), layer("water_depth"));
    let (mut sea, mut land) = (0, 0);
    for i in 0..samples {
        assert!(depth[i] >= 0.0 && layer("mountains")[i] >= 0.0 && layer("rain")[i] >= 0.0);
        assert_eq!(layer("discharge")[i] > 0.0, layer("order")[i] > 0.0, "rivers have an order");
        if depth[i] > 0.0 {
            assert!((surface[i] - elevation[i] - depth[i]).abs() < 0.05, "water stands on the ground");
        } else {
            assert_eq!(surface[i].to_bits(), elevation[i].to_bits(), "dry ground is its own surface");
        }
        if depth[i] > 0.0 && surface[i] == 0.0 {
            assert!(elevation[i] < 0.0, "the sea's floor is below zero");
            sea += 1;
        }
        land += usize::from(elevation[i] > 0.0);
    }
    assert!(sea > samples / 4 && land > samples / 20, "{sea} and {land} of {samples}");
}

#[test]
fn pictures_have_the_size_of_the_window() {
    let desk = Desk::with_globe();
    desk.does("region globe.terrane -o box.tif --at 10,10 --span 3000 --resolution 15000");
    let grid = desk.geotiff("box.tif");
    let mut pictures = Vec::new();
    for style in ["terrain", "atlas"] {
        desk.does(&format!(
            "region globe.terrane -o {style}.png --at 10,10 --span 3000 --resolution 15000 --style {style}"
        ));
        let (width, height, bits, pixels) = desk.png(&format!("{style}.png"));
        assert_eq!((width as usize, height as usize, bits), (grid.width, grid.height, 8));
        pictures.push(pixels);
    }
    assert_ne!(pictures[0], pictures[1]);
}

#[test]
fn heightmaps_say_which_metres_they_span() {
    let desk = Desk::with_globe();
    let place = "--at 10,10 --span 3000 --resolution 15000";
    desk.does(&format!("region globe.terrane -o h.png {place} --style height"));
    desk.does(&format!("region globe.terrane -o h.r16 {place}"));
    desk.does(&format!("region globe.terrane -o h.r32 {place}"));
    let (width, height, bits, pixels) = desk.png("h.png");
    let exact = desk.raw("h.r32");
    assert_eq!((bits, exact.len()), (16, (width * height) as usize));
    let r16 = desk.bytes("h.r16");
    for name in ["h.png.json", "h.r16.json", "h.r32.json"] {
        let about = desk.json(name);
        assert_eq!(
            (about["width"].as_u64(), about["height"].as_u64()),
            (Some(width.into()), Some(height.into()))
        );
        assert_eq!(about["unit"], "m");
    }
    let about = desk.json("h.png.json");
    let (low, high) = (about["min"].as_f64().unwrap(), about["max"].as_f64().unwrap());
    let half_step = (high - low) / 65_535.0 / 2.0;
    for (i, &z) in exact.iter().enumerate() {
        let stored = u16::from_be_bytes([pixels[2 * i], pixels[2 * i + 1]]);
        assert_eq!(stored, u16::from_le_bytes([r16[2 * i], r16[2 * i + 1]]));
        let metres = low + f64::from(stored) / 65_535.0 * (high - low);
        assert!((metres - f64::from(z)).abs() <= half_step * 1.001, "{metres} {z}");
    }
}

#[test]
fn a_zoom_reads_a_small_share_of_a_world() {
    let desk = Desk::new();
    desk.does("generate --cells 192 -o globe.terrane -q");
    let line = "region globe.terrane -o zoom.tif --at 12,10 --span 200 --resolution 1000 -v";
    let said = desk.run(line.split_whitespace());
    assert_eq!(said.status, Some(0), "{}", said.err);
    let numbers = |line: &str| -> Vec<u64> {
        line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
    };
    let line = said.err.lines().find(|l| l.contains("read") && l.contains("bytes")).unwrap();
    let (read, all) = (numbers(line)[0], numbers(line)[1]);
    assert_eq!(all as usize, desk.bytes("globe.terrane").len(), "{line}");
    assert!(read > 0 && read < all / 8, "{line}");
    assert!(said.err.contains("opened in"), "{}", said.err);
}

#[test]
fn beyond_the_border_of_a_flat_map_there_is_nothing() {
    let desk = Desk::with_isle();
    desk.does("region isle.terrane -o out.r32 --bbox=-50000,0,50000,100000 --resolution 10000");
    let values = desk.raw("out.r32");
    assert_eq!(values.len(), 121);
    for (i, v) in values.iter().enumerate() {
        assert_eq!(v.is_nan(), i % 11 < 5, "column {}", i % 11);
    }
}
