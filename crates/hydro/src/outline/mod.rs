//! Outlines of labelled cells (basins, sub-basins, lakes) along the sides of cells: from a raster to areas.
//!
//! A *wall* is a side of a cell whose neighbour has another label, or none. Rings of walls have the label on their left,
//! seen on a map with north up, so outlines run counterclockwise and holes clockwise; nothing is simplified, so neighbours
//! fit without gaps.
//!
//! Tie rules. Cells hang together over sides only: those of one label that touch at a corner are separate there. Where
//! walls of a ring meet at such a corner, the ring is cut into rings that touch in a point, so every ring is simple:
//! no corner twice. Such areas are valid to OGC 06-103r4.
//!
//! The scheme: contour following, from each wall on to the next one around the end that they share; and connected pieces
//! by the union of runs of cells in rows (Rosenfeld & Pfaltz 1966), which says what hole belongs to what outline. Cost:
//! linear in cells, with a search in a row for each wall that faces north. Memory: proportional to walls and runs.

mod rings;

mod runs;

use grid::{Cell, Direction, Field, Grid, Shape, Step, Vertex};
use rings::{Ground, rings};

/// All areas of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The label.
    pub label: u32,
    /// Its connected pieces, by their first cells.
    pub parts: Vec<Part>,
}

/// A corner of a raster's cells: columns from the west and rows from the north; (0, 0) is the raster's own corner.
pub type Corner = [u32; 2];

/// A connected piece of a label, by rings of corners at which they turn. A ring is closed: its last corner is the first again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its outline, counterclockwise with north up.
    pub outer: Vec<Corner>,
    /// What is missing inside, clockwise.
    pub holes: Vec<Vec<Corner>>,
}

/// The outlines of all labels but `none` on one face, by label.
///
/// The raster's own sides are walls, also where a raster goes around the globe. Panics on a field of several faces.
pub fn outlines(labels: &Field<u32>, none: u32) -> Vec<Outline> {
    let shape = labels.shape();
    assert_eq!(shape.faces, 1, "outlines in corners of a raster need one face; patches take any grid");
    let mut outlines: Vec<Outline> = Vec::new();
    let found = rings(&Plane(shape), labels, none);
    for piece in found.chunk_by(|a, b| a.piece == b.piece) {
        let closed =
            piece.iter().map(|ring| ring.corners.iter().copied().chain(ring.corners.first().copied()));
        let (mut outer, holes): (Vec<Vec<Corner>>, _) =
            closed.map(Iterator::collect).partition(|ring: &Vec<Corner>| twice_area(ring) > 0);
        let outer = outer.pop().expect("a piece has one ring that runs counterclockwise");
        if outlines.last().is_none_or(|last| last.label != piece[0].label) {
            outlines.push(Outline { label: piece[0].label, parts: Vec::new() });
        }
        if let Some(outline) = outlines.last_mut() {
            outline.parts.push(Part { outer, holes });
        }
    }
    outlines
}

/// Twice the area within a closed ring in cells, positive if it runs counterclockwise with north up.
fn twice_area(ring: &[Corner]) -> i64 {
    let cross =
        |s: &[Corner]| i64::from(s[1][0]) * i64::from(s[0][1]) - i64::from(s[0][0]) * i64::from(s[1][1]);
    ring.windows(2).map(cross).sum()
}

impl Part {
    /// Number of cells inside: the area by the shoelace formula.
    pub fn cells(&self) -> u64 {
        let twice = twice_area(&self.outer) + self.holes.iter().map(|hole| twice_area(hole)).sum::<i64>();
        twice.unsigned_abs() / 2
    }
}

/// A connected piece of a label on any grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The label.
    pub label: u32,
    /// Its rings, each of at least three corners of cells, all of which it goes through are named; the last is followed by the
    /// first. All have the piece on their left; on a sphere none of them is the outer one.
    pub rings: Vec<Vec<Vertex>>,
}

/// The connected pieces of all labels but `none`, by label and by their first cells; also over the edges of a cube.
///
/// A label on all cells of a globe has no wall, and so no patch.
pub fn patches(grid: &impl Grid, labels: &Field<u32>, none: u32) -> Vec<Patch> {
    crate::stencil::assert_shape(grid, labels, "the labels");
    let found = rings(&Whole(grid), labels, none);
    let patch = |piece: &[rings::Ring<Vertex>]| Patch {
        label: piece[0].label,
        rings: piece.iter().map(|ring| ring.corners.clone()).collect(),
    };
    found.chunk_by(|a, b| a.piece == b.piece).map(patch).collect()
}

/// One face, of which the borders are walls.
struct Plane(Shape);

impl Ground for Plane {
    type Corner = Corner;
    const IS_STRAIGHT: bool = true;
    /// Every ring of a plane has a wall that faces north.
    const STARTS: &'static [Direction] = &[Direction::N];

    fn beyond(&self, cell: Cell, direction: Direction) -> Option<Step> {
        let (rows, cols) = (i64::from(self.0.rows), i64::from(self.0.cols));
        let (row, col) = (i64::from(cell.0 / self.0.cols), i64::from(cell.0 % self.0.cols));
        let (dr, dc) = direction.offset();
        let (r, c) = (row + dr, col + dc);
        let inside = (0..rows).contains(&r) && (0..cols).contains(&c);
        inside.then(|| Step { cell: Cell((r * cols + c) as u32), back: direction.opposite() })
    }

    fn corner(&self, cell: Cell, corner: Direction) -> Corner {
        let (dr, dc) = corner.offset();
        let (row, col) = (cell.0 / self.0.cols, cell.0 % self.0.cols);
        [col + u32::from(dc > 0), row + u32::from(dr > 0)]
    }
}

/// All faces of a grid.
struct Whole<'a, G>(&'a G);

impl<G: Grid> Ground for Whole<'_, G> {
    type Corner = Vertex;
    const IS_STRAIGHT: bool = false;
    const STARTS: &'static [Direction] = &Direction::SIDES;

    fn beyond(&self, cell: Cell, direction: Direction) -> Option<Step> {
        self.0.step(cell, direction)
    }

    fn corner(&self, cell: Cell, corner: Direction) -> Vertex {
        self.0.vertex(cell, corner).expect("a corner between two sides has a vertex")
    }
}
