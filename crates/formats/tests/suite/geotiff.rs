//! GeoTIFFs are read back with another program's decoder, tile by tile, and must hold the same bits.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use formats::{Band, BandValues, Crs, Error, Georeference, Raster, RasterError, geotiff};
use tiff::decoder::Decoder;
use tiff::tags::Tag;

const EARTH: Crs = Crs::Geographic { radius_m: 6_371_008.8 };

fn raster(width: usize, height: usize, crs: Crs, bands: Vec<Band>) -> Raster {
    let georeference = Georeference { crs, west: -12.5, north: 47.25, step_x: 0.01, step_y: 0.015 };
    Raster { width, height, georeference, bands }
}

/// Scattered bits, the same on every run.
fn scatter(i: usize) -> u64 {
    let mut h = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 32)
}

fn open(path: &Path) -> Decoder<BufReader<File>> {
    Decoder::new(BufReader::new(File::open(path).unwrap())).unwrap()
}

/// One band, put together from its tiles, as `f64`. Only tags come from the decoder, which cannot read the tiles of
/// any band but the first; tiles are undone here, as TIFF 6.0 and Adobe's note on predictor 3 say.
fn read_band(path: &Path, band: usize) -> Vec<f64> {
    let mut file = open(path);
    let (width, height) = file.dimensions().unwrap();
    let (width, height) = (width as usize, height as usize);
    let side = file.get_tag_u32(Tag::TileWidth).unwrap() as usize;
    let offsets = file.get_tag_u64_vec(Tag::TileOffsets).unwrap();
    let lengths = file.get_tag_u64_vec(Tag::TileByteCounts).unwrap();
    let (across, down) = (width.div_ceil(side), height.div_ceil(side));
    let bytes = std::fs::read(path).unwrap();
    let mut values = vec![f64::INFINITY; width * height];
    for i in 0..across * down {
        let at = offsets[band * across * down + i] as usize;
        let packed = &bytes[at..at + lengths[band * across * down + i] as usize];
        let mut tile = Vec::new();
        flate2::read::ZlibDecoder::new(packed).read_to_end(&mut tile).unwrap();
        let (x0, y0) = (i % across * side, i / across * side);
        let rows = tile.chunks_exact(tile.len() / side);
        for (y, row) in rows.enumerate().take(height.saturating_sub(y0)) {
            let w = side.min(width - x0);
            values[(y0 + y) * width + x0..][..w].copy_from_slice(&undone(row, side, bits(path))[..w]);
        }
    }
    values
}

/// The numbers of a tile's row, its predictor undone.
fn undone(row: &[u8], side: usize, kind: (u16, u16)) -> Vec<f64> {
    if kind.1 == 3 {
        let add = |sum: &mut u8, b: &u8| {
            *sum = sum.wrapping_add(*b);
            Some(*sum)
        };
        let sums: Vec<u8> = row.iter().scan(0, add).collect();
        let number = |i: usize| -> Vec<u8> { sums[i..].iter().step_by(side).copied().collect() };
        let wide = |b: Vec<u8>| match b.len() {
            4 => f64::from(f32::from_be_bytes(b.try_into().unwrap())),
            _ => f64::from_be_bytes(b.try_into().unwrap()),
        };
        return (0..side).map(|i| wide(number(i))).collect();
    }
    let step = usize::from(kind.0 / 8);
    let mask = u32::MAX >> (32 - kind.0);
    let difference = |b: &[u8]| match *b {
        [a] => u32::from(a),
        [a, b] => u32::from(u16::from_ne_bytes([a, b])),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]),
        _ => panic!("samples have 1, 2 or 4 bytes"),
    };
    let running = |sum: &mut u32, b: &[u8]| {
        *sum = sum.wrapping_add(difference(b)) & mask;
        Some(f64::from(*sum))
    };
    row.chunks_exact(step).scan(0, running).collect()
}

fn bits(path: &Path) -> (u16, u16) {
    let mut file = open(path);
    let first = |tag, file: &mut Decoder<_>| file.get_tag_u16_vec(tag).unwrap()[0];
    (first(Tag::BitsPerSample, &mut file), first(Tag::SampleFormat, &mut file))
}

fn same_bits(a: &[f64], b: impl Iterator<Item = f64>) -> bool {
    a.iter().map(|x| x.to_bits()).eq(b.map(f64::to_bits))
}

#[test]
fn bands_of_every_type_come_back_bit_for_bit() {
    let (width, height) = (523, 301); // neither a multiple of the tile's side
    let n = width * height;
    let small: Vec<u8> = (0..n).map(|i| scatter(i) as u8).collect();
    let counts: Vec<u16> = (0..n).map(|i| scatter(i) as u16).collect();
    let ids: Vec<u32> = (0..n).map(|i| scatter(i) as u32).collect();
    let near: Vec<u32> = ids.iter().map(|id| id >> 8).collect();
    let heights: Vec<f32> = (0..n).map(|i| i as f32 * 0.37 - scatter(i) as u8 as f32 * 1e-3).collect();
    let of = |v: &BandValues| Band::new("x", "", v.clone());
    let (b8, b16, b32) = (BandValues::U8(small), BandValues::U16(counts), BandValues::U32(ids));
    let (bnear, bf) = (BandValues::U32(near), BandValues::F32(heights));
    let cases: [(&[&BandValues], (u16, u16)); 6] = [
        (&[&b8, &b8], (8, 1)),
        (&[&b8, &b16], (16, 1)),
        (&[&b32], (32, 1)),
        (&[&bf], (32, 3)),
        (&[&bf, &b8, &bnear], (32, 3)),
        (&[&b8, &bf, &b32], (64, 3)),
    ];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    for (values, kind) in cases {
        let bands = values.iter().map(|v| of(v)).collect();
        geotiff::write(&path, &raster(width, height, EARTH, bands), &[]).unwrap();
        assert_eq!(bits(&path), kind);
        for (i, want) in values.iter().enumerate() {
            let got = read_band(&path, i);
            let equal = match want {
                BandValues::F32(v) => same_bits(&got, v.iter().map(|&x| x.into())),
                BandValues::U8(v) => same_bits(&got, v.iter().map(|&x| x.into())),
                BandValues::U16(v) => same_bits(&got, v.iter().map(|&x| x.into())),
                BandValues::U32(v) => same_bits(&got, v.iter().map(|&x| x.into())),
            };
            assert!(equal, "band {i} of {kind:?}");
        }
    }
}

#[test]
fn missing_values_are_declared_only_where_there_are_some() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    for (values, nodata) in [(vec![1.0, 2.0], None), (vec![1.0, f32::NAN], Some("nan"))] {
        let band = Band::new("elevation", "m", BandValues::F32(values));
        geotiff::write(&path, &raster(2, 1, EARTH, vec![band]), &[]).unwrap();
        let found = open(&path).get_tag_ascii_string(Tag::GdalNodata).ok();
        assert_eq!(found.as_deref().map(|s| s.trim_end_matches('\0')), nodata);
    }
}

/// The key directory, the doubles and the text of a file.
fn keys(crs: Crs) -> (Vec<u16>, Vec<f64>, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    let band = Band::new("a", "", BandValues::U8(vec![1]));
    geotiff::write(&path, &raster(1, 1, crs, vec![band]), &[]).unwrap();
    let mut file = open(&path);
    let scale = file.get_tag_f64_vec(Tag::ModelPixelScaleTag).unwrap();
    let tie = file.get_tag_f64_vec(Tag::ModelTiepointTag).unwrap();
    assert_eq!((scale, tie), (vec![0.01, 0.015, 0.0], vec![0.0, 0.0, 0.0, -12.5, 47.25, 0.0]));
    (
        file.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap(),
        file.get_tag_f64_vec(Tag::GeoDoubleParamsTag).unwrap_or_default(),
        file.get_tag_ascii_string(Tag::GeoAsciiParamsTag).unwrap(),
    )
}

#[test]
fn an_earth_sized_planet_is_epsg_4326() {
    // Ids and codes as in the tables of OGC 19-008r4.
    let want = [
        [1, 1, 0, 5],
        [1024, 0, 1, 2],    // geographic model
        [1025, 0, 1, 1],    // pixel is area
        [2048, 0, 1, 4326], // WGS 84
        [2049, 34737, 7, 0],
        [2054, 0, 1, 9102], // degrees
    ];
    let (directory, doubles, text) = keys(Crs::Geographic { radius_m: 6_371_000.0 });
    assert_eq!(directory, want.concat());
    assert!(doubles.is_empty());
    assert_eq!(text, "WGS 84|");
}

#[test]
fn another_planet_has_its_own_sphere() {
    for radius_m in [6_371_008.8 * 1.0011, 3_389_500.0] {
        let (directory, doubles, text) = keys(Crs::Geographic { radius_m });
        let end = text.len() as u16;
        let want = [
            [1, 1, 0, 9],
            [1024, 0, 1, 2],
            [1025, 0, 1, 1],
            [2048, 0, 1, 32767],
            [2049, 34737, end, 0],
            [2050, 0, 1, 32767],
            [2051, 0, 1, 8901],
            [2054, 0, 1, 9102],
            [2056, 0, 1, 32767],
            [2057, 34736, 1, 0],
        ];
        assert_eq!(directory[4..40], want.concat()[4..]);
        assert_eq!(directory[40..], [2058, 34736, 1, 1]);
        assert_eq!(doubles, [radius_m, radius_m]);
    }
}

#[test]
fn transverse_mercator_names_its_centre_and_scale() {
    let (directory, doubles, _) =
        keys(Crs::TransverseMercator { lon0_deg: 12.0, lat0_deg: -47.0, radius_m: 5e6 });
    assert_eq!(directory[3] as usize, directory.len() / 4 - 1);
    let entry = |id| *directory.as_chunks::<4>().0.iter().find(|k| k[0] == id).unwrap();
    let real = |id| {
        let [_, tag, count, at] = entry(id);
        assert_eq!((tag, count), (34736, 1));
        doubles[usize::from(at)]
    };
    assert_eq!([entry(1024)[3], entry(3072)[3], entry(3075)[3], entry(3076)[3]], [1, 32767, 1, 9001]);
    let values: Vec<f64> = [3080, 3081, 3082, 3083, 3092, 2057, 2058].map(real).to_vec();
    assert_eq!(values, [12.0, -47.0, 0.0, 0.0, 1.0, 5e6, 5e6]);
    let ids: Vec<u16> = directory.as_chunks::<4>().0[1..].iter().map(|k| k[0]).collect();
    assert!(ids.is_sorted(), "the standard wants keys in order: {ids:?}");
}

#[test]
fn web_maps_are_of_the_register_on_earth_and_of_their_own_sphere_elsewhere() {
    let (directory, doubles, _) = keys(Crs::WebMercator { radius_m: 6_371_008.8 });
    let entries = directory.as_chunks::<4>().0[1..].to_vec();
    let text = [3073, 34737, 10, 0];
    assert_eq!(entries, [[1024, 0, 1, 1], [1025, 0, 1, 1], [3072, 0, 1, 3857], text, [3076, 0, 1, 9001]]);
    assert!(doubles.is_empty());
    let (directory, doubles, _) = keys(Crs::WebMercator { radius_m: 5e6 });
    let entry = |id| *directory.as_chunks::<4>().0.iter().find(|k| k[0] == id).unwrap();
    assert_eq!([entry(1024)[3], entry(3072)[3], entry(3075)[3]], [1, 32767, 7]);
    assert_eq!([entry(2057)[3], entry(3092)[3]].map(|at| doubles[usize::from(at)]), [5e6, 1.0]);
    let ids: Vec<u16> = directory.as_chunks::<4>().0[1..].iter().map(|k| k[0]).collect();
    assert!(ids.is_sorted(), "the standard wants keys in order: {ids:?}");
    assert_eq!(Crs::web_mercator_radius_m(6.371e6), 6_378_137.0);
    assert_eq!(Crs::web_mercator_radius_m(5e6), 5e6);
}

#[test]
fn a_flat_map_is_local_and_in_metres() {
    let (directory, _, _) = keys(Crs::Metres);
    assert!(directory.as_chunks::<4>().0.contains(&[1024, 0, 1, 32767]));
    assert!(directory.as_chunks::<4>().0.contains(&[3076, 0, 1, 9001]));
}

#[test]
fn what_is_no_raster_is_refused_and_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    let band = |n: usize| vec![Band::new("a", "", BandValues::U8(vec![0; n]))];
    let mut bad_step = raster(2, 2, EARTH, band(4));
    bad_step.georeference.step_y = -0.01;
    let cases = [
        (raster(2, 2, EARTH, band(3)), RasterError::BandLength { band: "a".into(), found: 3, expected: 4 }),
        (raster(0, 2, EARTH, band(0)), RasterError::Size { width: 0, height: 2 }),
        (raster(2, 2, EARTH, vec![]), RasterError::BandCount(0)),
        (bad_step, RasterError::Georeference { name: "step_y", value: -0.01, rule: "finite and positive" }),
    ];
    for (raster, want) in cases {
        match geotiff::write(&path, &raster, &[]) {
            Err(Error::Raster { error, .. }) => assert_eq!(error, want),
            other => panic!("{other:?} instead of {want:?}"),
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
