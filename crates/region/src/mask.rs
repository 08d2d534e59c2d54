//! Areas with curved or broken borders: which samples of a window lie inside polygons.
//!
//! Scan lines: the sides of a polygon cross each row of samples in points; between the first and the second, the third
//! and the fourth, and so on lies its inside (even-odd rule, so that holes are holes). A sample lies in the area if it
//! lies in one of its polygons.
//!
//! Tie rules. A row crosses a side whose lower end is at or below the row and whose upper end is above it; the sample at
//! a crossing belongs to the east of it. So a sample on the common side of two polygons lies in exactly one of them.
//! The crossing is computed from the lower end of the side, whichever way a ring runs, so both have the same.
//!
//! Cost: in proportion to the rows that sides cross, and a sort of the crossings of each row.

use crate::lattice::{Lattice, Window};

/// A closed line in a lattice's own coordinates, degrees or metres; the last corner is joined to the first.
pub type Ring = Vec<[f64; 2]>;

/// Polygons in a lattice's own coordinates: each an outline and holes, in any order and direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Area {
    /// The rings of each polygon.
    pub polygons: Vec<Vec<Ring>>,
}

impl Area {
    /// West, south, east and north of all corners; `None` without a corner.
    pub fn bounds(&self) -> Option<[f64; 4]> {
        let corners = self.polygons.iter().flatten().flatten().map(|&[x, y]| [x, y, x, y]);
        corners.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])])
    }

    /// A rectangle.
    pub fn rectangle([west, south, east, north]: [f64; 4]) -> Self {
        Self { polygons: vec![vec![vec![[west, south], [east, south], [east, north], [west, north]]]] }
    }

    /// Whether a place lies inside, by the same rules as samples do.
    pub fn holds(&self, [x, y]: [f64; 2]) -> bool {
        let beside = |ring: &Ring| sides(ring).filter_map(|s| crossing(s, y)).filter(|&at| at <= x).count();
        self.polygons.iter().any(|rings| rings.iter().map(beside).sum::<usize>() % 2 == 1)
    }

    /// All sides of all rings.
    pub fn sides(&self) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
        self.polygons.iter().flatten().flat_map(sides)
    }
}

fn sides(ring: &Ring) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
    let next = ring.iter().skip(1).chain(ring.first());
    ring.iter().zip(next).map(|(&a, &b)| if (a[1], a[0]) <= (b[1], b[0]) { [a, b] } else { [b, a] })
}

/// Where a row crosses a side, which runs upwards.
fn crossing([[ax, ay], [bx, by]]: [[f64; 2]; 2], y: f64) -> Option<f64> {
    (ay <= y && y < by).then(|| ax + (y - ay) / (by - ay) * (bx - ax))
}

/// The samples of a window that lie in an area.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    north: i64,
    /// For each row from the north, columns from the first up to below the second.
    rows: Vec<Vec<(i64, i64)>>,
}

impl Mask {
    /// Of an area in the lattice's own coordinates.
    pub fn new(lattice: &Lattice, window: &Window, area: &Area) -> Self {
        let mut mask = Self { north: window.north, rows: vec![Vec::new(); window.height] };
        let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); window.height];
        for rings in &area.polygons {
            rings.iter().flat_map(sides).for_each(|side| cross(lattice, window, side, &mut crossings));
            for (row, found) in mask.rows.iter_mut().zip(&mut crossings) {
                found.sort_by(f64::total_cmp);
                row.extend(
                    found.chunks_exact(2).map(|pair| (first(lattice, pair[0]), first(lattice, pair[1]))),
                );
                found.clear();
            }
        }
        mask.rows.iter_mut().for_each(|row| merge(row, window));
        mask
    }

    /// Whether a sample lies inside.
    pub fn holds(&self, column: i64, row: i64) -> bool {
        let Some(row) = usize::try_from(self.north - row).ok().and_then(|r| self.rows.get(r)) else {
            return false;
        };
        let after = row.partition_point(|&(from, _)| from <= column);
        after > 0 && column < row[after - 1].1
    }

    /// Number of samples inside.
    pub fn count(&self) -> u64 {
        self.rows.iter().flatten().map(|(from, to)| (to - from).max(0) as u64).sum()
    }
}

/// The first sample at or east of a place.
fn first(lattice: &Lattice, x: f64) -> i64 {
    (x / lattice.step() - lattice.offset()).ceil() as i64
}

/// Notes where the rows of a window cross a side.
fn cross(lattice: &Lattice, window: &Window, side: [[f64; 2]; 2], crossings: &mut [Vec<f64>]) {
    let number = |y: f64| y / lattice.step() - lattice.offset();
    // a row more to both sides: `crossing` decides
    let south = (window.north - window.height as i64 + 1).max(number(side[0][1]).floor() as i64 - 1);
    let north = window.north.min(number(side[1][1]).ceil() as i64 + 1);
    for row in south..=north {
        let y = (row as f64 + lattice.offset()) * lattice.step();
        if let Some(x) = crossing(side, y) {
            crossings[(window.north - row) as usize].push(x);
        }
    }
}

/// Sorts spans of columns, joins those that overlap, and cuts them to the window.
fn merge(row: &mut Vec<(i64, i64)>, window: &Window) {
    let (west, east) = (window.west, window.west + window.width as i64);
    let mut spans: Vec<(i64, i64)> =
        row.iter().map(|&(a, b)| (a.max(west), b.min(east))).filter(|(a, b)| a < b).collect();
    spans.sort_unstable();
    row.clear();
    for (from, to) in spans {
        match row.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => row.push((from, to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Purpose, Seed};

    fn of(area: &Area, window: &Window) -> Mask {
        Mask::new(&Lattice::Plane { step_m: 1.0 }, window, area)
    }

    /// Whether a place is inside by the winding of directions seen from it, for places on no side.
    fn winds_around(rings: &[Ring], [x, y]: [f64; 2]) -> bool {
        let turn = |ring: &Ring| -> f64 {
            let ends = ring.iter().zip(ring.iter().cycle().skip(1));
            ends.map(|(a, b)| {
                let ([ax, ay], [bx, by]) = ([a[0] - x, a[1] - y], [b[0] - x, b[1] - y]);
                grid::math::atan2(ax * by - ay * bx, ax * bx + ay * by)
            })
            .sum::<f64>()
                / std::f64::consts::TAU
        };
        rings.iter().map(turn).sum::<f64>().round() as i64 % 2 != 0
    }

    #[test]
    fn masks_are_what_winding_says() {
        let window = Window { west: -3, north: 19, width: 23, height: 24 };
        for trial in 0..500u64 {
            let mut draw = Seed(trial).key(Purpose::new("test/mask")).at(grid::Nth(0));
            let count = 3 + draw.below(6) as usize;
            // corners off the rows and columns of samples: winding says nothing on a side
            let mut corner = || [draw.range(-5.0, 25.0) + 1e-7, draw.range(-5.0, 25.0) + 1e-7];
            let ring: Ring = (0..count).map(|_| corner()).collect();
            let hole: Ring = (0..3).map(|_| corner()).collect();
            let other: Ring = (0..4).map(|_| corner()).collect();
            let area = Area { polygons: vec![vec![ring, hole], vec![other]] };
            let mask = of(&area, &window);
            for row in -4..20 {
                for column in -3..20 {
                    let place = [column as f64, row as f64];
                    let expected = area.polygons.iter().any(|rings| winds_around(rings, place));
                    assert_eq!(mask.holds(column, row), expected, "{trial}: {place:?}");
                    assert_eq!(area.holds(place), expected, "{trial}: {place:?}");
                }
            }
            assert!(!mask.holds(-4, 3) && !mask.holds(20, 3) && !mask.holds(3, 20) && !mask.holds(3, -5));
        }
    }

    #[test]
    fn neighbours_share_no_sample_and_leave_none() {
        let window = Window { west: 0, north: 12, width: 13, height: 13 };
        for trial in 0..500u64 {
            let mut draw = Seed(trial).key(Purpose::new("test/mask")).at(grid::Nth(1));
            let mut corner = |span: u32| [f64::from(draw.below(span)), f64::from(draw.below(span))];
            // a square cut in two along a broken line; corners and sides lie on samples
            let line: Vec<[f64; 2]> = (1..4).map(|k| [corner(11)[0] + 1.0, 3.0 * f64::from(k)]).collect();
            let west = [vec![[6.0, 0.0]], line.clone(), vec![[4.0, 12.0], [0.0, 12.0], [0.0, 0.0]]].concat();
            let back: Vec<[f64; 2]> = line.into_iter().rev().collect();
            let east = [vec![[4.0, 12.0]], back, vec![[6.0, 0.0], [12.0, 0.0], [12.0, 12.0]]].concat();
            let masks = [west, east].map(|ring| of(&Area { polygons: vec![vec![ring]] }, &window));
            for row in 0..12 {
                for column in 0..12 {
                    let holds = masks.each_ref().map(|m| m.holds(column, row));
                    assert_ne!(holds[0], holds[1], "{trial}: {column} {row}");
                }
            }
            assert_eq!(masks[0].count() + masks[1].count(), 144);
        }
    }

    #[test]
    fn polygons_that_overlap_are_joined() {
        let square = |a: f64, b: f64| vec![vec![[a, a], [b, a], [b, b], [a, b]]];
        let area = Area { polygons: vec![square(0.0, 6.0), square(3.0, 9.0)] };
        let window = Window { west: 0, north: 9, width: 10, height: 10 };
        assert_eq!(of(&area, &window).count(), 36 + 36 - 9);
        assert_eq!(area.bounds(), Some([0.0, 0.0, 9.0, 9.0]));
    }
}
