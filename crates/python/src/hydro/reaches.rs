//! Streams between junctions as a table with lines.

use super::ways::numbered;
use super::{Cells, answer, areas_of, flow_of, on, positive, raster_of};
use crate::arrays::{field, shaped};
use grid::{Cell, Field, Grid, Shape};
use hydro::network::{self, Chi, Stems};
use hydro::{Flow, Reach};
use numpy::{Element, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What is known of each reach, in the order of their first cells.
#[derive(Default)]
struct Table {
    /// Number of the reach below, from 1; 0 at a mouth.
    downstream: Vec<u32>,
    strahler: Vec<u8>,
    magnitude: Vec<u32>,
    hack: Vec<u16>,
    length_m: Vec<f64>,
    drop_m: Vec<f64>,
    steepness: Vec<f64>,
    cells: Vec<u32>,
    area_m2: Vec<f64>,
    basin: Vec<u32>,
    /// Lines: columns and rows, in cells from the north-west corner.
    places: Vec<f64>,
    /// Where each line begins among the places; one more than there are reaches.
    first: Vec<u32>,
}

/// What has to be known of all cells to tell of reaches.
struct Known<'a, G> {
    grid: &'a G,
    flow: &'a Flow,
    surface: &'a Field<f32>,
    cells: Field<u32>,
    area_m2: Field<f64>,
    basins: Field<u32>,
    magnitude: Field<u32>,
    hack: Field<u16>,
    chi: Field<f64>,
}

impl<'a, G: Grid> Known<'a, G> {
    fn of(
        grid: &'a G,
        flow: &'a Flow,
        (surface, is_stream): (&'a Field<f32>, &Field<bool>),
        concavity: f64,
    ) -> PyResult<Self> {
        let area_m2 = hydro::accumulate(grid, flow, &areas_of(grid, Some(surface)));
        let cells = hydro::accumulate_cells(grid, &flow.receiver);
        let stems = Stems::of(grid, flow, &area_m2, is_stream);
        let chi = Chi { concavity, ..Chi::default() };
        Ok(Self {
            grid,
            flow,
            surface,
            cells: cells.map_err(|e| crate::errors::misuse(&e))?,
            basins: numbered(grid, flow, |cell| !surface[cell].is_nan()).0,
            magnitude: network::shreve(grid, flow, is_stream),
            hack: network::hack_order(grid, flow, is_stream, &stems),
            chi: chi.of(grid, flow, &area_m2, is_stream),
            area_m2,
        })
    }

    /// Appends a reach to the table.
    fn tell(&self, table: &mut Table, reaches: &[Reach], index: usize) {
        let reach = &reaches[index];
        let (Some(&first), Some(&last)) = (reach.cells.first(), reach.cells.last()) else { return };
        let below = self.flow.receiver_of(self.grid, last);
        let course: Vec<Cell> = reach.cells.iter().copied().chain(below).collect();
        let length_m = course.windows(2).map(|w| self.step_m(w[0], w[1])).fold(0.0, |sum, step| sum + step);
        let end = below.unwrap_or(last);
        let steepness = network::steepness(reaches, index, self.surface, &self.chi);
        table.downstream.push(reach.downstream.map_or(0, |below| below + 1));
        table.strahler.push(reach.order);
        table.magnitude.push(self.magnitude[last]);
        table.hack.push(self.hack[last]);
        table.length_m.push(length_m);
        table.drop_m.push(f64::from(self.surface[first]) - f64::from(self.surface[end]));
        table.steepness.push(steepness.map_or(f64::NAN, |law| law.exponent));
        table.cells.push(self.cells[last]);
        table.area_m2.push(self.area_m2[last]);
        table.basin.push(self.basins[last]);
        table.places.extend(line(self.grid.shape(), &course).into_iter().flatten());
        table.first.push((table.places.len() / 2) as u32);
    }

    /// Metres from a cell to the one that it drains to.
    fn step_m(&self, from: Cell, to: Cell) -> f64 {
        let (_, row, _) = self.grid.shape().split(from);
        match self.grid.row_spacing_m(row) {
            Some(spacing_m) => spacing_m[usize::from(self.flow.receiver[from])],
            None => self.grid.cell_distance_m(from, to),
        }
    }
}

/// The line through the middles of cells. That of a single cell goes half a cell on, out of the array; beside a gap in the
/// array there is none.
fn line(shape: Shape, cells: &[Cell]) -> Vec<[f64; 2]> {
    let middle = |&cell: &Cell| {
        let (_, row, col) = shape.split(cell);
        [f64::from(col) + 0.5, f64::from(row) + 0.5]
    };
    let mut line: Vec<[f64; 2]> = cells.iter().map(middle).collect();
    if let &[cell] = cells {
        let (_, row, col) = shape.split(cell);
        let sides = [
            (row == 0, 0.0, -0.5),
            (col + 1 == shape.cols, 0.5, 0.0),
            (row + 1 == shape.rows, 0.0, 0.5),
            (col == 0, -0.5, 0.0),
        ];
        match sides.into_iter().find(|side| side.0) {
            Some((_, right, down)) => line.push([line[0][0] + right, line[0][1] + down]),
            None => line.clear(),
        }
    }
    line
}

fn tell_all<G: Grid>(
    grid: &G,
    receivers: Field<u8>,
    (surface, is_stream): (&Field<f32>, &Field<bool>),
    concavity: f64,
) -> PyResult<Table> {
    let flow = flow_of(grid, receivers)?;
    let order = hydro::strahler(grid, &flow, is_stream);
    let reaches = hydro::reaches(grid, &flow, is_stream, &order);
    let known = Known::of(grid, &flow, (surface, is_stream), concavity)?;
    let mut table = Table { first: vec![0], ..Table::default() };
    (0..reaches.len()).for_each(|index| known.tell(&mut table, &reaches, index));
    Ok(table)
}

/// The reaches: columns of a table; lines as columns and rows in cells from the north-west corner.
#[pyfunction]
fn reaches<'py>(
    py: Python<'py>,
    surface: PyReadonlyArray2<'py, f32>,
    directions: PyReadonlyArray2<'py, u8>,
    streams: PyReadonlyArray2<'py, bool>,
    cells: Cells,
    concavity: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let raster = raster_of(&surface, cells)?;
    let surface = field("surface", &surface, raster.shape())?;
    let receivers = field("directions", &directions, raster.shape())?;
    let is_stream = field("streams", &streams, raster.shape())?;
    let concavity = positive("concavity", concavity)?;
    let table = answer(
        py,
        move || on!(&raster, grid => tell_all(grid, receivers, (&surface, &is_stream), concavity)),
    )?;
    let columns = PyDict::new(py);
    let points = table.places.len() / 2;
    columns.set_item("line_places", shaped(py, table.places, [points, 2])?)?;
    set(&columns, "line_first", table.first)?;
    set(&columns, "downstream", table.downstream)?;
    set(&columns, "order", table.strahler)?;
    set(&columns, "magnitude", table.magnitude)?;
    set(&columns, "hack", table.hack)?;
    set(&columns, "length_m", table.length_m)?;
    set(&columns, "drop_m", table.drop_m)?;
    set(&columns, "steepness", table.steepness)?;
    set(&columns, "cells", table.cells)?;
    set(&columns, "area_m2", table.area_m2)?;
    set(&columns, "basin", table.basin)?;
    Ok(columns)
}

fn set<T: Element>(columns: &Bound<'_, PyDict>, name: &str, values: Vec<T>) -> PyResult<()> {
    let count = values.len();
    columns.set_item(name, shaped(columns.py(), values, [count])?)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(reaches, module)?)
}
