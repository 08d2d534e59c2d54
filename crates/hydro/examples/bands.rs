//! Analyses a raw raster of little-endian `f32` in bands, with temporary files beside it:
//! `bands RAW COLS ROWS MEGABYTES [LEAST_CELLS]`. If the raster is not there, fractal ground is written first.
#![allow(clippy::print_stdout, reason = "it is a program")]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "it measures time")]

use grid::{Flat, Grid, Purpose, Seed, Vec3};
use hydro::bands::{Files, Plan, Products, Rows, Source, Stage, Store, StoreError, Threshold, analyse};
use rayon::prelude::*;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

/// Rows in a file, each value with its bytes in little-endian order.
struct Raw {
    file: File,
    row_bytes: u64,
    bytes: Vec<u8>,
}

/// Bytes turned at once.
const PART: usize = 1 << 20;

impl Raw {
    fn new(file: File, row_bytes: u64) -> Self {
        Self { file, row_bytes, bytes: vec![0; PART] }
    }

    fn read_with<T>(
        &mut self,
        first_row: u32,
        rows: &mut [T],
        of: impl Fn(&[u8]) -> T,
    ) -> Result<(), StoreError> {
        self.file.seek(SeekFrom::Start(u64::from(first_row) * self.row_bytes))?;
        for part in rows.chunks_mut(PART / size_of::<T>()) {
            let bytes = &mut self.bytes[..size_of_val(part)];
            self.file.read_exact(bytes)?;
            part.iter_mut().zip(bytes.chunks(size_of::<T>())).for_each(|(value, bytes)| *value = of(bytes));
        }
        Ok(())
    }

    fn write_with<T: Copy>(
        &mut self,
        first_row: u32,
        rows: &[T],
        put: impl Fn(T, &mut [u8]),
    ) -> Result<(), StoreError> {
        self.file.seek(SeekFrom::Start(u64::from(first_row) * self.row_bytes))?;
        for part in rows.chunks(PART / size_of::<T>()) {
            let bytes = &mut self.bytes[..size_of_val(part)];
            part.iter().zip(bytes.chunks_mut(size_of::<T>())).for_each(|(&value, bytes)| put(value, bytes));
            self.file.write_all(bytes)?;
        }
        Ok(())
    }
}

macro_rules! stores {
    ($($type:ty),*) => {
        $(impl Store<$type> for Raw {
            fn read(&mut self, first_row: u32, rows: &mut [$type]) -> Result<(), StoreError> {
                self.read_with(first_row, rows, |b| <$type>::from_le_bytes(b.try_into().expect("its size")))
            }
            fn write(&mut self, first_row: u32, rows: &[$type]) -> Result<(), StoreError> {
                self.write_with(first_row, rows, |value, b| b.copy_from_slice(&value.to_le_bytes()))
            }
        })*
    };
}

stores!(f32, u32, u8);

impl Source for Raw {
    fn read(&mut self, first_row: u32, rows: &mut [f32]) -> Result<(), StoreError> {
        Store::read(self, first_row, rows)
    }
}

/// Takes the results nowhere.
struct Nowhere;

impl Products for Nowhere {
    fn write(&mut self, _: u32, _: Rows<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Fractal ground of exponent 0.5 on a gentle island, about a quarter of it in depressions.
fn write_ground(path: &Path, map: &Flat) -> Result<(), StoreError> {
    const GROUND: Purpose = Purpose::new("hydro/examples/bands");
    let (cols, rows) = (map.shape().cols, map.shape().rows);
    let noise = grid::noise::Fractal::new(Seed(42).key(GROUND), 14, std::f64::consts::FRAC_1_SQRT_2);
    let height = |row: u32, col: u32| {
        let (x, y) = (f64::from(col) / f64::from(cols), f64::from(row) / f64::from(cols));
        let (u, v) = (2.0 * x - 1.0, 2.0 * f64::from(row) / f64::from(rows) - 1.0);
        let bump = 0.6 * (1.0 - u * u) * (1.0 - v * v);
        ((noise.fbm(Vec3::new(x * 3.0, y * 3.0, 0.5)) + bump) * 400.0) as f32
    };
    let mut file = Raw::new(File::create(path)?, 4 * u64::from(cols));
    for first in (0..rows).step_by(256) {
        let count = 256.min(rows - first);
        let heights: Vec<f32> =
            (0..count * cols).into_par_iter().map(|i| height(first + i / cols, i % cols)).collect();
        Store::write(&mut file, first, &heights)?;
    }
    Ok(())
}

fn main() -> Result<(), StoreError> {
    let args: Vec<String> = std::env::args().collect();
    let [_, raw, cols, rows, megabytes, rest @ ..] = &args[..] else {
        return Err("bands RAW COLS ROWS MEGABYTES [LEAST_CELLS]".into());
    };
    let (raw, map) = (PathBuf::from(raw), Flat::new(cols.parse()?, rows.parse()?, 30.0)?);
    if !raw.exists() {
        write_ground(&raw, &map)?;
    }
    let least = rest.first().map_or(Ok(1000), |least| least.parse())?;
    let plan =
        Plan::for_memory(map.shape(), rayon::current_num_threads(), megabytes.parse::<usize>()? << 20)?;
    println!("{plan:?}, at most {} MB", plan.bytes(map.shape()) >> 20);
    let folder = raw.parent().ok_or("a file in a folder")?;
    let temporary = |name: &str, bytes: u64| -> Result<Raw, StoreError> {
        let path = folder.join(name);
        let options = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = options?;
        std::fs::remove_file(&path)?;
        Ok(Raw::new(file, bytes * u64::from(map.shape().cols)))
    };
    let clock = Mutex::new((Stage::Fill, Instant::now(), 0));
    let progress = |stage: Stage, _: f64| {
        let mut clock = clock.lock().expect("nobody panics with it");
        if clock.0 != stage {
            println!(
                "{:24} {:7.2} s, {} reports",
                clock.0.to_string(),
                clock.1.elapsed().as_secs_f64(),
                clock.2
            );
            *clock = (stage, Instant::now(), 0);
        }
        clock.2 += 1;
        ControlFlow::Continue(())
    };
    let files = Files {
        source: &mut Raw::new(File::open(&raw)?, 4 * u64::from(map.shape().cols)),
        surface: &mut temporary("surface.tmp", 4)?,
        labels: &mut temporary("labels.tmp", 4)?,
        directions: &mut temporary("directions.tmp", 1)?,
        products: &mut Nowhere,
    };
    let start = Instant::now();
    let analysis = analyse(&map, files, &plan, Threshold::Cells(least), &progress)?;
    println!("all {:.2} s, {:#?}", start.elapsed().as_secs_f64(), analysis.summary);
    println!("{} reaches, {} basins", analysis.network.reaches.len(), analysis.basins.len());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    Ok(())
}
