//! Zarr 3: one folder for all bands of a raster, in chunks, with coordinates, units and the reference system, as xarray and
//! dask read it.
//!
//! A store is JSON texts and packed chunks. Each band is an array of its own; so are the coordinates of columns and rows.
//! Chunks of bands are packed by gzip and stand together in shards (`zarr/shard.rs`), so that a store of a continent has some dozens
//! of files. Written here, in 600 lines, for the crate `zarrs` brings many others and two open advisories.
//!
//! [`write()`] makes a store at once. A store that many machines fill is made of [`Object`]s instead: a [`template`] first, then
//! shard by shard ([`pack`]), and beside it the same at half the size, a quarter and so on ([`overviews`], [`halve`]).

mod shard;

mod template;

mod pyramid;

pub use pyramid::{halve, overviews};
pub use template::{Object, key, template};

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use serde_json::{Map, Value};
use shard::Shard;

use crate::stream::{BLOCK, Rect, Source};
use crate::write::folder_of;
use crate::{Cause, Error, beside};

/// Samples along a side of a chunk: what readers unpack at once. Sides of shards are multiples of it.
pub const CHUNK: usize = 512;

/// Samples along a side of a shard: 64 MB unpacked.
const SHARD: usize = 4096;

/// The attribute of stores that are filled shard by shard, in which stands what they were begun for.
pub const FILLED: &str = "terrane";

/// gzip's level: level 4 takes seven times the time for a thousandth of the size of heights.
const LEVEL: u32 = 1;

const _: () = assert!(BLOCK.is_multiple_of(CHUNK), "chunks do not cross blocks");
const _: () = assert!(SHARD.is_multiple_of(BLOCK), "blocks do not cross shards");

/// Writes a raster as a folder, with notes (names and values of the store as a whole).
///
/// The folder is filled beside its place and renamed; a Zarr store that stood there is removed after that. On Linux and
/// macOS the two change places in one step. `progress` is told
/// the share that is done. Memory: one block for each thread.
///
/// # Errors
/// [`Error::Raster`] for a frame that makes no sense, [`Error::Write`] for the rest, as a file or a folder at `path` that is no
/// Zarr store.
pub fn write(
    path: &Path,
    source: &dyn Source,
    notes: &[(String, String)],
    progress: &dyn Fn(f64),
) -> Result<(), Error> {
    source.frame().check().map_err(|error| Error::Raster { path: path.into(), error })?;
    replace(path, |folder| fill(folder, source, notes, progress))
        .map_err(|cause| Error::Write { path: path.into(), cause })
}

/// Whether there is nothing at a place, or a store that one run has made and nobody has put anything into; not one that is filled shard by
/// shard, which may be the work of weeks.
pub fn may_replace(path: &Path) -> bool {
    let about = || serde_json::from_slice::<Value>(&fs::read(path.join(ABOUT)).ok()?).ok();
    !path.exists() || about().is_some_and(|about| about["attributes"][FILLED].is_null()) && is_bare(path)
}

/// What every folder of a store holds.
const ABOUT: &str = "zarr.json";

/// Whether a store holds its arrays and nothing else.
fn is_bare(path: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(path) else { return false };
    entries.all(|entry| entry.is_ok_and(|e| e.file_name() == ABOUT || e.path().join(ABOUT).is_file()))
}

fn replace(path: &Path, fill: impl FnOnce(&Path) -> Result<(), Cause>) -> Result<(), Cause> {
    if !may_replace(path) {
        return Err(
            "something else than a Zarr store that may be replaced is there, or one with further files in it"
                .into(),
        );
    }
    let folder = folder_of(path);
    let (temporary, _lock) = beside::folder(path, &folder)?;
    share(temporary.path())?;
    fill(temporary.path())?;
    if !path.exists() {
        fs::rename(temporary.keep(), path)?;
    } else if !exchange(temporary.path(), path) {
        // not in one step: whoever ends the program between the two finds the old store in the folder `old`
        let old = tempfile::Builder::new().prefix(".").suffix(".old").tempdir_in(&folder)?;
        fs::rename(path, old.path().join("store"))?;
        fs::rename(temporary.keep(), path)?;
    }
    if let Ok(folder) = File::open(&folder) {
        folder.sync_all()?;
    }
    Ok(())
}

/// Lets two folders change names in one step; false where the system cannot.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(new: &Path, old: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

/// Temporary folders are private by default, but this one becomes an ordinary folder.
#[cfg(unix)]
fn share(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn share(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn fill(
    folder: &Path,
    source: &dyn Source,
    notes: &[(String, String)],
    progress: &dyn Fn(f64),
) -> Result<(), Cause> {
    let frame = source.frame();
    let attributes: Map<String, Value> = notes.iter().map(|(n, v)| (n.clone(), v.clone().into())).collect();
    for object in template(std::slice::from_ref(frame), SHARD, &attributes)? {
        put(&folder.join(object.key), &object.bytes)?;
    }
    for (band, title) in frame.bands.iter().enumerate() {
        let told = |share: f64| progress((band as f64 + share) / frame.bands.len() as f64);
        shards(&folder.join(&title.name).join("c"), source, band, &told)?;
    }
    Ok(())
}

/// A chunk's row and column, and its bytes.
type Chunk = ((usize, usize), Vec<u8>);

/// The shards of a band.
fn shards(folder: &Path, source: &dyn Source, band: usize, progress: &dyn Fn(f64)) -> Result<(), Cause> {
    let blocks = source.frame().blocks();
    let of = |at: &Rect| (at.row / SHARD, at.column / SHARD);
    let mut places: Vec<(usize, usize)> = blocks.iter().map(of).collect();
    places.sort_unstable();
    places.dedup();
    let mut done = 0;
    for (row, column) in places {
        let folder = folder.join(row.to_string());
        fs::create_dir_all(&folder)?;
        let file = BufWriter::with_capacity(1 << 18, File::create(folder.join(column.to_string()))?);
        let mut shard = Shard::new(file, SHARD / CHUNK);
        let inside: Vec<Rect> = blocks.iter().copied().filter(|at| of(at) == (row, column)).collect();
        for some in inside.chunks(rayon::current_num_threads().min(4)) {
            let made: Result<Vec<Vec<Chunk>>, Cause> =
                some.par_iter().map(|at| chunks(source, band, *at)).collect();
            for ((row, column), bytes) in made?.into_iter().flatten() {
                shard.put((row % (SHARD / CHUNK), column % (SHARD / CHUNK)), &bytes)?;
            }
            done += some.len();
            progress(done as f64 / blocks.len() as f64);
        }
        let mut file = shard.finish()?;
        file.flush()?;
        file.get_ref().sync_all()?;
    }
    Ok(())
}

/// The chunks of a block.
fn chunks(source: &dyn Source, band: usize, at: Rect) -> Result<Vec<Chunk>, Cause> {
    let values = source.read(band, at)?;
    let mut chunks = Vec::new();
    for top in (0..at.height).step_by(CHUNK) {
        for left in (0..at.width).step_by(CHUNK) {
            let bytes = shard::chunk(&values, (at.width, at.height), (left, top));
            chunks.push((((at.row + top) / CHUNK, (at.column + left) / CHUNK), packed(&bytes)?));
        }
    }
    Ok(chunks)
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Cause> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(())
}

/// A whole shard of a side: the samples that there are of it, `width` by `height` from its north-western corner.
///
/// # Errors
/// None that is known: it writes into memory.
pub fn pack(values: &[f32], size: (usize, usize), side: usize) -> std::io::Result<Vec<u8>> {
    shard::pack(values, size, side)
}

fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(LEVEL));
    encoder.write_all(bytes)?;
    encoder.finish()
}
