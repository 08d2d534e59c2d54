//! PNGs of heights and masks, with the checksums of their chunks made right.

#![no_main]

#[path = "scratch.rs"]
mod scratch;

use formats::png::GreyReader;
use libfuzzer_sys::fuzz_target;

const MOST_WIDTH: usize = 1 << 20;
const MOST_ROWS: usize = 4000;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    make_right(&mut bytes);
    let Ok(mut reader) = GreyReader::open(scratch::file(&bytes)) else { return };
    let (width, height) = reader.size();
    if width > MOST_WIDTH {
        return;
    }
    let mut row = vec![0; width];
    for _ in 0..height.min(MOST_ROWS) {
        if reader.next_row(&mut row).is_err() {
            break;
        }
    }
});

/// Puts the checksum of each chunk after it.
fn make_right(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(four) = bytes.get(at..at + 4) {
        let length = u32::from_be_bytes(four.try_into().expect("four bytes")) as usize;
        let end = at.saturating_add(8).saturating_add(length);
        if end.saturating_add(4) > bytes.len() {
            return;
        }
        let sum = crc32fast::hash(&bytes[at + 4..end]).to_be_bytes();
        bytes[end..end + 4].copy_from_slice(&sum);
        at = end + 4;
    }
}
