//! Blocks agree: what one block says of its border is what its neighbours say, whichever is computed.

use super::support::*;
use crate::drainage::block::Block;
use crate::drainage::flow::Water;
use crate::drainage::plan::{NOWHERE, Spot};
use grid::Part;
use std::collections::{BTreeMap, BTreeSet};

/// Sums of areas and discharges are taken in another order than the code's.
const TOLERANCE: f64 = 1e-12;

/// What was compared around some blocks, and what did not agree.
#[derive(Default, Debug)]
struct Found {
    pairs: usize,
    sites: usize,
    over_borders: usize,
    wrong: usize,
    circles: usize,
    worst: f64,
    example: Option<String>,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.sites += other.sites;
        self.over_borders += other.over_borders;
        self.wrong += other.wrong;
        self.circles += other.circles;
        self.worst = self.worst.max(other.worst);
        self.example = self.example.take().or(other.example);
    }
}

/// Compares the sums of areas and discharges at all sites of the blocks around one that have all neighbours among them.
/// Where water ends at sea it is not added up.
fn compare(view: &View) -> Found {
    let View { study, level, known: ref blocks, ref drainage, .. } = *view;
    let (spots, waters) = (drainage.spots(level), drainage.waters(level));
    let held: BTreeSet<Block> = blocks.iter().copied().collect();
    let (mut found, mut pairs) = (Found::default(), BTreeSet::new());
    for part in study.parts(blocks) {
        let near: Vec<Part> = study.neighbours(part).collect();
        let others = near.iter().map(|&n| Block::of(n)).filter(|b| *b > Block::of(part));
        pairs.extend(others.map(|b| (Block::of(part), b)));
        let (spot, own) = (spots(part), waters(part));
        let ends_at_sea = spot.receiver == NOWHERE && spot.trunk && own.discharge_m3_s == 0.0;
        if ends_at_sea || !near.iter().all(|n| held.contains(&Block::of(*n))) {
            continue;
        }
        let (mut area_m2, mut discharge_m3_s, mut over) = (own.own_area_m2, own.own_runoff_m3_s, false);
        for &n in near.iter().filter(|&&n| study.receiver(n, &spots(n)) == Some(part)) {
            let Water { area_m2: a, discharge_m3_s: q, .. } = waters(n);
            (area_m2, discharge_m3_s) = (area_m2 + a, discharge_m3_s + q);
            over |= Block::of(n) != Block::of(part);
        }
        let off = |sum: f64, whole: f64, least: f64| (sum - whole).abs() / whole.abs().max(least);
        let worst = off(area_m2, own.area_m2, 1.0).max(off(discharge_m3_s, own.discharge_m3_s, 1e-3));
        found.sites += 1;
        found.over_borders += usize::from(over);
        found.wrong += usize::from(worst > TOLERANCE);
        found.worst = found.worst.max(worst);
        if worst > TOLERANCE && found.example.is_none() {
            let sums = (area_m2, discharge_m3_s);
            found.example = Some(format!("{part:?} over a border: {over}, {sums:?}, {spot:?} {own:?}"));
        }
    }
    found.pairs = pairs.len();
    found.circles = circles(study, &spots, &held);
    found
}

/// How many ways of water close to circles.
fn circles(study: &Study, spots: &dyn Fn(Part) -> Spot, held: &BTreeSet<Block>) -> usize {
    let mut way_of: BTreeMap<Part, usize> = BTreeMap::new();
    let mut circles = 0;
    for (number, start) in held.iter().flat_map(|b| b.rect(study.grid).parts(b.level)).enumerate() {
        let mut at = Some(start);
        while let Some(part) = at.filter(|p| held.contains(&Block::of(*p))) {
            if let Some(&way) = way_of.get(&part) {
                circles += usize::from(way == number);
                break;
            }
            way_of.insert(part, number);
            at = study.receiver(part, &spots(part));
        }
    }
    circles
}

/// Whatever flows over a border between two blocks is counted on the other side. Each block is a function of its own
/// surroundings, which reach as far as its `RINGS` say: where they reached too short, basins would be cut off, and
/// areas would be missing or counted twice.
#[test]
fn area_and_discharge_add_up_over_borders_of_blocks() {
    let mut all = Found::default();
    views().iter().for_each(|view| all.add(compare(view)));
    println!("{all:?}");
    assert_eq!((all.wrong, all.circles), (0, 0), "{all:?}");
    assert!(all.pairs > 1_000 && all.over_borders > 1_500, "too little was compared: {all:?}");
}

/// A block that is computed alone is the same, bit for bit, as among its neighbours, and so is everything above it.
#[test]
fn blocks_alone_are_as_among_others() {
    for View { study, level, name, cell, drainage: among, .. } in views().iter().step_by(6) {
        let block = study.block(*level, *cell);
        let alone = study.drainage(*level);
        for part in block.rect(study.grid).parts(*level) {
            let of = |d: &Drained| format!("{:?} {:?}", d.spots(*level)(part), d.waters(*level)(part));
            assert_eq!(of(&alone), of(among), "{name} {part:?}");
        }
    }
}

/// The parent whose trunk a site's water reaches, as far as it is known.
fn basin(view: &View, spots: &dyn Fn(Part) -> Spot, site: Part) -> Option<Part> {
    let mut at = Some(site).filter(|p| view.is_known(*p));
    while let Some(part) = at {
        let spot = spots(part);
        if spot.trunk {
            return Some(part.parent());
        }
        at = view.study.receiver(part, &spot).filter(|p| view.is_known(*p));
    }
    None
}

/// What a block's plan says of the basins of its parents is what the ways of all sites say, which other blocks planned:
/// plans look far enough around.
#[test]
fn plans_of_neighbours_agree_on_basins() {
    let (mut parents, mut over, mut wrong) = (0, 0, Vec::new());
    for view in views() {
        let spots = view.drainage.spots(view.level);
        let mut parts: BTreeMap<Part, (u16, bool)> = BTreeMap::new();
        for site in view.study.parts(&view.known) {
            if let Some(parent) = basin(view, &spots, site) {
                let entry = parts.entry(parent).or_default();
                let child = Part { row: 2 * parent.row, col: 2 * parent.col, ..site };
                *entry = (
                    entry.0 + 1,
                    entry.1 || Block::of(Part { face: parent.face, ..child }) != Block::of(site),
                );
            }
        }
        let mut inner: Vec<Part> = view.study.parts(&view.inner).into_iter().map(|p| p.parent()).collect();
        inner.dedup();
        inner.sort_unstable();
        inner.dedup();
        for parent in inner {
            let (found, planned) =
                (parts.get(&parent).copied().unwrap_or_default(), view.drainage.planned_parts()(parent));
            parents += 1;
            over += usize::from(found.1);
            if found.0 != planned {
                wrong.push(format!(
                    "{:?} {}: {parent:?} has {} parts, its plan says {planned}",
                    view.level, view.name, found.0
                ));
            }
        }
    }
    println!("{} of {parents} basins are planned wrong, {over} reach over borders", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} of {parents}, {}",
        wrong.len(),
        wrong.into_iter().take(5).collect::<Vec<_>>().join("\n")
    );
    assert!(parents > 8_000 && over > 500, "{parents} {over}");
}
