//! Arms of the sea that are rivers.
//!
//! A raster of heights holds the wide lower end of a river at the sea's level or below it, so that the sea seems to
//! reach far inland. What an opening of the sea takes away, that is what lies in no disc of water as wide as
//! `import.estuary_km` nor as near to water deeper than 20 m, is such an arm if it meets the sea that is left at one place
//! only. With two it is a strait, and with none a water too narrow everywhere to have an open part; both stay sea, and so
//! do fjords, which are deep.
//!
//! Source of the opening: J. Serra, "Image Analysis and Mathematical Morphology", 1982.

use crate::given::spread::Spread;
use grid::{Cell, Field, Grid};

/// No river is deeper than this at its lower end, in metres.
const DEEP_M: f64 = 20.0;

/// Belongs to no arm.
const NONE: u32 = u32::MAX;

/// One for each sample: whether it lies in a shallow arm of the sea narrower than `width_m`. `height_m`: not a number where
/// nothing is known. Cost: three passes over the raster.
pub(super) fn arms(grid: &impl Grid, height_m: &[f32], is_sea: &[bool], width_m: f64) -> Vec<bool> {
    let sea = |c: Cell| is_sea[c.index()];
    let deep = |c: Cell| height_m[c.index()].is_nan() || f64::from(height_m[c.index()]) < -DEEP_M;
    let open = opened(grid, &sea, &deep, 0.5 * width_m);
    let narrow = |c: Cell| sea(c) && !open[c.index()];
    let mut arm = vec![false; is_sea.len()];
    let mut of = Field::filled(grid.shape(), NONE);
    for (start, number) in grid.cells().filter(|&c| narrow(c)).zip(0..) {
        if of[start] != NONE {
            continue;
        }
        of[start] = number;
        let cells = together(grid, start, |n| narrow(n) && std::mem::replace(&mut of[n], number) == NONE);
        if is_one_place(grid, &cells, |c| sea(c) && open[c.index()]) {
            cells.iter().for_each(|c| arm[c.index()] = true);
        }
    }
    arm
}

/// The sea that lies in discs of a radius or as near to deep water.
fn opened(
    grid: &impl Grid,
    sea: &dyn Fn(Cell) -> bool,
    deep: &dyn Fn(Cell) -> bool,
    radius_m: f64,
) -> Vec<bool> {
    let mut from_land = Spread::new(grid);
    let is_shore = |c: Cell| !sea(c) && grid.neighbors(c).any(|(_, n)| sea(n));
    grid.cells().filter(|&c| is_shore(c)).for_each(|c| from_land.start(c));
    while from_land.next(grid, radius_m).is_some() {}
    let is_middle = |c: Cell| sea(c) && (deep(c) || from_land.way_m[c] == u32::MAX);
    let mut from_middles = Spread::new(grid);
    let is_rim = |c: Cell| is_middle(c) && grid.neighbors(c).any(|(_, n)| !is_middle(n));
    grid.cells().filter(|&c| is_rim(c)).for_each(|c| from_middles.start(c));
    while from_middles.next(grid, radius_m).is_some() {}
    grid.cells().map(|c| is_middle(c) || sea(c) && from_middles.way_m[c] != u32::MAX).collect()
}

/// A cell and all that hang together with it; `take` tells once of each whether it does.
fn together(grid: &impl Grid, start: Cell, mut take: impl FnMut(Cell) -> bool) -> Vec<Cell> {
    let mut cells = vec![start];
    let mut next = 0;
    while let Some(&cell) = cells.get(next) {
        next += 1;
        cells.extend(grid.neighbors(cell).map(|(_, n)| n).filter(|&n| take(n)));
    }
    cells
}

/// Whether all cells of a kind beside these hang together, and there are any.
fn is_one_place(grid: &impl Grid, cells: &[Cell], is_kind: impl Fn(Cell) -> bool) -> bool {
    let beside = cells.iter().flat_map(|&c| grid.neighbors(c).map(|(_, n)| n));
    let mut left: Vec<Cell> = beside.filter(|&n| is_kind(n)).collect();
    left.sort_unstable();
    left.dedup();
    let Some(start) = left.pop() else { return false };
    let mut has = vec![true; left.len()];
    let count = together(grid, start, |n| match left.binary_search(&n) {
        Ok(at) => std::mem::replace(&mut has[at], false),
        Err(_) => false,
    });
    count.len() == left.len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::Flat;

    /// Which samples of a picture, in cells of 10 km, are arms: `~` shallow, `-` deep, `#` land.
    fn drawn(rows: &[&str], width_km: f64) -> Vec<String> {
        let grid = Flat::new(rows[0].len() as u32, rows.len() as u32, 10_000.0).expect("a map");
        let signs: Vec<u8> = rows.iter().flat_map(|r| r.bytes()).collect();
        let height: Vec<f32> = signs.iter().map(|&s| if s == b'-' { -100.0 } else { -5.0 }).collect();
        let is_sea: Vec<bool> = signs.iter().map(|&s| s != b'#').collect();
        let arms = arms(&grid, &height, &is_sea, width_km * 1000.0);
        let shown: Vec<u8> = signs.iter().zip(arms).map(|(&s, arm)| if arm { b'=' } else { s }).collect();
        shown.chunks(rows[0].len()).map(|r| String::from_utf8_lossy(r).into_owned()).collect()
    }

    #[test]
    fn a_narrow_arm_that_ends_in_the_land_is_a_river() {
        let rows = ["~~~~~#####", "~~~~~#####", "~~~~~~~~~#", "~~~~~#####", "~~~~~#####"];
        let found = drawn(&rows, 40.0);
        assert!(found[2].ends_with("===#") && found[2].starts_with("~~~~"), "{found:?}");
        assert!(drawn(&rows, 0.0).concat() == rows.concat(), "a width of 0 leaves all as it is");
    }

    #[test]
    fn straits_and_deep_arms_stay_sea() {
        let strait = ["~~~~~###~~~~~", "~~~~~###~~~~~", "~~~~~~~~~~~~~", "~~~~~###~~~~~", "~~~~~###~~~~~"];
        assert_eq!(drawn(&strait, 40.0).concat(), strait.concat());
        let fjord = ["~~~~~#####", "~~~~~#####", "~~~~-----#", "~~~~~#####", "~~~~~#####"];
        assert_eq!(drawn(&fjord, 40.0).concat(), fjord.concat());
    }
}
