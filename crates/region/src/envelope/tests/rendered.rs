//! Squares of samples over made-up trees, for tests.

use super::synthetic::Tree;
use crate::envelope::{Channel, Envelope, Frame, Lists, Shaped, Style};
use grid::Vec3;

/// Samples to a side of a tile.
const TILE: usize = 16;

/// Samples of a square around the tree's middle, tile by tile, each with the links within `reach` of it.
pub(super) fn render(
    tree: &Tree,
    style: &Style,
    (side, spacing_m): (usize, f64),
    center: Vec3,
) -> Vec<Shaped> {
    let mut all = vec![Shaped::NOTHING; side * side];
    let mut out = vec![Shaped::NOTHING; TILE * TILE];
    let mut lists = Lists::default();
    for (ty, tx) in (0..side / TILE).flat_map(|r| (0..side / TILE).map(move |c| (r, c))) {
        let (at, channels) = gather(tree, style, (tx, ty), (side, spacing_m), center);
        let middle = at[TILE * TILE / 2 + TILE / 2];
        Envelope::new(style, Frame::flat(middle), channels.iter()).shape(&at, TILE, &mut lists, &mut out);
        for (k, shaped) in out.iter().enumerate() {
            all[(ty * TILE + k / TILE) * side + tx * TILE + k % TILE] = *shaped;
        }
    }
    all
}

fn gather(
    tree: &Tree,
    style: &Style,
    (tx, ty): (usize, usize),
    (side, spacing_m): (usize, f64),
    center: Vec3,
) -> (Vec<Vec3>, Vec<Channel>) {
    let half = 0.5 * side as f64;
    let at: Vec<Vec3> = (0..TILE * TILE)
        .map(|k| {
            let (c, r) = ((tx * TILE + k % TILE) as f64 + 0.5, (ty * TILE + k / TILE) as f64 + 0.5);
            center + Vec3::new((c - half) * spacing_m, (half - r) * spacing_m, 0.0)
        })
        .collect();
    let middle = (at[0] + at[TILE * TILE - 1]) * 0.5;
    // a sample bent, its reach, the floor and half a link
    let reach = style.reach_m() + 0.71 * TILE as f64 * spacing_m + 2.5 * style.site_m;
    let near = |c: &&Channel| c.a.lerp(c.b, 0.5).distance(middle) < reach;
    (at, tree.channels.iter().filter(near).copied().collect())
}
