//! Whether directions are spread evenly, or follow a lattice.
//!
//! Terrain made on a lattice may pass every other statistic and still show its grain. Directions u (unit vectors as complex
//! numbers, the lattice's own axis at angle 0, so that its grain adds up over many windows and that of ranges does not)
//! are counted in 16 sectors, the first of which has its middle at 0, and summed:
//!
//! ```text
//! a_m = |sum w u^m| / sum w          0 without grain; 1 if all directions are those of an m-sided star
//! unevenness = var(sector) / mean(sector)^2
//! ```
//!
//! m = 2: one strike, as a range has it. m = 4: the sides of squares, or their diagonals. m = 8: both.
//!
//! Three sets, because each has a fault of its own:
//!
//! - gradients of the ground, smoothed with the binomial 1 4 6 4 1 twice, freed of its mean plane. The stencil
//!   (1 4 1) / 6 across and a central difference along has the same error in all directions to fourth order
//! - valleys: at channel samples the direction of least curvature of that smoothed ground (also free of direction to
//!   fourth order). Only the places come from D8
//! - channels: chords of 16 steps of the D8 network. Water on a smooth slope keeps to one of eight directions, so some a_8
//!   is the method's and not the ground's

use super::heights::Heights;
use super::water::Water;
use grid::{Cell, math};
use std::f64::consts::PI;

/// Sectors of a circle.
pub const SECTORS: usize = 16;
/// Steps of a chord.
const CHORD: usize = 16;
/// Passes of the binomial filter.
const SMOOTHINGS: usize = 2;

/// Directions, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Directions {
    /// Weight in each sector, anticlockwise from the axis.
    pub sectors: [f64; SECTORS],
    /// Sums of w u^2, w u^4, w u^8.
    sums: [(f64, f64); 3],
    weight: f64,
}

impl Directions {
    /// Adds the direction of a vector; none if it has no length.
    pub fn add(&mut self, x: f64, y: f64, weight: f64) {
        let length = (x * x + y * y).sqrt();
        if length > 0.0 {
            let u = (x / length, y / length);
            self.add_double(square(u), weight);
            let turn = math::atan2(u.1, u.0) / (2.0 * PI) * SECTORS as f64;
            self.sectors[(turn + SECTORS as f64 + 0.5) as usize % SECTORS] += weight;
        }
    }

    /// Adds a direction and its opposite, half each.
    pub fn add_both(&mut self, x: f64, y: f64, weight: f64) {
        self.add(x, y, 0.5 * weight);
        self.add(-x, -y, 0.5 * weight);
    }

    fn add_double(&mut self, double: (f64, f64), weight: f64) {
        let mut power = double;
        for sum in &mut self.sums {
            *sum = (sum.0 + weight * power.0, sum.1 + weight * power.1);
            power = square(power);
        }
        self.weight += weight;
    }

    /// Adds others, each set with the weight 1 as a whole, so that no window counts more than another.
    pub fn pooled<'a>(sets: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for set in sets.into_iter().filter(|s| s.weight > 0.0) {
            let share = 1.0 / set.weight;
            for (sum, more) in all.sectors.iter_mut().zip(set.sectors) {
                *sum += share * more;
            }
            for (sum, more) in all.sums.iter_mut().zip(set.sums) {
                *sum = (sum.0 + share * more.0, sum.1 + share * more.1);
            }
            all.weight += 1.0;
        }
        all
    }

    /// The amplitudes a_2, a_4 and a_8, each from 0 to 1. `None` without directions.
    pub fn amplitudes(&self) -> Option<[f64; 3]> {
        let of = |(re, im): (f64, f64)| (re * re + im * im).sqrt() / self.weight;
        (self.weight > 0.0).then(|| self.sums.map(of))
    }

    /// The fullest sector over the emptiest; infinite if that is empty. `None` without directions.
    pub fn max_over_min(&self) -> Option<f64> {
        let (low, high) = self.sectors.iter().fold((f64::MAX, 0.0f64), |(l, h), &s| (l.min(s), h.max(s)));
        (self.weight > 0.0).then(|| high / low)
    }

    /// The variance of the sectors over the square of their mean. `None` without directions.
    pub fn unevenness(&self) -> Option<f64> {
        let mean = self.sectors.iter().sum::<f64>() / SECTORS as f64;
        let variance = self.sectors.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / SECTORS as f64;
        (self.weight > 0.0).then(|| variance / (mean * mean))
    }
}

/// The square of a complex number.
fn square(u: (f64, f64)) -> (f64, f64) {
    (u.0 * u.0 - u.1 * u.1, 2.0 * u.0 * u.1)
}

/// The axis from which directions count, as a unit vector towards east and north.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    east: f64,
    north: f64,
}

impl Axis {
    /// The window's own: east.
    pub const EAST: Self = Self { east: 1.0, north: 0.0 };

    /// The axis along a vector; east if it has no length.
    pub fn along(east: f64, north: f64) -> Self {
        let length = (east * east + north * north).sqrt();
        if length > 0.0 { Self { east: east / length, north: north / length } } else { Self::EAST }
    }

    /// A vector as seen from the axis.
    fn turn(self, east: f64, north: f64) -> (f64, f64) {
        (east * self.east + north * self.north, north * self.east - east * self.north)
    }
}

/// Directions of the ground's gradients, of valleys and of channels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grain {
    /// Uphill, at every sample.
    pub gradients: Directions,
    /// Along valleys both ways, at the samples of channels.
    pub valleys: Directions,
    /// Downstream, at the samples of channels.
    pub channels: Directions,
}

impl Grain {
    /// Measures a window; channels drain at least `channel_km2`. Cost: linear.
    pub fn of(heights: &Heights, water: &Water, axis: Axis, channel_km2: f64) -> Self {
        let smooth = Smooth::of(heights);
        let is_channel = water.channels(channel_km2);
        let mut grain = Self::default();
        let margin = Smooth::MARGIN;
        for row in margin..heights.rows().saturating_sub(margin) {
            for column in margin..heights.columns().saturating_sub(margin) {
                let (x, y) = smooth.gradient(column, row);
                let (x, y) = axis.turn(x, y);
                grain.gradients.add(x, y, 1.0);
                let cell = Cell::from_index(row * heights.columns() + column);
                if is_channel[cell] {
                    grain.add_channel(heights, &smooth, water, (axis, cell));
                }
            }
        }
        grain
    }

    fn add_channel(&mut self, heights: &Heights, smooth: &Smooth, water: &Water, (axis, cell): (Axis, Cell)) {
        let place = |c: Cell| (c.index() % heights.columns(), c.index() / heights.columns());
        let (column, row) = place(cell);
        let (x, y) = smooth.along_valley(column, row);
        let (x, y) = axis.turn(x, y);
        self.valleys.add_both(x, y, 1.0);
        if let Some(end) = water.downstream(cell).nth(CHORD) {
            let (end_column, end_row) = place(end);
            let (x, y) = axis.turn(end_column as f64 - column as f64, row as f64 - end_row as f64);
            self.channels.add(x, y, 1.0);
        }
    }
}

/// Directions of the segments of lines in the plane of a window, each weighing its length.
pub fn of_lines<'a>(lines: impl IntoIterator<Item = &'a [(f64, f64)]>, axis: Axis) -> Directions {
    let mut directions = Directions::default();
    for segment in lines.into_iter().flat_map(|line| line.windows(2)) {
        let (east, north) = (segment[1].0 - segment[0].0, segment[1].1 - segment[0].1);
        let (x, y) = axis.turn(east, north);
        directions.add(x, y, (east * east + north * north).sqrt());
    }
    directions
}

/// A smoothed window without its mean plane.
struct Smooth {
    z: Vec<f64>,
    columns: usize,
}

impl Smooth {
    /// Samples from the border inwards whose values or stencils would need others from outside.
    const MARGIN: usize = 2 * SMOOTHINGS + 2;

    fn of(heights: &Heights) -> Self {
        let (columns, rows) = (heights.columns(), heights.rows());
        let mut z = without_plane(heights);
        for _ in 0..SMOOTHINGS {
            z = binomial(&z, |i| i % columns, columns, 1);
            z = binomial(&z, |i| i / columns, rows, columns);
        }
        Self { z, columns }
    }

    fn at(&self, column: usize, row: usize, east: isize, south: isize) -> f64 {
        self.z[(row as isize + south) as usize * self.columns + (column as isize + east) as usize]
    }

    /// The gradient towards east and north, in metres a sample.
    fn gradient(&self, column: usize, row: usize) -> (f64, f64) {
        let at = |e, s| self.at(column, row, e, s);
        let east = |s| at(1, s) - at(-1, s);
        let north = |e| at(e, -1) - at(e, 1);
        let mean = |f: &dyn Fn(isize) -> f64| (f(-1) + 4.0 * f(0) + f(1)) / 12.0;
        (mean(&east), mean(&north))
    }

    /// The direction along a valley, to either side: at right angles to the greatest second derivative.
    fn along_valley(&self, column: usize, row: usize) -> (f64, f64) {
        let at = |e, s| self.at(column, row, e, s);
        let centre = 2.0 * at(0, 0);
        let bent = |e: isize, s: isize| {
            let near = at(e, s) + at(-e, -s) - centre;
            let far = (at(2 * e, 2 * s) + at(-2 * e, -2 * s) - centre) / 4.0;
            (2.0 * near + far) / 3.0
        };
        let difference = bent(1, 0) - bent(0, 1);
        // twice the mixed derivative towards east and north
        let mixed = 0.5 * (at(1, -1) + at(-1, 1) - at(1, 1) - at(-1, -1));
        // across the valley at half the angle of (difference, mixed); along it at half that of its opposite
        half_angle(-difference, -mixed)
    }
}

/// A vector at half the angle of another.
fn half_angle(x: f64, y: f64) -> (f64, f64) {
    let length = (x * x + y * y).sqrt();
    if x >= 0.0 { (length + x, y) } else { (y.abs(), (length - x) * if y < 0.0 { -1.0 } else { 1.0 }) }
}

/// The heights less the plane of least squares.
fn without_plane(heights: &Heights) -> Vec<f64> {
    let (columns, rows) = (heights.columns(), heights.rows());
    let (middle_x, middle_y) = (0.5 * (columns - 1) as f64, 0.5 * (rows - 1) as f64);
    let samples = || {
        let places = (0..rows).flat_map(move |r| (0..columns).map(move |c| (c, r)));
        places.map(move |(c, r)| (c as f64 - middle_x, r as f64 - middle_y, heights.at(c, r)))
    };
    let [sxx, sxz, syy, syz, sz] = samples()
        .fold([0.0; 5], |s, (x, y, z)| [s[0] + x * x, s[1] + x * z, s[2] + y * y, s[3] + y * z, s[4] + z]);
    let (a, b, mean) = (sxz / sxx, syz / syy, sz / (columns * rows) as f64);
    samples().map(|(x, y, z)| z - mean - a * x - b * y).collect()
}

/// One pass of 1 4 6 4 1 along one direction; values near the border stay as they are.
fn binomial(z: &[f64], place: impl Fn(usize) -> usize, count: usize, step: usize) -> Vec<f64> {
    let inner = |at: usize| at >= 2 && at + 2 < count;
    let sum = |i: usize| {
        (z[i - 2 * step] + z[i + 2 * step] + 4.0 * (z[i - step] + z[i + step]) + 6.0 * z[i]) / 16.0
    };
    (0..z.len()).map(|i| if inner(place(i)) { sum(i) } else { z[i] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::Routing;
    use crate::survey::tests::made;
    use grid::{Nth, Purpose, Seed};

    fn star(points: usize, turned: f64) -> Directions {
        let mut all = Directions::default();
        for k in 0..points {
            let angle = turned + 2.0 * PI * k as f64 / points as f64;
            all.add(3.0 * math::cos(angle), 3.0 * math::sin(angle), 2.0);
        }
        all
    }

    #[test]
    fn stars_have_the_amplitudes_of_their_points() {
        for turned in [0.0, 0.1, 1.0] {
            for (points, expected) in [
                (2, [1.0, 1.0, 1.0]),
                (4, [0.0, 1.0, 1.0]),
                (8, [0.0, 0.0, 1.0]),
                (16, [0.0; 3]),
                (5, [0.0; 3]),
            ] {
                let found = star(points, turned).amplitudes().expect("a star");
                assert!(
                    found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12),
                    "{points}: {found:?}"
                );
            }
        }
        assert_eq!(Directions::default().amplitudes(), None);
    }

    #[test]
    fn sectors_have_the_axis_in_their_middle() {
        let all = star(16, 0.19);
        assert_eq!(all.sectors, [2.0; SECTORS]);
        assert_eq!((all.max_over_min(), all.unevenness()), (Some(1.0), Some(0.0)));
        let mut one = Directions::default();
        for angle in [-0.19, -0.1, 0.0, 0.19] {
            one.add(math::cos(angle), math::sin(angle), 1.0);
        }
        one.add_both(0.0, -1.0, 3.0);
        assert_eq!((one.sectors[0], one.sectors[4], one.sectors[12]), (4.0, 1.5, 1.5));
        assert_eq!(one.max_over_min(), Some(f64::INFINITY));
        // by hand: mean 7 / 16, squares (16 + 4.5) / 16
        let unevenness = (20.5 / 16.0 - (7.0f64 / 16.0) * (7.0 / 16.0)) / ((7.0 / 16.0) * (7.0 / 16.0));
        assert!((one.unevenness().expect("some") - unevenness).abs() < 1e-12);
    }

    /// Ranges of many strikes hide each other when they are pooled; one grain stays.
    #[test]
    fn pooling_keeps_what_all_have() {
        let strikes: Vec<Directions> = (0..8).map(|k| star(2, PI * f64::from(k) / 8.0)).collect();
        let pooled = Directions::pooled(&strikes).amplitudes().expect("directions");
        assert!(pooled[0] < 1e-12 && pooled[1] < 1e-12, "{pooled:?}");
        let grain = [star(4, 0.0), star(8, 0.0), Directions::default()];
        assert_eq!(Directions::pooled(&grain).amplitudes().map(|a| a[1]), Some(0.5));
    }

    #[test]
    fn angles_are_halved() {
        let mut draw = Seed(1).key(Purpose::new("test/half")).at(Nth(0));
        for _ in 0..1000 {
            let angle = draw.range(-PI, PI);
            let (x, y) = half_angle(2.0 * math::cos(angle), 2.0 * math::sin(angle));
            assert!((math::atan2(y, x) - 0.5 * angle).abs() < 1e-9, "{angle}");
        }
        assert_eq!(half_angle(-1.0, 0.0), (0.0, 2.0));
    }

    /// Waves of eight samples and more keep their directions to a degree, whichever way they run.
    #[test]
    fn waves_run_where_they_run() {
        for degrees in [0.0, 10.0, 22.5, 30.0, 45.0, 77.0, 100.0, 150.0] {
            let angle = f64::to_radians(degrees);
            let (x, y) = (math::cos(angle), math::sin(angle));
            for wavelength in [8.0, 20.0] {
                let k = 2.0 * PI / wavelength;
                let wave = made(300, 300, 1.0, |e, s| 1000.0 * math::sin(k * (e * x - s * y)));
                let smooth = Smooth::of(&wave);
                for (column, row) in [(20, 20), (21, 27), (30, 25)] {
                    let (gx, gy) = smooth.gradient(column, row);
                    let off = (gx * y - gy * x) / (gx * gx + gy * gy).sqrt();
                    assert!(off.abs() < 0.02, "gradient at {degrees}, {wavelength}: {off}");
                    let (vx, vy) = smooth.along_valley(column, row);
                    // crests run across the wave; where the ground is hollow they are what is looked for
                    if smooth.at(column, row, 0, 0) < -300.0 {
                        let off = (vx * x + vy * y) / (vx * vx + vy * vy).sqrt();
                        assert!(off.abs() < 0.02, "valley at {degrees}, {wavelength}: {off}");
                    }
                }
            }
        }
    }

    #[test]
    fn directions_count_from_the_axis() {
        let slope = made(40, 40, 90.0, |e, s| 5.0 * math::sin(0.01 * e) * math::cos(0.007 * s));
        let water = Water::of(&slope, Routing::Steepest);
        let grain = |axis| Grain::of(&slope, &water, axis, 1e-9).gradients;
        let (east, north) = (grain(Axis::EAST), grain(Axis::along(0.0, 4.0)));
        for sector in 0..SECTORS {
            assert_eq!(east.sectors[(sector + 4) % SECTORS], north.sectors[sector]);
        }
        let line = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)];
        let turned = of_lines([&line[..]], Axis::along(0.0, 1.0));
        assert_eq!((turned.sectors[0], turned.sectors[12]), (4.0, 3.0));
    }
}
