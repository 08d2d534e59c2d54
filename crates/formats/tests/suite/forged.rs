//! Nothing in a file makes the reader panic, hang or take memory without bound.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a test with a clock"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use formats::geotiff::Reader;

/// Files of each kind of layout and packing, and one with many keys.
const FILES: [&str; 11] = [
    "f32_deflate_p3_tile_pixel_le_small",
    "f32_lzw_p3_tile_band_le_big",
    "f32_none_p1_strip_pixel_be_big",
    "f64_packbits_p1_strip_pixel_le_small",
    "i16_deflate_p2_strip_pixel_be_small",
    "i16_zstd_p1_tile_band_le_small",
    "one_strip",
    "place_own_feet",
    "place_south_up",
    "scaled",
    "sparse_nodata",
];

fn bytes(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    std::fs::read(folder.join(format!("{name}.tif"))).unwrap()
}

/// Opens a file and reads what a careful caller would, in less than a second. Returns whether all went well.
fn survives(path: &Path, bytes: &[u8], what: &dyn Fn() -> String) -> bool {
    std::fs::write(path, bytes).unwrap();
    let start = Instant::now();
    let read = read(path);
    assert!(start.elapsed() < Duration::from_secs(2), "{}: {:?}", what(), start.elapsed());
    read
}

fn read(path: &Path) -> bool {
    let mut reader = match Reader::open(path) {
        Ok(reader) => reader,
        Err(error) => {
            assert!(error.to_string().len() < 1000);
            return false;
        }
    };
    let info = reader.info().clone();
    let _ = (reader.warnings(), info.georeference.ground(), info.georeference.crs.describe());
    let rows = info.height.min((1 << 16) / info.width);
    let mut values = vec![0.0; rows * info.width];
    let mut well = true;
    for first in [0, info.height - rows] {
        for band in [1, info.bands] {
            reader.select_band(band).unwrap();
            well &= reader.read_rows(first, rows, &mut values).is_ok();
        }
    }
    well
}

/// Scattered bits, the same on every run.
fn scatter(i: u64) -> u64 {
    let mut h = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 32)
}

#[test]
fn flipped_bytes_and_cuts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    let (mut well, mut cases) = (0, 0);
    for (n, name) in FILES.iter().enumerate() {
        let sound = bytes(name);
        assert!(survives(&path, &sound, &|| name.to_string()), "{name}");
        for seed in 0..600 {
            let draw = |k: u64| scatter((n as u64 * 1000 + seed) * 20 + k);
            let mut forged = sound.clone();
            for k in 0..1 + draw(0) % 6 {
                let at = draw(2 * k + 1) as usize % forged.len();
                forged[at] = draw(2 * k + 2) as u8;
            }
            if draw(18) % 4 == 0 {
                forged.truncate(draw(19) as usize % forged.len());
            }
            well += usize::from(survives(&path, &forged, &|| format!("seed {seed} of {name}")));
            cases += 1;
        }
    }
    assert!(
        well > cases / 10 && well < cases * 9 / 10,
        "{well} of {cases} read: the forgeries are too coarse or too fine"
    );
}

/// Every word of the header and of the tags set to every extreme in turn.
#[test]
fn forged_tags() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.tif");
    for name in FILES {
        let sound = bytes(name);
        let tags = if name.ends_with("big") { 16 + 8 + 24 * 20 } else { 8 + 2 + 24 * 12 };
        for at in (0..tags.min(sound.len() - 8)).step_by(2) {
            for (value, size) in [
                (0_u64, 4),
                (1, 4),
                (0x7fff_ffff, 4),
                (u64::MAX, 2),
                (u64::MAX, 4),
                (u64::MAX >> 1, 8),
                (3, 2),
            ] {
                let mut forged = sound.clone();
                let value = if &sound[..2] == b"MM" {
                    value.to_be_bytes()[8 - size..].to_vec()
                } else {
                    value.to_le_bytes()[..size].to_vec()
                };
                forged[at..at + size].copy_from_slice(&value);
                survives(&path, &forged, &|| format!("{value:?} at {at} of {name}"));
            }
        }
    }
    // Far below what the forged sizes ask for: 2^31 x 2^31 samples and 2^32 tags.
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 1 << 20, "{kib} KiB at the peak");
    }
}
