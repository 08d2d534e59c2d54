//! A flat map: one face of W x H equal cells in metres, square or oblong, with an open border.

use crate::{Cell, Direction, Grid, GridError, Shape, Step, Vec3, Vertex};

/// A rectangle of equal cells. The south-west corner is at (0, 0); x runs east and y north, in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Flat {
    rows: u32,
    cols: u32,
    cell_width_m: f64,
    cell_height_m: f64,
}

// The last address of 32 bits is no cell's, so that it can stand for none.
const _: () = assert!((Flat::MAX_SIDE as u64) * (Flat::MAX_SIDE as u64) < u32::MAX as u64);

impl Flat {
    /// Least cells along a side.
    pub const MIN_SIDE: u32 = 1;
    /// Most cells along a side: the square still has fewer than 2^32 - 1 cells.
    pub const MAX_SIDE: u32 = 65_535;

    /// A map of `cols` x `rows` square cells with sides of `cell_m` metres.
    ///
    /// # Errors
    /// A side outside [`Flat::MIN_SIDE`] to [`Flat::MAX_SIDE`], or a cell outside 1 mm to 10 000 km.
    pub fn new(cols: u32, rows: u32, cell_m: f64) -> Result<Self, GridError> {
        check_sides(cols, rows)?;
        check_cell("the cell", cell_m)?;
        Ok(Self { rows, cols, cell_width_m: cell_m, cell_height_m: cell_m })
    }

    /// A map of `cols` x `rows` cells, each `cell_width_m` from west to east and `cell_height_m` from north to south.
    ///
    /// # Errors
    /// A side outside [`Flat::MIN_SIDE`] to [`Flat::MAX_SIDE`], or a width or height outside 1 mm to 10 000 km.
    pub fn oblong(cols: u32, rows: u32, cell_width_m: f64, cell_height_m: f64) -> Result<Self, GridError> {
        check_sides(cols, rows)?;
        check_cell("the width of a cell", cell_width_m)?;
        check_cell("the height of a cell", cell_height_m)?;
        Ok(Self { rows, cols, cell_width_m, cell_height_m })
    }

    /// Width and height in metres.
    pub fn extent_m(&self) -> (f64, f64) {
        (f64::from(self.cols) * self.cell_width_m, f64::from(self.rows) * self.cell_height_m)
    }

    fn is_square(&self) -> bool {
        self.cell_width_m == self.cell_height_m
    }
}

/// # Errors
/// A side outside [`Flat::MIN_SIDE`] to [`Flat::MAX_SIDE`].
pub(crate) fn check_sides(cols: u32, rows: u32) -> Result<(), GridError> {
    let (min, max) = (Flat::MIN_SIDE, Flat::MAX_SIDE);
    let sides = min..=max;
    if sides.contains(&rows) && sides.contains(&cols) {
        Ok(())
    } else {
        Err(GridError::Side { cols, rows, min, max })
    }
}

fn check_cell(what: &'static str, value: f64) -> Result<(), GridError> {
    let (min, max) = (1e-3, 1e7);
    if (min..=max).contains(&value) { Ok(()) } else { Err(GridError::Length { what, value, min, max }) }
}

impl Grid for Flat {
    fn shape(&self) -> Shape {
        Shape { faces: 1, rows: self.rows, cols: self.cols }
    }

    fn step(&self, cell: Cell, direction: Direction) -> Option<Step> {
        let (_, row, col) = self.shape().split(cell);
        let (dr, dc) = direction.offset();
        let (r, c) = (i64::from(row) + dr, i64::from(col) + dc);
        let inside = (0..i64::from(self.rows)).contains(&r) && (0..i64::from(self.cols)).contains(&c);
        inside.then(|| Step { cell: self.shape().join(0, r as u32, c as u32), back: direction.opposite() })
    }

    fn vertex(&self, cell: Cell, corner: Direction) -> Option<Vertex> {
        if corner.is_side() {
            return None;
        }
        let (_, row, col) = self.shape().split(cell);
        let (dr, dc) = corner.offset();
        Some(Vertex::pack(i64::from(col) + (dc + 1) / 2, i64::from(row) + (dr + 1) / 2, 0))
    }

    fn vertex_position(&self, vertex: Vertex) -> Vec3 {
        let (col, row, _) = vertex.unpack();
        Vec3::new(
            col as f64 * self.cell_width_m,
            (i64::from(self.rows) - row) as f64 * self.cell_height_m,
            0.0,
        )
    }

    fn center(&self, cell: Cell) -> Vec3 {
        self.within(cell, 0.5, 0.5)
    }

    fn within(&self, cell: Cell, along: f64, down: f64) -> Vec3 {
        let (_, row, col) = self.shape().split(cell);
        let x = (f64::from(col) + along) * self.cell_width_m;
        let y = (f64::from(self.rows) - f64::from(row) - down) * self.cell_height_m;
        Vec3::new(x, y, 0.0)
    }

    fn locate(&self, position: Vec3) -> Option<Cell> {
        let (width, height) = self.extent_m();
        let inside = (0.0..=width).contains(&position.x) && (0.0..=height).contains(&position.y);
        inside.then(|| {
            let col = ((position.x / self.cell_width_m) as u32).min(self.cols - 1);
            let row = (((height - position.y) / self.cell_height_m) as u32).min(self.rows - 1);
            self.shape().join(0, row, col)
        })
    }

    fn area_m2(&self, _: Cell) -> f64 {
        self.cell_width_m * self.cell_height_m
    }

    fn distance_m(&self, a: Vec3, b: Vec3) -> f64 {
        a.distance(b)
    }

    fn row_spacing_m(&self, _row: u32) -> Option<[f64; 8]> {
        let (x, y) = (self.cell_width_m, self.cell_height_m);
        let diagonal = if self.is_square() { x * std::f64::consts::SQRT_2 } else { (x * x + y * y).sqrt() };
        Some([y, diagonal, x, diagonal, y, diagonal, x, diagonal])
    }

    fn metres_per_unit(&self) -> f64 {
        1.0
    }

    fn cell_m(&self) -> f64 {
        if self.is_square() { self.cell_width_m } else { (self.cell_width_m * self.cell_height_m).sqrt() }
    }
}
