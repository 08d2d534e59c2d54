//! One sweep upwards over the flooded cells: pits begin, depressions meet.

use super::{Depression, Depressions, NOWHERE, nowhere_down};
use crate::Flood;
use crate::flow::NONE;
use crate::links::Links;
use crate::stencil::Stencil;
use grid::{Cell, Field, Grid};
use std::collections::VecDeque;
use std::f64::consts::FRAC_1_SQRT_2;
use std::ops::Range;

/// The sweep on its way. Cells are known by their place in `wet`.
struct Sweep<'a, G> {
    grid: &'a G,
    links: &'a Links,
    stencil: Stencil,
    elevation: &'a Field<f32>,
    /// All flooded cells: pool by pool, each from the lowest up.
    wet: Vec<Cell>,
    /// Place of a cell in `wet`, or [`NOWHERE`].
    place: Field<u32>,
    /// Union-find over places; [`NOWHERE`] before the sweep has come there.
    joined: Vec<u32>,
    /// At a place that leads its set: the depression that the set is now.
    node: Vec<u32>,
    leaf: Vec<u32>,
    down: Field<u8>,
    all: Vec<Depression>,
    /// Own cells of each depression.
    own: Vec<Vec<Cell>>,
    /// Whether a place was put into `level` once.
    queued: Vec<bool>,
    /// Places of the present level that wait for their turn, with their way down.
    level: VecDeque<(u32, u8)>,
}

/// A depression of flooded cells: where it lies in `wet`, the first cell that the flood came to, and the one from
/// where it came.
struct Pool {
    end: usize,
    gate: Cell,
    spill: Cell,
}

pub(super) fn run<G: Grid>(grid: &G, links: &Links, elevation: &Field<f32>, flood: &Flood) -> Depressions {
    let (mut wet, pools) = pools(grid, elevation, flood);
    let height = |cell: Cell| elevation[cell] + 0.0; // -0 and 0 are one level
    let mut start = 0;
    for pool in &pools {
        wet[start..pool.end].sort_unstable_by(|&a, &b| height(a).total_cmp(&height(b)).then(a.cmp(&b)));
        start = pool.end;
    }
    let count = wet.len();
    let mut place = Field::filled(grid.shape(), NOWHERE);
    for (i, &cell) in (0u32..).zip(&wet) {
        place[cell] = i;
    }
    let unseen = || vec![NOWHERE; count];
    let mut sweep = Sweep {
        grid,
        links,
        stencil: Stencil::new(grid.shape()),
        elevation,
        joined: unseen(),
        node: unseen(),
        leaf: unseen(),
        wet,
        place,
        down: nowhere_down(grid),
        all: Vec::new(),
        own: Vec::new(),
        queued: vec![false; count],
        level: VecDeque::new(),
    };
    let mut roots = Vec::with_capacity(pools.len());
    let mut start = 0;
    for pool in pools {
        roots.push(sweep.pool(start..pool.end, &flood.filled, (pool.gate, pool.spill)));
        start = pool.end;
    }
    sweep.finish(roots)
}

/// The flooded cells, each pool in one piece, as the flood took them.
fn pools(grid: &impl Grid, elevation: &Field<f32>, flood: &Flood) -> (Vec<Cell>, Vec<Pool>) {
    let is_wet = |cell: Cell| flood.filled[cell] > elevation[cell];
    let mut wet = Vec::new();
    let mut pools: Vec<Pool> = Vec::new();
    for &cell in flood.order().iter().filter(|&&c| is_wet(c)) {
        let spill = flood.parent_of(grid, cell).expect("what is flooded was flooded from somewhere");
        if !is_wet(spill) {
            pools.push(Pool { end: wet.len(), gate: cell, spill });
        }
        wet.push(cell);
        pools.last_mut().expect("the first flooded cell began one").end = wet.len();
    }
    (wet, pools)
}

impl<G: Grid> Sweep<'_, G> {
    /// Sweeps over one pool and returns the depression that all of it is.
    fn pool(&mut self, range: Range<usize>, filled: &Field<f32>, way_out: (Cell, Cell)) -> u32 {
        let mut from = range.start;
        while from < range.end {
            let z = self.elevation[self.wet[from]];
            let same = self.wet[from..range.end].iter().take_while(|&&c| self.elevation[c] == z).count();
            self.level(from..from + same);
            from += same;
        }
        let leader = self.leader(range.start as u32);
        let root = self.node[leader as usize];
        let depression = &mut self.all[root as usize];
        depression.gate = Some(way_out.0);
        depression.spill = way_out.1;
        depression.spill_m = filled[way_out.0];
        root
    }

    /// Takes in all cells of one level: first those with a lower neighbour, then what lies level with them, on the
    /// shortest ways; what is left are pits, one for each flat.
    fn level(&mut self, range: Range<usize>) {
        for i in range.clone() {
            if let Some(direction) = self.steepest(self.wet[i]) {
                self.queue(i as u32, direction);
            }
        }
        self.spread();
        for i in range {
            if !self.queued[i] {
                self.queue(i as u32, NONE);
                self.spread();
            }
        }
    }

    fn queue(&mut self, place: u32, direction: u8) {
        self.queued[place as usize] = true;
        self.level.push_back((place, direction));
    }

    fn spread(&mut self) {
        while let Some((place, direction)) = self.level.pop_front() {
            self.take(place, direction);
            let cell = self.wet[place as usize];
            let z = self.elevation[cell];
            self.stencil.visit(self.grid, self.links.byte(cell), cell, |_, back, n| {
                let there = self.place[n];
                if there != NOWHERE && self.elevation[n] == z && !self.queued[there as usize] {
                    self.queued[there as usize] = true;
                    self.level.push_back((there, back));
                }
            });
        }
    }

    /// The direction of the steepest way to a lower neighbour, of equal ones the first clockwise from north.
    fn steepest(&self, cell: Cell) -> Option<u8> {
        let (mut best, mut best_drop) = (None, 0.0);
        let z = f64::from(self.elevation[cell]);
        self.stencil.visit(self.grid, self.links.byte(cell), cell, |d, _, n| {
            let drop = z - f64::from(self.elevation[n]);
            let slope = if d % 2 == 0 { drop } else { drop * FRAC_1_SQRT_2 };
            if slope > best_drop {
                (best, best_drop) = (Some(d), slope);
            }
        });
        best
    }

    /// Adds a cell to the depression it drains into; all others that it touches meet it there.
    fn take(&mut self, place: u32, direction: u8) {
        let cell = self.wet[place as usize];
        self.down[cell] = direction;
        if direction == NONE {
            self.begin(place);
            return;
        }
        let mut touched = [(0.0f32, 0u32); 8];
        let mut count = 0;
        let mut receiver = cell;
        self.stencil.visit(self.grid, self.links.byte(cell), cell, |d, _, n| {
            let there = self.place[n];
            if there != NOWHERE && self.joined[there as usize] != NOWHERE {
                touched[count] = (self.elevation[n] + 0.0, there);
                count += 1;
            }
            if d == direction {
                receiver = n;
            }
        });
        let below = self.place[receiver];
        self.leaf[place as usize] = self.leaf[below as usize];
        self.joined[place as usize] = self.leader(below);
        touched[..count].sort_by(|a, b| a.0.total_cmp(&b.0)); // stable: of equal ones the first clockwise
        for &(_, there) in &touched[..count] {
            let (here, other) = (self.leader(place), self.leader(there));
            if here != other {
                self.meet([here, other], cell, [self.wet[there as usize], receiver]);
            }
        }
        let leader = self.leader(place);
        let node = self.node[leader as usize];
        self.own[node as usize].push(cell);
    }

    /// A pit: a depression begins.
    fn begin(&mut self, place: u32) {
        let (cell, number) = (self.wet[place as usize], self.all.len() as u32);
        self.joined[place as usize] = place;
        self.node[place as usize] = number;
        self.leaf[place as usize] = number;
        self.all.push(depression(cell, self.elevation[cell] + 0.0, None));
        self.own.push(vec![cell]);
    }

    /// Two sets meet at a cell: each overflows there into the other, at the cells named.
    fn meet(&mut self, sets: [u32; 2], spill: Cell, into: [Cell; 2]) {
        let number = self.all.len() as u32;
        let children = sets.map(|set| self.node[set as usize]);
        let level_m = self.elevation[spill] + 0.0;
        let mut own = Vec::new();
        for (&child, into) in children.iter().zip(into) {
            let depression = &mut self.all[child as usize];
            depression.spill = spill;
            depression.spill_m = level_m;
            depression.into = Some(into);
            depression.parent = Some(number);
            // what lies just at the level of the spill has no depth in the child
            let of_child = &mut self.own[child as usize];
            let deep =
                of_child.iter().rposition(|&c| self.elevation[c] != level_m).map_or(0, |last| last + 1);
            own.extend(of_child.drain(deep..));
        }
        let [a, b] = children.map(|child| &self.all[child as usize]);
        let lower = if (a.pit_m, a.pit) <= (b.pit_m, b.pit) { a } else { b };
        self.all.push(depression(lower.pit, lower.pit_m, Some(children)));
        self.own.push(own);
        self.joined[sets[1] as usize] = sets[0];
        self.node[sets[0] as usize] = number;
    }

    /// The place that leads a set.
    fn leader(&mut self, place: u32) -> u32 {
        let mut at = place;
        while self.joined[at as usize] != at {
            let above = self.joined[self.joined[at as usize] as usize];
            self.joined[at as usize] = above;
            at = above;
        }
        at
    }

    /// Lays the cells of each depression in one piece, and measures the depressions.
    fn finish(mut self, roots: Vec<u32>) -> Depressions {
        self.measure();
        self.lay_out(&roots);
        let mut cells = vec![Cell(0); self.wet.len()];
        for (depression, own) in self.all.iter().zip(&self.own) {
            cells[depression.own..depression.range.end].copy_from_slice(own);
        }
        let heights_m = cells.iter().map(|&c| self.elevation[c] + 0.0).collect();
        let mut leaf = self.place;
        for (place, &cell) in self.wet.iter().enumerate() {
            leaf[cell] = self.leaf[place];
        }
        Depressions { all: self.all, roots, cells, heights_m, leaf, down: self.down }
    }

    /// Areas and volumes at the spill, from the pits up.
    fn measure(&mut self) {
        for number in 0..self.all.len() {
            let level_m = f64::from(self.all[number].spill_m);
            let (mut area_m2, mut volume_m3) = (0.0, 0.0);
            let mut add = |area: f64, volume: f64, from_m: f64| {
                area_m2 += area;
                volume_m3 += volume + area * (level_m - from_m);
            };
            for child in self.all[number].children.into_iter().flatten() {
                let child = &self.all[child as usize];
                add(child.area_m2, child.volume_m3, child.spill_m.into());
            }
            for &cell in &self.own[number] {
                add(self.grid.area_m2(cell), 0.0, self.elevation[cell].into());
            }
            self.all[number].area_m2 = area_m2;
            self.all[number].volume_m3 = volume_m3;
        }
    }

    /// Finds the ranges of all depressions in the list of cells, from the roots down.
    fn lay_out(&mut self, roots: &[u32]) {
        let mut count: Vec<usize> = self.own.iter().map(Vec::len).collect();
        for number in 0..self.all.len() {
            if let Some(parent) = self.all[number].parent {
                count[parent as usize] += count[number];
            }
        }
        let mut start = 0;
        for &root in roots {
            self.all[root as usize].range = start..start + count[root as usize];
            start += count[root as usize];
        }
        for number in (0..self.all.len()).rev() {
            let Range { mut start, end } = self.all[number].range.clone();
            for child in self.all[number].children.into_iter().flatten() {
                self.all[child as usize].range = start..start + count[child as usize];
                start += count[child as usize];
            }
            self.all[number].own = start;
            debug_assert_eq!(end - start, self.own[number].len(), "children and own cells are all");
        }
    }
}

/// A depression of which only the pit is known yet.
fn depression(pit: Cell, pit_m: f32, children: Option<[u32; 2]>) -> Depression {
    Depression {
        pit,
        pit_m,
        spill: pit,
        spill_m: pit_m,
        into: None,
        gate: None,
        parent: None,
        children,
        area_m2: 0.0,
        volume_m3: 0.0,
        range: 0..0,
        own: 0,
    }
}
