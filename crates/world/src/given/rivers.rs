//! Rivers that are given, laid into the land so that water follows them.
//!
//! From its head down each cell of a river is put below the one before and below all beside it, by a step. Where a river
//! ends on land, in a hollow of its own making, the way of the least digging to lower ground goes on ([`super::breach`]).

use super::breach::breach;
use grid::{Cell, Field, Grid, Topology};
use hydro::Links;

/// By how much the bed of a river falls from cell to cell at least, in metres.
pub(crate) const STEP_M: f32 = 0.125;
/// Land that is no basin below the sea's level lies at least this high, in metres.
const LEAST_M: f32 = 1.0;

/// Lays rivers into heights in metres: each cell from the head down below the one before and below all beside it.
pub(crate) fn keep(grid: &Topology, land: &Field<f32>, height_m: &mut Field<f32>, rivers: &[Vec<Cell>]) {
    rivers.iter().for_each(|river| lay(grid, land, height_m, river));
}

/// Lays rivers into made land (metres), and leads them on to lower ground where they end. Hollows that were there stay.
pub(crate) fn lead(grid: &Topology, land: &Field<f32>, height_m: &mut Field<f32>, rivers: &[Vec<Cell>]) {
    if rivers.is_empty() {
        return;
    }
    let links = Links::planar(grid, height_m);
    let is_pit = |c: Cell| links.neighbors(grid, c).all(|(_, n)| height_m[n] >= height_m[c]);
    let mut ends = Field::from_fn(grid.shape(), |c| land[c] <= 0.0 || grid.at_border(c) || is_pit(c));
    for &cell in rivers.iter().flatten().filter(|&&c| land[c] > 0.0 && !grid.at_border(c)) {
        ends[cell] = false;
    }
    let mut ways = rivers.to_vec();
    for _ in 0..PASSES {
        keep(grid, land, height_m, &ways);
        let links = Links::planar(grid, height_m);
        let linked: Vec<Vec<Cell>> = ways.iter().map(|w| along_links(grid, &links, height_m, w)).collect();
        if linked == ways {
            break;
        }
        ways = linked;
    }
    breach(grid, height_m, &|c| ends[c]);
}

/// Links go by the heights, which change as a river is laid: it is looked so often whether all its steps are linked.
const PASSES: usize = 4;

/// A river with each step over a corner that no link takes led around it, over the lower of the two sides.
fn along_links(grid: &Topology, links: &Links, height_m: &Field<f32>, river: &[Cell]) -> Vec<Cell> {
    let mut way: Vec<Cell> = river.iter().take(1).copied().collect();
    for pair in river.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        if !links.neighbors(grid, from).any(|(_, n)| n == to) {
            let sides = |c: Cell| grid.neighbors(c).filter(|(d, _)| d.is_side()).map(|(_, n)| n);
            let between = sides(from).filter(|&n| sides(to).any(|other| other == n));
            way.extend(between.min_by(|&a, &b| height_m[a].total_cmp(&height_m[b]).then(a.cmp(&b))));
        }
        way.push(to);
    }
    way
}

/// Lays one river.
fn lay(grid: &Topology, land: &Field<f32>, height_m: &mut Field<f32>, river: &[Cell]) {
    let mut own = river.to_vec();
    own.sort_unstable();
    let mut above = f32::INFINITY;
    for &cell in river.iter().filter(|&&c| land[c] > 0.0) {
        let is_beside = |n: Cell| land[n] > 0.0 && own.binary_search(&n).is_err();
        let beside = grid.neighbors(cell).map(|(_, n)| n).filter(|&n| is_beside(n));
        let lowest = beside.map(|n| height_m[n]).fold(above, f32::min);
        let bed = height_m[cell].min(lowest - STEP_M);
        height_m[cell] = if height_m[cell] >= LEAST_M { bed.max(STEP_M) } else { bed };
        above = height_m[cell];
    }
}
