//! Where water goes, along one receiver for each cell.

use super::{Cells, Place, Raster, answer, areas_of, flow_of, on, optional, raster_of};
use crate::arrays::{field, of_raster};
use crate::errors::misuse;
use grid::{Cell, Field, Grid};
use hydro::{Flow, Links, NONE, Outlets, network};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use world::YEAR_S;

/// Where the water of each cell goes: 0 = north, 1 = north-east and so on clockwise; 255 where it leaves.
#[pyfunction]
fn directions<'py>(
    py: Python<'py>,
    surface: PyReadonlyArray2<'py, f32>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&surface, cells)?;
    let surface = field("surface", &surface, raster.shape())?;
    let receivers = answer(py, move || Ok(on!(&raster, grid => receivers_of(grid, &surface))))?;
    of_raster(py, receivers)
}

/// The steepest way down each cell, over flats towards their outlets.
pub fn receivers_of<G: Grid>(grid: &G, surface: &Field<f32>) -> Field<u8> {
    let links = Links::all(grid);
    let outlets = Outlets::at_border(grid, &links, surface);
    hydro::directions(grid, &links, surface, &outlets)
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
    let Some(weights) = optional("weights", weights, raster.shape())? else {
        let counts = answer(py, move || {
            on!(&raster, grid => hydro::accumulate_cells(grid, &receivers)).map_err(|e| misuse(&e))
        });
        return of_raster(py, counts?);
    };
    let sums = answer(
        py,
        move || on!(&raster, grid => flow_of(grid, receivers).map(|flow| hydro::accumulate(grid, &flow, &weights))),
    );
    of_raster(py, sums?)
}

/// Discharge in m3/s from runoff in millimetres a year; where that is not a number, none comes in.
#[pyfunction]
fn discharge<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    runoff: PyReadonlyArray2<'py, f32>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    fn run<G: Grid>(grid: &G, receivers: Field<u8>, mm: &Field<f32>) -> PyResult<Field<f64>> {
        let flow = flow_of(grid, receivers)?;
        let own = |c| if mm[c].is_nan() { 0.0 } else { f64::from(mm[c]) * 1e-3 * grid.area_m2(c) / YEAR_S };
        Ok(hydro::accumulate(grid, &flow, &Field::from_fn(grid.shape(), own)))
    }
    let raster = raster_of(&directions, cells)?;
    let receivers = field("directions", &directions, raster.shape())?;
    let runoff = field("runoff", &runoff, raster.shape())?;
    if let Some(least) = runoff.as_slice().iter().find(|mm| **mm < 0.0) {
        return Err(PyValueError::new_err(format!(
            "runoff: it holds {least}; expected millimetres a year, 0 or more"
        )));
    }
    let found = answer(py, move || on!(&raster, grid => run(grid, receivers, &runoff)));
    of_raster(py, found?)
}

/// Areas of cells in square metres.
#[pyfunction]
fn areas(py: Python<'_>, rows: usize, cols: usize, cells: Cells) -> PyResult<Bound<'_, PyAny>> {
    let raster = Raster::of(rows, cols, cells)?;
    let areas = answer(py, move || Ok(on!(&raster, grid => areas_of(grid, None))));
    of_raster(py, areas?)
}

/// Numbers of basins from 1 by the address of the cells where they end, 0 without data; and these cells.
pub fn numbered<G: Grid>(grid: &G, flow: &Flow, has_data: impl Fn(Cell) -> bool) -> (Field<u32>, Vec<Cell>) {
    let roots: Vec<Cell> = grid.cells().filter(|&c| flow.receiver[c] == NONE && has_data(c)).collect();
    let mut number_of = Field::filled(grid.shape(), 0u32);
    for (&root, number) in roots.iter().zip(1..) {
        number_of[root] = number;
    }
    (hydro::basins(grid, flow).map(|root| number_of[Cell(*root)]), roots)
}

/// Numbers of basins from 1, in the order of the cells where they end, and these cells as rows and columns; 0 where
/// there is no data.
#[pyfunction]
#[pyo3(signature = (directions, cells, data=None))]
fn basins<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    cells: Cells,
    data: Option<PyReadonlyArray2<'py, bool>>,
) -> PyResult<(Bound<'py, PyAny>, Vec<Place>)> {
    let raster = raster_of(&directions, cells)?;
    let receivers = field("directions", &directions, raster.shape())?;
    let data = optional("data", data, raster.shape())?;
    let (numbers, roots) = answer(py, move || {
        let has_data = |cell| data.as_ref().is_none_or(|data| data[cell]);
        let (numbers, roots) = on!(&raster, grid => numbered(grid, &flow_of(grid, receivers)?, has_data));
        Ok((numbers, raster.places(&roots)))
    })?;
    Ok((of_raster(py, numbers)?, roots))
}

/// Length in metres of the longest way that ends in each cell.
#[pyfunction]
fn upstream<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    fn run<G: Grid>(grid: &G, receivers: Field<u8>) -> PyResult<Field<f64>> {
        let everywhere = Field::filled(grid.shape(), 1.0);
        Ok(network::longest_path_m(grid, &flow_of(grid, receivers)?, &everywhere))
    }
    let raster = raster_of(&directions, cells)?;
    let receivers = field("directions", &directions, raster.shape())?;
    let found = answer(py, move || on!(&raster, grid => run(grid, receivers)));
    of_raster(py, found?)
}

/// Length in metres of the way of each cell's water to its end.
#[pyfunction]
fn downstream<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&directions, cells)?;
    let receivers = field("directions", &directions, raster.shape())?;
    let found = answer(
        py,
        move || on!(&raster, grid => flow_of(grid, receivers).map(|flow| network::downstream_m(grid, &flow))),
    );
    of_raster(py, found?)
}

/// What drains to places: the number of the place, from 1, that the water of each cell meets first; 0 where it meets none.
#[pyfunction]
fn watersheds<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    places: Vec<Place>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&directions, cells)?;
    let receivers = field("directions", &directions, raster.shape())?;
    let outlets = raster.cells(&places)?;
    let found = answer(py, move || {
        let labels = on!(&raster, grid => network::watersheds(grid, &flow_of(grid, receivers)?, &outlets));
        Ok(labels.map(|&index| index.wrapping_add(1)))
    });
    of_raster(py, found?)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(directions, module)?)?;
    module.add_function(wrap_pyfunction!(accumulate, module)?)?;
    module.add_function(wrap_pyfunction!(discharge, module)?)?;
    module.add_function(wrap_pyfunction!(areas, module)?)?;
    module.add_function(wrap_pyfunction!(basins, module)?)?;
    module.add_function(wrap_pyfunction!(upstream, module)?)?;
    module.add_function(wrap_pyfunction!(downstream, module)?)?;
    module.add_function(wrap_pyfunction!(watersheds, module)?)
}
