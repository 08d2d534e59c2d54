//! Worlds saved and loaded whole.

use crate::{ENGINE, FileError};
use grid::{Grid, Layer, Shape, Table};
use std::path::Path;
use store::{Contents, Meta, WorldFile, WriteError};
use world::{Recipe, World};

/// Saves a world that is needed afterwards; the file appears whole or not at all. Returns its length in bytes.
///
/// # Errors
/// A place that cannot be written to.
pub fn save(world: &World, path: &Path, progress: &(dyn Fn(f64) + Sync)) -> Result<u64, WriteError> {
    write(&world.recipe, world.grid.shape(), (world.layers(), world.all_tables()), path, progress)
}

/// Saves a world without copying it first, as [`save`].
///
/// # Errors
/// As [`save`].
pub fn save_and_drop(world: World, path: &Path, progress: &(dyn Fn(f64) + Sync)) -> Result<u64, WriteError> {
    let (recipe, shape) = (world.recipe.clone(), world.grid.shape());
    write(&recipe, shape, world.into_layers_and_tables(), path, progress)
}

fn write(
    recipe: &Recipe,
    shape: Shape,
    (layers, tables): (Vec<Layer>, Vec<Table>),
    path: &Path,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<u64, WriteError> {
    let meta = Meta { engine: ENGINE.into(), recipe: recipe.to_toml(), name: recipe.name.clone() };
    let contents = Contents { meta: &meta, shape, layers: &layers, tables: &tables };
    store::write(path, &contents, progress)
}

/// Opens a file; reads its header only. Pipes are refused, for opening one waits until somebody writes to it.
pub(crate) fn open(path: &Path) -> Result<WorldFile, FileError> {
    if path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        return Err(FileError::Irregular { path: path.into() });
    }
    WorldFile::open(path).map_err(FileError::in_file(path))
}

/// Reads a whole world into memory.
///
/// # Errors
/// No file, or one that holds no world.
pub fn load(path: &Path) -> Result<World, FileError> {
    let wrong = FileError::in_file(path);
    let file = open(path)?;
    let layers = World::layer_names();
    let layers = layers.iter().map(|name| file.layer(name)).collect::<Result<Vec<_>, _>>().map_err(&wrong)?;
    let names: Vec<String> = file.tables().iter().map(|t| t.name.clone()).collect();
    let tables = names.iter().map(|name| file.table(name)).collect::<Result<Vec<_>, _>>().map_err(&wrong)?;
    World::from_parts(&file.meta().recipe, layers, tables).map_err(FileError::no_world(path))
}
