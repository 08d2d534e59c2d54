//! Faults: the boundaries between plates as lines, each convergent, divergent or transform, with a rate.
//!
//! The sides between cells of different plates are strung together from vertex to vertex, smoothed (cells
//! leave staircases) and resampled. At each point the relative velocity `v` of the plates is split into the
//! part across the line and the part along it; the line is cut where the kind changes.
//!
//! ```text
//! closing = (v_a - v_b) . n        n: from plate a to plate b, across the line
//! convergent:  closing > |v| / 4     divergent: closing < -|v| / 4     transform: otherwise
//! ```

use crate::crust::plates::Plates;
use crate::crust::polyline::Polyline;
use grid::{Cell, Direction, Edge, Grid, Topology, Vec3, Vertex};
use std::collections::{BTreeMap, BTreeSet};

/// What two plates do at a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// They close on each other.
    Convergent,
    /// They part.
    Divergent,
    /// They slide past each other.
    Transform,
}

impl FaultKind {
    /// The kind's name in files: `convergent`, `divergent` or `transform`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Convergent => "convergent",
            Self::Divergent => "divergent",
            Self::Transform => "transform",
        }
    }

    fn of(closing: f64, speed: f64) -> Self {
        if closing > speed / 4.0 {
            Self::Convergent
        } else if closing < -speed / 4.0 {
            Self::Divergent
        } else {
            Self::Transform
        }
    }
}

/// A piece of a plate boundary along which the plates do one thing.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What the plates do.
    pub kind: FaultKind,
    /// Mean rate in mm/yr: of closing, parting or sliding; always positive.
    pub rate_mm_yr: f64,
    /// The two plates, the lower number first.
    pub plates: (u16, u16),
    /// Points in metres, in order.
    pub points_m: Vec<Vec3>,
}

/// Times a line of vertices is averaged with its neighbours.
const SMOOTHING_PASSES: usize = 24;
/// Spacing of a fault's points, in cells.
const SPACING_CELLS: f64 = 3.0;

/// All faults, in the order of their plates and addresses.
pub fn trace_faults(grid: &Topology, plates: &Plates) -> Vec<Fault> {
    let mut faults = Vec::new();
    for ((a, b), sides) in boundary_sides(grid, plates) {
        for chain in string_together(&sides) {
            let points: Vec<Vec3> =
                chain.iter().map(|&v| grid.vertex_position(v) * grid.metres_per_unit()).collect();
            let across = across(grid, &chain, &sides);
            cut_by_kind(grid, plates, (a, b), smooth(grid, points), across, &mut faults);
        }
    }
    faults
}

/// The sides between two plates, each with the cell of the lower plate.
type Sides = BTreeMap<Edge, (Cell, Direction)>;

fn boundary_sides(grid: &Topology, plates: &Plates) -> BTreeMap<(u16, u16), Sides> {
    let mut found: BTreeMap<(u16, u16), Sides> = BTreeMap::new();
    for cell in grid.cells() {
        for side in Direction::SIDES {
            let Some(other) = grid.neighbor(cell, side) else { continue };
            let (a, b) = (plates.id[cell], plates.id[other]);
            if a < b
                && let Some(edge) = grid.edge(cell, side)
            {
                found.entry((a, b)).or_default().insert(edge, (cell, side));
            }
        }
    }
    found
}

/// Chains of vertices that use every side once: first those with loose ends, then rings.
fn string_together(sides: &Sides) -> Vec<Vec<Vertex>> {
    let mut at: BTreeMap<Vertex, BTreeSet<Vertex>> = BTreeMap::new();
    for (a, b) in sides.keys().map(|e| e.ends()) {
        at.entry(a).or_default().insert(b);
        at.entry(b).or_default().insert(a);
    }
    let loose: Vec<Vertex> = at.iter().filter(|(_, next)| next.len() % 2 == 1).map(|(v, _)| *v).collect();
    let all: Vec<Vertex> = at.keys().copied().collect();
    let mut chains = Vec::new();
    for start in loose.into_iter().chain(all) {
        while let Some(chain) = walk(&mut at, start) {
            chains.push(chain);
        }
    }
    chains
}

/// Follows unused sides from a vertex to where there are none left, using them up.
fn walk(at: &mut BTreeMap<Vertex, BTreeSet<Vertex>>, start: Vertex) -> Option<Vec<Vertex>> {
    let mut chain = vec![start];
    let mut here = start;
    while let Some(next) = at.get_mut(&here).and_then(BTreeSet::pop_first) {
        at.entry(next).or_default().remove(&here);
        chain.push(next);
        here = next;
    }
    (chain.len() > 1).then_some(chain)
}

/// For each vertex of a chain the direction from the lower plate to the other, over the sides it joins.
fn across(grid: &Topology, chain: &[Vertex], sides: &Sides) -> Vec<Vec3> {
    let of_side = |a: Vertex, b: Vertex| {
        let Some(&(cell, side)) = sides.get(&Edge::between(a, b)) else { return Vec3::default() };
        grid.neighbor(cell, side).map_or(Vec3::default(), |other| grid.center(other) - grid.center(cell))
    };
    let pieces: Vec<Vec3> = chain.windows(2).map(|w| of_side(w[0], w[1])).collect();
    (0..chain.len())
        .map(|i| {
            let before = i.checked_sub(1).map_or(Vec3::default(), |k| pieces[k]);
            before + pieces.get(i).copied().unwrap_or_default()
        })
        .collect()
}

fn smooth(grid: &Topology, points: Vec<Vec3>) -> Vec<Vec3> {
    average(points).into_iter().map(|p| on_surface(grid, p)).collect()
}

/// Averages each value with its neighbours many times; the ends stay, a ring moves as a whole.
fn average(mut values: Vec<Vec3>) -> Vec<Vec3> {
    let ring = values.len() > 3 && values.first() == values.last();
    for _ in 0..SMOOTHING_PASSES {
        let before = values.clone();
        let last = values.len() - 1;
        for i in 1..last {
            values[i] = before[i] * 0.5 + (before[i - 1] + before[i + 1]) * 0.25;
        }
        if ring {
            values[0] = before[0] * 0.5 + (before[last - 1] + before[1]) * 0.25;
            values[last] = values[0];
        }
    }
    values
}

/// Lifts a point that averaging has sunk below the sphere.
fn on_surface(grid: &Topology, p_m: Vec3) -> Vec3 {
    match grid {
        Topology::Globe(globe) => p_m.normalized() * globe.radius_m(),
        Topology::Flat(_) => p_m,
    }
}

/// Cuts a boundary where its kind changes and adds the pieces.
fn cut_by_kind(
    grid: &Topology,
    plates: &Plates,
    (a, b): (u16, u16),
    points: Vec<Vec3>,
    across: Vec<Vec3>,
    faults: &mut Vec<Fault>,
) {
    let across = average(across);
    let motion: Vec<(FaultKind, f64)> = points
        .iter()
        .zip(&across)
        .map(|(&p, n)| {
            let v = plates.velocity_mm_yr(a, p) - plates.velocity_mm_yr(b, p);
            let closing = v.dot(n.normalized());
            let kind = FaultKind::of(closing, v.length());
            let sliding = (v.length_squared() - closing * closing).max(0.0).sqrt();
            (kind, if kind == FaultKind::Transform { sliding } else { closing.abs() })
        })
        .collect();
    let mut start = 0;
    while start + 1 < points.len() {
        let kind = motion[start].0;
        let run = motion[start..].iter().take_while(|m| m.0 == kind).count();
        let end = (start + run).min(points.len() - 1); // pieces share the point where they meet
        let rate = motion[start..start + run].iter().map(|m| m.1).sum::<f64>() / run as f64;
        let line = Polyline::new(points[start..=end].to_vec()).resampled(SPACING_CELLS * grid.cell_m());
        let points_m = line.points.into_iter().map(|p| on_surface(grid, p)).collect();
        faults.push(Fault { kind, rate_mm_yr: rate, plates: (a, b), points_m });
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crust::plates::divide_into_plates;
    use crate::recipe::PlateParams;
    use grid::{Flat, Globe, Seed};

    #[test]
    fn chains_use_every_side_once() {
        let grid = Topology::Globe(Globe::new(24, 6.371e6).expect("a small globe"));
        let plates = divide_into_plates(&grid, &PlateParams::default(), Seed(4));
        for sides in boundary_sides(&grid, &plates).values() {
            let chains = string_together(sides);
            let mut used: Vec<Edge> =
                chains.iter().flat_map(|c| c.windows(2).map(|w| Edge::between(w[0], w[1]))).collect();
            let count = used.len();
            used.sort_unstable();
            used.dedup();
            assert_eq!((used.len(), count), (sides.len(), sides.len()));
        }
    }

    #[test]
    fn two_plates_that_close_meet_at_a_convergent_fault() {
        let grid = Topology::Flat(Flat::new(40, 30, 10_000.0).expect("a small map"));
        let mut plates = divide_into_plates(&grid, &PlateParams { count: 2, ..Default::default() }, Seed(1));
        plates.id = grid::Field::from_fn(grid.shape(), |c| u16::from(grid.center(c).x > 200_000.0));
        let right = Vec3::new(20.0, 0.0, 0.0);
        for (v, kind) in [
            (right, FaultKind::Convergent),
            (-right, FaultKind::Divergent),
            (Vec3::new(0.0, 20.0, 0.0), FaultKind::Transform),
        ] {
            plates.plates[0].motion = v;
            plates.plates[1].motion = -v;
            let faults = trace_faults(&grid, &plates);
            assert_eq!(faults.len(), 1);
            assert_eq!(faults[0].kind, kind);
            assert!((faults[0].rate_mm_yr - 40.0).abs() < 1e-9);
            assert!(faults[0].points_m.iter().all(|p| (p.x - 200_000.0).abs() < 1.0));
        }
    }
}
