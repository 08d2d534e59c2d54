//! Between worlds and files: saving, opening whole, and opening a view that reads only what is asked.

use crate::output::{Session, advance};
use anyhow::{Context, Result, bail};
use grid::{Cell, Grid, RidgeDirections, Topology};
use std::path::Path;
use store::{Contents, Meta, WorldFile};
use world::{CellSource, CellState, GatherError, NO_LAKE, Network, Recipe, World, receiver_direction};

/// The version of the simulation that worlds are made by.
pub const ENGINE: &str = concat!("terrane ", env!("CARGO_PKG_VERSION"));

/// Saves a world; the file appears whole or not at all. Returns its length in bytes.
pub fn save(world: &World, path: &Path, session: Session) -> Result<u64> {
    let bar = session.bar("saving");
    let meta =
        Meta { engine: ENGINE.into(), recipe: world.recipe.to_toml(), name: world.recipe.name.clone() };
    let (layers, tables) = (world.layers(), world.all_tables());
    let contents = Contents { meta: &meta, shape: world.grid.shape(), layers: &layers, tables: &tables };
    let bytes = store::write(path, &contents, &|share| advance(&bar, share))?;
    bar.finish_and_clear();
    Ok(bytes)
}

/// Reads a whole world into memory.
pub fn load(path: &Path) -> Result<World> {
    let file = WorldFile::open(path)?;
    let layers = World::LAYERS.iter().map(|name| file.layer(name)).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = file.tables().iter().map(|t| t.name.clone()).collect();
    let tables = names.iter().map(|name| file.table(name)).collect::<Result<Vec<_>, _>>()?;
    World::from_parts(&file.meta().recipe, layers, tables)
        .with_context(|| format!("{} does not hold a world", path.display()))
}

/// A world in its file: cells are read when they are asked for.
pub struct WorldView {
    /// The file.
    pub file: WorldFile,
    recipe: Recipe,
    grid: Topology,
}

impl WorldView {
    /// Opens a file; reads its header only.
    pub fn open(path: &Path) -> Result<Self> {
        let file = WorldFile::open(path)?;
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
        Ok(Self { file, recipe, grid })
    }

    /// The river network.
    pub fn network(&self) -> Result<Network> {
        let (rivers, cells) = (self.file.table("rivers")?, self.file.table("river_cells")?);
        Network::from_tables(&rivers, &cells, self.grid.len())
            .context("the tables of rivers do not fit the world")
    }

    /// The values of some cells of a layer, as `f64`.
    fn values(&self, layer: &str, cells: &[Cell]) -> Result<Vec<f64>, GatherError> {
        Ok(self.file.gather(layer, cells).map_err(|e| GatherError(Box::new(e)))?.to_f64())
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
        let continentality = self.values("continentality", cells)?;
        let mountain_height = self.values("mountain_height", cells)?;
        let ridges = self.values("ridge_directions", cells)?;
        let base = self.values("base_elevation", cells)?;
        let water_level = self.values("water_level", cells)?;
        let river_level = self.values("river_level", cells)?;
        let temperature = self.values("temperature", cells)?;
        let rain = self.values("rain", cells)?;
        let receiver = self.values("receiver", cells)?;
        let discharge = self.values("discharge", cells)?;
        let lake = self.values("lake", cells)?;
        let order = self.values("river_order", cells)?;
        let state = |i: usize| CellState {
            continentality: continentality[i],
            mountain_height_m: mountain_height[i],
            ridges: RidgeDirections::from_bits_retain(ridges[i] as u8),
            base_elevation_m: base[i],
            water_level_m: water_level[i],
            river_level_m: river_level[i],
            temperature_c: temperature[i],
            rain_mm: rain[i],
            receiver: receiver_direction(receiver[i] as u8),
            discharge_m3_s: discharge[i],
            lake: Some(lake[i] as u32).filter(|&l| l != NO_LAKE),
            river_order: order[i] as u8,
        };
        Ok((0..cells.len()).map(state).collect())
    }
}
