//! Where features cross from one cell to the next: what an edge or a vertex decides for both of its cells.
//!
//! Where a ridge and a river use the same border, the edge decides which of the two crosses on which side of the
//! other. A cell's ridges part it into sectors; a river that comes in through one and leaves by another has to cross
//! a ridge on the way. That side is taken on which both cells together have fewer of these; where that leaves it
//! open, the ridge crosses towards the higher land and the river towards the lower, so that where the two run along
//! together for many cells they stay on their sides.

use super::Maker;
use grid::{Cell, Direction, Draw, Grid, Key, Purpose, Topology, Vec3};
use world::CellState;

/// What crosses a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Ridge,
    River,
}

const RIDGE: Purpose = Purpose::new("region/ridge/entry");
const RIVER: Purpose = Purpose::new("region/river/entry");

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
/// Where both a ridge and a river cross a side, each keeps to its own part of it: so far from the nearer end.
const PART: (f64, f64) = (0.14, 0.38);
/// Over a corner that a river uses as well a ridge passes so far beside it, in cells.
const BESIDE_CORNER: f64 = 0.08;

impl Line {
    fn key(self, maker: &Maker) -> Key {
        maker.seed.key(match self {
            Self::Ridge => RIDGE,
            Self::River => RIVER,
        })
    }
}

impl Maker<'_> {
    /// The crossing in a direction: a point of the side that its edge draws, or the corner itself.
    pub(super) fn crossing(&self, line: Line, cell: Cell, direction: Direction) -> Option<Crossing> {
        let grid = self.grid();
        let neighbor = grid.neighbor(cell, direction)?;
        let outward = (self.patch.center_m(neighbor) - self.patch.center_m(cell)).normalized();
        let (at, draw) = if direction.is_side() {
            let edge = grid.edge(cell, direction)?;
            let (share, draw) = self.share_of_side(line, cell, direction)?;
            (grid.along_edge(edge, share) * grid.metres_per_unit(), draw)
        } else {
            let vertex = grid.vertex(cell, direction)?;
            let corner = grid.vertex_position(vertex) * grid.metres_per_unit();
            let beside = self.beside_corner(line, (cell, direction), corner, outward);
            (corner + beside, line.key(self).at(vertex))
        };
        Some(Crossing { neighbor, at: grid.on_surface_m(at), outward, draw })
    }

    /// Where along a side a line crosses, counted from the lower end of the edge, and the generator after that.
    fn share_of_side(&self, line: Line, cell: Cell, side: Direction) -> Option<(f64, Draw)> {
        let edge = self.grid().edge(cell, side)?;
        let mut draw = line.key(self).at(edge);
        let Some(clockwise) = self.ridge_clockwise(cell, side) else {
            return Some((draw.range(MARGIN, 1.0 - MARGIN), draw));
        };
        let first = self.grid().vertex(cell, side.turned(7))?;
        // clockwise along the side means away from its lower end if that is the first one
        let upwards = first == edge.ends().0;
        let near = draw.range(PART.0, PART.1);
        let far_part = (clockwise == upwards) == (line == Line::Ridge);
        Some((if far_part { 1.0 - near } else { near }, draw))
    }

    /// Where along a side a ridge crosses: 0 to 1 from the lower end of the edge. Both cells say the same.
    #[allow(dead_code, reason = "for methods that lead rivers their own way")]
    pub(crate) fn ridge_side(&self, cell: Cell, side: Direction) -> Option<f64> {
        self.share_of_side(Line::Ridge, cell, side).map(|(share, _)| share)
    }

    /// How a ridge gives way to a river that uses the same corner.
    fn beside_corner(
        &self,
        line: Line,
        (cell, direction): (Cell, Direction),
        corner: Vec3,
        outward: Vec3,
    ) -> Vec3 {
        let clockwise = if line == Line::Ridge { self.ridge_clockwise(cell, direction) } else { None };
        let Some(clockwise) = clockwise else { return Vec3::default() };
        let right = outward.cross(self.up(corner)).normalized() * (BESIDE_CORNER * self.cell_m);
        if clockwise { right } else { -right }
    }

    /// Straight up at a place.
    pub(super) fn up(&self, p: Vec3) -> Vec3 {
        match self.grid() {
            Topology::Globe(_) => p.normalized(),
            Topology::Flat(_) => Vec3::new(0.0, 0.0, 1.0),
        }
    }

    /// Where a ridge and a river use one border: whether the ridge crosses clockwise of the river, seen from the
    /// cell. `None` where only one of them or neither does.
    ///
    /// Ties: by the higher land; of equal land, counter-clockwise seen from the cell of the lower address.
    pub(super) fn ridge_clockwise(&self, cell: Cell, direction: Direction) -> Option<bool> {
        let own = self.patch.get(cell).filter(|s| s.ridges.has(direction))?;
        let step = self.grid().step(cell, direction)?;
        let other = self.patch.get(step.cell).filter(|s| s.ridges.has(step.back))?;
        if own.receiver != Some(direction) && other.receiver != Some(step.back) {
            return None;
        }
        // seen from the other cell clockwise is counter-clockwise
        if cell < step.cell {
            Some(self.decide((cell, direction), (step.cell, step.back)))
        } else {
            Some(!self.decide((step.cell, step.back), (cell, direction)))
        }
    }

    /// The decision, made from the cell of the lower address for both.
    fn decide(&self, own: (Cell, Direction), other: (Cell, Direction)) -> bool {
        let forced = |clockwise| self.forced(own, clockwise) + self.forced(other, !clockwise);
        let land = |turns: [u8; 2]| -> f64 {
            let near = turns.map(|t| self.grid().neighbor(own.0, own.1.turned(t)));
            near.into_iter().flatten().filter_map(|c| self.patch.get(c)).map(surface_m).sum()
        };
        match forced(true).cmp(&forced(false)) {
            std::cmp::Ordering::Equal => land([1, 2]) > land([7, 6]),
            order => order.is_lt(),
        }
    }

    /// Ridges that rivers have to cross in a cell, if the ridge in one direction passes clockwise of the river there,
    /// or not; of other borders that ridge and river share the better side counts.
    fn forced(&self, (cell, direction): (Cell, Direction), clockwise: bool) -> u32 {
        let Some(state) = self.patch.get(cell) else { return 0 };
        let mut rivers = [false; 8];
        for d in state.receiver.into_iter().chain(self.patch.inflows(cell).map(|(d, _)| d)) {
            rivers[d.index()] = true;
        }
        let open: Vec<Direction> =
            state.ridges.directions().filter(|d| *d != direction && rivers[d.index()]).collect();
        let sides = (0u32..1 << open.len()).map(|chosen| {
            let turned = |d: Direction| match open.iter().position(|&o| o == d) {
                Some(k) => chosen >> k & 1 == 1,
                None => d == direction && clockwise,
            };
            let ridges = state.ridges.directions().map(|d| {
                let shared = rivers[d.index()];
                let shift = if !shared {
                    0
                } else if turned(d) {
                    1
                } else {
                    31
                };
                (4 * d.index() + shift) % 32
            });
            least_crossings(ridges, rivers)
        });
        sides.min().unwrap_or(0)
    }

    /// A point in the middle of a cell, off its centre by a draw.
    pub(super) fn off_center(&self, cell: Cell, off: f64, draw: &mut Draw) -> Vec3 {
        self.within_m(cell, 0.5 + draw.range(-off, off), 0.5 + draw.range(-off, off))
    }

    /// A point half way between two others, moved sideways by up to `share` of their distance.
    pub(super) fn middle(&self, a: Vec3, b: Vec3, share: f64, draw: &mut Draw) -> Vec3 {
        let along = b - a;
        let aside = self.up(a).cross(along);
        let at = a.lerp(b, draw.range(0.4, 0.6)) + aside * draw.range(-share, share);
        self.grid().on_surface_m(at)
    }
}

/// Least number of times that rivers, which all meet in a cell, cross its ridges, which all meet as well. Places
/// around the cell are counted in thirty-seconds of a turn, directions of rivers in eighths.
fn least_crossings(ridges: impl Iterator<Item = usize>, rivers: [bool; 8]) -> u32 {
    let mut starts: Vec<usize> = ridges.collect();
    starts.sort_unstable();
    let sectors = starts.len();
    if sectors < 2 {
        return 0;
    }
    let sector = |at: usize| starts.iter().filter(|&&s| s <= at).count() % sectors;
    let at: Vec<usize> = (0..8).filter(|&d| rivers[d]).map(|d| sector(4 * d)).collect();
    let from = |middle: usize| -> usize {
        at.iter().map(|s| s.abs_diff(middle)).map(|apart| apart.min(sectors - apart)).sum()
    };
    (0..sectors).map(from).min().unwrap_or(0) as u32
}

/// Land with its mountains; without a number, none.
fn surface_m(state: &CellState) -> f64 {
    let height = state.base_elevation_m + state.mountain_height_m;
    if height.is_finite() { height } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(ridges: &[usize], rivers: &[usize]) -> u32 {
        let mut around = [false; 8];
        rivers.iter().for_each(|&d| around[d] = true);
        least_crossings(ridges.iter().copied(), around)
    }

    #[test]
    fn forced_crossings_by_hand() {
        let (n, e, s, w) = (0, 2, 4, 6);
        assert_eq!(least(&[4 * w, 4 * e], &[n, s]), 1, "straight across");
        assert_eq!(least(&[4 * w, 4 * e], &[n, 1]), 0, "on one side");
        assert_eq!(least(&[4 * w], &[n, s, e]), 0, "round the end");
        assert_eq!(least(&[4 * w + 1, 4 * e - 1], &[w, e]), 0, "both north of the river");
        assert_eq!(least(&[4 * w + 1, 4 * e + 1], &[w, e]), 1, "one north, one south of it");
        assert_eq!(least(&[4 * w, 4 * e], &[n, 7, 1, s]), 1, "all but one are on one side");
        assert_eq!(least(&[2, 10, 18, 26], &[e + 1, s]), 0, "in one of four sectors");
        assert_eq!(least(&[2, 10, 18, 26], &[n, s]), 2, "over two ridges");
    }
}
