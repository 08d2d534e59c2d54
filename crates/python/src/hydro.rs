//! Water over arrays: rows from the north, columns from the west, NaN where there is no data.

use crate::arrays::{field, of_raster};
use crate::errors::misuse;
use grid::{Cell, Field, Flat, Grid, LonLat, Shape};
use hydro::{Flow, Links, NONE, Outlets, network};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How cells lie: metres, or degrees on a sphere.
enum Raster {
    Flat(Flat),
    LonLat(LonLat),
}

/// A width and a height in metres; or west, north and steps in degrees with the radius of the sphere in metres.
pub type Cells = (f64, f64, Option<(f64, f64, f64)>);

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
}

/// The grid answers, whichever it is.
macro_rules! on {
    ($raster:expr, $grid:ident => $answer:expr) => {
        match $raster {
            Raster::Flat($grid) => $answer,
            Raster::LonLat($grid) => $answer,
        }
    };
}

fn raster_of<T: numpy::Element>(array: &PyReadonlyArray2<'_, T>, cells: Cells) -> PyResult<Raster> {
    Raster::of(array.shape()[0], array.shape()[1], cells)
}

/// Elevation without depressions.
#[pyfunction]
fn fill<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    cells: Cells,
    method: &str,
) -> PyResult<Bound<'py, PyAny>> {
    fn run<G: Grid>(grid: &G, ground: &Field<f32>, method: &str) -> Option<Field<f32>> {
        let links = Links::all(grid);
        let outlets = Outlets::at_border(grid, &links, ground);
        Some(match method {
            "fill" => hydro::fill(grid, &links, ground, &outlets),
            "epsilon" => hydro::fill_epsilon(grid, &links, ground, &outlets),
            "breach" => hydro::breach_all(grid, &links, ground, &outlets).surface,
            _ => return None,
        })
    }
    let raster = raster_of(&elevation, cells)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    let surface = py.detach(|| on!(&raster, grid => run(grid, &ground, method)));
    let unknown = || PyValueError::new_err(format!("method {method:?}: fill, epsilon or breach"));
    of_raster(py, surface.ok_or_else(unknown)?)
}

/// Where the water of each cell goes: 0 = north, 1 = north-east and so on clockwise; 255 where it leaves.
#[pyfunction]
fn directions<'py>(
    py: Python<'py>,
    surface: PyReadonlyArray2<'py, f32>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    fn run<G: Grid>(grid: &G, surface: &Field<f32>) -> Field<u8> {
        let links = Links::all(grid);
        let outlets = Outlets::at_border(grid, &links, surface);
        hydro::directions(grid, &links, surface, &outlets)
    }
    let raster = raster_of(&surface, cells)?;
    let surface = field("surface", &surface, raster.shape())?;
    let receivers = py.detach(|| on!(&raster, grid => run(grid, &surface)));
    of_raster(py, receivers)
}

fn flow_of<G: Grid>(grid: &G, receivers: Field<u8>) -> PyResult<Flow> {
    Flow::from_receivers(grid, receivers).map_err(|e| misuse(&e))
}

/// What flows through each cell, its own included: numbers of cells, or sums of weights.
#[pyfunction]
#[pyo3(signature = (directions, cells, weights=None))]
fn accumulate<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    cells: Cells,
    weights: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&directions, cells)?;
    let receivers = field("directions", &directions, raster.shape())?;
    let weights = weights.map(|w| field("weights", &w, raster.shape())).transpose()?;
    match weights {
        None => {
            let counts = py.detach(|| on!(&raster, grid => hydro::accumulate_cells(grid, &receivers)));
            of_raster(py, counts.map_err(|e| misuse(&e))?)
        }
        Some(weights) => {
            let sums = py.detach(|| {
                on!(&raster, grid => flow_of(grid, receivers).map(|flow| hydro::accumulate(grid, &flow, &weights)))
            });
            of_raster(py, sums?)
        }
    }
}

/// Areas of cells in square metres.
#[pyfunction]
fn areas(py: Python<'_>, rows: usize, cols: usize, cells: Cells) -> PyResult<Bound<'_, PyAny>> {
    let raster = Raster::of(rows, cols, cells)?;
    let areas = py.detach(|| on!(&raster, grid => Field::from_fn(grid.shape(), |c| grid.area_m2(c))));
    of_raster(py, areas)
}

/// Rows and columns of cells.
type Places = Vec<(u32, u32)>;

/// Numbers of basins from 1, in the order of the cells where they end, and these cells as rows and columns.
#[pyfunction]
fn basins<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    cells: Cells,
) -> PyResult<(Bound<'py, PyAny>, Places)> {
    fn run<G: Grid>(grid: &G, receivers: Field<u8>) -> PyResult<(Field<u32>, Places)> {
        let flow = flow_of(grid, receivers)?;
        let roots: Vec<Cell> = grid.cells().filter(|c| flow.receiver[*c] == NONE).collect();
        let mut number_of = Field::filled(grid.shape(), 0u32);
        for (&root, number) in roots.iter().zip(1..) {
            number_of[root] = number;
        }
        let numbers = hydro::basins(grid, &flow).map(|root| number_of[Cell(*root)]);
        let place = |root: &Cell| {
            let (_, row, col) = grid.shape().split(*root);
            (row, col)
        };
        Ok((numbers, roots.iter().map(place).collect()))
    }
    let raster = raster_of(&directions, cells)?;
    let receivers = field("directions", &directions, raster.shape())?;
    let (numbers, roots) = py.detach(|| on!(&raster, grid => run(grid, receivers)))?;
    Ok((of_raster(py, numbers)?, roots))
}

/// Strahler's order of streams, 0 elsewhere.
#[pyfunction]
fn strahler<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&directions, cells)?;
    let receivers = field("directions", &directions, raster.shape())?;
    let is_stream = field("streams", &streams, raster.shape())?;
    let order = py.detach(|| {
        on!(&raster, grid => flow_of(grid, receivers).map(|flow| hydro::strahler(grid, &flow, &is_stream)))
    });
    of_raster(py, order?)
}

/// Height above the first stream downstream, in metres; not a number where there is none.
#[pyfunction]
fn height_above_drainage<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    fn run<G: Grid>(
        grid: &G,
        ground: &Field<f32>,
        receivers: Field<u8>,
        is_stream: &Field<bool>,
    ) -> PyResult<Field<f32>> {
        let flow = flow_of(grid, receivers)?;
        let drainage = network::first_stream(grid, &flow, is_stream, network::Undrained::Nothing);
        Ok(network::height_above_m(ground, &drainage))
    }
    let raster = raster_of(&elevation, cells)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    let receivers = field("directions", &directions, raster.shape())?;
    let is_stream = field("streams", &streams, raster.shape())?;
    let above = py.detach(|| on!(&raster, grid => run(grid, &ground, receivers, &is_stream)));
    of_raster(py, above?)
}

/// Slope (1 is 45 degrees) and aspect (degrees clockwise from north).
#[pyfunction]
fn slope_and_aspect<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    cells: Cells,
) -> PyResult<Bound<'py, PyDict>> {
    let raster = raster_of(&elevation, cells)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    let (slope, aspect) = py.detach(|| {
        on!(&raster, grid => (hydro::terrain::slope(grid, &ground), hydro::terrain::aspect_rad(grid, &ground)))
    });
    let all = PyDict::new(py);
    all.set_item("slope", of_raster(py, slope)?)?;
    all.set_item("aspect", of_raster(py, aspect.map(|a| a.to_degrees()))?)?;
    Ok(all)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let hydro = PyModule::new(module.py(), "_hydro")?;
    hydro.add_function(wrap_pyfunction!(fill, &hydro)?)?;
    hydro.add_function(wrap_pyfunction!(directions, &hydro)?)?;
    hydro.add_function(wrap_pyfunction!(accumulate, &hydro)?)?;
    hydro.add_function(wrap_pyfunction!(areas, &hydro)?)?;
    hydro.add_function(wrap_pyfunction!(basins, &hydro)?)?;
    hydro.add_function(wrap_pyfunction!(strahler, &hydro)?)?;
    hydro.add_function(wrap_pyfunction!(height_above_drainage, &hydro)?)?;
    hydro.add_function(wrap_pyfunction!(slope_and_aspect, &hydro)?)?;
    module.add("_hydro", hydro)
}
