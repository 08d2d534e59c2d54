//! A world in its file: written, opened, and asked for cells without being loaded.

use grid::{Cell, Direction, RidgeDirections, Topology};
use std::path::Path;
use std::sync::OnceLock;
use store::{Contents, Meta, ReadError, WorldFile};
use world::{
    CellClimate, CellSource, CellState, GatherError, NO_LAKE, Network, Recipe, Waters, World, basins_of,
};

/// Writes a world as the program does.
pub fn write(world: &World, path: &Path) {
    let (layers, tables) = (world.layers(), world.all_tables());
    let name = world.recipe.name.clone();
    let meta = Meta { engine: "laws".into(), recipe: world.recipe.to_toml(), name };
    let shape = grid::Grid::shape(&world.grid);
    let contents = Contents { meta: &meta, shape, layers: &layers, tables: &tables };
    store::write(path, &contents, &|_| {}).expect("the folder can be written");
}

/// Why a file is no world.
#[derive(Debug)]
pub enum Refusal {
    /// The file says so.
    Read(ReadError),
    /// The world says so.
    Load(world::LoadError),
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<world::LoadError> for Refusal {
    fn from(error: world::LoadError) -> Self {
        Self::Load(error)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
        }
    }
}

/// Reads a whole world.
pub fn load(path: &Path) -> Result<World, Refusal> {
    let file = WorldFile::open(path)?;
    let layers: Result<Vec<_>, _> = file.layers().iter().map(|l| file.layer(&l.name)).collect();
    let tables: Result<Vec<_>, _> = file.tables().iter().map(|t| file.table(&t.name)).collect();
    Ok(World::from_parts(&file.meta().recipe, layers?, tables?)?)
}

/// A world that stays in its file: each gathering reads the chunks near the cells.
pub struct FileWorld {
    file: WorldFile,
    recipe: Recipe,
    grid: Topology,
    waters: OnceLock<Waters>,
    network: OnceLock<Network>,
}

impl FileWorld {
    pub fn open(path: &Path) -> Self {
        let file = WorldFile::open(path).expect("the file was just written");
        let recipe = Recipe::parse(&file.meta().recipe).expect("the recipe of a world");
        let grid = recipe.topology().expect("the grid of a world");
        Self { file, recipe, grid, waters: OnceLock::new(), network: OnceLock::new() }
    }

    /// Bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.file.bytes_read()
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> u64 {
        self.file.file_bytes()
    }

    fn column(&self, name: &str, cells: &[Cell]) -> Result<Vec<f64>, GatherError> {
        self.file.gather(name, cells).map(|v| v.to_f64()).map_err(|e| GatherError(Box::new(e)))
    }
}

impl CellSource for FileWorld {
    fn grid(&self) -> &Topology {
        &self.grid
    }

    fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    fn gather(&self, cells: &[Cell]) -> Result<Vec<CellState>, GatherError> {
        let names = [
            "continentality",
            "mountain_height",
            "ridge_directions",
            "base_elevation",
            "water_level",
            "river_level",
            "temperature",
            "rain",
            "receiver",
            "discharge",
            "lake",
            "river_order",
            "channel_depth",
            "runoff",
            "drainage_area",
        ];
        let columns: Result<Vec<Vec<f64>>, _> = names.iter().map(|name| self.column(name, cells)).collect();
        let columns = columns?;
        Ok((0..cells.len()).map(|i| state(&columns, i)).collect())
    }

    fn climates(&self, cells: &[Cell]) -> Result<Vec<CellClimate>, GatherError> {
        let months = |name: &str| -> Result<Vec<Vec<f64>>, GatherError> {
            (1..=12).map(|month| self.column(&format!("{name}_{month:02}"), cells)).collect()
        };
        let (temperature_c, rain_mm) = (months("temperature")?, months("rain")?);
        let climate = |i: usize| CellClimate {
            temperature_c: std::array::from_fn(|m| temperature_c[m][i] as f32),
            rain_mm: std::array::from_fn(|m| rain_mm[m][i] as f32),
        };
        Ok((0..cells.len()).map(climate).collect())
    }

    fn basins(&self, cells: &[Cell]) -> Result<Vec<Option<u32>>, GatherError> {
        let network = self.network.get_or_init(|| {
            let [rivers, cells_of, outlets] =
                Network::TABLES.map(|name| self.file.table(name).expect("tables of a world"));
            Network::from_tables(&rivers, &cells_of, &outlets, grid::Grid::len(&self.grid))
                .expect("tables of a world")
        });
        let bytes =
            |cells: &[Cell]| Ok(self.column("receiver", cells)?.into_iter().map(|b| b as u8).collect());
        basins_of(&self.grid, network, cells, bytes)
    }

    fn waters(&self) -> Result<Waters, GatherError> {
        if let Some(known) = self.waters.get() {
            return Ok(known.clone());
        }
        let table = |name| self.file.table(name).map_err(|e| GatherError(Box::new(e)));
        let len = grid::Grid::len(&self.grid);
        let waters =
            Waters::from_tables(&table("lakes")?, &table("outlets")?, len).expect("tables of a world");
        Ok(self.waters.get_or_init(|| waters).clone())
    }
}

/// The state of the i-th cell, from columns in the order above. An `f64` holds every value of every layer.
fn state(columns: &[Vec<f64>], i: usize) -> CellState {
    let at = |k: usize| columns[k][i];
    let (receiver, lake) = (at(8) as u8, at(10) as u32);
    CellState {
        continentality: at(0),
        mountain_height_m: at(1),
        ridges: RidgeDirections::from_bits_retain(at(2) as u8),
        base_elevation_m: at(3),
        water_level_m: at(4),
        river_level_m: at(5),
        channel_depth_m: at(12),
        temperature_c: at(6),
        rain_mm: at(7),
        receiver: (receiver < 8).then(|| Direction::from_index(receiver)),
        discharge_m3_s: at(9),
        runoff_m3_s: at(13),
        drainage_km2: at(14),
        lake: (lake != NO_LAKE).then_some(lake),
        river_order: at(11) as u8,
    }
}
