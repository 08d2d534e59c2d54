//! Levels on a graph of basins, by contraction: each basin overflows over its lowest pass (Boruvka 1926).
//!
//! Let `w` be the level of the lowest pass out of a basin `b`, and `n` the basin behind it. All water of `b` rises to
//! `w` at least, and what stands above `w` there stands in `b` too, so `fill(b) = max(w, fill(n))` exactly. Where two
//! basins choose the same pass (or several choose passes of one level in a circle) their levels are equal and one
//! stands for all. What has chosen is taken together with its choice, and the next round asks for the lowest pass out
//! of the whole. Along choices of one round the level never rises, so the way to a whole's stand-in costs no more
//! than the way out of it, and the same equation holds for the stand-in.
//!
//! Each round at least halves the number of basins that can choose. Cost: linear in the passes, per round.

/// A place where two basins touch: water that stands at `level` (metres) can go either way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// One of the basins.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Least level at which one can get from one to the other here. A number; never -0.
    pub level: f32,
}

/// The node that stands for all that lies outside: its level is minus infinity.
pub(crate) const OUTSIDE: u32 = 0;

const NOBODY: u32 = u32::MAX;

/// Where each basin's water goes: `fill(node) = max(rise[node], fill(root[node]))`.
pub(crate) struct Contracted {
    /// The node that stands for this one: [`OUTSIDE`], or one whose lowest pass is not known.
    pub root: Vec<u32>,
    /// The highest pass on the way there; minus infinity at a root.
    pub rise: Vec<f32>,
}

/// Contracts a graph as far as its lowest passes are known.
///
/// `caps`: for each node, a level below which it has no passes but those given; a node whose lowest pass is higher
/// stays. On return, `passes` are those left between roots. Of equal passes the first in the list is taken, which
/// changes the roots but no level.
pub(crate) fn contract(passes: &mut Vec<Pass>, mut caps: Vec<f32>) -> Contracted {
    let count = caps.len();
    let mut to: Vec<u32> = (0..count as u32).collect();
    let mut root = to.clone();
    let mut up = vec![f32::NEG_INFINITY; count];
    let mut best = vec![(f32::INFINITY, NOBODY); count];
    let mut live: Vec<u32> = to.iter().skip(1).copied().collect();
    loop {
        choose(passes, &live, &mut best);
        let before = live.len();
        let mut gone = Vec::new();
        live.retain(|&node| {
            let (level, target) = best[node as usize];
            if target == NOBODY || level > caps[node as usize] {
                return true;
            }
            let end = find(&mut root, target);
            if end == node {
                return true; // a circle of choices of one level: this one stands for it
            }
            (root[node as usize], to[node as usize], up[node as usize]) = (end, target, level);
            gone.push(node);
            false
        });
        for node in gone {
            let end = find(&mut root, node) as usize;
            caps[end] = caps[end].min(caps[node as usize]);
        }
        if live.len() == before {
            break;
        }
        passes.retain_mut(|pass| {
            (pass.a, pass.b) = (find(&mut root, pass.a), find(&mut root, pass.b));
            pass.a != pass.b
        });
    }
    climb(to, up)
}

/// The lowest pass of each live node, and what is behind it.
fn choose(passes: &[Pass], live: &[u32], best: &mut [(f32, u32)]) {
    for &node in live {
        best[node as usize] = (f32::INFINITY, NOBODY);
    }
    let mut offer = |node: u32, level: f32, behind: u32| {
        let so_far = &mut best[node as usize];
        if level < so_far.0 || so_far.1 == NOBODY {
            *so_far = (level, behind);
        }
    };
    for pass in passes {
        offer(pass.a, pass.level, pass.b);
        offer(pass.b, pass.level, pass.a);
    }
}

/// The root of a node; ways are halved meanwhile.
pub(super) fn find(root: &mut [u32], mut node: u32) -> u32 {
    while root[node as usize] != node {
        let next = root[root[node as usize] as usize];
        root[node as usize] = next;
        node = next;
    }
    node
}

/// Follows each node's choices to the end, with the highest pass on the way.
fn climb(mut to: Vec<u32>, mut up: Vec<f32>) -> Contracted {
    let mut way = Vec::new();
    for start in 0..to.len() as u32 {
        let mut node = start;
        // Nodes behind an end or a node that leads straight to one need no more.
        while to[to[node as usize] as usize] != to[node as usize] {
            way.push(node);
            node = to[node as usize];
        }
        while let Some(node) = way.pop() {
            let next = to[node as usize] as usize;
            up[node as usize] = up[node as usize].max(up[next]);
            to[node as usize] = to[next];
        }
    }
    Contracted { root: to, rise: up }
}

/// The filled level of each node of a graph, where node 0 is the outside: minus infinity there.
///
/// A node that no way connects to the outside is never filled: it gets minus infinity, or the level up to which it is
/// connected to one that stands for it. Cost: that of a few passes over `passes`, which are used up.
pub fn levels(passes: &mut Vec<Pass>, nodes: usize) -> Vec<f32> {
    contract(passes, vec![f32::INFINITY; nodes]).rise
}
