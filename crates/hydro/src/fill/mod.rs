//! Depressions filled, exactly and fast: `filled(c)` = min over paths to an outlet of the max elevation on the path.
//!
//! Water on bare ground goes down from cell to cell (of equal heights to the lower address) until it reaches an outlet
//! or a pit. The cells of a pit are its *basin*; on the way down from `c` nothing is higher than `c`, so
//! `filled(c) = max(z(c), level(basin of c))`, and only the levels of basins are asked for: a question for the graph
//! of basins and their passes (`graph.rs`). Which lower neighbour the water takes does not matter.
//!
//! Passes are needed only at *saddles*: where the lower neighbours of a cell do not all hang together. Where they do,
//! whatever the cell could connect is connected below it.
//!
//! The map is cut into tiles that fit into a core's cache. Each finds its basins in one pass over its rows, as
//! connected components are labelled, and joins those whose lowest pass lies within it; the rest and the passes over
//! the seams make a small graph, solved at the end (after Barnes 2016; the graph after Cordonnier, Bovy & Braun 2019).
//!
//! Cost: linear but for the rounds of the small graph; parallel over tiles, the small graph in one thread. Memory: 4
//! bytes a cell beyond the result. A raised cell whose level is 0 is +0; others keep their bits.

mod epsilon;

mod graph;

mod ring;

mod seams;

mod strip;

mod tile;

mod tiles;

use crate::stencil::assert_shape;
use crate::{Links, Outlets};
use grid::{Field, Grid};
use rayon::prelude::*;
use tiles::Tiles;

pub use epsilon::fill_epsilon;
pub use graph::{Pass, levels};
pub use strip::{Open, Strip, strip};

/// What is filled.
struct Ground<'a> {
    z: &'a [f32],
    outlets: &'a [bool],
    /// Unless all neighbours are linked.
    links: Option<&'a [u8]>,
    /// Cells in a row.
    cols: usize,
}

impl<'a> Ground<'a> {
    fn new(links: &'a Links, elevation: &'a Field<f32>, outlets: &'a Field<bool>) -> Self {
        let cols = elevation.shape().cols as usize;
        Self { z: elevation.as_slice(), outlets: outlets.as_slice(), links: links.chosen(), cols }
    }
}

/// The least surface over `elevation` (metres) from which all water reaches an outlet. NaN stays NaN.
///
/// It is the surface of [`crate::flood()`], without the way that the flood took. `outlets` are those of this elevation
/// and these links.
pub fn fill(grid: &impl Grid, links: &Links, elevation: &Field<f32>, outlets: &Outlets) -> Field<f32> {
    assert_shape(grid, elevation, "the elevation");
    assert_shape(grid, links.bytes(), "the links");
    assert_shape(grid, outlets.field(), "the outlets");
    let ground = Ground::new(links, elevation, outlets.field());
    let tiles = Tiles::of(grid.shape(), &ground);
    let levels = levels(&mut tiles.passes(grid, &ground), tiles.nodes());
    raise(&tiles, &levels, elevation)
}

/// Raises each cell to the level of its node.
fn raise(tiles: &Tiles, levels: &[f32], elevation: &Field<f32>) -> Field<f32> {
    let (shape, z) = (elevation.shape(), elevation.as_slice());
    let mut filled = vec![0.0; z.len()];
    let face = shape.rows as usize * shape.cols as usize;
    let size = tile::ROWS * shape.cols as usize;
    let mut bands = Vec::new();
    for (filled, z) in filled.chunks_mut(face).zip(z.chunks(face)) {
        bands.extend(filled.chunks_mut(size).zip(z.chunks(size)));
    }
    bands.into_par_iter().enumerate().for_each(|(band, (filled, z))| tiles.raise(band, levels, z, filled));
    Field::from_vec(shape, filled).expect("one value was computed for each cell")
}
