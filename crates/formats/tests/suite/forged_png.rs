//! Nothing in a PNG makes the reader of heights panic, hang or take memory without bound.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a test with a clock"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use formats::png::GreyReader;

/// Scattered bits, the same on every run.
fn scatter(i: u64) -> u64 {
    let mut h = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ (h >> 32)
}

/// A sound grey picture of so many bits.
fn picture(depth: png::BitDepth, interlaced: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (width, height) = (61, 47);
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(depth);
    let per_row = (width as usize * depth as usize).div_ceil(8);
    let data: Vec<u8> = (0..per_row * height as usize).map(|i| (scatter(i as u64) >> 60) as u8 * 9).collect();
    encoder.write_header().unwrap().write_image_data(&data).unwrap();
    if interlaced {
        // the byte in the header that says so; its checksum is set right below
        bytes[28] = 1;
        mend(&mut bytes);
    }
    bytes
}

/// Sets the checksums of all chunks right, as far as there are chunks.
fn mend(bytes: &mut [u8]) {
    let mut at = 8;
    while at + 12 <= bytes.len() {
        let length = u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
        let Some(end) = (at + 8).checked_add(length).filter(|end| end + 4 <= bytes.len()) else { return };
        let mut sum = flate2::Crc::new();
        sum.update(&bytes[at + 4..end]);
        let sum = sum.sum().to_be_bytes();
        bytes[end..end + 4].copy_from_slice(&sum);
        at = end + 4;
    }
}

/// Reads as `terrane import` does, row by row, in less than two seconds. Returns whether all went well.
fn survives(path: &Path, bytes: &[u8], what: &str) -> bool {
    std::fs::write(path, bytes).unwrap();
    let start = Instant::now();
    let well = read(path);
    assert!(start.elapsed() < Duration::from_secs(2), "{what}: {:?}", start.elapsed());
    well
}

fn read(path: &Path) -> bool {
    let mut reader = match GreyReader::open(path) {
        Ok(reader) => reader,
        Err(error) => {
            assert!(error.to_string().len() < 1000);
            return false;
        }
    };
    let (width, height) = reader.size();
    // what a header claims costs nothing before its rows are there; a careful caller bounds the width
    let mut row = vec![0; width.min(1 << 20)];
    if row.len() < width {
        return false;
    }
    let _ = reader.most();
    (0..height.min(4000)).all(|_| reader.next_row(&mut row).is_ok())
}

#[test]
fn flipped_bytes_and_cuts_with_right_checksums() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.png");
    let sound = [
        picture(png::BitDepth::Eight, false),
        picture(png::BitDepth::Sixteen, false),
        picture(png::BitDepth::Four, false),
        picture(png::BitDepth::One, false),
        picture(png::BitDepth::Eight, true),
    ];
    let (mut well, mut cases) = (0, 0);
    for (n, sound) in sound.iter().enumerate() {
        for seed in 0..500 {
            let draw = |k: u64| scatter((n as u64 * 1000 + seed) * 20 + k);
            let mut forged = sound.clone();
            for k in 0..1 + draw(0) % 4 {
                // half of the strikes hit the header and the first bytes of the data
                let reach = if draw(k + 10) % 2 == 0 { 70.min(forged.len()) } else { forged.len() };
                forged[draw(2 * k + 1) as usize % reach] = draw(2 * k + 2) as u8;
            }
            if draw(18) % 4 == 0 {
                forged.truncate(draw(19) as usize % forged.len());
            }
            if draw(17) % 3 > 0 {
                mend(&mut forged);
            }
            well += usize::from(survives(&path, &forged, &format!("seed {seed} of picture {n}")));
            cases += 1;
        }
    }
    assert!(well > cases / 50 && well < cases * 9 / 10, "{well} of {cases} read");
}

/// Headers that claim sizes up to 2^32 pixels along a side.
#[test]
fn claims_of_headers() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.png");
    let sound = picture(png::BitDepth::Sixteen, false);
    for at in 16..29 {
        for value in [0_u8, 1, 2, 3, 4, 6, 7, 8, 15, 16, 17, 0x7f, 0x80, 0xff] {
            let mut forged = sound.clone();
            forged[at] = value;
            mend(&mut forged);
            survives(&path, &forged, &format!("{value} at {at}"));
        }
    }
    for side in [[0xff; 4], [0x7f, 0xff, 0xff, 0xff], [0, 1, 0, 0], [0, 0x10, 0, 0]] {
        let mut forged = sound.clone();
        forged[16..20].copy_from_slice(&side);
        forged[20..24].copy_from_slice(&side);
        mend(&mut forged);
        survives(&path, &forged, &format!("{side:?} along both sides"));
    }
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 1 << 20, "{kib} KiB at the peak");
    }
}
