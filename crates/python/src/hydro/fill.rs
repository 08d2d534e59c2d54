//! Depressions filled or cut open.

use super::{Cells, Place, Raster, answer, on, positive, raster_of};
use crate::arrays::{field, of_raster};
use grid::{Field, Grid};
use hydro::{Breached, Breaching, Links, Outlets};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// How far a cut goes where nobody says, in cells.
const USUAL_CELLS: f64 = 50.0;

/// What is asked of cuts: reach, depth and volume, each in metres or none, and cells looked at. A reach that is not
/// given is [`USUAL_CELLS`], an infinite one is no limit.
type Limits = (Option<f64>, Option<f64>, Option<f64>, Option<usize>);

fn breaching(grid: &impl Grid, (reach_m, deepest_m, largest_m3, most_cells): Limits) -> PyResult<Breaching> {
    let limit = |name, value: Option<f64>| match value {
        Some(f64::INFINITY) | None => Ok(None),
        Some(value) => positive(name, value).map(Some),
    };
    let reach_m = Some(reach_m.unwrap_or(USUAL_CELLS * grid.cell_m()));
    Ok(Breaching {
        reach_m: limit("breach_length", reach_m)?,
        deepest_m: limit("breach_depth", deepest_m)?,
        largest_m3: limit("breach_volume", largest_m3)?,
        most_cells,
    })
}

/// How depressions are led out.
#[derive(Clone, Copy)]
enum Method {
    Fill,
    Epsilon,
    Breach,
    Hybrid,
    Least,
    Cut,
}

impl Method {
    fn named(name: &str, known: &[(&str, Self)]) -> PyResult<Self> {
        known.iter().find(|(n, _)| *n == name).map(|(_, method)| *method).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
            let (last, others) = names.split_last().unwrap_or((&"", &[]));
            PyValueError::new_err(format!("method {name:?}: {} or {last}", others.join(", ")))
        })
    }

    /// The surface, and what was moved where that is known.
    fn run<G: Grid>(self, grid: &G, ground: &Field<f32>, limits: Limits) -> PyResult<Breached> {
        let links = Links::all(grid);
        let outlets = Outlets::at_border(grid, &links, ground);
        let filled = |surface| Breached {
            surface,
            cuts: 0,
            cells_dug: 0,
            dug_m3: 0.0,
            cells_filled: 0,
            filled_m3: 0.0,
            left: Vec::new(),
        };
        let cuts = breaching(grid, limits)?;
        Ok(match self {
            Self::Fill => filled(hydro::fill(grid, &links, ground, &outlets)),
            Self::Epsilon => filled(hydro::fill_epsilon(grid, &links, ground, &outlets)),
            Self::Breach => hydro::breach_all(grid, &links, ground, &outlets),
            Self::Hybrid => hydro::hybrid(grid, &links, ground, &outlets, &cuts),
            Self::Least => hydro::least_change(grid, &links, ground, &outlets, &cuts),
            Self::Cut => hydro::breach(grid, &links, ground, &outlets, &cuts),
        })
    }
}

fn breached(
    py: Python<'_>,
    elevation: PyReadonlyArray2<'_, f32>,
    cells: Cells,
    (method, limits): (Method, Limits),
) -> PyResult<(Raster, Breached)> {
    let raster = raster_of(&elevation, cells)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    answer(py, move || {
        let found = on!(&raster, grid => method.run(grid, &ground, limits))?;
        Ok((raster, found))
    })
}

/// Elevation without depressions.
#[pyfunction]
fn fill<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    cells: Cells,
    method: &str,
    limits: Limits,
) -> PyResult<Bound<'py, PyAny>> {
    use Method::{Breach, Epsilon, Fill, Hybrid, Least};
    let known =
        [("fill", Fill), ("epsilon", Epsilon), ("breach", Breach), ("hybrid", Hybrid), ("least", Least)];
    let (_, found) = breached(py, elevation, cells, (Method::named(method, &known)?, limits))?;
    of_raster(py, found.surface)
}

/// Cells dug and filled, cuts; cubic metres dug and filled.
type Moved = ((usize, usize, usize), (f64, f64));

/// Elevation with cuts, what was moved, and the pits that no cut drains.
#[pyfunction]
fn breach<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    cells: Cells,
    method: &str,
    limits: Limits,
) -> PyResult<(Bound<'py, PyAny>, Moved, Vec<Place>)> {
    use Method::{Breach, Cut, Hybrid, Least};
    let known = [("cut", Cut), ("hybrid", Hybrid), ("least", Least), ("breach", Breach)];
    let (raster, found) = breached(py, elevation, cells, (Method::named(method, &known)?, limits))?;
    let moved = ((found.cuts, found.cells_dug, found.cells_filled), (found.dug_m3, found.filled_m3));
    Ok((of_raster(py, found.surface)?, moved, raster.places(&found.left)))
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fill, module)?)?;
    module.add_function(wrap_pyfunction!(breach, module)?)
}
