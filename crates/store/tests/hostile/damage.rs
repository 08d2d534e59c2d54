//! Files that were whole once.

use crate::allocator::peak;
use crate::common::{World, assert_same, read_everything};
use grid::{Draw, Nth, Purpose, Seed, Shape};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

const DAMAGED_FILES: u32 = 1_000;
/// Memory that reading may take besides the values themselves.
const SPARE_BYTES: usize = 64 << 20;

fn whole(number: u32, path: &Path) -> (World, Vec<u8>) {
    let world = World::random(number, Shape { faces: 6, rows: 21, cols: 19 });
    world.write_in(path, 8);
    (world, std::fs::read(path).unwrap())
}

/// Reads everything there is: an error, or exactly what was written. A change is never overlooked.
fn judge(path: &Path, world: &World, changed: bool, what: &str) {
    let data_bytes = 64 * world.shape.len();
    let (outcome, bytes) = peak(|| catch_unwind(AssertUnwindSafe(|| read_everything(path))));
    match outcome.unwrap_or_else(|_| panic!("{what}: it panicked")) {
        Ok(read) => {
            assert!(!changed, "{what}: it was not seen");
            assert_same(&read, world);
        }
        Err(error) => {
            assert!(changed, "{what}: nothing had changed, but {error}");
            assert!(error.to_string().len() > 20, "{what}: {error}");
        }
    }
    assert!(bytes <= SPARE_BYTES + data_bytes, "{what}: {bytes} bytes");
}

#[test]
fn damaged_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    for number in 0..DAMAGED_FILES {
        const DAMAGE: Purpose = Purpose::new("test/damage");
        let (world, bytes) = whole(number % 10, &path);
        let mut draw = Seed(4).key(DAMAGE).at(Nth(number));
        let (damaged, what) = damage(&bytes, &mut draw);
        std::fs::write(&path, &damaged).unwrap();
        judge(&path, &world, damaged != bytes, &format!("file {number}, {what}"));
    }
}

/// One kind of damage at a random place. Half of them strike the front, where the structure is.
fn damage(bytes: &[u8], draw: &mut Draw) -> (Vec<u8>, String) {
    let len = bytes.len() as u32;
    let reach = if draw.below(2) == 0 { len.min(3_000) } else { len };
    let from = draw.below(reach) as usize;
    let count = (1 + draw.below(600) as usize).min(bytes.len() - from);
    let to = draw.below(len - count as u32 + 1) as usize;
    let piece = &bytes[from..from + count];
    let mut damaged = bytes.to_vec();
    let what = match draw.below(6) {
        0 => {
            damaged[from] ^= 1 << draw.below(8);
            "a bit flipped"
        }
        1 => {
            damaged.truncate(from);
            "cut"
        }
        2 => {
            damaged[from..from + count].fill(0);
            "zeroed"
        }
        3 => {
            damaged[to..to + count].copy_from_slice(piece);
            "overwritten with a piece of itself"
        }
        4 => {
            damaged.splice(from..from, piece.iter().copied());
            "repeated"
        }
        _ => {
            damaged.drain(from..from + count);
            "taken out"
        }
    };
    (damaged, format!("{what} at {from}, {count} bytes, {to}"))
}

#[test]
fn every_single_byte_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let mut world = World::random(1, Shape { faces: 1, rows: 3, cols: 3 });
    world.tables.truncate(1);
    world.write_in(&path, 8);
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&path, &damaged).unwrap();
        judge(&path, &world, true, &format!("byte {at} of {}", bytes.len()));
    }
}
