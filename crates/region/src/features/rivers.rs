//! Rivers of a cell, the classic way: from every side where water comes in, by a spline to the junction, and
//! out by the one side where it leaves.
//!
//! The world gives each cell's water surface, which never rises downstream, and the depth of its river, which never
//! falls. The surface at a crossing lies between those of both cells by a share that the edge draws; the bed
//! lies below the surface by the depth. So beds never rise, neither along a piece nor from one to the next, nor from
//! above a lake to below it. A river that rises in mountains comes down from some way up; one that ends in a closed lake
//! ends at the junction of the lake's last cell.

use super::crossing::{Crossing, Line};
use super::{Maker, River};
use crate::curve::through;
use grid::{Cell, Direction, Nth, Purpose, Vec3};
use world::CellState;

const JUNCTION: Purpose = Purpose::new("region/river/junction");
const WAY: Purpose = Purpose::new("region/river/way");

/// Straight pieces of each half of a piece of river; twice as many on the same curve where buttresses have three
/// generations.
const PIECES: usize = 8;

/// Junctions are drawn off the centre by up to this share of a cell.
const OFF_CENTER: f64 = 0.26;
/// How far a junction is drawn from its own place towards the straight way of the greatest river.
const STRAIGHT: f64 = 0.6;

/// A river that rises in a cell does so this far up its mountains.
const SPRING: f64 = 0.55;

/// One end of a piece of river.
struct End {
    at: Vec3,
    surface_m: f64,
    /// How far a spring lies above that, in metres: brooks come down steeply from where they rise.
    spring_m: f64,
    tangent: Vec3,
}

impl Maker<'_> {
    pub(super) fn rivers(&self, cell: Cell, state: &CellState) -> Vec<River> {
        let exit = self
            .patch
            .receiver(cell)
            .filter(|_| state.is_land())
            .and_then(|(direction, _)| Some((direction, self.crossing(Line::River, cell, direction)?)));
        let inflows: Vec<(Direction, Cell, Crossing)> = self
            .patch
            .inflows(cell)
            .filter_map(|(direction, from)| {
                Some((direction, from, self.crossing(Line::River, cell, direction)?))
            })
            .collect();
        let junction = self.junction_end(cell, state, exit.as_ref().map(|e| &e.1), &inflows);

        let mut rivers = Vec::with_capacity(inflows.len() + 1);
        for (direction, from, entry) in inflows {
            let Some(upper) = self.patch.get(from) else { continue };
            let start = self.border_end(entry, upper, state, &junction, -1.0);
            rivers.push(self.piece((from, upper), (cell, direction), &start, &junction));
        }
        if let Some((direction, crossing)) = exit
            && let Some(lower) = self.patch.get(crossing.neighbor)
        {
            let end = self.border_end(crossing, state, lower, &junction, 1.0);
            rivers.push(self.piece((cell, state), (cell, direction), &junction, &end));
        }
        rivers
    }

    /// Where the rivers of a cell meet: they leave it in one direction.
    fn junction_end(
        &self,
        cell: Cell,
        state: &CellState,
        exit: Option<&Crossing>,
        inflows: &[(Direction, Cell, Crossing)],
    ) -> End {
        let drawn = self.off_center(cell, OFF_CENTER, &mut self.seed.key(JUNCTION).at(cell));
        let discharge = |c: Cell| self.patch.get(c).map_or(0.0, |s| s.discharge_m3_s);
        let main = inflows.iter().max_by(|a, b| discharge(a.1).total_cmp(&discharge(b.1)));
        // a river passes near the straight way through, so that it does not turn on its heel
        let at = match (exit, main) {
            (Some(exit), Some(main)) => {
                self.grid().on_surface_m(drawn.lerp(exit.at.lerp(main.2.at, 0.5), STRAIGHT))
            }
            _ => drawn,
        };
        let tangent = match (exit, main) {
            (Some(exit), Some(main)) => (exit.at - main.2.at) * 0.35,
            (Some(exit), None) => (exit.at - at) * 0.5,
            (None, Some(main)) => (at - main.2.at) * 0.5,
            (None, None) => Vec3::default(),
        };
        let spring_m = if main.is_none() { SPRING * state.mountain_height_m } else { 0.0 };
        End { at, surface_m: state.river_level_m, spring_m, tangent }
    }

    /// The end of a piece on the border: its surface lies between those of both cells.
    fn border_end(
        &self,
        mut crossing: Crossing,
        upper: &CellState,
        lower: &CellState,
        junction: &End,
        sign: f64,
    ) -> End {
        let share = crossing.draw.range(0.3, 0.7);
        let surface_m = upper.river_level_m + (lower.river_level_m - upper.river_level_m) * share;
        let tangent = crossing.outward * (sign * 0.5 * crossing.at.distance(junction.at));
        End { at: crossing.at, surface_m, spring_m: 0.0, tangent }
    }

    /// A river's line as every zoom has it.
    pub(super) fn coarse(&self, river: &River) -> Vec<Vec3> {
        river.points_m.iter().copied().step_by(self.pieces() / PIECES).collect()
    }

    fn pieces(&self) -> usize {
        PIECES << self.generations.saturating_sub(2).min(1)
    }

    fn is_land(&self, cell: Cell) -> bool {
        self.patch.get(cell).is_some_and(CellState::is_land)
    }

    /// Widening, within `cell`, of the river that leaves `from`.
    fn flare(&self, from: Cell, cell: Cell) -> (f64, f64) {
        let into_sea = self.patch.receiver(from).is_some_and(|(_, below)| !self.is_land(below));
        match (into_sea, from == cell) {
            (false, _) => (1.0, 1.0),
            (true, true) => (1.0, MOUTH_FLARE),
            (true, false) => (MOUTH_FLARE, SEA_FLARE),
        }
    }

    /// A piece of river from one end to the other, by way of a middle point moved sideways.
    fn piece(
        &self,
        (from, upper): (Cell, &CellState),
        (cell, direction): (Cell, Direction),
        start: &End,
        end: &End,
    ) -> River {
        let mut draw = self.seed.key(WAY).at((cell, Nth(direction as u32)));
        let middle = self.middle(start.at, end.at, 0.2, &mut draw);
        let points = through(&[start.at, middle, end.at], start.tangent, end.tangent, self.pieces());
        let last = points.len() - 1;
        let at = |k: usize| {
            let left = 1.0 - k as f64 / last as f64;
            end.surface_m + (start.surface_m - end.surface_m) * left + start.spring_m * left * left
        };
        let surface_m: Vec<f64> = (0..=last).map(at).collect();
        River {
            from,
            bed_m: surface_m.iter().map(|s| s - upper.channel_depth_m).collect(),
            surface_m,
            points_m: points.into_iter().map(|p| self.grid().on_surface_m(p)).collect(),
            discharge_m3_s: upper.discharge_m3_s,
            order: upper.river_order,
            on_land: self.is_land(cell),
            flare: self.flare(from, cell),
            side_slope: side_slope(upper),
        }
    }
}

/// A river is so much wider than its discharge asks for where it reaches the last land cell's border, and where it
/// ends in the sea.
const MOUTH_FLARE: f64 = 1.4;
const SEA_FLARE: f64 = 2.5;

/// Valleys are wide in plains and gorges in mountains.
fn side_slope(state: &CellState) -> f64 {
    (0.05 + state.mountain_height_m / 6500.0).min(0.45)
}
