//! Rivers as lines: the same curves that regions are cut by, strung together along a course of cells.

use crate::features::{CellFeatures, River, features_of};
use grid::{Cell, Grid, Topology, Vec3, math};
use std::collections::BTreeMap;
use world::{CellSource, CellState, GatherError, Network};

/// The cells of each of some reaches, and the one it flows into.
///
/// # Errors
/// A world that cannot be read.
pub fn courses(
    source: &impl CellSource,
    network: &Network,
    chosen: &[usize],
) -> Result<Vec<Vec<Cell>>, GatherError> {
    let last: Vec<Cell> = chosen.iter().filter_map(|&k| network.reaches[k].cells.last().copied()).collect();
    let states = source.gather(&last)?;
    let course = |((&k, &last), state): ((&usize, &Cell), &CellState)| {
        let below = state.receiver.and_then(|d| source.grid().neighbor(last, d));
        network.reaches[k].cells.iter().copied().chain(below).collect()
    };
    Ok(chosen.iter().zip(&last).zip(&states).map(course).collect())
}

/// The features of the cells of some courses, and of the cells that they flow into.
pub struct RiverLines<'a> {
    grid: &'a Topology,
    of_cell: BTreeMap<Cell, CellFeatures>,
}

impl<'a> RiverLines<'a> {
    /// Makes the rivers of cells and of their neighbours' borders. Cost: some microseconds a cell.
    ///
    /// # Errors
    /// A world that cannot be read.
    pub fn new(source: &'a impl CellSource, cells: &[Cell]) -> Result<Self, GatherError> {
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        cells.dedup();
        let features = features_of(source, &cells, 0)?;
        Ok(Self { grid: source.grid(), of_cell: cells.into_iter().zip(features).collect() })
    }

    /// The piece within `cell` of the river that leaves `from`.
    pub fn piece(&self, cell: Cell, from: Cell) -> Option<&River> {
        self.of_cell.get(&cell)?.rivers.iter().find(|river| river.from == from)
    }

    /// The rivers of a cell.
    pub fn in_cell(&self, cell: Cell) -> &[River] {
        self.of_cell.get(&cell).map_or(&[], |f| f.rivers.as_slice())
    }

    /// The line of a course of cells, each of which flows into the next: from the first one's junction to the
    /// last one's, as longitudes and latitudes (metres on a flat map), and its length in metres.
    pub fn line(&self, course: &[Cell]) -> (Vec<[f64; 2]>, f64) {
        let mut points: Vec<Vec3> = Vec::new();
        for pair in course.windows(2) {
            let halves = [self.piece(pair[0], pair[0]), self.piece(pair[1], pair[0])];
            for point in halves.into_iter().flatten().flat_map(|river| &river.points_m) {
                if points.last() != Some(point) {
                    points.push(*point);
                }
            }
        }
        let length_m = points.windows(2).fold(0.0, |sum, w| sum + w[0].distance(w[1]));
        (points.iter().map(|&p| self.coordinates(p)).collect(), length_m)
    }

    /// The middle of a cell, as a place of a line.
    pub fn center(&self, cell: Cell) -> [f64; 2] {
        coordinates(self.grid, self.grid.center(cell))
    }

    /// Longitude and latitude in degrees of a place in metres; metres on a flat map.
    pub fn coordinates(&self, p: Vec3) -> [f64; 2] {
        coordinates(self.grid, p / self.grid.metres_per_unit())
    }
}

/// Longitude and latitude in degrees of a position of the grid; metres on a flat map.
pub fn coordinates(grid: &Topology, p: Vec3) -> [f64; 2] {
    match grid {
        Topology::Globe(_) => math::to_lon_lat(p).into(),
        Topology::Flat(_) => [p.x, p.y],
    }
}
