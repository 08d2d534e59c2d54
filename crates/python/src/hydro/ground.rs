//! What the shape of the ground says of water.

use super::{Cells, answer, on, raster_of};
use crate::arrays::{field, of_raster};
use grid::Field;
use hydro::terrain;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Slope (1 is 45 degrees) and aspect (degrees clockwise from north).
#[pyfunction]
fn slope_and_aspect<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    cells: Cells,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let raster = raster_of(&elevation, cells)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    let (slope, aspect) = answer(py, move || {
        let aspect = on!(&raster, grid => terrain::aspect_rad(grid, &ground)).map(|a| a.to_degrees());
        Ok((on!(&raster, grid => terrain::slope(grid, &ground)), aspect))
    })?;
    Ok((of_raster(py, slope)?, of_raster(py, aspect)?))
}

/// Drop to the receiver over the distance to it.
#[pyfunction]
fn downslope<'py>(
    py: Python<'py>,
    surface: PyReadonlyArray2<'py, f32>,
    directions: PyReadonlyArray2<'py, u8>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&surface, cells)?;
    let surface = field("surface", &surface, raster.shape())?;
    let receivers = field("directions", &directions, raster.shape())?;
    let found = answer(py, move || {
        on!(&raster, grid => {
            // only receivers that lead to cells have a distance
            let flow = super::flow_of(grid, receivers)?;
            Ok(terrain::downslope(grid, &surface, &flow.receiver))
        })
    });
    of_raster(py, found?)
}

/// Area over the side of the cell, in metres.
#[pyfunction]
fn per_side<'py>(
    py: Python<'py>,
    area: PyReadonlyArray2<'py, f64>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&area, cells)?;
    let area_m2 = field("area", &area, raster.shape())?;
    let found = answer(py, move || Ok(on!(&raster, grid => terrain::specific_area_m(grid, &area_m2))));
    of_raster(py, found?)
}

/// An index of an amount of water (specific area in metres, or discharge in m3/s) and a slope: wetness, power,
/// stream_power or length_slope.
#[pyfunction]
fn index<'py>(
    py: Python<'py>,
    name: &str,
    water: PyReadonlyArray2<'py, f64>,
    slope: PyReadonlyArray2<'py, f32>,
    least_slope: f64,
) -> PyResult<Bound<'py, PyAny>> {
    type Index = fn(&Field<f64>, &Field<f32>, f64) -> Field<f32>;
    let of: Index = match name {
        "wetness" => terrain::wetness_index,
        "power" => |area, slope, _| terrain::stream_power_index_m(area, slope),
        "stream_power" => |discharge, slope, _| terrain::stream_power_w_m(discharge, slope),
        "length_slope" => |area, slope, _| terrain::length_slope_factor(area, slope),
        _ => return Err(PyValueError::new_err(format!("there is no index {name:?}"))),
    };
    let least_slope = super::positive("least_slope", least_slope)?;
    let shape = raster_of(&water, (1.0, 1.0, None))?.shape();
    let (water, slope) = (field("water", &water, shape)?, field("slope", &slope, shape)?);
    of_raster(py, answer(py, move || Ok(of(&water, &slope, least_slope)))?)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LEAST_SLOPE", terrain::LEAST_SLOPE)?;
    module.add_function(wrap_pyfunction!(slope_and_aspect, module)?)?;
    module.add_function(wrap_pyfunction!(downslope, module)?)?;
    module.add_function(wrap_pyfunction!(per_side, module)?)?;
    module.add_function(wrap_pyfunction!(index, module)?)
}
