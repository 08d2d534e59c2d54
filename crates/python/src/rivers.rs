//! Rivers as lines, in arrays: one row for each reach between two junctions.

use crate::arrays::shaped;
use export::Coordinates;
use grid::Cell;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use region::river_lines::{RiverLines, courses};
use world::{CellSource, GatherError, Network, RiverReach};

/// Lines of all reaches, and what is known of them.
pub struct Lines {
    /// x, y; x, y ... of all lines, one after the other.
    places: Vec<f64>,
    /// Where each line begins among the places; one more than there are lines.
    first: Vec<u32>,
}

impl Lines {
    /// Of the reaches of a network.
    ///
    /// # Errors
    /// A world that cannot be read.
    pub fn of(source: &impl CellSource, network: &Network) -> Result<Self, GatherError> {
        let chosen: Vec<usize> = (0..network.reaches.len()).collect();
        let courses = courses(source, network, &chosen)?;
        let cells: Vec<Cell> = courses.iter().flatten().copied().collect();
        let (lines, named) = (RiverLines::new(source, &cells)?, Coordinates::of(source));
        let mut all = Self { places: Vec::new(), first: vec![0] };
        for course in &courses {
            let (mut line, _) = lines.line(course);
            if line.len() < 2 {
                line = course.iter().map(|&cell| lines.center(cell)).collect();
            }
            // a reach of one cell at the border of a flat map has no line
            if line.len() < 2 {
                line.clear();
            }
            all.places.extend(line.into_iter().flat_map(|place| named.told(place)));
            all.first.push((all.places.len() / 2) as u32);
        }
        Ok(all)
    }
}

/// A number of a reach.
type Number = fn(&RiverReach) -> f64;

/// The columns of the table, each with its values.
pub fn table<'py>(py: Python<'py>, network: &Network, lines: Lines) -> PyResult<Bound<'py, PyDict>> {
    let reaches = &network.reaches;
    let count = reaches.len();
    let table = PyDict::new(py);
    let outlet = |basin: u32| &network.outlets[basin as usize];
    let names: Vec<&str> = reaches.iter().map(|r| outlet(r.basin).name.as_str()).collect();
    let places = lines.places.len() / 2;
    table.set_item("line_places", shaped(py, lines.places, [places, 2])?)?;
    table.set_item("line_first", shaped(py, lines.first, [count + 1])?)?;
    table.set_item("river", names)?;
    table.set_item("order", shaped(py, reaches.iter().map(|r| r.order).collect(), [count])?)?;
    table.set_item("basin", shaped(py, reaches.iter().map(|r| r.basin).collect(), [count])?)?;
    let downstream = reaches.iter().map(|r| r.downstream.map_or(-1, i64::from)).collect();
    table.set_item("downstream", shaped::<i64>(py, downstream, [count])?)?;
    let numbers: [(&str, Number); 5] = [
        ("discharge_m3_s", |r| r.discharge_m3_s),
        ("drainage_km2", |r| r.drainage_km2),
        ("length_km", |r| r.length_m / 1000.0),
        ("width_m", |r| r.width_m),
        ("sinuosity", |r| r.sinuosity),
    ];
    for (name, of) in numbers {
        table.set_item(name, shaped(py, reaches.iter().map(of).collect(), [count])?)?;
    }
    Ok(table)
}
