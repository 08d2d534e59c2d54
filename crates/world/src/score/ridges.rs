//! Ridge lines: how long they are, how often they meet, how many lie side by side.

use super::survey::Survey;
use crate::fields::position_m;
use grid::{Cell, Direction, Field, Grid, RidgeDirections, Table, Topology, Vec3};

/// Only every so many-th place along lines is asked what lies beside it.
const EVERY: usize = 5;
/// A belt of mountains at least this wide, in metres, has room for lines side by side.
const WIDE_M: f64 = 150_000.0;
/// A walk across a belt goes no farther than this to either side, in metres.
const FAR_M: f64 = 1_500_000.0;
/// Steps of such a walk to a cell.
const STEPS_A_CELL: f64 = 4.0;

/// What the ridge lines of a world are like. A line runs from an end or a junction to the next, or in a ring.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RidgeStatistics {
    /// Cells on a line.
    pub cells: usize,
    /// Of these, cells with less mountain than the recipe's least height: ridges in flat land.
    pub flat_cells: usize,
    /// Number of lines.
    pub lines: usize,
    /// Length of all lines in km, from cell to cell.
    pub total_km: f64,
    /// Mean length of a line in km; 0 without lines, as below.
    pub mean_km: f64,
    /// Median length of a line in km.
    pub median_km: f64,
    /// Length of the longest line in km.
    pub longest_km: f64,
    /// Cells where three lines or more meet.
    pub junctions: usize,
    /// Junctions for 1000 km of line.
    pub junctions_per_1000_km: f64,
    /// Lines met on a walk straight across a belt of mountains of 150 km or more, its own included: lower decile, median
    /// and upper decile over places along the lines. `None` if no belt is that wide.
    pub abreast: Option<[u32; 3]>,
    /// Places where a river crosses a line, if the world has a table of them.
    pub crossings: Option<usize>,
}

/// Measures the ridge lines. Cost: linear, and some hundred steps for a fifth of the cells on lines.
pub(super) fn measure(survey: &Survey) -> RidgeStatistics {
    let world = survey.world;
    let is_ridge = |&c: &Cell| world.ridge_directions[c] != 0;
    let least_m = world.recipe.mountains.min_height_m as f32;
    let mut km: Vec<f64> = lengths_m(survey).into_iter().map(|m| m / 1000.0).collect();
    km.sort_unstable_by(f64::total_cmp);
    let total_km: f64 = km.iter().sum();
    let junctions = survey.cells().filter(|&c| ways(survey, c).count() >= 3).count();
    let per = |sum: f64, number: f64| if number > 0.0 { sum / number } else { 0.0 };
    RidgeStatistics {
        cells: survey.cells().filter(is_ridge).count(),
        flat_cells: survey.cells().filter(is_ridge).filter(|&c| world.mountain_height_m[c] < least_m).count(),
        lines: km.len(),
        total_km,
        mean_km: per(total_km, km.len() as f64),
        median_km: km.get(km.len() / 2).copied().unwrap_or(0.0),
        longest_km: km.last().copied().unwrap_or(0.0),
        junctions,
        junctions_per_1000_km: per(1000.0 * junctions as f64, total_km),
        abreast: abreast(survey),
        crossings: world.tables.iter().find(|t| t.name == "crossings").map(Table::rows),
    }
}

/// The directions in which lines leave a cell, those without a cell behind them left out.
fn ways(survey: &Survey, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> {
    let bits = RidgeDirections::from_bits_retain(survey.world.ridge_directions[cell]);
    let grid = survey.grid();
    Direction::ALL
        .into_iter()
        .filter(move |&d| bits.has(d))
        .filter_map(move |d| Some((d, grid.neighbor(cell, d)?)))
}

/// Length of every line in metres: those between ends and junctions first, then the rings.
fn lengths_m(survey: &Survey) -> Vec<f64> {
    let mut passed = Field::filled(survey.grid().shape(), 0u8);
    let mut lengths = Vec::new();
    let mut follow = |from: &dyn Fn(usize) -> bool| {
        for cell in survey.cells().filter(|&c| survey.world.ridge_directions[c] != 0) {
            if from(ways(survey, cell).count()) {
                for (direction, _) in ways(survey, cell) {
                    lengths.extend(walk_m(survey, &mut passed, cell, direction));
                }
            }
        }
    };
    follow(&|ways| ways != 2);
    follow(&|_| true);
    lengths
}

/// Walks along a line until it ends, meets others, or has come round. `None` if it was walked before.
fn walk_m(survey: &Survey, passed: &mut Field<u8>, start: Cell, direction: Direction) -> Option<f64> {
    let grid = survey.grid();
    let (mut cell, mut direction, mut length_m) = (start, direction, 0.0);
    while passed[cell] & (1 << direction as u8) == 0 {
        let step = grid.step(cell, direction)?;
        passed[cell] |= 1 << direction as u8;
        passed[step.cell] |= 1 << step.back as u8;
        length_m += grid.cell_distance_m(cell, step.cell);
        cell = step.cell;
        let mut onward = ways(survey, cell).filter(|w| w.0 != step.back);
        match (onward.next(), onward.next()) {
            (Some((next, _)), None) => direction = next,
            _ => break,
        }
    }
    (length_m > 0.0).then_some(length_m)
}

/// Deciles and median of the number of lines abreast in wide belts.
fn abreast(survey: &Survey) -> Option<[u32; 3]> {
    let mut counts: Vec<u32> = survey
        .cells()
        .filter(|&c| survey.world.ridge_directions[c] != 0)
        .step_by(EVERY)
        .filter_map(|cell| lines_across(survey, cell))
        .collect();
    counts.sort_unstable();
    let at = |share: f64| counts.get((share * counts.len() as f64) as usize).copied();
    Some([at(0.1)?, at(0.5)?, at(0.9)?])
}

/// Lines met straight across the belt at a place along a line; `None` at ends and junctions, and in narrow belts.
fn lines_across(survey: &Survey, cell: Cell) -> Option<u32> {
    let grid = survey.grid();
    let both: Vec<Cell> = ways(survey, cell).map(|w| w.1).collect();
    let [a, b] = both[..] else { return None };
    let along = position_m(grid, b) - position_m(grid, a);
    let up = match grid {
        Topology::Globe(_) => grid.center(cell),
        Topology::Flat(_) => Vec3::new(0.0, 0.0, 1.0),
    };
    let across = up.cross(along).normalized();
    let (left, left_m) = side(survey, cell, across);
    let (right, right_m) = side(survey, cell, -across);
    (left_m + right_m >= WIDE_M).then_some(1 + left + right)
}

/// Lines met on one side until the mountains end, and how far that is.
fn side(survey: &Survey, start: Cell, across: Vec3) -> (u32, f64) {
    let (grid, world) = (survey.grid(), survey.world);
    let least_m = world.recipe.mountains.min_height_m as f32;
    let step_m = grid.cell_m() / STEPS_A_CELL;
    let origin = position_m(grid, start);
    let (mut lines, mut on_line, mut far_m) = (0, true, 0.0);
    while far_m < FAR_M {
        // a straight line in space, brought back to the surface: a great circle on a globe
        let there = (origin + across * far_m) / grid.metres_per_unit();
        let place = if matches!(grid, Topology::Globe(_)) { there.normalized() } else { there };
        let Some(cell) = grid.locate(place).filter(|&c| world.mountain_height_m[c] >= least_m) else { break };
        let ridge = world.ridge_directions[cell] != 0;
        lines += u32::from(ridge && !on_line);
        on_line = ridge;
        far_m += step_m;
    }
    (lines, far_m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Recipe, World, simulate};

    const COLS: u32 = 40;

    /// A flat map of mountains without lines, of 40 columns of cells of some km.
    fn plateau() -> World {
        let mut recipe = Recipe::preset("island").expect("built in");
        recipe.grid.cells = COLS;
        let mut world = simulate(&recipe, &|_, _| {}).expect("the recipe is sound");
        world.ridge_directions = Field::filled(world.grid.shape(), 0);
        world.mountain_height_m = Field::filled(world.grid.shape(), 1000.0);
        world
    }

    /// Draws a line from a row and column in a direction.
    fn draw(world: &mut World, (row, col): (u32, u32), direction: Direction, steps: usize) {
        let mut cell = world.grid.shape().join(0, row, col);
        for _ in 0..steps {
            let step = world.grid.step(cell, direction).expect("inside the map");
            world.ridge_directions[cell] |= 1 << direction as u8;
            world.ridge_directions[step.cell] |= 1 << step.back as u8;
            cell = step.cell;
        }
    }

    fn measured(world: &World) -> RidgeStatistics {
        measure(&Survey::new(world).expect("a world of this program"))
    }

    #[test]
    fn lines_end_where_they_meet() {
        let mut world = plateau();
        let km = world.grid.cell_m() / 1000.0;
        // a trunk of 10 steps with a branch of 4 in its middle, a line alone, and a ring of four diagonals
        draw(&mut world, (10, 5), Direction::E, 10);
        draw(&mut world, (10, 10), Direction::S, 4);
        draw(&mut world, (20, 5), Direction::NE, 3);
        for (start, direction) in [
            ((20, 20), Direction::NE),
            ((19, 21), Direction::SE),
            ((20, 22), Direction::SW),
            ((21, 21), Direction::NW),
        ] {
            draw(&mut world, start, direction, 1);
        }
        let lines = measured(&world);
        let diagonal = 2f64.sqrt();
        let lengths = [5.0, 5.0, 4.0, 3.0 * diagonal, 4.0 * diagonal].map(|l| l * km);
        assert_eq!((lines.lines, lines.junctions, lines.flat_cells), (5, 1, 0));
        assert_eq!(lines.cells, 11 + 4 + 4 + 4);
        let total: f64 = lengths.iter().sum();
        assert!((lines.total_km - total).abs() < 1e-9 * total, "{lines:?}");
        assert!((lines.mean_km - total / 5.0).abs() < 1e-9 * total);
        assert!((lines.median_km - 5.0 * km).abs() < 1e-9 * total);
        assert!((lines.longest_km - 4.0 * diagonal * km).abs() < 1e-9 * total);
        assert!((lines.junctions_per_1000_km - 1000.0 / total).abs() < 1e-12);
    }

    #[test]
    fn lines_abreast_are_counted_to_the_end_of_the_mountains() {
        let mut world = plateau();
        for row in [8, 12, 16, 26] {
            draw(&mut world, (row, 2), Direction::E, 30);
        }
        // a valley between the third line and the fourth
        for col in 0..COLS {
            for row in 20..22 {
                let cell = world.grid.shape().join(0, row, col);
                world.mountain_height_m[cell] = 0.0;
            }
        }
        assert_eq!(measured(&world).abreast, Some([1, 3, 3]));
        world.mountain_height_m = Field::filled(world.grid.shape(), 0.0);
        let flat = measured(&world);
        assert_eq!((flat.abreast, flat.flat_cells), (None, flat.cells));
    }

    #[test]
    fn a_world_without_lines_has_none() {
        let none = measured(&plateau());
        assert_eq!((none.lines, none.cells, none.abreast), (0, 0, None));
        assert_eq!((none.mean_km, none.median_km, none.junctions_per_1000_km), (0.0, 0.0, 0.0));
    }
}
