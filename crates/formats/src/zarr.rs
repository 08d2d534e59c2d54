//! Zarr 3: one folder for all bands of a raster, in chunks, with coordinates, units and the reference system, as xarray and
//! dask read it.
//!
//! A store is JSON texts and packed chunks. Each band is an array of its own; so are the coordinates of columns and rows.
//! Chunks of bands are packed by gzip and stand together in shards (`zarr/shard.rs`), so that a store of a continent has some dozens
//! of files. Written here, in 300 lines, for the crate `zarrs` brings many others and two open advisories.

mod shard;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use shard::Shard;

use crate::reference::{Reference, in_degrees};
use crate::stream::{BLOCK, Frame, Kind, Rect, Source};
use crate::write::folder_of;
use crate::{Cause, Error, beside};

/// Samples along a side of a chunk.
const CHUNK: usize = 512;

/// Samples along a side of a shard: 64 MB unpacked.
const SHARD: usize = 4096;

/// gzip's level: heights hardly shrink more with higher ones.
const LEVEL: u32 = 4;

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

/// Whether there is nothing at a place, or a store that may be replaced.
pub fn may_replace(path: &Path) -> bool {
    !path.exists() || path.join("zarr.json").is_file()
}

fn replace(path: &Path, fill: impl FnOnce(&Path) -> Result<(), Cause>) -> Result<(), Cause> {
    if !may_replace(path) {
        return Err("something else than a Zarr store is there".into());
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
    let mut arrays = Map::new();
    for (name, step, count, first) in axes(frame) {
        let at = |i: usize| first + (i as f64 + 0.5) * step;
        let bytes: Vec<u8> = (0..count).flat_map(|i| at(i).to_le_bytes()).collect();
        put(&folder.join(name).join("c").join("0"), &packed(&bytes)?)?;
        arrays.insert(name.into(), axis(name, count, in_degrees(&frame.georeference.crs)));
    }
    for (band, title) in frame.bands.iter().enumerate() {
        arrays.insert(title.name.clone(), about_band(frame, band));
        let told = |share: f64| progress((band as f64 + share) / frame.bands.len() as f64);
        shards(&folder.join(&title.name).join("c"), source, band, &told)?;
    }
    arrays.insert("spatial_ref".into(), spatial_ref(frame));
    put(&folder.join("spatial_ref").join("c"), &packed(&0_i32.to_le_bytes())?)?;
    for (name, about) in &arrays {
        put(&folder.join(name).join("zarr.json"), &serde_json::to_vec_pretty(about)?)?;
    }
    put(&folder.join("zarr.json"), &serde_json::to_vec_pretty(&group(notes, arrays))?)
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
        let mut shard = Shard::create(&folder.join(row.to_string()).join(column.to_string()), SHARD / CHUNK)?;
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
        shard.finish()?;
    }
    Ok(())
}

/// The chunks of a block.
fn chunks(source: &dyn Source, band: usize, at: Rect) -> Result<Vec<Chunk>, Cause> {
    let values = source.read(band, at)?;
    let mut chunks = Vec::new();
    for top in (0..at.height).step_by(CHUNK) {
        for left in (0..at.width).step_by(CHUNK) {
            // beyond the border a chunk is filled up
            let mut chunk = vec![f32::NAN; CHUNK * CHUNK];
            let width = CHUNK.min(at.width - left);
            for row in 0..CHUNK.min(at.height - top) {
                let from = &values[(top + row) * at.width + left..][..width];
                chunk[row * CHUNK..][..width].copy_from_slice(from);
            }
            let bytes: Vec<u8> = chunk.iter().flat_map(|v| v.to_le_bytes()).collect();
            chunks.push((((at.row + top) / CHUNK, (at.column + left) / CHUNK), packed(&bytes)?));
        }
    }
    Ok(chunks)
}

fn put(path: &PathBuf, bytes: &[u8]) -> Result<(), Cause> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(())
}

fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(LEVEL));
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Names of rows and of columns.
fn names(frame: &Frame) -> [&'static str; 2] {
    if in_degrees(&frame.georeference.crs) { ["lat", "lon"] } else { ["y", "x"] }
}

/// Name, step, number and border of rows and of columns.
fn axes(frame: &Frame) -> [(&'static str, f64, usize, f64); 2] {
    let at = &frame.georeference;
    let [rows, columns] = names(frame);
    [(rows, -at.step_y, frame.height, at.north), (columns, at.step_x, frame.width, at.west)]
}

/// How numbers become the bytes of a chunk.
fn codecs() -> Value {
    json!([
        { "name": "bytes", "configuration": { "endian": "little" } },
        { "name": "gzip", "configuration": { "level": LEVEL } },
    ])
}

/// What the store says of an array.
fn array(
    shape: &[usize],
    chunk: &[usize],
    (kind, fill): (&str, Value),
    names: &[&str],
    attributes: Value,
) -> Value {
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": kind,
        "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": chunk } },
        "chunk_key_encoding": { "name": "default", "configuration": { "separator": "/" } },
        "fill_value": fill,
        "codecs": codecs(),
        "attributes": attributes,
        "dimension_names": names,
    })
}

/// The codec of chunks that stand in shards.
fn sharded() -> Value {
    json!([{
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [CHUNK, CHUNK],
            "codecs": codecs(),
            "index_codecs": [{ "name": "bytes", "configuration": { "endian": "little" } }, { "name": "crc32c" }],
            "index_location": "end",
        },
    }])
}

fn about_band(frame: &Frame, band: usize) -> Value {
    let title = &frame.bands[band];
    let mut attributes = json!({ "long_name": title.name.replace('_', " "), "grid_mapping": "spatial_ref" });
    if !title.unit.is_empty() {
        attributes["units"] = title.unit.clone().into();
    }
    if title.kind == Kind::Class {
        attributes["kind"] = "class".into();
    }
    let (shape, shard) = ([frame.height, frame.width], [SHARD, SHARD]);
    let mut about = array(&shape, &shard, ("float32", "NaN".into()), &names(frame), attributes);
    about["codecs"] = sharded();
    about
}

/// Coordinates of rows or columns, in the words of the climate and forecast conventions.
fn axis(name: &str, count: usize, degrees: bool) -> Value {
    let north = matches!(name, "lat" | "y");
    let attributes = match (degrees, north) {
        (true, true) => json!({ "standard_name": "latitude", "units": "degrees_north", "axis": "Y" }),
        (true, false) => json!({ "standard_name": "longitude", "units": "degrees_east", "axis": "X" }),
        (false, true) => json!({ "standard_name": "projection_y_coordinate", "units": "m", "axis": "Y" }),
        (false, false) => json!({ "standard_name": "projection_x_coordinate", "units": "m", "axis": "X" }),
    };
    array(&[count], &[count], ("float64", "NaN".into()), &[name], attributes)
}

/// The reference system, on an array without dimensions, where rioxarray and GDAL look for it.
fn spatial_ref(frame: &Frame) -> Value {
    let at = &frame.georeference;
    let reference = Reference::of(&at.crs);
    let mut attributes = json!({
        "long_name": reference.name,
        "GeoTransform": format!("{} {} 0 {} 0 {}", at.west, at.step_x, at.north, -at.step_y),
    });
    if let Some(wkt) = reference.wkt {
        attributes["crs_wkt"] = wkt.clone().into();
        attributes["spatial_ref"] = wkt.into();
    }
    if let Some(code) = reference.epsg {
        attributes["epsg"] = code.into();
    }
    array(&[], &[], ("int32", 0.into()), &[], attributes)
}

/// The store as a whole. It repeats what its arrays are, so that one request tells everything.
fn group(notes: &[(String, String)], arrays: Map<String, Value>) -> Value {
    let notes: Map<String, Value> = notes.iter().map(|(n, v)| (n.clone(), v.clone().into())).collect();
    let mut attributes = notes;
    attributes.insert("Conventions".into(), "CF-1.10".into());
    json!({
        "zarr_format": 3,
        "node_type": "group",
        "attributes": attributes,
        "consolidated_metadata": { "kind": "inline", "must_understand": false, "metadata": arrays },
    })
}
