//! Parts: the grid at deeper levels, where each cell's side is split into 2^k. All that grids answer about cells and that
//! refinement asks about their parts: neighbours across faces, and positions.

use crate::{Cell, Direction, Globe, Grid, Level, Part, Topology, Vec3};

/// The deepest level that is split into parts: 5 m where cells have 20 km.
pub const DEEPEST: Level = Level(12);

impl Topology {
    /// Rows and columns of parts on a face at a level, no deeper than [`DEEPEST`].
    pub fn part_rows_cols(&self, level: Level) -> (u32, u32) {
        debug_assert!(level <= DEEPEST, "{level:?}");
        let shape = self.shape();
        (shape.rows << level.0, shape.cols << level.0)
    }

    /// The neighbour of a part and the way back, as [`Grid::step`] gives them for cells.
    pub fn step_part(&self, part: Part, direction: Direction) -> Option<(Part, Direction)> {
        let (rows, cols) = self.part_rows_cols(part.level);
        let (dr, dc) = direction.offset();
        let (row, col) = (i64::from(part.row) + dr, i64::from(part.col) + dc);
        if (0..i64::from(rows)).contains(&row) && (0..i64::from(cols)).contains(&col) {
            return Some((Part { row: row as u32, col: col as u32, ..part }, direction.opposite()));
        }
        match self {
            Self::Flat(_) => None,
            Self::Globe(_) => {
                let ((face, row, col), back) =
                    Globe::step_part(rows, (part.face, part.row, part.col), direction)?;
                Some((Part { face, row, col, ..part }, back))
            }
        }
    }

    /// The position at a place within a part: `along` from 0 (west side) to 1, `down` from 0 (north) to 1.
    pub fn within_part(&self, part: Part, along: f64, down: f64) -> Vec3 {
        let parts = f64::from(1u32 << part.level.0);
        match self {
            Self::Globe(globe) => {
                let side = self.part_rows_cols(part.level).0;
                globe.within_part(side, (part.face, part.row, part.col), along, down)
            }
            Self::Flat(_) => {
                let (_, row, col) = (part.face, part.row, part.col);
                let share = |at: u32, off: f64| (f64::from(at % (1 << part.level.0)) + off) / parts;
                self.within(self.cell_of(part), share(col, along), share(row, down))
            }
        }
    }

    /// The positions of the middles of a rectangle of parts of one level and face, row by row: so many rows and columns from the
    /// first. The same as of each alone by [`Topology::within_part`], at a third of the cost.
    pub fn middles(&self, first: Part, (rows, cols): (u32, u32)) -> Vec<Vec3> {
        match self {
            Self::Globe(globe) => {
                let side = self.part_rows_cols(first.level).0;
                globe.middles(side, (first.face, first.row, first.col), (rows, cols))
            }
            Self::Flat(_) => {
                let part = |r, c| Part { row: first.row + r, col: first.col + c, ..first };
                let all = (0..rows).flat_map(|r| (0..cols).map(move |c| part(r, c)));
                all.map(|part| self.within_part(part, 0.5, 0.5)).collect()
            }
        }
    }

    /// The cell that holds a part.
    pub fn cell_of(&self, part: Part) -> Cell {
        self.shape().join(part.face, part.row >> part.level.0, part.col >> part.level.0)
    }

    /// The part of a level that holds a position; `None` outside a flat map or where a coordinate is not finite.
    pub fn locate_part(&self, level: Level, position: Vec3) -> Option<Part> {
        let cell = self.locate(position)?;
        let (face, row, col) = self.shape().split(cell);
        let (mut along, mut down) = self.place_within(cell, position)?;
        let (mut row, mut col) = (row, col);
        for _ in 0..level.0 {
            let step = |v: &mut f64| {
                let half = u32::from(*v >= 0.5);
                *v = 2.0 * *v - f64::from(half);
                half
            };
            (row, col) = (2 * row + step(&mut down), 2 * col + step(&mut along));
        }
        Some(Part { level, face, row, col })
    }

    /// Where within a cell that holds it a position lies: eastwards and southwards, 0 to 1.
    fn place_within(&self, cell: Cell, position: Vec3) -> Option<(f64, f64)> {
        let (along, down) = match self {
            Self::Globe(globe) => globe.place_within(cell, position),
            Self::Flat(_) => {
                let corner = self.within(cell, 0.0, 0.0);
                let far = self.within(cell, 1.0, 1.0);
                ((position.x - corner.x) / (far.x - corner.x), (position.y - corner.y) / (far.y - corner.y))
            }
        };
        let inside = |v: f64| v.clamp(0.0, 1.0 - f64::EPSILON);
        (along.is_finite() && down.is_finite()).then(|| (inside(along), inside(down)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flat, Nth, Purpose, Seed};

    fn grids() -> [Topology; 3] {
        [
            Topology::Globe(Globe::new(4, 6.371e6).expect("in range")),
            Topology::Globe(Globe::new(7, 1e5).expect("in range")),
            Topology::Flat(Flat::new(5, 3, 1000.0).expect("in range")),
        ]
    }

    fn parts(grid: &Topology, level: Level) -> Vec<Part> {
        let (rows, cols) = grid.part_rows_cols(level);
        let of_face =
            |face| (0..rows * cols).map(move |k| Part { level, face, row: k / cols, col: k % cols });
        (0..grid.shape().faces).flat_map(of_face).collect()
    }

    #[test]
    fn at_level_0_parts_are_cells() {
        for grid in grids() {
            for part in parts(&grid, Level(0)) {
                let cell = grid.cell_of(part);
                assert!((grid.within_part(part, 0.3, 0.6) - grid.within(cell, 0.3, 0.6)).length() < 1e-9);
                for d in Direction::ALL {
                    let step = grid.step(cell, d).map(|s| (s.cell, s.back));
                    assert_eq!(grid.step_part(part, d).map(|(p, back)| (grid.cell_of(p), back)), step);
                }
            }
        }
    }

    #[test]
    fn middles_of_rectangles_are_those_of_each_part() {
        let mut draw = Seed(4).key(Purpose::new("test/middles")).at(Nth(0));
        for grid in grids() {
            let level = Level(2);
            let (rows, cols) = grid.part_rows_cols(level);
            for face in 0..grid.shape().faces {
                let mut below = |end: u32| (draw.unit() * f64::from(end)) as u32;
                let (row, col) = (below(rows), below(cols));
                let (tall, wide) = (1 + below(rows - row), 1 + below(cols - col));
                let parts = (row..row + tall).flat_map(|row| (col..col + wide).map(move |col| (row, col)));
                let alone = |(row, col)| grid.within_part(Part { level, face, row, col }, 0.5, 0.5);
                let slow: Vec<Vec3> = parts.map(alone).collect();
                assert!(grid.middles(Part { level, face, row, col }, (tall, wide)) == slow);
            }
        }
    }

    #[test]
    fn steps_come_back_and_lead_to_those_that_lie_near() {
        for grid in grids() {
            let level = Level(2);
            let size_m = level.size(grid.cell_m());
            for part in parts(&grid, level) {
                let at = |p: Part| grid.within_part(p, 0.5, 0.5);
                for d in Direction::ALL {
                    let Some((there, back)) = grid.step_part(part, d) else { continue };
                    assert_eq!(grid.step_part(there, back), Some((part, d)), "{part:?} {d:?}");
                    let apart = grid.distance_m(at(part), at(there)) / size_m;
                    assert!((0.6..2.1).contains(&apart), "{part:?} {d:?} {apart}");
                }
            }
        }
    }

    #[test]
    fn a_part_is_found_by_any_place_in_it() {
        let mut draw = Seed(3).key(Purpose::new("test")).at(Nth(0));
        for grid in grids() {
            for part in parts(&grid, Level(3)) {
                let (along, down) = (draw.range(0.01, 0.99), draw.range(0.01, 0.99));
                let place = grid.within_part(part, along, down);
                assert_eq!(grid.locate_part(Level(3), place), Some(part));
                assert_eq!(grid.locate_part(Level(2), place), Some(part.parent()));
            }
        }
    }
}
