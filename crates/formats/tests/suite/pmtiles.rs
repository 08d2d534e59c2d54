//! Pyramids of tiles: numbers along the Hilbert curve, lists and lists of lists, equal tiles written once. Read back by a slow
//! reader made from the specification alone.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use formats::pmtiles::{Pyramid, TileId, write};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

/// Along the curve each tile touches the one before; each zoom has each tile once, after those of lower zooms.
#[test]
fn numbers_follow_the_curve() {
    for zoom in 0..6_u8 {
        let side = 1_u32 << zoom;
        let mut tiles: Vec<(u64, i64, i64)> = (0..side)
            .flat_map(|x| (0..side).map(move |y| (x, y)))
            .map(|(x, y)| (TileId::of(zoom, x, y).unwrap().number(), i64::from(x), i64::from(y)))
            .collect();
        tiles.sort_unstable();
        let first = (4_u64.pow(u32::from(zoom)) - 1) / 3;
        assert!(tiles.iter().enumerate().all(|(i, t)| t.0 == first + i as u64), "zoom {zoom}");
        let step = |pair: &[(u64, i64, i64)]| (pair[0].1 - pair[1].1).abs() + (pair[0].2 - pair[1].2).abs();
        assert!(tiles.windows(2).all(|pair| step(pair) == 1), "zoom {zoom}");
        assert_eq!((tiles[0].1, tiles[0].2), (0, 0));
    }
    // as the specification has it
    assert_eq!(TileId::of(12, 3423, 1763).unwrap().number(), 19_078_479);
    assert!(
        TileId::of(3, 8, 0).is_none() && TileId::of(27, 0, 0).is_none() && TileId::of(200, 0, 0).is_none()
    );
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn part(bytes: &[u8], at: usize) -> &[u8] {
    &bytes[number(bytes, at) as usize..][..number(bytes, at + 8) as usize]
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut all).unwrap();
    all
}

/// First number, run, length, place of each entry.
fn list(packed: &[u8]) -> Vec<[u64; 4]> {
    let bytes = unpacked(packed);
    let mut at = 0;
    let mut next = || {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[at];
            at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    };
    let count = next() as usize;
    let mut columns: [Vec<u64>; 4] = std::array::from_fn(|_| (0..count).map(|_| next()).collect());
    for i in 0..count {
        if i > 0 {
            columns[0][i] += columns[0][i - 1];
        }
        let place = columns[3][i];
        columns[3][i] = if place == 0 { columns[3][i - 1] + columns[2][i - 1] } else { place - 1 };
    }
    (0..count).map(|i| std::array::from_fn(|k| columns[k][i])).collect()
}

/// A tile by its number.
fn tile(bytes: &[u8], wanted: u64) -> Option<Vec<u8>> {
    let mut of = list(part(bytes, 8));
    loop {
        let &[first, run, length, place] = of.iter().rev().find(|entry| entry[0] <= wanted)?;
        if run == 0 {
            of = list(&part(bytes, 40)[place as usize..][..length as usize]);
            continue;
        }
        return (wanted < first + run).then(|| part(bytes, 56)[place as usize..][..length as usize].to_vec());
    }
}

fn about() -> Pyramid {
    let metadata = serde_json::json!({ "name": "a test" });
    Pyramid { zooms: (0, 9), bounds: [-10.0, -20.5, 30.0, 40.25], middle: [10.0, 9.875], metadata }
}

fn written(path: &Path, tiles: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let ids: Vec<TileId> = {
        let mut all: Vec<TileId> = (0..10_u8)
            .flat_map(|z| (0..1_u32 << z).flat_map(move |x| (0..1_u32 << z).map(move |y| (z, x, y))))
            .filter_map(|(z, x, y)| TileId::of(z, x, y))
            .collect();
        all.sort_unstable();
        all
    };
    let mut left = tiles.iter();
    write(path, &about(), || Ok(left.next().map(|(n, bytes)| (ids[*n as usize], bytes.clone())))).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn tiles_come_back_from_short_and_from_long_lists() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pmtiles");
    for count in [1_u64, 5, 60_000] {
        // every third is missing, every seventh is the same, lengths are scattered
        let content = |n: u64| match n % 7 {
            0 => b"the sea".to_vec(),
            _ => vec![n as u8; (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize + 1 + (n % 5) as usize],
        };
        let tiles: Vec<(u64, Vec<u8>)> = (0..count).filter(|n| n % 3 != 1).map(|n| (n, content(n))).collect();
        let bytes = written(&path, &tiles);
        assert_eq!(&bytes[..8], b"PMTiles\x03");
        assert!(number(&bytes, 8) + number(&bytes, 16) <= 16_384, "the first list is found at once");
        assert_eq!(number(&bytes, 48) > 0, count > 50_000, "lists of lists where there is need");
        let step = (tiles.len() / 40).max(1);
        for (n, expected) in tiles.iter().step_by(step) {
            assert_eq!(tile(&bytes, *n).as_ref(), Some(expected), "tile {n} of {count}");
        }
        assert!(tile(&bytes, 1).is_none() && tile(&bytes, count + 7).is_none());
        assert_eq!(number(&bytes, 72) as usize, tiles.len());
        let different: BTreeSet<&Vec<u8>> = tiles.iter().map(|(_, bytes)| bytes).collect();
        assert!(number(&bytes, 88) as usize >= different.len());
        let sea = bytes.windows(7).filter(|w| w == b"the sea").count();
        assert_eq!(sea, 1, "equal tiles are there once");
        let metadata: serde_json::Value = serde_json::from_slice(&unpacked(part(&bytes, 24))).unwrap();
        assert_eq!(metadata["name"], "a test");
        let degrees = |at: usize| f64::from(i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())) / 1e7;
        assert_eq!([102, 106, 110, 114].map(degrees), about().bounds);
        assert_eq!([119, 123].map(degrees), about().middle);
    }
}

#[test]
fn no_tile_and_tiles_out_of_order_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pmtiles");
    let said = write(&path, &about(), || Ok(None)).unwrap_err().to_string();
    assert!(said.contains("no tile"), "{said}");
    let mut ids = [TileId::of(1, 1, 1), TileId::of(1, 0, 0)].into_iter().flatten();
    let said = write(&path, &about(), || Ok(ids.next().map(|id| (id, vec![1])))).unwrap_err().to_string();
    assert!(said.contains("after"), "{said}");
    assert!(!path.exists());
}
