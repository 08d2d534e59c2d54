//! How water wanders over the even ground of an imported raster of small cells.
//!
//! Made land is rough from cell to cell, and so are rasters of large cells. On small cells hillsides are even, and by the steepest ways
//! all water of a hillside would run side by side in one of eight directions, as straight as the raster's rows; over flats, and where a
//! way is dug, by the shortest. So slopes count as somewhat steeper or gentler than they are, and lengths as longer or shorter, at
//! random: water still runs down, out of each depression by the spill that it has. Of the two diagonals where four cells meet the
//! one is kept that would be were the ground rough: by the steeper one alone, water would leave the aspect by up to 16 degrees.
//! Fairfield & Leymarie (1991) draw such factors for diagonals, so that water follows the aspect on the mean; ways that meet at random
//! and stay together are Scheidegger's (1967).

use crate::recipe::Recipe;
use crate::state::receiver_direction;
use grid::{Cell, Direction, Field, Grid, Key, Nth, Purpose, Seed, Topology, math};
use hydro::{Flood, Links};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const WANDER: Purpose = Purpose::new("water/wander");
/// Slopes count as between e^(-0.7) and e^0.7 times as steep as they are, and lengths as so much to this power as long, in cells of the
/// last of these, in metres, or smaller; nothing is random in cells of the one before.
const MOST: f64 = 1.4;
const LENGTHS: f64 = 1.4;
/// Cells count as up to so much higher or lower than they are, where diagonals are chosen, as a share of what ground rises evenly there.
const ROUGH: f64 = 0.87;
const CELLS_M: (f64, f64) = (10_000.0, 3_000.0);

/// How even the ground of a world is from cell to cell: 1 where it was imported in small cells, 0 where it was made, or cells are large.
pub fn evenness(grid: &Topology, recipe: &Recipe) -> f64 {
    let (none_m, full_m) = CELLS_M;
    recipe.import.as_ref().map_or(0.0, |_| math::smoothstep(none_m, full_m, grid.cell_m()))
}

/// The factors of one world.
#[derive(Clone, Copy)]
pub(crate) struct Wander {
    key: Key,
    /// How much of it there is, up to 1: the evenness of the world.
    share: f64,
}

impl Wander {
    /// None on made land and in large cells.
    pub fn of(grid: &Topology, recipe: &Recipe) -> Option<Self> {
        let share = evenness(grid, recipe);
        (share > 0.0).then(|| Self { key: Seed(recipe.seed).key(WANDER), share })
    }

    /// Which neighbours water may go to.
    fn links(&self, grid: &Topology, height_m: &Field<f32>) -> Links {
        let rough = |cell: Cell| {
            let off = ROUGH * self.share * (2.0 * self.key.unit_at(cell) - 1.0);
            height_m[cell] + off as f32 * even_rise_m(grid, height_m, cell)
        };
        Links::planar(grid, &Field::from_fn(grid.shape(), rough))
    }

    /// How many times as steep a way down counts as it is.
    fn slope(&self, cell: Cell, direction: u8) -> f64 {
        math::exp(MOST * self.share * (self.key.unit_at((cell, Nth(direction.into()))) - 0.5))
    }

    /// How many times as long a way between neighbours counts as it is, either way.
    pub fn length(&self, a: Cell, b: Cell) -> f64 {
        math::exp(LENGTHS * MOST * self.share * (self.key.unit_at((a.min(b), a.max(b))) - 0.5))
    }

    /// Leads water over flats by other ways to where it leaves them already, the shortest by random lengths. Only what is level with
    /// where its water goes is led anew, and to nothing that is not. Cost: n log n of the cells of flats.
    fn cross_flats(&self, grid: &Topology, links: &Links, flood: &Flood, receiver: &mut Field<u8>) {
        let level_m = &flood.filled;
        // parents come before their children
        let mut exit: Field<Option<Cell>> = Field::filled(grid.shape(), None);
        let mut queue = BinaryHeap::new();
        for &cell in flood.order() {
            let Some(below) = receiver_of(grid, receiver, cell).filter(|&n| level_m[n] == level_m[cell])
            else {
                continue;
            };
            exit[cell] = Some(exit[below].unwrap_or(below));
            if exit[below].is_none() {
                queue.push(Reverse((0, below, below)));
            }
        }
        let mut best: Field<f64> = Field::filled(grid.shape(), f64::INFINITY);
        while let Some(Reverse((bits, cell, by))) = queue.pop() {
            let so_far = f64::from_bits(bits);
            if exit[cell].is_some() && so_far > best[cell] {
                continue;
            }
            for (direction, next) in links.neighbors(grid, cell) {
                if exit[next] != Some(by) || level_m[next] != level_m[cell] {
                    continue;
                }
                let cost = so_far + self.length(cell, next) * grid.cell_distance_m(cell, next);
                if cost < best[next]
                    && let Some(step) = grid.step(cell, direction)
                {
                    best[next] = cost;
                    receiver[next] = step.back.index() as u8;
                    // costs are positive, so that their bits are in order
                    queue.push(Reverse((cost.to_bits(), next, by)));
                }
            }
        }
    }
}

/// How much ground rises evenly through a cell, from one side to the other, over the way to the next, in metres: nothing in trenches and
/// on ridges, nor beside them, where the rise to one side is another than from the other.
fn even_rise_m(grid: &Topology, height_m: &Field<f32>, cell: Cell) -> f32 {
    let through = |side: Direction| {
        let [a, b] = [side, side.opposite()].map(|d| grid.neighbor(cell, d).map(|n| height_m[n]));
        let (a, b, own) = (a?, b?, height_m[cell]);
        Some(0.5 * ((a - b).abs() - (a + b - 2.0 * own).abs()))
    };
    [Direction::N, Direction::E].into_iter().filter_map(through).fold(0.0, f32::max)
}

fn receiver_of(grid: &Topology, receiver: &Field<u8>, cell: Cell) -> Option<Cell> {
    receiver_direction(receiver[cell]).and_then(|direction| grid.neighbor(cell, direction))
}

/// Which neighbours water may go to, on ground of such heights in metres: see [`Links::planar`].
pub(crate) fn links(grid: &Topology, height_m: &Field<f32>, wander: Option<&Wander>) -> Links {
    wander.map_or_else(|| Links::planar(grid, height_m), |wander| wander.links(grid, height_m))
}

/// Where the water of each cell goes on flooded ground: down the steepest way, and over flats as the flood came; or as it wanders.
pub(crate) fn receivers(grid: &Topology, links: &Links, flood: &Flood, wander: Option<&Wander>) -> Field<u8> {
    let Some(wander) = wander else { return hydro::receivers(grid, links, flood) };
    let mut receiver = hydro::receivers_by(grid, links, flood, |cell, d| wander.slope(cell, d));
    wander.cross_flats(grid, links, flood, &mut receiver);
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Draw, Flat};
    use hydro::Flow;

    fn wander(seed: u64) -> Wander {
        Wander { key: Seed(seed).key(WANDER), share: 1.0 }
    }

    fn map(side: u32) -> Topology {
        Topology::Flat(Flat::new(side, side, 100.0).expect("a map"))
    }

    fn flooded(grid: &Topology, height_m: &Field<f32>, wander: Option<&Wander>) -> (Links, Flood) {
        let links = links(grid, height_m, wander);
        let flood = hydro::flood(grid, &links, height_m, |c| grid.at_border(c));
        (links, flood)
    }

    /// How far water goes from cells of a circle in the middle in so many steps, east and south, and the share of its steps that are as the
    /// one before.
    fn walked(grid: &Topology, receiver: &Field<u8>, steps: usize) -> ([f64; 2], f64) {
        let (mut way, mut same, mut all) = ([0.0; 2], 0.0, 0.0);
        let shape = grid.shape();
        let middle = [shape.cols / 2, shape.rows / 2].map(f64::from);
        for start in grid.cells() {
            let (_, row, col) = shape.split(start);
            if grid::Vec3::new(f64::from(col) - middle[0], f64::from(row) - middle[1], 0.0).length() > 12.0 {
                continue;
            }
            let (mut at, mut before) = (start, None);
            for _ in 0..steps {
                let Some(next) = receiver_of(grid, receiver, at) else { break };
                all += 1.0;
                same += f64::from(u8::from(before == Some(receiver[at])));
                (at, before) = (next, Some(receiver[at]));
            }
            let (_, r, c) = shape.split(at);
            way[0] += f64::from(c) - f64::from(col);
            way[1] += f64::from(r) - f64::from(row);
        }
        (way, same / all)
    }

    /// On even slopes in all directions water goes the way that they face on the mean, and not straight on.
    #[test]
    fn water_follows_the_aspect_of_even_slopes() {
        let grid = map(101);
        let off = |way: [f64; 2], towards: f64| {
            let turned = (math::atan2(way[1], way[0]) - towards).to_degrees();
            (turned - 360.0 * (turned / 360.0).round()).abs()
        };
        let (mut worst, mut worst_steepest) = (0.0f64, 0.0f64);
        for k in 0..32 {
            let towards = f64::from(k) * std::f64::consts::PI / 16.0;
            let height_m = Field::from_fn(grid.shape(), |c| {
                let (_, row, col) = grid.shape().split(c);
                let down = f64::from(col) * math::cos(towards) + f64::from(row) * math::sin(towards);
                (5000.0 - 10.0 * down) as f32
            });
            let walked = |wander: Option<&Wander>| {
                let (links, flood) = flooded(&grid, &height_m, wander);
                walked(&grid, &receivers(&grid, &links, &flood, wander), 30)
            };
            let (way, same) = walked(Some(&wander(5)));
            let (straight, all_same) = walked(None);
            worst = worst.max(off(way, towards));
            worst_steepest = worst_steepest.max(off(straight, towards));
            assert!(same < 0.75 && all_same > same + 0.15, "{k}: {same}, {all_same}");
        }
        assert!(worst < 6.0 && worst_steepest > 15.0, "{worst} and {worst_steepest} degrees off");
    }

    /// Ground in steps, with hollows: water runs down or level, in no circle, and leaves each flat where it did.
    #[test]
    fn flats_are_left_where_they_were() {
        let grid = map(60);
        let mut led_anew = 0;
        for seed in 0..40 {
            let mut draw: Draw = Seed(seed).key(Purpose::new("test/wander")).at(Nth(0));
            let bumps: Vec<[f64; 4]> = (0..14)
                .map(|_| [draw.range(0.0, 60.0), draw.range(0.0, 60.0), draw.range(4.0, 14.0), draw.normal()])
                .collect();
            let height_m = Field::from_fn(grid.shape(), |c| {
                let (_, row, col) = grid.shape().split(c);
                let (x, y) = (f64::from(col), f64::from(row));
                let bump = |[bx, by, r, high]: &[f64; 4]| {
                    high * math::exp(-((x - bx) * (x - bx) + (y - by) * (y - by)) / (r * r))
                };
                // whole metres: wide steps
                (100.0 + 3.0 * bumps.iter().map(bump).sum::<f64>()).round() as f32
            });
            let (links, flood) = flooded(&grid, &height_m, Some(&wander(seed)));
            let steepest = hydro::receivers(&grid, &links, &flood);
            let mut crossed = steepest.clone();
            wander(seed).cross_flats(&grid, &links, &flood, &mut crossed);
            let level_m = |c: Cell| flood.filled[c];
            // where water is off the level that it starts on
            let exit = |receiver: &Field<u8>, c: Cell| {
                let mut at = c;
                for _ in 0..grid.len() {
                    match receiver_of(&grid, receiver, at) {
                        Some(next) if level_m(next) == level_m(c) => at = next,
                        below => return (at, below),
                    }
                }
                panic!("a circle");
            };
            for c in grid.cells() {
                assert_eq!(exit(&steepest, c), exit(&crossed, c), "{seed} {c:?}");
                if crossed[c] != steepest[c] {
                    led_anew += 1;
                    let next = receiver_of(&grid, &crossed, c).expect("it leads on");
                    assert_eq!(level_m(next), level_m(c));
                    assert!(links.allows(c, Direction::from_index(crossed[c])));
                }
            }
            let all = receivers(&grid, &links, &flood, Some(&wander(seed)));
            Flow::from_receivers(&grid, all.clone()).expect("no circle");
            for c in grid.cells() {
                let below = receiver_of(&grid, &all, c).map_or(f32::NEG_INFINITY, level_m);
                assert!(below <= level_m(c));
            }
        }
        assert!(led_anew > 5_000, "{led_anew} of {} cells are led anew", 40 * 3600);
    }
}
