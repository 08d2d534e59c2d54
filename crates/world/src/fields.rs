//! What several stages do with fields: positions in metres, ranks by area, rounding.

use grid::{Cell, Direction, Field, Grid, Topology, Vec3, math};

/// Position of a cell's centre in metres: on the sphere of a globe, or on the plane of a flat map.
pub(crate) fn position_m(grid: &Topology, cell: Cell) -> Vec3 {
    grid.center(cell) * grid.metres_per_unit()
}

/// Planets of a smaller radius than about Earth's, and maps of a smaller side, have the lengths of faults, shelves and
/// volcanoes in this proportion.
pub(crate) fn size_scale(grid: &Topology) -> f64 {
    const FULL_SIZE_M: f64 = 6_000_000.0;
    let size_m = match grid {
        Topology::Globe(globe) => globe.radius_m(),
        Topology::Flat(flat) => flat.extent_m().0.max(flat.extent_m().1),
    };
    (size_m / FULL_SIZE_M).min(1.0)
}

/// Seconds in a mean year.
pub const YEAR_S: f64 = 365.25 * 86_400.0;

/// An array by index. As `std::array::from_fn`, but a plain loop that compilers vectorise for arrays of any length.
#[inline(always)]
pub(crate) fn each<const N: usize>(value: impl Fn(usize) -> f32) -> [f32; N] {
    let mut values = [0.0; N];
    for (k, slot) in values.iter_mut().enumerate() {
        *slot = value(k);
    }
    values
}

/// Rounds to a multiple of `step`, a power of two, so that files compress and values stay exact in `f32`.
#[inline]
pub(crate) fn quantise(value: f64, step: f64) -> f32 {
    (math::round(value / step) * step) as f32
}

/// A power of two of which what a single cell gives (`mean`, on the average) is at least some thousand times as much,
/// and 1/1024 at the most: multiples of it add up exactly in `f64` over any world.
pub(crate) fn exact_step(mean: f64) -> f64 {
    const FINENESS: i32 = 13;
    let exponent = math::log2(mean.max(1e-30)).floor() as i32 - FINENESS;
    math::ldexp(1.0, exponent.min(-10))
}

/// The unseen cells connected with `start` in some directions, `start` first; all are marked as seen.
pub(crate) fn spread_over(
    grid: &Topology,
    seen: &mut Field<bool>,
    start: Cell,
    directions: &[Direction],
) -> Vec<Cell> {
    let mut found = vec![start];
    seen[start] = true;
    let mut next = 0;
    while let Some(&cell) = found.get(next) {
        next += 1;
        for neighbor in directions.iter().filter_map(|&d| grid.neighbor(cell, d)) {
            if !seen[neighbor] {
                seen[neighbor] = true;
                found.push(neighbor);
            }
        }
    }
    found
}

/// How much of an area has lower scores: the distribution of a score by area, in buckets of equal width.
pub(crate) struct Ranking {
    low: f32,
    /// Buckets in one unit of the score.
    per_unit: f64,
    /// Share of the area below the start of each bucket; one more than there are buckets.
    below: Vec<f64>,
}

impl Ranking {
    /// Fine enough that the area of a bucket is small beside any share that matters.
    const BUCKETS: usize = 1 << 16;

    /// The distribution over the chosen cells. Cost: two passes.
    pub fn of(grid: &Topology, score: &Field<f32>, chosen: impl Fn(Cell) -> bool) -> Self {
        let scores = || grid.cells().filter(|&c| chosen(c)).map(|c| score[c]);
        let (low, high) = scores().fold((f32::MAX, f32::MIN), |(low, high), s| (low.min(s), high.max(s)));
        let per_unit = Self::BUCKETS as f64 / (f64::from(high) - f64::from(low)).max(1e-30);
        let mut ranking = Self { low, per_unit, below: vec![0.0; Self::BUCKETS + 1] };
        for cell in grid.cells().filter(|&c| chosen(c)) {
            let bucket = ranking.place(score[cell]) as usize;
            ranking.below[bucket.min(Self::BUCKETS - 1) + 1] += grid.area_m2(cell);
        }
        let mut sum = 0.0;
        for area in &mut ranking.below {
            sum += *area;
            *area = sum;
        }
        ranking.below.iter_mut().for_each(|area| *area /= sum.max(f64::MIN_POSITIVE));
        ranking
    }

    /// Where a score lies, in buckets.
    fn place(&self, score: f32) -> f64 {
        ((f64::from(score) - f64::from(self.low)) * self.per_unit).clamp(0.0, Self::BUCKETS as f64)
    }

    /// The share (0 to 1) of the area whose score is lower; rises evenly within a bucket.
    pub fn share_below(&self, score: f32) -> f64 {
        let place = self.place(score);
        let bucket = (place as usize).min(Self::BUCKETS - 1);
        let (low, high) = (self.below[bucket], self.below[bucket + 1]);
        low + (high - low) * (place - bucket as f64)
    }

    /// The score below which a share of the area lies.
    pub fn score_at(&self, share: f64) -> f32 {
        let after = self.below.partition_point(|&b| b < share).clamp(1, Self::BUCKETS);
        let (low, high) = (self.below[after - 1], self.below[after]);
        let t = if high > low { ((share - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        (f64::from(self.low) + ((after - 1) as f64 + t) / self.per_unit) as f32
    }
}

/// Reads a curve given by points of rising x, straight between them and level beyond.
pub(crate) fn curve(points: &[(f64, f64)], x: f64) -> f64 {
    let after = points.partition_point(|p| p.0 <= x);
    match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
        (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0),
        (Some(end), None) | (None, Some(&end)) => end.1,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Globe;

    #[test]
    fn ranks_are_those_of_a_sort() {
        let grid = Topology::Globe(Globe::new(24, 6.371e6).expect("a small globe"));
        let mut draw = grid::Seed(5).key(grid::Purpose::new("test")).at(grid::Nth(0));
        let values = grid.cells().map(|_| draw.normal() as f32).collect();
        let score = Field::from_vec(grid.shape(), values).expect("one for each cell");
        let chosen = |c: Cell| !c.0.is_multiple_of(3);
        let ranking = Ranking::of(&grid, &score, chosen);
        let mut cells: Vec<Cell> = grid.cells().filter(|&c| chosen(c)).collect();
        cells.sort_by(|&a, &b| score[a].total_cmp(&score[b]));
        let total: f64 = cells.iter().map(|&c| grid.area_m2(c)).sum();
        let mut below = 0.0;
        for cell in cells {
            let own = grid.area_m2(cell) / total;
            let rank = ranking.share_below(score[cell]);
            // a bucket where cells are densest holds a tenth of a cell
            assert!(rank > below - 4.0 * own && rank < below + 4.0 * own, "{rank} {below}");
            below += own;
            assert!((ranking.score_at(rank) - score[cell]).abs() < 1e-3);
        }
    }

    #[test]
    fn curves_are_level_beyond_their_ends() {
        let points = [(0.0, 1.0), (1.0, 3.0), (2.0, 3.0)];
        let read: Vec<f64> = [-1.0, 0.0, 0.5, 1.0, 1.5, 7.0].map(|x| curve(&points, x)).into();
        assert_eq!(read, [1.0, 1.0, 2.0, 3.0, 3.0, 3.0]);
    }
}
