//! Laws of networks, as `terrane hydro` writes them into its summary, and how heights are spread.

use super::ways::numbered;
use super::{Cells, answer, areas_of, flow_of, on, raster_of};
use crate::arrays::{field, shaped};
use grid::{Field, Grid};
use hydro::network::{self, NOWHERE};
use hydro::statistics::{self, HortonRatios, Hypsometry, PowerLaw, SideBranches, StreamOrder, Tokunaga};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Streams that an order must have to count in a regression.
const LEAST_STREAMS: usize = 3;
/// Cells over which a channel's slope is taken.
const SLOPE_CELLS: usize = 5;
/// Cells from which a cell's drainage counts as an area of many, not as a count of few.
const LEAST_CELLS: f64 = 20.0;
/// Share of the raster's area up to which laws of area are fitted: beyond it the border cuts basins off.
const GREATEST_SHARE: f64 = 0.02;

/// What is given: ground, drained surface, and where streams are.
struct Given {
    ground: Field<f32>,
    surface: Field<f32>,
    is_stream: Field<bool>,
}

/// What is found; `None` where there are too few streams.
struct Laws {
    orders: Vec<StreamOrder>,
    horton: Option<HortonRatios>,
    tokunaga: Option<Tokunaga>,
    hack: Option<PowerLaw>,
    area_exceedance: Option<PowerLaw>,
    concavity: Option<PowerLaw>,
    density_per_m: f64,
    longest_m: f64,
    hypsometry: Option<Hypsometry>,
}

impl Laws {
    fn of<G: Grid>(grid: &G, receivers: Field<u8>, given: &Given) -> PyResult<Self> {
        let Given { ground, surface, is_stream } = given;
        let flow = flow_of(grid, receivers)?;
        let order = hydro::strahler(grid, &flow, is_stream);
        let area_m2 = hydro::accumulate(grid, &flow, &areas_of(grid, Some(ground)));
        let (_, roots) = numbered(grid, &flow, |cell| !ground[cell].is_nan());
        let total_m2: f64 = roots.iter().map(|&root| area_m2[root]).sum();
        let least_m2 = LEAST_CELLS * grid.cell_m() * grid.cell_m();
        let range = least_m2..(GREATEST_SHARE * total_m2).max(least_m2);
        let of_streams = grid.cells().filter(|&c| is_stream[c]).map(|c| area_m2[c]);
        let least_m2 = of_streams.fold(f64::INFINITY, f64::min).min(f64::MAX);
        let channels = (SLOPE_CELLS, least_m2..total_m2.max(least_m2));
        let path_m = network::longest_path_m(grid, &flow, &area_m2);
        let orders = statistics::stream_orders(grid, &flow, &order, &area_m2);
        Ok(Self {
            horton: statistics::horton_ratios(&orders, LEAST_STREAMS),
            orders,
            tokunaga: SideBranches::of(grid, &flow, &order).law(LEAST_STREAMS),
            hack: statistics::hack(&path_m, &area_m2, range.clone()),
            area_exceedance: statistics::area_exceedance(&area_m2, range),
            concavity: statistics::concavity(grid, &flow, surface, &area_m2, is_stream, channels),
            density_per_m: statistics::drainage_density_per_m(grid, &flow, &area_m2, is_stream),
            longest_m: path_m.as_slice().iter().copied().fold(0.0, f64::max),
            hypsometry: Hypsometry::of(grid, ground, grid.cells()),
        })
    }
}

/// Horton's ratios and kin.
#[pyfunction]
fn laws<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    surface: PyReadonlyArray2<'py, f32>,
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
) -> PyResult<Bound<'py, PyDict>> {
    let raster = raster_of(&elevation, cells)?;
    let shape = raster.shape();
    let receivers = field("directions", &directions, shape)?;
    let given = Given {
        ground: field("elevation", &elevation, shape)?,
        surface: field("surface", &surface, shape)?,
        is_stream: field("streams", &streams, shape)?,
    };
    let laws = answer(py, move || on!(&raster, grid => Laws::of(grid, receivers, &given)))?;
    let all = PyDict::new(py);
    let orders = (1..).zip(&laws.orders).map(|(order, of)| order_row(py, order, of));
    all.set_item("orders", PyList::new(py, orders.collect::<PyResult<Vec<_>>>()?)?)?;
    all.set_item("horton_ratios", laws.horton.map(|of| horton_row(py, &of)).transpose()?)?;
    all.set_item("tokunaga", laws.tokunaga.map(|of| tokunaga_row(py, &of)).transpose()?)?;
    all.set_item("hack", law_row(py, laws.hack, 1.0)?)?;
    // written with a minus: the exponent is what stands behind it
    all.set_item("area_exceedance", law_row(py, laws.area_exceedance, -1.0)?)?;
    all.set_item("concavity", law_row(py, laws.concavity, -1.0)?)?;
    all.set_item("drainage_density_km_per_km2", laws.density_per_m * 1000.0)?;
    all.set_item("longest_path_km", laws.longest_m / 1000.0)?;
    all.set_item("hypsometry", laws.hypsometry.map(|of| hypsometry_row(py, &of)).transpose()?)?;
    Ok(all)
}

fn order_row<'py>(py: Python<'py>, order: usize, of: &StreamOrder) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("order", order)?;
    row.set_item("streams", of.streams)?;
    row.set_item("mean_length_km", of.mean_length_m / 1000.0)?;
    row.set_item("mean_area_km2", of.mean_area_m2 / 1e6)?;
    Ok(row)
}

fn horton_row<'py>(py: Python<'py>, of: &HortonRatios) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("bifurcation", of.bifurcation)?;
    row.set_item("length", of.length)?;
    row.set_item("area", of.area)?;
    row.set_item("orders", of.orders)?;
    Ok(row)
}

fn tokunaga_row<'py>(py: Python<'py>, of: &Tokunaga) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("a", of.a)?;
    row.set_item("c", of.c)?;
    row.set_item("points", of.points)?;
    row.set_item("r2", of.r2)?;
    Ok(row)
}

fn law_row(py: Python<'_>, of: Option<PowerLaw>, sign: f64) -> PyResult<Option<Bound<'_, PyDict>>> {
    let Some(of) = of else { return Ok(None) };
    let row = PyDict::new(py);
    row.set_item("exponent", sign * of.exponent)?;
    row.set_item("r2", of.r2)?;
    row.set_item("points", of.points)?;
    Ok(Some(row))
}

fn hypsometry_row<'py>(py: Python<'py>, of: &Hypsometry) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("integral", of.integral())?;
    let shares: Vec<f64> = (0..=10).map(|tenth| of.share_above(f64::from(tenth) / 10.0)).collect();
    row.set_item("share_of_area_above_each_tenth_of_relief", shares)?;
    Ok(row)
}

/// Heights from the lowest up, and the area in square metres that lies at least as high as each; the integral.
#[pyfunction]
fn hypsometry<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    cells: Cells,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, f64)> {
    let raster = raster_of(&elevation, cells)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    let found = answer(py, move || Ok(on!(&raster, grid => Hypsometry::of(grid, &ground, grid.cells()))))?;
    let found =
        found.ok_or_else(|| PyValueError::new_err("elevation: there are no two different heights"))?;
    let (count, integral) = (found.height_m.len(), found.integral());
    Ok((shaped(py, found.height_m, [count])?, shaped(py, found.area_above_m2, [count])?, integral))
}

/// (mean - min) / (max - min) of the heights of each label, from label 1 on; not a number where all are the same.
#[pyfunction]
fn relief_ratios<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    labels: PyReadonlyArray2<'py, u32>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&elevation, cells)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    let labels = field("labels", &labels, raster.shape())?;
    let ratios = answer(py, move || {
        let greatest = labels.as_slice().iter().copied().max().unwrap_or(0) as usize;
        if greatest > labels.as_slice().len() {
            return Err(PyValueError::new_err(format!(
                "labels: the greatest is {greatest}, and there are {} cells; number them from 1",
                labels.as_slice().len()
            )));
        }
        let index = labels.map(|&label| if label == 0 { NOWHERE } else { label - 1 });
        Ok(on!(&raster, grid => statistics::elevation_relief_ratios(grid, &ground, &index, greatest)))
    })?;
    let values: Vec<f64> = ratios.into_iter().map(|ratio| ratio.unwrap_or(f64::NAN)).collect();
    let count = values.len();
    shaped(py, values, [count])
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(laws, module)?)?;
    module.add_function(wrap_pyfunction!(hypsometry, module)?)?;
    module.add_function(wrap_pyfunction!(relief_ratios, module)?)
}
