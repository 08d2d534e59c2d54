//! Between worlds and files: saving, opening whole, and opening a view that reads only what is asked.

use crate::output::{Session, advance};
use anyhow::{Context, Result, bail};
use grid::{Cell, Grid, Layer, RidgeDirections, Shape, Table, Topology};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use store::{Contents, Located, Meta, ReadError, WorldFile};
use world::{
    CellClimate, CellSource, CellState, GatherError, LoadError, NO_LAKE, Network, Recipe, Waters, World,
    basins_of, receiver_direction,
};

/// The version of the simulation that worlds are made by.
pub const ENGINE: &str = concat!("terrane ", env!("CARGO_PKG_VERSION"));

/// Saves a world that is needed afterwards; the file appears whole or not at all. Returns its length in bytes.
pub fn save(world: &World, path: &Path, session: Session) -> Result<u64> {
    write(&world.recipe, world.grid.shape(), (world.layers(), world.all_tables()), path, session)
}

/// Saves a world without copying it first, as [`save`].
pub fn save_and_drop(world: World, path: &Path, session: Session) -> Result<u64> {
    let (recipe, shape) = (world.recipe.clone(), world.grid.shape());
    write(&recipe, shape, world.into_layers_and_tables(), path, session)
}

fn write(
    recipe: &Recipe,
    shape: Shape,
    (layers, tables): (Vec<Layer>, Vec<Table>),
    path: &Path,
    session: Session,
) -> Result<u64> {
    let bar = session.bar("saving");
    let meta = Meta { engine: ENGINE.into(), recipe: recipe.to_toml(), name: recipe.name.clone() };
    let contents = Contents { meta: &meta, shape, layers: &layers, tables: &tables };
    let bytes = store::write(path, &contents, &|share| advance(&bar, share))?;
    bar.finish_and_clear();
    Ok(bytes)
}

/// What is wrong with a world file, and with which.
#[derive(Debug)]
struct Unreadable {
    path: PathBuf,
    source: ReadError,
}

impl Unreadable {
    /// Puts a file's name to its errors.
    fn in_file(path: &Path) -> impl Fn(ReadError) -> Self {
        move |source| Self { path: path.into(), source }
    }
}

impl std::error::Error for Unreadable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            ReadError::NotAWorld { .. } | ReadError::Io { .. } => self.source.fmt(f),
            _ => write!(f, "{}: {}", self.path.display(), self.source),
        }
    }
}

/// Opens a file; reads its header only. Pipes are refused, for opening one waits until somebody writes to it.
fn open(path: &Path) -> Result<WorldFile> {
    if path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        bail!("{} is not a world file: it is not a regular file", path.display());
    }
    Ok(WorldFile::open(path).map_err(Unreadable::in_file(path))?)
}

/// Reads a whole world into memory.
pub fn load(path: &Path) -> Result<World> {
    let wrong = Unreadable::in_file(path);
    let file = open(path)?;
    let layers = World::layer_names();
    let layers = layers.iter().map(|name| file.layer(name)).collect::<Result<Vec<_>, _>>().map_err(&wrong)?;
    let names: Vec<String> = file.tables().iter().map(|t| t.name.clone()).collect();
    let tables = names.iter().map(|name| file.table(name)).collect::<Result<Vec<_>, _>>().map_err(&wrong)?;
    World::from_parts(&file.meta().recipe, layers, tables)
        .with_context(|| format!("{} does not hold a world", path.display()))
}

/// A world in its file: cells are read when they are asked for.
pub struct WorldView {
    /// The file.
    pub file: WorldFile,
    path: PathBuf,
    recipe: Recipe,
    grid: Topology,
    /// Read once, as is all below.
    waters: OnceLock<Waters>,
    network: OnceLock<Network>,
}

impl WorldView {
    /// Opens a file; reads its header only.
    pub fn open(path: &Path) -> Result<Self> {
        let file = open(path)?;
        let what = || format!("{} does not hold a world", path.display());
        let recipe = Recipe::parse(&file.meta().recipe).with_context(what)?;
        let grid = recipe.topology().with_context(what)?;
        if grid.shape() != file.shape() {
            bail!(
                "{} is inconsistent: its recipe asks for a grid of {:?}, its layers lie on {:?}",
                path.display(),
                grid.shape(),
                file.shape()
            );
        }
        Ok(Self { file, path: path.into(), recipe, grid, waters: OnceLock::new(), network: OnceLock::new() })
    }

    /// The file's place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The river network.
    pub fn network(&self) -> Result<&Network> {
        if let Some(known) = self.network.get() {
            return Ok(known);
        }
        let table = |name| self.file.table(name).map_err(Unreadable::in_file(&self.path));
        let [rivers, cells, outlets] = Network::TABLES;
        let network =
            Network::from_tables(&table(rivers)?, &table(cells)?, &table(outlets)?, self.grid.len())
                .with_context(|| {
                    format!("{}: the tables of rivers do not fit the world", self.path.display())
                })?;
        Ok(self.network.get_or_init(|| network))
    }

    /// The values of some cells of a layer, as `f64`.
    fn values(&self, layer: &str, cells: &[Cell]) -> Result<Vec<f64>, GatherError> {
        self.values_at(layer, &self.locate(cells)?)
    }

    /// The same of cells that were located.
    fn values_at(&self, layer: &str, cells: &Located) -> Result<Vec<f64>, GatherError> {
        let wrong = Unreadable::in_file(&self.path);
        Ok(self.file.gather_at(layer, cells).map_err(|e| GatherError(Box::new(wrong(e))))?.to_f64())
    }

    fn locate(&self, cells: &[Cell]) -> Result<Located, GatherError> {
        let wrong = Unreadable::in_file(&self.path);
        self.file.locate(cells).map_err(|e| GatherError(Box::new(wrong(e))))
    }
}

impl CellSource for WorldView {
    fn grid(&self) -> &Topology {
        &self.grid
    }

    fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    fn gather(&self, cells: &[Cell]) -> Result<Vec<CellState>, GatherError> {
        let at = self.locate(cells)?;
        let values = |layer: &str| self.values_at(layer, &at);
        let continentality = values("continentality")?;
        let mountain_height = values("mountain_height")?;
        let ridges = values("ridge_directions")?;
        let base = values("base_elevation")?;
        let water_level = values("water_level")?;
        let river_level = values("river_level")?;
        let channel_depth = values("channel_depth")?;
        let temperature = values("temperature")?;
        let rain = values("rain")?;
        let receiver = values("receiver")?;
        let discharge = values("discharge")?;
        let runoff = values("runoff")?;
        let drainage = values("drainage_area")?;
        let lake = values("lake")?;
        let order = values("river_order")?;
        let state = |i: usize| CellState {
            continentality: continentality[i],
            mountain_height_m: mountain_height[i],
            ridges: RidgeDirections::from_bits_retain(ridges[i] as u8),
            base_elevation_m: base[i],
            water_level_m: water_level[i],
            river_level_m: river_level[i],
            channel_depth_m: channel_depth[i],
            temperature_c: temperature[i],
            rain_mm: rain[i],
            receiver: receiver_direction(receiver[i] as u8),
            discharge_m3_s: discharge[i],
            runoff_m3_s: runoff[i],
            drainage_km2: drainage[i],
            lake: Some(lake[i] as u32).filter(|&l| l != NO_LAKE),
            river_order: order[i] as u8,
        };
        Ok((0..cells.len()).map(state).collect())
    }

    fn climates(&self, cells: &[Cell]) -> Result<Vec<CellClimate>, GatherError> {
        let at = self.locate(cells)?;
        let months = |name: &str| -> Result<Vec<Vec<f64>>, GatherError> {
            (1..=12).map(|month| self.values_at(&format!("{name}_{month:02}"), &at)).collect()
        };
        let (temperature_c, rain_mm) = (months("temperature")?, months("rain")?);
        let climate = |i: usize| CellClimate {
            temperature_c: std::array::from_fn(|m| temperature_c[m][i] as f32),
            rain_mm: std::array::from_fn(|m| rain_mm[m][i] as f32),
        };
        Ok((0..cells.len()).map(climate).collect())
    }

    fn basins(&self, cells: &[Cell]) -> Result<Vec<Option<u32>>, GatherError> {
        let network = self.network().map_err(|e| GatherError(e.into()))?;
        let receivers =
            |cells: &[Cell]| Ok(self.values("receiver", cells)?.into_iter().map(|byte| byte as u8).collect());
        basins_of(&self.grid, network, cells, receivers)
    }

    fn waters(&self) -> Result<Waters, GatherError> {
        if let Some(known) = self.waters.get() {
            return Ok(known.clone());
        }
        let wrong = |e| GatherError(Box::new(Unreadable::in_file(&self.path)(e)));
        let lakes = self.file.table("lakes").map_err(wrong)?;
        let outlets = self.file.table(Network::TABLES[2]).map_err(wrong)?;
        let waters = Waters::from_tables(&lakes, &outlets, self.grid.len());
        let waters = waters.ok_or_else(|| GatherError(Box::new(LoadError::Table { name: "lakes" })))?;
        Ok(self.waters.get_or_init(|| waters).clone())
    }
}
