//! Walls followed to rings.

use super::runs::Runs;
use grid::{Cell, Direction, Field, Shape, Step};
use std::collections::BTreeMap;

/// What walls stand on.
pub(super) trait Ground {
    /// A name of a corner that is the same from all cells around it.
    type Corner: Copy + Ord;
    /// Whether walls in one direction lie on one line, so that corners between them need not be named.
    const IS_STRAIGHT: bool;
    /// Sides such that every ring has a wall on one of them.
    const STARTS: &'static [Direction];

    /// The neighbour in a direction, and the way back.
    fn beyond(&self, cell: Cell, direction: Direction) -> Option<Step>;
    /// A corner of a cell.
    fn corner(&self, cell: Cell, corner: Direction) -> Self::Corner;
}

/// A ring of a piece.
pub(super) struct Ring<C> {
    pub label: u32,
    /// A number of the connected piece.
    pub piece: u32,
    pub corners: Vec<C>,
}

/// All rings of all labels but one, sorted by label and piece.
pub(super) fn rings<G: Ground>(ground: &G, labels: &Field<u32>, none: u32) -> Vec<Ring<G::Corner>> {
    if labels.shape().is_empty() {
        return Vec::new();
    }
    let contours = Contours { ground, labels: labels.as_slice(), shape: labels.shape() };
    let mut runs = Runs::of(ground, labels);
    let mut starts = Starts::of(&contours, none);
    let mut rings = Vec::new();
    for index in 0..starts.keys.len() {
        if starts.is_walked[index] {
            continue;
        }
        let first = starts.wall(index);
        let (label, piece) = (labels[first.cell], runs.piece(first.cell));
        let corners = contours.follow(first, |wall| starts.walk(wall));
        let simple = cut_where_touching(corners).into_iter();
        rings.extend(simple.map(|corners| Ring { label, piece, corners }));
    }
    // stable: the rings of a piece stay in the order in which they were met
    rings.sort_by_key(|ring| (ring.label, ring.piece));
    rings
}

/// A side of a cell with another label, or nobody, behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wall {
    cell: Cell,
    side: Direction,
}

/// The walls from which rings are begun, in the order of cells, and whether they have been walked.
struct Starts {
    shape: Shape,
    /// Four times the cell plus half the index of the side.
    keys: Vec<u64>,
    /// For each row of all faces its first key; one more at the end.
    of_row: Vec<usize>,
    is_walked: Vec<bool>,
}

impl Starts {
    fn of<G: Ground>(contours: &Contours<G>, none: u32) -> Self {
        let shape = contours.shape;
        let (mut keys, mut of_row) = (Vec::new(), vec![0]);
        for row in 0..shape.faces * shape.rows {
            for cell in (row * shape.cols..(row + 1) * shape.cols).map(Cell) {
                if contours.labels[cell.index()] != none {
                    let walls = G::STARTS.iter().map(|&side| Wall { cell, side });
                    keys.extend(walls.filter(|&wall| contours.stands(wall).is_none()).map(key));
                }
            }
            of_row.push(keys.len());
        }
        Self { shape, is_walked: vec![false; keys.len()], keys, of_row }
    }

    fn wall(&self, index: usize) -> Wall {
        let key = self.keys[index];
        Wall { cell: Cell((key >> 2) as u32), side: Direction::from_index(2 * (key & 3) as u8) }
    }

    fn walk(&mut self, wall: Wall) {
        let row = (wall.cell.0 / self.shape.cols) as usize;
        let of_row = self.of_row[row]..self.of_row[row + 1];
        if let Ok(place) = self.keys[of_row.clone()].binary_search(&key(wall)) {
            self.is_walked[of_row.start + place] = true;
        }
    }
}

fn key(wall: Wall) -> u64 {
    (u64::from(wall.cell.0) << 2) | (wall.side.index() as u64 / 2)
}

struct Contours<'a, G> {
    ground: &'a G,
    labels: &'a [u32],
    shape: Shape,
}

/// A corner of a ring, and whether the label touches itself there.
type Passed<C> = (C, bool);

impl<G: Ground> Contours<'_, G> {
    /// The cell behind a side that is no wall.
    fn stands(&self, wall: Wall) -> Option<Step> {
        let beyond = self.ground.beyond(wall.cell, wall.side);
        beyond.filter(|step| self.labels[step.cell.index()] == self.labels[wall.cell.index()])
    }

    /// The corners of the ring that a wall is part of; each wall is told once.
    fn follow(&self, first: Wall, mut passed: impl FnMut(Wall)) -> Vec<Passed<G::Corner>> {
        let mut corners = Vec::new();
        let mut wall = first;
        loop {
            passed(wall);
            let (next, touches) = self.next(wall);
            // on one line only along one face, where the frame does not turn
            if !(G::IS_STRAIGHT && next.side == wall.side) {
                corners.push((self.ground.corner(wall.cell, wall.side.turned(7)), touches));
            }
            wall = next;
            if wall == first {
                return corners;
            }
        }
    }

    /// The wall that begins where a wall ends (it leads counterclockwise around its cell), around cells of the label that
    /// hang together; and whether another cell of the label touches the first one there.
    fn next(&self, wall: Wall) -> (Wall, bool) {
        let mut next = Wall { side: wall.side.turned(6), ..wall };
        let mut turns_at_once = true;
        while let Some(step) = self.stands(next) {
            next = Wall { cell: step.cell, side: step.back.turned(6) };
            turns_at_once = false;
        }
        let across = || self.ground.beyond(wall.cell, wall.side.turned(7));
        let touches =
            || across().is_some_and(|step| self.labels[step.cell.index()] == self.labels[wall.cell.index()]);
        (next, turns_at_once && touches())
    }
}

/// Cuts a ring that comes by a corner twice, where its label touches itself, into rings that do so once.
fn cut_where_touching<C: Copy + Ord>(ring: Vec<Passed<C>>) -> Vec<Vec<C>> {
    if !ring.iter().any(|&(_, touches)| touches) {
        return vec![ring.into_iter().map(|(corner, _)| corner).collect()];
    }
    let mut rings = Vec::new();
    let mut open: Vec<Passed<C>> = Vec::new();
    let mut place: BTreeMap<C, usize> = BTreeMap::new();
    for (corner, touches) in ring {
        if let Some(since) = place.get(&corner).copied().filter(|_| touches) {
            let loop_: Vec<Passed<C>> = open.drain(since..).collect();
            loop_.iter().filter(|(_, touches)| *touches).for_each(|(corner, _)| {
                place.remove(corner);
            });
            rings.push(loop_.into_iter().map(|(corner, _)| corner).collect());
        }
        if touches {
            place.insert(corner, open.len());
        }
        open.push((corner, touches));
    }
    rings.push(open.into_iter().map(|(corner, _)| corner).collect());
    rings
}
