//! The box of a pyramid of web map tiles: which tiles it touches. Over the antimeridian it has a part on either side of the
//! map.

use crate::output::{misuse, numbers};
use anyhow::Result;
use grid::math;
use std::f64::consts::TAU;
use std::ops::RangeInclusive;

/// Where web maps end, in degrees.
const MOST_LAT: f64 = 85.051_128_779_806_59;

/// A box in degrees, as far as web maps reach.
#[derive(Clone, Debug, PartialEq)]
pub struct WebBox {
    west: f64,
    /// East of the west: above 180 where the box lies over the antimeridian.
    east: f64,
    south: f64,
    north: f64,
}

impl std::fmt::Display for WebBox {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{},{},{},{}", self.west, self.south, self.east, self.north)
    }
}

impl WebBox {
    /// Reads `W,S,E,N`; a west above the east is a box over the antimeridian.
    ///
    /// # Errors
    /// Not four numbers, degrees that are none, a box without an inside, or one beyond the ends of web maps.
    pub fn parse(text: &str) -> Result<Self> {
        let [west, south, east, north] = numbers("--bbox", text, "W,S,E,N")?;
        crate::named::check_degrees("--bbox", &[west, east], &[south, north])?;
        let east = if east < west { east + 360.0 } else { east };
        if west >= east || south >= north {
            return Err(misuse(format!(
                "--bbox {text}: expected a south below the north, and two different meridians"
            )));
        }
        let (south, north) = (south.max(-MOST_LAT), north.min(MOST_LAT));
        if south >= north {
            return Err(misuse(format!("--bbox {text}: web maps end at {MOST_LAT:.2} degrees")));
        }
        Ok(Self { west, east, south, north })
    }

    /// Whether it has an inside on both sides of the antimeridian.
    fn is_over_antimeridian(&self) -> bool {
        self.west < 180.0 && self.east > 180.0
    }

    /// West, south, east and north as the header of a pyramid and TileJSON know them, whose west lies west of the east: of a box
    /// over the antimeridian all longitudes.
    pub fn bounds(&self) -> [f64; 4] {
        let [west, east] = if self.is_over_antimeridian() {
            [-180.0, 180.0]
        } else {
            [self.west, self.east].map(|lon| lon - 360.0 * f64::from(u8::from(self.west >= 180.0)))
        };
        [west, self.south, east, self.north]
    }

    /// Its middle, on the map.
    pub fn middle(&self) -> [f64; 2] {
        let lon = 0.5 * (self.west + self.east);
        [if lon > 180.0 { lon - 360.0 } else { lon }, 0.5 * (self.south + self.north)]
    }

    /// The box as one, with an east above 180, where it lies over the antimeridian.
    pub fn beyond(&self) -> Option<[f64; 4]> {
        self.is_over_antimeridian().then_some([self.west, self.south, self.east, self.north])
    }

    /// The tiles of a zoom that the box touches: columns, in one run or one at either end of the map, and rows.
    pub fn tiles(&self, zoom: u8) -> (Vec<RangeInclusive<u32>>, RangeInclusive<u32>) {
        let side = f64::from(1u32 << zoom);
        let last = (1u32 << zoom) - 1;
        let column = |lon: f64| (lon + 180.0) / 360.0 * side;
        let row = |lat: f64| (0.5 - math::atanh(math::sin(lat.to_radians())) / TAU) * side;
        // a border between two tiles belongs to the tile inside
        const HAIR: f64 = 1e-9;
        let run = |from: f64, to: f64| {
            let first = ((from + HAIR).floor().max(0.0) as u32).min(last);
            let end = (((to - HAIR).ceil() - 1.0).max(0.0) as u32).min(last);
            first..=end.max(first)
        };
        let rows = run(row(self.north), row(self.south));
        let columns = if self.is_over_antimeridian() {
            let (west, east) = (run(column(-180.0), column(self.east - 360.0)), run(column(self.west), side));
            if west.end() >= east.start() { vec![0..=last] } else { vec![west, east] }
        } else {
            let [west, _, east, _] = self.bounds();
            vec![run(column(west), column(east))]
        };
        (columns, rows)
    }

    /// How many tiles of a zoom the box touches.
    pub fn count(&self, zoom: u8) -> u64 {
        let length = |range: &RangeInclusive<u32>| u64::from(range.end() - range.start() + 1);
        let (columns, rows) = self.tiles(zoom);
        columns.iter().map(length).sum::<u64>() * length(&rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box over the antimeridian has the tiles of its halves, each once.
    #[test]
    fn a_box_over_the_antimeridian_is_its_halves() {
        for (whole, halves) in [
            ("170,-10,-160,20", ["170,-10,180,20", "-180,-10,-160,20"]),
            ("100,30,-100,60.5", ["100,30,180,60.5", "-180,30,-100,60.5"]),
            ("1,-5,-1,5", ["1,-5,180,5", "-180,-5,-1,5"]),
        ] {
            for zoom in 0..8 {
                let columns = |text: &str| {
                    let (columns, rows) = WebBox::parse(text).expect("a box").tiles(zoom);
                    (columns.into_iter().flatten().collect::<Vec<u32>>(), rows)
                };
                let ((of_whole, rows), [east, west]) = (columns(whole), halves.map(columns));
                let mut both: Vec<u32> = east.0.into_iter().chain(west.0).collect();
                both.sort_unstable();
                both.dedup();
                assert_eq!((of_whole, rows), (both, west.1), "{whole}, zoom {zoom}");
            }
        }
    }

    #[test]
    fn what_readers_are_told_is_a_box_of_the_map() {
        let told = |text: &str| {
            let area = WebBox::parse(text).expect("a box");
            (area.bounds(), area.middle(), area.beyond())
        };
        assert_eq!(told("10,20,30,40"), ([10.0, 20.0, 30.0, 40.0], [20.0, 30.0], None));
        assert_eq!(
            told("170,20,-150,40"),
            ([-180.0, 20.0, 180.0, 40.0], [-170.0, 30.0], Some([170.0, 20.0, 210.0, 40.0]))
        );
        // a border of the map is not beyond it
        assert_eq!(told("170,20,-180,40"), ([170.0, 20.0, 180.0, 40.0], [175.0, 30.0], None));
        assert_eq!(told("180,20,-170,40"), ([-180.0, 20.0, -170.0, 40.0], [-175.0, 30.0], None));
        assert!(WebBox::parse("20,0,20,10").is_err() && WebBox::parse("180,0,-180,10").is_err());
        assert!(WebBox::parse("170,0,190,10").is_err());
    }
}
