//! The way out of every cell over the lowest passes, without a priority for each cell.
//!
//! All cells are ranked by (elevation, address). Water goes to the linked neighbour of the lowest rank, if that is lower
//! than its own, down to a *bottom* or an outlet; the cells that lead to a bottom are its basin, those that lead to an
//! outlet are outside. From the lowest cell up, basins that hang together over a cell become one (Kruskal 1956); where
//! that was a lower neighbour's basin, the link is a *pass*. What was joined is a tree from outside to all basins, and
//! the way out of a basin goes from its bottom up against the way down from its pass, over it, and down again (Cordonnier,
//! Bovy & Braun 2019; the same ways as a Priority-Flood keyed with the bare ground, which is Prim's algorithm). It has the
//! least highest point of all ways out.
//!
//! Only *saddles* are looked at: cells whose lower neighbours do not hang together side by side. Other cells
//! join nothing that is not joined below them.

use super::pits::Ground;
use crate::flood::{cell_of, key};
use crate::flow::NONE;
use grid::{Cell, Field, Grid};
use rayon::prelude::*;

/// In place of a direction: nothing around is lower.
pub(super) const BOTTOM: u8 = 254;
/// The basin of all that leads to an outlet.
const OUTSIDE: u32 = 0;
const UNKNOWN: u32 = u32::MAX;
/// Cells that one task looks at.
const CHUNK: usize = 1 << 16;

/// The ways out, and the bottoms.
pub(super) struct Ways {
    /// Direction of the next cell on the way out; [`NONE`] at outlets and without data.
    pub(super) next: Field<u8>,
    /// From the lowest rank up.
    pub(super) bottoms: Vec<Cell>,
}

/// A link between two basins: from a saddle to a lower neighbour.
struct Pass {
    /// Rank of the saddle.
    key: u64,
    /// Basins of the saddle and of the neighbour.
    basins: [u32; 2],
    /// Among the passes of one saddle.
    place: u8,
    direction: u8,
}

pub(super) fn ways<G: Grid>(ground: Ground<'_, G>, elevation: &Field<f32>) -> Ways {
    let (down, saddles) = descents(ground, elevation);
    let (basins, mut bottoms) = basins(ground, &down);
    let mut passes = Vec::new();
    for &saddle in &saddles {
        passes_at(ground, elevation, &basins, saddle, &mut passes);
    }
    drop((saddles, basins));
    passes.par_sort_unstable_by_key(|pass| (pass.key, pass.place));
    join(&mut passes, bottoms.len() + 1);
    let next = turn(ground, down, &passes, bottoms.len() + 1);
    bottoms.par_sort_unstable_by_key(|&cell| key(elevation[cell], cell));
    Ways { next, bottoms }
}

/// The way down from each cell, and the saddles by address.
fn descents<G: Grid>(ground: Ground<'_, G>, elevation: &Field<f32>) -> (Field<u8>, Vec<Cell>) {
    let mut down = Field::filled(ground.grid.shape(), NONE);
    let chunks = down.as_mut_slice().par_chunks_mut(CHUNK).enumerate();
    let saddles: Vec<Vec<Cell>> = chunks
        .map(|(chunk, down)| {
            let mut saddles = Vec::new();
            for (cell, down) in (chunk * CHUNK..).map(Cell::from_index).zip(down) {
                let is_outlet = ground.outlets.has(cell);
                if !elevation[cell].is_nan() {
                    let (lowest, lower) = descent(ground, elevation, cell);
                    *down = if is_outlet { NONE } else { lowest };
                    if is_saddle(ground, cell, lower, is_outlet) {
                        saddles.push(cell);
                    }
                }
            }
            saddles
        })
        .collect();
    (down, saddles.concat())
}

/// The direction of the lowest neighbour that is lower, or [`BOTTOM`], and the byte of all lower ones.
fn descent<G: Grid>(ground: Ground<'_, G>, elevation: &Field<f32>, cell: Cell) -> (u8, u8) {
    let (mut least, mut at) = (elevation[cell], cell);
    let (mut lowest, mut lower) = (BOTTOM, 0);
    let z = least;
    ground.stencil.visit(ground.grid, ground.links.byte(cell), cell, |d, _, n| {
        let there = elevation[n];
        lower |= u8::from(there < z || (there == z && n < cell)) << d;
        if there < least || (there == least && n < at) {
            (least, at, lowest) = (there, n, d);
        }
    });
    (lowest, lower)
}

/// Whether a cell's lower neighbours (or they and the outside, at an outlet) may be in more than one piece.
fn is_saddle<G: Grid>(ground: Ground<'_, G>, cell: Cell, lower: u8, is_outlet: bool) -> bool {
    let pieces = if ground.stencil.is_inner(cell) { first_of_runs(lower) } else { lower };
    pieces.count_ones() + u32::from(is_outlet) > 1
}

/// Of each run of directions side by side the first, clockwise.
fn first_of_runs(directions: u8) -> u8 {
    if directions == u8::MAX { 1 } else { directions & !directions.rotate_left(1) }
}

/// The basin of each cell, and the bottoms of the basins from 1 up.
fn basins<G: Grid>(ground: Ground<'_, G>, down: &Field<u8>) -> (Field<u32>, Vec<Cell>) {
    let mut basins = Field::filled(ground.grid.shape(), UNKNOWN);
    let mut bottoms = Vec::new();
    let mut way = Vec::new();
    for cell in (0..ground.grid.len()).map(Cell::from_index) {
        let mut at = cell;
        while basins[at] == UNKNOWN {
            let Some(below) = ground.stencil.neighbor_along(ground.grid, at, down[at]) else {
                basins[at] = OUTSIDE;
                if down[at] == BOTTOM {
                    bottoms.push(at);
                    basins[at] = bottoms.len() as u32;
                }
                break;
            };
            way.push(at);
            at = below;
        }
        let basin = basins[at];
        way.drain(..).for_each(|cell| basins[cell] = basin);
    }
    (basins, bottoms)
}

/// Lists the passes at a saddle: to the lowest cell of each piece of its lower neighbours, the lowest first.
fn passes_at<G: Grid>(
    ground: Ground<'_, G>,
    elevation: &Field<f32>,
    basins: &Field<u32>,
    saddle: Cell,
    passes: &mut Vec<Pass>,
) {
    let here = key(elevation[saddle], saddle);
    let is_inner = ground.stencil.is_inner(saddle);
    let mut pieces = [(u64::MAX, UNKNOWN, 0u8); 8];
    let (mut count, mut last) = (0, None);
    ground.stencil.visit(ground.grid, ground.links.byte(saddle), saddle, |d, _, n| {
        let z = elevation[n];
        let there = key(z, n);
        if there < here && !z.is_nan() {
            // the piece around north is met in two parts, which does no harm: they are joined further down
            let is_beside_last = is_inner && d > 0 && last == Some(d - 1);
            count += usize::from(!is_beside_last);
            let lowest = &mut pieces[count - 1];
            *lowest = (*lowest).min((there, basins[n], d));
            last = Some(d);
        }
    });
    pieces[..count].sort_unstable();
    let own = basins[saddle];
    for (place, &(_, basin, direction)) in (0u8..).zip(&pieces[..count]) {
        if basin != own {
            passes.push(Pass { key: here, basins: [own, basin], place, direction });
        }
    }
}

/// Keeps the passes that join what was not joined before: those of a tree.
fn join(passes: &mut Vec<Pass>, count: usize) {
    let mut leader: Vec<u32> = (0..count as u32).collect();
    passes.retain(|pass| {
        let [a, b] = pass.basins.map(|basin| find(&mut leader, basin));
        leader[a.max(b) as usize] = a.min(b);
        a != b
    });
}

fn find(leader: &mut [u32], mut at: u32) -> u32 {
    while leader[at as usize] != at {
        let above = leader[leader[at as usize] as usize];
        leader[at as usize] = above;
        at = above;
    }
    at
}

/// Turns the way down around, from each basin's bottom to the pass that leads out of it.
fn turn<G: Grid>(ground: Ground<'_, G>, mut down: Field<u8>, tree: &[Pass], count: usize) -> Field<u8> {
    let ends = Ends::of(tree, count);
    let mut is_out = vec![false; count];
    let mut rest = vec![OUTSIDE];
    is_out[OUTSIDE as usize] = true;
    while let Some(basin) = rest.pop() {
        for &end in ends.at(basin) {
            let (pass, side) = (&tree[end as usize / 2], end as usize % 2);
            let other = pass.basins[1 - side];
            if !std::mem::replace(&mut is_out[other as usize], true) {
                let saddle = cell_of(pass.key);
                let (below, back) = ground.stencil.step(ground.grid, saddle, pass.direction);
                let (exit, out) = if side == 0 { (below, back) } else { (saddle, pass.direction) };
                turn_way(ground, &mut down, exit, out);
                rest.push(other);
            }
        }
    }
    down
}

/// Turns the way from `exit` down to its bottom around; from `exit` it goes in the direction `out`.
fn turn_way<G: Grid>(ground: Ground<'_, G>, down: &mut Field<u8>, exit: Cell, out: u8) {
    let (mut cell, mut out) = (exit, out);
    loop {
        let direction = std::mem::replace(&mut down[cell], out);
        if direction == BOTTOM {
            break;
        }
        (cell, out) = ground.stencil.step(ground.grid, cell, direction);
    }
}

/// The ends of a tree's passes by basin: twice the number of the pass, one more at the lower neighbour's end.
struct Ends {
    ends: Vec<u32>,
    /// Where those of a basin begin.
    first: Vec<u32>,
}

impl Ends {
    fn of(tree: &[Pass], count: usize) -> Self {
        let mut first = vec![0u32; count + 1];
        for basin in tree.iter().flat_map(|pass| pass.basins) {
            first[basin as usize] += 1;
        }
        let mut sum = 0;
        for of in &mut first {
            sum += *of;
            *of = sum;
        }
        let mut ends = vec![0; 2 * tree.len()];
        for (end, basin) in (0u32..).zip(tree.iter().flat_map(|pass| pass.basins)) {
            let place = &mut first[basin as usize];
            *place -= 1;
            ends[*place as usize] = end;
        }
        Self { ends, first }
    }

    fn at(&self, basin: u32) -> &[u32] {
        let [from, to] = [basin, basin + 1].map(|b| self.first[b as usize] as usize);
        &self.ends[from..to]
    }
}
