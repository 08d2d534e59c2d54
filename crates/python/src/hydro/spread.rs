//! Several receivers for each cell: D-infinity and multiple directions.

use super::ways::receivers_of;
use super::{Cells, answer, areas_of, on, optional, raster_of};
use crate::arrays::{field, of_raster, shaped};
use crate::errors::misuse;
use grid::{Cell, Direction, Field, Grid};
use hydro::spread::{self, DInfinity, Multiple, Rule, Spread};
use hydro::{Links, terrain};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A rule by name with its exponent; that of its paper if none is given.
type Named = (String, Option<f64>);

fn rule((name, exponent): Named) -> PyResult<Rule> {
    match name.as_str() {
        "freeman" => Ok(Rule::Freeman { exponent: exponent.unwrap_or(1.1) }),
        "quinn" => Ok(Rule::Quinn { exponent: exponent.unwrap_or(1.0) }),
        _ => Err(PyValueError::new_err(format!("multiple {name:?}: freeman or quinn"))),
    }
}

/// A drained surface, and receivers for its flats.
struct Drained {
    surface: Field<f32>,
    receivers: Option<Field<u8>>,
}

impl Drained {
    fn receivers<G: Grid>(&mut self, grid: &G) -> Field<u8> {
        self.receivers.take().unwrap_or_else(|| receivers_of(grid, &self.surface))
    }

    fn d_infinity<G: Grid>(&mut self, grid: &G) -> PyResult<DInfinity> {
        let receivers = self.receivers(grid);
        let found = spread::d_infinity(grid, &Links::all(grid), &self.surface, &receivers);
        found.map_err(|e| misuse(&e))
    }

    /// What is asked of several receivers by a rule.
    fn with_rule<G: Grid, T>(
        &mut self,
        grid: &G,
        rule: Rule,
        ask: impl FnOnce(&Multiple<'_, G>) -> PyResult<T>,
    ) -> PyResult<T> {
        let (links, receivers) = (Links::all(grid), self.receivers(grid));
        let multiple = Multiple::new(grid, &links, &self.surface, &receivers, rule);
        ask(&multiple.map_err(|e| misuse(&e))?)
    }
}

fn sum<G: Grid>(grid: &G, spread: &impl Spread, weights: &Field<f64>) -> PyResult<Field<f64>> {
    spread::accumulate(grid, spread, weights).map_err(|e| misuse(&e))
}

fn ones<G: Grid>(grid: &G, weights: Option<Field<f64>>) -> Field<f64> {
    weights.unwrap_or_else(|| Field::filled(grid.shape(), 1.0))
}

/// Three arrays.
type Three<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Where water goes on the steepest facet: eighths of a turn, degrees clockwise from north; its slope.
#[pyfunction]
#[pyo3(signature = (surface, cells, directions=None))]
fn dinf_directions<'py>(
    py: Python<'py>,
    surface: PyReadonlyArray2<'py, f32>,
    cells: Cells,
    directions: Option<PyReadonlyArray2<'py, u8>>,
) -> PyResult<Three<'py>> {
    let raster = raster_of(&surface, cells)?;
    let receivers = optional("directions", directions, raster.shape())?;
    let mut drained = Drained { surface: field("surface", &surface, raster.shape())?, receivers };
    let (found, azimuth) = answer(py, move || {
        on!(&raster, grid => {
            let found = drained.d_infinity(grid)?;
            let azimuth = found.azimuth_rad(grid).map(|a| a.to_degrees());
            Ok((found, azimuth))
        })
    })?;
    Ok((of_raster(py, found.toward)?, of_raster(py, azimuth)?, of_raster(py, found.slope)?))
}

/// Refuses directions that are none, or that lead out of the array.
fn check_toward<G: Grid>(grid: &G, found: &DInfinity) -> PyResult<()> {
    let leads_out = |cell: Cell| {
        let bits = found.directions(cell);
        (0..8).filter(|d| bits >> d & 1 == 1).any(|d| grid.neighbor(cell, Direction::from_index(d)).is_none())
    };
    for cell in grid.cells().filter(|&c| !found.toward[c].is_nan()) {
        let (toward, (_, row, col)) = (found.toward[cell], grid.shape().split(cell));
        if !(0.0..8.0).contains(&toward) {
            return Err(PyValueError::new_err(format!(
                "row {row}, column {col}: {toward} is no direction; it must be from 0 (north) up to but not 8, or NaN for none"
            )));
        }
        if leads_out(cell) {
            return Err(PyValueError::new_err(format!(
                "row {row}, column {col}: {toward} leads out of the array; where water leaves it must be NaN"
            )));
        }
    }
    Ok(())
}

/// Sums of weights (cells if there are none) over D-infinity.
#[pyfunction]
#[pyo3(signature = (toward, cells, weights=None))]
fn accumulate_dinf<'py>(
    py: Python<'py>,
    toward: PyReadonlyArray2<'py, f32>,
    cells: Cells,
    weights: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&toward, cells)?;
    let (toward, slope) = (field("toward", &toward, raster.shape())?, Field::filled(raster.shape(), 0.0));
    let weights = optional("weights", weights, raster.shape())?;
    let sums = answer(py, move || {
        let found = DInfinity { toward, slope };
        on!(&raster, grid => {
            check_toward(grid, &found)?;
            sum(grid, &found, &ones(grid, weights))
        })
    });
    of_raster(py, sums?)
}

/// Sums of weights (cells if there are none) over multiple directions.
#[pyfunction]
#[pyo3(signature = (surface, cells, multiple, directions=None, weights=None))]
fn accumulate_mfd<'py>(
    py: Python<'py>,
    surface: PyReadonlyArray2<'py, f32>,
    cells: Cells,
    multiple: Named,
    directions: Option<PyReadonlyArray2<'py, u8>>,
    weights: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (raster, rule) = (raster_of(&surface, cells)?, rule(multiple)?);
    let receivers = optional("directions", directions, raster.shape())?;
    let mut drained = Drained { surface: field("surface", &surface, raster.shape())?, receivers };
    let weights = optional("weights", weights, raster.shape())?;
    let sums = answer(
        py,
        move || on!(&raster, grid => drained.with_rule(grid, rule, |spread| sum(grid, spread, &ones(grid, weights)))),
    );
    of_raster(py, sums?)
}

/// Shares of the eight neighbours: 8 x rows x columns, clockwise from north.
#[pyfunction]
#[pyo3(signature = (surface, cells, multiple, directions=None))]
fn mfd_shares<'py>(
    py: Python<'py>,
    surface: PyReadonlyArray2<'py, f32>,
    cells: Cells,
    multiple: Named,
    directions: Option<PyReadonlyArray2<'py, u8>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (raster, rule) = (raster_of(&surface, cells)?, rule(multiple)?);
    let shape = raster.shape();
    let receivers = optional("directions", directions, shape)?;
    let mut drained = Drained { surface: field("surface", &surface, shape)?, receivers };
    let shares = answer(py, move || {
        let mut shares = vec![0.0f32; 8 * shape.len()];
        on!(&raster, grid => drained.with_rule(grid, rule, |spread| {
            for cell in grid.cells() {
                let put = |direction: u8, share: f64| {
                    shares[usize::from(direction) * shape.len() + cell.index()] = share as f32;
                };
                spread.shares(cell, put);
            }
            Ok(())
        }))?;
        Ok(shares)
    })?;
    shaped(py, shares, [8, shape.rows as usize, shape.cols as usize])
}

/// Specific catchment area in metres: along D-infinity over the contour across the flow, along multiple directions (if
/// there is a rule) over the cell's side.
#[pyfunction]
#[pyo3(signature = (surface, cells, multiple=None, directions=None))]
fn specific_area<'py>(
    py: Python<'py>,
    surface: PyReadonlyArray2<'py, f32>,
    cells: Cells,
    multiple: Option<Named>,
    directions: Option<PyReadonlyArray2<'py, u8>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (raster, rule) = (raster_of(&surface, cells)?, multiple.map(rule).transpose()?);
    let receivers = optional("directions", directions, raster.shape())?;
    let drained = Drained { surface: field("surface", &surface, raster.shape())?, receivers };
    let found = answer(py, move || on!(&raster, grid => specific(grid, drained, rule)));
    of_raster(py, found?)
}

fn specific<G: Grid>(grid: &G, mut drained: Drained, rule: Option<Rule>) -> PyResult<Field<f64>> {
    let own_m2 = areas_of(grid, Some(&drained.surface));
    let mut found = match rule {
        Some(rule) => {
            let area_m2 = drained.with_rule(grid, rule, |spread| sum(grid, spread, &own_m2))?;
            terrain::specific_area_m(grid, &area_m2)
        }
        None => {
            let spread = drained.d_infinity(grid)?;
            let area_m2 = sum(grid, &spread, &own_m2)?;
            let (by_side, contour_m) = (terrain::specific_area_m(grid, &area_m2), spread.contour_m(grid));
            // where the water ends there is no direction to look along
            let known =
                |c| if contour_m[c] > 0.0 { area_m2[c] / f64::from(contour_m[c]) } else { by_side[c] };
            Field::from_fn(grid.shape(), known)
        }
    };
    for (value, level) in found.as_mut_slice().iter_mut().zip(drained.surface.as_slice()) {
        *value = if level.is_nan() { f64::NAN } else { *value };
    }
    Ok(found)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(dinf_directions, module)?)?;
    module.add_function(wrap_pyfunction!(accumulate_dinf, module)?)?;
    module.add_function(wrap_pyfunction!(accumulate_mfd, module)?)?;
    module.add_function(wrap_pyfunction!(mfd_shares, module)?)?;
    module.add_function(wrap_pyfunction!(specific_area, module)?)
}
