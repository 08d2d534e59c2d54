//! The fill of a strip of a larger map, as far as the strip tells: for maps that do not fit into memory.
//!
//! Nothing is known beyond an open edge but that no way leads over it below the heights along it. What could be lower
//! on such a way is kept apart under a label (a *part*), of which only one number is missing, its level:
//!
//! ```text
//! filled(c) = max(local(c), level(label(c)))
//! ```
//!
//! in every cell. Levels come from the graph of the parts of all strips: their passes within strips, and for each link
//! over an edge between two strips a pass at the higher of its two ends ([`super::levels`]). After Barnes (2016), whose
//! parts are the watersheds of all cells along the edges; here what has a lower pass inside joins it at once, which
//! leaves fewer.

use super::graph::{OUTSIDE, Pass, contract, find};
use super::tiles::{Spot, Tiles};
use super::{Ground, raise};
use crate::Links;
use crate::stencil::assert_shape;
use grid::{Field, Grid, Shape};
use rayon::prelude::*;

/// A strip filled as far as it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The least that the filled surface can be, in metres; NaN without data.
    pub local: Field<f32>,
    /// The part of each cell. 0: it drains within the strip, and `local` is final; so are cells without data.
    pub label: Field<u32>,
    /// Number of labels, 0 included.
    pub labels: u32,
    /// The passes between parts that matter: at most one fewer than labels.
    pub passes: Vec<Pass>,
}

/// An edge of a strip beyond which the map goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// North of the first row.
    pub top: bool,
    /// South of the last row.
    pub bottom: bool,
}

/// Fills a strip of one face (`grid` is that of the strip alone, `elevation` in metres).
///
/// `outlets`: cells with data where water leaves the whole map, those beside a gap included, also where the gap lies
/// in the strip next to this. Needs no outlet. The same bits with any number of threads. Cost and memory: as
/// [`crate::fill()`], and 4 bytes a cell for labels.
pub fn strip(
    grid: &impl Grid,
    links: &Links,
    elevation: &Field<f32>,
    outlets: &Field<bool>,
    open: Open,
) -> Strip {
    assert_shape(grid, elevation, "the elevation");
    assert_shape(grid, links.bytes(), "the links");
    assert_shape(grid, outlets, "the outlets");
    let ground = Ground::new(links, elevation, outlets);
    let tiles = Tiles::of(grid.shape(), &ground);
    let mut passes = tiles.passes(grid, &ground);
    let contracted = contract(&mut passes, caps(&tiles, &ground, open));
    let mut label = vec![OUTSIDE; tiles.nodes()];
    let mut labels = 1;
    for node in (1..label.len()).filter(|&node| contracted.root[node] as usize == node) {
        label[node] = labels;
        labels += 1;
    }
    for pass in &mut passes {
        (pass.a, pass.b) = (label[pass.a as usize], label[pass.b as usize]);
    }
    let of_node: Vec<u32> = contracted.root.iter().map(|&root| label[root as usize]).collect();
    Strip {
        local: raise(&tiles, &contracted.rise, elevation),
        label: label_cells(&tiles, &of_node),
        labels,
        passes: spanning(passes, labels),
    }
}

/// For each node, a level below which no way leads over an open edge.
fn caps(tiles: &Tiles, ground: &Ground, open: Open) -> Vec<f32> {
    let mut caps = vec![f32::INFINITY; tiles.nodes()];
    for (row, _) in [(0, open.top), (tiles.shape.rows - 1, open.bottom)].iter().filter(|edge| edge.1) {
        for col in 0..tiles.shape.cols {
            let spot = Spot { face: 0, row: *row, col };
            let cap = &mut caps[tiles.node(spot) as usize];
            *cap = cap.min(ground.z[tiles.index(spot)]);
        }
    }
    caps
}

fn label_cells(tiles: &Tiles, of_node: &[u32]) -> Field<u32> {
    let Shape { rows, cols, .. } = tiles.shape;
    let of_row =
        |row: u32| (0..cols).map(move |col| of_node[tiles.node(Spot { face: 0, row, col }) as usize]);
    let label = (0..rows).into_par_iter().flat_map_iter(of_row).collect();
    Field::from_vec(tiles.shape, label).expect("one label was found for each cell")
}

/// The passes of a spanning forest of least levels (Kruskal 1956); of equal ones, those that come first.
fn spanning(mut passes: Vec<Pass>, nodes: u32) -> Vec<Pass> {
    passes.sort_by(|p, q| p.level.total_cmp(&q.level));
    let mut root: Vec<u32> = (0..nodes).collect();
    passes.retain(|pass| {
        let (a, b) = (find(&mut root, pass.a), find(&mut root, pass.b));
        root[a as usize] = b;
        a != b
    });
    passes
}
