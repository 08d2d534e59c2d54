//! Faults: the boundaries between plates as lines, each convergent, divergent or transform, with a rate.
//!
//! The sides between cells of different plates are strung together from vertex to vertex, smoothed (cells
//! leave staircases) and resampled. At each point the relative velocity `v` of the plates is split into the
//! part across the line and the part along it; the line is cut where the kind changes, or where one of its sides
//! turns from land to sea.
//!
//! ```text
//! closing = (v_a - v_b) . n        n: from plate a to plate b, across the line
//! convergent:  closing > |v| / 4     divergent: closing < -|v| / 4     transform: otherwise
//! ```
//!
//! Where plates close, one overrides the other: the continent the ocean; of two alike, the one that the pair draws.

use crate::crust::plates::Plates;
use crate::crust::polyline::Polyline;
use crate::fields::size_scale;
use grid::{Cell, Direction, Edge, Field, Grid, Nth, Purpose, Seed, Topology, Vec3, Vertex};
use std::collections::{BTreeMap, BTreeSet};

const UPPER: Purpose = Purpose::new("world/faults/upper");

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

/// What lies on one side of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crust {
    /// Land.
    Continental,
    /// Sea.
    Oceanic,
}

/// Sides of a line, seen from above, looking along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// On the left hand.
    Left,
    /// On the right hand.
    Right,
}

impl Side {
    /// 1 on the left, -1 on the right: the sign of distances beside a line.
    pub fn sign(self) -> f64 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
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
    /// What lies on the side of each of them.
    pub crusts: (Crust, Crust),
    /// Where the plate lies that overrides, or would.
    pub upper: Side,
    /// Points in metres, in order.
    pub points_m: Vec<Vec3>,
}

impl Fault {
    /// Whether either side is land.
    pub fn touches_land(&self) -> bool {
        self.crusts.0 == Crust::Continental || self.crusts.1 == Crust::Continental
    }

    /// Whether both sides are land.
    pub fn is_inland(&self) -> bool {
        self.crusts == (Crust::Continental, Crust::Continental)
    }
}

/// How far from a fault its sides are looked at, on an Earth-sized planet.
const SIDE_REACH_M: f64 = 230_000.0;
/// A side is continental where the share of land is at least this.
const CONTINENTAL_SHARE: f64 = 0.4;
/// Shorter pieces of a boundary take the nature of the piece before them, on an Earth-sized planet.
const LEAST_RUN_M: f64 = 300_000.0;

/// Times a line of vertices is averaged with its neighbours.
const SMOOTHING_PASSES: usize = 24;
/// Spacing of a fault's points, in cells.
const SPACING_CELLS: f64 = 3.0;

/// All faults, in the order of their plates and addresses. `land_share` is the share of land around each cell.
pub fn trace_faults(grid: &Topology, plates: &Plates, land_share: &Field<f32>, seed: Seed) -> Vec<Fault> {
    let mut faults = Vec::new();
    for ((a, b), sides) in boundary_sides(grid, plates) {
        for chain in string_together(&sides) {
            let points = chain.iter().map(|&v| grid.vertex_position(v) * grid.metres_per_unit()).collect();
            let boundary = Boundary {
                grid,
                plates,
                land_share,
                pair: (a, b),
                across: average(across(grid, &chain, &sides)),
                points_m: smooth(grid, points),
            };
            faults.extend(boundary.cut(seed));
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
    average(points).into_iter().map(|p| grid.on_surface_m(p)).collect()
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

/// The line between two plates, before it is cut.
struct Boundary<'a> {
    grid: &'a Topology,
    plates: &'a Plates,
    land_share: &'a Field<f32>,
    pair: (u16, u16),
    points_m: Vec<Vec3>,
    /// At each point the direction from the first plate to the second.
    across: Vec<Vec3>,
}

/// What a boundary is at a point.
type Nature = (FaultKind, Crust, Crust);

impl Boundary<'_> {
    /// The pieces along which the boundary is of one nature; they share the points where they meet.
    fn cut(&self, seed: Seed) -> Vec<Fault> {
        let motion: Vec<(FaultKind, f64, f64)> = (0..self.points_m.len()).map(|i| self.motion(i)).collect();
        let natures =
            (0..self.points_m.len()).map(|i| (motion[i].0, self.crust(i, -1.0), self.crust(i, 1.0)));
        let natures = self.without_short_runs(natures.collect());
        let mut faults = Vec::new();
        let mut start = 0;
        while start + 1 < natures.len() {
            let nature = natures[start];
            let run = natures[start..].iter().take_while(|&&n| n == nature).count();
            let end = (start + run).min(natures.len() - 1);
            let rate =
                |m: &(FaultKind, f64, f64)| if nature.0 == FaultKind::Transform { m.2 } else { m.1.abs() };
            let sum: f64 = motion[start..start + run].iter().map(rate).sum();
            faults.push(self.fault(nature, sum / run as f64, (start, end), seed));
            start = end;
        }
        faults
    }

    /// Kind, rate of closing and rate of sliding at a point, in mm/yr.
    fn motion(&self, i: usize) -> (FaultKind, f64, f64) {
        let (a, b) = self.pair;
        let p = self.points_m[i];
        let v = self.plates.velocity_mm_yr(a, p) - self.plates.velocity_mm_yr(b, p);
        let closing = v.dot(self.across[i].normalized());
        let sliding = (v.length_squared() - closing * closing).max(0.0).sqrt();
        (FaultKind::of(closing, v.length()), closing, sliding)
    }

    /// What lies beside a point, towards the second plate (1) or the first (-1).
    fn crust(&self, i: usize, towards: f64) -> Crust {
        let reach_m = SIDE_REACH_M * size_scale(self.grid);
        let p = self.points_m[i] + self.across[i].normalized() * (towards * reach_m);
        let place = self.grid.nearest_inside(p / self.grid.metres_per_unit());
        let share = self.grid.locate(place).map_or(0.0, |c| f64::from(self.land_share[c]));
        if share > CONTINENTAL_SHARE { Crust::Continental } else { Crust::Oceanic }
    }

    fn without_short_runs(&self, mut natures: Vec<Nature>) -> Vec<Nature> {
        let least = (LEAST_RUN_M * size_scale(self.grid) / self.grid.cell_m()).ceil() as usize;
        let mut start = 0;
        while start < natures.len() {
            let nature = natures[start];
            let run = natures[start..].iter().take_while(|&&n| n == nature).count();
            if run < least && start > 0 {
                let before = natures[start - 1];
                natures[start..start + run].fill(before);
            }
            start += run;
        }
        natures
    }

    fn fault(&self, nature: Nature, rate_mm_yr: f64, (start, end): (usize, usize), seed: Seed) -> Fault {
        let (kind, crust_a, crust_b) = nature;
        let line = Polyline::new(self.points_m[start..=end].to_vec());
        let line = line.resampled(SPACING_CELLS * self.grid.cell_m());
        let points_m: Vec<Vec3> = line.points.into_iter().map(|p| self.grid.on_surface_m(p)).collect();
        let (a, b) = self.pair;
        let second_is_upper = match (crust_a, crust_b) {
            (Crust::Oceanic, Crust::Continental) => true,
            (Crust::Continental, Crust::Oceanic) => false,
            _ => seed.key(UPPER).within(Nth(a.into())).at(Nth(b.into())).unit() < 0.5,
        };
        let second_is_left = self.second_is_left(start, end);
        let upper = if second_is_upper == second_is_left { Side::Left } else { Side::Right };
        Fault { kind, rate_mm_yr, plates: (a, b), crusts: (crust_a, crust_b), upper, points_m }
    }

    /// Whether the second plate lies on the left hand along a piece.
    fn second_is_left(&self, start: usize, end: usize) -> bool {
        let lean = |i: usize| {
            let (p, along) = (self.points_m[i], self.points_m[i + 1] - self.points_m[i]);
            up(self.grid, p).cross(along).dot(self.across[i])
        };
        (start..end).map(lean).sum::<f64>() > 0.0
    }
}

/// Away from the ground at a position in metres; of any length.
pub(crate) fn up(grid: &Topology, p_m: Vec3) -> Vec3 {
    match grid {
        Topology::Globe(_) => p_m.normalized(),
        Topology::Flat(_) => Vec3::new(0.0, 0.0, 1.0),
    }
}

/// A line beside another, `offset_m` metres to the left of it (to the right if negative), smoothed.
pub(crate) fn beside_m(grid: &Topology, points: &[Vec3], offset_m: f64) -> Vec<Vec3> {
    let last = points.len() - 1;
    let moved = (0..=last).map(|i| {
        let along = points[(i + 1).min(last)] - points[i.saturating_sub(1)];
        points[i] + up(grid, points[i]).cross(along).normalized() * offset_m
    });
    smooth(grid, moved.collect())
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
        let sea = Field::filled(grid.shape(), 0.0);
        let plates = divide_into_plates(&grid, &PlateParams::default(), &sea, Seed(4));
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
        let sea = Field::filled(grid.shape(), 0.0);
        let params = PlateParams { count: 2, ..Default::default() };
        let mut plates = divide_into_plates(&grid, &params, &sea, Seed(1));
        plates.id = Field::from_fn(grid.shape(), |c| u16::from(grid.center(c).x > 200_000.0));
        let right = Vec3::new(20.0, 0.0, 0.0);
        for (v, kind) in [
            (right, FaultKind::Convergent),
            (-right, FaultKind::Divergent),
            (Vec3::new(0.0, 20.0, 0.0), FaultKind::Transform),
        ] {
            plates.plates[0].motion = v;
            plates.plates[1].motion = -v;
            let faults = trace_faults(&grid, &plates, &sea, Seed(1));
            assert_eq!(faults.len(), 1);
            assert_eq!(faults[0].kind, kind);
            assert!((faults[0].rate_mm_yr - 40.0).abs() < 1e-9);
            assert!(faults[0].points_m.iter().all(|p| (p.x - 200_000.0).abs() < 1.0));
        }
    }

    #[test]
    fn a_continent_overrides_an_ocean() {
        let grid = Topology::Flat(Flat::new(40, 30, 50_000.0).expect("a small map"));
        let share = Field::from_fn(grid.shape(), |c| f32::from(u8::from(grid.center(c).x > 1_000_000.0)));
        let params = PlateParams { count: 2, ..Default::default() };
        let mut plates = divide_into_plates(&grid, &params, &share, Seed(1));
        for (west, east) in [(0, 1), (1, 0)] {
            plates.id =
                Field::from_fn(grid.shape(), |c| if grid.center(c).x > 1_000_000.0 { east } else { west });
            plates.plates[usize::from(west)].motion = Vec3::new(20.0, 0.0, 0.0);
            plates.plates[usize::from(east)].motion = Vec3::new(-20.0, 0.0, 0.0);
            let faults = trace_faults(&grid, &plates, &share, Seed(1));
            assert_eq!((faults.len(), faults[0].kind), (1, FaultKind::Convergent));
            let middle = faults[0].points_m.len() / 2;
            let upper = beside_m(&grid, &faults[0].points_m, faults[0].upper.sign() * 200_000.0)[middle];
            assert!((upper.x - 1_200_000.0).abs() < 1.0, "{upper:?}");
            assert!(faults[0].touches_land() && !faults[0].is_inland());
        }
    }
}
