//! Gorges: where a river and a ridge line cross, the ridge yields.
//!
//! Rivers are found on the mountain-free map, so that a course may lead across a crest. The directions in which
//! river links leave a cell part the others into arcs. A ridge crosses the river if its links lie in more than one
//! arc: the arc with the greatest part of the line keeps its links, the others lose them on both ends. A ridge also
//! yields where it has a link in common with a river, and where its link crosses a river's over a corner of cells.
//! So the line is interrupted at the river, and what was one ridge is two with a gorge between.

use grid::table::ColumnValues;
use grid::{Cell, Direction, Field, Grid, RidgeDirections, Table, Topology};

/// A place where a ridge line gave way to a river.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The cell of the river; where links cross over a corner, the upper one.
    pub cell: Cell,
    /// Discharge that leaves it, in m3/s.
    pub discharge_m3_s: f64,
}

/// The rivers that ridges yield to: cells with at least some discharge, and where they flow.
#[derive(Clone, Copy)]
pub struct Courses<'a> {
    /// Index of the direction that each cell's water goes in; 8 and more: none.
    pub receiver: &'a Field<u8>,
    /// Discharge that leaves each cell, in m3/s.
    pub discharge_m3_s: &'a Field<f64>,
    /// Least discharge of a river, in m3/s.
    pub least_m3_s: f64,
}

impl Courses<'_> {
    /// The direction in which the river of a cell leaves it.
    fn out(&self, cell: Cell) -> Option<Direction> {
        let byte = Some(self.receiver[cell]).filter(|&b| b < 8);
        byte.filter(|_| self.discharge_m3_s[cell] >= self.least_m3_s).map(Direction::from_index)
    }

    /// All directions in which river links leave a cell, up or down.
    fn links(&self, grid: &Topology, cell: Cell) -> RidgeDirections {
        let comes = |&d: &Direction| {
            let step = grid.step(cell, d);
            step.is_some_and(|s| self.out(s.cell) == Some(s.back))
        };
        Direction::ALL.into_iter().filter(comes).chain(self.out(cell)).map(RidgeDirections::from).collect()
    }
}

/// Takes away the ridge links that cross rivers; tells where. Cost: a pass over all cells.
pub fn yield_to_rivers(grid: &Topology, bits: &mut Field<u8>, courses: Courses) -> Vec<Crossing> {
    let mut crossings = Vec::new();
    for cell in grid.cells() {
        let over = courses.out(cell).filter(|out| !out.is_side());
        let mut yielded = over.is_some_and(|out| yield_over_corner(grid, bits, cell, out));
        if bits[cell] != 0 {
            yielded |= yield_within(grid, bits, cell, courses.links(grid, cell));
        }
        if yielded {
            crossings.push(Crossing { cell, discharge_m3_s: courses.discharge_m3_s[cell] });
        }
    }
    crossings
}

/// The crossings as a table, a row each.
pub fn crossing_table(crossings: &[Crossing]) -> Table {
    let cells = crossings.iter().map(|c| c.cell.0).collect();
    let discharge = crossings.iter().map(|c| c.discharge_m3_s).collect();
    Table::new("crossings")
        .with("cell", "cell", ColumnValues::U32(cells))
        .and_then(|t| t.with("discharge", "m3/s", ColumnValues::F64(discharge)))
        .expect("one row a crossing")
}

/// Takes away the ridge that crosses the link from a cell over a corner, if there is one.
fn yield_over_corner(grid: &Topology, bits: &mut Field<u8>, cell: Cell, over: Direction) -> bool {
    let [a, b] = [7, 1].map(|turn| grid.neighbor(cell, over.turned(turn)));
    let (Some(a), Some(b)) = (a, b) else { return false };
    let corners = Direction::CORNERS.into_iter().filter(|&d| grid.neighbor(a, d) == Some(b));
    let found = corners.into_iter().find(|&d| ridges(bits, a).has(d));
    found.into_iter().for_each(|d| unlink(grid, bits, a, d));
    found.is_some()
}

/// Leaves a cell the ridges of one arc between its river links only.
fn yield_within(grid: &Topology, bits: &mut Field<u8>, cell: Cell, rivers: RidgeDirections) -> bool {
    let own = ridges(bits, cell);
    let mut lost = own & rivers;
    let arcs = arcs(own - rivers, rivers);
    if arcs.len() > 1 {
        let sizes = arcs.iter().map(|&arc| part(grid, bits, cell, arc)).enumerate();
        // of equal ones the first is kept
        let kept = sizes.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(k, _)| k);
        arcs.iter().enumerate().filter(|&(k, _)| k != kept).for_each(|(_, &arc)| lost |= arc);
    }
    lost.directions().for_each(|d| unlink(grid, bits, cell, d));
    !lost.is_empty()
}

/// A cell's ridges, parted by its rivers; without two rivers there is one part.
fn arcs(own: RidgeDirections, rivers: RidgeDirections) -> Vec<RidgeDirections> {
    let start = rivers.directions().next().unwrap_or(Direction::N);
    let mut arcs = vec![RidgeDirections::empty()];
    for direction in (0..8).map(|turn| start.turned(turn)) {
        if rivers.has(direction) {
            arcs.push(RidgeDirections::empty());
        } else if let (true, Some(arc)) = (own.has(direction), arcs.last_mut()) {
            *arc |= direction.into();
        }
    }
    arcs.retain(|arc| !arc.is_empty());
    arcs
}

/// Cells of the ridge line that hangs on some links of a cell, as far as they are worth counting.
fn part(grid: &Topology, bits: &Field<u8>, cell: Cell, arc: RidgeDirections) -> usize {
    const ENOUGH: usize = 40;
    let mut found = vec![cell];
    found.extend(arc.directions().filter_map(|d| grid.neighbor(cell, d)));
    let mut next = 1;
    while next < found.len() && found.len() < ENOUGH {
        let at = found[next];
        next += 1;
        for neighbor in ridges(bits, at).directions().filter_map(|d| grid.neighbor(at, d)) {
            if !found.contains(&neighbor) {
                found.push(neighbor);
            }
        }
    }
    found.len()
}

fn ridges(bits: &Field<u8>, cell: Cell) -> RidgeDirections {
    RidgeDirections::from_bits_retain(bits[cell])
}

fn unlink(grid: &Topology, bits: &mut Field<u8>, cell: Cell, direction: Direction) {
    if let Some(step) = grid.step(cell, direction) {
        bits[cell] &= !RidgeDirections::from(direction).bits();
        bits[step.cell] &= !RidgeDirections::from(step.back).bits();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Globe, Purpose, Seed, Vertex, noise::Fractal};
    use std::collections::BTreeMap;

    struct Case {
        grid: Topology,
        bits: Field<u8>,
        flow: hydro::Flow,
        discharge: Field<f64>,
    }

    /// Ridges and rivers that know nothing of each other.
    fn case(seed: u64) -> Case {
        let grid = Topology::Globe(Globe::new(18 + seed as u32, 6.371e6).expect("a small globe"));
        let noise = |name| Fractal::new(Seed(seed).key(Purpose::new(name)), 3, 0.5);
        let (mountains, ground) = (noise("test/gorges/mountains"), noise("test/gorges/ground"));
        let height = Field::from_fn(grid.shape(), |c| {
            (6000.0 * mountains.ridged(grid.center(c) * 4.0) - 1500.0) as f32
        });
        let bits = crate::ridges::trace_ridges(&grid, &crate::recipe::MountainParams::default(), &height);
        let base = Field::from_fn(grid.shape(), |c| ground.fbm(grid.center(c) * 3.0) as f32);
        let links = hydro::Links::planar(&grid, &base);
        // some basins are closed, and rivers end in them
        let flood = hydro::flood(&grid, &links, &base, |cell| base[cell] < -0.15 || cell.0 % 97 == 0);
        let flow = hydro::route(&grid, &links, &flood);
        let discharge = hydro::accumulate(&grid, &flow, &Field::filled(grid.shape(), 1.0));
        Case { grid, bits, flow, discharge }
    }

    /// Counts by going round: how many cells and vertices have a ridge on two sides of a river, or along it.
    fn crossings(case: &Case, bits: &Field<u8>, least: f64) -> usize {
        let Case { grid, flow, discharge, .. } = case;
        let river = |a: Cell, b: Cell| {
            let leads = |a, b| discharge[a] >= least && flow.receiver_of(grid, a) == Some(b);
            leads(a, b) || leads(b, a)
        };
        let ridge = |a: Cell, d: Direction| bits[a] >> d.index() & 1 == 1;
        let mut count = 0;
        let mut around: BTreeMap<Vertex, Vec<(Cell, Direction)>> = BTreeMap::new();
        for cell in grid.cells() {
            let is_river = |d: Direction| grid.neighbor(cell, d).is_some_and(|n| river(cell, n));
            let mut sides = 0;
            for start in Direction::ALL.into_iter().filter(|&d| ridge(cell, d)) {
                // everything clockwise from here without meeting a river counts once, at its last ridge
                let on =
                    (1..8).map(|t| start.turned(t)).take_while(|&d| !is_river(d)).any(|d| ridge(cell, d));
                sides += usize::from(!on);
                count += usize::from(is_river(start));
            }
            count += sides.saturating_sub(1);
            for corner in Direction::CORNERS {
                if let Some(vertex) = grid.vertex(cell, corner) {
                    around.entry(vertex).or_default().push((cell, corner));
                }
            }
        }
        for quad in around.values() {
            let pair = |&(cell, d): &(Cell, Direction)| Some((cell, d, grid.neighbor(cell, d)?));
            let pairs: Vec<_> = quad.iter().filter_map(pair).collect();
            let rivers = pairs.iter().any(|&(a, _, b)| river(a, b));
            count += usize::from(rivers && pairs.iter().any(|&(a, d, _)| ridge(a, d)));
        }
        count
    }

    #[test]
    fn no_crossing_remains_and_what_is_away_from_rivers_stays() {
        let (mut before, mut recorded) = (0, 0);
        for seed in 0..16 {
            let case = case(seed);
            let (grid, least) = (&case.grid, 6.0);
            let courses =
                Courses { receiver: &case.flow.receiver, discharge_m3_s: &case.discharge, least_m3_s: least };
            let mut bits = case.bits.clone();
            let found = yield_to_rivers(grid, &mut bits, courses);
            let crossed = crossings(&case, &case.bits, least);
            assert_eq!(found.is_empty(), crossed == 0);
            assert_eq!(crossings(&case, &bits, least), 0, "seed {seed}");
            assert!(found.iter().all(|c| c.discharge_m3_s == case.discharge[c.cell]));
            before += crossed;
            recorded += found.len();
            let on_river = |cell: Cell| !courses.links(grid, cell).is_empty();
            for cell in grid.cells() {
                assert_eq!(bits[cell] & !case.bits[cell], 0, "nothing is added");
                for d in ridges(&bits, cell).directions() {
                    let step = grid.step(cell, d).expect("ridges lead to cells that exist");
                    assert!(ridges(&bits, step.cell).has(step.back));
                }
                for d in (ridges(&case.bits, cell) - ridges(&bits, cell)).directions() {
                    let ends = [Some(cell), grid.neighbor(cell, d)];
                    let beside = [7, 1].map(|turn| grid.neighbor(cell, d.turned(turn)));
                    let mut near =
                        ends.into_iter().chain(if d.is_side() { [None; 2] } else { beside }).flatten();
                    assert!(near.any(on_river), "seed {seed}: {cell:?} {d:?} is away from rivers");
                }
            }
        }
        assert!(before > 300 && recorded > 200, "{before} crossings, {recorded} recorded");
    }

    #[test]
    fn a_ridge_ends_at_a_spring_but_not_at_a_river() {
        use RidgeDirections as R;
        let both = R::N | R::S;
        assert_eq!(arcs(both, R::E), [both], "a spring has one side");
        assert_eq!(arcs(both, R::empty()), [both]);
        assert_eq!(arcs(both, R::E | R::W), [R::S, R::N]);
        assert_eq!(arcs(both | R::NE, R::E | R::SW), [R::S, R::N | R::NE]);
        assert_eq!(arcs(both, R::E | R::SE), [both], "the ridge runs beside the river");
    }
}
