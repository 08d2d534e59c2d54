//! Water over rasters larger than memory, in tiles: the stages of `hydro::tiles`, each a call that anybody may make
//! anywhere. Messages are arrays of `uint32`, to be kept or sent as they are.

use crate::arrays::shaped;
use crate::errors::misuse;
use crate::hydro::Cells;
use hydro::tiles::{Basin, Error, Flats, Message, Plane, Raster, Sphere, Spills, Summed, Sums};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// A message from Python.
type Told<'py> = PyReadonlyArray1<'py, u32>;

/// An array of Python.
type Array<'py> = Bound<'py, PyAny>;

fn refused(error: Error) -> PyErr {
    misuse(&error)
}

fn message(told: &Told<'_>) -> Message {
    Message(told.as_array().iter().copied().collect())
}

fn words(py: Python<'_>, message: Message) -> Bound<'_, PyArray1<u32>> {
    message.0.into_pyarray(py)
}

fn values<T: numpy::Element + Copy>(array: &PyReadonlyArray2<'_, T>) -> Vec<T> {
    array.as_array().iter().copied().collect()
}

/// A raster cut into tiles, and what is done in each.
#[pyclass(frozen)]
struct Tiles(Arc<Raster>);

#[pymethods]
impl Tiles {
    /// Rows and columns of the raster and of a tile, and how large cells are.
    #[new]
    fn new(py: Python<'_>, shape: (u32, u32), tile: (u32, u32), cells: Cells) -> PyResult<Self> {
        let (width, height, on_sphere) = cells;
        let raster = py.detach(|| match on_sphere {
            None => Raster::new(shape, tile, Plane::new(width, height)?),
            Some((west, north, radius_m)) => {
                let sphere = Sphere::new(shape.1, shape.0, west, north, width, height, radius_m)?;
                Raster::new(shape, tile, sphere)
            }
        });
        Ok(Self(Arc::new(raster.map_err(refused)?)))
    }

    /// Number of tiles.
    fn __len__(&self) -> usize {
        self.0.tiles()
    }

    /// First row, first column, rows and columns of a tile.
    fn place(&self, tile: usize) -> PyResult<(u32, u32, u32, u32)> {
        let place = self.0.place(tile).map_err(refused)?;
        Ok((place.row, place.col, place.rows, place.cols))
    }

    /// Fills a tile, given with a ring of one cell, on its own.
    fn spill<'py>(
        &self,
        py: Python<'py>,
        tile: usize,
        elevation: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let z = values(&elevation);
        let told = py.detach(|| self.0.spill(tile, z)).map_err(refused)?;
        Ok(words(py, told))
    }

    /// The filled surface of a tile.
    fn descend<'py>(
        &self,
        py: Python<'py>,
        tile: usize,
        elevation: PyReadonlyArray2<'py, f32>,
        told: Told<'py>,
    ) -> PyResult<(Array<'py>, Bound<'py, PyArray1<u32>>)> {
        let (z, told) = (values(&elevation), message(&told));
        let (filled, told) = py.detach(|| self.0.descend(tile, &z, &told)).map_err(refused)?;
        Ok((self.shaped(py, tile, filled)?, words(py, told)))
    }

    /// Measures the flats of a tile that are due.
    fn visit<'py>(
        &self,
        py: Python<'py>,
        tile: usize,
        filled: PyReadonlyArray2<'py, f32>,
        told: Told<'py>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let (filled, told) = (values(&filled), message(&told));
        let told = py.detach(|| self.0.visit(tile, &filled, &told)).map_err(refused)?;
        Ok(words(py, told))
    }

    /// The directions of a tile.
    fn settle<'py>(
        &self,
        py: Python<'py>,
        tile: usize,
        filled: PyReadonlyArray2<'py, f32>,
        told: Told<'py>,
    ) -> PyResult<(Array<'py>, Bound<'py, PyArray1<u32>>)> {
        let (filled, told) = (values(&filled), message(&told));
        let (directions, told) = py.detach(|| self.0.settle(tile, &filled, &told)).map_err(refused)?;
        Ok((self.shaped(py, tile, directions)?, words(py, told)))
    }

    /// Accumulation, numbers of basins, and the basins that end in the tile.
    fn sum<'py>(
        &self,
        py: Python<'py>,
        tile: usize,
        directions: PyReadonlyArray2<'py, u8>,
        filled: PyReadonlyArray2<'py, f32>,
        told: Told<'py>,
    ) -> PyResult<(Array<'py>, Array<'py>, Bound<'py, PyDict>)> {
        let (directions, filled, told) = (values(&directions), values(&filled), message(&told));
        let summed: Result<Summed, Error> = py.detach(|| self.0.sum(tile, &directions, &filled, &told));
        let (accumulation, numbers, basins) = summed.map_err(refused)?;
        let table = PyDict::new(py);
        table.set_item("basin", column(py, &basins, |basin| basin.number))?;
        table.set_item("outlet_row", column(py, &basins, |basin| basin.row))?;
        table.set_item("outlet_col", column(py, &basins, |basin| basin.col))?;
        table.set_item("cells", column(py, &basins, |basin| basin.cells))?;
        table.set_item("area_m2", column(py, &basins, |basin| basin.area_m2))?;
        Ok((self.shaped(py, tile, accumulation)?, self.shaped(py, tile, numbers)?, table))
    }
}

fn column<'py, T: numpy::Element>(
    py: Python<'py>,
    basins: &[Basin],
    of: impl Fn(&Basin) -> T,
) -> Bound<'py, PyArray1<T>> {
    basins.iter().map(of).collect::<Vec<T>>().into_pyarray(py)
}

impl Tiles {
    fn shaped<'py, T: numpy::Element>(
        &self,
        py: Python<'py>,
        tile: usize,
        values: Vec<T>,
    ) -> PyResult<Array<'py>> {
        let place = self.0.place(tile).map_err(refused)?;
        shaped(py, values, [place.rows as usize, place.cols as usize])
    }
}

/// What joins the tiles of a raster: it takes what they tell, and tells each what it must know.
#[pyclass]
struct Joins {
    raster: Arc<Raster>,
    stage: Stage,
}

/// What is being joined.
enum Stage {
    Spills(Spills),
    Flats(Flats),
    Sums(Sums),
}

impl Joins {
    fn tell_of(&self, tile: usize) -> Result<Message, Error> {
        match &self.stage {
            Stage::Spills(spills) => spills.tell(&self.raster, tile),
            Stage::Flats(flats) => flats.tell(&self.raster, tile),
            Stage::Sums(sums) => sums.tell(&self.raster, tile),
        }
    }
}

/// What is not asked for at this stage.
fn out_of_order() -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err("the stages of an analysis in tiles were called out of order")
}

#[pymethods]
impl Joins {
    #[new]
    fn new(tiles: &Tiles) -> Self {
        Self { raster: tiles.0.clone(), stage: Stage::Spills(Spills::new(&tiles.0)) }
    }

    /// What a tile has told at the first, the second (`descended`), or the last stage, or when visited.
    #[pyo3(signature = (tile, told, descended=false))]
    fn take(&mut self, tile: usize, told: Told<'_>, descended: bool) -> PyResult<()> {
        let (raster, message) = (&self.raster, message(&told));
        match &mut self.stage {
            Stage::Spills(spills) => spills.take(raster, tile, &message),
            Stage::Flats(flats) if descended => flats.take_descended(raster, tile, &message),
            Stage::Flats(flats) => flats.take(raster, tile, &message),
            Stage::Sums(sums) => sums.take(raster, tile, &message),
        }
        .map_err(refused)
    }

    /// Solves what has been told, where something is to be solved.
    fn solve(&mut self, py: Python<'_>) -> PyResult<()> {
        let (raster, stage) = (&self.raster, &mut self.stage);
        py.detach(|| match stage {
            Stage::Spills(spills) => spills.solve(raster),
            Stage::Sums(sums) => sums.solve(raster),
            Stage::Flats(_) => Ok(()),
        })
        .map_err(refused)
    }

    /// What a tile must know at the next stage.
    fn tell<'py>(&self, py: Python<'py>, tile: usize) -> PyResult<Bound<'py, PyArray1<u32>>> {
        Ok(words(py, self.tell_of(tile).map_err(refused)?))
    }

    /// Goes on from levels to flats, or from flats to sums.
    fn go_on(&mut self) {
        let raster = &self.raster;
        self.stage = match std::mem::replace(&mut self.stage, Stage::Sums(Sums::new(raster))) {
            Stage::Spills(spills) => Stage::Flats(Flats::new(raster, spills)),
            _ => Stage::Sums(Sums::new(raster)),
        };
    }

    /// The tiles whose flats are due.
    fn due(&self) -> PyResult<Vec<usize>> {
        match &self.stage {
            Stage::Flats(flats) => flats.due().map_err(refused),
            _ => Err(out_of_order()),
        }
    }

    /// What a tile that is due must know.
    fn tell_due<'py>(&mut self, py: Python<'py>, tile: usize) -> PyResult<Bound<'py, PyArray1<u32>>> {
        match &mut self.stage {
            Stage::Flats(flats) => Ok(words(py, flats.tell_due(&self.raster, tile).map_err(refused)?)),
            _ => Err(out_of_order()),
        }
    }

    /// Number of basins, once they are known.
    fn basins(&self) -> PyResult<u64> {
        match &self.stage {
            Stage::Sums(sums) => Ok(sums.basins()),
            _ => Err(out_of_order()),
        }
    }
}

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let tiles = PyModule::new(module.py(), "_tiles")?;
    tiles.add_class::<Tiles>()?;
    tiles.add_class::<Joins>()?;
    module.add("_tiles", tiles)
}
