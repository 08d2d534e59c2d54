//! Labelled cells as areas.

use super::{Cells, answer, on, raster_of};
use crate::arrays::{field, shaped};
use grid::{Cell, Field, Grid};
use hydro::outline::outlines;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Areas of several parts, as lists in one another: places of rings, rings of parts, parts of areas.
#[derive(Default)]
struct Shapes {
    label: Vec<u32>,
    cells: Vec<u64>,
    area_m2: Vec<f64>,
    /// Columns and rows of corners, in cells from the north-west.
    places: Vec<f64>,
    /// Where each ring begins among the places, each part among the rings, each label among the parts; and their ends.
    rings: Vec<i64>,
    parts: Vec<i64>,
    labels: Vec<i64>,
}

impl Shapes {
    fn of<G: Grid>(grid: &G, labels: &Field<u32>) -> Self {
        let mut shapes = Self { rings: vec![0], parts: vec![0], labels: vec![0], ..Self::default() };
        for outline in outlines(labels, 0) {
            for part in &outline.parts {
                shapes.ring(&part.outer);
                part.holes.iter().for_each(|hole| shapes.ring(hole));
                shapes.parts.push(shapes.rings.len() as i64 - 1);
            }
            shapes.labels.push(shapes.parts.len() as i64 - 1);
            shapes.label.push(outline.label);
            shapes.cells.push(outline.parts.iter().map(hydro::Part::cells).sum());
        }
        shapes.area_m2 = vec![0.0; shapes.label.len()];
        for (index, label) in labels.as_slice().iter().enumerate() {
            if let Ok(place) = shapes.label.binary_search(label) {
                shapes.area_m2[place] += grid.area_m2(Cell::from_index(index));
            }
        }
        shapes
    }

    fn ring(&mut self, corners: &[[u32; 2]]) {
        self.places.extend(corners.iter().flatten().copied().map(f64::from));
        self.rings.push(self.places.len() as i64 / 2);
    }
}

/// The areas of labels from 1.
#[pyfunction]
fn polygons<'py>(
    py: Python<'py>,
    labels: PyReadonlyArray2<'py, u32>,
    cells: Cells,
) -> PyResult<Bound<'py, PyDict>> {
    let raster = raster_of(&labels, cells)?;
    let labels = field("labels", &labels, raster.shape())?;
    let found = answer(py, move || Ok(on!(&raster, grid => Shapes::of(grid, &labels))))?;
    let all = PyDict::new(py);
    let (count, places) = (found.label.len(), found.places.len() / 2);
    let (rings, parts) = (found.rings.len(), found.parts.len());
    all.set_item("label", shaped(py, found.label, [count])?)?;
    all.set_item("cells", shaped(py, found.cells, [count])?)?;
    all.set_item("area_m2", shaped(py, found.area_m2, [count])?)?;
    all.set_item("places", shaped(py, found.places, [places, 2])?)?;
    all.set_item("rings", shaped(py, found.rings, [rings])?)?;
    all.set_item("parts", shaped(py, found.parts, [parts])?)?;
    all.set_item("labels", shaped(py, found.labels, [count + 1])?)?;
    Ok(all)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(polygons, module)?)
}
