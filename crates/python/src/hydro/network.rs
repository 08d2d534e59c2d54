//! Streams: how they rank, what drains to them, how far and how high all lies above them, how they run.

use super::{Cells, Place, Raster, answer, areas_of, flow_of, on, optional, positive, raster_of};
use crate::arrays::{field, of_raster, of_raster_values, shaped};
use grid::{Cell, Field, Grid, Values};
use hydro::Flow;
use hydro::network::{self, Chi, NOWHERE, PFAFSTETTER_DIGITS, Profile, Stems, Undrained};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Receivers, where streams are, and what has come together at each cell if that is given.
struct Streams {
    raster: Raster,
    receivers: Field<u8>,
    is_stream: Field<bool>,
    area_m2: Option<Field<f64>>,
}

impl Streams {
    fn of(
        directions: &PyReadonlyArray2<'_, u8>,
        streams: &PyReadonlyArray2<'_, bool>,
        cells: Cells,
        area: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<Self> {
        let raster = raster_of(directions, cells)?;
        let shape = raster.shape();
        Ok(Self {
            receivers: field("directions", directions, shape)?,
            is_stream: field("streams", streams, shape)?,
            area_m2: optional("area", area, shape)?,
            raster,
        })
    }
}

/// The area that drains to each cell, unless something else is given.
fn drained<G: Grid>(grid: &G, flow: &Flow, given: Option<Field<f64>>) -> Field<f64> {
    given.unwrap_or_else(|| hydro::accumulate(grid, flow, &areas_of(grid, None)))
}

/// How stream cells rank: strahler, shreve, hack, horton or pfafstetter (with so many digits), 0 elsewhere.
#[pyfunction]
#[pyo3(signature = (rank, directions, streams, cells, area=None))]
fn order<'py>(
    py: Python<'py>,
    rank: (String, i64),
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
    area: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (rank, asked) = (Rank::named(&rank.0)?, rank.1);
    let digits = u32::try_from(asked).ok().filter(|digits| (1..=PFAFSTETTER_DIGITS).contains(digits));
    let digits = digits
        .ok_or_else(|| PyValueError::new_err(format!("{asked} digits; 1 to {PFAFSTETTER_DIGITS} fit")))?;
    let streams = Streams::of(&directions, &streams, cells, area)?;
    let found = answer(py, move || {
        let Streams { raster, receivers, is_stream, area_m2 } = streams;
        on!(&raster, grid => {
            let flow = flow_of(grid, receivers)?;
            Ok(rank.of(grid, &flow, &is_stream, area_m2, digits))
        })
    });
    of_raster_values(py, found?)
}

enum Rank {
    Strahler,
    Shreve,
    Hack,
    Horton,
    Pfafstetter,
}

impl Rank {
    fn named(name: &str) -> PyResult<Self> {
        Ok(match name {
            "strahler" => Self::Strahler,
            "shreve" => Self::Shreve,
            "hack" => Self::Hack,
            "horton" => Self::Horton,
            "pfafstetter" => Self::Pfafstetter,
            _ => return Err(PyValueError::new_err(format!("there is no order {name:?}"))),
        })
    }

    fn of<G: Grid>(
        self,
        grid: &G,
        flow: &Flow,
        is_stream: &Field<bool>,
        area_m2: Option<Field<f64>>,
        digits: u32,
    ) -> Values {
        match self {
            Self::Strahler => return Values::U8(hydro::strahler(grid, flow, is_stream)),
            Self::Shreve => return Values::U32(network::shreve(grid, flow, is_stream)),
            _ => (),
        }
        let area_m2 = drained(grid, flow, area_m2);
        let stems = Stems::of(grid, flow, &area_m2, is_stream);
        match self {
            Self::Hack => Values::U16(network::hack_order(grid, flow, is_stream, &stems)),
            Self::Pfafstetter => {
                Values::U32(network::pfafstetter(grid, flow, &stems, (&area_m2, is_stream), digits))
            }
            _ => {
                let strahler = hydro::strahler(grid, flow, is_stream);
                Values::U8(network::horton_order(grid, flow, &strahler, &stems))
            }
        }
    }
}

/// The number of the reach, from 1, that the water of each cell meets first; 0 where it meets none.
#[pyfunction]
fn subbasins<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
) -> PyResult<Bound<'py, PyAny>> {
    fn run<G: Grid>(grid: &G, receivers: Field<u8>, is_stream: &Field<bool>) -> PyResult<Field<u32>> {
        let flow = flow_of(grid, receivers)?;
        let order = hydro::strahler(grid, &flow, is_stream);
        let reaches = hydro::reaches(grid, &flow, is_stream, &order);
        Ok(network::reach_basins(grid, &flow, &reaches))
    }
    let Streams { raster, receivers, is_stream, .. } = Streams::of(&directions, &streams, cells, None)?;
    let found = answer(py, move || on!(&raster, grid => run(grid, receivers, &is_stream)))?;
    of_raster(py, found.map(|&i| if i == NOWHERE { 0 } else { i + 1 }))
}

fn undrained(to_end: bool) -> Undrained {
    if to_end { Undrained::End } else { Undrained::Nothing }
}

/// Height above the first stream downstream, in metres; where there is none, above where the water ends, or not a number.
#[pyfunction]
fn height_above_drainage<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
    to_end: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let raster = raster_of(&elevation, cells)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    let receivers = field("directions", &directions, raster.shape())?;
    let is_stream = field("streams", &streams, raster.shape())?;
    let above = answer(py, move || {
        on!(&raster, grid => {
            let flow = flow_of(grid, receivers)?;
            let drainage = network::first_stream(grid, &flow, &is_stream, undrained(to_end));
            Ok(network::height_above_m(&ground, &drainage))
        })
    });
    of_raster(py, above?)
}

/// Length of the way to the first stream downstream, in metres; where there is none, to where the water ends, or not a
/// number.
#[pyfunction]
fn way_to_stream<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
    to_end: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Streams { raster, receivers, is_stream, .. } = Streams::of(&directions, &streams, cells, None)?;
    let way = answer(py, move || {
        on!(&raster, grid => {
            let flow = flow_of(grid, receivers)?;
            let drainage = network::first_stream(grid, &flow, &is_stream, undrained(to_end));
            Ok(network::way_to_m(grid, &flow, &drainage))
        })
    });
    of_raster(py, way?)
}

/// Chi of stream cells in metres, with a concavity and a reference area in square metres.
#[pyfunction]
fn chi<'py>(
    py: Python<'py>,
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
    area: Option<PyReadonlyArray2<'py, f64>>,
    law: (f64, f64),
) -> PyResult<Bound<'py, PyAny>> {
    let chi =
        Chi { concavity: positive("concavity", law.0)?, reference_m2: positive("reference_m2", law.1)? };
    let Streams { raster, receivers, is_stream, area_m2 } = Streams::of(&directions, &streams, cells, area)?;
    let found = answer(py, move || {
        on!(&raster, grid => {
            let flow = flow_of(grid, receivers)?;
            Ok(chi.of(grid, &flow, &drained(grid, &flow, area_m2), &is_stream))
        })
    });
    of_raster(py, found?)
}

/// Where places are moved to the cell of the greatest quantity within metres (ten cells if not given).
#[pyfunction]
#[pyo3(signature = (quantity, places, cells, within_m=None))]
fn snap<'py>(
    py: Python<'py>,
    quantity: PyReadonlyArray2<'py, f64>,
    places: Vec<Place>,
    cells: Cells,
    within_m: Option<f64>,
) -> PyResult<Vec<Option<Place>>> {
    let raster = raster_of(&quantity, cells)?;
    let quantity = field("quantity", &quantity, raster.shape())?;
    moved(
        py,
        raster,
        &places,
        move |raster, from| on!(raster, grid => network::snap_to_greatest(grid, &quantity, from, distance(grid, within_m))),
    )
}

/// Where places are moved to the nearest stream within metres (ten cells if not given).
#[pyfunction]
#[pyo3(signature = (streams, places, cells, within_m=None))]
fn snap_to_stream<'py>(
    py: Python<'py>,
    streams: PyReadonlyArray2<'py, bool>,
    places: Vec<Place>,
    cells: Cells,
    within_m: Option<f64>,
) -> PyResult<Vec<Option<Place>>> {
    let raster = raster_of(&streams, cells)?;
    let streams = field("streams", &streams, raster.shape())?;
    moved(
        py,
        raster,
        &places,
        move |raster, from| on!(raster, grid => network::snap_to_stream(grid, &streams, from, distance(grid, within_m))),
    )
}

/// How far places are moved.
fn distance(grid: &impl Grid, within_m: Option<f64>) -> f64 {
    const USUAL_CELLS: f64 = 10.0;
    within_m.unwrap_or(USUAL_CELLS * grid.cell_m())
}

fn moved(
    py: Python<'_>,
    raster: Raster,
    places: &[Place],
    to: impl Fn(&Raster, Cell) -> Option<Cell> + Send + 'static,
) -> PyResult<Vec<Option<Place>>> {
    let from = raster.cells(places)?;
    answer(py, move || {
        let place = |cell: Cell| raster.places(&[cell])[0];
        Ok(from.into_iter().map(|cell| to(&raster, cell).map(place)).collect())
    })
}

/// Which cells a profile goes along.
#[derive(Clone, Copy)]
enum Course {
    /// Down from a cell to the end of its water.
    Down,
    /// Down the main stem to a cell.
    Stem,
    /// Down the longest way to a cell.
    Longest,
}

impl Course {
    fn named(name: &str) -> PyResult<Self> {
        match name {
            "down" => Ok(Self::Down),
            "stem" => Ok(Self::Stem),
            "longest" => Ok(Self::Longest),
            _ => Err(PyValueError::new_err(format!("course {name:?}: down, stem or longest"))),
        }
    }

    fn cells<G: Grid>(self, grid: &G, flow: &Flow, area_m2: &Field<f64>, at: Cell) -> Vec<Cell> {
        match self {
            Self::Down => network::downstream(grid, flow, at).into_iter().map(|(cell, _)| cell).collect(),
            Self::Stem => {
                let everywhere = Field::filled(grid.shape(), true);
                let mut cells: Vec<Cell> = Stems::of(grid, flow, area_m2, &everywhere).up(at).collect();
                cells.reverse();
                cells
            }
            Self::Longest => {
                let path_m = network::longest_path_m(grid, flow, area_m2);
                network::longest_path(grid, flow, &path_m, at)
            }
        }
    }
}

/// What is met along a river, from its upper end down.
#[pyfunction]
fn profile<'py>(
    py: Python<'py>,
    elevation: PyReadonlyArray2<'py, f32>,
    directions: PyReadonlyArray2<'py, u8>,
    course: (Place, String),
    cells: Cells,
    area: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (raster, (place, course)) = (raster_of(&elevation, cells)?, course);
    let course = Course::named(&course)?;
    let ground = field("elevation", &elevation, raster.shape())?;
    let receivers = field("directions", &directions, raster.shape())?;
    let area_m2 = optional("area", area, raster.shape())?;
    let at = raster.cells(&[place])?[0];
    let (places, found) = answer(py, move || {
        let found = on!(&raster, grid => {
            let flow = flow_of(grid, receivers)?;
            let area_m2 = drained(grid, &flow, area_m2);
            let along = course.cells(grid, &flow, &area_m2, at);
            Profile::along(grid, &flow, along, &ground, (&area_m2, &area_m2))
        });
        Ok((raster.places(&found.cells), found))
    })?;
    let (count, all) = (places.len(), PyDict::new(py));
    let (rows, columns): (Vec<u32>, Vec<u32>) = places.into_iter().unzip();
    all.set_item("row", shaped(py, rows, [count])?)?;
    all.set_item("column", shaped(py, columns, [count])?)?;
    all.set_item("distance_m", shaped(py, found.distance_m, [count])?)?;
    all.set_item("elevation_m", shaped(py, found.elevation_m, [count])?)?;
    all.set_item("area_m2", shaped(py, found.area_m2, [count])?)?;
    Ok(all)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(order, module)?)?;
    module.add_function(wrap_pyfunction!(subbasins, module)?)?;
    module.add_function(wrap_pyfunction!(height_above_drainage, module)?)?;
    module.add_function(wrap_pyfunction!(way_to_stream, module)?)?;
    module.add_function(wrap_pyfunction!(chi, module)?)?;
    module.add_function(wrap_pyfunction!(snap, module)?)?;
    module.add_function(wrap_pyfunction!(snap_to_stream, module)?)?;
    module.add_function(wrap_pyfunction!(profile, module)?)
}
