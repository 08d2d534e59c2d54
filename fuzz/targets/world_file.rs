//! World files, with checksums made right so that what lies behind them is reached.

#![no_main]

#[path = "scratch.rs"]
mod scratch;

use libfuzzer_sys::fuzz_target;
use store::WorldFile;

/// Files that claim more cells than this are opened, but not read.
const MOST_CELLS: usize = 1 << 20;
const SUPERBLOCK: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    make_right(&mut bytes);
    let Ok(file) = WorldFile::open(scratch::file(&bytes)) else { return };
    if file.shape().len() > MOST_CELLS {
        return;
    }
    for info in file.layers() {
        let _ = file.layer(&info.name);
    }
    for info in file.tables() {
        let _ = file.table(&info.name);
    }
    let _ = file.verify();
});

/// Puts the right length and checksums of the superblock, the header, the table of chunks and the chunks
/// (`docs/FORMAT.md`) where there is room for them.
fn make_right(bytes: &mut [u8]) {
    if bytes.len() < SUPERBLOCK {
        return;
    }
    let length = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    let number = |bytes: &[u8], at: usize| {
        let eight = bytes[at..at + 8].try_into().expect("eight bytes");
        usize::try_from(u64::from_le_bytes(eight)).unwrap_or(usize::MAX)
    };
    let table_at = SUPERBLOCK.saturating_add(number(bytes, 24));
    let data_at = table_at.saturating_add(number(bytes, 32).saturating_mul(8));
    if data_at <= bytes.len() {
        let mut at = data_at;
        for entry in (table_at..data_at).step_by(8) {
            let four = bytes[entry..entry + 4].try_into().expect("four bytes");
            let end = at.saturating_add(u32::from_le_bytes(four) as usize).min(bytes.len());
            let sum = crc32fast::hash(&bytes[at..end]).to_le_bytes();
            bytes[entry + 4..entry + 8].copy_from_slice(&sum);
            at = end;
        }
        let (header, table) =
            (crc32fast::hash(&bytes[SUPERBLOCK..table_at]), crc32fast::hash(&bytes[table_at..data_at]));
        bytes[40..44].copy_from_slice(&header.to_le_bytes());
        bytes[44..48].copy_from_slice(&table.to_le_bytes());
    }
    let own = crc32fast::hash(&bytes[..60]).to_le_bytes();
    bytes[60..64].copy_from_slice(&own);
}
