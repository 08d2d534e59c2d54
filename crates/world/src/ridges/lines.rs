//! Ridges as lines: the bytes of a world strung together.

use grid::{Cell, Direction, Field, Grid, RidgeDirections};

/// The ridge lines of a world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RidgeLines {
    /// The cells of each line in order; a ring ends with the cell it begins with. At a junction the two
    /// straightest branches go on as one line, and another one ends in its cell.
    pub lines: Vec<Vec<Cell>>,
    /// Length of each line over the centres of its cells, in metres.
    pub length_m: Vec<f64>,
    /// Cells from which three ridges or more leave.
    pub junctions: usize,
}

impl RidgeLines {
    /// Length of all lines, in metres.
    pub fn total_m(&self) -> f64 {
        self.length_m.iter().sum()
    }

    /// The length that half of the lines reach, in metres; 0 without lines.
    pub fn median_m(&self) -> f64 {
        let mut sorted = self.length_m.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }

    /// Length of the longest line, in metres; 0 without lines.
    pub fn longest_m(&self) -> f64 {
        self.length_m.iter().copied().fold(0.0, f64::max)
    }

    /// Junctions on 1000 km of ridge; 0 without lines.
    pub fn junctions_per_1000_km(&self) -> f64 {
        let total_m = self.total_m();
        if total_m > 0.0 { self.junctions as f64 / (total_m / 1e6) } else { 0.0 }
    }
}

/// Strings the bits of a world's ridges together. Each link between two cells is in exactly one line.
///
/// Bits that are not set back from the neighbour are passed over. Cost: a pass over all cells.
pub fn lines(grid: &impl Grid, bits: &Field<u8>) -> RidgeLines {
    let mut stringer = Stringer { grid, bits, done: Field::filled(bits.shape(), 0) };
    let mut found = RidgeLines::default();
    let with_ridges = || bits.as_slice().iter().enumerate().filter(|(_, b)| **b != 0);
    // lines with ends, then rings
    for rings in [false, true] {
        for (index, _) in with_ridges() {
            let cell = Cell::from_index(index);
            let out = stringer.out(cell);
            for direction in out.directions().filter(|&d| rings || onward(out, d).is_none()) {
                found.lines.extend(stringer.string(cell, direction));
            }
        }
    }
    found.junctions =
        with_ridges().filter(|(i, _)| stringer.out(Cell::from_index(*i)).bits().count_ones() > 2).count();
    let length = |line: &Vec<Cell>| line.windows(2).map(|w| grid.cell_distance_m(w[0], w[1])).sum();
    found.length_m = found.lines.iter().map(length).collect();
    found
}

struct Stringer<'a, G> {
    grid: &'a G,
    bits: &'a Field<u8>,
    /// Bits that a line has gone over.
    done: Field<u8>,
}

impl<G: Grid> Stringer<'_, G> {
    /// The ridges of a cell that the neighbours know of as well.
    fn out(&self, cell: Cell) -> RidgeDirections {
        let own = RidgeDirections::from_bits_retain(self.bits[cell]);
        let mutual = |&d: &Direction| {
            let step = self.grid.step(cell, d);
            step.is_some_and(|s| RidgeDirections::from_bits_retain(self.bits[s.cell]).has(s.back))
        };
        own.directions().filter(mutual).map(RidgeDirections::from).collect()
    }

    /// The line that leaves a cell in a direction, unless it has been strung.
    fn string(&mut self, start: Cell, direction: Direction) -> Option<Vec<Cell>> {
        let mut line = vec![start];
        let (mut cell, mut next) = (start, Some(direction));
        while let Some(direction) = next {
            let bit = RidgeDirections::from(direction).bits();
            let step = self.grid.step(cell, direction).filter(|_| self.done[cell] & bit == 0);
            let Some(step) = step else { break };
            self.done[cell] |= bit;
            self.done[step.cell] |= RidgeDirections::from(step.back).bits();
            line.push(step.cell);
            cell = step.cell;
            next = onward(self.out(cell), step.back);
        }
        (line.len() > 1).then_some(line)
    }
}

/// The ridge that goes on where one comes in from `from`: the other of two; of more, the partner if all are
/// paired from the straightest pair on, as long as they bend by less than a right angle.
fn onward(out: RidgeDirections, from: Direction) -> Option<Direction> {
    let bend = |a: Direction, b: Direction| {
        let apart = (a as u8).abs_diff(b as u8);
        4 - apart.min(8 - apart)
    };
    let mut rest: Vec<Direction> = out.directions().collect();
    if rest.len() == 2 {
        return rest.into_iter().find(|&d| d != from);
    }
    loop {
        let pairs = rest.iter().enumerate().flat_map(|(i, &a)| rest[i + 1..].iter().map(move |&b| (a, b)));
        let (a, b) = pairs.min_by_key(|&(a, b)| (bend(a, b), a, b)).filter(|&(a, b)| bend(a, b) < 2)?;
        if a == from || b == from {
            return Some(if a == from { b } else { a });
        }
        rest.retain(|&d| d != a && d != b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RidgeDirections as R;
    use grid::Flat;

    /// A map of 8 x 5 cells of a kilometre with links between neighbours.
    fn linked(map: &Flat, links: &[(u32, u32, Direction)]) -> Field<u8> {
        let mut bits = Field::filled(map.shape(), 0);
        for &(row, col, direction) in links {
            let cell = map.shape().join(0, row, col);
            let step = map.step(cell, direction).expect("within the map");
            bits[cell] |= R::from(direction).bits();
            bits[step.cell] |= R::from(step.back).bits();
        }
        bits
    }

    #[test]
    fn a_branch_ends_where_it_meets_a_straight_line() {
        let map = Flat::new(8, 5, 1000.0).expect("a small map");
        let mut links: Vec<_> = (0..7).map(|col| (2, col, Direction::E)).collect();
        links.extend([(0, 2, Direction::SE), (1, 3, Direction::SE)]);
        let found = lines(&map, &linked(&map, &links));
        assert_eq!(found.junctions, 1);
        let mut sizes: Vec<usize> = found.lines.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [3, 8]);
        assert!((found.total_m() - (7000.0 + 2.0 * 1000.0 * 2.0f64.sqrt())).abs() < 1e-6);
        assert_eq!(found.longest_m(), 7000.0);
    }

    #[test]
    fn a_ring_is_one_line() {
        let map = Flat::new(8, 5, 1000.0).expect("a small map");
        use Direction::{NE, NW, SE, SW};
        let found = lines(&map, &linked(&map, &[(0, 2, SE), (1, 3, SW), (2, 2, NW), (1, 1, NE)]));
        assert_eq!((found.lines.len(), found.junctions), (1, 0));
        assert_eq!(found.lines[0].len(), 5);
        assert_eq!(found.lines[0][0], found.lines[0][4]);
    }

    #[test]
    fn bits_without_an_answer_are_no_lines() {
        let map = Flat::new(8, 5, 1000.0).expect("a small map");
        let mut bits = Field::filled(map.shape(), 0);
        bits[Cell(10)] = R::E.bits();
        assert_eq!(lines(&map, &bits), RidgeLines::default());
    }
}
