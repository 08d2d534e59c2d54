//! The rivers of a window, as water finds them on its heights alone.
//!
//! Depressions are filled and water leaves over the border (crate `hydro`). Networks follow the flood by which that is
//! found, to the lowest neighbour ([`Routing::Lowest`]), and areas count from inside the window only: so Earth's figures were
//! measured, and b is 0.02 to 0.05 greater of steepest descent. A in square kilometres, L the longest flow path to a sample in kilometres, n the number of samples:
//!
//! ```text
//! L ~ A^h                  over samples with A > 5                                        Hack (1957)
//! P(A' >= A) ~ A^-b        over samples, from 20 samples to a thirtieth of the largest A   Rodriguez-Iturbe et al. (1992)
//! S ~ A^-theta             S > 1e-5 the fall over five steps downstream, A >= 1; log S and log A averaged in fifths of
//!                          a decade that hold 20 samples, that of the largest A left out  Flint (1974)
//! N_w, L_w, A_w            streams of Strahler order w in the network with A >= 1          Horton (1945), Schumm (1956)
//! density                  length of all steps with A >= 1 over the area of the window
//! ```

use super::heights::Heights;
use grid::{Cell, Field, Flat, Grid, math};
use hydro::network::{longest_path_m, streams_above};
use hydro::statistics::{HortonRatios, drainage_density_per_m, horton_ratios, line, stream_orders};
use hydro::{Flood, Flow, Links, NONE, Outlets, border_outlets};

/// Drainage area at which channels begin, in square kilometres.
pub const CHANNEL_KM2: f64 = 1.0;
/// Hack's law is fitted above this area, in square kilometres.
const HACK_KM2: f64 = 5.0;
/// Samples of the least area to which the law of exceedance is fitted.
const EXCEEDANCE_SAMPLES: f64 = 20.0;
/// It breaks down near the largest area; the fit ends at this share of it.
const EXCEEDANCE_SHARE: f64 = 1.0 / 30.0;
/// Steps downstream over which a channel falls.
const SLOPE_STEPS: usize = 5;
/// Falls below this are levels of filled depressions.
const LEAST_SLOPE: f64 = 1e-5;
/// Bins of area to a decade, and samples that one must hold.
const BINS_A_DECADE: f64 = 5.0;
const LEAST_IN_BIN: usize = 20;
/// Bins that the law of slopes must go through.
const LEAST_BINS: usize = 4;
/// Streams of an order that Horton's ratios count.
const LEAST_STREAMS: usize = 4;

/// Where the water of a window goes.
#[derive(Clone, Debug)]
pub struct Water {
    grid: Flat,
    depth_m: Field<f32>,
    filled_m: Field<f32>,
    flow: Flow,
    area_km2: Field<f64>,
}

/// To which of its eight neighbours a sample's water goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// The one with the steepest way down; over flats towards their outlets.
    Steepest,
    /// The one that the flood from the border reached first: the lowest, be it straight or diagonal (Wang & Liu 2006). A
    /// sample of the border without a lower neighbour is an outlet; of equally low ones the first of the flood counts.
    Lowest,
}

/// How the channels of a window scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Networks {
    /// h of Hack's law.
    pub hack_exponent: Option<f64>,
    /// b of the law of exceedance.
    pub area_exceedance: Option<f64>,
    /// theta of the law of slopes.
    pub concavity: Option<f64>,
    /// Length of channels in km for each square kilometre.
    pub drainage_density_km_per_km2: f64,
    /// Ratios of streams of one order and the next.
    pub horton: Option<HortonRatios>,
}

impl Water {
    /// Fills and drains a window. Cost: nearly linear, for the lowest neighbour n log n.
    pub fn of(heights: &Heights, routing: Routing) -> Self {
        let grid = heights.grid().clone();
        let links = Links::all(&grid);
        let elevation = Field::from_vec(grid.shape(), heights.values_m().to_vec());
        let elevation = elevation.expect("a height for each cell");
        let (filled_m, receivers) = match routing {
            Routing::Steepest => {
                let outlets = Outlets::at_border(&grid, &links, &elevation);
                let filled_m = hydro::fill(&grid, &links, &elevation, &outlets);
                let receivers = hydro::directions(&grid, &links, &filled_m, &outlets);
                (filled_m, receivers)
            }
            Routing::Lowest => {
                let flood = hydro::flood(&grid, &links, &elevation, border_outlets(&grid));
                let receivers = to_lowest(&grid, &flood);
                (flood.filled, receivers)
            }
        };
        let depth_m = Field::from_fn(grid.shape(), |c| filled_m[c] - elevation[c]);
        let flow = Flow::from_receivers(&grid, receivers).expect("what was filled drains");
        let sample_km2 = grid.area_m2(Cell(0)) * 1e-6;
        let count = hydro::accumulate_cells(&grid, &flow.receiver).expect("a flow has no ring");
        let area_km2 = count.map(|&n| f64::from(n) * sample_km2);
        Self { grid, depth_m, filled_m, flow, area_km2 }
    }

    /// Share of the samples that lie in depressions, more than so many metres below the level of their spill.
    pub fn share_deeper_than(&self, depth_m: f32) -> f64 {
        let deep = self.depth_m.as_slice().iter().filter(|&&d| d > depth_m).count();
        deep as f64 / self.grid.len() as f64
    }

    /// The samples that drain at least so many square kilometres.
    pub fn channels(&self, least_km2: f64) -> Field<bool> {
        streams_above(&self.area_km2, least_km2)
    }

    /// The samples on the way of a sample's water, itself first.
    pub(super) fn downstream(&self, from: Cell) -> impl Iterator<Item = Cell> + '_ {
        std::iter::successors(Some(from), |&c| self.flow.receiver_of(&self.grid, c))
    }

    /// How the channels scale.
    pub fn networks(&self) -> Networks {
        let is_channel = self.channels(CHANNEL_KM2);
        let order = hydro::strahler(&self.grid, &self.flow, &is_channel);
        let area_m2 = self.area_km2.map(|a| a * 1e6);
        let orders = stream_orders(&self.grid, &self.flow, &order, &area_m2);
        let density = drainage_density_per_m(&self.grid, &self.flow, &area_m2, &is_channel);
        Networks {
            hack_exponent: self.hack(),
            area_exceedance: self.exceedance(),
            concavity: self.concavity(),
            drainage_density_km_per_km2: density * 1000.0,
            horton: horton_ratios(&orders, LEAST_STREAMS),
        }
    }

    fn hack(&self) -> Option<f64> {
        let path_m = longest_path_m(&self.grid, &self.flow, &self.area_km2);
        let nodes = path_m.as_slice().iter().zip(self.area_km2.as_slice());
        let large = nodes.filter(|&(&path, &area)| area > HACK_KM2 && path > 0.0);
        let points: Vec<_> = large.map(|(&path, &area)| (math::log(area), math::log(path))).collect();
        line(&points).map(|law| law.exponent)
    }

    fn exceedance(&self) -> Option<f64> {
        let mut areas = self.area_km2.as_slice().to_vec();
        areas.sort_unstable_by(|a, b| b.total_cmp(a));
        let least = EXCEEDANCE_SAMPLES * self.grid.area_m2(Cell(0)) * 1e-6;
        let most = areas[0] * EXCEEDANCE_SHARE;
        let ranked = (1..).map(f64::from).zip(&areas).filter(|&(_, &a)| a > least && a < most);
        let points: Vec<_> = ranked.map(|(rank, &a)| (math::log(a), math::log(rank))).collect();
        line(&points).map(|law| -law.exponent)
    }

    fn concavity(&self) -> Option<f64> {
        let mut bins: Vec<(f64, f64, usize)> = Vec::new();
        for cell in self.grid.cells().filter(|&c| self.area_km2[c] >= CHANNEL_KM2) {
            let area = math::log10(self.area_km2[cell]);
            if let Some(slope) = self.slope(cell).filter(|&s| s > LEAST_SLOPE) {
                let bin = (area * BINS_A_DECADE) as usize;
                bins.resize(bins.len().max(bin + 1), (0.0, 0.0, 0));
                let sum = &mut bins[bin];
                *sum = (sum.0 + area, sum.1 + math::log10(slope), sum.2 + 1);
            }
        }
        bins.pop(); // the end of one river, and not all of its decade's fifth
        let full = bins.into_iter().filter(|b| b.2 >= LEAST_IN_BIN);
        let points: Vec<_> = full.map(|(a, s, n)| (a / n as f64, s / n as f64)).collect();
        line(&points).filter(|law| law.points >= LEAST_BINS).map(|law| -law.exponent)
    }

    /// Fall of the filled surface over the next steps, fewer where the water leaves before; `None` where it leaves at once.
    fn slope(&self, from: Cell) -> Option<f64> {
        let (mut end, mut run_m) = (from, 0.0);
        for next in self.downstream(from).skip(1).take(SLOPE_STEPS) {
            run_m += self.grid.cell_distance_m(end, next);
            end = next;
        }
        let fall_m = f64::from(self.filled_m[from]) - f64::from(self.filled_m[end]);
        (run_m > 0.0).then(|| fall_m / run_m)
    }
}

/// The flood's parents; of samples of the border, where it began, their lowest neighbours, if these are lower.
///
/// There is no ring: a step of the border falls, a step to a parent does not rise and goes back in the order of the flood.
fn to_lowest(grid: &Flat, flood: &Flood) -> Field<u8> {
    let mut place = Field::filled(grid.shape(), 0u32);
    for (k, &cell) in (0..).zip(flood.order()) {
        place[cell] = k;
    }
    let before = |a: Cell, b: Cell| flood.filled[a].total_cmp(&flood.filled[b]).then(place[a].cmp(&place[b]));
    let lower = |cell: Cell| {
        let lower = grid.neighbors(cell).filter(|&(_, n)| flood.filled[n] < flood.filled[cell]);
        lower.min_by(|a, b| before(a.1, b.1)).map_or(NONE, |(direction, _)| direction as u8)
    };
    Field::from_fn(grid.shape(), |cell| match flood.parent[cell] {
        NONE => lower(cell),
        parent => parent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::tests::{fractal, made};
    use grid::{Nth, Purpose, Seed};

    #[test]
    fn a_hole_is_as_deep_as_it_is() {
        // a slope with a hole of 4 x 4 samples, 6 m under the lowest of its rim, which rises by 0.1 m a sample
        let hole = |x: f64, y: f64| (10.0..14.0).contains(&x) && (20.0..24.0).contains(&y);
        let ground = made(40, 40, 1.0, |x, y| if hole(x, y) { 0.9 - 6.0 } else { 0.1 * x });
        let water = Water::of(&ground, Routing::Steepest);
        assert_eq!(water.share_deeper_than(5.9), 16.0 / 1600.0);
        assert_eq!(water.share_deeper_than(6.1), 0.0);
        let slope = made(40, 40, 1.0, |x, _| 0.1 * x);
        assert_eq!(Water::of(&slope, Routing::Lowest).share_deeper_than(0.01), 0.0);
    }

    /// A plane drains in straight lines: L = A / spacing, so Hack's exponent is 1 but for the sample's own length.
    #[test]
    fn a_plane_has_the_exponents_of_straight_lines() {
        let ground = made(1200, 20, 90.0, |x, _| 5000.0 - 0.01 * x);
        let networks = Water::of(&ground, Routing::Steepest).networks();
        assert!((networks.hack_exponent.expect("large areas") - 1.0).abs() < 2e-3, "{networks:?}");
        assert_eq!(networks.horton, None);
        // A = 1 km2 after 124 samples, in each row; the last sample has no step
        let km = 20.0 * f64::from(1200 - 124) * 0.09;
        let density = km / ground.area_km2();
        assert!(
            (networks.drainage_density_km_per_km2 - density).abs() < 1e-3 * density,
            "{networks:?} {density}"
        );
    }

    /// One valley whose bed falls with the power 0.4 of the area that has gathered.
    #[test]
    fn a_valley_has_the_concavity_it_was_made_with() {
        let (length, half) = (600, 40);
        let side = 2 * half + 1;
        // the valley gathers the same from each row
        let mut bed = vec![0.0; length + 1];
        for row in (0..length).rev() {
            let km2 = (row + 1) as f64 * side as f64 * 0.0081;
            bed[row] = bed[row + 1] + 0.05 * math::pow(km2, -0.4) * 90.0;
        }
        let ground =
            made(side, length, 90.0, |x, y| bed[(y / 90.0) as usize] + 2.0 * (x - half as f64 * 90.0).abs());
        let theta = Water::of(&ground, Routing::Steepest).networks().concavity.expect("many channels");
        assert!((theta - 0.4).abs() < 0.02, "{theta}");
    }

    #[test]
    fn exceedance_is_that_of_the_sorted_areas() {
        let water = Water::of(&fractal(5, 128, 3.0), Routing::Lowest);
        let b = water.exceedance().expect("large enough");
        // the same slope between two areas, by counting
        let count = |samples: f64| {
            let km2 = samples * 0.0081;
            water.area_km2.as_slice().iter().filter(|&&a| a >= km2).count() as f64
        };
        let by_hand = -math::log(count(160.0) / count(20.0)) / math::log(8.0);
        assert!((b - by_hand).abs() < 0.06, "{b} {by_hand}");
    }
    /// Every sample with a lower neighbour on the filled surface drains to the lowest, and none uphill.
    #[test]
    fn water_goes_to_the_lowest_neighbour() {
        for case in 0..500 {
            let mut draw = Seed(case).key(Purpose::new("test/lowest")).at(Nth(0));
            let (columns, rows) = (3 + draw.below(7) as usize, 3 + draw.below(7) as usize);
            let levels = 2 + draw.below(40);
            let values = (0..columns * rows).map(|_| draw.below(levels) as f32).collect();
            let heights = Heights::new(values, columns, 90.0).expect("a small one");
            let water = Water::of(&heights, Routing::Lowest);
            let z = &water.filled_m;
            for cell in water.grid.cells() {
                let least = water.grid.neighbors(cell).map(|(_, n)| z[n]).fold(f32::MAX, f32::min);
                match water.flow.receiver_of(&water.grid, cell) {
                    Some(below) => assert!(z[below] == least && least <= z[cell], "case {case}: {cell:?}"),
                    None => assert!(water.grid.at_border(cell) && least >= z[cell], "case {case}: {cell:?}"),
                }
            }
        }
    }
}
