//! Outlines of labels: their area is the number of cells, rings are simple, and drawn again they give the labels back.

#![allow(clippy::unwrap_used, reason = "a test stops at what goes wrong")]

use crate::common::any_grid;
use grid::{Cell, Direction, Draw, Field, Flat, Globe, Grid, Nth, Purpose, Seed, Topology, Vertex};
use hydro::outline::Corner;
use hydro::{Outline, Part, outlines, patches};
use std::collections::{BTreeMap, BTreeSet};

const CASES: Purpose = Purpose::new("tests/outline");

fn draw(case: u32) -> Draw {
    Seed(7).key(CASES).at(Nth(case))
}

/// Labels 0 to 5; few, so that pieces are large, ragged and touch at corners.
fn any_labels(grid: &impl Grid, draw: &mut Draw) -> Field<u32> {
    let kinds = 1 + draw.below(5);
    let share = draw.unit();
    let label = |_| if draw.unit() < share { 1 } else { draw.below(kinds + 1) };
    Field::from_vec(grid.shape(), (0..grid.len()).map(label).collect()).unwrap()
}

/// Pieces of cells of one label that share sides, by the definition.
fn pieces(grid: &impl Grid, labels: &Field<u32>) -> Vec<(u32, BTreeSet<Cell>)> {
    let mut left: BTreeSet<Cell> = grid.cells_of().filter(|&c| labels[c] != 0).collect();
    let mut pieces = Vec::new();
    while let Some(first) = left.pop_first() {
        let (mut piece, mut todo) = (BTreeSet::from([first]), vec![first]);
        while let Some(cell) = todo.pop() {
            for next in Direction::SIDES.into_iter().filter_map(|side| grid.neighbor(cell, side)) {
                if labels[next] == labels[first] && left.remove(&next) {
                    piece.insert(next);
                    todo.push(next);
                }
            }
        }
        pieces.push((labels[first], piece));
    }
    pieces.sort_by_key(|(label, piece)| (*label, *piece.first().unwrap()));
    pieces
}

trait CellsOf: Grid {
    fn cells_of(&self) -> impl Iterator<Item = Cell> {
        (0..self.len()).map(Cell::from_index)
    }
}

impl<G: Grid> CellsOf for G {}

fn rings(part: &Part) -> impl Iterator<Item = &Vec<Corner>> {
    std::iter::once(&part.outer).chain(&part.holes)
}

/// Twice the area with y up, by trapezoids.
fn twice_area(ring: &[Corner]) -> i64 {
    let y = |p: &Corner| -i64::from(p[1]);
    ring.windows(2).map(|s| (i64::from(s[0][0]) - i64::from(s[1][0])) * (y(&s[0]) + y(&s[1]))).sum()
}

/// Whether the middle of a cell lies in a part: by the walls west of it.
fn is_in(part: &Part, row: u32, col: u32) -> bool {
    let west = |s: &[Corner]| {
        let [low, high] = [s[0][1].min(s[1][1]), s[0][1].max(s[1][1])];
        s[0][0] == s[1][0] && s[0][0] <= col && (low..high).contains(&row)
    };
    rings(part).flat_map(|ring| ring.windows(2)).filter(|s| west(s)).count() % 2 == 1
}

fn check_ring(ring: &[Corner]) {
    assert!(ring.len() >= 5 && ring.first() == ring.last(), "{ring:?}");
    let once: BTreeSet<&Corner> = ring.iter().collect();
    assert_eq!(once.len(), ring.len() - 1, "no corner twice: {ring:?}");
    let is_level = |s: &[Corner]| s[0][1] == s[1][1];
    for side in ring.windows(2) {
        assert!(is_level(side) != (side[0][0] == side[1][0]), "along one line: {ring:?}");
    }
    let turns = ring.windows(3).all(|s| is_level(&s[..2]) != is_level(&s[1..]));
    assert!(turns && is_level(&ring[..2]) != is_level(&ring[ring.len() - 2..]), "it turns: {ring:?}");
}

fn check(flat: &Flat, labels: &Field<u32>) -> usize {
    let found = outlines(labels, 0);
    let expected = pieces(flat, labels);
    let shape = flat.shape();
    let parts: Vec<(u32, &Part)> = found.iter().flat_map(|o| o.parts.iter().map(|p| (o.label, p))).collect();
    assert!(found.windows(2).all(|o| o[0].label < o[1].label), "{found:?}");
    assert_eq!(parts.len(), expected.len(), "{labels:?}\n{found:?}");
    for ((label, part), (true_label, piece)) in parts.iter().zip(&expected) {
        assert_eq!(label, true_label);
        rings(part).for_each(|ring| check_ring(ring));
        assert!(twice_area(&part.outer) > 0 && part.holes.iter().all(|h| twice_area(h) < 0), "{part:?}");
        let area: i64 = rings(part).map(|ring| twice_area(ring)).sum();
        assert_eq!(area, 2 * piece.len() as i64, "{part:?}");
        assert_eq!(part.cells(), piece.len() as u64);
        for cell in flat.cells_of() {
            let (_, row, col) = shape.split(cell);
            assert_eq!(is_in(part, row, col), piece.contains(&cell), "{labels:?} {part:?}");
        }
    }
    parts.iter().map(|(_, part)| part.holes.len()).sum()
}

#[test]
fn labels_on_a_plane_come_back_from_their_outlines() {
    let mut holes = 0;
    for case in 0..6000 {
        let mut draw = draw(case);
        let flat = Flat::new(1 + draw.below(9), 1 + draw.below(9), 1.0).unwrap();
        let labels = any_labels(&flat, &mut draw);
        holes += check(&flat, &labels);
    }
    assert!(holes > 2000, "{holes}");
}

/// All labels of two values on 4 x 4 cells: every way to touch.
#[test]
fn every_small_pattern_comes_back() {
    let flat = Flat::new(4, 4, 1.0).unwrap();
    for pattern in 0u32..1 << 16 {
        let labels = Field::from_fn(flat.shape(), |c| 1 + (pattern >> c.0 & 1));
        check(&flat, &labels);
    }
}

#[test]
fn touching_at_a_corner() {
    let flat = Flat::new(3, 3, 1.0).unwrap();
    let of = |labels: [u32; 9]| outlines(&Field::from_vec(flat.shape(), labels.to_vec()).unwrap(), 0);
    // two squares
    let found = of([1, 0, 0, 0, 1, 0, 0, 0, 0]);
    assert_eq!(found.iter().map(|o| o.parts.len()).collect::<Vec<_>>(), [2]);
    // the outside touches the inside at a corner: an outline and a hole
    let found = of([0, 1, 1, 1, 0, 1, 1, 1, 1]);
    let [Outline { label: 1, parts }] = &found[..] else { panic!("{found:?}") };
    assert_eq!(parts[0].holes, [vec![[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]]], "{parts:?}");
    assert_eq!(parts[0].outer.len(), 7, "{parts:?}");
    // no label at all, and everywhere
    assert_eq!(of([0; 9]), []);
    assert_eq!(of([4; 9])[0].parts[0].outer.len(), 5);
}

/// The sides between labels, each from corner to corner with the label on its left: south sides run east, and so on.
fn walls(grid: &impl Grid, labels: &Field<u32>) -> BTreeMap<(u32, Vertex, Vertex), usize> {
    let mut walls = BTreeMap::new();
    for cell in grid.cells_of().filter(|&c| labels[c] != 0) {
        for (side, from, to) in [
            (Direction::S, Direction::SW, Direction::SE),
            (Direction::E, Direction::SE, Direction::NE),
            (Direction::N, Direction::NE, Direction::NW),
            (Direction::W, Direction::NW, Direction::SW),
        ] {
            if grid.neighbor(cell, side).is_none_or(|n| labels[n] != labels[cell]) {
                let ends = (grid.vertex(cell, from).unwrap(), grid.vertex(cell, to).unwrap());
                *walls.entry((labels[cell], ends.0, ends.1)).or_default() += 1;
            }
        }
    }
    walls
}

#[test]
fn on_any_grid_every_wall_is_in_one_ring_of_its_piece() {
    for case in 0..4000 {
        let mut draw = draw(1_000_000 + case);
        let grid: Topology = any_grid(&mut draw);
        let labels = any_labels(&grid, &mut draw);
        let found = patches(&grid, &labels, 0);
        let mut seen = BTreeMap::new();
        for ring in found.iter().flat_map(|p| p.rings.iter().map(move |r| (p.label, r))) {
            let (label, corners) = ring;
            assert_eq!(corners.iter().collect::<BTreeSet<_>>().len(), corners.len(), "no corner twice");
            for (a, b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
                *seen.entry((label, *a, *b)).or_default() += 1;
            }
        }
        assert_eq!(seen, walls(&grid, &labels), "{grid:?} {labels:?}");
        // pieces with walls, each with all of its own: a globe of one label has none
        let has_walls = |p: &BTreeSet<Cell>| p.len() < grid.len() || matches!(grid, Topology::Flat(_));
        let expected: Vec<_> = pieces(&grid, &labels).into_iter().filter(|(_, p)| has_walls(p)).collect();
        assert_eq!(found.len(), expected.len(), "{grid:?} {labels:?}");
        for (patch, (label, piece)) in found.iter().zip(&expected) {
            assert_eq!(patch.label, *label);
            let alone = Field::from_fn(grid.shape(), |c| u32::from(piece.contains(&c)));
            assert_eq!(patch.rings.iter().map(Vec::len).sum::<usize>(), walls(&grid, &alone).len());
        }
    }
}

#[test]
fn a_face_of_a_globe_is_one_ring() {
    let globe = Globe::new(4, 6.4e6).unwrap();
    let labels = Field::from_fn(globe.shape(), |c| c.0 / 16);
    let found = patches(&globe, &labels, 0);
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|p| p.rings.len() == 1 && p.rings[0].len() == 16), "{found:?}");
}
