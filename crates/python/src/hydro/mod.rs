//! Water over arrays: rows from the north, columns from the west, NaN where there is no data.
//!
//! Arguments are looked at with the interpreter's lock and copied once; work is done without it, on a thread that Python
//! can leave ([`work`]).

mod fill;

mod ways;

mod spread;

mod ground;

mod network;

mod reaches;

mod shapes;

mod laws;

use crate::arrays::field;
use crate::errors::misuse;
use crate::work;
use grid::{Cell, Field, Flat, Grid, LonLat, Shape};
use hydro::Flow;
use numpy::{Element, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// How cells lie: metres, or degrees on a sphere.
enum Raster {
    Flat(Flat),
    LonLat(LonLat),
}

/// A width and a height in metres; or west, north and steps in degrees with the radius of the sphere in metres.
pub type Cells = (f64, f64, Option<(f64, f64, f64)>);

/// Row and column of a cell.
type Place = (u32, u32);

impl Raster {
    fn of(rows: usize, cols: usize, (width, height, on_sphere): Cells) -> PyResult<Self> {
        let side = |n: usize| {
            u32::try_from(n).map_err(|_| PyValueError::new_err(format!("a side of {n} cells is too long")))
        };
        let (rows, cols) = (side(rows)?, side(cols)?);
        match on_sphere {
            None => Flat::oblong(cols, rows, width, height).map(Self::Flat).map_err(|e| misuse(&e)),
            Some((west, north, radius_m)) => {
                let grid = LonLat::new(cols, rows, west, north, width, height, radius_m);
                grid.map(Self::LonLat).map_err(|e| misuse(&e))
            }
        }
    }

    fn shape(&self) -> Shape {
        match self {
            Self::Flat(grid) => grid.shape(),
            Self::LonLat(grid) => grid.shape(),
        }
    }

    /// The cells at some places.
    fn cells(&self, places: &[Place]) -> PyResult<Vec<Cell>> {
        let Shape { rows, cols, .. } = self.shape();
        let cell = |&(row, col): &Place| match row < rows && col < cols {
            true => Ok(self.shape().join(0, row, col)),
            false => Err(PyValueError::new_err(format!(
                "row {row}, column {col}: the array has {rows} x {cols} cells"
            ))),
        };
        places.iter().map(cell).collect()
    }

    /// The places of some cells.
    fn places(&self, cells: &[Cell]) -> Vec<Place> {
        let place = |&cell: &Cell| {
            let (_, row, col) = self.shape().split(cell);
            (row, col)
        };
        cells.iter().map(place).collect()
    }
}

/// The grid answers, whichever it is.
macro_rules! on {
    ($raster:expr, $grid:ident => $answer:expr) => {
        match $raster {
            $crate::hydro::Raster::Flat($grid) => $answer,
            $crate::hydro::Raster::LonLat($grid) => $answer,
        }
    };
}
use on;

fn raster_of<T: Element>(array: &PyReadonlyArray2<'_, T>, cells: Cells) -> PyResult<Raster> {
    Raster::of(array.shape()[0], array.shape()[1], cells)
}

/// A field that may be left out.
fn optional<T: Element + Copy>(
    name: &str,
    array: Option<PyReadonlyArray2<'_, T>>,
    shape: Shape,
) -> PyResult<Option<Field<T>>> {
    array.map(|array| field(name, &array, shape)).transpose()
}

/// What work on a raster gives.
fn answer<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    work::run(py, None, move |_| work())?
}

fn flow_of<G: Grid>(grid: &G, receivers: Field<u8>) -> PyResult<Flow> {
    Flow::from_receivers(grid, receivers).map_err(|e| misuse(&e))
}

/// What must be a positive number.
fn positive(name: &str, value: f64) -> PyResult<f64> {
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(PyValueError::new_err(format!("{name} {value}: expected a positive number"))),
    }
}

/// Areas of cells in square metres, 0 without data.
fn areas_of<G: Grid>(grid: &G, ground: Option<&Field<f32>>) -> Field<f64> {
    let has_data = |cell| ground.is_none_or(|ground| !ground[cell].is_nan());
    Field::from_fn(grid.shape(), |cell| if has_data(cell) { grid.area_m2(cell) } else { 0.0 })
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let hydro = PyModule::new(module.py(), "_hydro")?;
    fill::register(&hydro)?;
    ways::register(&hydro)?;
    spread::register(&hydro)?;
    ground::register(&hydro)?;
    network::register(&hydro)?;
    reaches::register(&hydro)?;
    shapes::register(&hydro)?;
    laws::register(&hydro)?;
    module.add("_hydro", hydro)
}
