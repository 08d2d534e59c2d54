//! Rivers: the network of reaches, the main stems that people call rivers, and their outlets.
//!
//! A cell carries a river where its mean discharge reaches the recipe's threshold. A reach runs from a head or
//! junction to the next one; its width follows from its discharge (w = 7.2 Q^0.5), its sinuosity from its
//! course and slope. Each mouth has an outlet: what the river carries there, and what it ends in.

mod basins;
mod course;
pub mod outlets;
mod tables;

pub use basins::basins_of;
pub use outlets::{Outlet, OutletKind};
pub(crate) use tables::read_outlets;

use crate::recipe::WaterParams;
use crate::state::NO_LAKE;
use grid::{Cell, Field, Grid, Seed, Topology, math};
use hydro::{Flow, Reach};

/// Width of a river in metres from its mean discharge in m3/s (Leopold & Maddock 1953; the factor of Andreadis
/// et al. 2013).
pub fn channel_width_m(discharge_m3_s: f64) -> f64 {
    WIDTH * discharge_m3_s.max(0.0).sqrt()
}

/// Mean discharge in m3/s of a river of a width in metres: the inverse of [`channel_width_m`].
pub fn channel_discharge_m3_s(width_m: f64) -> f64 {
    (width_m / WIDTH) * (width_m / WIDTH)
}

/// Width of a river of 1 m3/s in metres.
const WIDTH: f64 = 7.2;

/// Depth of a river in metres from its mean discharge in m3/s (exponent: Leopold & Maddock 1953; factor: Andreadis
/// et al. 2013, whose own exponent is smaller).
pub fn channel_depth_m(discharge_m3_s: f64) -> f64 {
    0.27 * math::pow(discharge_m3_s.max(0.0), 0.4)
}

/// How far a river's surface lies below the plain it has cut, in metres: 4 m at 1 m3/s, 40 m at 10 000.
pub fn channel_incision_m(discharge_m3_s: f64) -> f64 {
    4.0 * math::pow(discharge_m3_s.max(0.0), 0.25)
}

/// The river network of a world: every course whose discharge reaches the recipe's threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// All reaches; a number elsewhere is an index into this list.
    pub reaches: Vec<RiverReach>,
    /// The ends of all rivers, the greatest discharge first.
    pub outlets: Vec<Outlet>,
}

/// A river between two junctions.
#[derive(Clone, Debug, PartialEq)]
pub struct RiverReach {
    /// Its cells from the head or junction down; the last is the one before the next junction or the mouth.
    pub cells: Vec<Cell>,
    /// The reach it flows into; `None` at a mouth.
    pub downstream: Option<u32>,
    /// Strahler order.
    pub order: u8,
    /// From the centre of its first cell to that of the cell it flows into, in metres.
    pub length_m: f64,
    /// Discharge that leaves its last cell, in m3/s.
    pub discharge_m3_s: f64,
    /// Area that drains through its last cell, in km2.
    pub drainage_km2: f64,
    /// Width of its channel at its lower end, in metres.
    pub width_m: f64,
    /// Length of its course, meanders included, over the straight distance of its ends; 1 or more.
    pub sinuosity: f64,
    /// Number of the outlet that its water reaches.
    pub basin: u32,
}

/// A main stem: from a mouth upstream, at every junction along the inflow with more discharge.
#[derive(Clone, Debug, PartialEq)]
pub struct River {
    /// Reaches from the source down.
    pub reaches: Vec<u32>,
    /// First cell.
    pub source: Cell,
    /// Last cell on land.
    pub mouth: Cell,
    /// Length along the cells' centres, in metres.
    pub length_m: f64,
    /// Discharge at the mouth in m3/s.
    pub discharge_m3_s: f64,
    /// Basin in km2.
    pub drainage_km2: f64,
    /// Strahler order at the mouth.
    pub order: u8,
    /// Mean sinuosity of its reaches, by their length.
    pub sinuosity: f64,
    /// Number of its outlet.
    pub outlet: u32,
}

/// The world that rivers run through.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// Where water goes.
    pub flow: &'a Flow,
    /// Discharge that leaves each cell, in m3/s.
    pub discharge_m3_s: &'a Field<f64>,
    /// Area that drains through each cell, in km2.
    pub drainage_km2: &'a Field<f64>,
    /// Surface of the running or standing water, in metres.
    pub level_m: &'a Field<f32>,
    /// Number of the lake, or [`NO_LAKE`].
    pub lake: &'a Field<u32>,
    /// Positive on land.
    pub land: &'a Field<f32>,
    /// The mountain-free map, the floor at sea, in metres.
    pub base_m: &'a Field<f32>,
    /// The true surface, in metres.
    pub surface_m: &'a Field<f32>,
    /// Mean temperature in deg C.
    pub temperature_c: &'a Field<f32>,
    /// Number of the plate.
    pub plate: &'a Field<u16>,
}

/// The network, and the Strahler order of each cell (0 where no river runs).
pub fn find_rivers(
    grid: &Topology,
    params: &WaterParams,
    ground: &Ground,
    seed: Seed,
) -> (Network, Field<u8>) {
    let is_river = ground.discharge_m3_s.map(|&q| q >= params.river_min_m3_s);
    let order = hydro::strahler(grid, ground.flow, &is_river);
    let reaches = hydro::reaches(grid, ground.flow, &is_river, &order);
    let reaches = reaches.into_iter().map(|reach| describe(grid, ground, reach)).collect();
    let mut network = Network { reaches, outlets: Vec::new() };
    network.number_basins();
    network.outlets = outlets::find_outlets(grid, ground, &network, seed);
    (network, order)
}

/// A reach with its measures; its basin is not known yet.
fn describe(grid: &Topology, ground: &Ground, reach: Reach) -> RiverReach {
    let last = *reach.cells.last().expect("a reach has at least one cell");
    let below = ground.flow.receiver_of(grid, last);
    let path: Vec<Cell> = reach.cells.iter().copied().chain(below).collect();
    let discharge_m3_s = ground.discharge_m3_s[last];
    let length_m: f64 = path.windows(2).map(|w| grid.cell_distance_m(w[0], w[1])).sum();
    let fall_m = f64::from(ground.level_m[path[0]] - ground.level_m[path[path.len() - 1]]);
    let outside = path.iter().filter(|&&c| ground.lake[c] == NO_LAKE).count() as f64 / path.len() as f64;
    let meanders = course::meanders(discharge_m3_s, fall_m / length_m.max(1.0), outside);
    RiverReach {
        length_m,
        discharge_m3_s,
        drainage_km2: ground.drainage_km2[last],
        width_m: channel_width_m(discharge_m3_s),
        sinuosity: course::bends(grid, &path) * meanders,
        basin: 0,
        cells: reach.cells,
        downstream: reach.downstream,
        order: reach.order,
    }
}

impl Network {
    /// All main stems, the greatest discharge first.
    pub fn rivers(&self) -> Vec<River> {
        let mut main_inflow: Vec<Option<u32>> = vec![None; self.reaches.len()];
        for (k, reach) in (0u32..).zip(&self.reaches) {
            if let Some(below) = reach.downstream {
                let slot = &mut main_inflow[below as usize];
                let greater = |old: u32| reach.discharge_m3_s > self.reaches[old as usize].discharge_m3_s;
                if slot.is_none_or(greater) {
                    *slot = Some(k);
                }
            }
        }
        self.mouths().into_iter().map(|k| self.stem(k, &main_inflow)).collect()
    }

    /// The reaches that end in outlets, in the order of these: the greatest discharge first, then by address.
    fn mouths(&self) -> Vec<u32> {
        let mouths = (0u32..).zip(&self.reaches).filter(|(_, r)| r.downstream.is_none());
        let mut mouths: Vec<(u32, &RiverReach)> = mouths.collect();
        mouths.sort_by(|(_, a), (_, b)| {
            b.discharge_m3_s.total_cmp(&a.discharge_m3_s).then(a.cells.last().cmp(&b.cells.last()))
        });
        mouths.into_iter().map(|(k, _)| k).collect()
    }

    /// Gives each reach the number of the outlet below it.
    fn number_basins(&mut self) {
        const UNKNOWN: u32 = u32::MAX;
        let mut basin = vec![UNKNOWN; self.reaches.len()];
        for (number, mouth) in (0u32..).zip(self.mouths()) {
            basin[mouth as usize] = number;
        }
        for start in 0..basin.len() {
            let below = |&k: &usize| self.reaches[k].downstream.map(|b| b as usize);
            let unknown = |k: &usize| basin[*k] == UNKNOWN;
            let way: Vec<usize> = std::iter::successors(Some(start), below).take_while(unknown).collect();
            let known = way.last().and_then(below).map(|k| basin[k]);
            way.into_iter().for_each(|k| basin[k] = known.unwrap_or(UNKNOWN));
        }
        self.reaches.iter_mut().zip(basin).for_each(|(reach, basin)| reach.basin = basin);
    }

    /// The main stem that ends in a reach.
    fn stem(&self, mouth: u32, main_inflow: &[Option<u32>]) -> River {
        let mut reaches: Vec<u32> =
            std::iter::successors(Some(mouth), |&k| main_inflow[k as usize]).collect();
        reaches.reverse();
        let last = &self.reaches[mouth as usize];
        let length_m: f64 = reaches.iter().map(|&k| self.reaches[k as usize].length_m).sum();
        let bends = |&k: &u32| self.reaches[k as usize].sinuosity * self.reaches[k as usize].length_m;
        River {
            source: self.reaches[reaches[0] as usize].cells[0],
            mouth: last.cells[last.cells.len() - 1],
            length_m,
            sinuosity: reaches.iter().map(bends).sum::<f64>() / length_m.max(1.0),
            outlet: last.basin,
            discharge_m3_s: last.discharge_m3_s,
            drainage_km2: last.drainage_km2,
            order: last.order,
            reaches,
        }
    }

    /// Whether every course ends at a mouth: no reach flows into itself over others.
    fn ends(&self) -> bool {
        let mut inflows = vec![0u32; self.reaches.len()];
        for below in self.reaches.iter().filter_map(|r| r.downstream) {
            inflows[below as usize] += 1;
        }
        let mut heads: Vec<usize> = (0..inflows.len()).filter(|&k| inflows[k] == 0).collect();
        let mut seen = 0;
        while let Some(k) = heads.pop() {
            seen += 1;
            if let Some(below) = self.reaches[k].downstream.map(|b| b as usize) {
                inflows[below] -= 1;
                if inflows[below] == 0 {
                    heads.push(below);
                }
            }
        }
        seen == self.reaches.len()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn reach(cell: u32, downstream: Option<u32>, discharge_m3_s: f64) -> RiverReach {
        RiverReach {
            cells: vec![Cell(cell)],
            downstream,
            order: 1,
            length_m: 10.0,
            discharge_m3_s,
            drainage_km2: 1.0,
            width_m: 3.0,
            sinuosity: 1.5,
            basin: 0,
        }
    }

    fn outlet(cell: u32, discharge_m3_s: f64) -> Outlet {
        Outlet {
            cell: Cell(cell),
            drainage_km2: 2.0,
            discharge_m3_s,
            length_m: 30.0,
            name: format!("River {cell}"),
            kind: OutletKind::Estuary,
            sediment_kg_s: 7.0,
            tide_m: 2.5,
            is_great: cell == 5,
        }
    }

    /// Two heads join, a third joins lower down; one more river alone.
    pub(crate) fn network() -> Network {
        let reaches = vec![
            reach(0, Some(2), 3.0),
            reach(1, Some(2), 5.0),
            reach(2, Some(4), 8.0),
            reach(3, Some(4), 2.0),
            reach(4, None, 10.0),
            reach(5, None, 20.0),
        ];
        let mut network = Network { reaches, outlets: vec![outlet(5, 20.0), outlet(4, 10.0)] };
        network.number_basins();
        network
    }

    #[test]
    fn stems_follow_the_greater_discharge() {
        let rivers = network().rivers();
        assert_eq!(rivers.iter().map(|r| r.discharge_m3_s).collect::<Vec<_>>(), [20.0, 10.0]);
        assert_eq!(rivers[1].reaches, [1, 2, 4]);
        assert_eq!((rivers[1].source, rivers[1].mouth, rivers[1].length_m), (Cell(1), Cell(4), 30.0));
    }

    #[test]
    fn basins_are_numbered_as_rivers_are() {
        let network = network();
        assert_eq!(network.reaches.iter().map(|r| r.basin).collect::<Vec<_>>(), [1, 1, 1, 1, 1, 0]);
        assert_eq!(network.rivers().iter().map(|r| r.outlet).collect::<Vec<_>>(), [0, 1]);
    }
}
