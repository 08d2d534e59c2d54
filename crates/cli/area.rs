//! A box on the map, as `--bbox` names it.

use crate::named::Map;
use anyhow::Result;
use grid::{Grid, Topology, math};
use serve::clip::Bounds;

/// A box of longitudes and latitudes in degrees, or of a flat map's own metres; borders are inside.
pub struct Area {
    low: [f64; 2],
    high: [f64; 2],
}

impl Area {
    /// Reads west, south, east and north.
    ///
    /// # Errors
    /// Not four numbers, a box without an inside, or one off the map.
    pub fn parse(map: &Map, text: &str) -> Result<Self> {
        let [west, south, east, north] = map.bounds("--bbox", text)?;
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

    /// A box with all that lies no farther away than so many metres, and perhaps some more.
    pub fn widened(&self, grid: &Topology, metres: f64) -> Self {
        let Topology::Globe(_) = grid else {
            let (low, high) = (self.low.map(|v| v - metres), self.high.map(|v| v + metres));
            return Self { low, high };
        };
        let degrees = (metres / grid.metres_per_unit()).to_degrees();
        let (south, north) = ((self.low[1] - degrees).max(-90.0), (self.high[1] + degrees).min(90.0));
        let aside = degrees / math::cos(south.abs().max(north.abs()).to_radians()).max(1e-9);
        let (west, east) = (self.low[0] - aside, self.east() + aside);
        let (west, east) = if east - west < 360.0 { (turned(west), turned(east)) } else { (-180.0, 180.0) };
        Self { low: [west, south], high: [east, north] }
    }

    /// Its east, beyond 180 degrees where it lies over the antimeridian.
    fn east(&self) -> f64 {
        if self.low[0] > self.high[0] { self.high[0] + 360.0 } else { self.high[0] }
    }

    /// Whether any of the straight way between two places lies inside; on a globe the shorter one.
    pub fn meets(&self, grid: &Topology, a: [f64; 2], b: [f64; 2]) -> bool {
        let round = matches!(grid, Topology::Globe(_));
        let turn = |x: f64| if round { 360.0 * (x / 360.0).round() } else { 0.0 };
        let b = [b[0] - turn(b[0] - a[0]), b[1]];
        let turns = if round { &[-360.0, 0.0, 360.0][..] } else { &[0.0] };
        turns.iter().any(|by| {
            let (low, high) = ([self.low[0] + by, self.low[1]], [self.east() + by, self.high[1]]);
            Bounds { low, high }.meets(a, b)
        })
    }
}

/// The same longitude between -180 and 180 degrees.
fn turned(lon: f64) -> f64 {
    (lon + 180.0).rem_euclid(360.0) - 180.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use grid::{Globe, Nth, Purpose, Seed};

    /// Ways against many places along each, in boxes of all widths, over the antimeridian too.
    #[test]
    fn ways_meet_boxes_that_hold_a_place_of_them() {
        let grid = Topology::Globe(Globe::new(64, 6.371e6).expect("in range"));
        let mut draw = Seed(3).key(Purpose::new("test/area")).at(Nth(0));
        let (mut met, mut missed) = (0, 0);
        for _ in 0..20_000 {
            let (west, south) = (draw.range(-180.0, 180.0), draw.range(-80.0, 70.0));
            let high = [turned(west + draw.range(0.5, 90.0)), south + draw.range(0.5, 10.0)];
            let area = Area { low: [west, south], high };
            let a = [draw.range(-180.0, 180.0), draw.range(-80.0, 80.0)];
            let way = [draw.range(-30.0, 30.0), draw.range(-30.0, 30.0)];
            let at = |t: f64| [turned(a[0] + t * way[0]), a[1] + t * way[1]];
            let holds = (0..=300).any(|k| area.contains(at(f64::from(k) / 300.0)));
            let meets = area.meets(&grid, a, at(1.0));
            assert!(meets || !holds, "{a:?} {way:?}");
            (met, missed) = (met + usize::from(holds), missed + usize::from(meets && !holds));
        }
        // those cut a corner off between two places
        assert!(met > 200 && missed * 50 < met, "{met} {missed}");
    }

    #[test]
    fn wider_boxes_hold_what_lies_around() {
        let grid = Topology::Globe(Globe::new(64, 6.371e6).expect("in range"));
        let area = Area { low: [170.0, 50.0], high: [-175.0, 60.0] };
        let wider = area.widened(&grid, 200e3);
        for place in [[167.0, 55.0], [-172.0, 55.0], [180.0, 48.5], [180.0, 61.5]] {
            assert!(!area.contains(place) && wider.contains(place), "{place:?}");
        }
        assert!(!wider.contains([160.0, 55.0]) && !wider.contains([180.0, 47.0]));
        let polar = Area { low: [0.0, 85.0], high: [1.0, 89.9] }.widened(&grid, 200e3);
        assert!(polar.contains([-170.0, 88.0]));
    }
}
