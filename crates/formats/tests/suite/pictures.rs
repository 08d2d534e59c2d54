//! PNG and raw heightmaps, decoded again.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use std::fs::{File, read, read_to_string};
use std::io::BufReader;
use std::path::Path;

use formats::{Band, BandValues, Crs, Error, Georeference, Raster, RasterError, png as picture, raw};
use serde_json::Value;

fn heights(values: Vec<f32>, width: usize) -> Raster {
    let georeference =
        Georeference { crs: Crs::Metres, west: 100.0, north: 200.0, step_x: 30.0, step_y: 30.0 };
    let height = values.len() / width;
    Raster { width, height, georeference, bands: vec![Band::new("elevation", "m", BandValues::F32(values))] }
}

fn sidecar(path: &Path) -> Value {
    let name = format!("{}.json", path.display());
    serde_json::from_str(&read_to_string(name).unwrap()).unwrap()
}

fn decode(path: &Path) -> (png::Info<'static>, Vec<u8>) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    (reader.info().clone(), bytes)
}

#[test]
fn colours_come_back_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.png");
    let bytes: Vec<u8> = (0..5 * 3 * 4).map(|i| (i * 37) as u8).collect();
    picture::write_rgba(&path, 5, 3, &bytes).unwrap();
    let (info, got) = decode(&path);
    assert_eq!((info.width, info.height, info.color_type), (5, 3, png::ColorType::Rgba));
    assert_eq!(got, bytes);
    picture::write_rgb8(&path, 5, 3, &bytes[..45]).unwrap();
    let (info, got) = decode(&path);
    assert_eq!(info.color_type, png::ColorType::Rgb);
    assert_eq!(got, bytes[..45]);
}

#[test]
fn a_picture_of_the_wrong_length_is_refused() {
    let path = Path::new("never-written.png");
    let wrong = picture::write_rgb8(path, 5, 3, &[0; 44]).unwrap_err();
    let Error::Raster { error, .. } = wrong else { panic!("{wrong}") };
    assert_eq!(error, RasterError::PictureLength { width: 5, height: 3, found: 44, expected: 45 });
    assert!(!path.exists());
    assert!(picture::write_rgba(path, usize::MAX, 2, &[]).is_err());
}

#[test]
fn sixteen_bit_heights_are_within_half_a_step_and_say_their_range() {
    let dir = tempfile::tempdir().unwrap();
    let (low, high) = (-431.5_f32, 4810.25_f32);
    let values: Vec<f32> = (0..200).map(|i| low + (high - low) * (i * i) as f32 / 39_601.0).collect();
    let half_step = f64::from(high - low) / 65_535.0 / 2.0 * 1.000_001;
    let raster = heights(values.clone(), 20);
    let (png_path, raw_path) = (dir.path().join("a.png"), dir.path().join("a.r16"));
    picture::write_u16(&png_path, &raster, None, &[]).unwrap();
    raw::write_r16(&raw_path, &raster, None, &[]).unwrap();
    let (info, big) = decode(&png_path);
    assert_eq!((info.bit_depth, info.color_type), (png::BitDepth::Sixteen, png::ColorType::Grayscale));
    let from_png: Vec<u16> = big.as_chunks().0.iter().map(|&b| u16::from_be_bytes(b)).collect();
    let little = read(&raw_path).unwrap();
    let from_raw: Vec<u16> = little.as_chunks().0.iter().map(|&b| u16::from_le_bytes(b)).collect();
    assert_eq!(from_png, from_raw);
    assert_eq!((from_png[0], from_png[199]), (0, 65_535));
    for (stored, value) in from_png.iter().zip(&values) {
        let back = f64::from(low) + f64::from(*stored) / 65_535.0 * f64::from(high - low);
        assert!((back - f64::from(*value)).abs() <= half_step, "{value} came back as {back}");
    }
    let text = |key: &str| {
        let chunk = info.uncompressed_latin1_text.iter().find(|t| t.keyword == key).unwrap();
        chunk.text.clone()
    };
    assert_eq!([text("min"), text("max"), text("unit")], ["-431.5", "4810.25", "m"]);
    for path in [&png_path, &raw_path] {
        let note = sidecar(path);
        assert_eq!([&note["min"], &note["max"]], [&Value::from(-431.5), &Value::from(4810.25)]);
        assert_eq!([&note["width"], &note["height"]], [&Value::from(20), &Value::from(10)]);
        assert_eq!(note["georeference"]["step_x"], 30.0);
    }
}

/// Two tiles with one range have the same numbers for the same heights.
#[test]
fn a_range_that_is_given_is_that_of_all_tiles() {
    let dir = tempfile::tempdir().unwrap();
    let tile = |name: &str, values: Vec<f32>| {
        let (raw_path, png_path) =
            (dir.path().join(format!("{name}.r16")), dir.path().join(format!("{name}.png")));
        let raster = heights(values, 2);
        raw::write_r16(&raw_path, &raster, Some((-100.0, 900.0)), &[]).unwrap();
        picture::write_u16(&png_path, &raster, Some((-100.0, 900.0)), &[]).unwrap();
        for path in [&raw_path, &png_path] {
            assert_eq!([&sidecar(path)["min"], &sidecar(path)["max"]], [-100.0, 900.0]);
        }
        read(&raw_path).unwrap()
    };
    let (west, east) = (tile("west", vec![0.0, 400.0]), tile("east", vec![400.0, 900.0]));
    assert_eq!(west[2..], east[..2], "the edge that they share");
    assert_eq!(east[2..], [255, 255]);
    let beyond = heights(vec![0.0, 900.5], 2);
    let wrong = raw::write_r16(&dir.path().join("a.r16"), &beyond, Some((-100.0, 900.0)), &[]).unwrap_err();
    assert!(wrong.to_string().contains("0 to 900.5, more than the range -100 to 900"), "{wrong}");
    assert!(!dir.path().join("a.r16").exists());
}

#[test]
fn a_flat_heightmap_is_all_zero() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.r16");
    raw::write_r16(&path, &heights(vec![7.0; 6], 3), None, &[]).unwrap();
    assert_eq!(read(&path).unwrap(), [0; 12]);
    assert_eq!(sidecar(&path)["min"], 7.0);
}

#[test]
fn raw_floats_keep_their_bits_band_after_band() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.r32");
    let values = vec![1.5, -0.0, f32::MIN_POSITIVE, 8848.86, f32::NAN, -3.25];
    let mut raster = heights(values.clone(), 3);
    raster.bands.push(Band::new("order", "", BandValues::U8(vec![1, 2, 3, 4, 5, 6])));
    raw::write_r32(&path, &raster, &[]).unwrap();
    let bytes = read(&path).unwrap();
    let got: Vec<u32> = bytes.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b)).collect();
    let want = values.into_iter().chain([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).map(f32::to_bits);
    assert!(got.iter().copied().eq(want));
    assert_eq!(sidecar(&path)["bands"][1]["name"], "order");
    assert_eq!(sidecar(&path)["max"].as_f64().unwrap() as f32, 8848.86);
}

#[test]
fn values_without_a_place_on_the_scale_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.png");
    for bad in [f32::NAN, f32::INFINITY] {
        let wrong = picture::write_u16(&path, &heights(vec![1.0, bad], 2), None, &[]).unwrap_err();
        assert!(wrong.to_string().contains("at sample 1"), "{wrong}");
        assert!(raw::write_r16(&path, &heights(vec![1.0, bad], 2), None, &[]).is_err());
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
