//! Following crests from cell to cell.

use grid::{Cell, Direction, Field, Grid, RidgeDirections, Topology};
use rayon::prelude::*;
use std::f32::consts::FRAC_1_SQRT_2;

/// A crest falls to its sides at least by this share of what it falls along the line: a cone has no crests but
/// next to its summit.
const SHARPEST: f32 = 0.35;
/// And at least by this share of its height, over the width of a cell.
const KEENNESS: f32 = 0.04;
/// A crest from which a line may start is bent along itself at most by this share of what it is bent across.
const ELONGATION: f32 = 0.3;
/// Cells in a row that may be no crest: saddles between the crests of one line.
const GAP: usize = 2;
/// Cells of the shortest line that stands alone; shorter ones are single mountains.
const LEAST_ALONE: usize = 6;
/// Cells of the shortest line that is joined to another one; shorter ones are spurs.
const LEAST_BRANCH: usize = 5;
/// A step straight on is worth this share of the height.
const STRAIGHT: f32 = 0.02;
/// Weight of a cell in the smoothing before; its neighbours have 2 over a side and 1 over a corner.
const OWN_WEIGHT: f32 = 12.0;

/// The bits of all lines.
pub(super) fn trace(grid: &Topology, height_m: &Field<f32>, least_m: f32) -> Field<u8> {
    let smooth_m = smoothed(grid, height_m, least_m);
    let ground = Ground { grid, height_m, smooth_m: &smooth_m, least_m };
    let mut tracer = Tracer {
        ground: &ground,
        line_of: Field::filled(grid.shape(), NO_LINE),
        bits: Field::filled(grid.shape(), 0),
        group: vec![0],
    };
    for (number, seed) in (1u32..).zip(ground.seeds()) {
        tracer.group.push(number);
        tracer.draw(number, seed);
    }
    tracer.bits
}

/// Mountains without what is smaller than a crest: weighted means of each cell and its neighbours.
fn smoothed(grid: &Topology, height_m: &Field<f32>, least_m: f32) -> Field<f32> {
    Field::from_fn(height_m.shape(), |cell| {
        if height_m[cell] < least_m {
            return height_m[cell];
        }
        let (mut sum, mut weights) = (OWN_WEIGHT * height_m[cell], OWN_WEIGHT);
        for (direction, neighbor) in grid.neighbors(cell) {
            let weight = if direction.is_side() { 2.0 } else { 1.0 };
            sum += weight * height_m[neighbor];
            weights += weight;
        }
        sum / weights
    })
}

/// In the field of lines: the cell belongs to none.
const NO_LINE: u32 = 0;

/// The mountains.
struct Ground<'a> {
    grid: &'a Topology,
    height_m: &'a Field<f32>,
    /// The heights that lines follow.
    smooth_m: &'a Field<f32>,
    least_m: f32,
}

/// A cell on the way, and the direction one came in, as seen from it.
#[derive(Clone, Copy)]
struct Walker {
    cell: Cell,
    heading: Direction,
}

impl Ground<'_> {
    /// Crest cells, the highest first.
    fn seeds(&self) -> Vec<(Cell, Direction)> {
        let cells = (0..self.grid.len()).into_par_iter().map(Cell::from_index);
        let mountains = cells.filter(|&c| self.height_m[c] >= self.least_m);
        let mut seeds: Vec<_> = mountains.filter_map(|c| Some((c, self.axis(c)?))).collect();
        seeds.par_sort_unstable_by(|a, b| {
            self.smooth_m[b.0].total_cmp(&self.smooth_m[a.0]).then(a.0.cmp(&b.0))
        });
        seeds
    }

    /// The direction, of four, along which a cell is most a crest, and a long one.
    fn axis(&self, cell: Cell) -> Option<Direction> {
        let own = self.smooth_m[cell];
        let long = |&(along, fall): &(Direction, f32)| {
            let at = |turn| self.grid.neighbor(cell, along.turned(turn)).map_or(own, |n| self.smooth_m[n]);
            let distance = if along.is_side() { 1.0 } else { FRAC_1_SQRT_2 };
            let (ahead, behind) = ((own - at(0)) * distance, (own - at(4)) * distance);
            let (bend, slope) = (0.5 * (ahead + behind), 0.5 * (ahead.abs() + behind.abs()));
            fall >= (KEENNESS * own).max(SHARPEST * slope) && bend <= ELONGATION * fall
        };
        let falls = (0..4).map(Direction::from_index).filter_map(|d| Some((d, self.fall(cell, d)?)));
        falls.filter(long).reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(d, _)| d)
    }

    /// How far the ground falls over a cell's width to the two sides of a direction, in metres on the average;
    /// `None` if it rises to one of them, or one is not there.
    fn fall(&self, cell: Cell, along: Direction) -> Option<f32> {
        let own = self.smooth_m[cell];
        let side = |turn| self.grid.neighbor(cell, along.turned(turn)).map(|n| self.smooth_m[n]);
        let (left, right) = (side(6)?, side(2)?);
        let distance = if along.is_side() { 1.0 } else { FRAC_1_SQRT_2 };
        (own >= left && own >= right).then_some((own - 0.5 * (left + right)) * distance)
    }

    /// Whether a cell that has been reached is on a crest along the way.
    fn is_crest(&self, at: Walker, before: Cell) -> bool {
        let own = self.smooth_m[at.cell];
        let along =
            (own - self.smooth_m[before]).abs() * if at.heading.is_side() { 1.0 } else { FRAC_1_SQRT_2 };
        self.fall(at.cell, at.heading).is_some_and(|fall| fall >= (SHARPEST * along).max(KEENNESS * own))
    }

    /// The three steps ahead, straight on first; the heading of each as seen from where it leads.
    fn ahead(&self, at: Walker) -> impl Iterator<Item = (Direction, Walker)> {
        [0, 7, 1].into_iter().filter_map(move |turn| {
            let direction = at.heading.turned(turn);
            let step = self.grid.step(at.cell, direction)?;
            let there = Walker { cell: step.cell, heading: step.back.opposite() };
            (self.height_m[step.cell] >= self.least_m).then_some((direction, there))
        })
    }

    /// What a step is worth: the height there, and the greatest one that may follow.
    fn worth(&self, from: Walker, direction: Direction, there: Walker) -> f32 {
        let own = self.smooth_m[there.cell];
        let next = self.ahead(there).map(|(_, w)| self.smooth_m[w.cell]).fold(0.0, f32::max);
        let straight = if direction == from.heading { STRAIGHT * own } else { 0.0 };
        own + 0.5 * next + straight
    }
}

/// Lines that have been drawn.
struct Tracer<'a> {
    ground: &'a Ground<'a>,
    line_of: Field<u32>,
    bits: Field<u8>,
    /// For each line another one that it hangs together with; itself for one of each group.
    group: Vec<u32>,
}

/// Half a line: the steps from the seed outwards.
#[derive(Default)]
struct Half {
    /// Each cell with the direction one leaves it in; the last leads to the last cell or to another line.
    steps: Vec<(Cell, Direction)>,
    /// Whether the last step leads to a line that is there.
    joined: bool,
}

impl Tracer<'_> {
    /// Draws the line through a seed unless there is one already.
    fn draw(&mut self, number: u32, (seed, axis): (Cell, Direction)) {
        if self.line_of[seed] != NO_LINE || self.touching(seed, None).next().is_some() {
            return;
        }
        self.line_of[seed] = number;
        let mut first = self.follow(Walker { cell: seed, heading: axis }, number);
        // the other half leaves opposite to where the first one went
        let opposite = first.steps.first().map_or(axis, |s| s.1).opposite();
        let mut second = self.follow(Walker { cell: seed, heading: opposite }, number);
        self.part(&mut first, &mut second);
        let cells =
            1 + [&first, &second].map(|h| h.steps.len() - usize::from(h.joined)).iter().sum::<usize>();
        let least = if first.joined || second.joined { LEAST_BRANCH } else { LEAST_ALONE };
        for half in [first, second] {
            if cells >= least {
                self.keep(&half, number);
            } else {
                self.forget(seed, &half);
            }
        }
    }

    /// If both ends have met lines that hang together, the lower one is taken back by a cell: no rings.
    fn part(&mut self, first: &mut Half, second: &mut Half) {
        let (Some(a), Some(b)) = (self.met(first), self.met(second)) else { return };
        if self.group_of(a) != self.group_of(b) {
            return;
        }
        let height = |half: &Half| half.steps.last().map_or(0.0, |s| self.ground.smooth_m[s.0]);
        let lower = if height(first) < height(second) { first } else { second };
        if let Some((last, _)) = lower.steps.pop() {
            self.line_of[last] = NO_LINE;
            lower.steps.pop();
            lower.joined = false;
        }
    }

    /// Sets the bits of half a line.
    fn keep(&mut self, half: &Half, number: u32) {
        if let Some(other) = self.met(half) {
            let (a, b) = (self.group_of(other), self.group_of(number));
            self.group[b as usize] = a;
        }
        for &(cell, direction) in &half.steps {
            if let Some(step) = self.ground.grid.step(cell, direction) {
                self.bits[cell] |= RidgeDirections::from(direction).bits();
                self.bits[step.cell] |= RidgeDirections::from(step.back).bits();
            }
        }
    }

    /// Follows the crest from a cell; what is found belongs to the line of this number.
    fn follow(&mut self, start: Walker, number: u32) -> Half {
        let mut half = Half::default();
        let (mut at, mut gap) = (start, 0);
        loop {
            let before = half.steps.last().map(|s| s.0);
            if let Some(direction) = before.and_then(|before| self.join(at, before)) {
                half.steps.push((at.cell, direction));
                half.joined = true;
                return half;
            }
            let Some((direction, there)) = self.next(at, number) else { break };
            half.steps.push((at.cell, direction));
            gap = if self.ground.is_crest(there, at.cell) { 0 } else { gap + 1 };
            self.line_of[there.cell] = number;
            at = there;
            if gap > GAP {
                break;
            }
        }
        // what follows the last crest cell leads nowhere
        for _ in 0..gap {
            self.line_of[at.cell] = NO_LINE;
            if let Some((cell, _)) = half.steps.pop() {
                at.cell = cell;
            }
        }
        half
    }

    /// The best step ahead to a cell that is free.
    fn next(&self, at: Walker, number: u32) -> Option<(Direction, Walker)> {
        let steps = self.ground.ahead(at).filter(|&(_, w)| self.is_free(w, at.cell, number));
        let worth = steps.map(|(d, w)| (self.ground.worth(at, d, w), d, w));
        worth.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, d, w)| (d, w))
    }

    /// Whether a line may go on to a cell: it touches nothing but the cell one stands in, or else only the cell of
    /// another line that it can join and what that one is linked with; and no four cells around a vertex are filled.
    fn is_free(&self, at: Walker, before: Cell, number: u32) -> bool {
        if self.line_of[at.cell] != NO_LINE || self.fills_a_block(at.cell) {
            return false;
        }
        let mut touched = self.touching(at.cell, Some(before)).map(|(_, n)| n).peekable();
        if touched.peek().is_none() {
            return true;
        }
        let grid = self.ground.grid;
        let Some(target) = self.join(at, before).and_then(|d| grid.neighbor(at.cell, d)) else {
            return false;
        };
        let linked = RidgeDirections::from_bits_retain(self.bits[target]);
        let near = |n: Cell| n == target || linked.directions().any(|d| grid.neighbor(target, d) == Some(n));
        touched.all(|n| self.line_of[n] != number && near(n))
    }

    /// Whether the three other cells around one of a cell's vertices belong to lines.
    fn fills_a_block(&self, cell: Cell) -> bool {
        let taken = |d| self.ground.grid.neighbor(cell, d).is_some_and(|n| self.line_of[n] != NO_LINE);
        Direction::CORNERS.into_iter().any(|d| [7, 0, 1].into_iter().all(|turn| taken(d.turned(turn))))
    }

    /// The direction to a line that a cell touches, ahead or at right angles: over a side if there is one, or else
    /// the straightest.
    fn join(&self, at: Walker, before: Cell) -> Option<Direction> {
        let turn = |d: Direction| {
            let eighths = (d as u8 + 8 - at.heading as u8) % 8;
            eighths.min(8 - eighths)
        };
        let ahead = self.touching(at.cell, Some(before)).map(|(d, _)| d).filter(|&d| turn(d) <= 2);
        ahead.min_by_key(|&d| (!d.is_side(), turn(d), d))
    }

    /// The neighbours of a cell that belong to a line, apart from one.
    fn touching(&self, cell: Cell, but: Option<Cell>) -> impl Iterator<Item = (Direction, Cell)> {
        let around = self.ground.grid.neighbors(cell);
        around.filter(move |&(_, n)| Some(n) != but && self.line_of[n] != NO_LINE)
    }

    /// The line that half a line has joined.
    fn met(&self, half: &Half) -> Option<u32> {
        let &(cell, direction) = half.steps.last().filter(|_| half.joined)?;
        Some(self.line_of[self.ground.grid.neighbor(cell, direction)?])
    }

    /// The number by which lines that hang together are known.
    fn group_of(&self, line: u32) -> u32 {
        let mut line = line;
        while self.group[line as usize] != line {
            line = self.group[line as usize];
        }
        line
    }

    /// Gives back the cells of half a line.
    fn forget(&mut self, seed: Cell, half: &Half) {
        self.line_of[seed] = NO_LINE;
        let kept = half.steps.len() - usize::from(half.joined);
        for &(cell, direction) in &half.steps[..kept] {
            if let Some(there) = self.ground.grid.neighbor(cell, direction) {
                self.line_of[there] = NO_LINE;
            }
        }
    }
}
