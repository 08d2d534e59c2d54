//! A band filled on its own: what stays in it is filled to where it spills, the rest is said for later.
//!
//! `filled(c) = max(z(c), level of its catchment)`, as the way from `c` down to its pit rises nowhere. A catchment whose
//! lowest way out stays in the band is given its level at once. Catchments that reach the first or the last row are
//! *anchors*: their level depends on the other bands. Every other drains to an anchor at a level known here, or out
//! (Barnes 2016, with catchments for cells of the border). What is left is the anchors and a forest of passes.

use super::catchments::{NO_DATA, OUTLET, PIT, UNSET, descents, spread_labels};
use super::passes::{Drained, FREE, Gatherer, Pass, rank};
use super::strip::{Strip, without_ring};
use rayon::prelude::*;

/// Of a label of a cell: the band itself has raised it.
pub(super) const RAISED: u32 = 1 << 31;

/// The anchor of all that leaves the map.
pub(super) const OUT: u32 = 0;

/// A band filled on its own.
pub(super) struct Spilled {
    /// Level of each cell, as far as it is known.
    pub surface: Vec<f32>,
    /// Anchor of each cell, and [`RAISED`]; [`OUT`] where there is no data.
    pub labels: Vec<u32>,
    /// Number of anchors, [`OUT`] included.
    pub anchors: u32,
    /// Passes between anchors of the band.
    pub passes: Vec<Pass>,
    /// Anchors of the cells of the first and of the last row, [`FREE`] where there is no data.
    pub border: [Vec<u32>; 2],
    /// Elevation of these rows.
    pub border_z: [Vec<f32>; 2],
    pub tally: Tally,
}

/// What is counted while the band's elevation is at hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// Cells with data of each row.
    pub data: Vec<u32>,
    /// Sum of what cells of each row were raised by, in units of 2^-20 m.
    pub raised: Vec<i128>,
    pub outlets: u64,
    pub pits: u64,
    /// Least and greatest elevation.
    pub range: Option<(f32, f32)>,
}

/// A level in whole units of 2^-20 m, so that sums do not depend on their order.
pub(super) fn units(level: f32) -> i128 {
    // Saturates far above anything that is an elevation.
    (f64::from(level) * UNITS_PER_M) as i64 as i128
}

pub(super) const UNITS_PER_M: f64 = (1u32 << 20) as f64;

/// Fills a band; `z` with its ring.
pub(super) fn spill(strip: Strip, z: Vec<f32>) -> Spilled {
    let codes = descents(strip, &z);
    let (mut labels, catchments) = number(strip, &codes);
    let mut tally = count(strip, &z, &codes);
    spread_labels(strip, &codes, &mut labels);
    drop(codes);
    let (anchor, anchors) = anchors(strip, &labels, catchments);
    let passes = passes(strip, &z, &labels, catchments);
    let mut drained = Drained::new(anchor);
    let passes = drained.run(&passes, anchors as usize);
    let spills: Vec<(u32, f32)> = (0..catchments as u32).map(|c| drained.of(c)).collect();
    drop(drained);
    let border_z = [0, strip.rows - 1].map(|row| z[strip.row(row)..][..strip.cols].to_vec());
    let mut surface = z;
    raise(strip, &mut surface, &mut labels, &spills, &mut tally);
    let labels = without_ring(strip, labels);
    let row = |r: usize| &labels[r * strip.cols..(r + 1) * strip.cols];
    let border = [0, strip.rows - 1].map(|r| {
        let z = &surface[strip.row(r)..][..strip.cols];
        row(r).iter().zip(z).map(|(&l, z)| if z.is_nan() { FREE } else { l & !RAISED }).collect()
    });
    Spilled { surface: without_ring(strip, surface), labels, anchors, passes, border, border_z, tally }
}

/// Labels of pits from 1 in their order, [`OUT`] for outlets, [`FREE`] without data, [`UNSET`] else; and how many.
fn number(strip: Strip, codes: &[u8]) -> (Vec<u32>, usize) {
    let mut next = OUT;
    let mut label = |&code: &u8| match code {
        PIT => {
            next += 1;
            next
        }
        OUTLET => OUT,
        NO_DATA => BARE,
        _ => UNSET,
    };
    let labels = codes.iter().map(&mut label).collect();
    debug_assert_eq!(codes.len(), strip.padded_len());
    (labels, next as usize + 1)
}

/// Label of a cell without data.
const BARE: u32 = u32::MAX - 1;

fn count(strip: Strip, z: &[f32], codes: &[u8]) -> Tally {
    let offsets = strip.offsets();
    let mut tally = Tally { raised: vec![0; strip.rows], ..Tally::default() };
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for row in 0..strip.rows {
        let from = strip.row(row);
        let cells = from..from + strip.cols;
        let data = codes[cells.clone()].iter().filter(|&&code| code != NO_DATA).count();
        tally.data.push(data as u32);
        tally.outlets += codes[cells.clone()].iter().filter(|&&code| code == OUTLET).count() as u64;
        for &z in &z[cells.clone()] {
            low = if z < low { z } else { low };
            high = if z > high { z } else { high };
        }
        let is_pit =
            |&at: &usize| codes[at] == PIT && offsets.iter().all(|&o| z[at.wrapping_add_signed(o)] > z[at]);
        tally.pits += cells.filter(is_pit).count() as u64;
    }
    tally.range = (tally.data.iter().any(|&n| n > 0)).then_some((low, high));
    tally
}

/// The catchments that hold cells of a row beside another band, numbered from 1 as anchors; [`OUT`] is one too.
fn anchors(strip: Strip, labels: &[u32], catchments: usize) -> (Vec<u32>, u32) {
    let mut anchor = vec![FREE; catchments];
    anchor[OUT as usize] = OUT;
    let mut count = 1;
    let open = [(strip.above, 0), (strip.below, strip.rows - 1)].into_iter().filter(|(is_open, _)| *is_open);
    for (_, row) in open {
        for &label in labels[strip.row(row)..][..strip.cols].iter().filter(|&&l| l != BARE) {
            let anchor = &mut anchor[label as usize];
            if *anchor == FREE {
                *anchor = count;
                count += 1;
            }
        }
    }
    (anchor, count)
}

/// The passes between the catchments of the band, lowest first.
fn passes(strip: Strip, z: &[f32], labels: &[u32], catchments: usize) -> Vec<Pass> {
    let mut found = Gatherer::new(strip.padded_len() / 2);
    let (stride, cols) = (strip.stride(), strip.cols);
    for row in 0..strip.rows {
        let from = strip.row(row);
        let (own, below) =
            (&labels[from..from + cols + 1], &labels[from + stride - 1..from + stride + cols + 1]);
        for c in 0..cols {
            let label = own[c];
            let others = [own[c + 1], below[c], below[c + 1], below[c + 2]];
            let differs =
                (label ^ others[0]) | (label ^ others[1]) | (label ^ others[2]) | (label ^ others[3]);
            if differs == 0 || label == BARE {
                continue;
            }
            let at = from + c;
            let level = z[at];
            for (other, at) in others.into_iter().zip([at + 1, at + stride - 1, at + stride, at + stride + 1])
            {
                if other != label && other != BARE {
                    let higher = if z[at] > level { z[at] } else { level };
                    found.add(label, other, rank(higher), catchments);
                }
            }
        }
    }
    found.finish()
}

/// Raises each cell to the level at which its catchment spills, and labels it with the anchor.
fn raise(strip: Strip, z: &mut [f32], labels: &mut [u32], spills: &[(u32, f32)], tally: &mut Tally) {
    for row in 0..strip.rows {
        let from = strip.row(row);
        let cells = z[from..from + strip.cols].iter_mut().zip(&mut labels[from..from + strip.cols]);
        for (z, label) in cells {
            if *label == BARE {
                *label = OUT;
                continue;
            }
            let (anchor, spill) = spills[*label as usize];
            *label = anchor;
            if spill > *z {
                tally.raised[row] += units(spill) - units(*z);
                *z = spill;
                *label |= RAISED;
            }
        }
    }
}

/// The anchors of all bands, and the passes between them.
pub(super) struct Anchors {
    /// For each band: what to add to its anchors' numbers, from 1 on.
    offsets: Vec<u32>,
    count: u32,
    passes: Vec<Pass>,
    /// Anchors of the last row of the last band met.
    last_row: Vec<u32>,
    last_z: Vec<f32>,
}

impl Anchors {
    pub fn new() -> Self {
        Self { offsets: Vec::new(), count: 1, passes: Vec::new(), last_row: Vec::new(), last_z: Vec::new() }
    }

    /// Takes the next band to the south.
    pub fn add(&mut self, spilled: &Spilled) {
        let offset = self.count - 1;
        let shift = |anchor: u32| if anchor == OUT || anchor == FREE { anchor } else { anchor + offset };
        self.offsets.push(offset);
        self.count += spilled.anchors - 1;
        let own = spilled.passes.iter().map(|p| Pass { rank: p.rank, a: shift(p.a), b: shift(p.b) });
        self.passes.extend(own);
        let first: Vec<u32> = spilled.border[0].iter().map(|&a| shift(a)).collect();
        if self.offsets.len() > 1 {
            self.join(&first, &spilled.border_z[0]);
        }
        self.last_row = spilled.border[1].iter().map(|&a| shift(a)).collect();
        self.last_z.clone_from(&spilled.border_z[1]);
    }

    /// The passes across a joint: each cell north of it with the three south of it.
    fn join(&mut self, first: &[u32], first_z: &[f32]) {
        let mut found = Gatherer::new(usize::MAX);
        for c in 0..first.len() {
            for other in c.saturating_sub(1)..=(c + 1).min(first.len() - 1) {
                let (a, b) = (self.last_row[c], first[other]);
                if a != FREE && b != FREE && a != b {
                    let (x, y) = (self.last_z[c], first_z[other]);
                    found.add(a, b, rank(if x > y { x } else { y }), 0);
                }
            }
        }
        self.passes.extend(found.finish());
    }

    /// The final level of each anchor.
    pub fn solve(mut self) -> Levels {
        let count = self.count as usize;
        self.passes.par_sort_unstable_by_key(|p| p.rank);
        let mut anchor = vec![FREE; count];
        anchor[OUT as usize] = OUT;
        let mut drained = Drained::new(anchor);
        drained.run(&self.passes, 1);
        let levels = (0..self.count).map(|a| drained.of(a).1).collect();
        Levels { offsets: self.offsets, levels }
    }
}

/// The level to which each anchor is filled.
pub(super) struct Levels {
    offsets: Vec<u32>,
    levels: Vec<f32>,
}

impl Levels {
    /// For a label of a band.
    #[inline]
    pub fn of(&self, band: usize, label: u32) -> f32 {
        match label & !RAISED {
            OUT => f32::NEG_INFINITY,
            anchor => self.levels[(anchor + self.offsets[band]) as usize],
        }
    }
}
