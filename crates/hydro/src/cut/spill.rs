//! A tile filled on its own: what stays in it is filled to where it spills, the rest is said for later.
//!
//! `filled(c) = max(z(c), level of its catchment)`, as the way from `c` down to its pit rises nowhere. A catchment whose
//! lowest way out stays in the tile is given its level at once. Catchments that reach a side beyond which there is another are
//! *anchors*: their level depends on the other tiles. Every other drains to an anchor at a level known here, or out
//! (Barnes 2016, with catchments for cells of the border). What is left is the anchors and a forest of passes.

use super::catchments::{NO_DATA, OUTLET, PIT, UNSET, descents, spread_labels};
use super::passes::{Drained, FREE, Gatherer, Pass, rank};
use super::{Tile, without_ring};

/// Of a label of a cell: the tile itself has raised it.
pub(crate) const RAISED: u32 = 1 << 31;

/// The anchor of all that leaves the map.
pub(crate) const OUT: u32 = 0;

/// A tile filled on its own.
pub(crate) struct Spilled {
    /// Level of each cell, as far as it is known.
    pub surface: Vec<f32>,
    /// Anchor of each cell, and [`RAISED`]; [`OUT`] where there is no data.
    pub labels: Vec<u32>,
    /// Number of anchors, [`OUT`] included.
    pub anchors: u32,
    /// Passes between anchors of the tile.
    pub passes: Vec<Pass>,
    /// Anchors of the cells of [`Tile::border`], [`FREE`] where there is no data.
    pub border: Vec<u32>,
    /// Elevation of these cells; none of them is raised, for what holds them is an anchor or leaves the map.
    pub border_z: Vec<f32>,
    pub tally: Tally,
}

/// What is counted while the tile's elevation is at hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
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
pub(crate) fn units(level: f32) -> i128 {
    // Saturates far above anything that is an elevation.
    (f64::from(level) * UNITS_PER_M) as i64 as i128
}

pub(crate) const UNITS_PER_M: f64 = (1u32 << 20) as f64;

/// Fills a tile; `z` with its ring.
pub(crate) fn spill(tile: Tile, z: Vec<f32>) -> Spilled {
    let codes = descents(tile, &z);
    let (mut labels, catchments) = number(tile, &codes);
    let mut tally = count(tile, &z, &codes);
    spread_labels(tile, &codes, &mut labels);
    drop(codes);
    let (anchor, anchors) = anchors(tile, &labels, catchments);
    let passes = passes(tile, &z, &labels, catchments);
    let mut drained = Drained::new(anchor);
    let passes = drained.run(&passes, anchors as usize);
    let spills: Vec<(u32, f32)> = (0..catchments as u32).map(|c| drained.of(c)).collect();
    drop(drained);
    let mut surface = z;
    raise(tile, &mut surface, &mut labels, &spills, &mut tally);
    let border_z: Vec<f32> = tile.border().map(|at| surface[at]).collect();
    let anchor = |(at, z): (usize, &f32)| if z.is_nan() { FREE } else { labels[at] & !RAISED };
    let border = tile.border().zip(&border_z).map(anchor).collect();
    let labels = without_ring(tile, labels);
    Spilled { surface: without_ring(tile, surface), labels, anchors, passes, border, border_z, tally }
}

/// Labels of pits from 1 in their order, [`OUT`] for outlets, [`FREE`] without data, [`UNSET`] else; and how many.
fn number(tile: Tile, codes: &[u8]) -> (Vec<u32>, usize) {
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
    debug_assert_eq!(codes.len(), tile.padded_len());
    (labels, next as usize + 1)
}

/// Label of a cell without data.
const BARE: u32 = u32::MAX - 1;

fn count(tile: Tile, z: &[f32], codes: &[u8]) -> Tally {
    let offsets = tile.offsets();
    let mut tally = Tally { raised: vec![0; tile.rows], ..Tally::default() };
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for row in 0..tile.rows {
        let from = tile.row(row);
        let cells = from..from + tile.cols;
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

/// The catchments that hold cells beside another tile, numbered from 1 as anchors; [`OUT`] is one too.
fn anchors(tile: Tile, labels: &[u32], catchments: usize) -> (Vec<u32>, u32) {
    let mut anchor = vec![FREE; catchments];
    anchor[OUT as usize] = OUT;
    let mut count = 1;
    for label in tile.border().map(|at| labels[at]).filter(|&label| label != BARE) {
        let anchor = &mut anchor[label as usize];
        if *anchor == FREE {
            *anchor = count;
            count += 1;
        }
    }
    (anchor, count)
}

/// The passes between the catchments of the tile, lowest first.
fn passes(tile: Tile, z: &[f32], labels: &[u32], catchments: usize) -> Vec<Pass> {
    let mut found = Gatherer::new(tile.padded_len() / 2);
    let (stride, cols) = (tile.stride(), tile.cols);
    for row in 0..tile.rows {
        let from = tile.row(row);
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
fn raise(tile: Tile, z: &mut [f32], labels: &mut [u32], spills: &[(u32, f32)], tally: &mut Tally) {
    for row in 0..tile.rows {
        let from = tile.row(row);
        let cells = z[from..from + tile.cols].iter_mut().zip(&mut labels[from..from + tile.cols]);
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
