//! Summits by topographic prominence.
//!
//! The prominence of a summit is its height above the highest col over which one can walk to higher ground. Samples are
//! taken from the top down and joined with those of their eight neighbours that are higher: where two hills meet, the col
//! of the lower one is found (the merge tree of the heights). Of equal heights the one of the lower address
//! counts as higher, so that a plateau is one summit, at its first sample, and of two equal peaks one has the prominence
//! over the col between them. The highest sample rises above the lowest of the window: nothing higher is known.
//!
//! A summit on the border counts as one, though its mountain may go on outside: so Earth's figures were measured.
//! Cost: a sort, and nearly linear.

use super::heights::Heights;

/// A place that no higher one touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summit {
    /// Column of the sample.
    pub column: usize,
    /// Row of the sample.
    pub row: usize,
    /// Height above the highest col to higher ground, in metres; positive.
    pub prominence_m: f64,
}

/// All summits, the highest last.
pub fn summits(heights: &Heights) -> Vec<Summit> {
    let z = heights.values_m();
    let mut hills = Hills::of(z);
    let mut found = Vec::new();
    let mut summit = |sample: usize, col: usize| {
        let prominence_m = f64::from(z[sample]) - f64::from(z[col]);
        if prominence_m > 0.0 {
            let (column, row) = (sample % heights.columns(), sample / heights.columns());
            found.push(Summit { column, row, prominence_m });
        }
    };
    let order = std::mem::take(&mut hills.order);
    for &sample in &order {
        hills.rise(sample);
        for neighbor in neighbors(heights, sample as usize) {
            if let Some(lower) = hills.meet(sample, neighbor) {
                summit(lower as usize, sample as usize);
            }
        }
    }
    if let (Some(&highest), Some(&lowest)) = (order.first(), order.last()) {
        summit(highest as usize, lowest as usize);
    }
    found
}

/// Number of summits with a prominence of at least so many metres, for each 100 square kilometres.
pub fn summits_per_100km2(heights: &Heights, summits: &[Summit], least_m: f64) -> f64 {
    let prominent = summits.iter().filter(|s| s.prominence_m >= least_m).count();
    100.0 * prominent as f64 / heights.area_km2()
}

/// The samples around one.
fn neighbors(heights: &Heights, sample: usize) -> impl Iterator<Item = u32> {
    let (columns, rows) = (heights.columns(), heights.rows());
    let (column, row) = (sample % columns, sample / columns);
    let around = |at: usize, count: usize| at.saturating_sub(1)..(at + 2).min(count);
    around(row, rows)
        .flat_map(move |r| around(column, columns).map(move |c| r * columns + c))
        .filter(move |&n| n != sample)
        .map(|n| n as u32)
}

/// Hills as they grow together: sets of samples, each with its summit as its root.
struct Hills {
    /// Samples from the highest down.
    order: Vec<u32>,
    /// Place of each sample in the order: a lower one is a higher sample.
    rank: Vec<u32>,
    /// Towards the root of the sample's hill; [`Hills::DRY`] where no hill has risen yet.
    parent: Vec<u32>,
}

impl Hills {
    const DRY: u32 = u32::MAX;

    fn of(z: &[f32]) -> Self {
        let mut order: Vec<u32> = (0..z.len() as u32).collect();
        // -0.0 and 0.0 are one height
        let height = |i: u32| z[i as usize] + 0.0;
        order.sort_unstable_by(|&a, &b| height(b).total_cmp(&height(a)).then(a.cmp(&b)));
        let mut rank = vec![0; z.len()];
        for (place, &sample) in (0u32..).zip(&order) {
            rank[sample as usize] = place;
        }
        Self { order, rank, parent: vec![Self::DRY; z.len()] }
    }

    /// A sample becomes a hill of its own.
    fn rise(&mut self, sample: u32) {
        self.parent[sample as usize] = sample;
    }

    fn root(&mut self, mut sample: u32) -> u32 {
        while self.parent[sample as usize] != sample {
            let above = self.parent[self.parent[sample as usize] as usize];
            self.parent[sample as usize] = above;
            sample = above;
        }
        sample
    }

    /// Joins the hills of two samples; the summit of the lower one, if they were two.
    fn meet(&mut self, sample: u32, neighbor: u32) -> Option<u32> {
        if self.parent[neighbor as usize] == Self::DRY {
            return None;
        }
        let (a, b) = (self.root(sample), self.root(neighbor));
        let (high, low) = if self.rank[a as usize] < self.rank[b as usize] { (a, b) } else { (b, a) };
        self.parent[low as usize] = high;
        (high != low).then_some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::tests::made;
    use grid::{Nth, Purpose, Seed};

    /// By the definition: the highest level at which a flood from the sample finds a higher one.
    fn slow(heights: &Heights) -> Vec<(usize, f64)> {
        let z = heights.values_m();
        let higher = |a: usize, b: usize| z[a] > z[b] || (z[a] == z[b] && a < b);
        let lowest = z.iter().copied().fold(f32::MAX, f32::min);
        let prominence = |top: usize| {
            let mut levels = z.to_vec();
            levels.sort_by(|a, b| b.total_cmp(a));
            let col = levels.into_iter().filter(|&l| l <= z[top]).find(|&level| {
                let mut reached = vec![top];
                let mut next = 0;
                while next < reached.len() {
                    let (c, r) = (reached[next] % heights.columns(), reached[next] / heights.columns());
                    for (n, &height) in z.iter().enumerate() {
                        let (nc, nr) = (n % heights.columns(), n / heights.columns());
                        if nc.abs_diff(c) <= 1
                            && nr.abs_diff(r) <= 1
                            && height >= level
                            && !reached.contains(&n)
                        {
                            reached.push(n);
                        }
                    }
                    next += 1;
                }
                reached.iter().any(|&n| higher(n, top))
            });
            f64::from(z[top]) - f64::from(col.unwrap_or(lowest))
        };
        (0..z.len()).map(|i| (i, prominence(i))).filter(|p| p.1 > 0.0).collect()
    }

    #[test]
    fn as_by_the_definition_with_many_ties() {
        for case in 0..3000 {
            let mut draw = Seed(case).key(Purpose::new("test/summits")).at(Nth(0));
            let (columns, rows) = (3 + draw.below(5) as usize, 3 + draw.below(4) as usize);
            let levels = 2 + draw.below(12);
            let values = (0..columns * rows).map(|_| draw.below(levels) as f32 - 3.0).collect();
            let heights = Heights::new(values, columns, 90.0).expect("a small one");
            let mut fast: Vec<(usize, f64)> =
                summits(&heights).iter().map(|s| (s.row * columns + s.column, s.prominence_m)).collect();
            fast.sort_by_key(|s| s.0);
            assert_eq!(fast, slow(&heights), "case {case}: {heights:?}");
        }
    }

    #[test]
    fn two_cones_have_the_prominences_of_their_cols() {
        let far = |x: f64, y: f64| (x * x + y * y).sqrt();
        let cone = |x: f64, y: f64, px: f64, top: f64| top - 10.0 * far(x - px, y - 50.0);
        let ground = made(161, 101, 1.0, |x, y| cone(x, y, 40.0, 900.0).max(cone(x, y, 100.0, 700.0)));
        let found = summits(&ground);
        assert_eq!(found.len(), 2, "{found:?}");
        // between the summits 60 apart: 900 - 10 a = 700 - 10 (60 - a), a = 40: the col at 500
        assert_eq!((found[0].column, found[0].row, found[0].prominence_m), (100, 50, 200.0));
        assert_eq!((found[1].column, found[1].row), (40, 50));
        assert_eq!(summits_per_100km2(&ground, &found, 200.0), 200.0 / ground.area_km2());
        assert_eq!(summits_per_100km2(&ground, &found, 200.1), 100.0 / ground.area_km2());
    }

    #[test]
    fn level_ground_has_no_summit() {
        assert_eq!(summits(&made(7, 5, 1.0, |_, _| 3.0)), []);
    }
}
