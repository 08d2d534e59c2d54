//! Features of made-up worlds: dense random ridges, water that goes anywhere, numbers that are none.

use super::plan::Plane;
use super::*;
use crate::forged::{Forged, draws, globe, map, plain};
use grid::{Direction, RidgeDirections};
use world::CellState;

fn all(forged: &Forged, generations: u8) -> Vec<CellFeatures> {
    let cells: Vec<Cell> = forged.grid.cells().collect();
    made_of(forged, &cells, generations, |maker, _, cell| maker.features(cell)).expect("in memory")
}

fn worlds() -> Vec<Forged> {
    (0..3).flat_map(|n| [Forged::random(globe(), n), Forged::random(map(), n)]).collect()
}

fn last<T: Copy>(values: &[T]) -> T {
    values[values.len() - 1]
}

/// The ridge of a cell in a direction; cells with ridges have one for each bit that leads somewhere.
fn ridge<'a>(
    forged: &Forged,
    features: &'a [CellFeatures],
    cell: Cell,
    direction: Direction,
) -> Option<&'a Crest> {
    let at = forged.states[cell.index()].ridges.directions().position(|d| d == direction)?;
    features[cell.index()].ridges.get(at)
}

#[test]
fn both_cells_say_the_same_of_a_border() {
    let (mut sides, mut corners, mut over, mut parted) = (0, 0, 0, 0);
    for forged in worlds() {
        let (grid, features) = (&forged.grid, all(&forged, 1));
        let cells: Vec<Cell> = grid.cells().collect();
        let patch = Patch::fetch(&forged, cells.clone()).expect("in memory");
        let maker =
            Maker { patch: &patch, seed: Seed(forged.recipe.seed), cell_m: grid.cell_m(), generations: 1 };
        for (cell, direction) in cells.iter().flat_map(|&c| Direction::ALL.map(|d| (c, d))) {
            let Some(step) = grid.step(cell, direction) else { continue };
            let turned = maker.ridge_clockwise(cell, direction);
            assert_eq!(turned, maker.ridge_clockwise(step.cell, step.back).map(|t| !t));
            parted += usize::from(turned.is_some());
            if direction.is_side() {
                assert_eq!(maker.ridge_side(cell, direction), maker.ridge_side(step.cell, step.back));
            }
            let (own, other) =
                (ridge(&forged, &features, cell, direction), ridge(&forged, &features, step.cell, step.back));
            let (Some(own), Some(other)) = (own, other) else { continue };
            assert_eq!(own.points_m[0], other.points_m[0], "{cell:?} {direction:?}");
            assert_eq!(own.heights_m[0], other.heights_m[0], "{cell:?} {direction:?}");
            if direction.is_side() {
                sides += 1
            } else {
                corners += 1
            }
            over += usize::from(grid.shape().split(cell).0 != grid.shape().split(step.cell).0);
        }
    }
    assert!(
        sides > 2_000 && corners > 2_000 && over > 200 && parted > 500,
        "{sides} {corners} {over} {parted}"
    );
}

/// Ridge and river keep their order along a side that they share: the ridge on the side that the edge decided.
#[test]
fn a_ridge_passes_on_its_side_of_the_river() {
    let mut seen = 0;
    for forged in worlds() {
        let (grid, features) = (&forged.grid, all(&forged, 1));
        let patch = Patch::fetch(&forged, grid.cells().collect()).expect("in memory");
        let maker =
            Maker { patch: &patch, seed: Seed(forged.recipe.seed), cell_m: grid.cell_m(), generations: 1 };
        for cell in grid.cells() {
            let Some(direction) = forged.states[cell.index()].receiver.filter(|d| d.is_side()) else {
                continue;
            };
            let Some(clockwise) = maker.ridge_clockwise(cell, direction) else { continue };
            let own = &features[cell.index()];
            let Some(ridge) = ridge(&forged, &features, cell, direction) else { continue };
            let river = own.rivers.iter().find(|r| r.from == cell).expect("a river leaves");
            let corner =
                |turn| grid.vertex_position(grid.vertex(cell, direction.turned(turn)).expect("a corner"));
            let along = corner(1) - corner(7); // clockwise
            let apart = (ridge.points_m[0] - last(&river.points_m)).dot(along.normalized()) / grid.cell_m();
            assert!(if clockwise { apart > 0.1 } else { apart < -0.1 }, "{cell:?} {direction:?}: {apart}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

fn crossings(forged: &Forged, features: &[CellFeatures]) -> usize {
    let patch = Patch::fetch(forged, forged.grid.cells().collect()).expect("in memory");
    let maker =
        Maker { patch: &patch, seed: Seed(forged.recipe.seed), cell_m: forged.grid.cell_m(), generations: 1 };
    let mut count = 0;
    for (cell, own) in forged.grid.cells().zip(features) {
        let plane = Plane::of(&maker, cell);
        let rivers: Vec<_> = own.rivers.iter().map(|r| plane.course(&r.points_m)).collect();
        for ridge in &own.ridges {
            let line = plane.course(&ridge.points_m);
            count += rivers.iter().map(|r| line.crossed_by(r).len()).sum::<usize>();
        }
    }
    count
}

/// A river that follows a ridge from cell to cell stays on one side of it.
#[test]
fn a_river_along_a_ridge_does_not_cross_it() {
    for (seed, direction) in (0..12).flat_map(|s| [(s, Direction::E), (s, Direction::S), (s, Direction::SE)])
    {
        let mut forged = Forged::of(map(), CellState { mountain_height_m: 2500.0, ..plain() });
        forged.recipe.seed = seed;
        let mut cell = forged.grid.shape().join(0, 2, 2);
        for _ in 0..12 {
            forged.link(cell, direction);
            forged.states[cell.index()].receiver = Some(direction);
            cell = forged.grid.neighbor(cell, direction).expect("within the map");
        }
        let found = crossings(&forged, &all(&forged, 1));
        assert!(found <= 2, "{found} crossings along 12 cells to {direction:?}, seed {seed}");
    }
}

#[test]
fn further_ridges_join_from_the_side() {
    let mut joined = 0;
    for forged in worlds() {
        for own in all(&forged, 1) {
            let ends: Vec<(Vec3, f64)> =
                own.ridges.iter().map(|r| (last(&r.points_m), last(&r.heights_m))).collect();
            let inner = |r: &Crest| -> Vec<(Vec3, f64)> {
                r.points_m.iter().copied().zip(r.heights_m.iter().copied()).skip(1).collect()
            };
            let mut at_junction = 0;
            for (k, end) in ends.iter().enumerate() {
                let shared = ends.iter().filter(|e| *e == end).count();
                let hosts = own.ridges.iter().enumerate().filter(|(n, _)| *n != k);
                assert!(ends.len() < 2 || hosts.clone().any(|(_, r)| inner(r).contains(end)));
                at_junction = at_junction.max(shared);
                joined += usize::from(shared == 1 && ends.len() > 2);
            }
            assert!(at_junction <= 2, "{at_junction} ridges meet at one point");
        }
    }
    assert!(joined > 100, "{joined}");
}

/// Between neighbouring points a ridge rises or falls by no more than about a quarter of its greatest height, and a
/// ridge alone in its cell comes down before it ends.
#[test]
fn heights_change_gradually_and_ends_taper() {
    let (mut steps, mut ends) = (0, 0);
    for forged in worlds() {
        for own in all(&forged, 1) {
            for ridge in &own.ridges {
                let highest = ridge.heights_m.iter().copied().fold(0.0, f64::max);
                for h in ridge.heights_m.windows(2) {
                    let step = (h[1] - h[0]).abs() / highest.max(1.0);
                    assert!(step < 0.26, "a step of {step}: {:?}", ridge.heights_m);
                    steps += 1;
                }
                if own.ridges.len() == 1 {
                    assert!(last(&ridge.heights_m) <= 0.15 * highest.max(1.0), "{:?}", ridge.heights_m);
                    ends += 1;
                }
            }
        }
    }
    assert!(steps > 10_000 && ends > 100, "{steps} {ends}");
}

/// The highest of a cell's own features stands at the cell's mountain height, where no ridge comes in from higher
/// country.
#[test]
fn summits_reach_the_height_of_the_world() {
    let mut shares = Vec::new();
    for forged in worlds() {
        let patch = Patch::fetch(&forged, forged.grid.cells().collect()).expect("in memory");
        let maker = Maker {
            patch: &patch,
            seed: Seed(forged.recipe.seed),
            cell_m: forged.grid.cell_m(),
            generations: 1,
        };
        for (cell, own) in forged.grid.cells().zip(all(&forged, 1)) {
            let state = &forged.states[cell.index()];
            let heights = Heights::of(&maker, cell, state);
            let peak = own.peaks.iter().map(|p| heights.top_m(p.center_m, p.height_m));
            let top_m = peak.fold(0.0, f64::max);
            if state.mountain_height_m > 1000.0 {
                shares.push(top_m / state.mountain_height_m);
            }
        }
    }
    shares.sort_by(f64::total_cmp);
    let half = shares[shares.len() / 2];
    assert!(shares.len() > 3_000 && (0.9..1.1).contains(&half), "{} cells, {half}", shares.len());
    assert!(shares[shares.len() / 10] > 0.8, "{}", shares[shares.len() / 10]);
}

/// States that no world has: nothing comes out that is no number, and nothing panics.
#[test]
fn nonsense_makes_no_nonsense() {
    const NUMBERS: [f64; 7] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300, 1e300, 0.0, 3000.0];
    for (number, grid) in [globe(), map(), globe(), map()].into_iter().enumerate() {
        let mut forged = Forged::random(grid, 50);
        let mut draw = draws(51 + number as u32);
        for state in &mut forged.states {
            let mut any = || NUMBERS[draw.below(NUMBERS.len() as u32) as usize];
            (state.mountain_height_m, state.base_elevation_m) = (any(), any());
            (state.continentality, state.discharge_m3_s) = (any(), any());
            state.ridges = RidgeDirections::from_bits_retain(draw.bits() as u8 & draw.bits() as u8);
            state.receiver = (draw.below(3) > 0).then(|| Direction::from_index(draw.below(8) as u8));
        }
        for own in all(&forged, 3) {
            for crest in own.ridges.iter().chain(&own.hills).chain(&own.buttresses) {
                let sound = |p: &Vec3| p.x.is_finite() && p.y.is_finite() && p.z.is_finite();
                assert!(crest.points_m.iter().all(sound) && crest.slope > 0.0 && crest.slope < 2.0);
                assert!(crest.heights_m.iter().all(|h| (0.0..40_000.0).contains(h)), "{:?}", crest.heights_m);
            }
            assert!(own.peaks.iter().all(|p| p.height_m.is_finite() && p.radius_m > 0.0));
        }
    }
}

/// Crest lines are those of the features, where they are seen.
#[test]
fn crest_lines_are_the_ridges() {
    let forged = Forged::random(globe(), 1);
    let cells: Vec<Cell> = forged.grid.cells().take(300).collect();
    let lines = crest_lines_near(&forged, &cells).expect("in memory");
    let features = features_of(&forged, &cells, 1).expect("in memory");
    let drawn: usize =
        features.iter().flat_map(|f| f.ridges.iter().chain(&f.hills)).map(|c| c.points_m.len() - 1).sum();
    assert_eq!(lines.len(), drawn);
    let mut rest = lines.iter();
    for (&cell, own) in cells.iter().zip(&features) {
        for crest in own.ridges.iter().chain(&own.hills) {
            for (p, h) in crest.points_m.windows(2).zip(crest.heights_m.windows(2)) {
                let line = rest.next().expect("as many");
                assert_eq!((line.cell, line.ends_m.as_slice(), line.heights_m.as_slice()), (cell, p, h));
                assert!(line.tops_m[0] >= line.heights_m[0] && line.ridge == own.hills.is_empty());
            }
        }
    }
}

/// What is made for deeper generations begins with what is made for fewer, and each is lower than where it leaves.
#[test]
fn deeper_generations_only_add() {
    let forged = Forged::random(map(), 3);
    let (one, three) = (all(&forged, 1), all(&forged, 3));
    let mut deepest = 0;
    for (few, many) in one.iter().zip(&three) {
        assert!((&few.ridges, &few.hills, &few.peaks) == (&many.ridges, &many.hills, &many.peaks));
        assert!(few.buttresses == many.buttresses[..few.buttresses.len()]);
        for (k, &(first, end)) in many.tree.children.iter().enumerate() {
            let parent = &many.buttresses[k];
            let highest = parent.heights_m.iter().copied().fold(0.0, f64::max);
            for child in &many.buttresses[first as usize..end as usize] {
                assert_eq!(child.generation, parent.generation + 1);
                assert!(child.heights_m.iter().all(|&h| h <= highest));
                assert!(child.length_m() <= 0.5 * parent.length_m() + 1e-6);
                deepest = deepest.max(child.generation);
            }
        }
    }
    assert_eq!(deepest, 3);
}

/// All that grows on a buttress, with its reach, stays within the distance at which a tile passes over it; some of it
/// comes near that.
#[test]
fn what_grows_on_a_buttress_stays_near_it() {
    use super::buttresses::{REACH, WITHIN};
    let mut farthest = 0.0f64;
    for own in all(&Forged::random(map(), 4), 4) {
        for (k, root) in own.buttresses.iter().enumerate() {
            let mut open = vec![k];
            while let Some(at) = open.pop() {
                let crest = &own.buttresses[at];
                let reach_m = REACH * crest.length_m();
                for p in &crest.points_m {
                    let share = (p.distance(root.points_m[0]) + reach_m) / root.length_m();
                    farthest = farthest.max(share);
                    assert!(share <= WITHIN + 1e-9, "{share} lengths away");
                }
                let (first, end) = own.tree.children[at];
                open.extend((first..end).map(|child| child as usize));
            }
        }
    }
    assert!(farthest > 0.85 * WITHIN, "{farthest}");
}
