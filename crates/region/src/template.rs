//! Peak templates: the shapes of single mountains, pasted over points of a ridge.
//!
//! Each is a square of [`SIDE`] x [`SIDE`] heights from 0 (its border) to 1 (its summit, in the middle), as
//! little-endian 16-bit numbers in `data/peaks/`, where a README shows them and says how they are made.

/// Samples along a side.
pub const SIDE: usize = 65;

/// The built-in templates.
pub const TEMPLATES: [Template; 8] = [
    Template(include_bytes!("../../../data/peaks/1_horn.r16")),
    Template(include_bytes!("../../../data/peaks/2_pyramid.r16")),
    Template(include_bytes!("../../../data/peaks/3_dome.r16")),
    Template(include_bytes!("../../../data/peaks/4_twin.r16")),
    Template(include_bytes!("../../../data/peaks/5_crest.r16")),
    Template(include_bytes!("../../../data/peaks/6_star.r16")),
    Template(include_bytes!("../../../data/peaks/7_tilted.r16")),
    Template(include_bytes!("../../../data/peaks/8_massif.r16")),
];

/// One shape.
#[derive(Clone, Copy)]
pub struct Template(&'static [u8; SIDE * SIDE * 2]);

impl Template {
    /// Height (0 to 1) at `x`, `y` from -1 to 1; 0 outside. Straight between samples.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        let half = (SIDE - 1) as f64 / 2.0;
        let (u, v) = ((x + 1.0) * half, (y + 1.0) * half);
        let inside = 0.0..(SIDE - 1) as f64;
        if !inside.contains(&u) || !inside.contains(&v) {
            return 0.0;
        }
        let (i, j) = (u as usize, v as usize);
        let (fu, fv) = (u - i as f64, v - j as f64);
        let row = |j: usize| self.sample(i, j) * (1.0 - fu) + self.sample(i + 1, j) * fu;
        row(j) * (1.0 - fv) + row(j + 1) * fv
    }

    fn sample(&self, i: usize, j: usize) -> f64 {
        let at = 2 * (j * SIDE + i);
        f64::from(u16::from_le_bytes([self.0[at], self.0[at + 1]])) / 65_535.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_rise_from_their_border_to_one() {
        for (k, template) in TEMPLATES.iter().enumerate() {
            let all = (0..SIDE * SIDE).map(|n| template.sample(n % SIDE, n / SIDE));
            let highest = all.fold(0.0, f64::max);
            assert_eq!(highest, 1.0, "template {k}");
            for i in 0..SIDE {
                for (x, y) in [(i, 0), (i, SIDE - 1), (0, i), (SIDE - 1, i)] {
                    assert_eq!(template.sample(x, y), 0.0, "template {k}");
                }
            }
        }
    }

    #[test]
    fn templates_differ() {
        for (a, one) in TEMPLATES.iter().enumerate() {
            for (b, other) in TEMPLATES.iter().enumerate().take(a) {
                let places =
                    (0..400).map(|n| (f64::from(n % 20) / 10.0 - 0.95, f64::from(n / 20) / 10.0 - 0.95));
                let gap = places.map(|(x, y)| (one.at(x, y) - other.at(x, y)).abs()).sum::<f64>() / 400.0;
                assert!(gap > 0.01, "{a} and {b} are alike: {gap}");
            }
        }
    }

    #[test]
    fn outside_there_is_nothing() {
        for (x, y) in [(1.5, 0.0), (0.0, -1.0001), (f64::NAN, 0.0), (1.0, 1.0)] {
            assert_eq!(TEMPLATES[0].at(x, y), 0.0);
        }
    }
}
