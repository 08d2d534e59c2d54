//! Cloud-optimized GeoTIFFs: the order of their parts, their overviews, the same file from memory and from blocks.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use std::fs::File;
use std::path::Path;

use formats::blocks::{self, Blocks};
use formats::part::{Begun, PartFile};
use formats::stream::{Frame, Kind, Memory, Source, Title};
use formats::{Crs, Georeference, geotiff, raw};
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

fn frame(width: usize, height: usize, kinds: &[Kind]) -> Frame {
    let georeference = Georeference { crs: Crs::Metres, west: 5.0, north: 900.0, step_x: 2.0, step_y: 2.0 };
    let title = |(i, &kind): (usize, &Kind)| Title { name: format!("band{i}"), unit: "m".into(), kind };
    Frame { width, height, georeference, bands: kinds.iter().enumerate().map(title).collect() }
}

/// Scattered heights, the same on every run.
fn scatter(i: usize) -> f32 {
    let h = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((h >> 40) as f32) / 1000.0 - 4000.0
}

fn memory(width: usize, height: usize, kinds: &[Kind]) -> (Memory, Vec<Vec<f32>>) {
    let band = |b: usize| (0..width * height).map(|i| scatter(i + b * 7_777_777)).collect();
    let values: Vec<Vec<f32>> = (0..kinds.len()).map(band).collect();
    (Memory::new(frame(width, height, kinds), values.clone()).unwrap(), values)
}

/// The raster one size smaller, the slow way.
fn halved(values: &[f32], (width, height): (usize, usize), kind: Kind) -> Vec<f32> {
    let at = |x: usize, y: usize| (x < width && y < height).then(|| values[y * width + x]);
    let mut half = Vec::new();
    for y in 0..height.div_ceil(2) {
        for x in 0..width.div_ceil(2) {
            let (x, y) = (2 * x, 2 * y);
            let four = [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)];
            let there: Vec<f64> =
                four.iter().flatten().map(|&v| f64::from(v)).filter(|v| !v.is_nan()).collect();
            half.push(match kind {
                Kind::Class => four[0].unwrap(),
                Kind::Quantity if there.is_empty() => f32::NAN,
                Kind::Quantity => (there.iter().sum::<f64>() / there.len() as f64) as f32,
            });
        }
    }
    half
}

type Page = ((usize, usize), Vec<f32>);

fn pages(path: &Path) -> Vec<Page> {
    let mut decoder = Decoder::new(File::open(path).unwrap()).unwrap();
    let mut pages = Vec::new();
    loop {
        let (width, height) = decoder.dimensions().unwrap();
        let DecodingResult::F32(values) = decoder.read_image().unwrap() else { panic!("float32") };
        pages.push(((width as usize, height as usize), values));
        if !decoder.more_images() {
            return pages;
        }
        decoder.next_image().unwrap();
    }
}

fn same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

#[test]
fn overviews_are_means_or_classes_down_to_one_tile() {
    let dir = tempfile::tempdir().unwrap();
    for kind in [Kind::Quantity, Kind::Class] {
        for (width, height) in [(1, 1), (511, 300), (512, 1), (513, 1029), (1500, 700), (1025, 2049)] {
            let path = dir.path().join("a.tif");
            let (_, mut values) = memory(width, height, &[kind]);
            values[0].iter_mut().step_by(97).for_each(|v| *v = f32::NAN);
            if width > 600 {
                (0..300 * width).filter(|i| i % width < 600).for_each(|i| values[0][i] = f32::NAN);
            }
            let source = Memory::new(frame(width, height, &[kind]), values.clone()).unwrap();
            geotiff::write_cog(&path, &source, &[], &|_| {}).unwrap();
            let pages = pages(&path);
            let mut expected = (values.remove(0), (width, height));
            for (size, found) in &pages {
                assert_eq!(*size, expected.1);
                assert!(same(found, &expected.0), "{width} x {height}: overview of {size:?}");
                let (width, height) = *size;
                expected = (halved(&expected.0, *size, kind), (width.div_ceil(2), height.div_ceil(2)));
            }
            let (last, _) = pages.last().unwrap();
            let many = width.max(height) >= 512;
            assert_eq!(pages.len() > 1, many, "{width} x {height}");
            assert!(!many || last.0.max(last.1) <= 256);
        }
    }
}

/// Lists of tags first, then tiles from the smallest overview to the raster.
#[test]
fn parts_lie_in_the_order_of_cloud_optimized_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    let (source, _) = memory(1500, 1100, &[Kind::Quantity, Kind::Class]);
    geotiff::write_cog(&path, &source, &[("seed".into(), "7".into())], &|_| {}).unwrap();
    let mut decoder = Decoder::new(File::open(&path).unwrap()).unwrap();
    let mut spans = Vec::new();
    loop {
        let offsets = decoder.get_tag_u64_vec(Tag::TileOffsets).unwrap();
        let lengths = decoder.get_tag_u64_vec(Tag::TileByteCounts).unwrap();
        let end = offsets.iter().zip(&lengths).map(|(o, l)| o + l).max().unwrap();
        spans.push((*offsets.iter().min().unwrap(), end));
        if !decoder.more_images() {
            break;
        }
        decoder.next_image().unwrap();
    }
    assert!(spans.len() == 4, "{spans:?}");
    assert!(spans.windows(2).all(|pair| pair[1].1 <= pair[0].0), "smaller first: {spans:?}");
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(spans[0].1, bytes.len() as u64);
    assert_eq!(&bytes[..8], b"II*\0\x08\0\0\0", "the first list stands at the beginning");
    let xml = String::from_utf8_lossy(&bytes[..spans[3].0 as usize]).into_owned();
    assert!(xml.contains("band1") && xml.contains("seed"), "notes lie before the data");
}

/// Blocks appended in any order, in two runs, give the file that memory gives.
#[test]
fn blocks_give_the_same_files_as_memory() {
    let dir = tempfile::tempdir().unwrap();
    let kinds = [Kind::Quantity, Kind::Class, Kind::Quantity];
    let (source, _) = memory(2100, 1300, &kinds);
    let frame = source.frame().clone();
    let rects = frame.blocks();
    let path = dir.path().join("a.part");
    let making = vec![("what".to_string(), "a test".to_string())];
    let block = |n: usize| -> Vec<Vec<f32>> { (0..3).map(|b| source.read(b, rects[n]).unwrap()).collect() };
    let mut part = PartFile::open(&path, &making, 6, Begun::Refuse).unwrap();
    for n in [5, 1, 3] {
        blocks::append(&mut part, n, &block(n)).unwrap();
    }
    drop(part);
    let mut part = PartFile::open(&path, &making, 6, Begun::Continue).unwrap();
    for n in [0, 4, 2] {
        assert!(!part.has(n as u64));
        blocks::append(&mut part, n, &block(n)).unwrap();
    }
    assert!((0..6).all(|n| part.has(n)));
    let some = Frame { bands: vec![frame.bands[2].clone(), frame.bands[1].clone()], ..frame.clone() };
    let made = Blocks::new(&part, some.clone(), vec![2, 1], 3);
    let values = |b: usize| {
        let whole = formats::stream::Rect { column: 0, row: 0, width: 2100, height: 1300 };
        source.read(b, whole).unwrap()
    };
    let expected = Memory::new(some, vec![values(2), values(1)]).unwrap();
    let [a, b] = ["a", "b"].map(|n| dir.path().join(n));
    type Write = fn(&Path, &dyn Source) -> Result<(), formats::Error>;
    let writers: [Write; 3] = [
        |p, s| geotiff::write_cog(p, s, &[], &|_| {}),
        |p, s| raw::stream_r32(p, s, &[], &|_| {}),
        |p, s| raw::stream_r16(p, s, None, &[], &|_| {}),
    ];
    for write in writers {
        write(&a, &made).unwrap();
        write(&b, &expected).unwrap();
        assert!(std::fs::read(&a).unwrap() == std::fs::read(&b).unwrap());
    }
    part.remove().unwrap();
    assert!(!path.exists());
}
