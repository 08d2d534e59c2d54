//! Law 7: a file gives back what was written, bit for bit, or says exactly what is wrong with it; and a region
//! made from a file that is read on demand is the region of the world in memory.

use crate::support::*;
use archive::{FileError, WorldView, load};
use grid::{Cell, Draw, Field, Grid, Layer, Values};
use region::features_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use world::{CellSource, World};

/// Saves a world as the program does.
fn write(world: &World, path: &Path) {
    archive::save(world, path, &|_| {}).expect("the folder can be written");
}

/// All values, as bits: unlike `==`, these tell zeros apart.
fn bits(layers: &[Layer]) -> Vec<u64> {
    let of = |layer: &Layer| -> Vec<u64> {
        match &layer.values {
            Values::U8(f) => f.as_slice().iter().map(|&v| v.into()).collect(),
            Values::U16(f) => f.as_slice().iter().map(|&v| v.into()).collect(),
            Values::U32(f) => f.as_slice().iter().map(|&v| v.into()).collect(),
            Values::F32(f) => f.as_slice().iter().map(|v| v.to_bits().into()).collect(),
            Values::F64(f) => f.as_slice().iter().map(|v| v.to_bits()).collect(),
        }
    };
    layers.iter().flat_map(of).collect()
}

#[test]
fn a_world_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    for world in [small(), island()] {
        let path = folder.path().join("world.terrane");
        write(world, &path);
        let again = load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert!(again == *world, "{}", world.recipe.name);
        assert!(bits(&again.layers()) == bits(&world.layers()));
        assert_eq!(again.all_tables(), world.all_tables());
        assert_eq!(again.recipe, world.recipe);
        let file = store::WorldFile::open(&path).unwrap();
        assert_eq!(file.digest(), store::digest(&world.layers()));
        file.verify().unwrap();
        let names: Vec<&str> = file.layers().iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, World::layer_names());
    }
}

/// Writing what was read gives the same bytes.
#[test]
fn a_file_is_written_the_same_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a.terrane"), folder.path().join("b.terrane"));
    write(island(), &first);
    with_threads(1, || write(&load(&first).unwrap_or_else(|e| panic!("{e}")), &second));
    assert!(std::fs::read(&first).unwrap() == std::fs::read(&second).unwrap());
}

#[test]
fn a_region_from_the_file_is_the_region_from_memory() {
    let folder = tempfile::tempdir().unwrap();
    for world in [small(), rugged(), island()] {
        let path = folder.path().join("world.terrane");
        write(world, &path);
        let file = WorldView::open(&path).expect("the file was just written");
        for (name, cell) in places(world) {
            for per_cell in [0.7, 3.0, 20.0, 90.0] {
                let place = coordinates(world, cell);
                let lattice = metric_lattice(world, place, world.grid.cell_m() / per_cell);
                let window = window_around(&lattice, place, 37, 29);
                let (one, other) = (refined(world, &lattice, window), refined(&file, &lattice, window));
                for row in 0..window.height {
                    for column in 0..window.width {
                        let same = crate::support::bits(&one, column, row)
                            == crate::support::bits(&other, column, row);
                        assert!(same, "{name}, {per_cell} samples to a cell: {column}, {row}");
                    }
                }
            }
        }
        assert!(
            file.file.bytes_read() < 3 * file.file.file_bytes(),
            "chunks are read again and again: {} of {} bytes",
            file.file.bytes_read(),
            file.file.file_bytes()
        );
    }
}

#[test]
fn cells_and_features_from_the_file_are_those_from_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.terrane");
    write(rugged(), &path);
    let file = WorldView::open(&path).expect("the file was just written");
    let mut draw = draws(70);
    let cells: Vec<Cell> = (0..300).map(|_| Cell(draw.below(rugged().grid.len() as u32))).collect();
    assert_eq!(file.gather(&cells).unwrap(), rugged().gather(&cells).unwrap());
    assert!(features_of(&file, &cells, 2).unwrap() == features_of(rugged(), &cells, 2).unwrap());
}

/// A world small enough to be written and read many times.
fn toy() -> World {
    made(&coarse_recipe(3, 12))
}

/// Loads a file that may be damaged. Panics are failures, whatever is in the file.
fn attempt(path: &Path, what: &str) -> Result<World, FileError> {
    catch_unwind(AssertUnwindSafe(|| load(path))).unwrap_or_else(|_| panic!("{what}: it panicked"))
}

#[test]
fn damaged_files_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.terrane");
    let world = toy();
    write(&world, &path);
    let whole = std::fs::read(&path).unwrap();
    let mut draw = draws(71);
    for number in 0..50 {
        let (damaged, what) = damage(&whole, &mut draw);
        std::fs::write(&path, &damaged).unwrap();
        match attempt(&path, &what) {
            Ok(read) => assert!(damaged == whole && read == world, "damage {number}, {what}: not seen"),
            Err(error) => {
                assert!(damaged != whole, "damage {number}, {what}: {error}");
                assert!(error.to_string().len() > 20, "damage {number}, {what}: {error}");
            }
        }
    }
}

/// One kind of damage at a random place; half of them strike the front, where the structure is.
fn damage(bytes: &[u8], draw: &mut Draw) -> (Vec<u8>, String) {
    let len = bytes.len() as u32;
    let reach = if draw.below(2) == 0 { len.min(4_000) } else { len };
    let at = draw.below(reach) as usize;
    let count = (1 + draw.below(300) as usize).min(bytes.len() - at);
    let mut damaged = bytes.to_vec();
    let kind = match draw.below(4) {
        0 => {
            damaged[at] ^= 1 << draw.below(8);
            "a bit flipped"
        }
        1 => {
            damaged.truncate(at);
            "cut"
        }
        2 => {
            damaged[at..at + count].iter_mut().for_each(|b| *b = !*b);
            "inverted"
        }
        _ => {
            damaged.drain(at..at + count);
            "taken out"
        }
    };
    (damaged, format!("{kind} at {at}, {count} bytes"))
}

/// Writes parts that do not fit together, as a forger would: every checksum is right.
fn write_parts(path: &Path, recipe: &str, layers: &[Layer], tables: &[grid::Table]) {
    let meta = store::Meta { engine: "laws".into(), recipe: recipe.into(), name: "forged".into() };
    let shape = layers[0].values.shape();
    let contents = store::Contents { meta: &meta, shape, layers, tables };
    store::write(path, &contents, &|_| {}).expect("the folder can be written");
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.terrane");
    let world = toy();
    let (recipe, layers, tables) = (world.recipe.to_toml(), world.layers(), world.all_tables());
    let refused = |what: &str| {
        // as the program tells it, with what it comes from
        let error = format!("{:#}", anyhow::Error::from(attempt(&path, what).expect_err(what)));
        assert!(error.len() > 20, "{what}: {error}");
        error
    };
    write_parts(&path, &recipe, &layers, &tables);
    assert!(attempt(&path, "whole").is_ok_and(|again| again == world));

    for k in 0..layers.len() {
        let mut fewer = layers.clone();
        let missing = fewer.remove(k);
        write_parts(&path, &recipe, &fewer, &tables);
        assert!(refused("a layer is missing").contains(&missing.name));
        let mut other = layers.clone();
        other[k] = Layer::new(&missing.name, "1", Field::filled(world.grid.shape(), 1u16));
        if missing.values.dtype() != "u16" {
            write_parts(&path, &recipe, &other, &tables);
            assert!(refused("a layer of another type").contains(&missing.name));
        }
    }
    for name in ["rivers", "river_cells"] {
        let fewer: Vec<_> = tables.iter().filter(|t| t.name != name).cloned().collect();
        write_parts(&path, &recipe, &layers, &fewer);
        assert!(refused("a table is missing").contains("river"));
    }
    write_parts(&path, &made(&coarse_recipe(3, 13)).recipe.to_toml(), &layers, &tables);
    refused("the recipe of another grid");
    for wrong in ["", "seed = -1", "[grid]\ncells = 1000000", "seed = ", "[grid]\ncells = \"many\""] {
        write_parts(&path, wrong, &layers, &tables);
        refused("no recipe of this grid");
    }
}

/// Layers of random bits under right checksums: the world is nonsense, and the program must not fall over it.
#[test]
fn nonsense_does_not_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.terrane");
    let (world, mut draw) = (toy(), draws(72));
    for number in 0..30 {
        let mut layers = world.layers();
        for layer in &mut layers {
            if draw.below(2) == 0 {
                scramble(&mut layer.values, &mut draw);
            }
        }
        write_parts(&path, &world.recipe.to_toml(), &layers, &world.all_tables());
        let what = format!("nonsense {number}");
        let again = attempt(&path, &what).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(bits(&again.layers()) == bits(&layers), "{what}");
        let place = (f64::from(draw.below(360)) - 180.0, f64::from(draw.below(170)) - 85.0);
        for per_cell in [1.0, 6.0] {
            let lattice = metric_lattice(&again, place, again.grid.cell_m() / per_cell);
            let window = window_around(&lattice, place, 20, 20);
            let work = || (refined(&again, &lattice, window), again.network.rivers());
            catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| panic!("{what}: refining panicked"));
        }
        let cells: Vec<Cell> = (0..40).map(|_| Cell(draw.below(again.grid.len() as u32))).collect();
        catch_unwind(AssertUnwindSafe(|| features_of(&again, &cells, 2).unwrap()))
            .unwrap_or_else(|_| panic!("{what}: making features panicked"));
    }
}

/// Random bits: numbers of every size, infinite ones, and some that are not numbers.
fn scramble(values: &mut Values, draw: &mut Draw) {
    match values {
        Values::U8(f) => f.as_mut_slice().iter_mut().for_each(|v| *v = draw.bits() as u8),
        Values::U16(f) => f.as_mut_slice().iter_mut().for_each(|v| *v = draw.bits() as u16),
        Values::U32(f) => f.as_mut_slice().iter_mut().for_each(|v| *v = draw.bits() as u32),
        Values::F32(f) => f.as_mut_slice().iter_mut().for_each(|v| *v = f32::from_bits(draw.bits() as u32)),
        Values::F64(f) => f.as_mut_slice().iter_mut().for_each(|v| *v = f64::from_bits(draw.bits())),
    }
}
