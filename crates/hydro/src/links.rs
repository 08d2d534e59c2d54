//! Which neighbours water may go to.
//!
//! With all eight directions, rivers can cross each other over the corners of cells. On a planar set they
//! cannot: of the two diagonals around a vertex only one is a link.

use crate::stencil::{Centers, Shaped, Stencil, assert_shape};
use grid::{Cell, Direction, Field, Grid, Shape};

/// The neighbours that water may go to: a byte of directions for each cell, bit 0 = north, clockwise.
///
/// Links are mutual, lead only to neighbours that exist, and always cover all sides. Where four cells meet, at
/// least one of the two diagonals is a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Links(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Every neighbour that exists.
    All(Rim),
    /// A byte for each cell.
    Chosen(Field<u8>),
}

/// The links to all neighbours: away from the border of a face there are eight, so only its rim is kept.
#[derive(Clone, Debug, PartialEq)]
struct Rim {
    shape: Shape,
    /// For each face: the bytes of its top row, bottom row, left column and right column.
    bytes: Vec<u8>,
}

impl Rim {
    fn of(grid: &impl Grid) -> Self {
        let shape = grid.shape();
        let byte = |row, col, face| {
            let cell = shape.join(face, row, col);
            Direction::ALL
                .into_iter()
                .fold(0, |bits, d| bits | u8::from(grid.step(cell, d).is_some()) << d.index())
        };
        let mut bytes = Vec::with_capacity(shape.faces as usize * 2 * (shape.rows + shape.cols) as usize);
        for face in 0..shape.faces {
            bytes.extend((0..shape.cols).map(|col| byte(0, col, face)));
            bytes.extend((0..shape.cols).map(|col| byte(shape.rows - 1, col, face)));
            bytes.extend((0..shape.rows).map(|row| byte(row, 0, face)));
            bytes.extend((0..shape.rows).map(|row| byte(row, shape.cols - 1, face)));
        }
        Self { shape, bytes }
    }

    fn byte(&self, cell: Cell) -> u8 {
        let Shape { rows, cols, .. } = self.shape;
        let (face, row, col) = self.shape.split(cell);
        let within = match (row, col) {
            (0, _) => col,
            (_, _) if row + 1 == rows => cols + col,
            (_, 0) => 2 * cols + row,
            (_, _) if col + 1 == cols => 2 * cols + rows + row,
            _ => return u8::MAX,
        };
        self.bytes[(face * 2 * (rows + cols) + within) as usize]
    }
}

/// N, E, S and W.
const SIDES: u8 = 0b0101_0101;

impl Links {
    /// All neighbours. Takes no memory to speak of.
    pub fn all(grid: &impl Grid) -> Self {
        Self(Kind::All(Rim::of(grid)))
    }

    /// Whether these are the links to all neighbours, as [`Links::all`] makes them.
    pub fn is_all(&self) -> bool {
        matches!(self.0, Kind::All(_))
    }

    /// All sides, and one diagonal of each four cells around a vertex: no two links cross.
    ///
    /// The diagonal with the steeper slope |dz| / distance is kept; of equal ones, that with the lowest cell
    /// address. A diagonal with an end that is not a number gives way. Where three cells meet, at the corners
    /// of a cube, there is no diagonal. `elevation` in metres.
    pub fn planar(grid: &impl Grid, elevation: &Field<f32>) -> Self {
        assert_shape(grid, elevation, "the elevation");
        let quads =
            Quads { grid, stencil: Stencil::new(grid.shape()), centers: Centers::of(grid), elevation };
        let falling = Field::from_fn(grid.shape(), |cell| quads.is_falling(cell));
        Self(Kind::Chosen(Field::from_fn(grid.shape(), |cell| quads.links(&falling, cell))))
    }

    /// Whether water may go from a cell in this direction.
    pub fn allows(&self, cell: Cell, direction: Direction) -> bool {
        self.byte(cell) >> direction.index() & 1 == 1
    }

    /// The neighbours that water may go to, clockwise from north.
    pub fn neighbors<'a, G: Grid>(
        &'a self,
        grid: &'a G,
        cell: Cell,
    ) -> impl Iterator<Item = (Direction, Cell)> + 'a {
        let byte = self.byte(cell);
        grid.neighbors(cell).filter(move |(d, _)| byte >> d.index() & 1 == 1)
    }

    /// The directions of a cell, bit 0 = north.
    #[inline]
    pub fn byte(&self, cell: Cell) -> u8 {
        match &self.0 {
            Kind::All(rim) => rim.byte(cell),
            Kind::Chosen(bytes) => bytes[cell],
        }
    }

    /// As [`Links::byte`], but directions in which there is no neighbour may be among them: for those who ask the grid.
    #[inline]
    pub(crate) fn mask(&self, cell: Cell) -> u8 {
        match &self.0 {
            Kind::All(_) => u8::MAX,
            Kind::Chosen(bytes) => bytes[cell],
        }
    }

    /// What has the shape of the grid: for [`assert_shape`].
    pub(crate) fn bytes(&self) -> &Self {
        self
    }

    /// The bytes of all cells in order, unless these are the links to all neighbours.
    pub(crate) fn chosen(&self) -> Option<&[u8]> {
        match &self.0 {
            Kind::All(_) => None,
            Kind::Chosen(bytes) => Some(bytes.as_slice()),
        }
    }
}

impl Shaped for Links {
    fn shape(&self) -> Shape {
        match &self.0 {
            Kind::All(rim) => rim.shape,
            Kind::Chosen(bytes) => bytes.shape(),
        }
    }
}

/// The four cells around each vertex, and which of their diagonals is kept.
struct Quads<'a, G> {
    grid: &'a G,
    stencil: Stencil,
    centers: Centers,
    elevation: &'a Field<f32>,
}

impl<G: Grid> Quads<'_, G> {
    /// Whether the diagonal from a cell to its south-east is kept. Of no meaning at the rim of a face.
    fn is_falling(&self, cell: Cell) -> bool {
        let there = |d| self.stencil.inner_neighbor(cell, d);
        self.stencil.is_inner(cell)
            && self.keeps((cell, there(Direction::SE)), (there(Direction::E), there(Direction::S)))
    }

    /// The directions of a cell. Away from the rim each quad has been judged once, from its north-west.
    fn links(&self, falling: &Field<bool>, cell: Cell) -> u8 {
        let there = |d| self.stencil.inner_neighbor(cell, d);
        if !self.stencil.is_inner(cell) || !self.stencil.is_inner(there(Direction::NW)) {
            return self.links_at_rim(cell);
        }
        let corners = [
            (Direction::NE, !falling[there(Direction::N)]),
            (Direction::SE, falling[cell]),
            (Direction::SW, !falling[there(Direction::W)]),
            (Direction::NW, falling[there(Direction::NW)]),
        ];
        corners.iter().fold(SIDES, |bits, &(d, kept)| bits | u8::from(kept) << d.index())
    }

    fn links_at_rim(&self, cell: Cell) -> u8 {
        let mut around = [None; 8];
        self.stencil.visit(self.grid, u8::MAX, cell, |d, _, n| around[d as usize] = Some(n));
        let is_link = |d: Direction| match [7, 0, 1].map(|turn| around[d.turned(turn).index()]) {
            [_, there, _] if d.is_side() => there.is_some(),
            [Some(a), Some(there), Some(b)] => self.keeps((cell, there), (a, b)),
            _ => false,
        };
        Direction::ALL.into_iter().fold(0, |bits, d| bits | u8::from(is_link(d)) << d.index())
    }

    /// Whether the first of a quad's two diagonals is kept. Depends on the four cells only, not on who asks.
    fn keeps(&self, one: (Cell, Cell), other: (Cell, Cell)) -> bool {
        let rise = |(a, b): (Cell, Cell)| {
            let rise = (f64::from(self.elevation[a]) - f64::from(self.elevation[b])).abs();
            if rise.is_nan() { f64::NEG_INFINITY } else { rise }
        };
        // Slopes compared crosswise: products of 24-bit spacings with rises are nearly always exact, so ties are.
        let steepness = rise(one) * self.centers.distance(other.0, other.1);
        let opposed = rise(other) * self.centers.distance(one.0, one.1);
        steepness > opposed || (steepness == opposed && one.0.min(one.1) < other.0.min(other.1))
    }
}
