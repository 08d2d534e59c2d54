//! Rivers: the network of reaches, and the main stems that people call rivers.

use crate::recipe::WaterParams;
use grid::table::ColumnValues;
use grid::{Cell, Field, Grid, Table, Topology, math};
use hydro::{Flow, Reach};

/// Width of a river in metres from its mean discharge in m3/s (Leopold & Maddock 1953; the factor of Andreadis
/// et al. 2013).
pub fn channel_width_m(discharge_m3_s: f64) -> f64 {
    7.2 * discharge_m3_s.max(0.0).sqrt()
}

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
}

/// Stands for "no reach" in files.
const NOWHERE: u32 = u32::MAX;

/// The network, and the Strahler order of each cell (0 where no river runs).
pub fn find_rivers(
    grid: &Topology,
    params: &WaterParams,
    flow: &Flow,
    discharge_m3_s: &Field<f64>,
    drainage_km2: &Field<f64>,
) -> (Network, Field<u8>) {
    let is_river = discharge_m3_s.map(|&q| q >= params.river_min_m3_s);
    let order = hydro::strahler(grid, flow, &is_river);
    let describe = |reach: Reach| {
        let last = *reach.cells.last().expect("a reach has at least one cell");
        let below = flow.receiver_of(grid, last);
        let path: Vec<Cell> = reach.cells.iter().copied().chain(below).collect();
        RiverReach {
            length_m: path.windows(2).map(|w| grid.cell_distance_m(w[0], w[1])).sum(),
            discharge_m3_s: discharge_m3_s[last],
            drainage_km2: drainage_km2[last],
            cells: reach.cells,
            downstream: reach.downstream,
            order: reach.order,
        }
    };
    let reaches = hydro::reaches(grid, flow, &is_river, &order);
    (Network { reaches: reaches.into_iter().map(describe).collect() }, order)
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
        let mouths = (0u32..).zip(&self.reaches).filter(|(_, r)| r.downstream.is_none());
        let mut rivers: Vec<River> = mouths.map(|(k, _)| self.stem(k, &main_inflow)).collect();
        rivers.sort_by(|a, b| b.discharge_m3_s.total_cmp(&a.discharge_m3_s).then(a.mouth.cmp(&b.mouth)));
        rivers
    }

    /// The main stem that ends in a reach.
    fn stem(&self, mouth: u32, main_inflow: &[Option<u32>]) -> River {
        let mut reaches: Vec<u32> =
            std::iter::successors(Some(mouth), |&k| main_inflow[k as usize]).collect();
        reaches.reverse();
        let last = &self.reaches[mouth as usize];
        River {
            source: self.reaches[reaches[0] as usize].cells[0],
            mouth: last.cells[last.cells.len() - 1],
            length_m: reaches.iter().map(|&k| self.reaches[k as usize].length_m).sum(),
            discharge_m3_s: last.discharge_m3_s,
            drainage_km2: last.drainage_km2,
            order: last.order,
            reaches,
        }
    }

    /// The network as tables of a file: `rivers`, a row a reach, and `river_cells`, the cells of all in turn.
    pub fn to_tables(&self) -> [Table; 2] {
        let each = |f: &dyn Fn(&RiverReach) -> f64| ColumnValues::F64(self.reaches.iter().map(f).collect());
        let count = |f: &dyn Fn(&RiverReach) -> u32| ColumnValues::U32(self.reaches.iter().map(f).collect());
        let rivers = Table::new("rivers")
            .with("cells", "1", count(&|r| r.cells.len() as u32))
            .and_then(|t| t.with("downstream", "row", count(&|r| r.downstream.unwrap_or(NOWHERE))))
            .and_then(|t| t.with("order", "1", count(&|r| u32::from(r.order))))
            .and_then(|t| t.with("length", "m", each(&|r| r.length_m)))
            .and_then(|t| t.with("discharge", "m3/s", each(&|r| r.discharge_m3_s)))
            .and_then(|t| t.with("drainage", "km2", each(&|r| r.drainage_km2)));
        let cells = self.reaches.iter().flat_map(|r| r.cells.iter().map(|c| c.0)).collect();
        let cells = Table::new("river_cells").with("cell", "1", ColumnValues::U32(cells));
        [rivers.expect("one row a reach"), cells.expect("a single column")]
    }

    /// Reads the tables back. `None` if they do not describe a network over `len` cells.
    pub fn from_tables(rivers: &Table, river_cells: &Table, len: usize) -> Option<Self> {
        let rows = rivers.rows();
        let (count, downstream) = (rivers.u32s("cells")?, rivers.u32s("downstream")?);
        let (order, length) = (rivers.u32s("order")?, rivers.f64s("length")?);
        let (discharge, drainage) = (rivers.f64s("discharge")?, rivers.f64s("drainage")?);
        let mut rest = river_cells.u32s("cell")?;
        let mut reaches = Vec::with_capacity(rows);
        for k in 0..rows {
            let (cells, after) = rest.split_at_checked(count[k] as usize)?;
            rest = after;
            let to = downstream[k];
            let ok = !cells.is_empty() && cells.iter().all(|&c| (c as usize) < len);
            if !ok || (to != NOWHERE && to as usize >= rows) {
                return None;
            }
            reaches.push(RiverReach {
                cells: cells.iter().copied().map(Cell).collect(),
                downstream: (to != NOWHERE).then_some(to),
                order: u8::try_from(order[k]).ok()?,
                length_m: length[k],
                discharge_m3_s: discharge[k],
                drainage_km2: drainage[k],
            });
        }
        let network = Self { reaches };
        (rest.is_empty() && network.ends()).then_some(network)
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
mod tests {
    use super::*;

    fn reach(cell: u32, downstream: Option<u32>, discharge_m3_s: f64) -> RiverReach {
        let cells = vec![Cell(cell)];
        RiverReach { cells, downstream, order: 1, length_m: 10.0, discharge_m3_s, drainage_km2: 1.0 }
    }

    /// Two heads join, a third joins lower down; one more river alone.
    fn network() -> Network {
        let reaches = vec![
            reach(0, Some(2), 3.0),
            reach(1, Some(2), 5.0),
            reach(2, Some(4), 8.0),
            reach(3, Some(4), 2.0),
            reach(4, None, 10.0),
            reach(5, None, 20.0),
        ];
        Network { reaches }
    }

    #[test]
    fn stems_follow_the_greater_discharge() {
        let rivers = network().rivers();
        assert_eq!(rivers.iter().map(|r| r.discharge_m3_s).collect::<Vec<_>>(), [20.0, 10.0]);
        assert_eq!(rivers[1].reaches, [1, 2, 4]);
        assert_eq!((rivers[1].source, rivers[1].mouth, rivers[1].length_m), (Cell(1), Cell(4), 30.0));
    }

    #[test]
    fn tables_come_back() {
        let network = network();
        let [rivers, cells] = network.to_tables();
        assert_eq!(Network::from_tables(&rivers, &cells, 6), Some(network));
        assert_eq!(Network::from_tables(&rivers, &cells, 5), None);
    }

    #[test]
    fn a_ring_of_reaches_is_refused() {
        let mut ring = network();
        ring.reaches[4].downstream = Some(1);
        let [rivers, cells] = ring.to_tables();
        assert_eq!(Network::from_tables(&rivers, &cells, 6), None);
    }
}
