//! Unfinished exports: what was appended is there again, what is broken is cut off, and nothing else is continued.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use formats::part::{Begun, Making, PartError, PartFile};
use std::path::{Path, PathBuf};

fn making(layers: &str) -> Making {
    vec![("world".into(), "abc".into()), ("layers".into(), layers.into())]
}

fn begun(dir: &Path) -> PathBuf {
    let path = dir.join("x.part");
    let mut part = PartFile::open(&path, &making("elevation"), 4, Begun::Refuse).unwrap();
    part.append(2, b"two").unwrap();
    part.append(0, &[7; 100_000]).unwrap();
    part.append(3, b"").unwrap();
    path
}

fn pieces(path: &Path) -> Vec<(u64, Vec<u8>)> {
    let part = PartFile::open(path, &making("elevation"), 4, Begun::Continue).unwrap();
    (0..4).filter(|&n| part.has(n)).map(|n| (n, part.read(n, 0, part.length(n)).unwrap())).collect()
}

#[test]
fn pieces_are_there_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = begun(dir.path());
    assert_eq!(pieces(&path), [(0, vec![7; 100_000]), (2, b"two".to_vec()), (3, Vec::new())]);
    let part = PartFile::open(&path, &making("elevation"), 4, Begun::Continue).unwrap();
    assert_eq!(part.read(2, 1, 2).unwrap(), b"wo");
    assert!(part.read(2, 1, 3).is_err() && part.read(1, 0, 0).is_err() && part.read(2, u64::MAX, 2).is_err());
}

/// Cut anywhere, or with any byte of a record changed, the file holds the whole records before.
#[test]
fn what_is_broken_is_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let path = begun(dir.path());
    let bytes = std::fs::read(&path).unwrap();
    let third = bytes.len() - 24;
    let second = third - 100_000 - 24;
    let first = second - 3 - 24;
    for (length, left) in
        [(third, 2), (third + 23, 2), (third - 1, 1), (second + 5, 1), (second - 1, 0), (first, 0)]
    {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert_eq!(pieces(&path).len(), left, "{length} of {}", bytes.len());
        // and it grows on from there
        let mut part = PartFile::open(&path, &making("elevation"), 4, Begun::Continue).unwrap();
        part.append(1, b"one").unwrap();
        drop(part);
        assert_eq!(pieces(&path).len(), left + 1);
    }
    for at in (first..second).chain([second + 24 + 77_777, third + 9]) {
        let mut broken = bytes.clone();
        broken[at] ^= 0x10;
        std::fs::write(&path, &broken).unwrap();
        let left = pieces(&path).len();
        assert_eq!(
            left,
            if at < second {
                0
            } else if at < third {
                1
            } else {
                2
            },
            "byte {at}"
        );
    }
}

#[test]
fn nothing_else_is_continued() {
    let dir = tempfile::tempdir().unwrap();
    let path = begun(dir.path());
    let before = std::fs::read(&path).unwrap();
    let open = |layers: &str, begun| PartFile::open(&path, &making(layers), 4, begun).unwrap_err();
    let said = open("rain", Begun::Continue).to_string();
    assert!(said.contains("layers") && said.contains("\"elevation\"") && said.contains("\"rain\""), "{said}");
    let said = open("elevation", Begun::Refuse).to_string();
    assert!(said.contains("75 %") && said.contains("--resume"), "{said}");
    let _busy = PartFile::open(&path, &making("elevation"), 4, Begun::Continue).unwrap();
    assert!(matches!(open("elevation", Begun::Continue), PartError::Busy { .. }));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    drop(_busy);
    for foreign in [&b"short"[..], b"some text that is much longer than any header would be", &before[..25]] {
        std::fs::write(&path, foreign).unwrap();
        assert!(matches!(open("elevation", Begun::Continue), PartError::NoPart { .. }));
        assert_eq!(std::fs::read(&path).unwrap(), foreign);
    }
}
