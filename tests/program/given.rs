//! `terrane generate` with files of one's own: land, mountain heights, ridge lines, rivers to keep.

use crate::cli_support::Desk;
use crate::import::{opened, runs_down};
use crate::random::ends_well;
use formats::{Band, BandValues, Crs, Georeference, Raster, geotiff};
use grid::{Cell, Grid, Vec3, math};
use std::collections::BTreeSet;
use world::{World, ridges};

/// Whether there is land at a longitude and latitude in degrees: two continents and an isthmus.
pub fn is_land(lon: f64, lat: f64) -> bool {
    let (x, y) = (lon.to_radians(), lat.to_radians());
    let waves =
        math::sin(2.0 * x + 0.5) * math::cos(y) + 0.4 * math::sin(3.0 * y + x) + 0.2 * math::cos(5.0 * x);
    waves > 0.25
}

/// A mask of the globe as a grey PNG of 8 bits.
pub fn mask_png(desk: &Desk, name: &str, cols: usize, land: &dyn Fn(f64, f64) -> bool) {
    let rows = cols / 2;
    let value = |i: usize| {
        let lon = ((i % cols) as f64 + 0.5) / cols as f64 * 360.0 - 180.0;
        let lat = 90.0 - ((i / cols) as f64 + 0.5) / rows as f64 * 180.0;
        if land(lon, lat) { 255 } else { 0 }
    };
    grey_png(desk, name, (cols, rows), &value);
}

pub fn grey_png(desk: &Desk, name: &str, (cols, rows): (usize, usize), value: &dyn Fn(usize) -> u8) {
    let file = std::fs::File::create(desk.path(name)).unwrap();
    let mut encoder = png::Encoder::new(file, cols as u32, rows as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = (0..cols * rows).map(value).collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
}

/// A raster over the map of the recipe `island` in pixels of so many metres; `value` of x and y in metres.
fn isle_tif(desk: &Desk, name: &str, pixel_m: f64, value: &dyn Fn(f64, f64) -> f32) {
    let (width, height) = ((1200e3 / pixel_m) as usize, (900e3 / pixel_m) as usize);
    let at =
        |i: usize| value(((i % width) as f64 + 0.5) * pixel_m, 900e3 - ((i / width) as f64 + 0.5) * pixel_m);
    let georeference =
        Georeference { crs: Crs::Metres, west: 0.0, north: 900e3, step_x: pixel_m, step_y: pixel_m };
    let bands = vec![Band::new("given", "m", BandValues::F32((0..width * height).map(at).collect()))];
    geotiff::write(&desk.path(name), &Raster { width, height, georeference, bands }, &[]).unwrap();
}

pub fn lines(desk: &Desk, name: &str, places: &[&[[f64; 2]]]) {
    desk.put(name, format!("{{\"type\":\"MultiLineString\",\"coordinates\":{places:?}}}"));
}

/// The greatest distance of a place from another coast, in steps of so many degrees, up to which it is at the coast.
fn is_near_coast(lon: f64, lat: f64, reach_deg: f64) -> bool {
    let here = is_land(lon, lat);
    let around = |k: i32| f64::from(k) * reach_deg / 3.0;
    let along = |lat: f64| 1.0 / math::cos(lat.to_radians()).max(0.05);
    (-3..=3).any(|dy| {
        let lat = (lat + around(dy)).clamp(-90.0, 90.0);
        (-3..=3).any(|dx| is_land(lon + around(dx) * along(lat), lat) != here)
    })
}

#[test]
fn land_is_where_the_mask_says_however_coarse_it_is() {
    let desk = Desk::new();
    // 128 cells around: masks of a quarter and of six times as many samples
    for (cols, agree) in [(32, 0.90), (96, 0.95), (768, 0.98)] {
        mask_png(&desk, "land.png", cols, &is_land);
        desk.does("generate --cells 32 --land land.png -o masked.terrane --quiet");
        let world = opened(&desk, "masked.terrane");
        let reach_deg = 1.5 * (360.0 / cols as f64) + 2.8;
        let (mut same, mut far, mut wrong) = (0, 0, 0);
        for cell in world.grid.cells() {
            let (lon, lat) = math::to_lon_lat(world.grid.center(cell));
            let fits = is_land(lon, lat) == (world.continentality[cell] > 0.0);
            same += usize::from(fits);
            if !is_near_coast(lon, lat, reach_deg) {
                far += 1;
                wrong += usize::from(!fits);
            }
        }
        let share = same as f64 / world.grid.len() as f64;
        println!("{cols}: {share:.4} of all cells agree; of {far} away from coasts {wrong} do not");
        assert!(far > 200 && wrong == 0, "{cols}: {wrong} of {far} cells away from coasts");
        assert!(share > agree, "{cols}: {share}");
        runs_down(&world);
        desk.does("score masked.terrane");
    }
}

#[test]
fn a_mask_is_made_again_from_recipe_and_file_alone() {
    let desk = Desk::new();
    mask_png(&desk, "land.png", 64, &is_land);
    mask_png(&desk, "other.png", 64, &|lon, lat| is_land(lon + 1.0, lat));
    desk.does("generate --cells 16 --land land.png -o a.terrane --quiet");
    let world = opened(&desk, "a.terrane");
    let said = world.recipe.given.as_ref().unwrap().land.clone();
    let digest = store::digest_of_file(&desk.path("land.png")).unwrap();
    assert_eq!(said, format!("land.png {digest}"));
    desk.put("again.toml", world.recipe.to_toml());
    // by another name, with one thread: the same bits
    desk.put("moved.png", desk.bytes("land.png"));
    desk.does("generate --recipe again.toml --land moved.png -o b.terrane --quiet --threads 1");
    assert_eq!(desk.bytes("a.terrane"), desk.bytes("b.terrane"));
    let none = desk.refused("generate --recipe again.toml -o c.terrane", 2);
    assert!(none.contains("land.png") && none.contains("--land") && none.contains("[given]"), "{none}");
    let other = desk.refused("generate --recipe again.toml --land other.png -o c.terrane", 2);
    assert!(other.contains(&digest) && other.contains("other.png"), "{other}");
    assert!(!desk.path("c.terrane").exists());
}

/// Land in the middle of the map, 900 by 600 km.
fn block(x: f64, y: f64) -> f32 {
    if (150e3..1050e3).contains(&x) && (150e3..750e3).contains(&y) { 1.0 } else { 0.0 }
}

/// Where a crest runs from west to east: through the middles of cells.
const CREST_M: f64 = 456_250.0;

#[test]
fn mountains_have_the_heights_that_are_given() {
    let desk = Desk::new();
    isle_tif(&desk, "land.tif", 12_500.0, &block);
    let height =
        |x: f64, y: f64| (2000.0 - 0.03 * (y - CREST_M).abs() - 0.002 * (x - 600e3).abs()).max(0.0) as f32;
    isle_tif(&desk, "high.tif", 12_500.0, &height);
    desk.does("generate --recipe island --cells 96 --land land.tif --mountain-height high.tif -o high.terrane --quiet");
    let world = opened(&desk, "high.terrane");
    let (mut worst, mut sum) = (0.0f32, 0.0f64);
    for cell in world.grid.cells() {
        let p = world.grid.center(cell);
        let land = world.continentality[cell] > 0.0;
        assert_eq!(land, block(p.x, p.y) > 0.0, "{p:?}");
        let off = (world.mountain_height_m[cell] - if land { height(p.x, p.y) } else { 0.0 }).abs();
        worst = worst.max(off);
        sum += f64::from(off);
    }
    println!(
        "heights are off by {worst} m at the most, {:.2} m on the average",
        sum / world.grid.len() as f64
    );
    // the mean over a cell at the crest, which falls by 375 m from cell to cell, is less than its middle
    assert!(worst < 120.0, "{worst} m");
    let found = ridges::lines(&world.grid, &world.ridge_directions);
    let on_crest = |c: &Cell| (world.grid.center(*c).y - CREST_M).abs() < 9_000.0;
    let columns: BTreeSet<u32> = found
        .lines
        .iter()
        .flatten()
        .filter(|c| on_crest(c))
        .map(|c| world.grid.shape().split(*c).2)
        .collect();
    // rivers cut through it here and there
    println!(
        "of 72 columns {} have a ridge line on the crest, longest {} m",
        columns.len(),
        found.longest_m()
    );
    assert!(columns.len() >= 62 && found.longest_m() > 400e3, "{} columns", columns.len());
    runs_down(&world);
}

#[test]
fn mountains_are_raised_along_ridge_lines_and_nowhere_else() {
    let desk = Desk::new();
    isle_tif(&desk, "land.tif", 25_000.0, &block);
    let crest = [[300e3, 300e3], [600e3, 500e3], [900e3, 480e3]];
    lines(&desk, "crest.geojson", &[&crest]);
    desk.does(
        "generate --recipe island --cells 96 --land land.tif --ridge-lines crest.geojson -o crest.terrane --quiet",
    );
    let world = opened(&desk, "crest.terrane");
    let found = ridges::lines(&world.grid, &world.ridge_directions);
    let cells: Vec<Cell> = found.lines.iter().flatten().copied().collect();
    let way = |p: Vec3| crest.windows(2).map(|w| to_segment(p, w[0], w[1])).fold(f64::INFINITY, f64::min);
    let farthest = cells.iter().map(|&c| way(world.grid.center(c))).fold(0.0, f64::max);
    let heights: Vec<f32> = cells.iter().map(|&c| world.mountain_height_m[c]).collect();
    let mean = heights.iter().sum::<f32>() / heights.len() as f32;
    println!("{} ridge cells within {farthest:.0} m of the lines, {mean:.0} m high", cells.len());
    assert!(cells.len() > 50 && found.longest_m() > 600e3);
    assert!(farthest < 9_000.0, "{farthest} m is more than the diagonal of half a cell");
    assert!(mean > 300.0, "{mean} m");
    let off = |c: &Cell| way(world.grid.center(*c)) > 60e3;
    let beside: Vec<f32> = world.grid.cells().filter(off).map(|c| world.mountain_height_m[c]).collect();
    let mean_beside = beside.iter().sum::<f32>() / beside.len() as f32;
    assert!(mean_beside < 0.1 * mean, "{mean_beside} m off the lines");
    runs_down(&world);
}

fn to_segment(p: Vec3, a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let t = (((p.x - a[0]) * dx + (p.y - a[1]) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    p.distance(Vec3::new(a[0] + t * dx, a[1] + t * dy, 0.0))
}

/// The share of a river's way, from a place down to its end, that lies within so many metres of a line.
fn followed(world: &World, line: &[[f64; 2]], near_m: f64) -> (usize, usize) {
    let mut at = world.grid.locate(Vec3::new(line[0][0], line[0][1], 0.0)).unwrap();
    let (mut passed, mut near) = (0, 0);
    loop {
        let p = world.grid.center(at);
        let way = line.windows(2).map(|w| to_segment(p, w[0], w[1])).fold(f64::INFINITY, f64::min);
        passed += 1;
        near += usize::from(way <= near_m);
        match world.receiver_of(at).filter(|&next| world.continentality[next] > 0.0) {
            Some(next) => at = next,
            None => return (near, passed),
        }
    }
}

#[test]
fn rivers_that_are_given_run_where_they_were_drawn() {
    let desk = Desk::new();
    isle_tif(&desk, "land.tif", 25_000.0, &block);
    // to the sea in the east; and one that ends on land
    let long = [[250e3, 600e3], [500e3, 350e3], [800e3, 400e3], [1100e3, 300e3]];
    let short = [[300e3, 250e3], [380e3, 300e3], [420e3, 250e3]];
    lines(&desk, "rivers.geojson", &[&long, &short]);
    desk.does(
        "generate --recipe island --cells 96 --land land.tif --rivers-to-keep rivers.geojson -o kept.terrane --quiet",
    );
    let world = opened(&desk, "kept.terrane");
    let (near, passed) = followed(&world, &long, 18_750.0);
    println!("{near} of {passed} cells from the head to the sea lie within 1.5 cells of the line");
    assert!(passed > 60 && near == passed, "{near} of {passed}");
    let end = world.grid.locate(Vec3::new(420e3, 250e3, 0.0)).unwrap();
    let from = world.grid.locate(Vec3::new(300e3, 250e3, 0.0)).unwrap();
    let mut at = from;
    let mut reached = false;
    while let Some(next) = world.receiver_of(at) {
        reached |= next == end || world.grid.neighbors(end).any(|(_, n)| n == next);
        at = next;
    }
    assert!(reached, "the short river comes to its end, or cuts the last corner");
    assert!(world.continentality[at] <= 0.0 || world.lake[at] != world::NO_LAKE, "and goes on from there");
    runs_down(&world);
}

#[test]
fn all_together_on_a_globe_without_a_mask_too() {
    let desk = Desk::new();
    mask_png(&desk, "land.png", 128, &is_land);
    let place = |lon: f64, lat: f64| [lon, lat];
    lines(
        &desk,
        "crest.geojson",
        &[&[place(10.0, 20.0), place(40.0, 30.0)], &[place(-150.0, 5.0), place(-130.0, -20.0)]],
    );
    lines(&desk, "river.geojson", &[&[place(20.0, 40.0), place(60.0, 10.0)]]);
    grey_png(&desk, "high.png", (128, 64), &|i| if (i / 128) % 16 < 4 { 200 } else { 0 });
    let all = "--land land.png --mountain-height high.png --ridge-lines crest.geojson --rivers-to-keep river.geojson";
    desk.does(&format!("generate --cells 28 {all} -o all.terrane --quiet"));
    let world = opened(&desk, "all.terrane");
    let given = world.recipe.given.as_ref().unwrap();
    assert!(given.files().iter().all(|(_, file)| file.len() > 64), "{given:?}");
    runs_down(&world);
    desk.does("map all.terrane -o all.png --width 256");
    for alone in
        ["--mountain-height high.png", "--ridge-lines crest.geojson", "--rivers-to-keep river.geojson"]
    {
        desk.does(&format!("generate --cells 28 {alone} -o alone.terrane --quiet"));
        runs_down(&opened(&desk, "alone.terrane"));
    }
}

#[test]
fn files_that_cannot_be_taken_are_refused_in_a_line() {
    let desk = Desk::new();
    mask_png(&desk, "dry.png", 16, &|_, _| true);
    mask_png(&desk, "wet.png", 16, &|_, _| false);
    grey_png(&desk, "square.png", (16, 16), &|_| 1);
    isle_tif(&desk, "isle.tif", 50_000.0, &block);
    isle_tif(&desk, "none.tif", 50_000.0, &|_, _| f32::NAN);
    isle_tif(&desk, "feet.tif", 50_000.0, &|_, _| 30_000.0);
    desk.put("text.png", "land");
    desk.put("cut.png", &desk.bytes("dry.png")[..60]);
    desk.put("empty.geojson", "{\"type\":\"FeatureCollection\",\"features\":[]}");
    desk.put("point.geojson", "{\"type\":\"Point\",\"coordinates\":[1,2]}");
    lines(&desk, "far.geojson", &[&[[9e9, 0.0], [0.0, 0.0]]]);
    let to_and_fro: Vec<[f64; 2]> = (0..20_000).map(|k| [f64::from(k % 2) * 90.0, 0.0]).collect();
    lines(&desk, "endless.geojson", &[&to_and_fro]);
    for (line, status, why) in [
        ("--land nowhere.png", 1, "nowhere.png"),
        ("--land text.png", 1, "PNG"),
        ("--land cut.png", 1, "PNG"),
        ("--land dry.png", 1, "no sea"),
        ("--land wet.png", 1, "no land"),
        ("--land square.png", 2, "16 x 16 pixels"),
        ("--land isle.tif", 2, "a whole globe"),
        ("--recipe island --land none.tif", 2, "no number"),
        ("--recipe island --mountain-height feet.tif", 2, "30000"),
        ("--recipe island --set grid.width_km=600 --land isle.tif", 2, "another place"),
        ("--ridge-lines empty.geojson", 2, "no line"),
        ("--rivers-to-keep point.geojson", 2, "Point"),
        ("--ridge-lines far.geojson", 2, "no longitude"),
        ("--ridge-lines endless.geojson", 2, "times as long"),
        ("--land dry.png -o dry.png", 2, "replace"),
    ] {
        let said = desk.refused(&format!("generate --cells 16 {line}"), status);
        assert!(said.contains(why), "{line}: {said}");
    }
}

/// A pipe that nobody writes to and a device without an end are refused at once: to wait for them would be to hang.
#[cfg(target_os = "linux")]
#[test]
fn pipes_and_devices_are_no_files_to_give() {
    let desk = Desk::new();
    let made = std::process::Command::new("mkfifo").arg(desk.path("pipe")).status().unwrap();
    assert!(made.success());
    std::fs::create_dir(desk.path("folder")).unwrap();
    for option in ["--land", "--mountain-height", "--ridge-lines", "--rivers-to-keep"] {
        for (name, kind) in [("pipe", "device"), ("/dev/zero", "device"), ("folder", "folder")] {
            let mut command = desk.command();
            command.args(["generate", "--cells", "8", option, name]);
            let (status, said) = ends_well(command, &format!("{option} {name}"));
            assert_eq!(status, 1, "{said}");
            assert!(said.contains(name) && said.contains(&format!("it is a {kind}, not a file")), "{said}");
        }
    }
}
