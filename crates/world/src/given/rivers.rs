//! Rivers that are given, laid into the land so that water follows them.
//!
//! From its head down each cell of a river is put below the one before and below all beside it, by a step. Where rivers
//! meet all go on falling. On made land a step over a corner that no link between neighbours takes goes around it, and a
//! river that ends on land, in a hollow of its own making, is led on to lower ground by the way of the least digging
//! ([`super::breach`]), but not back along itself.

use super::breach::way_around;
use grid::{Cell, Field, Grid, Topology};
use hydro::Links;

/// By how much the bed of a river falls from cell to cell at least, in metres.
pub(crate) const STEP_M: f32 = 0.125;
/// Land that is no basin below the sea's level lies at least this high, in metres.
const LEAST_M: f32 = 1.0;
/// As often as this what a river does to those that it flows into is handed on.
const ROUNDS: usize = 8;
/// Links go by the heights, which change as a river is laid: it is looked so often whether all its steps are linked.
const PASSES: usize = 4;

/// Lays rivers into heights in metres: each cell from the head down below the one before and below all beside it.
pub(crate) fn keep(grid: &Topology, land: &Field<f32>, height_m: &mut Field<f32>, rivers: &[Vec<Cell>]) {
    rivers.iter().for_each(|river| lay(grid, land, height_m, river));
    for _ in 0..ROUNDS {
        let changed = rivers.iter().filter(|river| fall(land, height_m, river)).count();
        if changed == 0 {
            return;
        }
    }
}

/// Lays rivers into made land (metres), and leads them on to lower ground where they end. Hollows that were there stay.
pub(crate) fn lead(grid: &Topology, land: &Field<f32>, height_m: &mut Field<f32>, rivers: &[Vec<Cell>]) {
    if rivers.is_empty() {
        return;
    }
    let links = Links::planar(grid, height_m);
    let is_pit = |c: Cell| links.neighbors(grid, c).all(|(_, n)| height_m[n] >= height_m[c]);
    let ends = Field::from_fn(grid.shape(), |c| land[c] <= 0.0 || grid.at_border(c) || is_pit(c));
    let mut ways = keep_linked(grid, land, height_m, rivers.to_vec());
    let mut is_longer = false;
    for way in &mut ways {
        let inland = way.last().copied().filter(|&c| land[c] > 0.0 && !grid.at_border(c));
        let Some(end) = inland.filter(|&c| grid.neighbors(c).all(|(_, n)| height_m[n] >= height_m[c])) else {
            continue;
        };
        if let Some(onward) = way_around(grid, height_m, end, way, &|c| c != end && ends[c]) {
            way.extend(&onward[1..]);
            is_longer = true;
        }
    }
    if is_longer {
        keep_linked(grid, land, height_m, ways);
    }
}

/// Lays rivers, around corners that no link takes; returns their ways.
fn keep_linked(
    grid: &Topology,
    land: &Field<f32>,
    height_m: &mut Field<f32>,
    mut ways: Vec<Vec<Cell>>,
) -> Vec<Vec<Cell>> {
    for _ in 0..PASSES {
        keep(grid, land, height_m, &ways);
        let links = Links::planar(grid, height_m);
        let linked: Vec<Vec<Cell>> = ways.iter().map(|w| along_links(grid, &links, height_m, w)).collect();
        if linked == ways {
            break;
        }
        ways = linked;
    }
    ways
}

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

/// Lets a river fall from cell to cell; returns whether it did not.
fn fall(land: &Field<f32>, height_m: &mut Field<f32>, river: &[Cell]) -> bool {
    let (mut above, mut changed) = (f32::INFINITY, false);
    for &cell in river.iter().filter(|&&c| land[c] > 0.0) {
        let most_m = if height_m[cell] > 0.0 { (above - STEP_M).max(STEP_M) } else { above - STEP_M };
        if height_m[cell] > most_m {
            height_m[cell] = most_m;
            changed = true;
        }
        above = height_m[cell];
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Flat;

    /// Where water goes from a cell, over the steepest links of the heights.
    fn way_of_water(grid: &Topology, height_m: &Field<f32>, from: Cell) -> Vec<Cell> {
        let links = Links::planar(grid, height_m);
        let mut way = vec![from];
        while let Some((_, next)) = links
            .neighbors(grid, way[way.len() - 1])
            .min_by(|a, b| height_m[a.1].total_cmp(&height_m[b.1]))
            .filter(|&(_, n)| height_m[n] < height_m[way[way.len() - 1]])
        {
            way.push(next);
        }
        way
    }

    /// A map of 40 x 30 cells that rises from the west, where the sea is.
    fn slope() -> (Topology, Field<f32>, Field<f32>) {
        let grid = Topology::Flat(Flat::new(40, 30, 1000.0).expect("a map"));
        let land = Field::from_fn(grid.shape(), |c| if c.0 % 40 < 3 { -1.0 } else { 1.0 });
        let height =
            Field::from_fn(grid.shape(), |c| if c.0 % 40 < 3 { -20.0 } else { 10.0 * (c.0 % 40) as f32 });
        (grid, land, height)
    }

    #[test]
    fn a_river_drawn_uphill_goes_on_from_its_end_and_not_back() {
        let (grid, land, mut height_m) = slope();
        let at = |row, col| grid.shape().join(0, row, col);
        let river: Vec<Cell> = (0..12).map(|k| at(8 + k, 10 + k)).collect();
        lead(&grid, &land, &mut height_m, std::slice::from_ref(&river));
        let way = way_of_water(&grid, &height_m, river[0]);
        // it may cut the last corner
        assert!(river[..11].iter().all(|c| way.contains(c)), "{way:?}");
        assert!(grid.neighbors(river[11]).any(|(_, n)| way.contains(&n)), "{way:?}");
        assert!(land[way[way.len() - 1]] <= 0.0, "it ends in the sea");
    }

    #[test]
    fn rivers_that_meet_go_on_together() {
        let (grid, land, mut height_m) = slope();
        let at = |row, col| grid.shape().join(0, row, col);
        let main: Vec<Cell> = (2..38).rev().map(|col| at(15, col)).collect();
        let tributary: Vec<Cell> = (0..9).map(|k| at(6 + k, 28 - k)).chain([at(15, 19)]).collect();
        lead(&grid, &land, &mut height_m, &[main.clone(), tributary.clone()]);
        for head in [main[0], tributary[0]] {
            let way = way_of_water(&grid, &height_m, head);
            assert!(way.contains(&at(15, 19)) && way.contains(&at(15, 3)), "{way:?}");
        }
    }
}
