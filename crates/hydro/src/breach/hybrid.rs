//! What is not breached is filled.

use super::pits::Ground;
use super::search::Search;
use super::{Breached, Breaching, Cutting, breach, check};
use crate::flood::key;
use crate::stencil::Stencil;
use crate::{Depressions, Links, Outlets, fill};
use grid::{Field, Grid};

/// Breaches what the limits allow, as [`breach`] does, and fills the rest exactly: no depression is left.
///
/// Without limits nothing is filled; with a `deepest_m` of 0 it is a fill. A cut that ends in a depression that stays is
/// filled with it. Cost: that of [`breach`], and a fill.
pub fn hybrid(
    grid: &impl Grid,
    links: &Links,
    elevation: &Field<f32>,
    outlets: &Outlets,
    limits: &Breaching,
) -> Breached {
    let Breached { surface, cuts, left, .. } = breach(grid, links, elevation, outlets, limits);
    let surface = fill(grid, links, &surface, outlets);
    Cutting { grid, surface, cuts }.finish(elevation, left)
}

/// Breaches each depression of `elevation` (metres) within the limits, or fills it, whichever moves less ground.
///
/// A pit speaks for the widest depression of which it is the lowest point. Let V be what it takes to fill that, less
/// what it takes to fill the depressions of higher pits in it by themselves. The pit is breached if the cheapest way, as
/// in [`breach`], moves no more than V. If not, its depression is filled to the spill with all that is in it, before
/// the next pit is looked at. So in all no more ground is moved than by filling. No depression is left.
///
/// Cost: that of [`breach`], a flood, the tree of [`Depressions`] and a fill.
pub fn least_change(
    grid: &impl Grid,
    links: &Links,
    elevation: &Field<f32>,
    outlets: &Outlets,
    limits: &Breaching,
) -> Breached {
    check(grid, links, elevation, outlets);
    let flood = crate::flood(grid, links, elevation, |cell| outlets.has(cell));
    let depressions = Depressions::of(grid, links, elevation, &flood);
    drop(flood);
    let stencil = Stencil::new(grid.shape());
    let mut search = Search::new(Ground { grid, links, stencil: &stencil, outlets }, limits);
    let mut cutting = Cutting { grid, surface: elevation.clone(), cuts: 0 };
    let mut left = Vec::new();
    for (number, most_m3) in shares(&depressions) {
        let of = depressions.get(number);
        // a fill around it, or a cut through it, has settled it
        if cutting.surface[of.pit] != of.pit_m || search.breach(&mut cutting, of.pit, of.pit_m, most_m3) {
            continue;
        }
        left.push(of.pit);
        let cells = depressions.cells(number);
        // where a cut leads through, less is left to fill, and the last fill sees to it
        if cells.iter().all(|&c| cutting.surface[c] >= elevation[c]) {
            cells.iter().for_each(|&c| cutting.surface[c] = of.spill_m);
        }
    }
    cutting.surface = fill(grid, links, &cutting.surface, outlets);
    cutting.finish(elevation, left)
}

/// For each pit, from the lowest up, the widest depression of which it is the lowest point, and the volume that its
/// fill takes beyond that of the depressions of higher pits in it.
fn shares(depressions: &Depressions) -> Vec<(u32, f64)> {
    let mut share: Vec<f64> = depressions.iter().map(|d| d.volume_m3).collect();
    let mut widest = Vec::new();
    // children have lower numbers: what a part leaves to its parent is known before the parent is asked
    for (number, of) in (0u32..).zip(depressions.iter()) {
        let parent = of.parent.map(|p| (p as usize, depressions.get(p)));
        match parent {
            Some((p, parent)) if parent.pit == of.pit => share[p] -= of.volume_m3 - share[number as usize],
            Some((p, _)) => share[p] -= of.volume_m3,
            None => {}
        }
        if parent.is_none_or(|(_, parent)| parent.pit != of.pit) {
            widest.push(number);
        }
    }
    let order = |&number: &u32| key(depressions.get(number).pit_m, depressions.get(number).pit);
    widest.sort_unstable_by_key(order);
    widest.into_iter().map(|number| (number, share[number as usize].max(0.0))).collect()
}
