//! Ridges: for each bit of the cell's ridge byte a spline from the border into the cell.
//!
//! N, E, S and W ridges come in at a point of the side that the edge draws, the others at the corner, each by way of
//! a middle point moved sideways. Two of them, the straightest pair, are one smooth line through a junction off the
//! centre; each further one joins that line from the side, some way off the junction, so that nothing looks like a
//! star. A ridge that is alone in its cell ends there.
//!
//! Of a few ways to draw all this the one is taken that crosses the cell's rivers and itself the least. Where a river
//! crosses nevertheless, the ridge comes down to a col.
//!
//! Heights run from what both cells say on the border to the cell's own inside, and rise and fall at random on the
//! way. Source: "Making mountains" (Undiscovered Worlds, 2019).

use super::crossing::{Crossing, Line};
use super::heights::Heights;
use super::plan::{Course, Plane};
use super::{Crest, Maker, Profile, River};
use crate::curve::through;
use grid::{Cell, Direction, Draw, Key, Nth, Purpose, Vec3};
use world::CellState;

const JUNCTION: Purpose = Purpose::new("region/ridge/junction");
const WAY: Purpose = Purpose::new("region/ridge/way");
const RELIEF: Purpose = Purpose::new("region/ridge/relief");

/// Straight pieces of each half of a ridge.
const PIECES: usize = 5;
/// Ways to draw a cell's ridges that are compared.
const WAYS: u32 = 16;
/// Junctions lie off the centre by up to this share of a cell, and middle points are moved sideways by up to this share
/// of the length; in the second half of the ways the second of each, since a river has to be passed.
const OFF_CENTER: [f64; 2] = [0.27, 0.34];
const SIDEWAYS: [f64; 2] = [0.2, 0.1];
/// A ridge on a border stands this high, as shares of what both cells ask for: passes are lower than summits.
const SADDLE: (f64, f64) = (0.62, 0.95);
/// A junction stands this high, as shares of the cell's own height; peaks stand on top of that.
const JUNCTION_HEIGHT: (f64, f64) = (0.78, 0.92);
/// Points in between rise and fall by up to this share.
const RISE: f64 = 0.18;
/// From point to point heights change by no more than this share of the greatest.
const STEP: f64 = 0.25;
/// A ridge that ends begins to come down at this share of its way, and ends with so much of its height.
const END: (f64, f64) = (0.45, 0.06);
/// Points of a line, counted from the border, where another ridge may join it.
const JOINTS: (usize, usize) = (4, 7);
/// At a river a ridge keeps this share of its height, and all of it this far away, in cells.
const COL: (f64, f64) = (0.45, 0.16);

/// Sides fall so fast at the least. Ridges lower than they would be at the greatest slope over the first of these
/// widths are flatter; none reaches farther than the second. In cells.
const FLATTEST: f64 = 0.12;
const LOW_CELLS: f64 = 0.22;
const FARTHEST_CELLS: f64 = 0.9;

/// The ridges that come into a cell.
struct Arm {
    direction: Direction,
    entry: Crossing,
}

/// A ridge as a line on the way to become a crest: where it joins another, by the number of that and of its point.
struct Drawn {
    points_m: Vec<Vec3>,
    joins: Option<(usize, usize)>,
}

impl Maker<'_> {
    pub(super) fn ridges(
        &self,
        cell: Cell,
        state: &CellState,
        heights: &Heights,
        rivers: &[River],
    ) -> Vec<Crest> {
        if heights.own_m <= 0.0 {
            return Vec::new();
        }
        let arm = |direction| {
            let entry = self.crossing(Line::Ridge, cell, direction)?;
            Some(Arm { direction, entry })
        };
        let mut arms: Vec<Arm> = state.ridges.directions().filter_map(arm).collect();
        if arms.is_empty() {
            return Vec::new();
        }
        let plane = Plane::of(self, cell);
        let water: Vec<Course> = rivers.iter().map(|r| plane.course(&self.coarse(r))).collect();
        let lines = self.least_tangled(cell, &arms, &plane, &water);
        let relief = self.relief(cell, &mut arms, heights, &lines);
        let crests = lines.iter().zip(&arms).zip(relief).map(|((line, arm), mut heights_m)| {
            cut_cols(&mut heights_m, &plane.course(&line.points_m), &water, self.cell_m);
            self.crest(line.points_m.clone(), heights_m, self.ridge_key(cell, arm.direction))
        });
        level_joints(crests.collect(), &lines)
    }

    fn ridge_key(&self, cell: Cell, direction: Direction) -> Key {
        self.seed.key(WAY).within(cell).within(Nth(direction as u32))
    }

    /// The way to draw the ridges that crosses rivers and itself the least; the first of equal ones.
    fn least_tangled(&self, cell: Cell, arms: &[Arm], plane: &Plane, water: &[Course]) -> Vec<Drawn> {
        let mut best = None;
        for way in 0..WAYS {
            let lines = self.draw(cell, arms, way);
            let courses: Vec<Course> = lines.iter().map(|l| plane.course(&l.points_m)).collect();
            let count = |a: &Course, others: &[Course]| -> usize {
                others.iter().map(|b| a.crossed_by(b).len()).sum()
            };
            // a line that joins another touches it with its last piece, which is no crossing
            let free =
                |l: &Drawn| plane.course(&l.points_m[..l.points_m.len() - usize::from(l.joins.is_some())]);
            let open: Vec<Course> = lines.iter().map(free).collect();
            let own = (0..open.len()).map(|k| count(&open[k], &open[k + 1..])).sum::<usize>();
            let tangled = own + courses.iter().map(|c| count(c, water)).sum::<usize>();
            if tangled == 0 {
                return lines;
            }
            if best.as_ref().is_none_or(|(least, _)| tangled < *least) {
                best = Some((tangled, lines));
            }
        }
        best.map_or_else(Vec::new, |(_, lines)| lines)
    }

    /// One way to draw the ridges of a cell, in the order of the arms.
    fn draw(&self, cell: Cell, arms: &[Arm], way: u32) -> Vec<Drawn> {
        let mut draw = self.seed.key(JUNCTION).at((cell, Nth(way)));
        let late = usize::from(way >= WAYS / 2);
        let junction = self.grid().on_surface_m(self.off_center(cell, OFF_CENTER[late], &mut draw));
        let main = straightest(arms);
        let mut lines: Vec<Drawn> = Vec::with_capacity(arms.len());
        for (k, arm) in arms.iter().enumerate() {
            let partner = main.and_then(|(a, b)| if k == a { Some(b) } else { (k == b).then_some(a) });
            let onward = partner.map(|p| (arms[p].entry.at - arm.entry.at).normalized());
            let mut own = self.ridge_key(cell, arm.direction).at(Nth(way));
            let points_m = self.line(&arm.entry, (junction, onward), SIDEWAYS[late], &mut own);
            lines.push(Drawn { points_m, joins: None });
        }
        let Some((a, b)) = main else { return lines };
        let mut taken = Vec::new();
        for k in (0..arms.len()).filter(|&k| k != a && k != b) {
            let mut own = self.ridge_key(cell, arms[k].direction).within(Nth(way)).at(Nth(0));
            let apart = |other: usize| arms[k].entry.at.distance(arms[other].entry.at);
            let host = if apart(a) <= apart(b) { a } else { b };
            let joint = joint(host, &taken, &mut own);
            taken.push((host, joint));
            let at = lines[host].points_m[joint];
            let points_m = self.line(&arms[k].entry, (at, None), SIDEWAYS[late], &mut own);
            lines[k] = Drawn { points_m, joins: Some((host, joint)) };
        }
        lines
    }

    /// A line from the border to a place, where it heads `onward`, or as it comes.
    fn line(
        &self,
        entry: &Crossing,
        (to, onward): (Vec3, Option<Vec3>),
        sideways: f64,
        draw: &mut Draw,
    ) -> Vec<Vec3> {
        let length_m = entry.at.distance(to);
        let middle = self.middle(entry.at, to, sideways, draw);
        let inward = -entry.outward * (0.5 * length_m);
        let end = onward.map_or((to - middle) * 0.8, |unit| unit * (0.5 * length_m));
        let points = through(&[entry.at, middle, to], inward, end, PIECES);
        let mut points: Vec<Vec3> = points.into_iter().map(|p| self.grid().on_surface_m(p)).collect();
        // where lines meet they do so to the last bit
        points.splice(points.len() - 1.., [to]);
        points
    }

    /// Heights of the points of each line above the massif.
    fn relief(&self, cell: Cell, arms: &mut [Arm], heights: &Heights, lines: &[Drawn]) -> Vec<Vec<f64>> {
        let key = self.seed.key(RELIEF).within(cell);
        let junction_m = heights.own_m * key.at(Nth(8)).range(JUNCTION_HEIGHT.0, JUNCTION_HEIGHT.1);
        let ends = arms.len() == 1;
        let mut relief: Vec<Vec<f64>> = vec![Vec::new(); lines.len()];
        // those that join others come after these
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|&k| lines[k].joins.is_some());
        for k in order {
            let line = &lines[k];
            let other_m = self.mountains_m(arms[k].entry.neighbor);
            let saddle = arms[k].entry.draw.range(SADDLE.0, SADDLE.1);
            let start = heights.entry(self, &arms[k].entry, line.points_m[0], other_m, saddle);
            let last = line.points_m.len() - 1;
            let end = match line.joins {
                Some((host, joint)) => relief[host][joint],
                None => heights.above(line.points_m[last], junction_m),
            };
            let mut draw = key.at(Nth(arms[k].direction as u32));
            let bumps: Vec<f64> = (0..=last).map(|_| draw.range(-RISE, RISE)).collect();
            let at = |n: usize| {
                let t = n as f64 / last as f64;
                // twice as far between summit and col as between points
                let free = if n == 0 || n == last { 0.0 } else { bumps[n - 1] + bumps[n] };
                let taper = if ends { END.1 + (1.0 - END.1) * (1.0 - fade(END.0, t)) } else { 1.0 };
                (start + (end - start) * t) * (1.0 + free) * taper
            };
            relief[k] = (0..=last).map(at).collect();
            if ends {
                relief[k][last] = relief[k][last].min(END.1 * greatest(&relief[k]));
            }
        }
        relief
    }

    /// A ridge or hill, with sides that fit its height: low ones are flatter, so that hills are not thin walls.
    pub(super) fn crest(&self, points_m: Vec<Vec3>, heights_m: Vec<f64>, key: Key) -> Crest {
        let highest_m = heights_m.iter().copied().fold(0.0, f64::max);
        let profile = Profile::drawn(highest_m, self.cell_m, key);
        let even = (highest_m / (LOW_CELLS * self.cell_m)).clamp(FLATTEST, super::RIDGE_SLOPE);
        let fitting = if profile == Profile::Concave { Profile::CONCAVE_SLOPE * even } else { even };
        let slope = fitting.max(highest_m / (FARTHEST_CELLS * self.cell_m));
        Crest { points_m, heights_m, slope, generation: 0, profile, key }
    }
}

/// 0 up to a share of the way, 1 at its end.
fn fade(from: f64, t: f64) -> f64 {
    grid::math::smoothstep(from, 1.0, t)
}

/// The two arms that together are straightest; of equal ones the first pair. `None` of fewer than two.
fn straightest(arms: &[Arm]) -> Option<(usize, usize)> {
    let bend = |a: usize, b: usize| {
        let apart = arms[a].direction.index().abs_diff(arms[b].direction.index());
        4 - apart.min(8 - apart)
    };
    let pairs = (0..arms.len()).flat_map(|a| (a + 1..arms.len()).map(move |b| (a, b)));
    pairs.min_by_key(|&(a, b)| bend(a, b))
}

/// The point of a line where a further one joins it: none that is taken, as long as there are others.
fn joint(host: usize, taken: &[(usize, usize)], draw: &mut Draw) -> usize {
    let count = JOINTS.1 - JOINTS.0 + 1;
    let first = draw.below(count as u32) as usize;
    let joints = (0..count).map(|k| JOINTS.0 + (first + 3 * k) % count);
    joints.into_iter().find(|&j| !taken.contains(&(host, j))).unwrap_or(JOINTS.0 + first)
}

/// Brings a ridge down where rivers cross it; not on the border, which is also another cell's.
fn cut_cols(heights_m: &mut [f64], own: &Course, water: &[Course], cell_m: f64) {
    let last = heights_m.len() - 1;
    for (n, share) in water.iter().flat_map(|w| own.crossed_by(w)) {
        let at_m = own.along_m(n as f64 + share);
        for (k, height) in heights_m.iter_mut().enumerate().take(last + 1).skip(1) {
            let apart = (own.along_m(k as f64) - at_m).abs() / (COL.1 * cell_m);
            *height *= COL.0 + (1.0 - COL.0) * grid::math::smoothstep(0.0, 1.0, apart);
        }
    }
}

/// Where lines meet they are of one height, the lowest of all, since a river may have cut one of them; and all change
/// gradually.
fn level_joints(mut crests: Vec<Crest>, lines: &[Drawn]) -> Vec<Crest> {
    let end = |crest: &Crest| crest.heights_m[crest.heights_m.len() - 1];
    let (main, joined): (Vec<usize>, Vec<usize>) = (0..lines.len()).partition(|&k| lines[k].joins.is_none());
    let junction_m = main.iter().map(|&k| end(&crests[k])).fold(f64::INFINITY, f64::min);
    for k in main {
        let last = crests[k].heights_m.len() - 1;
        crests[k].heights_m[last] = junction_m;
        make_gradual(&mut crests[k].heights_m);
    }
    for k in joined {
        if let Some((host, joint)) = lines[k].joins {
            let last = crests[k].heights_m.len() - 1;
            crests[k].heights_m[last] = crests[host].heights_m[joint];
            make_gradual(&mut crests[k].heights_m);
        }
    }
    crests
}

/// Lowers what stands out and raises what lies too deep beside an end, so that no step is greater than a share of the
/// greatest height; both ends stay as they are. Lowering may lower the greatest height, so that it is done again.
fn make_gradual(heights_m: &mut [f64]) {
    const TIMES: usize = 8;
    let last = heights_m.len() - 1;
    let (first_m, last_m) = (heights_m[0], heights_m[last]);
    for _ in 0..TIMES {
        let highest_m = greatest(heights_m);
        limit_steps(heights_m, STEP * highest_m);
        (heights_m[0], heights_m[last]) = (first_m, last_m);
        if greatest(heights_m) >= highest_m {
            break;
        }
    }
}

fn greatest(heights_m: &[f64]) -> f64 {
    heights_m.iter().copied().fold(0.0, f64::max)
}

fn limit_steps(heights_m: &mut [f64], step_m: f64) {
    let last = heights_m.len() - 1;
    let (first_m, last_m) = (heights_m[0], heights_m[last]);
    for (k, height) in heights_m.iter_mut().enumerate() {
        let from_ends = (first_m - step_m * k as f64).max(last_m - step_m * (last - k) as f64);
        *height = height.max(from_ends);
    }
    for k in 1..=last {
        heights_m[k] = heights_m[k].min(heights_m[k - 1] + step_m);
    }
    for k in (0..last).rev() {
        heights_m[k] = heights_m[k].min(heights_m[k + 1] + step_m);
    }
}
