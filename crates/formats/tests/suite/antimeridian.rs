//! Areas on a globe, cut for a plane map: a place lies in the areas of the map exactly if it lies in the one on the globe.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test stops at what goes wrong")]

use formats::antimeridian::cut_polygon;
use formats::features::{Polygon, Position, Ring, twice_area};
use std::collections::BTreeSet;

/// A globe of `cols` x `rows` cells of longitudes and latitudes; those of the first and last row are triangles.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    cols: i32,
    rows: i32,
    /// Longitude of the west side of column 0.
    west: f64,
}

/// A column and a row, from the south.
type Square = (i32, i32);

/// A small generator of chance (xorshift), so that cases are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

impl Lattice {
    fn position(self, (col, row): Square) -> Position {
        let lon = self.west + f64::from(col) * 360.0 / f64::from(self.cols);
        [lon, -90.0 + f64::from(row) * 180.0 / f64::from(self.rows)]
    }

    /// The corner that begins a side, the sides being south, east, north, west: all corners at a pole are one.
    fn corner(self, (c, r): Square, side: usize) -> Square {
        let (c, r) = [(c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1)][side % 4];
        if r == 0 || r == self.rows { (0, r) } else { (c.rem_euclid(self.cols), r) }
    }

    fn beyond(self, (c, r): Square, side: usize) -> Option<Square> {
        let wrap = |c: i32| c.rem_euclid(self.cols);
        let there = [(c, r - 1), (wrap(c + 1), r), (c, r + 1), (wrap(c - 1), r)][side % 4];
        (0..self.rows).contains(&there.1).then_some(there)
    }

    fn parts(self, chosen: &BTreeSet<Square>) -> Vec<BTreeSet<Square>> {
        let (mut left, mut parts) = (chosen.clone(), Vec::new());
        while let Some(first) = left.pop_first() {
            let (mut part, mut todo) = (BTreeSet::from([first]), vec![first]);
            while let Some(square) = todo.pop() {
                for next in (0..4).filter_map(|k| self.beyond(square, k)) {
                    if left.remove(&next) {
                        part.insert(next);
                        todo.push(next);
                    }
                }
            }
            parts.push(part);
        }
        parts
    }

    /// The sides that lead out of a part, joined to rings with the part on their left.
    fn rings(self, part: &BTreeSet<Square>) -> Vec<Ring> {
        let is_wall = |&(s, k): &(Square, usize)| {
            let is_point = self.corner(s, k) == self.corner(s, k + 1);
            !is_point && self.beyond(s, k).is_none_or(|next| !part.contains(&next))
        };
        let sides = part.iter().flat_map(|&s| (0..4).map(move |k| (s, k)));
        let mut walls: BTreeSet<(Square, usize)> = sides.filter(is_wall).collect();
        let all = walls.clone();
        let mut rings = Vec::new();
        while let Some(&start) = walls.first() {
            let (mut ring, mut at) = (Vec::new(), start);
            while walls.remove(&at) {
                ring.push(self.position(self.corner(at.0, at.1)));
                at = self.following(&all, at);
            }
            assert_eq!(at, start);
            rings.push(ring);
        }
        rings
    }

    /// The wall that begins where this one ends, around squares of the part that share sides.
    fn following(
        self,
        walls: &BTreeSet<(Square, usize)>,
        (mut square, mut side): (Square, usize),
    ) -> (Square, usize) {
        loop {
            side = (side + 1) % 4;
            if walls.contains(&(square, side)) {
                return (square, side);
            }
            if let Some(next) = self.beyond(square, side) {
                square = next;
                side = (side + 2) % 4;
            }
        }
    }
}

/// Whether a place lies in areas: by the sides north of it, which is another rule than that of the library.
fn is_in(areas: &[Polygon], [x, y]: Position) -> bool {
    let north = |s: &[Position]| {
        let ([ax, ay], [bx, by]) = (s[0], s[1]);
        (ax > x) != (bx > x) && ay + (by - ay) * (x - ax) / (bx - ax) > y
    };
    let count = |ring: &Ring| ring.windows(2).filter(|s| north(s)).count();
    areas.iter().flat_map(|a| a.rings()).map(count).sum::<usize>() % 2 == 1
}

fn check(lattice: Lattice, part: &BTreeSet<Square>) {
    let areas = cut_polygon(&lattice.rings(part));
    let seen = format!("{lattice:?} {part:?} {areas:?}");
    let mut extent = 0.0;
    for area in &areas {
        assert!(twice_area(&area.outer) > 0.0 && area.holes.iter().all(|h| twice_area(h) < 0.0), "{seen}");
        for ring in area.rings() {
            assert!(ring.first() == ring.last() && ring.len() > 3, "{seen}");
            assert!(ring.iter().all(|p| (-180.0..=180.0).contains(&p[0]) && (-90.0..=90.0).contains(&p[1])));
            // there and back along the border would be no area: every step on it goes on counterclockwise
            for step in ring.windows(2) {
                let both = |axis: usize, value: f64| step.iter().all(|p| p[axis] == value);
                assert!(!both(0, 180.0) || step[1][1] > step[0][1], "{seen}");
                assert!(!both(0, -180.0) || step[1][1] < step[0][1], "{seen}");
                assert!(!both(1, 90.0) || step[1][0] < step[0][0], "{seen}");
                assert!(!both(1, -90.0) || step[1][0] > step[0][0], "{seen}");
            }
            let corners: BTreeSet<[u64; 2]> = ring.iter().map(|p| p.map(f64::to_bits)).collect();
            assert!(ring.windows(2).all(|s| s[0] != s[1]) && corners.len() >= 3, "{seen}");
            extent += twice_area(ring) / 2.0;
        }
        for hole in &area.holes {
            let middle = [(hole[0][0] + hole[1][0]) / 2.0, (hole[0][1] + hole[1][1]) / 2.0];
            assert!(is_in(&[Polygon::new(area.outer.clone())], middle), "a hole in its own area: {seen}");
        }
    }
    let square = 360.0 * 180.0 / f64::from(lattice.cols * lattice.rows);
    // next to a pole squares are drawn as squares, for the pole is a side of the map
    assert!((extent - square * part.len() as f64).abs() < 1e-6, "{extent} {seen}");
    for c in 0..lattice.cols {
        for r in 0..lattice.rows {
            let [west, south] = lattice.position((c, r));
            for (dx, dy) in [(0.13, 0.21), (0.77, 0.31), (0.48, 0.52), (0.24, 0.83), (0.91, 0.94)] {
                let lon = west + dx * 360.0 / f64::from(lattice.cols);
                let place =
                    [(lon + 180.0).rem_euclid(360.0) - 180.0, south + dy * 180.0 / f64::from(lattice.rows)];
                assert_eq!(is_in(&areas, place), part.contains(&(c, r)), "{place:?} {seen}");
            }
        }
    }
}

#[test]
fn what_lies_in_an_area_of_the_globe_lies_in_its_areas_of_the_map() {
    let mut chance = Chance(42);
    let mut count = 0;
    for case in 0..4000 {
        // the antimeridian along sides, through the middle of squares, and anywhere
        let west = [-180.0, -180.0 + 22.5, -137.0, 0.0, 77.7][case % 5];
        let lattice = Lattice { cols: [8, 5, 4][case % 3], rows: [4, 3, 6][case / 3 % 3], west };
        let share = 1 + chance.below(9);
        let all = (0..lattice.cols).flat_map(|c| (0..lattice.rows).map(move |r| (c, r)));
        let chosen: BTreeSet<Square> = all.filter(|_| chance.below(10) < share).collect();
        for part in lattice.parts(&chosen) {
            if part.len() < (lattice.cols * lattice.rows) as usize {
                check(lattice, &part);
                count += 1;
            }
        }
    }
    assert!(count > 5000, "{count}");
}

#[test]
fn a_polar_cap_gets_the_pole_as_a_side() {
    let ring: Ring = [[0.0, 70.0], [90.0, 70.0], [170.0, 75.0], [-170.0, 65.0], [-90.0, 70.0]].to_vec();
    let areas = cut_polygon(&[ring]);
    assert_eq!(areas.len(), 1);
    let has = |p: Position| areas[0].outer.contains(&p);
    assert!(
        has([180.0, 90.0]) && has([-180.0, 90.0]) && has([180.0, 70.0]) && has([-180.0, 70.0]),
        "{areas:?}"
    );
}

#[test]
fn an_area_of_all_but_a_lake_is_the_map_with_a_hole() {
    let lake: Ring = [[0.0, 0.0], [0.0, 10.0], [10.0, 10.0], [10.0, 0.0]].to_vec();
    let areas = cut_polygon(&[lake]);
    assert_eq!((areas.len(), areas[0].outer.len(), areas[0].holes.len()), (1, 5, 1));
    assert_eq!(cut_polygon(&[]), []);
}

#[test]
fn neighbours_over_the_antimeridian_agree_on_where_they_meet_it() {
    let (a, b) = ([170.1, 10.3], [-169.7, 13.9]);
    let south = cut_polygon(&[vec![a, [175.0, 0.0], b]]);
    let north = cut_polygon(&[vec![b, [175.0, 30.0], a]]);
    let meets = |areas: &[Polygon]| -> BTreeSet<[u64; 2]> {
        areas
            .iter()
            .flat_map(|p| &p.outer)
            .filter(|p| p[0].abs() == 180.0)
            .map(|p| p.map(f64::to_bits))
            .collect()
    };
    assert_eq!(meets(&south).intersection(&meets(&north)).count(), 2);
}
