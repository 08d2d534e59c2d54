//! Files written by rows are read back, by our reader and with another program's decoder.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use std::fs::File;
use std::path::{Path, PathBuf};

use formats::geotiff::{Layer, Reader, RowWriter, Sample, SampleType};
use formats::{Band, BandValues, Crs, Error, Georeference, Raster, RasterError, geotiff};
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

fn flat() -> Georeference {
    Georeference { crs: Crs::Metres, west: 5.0, north: 900.0, step_x: 2.0, step_y: 3.0 }
}

fn layer<T>(width: usize, height: usize, nodata: Option<T>) -> Layer<T> {
    let (name, unit) = ("depth".into(), "m".into());
    Layer {
        width,
        height,
        georeference: flat(),
        name,
        unit,
        nodata,
        notes: vec![("seed".into(), "7".into())],
    }
}

/// Scattered bits, the same on every run.
fn scatter(i: usize) -> u64 {
    let mut h = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 32)
}

/// Writes values in pieces of scattered lengths, which do not end where rows do.
fn write<T: Sample>(path: &Path, layer: Layer<T>, values: &[T]) {
    let width = layer.width;
    let mut file = RowWriter::create(path, layer).unwrap();
    let (mut rest, mut i) = (values, 0);
    while !rest.is_empty() {
        let most = if i % 3 == 0 { 700 * width } else { 3 * width };
        let (now, later) = rest.split_at((scatter(i) as usize % most + 1).min(rest.len()));
        file.write_rows(now).unwrap();
        (rest, i) = (later, i + 1);
    }
    file.finish().unwrap();
}

/// All samples, by the decoder of the crate `tiff`, tile by tile.
fn decoded(path: &Path) -> DecodingResult {
    Decoder::new(File::open(path).unwrap()).unwrap().read_image().unwrap()
}

const SIZES: [(usize, usize); 6] = [(1, 1), (256, 256), (257, 255), (300, 1), (1, 600), (523, 771)];

macro_rules! round_trip {
    ($name:ident, $kind:ty, $variant:ident, $sample:ident, $value:expr) => {
        #[test]
        fn $name() {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("a.tif");
            let value: fn(usize) -> $kind = $value;
            for (width, height) in SIZES {
                let values: Vec<$kind> = (0..width * height).map(value).collect();
                let mark = values[values.len() / 2];
                write(&path, layer(width, height, Some(mark)), &values);
                let DecodingResult::$variant(found) = decoded(&path) else { panic!("another type") };
                assert!(found.iter().zip(&values).all(|(a, b)| a.to_ne_bytes() == b.to_ne_bytes()));
                assert_eq!(found.len(), values.len());

                let mut reader = Reader::open(&path).unwrap();
                assert_eq!(reader.info().sample, SampleType::$sample);
                assert_eq!(reader.info().nodata, Some(mark as f64));
                assert_eq!(reader.info().unit, "m");
                assert_eq!(reader.info().georeference.ground(), flat().ground());
                let mut read = vec![0.0; width * height];
                reader.read_rows(0, height, &mut read).unwrap();
                let same = |(&r, &v): (&f32, &$kind)| if v == mark { r.is_nan() } else { r == v as f32 };
                assert!(read.iter().zip(&values).all(same), "{width} x {height}");
            }
        }
    };
}

round_trip!(bytes, u8, U8, U8, |i| scatter(i) as u8);
round_trip!(words, u16, U16, U16, |i| scatter(i) as u16);
round_trip!(counts, u32, U32, U32, |i| scatter(i) as u32);
round_trip!(integers, i32, I32, I32, |i| scatter(i) as i32);
round_trip!(reals, f32, F32, F32, |i| scatter(i) as u16 as f32 / 7.0 - 1e3);
round_trip!(long_reals, f64, F64, F64, |i| scatter(i) as f64 / 7.0 - 1e3);

#[test]
fn rows_make_the_same_file_as_the_whole_raster() {
    let dir = tempfile::tempdir().unwrap();
    let (rows, whole) = (dir.path().join("rows.tif"), dir.path().join("whole.tif"));
    for (width, height) in SIZES {
        let values: Vec<f32> = (0..width * height).map(|i| scatter(i) as u16 as f32).collect();
        let layer = layer(width, height, None);
        let notes = layer.notes.clone();
        write(&rows, layer, &values);
        let bands = vec![Band::new("depth", "m", BandValues::F32(values))];
        geotiff::write(&whole, &Raster { width, height, georeference: flat(), bands }, &notes).unwrap();
        assert_eq!(std::fs::read(&rows).unwrap(), std::fs::read(&whole).unwrap());
    }
}

#[test]
fn what_is_not_finished_leaves_nothing_and_keeps_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    std::fs::write(&path, "old").unwrap();
    let amount = |result: Result<(), Error>, given: usize| match result {
        Err(Error::Raster { error, .. }) => {
            assert_eq!(error, RasterError::Rows { given, width: 10, height: 300 });
        }
        other => panic!("{other:?}"),
    };
    let begin = || RowWriter::create(&path, layer(10, 300, None)).unwrap();
    let mut file = begin();
    file.write_rows(&[1.0_f32; 2995]).unwrap();
    drop(file);
    let mut file = begin();
    file.write_rows(&[1.0_f32; 2995]).unwrap();
    amount(file.finish(), 2995);
    let mut file = begin();
    amount(file.write_rows(&[1.0_f32; 3001]), 3001);
    drop(file);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
}

#[test]
fn what_is_no_layer_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let said = |path: &Path, layer| RowWriter::create(path, layer).unwrap_err().to_string();
    let path = dir.path().join("a.tif");
    assert!(said(&path, layer(0, 5, Some(0_u8))).contains("0 x 5 samples"));
    let mut turned = layer(4, 5, Some(0_u8));
    turned.georeference.step_y = -1.0;
    assert!(said(&path, turned).contains("step_y is -1"));
    assert!(said(&dir.path().join("no/a.tif"), layer(4, 5, Some(0_u8))).contains("there is no folder"));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn marks_of_no_data_are_written_as_gdal_reads_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    let marks = [
        (f64::NAN, "nan"),
        (-9999.0, "-9999"),
        (0.5, "0.5"),
        (-1e300, "-1e300"),
        (f64::NEG_INFINITY, "-inf"),
    ];
    for (mark, text) in marks {
        write(&path, layer(2, 1, Some(mark)), &[mark, 3.0]);
        let found =
            Decoder::new(File::open(&path).unwrap()).unwrap().get_tag_ascii_string(Tag::GdalNodata).unwrap();
        assert_eq!(found, text);
        let mut read = [0.0; 2];
        Reader::open(&path).unwrap().read_rows(0, 1, &mut read).unwrap();
        assert!(read[0].is_nan() && read[1] == 3.0);
    }
}

/// Keys of a file: directory, doubles, text.
fn keys(path: &Path) -> (Vec<u16>, Vec<f64>, String) {
    let mut file = Decoder::new(File::open(path).unwrap()).unwrap();
    (
        file.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap_or_default(),
        file.get_tag_f64_vec(Tag::GeoDoubleParamsTag).unwrap_or_default(),
        file.get_tag_ascii_string(Tag::GeoAsciiParamsTag).unwrap_or_default(),
    )
}

#[test]
fn a_file_goes_out_in_the_reference_system_it_came_in() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    for name in [
        "one_strip",
        "place_lonlat",
        "place_mars",
        "place_own_feet",
        "place_usfeet",
        "place_none",
        "place_point",
    ] {
        let from = folder.join(format!("{name}.tif"));
        let info = Reader::open(&from).unwrap().info().clone();
        let (width, height) = (info.width, info.height);
        let mut out = layer(width, height, None);
        out.georeference = info.georeference.clone();
        write(&path, out, &vec![1_u8; width * height]);
        let back = Reader::open(&path).unwrap().info().clone();
        if name == "place_point" {
            // Placed by corners now, at the same place.
            let (mut from, to) = (keys(&from), keys(&path));
            let raster_type = from.0.chunks(4).position(|k| k[0] == 1025).unwrap() * 4;
            assert_eq!(std::mem::replace(&mut from.0[raster_type + 3], 1), 2);
            assert_eq!((from, info.georeference.ground()), (to, back.georeference.ground()));
            continue;
        }
        assert_eq!(keys(&from), keys(&path), "{name}");
        assert_eq!(info.georeference, back.georeference, "{name}");
        assert_eq!(info.warnings.len(), back.warnings.len(), "{name}: {:?}", back.warnings);
    }
}

#[test]
fn our_own_systems_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    let moon = Crs::Geographic { radius_m: 1_737_400.0 };
    let local = Crs::TransverseMercator { lon0_deg: 3.0, lat0_deg: -8.0, radius_m: 5e6 };
    for (crs, name) in [
        (moon, "longitude and latitude, \""),
        (local, "projected, \""),
        (Crs::Metres, "a map of its own, \"Flat map\""),
    ] {
        let georeference = Georeference { crs, west: -3.0, north: 60.0, step_x: 0.5, step_y: 0.25 };
        let mut out = layer(3, 4, None);
        out.georeference = georeference.clone();
        write(&path, out, &[1_u8; 12]);
        let back = Reader::open(&path).unwrap().info().clone();
        assert_eq!(back.georeference.ground(), georeference.ground());
        assert!(back.georeference.crs.describe().starts_with(name), "{}", back.georeference.crs.describe());
        assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    }
}
