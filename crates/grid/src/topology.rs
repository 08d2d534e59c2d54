//! What every grid answers: neighbours, addresses, positions, areas and distances.

use crate::{Cell, Direction, Edge, Flat, Globe, Vec3, Vertex};
use serde::{Deserialize, Serialize};

/// How the cells of a grid lie in memory: `faces` arrays of `rows` x `cols`, row 0 in the north.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// 6 on a globe, 1 on a flat map.
    pub faces: u32,
    /// Rows of a face.
    pub rows: u32,
    /// Columns of a face.
    pub cols: u32,
}

impl Shape {
    /// Number of cells.
    pub const fn len(self) -> usize {
        self.faces as usize * self.rows as usize * self.cols as usize
    }

    /// Whether there is no cell at all.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Face, row and column of a cell.
    pub fn split(self, cell: Cell) -> (u32, u32, u32) {
        let per_face = self.rows * self.cols;
        let within = cell.0 % per_face;
        (cell.0 / per_face, within / self.cols, within % self.cols)
    }

    /// The cell at a face, row and column that are in range.
    pub fn join(self, face: u32, row: u32, col: u32) -> Cell {
        debug_assert!(face < self.faces && row < self.rows && col < self.cols);
        Cell((face * self.rows + row) * self.cols + col)
    }
}

/// A neighbour, and the direction in which it sees the cell one came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The neighbour.
    pub cell: Cell,
    /// The way back, in the neighbour's own frame.
    pub back: Direction,
}

/// Why a grid cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// A side is too short or too long.
    #[error("a grid of {cols} x {rows} cells cannot be made: a side has {min} to {max} cells")]
    Side {
        /// Columns asked for.
        cols: u32,
        /// Rows asked for.
        rows: u32,
        /// Least cells along a side.
        min: u32,
        /// Most cells along a side.
        max: u32,
    },
    /// A length that is not a positive, finite number of metres.
    #[error("{what} is {value} m; it must be a positive number from {min} to {max} m")]
    Length {
        /// Which length.
        what: &'static str,
        /// The offending value, in metres.
        value: f64,
        /// Least value, in metres.
        min: f64,
        /// Greatest value, in metres.
        max: f64,
    },
    /// A longitude, a latitude or a step that does not fit on the sphere.
    #[error("{what} is {value} degrees; it must be a number from {min} to {max}")]
    Degrees {
        /// Which angle.
        what: &'static str,
        /// The offending value, in degrees.
        value: f64,
        /// Least value, in degrees, given the other numbers.
        min: f64,
        /// Greatest value, in degrees, given the other numbers.
        max: f64,
    },
}

/// A grid of nearly square cells with eight directions.
///
/// Positions are unit vectors on a globe and metres on a flat map; [`Grid::metres_per_unit`] turns one into
/// the other. All face, wrap and pole arithmetic is behind these functions.
pub trait Grid: Sync {
    /// How the cells lie in memory.
    fn shape(&self) -> Shape;

    /// The neighbour in a direction and the way back, or `None` past a border or at a missing diagonal
    /// (three cells meet at each of the eight corners of a cube).
    fn step(&self, cell: Cell, direction: Direction) -> Option<Step>;

    /// The vertex at a corner of a cell (NE, SE, SW or NW); `None` for a side.
    fn vertex(&self, cell: Cell, corner: Direction) -> Option<Vertex>;

    /// Position of a vertex.
    fn vertex_position(&self, vertex: Vertex) -> Vec3;

    /// Position of a cell's centre.
    fn center(&self, cell: Cell) -> Vec3;

    /// The cell that holds a position; `None` outside a flat map or where a coordinate is not finite.
    fn locate(&self, position: Vec3) -> Option<Cell>;

    /// The position at a place within a cell: `along` from 0 (west side) to 1, `down` from 0 (north) to 1.
    fn within(&self, cell: Cell, along: f64, down: f64) -> Vec3;

    /// Area of a cell in square metres.
    fn area_m2(&self, cell: Cell) -> f64;

    /// Distance between two positions along the surface, in metres.
    fn distance_m(&self, a: Vec3, b: Vec3) -> f64;

    /// Metres in one unit of position: the radius of a globe, 1 on a flat map.
    fn metres_per_unit(&self) -> f64;

    /// Side of a typical cell in metres: the root of the mean area.
    fn cell_m(&self) -> f64;

    /// Distances in metres from the centre of any cell of a row to the centres of its neighbours, clockwise from
    /// north, where all cells of that row have the same; `None` where they differ, as on a globe.
    ///
    /// Each is the same seen from both ends, bit for bit. Of no meaning, but positive, where there is no neighbour.
    fn row_spacing_m(&self, _row: u32) -> Option<[f64; 8]> {
        None
    }

    /// Number of cells.
    fn len(&self) -> usize {
        self.shape().len()
    }

    /// Whether there is no cell.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All cells in order.
    fn cells(&self) -> impl Iterator<Item = Cell> + use<Self>
    where
        Self: Sized,
    {
        (0..self.len()).map(Cell::from_index)
    }

    /// The neighbour in a direction, if there is one.
    fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        self.step(cell, direction).map(|step| step.cell)
    }

    /// The neighbours that exist, clockwise from north, each with its direction.
    fn neighbors(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)>
    where
        Self: Sized,
    {
        Direction::ALL.into_iter().filter_map(move |d| Some((d, self.neighbor(cell, d)?)))
    }

    /// The edge on a side of a cell (N, E, S or W); `None` for a corner.
    fn edge(&self, cell: Cell, side: Direction) -> Option<Edge> {
        let ends = (self.vertex(cell, side.turned(7))?, self.vertex(cell, side.turned(1))?);
        Some(Edge::between(ends.0, ends.1))
    }

    /// The position at `t` (0 to 1) along an edge, counted from its lower end: on the straight line on a flat
    /// map, on the great circle on a globe, on the parallel or meridian of a raster in longitude and latitude.
    fn along_edge(&self, edge: Edge, t: f64) -> Vec3 {
        let (low, high) = edge.ends();
        self.vertex_position(low).lerp(self.vertex_position(high), t)
    }

    /// Whether a side of the cell has nobody behind it.
    fn at_border(&self, cell: Cell) -> bool {
        Direction::SIDES.into_iter().any(|side| self.step(cell, side).is_none())
    }

    /// Distance between the centres of two cells, in metres.
    fn cell_distance_m(&self, a: Cell, b: Cell) -> f64 {
        self.distance_m(self.center(a), self.center(b))
    }

    /// The cells at most `rings` king's moves away, the cell itself included, in the order of addresses.
    fn halo(&self, cell: Cell, rings: usize) -> Vec<Cell>
    where
        Self: Sized,
    {
        square(self.shape(), cell, rings).unwrap_or_else(|| by_moves(self, cell, rings))
    }
}

/// The cells at most so many king's moves from one, if no border of its face is as near.
pub(crate) fn square(shape: Shape, cell: Cell, rings: usize) -> Option<Vec<Cell>> {
    let (face, row, col) = shape.split(cell);
    let inside = |at: u32, side: u32| at as usize >= rings && at as usize + rings < side as usize;
    let r = rings as u32; // fits where it is used: it is less than a side
    let of_row = |y: u32| (col - r..=col + r).map(move |x| shape.join(face, y, x));
    let lies_inside = inside(row, shape.rows) && inside(col, shape.cols);
    lies_inside.then(|| (row - r..=row + r).flat_map(of_row).collect())
}

/// The cells at most so many king's moves from one, on any grid, one move after the other.
pub(crate) fn by_moves(grid: &impl Grid, cell: Cell, rings: usize) -> Vec<Cell> {
    let mut found = vec![cell];
    let mut frontier = vec![cell];
    for _ in 0..rings {
        let mut next: Vec<Cell> = frontier.iter().flat_map(|&c| grid.neighbors(c).map(|(_, n)| n)).collect();
        next.sort_unstable();
        next.dedup();
        next.retain(|c| found.binary_search(c).is_err());
        found.extend_from_slice(&next);
        found.sort_unstable();
        frontier = next;
    }
    found
}

/// The grid of a world: a globe or a flat map.
#[derive(Clone, Debug, PartialEq)]
pub enum Topology {
    /// A cubed sphere.
    Globe(Globe),
    /// A rectangle with an open border.
    Flat(Flat),
}

macro_rules! either {
    ($self:ident, $grid:ident => $answer:expr) => {
        match $self {
            Topology::Globe($grid) => $answer,
            Topology::Flat($grid) => $answer,
        }
    };
}

impl Topology {
    /// The nearest position inside a flat map; on a globe the position itself. `NaN` stays as it is.
    pub fn nearest_inside(&self, position: Vec3) -> Vec3 {
        match self {
            Self::Globe(_) => position,
            Self::Flat(flat) => {
                let (width, height) = flat.extent_m();
                Vec3::new(position.x.clamp(0.0, width), position.y.clamp(0.0, height), 0.0)
            }
        }
    }

    /// [`Grid::center`] of cells that follow one another in a row, from `first` on.
    pub fn row_of_centers(&self, first: Cell, count: usize) -> Vec<Vec3> {
        match self {
            Self::Globe(globe) => globe.row_of_centers(first, count),
            Self::Flat(flat) => (first.0..).take(count).map(|cell| flat.center(Cell(cell))).collect(),
        }
    }

    /// [`Grid::within`] the north-west cell of a face, row by row: at all `alongs` for the first of `downs`, then for the
    /// second, and so on.
    pub fn crossings(&self, face: u32, alongs: &[f64], downs: &[f64]) -> Vec<Vec3> {
        match self {
            Self::Globe(globe) => globe.crossings(face, alongs, downs),
            Self::Flat(flat) => {
                let corner = flat.shape().join(face, 0, 0);
                downs.iter().flat_map(|&d| alongs.iter().map(move |&a| flat.within(corner, a, d))).collect()
            }
        }
    }

    /// A point in metres put back on the sphere of a globe; on a flat map the point itself.
    pub fn on_surface_m(&self, p_m: Vec3) -> Vec3 {
        match self {
            Self::Globe(globe) => p_m.normalized() * globe.radius_m(),
            Self::Flat(_) => p_m,
        }
    }

    /// A vector along the surface at a place, given in any unit, turned to the left by a right angle.
    pub fn left_of(&self, p: Vec3, along: Vec3) -> Vec3 {
        let (u, v) = self.tangents(p);
        v * along.dot(u) - u * along.dot(v)
    }

    /// Two unit vectors along the surface, at right angles, at a place given in any unit.
    pub fn tangents(&self, p: Vec3) -> (Vec3, Vec3) {
        match self {
            Self::Globe(_) => crate::math::tangent_frame(p.normalized()),
            Self::Flat(_) => (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)),
        }
    }
}

impl Grid for Topology {
    fn shape(&self) -> Shape {
        either!(self, g => g.shape())
    }
    fn step(&self, cell: Cell, direction: Direction) -> Option<Step> {
        either!(self, g => g.step(cell, direction))
    }
    fn vertex(&self, cell: Cell, corner: Direction) -> Option<Vertex> {
        either!(self, g => g.vertex(cell, corner))
    }
    fn vertex_position(&self, vertex: Vertex) -> Vec3 {
        either!(self, g => g.vertex_position(vertex))
    }
    fn center(&self, cell: Cell) -> Vec3 {
        either!(self, g => g.center(cell))
    }
    fn locate(&self, position: Vec3) -> Option<Cell> {
        either!(self, g => g.locate(position))
    }
    fn within(&self, cell: Cell, along: f64, down: f64) -> Vec3 {
        either!(self, g => g.within(cell, along, down))
    }
    fn area_m2(&self, cell: Cell) -> f64 {
        either!(self, g => g.area_m2(cell))
    }
    fn distance_m(&self, a: Vec3, b: Vec3) -> f64 {
        either!(self, g => g.distance_m(a, b))
    }
    fn along_edge(&self, edge: Edge, t: f64) -> Vec3 {
        either!(self, g => g.along_edge(edge, t))
    }
    fn metres_per_unit(&self) -> f64 {
        either!(self, g => g.metres_per_unit())
    }
    fn cell_m(&self) -> f64 {
        either!(self, g => g.cell_m())
    }
    fn row_spacing_m(&self, row: u32) -> Option<[f64; 8]> {
        either!(self, g => g.row_spacing_m(row))
    }
    fn halo(&self, cell: Cell, rings: usize) -> Vec<Cell> {
        either!(self, g => g.halo(cell, rings))
    }
}
