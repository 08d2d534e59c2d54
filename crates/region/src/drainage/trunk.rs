//! Trunks: the children of a parent that carry on its own water and that of everything upstream.

use super::plan::Ways;

/// The trunk of parent `p`: each of its children (0 to 3) on it, with the child its water goes to; the exit's goes out of
/// the parent. Water that comes in at each child of `entries` (a bit for each) takes the way of least cost.
pub(super) fn find(ways: &Ways, p: usize, exit: u32, entries: u8) -> Vec<(u32, Option<u32>)> {
    let mut to: [Option<u32>; 4] = [None; 4];
    if entries & !(1 << exit) != 0 {
        to = least_ways(ways, p, exit);
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
    (0..4).filter(|&k| on[k as usize]).map(|k| (k, if k == exit { None } else { to[k as usize] })).collect()
}

/// Of each child the next on its least way to the exit, by relaxing three times over at most five links.
fn least_ways(ways: &Ways, p: usize, exit: u32) -> [Option<u32>; 4] {
    let index = |k: u32| 4 * p + k as usize;
    let mut cost = [f64::INFINITY; 4];
    let mut to = [None; 4];
    cost[exit as usize] = 0.0;
    for _ in 0..3 {
        for from in (0..4).filter(|&k| k != exit) {
            for next in (0..4).filter(|&k| k != from && ways.linked(index(from), index(k))) {
                let through = cost[next as usize] + ways.cost_within(p, index(from), index(next)).max(1e-6);
                if through < cost[from as usize] {
                    (cost[from as usize], to[from as usize]) = (through, Some(next));
                }
            }
        }
    }
    to
}
