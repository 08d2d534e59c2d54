//! Buttresses: sub-ridges that leave ridges in random directions and run down; and buttresses of those.

use super::{Crest, Maker};
use grid::{Cell, Draw, Nth, Purpose, Vec3};

const BUTTRESS: Purpose = Purpose::new("region/buttress");

/// Buttresses of each ridge, and of each buttress.
const PER_RIDGE: (u32, u32) = (4, 7);
const PER_BUTTRESS: (u32, u32) = (1, 3);
/// Straight pieces of a buttress.
const PIECES: usize = 4;
/// Length in cells of a buttress at a ridge of full height; each generation is about half as long.
const LENGTH: (f64, f64) = (0.16, 0.40);
/// Height where a buttress leaves and where it ends, as shares of its parent's height there.
const HEIGHT_AT_PARENT: (f64, f64) = (0.72, 0.95);
const HEIGHT_AT_END: (f64, f64) = (0.08, 0.35);

impl Maker<'_> {
    pub(super) fn buttresses(&self, cell: Cell, ridges: &[Crest]) -> Vec<Crest> {
        let mut all: Vec<Crest> = Vec::new();
        let mut parents: Vec<Crest> = ridges.to_vec();
        for generation in 1..=self.generations {
            let mut children = Vec::new();
            for (n, parent) in (0u32..).zip(&parents) {
                let address = (Nth(u32::from(generation)), Nth(n));
                let mut draw = self.seed.key(BUTTRESS).within(cell).at(address);
                let (least, most) = if generation == 1 { PER_RIDGE } else { PER_BUTTRESS };
                for _ in 0..least + draw.below(most - least + 1) {
                    children.push(self.buttress(parent, generation, &mut draw));
                }
            }
            all.extend(children.iter().cloned());
            parents = children;
        }
        all
    }

    fn buttress(&self, parent: &Crest, generation: u8, draw: &mut Draw) -> Crest {
        let from = draw.below(parent.points_m.len() as u32) as usize;
        let (start, parent_m) = (parent.points_m[from], parent.heights_m[from]);
        let high = parent_m * draw.range(HEIGHT_AT_PARENT.0, HEIGHT_AT_PARENT.1);
        let low = parent_m * draw.range(HEIGHT_AT_END.0, HEIGHT_AT_END.1);
        let half = f64::from(1u32 << (generation - 1));
        let length_m = draw.range(LENGTH.0, LENGTH.1) * self.cell_m / half;
        let points_m = self.wander(start, length_m, draw);
        let heights_m = (0..=PIECES).map(|k| high + (low - high) * k as f64 / PIECES as f64).collect();
        let slope = self.slope_for(parent_m) * (1.0 + 0.22 * f64::from(generation));
        Crest { points_m, heights_m, slope, generation }
    }

    /// A line of a length that starts in a random direction and bends a little at each piece.
    fn wander(&self, start: Vec3, length_m: f64, draw: &mut Draw) -> Vec<Vec3> {
        let mut heading = draw.range(0.0, std::f64::consts::TAU);
        let (u, v) = self.grid().tangents(start);
        let mut points = vec![start];
        for _ in 0..PIECES {
            heading += draw.range(-0.4, 0.4);
            let step = u * grid::math::cos(heading) + v * grid::math::sin(heading);
            let last = points[points.len() - 1];
            points.push(self.grid().on_surface_m(last + step * (length_m / PIECES as f64)));
        }
        points
    }
}
