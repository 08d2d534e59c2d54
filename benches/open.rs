//! Opening a world file, reading a patch of all layers, and reading one layer whole.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

#[path = "../crates/store/examples/synthetic/mod.rs"]
mod synthetic;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use grid::{Cell, Shape};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use store::WorldFile;

/// Cells along a face's side: a world for trying things out, and the default one.
const SIDES: [u32; 2] = [128, 512];

fn file(folder: &Path, side: u32) -> PathBuf {
    let path = folder.join(format!("{side}.terrane"));
    store::write(&path, &synthetic::World::new(side).contents(), &|_| {}).expect("the folder is writable");
    path
}

fn open(path: &Path) -> WorldFile {
    WorldFile::open(path).expect("it was just written")
}

/// 6 x 6 cells across a corner of four chunks.
fn patch(shape: Shape) -> Vec<Cell> {
    let corner = shape.rows / 2 - 3;
    (0..36).map(|i| shape.join(2, corner + i / 6, corner + i % 6)).collect()
}

fn gather_all(file: &WorldFile, cells: &[Cell]) {
    for info in file.layers() {
        black_box(file.gather(&info.name, cells).expect("the cells are on the grid"));
    }
}

fn benches(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    for side in SIDES {
        let path = file(folder.path(), side);
        let cells = patch(open(&path).shape());
        let id = |name: &str| BenchmarkId::new(name, side);
        let mut group = c.benchmark_group("open");
        group.bench_function(id("open"), |b| b.iter(|| black_box(open(&path))));
        group.bench_function(id("open and gather a patch of 15 layers"), |b| {
            b.iter(|| gather_all(&open(&path), &cells));
        });
        let kept = open(&path);
        group.bench_function(id("gather it again"), |b| b.iter(|| gather_all(&kept, &cells)));
        group.throughput(Throughput::Bytes(kept.shape().len() as u64 * 4));
        group.bench_function(id("read a whole layer of f32"), |b| {
            b.iter(|| black_box(kept.layer("base_elevation_m").expect("it is there")));
        });
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);
