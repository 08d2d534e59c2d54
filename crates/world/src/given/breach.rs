//! The cheapest cut out of each pit.
//!
//! A pit is a cell that has no lower neighbour. From it the way to any lower ground is sought that takes the least
//! digging: with z0 the pit's height, z that of a cell on the way, dx the distance to it,
//!
//! ```text
//! cost = sum over the way of (max(z - z0, 0)^2 + 1/8 m2) dx           m3
//! ```
//!
//! which is the volume of a trench with sloping sides, and a little for its length. So a high but short wall, as a gorge is
//! in wide cells, is dug through rather than a low but long rise; a flood, that takes the lowest pass, does the contrary.
//! The highest pits come first: their water finds pits further down, and the lowest
//! one of a basin digs the way out for all.
//!
//! Source: J. Lindsay & K. Dhun, "Modelling surface drainage patterns in altered landscapes using LiDAR", International
//! Journal of Geographical Information Science 29, 2015: least-cost breaching; the square is ours. Cost: a search around
//! each pit, which ends at the nearest lower ground.

use super::rivers::STEP_M;
use crate::water::wander::Wander;
use grid::{Cell, Field, Grid, Topology};
use hydro::Links;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A search that has seen so many cells is given up: that pit is left to the flood. So are all pits when the searches of
/// one pass have together seen this many for each cell of the grid.
const MOST_CELLS: usize = 1 << 19;
const MOST_EACH: usize = 256;

/// What a metre of the way costs at least, in m2.
const LENGTH_COST_M2: f64 = 0.125;

/// A place in the queue: cost in m3, as ordered bits, and the cell.
type Waiting = Reverse<(u64, Cell)>;

/// What one search after the other uses.
struct Search<'a> {
    grid: &'a Topology,
    links: &'a Links,
    wander: Option<&'a Wander>,
    /// The number of the search that has seen a cell last, its cost then, and the cell before it on the way.
    seen: Field<u32>,
    cost: Field<f64>,
    before: Field<Cell>,
    queue: BinaryHeap<Waiting>,
    /// Cells that may still be seen.
    left: usize,
}

/// Which neighbours are linked depends on the heights, so a cut can be closed again: as often as this it is looked again.
const PASSES: usize = 4;

/// Cuts the way out of each pit that is no end, on the links that the heights have; heights in metres. Of ways over level ground
/// it is the shortest, or the shortest by lengths as water wanders.
pub(crate) fn breach(
    grid: &Topology,
    height_m: &mut Field<f32>,
    is_end: &dyn Fn(Cell) -> bool,
    wander: Option<&Wander>,
) {
    for _ in 0..PASSES {
        let links = Links::planar(grid, height_m);
        let search = Search { wander, ..Search::new(grid, &links, MOST_EACH * grid.len()) };
        if pass(search, height_m, is_end) == 0 {
            return;
        }
    }
}

/// The cells of the cheapest way from a pit to lower ground or an end, both included, around barred cells; none if there is
/// none. Nothing is dug. Cost: a search around the pit.
pub(crate) fn way_around(
    grid: &Topology,
    height_m: &Field<f32>,
    pit: Cell,
    barred: &[Cell],
    is_end: &dyn Fn(Cell) -> bool,
) -> Option<Vec<Cell>> {
    let mut walled = height_m.clone();
    barred.iter().filter(|&&c| c != pit).for_each(|&c| walled[c] = f32::MAX);
    let links = Links::planar(grid, &walled);
    let mut search = Search::new(grid, &links, MOST_CELLS);
    let goal = search.lower_ground(&walled, pit, 1, is_end)?;
    Some(search.way(pit, goal)).filter(|way| way.iter().all(|&c| walled[c] < f32::MAX))
}

/// Returns how many pits there were.
fn pass(mut search: Search, height_m: &mut Field<f32>, is_end: &dyn Fn(Cell) -> bool) -> usize {
    let Search { grid, links, .. } = search;
    let lower =
        |height_m: &Field<f32>, c: Cell| links.neighbors(grid, c).any(|(_, n)| height_m[n] < height_m[c]);
    let mut pits: Vec<Cell> = grid.cells().filter(|&c| !is_end(c) && !lower(height_m, c)).collect();
    pits.sort_by(|&a, &b| height_m[b].total_cmp(&height_m[a]).then(a.cmp(&b)));
    for (&pit, number) in pits.iter().zip(1..) {
        if !lower(height_m, pit)
            && let Some(goal) = search.lower_ground(height_m, pit, number, is_end)
        {
            dig(height_m, &search.way(pit, goal), is_end);
        }
    }
    pits.len()
}

impl<'a> Search<'a> {
    /// A search that may see so many cells in all.
    fn new(grid: &'a Topology, links: &'a Links, left: usize) -> Self {
        Self {
            grid,
            links,
            wander: None,
            seen: Field::filled(grid.shape(), 0),
            cost: Field::filled(grid.shape(), 0.0),
            before: Field::filled(grid.shape(), Cell(0)),
            queue: BinaryHeap::new(),
            left,
        }
    }

    /// The lower ground, or the end, that is cheapest to reach from a pit.
    fn lower_ground(
        &mut self,
        height_m: &Field<f32>,
        pit: Cell,
        number: u32,
        is_end: &dyn Fn(Cell) -> bool,
    ) -> Option<Cell> {
        let end = self.left.saturating_sub(MOST_CELLS);
        self.queue.clear();
        self.see(pit, (number, 0.0), pit);
        while let Some(Reverse((bits, cell))) = self.queue.pop() {
            let so_far = self.cost[cell];
            if bits > so_far.to_bits() {
                continue;
            }
            if cell != pit && (height_m[cell] < height_m[pit] || is_end(cell)) {
                return Some(cell);
            }
            if self.left == end {
                return None;
            }
            self.left -= 1;
            for (_, next) in self.links.neighbors(self.grid, cell) {
                let above_m = f64::from((height_m[next] - height_m[pit]).max(0.0));
                let longer = self.wander.map_or(1.0, |wander| wander.length(cell, next));
                let way_m = longer * self.grid.cell_distance_m(cell, next);
                let cost = so_far + (above_m * above_m + LENGTH_COST_M2) * way_m;
                if self.seen[next] != number || cost < self.cost[next] {
                    self.see(next, (number, cost), cell);
                }
            }
        }
        None
    }

    fn see(&mut self, cell: Cell, (number, cost): (u32, f64), before: Cell) {
        self.seen[cell] = number;
        self.cost[cell] = cost;
        self.before[cell] = before;
        // costs are positive, so that their bits are in order
        self.queue.push(Reverse((cost.to_bits(), cell)));
    }

    /// The cells from a pit to where its search ended.
    fn way(&self, pit: Cell, goal: Cell) -> Vec<Cell> {
        let mut way = vec![goal];
        let mut at = goal;
        while at != pit {
            at = self.before[at];
            way.push(at);
        }
        way.reverse();
        way
    }
}

/// Lets the ground fall along a way.
fn dig(height_m: &mut Field<f32>, way: &[Cell], is_end: &dyn Fn(Cell) -> bool) {
    for pair in way.windows(2).filter(|pair| !is_end(pair[1])) {
        // flat coasts stay above the sea
        let most_m = (height_m[pair[0]] - STEP_M).max(STEP_M);
        height_m[pair[1]] = height_m[pair[1]].min(most_m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Flat;

    /// A basin at 100 m between a wall of 300 m, one cell thick, in the west, and a rise to 180 m, many cells wide, in the
    /// east; beyond both the ground is at 0.
    fn basin(x: u32) -> f32 {
        match x {
            0..=3 | 37.. => 0.0,
            4 => 300.0,
            5..=11 => 100.0 + x as f32,
            _ => 180.0,
        }
    }

    #[test]
    fn a_short_wall_is_dug_through_if_that_is_less_work_than_a_long_rise() {
        let grid = Topology::Flat(Flat::new(40, 5, 1000.0).expect("a map"));
        // 200 m over the wall squared is 40,000 m2 over 1 km; 75 m over the rise squared 5600 m2 over 25 km
        let dug = |wall_m: f32| {
            let mut height_m = Field::from_fn(grid.shape(), |c| {
                let (_, row, col) = grid.shape().split(c);
                let z = if col == 4 { wall_m } else { basin(col) };
                z + if row == 2 { 0.0 } else { 50.0 }
            });
            breach(&grid, &mut height_m, &|c| matches!(grid.shape().split(c).2, 0 | 39), None);
            let at = |col| height_m[grid.shape().join(0, 2, col)];
            (at(4) < at(5), at(20) < 110.0)
        };
        assert_eq!(dug(300.0), (true, false));
        assert_eq!(dug(900.0), (false, true), "800 m is too much");
    }

    #[test]
    fn on_links_that_stay_nothing_is_left_that_does_not_run_down() {
        let grid = Topology::Flat(Flat::new(60, 60, 1000.0).expect("a map"));
        // numbers without order, 100 to 356 m; the border lies at 0
        let mut height_m = Field::from_fn(grid.shape(), |c| {
            if grid.at_border(c) {
                return 0.0;
            }
            let mixed = (c.0 + 1).wrapping_mul(0x9E37_79B1);
            ((mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA77) >> 22) as f32 / 4.0 + 100.0
        });
        let links = Links::all(&grid);
        let search = || Search::new(&grid, &links, MOST_EACH * grid.len());
        let mut left = (0..20).map(|_| pass(search(), &mut height_m, &|c| grid.at_border(c)));
        assert!(left.next() > Some(300), "every ninth cell is lower than all beside it");
        assert!(left.any(|pits| pits == 0));
    }
}
