//! What the caller gives: where rows come from, where they are kept between passes, where results go.
//!
//! All rows are of full width, in the order of cells; how many there are is the length of the slice divided by
//! the number of columns.

use super::Error;
use grid::Shape;

/// Why rows could not be read or written.
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

/// Where the elevation comes from, in metres; cells that are not a number have no data.
///
/// Read from north to south; the rows beside a joint between bands are asked for twice.
pub trait Source: Send {
    /// Fills `rows` with the rows from `first_row` on.
    ///
    /// # Errors
    /// When they cannot be had.
    fn read(&mut self, first_row: u32, rows: &mut [f32]) -> Result<(), StoreError>;
}

/// A raster kept between passes, in a temporary file or in memory. Only what was written is read.
pub trait Store<T>: Send {
    /// Fills `rows` with what was written last.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self, first_row: u32, rows: &mut [T]) -> Result<(), StoreError>;

    /// Keeps `rows`.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write(&mut self, first_row: u32, rows: &[T]) -> Result<(), StoreError>;
}

/// Finished rows of one of the results.
///
/// Each result comes once, from north to south without gaps: first all of `Filled`; then band for band
/// `Direction`, `Accumulation` and `Basin`; then all of `Order`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows<'a> {
    /// Level of the filled surface in metres; not a number where there is no data.
    Filled(&'a [f32]),
    /// Index of the direction that water takes, clockwise from north; [`crate::NONE`] where it ends and where
    /// there is no data.
    Direction(&'a [u8]),
    /// Number of cells whose water passes, itself included; 0 where there is no data.
    Accumulation(&'a [u32]),
    /// Number of the basin, from 1 by the address of the root; 0 where there is no data.
    Basin(&'a [u32]),
    /// Strahler's order on the streams; 0 elsewhere.
    Order(&'a [u8]),
}

/// Takes the results.
pub trait Products: Send {
    /// Takes finished rows from `first_row` on.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write(&mut self, first_row: u32, rows: Rows<'_>) -> Result<(), StoreError>;
}

/// All that is read and written on the way.
pub struct Files<'a> {
    /// The elevation.
    pub source: &'a mut dyn Source,
    /// Keeps the surface while it is filled and after: 4 bytes a cell.
    pub surface: &'a mut dyn Store<f32>,
    /// Keeps what spills where until the surface is filled: 4 bytes a cell.
    pub labels: &'a mut dyn Store<u32>,
    /// Keeps the directions: 1 byte a cell.
    pub directions: &'a mut dyn Store<u8>,
    /// Takes the results.
    pub products: &'a mut dyn Products,
}

/// A raster kept in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory<T> {
    cols: usize,
    values: Vec<T>,
}

impl<T: Clone + Default> Memory<T> {
    /// Room for a raster of one face.
    pub fn new(shape: Shape) -> Self {
        Self { cols: shape.cols as usize, values: vec![T::default(); shape.len()] }
    }
}

impl<T> Memory<T> {
    /// Values in the order of cells, for a raster of that many columns.
    pub fn of(cols: u32, values: Vec<T>) -> Self {
        Self { cols: cols as usize, values }
    }

    /// The values in the order of cells.
    pub fn into_vec(self) -> Vec<T> {
        self.values
    }
}

impl<T: Copy + Send> Store<T> for Memory<T> {
    fn read(&mut self, first_row: u32, rows: &mut [T]) -> Result<(), StoreError> {
        let from = first_row as usize * self.cols;
        let kept = self.values.get(from..from + rows.len()).ok_or("rows beyond the end of the raster")?;
        rows.copy_from_slice(kept);
        Ok(())
    }

    fn write(&mut self, first_row: u32, rows: &[T]) -> Result<(), StoreError> {
        let from = first_row as usize * self.cols;
        let kept = self.values.get_mut(from..from + rows.len()).ok_or("rows beyond the end of the raster")?;
        kept.copy_from_slice(rows);
        Ok(())
    }
}

impl Source for Memory<f32> {
    fn read(&mut self, first_row: u32, rows: &mut [f32]) -> Result<(), StoreError> {
        Store::read(self, first_row, rows)
    }
}

/// Takes the results into memory, each as a raster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Level of the filled surface in metres.
    pub filled: Vec<f32>,
    /// Index of the direction that water takes.
    pub direction: Vec<u8>,
    /// Number of cells.
    pub accumulation: Vec<u32>,
    /// Number of the basin.
    pub basin: Vec<u32>,
    /// Strahler's order.
    pub order: Vec<u8>,
}

impl Products for Kept {
    fn write(&mut self, _first_row: u32, rows: Rows<'_>) -> Result<(), StoreError> {
        match rows {
            Rows::Filled(rows) => self.filled.extend_from_slice(rows),
            Rows::Direction(rows) => self.direction.extend_from_slice(rows),
            Rows::Accumulation(rows) => self.accumulation.extend_from_slice(rows),
            Rows::Basin(rows) => self.basin.extend_from_slice(rows),
            Rows::Order(rows) => self.order.extend_from_slice(rows),
        }
        Ok(())
    }
}

/// A failed reading or writing, as an error of the analysis.
pub(super) fn store<T>(result: Result<T, StoreError>) -> Result<T, Error> {
    result.map_err(Error::Store)
}
