//! Files that were never whole: every checksum is right, and what they claim is not.

use crate::allocator::peak;
use crate::forge::{Forge, Head, chunk, column, layer, table, text};
use grid::{Field, Layer, Shape};
use std::io::Write;
use store::{ReadError, WorldFile};

/// A world of one face of 8 x 8 bytes and a table of two rows.
fn good() -> (Head, Forge) {
    let columns = [column(b"id", 0, None), column(b"name", 2, Some(5))];
    let values: Vec<u8> = (0..64).collect();
    let mut head = Head {
        name: text("Käse".as_bytes()),
        shape: [1, 8, 8],
        chunk_side: 8,
        layer_count: None,
        layers: vec![layer(b"a", 0, 1)],
        table_count: None,
        tables: vec![table(b"t", 2, &columns)],
        digest: [0; 32],
    };
    let digest = store::digest(&[expected()]);
    for (i, byte) in head.digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digest[2 * i..2 * i + 2], 16).unwrap();
    }
    // shuffled: all first bytes of the two numbers, all second bytes ...
    let ids = chunk(&[7, 9, 0, 1, 0, 0, 0, 0]);
    let lengths = chunk(&[2, 3, 0, 0, 0, 0, 0, 0]);
    let chunks = vec![chunk(&values), ids, lengths, chunk(b"abcde")];
    (head, Forge { chunks, ..Forge::default() })
}

fn expected() -> Layer {
    let shape = Shape { faces: 1, rows: 8, cols: 8 };
    Layer::new("a", "m", Field::from_vec(shape, (0..64u8).collect()).unwrap())
}

/// Opens and reads everything, within 64 MiB.
fn read(bytes: &[u8]) -> Result<WorldFile, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    std::fs::write(&path, bytes).unwrap();
    let (outcome, taken) = peak(|| {
        let file = WorldFile::open(&path)?;
        file.layers().iter().try_for_each(|info| {
            file.gather(&info.name, &[grid::Cell(0)]).map(drop)?;
            file.layer(&info.name).map(drop)
        })?;
        file.tables().iter().try_for_each(|info| file.table(&info.name).map(drop))?;
        Ok(file)
    });
    assert!(taken <= 64 << 20, "{taken} bytes");
    outcome
}

fn refusal(head: &Head, forge: &Forge) -> ReadError {
    let forge = Forge { header: head.bytes(), ..forge.clone() };
    read(&forge.bytes()).map(drop).unwrap_err()
}

/// Changes the good file and asserts what the reader says of it.
fn refused(words: &[&str], change: impl FnOnce(&mut Head, &mut Forge)) -> ReadError {
    let (mut head, mut forge) = good();
    change(&mut head, &mut forge);
    let error = refusal(&head, &forge);
    let text = error.to_string();
    assert!(words.iter().all(|word| text.contains(word)), "`{text}` does not say {words:?}");
    error
}

macro_rules! assert_refused {
    ($kind:ident, $words:expr, $change:expr) => {
        let error = refused(&$words, $change);
        assert!(matches!(error, ReadError::$kind { .. }), "{error:?}");
    };
}

#[test]
fn a_file_made_by_hand_is_read() {
    let (head, forge) = good();
    let file = read(&Forge { header: head.bytes(), ..forge }.bytes()).unwrap();
    assert_eq!(file.meta().name, "Käse");
    assert_eq!(file.layer("a").unwrap(), expected());
    let table = file.table("t").unwrap();
    assert_eq!(table.u32s("id"), Some(&[7, 265][..]));
    let words = grid::table::ColumnValues::Text(vec!["ab".into(), "cde".into()]);
    assert_eq!(table.columns()[1].values, words);
    // the range was left out by hand, and there are numbers
    let error = file.verify().unwrap_err();
    assert!(error.to_string().contains("least and greatest"), "{error}");
}

#[test]
fn claims_of_the_superblock() {
    assert_refused!(Version, ["version 2", "update terrane"], |_, f| f.version = Some(2));
    assert_refused!(Version, ["4294967295"], |_, f| f.version = Some(u32::MAX));
    assert_refused!(Header, ["version 0"], |_, f| f.version = Some(0));
    assert_refused!(Header, ["reserved"], |_, f| f.reserved = 1);
    assert_refused!(Limit, ["header", "4611686018427387904"], |_, f| f.header_bytes = Some(1 << 62));
    assert_refused!(Header, ["header"], |_, f| f.header_bytes = Some(1 << 20));
    assert_refused!(Limit, ["chunks"], |_, f| f.chunk_count = Some(u64::MAX));
    assert_refused!(Header, ["chunk table"], |_, f| f.chunk_count = Some(1 << 21));
    assert_refused!(Header, ["4 chunks", "has 3"], |_, f| drop(f.chunks.pop()));
    assert_refused!(Truncated, ["byte 18446744073709551615"], |_, f| f.file_bytes = Some(u64::MAX));
    assert_refused!(Header, ["it says 0"], |_, f| f.file_bytes = Some(0));
}

#[test]
fn claims_of_the_header() {
    assert_refused!(Limit, ["cells"], |h, _| h.shape = [6, u32::MAX, u32::MAX]);
    assert_refused!(Limit, ["faces"], |h, _| h.shape = [u32::MAX; 3]);
    assert_refused!(Header, ["no cell"], |h, _| h.shape = [6, 0, 9]);
    assert_refused!(Header, ["393219 chunks", "has 4"], |h, _| h.shape = [6, 2_048, 2_048]);
    assert_refused!(Limit, ["chunks"], |h, _| h.shape = [6, 8_192, 8_192]);
    assert_refused!(Header, ["side"], |h, _| h.chunk_side = 0);
    assert_refused!(Limit, ["side"], |h, _| h.chunk_side = u32::MAX);
    assert_refused!(Header, ["decode"], |h, _| h.layer_count = Some(1 << 60));
    assert_refused!(Header, ["decode"], |h, _| h.layer_count = Some(2));
    assert_refused!(Header, ["decode"], |h, _| h.table_count = Some(u64::MAX));
    assert_refused!(Header, ["decode"], |h, _| h.name = (1u64 << 30).to_le_bytes().into());
    assert_refused!(Header, ["decode"], |h, _| h.name = u64::MAX.to_le_bytes().into());
    assert_refused!(Header, ["decode", "tf8"], |h, _| h.name = text(b"\xff\xfe"));
    assert_refused!(Limit, ["name"], |h, _| h.name = text(&[b'x'; 1_025]));
    assert_refused!(Limit, ["name of a layer"], |h, _| h.layers = vec![layer(&[b'x'; 300], 0, 0)]);
    assert_refused!(Header, ["no name"], |h, _| h.layers = vec![layer(b"", 0, 0)]);
    assert_refused!(Header, ["two layers", "`a`"], |h, _| h.layers = vec![layer(b"a", 0, 0); 2]);
    assert_refused!(Header, ["decode"], |h, _| h.layers = vec![layer(b"a", 5, 0)]);
    assert_refused!(Header, ["decode"], |h, _| h.layers = vec![layer(b"a", 0, 9)]);
    assert_refused!(Header, ["expected"], |h, _| h.tables[0].extend([0; 3]));
}

#[test]
fn claims_of_tables() {
    let of = |rows, columns: &[Vec<u8>]| vec![table(b"t", rows, columns)];
    assert_refused!(Limit, ["rows"], |h, _| h.tables = of(1 << 60, &[column(b"id", 0, None)]));
    assert_refused!(Header, ["chunks"], |h, _| h.tables = of(1 << 31, &[column(b"id", 0, None)]));
    assert_refused!(Limit, ["bytes of column"], |h, _| h.tables = of(2, &[column(b"n", 2, Some(1 << 60))]));
    assert_refused!(Header, ["no column"], |h, _| h.tables = of(2, &[]));
    assert_refused!(Header, ["two columns"], |h, _| h.tables =
        of(2, &[column(b"i", 0, None), column(b"i", 1, None)]));
    let columns: Vec<_> = (0..300).map(|i| column(format!("{i}").as_bytes(), 0, None)).collect();
    assert_refused!(Limit, ["columns"], |h, _| h.tables = of(0, &columns));
    assert_refused!(Header, ["two tables"], |h, _| h.tables = vec![table(b"t", 0, &[]); 2]);
}

/// Small things in great number take more memory than bytes of the header; that is bounded too.
#[test]
fn headers_full_of_small_things() {
    assert_refused!(Limit, ["layers", "60000"], |h, _| h.layers = vec![layer(b"", 0, 0); 60_000]);
    assert_refused!(Limit, ["tables", "80000"], |h, _| h.tables = vec![table(b"", 0, &[]); 80_000]);
    let columns = vec![column(b"", 0, None); 80_000];
    assert_refused!(Limit, ["columns", "80000"], |h, _| h.tables = vec![table(b"t", 0, &columns)]);
}

#[test]
fn chunks_that_are_not_what_they_should_be() {
    assert_refused!(Header, ["chunks reach byte"], |_, f| f.lengths = Some(vec![u32::MAX; 4]));
    assert_refused!(Header, ["chunks reach byte"], |_, f| f.lengths = Some(vec![0; 4]));
    assert_refused!(Content, ["chunk 0 of layer `a`", "64 bytes"], |_, f| f.chunks[0] = chunk(&[0; 65]));
    assert_refused!(Content, ["63 bytes"], |_, f| f.chunks[0] = chunk(&[0; 63]));
    assert_refused!(Content, ["chunk 0 of layer `a`"], |_, f| f.chunks[0].clear());
    assert_refused!(Content, ["chunk 0 of layer `a`"], |_, f| f.chunks[0] = b"no zstd".to_vec());
    assert_refused!(Limit, ["bytes of chunk 0"], |_, f| f.chunks[0] = vec![1; 1 << 20]);
    assert_refused!(Content, ["column `name`", "6 bytes"], |_, f| f.chunks[2] =
        chunk(&[3, 3, 0, 0, 0, 0, 0, 0]));
    assert_refused!(Content, ["column `name`", "row 1"], |_, f| f.chunks[3] = chunk(b"ab\xff\xffe"));
    assert_refused!(Content, ["column `name`"], |_, f| f.chunks[2] = chunk(&[0xff; 8]));
    // lengths that cut a letter of two bytes in the middle
    assert_refused!(Content, ["row 0"], |_, f| f.chunks[3] = chunk("aécd".as_bytes()));
}

#[test]
fn a_small_chunk_that_unpacks_to_a_gigabyte() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    (0..1_024).for_each(|_| encoder.write_all(&[0; 1 << 20]).unwrap());
    let bomb = encoder.finish().unwrap();
    // a layer of 256 x 256 doubles may have chunks as long as the bomb
    let error = refused(&["chunk 0 of layer `a`", "524288 bytes"], |h, f| {
        h.shape = [1, 256, 256];
        h.chunk_side = 256;
        h.layers = vec![layer(b"a", 4, 1)];
        assert!(bomb.len() < 524_288);
        f.chunks[0] = bomb;
    });
    assert!(matches!(error, ReadError::Content { .. }), "{error:?}");
}

#[test]
fn digests_and_ranges_are_verified() {
    let (mut head, forge) = good();
    head.layers = vec![[&layer(b"a", 0, 1)[..26], &[1], &0f64.to_le_bytes(), &63f64.to_le_bytes()].concat()];
    let with = |head: &Head| read(&Forge { header: head.bytes(), ..forge.clone() }.bytes()).unwrap();
    with(&head).verify().unwrap();
    head.digest[0] ^= 1;
    let error = with(&head).verify().unwrap_err();
    assert!(error.to_string().contains("the digest is wrong"), "{error}");
}
