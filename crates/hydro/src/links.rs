//! Which neighbours water may go to.
//!
//! With all eight directions, rivers can cross each other over the corners of cells. On a planar set they
//! cannot: of the two diagonals around a vertex only one is a link.

use crate::stencil::{Centers, Stencil, assert_shape};
use grid::{Cell, Direction, Field, Grid};

/// The neighbours that water may go to: a byte of directions for each cell, bit 0 = north, clockwise.
///
/// Links are mutual, lead only to neighbours that exist, and always cover all sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Links(Field<u8>);

impl Links {
    /// All neighbours.
    pub fn all(grid: &impl Grid) -> Self {
        let stencil = Stencil::new(grid.shape());
        Self(Field::from_fn(grid.shape(), |cell| {
            let mut bits = 0;
            stencil.visit(grid, u8::MAX, cell, |d, _, _| bits |= 1 << d);
            bits
        }))
    }

    /// All sides, and one diagonal of each four cells around a vertex: no two links cross.
    ///
    /// The diagonal with the steeper slope |dz| / distance is kept; of equal ones, that with the lowest cell
    /// address. A diagonal with an end that is not a number gives way. Where three cells meet, at the corners
    /// of a cube, there is no diagonal. `elevation` in metres.
    pub fn planar(grid: &impl Grid, elevation: &Field<f32>) -> Self {
        assert_shape(grid, elevation, "the elevation");
        let stencil = Stencil::new(grid.shape());
        let centers = Centers::of(grid);
        Self(Field::from_fn(grid.shape(), |cell| {
            let mut around = [None; 8];
            stencil.visit(grid, u8::MAX, cell, |d, _, n| around[d as usize] = Some(n));
            let mut bits = 0;
            for d in Direction::ALL {
                let [before, there, after] = [7, 0, 1].map(|turn| around[d.turned(turn).index()]);
                let is_link = match (before, there, after) {
                    (_, there, _) if d.is_side() => there.is_some(),
                    (Some(a), Some(there), Some(b)) => {
                        keeps_diagonal(elevation, &centers, (cell, there), (a, b))
                    }
                    _ => false,
                };
                bits |= u8::from(is_link) << d.index();
            }
            bits
        }))
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
    pub fn byte(&self, cell: Cell) -> u8 {
        self.0[cell]
    }

    pub(crate) fn bytes(&self) -> &Field<u8> {
        &self.0
    }
}

/// Whether the first of a quad's two diagonals is kept. Depends on the four cells only, not on who asks.
fn keeps_diagonal(z: &Field<f32>, centers: &Centers, one: (Cell, Cell), other: (Cell, Cell)) -> bool {
    let rise = |(a, b): (Cell, Cell)| {
        let rise = (f64::from(z[a]) - f64::from(z[b])).abs();
        if rise.is_nan() { f64::NEG_INFINITY } else { rise }
    };
    // Slopes compared crosswise: products of 24-bit spacings with rises are nearly always exact, so ties are.
    let steepness = rise(one) * centers.distance(other.0, other.1);
    let opposed = rise(other) * centers.distance(one.0, one.1);
    steepness > opposed || (steepness == opposed && one.0.min(one.1) < other.0.min(other.1))
}
