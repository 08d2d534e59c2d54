//! Law 3: a border belongs to the edge, not to either cell. Where a ridge or a river crosses from one cell to
//! the next, both cells say the same of it, also where faces of the cube meet.

use crate::support::*;
use grid::{Cell, Direction, Grid, RidgeDirections, Vec3};
use region::{CellFeatures, River, features_of};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use world::World;

/// Both cells compute a position in the same way from the same edge: rounding is all that may differ.
const CLOSE_M: f64 = 1e-6;

/// Features of all cells, in the order of cells.
fn features(world: &'static World, kept: &'static OnceLock<Vec<CellFeatures>>) -> &'static [CellFeatures] {
    kept.get_or_init(|| {
        let cells: Vec<Cell> = world.grid.cells().collect();
        features_of(world, &cells, 1).expect("in memory")
    })
}

/// A globe with many rivers, one with many ridges, and a flat map.
fn worlds() -> [(&'static World, &'static [CellFeatures]); 3] {
    static SMALL: OnceLock<Vec<CellFeatures>> = OnceLock::new();
    static RUGGED: OnceLock<Vec<CellFeatures>> = OnceLock::new();
    static FLAT: OnceLock<Vec<CellFeatures>> = OnceLock::new();
    [
        (small(), features(small(), &SMALL)),
        (rugged(), features(rugged(), &RUGGED)),
        (island(), features(island(), &FLAT)),
    ]
}

fn ridges(world: &World, cell: Cell) -> RidgeDirections {
    RidgeDirections::from_bits_retain(world.ridge_directions[cell])
}

/// Whether two neighbours lie on different faces of the cube.
fn over_edge(world: &World, a: Cell, b: Cell) -> bool {
    world.grid.shape().split(a).0 != world.grid.shape().split(b).0
}

/// Distance of a crossing from the border that both cells share: its edge, or the corner between them.
fn from_border_m(world: &World, cell: Cell, direction: Direction, at: Vec3) -> f64 {
    let grid = &world.grid;
    let metres = grid.metres_per_unit();
    if let Some(edge) = grid.edge(cell, direction) {
        let place = |k: u32| grid.along_edge(edge, f64::from(k) / 256.0) * metres;
        return (0..=256).map(|k| place(k).distance(at)).fold(f64::INFINITY, f64::min);
    }
    let vertex = grid.vertex(cell, direction).expect("a corner");
    (grid.vertex_position(vertex) * metres).distance(at)
}

#[test]
fn ridge_bytes_are_symmetric() {
    let mut set = 0;
    for (world, _) in worlds() {
        for cell in world.grid.cells() {
            for direction in ridges(world, cell).directions() {
                let step = world.grid.step(cell, direction).expect("ridges lead to cells that exist");
                assert!(ridges(world, step.cell).has(step.back), "{cell:?} {direction:?}");
                set += 1;
            }
        }
    }
    assert!(set > 1_000, "only {set} bits are set");
}

#[test]
fn ridges_meet_at_borders() {
    let (mut checked, mut far, mut corners) = (0, 0, 0);
    for (world, features) in worlds() {
        let grid = &world.grid;
        for cell in grid.cells() {
            let own = &features[cell.index()].ridges;
            assert_eq!(own.len(), ridges(world, cell).directions().count(), "{cell:?}");
            for (ridge, direction) in own.iter().zip(ridges(world, cell).directions()) {
                let step = grid.step(cell, direction).expect("ridges lead to cells that exist");
                let which = ridges(world, step.cell).directions().position(|d| d == step.back);
                let other = &features[step.cell.index()].ridges[which.expect("bits are symmetric")];
                let gap_m = ridge.points_m[0].distance(other.points_m[0]);
                assert!(gap_m < CLOSE_M, "{cell:?} {direction:?}: {gap_m} m apart");
                assert_eq!(ridge.heights_m[0], other.heights_m[0], "{cell:?} {direction:?}");
                let off = from_border_m(world, cell, direction, ridge.points_m[0]) / grid.cell_m();
                assert!(off < 0.2, "{cell:?} {direction:?}: crosses {off} cells away from the border");
                checked += 1;
                far += usize::from(over_edge(world, cell, step.cell));
                corners += usize::from(!direction.is_side());
            }
        }
    }
    assert!(checked > 1_000 && corners > 200, "{checked} crossings, {corners} of them over corners");
    assert!(far > 5, "{far} crossings between faces");
}

/// The pieces of a cell that bring the water of another, and the one by which it leaves.
fn inflow(features: &CellFeatures, from: Cell) -> Option<&River> {
    features.rivers.iter().find(|r| r.from == from)
}

#[test]
fn rivers_meet_at_borders() {
    for (world, features) in worlds() {
        let grid = &world.grid;
        let (mut checked, mut far) = (0, 0);
        for cell in grid.cells() {
            let leaving = features[cell.index()].rivers.iter().find(|r| r.from == cell);
            let Some(receiver) = world.receiver_of(cell) else {
                assert!(leaving.is_none(), "{cell:?} has no receiver, but a river leaves it");
                continue;
            };
            let leaving = leaving.unwrap_or_else(|| panic!("no river leaves {cell:?}"));
            let arriving = inflow(&features[receiver.index()], cell)
                .unwrap_or_else(|| panic!("the river of {cell:?} does not arrive in {receiver:?}"));
            let last = leaving.points_m.len() - 1;
            let gap_m = leaving.points_m[last].distance(arriving.points_m[0]);
            assert!(gap_m < CLOSE_M, "{cell:?}: {gap_m} m apart");
            assert_eq!(leaving.surface_m[last], arriving.surface_m[0], "{cell:?}");
            assert_eq!(leaving.bed_m[last], arriving.bed_m[0], "{cell:?}");
            assert_eq!(leaving.discharge_m3_s, arriving.discharge_m3_s, "{cell:?}");
            assert_eq!(
                (leaving.order, leaving.side_slope),
                (arriving.order, arriving.side_slope),
                "{cell:?}"
            );
            assert_eq!(leaving.discharge_m3_s, world.discharge_m3_s[cell], "{cell:?}");
            checked += 1;
            far += usize::from(over_edge(world, cell, receiver));
        }
        assert!(checked > 1_000, "only {checked} rivers");
        assert!(far > 50 || grid.shape().faces == 1, "{far} rivers between faces");
    }
}

/// Nothing arrives that has not left: every piece belongs to the cell itself or to a cell that drains to it.
#[test]
fn no_river_comes_from_nowhere() {
    for (world, features) in worlds() {
        for cell in world.grid.cells() {
            let mut sources = BTreeSet::new();
            for river in &features[cell.index()].rivers {
                let known = river.from == cell || world.receiver_of(river.from) == Some(cell);
                assert!(known, "{cell:?} has water of {:?}", river.from);
                assert!(sources.insert(river.from), "{cell:?} has water of {:?} twice", river.from);
            }
            let around = world.grid.neighbors(cell).filter(|&(_, n)| world.receiver_of(n) == Some(cell));
            assert!(around.map(|(_, n)| n).all(|n| sources.contains(&n)), "{cell:?} lacks an inflow");
        }
    }
}

/// In a cell, all that meets does so at one place: rivers at a junction, and ridges on a line through another, some at
/// its middle and some from the side, at the height of that line.
#[test]
fn features_of_a_cell_meet() {
    let mut aside = 0;
    for (world, features) in worlds() {
        for cell in world.grid.cells() {
            let own = &features[cell.index()];
            for (k, ridge) in own.ridges.iter().enumerate().filter(|_| own.ridges.len() > 1) {
                let end = (*last(&ridge.points_m), *last(&ridge.heights_m));
                let others = own.ridges.iter().enumerate().filter(|(n, _)| *n != k).map(|(_, r)| r);
                let mut points = others.flat_map(|r| r.points_m.iter().zip(&r.heights_m));
                assert!(
                    points.any(|(p, h)| *p == end.0 && (h - end.1).abs() < CLOSE_M),
                    "ridges of {cell:?}"
                );
            }
            let ends: BTreeSet<[u64; 3]> = own
                .ridges
                .iter()
                .map(|r| *last(&r.points_m))
                .map(|p| [p.x, p.y, p.z].map(f64::to_bits))
                .collect();
            aside += ends.len().saturating_sub(1);
            let end = |r: &River| if r.from == cell { r.points_m[0] } else { *last(&r.points_m) };
            let ends: Vec<Vec3> = own.rivers.iter().map(end).collect();
            assert!(ends.windows(2).all(|w| w[0] == w[1]), "rivers of {cell:?}");
        }
    }
    assert!(aside > 20, "{aside} ridges join from the side");
}

fn last<T>(values: &[T]) -> &T {
    &values[values.len() - 1]
}

/// Different edges draw different places: crossings do not all lie in the middle, nor at one share.
#[test]
fn crossings_vary_from_edge_to_edge() {
    let (world, features) = worlds()[1];
    let grid = &world.grid;
    let mut shares = Vec::new();
    for cell in grid.cells() {
        for (ridge, direction) in features[cell.index()].ridges.iter().zip(ridges(world, cell).directions()) {
            let Some(edge) = grid.edge(cell, direction) else { continue };
            let (low, high) = edge.ends();
            let [a, b] = [low, high].map(|v| grid.vertex_position(v) * grid.metres_per_unit());
            shares.push((ridge.points_m[0] - a).dot(b - a) / (b - a).length_squared());
        }
    }
    let within = |low: f64, high: f64| shares.iter().filter(|s| (low..high).contains(s)).count();
    let quarter = shares.len() / 4;
    assert!(quarter > 100, "{}", shares.len());
    assert!(within(-0.3, 0.5) > quarter && within(0.5, 1.3) > quarter && within(0.0, 0.4) > quarter / 2);
}
