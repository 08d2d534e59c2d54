//! The tree of depressions, their balance and the way to their lakes, against level-by-level flooding and lakes that
//! grow cell by cell.

use crate::common::{Case, case};
use grid::{Cell, Field, Flat, Grid};
use hydro::{Budget, Depressions, Fill, Flood, Flow, Links, NONE, Standing};
use std::collections::{BTreeMap, BTreeSet};

fn tree(case: &Case) -> (Flood, Depressions) {
    let flood = case.flood();
    let depressions = Depressions::of(&case.grid, &case.links, &case.elevation, &flood);
    (flood, depressions)
}

/// The cells that hang together with `start` over links between cells that are `wet`.
fn body(case: &Case, start: Cell, wet: impl Fn(Cell) -> bool) -> BTreeSet<Cell> {
    let mut found = BTreeSet::from([start]);
    let mut rest = vec![start];
    while let Some(cell) = rest.pop() {
        for (_, n) in case.links.neighbors(&case.grid, cell).filter(|&(_, n)| wet(n)) {
            if found.insert(n) {
                rest.push(n);
            }
        }
    }
    found
}

/// All bodies of water there are while the level in every pool rises to its spill: for each the level of the lowest cell
/// that is not in it and touches it.
fn bodies(case: &Case, flood: &Flood) -> BTreeMap<BTreeSet<Cell>, f32> {
    let z = &case.elevation;
    let wet: Vec<Cell> = case.grid.cells().filter(|&c| flood.filled[c] > z[c]).collect();
    let mut all = BTreeMap::new();
    for &level_cell in &wet {
        for &start in wet.iter().filter(|&&c| z[c] <= z[level_cell]) {
            let cells = body(case, start, |n| z[n] <= z[level_cell] && flood.filled[n] > z[n]);
            let around = cells.iter().flat_map(|&c| case.links.neighbors(&case.grid, c)).map(|(_, n)| n);
            let spill_m = around.filter(|n| !cells.contains(n)).map(|n| z[n]).fold(f32::INFINITY, f32::min);
            all.insert(cells, spill_m);
        }
    }
    all
}

#[test]
fn the_tree_is_that_of_rising_water() {
    let mut inner = 0;
    for number in 0..500 {
        let case = case(number);
        let (flood, depressions) = tree(&case);
        let z = &case.elevation;
        let rising = bodies(&case, &flood);
        let set = |k: u32| depressions.cells(k).iter().copied().collect::<BTreeSet<Cell>>();
        for k in 0..depressions.len() as u32 {
            let (of, cells, what) = (depressions.get(k), set(k), format!("case {number}, depression {k}"));
            assert_eq!(cells.len(), depressions.cells(k).len(), "{what}: a cell twice");
            assert!(cells.iter().all(|&c| z[c] < of.spill_m), "{what}: a cell as high as the spill");
            assert!(depressions.own_heights_m(k).is_sorted());
            let lowest = cells.iter().map(|&c| z[c]).fold(f32::INFINITY, f32::min);
            assert_eq!((z[of.pit], of.pit_m, z[of.spill]), (lowest, lowest, of.spill_m), "{what}");
            match of.parent {
                Some(parent) => {
                    let into = of.into.expect("a child overflows somewhere");
                    let sibling = depressions.neighbor(k).expect("a child has a sibling");
                    assert!(
                        parent > k && depressions.has(parent, k) && !depressions.has(k, sibling),
                        "{what}"
                    );
                    let leaf = depressions.leaf(into).expect("the other side is wet");
                    assert!(depressions.has(sibling, leaf), "{what} overflows into itself");
                    assert!(z[into] <= of.spill_m);
                }
                None => {
                    let gate = of.gate.expect("roots have a gate");
                    assert!(cells.contains(&gate) && flood.parent_of(&case.grid, gate) == Some(of.spill));
                    assert!(cells.iter().all(|&c| flood.filled[c] == of.spill_m), "{what}");
                }
            }
            if let Some(children) = of.children {
                let spills = children.map(|c| (depressions.get(c).spill, depressions.get(c).spill_m));
                assert_eq!(spills[0], spills[1], "{what}");
                assert!(set(children[0]).is_disjoint(&set(children[1])));
                assert!(depressions.own_heights_m(k).iter().all(|&h| h >= spills[0].1), "{what}");
                inner += 1;
            }
            // where bodies touch at just one level, the depression is all of them
            if !cells.iter().any(|&c| rising.contains_key(&body(&case, c, |n| z[n] < of.spill_m))) {
                panic!("{what}: no such body of water");
            }
            let all = body(&case, of.pit, |n| z[n] < of.spill_m);
            assert!(all.is_subset(&cells), "{what}");
            let touching = body(&case, of.pit, |n| z[n] <= of.spill_m && flood.filled[n] > z[n]);
            assert!(cells.is_subset(&touching), "{what}");
        }
        // and each body that was ever about to overflow into another, or away, is a depression or part of a level one
        for (cells, &spill_m) in &rising {
            let full: BTreeSet<Cell> = cells.iter().copied().filter(|&c| z[c] < spill_m).collect();
            let found = (0..depressions.len() as u32).any(|k| set(k).is_superset(&full));
            assert!(found, "case {number}: {cells:?} is in no depression");
        }
        let exact = |cells: &BTreeSet<Cell>| (0..depressions.len() as u32).any(|k| set(k) == *cells);
        let distinct = z.as_slice().iter().map(|h| (h + 0.0).to_bits()).collect::<BTreeSet<_>>().len()
            == z.as_slice().len();
        if distinct {
            // of growing bodies only the last before a merger counts
            let fewest = |cells: &BTreeSet<Cell>| {
                let next = rising
                    .keys()
                    .filter(|other| other.is_superset(cells) && *other != cells)
                    .min_by_key(|o| o.len());
                next.is_none_or(|next| next.len() > cells.len() + 1)
            };
            for cells in rising.keys().filter(|c| fewest(c)) {
                assert!(exact(cells), "case {number}: {cells:?} is missing");
            }
        }
    }
    assert!(inner > 500, "only {inner} mergers");
}

#[test]
fn areas_and_volumes_are_sums_over_cells() {
    for number in 0..1500 {
        let case = case(number);
        let (_, depressions) = tree(&case);
        for (k, of) in (0u32..).zip(depressions.iter()) {
            for level_m in [of.spill_m, 0.5 * (of.spill_m + of.pit_m), of.spill_m + 1.0] {
                let top = level_m.min(of.spill_m);
                let (mut area, mut volume) = (0.0, 0.0);
                for &c in depressions.cells(k).iter().filter(|&&c| case.elevation[c] < top) {
                    area += case.grid.area_m2(c);
                    volume += case.grid.area_m2(c) * f64::from(top - case.elevation[c]);
                }
                let (found_area, found_volume) = depressions.extent(&case.grid, k, level_m);
                assert!(
                    (found_area - area).abs() <= 1e-9 * area
                        && (found_volume - volume).abs() <= 1e-5 * volume
                );
            }
            let (area, volume) = depressions.extent(&case.grid, k, of.spill_m);
            assert!((of.area_m2 - area).abs() <= 1e-9 * area, "case {number}");
            assert!((of.volume_m3 - volume).abs() <= 1e-9 * volume, "case {number}");
        }
    }
}

/// After silting no depression is shallow, the filled surface is as before, and nothing deep has changed.
#[test]
fn sediment_fills_what_is_shallow() {
    let mut gone = 0;
    for number in 0..2000 {
        let case = case(number);
        let (flood, depressions) = tree(&case);
        for (least_m, least_side_m) in [(1.5f32, 1.5), (40.0, 40.0), (1.5, 40.0)] {
            let ground = depressions.silted(&case.elevation, least_m, least_side_m);
            let after = hydro::flood(&case.grid, &case.links, &ground, |c| case.outlets[c]);
            for c in case.grid.cells().filter(|&c| !ground[c].is_nan()) {
                assert_eq!(after.filled[c], flood.filled[c], "case {number}");
                assert!(ground[c] >= case.elevation[c] && ground[c] <= flood.filled[c]);
            }
            let left = Depressions::of(&case.grid, &case.links, &ground, &flood);
            for of in left.iter() {
                let lower = of.parent.is_some_and(|p| left.get(p).pit == of.pit);
                let least_m = if of.parent.is_some() { least_side_m } else { least_m };
                assert!(lower || of.spill_m - of.pit_m >= least_m, "case {number}: {of:?} is shallow");
            }
            let pits = |d: &Depressions| d.iter().filter(|d| d.children.is_none()).count();
            let deep = depressions.iter().filter(|d| d.children.is_none() && d.spill_m - d.pit_m >= least_m);
            assert!(pits(&left) <= pits(&depressions) && pits(&left) >= deep.count().min(1));
            gone += pits(&depressions) - pits(&left);
        }
    }
    assert!(gone > 1000, "{gone}");
}

/// Runoff and demand of a random case: whole numbers, so that sums are exact. Now and then none at all.
fn budgets(case: &mut Case) -> (Field<f64>, Field<f64>) {
    let scale = 1 + case.draw.below(40);
    let mut whole = |most: u32| {
        let values = case.grid.cells().map(|_| f64::from(case.draw.below(most))).collect();
        Field::from_vec(case.grid.shape(), values).expect("one a cell")
    };
    (whole(6), whole(scale))
}

struct Settled {
    depressions: Depressions,
    waters: Vec<Standing>,
    ends: Vec<Cell>,
    flow: Flow,
    flood: Flood,
}

fn settle(case: &Case, runoff: &Field<f64>, demand: &Field<f64>) -> Settled {
    let (flood, depressions) = tree(case);
    let mut receiver = hydro::receivers(&case.grid, &case.links, &flood);
    let budget = Budget { runoff_m3_s: runoff, demand_m3_s: demand, least_depth_m: 0.0 };
    let waters = hydro::balance(&case.grid, &flood, &receiver, &depressions, budget);
    let ends = hydro::lead_to_lakes(&case.grid, &case.links, &depressions, &waters, &mut receiver);
    let flow = Flow::from_receivers(&case.grid, receiver).unwrap_or_else(|e| panic!("{e}"));
    Settled { depressions, waters, ends, flow, flood }
}

/// Water runs down, ends at outlets or sinks, every pit is in one lake, and a full lake has one outlet.
#[test]
fn all_water_comes_to_an_end_or_a_closed_lake() {
    let (mut closed, mut inner_full, mut beside, mut through) = (0, 0, 0, 0);
    for number in 0..6000 {
        let mut case = case(number);
        let (runoff, demand) = budgets(&mut case);
        let settled = settle(&case, &runoff, &demand);
        let depressions = &settled.depressions;
        let mut surface = case.elevation.clone();
        for root in depressions.roots() {
            let pits = (0..depressions.len() as u32)
                .filter(|&k| depressions.has(*root, k) && depressions.get(k).children.is_none());
            for pit in pits {
                let within = settled.waters.iter().filter(|w| depressions.has(w.depression, pit)).count();
                assert_eq!(within, 1, "case {number}: pit {pit}");
            }
        }
        let mut sinks = BTreeSet::new();
        for (water, &end) in settled.waters.iter().zip(&settled.ends) {
            let of = depressions.get(water.depression);
            let (level, is_closed) = match water.fill {
                Fill::Full | Fill::Silted => (of.spill_m, false),
                Fill::Closed { level_m, .. } => (level_m, true),
            };
            assert!(level >= of.pit_m && level <= of.spill_m);
            let wet: Vec<Cell> = depressions
                .cells(water.depression)
                .iter()
                .copied()
                .filter(|&c| case.elevation[c] < level)
                .collect();
            for &c in &wet {
                surface[c] = level;
            }
            if is_closed {
                assert_eq!(settled.flow.receiver[end], NONE);
                sinks.insert(end);
                closed += 1;
            } else {
                inner_full += usize::from(of.parent.is_some());
                let below = settled.flow.receiver_of(&case.grid, end).expect("an outlet leads out");
                assert!(wet.contains(&end) && !wet.contains(&below), "case {number}");
                // all leaves the lake by its outlet, unless it is two bodies that touch at the spill only
                for &c in &wet {
                    let mut at = c;
                    while at != end && at != of.spill {
                        at = settled.flow.receiver_of(&case.grid, at).expect("the way out");
                    }
                    beside += usize::from(at != end);
                    through += usize::from(at == end);
                }
            }
        }
        let ends = case.ends();
        for c in case.grid.cells().filter(|&c| !case.elevation[c].is_nan()) {
            match settled.flow.receiver_of(&case.grid, c) {
                Some(below) => {
                    assert!(surface[below] <= surface[c], "case {number}: up from {c:?} to {below:?}")
                }
                None => assert!(ends[c.index()] || sinks.contains(&c), "case {number}: {c:?} ends nowhere"),
            }
        }
    }
    assert!(closed > 5000 && inner_full > 300, "{closed} closed, {inner_full} full within others");
    assert!(beside * 100 < through, "{beside} of {through} cells are not drained by their lake's outlet");
}

/// A lake of the slow version: it grows by one cell at a time.
#[derive(Clone, Debug)]
struct Growing {
    pits: BTreeSet<u32>,
    covered: BTreeSet<Cell>,
    /// The cell over which it overflows and the lake (by a pit) or the outside (`None`) behind it.
    full: Option<Option<u32>>,
}

/// Lakes on bare ground that take in their next cell while they gather more than they take, overflow when that cell
/// drains to another as well, and become one when both do. Heights all differ.
fn grow(
    case: &Case,
    settled: &Settled,
    runoff: &Field<f64>,
    demand: &Field<f64>,
) -> Vec<(BTreeSet<Cell>, bool, f64)> {
    let (grid, z, d) = (&case.grid, &case.elevation, &settled.depressions);
    let filling = hydro::route(grid, &case.links, &settled.flood);
    let pit_of = |mut c: Cell| loop {
        if let Some(leaf) = d.leaf(c) {
            break Some(leaf);
        }
        c = filling.receiver_of(grid, c)?;
    };
    let wet = |c: Cell| settled.flood.filled[c] > z[c];
    let mut lakes: Vec<Growing> = (0..d.len() as u32)
        .filter(|&k| d.get(k).children.is_none())
        .map(|k| Growing { pits: BTreeSet::from([k]), covered: BTreeSet::new(), full: None })
        .collect();
    loop {
        let index = |lakes: &[Growing], pit: u32| {
            lakes.iter().position(|l| l.pits.contains(&pit)).expect("each is in one")
        };
        let mut inflow = vec![0.0; lakes.len()];
        for c in grid.cells().filter(|&c| !z[c].is_nan()) {
            if let Some(pit) = pit_of(c) {
                inflow[index(&lakes, pit)] += runoff[c];
            }
        }
        let take = |l: &Growing| l.covered.iter().map(|&c| demand[c]).sum::<f64>();
        // overflow, until it has all gone through: no circles, as those have merged
        let own = inflow.clone();
        for _ in 0..=lakes.len() {
            let mut next = own.clone();
            for (k, lake) in lakes.iter().enumerate() {
                if let Some(Some(pit)) = lake.full {
                    next[index(&lakes, pit)] += (inflow[k] - take(lake)).max(0.0);
                }
            }
            inflow = next;
        }
        let Some(k) = (0..lakes.len()).find(|&k| {
            lakes[k].full.is_none()
                && inflow[k] >= take(&lakes[k]) + next_demand(case, &lakes[k], d, demand, &wet)
        }) else {
            return lakes.iter().zip(inflow).map(|(l, i)| (l.covered.clone(), l.full.is_some(), i)).collect();
        };
        let next = next_cell(case, &lakes[k], d, &wet);
        let others: Vec<u32> = match next {
            None => Vec::new(),
            Some(c) => {
                let around = case.links.neighbors(grid, c).filter(|&(_, n)| z[n] < z[c]);
                around.filter_map(|(_, n)| d.leaf(n)).filter(|p| !lakes[k].pits.contains(p)).collect()
            }
        };
        match (next, others.first()) {
            (None, _) => {
                let root = *d
                    .roots()
                    .iter()
                    .find(|&&r| d.has(r, *lakes[k].pits.first().expect("a pit")))
                    .expect("a root");
                lakes[k].full = Some(pit_of(d.get(root).spill));
            }
            (Some(c), None) => {
                lakes[k].covered.insert(c);
            }
            (Some(c), Some(_)) => {
                // the lowest neighbour beyond is where the overflow runs
                let around = case.links.neighbors(grid, c).filter(|&(_, n)| z[n] < z[c]).map(|(_, n)| n);
                let beyond = around.filter(|&n| d.leaf(n).is_some_and(|p| !lakes[k].pits.contains(&p)));
                let n = beyond.min_by(|&a, &b| z[a].total_cmp(&z[b])).expect("there is another");
                // if the cell's own water goes there anyway, the overflow joins it
                let own_way =
                    grid.neighbor(c, grid::Direction::from_index(d.way_down(c))).expect("a spill drains");
                let own_pit = d.leaf(own_way).expect("wet");
                let pit = if lakes[k].pits.contains(&own_pit) { d.leaf(n).expect("wet") } else { own_pit };
                let other = index(&lakes, pit);
                let back = matches!(lakes[other].full, Some(Some(p)) if lakes[k].pits.contains(&p));
                if back {
                    let gone = lakes.remove(k.max(other));
                    let stays = &mut lakes[k.min(other)];
                    stays.pits.extend(gone.pits);
                    stays.covered.extend(gone.covered);
                    stays.full = None;
                } else {
                    lakes[k].full = Some(Some(pit));
                }
            }
        }
    }
}

/// The lowest cell that touches a lake (or its pit) and is not in it; `None` if that is the way out of the pool.
fn next_cell(case: &Case, lake: &Growing, d: &Depressions, wet: &impl Fn(Cell) -> bool) -> Option<Cell> {
    if lake.covered.is_empty() {
        return lake.pits.first().map(|&k| d.get(k).pit);
    }
    let around = lake.covered.iter().flat_map(|&c| case.links.neighbors(&case.grid, c)).map(|(_, n)| n);
    let next = around
        .filter(|n| !lake.covered.contains(n))
        .min_by(|&a, &b| case.elevation[a].total_cmp(&case.elevation[b]));
    next.filter(|&n| wet(n))
}

/// What the next cell demands: nothing at a spill, which is reached before it is covered.
fn next_demand(
    case: &Case,
    lake: &Growing,
    d: &Depressions,
    demand: &Field<f64>,
    wet: &impl Fn(Cell) -> bool,
) -> f64 {
    let Some(cell) = next_cell(case, lake, d, wet) else { return 0.0 };
    let around =
        case.links.neighbors(&case.grid, cell).filter(|&(_, n)| case.elevation[n] < case.elevation[cell]);
    let beyond = around.filter_map(|(_, n)| d.leaf(n)).any(|p| !lake.pits.contains(&p));
    if beyond { 0.0 } else { demand[cell] }
}

#[test]
fn lakes_are_those_that_grow_cell_by_cell() {
    let (mut compared, mut closed, mut overflowing, mut merged) = (0, 0, 0, 0);
    for number in 0..6000 {
        let mut case = case(number);
        let heights: BTreeSet<u32> = case.elevation.as_slice().iter().map(|h| (h + 0.0).to_bits()).collect();
        if heights.len() < case.grid.len() {
            continue; // with equal heights other lakes would be as right
        }
        let (runoff, demand) = budgets(&mut case);
        let settled = settle(&case, &runoff, &demand);
        let mut slow: Vec<_> = grow(&case, &settled, &runoff, &demand);
        let mut fast: Vec<_> = settled
            .waters
            .iter()
            .map(|w| {
                let d = &settled.depressions;
                let children = d.cells(w.depression).len() - d.own_cells(w.depression).len();
                let all = d.cells(w.depression);
                match w.fill {
                    Fill::Full | Fill::Silted => {
                        (all.iter().copied().collect::<BTreeSet<_>>(), true, w.inflow_m3_s)
                    }
                    Fill::Closed { covered, share, partly, .. } => {
                        let whole: BTreeSet<Cell> = all[..children + covered].iter().copied().collect();
                        let met: f64 = whole.iter().map(|&c| demand[c]).sum();
                        let part: f64 =
                            all[children + covered..][..partly].iter().map(|&c| share * demand[c]).sum();
                        assert!(
                            (met + part - w.inflow_m3_s).abs() < 1e-9,
                            "case {number}: demand is not inflow"
                        );
                        merged += usize::from(d.get(w.depression).children.is_some());
                        (whole, false, w.inflow_m3_s)
                    }
                }
            })
            .collect();
        let first =
            |(cells, _, inflow): &(BTreeSet<Cell>, bool, f64)| (cells.first().copied(), *inflow as i64);
        slow.sort_by_key(first);
        fast.sort_by_key(first);
        assert_eq!(fast, slow, "case {number}");
        compared += 1;
        closed += fast.iter().filter(|l| !l.1).count();
        let waters = settled.waters.iter().filter(|w| w.fill == Fill::Full);
        overflowing += waters.filter(|w| settled.depressions.get(w.depression).parent.is_some()).count();
    }
    assert!(
        compared > 800 && closed > 500 && overflowing > 50 && merged > 50,
        "{compared} {closed} {overflowing} {merged}"
    );
}

/// A V-shaped valley of known numbers: two pits in a row, the first overflows into the second.
#[test]
fn a_row_of_two_pits_by_hand() {
    let map = Flat::new(7, 1, 1000.0).expect("in range");
    let z = Field::from_vec(map.shape(), vec![9.0, 2.0, 4.0, 5.0, 1.0, 3.0, 0.0]).expect("seven");
    let z = Field::from_fn(map.shape(), |c| if c.0 == 5 { 8.0 } else { z[c] });
    let links = Links::all(&map);
    let flood = hydro::flood(&map, &links, &z, |c| c.0 == 6);
    let d = Depressions::of(&map, &links, &z, &flood);
    assert_eq!((d.len(), d.roots()), (3, &[2][..]));
    assert_eq!(
        (d.get(2).spill_m, d.get(2).pit, d.get(0).spill, d.get(1).spill_m),
        (8.0, Cell(4), Cell(3), 5.0)
    );
    let receiver = hydro::receivers(&map, &links, &flood);
    // 9 and 2 and 4 and 5 drain to the west pit (5: to the steeper east); it takes 3, the east pit 4, the spill 10
    let runoff = Field::filled(map.shape(), 2.0);
    let demand = Field::from_vec(map.shape(), vec![0.0, 2.0, 1.0, 10.0, 9.0, 0.0, 0.0]).expect("seven");
    let waters = hydro::balance(
        &map,
        &flood,
        &receiver,
        &d,
        Budget { runoff_m3_s: &runoff, demand_m3_s: &demand, least_depth_m: 0.0 },
    );
    // west gathers 6, takes 3 and gives 3 on; east gathers 4 (5 and 1 m) + 3 and is closed with 7 of 9
    assert_eq!(waters.len(), 2);
    assert_eq!((waters[0].inflow_m3_s, waters[0].fill), (6.0, Fill::Full));
    let share = 7.0 / 9.0;
    let level_m = (1.0 + share * 4.0) as f32;
    assert_eq!(waters[1].inflow_m3_s, 7.0);
    assert_eq!(waters[1].fill, Fill::Closed { level_m, covered: 0, partly: 1, share });
}
