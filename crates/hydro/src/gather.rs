//! What comes together along the flow: sums from above, and roots from below.

use crate::descent::{Gather, gather, gather_along};
use crate::flow::NO_CELL;
use crate::stencil::assert_shape;
use crate::{Flow, FlowError};
use grid::{Field, Grid};
use rayon::prelude::*;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicU32, Ordering};

/// Sum of `weight` over all cells whose water passes each cell, itself included, in the unit of the weight.
///
/// Areas give drainage area, runoff gives discharge, ones give the number of cells. Summed in an order that
/// depends on the flow only; exact for whole numbers up to 2^53. Cost: linear, in parallel.
pub fn accumulate(grid: &impl Grid, flow: &Flow, weight: &Field<f64>) -> Field<f64> {
    assert_shape(grid, &flow.receiver, "the flow");
    assert_shape(grid, weight, "the weight");
    let mut sum = weight.clone();
    gather_along(grid, flow, sum.as_mut_slice(), &Sum::new());
    sum
}

/// Number of cells whose water passes each cell, itself included, from receivers as [`Flow::from_receivers`] takes
/// them. Exact, and needs no order of cells. Cost: linear, in parallel.
///
/// # Errors
/// As [`Flow::from_receivers`].
pub fn accumulate_cells(grid: &impl Grid, receiver: &Field<u8>) -> Result<Field<u32>, FlowError> {
    assert_shape(grid, receiver, "the receivers");
    let mut count = Field::filled(grid.shape(), 1);
    gather(grid, receiver, count.as_mut_slice(), &Sum::new())?;
    Ok(count)
}

/// Everything that came down, added up.
struct Sum<T>(std::marker::PhantomData<T>);

impl<T> Sum<T> {
    fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<T: Copy + Send + Sync + AddAssign> Gather for Sum<T> {
    type Value = T;
    #[inline(always)]
    fn finish(&self, met: T) -> T {
        met
    }
    #[inline(always)]
    fn add(&self, below: &mut T, above: T) {
        *below += above;
    }
}

/// Address of the cell where the water of each cell ends. Cost: linear, in parallel.
pub fn basins(grid: &impl Grid, flow: &Flow) -> Field<u32> {
    assert_shape(grid, &flow.receiver, "the flow");
    let targets = flow.targets();
    let root: Vec<AtomicU32> = targets.par_iter().map(|_| AtomicU32::new(NO_CELL)).collect();
    // Each cell has one answer, so it makes no difference who writes it, or whether another has seen it yet. A piece
    // of the order seldom asks for a cell of another.
    let piece = flow.order().len().div_ceil(rayon::current_num_threads()).max(1);
    flow.order().par_chunks(piece).for_each(|cells| {
        cells.iter().for_each(|&cell| {
            let target = targets[cell.index()];
            let known =
                if target == NO_CELL { cell.0 } else { root[target as usize].load(Ordering::Relaxed) };
            if known == NO_CELL {
                find_root(targets, &root, cell.index());
            } else {
                root[cell.index()].store(known, Ordering::Relaxed);
            }
        })
    });
    let root = root.into_iter().map(AtomicU32::into_inner).collect();
    Field::from_vec(grid.shape(), root).expect("one for each cell")
}

/// Walks down to a cell whose root is known, then again to say so on the way.
fn find_root(targets: &[u32], root: &[AtomicU32], cell: usize) {
    let mut at = cell;
    let found = loop {
        let known = root[at].load(Ordering::Relaxed);
        if known != NO_CELL {
            break known;
        }
        if targets[at] == NO_CELL {
            break at as u32;
        }
        at = targets[at] as usize;
    };
    at = cell;
    while root[at].load(Ordering::Relaxed) == NO_CELL {
        root[at].store(found, Ordering::Relaxed);
        if targets[at] == NO_CELL {
            break;
        }
        at = targets[at] as usize;
    }
}
