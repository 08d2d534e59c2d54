//! A world in its file, of which only what is asked for is read.

use crate::FileError;
use crate::save::open;
use grid::{Cell, Grid, RidgeDirections, Topology};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use store::{Located, WorldFile};
use world::{
    CellClimate, CellSource, CellState, GatherError, LoadError, NO_LAKE, Network, Recipe, Waters, basins_of,
    receiver_direction,
};

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
    ///
    /// # Errors
    /// No file, or one that is not a world's.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = open(path)?;
        let recipe = Recipe::parse(&file.meta().recipe).map_err(FileError::no_world(path))?;
        let grid = recipe.topology().map_err(FileError::no_world(path))?;
        let (asked, found) = (grid.shape(), file.shape());
        if asked != found {
            return Err(FileError::Inconsistent { path: path.into(), asked, found });
        }
        Ok(Self { file, path: path.into(), recipe, grid, waters: OnceLock::new(), network: OnceLock::new() })
    }

    /// The file's place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The river network, read once.
    ///
    /// # Errors
    /// A file that cannot be read, or whose tables do not fit its cells.
    pub fn network(&self) -> Result<&Network, FileError> {
        if let Some(known) = self.network.get() {
            return Ok(known);
        }
        let table = |name| self.file.table(name).map_err(FileError::in_file(&self.path));
        let [rivers, cells, outlets] = Network::TABLES;
        let network =
            Network::from_tables(&table(rivers)?, &table(cells)?, &table(outlets)?, self.grid.len())
                .ok_or_else(|| FileError::Rivers { path: self.path.clone() })?;
        Ok(self.network.get_or_init(|| network))
    }

    /// The values of some cells of a layer, as `f64`.
    fn values(&self, layer: &str, cells: &[Cell]) -> Result<Vec<f64>, GatherError> {
        self.values_at(layer, &self.locate(cells)?)
    }

    /// The same of cells that were located.
    fn values_at(&self, layer: &str, cells: &Located) -> Result<Vec<f64>, GatherError> {
        let wrong = FileError::in_file(&self.path);
        Ok(self.file.gather_at(layer, cells).map_err(|e| GatherError(Box::new(wrong(e))))?.to_f64())
    }

    fn locate(&self, cells: &[Cell]) -> Result<Located, GatherError> {
        let wrong = FileError::in_file(&self.path);
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
        let network = self.network().map_err(|e| GatherError(Box::new(e)))?;
        let receivers =
            |cells: &[Cell]| Ok(self.values("receiver", cells)?.into_iter().map(|byte| byte as u8).collect());
        basins_of(&self.grid, network, cells, receivers)
    }

    fn waters(&self) -> Result<Waters, GatherError> {
        if let Some(known) = self.waters.get() {
            return Ok(known.clone());
        }
        let wrong = |e| GatherError(Box::new(FileError::in_file(&self.path)(e)));
        let lakes = self.file.table("lakes").map_err(wrong)?;
        let outlets = self.file.table(Network::TABLES[2]).map_err(wrong)?;
        let waters = Waters::from_tables(&lakes, &outlets, self.grid.len());
        let waters = waters.ok_or_else(|| GatherError(Box::new(LoadError::Table { name: "lakes" })))?;
        Ok(self.waters.get_or_init(|| waters).clone())
    }
}
