//! What was found in a raster, however it was worked: streams, basins and figures.

use grid::Cell;

/// A stream between two junctions.
pub struct Stream {
    /// From its head or junction down; then the first cell of the stream below, or the one it runs into.
    pub cells: Vec<Cell>,
    /// Strahler's order.
    pub order: u8,
    /// Shreve's magnitude.
    pub magnitude: u32,
    /// Index of the stream below.
    pub downstream: Option<u32>,
    /// Length of the line in metres.
    pub length_m: f64,
    /// How much the drained surface falls along it, in metres.
    pub drop_m: f64,
    /// Cells that drain through its last cell.
    pub accumulation: u32,
    /// Their area in square metres.
    pub area_m2: f64,
    /// Their runoff in cubic metres a second, if it was given.
    pub discharge_m3_s: Option<f64>,
    /// Number of its basin.
    pub basin: u32,
}

/// All that drains to one cell without receiver; its number is its place in the list, from 1.
pub struct Basin {
    /// That cell.
    pub outlet: Cell,
    /// Cells.
    pub cells: u32,
    /// Area in square metres.
    pub area_m2: f64,
}

/// Figures of the whole raster.
pub struct Facts {
    /// Cells with data.
    pub data_cells: u64,
    /// Their area in square metres.
    pub area_m2: f64,
    /// Lowest and highest ground in metres.
    pub lowest_m: f32,
    /// Not a number without data.
    pub highest_m: f32,
    /// Cells at which water may leave.
    pub outlets: u64,
    /// Cells whose ground was raised to lead water out, and by how much in all.
    pub raised_cells: u64,
    /// Cubic metres.
    pub raised_m3: f64,
    /// Cells whose ground was cut, and by how much in all.
    pub cut_cells: u64,
    /// Cubic metres.
    pub cut_m3: f64,
    /// Cells that drain through the one where most comes together.
    pub greatest_accumulation: u32,
    /// Stream cells.
    pub stream_cells: u64,
    /// Where streams begin, in words.
    pub threshold: String,
}

/// Everything that tables, lines and pictures are made from.
pub struct Found {
    /// By the address of their first cells.
    pub streams: Vec<Stream>,
    /// By the address of their outlets.
    pub basins: Vec<Basin>,
    /// Of the whole raster.
    pub facts: Facts,
    /// Laws of the network that need the whole raster at once; empty where it was worked in bands.
    pub laws: serde_json::Map<String, serde_json::Value>,
}
