//! Lines of equal height through a raster (marching squares, with straight sides between samples).

use super::Point;

/// A raster of numbers, row by row from the north.
#[derive(Clone, Debug)]
pub struct Raster {
    /// Samples from west to east.
    pub width: usize,
    /// Samples from north to south.
    pub height: usize,
    /// Its numbers; what is not finite is no ground.
    pub values: Vec<f32>,
}

impl Raster {
    /// The sample nearest to a place; not a number outside.
    pub fn at(&self, [column, row]: Point) -> f32 {
        let [column, row] = [column, row].map(|v| v.round());
        let inside = column >= 0.0 && row >= 0.0 && column < self.width as f64 && row < self.height as f64;
        if inside { self.values[row as usize * self.width + column as usize] } else { f32::NAN }
    }

    /// Means of squares of `side` samples; a square with anything that is not finite is none. What is left over at the
    /// eastern and southern border is left out.
    pub fn coarser(&self, side: usize) -> Self {
        let side = side.max(1);
        let (width, height) = (self.width / side, self.height / side);
        let mean = |n: usize| {
            let (left, top) = (n % width * side, n / width * side);
            let rows = (top..top + side).map(|row| &self.values[row * self.width + left..][..side]);
            rows.flatten().sum::<f32>() / (side * side) as f32
        };
        Self { width, height, values: (0..width * height).map(mean).collect() }
    }

    /// Each sample mixed with its neighbours (1 2 1 along both directions); what is not finite stays so and counts for
    /// nothing.
    pub fn softer(&self) -> Self {
        let along = |values: &[f32], stride: usize, length: usize| -> Vec<f32> {
            let of = |i: usize| {
                let n = i / stride % length;
                let near = |there: bool, j: usize| {
                    let value = if there { values[j] } else { f32::NAN };
                    if value.is_finite() { value } else { values[i] }
                };
                let before = near(n > 0, i.wrapping_sub(stride).min(values.len() - 1));
                let after = near(n + 1 < length, (i + stride).min(values.len() - 1));
                0.25 * before + 0.5 * values[i] + 0.25 * after
            };
            (0..values.len()).map(of).collect()
        };
        let once = along(&self.values, 1, self.width.max(1));
        Self { values: along(&once, self.width.max(1), self.height.max(1)), ..*self }
    }

    /// The lines along which the raster has a height, in columns and rows; a closed one ends where it begins.
    pub fn isolines(&self, level: f32) -> Vec<Vec<Point>> {
        if self.width < 2 || self.height < 2 {
            return Vec::new();
        }
        let mut walk = Walk { raster: self, level, seen: vec![false; 2 * self.values.len()] };
        let mut lines = Vec::new();
        for sample in 0..self.values.len() {
            for side in [Side { sample, down: false }, Side { sample, down: true }] {
                if walk.is_crossed(side) && !walk.seen[side.number()] {
                    lines.push(walk.line(side));
                }
            }
        }
        lines.retain(|line| line.len() > 1);
        lines
    }
}

/// The side between a sample and its neighbour to the east, or to the south.
#[derive(Clone, Copy, PartialEq)]
struct Side {
    sample: usize,
    down: bool,
}

impl Side {
    fn number(self) -> usize {
        2 * self.sample + usize::from(self.down)
    }
}

struct Walk<'a> {
    raster: &'a Raster,
    level: f32,
    /// Sides that a line has gone through.
    seen: Vec<bool>,
}

impl Walk<'_> {
    fn ends(&self, side: Side) -> Option<(f32, f32)> {
        let Raster { width, height, values } = self.raster;
        let (column, row) = (side.sample % width, side.sample / width);
        let other = match side.down {
            true if row + 1 < *height => side.sample + width,
            false if column + 1 < *width => side.sample + 1,
            _ => return None,
        };
        Some((values[side.sample], values[other]))
    }

    fn is_crossed(&self, side: Side) -> bool {
        let Some((a, b)) = self.ends(side) else { return false };
        a.is_finite() && b.is_finite() && (a >= self.level) != (b >= self.level)
    }

    /// Where the line goes through a side.
    fn place(&self, side: Side) -> Point {
        let (a, b) = self.ends(side).unwrap_or((0.0, 1.0));
        let share = (f64::from(self.level - a) / f64::from(b - a)).clamp(0.0, 1.0);
        let (column, row) =
            ((side.sample % self.raster.width) as f64, (side.sample / self.raster.width) as f64);
        if side.down { [column, row + share] } else { [column + share, row] }
    }

    /// The squares on both sides of a side, each by its north-western sample.
    fn squares(&self, side: Side) -> [Option<usize>; 2] {
        let Raster { width, height, .. } = self.raster;
        let (column, row) = (side.sample % width, side.sample / width);
        let square = |column: Option<usize>, row: Option<usize>| {
            let (column, row) = (column?, row?);
            (column + 1 < *width && row + 1 < *height).then_some(row * width + column)
        };
        if side.down {
            [square(Some(column), Some(row)), square(column.checked_sub(1), Some(row))]
        } else {
            [square(Some(column), Some(row)), square(Some(column), row.checked_sub(1))]
        }
    }

    /// The side by which a line that came into a square leaves it.
    fn across(&self, square: usize, from: Side) -> Option<Side> {
        let width = self.raster.width;
        let [north, west] = [Side { sample: square, down: false }, Side { sample: square, down: true }];
        let south = Side { sample: square + width, down: false };
        let east = Side { sample: square + 1, down: true };
        let crossed: Vec<Side> =
            [north, east, south, west].into_iter().filter(|&s| self.is_crossed(s)).collect();
        if crossed.len() < 4 {
            return crossed.into_iter().find(|&side| side != from);
        }
        // a saddle: its middle says which corners belong together
        let corners = [square, square + 1, square + width + 1, square + width].map(|i| self.raster.values[i]);
        let middle = corners.iter().sum::<f32>() / 4.0;
        let joined = (middle >= self.level) == (corners[0] >= self.level);
        let pairs = if joined { [(north, east), (south, west)] } else { [(north, west), (south, east)] };
        pairs.into_iter().find_map(|(a, b)| match from {
            _ if from == a => Some(b),
            _ if from == b => Some(a),
            _ => None,
        })
    }

    /// The whole line through a side.
    fn line(&mut self, start: Side) -> Vec<Point> {
        self.seen[start.number()] = true;
        let [one, other] = self.squares(start);
        let mut line = vec![self.place(start)];
        if self.follow(start, one, &mut line) {
            line.push(line[0]);
            return line;
        }
        line.reverse();
        self.follow(start, other, &mut line);
        line
    }

    /// Follows a line from a side into a square until it ends or comes back; whether it came back.
    fn follow(&mut self, start: Side, mut square: Option<usize>, line: &mut Vec<Point>) -> bool {
        let mut side = start;
        while let Some(here) = square {
            let Some(next) = self.across(here, side) else { return false };
            if next == start {
                return true;
            }
            if std::mem::replace(&mut self.seen[next.number()], true) {
                return false;
            }
            line.push(self.place(next));
            let beyond = self.squares(next);
            square = if beyond[0] == Some(here) { beyond[1] } else { beyond[0] };
            side = next;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raster(width: usize, height: usize, at: impl Fn(f64, f64) -> f64) -> Raster {
        let value = |i: usize| at((i % width) as f64, (i / width) as f64) as f32;
        Raster { width, height, values: (0..width * height).map(value).collect() }
    }

    #[test]
    fn a_cone_has_circles() {
        let cone =
            raster(61, 61, |x, y| 30.0 - (((x - 30.0) * (x - 30.0)) + ((y - 30.0) * (y - 30.0))).sqrt());
        let lines = cone.isolines(10.0);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last(), "closed");
        for [x, y] in &lines[0] {
            assert!(((((x - 30.0) * (x - 30.0)) + ((y - 30.0) * (y - 30.0))).sqrt() - 20.0).abs() < 0.05);
        }
        let length: f64 = lines[0]
            .windows(2)
            .map(|w| {
                (((w[0][0] - w[1][0]) * (w[0][0] - w[1][0])) + ((w[0][1] - w[1][1]) * (w[0][1] - w[1][1])))
                    .sqrt()
            })
            .sum();
        assert!((length / (40.0 * std::f64::consts::PI) - 1.0).abs() < 0.01, "{length}");
    }

    #[test]
    fn a_slope_has_one_line_from_border_to_border() {
        let slope = raster(20, 10, |x, _| x);
        let lines = slope.isolines(4.25);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].len(), 10);
        assert!(lines[0].iter().all(|p| p[0] == 4.25));
    }

    #[test]
    fn each_crossing_is_on_one_line_even_at_saddles_and_gaps() {
        let mut bumpy = raster(40, 40, |x, y| {
            (grid::math::sin(x * 7.3 + y * 3.1) * 5.0 + grid::math::cos(x * y * 0.37) * 5.0).round()
        });
        bumpy.values[405] = f32::NAN;
        let lines = bumpy.isolines(0.5);
        let crossed = (0..bumpy.values.len())
            .flat_map(|sample| [Side { sample, down: false }, Side { sample, down: true }]);
        let walk = Walk { raster: &bumpy, level: 0.5, seen: Vec::new() };
        let sides = crossed.filter(|&s| walk.is_crossed(s)).count();
        let on_lines: usize = lines.iter().map(|l| l.len() - usize::from(l.first() == l.last())).sum();
        // those at the gap and at the border may stand alone
        assert!(on_lines <= sides && on_lines + 8 > sides, "{on_lines} {sides}");
    }

    #[test]
    fn means_keep_a_plane() {
        let plane = raster(12, 9, |x, y| 2.0 * x + 3.0 * y);
        let coarse = plane.coarser(3);
        assert_eq!((coarse.width, coarse.height), (4, 3));
        assert!((coarse.values[5] - (2.0 * 4.0 + 3.0 * 4.0)).abs() < 1e-4, "{}", coarse.values[5]);
        let soft = plane.softer();
        assert!((soft.values[3 * 12 + 4] - plane.values[3 * 12 + 4]).abs() < 1e-4);
    }
}
