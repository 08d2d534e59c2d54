//! Ridge lines in the way: which links cross them.
//!
//! Lines and sites are compared in bent space, where lines are known. Pieces of lines are filed under the parents that
//! they pass; a link is compared with those of its two parents.

use super::mesh::Mesh;
use grid::{Grid, Topology, Vec3};

/// Pieces of ridge lines by the parts of a mesh.
pub(super) struct Crests<'a> {
    pieces: &'a [(Vec3, Vec3)],
    /// Numbers of pieces, part by part, and where each part's begin.
    filed: Vec<u32>,
    first: Vec<u32>,
    flat: bool,
}

impl<'a> Crests<'a> {
    /// Files pieces (in bent space, metres) under the parts of a mesh.
    pub fn new(grid: &Topology, mesh: &Mesh, pieces: &'a [(Vec3, Vec3)]) -> Self {
        let size_m = mesh.level.size(grid.cell_m());
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (k, &(a, b)) in (0u32..).zip(pieces) {
            let steps = (a.distance(b) / (0.4 * size_m)).ceil().max(1.0) as u32;
            for step in 0..=steps {
                let p = grid.on_surface_m(a.lerp(b, f64::from(step) / f64::from(steps)));
                let part = grid.locate_part(mesh.level, p / grid.metres_per_unit());
                if let Some(at) = part.and_then(|p| mesh.find(p)) {
                    pairs.push((at as u32, k));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let first = (0..=mesh.parts.len() as u32).map(|p| pairs.partition_point(|pair| pair.0 < p) as u32);
        Self {
            pieces,
            first: first.collect(),
            filed: pairs.iter().map(|p| p.1).collect(),
            flat: matches!(grid, Topology::Flat(_)),
        }
    }

    /// How many lines the straight way from `a` in part `p` to `b` in part `q` crosses, up to 2; places in bent space.
    pub fn between(&self, (a, p): (Vec3, usize), (b, q): (Vec3, usize)) -> u32 {
        let of = |part: usize| &self.filed[self.first[part] as usize..self.first[part + 1] as usize];
        let (own, other): (&[u32], &[u32]) = (of(p), if p == q { &[] } else { of(q) });
        if own.is_empty() && other.is_empty() {
            return 0;
        }
        let up = if self.flat { Vec3::new(0.0, 0.0, 1.0) } else { (a + b).normalized() };
        let crosses = |k: &&u32| {
            let (c, d) = self.pieces[**k as usize];
            let left = |from: Vec3, to: Vec3, p: Vec3| up.dot((to - from).cross(p - from)) >= 0.0;
            left(a, b, c) != left(a, b, d) && left(c, d, a) != left(c, d, b)
        };
        let others = other.iter().filter(|k| !own.contains(k));
        own.iter().chain(others).filter(crosses).take(2).count() as u32
    }
}
