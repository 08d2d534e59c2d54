//! A grid for tests: rows with spacings of their own, which may close on themselves.

use grid::{Cell, Direction, Draw, Flat, Grid, Shape, Step, Vec3, Vertex};

/// A flat map whose cells have other spacings in each row; with `is_ring`, the last column is beside the first.
pub struct Raster {
    flat: Flat,
    is_ring: bool,
    /// North to south; then how much wider than high the cells of each row are.
    height_m: f64,
    stretch: Vec<f64>,
}

impl Raster {
    pub fn any(cols: u32, rows: u32, draw: &mut Draw) -> Self {
        let height_m = draw.range(0.1, 100.0);
        let flat = Flat::new(cols, rows, height_m).expect("in range");
        let widest = [1.0, 1.5, 30.0, 1e5][draw.below(4) as usize];
        let stretch = (0..rows).map(|_| draw.range(1.0 / widest, widest)).collect();
        Self { flat, is_ring: draw.below(2) == 0, height_m, stretch }
    }
}

impl Raster {
    pub fn open(cols: u32, rows: u32, draw: &mut Draw) -> Self {
        Self { is_ring: false, ..Self::any(cols, rows, draw) }
    }
}

impl Grid for Raster {
    fn shape(&self) -> Shape {
        self.flat.shape()
    }
    fn step(&self, cell: Cell, direction: Direction) -> Option<Step> {
        let shape = self.shape();
        let (_, row, col) = shape.split(cell);
        let (dr, dc) = direction.offset();
        let (row, col) = (i64::from(row) + dr, i64::from(col) + dc);
        let cols = i64::from(shape.cols);
        let is_inside =
            (0..i64::from(shape.rows)).contains(&row) && (self.is_ring || (0..cols).contains(&col));
        is_inside.then(|| Step {
            cell: shape.join(0, row as u32, col.rem_euclid(cols) as u32),
            back: direction.opposite(),
        })
    }
    fn vertex(&self, cell: Cell, corner: Direction) -> Option<Vertex> {
        self.flat.vertex(cell, corner)
    }
    fn vertex_position(&self, vertex: Vertex) -> Vec3 {
        self.flat.vertex_position(vertex)
    }
    fn center(&self, cell: Cell) -> Vec3 {
        self.flat.center(cell)
    }
    fn locate(&self, position: Vec3) -> Option<Cell> {
        self.flat.locate(position)
    }
    fn within(&self, cell: Cell, along: f64, down: f64) -> Vec3 {
        self.flat.within(cell, along, down)
    }
    fn area_m2(&self, cell: Cell) -> f64 {
        self.flat.area_m2(cell)
    }
    fn distance_m(&self, a: Vec3, b: Vec3) -> f64 {
        self.flat.distance_m(a, b)
    }
    fn metres_per_unit(&self) -> f64 {
        1.0
    }
    fn cell_m(&self) -> f64 {
        self.height_m
    }
    fn row_spacing_m(&self, row: u32) -> Option<[f64; 8]> {
        let width = |row: u32| self.height_m * self.stretch[(row as usize).min(self.stretch.len() - 1)];
        // Over a corner the mean width of the two rows, so that both ends see one distance.
        let corner = |other: u32| {
            let across = (width(row) + width(other)) / 2.0;
            (self.height_m * self.height_m + across * across).sqrt()
        };
        let (up, down) = (corner(row.saturating_sub(1)), corner(row + 1));
        Some([self.height_m, up, width(row), down, self.height_m, down, width(row), up])
    }
}
