//! What goes into a file, and what a file says of itself.

use crate::element::Dtype;
use grid::{Layer, Shape, Table};

/// What a world is and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Version of the program that made it. Up to 1,024 bytes.
    pub engine: String,
    /// The recipe, as TOML text. Up to 1 MiB.
    pub recipe: String,
    /// The world's name. Up to 1,024 bytes.
    pub name: String,
}

/// All that is written into a file.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// What the world is.
    pub meta: &'a Meta,
    /// The grid on which all layers lie.
    pub shape: Shape,
    /// Values of cells, each layer under a name of its own.
    pub layers: &'a [Layer],
    /// Lists of other things, each under a name of its own.
    pub tables: &'a [Table],
}

/// A layer, without its values.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerInfo {
    /// Name of the layer.
    pub name: String,
    /// Unit of the values, `1` for plain numbers.
    pub unit: String,
    /// Type of the values.
    pub dtype: Dtype,
    /// Least value; `None` if no value is a number.
    pub min: Option<f64>,
    /// Greatest value; `None` if no value is a number.
    pub max: Option<f64>,
}

/// A table, without its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// Name of the table.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Its columns, in order.
    pub columns: Vec<ColumnInfo>,
}

/// A column, without its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Name of the column.
    pub name: String,
    /// Unit of the values, `1` for plain numbers and texts.
    pub unit: String,
    /// Type of the values: `u32`, `f64` or `text`.
    pub dtype: &'static str,
}
