//! A file gives back what was written, bit for bit.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

mod common;

use common::{World, assert_same, numbers, read_everything};
use grid::table::ColumnValues;
use grid::{Cell, Field, Layer, Shape, Table};
use proptest::prelude::*;
use std::sync::Mutex;
use store::{Contents, Dtype, Meta, WorldFile, WriteError};

fn flat(rows: u32, cols: u32) -> Shape {
    Shape { faces: 1, rows, cols }
}

#[test]
fn odd_shapes_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let shapes = [(1, 1, 1), (6, 1, 1), (6, 64, 64), (1, 65, 63), (2, 7, 130), (1, 1, 1_000), (3, 200, 1)];
    for (number, (faces, rows, cols)) in shapes.into_iter().enumerate() {
        for chunk_side in [8, 64, 256] {
            let world = World::random(number as u32, Shape { faces, rows, cols });
            assert_eq!(world.write_in(&path, chunk_side), std::fs::metadata(&path).unwrap().len());
            assert_same(&read_everything(&path).unwrap(), &world);
        }
    }
}

#[test]
fn every_kind_of_number_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let singles = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE / 2.0, f32::MAX];
    let mut singles: Vec<u32> = singles.iter().map(|x| x.to_bits()).collect();
    singles.extend([0x7fc0_0000, 0xffc0_0001, 0x7f80_0001, 0x7fff_ffff, 1, u32::MAX]);
    let doubles: Vec<u64> = singles.iter().map(|&b| u64::from(b) << 32 | 0x1234_5678).collect();
    let shape = flat(3, 4);
    let world = World {
        meta: Meta::default(),
        shape,
        layers: vec![
            Layer::new("f", "1", Field::from_vec(shape, singles).unwrap().map(|&b| f32::from_bits(b))),
            Layer::new("d", "1", Field::from_vec(shape, doubles).unwrap().map(|&b| f64::from_bits(b))),
        ],
        tables: vec![],
    };
    world.write(&path);
    let file = WorldFile::open(&path).unwrap();
    assert_eq!((file.layers()[0].min, file.layers()[0].max), (Some(f64::NEG_INFINITY), Some(f64::INFINITY)));
    assert_eq!(file.digest(), store::digest(&world.layers));
    assert_same(&read_everything(&path).unwrap(), &world);
}

#[test]
fn long_tables_and_texts_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let rows = 70_000;
    let texts = (0..rows).map(|i| if i == 4 { "x".repeat(200_000) } else { format!("Ünï {i}") }).collect();
    let table = Table::new("rivers")
        .with("id", "1", ColumnValues::U32((0..rows).map(|i| i * 61_357).collect()))
        .and_then(|t| t.with("text", "1", ColumnValues::Text(texts)))
        .and_then(|t| {
            t.with("length", "m", ColumnValues::F64((0..rows).map(|i| f64::from(i) / 8.0).collect()))
        })
        .unwrap();
    let world = World { tables: vec![table], ..World::random(1, flat(2, 2)) };
    world.write(&path);
    assert_same(&read_everything(&path).unwrap(), &world);
    let file = WorldFile::open(&path).unwrap();
    let info = &file.tables()[0];
    let types: Vec<&str> = info.columns.iter().map(|column| column.dtype).collect();
    assert_eq!((info.name.as_str(), info.rows, types), ("rivers", 70_000, vec!["u32", "text", "f64"]));
}

#[test]
fn a_world_of_nothing_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let world = World { meta: Meta::default(), shape: flat(1, 1), layers: vec![], tables: vec![] };
    world.write(&path);
    assert_same(&read_everything(&path).unwrap(), &world);
}

#[test]
fn the_header_says_what_the_layers_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let shape = flat(2, 2);
    let layers = [
        Layer::new("a", "m", Field::from_vec(shape, vec![-2.5f32, f32::NAN, 7.0, 0.0]).unwrap()),
        Layer::new("b", "1", Field::filled(shape, f64::NAN)),
        Layer::new("c", "1", Field::filled(shape, 65_535u16)),
    ];
    store::write(&path, &Contents { meta: &Meta::default(), shape, layers: &layers, tables: &[] }, &|_| {})
        .unwrap();
    let file = WorldFile::open(&path).unwrap();
    let said: Vec<_> =
        file.layers().iter().map(|l| (l.name.as_str(), l.unit.as_str(), l.dtype, l.min, l.max)).collect();
    assert_eq!(
        said,
        [
            ("a", "m", Dtype::F32, Some(-2.5), Some(7.0)),
            ("b", "1", Dtype::F64, None, None),
            ("c", "1", Dtype::U16, Some(65_535.0), Some(65_535.0)),
        ]
    );
    assert_eq!(file.digest().len(), 64);
    assert_eq!(file.shape(), shape);
}

#[test]
fn the_bytes_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::random(5, Shape { faces: 6, rows: 100, cols: 100 });
    let files: Vec<Vec<u8>> = [1, 2, 7]
        .iter()
        .map(|&threads| {
            let path = folder.path().join(format!("{threads}.terrane"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| world.write(&path));
            std::fs::read(&path).unwrap()
        })
        .collect();
    assert!(files[0] == files[1] && files[1] == files[2]);
}

#[test]
fn progress_goes_from_little_to_all() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::random(2, Shape { faces: 6, rows: 100, cols: 100 });
    let told = Mutex::new(Vec::new());
    let note = |share| told.lock().unwrap().push(share);
    store::write(&folder.path().join("a.terrane"), &world.contents(), &note).unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.len() > 5 && told.is_sorted() && told[0] > 0.0 && told[0] < 0.5, "{told:?}");
    assert_eq!(told.last(), Some(&1.0));
}

#[test]
fn gathering_gives_the_layers_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let world = World::random(3, Shape { faces: 6, rows: 70, cols: 90 });
    world.write_in(&path, 8);
    let file = WorldFile::open(&path).unwrap();
    let len = world.shape.len() as u32;
    // a stride that is no divisor: all cells in a scattered order, each twice
    let cells: Vec<Cell> =
        (0..2 * len).map(|i| Cell((u64::from(i) * 10_007 % u64::from(len)) as u32)).collect();
    for layer in &world.layers {
        let whole = numbers(&layer.values);
        for some in [&cells[..], &cells[..36], &cells[5..6], &[]] {
            let gathered = file.gather(&layer.name, some).unwrap();
            assert_eq!((gathered.len(), gathered.is_empty()), (some.len(), some.is_empty()));
            let right =
                gathered.to_f64().iter().zip(some).all(|(v, c)| v.to_bits() == whole[c.index()].to_bits());
            assert!(right, "{} of {} cells", layer.name, some.len());
        }
    }
    assert!(file.gather("floats", &cells[..9]).unwrap().into_f32().is_some());
    assert!(file.gather("floats", &cells[..9]).unwrap().into_f64().is_none());
}

#[test]
fn what_cannot_be_read_back_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.terrane");
    let good = World::random(4, flat(9, 9));
    let other = Layer::new("other", "1", Field::filled(flat(9, 8), 0u8));
    let twice = good.layers[0].clone();
    let wrong: Vec<(&str, World)> = vec![
        ("9 x 8", World { layers: vec![other], ..good.clone() }),
        ("two layers", World { layers: vec![twice.clone(), twice.clone()], ..good.clone() }),
        ("no name", World { layers: vec![Layer { name: String::new(), ..twice.clone() }], ..good.clone() }),
        ("unit", World { layers: vec![Layer { unit: "m".repeat(65), ..twice }], ..good.clone() }),
        ("recipe", World { meta: Meta { recipe: "#".repeat(1 << 21), ..Meta::default() }, ..good.clone() }),
        ("no cell", World { shape: flat(0, 9), layers: vec![], ..good.clone() }),
        ("two tables", World { tables: vec![Table::new("t"), Table::new("t")], ..good }),
    ];
    for (word, world) in wrong {
        let error = store::write(&path, &world.contents(), &|_| {}).unwrap_err();
        assert!(error.to_string().contains(word), "`{error}` does not mention {word}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
    let nowhere = folder.path().join("no/such/folder/a.terrane");
    let error = store::write(&nowhere, &World::random(4, flat(9, 9)).contents(), &|_| {}).unwrap_err();
    assert!(matches!(error, WriteError::Io { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_world_comes_back(
        number: u32,
        faces in 1u32..=6,
        rows in 1u32..40,
        cols in 1u32..40,
        chunk_side in 8u32..=40,
        recipe: String,
        name in "\\PC{0,40}",
        keep in 0usize..=5,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.terrane");
        let mut world = World::random(number, Shape { faces, rows, cols });
        world.meta = Meta { engine: name.clone(), recipe, name };
        world.layers.truncate(keep);
        world.write_in(&path, chunk_side);
        assert_same(&read_everything(&path).unwrap(), &world);
        let file = WorldFile::open(&path).unwrap();
        prop_assert_eq!(file.digest(), store::digest(&world.layers));
    }
}
