//! Ways over flats against their definition, written out.

use crate::common::{any_elevation, case};
use crate::raster::Raster;
use grid::{Cell, Direction, Draw, Field, Flat, Grid, Nth, Purpose, Seed};
use hydro::{FlatDistances, Flow, Links, NONE, Outlets};

/// A filled surface, its outlets, the steepest descent and the flat cells.
struct Land<'a, G> {
    grid: &'a G,
    links: &'a Links,
    filled: Field<f32>,
    outlets: Outlets,
    steepest: Field<u8>,
    is_flat: Field<bool>,
}

impl<'a, G: Grid> Land<'a, G> {
    fn new(grid: &'a G, links: &'a Links, filled: Field<f32>, outlets: Outlets) -> Self {
        let steepest = hydro::d8(grid, links, &filled);
        let is_flat =
            Field::from_fn(grid.shape(), |c| !filled[c].is_nan() && !outlets.has(c) && steepest[c] == NONE);
        Self { grid, links, filled, outlets, steepest, is_flat }
    }

    fn around(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> {
        self.links.neighbors(self.grid, cell)
    }

    fn same(&self, cell: Cell, is_flat: bool) -> impl Iterator<Item = (Direction, Cell)> {
        self.around(cell)
            .filter(move |&(_, n)| self.filled[n] == self.filled[cell] && self.is_flat[n] == is_flat)
    }

    /// Steps from the cells for which `begins` holds, by repeating until nothing changes; 0 for none.
    fn steps(&self, begins: impl Fn(Cell) -> bool) -> Field<u32> {
        let mut steps = Field::filled(self.grid.shape(), 0);
        loop {
            let mut changed = false;
            for c in self.grid.cells().filter(|&c| self.is_flat[c]) {
                let by = self.same(c, true).map(|(_, n)| steps[n]).filter(|&s| s > 0).min();
                let new = if begins(c) { 1 } else { by.map_or(0, |s| s + 1) };
                changed |= steps[c] != new;
                steps[c] = new;
            }
            if !changed {
                return steps;
            }
        }
    }

    fn distances(&self) -> FlatDistances {
        let higher = |c| self.around(c).any(|(_, n)| self.filled[n] > self.filled[c]);
        FlatDistances {
            toward: self.steps(|c| self.same(c, false).next().is_some()),
            away: self.steps(higher),
        }
    }

    fn receiver(&self, distances: &FlatDistances, cell: Cell) -> u8 {
        if !self.is_flat[cell] {
            return self.steepest[cell];
        }
        let rank = |d: Direction| (!d.is_side(), d as u8);
        if let Some(first) = self.same(cell, false).map(|(d, _)| d).min_by_key(|&d| rank(d)) {
            return first as u8;
        }
        let mask = |c: Cell| 2 * i64::from(distances.toward[c]) - i64::from(distances.away[c]);
        let drained = self.same(cell, true).filter(|_| distances.toward[cell] > 0);
        drained.min_by_key(|&(d, n)| (mask(n), rank(d))).map_or(NONE, |(d, _)| d as u8)
    }

    fn check(&self, what: &str) -> usize {
        let expected = self.distances();
        let found = hydro::flat_distances(self.grid, self.links, &self.filled, &self.is_flat, &[]);
        assert_eq!(found, expected, "{what}");
        let receivers = hydro::directions(self.grid, self.links, &self.filled, &self.outlets);
        for c in self.grid.cells() {
            assert_eq!(receivers[c], self.receiver(&expected, c), "{what}, {c:?}");
            if self.is_flat[c] {
                let one = expected.receiver(self.grid, self.links, &self.filled, &self.is_flat, c);
                assert_eq!(receivers[c], one, "{what}, {c:?}");
            }
        }
        let flow = Flow::from_receivers(self.grid, receivers).expect("no circles");
        for c in self.grid.cells().filter(|&c| flow.receiver[c] == NONE) {
            let is_end = self.filled[c].is_nan() || self.outlets.has(c);
            assert!(is_end || expected.toward[c] == 0, "{what}: water ends at {c:?}");
        }
        self.is_flat.as_slice().iter().filter(|&&f| f).count()
    }
}

fn in_pools(run: impl Fn() + Sync + Send) {
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        pool.install(&run);
    }
}

#[test]
fn flats_are_drained_by_the_definition() {
    in_pools(|| {
        let mut flat = 0;
        for number in 0..2500 {
            let case = case(number);
            let outlets = Outlets::of(&case.grid, &case.links, &case.elevation, |c| case.outlets[c]);
            let land = Land::new(&case.grid, &case.links, case.flood().filled, outlets);
            flat += land.check(&format!("case {number}"));
            let toward = land.distances().toward;
            let mut flats = case.grid.cells().filter(|&c| land.is_flat[c]);
            assert!(flats.all(|c| toward[c] > 0), "case {number}: filled surfaces drain");
        }
        assert!(flat > 10_000, "{flat} flat cells");
    });
}

#[test]
fn flats_are_drained_on_rings_and_long_rows() {
    const RING: Purpose = Purpose::new("hydro/tests/flats/ring");
    in_pools(|| {
        for number in 0..600 {
            let mut draw = Seed(21).key(RING).at(Nth(number));
            let (cols, rows) = (1 + draw.below(40), 1 + draw.below(8));
            let grid = Raster::any(cols, rows, &mut draw);
            let z = heights(&grid, &mut draw);
            let links = if draw.below(2) == 0 { Links::all(&grid) } else { Links::planar(&grid, &z) };
            let few = draw.below(3) == 0;
            let is_outlet = |c: Cell| if few { c.0.is_multiple_of(17) } else { grid.at_border(c) };
            let filled = hydro::flood(&grid, &links, &z, is_outlet).filled;
            let outlets = Outlets::of(&grid, &links, &z, is_outlet);
            Land::new(&grid, &links, filled, outlets).check(&format!("case {number}"));
        }
    });
}

fn heights(grid: &impl Grid, draw: &mut Draw) -> Field<f32> {
    let (steps, gaps) = (1 + draw.below(4), if draw.below(4) == 0 { 0.1 } else { 0.0 });
    let height = |_| if draw.unit() < gaps { f32::NAN } else { draw.below(steps) as f32 };
    Field::from_vec(grid.shape(), grid.cells().map(height).collect()).expect("one for each cell")
}

#[test]
fn a_surface_that_is_not_filled_keeps_its_pits() {
    const PITS: Purpose = Purpose::new("hydro/tests/flats/pits");
    let mut kept = 0;
    for number in 0..1500 {
        let mut draw = Seed(22).key(PITS).at(Nth(number));
        let grid = crate::common::any_grid(&mut draw);
        let z = any_elevation(&grid, &mut draw);
        let links = Links::all(&grid);
        let outlets = Outlets::at_border(&grid, &links, &z);
        let land = Land::new(&grid, &links, z, outlets);
        land.check(&format!("case {number}"));
        let toward = land.distances().toward;
        kept += grid.cells().filter(|&c| land.is_flat[c] && toward[c] == 0).count();
    }
    assert!(kept > 1000, "{kept} cells without a way out");
}

/// In the middle of a level between two walls water keeps away from both.
#[test]
fn water_keeps_away_from_higher_ground() {
    let map = Flat::new(9, 7, 1.0).expect("in range");
    let wall = |c: Cell| c.0 < 9 || c.0 >= 54;
    let mut z = Field::from_fn(map.shape(), |c| if wall(c) { 5.0 } else { 1.0 });
    for row in 1..6 {
        z[Cell(row * 9 + 8)] = 0.0;
    }
    let links = Links::all(&map);
    let outlets = Outlets::of(&map, &links, &z, |c| z[c] == 0.0);
    let receiver = hydro::directions(&map, &links, &z, &outlets);
    let at = |row: u32, col: u32| Direction::from_index(receiver[Cell(row * 9 + col)]);
    assert_eq!([at(1, 3), at(2, 3), at(3, 3), at(4, 3), at(5, 3)].map(|d| d as u8), [3, 3, 2, 1, 1]);
}

/// Whether strips that know only their rims' distances come to the distances of the whole map.
#[test]
fn strips_agree_with_the_whole() {
    const STRIPS: Purpose = Purpose::new("hydro/tests/flats/strips");
    let mut crossing = 0;
    for number in 0..400 {
        let mut draw = Seed(23).key(STRIPS).at(Nth(number));
        let (cols, rows) = (1 + draw.below(14), 4 + draw.below(20));
        let map = Flat::new(cols, rows, 1.0).expect("in range");
        let (z, links) = (heights(&map, &mut draw), Links::all(&map));
        let filled = hydro::flood(&map, &links, &z, hydro::border_outlets(&map)).filled;
        let outlets = Outlets::at_border(&map, &links, &z);
        let land = Land::new(&map, &links, filled, outlets);
        let (strips, rounds) = by_strips(&land, 1 + draw.below(rows), cols as usize);
        assert_eq!(strips, land.distances(), "case {number}");
        crossing += usize::from(rounds > 2);
    }
    assert!(crossing > 50, "{crossing} maps had flats that cross strips");
}

fn by_strips(land: &Land<'_, Flat>, height: u32, cols: usize) -> (FlatDistances, usize) {
    let shape = land.grid.shape();
    let none = || Field::filled(shape, 0);
    let (mut found, mut rounds) = (FlatDistances { toward: none(), away: none() }, 0);
    loop {
        let before = found.clone();
        for top in (0..shape.rows).step_by(height as usize) {
            let inner = top as usize * cols..((top + height).min(shape.rows)) as usize * cols;
            let first = inner.start.saturating_sub(cols);
            let cells = first..(inner.end + cols).min(shape.len());
            let strip = Flat::new(shape.cols, (cells.len() / cols) as u32, 1.0).expect("in range");
            let part = |i: usize| Cell::from_index(i - first);
            let cut = Field::from_vec(strip.shape(), land.filled.as_slice()[cells.clone()].to_vec());
            let is_flat = Field::from_vec(strip.shape(), land.is_flat.as_slice()[cells.clone()].to_vec());
            let (cut, is_flat) = (cut.expect("a strip"), is_flat.expect("a strip"));
            let halo = cells.clone().filter(|i| !inner.contains(i) && land.is_flat[Cell::from_index(*i)]);
            let steps = |i: usize| (found.toward[Cell::from_index(i)], found.away[Cell::from_index(i)]);
            let given: Vec<_> = halo.map(|i| (part(i), steps(i).0, steps(i).1)).collect();
            let new = hydro::flat_distances(&strip, &Links::all(&strip), &cut, &is_flat, &given);
            for i in inner.clone() {
                found.toward[Cell::from_index(i)] = new.toward[part(i)];
                found.away[Cell::from_index(i)] = new.away[part(i)];
            }
        }
        rounds += 1;
        if found == before {
            return (found, rounds);
        }
    }
}
