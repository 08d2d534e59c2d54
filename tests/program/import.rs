//! `terrane import`: the real Earth, and small maps that are made here.

use crate::cli_support::Desk;
use crate::hydro_desk::{Place, put};
use grid::{Cell, Grid, Topology, math};
use store::WorldFile;
use world::{Network, World, ridges};

/// ETOPO5 at 10 minutes.
const EARTH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/earth/etopo10.tif");
const RIVERS: &str = include_str!("../../data/earth/rivers.toml");

/// How far a mouth may lie from where it should, in km.
const MOUTH_KM: f64 = 200.0;
/// By how much of it an area may be off.
const AREA_SHARE: f64 = 1.0 / 3.0;

/// Rivers and ranges that are not yet where they should be, each with the reason. All others must be.
const MISSED: &[(&str, &str)] = &[
    ("amur", "its last gorge is closed in this raster: it goes to the Sea of Japan"),
    ("columbia", "it drains 1.37 times what is published"),
    (
        "mississippi",
        "it takes the way of the Atchafalaya, 270 km off, and the upper Missouri goes to Hudson Bay",
    ),
    ("niger", "the basin of Lake Chad overflows into it"),
    ("orinoco", "half of its land drains elsewhere"),
    ("yenisei", "it goes to the next gulf, 390 km off"),
    ("yukon", "it crosses to Kotzebue Sound, 440 km off"),
    ("zambezi", "the basins of the Okavango and the Makgadikgadi overflow into it"),
];

/// The world of a file on the desk.
pub fn opened(desk: &Desk, name: &str) -> World {
    let file = WorldFile::open(desk.path(name)).unwrap();
    let layers = World::layer_names().iter().map(|n| file.layer(n).unwrap()).collect();
    let tables = file.tables().iter().map(|t| file.table(&t.name).unwrap()).collect();
    World::from_parts(&file.meta().recipe, layers, tables).unwrap()
}

fn lon_lat(world: &World, cell: Cell) -> (f64, f64) {
    math::to_lon_lat(world.grid.center(cell))
}

#[test]
fn the_rivers_and_ranges_of_the_earth_are_where_they_are() {
    let desk = Desk::new();
    desk.does(&format!("import {EARTH} -o earth.terrane --cells 270 --quiet"));
    let world = opened(&desk, "earth.terrane");
    let import = world.recipe.import.as_ref().unwrap();
    assert_eq!(import.source, "etopo10.tif");
    assert_eq!(import.digest, store::digest_of_file(EARTH.as_ref()).unwrap());
    adds_up(&world);
    mountains_rise(&desk, &world);
    let found = [rivers(&world), ranges(&world)].concat();
    println!("{found:#?}");
    let is_missed = |line: &&String| MISSED.iter().any(|(name, _)| line.starts_with(name));
    let (missed, wrong): (Vec<&String>, Vec<&String>) =
        found.iter().filter(|line| line.contains("WRONG")).partition(is_missed);
    assert_eq!(missed.len(), MISSED.len(), "what is found now must be taken off the list: {found:#?}");
    assert!(wrong.is_empty(), "{found:#?}");
}

/// Base and mountains are the raster's height: land where it is above the sea, but for what sediment fills.
fn adds_up(world: &World) {
    let heights: Vec<(f32, f32)> =
        world.grid.cells().map(|c| (world.surface_m(c), world.mountain_height_m[c])).collect();
    let land = world.continentality.as_slice();
    assert!(heights.iter().zip(land).all(|(h, &l)| h.1 >= 0.0 && (l > 0.0 || h.1 == 0.0)));
    let share = land.iter().filter(|&&l| l > 0.0).count() as f64 / land.len() as f64;
    assert!((0.28..0.31).contains(&share), "Earth has 29 % of land, not {share}");
    let highest = heights.iter().map(|h| h.0).fold(0.0, f32::max);
    assert!((5000.0..6500.0).contains(&highest), "{highest} m: the means of cells of 34 km");
}

/// Refined ranges are as high as the raster in the mean, and their summits about as high as the real ones, which the raster does not know.
fn mountains_rise(desk: &Desk, world: &World) {
    let summits = [
        ("everest", 86.9, 28.0, 8849.0),
        ("montblanc", 7.5, 46.0, 4808.0),
        ("aconcagua", -70.0, -32.7, 6961.0),
        ("elbrus", 43.0, 43.0, 5642.0),
        ("elbert", -106.5, 39.1, 4401.0),
    ];
    for (name, lon, lat, true_m) in summits {
        desk.does(&format!(
            "region earth.terrane -o {name}.tif --quiet --at={lon},{lat} --span 200 --resolution 1000"
        ));
        let found = heights(desk, &format!("{name}.tif"));
        let (lat_deg, lon_deg) = (0.9, 0.9 / math::cos(f64::to_radians(lat)));
        let around = |c: &Cell| {
            let place = lon_lat(world, *c);
            (place.0 - lon).abs() < lon_deg && (place.1 - lat).abs() < lat_deg
        };
        let cells: Vec<f64> =
            world.grid.cells().filter(around).map(|c| f64::from(world.surface_m(c).max(0.0))).collect();
        let (mean_m, expected_m) = (mean(&found), mean(&cells));
        assert!((mean_m / expected_m - 1.0).abs() < 0.15, "{name}: {mean_m} m, not {expected_m} m");
        let highest_m = found.iter().copied().fold(0.0, f64::max);
        assert!((0.8..1.25).contains(&(highest_m / true_m)), "{name}: {highest_m} m, not {true_m} m");
    }
}

/// The heights of a GeoTIFF on the desk, in metres.
fn heights(desk: &Desk, name: &str) -> Vec<f64> {
    let mut reader = formats::geotiff::Reader::open(&desk.path(name)).unwrap();
    let (width, height) = (reader.info().width, reader.info().height);
    let mut values = vec![0.0; width * height];
    reader.read_rows(0, height, &mut values).unwrap();
    values.into_iter().map(f64::from).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// What is refined of a world of small cells has the heights of the raster that the world was imported from.
#[test]
fn a_raster_of_small_cells_comes_back_as_high_as_it_was() {
    let desk = Desk::new();
    desk.does("generate -o made.terrane --seed 7 --cells 96 --quiet");
    let made = opened(&desk, "made.terrane");
    let highest = made.grid.cells().max_by(|a, b| made.surface_m(*a).total_cmp(&made.surface_m(*b))).unwrap();
    let (lon, lat) = lon_lat(&made, highest);
    desk.does(&format!("region made.terrane -o dem.tif --at={lon},{lat} --span 80 --resolution 500 --quiet"));
    let raster = heights(&desk, "dem.tif");
    let side = raster.len().isqrt();
    // samples of a flat map lie at whole steps from its corner: where four of the raster meet
    let corner = |k: usize| {
        let at = k / (side - 1) * side + k % (side - 1);
        [at, at + 1, at + side, at + side + 1].map(|i| raster[i]).iter().sum::<f64>() / 4.0
    };
    let before: Vec<f64> = (0..(side - 1).pow(2)).map(corner).collect();
    let before_m = mean(&before);
    let deviation_m = root_mean_square(before.iter().map(|z| z - before_m));
    for cells in [side, side / 4] {
        desk.does(&format!("import dem.tif -o dem.terrane --cells {cells} --quiet"));
        let [west, south, east, north] =
            [0, 1, 2, 3].map(|k| desk.info("dem.terrane")["bounds"][k].as_f64().unwrap());
        let inside =
            [west + 499.0, south + 499.0, east - 499.0, north - 499.0].map(|v| v.to_string()).join(",");
        desk.does(&format!("region dem.terrane -o {cells}.tif --bbox={inside} --resolution 500 --quiet"));
        let after = heights(&desk, &format!("{cells}.tif"));
        let off_m = root_mean_square(before.iter().zip(&after).map(|(a, b)| a - b));
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        let found = format!(
            "{cells} cells: mean {:.0} of {:.0} m, highest {:.0} of {:.0} m, {off_m:.0} m off, deviation {deviation_m:.0} m",
            mean(&after),
            before_m,
            most(&after),
            most(&before)
        );
        println!("{found}");
        assert_eq!(before.len(), after.len());
        assert!((mean(&after) / before_m - 1.0).abs() < 0.03, "{found}");
        assert!((most(&after) / most(&before) - 1.0).abs() < 0.12, "{found}");
        assert!(off_m < if cells == side { 0.2 } else { 0.4 } * deviation_m, "{found}");
    }
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    let squares: Vec<f64> = values.map(|v| v * v).collect();
    mean(&squares).sqrt()
}

/// A line for each river: which one reaches its mouth, how far off, and how much it drains.
fn rivers(world: &World) -> Vec<String> {
    let table: toml::Table = RIVERS.parse().unwrap();
    let of_river = |(name, about): (&String, &toml::Value)| {
        let number = |list: &str, i: usize| about[list].as_array().unwrap()[i].as_float().unwrap();
        let mouth = math::from_lon_lat(number("mouth", 0), number("mouth", 1));
        let [least, most] = [0, 1].map(|i| number("drainage_km2", i));
        let network: &Network = &world.network;
        let all = network.rivers();
        let near = |cell: Cell| world.grid.distance_m(world.grid.center(cell), mouth) / 1000.0;
        let reach = |river: &&world::River| near(river.mouth) <= MOUTH_KM;
        let best = all.iter().filter(reach).max_by(|a, b| a.drainage_km2.total_cmp(&b.drainage_km2));
        let Some(river) = best else { return format!("{name}: WRONG: no river reaches the sea there") };
        let ends = network.outlets[river.outlet as usize].kind.name();
        let (km, area) = (near(river.mouth), river.drainage_km2);
        let ratio = if area < least { area / least } else { (area / most).max(1.0) };
        let fits = (ratio - 1.0).abs() <= AREA_SHARE && ends != "lake";
        let verdict = if fits { "" } else { ": WRONG" };
        format!(
            "{name}: {km:.0} km off, {area:.0} km2, {ratio:.2} of {least:.0} to {most:.0}, {ends}{verdict}"
        )
    };
    table.iter().map(of_river).collect()
}

/// A range: its name, a box of west, south, east, north, the least length of its longest line in km, and its azimuth
/// with how far that may be off, in degrees.
type Range = (&'static str, [f64; 4], f64, [f64; 2]);

const RANGES: [Range; 4] = [
    // north-west in Peru, north in Chile, north-north-east in Bolivia and Colombia
    ("Andes", [-80.0, -45.0, -62.0, 8.0], 1500.0, [175.0, 35.0]),
    ("Himalaya", [73.0, 26.0, 97.0, 37.0], 800.0, [110.0, 25.0]),
    ("Alps", [5.0, 43.5, 16.5, 48.0], 300.0, [70.0, 40.0]),
    ("Rockies", [-128.0, 35.0, -104.0, 60.0], 600.0, [150.0, 30.0]),
];

/// A line for each range: how long the longest piece of a ridge line in its box is, and where it points.
fn ranges(world: &World) -> Vec<String> {
    let found = ridges::lines(&world.grid, &world.ridge_directions);
    let of_range = |&(name, [west, south, east, north], least_km, [azimuth, off]): &Range| {
        let inside = |c: &Cell| {
            let (lon, lat) = lon_lat(world, *c);
            (west..east).contains(&lon) && (south..north).contains(&lat)
        };
        let pieces = found.lines.iter().flat_map(|line| line.split(|c| !inside(c)));
        let km = |cells: &[Cell]| {
            cells.windows(2).map(|w| world.grid.cell_distance_m(w[0], w[1])).sum::<f64>() / 1000.0
        };
        let longest = pieces.max_by(|a, b| km(a).total_cmp(&km(b))).unwrap_or_default();
        let (length, points) = (km(longest), direction(world, longest));
        let apart = (points - azimuth).rem_euclid(180.0);
        let fits = length >= least_km && apart.min(180.0 - apart) <= off;
        let verdict = if fits { "" } else { ": WRONG" };
        format!("{name}: {length:.0} km towards {points:.0} degrees{verdict}")
    };
    RANGES.iter().map(of_range).collect()
}

/// The azimuth of a line from its first cell to its last, 0 to 180 degrees clockwise from north.
fn direction(world: &World, line: &[Cell]) -> f64 {
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else { return f64::NAN };
    let (a, b) = (lon_lat(world, first), lon_lat(world, last));
    let east = (b.0 - a.0) * math::cos((0.5 * (a.1 + b.1)).to_radians());
    math::atan2(east, b.1 - a.1).to_degrees().rem_euclid(180.0)
}

/// A cone of 2000 m in a sea, 40 cells across, with a ridge of 1200 m that runs from it to the east; metres.
fn island(x: f64, y: f64) -> f64 {
    let cone = 2000.0 - 80.0 * ((x - 40.0) * (x - 40.0) + (y - 40.0) * (y - 40.0)).sqrt();
    let ridge = if x > 40.0 { 1200.0 - 90.0 * (y - 40.0).abs() - 2.0 * (x - 40.0) } else { -500.0 };
    let land = 30.0 - 4.0 * ((x - 60.0).abs() - 45.0).max((y - 40.0).abs() - 25.0);
    cone.max(ridge).max(land.min(60.0)).max(-100.0)
}

/// The island's heights, row by row from the north.
fn island_heights() -> Vec<f32> {
    (0..WIDE * HIGH).map(|i| island((i % WIDE) as f64, (i / WIDE) as f64) as f32).collect()
}

const WIDE: usize = 120;
const HIGH: usize = 80;

/// The island as a GeoTIFF of pixels of 2 km in metres.
fn island_tif(desk: &Desk, name: &str) {
    use formats::{Band, BandValues, Crs, Georeference, Raster, geotiff};
    let values = island_heights();
    let georeference = Georeference {
        crs: Crs::Metres,
        west: 500_000.0,
        north: 4_160_000.0,
        step_x: 2000.0,
        step_y: 2000.0,
    };
    let bands = vec![Band::new("elevation", "m", BandValues::F32(values))];
    let raster = Raster { width: WIDE, height: HIGH, georeference, bands };
    geotiff::write(&desk.path(name), &raster, &[]).unwrap();
}

/// The same as a PNG of 16 bits from -100 to 2100 m.
fn island_png(desk: &Desk, name: &str) {
    let file = std::fs::File::create(desk.path(name)).unwrap();
    let mut encoder = png::Encoder::new(file, WIDE as u32, HIGH as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let number = |i: usize| (island((i % WIDE) as f64, (i / WIDE) as f64) + 100.0) / 2200.0 * 65535.0;
    let bytes: Vec<u8> = (0..WIDE * HIGH).flat_map(|i| (number(i).round() as u16).to_be_bytes()).collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
}

#[test]
fn a_flat_map_becomes_a_world_from_either_format() {
    let desk = Desk::new();
    island_tif(&desk, "isle.tif");
    island_png(&desk, "isle.png");
    desk.does("import isle.tif -o tif.terrane --quiet --set mountains.min_height_m=100");
    desk.does("import isle.png -o png.terrane --quiet --range -100,2100 --pixel-size 2000");
    for name in ["tif.terrane", "png.terrane"] {
        let world = opened(&desk, name);
        assert!(
            matches!(&world.grid, Topology::Flat(map) if map.extent_m() == (240_000.0, 160_000.0)),
            "{name}"
        );
        assert_eq!(world.grid.len(), WIDE * HIGH, "a cell for each sample");
        for cell in world.grid.cells() {
            let (_, row, col) = world.grid.shape().split(cell);
            let z = island(f64::from(col), f64::from(row));
            // sediment may fill the flat land; 25 places in a cell read between its neighbours
            let off = f64::from(world.surface_m(cell)) - z;
            assert!(off.abs() < 60.0, "{name} {col} {row}: {z} m is {off} m off");
            assert_eq!(world.continentality[cell] > 0.0, z > 0.0, "{name} {col} {row}: {z} m");
        }
        runs_down(&world);
    }
    let ridge =
        ridges::lines(&opened(&desk, "tif.terrane").grid, &opened(&desk, "tif.terrane").ridge_directions);
    assert!(ridge.longest_m() > 60_000.0, "the ridge of 120 km is found: {} m", ridge.longest_m());
    for command in ["info", "rivers", "score"] {
        desk.does(&format!("{command} tif.terrane"));
    }
    desk.does("map tif.terrane -o map.png --width 256");
    desk.does("region tif.terrane -o cone.tif --bbox 560000,4060000,600000,4100000 --resolution 500");
}

/// Reads where a GeoTIFF on the desk lies.
fn lies(desk: &Desk, name: &str) -> formats::Georeference {
    formats::geotiff::Reader::open(&desk.path(name)).unwrap().info().georeference.clone()
}

#[test]
fn a_number_may_mean_no_data() {
    let desk = Desk::new();
    let heights = island_heights();
    // a strip of voids across the island
    let with = |void: f32| -> Vec<f32> {
        let strip = |(i, &z): (usize, &f32)| if (50..54).contains(&(i % WIDE)) { void } else { z };
        heights.iter().enumerate().map(strip).collect()
    };
    put(&desk, "number.tif", Place::Utm, WIDE, &with(-32768.0), None);
    put(&desk, "zero.tif", Place::Utm, WIDE, &with(0.0), None);
    put(&desk, "tag.tif", Place::Utm, WIDE, &with(-32768.0), Some("-32768"));
    put(&desk, "nan.tif", Place::Utm, WIDE, &with(f32::NAN), None);
    put(&desk, "flat.tif", Place::Utm, WIDE, &[7.0; WIDE * HIGH], None);
    let said = desk.refused("import number.tif -o no.terrane --quiet", 1);
    assert!(said.contains("--nodata"), "{said}");
    let lines = [
        "number.tif --nodata -32768",
        "zero.tif --nodata 0",
        "tag.tif",
        "nan.tif",
        "tag.tif --nodata -32768",
    ];
    let made = lines.map(|line| {
        desk.does(&format!("import {line} -o a.terrane --quiet"));
        opened(&desk, "a.terrane")
    });
    let strip = |world: &World| {
        let land = world.grid.cells().filter(|c| (51..53).contains(&(c.index() % WIDE)));
        land.filter(|&c| world.continentality[c] > 0.0).count()
    };
    assert!(made.iter().all(|world| strip(world) == 0), "what has no data is sea");
    for world in &made[1..] {
        assert_eq!(world.base_elevation_m, made[0].base_elevation_m);
    }
    for (line, why) in [
        ("flat.tif --nodata 7", "leaves nothing: 9600 samples"),
        ("number.tif --nodata 12345", "no sample has this number"),
        ("number.tif --nodata nan", "--nodata"),
    ] {
        let said = desk.refused(&format!("import {line} -o no.terrane --quiet"), 2);
        assert!(said.contains(why), "{line}: {said}");
    }
    island_png(&desk, "isle.png");
    let png = "import isle.png -o no.terrane --range -100,2100 --pixel-size 2000";
    for (number, why) in [("-100", "a whole number from 0"), ("65535", "no sample has this number")] {
        let said = desk.refused(&format!("{png} --nodata {number} --quiet"), 2);
        assert!(said.contains(why), "{said}");
    }
    // the grey of the corner
    let grey = ((island(0.0, 0.0) + 100.0) / 2200.0 * 65535.0).round();
    desk.does(&format!("{png} --nodata {grey} --quiet"));
}

#[test]
fn what_is_written_of_an_imported_map_lies_where_its_raster_did() {
    let desk = Desk::new();
    let heights = island_heights();
    // UTM zone 33 from 400000 east, 5200000 north, cells of 30 m
    put(&desk, "utm.tif", Place::Utm, WIDE, &heights, None);
    let said = desk.run("import utm.tif -o utm.terrane".split(' ')).err;
    assert!(said.contains("those of EPSG:32633") && said.contains("400000,5197600 m"), "{said}");
    let all = "--bbox 400000,5197600,403600,5200000 --resolution 30 --method classic";
    desk.does(&format!("region utm.terrane -o all.tif -o all.zarr -o all.r32 {all} --quiet"));
    let (raster, found) = (lies(&desk, "utm.tif"), lies(&desk, "all.tif"));
    assert_eq!(found.crs.describe(), raster.crs.describe());
    assert_eq!((found.step_x, found.step_y), (raster.step_x, raster.step_y));
    // samples of a region stand at multiples of the resolution, half a cell from the raster's middles
    let off = [found.west - raster.west, found.north - raster.north];
    assert!(off.map(f64::abs).iter().all(|&off| off <= 15.0), "{off:?}");
    let reference = desk.json("all.zarr/spatial_ref/zarr.json")["attributes"].clone();
    assert_eq!(reference["spatial_ref"], "EPSG:32633");
    let affine = format!("{} 30 0 {} 0 -30", found.west, found.north);
    assert_eq!(reference["GeoTransform"], affine);
    assert_eq!(desk.json("all.zarr/elevation/zarr.json")["attributes"]["grid_mapping"], "spatial_ref");
    assert_eq!(desk.json("all.r32.json")["georeference"]["west"], found.west);
    // piece by piece, and as lines
    desk.does(&format!("region utm.terrane -o long.tif {all} --resume --quiet"));
    assert!(desk.bytes("long.tif") == desk.bytes("all.tif"));
    desk.does(&format!("refine utm.terrane --out parts.zarr {all} --quiet"));
    assert_eq!(desk.json("parts.zarr/spatial_ref/zarr.json")["attributes"]["GeoTransform"], affine);
    desk.does(
        "region utm.terrane -o lines.geojson --layers ridges --bbox 400000,5197600,403600,5200000 \
         --resolution 30 --quiet",
    );
    desk.does("rivers utm.terrane -o rivers.geojson --quiet");
    for name in ["lines.geojson", "rivers.geojson"] {
        let lines = desk.json(name);
        assert_eq!(lines["crs"]["properties"]["name"], "urn:ogc:def:crs:EPSG::32633");
        let mut place = &lines["features"][0]["geometry"]["coordinates"];
        if name == "rivers.geojson" && place.is_null() {
            continue; // a map of some hectares may have none
        }
        while place[0].is_array() {
            place = &place[0];
        }
        let [x, y] = [0, 1].map(|i| place[i].as_f64().unwrap());
        assert!((400_000.0..403_600.0).contains(&x) && (5_197_600.0..5_200_000.0).contains(&y), "{x} {y}");
    }
}

/// On even ground in small cells water wanders: few of the cells of its rivers lie in long straight runs. And what is refined of
/// it does not depend on the window.
#[test]
fn rivers_of_small_cells_do_not_run_along_the_grid() {
    const SIDE: usize = 300;
    let desk = Desk::new();
    // long smooth hills, falling to the south-west
    let wave = |x: f64, y: f64, long: f64, turned: f64| {
        math::sin((x * math::cos(turned) + y * math::sin(turned)) / long)
    };
    let height = |i: usize| {
        let (x, y) = ((i % SIDE) as f64, (i / SIDE) as f64);
        let hills = wave(x, y, 31.0, 0.4) + wave(x, y, 23.0, 1.9) + 0.6 * wave(x, y, 13.0, 2.6);
        (900.0 + 2.0 * (x - y) + 120.0 * hills) as f32
    };
    let heights: Vec<f32> = (0..SIDE * SIDE).map(height).collect();
    put(&desk, "hills.tif", Place::Utm, SIDE, &heights, None);
    desk.does("import hills.tif -o hills.terrane --quiet");
    let world = opened(&desk, "hills.terrane");
    runs_down(&world);
    let cell_km2 = 0.03 * 0.03;
    let is_river = |c: &Cell| world.drainage_km2[*c] > 30.0 * cell_km2;
    let goes_on = |c: Cell| {
        let next = world.receiver_of(c)?;
        (world.receiver[next] == world.receiver[c]).then_some(next)
    };
    let begins = |c: &Cell| {
        let mut inflows = world.grid.neighbors(*c).map(|(_, n)| n);
        !inflows.any(|n| is_river(&n) && goes_on(n) == Some(*c))
    };
    let (mut straight, mut all) = (0, 0);
    for first in world.grid.cells().filter(is_river).filter(begins) {
        let run = std::iter::successors(Some(first), |&c| goes_on(c)).count();
        (straight, all) = (straight + if run >= 8 { run } else { 0 }, all + run);
    }
    println!("{straight} of {all} cells in straight runs");
    assert!(all > 5_000 && straight * 8 < all, "{straight} of {all} cells in straight runs");

    let layers = "--layers elevation,discharge --resolution 12 --quiet";
    desk.does(&format!("region hills.terrane -o one.tif --bbox 403000,5195000,405400,5197400 {layers}"));
    desk.does(&format!("region hills.terrane -o two.tif --bbox 404200,5196200,405700,5198000 {layers}"));
    let (one, two) = (desk.geotiff("one.tif"), desk.geotiff("two.tif"));
    assert!(one.assert_same_overlap(&two) > 9_000);
}

/// What the program tells as JSON.
fn said(desk: &Desk, line: &str) -> serde_json::Value {
    serde_json::from_str(&desk.does(line)).unwrap_or_else(|e| panic!("{line}: {e}"))
}

/// Boxes, places and polygons are named as the raster's reference system has them, and places are told so.
#[test]
fn places_of_an_imported_map_are_named_as_its_raster_has_them() {
    let desk = Desk::new();
    let heights = island_heights();
    put(&desk, "utm.tif", Place::Utm, WIDE, &heights, None);
    desk.does("import utm.tif -o utm.terrane --quiet");
    let info = desk.info("utm.terrane");
    assert_eq!(info["reference"], "EPSG:32633");
    assert_eq!(info["bounds"], serde_json::json!([400_000.0, 5_197_600.0, 403_600.0, 5_200_000.0]));

    // one place asked for in five ways
    let common = "--resolution 30 --method classic --quiet";
    desk.does(&format!("region utm.terrane -o at.tif --at 401500,5198800 --span 0.6 {common}"));
    desk.does(&format!("region utm.terrane -o box.tif --bbox 401200,5198500,401800,5199100 {common}"));
    let ring = "[[401200,5198500],[401800,5198500],[401800,5199100],[401200,5199100],[401200,5198500]]";
    std::fs::write(desk.path("box.geojson"), format!(r#"{{"type":"Polygon","coordinates":[{ring}]}}"#))
        .unwrap();
    desk.does(&format!("region utm.terrane -o polygon.tif --polygon box.geojson {common}"));
    desk.does("region utm.terrane -o cell.tif --cell-at 401500,5198800 --level 2 --method classic --quiet");
    desk.does(&format!("refine utm.terrane --out box.zarr --bbox 401200,5198500,401800,5199100 {common}"));
    for name in ["at.tif", "box.tif", "polygon.tif", "cell.tif"] {
        let found = lies(&desk, name);
        let off = [found.west - 401_500.0, found.north - 5_198_800.0];
        assert!((-330.0..=0.0).contains(&off[0]) && (0.0..=330.0).contains(&off[1]), "{name}: {off:?}");
    }
    let place = desk.json("box.zarr/spatial_ref/zarr.json")["attributes"]["GeoTransform"].clone();
    assert!(place.as_str().unwrap().starts_with("401185 30 0 51991"), "{place}");

    // what is told of a place can be asked for again
    let way = said(&desk, "rivers utm.terrane --from 401500,5198800 --json");
    assert_eq!(way["from"], serde_json::json!([401_500.0, 5_198_800.0]));
    let within = |place: &serde_json::Value| {
        let [x, y] = [0, 1].map(|i| place[i].as_f64().unwrap());
        assert!((399_900.0..403_700.0).contains(&x) && (5_197_500.0..5_200_100.0).contains(&y), "{x} {y}");
    };
    within(&way["mouth"]);
    for station in way["profile"].as_array().unwrap() {
        within(&station["place"]);
    }
    let words = desk.run("rivers utm.terrane --from 401500,5198800".split(' ')).out;
    assert!(words.contains("From 401500,5198800 the water runs"), "{words}");
    desk.does("rivers utm.terrane --from 401500,5198800 -o way.csv --quiet");
    let csv = String::from_utf8(desk.bytes("way.csv")).unwrap();
    assert!(csv.lines().nth(1).unwrap().starts_with("0,4014"), "{csv}");
    for row in said(&desk, "rivers utm.terrane --top 3 --json").as_array().unwrap() {
        within(&row["mouth"]);
        within(&row["source"]);
    }

    // metres from the corner are no places of it
    for asked in [
        "region utm.terrane -o no.tif --bbox 0,0,3600,2400 --resolution 30",
        "rivers utm.terrane --from 900,900",
    ] {
        let why = desk.refused(asked, 2);
        assert!(why.contains("spans 400000,5197600,403600,5200000 in EPSG:32633"), "{why}");
    }
    // printed, its frame counts the kilometres of the raster
    desk.does("region utm.terrane -o page.svg --bbox 401000,5198000,403000,5199500 --quiet");
    let page = String::from_utf8(desk.bytes("page.svg")).unwrap();
    for words in ["EPSG:32633", "402 km", "5199 km", "402 km east, 5199 km north"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn a_map_of_its_own_units_and_cells_lies_where_its_raster_did() {
    use formats::{Band, BandValues, Crs, Georeference, Raster, geotiff};
    let desk = Desk::new();
    let values = island_heights();
    let crs = Crs::TransverseMercator { lon0_deg: 9.1, lat0_deg: 47.3, radius_m: 6_371_000.0 };
    let georeference = Georeference { crs, west: -31_234.5, north: 7_654.25, step_x: 300.0, step_y: 300.0 };
    let bands = vec![Band::new("elevation", "m", BandValues::F32(values))];
    geotiff::write(&desk.path("own.tif"), &Raster { width: WIDE, height: HIGH, georeference, bands }, &[])
        .unwrap();
    // 36 x 24 km in 50 x 33 cells: the grid is a hundredth of a cell lower than the raster
    desk.does("import own.tif -o own.terrane --cells 50 --quiet");
    desk.does(
        "region own.terrane -o all.tif --bbox=-31234.5,-16345.75,4765.5,7654.25 --resolution 720 --method classic --quiet",
    );
    let (raster, found) = (lies(&desk, "own.tif"), lies(&desk, "all.tif"));
    assert_eq!(found.crs, raster.crs);
    assert_eq!(found.step_x, 720.0);
    assert!((found.step_y - 720.0 * 24_000.0 / 23_760.0).abs() < 1e-9, "{}", found.step_y);
    assert!((found.west - raster.west + 360.0).abs() < 1e-6, "{}", found.west);
    assert!((found.north - raster.north - found.step_y / 2.0).abs() < 1e-6, "{}", found.north);
}

/// Water of all land reaches the sea or the border, and never climbs.
pub fn runs_down(world: &World) {
    let mut ends = 0;
    for cell in world.grid.cells().filter(|&c| world.continentality[c] > 0.0) {
        let (mut at, mut steps) = (cell, 0);
        while let Some(next) = world.receiver_of(at) {
            assert!(world.river_level_m[next] <= world.river_level_m[at]);
            (at, steps) = (next, steps + 1);
            assert!(steps < world.grid.len());
        }
        assert!(
            world.continentality[at] <= 0.0 || world.grid.at_border(at) || world.lake[at] != world::NO_LAKE
        );
        ends += 1;
    }
    assert!(ends > 1000);
}

#[test]
fn rivers_that_are_given_are_followed_and_ridges_are_those_that_are_given() {
    let desk = Desk::new();
    island_tif(&desk, "isle.tif");
    // from beside the ridge across it and the cone's foot, to the coast in the south
    let places = [[600_500.0, 4_095_000.0], [601_000.0, 4_040_000.0], [601_000.0, 4_010_000.0]];
    desk.put("river.geojson", format!("{{\"type\":\"LineString\",\"coordinates\":{places:?}}}"));
    // half of the crest of the ridge, which is longer
    let crest = [[[640_000.0, 4_079_000.0], [700_000.0, 4_079_000.0]]];
    desk.put("ridge.geojson", format!("{{\"type\":\"MultiLineString\",\"coordinates\":{crest:?}}}"));
    desk.does(
        "import isle.tif -o kept.terrane --quiet --rivers-to-keep river.geojson --ridge-lines ridge.geojson",
    );
    let world = opened(&desk, "kept.terrane");
    let mut at = world.grid.locate(grid::Vec3::new(100_500.0, 95_000.0, 0.0)).unwrap();
    let mut passed = 0;
    while let Some(next) = world.receiver_of(at) {
        let p = world.grid.center(next);
        if world.continentality[next] > 0.0 && p.y > 14_000.0 {
            assert!((p.x - 101_000.0).abs() <= 3_000.0, "{p:?} lies off the river");
            passed += 1;
        }
        at = next;
    }
    assert!(passed > 30, "{passed} cells on the way");
    let found = ridges::lines(&world.grid, &world.ridge_directions);
    assert_eq!((found.lines.len(), found.longest_m()), (1, 60_000.0));
    assert!(found.lines[0].iter().all(|&c| world.grid.center(c).y == 79_000.0));
}

#[test]
fn masks_say_where_land_and_mountains_are() {
    use formats::{Band, BandValues, Crs, Georeference, Raster, geotiff};
    let desk = Desk::new();
    island_tif(&desk, "isle.tif");
    let put = |name: &str, west: f64, value: &dyn Fn(usize, usize) -> f32| {
        let values = (0..60 * 40).map(|i| value(i % 60, i / 60)).collect();
        let georeference =
            Georeference { crs: Crs::Metres, west, north: 4_160_000.0, step_x: 4000.0, step_y: 4000.0 };
        let bands = vec![Band::new("mask", "", BandValues::F32(values))];
        geotiff::write(&desk.path(name), &Raster { width: 60, height: 40, georeference, bands }, &[])
            .unwrap();
    };
    put("west.tif", 500_000.0, &|col, _| if col < 30 { 1.0 } else { 0.0 });
    put("high.tif", 500_000.0, &|col, row| {
        if (15..25).contains(&col) && (15..25).contains(&row) { 300.0 } else { 0.0 }
    });
    put("away.tif", 900_000.0, &|_, _| 1.0);
    desk.does("import isle.tif -o half.terrane --quiet --land west.tif --mountain-height high.tif");
    let world = opened(&desk, "half.terrane");
    for cell in world.grid.cells() {
        let (_, row, col) = world.grid.shape().split(cell);
        assert_eq!(world.continentality[cell] > 0.0, col < 60, "{col}");
        let height = world.mountain_height_m[cell];
        if (34..46).contains(&col) && (34..46).contains(&row) {
            assert!((290.0..=700.0).contains(&height), "{col} {row}: {height}");
        }
    }
    let said = desk.refused("import isle.tif -o no.terrane --land away.tif", 2);
    assert!(said.contains("--land") && said.contains("another place"), "{said}");
}

#[test]
fn a_recipe_alone_makes_no_imported_world() {
    let desk = Desk::new();
    island_tif(&desk, "isle.tif");
    desk.does("import isle.tif -o isle.terrane --cells 24 --quiet --name Isle");
    let world = opened(&desk, "isle.terrane");
    assert_eq!(world.recipe.name, "Isle");
    desk.put("again.toml", world.recipe.to_toml());
    let said = desk.refused("generate --recipe again.toml -o again.terrane", 1);
    assert!(said.contains("isle.tif") && said.contains("terrane import"), "{said}");
    // the same raster and recipe are the same world
    desk.does(
        "import isle.tif -o again.terrane --recipe again.toml --cells 24 --quiet --threads 1 --name Isle",
    );
    assert_eq!(desk.bytes("again.terrane"), desk.bytes("isle.terrane"));
}

#[test]
fn what_cannot_be_imported_is_refused_in_a_line() {
    use formats::{Band, BandValues, Crs, Georeference, Raster, geotiff};
    let desk = Desk::new();
    island_tif(&desk, "isle.tif");
    island_png(&desk, "isle.png");
    desk.put("text.tif", "heights");
    desk.put("text.png", "heights");
    desk.put("cut.png", &desk.bytes("isle.png")[..400]);
    desk.put("no.geojson", "{\"type\":\"Point\",\"coordinates\":[1,2]}");
    let degrees = |name: &str, (north, rows): (f64, usize), value: f32| {
        let georeference = Georeference {
            crs: Crs::Geographic { radius_m: 6_371_008.8 },
            west: -180.0,
            north,
            step_x: 10.0,
            step_y: 10.0,
        };
        let bands = vec![Band::new("elevation", "m", BandValues::F32(vec![value; 36 * rows]))];
        geotiff::write(&desk.path(name), &Raster { width: 36, height: rows, georeference, bands }, &[])
            .unwrap();
    };
    degrees("part.tif", (70.0, 10), 5.0);
    degrees("dry.tif", (90.0, 17), 5.0);
    degrees("wet.tif", (80.0, 17), -5.0);
    degrees("high.tif", (80.0, 17), 1e9);
    degrees("empty.tif", (80.0, 17), f32::NAN);
    for (line, status, why) in [
        ("import nowhere.tif", 1, "nowhere.tif"),
        ("import text.tif", 1, "no TIFF"),
        ("import text.png --range 0,1 --globe", 1, "PNG"),
        ("import cut.png --range 0,1000 --globe", 1, "PNG"),
        ("import isle.png --globe", 2, "--range"),
        ("import isle.png --range 0,1000", 2, "--pixel-size"),
        ("import isle.png --range 9,1 --globe", 2, "the lower height first"),
        ("import isle.png --range 0,1000 --pixel-size -3", 2, "--pixel-size"),
        ("import isle.png --range 0,1000 --pixel-size 10", 2, "grid.height_km"),
        ("import isle.tif --range 0,1000", 2, "--range"),
        ("import isle.tif --radius 6371", 2, "flat map"),
        ("import isle.tif --band 2", 1, "band 2"),
        ("import isle.tif --sea-level nan", 2, "a finite number"),
        ("import isle.tif --sea-level 5000", 1, "no land"),
        ("import isle.tif -o isle.tif", 2, "replace"),
        ("import isle.tif --ridge-lines no.geojson", 2, "Point"),
        ("import isle.tif --set import.range_km=-1", 2, "import.range_km"),
        ("import part.tif", 2, "not a whole globe"),
        ("import dry.tif", 1, "no sea"),
        ("import wet.tif", 1, "no land"),
        ("import high.tif", 1, "1000000000 m; a world has"),
        ("import empty.tif", 1, "all are missing"),
        ("import wet.tif --radius 1", 2, "radius"),
    ] {
        let said = desk.refused(line, status);
        assert!(said.contains(why), "{line}: {said}");
    }
}
