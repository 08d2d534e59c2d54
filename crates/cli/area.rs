//! A box on the map, as `--bbox` names it.

use crate::output::{misuse, numbers};
use crate::region::{check_degrees, check_on_map};
use anyhow::Result;
use grid::Topology;

/// A box of longitudes and latitudes in degrees, or of metres on a flat map; borders are inside.
pub struct Area {
    low: [f64; 2],
    high: [f64; 2],
}

impl Area {
    /// Reads west, south, east and north.
    ///
    /// # Errors
    /// Not four numbers, a box without an inside, or one off the map.
    pub fn parse(grid: &Topology, text: &str) -> Result<Self> {
        let [west, south, east, north] = numbers("--bbox", text, "W,S,E,N")?;
        if matches!(grid, Topology::Globe(_)) {
            check_degrees("--bbox", &[west, east], &[south, north])?;
        }
        if west == east || (west > east && matches!(grid, Topology::Flat(_))) {
            return Err(misuse(format!("--bbox {text}: the west {west} is not left of the east {east}")));
        }
        if south >= north {
            return Err(misuse(format!("--bbox {text}: the south {south} is not below the north {north}")));
        }
        check_on_map("--bbox", text, grid, [west, south, east, north])?;
        Ok(Self { low: [west, south], high: [east, north] })
    }

    /// Whether a place lies inside. A west greater than the east means a box over the antimeridian.
    pub fn contains(&self, [x, y]: [f64; 2]) -> bool {
        let over_antimeridian = self.low[0] > self.high[0];
        let east_west = if over_antimeridian {
            x >= self.low[0] || x <= self.high[0]
        } else {
            x >= self.low[0] && x <= self.high[0]
        };
        east_west && y >= self.low[1] && y <= self.high[1]
    }
}
