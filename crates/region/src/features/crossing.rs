//! Where features cross from one cell to the next: what an edge or a vertex decides for both of its cells.

use super::Maker;
use grid::{Cell, Direction, Draw, Grid, Key, Vec3};

/// A place on the border between two cells.
pub(super) struct Crossing {
    /// The neighbour.
    pub neighbor: Cell,
    /// Position in metres.
    pub at: Vec3,
    /// Unit vector across the border, from this cell to the neighbour.
    pub outward: Vec3,
    /// The generator of the edge or vertex, after the position was drawn.
    pub draw: Draw,
}

/// Features cross a side this far from its ends, as shares of its length.
const MARGIN: f64 = 0.22;

impl Maker<'_> {
    /// The crossing in a direction: a point of the side that its edge draws, or the corner itself.
    pub(super) fn crossing(&self, key: Key, cell: Cell, direction: Direction) -> Option<Crossing> {
        let grid = self.grid();
        let neighbor = grid.neighbor(cell, direction)?;
        let (at, draw) = if direction.is_side() {
            let edge = grid.edge(cell, direction)?;
            let mut draw = key.at(edge);
            (grid.along_edge(edge, draw.range(MARGIN, 1.0 - MARGIN)), draw)
        } else {
            let vertex = grid.vertex(cell, direction)?;
            (grid.vertex_position(vertex), key.at(vertex))
        };
        let outward = (self.patch.center_m(neighbor) - self.patch.center_m(cell)).normalized();
        Some(Crossing { neighbor, at: self.grid().on_surface_m(at * grid.metres_per_unit()), outward, draw })
    }

    /// A point in the middle of a cell, off its centre by a draw of the cell.
    pub(super) fn junction(&self, key: Key, cell: Cell) -> Vec3 {
        const OFF: f64 = 0.26;
        let mut draw = key.at(cell);
        self.within_m(cell, 0.5 + draw.range(-OFF, OFF), 0.5 + draw.range(-OFF, OFF))
    }

    /// A point half way between two others, moved sideways by up to `share` of their distance.
    pub(super) fn middle(&self, a: Vec3, b: Vec3, share: f64, draw: &mut Draw) -> Vec3 {
        let along = b - a;
        let up = match self.grid() {
            grid::Topology::Globe(_) => a.normalized(),
            grid::Topology::Flat(_) => Vec3::new(0.0, 0.0, 1.0),
        };
        self.grid()
            .on_surface_m(a.lerp(b, draw.range(0.4, 0.6)) + up.cross(along) * draw.range(-share, share))
    }
}
