//! The water balance of depressions: which overflow, and where closed lakes come to rest.
//!
//! Water gathers in each depression until what its surface loses equals what comes in:
//!
//! ```text
//! sum of runoff over all cells that drain there + overflow from elsewhere = sum of demand over its wet cells
//! ```
//!
//! *runoff* is what a cell sheds while it is dry, *demand* what it takes more when water stands on it: its runoff
//! plus the net evaporation of open water (both in m3/s). A depression whose demand when full is not met stays
//! *closed*; any other is *full*, and the rest goes on over its spill: to its sibling's pit, to another depression, or
//! away. Two full siblings are one lake, which rises in their parent (fill, spill, merge: Barnes, Callaghan & Wickert
//! 2021). Cells are taken whole by level, save that the last ones may be covered in part, so that a closed lake's
//! demand is its inflow exactly.
//!
//! Which depressions are full follows from sums over the tree from the top: siblings that together gather less than
//! both demand are not one lake, so at most one of them overflows. The runoff of a spill goes where it goes on dry
//! ground, whichever way the overflow runs.

use crate::Flood;
use crate::depressions::{Depressions, NOWHERE};
use crate::flow::NONE;
use crate::stencil::{Stencil, assert_shape};
use grid::{Field, Grid};

/// What cells shed and take, in m3/s. Sums are exact if all are multiples of one power of two.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// What a dry cell sheds; not negative.
    pub runoff_m3_s: &'a Field<f64>,
    /// What it takes more under water: lost runoff and net evaporation; not negative.
    pub demand_m3_s: &'a Field<f64>,
    /// A root that overflows and is less deep (m) fills with sediment: it takes nothing, and all goes on.
    pub least_depth_m: f32,
}

/// How far a depression is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// With sediment, to its spill. Roots only.
    Silted,
    /// To its spill; it overflows, if only with nothing.
    Full,
    /// To a level where demand equals inflow.
    Closed {
        /// Level in metres.
        level_m: f32,
        /// How many of the depression's own cells are wholly covered; its children's all are.
        covered: usize,
        /// How many of its own cells after those, all on one level, are covered in part.
        partly: usize,
        /// Which share of them.
        share: f64,
    },
}

/// Water that stands in a depression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Number of the depression.
    pub depression: u32,
    /// Runoff of all cells that drain to it as if they were dry, and overflow from elsewhere, in m3/s.
    pub inflow_m3_s: f64,
    /// How far it is filled.
    pub fill: Fill,
}

/// All water that stands in depressions, roots from the farthest upstream, and in each from its greater parts down.
/// None is part of another, and every pit is in one.
///
/// `receiver` are the directions of [`receivers`](crate::receivers) for the same flood. Cost: linear, and for each
/// overflow within a root the depth of the tree there.
pub fn balance(
    grid: &impl Grid,
    flood: &Flood,
    receiver: &Field<u8>,
    depressions: &Depressions,
    budget: Budget,
) -> Vec<Standing> {
    assert_shape(grid, receiver, "the receivers");
    assert_shape(grid, budget.runoff_m3_s, "the runoff");
    assert_shape(grid, budget.demand_m3_s, "the demand");
    let mut tally = Tally::new(grid, flood, receiver, depressions, budget);
    let mut found = Vec::new();
    for &root in depressions.roots().iter().rev() {
        let (of, surplus) = (depressions.get(root), tally.surplus(root));
        if surplus < 0.0 {
            tally.descend(root, &mut found);
            continue;
        }
        let mut water = tally.full(root);
        let is_shallow = of.spill_m - of.pit_m < budget.least_depth_m;
        if is_shallow {
            water.fill = Fill::Silted;
        }
        found.push(water);
        tally.add(tally.reach[of.spill], if is_shallow { water.inflow_m3_s } else { surplus }, NOWHERE);
    }
    found
}

struct Tally<'a> {
    depressions: &'a Depressions,
    demand_m3_s: &'a Field<f64>,
    /// Number of the pit that each cell's water comes to, or [`NOWHERE`].
    reach: Field<u32>,
    inflow: Vec<f64>,
    /// Demand of each depression when it is full.
    demand: Vec<f64>,
}

impl<'a> Tally<'a> {
    fn new(
        grid: &impl Grid,
        flood: &Flood,
        receiver: &Field<u8>,
        depressions: &'a Depressions,
        budget: Budget<'a>,
    ) -> Self {
        let stencil = Stencil::new(grid.shape());
        let mut inflow = vec![0.0; depressions.len()];
        let mut reach = depressions.leaves().clone();
        // along the flood's order a receiver comes before what it receives
        for &cell in flood.order() {
            if reach[cell] == NOWHERE && receiver[cell] != NONE {
                reach[cell] = stencil.neighbor(grid, cell, receiver[cell]).map_or(NOWHERE, |n| reach[n]);
            }
            if let Some(gathered) = inflow.get_mut(reach[cell] as usize) {
                *gathered += budget.runoff_m3_s[cell];
            }
        }
        let mut demand: Vec<f64> = (0..depressions.len() as u32)
            .map(|k| depressions.own_cells(k).iter().map(|&c| budget.demand_m3_s[c]).sum())
            .collect();
        for (k, depression) in depressions.iter().enumerate() {
            if let Some(parent) = depression.parent {
                inflow[parent as usize] += inflow[k];
                demand[parent as usize] += demand[k];
            }
        }
        Self { depressions, demand_m3_s: budget.demand_m3_s, reach, inflow, demand }
    }

    /// What a depression gathers beyond its demand when full; below 0 it is not full.
    fn surplus(&self, number: u32) -> f64 {
        self.inflow[number as usize] - self.demand[number as usize]
    }

    fn full(&self, number: u32) -> Standing {
        Standing { depression: number, inflow_m3_s: self.inflow[number as usize], fill: Fill::Full }
    }

    /// Adds an overflow to a pit and all that it is part of, up to (without) a depression.
    fn add(&mut self, leaf: u32, surplus: f64, before: u32) {
        let mut next = Some(leaf).filter(|&k| k != NOWHERE);
        while let Some(number) = next.filter(|&k| k != before) {
            self.inflow[number as usize] += surplus;
            next = self.depressions.get(number).parent;
        }
    }

    /// Finds the waters in a depression that is not full.
    fn descend(&mut self, from: u32, found: &mut Vec<Standing>) {
        let mut rest = vec![from];
        while let Some(number) = rest.pop() {
            let Some([a, b]) = self.depressions.get(number).children else {
                found.push(self.closed(number, 0.0));
                continue;
            };
            let merged = self.demand[a as usize] + self.demand[b as usize];
            if self.inflow[number as usize] >= merged {
                found.push(self.closed(number, merged));
                continue;
            }
            for child in [b, a] {
                let surplus = self.surplus(child);
                if surplus < 0.0 {
                    rest.push(child);
                } else {
                    found.push(self.full(child));
                    let into = self.depressions.get(child).into.expect("a child overflows into its sibling");
                    self.add(self.reach[into], surplus, number);
                    rest.retain(|&k| k != a && k != b);
                    rest.push(if child == a { b } else { a });
                    break;
                }
            }
        }
    }

    /// The closed lake in a depression whose children (which demand `merged`) are full, but not itself.
    fn closed(&self, number: u32, merged: f64) -> Standing {
        let (own, heights_m) = (self.depressions.own_cells(number), self.depressions.own_heights_m(number));
        let inflow = self.inflow[number as usize];
        let (mut met, mut covered) = (merged, 0);
        loop {
            let z = heights_m[covered];
            let partly = heights_m[covered..].iter().take_while(|&&h| h == z).count();
            let demand: f64 = own[covered..covered + partly].iter().map(|&c| self.demand_m3_s[c]).sum();
            let is_last = covered + partly == own.len();
            if met + demand > inflow || is_last {
                let share = if demand > 0.0 { ((inflow - met) / demand).clamp(0.0, 1.0) } else { 0.0 };
                let above = heights_m.get(covered + partly).copied();
                let next_m = above.unwrap_or(self.depressions.get(number).spill_m);
                let level_m = (f64::from(z) + share * (f64::from(next_m) - f64::from(z))) as f32;
                let fill = Fill::Closed { level_m, covered, partly, share };
                return Standing { depression: number, inflow_m3_s: inflow, fill };
            }
            met += demand;
            covered += partly;
        }
    }
}
