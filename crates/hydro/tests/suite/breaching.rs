//! Breaching against slow and obvious versions: ways out in a tree that is grown cell by cell, and cheapest ways by
//! repeating until nothing changes.

use crate::common::{Case, case, fractal_globe};
use grid::{Cell, Field, Flat, Grid};
use hydro::{Breached, Breaching, Links, Outlets};
use std::collections::{BTreeSet, VecDeque};

fn outlets(case: &Case) -> Outlets {
    Outlets::of(&case.grid, &case.links, &case.elevation, |c| case.outlets[c])
}

fn filled(case: &Case, surface: &Field<f32>) -> Field<f32> {
    let ends = case.ends();
    hydro::flood(&case.grid, &case.links, surface, |c| ends[c.index()]).filled
}

/// Equal, and not a number at the same cells.
fn same(a: &Field<f32>, b: &Field<f32>) -> bool {
    a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

fn neighbors(case: &Case, cell: Cell) -> Vec<Cell> {
    let around = case.links.neighbors(&case.grid, cell).map(|(_, n)| n);
    around.filter(|&n| !case.elevation[n].is_nan()).collect()
}

/// The cells that hang together with `cell` at its level.
fn flat_of(case: &Case, surface: &Field<f32>, cell: Cell) -> BTreeSet<Cell> {
    let mut flat = BTreeSet::from([cell]);
    let mut rest = vec![cell];
    while let Some(at) = rest.pop() {
        for n in neighbors(case, at) {
            if surface[n] == surface[cell] && flat.insert(n) {
                rest.push(n);
            }
        }
    }
    flat
}

/// Flats without outlet and lower neighbour, by (level, first address): the first cell of each.
fn pits(case: &Case, surface: &Field<f32>) -> Vec<Cell> {
    let ends = case.ends();
    let is_pit = |&cell: &Cell| {
        let flat = flat_of(case, surface, cell);
        let is_closed =
            |&c: &Cell| !ends[c.index()] && neighbors(case, c).iter().all(|&n| surface[n] >= surface[cell]);
        flat.first() == Some(&cell) && flat.iter().all(is_closed)
    };
    let mut pits: Vec<Cell> = case.grid.cells().filter(|&c| !surface[c].is_nan()).filter(is_pit).collect();
    pits.sort_by(|&a, &b| rank(surface, a, b));
    pits
}

fn rank(surface: &Field<f32>, a: Cell, b: Cell) -> std::cmp::Ordering {
    (surface[a] + 0.0).total_cmp(&(surface[b] + 0.0)).then(a.cmp(&b))
}

/// The next cell on the way out of each cell: a tree that takes in the cells from the lowest up.
fn ways(case: &Case) -> Vec<Option<Cell>> {
    const OUTSIDE: usize = usize::MAX;
    let (grid, z, ends) = (&case.grid, &case.elevation, case.ends());
    let mut cells: Vec<Cell> = grid.cells().filter(|&c| !z[c].is_nan()).collect();
    cells.sort_by(|&a, &b| rank(z, a, b));
    let mut group = vec![None; grid.len()];
    let mut tied = vec![Vec::new(); grid.len()];
    // Whatever an outlet drains is outside from the beginning, before other outlets come.
    for &cell in cells.iter().filter(|c| ends[c.index()]) {
        group[cell.index()] = Some(OUTSIDE);
    }
    let mut met = vec![false; grid.len()];
    for &cell in &cells {
        let mut lower: Vec<Cell> = neighbors(case, cell).into_iter().filter(|n| met[n.index()]).collect();
        lower.sort_by(|&a, &b| rank(z, a, b));
        met[cell.index()] = true;
        let mut own = if ends[cell.index()] { Some(OUTSIDE) } else { None };
        for &n in &lower {
            let other = group[n.index()];
            if own == other {
                continue;
            }
            tied[cell.index()].push(n);
            tied[n.index()].push(cell);
            let kept = if own == Some(OUTSIDE) { own } else { other };
            for g in group.iter_mut().filter(|g| g.is_some() && (**g == own || **g == other)) {
                *g = kept;
            }
            own = kept;
        }
        group[cell.index()] = own.or(Some(cell.index()));
    }
    let mut next = vec![None; grid.len()];
    let mut reached = ends.clone();
    let mut rest: VecDeque<Cell> = grid.cells().filter(|c| ends[c.index()]).collect();
    while let Some(cell) = rest.pop_front() {
        for &n in &tied[cell.index()] {
            if !std::mem::replace(&mut reached[n.index()], true) {
                next[n.index()] = Some(cell);
                rest.push_back(n);
            }
        }
    }
    next
}

#[test]
fn pits_are_cut_along_the_lowest_passes() {
    let mut dug = 0;
    for number in 0..4000 {
        let case = case(number);
        let (z, next) = (&case.elevation, ways(&case));
        let mut expected = z.clone();
        for pit in pits(&case, z) {
            let flat = flat_of(&case, z, pit);
            let mut at = pit;
            while let Some(there) = next[at.index()] {
                if z[there] <= z[pit] && !flat.contains(&there) {
                    break;
                }
                expected[there] = expected[there].min(z[pit]);
                at = there;
            }
        }
        let breached = hydro::breach_all(&case.grid, &case.links, z, &outlets(&case));
        assert!(same(&breached.surface, &expected), "case {number}");
        assert!(same(&breached.surface, &filled(&case, &expected)), "case {number}: depressions are left");
        check_sums(&case, &breached);
        assert_eq!(breached.cells_filled, 0);
        dug += breached.cells_dug;
    }
    assert!(dug > 10_000, "{dug} cells");
}

/// The numbers are those of the surface.
fn check_sums(case: &Case, breached: &Breached) {
    let (mut dug, mut filled, mut dug_m3, mut filled_m3) = (0, 0, 0.0, 0.0);
    for c in case.grid.cells() {
        let (before, after) = (case.elevation[c], breached.surface[c]);
        assert_eq!(before.is_nan(), after.is_nan());
        let volume_m3 = (f64::from(after) - f64::from(before)) * case.grid.area_m2(c);
        if after < before {
            (dug, dug_m3) = (dug + 1, dug_m3 - volume_m3);
        } else if after > before {
            (filled, filled_m3) = (filled + 1, filled_m3 + volume_m3);
        }
    }
    assert_eq!((breached.cells_dug, breached.cells_filled), (dug, filled));
    assert_eq!((breached.dug_m3, breached.filled_m3), (dug_m3, filled_m3));
    assert!(filled > 0 || breached.cuts <= dug, "each cut digs a cell of its own, which a fill may cover");
}

/// The highest point of the best way to an outlet is that of the way that was cut: the filled level of the pit.
#[test]
fn a_complete_cut_digs_nothing_above_the_spill() {
    for number in 0..800 {
        let case = case(number);
        let spill = filled(&case, &case.elevation);
        let breached = hydro::breach_all(&case.grid, &case.links, &case.elevation, &outlets(&case));
        let top = case.grid.cells().filter(|&c| breached.surface[c] < case.elevation[c]);
        for c in top {
            assert!(
                pits(&case, &case.elevation).iter().any(|&p| case.elevation[c] <= spill[p]),
                "case {number}: {c:?} is higher than every spill"
            );
        }
    }
}

/// Cost, steps and the cell before, for each cell within the limits: repeated until nothing changes.
type Label = Option<(f64, u32, Option<Cell>)>;

struct Slow<'a> {
    case: &'a Case,
    limits: Breaching,
    ends: Vec<bool>,
    drained: Vec<bool>,
}

impl Slow<'_> {
    fn is_target(&self, surface: &Field<f32>, cell: Cell, level: f32) -> bool {
        surface[cell] < level
            || self.ends[cell.index()]
            || (surface[cell] == level && self.drained[cell.index()])
    }

    fn dig_m3(&self, surface: &Field<f32>, pit: Cell, cell: Cell) -> Option<f64> {
        let grid = &self.case.grid;
        let depth_m = (f64::from(surface[cell]) - f64::from(surface[pit])).max(0.0);
        let away_m = grid.center(cell).distance(grid.center(pit)) * grid.metres_per_unit();
        let is_allowed = self.limits.deepest_m.is_none_or(|most| depth_m <= most)
            && self.limits.reach_m.is_none_or(|most| away_m <= most);
        is_allowed.then(|| depth_m * grid.area_m2(cell))
    }

    fn labels(&self, surface: &Field<f32>, pit: Cell) -> Vec<Label> {
        let mut labels: Vec<Label> = vec![None; self.case.grid.len()];
        labels[pit.index()] = Some((0.0, 0, None));
        loop {
            let before = labels.clone();
            for cell in self.case.grid.cells().filter(|&c| c != pit && !surface[c].is_nan()) {
                let Some(dig_m3) = self.dig_m3(surface, pit, cell) else { continue };
                // no way leads on from where water runs on
                let goes_on = |n: &Cell| *n == pit || !self.is_target(surface, *n, surface[pit]);
                let before = neighbors(self.case, cell).into_iter().filter(goes_on);
                let from = before.filter_map(|n| labels[n.index()].map(|(cost, steps, _)| (cost, steps, n)));
                let best = from.min_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
                labels[cell.index()] = best.map(|(cost, steps, n)| (cost + dig_m3, steps + 1, Some(n)));
            }
            if labels == before {
                return labels;
            }
        }
    }

    /// Cuts the cheapest way from a pit; its cost.
    fn cut(&mut self, surface: &mut Field<f32>, pit: Cell) -> Option<f64> {
        let labels = self.labels(surface, pit);
        let level = surface[pit];
        let ends = self.case.grid.cells().filter(|&c| c != pit && self.is_target(surface, c, level));
        let end = ends
            .filter_map(|c| labels[c.index()].map(|(cost, steps, _)| (cost, steps, c)))
            .filter(|end| self.limits.largest_m3.is_none_or(|most| end.0 <= most))
            .min_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))))?;
        let mut at = Some(end.2);
        while let Some(cell) = at {
            surface[cell] = surface[cell].min(level);
            self.drained[cell.index()] = true;
            at = labels[cell.index()].and_then(|label| label.2);
        }
        Some(end.0)
    }
}

fn any_limits(case: &mut Case) -> Breaching {
    let z = case.elevation.as_slice();
    let (low, high) = z.iter().fold((0f32, 1f32), |(low, high), &z| (low.min(z), high.max(z)));
    let relief_m = f64::from(high - low);
    let cell_m = case.grid.cell_m();
    let mut maybe = |most: f64| {
        let value = case.draw.unit() * most;
        (case.draw.below(2) == 0).then_some(value)
    };
    Breaching {
        reach_m: maybe(6.0 * cell_m),
        deepest_m: maybe(relief_m),
        largest_m3: maybe(2.0 * relief_m * cell_m * cell_m),
        most_cells: None,
    }
}

#[test]
fn cuts_are_the_cheapest_within_the_limits() {
    let (mut cuts, mut stayed, mut merged) = (0, 0, 0);
    for number in 0..2500 {
        let mut case = case(number);
        let limits = any_limits(&mut case);
        let z = &case.elevation;
        let mut slow = Slow { case: &case, limits, ends: case.ends(), drained: vec![false; case.grid.len()] };
        let mut expected = z.clone();
        let mut first = None;
        for pit in pits(&case, z) {
            if expected[pit] < z[pit] || slow.drained[pit.index()] {
                merged += 1;
                continue;
            }
            let cost = slow.cut(&mut expected, pit);
            first = first.or(Some((pit, cost)));
        }
        let breached = hydro::breach(&case.grid, &case.links, z, &outlets(&case), &limits);
        assert!(same(&breached.surface, &expected), "case {number}, {limits:?}");
        assert_eq!(breached.left, pits(&case, &expected), "case {number}, {limits:?}");
        check_sums(&case, &breached);
        if let Some(most_m) = limits.deepest_m {
            let depth = |c: Cell| f64::from(z[c]) - f64::from(breached.surface[c]);
            assert!(case.grid.cells().all(|c| z[c].is_nan() || depth(c) <= most_m));
        }
        if let (Some((_, Some(cost_m3))), 1) = (first, pits(&case, z).len()) {
            assert!((breached.dug_m3 - cost_m3).abs() <= 1e-9 * cost_m3, "what it costs is what is dug");
        }
        cuts += breached.cuts;
        stayed += breached.left.len();
    }
    assert!(cuts > 2000 && stayed > 800 && merged > 40, "{cuts} cuts, {stayed} stayed, {merged} merged");
}

#[test]
fn a_search_gives_up_after_so_many_cells() {
    let mut fewer = 0;
    for number in 0..800 {
        let case = case(number);
        let outlets = outlets(&case);
        let breach = |most_cells| {
            let limits = Breaching { most_cells, ..Breaching::default() };
            hydro::breach(&case.grid, &case.links, &case.elevation, &outlets, &limits)
        };
        assert!(same(&breach(Some(0)).surface, &case.elevation));
        assert_eq!(breach(Some(0)).left, pits(&case, &case.elevation));
        assert_eq!(breach(Some(case.grid.len())).cuts, breach(None).cuts);
        fewer += usize::from(breach(Some(2)).left.len() > breach(None).left.len());
    }
    assert!(fewer > 40, "{fewer}");
}

#[test]
fn a_hybrid_leaves_no_depression() {
    let mut both = 0;
    for number in 0..2500 {
        let mut case = case(number);
        let limits = any_limits(&mut case);
        let outlets = outlets(&case);
        let hybrid =
            |limits: &Breaching| hydro::hybrid(&case.grid, &case.links, &case.elevation, &outlets, limits);
        let some = hybrid(&limits);
        assert!(same(&some.surface, &filled(&case, &some.surface)), "case {number}");
        check_sums(&case, &some);
        both += usize::from(some.cells_dug > 0 && some.cells_filled > 0);
        let breached = hydro::breach(&case.grid, &case.links, &case.elevation, &outlets, &limits);
        assert!(same(&some.surface, &filled(&case, &breached.surface)));
        assert_eq!(some.left, breached.left);
        let nothing = hybrid(&Breaching { deepest_m: Some(0.0), ..Breaching::default() });
        assert!(same(&nothing.surface, &filled(&case, &case.elevation)), "case {number}");
        let all = hybrid(&Breaching::default());
        assert_eq!((all.cells_filled, all.left.len()), (0, 0), "case {number}");
    }
    assert!(both > 200, "{both}");
}

#[test]
fn the_least_change_moves_no_more_than_a_fill() {
    let (mut both, mut fewer) = (0, 0);
    for number in 0..4000 {
        let mut case = case(number);
        let outlets = outlets(&case);
        let limits = if number % 2 == 0 { Breaching::default() } else { any_limits(&mut case) };
        let least = hydro::least_change(&case.grid, &case.links, &case.elevation, &outlets, &limits);
        assert!(same(&least.surface, &filled(&case, &least.surface)), "case {number}");
        check_sums(&case, &least);
        let nothing = Breaching { deepest_m: Some(0.0), ..Breaching::default() };
        let fill = hydro::least_change(&case.grid, &case.links, &case.elevation, &outlets, &nothing);
        assert!(same(&fill.surface, &filled(&case, &case.elevation)), "case {number}");
        let moved_m3 = least.dug_m3 + least.filled_m3;
        assert!(
            moved_m3 <= fill.filled_m3 * (1.0 + 1e-6),
            "case {number}: {moved_m3} m3 for {}",
            fill.filled_m3
        );
        fewer += usize::from(moved_m3 < 0.99 * fill.filled_m3);
        both += usize::from(least.cells_dug > 0 && least.cells_filled > 0);
    }
    assert!(both > 300 && fewer > 1000, "{both} {fewer}");
}

/// A closed valley behind a wall of one cell that is 3 m high where it is lowest, and 9 m deep inside.
#[test]
fn a_dam_by_hand() {
    let map = Flat::new(7, 3, 10.0).expect("in range");
    #[rustfmt::skip]
    let z = Field::from_vec(map.shape(), vec![
        9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 0.0,
        9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.0,
        9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 0.0,
    ]).expect("one each");
    let links = Links::all(&map);
    let outlets = Outlets::of(&map, &links, &z, |c| c.0 % 7 == 6);
    let all = hydro::breach_all(&map, &links, &z, &outlets);
    assert_eq!(all.surface.as_slice()[7..14], [9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!((all.cuts, all.cells_dug, all.dug_m3), (1, 4, 100.0 * (1.0 + 2.0 + 3.0 + 4.0)));
    let breach = |limits| hydro::breach(&map, &links, &z, &outlets, &limits);
    let none = Breaching::default();
    assert_eq!(breach(none), all);
    // 5 cells of 10 m from pit to outlet; 4 m deep; 1000 m3; 5 cells before the outlet, and 9 of the wall are cheaper
    for limits in [
        Breaching { reach_m: Some(50.0), ..none },
        Breaching { deepest_m: Some(4.0), ..none },
        Breaching { largest_m3: Some(1000.0), ..none },
        Breaching { most_cells: Some(14), ..none },
    ] {
        assert_eq!(breach(limits), all, "{limits:?}");
    }
    for limits in [
        Breaching { reach_m: Some(49.9), ..none },
        Breaching { deepest_m: Some(3.9), ..none },
        Breaching { largest_m3: Some(999.0), ..none },
        Breaching { most_cells: Some(13), ..none },
    ] {
        let stays = breach(limits);
        assert_eq!((stays.cuts, stays.left, stays.surface == z), (0, vec![Cell(8)], true), "{limits:?}");
    }
    // to fill takes 4 + 3 + 2 + 1 times 100 m3 too: the cut goes first
    let least = hydro::least_change(&map, &links, &z, &outlets, &none);
    assert_eq!(least, all);
}

/// What breaching did to a globe, whatever the number of threads.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (globe, z) = fractal_globe(48, 7);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        pool.install(|| {
            let links = Links::planar(&globe, &z);
            let outlets = Outlets::of(&globe, &links, &z, |c| z[c] < 0.0);
            let limits = Breaching { reach_m: Some(1e6), deepest_m: Some(500.0), ..Breaching::default() };
            let all = hydro::breach_all(&globe, &links, &z, &outlets);
            (all, hydro::breach(&globe, &links, &z, &outlets, &limits))
        })
    };
    let one = with(1);
    assert!(one.0.cuts > 50 && one.1.cuts > 50);
    for threads in [2, 8] {
        assert!(with(threads) == one, "{threads} threads");
    }
}
