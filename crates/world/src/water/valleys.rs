//! Valleys: what rivers have cut out of the mountain-free map.
//!
//! Along a river of discharge Q (m3/s) the ground becomes as steep as the ground beside a river that has had the time to
//! grade itself, as far as it is high enough, and as far as the river had the power to cut:
//!
//! ```text
//! graded = surface below + 0.0075 Q^-0.44 way        0.13 m/km at 10 000 m3/s, 4 m/km at 5
//! most   = max(Q^0.5, cut below e^(-way / 25 km))    100 m at 10 000 m3/s
//! z'     = max(z - most, min(z, max(graded, 3)))     way and heights in m
//! ```
//!
//! The exponent is that of the slope at which rivers turn from meandering to braided (Leopold & Wolman 1957: 0.0125 Q^-0.44,
//! Q the bankfull discharge); the factor is less, and the river's own surface lies at half the ground's height in the end, so
//! that 100 km from the sea a great river stands at some 5 m, as on Earth. What a river has cut, the ends of its
//! tributaries follow, less and less on the way up. How deep a river may cut is ours, a guess.
//!
//! So no ground rises above what it was, none comes to lie below the ground that its water goes to, and no hollow is made.
//! Lakes keep their floors, but their sills are cut as any other ground: they stand lower, and the
//! shallower of them are gone. Neglects: uplift, hard rock, sediment.

use super::Routed;
use crate::fields::quantise;
use crate::given::rivers;
use crate::state::NO_LAKE;
use grid::{Cell, Field, Grid, Topology, math};

/// Slope of the ground along a river of 1 m3/s.
const SLOPE: f64 = 0.0075;
/// Exponent of discharge in that slope.
const SLOPE_EXPONENT: f64 = -0.44;
/// Rivers of less (m3/s) fall as steeply as one of this.
const LEAST_M3_S: f64 = 0.01;
/// How deep a river of 1 m3/s has cut at most, in metres.
const DEEP_M: f64 = 1.0;
/// Over this way up a tributary a cut fades to 1/e, in metres.
const FADE_M: f64 = 25e3;
/// No ground is cut to below this, in metres above the sea.
const LEAST_M: f64 = 3.0;

/// The ground that rivers leave of what they run over, in metres; `depth` multiplies how deep they may cut. Cost: one pass.
pub(super) fn cut(grid: &Topology, land: &Field<f32>, routed: &Routed, depth: f64) -> Field<f32> {
    let Routed { flow, lake, charges, .. } = routed;
    let mut ground_m = routed.base_elevation_m.clone();
    let mut surface_m = routed.water_level_m.clone();
    let mut gone_m = Field::filled(grid.shape(), 0.0);
    // from the mouths up
    for &cell in flow.order().iter().filter(|&&c| land[c] > 0.0 && lake[c] == NO_LAKE) {
        let Some(below) = flow.receiver_of(grid, cell) else { continue };
        let apart_m = grid.cell_distance_m(cell, below);
        // the shore is half way to a cell of the sea
        let way_m = if land[below] > 0.0 { apart_m } else { 0.5 * apart_m };
        let discharge_m3_s = charges.discharge_m3_s[cell].max(LEAST_M3_S);
        let graded_m =
            f64::from(surface_m[below]) + SLOPE * math::pow(discharge_m3_s, SLOPE_EXPONENT) * way_m;
        let most_m =
            f64::max(depth * DEEP_M * discharge_m3_s.sqrt(), gone_m[below] * math::exp(-apart_m / FADE_M));
        let was_m = f64::from(ground_m[cell]);
        let is_m = quantise((was_m - most_m).max(graded_m.max(LEAST_M)).min(was_m), 0.125);
        gone_m[cell] = was_m - f64::from(is_m);
        (ground_m[cell], surface_m[cell]) = (is_m, is_m);
    }
    ground_m
}

/// Lays rivers into ground (metres) that was cut beside them, where they ran before, from the first of the cells that are given on.
pub(super) fn keep(
    grid: &Topology,
    land: &Field<f32>,
    ground_m: &mut Field<f32>,
    (routed, given): (&Routed, &[Vec<Cell>]),
) {
    let is_dry = |c: &Cell| land[*c] > 0.0 && routed.lake[*c] == NO_LAKE;
    let way =
        |head: &Cell| std::iter::successors(Some(*head), |&c| routed.flow.receiver_of(grid, c)).collect();
    let ways: Vec<Vec<Cell>> = given.iter().filter_map(|river| river.first().map(way)).collect();
    let dry: Vec<Vec<Cell>> = ways
        .iter()
        .flat_map(|way| way.split(|c| !is_dry(c)))
        .filter(|run| !run.is_empty())
        .map(<[Cell]>::to_vec)
        .collect();
    rivers::keep(grid, land, ground_m, &dry);
}

#[cfg(test)]
mod tests {
    use super::super::Charges;
    use super::*;
    use grid::{Direction, Draw, Flat, Nth, Purpose, Seed};
    use hydro::{Flow, Links};

    /// What runs over a ground without lakes, with a discharge for each cell.
    fn routed(grid: &Topology, ground_m: &Field<f32>, discharge_m3_s: Field<f64>, flow: Flow) -> Routed {
        let none = Field::filled(grid.shape(), 0.0);
        Routed {
            base_elevation_m: ground_m.clone(),
            water_level_m: ground_m.clone(),
            flow,
            lake: Field::filled(grid.shape(), NO_LAKE),
            lakes: Vec::new(),
            charges: Charges { runoff_m3_s: none.clone(), discharge_m3_s },
            demand_m3_s: none,
        }
    }

    /// A river of 400 m3/s on a plane that rises by 2 m a kilometre from a sea in the first column.
    #[test]
    fn a_river_on_a_plane_grades_itself() {
        let (cell_m, cols) = (5000.0, 40);
        let grid = Topology::Flat(Flat::new(cols, 3, cell_m).unwrap());
        let column = |c: Cell| f64::from(grid.shape().split(c).2);
        let plane = |c: Cell| 2.0 * 5.0 * (column(c) - 0.5);
        let ground_m = Field::from_fn(grid.shape(), |c| plane(c) as f32);
        let land = Field::from_fn(grid.shape(), |c| if column(c) > 0.0 { 1.0 } else { -1.0 });
        let west = |c: Cell| if column(c) > 0.0 { Direction::W.index() as u8 } else { hydro::NONE };
        let flow = Flow::from_receivers(&grid, Field::from_fn(grid.shape(), west)).unwrap();
        let routed = routed(&grid, &ground_m, Field::filled(grid.shape(), 400.0), flow);
        let cut_m = cut(&grid, &land, &routed, 1.0);
        // 0.0075 / 400^0.44 = 0.000537: the plane is left where 20 m have been cut
        let mut graded = 0;
        for cell in grid.cells().filter(|&c| column(c) > 0.0) {
            let slope = 0.0075 / math::pow(400.0, 0.44);
            let way_m = cell_m * (column(cell) - 0.5);
            // from the least height on, where the slope comes to it
            let first_m = (slope * 0.5 * cell_m).max(3.0);
            let expected = (first_m + slope * (way_m - 0.5 * cell_m)).clamp(plane(cell) - 20.0, plane(cell));
            let off_m = (f64::from(cut_m[cell]) - expected).abs();
            assert!(off_m <= 0.0625 * column(cell), "{}: {} for {expected}", column(cell), cut_m[cell]);
            graded += usize::from(expected > plane(cell) - 20.0);
        }
        assert!((3..=12).contains(&graded), "{graded} cells are graded");
        assert_eq!(cut(&grid, &land, &routed, 0.0), ground_m, "without depth nothing is cut");
    }

    /// Over random ground: none rises, none comes below what its water goes to, none is cut deeper than the greatest river
    /// below could, nor below the least height.
    #[test]
    fn cuts_keep_the_ways_of_the_water() {
        let grid = Topology::Flat(Flat::new(40, 30, 8000.0).unwrap());
        for number in 0..200 {
            let mut draw: Draw = Seed(5).key(Purpose::new("test/valleys")).at(Nth(number));
            let (tilt, rough) = (draw.range(0.0, 20.0), draw.range(1.0, 200.0));
            let rise = |c: Cell| f64::from(grid.shape().split(c).2) * tilt;
            let mut ground_m = Field::filled(grid.shape(), 0.0);
            grid.cells().for_each(|c| ground_m[c] = quantise(rise(c) + draw.range(0.0, rough), 0.125));
            let land = Field::from_fn(grid.shape(), |c| if ground_m[c] > 5.0 { 1.0 } else { -1.0 });
            let links = Links::planar(&grid, &ground_m);
            let flood = hydro::flood(&grid, &links, &ground_m, |c| land[c] <= 0.0 || grid.at_border(c));
            let ground_m =
                Field::from_fn(grid.shape(), |c| if land[c] > 0.0 { flood.filled[c] } else { 0.0 });
            let flow = Flow::from_receivers(&grid, hydro::receivers(&grid, &links, &flood)).unwrap();
            let own_m3_s = draw.range(0.1, 100.0);
            let discharge = hydro::accumulate(&grid, &flow, &Field::filled(grid.shape(), own_m3_s));
            let routed = routed(&grid, &ground_m, discharge, flow);
            let cut_m = cut(&grid, &land, &routed, 1.0);
            for cell in grid.cells().filter(|&c| land[c] > 0.0) {
                let (was_m, is_m) = (ground_m[cell], cut_m[cell]);
                assert!(is_m <= was_m && (is_m >= 3.0 || is_m == was_m), "{cell:?}: {was_m} m to {is_m} m");
                let mut greatest_m3_s = routed.charges.discharge_m3_s[cell];
                let mut at = cell;
                while let Some(below) = routed.flow.receiver_of(&grid, at).filter(|&b| land[b] > 0.0) {
                    assert!(at != cell || is_m >= cut_m[below], "{cell:?} lies below {below:?}");
                    greatest_m3_s = greatest_m3_s.max(routed.charges.discharge_m3_s[below]);
                    at = below;
                }
                assert!(f64::from(was_m - is_m) <= greatest_m3_s.sqrt() + 0.0625, "{cell:?} is cut too deep");
            }
        }
    }
}
