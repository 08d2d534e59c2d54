//! The eight neighbours of a cell, fast: within a face they lie at fixed offsets in memory.

use grid::{Cell, Direction, Field, Grid, Shape, Vec3};

/// Offsets of the eight neighbours of a cell that touches no border of its face.
///
/// [`Shape`] promises faces of rows x columns with north towards row 0, so such a cell need not ask the grid.
pub(crate) struct Stencil {
    shape: Shape,
    offsets: [i32; 8],
    /// 2^64 / columns and 2^64 / rows, rounded up: exact divisions of 32-bit numbers by two products (Lemire, Kaser &
    /// Kurz 2019), three times as fast as the processor's.
    per_col: u64,
    per_row: u64,
}

impl Stencil {
    pub(crate) fn new(shape: Shape) -> Self {
        let cols = i64::from(shape.cols);
        let offsets = Direction::ALL.map(|d| {
            let (dr, dc) = d.offset();
            (dr * cols + dc) as i32
        });
        let inverse = |side: u32| u64::MAX / u64::from(side.max(2)) + 1;
        Self { shape, offsets, per_col: inverse(shape.cols), per_row: inverse(shape.rows) }
    }

    /// Whether all eight neighbours are on the cell's own face.
    #[inline]
    pub(crate) fn is_inner(&self, cell: Cell) -> bool {
        let Shape { rows, cols, .. } = self.shape;
        let (line, col) = divide(cell.0, cols, self.per_col);
        let (_, row) = divide(line, rows, self.per_row);
        // Sides of one or two cells have nothing inside; for one the division is of no meaning.
        rows > 2 && cols > 2 && row > 0 && row + 1 < rows && col > 0 && col + 1 < cols
    }

    /// Calls `visit(direction, way back, neighbour)` for each direction of the byte `links`, clockwise from
    /// north; directions as indices. Directions without a neighbour are passed over.
    #[inline(always)]
    pub(crate) fn visit(&self, grid: &impl Grid, links: u8, cell: Cell, mut visit: impl FnMut(u8, u8, Cell)) {
        let mut rest = links;
        if self.is_inner(cell) {
            while rest != 0 {
                let d = rest.trailing_zeros() as u8;
                rest &= rest - 1;
                visit(d, (d + 4) & 7, self.inner_neighbor(cell, Direction::from_index(d)));
            }
        } else {
            while rest != 0 {
                let d = rest.trailing_zeros() as u8;
                rest &= rest - 1;
                if let Some(step) = grid.step(cell, Direction::from_index(d)) {
                    visit(d, step.back as u8, step.cell);
                }
            }
        }
    }

    /// The neighbour of an inner cell.
    #[inline]
    pub(crate) fn inner_neighbor(&self, cell: Cell, direction: Direction) -> Cell {
        debug_assert!(self.is_inner(cell), "{cell:?} is at the border of its face");
        Cell(cell.0.wrapping_add_signed(self.offsets[direction.index()]))
    }

    /// The neighbour in a direction in which there is one, and the way back.
    #[inline]
    pub(crate) fn step(&self, grid: &impl Grid, cell: Cell, direction: u8) -> (Cell, u8) {
        let direction = Direction::from_index(direction);
        if self.is_inner(cell) {
            (self.inner_neighbor(cell, direction), direction.opposite() as u8)
        } else {
            let step = grid.step(cell, direction).expect("links lead to neighbours");
            (step.cell, step.back as u8)
        }
    }

    /// The neighbour in a direction, if it is one.
    #[inline]
    pub(crate) fn neighbor_along(&self, grid: &impl Grid, cell: Cell, direction: u8) -> Option<Cell> {
        if direction < 8 { self.neighbor(grid, cell, direction) } else { None }
    }

    /// The neighbour in a direction.
    #[inline]
    pub(crate) fn neighbor(&self, grid: &impl Grid, cell: Cell, direction: u8) -> Option<Cell> {
        if self.is_inner(cell) {
            Some(self.inner_neighbor(cell, Direction::from_index(direction)))
        } else {
            grid.neighbor(cell, Direction::from_index(direction))
        }
    }
}

/// Quotient and remainder of a division by 2 or more, whose inverse is given.
#[inline]
fn divide(n: u32, by: u32, inverse: u64) -> (u32, u32) {
    let quotient = ((u128::from(inverse) * u128::from(n)) >> 64) as u32;
    (quotient, n.wrapping_sub(quotient.wrapping_mul(by)))
}

/// The centres of all cells, for distances between neighbours in units of position.
///
/// Straight lines, also on a globe: between cells of 20 km on Earth the arc is longer by 4 parts in 10^7.
/// Rounded to `f32`, so that spacings which are equal on a flat map are equal in spite of rounded coordinates.
pub(crate) struct Centers(Field<Vec3>);

impl Centers {
    pub(crate) fn of(grid: &impl Grid) -> Self {
        Self(Field::from_fn(grid.shape(), |cell| grid.center(cell)))
    }

    /// Equal in both directions, bit for bit.
    #[inline]
    pub(crate) fn distance(&self, a: Cell, b: Cell) -> f64 {
        f64::from((self.0[a] - self.0[b]).length_squared().sqrt() as f32)
    }
}

/// What holds something for each cell of a grid.
pub(crate) trait Shaped {
    fn shape(&self) -> Shape;
}

impl<T> Shaped for Field<T> {
    fn shape(&self) -> Shape {
        Field::shape(self)
    }
}

/// # Panics
/// If a field's shape is not the grid's.
pub(crate) fn assert_shape(grid: &impl Grid, field: &impl Shaped, what: &str) {
    assert_eq!(field.shape(), grid.shape(), "the shape of {what} must be that of the grid");
}
