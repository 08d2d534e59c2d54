//! Of some cells, the one that is nearest to each cell, or that counts the most there.
//!
//! What a beginning costs at a distance grows with it; each cell belongs to the beginning that is cheapest there. It is
//! handed on from cell to cell with the true distance, not with the sum of steps, so that lines of equal distance are
//! round. Cost: a queue over the cells that are reached.

use grid::{Cell, Field, Grid, Topology};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// To which beginning each cell belongs.
pub(crate) struct Nearest {
    /// The beginning; none where no one reaches.
    pub of: Field<Option<Cell>>,
    /// The distance to it in metres, straight.
    pub way_m: Field<f64>,
}

/// `cost`: of a beginning at a distance in metres, not negative, rising with it; `None` where it reaches no more.
pub(crate) fn nearest(
    grid: &Topology,
    beginnings: &[Cell],
    cost: &dyn Fn(Cell, f64) -> Option<f64>,
) -> Nearest {
    let mut found =
        Nearest { of: Field::filled(grid.shape(), None), way_m: Field::filled(grid.shape(), f64::INFINITY) };
    let mut least = Field::filled(grid.shape(), f64::INFINITY);
    let mut queue = BinaryHeap::new();
    for &cell in beginnings {
        if let Some(own) = cost(cell, 0.0).filter(|&own| own < least[cell]) {
            least[cell] = own;
            (found.of[cell], found.way_m[cell]) = (Some(cell), 0.0);
            queue.push(Reverse((own.to_bits(), cell, cell)));
        }
    }
    let unit_m = grid.metres_per_unit();
    // costs are not negative, so that their bits are in order
    while let Some(Reverse((bits, cell, from))) = queue.pop() {
        if found.of[cell] != Some(from) || bits != least[cell].to_bits() {
            continue;
        }
        let start = grid.center(from);
        for (_, next) in grid.neighbors(cell) {
            let way_m = grid.center(next).distance(start) * unit_m;
            if let Some(there) = cost(from, way_m).filter(|&there| there < least[next]) {
                least[next] = there;
                (found.of[next], found.way_m[next]) = (Some(from), way_m);
                queue.push(Reverse((there.to_bits(), next, from)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Globe;

    #[test]
    fn distances_are_those_of_a_full_search() {
        let grid = Topology::Globe(Globe::new(24, 6.371e6).expect("a globe"));
        let beginnings: Vec<Cell> = grid.cells().filter(|c| c.0 % 97 == 5).collect();
        let found = nearest(&grid, &beginnings, &|_, d| Some(d));
        let mut off = 0;
        for cell in grid.cells() {
            let way = |&b: &Cell| grid.center(b).distance(grid.center(cell)) * grid.metres_per_unit();
            let least = beginnings.iter().map(way).fold(f64::INFINITY, f64::min);
            assert!(found.way_m[cell] <= 1.1 * least, "{cell:?}: {} {least}", found.way_m[cell]);
            off += usize::from(found.way_m[cell] > least);
        }
        assert!(off < grid.len() / 200, "{off} cells are a little off");
    }

    #[test]
    fn none_is_reached_beyond_the_end() {
        let grid = Topology::Globe(Globe::new(16, 6.371e6).expect("a globe"));
        let found = nearest(&grid, &[Cell(40)], &|_, d| (d < 2e6).then_some(d));
        for cell in grid.cells() {
            let way_m = grid.center(cell).distance(grid.center(Cell(40))) * grid.metres_per_unit();
            assert_eq!(found.of[cell].is_some(), way_m < 2e6, "{cell:?}");
        }
    }
}
