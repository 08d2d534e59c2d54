//! Places and boxes that people name on the command line, and what places are called there.

use crate::output::{misuse, numbers};
use anyhow::Result;
use archive::WorldView;
use export::Coordinates;
use grid::{Flat, Topology};
use world::CellSource;

/// A world's map for those who name places on it. What they name are longitudes and latitudes in degrees; on a flat map the
/// coordinates of the raster that it was imported from, or else metres from its south-western corner. What comes of it are the
/// world's own degrees or metres.
pub struct Map<'a> {
    /// The grid under it.
    pub grid: &'a Topology,
    coordinates: Coordinates,
}

impl<'a> Map<'a> {
    /// The map of a world.
    pub fn of(view: &'a WorldView) -> Self {
        Self { grid: view.grid(), coordinates: Coordinates::of(view) }
    }

    /// What a place is called.
    pub fn told(&self, own: [f64; 2]) -> [f64; 2] {
        self.coordinates.told(own)
    }

    /// The place that is called so.
    pub fn own(&self, told: [f64; 2]) -> [f64; 2] {
        self.coordinates.own(told)
    }

    /// A place, as an option names it.
    ///
    /// # Errors
    /// Not two numbers, no degrees, or a place off the map.
    pub fn place(&self, option: &str, text: &str) -> Result<[f64; 2]> {
        let form = if self.is_globe() { "LON,LAT" } else { "X,Y" };
        let told @ [x, y] = numbers(option, text, form)?;
        if self.is_globe() {
            check_degrees(option, &[x], &[y])?;
        }
        let own @ [x, y] = self.own(told);
        self.check(option, text, [x, y, x, y])?;
        Ok(own)
    }

    /// West, south, east and north of a box, as an option names it; on a globe a west greater than the east means a box over the
    /// antimeridian.
    ///
    /// # Errors
    /// Not four numbers, no degrees, a box without an inside, or one off the map.
    pub fn bounds(&self, option: &str, text: &str) -> Result<[f64; 4]> {
        let [west, south, east, north] = numbers(option, text, "W,S,E,N")?;
        if self.is_globe() {
            check_degrees(option, &[west, east], &[south, north])?;
        }
        if west == east || (west > east && !self.is_globe()) {
            return Err(misuse(format!("{option} {text}: the west {west} is not left of the east {east}")));
        }
        if south >= north {
            return Err(misuse(format!("{option} {text}: the south {south} is not below the north {north}")));
        }
        let ([west, south], [east, north]) = (self.own([west, south]), self.own([east, north]));
        self.check(option, text, [west, south, east, north])?;
        Ok([west, south, east, north])
    }

    /// Makes sure that a box in the world's own coordinates, or a place as a box without extent, has a part on a flat map.
    ///
    /// # Errors
    /// It has none.
    pub fn check(&self, option: &str, text: &str, [west, south, east, north]: [f64; 4]) -> Result<()> {
        let Topology::Flat(flat) = self.grid else { return Ok(()) };
        let (width, height) = flat.extent_m();
        if west <= width && east >= 0.0 && south <= height && north >= 0.0 {
            return Ok(());
        }
        let ([w, s, e, n], units) = self.extent_of(flat);
        Err(misuse(format!("{option} {text}: outside the map, which spans {w},{s},{e},{n} {units}")))
    }

    /// West, south, east and north of a flat map, and what they count, in words.
    pub fn extent(&self) -> Option<([f64; 4], String)> {
        match self.grid {
            Topology::Globe(_) => None,
            Topology::Flat(flat) => Some(self.extent_of(flat)),
        }
    }

    /// The name of the reference system of its raster, if it has one.
    pub fn reference(&self) -> Option<&str> {
        self.coordinates.home()?.name()
    }

    fn extent_of(&self, flat: &Flat) -> ([f64; 4], String) {
        let ([west, south], [east, north]) = (self.told([0.0, 0.0]), self.told(flat.extent_m().into()));
        let units = match (self.reference(), self.coordinates.home()) {
            (Some(name), _) => format!("in {name}"),
            (None, Some(_)) => "in the coordinates of its raster".into(),
            (None, None) => "metres from its south-western corner".into(),
        };
        ([west, south, east, north], units)
    }

    fn is_globe(&self) -> bool {
        matches!(self.grid, Topology::Globe(_))
    }
}

/// Decimals of places in tables and sentences: some km on a globe, metres on a flat map.
pub fn decimals(grid: &Topology) -> usize {
    match grid {
        Topology::Globe(_) => 2,
        Topology::Flat(_) => 0,
    }
}

/// The same of a single place: some hundred metres on a globe.
pub fn fine_decimals(grid: &Topology) -> usize {
    match grid {
        Topology::Globe(_) => 3,
        Topology::Flat(_) => 0,
    }
}

/// Checks longitudes and latitudes.
///
/// # Errors
/// One of them is none.
pub fn check_degrees(option: &str, longitudes: &[f64], latitudes: &[f64]) -> Result<()> {
    if let Some(lon) = longitudes.iter().find(|l| l.abs() > 180.0) {
        return Err(misuse(format!("{option}: longitude {lon} is not from -180 to 180")));
    }
    if let Some(lat) = latitudes.iter().find(|l| l.abs() > 90.0) {
        return Err(misuse(format!("{option}: latitude {lat} is not from -90 to 90")));
    }
    Ok(())
}
