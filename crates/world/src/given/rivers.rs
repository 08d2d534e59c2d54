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
/// As often as this a river that ends in a hollow is led on.
const LEADS: usize = 4;

/// A river as it is laid.
#[derive(Clone, PartialEq)]
struct Way {
    /// Cells that were asked for, from the head down.
    given: Vec<Cell>,
    /// Those by which the river is led on.
    onward: Vec<Cell>,
}

impl Way {
    fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.given.iter().chain(&self.onward).copied()
    }
}

/// Lays rivers into heights in metres: each cell from the head down below the one before and below all beside it.
pub(crate) fn keep(grid: &Topology, land: &Field<f32>, height_m: &mut Field<f32>, rivers: &[Vec<Cell>]) {
    keep_ways(grid, land, height_m, &ways_of(rivers));
}

fn ways_of(rivers: &[Vec<Cell>]) -> Vec<Way> {
    rivers.iter().map(|given| Way { given: given.clone(), onward: Vec::new() }).collect()
}

fn keep_ways(grid: &Topology, land: &Field<f32>, height_m: &mut Field<f32>, ways: &[Way]) {
    ways.iter().for_each(|way| lay(grid, land, height_m, &way.given));
    for _ in 0..ROUNDS {
        let changed = ways.iter().filter(|way| fall(land, height_m, way.cells())).count();
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
    let mut ways = keep_linked(grid, land, height_m, ways_of(rivers));
    for _ in 0..LEADS {
        let longer: Vec<Way> = ways.iter().map(|way| led_on(grid, height_m, &ends, way)).collect();
        if longer == ways {
            return;
        }
        ways = keep_linked(grid, land, height_m, longer);
    }
}

/// A river led on to lower ground where it ends in a hollow that was none before.
fn led_on(grid: &Topology, height_m: &Field<f32>, ends: &Field<bool>, way: &Way) -> Way {
    let mut longer = way.clone();
    let own: Vec<Cell> = way.cells().collect();
    let Some(&end) = own.last() else { return longer };
    let is_hollow = grid.neighbors(end).all(|(_, n)| height_m[n] >= height_m[end]);
    if !ends[end] && is_hollow {
        let onward = way_around(grid, height_m, end, &own, &|c| c != end && ends[c]);
        longer.onward.extend(onward.iter().flatten().skip(1));
    }
    longer
}

/// Lays rivers, around corners that no link takes; returns their ways.
fn keep_linked(
    grid: &Topology,
    land: &Field<f32>,
    height_m: &mut Field<f32>,
    mut ways: Vec<Way>,
) -> Vec<Way> {
    for _ in 0..PASSES {
        keep_ways(grid, land, height_m, &ways);
        let links = Links::planar(grid, height_m);
        let linked: Vec<Way> = ways.iter().map(|way| along_links(grid, &links, height_m, way)).collect();
        if linked == ways {
            break;
        }
        ways = linked;
    }
    ways
}

/// A river with each step over a corner that no link takes led around it, over the lower of the two sides.
fn along_links(grid: &Topology, links: &Links, height_m: &Field<f32>, way: &Way) -> Way {
    let around = |from: Cell, to: Cell| {
        let is_linked = links.neighbors(grid, from).any(|(_, n)| n == to);
        let sides = move |c: Cell| grid.neighbors(c).filter(|(d, _)| d.is_side()).map(|(_, n)| n);
        let between = sides(from).filter(move |&n| !is_linked && sides(to).any(|other| other == n));
        between.min_by(|&a, &b| height_m[a].total_cmp(&height_m[b]).then(a.cmp(&b)))
    };
    let mut last = None;
    let mut along = |cells: &[Cell]| {
        let mut out = Vec::with_capacity(cells.len());
        for &cell in cells {
            out.extend(last.and_then(|from| around(from, cell)));
            out.push(cell);
            last = Some(cell);
        }
        out
    };
    Way { given: along(&way.given), onward: along(&way.onward) }
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
fn fall(land: &Field<f32>, height_m: &mut Field<f32>, river: impl Iterator<Item = Cell>) -> bool {
    let (mut above, mut changed) = (f32::INFINITY, false);
    for cell in river.filter(|&c| land[c] > 0.0) {
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
