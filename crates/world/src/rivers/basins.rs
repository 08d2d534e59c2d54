//! Which outlet the water of some cells reaches first.
//!
//! From the cells asked for, receivers are asked generation by generation until nothing new is met, so that a source
//! that reads a file reads what lies downstream and nothing else. A cell is an outlet's own, or it belongs where its
//! receiver belongs. Cost: proportional to the cells downstream, with a search for each.

use super::Network;
use crate::state::{GatherError, receiver_direction};
use grid::{Cell, Grid, Topology};
use std::collections::BTreeMap;

/// For each cell the number of the outlet that its water reaches first; none for one that reaches none.
///
/// `receivers` gives the bytes of the layer of that name.
///
/// # Errors
/// Whatever `receivers` says; rivers that run in a circle.
pub fn basins_of(
    grid: &Topology,
    network: &Network,
    cells: &[Cell],
    receivers: impl Fn(&[Cell]) -> Result<Vec<u8>, GatherError>,
) -> Result<Vec<Option<u32>>, GatherError> {
    let outlets: BTreeMap<Cell, u32> = network.outlets.iter().map(|o| o.cell).zip(0..).collect();
    let below = downstream(grid, &outlets, cells, receivers)?;
    let mut known: BTreeMap<Cell, Option<u32>> = outlets.iter().map(|(&c, &k)| (c, Some(k))).collect();
    let mut basins = Vec::with_capacity(cells.len());
    for &cell in cells {
        basins.push(follow(cell, &below, &mut known)?);
    }
    Ok(basins)
}

/// Where the water of cells goes, and of all cells on its way, up to the first outlet.
fn downstream(
    grid: &Topology,
    outlets: &BTreeMap<Cell, u32>,
    cells: &[Cell],
    receivers: impl Fn(&[Cell]) -> Result<Vec<u8>, GatherError>,
) -> Result<BTreeMap<Cell, Option<Cell>>, GatherError> {
    let mut below = BTreeMap::new();
    let mut front = cells.to_vec();
    while !front.is_empty() {
        front.sort_unstable();
        front.dedup();
        front.retain(|c| !outlets.contains_key(c) && !below.contains_key(c));
        let bytes = receivers(&front)?;
        let next = |(&c, &byte): (&Cell, &u8)| receiver_direction(byte).and_then(|d| grid.neighbor(c, d));
        let found: Vec<Option<Cell>> = front.iter().zip(&bytes).map(next).collect();
        below.extend(front.iter().copied().zip(found.iter().copied()));
        front = found.into_iter().flatten().collect();
    }
    Ok(below)
}

/// Follows the water to a cell whose basin is known, and notes it for the whole way.
fn follow(
    start: Cell,
    below: &BTreeMap<Cell, Option<Cell>>,
    known: &mut BTreeMap<Cell, Option<u32>>,
) -> Result<Option<u32>, GatherError> {
    let (mut way, mut here) = (Vec::new(), Some(start));
    let basin = loop {
        let Some(cell) = here else { break None };
        if let Some(&basin) = known.get(&cell) {
            break basin;
        }
        way.push(cell);
        if way.len() > below.len() {
            return Err(GatherError("its rivers run in a circle".into()));
        }
        here = below.get(&cell).copied().flatten();
    };
    known.extend(way.into_iter().map(|cell| (cell, basin)));
    Ok(basin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivers::tests::network;

    /// A map of one row; each byte is an index of a direction.
    fn basins(bytes: &[u8]) -> Result<Vec<Option<u32>>, GatherError> {
        let grid = Topology::Flat(grid::Flat::new(bytes.len() as u32, 1, 1000.0).expect("a map"));
        let cells: Vec<Cell> = grid.cells().collect();
        let receivers = |cells: &[Cell]| Ok(cells.iter().map(|c| bytes[c.index()]).collect());
        basins_of(&grid, &network(), &cells, receivers)
    }

    #[test]
    fn water_belongs_to_the_first_outlet() {
        // outlets lie in cells 5 (number 0) and 4 (number 1); all but the last run east
        let found = basins(&[2, 2, 2, 2, 2, 2, 2, 255]).expect("no circle");
        assert_eq!(found, [Some(1), Some(1), Some(1), Some(1), Some(1), Some(0), None, None]);
    }

    #[test]
    fn circles_are_told() {
        assert!(basins(&[2, 6, 2, 2, 2, 2]).is_err());
    }
}
