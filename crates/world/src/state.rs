//! The world: the finished global simulation, as fields and tables, and what refinement asks of it.

use crate::recipe::{Recipe, RecipeError};
use crate::rivers::{Network, basins_of};
use crate::waters::Waters;
use grid::{Cell, Direction, Field, Grid, GridError, Layer, RidgeDirections, Shape, Table, Topology};

/// In the layer `lake`: no lake covers the cell.
pub const NO_LAKE: u32 = u32::MAX;
/// In the layer `receiver`: the cell's water goes nowhere (the sea, off the map, or it stays in a closed lake).
pub const NO_RECEIVER: u8 = 255;

/// A field for each month, January (of the northern winter) first.
pub type Months = [Field<f32>; 12];

/// A finished world. Immutable: nothing in the program changes one.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// What it was made from.
    pub recipe: Recipe,
    /// The grid it stands on.
    pub grid: Topology,
    /// Positive on land, negative at sea, -1 to 1.
    pub continentality: Field<f32>,
    /// Number of the plate.
    pub plate: Field<u16>,
    /// Mountains above the land under them, in metres.
    pub mountain_height_m: Field<f32>,
    /// Bits of [`RidgeDirections`].
    pub ridge_directions: Field<u8>,
    /// The mountain-free map in metres: ground on land, floor in lakes and at sea.
    pub base_elevation_m: Field<f32>,
    /// Surface of standing water where there is any, else the ground, in metres.
    pub water_level_m: Field<f32>,
    /// Surface of the running or standing water in metres; never rises downstream; 0 at sea.
    pub river_level_m: Field<f32>,
    /// Depth of the river in metres; never falls downstream; 0 at sea.
    pub channel_depth_m: Field<f32>,
    /// Mean temperature in deg C.
    pub temperature_c: Field<f32>,
    /// Rain in mm/yr.
    pub rain_mm: Field<f32>,
    /// Mean temperature of each month in deg C.
    pub temperature_months_c: Months,
    /// Rain of each month in mm.
    pub rain_months_mm: Months,
    /// Water that evaporates from the ground (from the surface, at sea and on lakes), in mm/yr.
    pub evaporation_mm: Field<f32>,
    /// Code of the Koeppen-Geiger class; 0 at sea.
    pub koppen: Field<u8>,
    /// At sea the months with ice, 0 to 12; on land 12 under glaciers and ice sheets, else 0.
    pub ice_months: Field<u8>,
    /// Index of the [`Direction`] the water goes to, or [`NO_RECEIVER`]: at sea, at a map's border, in a closed lake.
    pub receiver: Field<u8>,
    /// What the cell adds to its river, in m3/s; at the last cell of a lake less what the lake takes.
    pub runoff_m3_s: Field<f64>,
    /// Discharge that leaves the cell, in m3/s.
    pub discharge_m3_s: Field<f64>,
    /// Discharge that leaves the cell in each month, in m3/s.
    pub discharge_months_m3_s: Months,
    /// Area that drains through the cell, in km2.
    pub drainage_km2: Field<f64>,
    /// Number of the lake, or [`NO_LAKE`].
    pub lake: Field<u32>,
    /// Strahler order of the river in the cell; 0 without one.
    pub river_order: Field<u8>,
    /// The river network.
    pub network: Network,
    /// Lakes, plates, faults: lists for people and files; row k of `lakes` is lake k.
    pub tables: Vec<Table>,
}

/// What refinement knows of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellState {
    /// Positive on land, negative at sea.
    pub continentality: f64,
    /// Mountains above the land under them, in metres.
    pub mountain_height_m: f64,
    /// Where ridges leave.
    pub ridges: RidgeDirections,
    /// The mountain-free ground or floor, in metres.
    pub base_elevation_m: f64,
    /// Surface of standing water, else the ground, in metres.
    pub water_level_m: f64,
    /// Surface of the running or standing water in metres; never rises downstream; 0 at sea.
    pub river_level_m: f64,
    /// Depth of the river in metres; never falls downstream; 0 at sea.
    pub channel_depth_m: f64,
    /// Mean temperature in deg C.
    pub temperature_c: f64,
    /// Rain in mm/yr.
    pub rain_mm: f64,
    /// Where water goes.
    pub receiver: Option<Direction>,
    /// Discharge that leaves the cell, in m3/s.
    pub discharge_m3_s: f64,
    /// What the cell adds to its river, in m3/s; at the last cell of a lake less what the lake takes.
    pub runoff_m3_s: f64,
    /// Area that drains through the cell, in km2.
    pub drainage_km2: f64,
    /// The lake that covers the cell.
    pub lake: Option<u32>,
    /// Strahler order of the river in the cell; 0 without one.
    pub river_order: u8,
}

impl CellState {
    /// Whether the cell is land (lakes are land).
    pub fn is_land(&self) -> bool {
        self.continentality > 0.0
    }
}

/// The climate of one cell, month by month, January (of the northern winter) first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellClimate {
    /// Mean temperature of each month in deg C.
    pub temperature_c: [f32; 12],
    /// Rain of each month in mm.
    pub rain_mm: [f32; 12],
}

/// Why the state of cells could not be had, from whatever holds the world.
#[derive(Debug, thiserror::Error)]
#[error("the world could not be read: {0}")]
pub struct GatherError(pub Box<dyn std::error::Error + Send + Sync>);

/// Something that knows a world cell by cell: a [`World`] in memory, or a file that is read when asked.
pub trait CellSource: Sync {
    /// The grid of the world.
    fn grid(&self) -> &Topology;
    /// The recipe of the world.
    fn recipe(&self) -> &Recipe;
    /// The states of cells, in the order asked.
    ///
    /// # Errors
    /// Whatever keeps a file from being read.
    fn gather(&self, cells: &[Cell]) -> Result<Vec<CellState>, GatherError>;
    /// The climates of cells, in the order asked: read apart from their states, for few ask for them.
    ///
    /// # Errors
    /// Whatever keeps a file from being read; a source that knows no climates.
    fn climates(&self, _cells: &[Cell]) -> Result<Vec<CellClimate>, GatherError> {
        Err(GatherError("it knows no climate by month".into()))
    }
    /// For each cell, in the order asked, the number of the outlet of a river that its water reaches first; none where
    /// it reaches no river's outlet.
    ///
    /// # Errors
    /// Whatever keeps a file from being read; a source that knows no rivers; rivers that run in a circle.
    fn basins(&self, _cells: &[Cell]) -> Result<Vec<Option<u32>>, GatherError> {
        Err(GatherError("it knows no basins".into()))
    }

    /// Salt lakes and mouths of the whole world.
    ///
    /// # Errors
    /// Whatever keeps a file from being read.
    fn waters(&self) -> Result<Waters, GatherError>;
}

impl CellSource for World {
    fn grid(&self) -> &Topology {
        &self.grid
    }

    fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    fn gather(&self, cells: &[Cell]) -> Result<Vec<CellState>, GatherError> {
        Ok(cells.iter().map(|&c| self.cell(c)).collect())
    }

    fn climates(&self, cells: &[Cell]) -> Result<Vec<CellClimate>, GatherError> {
        let climate = |&c: &Cell| CellClimate {
            temperature_c: std::array::from_fn(|m| self.temperature_months_c[m][c]),
            rain_mm: std::array::from_fn(|m| self.rain_months_mm[m][c]),
        };
        Ok(cells.iter().map(climate).collect())
    }

    fn basins(&self, cells: &[Cell]) -> Result<Vec<Option<u32>>, GatherError> {
        let receivers = |cells: &[Cell]| Ok(cells.iter().map(|&c| self.receiver[c]).collect());
        basins_of(&self.grid, &self.network, cells, receivers)
    }

    fn waters(&self) -> Result<Waters, GatherError> {
        let lakes = self.tables.iter().find(|t| t.name == "lakes");
        let waters = lakes.and_then(|lakes| Waters::of(lakes, &self.network.outlets));
        waters.ok_or_else(|| GatherError(Box::new(LoadError::Table { name: "lakes" })))
    }
}

/// Why layers and tables do not make a world.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The recipe is wrong.
    #[error("the world's recipe is wrong: {0}")]
    Recipe(#[from] RecipeError),
    /// The recipe's grid cannot be made.
    #[error("the world's grid is wrong: {0}")]
    Grid(#[from] GridError),
    /// A layer is not there, or not of the type it should have.
    #[error("the world has no layer {name} of type {dtype}; was it made by another version?")]
    Layer {
        /// Name of the layer.
        name: String,
        /// The type it should have.
        dtype: &'static str,
    },
    /// A layer has another shape than the grid.
    #[error("layer {name} has the shape {found:?}, the grid {expected:?}")]
    Shape {
        /// Name of the layer.
        name: String,
        /// Shape of the layer.
        found: Shape,
        /// Shape of the grid.
        expected: Shape,
    },
    /// A table is not there or does not fit.
    #[error("the table {name} is missing or does not fit the world")]
    Table {
        /// Name of the table.
        name: &'static str,
    },
}

/// The layers of a file: name, unit, field of the world, variant, and the way back.
macro_rules! layers {
    (
        $($name:literal, $unit:literal, $field:ident, $into:ident, $dtype:literal;)*
        by month: $($prefix:literal, $month_unit:literal, $months:ident;)*
    ) => {
        impl World {
            /// Names and units of all layers of a file, in order; the names of those by month end in `_01` to `_12`.
            pub fn layer_units() -> Vec<(String, &'static str)> {
                let once = [$(($name, $unit)),*].into_iter().map(|(name, unit)| (name.to_string(), unit));
                let months = [$(($prefix, $month_unit)),*].into_iter();
                let by_month = months.flat_map(|(p, unit)| (1..=12).map(move |m| (of_month(p, m), unit)));
                once.chain(by_month).collect()
            }

            /// Names of all layers of a file, in order.
            pub fn layer_names() -> Vec<String> {
                Self::layer_units().into_iter().map(|(name, _)| name).collect()
            }

            /// A field as a layer of a file, if there is one of this name. Copies it.
            pub fn layer(&self, name: &str) -> Option<Layer> {
                $(if name == $name {
                    return Some(Layer::new($name, $unit, self.$field.clone()));
                })*
                $(for (field, month) in self.$months.iter().zip(1..) {
                    if name == of_month($prefix, month) {
                        return Some(Layer::new(name, $month_unit, field.clone()));
                    }
                })*
                None
            }

            /// The fields as layers of a file. Copies them.
            pub fn layers(&self) -> Vec<Layer> {
                let mut layers = vec![$(Layer::new($name, $unit, self.$field.clone())),*];
                $(for (field, month) in self.$months.iter().zip(1..) {
                    layers.push(Layer::new(&of_month($prefix, month), $month_unit, field.clone()));
                })*
                layers
            }

            /// The same without copying, and the tables of a file.
            pub fn into_layers_and_tables(self) -> (Vec<Layer>, Vec<Table>) {
                let tables = self.all_tables();
                let mut layers = vec![$(Layer::new($name, $unit, self.$field)),*];
                $(for (field, month) in self.$months.into_iter().zip(1..) {
                    layers.push(Layer::new(&of_month($prefix, month), $month_unit, field));
                })*
                (layers, tables)
            }

            /// A world out of a file's recipe, layers and tables.
            ///
            /// # Errors
            /// A layer or table that is missing or of another type or shape than it should be.
            pub fn from_parts(recipe: &str, mut layers: Vec<Layer>, tables: Vec<Table>) -> Result<Self, LoadError> {
                let recipe = Recipe::parse(recipe)?;
                let grid = recipe.topology()?;
                let network = read_network(&tables, grid.len())?;
                Ok(Self {
                    $($field: {
                        let values = take(&mut layers, $name, $dtype, grid.shape())?;
                        values.$into().ok_or(LoadError::Layer { name: $name.into(), dtype: $dtype })?
                    },)*
                    $($months: take_months(&mut layers, $prefix, grid.shape())?,)*
                    tables: tables.into_iter().filter(|t| !Network::TABLES.contains(&t.name.as_str())).collect(),
                    network,
                    recipe,
                    grid,
                })
            }
        }
    };
}

layers! {
    "base_elevation", "m", base_elevation_m, into_f32, "f32";
    "mountain_height", "m", mountain_height_m, into_f32, "f32";
    "ridge_directions", "bits", ridge_directions, into_u8, "u8";
    "continentality", "1", continentality, into_f32, "f32";
    "plate", "1", plate, into_u16, "u16";
    "water_level", "m", water_level_m, into_f32, "f32";
    "river_level", "m", river_level_m, into_f32, "f32";
    "channel_depth", "m", channel_depth_m, into_f32, "f32";
    "temperature", "deg C", temperature_c, into_f32, "f32";
    "rain", "mm/yr", rain_mm, into_f32, "f32";
    "receiver", "direction", receiver, into_u8, "u8";
    "runoff", "m3/s", runoff_m3_s, into_f64, "f64";
    "discharge", "m3/s", discharge_m3_s, into_f64, "f64";
    "drainage_area", "km2", drainage_km2, into_f64, "f64";
    "lake", "1", lake, into_u32, "u32";
    "river_order", "1", river_order, into_u8, "u8";
    "evaporation", "mm/yr", evaporation_mm, into_f32, "f32";
    "koppen", "class", koppen, into_u8, "u8";
    "ice", "months", ice_months, into_u8, "u8";
    by month:
    "temperature", "deg C", temperature_months_c;
    "rain", "mm", rain_months_mm;
    "discharge", "m3/s", discharge_months_m3_s;
}

/// Name of the layer of a month, 1 to 12.
fn of_month(prefix: &str, month: usize) -> String {
    format!("{prefix}_{month:02}")
}

fn take_months(layers: &mut Vec<Layer>, prefix: &str, shape: Shape) -> Result<Months, LoadError> {
    let mut fields = Vec::with_capacity(12);
    for month in 1..=12 {
        let name = of_month(prefix, month);
        let values = take(layers, &name, "f32", shape)?;
        fields.push(values.into_f32().ok_or(LoadError::Layer { name, dtype: "f32" })?);
    }
    Ok(Months::try_from(fields).expect("twelve were taken"))
}

fn take(
    layers: &mut Vec<Layer>,
    name: &str,
    dtype: &'static str,
    shape: Shape,
) -> Result<grid::Values, LoadError> {
    let missing = || LoadError::Layer { name: name.into(), dtype };
    let at = layers.iter().position(|l| l.name == name).ok_or_else(missing)?;
    let values = layers.swap_remove(at).values;
    if values.shape() != shape {
        return Err(LoadError::Shape { name: name.into(), found: values.shape(), expected: shape });
    }
    Ok(values)
}

fn read_network(tables: &[Table], len: usize) -> Result<Network, LoadError> {
    let table = |name: &'static str| tables.iter().find(|t| t.name == name).ok_or(LoadError::Table { name });
    let [rivers, cells, outlets] = Network::TABLES;
    Network::from_tables(table(rivers)?, table(cells)?, table(outlets)?, len)
        .ok_or(LoadError::Table { name: "rivers" })
}

impl World {
    /// All tables of a file.
    pub fn all_tables(&self) -> Vec<Table> {
        self.network.to_tables().into_iter().chain(self.tables.iter().cloned()).collect()
    }

    /// The state of one cell.
    pub fn cell(&self, cell: Cell) -> CellState {
        CellState {
            continentality: self.continentality[cell].into(),
            mountain_height_m: self.mountain_height_m[cell].into(),
            ridges: RidgeDirections::from_bits_retain(self.ridge_directions[cell]),
            base_elevation_m: self.base_elevation_m[cell].into(),
            water_level_m: self.water_level_m[cell].into(),
            river_level_m: self.river_level_m[cell].into(),
            channel_depth_m: self.channel_depth_m[cell].into(),
            temperature_c: self.temperature_c[cell].into(),
            rain_mm: self.rain_mm[cell].into(),
            receiver: receiver_direction(self.receiver[cell]),
            discharge_m3_s: self.discharge_m3_s[cell],
            runoff_m3_s: self.runoff_m3_s[cell],
            drainage_km2: self.drainage_km2[cell],
            lake: (self.lake[cell] != NO_LAKE).then_some(self.lake[cell]),
            river_order: self.river_order[cell],
        }
    }

    /// The cell's receiver: where its water goes.
    pub fn receiver_of(&self, cell: Cell) -> Option<Cell> {
        self.grid.neighbor(cell, receiver_direction(self.receiver[cell])?)
    }

    /// Elevation of the true surface (base and mountains) in metres; the floor in lakes and at sea.
    pub fn surface_m(&self, cell: Cell) -> f32 {
        self.base_elevation_m[cell] + self.mountain_height_m[cell]
    }
}

/// The direction of a byte in the layer `receiver`; bytes that no world writes count as none.
pub fn receiver_direction(byte: u8) -> Option<Direction> {
    (byte < 8).then(|| Direction::from_index(byte))
}
