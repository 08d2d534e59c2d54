//! Trunks: the children of a parent that carry on its own water and that of everything upstream.

use super::ways::{Exit, Ways};

/// A child on a trunk, by its number among the children of its parent, with the one its water goes to; none for the exit,
/// whose water goes out of the parent.
pub(super) type Step = (u32, Option<u32>);

/// The trunk of parent `p`, as parents are left by these exits. Water that comes in at each child of `entries` (a bit for each)
/// takes the way of least cost.
pub(super) fn find(
    ways: &Ways,
    (p, exits): (usize, &[Exit]),
    exit: u32,
    entries: u8,
) -> impl Iterator<Item = Step> {
    let mut to: [Option<u32>; 4] = [None; 4];
    if entries & !(1 << exit) != 0 {
        to = least_ways(&ways.within((p, exits), exit as usize), exit);
    }
    let mut on = [false; 4];
    on[exit as usize] = true;
    for entry in (0..4).filter(|k| entries >> k & 1 == 1) {
        let mut k = entry;
        while !on[k as usize] {
            on[k as usize] = true;
            k = to[k as usize].expect("the four children of a parent are connected");
        }
    }
    let step = move |k: u32| (k, if k == exit { None } else { to[k as usize] });
    (0..4).filter(move |&k| on[k as usize]).map(step)
}

/// Of each child the next on its least way to the exit, by relaxing three times over at most five links, each with its
/// cost from one child to another; infinite where there is none.
fn least_ways(costs: &[[f64; 4]; 4], exit: u32) -> [Option<u32>; 4] {
    let mut cost = [f64::INFINITY; 4];
    let mut to = [None; 4];
    cost[exit as usize] = 0.0;
    for _ in 0..3 {
        for from in (0..4).filter(|&k| k != exit as usize) {
            for next in 0..4 {
                let through = cost[next] + costs[from][next];
                if through < cost[from] {
                    (cost[from], to[from]) = (through, Some(next as u32));
                }
            }
        }
    }
    to
}
