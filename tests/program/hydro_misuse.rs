//! `terrane hydro` against rasters that cannot be worked and arguments that cannot be meant: one line that says what is
//! wrong, and nothing changed on disk; and against rasters that are odd but right.

use crate::cli_support::Desk;
use crate::hydro_desk::{Place, codes, corner_of_dem, get, put};
use tiff::encoder::{TiffEncoder, colortype};

const COLS: usize = 40;
const ROWS: usize = 30;

fn desk() -> Desk {
    let desk = Desk::new();
    put(&desk, "dem.tif", Place::Utm, COLS, &corner_of_dem(COLS, ROWS), None);
    desk
}

#[test]
fn what_is_no_elevation_is_refused() {
    let desk = desk();
    let whole = desk.bytes("dem.tif");
    desk.put("text.tif", "no TIFF at all, but long enough to have a header of one");
    desk.put("empty.tif", "");
    for (name, length) in [("cut.tif", whole.len() / 2), ("short.tif", 20), ("head.tif", 8)] {
        desk.put(name, &whole[..length]);
    }
    put(&desk, "none.tif", Place::Utm, 7, &[f32::NAN; 35], None);
    put(&desk, "gone.tif", Place::Utm, 7, &[-1.0; 35], Some("-1"));
    put(&desk, "infinite.tif", Place::Utm, 7, &[f32::INFINITY; 35], None);
    std::fs::create_dir(desk.path("folder.tif")).unwrap();
    for (name, words) in [
        ("missing.tif", "missing.tif"),
        ("text.tif", "text.tif"),
        ("empty.tif", "empty.tif"),
        ("cut.tif", "cut.tif"),
        ("short.tif", "short.tif"),
        ("head.tif", "head.tif"),
        ("folder.tif", "folder"),
        ("none.tif", "no data anywhere"),
        ("gone.tif", "no data anywhere"),
        ("infinite.tif", "no data anywhere"),
    ] {
        let said = desk.refused(&format!("hydro {name} -o a/b/out"), 1);
        assert!(said.contains(words), "{said}");
    }
    let said = desk.refused("hydro dem.tif -o out --sea 99999", 1);
    assert!(said.contains("no data anywhere above --sea 99999"), "{said}");
    // in bands too
    put(&desk, "wide.tif", Place::Utm, 300, &[f32::NAN; 300 * 300], None);
    let said = desk.refused("hydro wide.tif -o out --memory 0.005", 1);
    assert!(said.contains("no data anywhere"), "{said}");
    let said = desk.refused("hydro dem.tif -o out --band 2", 1);
    assert!(said.contains("band") && said.contains('2') && said.contains('1'), "{said}");
}

#[test]
fn arguments_that_cannot_be_meant() {
    let desk = desk();
    put(&desk, "small.tif", Place::Utm, COLS - 1, &[1.0; (COLS - 1) * ROWS], None);
    put(&desk, "degrees.tif", Place::Degrees, COLS, &corner_of_dem(COLS, ROWS), None);
    whole_degrees(&desk, "around.tif", [361, 180], [-180.0, 90.0]);
    whole_degrees(&desk, "poles.tif", [360, 181], [-180.0, 90.5]);
    for (arguments, words) in [
        ("dem.tif", "--output"),
        ("-o out", "DEM"),
        ("dem.tif -o out --depressions dig", "fill"),
        ("dem.tif -o out --layers trees", "trees"),
        ("dem.tif -o out --vectors shp", "geojson"),
        ("dem.tif -o out --band 0", "from 1 to 65535"),
        ("dem.tif -o out --band -1", "from 1 to 65535"),
        ("dem.tif -o out --pfafstetter 10", "from 1 to 9"),
        ("dem.tif -o out --threshold 5acres", "2km2"),
        ("dem.tif -o out --threshold -5", "positive"),
        ("dem.tif -o out --threshold 0", "positive"),
        ("dem.tif -o out --threshold 1m3/s", "--runoff"),
        ("dem.tif -o out --layers discharge", "--runoff"),
        ("dem.tif -o out --runoff -1", "0 or more"),
        ("dem.tif -o out --runoff nan", "0 or more"),
        ("dem.tif -o out --breach-depth 3", "hybrid"),
        ("dem.tif -o out --depressions breach --breach-length 3", "hybrid"),
        ("dem.tif -o out --depressions hybrid --breach-length 0", "positive"),
        ("dem.tif -o out --depressions hybrid --breach-depth -2", "positive"),
        ("dem.tif -o out --exponent 0", "positive"),
        ("dem.tif -o out --concavity inf", "positive"),
        ("dem.tif -o out --snap -1", "from 0 on"),
        ("dem.tif -o out --memory 0", "--max-memory 0: expected a positive number of GB"),
        ("dem.tif -o out --memory nan", "positive"),
        ("dem.tif -o out --memory many", "expected a number"),
        ("dem.tif -o out --sea nan", "--sea"),
        ("dem.tif -o out --sea 1e9", "metres from -100000 to 100000"),
        ("around.tif -o out", "its 361 columns span 361 degrees, more than once round the globe"),
        ("poles.tif -o out", "its rows reach 0.5 degrees beyond a pole"),
        ("dem.tif -o out --cell-size 0", "metres"),
        ("dem.tif -o out --cell-size inf", "metres"),
        ("degrees.tif -o out --cell-size 30", "degrees"),
        ("dem.tif -o out --outlet 5", "X,Y"),
        ("dem.tif -o out --outlet north,east", "X,Y"),
        ("dem.tif -o out --outlet 0,0", "400000 to 401200, 5199100 to 5200000"),
        ("dem.tif -o out --threshold-raster small.tif", "39 x 30 cells, the elevation 40 x 30"),
        ("dem.tif -o out --runoff small.tif", "39 x 30 cells, the elevation 40 x 30"),
        ("dem.tif -o dem.tif", "is a file"),
    ] {
        let said = desk.refused(&format!("hydro {arguments}"), 2);
        assert!(said.contains(words), "{arguments}\n{said}");
    }
    put(&desk, "hole.tif", Place::Utm, 3, &[1.0, 2.0, 3.0, 4.0, f32::NAN, 5.0, 6.0, 7.0, 8.0], None);
    let said = desk.refused("hydro hole.tif -o out --outlet 400045,5199955", 2);
    assert!(said.contains("no data"), "{said}");
    for arguments in ["--runoff missing.tif", "--threshold-raster missing.tif"] {
        let said = desk.refused(&format!("hydro dem.tif -o out {arguments}"), 1);
        assert!(said.contains("missing.tif"), "{said}");
    }
}

#[test]
fn folders_that_cannot_be_written_to() {
    let desk = desk();
    for folder in ["dem.tif/out", "/proc/out"] {
        let said = desk.refused(&format!("hydro dem.tif -o {folder}"), 1);
        assert!(said.contains(folder), "{said}");
    }
}

#[test]
fn no_input_is_replaced() {
    let desk = desk();
    let whole = desk.bytes("dem.tif");
    std::fs::create_dir(desk.path("out")).unwrap();
    let layers = "--layers all --runoff 5";
    for (name, more) in [
        ("filled.tif", ""),
        ("direction.tif", ""),
        ("accumulation.tif", ""),
        ("order.tif", "--memory 0.001"),
        ("basins.tif", ""),
        ("hand.tif", "--layers hand"),
        ("slope.tif", layers),
        ("discharge.tif", layers),
        ("watersheds.tif", "--outlet 400045,5199955"),
        ("map.png", ""),
        ("summary.json", ""),
        ("streams.geojson", ""),
        ("hydro.gpkg", "--vectors gpkg"),
    ] {
        let path = format!("out/{name}");
        desk.put(&path, &whole);
        for output in ["out", "./out/../out"] {
            let said = desk.refused(&format!("hydro {path} -o {output} {more}"), 2);
            assert!(said.contains("would replace"), "{said}");
        }
        if !more.contains("--runoff") {
            let said = desk.refused(&format!("hydro dem.tif -o out --runoff {path} {more}"), 2);
            assert!(said.contains("would replace"), "{said}");
        }
        let said = desk.refused(&format!("hydro dem.tif -o out --threshold-raster {path} {more}"), 2);
        assert!(said.contains("would replace"), "{said}");
        assert!(desk.bytes(&path) == whole);
        std::fs::remove_file(desk.path(&path)).unwrap();
    }
    // beside its outputs it may lie, and what was written before is replaced
    desk.put("out/dem.tif", &whole);
    desk.put("out/hand.tif", "of another time");
    desk.does("hydro out/dem.tif -o out");
    desk.does("hydro out/dem.tif -o out --layers hand");
    assert!(desk.bytes("out/dem.tif") == whole && desk.bytes("out/hand.tif").len() > 100);
}

#[test]
fn odd_rasters_are_worked() {
    let desk = Desk::new();
    let slope: Vec<f32> = (0..50).map(|i| i as f32).collect();
    let mut holes = corner_of_dem(COLS, ROWS);
    for at in [45, 46, 612] {
        holes[at] = f32::INFINITY;
    }
    holes[700] = f32::NEG_INFINITY;
    holes[900] = f32::NAN;
    for (name, cols, values) in [
        ("one", 1, vec![5.0]),
        ("row", 50, slope.clone()),
        ("column", 1, slope),
        ("flat", 20, vec![7.0; 400]),
        ("zeros", 20, (0..400).map(|i| if i % 3 == 0 { 0.0 } else { -0.0 }).collect()),
        ("holes", COLS, holes.clone()),
    ] {
        for place in [Place::Utm, Place::Degrees, Place::Nowhere] {
            put(&desk, "dem.tif", place, cols, &values, None);
            desk.does("hydro dem.tif -o out --layers all --runoff 10");
            let cells = codes(&desk, "out/accumulation.tif");
            let data = values.iter().filter(|z| z.is_finite()).count();
            let summary = desk.json("out/summary.json");
            assert_eq!(summary["ground"]["data_cells"], data, "{name}");
            let roots: u32 = codes(&desk, "out/direction.tif")
                .iter()
                .zip(&cells)
                .filter(|(d, _)| **d == 0)
                .map(|(_, n)| n)
                .sum();
            assert_eq!(roots as usize, data, "{name}: all water comes to an end");
        }
    }
    put(&desk, "dem.tif", Place::Utm, COLS, &holes, None);
    let said = desk.run("hydro dem.tif -o out --json".split(' '));
    assert!(said.out.contains("4 of its samples are infinite"), "{said:?}");
    put(&desk, "dem.tif", Place::Utm, 50, &(0..50).map(|i| i as f32).collect::<Vec<_>>(), None);
    desk.does("hydro dem.tif -o out --threshold 1");
    // down to the west, all of it
    assert_eq!(codes(&desk, "out/accumulation.tif"), (1..=50).rev().collect::<Vec<_>>());
    assert_eq!(desk.json("out/summary.json")["streams"]["length_km"].as_f64().unwrap(), 49.0 * 0.03);
}

#[test]
fn any_band_may_be_the_elevation() {
    let desk = desk();
    let ground = corner_of_dem(COLS, ROWS);
    let bands: Vec<f32> = ground.iter().flat_map(|&z| [1.0, z, -z]).collect();
    let mut encoder = TiffEncoder::new(std::fs::File::create(desk.path("bands.tif")).unwrap()).unwrap();
    encoder.write_image::<colortype::RGB32Float>(COLS as u32, ROWS as u32, &bands).unwrap();
    desk.does("hydro dem.tif -o one");
    desk.does("hydro bands.tif -o two --band 2 --cell-size 30");
    assert!(get(&desk, "one/filled.tif").0 == get(&desk, "two/filled.tif").0);
    desk.does("hydro bands.tif -o two --band 3 --cell-size 30");
    assert!(get(&desk, "one/filled.tif").0 != get(&desk, "two/filled.tif").0);
    let said = desk.refused("hydro bands.tif -o out --band 4 --cell-size 30", 1);
    assert!(said.contains('4') && said.contains('3'), "{said}");
}

/// A raster of cells of a degree.
fn whole_degrees(desk: &Desk, name: &str, [width, height]: [usize; 2], [west, north]: [f64; 2]) {
    use formats::{Band, BandValues, Crs, Georeference, Raster, geotiff};
    let crs = Crs::Geographic { radius_m: formats::raster::EARTH_RADIUS_M };
    let georeference = Georeference { crs, west, north, step_x: 1.0, step_y: 1.0 };
    let bands = vec![Band::new("elevation", "m", BandValues::F32(vec![1.0; width * height]))];
    geotiff::write(&desk.path(name), &Raster { width, height, georeference, bands }, &[]).unwrap();
}
