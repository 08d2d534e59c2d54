//! What several stages do with fields: positions in metres, ranks by area, rounding.

use grid::{Cell, Direction, Field, Grid, Topology, Vec3, math};
use rayon::prelude::*;

/// Position of a cell's centre in metres: on the sphere of a globe, or on the plane of a flat map.
pub(crate) fn position_m(grid: &Topology, cell: Cell) -> Vec3 {
    grid.center(cell) * grid.metres_per_unit()
}

/// Rounds to a multiple of `step`, a power of two, so that files compress and values stay exact in `f32`.
pub(crate) fn quantise(value: f64, step: f64) -> f32 {
    ((value / step).round() * step) as f32
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

/// For each chosen cell the share (0 to 1) of the chosen area whose score is lower; `None` elsewhere.
///
/// Equal scores are ordered by address. Cost: a sort of the chosen cells.
pub(crate) fn rank_by_area(
    grid: &Topology,
    score: &Field<f32>,
    chosen: impl Fn(Cell) -> bool,
) -> Field<Option<f32>> {
    let mut cells: Vec<Cell> = grid.cells().filter(|&c| chosen(c)).collect();
    cells.par_sort_unstable_by(|&a, &b| score[a].total_cmp(&score[b]).then(a.cmp(&b)));
    let total: f64 = cells.iter().map(|&c| grid.area_m2(c)).sum();
    let mut rank = Field::filled(grid.shape(), None);
    let mut below = 0.0;
    for &cell in &cells {
        let area = grid.area_m2(cell);
        rank[cell] = Some(((below + 0.5 * area) / total) as f32);
        below += area;
    }
    rank
}

/// The score above which the given share of the area lies. Cost: a sort of all cells.
pub(crate) fn threshold_for_share(grid: &Topology, score: &Field<f32>, share: f64) -> f32 {
    let mut cells: Vec<Cell> = grid.cells().collect();
    cells.par_sort_unstable_by(|&a, &b| score[b].total_cmp(&score[a]).then(a.cmp(&b)));
    let total: f64 = grid.cells().map(|c| grid.area_m2(c)).sum();
    let mut above = 0.0;
    for &cell in &cells {
        above += grid.area_m2(cell);
        if above >= share * total {
            return score[cell];
        }
    }
    f32::NEG_INFINITY
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
    use grid::Flat;

    #[test]
    fn ranks_are_shares_of_area() {
        let grid = Topology::Flat(Flat::new(4, 1, 10.0).expect("a small map"));
        let score = Field::from_vec(grid.shape(), vec![3.0, 1.0, 9.0, 2.0]).expect("four cells");
        let rank = rank_by_area(&grid, &score, |c| c.0 != 2);
        let expected = [Some(5.0 / 6.0), Some(1.0 / 6.0), None, Some(0.5)];
        for (found, wanted) in rank.as_slice().iter().zip(expected) {
            assert_eq!(found.map(|r| (r * 6.0).round()), wanted.map(|r: f32| (r * 6.0).round()));
        }
        assert_eq!(threshold_for_share(&grid, &score, 0.5), 3.0);
    }

    #[test]
    fn curves_are_level_beyond_their_ends() {
        let points = [(0.0, 1.0), (1.0, 3.0), (2.0, 3.0)];
        let read: Vec<f64> = [-1.0, 0.0, 0.5, 1.0, 1.5, 7.0].map(|x| curve(&points, x)).into();
        assert_eq!(read, [1.0, 1.0, 2.0, 3.0, 3.0, 3.0]);
    }
}
