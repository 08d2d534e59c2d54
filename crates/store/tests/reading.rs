//! Opening is cheap, a part costs a part, and what is no world file is told so.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

mod common;

use common::{World, numbers};
use grid::{Cell, Shape};
use std::path::Path;
use store::{ReadError, WorldFile};

const SHAPE: Shape = Shape { faces: 6, rows: 256, cols: 256 };

fn patch(shape: Shape, face: u32, row: u32, col: u32) -> Vec<Cell> {
    (0..36).map(|i| shape.join(face, row + i / 6, col + i % 6)).collect()
}

#[test]
fn a_patch_costs_a_few_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let world = World::random(1, SHAPE);
    world.write(&path);
    let file = WorldFile::open(&path).unwrap();
    let opened = file.bytes_read();
    // superblock, 8 bytes for each chunk, and a header of names
    let chunks = 5 * 6 * 16 + 6;
    assert!(opened > 64 + 8 * chunks && opened < 64 + 8 * chunks + 2_000, "{opened}");
    assert!(file.file_bytes() > 500 * opened);

    // 6 x 6 cells within one chunk: one chunk of 64 x 64 random values, which do not compress
    file.gather("doubles", &patch(SHAPE, 3, 10, 70)).unwrap();
    let one = file.bytes_read() - opened;
    assert!((30_000..=64 * 64 * 8 + 200).contains(&one), "{one}");
    // across the corner of four chunks, one of which is in memory
    file.gather("doubles", &patch(SHAPE, 3, 61, 61)).unwrap();
    let four = file.bytes_read() - opened;
    assert!(four > 3 * one && four <= 4 * (64 * 64 * 8 + 200), "{four}");
    // all in memory
    file.gather("doubles", &patch(SHAPE, 3, 61, 61)).unwrap();
    assert_eq!(file.bytes_read() - opened, four);
    // a layer reads itself and no other
    let before = file.bytes_read();
    file.layer("shorts").unwrap();
    let layer = file.bytes_read() - before;
    assert!(layer as usize <= SHAPE.len() * 2 + 96 * 200, "{layer}");
}

#[test]
fn many_threads_read_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let world = World::random(2, SHAPE);
    world.write_in(&path, 16);
    let file = WorldFile::open(&path).unwrap();
    let whole = numbers(&world.layers[4].values);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (file, whole) = (&file, &whole);
            scope.spawn(move || {
                for i in 0..60 {
                    let cells = patch(SHAPE, (i + thread) % 6, i * 37 % 250, i * 91 % 250);
                    let values = file.gather("doubles", &cells).unwrap().into_f64().unwrap();
                    let right =
                        values.iter().zip(&cells).all(|(v, c)| v.to_bits() == whole[c.index()].to_bits());
                    assert!(right);
                }
            });
        }
    });
}

#[test]
fn what_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    World::random(3, Shape { faces: 1, rows: 3, cols: 4 }).write(&path);
    let file = WorldFile::open(&path).unwrap();
    let error = file.layer("elevation").unwrap_err();
    assert!(matches!(error, ReadError::Missing { .. }));
    let text = error.to_string();
    assert!(text.contains("`elevation`") && text.contains("bytes, shorts, words, floats, doubles"), "{text}");
    assert!(matches!(file.gather("elevation", &[]), Err(ReadError::Missing { .. })));
    assert!(matches!(file.table("elevation"), Err(ReadError::Missing { .. })));
    let outside = file.gather("bytes", &[Cell(11), Cell(12)]).unwrap_err();
    assert!(matches!(outside, ReadError::Outside { cell: 12, last: 11 }), "{outside}");
}

fn refusal(path: &Path, bytes: &[u8]) -> ReadError {
    std::fs::write(path, bytes).unwrap();
    WorldFile::open(path).unwrap_err()
}

#[test]
fn other_files_are_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let others: [(&str, &[u8]); 5] = [
        ("it is empty", b""),
        (
            "seed = 42",
            b"seed = 42\nname = \"My world\"\n# and so on, for more than sixty-four bytes in all\n",
        ),
        ("PNG", b"\x89PNG\r\n\x1a\n and so on"),
        ("it begins with \"x\"", b"x"),
        ("it begins with \"\\x00\\x00", &[0; 5_000]),
    ];
    for (word, bytes) in others {
        let error = refusal(&path, bytes);
        assert!(matches!(error, ReadError::NotAWorld { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(word) && text.contains("a.terrane is not a world file"), "{text}");
    }
    assert!(matches!(
        refusal(&path, b"\x89TERRANE\x01\0\0\0"),
        ReadError::Truncated { at: 12, needed: 64, .. }
    ));
    let folder_error = WorldFile::open(folder.path()).unwrap_err();
    assert!(folder_error.to_string().contains("it is a folder"), "{folder_error}");
    let absent = WorldFile::open(folder.path().join("b.terrane")).unwrap_err();
    assert!(matches!(absent, ReadError::Io { .. }) && absent.to_string().contains("b.terrane"), "{absent}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_without_waiting_for_it() {
    let error = WorldFile::open("/dev/zero").unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[test]
fn a_cut_file_says_where_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let bytes = World::random(4, Shape { faces: 1, rows: 20, cols: 20 }).write(&path);
    let whole = std::fs::read(&path).unwrap();
    let error = refusal(&path, &whole[..whole.len() - 1]);
    assert!(matches!(error, ReadError::Truncated { at, needed, .. } if at == bytes - 1 && needed == bytes));
    let longer = refusal(&path, &[&whole[..], b"!"].concat());
    assert!(matches!(longer, ReadError::Header { .. }), "{longer}");
}

#[test]
fn a_flipped_bit_says_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let bytes = World::random(6, Shape { faces: 1, rows: 100, cols: 100 }).write(&path);
    let mut damaged = std::fs::read(&path).unwrap();
    // the doubles come last but for small tables, and their last chunk is one of 36 x 36
    let at = bytes as usize - 6_000;
    damaged[at] ^= 4;
    std::fs::write(&path, damaged).unwrap();
    let file = WorldFile::open(&path).unwrap();
    file.layer("floats").unwrap();
    for error in [file.layer("doubles").unwrap_err(), file.verify().unwrap_err()] {
        let ReadError::Checksum { ref what, at: begin, .. } = error else { panic!("{error}") };
        assert!(what.contains("of layer `doubles`"), "{error}");
        assert!((begin..begin + 33_000).contains(&(at as u64)), "{error}");
    }
    assert!(matches!(file.gather("doubles", &[Cell(9_999)]), Err(ReadError::Checksum { .. })));
    file.gather("doubles", &[Cell(0)]).unwrap();
}

#[test]
fn a_file_that_shrinks_while_it_is_open_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let bytes = World::random(5, Shape { faces: 1, rows: 100, cols: 100 }).write(&path);
    let file = WorldFile::open(&path).unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(bytes / 2).unwrap();
    let error = file.layer("doubles").unwrap_err();
    assert!(matches!(error, ReadError::Truncated { at, .. } if at == bytes / 2), "{error}");
    assert!(error.to_string().contains("of layer `doubles`"), "{error}");
    assert!(matches!(file.gather("doubles", &[Cell(9_999)]), Err(ReadError::Truncated { .. })));
    assert!(matches!(file.table("things"), Err(ReadError::Truncated { .. })));
    assert!(matches!(file.verify(), Err(ReadError::Truncated { .. })));
}
