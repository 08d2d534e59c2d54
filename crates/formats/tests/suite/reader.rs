//! GeoTIFFs that GDAL wrote (`data/make.py`) are read, and hold what the formula there says.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use std::path::PathBuf;

use formats::geotiff::{Reader, SampleType};
use formats::{Axis, Crs, Error, Ground, ReadError};

const WIDTH: usize = 21;
const HEIGHT: usize = 19;

fn data(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")).join(name)
}

fn open(name: &str) -> Reader {
    Reader::open(&data(&format!("{name}.tif"))).unwrap()
}

/// What a sample is by the formula of `make.py`.
fn ground(kind: &str, band: usize, row: usize, column: usize) -> f32 {
    let (b, r, c) = (band as f32, row as f32, column as f32);
    match &kind[..1] {
        "f" => (1000.0 * b + 37.0 * r + c) / 8.0 - 50.0,
        "i" => 5.0 * b + 3.0 * r + 2.0 * c - 60.0,
        _ => 5.0 * b + 3.0 * r + 2.0 * c,
    }
}

fn all(reader: &mut Reader) -> Vec<f32> {
    let (width, height) = (reader.info().width, reader.info().height);
    let mut values = vec![0.0; width * height];
    reader.read_rows(0, height, &mut values).unwrap();
    values
}

/// The samples of `kind` but for some, by row and column.
fn expect(kind: &str, other: &[(usize, usize, f32)]) -> Vec<f32> {
    let mut values: Vec<f32> = (0..WIDTH * HEIGHT).map(|i| ground(kind, 0, i / WIDTH, i % WIDTH)).collect();
    for &(row, column, value) in other {
        values[row * WIDTH + column] = value;
    }
    values
}

fn same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || a.is_nan() && b.is_nan())
}

#[test]
fn every_kind_of_file_holds_what_was_written() {
    let mut seen = 0;
    for entry in std::fs::read_dir(data("")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let parts: Vec<&str> = name.split('_').collect();
        let [kind, _, _, shape, _, _, _] = parts[..] else { continue };
        seen += 1;
        let mut reader = open(&name);
        let info = reader.info().clone();
        assert_eq!((info.width, info.height, info.bands, info.nodata), (WIDTH, HEIGHT, 2, None), "{name}");
        assert_eq!(info.block[0], if shape == "tile" { 16 } else { WIDTH }, "{name}");
        let known = [
            ("u8", SampleType::U8),
            ("i8", SampleType::I8),
            ("u16", SampleType::U16),
            ("i16", SampleType::I16),
            ("u32", SampleType::U32),
            ("i32", SampleType::I32),
            ("u64", SampleType::U64),
            ("i64", SampleType::I64),
            ("f32", SampleType::F32),
            ("f64", SampleType::F64),
        ];
        assert!(known.contains(&(kind, info.sample)), "{name}: {:?}", info.sample);
        assert_eq!(
            info.warnings.is_empty(),
            !matches!(kind, "f64" | "u32" | "i32" | "u64" | "i64"),
            "{name}"
        );
        for band in 0..2 {
            reader.select_band(band + 1).unwrap();
            let want: Vec<f32> =
                (0..WIDTH * HEIGHT).map(|i| ground(kind, band, i / WIDTH, i % WIDTH)).collect();
            assert!(same(&all(&mut reader), &want), "band {band} of {name}");
        }
    }
    assert!(seen > 45, "only {seen} files");
}

#[test]
fn rows_come_alone_in_bands_with_a_halo_and_in_any_order() {
    for name in
        ["f64_zstd_p3_strip_band_be_big", "f32_lzw_p3_tile_band_le_big", "place_south_up", "one_strip"]
    {
        let whole = all(&mut open(name));
        for rows in 1..=HEIGHT {
            let mut reader = open(name);
            let mut values = vec![0.0; rows * WIDTH];
            let order: Vec<usize> = (0..=HEIGHT - rows).chain((0..=HEIGHT - rows).rev()).collect();
            for first in order {
                reader.read_rows(first, rows, &mut values).unwrap();
                assert!(
                    same(&values, &whole[first * WIDTH..(first + rows) * WIDTH]),
                    "{rows} at {first} of {name}"
                );
            }
        }
        open(name).read_rows(HEIGHT, 0, &mut []).unwrap();
    }
}

#[test]
fn rows_and_bands_that_are_not_there_are_refused() {
    let mut reader = open("one_strip");
    let mut values = vec![0.0; 3 * WIDTH];
    let wrong = |result: Result<(), Error>| match result {
        Err(Error::Read { error, .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(wrong(reader.read_rows(17, 3, &mut values)), "rows 17 to 20 were asked for, but it has 19");
    assert!(wrong(reader.read_rows(usize::MAX, 3, &mut values)).contains("were asked for"));
    assert_eq!(wrong(reader.read_rows(0, 2, &mut values)), "42 samples were asked for, into a place for 63");
    for band in [0, 2] {
        let said = wrong(reader.select_band(band));
        assert_eq!(said, format!("there is no band {band}: it has 1, counted from 1"));
    }
}

#[test]
fn missing_values_are_nan_whatever_stands_for_them() {
    let holes = [(3, 4, f32::NAN), (18, 20, f32::NAN)];
    let cases = [
        ("nodata_9999", "f32", Some(-9999.0)),
        ("nodata_lowest", "f32", Some(-3.402_823_466_385_288_6e38)),
        ("nodata_f64", "f64", Some(-1e300)),
        ("nodata_u8", "u8", Some(255.0)),
    ];
    for (name, kind, nodata) in cases {
        let mut reader = open(name);
        assert_eq!(reader.info().nodata, nodata, "{name}");
        assert!(same(&all(&mut reader), &expect(kind, &holes)), "{name}");
        assert_eq!(reader.infinities(), 0, "{name}");
    }
    let mut reader = open("nodata_nan");
    assert!(reader.info().nodata.unwrap().is_nan());
    assert!(same(&all(&mut reader), &expect("f32", &holes)));
    // The mark is one more than the number in the first cell: as `f64` both are the same.
    let [a, b] = holes;
    let next = -9_007_199_254_740_993_i64 as f32;
    assert!(same(&all(&mut open("nodata_i64")), &expect("i64", &[a, b, (0, 0, next)])));
}

#[test]
fn infinities_are_no_data_and_counted_once() {
    let mut reader = open("infinite");
    let holes = [(3, 4, f32::NAN), (18, 20, f32::NAN), (18, 0, f32::NAN)];
    for _ in 0..2 {
        assert!(same(&all(&mut reader), &expect("f32", &holes)));
        assert_eq!(reader.infinities(), 2);
    }
    assert!(reader.warnings().concat().contains("2 of its samples are infinite"));
}

#[test]
fn tiles_never_written_are_no_data_or_else_zero_as_gdal_reads_them() {
    let mut want = expect("i16", &[]);
    (0..16).for_each(|row| want[row * WIDTH + 16..(row + 1) * WIDTH].fill(f32::NAN));
    let mut reader = open("sparse_nodata");
    assert!(same(&all(&mut reader), &want));
    assert!(reader.warnings().is_empty());
    let mut want = expect("f32", &[]);
    (16..HEIGHT).for_each(|row| want[row * WIDTH..row * WIDTH + 16].fill(0.0));
    let mut reader = open("sparse_zero");
    assert!(same(&all(&mut reader), &want));
    assert!(reader.warnings().concat().contains("1 of its blocks were never written"));
}

#[test]
fn scale_and_offset_are_applied_to_the_band_that_has_them() {
    let mut reader = open("scaled");
    let scaled = |i: usize| match ground("i16", 0, i / WIDTH, i % WIDTH) {
        -58.0 => f32::NAN,
        z => z * 0.25 + 100.0,
    };
    assert!(same(&all(&mut reader), &(0..WIDTH * HEIGHT).map(scaled).collect::<Vec<_>>()));
    assert_eq!(reader.info().unit, "dm");
    assert!(reader.warnings().concat().contains("times 0.25 plus 100"));
    reader.select_band(2).unwrap();
    let plain: Vec<f32> = (0..WIDTH * HEIGHT).map(|i| ground("i16", 1, i / WIDTH, i % WIDTH)).collect();
    assert!(same(&all(&mut reader), &plain));
    assert_eq!((reader.info().unit.as_str(), reader.warnings().len()), ("ft", 0));
}

fn corner(reader: &Reader) -> [f64; 4] {
    let at = &reader.info().georeference;
    [at.west, at.north, at.step_x, at.step_y]
}

fn foreign(reader: &Reader) -> (String, Option<u16>) {
    match &reader.info().georeference.crs {
        Crs::Foreign(crs) => (crs.name().into(), crs.epsg()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn projected_rasters_have_cells_in_metres() {
    let reader = open("one_strip");
    assert_eq!(corner(&reader), [500_000.0, 5_300_000.0, 30.0, 30.0]);
    assert_eq!(foreign(&reader), ("EPSG:32633".into(), Some(32_633)));
    let ground = reader.info().georeference.ground();
    assert_eq!(ground, Ground::Projected { cell_width_m: 30.0, cell_height_m: 30.0 });
    assert_eq!(reader.info().georeference.center(0, 2), [500_015.0, 5_299_925.0]);

    let feet = open("place_usfeet");
    let Ground::Projected { cell_width_m, cell_height_m } = feet.info().georeference.ground() else {
        panic!()
    };
    assert!((cell_width_m - 30.0 * 1200.0 / 3937.0).abs() < 1e-12 && cell_width_m == cell_height_m);

    let own = open("place_own_feet");
    let (name, epsg) = foreign(&own);
    assert!(epsg.is_none() && name.starts_with("projected, \""), "{name}");
    let ground = own.info().georeference.ground();
    assert_eq!(ground, Ground::Projected { cell_width_m: 100.0 * 0.3048, cell_height_m: 50.0 * 0.3048 });

    assert!(open("place_mercator").warnings().concat().contains("1 / cos(latitude)"));
}

#[test]
fn longitude_and_latitude_lie_on_a_sphere_of_the_planets_area() {
    let reader = open("place_lonlat");
    assert_eq!(foreign(&reader), ("EPSG:4326".into(), Some(4326)));
    assert!(reader.info().georeference.crs.is_wgs84() && reader.info().georeference.crs.is_geographic());
    let Ground::Geographic { west_deg, north_deg, step_lon_deg, step_lat_deg, radius_m } =
        reader.info().georeference.ground()
    else {
        panic!("not geographic")
    };
    assert_eq!([west_deg, north_deg, step_lon_deg, step_lat_deg], [10.0, 47.0, 0.25, 0.5]);
    assert!((radius_m - 6_371_007.181).abs() < 1e-3, "{radius_m}");

    let mars = open("place_mars");
    let Axis::Angular { degrees_per_unit, radius_m } = mars.info().georeference.crs.axis() else { panic!() };
    // Authalic radius of a = 3396.19 km, b = 3376.2 km by the closed form.
    assert_eq!(degrees_per_unit, 1.0);
    assert!((radius_m - 3_389_521.0).abs() < 10.0, "{radius_m}");
    assert!(!mars.info().georeference.crs.is_wgs84());
}

#[test]
fn points_are_moved_to_corners_and_south_up_is_turned() {
    assert_eq!(corner(&open("place_point")), corner(&open("one_strip")));
    let mut reader = open("place_south_up");
    assert_eq!(corner(&reader), [500_000.0, 5_300_000.0 + 20.0 * HEIGHT as f64, 30.0, 20.0]);
    let turned: Vec<f32> =
        (0..WIDTH * HEIGHT).map(|i| ground("i16", 0, HEIGHT - 1 - i / WIDTH, i % WIDTH)).collect();
    assert!(same(&all(&mut reader), &turned));
}

#[test]
fn a_raster_without_a_place_is_metres_with_a_warning() {
    let reader = open("place_none");
    assert_eq!(corner(&reader), [500_000.0, 5_300_000.0, 30.0, 30.0]);
    assert!(reader.warnings().concat().contains("no reference system"));
    let Crs::Foreign(crs) = &reader.info().georeference.crs else { panic!() };
    assert!(crs.is_none());
    let reader = open("place_nowhere");
    assert_eq!(corner(&reader), [0.0, 0.0, 1.0, 1.0]);
    assert!(reader.warnings().concat().contains("does not say where it lies"));
}

#[test]
fn rows_on_a_pole_reach_half_a_cell_beyond_it() {
    let reader = open("place_pole");
    assert_eq!(corner(&reader)[1], 112.5);
    assert!(reader.warnings().concat().contains("beyond a pole"));
}

#[test]
fn what_is_not_read_is_refused_with_what_to_do() {
    let cases = [
        ("place_rotated", ["it is rotated", "gdalwarp"]),
        ("place_points_only", ["ground control points", "gdalwarp"]),
        ("place_latitude_too_far", ["5300000 degrees", "gdal_edit.py -a_srs"]),
        ("no_complex", ["complex", "-ot Float32"]),
        ("no_palette", ["palette", "elevation"]),
        ("no_bits", ["1 bits", "-ot Float32"]),
        ("no_jpeg", ["JPEG", "COMPRESS=DEFLATE"]),
    ];
    for (name, parts) in cases {
        let said = Reader::open(&data(&format!("{name}.tif"))).unwrap_err().to_string();
        assert!(parts.iter().all(|part| said.contains(part)) && said.contains(name), "{said}");
    }
}

#[test]
fn masks_are_named_and_overviews_are_not_in_the_way() {
    let mut masked = open("with_mask");
    assert!(masked.warnings().concat().contains("mask picture"));
    assert!(same(&all(&mut masked), &expect("i16", &[])));
    let mut reader = open("overviews");
    assert!(reader.warnings().is_empty());
    let want: Vec<f32> = (0..1600).map(|i| ground("f32", 0, i / 40, i % 40)).collect();
    assert!(same(&all(&mut reader), &want));
}

#[test]
fn rasters_of_one_cell_one_row_or_one_column() {
    for (name, kind, width, height) in
        [("one_cell", "f32", 1, 1), ("one_row", "i32", 50, 1), ("one_column", "u16", 1, 50)]
    {
        let mut reader = open(name);
        assert_eq!([reader.info().width, reader.info().height], [width, height]);
        let want: Vec<f32> = (0..width * height).map(|i| ground(kind, 0, i / width, i % width)).collect();
        assert!(same(&all(&mut reader), &want), "{name}");
    }
}

#[test]
fn what_is_no_tiff_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    let said = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Reader::open(&path).unwrap_err().to_string()
    };
    assert!(said(b"").contains("the file is empty"));
    assert!(said(b"\x89PNG\r\n\x1a\n").contains("it is no TIFF: it begins with the bytes 89 50 4e 47"));
    assert!(said(b"I").contains("it is no TIFF"));
    for bytes in [&b"II"[..], b"II*\0", b"II*\0\x08\0", b"II+\0\x08\0\0\0", b"II*\0\x08\0\0\0"] {
        assert!(said(bytes).contains("cut short"), "{bytes:?}: {}", said(bytes));
    }
    assert!(said(b"II*\0\x08\0\0\0\0\0\0\0\0\0").contains("at byte 8 there should be the list of its tags"));
    let said = |path: PathBuf| Reader::open(&path).unwrap_err().to_string();
    assert!(said(dir.path().into()).contains("it is a folder"));
    assert!(said(dir.path().join("none.tif")).contains("none.tif: No such file"));
}

#[test]
fn a_file_that_is_cut_short_says_where() {
    let bytes = std::fs::read(data("overviews.tif")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cut.tif");
    let mut whole = 0;
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        match Reader::open(&path) {
            Ok(_) => whole += 1,
            Err(Error::Read { error: ReadError::Cut { file_bytes, end, .. }, .. }) => {
                assert!(file_bytes == length as u64 && end > file_bytes);
            }
            Err(other) => assert!(length < 4, "{length}: {other}"),
        }
    }
    // The overview's own bytes stand at the end.
    assert!((1..bytes.len() / 2).contains(&whole), "{whole} of {}", bytes.len());
}
